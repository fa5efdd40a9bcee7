(** Two-sided geometric noise: its tails and its mean absolute error.

    The law of geometric_noise.v with ratio a, 0 < a < 1, on the integers. Proved for all such a:
    - [geometric_half_line]: P[z >= k] = a^k/(1 + a) for every k >= 0; P[z <= -k] is the same;
    - [geometric_two_tails]: P[abs(z) >= k] = 2 a^k/(1 + a) for every k >= 1;
    - [geometric_mean_error]: the mean of abs(z) is 2a/(1 - a^2);
    - [central_error]: with a = e^-eps, eps > 0, that is 1/sinh(eps), which is below 1/eps.

    Idea: the sum over a window is a closed form, up to a remainder that is a multiple of n a^n; and n a^n
    tends to 0, as a = c^2 and (n + 1) c^(n+1) <= c/(1 - c).

    Source: Ghosh, Roughgarden, Sundararajan 2012, section 2. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums masses infinite_sums exponential geometric_noise survey_error.
Import ListNotations.
Open Scope R_scope.

Lemma geometric_even a z : geometric a (- z) = geometric a z.
Proof. unfold geometric. replace (Z.abs_nat (- z)) with (Z.abs_nat z) by lia. reflexivity. Qed.

(** ** Tails *)

(** k, k+1, ..., k+n. *)
Fixpoint interval (k : Z) (n : nat) : list Z :=
  match n with
  | O => [k]
  | S m => (k + Z.of_nat n)%Z :: interval k m
  end.

Lemma in_interval k n z : In z (interval k n) <-> (k <= z <= k + Z.of_nat n)%Z.
Proof. induction n as [| n IH]; [simpl; lia |]. cbn [interval In]. rewrite IH. lia. Qed.

Lemma interval_distinct k n : NoDup (interval k n).
Proof.
  induction n as [| n IH]; [repeat constructor; simpl; tauto |]. cbn [interval]. constructor; [| exact IH].
  rewrite in_interval. lia.
Qed.

Lemma total_interval a k n : 0 < a < 1 -> (0 <= k)%Z ->
  total (interval k n) (geometric a) = (a ^ Z.to_nat k - a ^ (Z.to_nat k + S n)) / (1 + a).
Proof.
  intros H Hk. induction n as [| n IH].
  - unfold geometric. cbn [interval total]. replace (Z.abs_nat k) with (Z.to_nat k) by lia.
    rewrite pow_add. simpl. field. lra.
  - cbn [interval total]. rewrite IH. unfold geometric.
    replace (Z.abs_nat (k + Z.of_nat (S n))) with (Z.to_nat k + S n)%nat by lia.
    rewrite !pow_add. simpl pow. field. lra.
Qed.

(** More and more terms of a power that falls to 0 are as good as none. *)
Lemma small_power a c e : 0 < a < 1 -> 0 < c -> 0 < e -> exists n, c * a ^ n < e.
Proof.
  intros H Hc He. destruct (pow_lt_1_zero a) with (y := e / c) as [n Hn].
  - rewrite Rabs_right; lra.
  - apply Rdiv_lt_0_compat; assumption.
  - exists n. specialize (Hn n (le_n n)). rewrite Rabs_right in Hn by (left; apply pow_lt; lra).
    apply (Rmult_lt_compat_l c) in Hn; [| exact Hc]. replace (c * (e / c)) with e in Hn by (field; lra). exact Hn.
Qed.

Theorem geometric_half_line a (k : Z) : 0 < a < 1 -> (0 <= k)%Z ->
  mass_of (geometric a) (fun z => (k <= z)%Z) (a ^ Z.to_nat k / (1 + a)) /\
  mass_of (geometric a) (fun z => (z <= - k)%Z) (a ^ Z.to_nat k / (1 + a)).
Proof.
  intros H Hk. set (m := Z.to_nat k).
  assert (Pos : forall z, 0 <= geometric a z) by (intros z; left; apply geometric_pos, H).
  assert (Up : forall l, NoDup l -> (forall z, In z l -> (k <= z)%Z) -> total l (geometric a) <= a ^ m / (1 + a)).
  { intros l N I. destruct (inside_window l) as [n W].
    apply Rle_trans with (total (interval k n) (geometric a)).
    - apply total_incl; [exact N | | intros z _; apply Pos]. intros z Hz. apply in_interval.
      assert (A := I z Hz). assert (B := proj1 (in_window n z) (W z Hz)). lia.
    - rewrite total_interval by assumption. fold m. unfold Rdiv.
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra |].
      assert (0 < a ^ (m + S n)) by (apply pow_lt; lra). lra. }
  assert (Low : forall b, (forall n, total (interval k n) (geometric a) <= b) -> a ^ m / (1 + a) <= b).
  { intros b Hb. destruct (Rle_or_lt (a ^ m / (1 + a)) b) as [B | B]; [exact B | exfalso].
    destruct (small_power a 1 ((a ^ m / (1 + a) - b) * (1 + a)) H Rlt_0_1) as [n Hn];
      [apply Rmult_lt_0_compat; lra |].
    specialize (Hb n). rewrite total_interval in Hb by assumption. fold m in Hb.
    assert (L : a ^ (m + S n) <= a ^ n) by (apply power_falls; [exact H | lia]).
    apply (Rmult_le_compat_r (1 + a)) in Hb; [| lra].
    replace ((a ^ m - a ^ (m + S n)) / (1 + a) * (1 + a)) with (a ^ m - a ^ (m + S n)) in Hb by (field; lra).
    replace ((a ^ m / (1 + a) - b) * (1 + a)) with (a ^ m - b * (1 + a)) in Hn by (field; lra). lra. }
  split; split.
  - intros s [l [N [I ->]]]. apply Up; assumption.
  - intros b Hb. apply Low. intros n. apply Hb. exists (interval k n). split; [apply interval_distinct |].
    split; [| reflexivity]. intros z Hz. apply in_interval in Hz. lia.
  - intros s [l [N [I ->]]].
    replace (total l (geometric a)) with (total (map Z.opp l) (geometric a)).
    + apply Up; [apply FinFun.Injective_map_NoDup; [intros x y; lia | exact N] |].
      intros z Hz. apply in_map_iff in Hz. destruct Hz as [y [<- Hy]]. specialize (I y Hy). simpl in I. lia.
    + rewrite total_map. apply total_ext. intros z _. apply geometric_even.
  - intros b Hb. apply Low. intros n. apply Hb. exists (map Z.opp (interval k n)). split; [| split].
    + apply FinFun.Injective_map_NoDup; [intros x y; lia | apply interval_distinct].
    + intros z Hz. apply in_map_iff in Hz. destruct Hz as [y [<- Hy]]. apply in_interval in Hy. lia.
    + rewrite total_map. apply total_ext. intros z _. symmetry. apply geometric_even.
