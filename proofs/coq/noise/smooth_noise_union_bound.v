(** The union bound of Lemma 2: how likely it is that the likelihood ratio of the outputs is large.

    Let D be an (eps, delta, k)-smooth law on the integers, f and g two answers in Z^m with
    norm_inf(f - g) <= k that differ, J the set of the coordinates where they do. For the output of
    f + noise, the probability that its likelihood ratio is e^(norm_1(f - g) eps) or more is at most
    abs(J) delta: for all real eps and delta and all m >= 1. (Lemma 2 follows with smooth_is_private.v, as
    it does by composition in smooth_noise_privacy.v.) That f and g differ is needed: if f = g, then J is empty and the
    ratio is 1 = e^0 with probability 1.

    Idea: call an output bad if the ratio of one of the coordinates in J is e^(abs(f_j - g_j) eps) or more.
    Every coordinate in J has a probability of at most delta for that, by smoothness. The ratio of an output
    is the product of those of its coordinates, and if it is not bad (and has a mass) this product is below
    that of the bounds. (Source: Ghazi, Golowich, Kumar, Pagh, Velingker 2021, section 4, with abs(J) delta
    in place of delta.) *)

From Coq Require Import Reals List ZArith Bool Lra Lia FinFun.
From Exactdp Require Import reals sums masses smooth product_laws smooth_is_private smooth_noise_privacy.
Import ListNotations.
Open Scope R_scope.

Section union_bound.

Variables (D : Z -> R) (eps delta : R) (k : Z).
Hypothesis D_law : law D.
Hypothesis D_smooth : smooth D eps delta k.

(** One coordinate moves from a to c and has a large ratio at the output b. *)
Definition bad_coordinate (a c b : Z) : bool :=
  if Z.eq_dec a c then false else Rleb (exp (IZR (Z.abs (a - c)) * eps) * D (b - c)%Z) (D (b - a)%Z).

(** One of the coordinates does. *)
Fixpoint bad (f g v : list Z) : bool :=
  match f, g, v with
  | a :: f', c :: g', b :: v' => bad_coordinate a c b || bad f' g' v'
  | _, _, _ => false
  end.

(** ** The bad outputs have at most the probability abs(J) delta *)

Lemma bad_coordinate_mass a c u :
  (Z.abs (a - c) <= k)%Z -> NoDup u ->
  total u (fun b => if bad_coordinate a c b then D (b - a)%Z else 0) <=
  (if Z.eq_dec a c then 0 else delta).
Proof.
  intros K N. rewrite <- total_filter, total_shift. unfold bad_coordinate.
  destruct (Z.eq_dec a c) as [E | E].
  - rewrite total_map, total_filter, total_zero. apply Rle_refl.
  - apply (D_smooth (a - c)%Z); [lia | exact K | |].
    + apply Injective_map_NoDup; [intros x y; lia | apply NoDup_filter, N].
    + intros y J. apply in_map_iff in J. destruct J as [b [<- J]]. apply filter_In in J.
      replace (b - a + (a - c))%Z with (b - c)%Z by ring. apply Rleb_true, J.
Qed.

(** One more coordinate: it is bad, or one of the others is. *)
Lemma bad_mass_step a c f g l d1 d2 :
  (forall u, NoDup u -> total u (fun b => if bad_coordinate a c b then D (b - a)%Z else 0) <= d1) ->
  (forall v, NoDup v -> total v (fun v => if bad f g v then noisy D f v else 0) <= d2) -> NoDup l ->
  total l (fun v => if bad (a :: f) (c :: g) v then noisy D (a :: f) v else 0) <= d1 + d2.
Proof.
  intros H1 H2 N. set (P1 := fun b => D (b - a)%Z).
  set (B1 := fun b => if bad_coordinate a c b then P1 b else 0).
  set (B2 := fun v => if bad f g v then noisy D f v else 0).
  assert (L1 : law P1) by (apply shifted_law, D_law).
  assert (L2 : law (noisy D f)) by (apply noisy_law, D_law).
  destruct (pull_back pair_cons l N) as [m [Nm [_ T]]]. rewrite T.
  2: { intros v Z. rewrite (noisy_zero_outside D a f v Z). destruct (bad _ _ v); reflexivity. }
  apply Rle_trans with (total m (fun x => pair_mass B1 (noisy D f) x + pair_mass P1 B2 x)).
  - apply total_le. intros [b v] _. unfold pair_mass, pair_cons, B1, B2. simpl. fold (P1 b).
    assert (0 <= P1 b * noisy D f v) by (apply Rmult_le_pos; [apply (proj1 L1) | apply (proj1 L2)]).
    destruct (bad_coordinate a c b), (bad f g v); simpl; lra.
  - apply total_pairs_le; try assumption.
    + intros b. unfold B1. destruct bad_coordinate; [apply (proj1 L1) | lra].
    + intros v. unfold B2. destruct bad; [apply (proj1 L2) | lra].
Qed.

Lemma bad_mass f g l :
  Forall2 (fun a c => (Z.abs (a - c) <= k)%Z) f g -> NoDup l ->
  total l (fun v => if bad f g v then noisy D f v else 0) <= INR (moved f g) * delta.
Proof.
  intros H. revert l. induction H as [| a c f g K H IH]; intros l N.
  - simpl. rewrite total_zero. lra.
  - replace (INR (moved (a :: f) (c :: g)) * delta)
      with ((if Z.eq_dec a c then 0 else delta) + INR (moved f g) * delta).
    + apply bad_mass_step; [| exact IH | exact N].
      intros u Nu. apply bad_coordinate_mass; assumption.
    + cbn [moved]. rewrite plus_INR. destruct (Z.eq_dec a c); simpl; ring.
