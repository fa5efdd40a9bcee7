(** Adaptive composition of programs: T runs, each of which knows all answers before it.

    [runs K T x] is the program that runs K T times on the same data x, and gives every run the list of all
    answers before it, the first one first; its outcome is the list of all answers. Coins of whoever chooses the
    next mechanism are part of K. Proved for finite laws and every T:

    - a measure of losses for each run (loss_measures.v), such that whatever the answers before it were, the laws
      of the run on x and on y are (F, divergence at F)-below each other for every F >= 0: then all answers
      together are (E, divergence of the product of the measures at E)-below, for every E >= 0
      ([adaptive_runs]);
    - if every run is (eps, delta)-DP on n records, eps >= 0 and 0 <= delta <= 1, whatever the answers before it
      were, all T runs are (eps', composed_delta T e^eps')-DP for every eps' ([private_runs]), and in closed form
      they have advanced composition's eps' and delta_T ([private_runs_advanced]), as it is printed too
      ([private_runs_printed]).

    Idea: the masses of the program are those of a game of adaptive_composition.v, in which the answers so far
    choose the pair of the next run.

    Source: DworkRothblumVadhan2010, section III; KairouzOhViswanath2017, section 2. *)

From Coq Require Import Reals List Lra Lia FunctionalExtensionality.
From Exactdp Require Import reals sums laws privacy masses hockey_stick loss_measures adaptive_composition.
From Exactdp Require Import optimal_composition advanced_composition.
Import ListNotations.
Open Scope R_scope.

Fixpoint runs {A Y} (K : list A -> Y -> dist A) (T : nat) (y : Y) : dist (list A) :=
  match T with
  | O => ret []
  | S T => bind (K [] y) (fun a => dmap (cons a) (runs (fun seen => K (a :: seen)) T y))
  end.

Lemma proper_runs {A Y} (K : list A -> Y -> dist A) T y : (forall seen, proper (K seen y)) -> proper (runs K T y).
Proof.
  revert K. induction T as [| T IH]; intros K H; simpl; [apply proper_ret |].
  apply proper_bind; [apply H |]. intros a. apply proper_dmap, IH. intros seen. apply H.
Qed.

(** ** Masses of a program *)

Lemma mass_of_no_outcome {A} (d : dist A) a : ~ In a (map snd d) -> mass d a = 0.
Proof.
  intros H. unfold mass, Pr, mean. rewrite (total_ext d _ (fun _ => 0)); [apply total_zero |].
  intros wb I. unfold indicator. destruct (same (snd wb) a) as [<- |]; [| ring].
  exfalso. apply H, in_map, I.
Qed.

Lemma law_of_program {A} (d : dist A) : proper d -> law (mass d).
Proof.
  intros H. destruct (outcomes_cover d d) as [C _].
  apply (law_of_finite_support same (mass d) (outcomes d d)).
  - intros a. apply mass_nonneg, H.
  - apply outcomes_NoDup.
  - intros a N. apply mass_of_no_outcome. intros I. apply N, nodup_In. rewrite map_app. apply in_or_app. auto.
  - rewrite <- (proj2 H), (mean_masses d (outcomes d d)); [| apply outcomes_NoDup | exact C].
    apply total_ext. intros. ring.
Qed.

Lemma below_masses {A} (P Q : dist A) E delta : below P Q E delta <-> mass_below (mass P) (mass Q) E delta.
Proof.
  rewrite hockey_stick_iff, mass_hockey_stick_iff. split; intros H.
  - intros l N. eapply Rle_trans; [| exact H]. destruct (outcomes_cover P Q) as [CP CQ].
    rewrite (hockey_stick_listed P Q E (nodup same (l ++ outcomes P Q))).
    + apply total_incl; [exact N | | intros; apply Rmax_l].
      intros a I. apply nodup_In, in_or_app. auto.
    + apply NoDup_nodup.
    + intros wa I. apply nodup_In, in_or_app. right. apply CP, I.
    + intros wa I. apply nodup_In, in_or_app. right. apply CQ, I.
  - apply H, outcomes_NoDup.
