(** The kind shuffle_dp, proved by a blanket: [check_blanket] accepts only what holds ([check_blanket_sound]). For
    every table, the clipped Laplace law and the other families, all n >= 1, one number of users or all from it, any
    level, delta and witness. Source: docs/certificates.md. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy single_message least_values classes blanket mean_excess.
From ExactdpChecker Require Import claims witnesses kinds levels.
From ExactdpChecker Require Import blanket_program blanket_sound matrix_blanket likelihood_checked family_rows.
From ExactdpChecker Require posed.
Import ListNotations.
Open Scope R_scope.

Lemma exact_numbers n s k : (1 <= n)%Z -> in_scope s (Z.to_nat n) k -> (1 <= Pos.to_nat (Z.to_pos n) <= k)%nat.
Proof. intros H. rewrite <- Z2Nat.inj_pos, Z2Pos.id by lia. destruct s; simpl; lia. Qed.

(** The order of the messages of an outcome is not seen. *)
Lemma ordered_private t k F delta :
  table_posed t ->
  shuffle_dp k (fun x => row_in (ordered_table t) (Nat.min x (length (rows (ordered_table t)) - 1))) (ln F) delta ->
  shuffle_dp k (table_law t) (ln F) delta.
Proof.
  intros P D. assert (P' := ordered_posed t P). set (o := ordered_table t) in *.
  intros xs ys N L T S. specialize (D xs ys N L T S).
  assert (Same : forall zs, messages (fun x => row_in o (Nat.min x (length (rows o) - 1))) zs = messages (table_law
    o) zs).
  { induction zs as [| z zs IH]; cbn [messages]; [reflexivity | rewrite IH, <- table_law_place by exact P';
    reflexivity]. }
  assert (Ext : forall zs, Pr (messages (fun x => row_in o (Nat.min x (length (rows o) - 1))) zs) T =
    Pr (messages (table_law t) zs) T).
  { intros zs. rewrite Same. apply ordered_messages. intros u v Q. unfold indicator. rewrite (S u v Q). reflexivity. }
  rewrite !Ext in D. exact D.
Qed.

Definition masses_are_good (classes : list rational_class) : bool :=
  forallb (fun k => Qle_bool 0 (under_reference k)) classes && Qle_bool (sum_of (map under_reference classes)) 1.

Lemma pairs_blanketed {A} (row : nat -> dist A) d pairs E bits limit n delta bounds :
  pairs_right row d pairs -> forallb masses_are_good (map of_blanket pairs) = true ->
  all_below (fun classes => least_values E classes) bits limit n delta (map of_blanket pairs) [] bounds = true ->
  blanketed row d (Pos.to_nat n) (Q2R E) (Q2R delta).
Proof.
  intros [Pr [c [L Each]]] Good H. exists c. split; [auto |]. intros x y X Y.
  destruct (Each x y X Y) as [Same | [pair [I [_ [B _]]]]]; [left; exact Same | right].
  apply (in_map of_blanket) in I. rewrite forallb_forall in Good. specialize (Good _ I). apply andb_true_iff in Good.
  destruct Good as [Nonneg Most]. rewrite (tells_bounds _ _ _ _ B). apply bounded_class_bound.
  - apply Forall_forall. intros k J. rewrite forallb_forall in Nonneg. rewrite <- Q2R_0. apply Qle_bool_R, Nonneg, J.
  - apply Qle_bool_R in Most. rewrite Q2R_sum_of, total_map in Most. eapply Rle_trans; [exact Most |].
    rewrite RMicromega.Q2R_1. apply Rle_refl.
  - assert (A' := all_below_sound _ _ _ _ _ _ _ _ H (Forall_nil _)). rewrite Forall_forall in A'. apply A', I.
Qed.

(** What the program shows of a randomizer, for its program. *)
Lemma randomizer_private r E bits limit n delta bounds k F :
  randomizer_posed r -> (Pos.to_nat n <= k)%nat -> Q2R E <= F -> 1 <= F -> 0 <= Q2R delta ->
  randomizer_is_below r E bits limit n delta bounds = true ->
  for_program r (fun _ _ R => shuffle_dp k R (ln F) (Q2R delta)).
Proof.
  intros P Hk HE HF Hd H. assert (Hn : (1 <= Pos.to_nat n <= k)%nat) by lia.
  destruct r as [t | f].
  { cbn [for_program randomizer_is_below randomizer_posed] in *.
    assert (P' := ordered_posed t P). set (o := ordered_table t) in *.
    assert (B := table_blanketed o E bits limit n delta bounds P' H).
    assert (D := blanketed_dp _ _ _ k _ F _ (table_inputs o P') Hn HE HF Hd B).
    exact (ordered_private t k F (Q2R delta) P D). }
  assert (D : (0 < Z.to_nat (inputs_of f))%nat) by (destruct f; cbn [randomizer_posed family_posed inputs_of] in *; lia).
  assert (Supports : forall s, supports_of f = Some s ->
    (forallb (fun k => Qle_bool 0 (under_reference k)) (family_classes s) &&
     Qle_bool (sum_of (map under_reference (family_classes s))) 1 &&
     all_below (fun classes => least_values E classes) bits limit n delta [family_classes s] [] bounds)%bool = true ->
    for_program (Family f) (fun _ _ R => shuffle_dp k R (ln F) (Q2R delta))).
  { intros s S B. apply andb_true_iff in B. destruct B as [Good B].
    assert (Good' : forallb masses_are_good [family_classes s] = true)
      by (cbn [forallb]; unfold masses_are_good; rewrite Good; reflexivity).
    assert (Rows := family_rows f s P S). destruct f; cbn [for_program] in *; destruct Rows as [row [-> [Right _]]];
      exact (blanketed_dp_one_message row _ _ k (Q2R E) F _ D Hn HE HF Hd
        (pairs_blanketed row _ _ E bits limit n delta bounds Right Good' B)). }
  destruct f as [| | | | | top ratio]; cbn [randomizer_is_below] in H;
    try (destruct (supports_of _) as [s |] eqn:S; [exact (Supports s eq_refl H) | discriminate]).
  cbn [for_program randomizer_posed family_posed inputs_of] in *.
  apply andb_true_iff in H. destruct H as [H1 H]. destruct P as [P1 P2].
  assert (B := laplace_blanketed _ _ E bits limit n delta bounds P2 H1 H).
  unfold on_inputs. replace (Z.to_nat (top + 1)) with (S (Z.to_nat top)) by lia.
  apply (blanketed_dp_one_message _ (S (Z.to_nat top)) (Pos.to_nat n) k (Q2R E)); try assumption. lia.
Qed.

Theorem check_blanket_sound r n s nb l delta w proved shown :
  check_blanket r n nb l delta w proved shown = true -> sound (ShuffleDP r n s nb l delta w) proved.
Proof.
  unfold check_blanket. destruct nb, w, proved,
    shown as [| | | | [bits limit bounds | | |] p | | | | | | | | | | | | | | | | | |]; try discriminate.
  destruct (ratio_below l p) as [[X Y] |] eqn:Ratio; [| discriminate]. intros H.
  apply andb_true_iff in H. destruct H as [H B]. apply andb_true_iff in H. destruct H as [H N].
  apply andb_true_iff in H. destruct H as [P L]. apply Z.leb_le in N.
  apply posed.randomizer_is_posed_sound in P. apply posed.level_is_posed_sound in L.
  split; [simpl; auto |]. destruct L as [L1 L2].
  assert (R := ratio_below_sound l p X Y Ratio). destruct R as [R1 R2].
  assert (E : Q2R (Qred (X # Z.to_pos Y)) <= ratio l).
  { rewrite Q2R_red. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by (apply lt_IZR; exact R1). exact R2. }
  assert (Hk : forall k, in_scope s (Z.to_nat n) k ->
    for_program r (fun _ _ R => shuffle_dp k R (ln (ratio l)) (Q2R delta))).
  { intros k I. apply (randomizer_private r _ _ _ _ _ _ k (ratio l) P (proj2 (exact_numbers n s k N I)) E L1 (proj1
    L2) B). }
  cbn [holds]. unfold shuffle_dp_holds, private, nothing_smaller.
  destruct r as [t | f]; [| destruct f]; cbn [for_program] in *; split; trivial.
Qed.
