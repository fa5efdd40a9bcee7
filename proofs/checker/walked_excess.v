(** The least delta of many users by a fair walk, from both sides: the program.

    Two telling messages of equal chances make the users who send them a fair walk, and the least delta the mean of its
    excess over a barrier (telling_walk.v of proofs/coq). [walked] bounds it from above where the remaining messages of
    the others have one value, and from below where they have two ([walked_sound]): for any number of users, and
    rational chances and values. [sweep] goes once over a window of the number of steps: with the chance of the place
    where the walk meets its barrier, and that of all places beyond, it has the excess, and both lead on to one step
    more and to the next place. Barriers are rounded to multiples of 2^-D, and chances outward to multiples of 2^-bits.

    Of the two values of the remaining messages the sums that lie far to either side of their mean, each at most half of
    all, count as two values ([moved]). Source: this package. *)

From Coq Require Import ZArith QArith Qreals Qround Reals List Lra Lia Bool.
From Exactdp Require Import sums laws binomial mean_excess telling_walk least_values.
From ExactdpChecker Require Import claims windows binomial_window means_by_window family_blanket.
Import ListNotations.
Open Scope Z_scope.

Definition rounded_up (a d : Z) : Z := - (- a / d).

(** In units of 2^-B: the chance of a place of the walk, and of all from it on. *)
Record walk : Type := { place : Z; at_low : Z; at_high : Z; beyond_low : Z; beyond_high : Z }.

Definition one_step_more (t : Z) (w : walk) : walk :=
  let half := 2 * (t + 1 - place w) in
  let low := at_low w / half in
  let high := rounded_up (at_high w) half in
  {| place := place w; at_low := low * (t + 1); at_high := high * (t + 1);
     beyond_low := beyond_low w + low * place w; beyond_high := beyond_high w + high * place w |}.

Definition one_place_more (t : Z) (w : walk) : walk :=
  {| place := place w + 1; at_low := at_low w * (t - place w) / (place w + 1);
     at_high := rounded_up (at_high w * (t - place w)) (place w + 1);
     beyond_low := beyond_low w - at_high w; beyond_high := beyond_high w - at_low w |}.

(** With a window of the law of t fair coins. *)
Definition first_walk (bits : Z) (v : window) (j : Z) : walk :=
  let scaled_low a := a * 2 ^ bits / weight_above v in
  let scaled_high a := rounded_up (a * 2 ^ bits) (weight_below v) in
  let here i := if i =? j then 1 else 0 in
  let beyond i := if j <=? i then 1 else 0 in
  {| place := j;
     at_low := scaled_low (weigh fst (cells v) (first v) here);
     at_high := scaled_high (weigh snd (cells v) (first v) here + outside v);
     beyond_low := scaled_low (weigh fst (cells v) (first v) beyond);
     beyond_high := scaled_high (weigh snd (cells v) (first v) beyond + outside v) |}.

(** The sum over the cells, whose places are the numbers of steps, of the excess over (x + t dx) / 2^D, in units of
    2^-(B + D), from above or from below. *)
Fixpoint sweep (above : bool) (D x dx : Z) (cells : list (Z * Z)) (t : Z) (w : walk) (sum : Z) : option Z :=
  match cells with
  | [] => Some sum
  | (l, h) :: rest =>
      let j := place w in
      let barrier := x + t * dx in
      if (1 <=? j) && (j <=? t) && (0 <=? barrier) && ((2 * j - 2 - t) * 2 ^ D <=? barrier) &&
         (barrier <=? (2 * j - t) * 2 ^ D) then
        let more := one_step_more t w in
        let next := if 2 * j * 2 ^ D <? barrier + dx + (t + 1) * 2 ^ D then one_place_more (t + 1) more else more in
        let term :=
          if above then h * (j * (at_high w * 2 ^ D) - barrier * beyond_low w)
          else l * Z.max 0 (j * (at_low w * 2 ^ D) - barrier * beyond_high w) in
        sweep above D x dx rest (t + 1) next (sum + term)
      else None
  end.

(** The cells from the first place on at which the barrier can be exceeded. *)
Fixpoint within_reach (D x dx : Z) (cells : list (Z * Z)) (t : Z) : list (Z * Z) * Z :=
  match cells with
  | [] => ([], t)
  | _ :: rest => if t * 2 ^ D <=? x + t * dx then within_reach D x dx rest (t + 1) else (cells, t)
  end.

