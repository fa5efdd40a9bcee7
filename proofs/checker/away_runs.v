(** The likelihood tests of runs whose users may be away, alone or of several randomizers at once.

    [absence_tested], [joint_tested]: whatever bound such a run obeys, the classes of the pair of inputs in one place
    beside the row in one place obey, for all randomizers and absences whose pairs of inputs are told, and are those of
    inputs, or have less than the masses of what these show where some numbers of ones are not told ([tests]); where it is published who takes part, with one class more for a user who is away, which others do not show.
    Every number of users. What is known of the randomizer that other users who may be away run is known of their run
    ([known_as_one]).

    Idea: all other users hold one input (tested_runs.v), and of what is shown the order alone is not told
    ([absence_shown]). Source: docs/certificates.md, "composed". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation FunctionalExtensionality.
From Exactdp Require Import reals sums laws privacy masses hockey_stick shuffler adding_a_user absent_users.
From Exactdp Require Import hidden_message classes least_values adaptive_composition.
From ExactdpChecker Require Import claims witnesses laws_of_noise blanket_program family_rows swap_checked likelihood_checked.
From ExactdpChecker Require Import described_pairs at_most_one_message laplace_table absence_laws participation_rows listed_users
  listed_checked beside_kinds told_kinds hidden_products witnesses.
From ExactdpChecker Require Import drawn_pairs random_data_sets merged_runs known_masses test_masses tested_runs.
From ExactdpChecker Require Import participation_checked product_pairs product_checked absent_product_checked.
From ExactdpChecker Require Import opaque_rationals.
From ExactdpChecker Require posed.
Import ListNotations.

(** ** The program *)

(** Of the pair and the row of the test. *)
Definition tested_pair (listed : bool) (q : Q) (pairs : list input_pair) (test : likelihood) :
  option (list rational_class) :=
  option_map (fun classes => if listed then and_away q classes else classes) (classes_beside pairs (pair_tested test)).

Definition is_published (a : absence) : bool := match a with Listed => true | _ => false end.

Definition are_published (a : joint_absence) : bool := match a with AllListed => true | _ => false end.

Definition absence_classes (r : randomizer) (q : Q) (a : absence) (test : likelihood) : option (list rational_class) :=
  if is_full (r, a) && (negb (is_published a) || send_at_most_one r) then
    match pairs_of_away r q a true with Some pairs => tested_pair (is_published a) q pairs test | None => None end
  else None.

Definition joint_classes (of : list randomizer) (q : Q) (a : joint_absence) (test : likelihood) :
  option (list rational_class) :=
  if joint_are_inputs of a then
    match absent_pairs of q a (tested_place false (Likelihood test Exactly)) with
    | Some pairs => tested_pair (are_published a) q pairs test
    | None => None
    end
  else None.

Open Scope R_scope.

(** ** What is shown *)

Lemma named_again {M} (u : list (nat + M)) v : Permutation v (unnamed u) ->
  Permutation (map inl (names u) ++ map inr v) u.
Proof.
  intros P. transitivity (map inl (names u) ++ map inr (unnamed u)); [apply Permutation_app_head, Permutation_map, P |].
  clear P v. induction u as [| [k | m] u IH]; [constructor | apply perm_skip, IH |].
  cbn [names unnamed flat_map app map]. symmetry. apply Permutation_cons_app. symmetry. exact IH.
Qed.

Lemma named_shown {M} (show : list M -> answer) :
  shown_again show -> shown_again (fun u : list (nat + M) => Named (names u) (show (unnamed u))).
Proof.
  intros [unshow Back].
  exists (fun a => match a with Named ks b => option_map (fun v => map inl ks ++ map inr v) (unshow b) | _ => None end).
  intros u. destruct (Back (unnamed u)) as [v [E P]]. exists (map inl (names u) ++ map inr v). rewrite E.
  split; [reflexivity | apply named_again, P].
Qed.

(** What is so of what each program shows is so of the run. *)
Lemma absence_shown r q a n (S1 S2 : forall M, (list M -> answer) -> (list nat -> dist (list M)) -> Prop)
    (so : mechanism answer -> Prop) :
  (forall M show V, shown_again show -> S1 M show V -> S2 M show V -> so (fun P Q => shown_views ReplaceOne show V n P Q)) ->
  for_absence r q a S1 -> for_absence r q a S2 -> so (run_mechanism (ParticipationRun r q a n)).
Proof.
  intros H H1 H2. assert (Back := program_shown r). unfold run_mechanism.
  destruct a, r as [t | []]; cbn [for_absence for_program] in *; try contradiction;
    try exact (H _ _ _ Back H1 H2); exact (H _ _ _ (named_shown _ Back) H1 H2).
Qed.

(** ** Rows of which each has at most one message *)

Lemma shown_near {M} (show : list M -> answer) V n xs ys : neighbors xs ys -> length xs = Z.to_nat n ->
  shown_views ReplaceOne show V n (mass (shown_set V show xs)) (mass (shown_set V show ys)).
Proof. intros N L. exists xs, ys. split; [split; assumption | split; reflexivity]. Qed.

Lemma place_in_pairs pairs pair classes : classes_beside pairs pair = Some classes ->
  exists found, In found pairs /\ In classes (of_others found).
Proof.
  unfold classes_beside. destruct pair as [[i j] |]; [| discriminate].
  destruct (nth_error pairs (Z.to_nat i)) as [found |] eqn:I; [| discriminate]. intros J.
  exists found. split; [exact (nth_error_In _ _ I) | exact (nth_error_In _ _ J)].
Qed.

Lemma rows_tested {M} (show : list M -> answer) n (V : list nat -> dist (list M)) pairs fewer q test classes :
  shown_again show -> (1 <= Z.to_nat n)%nat -> rows_of V pairs fewer false -> tested_pair false q pairs test = Some classes ->
  tests fewer (fun P Q => shown_views ReplaceOne show V n P Q) (Z.to_nat n) classes.
Proof.
  intros Back N [row [d [D [-> [Pr [One Att]]]]]] H. unfold tested_pair in H.
  destruct (classes_beside _ _) as [found |] eqn:C; [| discriminate]. injection H as <-.
  destruct (place_in_pairs _ _ _ C) as [pair [I J]]. specialize (Att pair I).
  destruct fewer; destruct (Att found J) as [x [y [v [X [Y [Z T]]]]]].
  - apply (less_stands row d show found (Z.to_nat n) _ x y v); try assumption. apply shown_near.
  - intros K L Below. apply (told_stands row d show found (Z.to_nat n)); try assumption; [| apply shown_near].
    exists x, y, v. repeat (split; [assumption |]). exact T.
Qed.

Lemma listed_stands {M} (show : list M -> answer) (R : nat -> dist (list M)) n pairs (one : Prop) q test classes K L :
  let V := fun xs => messages (with_name q R) (claims.numbered xs) in
  shown_again show -> (1 <= Z.to_nat n)%nat -> 0 < Q2R q < 1 -> (forall xs, proper (V xs)) -> rows_beside R pairs one ->
  one -> tested_pair true q (map (listed_pair q) pairs) test = Some classes ->
  (forall F delta, 0 <= F -> class_bound (Z.to_nat n) F (map real_class classes) <= delta -> mass_below K L F delta) ->
  stands_for (fun P Q => shown_views ReplaceOne (fun u => Named (names u) (show (unnamed u))) V n P Q) K L.
Proof.
  intros V Back N Hq Proper [row [d [D [Same [Right [Att Ones]]]]]] One H Below. unfold tested_pair in H.
  destruct (classes_beside _ _) as [found |] eqn:C; [| discriminate]. injection H as <-.
  destruct (place_in_pairs _ _ _ C) as [pair' [I J]]. apply in_map_iff in I. destruct I as [pair [<- I]].
  apply in_map_iff in J. destruct J as [base [<- J]]. destruct (Att pair I base J) as [x [y [v [X [Y [Z T]]]]]].
  set (program := fun x => row (Nat.min x (d - 1))).
  assert (Alike : forall z, alike (R z) (program z)) by (intros z f O; symmetry; apply (Same z f O)).
  assert (Sm : forall z, (z < d)%nat -> program z = row z) by (intros z Hz; unfold program; f_equal; lia).
  rewrite <- (Sm x X), <- (Sm y Y), <- (Sm v Z) in T. destruct (Z.to_nat n) as [| j] eqn:Nj; [lia |].
  apply (random_sets_stand_for V (fun u => Named (names u) (show (unnamed u))) (ret v) j x y (named_shown show Back) Proper).
  - apply proper_ret.
  - intros o Lo. apply shown_near; [apply (replace_one [] x y o) | simpl; lia].
  - intros F delta HF All. apply (Below F delta HF).
    apply (listed_refuted program q Hq x y v j F delta base); [rewrite Sm by exact Z; apply Right, Z | exact (Ones One) | exact T |].
    intros T0 S0. specialize (All T0 S0). rewrite !mean_copies_of_one in All. unfold V in All. cbv beta in All.
    rewrite !(names_alike q R program _ T0 Alike S0) in All. exact All.
Qed.

(** ** All of them *)

Theorem absence_tested r q a n test classes : randomizer_posed r -> absence_posed r a -> 0 < Q2R q < 1 -> (1 <= n)%Z ->
  absence_classes r q a test = Some classes ->
  tests (tells_fewer (r, a)) (run_mechanism (ParticipationRun r q a n)) (Z.to_nat n) classes.
Proof.
  intros Posed Ab Hq N H. assert (Proper := proper_absence r q a Posed Ab Hq).
  assert (Users : (1 <= Z.to_nat n)%nat) by lia. unfold absence_classes in H.
  destruct (_ && _)%bool eqn:Full; [| discriminate]. apply andb_true_iff in Full. destruct Full as [Full One].
  destruct (pairs_of_away r q a true) as [pairs |] eqn:Pairs; [| discriminate].
  assert (Alone : is_published a = false ->
    tests (tells_fewer (r, a)) (run_mechanism (ParticipationRun r q a n)) (Z.to_nat n) classes).
  { intros Na. rewrite Na in H. destruct r as [t | f]; [destruct a; discriminate |].
    assert (Pairs' : away_pairs f q a (negb false) = Some pairs) by (destruct a; exact Pairs || discriminate).
    assert (Rows := away_pairs_right f q a pairs false Posed Ab Hq (fun _ => Full) ltac:(intros ->; discriminate) Pairs').
    refine (absence_shown _ q a n _ _ (fun mech => tests (tells_fewer (Family f, a)) mech (Z.to_nat n) classes) _ Rows Proper).
    intros M show V Back R _. exact (rows_tested show n V pairs _ q test classes Back Users R H). }
  destruct a; try (apply Alone; reflexivity). clear Alone. cbn [is_published negb orb] in *. unfold pairs_of_away in Pairs.
  destruct (posed.randomizer_is_posed (listed_randomizer r)) eqn:Li; [| discriminate].
  apply posed.randomizer_is_posed_sound in Li. destruct (pairs_of (listed_randomizer r)) as [base |] eqn:Base; [| discriminate].
  injection Pairs as <-. assert (Rows := all_rows_beside r base Posed Li Base). assert (Back := program_shown r).
  replace (tells_fewer (r, Listed)) with false by (destruct r as [| []]; reflexivity). intros K L Below.
  assert (Each := fun M show R B P W => @listed_stands M show R n base _ q test classes K L B Users Hq P W One H Below).
  unfold run_mechanism. destruct r as [t | []]; cbn [for_absence for_program] in *; exact (Each _ _ _ Back Proper Rows).
Qed.

Theorem joint_tested of q a n test classes : together_posed of -> joint_absence_posed of a -> 0 < Q2R q < 1 ->
  (1 <= n)%Z -> joint_classes of q a test = Some classes ->
  tests (joint_tells_fewer of a) (run_mechanism (AbsentProductRun of q a n)) (Z.to_nat n) classes.
Proof.
  intros Posed Ab Hq N H. assert (Proper := proper_joint_absence of q a Posed Ab Hq).
  assert (Users : (1 <= Z.to_nat n)%nat) by lia. unfold joint_classes in H.
  destruct (joint_are_inputs of a) eqn:Full; [| discriminate].
  destruct (absent_pairs of q a _) as [pairs |] eqn:Pairs; [| discriminate].
  assert (Each := fun V fewer Rows Here => rows_tested Reports n V pairs fewer q test classes reports_shown Users Rows Here).
  unfold run_mechanism. destruct a as [| | dummies]; cbn [for_joint_absence joint_are_inputs joint_tells_fewer] in *.
  - injection Pairs as <-. exact (Each _ false (counted_reports of q false Posed Hq) H).
  - injection Pairs as <-. intros K L Below.
    exact (listed_stands Reports (together of) n (product_pairs of) True q test classes K L reports_shown Users Hq Proper
      (listed_reports of Posed) I H Below).
  - exact (Each _ _ (hidden_reports_rows of dummies q pairs false _ Posed Ab Hq Pairs (fun _ => Full)) H).
Qed.

(** ** Users of another randomizer *)

Lemma shown_same_law {M} nb (show : list M -> answer) (V V' : list nat -> dist (list M)) n P Q :
  (forall xs, same_law (V xs) (V' xs)) -> shown_views nb show V n P Q -> shown_views nb show V' n P Q.
Proof.
  intros Same [xs [ys [N [-> ->]]]]. exists xs, ys. split; [exact N |].
  assert (E : forall zs, mass (dmap show (bind (V zs) shuffler)) = mass (dmap show (bind (V' zs) shuffler))).
  { intros zs. apply functional_extensionality. intros b. apply same_mass. intros f. rewrite !mean_dmap, !mean_bind. apply Same. }
  split; apply E.
Qed.

Theorem as_one_mechanism r q a r' n P Q : randomizer_posed r -> absence_posed r a -> 0 < Q2R q < 1 ->
  as_one_randomizer r q a = Some r' -> run_mechanism (RandomizerRun r' n ReplaceOne) P Q ->
  run_mechanism (ParticipationRun r q a n) P Q.
Proof.
  intros Posed Ab Hq One.
  apply (as_one_randomizer_sound r q a r' (fun M show V => shown_views ReplaceOne show V n P Q)); try assumption.
  intros M show V V' Same. apply shown_same_law, Same.
Qed.
