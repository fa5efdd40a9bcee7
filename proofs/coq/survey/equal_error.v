(** One instance of equal error: randomized response gives away less than sample-and-threshold.

    40 users hold a bit each. Randomized response draws a random answer with probability 11/16, and the number of ones c
    that are sent gives the estimate (c - 55/4)/(5/16); sample-and-threshold has the rate 1/2 and a threshold, and what it
    releases is doubled. Proved:
    - [equal_errors]: on every data set both err by more than 16 with probability at most 1/10, with the threshold 6; with
      a larger one the second does not on some data set;
    - [less_given_away]: at every eps >= 0 randomized response is (eps, d)-DP for a d below every delta of
      sample-and-threshold with the threshold 6.

    Idea: the laws of the numbers of ones are products of the users' polynomials, over 32^40 or 2^40, and everything is
    one computation with integers. d is 1/23 for e^eps <= 3/2, where 8 holders against 7 need 13/256, and 10^-5 beyond,
    where 6 against 5 need 2^-6 at every eps. Source: this package. *)

From Coq Require Import Reals List ZArith Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy bits polynomials integer_polynomials.
From Exactdp Require Import coefficientwise coefficientwise_check gap_curve binary_sums binary_sums_privacy.
From Exactdp Require Import binomial sample_and_threshold.
Import ListNotations.
Open Scope R_scope.

(** ** Counts as polynomials *)

(** The coefficients in an event, together. *)
Fixpoint z_event (T : nat -> bool) (p : list Z) : Z :=
  match p with
  | [] => 0
  | a :: q => (if T 0%nat then a else 0) + z_event (fun i => T (S i)) q
  end%Z.

Lemma against_event T p : against (of_integers p) (indicator T) = IZR (z_event T p).
Proof.
  revert T. induction p as [| a p IH]; intros T; [reflexivity |]. cbn [of_integers map against z_event].
  fold (of_integers p). rewrite plus_IZR, <- IH. unfold indicator. destruct (T 0%nat); ring.
Qed.

(** A user who sends one bit, with these chances of 0 and 1 over D. *)
Definition sends (send : bool -> dist bool) (D : Z) (row : bool -> list Z) : Prop :=
  forall x, exists a b, row x = [a; b] /\ (0 <= a)%Z /\ (0 <= b)%Z /\
  forall f, IZR D * mean (send x) f = IZR a * f false + IZR b * f true.

Lemma sends_rows send D row : (0 < D)%Z -> sends send D row ->
  bit_rows (one_message send) 1 (IZR D) (fun x => of_integers (row x)).
Proof.
  intros HD H. split; [apply IZR_lt, HD |]. split; [| split].
  - intros x wa I. apply in_flat_map in I. destruct I as [va [_ I]]. apply in_map_iff in I.
    destruct I as [vb [<- [<- | []]]]. reflexivity.
  - intros x. destruct (H x) as [a [b [-> [A [B _]]]]]. apply nonneg_of_integers. simpl.
    apply Z.leb_le in A, B. rewrite A, B. reflexivity.
  - intros x f. destruct (H x) as [a [b [-> [_ [_ M]]]]]. unfold one_message. rewrite mean_dmap, M. simpl. ring.
Qed.

Lemma event_of_count send D row xs T : (0 < D)%Z -> sends send D row ->
  IZR (D ^ Z.of_nat (length xs)) * Pr (messages (one_message send) xs) (fun y => T (ones y)) =
  IZR (z_event T (z_count row (sorted_bits (length xs) (ones xs)))).
Proof.
  intros HD H. rewrite <- pow_IZR, <- against_event. assert (B := sends_rows send D row HD H).
  rewrite <- of_integers_count.
  rewrite <- (against_product_permutation (map (fun x => of_integers (row x)) xs))
    by (apply Permutation_map, permutation_sorted_bits).
  rewrite <- (generating_function _ 1 (IZR D) _ B). reflexivity.
Qed.

(** ** The two protocols *)

Definition response : bool -> dist bool := rr_randomizer (40 * (11 / 16)) 40.
Definition response_row (x : bool) : list Z := if x then [11; 21]%Z else [21; 11]%Z.
Definition report_row (x : bool) : list Z := if x then [1; 1]%Z else [2; 0]%Z.

Lemma response_sends : sends response 32 response_row.
Proof.
  intros x. destruct x; [exists 11%Z, 21%Z | exists 21%Z, 11%Z]; (split; [reflexivity |]); do 2 (split; [lia |]);
    intros f; unfold response; rewrite mean_rr_randomizer; simpl negb; simpl (INR 40); field.
Qed.

