(** A measure of losses dominates a mechanism if it does so at its corners.

    The divergence of a measure nu (loss_measures.v) is, as a function of E, a broken line: its corners are the
    numbers 1/r of its atoms (m, r), and it is constant beyond the last one. Let no mass of nu be negative, let
    all r be positive, and let its total mass be at least 1. If all pairs (P, Q) of a mechanism are laws, finite
    or infinite, and P is (E, divergence nu E)-below Q where E is one of the corners, it is so at every E >= 0:
    nu dominates the mechanism ([dominates_at_corners]). Where P is (E, d(E))-below Q in both orders, for numbers
    E >= 1, it is enough that the divergence is at least d(E) at the corners E >= 1, and at least
    1 - E (1 - d(1/E)) at the corners E < 1 ([dominates_from_above_1]).

    Points 0 = e_0 < e_1 < ... < e_m with values u_0 = 1, u_1, ..., u_m >= 0 that lie on a convex line, which does
    not rise: the measure with the mass (bend at e_i) e_i at r = 1/e_i, for 1 <= i <= m, and u_m at infinity has
    the divergence u_i at e_i ([polygon_values]), so it dominates all pairs that are (e_i, u_i)-below
    ([polygon_dominates]): chords between the points, a constant after the last one.

    Idea: the hockey-stick of a pair is convex and does not grow. Between two neighbouring corners it is below
    its chord, and the divergence of nu is its own chord.

    Source: this package; the chords are those of exactdp/composition/polygons.py. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums masses hockey_stick hockey_stick_curve loss_measures adaptive_composition.
Import ListNotations.
Open Scope R_scope.

(** ** Between two corners *)

Definition corners (nu : measure) : list R := map (fun mr => / snd mr) (atoms nu).

(** The last number of a list, or 0, that is at most E; and the first that is at least E. *)
Lemma last_below (l : list R) E :
  0 <= E -> exists lo, (lo = 0 \/ In lo l) /\ 0 <= lo <= E /\ forall c, In c l -> c <= lo \/ E < c.
Proof.
  intros HE. induction l as [| c l [lo [I [B H]]]].
  - exists 0. split; [auto | split; [lra | intros c []]].
  - destruct (Rle_or_lt c E) as [L | L]; [destruct (Rle_or_lt c lo) as [K | K] |].
    + exists lo. split; [destruct I; [auto | right; right; assumption] | split; [exact B |]].
      intros d [<- | J]; [left; exact K | apply H, J].
    + exists c. split; [right; left; reflexivity | split; [lra |]].
      intros d [<- | J]; [left; lra |]. destruct (H d J); [left; lra | right; assumption].
    + exists lo. split; [destruct I; [auto | right; right; assumption] | split; [exact B |]].
      intros d [<- | J]; [right; exact L | apply H, J].
Qed.

Lemma first_above (l : list R) E :
  (forall c, In c l -> c <= E) \/
  exists hi, In hi l /\ E < hi /\ forall c, In c l -> c <= E \/ hi <= c.
Proof.
  induction l as [| c l IH]; [left; intros c [] |].
  destruct (Rle_or_lt c E) as [L | L].
  - destruct IH as [H | [hi [I [B H]]]].
    + left. intros d [<- | J]; [exact L | apply H, J].
    + right. exists hi. split; [right; exact I | split; [exact B |]].
      intros d [<- | J]; [left; exact L | apply H, J].
  - right. destruct IH as [H | [hi [I [B H]]]].
    + exists c. split; [left; reflexivity | split; [exact L |]].
      intros d [<- | J]; [right; lra | left; apply H, J].
    + destruct (Rle_or_lt c hi) as [K | K].
      * exists c. split; [left; reflexivity | split; [exact L |]].
        intros d [<- | J]; [right; lra |]. destruct (H d J); [left; assumption | right; lra].
      * exists hi. split; [right; exact I | split; [exact B |]].
        intros d [<- | J]; [right; lra | apply H, J].
Qed.

(** An atom after its corner, and before it. *)
Lemma hinge_after m r E : 0 < r -> / r <= E -> hinge E (m, r) = 0.
Proof.
  intros Hr H. unfold hinge. simpl. apply (Rmult_le_compat_r r) in H; [| lra].
  rewrite Rinv_l in H by lra. rewrite Rmax_left by lra. ring.
Qed.

Lemma hinge_before m r E : 0 < r -> E <= / r -> hinge E (m, r) = m * (1 - E * r).
Proof.
  intros Hr H. unfold hinge. simpl. apply (Rmult_le_compat_r r) in H; [| lra].
  rewrite Rinv_l in H by lra. rewrite Rmax_right by lra. reflexivity.
Qed.

(** No corner between lo and hi: the divergence is a line there. *)
Lemma divergence_line nu lo hi E :
  (forall mr, In mr (atoms nu) -> 0 < snd mr) -> lo <= E <= hi ->
  (forall c, In c (corners nu) -> c <= lo \/ hi <= c) ->
  (hi - lo) * divergence nu E = (hi - E) * divergence nu lo + (E - lo) * divergence nu hi.
Proof.
  intros HR HE H. unfold divergence. rewrite !Rmult_plus_distr_l, <- !total_scal.
  replace ((hi - lo) * infinite nu) with ((hi - E) * infinite nu + (E - lo) * infinite nu) by ring.
  enough (X : total (atoms nu) (fun a => (hi - lo) * hinge E a) =
    total (atoms nu) (fun a => (hi - E) * hinge lo a) + total (atoms nu) (fun a => (E - lo) * hinge hi a))
    by (rewrite X; ring).
  rewrite <- total_plus. apply total_ext. intros [m r] I. assert (Hr := HR _ I). simpl in Hr.
  destruct (H (/ r)) as [L | L].
  - apply in_map_iff. exists (m, r). auto.
  - rewrite !hinge_after by (try assumption; lra). ring.
  - rewrite !hinge_before by (try assumption; lra). ring.
Qed.

Lemma divergence_constant nu lo E :
  (forall mr, In mr (atoms nu) -> 0 < snd mr) -> lo <= E ->
  (forall c, In c (corners nu) -> c <= lo) -> divergence nu E = divergence nu lo.
Proof.
  intros HR HE H. unfold divergence. f_equal. apply total_ext. intros [m r] I.
  assert (Hr := HR _ I). simpl in Hr. assert (L : / r <= lo) by (apply H, in_map_iff; exists (m, r); auto).
  rewrite !hinge_after by (try assumption; lra). reflexivity.
Qed.

(** ** Domination *)

Lemma below_at_corners {A} (P Q : A -> R) nu :
  (forall mr, In mr (atoms nu) -> 0 < snd mr) -> 1 <= divergence nu 0 -> law P -> law Q ->
  (forall c, In c (corners nu) -> mass_below P Q c (divergence nu c)) ->
  forall E, 0 <= E -> mass_below P Q E (divergence nu E).
Proof.
  intros HR One LP LQ H E HE. apply mass_hockey_stick_iff. intros l N.
  change (stick P Q l E <= divergence nu E).
  assert (At : forall x, x = 0 \/ In x (corners nu) -> stick P Q l x <= divergence nu x).
  { intros x [-> | I].
    - eapply Rle_trans; [apply stick_at_0; assumption | exact One].
    - apply (mass_hockey_stick_iff P Q x); [apply H, I | exact N]. }
  destruct (last_below (corners nu) E HE) as [lo [Ilo [Blo Hlo]]].
  destruct (first_above (corners nu) E) as [Last | [hi [Ihi [Bhi Hhi]]]].
  - rewrite (divergence_constant nu lo E HR (proj2 Blo)).
    + eapply Rle_trans; [apply (stick_falls P Q l LQ lo E (proj2 Blo)) | apply At, Ilo].
    + intros c I. destruct (Hlo c I) as [L | L]; [exact L | specialize (Last c I); lra].
  - assert (X := At lo Ilo). assert (Y := At hi (or_intror Ihi)).
    assert (C := stick_convex P Q l lo hi E ltac:(lra)).
    assert (D := divergence_line nu lo hi E HR ltac:(lra)).
    apply (Rmult_le_compat_l (hi - E)) in X; [| lra]. apply (Rmult_le_compat_l (E - lo)) in Y; [| lra].
    apply Rmult_le_reg_l with (hi - lo); [lra |]. rewrite D; [lra |].
    intros c I. destruct (Hlo c I), (Hhi c I); auto. lra.
Qed.

Theorem dominates_at_corners {A} (nu : measure) (M : mechanism A) :
  nonnegative nu -> (forall mr, In mr (atoms nu) -> 0 < snd mr) -> 1 <= divergence nu 0 ->
  (forall P Q, M P Q -> law P /\ law Q /\
   forall c, In c (corners nu) -> mass_below P Q c (divergence nu c)) ->
  dominates nu M.
Proof.
  intros HN HR One H. split; [exact HN | split; [exact One |]]. intros P Q HM.
  destruct (H P Q HM) as [LP [LQ C]]. split; [exact LP | split; [exact LQ |]].
  apply below_at_corners; assumption.
Qed.

(** The other order at 1/E is this order at E. *)
Lemma other_order {A} (P Q : A -> R) E d :
  law P -> law Q -> 0 < E -> mass_below Q P (/ E) d -> mass_below P Q E (1 - E * (1 - d)).
Proof.
  intros LP LQ HE H. apply mass_hockey_stick_iff. intros l N.
  assert (X := stick_inverse P Q l LP LQ N (/ E) d (Rinv_0_lt_compat _ HE) H).
  rewrite Rinv_inv in X. exact X.
Qed.

Theorem dominates_from_above_1 {A} (nu : measure) (M : mechanism A) (d : R -> R) :
  nonnegative nu -> (forall mr, In mr (atoms nu) -> 0 < snd mr) -> 1 <= divergence nu 0 ->
  (forall c, In c (corners nu) ->
   (1 <= c /\ d c <= divergence nu c) \/ (c < 1 /\ 1 - c * (1 - d (/ c)) <= divergence nu c)) ->
  (forall P Q, M P Q -> law P /\ law Q /\ forall E, 1 <= E -> mass_below P Q E (d E) /\ mass_below Q P E (d E)) ->
  dominates nu M.
Proof.
  intros HN HR One HC H. apply dominates_at_corners; try assumption. intros P Q HM.
  destruct (H P Q HM) as [LP [LQ B]]. split; [exact LP | split; [exact LQ |]]. intros c I.
  assert (Pc : 0 < c).
  { apply in_map_iff in I. destruct I as [mr [<- I]]. apply Rinv_0_lt_compat, HR, I. }
  destruct (HC c I) as [[L K] | [L K]]; intros l N.
  - eapply Rle_trans; [apply (proj1 (B c L) l N) | lra].
  - assert (L' : 1 <= / c).
    { apply Rmult_le_reg_l with c; [exact Pc |]. rewrite Rinv_r by lra. lra. }
    eapply Rle_trans; [apply (other_order P Q c (d (/ c)) LP LQ Pc (proj2 (B (/ c) L')) l N) | lra].
Qed.

(** ** Chords between points *)

Section polygon.

Variables (m : nat) (e u : nat -> R).
Hypothesis from_0 : e O = 0.
Hypothesis rises : forall i, e i < e (S i).
Hypothesis at_0 : u O = 1.
Hypothesis end_value : 0 <= u m.

(** The slope that leads to a point; 0 after the last one. *)
Definition slope_to (i : nat) : R := if Nat.leb i m then (u i - u (pred i)) / (e i - e (pred i)) else 0.

Definition bend_at (i : nat) : R := slope_to (S i) - slope_to i.

Hypothesis convex : forall i, (1 <= i <= m)%nat -> 0 <= bend_at i.

Definition polygon : measure :=
  {| infinite := u m; atoms := map (fun i => (bend_at i * e i, / e i)) (seq 1 m) |}.

Lemma point_positive i : 0 < e (S i).
Proof. induction i as [| i IH]; [rewrite <- from_0; apply rises | eapply Rlt_trans; [exact IH | apply rises]]. Qed.

Lemma points_rise i j : (i <= j)%nat -> e i <= e j.
Proof. induction 1 as [| j _ IH]; [lra |]. assert (X := rises j). lra. Qed.

(** The bends after a point, times how far they are from it, add up to what is lost till the end. *)
Lemma bends_after k j :
  (j + k = m)%nat -> total (seq (S j) k) (fun i => bend_at i * (e i - e j)) = u j - u m.
Proof.
  assert (Sum : forall k j, (j + k = m)%nat -> total (seq (S j) k) bend_at = - slope_to (S j)).
  { clear. induction k as [| k IH]; intros j H; simpl.
    - unfold slope_to. rewrite (proj2 (Nat.leb_gt _ _)) by lia. ring.
    - rewrite IH by lia. unfold bend_at. ring. }
  revert j. induction k as [| k IH]; intros j H.
  - simpl. replace m with j by lia. ring.
  - assert (S1 := Sum (S k) j H). assert (IH1 := IH (S j) ltac:(lia)).
    cbn [seq total] in *. rewrite (total_ext (seq (S (S j)) k) _
      (fun i => bend_at i * (e i - e (S j)) + bend_at i * (e (S j) - e j))) by (intros; ring).
    rewrite total_plus, IH1, total_scal_r.
    assert (Sl : slope_to (S j) * (e (S j) - e j) = u (S j) - u j).
    { unfold slope_to. rewrite (proj2 (Nat.leb_le _ _)) by lia. simpl pred. assert (X := rises j). field. lra. }
    set (s := total _ bend_at) in *.
    replace (bend_at (S j) * (e (S j) - e j) + (u (S j) - u m + s * (e (S j) - e j)))
      with ((bend_at (S j) + s) * (e (S j) - e j) + (u (S j) - u m)) by ring.
    rewrite S1. lra.
Qed.

Theorem polygon_values j : (j <= m)%nat -> divergence polygon (e j) = u j.
Proof.
  intros H. unfold divergence. simpl. rewrite total_map.
  assert (E1 : seq 1 m = seq 1 j ++ seq (S j) (m - j)) by (rewrite <- seq_app; f_equal; lia).
  rewrite E1, total_app. rewrite (total_ext (seq 1 j) _ (fun _ => 0)), total_zero.
  - rewrite (total_ext (seq (S j) (m - j)) _ (fun i => bend_at i * (e i - e j))).
    + rewrite bends_after by lia. ring.
    + intros i I. apply in_seq in I. assert (Pi : 0 < e i) by (destruct i; [lia | apply point_positive]).
      rewrite hinge_before.
      * field. lra.
      * apply Rinv_0_lt_compat, Pi.
      * rewrite Rinv_inv. apply points_rise. lia.
  - intros i I. apply in_seq in I. assert (Pi : 0 < e i) by (destruct i; [lia | apply point_positive]).
    apply hinge_after; [apply Rinv_0_lt_compat, Pi |]. rewrite Rinv_inv. apply points_rise. lia.
Qed.

Theorem polygon_dominates {A} (M : mechanism A) :
  (forall P Q, M P Q -> law P /\ law Q /\ forall i, (1 <= i <= m)%nat -> mass_below P Q (e i) (u i)) ->
  dominates polygon M.
Proof.
  intros H. apply dominates_at_corners.
  - split; [exact end_value |]. intros mr I. apply in_map_iff in I. destruct I as [i [<- I]]. apply in_seq in I.
    assert (Pi : 0 < e i) by (destruct i; [lia | apply point_positive]). simpl. split.
    + apply Rmult_le_pos; [apply convex; lia | lra].
    + left. apply Rinv_0_lt_compat, Pi.
  - intros mr I. apply in_map_iff in I. destruct I as [i [<- I]]. apply in_seq in I.
    assert (Pi : 0 < e i) by (destruct i; [lia | apply point_positive]). apply Rinv_0_lt_compat, Pi.
  - rewrite <- from_0, polygon_values by lia. lra.
  - intros P Q HM. destruct (H P Q HM) as [LP [LQ B]]. split; [exact LP | split; [exact LQ |]].
    intros c I. apply in_map_iff in I. destruct I as [mr [<- I]].
    apply in_map_iff in I. destruct I as [i [<- I]]. apply in_seq in I. simpl.
    assert (Pi : 0 < e i) by (destruct i; [lia | apply point_positive]).
    rewrite Rinv_inv. rewrite polygon_values by lia. apply B. lia.
Qed.

End polygon.
