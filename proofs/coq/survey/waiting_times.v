(** Sample-and-threshold over all numbers of holders is as private as a count with negative binomial noise.

    Each of N holders reports with probability q, 0 < q <= 1, and the number of reports is released if it is at least
    tau >= 1, else 0 (sample_and_threshold.v). Let W be negative binomial, P[W = t] = C(tau + t - 1, t) q^tau (1-q)^t
    ([waiting]). For all E >= 1 and delta >= 0 ([waiting_time]): the releases of all data sets of which one has a holder
    more are (E, delta)-below each other, in both orders, if and only if c + W and d + W are, for all integers c and d
    with abs(c - d) <= 1.

    Idea: with the holders in line W is the number of those before the tau-th report who do not report, and the release
    of N holders is a randomized function of it and of N ([released_in_line]): tau and the independent reports of the
    N - tau - W who stand behind. One holder more is one place more. The ratios of W and W + 1 fall, so that only
    half-lines matter, and these are events of a release.
    Source: this package; the mechanism: Bharadwaj and Cormode 2022, section 3. *)

From Coq Require Import Reals List Arith ZArith Lra Lia FinFun.
From Exactdp Require Import reals sums laws privacy masses infinite_sums post_processing bernstein bits bit_messages binomial.
From Exactdp Require Import negative_binomial_mean negative_binomial_law noise_on_naturals geometric_tail.
From Exactdp Require Import half_line half_line_infinite shifts longer_shift log_concave_laws sample_and_threshold dropped_counts.
Import ListNotations.
Open Scope R_scope.

Definition waiting (q : R) (tau t : nat) : R := C (tau + t - 1) t * q ^ tau * (1 - q) ^ t.

