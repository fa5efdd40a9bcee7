(** Sample-and-threshold: what one holder more or less gives away, exactly, and that many holders hide each other.

    Each of N holders reports with probability q, 0 < q < 1, and the number of reports is released if it is at least
    tau, else 0 (sample_and_threshold.v). X counts the reports of N holders, P[X = b] = binom N q b, and [chance_above] q N b is
    P[X > b]. For E >= 1, and N + 1 against N holders:

    - [more_holders]: with b >= tau - 1, at most (N+1) rho wherever b >= tau, and b + 1 >= (N+1) rho, where
      rho = 1 - (1-q)/E, the releases are (E, delta)-below each other if and only if q P[X = b] - (E-1) P[X > b] <= delta;
    - [fewer_holders]: in the other order, with s = 1 - (1-q) E for rho and c for b, if and only if delta >= 0 and
      E q P[X = c] - (E-1) P[X <= c] <= delta;
    - [no_holders]: for N + 1 < tau nothing is lost;
    - [many_holders], [many_fewer_holders]: whatever tau is, with M = N + 1 nothing above e^(-M KL(rho||q)) is lost, and
      in the other order nothing above (1/(1-q) - E) e^(-M KL(x||q)), for max(0, s) <= x < q, and nothing at all where
      (1-q) E >= 1 ([low_rate]).

    Idea: the ratio of the masses, (N+1) (1-q)/(N+1-t), rises in t, so that the best event is a half-line; and one trial
    more moves the mass q P[X = b] over b. Source: this package; the mechanism: Bharadwaj and Cormode 2022, section 3. *)

From Coq Require Import Reals List Arith ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy bits bit_messages binomial sample_and_threshold logarithm dropped_counts.
Import ListNotations.
Open Scope R_scope.

Definition chance_above (q : R) (n b : nat) : R := Pr (flips n q) (fun c => Nat.ltb b c).

