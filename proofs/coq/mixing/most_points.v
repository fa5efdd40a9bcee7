(** Most points fall into one component: bounds of the mean number of colourings from finitely many coefficients.

    Let m >= 3, s_k = (mk)!/(k!)^2 and C_q(n) the coefficient of z^n in the q-th power of the sum of s_k z^k, so that
    h_q(n) = C_q(n)/s_n is the mean number of colourings with q colours; g_q(n) = h_q(n)/q, and
    split_l(r) = s_r s_(l-r)/s_l. Proved:

    - [power_recursion]: n C_q(n) = the sum over 1 <= k <= n of (k (q+1) - n) s_k C_q(n-k), any s with s_0 = 1;
    - [one_large_colour]: g_(p+1)(n) = the sum over r < n of (1 - r/n) split_n(r) h_p(r), n >= 1;
    - [long_excess]: for n >= 2 L + 2, L >= 2 M + 1, the excess of p + 1 colours is at most
      near + p (far (A' + (p-1) G W') + n R G), where near, far and R bound the first terms of that sum and what the
      last ones and those between are weighed with, and G bounds g_p(l) for all l > M by the recursion.
    The argument is that of docs/soundness.md, *most points fall into one component*. The class Components of
    exactdp/checker/mixing.py rests on it. Source: this package. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums words components.
Import ListNotations.
Open Scope R_scope.

(** ** Powers of a series *)

Definition times (a b : nat -> R) (n : nat) : R := total (seq 0 (S n)) (fun j => a j * b (n - j)%nat).

Lemma times_ext a b a' b' n :
  (forall j, (j <= n)%nat -> a j = a' j) -> (forall j, (j <= n)%nat -> b j = b' j) -> times a b n = times a' b' n.
Proof. intros A B. apply total_ext. intros j I. apply in_seq in I. rewrite A, B by lia. reflexivity. Qed.

Lemma times_swap a b c n : times a (times b c) n = times b (times a c) n.
Proof.
  assert (E : forall x y, times x (times y c) n = total (seq 0 (S n)) (fun i => total (seq 0 (S n)) (fun j =>
    if Nat.leb (i + j) n then x i * (y j * c (n - i - j)%nat) else 0))).
  { intros x y. apply total_ext. intros i I. apply in_seq in I. unfold times. rewrite <- total_scal.
    replace (S n) with (S (n - i) + i)%nat by lia. rewrite seq_app, total_app.
    rewrite (total_ext (seq (0 + S (n - i)) i) _ (fun _ => 0)), total_zero, Rplus_0_r.
    - apply total_ext. intros j J. apply in_seq in J. destruct (Nat.leb_spec (i + j) n); [reflexivity | lia].
    - intros j J. apply in_seq in J. destruct (Nat.leb_spec (i + j) n); [lia | reflexivity]. }
  rewrite !E, total_swap. apply total_ext. intros j _. apply total_ext. intros i _. rewrite Nat.add_comm.
  destruct (Nat.leb (j + i) n); [| reflexivity]. replace (n - i - j)%nat with (n - j - i)%nat by lia. ring.
Qed.

Definition slope (a : nat -> R) (n : nat) : R := INR n * a n.

Lemma slope_times a b n : slope (times a b) n = times (slope a) b n + times a (slope b) n.
Proof.
  unfold slope, times. rewrite <- total_scal, <- total_plus. apply total_ext. intros j I. apply in_seq in I.
  rewrite minus_INR by lia. ring.
Qed.

Section Powers.

Context (s : nat -> R).
Hypothesis s_0 : s O = 1.

Definition power (q : nat) : nat -> R := convolved q (fun _ => s).

Lemma power_S q n : power (S q) n = times s (power q) n.
Proof. reflexivity. Qed.

Lemma slope_power q n : slope (power (S q)) n = INR (S q) * times (slope s) (power q) n.
Proof.
  revert n. induction q as [| q IH]; intros n.
  - transitivity (slope (times s (power 0)) n); [reflexivity |]. rewrite slope_times.
    replace (times s (slope (power 0)) n) with 0; [simpl; ring |]. unfold times. symmetry.
    rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros j _. unfold slope, power. simpl.
    destruct (Nat.eqb_spec (n - j) 0) as [-> |]; simpl; ring.
  - transitivity (slope (times s (power (S q))) n); [reflexivity |]. rewrite slope_times.
    rewrite (times_ext s (slope (power (S q))) s (fun k => INR (S q) * times (slope s) (power q) k)) by auto.
    replace (times s (fun k => INR (S q) * times (slope s) (power q) k) n) with
      (INR (S q) * times s (times (slope s) (power q)) n).
    + rewrite times_swap. change (times s (power q)) with (power (S q)).
      rewrite (S_INR (S q)). ring.
    + unfold times. rewrite <- total_scal. apply total_ext. intros j _. ring.
Qed.

Theorem power_recursion q n :
  INR n * power q n = total (seq 1 n) (fun k => (INR k * (INR q + 1) - INR n) * (s k * power q (n - k))).
Proof.
  assert (E : times s (slope (power q)) n = INR q * times (slope s) (power q) n).
  { destruct q as [| q].
    - change (INR 0) with 0. rewrite Rmult_0_l. unfold times.
      rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |].
      intros j _. unfold slope, power. simpl. destruct (Nat.eqb_spec (n - j) 0) as [-> |]; simpl; ring.
    - rewrite (times_ext s (slope (power (S q))) s (fun k => INR (S q) * times (slope s) (power q) k))
        by (auto using slope_power).
      transitivity (INR (S q) * times s (times (slope s) (power q)) n).
      + unfold times. rewrite <- total_scal. apply total_ext. intros j _. ring.
      + rewrite times_swap. reflexivity. }
  unfold times in E. change (seq 0 (S n)) with (O :: seq 1 n) in E. cbn [total] in E. rewrite s_0, Nat.sub_0_r in E.
  unfold slope at 1 3 in E. change (INR 0) with 0 in E.
  transitivity (INR q * total (seq 1 n) (fun k => slope s k * power q (n - k)) -
    total (seq 1 n) (fun k => s k * slope (power q) (n - k))); [lra |].
  rewrite <- total_scal, <- total_minus. apply total_ext. intros k I. apply in_seq in I. unfold slope.
  rewrite minus_INR by lia. ring.