Definition swept (above : bool) (bits D x dx : Z) (v : window) : option Z :=
  let (reached, t) := within_reach D x dx (cells v) (first v) in
  match binomial_window (Z.to_nat bits) t (Rational (1 # 2)) with
  | Some u =>
      if (0 <=? first u) && (0 <? weight_below u) then
        sweep above D x dx reached t (first_walk bits u (rounded_up (x + t * dx + t * 2 ^ D) (2 * 2 ^ D))) 0
      else None
  | None => None
  end.

(** ** Both ends *)

(** Of an instance: the number of users, the probability of each telling message, their values, the mean of those of
  the
    others' remaining messages, and the two values that these have: a share lies above the rest, by this rise. *)
Record telling : Type := { users : Z; chance : Q; high_value : Q; low_value : Q; rest_value : Q; share : Q; rise : Q
  }.

Definition apart (s : telling) : Q := Qred (high_value s - low_value s).
Definition slope (s : telling) : Q := Qred ((2 * rest_value s - apart s - 2 * low_value s) / apart s).
Definition start (s : telling) : Q := Qred (- (2 * inject_Z (users s) * rest_value s) / apart s).

Definition is_good (s : telling) : bool :=
  (1 <=? users s) && negb (Qle_bool (chance s) 0) && negb (Qle_bool (1 # 2) (chance s)) && negb (Qle_bool (apart s)
    0) &&
  Qle_bool 0 (share s) && Qle_bool (share s) 1 && Qle_bool 0 (rise s).

(** How far a number of successes lies above the mean of m, times the bottom of the chance. *)
Definition above_mean (m : Z) (h : Q) (c : Z) : Z := c * Zpos (Qden h) - m * Qnum h.

(** The numbers that lie far above the mean, or below, and whether they are at most half of all. *)
Definition is_far (m : Z) (h : Q) (sign c : Z) : bool := Zpos (Qden h) <=? sign * above_mean m h c.

Definition is_half (kinds : window) (m : Z) (h : Q) (sign : Z) : bool :=
  2 * (weigh snd (cells kinds) (first kinds) (fun c => if is_far m h sign c then 1 else 0) + outside kinds) <=?
  weight_below kinds.

(** By how much they move the mean, to either side, at least. *)
Definition moved (kinds : window) (m : Z) (h : Q) : Q :=
  let side sign :=
    if is_half kinds m h sign
    then weigh fst (cells kinds) (first kinds) (fun c => if is_far m h sign c then sign * above_mean m h c else 0)
      else 0 in
  inject_Z (Z.min (side 1) (side (- 1))) / inject_Z (Zpos (Qden h) * weight_above kinds).

(** n times the least delta where the rest has one value is at most the one number, and where it has two at least the
    other. *)
Definition walked (window_bits bits D : Z) (s : telling) : option (Q * Q) :=
  let n := users s in
  match binomial_window (Z.to_nat window_bits) n (Rational (Qred (2 * chance s))) with
  | Some v =>
      let m := n - last_place v in
      match binomial_window (Z.to_nat window_bits) m (Rational (share s)) with
      | Some kinds =>
          let x := Qfloor (start s * inject_Z (2 ^ D)) in
          let dx := Qfloor (slope s * inject_Z (2 ^ D)) in
          let d := Qfloor (4 * rise s / apart s * moved kinds m (share s) * inject_Z (2 ^ D)) in
          let per below := (apart s / 2 / inject_Z (2 ^ (bits + D) * below))%Q in
          if is_good s && (0 <=? window_bits) && (0 <=? bits) && (0 <=? D) && (0 <=? first v) && (0 <=? m) && (m <=?
            n) &&
             (0 <=? first kinds) && (0 <? weight_below v) && (0 <=? x) && (0 <=? dx) && (0 <=? d) then
            match swept true bits D x dx v, swept false bits D (x + n + 1 - d) dx v, swept false bits D (x + n + 1 +
              d) dx v with
            | Some most, Some nearer, Some farther =>
                Some (per (weight_below v) * inject_Z (most + outside v * (n * 2 ^ (bits + D))),
                  per (weight_above v) * (inject_Z (nearer + farther) / 2))%Q
            | _, _, _ => None
            end
          else None
      | None => None
      end
  | None => None
  end.

Open Scope R_scope.

(** ** Soundness *)

(** *** Walks *)

Lemma floor_part a d : (0 < d)%Z -> IZR (a / d) * IZR d <= IZR a.
Proof. intros D. rewrite <- mult_IZR. apply IZR_le. rewrite Z.mul_comm. apply Z.mul_div_le, D. Qed.

Lemma ceiling_part a d : (0 < d)%Z -> IZR a <= IZR (rounded_up a d) * IZR d.
Proof. intros D. assert (H := floor_part (- a) d D). unfold rounded_up. rewrite opp_IZR in *. lra. Qed.

Lemma floor_at_most a d x y : (0 < d)%Z -> IZR a <= x -> x <= y * IZR d -> IZR (a / d) <= y.
Proof.
  intros D A X. assert (H := floor_part a d D). apply IZR_lt in D. apply Rmult_le_reg_r with (IZR d); lra.
Qed.

Lemma ceiling_at_least a d x y : (0 < d)%Z -> x <= IZR a -> y * IZR d <= x -> y <= IZR (rounded_up a d).
Proof.
  intros D A X. assert (H := ceiling_part a d D). apply IZR_lt in D. apply Rmult_le_reg_r with (IZR d); lra.
Qed.

Section Walks.

Context (bits D x dx : Z).
Hypothesis bits_nonneg : (0 <= bits)%Z.
Hypothesis D_nonneg : (0 <= D)%Z.

Let U := IZR (2 ^ bits).
Let V := IZR (2 ^ D).

Lemma U_pos : 0 < U.
Proof. apply IZR_lt, Z.pow_pos_nonneg; lia. Qed.

Lemma V_pos : 0 < V.
Proof. apply IZR_lt, Z.pow_pos_nonneg; lia. Qed.

Definition is_walk (w : walk) (t : nat) : Prop :=
  let j := Z.to_nat (place w) in
  (0 <= place w)%Z /\ IZR (at_low w) <= U * at_place t j <= IZR (at_high w) /\
  IZR (beyond_low w) <= U * beyond_place t j <= IZR (beyond_high w).

Lemma one_step_more_sound w t :
  is_walk w t -> (1 <= place w <= Z.of_nat t)%Z -> is_walk (one_step_more (Z.of_nat t) w) (S t).
Proof.
  intros [_ [A B]] J. set (j := Z.to_nat (place w)) in *. assert (Jt : (1 <= j <= t)%nat) by (unfold j; lia).
  assert (JR : IZR (place w) = INR j) by (unfold j; rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
  assert (Half : IZR (2 * (Z.of_nat t + 1 - place w)) = 2 * (INR t + 1 - INR j)).
  { rewrite mult_IZR, minus_IZR, plus_IZR, JR, <- INR_IZR_INZ. reflexivity. }
  assert (L := le_INR _ _ (proj2 Jt)). assert (P := pos_INR j). assert (Pt := pos_INR t).
  set (q := at_place t j / (2 * (INR t + 1 - INR j))).
  assert (Q : at_place t j = q * (2 * (INR t + 1 - INR j))) by (unfold q; field; lra).
  assert (M := at_more t j q (proj2 Jt) Q). assert (M' := beyond_more t j q Jt Q).
  assert (Low : IZR (at_low w / (2 * (Z.of_nat t + 1 - place w))) <= U * q).
  { apply (floor_at_most _ _ (U * at_place t j)); [lia | apply A |]. rewrite Half, Q. right. ring. }
  assert (High : U * q <= IZR (rounded_up (at_high w) (2 * (Z.of_nat t + 1 - place w)))).
  { apply (ceiling_at_least _ _ (U * at_place t j)); [lia | apply A |]. rewrite Half, Q. right. ring. }
  unfold is_walk, one_step_more. cbn [place at_low at_high beyond_low beyond_high]. fold j.
  split; [lia |]. rewrite M, M', !plus_IZR, !mult_IZR, !plus_IZR, JR, <- INR_IZR_INZ.
  apply (Rmult_le_compat_r (INR t + 1)) in Low as Low1; [| lra]. apply (Rmult_le_compat_r (INR t + 1)) in High as
    High1; [| lra].
  apply (Rmult_le_compat_r (INR j)) in Low; [| exact P]. apply (Rmult_le_compat_r (INR j)) in High; [| exact P].
  split; split; lra.
Qed.

Lemma one_place_more_sound w t :
  is_walk w t -> (place w <= Z.of_nat t)%Z -> is_walk (one_place_more (Z.of_nat t) w) t.
Proof.
  intros [J0 [A B]] J. set (j := Z.to_nat (place w)) in *.
  assert (JR : IZR (place w) = INR j) by (unfold j; rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
  assert (L : INR j <= INR t) by (apply le_INR; unfold j; lia). assert (P := pos_INR j).
  assert (N := at_next t j). assert (N' := beyond_next t j).
  unfold is_walk, one_place_more. cbn [place at_low at_high beyond_low beyond_high].
  replace (Z.to_nat (place w + 1)) with (S j) by (unfold j; lia). split; [lia |].
  assert (T : forall a, IZR (a * (Z.of_nat t - place w)) = IZR a * (INR t - INR j)).
  { intros a. rewrite mult_IZR, minus_IZR, JR, <- INR_IZR_INZ. reflexivity. }
  assert (J1 : IZR (place w + 1) = INR j + 1) by (rewrite plus_IZR, JR; reflexivity).
  split; split.
  - apply (floor_at_most _ _ (U * at_place t j * (INR t - INR j))); [lia | rewrite T; apply Rmult_le_compat_r; lra |].
    rewrite J1, !Rmult_assoc, N. right. ring.
  - apply (ceiling_at_least _ _ (U * at_place t j * (INR t - INR j))); [lia | rewrite T; apply Rmult_le_compat_r; lra
    |].
    rewrite J1, !Rmult_assoc, N. right. ring.
  - rewrite minus_IZR, N'. lra.
  - rewrite minus_IZR, N'. lra.
Qed.

Definition excess_at (t : nat) : R := walk_excess t (IZR (x + Z.of_nat t * dx) / V).

Lemma excess_at_nonneg t : 0 <= excess_at t.
Proof. apply walk_excess_nonneg. Qed.

Lemma term_sound w t :
  let j := place w in let barrier := (x + Z.of_nat t * dx)%Z in
  is_walk w t -> (0 <= barrier)%Z ->
  (IZR (Z.max 0 (j * (at_low w * 2 ^ D) - barrier * beyond_high w)) <= U * V * excess_at t) /\
  (((2 * j - 2 - Z.of_nat t) * 2 ^ D <= barrier <= (2 * j - Z.of_nat t) * 2 ^ D)%Z ->
   U * V * excess_at t <= IZR (j * (at_high w * 2 ^ D) - barrier * beyond_low w)).
Proof.
  intros j barrier [J0 [A B]] X0. set (i := Z.to_nat (place w)) in *. unfold excess_at. fold barrier.
  clearbody barrier. subst j.
  assert (JR : IZR (place w) = INR i) by (unfold i; rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
  assert (UP := U_pos). assert (VP := V_pos). assert (IP := pos_INR i).
  assert (Xp : 0 <= IZR barrier) by (apply IZR_le, X0).
  assert (S : U * V * walk_sum t i (IZR barrier / V) =
    INR i * (U * at_place t i * V) - IZR barrier * (U * beyond_place t i)) by (unfold walk_sum; field; lra).
  split.
  - apply Z.max_case; [apply Rmult_le_pos; [left; apply Rmult_lt_0_compat; assumption | apply walk_excess_nonneg] |].
    apply Rle_trans with (U * V * walk_sum t i (IZR barrier / V)).
    + rewrite S, minus_IZR, !mult_IZR, JR. fold V. apply Rplus_le_compat.
      * apply Rmult_le_compat_l; [exact IP |]. apply Rmult_le_compat_r; lra.
      * apply Ropp_le_contravar, Rmult_le_compat_l; [exact Xp |]. apply B.
    + apply Rmult_le_compat_l; [left; apply Rmult_lt_0_compat; assumption | apply walk_excess_at_least].
  - intros [X1 X2]. apply IZR_le in X1, X2. rewrite mult_IZR, !minus_IZR, mult_IZR, JR, <- INR_IZR_INZ in X1. rewrite
    mult_IZR, minus_IZR, mult_IZR, JR, <- INR_IZR_INZ in X2.
    fold V in X1, X2.
    rewrite (walk_excess_at t i).
    + rewrite S, minus_IZR, !mult_IZR, JR. fold V. apply Rplus_le_compat.
      * apply Rmult_le_compat_l; [exact IP |]. apply Rmult_le_compat_r; lra.
      * apply Ropp_le_contravar, Rmult_le_compat_l; [exact Xp |]. apply B.
    + split; apply Rmult_le_reg_r with V; try exact VP; unfold Rdiv; rewrite (Rmult_assoc (IZR barrier)), Rinv_l,
      Rmult_1_r by lra; lra.
Qed.

Lemma sweep_sound above cells : forall t w sum total,
  nonneg_cells cells -> (cells <> [] -> (1 <= place w)%Z -> is_walk w t) ->
  sweep above D x dx cells (Z.of_nat t) w sum = Some total ->
  if above then IZR sum + U * V * over_cells snd cells t excess_at <= IZR total
  else IZR total <= IZR sum + U * V * over_cells fst cells t excess_at.
Proof.
  induction cells as [| [l h] cells IH]; intros t w sum total N W H.
  - injection H as <-. destruct above; simpl; lra.
  - inversion_clear N as [| ? ? [Hl Hh] N']. cbn [fst snd] in Hl, Hh. specialize (W ltac:(discriminate)).
    cbn [sweep] in H. destruct (_ && _) eqn:G; [| discriminate].
    repeat (apply andb_true_iff in G; destruct G as [G ?]).
    repeat match goal with X : (_ <=? _)%Z = true |- _ => apply Z.leb_le in X end.
    specialize (W G). destruct (term_sound w t W ltac:(assumption)) as [Low High].
    specialize (High ltac:(split; assumption)).
    assert (M := one_step_more_sound w t W ltac:(lia)).
    replace (Z.of_nat t + 1)%Z with (Z.of_nat (S t)) in H by lia.
    assert (Next : cells <> [] -> forall w', w' = (if (2 * place w * 2 ^ D <? x + Z.of_nat t * dx + dx + Z.of_nat (S
      t) * 2 ^ D)%Z
      then one_place_more (Z.of_nat (S t)) (one_step_more (Z.of_nat t) w) else one_step_more (Z.of_nat t) w) ->
      (1 <= place w')%Z -> is_walk w' (S t)).
    { intros _ w' -> _. destruct (_ <? _)%Z; [| exact M]. apply one_place_more_sound; [exact M |].
      cbn [one_step_more place]. lia. }
    apply IH in H; [| exact N' | intros C; apply (Next C _ eq_refl)]. cbn [over_cells fst snd].
    apply IZR_le in Hl, Hh. assert (E := excess_at_nonneg t).
    destruct above; rewrite plus_IZR, mult_IZR in H.
    + apply (Rmult_le_compat_l _ _ _ Hh) in High. lra.
    + apply (Rmult_le_compat_l _ _ _ Hl) in Low. lra.
Qed.

Lemma within_reach_sound side cells : forall t cells' t',
  within_reach D x dx cells (Z.of_nat t) = (cells', t') ->
  (0 <= t')%Z /\ incl cells' cells /\ over_cells side cells t excess_at = over_cells side cells' (Z.to_nat t')
    excess_at.
Proof.
  induction cells as [| c cells IH]; intros t cells' t' H.
  - injection H as <- <-. split; [lia | split; [apply incl_refl | reflexivity]].
  - cbn [within_reach] in H. destruct (Z.leb_spec (Z.of_nat t * 2 ^ D) (x + Z.of_nat t * dx)) as [L | G].
    + replace (Z.of_nat t + 1)%Z with (Z.of_nat (S t)) in H by lia. apply IH in H. destruct H as [A [B C]].
      split; [exact A | split; [apply incl_tl, B |]]. cbn [over_cells]. rewrite C. unfold excess_at at 1.
      rewrite walk_excess_none; [ring |]. apply IZR_le in L. rewrite mult_IZR, <- INR_IZR_INZ in L. fold V in L.
      assert (VP := V_pos). apply Rmult_le_reg_r with V; [exact VP |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l,
        Rmult_1_r by lra. exact L.
    + injection H as <- <-. split; [lia | split; [apply incl_refl |]]. rewrite Nat2Z.id. reflexivity.
Qed.

Lemma first_walk_sound u t j :
  (exists c, encloses u (binomial t (/ 2)) c) -> (0 <= first u)%Z -> (0 < weight_below u)%Z -> (0 <= j)%Z ->
  is_walk (first_walk bits u j) t.
Proof.
  intros [c E] F W J. assert (H2 : 0 <= / 2 <= 1) by lra.
  assert (B := unit_below_weight t (/ 2) c u H2 E F). assert (C := unit_pos t (/ 2) c u E).
  apply IZR_lt in W. assert (UP := U_pos).
  assert (X : forall g m, (forall i, 0 <= g i <= 1)%Z -> mean (flips t (/ 2)) (fun a => IZR (g (Z.of_nat a))) = m ->
    0 <= m ->
    IZR (weigh fst (cells u) (first u) g * 2 ^ bits / weight_above u) <= U * m <=
    IZR (rounded_up ((weigh snd (cells u) (first u) g + outside u) * 2 ^ bits) (weight_below u))).
  { intros g m G M M0. assert (L := weigh_low t (/ 2) c u H2 E F g (fun i => proj1 (G i))).
    assert (H := weigh_high t (/ 2) c u H2 E F g G). rewrite M in L, H. split.
    - apply (floor_at_most _ _ (c * m * U)); [apply lt_IZR; lra | rewrite mult_IZR; apply Rmult_le_compat_r; [left;
      exact UP | exact L] |].
      replace (c * m * U) with (U * m * c) by ring. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | apply B].
    - apply (ceiling_at_least _ _ (c * m * U)); [apply lt_IZR; lra | rewrite mult_IZR; apply Rmult_le_compat_r;
      [left; exact UP | exact H] |].
      replace (c * m * U) with (U * m * c) by ring. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | apply B]. }
  assert (Beyond : forall k, mean (flips t (/ 2)) (fun a => IZR (if (Z.of_nat k <=? Z.of_nat a)%Z then 1 else 0)) =
    beyond_place t k).
  { intros k. apply mean_ext. intros a. destruct (Z.leb_spec (Z.of_nat k) (Z.of_nat a)), (Nat.leb_spec k a); lia ||
    reflexivity. }
  unfold is_walk, first_walk. cbn [place at_low at_high beyond_low beyond_high]. set (k := Z.to_nat j).
  replace j with (Z.of_nat k) by (unfold k; lia). split; [lia | split].
  - apply (X (fun i => if (i =? Z.of_nat k)%Z then 1 else 0)%Z); [intros i; destruct (i =? _)%Z; lia | | apply
    at_nonneg].
    assert (N := beyond_next t k). assert (N' : at_place t k = beyond_place t k - beyond_place t (S k)) by lra.
      rewrite N'.
    rewrite <- !Beyond, <- mean_minus. apply mean_ext. intros a.
    destruct (Z.eqb_spec (Z.of_nat a) (Z.of_nat k)), (Z.leb_spec (Z.of_nat k) (Z.of_nat a)), (Z.leb_spec (Z.of_nat (S
      k)) (Z.of_nat a));
      lia || (simpl; ring).
  - apply (X (fun i => if (Z.of_nat k <=? i)%Z then 1 else 0)%Z); [intros i; destruct (_ <=? i)%Z; lia | apply Beyond
    | apply beyond_nonneg].
Qed.

Lemma window_of n h b v :
  binomial_window b n (Rational h) = Some v ->
  0 <= Q2R h <= 1 /\ (0 <= n)%Z /\ exists c, encloses v (binomial (Z.to_nat n) (Q2R h)) c.
Proof. intros H. apply binomial_window_sound in H. destruct H as [[N [_ P]] E]. split; [exact P | split; [exact N |
  exact E]]. Qed.

Lemma swept_sound above v total :
  nonneg_cells (cells v) -> (0 <= first v)%Z -> swept above bits D x dx v = Some total ->
  if above then U * V * over_cells snd (cells v) (Z.to_nat (first v)) excess_at <= IZR total
  else IZR total <= U * V * over_cells fst (cells v) (Z.to_nat (first v)) excess_at.
Proof.
  intros N F H. unfold swept in H. destruct (within_reach D x dx (cells v) (first v)) as [reached t] eqn:W.
  destruct (binomial_window _ t _) as [u |] eqn:E; [| discriminate].
  destruct (_ && _) eqn:G; [| discriminate]. apply andb_true_iff in G. destruct G as [G1 G2].
  apply Z.leb_le in G1. apply Z.ltb_lt in G2. apply window_of in E. destruct E as [_ [T E]].
  replace (Q2R (1 # 2)) with (/ 2) in E by (unfold Q2R; simpl; lra).
  rewrite <- (Z2Nat.id (first v) F) in W. rewrite <- (Z2Nat.id t T) in H.
  assert (R : forall side, (0 <= t)%Z /\ incl reached (cells v) /\ over_cells side (cells v) (Z.to_nat (first v))
    excess_at =
    over_cells side reached (Z.to_nat t) excess_at) by (intros side; apply (within_reach_sound side _ _ _ _ W)).
  apply sweep_sound in H.
  - rewrite !(proj2 (proj2 (R _))). destruct above; rewrite ?Rplus_0_l in H; simpl in H; lra.
  - apply (incl_Forall (proj1 (proj2 (R fst))) N).
  - intros _ J. rewrite Z2Nat.id by exact T. apply first_walk_sound; try assumption.
    cbn [first_walk place] in J. rewrite Z2Nat.id in J by exact T. lia.
Qed.

End Walks.
(** *** Both ends *)

Lemma floor_bounds q : IZR (Qfloor q) <= Q2R q < IZR (Qfloor q) + 1.
Proof.
  split; [rewrite <- Q2R_Z; apply Qle_Rle, Qfloor_le |].
  assert (H := Qlt_Rlt _ _ (Qlt_floor q)). rewrite Q2R_Z, plus_IZR in H. exact H.
Qed.

Lemma is_far_indicator m h sign (c : nat) :
  (IZR (if is_far m h sign (Z.of_nat c) then 1 else 0) = indicator (fun c => is_far m h sign (Z.of_nat c)) c)%R.
Proof. unfold indicator. destruct (is_far m h sign (Z.of_nat c)); reflexivity. Qed.

(** The numbers far above, or below, if they are half. *)
Definition half (kinds : window) (m : Z) (h : Q) (sign : Z) (c : nat) : bool :=
  is_half kinds m h sign && is_far m h sign (Z.of_nat c).

Lemma half_sound kinds m h c (sign : Z) :
  0 <= Q2R h <= 1 -> (0 <= m)%Z -> encloses kinds (binomial (Z.to_nat m) (Q2R h)) c -> (0 <= first kinds)%Z ->
  mean (flips (Z.to_nat m) (Q2R h)) (indicator (half kinds m h sign)) <= / 2 /\
  IZR (if is_half kinds m h sign
    then weigh fst (cells kinds) (first kinds) (fun c => if is_far m h sign c then sign * above_mean m h c else 0)%Z
      else 0%Z) <=
  IZR (Zpos (Qden h)) * IZR (weight_above kinds) *
    (IZR sign * mean (flips (Z.to_nat m) (Q2R h)) (fun c => (INR c - INR (Z.to_nat m) * Q2R h) * indicator (half
      kinds m h sign) c)).
Proof.
  intros H M E F. assert (C := unit_pos _ _ c kinds E). assert (B := unit_below_weight _ _ c kinds H E F). unfold
    half.
  destruct (is_half kinds m h sign) eqn:Half; cbn [andb].
  - unfold is_half in Half. apply Z.leb_le, IZR_le in Half. rewrite mult_IZR in Half. split.
    + assert (W := weigh_high _ _ c kinds H E F (fun i => if is_far m h sign i then 1 else 0)%Z).
      specialize (W ltac:(intros i; cbv beta; destruct (is_far m h sign i); lia)).
      rewrite (mean_ext _ (fun a => IZR (if is_far m h sign (Z.of_nat a) then 1 else 0)) (indicator (fun c => is_far
        m h sign (Z.of_nat c)))
        (is_far_indicator m h sign)) in W.
      apply Rmult_le_reg_l with (2 * c); [lra |]. lra.
    + assert (W := weigh_low _ _ c kinds H E F (fun i => if is_far m h sign i then sign * above_mean m h i else 0)%Z).
      specialize (W ltac:(intros i; cbv beta; unfold is_far; destruct (Z.leb_spec (Zpos (Qden h)) (sign * above_mean
        m h i)); lia)).
      set (p := IZR sign * mean _ _).
      assert (D : 0 < IZR (Zpos (Qden h))) by (apply IZR_lt; reflexivity).
      assert (Eq : mean (flips (Z.to_nat m) (Q2R h)) (fun a => IZR (if is_far m h sign (Z.of_nat a)
        then sign * above_mean m h (Z.of_nat a) else 0)%Z) = IZR (Zpos (Qden h)) * p).
      { unfold p. rewrite <- Rmult_assoc, <- mean_scal. apply mean_ext. intros a. unfold indicator.
        destruct (is_far m h sign (Z.of_nat a)); [| simpl; ring]. rewrite mult_IZR. unfold above_mean.
        rewrite minus_IZR, !mult_IZR, <- INR_IZR_INZ. unfold Q2R. rewrite (INR_IZR_INZ (Z.to_nat m)), Z2Nat.id by
          exact M. field. lra. }
      cbv beta in W. rewrite Eq in W. assert (P : 0 <= IZR (Zpos (Qden h)) * p).
      { rewrite <- Eq. apply mean_nonneg; [apply proper_flips, H |]. intros a. apply IZR_le. unfold is_far.
        destruct (Z.leb_spec (Zpos (Qden h)) (sign * above_mean m h (Z.of_nat a))); lia. }
      eapply Rle_trans; [exact W |].
      replace (IZR (Zpos (Qden h)) * IZR (weight_above kinds) * p) with (IZR (weight_above kinds) * (IZR (Zpos (Qden
        h)) * p)) by ring.
      apply Rmult_le_compat_r; [exact P | apply B].
  - rewrite (mean_ext _ (indicator (fun _ : nat => false)) (fun _ => 0)) by reflexivity.
    rewrite (mean_ext _ (fun c => (INR c - INR (Z.to_nat m) * Q2R h) * indicator (fun _ : nat => false) c) (fun _ =>
      0))
      by (intros; unfold indicator; ring).
    rewrite mean_const by (apply proper_flips, H). lra.
Qed.

Lemma moved_sound kinds m h c :
  0 <= Q2R h <= 1 -> (0 <= m)%Z -> encloses kinds (binomial (Z.to_nat m) (Q2R h)) c -> (0 <= first kinds)%Z ->
  forall sign, sign = 1%Z \/ sign = (-1)%Z -> Q2R (moved kinds m h) <=
  IZR sign * mean (flips (Z.to_nat m) (Q2R h)) (fun c => (INR c - INR (Z.to_nat m) * Q2R h) * indicator (half kinds m
    h sign) c).
Proof.
  intros H M E F sign S. assert (C := unit_pos _ _ c kinds E). assert (B := unit_below_weight _ _ c kinds H E F).
  assert (X := proj2 (half_sound kinds m h c sign H M E F)). assert (D : 0 < IZR (Zpos (Qden h))) by (apply IZR_lt;
    reflexivity).
  assert (W : 0 < IZR (Zpos (Qden h) * weight_above kinds)) by (rewrite mult_IZR; apply Rmult_lt_0_compat; lra).
  unfold moved. rewrite Q2R_divided, !Q2R_Z by (rewrite Q2R_Z; lra). apply Rmult_le_reg_r with (IZR (Zpos (Qden h) *
    weight_above kinds)); [exact W |].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. rewrite mult_IZR.
  match goal with |- IZR (Z.min ?a ?b) <= _ => assert (L : (Z.min a b <= if Z.eqb sign 1 then a else b)%Z) by
    (destruct (Z.eqb sign 1); lia) end.
  apply IZR_le in L. eapply Rle_trans; [exact L |]. rewrite (Rmult_comm (IZR sign * _)).
  destruct S as [-> | ->]; exact X.
Qed.

Lemma walked_sound window_bits bits D s a b :
  walked window_bits bits D s = Some (a, b) ->
  let n := Z.to_nat (users s) in
  let r := Q2R (chance s) in let v1 := Q2R (high_value s) in let v2 := Q2R (low_value s) in let v := Q2R (rest_value
    s) in
  let h := Q2R (share s) in let u := Q2R (rise s) in
  INR n * mean_excess n [(r, v1); (r, v2); (1 - 2 * r, v)] <= Q2R a /\
  Q2R b <= INR n * mean_excess n [(r, v1); (r, v2); ((1 - 2 * r) * h, v + u * (1 - h)); ((1 - 2 * r) * (1 - h), v + -
    (u * h))].
Proof.
  intros X n r v1 v2 v h u. unfold walked in X.
  destruct (binomial_window _ (users s) _) as [w |] eqn:W; [| discriminate].
  set (m := (users s - last_place w)%Z) in *.
  destruct (binomial_window _ m _) as [kinds |] eqn:K; [| discriminate].
  set (x := Qfloor (start s * inject_Z (2 ^ D))) in *. set (dx := Qfloor (slope s * inject_Z (2 ^ D))) in *.
  set (d := Qfloor (4 * rise s / apart s * moved kinds m (share s) * inject_Z (2 ^ D))) in *.
  destruct (_ && _) eqn:G; [| discriminate].
  destruct (swept true bits D x dx w) as [most |] eqn:Most; [| discriminate].
  destruct (swept false bits D (x + users s + 1 - d) dx w) as [nearer |] eqn:Nearer; [| discriminate].
  destruct (swept false bits D (x + users s + 1 + d) dx w) as [farther |] eqn:Farther; [| discriminate].
  injection X as <- <-. repeat (apply andb_true_iff in G; destruct G as [G ?]).
  repeat match goal with T : (_ <=? _)%Z = true |- _ => apply Z.leb_le in T | T : (_ <? _)%Z = true |- _ => apply
    Z.ltb_lt in T end.
  unfold is_good in G. repeat (apply andb_true_iff in G; destruct G as [G ?]). apply Z.leb_le in G.
  repeat match goal with
  | T : negb _ = true |- _ => apply negb_true_iff in T
  end.
  repeat match goal with
  | T : Qle_bool _ _ = true |- _ => apply Qle_bool_R in T
  | T : Qle_bool _ _ = false |- _ => apply Qle_bool_R_false in T
  end.
  rewrite ?Q2R_0, ?Q2R_1, ?half_value in *.
  apply window_of in W. destruct W as [Hq [_ [c W]]]. apply window_of in K. destruct K as [Hh [Hm [k K]]].
  rewrite Q2R_red, Q2R_mult in Hq, W. replace (Q2R 2) with 2 in Hq, W by (unfold Q2R; simpl; lra). fold r h n in Hq,
    W, Hh, K.
  assert (Bits : (0 <= bits)%Z) by assumption. assert (HD : (0 <= D)%Z) by assumption.
  assert (First : (0 <= first w)%Z) by assumption. assert (Mn : (m <= users s)%Z) by assumption.
  assert (HA : Q2R (apart s) = v1 - v2) by (unfold apart; rewrite Q2R_red, Q2R_minus; reflexivity).
  assert (A : 0 < v1 - v2) by lra. set (alpha := v1 - v2) in *.
  set (U := IZR (2 ^ bits)). set (V := IZR (2 ^ D)). assert (UP := U_pos bits Bits). assert (VP := V_pos D HD). fold
    U in UP. fold V in VP.
  assert (UV : IZR (2 ^ (bits + D)) = U * V) by (rewrite Z.pow_add_r, mult_IZR by assumption; reflexivity).
  assert (N : (1 <= n)%nat) by (unfold n; lia). assert (NR : INR n = IZR (users s)) by (unfold n; rewrite
    INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
  set (L := Z.to_nat (first w)). assert (Cells := window_cells_nonneg n (2 * r) c w W First).
  assert (C := unit_pos n (2 * r) c w W). assert (Cw := unit_below_weight n (2 * r) c w Hq W First).
  assert (WB : 0 < IZR (weight_below w)) by (apply IZR_lt; assumption). assert (WA : 0 < IZR (weight_above w)) by lra.
  (* the barrier lies between two lines *)
  set (lower := fun t => IZR (x + Z.of_nat t * dx) / V).
  set (upper := fun e t => IZR (x + users s + 1 + e + Z.of_nat t * dx) / V).
  assert (Two : Q2R 2 = 2) by (unfold Q2R; simpl; lra).
  assert (SL : Q2R (slope s) = (2 * v - alpha - 2 * v2) / alpha).
  { unfold slope. rewrite Q2R_red, Q2R_divided, !Q2R_minus, !Q2R_mult, HA, Two by (rewrite HA; lra). reflexivity. }
  assert (ST : Q2R (start s) = - (2 * INR n * v) / alpha).
  { unfold start. rewrite Q2R_red, Q2R_divided, Q2R_opp, !Q2R_mult, HA, Two, Q2R_Z, NR by (rewrite HA; lra).
    reflexivity. }
  assert (Bx := floor_bounds (start s * inject_Z (2 ^ D))). assert (Bdx := floor_bounds (slope s * inject_Z (2 ^ D))).
  fold x in Bx. fold dx in Bdx. rewrite Q2R_mult, Q2R_Z in Bx, Bdx. fold V in Bx, Bdx.
  assert (Line : forall t, barrier n v1 v2 v t = Q2R (start s) + INR t * Q2R (slope s)).
  { intros t. rewrite SL, ST. unfold barrier. fold alpha. field. lra. }
  assert (Lower : forall t, lower t <= barrier n v1 v2 v t).
  { intros t. unfold lower. rewrite Line, plus_IZR, mult_IZR, <- INR_IZR_INZ. assert (T := pos_INR t).
    apply Rmult_le_reg_r with V; [exact VP |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    assert (INR t * IZR dx <= INR t * (Q2R (slope s) * V)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (Upper : forall e t, (t <= n)%nat -> barrier n v1 v2 v t + IZR e / V <= upper e t).
  { intros e t Ht. unfold upper. rewrite Line, !plus_IZR, mult_IZR, <- INR_IZR_INZ, <- NR. assert (T := pos_INR t).
    apply le_INR in Ht. apply Rmult_le_reg_r with V; [exact VP |]. unfold Rdiv.
    rewrite Rmult_plus_distr_r, !Rmult_assoc, Rinv_l, !Rmult_1_r by lra.
    assert (INR t * (Q2R (slope s) * V) <= INR t * (IZR dx + 1)) by (apply Rmult_le_compat_l; lra). lra. }
  split.
  - rewrite (excess_of_walk n r v1 v2 v N) by (unfold alpha in A; lra). fold alpha.
    set (F := fun t => walk_excess t (lower t)).
    assert (Small : mean (flips n (2 * r)) (fun t => walk_excess t (barrier n v1 v2 v t)) <= mean (flips n (2 * r))
      F).
    { apply mean_le; [apply proper_flips, Hq |]. intros t. apply walk_excess_falls, Lower. }
    apply swept_sound in Most; try assumption. fold U V L in Most.
    assert (Mean := window_mean_high n (2 * r) c w Hq W First F (INR n)). fold L in Mean.
    specialize (Mean (fun t => walk_excess_nonneg t (lower t))).
    assert (Top : forall t, (t <= n)%nat -> F t <= INR n).
    { intros t Ht. unfold F. eapply Rle_trans; [apply walk_excess_at_most | apply le_INR, Ht]. unfold lower.
      apply Rmult_le_pos; [apply IZR_le; assert (0 <= Z.of_nat t * dx)%Z by (apply Z.mul_nonneg_nonneg; lia); lia |
        left; apply Rinv_0_lt_compat, VP]. }
    specialize (Mean Top). change (over_cells snd (cells w) L (excess_at D x dx)) with (over_cells snd (cells w) L F)
      in Most.
    set (mu := mean (flips n (2 * r)) F) in *. assert (Mu : 0 <= mu) by (apply mean_nonneg; [apply proper_flips, Hq |
      intros; apply walk_excess_nonneg]).
    rewrite !Q2R_mult, !Q2R_divided, !Q2R_Z, HA, Two by (rewrite ?Two, ?Q2R_Z, ?mult_IZR, ?UV; try apply Rgt_not_eq;
      try lra; repeat apply Rmult_lt_0_compat; assumption).
    rewrite plus_IZR, !mult_IZR, UV, <- NR.
    apply Rle_trans with (alpha / 2 * mu); [apply Rmult_le_compat_l; lra |].
    unfold Rdiv at 2. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra |].
    apply Rmult_le_reg_l with (U * V * IZR (weight_below w)); [repeat apply Rmult_lt_0_compat; assumption |].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by (apply Rgt_not_eq; repeat apply Rmult_lt_0_compat; assumption).
    apply Rle_trans with (U * V * (c * mu)).
    + rewrite Rmult_assoc. apply Rmult_le_compat_l; [left; apply Rmult_lt_0_compat; assumption |]. apply
      Rmult_le_compat_r; [exact Mu | apply Cw].
    + apply (Rmult_le_compat_l (U * V)) in Mean; [| left; apply Rmult_lt_0_compat; assumption]. lra.
  - set (m' := Z.to_nat m). set (F1 := fun t => walk_excess t (upper (- d)%Z t)). set (F2 := fun t => walk_excess t
    (upper d t)).
    set (F := fun t => if Nat.leb t (n - m') then (F1 t + F2 t) / 2 else 0).
    assert (F0 : forall t, 0 <= F t).
    { intros t. unfold F, F1, F2. destruct (Nat.leb t (n - m')); [| lra].
      assert (P1 := walk_excess_nonneg t (upper (- d)%Z t)). assert (P2 := walk_excess_nonneg t (upper d t)). lra. }
    assert (Moved := moved_sound kinds m (share s) k Hh Hm K ltac:(assumption)).
    assert (Bd := floor_bounds (4 * rise s / apart s * moved kinds m (share s) * inject_Z (2 ^ D))). fold d in Bd.
    rewrite !Q2R_mult, Q2R_divided, Q2R_mult, Q2R_Z, HA in Bd by (rewrite HA; lra). fold V in Bd.
    replace (Q2R 4) with 4 in Bd by (unfold Q2R; simpl; lra). fold u in Bd.
    assert (U0 : 0 <= u) by assumption.
    assert (Shift : alpha / 4 * (IZR d / V) <= u * Q2R (moved kinds m (share s))).
    { apply Rmult_le_reg_l with (4 / alpha * V); [apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat |]; lra |].
      apply Rle_trans with (IZR d); [right; field; lra |]. eapply Rle_trans; [apply Bd |]. right. field. lra. }
    assert (Far : forall sign, sign = 1%Z \/ sign = (-1)%Z -> alpha / 4 * (IZR d / V) <=
      u * (IZR sign * mean (flips m' h) (fun c => (INR c - INR m' * h) * indicator (half kinds m (share s) sign) c))).
    { intros sign S. eapply Rle_trans; [exact Shift |]. apply Rmult_le_compat_l; [exact U0 | apply Moved, S]. }
    assert (Least := excess_of_walk_at_least n r v1 v2 v N ltac:(unfold r; lra) ltac:(unfold alpha in A; lra) h u
      (IZR d / V) m'
      (half kinds m (share s) 1) (half kinds m (share s) (- 1)) Hh). fold alpha in Least.
    eapply Rle_trans; [| apply Least].
    2: { apply Rmult_le_pos; [apply IZR_le; assumption | left; apply Rinv_0_lt_compat, VP]. }
    2: { unfold m', n. lia. }
    2, 3: apply (half_sound kinds m (share s) k _ Hh Hm K); assumption.
    2: { specialize (Far 1%Z (or_introl eq_refl)). rewrite Rmult_1_l in Far. exact Far. }
    2: { specialize (Far (-1)%Z (or_intror eq_refl)). eapply Rle_trans; [exact Far |]. right. ring. }
    clear Least. apply Rle_trans with (alpha / 2 * mean (flips n (2 * r)) F).
    + assert (Mean := window_mean_low n (2 * r) c w Hq W First F F0). fold L in Mean.
      assert (Over : over_cells fst (cells w) L F = (over_cells fst (cells w) L F1 + over_cells fst (cells w) L F2) /
        2).
      { rewrite <- over_cells_half. apply over_cells_ext. intros t I. unfold F. rewrite (proj2 (Nat.leb_le t (n -
        m'))); [reflexivity |].
        unfold m', m, n, last_place, L in *. rewrite count_length in *. lia. }
      rewrite Over in Mean. apply swept_sound in Nearer; try assumption. apply swept_sound in Farther; try assumption.
      fold U V L in Nearer, Farther.
      change (over_cells fst (cells w) L (excess_at D (x + users s + 1 - d) dx)) with (over_cells fst (cells w) L F1)
        in Nearer.
      change (over_cells fst (cells w) L (excess_at D (x + users s + 1 + d) dx)) with (over_cells fst (cells w) L F2)
        in Farther.
      set (mu := mean (flips n (2 * r)) F) in *. assert (Mu : 0 <= mu) by (apply mean_nonneg; [apply proper_flips, Hq
        | exact F0]).
      rewrite !Q2R_mult, !Q2R_divided, !Q2R_Z, HA, Two by (rewrite ?Two, ?Q2R_Z, ?mult_IZR, ?UV; try apply
        Rgt_not_eq; try lra; repeat apply Rmult_lt_0_compat; assumption).
      rewrite plus_IZR, !mult_IZR, UV.
      unfold Rdiv at 1. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra |].
      set (K0 := U * V * IZR (weight_above w)). assert (K1 : 0 < K0) by (repeat apply Rmult_lt_0_compat; assumption).
      apply Rmult_le_reg_l with K0; [exact K1 |]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. unfold K0.
      apply Rle_trans with (U * V * (c * mu)).
      * apply (Rmult_le_compat_l (U * V)) in Mean; [| left; apply Rmult_lt_0_compat; assumption]. lra.
      * rewrite (Rmult_assoc (U * V) _ mu). apply Rmult_le_compat_l; [left; apply Rmult_lt_0_compat; assumption |].
        apply Rmult_le_compat_r; [exact Mu | apply Cw].
    + apply Rmult_le_compat_l; [lra |]. rewrite !mean_flips. apply total_le. intros t I. apply in_seq in I.
      apply Rmult_le_compat_l; [apply binom_nonneg, Hq |]. unfold F. destruct (Nat.leb t (n - m')); [| lra].
      assert (E1 := walk_excess_falls t (barrier n v1 v2 v t - IZR d / V) (upper (- d)%Z t)).
      assert (E2 := walk_excess_falls t (barrier n v1 v2 v t + IZR d / V) (upper d t) (Upper d t ltac:(lia))).
      specialize (Upper (- d)%Z t ltac:(lia)). rewrite opp_IZR in Upper.
      replace (- IZR d / V) with (- (IZR d / V)) in Upper by (field; lra). specialize (E1 Upper).
      unfold F1, F2. lra.
Qed.
