(** What a list of classes says of a pair of laws, beside a third one and a dummy.

    [describes_beside P Q D U classes]: as [describes] of described_pairs.v, of four masses of a message, of which the
      last
    one is that of the dummy U. The classes of independent messages, and of their dummies, are the products of those of
      the
    factors, number by number ([describes_product_beside]), in any order ([in_any_order_beside]); and users who take
      part
    with probability q, and else send the dummy, have the classes that q and 1 - q mix ([mixed_describes]).

    Idea: a product of masses is homogeneous in each of them, and so is what mixes two of them. Source: this package. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation.
From Exactdp Require Import reals sums laws hockey_stick events product_laws.
From Exactdp Require Import mean_excess hidden_message blanket classes least_values swap_vertices.
From ExactdpChecker Require Import blanket_program matrix_blanket described_pairs family_blanket family_rows.
From ExactdpChecker Require Import opaque_rationals.
From ExactdpChecker Require posed.
Import ListNotations.

(** ** The program *)

(** A class, with the mass of the dummy in it. *)
Definition beside : Type := (rational_class * Q)%type.

Definition beside_is_empty (k : beside) : bool := is_empty (fst k) && Qeq_bool (snd k) 0.

Definition beside_whole (k : beside) : Q := whole (fst k) + snd k.

Definition beside_in_proportion (k k' : beside) : bool :=
  Qeq_bool (snd k * under_reference (fst k')) (snd k' * under_reference (fst k)) &&  (* what most are told apart by *)
  let (w, w') := (beside_whole k, beside_whole k') in
  posed.positive w && posed.positive w' &&
  Qeq_bool (under_first (fst k) * w') (under_first (fst k') * w) &&
  Qeq_bool (under_second (fst k) * w') (under_second (fst k') * w) &&
  Qeq_bool (under_reference (fst k) * w') (under_reference (fst k') * w) &&
  Qeq_bool (snd k * w') (snd k' * w).

