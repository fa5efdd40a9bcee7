(** Losses may be merged in an event: lower bounds of the divergence of independent runs.

    The outcomes of a run are put into places: "infinite", for outcomes that have no mass under Q; the
    integers, any one for each outcome; or left out. [shown] says what is known of a pair of laws (P, Q),
    finite or infinite: a lower bound of P[infinite], and for every integer j, from [first] on [count] many,
    a lower bound f j of P[at j] and an upper bound s j of Q[at j]. Proved, for bounds f, s >= 0:

    - for every E >= 0 and every start, P is (E, delta)-below Q only if
      delta >= P-bound of infinite + sum over j >= start of (f j - E s j) ([merged_event]);
    - two independent runs have, at the sum of the integers, the convolutions of the f and of the s, and
      the infinite bound i1 + i2 - i1 i2 ([merged_times]); and so on for any number of runs, by pairs of
      pairs;
    - what is shown stays so where bounds are lowered (of P) or raised (of Q), so rounded in these
      directions, and where integers are left out ([merged_weaken], [merged_window]).

    Which integers are used does not matter. Independent runs are one way to play an adaptive composition,
    so that a lower bound for them refutes a bound for all ways.

    Idea: "some run is infinite, or none is, all are at integers and these add up to start or more" is an
    event. Its parts are disjoint, and products of sums over finite parts are sums over boxes.

    The class Merged of exactdp/checker/composed.py rests on it. Source: docs/certificates.md. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums masses hockey_stick product_laws.
Import ListNotations.
Open Scope R_scope.

(** ** Bounds of probabilities *)

Definition at_least {A} (D : A -> R) (T : A -> Prop) (x : R) : Prop :=
  forall c, (forall l, NoDup l -> (forall a, In a l -> T a) -> total l D <= c) -> x <= c.

Definition at_most {A} (D : A -> R) (T : A -> Prop) (x : R) : Prop :=
  forall l, NoDup l -> (forall a, In a l -> T a) -> total l D <= x.

Lemma at_least_scaled {A} (D : A -> R) T x k c :
  0 <= k -> at_least D T x -> (forall l, NoDup l -> (forall a, In a l -> T a) -> k * total l D <= c) ->
  k * x <= c.
Proof.
  intros [Hk | <-] H B.
  - apply Rmult_le_reg_l with (/ k); [apply Rinv_0_lt_compat, Hk |].
    rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. apply H. intros l N I.
    apply Rmult_le_reg_l with k; [exact Hk |]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
    apply B; assumption.
  - specialize (B [] (NoDup_nil A) (fun a (F : In a []) => False_ind _ F)). simpl in B. lra.
Qed.

Lemma at_least_all {A} (D : A -> R) : law D -> at_least D (fun _ => True) 1.
Proof. intros [_ [_ L]] c H. apply L. intros s [l [N [_ ->]]]. apply H; auto. Qed.

Lemma at_least_1 {A} (D : A -> R) T x : law D -> at_least D T x -> x <= 1.
Proof. intros L H. apply H. intros l N _. apply law_finite; assumption. Qed.

Lemma at_least_or {A} (D : A -> R) (S T : A -> Prop) x y :
  (forall a, S a -> ~ T a) -> at_least D S x -> at_least D T y -> at_least D (fun a => S a \/ T a) (x + y).
Proof.
  intros Dis HS HT c H. enough (y <= c - x) by lra. apply HT. intros m Nm Im.
  enough (x <= c - total m D) by lra. apply HS. intros l Nl Il.
  enough (total (l ++ m) D <= c) by (rewrite total_app in *; lra). apply H.
  - apply disjoint_append; [exact Nl | exact Nm |]. intros a I J. apply (Dis a); auto.
  - intros a I. apply in_app_or in I. destruct I; auto.
Qed.

Lemma at_least_ext {A} (D : A -> R) (S T : A -> Prop) x :
  (forall a, S a -> T a) -> at_least D S x -> at_least D T x.
Proof. intros H B c Hc. apply B. intros l N I. apply Hc; auto. Qed.

(** Disjoint events. *)
Lemma at_least_sum {A} (D : A -> R) (T : Z -> A -> Prop) (x : Z -> R) (js : list Z) :
  (forall i j a, T i a -> T j a -> i = j) -> NoDup js -> (forall j, at_least D (T j) (x j)) ->
  at_least D (fun a => exists j, In j js /\ T j a) (total js x).
Proof.
  intros Dis N H. induction N as [| j js Hj N IH]; simpl.
  - intros c Hc. specialize (Hc [] (NoDup_nil A) (fun a (F : In a []) => False_ind _ F)). exact Hc.
  - apply (at_least_ext D (fun a => T j a \/ exists i, In i js /\ T i a)).
    + intros a [Ta | [i [I Ta]]]; [exists j | exists i]; auto.
    + apply at_least_or; [| apply H | exact IH]. intros a Ta [i [I Ti]].
      rewrite (Dis j i a Ta Ti) in Hj. contradiction.
Qed.

(** Independent events. *)
Lemma at_least_box {A B} (P : A -> R) (K : B -> R) S T x y :
  (forall a, 0 <= P a) -> 0 <= y -> at_least P S x -> at_least K T y ->
  at_least (pair_mass P K) (fun z => S (fst z) /\ T (snd z)) (x * y).
Proof.
  intros HP Hy HS HT c H. rewrite Rmult_comm. apply (at_least_scaled P S); [exact Hy | exact HS |].
  intros u Nu Iu. rewrite Rmult_comm. apply (at_least_scaled K T); [apply total_nonneg; auto | exact HT |].
  intros v Nv Iv. rewrite <- total_box. apply H; [apply box_without_repetitions; assumption |].
  intros [a b] I. apply in_prod_iff in I. split; [apply Iu | apply Iv]; apply I.
Qed.

(** One of two independent events, or both. *)
Lemma at_least_one_of {A B} (P : A -> R) (K : B -> R) S T x y :
  law P -> law K -> at_least P S x -> at_least K T y ->
  at_least (pair_mass P K) (fun z => S (fst z) \/ T (snd z)) (x + y - x * y).
Proof.
  intros LP LK HS HT c H. assert (Y := at_least_1 K T y LK HT).
  enough ((1 - y) * x <= c - y) by lra. apply (at_least_scaled P S); [lra | exact HS |].
  intros u Nu Iu. set (t := total u P). assert (T1 : t <= 1) by (apply law_finite; assumption).
  enough ((1 - t) * y <= c - t) by lra. apply (at_least_scaled K T); [lra | exact HT |].
  intros v Nv Iv. set (V := total v K). assert (V0 : 0 <= V) by (apply total_nonneg; intros; apply LK).
  enough (V * 1 <= c - t + t * V) by lra.
  apply (at_least_scaled P (fun _ => True)); [exact V0 | apply at_least_all, LP |]. intros w Nw _.
  set (out := fun a => if in_dec same a u then false else true).
  assert (Nr : NoDup (filter out w)) by (apply NoDup_filter, Nw).
  assert (Out : forall a, In a (filter out w) -> ~ In a u).
  { intros a I. apply filter_In in I. destruct I as [_ O]. unfold out in O.
    destruct (in_dec same a u); [discriminate | assumption]. }
  assert (W : total w P <= total (filter out w) P + t).
  { unfold t. rewrite <- total_app. apply total_incl; [exact Nw | | intros a _; apply LP].
    intros a I. apply in_or_app. destruct (in_dec same a u) as [J | J]; [right; exact J | left].
    apply filter_In. split; [exact I |]. unfold out. destruct (in_dec same a u); [contradiction | easy]. }
  assert (Box : t * 1 <= c - total (filter out w) P * V).
  { apply (at_least_scaled K (fun _ => True));
      [apply total_nonneg; intros; apply LP | apply at_least_all, LK |].
    intros y' Ny _. enough (total (list_prod u y' ++ list_prod (filter out w) v) (pair_mass P K) <= c) as G.
    { rewrite total_app, !total_box in G. fold t V in G. lra. }
    apply H.
    - apply disjoint_append; try (apply box_without_repetitions; assumption).
      intros [a b] I J. apply in_prod_iff in I. apply in_prod_iff in J. apply (Out a); [apply J | apply I].
    - intros [a b] I. apply in_app_or in I. simpl. destruct I as [I | I]; apply in_prod_iff in I.
      + left. apply Iu, I.
      + right. apply Iv, I. }
  apply (Rmult_le_compat_l V) in W; [| exact V0]. lra.
