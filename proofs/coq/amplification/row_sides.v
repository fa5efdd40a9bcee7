(** Two rows in three parts: where the one is the larger, where the other is, and what both have.

    Let P and Q be laws within a factor p > 1 of each other at all events, TV their total variation distance, and
    al = TV/(p - 1). With A, B the laws of (P - Q)_+ and (Q - P)_+ there is a law W with
      P = al p A + al B + rho W,    Q = al A + al p B + rho W,    rho = 1 - (p + 1) al >= 0
    ([rows_of_sides]), and every law of which q times is at least P and Q is at least
      (al p/q) A + (al p/q) B + (rho/q) W    ([sides_below]).

    [sides_reduction]: so the shuffled messages of n users of which one has the row P or Q, and every other row is
    at least max(P, Q)/q, are (E, delta)-below where the shuffled labels A, B and W of these weights are, the others
    without a label with what is missing to 1. Every n >= 1, p > 1, q > 0, real E and delta; bundles of any length.
    It is the reduction behind the stronger clones and the variation ratio, with the third label W of the user who
    differs apart from what the others send without a label.

    Source: Feldman, McMillan, Talwar 2023, section 3, and Wang et al. 2024, section 4, for the two parts A and B
    (as printed in secondary sources); the third label: this package. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user mean_excess increasing_convex_order
  label_reduction clones.
Import ListNotations.
Open Scope R_scope.

(** ** Three labels *)

(** Where P is the larger, where Q is, and what both have. *)
Inductive side : Type := larger | smaller | common.

(** The user who differs: u times al, v times al, and the rest. *)
Definition own_sides (al u v : R) : dist side :=
  [(al * u, larger); (al * v, smaller); (1 - (u + v) * al, common)].

(** The others: r each, and w. What is missing to 1 is no label. *)
Definition other_sides (r w : R) : dist side := [(r, larger); (r, smaller); (w, common)].

Definition sides_below_at (n : nat) (p al r w E delta : R) : Prop :=
  labels_below n (own_sides al p 1) (own_sides al 1 p) (other_sides r w) E delta.

Lemma mean_own_sides al u v f :
  mean (own_sides al u v) f = al * u * f larger + al * v * f smaller + (1 - (u + v) * al) * f common.
Proof. unfold mean, own_sides. simpl. ring. Qed.

Lemma mean_other_sides r w f : mean (other_sides r w) f = r * f larger + r * f smaller + w * f common.
Proof. unfold mean, other_sides. simpl. ring. Qed.

Lemma sub_law_other_sides r w : 0 <= r -> 0 <= w -> sub_law (other_sides r w).
Proof. intros Hr Hw wa [<- | [<- | [<- | []]]]; simpl; assumption. Qed.

(** ** The three parts of the rows *)

(** The law with the weights f, or d where they are all 0. *)
Definition normalised {A} (l : list A) (f : A -> R) (d : dist A) : dist A :=
  if Req_EM_T (total l f) 0 then d else of_masses l (fun a => f a / total l f).

Lemma mean_normalised {A} (l : list A) f d g :
  (forall a, 0 <= f a) -> total l f * mean (normalised l f d) g = total l (fun a => f a * g a).
Proof.
  intros H. unfold normalised. destruct (Req_EM_T (total l f) 0) as [Z | N].
  - rewrite Z, Rmult_0_l. rewrite (total_ext l _ (fun _ => 0)); [symmetry; apply total_zero |].
    intros a J. replace (f a) with 0; [ring |]. apply Rle_antisym; [apply H |]. rewrite <- Z.
    apply in_split in J. destruct J as [u [v ->]]. rewrite total_app. simpl.
    assert (0 <= total u f) by (apply total_nonneg; auto). assert (0 <= total v f) by (apply total_nonneg; auto). lra.
  - rewrite mean_of_masses, <- total_scal. apply total_ext. intros a _. field. exact N.
Qed.

Lemma proper_normalised {A} (l : list A) f d : (forall a, 0 <= f a) -> proper d -> proper (normalised l f d).
Proof.
  intros H Hd. unfold normalised. destruct (Req_EM_T (total l f) 0) as [Z | N]; [exact Hd |].
  assert (T := total_nonneg l f (fun a _ => H a)). apply proper_of_masses.
  - intros a. apply Rle_mult_inv_pos; [apply H | lra].
  - unfold Rdiv. rewrite total_scal_r. field. exact N.
Qed.

Section Rows.

  Context {A : Type} (P Q : dist A) (p : R).
  Hypotheses (HP : proper P) (HQ : proper Q) (PQ : below P Q p 0) (QP : below Q P p 0) (Hp : 1 < p).

  Let l := outcomes P Q.

  Definition weight (i : side) (a : A) : R :=
    match i with
    | larger => Rmax 0 (mass P a - mass Q a) / (p - 1)
    | smaller => Rmax 0 (mass Q a - mass P a) / (p - 1)
    | common => mass P a - p * (Rmax 0 (mass P a - mass Q a) / (p - 1)) - Rmax 0 (mass Q a - mass P a) / (p - 1)
    end.

  Definition side_law (i : side) : dist A := normalised l (weight i) P.

  Definition share : R := total l (weight larger).

  (** At one outcome: no weight is negative, they make P and Q, and the others have as much. *)
  Lemma weights a :
    (forall i, 0 <= weight i a) /\
    p * weight larger a + weight smaller a + weight common a = mass P a /\
    weight larger a + p * weight smaller a + weight common a = mass Q a /\
    p * (weight larger a + weight smaller a + weight common a / p) = Rmax (mass P a) (mass Q a).
  Proof.
    assert (X := below_masses P Q p a PQ). assert (Y := below_masses Q P p a QP).
    assert (Ip : 0 < / (p - 1)) by (apply Rinv_0_lt_compat; lra).
    assert (NP := mass_nonneg P a HP). assert (NQ := mass_nonneg Q a HQ).
    unfold weight. set (x := mass P a) in *. set (y := mass Q a) in *.
    destruct (Rle_dec y x) as [L | L].
    - rewrite (Rmax_right 0 (x - y)), (Rmax_left 0 (y - x)), (Rmax_left x y) by lra.
      split; [| repeat split; field; lra].
      intros [| |]; [apply Rle_mult_inv_pos; lra | unfold Rdiv; lra |].
      replace (x - p * ((x - y) / (p - 1)) - 0 / (p - 1)) with ((p * y - x) / (p - 1)) by (field; lra).
      apply Rle_mult_inv_pos; lra.
    - rewrite (Rmax_left 0 (x - y)), (Rmax_right 0 (y - x)), (Rmax_right x y) by lra.
      split; [| repeat split; field; lra].
      intros [| |]; [unfold Rdiv; lra | apply Rle_mult_inv_pos; lra |].
      replace (x - p * (0 / (p - 1)) - (y - x) / (p - 1)) with ((p * x - y) / (p - 1)) by (field; lra).
      apply Rle_mult_inv_pos; lra.
  Qed.

  Lemma mean_by_sides g :
    mean P g = p * total l (fun a => weight larger a * g a) + total l (fun a => weight smaller a * g a) +
      total l (fun a => weight common a * g a) /\
    mean Q g = total l (fun a => weight larger a * g a) + p * total l (fun a => weight smaller a * g a) +
      total l (fun a => weight common a * g a).
  Proof.
    rewrite (total_P P Q), (total_Q P Q), <- !total_scal, <- !total_plus.
    split; apply total_ext; intros a _; destruct (weights a) as [_ [X [Y _]]]; [rewrite <- X | rewrite <- Y]; ring.
  Qed.

  Lemma total_weight i : total l (weight i) = match i with common => 1 - (p + 1) * share | _ => share end.
  Proof.
    destruct (mean_by_sides (fun _ => 1)) as [X Y]. rewrite (proj2 HP) in X. rewrite (proj2 HQ) in Y.
    assert (O : forall i, total l (fun a => weight i a * 1) = total l (weight i))
      by (intros j; apply total_ext; intros; ring).
    rewrite !O in X, Y. fold share in X, Y.
    assert (S : total l (weight smaller) = share).
    { apply Rmult_eq_reg_l with (p - 1); lra. }
    destruct i; [reflexivity | exact S | rewrite S in X; lra].
  Qed.

  Lemma share_bounds : 0 <= share /\ 0 <= 1 - (p + 1) * share.
  Proof.
    split; [| rewrite <- (total_weight common)]; apply total_nonneg; intros a _; apply weights.
  Qed.

  Lemma side_weights i g :
    match i with common => 1 - (p + 1) * share | _ => share end * mean (side_law i) g =
    total l (fun a => weight i a * g a).
  Proof. rewrite <- total_weight. apply mean_normalised. intros a. apply weights. Qed.

  Lemma proper_side i : proper (side_law i).
  Proof. apply proper_normalised; [intros a; apply weights | exact HP]. Qed.

  Lemma rows_of_sides :
    same_law P (bind (own_sides share p 1) side_law) /\ same_law Q (bind (own_sides share 1 p) side_law).
  Proof.
    split; intros g; rewrite mean_bind, mean_own_sides; destruct (mean_by_sides g) as [X Y];
      [rewrite X | rewrite Y]; rewrite <- !side_weights; ring.
  Qed.

  Lemma sides_below q d :
    0 < q -> proper d -> (forall a, mass P a <= q * mass d a /\ mass Q a <= q * mass d a) ->
    lies_below (bind (other_sides (share * p / q) ((1 - (p + 1) * share) / q)) side_law) d.
  Proof.
    intros Hq Hd H. destruct share_bounds as [S1 S2].
    apply (below_by_masses _ _ l (fun a => p / q * (weight larger a + weight smaller a + weight common a / p)));
      [exact Hd | | apply outcomes_NoDup | |].
    - apply sub_law_bind; [| apply proper_side].
      apply sub_law_other_sides; apply Rle_mult_inv_pos; try assumption. apply Rmult_le_pos; lra.
    - intros g. rewrite mean_bind, mean_other_sides.
      rewrite (total_ext l _ (fun a => p / q * (weight larger a * g a) + p / q * (weight smaller a * g a) +
        / q * (weight common a * g a))) by (intros; field; lra).
      rewrite !total_plus, !total_scal, <- !side_weights. field. lra.
    - intros a. destruct (weights a) as [_ [_ [_ X]]]. destruct (H a) as [Y Z].
      apply Rmult_le_reg_l with q; [lra |]. apply Rmax_lub with (1 := Y) in Z. rewrite <- X in Z.
      eapply Rle_trans; [right | exact Z]. field. lra.
  Qed.

End Rows.

(** ** The theorem *)

Theorem sides_reduction {X M} (R : X -> dist (list M)) p q x y before after (E delta : Rdefinitions.R) :
  proper (R x) -> proper (R y) -> below (R x) (R y) p 0 -> below (R y) (R x) p 0 -> 1 < p -> 0 < q ->
  (forall z, In z (before ++ after) ->
   proper (R z) /\ forall m, mass (R x) m <= q * mass (R z) m /\ mass (R y) m <= q * mass (R z) m) ->
  let al := share (R x) (R y) p in
  sides_below_at (length (before ++ x :: after)) p al (al * p / q) ((1 - (p + 1) * al) / q) E delta ->
  shuffle_below R (before ++ x :: after) (before ++ y :: after) E delta.
Proof.
  intros Hx Hy XY YX Hp Hq Hz al H. destruct (rows_of_sides _ _ p Hx Hy XY YX Hp) as [S1 S2].
  refine (label_reduction R (side_law (R x) (R y) p) _ _ _ x y before after E delta _ S1 S2 _ H).
  - apply proper_side; assumption.
  - intros z J. destruct (Hz z J) as [Pz Lz]. split; [exact Pz |]. apply sides_below; assumption.
Qed.
