(** The noise laws of certificates are laws, and families send laws.

    For a noise law nu of claims.v that is posed: its masses are not negative and add up to 1 ([noise_law]). For a
    randomizer that is posed, except the clipped discrete Laplace law: what each user sends is a law with finitely many
    outcomes ([proper_randomizer]). The exception is of no run of a composition that is accepted: [has_rows] tells it.

    Idea: finite sums for the finite laws, the series of e^mu, and the binomial series.
    Source: docs/certificates.md, "Noise laws" and "Families". *)

From Coq Require Import ZArith QArith Qreals Reals List Lia Lra Bool.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import sums reals laws privacy masses hockey_stick product_laws smooth_noise_privacy.
From Exactdp Require Import shifts binomial geometric_noise noise_on_naturals uniform_ends steps_one_sided.
From Exactdp Require Import negative_binomial_sums negative_binomial_law.
From Exactdp Require Import k_ary_classes unary_classes subset_classes hadamard_classes hashing_classes.
From ExactdpChecker Require Import claims posed table_laws clipped_rows.
From ExactdpChecker Require gaussian_window.
Import ListNotations.
Open Scope R_scope.

(** ** Laws of finitely many outcomes *)

Lemma mass_total {A} (d : dist A) (l : list A) : NoDup l ->
  total l (mass d) = Pr d (fun a => if in_dec same a l then true else false).
Proof.
  intros N. induction N as [| a l Ha N IH].
  - simpl total. unfold Pr, mean. rewrite (total_ext d _ (fun _ => 0)), total_zero; [reflexivity |].
    intros wa _. unfold indicator. simpl. ring.
  - change (total (a :: l) (mass d)) with (mass d a + total l (mass d)). rewrite IH. unfold mass, Pr.
    rewrite <- mean_plus. apply mean_ext. intros c. unfold indicator.
    destruct (same c a) as [E | E], (in_dec same c l) as [I | I], (in_dec same c (a :: l)) as [J | J]; subst;
      try contradiction; try ring; exfalso.
    + apply J. left. reflexivity.
    + apply J. right. exact I.
    + destruct J as [J | J]; [apply E; symmetry; exact J | contradiction].
Qed.

Lemma mass_law {A} (d : dist A) : proper d -> law (mass d).
Proof.
  intros H. apply (law_of_finite_support same (mass d) (hockey_stick.outcomes d d)).
  - intros a. apply mass_nonneg, H.
  - apply outcomes_NoDup.
  - intros a N. unfold mass, Pr, mean. rewrite (total_ext d _ (fun _ => 0)), total_zero; [reflexivity |].
    intros wa I. unfold indicator. destruct (same (snd wa) a) as [E | _]; [| ring]. exfalso. apply N.
    rewrite <- E. apply (outcomes_cover d d), I.
  - rewrite <- (Pr_all d H). unfold Pr. rewrite (mean_masses d (hockey_stick.outcomes d d));
      [| apply outcomes_NoDup | apply outcomes_cover].
    apply total_ext. intros a _. unfold indicator. ring.
Qed.

Lemma mass_below_of_below {A} (P Q : dist A) E delta : below P Q E delta -> mass_below (mass P) (mass Q) E delta.
Proof. intros H l N. rewrite !(mass_total _ l N). apply H. Qed.

Lemma law_ext {A} (D D' : A -> R) : (forall a, D a = D' a) -> law D -> law D'.
Proof.
  intros E [Pos [U L]]. split; [intros a; rewrite <- E; apply Pos |]. split.
  - intros s [l [N [I ->]]]. apply U. exists l. split; [exact N | split; [exact I |]].
    apply total_ext. intros a _. symmetry. apply E.
  - intros c Hc. apply L. intros s [l [N [I ->]]]. apply Hc. exists l. split; [exact N | split; [exact I |]].
    apply total_ext. intros a _. apply E.
Qed.

