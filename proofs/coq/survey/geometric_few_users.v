(** The geometric mechanism for a count of two or three users.

    The count is 0, ..., n. [clamped_counts n a] is the count with two-sided geometric noise of ratio a, 0 < a < 1,
    clamped to {0, ..., n} ([clamped_counts_masses], all n >= 1); with a = e^-eps it is (eps, 0)-DP
    ([clamped_counts_private], all n). Other mechanisms M answer with integers, finitely many, and are (eps, 0)-DP,
    eps > 0.
    - [geometric_two_users]: n = 2: a randomized function K of the mechanism's output has at every count i no larger
      expected loss than M, for every loss that grows with the distance from i. K does not depend on the loss.
    - [geometric_three_users]: n = 3, e^-eps = 1/4, 1/2 or 2/3, the listed priors and losses: some remapping of the
      outputs has an expected loss no larger than that of any M.

    Idea: (u, v, w), the probabilities of one output at the three counts, is a mixture of the mechanism's columns if
    v - a u, v - a w, u - a v, w - a v >= 0 and T = (1+a^2) v - a (u+w) >= 0, and only the last is not privacy. The
    sum of T over the outputs is (1-a)^2. Mass moved along the middle row moves T from one output to another; where the
    outer ones lack it all the same, the ends of their columns are lowered, and the middle output gains
    ([private_repaired]). The errors only fall. For n = 3 it is linear arithmetic in 16 unknowns.
    Source: this package; for all n and any one prior and loss: Ghosh, Roughgarden, Sundararajan 2012. *)

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

(** ** Three columns that are no mixture, repaired *)

