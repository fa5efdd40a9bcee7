(** Polynomials as lists of coefficients, and why a product of them is a sum of independent counts.

    The polynomial p = [p_0; p_1; ...] stands for the number i with the weight p_i. [against p f] is
    p_0 f(0) + p_1 f(1) + ..., the expectation of f but for a factor. What everything rests on is
    [against_mul]: against the product of p and q, f has the sum of p_i q_j f(i + j), which is what it
    is for two independent counts i and j that are added. Coefficients ([coefficient_mul]) and values
    ([value_mul]) of products are the cases f = 1 at one number only, and f(i) = z^i.

    Integer polynomials, which compute: integer_polynomials.v. *)

From Coq Require Import Reals List ZArith Lra Lia Permutation.
From Exactdp Require Import sums.
Import ListNotations.
Open Scope R_scope.

Definition polynomial : Type := list R.

Fixpoint add (p q : polynomial) : polynomial :=
  match p, q with
  | [], _ => q
  | _, [] => p
  | a :: p', b :: q' => (a + b) :: add p' q'
  end.

Definition scale (c : R) (p : polynomial) : polynomial := map (Rmult c) p.

Fixpoint mul (p q : polynomial) : polynomial :=
  match p with
  | [] => []
  | a :: p' => add (scale a q) (0 :: mul p' q)
  end.

Definition product (ps : list polynomial) : polynomial := fold_right mul [1] ps.

(** c q - p. *)
Definition excess (c : R) (q p : polynomial) : polynomial := add (scale c q) (scale (-1) p).

Definition coefficient (p : polynomial) (i : nat) : R := nth i p 0.

Definition nonneg (p : polynomial) : Prop := Forall (fun a => 0 <= a) p.

Fixpoint against (p : polynomial) (f : nat -> R) : R :=
  match p with
  | [] => 0
  | a :: p' => a * f O + against p' (fun i => f (S i))
  end.

Definition value (p : polynomial) (z : R) : R := against p (fun i => z ^ i).

(** ** [against] is linear on both sides. *)

Lemma against_ext p f g : (forall i, f i = g i) -> against p f = against p g.
Proof.
  revert f g. induction p as [| a p IH]; simpl; intros f g H; [reflexivity |].
  rewrite (H O), (IH _ (fun i => g (S i))); [reflexivity |]. intros i. apply H.
Qed.

Lemma against_zero p : against p (fun _ => 0) = 0.
Proof. induction p as [| a p IH]; simpl; rewrite ?IH; ring. Qed.

Lemma against_plus p f g : against p (fun i => f i + g i) = against p f + against p g.
Proof. revert f g. induction p as [| a p IH]; simpl; intros f g; rewrite ?IH; ring. Qed.

Lemma against_times p c f : against p (fun i => c * f i) = c * against p f.
Proof. revert f. induction p as [| a p IH]; simpl; intros f; rewrite ?IH; ring. Qed.

Lemma against_add p q f : against (add p q) f = against p f + against q f.
Proof. revert q f. induction p as [| a p IH]; intros [| b q] f; simpl; rewrite ?IH; ring. Qed.

Lemma against_scale c p f : against (scale c p) f = c * against p f.
Proof. revert f. induction p as [| a p IH]; simpl; intros f; rewrite ?IH; ring. Qed.

Lemma against_excess c q p f : against (excess c q p) f = c * against q f - against p f.
Proof. unfold excess. rewrite against_add, !against_scale. ring. Qed.

(** ** Products are sums of independent counts. *)

Lemma against_mul p q f : against (mul p q) f = against p (fun i => against q (fun j => f (i + j)%nat)).
Proof.
  revert f. induction p as [| a p IH]; simpl; intros f; [reflexivity |].
  rewrite against_add, against_scale. simpl. rewrite IH.
  change (against q (fun j => f j)) with (against q f). simpl. ring.
Qed.

Lemma against_swap p q (f : nat -> nat -> R) :
  against p (fun i => against q (fun j => f i j)) = against q (fun j => against p (fun i => f i j)).
Proof.
  revert f. induction p as [| a p IH]; simpl; intros f; [symmetry; apply against_zero |].
  rewrite (IH (fun i j => f (S i) j)), <- against_times, <- against_plus. reflexivity.
Qed.

Lemma against_product_cons p ps f :
  against (product (p :: ps)) f = against p (fun i => against (product ps) (fun j => f (i + j)%nat)).
Proof. apply against_mul. Qed.

Lemma against_product_app ps qs f :
  against (product (ps ++ qs)) f = against (mul (product ps) (product qs)) f.
Proof.
  revert f. induction ps as [| p ps IH]; intros f.
  - rewrite against_mul. simpl. rewrite Rmult_1_l, Rplus_0_r. reflexivity.
  - simpl app. rewrite against_product_cons, !against_mul, against_product_cons.
    apply against_ext. intros i. rewrite IH, against_mul. apply against_ext. intros j.
    apply against_ext. intros k. f_equal. lia.
Qed.

(** The order of the factors does not matter. *)
Lemma against_product_permutation ps qs f :
  Permutation ps qs -> against (product ps) f = against (product qs) f.
