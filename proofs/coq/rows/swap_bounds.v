(** The rows of the ledger on swapped messages: what they state, and that it holds. *)

From Coq Require Import Reals List Lra Lia ZArith.
From Exactdp Require Import laws privacy shuffler hockey_stick adding_a_user mean_excess.
From Exactdp Require Import swapped_messages swapped_stages wave_bounds lattice_waves node_waves swap_vertices five_randomizers.
From Exactdp Require Import vertex_loss near_vertex.
Import ListNotations.
Open Scope R_scope.

Definition row_swap_every_data_set : Prop :=
  forall (X M : Type) (R : X -> dist (list M)) (c : dist (list M)) x y others (E : Rdefinitions.R) ends,
  (forall v, In v others -> proper (R v)) -> sub_law c -> (forall v, In v others -> lies_below c (R v)) ->
  rising 0 ends (length others) ->
  hockey_stick (bind (messages R (x :: others)) shuffler) (bind (messages R (y :: others)) shuffler) E <=
  in_stages_of (R x) (R y) c E ends (map R others).

Theorem row_swap_every_data_set_holds : row_swap_every_data_set.
Proof. intros X M R c x y others E ends. apply swap_bound_shuffled. Qed.

(** Waves on the lattice of step h, where every value is at most b h. *)
Definition row_swap_one_row_at_a_time : Prop :=
  forall (X M : Type) (n : nat) (R : X -> dist (list M)) (c : X -> X -> dist (list M)) (E h q : Rdefinitions.R)
    (b : nat) (ends : list nat) (eps delta : Rdefinitions.R),
  (2 <= n)%nat -> (forall v, proper (R v)) -> (forall x y v, lies_below (c x y) (R v)) -> E <= exp eps ->
  rising 0 ends (n - 1) -> 0 < h -> 0 < q < 1 -> (1 <= b)%nat ->
  (forall x y v wa, In wa (values_against (R x) (R y) E (R v)) ->
    exists m, snd wa = IZR m * h /\ (m <= Z.of_nat b)%Z) ->
  (forall x y v,
    in_stages 0 ends (n - 1) (mean (c x y) (fun _ => 1)) (hockey_stick (R x) (R y) E)
      (fun r => wave_bound (lattice_waves h q (r * b)) r (values_against (R x) (R y) E (R v)) +
        uncovered (R x) (R y) E (R v)) <= delta) ->
  shuffle_dp n R eps delta.

Lemma ends_are_steps before ends n t : rising before ends n -> In t ends -> (1 <= t <= n)%nat.
Proof.
  revert before. induction ends as [| u ends IH]; intros before H I; [destruct I |]. destruct H as [H1 H2].
  destruct I as [<- | I]; [lia | apply (IH u H2 I)].
Qed.

Theorem row_swap_one_row_at_a_time_holds : row_swap_one_row_at_a_time.
Proof.
  intros X M n R c E h q b ends eps delta Hn HR Hc HE Hr Hh Hq Hb Hv H.
  apply (swap_vertices_dp n R c E ends (fun r => on_lattice h (r * b)) (fun _ _ r => lattice_waves h q (r * b)));
    try assumption.
  intros x y t others I L r. assert (T := ends_are_steps 0 ends (n - 1) t Hr I). split.
  - apply lattice_majorant; [exact Hh | exact Hq | unfold r; nia].
  - intros s Ls Is. apply (sums_on_lattice h b).
    + intros K J. apply in_map_iff in J. destruct J as [row [<- J]]. apply Is in J. apply in_map_iff in J.
      destruct J as [v [<- _]]. apply Hv.
    + rewrite map_length, Ls. apply Nat.le_refl.
Qed.

