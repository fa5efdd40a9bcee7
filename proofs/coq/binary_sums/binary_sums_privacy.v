(** Binary sums by randomized response are private, with explicit constants, for every n.

    The protocol of binary_sums.v: with probability lambda/n a user sends a fair coin, else his bit. For
    every n >= 1, eps > 0, real lambda with 0 <= lambda < n, let x = 1 - lambda/n and alpha = tanh(eps/2).
    - [rr_sum_privacy_sharp]: for every t >= 0 with t x <= alpha the shuffled protocol is
      (eps, delta)-DP with delta = x e^t exp(-(n-1) (1-x) (1 - e^(-t^2/2))).
    - [rr_sum_privacy_pure]: if alpha >= x, it is (eps, 0)-DP.
    - [rr_sum_privacy]: the same with t = alpha/x, and twice e^(2t) in place of e^t.
    - [rr_sum_privacy_plain]: the same with t = alpha.

    Idea: let two data sets differ in one user. Reveal, for the others, who tossed a coin and the bits of
    those who did not: a bound D(s) on the excess that holds for every number s of tossed coins and every
    number k of ones among the known bits holds on average, and s is Bin(n-1, lambda/n) ([reveal]). Given
    s and k an event is a function of k plus the user's message plus the number of heads of s coins, so
    that D(s) = x e^(t - t^2 s/2) by coin_shift.v, since e^eps = (1 + alpha)/(1 - alpha). The mean over s is
    the generating function of the binomial law, and 1 - z <= e^(-z).

    Source: this package; the theorem is that of Cheu, Smith, Ullman, Zeber, Zhilyaev 2019, section 4. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy bits bit_messages binomial binary_sums coin_shift.
Import ListNotations.
Open Scope R_scope.

(** ** Reveal who of the others tossed a coin *)

(** If h has a mean of at most D(s) with s coins and any number k of known ones, then it has one of at most
    the mean of D over the number of those who toss a coin. *)
Lemma reveal (lambda : R) (n : nat) (others : list bool) (h D : nat -> R) :
  0 <= lambda / INR n <= 1 ->
  (forall s k, mean (flips s (1 / 2)) (fun i => h (k + i)%nat) <= D s) ->
  mean (messages (one_message (rr_randomizer lambda n)) others) (fun y => h (ones y))
  <= mean (flips (length others) (lambda / INR n)) D.
Proof.
  intros Hq. revert h D. induction others as [| z others IH]; intros h D H.
  - rewrite mean_messages_nil. cbn [length]. rewrite mean_flips_0.
    specialize (H O O). rewrite mean_flips_0 in H. exact H.
  - rewrite mean_messages_cons. cbn [length]. rewrite mean_flips_S.
    unfold rr_randomizer at 1. rewrite mean_bind, mean_coin, mean_ret.
    apply Rplus_le_compat; (apply Rmult_le_compat_l; [lra |]).
    + rewrite mean_swap.
      apply (IH (fun c => mean (coin (1 / 2)) (fun b : bool => h (if b then S c else c)))). intros s k.
      eapply Rle_trans; [right | apply (H (S s) k)].
      rewrite mean_flips_S, <- !mean_scal, <- mean_plus. apply mean_ext. intros i.
      rewrite mean_coin, plus_n_Sm. reflexivity.
    + apply (IH (fun c => h (if z then S c else c))). intros s k.
      destruct z; [apply (H s (S k)) | apply (H s k)].
Qed.

(** ** The message of one user *)

Lemma mean_rr_randomizer (lambda : R) (n : nat) (b : bool) f :
  let x := 1 - lambda / INR n in
  mean (rr_randomizer lambda n b) f = (1 + x) / 2 * f b + (1 - x) / 2 * f (negb b).
Proof.
  intros x. unfold rr_randomizer. rewrite mean_bind, mean_coin, mean_coin, mean_ret.
  replace (lambda / INR n) with (1 - x) by (unfold x; ring). destruct b; cbn [negb]; field.
Qed.

Lemma tanh_half (eps : R) : 0 < eps ->
  0 < tanh (eps / 2) < 1 /\ exp eps * (1 - tanh (eps / 2)) = 1 + tanh (eps / 2).
Proof.
  intros He. set (w := exp (eps / 2)).
  assert (W : 1 < w) by (rewrite <- exp_0; apply exp_increasing; lra).
  assert (P : 0 < w * w) by (apply Rmult_lt_0_compat; lra).
  assert (Q : 1 * 1 < w * w) by (apply Rmult_le_0_lt_compat; lra).
  replace (exp eps) with (w * w) by (unfold w; rewrite <- exp_plus; f_equal; field).
  replace (tanh (eps / 2)) with ((w * w - 1) / (w * w + 1)).
  - split; [split |].
    + apply Rdiv_lt_0_compat; lra.
    + apply Rmult_lt_reg_r with (w * w + 1); [lra |]. field_simplify; lra.
    + field. lra.
  - unfold tanh, sinh, cosh. rewrite exp_Ropp. fold w. field. lra.
Qed.

(** The excess of a message of the bit b over one of the other bit, times 1 - alpha. *)
Lemma excess_of_message (lambda : R) (n : nat) (eps : R) (b : bool) f :
  let x := 1 - lambda / INR n in let a := tanh (eps / 2) in
  0 < eps ->
  (1 - a) * (mean (rr_randomizer lambda n b) f - exp eps * mean (rr_randomizer lambda n (negb b)) f) =
  (x - a) * f b - (x + a) * f (negb b).
Proof.
  intros x a He. destruct (tanh_half eps He) as [_ E]. fold a in E.
  rewrite !mean_rr_randomizer, Bool.negb_involutive. fold x.
  set (p := f b). set (q := f (negb b)).
  transitivity ((1 - a) * ((1 + x) / 2 * p + (1 - x) / 2 * q)
                - exp eps * (1 - a) * ((1 + x) / 2 * q + (1 - x) / 2 * p)); [ring |].
  rewrite E. field.
Qed.

(** ** From a bound for s coins to the protocol *)

(** The bit b in front of s coins and k known ones, against the other bit. *)
Lemma excess_of_count (lambda : R) (n : nat) (eps Ds : R) (g : nat -> R) (s k : nat) (b : bool) :
  let x := 1 - lambda / INR n in let a := tanh (eps / 2) in
  let count m c := g (if m : bool then S c else c) in
  0 < eps ->
  mean (flips s (1 / 2)) (fun i => (x - a) * count b (k + i)%nat - (x + a) * count (negb b) (k + i)%nat)
    <= (1 - a) * Ds ->
  mean (flips s (1 / 2)) (fun i =>
    mean (rr_randomizer lambda n b) (fun m => count m (k + i)%nat) -
    exp eps * mean (rr_randomizer lambda n (negb b)) (fun m => count m (k + i)%nat)) <= Ds.
Proof.
  intros x a count He H. destruct (tanh_half eps He) as [A _]. fold a in A.
  apply Rmult_le_reg_l with (1 - a); [lra |]. eapply Rle_trans; [right | exact H].
  rewrite <- mean_scal. apply mean_ext. intros i.
  exact (excess_of_message lambda n eps b (fun m => count m (k + i)%nat) He).
Qed.

(** What an event on the messages of n users says about the user in the middle and the others. *)
Lemma view_of_event (lambda : R) (n : nat) (T : list bool -> bool) :
  symmetric T ->
  exists g : nat -> bool, forall before z after, length (before ++ z :: after) = n ->
  Pr (messages (one_message (rr_randomizer lambda n)) (before ++ z :: after)) T =
  mean (messages (one_message (rr_randomizer lambda n)) (before ++ after)) (fun y =>
    mean (rr_randomizer lambda n z) (fun m : bool => indicator g (if m then S (ones y) else ones y))).
Proof.
  intros ST. destruct (function_of_ones T n ST) as [g G]. exists g. intros before z after L.
  unfold Pr. rewrite mean_messages_middle.
  - rewrite mean_swap. apply mean_messages_length. intros y Ly. apply mean_ext. intros m.
    unfold indicator. rewrite G; [destruct m; reflexivity |].
    rewrite app_length in *. simpl in *. lia.
  - intros y y' P. unfold indicator. rewrite (ST y y' P). reflexivity.