Section Repair.
  Variable a : R.
  Hypothesis Ha : 0 < a < 1.
  Let b := 1 + a * a.
  Let D := (1 - a) * (1 - a).

  Lemma b_above : 0 < b.
  Proof. unfold b. nra. Qed.

  (** What a column (u, v, w) has of the middle column of the geometric mechanism, times 1 - a^2. *)
  Let inner (u v w : R) := b * v - a * (u + w).
  Let mixture (u v w : R) := a * v <= u /\ 0 <= inner u v w /\ a * v <= w.
  Let private (u v w : R) := (a * v <= u /\ a * u <= v) /\ a * w <= v /\ a * v <= w.

  (** v such that the column has t of it. *)
  Let moved (u w t : R) := (t + a * (u + w)) / b.
  (** t is between this and 0. *)
  Let nearer (t have : R) := 0 <= t <= have \/ have <= t <= 0.

  Lemma moved_inner u w t : b * moved u w t = t + a * (u + w).
  Proof. assert (B := b_above). unfold moved. field. lra. Qed.

  Lemma moved_grows u v w t : t <= inner u v w -> moved u w t <= v.
  Proof.
    intros H. apply Rmult_le_reg_l with b; [apply b_above |]. rewrite moved_inner. unfold inner in H. lra.
  Qed.

  Lemma moved_falls u v w t : inner u v w <= t -> v <= moved u w t.
  Proof.
    intros H. apply Rmult_le_reg_l with b; [apply b_above |]. rewrite moved_inner. unfold inner in H. lra.
  Qed.

  Lemma moved_private u v w t : private u v w -> nearer t (inner u v w) ->
    a * moved u w t <= u /\ a * moved u w t <= w /\ (t <= 0 -> a * u <= moved u w t /\ a * w <= moved u w t).
  Proof.
    intros [[U U'] [W W']] X. assert (B := b_above). assert (M := moved_inner u w t).
    assert (UW : a * (a * w) <= u) by (apply Rle_trans with (a * v); [apply Rmult_le_compat_l |]; lra).
    assert (WU : a * (a * u) <= w) by (apply Rle_trans with (a * v); [apply Rmult_le_compat_l |]; lra).
    set (m := moved u w t) in *. assert (X' : t <= inner u v w /\ 0 <= t \/ inner u v w <= t <= 0)
      by (destruct X; [left | right]; lra). clear X. destruct X' as [[X T] | X].
    - assert (m <= v) by apply (moved_grows u v w t X).
      assert (a * m <= a * v) by (apply Rmult_le_compat_l; lra). repeat split; try lra.
      + apply Rmult_le_reg_l with b; [exact B |]. rewrite M. replace t with 0 by lra.
        replace (b * (a * u)) with (a * u + a * (a * (a * u))) by (unfold b; ring).
        assert (a * (a * (a * u)) <= a * w) by (apply Rmult_le_compat_l; lra). lra.
      + apply Rmult_le_reg_l with b; [exact B |]. rewrite M. replace t with 0 by lra.
        replace (b * (a * w)) with (a * w + a * (a * (a * w))) by (unfold b; ring).
        assert (a * (a * (a * w)) <= a * u) by (apply Rmult_le_compat_l; lra). lra.
    - assert (v <= m) by (apply (moved_falls u v w t); lra).
      assert (T : a * (b * m) <= a * (a * (u + w))) by (rewrite M; apply Rmult_le_compat_l; lra).
      repeat split; try lra; apply Rmult_le_reg_l with b; try exact B; unfold b in *; lra.
  Qed.

  Variables u0 v0 w0 u1 v1 w1 u2 v2 w2 : R.
  Hypotheses (SU : u0 + u1 + u2 = 1) (SV : v0 + v1 + v2 = 1) (SW : w0 + w1 + w2 = 1).
  Hypotheses (P0 : private u0 v0 w0) (P1 : private u1 v1 w1) (P2 : private u2 v2 w2).
  Let T0 := inner u0 v0 w0.
  Let T1 := inner u1 v1 w1.
  Let T2 := inner u2 v2 w2.

  Lemma inner_sum : T0 + T1 + T2 = D.
  Proof.
    unfold T0, T1, T2, inner.
    replace (b * v0 - a * (u0 + w0) + (b * v1 - a * (u1 + w1)) + (b * v2 - a * (u2 + w2)))
      with (b * (v0 + v1 + v2) - a * (u0 + u1 + u2) - a * (w0 + w1 + w2)) by ring.
    rewrite SU, SV, SW. unfold b, D. ring.
  Qed.

  (** A mixture of the geometric mechanism's columns with a smaller error at every count. *)
  Definition repaired := exists x1 x2 y0 y1 y2 z0 z1,
    (u0 + x1 + x2 = 1 /\ y0 + y1 + y2 = 1 /\ z0 + z1 + w2 = 1) /\ (x2 <= u2 /\ v1 <= y1 /\ z0 <= w0) /\
    mixture u0 y0 z0 /\ mixture x1 y1 z1 /\ mixture x2 y2 w2.

  Lemma by_the_middle_row t0 t1 t2 : t0 + t1 + t2 = D -> T1 <= t1 -> 0 <= t0 -> 0 <= t1 -> 0 <= t2 ->
    nearer t0 T0 -> nearer t1 T1 -> nearer t2 T2 -> repaired.
  Proof.
    intros St G Z0 Z1 Z2 C0 C1 C2. assert (B := b_above).
    destruct (moved_private u0 v0 w0 t0 P0 C0) as [A0 [A0' _]].
    destruct (moved_private u1 v1 w1 t1 P1 C1) as [A1 [A1' _]].
    destruct (moved_private u2 v2 w2 t2 P2 C2) as [A2 [A2' _]].
    assert (M0 := moved_inner u0 w0 t0). assert (M1 := moved_inner u1 w1 t1). assert (M2 := moved_inner u2 w2 t2).
    assert (GG := moved_falls u1 v1 w1 t1 G).
    exists u1, u2, (moved u0 w0 t0), (moved u1 w1 t1), (moved u2 w2 t2), w0, w1. unfold mixture, inner.
    rewrite M0, M1, M2. repeat split; try assumption; try lra.
    apply Rmult_eq_reg_l with b; [| lra]. rewrite !Rmult_plus_distr_l, M0, M1, M2.
    replace (t0 + a * (u0 + w0) + (t1 + a * (u1 + w1)) + (t2 + a * (u2 + w2)))
      with (t0 + t1 + t2 + a * (u0 + u1 + u2) + a * (w0 + w1 + w2)) by ring.
    rewrite St, SU, SW. unfold D, b. ring.
  Qed.

  Lemma by_the_end_rows t0 t2 : t0 + T1 + t2 = D -> t0 <= 0 -> t2 <= 0 -> nearer t0 T0 -> nearer t2 T2 -> repaired.
  Proof.
    intros St Z0 Z2 C0 C2. assert (B := b_above).
    destruct (moved_private u0 v0 w0 t0 P0 C0) as [A0 [A0' V0]]. destruct (V0 Z0) as [V _]. clear V0.
    destruct (moved_private u2 v2 w2 t2 P2 C2) as [A2 [A2' V2]]. destruct (V2 Z2) as [_ V']. clear V2.
    assert (M0 := moved_inner u0 w0 t0). assert (M2 := moved_inner u2 w2 t2).
    set (y0 := moved u0 w0 t0) in *. set (y2 := moved u2 w2 t2) in *.
    set (z0 := w0 + t0 / a). set (x2 := u2 + t2 / a).
    assert (Z0' : a * z0 = a * w0 + t0) by (unfold z0; field; lra).
    assert (X2' : a * x2 = a * u2 + t2) by (unfold x2; field; lra).
    assert (X2 : x2 <= u2) by (apply Rmult_le_reg_l with a; lra).
    assert (Z0w : z0 <= w0) by (apply Rmult_le_reg_l with a; lra).
    assert (DP : 0 < D) by (unfold D; apply Rmult_lt_0_compat; lra).
    assert (AU : a * u0 + a * u1 + a * u2 = a) by (rewrite <- !Rmult_plus_distr_l, SU; ring).
    assert (AW : a * w0 + a * w1 + a * w2 = a) by (rewrite <- !Rmult_plus_distr_l, SW; ring).
    assert (B1 : b * v1 = T1 + a * (u1 + w1)) by (unfold T1, inner; ring).
    assert (DB : D = b - 2 * a) by (unfold D, b; ring).
    assert (Y : y0 + v1 + y2 = 1).
    { apply Rmult_eq_reg_l with b; [| lra]. rewrite !Rmult_plus_distr_l, M0, M2, B1. lra. }
    destruct P1 as [[Q1 _] [_ Q1']].
    exists (1 - u0 - x2), x2, y0, v1, y2, z0, (1 - z0 - w2). unfold mixture, inner. rewrite M0, M2, B1.
    repeat split; try lra.
    - apply Rmult_le_reg_l with a; [lra |]. rewrite Z0'. unfold b in M0. lra.
    - apply Rmult_le_reg_l with a; [lra |]. rewrite X2'. unfold b in M2. lra.
  Qed.

  Lemma private_repaired : repaired.
  Proof.
    assert (S := inner_sum). assert (DP : 0 < D) by (unfold D; apply Rmult_lt_0_compat; lra).
    assert (Middle := by_the_middle_row). assert (Ends := by_the_end_rows). unfold nearer in *.
    clearbody T0 T1 T2 D.
    destruct (Rlt_or_le T1 0) as [N1 | N1].
    - destruct (Rlt_or_le T0 0) as [N0 | N0]; [apply (Middle 0 0 D); lra |].
      destruct (Rlt_or_le T2 0) as [N2 | N2]; [apply (Middle D 0 0); lra |].
      destruct (Rle_or_lt D T0) as [C | C]; [apply (Middle D 0 0); lra | apply (Middle T0 0 (D - T0)); lra].
    - destruct (Rle_or_lt 0 (T0 + T2)) as [C | C].
      + destruct (Rlt_or_le T0 0) as [N0 | N0]; [apply (Middle 0 T1 (T0 + T2)); lra |].
        destruct (Rlt_or_le T2 0) as [N2 | N2]; [apply (Middle (T0 + T2) T1 0); lra | apply (Middle T0 T1 T2); lra].
      + destruct (Rle_or_lt T0 0) as [N0 | N0].
        * destruct (Rle_or_lt T2 0) as [N2 | N2]; [apply (Ends T0 T2); lra | apply (Ends (T0 + T2) 0); lra].
        * apply (Ends 0 (T0 + T2)); lra.
  Qed.
End Repair.

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

(** ** Two users *)

Theorem geometric_two_users (M : nat -> dist Z) (eps : R) :
  0 < eps -> (forall i, (i <= 2)%nat -> proper (M i)) -> count_dp 2 M eps ->
  exists K : nat -> dist Z, (forall j, proper (K j)) /\
  forall i loss, (i <= 2)%nat -> grows (Z.of_nat i) loss ->
  mean (bind (clamped_counts 2 (exp (- eps)) i) K) loss <= mean (M i) loss.
Proof.
  intros He P D. assert (H := ratio_of_eps eps He). assert (Loss := table_loss 2 M P).
  assert (Sum := table_sum 2 M P). assert (Private := table_private 2 M eps D).
  set (a := exp (- eps)) in *. set (x := fun i r => Pr (M i) (fun v => Nat.eqb (clamp 2 v) r)).
  change (forall i, (i <= 2)%nat -> total (seq 0 3) (x i) = 1) in Sum.
  change (forall i r, (i < 2)%nat -> a * x i r <= x (S i) r /\ a * x (S i) r <= x i r) in Private.
  change (forall i loss, (i <= 2)%nat -> grows (Z.of_nat i) loss ->
    total (seq 0 3) (fun r => x i r * loss (Z.of_nat r)) <= mean (M i) loss) in Loss.
  assert (S0 := Sum 0%nat ltac:(lia)). assert (S1 := Sum 1%nat ltac:(lia)). assert (S2 := Sum 2%nat ltac:(lia)).
  simpl in S0, S1, S2. rewrite Rplus_0_r in S0, S1, S2. rewrite <- Rplus_assoc in S0, S1, S2.
  assert (C : forall r, (a * x 1%nat r <= x 0%nat r /\ a * x 0%nat r <= x 1%nat r) /\
    a * x 2%nat r <= x 1%nat r /\ a * x 1%nat r <= x 2%nat r).
  { intros r. assert (A := Private 0%nat r ltac:(lia)). assert (B := Private 1%nat r ltac:(lia)). tauto. }
  destruct (private_repaired a H _ _ _ _ _ _ _ _ _ S0 S1 S2 (C 0%nat) (C 1%nat) (C 2%nat))
    as [x1 [x2 [y0 [y1 [y2 [z0 [z1 [[T0 [T1 T2]] [[Less0 [More1 Less2]]
      [[A0 [B0 C0]] [[A1 [B1 C1]] [A2 [B2 C2]]]]]]]]]]]]].
  set (row := fun p q r : R => [(p, 0%Z); (q, 1%Z); (r, 2%Z)]).
  set (inner := fun u v w => (1 + a * a) * v - a * (u + w)).
  change (0 <= inner (x 0%nat 0%nat) y0 z0) in B0. change (0 <= inner x1 y1 z1) in B1.
  change (0 <= inner x2 y2 (x 2%nat 2%nat)) in B2.
  set (K := fun j => match j with
    | 0%nat => row ((x 0%nat 0%nat - a * y0) / (1 - a)) ((x1 - a * y1) / (1 - a)) ((x2 - a * y2) / (1 - a))
    | 1%nat => row (inner (x 0%nat 0%nat) y0 z0 / (1 - a) ^ 2) (inner x1 y1 z1 / (1 - a) ^ 2)
        (inner x2 y2 (x 2%nat 2%nat) / (1 - a) ^ 2)
    | _ => row ((z0 - a * y0) / (1 - a)) ((z1 - a * y1) / (1 - a)) ((x 2%nat 2%nat - a * y2) / (1 - a))
    end).
  exists K. split.
  - assert (Row : forall p q r, 0 <= p -> 0 <= q -> 0 <= r -> p + q + r = 1 -> proper (row p q r)).
    { intros p q r Hp Hq Hr Hs. split; [intros wa [<- | [<- | [<- | []]]]; assumption |].
      unfold mean, row. simpl. lra. }
    assert (Q : 0 < (1 - a) ^ 2) by (apply pow_lt; lra).
    intros [| [| j]]; apply Row; try (apply Rle_mult_inv_pos; [assumption || lra | lra]).
    + replace ((x 0%nat 0%nat - a * y0) / (1 - a) + (x1 - a * y1) / (1 - a) + (x2 - a * y2) / (1 - a))
        with (((x 0%nat 0%nat + x1 + x2) - a * (y0 + y1 + y2)) / (1 - a)) by (field; lra).
      rewrite T0, T1. field. lra.
    + transitivity (((1 + a * a) * (y0 + y1 + y2) - a * (x 0%nat 0%nat + x1 + x2) - a * (z0 + z1 + x 2%nat 2%nat)) /
        (1 - a) ^ 2); [unfold inner; field; lra |].
      rewrite T0, T1, T2. field. lra.
    + replace ((z0 - a * y0) / (1 - a) + (z1 - a * y1) / (1 - a) + (x 2%nat 2%nat - a * y2) / (1 - a))
        with (((z0 + z1 + x 2%nat 2%nat) - a * (y0 + y1 + y2)) / (1 - a)) by (field; lra).
      rewrite T1, T2. field. lra.
  - intros i loss I G. eapply Rle_trans; [| apply (Loss i loss I G)]. rewrite mean_bind, mean_clamped.
    simpl seq. cbn [total]. unfold clamped_mass. unfold K, row, mean. cbn [total fst snd].
    change (Z.of_nat 0) with 0%Z. change (Z.of_nat 1) with 1%Z. change (Z.of_nat 2) with 2%Z.
    set (l0 := loss 0%Z) in *. set (l1 := loss 1%Z) in *. set (l2 := loss 2%Z) in *.
    assert (N : 1 - a <> 0 /\ 1 + a <> 0) by lra.
    assert (I' : i = 0%nat \/ i = 1%nat \/ i = 2%nat) by lia.
    destruct I' as [-> | [-> | ->]]; cbn [apart Nat.sub Nat.add pow Nat.eqb orb].
    + apply Rle_trans with (x 0%nat 0%nat * l0 + x1 * l1 + x2 * l2); [right; unfold inner; field; lra |].
      assert (L : l1 <= l2) by (apply G; lia). nra.
    + apply Rle_trans with (y0 * l0 + y1 * l1 + y2 * l2); [right; unfold inner; field; lra |].
      assert (L : l1 <= l0) by (apply G; lia). assert (L' : l0 = l2) by (apply Rle_antisym; apply G; lia). nra.
    + apply Rle_trans with (z0 * l0 + z1 * l1 + x 2%nat 2%nat * l2); [right; unfold inner; field; lra |].
      assert (L : l1 <= l0) by (apply G; lia). nra.
Qed.

(** ** Three users *)

(** The expected loss, a function of the distance, under a prior that need not sum to 1. *)
Definition expected_loss (prior : list R) (loss : nat -> R) (M : nat -> dist Z) : R :=
  total (seq 0 4) (fun i => nth i prior 0 * mean (M i) (fun r => loss (Z.abs_nat (r - Z.of_nat i)))).

Definition priors : list (list R) := [[1; 1; 1; 1]; [4; 3; 2; 1]; [1; 0; 0; 1]].
Definition losses : list (nat -> R) := [INR; fun d => INR d ^ 2; fun d => if Nat.eqb d 0 then 0 else 1].

(** The mechanism with its output r replaced. *)
Definition geometric_remapped (a : R) (remapping : list nat) (i : nat) : dist Z :=
  dmap (fun r => Z.of_nat (nth r remapping 0%nat)) (clamped_counts 3 a i).

Lemma losses_grow loss : In loss losses -> forall d e, (d <= e)%nat -> loss d <= loss e.
Proof.
  intros I d e H. assert (L := le_INR d e H). assert (P := pos_INR d).
  destruct I as [<- | [<- | [<- | []]]]; [exact L | simpl; nra |].
  destruct (Nat.eqb_spec d 0), (Nat.eqb_spec e 0); lra || lia.
Qed.

(** It is enough to compare it with every table. *)
Lemma best_of_tables a eps prior loss remapping : 0 < eps -> exp (- eps) = a ->
  In prior priors -> In loss losses ->
  (forall x : nat -> nat -> R, (forall i, (i <= 3)%nat -> total (seq 0 4) (x i) = 1) ->
    (forall i r, (i < 3)%nat -> a * x i r <= x (S i) r /\ a * x (S i) r <= x i r) ->
    total (seq 0 4) (fun i => nth i prior 0 *
      total (seq 0 4) (fun r => (1 + a) * clamped_mass 3 a i r * loss (apart i (nth r remapping 0%nat)))) <=
    (1 + a) * total (seq 0 4) (fun i => nth i prior 0 * total (seq 0 4) (fun r => x i r * loss (apart i r)))) ->
  forall M : nat -> dist Z, (forall i, (i <= 3)%nat -> proper (M i)) -> count_dp 3 M eps ->
  expected_loss prior loss (geometric_remapped a remapping) <= expected_loss prior loss M.
Proof.
  intros He Ha Ip Il H M P D. assert (Grow := losses_grow loss Il). unfold expected_loss.
  assert (A : 0 < 1 + a) by (assert (X := exp_pos (- eps)); lra).
  apply Rmult_le_reg_l with (1 + a); [exact A |].
  eapply Rle_trans; [| eapply Rle_trans; [apply (H (fun i r => Pr (M i) (fun v => Nat.eqb (clamp 3 v) r))) |]].
  - right. rewrite <- total_scal. apply total_ext. intros i _. rewrite <- Rmult_assoc, (Rmult_comm (1 + a)), Rmult_assoc.
    f_equal. rewrite (total_ext _ _ (fun r => (1 + a) * (clamped_mass 3 a i r * loss (apart i (nth r remapping 0%nat)))))
      by (intros r _; ring).
    rewrite total_scal. f_equal. unfold geometric_remapped. rewrite mean_dmap, mean_clamped.
    apply total_ext. intros r _. f_equal. f_equal. unfold apart. lia.
  - apply (table_sum 3 M P).
  - rewrite <- Ha. apply (table_private 3 M eps D).
  - apply Rmult_le_compat_l; [lra |]. apply total_le. intros i I. apply in_seq in I. apply Rmult_le_compat_l.
    + destruct Ip as [<- | [<- | [<- | []]]]; destruct i as [| [| [| [| i]]]]; try lia; simpl; lra.
    + eapply Rle_trans; [| apply (table_loss 3 M P i (fun v => loss (Z.abs_nat (v - Z.of_nat i))) ltac:(lia))].
      * right. apply total_ext. intros r _. f_equal. f_equal. unfold apart. lia.
      * intros r s L. apply Grow. lia.
Qed.

Lemma clamped_numerator n a i r : 1 + a <> 0 ->
  (1 + a) * clamped_mass n a i r = a ^ apart i r * (if (Nat.eqb r 0 || Nat.eqb r n)%bool then 1 else 1 - a).
Proof. intros H. unfold clamped_mass. field. exact H. Qed.

(** One of the cases: linear arithmetic, the 16 entries being the unknowns. *)
Ltac by_linear_arithmetic remapping :=
  exists remapping; apply best_of_tables; [assumption | assumption | simpl; tauto | simpl; tauto |];
  let x := fresh "x" in let S := fresh "S" in let P := fresh "P" in intros x S P;
  generalize (S 0%nat ltac:(lia)), (S 1%nat ltac:(lia)), (S 2%nat ltac:(lia)), (S 3%nat ltac:(lia));
  generalize (P 0%nat 0%nat ltac:(lia)), (P 0%nat 1%nat ltac:(lia)), (P 0%nat 2%nat ltac:(lia)),
    (P 0%nat 3%nat ltac:(lia)), (P 1%nat 0%nat ltac:(lia)), (P 1%nat 1%nat ltac:(lia)), (P 1%nat 2%nat ltac:(lia)),
    (P 1%nat 3%nat ltac:(lia)), (P 2%nat 0%nat ltac:(lia)), (P 2%nat 1%nat ltac:(lia)), (P 2%nat 2%nat ltac:(lia)),
    (P 2%nat 3%nat ltac:(lia));
  clear; cbn [seq total]; rewrite !clamped_numerator by lra; simpl; lra.

Theorem geometric_three_users (eps : R) (prior : list R) (loss : nat -> R) :
  0 < eps -> In (exp (- eps)) [1 / 4; 1 / 2; 2 / 3] -> In prior priors -> In loss losses ->
  exists remapping : list nat, forall M : nat -> dist Z,
  (forall i, (i <= 3)%nat -> proper (M i)) -> count_dp 3 M eps ->
  expected_loss prior loss (geometric_remapped (exp (- eps)) remapping) <= expected_loss prior loss M.
Proof.
  intros He Ia Ip Il.
  destruct Ia as [A | [A | [A | []]]]; rewrite <- A; symmetry in A;
    destruct Ip as [<- | [<- | [<- | []]]]; destruct Il as [<- | [<- | [<- | []]]].
  - by_linear_arithmetic [0; 1; 2; 3]%nat.
  - by_linear_arithmetic [0; 1; 2; 3]%nat.
  - by_linear_arithmetic [0; 1; 2; 3]%nat.
  - by_linear_arithmetic [0; 1; 2; 3]%nat.
  - by_linear_arithmetic [0; 1; 2; 2]%nat.
  - by_linear_arithmetic [0; 1; 2; 3]%nat.
  - by_linear_arithmetic [0; 0; 3; 3]%nat.
  - by_linear_arithmetic [0; 1; 2; 3]%nat.
  - by_linear_arithmetic [0; 0; 3; 3]%nat.
  - by_linear_arithmetic [0; 1; 2; 3]%nat.
  - by_linear_arithmetic [1; 1; 2; 2]%nat.
  - by_linear_arithmetic [0; 1; 2; 3]%nat.
  - by_linear_arithmetic [0; 1; 1; 2]%nat.
  - by_linear_arithmetic [0; 1; 1; 2]%nat.
  - by_linear_arithmetic [0; 1; 2; 2]%nat.
  - by_linear_arithmetic [0; 0; 3; 3]%nat.
  - by_linear_arithmetic [0; 1; 2; 3]%nat.
  - by_linear_arithmetic [0; 0; 3; 3]%nat.
  - by_linear_arithmetic [1; 1; 2; 2]%nat.
  - by_linear_arithmetic [1; 1; 2; 2]%nat.
  - by_linear_arithmetic [0; 1; 2; 3]%nat.
  - by_linear_arithmetic [0; 1; 1; 1]%nat.
  - by_linear_arithmetic [1; 1; 1; 1]%nat.
  - by_linear_arithmetic [0; 1; 1; 1]%nat.
  - by_linear_arithmetic [0; 0; 3; 3]%nat.
  - by_linear_arithmetic [1; 1; 2; 2]%nat.
  - by_linear_arithmetic [0; 0; 3; 3]%nat.
Qed.
