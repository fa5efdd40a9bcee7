(** Binary sums by randomized response against sampling without a threshold.

    Each of n users holds a bit and with probability lambda/n, 0 < lambda < n, does not send it but a fair
    coin (randomized response), or 0 (sampling). Proved for every n >= 1 and every data set of n bits:

    - [rr_sum_equation_printed]: the estimate (n/(n - lambda)) (sum y - lambda/2) of the sum of the bits is
      not always the sum: it differs with positive probability;
    - [sampling_equivalence_printed]: the numbers of ones that are sent have different laws;
    - [sampling_count]: by sampling it is Bin(k, 1 - lambda/n), where k users hold a 1. So is, in randomized
      response, the number of ones of the users who toss no coin, which is the same count.

    With the randomizers for the share lambda/n, for any number m >= 1 of users and under replacement:

    - [sampling_never_private]: sampling is not (eps, delta)-DP for any real eps and any delta < 1 - lambda/n;
    - [rr_sum_pure]: randomized response is (eps, 0)-DP if and only if e^eps >= (2n - lambda)/lambda.

    Idea: the variance of the estimate is positive. The means of the two numbers differ by lambda/2. Without
    the user who holds 1 no 1 is sent by sampling.

    Source: Cheu, Smith, Ullman, Zeber, Zhilyaev 2019, section 4, and Bharadwaj and Cormode 2022, section 3;
    the proofs are this package's. *)

From Coq Require Import Reals List Bool Lra Lia Permutation.
From Exactdp Require Import sums laws reals privacy single_message bits bit_messages binomial.
From Exactdp Require Import binary_sums randomized_response.
Import ListNotations.
Open Scope R_scope.

(** ** The printed equation *)

(** A function that is 0 outside of an impossible event has the mean 0. *)
Lemma mean_of_impossible {A} (d : dist A) T f :
  proper d -> Pr d T = 0 -> (forall a, T a = false -> f a = 0) -> mean d f = 0.
Proof.
  intros [W _] H F. unfold Pr, mean in *. induction d as [| [w a] d IH]; [reflexivity |].
  cbn [total fst snd] in *.
  assert (Hw : 0 <= w * indicator T a).
  { apply Rmult_le_pos; [apply (W (w, a)); left; reflexivity |]. unfold indicator. destruct (T a); lra. }
  assert (Hd : 0 <= total d (fun va => fst va * indicator T (snd va))).
  { apply total_nonneg. intros va I. apply Rmult_le_pos; [apply W; right; exact I |].
    unfold indicator. destruct (T (snd va)); lra. }
  assert (W' : forall va, In va d -> 0 <= fst va) by (intros va I; apply W; right; exact I).
  assert (H' : total d (fun va => fst va * indicator T (snd va)) = 0) by lra.
  rewrite (IH W' H').
  assert (I : indicator T a = if T a then 1 else 0) by reflexivity. rewrite I in H, Hw.
  destruct (T a) eqn:E; [replace w with 0 by lra | rewrite (F a E)]; ring.
Qed.

(** The estimate is wrong with positive probability. *)
Theorem rr_sum_equation_printed (n : nat) (lambda : R) (xs : list bool) :
  (1 <= n)%nat -> 0 < lambda < INR n -> length xs = n ->
  0 < Pr (messages (one_message (rr_randomizer lambda n)) xs)
        (fun y => Rltb 0 (Rabs (rr_estimate lambda n y - INR (ones xs)))).
Proof.
  intros Hn H L. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (P : proper (messages (one_message (rr_randomizer lambda n)) xs)).
  { apply proper_messages. intros. apply proper_one_message, proper_rr_randomizer; [exact Hn | lra]. }
  destruct (proj1 (Pr_bounds _ (fun y => Rltb 0 (Rabs (rr_estimate lambda n y - INR (ones xs)))) P))
    as [Q | Z]; [exact Q | exfalso].
  assert (V := rr_sum_variance n lambda xs Hn ltac:(lra) L). cbv zeta in V.
  rewrite (mean_of_impossible _ _ _ P (eq_sym Z)) in V.
  - assert (S := rr_share lambda n Hn ltac:(lra)).
    assert (F : lambda / (2 * INR n) = lambda / INR n / 2) by (field; lra). rewrite F in V.
    assert (S' : 0 < lambda / INR n) by (apply Rdiv_lt_0_compat; lra).
    assert (A : 0 < INR n / (INR n - lambda)) by (apply Rdiv_lt_0_compat; lra).
    apply (Rlt_irrefl 0). rewrite V at 2. apply Rmult_lt_0_compat; [apply pow_lt, A |].
    apply Rmult_lt_0_compat; [exact N | apply Rmult_lt_0_compat; lra].
  - intros y Y. destruct (Req_dec (rr_estimate lambda n y - INR (ones xs)) 0) as [-> | E]; [ring |].
    apply Rabs_pos_lt, Rltb_true in E. congruence.
Qed.

(** ** Sampling *)

(** One user: with probability lambda/n nothing, which is seen as a 0, else the truth. *)
Definition sampling_randomizer (lambda : R) (n : nat) (x : bool) : dist bool :=
  bind (coin (lambda / INR n)) (fun toss : bool => if toss then ret false else ret x).

Lemma Pr_sampling_randomizer lambda n x T :
  Pr (sampling_randomizer lambda n x) T =
  lambda / INR n * indicator T false + (1 - lambda / INR n) * indicator T x.
Proof. unfold sampling_randomizer. rewrite Pr_bind, mean_coin, !Pr_ret. reflexivity. Qed.

Lemma proper_sampling_randomizer lambda n x :
  (1 <= n)%nat -> 0 <= lambda < INR n -> proper (sampling_randomizer lambda n x).
Proof.
  intros Hn H. apply proper_bind; [| intros [|]; apply proper_ret].
  assert (S := rr_share lambda n Hn H). apply proper_coin. lra.
Qed.

(** The number of ones is binomial. *)
Theorem sampling_count (n : nat) (lambda : R) (xs : list bool) :
  same_law (dmap ones (messages (one_message (sampling_randomizer lambda n)) xs))
           (flips (ones xs) (1 - lambda / INR n)).
Proof.
  induction xs as [| x xs IH]; intros f.
  - rewrite mean_dmap. cbn [messages ones flips]. rewrite !mean_ret. reflexivity.
  - rewrite mean_dmap, mean_messages_cons. unfold sampling_randomizer at 1. rewrite mean_bind, mean_coin.
    assert (IH' := fun g => eq_trans (eq_sym (mean_dmap ones _ g)) (IH g)).
    destruct x; cbn [ones flips]; rewrite !mean_ret.
    + rewrite mean_bind, mean_coin, !mean_dmap. cbn [ones].
      rewrite (IH' f), (IH' (fun c => f (S c))). change (fun a => f a) with f. ring.
    + cbn [ones]. rewrite (IH' f). ring.
Qed.

(** So the laws differ: already the means do. *)
Theorem sampling_equivalence_printed (n : nat) (lambda : R) (xs : list bool) :
  (1 <= n)%nat -> 0 < lambda < INR n -> length xs = n ->
  ~ same_law (dmap ones (messages (one_message (rr_randomizer lambda n)) xs))
             (dmap ones (messages (one_message (sampling_randomizer lambda n)) xs)).
Proof.
  intros Hn H L S. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  specialize (S INR). rewrite sampling_count, flips_mean, mean_dmap in S.
  rewrite mean_ones, rr_mean_messages, L in S by (intros; apply proper_rr_randomizer; [exact Hn | lra]).
  replace (INR n * (lambda / INR n / 2)) with (lambda / 2) in S by (field; lra). lra.
Qed.

(** ** Privacy *)

(** Somebody has sent a 1. *)
Lemma some_one {X} (R : X -> dist bool) xs : (forall x, proper (R x)) ->
  Pr (messages (one_message R) xs) (fun u => negb (forallb negb u)) =
  1 - fold_right (fun x t => Pr (R x) negb * t) 1 xs.
Proof.
  intros HR. rewrite <- all_messages_in.
  rewrite <- (Pr_all (messages (one_message R) xs))
    by (apply proper_messages; intros; apply proper_one_message, HR).
  unfold Pr. rewrite <- mean_minus. apply mean_ext. intros u. unfold indicator.
  destruct (forallb negb u); simpl; ring.
Qed.

Lemma sampling_zeros lambda n i :
  fold_right (fun x t => Pr (sampling_randomizer lambda n x) negb * t) 1 (repeat false i) = 1.
Proof.
  induction i as [| i IH]; [reflexivity |]. cbn [repeat fold_right].
  rewrite IH, Pr_sampling_randomizer. unfold indicator. simpl. ring.
Qed.

Theorem sampling_never_private (n m : nat) (lambda eps delta : R) :
  (1 <= n)%nat -> (1 <= m)%nat -> 0 <= lambda < INR n -> delta < 1 - lambda / INR n ->
  ~ shuffle_dp m (one_message (sampling_randomizer lambda n)) eps delta.
Proof.
  intros Hn Hm H Hd D. set (zeros := repeat false (m - 1)).
  specialize (D (true :: zeros) (false :: zeros) (replace_one [] true false zeros)).
  specialize (D ltac:(unfold zeros; simpl; rewrite repeat_length; lia) (fun u => negb (forallb negb u))).
  specialize (D ltac:(intros u v P; f_equal; apply forallb_symmetric, P)).
  assert (Z := sampling_zeros lambda n (m - 1)). fold zeros in Z.
  rewrite !some_one in D by (intros; apply proper_sampling_randomizer; assumption).
  cbn [fold_right] in D. rewrite Z, !Pr_sampling_randomizer in D. unfold indicator in D. simpl in D.
  lra.
Qed.

(** Randomized response is the survey's with g = (1 - lambda/n)/2. *)
Lemma Pr_rr_randomizer lambda n x T :
  Pr (rr_randomizer lambda n x) T = Pr (survey_randomizer ((1 - lambda / INR n) / 2) x) T.
Proof.
  rewrite Pr_survey_randomizer. unfold rr_randomizer. rewrite Pr_bind, mean_coin, Pr_coin, Pr_ret.
  set (q := lambda / INR n). unfold indicator. destruct x; simpl; field.
Qed.

Theorem rr_sum_pure (n m : nat) (lambda eps : R) :
  (1 <= n)%nat -> (1 <= m)%nat -> 0 < lambda < INR n ->
  shuffle_dp m (one_message (rr_randomizer lambda n)) eps 0 <->
  ln ((2 * INR n - lambda) / lambda) <= eps.
Proof.
  intros Hn Hm H. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (S := rr_share lambda n Hn ltac:(lra)).
  assert (S' : 0 < lambda / INR n) by (apply Rdiv_lt_0_compat; lra).
  rewrite single_message_pure_epsilon; [| intros; apply proper_rr_randomizer; [exact Hn | lra] | exact Hm].
  set (g := (1 - lambda / INR n) / 2). assert (G : 0 < g < 1 / 2) by (unfold g; lra).
  replace ((2 * INR n - lambda) / lambda) with ((1 / 2 + g) / (1 / 2 - g)) by (unfold g; field; lra).
  rewrite <- (survey_privacy_local g eps G).
  split; intros D x y T; specialize (D x y T); rewrite !Pr_rr_randomizer in *; exact D.
Qed.
