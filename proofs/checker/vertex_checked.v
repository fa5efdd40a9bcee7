(** The claim that e^eps is the least for a table at every number of users from n on, by a vertex outcome.

    The witness names inputs x, y and z, an outcome of one user and a weight for each message. Accepted is what the
    sweep at n finds private, at delta = 0 and under replacement, if the outcome has a larger summed weight than every
    other outcome of the three rows, the rows of y and z show it, and x shows it e^eps times as often as y.
    [check_vertex_sound]: then the claim holds.

    Idea: "n times the outcome" arises in one way, at every n (vertex.v). The function check_vertex of
    exactdp/checker/privacy.py is this program. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Permutation Bool.
From Exactdp Require Import sums reals laws privacy adding_a_user vertex.
From ExactdpChecker Require Import claims witnesses kinds posed views compared_views swept_views swept_views_checked.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

Definition is_it (keys : list Z) (v : list nat) (o : Q * list nat) : bool := sum_of keys (snd o) =? sum_of keys v.

Definition highest (keys functional : list Z) (v : list nat) (row : list (Q * list nat)) : bool :=
  forallb (fun o => is_it keys v o || (sum_of functional (snd o) <? sum_of functional v)) row.

(** D times the probability of the outcome. *)
Definition weight_of (D : Z) (keys : list Z) (v : list nat) (row : list (Q * list nat)) : Z :=
  fold_right (fun o s => (if is_it keys v o then over D (fst o) else 0) + s) 0 row.

Definition is_vertex (t : table) (x y z : nat) (v : list nat) (functional : list Z) (E : Q) : bool :=
  let D := denominator t in
  let keys := packing t 1 in
  let row := entry (rows t) [] in
  forallb (fun m => Nat.ltb m (message_types t)) v && Nat.leb (length v) (most_sent t) &&
  (highest keys functional v (row x) && highest keys functional v (row y) && highest keys functional v (row z)) &&
  (0 <? weight_of D keys v (row y)) && (0 <? weight_of D keys v (row z)) &&
  (weight_of D keys v (row x) * Zpos (Qden E) =? Qnum E * weight_of D keys v (row y)).

Definition is_input (t : table) (x : Z) : bool := (0 <=? x) && (x <? Z.of_nat (length (rows t))).

Definition check_vertex (r : randomizer) (n : Z) (s : scope) (nb : neighboring) (l : level) (delta : Q) (w : least)
    (proved : bool) (shown : witness) : bool :=
  match r, nb, l, w, proved, shown with
  | Table t, ReplaceOne, ExpEps E, LeastExpEps, true, Vertex x y z outcome functional =>
      table_is_posed t && (1 <=? n) && level_is_posed l delta && (Qnum delta =? 0) &&
      (is_input t x && is_input t y && is_input t z) && Nat.eqb (length outcome) (message_types t) &&
      Nat.eqb (length functional) (message_types t) && (fold_left Z.add outcome 0 <=? Z.of_nat (most_sent t)) &&
      forallb (Z.leb 0) outcome &&
      is_vertex t (Z.to_nat x) (Z.to_nat y) (Z.to_nat z) (data_set outcome) functional E &&
      bounded t nb n l delta Exactly
  | _, _, _, _, _, _ => false
  end.

(** ** Soundness *)

Open Scope R_scope.

Section table.

Variables (t : table) (v : list nat) (functional : list Z).
Hypothesis posed : table_posed t.
Hypothesis known : forallb (fun m => Nat.ltb m (message_types t)) v = true.
Hypothesis short : (length v <= most_sent t)%nat.

Let D := denominator t.
Let keys := packing t 1.
Let weight (m : nat) : R := IZR (nth m functional 0%Z).

Lemma is_it_iff x o : In o (entry (rows t) [] x) -> is_it keys v o = true <-> Permutation (snd o) v.
Proof.
  intros I. unfold is_it. rewrite Z.eqb_eq. split; [| apply sum_of_permutation]. apply packing_tells.
  - apply (row_sendable t x (Q2R (fst o), snd o) posed). apply in_map_iff. exists o. auto.
  - split; [| lia]. intros m J. rewrite forallb_forall in known. apply Nat.ltb_lt, known, J.
Qed.

Lemma total_weight u : total u weight = IZR (sum_of functional u).
Proof.
  induction u as [| m u IH]; [reflexivity |]. cbn [total sum_of fold_right]. fold (sum_of functional u).
  rewrite IH, plus_IZR. reflexivity.
Qed.

Lemma highest_vertex x : highest keys functional v (entry (rows t) [] x) = true -> vertex weight v (table_law t x).
Proof.
  intros H wu I _. apply in_map_iff in I. destruct I as [o [<- I]]. unfold highest in H. rewrite forallb_forall in H.
  specialize (H o I). apply orb_true_iff in H. cbn [snd]. destruct H as [H | H].
  - left. apply (is_it_iff x o I), H.
  - right. rewrite !total_weight. apply IZR_lt, Z.ltb_lt, H.
Qed.

Lemma weight_of_outcome x :
  Pr (table_law t x) (is_outcome v) * IZR D = IZR (weight_of D keys v (entry (rows t) [] x)).
Proof.
  assert (H : forall o, In o (entry (rows t) [] x) -> (Zpos (Qden (fst o)) | D)%Z).
  { intros o I. apply common_denominator_divides.
    destruct (entry_in (rows t) [] x) as [E | J]; [rewrite E in I; destruct I |].
    apply in_flat_map. eexists. split; [exact J | apply in_map, I]. }
  assert (S := is_it_iff x). unfold Pr, mean, table_law, row_law, indicator. rewrite total_map. cbn [fst snd].
  induction (entry (rows t) [] x) as [| o row IH]; cbn [total weight_of fold_right]; [ring |].
  fold (weight_of D keys v row). rewrite plus_IZR.
  rewrite <- IH by (intros; first [apply H; right; assumption | apply S; right; assumption]).
  assert (B : is_outcome v (snd o) = is_it keys v o).
  { apply eq_true_iff_eq. rewrite is_outcome_true, S by (left; reflexivity). reflexivity. }
  rewrite B. destruct (is_it keys v o).
  - rewrite over_value; [ring | apply denominator_positive | apply H; left; reflexivity].
  - ring.
Qed.

End table.

Theorem check_vertex_sound r n s nb l delta w proved shown :
  check_vertex r n s nb l delta w proved shown = true -> sound (ShuffleDP r n s nb l delta w) proved.
Proof.
  unfold check_vertex.
  destruct r as [t |], nb, l as [E |], w, proved, shown as [| | x y z outcome functional | | | | | | | | | | | | | | | |
    | | | |];
    try discriminate.
  intros H. repeat match goal with H : _ && _ = true |- _ => apply andb_true_iff in H; destruct H end.
  match goal with H : table_is_posed _ = true |- _ => apply table_is_posed_sound in H; rename H into T end.
  match goal with H : level_is_posed _ _ = true |- _ => apply level_is_posed_sound in H; rename H into L end.
  match goal with H : (1 <=? n)%Z = true |- _ => apply Z.leb_le in H; rename H into N end.
  match goal with H : (Qnum delta =? 0)%Z = true |- _ => apply Z.eqb_eq in H; rename H into D0 end.
  match goal with H : bounded _ _ _ _ _ _ = true |- _ => rename H into B end.
  match goal with H : is_vertex _ _ _ _ _ _ _ = true |- _ => rename H into V end.
  split; [simpl; auto |]. cbn [holds for_program]. split.
  - intros n' HS. apply (private_from t ReplaceOne n T N); [eapply in_scope_from; eassumption |].
    apply (bounded_sound t ReplaceOne n T N (ExpEps E) delta Exactly B).
  - intros F HF [n' [HS P]]. unfold is_vertex in V.
    repeat match goal with H : _ && _ = true |- _ => apply andb_true_iff in H; destruct H end.
    set (v := data_set outcome) in *.
    match goal with H : forallb (fun m => Nat.ltb m _) v = true |- _ => rename H into K end.
    match goal with H : Nat.leb (length v) _ = true |- _ => apply Nat.leb_le in H; rename H into S end.
    assert (W := weight_of_outcome t v T K S). assert (DP := IZR_lt _ _ (denominator_positive t)).
    assert (Pos : forall u, (0 <? weight_of (denominator t) (packing t 1) v (entry (rows t) [] u))%Z = true ->
      0 < Pr (table_law t u) (is_outcome v)).
    { intros u U. apply Z.ltb_lt, IZR_lt in U. rewrite <- W in U.
      apply Rmult_lt_reg_r with (IZR (denominator t)); lra. }
    assert (Z0 : Q2R delta = 0) by (unfold Q2R; rewrite D0; ring). rewrite Z0 in P.
    simpl in HF. destruct HF as [F1 FE].
    apply (vertex_not_private (table_law t) (fun m => IZR (nth m functional 0%Z)) v
      (Z.to_nat x) (Z.to_nat y) (Z.to_nat z)) with (E := Q2R E) (n := n') (eps := ln F);
        try (apply highest_vertex; assumption); try (apply Pos; assumption).
    + apply Rmult_eq_reg_r with (IZR (denominator t)); [| lra]. rewrite W, Rmult_assoc, W.
      match goal with H : (_ =? _)%Z = true |- _ => apply Z.eqb_eq, (f_equal IZR) in H; rename H into EQ end.
      rewrite !mult_IZR in EQ.
      unfold Q2R. assert (0 < IZR (Zpos (Qden E))) by (apply IZR_lt; lia).
      apply Rmult_eq_reg_r with (IZR (Zpos (Qden E))); [| lra]. rewrite EQ. field. lra.
    + destruct s; simpl in HS; lia.
    + rewrite exp_ln by lra. exact FE.
    + exact P.
Qed.
