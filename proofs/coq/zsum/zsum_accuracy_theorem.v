(** The accuracy of zsum: the theorem with its constants, and for any probability of failure.

    The estimate of the mean of n records is within gamma (1 + h) of it, but with a small probability. Let
    c = (1 + sqrt 17)/4, which is between 1.28 and 1.2808.

    - [zsum_accuracy_sharp]: for eps in (0, 1], delta in (0, 1), n >= 100 ln(2/delta)/eps^2, the theorem's
      gamma = 50 ln(2/delta)/(eps^2 n) or any larger one up to 1, and every data set of n records, an error
      above alpha = gamma (1 + c eps) has probability at most (delta/2)^25, so at most beta >= delta^25;
    - [zsum_accuracy]: for the theorem's gamma the same with alpha = gamma (1 + 1.2808 eps), which is at most
      114.04 ln(2/delta)/(eps^2 n);
    - [zsum_accuracy_beta]: this alpha serves every beta >= delta^25;
    - [zsum_accuracy_order]: for delta <= 1/2, it is at most 228.08 ln(1/delta)/(eps^2 n);
    - [zsum_accuracy_every_beta]: for every n >= 1, gamma in (0, 1] and beta in (0, 1), an error above
      gamma (1 + h) has probability at most beta, where h = (L + sqrt(L^2 + 8 L))/2, L = ln(1/beta)/mu and
      mu = n gamma;
    - [zsum_accuracy_root_sharp], [zsum_accuracy_root] and [zsum_accuracy_root_beta]: that h is at most
      c eps < 1.2808 eps wherever L <= eps^2/2, which is so for the theorem's gamma and every beta in
      [delta^25, 1).

    Idea: an error above (1 + h) gamma has probability at most e^(-mu h^2/(2 + h)). With h = c eps and
    eps <= 1 the fraction h^2/(2 + h) is at least eps^2/2, for 2 c^2 = 2 + c; and mu eps^2/2 = 25 ln(2/delta)
    for the theorem's gamma; this is where the power 25 comes from. For a given beta, h is the root of
    h^2 = L (2 + h), so that the exponent is -ln(1/beta).

    Source: the protocol and its n and gamma are from Balcer and Cheu 2020, section 3.1; the constants and
    this proof are this package's. *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import reals laws privacy zsum zsum_accuracy.
Open Scope R_scope.

(** ** The theorem's gamma *)

Lemma ln_positive x : 1 < x -> 0 < ln x.
Proof. intros H. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma ln_monotone x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx [H | ->]; [left; apply ln_increasing; assumption | right; reflexivity]. Qed.

Lemma ln_2_over_delta delta : 0 < delta < 1 -> 0 < ln (2 / delta).
Proof.
  intros H. apply ln_positive, Rmult_lt_reg_r with delta; [lra |].
  replace (2 / delta * delta) with 2 by (field; lra). lra.
Qed.

(** The n of the theorem is at least 1, as an inequality without division. *)
Lemma zsum_least_n n eps delta : 0 < eps -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n ->
  (1 <= n)%nat /\ 100 * ln (2 / delta) <= INR n * eps ^ 2.
Proof.
  intros He Hd H. assert (E := pow_lt eps 2 He). assert (L := ln_2_over_delta delta Hd). split.
  - apply INR_lt. simpl (INR 0). eapply Rlt_le_trans; [| exact H]. apply Rdiv_lt_0_compat; lra.
  - apply (Rmult_le_compat_r (eps ^ 2)) in H; [| lra].
    replace (100 * ln (2 / delta) / eps ^ 2 * eps ^ 2) with (100 * ln (2 / delta)) in H by (field; lra).
    exact H.
Qed.

(** mu = n gamma = 50 ln(2/delta)/eps^2. *)
Theorem zsum_gamma_mean n eps delta : (1 <= n)%nat -> 0 < eps ->
  INR n * zsum_gamma n eps delta * eps ^ 2 = 50 * ln (2 / delta).
Proof.
  intros Hn He. assert (P := INR_positive n Hn). unfold zsum_gamma. field. lra.
Qed.

Lemma zsum_gamma_range n eps delta :
  0 < eps -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n ->
  0 < zsum_gamma n eps delta <= 1 / 2.
Proof.
  intros He Hd H. destruct (zsum_least_n n eps delta He Hd H) as [Hn Hl].
  assert (P := INR_positive n Hn). assert (L := ln_2_over_delta delta Hd).
  assert (M := zsum_gamma_mean n eps delta Hn He).
  assert (Q : 0 < INR n * eps ^ 2) by (apply Rmult_lt_0_compat; [exact P | apply pow_lt, He]).
  split; apply Rmult_lt_reg_r with (INR n * eps ^ 2) || apply Rmult_le_reg_r with (INR n * eps ^ 2); lra.
Qed.

(** ** The exponent *)

(** e^(-25 ln(2/delta)) = (delta/2)^25 < delta^25. *)
Lemma exp_power_25 delta : 0 < delta < 1 -> exp (- (25 * ln (2 / delta))) = (delta / 2) ^ 25.
Proof.
  intros H. assert (D : 0 < 2 / delta) by (apply Rdiv_lt_0_compat; lra).
  replace (delta / 2) with (exp (- ln (2 / delta))).
  - rewrite exp_power. f_equal. rewrite INR_IZR_INZ. simpl. ring.
  - rewrite exp_Ropp, exp_ln by exact D. field. lra.
Qed.

Lemma half_delta_power delta : 0 < delta -> (delta / 2) ^ 25 < delta ^ 25.
Proof.
  intros H. unfold Rdiv. rewrite Rpow_mult_distr. assert (P := pow_lt delta 25 H).
  assert (Q : (/ 2) ^ 25 < 1) by (apply pow_lt_1_compat; [lra | lia]).
  apply (Rmult_lt_compat_l (delta ^ 25)) in Q; lra.
Qed.

(** The constant of the theorem, (1 + sqrt 17)/4 = 1.28077... *)
Definition accuracy_constant : R := (1 + sqrt 17) / 4.

(** It is the root c > 0 of 2 c^2 = 2 + c. *)
Lemma accuracy_constant_equation : 2 * accuracy_constant ^ 2 = 2 + accuracy_constant.
Proof.
  unfold accuracy_constant. assert (S : sqrt 17 * sqrt 17 = 17) by (apply sqrt_sqrt; lra).
  set (s := sqrt 17) in *. replace (2 * ((1 + s) / 4) ^ 2) with ((1 + 2 * s + s * s) / 8) by field.
  rewrite S. field.
Qed.

Lemma accuracy_constant_bounds : 128 / 100 < accuracy_constant < 12808 / 10000.
Proof.
  unfold accuracy_constant. assert (S : sqrt 17 * sqrt 17 = 17) by (apply sqrt_sqrt; lra).
  assert (P : 0 <= sqrt 17) by apply sqrt_pos. set (s := sqrt 17) in *.
  split; apply Rnot_le_lt; intros H.
  - assert (B : s <= 412 / 100) by lra. apply (Rmult_le_compat s _ s _ P P B) in B. lra.
  - assert (B : 41232 / 10000 <= s) by lra.
    assert (Q : 0 <= 41232 / 10000) by lra. apply (Rmult_le_compat _ s _ s Q Q B) in B. lra.
Qed.

(** With h = c eps, h^2/(2 + h) >= eps^2/2: here 2 c^2 = 2 + c is used. *)
Lemma deviation_exponent eps : 0 < eps <= 1 ->
  eps ^ 2 / 2 <= (accuracy_constant * eps) ^ 2 / (2 + accuracy_constant * eps).
Proof.
  intros H. assert (C := accuracy_constant_equation). assert (B := accuracy_constant_bounds).
  set (c := accuracy_constant) in *.
  assert (G : 0 < c * eps) by (apply Rmult_lt_0_compat; lra).
  assert (E : 0 < eps ^ 2) by (apply pow_lt; lra).
  assert (F : 0 <= eps ^ 2 * (c * (1 - eps))) by (apply Rmult_le_pos; [| apply Rmult_le_pos]; lra).
  apply Rmult_le_reg_r with (2 + c * eps); [lra |].
  replace ((c * eps) ^ 2 / (2 + c * eps) * (2 + c * eps)) with (eps ^ 2 / 2 * (2 * c ^ 2)) by (field; lra).
  rewrite C. lra.
Qed.

(** The tail bound of [zsum_accuracy_general] for h = c eps and the theorem's gamma, or a larger one. *)
Lemma theorem_tail n eps delta gamma :
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n ->
  zsum_gamma n eps delta <= gamma ->
  let h := accuracy_constant * eps in
  exp (- (h ^ 2 / (2 + h) * (INR n * gamma))) <= (delta / 2) ^ 25.
Proof.
  intros He Hd H Hg h. destruct (zsum_least_n n eps delta (proj1 He) Hd H) as [Hn _].
  assert (G := zsum_gamma_range n eps delta (proj1 He) Hd H). assert (P := INR_positive n Hn).
  assert (M := zsum_gamma_mean n eps delta Hn (proj1 He)).
  rewrite <- exp_power_25 by exact Hd. apply exp_le, Ropp_le_contravar.
  assert (D := deviation_exponent eps He). fold h in D.
  assert (Q : INR n * zsum_gamma n eps delta <= INR n * gamma) by (apply Rmult_le_compat_l; lra).
  apply Rle_trans with (eps ^ 2 / 2 * (INR n * gamma)).
  - assert (E : 0 <= eps ^ 2 / 2) by (assert (E := pow2_ge_0 eps); lra).
    apply (Rmult_le_compat_l (eps ^ 2 / 2)) in Q; lra.
  - apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | exact D].
Qed.

(** ** The theorem *)

(** With the theorem's gamma, or a larger one: an error above alpha = gamma (1 + (1 + sqrt 17)/4 eps) has
    probability at most (delta/2)^25 < delta^25, and so at most beta for every beta >= delta^25. *)
Theorem zsum_accuracy_sharp (n : nat) (eps delta gamma : R) (xs : list bool) :
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> length xs = n ->
  zsum_gamma n eps delta <= gamma <= 1 ->
  let alpha := gamma * (1 + (1 + sqrt 17) / 4 * eps) in
  let failure := Pr (messages (zsum_randomizer gamma) xs)
    (fun y => Rltb alpha (Rabs (zsum_estimate n gamma y - INR (ones xs) / INR n))) in
  failure <= (delta / 2) ^ 25 /\ forall beta, delta ^ 25 <= beta -> failure <= beta.
Proof.
  intros He Hd H L Hg alpha failure. destruct (zsum_least_n n eps delta (proj1 He) Hd H) as [Hn _].
  assert (G := zsum_gamma_range n eps delta (proj1 He) Hd H). assert (B := accuracy_constant_bounds).
  assert (F : failure <= (delta / 2) ^ 25).
  { eapply Rle_trans; [| apply (theorem_tail n eps delta gamma He Hd H (proj1 Hg))].
    unfold failure, alpha. fold accuracy_constant. rewrite (Rmult_comm gamma).
    apply (zsum_accuracy_general n gamma (accuracy_constant * eps) xs Hn);
      [lra | apply Rmult_le_pos; lra | exact L]. }
  split; [exact F |]. intros beta Hb. assert (D := half_delta_power delta (proj1 Hd)). lra.
Qed.

(** The alpha with 1.2808 is a little larger. *)
Lemma accuracy_alpha_le gamma eps : 0 <= gamma -> 0 <= eps ->
  gamma * (1 + (1 + sqrt 17) / 4 * eps) <= gamma * (1 + 12808 / 10000 * eps).
Proof.
  intros Hg He. assert (B := accuracy_constant_bounds). fold accuracy_constant.
  apply Rmult_le_compat_l; [exact Hg |]. apply Rplus_le_compat_l, Rmult_le_compat_r; lra.
Qed.

(** With 1.2808: an error above alpha = gamma (1 + 1.2808 eps) has probability at most
    (delta/2)^25 < delta^25, and alpha is at most 114.04 ln(2/delta)/(eps^2 n). *)
Theorem zsum_accuracy (n : nat) (eps delta : R) (xs : list bool) :
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> length xs = n ->
  let gamma := zsum_gamma n eps delta in
  let alpha := gamma * (1 + 12808 / 10000 * eps) in
  Pr (messages (zsum_randomizer gamma) xs)
    (fun y => Rltb alpha (Rabs (zsum_estimate n gamma y - INR (ones xs) / INR n))) <= (delta / 2) ^ 25
  /\ (delta / 2) ^ 25 < delta ^ 25
  /\ alpha <= 11404 / 100 * ln (2 / delta) / (eps ^ 2 * INR n).
Proof.
  intros He Hd H L gamma alpha. assert (He' := proj1 He).
  assert (G := zsum_gamma_range n eps delta He' Hd H). fold gamma in G.
  destruct (zsum_least_n n eps delta He' Hd H) as [Hn _]. assert (P := INR_positive n Hn).
  split; [| split; [apply half_delta_power; lra |]].
  - destruct (zsum_accuracy_sharp n eps delta gamma xs He Hd H L) as [S _].
    { split; [apply Rle_refl | lra]. }
    eapply Rle_trans; [| exact S].
    apply Pr_le; [apply proper_messages; intros; apply proper_zsum_randomizer; lra |].
    intros y Y. apply Rltb_true in Y. apply Rltb_true.
    assert (A := accuracy_alpha_le gamma eps). unfold alpha in Y. lra.
  - assert (C : 0 < ln (2 / delta) / (eps ^ 2 * INR n)).
    { apply Rdiv_lt_0_compat; [apply ln_2_over_delta, Hd |].
      apply Rmult_lt_0_compat; [apply pow_lt, He' | exact P]. }
    set (c := ln (2 / delta) / (eps ^ 2 * INR n)) in *.
    replace (11404 / 100 * ln (2 / delta) / (eps ^ 2 * INR n)) with (11404 / 100 * c)
      by (unfold c, Rdiv; ring).
    replace alpha with (50 * c * (1 + 12808 / 10000 * eps))
      by (unfold alpha, gamma, zsum_gamma, c, Rdiv; ring).
    assert (F : 0 <= c * (1 - eps)) by (apply Rmult_le_pos; lra).
    lra.
Qed.

(** The same alpha bounds the error but with probability beta, for every beta >= delta^25. *)
Theorem zsum_accuracy_beta (n : nat) (eps delta beta : R) (xs : list bool) :
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> length xs = n ->
  delta ^ 25 <= beta ->
  let gamma := zsum_gamma n eps delta in
  Pr (messages (zsum_randomizer gamma) xs)
    (fun y => Rltb (gamma * (1 + 12808 / 10000 * eps))
                   (Rabs (zsum_estimate n gamma y - INR (ones xs) / INR n))) <= beta.
Proof.
  intros He Hd H L B gamma. destruct (zsum_accuracy n eps delta xs He Hd H L) as [A [D _]].
  fold gamma in A. lra.
Qed.

(** For delta <= 1/2 the theorem's alpha is of the order ln(1/delta)/(eps^2 n). *)
Theorem zsum_accuracy_order (n : nat) (eps delta : R) :
  0 < eps <= 1 -> 0 < delta <= 1 / 2 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n ->
  zsum_gamma n eps delta * (1 + 12808 / 10000 * eps) <= 22808 / 100 * ln (1 / delta) / (eps ^ 2 * INR n).
Proof.
  intros He Hd H. assert (Hd' : 0 < delta < 1) by lra. assert (He' := proj1 He).
  destruct (zsum_least_n n eps delta He' Hd' H) as [Hn _].
  destruct (zsum_accuracy n eps delta (List.repeat true n) He Hd' H (repeat_length _ _)) as [_ [_ A]].
  eapply Rle_trans; [exact A |]. apply Rmult_le_compat_r.
  - left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; [apply pow_lt, He' | apply INR_positive, Hn].
  - assert (T : 2 <= 1 / delta).
    { apply Rmult_le_reg_r with delta; [lra |]. replace (1 / delta * delta) with 1 by (field; lra). lra. }
    replace (2 / delta) with (2 * (1 / delta)) by (field; lra). rewrite ln_mult by lra.
    assert (N := ln_monotone 2 (1 / delta) ltac:(lra) T). lra.
Qed.

(** ** Any probability of failure *)

(** The root h of h^2 = L (2 + h). *)
Definition deviation_root (L : R) : R := (L + sqrt (L ^ 2 + 8 * L)) / 2.

Lemma deviation_root_equation L : 0 <= L ->
  0 <= deviation_root L /\ deviation_root L ^ 2 = L * (2 + deviation_root L).
Proof.
  intros H. unfold deviation_root. assert (Q : 0 <= L ^ 2) by apply pow2_ge_0.
  assert (S := sqrt_pos (L ^ 2 + 8 * L)).
  assert (E : sqrt (L ^ 2 + 8 * L) * sqrt (L ^ 2 + 8 * L) = L ^ 2 + 8 * L) by (apply sqrt_sqrt; lra).
  set (s := sqrt (L ^ 2 + 8 * L)) in *. split; [lra |].
  replace (((L + s) / 2) ^ 2) with ((L ^ 2 + 2 * L * s + s * s) / 4) by field. rewrite E. field.
Qed.

(** With L = ln(x)/mu the tail bound of [zsum_accuracy_general] is 1/x at the root. *)
Lemma root_tail mu x : 0 < mu -> 1 < x ->
  let h := deviation_root (ln x / mu) in
  0 <= h /\ exp (- (h ^ 2 / (2 + h) * mu)) = 1 / x.
Proof.
  intros M X h. assert (T := ln_positive x X).
  assert (L0 : 0 <= ln x / mu) by (left; apply Rdiv_lt_0_compat; assumption).
  destruct (deviation_root_equation _ L0) as [H0 H2]. fold h in H0, H2. split; [exact H0 |].
  replace (h ^ 2 / (2 + h) * mu) with (ln x) by (rewrite H2; field; lra).
  rewrite exp_Ropp, exp_ln by lra. field. lra.
Qed.

(** For every beta in (0, 1): an error above gamma (1 + h) has probability at most beta. *)
Theorem zsum_accuracy_every_beta (n : nat) (gamma beta : R) (xs : list bool) :
  (1 <= n)%nat -> 0 < gamma <= 1 -> 0 < beta < 1 -> length xs = n ->
  let L := ln (1 / beta) / (INR n * gamma) in
  let h := (L + sqrt (L ^ 2 + 8 * L)) / 2 in
  Pr (messages (zsum_randomizer gamma) xs)
    (fun y => Rltb (gamma * (1 + h)) (Rabs (zsum_estimate n gamma y - INR (ones xs) / INR n))) <= beta.
Proof.
  intros Hn Hg Hb Hl L h. assert (P := INR_positive n Hn).
  assert (M : 0 < INR n * gamma) by (apply Rmult_lt_0_compat; lra).
  assert (B : 1 < 1 / beta).
  { apply Rmult_lt_reg_r with beta; [lra |]. replace (1 / beta * beta) with 1 by (field; lra). lra. }
  destruct (root_tail _ _ M B) as [H0 E]. fold L in H0, E. change (deviation_root L) with h in H0, E.
  apply Rle_trans with (1 / (1 / beta)); [rewrite <- E, (Rmult_comm gamma) | right; field; lra].
  apply zsum_accuracy_general; lra || assumption.
Qed.

(** The root is at most (1 + sqrt 17)/4 eps where L <= eps^2/2. *)
Lemma zsum_accuracy_root_sharp (eps L : R) : 0 < eps <= 1 -> 0 <= L <= eps ^ 2 / 2 ->
  (L + sqrt (L ^ 2 + 8 * L)) / 2 <= (1 + sqrt 17) / 4 * eps.
Proof.
  intros He HL. assert (Q := accuracy_constant_equation). assert (B := accuracy_constant_bounds).
  fold accuracy_constant. set (c := accuracy_constant) in *.
  assert (E : 0 <= eps * (1 - eps)) by (apply Rmult_le_pos; lra).
  assert (C : 1 * eps <= c * eps) by (apply Rmult_le_compat_r; lra).
  assert (A : 0 <= 2 * (c * eps) - L) by lra.
  assert (S : sqrt (L ^ 2 + 8 * L) <= 2 * (c * eps) - L); [| lra].
  rewrite <- (sqrt_pow2 _ A). apply sqrt_le_1_alt.
  assert (D : L * (2 + c * eps) <= eps ^ 2 / 2 * (2 + c * eps)) by (apply Rmult_le_compat_r; lra).
  assert (F : 0 <= eps ^ 2 * (c * (1 - eps)))
    by (apply Rmult_le_pos; [apply pow2_ge_0 | apply Rmult_le_pos; lra]).
  assert (G : eps ^ 2 / 2 * (2 * c ^ 2) = eps ^ 2 / 2 * (2 + c)) by (rewrite Q; reflexivity).
  lra.
Qed.

(** So it is at most 1.2808 eps. *)
Lemma zsum_accuracy_root (eps L : R) : 0 < eps <= 1 -> 0 <= L <= eps ^ 2 / 2 ->
  (L + sqrt (L ^ 2 + 8 * L)) / 2 <= 12808 / 10000 * eps.
Proof.
  intros He HL. assert (S := zsum_accuracy_root_sharp eps L He HL).
  assert (A := accuracy_alpha_le 1 eps). lra.
Qed.

(** L <= eps^2/2 for the theorem's gamma and every beta >= delta^25. *)
Theorem rate_of_beta (n : nat) (eps delta beta : R) :
  0 < eps -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> delta ^ 25 <= beta < 1 ->
  0 <= ln (1 / beta) / (INR n * zsum_gamma n eps delta) <= eps ^ 2 / 2.
Proof.
  intros He Hd H Hb. destruct (zsum_least_n n eps delta He Hd H) as [Hn _].
  assert (G := zsum_gamma_range n eps delta He Hd H). assert (P := INR_positive n Hn).
  assert (M := zsum_gamma_mean n eps delta Hn He).
  set (mu := INR n * zsum_gamma n eps delta) in *.
  assert (M0 : 0 < mu) by (apply Rmult_lt_0_compat; lra).
  assert (B0 : 0 < beta) by (assert (D := pow_lt delta 25 (proj1 Hd)); lra).
  assert (B : exp (- (25 * ln (2 / delta))) <= beta).
  { rewrite exp_power_25 by exact Hd. assert (D := half_delta_power delta (proj1 Hd)). lra. }
  assert (T : 0 <= ln (1 / beta) <= 25 * ln (2 / delta)).
  { unfold Rdiv at 1 2. rewrite Rmult_1_l, ln_Rinv by exact B0. split.
    - assert (N := ln_monotone beta 1 B0 (Rlt_le _ _ (proj2 Hb))). rewrite ln_1 in N. lra.
    - assert (N := ln_monotone _ _ (exp_pos _) B). rewrite ln_exp in N. lra. }
  split; apply Rmult_le_reg_r with mu; try exact M0;
    replace (ln (1 / beta) / mu * mu) with (ln (1 / beta)) by (field; lra); lra.
Qed.

(** So the theorem's alpha is at least what [zsum_accuracy_every_beta] gives for these beta. *)
Lemma zsum_accuracy_root_beta (n : nat) (eps delta beta : R) :
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> delta ^ 25 <= beta < 1 ->
  let L := ln (1 / beta) / (INR n * zsum_gamma n eps delta) in
  (L + sqrt (L ^ 2 + 8 * L)) / 2 <= 12808 / 10000 * eps.
Proof.
  intros He Hd H Hb L. apply zsum_accuracy_root; [exact He |].
  apply rate_of_beta; lra || assumption.
Qed.
