(** How much the answers' sums of randomized response overlap: half-lines say it.

    [answers_sum E n k] is the law of the number of ones among the answers of randomized response, where k of n users
    hold 1 (users/local_overlap.v). For E > 1, k <= k' <= n and real o: if P[S_k >= c] + P[S_k' < c] >= o for every
    integer c >= 0, then no event is likelier for k than for k' by more than 1 - o ([half_lines_overlap]): the total
    variation distance is the largest difference of two half-lines, which is all that local_lower_bound computes.

    Proof. Let G be the sum of the answers of all users but one. It is log-concave, so that the ratio of the law where
    that user holds 1 to the law where he holds 0, of G + Ber(p) to G + Ber(1-p), rises. Rising ratios of laws with one
    support multiply. Source: exactdp/accuracy/overlapping_sums.py; standard. *)

From Coq Require Import Reals List ZArith Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick bits half_line log_concave_laws longer_shift.
From Exactdp Require Import local_simulation local_randomized_response local_overlap.
Import ListNotations.
Open Scope R_scope.

(** ** The masses of a sum of coins *)

Lemma coins_outside ps t : (t < 0 \/ Z.of_nat (length ps) < t)%Z -> coins ps t = 0.
Proof.
  revert t. induction ps as [| p ps IH]; intros t H.
  - simpl in *. destruct (Z.eqb_spec t 0); [lia | reflexivity].
  - change (coins (p :: ps) t) with ((1 - p) * coins ps t + p * coins ps (t - 1)%Z).
    cbn [length] in H. rewrite !IH by lia. ring.
Qed.

Lemma coins_inside ps t : (forall p, In p ps -> 0 < p < 1) -> (0 <= t <= Z.of_nat (length ps))%Z -> 0 < coins ps t.
Proof.
  intros H. revert t. induction ps as [| p ps IH]; intros t T.
  - simpl in *. destruct (Z.eqb_spec t 0); [lra | lia].
  - change (coins (p :: ps) t) with ((1 - p) * coins ps t + p * coins ps (t - 1)%Z). cbn [length] in T.
    assert (P : 0 < p < 1) by (apply H; left; reflexivity).
    assert (I : forall q, In q ps -> 0 < q < 1) by (intros q J; apply H; right; exact J).
    specialize (IH I). destruct (Z.eq_dec t 0) as [-> | N].
    + rewrite (coins_outside ps (0 - 1)) by lia. assert (X := IH 0%Z ltac:(lia)).
      assert (0 < (1 - p) * coins ps 0) by (apply Rmult_lt_0_compat; lra). lra.
    + assert (X := IH (t - 1)%Z ltac:(lia)). assert (0 < p * coins ps (t - 1)) by (apply Rmult_lt_0_compat; lra).
      assert (0 <= (1 - p) * coins ps t); [| lra]. apply Rmult_le_pos; [lra |].
      destruct (Z_le_gt_dec t (Z.of_nat (length ps))) as [L | L].
      * left. apply IH. lia.
      * rewrite coins_outside by lia. lra.
Qed.

Lemma with_coin_swap p q w t : with_coin p (with_coin q w) t = with_coin q (with_coin p w) t.
Proof. unfold with_coin. ring. Qed.

(** One coin of several may be taken first. *)
Lemma coins_middle p us vs t : coins (us ++ p :: vs) t = with_coin p (coins (us ++ vs)) t.
Proof.
  revert t. induction us as [| u us IH]; intros t; [reflexivity |].
  change (with_coin u (coins (us ++ p :: vs)) t = with_coin p (with_coin u (coins (us ++ vs))) t).
  rewrite with_coin_swap. unfold with_coin at 1 2. rewrite !IH. reflexivity.
Qed.

(** ** Ratios *)