Lemma report_sends : sends (report (1 / 2)) 2 report_row.
Proof.
  intros x. destruct x; [exists 1%Z, 1%Z | exists 2%Z, 0%Z]; (split; [reflexivity |]); do 2 (split; [lia |]);
    intros f; simpl report; [rewrite mean_coin | rewrite mean_ret]; field.
Qed.

(** What is released is off by more than 16 from s. *)
Definition response_off (s c : nat) : bool := Z.ltb 80 (Z.abs (16 * Z.of_nat c - 220 - 5 * Z.of_nat s)).
Definition release_off (tau s c : nat) : bool :=
  Z.ltb 16 (Z.abs (2 * Z.of_nat (if Nat.leb tau c then c else 0%nat) - Z.of_nat s)).

Lemma off_of_integers (u v : Z) (d : R) : 0 < d -> IZR v = d * 16 ->
  Rltb 16 (Rabs (IZR u / d)) = Z.ltb v (Z.abs u).
Proof.
  intros D V. apply Bool.eq_true_iff_eq. rewrite Rltb_true, Z.ltb_lt. unfold Rdiv.
  rewrite Rabs_mult, (Rabs_right (/ d)) by (left; apply Rinv_0_lt_compat, D). rewrite <- abs_IZR. split; intros H.
  - apply lt_IZR. rewrite V. apply Rmult_lt_reg_r with (/ d); [apply Rinv_0_lt_compat, D |].
    replace (d * 16 * / d) with 16 by (field; lra). exact H.
  - apply IZR_lt in H. rewrite V in H. apply Rmult_lt_reg_r with d; [exact D |].
    rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma response_error s c :
  Rltb 16 (Rabs ((INR c - 40 * (11 / 32)) / (1 - 11 / 16) - INR s)) = response_off s c.
Proof.
  unfold response_off. rewrite <- (off_of_integers _ 80 5) by lra. f_equal. f_equal.
  rewrite !minus_IZR, !mult_IZR, <- !INR_IZR_INZ. field.
Qed.

Lemma release_error tau s c :
  Rltb 16 (Rabs (INR (if Nat.leb tau c then c else 0%nat) / (1 / 2) - INR s)) = release_off tau s c.
Proof.
  unfold release_off. rewrite <- (off_of_integers _ 16 1) by lra. f_equal. f_equal.
  rewrite minus_IZR, mult_IZR, <- !INR_IZR_INZ. field.
Qed.

(** ** The computation *)

Definition rarely_off (D : Z) (row : bool -> list Z) (off : nat -> nat -> bool) : bool :=
  forallb (fun s => Z.leb (10 * z_event (off s) (z_count row (sorted_bits 40 s))) (D ^ 40)) (seq 0 41).

Lemma computed :
  rarely_off 32 response_row response_off = true /\ rarely_off 2 report_row (release_off 6) = true /\
  Z.ltb (2 ^ 17) (10 * z_event (fun c => Nat.ltb c 7) (z_count report_row (sorted_bits 17 17))) = true /\
  (let pairs := count_pairs response_row 39 in
   Z.leb (23 * largest pairs 1 1) (32 ^ 40) && Z.leb (10 ^ 5 * largest pairs 3 2) (2 * 32 ^ 40))%bool = true.
Proof. do 3 (split; [vm_cast_no_check (eq_refl true) |]). vm_cast_no_check (eq_refl true). Qed.

Lemma few_off send D row off xs : (0 < D)%Z -> sends send D row -> rarely_off D row off = true -> length xs = 40%nat ->
  Pr (messages (one_message send) xs) (fun y => off (ones xs) (ones y)) <= 1 / 10.
Proof.
  intros HD S H L. unfold rarely_off in H. rewrite forallb_forall in H.
  assert (I : In (ones xs) (seq 0 41)) by (apply in_seq; assert (X := ones_le_length xs); lia).
  specialize (H _ I). apply Z.leb_le, IZR_le in H. rewrite mult_IZR in H.
  assert (E := event_of_count send D row xs (off (ones xs)) HD S). rewrite L in E. rewrite <- E in H.
  change (Z.of_nat 40) with 40%Z in H. assert (P : 0 < IZR (D ^ 40)) by (apply IZR_lt, Z.pow_pos_nonneg; lia).
  apply Rmult_le_reg_l with (IZR (D ^ 40)); [exact P |]. lra.
Qed.