Qed.

(** ** What is shown of a pair *)

Inductive place : Type := Infinite | At (j : Z) | Left_out.

Definition range (first : Z) (count : nat) : list Z := map (fun i => first + Z.of_nat i)%Z (seq 0 count).

Lemma range_once first count : NoDup (range first count).
Proof. apply FinFun.Injective_map_NoDup; [intros x y E; lia | apply seq_NoDup]. Qed.

Definition shown {A} (P Q : A -> R) (label : A -> place) (js : list Z) (inf : R) (f s : Z -> R) : Prop :=
  NoDup js /\ (forall a, label a = Infinite -> Q a = 0) /\ at_least P (fun a => label a = Infinite) inf /\
  (forall a j, label a = At j -> In j js) /\
  (forall j, at_least P (fun a => label a = At j) (f j)) /\ (forall j,
    at_most Q (fun a => label a = At j) (s j)).

(** The sum over the places from start on. *)
Definition from (start : Z) (js : list Z) : list Z := filter (Z.leb start) js.

Definition part_at {A} (label : A -> place) (l : list A) (j : Z) : list A :=
  filter (fun a => match label a with At i => Z.eqb i j | _ => false end) l.

Lemma in_part {A} (label : A -> place) l j a : In a (part_at label l j) <-> In a l /\ label a = At j.
Proof.
  unfold part_at. rewrite filter_In. destruct (label a) as [| i |]; split; intros [H1 H2]; split;
    try assumption;
    try discriminate; try congruence.
  - apply Z.eqb_eq in H2. congruence.
  - injection H2 as ->. apply Z.eqb_refl.
