(** Noise that n users send in bundles of messages, as a program of the shuffle model.

    A part of the noise is a law D on 0, 1, 2, ... and a bundle m, a list of messages. [bundles parts] draws z from
    every D and sends m z times, and [with_noise own parts x] sends own x beside them.

    - [sent_bundles]: for n users, any records, and every f with values in [0, 1] that does not depend on the order of
      the messages, f has the mean that it has if all own messages are followed by one draw of bundles, in which D is
      the law of the sum of n draws;
    - [zero_sum_error]: where messages are integers, the bundles of the first two parts are 1 and -1, both of law D, and
      those of all others add up to 0, the sum of all messages is that of all own messages and G1 - G2, where G1 and G2
      are independent, of the law of the sum of n draws from D.

    Idea: independent draws may change places, so the next user's draw of each part joins those of the others.
    Source: folklore. *)

From Coq Require Import Reals List Arith ZArith Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy masses infinite_sums hockey_stick.
From Exactdp Require Import countable_programs negative_binomial_sums counting_programs.
Import ListNotations.
Open Scope R_scope.

(** m, z times. *)
Definition times {M} (z : nat) (m : list M) : list M := concat (repeat m z).

Lemma times_plus {M} y z (m : list M) : times (y + z) m = times y m ++ times z m.
Proof. unfold times. rewrite repeat_app. apply concat_app. Qed.

Definition noise_part (M : Type) : Type := ((nat -> R) * list M)%type.

Fixpoint bundles {M} (parts : list (noise_part M)) : list M -> R :=
  match parts with
  | [] => point []
  | (D, m) :: rest => chain D (fun z => chain (bundles rest) (fun u => point (times z m ++ u)))
  end.

Definition with_noise {X M} (own : X -> list M) (parts : list (noise_part M)) (x : X) : list M -> R :=
  chain (bundles parts) (fun u => point (own x ++ u)).

Definition pooled {M} (n : nat) (parts : list (noise_part M)) : list (noise_part M) :=
  map (fun part => (shares (fst part) n, snd part)) parts.

Definition part_laws {M} (parts : list (noise_part M)) : Prop := Forall (fun part => law (fst part)) parts.

(** What the order does not change. *)
Definition orderless {M} (f : list M -> R) : Prop := forall u v, Permutation u v -> f u = f v.