Qed.

Hypothesis s_nonneg : forall k, 0 <= s k.

Lemma power_nonneg q n : 0 <= power q n.
Proof.
  revert n. induction q as [| q IH]; intros n; [unfold power; simpl; destruct (Nat.eqb n 0); lra |].
  rewrite power_S. apply total_nonneg. intros j _. apply Rmult_le_pos; auto.
Qed.

Lemma power_rises q n : power q n <= power (S q) n.
Proof.
  rewrite power_S. unfold times. change (seq 0 (S n)) with (O :: seq 1 n). cbn [total].
    rewrite s_0, Nat.sub_0_r, Rmult_1_l.
  assert (0 <= total (seq 1 n) (fun j => s j * power q (n - j))); [| lra].
  apply total_nonneg. intros j _. apply Rmult_le_pos; [apply s_nonneg | apply power_nonneg].
Qed.

Lemma power_at_0 q : power q 0 = 1.
Proof. induction q as [| q IH]; [reflexivity |]. rewrite power_S. unfold times. simpl. rewrite s_0, IH. ring. Qed.

End Powers.

(** ** The weights *)

Section Stubs.

Context (m : nat).
Hypothesis m_three : (3 <= m)%nat.

Notation s := (stub_weight m).

Lemma s_positive k : 0 < s k.
Proof. unfold stub_weight. apply Rdiv_lt_0_compat; [| apply pow_lt]; apply lt_0_INR, lt_O_fact. Qed.

Lemma s_0 : s 0 = 1.
Proof. unfold stub_weight. rewrite Nat.mul_0_r. simpl. field. Qed.

(** (x + 1) ... (x + k) *)
Fixpoint rising (x : R) (k : nat) : R :=
  match k with
  | O => 1
  | S j => rising x j * (x + INR k)
  end.

Lemma rising_positive x k : 0 <= x -> 0 < rising x k.
Proof.
  intros H. induction k as [| k IH]; [simpl; lra |]. cbn [rising]. assert (0 < INR (S k)) by (apply lt_0_INR; lia).
  apply Rmult_lt_0_compat; lra.
Qed.

Lemma rising_le x y k : 0 <= x <= y -> rising x k <= rising y k.
Proof.
  intros H. induction k as [| k IH]; [simpl; lra |]. cbn [rising]. assert (0 < INR (S k)) by (apply lt_0_INR; lia).
  apply Rmult_le_compat; [apply Rlt_le, rising_positive | | exact IH |]; lra.
Qed.

