(** Finite sums of real numbers over lists.

    [total l f] is the sum of [f a] over the entries [a] of the list [l], each counted as often as it
    occurs. Everything else in this development is such a sum: there is no measure theory in it. *)

From Coq Require Import Reals List Lra Permutation.
Import ListNotations.
Open Scope R_scope.

Fixpoint total {A} (l : list A) (f : A -> R) : R :=
  match l with
  | [] => 0
  | a :: rest => f a + total rest f
  end.

(** An inequality or equality of terms is one of sums. *)

Lemma total_le {A} (l : list A) f g :
  (forall a, In a l -> f a <= g a) -> total l f <= total l g.
Proof.
  induction l as [| a l IH]; simpl; intros H; [lra |].
  apply Rplus_le_compat; [apply H; auto | apply IH; intros; apply H; auto].
Qed.

Lemma total_ext {A} (l : list A) f g :
  (forall a, In a l -> f a = g a) -> total l f = total l g.
Proof.
  intros H. apply Rle_antisym; apply total_le; intros a Ha; rewrite (H a Ha); apply Rle_refl.
Qed.

Lemma total_nonneg {A} (l : list A) f : (forall a, In a l -> 0 <= f a) -> 0 <= total l f.
Proof.
  induction l as [| a l IH]; simpl; intros H; [lra |].
  apply Rplus_le_le_0_compat; [apply H; auto | apply IH; intros; apply H; auto].
Qed.

(** Sums are linear in the terms. *)

Lemma total_zero {A} (l : list A) : total l (fun _ => 0) = 0.
Proof. induction l as [| a l IH]; simpl; [| rewrite IH]; ring. Qed.

Lemma total_const {A} (l : list A) c : total l (fun _ => c) = INR (length l) * c.
Proof.
  induction l as [| a l IH]; [simpl; ring |].
  change (length (a :: l)) with (S (length l)). rewrite S_INR. simpl. rewrite IH. ring.
Qed.

Lemma total_scal {A} (l : list A) c f : total l (fun a => c * f a) = c * total l f.
Proof. induction l as [| a l IH]; simpl; [| rewrite IH]; ring. Qed.

Lemma total_scal_r {A} (l : list A) c f : total l (fun a => f a * c) = total l f * c.
Proof. induction l as [| a l IH]; simpl; [| rewrite IH]; ring. Qed.

Lemma total_plus {A} (l : list A) f g :
  total l (fun a => f a + g a) = total l f + total l g.
Proof. induction l as [| a l IH]; simpl; [| rewrite IH]; ring. Qed.

Lemma total_minus {A} (l : list A) f g :
  total l (fun a => f a - g a) = total l f - total l g.
Proof. induction l as [| a l IH]; simpl; [| rewrite IH]; ring. Qed.

(** Sums over lists that are built from others. *)

Lemma total_app {A} (l m : list A) f : total (l ++ m) f = total l f + total m f.
Proof. induction l as [| a l IH]; simpl; [| rewrite IH]; ring. Qed.

Lemma total_map {A B} (h : A -> B) (l : list A) f : total (map h l) f = total l (fun a => f (h a)).
Proof. induction l as [| a l IH]; simpl; [| rewrite IH]; ring. Qed.

Lemma total_flat_map {A B} (h : A -> list B) (l : list A) f :
  total (flat_map h l) f = total l (fun a => total (h a) f).
Proof. induction l as [| a l IH]; simpl; [| rewrite total_app, IH]; ring. Qed.

Lemma total_prod {A B} (l : list A) (m : list B) f :
  total (list_prod l m) f = total l (fun a => total m (fun b => f (a, b))).
Proof. induction l as [| a l IH]; simpl; [| rewrite total_app, total_map, IH]; ring. Qed.

Lemma total_swap {A B} (l : list A) (m : list B) f :
  total l (fun a => total m (fun b => f a b)) = total m (fun b => total l (fun a => f a b)).
Proof.
  induction l as [| a l IH]; simpl.
  - symmetry. apply total_zero.
  - rewrite IH, <- total_plus. reflexivity.
Qed.

Lemma total_permutation {A} (l m : list A) f : Permutation l m -> total l f = total m f.
Proof.
  induction 1; simpl; [ring | rewrite IHPermutation; ring | ring | congruence].
Qed.

Lemma total_filter {A} (T : A -> bool) (l : list A) f :
  total (filter T l) f = total l (fun a => if T a then f a else 0).
Proof. induction l as [| a l IH]; simpl; [| destruct (T a); simpl; rewrite IH]; ring. Qed.

(** A part of the terms has at most the sum of all, where no term is negative. *)

Lemma total_filter_le {A} (T : A -> bool) (l : list A) f :
  (forall a, In a l -> 0 <= f a) -> total (filter T l) f <= total l f.
Proof.
  intros H. rewrite total_filter. apply total_le. intros a Ha.
  destruct (T a); [apply Rle_refl | apply H; exact Ha].
Qed.

Lemma total_incl {A} (l m : list A) f :
  NoDup l -> incl l m -> (forall a, In a m -> 0 <= f a) -> total l f <= total m f.
Proof.
  revert m. induction l as [| a l IH]; intros m Hl Hm Hf; simpl.
  - apply total_nonneg, Hf.
  - inversion Hl as [| ? ? Ha Hl']; subst.
    destruct (in_split a m (Hm a (or_introl eq_refl))) as [u [v E]]. subst m.
    assert (P : Permutation (u ++ a :: v) (a :: u ++ v)) by
      (symmetry; apply Permutation_middle).
    rewrite (total_permutation _ _ f P). simpl. apply Rplus_le_compat_l, IH.
    + exact Hl'.
    + intros b Hb. assert (I := Hm b (or_intror Hb)).
      apply in_app_or in I. apply in_or_app. destruct I as [I | [-> | I]]; auto. contradiction.
    + intros b Hb. apply Hf. apply in_app_or in Hb. apply in_or_app. simpl. tauto.
Qed.

(** Only the terms that are not 0 count. *)

Lemma total_single {A} (eq_dec : forall a b : A, {a = b} + {a <> b}) (l : list A) a c :
  NoDup l -> In a l -> total l (fun b => if eq_dec a b then c else 0) = c.
Proof.
  induction l as [| b l IH]; intros Hl Ha; [contradiction |].
  inversion Hl as [| ? ? Hb Hl']; subst. simpl. destruct (eq_dec a b) as [<- | N].
  - rewrite (total_ext l _ (fun _ => 0)), total_zero; [ring |].
    intros d Hd. destruct (eq_dec a d) as [<- | _]; [contradiction | reflexivity].
  - destruct Ha as [-> | Ha]; [congruence |]. rewrite (IH Hl' Ha). ring.
Qed.

(** Sums over 0, 1, ..., n. *)

Lemma total_seq_S (n : nat) f : total (seq 0 (S n)) f = total (seq 0 n) f + f n.
Proof. rewrite seq_S, total_app. simpl. ring. Qed.

Lemma total_seq_shift (n : nat) f :
  total (seq 0 (S n)) f = f 0%nat + total (seq 0 n) (fun i => f (S i)).
Proof. simpl. rewrite <- seq_shift, total_map. ring. Qed.

Lemma total_sum_f_R0 (n : nat) f : total (seq 0 (S n)) f = sum_f_R0 f n.
Proof.
  induction n as [| n IH]; [simpl; ring |]. rewrite total_seq_S, IH. reflexivity.
Qed.