Qed.

Lemma mass_then_all {A} (P : dist A) (K : A -> dist (list A)) :
  mass (bind P (fun a => dmap (cons a) (K a))) = then_all (mass P) (fun a => mass (K a)).
Proof.
  apply functional_extensionality. intros s. unfold mass at 1. rewrite Pr_bind.
  assert (Never : forall B (d : dist B) S, (forall b, S b = false) -> Pr d S = 0).
  { intros B d S H. unfold Pr, mean. transitivity (total d (fun _ => 0)); [| apply total_zero].
    apply total_ext. intros wb _. unfold indicator. rewrite H. ring. }
  destruct s as [| a s]; simpl then_all.
  - transitivity (mean P (fun _ => 0 * 1)); [| rewrite mean_scal; ring]. apply mean_ext. intros a.
    rewrite Pr_dmap, Never, Rmult_0_l; [reflexivity |]. intros t. destruct (same (a :: t) []); congruence.
  - rewrite (mean_ext P _ (fun b => mass (K a) s * indicator (fun b => if same b a then true else false) b)).
    + rewrite mean_scal. unfold mass at 2, Pr. ring.
    + intros b. rewrite Pr_dmap. unfold indicator. destruct (same b a) as [-> | Other].
      * rewrite Rmult_1_r. apply Pr_ext. intros t.
        destruct (same (a :: t) (a :: s)) as [X | X], (same t s) as [Y | Y]; congruence.
      * rewrite Rmult_0_r. apply Never. intros t. destruct (same (b :: t) (a :: s)); congruence.
Qed.

Lemma mass_ret_nil {A} : mass (ret (@nil A)) = nothing.
Proof.
  apply functional_extensionality. intros s. unfold mass. rewrite Pr_ret. unfold indicator.
  destruct s as [| a s]; simpl; [destruct (same [] []) | destruct (same [] (a :: s))]; congruence.
Qed.

(** ** A program plays the game *)

Definition no_pairs {A} : mechanism A := fun _ _ => False.

Lemma runs_played {A Y} (Ms : list (mechanism A)) T (K : list A -> Y -> dist A) x y : length Ms = T ->
  (forall seen, (length seen < T)%nat -> nth (length seen) Ms no_pairs (mass (K seen x)) (mass (K seen y))) ->
  played Ms (mass (runs K T x)) (mass (runs K T y)).
Proof.
  intros <-. revert K. induction Ms as [| M Ms IH]; intros K H; cbn [length runs].
  - rewrite mass_ret_nil. apply played_none.
  - rewrite !mass_then_all. apply played_next with (M := M) (rest := Ms); [reflexivity | |].
    + apply (H []). simpl. lia.
    + intros a. apply (IH (fun seen => K (a :: seen))). intros seen L. apply (H (a :: seen)). simpl. lia.
Qed.

(** What a run may show, whatever was answered before it. *)
Definition stage {A Y} (K : list A -> Y -> dist A) (x y : Y) (t : nat) : mechanism A := fun P Q =>
  exists seen, length seen = t /\ P = mass (K seen x) /\ Q = mass (K seen y).

Lemma stages_played {A Y} (K : list A -> Y -> dist A) x y T :
  played (map (stage K x y) (seq 0 T)) (mass (runs K T x)) (mass (runs K T y)).
Proof.
  assert (L : length (map (stage K x y) (seq 0 T)) = T) by (rewrite map_length; apply seq_length).
  apply runs_played; [exact L |]. intros seen B.
  rewrite (nth_indep _ _ (stage K x y 0%nat)) by (rewrite L; exact B).
  rewrite map_nth, seq_nth by exact B. exists seen. auto.
Qed.

