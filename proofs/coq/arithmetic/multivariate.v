(** Polynomials in any number of variables, as lists of terms.

    A term is a coefficient with one exponent per variable, a polynomial a list of terms, a point a list
    of real numbers. [eval] gives the value, [coefficient] collects the terms with the same exponents, and
    two polynomials with the same coefficients have the same values ([same_eval]): that is how an identity
    of polynomials is checked. Sums are lists put together; products ([mul], [power]) are expanded term by
    term, and [compose] puts a polynomial in place of each variable. *)

From Coq Require Import Reals List Lra Lia Arith.
From Exactdp Require Import sums.
Import ListNotations.
Open Scope R_scope.

Definition poly : Type := list (R * list nat).

(** x_1^e_1 x_2^e_2 ... *)
Fixpoint monomial (e : list nat) (x : list R) : R :=
  match e, x with
  | i :: e', a :: x' => a ^ i * monomial e' x'
  | _, _ => 1
  end.

Definition eval (p : poly) (x : list R) : R := total p (fun ce => fst ce * monomial (snd ce) x).

(** ** Coefficients *)

Definition exponents_dec : forall e f : list nat, {e = f} + {e <> f} := list_eq_dec Nat.eq_dec.

Definition coefficient (p : poly) (e : list nat) : R :=
  total p (fun ce => if exponents_dec (snd ce) e then fst ce else 0).

Definition same_coefficients (p q : poly) : Prop := forall e, coefficient p e = coefficient q e.

(** The value is a sum over any list of exponents in which all those of p stand once. *)
Lemma eval_by_coefficients p l x :
  NoDup l -> (forall ce, In ce p -> In (snd ce) l) ->
  eval p x = total l (fun e => coefficient p e * monomial e x).
Proof.
  intros N I. unfold coefficient.
  rewrite (total_ext l _ (fun e => total p (fun ce =>
    if exponents_dec (snd ce) e then fst ce * monomial (snd ce) x else 0))).
  - rewrite total_swap. apply total_ext. intros ce Hce. symmetry.
    apply (total_single exponents_dec); [exact N | apply I, Hce].
  - intros e _. rewrite <- total_scal_r. apply total_ext. intros ce _.
    destruct (exponents_dec (snd ce) e) as [-> | _]; ring.
Qed.

Lemma same_eval p q x : same_coefficients p q -> eval p x = eval q x.
Proof.
  intros H. set (l := nodup exponents_dec (map snd (p ++ q))).
  assert (I : forall ce, In ce (p ++ q) -> In (snd ce) l)
    by (intros ce J; apply nodup_In, in_map, J).
  rewrite !(eval_by_coefficients _ l) by
    (apply NoDup_nodup || (intros ce J; apply I, in_or_app; auto)).
  apply total_ext. intros e _. rewrite (H e). reflexivity.
Qed.

(** ** Sums and products *)

Definition constant (v : nat) (c : R) : poly := [(c, repeat 0%nat v)].

Definition scale (c : R) (p : poly) : poly := map (fun ce => (c * fst ce, snd ce)) p.

Fixpoint add_exponents (e f : list nat) : list nat :=
  match e, f with
  | [], _ => f
  | _, [] => e
  | i :: e', j :: f' => (i + j)%nat :: add_exponents e' f'
  end.

Definition mul (p q : poly) : poly :=
  flat_map (fun a => map (fun b => (fst a * fst b, add_exponents (snd a) (snd b))) q) p.

Fixpoint power (v : nat) (p : poly) (k : nat) : poly :=
  match k with
  | O => constant v 1
  | S j => mul p (power v p j)
  end.

Lemma eval_app p q x : eval (p ++ q) x = eval p x + eval q x.
Proof. apply total_app. Qed.

Lemma eval_flat_map {A} (h : A -> poly) (l : list A) x :
  eval (flat_map h l) x = total l (fun a => eval (h a) x).
Proof. apply total_flat_map. Qed.

Lemma eval_scale c p x : eval (scale c p) x = c * eval p x.
Proof.
  unfold eval, scale. rewrite total_map, <- total_scal. apply total_ext. intros ce _. simpl. ring.
Qed.

Lemma eval_constant v c x : eval (constant v c) x = c.
Proof.
  unfold eval, constant. simpl. replace (monomial (repeat 0%nat v) x) with 1; [ring |].
  revert x. induction v as [| v IH]; intros [| a x]; simpl; try reflexivity.
  rewrite <- IH. ring.
Qed.

Lemma monomial_add e f x : monomial (add_exponents e f) x = monomial e x * monomial f x.
Proof.
  revert f x. induction e as [| i e IH]; intros [| j f] [| a x]; simpl; try ring.
  rewrite IH, pow_add. ring.
Qed.

Lemma eval_mul p q x : eval (mul p q) x = eval p x * eval q x.
Proof.
  unfold eval, mul. rewrite total_flat_map, <- total_scal_r. apply total_ext. intros a _.
  rewrite total_map, <- total_scal. apply total_ext. intros b _. simpl. rewrite monomial_add. ring.
Qed.

Lemma eval_power v p k x : eval (power v p k) x = eval p x ^ k.
Proof. induction k as [| k IH]; simpl; [apply eval_constant | rewrite eval_mul, IH; reflexivity]. Qed.

(** ** A polynomial in place of each variable *)

(** The product of the powers of the lines: x_1^e_1 x_2^e_2 ... at x = lines. *)
Fixpoint compose_monomial (v : nat) (e : list nat) (lines : list poly) : poly :=
  match e, lines with
  | i :: e', line :: lines' => mul (power v line i) (compose_monomial v e' lines')
  | _, _ => constant v 1
  end.

Definition compose (v : nat) (p : poly) (lines : list poly) : poly :=
  flat_map (fun ce => scale (fst ce) (compose_monomial v (snd ce) lines)) p.

Lemma eval_compose v p lines t :
  eval (compose v p lines) t = eval p (map (fun line => eval line t) lines).
Proof.
  unfold compose. rewrite eval_flat_map. unfold eval at 2. apply total_ext. intros [c e] _. simpl.
  rewrite eval_scale. f_equal. revert lines.
  induction e as [| i e IH]; intros [| line lines]; simpl; try apply eval_constant.
  rewrite eval_mul, eval_power, IH. reflexivity.
Qed.