Proof.
  intros H. revert f. induction H as [| p ps qs _ IH | p q ps | ps qs rs _ IH _ IH']; intros f.
  - reflexivity.
  - rewrite !against_product_cons. apply against_ext. intros i. apply IH.
  - rewrite !against_product_cons.
    rewrite (against_ext q _ (fun i => against p (fun j => against (product ps)
              (fun k => f (i + (j + k))%nat)))) by (intros; apply against_product_cons).
    rewrite against_swap. apply against_ext. intros i. rewrite against_product_cons.
    apply against_ext. intros j. apply against_ext. intros k. f_equal. lia.
  - rewrite IH. apply IH'.
Qed.

(** ** Values and coefficients *)

Lemma value_mul p q z : value (mul p q) z = value p z * value q z.
Proof.
  unfold value. rewrite against_mul, Rmult_comm, <- against_times. apply against_ext. intros i.
  rewrite Rmult_comm, <- against_times. apply against_ext. intros j. apply pow_add.
Qed.

Lemma coefficient_against p i : coefficient p i = against p (fun j => if Nat.eqb j i then 1 else 0).
Proof.
  unfold coefficient. revert i. induction p as [| a p IH]; intros [| i]; simpl; try reflexivity.
  - rewrite against_zero. ring.
  - rewrite IH. ring.
Qed.

Lemma coefficient_add p q i : coefficient (add p q) i = coefficient p i + coefficient q i.
Proof. rewrite !coefficient_against. apply against_add. Qed.

Lemma coefficient_scale c p i : coefficient (scale c p) i = c * coefficient p i.
Proof. rewrite !coefficient_against. apply against_scale. Qed.

(** Multiplication is convolution. *)
Lemma coefficient_mul p q k :
  coefficient (mul p q) k = total (seq 0 (S k)) (fun i => coefficient p i * coefficient q (k - i)).
Proof.
  revert k. induction p as [| a p IH]; intros k.
  - rewrite (total_ext _ _ (fun _ => 0)), total_zero; [unfold coefficient; destruct k; reflexivity |].
    intros [| i] _; unfold coefficient; simpl; ring.
  - simpl mul. rewrite coefficient_add, coefficient_scale, total_seq_shift, Nat.sub_0_r.
    unfold coefficient at 3. simpl nth. f_equal. destruct k as [| k]; [reflexivity |].
    change (coefficient (0 :: mul p q) (S k)) with (coefficient (mul p q) k). apply IH.
Qed.

(** The coefficient of z^0 of a product is the product of those of the factors. *)
Lemma coefficient_product_0 ps :
  coefficient (product ps) 0 = fold_right (fun p c => coefficient p 0 * c) 1 ps.
Proof.
  induction ps as [| p ps IH]; [reflexivity |].
  change (product (p :: ps)) with (mul p (product ps)). rewrite coefficient_mul. simpl. rewrite IH. ring.
Qed.

(** ** Polynomials without negative coefficients *)

Lemma nonneg_add p q : nonneg p -> nonneg q -> nonneg (add p q).
Proof.
  intros Hp. revert q. induction Hp as [| a p Ha Hp IH]; intros q Hq; [exact Hq |].
  destruct Hq as [| b q Hb Hq]; constructor; [exact Ha | exact Hp | lra | apply IH, Hq].
Qed.

Lemma nonneg_scale c p : 0 <= c -> nonneg p -> nonneg (scale c p).
Proof.
  intros Hc Hp. induction Hp as [| a p Ha Hp IH]; constructor; [| exact IH].
  apply Rmult_le_pos; assumption.
Qed.

Lemma nonneg_mul p q : nonneg p -> nonneg q -> nonneg (mul p q).
Proof.
  intros Hp Hq. induction Hp as [| a p Ha Hp IH]; [constructor |].
  apply nonneg_add; [apply nonneg_scale; assumption |]. constructor; [apply Rle_refl | exact IH].
Qed.

Lemma nonneg_product ps : (forall p, In p ps -> nonneg p) -> nonneg (product ps).
Proof.
  induction ps as [| p ps IH]; intros H; simpl.
  - constructor; [lra | constructor].
  - apply nonneg_mul; [apply H; left; reflexivity | apply IH; intros; apply H; right; assumption].
Qed.

Lemma nonneg_against p f : nonneg p -> (forall i, 0 <= f i) -> 0 <= against p f.
Proof.
  intros Hp. revert f. induction Hp as [| a p Ha _ IH]; intros f Hf; simpl; [lra |].
  apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [exact Ha | apply Hf] |]. apply IH. intros. apply Hf.
Qed.

Lemma nonneg_coefficient p : nonneg p <-> forall i, 0 <= coefficient p i.
Proof.
  split.
  - intros H i. rewrite coefficient_against. apply nonneg_against; [exact H |]. intros j.
    destruct (Nat.eqb j i); lra.
  - induction p as [| a p IH]; intros H; constructor; [apply (H O) | apply IH; intros i; apply (H (S i))].
Qed.
