(** The kind shuffle_dp, refuted by a likelihood test, for tables whose users send at most one message:
    [check_mixed_others] accepts only what does not hold ([check_mixed_others_sound]). The inputs of all
    other users are drawn at random with the weights of the witness. For every n >= 1, any level and delta.

    Idea: random_others.v, which data set breaks privacy is not named; at_most_one_message.v. Source:
    docs/certificates.md. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy hockey_stick shuffler adding_a_user single_message.
From Exactdp Require Import mean_excess classes table_classes random_others least_values.
From ExactdpChecker Require Import claims witnesses kinds levels.
From ExactdpChecker Require Import blanket_program matrix_blanket family_blanket likelihood_program likelihood_checked.
From ExactdpChecker Require Import at_most_one_message.
From ExactdpChecker Require Import opaque_rationals.
From ExactdpChecker Require posed.
Import ListNotations.
Open Scope R_scope.

(** ** The program *)

(** The probability of an outcome of a user whose input is random. *)
Definition mixed {A} (W : nat -> A -> Q) (weights : list Q) (a : A) : Q :=
  sum_of (map (fun iw => snd iw * W (fst iw) a)%Q (combine (seq 0 (length weights)) weights)).

(** Every outcome is a class. *)
Definition mixed_classes {A} (l : list A) (W : nat -> A -> Q) (weights : list Q) (x y : nat) : list rational_class :=
  map (fun a => reduced (W x a, W y a, mixed W weights a)) l.

Definition mixed_exceeds {A} (l : list A) (W : nat -> A -> Q) (d : nat) (test : likelihood) (ratio : Q) (n : positive)
    (delta : Q) : bool :=
  match pair_tested test, other_users test with
  | Some (x, y), Weighted weights =>
      Z.ltb (-1) x && Z.ltb x (Z.of_nat d) && (Z.ltb (-1) y && Z.ltb y (Z.of_nat d)) && Nat.eqb (length weights) d &&
      forallb (Qle_bool 0) weights && Qeq_bool (sum_of weights) 1 &&
      test_exceeds test ratio n delta (mixed_classes l W weights (Z.to_nat x) (Z.to_nat y))
  | _, _ => false
  end.

Definition sends_at_most_one (t : claims.table) : bool :=
  forallb (fun row => forallb (fun o => Nat.leb (length (snd o)) 1) row) (rows t).

Definition check_mixed_others (r : randomizer) (n : Z) (nb : neighboring) (l : claims.level) (delta : Q) (w : least)
    (proved : bool) (shown : witness) : bool :=
  match nb, w, proved, shown with
  | ReplaceOne, LeastNothing, false, Likelihood test p =>
      match ratio_above l p with
      | Some (X, Y) =>
          posed.randomizer_is_posed r && posed.level_is_posed l delta && (1 <=? n)%Z &&
          (let E := Qred (X # Z.to_pos Y) in
           match r with
           | Table t =>
               sends_at_most_one t &&
               mixed_exceeds (outcomes_of t) (fun x => probability (nth x (rows t) [])) (length (rows t)) test E
                 (Z.to_pos n) delta
           | Family _ => false
           end)
      | None => false
      end
  | _, _, _, _ => false
  end.

(** ** Soundness *)

Section mixed.

Context {A : Type} (R : nat -> dist A) (d : nat) (l : list A) (W : nat -> A -> Q) (weights : list Q).
Hypothesis once : NoDup l.
Hypothesis rows_proper : forall x, (x < d)%nat -> proper (R x).
Hypothesis rows_covered : forall x, (x < d)%nat -> covers l (R x).
Hypothesis rows_listed : forall x a, (x < d)%nat -> In a l -> mass (R x) a = Q2R (W x a).
Hypothesis lengths : length weights = d.
Hypothesis nonneg : forall q, In q weights -> 0 <= Q2R q.
Hypothesis all : total weights Q2R = 1.

Definition random_input : dist nat := map (fun iw => (Q2R (snd iw), fst iw)) (combine (seq 0 d) weights).

Lemma random_input_in wi : In wi random_input -> (snd wi < d)%nat /\ In (fst wi) (map Q2R weights).
Proof.
  intros I. apply in_map_iff in I. destruct I as [[i q] [<- I]]. cbn [fst snd]. split.
  - apply in_combine_l, in_seq in I. lia.
  - apply in_map, (in_combine_r _ _ _ _ I).
Qed.

Lemma total_combine (f : Q -> Rdefinitions.R) :
  forall from, total (combine (seq from (length weights)) weights) (fun iw => f (snd iw)) = total weights f.
Proof. clear. induction weights as [| q rest IH]; intros from; [reflexivity |]. cbn [length seq combine total snd].
rewrite IH. reflexivity. Qed.

Lemma proper_random_input : proper random_input.
Proof.
  split.
  - intros wi I. destruct (random_input_in wi I) as [_ J]. apply in_map_iff in J. destruct J as [q [<- J]].
    apply nonneg, J.
  - unfold mean, random_input. rewrite total_map. cbn [fst snd]. rewrite <- lengths.
    rewrite (total_combine (fun q => Q2R q * 1)). transitivity (total weights Q2R); [| exact all].
    apply total_ext. intros q _. apply Rmult_1_r.
Qed.

Lemma mass_mixed a : In a l -> mass (bind random_input R) a = Q2R (mixed W weights a).
Proof.
  intros I. unfold mass, Pr. rewrite mean_bind. unfold mean at 1, random_input. rewrite total_map. cbn [fst snd].
  unfold mixed. rewrite Q2R_sum_of, total_map, lengths. apply total_ext. intros [i q] J. cbn [fst snd].
  rewrite Q2R_mult, <- rows_listed by (try exact I; apply in_combine_l, in_seq in J; lia). reflexivity.
Qed.

Lemma covers_mixed : covers l (bind random_input R).
Proof.
  intros wa I. unfold bind in I. apply in_flat_map in I. destruct I as [wi [Ii I]]. apply in_map_iff in I.
  destruct I as [wb [<- I]]. exact (rows_covered (snd wi) (proj1 (random_input_in wi Ii)) wb I).
Qed.

Lemma mixed_bound x y n E :
  (x < d)%nat -> (y < d)%nat ->
  reference_bound n (R x) (R y) E (bind random_input R) =
    class_bound n E (map real_class (mixed_classes l W weights x y)).
Proof.
  intros X Y. set (c := bind random_input R).
  rewrite (table_classes n (R x) (R y) c l (map (fun a => (kind_of (R x) (R y) c a, 1%nat)) l)).
  - f_equal. unfold counted_classes, mixed_classes. rewrite !map_map. apply map_ext_in. intros a I.
    rewrite reduced_value. unfold kind_of, first_mass, second_mass, reference_mass. cbn [fst snd].
    rewrite !rows_listed by assumption. unfold c. rewrite mass_mixed by exact I.
    change (INR 1) with 1. rewrite !Rmult_1_l. reflexivity.
  - exact once.
  - apply rows_covered, X.
  - apply rows_covered, Y.
  - apply covers_mixed.
  - intros f. rewrite total_map. apply total_ext. intros a _. cbn [fst snd]. change (INR 1) with 1. ring.
Qed.

End mixed.

(** Where all rows are laws, some data set of others breaks what is below this bound. *)
Lemma not_below_if_mixed {A} (R : nat -> dist A) d l W test n (F : Rdefinitions.R) E delta :
  (0 < d)%nat -> NoDup l -> (forall x, proper (R x)) -> (forall x, (x < d)%nat -> covers l (R x)) ->
  (forall x a, (x < d)%nat -> In a l -> mass (R x) a = Q2R (W x a)) ->
  0 <= F <= Q2R E -> mixed_exceeds l W d test E n delta = true ->
  (forall xs ys, neighbors xs ys -> length xs = Pos.to_nat n -> shuffle_below (one_message R) xs ys F (Q2R delta)) ->
  False.
Proof.
  intros D N P C L HF H B. unfold mixed_exceeds in H.
  destruct (pair_tested test) as [[x y] |]; [| discriminate]. destruct (other_users test) as [weights | | | |];
    try discriminate.
  repeat (apply andb_true_iff in H; destruct H as [H ?]).
  repeat match goal with K : (_ && _)%bool = true |- _ => apply andb_true_iff in K; destruct K end.
  repeat match goal with K : Z.ltb _ _ = true |- _ => apply Z.ltb_lt in K end.
  match goal with K : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in K; rename K into Len end.
  match goal with K : Qeq_bool _ _ = true |- _ => apply Qeq_bool_R in K; rewrite Q2R_sum_of, Q2R_1 in K;
    rename K into Sum end.
  match goal with K : forallb _ _ = true |- _ => rewrite forallb_forall in K; rename K into Nonneg end.
  match goal with K : test_exceeds _ _ _ _ _ = true |- _ => apply test_exceeds_true in K; rename K into X end.
  assert (Nonneg' : forall q, In q weights -> 0 <= Q2R q).
  { intros q I. specialize (Nonneg q I). apply Qle_bool_R in Nonneg. rewrite Q2R_0 in Nonneg. exact Nonneg. }
  rewrite <- (mixed_bound R d l W weights N C L Len (Z.to_nat x) (Z.to_nat y)) in X by lia.
  assert (HN := Pos2Nat.is_pos n). destruct (Pos.to_nat n) as [| j]; [lia |].
  enough (U : reference_bound (Datatypes.S j) (R (Z.to_nat x)) (R (Z.to_nat y)) (Q2R E)
    (bind (random_input d weights) R) <= Q2R delta)
    by lra.
  apply random_others; [exact P | exact (proper_random_input d weights Len Nonneg' Sum) |].
  intros others Lo _ T S. specialize (B (Z.to_nat x :: others) (Z.to_nat y :: others)
    (replace_one [] _ _ others) (f_equal Datatypes.S Lo) T S).
  assert (0 <= Pr (messages (one_message R) (Z.to_nat y :: others)) T)
    by (apply Pr_bounds, proper_messages; intros; apply proper_dmap, P).
  nra.
Qed.

Lemma table_at_most_one t : sends_at_most_one t = true -> forall x, at_most_one (table_law t x).
Proof.
  intros H x wu I. unfold sends_at_most_one in H. rewrite forallb_forall in H. apply in_map_iff in I.
  destruct I as [o [<- I]]. unfold entry in I.
  assert (J : In (nth x (rows t) (last (rows t) [])) (rows t) \/ nth x (rows t) (last (rows t) []) = []).
  { destruct (nth_in_or_default x (rows t) (last (rows t) [])) as [J | ->]; [left; exact J |].
    destruct (rows t) as [| a m] eqn:E; [right; reflexivity | left]. rewrite last_is_nth. apply nth_In. simpl. lia. }
  destruct J as [J | J]; [| rewrite J in I; destruct I]. specialize (H _ J). rewrite forallb_forall in H.
  apply Nat.leb_le, (H o I).
Qed.

Theorem check_mixed_others_sound r n s nb l delta w proved shown :
  check_mixed_others r n nb l delta w proved shown = true -> sound (ShuffleDP r n s nb l delta w) proved.
Proof.
  unfold check_mixed_others. intros H. destruct nb, w, proved; try discriminate. destruct shown; try discriminate.
  destruct (ratio_above l p) as [[X Y] |] eqn:Ratio; [| discriminate].
  apply andb_true_iff in H. destruct H as [H B]. apply andb_true_iff in H. destruct H as [H N].
  apply andb_true_iff in H. destruct H as [P L]. apply Z.leb_le in N.
  apply posed.randomizer_is_posed_sound in P. apply posed.level_is_posed_sound in L.
  split; [simpl; auto |]. destruct L as [L1 _]. destruct (ratio_above_sound l p X Y Ratio) as [R1 R2].
  cbv zeta in B. set (E := Qred (X # Z.to_pos Y)) in *.
  assert (HE : 0 <= ratio l <= Q2R E).
  { unfold E. rewrite Q2R_red. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by (apply lt_IZR; exact R1).
    split; [lra | exact R2]. }
  assert (Users : Pos.to_nat (Z.to_pos n) = Z.to_nat n) by (rewrite <- Z2Nat.inj_pos, Z2Pos.id by lia; reflexivity).
  assert (Scope : in_scope s (Z.to_nat n) (Z.to_nat n)) by (destruct s; simpl; lia).
  cbn [holds]. unfold shuffle_dp_holds, private.
  destruct r as [t |]; [| discriminate]. cbn [for_program randomizer_posed] in *.
  intros [D _]. specialize (D _ Scope). apply andb_true_iff in B. destruct B as [One B].
  refine (not_below_if_mixed (table_law t) (length (rows t)) (outcomes_of t) _ test _ _ E delta _ _ _ _ _ HE B _).
  - apply table_inputs, P.
  - apply NoDup_nodup.
  - intros x. rewrite table_law_place by exact P. apply proper_row_in; [exact P |]. assert (Z := table_inputs t P). lia.
  - intros x K wa I. unfold table_law in I. rewrite entry_place in I by apply P.
    replace (Nat.min x (length (rows t) - 1)) with x in I by lia.
    apply in_map_iff in I. destruct I as [o [<- I]]. apply nodup_In.
    change (In (snd o) (map snd (concat (rows t)))). apply in_map, in_concat.
    exists (nth x (rows t) []). split; [apply nth_In, K | exact I].
  - intros x a K _. unfold table_law. rewrite entry_place by apply P.
    replace (Nat.min x (length (rows t) - 1)) with x by lia. apply mass_row.
  - intros xs ys Nb Len. apply one_message_below; [apply table_at_most_one, One | apply neighbors_length, Nb |].
    rewrite Users in Len. intros T S. specialize (D xs ys Nb Len T S). rewrite exp_ln in D by lra. exact D.
Qed.