Lemma fact_rising a k : INR (fact (a + k)) = INR (fact a) * rising (INR a) k.
Proof.
  induction k as [| k IH]; [rewrite Nat.add_0_r; simpl; ring |]. rewrite Nat.add_succ_r.
  change (fact (S (a + k))) with (S (a + k) * fact (a + k))%nat. rewrite mult_INR, IH. cbn [rising].
  rewrite <- plus_INR. rewrite Nat.add_succ_r. ring.
Qed.

(** s_(k+1) / s_k *)
Definition step (k : nat) : R := INR m * rising (INR (m * k)) (m - 1) / INR (S k).

Lemma s_step k : s (S k) = s k * step k.
Proof.
  unfold stub_weight, step. replace (m * S k)%nat with (m * k + (m - 1 + 1))%nat by lia.
  rewrite fact_rising, Nat.add_1_r. cbn [rising]. rewrite <- plus_INR.
  replace (m * k + S (m - 1))%nat with (m * S k)%nat by lia.
  change (fact (S k)) with (S k * fact k)%nat. rewrite !mult_INR.
  assert (0 < INR (fact k)) by (apply lt_0_INR, lt_O_fact). assert (0 < INR (S k)) by (apply lt_0_INR; lia).
  field. lra.
Qed.

Lemma rising_split x k : rising x (S (S k)) = (x + 1) * (x + 2) * rising (x + 2) k.
Proof.
  induction k as [| k IH]; [simpl; ring |].
  transitivity (rising x (S (S k)) * (x + INR (S (S (S k))))); [reflexivity |]. rewrite IH. cbn [rising].
  rewrite !S_INR. ring.
Qed.

Lemma step_form k : step k =
  INR m * ((INR m * INR k + 1) / INR (S k)) * (INR m * INR k + 2) * rising (INR m * INR k + 2) (m - 3).
Proof.
  unfold step. replace (m - 1)%nat with (S (S (m - 3))) by lia. rewrite rising_split, mult_INR. field.
  apply not_0_INR. lia.
Qed.

Lemma step_positive k : 0 < step k.
Proof.
  unfold step. apply Rdiv_lt_0_compat; [| apply lt_0_INR; lia].
  apply Rmult_lt_0_compat; [apply lt_0_INR; lia | apply rising_positive, pos_INR].
Qed.

(** The factor m k + 2 falls by more than the others. *)
Lemma step_ratio k l : (k <= l)%nat -> step k * (INR m * INR l + 2) <= step l * (INR m * INR k + 2).
Proof.
  intros H. apply le_INR in H. assert (K := pos_INR k).
    assert (Hm : 3 <= INR m) by (apply (le_INR 3) in m_three; simpl in m_three; lra).
  rewrite !step_form. set (x := INR m * INR k). set (y := INR m * INR l).
  assert (X : 0 <= x <= y) by (unfold x, y; split; [apply Rmult_le_pos | apply Rmult_le_compat_l]; lra).
  assert (Q : (x + 1) / INR (S k) <= (y + 1) / INR (S l)).
  { rewrite !S_INR. apply Rmult_le_reg_r with ((INR k + 1) * (INR l + 1)); [apply Rmult_lt_0_compat; lra |].
    replace ((x + 1) / (INR k + 1) * ((INR k + 1) * (INR l + 1))) with ((x + 1) * (INR l + 1)) by (field; lra).
    replace ((y + 1) / (INR l + 1) * ((INR k + 1) * (INR l + 1))) with ((y + 1) * (INR k + 1)) by (field; lra).
    unfold x, y. nra. }
  assert (R := rising_le (x + 2) (y + 2) (m - 3) ltac:(lra)). assert (R0 := rising_positive (x + 2) (m - 3) ltac:(lra)).
  assert (Q0 : 0 < (x + 1) / INR (S k)) by (apply Rdiv_lt_0_compat; [lra | apply lt_0_INR; lia]).
  replace (INR m * ((x + 1) / INR (S k)) * (x + 2) * rising (x + 2) (m - 3) * (y + 2)) with
    (INR m * (x + 2) * (y + 2) * ((x + 1) / INR (S k) * rising (x + 2) (m - 3))) by ring.
  replace (INR m * ((y + 1) / INR (S l)) * (y + 2) * rising (y + 2) (m - 3) * (x + 2)) with
    (INR m * (x + 2) * (y + 2) * ((y + 1) / INR (S l) * rising (y + 2) (m - 3))) by ring.
  apply Rmult_le_compat_l; [repeat apply Rmult_le_pos; lra | apply Rmult_le_compat; lra].
Qed.

