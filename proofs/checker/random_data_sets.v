(** Data sets whose other users are drawn at random, as one pair of a mechanism.

    All inputs but one are j independent draws of a law w of inputs; the one is x, or y. If whatever holds of the
    mixture of all these data sets at F and delta (of every event that the order of the messages does not change) makes
    K (F, delta)-below L, for every F >= 0 and delta, then the data sets stand for (K, L) in a refutation of a
    composition ([random_sets_stand_for]). For all that users publish, if it is a law, and any messages; and what is
    shown of them tells them but for their order ([shown_again]), which holds of all randomizers ([program_shown]).

    Idea: some event of the shuffled messages has the largest excess of the mixture at F.

    Source: this package. *)

From Coq Require Import Reals List Lra Lia Bool Permutation.
From Exactdp Require Import sums laws privacy masses hockey_stick shuffler adding_a_user independence mean_excess.
From Exactdp Require Import hidden_message.
From Exactdp Require Import adaptive_composition.
From ExactdpChecker Require Import claims laws_of_noise aligned_pairs drawn_pairs.
Import ListNotations.
Open Scope R_scope.

(** The messages are told by what is shown, but for their order. *)
Definition shown_again {M} (show : list M -> answer) : Prop :=
  exists unshow, forall u, exists v, unshow (show u) = Some v /\ Permutation v u.

Lemma program_shown r : for_program r (fun _ show _ => shown_again show).
Proof.
  destruct r as [t | []]; cbn [for_program];
    first [exists (fun a => match a with Messages u => Some u | _ => None end); intros u; exists u; split; reflexivity
          | exists (fun a => match a with Patterns u => Some u | _ => None end); intros u; exists u; split; reflexivity
          | exists (fun a => match a with Hashes u => Some u | _ => None end); intros u; exists u; split; reflexivity].
Qed.

Section random_sets.

Context {M : Type} (V : list nat -> dist (list M)) (show : list M -> answer).
Variables (w : dist nat) (j : nat) (x y : nat).
Hypothesis shown_back : shown_again show.
Hypothesis all_proper : forall xs, proper (V xs).
Hypothesis w_proper : proper w.

Definition shown_set (xs : list nat) : dist answer := dmap show (bind (V xs) shuffler).

Lemma proper_shown_set xs : proper (shown_set xs).
Proof. apply proper_dmap, proper_bind; [apply all_proper | intros; apply proper_shuffler]. Qed.

Definition random_sets : list (drawn_pair (A := answer)) :=
  map (fun wl => (fst wl, (mass (shown_set (x :: snd wl)), mass (shown_set (y :: snd wl))))) (copies w j).

Definition seen : list answer :=
  nodup same (flat_map (fun wl => map snd (shown_set (x :: snd wl)) ++ map snd (shown_set (y :: snd wl))) (copies w j)).

Lemma in_seen wl a : In wl (copies w j) ->
  In a (map snd (shown_set (x :: snd wl))) \/ In a (map snd (shown_set (y :: snd wl))) -> In a seen.
Proof. intros I H. apply nodup_In, in_flat_map. exists wl. split; [exact I | apply in_or_app, H]. Qed.

Lemma no_mass (d : dist answer) a : ~ In a (map snd d) -> mass d a = 0.
Proof.
  intros N. unfold mass, Pr, mean. rewrite (total_ext d _ (fun _ => 0)), total_zero; [reflexivity |].
  intros wb I. unfold indicator. destruct (same (snd wb) a) as [E | _]; [| ring]. exfalso. apply N. rewrite <- E.
  apply in_map, I.
Qed.

Lemma first_value a : first_drawn random_sets a = mean (copies w j) (fun o => mass (shown_set (x :: o)) a).
Proof. unfold first_drawn, random_sets, mean. rewrite total_map. reflexivity. Qed.

Lemma second_value a : second_drawn random_sets a = mean (copies w j) (fun o => mass (shown_set (y :: o)) a).
Proof. unfold second_drawn, random_sets, mean. rewrite total_map. reflexivity. Qed.

Lemma total_of_mean (d : dist (list nat)) (f : list nat -> answer -> R) l :
  total l (fun a => mean d (fun o => f o a)) = mean d (fun o => total l (f o)).
Proof. unfold mean. rewrite total_swap. apply total_ext. intros wo _. apply total_scal. Qed.

Lemma weights_nonneg wl : In wl (copies w j) -> 0 <= fst wl.
Proof. apply (proper_copies w j w_proper). Qed.

Lemma sets_below F delta : mass_below (first_drawn random_sets) (second_drawn random_sets) F delta ->
  forall T, symmetric T ->
  mean (copies w j) (fun o => Pr (V (x :: o)) T) <=
    F * mean (copies w j) (fun o => Pr (V (y :: o)) T) + delta.
