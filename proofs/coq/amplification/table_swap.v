(** The swap bound of a table of rational numbers, as a program: what a user's own randomizer is proved private by.

    A row is a list of the probabilities of the messages 0, 1, ..., k - 1, none of them 0; a randomizer is a row for
    each of finitely many inputs. [swap_check] computes with rational numbers, for each ordered pair of rows and every
    list of r = n - t rows, the bound of one stage (swapped_stages.v), and compares it with delta. Proved
    ([swap_check_dp]): if it answers true, the randomizer is (eps, delta)-DP with n users, and with more, for E <=
    e^eps. It takes the time of (rows k)^r sums: it is for a few users. Source: this package. *)

From Coq Require Import Reals List QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy shuffler hockey_stick independence adding_a_user.
From Exactdp Require Import mean_excess hidden_message blanket uniform_subsets swapped_messages swapped_stages.
From Exactdp Require Import events least_values.
Import ListNotations.

Open Scope Q_scope.

Definition positive_excess (q : Q) : Q := if Qle_bool q 0 then 0 else q.

Section Program.

Context (k : nat) (E : Q).

Let at_place (row : list Q) (m : nat) : Q := nth m row 0.

(** The values (P - E Q)/R with their probabilities under R. *)
Definition swap_values (u v w : list Q) : list (Q * Q) :=
  map (fun m => (at_place w m, Qred ((at_place u m - E * at_place v m) / at_place w m))) (seq 0 k).

(** The mean of max(0, s + the sum of the values). *)
Fixpoint mean_of_excess (laws : list (list (Q * Q))) (s : Q) : Q :=
  match laws with
  | [] => positive_excess s
  | L :: rest => sum_of (map (fun pv => fst pv * mean_of_excess rest (Qred (s + snd pv))) L)
  end.

Definition row_divergence (u v : list Q) : Q :=
  sum_of (map (fun m => positive_excess (at_place u m - E * at_place v m)) (seq 0 k)).

Definition power_of (q : Q) (t : nat) : Q := Nat.iter t (fun x => Qred (q * x)) 1.

Fixpoint lists_of {A} (l : list A) (r : nat) : list (list A) :=
  match r with O => [[]] | S r => flat_map (fun s => map (fun a => a :: s) l) (lists_of l r) end.

Definition row_check (c row : list Q) : bool :=
  Qeq_bool (sum_of (map (at_place row) (seq 0 k))) 1 &&
  forallb (fun m => Qle_bool 0 (at_place c m) && Qle_bool (at_place c m) (at_place row m) &&
    negb (Qeq_bool (at_place row m) 0)) (seq 0 k).

Definition swap_check (rows : list (list Q)) (c : list Q) (n t : nat) (delta : Q) : bool :=
  let left := power_of (1 - sum_of (map (at_place c) (seq 0 k))) t in
  forallb (row_check c) rows &&
  forallb (fun u => forallb (fun v => let alone := row_divergence u v in
    forallb (fun s => Qle_bool
      ((1 - left) * (mean_of_excess (map (swap_values u v) s) 0 / inject_Z (Z.of_nat (n - t))) + left * alone) delta)
      (lists_of rows (n - t))) rows) rows.

(** ** What it means *)

Open Scope R_scope.

Local Arguments Qred : simpl never.
Local Arguments Q2R : simpl never.

Definition row_law (row : list Q) : dist (list nat) := map (fun m => (Q2R (at_place row m), [m])) (seq 0 k).

Lemma mean_row_law row f : mean (row_law row) f = total (seq 0 k) (fun m => Q2R (at_place row m) * f [m]).
Proof. unfold row_law, mean. rewrite total_map. reflexivity. Qed.

Lemma mass_row_law row m : In m (seq 0 k) -> mass (row_law row) [m] = Q2R (at_place row m).
Proof.
  intros I. unfold mass, Pr. rewrite mean_row_law.
  rewrite <- (total_single Nat.eq_dec (seq 0 k) m (Q2R (at_place row m)) (seq_NoDup k 0) I). apply total_ext.
  intros i _. unfold indicator. destruct (same [i] [m]) as [e | e], (Nat.eq_dec m i) as [-> | d]; try ring; congruence.
Qed.

Definition messages_of : list (list nat) := map (fun m => [m]) (seq 0 k).

Lemma row_law_covered row : covers messages_of (row_law row).
Proof. intros wa I. apply in_map_iff in I. destruct I as [m [<- I]]. apply in_map_iff. exists m. auto. Qed.

Lemma messages_NoDup : NoDup messages_of.
Proof. apply FinFun.Injective_map_NoDup; [intros i j e; congruence | apply seq_NoDup]. Qed.

Lemma Q2R_positive_excess q : Q2R (positive_excess q) = Rmax 0 (Q2R q).
Proof.
  unfold positive_excess. rewrite <- Q2R_0. destruct (Qle_bool q 0) eqn:H.
  - apply Qle_bool_R in H. rewrite Rmax_left; [reflexivity | exact H].
  - apply Qle_bool_R_false in H. rewrite Rmax_right; [reflexivity | lra].