Qed.

Theorem merged_event {A} (P Q : A -> R) label js inf f s start E delta :
  (forall a, 0 <= Q a) -> 0 <= E -> shown P Q label js inf f s -> mass_below P Q E delta ->
  inf + total (from start js) (fun j => f j - E * s j) <= delta.
Proof.
  intros HQ HE [Njs [Z0 [HI [HR [HF HS]]]]] H.
  assert (Nf : NoDup (from start js)) by (apply NoDup_filter, Njs).
  rewrite total_minus, total_scal.
  enough (inf + total (from start js) f <= delta + E * total (from start js) s) by lra.
  apply (at_least_or P (fun a => label a = Infinite) (fun a => exists j, In j (from start js) /\
    label a = At j)).
  - intros a I [j [_ J]]. congruence.
  - exact HI.
  - apply at_least_sum; [intros i j a I J; congruence | exact Nf | exact HF].
  - intros l N I. specialize (H l N). enough (total l Q <= total (from start js) s) as B.
    { apply (Rmult_le_compat_l E) in B; lra. }
    set (seen := fun a => match label a with Infinite => false | _ => true end).
    replace (total l Q) with (total (filter seen l) Q).
    + apply Rle_trans with (total (flat_map (part_at label l) (from start js)) Q).
      * apply total_incl; [apply NoDup_filter, N | | intros a _; apply HQ].
        intros a Ia. apply filter_In in Ia. destruct Ia as [Ia S]. apply in_flat_map.
        destruct (I a Ia) as [J | [j [Ij J]]]; [unfold seen in S; rewrite J in S; discriminate |].
        exists j. split; [exact Ij | apply in_part; auto].
      * rewrite total_flat_map. apply total_le. intros j _. apply HS; [apply NoDup_filter, N |].
        intros a Ia. apply in_part in Ia. apply Ia.
    + rewrite total_filter. apply total_ext. intros a _. unfold seen.
      destruct (label a) eqn:La; try reflexivity. symmetry. apply Z0, La.
