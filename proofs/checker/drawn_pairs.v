(** Pairs of laws that stand for those of a mechanism in a refutation.

    [shows_as_much P Q K L]: for every F >= 0 and every finite event m of (K, L) there is a finite event of (P, Q) whose
    excess P - F Q is at least the one of m, K - F L. [stands_for M K L]: a pair that is drawn at random among finitely
    many pairs of the mechanism M shows as much as (K, L). Then for any number of mechanisms, with (K, L) and (K', L'),
    ... standing for them: if all ways of playing their composition are (E, delta)-below, E >= 0, then so is the product
    law of all K below the one of all L ([standing_below]). No law needs to be finite.

    Idea: one law of a product is replaced after the other. Where an outcome c of the others is given, the excess of the
    product at F is the one of the pair at F L'(c) / K'(c). And a product of mixtures is a mixture of products.

    Source: this package. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import sums masses hockey_stick product_laws adaptive_composition steps.
Import ListNotations.
Open Scope R_scope.

Definition shows_as_much {A B} (P Q : A -> R) (K L : B -> R) : Prop :=
  forall F m, 0 <= F -> NoDup m -> exists s, NoDup s /\ total m K - F * total m L <= total s P - F * total s Q.

Lemma shows_itself {A} (P Q : A -> R) : shows_as_much P Q P Q.
Proof. intros F m _ N. exists m. split; [exact N | apply Rle_refl]. Qed.

Lemma shows_transitive {A B C} (P Q : A -> R) (K L : B -> R) (X Y : C -> R) :
  shows_as_much P Q K L -> shows_as_much K L X Y -> shows_as_much P Q X Y.
Proof.
  intros H1 H2 F m HF N. destruct (H2 F m HF N) as [s [Ns S]]. destruct (H1 F s HF Ns) as [r [Nr R0]].
  exists r. split; [exact Nr | lra].
Qed.

Lemma shown_below {A B} (P Q : A -> R) (K L : B -> R) E delta :
  0 <= E -> shows_as_much P Q K L -> mass_below P Q E delta -> mass_below K L E delta.
Proof. intros HE H B0 m N. destruct (H E m HE N) as [s [Ns S]]. specialize (B0 s Ns). lra. Qed.

(** ** Products *)

Section first.

Context {A B C : Type} (P Q : A -> R) (K L : B -> R) (K' L' : C -> R).
Hypothesis shows : shows_as_much P Q K L.
Hypothesis L_nonneg : forall b, 0 <= L b.
Hypothesis K'_nonneg : forall c, 0 <= K' c.
Hypothesis L'_nonneg : forall c, 0 <= L' c.

Definition with_second (m : list (B * C)) (c : C) : list (B * C) := filter (in_class snd c) m.

Lemma with_second_total m c (f : B -> R) (g : C -> R) :
  total (with_second m c) (fun x => f (fst x) * g (snd x)) = g c * total (map fst (with_second m c)) f.
Proof.
  rewrite total_map, <- total_scal. apply total_ext. intros x I. apply filter_In in I. destruct I as [_ I].
  unfold in_class in I. destruct (same (snd x) c) as [-> | ]; [ring | discriminate].
Qed.

Lemma with_second_once m c : NoDup m -> NoDup (map fst (with_second m c)).
Proof.
  intros N. assert (H : NoDup (with_second m c)) by (apply NoDup_filter, N).
  assert (E : forall x, In x (with_second m c) -> snd x = c).
  { intros x I. apply filter_In in I. destruct I as [_ I]. unfold in_class in I.
    destruct (same (snd x) c); [assumption | discriminate]. }
  induction H as [| x l Hx H IH]; [constructor |]. simpl. constructor.
  - intros I. apply in_map_iff in I. destruct I as [y [Ey Iy]]. apply Hx. replace x with y; [exact Iy |].
    assert (E1 := E x (or_introl eq_refl)). assert (E2 := E y (or_intror Iy)).
    destruct x as [b d], y as [b' d']. simpl in *. congruence.
  - apply IH. intros y I. apply E. right. exact I.
Qed.

Lemma shows_given F c m : 0 <= F -> NoDup m -> exists s, NoDup s /\
  K' c * total m K - F * (L' c * total m L) <= K' c * total s P - F * (L' c * total s Q).
