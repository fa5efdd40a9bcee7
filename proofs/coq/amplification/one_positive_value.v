(** The mean excess of n copies where one value is positive and the negative ones are large.

    [mean_excess_one_value]: let L be a with probability w, 0 with probability z, and else at most -(n - 1) a, for
    a >= 0. Then for every n >= 1

      (1/n) E[max(0, L_1 + ... + L_n)] = a w (w + z)^(n-1).

    It is the divergence close to the largest privacy loss of a randomizer. Idea: one negative value outweighs all
    others, so only the draws without one count; each of the n values is a with probability w while the n - 1
    others are not negative. Source: this package. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws hockey_stick mean_excess label_divergence.
Import ListNotations.
Open Scope R_scope.

Section OneValue.

  Context (L low : dist R) (a w z : R).
  Hypothesis L_law : forall f, mean L f = w * f a + z * f 0 + mean low f.
  Hypothesis a_nonneg : 0 <= a.

  Lemma mean_low f g : (forall wv, In wv low -> f (snd wv) = g (snd wv)) -> mean low f = mean low g.
  Proof. intros H. apply total_ext. intros wv J. rewrite (H wv J). reflexivity. Qed.

  Let excess (n : nat) (s : R) : R := mean (copies L n) (fun u => Rmax 0 (s + total u (fun v => v))).

  Lemma excess_first n s :
    excess (S n) s = w * excess n (s + a) + z * excess n s + mean low (fun v => excess n (s + v)).
  Proof.
    unfold excess. rewrite mean_copies_first, L_law. cbn [total].
    assert (H : forall v, mean (copies L n) (fun u => Rmax 0 (s + (v + total u (fun v => v)))) =
      mean (copies L n) (fun u => Rmax 0 (s + v + total u (fun v => v))))
      by (intros v; apply mean_ext; intros u; f_equal; ring).
    rewrite !H, Rplus_0_r. f_equal. apply mean_ext, H.
  Qed.

  Lemma excess_none n s :
    (forall wv, In wv low -> snd wv <= 0) -> s + INR n * a <= 0 -> excess n s = 0.
  Proof.
    intros N. revert s. induction n as [| n IH]; intros s H.
    - unfold excess. rewrite mean_copies_none. simpl in *. apply Rmax_left. lra.
    - rewrite S_INR in H. assert (P := pos_INR n).
      assert (0 <= INR n * a) by (apply Rmult_le_pos; assumption).
      rewrite excess_first, !IH by lra.
      rewrite (mean_low _ (fun _ => 0 * 0)), mean_scal; [ring |].
      intros wv J. specialize (N wv J). rewrite IH by lra. ring.
  Qed.

  Lemma excess_one_value n s b :
    (forall wv, In wv low -> snd wv <= - b) -> 0 <= s -> 0 <= b -> s + (INR n - 1) * a <= b ->
    excess n s = (w + z) ^ n * s + INR n * (a * w * (w + z) ^ (n - 1)).
  Proof.
    intros N. revert s. induction n as [| n IH]; intros s Hs Hb H.
    - unfold excess. rewrite mean_copies_none. simpl in *. rewrite Rmax_right; lra.
    - rewrite S_INR in H. rewrite excess_first, !IH by lra.
      rewrite (mean_low _ (fun _ => 0 * 0)), mean_scal.
      + rewrite S_INR, Nat.sub_succ, Nat.sub_0_r. destruct n as [| n]; [simpl; ring |].
        rewrite Nat.sub_succ, Nat.sub_0_r. cbn [pow]. ring.
      + intros wv J. rewrite excess_none; [ring | |].
        * intros wu K. specialize (N wu K). lra.
        * specialize (N wv J). lra.
  Qed.

End OneValue.

Theorem mean_excess_one_value n (L low : dist R) a w z :
  (1 <= n)%nat -> (forall f, mean L f = w * f a + z * f 0 + mean low f) -> 0 <= a ->
  (forall v, In v low -> snd v <= - ((INR n - 1) * a)) -> mean_excess n L = a * w * (w + z) ^ (n - 1).
Proof.
  intros Hn HL Ha H. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (N1 : 1 <= INR n) by (apply (le_INR 1), Hn).
  assert (B : 0 <= (INR n - 1) * a) by (apply Rmult_le_pos; lra).
  assert (X := excess_one_value L low a w z HL Ha n 0 _ H (Rle_refl 0) B ltac:(lra)).
  unfold mean_excess. rewrite (mean_ext _ _ (fun u => Rmax 0 (0 + total u (fun v => v))))
    by (intros u; rewrite Rplus_0_l; reflexivity).
  rewrite X. field. lra.
Qed.