Section Waiting.
  Variables (q : R) (k : nat).
  Hypothesis Hq : 0 < q <= 1.
  Let tau := S k.
  Let W := waiting q tau.

  (** The law of W. *)
  Lemma waiting_binom t : W t = q * binom (k + t) q k.
  Proof.
    unfold W, waiting, tau. rewrite binom_inside by lia. replace (k + t - k)%nat with t by lia.
    replace (S k + t - 1)%nat with (k + t)%nat by lia. rewrite (pascal_step1 (k + t) t) by lia.
    replace (k + t - t)%nat with k by lia. simpl. ring.
  Qed.

  Lemma waiting_nonneg t : 0 <= W t.
  Proof. rewrite waiting_binom. apply Rmult_le_pos; [lra | apply binom_nonneg; lra]. Qed.

  Lemma waiting_step t : W (S t) = (INR tau + INR t) / (INR t + 1) * (1 - q) * W t.
  Proof.
    rewrite !waiting_binom. assert (P := pos_INR t). assert (X := binom_one_more (k + t) q k).
    replace (k + S t)%nat with (S (k + t)) by lia. unfold tau. rewrite !S_INR, plus_INR in *.
    apply Rmult_eq_reg_l with (INR t + 1); [| lra].
    replace (INR k + INR t + 1 - INR k) with (INR t + 1) in X by ring.
    transitivity (q * ((INR t + 1) * binom (S (k + t)) q k)); [ring |]. rewrite X. field. lra.
  Qed.

  Lemma waiting_law : law W.
  Proof.
    assert (T : 0 < INR tau) by (apply lt_0_INR; unfold tau; lia).
    destruct (negative_binomial_exists (INR tau) (1 - q) T ltac:(lra)) as [L R].
    assert (E : forall t, negative_binomial (INR tau) (1 - q) t = W t).
    { induction t as [| t IH].
      - unfold negative_binomial, W, waiting. rewrite choose_0. replace (1 - (1 - q)) with q by ring.
        rewrite (Rmult_comm (INR tau)), <- exp_power, exp_ln by lra. simpl. ring.
      - assert (P := pos_INR t). apply Rmult_eq_reg_l with (INR t + 1); [| lra]. rewrite R, waiting_step, IH. field. lra. }
    destruct (proj1 (law_sum_of _) L) as [_ S]. apply law_sum_of. split; [apply waiting_nonneg |].
    exact (sum_of_ext _ _ _ E S).
  Qed.

  Lemma waiting_log_concave : log_concave (on_naturals W).
  Proof.
    apply (falling_ratios _ (fun t => (INR tau + INR t) / (INR t + 1) * (1 - q))).
    - apply waiting_nonneg.
    - apply waiting_step.
    - intros s t L _ _. apply le_INR in L. assert (P := pos_INR s).
      assert (T : 1 <= INR tau) by (unfold tau; rewrite S_INR; assert (K := pos_INR k); lra).
      apply negative_binomial_ratio_falls; lra.
  Qed.

  (** ** The release, by the place of the tau-th report *)

  Let after (j : nat) (h : nat -> R) : R := mean (flips j q) (fun c => h (tau + c)%nat).

  Lemma reports_in_line n h :
    mean (flips n q) (fun c => if Nat.leb tau c then h c else 0) =
    total (seq 0 (n - k)) (fun t => W t * after (n - k - 1 - t) h).
  Proof.
    revert h. induction n as [| n IH]; intros h; [rewrite mean_flips_0; reflexivity |].
    rewrite mean_flips_S, IH.
    replace (mean (flips n q) (fun c => if Nat.leb tau (S c) then h (S c) else 0)) with
      (mean (flips n q) (fun c => if Nat.leb tau c then h (S c) else 0) + binom n q k * h tau).
    2:{ replace (binom n q k * h tau) with (mean (flips n q) (fun c => if Nat.eqb c k then h tau else 0)).
        - rewrite <- mean_plus. apply mean_ext. intros c. unfold tau.
          destruct (Nat.leb_spec (S k) c), (Nat.leb_spec (S k) (S c)), (Nat.eqb_spec c k); try lia; subst; ring.
        - rewrite mean_flips. destruct (le_lt_dec k n) as [L | L].
          + rewrite (total_ext _ _ (fun i => if Nat.eq_dec k i then binom n q k * h tau else 0)).
            * rewrite (total_single Nat.eq_dec); [reflexivity | apply seq_NoDup | apply in_seq; lia].
            * intros i _. destruct (Nat.eqb_spec i k), (Nat.eq_dec k i); subst; try lia; ring.
          + rewrite binom_outside, (total_ext _ _ (fun _ => 0)), total_zero by
              (exact L || (intros i I; apply in_seq in I; destruct (Nat.eqb_spec i k); [lia | ring])). ring. }
    rewrite (IH (fun c => h (S c))).
    destruct (le_lt_dec k n) as [L | L].
    - replace (S n - k)%nat with (S (n - k)) by lia. rewrite total_seq_S. set (m := (n - k)%nat).
      rewrite (total_ext (seq 0 m) (fun t => W t * after (S m - 1 - t) h)
        (fun t => q * (W t * after (m - 1 - t) (fun c => h (S c))) + (1 - q) * (W t * after (m - 1 - t) h))).
      + assert (Last : after (S m - 1 - m) h = h tau).
        { unfold after. replace (S m - 1 - m)%nat with 0%nat by lia. rewrite mean_flips_0, Nat.add_0_r. reflexivity. }
        rewrite total_plus, !total_scal, Last, waiting_binom. replace (k + m)%nat with n by (unfold m; lia). ring.
      + intros t I. apply in_seq in I. unfold after. replace (S m - 1 - t)%nat with (S (m - 1 - t)) by lia.
        rewrite mean_flips_S, (mean_ext _ (fun c => h (tau + S c)%nat) (fun c => h (S (tau + c)))); [ring |].
        intros c. f_equal. lia.
    - replace (S n - k)%nat with 0%nat by lia. replace (n - k)%nat with 0%nat by lia.
      rewrite binom_outside by exact L. simpl. ring.
  Qed.

  Let released (n : nat) (g : nat -> R) : R :=
    mean (flips n q) (fun c => g (if Nat.leb tau c then c else 0%nat)).
  Let upto (n : nat) : R := total (seq 0 n) W.

  Lemma released_in_line n g :
    released n g = total (seq 0 (n - k)) (fun t => W t * after (n - k - 1 - t) g) + g 0%nat * (1 - upto (n - k)).
  Proof.
    assert (One := reports_in_line n (fun _ => 1)). assert (G := reports_in_line n g).
    rewrite (total_ext _ _ W) in One.
    2:{ intros t _. unfold after. rewrite mean_flips_const. ring. }
    unfold upto. rewrite <- One, <- G. unfold released.
    replace (g 0%nat * (1 - mean (flips n q) (fun c => if Nat.leb tau c then 1 else 0))) with
      (mean (flips n q) (fun c => g 0%nat * (1 - (if Nat.leb tau c then 1 else 0)))).
    - rewrite <- mean_plus. apply mean_ext. intros c. destruct (Nat.leb tau c); ring.
    - rewrite mean_scal, mean_minus, mean_flips_const. reflexivity.
  Qed.

  (** Both releases, as means over the places: one holder more is one place more. N places are listed. *)

  Let prior (t : nat) : R := match t with O => 0 | S s => W s end.
  Let shown (m : nat) (g : nat -> R) (t : nat) : R := if Nat.leb t m then after (m - t) g else g 0%nat.

  Lemma shown_bounds m g t : (forall c, 0 <= g c <= 1) -> 0 <= shown m g t <= 1.
  Proof.
    intros G. unfold shown. destruct (Nat.leb t m); [| apply G]. assert (P := proper_flips (m - t) q ltac:(lra)).
    split; [apply mean_nonneg; [exact P | intros c; apply G] |].
    rewrite <- (mean_flips_const (m - t) q 1). apply mean_le; [exact P | intros c; apply G].
  Qed.

  Lemma released_more m N g : (m < N)%nat ->
    released (S (k + m)) g = total (seq 0 N) (fun t => W t * shown m g t) + g 0%nat * (1 - upto N).
  Proof.
    intros L. rewrite released_in_line. replace (S (k + m) - k)%nat with (S m) by lia.
    unfold upto. replace N with (S m + (N - S m))%nat by lia. rewrite seq_app, !total_app. simpl plus.
    rewrite (total_ext (seq (S m) _) (fun t => W t * shown m g t) (fun t => W t * g 0%nat)).
    - rewrite total_scal_r, (total_ext (seq 0 (S m)) (fun t => W t * shown m g t)
        (fun t => W t * after (S m - 1 - t) g)); [ring |].
      intros t I. apply in_seq in I. unfold shown. rewrite (proj2 (Nat.leb_le t m)) by lia.
      replace (S m - 1 - t)%nat with (m - t)%nat by lia. reflexivity.
    - intros t I. apply in_seq in I. unfold shown. rewrite (proj2 (Nat.leb_gt t m)) by lia. reflexivity.
  Qed.

  Lemma released_fewer m N g : (m <= N)%nat ->
    released (k + m) g = total (seq 0 (S N)) (fun t => prior t * shown m g t) + g 0%nat * (1 - upto N).
  Proof.
    intros L. rewrite released_in_line. replace (k + m - k)%nat with m by lia. rewrite total_seq_shift.
    unfold upto. replace N with (m + (N - m))%nat by lia. rewrite seq_app, !total_app. simpl plus. unfold prior at 1.
    rewrite (total_ext (seq m _) (fun t => prior (S t) * shown m g (S t)) (fun t => W t * g 0%nat)).
    - rewrite total_scal_r, (total_ext (seq 0 m) (fun t => prior (S t) * shown m g (S t))
        (fun t => W t * after (m - 1 - t) g)); [ring |].
      intros t I. apply in_seq in I. unfold shown. rewrite (proj2 (Nat.leb_le (S t) m)) by lia.
      replace (m - 1 - t)%nat with (m - S t)%nat by lia. reflexivity.
    - intros t I. apply in_seq in I. unfold shown. rewrite (proj2 (Nat.leb_gt (S t) m)) by lia. reflexivity.
  Qed.

  Lemma upto_bounds N : 0 <= upto N <= 1.
  Proof.
    split; [apply total_nonneg; intros t _; apply waiting_nonneg |].
    apply law_finite; [apply waiting_law | apply seq_NoDup].
  Qed.

  Lemma upto_S N : upto (S N) = upto N + W N.
  Proof. apply total_seq_S. Qed.

  Lemma upto_near e : 0 < e -> exists N, forall M, (N <= M)%nat -> 1 - e < upto M.
  Proof.
    intros He. apply sum_of_seq_near; [apply waiting_nonneg | | exact He].
    apply (proj1 (law_sum_of W)), waiting_law.
  Qed.

  (** ** From the noise to the release *)

  Variables (E delta : R).
  Hypotheses (HE : 1 <= E) (Hd : 0 <= delta).
  Let w := on_naturals W.

  Lemma on_places N (h : nat -> R) :
    total (map Z.of_nat (seq 0 N)) (fun z => w z * h (Z.to_nat z)) = total (seq 0 N) (fun t => W t * h t) /\
    total (map Z.of_nat (seq 0 N)) (fun z => shifted w 1 z * h (Z.to_nat z)) = total (seq 0 N) (fun t => prior t * h t).
  Proof.
    rewrite !total_map. split; apply total_ext; intros t _; rewrite Nat2Z.id; f_equal; unfold w.
    - apply on_naturals_of_nat.
    - unfold shifted. destruct t as [| t]; [reflexivity |].
      replace (Z.of_nat (S t) - 1)%Z with (Z.of_nat t) by lia. exact (on_naturals_of_nat W t).
  Qed.

  Let places N : list Z := map Z.of_nat (seq 0 N).
  Lemma places_once N : NoDup (places N).
  Proof. apply Injective_map_NoDup; [intros x y; lia | apply seq_NoDup]. Qed.

  Lemma from_noise n g : (forall c, 0 <= g c <= 1) ->
    (mass_below w (shifted w 1) E delta -> released (S n) g <= E * released n g + delta) /\
    (mass_below (shifted w 1) w E delta -> released n g <= E * released (S n) g + delta).
  Proof.
    intros G. destruct (le_lt_dec k n) as [L | L].
    2:{ rewrite !released_in_line. replace (S n - k)%nat with 0%nat by lia. replace (n - k)%nat with 0%nat by lia.
        unfold upto. simpl. specialize (G 0%nat). split; intros _; nra. }
    set (m := (n - k)%nat). replace n with (k + m)%nat by (unfold m; lia).
    assert (F := fun (z : Z) => shown_bounds m g (Z.to_nat z) G).
    split; intros B.
    - rewrite (released_more m (S m)), (released_fewer m m) by lia.
      assert (X := mass_below_mean _ _ E delta _ _ B (places_once (S m)) F). unfold places in X.
      destruct (on_places (S m) (shown m g)) as [X1 X2]. rewrite X1, X2 in X.
      assert (U := upto_S m). assert (P := waiting_nonneg m). assert (U' := upto_bounds m). specialize (G 0%nat).
      assert (g 0%nat * (1 - upto (S m)) <= g 0%nat * (1 - upto m)) by (apply Rmult_le_compat_l; lra).
      assert (0 <= g 0%nat * (1 - upto m)) by (apply Rmult_le_pos; lra). nra.
    - apply le_epsilon. intros e He. destruct (upto_near e He) as [N HN].
      set (M := Nat.max N m). specialize (HN M ltac:(unfold M; lia)).
      rewrite (released_more m (S M)), (released_fewer m M) by (unfold M; lia).
      assert (X := mass_below_mean _ _ E delta _ _ B (places_once (S M)) F). unfold places in X.
      destruct (on_places (S M) (shown m g)) as [X1 X2]. rewrite X1, X2 in X.
      assert (U' := upto_bounds M). assert (U := upto_bounds (S M)). specialize (G 0%nat).
      assert (0 <= E * (g 0%nat * (1 - upto (S M)))) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]).
      assert (g 0%nat * (1 - upto M) <= 1 * (1 - upto M)) by (apply Rmult_le_compat_r; lra).
      lra.
  Qed.

  (** ** From the release to the noise *)

  Lemma at_least_threshold b :
    released (k + b) (fun c => if Nat.leb tau c then 1 else 0) = upto b /\
    released (k + b) (fun c => if Nat.leb tau c then 0 else 1) = 1 - upto b.
  Proof.
    rewrite !released_in_line. replace (k + b - k)%nat with b by lia. unfold after, tau. simpl Nat.leb at 2 4.
    split; [rewrite (total_ext _ _ W); [unfold upto; ring |] | rewrite (total_ext _ _ (fun _ => 0)), total_zero; [ring |]];
      intros t _; [rewrite (mean_ext _ _ (fun _ => 1)), mean_flips_const | rewrite (mean_ext _ _ (fun _ => 0)), mean_flips_const];
      try ring; intros c; rewrite (proj2 (Nat.leb_le _ _)) by lia; reflexivity.
  Qed.

  Hypothesis more : forall n g, (forall c, g c = 0 \/ g c = 1) -> released (S n) g <= E * released n g + delta.
  Hypothesis fewer : forall n g, (forall c, g c = 0 \/ g c = 1) -> released n g <= E * released (S n) g + delta.

  Lemma below_place b l : NoDup l -> (forall z, In z l -> (z < Z.of_nat b)%Z) -> total l w <= upto b.
  Proof.
    intros N I. destruct (total_on_naturals W 0 l N) as [m [Nm [Im S]]].
    rewrite (total_ext l w (fun z => on_naturals W (z - 0))), S by (intros z _; unfold w; f_equal; lia).
    apply total_incl; [exact Nm | | intros t _; apply waiting_nonneg].
    intros t T. apply Im, I in T. apply in_seq. lia.
  Qed.

  Lemma places_total b : total (places b) w = upto b.
  Proof.
    unfold places. rewrite total_map. apply total_ext. intros t _. apply on_naturals_of_nat.
  Qed.

  Lemma shifted_places b : total (map (fun z => (z + 1)%Z) (places b)) (shifted w 1) = upto b.
  Proof.
    rewrite total_map, <- places_total. apply total_ext. intros z _. unfold shifted. f_equal. lia.
  Qed.

  Lemma shifted_places_once b : NoDup (map (fun z => (z + 1)%Z) (places b)).
  Proof. apply Injective_map_NoDup; [intros x y; lia | apply places_once]. Qed.

  Lemma w_law : law w.
  Proof. apply law_on_naturals, waiting_law. Qed.

  Lemma to_noise_up : mass_below w (shifted w 1) E delta.
  Proof.
    apply half_lines_suffice_infinite_falling; try lra; auto using law_shifted, w_law.
    { apply log_concave_falling; [apply waiting_log_concave | lia]. }
    intros a pT qT [_ Least] [Up _]. set (b := Z.to_nat a).
    destruct (Z_lt_le_dec a 0) as [A | A].
    - apply Rle_trans with 0.
      + apply Least. intros s [l [N [I ->]]]. apply (below_place 0 l N).
        intros z Iz. apply I, Z.leb_le in Iz. simpl. lia.
      + assert (Q : 0 <= qT) by (apply Up; exists []; repeat split; [constructor | intros z []]). nra.
    - destruct (at_least_threshold b) as [X _]. destruct (at_least_threshold (S b)) as [Y _].
      assert (R := more (k + b) (fun c => if Nat.leb tau c then 1 else 0)
        ltac:(intros c; cbv beta; destruct (Nat.leb tau c); tauto)).
      replace (S (k + b)) with (k + S b)%nat in R by lia. rewrite X, Y in R.
      apply Rle_trans with (upto (S b)); [| eapply Rle_trans; [exact R |]].
      + apply Least. intros s [l [N [I ->]]]. apply below_place; [exact N |].
        intros z Iz. apply I, Z.leb_le in Iz. unfold b. lia.
      + apply Rplus_le_compat_r, Rmult_le_compat_l; [lra |]. rewrite <- shifted_places. apply Up.
        eexists. split; [apply shifted_places_once |]. split; [| reflexivity].
        intros z Iz. apply in_map_iff in Iz. destruct Iz as [u [<- Iu]]. apply in_map_iff in Iu.
        destruct Iu as [t [<- It]]. apply in_seq in It. apply Z.leb_le. unfold b in It. lia.
  Qed.

  Lemma to_noise_down : mass_below (shifted w 1) w E delta.
  Proof.
    apply half_lines_suffice_infinite; try lra; auto using law_shifted, w_law.
    { apply log_concave_rising; [apply waiting_log_concave | lia]. }
    intros a pT qT [_ Least] [Up _].
    assert (Beyond : forall b, (a <= Z.of_nat b)%Z -> 1 - upto b <= qT).
    { intros b A. apply le_epsilon. intros e He. destruct (upto_near e He) as [N HN].
      set (M := Nat.max N b). specialize (HN M ltac:(unfold M; lia)).
      assert (Part : upto M = upto b + total (map Z.of_nat (seq b (M - b))) w).
      { rewrite <- !places_total. unfold places. replace M with (b + (M - b))%nat at 1 by (unfold M; lia).
        rewrite seq_app, map_app, total_app. reflexivity. }
      assert (In_event : total (map Z.of_nat (seq b (M - b))) w <= qT).
      { apply Up. exists (map Z.of_nat (seq b (M - b))).
        split; [apply Injective_map_NoDup; [intros x y; lia | apply seq_NoDup] |]. split; [| reflexivity]. intros z I. apply in_map_iff in I. destruct I as [t [<- I]]. apply in_seq in I.
        apply Z.leb_le. lia. }
      lra. }
    set (b := Z.to_nat (a - 1)).
    destruct (at_least_threshold b) as [_ X]. destruct (at_least_threshold (S b)) as [_ Y].
    assert (R := fewer (k + b) (fun c => if Nat.leb tau c then 0 else 1)
      ltac:(intros c; cbv beta; destruct (Nat.leb tau c); tauto)).
    replace (S (k + b)) with (k + S b)%nat in R by lia. rewrite X, Y in R.
    destruct (Z_lt_le_dec a 1) as [A | A].
    - assert (Z := Beyond 0%nat ltac:(lia)). change (upto 0) with 0 in Z.
      apply Rle_trans with 1; [| nra]. apply Least. intros s [l [N [_ ->]]].
      apply law_finite; [apply law_shifted, w_law | exact N].
    - assert (Z := Beyond (S b) ltac:(unfold b; lia)).
      apply Rle_trans with (1 - upto b); [| nra].
      apply Least. intros s [l [N [I ->]]]. rewrite <- (shifted_places b).
      enough (total (map (fun z => (z + 1)%Z) (places b) ++ l) (shifted w 1) <= 1) by (rewrite total_app in *; lra).
      apply law_finite; [apply law_shifted, w_law |]. apply NoDup_app_both; [apply shifted_places_once | exact N |].
      intros z Iz Il. apply I, Z.leb_le in Il. apply in_map_iff in Iz. destruct Iz as [u [<- Iu]].
      apply in_map_iff in Iu. destruct Iu as [t [<- It]]. apply in_seq in It. unfold b in It. lia.
  Qed.
