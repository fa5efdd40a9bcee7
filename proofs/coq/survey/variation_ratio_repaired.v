(** The variation-ratio reduction of k-ary randomized response, repaired.

    Let k >= 3, p > 1, w = 1/(p + k - 1), and k-ary randomized response send the input with probability p w and each
    other symbol with probability w. [k_ary_repaired]: the reduction holds where each of the others draws the third
    label, what tells nothing, with probability (k - 2) w, and none at all with what remains, (p - 1) w; as published
    it is the third label with all of 1 - 2w. All n >= 1, real E >= 1 and delta, all data sets of all neighbours:
    where the shuffled labels of n users ([sides_below_at]) are (E, delta)-below, the shuffled messages are.

    Idea: the labels are "the first input", "the second" and "one of the other symbols, uniformly"; in every row each
    symbol has at least the probability w.

    Source: Wang, Peng, Li, Wen, Li, Yu, Wang, Yang 2024, section 4, as printed in secondary sources; the repair:
    this package. *)

From Coq Require Import Reals List Bool Arith Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick single_message adding_a_user mean_excess
  increasing_convex_order label_reduction clones row_sides stronger_clones variation_ratio.
Import ListNotations.
Open Scope R_scope.

(** ** Every row in three labels *)

Section Rows.

  Context (k : nat) (p : R).
  Hypotheses (Hk : (3 <= k)%nat) (Hp : 1 < p).

  Let w : R := / (p + INR k - 1).

  Lemma k_at_least_3 : 3 <= INR k.
  Proof. replace 3 with (INR 3) by (simpl; ring). apply le_INR, Hk. Qed.

  Lemma k_ary_unit : 0 < w /\ (p + INR k - 1) * w = 1.
  Proof. assert (K := k_at_least_3). unfold w. split; [apply Rinv_0_lt_compat; lra | field; lra]. Qed.

  Lemma mean_k_ary x (f : list nat -> R) :
    mean (one_message (k_ary k p) x) f =
    w * ((p - 1) * f [(x mod k)%nat] + total (seq 0 k) (fun m => f [m])).
  Proof.
    assert (K := k_at_least_3). assert (I : (x mod k < k)%nat) by (apply Nat.mod_upper_bound; lia).
    unfold one_message. rewrite mean_dmap. unfold mean, k_ary. rewrite total_map. cbn [fst snd].
    rewrite <- (total_single Nat.eq_dec (seq 0 k) (x mod k) ((p - 1) * f [(x mod k)%nat]) (seq_NoDup _ _)
      ltac:(apply in_seq; lia)), <- total_plus, <- total_scal.
    apply total_ext. intros m _. unfold w.
    destruct (Nat.eqb_spec m (x mod k)) as [-> | N], (Nat.eq_dec (x mod k) _); try congruence; field; lra.
  Qed.

  Lemma proper_row x : proper (one_message (k_ary k p) x).
  Proof. apply proper_dmap, proper_k_ary; [lia | exact Hp]. Qed.

  Context (x y : nat).
  Hypotheses (Hx : (x < k)%nat) (Hy : (y < k)%nat) (Hxy : x <> y).

  Definition other_symbols : list nat := filter (fun m => negb (Nat.eqb m x) && negb (Nat.eqb m y)) (seq 0 k).

  Definition symbol (i : side) : dist (list nat) :=
    match i with
    | larger => ret [x]
    | smaller => ret [y]
    | common => dmap (fun m => [m]) (of_masses other_symbols (fun _ => / (INR k - 2)))
    end.

  Lemma total_symbols f : total (seq 0 k) f = f x + f y + total other_symbols f.
  Proof.
    rewrite <- (total_single Nat.eq_dec (seq 0 k) x (f x) (seq_NoDup _ _) ltac:(apply in_seq; lia)).
    rewrite <- (total_single Nat.eq_dec (seq 0 k) y (f y) (seq_NoDup _ _) ltac:(apply in_seq; lia)).
    unfold other_symbols. rewrite total_filter, <- !total_plus. apply total_ext. intros m _.
    destruct (Nat.eq_dec x m), (Nat.eq_dec y m), (Nat.eqb_spec m x), (Nat.eqb_spec m y); try congruence; subst;
      cbn [negb andb]; ring.
  Qed.

  Lemma mean_common f : (INR k - 2) * mean (symbol common) f = total other_symbols (fun m => f [m]).
  Proof.
    assert (K := k_at_least_3). unfold symbol. rewrite mean_dmap, mean_of_masses, <- total_scal.
    apply total_ext. intros m _. field. lra.
  Qed.

  Lemma proper_symbol i : proper (symbol i).
  Proof.
    assert (K := k_at_least_3). destruct i; [apply proper_ret | apply proper_ret |].
    assert (L := total_symbols (fun _ => 1)). rewrite total_const, seq_length in L.
    apply proper_dmap, proper_of_masses; [intros _; left; apply Rinv_0_lt_compat; lra |].
    rewrite <- (total_ext _ _ _ (fun m _ => Rmult_1_r _)), total_scal.
    replace (total other_symbols (fun _ => 1)) with (INR k - 2) by lra. field. lra.
  Qed.


  Lemma k_ary_first : same_law (one_message (k_ary k p) x) (bind (own_sides w p 1) symbol).
  Proof.
    intros f. destruct k_ary_unit as [W O]. rewrite mean_bind, mean_own_sides, mean_k_ary, Nat.mod_small by exact Hx.
    replace (1 - (p + 1) * w) with (w * (INR k - 2)) by lra.
    rewrite total_symbols, <- mean_common.
    change (symbol larger) with (ret [x]). change (symbol smaller) with (ret [y]). rewrite !mean_ret. ring.
  Qed.

  Lemma k_ary_second : same_law (one_message (k_ary k p) y) (bind (own_sides w 1 p) symbol).
  Proof.
    intros f. destruct k_ary_unit as [W O]. rewrite mean_bind, mean_own_sides, mean_k_ary, Nat.mod_small by exact Hy.
    replace (1 - (1 + p) * w) with (w * (INR k - 2)) by lra.
    rewrite total_symbols, <- mean_common.
    change (symbol larger) with (ret [x]). change (symbol smaller) with (ret [y]). rewrite !mean_ret. ring.
  Qed.

  Lemma k_ary_others z :
    lies_below (bind (other_sides w ((INR k - 2) * w)) symbol) (one_message (k_ary k p) z).
  Proof.
    assert (K := k_at_least_3). destruct k_ary_unit as [W O]. split.
    - apply sub_law_bind; [apply sub_law_other_sides; [lra | apply Rmult_le_pos; lra] | apply proper_symbol].
    - intros a. unfold mass, Pr. rewrite mean_k_ary, mean_bind, mean_other_sides, total_symbols.
      rewrite (Rmult_comm (INR k - 2)), (Rmult_assoc w), mean_common. unfold symbol. rewrite !mean_ret.
      set (T := fun b => if same b a then true else false).
      assert (0 <= w * ((p - 1) * indicator T [(z mod k)%nat])).
      { apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; [lra | apply indicator_bounds]. }
      rewrite !Rmult_plus_distr_l. lra.
  Qed.