Qed.

(** ** Two independent runs *)

Definition label_times {A B} (first : A -> place) (second : B -> place) (z : A * B) : place :=
  match first (fst z), second (snd z) with
  | Infinite, _ | _, Infinite => Infinite
  | At i, At j => At (i + j)
  | _, _ => Left_out
  end.

Definition convolved (js : list Z) (f g : Z -> R) (k : Z) : R := total js (fun i => f i * g (k - i)%Z).

Lemma label_times_at {A B} (u : A -> place) (v : B -> place) z k :
  label_times u v z = At k <-> exists i, u (fst z) = At i /\ v (snd z) = At (k - i)%Z.
Proof.
  unfold label_times. split.
  - destruct (u (fst z)) as [| i |], (v (snd z)) as [| j |]; intros E; try discriminate.
    injection E as <-. exists i. split; [reflexivity | f_equal; lia].
  - intros [i [-> ->]]. f_equal. lia.
Qed.

Lemma label_times_infinite {A B} (u : A -> place) (v : B -> place) z :
  label_times u v z = Infinite <-> u (fst z) = Infinite \/ v (snd z) = Infinite.
Proof.
  unfold label_times. destruct (u (fst z)), (v (snd z)); split; intros H; try tauto; try discriminate;
    destruct H; discriminate.
Qed.

Theorem merged_times {A B} (P Q : A -> R) (K L : B -> R) u v js hs ks i1 i2 f1 s1 f2 s2 :
  law P -> law Q -> law K -> law L -> (forall j, 0 <= f2 j) ->
  shown P Q u js i1 f1 s1 -> shown K L v hs i2 f2 s2 ->
  NoDup ks -> (forall i j, In i js -> In j hs -> In (i + j)%Z ks) ->
  shown (pair_mass P K) (pair_mass Q L) (label_times u v) ks (i1 + i2 - i1 * i2)
    (convolved js f1 f2) (convolved js s1 s2).
