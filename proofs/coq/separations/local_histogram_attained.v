(** A private local protocol that learns all d bins of a histogram within the order of sqrt(n ln d).

    eps > 0 and F = e^(eps/2). Each of n users reports d bits, of which bit v is the answer of randomized response of
    eps/2 to the question whether he holds bin v ([unary_report]: unary encoding with symmetric flips, RAPPOR). The
    number of users of bin v is estimated by (S - n/(F+1)) (F+1)/(F-1), S the sum of the bits v ([unary_estimate]).

    - [unary_report_private]: the report is (eps, 0)-DP, for every d;
    - [local_histogram_attained]: for n, d >= 1 and beta in (0, 1], on every data set, some bin errs by
      (F+1)/(F-1) sqrt(n ln(2 d/beta)/2) or more with probability at most beta;
    - [local_histogram_factor]: for beta = 1/8 and d >= 16 that is at most 4 (F+1)^2/F times the error of
      [local_histogram_constant] (local_histogram.v), which is met with probability 1/8 on some data set: 16 to 17.1
      times for eps <= 1.

    Idea: two bits of a report change with the bin, each by a factor of F; Hoeffding's inequality for each bin, whose
    bits are independent, and the union bound.
    Source: Erlingsson, Pihur and Korolova 2014 (basic RAPPOR); the bound for all bins at once: this package. *)

From Coq Require Import Reals List Bool Lra Lia.
From Coquelicot Require Rcomplements.
From Exactdp Require Import reals sums laws privacy hockey_stick bits bit_messages single_message local_simulation.
From Exactdp Require Import local_randomized_response hoeffding histogram histogram_bin_error histogram_accuracy.
From Exactdp Require Import local_histogram.
Import ListNotations.
Open Scope R_scope.

Definition unary_report (d : nat) (F : R) (x : nat) : dist (list bool) :=
  reports (fun j => randomized_response F (Nat.eqb x j)) (seq 0 d).

Definition unary_estimate (F : R) (said : list (list bool)) (v : nat) : R :=
  (INR (ones (map (fun bits => nth v bits false) said)) - INR (length said) / (F + 1)) * ((F + 1) / (F - 1)).

Section Unary.

Variables (eps : R) (d : nat).
Hypothesis eps_positive : 0 < eps.
Let F := exp (eps / 2).

Lemma F_above_1 : 1 < F.
Proof. unfold F. rewrite <- exp_0. apply exp_increasing. lra. Qed.

Lemma proper_unary_report x : proper (unary_report d F x).
Proof.
  assert (H := F_above_1). apply proper_messages. intros j. apply proper_dmap, proper_randomized_response. lra.
Qed.

Theorem unary_report_private : local_dp (unary_report d F) eps 0.
Proof.
  assert (H := F_above_1). intros x y.
  pose (both := fun j => if_in_bin (eps / 2) x j + if_in_bin (eps / 2) y j).
  assert (P : forall z j, proper (one_message (fun j => randomized_response F (Nat.eqb z j)) j)).
  { intros z j. apply proper_dmap, proper_randomized_response. lra. }
  apply (below_weaken _ _ (exp (total (seq 0 d) both)) _ (total (seq 0 d) (fun _ => 0))).
  - apply proper_unary_report.
  - apply exp_le. unfold both. rewrite total_plus.
    assert (X := if_in_bin_total (eps / 2) x d ltac:(lra)). assert (Y := if_in_bin_total (eps / 2) y d ltac:(lra)). lra.
  - rewrite total_zero. lra.
  - apply runs_compose; [intros j; apply P | intros j; apply P |]. intros j _.
    unfold one_message. apply below_dmap. unfold both, if_in_bin.
    destruct (Nat.eqb x j), (Nat.eqb y j); rewrite ?Rplus_0_r, ?Rplus_0_l.
    + apply (below_weaken _ _ 1 _ 0); [apply proper_randomized_response; lra | | lra | intros T; lra].
      rewrite <- exp_0 at 1. apply exp_le. lra.
    + apply (randomized_response_private (eps / 2)). lra.
    + apply (randomized_response_private (eps / 2)). lra.
    + intros T. rewrite exp_0. lra.
Qed.

(** One bit of a report. *)
Lemma mean_report_bit (B : nat -> dist bool) (js : list nat) k (h : bool -> R) :
  (forall j, proper (B j)) -> (k < length js)%nat ->
  mean (reports B js) (fun r => h (nth k r false)) = mean (B (nth k js 0%nat)) h.
Proof.
  intros HB. revert k. induction js as [| j js IH]; intros k K; [simpl in K; lia |].
  rewrite mean_reports_first. destruct k as [| k]; cbn [nth].
  - apply mean_ext. intros a. apply mean_const, proper_messages. intros i. apply proper_dmap, HB.
  - rewrite (mean_ext _ _ (fun _ => mean (B (nth k js 0%nat)) h)).
    + apply mean_const, HB.
    + intros a. apply IH. simpl in K. lia.
Qed.

