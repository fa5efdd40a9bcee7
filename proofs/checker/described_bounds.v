(** What a list of classes says at most, or at least, of a pair of laws, beside a third one and a dummy.

    - [describes_most P Q D U classes]: every sublinear function of the four masses has over the classes at least the sum
      that it has over all messages. So classes are that tell more than the messages do: of a message that is a sum of
      vectors, these tell more.
    - [describes_less P Q D U classes]: each message has a label, and of what depends on it, whatever the unit of the
      masses is, the classes have at most the mean, under each of the four laws.

    Both hold of classes that are told exactly, of independent messages, of messages that are renamed, and of lists of
    classes that are alike ([describing]: [describing_most], [describing_less], and [describing_exactly]).

    Idea: a function that is sublinear in the product of two vectors is sublinear in each of them. Source:
    docs/soundness.md, "Fewer numbers of ones may tell more". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation.
From Exactdp Require Import reals sums laws hockey_stick events product_laws.
From Exactdp Require Import shuffler mean_excess hidden_message blanket classes least_values swap_vertices.
From ExactdpChecker Require Import blanket_program matrix_blanket described_pairs family_blanket family_rows described_beside.
From ExactdpChecker Require Import likelihood_trees.
From ExactdpChecker Require Import opaque_rationals.
Import ListNotations.
Open Scope R_scope.

Local Notation independent := hockey_stick.independent.

(** ** What a way to describe has to do *)

Record describing (T : forall A : Type, dist A -> dist A -> dist A -> dist A -> list beside -> Prop) : Prop := {
  of_exact : forall A (P Q D U : dist A) classes, sub_law P -> sub_law Q -> sub_law D -> sub_law U ->
    describes_beside P Q D U classes -> T A P Q D U classes;
  of_same_laws : forall A (P Q D U P' Q' D' U' : dist A) classes, same_law P P' -> same_law Q Q' -> same_law D D' ->
    same_law U U' -> T A P Q D U classes -> T A P' Q' D' U' classes;
  of_renamed : forall A B (h : A -> B) (P Q D U : dist A) classes, (forall a b, h a = h b -> a = b) ->
    T A P Q D U classes -> T B (dmap h P) (dmap h Q) (dmap h D) (dmap h U) classes;
  of_independent : forall A B (P Q D U : dist A) (P' Q' D' U' : dist B) a b, T A P Q D U a -> T B P' Q' D' U' b ->
    T (A * B)%type (independent P P') (independent Q Q') (independent D D') (independent U U') (products_beside a b);
  of_alike : forall A (P Q D U : dist A) a b, alike_beside a b -> T A P Q D U a -> T A P Q D U b }.

(** ** At most *)

Definition plus_beside (k k' : class * R) : class * R :=
  ((first_mass (fst k) + first_mass (fst k'), second_mass (fst k) + second_mass (fst k'),
    reference_mass (fst k) + reference_mass (fst k')), snd k + snd k').

Definition sublinear (f : class * R -> R) : Prop :=
  homogeneous_beside f /\ forall k k', f (plus_beside k k') <= f k + f k'.

Definition describes_most {A} (P Q D U : dist A) (classes : list beside) : Prop := forall l f,
  NoDup l -> covers l (P ++ Q ++ D ++ U) -> sublinear f ->
  total l (fun a => f (four_masses P Q D U a)) <= total (map real_beside classes) f.

Lemma sublinear_left f k' : sublinear f -> sublinear (fun k => f (by_beside k k')).
Proof.
  intros [H S]. split; [apply homogeneous_beside_left, H |]. intros k k2. eapply Rle_trans; [| apply S]. apply Req_le.
  f_equal. unfold by_beside, by_class, plus_beside, first_mass, second_mass, reference_mass. cbn [fst snd].
  f_equal; [f_equal; [f_equal |] |]; ring.
Qed.

Lemma sublinear_right f k : sublinear f -> sublinear (fun k' => f (by_beside k k')).
Proof.
  intros [H S]. split; [apply homogeneous_beside_right, H |]. intros k1 k2. eapply Rle_trans; [| apply S]. apply Req_le.
  f_equal. unfold by_beside, by_class, plus_beside, first_mass, second_mass, reference_mass. cbn [fst snd].
  f_equal; [f_equal; [f_equal |] |]; ring.
