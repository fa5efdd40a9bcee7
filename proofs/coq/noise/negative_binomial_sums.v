(** Negative binomial laws are infinitely divisible: n shares add up to the whole noise.

    [convolved_masses u v] is the law of the sum of independent draws from the laws u and v on 0, 1, 2, ...
    ([convolved_law] says that it is one), [shares D n] that of n draws from D. Proved, for negative binomial laws
    as negative_binomial_mean.v defines them, by the recursion (t + 1) D(t + 1) = (r + t) p D(t):

    - [negative_binomial_convolved]: NB(r, p) and NB(s, p) add up to NB(r + s, p), for all real r, s and p for
      which the two laws exist;
    - [negative_binomial_divisible]: n independent draws from NB(r/n, p) add up to NB(r, p), for every integer
      n >= 1 and every real r and p for which NB(r/n, p) exists; it does for r > 0 and 0 <= p < 1
      (negative_binomial_law.v);
    - [rising_vandermonde]: for the weights r (r+1) ... (r+t-1)/t! alone this is Vandermonde's identity for rising
      factorials, for all real r and s;
    - [negative_binomial_unique]: there is one law NB(r, p) at most, so these are statements on masses.

    Proof. In (t + 1) times the mass of the sum at t + 1 write t + 1 = i + (t + 1 - i) in the i-th term, and apply
    the recursion of the one law to the one part, that of the other to the rest: (r + i) + (s + t - i) = r + s + t.
    Source: standard; used by Ghazi, Kumar, Manurangsi, Pagh 2020, section 3. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums masses product_laws infinite_sums post_processing negative_binomial_mean.
Import ListNotations.
Open Scope R_scope.

Definition convolved_masses (u v : nat -> R) (t : nat) : R :=
  total (seq 0 (S t)) (fun i => u i * v (t - i)%nat).

Definition no_noise (t : nat) : R := match t with O => 1 | S _ => 0 end.

Fixpoint shares (D : nat -> R) (n : nat) : nat -> R :=
  match n with
  | O => no_noise
  | S m => convolved_masses D (shares D m)
  end.

(** ** The recursion *)

Definition recursion (r p : R) (D : nat -> R) : Prop := forall t, (INR t + 1) * D (S t) = (r + INR t) * p * D t.

Lemma recursion_convolved r s p u v :
  recursion r p u -> recursion s p v -> recursion (r + s) p (convolved_masses u v).
Proof.
  intros Hu Hv t. unfold convolved_masses.
  set (A := total (seq 0 (S (S t))) (fun i => INR i * u i * v (S t - i)%nat)).
  set (B := total (seq 0 (S (S t))) (fun i => u i * (INR (S t - i) * v (S t - i)%nat))).
  assert (EA : A = total (seq 0 (S t)) (fun i => (r + INR i) * p * u i * v (t - i)%nat)).
  { unfold A. rewrite total_seq_shift. simpl INR at 1. rewrite !Rmult_0_l, Rplus_0_l. apply total_ext.
    intros i _. rewrite S_INR, Hu. f_equal. }
  assert (EB : B = total (seq 0 (S t)) (fun i => (s + INR (t - i)) * p * u i * v (t - i)%nat)).
  { unfold B. rewrite total_seq_S, Nat.sub_diag. simpl INR at 2. rewrite Rmult_0_l, Rmult_0_r, Rplus_0_r.
    apply total_ext. intros i I. apply in_seq in I. replace (S t - i)%nat with (S (t - i)) by lia.
    rewrite S_INR, Hv. ring. }
  transitivity (A + B).
  - unfold A, B. rewrite <- total_plus, <- total_scal. apply total_ext. intros i I. apply in_seq in I.
    rewrite minus_INR, S_INR by lia. ring.
  - rewrite EA, EB, <- total_plus, <- total_scal. apply total_ext. intros i I. apply in_seq in I.
    rewrite minus_INR by lia. ring.
Qed.

Lemma recursion_no_noise p : recursion 0 p no_noise.
Proof. intros [| t]; simpl; ring. Qed.

(** ** The sum has a law *)

Lemma sum_of_finite (f : nat -> R) (m : list nat) :
  (forall t, 0 <= f t) -> NoDup m -> (forall t, ~ In t m -> f t = 0) -> sum_of f (total m f).
Proof.
  intros P N Z. apply sum_of_intro; [| intros b Hb; apply Hb, N].
  intros l Nl. set (inside := fun t => if in_dec Nat.eq_dec t m then true else false).
  rewrite (total_ext l f (fun t => if inside t then f t else 0)), <- total_filter.
  - apply total_incl; [apply NoDup_filter, Nl | | auto]. intros t I. apply filter_In in I.
    destruct I as [_ I]. unfold inside in I. destruct (in_dec Nat.eq_dec t m); [assumption | discriminate].
  - intros t _. unfold inside. destruct (in_dec Nat.eq_dec t m); [reflexivity | apply Z; assumption].
Qed.

Lemma law_no_noise : law no_noise.
Proof.
  apply law_sum_of. assert (P : forall t, 0 <= no_noise t) by (intros [| t]; simpl; lra). split; [exact P |].
  replace 1 with (total [0%nat] no_noise) by (simpl; ring). apply sum_of_finite; [exact P | |].
  - constructor; [intros [] | constructor].
  - intros [| t] H; [destruct H; left |]; reflexivity.
Qed.

(** v, moved up by a. *)
Definition after (a : nat) (v : nat -> R) (b : nat) : R := if Nat.ltb b a then 0 else v (b - a)%nat.

Lemma law_after a v : law v -> law (after a v).
Proof.
  intros L. apply (law_on_image (fun t => (t + a)%nat) (after a v)).
  - intros x y E. lia.
  - intros b H. unfold after. destruct (Nat.ltb_spec b a); [reflexivity |].
    exfalso. apply (H (b - a)%nat). lia.
  - assert (E : forall t, after a v (t + a)%nat = v t).
    { intros t. unfold after. rewrite (proj2 (Nat.ltb_ge _ _)) by lia. f_equal. lia. }
    apply law_sum_of in L. apply law_sum_of. split; [intros t; rewrite E; apply L |].
    apply (sum_of_ext v); [intros t; symmetry; apply E | apply L].
Qed.

Lemma convolved_law u v : law u -> law v -> law (convolved_masses u v).
Proof.
  intros Lu Lv. apply (image_law u (fun a => after a v)); [exact Lu | intros a; apply law_after, Lv |].
  intros b. assert (P : forall a, 0 <= u a * after a v b).
  { intros a. apply Rmult_le_pos; [apply Lu | apply (law_after a v Lv)]. }
  replace (convolved_masses u v b) with (total (seq 0 (S b)) (fun a => u a * after a v b)).
  - apply sum_of_finite; [exact P | apply seq_NoDup |]. intros a I. unfold after.
    rewrite (proj2 (Nat.ltb_lt _ _)); [ring |]. apply Nat.nle_gt. intros K. apply I, in_seq. lia.
  - apply total_ext. intros a I. apply in_seq in I. unfold after.
    rewrite (proj2 (Nat.ltb_ge _ _)) by lia. reflexivity.
Qed.

(** ** The theorems *)

Theorem negative_binomial_convolved r s p u v :
  is_negative_binomial r p u -> is_negative_binomial s p v ->
  is_negative_binomial (r + s) p (convolved_masses u v).
Proof.
  intros [Lu Ru] [Lv Rv]. split; [apply convolved_law; assumption | apply recursion_convolved; assumption].
Qed.

Lemma negative_binomial_shares r p D n : is_negative_binomial r p D -> is_negative_binomial (INR n * r) p (shares D n).
Proof.
  intros H. induction n as [| n IH]; cbn [shares].
  - simpl INR. rewrite Rmult_0_l. split; [apply law_no_noise | apply recursion_no_noise].
  - rewrite S_INR. replace ((INR n + 1) * r) with (r + INR n * r) by ring.
    apply negative_binomial_convolved; assumption.
Qed.

Theorem negative_binomial_divisible r p D n :
  (1 <= n)%nat -> is_negative_binomial (r / INR n) p D -> is_negative_binomial r p (shares D n).
Proof.
  intros Hn H. apply (negative_binomial_shares _ _ _ n) in H.
  replace (INR n * (r / INR n)) with r in H; [exact H |]. field. apply not_0_INR. lia.
Qed.

(** What begins alike and has one recursion is the same. *)
Lemma recursion_proportional r p u v t : recursion r p u -> recursion r p v -> v 0%nat * u t = u 0%nat * v t.
Proof.
  intros Hu Hv. induction t as [| t IH]; [ring |]. assert (P := pos_INR t).
  apply Rmult_eq_reg_l with (INR t + 1); [| lra].
  replace ((INR t + 1) * (v 0%nat * u (S t))) with (v 0%nat * ((INR t + 1) * u (S t))) by ring.
  replace ((INR t + 1) * (u 0%nat * v (S t))) with (u 0%nat * ((INR t + 1) * v (S t))) by ring.
  rewrite Hu, Hv. replace (v 0%nat * ((r + INR t) * p * u t)) with ((r + INR t) * p * (v 0%nat * u t)) by ring.
  rewrite IH. ring.
Qed.

Theorem negative_binomial_unique r p u v :
  is_negative_binomial r p u -> is_negative_binomial r p v -> forall t, u t = v t.
Proof.
  intros [Lu Ru] [Lv Rv]. apply law_sum_of in Lu, Lv. destruct Lu as [Pu Su], Lv as [Pv Sv].
  assert (E0 : u 0%nat = v 0%nat).
  { assert (X := sum_of_scal u (v 0%nat) 1 (Pv _) Su). assert (Y := sum_of_scal v (u 0%nat) 1 (Pu _) Sv).
    apply (sum_of_ext _ (fun t => u 0%nat * v t)) in X;
      [| intros t; apply (recursion_proportional r p); assumption].
    assert (Z := sum_of_unique _ _ _ X Y). lra. }
  intros t. induction t as [| t IH]; [exact E0 |]. assert (P := pos_INR t).
  apply Rmult_eq_reg_l with (INR t + 1); [| lra]. rewrite Ru, Rv, IH. reflexivity.
Qed.

(** r (r+1) ... (r+t-1) / t! *)
Fixpoint rising_weight (r : R) (t : nat) : R :=
  match t with
  | O => 1
  | S i => (r + INR i) / (INR i + 1) * rising_weight r i
  end.

Lemma rising_weight_recursion r : recursion r 1 (rising_weight r).
Proof. intros t. simpl. assert (P := pos_INR t). field. lra. Qed.

Theorem rising_vandermonde r s t :
  total (seq 0 (S t)) (fun i => rising_weight r i * rising_weight s (t - i)) = rising_weight (r + s) t.
Proof.
  assert (H := recursion_convolved r s 1 _ _ (rising_weight_recursion r) (rising_weight_recursion s)).
  assert (E := recursion_proportional _ _ _ _ t H (rising_weight_recursion (r + s))).
  unfold convolved_masses in E at 2. simpl in E. rewrite !Rmult_1_l, Rplus_0_r, Rmult_1_l in E. exact E.
Qed.
