(** How far the view of split and mix is from one that is made of the sum alone, for all parameters.

    Each of n users splits a number into m shares modulo q, and all nm shares are shuffled; n, m, q >= 1. The simulator
    knows the sum s of the numbers, modulo q, and splits it into nm shares, as one user would.

    - [simulator_bound]: for every input of the sum s and every event that ignores the order, the probabilities under
      the view and under the simulator differ by at most sqrt(excess of q)/2, the excess of components.v.

    Idea: as in components.v, with the constant density of the simulator among the words of the sum in place of that of
    another input. It is the mean of the view's density, so that the distance is a variance, and needs only the upper
    bound of the second moment.
    Source: BalleBellGasconNissim2020 for the protocol; the bound is this package's, docs/soundness.md. *)

From Coq Require Import Reals List Lra Lia ZArith Permutation.
From Exactdp Require Import sums laws privacy shuffler local_histogram adding_a_user words split_and_mix random_graph.
From Exactdp Require Import components.
Import ListNotations.
Open Scope R_scope.

Lemma split_proper q m x : (1 <= q)%nat -> proper (split q m x).
Proof.
  intros Q. apply proper_bind; [| intros; apply proper_ret]. apply proper_uniform. intros E.
  assert (I : In (repeat O (m - 1)) (words q (m - 1))).
  { apply in_words. split; [apply repeat_length |]. intros a I. apply repeat_spec in I. lia. }
  rewrite E in I. destruct I.
Qed.

Section Simulator.

Context (m n q : nat).
Hypothesis m_some : (1 <= m)%nat.
Hypothesis n_some : (1 <= n)%nat.
Hypothesis q_some : (1 <= q)%nat.

Context (xs : list nat) (s : nat).
Hypothesis xs_length : length xs = n.
Hypothesis has_sum : is_multiple q (sum_of xs - Z.of_nat s) = true.

Let proper_sum (u : list nat) : R := one_if (is_multiple q (sum_of u - Z.of_nat s)).
Let others (u : list nat) : R := spread m n q xs u - orders m n * INR q * proper_sum u.

Let q_positive : 0 < INR q.
Proof. apply lt_0_INR. lia. Qed.

Let size_positive : 0 < INR q ^ (n * m).
Proof. apply pow_lt, q_positive. Qed.

Lemma simulated_mean F : INR q ^ (n * m) * mean (messages (split q (n * m)) [s]) F =
  INR q * total (words q (n * m)) (fun u => proper_sum u * F u).
Proof.
  rewrite mean_messages_first, (mean_ext _ _ F); [apply mean_split; [exact q_some | nia] |].
  intros u. cbn [messages]. rewrite mean_ret, app_nil_r. reflexivity.
Qed.

(** The event that always happens, less 1/2: the words of the sum. *)
Lemma proper_sums u : halved q (Z.of_nat s) (fun _ => true) u = proper_sum u / 2.
Proof. unfold halved, proper_sum, indicator. field. Qed.

Lemma proper_sums_count : INR q * total (words q (n * m)) proper_sum = INR q ^ (n * m).
Proof.
  assert (H := halved_square m n m_some n_some q q_some (Z.of_nat s) (fun _ => true)).
  rewrite (total_ext _ _ (fun u => 1 / 4 * proper_sum u)) in H.
  - rewrite total_scal in H. lra.
  - intros u _. rewrite proper_sums. unfold proper_sum, one_if. destruct (is_multiple q (sum_of u - _)); field.
Qed.

Lemma proper_sums_spread : total (words q (n * m)) (fun u => proper_sum u * spread m n q xs u) =
  orders m n * INR q ^ (n * m).
Proof.
  rewrite spread_mean by (assumption ||
    (intros u u' P; unfold proper_sum, sum_of; rewrite (list_sum_permutation u u' P); reflexivity)).
  rewrite <- messages_mean by assumption. f_equal.
  assert (H := halved_mean m n m_some n_some q q_some xs (Z.of_nat s) (fun _ => true) xs_length has_sum).
  rewrite Pr_all, (mean_ext _ _ (fun u => 1 / 2 * proper_sum u)), mean_scal in H.
  - rewrite <- (Rmult_1_r (INR q ^ (n * m))) at 2. f_equal. lra.
  - intros u. rewrite proper_sums. field.
  - apply proper_messages. intros x. apply split_proper; assumption.
Qed.

Lemma spread_square : total (words q (n * m)) (fun u => spread m n q xs u * spread m n q xs u) <=
  orders m n * INR q ^ (n * m) * (orders m n * mean_colourings m n q).