Section Bundles.
  Context {M : Type}.

  Lemma bundles_law (parts : list (noise_part M)) : part_laws parts -> law (bundles parts).
  Proof.
    induction 1 as [| [D m] rest L _ IH]; simpl; [apply point_law |].
    apply chain_law; [exact L |]. intros z. apply chain_law; [exact IH |]. intros u. apply point_law.
  Qed.

  Lemma pooled_laws n (parts : list (noise_part M)) : part_laws parts -> part_laws (pooled n parts).
  Proof.
    induction 1 as [| [D m] rest L _ IH]; constructor; [apply shares_law, L | exact IH].
  Qed.

  Lemma moved_unit (f : list M -> R) u : unit_valued f -> unit_valued (fun v => f (u ++ v)).
  Proof. intros F v. apply F. Qed.

  Lemma bundles_unit (parts : list (noise_part M)) f : part_laws parts -> unit_valued f ->
    0 <= expectation (bundles parts) f <= 1.
  Proof. intros L F. apply expectation_bounds; [apply bundles_law, L | exact F]. Qed.

  Lemma prefixed_mean (E : list M -> R) u f : law E -> unit_valued f ->
    expectation (chain E (fun v => point (u ++ v))) f = expectation E (fun v => f (u ++ v)).
  Proof.
    intros L F. rewrite expectation_chain by (auto using point_law). apply expectation_ext; [exact L | |].
    - intros v. apply expectation_bounds; [apply point_law | exact F].
    - intros v. apply expectation_point, F.
  Qed.

  Lemma bundles_cons D m (rest : list (noise_part M)) f : law D -> part_laws rest -> unit_valued f ->
    expectation (bundles ((D, m) :: rest)) f =
    expectation D (fun z => expectation (bundles rest) (fun u => f (times z m ++ u))).
  Proof.
    intros L LR F. assert (LB := bundles_law rest LR). cbn [bundles].
    assert (LC : forall z, law (chain (bundles rest) (fun u => point (times z m ++ u))))
      by (intros z; apply chain_law; auto using point_law).
    rewrite expectation_chain by assumption. apply expectation_ext; [exact L | |].
    - intros z. apply expectation_bounds; [apply LC | exact F].
    - intros z. apply prefixed_mean; assumption.
  Qed.

  Lemma nobodys_bundles (parts : list (noise_part M)) f : part_laws parts -> unit_valued f ->
    expectation (bundles (pooled 0 parts)) f = f [].
  Proof.
    intros L. revert f. induction L as [| [D m] rest L LR IH]; intros f F.
    - apply expectation_point, F.
    - cbn [pooled map fst snd shares] in *. rewrite bundles_cons;
        [| apply law_no_noise | apply (pooled_laws 0), LR | exact F].
      rewrite expectation_no_noise.
      + apply IH. intros u. apply F.
      + intros z. apply bundles_unit; [apply (pooled_laws 0), LR | intros u; apply F].
  Qed.

  (** One user's draws join those of n others. *)
  Lemma bundles_join n (parts : list (noise_part M)) f : part_laws parts -> unit_valued f -> orderless f ->
    expectation (bundles parts) (fun u => expectation (bundles (pooled n parts)) (fun v => f (u ++ v))) =
    expectation (bundles (pooled (S n) parts)) f.
  Proof.
    intros L. revert f. induction L as [| [D m] rest L LR IH]; intros f F O.
    - simpl. rewrite expectation_point; [rewrite !expectation_point by apply F; reflexivity |].
      apply expectation_bounds; [apply point_law | intros v; apply F].
    - cbn [fst] in L. assert (LS := shares_law D n L). assert (LP := pooled_laws n rest LR).
      assert (LB := bundles_law rest LR). assert (LQ := bundles_law _ LP). assert (LT := pooled_laws (S n) rest LR).
      change (pooled n ((D, m) :: rest)) with ((shares D n, m) :: pooled n rest).
      change (pooled (S n) ((D, m) :: rest)) with ((convolved_masses D (shares D n), m) :: pooled (S n) rest).
      assert (EB : forall (A : Type) (E : A -> R) g, law E -> unit_valued g -> 0 <= expectation E g <= 1)
        by (intros A E g LE G; apply expectation_bounds; assumption).
      rewrite (bundles_cons D m rest); [| exact L | exact LR |].
      2:{ intros u. apply EB; [apply bundles_law; constructor; assumption | intros v; apply F]. }
      rewrite (bundles_cons (convolved_masses D (shares D n))); 
        [| apply convolved_law; assumption | exact LT | exact F].
      rewrite expectation_convolved; [| assumption | assumption |].
      2:{ intros z. apply bundles_unit; [exact LT | intros u; apply F]. }
      apply expectation_ext; [exact L | |].
      { intros z. apply EB; [exact LB |]. intros u.
        apply EB; [apply bundles_law; constructor; assumption | intros v; apply F]. }
      intros z. transitivity (expectation (bundles rest) (fun u => expectation (shares D n) (fun y =>
        expectation (bundles (pooled n rest)) (fun v => f ((times z m ++ u) ++ (times y m ++ v)))))).
      { apply expectation_ext; [exact LB | |].
        - intros u. apply EB; [apply bundles_law; constructor; assumption | intros v; apply F].
        - intros u. apply (bundles_cons (shares D n) m (pooled n rest) (fun v => f ((times z m ++ u) ++ v))); auto.
          intros v. apply F. }
      rewrite expectation_swap; [| exact LB | exact LS | intros u y; apply EB; [exact LQ | intros v; apply F]].
      apply expectation_ext; [exact LS | |].
      { intros y. apply EB; [exact LB |]. intros u. apply EB; [exact LQ | intros v; apply F]. }
      intros y. rewrite <- (IH (fun w => f (times (z + y) m ++ w))).
      + apply expectation_ext; [exact LB | intros u; apply EB; [exact LQ | intros v; apply F] |]. intros u.
        apply expectation_ext; [exact LQ | intros v; apply F |]. intros v. apply O.
        rewrite times_plus, <- !app_assoc. apply Permutation_app_head. rewrite !app_assoc.
        apply Permutation_app_tail. apply Permutation_app_comm.
      + intros w. apply F.
      + intros u v P. apply O. apply Permutation_app_head, P.
  Qed.

  Context {X : Type} (own : X -> list M) (parts : list (noise_part M)).
  Hypothesis parts_laws : part_laws parts.

  Lemma with_noise_law x : law (with_noise own parts x).
  Proof. apply chain_law; [apply bundles_law, parts_laws | intros u; apply point_law]. Qed.

  Lemma sent_with_noise xs f : unit_valued f -> orderless f ->
    expectation (sent (with_noise own parts) xs) f =
    expectation (bundles (pooled (length xs) parts)) (fun u => f (flat_map own xs ++ u)).
  Proof.
    revert f. induction xs as [| x xs IH]; intros f F O.
    - cbn [sent length flat_map app]. rewrite expectation_point by apply F.
      symmetry. apply (nobodys_bundles parts f parts_laws F).
    - assert (LP := pooled_laws (length xs) parts parts_laws). assert (LB := bundles_law parts parts_laws).
      assert (LQ := bundles_law _ LP). assert (LS := sent_law (with_noise own parts) xs with_noise_law).
      rewrite sent_cons by (exact F || apply with_noise_law). unfold with_noise at 1.
      rewrite prefixed_mean; [| exact LB | intros u; apply expectation_bounds; [exact LS | intros v; apply F]].
      cbn [length]. rewrite <- bundles_join; [| exact parts_laws | intros u; apply F |].
      2:{ intros u v P. apply O, Permutation_app_head, P. }
      apply expectation_ext; [exact LB | |].
      + intros u. apply expectation_bounds; [exact LS | intros v; apply F].
      + intros u. rewrite IH; [| intros v; apply F | intros v w P; apply O, Permutation_app_head, P].
        apply expectation_ext; [exact LQ | intros v; apply F |]. intros v. apply O. cbn [flat_map].
        rewrite <- !app_assoc. apply Permutation_app_head. rewrite !app_assoc.
        apply Permutation_app_tail, Permutation_app_comm.
  Qed.
End Bundles.

Theorem sent_bundles {X M} (own : X -> list M) (parts : list (noise_part M)) (xs : list X) (f : list M -> R) :
  part_laws parts -> unit_valued f -> orderless f ->
  expectation (sent (with_noise own parts) xs) f =
  expectation (bundles (pooled (length xs) parts)) (fun u => f (flat_map own xs ++ u)).
Proof. intros L. apply sent_with_noise, L. Qed.

(** ** Messages that are added *)

Definition added (u : list Z) : Z := fold_right Z.add 0%Z u.

Lemma added_app u v : added (u ++ v) = (added u + added v)%Z.
Proof. unfold added. induction u as [| a u IH]; simpl in *; [reflexivity | rewrite IH; ring]. Qed.

Lemma added_permutation u v : Permutation u v -> added u = added v.
Proof. unfold added. induction 1; simpl; lia. Qed.

Lemma added_times z m : added (times z m) = (Z.of_nat z * added m)%Z.
Proof.
  induction z as [| z IH]; [reflexivity |]. change (times (S z) m) with (m ++ times z m).
  rewrite added_app, IH. lia.
Qed.

Lemma zero_sum_mean parts (F : Z -> R) s : part_laws parts -> Forall (fun part => added (snd part) = 0%Z) parts ->
  unit_valued F -> expectation (bundles parts) (fun u => F (s + added u)%Z) = F s.
Proof.
  intros L Z0 U. revert Z0. induction L as [| [D m] rest L LR IH]; intros Z0.
  - simpl. rewrite expectation_point by apply U. simpl. f_equal. ring.
  - inversion Z0 as [| part rest' E0 ER]; subst. cbn [fst snd] in *.
    rewrite bundles_cons by (assumption || (intros u; apply U)).
    rewrite (expectation_ext D L _ (fun _ => F s)).
    + apply expectation_is. apply (sum_of_ext (fun a => F s * D a)); [intros; ring |].
      replace (sum_of (fun a => F s * D a) (F s)) with (sum_of (fun a => F s * D a) (F s * 1)) by (f_equal; ring).
      apply sum_of_scal; [apply U | apply law_sum_of, L].
    + intros z. apply bundles_unit; [exact LR | intros u; apply U].
    + intros z. rewrite <- IH by exact ER. apply expectation_ext; [apply bundles_law, LR | intros u; apply U |].
      intros u. rewrite added_app, added_times, E0. f_equal. ring.
Qed.

Theorem zero_sum_error {X} (own : X -> list Z) D parts xs (F : Z -> R) :
  law D -> part_laws parts -> Forall (fun part => added (snd part) = 0%Z) parts -> unit_valued F ->
  expectation (sent (with_noise own ((D, [1%Z]) :: (D, [(-1)%Z]) :: parts)) xs) (fun u => F (added u)) =
  expectation (shares D (length xs)) (fun g => expectation (shares D (length xs)) (fun h =>
    F (added (flat_map own xs) + (Z.of_nat g - Z.of_nat h))%Z)).
Proof.
  intros L LP Z0 U. set (n := length xs). assert (LS := shares_law D n L). assert (LQ := pooled_laws n parts LP).
  assert (LA : part_laws ((D, [1%Z]) :: (D, [(-1)%Z]) :: parts))
    by (constructor; [exact L | constructor; [exact L | exact LP]]).
  rewrite sent_bundles; [| exact LA | intros u; apply U | intros u v P; rewrite (added_permutation u v P); reflexivity].
  fold n. change (pooled n ((D, [1%Z]) :: (D, [(-1)%Z]) :: parts)) with
    ((shares D n, [1%Z]) :: (shares D n, [(-1)%Z]) :: pooled n parts).
  assert (L1 : part_laws ((shares D n, [(-1)%Z]) :: pooled n parts)) by (constructor; assumption).
  rewrite bundles_cons; [| exact LS | exact L1 | intros u; apply U].
  apply expectation_ext; [exact LS | intros g; apply bundles_unit; [exact L1 | intros u; apply U] |]. intros g.
  rewrite bundles_cons; [| exact LS | exact LQ | intros u; apply U].
  apply expectation_ext; [exact LS | intros h; apply bundles_unit; [exact LQ | intros u; apply U] |]. intros h.
  rewrite <- (zero_sum_mean (pooled n parts) F _ LQ) by (exact U || (clear - Z0; induction Z0; constructor;
    assumption)).
  apply expectation_ext; [apply bundles_law, LQ | intros u; apply U |]. intros u.
  rewrite !added_app, !added_times. f_equal. simpl (added [_]). ring.
Qed.
