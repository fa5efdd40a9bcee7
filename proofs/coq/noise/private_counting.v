(** n users add up their numbers in private by shares of one noise, with messages of one symbol.

    Each of n >= 1 users holds an integer from 0 to Delta >= 1, a bit where Delta = 1, and sends so many messages of one
    symbol, and what he draws from D more. Their number is all that there is to see; [received D xs] is its law where
    the users hold xs. Proved, for all n, all real parameters and all events, under replacement:

    - [counting_private]: with D = NB(r/n, p) it is (eps, delta)-DP for 0 < eps <= 1, delta > 0, r >= 3 and
      r >= 3 ln(1/delta), hence for r = 3 (1 + ln(1/delta)) where delta <= 1, and e^(-eps/(5 Delta)) <= p < 1;
    - [poisson_counting_private]: with D the Poisson law of mean mu/n it is for eps > 0, delta > 0,
      mu >= 10 ln(1/delta)/g^2 and mu >= 2 Delta/g, g = 1 - e^(-eps/Delta).

    Proof. The number is the sum of the users' numbers plus that of n shares, which has the law NB(r, p), or the Poisson
    law of mean mu.
    Source: Ghazi, Kumar, Manurangsi, Pagh 2020, section 3 (the protocol); the proof is this package's. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums privacy masses negative_binomial_mean noise_on_naturals.
From Exactdp Require Import negative_binomial_sums negative_binomial_privacy poisson_noise poisson_sums.
Import ListNotations.
Open Scope R_scope.

(** The law of the number of messages. *)
Fixpoint received (D : nat -> R) (xs : list nat) : nat -> R :=
  match xs with
  | [] => no_noise
  | x :: rest => convolved_masses (after x D) (received D rest)
  end.

Lemma after_0 v t : after 0 v t = v t.
Proof. unfold after. simpl. f_equal. lia. Qed.

Lemma after_ext a u v t : (forall i, u i = v i) -> after a u t = after a v t.
Proof. intros E. unfold after. destruct (Nat.ltb t a); [reflexivity | apply E]. Qed.

Lemma after_S a v t : after (S a) v (S t) = after a v t.
Proof. reflexivity. Qed.

Lemma convolved_ext u v u' v' t :
  (forall i, u i = u' i) -> (forall i, v i = v' i) -> convolved_masses u v t = convolved_masses u' v' t.
Proof. intros U V. apply total_ext. intros i _. rewrite U, V. reflexivity. Qed.

Lemma convolved_after_left a u v t : convolved_masses (after a u) v t = after a (convolved_masses u v) t.
Proof.
  revert t. induction a as [| a IH]; intros t.
  - rewrite after_0. apply convolved_ext; [apply after_0 | reflexivity].
  - destruct t as [| t]; [unfold convolved_masses, after; simpl; ring |]. rewrite after_S, <- IH.
    unfold convolved_masses. rewrite total_seq_shift. unfold after at 1. simpl Nat.ltb. cbv iota.
    rewrite Rmult_0_l, Rplus_0_l. apply total_ext. intros i _. rewrite after_S. reflexivity.
Qed.

Lemma convolved_after_right b u v t : convolved_masses u (after b v) t = after b (convolved_masses u v) t.
Proof.
  revert t. induction b as [| b IH]; intros t.
  - rewrite after_0. apply convolved_ext; [reflexivity | apply after_0].
  - destruct t as [| t]; [unfold convolved_masses, after; simpl; ring |]. rewrite after_S, <- IH.
    unfold convolved_masses. rewrite total_seq_S, Nat.sub_diag. unfold after at 2. simpl Nat.ltb. cbv iota.
    rewrite Rmult_0_r, Rplus_0_r. apply total_ext. intros i I. apply in_seq in I.
    replace (S t - i)%nat with (S (t - i)) by lia. rewrite after_S. reflexivity.
Qed.

Lemma after_after a b v t : after a (after b v) t = after (a + b) v t.
Proof.
  unfold after. destruct (Nat.ltb_spec t a); destruct (Nat.ltb_spec t (a + b)); try lia; try reflexivity.
  - rewrite (proj2 (Nat.ltb_lt _ _)) by lia. reflexivity.
  - rewrite (proj2 (Nat.ltb_ge _ _)) by lia. f_equal. lia.
Qed.

(** What is received is the sum of the numbers plus that of the shares. *)
Lemma received_shares D xs t : received D xs t = after (list_sum xs) (shares D (length xs)) t.
Proof.
  revert t. induction xs as [| x xs IH]; intros t; [symmetry; apply after_0 |]. cbn [received length shares].
  rewrite convolved_after_left. change (list_sum (x :: xs)) with (x + list_sum xs)%nat. rewrite <- after_after.
  apply after_ext. intros i. rewrite <- convolved_after_right. apply convolved_ext; [reflexivity | exact IH].
Qed.

Lemma after_on_naturals a v t : after a v t = on_naturals v (Z.of_nat t - Z.of_nat a).
Proof.
  unfold after, on_naturals.
  destruct (Nat.ltb_spec t a), (Z.ltb_spec (Z.of_nat t - Z.of_nat a) 0); try lia; [reflexivity |].
  f_equal. lia.
Qed.

(** What the noise W does for a query, its shares do for the sum. *)
Lemma shared_noise_private (n Delta : nat) (D W : nat -> R) E delta :
  0 <= E -> (forall t, shares D n t = W t) ->
  (forall c d, (Z.abs (c - d) <= Z.of_nat Delta)%Z ->
    mass_below (fun z => on_naturals W (z - c)) (fun z => on_naturals W (z - d)) E delta) ->
  forall xs ys, neighbors xs ys -> length xs = n -> (forall x, In x xs \/ In x ys -> (x <= Delta)%nat) ->
  forall (T : nat -> Prop) s t, mass_of (received D xs) T s -> mass_of (received D ys) T t -> s <= E * t + delta.
Proof.
  intros HE HW H xs ys N Len Range T s t. apply (mass_below_all_events _ _ _ _ HE). intros l Nl.
  assert (M : forall zs, length zs = n -> total l (received D zs) =
    total (map Z.of_nat l) (fun z => on_naturals W (z - Z.of_nat (list_sum zs)))).
  { intros zs Ez. rewrite total_map. apply total_ext. intros k _. rewrite received_shares, Ez, <- after_on_naturals.
    apply after_ext, HW. }
  rewrite (M xs Len), (M ys) by (rewrite <- (neighbors_length _ _ N); exact Len). apply H.
  - destruct N as [before x y rest]. rewrite !list_sum_app.
    assert (Hx : (x <= Delta)%nat) by (apply Range; left; apply in_or_app; right; left; reflexivity).
    assert (Hy : (y <= Delta)%nat) by (apply Range; right; apply in_or_app; right; left; reflexivity).
    change (list_sum (x :: rest)) with (x + list_sum rest)%nat.
    change (list_sum (y :: rest)) with (y + list_sum rest)%nat. lia.
  - apply FinFun.Injective_map_NoDup; [intros u w; lia | exact Nl].
Qed.

Theorem counting_private (n Delta : nat) eps delta r p D :
  (1 <= n)%nat -> (1 <= Delta)%nat -> 0 < eps <= 1 -> 0 < delta -> 3 <= r -> 3 * ln (1 / delta) <= r ->
  exp (- (eps / (5 * INR Delta))) <= p < 1 -> is_negative_binomial (r / INR n) p D ->
  forall xs ys, neighbors xs ys -> length xs = n -> (forall x, In x xs \/ In x ys -> (x <= Delta)%nat) ->
  forall (T : nat -> Prop) s t, mass_of (received D xs) T s -> mass_of (received D ys) T t ->
  s <= exp eps * t + delta.
Proof.
  intros Hn HD He Pd Hr Hd Hp L. apply negative_binomial_divisible in L; [| exact Hn].
  apply (shared_noise_private n Delta D (shares D n)); [left; apply exp_pos | reflexivity |].
  intros c d. apply (negative_binomial_below eps delta r p Delta); assumption.
Qed.

Theorem poisson_counting_private (n Delta : nat) eps delta mu :
  let g := 1 - exp (- (eps / INR Delta)) in
  (1 <= n)%nat -> (1 <= Delta)%nat -> 0 < eps -> 0 < delta ->
  10 * ln (1 / delta) / g ^ 2 <= mu -> 2 * INR Delta / g <= mu ->
  forall xs ys, neighbors xs ys -> length xs = n -> (forall x, In x xs \/ In x ys -> (x <= Delta)%nat) ->
  forall (T : nat -> Prop) s t,
  mass_of (received (poisson (mu / INR n)) xs) T s -> mass_of (received (poisson (mu / INR n)) ys) T t ->
  s <= exp eps * t + delta.
Proof.
  intros g Hn HD He Pd M1 M2.
  apply (shared_noise_private n Delta (poisson (mu / INR n)) (poisson mu)); [left; apply exp_pos | |].
  - intros t. apply poisson_divisible, Hn.
  - intros c d. apply (poisson_below eps delta mu Delta); assumption.
Qed.
