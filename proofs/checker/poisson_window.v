(** The window of a Poisson law with mean mu >= 0, a rational or a positive real expression.

    [poisson_window bits mu] encloses the weights mu^t / t! from the mode outward ([poisson_window_sound]). The masses
    add up to 1 ([poisson_law]) and are log-concave ([poisson_masses_log_concave]), for every mu >= 0.

    The program is the class PoissonNoise of exactdp/checker/noise_laws.py. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums masses geometric_tail longer_shift noise_on_naturals log_concave_laws fixed_point.
From ExactdpChecker Require Import claims outward windows walked_naturals enclosed_reals binomial_window.
From ExactdpChecker Require Import laws_on_naturals.
Import ListNotations.
Open Scope Z_scope.

Definition poisson_ratio (l h d t : Z) : Z * Z * Z := (l, h, d * (t + 1)).

Definition poisson_window (bits : nat) (mu : real) : option window :=
  match parameter bits mu with
  | Some (l, h, d) =>
      if if is_rational mu then 0 <=? l else 0 <? l then
        walked_naturals (poisson_ratio l h d) None 0 1 (l / d) bits
      else None
  | None => None
  end.

Open Scope R_scope.

Definition poisson (mu : R) : Z -> R := on_naturals (fun t => exp (- mu) * mu ^ t / INR (fact t)).

Lemma poisson_by_ratios mu t :
  exp (- mu) * mu ^ t / INR (fact t) = exp (- mu) * by_ratios (fun t => mu / (INR t + 1)) t.
Proof.
  unfold Rdiv. rewrite Rmult_assoc. f_equal. fold (Rdiv (mu ^ t) (INR (fact t))).
  induction t as [| t IH]; [simpl; field |]. cbn [by_ratios]. rewrite <- IH. rewrite fact_simpl, mult_INR, S_INR.
  simpl pow.
  assert (P := pos_INR t). field. split; [apply INR_fact_neq_0 | lra].
Qed.

Lemma poisson_masses_log_concave mu : 0 <= mu -> log_concave (poisson mu).
Proof.
  intros H. apply (log_concave_ext (fun t => exp (- mu) * on_naturals (by_ratios (fun t => mu / (INR t + 1))) t)).
  - intros t. unfold poisson, on_naturals. destruct (Z.ltb t 0); [ring | symmetry; apply poisson_by_ratios].
  - apply log_concave_scaled; [left; apply exp_pos | apply poisson_log_concave, H].
Qed.

Lemma poisson_law mu : 0 <= mu -> law (poisson mu).
Proof.
  intros H. apply law_on_naturals.
  - intros t. assert (P := proj1 (poisson_masses_log_concave mu H) (Z.of_nat t)). unfold poisson, on_naturals in P.
    rewrite (proj2 (Z.ltb_ge _ _)), Nat2Z.id in P by lia. exact P.
  - assert (X : exp_in mu (exp mu)) by exact (proj2_sig (exist_exp mu)). unfold exp_in, infinite_sum in X.
    intros e He. assert (P := exp_pos (- mu)). destruct (X (e / exp (- mu))) as [N HN]; [apply Rdiv_lt_0_compat; lra |].
    exists N. intros n Hn. specialize (HN n Hn). unfold R_dist in *.
    rewrite (sum_eq _ (fun i => / INR (fact i) * mu ^ i * exp (- mu))) by (intros; unfold Rdiv; ring).
    rewrite <- scal_sum. replace 1 with (exp (- mu) * exp mu) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
    rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_right (exp (- mu))) by lra.
    apply Rmult_lt_reg_l with (/ exp (- mu)); [apply Rinv_0_lt_compat, P |].
    rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. unfold Rdiv in HN. rewrite (Rmult_comm (/ _)). exact HN.
Qed.

Lemma poisson_next mu t : (0 <= t)%Z -> poisson mu (t + 1) * IZR (t + 1) = poisson mu t * mu.
Proof.
  intros H. unfold poisson, on_naturals. rewrite !(proj2 (Z.ltb_ge _ _)) by lia.
  replace (Z.to_nat (t + 1)) with (S (Z.to_nat t)) by lia. rewrite fact_simpl, mult_INR. simpl pow.
  replace (IZR (t + 1)) with (INR (S (Z.to_nat t))) by (rewrite INR_IZR_INZ; f_equal; lia).
  field. split; [apply INR_fact_neq_0 | apply not_0_INR; lia].
Qed.

Theorem poisson_window_sound bits mu v :
  poisson_window bits mu = Some v ->
  noise_posed (Poisson mu) /\ exists c, encloses v (noise_mass (Poisson mu)) c.
Proof.
  unfold poisson_window. destruct (parameter bits mu) as [[[l h] d] |] eqn:E; [| discriminate].
  destruct (if is_rational mu then _ else _) eqn:G; [| discriminate].
  destruct (parameter_sound _ _ _ _ _ E) as [N [D [[L U] Eq]]]. assert (Rd := IZR_lt _ _ D).
  assert (Hl : (0 <= l)%Z /\ (0 < l \/ l = h)%Z).
  { destruct (is_rational mu); [apply Z.leb_le in G; auto | apply Z.ltb_lt in G; lia]. }
  destruct Hl as [Hl Case]. assert (Rl := IZR_le _ _ Hl). clear E G Eq. set (m := value mu) in *.
  assert (M : 0 <= m) by (apply Rmult_le_reg_l with (IZR d); lra).
  intros W. split; [cbn [noise_posed]; auto |]. cbn [noise_mass]. fold m. fold (poisson m).
  set (start := (l / d)%Z) in *. exists (2 ^ bits / poisson m start).
  assert (S0 : (0 <= start)%Z) by (apply Z.div_pos; lia).
  assert (LC := poisson_masses_log_concave m M).
  assert (Start : 0 < poisson m start).
  { unfold poisson, on_naturals. rewrite (proj2 (Z.ltb_ge _ _)) by lia.
    apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [apply exp_pos |] | apply INR_fact_lt_0].
    destruct (Rle_lt_or_eq_dec 0 m M) as [P | Z0]; [apply pow_lt, P |].
    assert (l = 0)%Z as -> by (apply eq_IZR; rewrite <- Z0, Rmult_0_r in L; lra).
    unfold start. rewrite Z.div_0_l by lia. simpl. lra. }
  destruct (log_concave_falls _ start (IZR 0 / IZR 1) LC Start) as [F1 F2].
  apply (walked_naturals_sound (poisson m) (poisson_ratio l h d) None 0 1 start); auto.
  - intros t Ht. unfold poisson, on_naturals. rewrite (proj2 (Z.ltb_lt _ _) Ht). reflexivity.
  - discriminate.
  - intros t a b e Ht _ E. injection E as <- <- <-.
    assert (Hh : (0 <= h)%Z) by (apply le_IZR; lra). split; [exact Hl |]. split; [exact Hh |].
    rewrite mult_IZR, Rmult_assoc, (Rmult_comm (IZR (t + 1))), poisson_next by exact Ht.
    assert (P := proj1 LC t). replace (IZR d * (poisson m t * m)) with (IZR d * m * poisson m t) by ring.
    split; apply Rmult_le_compat_r; assumption.
  - split; [exact S0 | discriminate].
  - apply poisson_law, M.
  - lia.
Qed.
