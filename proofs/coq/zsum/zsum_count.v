(** The view of zsum: the sum, plus binomial noise.

    The messages of n users are sum + Z copies of one symbol, Z ~ Bin(n, 1 - gamma): for every data set of
    n >= 0 bits and every real gamma. So the views of neighbours are one law, or one of them is the other
    with one more message. Idea: the coins that are not silent are n - W, W ~ Bin(n, gamma) (zsum.v), and
    failures of coins are successes with the other probability. (Source: Balcer and Cheu 2020, section
    3.1.) *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Exactdp Require Import sums laws masses privacy binomial zsum zsum_privacy.
Import ListNotations.
Open Scope R_scope.

(** Successes and failures change places. *)
Lemma flips_failures n p f : mean (flips n p) (fun w => f (n - w)%nat) = mean (flips n (1 - p)) f.
Proof.
  revert f. induction n as [| n IH]; intros f; [rewrite !mean_flips_0; reflexivity |].
  rewrite !mean_flips_S, <- !IH.
  rewrite (mean_flips_ext n p (fun w => f (S n - w)%nat) (fun w => f (S (n - w)))).
  2: { intros w Hw. f_equal. lia. }
  change (fun c => f (S n - S c)%nat) with (fun c => f (n - c)%nat).
  replace (1 - (1 - p)) with p by ring. ring.
Qed.

(** Ledger rows zsum-view and zsum-view-every-gamma. *)
Theorem zsum_view_sum gamma xs f :
  mean (messages (zsum_randomizer gamma) xs) f =
  mean (flips (length xs) (1 - gamma)) (fun z => f (repeat tt (ones xs + z))).
Proof.
  rewrite zsum_view, <- flips_failures. apply mean_flips_ext. intros w Hw. do 2 f_equal. lia.
Qed.

(** Neighbours: one law, or the one is the other with one more message. *)
Theorem zsum_view_neighbors gamma xs ys : neighbors xs ys ->
  let view := fun zs => messages (zsum_randomizer gamma) zs in
  same_law (view xs) (view ys) \/ same_law (view xs) (dmap (cons tt) (view ys)) \/
  same_law (view ys) (dmap (cons tt) (view xs)).
Proof.
  intros N view. assert (O := ones_neighbors xs ys N). assert (L := neighbors_length xs ys N).
  assert (Shift : forall us vs, length us = length vs -> ones us = S (ones vs) ->
    same_law (view us) (dmap (cons tt) (view vs))).
  { intros us vs Lu S f. unfold view. rewrite mean_dmap, !zsum_view_sum, Lu, S. reflexivity. }
  assert (ones xs = ones ys \/ ones xs = S (ones ys) \/ ones ys = S (ones xs)) as [E | [E | E]] by lia.
  - left. intros f. unfold view. rewrite !zsum_view_sum, L, E. reflexivity.
  - right; left. apply Shift; assumption.
  - right; right. apply Shift; [symmetry |]; assumption.
Qed.