End Waiting.

Theorem waiting_time (q : R) (tau : nat) (eps delta : R) : 0 < q <= 1 -> (1 <= tau)%nat -> 0 <= eps ->
  ((forall xs ys : list bool, ones xs = S (ones ys) ->
    below (sample_and_threshold q tau xs) (sample_and_threshold q tau ys) (exp eps) delta /\
    below (sample_and_threshold q tau ys) (sample_and_threshold q tau xs) (exp eps) delta) <->
   forall c d, (Z.abs (c - d) <= 1)%Z ->
   mass_below (fun z => on_naturals (waiting q tau) (z - c)) (fun z => on_naturals (waiting q tau) (z - d)) (exp eps) delta).
Proof.
  intros Hq Ht He. destruct tau as [| k]; [lia |]. assert (HE : 1 <= exp eps) by (apply exp_ge_1, He).
  assert (Shifts := fun Hd => shifts_both_orders (on_naturals (waiting q (S k))) 1 (exp eps) delta
    (fun z => on_naturals_nonneg _ z (waiting_nonneg q k Hq)) HE Hd). unfold shifted in Shifts.
  split; intros H.
  - assert (Hd : 0 <= delta).
    { destruct (H [true] [] eq_refl) as [A _]. specialize (A (fun _ => false)). unfold Pr, indicator, mean in A.
      rewrite !total_scal_r in A. lra. }
    assert (All : forall n g, (forall c, g c = 0 \/ g c = 1) ->
      let released n := mean (flips n q) (fun c => g (if Nat.leb (S k) c then c else 0%nat)) in
      released (S n) <= exp eps * released n + delta /\ released n <= exp eps * released (S n) + delta).
    { intros n g G released. destruct (H (with_ones (S n) (S n)) (with_ones n n)) as [A B].
      { rewrite !ones_with_ones. reflexivity. }
      specialize (A (fun c => if Req_EM_T (g c) 1 then true else false)).
      specialize (B (fun c => if Req_EM_T (g c) 1 then true else false)).
      unfold Pr in A, B. rewrite !mean_sample_and_threshold, !ones_with_ones in A, B.
      assert (Same : forall c, indicator (fun c => if Req_EM_T (g c) 1 then true else false) c = g c).
      { intros c. unfold indicator. destruct (Req_EM_T (g c) 1) as [-> | N]; [reflexivity |].
        destruct (G c) as [-> | Z]; [reflexivity | contradiction]. }
      rewrite !(mean_ext (flips _ q) (fun c => indicator _ (if Nat.leb (S k) c then c else 0%nat))
        (fun c => g (if Nat.leb (S k) c then c else 0%nat))) in A, B by (intros; apply Same).
      split; assumption. }
    apply Shifts; [exact Hd |]. intros j Hj. replace j with 1%Z by lia. split.
    + apply (to_noise_up q k Hq (exp eps) delta HE Hd). intros n g G. apply (All n g G).
    + apply (to_noise_down q k Hq (exp eps) delta HE Hd). intros n g G. apply (All n g G).
  - assert (Hd : 0 <= delta).
    { assert (X := H 0%Z 0%Z ltac:(simpl; lia) [] ltac:(constructor)). simpl in X. lra. }
    destruct (proj2 (Shifts Hd) H 1%Z ltac:(lia)) as [Up Down]. intros xs ys O.
    split; intros T; unfold Pr; rewrite !mean_sample_and_threshold, O;
      apply (from_noise q k Hq (exp eps) delta HE Hd (ones ys) (indicator T)); try assumption;
      intros c; unfold indicator; destruct (T c); lra.
Qed.