(** A law of rational weights. *)
Lemma finite_law weights : finite_posed weights -> law (noise_mass (Finite weights)).
Proof.
  intros [_ [P S]]. apply (law_ext (mass (map (fun kq : Z * Q => (Q2R (snd kq), fst kq)) weights))).
  - intros t. unfold mass, Pr, mean. simpl. rewrite total_map. apply total_ext. intros kq _. unfold indicator.
    cbn [fst snd].
    destruct (same (fst kq) t) as [-> | N]; [rewrite Z.eqb_refl; ring |]. rewrite (proj2 (Z.eqb_neq _ _) N). ring.
  - apply mass_law. split.
    + intros wa I. apply in_map_iff in I. destruct I as [kq [<- I]]. simpl. specialize (P kq I).
      apply Qlt_Rlt in P. rewrite RMicromega.Q2R_0 in P. lra.
    + unfold mean. rewrite total_map. apply Qeq_eqR in S. rewrite real_sum_Q, RMicromega.Q2R_1 in S.
      transitivity (real_sum (map snd weights)); [| exact S]. clear. induction weights as [| kq l IH]; simpl;
        [reflexivity |]. simpl in IH. rewrite IH. ring.
Qed.

Lemma view_law t histogram weights : table_posed t -> law (noise_mass (View t histogram weights)).
Proof.
  intros H. set (d := messages (table_law t) (data_set histogram)).
  set (shown := fun u => fold_right (fun m => Z.add (nth m weights 0%Z)) 0%Z u).
  apply (law_ext (mass (dmap shown d))).
  - intros a. unfold mass. rewrite Pr_dmap. apply Pr_ext. intros u. fold (shown u).
    destruct (same (shown u) a) as [-> | N]; [rewrite Z.eqb_refl; reflexivity |]. symmetry. apply Z.eqb_neq, N.
  - apply mass_law, proper_dmap, proper_messages, proper_table, H.
Qed.

(** ** A sum of two independent numbers of heads *)

Lemma binomial_sum_law n1 p1 n2 p2 : 0 <= p1 <= 1 -> 0 <= p2 <= 1 ->
  law (fun t => total (seq 0 (S n1)) (fun i => binom n1 p1 i * binomial n2 p2 (t - Z.of_nat i))).
Proof.
  intros H1 H2.
  assert (Pos : forall t, 0 <= total (seq 0 (S n1)) (fun i => binom n1 p1 i * binomial n2 p2 (t - Z.of_nat i))).
  { intros t. apply total_nonneg. intros i _. apply Rmult_le_pos; [| apply binomial_nonneg, H2].
    rewrite <- binomial_of_nat. apply binomial_nonneg, H1. }
  assert (One : total (seq 0 (S n1)) (binom n1 p1) = 1).
  { assert (X := Pr_all _ (proper_flips n1 p1 H1)). rewrite Pr_flips in X. rewrite <- X. apply total_ext. intros i _.
    reflexivity. }
  split; [exact Pos | split].
  - intros s [l [N [_ ->]]]. rewrite total_swap, <- One. apply total_le. intros i _. rewrite total_scal.
    rewrite <- (Rmult_1_r (binom n1 p1 i)) at 2. apply Rmult_le_compat_l;
      [rewrite <- binomial_of_nat; apply binomial_nonneg, H1 |].
    apply (law_finite (fun t => binomial n2 p2 (t - Z.of_nat i))); [apply shifted_law, binomial_law, H2 | exact N].
  - intros c Hc.
    set (l := map Z.of_nat (seq 0 (S (n1 + n2)))). specialize (Hc (total l (fun t =>
      total (seq 0 (S n1)) (fun i => binom n1 p1 i * binomial n2 p2 (t - Z.of_nat i))))).
    eapply Rle_trans; [| apply Hc; exists l; split; [| split; [auto | reflexivity]]].
    + rewrite total_swap, <- One. apply total_le. intros i Hi. apply in_seq in Hi. rewrite total_scal.
      rewrite <- (Rmult_1_r (binom n1 p1 i)) at 1. apply Rmult_le_compat_l;
        [rewrite <- binomial_of_nat; apply binomial_nonneg, H1 |].
      assert (L := binomial_law n2 p2 H2). destruct (shifted_law _ (Z.of_nat i) L) as [Q0 [_ Least]]. cbv beta in *.
      apply Least. intros s [m [Nm [_ ->]]].
      set (inside := fun t => if in_dec Z.eq_dec t l then true else false).
      apply Rle_trans with (total (filter inside m) (fun t => binomial n2 p2 (t - Z.of_nat i))).
      * rewrite total_filter. apply Req_le, total_ext. intros t _. unfold inside.
        destruct (in_dec Z.eq_dec t l) as [_ | Out]; [reflexivity |].
        destruct (Req_dec (binomial n2 p2 (t - Z.of_nat i)) 0) as [-> | NZ]; [reflexivity |]. exfalso. apply Out.
        apply binomial_support in NZ. apply in_map_iff. exists (Z.to_nat t). rewrite in_seq. split; lia.
      * apply total_incl; [apply NoDup_filter, Nm | | intros; apply Q0].
        intros t I. apply filter_In in I. destruct I as [_ I]. unfold inside in I.
        destruct (in_dec Z.eq_dec t l); [assumption | discriminate].
    + apply FinFun.Injective_map_NoDup, seq_NoDup. exact Nat2Z.inj.
