(** The variation-ratio reduction with the published parameters of k-ary randomized response is no bound.

    k-ary randomized response with p > 1 sends the input with probability p/(p + k - 1), and each of the other
    symbols with 1/(p + k - 1). The reduction with the published parameters p = q, beta = (p - 1)/(p + k - 1)
    puts three roles in its place ([reduced]): the user who differs sends 0 with probability p/(p + k - 1) and
    1 with 1/(p + k - 1), his neighbour the other way round, all others 0 and 1 with 1/(p + k - 1) each, and
    the rest is a blank. As published, a (E, delta) that holds for the shuffled messages of the reduced pair,
    in both orders, holds for n users of randomized response. For two users, E = e^eps, all integers k >= 3,
    p > 1 and (p + 1)/2 < E < p, let delta' = [(p - E) + max(0, (p + k - 3)(p - E) - (k - 2)(E - 1))]/(p + k - 1)^2.
    - [reduced_pair]: the reduced pair is (E, delta')-indistinguishable in both orders;
    - [real_pair]: (E, delta)-privacy of the shuffled messages of two users needs
      delta >= p (p - E)/(p + k - 1)^2, which is above delta';
    - [variation_ratio_fails]: so (eps, delta')-DP of randomized response fails.

    Idea: both users send the symbol x, where both hold x, or one of them another symbol.

    Source: Wang, Peng, Li, Wen, Li, Yu, Wang, Yang 2024, section 4, as printed in secondary sources; the
    counterexample: this package. *)

From Coq Require Import Reals List Arith Permutation Lra Lia.
From Exactdp Require Import reals sums laws privacy single_message label_reduction.
Import ListNotations.
Open Scope R_scope.

(** One user; the inputs are 0, ..., k-1, and a larger number stands for its remainder. *)
Definition k_ary (k : nat) (p : R) (x : nat) : dist nat :=
  map (fun y => ((if Nat.eqb y (x mod k) then p else 1) / (p + INR k - 1), y)) (seq 0 k).

(** The messages of the three roles of the reduction; None is the blank. *)
Definition reduced (k : nat) (p : R) (r : role) : dist (option bool) :=
  let w := / (p + INR k - 1) in
  match r with
  | differs => [(p * w, Some false); (w, Some true); (1 - p * w - w, None)]
  | neighbour => [(w, Some false); (p * w, Some true); (1 - p * w - w, None)]
  | bystander => [(w, Some false); (w, Some true); (1 - w - w, None)]
  end.

(** The shuffled messages of the reduced pair of n users are (E, delta)-indistinguishable. *)
Definition reduced_dp (n k : nat) (p E delta : R) : Prop :=
  let view r := messages (one_message (reduced k p)) (r :: repeat bystander (n - 1)) in
  forall T, symmetric T ->
  Pr (view differs) T <= E * Pr (view neighbour) T + delta /\
  Pr (view neighbour) T <= E * Pr (view differs) T + delta.

Lemma total_one_special (k x : nat) (u v : R) (T : nat -> bool) :
  (x < k)%nat -> (forall y, T y = Nat.eqb y x) ->
  total (seq 0 k) (fun y => (if Nat.eqb y x then u else v) * indicator T y) = u.
Proof.
  intros H E. rewrite (total_ext _ _ (fun y => if Nat.eq_dec x y then u else 0)).
  - apply total_single; [apply seq_NoDup | apply in_seq; lia].
  - intros y _. unfold indicator. rewrite E. destruct (Nat.eqb_spec y x) as [-> | N].
    + destruct (Nat.eq_dec x x); [ring | congruence].
    + destruct (Nat.eq_dec x y); [congruence | ring].
Qed.

Lemma Pr_k_ary (k : nat) (p : R) (x y : nat) :
  (2 <= k)%nat -> 1 < p -> (x < k)%nat -> (y < k)%nat ->
  Pr (k_ary k p x) (fun m => Nat.eqb m y) = (if Nat.eqb y x then p else 1) / (p + INR k - 1).
Proof.
  intros Hk Hp Hx Hy. unfold Pr, mean, k_ary. rewrite total_map. simpl fst. simpl snd.
  rewrite (Nat.mod_small x k Hx).
  rewrite (total_ext _ _ (fun m => (if Nat.eqb m y then (if Nat.eqb y x then p else 1) / (p + INR k - 1) else 0) *
    indicator (fun m => Nat.eqb m y) m)).
  - apply total_one_special; [exact Hy | reflexivity].
  - intros m _. unfold indicator. destruct (Nat.eqb_spec m y) as [-> |]; [reflexivity | ring].
Qed.

Lemma proper_k_ary (k : nat) (p : R) (x : nat) : (2 <= k)%nat -> 1 < p -> proper (k_ary k p x).
Proof.
  intros Hk Hp. assert (K : 2 <= INR k) by (apply (le_INR 2), Hk). split.
  - intros wa I. apply in_map_iff in I. destruct I as [y [<- _]]. simpl.
    apply Rle_mult_inv_pos; [destruct Nat.eqb; lra | lra].
  - unfold mean, k_ary. rewrite total_map. simpl fst. simpl snd. set (z := (x mod k)%nat).
    assert (Hz : (z < k)%nat) by (apply Nat.mod_upper_bound; lia).
    rewrite (total_ext _ _ (fun y => / (p + INR k - 1) * ((if Nat.eqb y z then p - 1 else 0) *
      indicator (fun m => Nat.eqb m z) y + 1))).
    + rewrite total_scal, total_plus, total_const, seq_length.
      rewrite total_one_special by (exact Hz || reflexivity). field. lra.
    + intros y _. unfold indicator, Rdiv. destruct (Nat.eqb y z); ring.
Qed.

(** Alone it is (ln p)-DP. *)
Lemma k_ary_local (k : nat) (p : R) : (2 <= k)%nat -> 1 < p -> local_dp (one_message (k_ary k p)) (ln p) 0.
Proof.
  intros Hk Hp x y. apply below_dmap. intros T. assert (K : 2 <= INR k) by (apply (le_INR 2), Hk).
  rewrite exp_ln, Rplus_0_r by lra. unfold Pr, mean, k_ary. rewrite !total_map, <- total_scal. cbn [fst snd].
  apply total_le. intros m _. set (w := p + INR k - 1).
  assert (W : 0 < / w) by (apply Rinv_0_lt_compat; unfold w; lra).
  assert (V : 0 < p * / w) by (apply Rmult_lt_0_compat; lra).
  assert (U : p * / w <= p * (p * / w)) by (rewrite <- (Rmult_1_l (p * / w)) at 1; apply Rmult_le_compat_r; lra).
  assert (N : / w <= p * / w) by (rewrite <- (Rmult_1_l (/ w)) at 1; apply Rmult_le_compat_r; lra).
  unfold Rdiv, indicator. destruct (Nat.eqb m (x mod k)), (Nat.eqb m (y mod k)), (T m); lra.
Qed.

Lemma kept_symbols (k : nat) (p E : R) :
  (3 <= k)%nat -> 1 < p -> (p + 1) / 2 < E < p ->
  3 <= INR k /\ 0 < p + INR k - 1 /\
  (p - E) + Rmax 0 ((p + INR k - 3) * (p - E) - (INR k - 2) * (E - 1)) < p * (p - E).
Proof.
  intros Hk Hp HE. assert (K : 3 <= INR k) by (replace 3 with (INR 3) by (simpl; ring); apply le_INR, Hk).
  split; [exact K | split; [lra |]].
  assert (A : 0 < (p - 1) * (p - E)) by (apply Rmult_lt_0_compat; lra).
  assert (B : 0 < (INR k - 2) * (2 * E - p - 1)) by (apply Rmult_lt_0_compat; lra).
  unfold Rmax. destruct (Rle_dec 0 _); lra.
Qed.

Theorem reduced_pair (k : nat) (p E : R) :
  (3 <= k)%nat -> 1 < p -> (p + 1) / 2 < E < p ->
  reduced_dp 2 k p E
    (((p - E) + Rmax 0 ((p + INR k - 3) * (p - E) - (INR k - 2) * (E - 1))) / (p + INR k - 1) ^ 2).
Proof.
  intros Hk Hp HE. destruct (kept_symbols k p E Hk Hp HE) as [K [D _]].
  set (c := INR k) in *. unfold reduced_dp. cbn [Nat.sub repeat]. intros T HT.
  set (w := / (p + c - 1)). assert (Hw : 0 < w) by (apply Rinv_0_lt_compat, D).
  assert (R : 1 - p * w - w = (c - 2) * w /\ 1 - w - w = (p + c - 3) * w) by (unfold w; split; field; lra).
  set (M := Rmax 0 ((p + c - 3) * (p - E) - (c - 2) * (E - 1))).
  assert (M0 : 0 <= M) by apply Rmax_l.
  assert (M1 : (p + c - 3) * (p - E) - (c - 2) * (E - 1) <= M) by apply Rmax_r.
  replace ((p - E + M) / (p + c - 1) ^ 2) with ((p - E + M) * (w * w)) by (unfold w; field; lra).
  set (z := Some false : option bool). set (o := Some true : option bool). set (b := None : option bool).
  assert (S1 : T [o; z] = T [z; o]) by apply HT, perm_swap.
  assert (S2 : T [b; z] = T [z; b]) by apply HT, perm_swap.
  assert (S3 : T [b; o] = T [o; b]) by apply HT, perm_swap.
  assert (W : 0 < w * w) by (apply Rmult_lt_0_compat; assumption).
  (* the excess of each of the six multisets, times (p + k - 1)^2 *)
  assert (X : forall m, m <= 0 -> m * (w * w) <= 0).
  { intros m Hm. assert (m * (w * w) <= 0 * (w * w)) by (apply Rmult_le_compat_r; lra). lra. }
  assert (E1 : 0 < p * (E - 1)) by (apply Rmult_lt_0_compat; lra).
  assert (X1 := X ((p + 1) * (1 - E)) ltac:(lra)).
  assert (X2 := X (1 - E * p) ltac:(lra)).
  assert (F1 : 0 <= (p + c - 3) * (p - 1)) by (apply Rmult_le_pos; lra).
  assert (F2 : 0 <= (p + c - 3) * (p * (E - 1))) by (apply Rmult_le_pos; lra).
  assert (F3 : 0 <= (c - 2) * (E - 1)) by (apply Rmult_le_pos; lra).
  assert (X3 := X ((p + c - 3) + (c - 2) - E * (p * (p + c - 3) + (c - 2))) ltac:(lra)).
  assert (F4 : 0 <= (p + c - 3) * ((c - 2) * (E - 1))) by (apply Rmult_le_pos; lra).
  assert (X4 := X ((c - 2) * (p + c - 3) * (1 - E)) ltac:(lra)).
  assert (X5 : 0 <= (p - E) * (w * w)) by (apply Rmult_le_pos; lra).
  assert (X6 : 0 <= M * (w * w)) by (apply Rmult_le_pos; lra).
  assert (X7 : (p * (p + c - 3) + (c - 2) - E * ((p + c - 3) + (c - 2))) * (w * w) <= M * (w * w))
    by (apply Rmult_le_compat_r; lra).
  destruct R as [R1 R2].
  assert (L : forall r, Pr (messages (one_message (reduced k p)) [r; bystander]) T =
    mean (reduced k p r) (fun m => mean (reduced k p bystander) (fun v => indicator T [m; v]))).
  { intros r. unfold Pr. cbn [messages]. rewrite mean_bind. unfold one_message at 1. rewrite mean_dmap.
    apply mean_ext. intros m. rewrite !mean_bind. unfold one_message. rewrite mean_dmap.
    apply mean_ext. intros v. repeat (rewrite mean_bind || rewrite mean_ret). reflexivity. }
  rewrite !L. unfold mean, reduced. cbv zeta. fold c w. fold z o b. rewrite R1, R2. cbn [total fst snd].
  unfold indicator. rewrite S1, S2, S3.
  assert (At : forall (t : bool) m most, m <= most -> 0 <= most -> (if t then 1 else 0) * m <= most)
    by (intros [|] m most; lra).
  assert (Y1 := fun t => At t _ 0 X1 (Rle_refl 0)). assert (Y2 := fun t => At t _ 0 X2 (Rle_refl 0)).
  assert (Y3 := fun t => At t _ 0 X3 (Rle_refl 0)). assert (Y4 := fun t => At t _ 0 X4 (Rle_refl 0)).
  assert (Y5 := fun t => At t _ _ (Rle_refl _) X5). assert (Y7 := fun t => At t _ _ X7 X6). split.
  - generalize (Y1 (T [z; o])) (Y2 (T [o; o])) (Y3 (T [o; b])) (Y4 (T [b; b])) (Y5 (T [z; z])) (Y7 (T [z; b])).
    clear. intros. lra.
  - generalize (Y1 (T [z; o])) (Y2 (T [z; z])) (Y3 (T [z; b])) (Y4 (T [b; b])) (Y5 (T [o; o])) (Y7 (T [o; b])).
    clear. intros. lra.
Qed.

Theorem real_pair (k : nat) (p E delta : R) :
  (3 <= k)%nat -> 1 < p -> 0 < E -> shuffle_dp 2 (one_message (k_ary k p)) (ln E) delta ->
  p * (p - E) / (p + INR k - 1) ^ 2 <= delta.
Proof.
  intros Hk Hp HE H. assert (K : 2 <= INR k) by (apply (le_INR 2); lia).
  specialize (H [0; 0]%nat [1; 0]%nat (replace_one [] 0%nat 1%nat [0%nat]) eq_refl).
  specialize (H (forallb (fun m => Nat.eqb m 0)) (forallb_symmetric _)). rewrite exp_ln in H by exact HE.
  rewrite !all_messages_in in H. cbn [fold_right] in H. rewrite !Pr_k_ary in H by (lia || lra). cbn [Nat.eqb] in H.
  replace (p * (p - E) / (p + INR k - 1) ^ 2) with
    (p / (p + INR k - 1) * (p / (p + INR k - 1) * 1) - E * (1 / (p + INR k - 1) * (p / (p + INR k - 1) * 1)))
    by (field; lra). lra.
Qed.

Theorem variation_ratio_fails (k : nat) (p E : R) :
  (3 <= k)%nat -> 1 < p -> (p + 1) / 2 < E < p ->
  ~ shuffle_dp 2 (one_message (k_ary k p)) (ln E)
      (((p - E) + Rmax 0 ((p + INR k - 3) * (p - E) - (INR k - 2) * (E - 1))) / (p + INR k - 1) ^ 2).
Proof.
  intros Hk Hp HE H. destruct (kept_symbols k p E Hk Hp HE) as [K [D L]].
  apply (real_pair k p E _ Hk Hp ltac:(lra)) in H. apply Rle_not_lt in H. apply H.
  unfold Rdiv. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat, pow_lt, D | exact L].
Qed.
