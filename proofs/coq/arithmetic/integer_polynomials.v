(** Polynomials with integer coefficients: the same operations as in polynomials.v, but they compute.

    [of_integers] reads an integer polynomial as a real one; it commutes with all operations, so that a
    computation with integers decides about real coefficients ([nonneg_of_integers]). *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import polynomials.
Import ListNotations.
Open Scope Z_scope.

Fixpoint z_add (p q : list Z) : list Z :=
  match p, q with
  | [], _ => q
  | _, [] => p
  | a :: p', b :: q' => (a + b) :: z_add p' q'
  end.

Definition z_scale (c : Z) (p : list Z) : list Z := map (Z.mul c) p.

Fixpoint z_mul (p q : list Z) : list Z :=
  match p with
  | [] => []
  | a :: p' => z_add (z_scale a q) (0 :: z_mul p' q)
  end.

Definition z_product (ps : list (list Z)) : list Z := fold_right z_mul [1] ps.

(** u q - v p. *)
Definition z_excess (u v : Z) (q p : list Z) : list Z := z_add (z_scale u q) (z_scale (- v) p).

Definition z_nonneg (p : list Z) : bool := forallb (Z.leb 0) p.

(** ** The same as real polynomials *)

Definition of_integers (p : list Z) : polynomial := map IZR p.

Lemma of_integers_add p q : of_integers (z_add p q) = add (of_integers p) (of_integers q).
Proof.
  revert q. induction p as [| a p IH]; intros [| b q]; try reflexivity.
  simpl. rewrite plus_IZR. f_equal. apply IH.
Qed.

Lemma of_integers_scale c p : of_integers (z_scale c p) = scale (IZR c) (of_integers p).
Proof.
  induction p as [| a p IH]; [reflexivity |]. simpl. rewrite mult_IZR. f_equal. exact IH.
Qed.

Lemma of_integers_mul p q : of_integers (z_mul p q) = mul (of_integers p) (of_integers q).
Proof.
  induction p as [| a p IH]; [reflexivity |].
  simpl z_mul. rewrite of_integers_add, of_integers_scale. simpl. rewrite IH. reflexivity.
Qed.

Lemma of_integers_product ps : of_integers (z_product ps) = product (map of_integers ps).
Proof. induction ps as [| p ps IH]; [reflexivity |]. simpl. rewrite of_integers_mul, IH. reflexivity. Qed.

Lemma coefficient_of_integers p i : coefficient (of_integers p) i = IZR (nth i p 0).
Proof. unfold coefficient, of_integers. apply (map_nth IZR). Qed.

Lemma of_integers_excess u v q p :
  of_integers (z_excess u v q p) = add (scale (IZR u) (of_integers q)) (scale (- IZR v) (of_integers p)).
Proof. unfold z_excess. rewrite of_integers_add, !of_integers_scale, opp_IZR. reflexivity. Qed.

(** The check of signs is right. *)
Lemma nonneg_of_integers p : z_nonneg p = true -> nonneg (of_integers p).
Proof.
  unfold z_nonneg. intros H. rewrite forallb_forall in H. apply Forall_forall. intros a Ha.
  apply in_map_iff in Ha. destruct Ha as [z [<- Hz]]. apply IZR_le, Z.leb_le, H, Hz.
Qed.