(** The divergence of coins, and the tail that it bounds: Chernoff's bound on either side. *)
Lemma coin_divergence_nonneg p q : 0 < p < 1 -> 0 < q < 1 -> 0 <= coin_divergence p q.
Proof.
  intros Hp Hq. unfold coin_divergence.
  assert (L : forall a b, 0 < a -> 0 < b -> a - b <= a * ln (a / b)).
  { intros a b A B. assert (X : ln (b / a) <= b / a - 1) by (apply ln_le_minus_1, Rdiv_lt_0_compat; lra).
    replace (ln (a / b)) with (- ln (b / a)).
    2:{ rewrite <- ln_Rinv by (apply Rdiv_lt_0_compat; lra). f_equal. field. lra. }
    apply (Rmult_le_compat_l a) in X; [| lra]. replace (a * (b / a - 1)) with (b - a) in X by (field; lra). lra. }
  assert (X := L p q ltac:(lra) ltac:(lra)). assert (Y := L (1 - p) (1 - q) ltac:(lra) ltac:(lra)). lra.
Qed.

Lemma tail q : 0 < q < 1 -> forall m x T, 0 < x < 1 ->
  (forall c, T c = true -> 0 <= (x - q) * (INR c - INR m * x)) ->
  Pr (flips m q) T <= exp (- (INR m * coin_divergence x q)).
Proof.
  intros Hq m x T Hx HT. set (z := x / q * ((1 - q) / (1 - x))).
  assert (P1 : 0 < x / q) by (apply Rdiv_lt_0_compat; lra).
  assert (P2 : 0 < (1 - q) / (1 - x)) by (apply Rdiv_lt_0_compat; lra).
  assert (Z : 0 < z) by (apply Rmult_lt_0_compat; assumption).
  assert (Sign : 0 <= (x - q) * ln z).
  { assert (K : z - 1 = (x - q) / (q * (1 - x))) by (unfold z; field; lra).
    assert (D : 0 < / (q * (1 - x))) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
    destruct (Rle_or_lt q x) as [L | L].
    - apply Rmult_le_pos; [lra |]. rewrite <- ln_1. destruct (Rle_lt_or_eq_dec 1 z) as [Lz | <-]; [| left; apply ln_increasing; lra | lra].
      assert (0 <= (x - q) / (q * (1 - x))) by (apply Rmult_le_pos; lra). lra.
    - assert (z < 1).
      { assert (0 < (q - x) * / (q * (1 - x))) by (apply Rmult_lt_0_compat; lra). unfold Rdiv in K. lra. }
      assert (ln z < 0) by (rewrite <- ln_1; apply ln_increasing; lra). nra. }
  apply Rle_trans with (mean (flips m q) (fun c => exp (- (INR m * x * ln z)) * z ^ c)).
  - apply mean_le; [apply proper_flips; lra |]. intros c. unfold indicator.
    rewrite <- (exp_ln z) at 2 by exact Z. rewrite exp_power, <- exp_plus.
    destruct (T c) eqn:Tc; [| left; apply exp_pos]. rewrite <- exp_0. apply exp_le. specialize (HT c Tc).
    replace (- (INR m * x * ln z) + ln z * INR c) with (ln z * (INR c - INR m * x)) by ring.
    destruct (Req_dec x q) as [E | N].
    + replace z with 1 by (unfold z; rewrite E; field; lra). rewrite ln_1. lra.
    + assert (0 < (x - q) * (x - q)) by nra. set (a := INR c - INR m * x) in *.
      apply Rmult_le_reg_l with ((x - q) * (x - q)); [assumption |]. rewrite Rmult_0_r.
      replace ((x - q) * (x - q) * (ln z * a)) with ((x - q) * ln z * ((x - q) * a)) by ring.
      apply Rmult_le_pos; assumption.
  - rewrite mean_scal, flips_generating_function.
    replace (q * z + (1 - q)) with ((1 - q) / (1 - x)) by (unfold z; field; lra).
    rewrite <- (exp_ln ((1 - q) / (1 - x))) by exact P2. rewrite exp_power, <- exp_plus. apply exp_le. right.
    unfold z, coin_divergence. rewrite ln_mult by assumption.
    replace ((1 - x) / (1 - q)) with (/ ((1 - q) / (1 - x))) by (field; lra). rewrite ln_Rinv by exact P2. ring.
Qed.

Section Holders.
  Variable q : R.
  Hypothesis Hq : 0 < q < 1.

  Let P (n : nat) (f : nat -> R) : R := mean (flips n q) f.

  Lemma ends_at n b : P n (indicator (fun c => Nat.eqb c b)) = binom n q b.
  Proof.
    unfold P. rewrite mean_flips. destruct (le_lt_dec b n) as [L | L].
    - rewrite (total_ext _ _ (fun i => if Nat.eq_dec b i then binom n q b else 0)).
      + apply (total_single Nat.eq_dec); [apply seq_NoDup | apply in_seq; lia].
      + intros i _. unfold indicator. destruct (Nat.eqb_spec i b), (Nat.eq_dec b i); subst; try lia; ring.
    - rewrite binom_outside by exact L. rewrite (total_ext _ _ (fun _ => 0)), total_zero; [reflexivity |].
      intros i I. apply in_seq in I. unfold indicator. destruct (Nat.eqb_spec i b); [lia | ring].
  Qed.

  Lemma over_step n b : chance_above q n b = chance_above q n (S b) + binom n q (S b).
  Proof.
    rewrite <- ends_at. unfold chance_above, Pr, P. rewrite <- mean_plus. apply mean_ext. intros c. unfold indicator.
    destruct (Nat.ltb_spec b c), (Nat.ltb_spec (S b) c), (Nat.eqb_spec c (S b)); lia || lra.
  Qed.

  Lemma over_one_more n b : chance_above q (S n) b = chance_above q n b + q * binom n q b.
  Proof.
    rewrite <- ends_at. unfold chance_above, Pr, P. rewrite mean_flips_S.
    rewrite (mean_ext _ (fun c => indicator _ (S c))
      (fun c => indicator (fun c => Nat.ltb b c) c + indicator (fun c => Nat.eqb c b) c)).
    - rewrite mean_plus. ring.
    - intros c. unfold indicator. destruct (Nat.ltb_spec b (S c)), (Nat.ltb_spec b c), (Nat.eqb_spec c b); lia || lra.
  Qed.

  Lemma over_none n b : (n <= b)%nat -> chance_above q n b = 0.
  Proof.
    intros H. unfold chance_above. rewrite Pr_flips, (total_ext _ _ (fun _ => 0)), total_zero; [reflexivity |].
    intros i I. apply in_seq in I. destruct (Nat.ltb_spec b i); [lia | reflexivity].
  Qed.

  Lemma upto n b : P n (indicator (fun c => Nat.leb c b)) = 1 - chance_above q n b.
  Proof.
    rewrite <- (mean_flips_const n q 1). unfold chance_above, Pr, P. rewrite <- mean_minus. apply mean_ext. intros c.
    unfold indicator. destruct (Nat.leb_spec c b), (Nat.ltb_spec b c); lia || lra.
  Qed.

  Lemma over_range n b : 0 <= chance_above q n b <= 1.
  Proof.
    assert (F : proper (flips n q)) by (apply proper_flips; lra). assert (X := upto n b). unfold P in X.
    assert (N : forall T : nat -> bool, 0 <= mean (flips n q) (indicator T)).
    { intros T. apply mean_nonneg; [exact F |]. intros c. unfold indicator. destruct (T c); lra. }
    assert (A := N (fun c => Nat.leb c b)). assert (B := N (fun c => Nat.ltb b c)). unfold chance_above, Pr in *. lra.
  Qed.

  (** What is larger wherever it counts. *)
  Lemma compared n x y F G : (forall i, (F i - G i) * (x * binom (S n) q i + y * binom n q i) <= 0) ->
    x * P (S n) F + y * P n F <= x * P (S n) G + y * P n G.
  Proof.
    intros H. unfold P. rewrite !(mean_flips_more n), !(mean_flips (S n)), <- !total_scal, <- !total_plus. apply total_le.
    intros i _. specialize (H i). nra.
  Qed.

  Lemma ratio n i : (INR (S n) - INR i) * binom (S n) q i = INR (S n) * (1 - q) * binom n q i.
  Proof. apply binom_one_more. Qed.

  Section Level.
    Variables (n : nat) (E : R).
    Hypothesis HE : 1 <= E.
    Let M := INR (S n).
    Let rho := 1 - (1 - q) / E.
    Let s := 1 - (1 - q) * E.

    Lemma M_pos : 0 < M.
    Proof. apply lt_0_INR. lia. Qed.

    Lemma rho_range : q <= rho < 1.
    Proof.
      assert (I : 0 < (1 - q) / E) by (apply Rdiv_lt_0_compat; lra).
      assert (K : (1 - q) / E <= 1 - q); [| unfold rho; lra].
      apply Rmult_le_reg_r with E; [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
    Qed.

    Lemma masses i : 0 <= binom (S n) q i /\ 0 <= binom n q i.
    Proof. split; apply binom_nonneg; lra. Qed.

    Lemma likely i : INR i <= M * rho -> binom (S n) q i <= E * binom n q i.
    Proof.
      intros I. assert (R := ratio n i). assert (Mp := M_pos). destruct (masses i) as [A B]. fold M in R.
      assert (X : 0 < M * (1 - q) / E) by (apply Rdiv_lt_0_compat; nra).
      assert (K : M * (1 - q) = E * (M * (1 - q) / E)) by (field; lra).
      assert (Y : M * (1 - q) / E <= M - INR i) by (unfold rho in I; apply Rle_trans with (M - M * (1 - (1 - q) / E)); [right; field |]; lra).
      apply Rmult_le_reg_l with (M - INR i); [lra |]. rewrite R, K.
      apply Rle_trans with (E * ((M - INR i) * binom n q i)); [| lra].
      rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra |]. apply Rmult_le_compat_r; lra.
    Qed.

    Lemma unlikely i : M * rho <= INR i -> E * binom n q i <= binom (S n) q i.
    Proof.
      intros I. destruct (masses i) as [A B]. destruct (le_lt_dec i n) as [L | L].
      2:{ rewrite (binom_outside n) by exact L. lra. }
      assert (R := ratio n i). assert (Mp := M_pos). fold M in R.
      assert (D : 0 < M - INR i) by (apply le_INR in L; unfold M; rewrite S_INR; lra).
      assert (K : M * (1 - q) = E * (M * (1 - q) / E)) by (field; lra).
      assert (Y : M - INR i <= M * (1 - q) / E) by (unfold rho in I; apply Rle_trans with (M - M * (1 - (1 - q) / E)); [| right; field]; lra).
      apply Rmult_le_reg_l with (M - INR i); [lra |]. rewrite R, K.
      apply Rle_trans with (E * ((M - INR i) * binom n q i)); [lra |].
      rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra |]. apply Rmult_le_compat_r; lra.
    Qed.

    Lemma fewer_likely i : INR i <= M * s -> E * binom (S n) q i <= binom n q i.
    Proof.
      intros I. assert (R := ratio n i). assert (Mp := M_pos). destruct (masses i) as [A B]. fold M in R.
      apply Rmult_le_reg_l with (M * (1 - q)); [nra |]. rewrite <- R.
      replace (M * (1 - q) * (E * binom (S n) q i)) with (M * (1 - q) * E * binom (S n) q i) by ring.
      apply Rmult_le_compat_r; [exact A |]. unfold s in I. nra.
    Qed.

    Lemma fewer_unlikely i : M * s <= INR i -> binom n q i <= E * binom (S n) q i.
    Proof.
      intros I. assert (R := ratio n i). assert (Mp := M_pos). destruct (masses i) as [A B]. fold M in R.
      apply Rmult_le_reg_l with (M * (1 - q)); [nra |]. rewrite <- R.
      replace (M * (1 - q) * (E * binom (S n) q i)) with (M * (1 - q) * E * binom (S n) q i) by ring.
      apply Rmult_le_compat_r; [exact A |]. unfold s in I. nra.
    Qed.

    (** *** With the threshold *)

    Section Threshold.
      Variables (tau : nat) (xs ys : list bool).
      Hypotheses (Hx : ones xs = S n) (Hy : ones ys = n).
      Let shown (T : nat -> bool) (c : nat) : R := indicator T (if Nat.leb tau c then c else 0%nat).

      Lemma shown_range T c : 0 <= shown T c <= 1.
      Proof. unfold shown, indicator. destruct (T _); lra. Qed.

      Lemma released_more T : Pr (sample_and_threshold q tau xs) T = P (S n) (shown T).
      Proof. unfold Pr. rewrite mean_sample_and_threshold, Hx. reflexivity. Qed.

      Lemma released_fewer T : Pr (sample_and_threshold q tau ys) T = P n (shown T).
      Proof. unfold Pr. rewrite mean_sample_and_threshold, Hy. reflexivity. Qed.

      Lemma dropped T c : (c < tau)%nat -> shown T c = indicator T 0%nat.
      Proof. intros H. unfold shown. destruct (Nat.leb_spec tau c); [lia | reflexivity]. Qed.

      Lemma no_holders delta : (S n < tau)%nat -> 0 <= delta ->
        below (sample_and_threshold q tau xs) (sample_and_threshold q tau ys) E delta /\
        below (sample_and_threshold q tau ys) (sample_and_threshold q tau xs) E delta.
      Proof.
        intros H D.
        assert (K : forall m T, (m < tau)%nat -> P m (shown T) = indicator T 0%nat).
        { intros m T L. apply (below_threshold q tau m (indicator T) L). }
        split; intros T; rewrite released_more, released_fewer, !K by lia;
          assert (X : 0 <= indicator T 0%nat) by (unfold indicator; destruct (T 0%nat); lra); nra.
      Qed.

      (** Constant below the place and 1 beyond it, or the other way round. *)
      Lemma parts m b g h : P m (fun c => if Nat.leb c b then g else h) = g * (1 - chance_above q m b) + h * chance_above q m b.
      Proof.
        rewrite <- upto. unfold chance_above, Pr, P. rewrite <- !mean_scal, <- mean_plus. apply mean_ext. intros c. unfold indicator.
        destruct (Nat.leb_spec c b), (Nat.ltb_spec b c); lia || lra.
      Qed.

      Lemma more_iff b delta : (tau <= S b)%nat -> ((tau <= b)%nat -> INR b <= M * rho) -> M * rho <= INR (S b) ->
        below (sample_and_threshold q tau xs) (sample_and_threshold q tau ys) E delta <->
        q * binom n q b - (E - 1) * chance_above q n b <= delta.
      Proof.
        intros T1 B1 B2. assert (O := over_one_more n b). assert (OR := over_range n b).
        assert (Beyond : forall i, (b < i)%nat -> M * rho <= INR i)
          by (intros i I; eapply Rle_trans; [exact B2 | apply le_INR; lia]).
        split.
        - intros Bel. specialize (Bel (fun c => Nat.ltb b c)). rewrite released_more, released_fewer in Bel.
          assert (Ev : forall m, P m (shown (fun c => Nat.ltb b c)) = chance_above q m b).
          { intros m. unfold chance_above, Pr, P. apply mean_ext. intros c. unfold shown, indicator.
            destruct (Nat.leb_spec tau c); [reflexivity |].
            destruct (Nat.ltb_spec b 0), (Nat.ltb_spec b c); lia || reflexivity. }
          rewrite !Ev, O in Bel. lra.
        - intros H T. rewrite released_more, released_fewer. set (g := indicator T 0%nat).
          assert (G : 0 <= g <= 1) by (unfold g, indicator; destruct (T 0%nat); lra).
          assert (C : exists h, 0 <= h <= 1 /\ h * (1 - chance_above q (S n) b) - E * (h * (1 - chance_above q n b)) <= 0 /\
            forall i, (i <= b)%nat -> (shown T i - h) * (1 * binom (S n) q i + - E * binom n q i) <= 0).
          { destruct (le_lt_dec tau b) as [L | L].
            - exists 0. split; [lra |]. split; [lra |]. intros i I. assert (R := shown_range T i).
              assert (X := likely i). specialize (X ltac:(eapply Rle_trans; [apply le_INR, I | apply B1, L])). nra.
            - exists g. split; [exact G |]. split.
              + rewrite O. assert (0 <= q * binom n q b) by (apply Rmult_le_pos; [lra | apply masses]).
                assert (0 <= g * (q * binom n q b)) by (apply Rmult_le_pos; lra).
                assert (0 <= (E - 1) * (g * (1 - chance_above q n b))) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]). lra.
              + intros i I. rewrite dropped by lia. fold g. lra. }
          destruct C as [h [Hh [Drop Near]]].
          assert (X := compared n 1 (- E) (shown T) (fun c => if Nat.leb c b then h else 1)).
          rewrite !parts, O in X. rewrite O in Drop.
          assert (Y : forall i, (shown T i - (if Nat.leb i b then h else 1)) * (1 * binom (S n) q i + - E * binom n q i) <= 0).
          { intros i. destruct (Nat.leb_spec i b) as [I | I]; [apply Near, I |].
            assert (R := shown_range T i). assert (Z := unlikely i (Beyond i I)). nra. }
          specialize (X Y). lra.
      Qed.

      Lemma fewer_iff c delta : (tau <= S c)%nat -> ((tau <= c)%nat -> INR c <= M * s) -> M * s <= INR (S c) ->
        below (sample_and_threshold q tau ys) (sample_and_threshold q tau xs) E delta <->
        0 <= delta /\ E * q * binom n q c - (E - 1) * (1 - chance_above q n c) <= delta.
      Proof.
        intros T1 B1 B2. assert (O := over_one_more n c). assert (OR := over_range n c).
        assert (Beyond : forall i, (c < i)%nat -> M * s <= INR i)
          by (intros i I; eapply Rle_trans; [exact B2 | apply le_INR; lia]).
        split.
        - intros Bel. split.
          + specialize (Bel (fun _ => false)). unfold Pr in Bel.
            rewrite !(mean_ext _ (indicator (fun _ : nat => false)) (fun _ => 0 * 0)) in Bel
              by (intros; unfold indicator; ring).
            rewrite !mean_scal, !Rmult_0_l in Bel. lra.
          + specialize (Bel (fun i => Nat.leb i c)). rewrite released_more, released_fewer in Bel.
            assert (Ev : forall m, P m (shown (fun i => Nat.leb i c)) = 1 - chance_above q m c).
            { intros m. rewrite <- upto. unfold P. apply mean_ext. intros i. unfold shown, indicator.
              destruct (Nat.leb_spec tau i); [reflexivity |].
              destruct (Nat.leb_spec 0 c), (Nat.leb_spec i c); lia || reflexivity. }
            rewrite !Ev, O in Bel. lra.
        - intros [D H] T. rewrite released_more, released_fewer. set (g := indicator T 0%nat).
          assert (G : 0 <= g <= 1) by (unfold g, indicator; destruct (T 0%nat); lra).
          assert (C : exists h, 0 <= h <= 1 /\
            forall i, (i <= c)%nat -> (shown T i - h) * (- E * binom (S n) q i + 1 * binom n q i) <= 0).
          { destruct (le_lt_dec tau c) as [L | L].
            - exists 1. split; [lra |]. intros i I. assert (R := shown_range T i).
              assert (X := fewer_likely i ltac:(eapply Rle_trans; [apply le_INR, I | apply B1, L])). nra.
            - exists g. split; [exact G |]. intros i I. rewrite dropped by lia. fold g. lra. }
          destruct C as [h [Hh Near]].
          assert (X := compared n (- E) 1 (shown T) (fun i => if Nat.leb i c then h else 0)).
          rewrite !parts, O in X.
          assert (Y : forall i, (shown T i - (if Nat.leb i c then h else 0)) * (- E * binom (S n) q i + 1 * binom n q i) <= 0).
          { intros i. destruct (Nat.leb_spec i c) as [I | I]; [apply Near, I |].
            assert (R := shown_range T i). assert (Z := fewer_unlikely i (Beyond i I)). nra. }
          specialize (X Y).
          assert (Z : h * (E * q * binom n q c - (E - 1) * (1 - chance_above q n c)) <= delta) by nra. nra.
      Qed.

      (** *** Many holders *)

      Lemma low_rate : 1 <= (1 - q) * E ->
        below (sample_and_threshold q tau ys) (sample_and_threshold q tau xs) E 0.
      Proof.
        intros H T. rewrite released_more, released_fewer. unfold P. rewrite mean_flips_S.
        assert (F : proper (flips n q)) by (apply proper_flips; lra).
        assert (A : 0 <= mean (flips n q) (fun c => shown T (S c))) by (apply mean_nonneg; [exact F | intros; apply shown_range]).
        assert (B : 0 <= mean (flips n q) (shown T)) by (apply mean_nonneg; [exact F | intros; apply shown_range]).
        set (u := mean (flips n q) (shown T)) in *. set (v := mean (flips n q) (fun c => shown T (S c))) in *.
        assert (0 <= E * (q * v)) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]).
        assert (1 * u <= (1 - q) * E * u) by (apply Rmult_le_compat_r; lra). lra.
      Qed.

      Lemma many_bound : below (sample_and_threshold q tau xs) (sample_and_threshold q tau ys) E
        (exp (- (M * coin_divergence rho q))).
      Proof.
        intros T. rewrite released_more, released_fewer. assert (Mp := M_pos). assert (R := rho_range).
        set (far := fun c : nat => if Rle_dec (M * rho) (INR c) then true else false).
        assert (Tail : P (S n) (indicator far) <= exp (- (M * coin_divergence rho q))).
        { apply (tail q Hq); [lra |]. intros c F. unfold far in F. destruct (Rle_dec (M * rho) (INR c)); [| discriminate].
          fold M. apply Rmult_le_pos; lra. }
        assert (X := compared n 1 (- E) (shown T) (indicator far)).
        assert (B : 0 <= P n (indicator far)).
        { apply mean_nonneg; [apply proper_flips; lra |]. intros c. unfold indicator. destruct (far c); lra. }
        enough (Y : forall i, (shown T i - indicator far i) * (1 * binom (S n) q i + - E * binom n q i) <= 0)
          by (specialize (X Y); nra).
        intros i. assert (Sh := shown_range T i). unfold indicator, far. destruct (Rle_dec (M * rho) (INR i)) as [F | F].
        - assert (U := unlikely i F). nra.
        - assert (L := likely i ltac:(lra)). nra.
      Qed.

      Lemma many_fewer_bound x : 0 < x <= q -> s <= x -> (1 - q) * E <= 1 ->
        below (sample_and_threshold q tau ys) (sample_and_threshold q tau xs) E
          ((1 / (1 - q) - E) * exp (- (M * coin_divergence x q))).
      Proof.
        intros Hx' Sx Gain T. rewrite released_more, released_fewer. assert (Mp := M_pos).
        set (far := fun c : nat => if Rle_dec (INR c) (M * x) then true else false).
        assert (Tail : P (S n) (indicator far) <= exp (- (M * coin_divergence x q))).
        { apply (tail q Hq); [lra |]. intros c F. unfold far in F. destruct (Rle_dec (INR c) (M * x)); [| discriminate].
          fold M. nra. }
        set (gain := 1 / (1 - q) - E).
        assert (G : 0 <= gain) by (unfold gain; apply Rmult_le_reg_l with (1 - q); [lra |];
          rewrite Rmult_minus_distr_l; replace ((1 - q) * (1 / (1 - q))) with 1 by (field; lra); lra).
        apply Rle_trans with (E * P (S n) (shown T) + gain * P (S n) (indicator far));
          [| apply Rplus_le_compat_l, Rmult_le_compat_l; assumption].
        unfold P. rewrite (mean_flips_more n), !(mean_flips (S n)), <- !total_scal, <- total_plus. apply total_le. intros i _.
        assert (Sh := shown_range T i). destruct (masses i) as [A B]. unfold indicator, far.
        destruct (Rle_dec (INR i) (M * x)) as [F | F].
        - assert (K : binom n q i <= 1 / (1 - q) * binom (S n) q i).
          { assert (R := ratio n i). fold M in R. apply Rmult_le_reg_l with (M * (1 - q)); [nra |]. rewrite <- R.
            replace (M * (1 - q) * (1 / (1 - q) * binom (S n) q i)) with (M * binom (S n) q i) by (field; lra).
            apply Rmult_le_compat_r; [exact A |]. assert (I := pos_INR i). lra. }
          assert (K' : binom n q i <= (gain + E) * binom (S n) q i) by (unfold gain; lra).
          assert (binom n q i * shown T i <= (gain + E) * binom (S n) q i * shown T i) by (apply Rmult_le_compat_r; lra).
          assert (gain * (binom (S n) q i * shown T i) <= gain * (binom (S n) q i * 1))
            by (apply Rmult_le_compat_l; [exact G | apply Rmult_le_compat_l; lra]). lra.
        - assert (U := fewer_unlikely i ltac:(nra)).
          assert (binom n q i * shown T i <= E * binom (S n) q i * shown T i) by (apply Rmult_le_compat_r; lra). lra.
      Qed.
    End Threshold.
  End Level.
End Holders.

(** ** The theorems *)

Theorem more_holders (q E delta : R) (n b tau : nat) (xs ys : list bool) :
  0 < q < 1 -> 1 <= E -> ones xs = S n -> ones ys = n -> (tau <= S b)%nat ->
  ((tau <= b)%nat -> INR b <= INR (S n) * (1 - (1 - q) / E)) -> INR (S n) * (1 - (1 - q) / E) <= INR (S b) ->
  below (sample_and_threshold q tau xs) (sample_and_threshold q tau ys) E delta <->
  q * binom n q b - (E - 1) * Pr (flips n q) (fun c => Nat.ltb b c) <= delta.
Proof. intros Hq HE Hx Hy. apply (more_iff q Hq n E HE tau xs ys Hx Hy b delta). Qed.

Theorem fewer_holders (q E delta : R) (n c tau : nat) (xs ys : list bool) :
  0 < q < 1 -> ones xs = S n -> ones ys = n -> (tau <= S c)%nat ->
  ((tau <= c)%nat -> INR c <= INR (S n) * (1 - (1 - q) * E)) -> INR (S n) * (1 - (1 - q) * E) <= INR (S c) ->
  below (sample_and_threshold q tau ys) (sample_and_threshold q tau xs) E delta <->
  0 <= delta /\ E * q * binom n q c - (E - 1) * (1 - Pr (flips n q) (fun i => Nat.ltb c i)) <= delta.
Proof. intros Hq Hx Hy. apply (fewer_iff q Hq n E tau xs ys Hx Hy c delta). Qed.

Theorem many_holders (q E : R) (n tau : nat) (xs ys : list bool) :
  0 < q < 1 -> 1 <= E -> ones xs = S n -> ones ys = n ->
  below (sample_and_threshold q tau xs) (sample_and_threshold q tau ys) E
    (exp (- (INR (S n) * coin_divergence (1 - (1 - q) / E) q))).
Proof. intros Hq HE Hx Hy. apply many_bound; assumption. Qed.

Theorem many_fewer_holders (q E x : R) (n tau : nat) (xs ys : list bool) :
  0 < q < 1 -> 0 < x <= q -> 1 - (1 - q) * E <= x -> (1 - q) * E <= 1 -> ones xs = S n -> ones ys = n ->
  below (sample_and_threshold q tau ys) (sample_and_threshold q tau xs) E
    ((1 / (1 - q) - E) * exp (- (INR (S n) * coin_divergence x q))).
Proof. intros Hq Hx' Sx Gain Hx Hy. apply many_fewer_bound; assumption. Qed.