Qed.

(** ** Series *)

(** Masses that add up to 1 as a series. *)
Lemma series_law (f : nat -> R) : (forall t, 0 <= f t) -> is_series f 1 -> law (on_naturals f).
Proof.
  intros Pos H.
  assert (P : forall t, 0 <= on_naturals f t) by (intros t; unfold on_naturals; destruct (Z.ltb t 0);
    [lra | apply Pos]).
  assert (Partial : forall n, total (map Z.of_nat (seq 0 (S n))) (on_naturals f) = sum_n f n).
  { induction n as [| n IH].
    - rewrite sum_O. simpl. unfold on_naturals. simpl. ring.
    - rewrite seq_S, map_app, total_app, IH, sum_Sn.
      change (sum_n f n + (on_naturals f (Z.of_nat (S n)) + 0) = sum_n f n + f (S n)). unfold on_naturals.
      rewrite (proj2 (Z.ltb_ge _ 0)), Nat2Z.id by lia. ring. }
  assert (Up : forall n, sum_n f n <= 1).
  { intros n. apply (is_lim_seq_incr_compare (sum_n f) 1 H). intros m. rewrite sum_Sn. unfold plus. simpl.
    specialize (Pos (S m)). lra. }
  split; [exact P | split].
  - intros s [l [N [_ ->]]]. set (n := fold_right Nat.max O (map Z.to_nat l)).
    assert (In_n : forall t, In t l -> (Z.to_nat t <= n)%nat).
    { unfold n. clear. induction l as [| a l IH]; intros t []; simpl; [subst; lia |]. specialize (IH t H). lia. }
    apply Rle_trans with (sum_n f n); [| apply Up]. rewrite <- Partial.
    apply Rle_trans with (total (filter (Z.leb 0) l) (on_naturals f)).
    + rewrite total_filter. apply Req_le, total_ext. intros t _. destruct (Z.leb_spec 0 t); [reflexivity |].
      unfold on_naturals. rewrite (proj2 (Z.ltb_lt t 0)) by lia. reflexivity.
    + apply total_incl; [apply NoDup_filter, N | | intros; apply P]. intros t I. apply filter_In in I.
      destruct I as [I L].
      apply Z.leb_le in L. apply in_map_iff. exists (Z.to_nat t). rewrite in_seq. specialize (In_n t I). split; lia.
  - intros c Hc. apply (is_lim_seq_le (sum_n f) (fun _ => c) 1 c); [| exact H | apply is_lim_seq_const].
    intros n. rewrite <- Partial. apply Hc. exists (map Z.of_nat (seq 0 (S n))). split; [| split; [auto | reflexivity]].
    apply FinFun.Injective_map_NoDup, seq_NoDup. exact Nat2Z.inj.
Qed.

Lemma poisson_law mu : 0 <= mu -> law (on_naturals (fun t => exp (- mu) * mu ^ t / INR (fact t))).
Proof.
  intros H. apply series_law.
  - intros t. apply Rmult_le_pos; [| left; apply Rinv_0_lt_compat, INR_fact_lt_0].
    apply Rmult_le_pos; [left; apply exp_pos | apply pow_le, H].
  - assert (X := is_exp_Reals mu). unfold is_pseries in X. apply (is_series_scal (exp (- mu))) in X.
    replace 1 with (scal (exp (- mu)) (exp mu)).
    + revert X. apply is_series_ext. intros t. unfold scal. simpl. unfold mult. simpl. rewrite pow_n_pow. unfold Rdiv.
      ring.
    + unfold scal. simpl. unfold mult. simpl. rewrite <- exp_plus, Rplus_opp_l, exp_0. reflexivity.
Qed.

Lemma rising_weights r t : rising_factorial r t / INR (fact t) = rising_weight r t.
Proof.
  induction t as [| t IH]; [simpl; field |]. rewrite fact_simpl, mult_INR. simpl rising_factorial. simpl rising_weight.
  rewrite <- IH, S_INR. assert (F := INR_fact_neq_0 t). assert (P := pos_INR t). field. split; [exact F | lra].
