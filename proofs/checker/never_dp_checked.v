(** The claim [never_dp]: for no eps and no delta below a bound is the protocol private.

    PROVED is accepted for two neighbouring data sets, as histograms, if outcomes that the second one cannot show have
    together at least the probability [delta_below] under the first. The views are compared at an e^eps above the total
    of all weights: there an outcome counts only if the second data set does not show it.
    REFUTED is accepted if the sweep over all data sets finds the same probability below [delta_below] for every pair of
    neighbours: the protocol is then private at that e^eps, with the largest multiple of one over the total that is
    below. [check_never_dp_sound]: then the claim holds, or does not.

    Idea: what Q cannot show is lost at every e^eps, as one event shows (events.lost says it of the divergence).
    Source: exactdp/checker/privacy.py. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Permutation Bool.
From Exactdp Require Import sums laws privacy adding_a_user.
From ExactdpChecker Require Import claims witnesses kinds posed table_laws.
From ExactdpChecker Require Import views compared_views swept_views neighbor_histograms.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

(** The view of n users or fewer, over the total of n users. *)
Definition over_users (t : table) (keys : list Z) (n : nat) (xs : list nat) : listing :=
  moved (view_of (listings t keys) xs) (0, denominator t ^ Z.of_nat (n - length xs)).

(** P[Q = 0] times the total, if each outcome stands once and the comparison counted nothing that Q shows. *)
Definition lost_weight (whole : Z) (P Q : listing) : option Z :=
  let (lost, shown) := compared (whole + 1) 1 P Q in
  if once P Q && (shown =? 0) then Some lost else None.

Definition loses (t : table) (n : nat) (xs ys : list nat) (delta_below : Q) : bool :=
  let keys := packing t n in
  let whole := denominator t ^ Z.of_nat n in
  match lost_weight whole (over_users t keys n xs) (over_users t keys n ys) with
  | Some lost => Qnum delta_below * whole <=? lost * Zpos (Qden delta_below)
  | None => false
  end.

(** Every pair of neighbours loses less: at most the largest multiple of 1 / whole that is below. *)
Definition most_lost (whole : Z) (delta_below : Q) : Z := (Qnum delta_below * whole - 1) / Zpos (Qden delta_below).

Definition never_loses (t : table) (n : nat) (nb : neighboring) (delta_below : Q) : bool :=
  let whole := denominator t ^ Z.of_nat n in
  let most := most_lost whole delta_below in
  (0 <=? most) && swept t nb n (whole + 1) 1 most whole.

Definition check_never_dp (t : table) (n : Z) (nb : neighboring) (delta_below : Q) (proved : bool) (w : witness) :
  bool :=
  table_is_posed t && (1 <=? n) && (less 0 delta_below && at_most delta_below 1) &&
  match proved, w with
  | true, TwoDataSets h k Exactly =>
      Nat.eqb (length h) (length (rows t)) && neighbor_histograms nb n h k &&
      loses t (Z.to_nat n) (data_set h) (data_set k) delta_below
  | false, Simple Exactly => never_loses t (Z.to_nat n) nb delta_below
  | _, _ => false
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma over_users_listed t keys n xs :
  (length xs <= n)%nat ->
  lists keys (IZR (denominator t ^ Z.of_nat n)) (over_users t keys n xs) (messages (table_law t) xs).
Proof.
  intros L f. unfold over_users. rewrite moved_weighs. simpl fst. simpl snd.
  rewrite (weighs_ext IZR _ _ f) by (intros k; f_equal; ring). rewrite (view_listed t keys xs f), <- !pow_IZR.
  replace (IZR (denominator t) ^ n) with (IZR (denominator t) ^ (n - length xs) * IZR (denominator t) ^ length xs).
  - ring.
  - rewrite <- pow_add. f_equal. lia.
Qed.

(** One event that the second data set does not show, with this probability under the first. *)
Lemma loses_sound t n xs ys delta_below :
  (length xs <= n)%nat -> (length ys <= n)%nat -> loses t n xs ys delta_below = true ->
  exists T, symmetric T /\ Pr (messages (table_law t) ys) T = 0 /\
    Q2R delta_below <= Pr (messages (table_law t) xs) T.
Proof.
  intros LX LY. unfold loses, lost_weight. set (keys := packing t n).
  assert (D : (0 < denominator t ^ Z.of_nat n)%Z)
    by (apply Z.pow_pos_nonneg; [apply denominator_positive | lia]).
  assert (P := over_users_listed t keys n xs LX). assert (Q := over_users_listed t keys n ys LY).
  set (whole := (denominator t ^ Z.of_nat n)%Z) in *. set (p := over_users t keys n xs) in *.
  set (q := over_users t keys n ys) in *.
  destruct (compared (whole + 1) 1 p q) as [lost shown] eqn:C. destruct (once p q) eqn:O; [| discriminate].
  destruct (Z.eqb_spec shown 0) as [-> | N]; [| discriminate]. simpl andb. intros H. apply Z.leb_le, IZR_le in H.
  destruct (compared_event keys whole (whole + 1) 1 p q _ _ ltac:(lia) P Q O) as [T [S [A B]]].
  rewrite C in A, B. simpl in A, B. exists T. split; [exact S |]. apply IZR_lt in D.
  assert (Z : Pr (messages (table_law t) ys) T = 0).
  { apply Rmult_integral in B. destruct B as [B | B]; [exact B | lra]. }
  split; [exact Z |]. rewrite Z in A. rewrite !mult_IZR in H.
  assert (E : IZR lost = Pr (messages (table_law t) xs) T * IZR whole) by (rewrite <- A; ring).
  rewrite E in H. unfold Q2R. assert (0 < IZR (Zpos (Qden delta_below))) by (apply IZR_lt; lia).
  apply (Rmult_le_reg_r (IZR (Zpos (Qden delta_below)) * IZR whole)); [apply Rmult_lt_0_compat; assumption |].
  replace (IZR (Qnum delta_below) * / IZR (Z.pos (Qden delta_below)) * (IZR (Z.pos (Qden delta_below)) * IZR whole))
    with (IZR (Qnum delta_below) * IZR whole) by (field; lra).
  lra.
Qed.

Lemma never_loses_sound t n nb delta_below :
  table_posed t -> (1 <= n)%nat -> never_loses t n nb delta_below = true ->
  exists E delta, 1 <= E /\ delta < Q2R delta_below /\ private (table_law t) nb n E delta.
Proof.
  unfold never_loses. intros T N H. set (whole := (denominator t ^ Z.of_nat n)%Z) in *.
  assert (D : (0 < whole)%Z) by (apply Z.pow_pos_nonneg; [apply denominator_positive | lia]).
  set (most := most_lost whole delta_below) in *. apply andb_true_iff in H. destruct H as [M S]. apply Z.leb_le in M.
  assert (P := swept_private t n T N (whole + 1) 1 most whole ltac:(lia) M D nb S).
  eexists _, _. split; [| split; [| exact P]].
  - apply IZR_lt in D. rewrite plus_IZR. unfold Rdiv. rewrite Rinv_1. lra.
  - assert (L : (most * Zpos (Qden delta_below) < Qnum delta_below * whole)%Z).
    { unfold most, most_lost. assert (X :=
        Z.mul_div_le (Qnum delta_below * whole - 1) (Zpos (Qden delta_below)) ltac:(lia)).
      lia. }
    apply IZR_lt in L, D. rewrite !mult_IZR in L. unfold Q2R.
    assert (Z0 : 0 < IZR (Zpos (Qden delta_below))) by (apply IZR_lt; lia).
    apply (Rmult_lt_reg_r (IZR whole * IZR (Zpos (Qden delta_below)))); [apply Rmult_lt_0_compat; assumption |].
    replace (IZR most / IZR whole * (IZR whole * IZR (Z.pos (Qden delta_below))))
      with (IZR most * IZR (Z.pos (Qden delta_below))) by (field; lra).
    replace (IZR (Qnum delta_below) * / IZR (Z.pos (Qden delta_below)) * (IZR whole * IZR (Z.pos (Qden delta_below))))
      with (IZR (Qnum delta_below) * IZR whole) by (field; lra).
    exact L.
Qed.

Theorem check_never_dp_sound t n nb delta_below proved w :
  check_never_dp t n nb delta_below proved w = true -> sound (NeverDP t n nb delta_below) proved.
Proof.
  unfold check_never_dp, sound. intros H. apply andb_true_iff in H. destruct H as [H C].
  apply andb_true_iff in H. destruct H as [H DB]. apply andb_true_iff in H. destruct H as [T N].
  apply andb_true_iff in DB. destruct DB as [D0 D1]. apply table_is_posed_sound in T. apply Z.leb_le in N.
  apply less_sound in D0. apply at_most_sound in D1. rewrite RMicromega.Q2R_0 in D0. rewrite RMicromega.Q2R_1 in D1.
  split; [simpl; auto |].
  destruct proved, w as [[| |] | h k [| |] | | | | | | | | | | | | | | | | | | | | |]; try discriminate.
  2: { destruct (never_loses_sound t (Z.to_nat n) nb delta_below T ltac:(lia) C) as [E [delta [HE [HD P]]]].
    intros Never. apply (Never E delta HE HD P). }
  apply andb_true_iff in C. destruct C as [C L]. apply andb_true_iff in C. destruct C as [_ NH].
  assert (S := NH). apply neighbor_histograms_sound in S. destruct S as [zs [LZ S]].
  assert (X : (length (data_set h) <= Z.to_nat n)%nat /\ (length (data_set k) <= Z.to_nat n)%nat).
  { destruct nb; [destruct S as [x [y [A B]]] | destruct S as [x [[A B] | [A B]]]];
      apply Permutation_length in A, B; simpl in A, B; lia. }
  destruct (loses_sound t _ _ _ _ (proj1 X) (proj2 X) L) as [E [Sym [Z G]]].
  intros F delta HF Hd P. assert (B := neighbors_private _ _ _ _ _ F delta NH N ltac:(lra) P E Sym).
  rewrite Z in B. lra.
Qed.
