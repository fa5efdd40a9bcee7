(** Sums of non-negative terms over all outcomes of any type, finitely or infinitely many.

    [sum_of f s] says that s is the sum of all f a: the least upper bound of the sums over finite sets of
    outcomes. So the masses of a law D have the sum 1, and the mean of f >= 0 under D is the sum of the
    D a * f a. Proved, for terms that are not negative:
    - sums are unique, add up, and a finite sum of sums is the sum of the finite sums;
    - [double_sum]: adding up over a first or over b first gives the same;
    - [sum_of_product]: the sum over all pairs of u a * v b is the product of the two sums.
    Idea: two finite sets lie in one, and a finite set of pairs in a box. (All of it is standard.) *)

From Coq Require Import Reals List Lra.
From Exactdp Require Import sums masses product_laws.
Import ListNotations.
Open Scope R_scope.

Definition sum_of {A} (f : A -> R) (s : R) : Prop :=
  is_lub (fun t => exists l, NoDup l /\ t = total l f) s.

Lemma sum_of_upper {A} (f : A -> R) s l : sum_of f s -> NoDup l -> total l f <= s.
Proof. intros [U _] N. apply U. exists l. auto. Qed.

Lemma sum_of_least {A} (f : A -> R) s b : sum_of f s -> (forall l, NoDup l -> total l f <= b) -> s <= b.
Proof. intros [_ L] H. apply L. intros t [l [N ->]]. apply H, N. Qed.

Lemma sum_of_intro {A} (f : A -> R) s :
  (forall l, NoDup l -> total l f <= s) -> (forall b, (forall l, NoDup l -> total l f <= b) -> s <= b) ->
  sum_of f s.
Proof.
  intros U L. split; [intros t [l [N ->]]; apply U, N |].
  intros b Hb. apply L. intros l N. apply Hb. exists l. auto.
Qed.

(** There is one sum at most. *)
Lemma sum_of_unique {A} (f : A -> R) s t : sum_of f s -> sum_of f t -> s = t.
Proof. apply is_lub_u. Qed.

Lemma sum_of_ext {A} (f g : A -> R) s : (forall a, f a = g a) -> sum_of f s -> sum_of g s.
Proof.
  intros E H. assert (T : forall l, total l g = total l f) by (intros l; apply total_ext; auto).
  apply sum_of_intro; [intros l N; rewrite T; apply sum_of_upper; assumption |].
  intros b Hb. apply (sum_of_least f); [exact H |]. intros l N. rewrite <- T. apply Hb, N.
Qed.

Lemma sum_of_nonneg {A} (f : A -> R) s : sum_of f s -> 0 <= s.
Proof. intros H. apply (sum_of_upper f s []); [exact H | constructor]. Qed.

(** The masses of a law add up to 1. *)
Lemma law_sum_of {A} (D : A -> R) : law D <-> (forall a, 0 <= D a) /\ sum_of D 1.
Proof.
  split; intros [P [U L]]; (split; [exact P | split]).
  - intros s [l [N ->]]. apply U. exists l. auto.
  - intros b Hb. apply L. intros s [l [N [_ ->]]]. apply Hb. exists l. auto.
  - intros s [l [N [_ ->]]]. apply U. exists l. auto.
  - intros b Hb. apply L. intros s [l [N ->]]. apply Hb. exists l. auto.
Qed.

(** ** Sums of finitely many sums *)

(** Two finite sets lie in one. *)
Lemma in_one_set {A} (l m : list A) : exists u, NoDup u /\ incl l u /\ incl m u.
Proof.
  destruct (without_repetitions (l ++ m)) as [u [N H]]. exists u. split; [exact N |].
  split; intros a I; apply H, in_or_app; auto.
Qed.

Lemma sum_of_zero {A} : sum_of (fun _ : A => 0) 0.
Proof.
  apply sum_of_intro.
  - intros l _. rewrite total_zero. apply Rle_refl.
  - intros b H. apply (H []). constructor.
Qed.

Lemma sum_of_plus {A} (f g : A -> R) s t :
  (forall a, 0 <= f a) -> (forall a, 0 <= g a) -> sum_of f s -> sum_of g t ->
  sum_of (fun a => f a + g a) (s + t).
Proof.
  intros Pf Pg Hf Hg. apply sum_of_intro.
  - intros l N. rewrite total_plus. apply Rplus_le_compat; apply sum_of_upper; assumption.
  - intros b Hb. assert (s <= b - t); [| lra]. apply (sum_of_least f _ _ Hf). intros l Nl.
    assert (t <= b - total l f); [| lra]. apply (sum_of_least g _ _ Hg). intros m Nm.
    destruct (in_one_set l m) as [u [Nu [L M]]]. specialize (Hb u Nu). rewrite total_plus in Hb.
    assert (total l f <= total u f) by (apply total_incl; auto).
    assert (total m g <= total u g) by (apply total_incl; auto). lra.