Qed.

(** Events that exclude each other add up. *)
Lemma mass_of_disjoint {A} (D : A -> R) (S T : A -> Prop) p q :
  (forall a, {S a} + {~ S a}) -> (forall a, 0 <= D a) -> (forall a, S a -> ~ T a) ->
  mass_of D S p -> mass_of D T q -> mass_of D (fun a => S a \/ T a) (p + q).
Proof.
  intros dec P X [US LS] [UT LT]. set (inside := fun a => if dec a then true else false). split.
  - intros s [l [N [I ->]]].
    assert (E : total l D = total (filter inside l) D + total (filter (fun a => negb (inside a)) l) D).
    { rewrite !total_filter, <- total_plus. apply total_ext. intros a _. destruct (inside a); simpl; ring. }
    rewrite E. apply Rplus_le_compat.
    + apply US. exists (filter inside l). split; [apply NoDup_filter, N | split; [| reflexivity]].
      intros a Ha. apply filter_In in Ha. unfold inside in Ha. destruct (dec a); [assumption | easy].
    + apply UT. exists (filter (fun a => negb (inside a)) l). split; [apply NoDup_filter, N | split; [| reflexivity]].
      intros a Ha. apply filter_In in Ha. destruct Ha as [Ha J]. unfold inside in J.
      destruct (dec a) as [| no]; [discriminate |]. destruct (I a Ha) as [Y | Y]; [contradiction | exact Y].
  - intros b Hb. assert (p <= b - q); [| lra]. apply LS. intros s [l [N [I ->]]].
    assert (q <= b - total l D); [| lra]. apply LT. intros t [m [Nm [Im ->]]].
    assert (total (l ++ m) D <= b); [| rewrite total_app in *; lra].
    apply Hb. exists (l ++ m). split; [| split; [| reflexivity]].
    + clear - N Nm I Im X. induction N as [| a l Ha Nl IH]; [exact Nm |]. simpl. constructor.
      * intros J. apply in_app_or in J. destruct J as [J | J]; [contradiction |].
        apply (X a); [apply I; left; reflexivity | apply Im, J].
      * apply IH. intros c Hc. apply I. right. exact Hc.
    + intros a Ha. apply in_app_or in Ha. destruct Ha; auto.
