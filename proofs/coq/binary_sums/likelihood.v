(** Is the estimate of binary sums a maximum likelihood estimate?

    n >= 1 users answer by the randomized response of binary_sums.v, 0 < lambda < n; y are their answers, K the number
    of ones among them, T = (n/(n - lambda)) (K - lambda/2) the estimate of the sum of the bits.

    - [rr_sum_leaves_range]: whatever the data, T is below 0 with positive probability, and above n;
    - [share_most_likely]: n bits that are 1 with the same probability q in [0, 1], independently, are y with the
      greatest probability at q = K/n;
    - [rr_sum_most_likely]: if the users' bits are 1 with the probability theta in [0, 1], independently, then y has the
      greatest probability at T/n, or at the nearer of 0 and 1 where T/n is not between them;
    - [rr_sum_most_likely_bits]: every data set but y itself, whose sum is K, gives y a smaller probability; T is K only
      where K = n/2.

    Proof. With K ones of n, y has the probability q^K (1 - q)^(n - K). For r between 0 and 1 this is at most that of r
    if (q - r) (K - n r) <= 0: q/r and (1 - q)/(1 - r) are at most e^((q - r)/r) and e^((r - q)/(1 - r)). An answer is 1
    with a probability q between lambda/(2n) and 1 - lambda/(2n), and T/n is where q is K/n. For fixed bits an answer is
    right with the probability 1 - lambda/(2n), which is above 1/2, user by user.
    Source: this package. *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import sums laws reals privacy single_message bits bit_messages binary_sums.
Import ListNotations.
Open Scope R_scope.

(** The event that the answers are y. *)
Definition are (y z : list bool) : bool := if list_eq_dec bool_dec z y then true else false.

Lemma are_cons b y c z : are (b :: y) (c :: z) = eqb c b && are y z.
Proof.
  unfold are. destruct (list_eq_dec bool_dec (c :: z) (b :: y)) as [E | N], (list_eq_dec bool_dec z y) as [E' | N'],
    (eqb_spec c b); simpl; congruence.
Qed.

(** One user after the other. *)
Lemma Pr_are_cons {X} (send : X -> dist bool) x xs b y :
  Pr (messages (one_message send) (x :: xs)) (are (b :: y)) =
  Pr (send x) (fun c => eqb c b) * Pr (messages (one_message send) xs) (are y).
Proof.
  unfold Pr. rewrite mean_messages_cons, Rmult_comm, <- mean_scal. apply mean_ext. intros c.
  rewrite (mean_ext _ _ (fun z => indicator (fun c => eqb c b) c * indicator (are y) z)).
  - rewrite mean_scal. ring.
  - intros z. unfold indicator. rewrite are_cons. destruct (eqb c b), (are y z); simpl; ring.
Qed.

Definition likelihood (q : R) (n k : nat) : R := q ^ k * (1 - q) ^ (n - k).

Lemma Pr_bit (d : dist bool) b : proper d -> Pr d (fun c => eqb c b) = if b then chance d else 1 - chance d.
Proof. intros P. unfold Pr. rewrite mean_bit by exact P. unfold indicator. destruct b; simpl; ring. Qed.

(** n users who hold the same answer with the same probability. *)
Lemma Pr_are_repeat (d : dist bool) y : proper d ->
  Pr (messages (one_message (fun _ : unit => d)) (repeat tt (length y))) (are y) =
  likelihood (chance d) (length y) (ones y).
Proof.
  intros P. unfold likelihood. induction y as [| b y IH].
  { cbn [length repeat]. unfold Pr. rewrite mean_messages_nil. unfold indicator, are. simpl. ring. }
  cbn [length repeat]. rewrite Pr_are_cons, IH, Pr_bit by exact P. assert (L := ones_le_length y).
  destruct b; cbn [ones].
  - replace (S (length y) - S (ones y))%nat with (length y - ones y)%nat by lia. simpl. ring.
  - replace (S (length y) - ones y)%nat with (S (length y - ones y)) by lia. simpl. ring.
Qed.

(** ** The greatest likelihood *)

Lemma power_below_exp x c n : 0 <= x -> x <= exp c -> x ^ n <= exp (INR n * c).
Proof. intros H L. rewrite Rmult_comm, <- exp_power. apply pow_incr. split; assumption. Qed.

Lemma likelihood_le q r n k :
  (k <= n)%nat -> 0 <= q <= 1 -> 0 < r < 1 -> (q - r) * (INR k - INR n * r) <= 0 ->
  likelihood q n k <= likelihood r n k.
Proof.
  intros Hk Hq Hr H. unfold likelihood.
  assert (Pk : 0 < r ^ k) by (apply pow_lt; lra). assert (Pl : 0 < (1 - r) ^ (n - k)) by (apply pow_lt; lra).
  assert (A : (q / r) ^ k <= exp (INR k * ((q - r) / r))).
  { apply power_below_exp; [apply Rle_mult_inv_pos; lra |].
    eapply Rle_trans; [| apply exp_ineq1_le]. right. field. lra. }
  assert (B : ((1 - q) / (1 - r)) ^ (n - k) <= exp (INR (n - k) * ((r - q) / (1 - r)))).
  { apply power_below_exp; [apply Rle_mult_inv_pos; lra |].
    eapply Rle_trans; [| apply exp_ineq1_le]. right. field. lra. }
  assert (C : (q / r) ^ k * ((1 - q) / (1 - r)) ^ (n - k) <= 1).
  { eapply Rle_trans; [apply Rmult_le_compat; [| | exact A | exact B]; apply pow_le, Rle_mult_inv_pos; lra |].
    rewrite <- exp_plus, minus_INR by exact Hk. apply Rle_trans with (exp 0); [apply exp_le | rewrite exp_0; lra].
    replace (INR k * ((q - r) / r) + (INR n - INR k) * ((r - q) / (1 - r)))
      with ((q - r) * (INR k - INR n * r) * / (r * (1 - r))) by (field; lra).
    assert (I : 0 < / (r * (1 - r))) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
    rewrite <- (Rmult_0_l (/ (r * (1 - r)))). apply Rmult_le_compat_r; [lra | exact H]. }
  unfold Rdiv in C. rewrite !Rpow_mult_distr, !pow_inv in C.
  apply (Rmult_le_compat_r (r ^ k * (1 - r) ^ (n - k))) in C; [| left; apply Rmult_lt_0_compat; assumption].
  replace (q ^ k * / r ^ k * ((1 - q) ^ (n - k) * / (1 - r) ^ (n - k)) * (r ^ k * (1 - r) ^ (n - k)))
    with (q ^ k * (1 - q) ^ (n - k)) in C by (field; lra).
  lra.
Qed.

Lemma likelihood_of_share q n k : (1 <= n)%nat -> (k <= n)%nat -> 0 <= q <= 1 ->
  likelihood q n k <= likelihood (INR k / INR n) n k.
Proof.
  intros Hn Hk Hq. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  destruct (Nat.eq_dec k 0) as [-> | K0]; [| destruct (Nat.eq_dec k n) as [-> | Kn]].
  - unfold likelihood. replace (INR 0 / INR n) with 0 by (simpl; field; lra). rewrite Rminus_0_r, !pow_O, !Rmult_1_l.
    apply pow_incr. lra.
  - unfold likelihood. replace (INR n / INR n) with 1 by (field; lra). rewrite Nat.sub_diag, !pow_O, !Rmult_1_r.
    apply pow_incr. lra.
  - assert (K : 0 < INR k) by (apply lt_0_INR; lia). assert (KN : INR k < INR n) by (apply lt_INR; lia).
    apply likelihood_le; [exact Hk | exact Hq | |].
    + split; [apply Rdiv_lt_0_compat; lra |]. apply Rmult_lt_reg_r with (INR n); [exact N |]. field_simplify; lra.
    + right. field. lra.
Qed.

Theorem share_most_likely (y : list bool) q : (1 <= length y)%nat -> 0 <= q <= 1 ->
  let drawn p := messages (one_message (fun _ : unit => coin p)) (repeat tt (length y)) in
  Pr (drawn q) (are y) <= Pr (drawn (INR (ones y) / INR (length y))) (are y).
Proof.
  intros Hn Hq drawn. unfold drawn. assert (L := ones_le_length y).
  assert (N : 0 < INR (length y)) by (apply lt_0_INR; lia).
  assert (C : forall p, chance (coin p) = p) by (intros p; unfold chance; rewrite Pr_coin; unfold indicator; ring).
  assert (S : 0 <= INR (ones y) / INR (length y) <= 1).
  { apply le_INR in L. split; [apply Rle_mult_inv_pos; [apply pos_INR | lra] |].
    apply Rmult_le_reg_r with (INR (length y)); [exact N |]. field_simplify; lra. }
  rewrite !Pr_are_repeat, !C by (apply proper_coin; assumption). apply likelihood_of_share; assumption.
Qed.

(** ** Randomized response *)

(** A bit that is 1 with the probability theta, and then randomized response. *)
Definition rr_answer (lambda : R) (n : nat) (theta : R) : dist bool := bind (coin theta) (rr_randomizer lambda n).

Lemma proper_rr_answer lambda n theta :
  (1 <= n)%nat -> 0 <= lambda < INR n -> 0 <= theta <= 1 -> proper (rr_answer lambda n theta).
Proof. intros Hn H Ht. apply proper_bind; [apply proper_coin, Ht | intros; apply proper_rr_randomizer; assumption]. Qed.

Lemma chance_rr_answer lambda n theta :
  chance (rr_answer lambda n theta) = lambda / INR n / 2 + (1 - lambda / INR n) * theta.
Proof.
  unfold chance, rr_answer. rewrite Pr_bind, mean_coin. fold (chance (rr_randomizer lambda n true)).
  fold (chance (rr_randomizer lambda n false)). rewrite !chance_rr_randomizer. simpl. ring.
Qed.

Definition clipped (t : R) : R := Rmax 0 (Rmin 1 t).

Theorem rr_sum_most_likely (y : list bool) lambda theta :
  let n := length y in
  let answers t := messages (one_message (fun _ : unit => rr_answer lambda n t)) (repeat tt n) in
  (1 <= n)%nat -> 0 < lambda < INR n -> 0 <= theta <= 1 ->
  Pr (answers theta) (are y) <= Pr (answers (clipped (rr_estimate lambda n y / INR n))) (are y).
Proof.
  intros n answers Hn H Ht. set (t := rr_estimate lambda n y / INR n).
  assert (C : 0 <= clipped t <= 1 /\ (theta - clipped t) * (t - clipped t) <= 0).
  { unfold clipped, Rmax, Rmin. destruct (Rle_dec 1 t), (Rle_dec 0 _); split; nra. }
  destruct C as [C D]. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (E : forall s, 0 <= s <= 1 -> Pr (answers s) (are y) = likelihood (chance (rr_answer lambda n s)) n (ones y)).
  { intros s Hs. apply Pr_are_repeat, proper_rr_answer; lra || assumption. }
  rewrite !E, !chance_rr_answer by assumption. assert (S := rr_share lambda n Hn ltac:(lra)).
  assert (S' : 0 < lambda / INR n) by (apply Rdiv_lt_0_compat; lra). set (p := lambda / INR n) in *.
  assert (K : INR (ones y) = INR n * (p / 2 + (1 - p) * t)) by (unfold t, rr_estimate, p; field; lra).
  apply likelihood_le; [apply ones_le_length | nra | nra |]. rewrite K.
  replace (_ * _) with (INR n * (1 - p) ^ 2 * ((theta - clipped t) * (t - clipped t))) by ring.
  assert (0 <= INR n * (1 - p) ^ 2) by (apply Rmult_le_pos; [lra | apply pow2_ge_0]). nra.
Qed.

(** ** Fixed bits *)

Lemma likelier_bits (send : bool -> dist bool) (xs y : list bool) :
  (forall x, proper (send x)) -> (forall x b, 0 < Pr (send x) (fun c => eqb c b)) ->
  (forall b, Pr (send (negb b)) (fun c => eqb c b) < Pr (send b) (fun c => eqb c b)) -> length xs = length y ->
  0 < Pr (messages (one_message send) xs) (are y) /\
  (xs <> y -> Pr (messages (one_message send) xs) (are y) < Pr (messages (one_message send) y) (are y)).
Proof.
  intros P Pos H. revert xs. induction y as [| b y IH]; intros [| x xs] L; try discriminate.
  { split; [| congruence]. unfold Pr. rewrite mean_messages_nil. unfold indicator, are. simpl. lra. }
  injection L as L. destruct (IH xs L) as [A B], (IH y eq_refl) as [C _]. rewrite !Pr_are_cons.
  assert (Qx := Pos x b). assert (Qb := Pos b b). split; [apply Rmult_lt_0_compat; assumption |].
  intros N. destruct (list_eq_dec bool_dec xs y) as [-> | D].
  - apply Rmult_lt_compat_r; [exact C |]. replace x with (negb b) by (destruct x, b; simpl; congruence). apply H.
  - specialize (B D).
    apply Rle_lt_trans with (Pr (send b) (fun c => eqb c b) * Pr (messages (one_message send) xs) (are y)).
    + apply Rmult_le_compat_r; [lra |]. destruct (bool_dec x b) as [-> | X]; [lra |].
      replace x with (negb b) by (destruct x, b; simpl; congruence). left. apply H.
    + apply Rmult_lt_compat_l; assumption.
Qed.

Theorem rr_sum_most_likely_bits (y xs : list bool) lambda :
  let n := length y in
  let answers := messages (one_message (rr_randomizer lambda n)) in
  (1 <= n)%nat -> 0 < lambda < INR n -> length xs = n ->
  (xs <> y -> Pr (answers xs) (are y) < Pr (answers y) (are y)) /\
  (rr_estimate lambda n y = INR (ones y) -> INR (ones y) = INR n / 2).
Proof.
  intros n answers Hn H L. assert (N : 0 < INR n) by (apply lt_0_INR; lia). split.
  - assert (P : forall x, proper (rr_randomizer lambda n x)) by (intros; apply proper_rr_randomizer; [exact Hn | lra]).
    assert (S := rr_share lambda n Hn ltac:(lra)). assert (S' : 0 < lambda / INR n) by (apply Rdiv_lt_0_compat; lra).
    apply likelier_bits; [exact P | | | exact L].
    + intros x b. rewrite Pr_bit, chance_rr_randomizer by apply P. destruct x, b; simpl; lra.
    + intros b. rewrite !Pr_bit, !chance_rr_randomizer by apply P. destruct b; simpl; lra.
  - unfold rr_estimate. intros E. apply Rmult_eq_reg_l with (lambda / (INR n - lambda)).
    + assert (D : INR n / (INR n - lambda) * (INR (ones y) - lambda / 2) - INR (ones y) =
        lambda / (INR n - lambda) * INR (ones y) - lambda / (INR n - lambda) * (INR n / 2)) by (field; lra).
      lra.
    + apply Rgt_not_eq, Rdiv_lt_0_compat; lra.
Qed.

(** ** The range *)

Lemma all_equal_answers lambda n xs b : (1 <= n)%nat -> 0 < lambda < INR n ->
  0 < Pr (messages (one_message (rr_randomizer lambda n)) xs) (forallb (fun c => eqb c b)).
Proof.
  intros Hn H. rewrite all_messages_in. induction xs as [| x xs IH]; simpl; [lra |].
  apply Rmult_lt_0_compat; [| exact IH].
  rewrite Pr_bit, chance_rr_randomizer by (apply proper_rr_randomizer; [exact Hn | lra]).
  assert (S := rr_share lambda n Hn ltac:(lra)). assert (0 < lambda / INR n) by (apply Rdiv_lt_0_compat; lra).
  destruct x, b; simpl; lra.
Qed.

Lemma ones_of_equal b y : forallb (fun c => eqb c b) y = true -> ones y = if b then length y else 0%nat.
Proof.
  induction y as [| c y IH]; [destruct b; reflexivity |]. simpl. intros E. apply andb_prop in E. destruct E as [E F].
  apply eqb_prop in E. subst c. rewrite (IH F). destruct b; reflexivity.
Qed.

Theorem rr_sum_leaves_range (n : nat) lambda (xs : list bool) :
  (1 <= n)%nat -> 0 < lambda < INR n -> length xs = n ->
  let answers := messages (one_message (rr_randomizer lambda n)) xs in
  0 < Pr answers (fun y => Rltb (rr_estimate lambda n y) 0) /\
  0 < Pr answers (fun y => Rltb (INR n) (rr_estimate lambda n y)).
Proof.
  intros Hn H L answers. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (Q : 0 < lambda / 2 * (INR n / (INR n - lambda))).
  { apply Rmult_lt_0_compat; [lra | apply Rdiv_lt_0_compat; lra]. }
  assert (Proper : forall x, proper (rr_randomizer lambda n x))
    by (intros; apply proper_rr_randomizer; [exact Hn | lra]).
  split.
  - eapply Rlt_le_trans; [apply (all_equal_answers lambda n xs false Hn H) |].
    apply Pr_le; [apply proper_messages; intros; apply proper_one_message, Proper |].
    intros y E. apply Rltb_true. unfold rr_estimate. rewrite (ones_of_equal false y E). simpl INR. lra.
  - eapply Rlt_le_trans; [apply (all_equal_answers lambda n xs true Hn H) |].
    unfold Pr, answers. rewrite (mean_messages_length _ xs (indicator (fun y => Rltb (INR n) (rr_estimate lambda n y)))
      (indicator (fun y => forallb (fun c => eqb c true) y || Rltb (INR n) (rr_estimate lambda n y)))).
    + apply Pr_le; [apply proper_messages; intros; apply proper_one_message, Proper |]. intros y ->. reflexivity.
    + intros y Ly. unfold indicator. destruct (forallb _ y) eqn:E; [| reflexivity]. simpl.
      rewrite (proj2 (Rltb_true _ _)); [reflexivity |]. unfold rr_estimate.
      rewrite (ones_of_equal true y E), Ly, L.
      assert (D : INR n / (INR n - lambda) * (INR n - lambda / 2) = INR n + lambda / 2 * (INR n / (INR n - lambda)))
        by (field; lra).
      lra.
Qed.