Proof.
  intros HF N. destruct (K'_nonneg c) as [Pos | Zero].
  - destruct (shows (F * L' c / K' c) m) as [s [Ns S]].
    + apply Rmult_le_pos; [apply Rmult_le_pos; [exact HF | apply L'_nonneg] | left; apply Rinv_0_lt_compat, Pos].
    + exact N.
    + exists s. split; [exact Ns |]. apply (Rmult_le_compat_l (K' c)) in S; [| lra].
      replace (K' c * (total m K - F * L' c / K' c * total m L)) with (K' c * total m K - F * (L' c * total m L)) in S
        by (field; lra).
      replace (K' c * (total s P - F * L' c / K' c * total s Q)) with (K' c * total s P - F * (L' c * total s Q)) in S
        by (field; lra).
      exact S.
  - exists []. split; [constructor |]. rewrite <- Zero. simpl.
    assert (0 <= F * (L' c * total m L)); [| lra].
    apply Rmult_le_pos; [exact HF | apply Rmult_le_pos; [apply L'_nonneg | apply total_nonneg; intros; apply L_nonneg]].
Qed.

Lemma shows_first : shows_as_much (pair_mass P K') (pair_mass Q L') (pair_mass K K') (pair_mass L L').
Proof.
  intros F m HF N.
  assert (X : forall cs, NoDup cs -> exists s, NoDup s /\ (forall x, In x s -> In (snd x) cs) /\
    total cs (fun c => total (with_second m c) (pair_mass K K') - F * total (with_second m c) (pair_mass L L')) <=
    total s (pair_mass P K') - F * total s (pair_mass Q L')).
  { induction cs as [| c cs IH]; intros Ncs.
    - exists []. split; [constructor | split; [intros x [] | simpl; lra]].
    - inversion Ncs as [| ? ? Hc Nc]. subst. destruct (IH Nc) as [s [Ns [Is S]]].
      destruct (shows_given F c (map fst (with_second m c)) HF (with_second_once m c N)) as [r [Nr R0]].
      exists (map (fun a => (a, c)) r ++ s). split; [| split].
      + apply disjoint_append; [| exact Ns |].
        * apply FinFun.Injective_map_NoDup; [intros a b E; injection E; auto | exact Nr].
        * intros x I J. apply in_map_iff in I. destruct I as [a [<- _]]. apply Hc, (Is _ J).
      + intros x I. apply in_app_or in I. destruct I as [I | I]; [left | right; apply Is, I].
        apply in_map_iff in I. destruct I as [a [<- _]]. reflexivity.
      + rewrite !total_app, !total_map. cbn [total]. unfold pair_mass in *. cbn [fst snd] in *.
        rewrite !with_second_total.
        rewrite (total_ext r (fun a => P a * K' c) (fun a => K' c * P a)) by (intros; ring).
        rewrite (total_ext r (fun a => Q a * L' c) (fun a => L' c * Q a)) by (intros; ring).
        rewrite !total_scal. lra. }
  destruct (X (nodup same (map snd m)) (NoDup_nodup _ _)) as [s [Ns [_ S]]]. exists s. split; [exact Ns |].
  eapply Rle_trans; [| exact S]. rewrite total_minus, total_scal.
  rewrite (total_by_class snd m (pair_mass K K')), (total_by_class snd m (pair_mass L L')). apply Rle_refl.
Qed.

End first.

Definition turned {A B} (x : A * B) : B * A := (snd x, fst x).

Lemma turned_once {A B} (l : list (A * B)) : NoDup l -> NoDup (map turned l).
Proof. apply FinFun.Injective_map_NoDup. intros [a b] [c d] E. injection E as -> ->. reflexivity. Qed.

Lemma total_turned {A B} (P : A -> R) (K : B -> R) l : total (map turned l) (pair_mass P K) = total l (pair_mass K P).
Proof. rewrite total_map. apply total_ext. intros x _. unfold pair_mass, turned. simpl. ring. Qed.

Lemma shows_second {A B C} (P Q : A -> R) (K L : B -> R) (K' L' : C -> R) :
  shows_as_much P Q K L -> (forall b, 0 <= L b) -> (forall c, 0 <= K' c) -> (forall c, 0 <= L' c) ->
  shows_as_much (pair_mass K' P) (pair_mass L' Q) (pair_mass K' K) (pair_mass L' L).
Proof.
  intros H HL HK' HL' F m HF N. destruct (shows_first P Q K L K' L' H HL HK' HL' F (map turned m) HF (turned_once m N))
    as [s [Ns S]].
  exists (map turned s). split; [apply turned_once, Ns |]. rewrite !total_turned in *. exact S.
Qed.

Lemma shows_along {A B A' B'} (put : A' -> A) (place : B' -> B) (P Q : A -> R) (K L : B -> R) :
  (forall a b, put a = put b -> a = b) -> zero_outside place K -> zero_outside place L ->
  shows_as_much (fun a => P (put a)) (fun a => Q (put a)) (fun b => K (place b)) (fun b => L (place b)) ->
  shows_as_much P Q K L.
Proof.
  intros Inj ZK ZL H F m HF N. destruct (pull_back place m N) as [m' [Nm [_ E]]]. rewrite (E K ZK), (E L ZL).
  destruct (H F m' HF Nm) as [s [Ns S]]. exists (map put s).
  split; [apply FinFun.Injective_map_NoDup; assumption | rewrite !total_map; exact S].
Qed.

Lemma shows_then {A} (P Q K L : A -> R) (P' Q' K' L' : list A -> R) :
  shows_as_much P Q K L -> shows_as_much P' Q' K' L' -> (forall a, 0 <= L a) ->
  (forall a, 0 <= P a) -> (forall a, 0 <= Q a) -> (forall a, 0 <= K' a) -> (forall a, 0 <= L' a) ->
  shows_as_much (then_all P (fun _ => P')) (then_all Q (fun _ => Q')) (then_all K (fun _ => K'))
    (then_all L (fun _ => L')).
Proof.
  intros H1 H2 HL HP HQ HK' HL'.
  assert (Z : forall (D : A -> R) D', zero_outside (fun x : A * list A => fst x :: snd x) (then_all D (fun _ => D'))).
  { intros D D' [| a l] No; [reflexivity |]. exfalso. apply (No (a, l)). reflexivity. }
  apply (shows_along (fun x : A * list A => fst x :: snd x) (fun x : A * list A => fst x :: snd x));
    [| apply Z | apply Z |].
  - intros [a u] [b v] E. injection E as -> ->. reflexivity.
  - apply (shows_transitive _ _ (pair_mass P K') (pair_mass Q L')).
    + apply (shows_second P' Q' K' L' P Q); assumption.
    + apply (shows_first P Q K L K' L'); assumption.
Qed.

(** ** Mixtures *)

Fixpoint product_law {A} (ds : list (A -> R)) : list A -> R :=
  match ds with
  | [] => nothing
  | d :: rest => then_all d (fun _ => product_law rest)
  end.

Section mixtures.

Context {A : Type}.

Definition drawn_pair : Type := R * ((A -> R) * (A -> R)).

Definition drawn (M : mechanism A) (l : list drawn_pair) : Prop :=
  (forall e, In e l -> 0 <= fst e /\ M (fst (snd e)) (snd (snd e)) /\
    (forall a, 0 <= fst (snd e) a) /\ (forall a, 0 <= snd (snd e) a)) /\
  total l fst = 1.

Definition first_drawn (l : list drawn_pair) (a : A) : R := total l (fun e => fst e * fst (snd e) a).
Definition second_drawn (l : list drawn_pair) (a : A) : R := total l (fun e => fst e * snd (snd e) a).

Definition stands_for (M : mechanism A) (K L : A -> R) : Prop :=
  exists l, drawn M l /\ shows_as_much (first_drawn l) (second_drawn l) K L.

Lemma drawn_itself (M : mechanism A) P Q :
  M P Q -> (forall a, 0 <= P a) -> (forall a, 0 <= Q a) -> stands_for M P Q.
Proof.
  intros H HP HQ. exists [(1, (P, Q))]. split.
  - split; [intros e [<- | []]; simpl; split; [lra | auto] | simpl; ring].
  - intros F m _ N. exists m. split; [exact N |]. unfold first_drawn, second_drawn. simpl.
    rewrite (total_ext m P (fun a => 1 * P a + 0)) by (intros; ring).
    rewrite (total_ext m Q (fun a => 1 * Q a + 0)) by (intros; ring). apply Rle_refl.
Qed.

Lemma product_law_nonneg (ds : list (A -> R)) : (forall d, In d ds -> forall a, 0 <= d a) ->
  forall l, 0 <= product_law ds l.
Proof.
  induction ds as [| d ds IH]; intros H [| a l]; simpl; try lra. apply Rmult_le_pos; [apply H; left; reflexivity |].
  apply IH. intros e I. apply H. right. exact I.
Qed.

(** All ways to choose one entry of each list, with their probabilities. *)
Fixpoint choices (ls : list (list drawn_pair)) : list (R * list ((A -> R) * (A -> R))) :=
  match ls with
  | [] => [(1, [])]
  | l :: rest => flat_map (fun e => map (fun c => (fst e * fst c, snd e :: snd c)) (choices rest)) l
  end.

Lemma total_flat_map {B C} (g : B -> list C) l f : total (flat_map g l) f = total l (fun b => total (g b) f).
Proof. induction l as [| b l IH]; simpl; [reflexivity |]. rewrite total_app, IH. reflexivity. Qed.

Lemma total_choices l ls f :
  total (choices (l :: ls)) f = total l (fun e => total (choices ls) (fun c => f (fst e * fst c, snd e :: snd c))).
Proof. cbn [choices]. rewrite total_flat_map. apply total_ext. intros e _. apply total_map. Qed.

Lemma product_of_mixtures (side : (A -> R) * (A -> R) -> A -> R) ls : forall answers,
  product_law (map (fun l a => total l (fun e => fst e * side (snd e) a)) ls) answers =
  total (choices ls) (fun c => fst c * product_law (map side (snd c)) answers).
Proof.
  induction ls as [| l ls IH]; intros answers; [simpl; ring |]. rewrite total_choices.
  destruct answers as [| a answers].
  - simpl. rewrite (total_ext l _ (fun _ => 0)), total_zero; [reflexivity |]. intros e _.
    rewrite (total_ext (choices ls) _ (fun _ => 0)), total_zero; [reflexivity |]. intros c _. ring.
  - transitivity (total l (fun e => fst e * side (snd e) a) *
      product_law (map (fun l a => total l (fun e => fst e * side (snd e) a)) ls) answers); [reflexivity |].
    rewrite IH, <- total_scal_r. apply total_ext. intros e _. rewrite <- total_scal. apply total_ext. intros c _.
    cbn [fst snd map product_law then_all]. ring.
Qed.

Lemma choices_played ms ls : Forall2 drawn ms ls ->
  total (choices ls) fst = 1 /\
  forall c, In c (choices ls) -> 0 <= fst c /\
    played ms (product_law (map fst (snd c))) (product_law (map snd (snd c))) /\
    (forall d, In d (map snd (snd c)) -> forall a, 0 <= d a).
Proof.
  induction 1 as [| M l ms ls [D T] _ [Sum All]].
  - split; [simpl; ring |]. intros c [<- | []]. simpl. split; [lra | split; [constructor | intros d []]].
  - split.
    + rewrite total_choices. cbn [fst]. rewrite (total_ext l _ fst); [exact T |]. intros e _.
      rewrite total_scal, Sum. ring.
    + intros c I. cbn [choices] in I. apply in_flat_map in I. destruct I as [e [Ie I]]. apply in_map_iff in I.
      destruct I as [c' [<- Ic]]. destruct (D e Ie) as [W [HM [HP HQ]]]. destruct (All c' Ic) as [W' [Pl Pos]].
      cbn [fst snd map].
      split; [apply Rmult_le_pos; assumption | split].
      * apply (played_next _ M ms); [apply Permutation_refl | exact HM | intros _; exact Pl].
      * intros d [<- | J]; [exact HQ | apply Pos, J].
Qed.

Lemma choices_below ms ls E delta : Forall2 drawn ms ls ->
  (forall P Q, played ms P Q -> (forall answers, 0 <= Q answers) -> mass_below P Q E delta) ->
  mass_below (product_law (map first_drawn ls)) (product_law (map second_drawn ls)) E delta.
Proof.
  intros D H m N. destruct (choices_played ms ls D) as [Sum All].
  rewrite (total_ext m (product_law (map first_drawn ls)) _ (fun a _ => product_of_mixtures fst ls a)).
  rewrite (total_ext m (product_law (map second_drawn ls)) _ (fun a _ => product_of_mixtures snd ls a)).
  rewrite (total_swap m), (total_swap m), <- total_scal.
  rewrite <- (Rmult_1_r delta), <- Sum, <- total_scal, <- total_plus. apply total_le. intros c I.
  destruct (All c I) as [W [Pl Pos]]. rewrite !total_scal.
  assert (B := H _ _ Pl (product_law_nonneg _ Pos) m N). apply (Rmult_le_compat_l (fst c)) in B; [| exact W]. lra.
Qed.

Theorem standing_below (rs : list (mechanism A * ((A -> R) * (A -> R)))) E delta :
  0 <= E ->
  (forall r, In r rs -> stands_for (fst r) (fst (snd r)) (snd (snd r)) /\
    (forall a, 0 <= fst (snd r) a) /\ (forall a, 0 <= snd (snd r) a)) ->
  (forall P Q, played (map fst rs) P Q -> (forall answers, 0 <= Q answers) -> mass_below P Q E delta) ->
  mass_below (product_law (map (fun r => fst (snd r)) rs)) (product_law (map (fun r => snd (snd r)) rs)) E delta.
Proof.
  intros HE H Below.
  enough (X : exists ls, Forall2 drawn (map fst rs) ls /\
    shows_as_much (product_law (map first_drawn ls)) (product_law (map second_drawn ls))
      (product_law (map (fun r => fst (snd r)) rs)) (product_law (map (fun r => snd (snd r)) rs))).
  { destruct X as [ls [D S]]. apply (shown_below _ _ _ _ E delta HE S), (choices_below (map fst rs)); assumption. }
  clear Below. induction rs as [| r rs IH].
  - exists []. split; [constructor | apply shows_itself].
  - destruct IH as [ls [D S]]; [intros s I; apply H; right; exact I |].
    destruct (H r (or_introl eq_refl)) as [[l [Dl Sl]] [HK HL]]. exists (l :: ls). split; [constructor; assumption |].
    assert (Pos : forall f, (forall s, In s rs -> forall a, 0 <= f s a) -> forall answers : list A, 0 <=
      product_law (map f rs) answers).
    { intros f Hf. apply product_law_nonneg. intros d I. apply in_map_iff in I. destruct I as [s [<- I]]. apply Hf, I. }
    apply (shows_then (first_drawn l) (second_drawn l) (fst (snd r)) (snd (snd r))); try assumption.
    + intros a. apply total_nonneg. intros e I. destruct (proj1 Dl e I) as [W [_ [HP _]]].
      apply Rmult_le_pos; [exact W | apply HP].
    + intros a. apply total_nonneg. intros e I. destruct (proj1 Dl e I) as [W [_ [_ HQ]]].
      apply Rmult_le_pos; [exact W | apply HQ].
    + apply (Pos (fun r => fst (snd r))). intros s I. apply H. right. exact I.
    + apply (Pos (fun r => snd (snd r))). intros s I. apply H. right. exact I.
Qed.

End mixtures.
