(** Programs with countably many outcomes, in the shuffle model.

    A law on any type is given by its masses (masses.v). [expectation D f] is the mean of f, with values in [0, 1],
    under D; [point] a is the law of a alone, [chain] D K that of a draw from K a, a drawn from D.

    - [expectation_chain], [expectation_swap]: means of such programs, and that independent draws may change places;
    - [sent R xs]: the law of the messages of all users, R x giving those of one who holds x, a law on lists;
    - [countable_dp] n R eps delta: behind a shuffler it is (eps, delta)-DP, against all sets of messages that do not
      depend on their order;
    - [countable_dp_finite]: for programs with finitely many outcomes this is [shuffle_dp] of privacy.v, so that all
      theorems on these hold here.

    Idea: sums of terms that are not negative may be taken in any order. Source: standard. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import sums laws privacy masses infinite_sums hockey_stick adding_a_user.
Import ListNotations.
Open Scope R_scope.

(** ** Means *)

Definition expectation {A} (D : A -> R) (f : A -> R) : R :=
  real (Lub_Rbar (fun s => exists l, NoDup l /\ s = total l (fun a => D a * f a))).

(** f has values in [0, 1]. *)
Definition unit_valued {A} (f : A -> R) : Prop := forall a, 0 <= f a <= 1.

Lemma expectation_is {A} (D f : A -> R) s : sum_of (fun a => D a * f a) s -> expectation D f = s.
Proof.
  intros [U L]. unfold expectation. rewrite (is_lub_Rbar_unique _ (Finite s)); [reflexivity |].
  split.
  - intros t Ht. apply U, Ht.
  - intros [b | |] Hb; [| exact I | exfalso; apply (Hb 0); exists []; split; [constructor | reflexivity]].
    simpl. apply L. intros t Ht. exact (Hb t Ht).
Qed.

Section Means.
  Context {A : Type} (D : A -> R) (D_law : law D).

  Lemma terms_nonneg f : unit_valued f -> forall a, 0 <= D a * f a.
  Proof. intros F a. apply Rmult_le_pos; [apply D_law | apply F]. Qed.

  Lemma expectation_sum f : unit_valued f -> sum_of (fun a => D a * f a) (expectation D f).
  Proof.
    intros F. destruct (completeness (fun t => exists l, NoDup l /\ t = total l (fun a => D a * f a))) as [s Hs].
    - exists 1. intros t [l [N ->]]. eapply Rle_trans; [| apply (law_finite D l D_law N)]. apply total_le. intros a _.
      assert (P := proj1 D_law a). specialize (F a). nra.
    - exists 0, []. split; [constructor | reflexivity].
    - rewrite (expectation_is D f s Hs). exact Hs.
  Qed.

  Lemma expectation_bounds f : unit_valued f -> 0 <= expectation D f <= 1.
  Proof.
    intros F. assert (S := expectation_sum f F). split; [apply (sum_of_nonneg _ _ S) |].
    apply (sum_of_least _ _ _ S). intros l N. eapply Rle_trans; [| apply (law_finite D l D_law N)].
    apply total_le. intros a _. assert (P := proj1 D_law a). specialize (F a). nra.
  Qed.

  Lemma expectation_ext f g : unit_valued f -> (forall a, f a = g a) -> expectation D f = expectation D g.
  Proof.
    intros F E. symmetry. apply expectation_is. apply (sum_of_ext (fun a => D a * f a)); [intros a; rewrite E; reflexivity |].
    apply expectation_sum, F.
  Qed.

  Lemma expectation_le f g : unit_valued f -> unit_valued g -> (forall a, f a <= g a) -> expectation D f <= expectation D g.
  Proof.
    intros F G L. apply (sum_of_least _ _ _ (expectation_sum f F)). intros l N.
    eapply Rle_trans; [| apply (sum_of_upper _ _ l (expectation_sum g G) N)].
    apply total_le. intros a _. apply Rmult_le_compat_l; [apply D_law | apply L].
  Qed.

  Lemma expectation_one : expectation D (fun _ => 1) = 1.
  Proof.
    apply expectation_is. apply (sum_of_ext D); [intros; ring | apply (proj1 (law_sum_of D)), D_law].
  Qed.

  Lemma expectation_plus f g : unit_valued f -> unit_valued g -> unit_valued (fun a => f a + g a) ->
    expectation D (fun a => f a + g a) = expectation D f + expectation D g.
  Proof.
    intros F G FG. apply expectation_is. apply (sum_of_ext (fun a => D a * f a + D a * g a)); [intros; ring |].
    apply sum_of_plus; auto using terms_nonneg, expectation_sum.
  Qed.
End Means.

Lemma expectation_scaled {A} (D : A -> R) c f : law D -> unit_valued f -> 0 <= c ->
  sum_of (fun a => D a * (c * f a)) (c * expectation D f).
Proof.
  intros L F C. apply (sum_of_ext (fun a => c * (D a * f a))); [intros; ring |].
  apply sum_of_scal; [exact C | apply expectation_sum; assumption].
Qed.

(** ** Programs *)

Definition point {A} (a b : A) : R := if same a b then 1 else 0.

Definition chain {A B} (D : A -> R) (K : A -> B -> R) (b : B) : R := expectation D (fun a => K a b).

Lemma point_sum {A} (a : A) f : 0 <= f a -> sum_of (fun b => point a b * f b) (f a).
Proof.
  intros F. apply sum_of_intro.
  - intros l N. rewrite (total_ext l _ (fun b => if same a b then f a else 0)).
    2:{ intros b _. unfold point. destruct (same a b) as [<- | _]; ring. }
    destruct (in_dec same a l) as [I | I]; [rewrite (total_single same) by assumption; lra |].
    rewrite (total_ext l _ (fun _ => 0)), total_zero; [exact F |]. intros b Ib.
    destruct (same a b) as [<- | _]; [contradiction | reflexivity].
  - intros b H. specialize (H [a] ltac:(repeat constructor; simpl; tauto)). simpl in H. unfold point in H.
    destruct (same a a); [lra | contradiction].
Qed.

Lemma point_law {A} (a : A) : law (point a).
Proof.
  apply law_sum_of. split; [intros b; unfold point; destruct (same a b); lra |].
  apply (sum_of_ext (fun b => point a b * 1)); [intros; ring | apply (point_sum a (fun _ => 1)); lra].
Qed.

Lemma expectation_point {A} (a : A) f : 0 <= f a -> expectation (point a) f = f a.
Proof. intros F. apply expectation_is, point_sum, F. Qed.

Lemma law_unit {A} (D : A -> R) : law D -> unit_valued D.
Proof.
  intros L a. split; [apply L |]. assert (F := law_finite D [a] L ltac:(repeat constructor; simpl; tauto)). simpl in F. lra.
Qed.

Section Chains.
  Context {A B : Type} (D : A -> R) (K : A -> B -> R) (D_law : law D) (K_law : forall a, law (K a)).

  Lemma chain_sum f : unit_valued f ->
    sum_of (fun b => chain D K b * f b) (expectation D (fun a => expectation (K a) f)).
  Proof.
    intros F. assert (U : unit_valued (fun a => expectation (K a) f)) by (intros a; apply expectation_bounds; auto).
    apply (double_sum (fun a b => D a * (K a b * f b)) (fun a => D a * expectation (K a) f) (fun b => chain D K b * f b)).
    - intros a b. apply Rmult_le_pos; [apply D_law | apply Rmult_le_pos; [apply K_law | apply F]].
    - intros a. apply sum_of_scal; [apply D_law | apply expectation_sum; auto].
    - intros b. apply (sum_of_ext (fun a => f b * (D a * K a b))); [intros; ring |].
      rewrite Rmult_comm. apply sum_of_scal; [apply F |]. apply expectation_sum; [exact D_law |].
      intros a. apply (law_unit (K a)), K_law.
    - apply expectation_sum; assumption.
  Qed.

  Lemma chain_law : law (chain D K).
  Proof.
    apply law_sum_of. split.
    - intros b. apply expectation_bounds; [exact D_law | intros a; apply (law_unit (K a)), K_law].
    - apply (sum_of_ext (fun b => chain D K b * 1)); [intros; ring |].
      assert (S := chain_sum (fun _ => 1) ltac:(intros b; lra)).
      rewrite (expectation_ext D D_law _ (fun _ => 1)), expectation_one in S; [exact S | exact D_law | |].
      + intros a. rewrite expectation_one by apply K_law. lra.
      + intros a. apply expectation_one, K_law.
  Qed.

  Lemma expectation_chain f : unit_valued f -> expectation (chain D K) f = expectation D (fun a => expectation (K a) f).
  Proof. intros F. apply expectation_is, chain_sum, F. Qed.
End Chains.

Theorem expectation_swap {A B} (D : A -> R) (E : B -> R) (f : A -> B -> R) : law D -> law E -> (forall a, unit_valued (f a)) ->
  expectation D (fun a => expectation E (f a)) = expectation E (fun b => expectation D (fun a => f a b)).
Proof.
  intros LD LE F. assert (UA : unit_valued (fun a => expectation E (f a))) by (intros a; apply expectation_bounds; auto).
  assert (UB : unit_valued (fun b => expectation D (fun a => f a b)))
    by (intros b; apply expectation_bounds; [exact LD | intros a; apply F]).
  apply expectation_is.
  apply (double_sum (fun a b => D a * (E b * f a b)) (fun a => D a * expectation E (f a))
    (fun b => E b * expectation D (fun a => f a b))).
  - intros a b. apply Rmult_le_pos; [apply LD | apply Rmult_le_pos; [apply LE | apply F]].
  - intros a. apply sum_of_scal; [apply LD | apply expectation_sum; auto].
  - intros b. apply (sum_of_ext (fun a => E b * (D a * f a b))); [intros; ring |].
    apply sum_of_scal; [apply LE | apply expectation_sum; [exact LD | intros a; apply F]].
  - apply expectation_sum; assumption.
Qed.

(** ** Behind a shuffler *)

Fixpoint sent {X M} (R : X -> list M -> Rdefinitions.R) (xs : list X) : list M -> Rdefinitions.R :=
  match xs with
  | [] => point []
  | x :: rest => chain (R x) (fun mine => chain (sent R rest) (fun others => point (mine ++ others)))
  end.

Lemma sent_law {X M} (R : X -> list M -> Rdefinitions.R) xs : (forall x, law (R x)) -> law (sent R xs).
Proof.
  intros L. induction xs as [| x xs IH]; simpl; [apply point_law |].
  apply chain_law; [apply L |]. intros u. apply chain_law; [exact IH |]. intros v. apply point_law.
Qed.

Lemma sent_cons {X M} (R : X -> list M -> Rdefinitions.R) x xs f : (forall x, law (R x)) -> unit_valued f ->
  expectation (sent R (x :: xs)) f = expectation (R x) (fun u => expectation (sent R xs) (fun v => f (u ++ v))).
Proof.
  intros L F. assert (LS := sent_law R xs L). simpl.
  assert (Inner : forall u, expectation (chain (sent R xs) (fun v => point (u ++ v))) f =
    expectation (sent R xs) (fun v => f (u ++ v))).
  { intros u. rewrite expectation_chain by (auto using point_law). apply expectation_ext; [exact LS | |].
    - intros v. apply expectation_bounds; [apply point_law | exact F].
    - intros v. apply expectation_point, F. }
  rewrite expectation_chain; [| apply L | intros u; apply chain_law; auto using point_law | exact F].
  apply expectation_ext; [apply L | | exact Inner].
  intros u. apply expectation_bounds; [apply chain_law; auto using point_law | exact F].
Qed.

Definition countable_dp {X M} (n : nat) (R : X -> list M -> Rdefinitions.R) (eps delta : Rdefinitions.R) : Prop :=
  forall xs ys, neighbors xs ys -> length xs = n -> forall T, symmetric T ->
  expectation (sent R xs) (indicator T) <= exp eps * expectation (sent R ys) (indicator T) + delta.

(** *** Finitely many outcomes *)

Lemma mass_sum {A} (d : dist A) f : proper d -> unit_valued f -> sum_of (fun a => mass d a * f a) (mean d f).
Proof.
  intros P F. assert (C : covers (outcomes d d) d) by apply outcomes_cover.
  rewrite (mean_masses d (outcomes d d) f (outcomes_NoDup d d) C). apply sum_of_intro.
  - intros l N. set (both := nodup same (l ++ outcomes d d)).
    assert (NB : NoDup both) by apply NoDup_nodup.
    assert (CB : covers both d).
    { intros wa I. apply nodup_In, in_or_app. right. apply C, I. }
    rewrite <- (mean_masses d (outcomes d d) f (outcomes_NoDup d d) C), (mean_masses d both f NB CB).
    apply total_incl; [exact N | intros a I; apply nodup_In, in_or_app; left; exact I |].
    intros a _. apply Rmult_le_pos; [apply mass_nonneg, P | apply F].
  - intros b H. apply H, outcomes_NoDup.
Qed.

Lemma mass_law {A} (d : dist A) : proper d -> law (mass d).
Proof.
  intros P. apply law_sum_of. split; [intros a; apply mass_nonneg, P |].
  apply (sum_of_ext (fun a => mass d a * 1)); [intros; ring |].
  assert (S := mass_sum d (fun _ => 1) P ltac:(intros a; lra)). rewrite (proj2 P) in S. exact S.
Qed.

Lemma expectation_mass {A} (d : dist A) f : proper d -> unit_valued f -> expectation (mass d) f = mean d f.
Proof. intros P F. apply expectation_is, mass_sum; assumption. Qed.

Lemma sent_messages {X M} (R : X -> dist (list M)) xs f : (forall x, proper (R x)) -> unit_valued f ->
  expectation (sent (fun x => mass (R x)) xs) f = mean (messages R xs) f.
Proof.
  intros P. revert f. induction xs as [| x xs IH]; intros f F.
  - simpl. rewrite expectation_point by apply F. rewrite mean_ret. reflexivity.
  - assert (L : forall x, law (mass (R x))) by (intros y; apply mass_law, P).
    assert (U : unit_valued (fun u => expectation (sent (fun x => mass (R x)) xs) (fun v => f (u ++ v)))).
    { intros u. apply expectation_bounds; [apply sent_law, L | intros v; apply F]. }
    rewrite sent_cons, (expectation_mass (R x)) by (auto || apply P).
    rewrite mean_messages_first. apply mean_ext. intros u. apply IH. intros v. apply F.
Qed.

Theorem countable_dp_finite {X M} (n : nat) (R : X -> dist (list M)) (eps delta : Rdefinitions.R) :
  (forall x, proper (R x)) -> (countable_dp n (fun x => mass (R x)) eps delta <-> shuffle_dp n R eps delta).
Proof.
  intros P. unfold countable_dp, shuffle_dp, Pr. split; intros H xs ys N L T S; specialize (H xs ys N L T S);
    rewrite !sent_messages in * by (exact P || intros a; apply indicator_bounds); exact H.
Qed.
