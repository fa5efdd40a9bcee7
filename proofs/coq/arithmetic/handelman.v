(** Inequalities by products: products of non-negative numbers are non-negative.

    The claim of the checker's kind [inequality] (the method [Inequality.prove]): for all real values of
    the variables, if every hypothesis g_i >= 0 holds (g_i > 0 where it is strict), then f >= 0 (f > 0 where
    it is strict). The proof that it accepts is a list of terms, each a positive coefficient c and one
    power k_i per hypothesis, such that

    - f and the sum of the c g_1^k_1 g_2^k_2 ... have the same coefficients after expansion;
    - if f is strict, then in some term only strict hypotheses have a positive power.

    Here: any such list proves the claim, for any number of variables, hypotheses and terms, and real
    coefficients ([inequality_proved]). A point where all hypotheses hold and the conclusion does not
    refutes it ([inequality_refuted]).

    Proof. Each term is >= 0 at every point where the hypotheses hold, and > 0 if its powers are of strict
    ones only. Source: Handelman 1988 for the form of the identities; this package, docs/certificates.md. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums multivariate.
Import ListNotations.
Open Scope R_scope.

(** A polynomial that is at least 0, or above 0 where strict. *)
Record condition : Type := { polynomial : poly; strict : bool }.

Definition satisfied (g : condition) (x : list R) : Prop :=
  if strict g then 0 < eval (polynomial g) x else 0 <= eval (polynomial g) x.

Definition inequality (hypotheses : list condition) (conclusion : condition) : Prop :=
  forall x, (forall g, In g hypotheses -> satisfied g x) -> satisfied conclusion x.

(** g_1^k_1 g_2^k_2 ..., expanded, in v variables. *)
Fixpoint product (v : nat) (hypotheses : list condition) (powers : list nat) : poly :=
  match hypotheses, powers with
  | g :: hypotheses', k :: powers' => mul (power v (polynomial g) k) (product v hypotheses' powers')
  | _, _ => constant v 1
  end.

Definition sum_of_terms (v : nat) (hypotheses : list condition) (terms : list (R * list nat)) : poly :=
  flat_map (fun ck => scale (fst ck) (product v hypotheses (snd ck))) terms.

(** Only strict hypotheses have a positive power. *)
Definition known_positive (hypotheses : list condition) (powers : list nat) : Prop :=
  forall g k, In (g, k) (combine hypotheses powers) -> strict g = true \/ k = 0%nat.

Lemma satisfied_nonneg g x : satisfied g x -> 0 <= eval (polynomial g) x.
Proof. unfold satisfied. destruct (strict g); lra. Qed.

Lemma product_nonneg v hypotheses powers x :
  (forall g, In g hypotheses -> satisfied g x) -> 0 <= eval (product v hypotheses powers) x.
Proof.
  revert powers. induction hypotheses as [| g hypotheses IH]; intros [| k powers] H; simpl;
    try (rewrite eval_constant; lra).
  rewrite eval_mul, eval_power. apply Rmult_le_pos.
  - apply pow_le, satisfied_nonneg, H. left. reflexivity.
  - apply IH. intros h I. apply H. right. exact I.
Qed.

Lemma product_positive v hypotheses powers x :
  (forall g, In g hypotheses -> satisfied g x) -> known_positive hypotheses powers ->
  0 < eval (product v hypotheses powers) x.
Proof.
  revert powers. induction hypotheses as [| g hypotheses IH]; intros [| k powers] H P; simpl;
    try (rewrite eval_constant; lra).
  rewrite eval_mul, eval_power. apply Rmult_lt_0_compat.
  - destruct (P g k) as [S | ->]; [left; reflexivity | | simpl; lra].
    apply pow_lt. specialize (H g (or_introl eq_refl)). unfold satisfied in H. rewrite S in H. exact H.
  - apply IH.
    + intros h I. apply H. right. exact I.
    + intros h j I. apply P. right. exact I.
Qed.

(** A sum of numbers >= 0 one of which is > 0. *)
Lemma total_positive {A} (l : list A) f a :
  (forall b, In b l -> 0 <= f b) -> In a l -> 0 < f a -> 0 < total l f.
Proof.
  intros N I P. apply in_split in I. destruct I as [u [w ->]]. rewrite total_app. simpl.
  assert (0 <= total u f) by (apply total_nonneg; intros; apply N, in_or_app; auto).
  assert (0 <= total w f) by (apply total_nonneg; intros; apply N, in_or_app; simpl; auto).
  lra.
Qed.

Theorem inequality_proved v hypotheses conclusion terms :
  (forall ck, In ck terms -> 0 < fst ck) ->
  same_coefficients (polynomial conclusion) (sum_of_terms v hypotheses terms) ->
  (strict conclusion = true -> exists ck, In ck terms /\ known_positive hypotheses (snd ck)) ->
  inequality hypotheses conclusion.
Proof.
  intros C E S x H.
  assert (V : eval (polynomial conclusion) x =
    total terms (fun ck => fst ck * eval (product v hypotheses (snd ck)) x)).
  { rewrite (same_eval _ _ x E). unfold sum_of_terms. rewrite eval_flat_map.
    apply total_ext. intros ck _. apply eval_scale. }
  assert (N : forall ck, In ck terms -> 0 <= fst ck * eval (product v hypotheses (snd ck)) x).
  { intros ck I. apply Rmult_le_pos; [left; apply C, I | apply product_nonneg, H]. }
  unfold satisfied. rewrite V. destruct (strict conclusion).
  - destruct (S eq_refl) as [ck [I P]]. apply (total_positive _ _ ck N I).
    apply Rmult_lt_0_compat; [apply C, I | apply product_positive; assumption].
  - apply total_nonneg, N.
Qed.

Theorem inequality_refuted hypotheses conclusion x :
  (forall g, In g hypotheses -> satisfied g x) -> ~ satisfied conclusion x -> ~ inequality hypotheses conclusion.
Proof. intros H N I. apply N, I, H. Qed.