Theorem adaptive_runs {A Y} (K : list A -> Y -> dist A) (nu : nat -> measure) T x y :
  (forall seen, proper (K seen x) /\ proper (K seen y)) ->
  (forall t, (t < T)%nat -> nonnegative (nu t) /\ 1 <= divergence (nu t) 0) ->
  (forall seen F, (length seen < T)%nat -> 0 <= F ->
   below (K seen x) (K seen y) F (divergence (nu (length seen)) F)) ->
  forall E, 0 <= E -> below (runs K T x) (runs K T y) E (divergence (product (map nu (seq 0 T))) E).
Proof.
  intros HK HN H E HE. apply below_masses.
  set (pairs := map (fun t => (nu t, stage K x y t)) (seq 0 T)).
  replace (map nu (seq 0 T)) with (map fst pairs) by (unfold pairs; rewrite map_map; reflexivity).
  apply adaptive_composition; [| | exact HE].
  - intros z I. apply in_map_iff in I. destruct I as [t [<- I]]. apply in_seq in I.
    destruct (HN t ltac:(lia)) as [N One]. split; [exact N | split; [exact One |]].
    intros P Q [seen [L [-> ->]]]. destruct (HK seen) as [PX PY].
    split; [apply law_of_program, PX | split; [apply law_of_program, PY |]].
    intros F HF. apply below_masses. rewrite <- L. apply H; [lia | exact HF].
  - unfold pairs. rewrite map_map. apply stages_played.
Qed.

(** ** Private runs *)

Section private.

Context {X A : Type} (K : list A -> list X -> dist A) (n T : nat) (eps delta : R).
Hypothesis programs : forall seen xs, proper (K seen xs).
Hypothesis eps_nonneg : 0 <= eps.
Hypothesis chance : 0 <= delta <= 1.
Hypothesis each : forall seen, (length seen < T)%nat -> dp n (K seen) eps delta.

Lemma stages_private xs ys : neighbors xs ys -> length xs = n ->
  length (map (stage K xs ys) (seq 0 T)) = T /\
  forall M, In M (map (stage K xs ys) (seq 0 T)) -> forall P Q, M P Q -> private_pairs (exp eps) delta P Q.
Proof.
  intros N L. split; [rewrite map_length; apply seq_length |].
  intros M I P Q HM. apply in_map_iff in I. destruct I as [t [<- I]]. apply in_seq in I.
  destruct HM as [seen [Ls [-> ->]]].
  split; [apply law_of_program, programs | split; [apply law_of_program, programs |]].
  split; apply below_masses, (each seen); try lia; try assumption.
  - apply neighbors_sym, N.
  - rewrite <- (neighbors_length xs ys N). exact L.
Qed.

Theorem private_runs eps' : dp n (runs K T) eps' (composed_delta (exp eps) delta T (exp eps')).
Proof.
  intros xs ys N L. apply below_masses. destruct (stages_private xs ys N L) as [HT HM].
  apply (optimal_composition (exp eps) delta (exp_ge_1 eps eps_nonneg) chance T _ _ _ _ HT HM).
  - apply stages_played.
  - left. apply exp_pos.
Qed.

Theorem private_runs_advanced delta' : 0 < delta' <= 1 ->
  dp n (runs K T) (advanced_eps T eps delta') (1 - (1 - delta) ^ T * (1 - delta')).
Proof.
  intros Hd xs ys N L. apply below_masses. destruct (stages_private xs ys N L) as [HT HM].
  apply (advanced_composition T _ _ _ eps delta delta' eps_nonneg chance Hd HT HM), stages_played.
Qed.

Theorem private_runs_printed delta' : 0 < delta' <= 1 ->
  dp n (runs K T) (sqrt (2 * INR T * ln (/ delta')) * eps + INR T * eps * (exp eps - 1)) (INR T * delta + delta').
Proof.
  intros Hd xs ys N L. apply below_masses. destruct (stages_private xs ys N L) as [HT HM].
  apply (advanced_composition_printed T _ _ _ eps delta delta' eps_nonneg chance Hd HT HM), stages_played.
Qed.

End private.