Qed.

(** On one list that covers all. *)
Lemma described_most_on {A} (P Q D U : dist A) classes l : NoDup l -> covers l (P ++ Q ++ D ++ U) ->
  (forall f, sublinear f -> total l (fun a => f (four_masses P Q D U a)) <= total (map real_beside classes) f) ->
  describes_most P Q D U classes.
Proof.
  intros N C H m f M CM F. eapply Rle_trans; [apply Req_le | apply (H f F)]. set (both := nodup same (l ++ m)).
  assert (Longer : forall k, NoDup k -> covers k (P ++ Q ++ D ++ U) -> incl k (l ++ m) ->
    total both (fun a => f (four_masses P Q D U a)) = total k (fun a => f (four_masses P Q D U a))).
  { intros k K Ck I. apply total_longer; [exact K | apply NoDup_nodup | intros a J; apply nodup_In, I, J |].
    intros a J. rewrite (four_outside k P Q D U a Ck J). apply homogeneous_beside_0, F. }
  rewrite <- (Longer m M CM ltac:(apply incl_appr, incl_refl)). apply (Longer l N C). apply incl_appl, incl_refl.
Qed.

Theorem describing_most : describing (@describes_most).
Proof.
  split.
  - intros A P Q D U classes _ _ _ _ H l f N C [F _]. rewrite (H l f N C F). apply Rle_refl.
  - intros A P Q D U P' Q' D' U' classes SP SQ SD SU H.
    set (all := (P ++ Q ++ D ++ U) ++ (P' ++ Q' ++ D' ++ U')). set (l := nodup same (map snd all)).
    assert (C : forall d, incl d all -> covers l d) by (intros d I wa J; apply nodup_In, in_map, I, J).
    apply (described_most_on _ _ _ _ _ l); [apply NoDup_nodup | apply C, incl_appr, incl_refl |].
    intros f F. eapply Rle_trans; [| apply (H l f); [apply NoDup_nodup | apply C, incl_appl, incl_refl | exact F]].
    apply Req_le, total_ext. intros a _. unfold four_masses, masses_at.
    rewrite (same_mass _ _ a SP), (same_mass _ _ a SQ), (same_mass _ _ a SD), (same_mass _ _ a SU). reflexivity.
  - intros A B h P Q D U classes I H. destruct (four_outcomes_cover P Q D U) as [N C].
    apply (described_most_on _ _ _ _ _ (map h (four_outcomes P Q D U))).
    + apply FinFun.Injective_map_NoDup; [exact I | exact N].
    + rewrite <- !each_renamed_app. apply covers_renamed, C.
    + intros f F. rewrite total_map. eapply Rle_trans; [| apply (H _ f N C F)]. apply Req_le, total_ext. intros a _.
      unfold four_masses, masses_at. rewrite !mass_renamed by exact I. reflexivity.
  - intros A B P Q D U P' Q' D' U' a b H H'.
    destruct (four_outcomes_cover P Q D U) as [N C]. destruct (four_outcomes_cover P' Q' D' U') as [N' C'].
    destruct (covers_parts _ _ _ _ _ C) as [CP [CQ [CD CU]]].
    destruct (covers_parts _ _ _ _ _ C') as [CP' [CQ' [CD' CU']]].
    apply (described_most_on _ _ _ _ _ (list_prod (four_outcomes P Q D U) (four_outcomes P' Q' D' U'))).
    + apply box_without_repetitions; assumption.
    + intros wa I. rewrite !in_app_iff in I. destruct I as [I | [I | [I | I]]]; revert wa I; apply covers_independent;
        assumption.
    + intros f F. rewrite total_prod, total_products_beside by apply F.
      apply Rle_trans with (total (four_outcomes P Q D U) (fun x => total (map real_beside b) (fun k' =>
        f (by_beside (four_masses P Q D U x) k')))).
      * apply total_le. intros x _. eapply Rle_trans; [| apply (H' _ _ N' C' (sublinear_right f _ F))].
        apply Req_le, total_ext. intros y _.
        unfold four_masses, masses_at, by_beside, by_class, first_mass, second_mass, reference_mass. cbn [fst snd].
        rewrite !mass_of_pair. reflexivity.
      * rewrite total_swap, (total_swap (map real_beside a)). apply total_le. intros k' _.
        apply (H _ (fun k => f (by_beside k k')) N C). apply sublinear_left, F.
  - intros A P Q D U a b S H l f N C F. rewrite <- (S f (proj1 F)). apply H; assumption.
Qed.

(** ** At least *)

Inductive side : Type := First | Second | Others | Instead.

Definition side_mass (s : side) (k : class * R) : R :=
  match s with
  | First => first_mass (fst k) | Second => second_mass (fst k) | Others => reference_mass (fst k) | Instead => snd k
  end.

Definition side_law {A} (s : side) (P Q D U : dist A) : dist A :=
  match s with First => P | Second => Q | Others => D | Instead => U end.

Definition scale_free (f : class * R -> R) : Prop := forall c k, 0 < c -> f (times_beside c k) = f k.

Definition nowhere_negative (classes : list beside) : Prop :=
  forall s k, In k classes -> 0 <= side_mass s (real_beside k).

Definition describes_less {A} (P Q D U : dist A) (classes : list beside) : Prop :=
  nowhere_negative classes /\ (forall s, positive_law (side_law s P Q D U)) /\
  exists label : A -> class * R, forall s f, (forall k, 0 <= f k) -> scale_free f ->
    total (map real_beside classes) (fun k => side_mass s k * f k) <= mean (side_law s P Q D U) (fun a => f (label a)).

Lemma side_mass_times s c k : side_mass s (times_beside c k) = c * side_mass s k.
Proof. destruct s; reflexivity. Qed.

Lemma side_mass_by s k k' : side_mass s (by_beside k k') = side_mass s k * side_mass s k'.
Proof. destruct s; reflexivity. Qed.

Lemma side_homogeneous s f : scale_free f -> homogeneous_beside (fun k => side_mass s k * f k).
Proof.
  intros F c k [C | <-].
  - rewrite side_mass_times, (F c k C). ring.
  - rewrite side_mass_times. ring.
Qed.

Lemma negative_part_homogeneous s : homogeneous_beside (fun k => Rmax 0 (- side_mass s k)).
Proof.
  intros c k C. rewrite side_mass_times, <- RmaxRmult by exact C. f_equal; ring.
Qed.

Lemma nowhere_negative_if classes :
  (forall s, total (map real_beside classes) (fun k => Rmax 0 (- side_mass s k)) = 0) -> nowhere_negative classes.
Proof.
  intros H s k I. specialize (H s). rewrite total_map in H.
  destruct (Rle_dec 0 (side_mass s (real_beside k))) as [L | L]; [exact L | exfalso].
  assert (X : Rmax 0 (- side_mass s (real_beside k)) <= total classes (fun a => Rmax 0 (- side_mass s (real_beside a)))).
  { clear H L. induction classes as [| k' classes IH]; [destruct I |]. cbn [total].
    assert (Y : 0 <= total classes (fun a => Rmax 0 (- side_mass s (real_beside a)))) by (apply total_nonneg; intros; apply Rmax_l).
    assert (Z := Rmax_l 0 (- side_mass s (real_beside k'))).
    destruct I as [-> | I]; [lra | specialize (IH I); lra]. }
  assert (Y := Rmax_r 0 (- side_mass s (real_beside k))). lra.
Qed.

Lemma negative_part_0 classes s : nowhere_negative classes ->
  total (map real_beside classes) (fun k => Rmax 0 (- side_mass s k)) = 0.
Proof.
  intros N. rewrite total_map, (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros k I. specialize (N s k I).
  apply Rmax_left. lra.
Qed.

Lemma side_four {A} s (P Q D U : dist A) a : side_mass s (four_masses P Q D U a) = mass (side_law s P Q D U) a.
Proof. destruct s; reflexivity. Qed.

Lemma mass_of_sub_law {A} (d : dist A) a : sub_law d -> 0 <= mass d a.
Proof.
  intros S. apply total_nonneg. intros wa I. apply Rmult_le_pos; [apply S, I | apply indicator_bounds].
Qed.

Lemma covers_side {A} s l (P Q D U : dist A) : covers l (P ++ Q ++ D ++ U) -> covers l (side_law s P Q D U).
Proof. intros C. destruct (covers_parts l P Q D U C) as [CP [CQ [CD CU]]]. destruct s; assumption. Qed.

Lemma mean_nonneg_sub {A} (d : dist A) f : sub_law d -> (forall a, 0 <= f a) -> 0 <= mean d f.
Proof. intros S F. apply total_nonneg. intros wa I. apply Rmult_le_pos; [apply S, I | apply F]. Qed.

Theorem describing_less : describing (@describes_less).
Proof.
  split.
  - intros A P Q D U classes SP SQ SD SU H. destruct (four_outcomes_cover P Q D U) as [N C]. split.
    + apply nowhere_negative_if. intros s. rewrite <- (H _ _ N C (negative_part_homogeneous s)).
      rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros a _. rewrite side_four. apply Rmax_left.
      assert (0 <= mass (side_law s P Q D U) a) by (apply mass_of_sub_law; destruct s; assumption). lra.
    + split; [intros s f F; apply mean_nonneg_sub; [destruct s; assumption | exact F] |].
      exists (four_masses P Q D U). intros s f F0 F. rewrite <- (H _ _ N C (side_homogeneous s f F)). apply Req_le.
      rewrite (mean_masses _ (four_outcomes P Q D U)) by (try exact N; apply covers_side, C).
      apply total_ext. intros a _. rewrite side_four. reflexivity.
  - intros A P Q D U P' Q' D' U' classes SP SQ SD SU [N [Pos [label H]]]. split; [exact N |]. split.
    { intros s f F. specialize (Pos s f F). destruct s; cbn [side_law] in *;
        [rewrite <- SP | rewrite <- SQ | rewrite <- SD | rewrite <- SU]; exact Pos. }
    exists label.
    intros s f F0 F. eapply Rle_trans; [apply H; assumption |]. apply Req_le.
    destruct s; cbn [side_law]; [apply SP | apply SQ | apply SD | apply SU].
  - intros A B h P Q D U classes I [N [Pos [label H]]].
    assert (E : forall s, side_law s (dmap h P) (dmap h Q) (dmap h D) (dmap h U) = dmap h (side_law s P Q D U)) by (intros []; reflexivity).
    split; [exact N |]. split.
    { intros s f F. rewrite E, mean_dmap. apply Pos. intros; apply F. }
    exists (fun b => match find (fun a => if same (h a) b then true else false) (four_outcomes P Q D U) with
      | Some a => label a | None => ((0, 0, 0), 0) end).
    intros s f F0 F. eapply Rle_trans; [apply (H s f F0 F) |]. apply Req_le.
    rewrite E, mean_dmap. apply mean_ext_in. intros wa J. f_equal.
    assert (C := covers_side s _ P Q D U (proj2 (four_outcomes_cover P Q D U))). specialize (C wa J).
    destruct (find _ _) as [a |] eqn:Found.
    + apply find_some in Found. destruct Found as [_ Found]. destruct (same (h a) (h (snd wa))) as [X |]; [| discriminate].
      apply I in X. rewrite X. reflexivity.
    + apply (find_none _ _ Found) in C. destruct (same _ _) as [_ | X]; [discriminate | destruct X; reflexivity].
  - intros A B P Q D U P' Q' D' U' a b [N [Pos [label H]]] [N' [Pos' [label' H']]].
    assert (Side : forall s, side_law s (independent P P') (independent Q Q') (independent D D') (independent U U') =
      independent (side_law s P Q D U) (side_law s P' Q' D' U')) by (intros []; reflexivity).
    split.
    + apply nowhere_negative_if. intros s. rewrite total_products_beside by apply negative_part_homogeneous.
      rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros k I. apply in_map_iff in I. destruct I as [k0 [<- I]].
      rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros k' I'. apply in_map_iff in I'. destruct I' as [k1 [<- I']].
      rewrite side_mass_by. apply Rmax_left. specialize (N s k0 I). specialize (N' s k1 I').
      assert (0 <= side_mass s (real_beside k0) * side_mass s (real_beside k1)) by (apply Rmult_le_pos; assumption). lra.
    + split.
      { intros s f F. rewrite Side. unfold independent. rewrite mean_bind. apply Pos. intros x. rewrite mean_dmap.
        apply Pos'. intros; apply F. }
      exists (fun ab => by_beside (label (fst ab)) (label' (snd ab))). intros s f F0 F.
      rewrite total_products_beside by (apply side_homogeneous, F). rewrite Side. unfold independent. rewrite mean_bind.
      assert (Same : forall c k k', by_beside (times_beside c k) k' = times_beside c (by_beside k k') /\
        by_beside k (times_beside c k') = times_beside c (by_beside k k')).
      { intros c k k'. unfold by_beside, by_class, times_beside, times, first_mass, second_mass, reference_mass.
        cbn [fst snd]. split; (f_equal; [f_equal; [f_equal |] |]; ring). }
      set (g := fun k => mean (side_law s P' Q' D' U') (fun y => f (by_beside k (label' y)))).
      apply Rle_trans with (total (map real_beside a) (fun k => side_mass s k * g k)).
      * apply total_le. intros k I. apply in_map_iff in I. destruct I as [k0 [<- I]].
        rewrite (total_ext _ _ (fun k' => side_mass s (real_beside k0) * (side_mass s k' * f (by_beside (real_beside k0) k'))))
          by (intros k' _; rewrite side_mass_by; ring).
        rewrite total_scal. apply Rmult_le_compat_l; [apply N, I |]. apply (H' s (fun k' => f (by_beside (real_beside k0) k')));
          [intros; apply F0 |]. intros c k' C. rewrite (proj2 (Same c _ k')). apply F, C.
      * eapply Rle_trans; [apply (H s g) |].
        -- intros k. apply Pos'. intros; apply F0.
        -- intros c k C. apply mean_ext. intros y. rewrite (proj1 (Same c k _)). apply F, C.
        -- apply Req_le, mean_ext. intros x. rewrite mean_dmap. reflexivity.
  - intros A P Q D U a b S [N [Pos [label H]]]. split.
    + apply nowhere_negative_if. intros s. rewrite <- (S _ (negative_part_homogeneous s)). apply negative_part_0, N.
    + split; [exact Pos |]. exists label. intros s f F0 F. rewrite <- (S _ (side_homogeneous s f F)). apply (H s f F0 F).
Qed.

Theorem describing_exactly : describing (@describes_beside).
Proof.
  split.
  - auto.
  - intros A P Q D U P' Q' D' U' classes. apply describes_beside_same_law.
  - intros A B h P Q D U classes. apply describes_beside_renamed.
  - intros A B P Q D U P' Q' D' U' a b. apply describes_product_beside.
  - intros A P Q D U a b. apply alike_describes_beside.
Qed.

(** Either of them. *)
Definition bound_by (less : bool) {A} : dist A -> dist A -> dist A -> dist A -> list beside -> Prop :=
  if less then @describes_less A else @describes_most A.

Lemma describing_bound less : describing (@bound_by less).
Proof. destruct less; [exact describing_less | exact describing_most]. Qed.