Theorem equal_errors :
  (forall xs, length xs = 40%nat ->
    Pr (response_count 40 (40 * (11 / 16)) xs)
      (fun c => Rltb 16 (Rabs ((INR c - 40 * (11 / 32)) / (1 - 11 / 16) - INR (ones xs)))) <= 1 / 10) /\
  (forall xs, length xs = 40%nat ->
    Pr (sample_and_threshold (1 / 2) 6 xs) (fun c => Rltb 16 (Rabs (INR c / (1 / 2) - INR (ones xs)))) <= 1 / 10) /\
  (forall tau, (7 <= tau)%nat -> exists xs, length xs = 40%nat /\
    1 / 10 < Pr (sample_and_threshold (1 / 2) tau xs) (fun c => Rltb 16 (Rabs (INR c / (1 / 2) - INR (ones xs))))).
Proof.
  destruct computed as [C1 [C2 [C3 _]]].
  split; [| split].
  - intros xs L. unfold response_count. rewrite Pr_dmap.
    rewrite (Pr_ext _ _ (fun y => response_off (ones xs) (ones y))) by (intros y; apply response_error).
    exact (few_off response 32 response_row response_off xs ltac:(lia) response_sends C1 L).
  - intros xs L. unfold sample_and_threshold. rewrite Pr_dmap.
    rewrite (Pr_ext _ _ (fun y => release_off 6 (ones xs) (ones y))) by (intros y; apply release_error).
    exact (few_off (report (1 / 2)) 2 report_row (release_off 6) xs ltac:(lia) report_sends C2 L).
  - intros tau T. exists (with_ones 40 17). split; [apply with_ones_length; lia |].
    unfold sample_and_threshold. rewrite Pr_dmap. apply Z.ltb_lt, IZR_lt in C3. rewrite mult_IZR in C3.
    rewrite ones_with_ones.
    assert (E := event_of_count (report (1 / 2)) 2 report_row (repeat true 17) (fun c => Nat.ltb c 7)
      ltac:(lia) report_sends).
    change (sorted_bits (length (repeat true 17)) (ones (repeat true 17))) with (sorted_bits 17 17) in E.
    rewrite <- E in C3. change (Z.of_nat (length (repeat true 17))) with 17%Z in C3.
    assert (P : 0 < IZR (2 ^ 17)) by (apply IZR_lt; lia).
    apply Rlt_le_trans with (Pr (messages (one_message (report (1 / 2))) (repeat true 17)) (fun y => Nat.ltb (ones y) 7)).
    { apply Rmult_lt_reg_l with (IZR (2 ^ 17)); [exact P |]. lra. }
    assert (Count : forall xs T, Pr (messages (one_message (report (1 / 2))) xs) (fun y => T (ones y)) =
      Pr (flips (ones xs) (1 / 2)) T) by (intros xs T'; exact (reports_count (1 / 2) xs (indicator T'))).
    set (off := fun c => Rltb 16 (Rabs (INR (if Nat.leb tau c then c else 0%nat) / (1 / 2) - INR 17))).
    apply Rle_trans with (Pr (flips 17 (1 / 2)) (fun c => Nat.ltb c 7)); 
      [right; exact (Count (repeat true 17) (fun c => Nat.ltb c 7)) |].
    apply Rle_trans with (Pr (flips 17 (1 / 2)) off).
    2:{ right. symmetry. refine (eq_trans (Count (with_ones 40 17) off) _). rewrite ones_with_ones. reflexivity. }
    apply mean_le; [apply proper_flips; lra |]. intros c. unfold indicator, off. rewrite release_error.
    destruct (Nat.ltb_spec c 7); [| destruct (release_off tau 17 c); lra]. unfold release_off.
    destruct (Nat.leb_spec tau c); [lia |]. simpl. lra.
Qed.

Lemma response_private eps : 0 <= eps ->
  shuffle_dp 40 (one_message response) eps (1 / 23) /\
  (3 / 2 <= exp eps -> shuffle_dp 40 (one_message response) eps (1 / 10 ^ 5)).
