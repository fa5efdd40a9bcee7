(** Laplace noise: its density on k coordinates, and its tails.

    The Laplace law of scale b > 0 around z has the density e^(-abs(t - z)/b)/(2 b) at t.

    - [laplace_private]: for a query of k coordinates, every k, of l1 sensitivity Df > 0, and independent
      noise of scale Df/eps on each, eps > 0, the density at every output is at most e^eps times that for a
      neighbour;
    - [laplace_tail]: the noise is above r with probability e^(-r/b)/2, and below -r as well, for r >= 0, as
      improper integrals of its density; r = 0 says that it is one.

    Idea: abs(t - z) - abs(t - z') <= abs(z - z'), and the exponents add up.
    Source: Dwork, McSherry, Nissim and Smith 2006; Dwork and Roth 2014, theorem 3.6. *)

From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals.
Import ListNotations.
Open Scope R_scope.

Definition laplace (b z t : R) : R := exp (- Rabs (t - z) / b) / (2 * b).

(** The density of z + (noise_1, ..., noise_k) at the output t, and the distance of two answers. *)
Fixpoint laplace_density (b : R) (z t : list R) : R :=
  match z, t with
  | [], [] => 1
  | z1 :: z', t1 :: t' => laplace b z1 t1 * laplace_density b z' t'
  | _, _ => 0
  end.

Fixpoint l1_norm (y z : list R) : R :=
  match y, z with
  | y1 :: y', z1 :: z' => Rabs (y1 - z1) + l1_norm y' z'
  | _, _ => 0
  end.

Lemma laplace_pos b z t : 0 < b -> 0 < laplace b z t.
Proof. intros H. apply Rdiv_lt_0_compat; [apply exp_pos | lra]. Qed.

Lemma laplace_density_nonneg b z t : 0 < b -> 0 <= laplace_density b z t.
Proof.
  intros H. revert t. induction z as [| z1 z IH]; intros [| t1 t]; simpl; try lra.
  apply Rmult_le_pos; [left; apply laplace_pos, H | apply IH].
Qed.

Lemma laplace_ratio b y z t : 0 < b -> laplace b y t <= exp (Rabs (y - z) / b) * laplace b z t.
Proof.
  intros H. unfold laplace. unfold Rdiv at 2 4. rewrite <- Rmult_assoc, <- exp_plus.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra |]. apply exp_le.
  replace (Rabs (y - z) / b + - Rabs (t - z) / b) with ((Rabs (y - z) - Rabs (t - z)) / b) by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, H |].
  assert (X := Rabs_triang (t - y) (y - z)). replace (t - y + (y - z)) with (t - z) in X by ring. lra.
Qed.

Lemma laplace_density_ratio b y z t :
  0 < b -> length y = length z ->
  laplace_density b y t <= exp (l1_norm y z / b) * laplace_density b z t.
Proof.
  intros H. revert z t. induction y as [| y1 y IH]; intros [| z1 z] t L; try discriminate.
  - simpl. unfold Rdiv. rewrite Rmult_0_l, exp_0. lra.
  - destruct t as [| t1 t]; [simpl; lra |]. cbn [laplace_density l1_norm]. injection L as L.
    replace ((Rabs (y1 - z1) + l1_norm y z) / b) with (Rabs (y1 - z1) / b + l1_norm y z / b) by (field; lra).
    rewrite exp_plus.
    eapply Rle_trans; [apply Rmult_le_compat;
      [left; apply laplace_pos, H | apply laplace_density_nonneg, H | apply (laplace_ratio b y1 z1 t1 H) |
       apply (IH z t L)] |].
    right. ring.
Qed.

(** Ledger row laplace-privacy. *)
Theorem laplace_private {X} (neighbor : X -> X -> Prop) (f : X -> list R) eps Df :
  0 < eps -> 0 < Df ->
  (forall x y, neighbor x y -> length (f x) = length (f y) /\ l1_norm (f x) (f y) <= Df) ->
  forall x y, neighbor x y -> forall t,
  laplace_density (Df / eps) (f x) t <= exp eps * laplace_density (Df / eps) (f y) t.
Proof.
  intros He HD S x y N t. destruct (S x y N) as [L D].
  assert (B : 0 < Df / eps) by (apply Rdiv_lt_0_compat; assumption).
  eapply Rle_trans; [apply (laplace_density_ratio _ _ (f y)); assumption |].
  apply Rmult_le_compat_r; [apply laplace_density_nonneg, B |]. apply exp_le.
  replace eps with (Df / (Df / eps)) at 2 by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, B | exact D].
Qed.

(** ** Tails *)

Lemma laplace_upper_integral b r s :
  0 < b -> 0 <= r <= s -> is_RInt (laplace b 0) r s (exp (- r / b) / 2 - exp (- s / b) / 2).
