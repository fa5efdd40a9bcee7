(** The claim [split_and_mix]: how far the views of two inputs with one sum are apart; both verdicts.

    PROVED is accepted where the excess of the modulus and that of 2 colours, each bounded from above by
    component_bounds.v, are together at most twice the square of the distance. REFUTED is accepted for two inputs with
    one sum, as histograms, whose views, listed exactly, are further apart. [check_split_and_mix_sound]: then the claim
    holds, or does not, for all parameters.

    Idea: components.components_bound of the development. For a listing, the law of a user's shares is made share by
    share, for all sums at once ([shares_listed]). The class SplitAndMix of exactdp/checker/mixing.py is this program.
    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums reals laws privacy words split_and_mix components.
From ExactdpChecker Require Import claims witnesses kinds posed views compared_views component_bounds.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

Definition within (distance : Q) (bits excesses : Z) : bool :=
  excesses * Zpos (Qden distance) ^ 2 <=? 2 * Qnum distance ^ 2 * unit bits.

Definition is_near (n q m : Z) (distance : Q) (length bits : Z) : bool :=
  (1 <=? length) && (0 <=? bits) &&
  match excess_above m n (Z.to_nat length) bits q, excess_above m n (Z.to_nat length) bits 2 with
  | Some a, Some b => within distance bits (a + b)
  | _, _ => false
  end.

(** What the sums of keys are of so many shares, for each sum of the shares. *)
Definition one_more (q : nat) (keys : list Z) (fewer : list listing) (r : nat) : listing :=
  sum_all (map (fun a => moved (nth (residue q (Z.of_nat r - Z.of_nat a)) fewer []) (nth a keys 0, 1)) (seq 0 q)).

Fixpoint sums_of_shares (q : nat) (keys : list Z) (m : nat) : list listing :=
  match m with
  | O => no_user :: repeat [] (q - 1)
  | S k => map (one_more q keys (sums_of_shares q keys k)) (seq 0 q)
  end.

Definition is_far (n q m : Z) (distance : Q) (h k : list Z) : bool :=
  let N := Z.to_nat n in
  let colours := Z.to_nat q in
  let shares := Z.to_nat m in
  let xs := data_set h in
  let ys := data_set k in
  Nat.eqb (length xs) N && Nat.eqb (length ys) N && Nat.eqb (length h) colours && Nat.eqb (length k) colours &&
  (Z.of_nat (list_sum xs) mod q =? Z.of_nat (list_sum ys) mod q) &&
  let laws := sums_of_shares colours (powers (n * m + 1) 1 colours) shares in
  let P := view_of laws xs in
  let Q := view_of laws ys in
  once P Q && (Qnum distance * (q ^ (m - 1)) ^ n <? fst (compared 1 1 P Q) * Zpos (Qden distance)).

Definition check_split_and_mix (n q m : Z) (distance : Q) (proved : bool) (w : witness) : bool :=
  (1 <=? n) && (2 <=? q) && (3 <=? m) && (at_most 0 distance && at_most distance 1) &&
  match proved, w with
  | true, By length (Bits bits) => is_near n q m distance length bits
  | false, TwoDataSets h k Exactly => is_far n q m distance h k
  | _, _ => false
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma nth_map_seq (f : nat -> listing) q r : (r < q)%nat -> nth r (map f (seq 0 q)) [] = f r.
Proof.
  intros R. rewrite (nth_indep _ [] (f O)) by (rewrite map_length, seq_length; exact R).
  rewrite map_nth, seq_nth by exact R. reflexivity.
Qed.

(** The listing for the sum r of k shares. *)
Lemma shares_listed q keys k r f : (1 <= q)%nat -> (r < q)%nat ->
  weighs IZR (nth r (sums_of_shares q keys k) []) f =
  total (words q k) (fun u => one_if (is_multiple q (split_and_mix.sum_of u - Z.of_nat r)) * f (sum_of keys u)).
Proof.
  intros Q. revert r f. induction k as [| k IH]; intros r f R.
  - cbn [sums_of_shares words total]. destruct r as [| r].
    + unfold is_multiple. change (split_and_mix.sum_of [] - Z.of_nat 0)%Z with 0%Z. rewrite Z.mod_0_l by lia.
      unfold no_user, weighs. simpl. ring.
    + change (nth (S r) (no_user :: repeat [] (q - 1)) []) with (nth r (repeat (@nil (Z * Z)) (q - 1)) []).
      rewrite nth_repeat.
      unfold weighs, one_if, is_multiple. cbn [total]. unfold split_and_mix.sum_of. cbn [list_sum fold_right].
      destruct (Z.eqb_spec ((Z.of_nat 0 - Z.of_nat (S r)) mod Z.of_nat q) 0) as [E |]; [| ring].
      apply Z.mod_divide in E; [| lia]. destruct E as [d E]. exfalso. destruct (Z.le_gt_cases 0 d); nia.
  - cbn [sums_of_shares]. rewrite nth_map_seq by exact R.
    unfold one_more, sum_all. rewrite sum_rounds_weighs, total_map, total_words_S. apply total_ext. intros a _.
    rewrite moved_weighs. cbn [fst snd]. rewrite IH by apply residue_below, Q. rewrite Rmult_1_l.
    apply total_ext. intros u _. rewrite sum_of_cons, (Z.add_comm (nth a keys 0%Z)). f_equal. f_equal.
    unfold is_multiple, residue. rewrite Z2Nat.id by (apply Z.mod_pos_bound; lia).
    rewrite Zminus_mod_idemp_r. f_equal. f_equal. unfold split_and_mix.sum_of. simpl. lia.
Qed.

Lemma user_listed q m keys x : (1 <= q)%nat -> (1 <= m)%nat -> (x < q)%nat ->
  lists keys (IZR (Z.of_nat q ^ (Z.of_nat m - 1))) (nth x (sums_of_shares q keys m) []) (split q m x).
Proof.
  intros Q M X f. rewrite shares_listed by assumption. assert (P : 0 < INR q) by (apply lt_0_INR; lia).
  apply Rmult_eq_reg_l with (INR q); [| lra].
  rewrite <- (mean_split q Q m M x (fun u => f (sum_of keys u))), <- Rmult_assoc. f_equal.
  replace (Z.of_nat m - 1)%Z with (Z.of_nat (m - 1)) by lia.
  rewrite <- pow_IZR, <- INR_IZR_INZ, tech_pow_Rmult. f_equal. lia.
Qed.

Lemma all_users_listed q m keys xs : (1 <= q)%nat -> (1 <= m)%nat -> (forall x, In x xs -> (x < q)%nat) ->
  lists keys (IZR (Z.of_nat q ^ (Z.of_nat m - 1)) ^ length xs) (view_of (sums_of_shares q keys m) xs)
    (messages (split q m) xs).
Proof.
  intros Q M B. induction xs as [| x xs IH]; [apply no_user_listed |]. cbn [view_of fold_right length pow].
  apply convolve_listed; [apply IH; intros; apply B; right; assumption |].
  assert (X := B x (or_introl eq_refl)).
  assert (L : length (sums_of_shares q keys m) = q).
  { destruct m; [lia |]. cbn [sums_of_shares]. rewrite map_length, seq_length. reflexivity. }
  replace (entry (sums_of_shares q keys m) [] x) with (nth x (sums_of_shares q keys m) [])
    by (unfold entry; apply nth_indep; lia). apply user_listed; assumption.
Qed.

Lemma data_set_below h x : In x (data_set h) -> (x < length h)%nat.
Proof.
  unfold data_set. assert (G : forall first, In x (data_set_from first h) -> (x < first + length h)%nat).
  { induction h as [| c h IH]; intros first I; [destruct I |]. simpl in *. apply in_app_or in I. destruct I as [I | I].
    - apply repeat_spec in I. lia.
    - apply IH in I. lia. }
  apply G.
Qed.

Lemma one_sum_multiple q xs ys : (1 <= q)%Z -> (Z.of_nat (list_sum xs) mod q = Z.of_nat (list_sum ys) mod q)%Z ->
  is_multiple (Z.to_nat q) (split_and_mix.sum_of ys - split_and_mix.sum_of xs) = true.
Proof.
  intros Q E. unfold is_multiple. rewrite Z2Nat.id by lia. apply Z.eqb_eq. unfold split_and_mix.sum_of.
  rewrite Zminus_mod, E, Z.sub_diag. apply Z.mod_0_l. lia.
Qed.

Theorem check_split_and_mix_sound n q m distance proved w :
  check_split_and_mix n q m distance proved w = true -> sound (SplitAndMix n q m distance) proved.
Proof.
  unfold check_split_and_mix. rewrite !andb_true_iff, !Z.leb_le. intros [[[[N Q] M] [D0 D1]] H].
  apply at_most_sound in D0, D1. rewrite RMicromega.Q2R_0 in D0. rewrite RMicromega.Q2R_1 in D1.
  split; [simpl; tauto |].
  destruct proved, w; try discriminate; destruct p; try discriminate.
  - unfold is_near in H. rewrite !andb_true_iff, !Z.leb_le in H. destruct H as [[L B] H].
    destruct (excess_above m n (Z.to_nat shift) b q) as [a |] eqn:E1; [| discriminate].
    destruct (excess_above m n (Z.to_nat shift) b 2) as [c |] eqn:E2; [| discriminate].
    intros xs ys Lx Ly E T S. cbn beta zeta.
    eapply Rle_trans; [apply (components_bound (Z.to_nat m) (Z.to_nat n) ltac:(lia) ltac:(lia)
      (Z.to_nat q) ltac:(lia) xs ys
      Lx Ly (one_sum_multiple q xs ys ltac:(lia) E) T S) |].
    rewrite <- (sqrt_Rsqr (Q2R distance)) by exact D0. apply sqrt_le_1_alt. unfold Rsqr.
    rewrite <- (Z2Nat.id m), <- (Z2Nat.id n) in E1, E2 by lia. rewrite <- (Z2Nat.id q) in E1 by lia.
    change 2%Z with (Z.of_nat 2) in E2.
    apply excess_above_sound in E1; [| lia | lia | exact B | lia | lia].
      apply excess_above_sound in E2; [| lia | lia | exact B | lia | lia].
    assert (U : 0 < IZR (unit b)) by (apply IZR_lt, Z.pow_pos_nonneg; lia).
    unfold within in H. rewrite !Z.pow_2_r in H. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR, plus_IZR in H.
    assert (P : 0 < IZR (Zpos (Qden distance))) by (apply IZR_lt; lia).
    unfold Q2R. set (d := IZR (Zpos (Qden distance))) in *. set (x := IZR (Qnum distance)) in *.
    apply Rle_trans with ((IZR a + IZR c) / IZR (unit b) / 2); [apply Rmult_le_compat_r; [lra |]; unfold Rdiv in *;
      lra |].
    apply Rmult_le_reg_r with (2 * IZR (unit b) * (d * d)); [repeat apply Rmult_lt_0_compat; lra |].
    replace ((IZR a + IZR c) / IZR (unit b) / 2 * (2 * IZR (unit b) * (d * d))) with
      ((IZR a + IZR c) * (d * d)) by (field; lra).
    replace (x * / d * (x * / d) * (2 * IZR (unit b) * (d * d))) with (2 * (x * x) * IZR (unit b)) by (field; lra).
    lra.
  - unfold is_far in H. rewrite !andb_true_iff, !Nat.eqb_eq, Z.eqb_eq in H.
    destruct H as [[[[[Lx Ly] Lh] Lk] E] [O H]]. apply Z.ltb_lt, IZR_lt in H. rewrite !mult_IZR in H.
    intros C. set (keys := powers (n * m + 1) 1 (Z.to_nat q)) in *.
    assert (W : forall h, length h = Z.to_nat q -> length (data_set h) = Z.to_nat n ->
      lists keys (IZR ((q ^ (m - 1)) ^ n)) (view_of (sums_of_shares (Z.to_nat q) keys (Z.to_nat m)) (data_set h))
        (messages (split (Z.to_nat q) (Z.to_nat m)) (data_set h))).
    { intros h Lh' Ld. assert (A := all_users_listed (Z.to_nat q) (Z.to_nat m) keys (data_set h) ltac:(lia) ltac:(lia)
        ltac:(intros x I; rewrite <- Lh'; apply data_set_below, I)).
      rewrite Ld, pow_IZR, !Z2Nat.id in A by lia. exact A. }
    destruct (compared_event keys ((q ^ (m - 1)) ^ n) 1 1 _ _ _ _ ltac:(lia) (W first Lh Lx) (W second Lk Ly) O)
      as [T [S [A _]]].
    specialize (C _ _ Lx Ly E T S). cbn beta zeta in C.
    assert (P : 0 < IZR ((q ^ (m - 1)) ^ n)) by (apply IZR_lt; repeat (apply Z.pow_pos_nonneg; try lia)).
    rewrite <- A in H. set (p1 := Pr _ T) in *. set (p2 := Pr (messages _ (data_set second)) T) in *.
    set (V := IZR ((q ^ (m - 1)) ^ n)) in *.
    assert (F : p1 - p2 <= Q2R distance) by (eapply Rle_trans; [apply Rle_abs | exact C]).
    assert (G : 0 < IZR (Zpos (Qden distance))) by (apply IZR_lt; lia). unfold Q2R in F.
    set (d := IZR (Zpos (Qden distance))) in *. apply (Rmult_le_compat_r (V * d)) in F; [| apply Rmult_le_pos; lra].
    replace (IZR (Qnum distance) * / d * (V * d)) with (IZR (Qnum distance) * V) in F by (field; lra).
    replace ((p1 - IZR 1 / IZR 1 * p2) * (IZR 1 * V) * d) with ((p1 - p2) * (V * d)) in H by field. lra.
Qed.
