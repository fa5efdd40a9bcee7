(** Differential privacy, in the central, the local and the shuffle model.

    n is the number of users and public; neighbouring data sets differ in one user's record
    (replacement). Events are arbitrary: [dp] quantifies over all of them. In the shuffle model the
    analyzer sees the messages of all users in a random order, which carries the same information as
    their multiset, so the events of [shuffle_dp] are those that the order does not change; the
    theorem [shuffle_dp_iff_shuffled] of shuffler.v says that this is privacy of the program that
    draws a uniformly random order. *)

From Coq Require Import Reals List Lra Permutation.
From Exactdp Require Import sums laws.
Import ListNotations.
Open Scope R_scope.

(** P is (E, delta)-below Q: no event is more than E times as likely under P, but for delta. *)
Definition below {A} (P Q : dist A) (E delta : R) : Prop :=
  forall T, Pr P T <= E * Pr Q T + delta.

(** Neighbours by replacement of one record. Symmetric: x and y may change places. *)
Inductive neighbors {X} : list X -> list X -> Prop :=
  | replace_one : forall before x y after, neighbors (before ++ x :: after) (before ++ y :: after).

(** M is (eps, delta)-DP on data sets of n records. *)
Definition dp {X A} (n : nat) (M : list X -> dist A) (eps delta : R) : Prop :=
  forall xs ys, neighbors xs ys -> length xs = n -> below (M xs) (M ys) (exp eps) delta.

(** R is (eps, delta)-DP as a local randomizer: any two records. *)
Definition local_dp {X A} (R : X -> dist A) (eps delta : Rdefinitions.R) : Prop :=
  forall x y, below (R x) (R y) (exp eps) delta.

(** The messages of all users, in the order of the users. Each user runs R on his record with his own
    coins and sends a list of messages. *)
Fixpoint messages {X M} (R : X -> dist (list M)) (xs : list X) : dist (list M) :=
  match xs with
  | [] => ret []
  | x :: rest => bind (R x) (fun mine => bind (messages R rest) (fun others => ret (mine ++ others)))
  end.

(** An event that does not look at the order of the messages. *)
Definition symmetric {M} (T : list M -> bool) : Prop :=
  forall u v, Permutation u v -> T u = T v.

(** R with a shuffler is (eps, delta)-DP on data sets of n records. *)
Definition shuffle_dp {X M} (n : nat) (R : X -> dist (list M)) (eps delta : Rdefinitions.R) : Prop :=
  forall xs ys, neighbors xs ys -> length xs = n ->
  forall T, symmetric T ->
  Pr (messages R xs) T <= exp eps * Pr (messages R ys) T + delta.

(** A randomizer that sends one message. *)
Definition one_message {X M} (R : X -> dist M) (x : X) : dist (list M) := dmap (fun m => [m]) (R x).

(** ** First consequences *)

Lemma neighbors_sym {X} (xs ys : list X) : neighbors xs ys -> neighbors ys xs.
Proof. intros [b x y a]. apply replace_one. Qed.

Lemma neighbors_length {X} (xs ys : list X) : neighbors xs ys -> length xs = length ys.
Proof. intros [b x y a]. rewrite !app_length. reflexivity. Qed.

(** Post-processing. *)
Theorem below_dmap {A B} (h : A -> B) (P Q : dist A) E delta :
  below P Q E delta -> below (dmap h P) (dmap h Q) E delta.
Proof. intros H T. rewrite !Pr_dmap. apply H. Qed.

Lemma dp_dmap {X A B} n (h : A -> B) (M : list X -> dist A) eps delta :
  dp n M eps delta -> dp n (fun xs => dmap h (M xs)) eps delta.
Proof. intros H xs ys N L. apply below_dmap, H; assumption. Qed.

(** A view that does not depend on the order is private if the shuffled messages are. *)
Theorem shuffle_dp_view {X M A} n (R : X -> dist (list M)) (view : list M -> A) eps delta :
  (forall u v, Permutation u v -> view u = view v) ->
  shuffle_dp n R eps delta -> dp n (fun xs => dmap view (messages R xs)) eps delta.
Proof.
  intros V H xs ys N L T. rewrite !Pr_dmap. apply H; [exact N | exact L |].
  intros u v P. rewrite (V u v P). reflexivity.
Qed.

Lemma proper_messages {X M} (R : X -> dist (list M)) xs :
  (forall x, proper (R x)) -> proper (messages R xs).
Proof.
  intros H. induction xs as [| x xs IH]; simpl; [apply proper_ret |].
  apply proper_bind; [apply H |]. intros mine.
  apply proper_bind; [exact IH |]. intros. apply proper_ret.
Qed.
