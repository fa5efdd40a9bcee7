(** Rows that are mixtures of other rows need not be looked at.

    The row of an input is what the shuffler lets through of its messages (equal_rows.v). It is a mixture of the
    rows of a set V of inputs if it is what comes from drawing one of V at random and running the randomizer on
    that. Let the row of every input be a mixture of rows of V, and of rows of B as well. Then, for every number of
    users, every real E and delta, records of any type and any number of messages per user:

    - all neighbouring data sets of n users are (E, delta)-below each other if and only if those are in which the
      user who differs holds inputs of V and all others hold inputs of B ([mixtures_dropped]);
    - for the others it is enough that rows are mixtures after fixed messages of each input are taken away
      ([moved_mixtures_dropped]; rows that differ by fixed messages are moved_row of moved_bystanders.v); and the
      same where a user is added or removed ([moved_mixtures_dropped_add_or_remove]);
    - rows may be dropped one at a time: if each dropped row is a mixture of those that are left when it is
      dropped, then every row is a mixture of those that are left in the end ([dropped_one_at_a_time]). Of two
      equal rows one stays: each is a mixture of the other, and both together must not be dropped;
    - the first and the third in the words of privacy.v, for one set of inputs ([dropped_shuffle_dp]).

    Idea: the probability of an event is affine in the row of every single user, so that a pair of data sets is an
    average of pairs with inputs of V and B.

    The class Structure of exactdp/engines/structure.py rests on it. Source: this package (folklore). *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user equal_rows moved_bystanders.
Import ListNotations.
Open Scope R_scope.

(** The row of x is an average of the rows of inputs in V. *)
Definition row_mixture {X M} (R : X -> dist (list M)) (V : X -> Prop) (x : X) : Prop :=
  exists W : dist X, proper W /\ (forall wa, In wa W -> V (snd wa)) /\ same_row (R x) (bind W R).

(** An average of inequalities, which only have to hold for what may be drawn. *)
Lemma average_below {B} (W : dist B) (p q : B -> R) E delta :
  proper W -> (forall wa, In wa W -> p (snd wa) <= E * q (snd wa) + delta) ->
  mean W p <= E * mean W q + delta.
Proof.
  intros HW H. rewrite <- mean_scal, <- (mean_const W delta HW) at 1. rewrite <- mean_plus.
  apply total_le. intros wa I. apply Rmult_le_compat_l; [apply (proj1 HW), I | apply H, I].
Qed.

(** A user with a mixture is, on average, one with the inputs of which it is a mixture. *)
Lemma mixed_user {X M} (R : X -> dist (list M)) W x zs T :
  same_row (R x) (bind W R) -> symmetric T ->
  Pr (messages R (x :: zs)) T = mean W (fun v => Pr (messages R (v :: zs)) T).
Proof.
  intros H S. unfold Pr. rewrite mean_messages_first.
  rewrite (H (fun mine => mean (messages R zs) (fun others => indicator T (mine ++ others)))).
  - rewrite mean_bind. apply mean_ext. intros v. symmetry. apply mean_messages_first.
  - apply orderless_mean_others, orderless_indicator, S.
Qed.

Lemma mixed_bystander {X M} (R : X -> dist (list M)) (B : X -> Prop) z xs ys E delta :
  row_mixture R B z -> (forall v, B v -> shuffle_below R (v :: xs) (v :: ys) E delta) ->
  shuffle_below R (z :: xs) (z :: ys) E delta.
Proof.
  intros [W [PW [IW HW]]] H T S. rewrite !(mixed_user R W z _ T HW S).
  apply average_below; [exact PW |]. intros wa I. apply H; [apply IW, I | exact S].
Qed.

Lemma mixed_difference {X M} (R : X -> dist (list M)) (V : X -> Prop) x y zs E delta :
  row_mixture R V x -> row_mixture R V y ->
  (forall v w, V v -> V w -> shuffle_below R (v :: zs) (w :: zs) E delta) ->
  shuffle_below R (x :: zs) (y :: zs) E delta.
Proof.
  intros [W [PW [IW HW]]] [U [PU [IU HU]]] H T S.
  rewrite (mixed_user R W x zs T HW S), (mixed_user R U y zs T HU S).
  set (q := mean U (fun w => Pr (messages R (w :: zs)) T)).
  rewrite <- (mean_const W q PW). apply (average_below W _ (fun _ => q)); [exact PW |].
  intros wa I. unfold q. rewrite <- (mean_const U (Pr (messages R (snd wa :: zs)) T) PU).
  apply (average_below U (fun _ => Pr (messages R (snd wa :: zs)) T)); [exact PU |].
  intros ub J. apply H; [apply IW, I | apply IU, J | exact S].
Qed.

(** The others one by one: zs are still to be replaced, us are already inputs of B. *)
Lemma mixed_bystanders {X M} (R : X -> dist (list M)) (B : X -> Prop) ends ends' E delta zs us :
  Forall (row_mixture R B) zs -> Forall B us ->
  (forall vs, Forall B vs -> length vs = (length zs + length us)%nat ->
   shuffle_below R (vs ++ ends) (vs ++ ends') E delta) ->
  shuffle_below R (zs ++ us ++ ends) (zs ++ us ++ ends') E delta.
Proof.
  intros HB. revert us. induction HB as [| z zs Hz _ IH]; intros us BU H; [apply H; [exact BU | reflexivity] |].
  apply (mixed_bystander R B z (zs ++ us ++ ends) (zs ++ us ++ ends')); [exact Hz |]. intros v Bv.
  apply (shuffle_below_permutation R _ _ (zs ++ (v :: us) ++ ends) (zs ++ (v :: us) ++ ends')).
  - simpl. apply Permutation_middle.
  - simpl. apply Permutation_middle.
  - apply IH; [constructor; assumption |]. intros vs BV L. apply H; [exact BV |]. simpl in *. lia.
Qed.

(** ** With fixed messages moved away *)

(** The bystanders of a pair, up to fixed messages of each. *)
Lemma moved_mixtures {X M} (R base : X -> dist (list M)) (B : X -> Prop) ends ends' zs E delta :
  (forall z, moved_row (R z) (base z)) -> (forall z, row_mixture base B z) ->
  (forall vs, Forall B vs -> length vs = length zs -> shuffle_below R (vs ++ ends) (vs ++ ends') E delta) ->
  shuffle_below R (zs ++ ends) (zs ++ ends') E delta.
Proof.
  intros HM HB H. pose (R2 := fun u : X + X => match u with inl x => R x | inr x => base x end).
  assert (Left : forall us vs, shuffle_below R us vs E delta <-> shuffle_below R2 (map inl us) (map inl vs) E delta).
  { assert (Q : forall us, messages R2 (map inl us) = messages R us).
    { induction us as [| u us IH]; [reflexivity |]. simpl. rewrite IH. reflexivity. }
    intros us vs. unfold shuffle_below. rewrite !Q. reflexivity. }
  assert (Moved : forall us, Forall2 (fun z u => moved_row (R2 z) (R2 u)) (map inl us) (map inr us) /\
                             Forall2 (fun z u => moved_row (R2 z) (R2 u)) (map inr us) (map inl us)).
  { induction us as [| u us [I1 I2]]; simpl; split; constructor; auto; [| apply moved_row_sym]; apply HM. }
  apply Left. rewrite !map_app. apply (moved_bystanders R2 _ _ _ _ E delta (proj1 (Moved zs))).
  rewrite <- (app_nil_l (map inl ends)), <- (app_nil_l (map inl ends')).
  apply (mixed_bystanders R2 (fun u => match u with inl _ => False | inr x => B x end)); [| constructor |].
  - apply Forall_map, Forall_forall. intros z _. destruct (HB z) as [W [PW [IW HW]]].
    exists (dmap inr W). split; [apply proper_dmap, PW | split].
    + intros wa J. unfold dmap, bind in J. apply in_flat_map in J. destruct J as [vb [J K]].
      destruct K as [<- | []]. simpl. apply IW, J.
    + intros f F. change (mean (base z) f = mean (bind (dmap inr W) R2) f).
      rewrite (HW f F), !mean_bind, mean_dmap. reflexivity.
  - intros us BU L. rewrite map_length in L.
    assert (K : exists vs, us = map inr vs /\ Forall B vs).
    { clear L. induction BU as [| [u | u] us Bu _ [vs [-> BV]]]; [exists []; auto | destruct Bu |].
      exists (u :: vs). split; [reflexivity | constructor; assumption]. }
    destruct K as [vs [-> BV]]. rewrite map_length in L.
    apply (moved_bystanders R2 _ _ _ _ E delta (proj2 (Moved vs))). rewrite <- !map_app. apply Left.
    apply H; [exact BV |]. simpl in L. lia.
Qed.

Lemma moved_row_itself {X M} (R : X -> dist (list M)) z : moved_row (R z) (R z).
Proof. apply moved_row_of_same, same_row_refl. Qed.

Theorem moved_mixtures_dropped {X M} (R base : X -> dist (list M)) (V B : X -> Prop) n E delta :
  (forall x, row_mixture R V x) -> (forall z, moved_row (R z) (base z)) -> (forall z, row_mixture base B z) ->
  (forall xs ys, neighbors xs ys -> length xs = n -> shuffle_below R xs ys E delta) <->
  (forall x y zs, V x -> V y -> Forall B zs -> S (length zs) = n ->
   shuffle_below R (x :: zs) (y :: zs) E delta).
Proof.
  intros HV HM HB. split; intros H.
  - intros x y zs _ _ _ L. apply H; [apply (replace_one []) | exact L].
  - intros xs ys N L. destruct (replaced_first xs ys N) as [zs [x [y [PX [PY LZ]]]]].
    assert (LX := Permutation_length PX). simpl in LX.
    apply (shuffle_below_permutation R _ _ (zs ++ [x]) (zs ++ [y]));
      [rewrite PX; apply Permutation_cons_append | rewrite PY; apply Permutation_cons_append |].
    apply (moved_mixtures R base B); [exact HM | exact HB |]. intros vs BV LV.
    apply (shuffle_below_permutation R _ _ (x :: vs) (y :: vs));
      try (symmetry; apply Permutation_cons_append).
    apply (mixed_difference R V); try apply HV. intros v w Vv Vw. apply H; try assumption. lia.
Qed.

Theorem mixtures_dropped {X M} (R : X -> dist (list M)) (V B : X -> Prop) n E delta :
  (forall x, row_mixture R V x) -> (forall x, row_mixture R B x) ->
  (forall xs ys, neighbors xs ys -> length xs = n -> shuffle_below R xs ys E delta) <->
  (forall x y zs, V x -> V y -> Forall B zs -> S (length zs) = n ->
   shuffle_below R (x :: zs) (y :: zs) E delta).
Proof. intros HV HB. apply (moved_mixtures_dropped R R V B); auto using moved_row_itself. Qed.

Theorem moved_mixtures_dropped_add_or_remove {X M} (R base : X -> dist (list M)) (V B : X -> Prop) n E delta :
  (forall x, row_mixture R V x) -> (forall z, moved_row (R z) (base z)) -> (forall z, row_mixture base B z) ->
  add_or_remove_below n R E delta <->
  (forall x zs, V x -> Forall B zs -> S (length zs) = n ->
   shuffle_below R (x :: zs) zs E delta /\ shuffle_below R zs (x :: zs) E delta).
Proof.
  intros HV HM HB. split; intros H.
  - intros x zs _ _ L. apply (H (x :: zs) x zs); [reflexivity | exact L].
  - intros xs x zs P L. assert (LX := Permutation_length P). simpl in LX.
    assert (Q : Permutation xs (zs ++ [x])) by (rewrite P; apply Permutation_cons_append).
    assert (Z : Permutation zs (zs ++ [])) by (rewrite app_nil_r; reflexivity).
    destruct (HV x) as [W [PW [IW HW]]].
    assert (Both : forall vs, Forall B vs -> length vs = length zs ->
      shuffle_below R (vs ++ [x]) (vs ++ []) E delta /\ shuffle_below R (vs ++ []) (vs ++ [x]) E delta).
    { intros vs BV LV. rewrite app_nil_r.
      assert (K : forall v, V v -> shuffle_below R (v :: vs) vs E delta /\ shuffle_below R vs (v :: vs) E delta)
        by (intros v Vv; apply H; [exact Vv | exact BV | lia]).
      assert (D : Permutation (vs ++ [x]) (x :: vs)) by (symmetry; apply Permutation_cons_append). split.
      - apply (shuffle_below_permutation R _ _ _ _ E delta D (Permutation_refl vs)). intros T S.
        rewrite (mixed_user R W x vs T HW S), <- (mean_const W (Pr (messages R vs) T) PW).
        apply (average_below W _ (fun _ => Pr (messages R vs) T)); [exact PW |].
        intros wa J. apply (K (snd wa)); [apply IW, J | exact S].
      - apply (shuffle_below_permutation R _ _ _ _ E delta (Permutation_refl vs) D). intros T S.
        rewrite (mixed_user R W x vs T HW S), <- (mean_const W (Pr (messages R vs) T) PW).
        apply (average_below W (fun _ => Pr (messages R vs) T)); [exact PW |].
        intros wa J. apply (K (snd wa)); [apply IW, J | exact S]. }
    split.
    + apply (shuffle_below_permutation R _ _ _ _ E delta Q Z), (moved_mixtures R base B); auto.
      intros vs BV LV. apply Both; assumption.
    + apply (shuffle_below_permutation R _ _ _ _ E delta Z Q), (moved_mixtures R base B); auto.
      intros vs BV LV. apply Both; assumption.
Qed.

(** ** One at a time *)

(** The inputs that are left when rows are dropped one at a time. *)
Inductive left_after_drops {X M} (R : X -> dist (list M)) : (X -> Prop) -> Prop :=
  | none_dropped : left_after_drops R (fun _ => True)
  | one_dropped V u : left_after_drops R V -> row_mixture R (fun v => V v /\ v <> u) u ->
      left_after_drops R (fun v => V v /\ v <> u).

Lemma row_mixture_itself {X M} (R : X -> dist (list M)) (V : X -> Prop) x : V x -> row_mixture R V x.
Proof.
  intros H. exists (ret x). split; [apply proper_ret |]. split.
  - intros wa [<- | []]. exact H.
  - intros f _. rewrite mean_bind, mean_ret. reflexivity.
Qed.

(** A mixture of mixtures is one. *)
Lemma row_mixture_trans {X M} (R : X -> dist (list M)) (V V' : X -> Prop) x :
  row_mixture R V x -> (forall v, V v -> row_mixture R V' v) -> row_mixture R V' x.
Proof.
  intros [W [PW [IW HW]]] H.
  assert (G : forall U : dist X, (forall wa, In wa U -> 0 <= fst wa /\ V (snd wa)) -> exists K : dist X,
    (forall wa, In wa K -> 0 <= fst wa /\ V' (snd wa)) /\ mean K (fun _ => 1) = mean U (fun _ => 1) /\
    same_row (bind U R) (bind K R)).
  { induction U as [| [w v] U IH]; intros IU.
    - exists []. split; [intros wa [] | split; [reflexivity | intros f _; reflexivity]].
    - destruct IH as [K [HK [MK SK]]]; [intros wa I; apply IU; right; exact I |].
      destruct (IU (w, v) (or_introl eq_refl)) as [Pw Vv]. simpl in Pw, Vv.
      destruct (H v Vv) as [D [PD [ID HD]]]. set (scaled := map (fun wa => (w * fst wa, snd wa)) D).
      assert (Split : forall f, mean (scaled ++ K) f = w * mean D f + mean K f).
      { intros f. unfold mean, scaled. rewrite total_app, total_map, <- total_scal. f_equal.
        apply total_ext. intros. simpl. ring. }
      exists (scaled ++ K). split; [| split].
      + intros wa I. apply in_app_or in I. destruct I as [I | I]; [| apply HK, I].
        apply in_map_iff in I. destruct I as [ub [<- I]]. simpl.
        split; [apply Rmult_le_pos; [exact Pw | apply (proj1 PD), I] | apply ID, I].
      + rewrite Split, MK, (proj2 PD). unfold mean. simpl. ring.
      + intros f F. specialize (SK f F). specialize (HD f F). rewrite !mean_bind in *.
        rewrite Split, <- HD, <- SK. reflexivity. }
  destruct (G W) as [K [PK [MK SK]]].
  { intros wa I. split; [apply (proj1 PW), I | apply IW, I]. }
  exists K. split; [| split].
  - split; [intros wa I; apply PK, I | rewrite MK; apply PW].
  - intros wa I. apply PK, I.
  - apply (same_row_trans _ _ _ HW SK).
Qed.

Theorem dropped_one_at_a_time {X M} (R : X -> dist (list M)) V :
  left_after_drops R V -> forall x, row_mixture R V x.
Proof.
  induction 1 as [| V u H IH D]; intros x; [apply row_mixture_itself, I |].
  apply (row_mixture_trans R V); [apply IH |]. intros v Vv.
  destruct (decide (v = u)) as [-> | N]; [exact D | apply row_mixture_itself; auto].
Qed.

Theorem dropped_shuffle_dp {X M} (R : X -> dist (list M)) V n eps delta :
  left_after_drops R V ->
  shuffle_dp n R eps delta <->
  (forall x y zs, V x -> V y -> Forall V zs -> S (length zs) = n ->
   shuffle_below R (x :: zs) (y :: zs) (exp eps) delta).
Proof.
  intros H. assert (D := dropped_one_at_a_time R V H).
  rewrite shuffle_dp_iff_pairs. apply (mixtures_dropped R V V n (exp eps) delta D D).
Qed.