Proof.
  intros He. destruct computed as [_ [_ [_ C]]]. cbv zeta in C. apply andb_prop in C. destruct C as [C1 C2].
  apply Z.leb_le, IZR_le in C1, C2. rewrite !mult_IZR in C1, C2.
  assert (B := sends_rows response 32 response_row ltac:(lia) response_sends).
  assert (PR : forall x, proper (one_message response x)).
  { intros x. apply proper_dmap, proper_rr_randomizer; [lia |]. simpl (INR 40). lra. }
  assert (D : IZR (32 ^ 40) = 32 ^ 40) by (change 40%Z with (Z.of_nat 40); rewrite <- pow_IZR; reflexivity).
  rewrite (mult_IZR 2) in C2.
  set (one := largest (count_pairs response_row 39) 1 1) in *. set (half := largest (count_pairs response_row 39) 3 2) in *.
  assert (X1 : forall pair, In pair (count_pairs response_row 39) -> divergence pair (1 / 1) <= IZR one / 1)
    by (intros pair I; apply (below_value _ pair 1 1 ltac:(lia) I)).
  assert (X2 : forall pair, In pair (count_pairs response_row 39) -> divergence pair (3 / 2) <= IZR half / 2)
    by (intros pair I; apply (below_value _ pair 3 2 ltac:(lia) I)).
  set (full := IZR (32 ^ 40)) in *. clearbody one half full.
  assert (N : forall pair, In pair (count_pairs response_row 39) -> nonneg (of_integers (snd pair))).
  { intros pair I. apply count_pairs_only in I. destruct I as [x [y [k [_ ->]]]]. cbn [snd].
    rewrite <- of_integers_count. apply (rows_nonneg _ 1 32 _ B). }
  split; [| intros HE]; apply (dp_pairs _ 1 32 response_row PR B 39); try exact He; intros pair I.
  - apply Rle_trans with (divergence pair (1 / 1)).
    + apply divergence_falls; [apply N, I |]. assert (X := exp_ge_1 eps He). lra.
    + specialize (X1 pair I). rewrite <- D. lra.
  - apply Rle_trans with (divergence pair (3 / 2)); [apply divergence_falls; [apply N, I | exact HE] |].
    specialize (X2 pair I). rewrite <- D.
    change (IZR (10 ^ 5)) with 100000 in C2. replace (1 / 10 ^ 5) with (1 / 100000) by field. lra.
Qed.

(** What sample-and-threshold needs. *)
Lemma threshold_needs eps delta : dp 40 (sample_and_threshold (1 / 2) 6) eps delta ->
  (exp eps <= 3 / 2 -> 13 / 256 <= delta) /\ 1 / 64 <= delta.
Proof.
  intros H.
  assert (Law : forall s T, (s <= 40)%nat -> 2 ^ 40 * Pr (sample_and_threshold (1 / 2) 6 (with_ones 40 s)) T =
    IZR (z_event (fun c => T (if Nat.leb 6 c then c else 0%nat)) (z_count report_row (sorted_bits 40 s)))).
  { intros s T S. unfold sample_and_threshold. rewrite Pr_dmap.
    assert (E := event_of_count (report (1 / 2)) 2 report_row (with_ones 40 s)
      (fun c => T (if Nat.leb 6 c then c else 0%nat)) ltac:(lia) report_sends).
    rewrite ones_with_ones, with_ones_length in E by exact S. rewrite <- E. f_equal.
    exact (pow_IZR 2 40). }
  assert (P : forall s T p, (s <= 40)%nat ->
    z_event (fun c => T (if Nat.leb 6 c then c else 0%nat)) (z_count report_row (sorted_bits 40 s)) = (p * 2 ^ 32)%Z ->
    Pr (sample_and_threshold (1 / 2) 6 (with_ones 40 s)) T = IZR p / 256).
  { intros s T p S E. specialize (Law s T S). rewrite E, mult_IZR in Law.
    apply Rmult_eq_reg_l with (2 ^ 40); [| apply pow_nonzero; lra]. rewrite Law.
    change (IZR (2 ^ 32)) with 4294967296. simpl (2 ^ 40). field. }
  split.
  - intros HE. assert (X := H _ _ (with_ones_neighbors 40 7 ltac:(lia)) (with_ones_length 40 8 ltac:(lia))
      (fun c => Nat.leb 6 c)).
    rewrite (P 8%nat _ 37%Z), (P 7%nat _ 16%Z) in X; try lia; try (vm_compute; reflexivity). lra.
  - assert (X := H _ _ (with_ones_neighbors 40 5 ltac:(lia)) (with_ones_length 40 6 ltac:(lia))
      (fun c => Nat.leb 6 c)).
    rewrite (P 6%nat _ 4%Z), (P 5%nat _ 0%Z) in X; try lia; try (vm_compute; reflexivity). lra.
Qed.

Theorem less_given_away (eps : R) : 0 <= eps ->
  exists d, shuffle_dp 40 (one_message response) eps d /\
  forall delta, dp 40 (sample_and_threshold (1 / 2) 6) eps delta -> d < delta.
Proof.
  intros He. destruct (response_private eps He) as [Near Far]. destruct (Rle_or_lt (3 / 2) (exp eps)) as [L | L].
  - exists (1 / 10 ^ 5). split; [apply Far, L |]. intros delta H. apply threshold_needs in H. replace (1 / 10 ^ 5) with (1 / 100000) by field. lra.
  - exists (1 / 23). split; [exact Near |]. intros delta H. apply threshold_needs in H. lra.
Qed.