Proof.
  assert (O := orders_positive m n m_some n_some).
  rewrite spread_mean by (assumption || intros u u' P; apply spread_ext, P). rewrite Rmult_assoc.
  apply Rmult_le_compat_l; [lra |].
  rewrite (total_ext _ _ (fun u => total (words n (n * m)) (fun rho =>
    weight m n rho * (shown n q rho xs u * shown n q (owners m n) xs u)))).
  2: { intros u I. unfold spread. rewrite (proj1 (proj1 (in_words _ _ _) I)), <- total_scal_r. apply total_ext.
    intros rho _. ring. }
  rewrite total_swap, <- all_colourings, <- total_scal by assumption. apply total_le. intros rho I. apply in_words in I.
  rewrite total_scal, product_of_two by (assumption || exact (proj1 I) || exact (proj2 I)).
  rewrite <- (Rmult_assoc (INR q ^ _)), (Rmult_comm (INR q ^ _) (weight m n rho)), (Rmult_assoc (weight m n rho)).
  apply Rmult_le_compat_l; [apply one_if_bounds |]. apply Rmult_le_compat_l; [lra | apply overlap_le].
Qed.

Lemma others_square : total (words q (n * m)) (fun u => 1 * others u ^ 2) <=
  orders m n ^ 2 * INR q ^ (n * m) * (INR q * excess m n q).
Proof.
  rewrite (total_ext _ _ (fun u => spread m n q xs u * spread m n q xs u -
    2 * (orders m n * INR q) * (proper_sum u * spread m n q xs u) + (orders m n * INR q) ^ 2 * proper_sum u)).
  2: { intros u _. assert (E : proper_sum u * proper_sum u = proper_sum u)
      by (unfold proper_sum, one_if; destruct (is_multiple q (sum_of u - _)); ring).
    rewrite <- E at 2. unfold others. ring. }
  rewrite total_plus, total_minus, !total_scal, proper_sums_spread.
  assert (C := proper_sums_count). assert (S := spread_square). unfold excess.
  set (t := total _ proper_sum) in *. set (v := total _ _) in *. set (o := orders m n) in *.
  replace ((o * INR q) ^ 2 * t) with (o ^ 2 * INR q * (INR q * t)) by ring. rewrite C.
  eapply Rle_trans; [apply Rplus_le_compat_r, Rplus_le_compat_r, S |]. right. field. lra.
Qed.

Theorem simulator_bound T : symmetric T ->
  Rabs (Pr (messages (split q m) xs) T - Pr (messages (split q (n * m)) [s]) T) <= sqrt (excess m n q) / 2.
Proof.
  intros S. assert (O := orders_positive m n m_some n_some).
  set (D := Pr (messages (split q m) xs) T - Pr (messages (split q (n * m)) [s]) T).
  set (h := halved q (Z.of_nat s) T).
  assert (E : orders m n * INR q ^ (n * m) * D = total (words q (n * m)) (fun u => 1 * (others u * h u))).
  { unfold D. rewrite (halved_mean m n m_some n_some q q_some xs (Z.of_nat s) T xs_length has_sum).
    rewrite (halved_mean (n * m) 1 ltac:(nia) ltac:(lia) q q_some [s] (Z.of_nat s) T eq_refl)
      by (unfold sum_of; simpl; rewrite Nat.add_0_r, Z.sub_diag; apply Z.eqb_eq, Z.mod_0_l; lia). fold h.
    transitivity (orders m n * (INR q ^ (n * m) * mean (messages (split q m) xs) h) -
      orders m n * (INR q ^ (n * m) * mean (messages (split q (n * m)) [s]) h)); [ring |].
    rewrite messages_mean, <- spread_mean, simulated_mean, <- !total_scal, <- total_minus
      by (assumption || apply halved_ext, S).
    apply total_ext. intros u _. unfold others. ring. }
  assert (C := cauchy_schwarz (words q (n * m)) (fun _ => 1) others h (fun _ _ => Rle_0_1)).
  cbv beta in C. rewrite <- E in C. assert (H := halved_square m n m_some n_some q q_some (Z.of_nat s) T). fold h in H.
  assert (G := others_square). set (V := total _ (fun u => 1 * others u ^ 2)) in *.
  set (W := total _ (fun u => 1 * h u ^ 2)) in *. set (o := orders m n) in *. set (c := excess m n q) in *.
  assert (HW : W = INR q ^ (n * m) / 4 / INR q) by (apply Rmult_eq_reg_l with (INR q); [rewrite H; field |]; lra).
  assert (W0 : 0 <= W) by (rewrite HW; apply Rlt_le, Rdiv_lt_0_compat; [apply Rdiv_lt_0_compat |]; lra).
  assert (K : (o * INR q ^ (n * m) * D) ^ 2 <= o ^ 2 * INR q ^ (n * m) * (INR q * c) * W)
    by (eapply Rle_trans; [exact C | apply Rmult_le_compat_r; assumption]).
  assert (B : (2 * D) ^ 2 <= c).
  { rewrite HW in K. apply Rmult_le_reg_l with ((o * INR q ^ (n * m)) ^ 2); [apply pow_lt, Rmult_lt_0_compat; lra |].
    replace ((o * INR q ^ (n * m)) ^ 2 * (2 * D) ^ 2) with (4 * (o * INR q ^ (n * m) * D) ^ 2) by ring.
    eapply Rle_trans; [apply Rmult_le_compat_l; [lra | exact K] |]. right. field. lra. }
  apply Rmult_le_reg_l with 2; [lra |]. replace (2 * (sqrt c / 2)) with (sqrt c) by field.
  rewrite <- (Rabs_right 2), <- Rabs_mult by lra. rewrite <- sqrt_Rsqr_abs. apply sqrt_le_1_alt. unfold Rsqr. lra.
Qed.

End Simulator.
