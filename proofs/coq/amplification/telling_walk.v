(** The mean excess of a law with two equally likely values, by a fair walk.

    Let a user send one of two telling messages with probability r each, of the values v1 > v2, and else one that tells
    little. Given how many of n users tell, the two values are a fair walk: with [walk_excess] t x = E[max(0, W_t - x)]
    of t steps of +1 or -1, and T of the law Bin(n, 2 r), proved for every n, 0 < r < 1/2 and real values:
    - [excess_of_walk]: if all others have one value v, n times the mean excess is (v1 - v2)/2 times the mean of
      [walk_excess] T x_T, exactly, where x_T is linear in T ([barrier]);
    - [excess_of_walk_at_least]: if the others have two values, whose mean is v, it is at least the same with the mean
      of walk_excess (x_T - d) and walk_excess (x_T + d) for the T <= n - m, and 0 for others, where d (v1 - v2)/4 is at
      least 0, and at most E[V; B] and -E[V; B'] of the sum V of m of the others' values less v, and two events of them
      with chances of at most 1/2.

    [walk_excess_at] sums a walk's excess, and [beyond_more] and [at_more] lead from t steps to t + 1: so all are sums
    of products of few numbers.

    Idea: the telling values are drawn after the others ([copies_of_two_groups]); by Jensen's inequality further values
    of mean 0 do not lower E[max(0, y + V)], which is at least max(0, y), and at least E[y + V; B] and y - E[y + V; B'].
    Source: this package. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums laws independence binomial mean_excess atom_counts label_reduction.
Import ListNotations.
Open Scope R_scope.

(** ** Two groups of values *)

Lemma sum_of_draws_first a l : sum_of_draws (a :: l) = a + sum_of_draws l.
Proof. reflexivity. Qed.

Lemma mean_total {A B} (d : dist A) (l : list B) f : mean d (fun a => total l (f a)) = total l (fun b => mean d (fun
  a => f a b)).
Proof.
  unfold mean. rewrite (total_ext d _ (fun wa => total l (fun b => fst wa * f (snd wa) b)))
    by (intros wa _; symmetry; apply total_scal). apply total_swap.
Qed.

(** What n users draw from the one group, and then from the other. *)
Theorem copies_of_two_groups (D D' : dist R) n f :
  mean (copies (D ++ D') n) (fun l => f (sum_of_draws l)) =
  total (seq 0 (S n)) (fun t => C n t * mean (copies D t) (fun u => mean (copies D' (n - t)) (fun l =>
    f (sum_of_draws u + sum_of_draws l)))).
Proof.
  revert f. induction n as [| n IH]; intros f.
  - simpl seq. cbn [total]. rewrite choose_0, !mean_copies_none. unfold sum_of_draws.
    simpl total. rewrite !Rplus_0_r. ring.
  - set (spread := fun g => total (seq 0 (S n)) (fun t => C n t * mean (copies D t) (fun u => mean (copies D' (n -
    t)) (fun l =>
      g (sum_of_draws u + sum_of_draws l))))) in IH.
    rewrite (pascal_sum n (fun t => mean (copies D t) (fun u => mean (copies D' (S n - t)) (fun l =>
      f (sum_of_draws u + sum_of_draws l))))), mean_copies_first, mean_app. f_equal.
    + rewrite (mean_ext D _ (fun a => spread (fun s => f (a + s)))) by (intros a; exact (IH (fun s => f (a + s)))).
      unfold spread. rewrite mean_total. apply total_ext. intros t _.
      rewrite mean_scal, mean_copies_first. f_equal. apply mean_ext. intros a. apply mean_ext. intros u. apply
        mean_ext.
      intros l. rewrite sum_of_draws_first. f_equal. ring.
    + rewrite (mean_ext D' _ (fun a => spread (fun s => f (a + s)))) by (intros a; exact (IH (fun s => f (a + s)))).
      unfold spread. rewrite mean_total. apply total_ext. intros t I.
      apply in_seq in I. rewrite mean_scal. f_equal. rewrite mean_swap. apply mean_ext. intros u.
      replace (S n - t)%nat with (S (n - t)) by lia. rewrite mean_copies_first. apply mean_ext. intros a. apply
        mean_ext.
      intros l. rewrite sum_of_draws_first. f_equal. ring.
Qed.

(** All weights times s, all values moved by v. *)
Definition scaled_group (s v : R) (K : dist R) : dist R := map (fun wa => (s * fst wa, v + snd wa)) K.

Lemma copies_scaled s v K m f :
  mean (copies (scaled_group s v K) m) (fun l => f (sum_of_draws l)) =
  s ^ m * mean (copies K m) (fun l => f (INR m * v + sum_of_draws l)).
Proof.
  assert (First : forall g, mean (scaled_group s v K) g = s * mean K (fun a => g (v + a))).
  { intros g. unfold mean, scaled_group. rewrite total_map, <- total_scal. apply total_ext. intros wa _. simpl. ring.
    }
  revert f. induction m as [| m IH]; intros f.
  - rewrite !mean_copies_none. simpl INR. rewrite Rmult_0_l, Rplus_0_l. simpl. ring.
  - rewrite mean_copies_first, First, mean_copies_first. simpl pow. rewrite Rmult_assoc, <- (mean_scal K (s ^ m)).
    f_equal.
    apply mean_ext. intros a.
    rewrite (mean_ext _ _ (fun l => f (v + a + sum_of_draws l))) by reflexivity.
    rewrite (IH (fun t => f (v + a + t))). f_equal. apply mean_ext. intros l. rewrite sum_of_draws_first, S_INR.
      f_equal.
    ring.
Qed.

(** Two values. *)
Lemma copies_of_two q v1 v2 t f :
  mean (copies [(q, v1); (1 - q, v2)] t) (fun l => f (sum_of_draws l)) =
  mean (flips t q) (fun a => f (INR a * v1 + (INR t - INR a) * v2)).
Proof.
  rewrite copies_atom, mean_flips. apply total_ext. intros a I. apply in_seq in I.
  rewrite (copies_last_atom (1 - q) v2 _ (fun s => f (INR a * v1 + s))), binom_inside, minus_INR by lia. ring.
Qed.

(** ** A fair walk *)

Definition walk_excess (t : nat) (x : R) : R := mean (flips t (/ 2)) (fun a => Rmax 0 (2 * INR a - INR t - x)).

Lemma proper_fair t : proper (flips t (/ 2)).
Proof. apply proper_flips. lra. Qed.

Lemma walk_excess_nonneg t x : 0 <= walk_excess t x.
Proof. apply mean_nonneg; [apply proper_fair |]. intros a. apply Rmax_l. Qed.

Lemma walk_excess_at_most t x : 0 <= x -> walk_excess t x <= INR t.
Proof.
  intros X. unfold walk_excess. rewrite mean_flips.
  apply Rle_trans with (INR t * total (seq 0 (S t)) (binom t (/ 2))); [| right; rewrite binom_total; ring].
  rewrite <- total_scal. apply total_le. intros a I. apply in_seq in I. rewrite (Rmult_comm (INR t)).
  apply Rmult_le_compat_l; [apply binom_nonneg; lra |].
  assert (A : INR a <= INR t) by (apply le_INR; lia). assert (T := pos_INR t). apply Rmax_lub; lra.
Qed.

Lemma walk_excess_none t x : INR t <= x -> walk_excess t x = 0.
Proof.
  intros X. unfold walk_excess. rewrite mean_flips, (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros a I.
  apply in_seq in I. assert (A : INR a <= INR t) by (apply le_INR; lia). rewrite Rmax_left by lra. ring.
Qed.

Lemma walk_excess_falls t x y : x <= y -> walk_excess t y <= walk_excess t x.
Proof.
  intros X. apply mean_le; [apply proper_fair |]. intros a. apply Rle_max_compat_l. lra.
Qed.

(** The chance of j successes among t, and of j or more. *)
Definition at_place (t j : nat) : R := binom t (/ 2) j.
Definition beyond_place (t j : nat) : R := mean (flips t (/ 2)) (fun a => if Nat.leb j a then 1 else 0).

Lemma at_nonneg t j : 0 <= at_place t j.
Proof. apply binom_nonneg. lra. Qed.

Lemma beyond_nonneg t j : 0 <= beyond_place t j.
Proof. apply mean_nonneg; [apply proper_fair |]. intros a. destruct (Nat.leb j a); lra. Qed.

(** Terms of a sum over the places from j on. *)
Lemma from_place t j (f : nat -> R) :
  mean (flips t (/ 2)) (fun a => if Nat.leb j a then f a else 0) =
  mean (flips t (/ 2)) (fun a => if Nat.leb (S j) a then f a else 0) + at_place t j * f j.
Proof.
  rewrite !mean_flips. destruct (Nat.le_gt_cases j t) as [L | G].
  - rewrite <- (total_single Nat.eq_dec (seq 0 (S t)) j (at_place t j * f j)) by (apply seq_NoDup || (apply in_seq;
    lia)).
    rewrite <- total_plus. apply total_ext. intros a _. destruct (Nat.eq_dec j a) as [<- | N].
    + rewrite Nat.leb_refl, (proj2 (Nat.leb_gt (S j) j)) by lia. unfold at_place. ring.
    + destruct (Nat.leb_spec j a), (Nat.leb_spec (S j) a); lia || ring.
  - unfold at_place. rewrite binom_outside by lia. rewrite Rmult_0_l, Rplus_0_r. apply total_ext. intros a I.
    apply in_seq in I. destruct (Nat.leb_spec j a), (Nat.leb_spec (S j) a); lia || reflexivity.
Qed.

Lemma beyond_next t j : beyond_place t (S j) = beyond_place t j - at_place t j.
Proof. unfold beyond_place at 2. rewrite (from_place t j (fun _ => 1)). unfold beyond_place. ring. Qed.

Lemma at_next t j : at_place t (S j) * (INR j + 1) = at_place t j * (INR t - INR j).
Proof. assert (H := binom_ratio t (/ 2) j). fold (at_place t (S j)) (at_place t j) in H. rewrite S_INR in H. lra. Qed.

(** From t steps to t + 1: [q] is half the chance of j, over t + 1 - j. *)
Lemma at_more t j q : (j <= t)%nat -> at_place t j = q * (2 * (INR t + 1 - INR j)) -> at_place (S t) j = q * (INR t +
  1).
Proof.
  intros L Q. unfold at_place in *. rewrite binom_inside in * by lia. replace (S t - j)%nat with (S (t - j)) by lia.
  simpl pow. assert (D : INR t + 1 - INR j <> 0) by (assert (X := le_INR _ _ L); lra).
  assert (R : C (S t) j * (INR t + 1 - INR j) = C t j * (INR t + 1)).
  { destruct j as [| j]; [rewrite !choose_0; simpl INR; ring |].
    assert (A := pascal_step2 t (S j) ltac:(lia)). rewrite A. rewrite !S_INR, (minus_INR (S t) (S j)), !S_INR by lia.
    rewrite S_INR in D. field. lra. }
  apply Rmult_eq_reg_r with (INR t + 1 - INR j); [| exact D].
  replace (C (S t) j * (/ 2) ^ j * ((1 - / 2) * (1 - / 2) ^ (t - j)) * (INR t + 1 - INR j)) with
    (C (S t) j * (INR t + 1 - INR j) * (/ 2) ^ j * (1 - / 2) ^ (t - j) * / 2) by field. rewrite R.
  replace (C t j * (INR t + 1) * (/ 2) ^ j * (1 - / 2) ^ (t - j) * / 2) with
    (C t j * (/ 2) ^ j * (1 - / 2) ^ (t - j) * ((INR t + 1) / 2)) by field. rewrite Q. field.
Qed.

Lemma beyond_more t j q :
  (1 <= j <= t)%nat -> at_place t j = q * (2 * (INR t + 1 - INR j)) -> beyond_place (S t) j = beyond_place t j + q *
    INR j.
Proof.
  intros L Q. destruct j as [| j]; [lia |]. unfold beyond_place. rewrite mean_flips_S.
  rewrite (mean_ext (flips t (/ 2)) (fun c => if Nat.leb (S j) (S c) then 1 else 0) (fun c => if Nat.leb j c then 1
    else 0))
    by reflexivity.
  rewrite (from_place t j (fun _ => 1)). assert (N := at_next t j). rewrite Q in N. rewrite S_INR in *.
  assert (D : 0 < INR t - INR j) by (assert (X := le_INR (S j) t ltac:(lia)); rewrite S_INR in X; lra).
  assert (A : at_place t j = 2 * (q * (INR j + 1))).
  { apply Rmult_eq_reg_r with (INR t - INR j); [| lra]. rewrite <- N. ring. }
  rewrite A. field.
Qed.

(** The sum from j on; that is all where the barrier lies between j - 1 and j successes, and never more. *)
Definition walk_sum (t j : nat) (x : R) : R := INR j * at_place t j - x * beyond_place t j.

Lemma walk_sum_from t j x : mean (flips t (/ 2)) (fun a => if Nat.leb j a then 2 * INR a - INR t - x else 0) =
  walk_sum t j x.
Proof.
  enough (X : forall k, (S t - j = k)%nat ->
    mean (flips t (/ 2)) (fun a => if Nat.leb j a then 2 * INR a - INR t - x else 0) = walk_sum t j x) by (apply (X _
      eq_refl)).
  intros k. revert j. induction k as [| k IH]; intros j K.
  - assert (Z : forall f, mean (flips t (/ 2)) (fun a => if Nat.leb j a then f a else 0) = 0).
    { intros f. rewrite mean_flips, (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros a I. apply in_seq in I.
      rewrite (proj2 (Nat.leb_gt j a)) by lia. ring. }
    unfold walk_sum, beyond_place, at_place. rewrite !Z, binom_outside by lia. ring.
  - rewrite from_place, IH by lia. unfold walk_sum. rewrite beyond_next.
    assert (N := at_next t j). rewrite S_INR. lra.
Qed.

Lemma walk_excess_at_least t j x : walk_sum t j x <= walk_excess t x.
Proof.
  rewrite <- walk_sum_from. apply mean_le; [apply proper_fair |]. intros a. destruct (Nat.leb j a); [apply Rmax_r |
    apply Rmax_l].
Qed.

Theorem walk_excess_at t j x :
  2 * INR j - 2 - INR t <= x <= 2 * INR j - INR t -> walk_excess t x = walk_sum t j x.
Proof.
  intros X. rewrite <- walk_sum_from. apply mean_ext. intros a. destruct (Nat.leb_spec j a) as [L | G].
  - apply le_INR in L. apply Rmax_right. lra.
  - apply (le_INR (S a) j) in G. rewrite S_INR in G. apply Rmax_left. lra.
Qed.

(** ** The mean excess *)

Section Copies.

Context (K : dist R).
Hypothesis proper_K : proper K.
Hypothesis mean_K : mean K (fun a => a) = 0.

Lemma mean_of_sum m y : mean (copies K m) (fun l => y + sum_of_draws l) = y.
Proof.
  revert y. induction m as [| m IH]; intros y; [rewrite mean_copies_none; unfold sum_of_draws; simpl; ring |].
  rewrite mean_copies_first, (mean_ext K _ (fun a => y + a)).
  - rewrite mean_plus, mean_const, mean_K by exact proper_K. ring.
  - intros a. rewrite <- (IH (y + a)). apply mean_ext. intros l. rewrite sum_of_draws_first. ring.
Qed.

Lemma excess_at_least_none m y : Rmax 0 y <= mean (copies K m) (fun l => Rmax 0 (y + sum_of_draws l)).
Proof.
  assert (P := proper_copies K m proper_K). apply Rmax_lub.
  - apply mean_nonneg; [exact P |]. intros. apply Rmax_l.
  - rewrite <- (mean_of_sum m y) at 1. apply mean_le; [exact P |]. intros. apply Rmax_r.
Qed.

Lemma excess_of_more m j y :
  mean (copies K m) (fun l => Rmax 0 (y + sum_of_draws l)) <= mean (copies K (j + m)) (fun l => Rmax 0 (y +
    sum_of_draws l)).
Proof.
  induction j as [| j IH]; [apply Rle_refl |]. eapply Rle_trans; [exact IH |]. cbn [Nat.add].
  rewrite mean_copies_first, mean_swap. apply mean_le; [apply proper_copies, proper_K |]. intros l.
  apply Rmax_lub; [apply mean_nonneg; [exact proper_K | intros; apply Rmax_l] |].
  apply Rle_trans with (mean K (fun a => y + sum_of_draws l + a)).
  - rewrite mean_plus, mean_const, mean_K by exact proper_K. lra.
  - apply mean_le; [exact proper_K |]. intros a. rewrite sum_of_draws_first.
    replace (y + (a + sum_of_draws l)) with (y + sum_of_draws l + a) by ring. apply Rmax_r.
Qed.

End Copies.

(** Two events of a value V of mean 0, as functions from 0 to 1: E[max(0, y + V)] is at least the mean of
    max(0, y + 2 mu) and max(0, y - 2 mu). *)
Lemma excess_by_events {A} (D : dist A) (V : A -> R) (B B' : A -> bool) mu y :
  proper D -> mean D V = 0 -> mean D (indicator B) <= / 2 -> mean D (indicator B') <= / 2 ->
  0 <= mu -> mu <= mean D (fun a => V a * indicator B a) -> mu <= - mean D (fun a => V a * indicator B' a) ->
  (Rmax 0 (y + 2 * mu) + Rmax 0 (y - 2 * mu)) / 2 <= mean D (fun a => Rmax 0 (y + V a)).
Proof.
  intros P M PB PB' Mu0 Mu Mu'.
  assert (Zero : 0 <= mean D (fun a => Rmax 0 (y + V a))) by (apply mean_nonneg; [exact P |]; intros; apply Rmax_l).
  assert (All : y <= mean D (fun a => Rmax 0 (y + V a))).
  { apply Rle_trans with (mean D (fun a => y + V a)); [rewrite mean_plus, mean_const, M by exact P; lra |].
    apply mean_le; [exact P |]. intros. apply Rmax_r. }
  assert (On : y * mean D (indicator B) + mean D (fun a => V a * indicator B a) <= mean D (fun a => Rmax 0 (y + V
    a))).
  { rewrite <- mean_scal, <- mean_plus. apply mean_le; [exact P |]. intros a. unfold indicator.
    destruct (B a); [eapply Rle_trans; [| apply Rmax_r]; lra | eapply Rle_trans; [| apply Rmax_l]; lra]. }
  assert (Off : y - (y * mean D (indicator B') + mean D (fun a => V a * indicator B' a)) <= mean D (fun a => Rmax 0
    (y + V a))).
  { apply Rle_trans with (mean D (fun a => (y + V a) - (y * indicator B' a + V a * indicator B' a))).
    - rewrite mean_minus, !mean_plus, mean_scal, mean_const, M by exact P. lra.
    - apply mean_le; [exact P |]. intros a. unfold indicator.
      destruct (B' a); [eapply Rle_trans; [| apply Rmax_l]; lra | eapply Rle_trans; [| apply Rmax_r]; lra]. }
  set (e := mean D (fun a => Rmax 0 (y + V a))) in *. set (b := mean D (indicator B)) in *.
  set (b' := mean D (indicator B')) in *.
  assert (Half : y / 2 + mu <= e).
  { destruct (Rle_dec 0 y) as [Y | Y].
    - assert (y * b' <= y * / 2) by (apply Rmult_le_compat_l; assumption). lra.
    - assert (y * / 2 <= y * b) by (apply Rmult_le_compat_neg_l; lra). lra. }
  unfold Rmax. destruct (Rle_dec 0 (y + 2 * mu)), (Rle_dec 0 (y - 2 * mu)); lra.
Qed.

Section Walk.

Context (n : nat) (r v1 v2 v : R).
Hypothesis some : (1 <= n)%nat.
Hypothesis r_inside : 0 < r < / 2.
Hypothesis apart : v2 < v1.

Let alpha : R := v1 - v2.

(** What a walk of t steps has to exceed. *)
Definition barrier (t : nat) : R := (INR t * (2 * v - alpha - 2 * v2) - 2 * INR n * v) / alpha.

Lemma alpha_positive : 0 < alpha.
Proof. unfold alpha. lra. Qed.

Lemma value_of_walk t a :
  INR a * v1 + (INR t - INR a) * v2 + (INR n - INR t) * v = alpha / 2 * (2 * INR a - INR t - barrier t).
Proof. assert (A := alpha_positive). unfold barrier, alpha in *. field. lra. Qed.

Lemma scaled_excess t x : alpha / 2 * walk_excess t x = mean (flips t (/ 2)) (fun a => Rmax 0 (alpha / 2 * (2 * INR a
  - INR t - x))).
Proof.
  unfold walk_excess. rewrite <- mean_scal. apply mean_ext. intros a. rewrite <- RmaxRmult by (unfold alpha; lra).
    f_equal. ring.
Qed.

(** The others' values are v and what K adds. *)
Lemma excess_by_telling K :
  INR n * mean_excess n ([(r, v1); (r, v2)] ++ scaled_group (1 - 2 * r) v K) =
  mean (flips n (2 * r)) (fun t => mean (flips t (/ 2)) (fun a => mean (copies K (n - t)) (fun l =>
    Rmax 0 (alpha / 2 * (2 * INR a - INR t - barrier t) + sum_of_draws l)))).
Proof.
  unfold mean_excess. change (fun values : list R => Rmax 0 (total values (fun v => v))) with (fun l => Rmax 0
    (sum_of_draws l)).
  rewrite copies_of_two_groups, mean_flips. unfold Rdiv at 1.
  rewrite Rmult_comm, Rmult_assoc, Rinv_l, Rmult_1_r by (apply not_0_INR; lia). apply total_ext. intros t I.
  apply in_seq in I. rewrite binom_inside by lia.
  replace [(r, v1); (r, v2)] with (scaled_group (2 * r) 0 [(/ 2, v1); (1 - / 2, v2)]).
  2: { unfold scaled_group. simpl. do 2 f_equal; f_equal; try f_equal; field. }
  rewrite (copies_scaled (2 * r) 0 _ t (fun s => mean (copies (scaled_group (1 - 2 * r) v K) (n - t)) (fun l =>
    Rmax 0 (s + sum_of_draws l)))).
  rewrite (mean_ext _ _ (fun u => (1 - 2 * r) ^ (n - t) * mean (copies K (n - t)) (fun l =>
    Rmax 0 (sum_of_draws u + (INR (n - t) * v + sum_of_draws l))))).
  - rewrite mean_scal, (copies_of_two (/ 2) v1 v2 t (fun s => mean (copies K (n - t)) (fun l =>
      Rmax 0 (s + (INR (n - t) * v + sum_of_draws l))))).
    rewrite <- !Rmult_assoc. f_equal. apply mean_ext. intros a. apply mean_ext. intros l.
    rewrite <- value_of_walk, minus_INR by lia. f_equal. ring.
  - intros u. rewrite (copies_scaled (1 - 2 * r) v K (n - t) (fun s => Rmax 0 (INR t * 0 + sum_of_draws u + s))).
    f_equal. apply mean_ext. intros l. f_equal. ring.
Qed.

Theorem excess_of_walk :
  INR n * mean_excess n [(r, v1); (r, v2); (1 - 2 * r, v)] =
  alpha / 2 * mean (flips n (2 * r)) (fun t => walk_excess t (barrier t)).
Proof.
  replace [(r, v1); (r, v2); (1 - 2 * r, v)] with ([(r, v1); (r, v2)] ++ scaled_group (1 - 2 * r) v [(1, 0)]).
  2: { unfold scaled_group. simpl. rewrite Rmult_1_r, Rplus_0_r. reflexivity. }
  rewrite excess_by_telling, <- mean_scal. apply mean_ext. intros t. rewrite scaled_excess. apply mean_ext. intros a.
  set (y := alpha / 2 * (2 * INR a - INR t - barrier t)).
  rewrite (copies_last_atom 1 0 (n - t) (fun s => Rmax 0 (y + s))), pow1. rewrite Rmult_0_r, Rplus_0_r. ring.
Qed.

Theorem excess_of_walk_at_least (h u d : R) (m : nat) (B B' : nat -> bool) :
  0 <= h <= 1 -> 0 <= d -> (m <= n)%nat ->
  mean (flips m h) (indicator B) <= / 2 -> mean (flips m h) (indicator B') <= / 2 ->
  alpha / 4 * d <= u * mean (flips m h) (fun c => (INR c - INR m * h) * indicator B c) ->
  alpha / 4 * d <= - (u * mean (flips m h) (fun c => (INR c - INR m * h) * indicator B' c)) ->
  alpha / 2 * mean (flips n (2 * r)) (fun t => if Nat.leb t (n - m)
    then (walk_excess t (barrier t - d) + walk_excess t (barrier t + d)) / 2 else 0) <=
  INR n * mean_excess n [(r, v1); (r, v2); ((1 - 2 * r) * h, v + u * (1 - h)); ((1 - 2 * r) * (1 - h), v + - (u *
    h))].
Proof.
  intros H D M PB PB' Mu Mu'. set (K := [(h, u * (1 - h)); (1 - h, - (u * h))]).
  assert (PK : proper K).
  { split; [intros wa [<- | [<- | []]]; simpl; lra | unfold mean, K; simpl; ring]. }
  assert (MK : mean K (fun a => a) = 0) by (unfold mean, K; simpl; ring).
  change [(r, v1); (r, v2); ((1 - 2 * r) * h, v + u * (1 - h)); ((1 - 2 * r) * (1 - h), v + - (u * h))] with
    ([(r, v1); (r, v2)] ++ scaled_group (1 - 2 * r) v K).
  rewrite excess_by_telling, <- mean_scal. assert (A := alpha_positive).
  apply mean_le; [apply proper_flips; lra |]. intros t. destruct (Nat.leb_spec t (n - m)) as [L | G].
  - replace (alpha / 2 * ((walk_excess t (barrier t - d) + walk_excess t (barrier t + d)) / 2)) with
      ((alpha / 2 * walk_excess t (barrier t - d) + alpha / 2 * walk_excess t (barrier t + d)) * / 2) by field.
    rewrite !scaled_excess, <- mean_plus, <- mean_scal_r. apply mean_le; [apply proper_fair |]. intros a.
    set (y := alpha / 2 * (2 * INR a - INR t - barrier t)).
    assert (E := excess_of_more K PK MK m (n - t - m) y). replace (n - t - m + m)%nat with (n - t)%nat in E by lia.
    eapply Rle_trans; [| exact E]. unfold K at 1. rewrite (copies_of_two h _ _ m (fun s => Rmax 0 (y + s))).
    set (V := fun c => u * (INR c - INR m * h)).
    rewrite (mean_ext (flips m h) _ (fun c => Rmax 0 (y + V c))) by (intros c; unfold V; f_equal; ring).
    assert (X : forall T, mean (flips m h) (fun c => V c * indicator T c) =
      u * mean (flips m h) (fun c => (INR c - INR m * h) * indicator T c)).
    { intros T. rewrite <- mean_scal. apply mean_ext. intros c. unfold V. ring. }
    replace (alpha / 2 * (2 * INR a - INR t - (barrier t - d))) with (y + 2 * (alpha / 4 * d)) by (unfold y; field).
    replace (alpha / 2 * (2 * INR a - INR t - (barrier t + d))) with (y - 2 * (alpha / 4 * d)) by (unfold y; field).
    apply (excess_by_events (flips m h) V B B' (alpha / 4 * d) y); try assumption.
    + apply proper_flips, H.
    + unfold V. rewrite mean_scal, mean_minus, flips_mean, mean_const by (apply proper_flips, H). ring.
    + apply Rmult_le_pos; lra.
    + rewrite X. exact Mu.
    + rewrite X. exact Mu'.
  - rewrite Rmult_0_r. apply mean_nonneg; [apply proper_fair |]. intros a.
    apply mean_nonneg; [apply proper_copies, PK |]. intros. apply Rmax_l.
Qed.

End Walk.
