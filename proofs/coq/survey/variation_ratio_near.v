(** By how much the published variation ratio of k-ary randomized response fails, for every number of users.

    Let k >= 3, p > 1, 1 <= E <= p, and k-ary randomized response send the input with probability p/(p + k - 1).
    - [k_ary_near]: if (n - 1)(p - E) <= E - 1, then n >= 1 users are (ln E, delta)-DP if and only if
      delta >= p^(n-1) (p - E)/(p + k - 1)^n;
    - [published_near]: if (n - 1)(p - E)(p + k - 3) <= (E - 1)(k - 2), a stronger condition, the published pair
      [reduced_dp] is (E, delta)-below in both orders if and only if delta >= (p - E)/(p + k - 1)^n;
    - [variation_ratio_fails_every_n]: so the published number is too small by the factor p^(n-1) there, and with it
      n >= 2 users are not private for any such E < p.

    Idea: close to p only one value of a label is positive, p - E, and one negative value outweighs the others
    ([mean_excess_one_value]). Beside the published others all n users must send the first label; beside the real
    ones those without a label count as well.

    Source: the reduction: Wang, Peng, Li, Wen, Li, Yu, Wang, Yang 2024, section 4, as printed in secondary sources;
    the factor: this package. *)

From Coq Require Import Reals List Arith Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick single_message adding_a_user mean_excess
  label_reduction label_divergence row_sides one_positive_value variation_ratio variation_ratio_repaired.
Import ListNotations.
Open Scope R_scope.

Lemma near_power p d m x : d <> 0 -> p ^ m * x / d ^ S m = x / d * (p / d) ^ m.
Proof.
  intros D. unfold Rdiv at 3. rewrite Rpow_mult_distr, pow_inv. simpl pow. field.
  split; [apply pow_nonzero |]; exact D.
Qed.

