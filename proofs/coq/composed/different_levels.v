(** Mechanisms of different eps and delta: the optimal bound of their composition.

    Levels (E_1, delta_1), ..., (E_T, delta_T) with E_t >= 1 and delta_t in [0, 1]. T mechanisms, each of which is run
    once, the next one and its pair of laws chosen with all answers so far in sight, with pairs of laws, finite or
    infinite, that are (E_t, delta_t)-below each other, have answers that are (E, d)-below for every E >= 0, where d is
    the divergence at E of the product of the losses of randomized response at these levels
    ([different_levels]). Randomized response at these levels attains it ([different_levels_attained]): no smaller
    number bounds what all of them lose, for all T, levels and E >= 0. So T runs of a program on n records, the t-th of
    which is (eps_t, delta_t)-DP whatever the answers before it were, eps_t >= 0, are (eps', d)-DP together for every
    eps', with d at E = e^eps' ([private_runs_at_levels]).

    Idea: as for equal levels (optimal_composition.v), one answer at a time. Source: MurtaghVadhan2016. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy masses hockey_stick loss_measures adaptive_composition.
From Exactdp Require Import optimal_composition adaptive_programs.
Import ListNotations.
Open Scope R_scope.

(** E = e^eps and delta of a mechanism. *)
Definition level : Type := R * R.

Definition valid (l : level) : Prop := 1 <= fst l /\ 0 <= snd l <= 1.

Definition level_losses (l : level) : measure := response_losses (fst l) (snd l).

Definition pairs_at {A} (l : level) : mechanism A := private_pairs (fst l) (snd l).

Theorem different_levels {A} levels (mechanisms : list (mechanism A)) P Q E :
  Forall valid levels -> Forall2 (fun l (M : mechanism A) => forall P Q, M P Q -> pairs_at l P Q) levels mechanisms ->
  played mechanisms P Q -> 0 <= E -> mass_below P Q E (divergence (product (map level_losses levels)) E).
Proof.
  intros HL HM HP HE. set (pairs := combine (map level_losses levels) mechanisms).
  assert (Both : map fst pairs = map level_losses levels /\ map snd pairs = mechanisms /\
    forall x, In x pairs -> dominates (fst x) (snd x)).
  { unfold pairs. clear pairs HP. induction HM as [| l M ls Ms H HM IH].
    { split; [reflexivity | split; [reflexivity | intros x []]]. }
    inversion HL as [| ? ? V HL']; subst. destruct (IH HL') as [I1 [I2 I3]]. simpl.
    rewrite I1, I2. split; [reflexivity | split; [reflexivity |]]. intros x [<- | I]; [| apply I3, I].
    destruct V as [V1 V2]. destruct (response_dominates (A := A) (fst l) (snd l) V1 V2) as [D1 [D2 D3]].
    split; [exact D1 | split; [exact D2 |]]. intros P' Q' HP'. apply D3, H, HP'. }
  destruct Both as [B1 [B2 B3]]. rewrite <- B1. apply adaptive_composition; [exact B3 | | exact HE].
  rewrite B2. exact HP.
Qed.

Fixpoint responses_at (levels : list level) (bit : bool) : list (bool * bool) -> R :=
  match levels with
  | [] => nothing
  | l :: rest => then_all (response (fst l) (snd l) bit) (fun _ => responses_at rest bit)
  end.

Lemma responses_at_nonneg levels bit : Forall valid levels -> forall s, 0 <= responses_at levels bit s.
Proof.
  induction 1 as [| l rest [V1 V2] _ IH]; intros [| a s]; simpl; try lra.
  apply Rmult_le_pos; [apply answer_nonneg; assumption | apply IH].
Qed.

Lemma responses_at_excess levels E :
  Forall valid levels -> 0 <= E ->
  total (all_answers (length levels)) (fun s => Rmax 0 (responses_at levels true s - E * responses_at levels false s)) =
  divergence (product (map level_losses levels)) E.
Proof.
  intros HL. revert E. induction HL as [| l rest [V1 V2] HL IH]; intros E HE.
  - unfold divergence, hinge. simpl. rewrite !Rmult_1_r, Rmult_1_l. ring.
  - simpl product. rewrite divergence_times.
    apply (answer_then (fst l) (snd l) V1 V2 (all_answers (length rest)) _ _
      (divergence (product (map level_losses rest)))); try assumption; apply responses_at_nonneg, HL.
Qed.

Theorem different_levels_attained levels :
  Forall valid levels ->
  played (map pairs_at levels) (responses_at levels true) (responses_at levels false) /\
  forall E d, 0 <= E -> mass_below (responses_at levels true) (responses_at levels false) E d ->
  divergence (product (map level_losses levels)) E <= d.
Proof.
  intros HL. split.
  - induction HL as [| l rest [V1 V2] HL IH]; simpl; [apply played_none |].
    apply played_next with (M := pairs_at l) (rest := map pairs_at rest); [reflexivity | | intros _; exact IH].
    apply (response_is_private (fst l) (snd l) V1 V2).
  - intros E d HE H. rewrite <- responses_at_excess by assumption.
    apply (mass_hockey_stick_iff (responses_at levels true) (responses_at levels false) E d); [exact H |].
    apply all_answers_once.
Qed.

Theorem private_runs_at_levels {X A} (K : list A -> list X -> dist A) n T (eps delta : nat -> R) eps' :
  (forall seen xs, proper (K seen xs)) -> (forall t, (t < T)%nat -> 0 <= eps t /\ 0 <= delta t <= 1) ->
  (forall seen, (length seen < T)%nat -> dp n (K seen) (eps (length seen)) (delta (length seen))) ->
  dp n (runs K T) eps'
    (divergence (product (map (fun t => response_losses (exp (eps t)) (delta t)) (seq 0 T))) (exp eps')).
Proof.
  intros HK HL H xs ys N L.
  apply (adaptive_runs K (fun t => response_losses (exp (eps t)) (delta t)) T xs ys).
  - intros seen. split; apply HK.
  - intros t B. destruct (HL t B) as [He Hd]. assert (E1 := exp_ge_1 (eps t) He).
    split; [apply response_nonnegative; assumption | right; symmetry; apply response_at_0; assumption].
  - intros seen F B HF. destruct (HL (length seen) B) as [He Hd]. apply below_masses.
    destruct (response_dominates (A := A) _ _ (exp_ge_1 _ He) Hd) as [_ [_ D]]. apply D; [| exact HF].
    split; [apply law_of_program, HK | split; [apply law_of_program, HK |]].
    split; apply below_masses, (H seen B); try assumption; [apply neighbors_sym, N |].
    rewrite <- (neighbors_length xs ys N). exact L.
  - left. apply exp_pos.
Qed.
