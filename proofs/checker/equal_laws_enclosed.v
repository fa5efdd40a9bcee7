(** The claim [equal_laws], refuted by enclosed probabilities of one outcome, or proved of laws that are written alike.

    With bits as the witness's precision, the probability of the outcome is enclosed by the window of the law
    (noise_windows.v), or listed exactly for laws that have no window. Where the two enclosures do not meet, the laws
    are not the same. Laws that are written alike are, if their parameters, real expressions as well, are shown to lie
    in their domains ([check_equal_laws_enclosed_sound]).

    Source: the class EqualLaws of exactdp/checker/equal_laws.py. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums masses.
From ExactdpChecker Require Import claims witnesses kinds posed exact_program listed_noise.
From ExactdpChecker Require Import windows noise_windows tail_enclosed equal_laws_checked shown_parameters.
Import ListNotations.
Open Scope Z_scope.

(** Two quotients around the probability of an outcome. *)
Definition chance_bounds (bits : Z) (nu : noise) (t : Z) : option (Z * Z * (Z * Z)) :=
  if has_window nu then
    match noise_window (Z.to_nat bits) nu with
    | Some v =>
        let '(i, i', o, o') := event_bounds v (from_to (Some t) (Some t)) in
        if i + o =? 0 then None else Some (i, Z.max 1 (i + o'), (i', Z.max 1 (i' + o)))
    | None => None
    end
  else
    match exact_law_of nu with
    | Some a => option_map (fun share => (share, share)) (equal_laws_checked.share a t)
    | None => None
    end.

Definition quotient_below (p q : Z * Z) : bool := fst p * snd q <? fst q * snd p.

(** The precision at which a parameter is shown to lie in its domain. *)
Definition domain_bits : nat := 256.

Definition check_equal_laws_enclosed (nu nu' : noise) (proved : bool) (w : witness) : bool :=
  match proved, w with
  | true, Simple Exactly => written_alike nu nu' && noise_is_shown domain_bits nu
  | false, Outcome t (Bits bits) =>
      match chance_bounds bits nu t, chance_bounds bits nu' t with
      | Some (low, high), Some (low', high') => quotient_below high low' || quotient_below high' low
      | _, _ => false
      end
  | _, _ => false
  end.

Open Scope R_scope.

Definition quotient (p : Z * Z) : R := IZR (fst p) / IZR (snd p).

Lemma chance_bounds_sound bits nu t low high : chance_bounds bits nu t = Some (low, high) ->
  noise_posed nu /\ (0 < snd low)%Z /\ (0 < snd high)%Z /\ quotient low <= noise_mass nu t <= quotient high.
Proof.
  unfold chance_bounds. destruct (has_window nu).
  - destruct (noise_window (Z.to_nat bits) nu) as [v |] eqn:W; [| discriminate].
    destruct (event_bounds v (from_to (Some t) (Some t))) as [[[i i'] o] o'] eqn:E.
    destruct (i + o =? 0)%Z; [discriminate |]. intros H. injection H as <- <-.
    destruct (noise_window_sound _ _ _ W) as [N [c C]]. split; [exact N |]. split; [simpl; lia |].
    split; [simpl; lia |].
    apply (shares_sound v (noise_mass nu) c (from_to (Some t) (Some t)) C i i' o o' _ E).
    assert (P := proj1 (law_enclosed _ _ _ C)).
    apply (mass_of_ext _ (fun a => In a [t])).
    + intros a. rewrite from_to_range. simpl. split.
      * intros [<- | []]. split; intros b X; injection X as <-; lia.
      * intros [A B]. left. specialize (A t eq_refl). specialize (B t eq_refl). lia.
    + replace (noise_mass nu t) with (total [t] (noise_mass nu)) by (simpl; ring).
      apply mass_of_finite; [exact P | repeat constructor; intros []].
  - destruct (exact_law_of nu) as [a |] eqn:A; [| discriminate].
    destruct (equal_laws_checked.share a t) as [[x T] |] eqn:S; [| discriminate]. intros H. injection H as <- <-.
    destruct (exact_law_measured nu a A) as [N _]. destruct (share_sound _ _ _ _ _ A S) as [f [[P M] F]].
    split; [exact N |]. cbn [snd]. split; [exact P |]. split; [exact P |]. specialize (M t). rewrite F in M.
    unfold quotient. cbn [fst snd]. rewrite M. apply IZR_lt in P.
    replace (IZR T * noise_mass nu t / IZR T) with (noise_mass nu t) by (field; lra). lra.
Qed.

Lemma quotient_below_sound p q : (0 < snd p)%Z -> (0 < snd q)%Z -> quotient_below p q = true -> quotient p < quotient q.
Proof.
  unfold quotient_below, quotient. intros P Q H. apply Z.ltb_lt, IZR_lt in H. rewrite !mult_IZR in H.
  apply IZR_lt in P, Q. apply (Rmult_lt_reg_r (IZR (snd p) * IZR (snd q))); [apply Rmult_lt_0_compat; assumption |].
  replace (IZR (fst p) / IZR (snd p) * (IZR (snd p) * IZR (snd q))) with (IZR (fst p) * IZR (snd q)) by (field; lra).
  replace (IZR (fst q) / IZR (snd q) * (IZR (snd p) * IZR (snd q))) with (IZR (fst q) * IZR (snd p)) by (field; lra).
  exact H.
Qed.

Theorem check_equal_laws_enclosed_sound nu nu' proved w :
  check_equal_laws_enclosed nu nu' proved w = true -> sound (EqualLaws nu nu') proved.
Proof.
  unfold check_equal_laws_enclosed, sound. intros H. destruct proved.
  { destruct w as [[| |] | | | | | | | | | | | | | | | | | | | | | |]; try discriminate. apply andb_true_iff in H.
    destruct H as [A H].
    unfold written_alike in A. destruct (noise_dec nu nu') as [<- | _]; [| discriminate].
    apply noise_is_shown_sound in H. split; [split; exact H | intros t; reflexivity]. }
  destruct w as [| | | | | | | | | | | | t [| | bits] | | | | | | | | | |]; try discriminate.
  destruct (chance_bounds bits nu t) as [[low high] |] eqn:A; [| discriminate].
  destruct (chance_bounds bits nu' t) as [[low' high'] |] eqn:B; [| discriminate].
  apply chance_bounds_sound in A, B. destruct A as [N [L1 [H1 A]]], B as [N' [L2 [H2 B]]].
  split; [split; assumption |]. intros E. specialize (E t). apply orb_true_iff in H.
  destruct H as [H | H]; apply quotient_below_sound in H; try assumption; lra.
Qed.
