(** The geometric mechanism for a count of n users.

    The count is 0, ..., n. [clamped_counts n a] is the count with two-sided geometric noise of ratio a, 0 < a < 1,
    clamped to {0, ..., n} ([clamped_counts_masses], all n >= 1); with a = e^-eps it is (eps, 0)-DP
    ([clamped_counts_private], all n). Other mechanisms answer with integers, finitely many; each is, clamped, a table of
    probabilities.

    No private mechanism has less error: geometric_optimal.v. Source: this package. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy masses hockey_stick geometric_noise geometric_error geometric_one_user.
From Exactdp Require Import local_overlap.
Import ListNotations.
Open Scope R_scope.

(** ** The mechanisms *)

(** M on the counts 0, ..., n is (eps, 0)-DP. *)
Definition count_dp {A} (n : nat) (M : nat -> dist A) (eps : R) : Prop :=
  forall i, (i < n)%nat -> below (M i) (M (S i)) (exp eps) 0 /\ below (M (S i)) (M i) (exp eps) 0.

(** The nearest of 0, ..., n. *)
Definition clamp (n : nat) (v : Z) : nat := Nat.min (Z.to_nat v) n.

Definition apart (i r : nat) : nat := (i - r) + (r - i).

(** The probability of r at the count i. *)
Definition clamped_mass (n : nat) (a : R) (i r : nat) : R :=
  a ^ apart i r * (if (Nat.eqb r 0 || Nat.eqb r n)%bool then 1 else 1 - a) / (1 + a).

Definition clamped_counts (n : nat) (a : R) (i : nat) : dist nat :=
  map (fun r => (clamped_mass n a i r, r)) (seq 0 (S n)).

Lemma mean_clamped n a i f : mean (clamped_counts n a i) f = total (seq 0 (S n)) (fun r => clamped_mass n a i r * f r).
Proof. unfold clamped_counts, mean. rewrite total_map. reflexivity. Qed.

Theorem clamped_counts_masses (n : nat) (a : R) (i r : nat) : 0 < a < 1 -> (1 <= n)%nat -> (i <= n)%nat -> (r <= n)%nat ->
  mass_of (fun v => geometric a (v - Z.of_nat i)) (fun v => clamp n v = r) (Pr (clamped_counts n a i) (Nat.eqb r)).
Proof.
  intros H N I Hr. apply shifted_mass. unfold Pr. rewrite mean_clamped.
  replace (total (seq 0 (S n)) (fun s => clamped_mass n a i s * indicator (Nat.eqb r) s)) with (clamped_mass n a i r).
  2:{ rewrite (total_ext _ _ (fun s => if Nat.eq_dec r s then clamped_mass n a i r else 0)).
      - symmetry. apply total_single; [apply seq_NoDup | apply in_seq; lia].
      - intros s _. unfold indicator. destruct (Nat.eqb_spec r s), (Nat.eq_dec r s); subst; ring || easy. }
  unfold clamped_mass, clamp, apart.
  destruct (Nat.eqb_spec r 0) as [-> | R0]; simpl (_ || _)%bool.
  - destruct (geometric_half_line a (Z.of_nat i) H ltac:(lia)) as [_ D].
    rewrite Nat2Z.id in D. replace (i - 0 + (0 - i))%nat with i by lia. rewrite Rmult_1_r.
    apply (mass_of_ext _ (fun z => (z <= - Z.of_nat i)%Z)); [intros z; lia | exact D].
  - destruct (Nat.eqb_spec r n) as [-> | Rn].
    + destruct (geometric_half_line a (Z.of_nat (n - i)) H ltac:(lia)) as [D _].
      rewrite Nat2Z.id in D. replace (i - n + (n - i))%nat with (n - i)%nat by lia. rewrite Rmult_1_r.
      apply (mass_of_ext _ (fun z => (Z.of_nat (n - i) <= z)%Z)); [intros z; lia | exact D].
    + set (t := (Z.of_nat r - Z.of_nat i)%Z).
      apply (mass_of_ext _ (fun z => In z [t])); [intros z; simpl; lia |].
      replace (a ^ (i - r + (r - i)) * (1 - a) / (1 + a)) with (total [t] (geometric a)).
      * apply mass_of_finite; [intros z; left; apply geometric_pos, H | repeat constructor; simpl; tauto].
      * simpl. unfold geometric. replace (Z.abs_nat t) with (i - r + (r - i))%nat by lia. field. lra.
Qed.

(** ** It is private *)

Theorem clamped_counts_private (n : nat) (eps : R) : 0 < eps -> count_dp n (clamped_counts n (exp (- eps))) eps.
Proof.
  intros He. assert (H := ratio_of_eps eps He). set (a := exp (- eps)) in *.
  assert (E : exp eps * a = 1) by (unfold a; rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (G := exp_ge_1 eps (Rlt_le _ _ He)).
  assert (Near : forall i j, (i <= S j)%nat -> (j <= S i)%nat ->
    below (clamped_counts n a i) (clamped_counts n a j) (exp eps) 0).
  { intros i j Hi Hj T. unfold Pr. rewrite !mean_clamped, Rplus_0_r, <- total_scal. apply total_le. intros r _.
    rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [unfold indicator; destruct (T r); lra |].
    unfold clamped_mass. set (c := if (_ || _)%bool then _ else _).
    replace (exp eps * (a ^ apart j r * c / (1 + a))) with (exp eps * a ^ apart j r * (c / (1 + a)))
      by (unfold Rdiv; ring).
    replace (a ^ apart i r * c / (1 + a)) with (a ^ apart i r * (c / (1 + a))) by (unfold Rdiv; ring).
    apply Rmult_le_compat_r.
    - apply Rle_mult_inv_pos; [unfold c; destruct (_ || _)%bool; lra | lra].
    - assert (P := pow_lt a (apart j r) ltac:(lra)).
      assert (C : (apart j r <= apart i r \/ apart j r = S (apart i r))%nat) by (unfold apart; lia).
      destruct C as [C | C].
      + assert (a ^ apart i r <= a ^ apart j r) by (apply power_falls; assumption). nra.
      + rewrite C. simpl. rewrite <- Rmult_assoc, E. lra. }
  intros i I. split; apply Near; lia.
Qed.

(** ** Every private mechanism, as a table *)

(** The error grows with the distance from i. *)
Definition grows (i : Z) (loss : Z -> R) : Prop := forall r s, (Z.abs (r - i) <= Z.abs (s - i))%Z -> loss r <= loss s.

Section Table.
  Context (n : nat) (M : nat -> dist Z) (eps : R).
  Hypotheses (He : 0 < eps) (P : forall i, (i <= n)%nat -> proper (M i)) (D : count_dp n M eps).
  Let a := exp (- eps).
  Let x (i r : nat) : R := Pr (M i) (fun v => Nat.eqb (clamp n v) r).

  Lemma table_mean i f : mean (M i) (fun v => f (clamp n v)) = total (seq 0 (S n)) (fun r => x i r * f r).
  Proof.
    unfold x, Pr. rewrite (total_ext _ (fun r => mean (M i) (indicator (fun v => Nat.eqb (clamp n v) r)) * f r)
      (fun r => mean (M i) (fun v => f r * indicator (fun v => Nat.eqb (clamp n v) r) v)))
      by (intros r _; rewrite mean_scal; ring).
    rewrite total_mean. apply mean_ext. intros v. symmetry.
    rewrite (total_ext _ _ (fun r => if Nat.eq_dec (clamp n v) r then f (clamp n v) else 0)).
    - apply total_single; [apply seq_NoDup | apply in_seq; unfold clamp; lia].
    - intros r _. unfold indicator. destruct (Nat.eqb_spec (clamp n v) r), (Nat.eq_dec (clamp n v) r);
        subst; ring || easy.
  Qed.

  Lemma table_sum i : (i <= n)%nat -> total (seq 0 (S n)) (x i) = 1.
  Proof.
    intros I. rewrite <- (mean_const (M i) 1 (P i I)), (table_mean i (fun _ => 1)).
    apply total_ext. intros r _. ring.
  Qed.

  Lemma table_private i r : (i < n)%nat -> a * x i r <= x (S i) r /\ a * x (S i) r <= x i r.
  Proof.
    intros I. destruct (D i I) as [U L]. specialize (U (fun v => Nat.eqb (clamp n v) r)).
    specialize (L (fun v => Nat.eqb (clamp n v) r)). fold (x i r) (x (S i) r) in *.
    assert (E : a * exp eps = 1) by (unfold a; rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
    assert (A := exp_pos (- eps)). fold a in A. split.
    - apply (Rmult_le_compat_l a) in U; [| lra]. rewrite Rplus_0_r, <- Rmult_assoc, E in U. lra.
    - apply (Rmult_le_compat_l a) in L; [| lra]. rewrite Rplus_0_r, <- Rmult_assoc, E in L. lra.
  Qed.

  (** An output beyond the counts may as well be the last one. *)
  Lemma table_loss i loss : (i <= n)%nat -> grows (Z.of_nat i) loss ->
    total (seq 0 (S n)) (fun r => x i r * loss (Z.of_nat r)) <= mean (M i) loss.
  Proof.
    intros I G. rewrite <- (table_mean i (fun r => loss (Z.of_nat r))). apply mean_le; [apply P, I |].
    intros v. apply G. unfold clamp. lia.
  Qed.
End Table.
