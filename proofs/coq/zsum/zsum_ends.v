(** zsum at the ends of its parameters: eps = 0 and delta = 0 cannot be had.

    For all n >= 1 users and all gamma in [0, 1], both ends included:
    - [zsum_delta_least]: whatever eps is, (eps, delta)-DP of zsum needs delta >= (1 - gamma)^n and
      delta >= gamma^n;
    - [zsum_delta_zero]: so with delta = 0 zsum is not private for any eps;
    - [zsum_eps_zero]: with eps = 0 it needs delta >= 1/(n + 1);
    - [zsum_eps_zero_gamma]: at eps = 0 no gamma satisfies gamma n eps^2 = 50 ln(2/delta), for any delta
      in (0, 2): the noise of the theorem does not exist.

    Idea: neighbours shift the number of messages by one, n - W for the zeros and n + 1 - W for one 1,
    with W ~ Bin(n, gamma). Only the second can be n + 1 and only the first can be 0, which gives the
    bounds on delta. With eps = 0, P[W <= t] and P[W < t] are delta-close for each t = 0, ..., n, so
    that 1 = P[W <= n] <= (n + 1) delta.

    (Source: this package; Balcer and Cheu 2020, section 3.1, print eps and delta in [0, 1].) *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy binomial zsum.
Import ListNotations.
Open Scope R_scope.

(** ** What privacy says about W *)

Lemma Pr_flips_ext n p S T :
  (forall w, (w <= n)%nat -> S w = T w) -> Pr (flips n p) S = Pr (flips n p) T.
Proof. intros H. apply mean_flips_ext. intros w Hw. unfold indicator. rewrite H by exact Hw. reflexivity. Qed.

(** An event on the number of messages, as one on W: with k messages from the zeros, n - k is W. *)
Lemma zsum_count gamma xs (T : Z -> bool) :
  Pr (messages (zsum_randomizer gamma) xs) (fun y => T (Z.of_nat (length xs) - Z.of_nat (length y))%Z) =
  Pr (flips (length xs) gamma) (fun w => T (Z.of_nat w - Z.of_nat (ones xs))%Z).
Proof.
  unfold Pr at 1. rewrite zsum_view. apply mean_flips_ext. intros w Hw.
  unfold indicator. rewrite repeat_length.
  replace (Z.of_nat (length xs) - Z.of_nat (length xs + ones xs - w))%Z
    with (Z.of_nat w - Z.of_nat (ones xs))%Z by lia. reflexivity.
Qed.

(** If zsum is private, W and W - 1 are close, in both directions. *)
Lemma zsum_shift n gamma eps delta (T : Z -> bool) :
  (1 <= n)%nat -> shuffle_dp n (zsum_randomizer gamma) eps delta ->
  let here := Pr (flips n gamma) (fun w => T (Z.of_nat w)) in
  let moved := Pr (flips n gamma) (fun w => T (Z.of_nat w - 1)%Z) in
  here <= exp eps * moved + delta /\ moved <= exp eps * here + delta.
Proof.
  intros Hn H. destruct n as [| m]; [lia |]. intros here moved.
  set (zeros := false :: repeat false m). set (one := true :: repeat false m).
  assert (Lz : length zeros = S m) by (unfold zeros; cbn [length]; rewrite repeat_length; reflexivity).
  assert (Lo : length one = S m) by (unfold one; cbn [length]; rewrite repeat_length; reflexivity).
  set (event := fun y : list unit => T (Z.of_nat (S m) - Z.of_nat (length y))%Z).
  assert (S : symmetric event).
  { intros u v P. unfold event. rewrite (Permutation.Permutation_length P). reflexivity. }
  assert (Pz : Pr (messages (zsum_randomizer gamma) zeros) event = here).
  { unfold event. rewrite <- Lz, zsum_count, Lz. apply Pr_flips_ext. intros w _.
    unfold zeros. rewrite ones_cons, ones_zeros. f_equal. simpl Nat.b2n. lia. }
  assert (Po : Pr (messages (zsum_randomizer gamma) one) event = moved).
  { unfold event. rewrite <- Lo, zsum_count, Lo. apply Pr_flips_ext. intros w _.
    unfold one. rewrite ones_cons, ones_zeros. f_equal. }
  rewrite <- Pz, <- Po. split.
  - exact (H _ _ (replace_one [] false true (repeat false m)) Lz event S).
  - exact (H _ _ (replace_one [] true false (repeat false m)) Lo event S).
Qed.

(** ** delta *)

Lemma Pr_never {A} (d : dist A) : Pr d (fun _ => false) = 0.
Proof.
  unfold Pr, indicator, mean. transitivity (total d (fun _ => 0)); [| apply total_zero].
  apply total_ext. intros wa _. ring.
Qed.

Lemma Pr_flips_none n p : Pr (flips n p) (fun w => Z.of_nat w =? 0)%Z = (1 - p) ^ n.
Proof.
  induction n as [| n IH].
  - cbn [flips]. rewrite Pr_ret. reflexivity.
  - unfold Pr in *. rewrite mean_flips_S, IH.
    rewrite (mean_flips_ext _ _ (fun w => indicator _ (S w)) (indicator (fun _ => false))).
    + fold (Pr (flips n p) (fun _ => false)). rewrite Pr_never. simpl pow. ring.
    + intros w _. unfold indicator. replace (Z.of_nat (S w) =? 0)%Z with false; [reflexivity |].
      symmetry. apply Z.eqb_neq. lia.
Qed.

Lemma Pr_flips_all n p : Pr (flips n p) (fun w => Z.of_nat w =? Z.of_nat n)%Z = p ^ n.
Proof.
  induction n as [| n IH].
  - cbn [flips]. rewrite Pr_ret. reflexivity.
  - unfold Pr in *. rewrite mean_flips_S.
    rewrite (mean_flips_ext _ _ (indicator _) (indicator (fun _ => false))).
    + fold (Pr (flips n p) (fun _ => false)).
      rewrite Pr_never, <- tech_pow_Rmult, <- IH, Rmult_0_r, Rplus_0_r. f_equal.
      apply mean_flips_ext. intros w _. unfold indicator.
      replace (Z.of_nat (S w) =? Z.of_nat (S n))%Z with (Z.of_nat w =? Z.of_nat n)%Z; [reflexivity |].
      apply eq_true_iff_eq. rewrite !Z.eqb_eq. lia.
    + intros w Hw. unfold indicator. replace (Z.of_nat w =? Z.of_nat (S n))%Z with false; [reflexivity |].
      symmetry. apply Z.eqb_neq. lia.
Qed.

(** The outcome n + 1 is lost, and so is the outcome 0, at every eps. *)
Theorem zsum_delta_least n gamma eps delta :
  (1 <= n)%nat -> shuffle_dp n (zsum_randomizer gamma) eps delta ->
  (1 - gamma) ^ n <= delta /\ gamma ^ n <= delta.
Proof.
  intros Hn H. split.
  - destruct (zsum_shift n gamma eps delta (fun z => z =? -1)%Z Hn H) as [_ L].
    rewrite <- (Pr_flips_none n gamma). rewrite (Pr_flips_ext n gamma (fun w => Z.of_nat w =? -1)%Z
      (fun _ => false)), Pr_never in L by (intros; apply Z.eqb_neq; lia).
    rewrite (Pr_flips_ext n gamma _ (fun w => Z.of_nat w - 1 =? -1)%Z); [lra |].
    intros w _. apply eq_true_iff_eq. rewrite !Z.eqb_eq. lia.
  - destruct (zsum_shift n gamma eps delta (fun z => z =? Z.of_nat n)%Z Hn H) as [L _].
    rewrite Pr_flips_all, (Pr_flips_ext n gamma _ (fun _ => false)), Pr_never in L; [lra |].
    intros w Hw. apply Z.eqb_neq. lia.
Qed.

Theorem zsum_delta_zero n gamma eps :
  (1 <= n)%nat -> 0 <= gamma <= 1 -> ~ shuffle_dp n (zsum_randomizer gamma) eps 0.
Proof.
  intros Hn Hg H. destruct (zsum_delta_least n gamma eps 0 Hn H) as [A B].
  destruct (Rle_or_lt gamma (1 / 2)) as [L | L].
  - assert (0 < (1 - gamma) ^ n) by (apply pow_lt; lra). lra.
  - assert (0 < gamma ^ n) by (apply pow_lt; lra). lra.
Qed.

(** ** eps *)

(** With eps = 0, P[W < t] grows by at most delta from one t to the next. *)
Lemma zsum_eps_zero_below n gamma delta t :
  (1 <= n)%nat -> shuffle_dp n (zsum_randomizer gamma) 0 delta ->
  Pr (flips n gamma) (fun w => Z.of_nat w <? Z.of_nat t)%Z <= INR t * delta.
Proof.
  intros Hn H. induction t as [| t IH].
  - rewrite (Pr_flips_ext n gamma _ (fun _ => false)), Pr_never; [simpl; lra |].
    intros w _. apply Z.ltb_ge. lia.
  - destruct (zsum_shift n gamma 0 delta (fun z => z <? Z.of_nat t)%Z Hn H) as [_ L].
    rewrite exp_0 in L. rewrite S_INR.
    rewrite (Pr_flips_ext n gamma _ (fun w => Z.of_nat w - 1 <? Z.of_nat t)%Z); [lra |].
    intros w _. apply eq_true_iff_eq. rewrite !Z.ltb_lt. lia.
Qed.

Lemma zsum_eps_zero n gamma delta :
  (1 <= n)%nat -> 0 <= gamma <= 1 -> shuffle_dp n (zsum_randomizer gamma) 0 delta -> 1 / (INR n + 1) <= delta.
Proof.
  intros Hn Hg H. assert (B := zsum_eps_zero_below n gamma delta (S n) Hn H).
  rewrite (Pr_flips_ext n gamma _ (fun _ => true)), Pr_all, S_INR in B.
  - assert (0 <= INR n) by apply pos_INR. apply Rmult_le_reg_l with (INR n + 1); [lra |].
    replace ((INR n + 1) * (1 / (INR n + 1))) with 1 by (field; lra). exact B.
  - apply proper_flips, Hg.
  - intros w Hw. apply Z.ltb_lt. lia.
Qed.

(** And the noise that the theorem asks for does not exist. *)
Theorem zsum_eps_zero_gamma n gamma delta : 0 < delta < 2 -> gamma * INR n * 0 ^ 2 <> 50 * ln (2 / delta).
Proof.
  intros H E. assert (L : 0 < ln (2 / delta)).
  { rewrite <- ln_1. apply ln_increasing; [lra |]. apply Rmult_lt_reg_r with delta; [lra |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  replace (gamma * INR n * 0 ^ 2) with 0 in E by ring. lra.
Qed.
