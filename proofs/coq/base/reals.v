(** What the other files need to know about real numbers: comparisons as booleans, and e^x. *)

From Coq Require Import Reals Lra.
Open Scope R_scope.

(** Comparisons as events. *)
Definition Rleb (x y : R) : bool := if Rle_dec x y then true else false.
Definition Rltb (x y : R) : bool := if Rlt_dec x y then true else false.

Lemma Rleb_true x y : Rleb x y = true <-> x <= y.
Proof. unfold Rleb. destruct (Rle_dec x y); split; intros; congruence || lra || easy. Qed.

Lemma Rltb_true x y : Rltb x y = true <-> x < y.
Proof. unfold Rltb. destruct (Rlt_dec x y); split; intros; congruence || lra || easy. Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H | ->]; [left; apply exp_increasing, H | right; reflexivity]. Qed.

Lemma exp_ge_1 x : 0 <= x -> 1 <= exp x.
Proof. intros H. rewrite <- exp_0. apply exp_le, H. Qed.

Lemma exp_power t i : exp t ^ i = exp (t * INR i).
Proof.
  induction i as [| i IH]; [simpl; rewrite Rmult_0_r, exp_0; reflexivity |].
  rewrite S_INR. simpl pow. rewrite IH, <- exp_plus. f_equal. ring.
Qed.