Qed.

(** ** The other outputs have a smaller ratio *)

Lemma product_le p1 q1 p2 q2 : 0 < p1 -> 0 < p2 -> p1 <= q1 -> p2 <= q2 -> p1 * p2 <= q1 * q2.
Proof. intros. apply Rmult_le_compat; lra. Qed.

Lemma product_lt p1 q1 p2 q2 :
  0 < p1 -> 0 < p2 -> p1 <= q1 -> p2 <= q2 -> p1 < q1 \/ p2 < q2 -> p1 * p2 < q1 * q2.
Proof.
  intros H1 H2 L1 L2 [L | L].
  - apply Rlt_le_trans with (q1 * p2); [apply Rmult_lt_compat_r | apply Rmult_le_compat_l]; lra.
  - apply Rlt_le_trans with (p1 * q2); [apply Rmult_lt_compat_l | apply Rmult_le_compat_r]; lra.
Qed.

Lemma good_coordinate a c b :
  bad_coordinate a c b = false ->
  D (b - a)%Z <= exp (IZR (Z.abs (a - c)) * eps) * D (b - c)%Z /\
  (a <> c -> D (b - a)%Z < exp (IZR (Z.abs (a - c)) * eps) * D (b - c)%Z).
Proof.
  unfold bad_coordinate. destruct (Z.eq_dec a c) as [<- | N]; intros H.
  - rewrite Z.sub_diag. simpl. rewrite Rmult_0_l, exp_0. split; [lra | tauto].
  - unfold Rleb in H. destruct (Rle_dec _ _) as [L | L]; [discriminate | split; lra].
Qed.

Lemma positive_factors x y : 0 <= x -> 0 <= y -> 0 < x * y -> 0 < x /\ 0 < y.
Proof.
  intros [Hx | <-] [Hy | <-] H; rewrite ?Rmult_0_l, ?Rmult_0_r in H; lra.
Qed.

Lemma good_output f g v :
  length f = length g -> bad f g v = false -> 0 < noisy D f v ->
  noisy D f v <= exp (IZR (l1_distance f g) * eps) * noisy D g v /\
  (f <> g -> noisy D f v < exp (IZR (l1_distance f g) * eps) * noisy D g v).
Proof.
  revert g v. induction f as [| a f IH]; intros [| c g] [| b v] Len Good Pos; simpl in Len, Pos;
    try discriminate; try lra.
  - simpl. rewrite Rmult_0_l, exp_0. split; [lra | tauto].
  - cbn [bad] in Good. apply orb_false_elim in Good. destruct Good as [Good1 Good2].
    destruct (positive_factors _ _ (proj1 D_law _) (proj1 (noisy_law D f D_law) v) Pos) as [P1 P2].
    destruct (good_coordinate a c b Good1) as [A1 A2].
    destruct (IH g v (eq_add_S _ _ Len) Good2 P2) as [B1 B2].
    cbn [noisy l1_distance]. rewrite plus_IZR, Rmult_plus_distr_r, exp_plus.
    replace (exp (IZR (Z.abs (a - c)) * eps) * exp (IZR (l1_distance f g) * eps) *
             (D (b - c)%Z * noisy D g v))
      with (exp (IZR (Z.abs (a - c)) * eps) * D (b - c)%Z *
            (exp (IZR (l1_distance f g) * eps) * noisy D g v)) by ring.
    split; [apply product_le; assumption |]. intros N. apply product_lt; try assumption.
    destruct (Z.eq_dec a c) as [<- | M]; [right; apply B2; congruence | left; apply A2, M].
Qed.

Lemma same_length f g : Forall2 (fun a c => (Z.abs (a - c) <= k)%Z) f g -> length f = length g.
Proof. induction 1; simpl; congruence. Qed.

(** Ledger row lemma2-union. *)
Theorem lemma2_union f g r :
  Forall2 (fun a c => (Z.abs (a - c) <= k)%Z) f g -> f <> g ->
  mass_of (noisy D f) (large_ratio (noisy D f) (noisy D g) (exp (IZR (l1_distance f g) * eps))) r ->
  r <= INR (moved f g) * delta.
Proof.
  intros H N [_ Least]. apply Least. intros s [l [Nl [I ->]]].
  eapply Rle_trans; [| apply (bad_mass f g l H Nl)]. apply total_le. intros v Hv.
  destruct (bad f g v) eqn:Good; [apply Rle_refl |].
  apply Rnot_lt_le. intros Pos. specialize (I v Hv). unfold large_ratio in I.
  assert (S := proj2 (good_output f g v (same_length f g H) Good Pos) N). lra.
Qed.

End union_bound.

(** Where no coordinate moves, all outputs have the ratio 1 = e^0, and abs(J) delta is 0. *)
Lemma lemma2_union_no_move (D : Z -> R) (eps delta : R) f :
  law D ->
  mass_of (noisy D f) (large_ratio (noisy D f) (noisy D f) (exp (IZR (l1_distance f f) * eps))) 1 /\
  INR (moved f f) * delta = 0.
Proof.
  intros L. assert (d0 : l1_distance f f = 0%Z).
  { induction f as [| a f IH]; simpl; [reflexivity |]. rewrite IH. lia. }
  assert (m0 : moved f f = O) by (assert (B := moved_le_distance f f); lia). split.
  - apply (mass_of_ext _ (fun _ => True)); [| apply (proj2 (noisy_law D f L))].
    intros v. unfold large_ratio. rewrite d0, Rmult_0_l, exp_0. split; [lra | tauto].
  - rewrite m0. simpl. ring.
Qed.
