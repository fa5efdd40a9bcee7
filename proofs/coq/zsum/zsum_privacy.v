(** The privacy of zsum.

    [zsum_privacy]: for eps in (0, 1], delta in (0, 1] and n >= 100 ln(2/delta)/eps^2 users, zsum with
    gamma = 50 ln(2/delta)/(eps^2 n) is (eps, delta)-DP in the shuffle model. (So n >= 1 and gamma <= 1/2.)

    [zsum_privacy_refined]: for every eps > 0, delta in (0, 1] and gamma <= 1/2 it is enough that
    n gamma >= 10 ln(2/delta)/tanh(eps/2)^2.

    [zsum_one_smooth_private]: for all n >= 1, gamma in (0, 1/2] and alpha in (0, 1) with
    alpha gamma n >= 2, zsum is (ln((1+alpha)/(1-alpha)), delta)-DP with
    delta = e^(-alpha^2 gamma n/8) + e^(-alpha^2 gamma n/(8+2 alpha)).

    Idea: the view of n users is the number n + sum - W of messages with W ~ Bin(n, gamma) (zsum.v), so
    minus this number is the answer -(n + sum) of a query plus the noise W. Neighbours shift the answer by
    at most 1, the binomial law is smooth at one step (Lemma 3 at k = 1), and smooth noise makes a query
    private (Lemma 2 in one coordinate). With alpha = tanh(eps/2) the ratio (1+alpha)/(1-alpha) is e^eps,
    the two exponentials are at most 2 e^(-alpha^2 gamma n/10), and this is at most delta where
    alpha^2 gamma n >= 10 ln(2/delta); alpha > eps/sqrt(5) gives the constant 50.

    (Source: Balcer and Cheu 2020, section 3.1; the steps as corrected and the refinement: this package.) *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy masses smooth binomial smooth_noise_privacy binomial_smoothness zsum zsum_sqrt5.
Import ListNotations.
Open Scope R_scope.

(** ** From events on messages to finite sets of noisy answers *)

(** The noisy answers -(n + s) + w, one coordinate each, at which the messages are in T. *)
Definition zsum_answers (n s : nat) (T : list unit -> bool) : list (list Z) :=
  map (fun w => [Z.of_nat w - Z.of_nat (n + s)]%Z)
      (filter (fun w => T (repeat tt (n + s - w))) (seq 0 (S n))).

(** Their law. *)
Definition zsum_answer_law (n s : nat) (gamma : R) : list Z -> R :=
  noisy (binomial n gamma) [- Z.of_nat (n + s)]%Z.

Lemma zsum_answer_mass n s gamma z :
  zsum_answer_law n s gamma [z] = binomial n gamma (z + Z.of_nat (n + s)).
Proof.
  unfold zsum_answer_law. cbn [noisy]. rewrite Rmult_1_r. f_equal. lia.
Qed.

Lemma zsum_answers_once n s T : NoDup (zsum_answers n s T).
Proof.
  unfold zsum_answers. apply FinFun.Injective_map_NoDup.
  - intros u v E. injection E as E. lia.
  - apply NoDup_filter, seq_NoDup.
Qed.

(** The probability of an event on messages is that of its answers. *)
Lemma zsum_event gamma xs T :
  Pr (messages (zsum_randomizer gamma) xs) T =
  total (zsum_answers (length xs) (ones xs) T) (zsum_answer_law (length xs) (ones xs) gamma).
Proof.
  unfold Pr, zsum_answers. rewrite zsum_view, mean_flips, total_map, total_filter.
  apply total_ext. intros w _. rewrite zsum_answer_mass.
  replace (Z.of_nat w - Z.of_nat (length xs + ones xs) + Z.of_nat (length xs + ones xs))%Z
    with (Z.of_nat w) by lia.
  rewrite binomial_of_nat. unfold indicator. destruct (T _); ring.
Qed.

(** An answer that both sums t and s can give stands for the same messages under both. *)
Lemma zsum_answers_move n s t T gamma v :
  In v (zsum_answers n s T) -> zsum_answer_law n t gamma v = 0 \/ In v (zsum_answers n t T).
Proof.
  unfold zsum_answers. intros I. apply in_map_iff in I. destruct I as [w [<- I]].
  apply filter_In in I. destruct I as [I HT]. apply in_seq in I. rewrite zsum_answer_mass.
  set (z := (Z.of_nat w - Z.of_nat (n + s) + Z.of_nat (n + t))%Z).
  destruct (Req_dec (binomial n gamma z) 0) as [E | N]; [left; exact E | right].
  apply binomial_support in N. apply in_map_iff. exists (Z.to_nat z). split; [f_equal; lia |].
  apply filter_In. split; [apply in_seq; lia |].
  replace (n + t - Z.to_nat z)%nat with (n + s - w)%nat by lia. exact HT.
Qed.

(** [total_incl] where terms that are 0 need not be there. *)
Lemma total_incl_nonzero {A} (l m : list A) f :
  NoDup l -> (forall a, In a l -> f a = 0 \/ In a m) -> (forall a, 0 <= f a) -> total l f <= total m f.
Proof.
  intros N I P. set (nonzero := fun a => if Req_EM_T (f a) 0 then false else true).
  rewrite (total_ext l f (fun a => if nonzero a then f a else 0)).
  - rewrite <- total_filter. apply total_incl; [apply NoDup_filter, N | | intros; apply P].
    intros a Ha. apply filter_In in Ha. destruct Ha as [Ha Hn]. unfold nonzero in Hn.
    destruct (Req_EM_T (f a) 0) as [E | E]; [discriminate |]. destruct (I a Ha); tauto.
  - intros a _. unfold nonzero. destruct (Req_EM_T (f a) 0) as [-> |]; reflexivity.
Qed.

(** ** Privacy from smoothness *)

(** Neighbours have sums that differ by at most 1. *)
Theorem ones_neighbors xs ys :
  neighbors xs ys -> (Z.abs (Z.of_nat (ones xs) - Z.of_nat (ones ys)) <= 1)%Z.
Proof.
  intros [b x y a]. unfold ones. rewrite !count_occ_app. fold (ones (x :: a)) (ones (y :: a)).
  rewrite !ones_cons. destruct x, y; simpl Nat.b2n; lia.
Qed.

(** On all pairs of data sets of two users the sum may move by 2. *)
Theorem ones_any_pair : exists xs ys, length xs = 2%nat /\ length ys = 2%nat /\
  ~ (Z.abs (Z.of_nat (ones xs) - Z.of_nat (ones ys)) <= 1)%Z.
Proof. exists [true; true], [false; false]. repeat split. simpl. lia. Qed.

Lemma zsum_answer_law_nonneg n s gamma v : 0 <= gamma <= 1 -> 0 <= zsum_answer_law n s gamma v.
Proof.
  intros H. unfold zsum_answer_law. destruct v as [| z [| z' v]]; cbn [noisy]; [lra | | lra].
  rewrite Rmult_1_r. apply binomial_nonneg, H.
Qed.

(** Noise W ~ Bin(n, gamma) that is smooth at one step makes zsum private. *)
Lemma zsum_smooth_private n gamma eps delta :
  0 <= gamma <= 1 -> 0 <= eps -> 0 <= delta -> smooth (binomial n gamma) eps delta 1 ->
  shuffle_dp n (zsum_randomizer gamma) eps delta.
Proof.
  intros Hg He Hd S xs ys N L T _. assert (O := ones_neighbors xs ys N).
  rewrite !zsum_event, <- (neighbors_length xs ys N), L. set (answers := zsum_answers n (ones xs) T).
  apply Rle_trans with (exp eps * total answers (zsum_answer_law n (ones ys) gamma) + delta).
  - replace (exp eps) with (exp (INR 1 * eps)) by (simpl INR; f_equal; ring).
    replace delta with (INR 1 * delta) by (simpl INR; ring).
    apply (lemma2_masses _ eps delta 1 1).
    + apply binomial_law, Hg.
    + exact S.
    + exact He.
    + exact Hd.
    + constructor; [lia | constructor].
    + cbn [l1_distance]. lia.
    + apply zsum_answers_once.
  - apply Rplus_le_compat_r, Rmult_le_compat_l; [left; apply exp_pos |].
    apply total_incl_nonzero; [apply zsum_answers_once | apply zsum_answers_move |].
    intros v. apply zsum_answer_law_nonneg, Hg.
Qed.

Theorem zsum_one_smooth_private n gamma alpha :
  (1 <= n)%nat -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 -> 2 <= alpha * gamma * INR n ->
  shuffle_dp n (zsum_randomizer gamma) (ln ((1 + alpha) / (1 - alpha)))
    (exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha)))).