Qed.

Lemma Q2R_power_of q t : Q2R (power_of q t) = Q2R q ^ t.
Proof.
  induction t as [| t IH]; [apply RMicromega.Q2R_1 |].
  unfold power_of in *. simpl. rewrite Q2R_red, Q2R_mult, IH. reflexivity.
Qed.

Lemma Q2R_excess_at u v m :
  Q2R (at_place u m - E * at_place v m) = Q2R (at_place u m) - Q2R E * Q2R (at_place v m).
Proof. rewrite Q2R_minus, Q2R_mult. reflexivity. Qed.

Lemma row_divergence_exact u v : hockey_stick (row_law u) (row_law v) (Q2R E) = Q2R (row_divergence u v).
Proof.
  rewrite (hockey_stick_listed _ _ _ messages_of messages_NoDup (row_law_covered u) (row_law_covered v)).
  unfold row_divergence, messages_of. rewrite Q2R_sum_of, !total_map. apply total_ext. intros m I.
  rewrite !mass_row_law, Q2R_positive_excess, Q2R_excess_at by exact I. reflexivity.
Qed.

Lemma row_check_sound c row : row_check c row = true ->
  proper (row_law row) /\ lies_below (row_law c) (row_law row) /\
  forall m, In m (seq 0 k) -> Q2R (at_place row m) <> 0.
Proof.
  unfold row_check. rewrite andb_true_iff, forallb_forall, Qeq_bool_R, Q2R_sum_of, total_map. intros [S H].
  assert (At : forall m, In m (seq 0 k) -> 0 <= Q2R (at_place c m) <= Q2R (at_place row m) /\
    Q2R (at_place row m) <> 0).
  { intros m I. specialize (H m I). rewrite !andb_true_iff, !Qle_bool_R, negb_true_iff, Q2R_0 in H.
    destruct H as [H Z]. apply Qeq_bool_R_false in Z. rewrite Q2R_0 in Z. auto. }
  split; [split | split; [split |]].
  - intros wa I. apply in_map_iff in I. destruct I as [m [<- I]]. simpl. specialize (At m I). lra.
  - rewrite mean_row_law, (total_ext _ _ (fun m => Q2R (at_place row m))) by (intros; ring). rewrite S.
    unfold Q2R. simpl. lra.
  - intros wa I. apply in_map_iff in I. destruct I as [m [<- I]]. simpl. apply (At m I).
  - intros a. destruct (in_dec same a messages_of) as [I | N].
    + apply in_map_iff in I. destruct I as [m [<- I]]. rewrite !mass_row_law by exact I. apply (At m I).
    + rewrite !(mass_outside _ _ _ (row_law_covered _) N). lra.
  - intros m I. apply (At m I).
Qed.

Lemma mean_of_excess_exact u v rows s :
  (forall row, In row rows -> proper (row_law row) /\ forall m, In m (seq 0 k) -> Q2R (at_place row m) <> 0) ->
  mean (draws (map (values_against (row_law u) (row_law v) (Q2R E)) (map row_law rows)))
    (fun values => Rmax 0 (Q2R s + total values (fun a => a))) =
  Q2R (mean_of_excess (map (swap_values u v) rows) s).
Proof.
  revert s. induction rows as [| row rows IH]; intros s H.
  - simpl. rewrite mean_ret. simpl. rewrite Rplus_0_r, Q2R_positive_excess. reflexivity.
  - destruct (H row (or_introl eq_refl)) as [[_ One] Z]. cbn [map mean_of_excess].
    rewrite mean_draws_first, mean_values_against, One, Rminus_diag_eq, Rmult_0_l, Rplus_0_l by reflexivity.
    rewrite mean_row_law.
    unfold swap_values at 2. rewrite Q2R_sum_of, !total_map. apply total_ext. intros m I. cbn [fst snd].
    rewrite Q2R_mult, <- IH by (intros; apply H; right; assumption). f_equal. apply mean_ext. intros values.
    f_equal. unfold value_against. simpl. rewrite !mass_row_law, Q2R_red, Q2R_plus, Q2R_red by exact I.
    rewrite Q2R_div, Q2R_excess_at; [ring |]. intros e. apply Qeq_eqR in e. rewrite Q2R_0 in e. exact (Z m I e).
Qed.

Lemma all_sent u v row : (forall m, In m (seq 0 k) -> Q2R (at_place row m) <> 0) ->
  uncovered (row_law u) (row_law v) (Q2R E) (row_law row) = 0.
Proof.
  intros Z. unfold uncovered. rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros a _.
  destruct (in_dec same a messages_of) as [I | N].
  - apply in_map_iff in I. destruct I as [m [<- I]]. rewrite (mass_row_law row m I).
    destruct (Req_EM_T _ _) as [e | _]; [destruct (Z m I e) | reflexivity].
  - rewrite !(mass_outside _ _ _ (row_law_covered _) N), Rmult_0_r, Rminus_0_r, Rmax_left by lra.
    destruct (Req_EM_T _ _); reflexivity.