Lemma step_rises k l : (k <= l)%nat -> step k <= step l.
Proof.
  intros H. assert (A := step_ratio k l H). apply le_INR in H. assert (K := pos_INR k).
  assert (Hm := pos_INR m). assert (P := step_positive l).
  assert (X : INR m * INR k <= INR m * INR l) by (apply Rmult_le_compat_l; lra).
  assert (0 <= INR m * INR k) by (apply Rmult_le_pos; lra).
  apply Rmult_le_reg_r with (INR m * INR l + 2); [lra |]. eapply Rle_trans; [exact A |].
  apply Rmult_le_compat_l; lra.
Qed.

Lemma step_gap l r : (1 <= r <= l)%nat -> INR (S l) * step (l - r) <= INR l * step l.
Proof.
  intros H. assert (A := step_ratio (l - r) l ltac:(lia)). rewrite minus_INR in A by lia.
  assert (Hm : 3 <= INR m) by (apply (le_INR 3) in m_three; simpl in m_three; lra).
  assert (R1 : 1 <= INR r) by (apply (le_INR 1); lia). assert (RL : INR r <= INR l) by (apply le_INR; lia).
  assert (P := step_positive l). rewrite S_INR.
  assert (X : 0 <= INR m * INR l) by (apply Rmult_le_pos; lra).
  apply Rmult_le_reg_r with (INR m * INR l + 2); [lra |].
  apply Rle_trans with ((INR l + 1) * (step l * (INR m * (INR l - INR r) + 2))).
  - rewrite Rmult_assoc. apply Rmult_le_compat_l; lra.
  - replace (INR l * step l * (INR m * INR l + 2)) with (step l * (INR l * (INR m * INR l + 2))) by ring.
    replace ((INR l + 1) * (step l * (INR m * (INR l - INR r) + 2))) with
      (step l * ((INR l + 1) * (INR m * (INR l - INR r) + 2))) by ring.
    apply Rmult_le_compat_l; [lra |]. nra.
Qed.

(** ** Splitting l points *)

Definition split (l r : nat) : R := s r * s (l - r) / s l.

Lemma split_positive l r : 0 < split l r.
Proof. unfold split. assert (A := s_positive r). assert (B := s_positive (l - r)). assert (C := s_positive l).
  apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat |]; assumption. Qed.

Lemma split_0 l : split l 0 = 1.
Proof. unfold split. rewrite s_0, Nat.sub_0_r. field. assert (C := s_positive l). lra. Qed.

Lemma split_symmetric l r : (r <= l)%nat -> split l (l - r) = split l r.
Proof. intros H. unfold split. replace (l - (l - r))%nat with r by lia. f_equal. ring. Qed.

Lemma split_next_points l r : (r <= l)%nat -> split (S l) r * step l = split l r * step (l - r).
Proof.
  intros H. unfold split. replace (S l - r)%nat with (S (l - r)) by lia. rewrite !s_step.
  assert (C := s_positive l). assert (D := step_positive l). field. lra.
Qed.

Lemma split_falls l r : (r <= l)%nat -> split (S l) r <= split l r.
Proof.
  intros H. assert (E := split_next_points l r H). assert (P := step_positive l).
  assert (Q := step_rises (l - r) l ltac:(lia)). assert (R := split_positive l r).
  apply Rmult_le_reg_r with (step l); [exact P |]. rewrite E. apply Rmult_le_compat_l; lra.
Qed.

Lemma split_falls_to l k r : (r <= l)%nat -> (l <= k)%nat -> split k r <= split l r.
Proof. intros H K. induction K as [| k K IH]; [lra | apply Rle_trans with (split k r); [apply split_falls;
  lia | exact IH]]. Qed.

Lemma times_split_falls l k r : (1 <= r <= l)%nat -> (l <= k)%nat -> INR k * split k r <= INR l * split l r.
Proof.
  intros H K. induction K as [| k K IH]; [lra | apply Rle_trans with (INR k * split k r); [| exact IH]].
  assert (E := split_next_points k r ltac:(lia)). assert (P := step_positive k). assert (R := split_positive k r).
  assert (G := step_gap k r ltac:(lia)). apply Rmult_le_reg_r with (step k); [exact P |].
  rewrite Rmult_assoc, E. replace (INR (S k) * (split k r * step (k - r))) with
    (split k r * (INR (S k) * step (k - r))) by ring.
  replace (INR k * split k r * step k) with (split k r * (INR k * step k)) by ring. apply Rmult_le_compat_l; lra.
Qed.

