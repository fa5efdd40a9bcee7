(** Words about privacy that are read too strongly: each has a small counterexample.

    - [dp_ratio_counterexample]: a bit plus Y, P[Y = 1] = 1/4, is (ln 2, 3/4)-DP and not with a smaller delta,
      but the ratio of the probabilities exceeds 2 with probability 1: (eps, delta)-DP does not bound the
      ratio with probability 1 - delta. (The converse holds: [dp_from_ratio] of smooth_is_private.v.)
    - [average_is_not_private]: the mechanism that shows its bit satisfies (0, 0)-DP where the probability is
      over a random data set as well, and is (eps, delta)-DP for no delta < 1.
    - [permutation_is_not_private]: the permutation that the shuffler applies has one law whatever the data
      are; one user who sends his bit is not (0, 0)-DP.
    - [private_outputs_are_far]: a uniform number from 0, ..., 4r is (0, 0)-DP, whatever the data are, and for
      r >= 2 two independent ones are more than r apart with probability above 1/2;
    - [private_laws_are_near]: what is near are the laws: of an (eps, delta)-DP mechanism every event has
      probabilities at most (e^eps - 1 + 2 delta)/(e^eps + 1) apart, all real eps and delta.

    Source: this package. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick shuffler.
Import ListNotations.
Open Scope R_scope.

(** Neighbours of one record. *)
Lemma neighbors_of_one {X} (xs ys : list X) :
  neighbors xs ys -> length xs = 1%nat -> exists x y, xs = [x] /\ ys = [y].
Proof.
  intros [before x y after] L. destruct before as [| b before], after as [| a after]; simpl in L;
    try (rewrite app_length in L; simpl in L); try lia.
  exists x, y. split; reflexivity.
Qed.

Lemma one_neighbors {X} (x y : X) : neighbors [x] [y].
Proof. exact (replace_one [] x y []). Qed.

(** ** A bounded ratio *)

(** The bit of the one record plus Y, P[Y = 1] = 1/4. *)
Definition noisy_bit (xs : list bool) : dist Z :=
  dmap (fun y => (Z.b2z (hd false xs) + Z.b2z y)%Z) (coin (1 / 4)).

Lemma Pr_noisy_bit b T :
  Pr (noisy_bit [b]) T = 1 / 4 * indicator T (Z.b2z b + 1)%Z + 3 / 4 * indicator T (Z.b2z b).
Proof. unfold noisy_bit. rewrite Pr_dmap, Pr_coin. unfold indicator. destruct b; simpl; lra. Qed.

Lemma ratio_exceeded : Pr (noisy_bit [true])
  (fun a => Rltb (2 * mass (noisy_bit [false]) a) (mass (noisy_bit [true]) a)) = 1.
Proof.
  assert (E : forall a : Z, (a = 1 \/ a = 2)%Z ->
    Rltb (2 * mass (noisy_bit [false]) a) (mass (noisy_bit [true]) a) = true).
  { intros a Ha. apply Rltb_true. unfold mass. rewrite !Pr_noisy_bit. unfold indicator. simpl.
    destruct Ha as [-> | ->]; repeat destruct (same _ _); try lia; lra. }
  rewrite Pr_noisy_bit. unfold indicator. rewrite !E by (simpl; lia). lra.
Qed.

(** Ledger rows dp-ratio-printed and dp-ratio-counterexample. *)
Theorem dp_ratio_counterexample :
  dp 1 noisy_bit (ln 2) (3 / 4) /\ (forall delta, dp 1 noisy_bit (ln 2) delta -> 3 / 4 <= delta) /\
  Pr (noisy_bit [true])
    (fun a => Rltb (exp (ln 2) * mass (noisy_bit [false]) a) (mass (noisy_bit [true]) a)) = 1.
Proof.
  split; [| split].
  - intros xs ys N L T. destruct (neighbors_of_one xs ys N L) as [x [y [-> ->]]].
    rewrite !Pr_noisy_bit, exp_ln by lra. unfold indicator.
    destruct x, y; simpl; destruct (T 0%Z), (T 1%Z), (T 2%Z); lra.
  - intros delta H. specialize (H [false] [true] (one_neighbors _ _) eq_refl (Z.eqb 0)).
    rewrite !Pr_noisy_bit in H. unfold indicator in H. simpl in H. lra.
  - rewrite exp_ln by lra. apply ratio_exceeded.
Qed.

(** ** A random data set *)

(** Ledger row dp-probability. *)
Theorem average_is_not_private :
  let data := dmap (fun b => [b]) (coin (1 / 2)) in
  let shown := fun xs : list bool => ret (hd false xs) in
  below (bind data shown) (bind data shown) (exp 0) 0 /\
  forall eps delta, dp 1 shown eps delta -> 1 <= delta.
Proof.
  split.
  - intros T. rewrite exp_0. lra.
  - intros eps delta H. specialize (H [true] [false] (one_neighbors _ _) eq_refl (fun b => b)).
    cbv beta in H. rewrite !Pr_ret in H. unfold indicator in H. simpl in H. lra.
Qed.

(** ** The permutation *)

(** Ledger row dp-permutation-printed. *)
Theorem permutation_is_not_private :
  let R := fun b : bool => ret [b] in
  let permutation := fun xs => bind (messages R xs) (fun u => shuffler (seq 0 (length u))) in
  (forall x y, same_law (permutation [x]) (permutation [y])) /\ ~ shuffle_dp 1 R 0 0.
Proof.
  split.
  - intros x y f. simpl. unfold mean. simpl. ring.
  - intros H. specialize (H [true] [false] (one_neighbors _ _) eq_refl (existsb (fun b => b))).
    assert (S : symmetric (existsb (fun b : bool => b))).
    { intros u v P. induction P as [| a u v _ IH | a b u | u v w _ IH1 _ IH2]; simpl; try congruence.
      destruct a, b; reflexivity. }
    specialize (H S). rewrite exp_0 in H. unfold Pr, mean, indicator in H. simpl in H. lra.
Qed.

(** ** Near *)

Lemma Pr_pair {A} (l : list A) (T : A * A -> bool) :
  Pr (independent (uniform l) (uniform l)) T =
  / INR (length l) * (/ INR (length l) * total l (fun a => total l (fun b => indicator T (a, b)))).
Proof.
  unfold independent. rewrite Pr_bind, mean_uniform. f_equal.
  rewrite <- total_scal. apply total_ext. intros a _.
  rewrite Pr_dmap. unfold Pr. rewrite mean_uniform. reflexivity.
Qed.

(** How many numbers below n are below c, and how many pairs are so far apart. *)
Lemma count_below n c : total (seq 0 n) (fun b => if Nat.ltb b c then 1 else 0) = INR (Nat.min c n).
Proof.
  induction n as [| n IH]; [rewrite Nat.min_0_r; reflexivity |]. rewrite total_seq_S, IH.
  destruct (Nat.ltb_spec n c).
  - rewrite !Nat.min_r, S_INR by lia. reflexivity.
  - rewrite !Nat.min_l by lia. ring.
Qed.

Lemma pairs_below r n : total (seq 0 (r + n)) (fun a => INR (a - r)) = INR n * (INR n - 1) / 2.
Proof.
  induction n as [| n IH].
  - rewrite Nat.add_0_r, (total_ext _ _ (fun _ => 0)), total_zero; [simpl; lra |].
    intros a I. apply in_seq in I. replace (a - r)%nat with 0%nat by lia. reflexivity.
  - rewrite Nat.add_succ_r, total_seq_S, IH, S_INR. replace (r + n - r)%nat with n by lia. field.
Qed.

Definition far (r : nat) (ab : nat * nat) : bool := Nat.ltb r (fst ab - snd ab + (snd ab - fst ab)).

Lemma far_pairs r n :
  total (seq 0 (r + n)) (fun a => total (seq 0 (r + n)) (fun b => indicator (far r) (a, b))) =
  INR n * (INR n - 1).
Proof.
  set (l := seq 0 (r + n)).
  rewrite (total_ext l _ (fun a => total l (fun b => if Nat.ltb b (a - r) then 1 else 0) +
    total l (fun b => if Nat.ltb a (b - r) then 1 else 0))).
  - rewrite total_plus.
    rewrite (total_swap l l (fun a b => if Nat.ltb a (b - r) then 1 else 0)).
    rewrite (total_ext l (fun a => total l (fun b => if Nat.ltb b (a - r) then 1 else 0))
      (fun a => INR (a - r))).
    + unfold l at 1 2. rewrite pairs_below. lra.
    + intros a I. unfold l in *. rewrite count_below. apply in_seq in I. f_equal. lia.
  - intros a _. rewrite <- total_plus. apply total_ext. intros b _. unfold indicator, far. simpl.
    destruct (Nat.ltb_spec r (a - b + (b - a))), (Nat.ltb_spec b (a - r)), (Nat.ltb_spec a (b - r));
      try lia; lra.
Qed.

(** Ledger rows dp-near and dp-near-printed. *)
Theorem private_outputs_are_far (r : nat) :
  (2 <= r)%nat ->
  let U := uniform (seq 0 (4 * r + 1)) in
  (forall X n, dp n (fun _ : list X => U) 0 0) /\ 1 / 2 < Pr (independent U U) (far r).
Proof.
  intros H U. split.
  - intros X n xs ys _ _ T. rewrite exp_0. lra.
  - unfold U. rewrite Pr_pair, seq_length. replace (4 * r + 1)%nat with (r + (3 * r + 1))%nat by lia.
    rewrite far_pairs. rewrite !plus_INR, mult_INR. simpl. apply le_INR in H. simpl in H.
    set (x := INR r) in *. set (N := x + ((1 + 1 + 1) * x + 1)).
    assert (HN : 0 < N) by (unfold N; lra).
    apply Rmult_lt_reg_l with (N * N); [apply Rmult_lt_0_compat; exact HN |].
    match goal with |- _ < N * N * (/ N * (/ N * ?c)) =>
      replace (N * N * (/ N * (/ N * c))) with c by (field; lra) end.
    unfold N. assert (0 <= (x - 2) * x) by (apply Rmult_le_pos; lra). nra.
Qed.

(** Ledger row dp-near-laws. *)
Theorem private_laws_are_near {X A} n (M : list X -> dist A) eps delta :
  (forall xs, proper (M xs)) -> dp n M eps delta ->
  forall xs ys, neighbors xs ys -> length xs = n ->
  forall T, Rabs (Pr (M xs) T - Pr (M ys) T) <= (exp eps - 1 + 2 * delta) / (exp eps + 1).
Proof.
  intros P H xs ys N L T. assert (E := exp_pos eps).
  assert (One : forall zs, Pr (M zs) (fun a => negb (T a)) = 1 - Pr (M zs) T).
  { intros zs. rewrite <- (Pr_all (M zs) (P zs)). unfold Pr. rewrite <- mean_minus. apply mean_ext.
    intros a. unfold indicator. destruct (T a); simpl; ring. }
  assert (N' := neighbors_sym xs ys N). assert (L' := L). rewrite (neighbors_length xs ys N) in L'.
  assert (A1 := H xs ys N L T). assert (A2 := H ys xs N' L' T).
  assert (B1 := H xs ys N L (fun a => negb (T a))). assert (B2 := H ys xs N' L' (fun a => negb (T a))).
  rewrite !One in B1, B2. apply Rmult_le_reg_r with (exp eps + 1); [lra |].
  replace ((exp eps - 1 + 2 * delta) / (exp eps + 1) * (exp eps + 1)) with (exp eps - 1 + 2 * delta)
    by (field; lra).
  unfold Rabs. destruct (Rcase_abs _); lra.
Qed.