Qed.

Theorem geometric_two_tails a (k : Z) : 0 < a < 1 -> (1 <= k)%Z ->
  mass_of (geometric a) (fun z => (k <= Z.abs z)%Z) (2 * a ^ Z.to_nat k / (1 + a)).
Proof.
  intros H Hk. destruct (geometric_half_line a k H ltac:(lia)) as [U L].
  replace (2 * a ^ Z.to_nat k / (1 + a)) with (a ^ Z.to_nat k / (1 + a) + a ^ Z.to_nat k / (1 + a)) by (field; lra).
  apply (mass_of_ext _ (fun z => (k <= z)%Z \/ (z <= - k)%Z)); [intros z; lia |].
  apply mass_of_disjoint; [intros z; apply Z_le_dec | | intros z; lia | exact U | exact L].
  intros z. left. apply geometric_pos, H.
Qed.

(** ** The mean absolute error *)

Lemma total_window_error a n : 0 < a < 1 ->
  total (window n) (fun z => geometric a z * IZR (Z.abs z)) =
  2 * a / (1 - a ^ 2) - 2 * a ^ S n * (INR n + 1 - INR n * a) / (1 - a ^ 2).
Proof.
  intros H. assert (0 < 1 - a ^ 2) by (simpl; nra). induction n as [| n IH].
  - cbn [window total]. simpl. field. lra.
  - cbn [window total]. rewrite IH. unfold geometric.
    replace (Z.abs_nat (Z.of_nat (S n))) with (S n) by lia.
    replace (Z.abs_nat (- Z.of_nat (S n))) with (S n) by lia.
    replace (Z.abs (Z.of_nat (S n))) with (Z.of_nat (S n)) by lia.
    replace (Z.abs (- Z.of_nat (S n))) with (Z.of_nat (S n)) by lia.
    rewrite <- !INR_IZR_INZ, S_INR. simpl pow. field. lra.
Qed.

(** n c^n is bounded. *)
Lemma linear_times_power c n : 0 < c < 1 -> (INR n + 1) * c ^ S n <= c / (1 - c).
Proof.
  intros H. assert (P : forall m, 0 < c ^ m) by (intros m; apply pow_lt; lra).
  assert (G : (1 - c) * ((INR n + 1) * c ^ S n) <= c - c ^ S (S n)).
  { induction n as [| n IH]; [simpl; lra |]. rewrite S_INR.
    assert (Q := P (S n)). set (w := c ^ S n) in *.
    change (c ^ S (S n)) with (c * w) in *. change (c ^ S (S (S n))) with (c * (c * w)).
    assert (I0 := pos_INR n).
    assert (c * ((1 - c) * ((INR n + 1) * w)) <= 1 * ((1 - c) * ((INR n + 1) * w))).
    { apply Rmult_le_compat_r; [| lra]. apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]. }
    lra. }
  apply Rmult_le_reg_l with (1 - c); [lra |]. replace ((1 - c) * (c / (1 - c))) with c by (field; lra).
  specialize (P (S (S n))). lra.
Qed.

Theorem geometric_mean_error a : 0 < a < 1 ->
  sum_of (fun z => geometric a z * IZR (Z.abs z)) (2 * a / (1 - a ^ 2)).