Proof.
  intros Hn Hg Ha H2. apply zsum_smooth_private; [lra | | |].
  - rewrite <- ln_1. apply Rcomplements.ln_le; [lra |].
    apply Rmult_le_reg_r with (1 - alpha); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - left. apply Rplus_lt_0_compat; apply exp_pos.
  - apply lemma3; [exact Hn | exact Hg | exact Ha | lia | lra].
Qed.

(** ** The parameters *)

(** A larger delta is a weaker claim. *)
Lemma shuffle_dp_weaken {X M} n (R : X -> dist (list M)) eps delta delta' :
  delta <= delta' -> shuffle_dp n R eps delta -> shuffle_dp n R eps delta'.
Proof. intros L H xs ys N Hl T S. specialize (H xs ys N Hl T S). lra. Qed.

(** ln(2/delta) > 1/2 for delta in (0, 1]. *)
Lemma log_level delta : 0 < delta <= 1 -> 1 / 2 < ln (2 / delta).
Proof.
  intros H. apply Rlt_le_trans with (ln 2); [assert (L := ln_lt_2); lra |].
  apply Rcomplements.ln_le; [lra |]. apply Rmult_le_reg_r with delta; [lra |].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(** 2 e^(-x) <= delta where x >= ln(2/delta). *)
Lemma delta_level delta x : 0 < delta -> ln (2 / delta) <= x -> 2 * exp (- x) <= delta.
Proof.
  intros H L. apply Rle_trans with (2 * exp (- ln (2 / delta))).
  - apply Rmult_le_compat_l; [lra |]. apply exp_le. lra.
  - right. rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra.