(** In r it falls to the middle. *)
Lemma split_next l r : (2 * r < l)%nat -> split l (S r) <= split l r.
Proof.
  intros H. unfold split. replace (s (l - r)) with (s (l - S r) * step (l - S r))
    by (rewrite <- s_step; f_equal; lia). rewrite s_step.
  assert (C := s_positive l). assert (A := s_positive r). assert (B := s_positive (l - S r)).
  assert (Q := step_rises r (l - S r) ltac:(lia)).
  unfold Rdiv. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, C |].
  replace (s r * step r * s (l - S r)) with (s r * s (l - S r) * step r) by ring.
  replace (s r * (s (l - S r) * step (l - S r))) with (s r * s (l - S r) * step (l - S r)) by ring.
  apply Rmult_le_compat_l; [apply Rmult_le_pos |]; lra.
Qed.

Lemma split_between l b r : (b <= r)%nat -> (r + b <= l)%nat -> split l r <= split l b.
Proof.
  intros H K. assert (A : forall r, (b <= r)%nat -> (2 * r <= l)%nat -> split l r <= split l b).
  { clear H K r. intros r H. induction H as [| r H IH]; intros K; [lra |].
    apply Rle_trans with (split l r); [apply split_next; lia | apply IH; lia]. }
  destruct (Nat.le_gt_cases (2 * r) l) as [L | L]; [apply A; assumption |].
  rewrite <- split_symmetric by lia. apply A; lia.
Qed.

(** ** Colourings *)

(** The mean number of colourings with q colours. *)
Notation h q n := (mean_colourings m n q).

Lemma h_nonneg q n : 0 <= h q n.
Proof.
  unfold mean_colourings. assert (S := s_positive n). apply Rmult_le_pos; [| apply Rlt_le, Rinv_0_lt_compat, S].
  apply (power_nonneg (stub_weight m)). intros k. apply Rlt_le, s_positive.
Qed.

Lemma h_at_0 q : h q 0%nat = 1.
Proof. unfold mean_colourings. change (power s q 0 / s 0 = 1). rewrite (power_at_0 s s_0 q), s_0. field. Qed.

Lemma no_colour n : (1 <= n)%nat -> h 0%nat n = 0.
Proof. intros H. unfold mean_colourings. simpl. destruct (Nat.eqb_spec n 0); [lia |]. unfold Rdiv. ring. Qed.

Lemma h_rises q n : h q n <= h (S q) n.
Proof.
  unfold mean_colourings. assert (S := s_positive n). apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, S |].
  apply (power_rises (stub_weight m) s_0). intros k. apply Rlt_le, s_positive.
Qed.

Theorem one_large_colour p n : (1 <= n)%nat ->
  h (S p) n / INR (S p) = total (seq 0 n) (fun r => INR (n - r) / INR n * (split n r * h p r)).
Proof.
  intros H. assert (E := slope_power s p n). unfold slope at 1 in E. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (P : 0 < INR (S p)) by (apply lt_0_INR; lia). assert (Sn := s_positive n).
  transitivity (times (slope s) (power s p) n / INR n / s n).
  - unfold mean_colourings. fold (power s (S p)). apply Rmult_eq_reg_l with (INR n * INR (S p) * s n).
    + replace (INR n * INR (S p) * s n * (power s (S p) n / s n / INR (S p))) with
        (INR n * power s (S p) n) by (field; lra).
      rewrite E. field. lra.
    + apply Rgt_not_eq, Rmult_lt_0_compat; [apply Rmult_lt_0_compat |]; assumption.
  - unfold times. rewrite <- (total_permutation (map (fun r => n - r)%nat (seq 0 (S n)))).
    + rewrite total_map, total_seq_S, Nat.sub_diag. unfold slope at 2. change (INR 0) with 0.
      rewrite !Rmult_0_l, Rplus_0_r. unfold Rdiv. rewrite <- !total_scal_r. apply total_ext. intros r I.
      apply in_seq in I. unfold slope, split, mean_colourings, power.
      replace (n - (n - r))%nat with r by lia. assert (A := s_positive r). field. lra.
    + apply Permutation.NoDup_Permutation.
      * assert (X : forall k, (k <= n)%nat -> NoDup (map (fun r => n - r)%nat (seq 0 (S k)))).
        { induction k as [| k IH]; intros K; [repeat constructor; intros [] |].
          rewrite seq_S, map_app. apply Permutation.Permutation_NoDup with
            (l := ((n - (0 + S k)) :: map (fun r => n - r) (seq 0 (S k)))%nat).
          - apply Permutation.Permutation_cons_append.
          - constructor; [| apply IH; lia]. intros I. apply in_map_iff in I. destruct I as [r [Er I]].
            apply in_seq in I. lia. }
        apply X. lia.
      * apply seq_NoDup.
      * intros x. rewrite in_map_iff. split.
        -- intros [r [<- I]]. apply in_seq in I. apply in_seq. lia.
        -- intros I. apply in_seq in I. exists (n - x)%nat. split; [lia | apply in_seq; lia].
