(** Real parameters in fixed point: the program and its soundness.

    [enclose bits x] makes integers (l, h) with l <= 2^bits x <= h for the number that the expression x is
    ([enclose_sound]), and then x is a number: no logarithm of a number that is not positive, no inverse of 0. It makes
    none where the precision does not show that, or where an exponential is of more than 4096. [parameter bits x] is
    the same as a ratio (l, h, d), l / d <= x <= h / d, exact for a rational ([parameter_sound]). For every expression
    and every number of bits.

    The programs are the methods [Real.enclose] and [Parameter.bounds] of exactdp/checker/reals.py, with the same
    integers. It rests on exponential_fixed_point.exp_enclosed and logarithm_fixed_point.log_enclosed.
    Source: docs/certificates.md, "Exponentials and logarithms by series". *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import fixed_point exponential_fixed_point logarithm_fixed_point.
From ExactdpChecker Require Import claims.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

Definition most_exponent : Z := 4096.

(** Around the product, rounded outward. *)
Definition product_bounds (unit : Z) (x y : Z * Z) : Z * Z :=
  let '(a, b) := x in
  let '(c, d) := y in
  let p := a * c in let q := a * d in let r := b * c in let s := b * d in
  (Z.min (Z.min p q) (Z.min r s) / unit, ceiling_div (Z.max (Z.max p q) (Z.max r s)) unit).

Fixpoint power_bounds (unit : Z) (x : Z * Z) (more : nat) : Z * Z :=
  match more with
  | O => x
  | S k => product_bounds unit (power_bounds unit x k) x
  end.

(** 2^(2 bits) / x, rounded outward, for bounds on one side of 0. *)
Definition inverse_bounds (bits : nat) (low high : Z) : option (Z * Z) :=
  if (0 <? low) && (low <=? high) then Some (two (2 * bits) / high, ceiling_div (two (2 * bits)) low)
  else if (high <? 0) && (low <=? high) then Some (- two (2 * bits) / - high, ceiling_div (- two (2 * bits)) (- low))
  else None.

Fixpoint enclose (bits : nat) (x : real) : option (Z * Z) :=
  match x with
  | Rational q => Some (Qnum q * two bits / Zpos (Qden q), ceiling_div (Qnum q * two bits) (Zpos (Qden q)))
  | Exponential y =>
      match enclose bits y with
      | Some (low, high) =>
          if Z.max (Z.abs low) (Z.abs high) <=? most_exponent * two bits then
            Some (fst (exp_bounds bits low), snd (exp_bounds bits high))
          else None
      | None => None
      end
  | Logarithm y =>
      match enclose bits y with
      | Some (low, high) => if 0 <? low then Some (fst (log_bounds low bits), snd (log_bounds high bits)) else None
      | None => None
      end
  | Inverse y =>
      match enclose bits y with
      | Some (low, high) => inverse_bounds bits low high
      | None => None
      end
  | Plus y z =>
      match enclose bits y, enclose bits z with
      | Some (a, b), Some (c, d) => Some (a + c, b + d)
      | _, _ => None
      end
  | Times y z =>
      match enclose bits y, enclose bits z with
      | Some a, Some b => Some (product_bounds (two bits) a b)
      | _, _ => None
      end
  | Power y k =>
      match enclose bits y, k with
      | Some a, S more => Some (power_bounds (two bits) a more)
      | _, _ => None
      end
  end.

Definition parameter (bits : nat) (x : real) : option (Z * Z * Z) :=
  match x with
  | Rational q => Some (Qnum q, Qnum q, Zpos (Qden q))
  | _ => match enclose bits x with Some (low, high) => Some (low, high, two bits) | None => None end
  end.

Definition is_rational (x : real) : bool := match x with Rational _ => true | _ => false end.

(** ** Soundness *)

Open Scope R_scope.

Definition encloses_number (bits : nat) (c : Z * Z) (r : R) : Prop := IZR (fst c) <= 2 ^ bits * r <= IZR (snd c).

Lemma product_between a b c d x y :
  a <= x <= b -> c <= y <= d ->
  Rmin (Rmin (a * c) (a * d)) (Rmin (b * c) (b * d)) <= x * y <= Rmax (Rmax (a * c) (a * d)) (Rmax (b * c) (b * d)).
Proof.
  intros [X1 X2] [Y1 Y2].
  assert (M : forall u, Rmin (u * c) (u * d) <= u * y <= Rmax (u * c) (u * d)).
  { intros u. destruct (Rle_or_lt 0 u) as [U | U].
    - split; [eapply Rle_trans; [apply Rmin_l |] | eapply Rle_trans; [| apply Rmax_r]]; apply Rmult_le_compat_l; lra.
    - split; [eapply Rle_trans; [apply Rmin_r |] | eapply Rle_trans; [| apply Rmax_l]];
        apply Rmult_le_compat_neg_l; lra. }
  destruct (M a) as [A1 A2], (M b) as [B1 B2]. destruct (Rle_or_lt 0 y) as [U | U].
  - assert (a * y <= x * y) by (apply Rmult_le_compat_r; lra).
    assert (x * y <= b * y) by (apply Rmult_le_compat_r; lra).
    split; [eapply Rle_trans; [apply Rmin_l |] | eapply Rle_trans; [| apply Rmax_r]]; lra.
  - assert (b * y <= x * y) by (rewrite (Rmult_comm b), (Rmult_comm x); apply Rmult_le_compat_neg_l; lra).
    assert (x * y <= a * y) by (rewrite (Rmult_comm a), (Rmult_comm x); apply Rmult_le_compat_neg_l; lra).
    split; [eapply Rle_trans; [apply Rmin_r |] | eapply Rle_trans; [| apply Rmax_l]]; lra.
Qed.

Lemma IZR_min x y : IZR (Z.min x y) = Rmin (IZR x) (IZR y).
Proof.
  destruct (Z.min_spec x y) as [[H ->] | [H ->]]; [rewrite Rmin_left | rewrite Rmin_right]; auto; apply IZR_le; lia.
Qed.

Lemma IZR_max x y : IZR (Z.max x y) = Rmax (IZR x) (IZR y).
Proof.
  destruct (Z.max_spec x y) as [[H ->] | [H ->]]; [rewrite Rmax_right | rewrite Rmax_left]; auto; apply IZR_le; lia.
Qed.

Lemma product_bounds_sound bits a b x y :
  encloses_number bits a x -> encloses_number bits b y ->
  encloses_number bits (product_bounds (two bits) a b) (x * y).
Proof.
  destruct a as [a a'], b as [b b']. unfold encloses_number, product_bounds. cbn [fst snd]. intros X Y.
  assert (T := two_positive bits). assert (P := pow_two_positive bits).
  destruct (product_between _ _ _ _ _ _ X Y) as [L U].
  rewrite <- !mult_IZR, <- !IZR_min in L. rewrite <- !mult_IZR, <- !IZR_max in U. split.
  - apply floor_div_below; [exact T |]. rewrite IZR_two. apply Rmult_le_reg_r with (2 ^ bits); [exact P |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply ceiling_div_above; [exact T |]. rewrite IZR_two. apply Rmult_le_reg_r with (2 ^ bits); [exact P |].
    unfold Rdiv. rewrite (Rmult_assoc _ (/ _)), Rinv_l by lra. lra.
Qed.

Lemma inverse_bounds_sound bits low high c r :
  inverse_bounds bits low high = Some c -> encloses_number bits (low, high) r -> r <> 0 /\ encloses_number bits c (/ r).
Proof.
  unfold inverse_bounds, encloses_number. cbn [fst snd]. intros H [L U].
  assert (P := pow_two_positive bits).
  assert (Main : forall l h s, (0 < l <= h)%Z -> IZR l <= 2 ^ bits * s <= IZR h -> s <> 0 /\
    2 ^ bits * / s <= IZR (two (2 * bits)) / IZR l /\ IZR (two (2 * bits)) / IZR h <= 2 ^ bits * / s).
  { intros l h s [H1 H2] [S1 S2]. apply IZR_lt in H1. apply IZR_le in H2.
    assert (S0 : 0 < s) by (apply Rmult_lt_reg_l with (2 ^ bits); lra).
    replace (2 ^ bits * / s) with (IZR (two (2 * bits)) / (2 ^ bits * s)).
    2: { rewrite IZR_two. replace (2 * bits)%nat with (bits + bits)%nat by lia. rewrite pow_add. field. lra. }
    assert (T := IZR_lt _ _ (two_positive (2 * bits))). split; [lra |].
    split; apply Rmult_le_compat_l; try lra; apply Rinv_le_contravar; lra. }
  destruct (_ && _) eqn:G; [| destruct ((high <? 0)%Z && (low <=? high)%Z) eqn:G'; [| discriminate]];
    injection H as <-; cbn [fst snd].
  - apply andb_true_iff in G. destruct G as [G1 G2]. apply Z.ltb_lt in G1. apply Z.leb_le in G2.
    destruct (Main low high r) as [N [A B]]; [lia | lra |]. split; [exact N |].
    split; [apply floor_div_below | apply ceiling_div_above]; try lia; assumption.
  - apply andb_true_iff in G'. destruct G' as [G1 G2]. apply Z.ltb_lt in G1. apply Z.leb_le in G2.
    destruct (Main (- high)%Z (- low)%Z (- r)) as [N [A B]]; [lia | rewrite !opp_IZR; lra |].
    assert (N' : r <> 0) by lra. split; [exact N' |].
    replace (/ - r) with (- / r) in A, B by (field; exact N').
    split; [apply floor_div_below | apply ceiling_div_above]; try lia.
    + change (two (bits + (bits + 0))) with (two (2 * bits)). rewrite (opp_IZR (two _)). unfold Rdiv in *.
      rewrite Ropp_mult_distr_l_reverse. lra.
    + change (two (bits + (bits + 0))) with (two (2 * bits)). rewrite (opp_IZR (two _)). unfold Rdiv in *.
      rewrite Ropp_mult_distr_l_reverse. lra.
Qed.

Theorem enclose_sound bits x : forall c, enclose bits x = Some c -> is_number x /\ encloses_number bits c (value x).
Proof.
  assert (P := pow_two_positive bits).
  induction x as [q | y IH | y IH | y IH | y IHy z IHz | y IHy z IHz | y IH k]; intros c; cbn [enclose is_number value].
  - intros H. injection H as <-. split; [exact I |]. unfold encloses_number, Q2R. cbn [fst snd].
    assert (D : (0 < Zpos (Qden q))%Z) by lia. assert (D' := IZR_lt _ _ D).
    split; [apply floor_div_below | apply ceiling_div_above]; try exact D; rewrite mult_IZR, IZR_two; apply Req_le;
      field; lra.
  - destruct (enclose bits y) as [[l h] |]; [| discriminate]. destruct (_ <=? _)%Z; [| discriminate].
    intros H. injection H as <-. destruct (IH _ eq_refl) as [N E]. split; [exact N |]. apply exp_enclosed. exact E.
  - destruct (enclose bits y) as [[l h] |]; [| discriminate]. destruct (0 <? l)%Z eqn:G; [| discriminate].
    intros H. injection H as <-. destruct (IH _ eq_refl) as [N E]. apply Z.ltb_lt in G. split.
    + split; [exact N |]. destruct E as [E _]. cbn [fst] in E. apply IZR_lt in G.
      apply Rmult_lt_reg_l with (2 ^ bits); lra.
    + apply log_enclosed; assumption.
  - destruct (enclose bits y) as [[l h] |]; [| discriminate]. intros H. destruct (IH _ eq_refl) as [N E].
    destruct (inverse_bounds_sound _ _ _ _ _ H E) as [N' E']. auto.
  - destruct (enclose bits y) as [[a b] |]; [| discriminate]. destruct (enclose bits z) as [[c0 d] |]; [| discriminate].
    intros H. injection H as <-. destruct (IHy _ eq_refl) as [N E], (IHz _ eq_refl) as [N' E']. split; [auto |].
    unfold encloses_number in *. cbn [fst snd] in *. rewrite !plus_IZR. lra.
  - destruct (enclose bits y) as [a |]; [| discriminate]. destruct (enclose bits z) as [b |]; [| discriminate].
    intros H. injection H as <-. destruct (IHy _ eq_refl) as [N E], (IHz _ eq_refl) as [N' E']. split; [auto |].
    apply product_bounds_sound; assumption.
  - destruct (enclose bits y) as [a |]; [| discriminate]. destruct k as [| more]; [discriminate |].
    intros H. injection H as <-. destruct (IH _ eq_refl) as [N E]. split; [exact N |].
    induction more as [| more IHm]; cbn [power_bounds].
    + rewrite pow_1. exact E.
    + replace (value y ^ S (S more)) with (value y ^ S more * value y) by (simpl; ring).
      apply product_bounds_sound; assumption.
Qed.

Theorem parameter_sound bits x l h d :
  parameter bits x = Some (l, h, d) -> is_number x /\ (0 < d)%Z /\ IZR l <= IZR d * value x <= IZR h /\
    (is_rational x = true -> l = h).
Proof.
  assert (Main : forall c, enclose bits x = Some c -> is_number x /\ (0 < two bits)%Z /\
    IZR (fst c) <= IZR (two bits) * value x <= IZR (snd c)).
  { intros c H. destruct (enclose_sound bits x c H) as [N E]. split; [exact N |]. split; [apply two_positive |].
    rewrite IZR_two. exact E. }
  unfold parameter. destruct x as [q | | | | | |];
    try (destruct (enclose bits _) as [[a b] |] eqn:E; [| discriminate]; intros H; injection H as <- <- <-;
         destruct (Main _ eq_refl) as [N [T B]]; split; [exact N |]; split; [exact T |]; split;
           [exact B | discriminate]).
  intros H. injection H as <- <- <-. simpl. split; [exact I |]. split; [lia |]. split; [| reflexivity].
  unfold Q2R. assert (D := IZR_lt 0 (Zpos (Qden q)) ltac:(lia)).
  replace (IZR (Zpos (Qden q)) * (IZR (Qnum q) * / IZR (Zpos (Qden q)))) with (IZR (Qnum q)) by (field; lra). lra.
Qed.
