(** Bounds of a divergence from enclosed weights.

    Let P and Q be laws, finite or infinite, and E >= 0.

    From above: let the outcomes be put into finitely many cells, such that cell b has at most the
    probability p b under P; a cell is a single outcome with at least the probability q b under Q, or q b
    is 0. Then P is (E, delta)-below Q for delta = sum of max(0, p b - E q b) ([enclosed_above]).

    From below: for distinct outcomes with lower bounds of P and upper bounds of Q, the sum of
    max(0, p - E q) is at most every delta with which P is (E, delta)-below Q ([enclosed_below]).

    The checker has integers that enclose the weights, of which the probabilities are quotients by a total
    that is enclosed as well: it divides an upper bound by the lower bound of the total, a lower bound by
    the upper one, and takes a rational number below or above e^eps ([enclosed_above_total],
    [enclosed_below_total]). Cells with more than one outcome are those that it did not reach.

    The function bound_divergences of exactdp/checker/noise_privacy.py rests on it.
    Source: docs/certificates.md, the kind shift_dp. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums masses hockey_stick steps.
Import ListNotations.
Open Scope R_scope.

(** What is known of a cell. *)
Definition cell_bounds {A B} (cell : A -> B) (P Q : A -> R) (p q : B -> R) (b : B) : Prop :=
  0 <= p b /\ (forall l, NoDup l -> (forall a, In a l -> cell a = b) -> total l P <= p b) /\
  (q b = 0 \/ exists a, (forall c, cell c = b -> c = a) /\ q b <= Q a).

Lemma enclosed_above {A B} (cell : A -> B) (bs : list B) (P Q : A -> R) (p q : B -> R) E :
  (forall a, 0 <= P a) -> (forall a, 0 <= Q a) -> 0 <= E -> NoDup bs -> (forall a, In (cell a) bs) ->
  (forall b, In b bs -> cell_bounds cell P Q p q b) ->
  mass_below P Q E (total bs (fun b => Rmax 0 (p b - E * q b))).
Proof.
  intros HP HQ HE Nb Cover H. apply mass_hockey_stick_iff. intros l N.
  rewrite (total_by_class cell). eapply Rle_trans; [| apply (total_incl (nodup same (map cell l)))].
  - apply total_le. intros b I. assert (Ib : In b bs).
    { apply nodup_In, in_map_iff in I. destruct I as [a [<- _]]. apply Cover. }
    destruct (H b Ib) as [Pb [Up Single]]. set (m := filter (in_class cell b) l).
    assert (Nm : NoDup m) by (apply NoDup_filter, N).
    assert (Im : forall a, In a m -> cell a = b).
    { intros a Ia. apply filter_In in Ia. destruct Ia as [_ E']. unfold in_class in E'.
      destruct (same (cell a) b); [assumption | discriminate]. }
    destruct Single as [Z | [a [One Qa]]].
    + rewrite Z, Rmult_0_r, Rminus_0_r. rewrite Rmax_right by exact Pb.
      eapply Rle_trans; [| apply Up; eassumption]. apply total_le. intros c _.
      apply Rmax_lub; [apply HP |]. assert (0 <= E * Q c) by (apply Rmult_le_pos; [exact HE | apply HQ]). lra.
    + clearbody m. destruct m as [| c rest]; [apply Rmax_l |].
      assert (c = a) by (apply One, Im; left; reflexivity). subst c. destruct rest as [| c rest].
      * simpl. rewrite Rplus_0_r. apply Rle_max_compat_l. assert (U := Up [a] Nm Im). simpl in U.
        apply (Rmult_le_compat_l E) in Qa; lra.
      * exfalso. assert (c = a) by (apply One, Im; right; left; reflexivity). subst c.
        inversion Nm as [| ? ? F _]; subst. apply F. left. reflexivity.
  - apply NoDup_nodup.
  - intros b I. apply nodup_In, in_map_iff in I. destruct I as [a [<- _]]. apply Cover.
  - intros b _. apply Rmax_l.
Qed.

Lemma enclosed_below {A} (l : list A) (P Q p q : A -> R) E delta :
  NoDup l -> 0 <= E -> (forall a, In a l -> p a <= P a /\ Q a <= q a) -> mass_below P Q E delta ->
  total l (fun a => Rmax 0 (p a - E * q a)) <= delta.
Proof.
  intros N HE H B. eapply Rle_trans; [| apply (proj1 (mass_hockey_stick_iff P Q E delta) B l N)].
  apply total_le. intros a I. destruct (H a I) as [Hp Hq]. apply Rle_max_compat_l.
  apply (Rmult_le_compat_l E) in Hq; lra.
Qed.

(** ** With weights in place of probabilities *)

Lemma scaled_max x c : 0 < c -> Rmax 0 (x / c) = Rmax 0 x / c.
Proof.
  intros H. unfold Rdiv. rewrite (Rmult_comm x), (Rmult_comm (Rmax 0 x)).
  rewrite <- RmaxRmult by (left; apply Rinv_0_lt_compat, H). rewrite Rmult_0_r. reflexivity.
Qed.

Lemma total_scaled_max {B} (bs : list B) (p q : B -> R) E W :
  0 < W -> total bs (fun b => Rmax 0 (p b / W - E * (q b / W))) = total bs (fun b => Rmax 0 (p b - E * q
    b)) / W.
Proof.
  intros H. unfold Rdiv. rewrite <- total_scal_r. apply total_ext. intros b _.
  fold (Rdiv (Rmax 0 (p b - E * q b)) W). rewrite <- scaled_max by exact H. f_equal. field. lra.
Qed.

Lemma total_max_falls {B} (bs : list B) (p q : B -> R) L E :
  (forall b, 0 <= q b) -> L <= E ->
  total bs (fun b => Rmax 0 (p b - E * q b)) <= total bs (fun b => Rmax 0 (p b - L * q b)).
Proof.
  intros Hq H. apply total_le. intros b _. apply Rle_max_compat_l.
  assert (L * q b <= E * q b) by (apply Rmult_le_compat_r; [apply Hq | exact H]). lra.
Qed.

(** W is the total of all weights, [low_total] a lower bound of it, L one of E. *)
Theorem enclosed_above_total {A B} (cell : A -> B) (bs : list B) (P Q : A -> R) (p q : B ->
  R) E L W low_total :
  (forall a, 0 <= P a) -> (forall a, 0 <= Q a) -> 0 <= E -> L <= E -> NoDup bs -> (forall a,
    In (cell a) bs) ->
  (forall b, 0 <= q b) -> 0 < low_total <= W ->
  (forall b, In b bs -> cell_bounds cell P Q (fun b => p b / W) (fun b => q b / W) b) ->
  mass_below P Q E (total bs (fun b => Rmax 0 (p b - L * q b)) / low_total).
Proof.
  intros HP HQ HE HL Nb Cover Hq [W0 W1] H l N.
  eapply Rle_trans; [apply (enclosed_above cell bs P Q _ _ E HP HQ HE Nb Cover H l N) |].
  apply Rplus_le_compat_l. rewrite total_scaled_max by lra.
  apply Rmult_le_compat.
  - apply total_nonneg. intros b _. apply Rmax_l.
  - left. apply Rinv_0_lt_compat. lra.
  - apply total_max_falls; assumption.
  - apply Rinv_le_contravar; assumption.
Qed.

(** W is the total of all weights, [high_total] an upper bound of it, U one of E. *)
Theorem enclosed_below_total {A} (l : list A) (P Q p q : A -> R) E U W high_total delta :
  NoDup l -> 0 <= E <= U -> 0 < W <= high_total -> (forall a, 0 <= q a) ->
  (forall a, In a l -> p a / W <= P a /\ Q a <= q a / W) -> mass_below P Q E delta ->
  total l (fun a => Rmax 0 (p a - U * q a)) / high_total <= delta.
Proof.
  intros N [HE HU] [W0 W1] Hq H B.
  eapply Rle_trans; [| apply (enclosed_below l P Q (fun a => p a / W) (fun a => q a / W) E delta N HE H B)].
  rewrite total_scaled_max by exact W0. apply Rmult_le_compat.
  - apply total_nonneg. intros b _. apply Rmax_l.
  - left. apply Rinv_0_lt_compat. lra.
  - apply total_max_falls; assumption.
  - apply Rinv_le_contravar; assumption.
Qed.
