(** The kind shuffle_dp, refuted by a likelihood test, for families of supports: [check_family_test] accepts only what
    does not hold ([check_family_test_sound]). All other users hold one input: the first or second of those compared, a
    third one, or, in Hadamard response, the one whose row is their product. For every n >= 1, any level and delta.

    Source: docs/certificates.md. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy shuffler adding_a_user single_message.
From Exactdp Require Import mean_excess classes supports homogeneous least_values independence hidden_message blanket score_event.
From ExactdpChecker Require Import claims witnesses kinds levels.
From ExactdpChecker Require Import blanket_program matrix_blanket family_blanket family_rows likelihood_program likelihood_trees likelihood_bound.
From ExactdpChecker Require Import opaque_rationals.
From ExactdpChecker Require posed.
Import ListNotations.
Open Scope R_scope.

(** ** The program *)

Definition classes_are_laws (classes : list rational_class) : bool :=
  forallb (fun k => Qle_bool 0 (under_first k) && (Qle_bool 0 (under_second k) && Qle_bool 0 (under_reference
    k)))%bool classes &&
  Qeq_bool (sum_of (map under_reference classes)) 1.

(** The test of the witness tells these classes apart by more than delta. *)
Definition test_exceeds (test : likelihood) (ratio : Q) (n : positive) (delta : Q) (classes : list rational_class) :
  bool :=
  match test_threshold test with
  | None => false
  | Some threshold =>
      classes_are_laws classes && Z.leb 0 (test_bits test) && Qle_bool 0 ratio &&
      negb (Qle_bool (likelihood_bound (test_bits test) (cut_bits test) (Z.to_nat (test_length test))
        (witnesses.at_ratio test)
        (test_step test) ratio threshold n classes) delta)
  end.

(** The same of classes that have less than the masses of messages. *)
Definition test_exceeds_less (test : likelihood) (ratio : Q) (n : positive) (delta : Q) (classes : list rational_class) :
  bool :=
  match test_threshold test with
  | None => false
  | Some threshold =>
      Z.leb 0 (test_bits test) && Qle_bool 0 ratio &&
      negb (Qle_bool (likelihood_less (test_bits test) (cut_bits test) (Z.to_nat (test_length test))
        (witnesses.at_ratio test) (test_step test) ratio threshold n classes) delta)
  end.

Definition check_family_test (r : randomizer) (n : Z) (nb : neighboring) (l : claims.level) (delta : Q) (w : least)
    (proved : bool) (shown : witness) : bool :=
  match r, nb, w, proved, shown with
  | Family f, ReplaceOne, LeastNothing, false, Likelihood test p =>
      match ratio_above l p, supports_of f with
      | Some (X, Y), Some s =>
          match pair_tested test, classes_of_others f s (other_users test) with
          | None, Some classes =>
              posed.family_is_posed f && posed.level_is_posed l delta && (1 <=? n)%Z &&
              test_exceeds test (Qred (X # Z.to_pos Y)) (Z.to_pos n) delta classes
          | _, _ => false
          end
      | _, _ => false
      end
  | _, _, _, _, _ => false
  end.

(** ** Soundness *)

Lemma test_exceeds_true test ratio n delta classes :
  test_exceeds test ratio n delta classes = true ->
  Q2R delta < class_bound (Pos.to_nat n) (Q2R ratio) (map real_class classes).
Proof.
  unfold test_exceeds. destruct (test_threshold test) as [threshold |]; [| discriminate]. intros H.
  apply andb_true_iff in H. destruct H as [H B]. apply andb_true_iff in H. destruct H as [H Hr].
  apply andb_true_iff in H. destruct H as [Laws Hb]. apply Z.leb_le in Hb. apply Qle_bool_R in Hr. rewrite Q2R_0 in Hr.
  apply negb_true_iff in B. apply Qle_bool_R_false in B. eapply Rlt_le_trans; [exact B |].
  unfold classes_are_laws in Laws. apply andb_true_iff in Laws. destruct Laws as [N S]. rewrite forallb_forall in N.
  apply likelihood_below; [exact Hb | exact Hr | |].
  - intros k I. specialize (N k I). apply andb_true_iff in N. destruct N as [N1 N]. apply andb_true_iff in N.
    destruct N as [N2 N3]. apply Qle_bool_R in N1, N2, N3. rewrite Q2R_0 in *. auto.
  - apply Qeq_bool_R in S. rewrite Q2R_sum_of, Q2R_1, total_map in S. exact S.
Qed.

(** Two inputs, where all others hold a third one, have these classes. *)
Definition told {M} (row : nat -> dist M) (d : nat) (classes : list rational_class) : Prop :=
  exists x y v, (x < d)%nat /\ (y < d)%nat /\ (v < d)%nat /\
  (forall z, (z < d)%nat -> proper (row z)) /\ tells (row x) (row y) (row v) classes.

Lemma not_private_if_told {M} (row : nat -> dist M) d classes n F E delta :
  told row d classes -> (1 <= n)%nat -> 1 <= F <= E -> delta < class_bound n E (map real_class classes) ->
  ~ shuffle_dp n (fun x => one_message row (Nat.min x (d - 1))) (ln F) delta.
Proof.
  intros [x [y [v [X [Y [V [P B]]]]]]] N HF H D. rewrite <- (tells_bounds _ _ _ _ B) in H. destruct n as [| j]; [lia |].
  enough (U : reference_bound (S j) (row x) (row y) E (row v) <= delta) by lra.
  set (R := fun x => row (Nat.min x (d - 1))).
  assert (Same : forall z, (z < d)%nat -> R z = row z) by (intros z Z; unfold R; f_equal; lia).
  rewrite <- (Same x X), <- (Same y Y), <- (Same v V). apply (homogeneous_below R x y v j E delta); [apply P; lia |].
  intros T S. assert (L : length (x :: repeat v j) = Datatypes.S j) by (simpl; rewrite repeat_length; reflexivity).
  assert (K := proj1 (shuffle_dp_iff_pairs (Datatypes.S j) (fun x => one_message row (Nat.min x (d - 1))) (ln F)
    delta) D
    (x :: repeat v j) (y :: repeat v j) (replace_one [] x y (repeat v j)) L T S).
  rewrite exp_ln in K by lra. change (fun x => one_message row (Nat.min x (d - 1))) with (one_message R) in K.
  enough (0 <= Pr (messages (one_message R) (y :: repeat v j)) T) by nra.
  apply Pr_bounds, proper_messages. intros z. apply proper_dmap, P. lia.
Qed.

(** A tree of values of messages, in random order, tells no more than these do. *)
Lemma tree_below {M} (row : nat -> dist M) d x y v (t : score_event.tree M Z) j F delta f :
  let R := fun x => row (Nat.min x (d - 1)) in
  (x < d)%nat -> (y < d)%nat -> (v < d)%nat -> leaves t = S j ->
  (forall T, symmetric T -> Pr (messages (one_message R) (x :: repeat v j)) T <=
    F * Pr (messages (one_message R) (y :: repeat v j)) T + delta) -> (forall z, 0 <= f z <= 1) ->
  mean (differs_law (row x) (row v) t) f <= F * mean (differs_law (row y) (row v) t) f + delta.
Proof.
  intros R X Y V Lt K F01.
  assert (Same : forall z, (z < d)%nat -> R z = row z) by (intros z Z; unfold R; f_equal; lia).
  assert (Drawn : forall z g, (z < d)%nat -> mean (bind (messages (one_message R) (z :: repeat v j)) shuffler) g =
    mean (bind (draws (row z :: repeat (row v) j)) shuffler) g).
  { intros z g Z. rewrite !mean_bind, messages_drawn. cbn [map]. rewrite rows_of_repeat, (Same z Z), (Same v V). reflexivity. }
  assert (T := random_order_test _ _ F delta (fun u => f (root 0%Z t u)) K (fun u => F01 _)).
  rewrite !Drawn, !(tree_in_random_order _ _ 0%Z t j f Lt) in T by assumption. exact T.
Qed.

(** Where classes have less than the masses of messages. *)
Theorem not_private_if_less {M} (row : nat -> dist M) d test classes n F ratio delta x y v :
  (x < d)%nat -> (y < d)%nat -> (v < d)%nat -> (forall z, (z < d)%nat -> proper (row z)) ->
  scored_less (witnesses.at_ratio test) (test_step test) (row x) (row y) (row v) classes ->
  1 <= F <= Q2R ratio -> test_exceeds_less test ratio n delta classes = true ->
  ~ shuffle_dp (Pos.to_nat n) (fun x => one_message row (Nat.min x (d - 1))) (ln F) (Q2R delta).
Proof.
  intros X Y V Pr Less HF H D. unfold test_exceeds_less in H.
  destruct (test_threshold test) as [threshold |]; [| discriminate].
  apply andb_true_iff in H. destruct H as [H B]. apply andb_true_iff in H. destruct H as [Hb Hr].
  apply Z.leb_le in Hb. apply Qle_bool_R in Hr. rewrite Q2R_0 in Hr.
  apply negb_true_iff in B. apply Qle_bool_R_false in B.
  destruct (likelihood_less_below (row x) (row y) (row v) (test_bits test) (cut_bits test) (Z.to_nat (test_length test))
    (witnesses.at_ratio test) (test_step test) ratio threshold classes n Hb Hr (Pr x X) (Pr y Y) (Pr v V) Less)
    as [t [f [Lt [F01 Below]]]].
  assert (N : exists j, Pos.to_nat n = S j) by (exists (pred (Pos.to_nat n)); assert (P0 := Pos2Nat.is_pos n); lia).
  destruct N as [j Nj]. rewrite Nj in *. set (R := fun x => row (Nat.min x (d - 1))).
  assert (L : length (x :: repeat v j) = Datatypes.S j) by (simpl; rewrite repeat_length; reflexivity).
  assert (K := proj1 (shuffle_dp_iff_pairs (Datatypes.S j) (one_message R) (ln F) (Q2R delta)) D
    (x :: repeat v j) (y :: repeat v j) (replace_one [] x y (repeat v j)) L).
  rewrite exp_ln in K by lra. assert (T := tree_below row d x y v t j F (Q2R delta) f X Y V Lt K F01).
  assert (Nn : 0 <= mean (differs_law (row y) (row v) t) f).
  { apply differs_positive; [| | intros; apply F01]; intros g G; apply mean_nonneg; auto. }
  nra.
Qed.

(** The rows of a family that these classes are told of. *)
Lemma family_told f s who classes :
  family_posed f -> supports_of f = Some s -> classes_of_others f s who = Some classes ->
  for_program (Family f) (fun M _ R => exists row : nat -> dist M,
    R = on_inputs (inputs_of f) row /\ told row (Z.to_nat (inputs_of f)) classes).
Proof.
  intros P S W.
  assert (I : In classes (of_others (family_pair f s))).
  { apply in_flat_map. exists who. rewrite W. split; [| left; reflexivity].
    destruct who; [discriminate | | | |]; simpl; auto. }
  assert (Rows := family_rows f s P S).
  destruct f; cbn [for_program] in *; destruct Rows as [row [-> [[Pr _] Told]]]; exists row; (split; [reflexivity |]);
    destruct (Told classes I) as [x [y [v [X [Y [V T]]]]]]; exists x, y, v; repeat (split; [assumption |]);
    exact T.
Qed.

Lemma family_not_private f s who classes n F E delta :
  family_posed f -> supports_of f = Some s -> classes_of_others f s who = Some classes ->
  (1 <= n)%nat -> 1 <= F <= E -> delta < class_bound n E (map real_class classes) ->
  for_program (Family f) (fun _ _ R => ~ shuffle_dp n R (ln F) delta).
Proof.
  intros P S W N HF B. assert (T := family_told f s who classes P S W).
  destruct f; cbn [for_program] in *; destruct T as [row [-> T]];
    exact (not_private_if_told row _ classes n F E delta T N HF B).
Qed.

Theorem check_family_test_sound r n s nb l delta w proved shown :
  check_family_test r n nb l delta w proved shown = true -> sound (ShuffleDP r n s nb l delta w) proved.
Proof.
  unfold check_family_test. intros H. destruct r as [t | f]; [discriminate |].
  destruct nb, w, proved; try discriminate. destruct shown; try discriminate.
  destruct (ratio_above l p) as [[X Y] |] eqn:Ratio; [| discriminate].
  destruct (supports_of f) as [u |] eqn:U; [| discriminate].
  destruct (pair_tested test); [discriminate |].
    destruct (classes_of_others f u (other_users test)) as [classes |] eqn:W; [| discriminate].
  apply andb_true_iff in H. destruct H as [H B]. apply andb_true_iff in H. destruct H as [H N].
  apply andb_true_iff in H. destruct H as [P L]. apply Z.leb_le in N.
  apply posed.family_is_posed_sound in P. apply posed.level_is_posed_sound in L.
  split; [simpl; auto |]. destruct L as [L1 _]. destruct (ratio_above_sound l p X Y Ratio) as [R1 R2].
  assert (E : ratio l <= Q2R (Qred (X # Z.to_pos Y))).
  { rewrite Q2R_red. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by (apply lt_IZR; exact R1). exact R2. }
  apply test_exceeds_true in B. rewrite <- Z2Nat.inj_pos, Z2Pos.id in B by lia.
  assert (K := family_not_private f u _ classes (Z.to_nat n) (ratio l) _ _ P U W ltac:(lia) (conj L1 E) B).
  assert (Scope : in_scope s (Z.to_nat n) (Z.to_nat n)) by (destruct s; simpl; lia).
  cbn [holds]. unfold shuffle_dp_holds, private. destruct f; cbn [for_program] in *; intros [H _]; apply K, (H _ Scope).
Qed.
