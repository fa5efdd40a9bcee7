(** Smoothness as it was printed: the window, and the converse.

    - [smooth_window_printed]: a ratio D(Y)/D(Y + k') below e^eps does not bound the mass of a window around
      Y by e^eps D(Y). The uniform law on {0, 1}, Y = 0, k' = 1 and e^eps = 3/2 are a counterexample: both
      masses are 1/2, and the windows [-1, 1] and [0, 1] have the mass 1.
    - [smooth_two_points]: for every law and all integers Y and k' <> 0 where D(Y + k') > 0, each event that
      holds Y and Y + k' has a larger probability than Y alone.
    - [smooth_converse_printed]: that Y and Y + 1 are (eps, delta)-close in both orders does not make the law
      of Y (eps, delta, 1)-smooth. For Bin(1, 1/3) and e^eps = 2 the least delta of closeness is 2/3; the
      ratio D(Y)/D(Y + 1) is at least 2 for all Y, with probability 1.

    (Source: Ghazi, Golowich, Kumar, Pagh, Velingker 2021, Definition 4.1; the counterexamples are this
    package's.) *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums masses smooth binomial.
Import ListNotations.
Open Scope R_scope.

(** ** The window *)

(** The uniform law on {0, 1}. *)
Definition uniform2 (y : Z) : R := if in_dec Z.eq_dec y [0; 1]%Z then 1 / 2 else 0.

Lemma uniform2_nonneg y : 0 <= uniform2 y.
Proof. unfold uniform2. destruct in_dec; lra. Qed.

Lemma uniform2_outside y : ~ In y [0; 1]%Z -> uniform2 y = 0.
Proof. intros H. unfold uniform2. destruct in_dec; [contradiction | reflexivity]. Qed.

Lemma uniform2_total : total [0; 1]%Z uniform2 = 1.
Proof. unfold uniform2. simpl. lra. Qed.

Lemma zero_one_distinct : NoDup [0; 1]%Z.
Proof. repeat constructor; simpl; lia. Qed.

Lemma uniform2_law : law uniform2.
Proof.
  apply (law_of_finite_support Z.eq_dec uniform2 [0; 1]%Z uniform2_nonneg zero_one_distinct uniform2_outside).
  exact uniform2_total.
Qed.

(** An event that holds 0 and 1 is certain. *)
Lemma uniform2_certain (T : Z -> Prop) : T 0%Z -> T 1%Z -> mass_of uniform2 T 1.
Proof.
  intros T0 T1. split.
  - intros s [l [N [_ ->]]]. apply law_finite; [exact uniform2_law | exact N].
  - intros b Hb. apply Hb. exists [0; 1]%Z. split; [exact zero_one_distinct |].
    split; [intros y [<- | [<- | []]]; assumption | symmetry; exact uniform2_total].
Qed.

Theorem smooth_window_printed :
  law uniform2 /\ 0 < uniform2 0 < 3 / 2 * uniform2 (0 + 1) /\
  mass_of uniform2 (fun y => (0 - 1 <= y <= 0 + 1)%Z) 1 /\
  mass_of uniform2 (fun y => (0 <= y <= 0 + 1)%Z) 1 /\
  3 / 2 * uniform2 0 < 1.
Proof.
  split; [exact uniform2_law |]. split; [unfold uniform2; simpl; lra |].
  split; [apply uniform2_certain; lia |]. split; [apply uniform2_certain; lia |].
  unfold uniform2. simpl. lra.
Qed.

Theorem smooth_two_points :
  uniform2 0 = 1 / 2 /\ uniform2 (0 + 1) = 1 / 2 /\
  forall (D : Z -> R) (y j : Z) (T : Z -> Prop) p,
  j <> 0%Z -> 0 < D (y + j)%Z -> T y -> T (y + j)%Z -> mass_of D T p -> D y < p.
Proof.
  split; [reflexivity |]. split; [reflexivity |]. intros D y j T p J H Ty Tj [U _].
  apply Rlt_le_trans with (total [y; y + j]%Z D); [simpl; lra |]. apply U.
  exists [y; y + j]%Z. split; [repeat constructor; simpl; lia |].
  split; [intros a [<- | [<- | []]]; assumption | reflexivity].
Qed.

(** ** The converse *)

(** Bin(1, 1/3). *)
Lemma one_flip y :
  binomial 1 (1 / 3) y = if Z.eq_dec y 0 then 2 / 3 else if Z.eq_dec y 1 then 1 / 3 else 0.
Proof.
  destruct (Z.eq_dec y 0) as [-> | N0]; [| destruct (Z.eq_dec y 1) as [-> | N1]].
  - change 0%Z with (Z.of_nat 0). rewrite binomial_of_nat, binom_inside, choose_0 by lia. simpl. lra.
  - change 1%Z with (Z.of_nat 1). rewrite binomial_of_nat, binom_inside, choose_n by lia. simpl. lra.
  - destruct (Z_lt_le_dec y 0); [apply binomial_negative; lia | apply binomial_above; lia].
Qed.

(** A sum over distinct integers of which only one counts. *)
Lemma total_one_point (l : list Z) a c :
  NoDup l -> 0 <= c -> total l (fun y => if Z.eq_dec a y then c else 0) <= c.
Proof.
  intros N H. destruct (in_dec Z.eq_dec a l) as [I | I].
  - rewrite (total_single Z.eq_dec l a c N I). lra.
  - rewrite (total_ext l _ (fun _ => 0)), total_zero; [exact H |].
    intros y Hy. destruct (Z.eq_dec a y) as [<- | _]; [contradiction | reflexivity].
Qed.

(** P is (E, c)-below Q if the excess is at most c and at one point only. *)
Lemma below_by_one_point (P Q : Z -> R) E a c :
  0 <= c -> (forall y, P y <= E * Q y + if Z.eq_dec a y then c else 0) -> mass_below P Q E c.
Proof.
  intros Hc H l N. apply Rle_trans with (total l (fun y => E * Q y + if Z.eq_dec a y then c else 0)).
  - apply total_le. intros y _. apply H.
  - rewrite total_plus, total_scal. apply Rplus_le_compat_l, total_one_point; assumption.
Qed.

Theorem smooth_converse_printed :
  let D := binomial 1 (1 / 3) in
  let moved := fun y => D (y - 1)%Z in
  law D /\ mass_below D moved 2 (2 / 3) /\ mass_below moved D 2 (2 / 3) /\
  (forall delta, delta < 2 / 3 -> ~ mass_below D moved 2 delta) /\
  (forall delta, delta < 1 -> ~ smooth D (ln 2) delta 1).
Proof.
  intros D moved. assert (V := one_flip). fold D in V.
  split; [apply binomial_law; lra |]. split; [| split; [| split]].
  - apply (below_by_one_point _ _ _ 0); [lra |]. intros y. unfold moved. rewrite !V.
    repeat destruct (Z.eq_dec _ _); try lra; lia.
  - apply (below_by_one_point _ _ _ 2); [lra |]. intros y. unfold moved. rewrite !V.
    repeat destruct (Z.eq_dec _ _); try lra; lia.
  - intros delta H B. specialize (B [0%Z] ltac:(repeat constructor; simpl; lia)).
    simpl in B. unfold moved in B. rewrite !V in B. simpl in B. lra.
  - intros delta H S. specialize (S 1%Z ltac:(lia) ltac:(lia) [0; 1]%Z).
    specialize (S ltac:(repeat constructor; simpl; lia)).
    assert (B : total [0; 1]%Z D <= delta).
    { apply S. intros y Hy. simpl Z.abs. rewrite Rmult_1_l, exp_ln by lra. rewrite !V.
      destruct Hy as [<- | [<- | []]]; simpl; lra. }
    simpl in B. rewrite !V in B. simpl in B. lra.
Qed.