Qed.

Theorem zsum_privacy_refined n gamma eps delta :
  0 < eps -> 0 < delta <= 1 -> gamma <= 1 / 2 ->
  10 * ln (2 / delta) / tanh (eps / 2) ^ 2 <= INR n * gamma ->
  shuffle_dp n (zsum_randomizer gamma) eps delta.
Proof.
  intros He Hd Hg Hm. assert (L := log_level delta Hd). destruct (tanh_half_range eps He) as [A0 A1].
  assert (Odds := tanh_half_odds eps). set (alpha := tanh (eps / 2)) in *.
  assert (A2 : 0 < alpha ^ 2) by (apply pow_lt, A0).
  assert (M : 10 * ln (2 / delta) <= alpha ^ 2 * (INR n * gamma)).
  { apply (Rmult_le_compat_l (alpha ^ 2)) in Hm; [| lra].
    replace (alpha ^ 2 * (10 * ln (2 / delta) / alpha ^ 2)) with (10 * ln (2 / delta)) in Hm by (field; lra).
    exact Hm. }
  assert (Hmu : 0 < INR n * gamma).
  { apply Rmult_lt_reg_l with (alpha ^ 2); lra. }
  assert (Hn : (1 <= n)%nat).
  { destruct n as [| n]; [simpl in Hmu; lra | lia]. }
  assert (Hg0 : 0 < gamma).
  { apply Rmult_lt_reg_l with (INR n); [apply lt_0_INR; lia | lra]. }
  assert (One : alpha ^ 2 * (INR n * gamma) <= alpha * (INR n * gamma)).
  { apply Rmult_le_compat_r; [lra |]. replace alpha with (alpha * 1) at 2 by ring.
    simpl pow. apply Rmult_le_compat_l; lra. }
  replace eps with (ln ((1 + alpha) / (1 - alpha))) by (rewrite Odds; apply ln_exp).
  eapply shuffle_dp_weaken; [| apply (zsum_one_smooth_private n gamma alpha); lra || assumption].
  assert (D := zsum_delta_sum alpha gamma n (conj A0 A1) Hg0 Hn).
  eapply Rle_trans; [apply Rlt_le, D |]. apply delta_level; [lra |].
  replace (alpha ^ 2 * gamma * INR n) with (alpha ^ 2 * (INR n * gamma)) by ring. lra.
