(** The kind shuffle_dp of several randomizers at once, of users who may be away: [check_absent_product] accepts only
  what
    holds, or does not ([check_absent_product_sound]).

    Counted, beside a list of who takes part, or hidden by independent dummies: the pairs of product_pairs.v, with the
    classes of participation_rows.v and listed_users.v, and those of hidden_products.v. A blanket or a swap proves it,
      and a
    likelihood test refutes it. For every number of users or all from it, any level, delta and witness.

    Source: docs/certificates.md, "Other families". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy hockey_stick shuffler adding_a_user absent_users least_values
  classes.
From ExactdpChecker Require Import claims witnesses kinds levels described_pairs family_rows laws_of_noise
  likelihood_checked laplace_table.
From ExactdpChecker Require Import product_pairs product_checked beside_kinds hidden_products.
From ExactdpChecker Require Import absence_laws away_rows participation_rows listed_users listed_checked
  participation_checked.
From ExactdpChecker Require Import opaque_rationals.
From ExactdpChecker Require posed.
Import ListNotations.

(** ** The program *)

Definition hides_somehow (a : absence) : bool := match a with Counted | Listed => false | _ => true end.

Fixpoint dummies_are_posed (of : list randomizer) (dummies : list absence) : bool :=
  match of, dummies with
  | [], [] => true
  | r :: of', a :: dummies' => hides_somehow a && absence_is_posed r a && dummies_are_posed of' dummies'
  | _, _ => false
  end.

Definition joint_absence_is_posed (of : list randomizer) (a : joint_absence) : bool :=
  match a with
  | AllCounted | AllListed => true
  | AllHidden dummies => dummies_are_posed of dummies
  end.

Definition absent_pairs (of : list randomizer) (q : Q) (a : joint_absence) : option (list input_pair) :=
  match a with
  | AllCounted => Some (map (counted_pair q) (product_pairs of))
  | AllListed => Some (map (listed_pair q) (product_pairs of))
  | AllHidden dummies =>
      let hidden := combine of dummies in
      if all_told hidden then Some (hidden_product_pairs hidden q) else None
  end.

(** Whether each of the classes of these is known to be one of inputs that there are. *)
Definition joint_are_inputs (of : list randomizer) (a : joint_absence) : bool :=
  match a with
  | AllHidden dummies => forallb is_full (combine of dummies)
  | _ => true
  end.

Definition check_absent_product (of : list randomizer) (q : Q) (a : joint_absence) (n : Z) (l : level) (delta : Q)
    (proved : bool) (shown : witness) : bool :=
  posed.together_is_posed of && joint_absence_is_posed of a && (posed.less 0 q && posed.less q 1) && (1 <=? n)%Z &&
  posed.level_is_posed l delta &&
  match absent_pairs of q a with
  | Some pairs => (proved || joint_are_inputs of a) && check_pairs pairs n l delta proved shown
  | None => false
  end.

(** Whether the pairs of inputs are told. No theorem depends on it. *)
Definition has_absent_product_program (of : list randomizer) (q : Q) (a : joint_absence) (proved : bool) : bool :=
  match a with
  | AllHidden dummies => all_told (combine of dummies) && (proved || joint_are_inputs of a)
  | _ => true
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma hides_somehow_sound a : hides_somehow a = true -> hides a.
Proof. destruct a; simpl; trivial; discriminate. Qed.

Lemma dummies_are_posed_sound of : forall dummies, dummies_are_posed of dummies = true ->
  Forall2 (fun r d => hides d /\ absence_posed r d) of dummies.
Proof.
  induction of as [| r of IH]; intros [| a dummies] H; try discriminate; [constructor |].
  cbn [dummies_are_posed] in H. rewrite !andb_true_iff in H. destruct H as [[H1 H2] H3]. constructor; [| apply IH, H3].
  split; [apply hides_somehow_sound, H1 | apply absence_is_posed_sound, H2].
Qed.

Lemma row_is_attained of pair : together_posed of -> In pair (product_pairs of) ->
  others_attained (report of) (report_inputs of) pair.
Proof.
  intros P I classes J. apply in_map_iff in I. destruct I as [ks [<- I]]. cbn [pair_chosen of_others] in J.
  apply in_map_iff in J. destruct J as [row [<- J]]. destruct (row_attained of ks row P I J) as [x [y [v [[X [Y V]]
    T]]]].
  exists x, y, v. repeat (split; [assumption |]).
  apply described_tells; [exact (proj1 (proper_report of v (proj2 P))) | exact T].
Qed.

Lemma counted_reports of q : together_posed of -> 0 < Q2R q < 1 ->
  rows_of (messages (fun x => away (Q2R q) (together of x) (ret []))) (map (counted_pair q) (product_pairs of)) true.
Proof.
  intros P Hq. rewrite together_places. exists (counted_row (report of) q), (report_inputs of).
  split; [apply report_inputs_positive, P |]. split; [reflexivity |].
  split; [apply counted_right; [exact Hq | apply product_right, P] |]. split.
  - intros _ pair I. apply in_map_iff in I. destruct I as [base [<- I]]. apply counted_attained; [exact Hq |].
    apply row_is_attained; assumption.
  - intros x. apply one_if_sent. intros wu [<- | []]. simpl. lia.
Qed.

Lemma listed_reports of : together_posed of -> rows_beside (together of) (product_pairs of) True.
Proof.
  intros P. rewrite together_places. exists (fun x => sent (report of x)), (report_inputs of).
  split; [apply report_inputs_positive, P |]. split; [intros x f O; reflexivity |].
  split; [apply sent_right, product_right, P |]. split; [| intros _ x; apply one_of_sent].
  intros pair I classes J. destruct (row_is_attained of pair P I classes J) as [x [y [v [X [Y [V T]]]]]].
  exists x, y, v. repeat (split; [assumption |]). apply tells_sent, T.
Qed.

Lemma hidden_of_lists (of : list randomizer) dummies : Forall2 (fun r d => hides d /\ absence_posed r d) of dummies ->
  map fst (combine of dummies) = of /\ map snd (combine of dummies) = dummies /\
  forall ra, In ra (combine of dummies) -> absence_posed (fst ra) (snd ra) /\ hides (snd ra).
Proof.
  intros F. induction F as [| r a of dummies [H1 H2] _ [E1 [E2 A]]]; [repeat split; contradiction |].
  cbn [combine map fst snd]. rewrite E1, E2. split; [reflexivity |]. split; [reflexivity |].
  intros ra [<- | I]; [split; assumption | apply A, I].
Qed.

Lemma hidden_reports_rows of dummies q : together_posed of -> Forall2 (fun r d => hides d /\ absence_posed r d) of
  dummies ->
  0 < Q2R q < 1 -> all_told (combine of dummies) = true ->
  rows_of (messages (fun x => away (Q2R q) (together of x) (sent (dummy_report of dummies))))
    (hidden_product_pairs (combine of dummies) q) (forallb is_full (combine of dummies)).
Proof.
  intros P F Hq T. destruct (hidden_of_lists of dummies F) as [E1 [E2 A]].
  assert (Posed : forall ra, In ra (combine of dummies) -> hidden_posed ra).
  { apply all_told_sound; [| exact T]. intros ra I. split; [| apply A, I]. apply (proj2 P). rewrite <- E1. apply
      in_map, I. }
  rewrite together_places. exists (hidden_reports (combine of dummies) q), (report_inputs of).
  split; [apply report_inputs_positive, P |].
  split; [unfold hidden_reports, hidden_products.dummies; rewrite E1, E2; reflexivity |].
  assert (R := hidden_product_right (combine of dummies) q Posed Hq). rewrite E1 in R. split; [exact R |]. split.
  - intros Full pair I. assert (At := hidden_product_attained (combine of dummies) q Posed Hq pair Full I). rewrite E1
      in At. exact At.
  - intros x. apply one_if_sent, one_of_sent.
Qed.

Theorem check_absent_product_sound of q a n s l delta proved shown :
  check_absent_product of q a n l delta proved shown = true -> sound (AbsentProductDP of q a n s l delta) proved.
Proof.
  unfold check_absent_product. rewrite !andb_true_iff. intros [[[[[P A] [Q0 Q1]] N] L] H].
  apply posed.together_is_posed_sound in P. apply posed.less_sound in Q0, Q1. rewrite Q2R_0 in Q0. rewrite
    family_blanket.Q2R_1 in Q1.
  apply Z.leb_le in N. apply posed.level_is_posed_sound in L. assert (Hq := conj Q0 Q1).
  destruct (absent_pairs of q a) as [pairs |] eqn:Pairs; [| discriminate]. apply andb_true_iff in H. destruct H as
    [Full H].
  assert (Ap : joint_absence_posed of a).
  { destruct a; cbn [joint_absence_posed joint_absence_is_posed] in *; trivial. apply dummies_are_posed_sound, A. }
  split; [cbn [well_posed run_posed]; repeat split; assumption || apply P || apply L |]. cbn [holds].
  destruct a as [| | dummies]; cbn [for_joint_absence absent_pairs] in *.
  - injection Pairs as <-. apply (pairs_decide _ _ true n s l delta proved shown N L (fun _ => eq_refl)
      (counted_reports of q P Hq) H).
  - injection Pairs as <-.
    apply (listed_decide (together of) (product_pairs of) True q n s l delta proved shown Hq N L (fun _ => I)
      (listed_reports of P) H).
  - destruct (all_told (combine of dummies)) eqn:T; [| discriminate]. injection Pairs as <-.
    apply (pairs_decide _ _ (forallb is_full (combine of dummies)) n s l delta proved shown N L ltac:(intros ->; exact
      Full) (hidden_reports_rows of dummies q P Ap Hq T) H).
Qed.