Qed.

Lemma indicator_bounds {A} (T : A -> bool) a : 0 <= indicator T a <= 1.
Proof. unfold indicator. destruct (T a); lra. Qed.

Lemma rr_privacy_from_coins (n : nat) (lambda eps : R) (D : nat -> R) :
  let x := 1 - lambda / INR n in let a := tanh (eps / 2) in
  (1 <= n)%nat -> 0 < eps -> 0 <= lambda < INR n -> (forall s, 0 <= D s) ->
  (forall s (g : nat -> R), (forall j, 0 <= g j <= 1) ->
    mean (flips s (1 / 2)) (fun i => (x - a) * g (S i) - (x + a) * g i) <= (1 - a) * D s /\
    mean (flips s (1 / 2)) (fun i => (x - a) * g i - (x + a) * g (S i)) <= (1 - a) * D s) ->
  shuffle_dp n (one_message (rr_randomizer lambda n)) eps (mean (flips (n - 1) (lambda / INR n)) D).
Proof.
  intros x a Hn He Hl HD H xs ys [before u v after] L T ST.
  assert (Sh := rr_share lambda n Hn Hl).
  destruct (view_of_event lambda n T ST) as [g V].
  assert (L' : length (before ++ v :: after) = n) by (rewrite <- L, !app_length; reflexivity).
  assert (N : length (before ++ after) = (n - 1)%nat).
  { rewrite <- L, !app_length. simpl. lia. }
  rewrite (V _ _ _ L), (V _ _ _ L'), <- N. set (others := before ++ after).
  set (h := fun c => mean (rr_randomizer lambda n u) (fun m : bool => indicator g (if m then S c else c)) -
    exp eps * mean (rr_randomizer lambda n v) (fun m : bool => indicator g (if m then S c else c))).
  assert (B : mean (messages (one_message (rr_randomizer lambda n)) others) (fun y => h (ones y))
              <= mean (flips (length others) (lambda / INR n)) D).
  - apply reveal; [lra |]. intros s k. destruct (Bool.bool_dec u v) as [<- | U].
    + apply Rle_trans with 0; [| apply HD]. rewrite <- (mean_flips_const s (1 / 2) 0).
      apply mean_le; [apply proper_flips; lra |]. intros i. unfold h.
      set (p := mean _ _). assert (0 <= p).
      { apply mean_nonneg; [apply proper_rr_randomizer; assumption | intros; apply indicator_bounds]. }
      assert (1 <= exp eps) by (apply exp_ge_1; lra).
      assert (0 <= (exp eps - 1) * p) by (apply Rmult_le_pos; lra). lra.
    + unfold h. replace v with (negb u) by (destruct u, v; reflexivity || congruence).
      apply (excess_of_count lambda n eps (D s) (indicator g) s k u He).
      destruct (H s (fun j => indicator g (k + j)%nat) (fun j => indicator_bounds g _)) as [H1 H0].
      destruct u; cbn [negb]; [eapply Rle_trans; [right | exact H1] | eapply Rle_trans; [right | exact H0]];
        apply mean_ext; intros i; rewrite <- plus_n_Sm; reflexivity.
  - unfold h in B. rewrite mean_minus, mean_scal in B. lra.
Qed.

(** ** The theorems *)

Lemma shuffle_dp_weaken {X M} n (send : X -> dist (list M)) eps d e :
  d <= e -> shuffle_dp n send eps d -> shuffle_dp n send eps e.
Proof. intros H P xs ys N L T S. specialize (P xs ys N L T S). lra. Qed.

(** The mean of e^(-t^2 s/2) over the number s of coins. *)
Lemma mean_over_coins (m : nat) (x t : R) :
  0 <= 1 - x <= 1 ->
  mean (flips m (1 - x)) (fun s => x * exp (t - t ^ 2 * INR s / 2)) =
  x * exp t * (1 - (1 - x) * (1 - exp (- (t ^ 2 / 2)))) ^ m.
Proof.
  intros Hx. set (q := exp (- (t ^ 2 / 2))).
  rewrite (mean_ext _ _ (fun s => x * exp t * q ^ s)).
  - rewrite mean_scal, flips_generating_function. f_equal. f_equal. ring.
  - intros s. unfold q. rewrite exp_power, Rmult_assoc, <- exp_plus. f_equal. f_equal. field.
Qed.

Lemma power_below_exp (z : R) (m : nat) : 0 <= z <= 1 -> (1 - z) ^ m <= exp (- (INR m * z)).
Proof.
  intros Hz. replace (- (INR m * z)) with (- z * INR m) by ring. rewrite <- exp_power.
  apply pow_incr. assert (E := exp_ineq1_le (- z)). lra.
Qed.

Theorem rr_sum_privacy_sharp (n : nat) (eps lambda t : R) :
  let x := 1 - lambda / INR n in
  (1 <= n)%nat -> 0 < eps -> 0 <= lambda < INR n -> 0 <= t -> t * x <= tanh (eps / 2) ->
  shuffle_dp n (one_message (rr_randomizer lambda n)) eps
    (x * exp t * exp (- ((INR n - 1) * (1 - x) * (1 - exp (- (t ^ 2 / 2)))))).
Proof.
  intros x Hn He Hl Ht Hta. destruct (tanh_half eps He) as [A _].
  assert (Sh := rr_share lambda n Hn Hl). assert (Hx : 0 < x <= 1) by (unfold x; lra).
  apply shuffle_dp_weaken with
    (mean (flips (n - 1) (lambda / INR n)) (fun s => x * exp (t - t ^ 2 * INR s / 2))).
  - replace (lambda / INR n) with (1 - x) by (unfold x; ring). rewrite mean_over_coins by lra.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; [lra | left; apply exp_pos] |].
    replace (INR n - 1) with (INR (n - 1)) by (rewrite minus_INR by exact Hn; reflexivity).
    rewrite (Rmult_assoc (INR (n - 1))).
    apply power_below_exp. set (q := exp (- (t ^ 2 / 2))).
    assert (0 < q) by apply exp_pos.
    assert (q <= 1).
    { rewrite <- exp_0. apply exp_le. assert (S := pow2_ge_0 t). lra. }
    split; [apply Rmult_le_pos; lra |].
    replace 1 with (1 * 1) at 3 by ring. apply Rmult_le_compat; lra.
  - apply rr_privacy_from_coins; try assumption.
    + intros s. apply Rmult_le_pos; [lra | left; apply exp_pos].
    + intros s g G. fold x. set (a := tanh (eps / 2)) in *.
      replace ((1 - a) * (x * exp (t - t ^ 2 * INR s / 2)))
        with (x * (1 - a) * exp (t - t ^ 2 * INR s / 2)) by ring.
      split; [apply coin_shift | apply coin_shift_back]; lra || exact G.
Qed.

Lemma rr_sum_privacy_pure (n : nat) (eps lambda : R) :
  (1 <= n)%nat -> 0 < eps -> 0 <= lambda < INR n -> 1 - lambda / INR n <= tanh (eps / 2) ->
  shuffle_dp n (one_message (rr_randomizer lambda n)) eps 0.
Proof.
  intros Hn He Hl Hx. assert (Sh := rr_share lambda n Hn Hl).
  rewrite <- (mean_flips_const (n - 1) (lambda / INR n) 0).
  apply rr_privacy_from_coins; try assumption; [intros; lra |].
  intros s g G. rewrite Rmult_0_r.
  split; [apply coin_shift_none | apply coin_shift_back_none]; lra || (intros; apply G).
Qed.

(** The bounds with twice e^(2t) are weaker. *)
Lemma weaker_bound (x t c : R) : 0 <= x -> 0 <= t -> x * exp t * exp c <= 2 * x * exp (2 * t) * exp c.
Proof.
  intros Hx Ht. apply Rmult_le_compat_r; [left; apply exp_pos |].
  assert (E : exp t <= exp (2 * t)) by (apply exp_le; lra). assert (P := exp_pos (2 * t)).
  apply Rle_trans with (x * exp (2 * t)); [apply Rmult_le_compat_l; assumption |].
  assert (0 <= x * exp (2 * t)) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem rr_sum_privacy (n : nat) (eps lambda : R) :
  let x := 1 - lambda / INR n in let t := tanh (eps / 2) / x in
  (1 <= n)%nat -> 0 < eps -> 0 <= lambda < INR n ->
  (1 <= t -> shuffle_dp n (one_message (rr_randomizer lambda n)) eps 0) /\
  shuffle_dp n (one_message (rr_randomizer lambda n)) eps
    (2 * x * exp (2 * t) * exp (- ((INR n - 1) * (1 - x) * (1 - exp (- (t ^ 2 / 2)))))).
Proof.
  intros x t Hn He Hl. destruct (tanh_half eps He) as [A _].
  assert (Sh := rr_share lambda n Hn Hl). assert (Hx : 0 < x <= 1) by (unfold x; lra).
  assert (E : t * x = tanh (eps / 2)) by (unfold t; field; lra).
  assert (Ht : 0 <= t) by (apply Rle_mult_inv_pos; lra). split.
  - intros H. apply rr_sum_privacy_pure; try assumption. fold x. rewrite <- E.
    apply (Rmult_le_compat_r x) in H; lra.
  - eapply shuffle_dp_weaken; [apply weaker_bound; lra |].
    apply rr_sum_privacy_sharp; try assumption. fold x. lra.
Qed.

Theorem rr_sum_privacy_plain (n : nat) (eps lambda : R) :
  let x := 1 - lambda / INR n in let alpha := tanh (eps / 2) in
  (1 <= n)%nat -> 0 < eps -> 0 <= lambda < INR n ->
  shuffle_dp n (one_message (rr_randomizer lambda n)) eps
    (2 * x * exp (2 * alpha) * exp (- ((INR n - 1) * (1 - x) * (1 - exp (- (alpha ^ 2 / 2)))))).
Proof.
  intros x a Hn He Hl. destruct (tanh_half eps He) as [A _]. fold a in A.
  assert (Sh := rr_share lambda n Hn Hl). assert (Hx : 0 < x <= 1) by (unfold x; lra).
  eapply shuffle_dp_weaken; [apply weaker_bound; lra |].
  apply rr_sum_privacy_sharp; try assumption; [lra |]. fold x a.
  assert (0 <= a * (1 - x)) by (apply Rmult_le_pos; lra). lra.
Qed.
