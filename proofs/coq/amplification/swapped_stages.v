(** The swap in stages, and what it says of shuffled protocols.

    As in swapped_messages.v. Proved, for N others:

    - [fewer_hide_less]: the mean of [shared_excess] over uniform subsets does not fall as the subsets become smaller,
      for any proper rows, of 1 or more users;
    - [swap_in_stages]: so the bound holds in stages, [in_stages_of]: for ends 0 = t_0 < t_1 < ... < t_J <= N the stage
      j has the weight (1 - gamma)^t_(j-1) - (1 - gamma)^t_j and subsets of N + 1 - t_j others, and (1 - gamma)^t_J is
      left for the divergence of P and Q. One stage charges all that happens before t_1 as if it happened there;
    - [swap_bound], [swap_bound_shuffled]: the bound of two neighbouring data sets of any randomizer of any number of
      messages, under the events that ignore the order, and as the divergence of what the shuffler, as a program, puts
      out. The others may hold anything, and their rows may be any: a record may say which randomizer its user runs;
    - [swap_dp]: so n users are (eps, delta)-DP if the bound is at most delta for every pair of inputs and all others;
    - [shared_excess_of_copies]: where all rows are equal the number is [reference_bound], which is the divergence
      itself (homogeneous.v).

    Idea of the first: a sum is the mean of the sums without one term, and max(0, .) is convex. Source: this package
    (docs/soundness.md, "Swapped messages bound every data set"). *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws shuffler privacy hockey_stick independence.
From Exactdp Require Import adding_a_user mean_excess hidden_message increasing_convex_order blanket
  uniform_subsets swapped_messages.
Import ListNotations.
Open Scope R_scope.

(** ** Fewer users hide less *)

Lemma picked_draws {A} (ds : list (dist A)) F :
  Forall proper ds ->
  total (picks ds) (fun p => mean (draws (snd p)) F) =
  mean (draws ds) (fun l => total (picks l) (fun q => F (snd q))).
Proof.
  intros H. revert F. induction H as [| d ds Hd Hs IH]; intros F; [simpl; rewrite mean_ret; reflexivity |].
  rewrite total_picks, mean_draws_first. cbn [fst snd].
  rewrite (total_ext _ _ (fun p => mean d (fun b => mean (draws (snd p)) (fun l => F (b :: l)))))
    by (intros p _; apply mean_draws_first).
  rewrite total_of_means, <- (mean_const d (mean (draws ds) F) Hd), <- mean_plus. apply mean_ext. intros b.
  rewrite (IH (fun l => F (b :: l))), <- mean_plus. apply mean_ext. intros l.
  rewrite total_picks. reflexivity.
Qed.

Lemma total_picked {A} (l : list A) f :
  total (picks l) (fun p => total (snd p) f) = (INR (length l) - 1) * total l f.
Proof.
  induction l as [| a l IH]; [simpl; ring |].
  rewrite total_picks. cbn [snd total length].
  rewrite total_plus, IH, total_const, picks_length, S_INR. ring.
Qed.

Lemma mean_draws_length {A} (ds : list (dist A)) (F : nat -> list A -> R) :
  mean (draws ds) (fun l => F (length l) l) = mean (draws ds) (F (length ds)).
Proof.
  revert F. induction ds as [| d ds IH]; intros F; [simpl; rewrite !mean_ret; reflexivity |].
  rewrite !mean_draws_first. apply mean_ext. intros a. apply (IH (fun k l => F (S k) (a :: l))).
Qed.

Lemma picks_map {A B} (h : A -> B) l : picks (map h l) = map (fun p => (h (fst p), map h (snd p))) (picks l).
Proof. induction l as [| a l IH]; simpl; [reflexivity |]. rewrite IH, !map_map. reflexivity. Qed.

Lemma positive_part_of_total {A} (l : list A) f : Rmax 0 (total l f) <= total l (fun a => Rmax 0 (f a)).
Proof.
  induction l as [| a l IH]; simpl; [rewrite Rmax_left; lra |].
  assert (X := Rmax_l 0 (f a)). assert (X' := Rmax_r 0 (f a)).
  assert (Y := Rmax_r 0 (total l f)). assert (Y' := Rmax_l 0 (total l f)). apply Rmax_lub; lra.
Qed.

Lemma shared_excess_of_picks {A} (P Q : dist A) E rows :
  (2 <= length rows)%nat -> Forall proper rows ->
  shared_excess P Q E rows <= mean (uniform (picks rows)) (fun p => shared_excess P Q E (snd p)).
Proof.
  intros L H. rewrite mean_uniform, picks_length. unfold shared_excess.
  set (part := fun l : list R => Rmax 0 (total l (fun v => v))).
  set (laws := fun s => map (values_against P Q E) s).
  assert (K : 0 < INR (length rows)) by (apply lt_0_INR; lia).
  assert (K1 : 0 < INR (length rows) - 1) by (replace 1 with (INR 1) by reflexivity; apply Rlt_Rminus, lt_INR; lia).
  rewrite (total_ext (picks rows) _ (fun p => / (INR (length rows) - 1) *
    (mean (draws (laws (snd p))) part + total (snd p) (uncovered P Q E)))).
  2: { intros p I. rewrite (pick_length rows p I), S_INR. replace (INR (length (snd p)) + 1 - 1) with
    (INR (length (snd p))) by ring. unfold Rdiv. apply Rmult_comm. }
  rewrite total_scal, total_plus, total_picked.
  assert (Laws : Forall proper (laws rows)).
  { unfold laws. apply Forall_forall. intros d I. apply in_map_iff in I. destruct I as [e [<- I]].
    assert (X := proj1 (Forall_forall _ _) H e I).
    apply proper_values_against; [exact (proj1 X) | rewrite (proj2 X); apply Rle_refl]. }
  assert (Parts : (INR (length rows) - 1) * mean (draws (laws rows)) part <=
    total (picks rows) (fun p => mean (draws (laws (snd p))) part)).
  { replace (total (picks rows) _) with (total (picks (laws rows)) (fun p => mean (draws (snd p)) part))
      by (unfold laws; rewrite picks_map, total_map; reflexivity).
    rewrite picked_draws by exact Laws. rewrite <- mean_scal.
    rewrite <- (map_length (values_against P Q E) rows). fold (laws rows).
    rewrite <- (mean_draws_length (laws rows) (fun k l => (INR k - 1) * part l)).
    apply mean_le; [apply proper_draws, Laws |]. intros l. unfold part.
    apply Rle_trans with (Rmax 0 (total (picks l) (fun q => total (snd q) (fun v => v)))).
    - rewrite total_picked. destruct l as [| v l]; [simpl; rewrite !Rmax_left; lra |].
      assert (0 <= INR (length (v :: l)) - 1) by (simpl length; rewrite S_INR; assert (X := pos_INR (length l)); lra).
      rewrite <- RmaxRmult, Rmult_0_r by assumption. apply Rle_refl.
    - apply positive_part_of_total. }
  apply Rmult_le_reg_l with (INR (length rows)); [exact K |].
  apply Rmult_le_reg_l with (INR (length rows) - 1); [exact K1 |].
  set (X := mean (draws (laws rows)) part) in *. set (Y := total (picks rows) _) in *.
  set (Z := total rows (uncovered P Q E)).
  replace ((INR (length rows) - 1) * (INR (length rows) * ((X + Z) / INR (length rows))))
    with ((INR (length rows) - 1) * X + (INR (length rows) - 1) * Z) by (field; lra).
  replace ((INR (length rows) - 1) * (INR (length rows) * (/ INR (length rows) *
    (/ (INR (length rows) - 1) * (Y + (INR (length rows) - 1) * Z))))) with (Y + (INR (length rows) - 1) * Z)
    by (field; lra).
  lra.
Qed.

(** The mean over uniform subsets rises as the subsets become smaller. *)
Theorem fewer_hide_less {A} (P Q : dist A) E rows r s :
  Forall proper rows -> (1 <= r <= s)%nat -> (s <= length rows)%nat ->
  over_subsets s rows (shared_excess P Q E) <= over_subsets r rows (shared_excess P Q E).
Proof.
  intros H [R1 Rs]. induction Rs as [| s Rs IH]; intros L; [apply Rle_refl |].
  eapply Rle_trans; [| apply IH; lia]. rewrite <- (pick_sublists s rows (shared_excess P Q E)) by lia.
  apply over_subsets_le. intros u Lu Iu. apply shared_excess_of_picks; [lia |].
  apply Forall_forall. intros d I. apply (proj1 (Forall_forall _ _) H d), Iu, I.
Qed.

(** ** Stages *)

(** The bound in stages that end at the steps of a list: between two ends as many users hide as at the later one. *)
Fixpoint in_stages (before : nat) (ends : list nat) (n : nat) (gamma H : R) (F : nat -> R) : R :=
  match ends with
  | [] => (1 - gamma) ^ before * H
  | t :: rest => ((1 - gamma) ^ before - (1 - gamma) ^ t) * F (S n - t)%nat + in_stages t rest n gamma H F
  end.

Fixpoint rising (before : nat) (ends : list nat) (n : nat) : Prop :=
  match ends with
  | [] => True
  | t :: rest => (before < t <= n)%nat /\ rising t rest n
  end.

Fixpoint last_end (before : nat) (ends : list nat) : nat :=
  match ends with
  | [] => before
  | t :: rest => last_end t rest
  end.

Lemma last_end_bounds before ends n :
  rising before ends n -> (before <= last_end before ends)%nat /\ (before <= n -> last_end before ends <= n)%nat.
Proof.
  revert before. induction ends as [| t rest IH]; intros before H; [simpl; lia |]. destruct H as [H1 H2].
  specialize (IH t H2). simpl. lia.
Qed.

Lemma geometric_weights gamma a k :
  total (seq a k) (fun i => gamma * (1 - gamma) ^ i) = (1 - gamma) ^ a - (1 - gamma) ^ (a + k).
Proof.
  revert a. induction k as [| k IH]; intros a; simpl; [rewrite Nat.add_0_r; ring |].
  rewrite IH. replace (S a + k)%nat with (a + S k)%nat by lia. simpl. ring.
Qed.

Lemma stages_above before ends n gamma H (F : nat -> R) :
  0 <= gamma <= 1 -> rising before ends n -> (forall r s, (1 <= r <= s)%nat -> (s <= n)%nat -> F s <= F r) ->
  (1 - gamma) ^ (last_end before ends) * H +
  total (seq before (last_end before ends - before)) (fun i => gamma * (1 - gamma) ^ i * F (n - i)%nat) <=
  in_stages before ends n gamma H F.
Proof.
  intros G. revert before. induction ends as [| t rest IH]; intros before Hr Hf.
  - simpl. rewrite Nat.sub_diag. simpl. lra.
  - destruct Hr as [H1 H2]. assert (B := last_end_bounds t rest n H2). cbn [in_stages].
    cbn [last_end].
    replace (last_end t rest - before)%nat with ((t - before) + (last_end t rest - t))%nat by lia.
    rewrite seq_app, total_app. replace (before + (t - before))%nat with t by lia.
    specialize (IH t H2 Hf).
    assert (First : total (seq before (t - before)) (fun i => gamma * (1 - gamma) ^ i * F (n - i)%nat) <=
      ((1 - gamma) ^ before - (1 - gamma) ^ t) * F (S n - t)%nat).
    { replace ((1 - gamma) ^ before - (1 - gamma) ^ t)
        with (total (seq before (t - before)) (fun i => gamma * (1 - gamma) ^ i))
        by (rewrite geometric_weights; repeat f_equal; lia).
      rewrite <- total_scal_r. apply total_le. intros i I. apply in_seq in I. apply Rmult_le_compat_l.
      - apply Rmult_le_pos; [lra | apply pow_le; lra].
      - apply Hf; lia. }
    lra.
Qed.

Definition in_stages_of {A} (P Q c : dist A) E ends (rows : list (dist A)) : R :=
  in_stages 0 ends (length rows) (weight c) (hockey_stick P Q E)
    (fun r => over_subsets r rows (shared_excess P Q E)).

Lemma weight_nonneg {A} (c : dist A) : sub_law c -> 0 <= weight c.
Proof.
  intros H. rewrite <- (Rmult_0_l (weight c)). unfold weight. rewrite <- mean_scal.
  apply mean_le_sub_law; [exact H | intros; lra].
Qed.

(** The swap in stages, for the laws of what users send. *)
Theorem swap_in_stages {A} (P Q : dist A) E (c : dist A) ends rows g :
  sub_law c -> Forall (fun d => proper d /\ lies_below c d) rows -> rising 0 ends (length rows) ->
  orderless g -> (forall l, 0 <= g l <= 1) ->
  mean (draws (P :: rows)) g - E * mean (draws (Q :: rows)) g <= in_stages_of P Q c E ends rows.
Proof.
  intros Hc H Hr O G. assert (B := last_end_bounds 0 ends (length rows) Hr).
  eapply Rle_trans; [apply (swap_of_laws P Q E c Hc (last_end 0 ends) rows g); [lia | exact H | split; assumption] |].
  unfold in_stages_of. assert (W := weight_nonneg c Hc). destruct rows as [| d rows].
  - destruct ends as [| t ends]; [simpl; lra | destruct Hr; simpl in *; lia].
  - assert (W1 : weight c <= 1) by (inversion H as [| ? ? [X Y] _]; apply (weight_below c d); assumption).
    eapply Rle_trans; [| apply stages_above; [lra | exact Hr |]].
    + rewrite Nat.sub_0_r. apply Rle_refl.
    + intros r s H1 H2. apply fewer_hide_less; [| exact H1 | exact H2].
      revert H. apply Forall_impl. intros e [X _]. exact X.
Qed.

(** ** With a shuffler *)

Lemma view_below {X M} (R : X -> dist (list M)) x y others E delta :
  (forall g, orderless g -> (forall l, 0 <= g l <= 1) ->
    mean (draws (R x :: map R others)) g - E * mean (draws (R y :: map R others)) g <= delta) ->
  shuffle_below R (x :: others) (y :: others) E delta.
Proof.
  intros H T S. unfold Pr. rewrite !messages_of_bundles. simpl map.
  specialize (H (fun l => indicator T (concat l))). cbv beta in H.
  enough (mean (draws (R x :: map R others)) (fun l => indicator T (concat l)) -
    E * mean (draws (R y :: map R others)) (fun l => indicator T (concat l)) <= delta) by lra.
  apply H.
  - intros l m P. apply orderless_indicator; [exact S | apply concat_permutation, P].
  - intros l. apply indicator_bounds.
Qed.

Theorem swap_bound {X M} (R : X -> dist (list M)) (c : dist (list M)) x y others E ends :
  (forall v, In v others -> proper (R v)) -> sub_law c -> (forall v, In v others -> lies_below c (R v)) ->
  rising 0 ends (length others) ->
  shuffle_below R (x :: others) (y :: others) E (in_stages_of (R x) (R y) c E ends (map R others)).
Proof.
  intros HR Hc Hb Hr. apply view_below. intros g O G. apply swap_in_stages; try assumption.
  - apply Forall_forall. intros d I. apply in_map_iff in I. destruct I as [v [<- I]].
    split; [apply HR, I | apply Hb, I].
  - rewrite map_length. exact Hr.
Qed.

(** The same of what the shuffler, as a program, puts out. *)
Theorem swap_bound_shuffled {X M} (R : X -> dist (list M)) (c : dist (list M)) x y others E ends :
  (forall v, In v others -> proper (R v)) -> sub_law c -> (forall v, In v others -> lies_below c (R v)) ->
  rising 0 ends (length others) ->
  hockey_stick (bind (messages R (x :: others)) shuffler) (bind (messages R (y :: others)) shuffler) E <=
  in_stages_of (R x) (R y) c E ends (map R others).
Proof. intros HR Hc Hb Hr. apply hockey_stick_iff, ordered_output. apply swap_bound; assumption. Qed.

Theorem swap_dp {X M} n (R : X -> dist (list M)) (c : X -> X -> dist (list M)) E ends eps delta :
  (forall v, proper (R v)) -> (forall x y v, lies_below (c x y) (R v)) -> E <= exp eps -> rising 0 ends (n - 1) ->
  (forall x y others, S (length others) = n -> in_stages_of (R x) (R y) (c x y) E ends (map R others) <= delta) ->
  shuffle_dp n R eps delta.
Proof.
  intros HR Hc HE Hr H. apply (shuffle_dp_first n R E); [exact HR | exact HE |]. intros x y others L T S.
  assert (B := swap_bound R (c x y) x y others E ends (fun v _ => HR v) (proj1 (Hc x y x)) (fun v _ => Hc x y v)).
  rewrite <- L in Hr. simpl in Hr. rewrite Nat.sub_0_r in Hr. specialize (B Hr T S). specialize (H x y others L). lra.
Qed.

(** ** Where all others hold one input *)

Theorem shared_excess_of_copies {A} (P Q : dist A) E d n :
  (1 <= n)%nat -> shared_excess P Q E (repeat d n) = reference_bound n P Q E d.
Proof.
  intros H. assert (0 < INR n) by (apply lt_0_INR; lia).
  unfold shared_excess, reference_bound, mean_excess, copies. rewrite repeat_length.
  replace (map (values_against P Q E) (repeat d n)) with (repeat (values_against P Q E d) n)
    by (clear; induction n as [| n IH]; simpl; [| rewrite IH]; reflexivity).
  replace (total (repeat d n) (uncovered P Q E)) with (INR n * uncovered P Q E d); [field; lra |].
  clear. induction n as [| n IH]; [simpl; ring |]. rewrite S_INR. simpl repeat. simpl total. rewrite <- IH. ring.
Qed.
