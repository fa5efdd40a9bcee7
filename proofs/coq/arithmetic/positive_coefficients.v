(** Positive parts of coefficients bound positive parts.

    Polynomials in any number of variables, as lists of terms, at a point u where no monomial is negative. If for all
    exponents the positive parts of the coefficients of several polynomials add up to at most the coefficient of a bound,
    then the positive parts of their values at u add up to at most the value of the bound ([positive_parts_below]).

    Idea: the positive part of a sum is at most the sum of the positive parts.
    Source: docs/soundness.md, "for_all"; the class PackedLevel of exactdp/checker/symbolic_claims.py. *)

From Coq Require Import Reals List Lra.
From Exactdp Require Import sums multivariate.
Import ListNotations.
Open Scope R_scope.

Theorem positive_parts_below (ps : list poly) (bound : poly) u : (forall e, 0 <= monomial e u) ->
  (forall e, total ps (fun p => Rmax 0 (coefficient p e)) <= coefficient bound e) ->
  total ps (fun p => Rmax 0 (eval p u)) <= eval bound u.
Proof.
  intros U H. set (l := nodup exponents_dec (map snd (concat (bound :: ps)))).
  assert (V : forall p, In p (bound :: ps) -> eval p u = total l (fun e => coefficient p e * monomial e u)).
  { intros p I. apply eval_by_coefficients; [apply NoDup_nodup |]. intros ce J. apply nodup_In, in_map, in_concat.
    exists p. auto. }
  rewrite (V bound) by (left; reflexivity).
  apply Rle_trans with (total l (fun e => total ps (fun p => Rmax 0 (coefficient p e)) * monomial e u)).
  - rewrite (total_ext l _ (fun e => total ps (fun p => Rmax 0 (coefficient p e) * monomial e u)))
      by (intros e _; symmetry; apply total_scal_r).
    rewrite total_swap. apply total_le. intros p I. rewrite (V p) by (right; exact I). apply Rmax_lub.
    + apply total_nonneg. intros e _. apply Rmult_le_pos; [apply Rmax_l | apply U].
    + apply total_le. intros e _. apply Rmult_le_compat_r; [apply U | apply Rmax_r].
  - apply total_le. intros e _. apply Rmult_le_compat_r; [apply U | apply H].
Qed.