Lemma one_coin_falling q p w : 0 <= q <= p -> p <= 1 -> log_concave w -> falling (with_coin q w) (with_coin p w).
Proof.
  intros Q P LC s t H. destruct (Z.eq_dec s t) as [-> | N]; [lra |]. unfold with_coin.
  assert (C := proj2 LC (s - 1)%Z (t - 1)%Z ltac:(lia)).
  replace (s - 1 + 1)%Z with s in C by lia. replace (t - 1 + 1)%Z with t in C by lia.
  assert (X : 0 <= (p - q) * (w s * w (t - 1)%Z - w (s - 1)%Z * w t)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma falling_trans f g h : (forall t, 0 <= f t) -> (forall t, 0 <= g t) -> (forall t, 0 <= h t) ->
  (forall t, g t = 0 -> f t = 0 /\ h t = 0) -> falling f g -> falling g h -> falling f h.
Proof.
  intros F G H Z A B s t L. specialize (A s t L). specialize (B s t L).
  destruct (G s) as [Gs | Gs]; [| destruct (Z s (eq_sym Gs)) as [-> ->]; lra].
  destruct (G t) as [Gt | Gt]; [| destruct (Z t (eq_sym Gt)) as [-> ->]; lra].
  apply Rmult_le_reg_r with (g s * g t); [apply Rmult_lt_0_compat; assumption |].
  replace (f t * h s * (g s * g t)) with (f t * g s * (g t * h s)) by ring.
  replace (f s * h t * (g s * g t)) with (f s * g t * (g s * h t)) by ring.
  apply Rmult_le_compat; try assumption; apply Rmult_le_pos; auto.
Qed.

Section answers.

Variables (E : R) (n : nat).
Hypothesis E_above_1 : 1 < E.

Let p := E / (E + 1).

Lemma p_bounds : 0 < 1 - p < p /\ p < 1.
Proof.
  assert (I : p = 1 - / (E + 1)) by (unfold p; field; lra).
  assert (J : 0 < / (E + 1)) by (apply Rinv_0_lt_compat; lra).
  assert (K : / (E + 1) < / 2) by (apply Rinv_lt_contravar; lra). lra.
Qed.

Definition chance_of_1 (x : bool) : R := if x then p else 1 - p.

Lemma chance_of_1_inside xs q : In q (map chance_of_1 xs) -> 0 < q < 1.
Proof. assert (P := p_bounds). intros I. apply in_map_iff in I. destruct I as [[|] [<- _]]; simpl; lra. Qed.

Lemma mean_of_answers xs f : mean (dmap ones (reports (randomized_response E) xs)) f =
  total (seq 0 (S (length xs))) (fun s => coins (map chance_of_1 xs) (Z.of_nat s) * f s).
Proof.
  rewrite mean_dmap. revert f. induction xs as [| x xs IH]; intros f.
  - rewrite mean_reports_none. simpl. ring.
  - rewrite mean_reports_first, mean_randomized_response.
    replace (1 / (E + 1)) with (1 - p) by (unfold p; field; lra). fold p.
    set (c := chance_of_1 x). set (w := coins (map chance_of_1 xs)).
    assert (L : p * mean (reports (randomized_response E) xs) (fun others => f (ones (x :: others))) +
      (1 - p) * mean (reports (randomized_response E) xs) (fun others => f (ones (negb x :: others))) =
      c * mean (reports (randomized_response E) xs) (fun others => f (S (ones others))) +
      (1 - c) * mean (reports (randomized_response E) xs) (fun others => f (ones others))).
    { unfold c, chance_of_1. destruct x; cbn [ones negb]; ring. }
    rewrite L, (IH (fun s => f (S s))), IH. fold w. cbn [length].
    rewrite (total_ext (seq 0 (S (S (length xs)))) _
      (fun s => (1 - c) * (w (Z.of_nat s) * f s) + c * (w (Z.of_nat s - 1)%Z * f s))).
    + rewrite total_plus, !total_scal, (total_seq_S (S (length xs)) (fun s => w (Z.of_nat s) * f s)).
      rewrite (total_seq_shift (S (length xs)) (fun s => w (Z.of_nat s - 1)%Z * f s)).
      assert (O1 : w (Z.of_nat (S (length xs))) = 0).
      { unfold w. apply coins_outside. rewrite map_length. lia. }
      assert (O2 : w (Z.of_nat 0 - 1)%Z = 0) by (unfold w; apply coins_outside; lia).
      rewrite O1, O2.
      rewrite (total_ext (seq 0 (S (length xs))) (fun i => w (Z.of_nat (S i) - 1)%Z * f (S i))
        (fun i => w (Z.of_nat i) * f (S i))) by (intros i _; do 2 f_equal; lia). ring.
    + intros s _. change (coins (map chance_of_1 (x :: xs)) (Z.of_nat s))
        with ((1 - c) * w (Z.of_nat s) + c * w (Z.of_nat s - 1)%Z). ring.
Qed.

Let law_of (k : nat) : Z -> R := coins (map chance_of_1 (sorted_bits n k)).

Lemma law_of_nonneg k t : 0 <= law_of k t.
Proof. apply coins_log_concave. intros q I. apply chance_of_1_inside in I. lra. Qed.

Lemma one_more_falling k : (S k <= n)%nat -> falling (law_of k) (law_of (S k)).
Proof.
  intros H. assert (P := p_bounds). set (others := map chance_of_1 (repeat true k ++ repeat false (n - S k))).
  assert (A : forall t, law_of k t = with_coin (1 - p) (coins others) t).
  { intros t. unfold law_of, sorted_bits, others. replace (n - k)%nat with (S (n - S k)) by lia. simpl repeat.
    rewrite !map_app. apply coins_middle. }
  assert (B : forall t, law_of (S k) t = with_coin p (coins others) t).
  { intros t. unfold law_of, sorted_bits, others. simpl repeat. reflexivity. }
  intros s t L. rewrite !A, !B. apply one_coin_falling; [lra | lra | | exact L].
  apply coins_log_concave. intros q I. apply chance_of_1_inside in I. lra.
Qed.

Lemma law_of_support k t : (k <= n)%nat -> law_of k t = 0 -> (t < 0 \/ Z.of_nat n < t)%Z.
Proof.
  intros K Z0. destruct (Z_lt_le_dec t 0) as [L | L]; [left; exact L |].
  destruct (Z_le_gt_dec t (Z.of_nat n)) as [M | M]; [| right; lia]. exfalso.
  assert (X : 0 < law_of k t); [| lra]. apply coins_inside; [intros q; apply chance_of_1_inside |].
  rewrite map_length, sorted_bits_length by exact K. lia.
Qed.

Lemma more_falling k d : (k + d <= n)%nat -> falling (law_of k) (law_of (k + d)).
Proof.
  induction d as [| d IH]; intros H.
  - rewrite Nat.add_0_r. intros s t _. lra.
  - apply (falling_trans _ (law_of (k + d))); try (intros; apply law_of_nonneg).
    + intros t Z0. apply law_of_support in Z0; [| lia].
      split; apply coins_outside; rewrite map_length, sorted_bits_length; lia.
    + apply IH. lia.
    + replace (k + S d)%nat with (S (k + d)) by lia. apply one_more_falling. lia.
Qed.

End answers.

Theorem half_lines_overlap E (n k k' : nat) o :
  1 < E -> (k <= k')%nat -> (k' <= n)%nat ->
  (forall c, o <= Pr (answers_sum E n k) (fun s => Nat.leb c s) + Pr (answers_sum E n k') (fun s => Nat.ltb s c)) ->
  below (answers_sum E n k) (answers_sum E n k') 1 (1 - o).
Proof.
  intros HE K K' H T. rewrite Rmult_1_l.
  set (u := coins (map (chance_of_1 E) (sorted_bits n k))). set (v := coins (map (chance_of_1 E) (sorted_bits n k'))).
  assert (U : forall f, mean (answers_sum E n k) f = total (seq 0 (S n)) (fun s => u (Z.of_nat s) * f s)).
  { intros f. unfold answers_sum. rewrite mean_of_answers by exact HE. rewrite sorted_bits_length by lia. reflexivity. }
  assert (V : forall f, mean (answers_sum E n k') f = total (seq 0 (S n)) (fun s => v (Z.of_nat s) * f s)).
  { intros f. unfold answers_sum. rewrite mean_of_answers by exact HE. rewrite sorted_bits_length by lia. reflexivity. }
  assert (PE : 0 < E) by lra.
  assert (PS : forall j, proper (answers_sum E n j)).
  { intros j. apply proper_dmap, proper_messages. intros x. apply proper_dmap, proper_randomized_response, PE. }
  assert (F : falling u v).
  { unfold u, v. replace k' with (k + (k' - k))%nat by lia. apply more_falling; [exact HE | lia]. }
  assert (Pu : forall t, 0 <= u t) by (intros t; apply law_of_nonneg, HE).
  assert (Pv : forall t, 0 <= v t) by (intros t; apply law_of_nonneg, HE).
  destruct (falling_threshold u v 1 (map Z.of_nat (seq 0 (S n))) Pu Pv ltac:(lra) F) as [None | [a [Low High]]].
  - assert (O : o <= 1).
    { specialize (H 0%nat). rewrite (Pr_all _ (PS k) : Pr _ (fun s => Nat.leb 0 s) = 1) in H.
      assert (Z0 : Pr (answers_sum E n k') (fun s => Nat.ltb s 0) = 0); [| lra].
      unfold Pr. rewrite (mean_ext _ _ (fun _ => 0)) by reflexivity. apply mean_const, PS. }
    unfold Pr. rewrite U, V.
    apply Rle_trans with (total (seq 0 (S n)) (fun s => v (Z.of_nat s) * indicator T s)); [| lra].
    apply total_le. intros s I. specialize (None _ (in_map Z.of_nat _ _ I)).
    apply Rmult_le_compat_r; [apply indicator_bounds | lra].
  - set (c := Z.to_nat (a + 1)). specialize (H c).
    assert (Split : Pr (answers_sum E n k) (fun s => Nat.leb c s) = 1 - Pr (answers_sum E n k) (fun s => Nat.ltb s c)).
    { rewrite <- (Pr_all _ (PS k)). unfold Pr. rewrite <- mean_minus. apply mean_ext. intros s. unfold indicator.
      destruct (Nat.leb_spec c s), (Nat.ltb_spec s c); try lia; ring. }
    assert (Low' : forall s, In s (seq 0 (S n)) -> (s < c)%nat -> v (Z.of_nat s) <= u (Z.of_nat s)).
    { intros s _ L. assert (X : at_most a (Z.of_nat s) = true) by (apply Z.leb_le; unfold c in L; lia).
      specialize (Low _ X). lra. }
    assert (High' : forall s, In s (seq 0 (S n)) -> (c <= s)%nat -> u (Z.of_nat s) <= v (Z.of_nat s)).
    { intros s I L. assert (X : at_most a (Z.of_nat s) = false) by (apply Z.leb_gt; unfold c in L; lia).
      specialize (High _ (in_map Z.of_nat _ _ I) X). lra. }
    assert (D : Pr (answers_sum E n k) T - Pr (answers_sum E n k') T <=
      Pr (answers_sum E n k) (fun s => Nat.ltb s c) - Pr (answers_sum E n k') (fun s => Nat.ltb s c)); [| lra].
    unfold Pr. rewrite !U, !V, <- !total_minus. apply total_le. intros s I. unfold indicator.
    specialize (Low' s I). specialize (High' s I).
    destruct (T s), (Nat.ltb_spec s c) as [L | L]; try specialize (Low' L); try specialize (High' L); lra.
Qed.

(** ** Two sums beside the middle *)

Lemma coins_flipped ps t : coins (map (fun p => 1 - p) ps) t = coins ps (Z.of_nat (length ps) - t)%Z.
Proof.
  revert t. induction ps as [| p ps IH]; intros t.
  - simpl. destruct (Z.eqb_spec t 0), (Z.eqb_spec (- t) 0); reflexivity || lia.
  - change (with_coin (1 - p) (coins (map (fun p => 1 - p) ps)) t = with_coin p (coins ps) (Z.of_nat (S (length ps)) - t)%Z).
    unfold with_coin. rewrite !IH, Nat2Z.inj_succ.
    replace (Z.succ (Z.of_nat (length ps)) - t)%Z with (Z.of_nat (length ps) - (t - 1))%Z by lia.
    replace (Z.of_nat (length ps) - (t - 1) - 1)%Z with (Z.of_nat (length ps) - t)%Z by lia. ring.
Qed.

Lemma coins_permutation ps qs t : Permutation ps qs -> coins ps t = coins qs t.
Proof.
  intros P. revert t. induction P as [| p ps qs P IH | p r ps | ps qs rs P IH P' IH']; intros t.
  - reflexivity.
  - change (with_coin p (coins ps) t = with_coin p (coins qs) t). unfold with_coin. rewrite !IH. reflexivity.
  - apply with_coin_swap.
  - rewrite IH. apply IH'.
Qed.

Lemma negb_repeat b k : map negb (repeat b k) = repeat (negb b) k.
Proof. induction k as [| k IH]; simpl; [reflexivity | rewrite IH; reflexivity]. Qed.

Section middle.

Variables (E : R) (h d : nat).
Hypotheses (E_above_1 : 1 < E) (d_below_h : (d <= h)%nat).

Let n := (2 * h)%nat.
Let u := coins (map (chance_of_1 E) (sorted_bits n (h - d))).
Let v := coins (map (chance_of_1 E) (sorted_bits n (h + d))).

Lemma reflected t : u t = v (Z.of_nat n - t)%Z.
Proof.
  assert (L : length (sorted_bits n (h - d)) = n) by (apply sorted_bits_length; unfold n; lia).
  unfold v. rewrite <- L at 2. rewrite <- (map_length negb), <- (map_length (chance_of_1 E)) at 1.
  rewrite (coins_permutation _ (map (chance_of_1 E) (map negb (sorted_bits n (h - d))))).
  - rewrite <- coins_flipped. unfold u. rewrite !map_map. f_equal. apply map_ext. intros [|]; simpl; ring.
  - apply Permutation_map. unfold sorted_bits. rewrite map_app, !negb_repeat. simpl negb.
    replace (n - (h - d))%nat with (h + d)%nat by (unfold n; lia).
    replace (n - (h + d))%nat with (h - d)%nat by (unfold n; lia). apply Permutation_app_comm.
Qed.

Lemma lighter_below i : (i <= h)%nat -> v (Z.of_nat i) <= u (Z.of_nat i).
Proof.
  intros I. assert (F : falling u v).
  { unfold u, v. replace (h + d)%nat with (h - d + 2 * d)%nat by lia. apply more_falling; [exact E_above_1 | unfold n; lia]. }
  specialize (F (Z.of_nat i) (Z.of_nat n - Z.of_nat i)%Z ltac:(unfold n; lia)).
  rewrite !reflected in F. replace (Z.of_nat n - (Z.of_nat n - Z.of_nat i))%Z with (Z.of_nat i) in F by lia.
  rewrite reflected. assert (A := law_of_nonneg E n E_above_1 (h + d) (Z.of_nat i)).
  assert (B := law_of_nonneg E n E_above_1 (h + d) (Z.of_nat n - Z.of_nat i)). cbv beta in A, B. fold v in A, B. nra.
Qed.

Lemma heavier_above i : (h <= i)%nat -> u (Z.of_nat i) <= v (Z.of_nat i).
Proof.
  intros I. destruct (le_lt_dec i n) as [L | L].
  - assert (X := lighter_below (n - i) ltac:(unfold n; lia)). rewrite (reflected (Z.of_nat i)).
    rewrite reflected in X. replace (Z.of_nat n - Z.of_nat i)%Z with (Z.of_nat (n - i)) by lia.
    replace (Z.of_nat n - Z.of_nat (n - i))%Z with (Z.of_nat i) in X by lia. exact X.
  - unfold u, v. rewrite !coins_outside; [lra | |]; rewrite map_length, sorted_bits_length; unfold n in *; lia.
Qed.

Lemma answers_mean k f : (k <= n)%nat -> mean (answers_sum E n k) f =
  total (seq 0 (S n)) (fun s => coins (map (chance_of_1 E) (sorted_bits n k)) (Z.of_nat s) * f s).
Proof. intros K. unfold answers_sum. rewrite mean_of_answers, sorted_bits_length by assumption. reflexivity. Qed.

Lemma one_answer k c : (k <= n)%nat ->
  mean (answers_sum E n k) (fun s => if Nat.eqb c s then 1 else 0) =
  coins (map (chance_of_1 E) (sorted_bits n k)) (Z.of_nat c).
Proof.
  intros K. rewrite answers_mean by exact K. set (w := coins _).
  rewrite (total_ext _ _ (fun s => if Nat.eq_dec c s then w (Z.of_nat c) else 0)).
  2:{ intros s _. destruct (Nat.eqb_spec c s), (Nat.eq_dec c s); subst; try lia; ring. }
  destruct (le_lt_dec c n) as [L | L].
  - apply (total_single Nat.eq_dec); [apply seq_NoDup | apply in_seq; lia].
  - rewrite (total_ext _ _ (fun _ => 0)), total_zero.
    + unfold w. symmetry. apply coins_outside. rewrite map_length, sorted_bits_length; lia.
    + intros s I. apply in_seq in I. destruct (Nat.eq_dec c s); [lia | reflexivity].
Qed.

Let both (c : nat) : R :=
  Pr (answers_sum E n (h - d)) (fun s => Nat.leb c s) + Pr (answers_sum E n (h + d)) (fun s => Nat.ltb s c).

Lemma both_step c : both (S c) = both c - u (Z.of_nat c) + v (Z.of_nat c).
Proof.
  unfold both, u, v. rewrite <- !one_answer by (unfold n; lia). unfold Pr.
  assert (A : mean (answers_sum E n (h - d)) (indicator (fun s => Nat.leb c s)) =
    mean (answers_sum E n (h - d)) (indicator (fun s => Nat.leb (S c) s)) +
    mean (answers_sum E n (h - d)) (fun s => if Nat.eqb c s then 1 else 0)).
  { rewrite <- mean_plus. apply mean_ext. intros s. unfold indicator.
    destruct (Nat.leb_spec c s), (Nat.leb_spec (S c) s), (Nat.eqb_spec c s); try lia; ring. }
  assert (B : mean (answers_sum E n (h + d)) (indicator (fun s => Nat.ltb s (S c))) =
    mean (answers_sum E n (h + d)) (indicator (fun s => Nat.ltb s c)) +
    mean (answers_sum E n (h + d)) (fun s => if Nat.eqb c s then 1 else 0)).
  { rewrite <- mean_plus. apply mean_ext. intros s. unfold indicator.
    destruct (Nat.ltb_spec s c), (Nat.ltb_spec s (S c)), (Nat.eqb_spec c s); try lia; ring. }
  lra.
Qed.

Lemma middle_least c : both h <= both c.
Proof.
  destruct (le_lt_dec h c) as [L | L].
  - replace c with (h + (c - h))%nat by lia. generalize (c - h)%nat. intros i. induction i as [| i IH].
    + rewrite Nat.add_0_r. lra.
    + rewrite Nat.add_succ_r, both_step. assert (X := heavier_above (h + i) ltac:(lia)). lra.
  - replace c with (h - (h - c))%nat by lia. assert (I : (h - c <= h)%nat) by lia. revert I. generalize (h - c)%nat.
    intros i. induction i as [| i IH]; intros I.
    + rewrite Nat.sub_0_r. lra.
    + specialize (IH ltac:(lia)). assert (X := both_step (h - S i)). replace (S (h - S i)) with (h - i)%nat in X by lia.
      assert (Y := lighter_below (h - S i) ltac:(lia)). lra.
Qed.

Lemma upper_half : Pr (answers_sum E n (h + d)) (fun s => Nat.ltb s h) <= Pr (answers_sum E n (h - d)) (fun s => Nat.leb h s).
Proof.
  unfold Pr. rewrite !answers_mean by (unfold n; lia). fold u v.
  assert (U : forall t, 0 <= u t) by (intros t; apply law_of_nonneg, E_above_1).
  set (half := map (fun s => n - s)%nat (seq 0 h)).
  apply Rle_trans with (total half (fun s => u (Z.of_nat s) * indicator (fun s => Nat.leb h s) s)).
  - unfold half. replace (S n) with (h + S h)%nat by (unfold n; lia).
    rewrite total_map, seq_app, total_app, (total_ext (seq (0 + h) _) _ (fun _ => 0)), total_zero.
    + rewrite Rplus_0_r. apply total_le. intros s I. apply in_seq in I. unfold indicator.
      rewrite (proj2 (Nat.ltb_lt s h)), (proj2 (Nat.leb_le h _)), reflected by (unfold n; lia).
      replace (Z.of_nat n - Z.of_nat (n - s))%Z with (Z.of_nat s) by (unfold n; lia). lra.
    + intros s I. apply in_seq in I. unfold indicator. rewrite (proj2 (Nat.ltb_ge s h)) by lia. ring.
  - apply total_incl.
    + unfold half. assert (In_half : forall s, In s (seq 0 h) -> (s <= n)%nat) by (intros s I; apply in_seq in I; unfold n; lia).
      revert In_half. generalize (seq_NoDup h 0). generalize (seq 0 h). induction 1 as [| s l Hs N IH]; intros B; [constructor |].
      simpl map. constructor; [| apply IH; intros r I; apply B; right; exact I].
      intros I. apply in_map_iff in I. destruct I as [r [Er Ir]]. apply Hs.
      replace s with r; [exact Ir |]. assert (X := B s (or_introl eq_refl)). assert (Y := B r (or_intror Ir)). lia.
    + intros s I. apply in_map_iff in I. destruct I as [r [<- I]]. apply in_seq. lia.
    + intros s _. apply Rmult_le_pos; [apply U | apply indicator_bounds].
Qed.

Lemma middle_below :
  below (answers_sum E n (h - d)) (answers_sum E n (h + d)) 1
    (1 - 2 * Pr (answers_sum E n (h + d)) (fun s => Nat.ltb s h)).
Proof.
  apply half_lines_overlap; [exact E_above_1 | lia | unfold n; lia |].
  intros c. assert (M := middle_least c). assert (H := upper_half). unfold both in M. lra.
Qed.

End middle.

Theorem middle_overlap E (h d : nat) : 1 < E -> (d <= h)%nat ->
  below (answers_sum E (2 * h) (h - d)) (answers_sum E (2 * h) (h + d)) 1
    (1 - 2 * Pr (answers_sum E (2 * h) (h + d)) (fun s => Nat.ltb s h)).
Proof. exact (middle_below E h d). Qed.