Qed.

Lemma in_lists_of {A} (l s : list A) : incl s l -> In s (lists_of l (length s)).
Proof.
  induction s as [| a s IH]; intros I; [left; reflexivity |]. simpl. apply in_flat_map. exists s.
  split; [apply IH; intros b J; apply I; right; exact J |].
  apply in_map_iff. exists a. split; [reflexivity | apply I; left; reflexivity].
Qed.

Lemma incl_map_inv {A B} (f : A -> B) l s : incl s (map f l) -> exists u, s = map f u /\ incl u l.
Proof.
  induction s as [| b s IH]; intros I; [exists []; split; [reflexivity | intros a []] |].
  destruct IH as [u [-> J]]; [intros a K; apply I; right; exact K |].
  destruct (proj1 (in_map_iff _ _ _) (I b (or_introl eq_refl))) as [a [<- Ka]].
  exists (a :: u). split; [reflexivity | intros d [<- | K]; [exact Ka | apply J, K]].
Qed.

Theorem swap_check_dp {X} (own : X -> list Q) inputs c n t eps delta more :
  swap_check (map own inputs) c n t delta = true -> (forall x, In x inputs) -> (1 <= t < n)%nat -> (n <= more)%nat ->
  Q2R E <= exp eps -> shuffle_dp more (fun x => row_law (own x)) eps (Q2R delta).
Proof.
  unfold swap_check. set (left := power_of _ t). rewrite andb_true_iff, !forallb_forall. intros [Rows H] All T More HE.
  assert (Row : forall x, In (own x) (map own inputs)) by (intros x; apply in_map, All).
  assert (Sound := fun x => row_check_sound c (own x) (Rows _ (Row x))).
  apply (adding_users n more); [lia | intros x; apply (Sound x) |].
  apply (swap_dp n _ (fun _ _ => row_law c) (Q2R E) [t]); try exact HE.
  - intros x. apply (Sound x).
  - intros _ _ v. apply (Sound v).
  - simpl. lia.
  - intros x y others L. unfold in_stages_of, in_stages. rewrite map_length.
    replace (S (length others) - t)%nat with (n - t)%nat by lia.
    assert (W : (1 - weight (row_law c)) ^ t = Q2R left).
    { unfold left, weight. rewrite Q2R_power_of, Q2R_minus, RMicromega.Q2R_1, Q2R_sum_of, total_map, mean_row_law.
      rewrite (total_ext _ _ (fun m => Q2R (at_place c m))) by (intros; ring). reflexivity. }
    rewrite W, row_divergence_exact. simpl pow. set (alone := row_divergence (own x) (own y)) in *.
    assert (Each : over_subsets (n - t) (map (fun x => row_law (own x)) others) (fun s => (1 - Q2R left) *
      shared_excess (row_law (own x)) (row_law (own y)) (Q2R E) s) <= Q2R delta - Q2R left * Q2R alone).
    { rewrite <- (over_subsets_const (n - t) (map (fun x => row_law (own x)) others) (Q2R delta - Q2R left * Q2R alone))
        by (rewrite map_length; lia).
      apply over_subsets_le. intros s Ls Is. destruct (incl_map_inv _ _ _ Is) as [us [-> _]].
      rewrite map_length in Ls. specialize (H _ (Row x)). rewrite forallb_forall in H. specialize (H _ (Row y)).
      fold alone in H. rewrite forallb_forall in H.
      assert (I : In (map own us) (lists_of (map own inputs) (n - t))).
      { rewrite <- Ls, <- (map_length own us). apply in_lists_of. intros v J. apply in_map_iff in J.
        destruct J as [z [<- _]]. apply Row. }
      specialize (H _ I). apply Qle_bool_R in H. unfold Qdiv in H.
      rewrite Q2R_plus, !Q2R_mult, Q2R_minus, RMicromega.Q2R_1, Q2R_inv in H by (unfold Qeq; simpl; lia).
      unfold shared_excess. rewrite map_length, Ls, <- (map_map own row_law).
      rewrite (total_ext _ _ (fun _ => 0)), total_zero.
      2: { intros d J. apply in_map_iff in J. destruct J as [w [<- J]]. apply in_map_iff in J. destruct J as [z [<- _]].
        apply all_sent, (Sound z). }
      replace (INR (n - t)) with (Q2R (inject_Z (Z.of_nat (n - t)))) by
        (unfold Q2R; simpl; rewrite INR_IZR_INZ; lra).
      assert (M := mean_of_excess_exact (own x) (own y) (map own us) 0).
      rewrite Q2R_0, (mean_ext _ _ (fun values => Rmax 0 (total values (fun a => a)))) in M
        by (intros; rewrite Rplus_0_l; reflexivity).
      rewrite M; [unfold Rdiv; rewrite Rplus_0_r; lra |].
      intros row J. apply in_map_iff in J. destruct J as [z [<- _]].
      split; apply (Sound z). }
    unfold over_subsets in *. rewrite mean_scal in Each. lra.
Qed.


End Program.