End Rows.

Theorem k_ary_repaired (k : nat) (p E delta : R) xs ys :
  (3 <= k)%nat -> 1 < p -> 1 <= E -> neighbors xs ys ->
  let w := / (p + INR k - 1) in
  sides_below_at (length xs) p w w ((INR k - 2) * w) E delta -> shuffle_below (one_message (k_ary k p)) xs ys E delta.
Proof.
  intros Hk Hp HE [before x y after] w H. set (R := one_message (k_ary k p)).
  assert (M : forall z, (z mod k < k)%nat) by (intros z; apply Nat.mod_upper_bound; lia).
  assert (S : forall z, R (z mod k) = R z).
  { intros z. unfold R, one_message, k_ary. rewrite Nat.mod_mod by lia. reflexivity. }
  destruct (Nat.eq_dec (x mod k) (y mod k)) as [e | N].
  - intros T _. rewrite (messages_of_laws R (before ++ x :: after) (before ++ y :: after)).
    + assert (D := shuffle_below_delta _ _ _ _ _ H).
      assert (G := Pr_bounds _ T (proper_messages R (before ++ y :: after) (proper_row k p Hk Hp))).
      apply (Rmult_le_compat_r _ _ _ (proj1 G)) in HE. lra.
    + rewrite !map_app. cbn [map]. rewrite <- (S x), <- (S y), e. reflexivity.
  - refine (label_reduction R (symbol k (x mod k) (y mod k)) _ _ _ x y before after E delta _ _ _ _ H).
    + apply proper_symbol; auto.
    + rewrite <- S. apply k_ary_first; auto.
    + rewrite <- S. apply k_ary_second; auto.
    + intros z _. split; [apply proper_row; assumption |]. apply k_ary_others; auto.
Qed.
