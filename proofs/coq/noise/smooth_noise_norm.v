(** Lemma 2 needs the sum of the changes of the coordinates, not the largest of them.

    Discrete Laplace noise with ratio a, 0 < a < 1, is (eps, 0, 1)-smooth for every e^eps > 1/a. Let two
    coordinates move by 1 each, so that the largest change is 1 and the sum of the changes is 2. If moreover
    e^eps < 1/a^2, the outputs of (0, 0) + noise and of (1, 1) + noise are not (eps, 0)-close
    ([lemma2_norm]); for example with a = 1/2 and e^eps = 3 ([lemma2_norm_3]).

    Idea: the output (0, 0) has masses with the ratio 1/a^2 in the two laws. (Source: this package.) *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums masses smooth smooth_noise_privacy geometric_noise.
Import ListNotations.
Open Scope R_scope.

Lemma geometric_smooth a E : 0 < a < 1 -> / a < E -> smooth (geometric a) (ln E) 0 1.
Proof.
  intros H HE j J K l N I. destruct l as [| y l]; [simpl; apply Rle_refl | exfalso].
  specialize (I y (or_introl eq_refl)). replace (Z.abs j) with 1%Z in I by lia.
  assert (A : 0 < / a) by (apply Rinv_0_lt_compat; lra).
  rewrite Rmult_1_l, exp_ln in I by lra.
  assert (M := geometric_move a y (y + j) 1 H ltac:(lia)). rewrite pow_1 in M.
  assert (P := geometric_pos a (y + j) H).
  apply (Rmult_lt_compat_r (geometric a (y + j))) in HE; [lra | exact P].
Qed.

Theorem lemma2_norm (a E : R) : 0 < a < 1 -> / a < E < / a ^ 2 ->
  let D := geometric a in
  let f := [0; 0]%Z in
  let g := [1; 1]%Z in
  law D /\ smooth D (ln E) 0 1 /\ Forall2 (fun b c => (Z.abs (b - c) <= 1)%Z) f g /\
  exists T p q, mass_of (noisy D f) T p /\ mass_of (noisy D g) T q /\ exp (ln E) * q < p.
Proof.
  intros H [H1 H2] D f g. assert (L : law D) by apply (geometric_law a H).
  split; [exact L |]. split; [apply geometric_smooth; assumption |].
  split; [repeat constructor; simpl; lia |].
  assert (One : NoDup [f]) by (repeat constructor; simpl; tauto).
  exists (fun v => In v [f]), (total [f] (noisy D f)), (total [f] (noisy D g)).
  split; [apply mass_of_finite; [apply (proj1 (noisy_law D f L)) | exact One] |].
  split; [apply mass_of_finite; [apply (proj1 (noisy_law D g L)) | exact One] |].
  assert (A : 0 < / a) by (apply Rinv_0_lt_compat; lra). rewrite exp_ln by lra.
  assert (P : 0 < (1 - a) / (1 + a)) by (apply Rdiv_lt_0_compat; lra).
  assert (A2 : 0 < a ^ 2) by (apply pow_lt; lra).
  assert (Q : 0 < ((1 - a) / (1 + a)) ^ 2) by (apply pow_lt, P).
  assert (B : E * a ^ 2 < 1).
  { apply (Rmult_lt_compat_r (a ^ 2)) in H2; [| exact A2]. rewrite Rinv_l in H2 by lra. exact H2. }
  apply (Rmult_lt_compat_l (((1 - a) / (1 + a)) ^ 2)) in B; [| exact Q].
  unfold D, f, g, geometric. simpl. simpl in B. lra.
Qed.

Theorem lemma2_norm_3 :
  ~ (forall (D : Z -> R) eps delta k f g, law D -> smooth D eps delta k -> 0 <= eps -> 0 <= delta ->
     Forall2 (fun b c => (Z.abs (b - c) <= k)%Z) f g ->
     forall T p q, mass_of (noisy D f) T p -> mass_of (noisy D g) T q -> p <= exp (IZR k * eps) * q + delta).
Proof.
  intros H. destruct (lemma2_norm (1 / 2) 3) as [L [S [F [T [p [q [Hp [Hq B]]]]]]]]; [lra | lra |].
  assert (E : 0 <= ln 3) by (rewrite <- ln_1; left; apply ln_increasing; lra).
  specialize (H _ _ _ _ _ _ L S E (Rle_refl 0) F T p q Hp Hq). rewrite Rmult_1_l in H. lra.
Qed.