Qed.

Lemma fraction_bounds r n : (r < n)%nat -> 0 <= INR (n - r) / INR n <= 1.
Proof.
  intros H. assert (0 < INR n) by (apply lt_0_INR; lia). assert (A := pos_INR (n - r)).
  assert (B : INR (n - r) <= INR n) by (apply le_INR; lia). split.
  - apply Rmult_le_pos; [exact A | apply Rlt_le, Rinv_0_lt_compat; assumption].
  - apply Rmult_le_reg_r with (INR n); [assumption |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** q^(C-1) rises in q. *)
Lemma fewer_colours p r : (1 <= r)%nat -> h p r <= INR p * (h (S p) r / INR (S p)).
Proof.
  intros H. destruct p as [| p]; [rewrite no_colour by exact H; simpl; lra |].
  assert (P : 0 < INR (S p)) by (apply lt_0_INR; lia).
  replace (h (S p) r) with (INR (S p) * (h (S p) r / INR (S p))) by (field; lra).
  apply Rmult_le_compat_l; [lra |]. rewrite !one_large_colour by exact H. apply total_le. intros k I. apply in_seq in I.
  apply Rmult_le_compat_l; [apply fraction_bounds; lia |].
  apply Rmult_le_compat_l; [apply Rlt_le, split_positive | apply h_rises].
Qed.

(** What the colourings of few points give, and what the others are weighed with. *)
Definition few (M p l : nat) : R := total (seq 0 (S M)) (fun r => split l r * h p r).

Definition weighed (M l : nat) : R := total (seq 1 M) (fun i => INR i / INR l * split l i) + INR l * split l (S M).

Lemma few_falls M p l k : (M <= l)%nat -> (l <= k)%nat -> few M p k <= few M p l.
Proof.
  intros H K. apply total_le. intros r I. apply in_seq in I. apply Rmult_le_compat_r; [apply h_nonneg |].
  apply split_falls_to; lia.
Qed.

