(** The bound of a reference law depends on the classes of a pair alone.

    Let P, Q and c be laws of messages whose densities against one measure u, a finite law that may weigh anything,
    depend on the kind of a message only: P = p(kind) u, Q = q(kind) u, c = r(kind) u. If the kinds have the masses w
    under u, then for every n and every real E the bound of the reference c ([reference_bound] of mean_excess.v) is
    the same formula over the list of the classes (w p, w q, w r) ([reference_bound_classes]). So merging outcomes of
    equal ratios P / c and Q / c is exact, outcomes that c never draws included; a kind may be listed more than once,
    and classes without mass may be dropped ([class_bound_without_empty]).

    Idea: both terms are means under u of functions of the kind, since the factor u(a) is in numerator and denominator
    of (P - E Q) / c; and a mean over independent copies depends on the law of one copy only. Source: this package;
    exactdp/checker/pair_classes.py computes with these lists. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws hockey_stick independence events mean_excess blanket.
Import ListNotations.
Open Scope R_scope.

(** ** The formula over classes *)

(** The masses of a class under the first input, under the second one, and under the reference. *)
Definition class : Type := (R * R * R)%type.
Definition first_mass (k : class) : R := fst (fst k).
Definition second_mass (k : class) : R := snd (fst k).
Definition reference_mass (k : class) : R := snd k.

Definition class_values (E : R) (classes : list class) : dist R :=
  (1 - total classes reference_mass, 0) ::
  map (fun k => (reference_mass k, (first_mass k - E * second_mass k) / reference_mass k)) classes.

Definition class_uncovered (E : R) (classes : list class) : R :=
  total classes (fun k => if Req_EM_T (reference_mass k) 0 then Rmax 0 (first_mass k - E * second_mass k) else 0).

Definition class_bound (n : nat) (E : R) (classes : list class) : R :=
  class_uncovered E classes + mean_excess n (class_values E classes).

(** ** Means over copies depend on the law alone *)

Lemma same_law_copies {A} (d e : dist A) n : same_law d e -> same_law (copies d n) (copies e n).
Proof.
  intros H. induction n as [| n IH]; intros f; [reflexivity |].
  rewrite !mean_copies_first, H. apply mean_ext. intros a. apply IH.
Qed.

Lemma mean_excess_same_law n (L M : dist R) : same_law L M -> mean_excess n L = mean_excess n M.
Proof. intros H. unfold mean_excess. rewrite (same_law_copies L M n H). reflexivity. Qed.

(** ** Masses *)

(** What has no mass does not count in a mean. *)
Lemma mean_ext_mass {A} (d : dist A) f g : (forall a, mass d a <> 0 -> f a = g a) -> mean d f = mean d g.
Proof.
  intros H. set (l := nodup same (map snd d)).
  assert (N : NoDup l) by apply NoDup_nodup.
  assert (C : covers l d) by (intros wa I; apply nodup_In, in_map, I).
  rewrite !(mean_masses d l) by assumption. apply total_ext. intros a _.
  destruct (Req_dec (mass d a) 0) as [-> | Z]; [ring | rewrite (H a Z); reflexivity].
Qed.

Lemma mass_density {A} (P u : dist A) (g : A -> R) :
  (forall f, mean P f = mean u (fun a => g a * f a)) -> forall a, mass P a = g a * mass u a.
Proof.
  intros H a. unfold mass, Pr. rewrite H, <- mean_scal. apply mean_ext. intros b. unfold indicator.
  destruct (same b a) as [-> |]; ring.
Qed.

(** A sum over a longer list, where the terms outside are 0. *)
Lemma total_longer {A} (l m : list A) f :
  NoDup l -> NoDup m -> incl l m -> (forall a, ~ In a l -> f a = 0) -> total m f = total l f.
Proof. intros. symmetry. apply total_outside; assumption. Qed.

(** ** The theorem *)

Section Classes.

  Context {A K : Type} (P Q c u : dist A) (kind : A -> K) (p q r : K -> R) (kinds : list (K * R)) (E : R).
  Hypothesis P_density : forall f, mean P f = mean u (fun a => p (kind a) * f a).
  Hypothesis Q_density : forall f, mean Q f = mean u (fun a => q (kind a) * f a).
  Hypothesis c_density : forall f, mean c f = mean u (fun a => r (kind a) * f a).
  Hypothesis masses_nonneg : forall kw, In kw kinds -> 0 <= snd kw.
  Hypothesis masses : forall f, mean u (fun a => f (kind a)) = total kinds (fun kw => snd kw * f (fst kw)).

  Definition listed_classes : list class :=
    map (fun kw => (snd kw * p (fst kw), snd kw * q (fst kw), snd kw * r (fst kw))) kinds.

  Lemma values_same_law : same_law (values_against P Q E c) (class_values E listed_classes).
  Proof.
    intros f. rewrite mean_values_against, !c_density.
    rewrite (masses (fun k => r k * 1)).
    rewrite (mean_ext_mass u _ (fun a => (fun k => r k * f ((p k - E * q k) / r k)) (kind a))).
    - rewrite (masses (fun k => r k * f ((p k - E * q k) / r k))).
      unfold class_values, mean, listed_classes. simpl. rewrite !total_map. f_equal.
      + f_equal. f_equal. apply total_ext. intros kw _. unfold reference_mass. simpl. ring.
      + apply total_ext. intros [k w] _. unfold first_mass, second_mass, reference_mass. simpl.
        destruct (Req_dec w 0) as [-> | W]; [ring |]. destruct (Req_dec (r k) 0) as [-> | Z]; [ring |].
        replace ((w * p k - E * (w * q k)) / (w * r k)) with ((p k - E * q k) / r k) by (field; auto). ring.
    - intros a U. unfold value_against. rewrite (mass_density P u _ P_density), (mass_density Q u _ Q_density),
        (mass_density c u _ c_density).
      destruct (Req_dec (r (kind a)) 0) as [-> | Z]; [ring |]. f_equal. f_equal. field. auto.
  Qed.

  Lemma uncovered_classes : sub_law u -> uncovered P Q E c = class_uncovered E listed_classes.
  Proof.
    intros U. unfold uncovered. destruct (outcomes_cover P Q) as [CP CQ].
    set (l := nodup same (outcomes P Q ++ map snd u)).
    assert (N : NoDup l) by apply NoDup_nodup.
    assert (C : covers l u) by (intros wa I; apply nodup_In, in_or_app; right; apply in_map, I).
    rewrite <- (total_longer (outcomes P Q) l).
    - set (lost := fun k => if Req_EM_T (r k) 0 then Rmax 0 (p k - E * q k) else 0).
      rewrite (total_ext l _ (fun a => mass u a * lost (kind a))).
      + rewrite <- (mean_masses u l (fun a => lost (kind a))), (masses lost) by assumption. unfold lost.
        unfold class_uncovered, listed_classes. rewrite total_map. apply total_ext. intros [k w] I.
        assert (W := masses_nonneg _ I). unfold first_mass, second_mass, reference_mass. simpl in *.
        destruct (Req_EM_T (r k) 0) as [Z | Z], (Req_EM_T (w * r k) 0) as [Z' | Z'].
        * rewrite <- RmaxRmult by exact W. f_equal; ring.
        * rewrite Z in Z'. lra.
        * apply Rmult_integral in Z'. destruct Z' as [-> | Z']; [| contradiction].
          rewrite !Rmult_0_l, Rmult_0_r, Rminus_0_r, Rmax_left; lra.
        * ring.
      + intros a _. unfold lost. rewrite (mass_density P u _ P_density), (mass_density Q u _ Q_density),
          (mass_density c u _ c_density).
        assert (W : 0 <= mass u a).
        { apply total_nonneg. intros wa I. apply Rmult_le_pos; [apply U, I | apply indicator_bounds]. }
        destruct (Req_EM_T (r (kind a)) 0) as [Z | Z], (Req_EM_T (r (kind a) * mass u a) 0) as [Z' | Z'].
        * rewrite <- RmaxRmult by exact W. f_equal; ring.
        * rewrite Z in Z'. lra.
        * apply Rmult_integral in Z'. destruct Z' as [Z' | ->]; [contradiction |].
          rewrite !Rmult_0_r, Rminus_0_r, Rmax_left; lra.
        * ring.
    - apply outcomes_NoDup.
    - exact N.
    - intros a I. apply nodup_In, in_or_app. left. exact I.
    - intros a I. rewrite (mass_outside P _ a CP I), (mass_outside Q _ a CQ I), Rmult_0_r, Rminus_0_r, Rmax_left by lra.
      destruct (Req_EM_T _ _); reflexivity.
  Qed.

  Lemma reference_bound_kinds n : sub_law u -> reference_bound n P Q E c = class_bound n E listed_classes.
  Proof.
    intros U. unfold reference_bound, class_bound.
    rewrite (uncovered_classes U), (mean_excess_same_law n _ _ values_same_law). reflexivity.
  Qed.

End Classes.

Theorem reference_bound_classes {A K} n (P Q c u : dist A) (kind : A -> K) (p q r : K -> R) (kinds : list (K * R)) E :
  sub_law u ->
  (forall f, mean P f = mean u (fun a => p (kind a) * f a)) ->
  (forall f, mean Q f = mean u (fun a => q (kind a) * f a)) ->
  (forall f, mean c f = mean u (fun a => r (kind a) * f a)) ->
  (forall kw, In kw kinds -> 0 <= snd kw) ->
  (forall f, mean u (fun a => f (kind a)) = total kinds (fun kw => snd kw * f (fst kw))) ->
  reference_bound n P Q E c =
  class_bound n E (map (fun kw => (snd kw * p (fst kw), snd kw * q (fst kw), snd kw * r (fst kw))) kinds).
Proof. intros U HP HQ Hc W M. apply (reference_bound_kinds P Q c u kind p q r kinds E); assumption. Qed.

(** Classes without mass say nothing. *)
Definition is_empty (k : class) : bool :=
  if decide (first_mass k = 0 /\ second_mass k = 0 /\ reference_mass k = 0) then true else false.

Lemma total_without_empty (classes : list class) f :
  (forall k, is_empty k = true -> f k = 0) ->
  total (filter (fun k => negb (is_empty k)) classes) f = total classes f.
Proof.
  intros H. rewrite total_filter. apply total_ext. intros k _. specialize (H k).
  destruct (is_empty k); simpl; [rewrite H |]; reflexivity.
Qed.

Lemma is_empty_true k : is_empty k = true -> first_mass k = 0 /\ second_mass k = 0 /\ reference_mass k = 0.
Proof. unfold is_empty. destruct (decide _); [auto | discriminate]. Qed.

Theorem class_bound_without_empty n E classes :
  class_bound n E (filter (fun k => negb (is_empty k)) classes) = class_bound n E classes.
Proof.
  unfold class_bound. f_equal.
  - apply total_without_empty. intros k H. apply is_empty_true in H. destruct H as [-> [-> _]].
    rewrite Rmult_0_r, Rminus_0_r, Rmax_left by lra. destruct (Req_EM_T _ _); reflexivity.
  - apply mean_excess_same_law. intros f. unfold class_values, mean. simpl. rewrite !total_map. simpl. f_equal.
    + rewrite total_without_empty; [reflexivity |]. intros k H. apply is_empty_true in H. tauto.
    + apply (total_without_empty classes
        (fun k => reference_mass k * f ((first_mass k - E * second_mass k) / reference_mass k))).
      intros k H. apply is_empty_true in H. destruct H as [_ [_ ->]]. ring.
Qed.

(** Classes as masses times densities, where the reference has a positive one: nothing is uncovered. *)
Lemma class_bound_scaled n E (parts : list (R * class)) :
  (forall wk, In wk parts -> 0 < reference_mass (snd wk)) ->
  class_bound n E (map (fun wk => (fst wk * first_mass (snd wk), fst wk * second_mass (snd wk),
                                   fst wk * reference_mass (snd wk))) parts) =
  mean_excess n ((1 - total parts (fun wk => fst wk * reference_mass (snd wk)), 0) ::
    map (fun wk => (fst wk * reference_mass (snd wk),
                    (first_mass (snd wk) - E * second_mass (snd wk)) / reference_mass (snd wk))) parts).
Proof.
  intros H. unfold class_bound. replace (class_uncovered E _) with 0.
  - rewrite Rplus_0_l. apply mean_excess_same_law. intros f. unfold class_values, mean. simpl.
    rewrite !total_map. f_equal. apply total_ext. intros [w [[p q] r]] I. specialize (H _ I).
    unfold first_mass, second_mass, reference_mass in *. simpl in *.
    destruct (Req_dec w 0) as [-> | W]; [ring |].
    replace ((w * p - E * (w * q)) / (w * r)) with ((p - E * q) / r) by (field; lra). reflexivity.
  - symmetry. unfold class_uncovered. rewrite total_map, (total_ext _ _ (fun _ => 0)); [apply total_zero |].
    intros [w [[p q] r]] I. specialize (H _ I). unfold first_mass, second_mass, reference_mass in *. simpl in *.
    destruct (Req_EM_T (w * r) 0) as [Z | _]; [| reflexivity].
    apply Rmult_integral in Z. destruct Z as [-> | Z]; [| lra].
    rewrite !Rmult_0_l, Rmult_0_r, Rminus_0_r, Rmax_left; lra.
Qed.
