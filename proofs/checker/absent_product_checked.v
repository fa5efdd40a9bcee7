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
From ExactdpChecker Require Import product_pairs product_checked beside_kinds told_most told_kinds hidden_products.
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

(** The place of the row that is tested, to refute. *)
Definition tested_place (proved : bool) (shown : witness) : option (Z * Z) :=
  if proved then None else match shown with
    | Likelihood test _ => Some (match pair_tested test with Some place => place | None => (0, 0)%Z end)
    | _ => Some (0, 0)%Z
    end.

(** All pairs; or, of hidden users, those in the places up to the one that is tested. *)
Definition absent_pairs (of : list randomizer) (q : Q) (a : joint_absence) (tested : option (Z * Z)) :
    option (list input_pair) :=
  match a with
  | AllCounted => Some (map (counted_pair q) (product_pairs of))
  | AllListed => Some (map (listed_pair q) (product_pairs of))
  | AllHidden dummies =>
      let hidden := combine of dummies in
      match tested with
      | None => if all_told false hidden then Some (hidden_product_pairs false hidden q) else None
      | Some (i, j) => if all_told true hidden then Some (hidden_pairs_at true hidden q (Z.to_nat i) (Z.to_nat j)) else None
      end
  end.

(** Whether some numbers of ones are not told. *)
Definition joint_tells_fewer (of : list randomizer) (a : joint_absence) : bool :=
  match a with
  | AllHidden dummies => existsb tells_fewer (combine of dummies)
  | _ => false
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
  match absent_pairs of q a (tested_place proved shown) with
  | Some pairs =>
      (proved || joint_are_inputs of a) && check_pairs pairs (joint_tells_fewer of a) n l delta proved shown
  | None => false
  end.

(** Whether the pairs of inputs are told. No theorem depends on it. *)
Definition has_absent_product_program (of : list randomizer) (q : Q) (a : joint_absence) (proved : bool) : bool :=
  match a with
  | AllHidden dummies => all_told (negb proved) (combine of dummies) && (proved || joint_are_inputs of a)
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

Lemma counted_reports of q proved : together_posed of -> 0 < Q2R q < 1 ->
  rows_of (messages (fun x => away (Q2R q) (together of x) (ret []))) (map (counted_pair q) (product_pairs of)) false proved.
Proof.
  intros P Hq. rewrite together_places. apply (exact_rows _ _ (counted_row (report of) q) (report_inputs of));
    [apply report_inputs_positive, P | reflexivity | apply counted_right; [exact Hq | apply product_right, P] | |].
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

Lemma none_of_all {X} (f : X -> bool) l : existsb f l = false -> forall x, In x l -> f x = false.
Proof.
  intros H x I. destruct (f x) eqn:E; [| reflexivity]. assert (existsb f l = true); [| congruence].
  apply existsb_exists. exists x. auto.
Qed.

Lemma hidden_reports_rows of dummies q pairs proved shown : together_posed of ->
  Forall2 (fun r d => hides d /\ absence_posed r d) of dummies -> 0 < Q2R q < 1 ->
  absent_pairs of q (AllHidden dummies) (tested_place proved shown) = Some pairs ->
  (proved = false -> forallb is_full (combine of dummies) = true) ->
  rows_of (messages (fun x => away (Q2R q) (together of x) (sent (dummy_report of dummies)))) pairs
    (existsb tells_fewer (combine of dummies)) proved.
Proof.
  intros P F Hq Pairs Full. destruct (hidden_of_lists of dummies F) as [E1 [E2 A]]. set (hidden := combine of dummies) in *.
  assert (Posed : forall ra, In ra hidden -> hidden_posed ra).
  { intros ra I. split; [| apply A, I]. apply (proj2 P). rewrite <- E1. apply in_map, I. }
  rewrite together_places. exists (hidden_reports hidden q), (report_inputs of).
  split; [apply report_inputs_positive, P |].
  split; [unfold hidden_reports, hidden_products.dummies; rewrite E1, E2; reflexivity |].
  assert (Pn : forall r, In r (map fst hidden) -> randomizer_posed r) by (rewrite E1; apply P).
  split; [intros v _; apply proper_away; [lra | apply proper_sent, proper_report, Pn | apply proper_sent, (proper_dummies hidden Posed)] |].
  split; [intros x; apply one_if_sent, one_of_sent |].
  unfold absent_pairs in Pairs. fold hidden in Pairs. destruct proved.
  - cbn [tested_place] in Pairs. destruct (all_told false hidden) eqn:T; [| discriminate]. injection Pairs as <-.
    assert (Told := all_told_sound false hidden Posed T).
    assert (R := hidden_product_right false hidden q Posed Hq (fun ra I => proj1 (Told ra I) eq_refl)). rewrite E1 in R. exact R.
  - specialize (Full eq_refl). rewrite forallb_forall in Full.
    assert (At : exists i j, all_told true hidden = true /\ pairs = hidden_pairs_at true hidden q i j).
    { unfold tested_place in Pairs. destruct shown; try destruct (pair_tested _) as [[i j] |];
        destruct (all_told true hidden); try discriminate; injection Pairs as <-; eauto. }
    destruct At as [i [j [T ->]]]. assert (Told := all_told_sound true hidden Posed T). intros pair I.
    destruct (existsb tells_fewer hidden) eqn:Fewer; intros classes J;
      destruct (in_pairs_at true hidden q i j pair classes I J) as [listed [I' J']].
    + assert (L := hidden_product_less true hidden q Posed Hq listed
        (fun ra K => proj1 (proj2 (Told ra K) eq_refl (Full ra K))) I'). rewrite E1 in L. exact (L classes J').
    + assert (L := hidden_product_attained true hidden q Posed Hq listed
        (fun ra K => proj2 (proj2 (Told ra K) eq_refl (Full ra K)) (none_of_all tells_fewer hidden Fewer ra K)) I').
      rewrite E1 in L. exact (L classes J').
Qed.

Theorem check_absent_product_sound of q a n s l delta proved shown :
  check_absent_product of q a n l delta proved shown = true -> sound (AbsentProductDP of q a n s l delta) proved.
Proof.
  unfold check_absent_product. rewrite !andb_true_iff. intros [[[[[P A] [Q0 Q1]] N] L] H].
  apply posed.together_is_posed_sound in P. apply posed.less_sound in Q0, Q1. rewrite Q2R_0 in Q0. rewrite
    family_blanket.Q2R_1 in Q1.
  apply Z.leb_le in N. apply posed.level_is_posed_sound in L. assert (Hq := conj Q0 Q1).
  destruct (absent_pairs of q a (tested_place proved shown)) as [pairs |] eqn:Pairs; [| discriminate]. apply andb_true_iff in H. destruct H as
    [Full H].
  assert (Ap : joint_absence_posed of a).
  { destruct a; cbn [joint_absence_posed joint_absence_is_posed] in *; trivial. apply dummies_are_posed_sound, A. }
  split; [cbn [well_posed run_posed]; repeat split; assumption || apply P || apply L |]. cbn [holds].
  destruct a as [| | dummies]; cbn [for_joint_absence absent_pairs] in *.
  - injection Pairs as <-. apply (pairs_decide _ _ false n s l delta proved shown N L (counted_reports of q proved P Hq) H).
  - injection Pairs as <-.
    apply (listed_decide (together of) (product_pairs of) True q n s l delta proved shown Hq N L (fun _ => I)
      (listed_reports of P) H).
  - apply (pairs_decide _ _ _ n s l delta proved shown N L
      (hidden_reports_rows of dummies q pairs proved shown P Ap Hq Pairs ltac:(intros ->; exact Full)) H).
Qed.