(** The bits v of all reports are answers of randomized response. *)
Lemma mean_column xs v (g : list bool -> R) : (v < d)%nat ->
  mean (reports (unary_report d F) xs) (fun said => g (map (fun r => nth v r false) said)) =
  mean (reports (fun x => randomized_response F (Nat.eqb x v)) xs) g.
Proof.
  intros V. revert g. induction xs as [| x xs IH]; intros g; [rewrite !mean_reports_none; reflexivity |].
  rewrite !mean_reports_first. cbn [map].
  rewrite (mean_ext _ _ (fun a => mean (reports (fun x => randomized_response F (Nat.eqb x v)) xs)
    (fun rest => g (nth v a false :: rest)))).
  2: { intros a. apply (IH (fun rest => g (nth v a false :: rest))). }
  assert (H := F_above_1).
  unfold unary_report at 1. rewrite (mean_report_bit (fun j => randomized_response F (Nat.eqb x j)) (seq 0 d) v
    (fun b => mean (reports (fun x => randomized_response F (Nat.eqb x v)) xs) (fun rest => g (b :: rest)))).
  - rewrite seq_nth by exact V. reflexivity.
  - intros j. apply proper_randomized_response. lra.
  - rewrite seq_length. exact V.
Qed.

Lemma chances_of_bin xs v :
  total xs (fun x => chance (randomized_response F (Nat.eqb x v))) =
  INR (count v xs) * ((F - 1) / (F + 1)) + INR (length xs) / (F + 1).
Proof.
  assert (H := F_above_1). induction xs as [| x xs IH]; [simpl; field; lra |].
  cbn [total length]. rewrite IH, count_cons, plus_INR, S_INR. unfold chance, Pr. rewrite mean_randomized_response.
  destruct (Nat.eqb_spec x v), (Nat.eq_dec x v); try congruence; unfold indicator; simpl; field; lra.
Qed.

(** Users who do not listen are users in turns. *)
Lemma deaf_turns {X M} (R : X -> dist M) said xs f :
  mean (in_turns (fun _ => R) said xs) f = mean (reports R xs) (fun rest => f (said ++ rest)).
Proof.
  revert said. induction xs as [| x xs IH]; intros said.
  - cbn [in_turns]. rewrite mean_ret, mean_reports_none, app_nil_r. reflexivity.
  - cbn [in_turns]. rewrite mean_bind, mean_reports_first. apply mean_ext. intros m. rewrite IH. apply mean_ext.
    intros rest. rewrite <- app_assoc. reflexivity.
Qed.

Lemma reports_length {X M} (R : X -> dist M) xs wa : In wa (reports R xs) -> length (snd wa) = length xs.
Proof.
  revert wa. induction xs as [| x xs IH]; intros wa I; [destruct I as [<- | []]; reflexivity |].
  apply in_flat_map in I. destruct I as [wm [Im I]]. apply in_map_iff in I. destruct I as [wb [<- I]].
  apply in_flat_map in I. destruct I as [wo [Io [<- | []]]].
  apply in_flat_map in Im. destruct Im as [w1 [_ [<- | []]]]. cbn [snd app length]. f_equal. exact (IH wo Io).
Qed.

Theorem local_histogram_attained n beta xs : (1 <= n)%nat -> (1 <= d)%nat -> 0 < beta <= 1 -> length xs = n ->
  Pr (bind (in_turns (fun _ => unary_report d F) [] xs) (fun said => ret (unary_estimate F said)))
    (some_bin_errs d ((F + 1) / (F - 1) * sqrt (INR n * ln (2 * INR d / beta) / 2)) xs) <= beta.