(** e^eps0 = p. The first part is an upper bound, the second says that each of the five attains its number. *)
Definition row_five_randomizers : Prop :=
  (forall (X M : Type) (n : nat) (R : X -> dist (list M)) (eps0 E h q : Rdefinitions.R) (b : nat) (ends : list nat)
      (eps delta : Rdefinitions.R),
    let p := exp eps0 in
    (2 <= n)%nat -> 0 < eps0 -> (forall v, proper (R v)) -> local_dp R eps0 0 -> 1 <= E <= exp eps ->
    rising 0 ends (n - 1) -> 0 < h -> 0 < q < 1 -> (1 <= b)%nat ->
    (forall five v, In five (basics p) -> In v (map snd (basic_law E five)) ->
      exists m, v = IZR m * h /\ (m <= Z.of_nat b)%Z) ->
    (forall five, In five (basics p) ->
      in_stages 0 ends (n - 1) (/ p) (Rmax 0 ((p - E) / (p + 1)))
        (fun r => wave_bound (lattice_waves h q (r * b)) r (basic_law E five)) <= delta) ->
    shuffle_dp n R eps delta) /\
  (forall (V : Type) (view : list nat -> V) (p E : R) five (n : nat),
    1 < p -> In five (basics p) -> (forall u w, view u = view w <-> Permutation.Permutation u w) -> (1 <= n)%nat ->
    local_dp (three_rows five) (ln p) 0 /\ (forall i, proper (three_rows five i)) /\
    hockey_stick (dmap view (messages (one_message (three_rows five)) (0%nat :: repeat 2%nat (n - 1))))
      (dmap view (messages (one_message (three_rows five)) (1%nat :: repeat 2%nat (n - 1)))) E =
    mean_excess n (basic_law E five)).

Theorem row_five_randomizers_holds : row_five_randomizers.
Proof.
  split.
  - intros X M n R eps0 E h q b ends eps delta p Hn H0 HR HD HE Hr Hh Hq Hb Hv H.
    apply (every_randomizer n R eps0 E ends (fun r => on_lattice h (r * b)) (fun r => lattice_waves h q (r * b)));
      try assumption.
    intros t I r. assert (T := ends_are_steps 0 ends (n - 1) t Hr I). split.
    + apply lattice_majorant; [exact Hh | exact Hq | unfold r; nia].
    + intros values L Iv. rewrite <- L. clear L.
      assert (Y : exists m, sum_of_values values = IZR m * h /\ (m <= Z.of_nat (length values * b))%Z).
      { induction values as [| v values IH]; [exists 0%Z; split; [unfold sum_of_values; simpl; ring | simpl; lia] |].
        destruct IH as [m [E1 B1]]; [intros; apply Iv; right; assumption |].
        destruct (Iv v (or_introl eq_refl)) as [five [F1 F2]]. destruct (Hv five v F1 F2) as [k [E2 B2]].
        exists (k + m)%Z.
        split; [unfold sum_of_values in *; simpl; rewrite E1, E2, plus_IZR; ring | simpl length; lia]. }
      exact Y.
  - intros V view p E five n Hp I C Hn. apply basic_attains; assumption.
Qed.

(** The factor and its conditions stand in vertex_loss.v and near_vertex.v; the reference bound is what all who hold v attain. *)
Definition row_nearly_homogeneous : Prop :=
  forall (X M : Type) (R : X -> dist (list M)) (c : dist (list M)) (inputs : list X) x y (E h q : Rdefinitions.R)
    (j t : nat),
  inputs <> [] -> (forall v, In v inputs -> proper (R v)) -> sub_law c -> (forall v, In v inputs -> lies_below c (R v)) ->
  0 < h -> 1 / 3 <= q < 1 -> (1 <= j)%nat -> (1 <= t)%nat ->
  (forall v, In v inputs -> multiples h (values_against (R x) (R y) E (R v))) ->
  exists v, In v inputs /\ forall y0 y1 b others,
    let L := values_against (R x) (R y) E (R v) in
    in_lobe h q y0 y1 b L j -> loss h q y0 y1 b L j t < 1 -> incl others inputs ->
    S (length others) = (2 * j + t)%nat ->
    hockey_stick (bind (messages R (x :: others)) shuffler) (bind (messages R (y :: others)) shuffler) E <=
    (1 - (1 - mean c (fun _ => 1)) ^ t) *
      (near_factor h q y0 y1 b L j t * reference_bound (2 * j + t) (R x) (R y) E (R v)) +
    (1 - mean c (fun _ => 1)) ^ t * hockey_stick (R x) (R y) E.

Theorem row_nearly_homogeneous_holds : row_nearly_homogeneous.
Proof.
  intros X M R c inputs x y E h q j t H1 H2 H3 H4 H5 H6 H7 H8 H9.
  destruct (near_vertex R c inputs x y E h q j t H1 H2 H3 H4 H5 H6 H7 H8 H9) as [v [I H]].
  exists v. split; [exact I |]. intros y0 y1 b others L A B C D.
  apply hockey_stick_iff, ordered_output. exact (H y0 y1 b others A B C D).
Qed.
