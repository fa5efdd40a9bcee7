(** What a list of classes says of a pair of laws, beside a third one.

    [describes P Q D classes]: every function of the three masses of a message that is homogeneous of degree 1 has the
    same sum over all messages as over the classes. So the classes tell the values of P and Q against D, what D never
    sends, and the mass of D ([described_values], [described_uncovered], [described_weight]); and what holds of the
    factors holds of independent messages, whose classes are the products of theirs, number by number
    ([describes_product]), in any order ([in_any_order]), with classes in proportion made one ([describes_merged]).

    Idea: a product of masses is homogeneous in each of them. Source: this package. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation.
From Exactdp Require Import reals sums laws hockey_stick events product_laws.
From Exactdp Require Import mean_excess hidden_message blanket classes least_values tilted_program swap_vertices.
From ExactdpChecker Require Import blanket_program matrix_blanket.
From ExactdpChecker Require Import opaque_rationals.
From ExactdpChecker Require posed.
Import ListNotations.
Open Scope R_scope.

(** ** Homogeneous functions of three masses *)

Definition times (c : R) (k : class) : class := (c * first_mass k, c * second_mass k, c * reference_mass k).

Definition homogeneous (f : class -> R) : Prop := forall c k, 0 <= c -> f (times c k) = c * f k.

Lemma homogeneous_0 f : homogeneous f -> f (0, 0, 0) = 0.
Proof.
  intros H. specialize (H 0 (0, 0, 0) ltac:(lra)). unfold times, first_mass, second_mass, reference_mass in H.
  cbn [fst snd] in H. rewrite !Rmult_0_l in H. exact H.
Qed.

Definition masses_at {A} (P Q D : dist A) (a : A) : class := (mass P a, mass Q a, mass D a).

Definition describes {A} (P Q D : dist A) (classes : list rational_class) : Prop := forall l f,
  NoDup l -> covers l P -> covers l Q -> covers l D -> homogeneous f ->
  total l (fun a => f (masses_at P Q D a)) = total (map real_class classes) f.

(** On one list that covers all. *)
Lemma described_on {A} (P Q D : dist A) classes l :
  NoDup l -> covers l P -> covers l Q -> covers l D ->
  (forall f, homogeneous f -> total l (fun a => f (masses_at P Q D a)) = total (map real_class classes) f) ->
  describes P Q D classes.
Proof.
  intros N CP CQ CD H m f M MP MQ MD F. rewrite <- (H f F).
  assert (Longer : forall u, NoDup u -> covers u P -> covers u Q -> covers u D ->
    total (nodup same (l ++ m)) (fun a => f (masses_at P Q D a)) = total u (fun a => f (masses_at P Q D a)) \/ ~ incl u (l ++ m)).
  { intros u U UP UQ UD. destruct (decide (incl u (l ++ m))) as [I | I]; [left | right; exact I].
    apply total_longer; [exact U | apply NoDup_nodup | intros a J; apply nodup_In, I, J |].
    intros a J. unfold masses_at. rewrite (mass_outside P u a UP J), (mass_outside Q u a UQ J), (mass_outside D u a UD J).
    apply homogeneous_0, F. }
  destruct (Longer m M MP MQ MD) as [E1 | X]; [| exfalso; apply X, incl_appr, incl_refl].
  destruct (Longer l N CP CQ CD) as [E2 | X]; [| exfalso; apply X, incl_appl, incl_refl]. congruence.
Qed.

(** A list that covers all of three. *)
Definition all_outcomes {A} (P Q D : dist A) : list A := nodup same (map snd (P ++ Q ++ D)).

Lemma all_outcomes_cover {A} (P Q D : dist A) :
  NoDup (all_outcomes P Q D) /\ covers (all_outcomes P Q D) P /\ covers (all_outcomes P Q D) Q /\
  covers (all_outcomes P Q D) D.
Proof.
  split; [apply NoDup_nodup |]. repeat split; intros wa I; apply nodup_In, in_map; rewrite !in_app_iff; tauto.
Qed.

Lemma same_mass {A} (P Q : dist A) a : same_law P Q -> mass P a = mass Q a.
Proof. intros S. apply S. Qed.

Lemma describes_same_law {A} (P Q D P' Q' D' : dist A) classes :
  same_law P P' -> same_law Q Q' -> same_law D D' -> describes P Q D classes -> describes P' Q' D' classes.
Proof.
  intros SP SQ SD H. set (all := (P ++ Q ++ D) ++ (P' ++ Q' ++ D')). set (l := nodup same (map snd all)).
  assert (C : forall d, incl d all -> covers l d) by (intros d I wa J; apply nodup_In, in_map, I, J).
  apply (described_on _ _ _ _ l); [apply NoDup_nodup | | | |];
    try (apply C; intros wa I; unfold all; rewrite !in_app_iff; tauto).
  intros f F. rewrite <- (H l f); [| apply NoDup_nodup | | | | exact F];
    try (apply C; intros wa I; unfold all; rewrite !in_app_iff; tauto).
  apply total_ext. intros a _. unfold masses_at.
  rewrite (same_mass _ _ a SP), (same_mass _ _ a SQ), (same_mass _ _ a SD). reflexivity.
Qed.

(** ** What is told *)

Lemma total_real (classes : list rational_class) (f : class -> R) :
  total (map real_class classes) f = total classes (fun k => f (real_class k)).
Proof. apply total_map. Qed.

Ltac of_homogeneous := intros x k X; unfold times, first_mass, second_mass, reference_mass; cbn [fst snd].

Lemma described_weight {A} (P Q D : dist A) classes :
  describes P Q D classes -> weight D = Q2R (sum_of (map under_reference classes)).
Proof.
  intros H. destruct (all_outcomes_cover P Q D) as [N [CP [CQ CD]]].
  specialize (H _ reference_mass N CP CQ CD ltac:(of_homogeneous; reflexivity)).
  rewrite Q2R_sum_of, total_map. rewrite total_map in H. unfold weight. rewrite (mean_masses D _ _ N CD).
  transitivity (total classes (fun k => reference_mass (real_class k))); [rewrite <- H | reflexivity].
  apply total_ext. intros a _. unfold masses_at, reference_mass. simpl. ring.
Qed.

Lemma described_values {A} (P Q D : dist A) classes E :
  sub_law D -> describes P Q D classes -> same_law (values_against P Q E D) (class_values E (map real_class classes)).
Proof.
  intros S H f. rewrite mean_values_against. change (mean D (fun _ => 1)) with (weight D).
  destruct (all_outcomes_cover P Q D) as [N [CP [CQ CD]]]. assert (W := described_weight P Q D classes H).
  rewrite Q2R_sum_of, total_map in W. unfold class_values, mean at 2. cbn [total fst snd].
  rewrite !total_map, W. rewrite (mean_masses D _ _ N CD). f_equal.
  set (g := fun k : class => reference_mass k * f ((first_mass k - E * second_mass k) / reference_mass k)).
  transitivity (total (all_outcomes P Q D) (fun a => g (masses_at P Q D a))); [reflexivity |].
  rewrite (H _ g N CP CQ CD), total_map; [reflexivity |]. of_homogeneous. unfold g, first_mass, second_mass, reference_mass.
  cbn [fst snd]. destruct (Req_dec x 0) as [-> | Nx]; [ring |]. destruct (Req_dec (snd k) 0) as [-> | Nk]; [ring |].
  rewrite Rmult_assoc. f_equal. f_equal. f_equal. field. split; assumption.
Qed.

Lemma described_uncovered {A} (P Q D : dist A) classes E :
  describes P Q D classes -> uncovered P Q E D = class_uncovered E (map real_class classes).
Proof.
  intros H. destruct (all_outcomes_cover P Q D) as [N [CP [CQ CD]]]. unfold uncovered, class_uncovered.
  set (g := fun k : class => if Req_EM_T (reference_mass k) 0 then Rmax 0 (first_mass k - E * second_mass k) else 0).
  rewrite <- (H _ g N CP CQ CD).
  - symmetry. destruct (outcomes_cover P Q) as [OP OQ]. apply total_longer; [apply outcomes_NoDup | exact N | |].
    + intros a I. unfold outcomes in I. apply nodup_In in I. apply nodup_In. rewrite !map_app, !in_app_iff in *. tauto.
    + intros a I. unfold g, masses_at, first_mass, second_mass, reference_mass. cbn [fst snd].
      rewrite (mass_outside P _ a OP I), (mass_outside Q _ a OQ I), Rmult_0_r, Rminus_0_r, Rmax_left by lra.
      destruct (Req_EM_T _ 0); reflexivity.
  - of_homogeneous. unfold g, first_mass, second_mass, reference_mass. cbn [fst snd].
    destruct (Req_dec x 0) as [-> | Nx].
    + rewrite !Rmult_0_l, Rmult_0_r, Rminus_0_r, Rmax_left by lra. destruct (Req_EM_T _ _); reflexivity.
    + destruct (Req_EM_T (snd k) 0) as [Z | Z], (Req_EM_T (x * snd k) 0) as [Z' | Z']; try ring.
      * rewrite <- RmaxRmult by exact X. f_equal; ring.
      * exfalso. apply Z'. rewrite Z. ring.
      * exfalso. apply Rmult_integral in Z'. tauto.
Qed.

(** ** How to describe *)

(** By densities against one measure, which depend on the kind of a message. *)
Lemma described_by_kinds {A K} (P Q D u : dist A) (kind : A -> K) (p q r : K -> R) (kinds : list (K * R)) classes :
  sub_law u ->
  (forall f, mean P f = mean u (fun a => p (kind a) * f a)) ->
  (forall f, mean Q f = mean u (fun a => q (kind a) * f a)) ->
  (forall f, mean D f = mean u (fun a => r (kind a) * f a)) ->
  (forall kw, In kw kinds -> 0 <= snd kw) ->
  (forall f, mean u (fun a => f (kind a)) = total kinds (fun kw => snd kw * f (fst kw))) ->
  map real_class classes = listed_classes p q r kinds ->
  describes P Q D classes.
Proof.
  intros U DP DQ DD W Ks L. set (l := nodup same (map snd (P ++ Q ++ D ++ u))).
  assert (C : forall d, incl d (P ++ Q ++ D ++ u) -> covers l d) by (intros d I wa J; apply nodup_In, in_map, I, J).
  apply (described_on _ _ _ _ l); [apply NoDup_nodup | | | |]; try (apply C; intros wa I; rewrite !in_app_iff; tauto).
  intros f F. rewrite L. unfold listed_classes. rewrite total_map.
  transitivity (mean u (fun a => (fun k => f (p k, q k, r k)) (kind a))).
  - rewrite (mean_masses u l) by (try apply NoDup_nodup; apply C; intros wa I; rewrite !in_app_iff; tauto).
    apply total_ext. intros a _. unfold masses_at.
    rewrite (mass_density P u _ DP a), (mass_density Q u _ DQ a), (mass_density D u _ DD a).
    assert (M : 0 <= mass u a)
      by (apply total_nonneg; intros wa I; apply Rmult_le_pos; [apply U, I | apply indicator_bounds]).
    rewrite <- (F _ _ M). unfold times, first_mass, second_mass, reference_mass. cbn [fst snd]. f_equal. f_equal; [f_equal |]; ring.
  - rewrite (Ks (fun k => f (p k, q k, r k))). apply total_ext. intros [k w] I. cbn [fst snd].
    rewrite <- (F _ _ (W _ I)). reflexivity.
Qed.

(** Of listed probabilities, each outcome a class of its own. *)
Lemma described_listed {A} (P Q D : dist A) l (p q r : A -> QArith_base.Q) :
  NoDup l -> covers l P -> covers l Q -> covers l D ->
  (forall a, In a l -> mass P a = Q2R (p a) /\ mass Q a = Q2R (q a) /\ mass D a = Q2R (r a)) ->
  describes P Q D (map (fun a => (p a, q a, r a)) l).
Proof.
  intros N CP CQ CD H. apply (described_on _ _ _ _ l); try assumption. intros f _. rewrite map_map, total_map.
  apply total_ext. intros a I. unfold masses_at. destruct (H a I) as [E1 [E2 E3]].
  rewrite E1, E2, E3. reflexivity.
Qed.

(** Under a renaming of messages. *)
Lemma mass_renamed {A B} (h : A -> B) (d : dist A) a :
  (forall a b, h a = h b -> a = b) -> mass (dmap h d) (h a) = mass d a.
Proof.
  intros H. unfold mass, Pr. rewrite mean_dmap. apply mean_ext. intros b. unfold indicator.
  destruct (same (h b) (h a)) as [Z | Z], (same b a) as [Y | Y]; try reflexivity; exfalso; auto. apply Z. congruence.
Qed.

Lemma covers_renamed {A B} (h : A -> B) (d : dist A) l : covers l d -> covers (map h l) (dmap h d).
Proof.
  intros C wb I. unfold dmap, bind in I. apply in_flat_map in I. destruct I as [wa [I J]]. simpl in J.
  destruct J as [<- | []]. cbn [snd]. apply in_map, C, I.
Qed.

Lemma describes_renamed {A B} (h : A -> B) (P Q D : dist A) classes :
  (forall a b, h a = h b -> a = b) -> describes P Q D classes -> describes (dmap h P) (dmap h Q) (dmap h D) classes.
Proof.
  intros I H. destruct (all_outcomes_cover P Q D) as [N [CP [CQ CD]]].
  apply (described_on _ _ _ _ (map h (all_outcomes P Q D))); try (apply covers_renamed; assumption).
  - apply FinFun.Injective_map_NoDup; [exact I | exact N].
  - intros f F. rewrite total_map, <- (H _ f N CP CQ CD F). apply total_ext. intros a _. unfold masses_at.
    rewrite !mass_renamed by exact I. reflexivity.
Qed.

(** The second law replaced by the first one, and the third by a part of it. *)
Definition against_itself (k : rational_class) : rational_class := (under_first k, under_first k, under_reference k).

Lemma describes_equal {A} (P Q D : dist A) classes :
  describes P Q D classes -> describes P P D (map against_itself classes).
Proof.
  intros H. destruct (all_outcomes_cover P Q D) as [N [CP [CQ CD]]].
  apply (described_on _ _ _ _ (all_outcomes P Q D)); try assumption. intros f F. rewrite map_map, total_map.
  set (g := fun k : class => f (first_mass k, first_mass k, reference_mass k)).
  transitivity (total (all_outcomes P Q D) (fun a => g (masses_at P Q D a))); [reflexivity |].
  rewrite (H _ g N CP CQ CD), total_map; [reflexivity |]. intros x k X. unfold g. rewrite <- (F _ _ X). reflexivity.
Qed.

(** ** Products *)

Definition product_class (k k' : rational_class) : rational_class :=
  (Qred (under_first k * under_first k'), Qred (under_second k * under_second k'),
   Qred (under_reference k * under_reference k'))%Q.

Definition by_class (k k' : class) : class :=
  (first_mass k * first_mass k', second_mass k * second_mass k', reference_mass k * reference_mass k').

Lemma real_product k k' : real_class (product_class k k') = by_class (real_class k) (real_class k').
Proof.
  unfold real_class, product_class, by_class, first_mass, second_mass, reference_mass, under_first, under_second,
    under_reference. cbn [fst snd]. rewrite !Q2R_red, !Q2R_mult. reflexivity.
Qed.

Lemma homogeneous_left f k' : homogeneous f -> homogeneous (fun k => f (by_class k k')).
Proof.
  intros F c k C. rewrite <- (F c _ C). f_equal. unfold by_class, times, first_mass, second_mass, reference_mass.
  cbn [fst snd]. f_equal; [f_equal |]; ring.
Qed.

Lemma homogeneous_right f k : homogeneous f -> homogeneous (fun k' => f (by_class k k')).
Proof.
  intros F c k' C. rewrite <- (F c _ C). f_equal. unfold by_class, times, first_mass, second_mass, reference_mass.
  cbn [fst snd]. f_equal; [f_equal |]; ring.
Qed.

(** *** Classes in proportion are one *)

Definition is_empty (k : rational_class) : bool :=
  Qeq_bool (under_first k) 0 && Qeq_bool (under_second k) 0 && Qeq_bool (under_reference k) 0.

Definition whole (k : rational_class) : Q := under_first k + under_second k + under_reference k.

Definition in_proportion (k k' : rational_class) : bool :=
  let (w, w') := (whole k, whole k') in
  posed.positive w && posed.positive w' && Qeq_bool (under_first k * w') (under_first k' * w) &&
  Qeq_bool (under_second k * w') (under_second k' * w) && Qeq_bool (under_reference k * w') (under_reference k' * w).

Definition added_class (k k' : rational_class) : rational_class :=
  (Qred (under_first k + under_first k'), Qred (under_second k + under_second k'),
   Qred (under_reference k + under_reference k'))%Q.

Fixpoint put_class (k : rational_class) (classes : list rational_class) : list rational_class :=
  match classes with
  | [] => [k]
  | k' :: rest => if in_proportion k k' then added_class k k' :: rest else k' :: put_class k rest
  end.

Definition merged (classes : list rational_class) : list rational_class :=
  fold_right (fun k rest => if is_empty k then rest else put_class k rest) [] classes.

Lemma add_in_proportion f k k' : homogeneous f -> in_proportion k k' = true ->
  f (real_class (added_class k k')) = f (real_class k) + f (real_class k').
Proof.
  intros F H. unfold in_proportion in H. rewrite !andb_true_iff in H. destruct H as [[[[W W'] E1] E2] E3].
  apply posed.positive_sound, Qlt_Rlt in W, W'. rewrite Q2R_0 in W, W'.
  apply Qeq_bool_R in E1, E2, E3. rewrite !Q2R_mult in E1, E2, E3. set (w := Q2R (whole k)) in *. set (w' := Q2R (whole k')) in *.
  set (c := w / w'). assert (C : 0 <= c) by (left; apply Rdiv_lt_0_compat; assumption).
  assert (K : real_class k = times c (real_class k')).
  { unfold real_class, times, first_mass, second_mass, reference_mass, c. cbn [fst snd].
    f_equal; [f_equal |]; apply Rmult_eq_reg_r with w'; try lra; [rewrite E1 | rewrite E2 | rewrite E3]; field; lra. }
  assert (S : real_class (added_class k k') = times (c + 1) (real_class k')).
  { transitivity (first_mass (real_class k) + first_mass (real_class k'), second_mass (real_class k) + second_mass (real_class k'),
      reference_mass (real_class k) + reference_mass (real_class k')).
    - unfold real_class, added_class, first_mass, second_mass, reference_mass, under_first, under_second, under_reference.
      cbn [fst snd]. rewrite !Q2R_red, !Q2R_plus. reflexivity.
    - rewrite K. unfold times, first_mass, second_mass, reference_mass. cbn [fst snd]. f_equal; [f_equal |]; ring. }
  rewrite S, K, !F by lra. ring.
Qed.

Lemma total_put f k classes : homogeneous f ->
  total (map real_class (put_class k classes)) f = f (real_class k) + total (map real_class classes) f.
Proof.
  intros F. induction classes as [| k' rest IH]; [reflexivity |]. cbn [put_class]. destruct (in_proportion k k') eqn:E.
  - cbn [map total]. rewrite (add_in_proportion f k k' F E). ring.
  - cbn [map total]. rewrite IH. ring.
Qed.

Lemma total_merged f classes : homogeneous f ->
  total (map real_class (merged classes)) f = total (map real_class classes) f.
Proof.
  intros F. induction classes as [| k rest IH]; [reflexivity |]. cbn [merged fold_right].
  fold (merged rest). cbn [map total]. destruct (is_empty k) eqn:E.
  - rewrite IH. unfold is_empty in E. rewrite !andb_true_iff in E. destruct E as [[E1 E2] E3].
    apply Qeq_bool_R in E1, E2, E3. rewrite Q2R_0 in E1, E2, E3. unfold real_class at 2. rewrite E1, E2, E3.
    rewrite (homogeneous_0 f F). ring.
  - rewrite total_put, IH by exact F. reflexivity.
Qed.

(** *** The classes of several factors *)

Definition products (a b : list rational_class) : list rational_class :=
  merged (flat_map (fun k => map (product_class k) b) a).

Definition product_of (lists : list (list rational_class)) : list rational_class :=
  fold_right products [(1, 1, 1)%Q] lists.

Lemma total_products f a b : homogeneous f ->
  total (map real_class (products a b)) f =
  total (map real_class a) (fun k => total (map real_class b) (fun k' => f (by_class k k'))).
Proof.
  intros F. unfold products. rewrite total_merged by exact F. rewrite total_map, total_flat_map, total_map.
  apply total_ext. intros k _. rewrite !total_map. apply total_ext. intros k' _. rewrite real_product. reflexivity.
Qed.

(** The same sums of homogeneous functions. *)
Definition alike (a b : list rational_class) : Prop := forall f, homogeneous f ->
  total (map real_class a) f = total (map real_class b) f.

Lemma alike_describes {A} (P Q D : dist A) a b : alike a b -> describes P Q D a -> describes P Q D b.
Proof. intros S H l f N CP CQ CD F. rewrite <- (S f F). apply H; assumption. Qed.

Lemma in_any_order l m : Permutation l m -> alike (product_of l) (product_of m).
Proof.
  induction 1 as [| a l m _ IH | a b l | l m k _ IH1 _ IH2]; intros f F; [reflexivity | | |].
  - cbn [product_of fold_right]. fold (product_of l) (product_of m). rewrite !total_products by exact F.
    apply total_ext. intros k _. apply IH, homogeneous_right, F.
  - cbn [product_of fold_right]. fold (product_of l). rewrite !total_products by exact F.
    rewrite (total_ext (map real_class b) _ (fun k => total (map real_class a) (fun k' => total (map real_class (product_of l))
      (fun k'' => f (by_class k (by_class k' k'')))))) by (intros k _; apply (total_products _ a _ (homogeneous_right f k F))).
    rewrite (total_ext (map real_class a) _ (fun k => total (map real_class b) (fun k' => total (map real_class (product_of l))
      (fun k'' => f (by_class k (by_class k' k'')))))) by (intros k _; apply (total_products _ b _ (homogeneous_right f k F))).
    rewrite total_swap. apply total_ext. intros k _. apply total_ext. intros k' _. apply total_ext. intros k'' _.
    f_equal. unfold by_class, first_mass, second_mass, reference_mass. cbn [fst snd]. f_equal; [f_equal |]; ring.
  - rewrite (IH1 f F). apply IH2, F.
Qed.

Local Notation independent := hockey_stick.independent.

Lemma covers_independent {A B} (P : dist A) (Q : dist B) l m : covers l P -> covers m Q ->
  covers (list_prod l m) (independent P Q).
Proof.
  intros C D wa I. unfold independent, bind in I. apply in_flat_map in I. destruct I as [va [I J]].
  apply in_map_iff in J. destruct J as [vb [<- J]]. unfold dmap, bind in J. apply in_flat_map in J.
  destruct J as [vc [J [<- | []]]]. cbn [fst snd]. apply in_prod; [apply C, I | apply D, J].
Qed.

Lemma describes_product {A B} (P Q D : dist A) (P' Q' D' : dist B) a b :
  describes P Q D a -> describes P' Q' D' b ->
  describes (independent P P') (independent Q Q') (independent D D') (products a b).
Proof.
  intros H H'. destruct (all_outcomes_cover P Q D) as [N [CP [CQ CD]]].
  destruct (all_outcomes_cover P' Q' D') as [N' [CP' [CQ' CD']]].
  apply (described_on _ _ _ _ (list_prod (all_outcomes P Q D) (all_outcomes P' Q' D'))); try (apply covers_independent; assumption).
  - apply box_without_repetitions; assumption.
  - intros f F. rewrite total_prod, total_products by exact F.
    rewrite <- (H _ (fun k => total (map real_class b) (fun k' => f (by_class k k'))) N CP CQ CD).
    + apply total_ext. intros x _. rewrite <- (H' _ _ N' CP' CQ' CD' (homogeneous_right f _ F)). apply total_ext. intros y _.
      unfold masses_at, by_class, first_mass, second_mass, reference_mass. cbn [fst snd]. rewrite !mass_of_pair. reflexivity.
    + intros c k C. rewrite <- total_scal. apply total_ext. intros k' _. apply (homogeneous_left f k' F c k C).
Qed.