Qed.

Lemma negative_binomial_law r p : 0 < r -> 0 <= p < 1 ->
  law (on_naturals (fun t => rising_factorial r t / INR (fact t) * p ^ t * Rpower (1 - p) r)).
Proof.
  intros Hr Hp. assert (Pos := exp_pos (r * ln (1 - p))). apply series_law.
  - intros t. rewrite rising_weights. unfold Rpower. apply Rmult_le_pos; [| lra].
    apply Rmult_le_pos; [left; apply rising_weight_pos, Hr | apply pow_le; lra].
  - assert (X := binomial_series r p Hr). rewrite Rabs_pos_eq in X by lra. specialize (X ltac:(lra)).
    apply (is_series_scal (exp (r * ln (1 - p)))) in X.
    match type of X with is_series _ ?v => replace v with 1 in X end.
    2: { change (1 = exp (r * ln (1 - p)) * exp (- r * ln (1 - p))). rewrite <- exp_plus.
      replace (r * ln (1 - p) + - r * ln (1 - p)) with 0 by ring. symmetry. apply exp_0. }
    revert X. apply is_series_ext. intros t. rewrite rising_weights.
    change (exp (r * ln (1 - p)) * (rising_weight r t * p ^ t) = rising_weight r t * p ^ t * exp (r * ln (1 - p))).
    ring.
Qed.

(** ** Noise laws and randomizers *)

Theorem noise_law nu : noise_posed nu -> law (noise_mass nu).
Proof.
  destruct nu as [weights | t histogram weights | n p | n1 p1 n2 p2 | r p | p | e | s | mu | low high]; intros N;
    cbn [noise_posed noise_mass] in *.
  - apply finite_law, N.
  - apply view_law, N.
  - apply binomial_law, N.
  - apply binomial_sum_law; apply N.
  - apply negative_binomial_law; apply N.
  - apply (law_ext (one_sided (value p))); [| apply one_sided_law, N]. intros t. reflexivity.
  - apply geometric_law. destruct N as [_ N]. split; [apply Rinv_0_lt_compat; lra |].
    rewrite <- Rinv_1. apply Rinv_lt_contravar; lra.
  - apply (gaussian_window.gaussian_law (Q2R s)), N.
  - apply poisson_law, N.
  - apply uniform_law, N.
Qed.

Lemma proper_on_inputs {M} d (R : nat -> dist M) :
  (1 <= d)%Z -> (forall x, (x < Z.to_nat d)%nat -> proper (R x)) -> forall x, proper (on_inputs d R x).
Proof. intros D H x. apply proper_dmap, H. lia. Qed.

Theorem proper_randomizer r : randomizer_posed r -> for_program r (fun _ _ R => forall x, proper (R x)).
Proof.
  destruct r as [t | [k E0 | d p q | d w E0 | d E0 | d g E0 | top ratio]]; intros N;
    cbn [for_program randomizer_posed family_posed] in *.
  - apply proper_table, N.
  - apply proper_on_inputs; [lia |]. intros x Hx. apply k_ary_proper; [lra | exact Hx].
  - apply proper_on_inputs; [lia |]. intros x Hx. apply unary_proper; lra.
  - apply proper_on_inputs; [lia |]. intros x Hx. apply subset_proper; lia || lra.
  - apply proper_on_inputs; [lia |]. intros x Hx. apply hadamard_proper; lia || lra.
  - apply proper_on_inputs; [lia |]. intros x Hx. apply hashing_proper; lia || lra.
  - apply proper_on_inputs; [lia |]. intros x Hx. apply clipped_laplace_proper; lia || lra.
Qed.

Lemma proper_outcome r x : randomizer_posed r -> proper (outcome r x).
Proof.
  intros P. assert (H := proper_randomizer r P). unfold outcome.
  destruct r as [t | []]; cbn [for_program] in *; apply proper_dmap, H.
Qed.

Lemma proper_report of x : (forall r, In r of -> randomizer_posed r) -> proper (report of x).
Proof.
  revert x. induction of as [| r of IH]; intros x P; [apply proper_ret |]. apply proper_bind.
  - apply proper_outcome, P. left. reflexivity.
  - intros a. apply proper_dmap, IH. intros s I. apply P. right. exact I.
Qed.

Lemma proper_together of x : together_posed of -> proper (together of x).
Proof. intros [_ P]. apply proper_dmap, proper_report, P. Qed.