Qed.

Lemma sum_of_scal {A} (f : A -> R) c s : 0 <= c -> sum_of f s -> sum_of (fun a => c * f a) (c * s).
Proof.
  intros [Hc | <-] H.
  - apply sum_of_intro.
    + intros l N. rewrite total_scal. apply Rmult_le_compat_l; [lra | apply sum_of_upper; assumption].
    + intros b Hb. apply Rmult_le_reg_l with (/ c); [apply Rinv_0_lt_compat, Hc |].
      rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. apply (sum_of_least f _ _ H). intros l N.
      apply Rmult_le_reg_l with c; [exact Hc |]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
      rewrite <- total_scal. apply Hb, N.
  - rewrite Rmult_0_l. apply (sum_of_ext (fun _ => 0)); [intros; ring | apply sum_of_zero].
Qed.

(** The sum over all a of finite sums is the finite sum of the sums over all a. *)
Lemma sum_of_total {A B} (g : B -> A -> R) (u : B -> R) (m : list B) :
  (forall b a, 0 <= g b a) -> (forall b, sum_of (g b) (u b)) ->
  sum_of (fun a => total m (fun b => g b a)) (total m u).
Proof.
  intros P H. induction m as [| b m IH]; simpl; [apply sum_of_zero |].
  apply sum_of_plus; auto. intros a. apply total_nonneg. auto.
Qed.

(** ** Double sums and products *)

Lemma double_sum_one_way {A B} (g : A -> B -> R) (u : A -> R) (v : B -> R) s :
  (forall a b, 0 <= g a b) -> (forall a, sum_of (g a) (u a)) -> (forall b, sum_of (fun a => g a b) (v b)) ->
  sum_of u s -> sum_of v s.
Proof.
  intros P Hu Hv Hs. apply sum_of_intro.
  - intros m Nm. assert (T := sum_of_total (fun b a => g a b) v m (fun b a => P a b) Hv).
    apply (sum_of_least _ _ _ T). intros l Nl.
    apply Rle_trans with (total l u); [| apply sum_of_upper; assumption].
    apply total_le. intros a _. apply sum_of_upper; [apply Hu | exact Nm].
  - intros c Hc. apply (sum_of_least u _ _ Hs). intros l Nl.
    apply (sum_of_least _ _ _ (sum_of_total g u l P Hu)). intros m Nm.
    apply Rle_trans with (total m v); [| apply Hc, Nm].
    apply total_le. intros b _. apply (sum_of_upper (fun a => g a b)); [apply Hv | exact Nl].
Qed.

(** The order of two sums does not matter. *)
Theorem double_sum {A B} (g : A -> B -> R) (u : A -> R) (v : B -> R) s :
  (forall a b, 0 <= g a b) -> (forall a, sum_of (g a) (u a)) -> (forall b, sum_of (fun a => g a b) (v b)) ->
  (sum_of u s <-> sum_of v s).
Proof.
  intros P Hu Hv. split; [apply (double_sum_one_way g) | apply (double_sum_one_way (fun b a => g a b))]; auto.
Qed.

(** What is at least every x t, t a finite part of the sum, is at least x times the sum. *)
Lemma bound_by_finite_sums {B} (v : B -> R) t x c :
  0 <= x -> sum_of v t -> (forall m, NoDup m -> x * total m v <= c) -> x * t <= c.
Proof.
  intros Hx H Hc. apply (sum_of_least _ _ _ (sum_of_scal v x t Hx H)). intros m N. rewrite total_scal. auto.
Qed.

Lemma sum_of_product {A B} (u : A -> R) (v : B -> R) s t :
  (forall a, 0 <= u a) -> (forall b, 0 <= v b) -> sum_of u s -> sum_of v t -> sum_of (pair_mass u v) (s * t).
Proof.
  intros Pu Pv Hu Hv. apply sum_of_intro.
  - intros l N. destruct (inside_box l) as [x [y [Nx [Ny I]]]].
    apply Rle_trans with (total (list_prod x y) (pair_mass u v)).
    + apply total_incl; [exact N | exact I | intros z _; apply pair_mass_nonneg; assumption].
    + rewrite total_box.
      apply Rmult_le_compat; try (apply total_nonneg; auto); apply sum_of_upper; assumption.
  - intros c Hc. rewrite Rmult_comm.
    apply (bound_by_finite_sums u); [apply (sum_of_nonneg v), Hv | exact Hu |].
    intros x Nx. rewrite Rmult_comm.
    apply (bound_by_finite_sums v); [apply total_nonneg; auto | exact Hv |].
    intros y Ny. rewrite <- total_box. apply Hc, box_without_repetitions; assumption.
Qed.
