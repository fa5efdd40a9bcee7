(** The functional behind amplification by shuffling: what n independent copies of a real variable exceed 0 by.

    For a finite law L of real numbers, [mean_excess n L] is (1/n) E[max(0, L_1 + ... + L_n)] with independent copies
    of L. For laws P and Q of what a user sends, a real E and a reference law c that may weigh less than 1 in all,
    [values_against P Q E c] is the law of (P - E Q) / c where c is drawn, and 0 with what c lacks to 1;
    [uncovered P Q E c] is the sum of max(0, P - E Q) over what c never draws. The sum of the two terms,
    [reference_bound], is the bound of a privacy blanket c, and the divergence itself where all others hold one input
    and c is its row.

    This file has the definitions and what is immediate. Source: this package; the functional is that of
    BalleBellGasconNissim2019, section 5. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws hockey_stick independence.
Import ListNotations.
Open Scope R_scope.

(** n independent draws of one law. *)
Definition copies {A} (d : dist A) (n : nat) : dist (list A) := draws (repeat d n).

Definition mean_excess (n : nat) (L : dist R) : R :=
  mean (copies L n) (fun values => Rmax 0 (total values (fun v => v))) / INR n.

(** How much more likely than the reference an outcome is under P - E Q. *)
Definition value_against {A} (P Q : dist A) (E : R) (c : dist A) (a : A) : R :=
  (mass P a - E * mass Q a) / mass c a.

Definition values_against {A} (P Q : dist A) (E : R) (c : dist A) : dist R :=
  (1 - mean c (fun _ => 1), 0) :: map (fun wa => (fst wa, value_against P Q E c (snd wa))) c.

(** What the outcomes that the reference never draws add to the divergence. *)
Definition uncovered {A} (P Q : dist A) (E : R) (c : dist A) : R :=
  total (outcomes P Q) (fun a => if Req_EM_T (mass c a) 0 then Rmax 0 (mass P a - E * mass Q a) else 0).

Definition reference_bound {A} (n : nat) (P Q : dist A) (E : R) (c : dist A) : R :=
  uncovered P Q E c + mean_excess n (values_against P Q E c).

(** c lies below the law d: it is drawn with weights that are not negative, and nothing is drawn more often. *)
Definition sub_law {A} (c : dist A) : Prop := forall wa, In wa c -> 0 <= fst wa.
Definition lies_below {A} (c d : dist A) : Prop := sub_law c /\ forall a, mass c a <= mass d a.

(** ** What is immediate *)

Lemma mean_copies_first {A} (d : dist A) n f :
  mean (copies d (S n)) f = mean d (fun a => mean (copies d n) (fun rest => f (a :: rest))).
Proof.
  unfold copies. simpl. rewrite mean_bind. apply mean_ext. intros a.
  apply (mean_dmap (cons a) (draws (repeat d n)) f).
Qed.

Lemma mean_copies_none {A} (d : dist A) f : mean (copies d 0) f = f [].
Proof. unfold copies. simpl. apply mean_ret. Qed.

Lemma proper_copies {A} (d : dist A) n : proper d -> proper (copies d n).
Proof.
  intros H. unfold copies. induction n as [| n IH]; simpl; [apply proper_ret |].
  apply proper_bind; [exact H |]. intros a. apply proper_bind; [exact IH |]. intros. apply proper_ret.
Qed.

Lemma mean_values_against {A} (P Q : dist A) E c f :
  mean (values_against P Q E c) f =
  (1 - mean c (fun _ => 1)) * f 0 + mean c (fun a => f (value_against P Q E c a)).
Proof. unfold values_against, mean. simpl. rewrite total_map. reflexivity. Qed.

Lemma proper_values_against {A} (P Q : dist A) E c :
  sub_law c -> mean c (fun _ => 1) <= 1 -> proper (values_against P Q E c).
Proof.
  intros H1 H2. split.
  - intros wa [<- | I]; simpl; [lra |]. apply in_map_iff in I. destruct I as [va [<- I]]. apply H1, I.
  - rewrite mean_values_against. ring.
Qed.
