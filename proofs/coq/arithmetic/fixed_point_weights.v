(** Fixed-point weights with directed rounding.

    The checker starts at an outcome with the weight 2^bits and walks outward: if w(t+1)/w(t) lies in
    [a/d, a'/d] for integers 0 <= a, a' and d > 0, then from l <= w(t) <= u follow
    floor(l a / d) <= w(t+1) <= ceil(u a' / d) ([directed_step]). So all integers that it makes enclose the
    weights of the law, times one number ([walked_enclose]). An event with the weight x, in a law whose
    other outcomes have the weight y, has the probability x/(x + y); with in <= x <= in' and
    out <= y <= out' it lies between in/(in + out') and in'/(in' + out) ([shares_bound]; 0 in place of a
    quotient 0/0, which is what max(1, ...) makes of it).

    Weights that were not reached are in the upper bounds: their remainder is geometric_tail.v.

    The functions outward, walked and shares of exactdp/checker/ rest on it.
    Source: docs/certificates.md. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums fixed_point.
Open Scope R_scope.

Lemma directed_step l u a a' d x y :
  (0 <= l)%Z -> (0 <= a)%Z -> (0 <= a')%Z -> (0 < d)%Z -> 0 <= x ->
  IZR l <= x <= IZR u -> IZR a / IZR d * x <= y <= IZR a' / IZR d * x ->
  IZR (l * a / d) <= y <= IZR (ceiling_div (u * a') d).
Proof.
  intros Hl Ha Ha' Hd Hx [L U] [LY UY]. assert (D := IZR_lt _ _ Hd).
  apply IZR_le in Ha. apply IZR_le in Ha'.
  assert (Q : forall v, 0 <= v -> 0 <= v / IZR d).
  { intros v Hv. apply Rmult_le_pos; [exact Hv | left; apply Rinv_0_lt_compat, D]. }
  split.
  - apply floor_div_below; [exact Hd |]. rewrite mult_IZR. eapply Rle_trans; [| exact LY].
    replace (IZR l * IZR a / IZR d) with (IZR a / IZR d * IZR l) by (field; lra).
    apply Rmult_le_compat_l; [apply Q, Ha | exact L].
  - apply ceiling_div_above; [exact Hd |]. rewrite mult_IZR. eapply Rle_trans; [exact UY |].
    replace (IZR u * IZR a' / IZR d) with (IZR a' / IZR d * IZR u) by (field; lra).
    apply Rmult_le_compat_l; [apply Q, Ha' | exact U].
Qed.

(** ** The walk *)

Section walk.

(** The weights outward from the start, and the enclosed ratios a/d, a'/d. *)
Variables (w : nat -> R) (a a' d : nat -> Z) (bits : nat).
Hypothesis weights : forall t, 0 <= w t.
Hypothesis start : 0 < w 0%nat.
Hypothesis ratios : forall t, (0 <= a t)%Z /\ (0 <= a' t)%Z /\ (0 < d t)%Z /\
  IZR (a t) / IZR (d t) * w t <= w (S t) <= IZR (a' t) / IZR (d t) * w t.

Fixpoint walked_low (t : nat) : Z :=
  match t with
  | O => two bits
  | S i => (walked_low i * a i / d i)%Z
  end.

Fixpoint walked_high (t : nat) : Z :=
  match t with
  | O => two bits
  | S i => ceiling_div (walked_high i * a' i) (d i)
  end.

(** The one number that all weights are multiplied by. *)
Definition unit : R := 2 ^ bits / w 0%nat.

Lemma unit_positive : 0 < unit.
Proof. apply Rdiv_lt_0_compat; [apply pow_two_positive | exact start]. Qed.

Lemma walked_low_nonneg t : (0 <= walked_low t)%Z.
Proof.
  induction t as [| t IH]; simpl.
  - assert (P := two_positive bits). lia.
  - destruct (ratios t) as [A [_ [D _]]]. apply Z.div_pos; [apply Z.mul_nonneg_nonneg; assumption | exact D].
Qed.

Theorem walked_enclose t : IZR (walked_low t) <= unit * w t <= IZR (walked_high t).
Proof.
  assert (U := unit_positive). induction t as [| t IH].
  - simpl. rewrite IZR_two. unfold unit. replace (2 ^ bits / w 0%nat * w 0%nat) with (2 ^ bits) by (field;
      lra).
    lra.
  - destruct (ratios t) as [A [A' [D [L H]]]]. simpl.
    apply (directed_step (walked_low t) (walked_high t) (a t) (a' t) (d t) (unit * w t)); try assumption.
    + apply walked_low_nonneg.
    + apply Rmult_le_pos; [lra | apply weights].
    + apply (Rmult_le_compat_l unit) in L; [| lra]. apply (Rmult_le_compat_l unit) in H; [| lra]. lra.
Qed.

End walk.

(** ** Probabilities *)

(** What the checker divides by, for integers that are not negative. *)
Definition share (part other : Z) : R := IZR part / IZR (Z.max 1 (part + other)).

Lemma share_bound x y p q : 0 <= p -> 0 <= q -> 0 <= x -> 0 <= y -> 0 < x + y -> 0 < p + q ->
  p <= x -> y <= q -> p / (p + q) <= x / (x + y).
Proof.
  intros Hp Hq Hx Hy S T H1 H2. apply Rmult_le_reg_r with (p + q); [exact T |].
  replace (p / (p + q) * (p + q)) with p by (field; lra).
  apply Rmult_le_reg_r with (x + y); [exact S |].
  replace (x / (x + y) * (p + q) * (x + y)) with (x * (p + q)) by (field; lra).
  assert (p * y <= x * q) by (apply Rmult_le_compat; assumption). lra.
Qed.

Theorem shares_bound x y i i' o o' :
  (0 <= i)%Z -> (0 <= o)%Z -> IZR i <= x <= IZR i' -> IZR o <= y <= IZR o' -> 0 < x + y ->
  share i o' <= x / (x + y) <= share i' o.
Proof.
  intros Hi Ho [I I'] [O O'] S. apply IZR_le in Hi as Hi'. apply IZR_le in Ho as Ho'.
  assert (X : 0 <= x / (x + y)) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, S]).
  assert (N' : (0 <= i')%Z) by (apply le_IZR; lra). assert (M' : (0 <= o')%Z) by (apply le_IZR; lra).
  unfold share. split.
  - destruct (Z.eq_dec (i + o') 0) as [E | E].
    + replace i with 0%Z by lia. unfold Rdiv. rewrite Rmult_0_l. exact X.
    + rewrite Z.max_r, plus_IZR by lia. apply share_bound; try lra; try (apply IZR_le; assumption).
      rewrite <- plus_IZR. apply IZR_lt. lia.
  - destruct (Z.eq_dec (i' + o) 0) as [E | E].
    + replace i' with 0%Z in * by lia. replace o with 0%Z in * by lia.
      assert (x = 0) by lra. subst x. unfold Rdiv. rewrite !Rmult_0_l. lra.
    + rewrite Z.max_r, plus_IZR by lia.
      assert (T : 0 < IZR i' + IZR o) by (rewrite <- plus_IZR; apply IZR_lt; lia).
      apply share_bound; lra.
Qed.