Proof.
  intros H T S. destruct shown_back as [unshow Back]. set (T' := fun a => match unshow a with Some u => T u | None => false end).
  specialize (H (filter T' seen) (NoDup_filter _ (NoDup_nodup _ _))).
  rewrite (total_ext _ _ _ (fun a _ => first_value a)),
    (total_ext _ (second_drawn random_sets) _ (fun a _ => second_value a)) in H.
  rewrite !total_of_mean in H.
  assert (E : forall z, z = x \/ z = y ->
    mean (copies w j) (fun o => total (filter T' seen) (mass (shown_set (z :: o)))) =
    mean (copies w j) (fun o => Pr (V (z :: o)) T)).
  { intros z Hz. apply mean_ext_in. intros wl I. rewrite mass_total by apply NoDup_filter, NoDup_nodup.
    transitivity (Pr (shown_set (z :: snd wl)) T').
    - unfold Pr. apply mean_ext_in. intros wa J. unfold indicator.
      destruct (in_dec same (snd wa) (filter T' seen)) as [K | K].
      + apply filter_In in K. destruct K as [_ ->]. reflexivity.
      + destruct (T' (snd wa)) eqn:Et; [| reflexivity]. exfalso. apply K, filter_In. split; [| exact Et].
        apply (in_seen wl _ I). destruct Hz as [-> | ->]; [left | right]; apply in_map, J.
    - unfold Pr, shown_set. rewrite mean_dmap, mean_bind. apply mean_ext. intros u.
      rewrite <- (symmetric_event_shuffled T u S). apply mean_ext. intros v. unfold T', indicator.
      destruct (Back v) as [v' [-> P]]. rewrite (S _ _ P). reflexivity. }
  rewrite !E in H by auto. exact H.
Qed.

Lemma sets_attain F : 0 <= F -> exists s, NoDup s /\
  mass_below (first_drawn random_sets) (second_drawn random_sets) F
    (total s (first_drawn random_sets) - F * total s (second_drawn random_sets)).
Proof.
  intros HF. set (P := first_drawn random_sets). set (Q := second_drawn random_sets).
  set (above := fun a => if Rle_dec 0 (P a - F * Q a) then true else false).
  exists (filter above seen). split; [apply NoDup_filter, NoDup_nodup |]. intros m N.
  assert (Out : forall a, ~ In a seen -> P a = 0 /\ Q a = 0).
  { intros a Na. unfold P, Q. rewrite first_value, second_value. unfold mean.
    split; rewrite (total_ext _ _ (fun _ => 0)), total_zero; try reflexivity; intros wl I;
      rewrite no_mass; try ring; intros J; apply Na, (in_seen wl a I); auto. }
  assert (Value : total (filter above seen) P - F * total (filter above seen) Q =
    total seen (fun a => Rmax 0 (P a - F * Q a))).
  { rewrite <- total_scal, <- total_minus, total_filter. apply total_ext. intros a _. unfold above.
    destruct (Rle_dec 0 (P a - F * Q a)); [rewrite Rmax_right | rewrite Rmax_left]; lra. }
  rewrite Value. enough (total m (fun a => Rmax 0 (P a - F * Q a)) <= total seen (fun a => Rmax 0 (P a - F * Q a))) as W.
  - enough (total m P - F * total m Q <= total m (fun a => Rmax 0 (P a - F * Q a))) by lra.
    rewrite <- total_scal, <- total_minus. apply total_le. intros a _. apply Rmax_r.
  - apply (total_within same seen (fun a => Rmax 0 (P a - F * Q a)) m N); [intros a; apply Rmax_l |].
    intros a Na. destruct (Out a Na) as [-> ->]. rewrite Rmult_0_r, Rminus_0_r, Rmax_left; lra.
Qed.

Theorem random_sets_stand_for (mech : mechanism answer) K L :
  (forall o, length o = j -> mech (mass (shown_set (x :: o))) (mass (shown_set (y :: o)))) ->
  (forall F delta, 0 <= F ->
    (forall T, symmetric T -> mean (copies w j) (fun o => Pr (V (x :: o)) T) <=
      F * mean (copies w j) (fun o => Pr (V (y :: o)) T) + delta) ->
    mass_below K L F delta) ->
  stands_for mech K L.
Proof.
  intros HM H. exists random_sets. split; [split |].
  - intros e I. apply in_map_iff in I. destruct I as [wl [<- I]]. cbn [fst snd].
    split; [apply weights_nonneg, I | split; [|]].
    + apply HM. destruct (copies_drawn w j wl I) as [was [Len [_ [-> _]]]]. rewrite map_length. exact Len.
    + split; intros a; apply mass_nonneg, proper_shown_set.
  - unfold random_sets. rewrite total_map. cbn [fst]. destruct (proper_copies w j w_proper) as [_ One].
    rewrite <- One. unfold mean. apply total_ext. intros wl _. ring.
  - intros F m HF N. destruct (sets_attain F HF) as [s [Ns Att]]. exists s. split; [exact Ns |].
    assert (B := H F _ HF (sets_below F _ Att) m N). lra.
Qed.

End random_sets.