Definition added_beside (k k' : beside) : beside := (added_class (fst k) (fst k'), Qred (snd k + snd k')).

Fixpoint put_beside (k : beside) (classes : list beside) : list beside :=
  match classes with
  | [] => [k]
  | k' :: rest => if beside_in_proportion k k' then added_beside k k' :: rest else k' :: put_beside k rest
  end.

Definition merged_beside (classes : list beside) : list beside :=
  fold_right (fun k rest => if beside_is_empty k then rest else put_beside k rest) [] classes.

Definition product_beside (k k' : beside) : beside := (product_class (fst k) (fst k'), Qred (snd k * snd k')).

Definition products_beside (a b : list beside) : list beside :=
  merged_beside (flat_map (fun k => map (product_beside k) b) a).

Definition product_of_beside (lists : list (list beside)) : list beside :=
  fold_right products_beside [((1, 1, 1)%Q, 1%Q)] lists.

(** What is sent with probability q, and else the dummy. *)
Definition mixed_class (q : Q) (k : beside) : rational_class :=
  let rest := ((1 - q) * snd k)%Q in
  (Qred (q * under_first (fst k) + rest), Qred (q * under_second (fst k) + rest),
   Qred (q * under_reference (fst k) + rest))%Q.

Open Scope R_scope.

(** ** Homogeneous functions of four masses *)

Definition real_beside (k : beside) : class * R := (real_class (fst k), Q2R (snd k)).

Definition times_beside (c : R) (k : class * R) : class * R := (times c (fst k), c * snd k).

Definition homogeneous_beside (f : class * R -> R) : Prop := forall c k, 0 <= c -> f (times_beside c k) = c * f k.

Lemma homogeneous_beside_0 f : homogeneous_beside f -> f ((0, 0, 0), 0) = 0.
Proof.
  intros H. specialize (H 0 ((0, 0, 0), 0) ltac:(lra)). unfold times_beside, times, first_mass, second_mass,
    reference_mass in H.
  cbn [fst snd] in H. rewrite !Rmult_0_l in H. exact H.
Qed.

Definition four_masses {A} (P Q D U : dist A) (a : A) : class * R := (masses_at P Q D a, mass U a).

Definition describes_beside {A} (P Q D U : dist A) (classes : list beside) : Prop := forall l f,
  NoDup l -> covers l (P ++ Q ++ D ++ U) -> homogeneous_beside f ->
  total l (fun a => f (four_masses P Q D U a)) = total (map real_beside classes) f.

Lemma covers_parts {A} l (P Q D U : dist A) : covers l (P ++ Q ++ D ++ U) ->
  covers l P /\ covers l Q /\ covers l D /\ covers l U.
Proof. intros C. repeat split; intros wa I; apply C; rewrite !in_app_iff; tauto. Qed.

Lemma four_outside {A} l (P Q D U : dist A) a : covers l (P ++ Q ++ D ++ U) -> ~ In a l ->
  four_masses P Q D U a = ((0, 0, 0), 0).
Proof.
  intros C N. destruct (covers_parts l P Q D U C) as [CP [CQ [CD CU]]]. unfold four_masses, masses_at.
  rewrite (mass_outside P l a CP N), (mass_outside Q l a CQ N), (mass_outside D l a CD N), (mass_outside U l a CU N).
    reflexivity.
Qed.

(** On one list that covers all. *)
Lemma described_beside_on {A} (P Q D U : dist A) classes l : NoDup l -> covers l (P ++ Q ++ D ++ U) ->
  (forall f, homogeneous_beside f -> total l (fun a => f (four_masses P Q D U a)) = total (map real_beside classes) f)
    ->
  describes_beside P Q D U classes.
Proof.
  intros N C H m f M CM F. rewrite <- (H f F). set (both := nodup same (l ++ m)).
  assert (Longer : forall k, NoDup k -> covers k (P ++ Q ++ D ++ U) -> incl k (l ++ m) ->
    total both (fun a => f (four_masses P Q D U a)) = total k (fun a => f (four_masses P Q D U a))).
  { intros k K Ck I. apply total_longer; [exact K | apply NoDup_nodup | intros a J; apply nodup_In, I, J |].
    intros a J. rewrite (four_outside k P Q D U a Ck J). apply homogeneous_beside_0, F. }
  rewrite <- (Longer m M CM ltac:(apply incl_appr, incl_refl)). apply (Longer l N C). apply incl_appl, incl_refl.
Qed.

Definition four_outcomes {A} (P Q D U : dist A) : list A := nodup same (map snd (P ++ Q ++ D ++ U)).

Lemma four_outcomes_cover {A} (P Q D U : dist A) :
  NoDup (four_outcomes P Q D U) /\ covers (four_outcomes P Q D U) (P ++ Q ++ D ++ U).
Proof. split; [apply NoDup_nodup |]. intros wa I. apply nodup_In, in_map, I. Qed.

Lemma describes_beside_same_law {A} (P Q D U P' Q' D' U' : dist A) classes :
  same_law P P' -> same_law Q Q' -> same_law D D' -> same_law U U' ->
  describes_beside P Q D U classes -> describes_beside P' Q' D' U' classes.
Proof.
  intros SP SQ SD SU H. set (all := (P ++ Q ++ D ++ U) ++ (P' ++ Q' ++ D' ++ U')). set (l := nodup same (map snd all)).
  assert (C : forall d, incl d all -> covers l d) by (intros d I wa J; apply nodup_In, in_map, I, J).
  apply (described_beside_on _ _ _ _ _ l); [apply NoDup_nodup | apply C, incl_appr, incl_refl |].
  intros f F. rewrite <- (H l f); [| apply NoDup_nodup | apply C, incl_appl, incl_refl | exact F].
  apply total_ext. intros a _. unfold four_masses, masses_at.
  rewrite (same_mass _ _ a SP), (same_mass _ _ a SQ), (same_mass _ _ a SD), (same_mass _ _ a SU). reflexivity.
Qed.

(** ** How to describe *)

(** By densities against one measure, which depend on the kind of a message. *)
Lemma described_beside_by_kinds {A K} (P Q D U u : dist A) (kind : A -> K) (p q r s : K -> R) (kinds : list (K * R))
  classes :
  sub_law u ->
  (forall f, mean P f = mean u (fun a => p (kind a) * f a)) ->
  (forall f, mean Q f = mean u (fun a => q (kind a) * f a)) ->
  (forall f, mean D f = mean u (fun a => r (kind a) * f a)) ->
  (forall f, mean U f = mean u (fun a => s (kind a) * f a)) ->
  (forall kw, In kw kinds -> 0 <= snd kw) ->
  (forall f, mean u (fun a => f (kind a)) = total kinds (fun kw => snd kw * f (fst kw))) ->
  map real_beside classes = map (fun kw => times_beside (snd kw) ((p (fst kw), q (fst kw), r (fst kw)), s (fst kw)))
    kinds ->
  describes_beside P Q D U classes.
Proof.
  intros Su DP DQ DD DU W Ks L. set (l := nodup same (map snd ((P ++ Q ++ D ++ U) ++ u))).
  assert (C : forall d, incl d ((P ++ Q ++ D ++ U) ++ u) -> covers l d) by (intros d I wa J; apply nodup_In, in_map, I,
    J).
  apply (described_beside_on _ _ _ _ _ l); [apply NoDup_nodup | apply C, incl_appl, incl_refl |].
  intros f F. rewrite L, total_map.
  transitivity (mean u (fun a => (fun k => f ((p k, q k, r k), s k)) (kind a))).
  - rewrite (mean_masses u l) by (try apply NoDup_nodup; apply C, incl_appr, incl_refl).
    apply total_ext. intros a _. unfold four_masses, masses_at.
    rewrite (mass_density P u _ DP a), (mass_density Q u _ DQ a), (mass_density D u _ DD a), (mass_density U u _ DU a).
    assert (M : 0 <= mass u a)
      by (apply total_nonneg; intros wa I; apply Rmult_le_pos; [apply Su, I | apply indicator_bounds]).
    rewrite <- (F _ _ M). unfold times_beside, times, first_mass, second_mass, reference_mass. cbn [fst snd].
    f_equal. f_equal; [f_equal; [f_equal |] |]; ring.
  - rewrite (Ks (fun k => f ((p k, q k, r k), s k))). apply total_ext. intros [k w] I. cbn [fst snd].
    symmetry. apply F, (W _ I).
Qed.

(** Of listed probabilities, each outcome a class of its own. *)
Lemma described_beside_listed {A} (P Q D U : dist A) l (p q r s : A -> QArith_base.Q) :
  NoDup l -> covers l (P ++ Q ++ D ++ U) ->
  (forall a, In a l -> mass P a = Q2R (p a) /\ mass Q a = Q2R (q a) /\ mass D a = Q2R (r a) /\ mass U a = Q2R (s a)) ->
  describes_beside P Q D U (map (fun a => ((p a, q a, r a), s a)) l).
Proof.
  intros N C H. apply (described_beside_on _ _ _ _ _ l); try assumption. intros f _. rewrite map_map, total_map.
  apply total_ext. intros a I. unfold four_masses, masses_at. destruct (H a I) as [E1 [E2 [E3 E4]]].
  rewrite E1, E2, E3, E4. reflexivity.
Qed.

Lemma each_renamed_app {A B} (h : A -> B) (P Q : dist A) : dmap h (P ++ Q) = dmap h P ++ dmap h Q.
Proof. unfold dmap, bind. apply flat_map_app. Qed.

Lemma describes_beside_renamed {A B} (h : A -> B) (P Q D U : dist A) classes : (forall a b, h a = h b -> a = b) ->
  describes_beside P Q D U classes -> describes_beside (dmap h P) (dmap h Q) (dmap h D) (dmap h U) classes.
Proof.
  intros I H. destruct (four_outcomes_cover P Q D U) as [N C].
  apply (described_beside_on _ _ _ _ _ (map h (four_outcomes P Q D U))).
  - apply FinFun.Injective_map_NoDup; [exact I | exact N].
  - rewrite <- !each_renamed_app. apply covers_renamed, C.
  - intros f F. rewrite total_map, <- (H _ f N C F). apply total_ext. intros a _. unfold four_masses, masses_at.
    rewrite !mass_renamed by exact I. reflexivity.
Qed.

(** ** What is mixed *)

Lemma mixed_real q k : real_class (mixed_class q k) =
  (fun k : class * R => (Q2R q * first_mass (fst k) + (1 - Q2R q) * snd k, Q2R q * second_mass (fst k) + (1 - Q2R q) *
    snd k,
    Q2R q * reference_mass (fst k) + (1 - Q2R q) * snd k)) (real_beside k).
Proof.
  unfold real_class, mixed_class, real_beside, under_first, under_second, under_reference, first_mass, second_mass,
    reference_mass.
  cbn [fst snd]. rewrite !Q2R_red, !Q2R_plus, !Q2R_mult, !Q2R_minus, Q2R_1. reflexivity.
Qed.

Theorem mixed_describes {A} q (P Q D U P' Q' D' : dist A) classes :
  (forall f, mean P' f = Q2R q * mean P f + (1 - Q2R q) * mean U f) ->
  (forall f, mean Q' f = Q2R q * mean Q f + (1 - Q2R q) * mean U f) ->
  (forall f, mean D' f = Q2R q * mean D f + (1 - Q2R q) * mean U f) ->
  describes_beside P Q D U classes -> describes P' Q' D' (map (mixed_class q) classes).
Proof.
  intros HP HQ HD H. set (all := (P ++ Q ++ D ++ U) ++ (P' ++ Q' ++ D')). set (l := nodup same (map snd all)).
  assert (C : forall d, incl d all -> covers l d) by (intros d I wa J; apply nodup_In, in_map, I, J).
  assert (N : NoDup l) by apply NoDup_nodup.
  apply (described_on _ _ _ _ l); [exact N | | | |]; try (apply C; intros wa I; unfold all; rewrite !in_app_iff; tauto).
  intros f F. rewrite map_map, total_map.
  set (g := fun k : class * R => f (Q2R q * first_mass (fst k) + (1 - Q2R q) * snd k, Q2R q * second_mass (fst k) + (1
    - Q2R q) * snd k,
    Q2R q * reference_mass (fst k) + (1 - Q2R q) * snd k)).
  transitivity (total (map real_beside classes) g).
  - rewrite <- (H l g N ltac:(apply C, incl_appl, incl_refl)).
    + apply total_ext. intros a _. unfold g, four_masses, masses_at, first_mass, second_mass, reference_mass. cbn [fst
        snd].
      unfold mass, Pr. rewrite HP, HQ, HD. reflexivity.
    + intros c k Hc. unfold g. rewrite <- (F c _ Hc).
      unfold times_beside, times, first_mass, second_mass, reference_mass. cbn [fst snd]. f_equal. f_equal; [f_equal
        |]; ring.
  - rewrite total_map. apply total_ext. intros k _. unfold g. rewrite mixed_real. reflexivity.
Qed.

(** ** Products *)

Definition by_beside (k k' : class * R) : class * R := (by_class (fst k) (fst k'), snd k * snd k').

Lemma real_product_beside k k' : real_beside (product_beside k k') = by_beside (real_beside k) (real_beside k').
Proof. unfold real_beside, product_beside, by_beside. cbn [fst snd]. rewrite real_product, Q2R_red, Q2R_mult.
  reflexivity. Qed.

Lemma homogeneous_beside_left f k' : homogeneous_beside f -> homogeneous_beside (fun k => f (by_beside k k')).
Proof.
  intros F c k C. rewrite <- (F c _ C). f_equal. unfold by_beside, by_class, times_beside, times, first_mass,
    second_mass, reference_mass.
  cbn [fst snd]. f_equal; [f_equal; [f_equal |] |]; ring.
Qed.

Lemma homogeneous_beside_right f k : homogeneous_beside f -> homogeneous_beside (fun k' => f (by_beside k k')).
Proof.
  intros F c k' C. rewrite <- (F c _ C). f_equal. unfold by_beside, by_class, times_beside, times, first_mass,
    second_mass, reference_mass.
  cbn [fst snd]. f_equal; [f_equal; [f_equal |] |]; ring.
Qed.

Lemma add_beside_in_proportion f k k' : homogeneous_beside f -> beside_in_proportion k k' = true ->
  f (real_beside (added_beside k k')) = f (real_beside k) + f (real_beside k').
Proof.
  intros F H. unfold beside_in_proportion in H. rewrite !andb_true_iff in H.
  destruct H as [_ [[[[[W W'] E1] E2] E3] E4]]. apply posed.positive_sound, Qlt_Rlt in W, W'. rewrite Q2R_0 in W, W'.
  apply Qeq_bool_R in E1, E2, E3, E4. rewrite !Q2R_mult in E1, E2, E3, E4.
  set (w := Q2R (beside_whole k)) in *. set (w' := Q2R (beside_whole k')) in *.
  set (c := w / w'). assert (C : 0 <= c) by (left; apply Rdiv_lt_0_compat; assumption).
  assert (K : real_beside k = times_beside c (real_beside k')).
  { unfold real_beside, times_beside, real_class, times, first_mass, second_mass, reference_mass, c. cbn [fst snd].
    f_equal; [f_equal; [f_equal |] |]; apply Rmult_eq_reg_r with w'; try lra; [rewrite E1 | rewrite E2 | rewrite E3 |
      rewrite E4]; field; lra. }
  assert (S : real_beside (added_beside k k') = times_beside (c + 1) (real_beside k')).
  { transitivity ((first_mass (fst (real_beside k)) + first_mass (fst (real_beside k')),
        second_mass (fst (real_beside k)) + second_mass (fst (real_beside k')),
        reference_mass (fst (real_beside k)) + reference_mass (fst (real_beside k'))), snd (real_beside k) + snd
          (real_beside k')).
    - unfold real_beside, added_beside, real_class, added_class, first_mass, second_mass, reference_mass, under_first,
        under_second,
        under_reference. cbn [fst snd]. rewrite !Q2R_red, !Q2R_plus. reflexivity.
    - rewrite K. unfold times_beside, times, first_mass, second_mass, reference_mass. cbn [fst snd].
      repeat apply f_equal2; ring. }
  rewrite S, K, !F by lra. ring.
Qed.

Lemma total_put_beside f k classes : homogeneous_beside f ->
  total (map real_beside (put_beside k classes)) f = f (real_beside k) + total (map real_beside classes) f.
Proof.
  intros F. induction classes as [| k' rest IH]; [reflexivity |]. cbn [put_beside]. destruct (beside_in_proportion k
    k') eqn:E.
  - cbn [map total]. rewrite (add_beside_in_proportion f k k' F E). ring.
  - cbn [map total]. rewrite IH. ring.
Qed.

Lemma total_merged_beside f classes : homogeneous_beside f ->
  total (map real_beside (merged_beside classes)) f = total (map real_beside classes) f.
Proof.
  intros F. induction classes as [| k rest IH]; [reflexivity |]. cbn [merged_beside fold_right].
  fold (merged_beside rest). cbn [map total]. destruct (beside_is_empty k) eqn:E.
  - rewrite IH. unfold beside_is_empty, is_empty in E. rewrite !andb_true_iff in E. destruct E as [[[E1 E2] E3] E4].
    apply Qeq_bool_R in E1, E2, E3, E4. rewrite Q2R_0 in E1, E2, E3, E4.
    assert (K : real_beside k = ((0, 0, 0), 0)) by (unfold real_beside, real_class; rewrite E1, E2, E3, E4;
      reflexivity).
    rewrite K, (homogeneous_beside_0 f F). ring.
  - rewrite total_put_beside, IH by exact F. reflexivity.
Qed.

Lemma total_products_beside f a b : homogeneous_beside f ->
  total (map real_beside (products_beside a b)) f =
  total (map real_beside a) (fun k => total (map real_beside b) (fun k' => f (by_beside k k'))).
Proof.
  intros F. unfold products_beside. rewrite total_merged_beside by exact F. rewrite total_map, total_flat_map,
    total_map.
  apply total_ext. intros k _. rewrite !total_map. apply total_ext. intros k' _. rewrite real_product_beside.
    reflexivity.
Qed.

(** The same sums of homogeneous functions. *)
Definition alike_beside (a b : list beside) : Prop := forall f, homogeneous_beside f ->
  total (map real_beside a) f = total (map real_beside b) f.

Lemma alike_describes_beside {A} (P Q D U : dist A) a b : alike_beside a b ->
  describes_beside P Q D U a -> describes_beside P Q D U b.
Proof. intros S H l f N C F. rewrite <- (S f F). apply H; assumption. Qed.

Lemma in_any_order_beside l m : Permutation l m -> alike_beside (product_of_beside l) (product_of_beside m).
Proof.
  induction 1 as [| a l m _ IH | a b l | l m k _ IH1 _ IH2]; intros f F; [reflexivity | | |].
  - cbn [product_of_beside fold_right]. fold (product_of_beside l) (product_of_beside m). rewrite
      !total_products_beside by exact F.
    apply total_ext. intros k _. apply IH, homogeneous_beside_right, F.
  - cbn [product_of_beside fold_right]. fold (product_of_beside l). rewrite !total_products_beside by exact F.
    rewrite (total_ext (map real_beside b) _ (fun k => total (map real_beside a) (fun k' => total (map real_beside
      (product_of_beside l))
      (fun k'' => f (by_beside k (by_beside k' k''))))))
      by (intros k _; apply (total_products_beside _ a _ (homogeneous_beside_right f k F))).
    rewrite (total_ext (map real_beside a) _ (fun k => total (map real_beside b) (fun k' => total (map real_beside
      (product_of_beside l))
      (fun k'' => f (by_beside k (by_beside k' k''))))))
      by (intros k _; apply (total_products_beside _ b _ (homogeneous_beside_right f k F))).
    rewrite total_swap. apply total_ext. intros k _. apply total_ext. intros k' _. apply total_ext. intros k'' _.
    f_equal. unfold by_beside, by_class, first_mass, second_mass, reference_mass. cbn [fst snd].
    f_equal; [f_equal; [f_equal |] |]; ring.
  - rewrite (IH1 f F). apply IH2, F.
Qed.

Local Notation independent := hockey_stick.independent.

Lemma describes_product_beside {A B} (P Q D U : dist A) (P' Q' D' U' : dist B) a b :
  describes_beside P Q D U a -> describes_beside P' Q' D' U' b ->
  describes_beside (independent P P') (independent Q Q') (independent D D') (independent U U') (products_beside a b).
Proof.
  intros H H'. destruct (four_outcomes_cover P Q D U) as [N C]. destruct (four_outcomes_cover P' Q' D' U') as [N' C'].
  destruct (covers_parts _ _ _ _ _ C) as [CP [CQ [CD CU]]]. destruct (covers_parts _ _ _ _ _ C') as [CP' [CQ' [CD'
    CU']]].
  apply (described_beside_on _ _ _ _ _ (list_prod (four_outcomes P Q D U) (four_outcomes P' Q' D' U'))).
  - apply box_without_repetitions; assumption.
  - intros wa I. rewrite !in_app_iff in I. destruct I as [I | [I | [I | I]]]; revert wa I; apply covers_independent;
      assumption.
  - intros f F. rewrite total_prod, total_products_beside by exact F.
    rewrite <- (H _ (fun k => total (map real_beside b) (fun k' => f (by_beside k k'))) N C).
    + apply total_ext. intros x _. rewrite <- (H' _ _ N' C' (homogeneous_beside_right f _ F)). apply total_ext. intros
        y _.
      unfold four_masses, masses_at, by_beside, by_class, first_mass, second_mass, reference_mass. cbn [fst snd].
      rewrite !mass_of_pair. reflexivity.
    + intros c k Hc. rewrite <- total_scal. apply total_ext. intros k' _. apply (homogeneous_beside_left f k' F c k Hc).
Qed.
