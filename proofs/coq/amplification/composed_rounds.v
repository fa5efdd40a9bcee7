(** Amplification by shuffling, then composition: T rounds of shuffled randomizers on the same records.

    In each of T rounds all n users run a randomizer on their records, each the same record in all rounds, with fresh
    coins, and a shuffler puts the messages of the round into a random order. Which randomizer the next round has may
    depend on all that the earlier rounds put out; [rounds] is this program. Proved for any number of messages per
    user, every T and n:

    - for one pair of data sets of any kind: a measure of losses for each round, which bounds the divergence of the
      round in this order, whatever came before, at every F >= 0. Then all rounds together are
      (E, divergence of the product of the measures at E)-below for every E >= 0 ([shuffled_rounds]);
    - for all data sets that differ in one record: a curve d_t for each round, with d_t(E) at least the divergence of
      every ordered pair of neighbours at E >= 1, whatever came before. A measure for each round that is at least its
      curve at the corners of the measure, and at least 1 - E (1 - d_t(1/E)) at the corners E < 1 ([lies_above]), is
      enough ([rounds_of_curves]); such as points of the curve with chords between them ([polygon_lies_above]);
    - the same with the integers that the checker computes from one curve for all rounds ([rounds_checked]);
    - if every round is (eps, delta)-DP for its view, T rounds are (eps', composed_delta)-DP for every eps'
      ([rounds_optimal]), with advanced composition's eps' and delta in closed form ([rounds_advanced]).

    A curve is the maximum over all ordered pairs of neighbours: a pair may be worse in one round, and its reverse in
    another one. The curve of one order, composed, bounds no mixture of both orders.

    Idea: a round is a program on the data; adaptive_programs.v composes programs, the shuffled order tells as much as
    the view (shuffler.v), and neighbours are symmetric, so a divergence at 1/E is that at E of the other order.

    Source: this package. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy masses hockey_stick shuffler adding_a_user loss_measures.
From Exactdp Require Import adaptive_composition fixed_point losses_program curve_program composed_program.
From Exactdp Require Import corners optimal_composition advanced_composition adaptive_programs.
Import ListNotations.
Open Scope R_scope.

Lemma nth_repeated {A} (a d : A) m i : (i < m)%nat -> nth i (repeat a m) d = a.
Proof. revert i. induction m as [| m IH]; intros [| i] H; simpl; try lia; [reflexivity | apply IH; lia]. Qed.

(** One round: all users' messages, shuffled. *)
Definition round {X M} (R : list (list M) -> X -> dist (list M)) (seen : list (list M)) (xs : list X)
    : dist (list M) := bind (messages (R seen) xs) shuffler.

(** What T rounds put out, the first one first. *)
Definition rounds {X M} (R : list (list M) -> X -> dist (list M)) (T : nat) (xs : list X)
    : dist (list (list M)) := runs (round R) T xs.

Lemma round_below {X M} (R : list (list M) -> X -> dist (list M)) seen xs ys E delta :
  shuffle_below (R seen) xs ys E delta -> below (round R seen xs) (round R seen ys) E delta.
Proof. intros H. apply ordered_output, H. Qed.

Lemma proper_round {X M} (R : list (list M) -> X -> dist (list M)) seen xs :
  (forall x, proper (R seen x)) -> proper (round R seen xs).
Proof. intros H. apply proper_bind; [apply proper_messages, H | apply proper_shuffler]. Qed.

(** The measure is at least the curve d at its corners, and at least what the other order gives below 1. *)
Definition lies_above (nu : measure) (d : R -> R) : Prop :=
  nonnegative nu /\ (forall mr, In mr (atoms nu) -> 0 < snd mr) /\ 1 <= divergence nu 0 /\
  forall c, In c (corners nu) ->
  (1 <= c /\ d c <= divergence nu c) \/ (c < 1 /\ 1 - c * (1 - d (/ c)) <= divergence nu c).

Section rounds.

Context {X M : Type} (R : list (list M) -> X -> dist (list M)) (n T : nat).
Hypothesis randomizers : forall seen x, proper (R seen x).

Theorem shuffled_rounds (nu : nat -> measure) xs ys :
  (forall t, (t < T)%nat -> nonnegative (nu t) /\ 1 <= divergence (nu t) 0) ->
  (forall seen F, (length seen < T)%nat -> 0 <= F ->
   shuffle_below (R seen) xs ys F (divergence (nu (length seen)) F)) ->
  forall E, 0 <= E -> below (rounds R T xs) (rounds R T ys) E (divergence (product (map nu (seq 0 T))) E).
Proof.
  intros HN H E HE. apply adaptive_runs; [| exact HN | | exact HE].
  - intros seen. split; apply proper_round, randomizers.
  - intros seen F B HF. apply round_below, H; assumption.
Qed.

(** ** Curves *)

(** What a round may show two neighbours that are told apart, in the sense of adaptive_composition.v. *)
Definition shuffled_pairs (t : nat) : mechanism (list M) := fun P Q =>
  exists seen xs ys, length seen = t /\ neighbors xs ys /\ length xs = n /\
  P = mass (round R seen xs) /\ Q = mass (round R seen ys).

Lemma round_pairs t P Q : shuffled_pairs t P Q -> law P /\ law Q /\ shuffled_pairs t Q P.
Proof.
  intros [seen [xs [ys [S [N [L [-> ->]]]]]]].
  split; [apply law_of_program, proper_round, randomizers |].
  split; [apply law_of_program, proper_round, randomizers |].
  exists seen, ys, xs. repeat split; try assumption; [apply neighbors_sym, N |].
  rewrite <- (neighbors_length xs ys N). exact L.
Qed.

Lemma rounds_played xs ys : neighbors xs ys -> length xs = n ->
  played (map shuffled_pairs (seq 0 T)) (mass (rounds R T xs)) (mass (rounds R T ys)).
Proof.
  intros N L. assert (LT : length (map shuffled_pairs (seq 0 T)) = T) by (rewrite map_length; apply seq_length).
  apply runs_played; [exact LT |]. intros seen B.
  rewrite (nth_indep _ _ (shuffled_pairs 0)) by (rewrite LT; exact B).
  rewrite map_nth, seq_nth by exact B. exists seen, xs, ys. auto.
Qed.

Lemma curve_bounds_pairs (d : nat -> Rdefinitions.R -> Rdefinitions.R) :
  (forall seen xs ys E, (length seen < T)%nat -> neighbors xs ys -> length xs = n -> 1 <= E ->
   shuffle_below (R seen) xs ys E (d (length seen) E)) ->
  forall t P Q E, (t < T)%nat -> shuffled_pairs t P Q -> 1 <= E -> mass_below P Q E (d t E).
Proof.
  intros H t P Q E B [seen [xs [ys [S [N [L [-> ->]]]]]]] HE. apply below_masses, round_below.
  rewrite <- S. apply H; try assumption. lia.
Qed.

Theorem rounds_of_curves (d : nat -> Rdefinitions.R -> Rdefinitions.R) (nu : nat -> measure) :
  (forall seen xs ys E, (length seen < T)%nat -> neighbors xs ys -> length xs = n -> 1 <= E ->
   shuffle_below (R seen) xs ys E (d (length seen) E)) ->
  (forall t, (t < T)%nat -> lies_above (nu t) (d t)) ->
  forall xs ys E, neighbors xs ys -> length xs = n -> 0 <= E ->
  below (rounds R T xs) (rounds R T ys) E (divergence (product (map nu (seq 0 T))) E).
Proof.
  intros H HN xs ys E N L HE. apply below_masses.
  set (pairs := map (fun t => (nu t, shuffled_pairs t)) (seq 0 T)).
  replace (map nu (seq 0 T)) with (map fst pairs) by (unfold pairs; rewrite map_map; reflexivity).
  apply adaptive_composition; [| | exact HE].
  - intros z I. apply in_map_iff in I. destruct I as [t [<- I]]. apply in_seq in I.
    destruct (HN t ltac:(lia)) as [N1 [N2 [N3 N4]]].
    apply (dominates_from_above_1 (nu t) _ (d t)); try assumption. intros P Q HP.
    destruct (round_pairs t P Q HP) as [LP [LQ HQ]]. split; [exact LP | split; [exact LQ |]].
    intros F HF. split; apply (curve_bounds_pairs d H); try assumption; lia.
  - unfold pairs. rewrite map_map. apply rounds_played; assumption.
Qed.

(** ** Rounds that are private *)

Section private.

Variables (eps delta : Rdefinitions.R).
Hypothesis eps_nonneg : 0 <= eps.
Hypothesis chance : 0 <= delta <= 1.
Hypothesis each : forall seen, (length seen < T)%nat -> shuffle_dp n (R seen) eps delta.

Theorem rounds_optimal eps' : dp n (rounds R T) eps' (composed_delta (exp eps) delta T (exp eps')).
Proof.
  apply (private_runs (round R) n T eps delta); try assumption.
  - intros seen xs. apply proper_round, randomizers.
  - intros seen B. apply (shuffle_dp_iff_shuffled n (R seen)), each, B.
Qed.

Theorem rounds_advanced delta' : 0 < delta' <= 1 ->
  dp n (rounds R T) (advanced_eps T eps delta') (1 - (1 - delta) ^ T * (1 - delta')).
Proof.
  apply (private_runs_advanced (round R) n T eps delta); try assumption.
  - intros seen xs. apply proper_round, randomizers.
  - intros seen B. apply (shuffle_dp_iff_shuffled n (R seen)), each, B.
Qed.

End private.

(** ** What the checker computes *)

(** What some round may show. *)
Definition any_round : mechanism (list M) := fun P Q => exists t, (t < T)%nat /\ shuffled_pairs t P Q.

Theorem rounds_checked bits a b curve (place : nat -> Rdefinitions.R) k fine number equal :
  (0 < b)%Z -> (b < a)%Z -> curve <> [] -> Forall (fun d => (0 <= d)%Z) curve ->
  (forall j, (j <= pred (length curve))%nat -> place j <= (IZR a / IZR b) ^ j) -> T = Pos.to_nat k ->
  (forall seen xs ys j, (length seen < T)%nat -> neighbors xs ys -> length xs = n ->
   (j <= pred (length curve))%nat -> shuffle_below (R seen) xs ys (place j) (IZR (entry curve j) / 2 ^ bits)) ->
  forall xs ys E, neighbors xs ys -> length xs = n -> 1 <= E -> (0 <= number)%Z -> IZR number <= E * 2 ^ fine ->
  (forall j, equal j = true -> powerRZ (IZR a / IZR b) j = E) ->
  below (rounds R T xs) (rounds R T ys) E
    (IZR (bound_above a b fine number equal (all_losses bits [(losses_of_curve bits a b curve, k, any_round)])) /
     2 ^ (bits + 2 * fine)).
Proof.
  intros Hb Ha NE Pos Places HT H xs ys E N L HE HN HB Heq. apply below_masses.
  apply (composed_private bits a b Hb Ha); try assumption.
  - intros r [<- | []]. apply (curve_run bits a b Hb Ha curve k any_round place NE Pos Places).
    intros P Q [t [Ht HP]]. destruct (round_pairs t P Q HP) as [LP [LQ HQ]].
    split; [exact LP | split; [exact LQ |]]. intros j Hj.
    assert (B : forall P Q, shuffled_pairs t P Q -> mass_below P Q (place j) (IZR (entry curve j) / 2 ^ bits)).
    { intros P' Q' [seen [us [vs [S [N' [L' [-> ->]]]]]]]. apply below_masses, round_below.
      apply H; try assumption. rewrite S. exact Ht. }
    split; apply B; assumption.
  - unfold all_mechanisms. cbn [flat_map run_mechanism run_times fst snd]. rewrite app_nil_r, <- HT.
    apply runs_played; [apply repeat_length |]. intros seen B. rewrite nth_repeated by exact B.
    exists (length seen). split; [exact B |]. exists seen, xs, ys. auto.
Qed.

End rounds.

(** Points of a curve, with chords between them. *)
Theorem polygon_lies_above (m : nat) (e u : nat -> R) (d : R -> R) :
  e O = 0 -> (forall i, e i < e (S i)) -> u O = 1 -> 0 <= u m ->
  (forall i, (1 <= i <= m)%nat -> 0 <= bend_at m e u i) ->
  (forall i, (1 <= i <= m)%nat ->
   (1 <= e i /\ d (e i) <= u i) \/ (e i < 1 /\ 1 - e i * (1 - d (/ e i)) <= u i)) ->
  lies_above (polygon m e u) d.
Proof.
  intros E0 Rise U0 Um Convex H.
  assert (Pos : forall i, In i (seq 1 m) -> 0 < e i).
  { intros i I. apply in_seq in I. destruct i as [| i]; [lia |]. apply (point_positive e E0 Rise). }
  split; [split; [exact Um |] | split; [| split]].
  - intros mr I. apply in_map_iff in I. destruct I as [i [<- I]]. assert (P := Pos i I). apply in_seq in I.
    simpl. split; [apply Rmult_le_pos; [apply Convex; lia | lra] | left; apply Rinv_0_lt_compat, P].
  - intros mr I. apply in_map_iff in I. destruct I as [i [<- I]]. apply Rinv_0_lt_compat, Pos, I.
  - rewrite <- E0, (polygon_values m e u E0 Rise) by lia. lra.
  - intros c I. apply in_map_iff in I. destruct I as [mr [<- I]]. apply in_map_iff in I.
    destruct I as [i [<- I]]. assert (P := Pos i I). apply in_seq in I. simpl.
    rewrite Rinv_inv. rewrite (polygon_values m e u E0 Rise) by lia. apply H. lia.
Qed.
