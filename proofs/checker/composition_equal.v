(** The programs of composition_program.v are those of losses_program.v, curve_program.v and composed_program.v.

    For integers a > b > 0 and curves that are not empty, [curve_losses] is losses_of_curve ([curve_losses_equal]),
    [times] and [power] are losses_times and losses_power for losses that are not negative and have a mass at least
    ([times_equal], [power_equal]), [powers] lists power_below ([powers_equal]), and [bound] is bound_above for a test
    that is right about the places where rho^j = E ([bound_equal], [is_power_right]). So what is proved of those holds
    for these, which pass over their lists once.

    Source: docs/certificates.md, "A privacy curve on a lattice composes". *)

From Coq Require Import ZArith Reals List Lia Lra Bool.
From Exactdp Require Import fixed_point integer_polynomials losses_program curve_program composed_program.
From ExactdpChecker Require Import kronecker composition_program.
Import ListNotations.
Open Scope Z_scope.

(** ** Curves *)

Section lattice.

Variables (bits : nat) (a b : Z).

Lemma bends_equal rest : forall before previous d,
  let curve := before ++ previous :: d :: rest in
  bends a b previous d rest = map (mass_above a b curve) (seq (S (length before)) (S (length rest))).
Proof.
  induction rest as [| next rest IH]; intros before previous d curve.
  - simpl. unfold mass_above, z_bend. simpl pred. f_equal. f_equal. f_equal.
    assert (E1 : entry curve (length before) = previous) by (unfold entry, curve; rewrite app_nth2, Nat.sub_diag by lia;
      reflexivity).
    assert (E2 : entry curve (S (length before)) = d).
    { unfold entry, curve. rewrite app_nth2 by lia. replace (S (length before) - length before)%nat with 1%nat by lia.
      reflexivity. }
    assert (E3 : entry curve (S (S (length before))) = d).
    { unfold entry. rewrite nth_overflow by (unfold curve; rewrite app_length; simpl; lia).
      unfold curve. change (before ++ [previous; d]) with (before ++ [previous] ++ [d]). rewrite app_assoc.
      apply last_last. }
    rewrite E1, E2, E3. lia.
  - simpl length. rewrite <- cons_seq. simpl bends. rewrite map_cons. f_equal.
    + unfold mass_above, z_bend. simpl pred. f_equal. f_equal.
      assert (E1 : entry curve (length before) = previous)
        by (unfold entry, curve; rewrite app_nth2, Nat.sub_diag by lia; reflexivity).
      assert (E2 : entry curve (S (length before)) = d).
      { unfold entry, curve. rewrite app_nth2 by lia. replace (S (length before) - length before)%nat with 1%nat by lia.
        reflexivity. }
      assert (E3 : entry curve (S (S (length before))) = next).
      { unfold entry, curve. rewrite app_nth2 by lia. replace (S (S (length before)) - length before)%nat with 2%nat
          by lia. reflexivity. }
      rewrite E1, E2, E3. reflexivity.
    + rewrite (IH (before ++ [previous]) d next). rewrite app_length. simpl length. rewrite Nat.add_1_r.
      unfold curve. rewrite <- app_assoc. reflexivity.
Qed.

Lemma mirrored_equal curve count : forall first after,
  mirrored bits a b (inverse_power bits a b first) (map (mass_above a b curve) (seq (S first) count)) after =
  rev (map (mass_below_0 bits a b curve) (seq (S first) count)) ++ after.
Proof.
  induction count as [| count IH]; intros first after; [reflexivity |]. rewrite <- !cons_seq, !map_cons.
  simpl mirrored. change (ceiling_div (inverse_power bits a b first * b) a) with (inverse_power bits a b (S first)).
  rewrite IH. simpl rev. rewrite <- app_assoc. reflexivity.
Qed.

Theorem curve_losses_equal curve : curve <> [] -> curve_losses bits a b curve = losses_of_curve bits a b curve.
Proof.
  destruct curve as [| d0 rest]; [congruence | intros _]. unfold curve_losses, losses_of_curve. simpl length.
  simpl pred.
  set (curve := d0 :: rest).
  assert (Above : (match rest with [] => [] | d :: later => bends a b d0 d later end) =
    map (mass_above a b curve) (seq 1 (length rest))).
  { destruct rest as [| d later]; [reflexivity |]. apply (bends_equal later []). }
  rewrite Above. rewrite map_length, seq_length. f_equal.
  rewrite (mirrored_equal curve (length rest) 0). unfold mass_at_0, z_zero. do 3 f_equal.
  assert (E0 : entry curve 0 = d0) by reflexivity. rewrite E0.
  replace (entry curve 1) with (match rest with [] => d0 | d :: _ => d end) by (destruct rest; reflexivity).
  reflexivity.
