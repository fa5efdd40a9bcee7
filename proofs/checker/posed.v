(** Programs that decide whether what a claim speaks of exists, where it is written in rationals.

    Each answers true only if the statement of claims.v holds: [table_is_posed] ([table_posed]), [finite_is_posed],
    [noise_is_posed] (a law with a parameter that is not a rational is answered false: its enclosure decides),
    [family_is_posed], [randomizer_is_posed], [level_is_posed]. Rationals are reduced by nobody; sums are taken as
    integers over the least common multiple of the denominators, so that no denominator is multiplied up.

    Source: docs/certificates.md, "The document" and "Noise laws". *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import reals.
From ExactdpChecker Require Import claims.
Import ListNotations.
Open Scope Z_scope.

(** ** Over a common denominator *)

(** Of the denominators, from left to right. *)
Definition common_denominator (l : list Q) : Z := fold_left (fun d q => Z.lcm d (Zpos (Qden q))) l 1.

(** The numerator over this denominator, a multiple of its own. *)
Definition over (d : Z) (q : Q) : Z := Qnum q * (d / Zpos (Qden q)).

Definition sum_over (d : Z) (l : list Q) : Z := fold_left (fun s q => s + over d q) l 0.

Definition sums_to_1 (l : list Q) : bool := let d := common_denominator l in sum_over d l =? d.

Lemma lcm_positive d l : 0 < d -> 0 < fold_left (fun d q => Z.lcm d (Zpos (Qden q))) l d.
Proof.
  revert d. induction l as [| q l IH]; intros d H; simpl; [exact H |]. apply IH.
  assert (X := Z.lcm_nonneg d (Zpos (Qden q))). assert (Y : Z.lcm d (Zpos (Qden q)) <> 0); [| lia].
  rewrite Z.lcm_eq_0. lia.
Qed.

Lemma common_denominator_positive l : 0 < common_denominator l.
Proof. apply lcm_positive. lia. Qed.

Lemma common_denominator_divides l q : In q l -> (Zpos (Qden q) | common_denominator l).
Proof.
  unfold common_denominator.
  assert (D : forall m d e, (e | d) -> (e | fold_left (fun d q => Z.lcm d (Zpos (Qden q))) m d)).
  { induction m as [| r m IH]; intros d e H; simpl; [exact H |]. apply IH.
    eapply Z.divide_trans; [exact H | apply Z.divide_lcm_l]. }
  generalize 1. induction l as [| r l IH]; intros d I; [destruct I |]. simpl. destruct I as [<- | I].
  - apply D, Z.divide_lcm_r.
  - apply IH, I.
Qed.

Lemma over_value d q : 0 < d -> (Zpos (Qden q) | d) -> IZR (over d q) = (Q2R q * IZR d)%R.
Proof.
  intros Hd [e He]. unfold over. rewrite He, Z.div_mul by lia. unfold Q2R. rewrite !mult_IZR.
  assert (IZR (Zpos (Qden q)) <> 0%R) by (apply not_0_IZR; lia). field. assumption.
Qed.

(** The sum as a real number. *)
Definition real_sum (l : list Q) : R := fold_right (fun q s => (Q2R q + s)%R) 0%R l.

Lemma sum_over_value d l :
  0 < d -> (forall q, In q l -> (Zpos (Qden q) | d)) -> IZR (sum_over d l) = (real_sum l * IZR d)%R.
Proof.
  intros Hd H. unfold sum_over.
  assert (X : forall s, IZR (fold_left (fun s q => s + over d q) l s) = (IZR s + real_sum l * IZR d)%R).
  { induction l as [| q l IH]; intros s; simpl; [ring |]. rewrite IH by (intros r I; apply H; right; exact I).
    rewrite plus_IZR, over_value; [ring | exact Hd | apply H; left; reflexivity]. }
  rewrite X. ring.
Qed.

Lemma real_sum_Q l : Q2R (fold_right Qplus 0%Q l) = real_sum l.
Proof. induction l as [| q l IH]; simpl; [apply RMicromega.Q2R_0 | rewrite Q2R_plus, IH; reflexivity]. Qed.

Lemma sums_to_1_sound l : sums_to_1 l = true -> (fold_right Qplus 0 l == 1)%Q.
Proof.
  unfold sums_to_1. intros H. apply Z.eqb_eq in H. assert (P := common_denominator_positive l).
  apply eqR_Qeq. rewrite real_sum_Q, RMicromega.Q2R_1. apply (f_equal IZR) in H.
  rewrite sum_over_value in H by (try assumption; intros q I; apply common_denominator_divides, I).
  apply IZR_lt in P. apply Rmult_eq_reg_r with (IZR (common_denominator l)); lra.
Qed.

(** ** Comparisons *)

Definition positive (q : Q) : bool := 0 <? Qnum q.

Definition at_least_0 (q : Q) : bool := 0 <=? Qnum q.

Definition less (p q : Q) : bool := Qnum p * Zpos (Qden q) <? Qnum q * Zpos (Qden p).

Definition at_most (p q : Q) : bool := Qnum p * Zpos (Qden q) <=? Qnum q * Zpos (Qden p).

Lemma positive_sound q : positive q = true -> (0 < q)%Q.
Proof. unfold positive, Qlt. simpl. intros H. apply Z.ltb_lt in H. lia. Qed.

Lemma less_sound p q : less p q = true <-> (Q2R p < Q2R q)%R.
Proof.
  unfold less. rewrite Z.ltb_lt. split; intros H; [apply Qlt_Rlt, H | apply Rlt_Qlt in H; exact H].
Qed.

Lemma at_most_sound p q : at_most p q = true <-> (Q2R p <= Q2R q)%R.
Proof.
  unfold at_most. rewrite Z.leb_le. split; intros H; [apply Qle_Rle, H | apply Rle_Qle in H; exact H].
Qed.

(** ** Tables and laws *)

Definition row_is_posed (messages : nat) (row : list (Q * list nat)) : bool :=
  forallb (fun o => positive (fst o) && forallb (fun m => Nat.ltb m messages) (snd o)) row && sums_to_1 (map fst row).

Definition table_is_posed (t : table) : bool :=
  match rows t with
  | [] => false
  | _ => forallb (row_is_posed (message_types t)) (rows t)
  end.

Lemma row_is_posed_sound messages row : row_is_posed messages row = true -> row_posed messages row.
Proof.
  unfold row_is_posed. intros H. apply andb_true_iff in H. destruct H as [H S]. rewrite forallb_forall in H.
  split; [| apply sums_to_1_sound, S]. intros o I. specialize (H o I). apply andb_true_iff in H. destruct H as [P M].
  split; [apply positive_sound, P |]. rewrite forallb_forall in M. intros m J. apply Nat.ltb_lt, M, J.
Qed.

Theorem table_is_posed_sound t : table_is_posed t = true -> table_posed t.
Proof.
  unfold table_is_posed, table_posed. destruct (rows t) as [| row rest]; [discriminate |].
  intros H. split; [discriminate |]. rewrite forallb_forall in H. intros r I. apply row_is_posed_sound, H, I.
Qed.

(** Ascending outcomes stand once. *)
Fixpoint ascending (l : list Z) : bool :=
  match l with
  | a :: (b :: _) as rest => (a <? b) && ascending rest
  | _ => true
  end.

Lemma ascending_once l : ascending l = true -> NoDup l.
Proof.
  assert (X : forall l a, ascending (a :: l) = true -> NoDup l /\ forall b, In b l -> a < b).
  { induction l0 as [| b m IH]; intros a H; [split; [constructor | intros b []] |].
    apply andb_true_iff in H. destruct H as [L H]. apply Z.ltb_lt in L. destruct (IH b H) as [N B]. split.
    - constructor; [intros I; specialize (B b I); lia | exact N].
    - intros c [<- | I]; [exact L | specialize (B c I); lia]. }
  destruct l as [| a l]; [constructor |]. intros H. destruct (X l a H) as [N B].
  constructor; [intros I; specialize (B a I); lia | exact N].
Qed.

Definition finite_is_posed (weights : list (Z * Q)) : bool :=
  ascending (map fst weights) && forallb (fun kq => positive (snd kq)) weights && sums_to_1 (map snd weights).

Theorem finite_is_posed_sound weights : finite_is_posed weights = true -> finite_posed weights.
Proof.
  unfold finite_is_posed. intros H. apply andb_true_iff in H. destruct H as [H S]. apply andb_true_iff in H.
  destruct H as [A P]. rewrite forallb_forall in P. split; [apply ascending_once, A |].
  split; [| apply sums_to_1_sound, S].
  intros kq I. apply positive_sound, P, I.
Qed.

(** A rational parameter that passes this test. *)
Definition rational_is (test : Q -> bool) (x : real) : bool :=
  match x with
  | Rational q => test q
  | _ => false
  end.

Lemma rational_is_number test x : rational_is test x = true -> exists q, x = Rational q /\ test q = true.
Proof. destruct x as [q | | | | | |]; try discriminate. exists q. auto. Qed.

Definition chance (q : Q) : bool := at_most 0 q && at_most q 1.

Definition chance_below_1 (q : Q) : bool := at_most 0 q && less q 1.

Definition noise_is_posed (nu : noise) : bool :=
  match nu with
  | Finite weights => finite_is_posed weights
  | View t histogram weights =>
      table_is_posed t && Nat.eqb (length histogram) (length (rows t)) && Nat.eqb (length weights) (message_types t) &&
      forallb (Z.leb 0) histogram
  | Binomial n p => (0 <=? n) && rational_is chance p
  | BinomialSum n1 p1 n2 p2 => (0 <=? n1) && rational_is chance p1 && ((0 <=? n2) && rational_is chance p2)
  | NegativeBinomial r p => rational_is (less 0) r && rational_is chance_below_1 p
  | Geometric p => rational_is chance_below_1 p
  | DiscreteLaplace e => rational_is (less 1) e
  | DiscreteGaussian s => less 0 s
  | Poisson mu => rational_is (at_most 0) mu
  | DiscreteUniform low high => low <=? high
  end.

Local Lemma zero : Q2R 0 = 0%R.
Proof. apply RMicromega.Q2R_0. Qed.

Local Lemma one : Q2R 1 = 1%R.
Proof. apply RMicromega.Q2R_1. Qed.

Ltac read_tests :=
  repeat match goal with
  | H : _ && _ = true |- _ => apply andb_true_iff in H; destruct H
  | H : rational_is _ ?x = true |- _ => apply rational_is_number in H; destruct H as [? [-> ?]]; simpl
  | H : chance _ = true |- _ => unfold chance in H
  | H : chance_below_1 _ = true |- _ => unfold chance_below_1 in H
  | H : less _ _ = true |- _ => apply less_sound in H; rewrite ?zero, ?one in H
  | H : at_most _ _ = true |- _ => apply at_most_sound in H; rewrite ?zero, ?one in H
  | H : (_ <=? _) = true |- _ => apply Z.leb_le in H
  end.

Theorem noise_is_posed_sound nu : noise_is_posed nu = true -> noise_posed nu.
Proof.
  destruct nu as [weights | t histogram weights | | | | | | | |]; simpl; intros H.
  - apply finite_is_posed_sound, H.
  - read_tests. rewrite forallb_forall in *. split; [apply table_is_posed_sound; assumption |].
    repeat split; try (apply Nat.eqb_eq; assumption). intros c I. apply Z.leb_le. auto.
  - read_tests. auto.
  - read_tests. auto.
  - read_tests. auto.
  - read_tests. auto.
  - read_tests. auto.
  - read_tests. assumption.
  - read_tests. auto.
  - read_tests. assumption.
Qed.

Definition family_is_posed (f : family) : bool :=
  match f with
  | KAry k E0 => (2 <=? k) && less 1 E0
  | UnaryEncoding d p q => (2 <=? d) && (less 0 q && less q p) && less p 1
  | SubsetSelection d w E0 => (1 <=? w) && negb (d <=? w) && less 1 E0
  | Hadamard d E0 => (2 <=? d) && less 1 E0
  | LocalHashing d g E0 => (2 <=? d) && (2 <=? g) && less 1 E0
  | ClippedLaplace top r => (1 <=? top) && (less 0 r && less r 1)
  end.

Theorem family_is_posed_sound f : family_is_posed f = true -> family_posed f.
Proof.
  destruct f; simpl; intros H; read_tests; repeat split; try assumption.
  match goal with X : negb _ = true |- _ => apply negb_true_iff in X; apply Z.leb_gt in X; exact X end.
Qed.

Definition randomizer_is_posed (r : randomizer) : bool :=
  match r with
  | Table t => table_is_posed t
  | Family f => family_is_posed f
  end.

Theorem randomizer_is_posed_sound r : randomizer_is_posed r = true -> randomizer_posed r.
Proof. destruct r; [apply table_is_posed_sound | apply family_is_posed_sound]. Qed.

Definition together_is_posed (of : list randomizer) : bool :=
  match of with [] => false | _ => forallb randomizer_is_posed of end.

Lemma together_is_posed_sound of : together_is_posed of = true -> together_posed of.
Proof.
  destruct of as [| r of]; [discriminate |]. cbn [together_is_posed]. rewrite forallb_forall. intros H.
  split; [discriminate |]. intros s I. apply randomizer_is_posed_sound, H, I.
Qed.

Definition level_is_posed (l : level) (delta : Q) : bool :=
  (match l with ExpEps E => at_most 1 E | Eps eps => at_most 0 eps end) && (at_most 0 delta && at_most delta 1).

Theorem level_is_posed_sound l delta : level_is_posed l delta = true -> level_posed l delta.
Proof.
  unfold level_is_posed, level_posed. intros H. destruct l; simpl; read_tests; repeat split; try assumption.
  rewrite <- exp_0. apply exp_le. assumption.
Qed.
