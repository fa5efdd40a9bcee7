(** Two points decide a linear ratio.

    Let D be a law on 0, 1, 2, ... with D(t+1) = (A t + B)/(t + 1) D(t) for every t: a Poisson law
    (A = 0, B = mu), a negative binomial one (A = p, B = r p), a geometric one (A = B = p). Two of them
    whose ratios agree at t = 0 and at t = 1 have the same A and B, and are the same law ([two_points]).

    Idea: the ratios are B and (A + B)/2. Then the masses agree up to a factor, which is 1 because both
    add up to 1.

    The method EqualLaws.prove of exactdp/checker/equal_laws.py rests on it.
    Source: docs/certificates.md. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums masses product_laws.
Import ListNotations.
Open Scope R_scope.

Definition linear_ratio (A B : R) (t : nat) : R := (A * INR t + B) / INR (S t).

Definition has_linear_ratio (D : nat -> R) (A B : R) : Prop :=
  forall t, D (S t) = linear_ratio A B t * D t.

Lemma same_line A B A' B' :
  linear_ratio A B 0 = linear_ratio A' B' 0 -> linear_ratio A B 1 = linear_ratio A' B' 1 -> A = A' /\ B = B'.
Proof. unfold linear_ratio. simpl. intros H0 H1. split; lra. Qed.

(** Equal up to the masses at 0. *)
Lemma equal_up_to_factor D D' A B :
  has_linear_ratio D A B -> has_linear_ratio D' A B -> forall t, D' 0%nat * D t = D 0%nat * D' t.
Proof.
  intros H H' t. induction t as [| t IH]; [ring |]. rewrite H, H'.
  replace (D' 0%nat * (linear_ratio A B t * D t)) with (linear_ratio A B t * (D' 0%nat * D t)) by ring.
  rewrite IH. ring.
Qed.

Lemma factor_at_most D D' A B :
  law D -> law D' -> has_linear_ratio D A B -> has_linear_ratio D' A B -> D' 0%nat <= D 0%nat.
Proof.
  intros L L' H H'. apply (bound_by_parts D); [exact L | apply L' |]. intros v N.
  rewrite <- total_scal, (total_ext v _ (fun t => D 0%nat * D' t))
    by (intros; apply (equal_up_to_factor D D' A B); assumption).
  rewrite total_scal, <- (Rmult_1_r (D 0%nat)) at 1. rewrite Rmult_1_r at 1.
  rewrite <- (Rmult_1_r (D 0%nat)) at 2.
  apply Rmult_le_compat_l; [apply L | apply law_finite; assumption].
Qed.

Theorem two_points D D' A B A' B' :
  law D -> law D' -> has_linear_ratio D A B -> has_linear_ratio D' A' B' ->
  linear_ratio A B 0 = linear_ratio A' B' 0 -> linear_ratio A B 1 = linear_ratio A' B' 1 ->
  forall t, D t = D' t.
Proof.
  intros L L' H H' E0 E1 t. destruct (same_line A B A' B' E0 E1) as [<- <-].
  assert (E : D 0%nat = D' 0%nat).
  { apply Rle_antisym; [apply (factor_at_most D' D A B) | apply (factor_at_most D D' A B)]; assumption. }
  induction t as [| t IH]; [exact E |]. rewrite H, H', IH. reflexivity.
Qed.

(** The ratios that the checker compares. *)
Lemma poisson_is_linear mu t : linear_ratio 0 mu t = mu / (INR t + 1).
Proof. unfold linear_ratio. rewrite S_INR. f_equal. ring. Qed.

Lemma negative_binomial_is_linear r p t : linear_ratio p (r * p) t = (r + INR t) * p / (INR t + 1).
Proof. unfold linear_ratio. rewrite S_INR. f_equal. ring. Qed.