Proof.
  intros H [Hr Hs]. apply (is_RInt_ext (fun t => exp (- t / b) / (2 * b))).
  - intros t [T _]. rewrite Rmin_left in T by exact Hs. unfold laplace.
    rewrite Rminus_0_r, Rabs_right by lra. reflexivity.
  - replace (exp (- r / b) / 2 - exp (- s / b) / 2)
      with (minus (- exp (- s / b) / 2) (- exp (- r / b) / 2))
      by (unfold minus, plus, opp; simpl; unfold Rdiv; ring).
    apply (is_RInt_derive (fun t => - exp (- t / b) / 2)).
    + intros t _. auto_derive; [exact I |]. unfold Rdiv. field. lra.
    + intros t _. apply (ex_derive_continuous (fun t => exp (- t / b) / (2 * b))). auto_derive. lra.
Qed.

Lemma laplace_lower_integral b r s :
  0 < b -> 0 <= r <= s -> is_RInt (laplace b 0) (- s) (- r) (exp (- r / b) / 2 - exp (- s / b) / 2).
Proof.
  intros H Hr. assert (I := laplace_upper_integral b r s H Hr). apply is_RInt_swap in I.
  rewrite <- (Ropp_involutive s), <- (Ropp_involutive r) in I at 1. apply is_RInt_comp_opp in I.
  replace (exp (- r / b) / 2 - exp (- s / b) / 2)
    with (opp (opp (exp (- r / b) / 2 - exp (- s / b) / 2))) by (unfold opp; simpl; ring).
  apply (is_RInt_ext (fun t => opp (opp (laplace b 0 (- t))))).
  - intros t _. unfold opp, laplace. simpl. rewrite Ropp_involutive. f_equal. f_equal.
    rewrite !Rminus_0_r, Rabs_Ropp. reflexivity.
  - apply (is_RInt_opp (fun t => opp (laplace b 0 (- t)))), I.
Qed.

(** Beyond some s what is left is small. *)
Lemma small_tail b eta : 0 < b -> 0 < eta -> forall s, b * ln (/ eta) < s -> exp (- s / b) / 2 < eta.
Proof.
  intros H He s Hs. assert (E : exp (- s / b) < eta).
  - rewrite <- (exp_ln eta) by exact He. apply exp_increasing. rewrite ln_Rinv in Hs by exact He.
    apply Rmult_lt_reg_l with b; [exact H |]. replace (b * (- s / b)) with (- s) by (field; lra). lra.
  - assert (X := exp_pos (- s / b)). lra.
Qed.

Lemma near_the_limit b r (P : R -> Prop) :
  0 < b -> 0 <= r -> locally (exp (- r / b) / 2) P ->
  exists M, forall s, M < s -> r <= s /\ P (exp (- r / b) / 2 - exp (- s / b) / 2).
Proof.
  intros H Hr [eta L]. exists (Rmax r (b * ln (/ eta))). intros s Hs.
  assert (X := Rmax_l r (b * ln (/ eta))). assert (Y := Rmax_r r (b * ln (/ eta))). split; [lra |].
  apply L. assert (S := small_tail b eta H (cond_pos eta) s ltac:(lra)). assert (E := exp_pos (- s / b)).
  unfold ball. simpl. unfold AbsRing_ball, abs, minus, plus, opp. simpl.
  replace (exp (- r / b) / 2 - exp (- s / b) / 2 + - (exp (- r / b) / 2))
    with (- (exp (- s / b) / 2)) by ring.
  rewrite Rabs_Ropp, Rabs_right; lra.
Qed.

(** Noise of scale b is above r with probability e^(-r/b)/2, and below -r as well. *)
Theorem laplace_tail b r :
  0 < b -> 0 <= r ->
  is_RInt_gen (laplace b 0) (at_point r) (Rbar_locally p_infty) (exp (- r / b) / 2) /\
  is_RInt_gen (laplace b 0) (Rbar_locally m_infty) (at_point (- r)) (exp (- r / b) / 2).
Proof.
  intros H Hr. split; intros P L; destruct (near_the_limit b r P H Hr L) as [M HM].
  - apply (Filter_prod _ _ _ (fun t => t = r) (fun s => M < s)).
    + reflexivity.
    + exists M. auto.
    + intros t s -> Hs. simpl. destruct (HM s Hs) as [S PS].
      exists (exp (- r / b) / 2 - exp (- s / b) / 2). split; [apply laplace_upper_integral; lra | exact PS].
  - apply (Filter_prod _ _ _ (fun s => s < - M) (fun t => t = - r)).
    + exists (- M). auto.
    + reflexivity.
    + intros s t Hs ->. simpl. destruct (HM (- s)) as [S PS]; [lra |].
      exists (exp (- r / b) / 2 - exp (- - s / b) / 2). split; [| exact PS].
      rewrite <- (Ropp_involutive s) at 1. apply laplace_lower_integral; lra.
Qed.
