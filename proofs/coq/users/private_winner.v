(** Whoever names a winner in private errs: votes that one vote decides.

    2k + 1 users vote for one of two, false or true, and a mechanism names one of them; neighbours differ in one vote,
    which is replaced. If the mechanism is (eps, delta)-DP, then for some votes, of which k or k + 1 are for true, it
    names the loser with a probability of at least (1 - delta)/(1 + e^eps); all k >= 0 and real eps, delta
    ([private_winner]).

    Proof. One vote turns k votes for true into k + 1. If the mechanism errs with the probability p for the first and q
    for the second, then 1 - q <= e^eps p + delta, which is impossible if both are smaller.
    Source: this package; the argument is folklore. *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import sums laws privacy bits.
Import ListNotations.
Open Scope R_scope.

Definition winner (votes : list bool) : bool := Nat.ltb (length votes) (2 * ones votes).

Theorem private_winner (M : list bool -> dist bool) k eps delta :
  (forall votes, proper (M votes)) -> dp (2 * k + 1) M eps delta ->
  exists votes, length votes = (2 * k + 1)%nat /\ (ones votes = k \/ ones votes = (k + 1)%nat) /\
  (1 - delta) / (1 + exp eps) <= Pr (M votes) (fun named => negb (eqb named (winner votes))).
Proof.
  intros P D. assert (E := exp_pos eps). set (rest := repeat true k ++ repeat false k).
  assert (Lr : length rest = (2 * k)%nat) by (unfold rest; rewrite app_length, !repeat_length; lia).
  assert (Or : ones rest = k).
  { unfold rest. rewrite ones_app. replace (ones (repeat true k)) with k by (clear; induction k; simpl; congruence).
    replace (ones (repeat false k)) with 0%nat by (clear; induction k; simpl; congruence). lia. }
  assert (W : winner (false :: rest) = false /\ winner (true :: rest) = true).
  { unfold winner. cbn [ones length]. rewrite Or, Lr. split; [apply Nat.ltb_ge | apply Nat.ltb_lt]; lia. }
  specialize (D _ _ (replace_one [] true false rest) ltac:(simpl; lia) (fun named => named)). cbn [app] in D.
  set (p := Pr (M (false :: rest)) (fun named => named)) in *.
  assert (Q : Pr (M (true :: rest)) (fun named => named) = 1 - Pr (M (true :: rest)) negb).
  { rewrite <- (Pr_all _ (P (true :: rest))). unfold Pr. rewrite <- mean_minus. apply mean_ext.
    intros [|]; unfold indicator; simpl; ring. }
  rewrite Q in D. set (q := Pr (M (true :: rest)) negb) in *.
  assert (B : (1 - delta) / (1 + exp eps) * (1 + exp eps) = 1 - delta) by (field; lra).
  set (b := (1 - delta) / (1 + exp eps)) in *.
  destruct (Rle_or_lt b p) as [L | L]; [exists (false :: rest) | exists (true :: rest)];
    (split; [simpl; lia |]; split; [cbn [ones]; lia |]).
  - rewrite (proj1 W), (Pr_ext _ _ (fun named => named)); [exact L |]. intros [|]; reflexivity.
  - rewrite (proj2 W), (Pr_ext _ _ negb) by (intros [|]; reflexivity). fold q.
    apply (Rmult_lt_compat_l (exp eps)) in L; lra.
Qed.