Proof.
  intros H. assert (D : 0 < 1 - a ^ 2) by (simpl; nra).
  assert (Pos : forall z, 0 <= geometric a z * IZR (Z.abs z)).
  { intros z. apply Rmult_le_pos; [left; apply geometric_pos, H | apply IZR_le; lia]. }
  apply sum_of_intro.
  - intros l N. destruct (inside_window l) as [n I].
    eapply Rle_trans; [apply (total_incl l (window n)); [exact N | exact I | intros z _; apply Pos] |].
    rewrite total_window_error by exact H. assert (I0 := pos_INR n).
    assert (0 <= 2 * a ^ S n * (INR n + 1 - INR n * a) / (1 - a ^ 2)); [| lra].
    apply Rle_mult_inv_pos; [| exact D]. apply Rmult_le_pos; [| nra].
    assert (0 < a ^ S n) by (apply pow_lt; lra). lra.
  - intros b Hb. destruct (Rle_or_lt (2 * a / (1 - a ^ 2)) b) as [B | B]; [exact B | exfalso].
    set (c := sqrt a). assert (C : 0 < c) by (apply sqrt_lt_R0; lra).
    assert (CC : c * c = a) by (apply sqrt_sqrt; lra). assert (C1 : c < 1) by nra.
    set (K := 2 * (c / (1 - c)) / (1 - a ^ 2)).
    assert (HK : 0 < K).
    { unfold K. apply Rdiv_lt_0_compat; [| exact D]. assert (0 < c / (1 - c)) by (apply Rdiv_lt_0_compat; lra). lra. }
    destruct (small_power c K (2 * a / (1 - a ^ 2) - b) (conj C C1) HK ltac:(lra)) as [n Hn].
    specialize (Hb (window n) (window_distinct n)). rewrite total_window_error in Hb by exact H.
    assert (L := linear_times_power c n (conj C C1)). assert (I0 := pos_INR n).
    assert (Pn : 0 < c ^ S n) by (apply pow_lt; lra). assert (Pn' : 0 < c ^ n) by (apply pow_lt; lra).
    assert (E : a ^ S n = c ^ S n * c ^ S n) by (rewrite <- CC, Rpow_mult_distr; reflexivity).
    assert (F : c ^ S n <= c ^ n) by (apply power_falls; [lra | lia]).
    assert (G : 2 * a ^ S n * (INR n + 1 - INR n * a) <= 2 * (c / (1 - c)) * c ^ n).
    { rewrite E. assert (X : 0 <= INR n * a) by (apply Rmult_le_pos; lra).
      assert (Y : c ^ S n * (INR n + 1 - INR n * a) <= c / (1 - c)).
      { eapply Rle_trans; [| exact L]. rewrite (Rmult_comm (INR n + 1)). apply Rmult_le_compat_l; lra. }
      assert (Z : c ^ S n * (c ^ S n * (INR n + 1 - INR n * a)) <= c ^ S n * (c / (1 - c)))
        by (apply Rmult_le_compat_l; lra).
      assert (Q : 0 < c / (1 - c)) by (apply Rdiv_lt_0_compat; lra).
      assert (c ^ S n * (c / (1 - c)) <= c ^ n * (c / (1 - c))) by (apply Rmult_le_compat_r; lra). lra. }
    assert (G' : 2 * a ^ S n * (INR n + 1 - INR n * a) / (1 - a ^ 2) <= K * c ^ n).
    { unfold K. replace (2 * (c / (1 - c)) / (1 - a ^ 2) * c ^ n) with (2 * (c / (1 - c)) * c ^ n / (1 - a ^ 2))
        by (field; lra).
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, D | exact G]. }
    lra.
Qed.

Theorem central_error eps : 0 < eps ->
  let a := exp (- eps) in
  sum_of (fun z => geometric a z * IZR (Z.abs z)) (2 * a / (1 - a ^ 2)) /\
  2 * a / (1 - a ^ 2) = 1 / sinh eps /\ 1 / sinh eps <= 1 / eps.
Proof.
  intros He a. assert (H := ratio_of_eps eps He : 0 < a < 1). split; [apply geometric_mean_error, H |].
  assert (D : 0 < 1 - a ^ 2) by (simpl; nra).
  assert (E : exp eps = / a) by (unfold a; rewrite exp_Ropp, Rinv_inv; reflexivity).
  assert (S : sinh eps = (1 - a ^ 2) / (2 * a)) by (unfold sinh; fold a; rewrite E; field; lra).
  split; [rewrite S; field; lra |].
  assert (L := sinh_lower eps (Rlt_le _ _ He)).
  assert (M : eps <= sinh eps).
  { rewrite S, E in *. apply Rmult_le_reg_r with (2 * a); [lra |].
    replace ((1 - a ^ 2) / (2 * a) * (2 * a)) with (1 - a ^ 2) by (field; lra).
    apply (Rmult_le_compat_r (a ^ 2)) in L; [| apply pow2_ge_0].
    replace (2 * eps * / a * a ^ 2) with (eps * (2 * a)) in L by (field; lra).
    replace (((/ a) ^ 2 - 1) * a ^ 2) with (1 - a ^ 2) in L by (field; lra). exact L. }
  unfold Rdiv. rewrite !Rmult_1_l. apply Rinv_le_contravar; lra.
Qed.