Section Near.

  Context (n k : nat) (p E : R).
  Hypotheses (Hn : (1 <= n)%nat) (Hk : (3 <= k)%nat) (Hp : 1 < p) (HE : 1 <= E <= p).

  Let w : R := / (p + INR k - 1).

  Lemma near_unit : 3 <= INR k /\ 0 < w /\ (p + INR k - 1) * w = 1 /\ 0 <= INR n - 1.
  Proof.
    assert (K := k_at_least_3 k Hk). assert (N := le_INR 1 n Hn). simpl in N. destruct (k_ary_unit k p Hk Hp) as [W O].
    repeat split; try assumption. lra.
  Qed.

  Lemma near_is_weaker :
    (INR n - 1) * (p - E) * (p + INR k - 3) <= (E - 1) * (INR k - 2) -> (INR n - 1) * (p - E) <= E - 1.
  Proof.
    destruct near_unit as [K [W [O N]]]. intros H. apply Rmult_le_reg_r with (p + INR k - 3); [lra |].
    eapply Rle_trans; [exact H |]. apply Rmult_le_compat_l; lra.
  Qed.

  (** ** The real protocol *)

  Lemma k_ary_needs delta :
    shuffle_dp n (one_message (k_ary k p)) (ln E) delta -> p ^ (n - 1) * (p - E) / (p + INR k - 1) ^ n <= delta.
  Proof.
    intros H. destruct near_unit as [K [W [O N]]]. destruct n as [| m] eqn:En; [lia |].
    rewrite Nat.sub_succ, Nat.sub_0_r.
    specialize (H (0 :: repeat 0 m)%nat (1 :: repeat 0 m)%nat (replace_one [] 0%nat 1%nat _)).
    specialize (H ltac:(simpl; rewrite repeat_length; reflexivity)).
    specialize (H (forallb (fun m => Nat.eqb m 0)) (forallb_symmetric _)). rewrite exp_ln in H by lra.
    rewrite !all_messages_in_repeat, !Pr_k_ary in H by (lia || lra). cbn [Nat.eqb] in H.
    rewrite near_power by lra. set (X := (p / (p + INR k - 1)) ^ m) in *.
    replace ((p - E) / (p + INR k - 1) * X) with
      (p / (p + INR k - 1) * X - E * (1 / (p + INR k - 1) * X)) by (field; lra). lra.
  Qed.

  Lemma near_law :
    let c := other_sides w ((INR k - 2) * w) in sub_law c /\ mean c (fun _ => 1) <= 1.
  Proof.
    destruct near_unit as [K [W [O N]]]. intros c. split.
    - apply sub_law_other_sides; [lra | apply Rmult_le_pos; lra].
    - unfold c. rewrite mean_other_sides. assert (0 < (p - 1) * w) by (apply Rmult_lt_0_compat; lra). lra.
  Qed.

  Lemma k_ary_suffices xs ys :
    (INR n - 1) * (p - E) <= E - 1 -> neighbors xs ys -> length xs = n ->
    shuffle_below (one_message (k_ary k p)) xs ys E (p ^ (n - 1) * (p - E) / (p + INR k - 1) ^ n).
  Proof.
    intros HN Hxy L. destruct near_unit as [K [W [O N]]].
    apply (k_ary_repaired k p E); [exact Hk | exact Hp | lra | exact Hxy |]. rewrite L. fold w.
    pose (h := fun i => match i with larger => p | _ => 1 end).
    pose (h' := fun i => match i with smaller => p | _ => 1 end).
    apply (label_divergence _ _ _ h h' E near_law); [| | exact Hn |].
    - intros f. rewrite mean_own_sides, mean_tilted, mean_other_sides. unfold h.
      replace (1 - (p + 1) * w) with ((INR k - 2) * w) by lra. ring.
    - intros f. rewrite mean_own_sides, mean_tilted, mean_other_sides. unfold h'.
      replace (1 - (1 + p) * w) with ((INR k - 2) * w) by lra. ring.
    - rewrite (mean_excess_one_value n _ [(w, 1 - E * p); ((INR k - 2) * w, 1 - E)] (p - E) w ((p - 1) * w) Hn).
      + right. replace (w + (p - 1) * w) with (p / (p + INR k - 1)) by (unfold w; field; lra).
        replace n with (S (n - 1)) at 3 by lia. rewrite near_power by lra. unfold w. field. lra.
      + intros f. rewrite mean_label_values, !mean_other_sides. unfold mean, h, h'. simpl.
        replace (p - E * 1) with (p - E) by ring. replace (1 - E * 1) with (1 - E) by ring.
        replace (1 - (w * 1 + w * 1 + (INR k - 2) * w * 1)) with ((p - 1) * w) by lra. ring.
      + lra.
      + assert (0 <= E * (p - 1)) by (apply Rmult_le_pos; lra). intros v [<- | [<- | []]]; simpl; lra.
  Qed.

Theorem k_ary_near delta :
  (INR n - 1) * (p - E) <= E - 1 ->
  shuffle_dp n (one_message (k_ary k p)) (ln E) delta <->
  p ^ (n - 1) * (p - E) / (p + INR k - 1) ^ n <= delta.
Proof.
  intros HN. split; [apply k_ary_needs |]. intros H xs ys Hxy L T S. rewrite exp_ln by lra.
  assert (X := k_ary_suffices xs ys HN Hxy L T S). lra.
Qed.

  (** ** The published pair *)

  Lemma published_law r :
    proper (reduced k p r) /\
    forall f, mean (reduced k p r) f =
      match r with differs => p * w | _ => w end * f (Some false) +
      match r with neighbour => p * w | _ => w end * f (Some true) +
      match r with bystander => 1 - w - w | _ => 1 - p * w - w end * f None.
  Proof.
    destruct near_unit as [K [W [O N]]]. assert (0 < p * w) by (apply Rmult_lt_0_compat; lra).
    assert (2 * w < 1 /\ p * w + w < 1) as [X Y].
    { assert (0 < (p + INR k - 3) * w) by (apply Rmult_lt_0_compat; lra).
      assert (0 < (INR k - 2) * w) by (apply Rmult_lt_0_compat; lra). lra. }
    split; [split |].
    - destruct r; intros wa J; unfold reduced in J; fold w in J; destruct J as [<- | [<- | [<- | []]]]; simpl; lra.
    - destruct r; unfold mean, reduced; fold w; simpl; ring.
    - intros f. destruct r; unfold mean, reduced; fold w; simpl; ring.
  Qed.

  Let blank : R := (INR k - 2) / (p + INR k - 3).

  Definition ratio_of (r : role) (a : option bool) : R :=
    match r, a with
    | differs, Some false => p
    | neighbour, Some true => p
    | _, Some _ => 1
    | _, None => blank
    end.

  Lemma published_tilted r :
    r <> bystander -> same_law (reduced k p r) (tilted (reduced k p bystander) (ratio_of r)).
  Proof.
    intros Hr f. destruct near_unit as [K [W [O N]]].
    rewrite mean_tilted, (proj2 (published_law r)), (proj2 (published_law bystander)).
    assert (B : (1 - w - w) * blank = 1 - p * w - w) by (unfold w, blank; field; lra).
    destruct r; [| | congruence]; cbn [ratio_of]; rewrite <- B; ring.
  Qed.

  Lemma published_order x y :
    x <> bystander -> y <> bystander -> x <> y ->
    (INR n - 1) * (p - E) * (p + INR k - 3) <= (E - 1) * (INR k - 2) ->
    shuffle_below (one_message (reduced k p)) (x :: repeat bystander (n - 1)) (y :: repeat bystander (n - 1))
      E ((p - E) / (p + INR k - 1) ^ n).
  Proof.
    intros Hx Hy Hxy HN. destruct near_unit as [K [W [O N]]].
    assert (C : sub_law (reduced k p bystander) /\ mean (reduced k p bystander) (fun _ => 1) <= 1).
    { destruct (proj1 (published_law bystander)) as [A B]. split; [exact A | lra]. }
    refine (label_reduction (one_message (reduced k p)) (fun i => ret [i]) (reduced k p x) (reduced k p y)
      (reduced k p bystander) x y [] (repeat bystander (n - 1)) E _ _ _ _ _ _).
    - intros i. apply proper_ret.
    - intros f. reflexivity.
    - intros f. reflexivity.
    - intros z J. apply repeat_spec in J. subst z. split; [apply proper_dmap, published_law |].
      split; [| intros a; apply Rle_refl]. intros wa J.
      apply (proper_dmap (fun i => [i]) _ (proj1 (published_law bystander))), J.
    - replace (length ([] ++ x :: repeat bystander (n - 1))) with n by (simpl; rewrite repeat_length; lia).
      apply (label_divergence _ _ _ (ratio_of x) (ratio_of y) E C); [| | exact Hn |];
        [apply published_tilted, Hx | apply published_tilted, Hy |].
      rewrite (mean_excess_one_value n _ [(w, 1 - E * p); (1 - w - w, (1 - E) * blank)] (p - E) w 0 Hn).
      + right. rewrite Rplus_0_r. replace n with (S (n - 1)) at 2 by lia. unfold w. rewrite pow_inv. simpl pow.
        field. split; [apply pow_nonzero |]; lra.
      + intros f. rewrite mean_label_values, !(proj2 (published_law bystander)). unfold mean. simpl total.
        destruct x, y; try congruence; cbn [ratio_of];
          replace (p - E * 1) with (p - E) by ring; replace (blank - E * blank) with ((1 - E) * blank) by ring; ring.
      + lra.
      + assert (0 <= E * (p - 1)) by (apply Rmult_le_pos; lra).
        assert (B : (INR n - 1) * (p - E) <= (E - 1) * blank).
        { apply Rmult_le_reg_r with (p + INR k - 3); [lra |].
          replace ((E - 1) * blank * (p + INR k - 3)) with ((E - 1) * (INR k - 2))
            by (unfold blank; field; lra). exact HN. }
        assert (L := near_is_weaker HN).
        intros v [<- | [<- | []]]; simpl; lra.
  Qed.

Theorem published_near delta :
  (INR n - 1) * (p - E) * (p + INR k - 3) <= (E - 1) * (INR k - 2) ->
  reduced_dp n k p E delta <-> (p - E) / (p + INR k - 1) ^ n <= delta.
Proof.
  intros HN. destruct near_unit as [K [W [O N]]]. split.
  - intros H. destruct (H (forallb (fun a => match a with Some false => true | _ => false end)) (forallb_symmetric _))
      as [A _].
    rewrite !all_messages_in_repeat in A. unfold Pr in A. rewrite (proj2 (published_law differs)),
      (proj2 (published_law neighbour)), (proj2 (published_law bystander)) in A.
    unfold indicator in A. replace (w * 1 + w * 0 + (1 - w - w) * 0) with w in A by ring.
    replace n with (S (n - 1)) by lia.
    replace ((p - E) / (p + INR k - 1) ^ S (n - 1)) with ((p * w - E * w) * w ^ (n - 1)); [lra |].
    unfold w. rewrite pow_inv. simpl pow. field. split; [apply pow_nonzero |]; lra.
  - intros H T S. assert (A := published_order differs neighbour). assert (B := published_order neighbour differs).
    specialize (A ltac:(discriminate) ltac:(discriminate) ltac:(discriminate) HN T S).
    specialize (B ltac:(discriminate) ltac:(discriminate) ltac:(discriminate) HN T S). split; lra.
Qed.

End Near.

Theorem variation_ratio_fails_every_n (n k : nat) (p E : R) :
  (2 <= n)%nat -> (3 <= k)%nat -> 1 < p -> 1 <= E < p ->
  (INR n - 1) * (p - E) * (p + INR k - 3) <= (E - 1) * (INR k - 2) ->
  let published := (p - E) / (p + INR k - 1) ^ n in
  reduced_dp n k p E published /\
  (forall delta, shuffle_dp n (one_message (k_ary k p)) (ln E) delta -> p ^ (n - 1) * published <= delta) /\
  ~ shuffle_dp n (one_message (k_ary k p)) (ln E) published.
Proof.
  intros Hn Hk Hp HE HN published. assert (K := k_at_least_3 k Hk).
  assert (D : 0 < (p + INR k - 1) ^ n) by (apply pow_lt; lra).
  assert (P : 0 < published) by (apply Rdiv_lt_0_compat; lra).
  assert (F : forall delta, shuffle_dp n (one_message (k_ary k p)) (ln E) delta -> p ^ (n - 1) * published <= delta).
  { intros delta H. apply (k_ary_needs n k p E) in H; try assumption; try lia; try lra.
    unfold published. unfold Rdiv in *. rewrite <- Rmult_assoc. exact H. }
  split; [apply (published_near n k p E); try assumption; try lia; try lra; apply Rle_refl |]. split; [exact F |].
  intros H. apply F in H. assert (1 < p ^ (n - 1)) by (apply Rlt_pow_R1; [exact Hp | lia]).
  assert (1 * published < p ^ (n - 1) * published) by (apply Rmult_lt_compat_r; lra). lra.
Qed.