Qed.

(** What n >= 100 ln(2/delta)/eps^2 is for: it says that gamma <= 1/2, and no more. *)
Theorem zsum_least_users n eps delta : (1 <= n)%nat -> 0 < eps ->
  zsum_gamma n eps delta <= 1 / 2 <-> 100 * ln (2 / delta) / eps ^ 2 <= INR n.
Proof.
  intros Hn He. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (E : 0 < eps ^ 2) by (apply pow_lt, He). unfold zsum_gamma.
  replace (50 * ln (2 / delta) / (eps ^ 2 * INR n))
    with (100 * ln (2 / delta) / eps ^ 2 * (/ (2 * INR n))) by (field; lra).
  replace (1 / 2) with (INR n * (/ (2 * INR n))) by (field; lra).
  assert (P : 0 < / (2 * INR n)) by (apply Rinv_0_lt_compat; lra). split; intros H.
  - apply Rmult_le_reg_r with (/ (2 * INR n)); assumption.
  - apply Rmult_le_compat_r; lra.
Qed.

Theorem zsum_privacy eps delta n :
  0 < eps <= 1 -> 0 < delta <= 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n ->
  shuffle_dp n (zsum_randomizer (zsum_gamma n eps delta)) eps delta.
Proof.
  intros He Hd Hn. assert (L := log_level delta Hd).
  assert (E2 : 0 < eps ^ 2) by (apply pow_lt; lra).
  assert (N : 0 < INR n).
  { apply Rlt_le_trans with (100 * ln (2 / delta) / eps ^ 2); [apply Rdiv_lt_0_compat; lra | exact Hn]. }
  assert (Hn1 : (1 <= n)%nat) by (destruct n; [simpl in N; lra | lia]).
  assert (A := zsum_sqrt5 eps He). destruct (tanh_half_range eps (proj1 He)) as [A0 _].
  apply Rlt_le, over_sqrt_le in A; [| lra | lra | exact A0].
  apply zsum_privacy_refined; [lra | exact Hd | apply zsum_least_users; lra || assumption |].
  unfold zsum_gamma. set (a2 := tanh (eps / 2) ^ 2) in *.
  assert (A2 : 0 < a2) by (apply pow_lt, A0).
  set (l := ln (2 / delta)) in *.
  replace (INR n * (50 * l / (eps ^ 2 * INR n))) with (50 * l / eps ^ 2) by (field; lra).
  apply Rmult_le_reg_r with (a2 * eps ^ 2); [apply Rmult_lt_0_compat; assumption |].
  replace (10 * l / a2 * (a2 * eps ^ 2)) with (10 * l * eps ^ 2) by (field; lra).
  replace (50 * l / eps ^ 2 * (a2 * eps ^ 2)) with (10 * l * (5 * a2)) by (field; lra).
  apply Rmult_le_compat_l; lra.
Qed.
