(** Publishing the record of a random user: what delta = 1/n allows.

    n users hold a record each, of any type. The mechanism [uniform] of shuffler.v shows the record of one of them, each
    with the probability 1/n, and nothing else. Neighbours differ in one record, by replacement; all n >= 1.

    - [published_record_private]: it is (0, 1/n)-DP;
    - [published_record_needs]: where some event tells two records apart, it is for no eps (eps, delta)-DP with a delta
      below 1/n.

    Proof. An event has the probability k/n, where k of the records lie in it, and one record changes k by at most 1.
    If x alone lies in it, among n records of which the others are y, it has the probability 1/n, and 0 once x is
    replaced by y.
    Source: this package; the example is folklore. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums laws privacy shuffler.
Import ListNotations.
Open Scope R_scope.

Lemma indicator_bounds {X} (T : X -> bool) x : 0 <= indicator T x <= 1.
Proof. unfold indicator. destruct (T x); lra. Qed.

Theorem published_record_private X n : (1 <= n)%nat -> dp n (@uniform X) 0 (1 / INR n).
Proof.
  intros Hn xs ys [before x y after] <- T. unfold Pr. rewrite !mean_uniform, exp_0.
  replace (length (before ++ y :: after)) with (length (before ++ x :: after)) by (rewrite !app_length; reflexivity).
  set (n := length (before ++ x :: after)) in *.
  assert (N : 0 < / INR n) by (apply Rinv_0_lt_compat, lt_0_INR; lia).
  assert (B : total (before ++ x :: after) (indicator T) <= total (before ++ y :: after) (indicator T) + 1).
  { rewrite !total_app. simpl. assert (Bx := indicator_bounds T x). assert (By := indicator_bounds T y). lra. }
  apply (Rmult_le_compat_l (/ INR n)) in B; lra.
Qed.

Theorem published_record_needs {X} (T : X -> bool) x y n eps delta :
  (1 <= n)%nat -> T x = true -> T y = false -> dp n (@uniform X) eps delta -> 1 / INR n <= delta.
Proof.
  intros Hn Hx Hy D. destruct n as [| m]; [lia |].
  specialize (D _ _ (replace_one [] x y (repeat y m)) ltac:(simpl; rewrite repeat_length; reflexivity) T).
  assert (Z : total (repeat y m) (indicator T) = 0).
  { rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros z I. apply repeat_spec in I. subst z.
    unfold indicator. rewrite Hy. reflexivity. }
  unfold Pr in D. rewrite !mean_uniform in D. cbn [app total length] in D.
  rewrite repeat_length, Z in D. unfold indicator in D. rewrite Hx, Hy in D. lra.
Qed.