Proof.
  intros LP LQ LK LL F2 [N1 [Z1 [I1 [R1 [A1 B1]]]]] [N2 [Z2 [I2 [R2 [A2 B2]]]]] Nk Hk.
  split; [exact Nk | split; [| split; [| split; [| split]]]].
  - intros z E. apply label_times_infinite in E. unfold pair_mass.
    destruct E as [E | E]; [rewrite (Z1 _ E) | rewrite (Z2 _ E)]; ring.
  - apply (at_least_ext _ (fun z => u (fst z) = Infinite \/ v (snd z) = Infinite)).
    + intros z E. apply label_times_infinite, E.
    + apply (at_least_one_of P K (fun a => u a = Infinite) (fun b => v b = Infinite)); assumption.
  - intros z k E. apply label_times_at in E. destruct E as [i [E1 E2]].
    replace k with (i + (k - i))%Z by lia. apply Hk; [apply (R1 _ _ E1) | apply (R2 _ _ E2)].
  - intros k. apply (at_least_ext _ (fun z => exists i, In i js /\ (u (fst z) = At i /\
      v (snd z) = At (k - i)%Z))).
    + intros z [i [_ E]]. apply label_times_at. exists i. exact E.
    + apply at_least_sum; [intros i j z [E _] [F _]; congruence | exact N1 |]. intros i.
      apply (at_least_box P K (fun a => u a = At i) (fun b => v b = At (k - i)%Z)); auto. apply LP.
  - intros k l N I. destruct (inside_box l) as [x [y [Nx [Ny Box]]]].
    apply Rle_trans with
      (total (flat_map (fun i => list_prod (part_at u x i) (part_at v y (k - i))) js) (pair_mass Q L)).
    + apply total_incl; [exact N | | intros z _; apply pair_mass_nonneg; [apply LQ | apply LL]].
      intros [a b] J. assert (E := I _ J). apply label_times_at in E. destruct E as [i [E1 E2]].
      assert (J' := Box _ J). apply in_prod_iff in J'. destruct J' as [Ja Jb]. apply in_flat_map.
      exists i. split; [apply (R1 _ _ E1) |]. apply in_prod; apply in_part; auto.
    + rewrite total_flat_map. apply total_le. intros i _. rewrite total_box.
      apply Rmult_le_compat.
      * apply total_nonneg. intros a _. apply LQ.
      * apply total_nonneg. intros b _. apply LL.
      * apply B1; [apply NoDup_filter, Nx |]. intros a Ia. apply in_part in Ia. apply Ia.
      * apply B2; [apply NoDup_filter, Ny |]. intros b Ib. apply in_part in Ib. apply Ib.
Qed.

(** ** Rounding, and windows *)

Lemma merged_weaken {A} (P Q : A -> R) label js inf inf' f f' s s' :
  inf' <= inf -> (forall j, f' j <= f j) -> (forall j, s j <= s' j) ->
  shown P Q label js inf f s -> shown P Q label js inf' f' s'.
Proof.
  intros HI Hf Hs [N [Z0 [I [R [F S]]]]]. repeat split; try assumption.
  - intros c Hc. apply Rle_trans with inf; [exact HI | apply I, Hc].
  - intros j c Hc. apply Rle_trans with (f j); [apply Hf | apply (F j), Hc].
  - intros j l Nl Il. apply Rle_trans with (s j); [apply (S j); assumption | apply Hs].
Qed.

(** Only the integers with [keep] are kept; the bounds of the others are 0. *)
Definition windowed {A} (keep : Z -> bool) (label : A -> place) (a : A) : place :=
  match label a with
  | At j => if keep j then At j else Left_out
  | other => other
  end.

Theorem merged_window {A} (P Q : A -> R) label js inf f s keep :
  shown P Q label js inf f s ->
  shown P Q (windowed keep label) (filter keep js) inf
    (fun j => if keep j then f j else 0) (fun j => if keep j then s j else 0).
Proof.
  intros [N [Z0 [I [R [F S]]]]].
  assert (Inf : forall a, windowed keep label a = Infinite <-> label a = Infinite).
  { intros a. unfold windowed. destruct (label a) as [| j |]; try tauto. destruct (keep j); split;
      discriminate. }
  assert (AtJ : forall a j, windowed keep label a = At j <-> label a = At j /\ keep j = true).
  { intros a j. unfold windowed. destruct (label a) as [| i |]; split; intros H;
      try discriminate; try (destruct H; discriminate).
    - destruct (keep i) eqn:Ki; [| discriminate]. injection H as <-. auto.
    - destruct H as [E Kj]. injection E as ->. rewrite Kj. reflexivity. }
  split; [apply NoDup_filter, N | split; [| split; [| split; [| split]]]].
  - intros a E. apply Z0, Inf, E.
  - apply (at_least_ext P (fun a => label a = Infinite)); [intros a; apply Inf | exact I].
  - intros a j E. apply AtJ in E. apply filter_In. split; [apply (R a) |]; apply E.
  - intros j. destruct (keep j) eqn:Kj.
    + apply (at_least_ext P (fun a => label a = At j)); [intros a E; apply AtJ; auto | apply F].
    + intros c Hc. apply (Hc [] (NoDup_nil A)). intros a [].
  - intros j l Nl Il. destruct (keep j) eqn:Kj.
    + apply (S j); [exact Nl |]. intros a Ia. apply AtJ, Il, Ia.
    + destruct l as [| a l]; [simpl; lra |]. exfalso.
      assert (E := Il a (or_introl eq_refl)). apply AtJ in E. destruct E. congruence.
Qed.