Proof.
  intros Hn Hd Hb L. assert (H := F_above_1). assert (N := le_INR _ _ Hn). assert (D := le_INR _ _ Hd).
  simpl (INR 1) in N, D. set (u := sqrt (INR n * ln (2 * INR d / beta) / 2)).
  assert (B1 : 1 <= 2 * INR d / beta).
  { apply Rmult_le_reg_r with beta; [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Lg : 0 <= ln (2 * INR d / beta)) by (rewrite <- ln_1; apply Rcomplements.ln_le; lra).
  assert (U0 : 0 <= u) by apply sqrt_pos.
  assert (U2 : u ^ 2 = INR n * ln (2 * INR d / beta) / 2).
  { apply pow2_sqrt. apply Rmult_le_pos; [apply Rmult_le_pos; lra | lra]. }
  assert (P : proper (reports (unary_report d F) xs)).
  { apply proper_messages. intros x. apply proper_dmap, proper_unary_report. }
  unfold Pr. rewrite mean_bind, deaf_turns. cbn [app].
  rewrite (mean_ext _ _ (indicator (fun said => some_bin_errs d ((F + 1) / (F - 1) * u) xs (unary_estimate F said)))).
  2: { intros said. rewrite mean_ret. reflexivity. }
  fold (Pr (reports (unary_report d F) xs)
    (fun said => some_bin_errs d ((F + 1) / (F - 1) * u) xs (unary_estimate F said))).
  unfold some_bin_errs.
  eapply Rle_trans; [apply (Pr_exists _ (fun v said =>
    Rleb ((F + 1) / (F - 1) * u) (Rabs (unary_estimate F said v - INR (count v xs)))) (seq 0 d) P) |].
  apply Rle_trans with (total (seq 0 d) (fun _ => beta / INR d)).
  2: { rewrite total_const, seq_length. right. field. lra. }
  apply total_le. intros v I. apply in_seq in I.
  set (sent := fun x => randomized_response F (Nat.eqb x v)).
  assert (Ho := hoeffding_inequality sent xs u ltac:(intros x; apply proper_randomized_response; lra) ltac:(lia) U0).
  fold (reports sent xs) in Ho. rewrite L, U2 in Ho. unfold sent in Ho at 2. rewrite chances_of_bin, L in Ho.
  apply Rle_trans with (2 * exp (- (2 * (INR n * ln (2 * INR d / beta) / 2) / INR n))).
  - eapply Rle_trans; [| exact Ho]. unfold Pr. rewrite <- (mean_column xs v) by lia.
    apply total_le. intros wa J. apply Rmult_le_compat_l; [apply (proj1 P), J |].
    assert (Ln : length (snd wa) = n).
    { rewrite <- L. apply (reports_length (unary_report d F) xs wa J). }
    unfold indicator. destruct (Rleb (_ * u) _) eqn:E; [| destruct (Rleb u _); lra].
    apply Rleb_true in E. assert (Rleb u (Rabs (INR (ones (map (fun r => nth v r false) (snd wa))) -
      (INR (count v xs) * ((F - 1) / (F + 1)) + INR n / (F + 1)))) = true) as ->; [| lra].
    apply Rleb_true. apply Rmult_le_reg_l with ((F + 1) / (F - 1)); [apply Rdiv_lt_0_compat; lra |].
    eapply Rle_trans; [exact E |]. right.
    rewrite <- (Rabs_pos_eq ((F + 1) / (F - 1))) at 1 by (left; apply Rdiv_lt_0_compat; lra).
    rewrite <- Rabs_mult. f_equal. unfold unary_estimate. rewrite Ln. field. lra.
  - replace (- (2 * (INR n * ln (2 * INR d / beta) / 2) / INR n)) with (- ln (2 * INR d / beta)) by (field; lra).
    rewrite exp_Ropp, exp_ln by lra. right. field. lra.
Qed.

(** What both bounds differ by. *)
Theorem local_histogram_factor n : (16 <= d)%nat ->
  (F + 1) / (F - 1) * sqrt (INR n * ln (2 * INR d / (1 / 8)) / 2) <=
  4 * (F + 1) ^ 2 / F * (sqrt (INR n * ln (INR d) / ((exp eps - 1) ^ 2 / exp eps)) / 4).
Proof.
  intros Hd. assert (H := F_above_1). assert (H2 : 1 < F * F) by nra. apply le_INR in Hd. simpl (INR 16) in Hd.
  assert (E : exp eps = F * F) by (unfold F; rewrite <- exp_plus; f_equal; field). rewrite E.
  assert (Lg : ln (2 * INR d / (1 / 8)) <= 2 * ln (INR d)).
  { replace (2 * INR d / (1 / 8)) with (16 * INR d) by field. rewrite ln_mult by lra.
    assert (ln 16 <= ln (INR d)) by (apply Rcomplements.ln_le; lra). lra. }
  assert (S1 : sqrt (INR n * ln (2 * INR d / (1 / 8)) / 2) <= sqrt (INR n * ln (INR d))).
  { apply sqrt_le_1_alt. replace (INR n * ln (INR d)) with (INR n * (2 * ln (INR d)) / 2) by field.
    unfold Rdiv at 1 3. apply Rmult_le_compat_r; [lra |]. apply Rmult_le_compat_l; [apply pos_INR | exact Lg]. }
  assert (L0 : 0 <= ln (INR d)) by (rewrite <- ln_1; apply Rcomplements.ln_le; lra).
  assert (S2 : sqrt (INR n * ln (INR d) / ((F * F - 1) ^ 2 / (F * F))) = sqrt (INR n * ln (INR d)) * (F / (F * F - 1))).
  { replace (INR n * ln (INR d) / ((F * F - 1) ^ 2 / (F * F))) with (INR n * ln (INR d) * (F / (F * F - 1)) ^ 2).
    - rewrite sqrt_mult; [| apply Rmult_le_pos; [apply pos_INR | exact L0] | apply pow2_ge_0].
      rewrite sqrt_pow2; [reflexivity |]. left. apply Rdiv_lt_0_compat; lra.
    - field. repeat split; lra. }
  rewrite S2. apply Rle_trans with ((F + 1) / (F - 1) * sqrt (INR n * ln (INR d))).
  - apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra | exact S1].
  - right. field. repeat split; lra.
Qed.

End Unary.
