(** Group privacy: what a mechanism that is private for one record guarantees for k of them.

    A mechanism on n records that is (eps, delta)-DP under replacement is, for two data sets of n records that
    differ in at most k of them, (k eps, delta (e^(k eps) - 1) / (e^eps - 1))-private, and (0, k delta)-private if
    eps = 0 ([group_privacy]); so (k eps, 0)-private if delta = 0. The same for mechanisms with infinitely many
    outcomes ([group_privacy_masses]) and for the shuffle model ([shuffle_group_privacy]). Every n and k, all real
    eps and delta. Not k delta for eps > 0: the number of ones among two bits plus Bin(2, 1/2) is (ln 2, 1/4)-DP, and
    for both bits no delta below 3/4 = (1 + 2)/4 will do at 2 ln 2 ([group_privacy_attained]).

    Idea: change the records one by one. One step more multiplies by e^eps, what was lost before included, and
    loses delta: delta_(k+1) = delta + e^eps delta_k.

    Source: Vadhan2017, Lemma 2.2, there with the larger k e^(k eps) delta; DworkRoth2014, Theorem 2.2 for delta = 0. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy masses shuffler adding_a_user binomial.
Import ListNotations.
Open Scope R_scope.

(** Lists of the same length of which k places may hold different records, and all others hold equal ones. *)
Inductive changed {X} : nat -> list X -> list X -> Prop :=
  | changed_none : changed 0 [] []
  | changed_keep : forall k x xs ys, changed k xs ys -> changed k (x :: xs) (x :: ys)
  | changed_one : forall k x y xs ys, changed k xs ys -> changed (S k) (x :: xs) (y :: ys).

Lemma changed_0 {X} (xs ys : list X) : changed 0 xs ys -> xs = ys.
Proof.
  intros H. remember 0%nat as k eqn:K. induction H as [| k x xs ys _ IH |]; [reflexivity | | discriminate].
  f_equal. apply IH, K.
Qed.

Lemma neighbors_cons {X} (z : X) xs ys : neighbors xs ys -> neighbors (z :: xs) (z :: ys).
Proof. intros [before x y after]. apply (replace_one (z :: before)). Qed.

Lemma changed_first {X} k (xs ys : list X) :
  changed (S k) xs ys -> exists zs, neighbors xs zs /\ changed k zs ys.
Proof.
  intros H. remember (S k) as j eqn:J. induction H as [| j x xs ys _ IH | j x y xs ys H _]; [discriminate | |].
  - destruct (IH J) as [zs [N C]]. exists (x :: zs). split; [apply neighbors_cons, N | apply changed_keep, C].
  - injection J as ->. exists (y :: xs). split; [apply (replace_one [] x y xs) | apply changed_keep, H].
Qed.

(** What k records lose. *)
Definition group_delta (E delta : R) (k : nat) : R := delta * total (seq 0 k) (fun i => E ^ i).

Lemma group_delta_next E delta k : group_delta E delta (S k) = delta + E * group_delta E delta k.
Proof.
  unfold group_delta. rewrite total_seq_shift, pow_O, Rmult_plus_distr_l, Rmult_1_r. f_equal.
  transitivity (delta * (E * total (seq 0 k) (fun i => E ^ i))); [| ring].
  f_equal. apply (total_scal (seq 0 k) E (fun i => E ^ i)).
Qed.

Lemma group_delta_closed E delta k : E <> 1 -> group_delta E delta k = delta * ((E ^ k - 1) / (E - 1)).
Proof.
  intros H. unfold group_delta. f_equal. assert (E - 1 <> 0) by lra.
  induction k as [| k IH]; [simpl; field; assumption |]. rewrite total_seq_S, IH. simpl. field. assumption.
Qed.

(** One record after the other, for any comparison of two data sets that is transitive in this sense. *)
Lemma one_by_one {X} (B : list X -> list X -> R -> R -> Prop) E delta n :
  (forall xs, B xs xs 1 0) ->
  (forall xs ys zs E1 d1 E2 d2, 0 <= E1 -> B xs ys E1 d1 -> B ys zs E2 d2 -> B xs zs (E1 * E2) (d1 + E1 * d2)) ->
  0 <= E -> (forall xs ys, neighbors xs ys -> length xs = n -> B xs ys E delta) ->
  forall k xs ys, changed k xs ys -> length xs = n -> B xs ys (E ^ k) (group_delta E delta k).
Proof.
  intros Same Chain HE H. induction k as [| k IH]; intros xs ys C L.
  - rewrite (changed_0 xs ys C). unfold group_delta. simpl. rewrite Rmult_0_r. apply Same.
  - destruct (changed_first k xs ys C) as [zs [N C']]. rewrite group_delta_next.
    apply (Chain xs zs ys); [exact HE | apply H; assumption |].
    apply IH; [exact C' | rewrite <- (neighbors_length xs zs N); exact L].
Qed.

(** The losses at e^eps, in closed form. *)
Definition group_loss (eps delta : R) (k : nat) : R :=
  if Req_EM_T eps 0 then INR k * delta else delta * ((exp (INR k * eps) - 1) / (exp eps - 1)).

Lemma group_loss_sum eps delta k :
  exp (INR k * eps) = exp eps ^ k /\ group_loss eps delta k = group_delta (exp eps) delta k.
Proof.
  assert (P : exp (INR k * eps) = exp eps ^ k) by (rewrite exp_power; f_equal; ring).
  split; [exact P |]. unfold group_loss. destruct (Req_EM_T eps 0) as [-> | N].
  - unfold group_delta. rewrite exp_0, (total_ext (seq 0 k) _ (fun _ => 1)) by (intros; apply pow1).
    rewrite total_const, seq_length. ring.
  - rewrite group_delta_closed, P; [reflexivity |]. intros H. apply N. rewrite <- exp_0 in H. apply exp_inv, H.
Qed.

Theorem group_privacy {X A} n k (M : list X -> dist A) eps delta xs ys :
  dp n M eps delta -> changed k xs ys -> length xs = n ->
  below (M xs) (M ys) (exp (INR k * eps)) (group_loss eps delta k).
Proof.
  intros H C L. destruct (group_loss_sum eps delta k) as [-> ->].
  apply (one_by_one (fun us vs => below (M us) (M vs)) (exp eps) delta n); try assumption.
  - intros us T. lra.
  - intros us vs ws E1 d1 E2 d2 HE H1 H2 T. specialize (H1 T). specialize (H2 T).
    apply (Rmult_le_compat_l E1) in H2; lra.
  - left. apply exp_pos.
Qed.

(** Without delta. *)
Lemma group_loss_pure eps k : group_loss eps 0 k = 0.
Proof. unfold group_loss. destruct (Req_EM_T eps 0); ring. Qed.

Theorem group_privacy_masses {X A} n k (M : list X -> A -> R) eps delta xs ys :
  (forall us vs, neighbors us vs -> length us = n -> mass_below (M us) (M vs) (exp eps) delta) ->
  changed k xs ys -> length xs = n ->
  mass_below (M xs) (M ys) (exp (INR k * eps)) (group_loss eps delta k).
Proof.
  intros H C L. destruct (group_loss_sum eps delta k) as [-> ->].
  apply (one_by_one (fun us vs => mass_below (M us) (M vs)) (exp eps) delta n); try assumption.
  - intros us l _. lra.
  - intros us vs ws E1 d1 E2 d2 HE H1 H2 l N. specialize (H1 l N). specialize (H2 l N).
    apply (Rmult_le_compat_l E1) in H2; lra.
  - left. apply exp_pos.
Qed.

Theorem shuffle_group_privacy {X M} n k (R : X -> dist (list M)) eps delta xs ys :
  shuffle_dp n R eps delta -> changed k xs ys -> length xs = n ->
  shuffle_below R xs ys (exp (INR k * eps)) (group_loss eps delta k).
Proof.
  intros H C L. apply shuffle_dp_iff_shuffled in H.
  exact (proj1 (ordered_output _ _ _ _) (group_privacy n k _ eps delta xs ys H C L)).
Qed.

(** ** It is attained *)

(** The number of ones among bits, plus two fair coins. *)
Definition noisy_ones (xs : list bool) : dist nat :=
  dmap (Nat.add (length (filter (fun x : bool => x) xs))) (flips 2 (1 / 2)).

Lemma proper_noisy_ones xs : proper (noisy_ones xs).
Proof. apply proper_dmap, proper_flips. lra. Qed.

Lemma noisy_ones_event xs T : let c := length (filter (fun x : bool => x) xs) in
  Pr (noisy_ones xs) T = / 4 * indicator T c + / 2 * indicator T (S c) + / 4 * indicator T (S (S c)).
Proof.
  unfold noisy_ones. rewrite Pr_dmap. unfold Pr. rewrite !mean_flips_S, !mean_flips_0. unfold indicator.
  rewrite Nat.add_0_r, !Nat.add_succ_r, Nat.add_0_r. field.
Qed.

Theorem group_privacy_attained :
  dp 2 noisy_ones (ln 2) (1 / 4) /\ group_loss (ln 2) (1 / 4) 2 = 3 / 4 /\
  forall delta, below (noisy_ones [false; false]) (noisy_ones [true; true]) (exp (INR 2 * ln 2)) delta ->
  3 / 4 <= delta.
Proof.
  assert (E2 : exp (ln 2) = 2) by (apply exp_ln; lra).
  assert (E4 : exp (INR 2 * ln 2) = 4).
  { simpl. replace ((1 + 1) * ln 2) with (ln 2 + ln 2) by ring. rewrite exp_plus, E2. ring. }
  split; [| split].
  - intros xs ys N L T. rewrite E2, !noisy_ones_event. cbv zeta.
    assert (B : forall c, 0 <= indicator T c <= 1) by (intros c; unfold indicator; destruct (T c); lra).
    destruct N as [before x y after]. rewrite !filter_app, !app_length. simpl filter.
    set (c := (length (filter (fun x : bool => x) before) + length (filter (fun x : bool => x) after))%nat).
    assert (B0 := B c). assert (B1 := B (S c)). assert (B2 := B (S (S c))). assert (B3 := B (S (S (S c)))).
    destruct x, y; simpl length; rewrite ?Nat.add_succ_r; fold c; lra.
  - rewrite (proj2 (group_loss_sum _ _ _)), E2. unfold group_delta. simpl. field.
  - intros delta H. specialize (H (fun c => Nat.leb c 1)). rewrite E4, !noisy_ones_event in H.
    unfold indicator in H. simpl in H. lra.
Qed.