Qed.

Lemma powers_equal count : forall first,
  powers a b (power_below a b first) count = map (power_below a b) (seq first count).
Proof.
  induction count as [| count IH]; intros first; [reflexivity |]. simpl powers. rewrite <- cons_seq, map_cons.
  f_equal. apply (IH (S first)).
Qed.

(** ** Trimming *)

(** How many entries [without_small] leaves out. *)
Fixpoint small_ones (l : list Z) : nat :=
  match l with
  | m :: (_ :: _) as rest => if is_small m then S (small_ones rest) else O
  | _ => O
  end.

Lemma small_ones_below l : (small_ones l <= pred (length l))%nat.
Proof.
  induction l as [| m [| m' l] IH]; [simpl; lia | simpl; lia |].
  change (small_ones (m :: m' :: l)) with (if is_small m then S (small_ones (m' :: l)) else O).
  destruct (is_small m); simpl in *; lia.
Qed.

Lemma without_small_equal l : forall sum count,
  without_small l sum count =
  (skipn (small_ones l) l, sum + z_sum (firstn (small_ones l) l), (count + small_ones l)%nat).
Proof.
  induction l as [| m [| m' l] IH]; intros sum count; [simpl; f_equal; [f_equal; lia | lia] .. |].
  change (without_small (m :: m' :: l) sum count) with
    (if is_small m then without_small (m' :: l) (sum + m) (S count) else (m :: m' :: l, sum, count)).
  change (small_ones (m :: m' :: l)) with (if is_small m then S (small_ones (m' :: l)) else O).
  destruct (is_small m).
  - rewrite IH. change (z_sum (firstn (S ?n) (m :: ?l'))) with (m + z_sum (firstn n l')).
    f_equal; [f_equal |]; [simpl; lia | lia].
  - simpl. f_equal; [f_equal |]; lia.
Qed.

Lemma last_place_equal r : forall post, last_place (rev r ++ post) (length r) = (length r - small_ones r)%nat.
Proof.
  induction r as [| m [| m' r] IH]; intros post; [reflexivity | reflexivity |].
  change (small_ones (m :: m' :: r)) with (if is_small m then S (small_ones (m' :: r)) else O).
  change (length (m :: m' :: r)) with (S (length (m' :: r))). set (r' := m' :: r) in *.
  assert (N : nth (length r') (rev (m :: r') ++ post) 0 = m).
  { change (rev (m :: r')) with (rev r' ++ [m]). rewrite <- app_assoc, app_nth2 by (rewrite rev_length; lia).
    rewrite rev_length, Nat.sub_diag. reflexivity. }
  change (last_place (rev (m :: r') ++ post) (S (length r'))) with
    (if is_small (nth (length r') (rev (m :: r') ++ post) 0) then last_place (rev (m :: r') ++ post) (length r')
     else S (length r')).
  rewrite N. destruct (is_small m); [| lia]. change (rev (m :: r')) with (rev r' ++ [m]). rewrite <- app_assoc.
  rewrite (IH ([m] ++ post)). lia.
Qed.

Lemma first_place_equal l : forall before after,
  first_place (before ++ l ++ after) (length before) (pred (length l)) = (length before + small_ones l)%nat.
Proof.
  induction l as [| m [| m' l] IH]; intros before after; [simpl; lia | simpl; lia |].
  change (small_ones (m :: m' :: l)) with (if is_small m then S (small_ones (m' :: l)) else O).
  change (pred (length (m :: m' :: l))) with (S (pred (length (m' :: l)))). cbn [first_place].
  change (before ++ (m :: m' :: l) ++ after) with (before ++ m :: (m' :: l) ++ after).
  rewrite app_nth2, Nat.sub_diag by lia. simpl nth. destruct (is_small m); [| lia].
  specialize (IH (before ++ [m]) after). rewrite app_length, <- app_assoc in IH. simpl in IH.
  replace (S (length before)) with (length before + 1)%nat by lia. simpl. rewrite IH. lia.
Qed.

Lemma trimmed_equal l :
  let back := small_ones (rev l) in
  let last := (length l - back)%nat in
  trimmed l = (small_ones (firstn last l), last).
Proof.
  intros back last. unfold trimmed.
  assert (E : last_place l (length l) = last).
  { assert (X := last_place_equal (rev l) []). rewrite rev_involutive, app_nil_r, rev_length in X. exact X. }
  rewrite E. f_equal. assert (X := first_place_equal (firstn last l) [] (skipn last l)).
  rewrite firstn_skipn in X by lia. simpl in X. rewrite firstn_length_le in X by (unfold last; lia). exact X.
Qed.

(** ** Products *)

Definition filled (x : losses) : Prop := losses_nonneg x /\ masses x <> [].

Lemma losses_times_filled x y : filled x -> filled y -> filled (losses_times bits x y).
Proof.
  intros [HX NX] [HY NY]. split; [apply losses_times_nonneg; assumption |]. unfold losses_times.
  destruct (trimmed _) as [first last]. cbn [masses]. destruct (firstn (last - first) _); simpl; discriminate.
Qed.

Theorem times_equal x y : filled x -> filled y -> times bits x y = losses_times bits x y.
Proof.
  intros [[PX _] NX] [[PY _] NY]. unfold times, losses_times. rewrite product_of_value by assumption.
  rewrite !sum_of_value, !Z.add_0_l, reversed_map_value, app_nil_r.
  set (l := map (fun p => ceiling_div p (two bits)) (z_mul (masses x) (masses y))).
  rewrite trimmed_equal. set (back := small_ones (rev l)). rewrite !without_small_equal.
  fold back. rewrite skipn_rev, firstn_rev, rev_append_rev, rev_involutive, app_nil_r.
  set (last := (length l - back)%nat). cbv beta iota zeta. set (first := small_ones (firstn last l)).
  assert (S : forall r, z_sum (rev r) = z_sum r).
  { assert (App : forall u v, z_sum (u ++ v) = z_sum u + z_sum v).
    { induction u as [| m u IH]; intros v; [reflexivity |]. change (m + z_sum (u ++ v) = m + z_sum u + z_sum v).
      rewrite IH. lia. }
    induction r as [| m r IH]; [reflexivity |]. simpl rev. rewrite App, IH. unfold z_sum. simpl. lia. }
  rewrite S, !Z.add_0_l. assert (F := small_ones_below (firstn last l)). fold first in F.
  assert (L : (last <= length l)%nat) by (unfold last; lia). rewrite firstn_length_le in F by exact L.
  rewrite skipn_firstn_comm, firstn_firstn, Nat.min_l by lia. rewrite Nat.add_0_l. reflexivity.
Qed.

Theorem power_equal x k : filled x -> power bits x k = losses_power bits x k /\ filled (losses_power bits x k).
Proof.
  intros H. induction k as [k [E F] | k [E F] |]; simpl; [| | split; [reflexivity | exact H]].
  - rewrite E. assert (F2 := losses_times_filled _ _ F F). rewrite (times_equal _ _ F F), (times_equal _ _ F2 H).
    split; [reflexivity | apply losses_times_filled; assumption].
  - rewrite E, (times_equal _ _ F F). split; [reflexivity | apply losses_times_filled; assumption].
Qed.

(** ** The divergence *)

Variables (fine : nat) (X Y : Z).
Let number := X * two fine / Y.

Definition known_equal (j : Z) : bool :=
  negb (0 <? (two (2 * fine) - number * inverse_down a b fine (Z.to_nat j)) / two (2 * fine - 16)) &&
    is_power a b X Y j.

Lemma excesses_equal l : forall j sum, 1 <= j ->
  excesses a b (two (2 * fine)) (two (2 * fine - 16)) number X Y (inverse_down a b fine (Z.to_nat (j - 1))) j l sum =
  sum + sum_above (excess_above a b fine number known_equal) j l.
Proof.
  induction l as [| m l IH]; intros j sum Hj; [simpl; lia |]. simpl sum_above. cbn [excesses].
  assert (N : inverse_down a b fine (Z.to_nat (j - 1)) * b / a = inverse_down a b fine (Z.to_nat j)).
  { replace (Z.to_nat j) with (S (Z.to_nat (j - 1))) by lia. reflexivity. }
  specialize (IH (j + 1)). rewrite Z.add_simpl_r in IH. rewrite N, IH by lia. unfold excess_above at 2.
  rewrite (proj2 (Z.leb_le 1 j) Hj). unfold known_equal. set (e := two (2 * fine) - number * _).
  destruct (Z.leb_spec e 0) as [E | E]; destruct (0 <? e / two (2 * fine - 16)); destruct (is_power a b X Y j);
    cbn [andb orb negb]; rewrite ?(Z.max_r 0 e), ?(Z.max_l 0 e) by lia; lia.
Qed.

Lemma lowered_equal steps : forall first,
  lowered a b (inverse_down a b fine first) steps = inverse_down a b fine (first + steps).
Proof.
  induction steps as [| n IH]; intros first; [rewrite Nat.add_0_r; reflexivity |]. cbn [lowered].
  change (inverse_down a b fine first * b / a) with (inverse_down a b fine (S first)). rewrite IH. f_equal. lia.
Qed.

Lemma sum_above_skipped excess l : forall j, (forall i, i <= 0 -> excess i = 0) ->
  sum_above excess j l = sum_above excess (Z.max 1 j) (skipn (Z.to_nat (Z.max 1 j - j)) l).
Proof.
  induction l as [| m l IH]; intros j Z0; [rewrite skipn_nil; reflexivity |].
  destruct (Z_le_gt_dec 1 j) as [L | L].
  - rewrite Z.max_r by lia. replace (Z.to_nat (j - j)) with O by lia. reflexivity.
  - rewrite Z.max_l by lia. replace (Z.to_nat (1 - j)) with (S (Z.to_nat (1 - (j + 1)))) by lia.
    cbn [sum_above skipn]. rewrite Z0, IH by (assumption || lia). rewrite Z.max_l by lia. lia.
Qed.

Definition divergence_bound (x : losses) : Z :=
  let start := Z.max 1 (low x) in
  excesses a b (two (2 * fine)) (two (2 * fine - 16)) number X Y (lowered a b (two fine) (Z.to_nat (start - 1))) start
    (skipn (Z.to_nat (start - low x)) (masses x)) (at_infinity x * two (2 * fine)).

Lemma divergence_bound_equal x : divergence_bound x = bound_above a b fine number known_equal x.
Proof.
  unfold divergence_bound, bound_above. change (two fine) with (inverse_down a b fine 0). rewrite lowered_equal.
  simpl Nat.add. rewrite excesses_equal by lia. f_equal. symmetry. apply sum_above_skipped.
  intros i Hi. unfold excess_above. rewrite (proj2 (Z.leb_gt 1 i)) by lia. reflexivity.
Qed.

End lattice.

Lemma bound_equal a b fine X Y x :
  bound a b fine X Y x = divergence_bound a b fine (X / Z.gcd X Y) (Y / Z.gcd X Y) x.
Proof. reflexivity. Qed.

Open Scope R_scope.

Theorem is_power_right a b X Y j :
  (0 < b)%Z -> (b < a)%Z -> (0 < Y)%Z -> (0 <= j)%Z -> is_power a b X Y j = true ->
  powerRZ (IZR a / IZR b) j = IZR X / IZR Y.
Proof.
  intros Hb Ha HY Hj H. unfold is_power in H. destruct (_ && _); [| discriminate]. apply Z.eqb_eq in H.
  apply (f_equal IZR) in H. rewrite !mult_IZR in H. replace j with (Z.of_nat (Z.to_nat j)) in * by lia.
  rewrite <- !pow_IZR in H. rewrite <- pow_powerRZ. set (n := Z.to_nat j) in *.
  assert (B := IZR_lt _ _ Hb). assert (Y' := IZR_lt _ _ HY). assert (Bn : IZR b ^ n <> 0) by (apply pow_nonzero; lra).
  unfold Rdiv at 1. rewrite Rpow_mult_distr, pow_inv. apply Rmult_eq_reg_r with (IZR b ^ n * IZR Y).
  - replace (IZR a ^ n * / IZR b ^ n * (IZR b ^ n * IZR Y)) with (IZR Y * IZR a ^ n) by (field; exact Bn).
    rewrite <- H. field. lra.
  - apply Rmult_integral_contrapositive. split; lra.
Qed.
