(** Fixed-point numbers: integers over a power of 2, rounded down or up.

    The integer a stands for a / 2^p. Python's a >> p is the quotient [a / 2 ^ p],
    rounded down, and -(-a >> p) the quotient [ceiling_div a (2 ^ p)], rounded up. *)

From Coq Require Import Reals ZArith Lra Lia.
Open Scope R_scope.

(** 2^p as an integer. *)
Definition two (p : nat) : Z := (2 ^ Z.of_nat p)%Z.

Definition ceiling_div (a d : Z) : Z := (- ((- a) / d))%Z.

(** Quotients by 2^p, rounded down and up. They are shifts: inside Coq a division takes hundreds of times as long. *)
Definition shifted_down (a : Z) (p : nat) : Z := Z.shiftr a (Z.of_nat p).
Definition shifted_up (a : Z) (p : nat) : Z := (- shifted_down (- a) p)%Z.

Lemma shifted_down_div a p : shifted_down a p = (a / two p)%Z.
Proof. apply Z.shiftr_div_pow2, Nat2Z.is_nonneg. Qed.

Lemma shifted_up_div a p : shifted_up a p = ceiling_div a (two p).
Proof. unfold shifted_up, ceiling_div. rewrite shifted_down_div. reflexivity. Qed.

Lemma two_positive p : (0 < two p)%Z.
Proof. apply Z.pow_pos_nonneg; lia. Qed.

Lemma IZR_two p : IZR (two p) = 2 ^ p.
Proof. unfold two. rewrite <- pow_IZR. reflexivity. Qed.

Lemma two_add p q : two (p + q) = (two p * two q)%Z.
Proof. unfold two. rewrite Nat2Z.inj_add. apply Z.pow_add_r; lia. Qed.

Lemma pow_two_positive p : 0 < 2 ^ p.
Proof. apply pow_lt. lra. Qed.

(** Quotients, rounded down: by less than 1. *)
Lemma floor_div_bounds a d : (0 < d)%Z -> IZR (a / d) <= IZR a / IZR d < IZR (a / d) + 1.
Proof.
  intros H. assert (Hd : 0 < IZR d) by (apply IZR_lt; exact H).
  assert (E := Z.div_mod a d ltac:(lia)). assert (M := Z.mod_pos_bound a d H).
  apply (f_equal IZR) in E. rewrite plus_IZR, mult_IZR in E. destruct M as [M0 M1].
  apply IZR_le in M0. apply IZR_lt in M1.
  split.
  - apply Rmult_le_reg_r with (IZR d); [exact Hd |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply Rmult_lt_reg_r with (IZR d); [exact Hd |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma floor_div_below a d r : (0 < d)%Z -> IZR a / IZR d <= r -> IZR (a / d) <= r.
Proof. intros H L. destruct (floor_div_bounds a d H). lra. Qed.

(** Quotients, rounded up. *)
Lemma ceiling_div_above a d r : (0 < d)%Z -> r <= IZR a / IZR d -> r <= IZR (ceiling_div a d).
Proof.
  intros H L. unfold ceiling_div. rewrite opp_IZR. destruct (floor_div_bounds (- a) d H) as [B _].
  rewrite opp_IZR in B. unfold Rdiv in *. lra.
Qed.
