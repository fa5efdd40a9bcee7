(** Polynomials with integer coefficients in any number of variables, as programs.

    A polynomial is a list of terms, an integer with one exponent for each variable; they are added as keyed_sums.v
    says. [times] and [times_power] expand products. Rational coefficients are written over their common denominator
    ([clear]).

    Shown of them here: the value at every point, of any length, is the one that it says ([eval_sum], [eval_times],
    [eval_times_power], [eval_clear], [is_zero_polynomial]).

    Source: arithmetic/multivariate.v, whose polynomials these are; exactdp/checker/inequalities.py. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums multivariate.
From ExactdpChecker Require Import claims posed keyed_sums.
Import ListNotations.
Open Scope Z_scope.

Definition z_poly : Type := weighted (list nat).

(** The order of exponents. *)
Fixpoint compare_exponents (e f : list nat) : comparison :=
  match e, f with
  | [], [] => Eq
  | [], _ => Lt
  | _, [] => Gt
  | i :: e', j :: f' =>
      match Nat.compare i j with
      | Eq => compare_exponents e' f'
      | Lt => Lt
      | Gt => Gt
      end
  end.

Definition shift (c : Z) (e : list nat) (q : z_poly) : z_poly :=
  fast_map (fun bf => (c * fst bf, add_exponents e (snd bf))) q.

Definition times (p q : z_poly) : z_poly := sum compare_exponents (fast_map (fun ae => shift (fst ae) (snd ae) q) p).

Definition one (v : nat) : z_poly := [(1, repeat 0%nat v)].

(** p times q^k. *)
Fixpoint times_power (p q : z_poly) (k : nat) : z_poly :=
  match k with
  | O => p
  | S j => times_power (times p q) q j
  end.

(** A rational polynomial as its common denominator and the numerators over it. *)
Definition clear (p : rational_poly) : Z * z_poly :=
  let d := common_denominator (fast_map fst p)
    in (d, sum compare_exponents (fast_map (fun ce => [(over d (fst ce), snd ce)]) p)).

(** ** Their values *)

Definition of_z (p : z_poly) : poly := map (fun ce => (IZR (fst ce), snd ce)) p.

Definition z_eval (p : z_poly) (x : list R) : R := eval (of_z p) x.

Lemma z_eval_total p x : z_eval p x = total p (fun ce => (IZR (fst ce) * monomial (snd ce) x)%R).
Proof. unfold z_eval, eval, of_z. apply total_map. Qed.

Lemma z_eval_cons c e p x : z_eval ((c, e) :: p) x = (IZR c * monomial e x + z_eval p x)%R.
Proof. reflexivity. Qed.

Lemma compare_exponents_eq e f : compare_exponents e f = Eq -> e = f.
Proof.
  revert f. induction e as [| i e IH]; intros [| j f]; simpl; try discriminate; [reflexivity |].
  destruct (Nat.compare_spec i j) as [-> | |]; try discriminate. intros H. rewrite (IH f H). reflexivity.
Qed.

Lemma z_eval_weight p x : z_eval p x = weight p (fun e => monomial e x).
Proof. apply z_eval_total. Qed.

Lemma eval_sum ps x : z_eval (sum compare_exponents ps) x = total ps (fun p => z_eval p x).
Proof.
  rewrite z_eval_weight, weight_sum by apply compare_exponents_eq. apply total_ext. intros p _. symmetry.
  apply z_eval_weight.
Qed.

Lemma eval_shift c e q x : z_eval (shift c e q) x = (IZR c * monomial e x * z_eval q x)%R.
Proof.
  unfold shift. rewrite fast_map_map, !z_eval_total, total_map, <- total_scal. apply total_ext. intros bf _. simpl.
  rewrite mult_IZR, monomial_add. ring.
Qed.

Lemma eval_times p q x : z_eval (times p q) x = (z_eval p x * z_eval q x)%R.
Proof.
  unfold times. rewrite fast_map_map, eval_sum, total_map, (z_eval_total p), <- total_scal_r. apply total_ext.
  intros ae _.
  apply eval_shift.
Qed.

Lemma eval_one v x : z_eval (one v) x = 1%R.
Proof. apply (eval_constant v 1). Qed.

Lemma eval_times_power p q k x : z_eval (times_power p q k) x = (z_eval p x * z_eval q x ^ k)%R.
Proof.
  revert p. induction k as [| k IH]; intros p; simpl; [ring |]. rewrite IH, eval_times. ring.
Qed.

Lemma clear_positive p : 0 < fst (clear p).
Proof. apply common_denominator_positive. Qed.

Lemma eval_clear p x : z_eval (snd (clear p)) x = (IZR (fst (clear p)) * eval (real_poly p) x)%R.
Proof.
  unfold clear. simpl. rewrite !fast_map_map, eval_sum, total_map. set (d := common_denominator (map fst p)).
  unfold eval, real_poly. rewrite total_map, <- total_scal. apply total_ext. intros ce I. rewrite z_eval_cons. simpl.
  change (z_eval [] x) with 0%R. rewrite over_value; [ring | apply common_denominator_positive |].
  apply common_denominator_divides, in_map, I.
Qed.

Lemma is_zero_polynomial p x : is_zero p = true -> z_eval p x = 0%R.
Proof. rewrite z_eval_weight. apply is_zero_sound. Qed.