Lemma weighed_falls M l k : (S M <= l)%nat -> (l <= k)%nat -> weighed M k <= weighed M l.
Proof.
  intros H K. apply Rplus_le_compat; [| apply times_split_falls; lia]. apply total_le. intros i I. apply in_seq in I.
  assert (L : 0 < INR l) by (apply lt_0_INR; lia). assert (L' : INR l <= INR k) by (apply le_INR, K).
  apply Rmult_le_compat; [| apply Rlt_le, split_positive | | apply split_falls_to; lia].
  - apply Rmult_le_pos; [apply pos_INR | apply Rlt_le, Rinv_0_lt_compat; lra].
  - apply Rmult_le_compat_l; [apply pos_INR | apply Rinv_le_contravar; lra].
Qed.

Lemma few_nonneg M p l : 0 <= few M p l.
Proof. apply total_nonneg. intros r _. apply Rmult_le_pos; [apply Rlt_le, split_positive | apply h_nonneg]. Qed.

Lemma weighed_nonneg M l : 0 <= weighed M l.
Proof.
  apply Rplus_le_le_0_compat; [apply total_nonneg; intros i _ |]; apply Rmult_le_pos; try apply pos_INR;
    try (apply Rlt_le, split_positive).
  destruct l as [| l]; [unfold Rdiv; simpl; rewrite Rinv_0; lra |].
  apply Rmult_le_pos; [apply pos_INR | apply Rlt_le, Rinv_0_lt_compat, lt_0_INR; lia].
Qed.

(** The terms beyond the first ones: those near the other end, and those between. *)
Lemma far_terms l b (f : nat -> R) near_end between : (2 * b + 2 <= l)%nat -> 0 <= near_end -> 0 <= between ->
  (forall r, (l - b <= r < l)%nat -> 0 <= f r <= near_end) -> (forall r, (b < r < l - b)%nat -> 0 <= f r <= between) ->
  total (seq (S b) (l - S b)) (fun r => INR (l - r) / INR l * (split l r * f r)) <=
  near_end * total (seq 1 b) (fun i => INR i / INR l * split l i) + between * (INR l * split l (S b)).
Proof.
  intros H N0 B0 N B. replace (l - S b)%nat with (l - S (2 * b) + b)%nat by lia. rewrite seq_app, total_app.
  rewrite Rplus_comm. apply Rplus_le_compat.
  - replace (S b + (l - S (2 * b)))%nat with (l - b)%nat by lia.
    rewrite <- (total_permutation (map (fun i => l - i)%nat (seq 1 b)) (seq (l - b) b)).
    + rewrite total_map, <- total_scal. apply total_le. intros i I. apply in_seq in I.
      replace (l - (l - i))%nat with i by lia. rewrite split_symmetric by lia.
      assert (X := fraction_bounds (l - i) l ltac:(lia)). replace (l - (l - i))%nat with i in X by lia.
      assert (Y := N (l - i)%nat ltac:(lia)). assert (Z := split_positive l i).
      replace (near_end * (INR i / INR l * split l i)) with (INR i / INR l * (split l i * near_end)) by ring.
      apply Rmult_le_compat_l; [lra |]. apply Rmult_le_compat_l; lra.
    + apply Permutation.NoDup_Permutation_bis.
      * assert (W : forall a k, (a + k <= S l)%nat -> NoDup (map (fun i => l - i)%nat (seq a k))).
        { intros a k. revert a. induction k as [| k IH]; intros a K; [constructor |]. simpl.
          constructor; [| apply IH; lia].
          intros I. apply in_map_iff in I. destruct I as [i [Ei I]]. apply in_seq in I. lia. }
        apply W. lia.
      * rewrite map_length, !seq_length. lia.
      * intros x I. apply in_map_iff in I. destruct I as [i [<- I]]. apply in_seq in I. apply in_seq. lia.
  - apply Rle_trans with (total (seq (S b) (l - S (2 * b))) (fun _ => split l (S b) * between)).
    + apply total_le. intros r I. apply in_seq in I. assert (X := fraction_bounds r l ltac:(lia)).
      assert (Y := B r ltac:(lia)). assert (Z := split_between l (S b) r ltac:(lia) ltac:(lia)).
      assert (P := split_positive l r). apply Rle_trans with (1 * (split l r * f r)).
      * apply Rmult_le_compat_r; [apply Rmult_le_pos |]; lra.
      * rewrite Rmult_1_l. apply Rmult_le_compat; lra.
    + rewrite total_const, seq_length. assert (C : INR (l - S (2 * b)) <= INR l) by (apply le_INR; lia).
      assert (P := split_positive l (S b)).
      replace (between * (INR l * split l (S b))) with (INR l * (split l (S b) * between)) by ring.
      apply Rmult_le_compat_r; [apply Rmult_le_pos |]; lra.
Qed.

(** One step of the recursion; here p + 1 colours. *)
Lemma recursion_step M p l G : (2 * M + 2 <= l)%nat -> 0 <= G ->
  (forall r, (M < r < l)%nat -> h (S p) r / INR (S p) <= G) ->
  h (S p) l / INR (S p) <= few M p l + INR p * G * weighed M l.
Proof.
  intros H G0 HG. rewrite one_large_colour by lia. replace l with (S M + (l - S M))%nat at 1 by lia.
  rewrite seq_app, total_app. apply Rplus_le_compat.
  - apply total_le. intros r I. apply in_seq in I. rewrite <- (Rmult_1_l (split l r * h p r)) at 2.
    apply Rmult_le_compat_r; [apply Rmult_le_pos; [apply Rlt_le, split_positive | apply h_nonneg] |].
    apply fraction_bounds. lia.
  - assert (P := pos_INR p). assert (PG : 0 <= INR p * G) by (apply Rmult_le_pos; assumption).
    assert (A : forall r, (M < r < l)%nat -> 0 <= h p r <= INR p * G).
    { intros r R. split; [apply h_nonneg |]. eapply Rle_trans; [apply fewer_colours; lia |].
      apply Rmult_le_compat_l; [exact P | apply HG, R]. }
    unfold weighed. rewrite Rmult_plus_distr_l. cbn [Nat.add].
    apply far_terms; try assumption; intros r R; apply A; lia.
Qed.

Theorem long_excess n L M p near far R A W A' W' G :
  (2 * M + 1 <= L)%nat -> (2 * L + 2 <= n)%nat -> 0 <= G ->
  total (seq 1 L) (fun r => INR (n - r) / INR n * (split n r * h (S p) r)) <= near ->
  total (seq 1 L) (fun i => INR i / INR n * split n i) <= far -> split n (S L) <= R ->
  few M p (S L) <= A -> weighed M (S L) <= W -> A + INR p * G * W <= G ->
  (forall r, (M < r <= L)%nat -> h (S p) r / INR (S p) <= G) ->
  few M p (n - L) <= A' -> weighed M (n - L) <= W' ->
  excess m n (S (S p)) <= near + INR (S p) * (far * (A' + INR p * G * W') + INR n * R * G).
Proof.
  intros HM HL G0 Hnear Hfar HR HA HW Step Few HA' HW'. assert (P := pos_INR p).
  assert (PG : 0 <= INR p * G) by (apply Rmult_le_pos; assumption).
  assert (All : forall l, (M < l)%nat -> h (S p) l / INR (S p) <= G).
  { intros l. induction l as [l IH] using (well_founded_induction Wf_nat.lt_wf). intros Hl.
    destruct (Nat.le_gt_cases l L) as [K | K]; [apply Few; lia |].
    eapply Rle_trans; [apply (recursion_step M p l G); [lia | exact G0 | intros r Hr; apply IH; lia] |].
    eapply Rle_trans; [| exact Step]. apply Rplus_le_compat.
    - eapply Rle_trans; [apply (few_falls M p (S L)); lia | exact HA].
    - apply Rmult_le_compat_l; [exact PG |]. eapply Rle_trans; [apply (weighed_falls M (S L)); lia | exact HW]. }
  assert (End : forall r, (n - L <= r)%nat -> h (S p) r / INR (S p) <= A' + INR p * G * W').
  { intros r Hr. eapply Rle_trans; [apply (recursion_step M p r G); [lia | exact G0 | intros k Hk; apply All; lia] |].
    apply Rplus_le_compat.
    - eapply Rle_trans; [apply (few_falls M p (n - L)); lia | exact HA'].
    - apply Rmult_le_compat_l; [exact PG |]. eapply Rle_trans; [apply (weighed_falls M (n - L)); lia | exact HW']. }
  assert (B0 : 0 <= A' + INR p * G * W').
  { assert (X := few_nonneg M p (n - L)). assert (Y := weighed_nonneg M (n - L)).
    apply Rplus_le_le_0_compat; [lra |]. apply Rmult_le_pos; lra. }
  assert (Q : 0 < INR (S p)) by (apply lt_0_INR; lia).
  unfold excess. rewrite (one_large_colour (S p) n) by lia.
  assert (Cut : seq 0 n = seq 0 (S L) ++ seq (0 + S L) (n - S L)) by (rewrite <- seq_app; f_equal; lia).
  rewrite Cut, total_app. change (seq 0 (S L)) with (O :: seq 1 L). cbn [total].
  rewrite split_0, h_at_0, Nat.sub_0_r. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  replace (INR n / INR n * (1 * 1)) with 1 by (field; lra). cbn [Nat.add].
  assert (T : total (seq (S L) (n - S L)) (fun r => INR (n - r) / INR n * (split n r * h (S p) r)) <=
    INR (S p) * (A' + INR p * G * W') * total (seq 1 L) (fun i => INR i / INR n * split n i) +
    INR (S p) * G * (INR n * split n (S L))).
  { apply (far_terms n L (fun r => h (S p) r)); [lia | apply Rmult_le_pos; lra | apply Rmult_le_pos; lra | |].
    - intros r Hr. split; [apply h_nonneg |].
      replace (h (S p) r) with (INR (S p) * (h (S p) r / INR (S p))) by (field; lra).
      apply Rmult_le_compat_l; [lra | apply End; lia].
    - intros r Hr. split; [apply h_nonneg |].
      replace (h (S p) r) with (INR (S p) * (h (S p) r / INR (S p))) by (field; lra).
      apply Rmult_le_compat_l; [lra | apply All; lia]. }
  assert (F : INR (S p) * (A' + INR p * G * W') * total (seq 1 L) (fun i => INR i / INR n * split n i) <=
    INR (S p) * (A' + INR p * G * W') * far) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | exact Hfar]).
  assert (K : INR (S p) * G * (INR n * split n (S L)) <= INR (S p) * G * (INR n * R)).
  { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra |]. apply Rmult_le_compat_l; lra. }
  replace (INR (S p) * (far * (A' + INR p * G * W') + INR n * R * G)) with
    (INR (S p) * (A' + INR p * G * W') * far + INR (S p) * G * (INR n * R)) by ring. lra.
Qed.

End Stubs.
