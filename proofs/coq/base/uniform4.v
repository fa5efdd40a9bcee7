(** A law for counterexamples: uniform on {0, 1, 2, 3}.

    It is a law, and (eps, 1/4, 1)-smooth for every eps > 0: where the move by 1 or -1 stays inside, the
    ratio of the masses is 1 < e^eps, so that only the last point in the direction of the move has a large
    one. (eps = 0 is not included: a ratio of 1 is large there.) (Source: this package.) *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums masses smooth.
Import ListNotations.
Open Scope R_scope.

Definition uniform4 (y : Z) : R := if in_dec Z.eq_dec y [0; 1; 2; 3]%Z then 1 / 4 else 0.

Lemma uniform4_law : law uniform4.
Proof.
  apply (law_of_finite_support Z.eq_dec uniform4 [0; 1; 2; 3]%Z).
  - intros y. unfold uniform4. destruct in_dec; lra.
  - repeat constructor; simpl; lia.
  - intros y H. unfold uniform4. destruct in_dec; [contradiction | reflexivity].
  - unfold uniform4. simpl. lra.
Qed.

(** The last point in the direction of a move by j = 1 or j = -1. *)
Definition last_point (j : Z) : Z := if Z.ltb 0 j then 3%Z else 0%Z.

Lemma uniform4_ratio (E : R) (j y : Z) :
  1 < E -> j <> 0%Z -> (Z.abs j <= 1)%Z -> E * uniform4 (y + j)%Z <= uniform4 y ->
  uniform4 y = if Z.eq_dec (last_point j) y then 1 / 4 else 0.
Proof.
  intros HE J K. unfold uniform4, last_point.
  destruct (in_dec Z.eq_dec y _) as [I | I]; destruct (in_dec Z.eq_dec (y + j)%Z _) as [I' | I'];
    destruct (Z.eq_dec _ y) as [L | L]; intros H; try lra; exfalso;
    destruct (Z.ltb_spec 0%Z j); simpl in I, I'; lia.
Qed.

Lemma uniform4_smooth eps : 0 < eps -> smooth uniform4 eps (1 / 4) 1.
Proof.
  intros He j J K l N I.
  assert (HE : 1 < exp (IZR (Z.abs j) * eps)).
  { rewrite <- exp_0. apply exp_increasing, Rmult_lt_0_compat; [apply IZR_lt; lia | exact He]. }
  rewrite (total_ext l uniform4 (fun y => if Z.eq_dec (last_point j) y then 1 / 4 else 0)).
  - destruct (in_dec Z.eq_dec (last_point j) l) as [Hin | Hout].
    + rewrite (total_single Z.eq_dec l (last_point j) (1 / 4) N Hin). lra.
    + rewrite (total_ext l _ (fun _ => 0)), total_zero; [lra |].
      intros y Hy. destruct (Z.eq_dec (last_point j) y) as [<- | _]; [contradiction | reflexivity].
  - intros y Hy. apply (uniform4_ratio (exp (IZR (Z.abs j) * eps))); auto.
Qed.

Lemma uniform4_outside y : ~ In y [0; 1; 2; 3]%Z -> uniform4 y = 0.
Proof. intros H. unfold uniform4. destruct in_dec; [contradiction | reflexivity]. Qed.
