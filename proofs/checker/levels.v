(** Rationals on either side of e^eps: programs on integers, and that they are right.

    A level gives e^eps as a rational E, or eps as a rational; then the witness says with how many terms of the Taylor
    series, or with how many bits, e^eps is bounded.

    - [ratio_below l p]: integers (X, Y), 0 < Y, with X / Y <= e^eps, equal where the level gives E
      ([ratio_below_sound]); X / Y >= 1 if E is given and at least 1, or by Taylor sums;
    - [ratio_above l p]: integers (X, Y), 0 < Y, with e^eps <= X / Y ([ratio_above_sound]).

    Both are [None] where the witness does not fit the level. They are the methods [Level.below] and [Level.above] of
    exactdp/checker/divergences.py, with the same numbers. For every rational E and every eps >= 0; a negative eps
    gives [None].

    Idea: the Taylor sum over one denominator, carried along as in [taylor_sum] there; else the fixed-point program of
    exponential_fixed_point.v. Source: docs/certificates.md, "Taylor sums bound e^eps". *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums reals exponential fixed_point exponential_fixed_point.
From ExactdpChecker Require Import claims witnesses.
Open Scope Z_scope.

(** ** The programs *)

(** For x = a / b: the sum of x^k / k! over k < [k + left], over the denominator [scale] = b^(k-1) (k-1)!; [power] is
    a^(k-1). *)
Fixpoint taylor_from (left : nat) (a b k total power scale : Z) : Z * Z * Z :=
  match left with
  | O => (total, power, scale)
  | S rest => taylor_from rest a b (k + 1) (total * b * k + power * a) (power * a) (scale * b * k)
  end.

(** (the sum of K terms, the numerator of the last one, their denominator). *)
Definition taylor_terms (a b : Z) (K : nat) : Z * Z * Z := taylor_from (pred K) a b 1 1 1 1.

(** The integer below 2^bits a / b. *)
Definition fixed_below (a b : Z) (bits : nat) : Z := a * two bits / b.

Definition ratio_below (l : level) (p : precision) : option (Z * Z) :=
  match l, p with
  | ExpEps E, _ => Some (Qnum E, Zpos (Qden E))
  | Eps eps, TaylorTerms K =>
      if (0 <=? Qnum eps) && (1 <=? K) then
        let '(total, _, scale) := taylor_terms (Qnum eps) (Zpos (Qden eps)) (Z.to_nat K) in Some (total, scale)
      else None
  | Eps eps, Bits b =>
      if Qnum eps =? 0 then Some (1, 1)
      else if 0 <? Qnum eps then
        let bits := Z.to_nat b in
        Some (fst (exp_bounds bits (fixed_below (Qnum eps) (Zpos (Qden eps)) bits)), two bits)
      else None
  | Eps _, Exactly => None
  end.

Definition ratio_above (l : level) (p : precision) : option (Z * Z) :=
  match l, p with
  | ExpEps E, _ => Some (Qnum E, Zpos (Qden E))
  | Eps eps, TaylorTerms K =>
      let a := Qnum eps in let b := Zpos (Qden eps) in
      if (0 <=? a) && (1 <=? K) && (a <? (K + 1) * b) then
        let '(total, power, scale) := taylor_terms a b (Z.to_nat K) in
        (* total / scale + a^K / (b^K K!) / (1 - a / (b (K + 1))) *)
        let rest := (K + 1) * b - a in
        Some (total * K * rest + power * a * (K + 1), scale * K * rest)
      else None
  | Eps eps, Bits b =>
      if Qnum eps =? 0 then Some (1, 1)
      else if 0 <? Qnum eps then
        let bits := Z.to_nat b in
        Some (snd (exp_bounds bits (ceiling_div (Qnum eps * two bits) (Zpos (Qden eps)))), two bits)
      else None
  | Eps _, Exactly => None
  end.

(** ** Taylor sums *)

Open Scope R_scope.

Section taylor.

Variables a b : Z.
Hypothesis b_positive : (0 < b)%Z.
Let x := IZR a / IZR b.

Lemma taylor_from_sum left : forall k total power scale,
  (1 <= k)%nat -> 0 < IZR scale -> IZR total = taylor_sum x k * IZR scale ->
  IZR power = taylor_term x (k - 1) * IZR scale ->
  let '(total', power', scale') := taylor_from left a b (Z.of_nat k) total power scale in
  0 < IZR scale' /\ IZR total' = taylor_sum x (k + left) * IZR scale' /\
  IZR power' = taylor_term x (k + left - 1) * IZR scale'.
Proof.
  assert (B := IZR_lt _ _ b_positive).
  induction left as [| left IH]; intros k total power scale Hk Hs Ht Hp; simpl taylor_from.
  - rewrite Nat.add_0_r. auto.
  - assert (K : 0 < IZR (Z.of_nat k)) by (apply (IZR_lt 0); lia).
    assert (P : IZR (power * a) = taylor_term x k * IZR (scale * b * Z.of_nat k)).
    { rewrite !mult_IZR, Hp. destruct k as [| k]; [lia |]. replace (S k - 1)%nat with k by lia.
      rewrite taylor_term_S, <- INR_IZR_INZ. assert (INR (S k) <> 0) by (apply not_0_INR; lia).
      unfold x. field. repeat split; try assumption; lra. }
    replace (Z.of_nat k + 1)%Z with (Z.of_nat (S k)) by lia. replace (k + S left)%nat with (S k + left)%nat by lia.
    apply IH; [lia | | |].
    + rewrite !mult_IZR. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; lra | exact K].
    + rewrite taylor_sum_S, plus_IZR, P, !mult_IZR, Ht. ring.
    + replace (S k - 1)%nat with k by lia. exact P.
Qed.

Lemma taylor_terms_sum K :
  (1 <= K)%nat ->
  let '(total, power, scale) := taylor_terms a b K in
  0 < IZR scale /\ IZR total = taylor_sum x K * IZR scale /\ IZR power = taylor_term x (K - 1) * IZR scale.
Proof.
  intros HK. assert (X := taylor_from_sum (pred K) 1 1 1 1). unfold taylor_terms.
  change (Z.of_nat 1) with 1%Z in X. destruct (taylor_from _ a b 1 1 1 1) as [[total power] scale].
  replace (1 + pred K)%nat with K in X by lia. apply X; [lia | lra | |]; unfold taylor_sum, taylor_term; simpl; field.
Qed.

End taylor.

Lemma Q2R_quotient q : Q2R q = IZR (Qnum q) / IZR (Zpos (Qden q)).
Proof. reflexivity. Qed.

Lemma sum_at_least_1 x K : 0 <= x -> (1 <= K)%nat -> 1 <= taylor_sum x K.
Proof.
  intros Hx. induction K as [| [| K] IH]; intros HK; [lia | |].
  - unfold taylor_sum, taylor_term. simpl. lra.
  - rewrite taylor_sum_S. specialize (IH ltac:(lia)). assert (X := taylor_term_nonneg x (S K) Hx). lra.
Qed.

(** ** Fixed point *)

Lemma two_bits_positive bits : 0 < IZR (two bits).
Proof. apply IZR_lt, two_positive. Qed.

Lemma exp_above_fixed bits x low :
  IZR low / IZR (two bits) <= x -> IZR (fst (exp_bounds bits low)) / IZR (two bits) <= exp x.
Proof.
  intros H. assert (P := two_bits_positive bits). assert (S := exp_bounds_sound bits low).
  destruct (exp_bounds bits low) as [l u]. simpl fst. rewrite <- IZR_two in S. destruct S as [S _].
  apply Rle_trans with (exp (IZR low / IZR (two bits))); [| apply exp_le, H].
  apply Rmult_le_reg_l with (IZR (two bits)); [exact P |].
  replace (IZR (two bits) * (IZR l / IZR (two bits))) with (IZR l) by (field; lra). exact S.
Qed.

Lemma exp_below_fixed bits x high :
  x <= IZR high / IZR (two bits) -> exp x <= IZR (snd (exp_bounds bits high)) / IZR (two bits).
Proof.
  intros H. assert (P := two_bits_positive bits). assert (S := exp_bounds_sound bits high).
  destruct (exp_bounds bits high) as [l u]. simpl snd. rewrite <- IZR_two in S. destruct S as [_ S].
  apply Rle_trans with (exp (IZR high / IZR (two bits))); [apply exp_le, H |].
  apply Rmult_le_reg_l with (IZR (two bits)); [exact P |].
  replace (IZR (two bits) * (IZR u / IZR (two bits))) with (IZR u) by (field; lra). exact S.
Qed.

(** ** Levels *)

Theorem ratio_below_sound l p X Y :
  ratio_below l p = Some (X, Y) -> 0 < IZR Y /\ IZR X / IZR Y <= ratio l.
Proof.
  destruct l as [E | eps]; simpl.
  - intros H. injection H as <- <-. split; [apply (IZR_lt 0); lia | rewrite Q2R_quotient; lra].
  - rewrite Q2R_quotient. set (a := Qnum eps). set (b := Zpos (Qden eps)). assert (B : (0 < b)%Z) by reflexivity.
    assert (B' := IZR_lt _ _ B). destruct p as [| K | bits]; [discriminate | |].
    + destruct (_ && _) eqn:G; [| discriminate]. apply andb_true_iff in G. destruct G as [Ha HK].
      apply Z.leb_le in Ha, HK. assert (T := taylor_terms_sum a b B (Z.to_nat K) ltac:(lia)).
      destruct (taylor_terms a b (Z.to_nat K)) as [[total power] scale]. destruct T as [Hs [Ht _]].
      intros H. injection H as <- <-. split; [exact Hs |].
      replace (IZR total / IZR scale) with (taylor_sum (IZR a / IZR b) (Z.to_nat K)) by (rewrite Ht; field; lra).
      apply taylor_sum_below_exp. apply IZR_le in Ha. apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, B'].
    + destruct (Z.eqb_spec a 0) as [Z0 | _].
      * intros H. injection H as <- <-. rewrite Z0. split; [lra |]. replace (0 / IZR b) with 0 by (field; lra).
        rewrite exp_0. lra.
      * destruct (0 <? a)%Z; [| discriminate]. intros H. injection H as <- <-. split; [apply two_bits_positive |].
        apply exp_above_fixed. unfold fixed_below. set (n := Z.to_nat bits). assert (P := two_bits_positive n).
        destruct (floor_div_bounds (a * two n) b B) as [F _]. rewrite mult_IZR in F.
        apply Rmult_le_reg_r with (IZR (two n)); [exact P |].
        replace (IZR (a * two n / b) / IZR (two n) * IZR (two n)) with (IZR (a * two n / b)) by (field; lra).
        replace (IZR a / IZR b * IZR (two n)) with (IZR a * IZR (two n) / IZR b) by (field; lra). exact F.
Qed.

(** Taylor sums, and levels that are at least 1, give a ratio of at least 1. *)
Lemma ratio_below_at_least_1 l p X Y :
  ratio_below l p = Some (X, Y) -> 1 <= ratio l -> (forall b, p <> Bits b) -> (0 < Y <= X)%Z.
Proof.
  intros H One NB. destruct (ratio_below_sound l p X Y H) as [HY _]. apply lt_IZR in HY. split; [exact HY |].
  apply le_IZR. apply IZR_lt in HY. destruct l as [E | eps]; simpl in *.
  - injection H as <- <-. rewrite Q2R_quotient in One.
    apply Rmult_le_reg_r with (/ IZR (Zpos (Qden E))); [apply Rinv_0_lt_compat, HY |]. rewrite Rinv_r by lra. exact One.
  - destruct p as [| K | bits]; [discriminate | | exfalso; apply (NB bits eq_refl)].
    set (a := Qnum eps) in *. set (b := Zpos (Qden eps)) in *. assert (B : (0 < b)%Z) by reflexivity.
    destruct (_ && _) eqn:G; [| discriminate]. apply andb_true_iff in G. destruct G as [Ha HK].
    apply Z.leb_le in Ha, HK. assert (T := taylor_terms_sum a b B (Z.to_nat K) ltac:(lia)).
    destruct (taylor_terms a b (Z.to_nat K)) as [[total power] scale]. destruct T as [Hs [Ht _]].
    injection H as <- <-. rewrite Ht. apply IZR_le in Ha. assert (B' := IZR_lt _ _ B).
    assert (1 <= taylor_sum (IZR a / IZR b) (Z.to_nat K)).
    { apply sum_at_least_1; [| lia]. apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, B']. }
    rewrite <- (Rmult_1_l (IZR scale)) at 1. apply Rmult_le_compat_r; lra.
Qed.

Theorem ratio_above_sound l p X Y :
  ratio_above l p = Some (X, Y) -> 0 < IZR Y /\ ratio l <= IZR X / IZR Y.
Proof.
  destruct l as [E | eps]; cbn [ratio_above ratio].
  - intros H. injection H as <- <-. split; [apply (IZR_lt 0); lia | rewrite Q2R_quotient; lra].
  - rewrite Q2R_quotient. set (a := Qnum eps). set (b := Zpos (Qden eps)). assert (B : (0 < b)%Z) by reflexivity.
    assert (B' := IZR_lt _ _ B). destruct p as [| K | bits]; [discriminate | |].
    + destruct (_ && _) eqn:G; [| discriminate]. apply andb_true_iff in G. destruct G as [G Hr].
      apply andb_true_iff in G. destruct G as [Ha HK]. apply Z.leb_le in Ha, HK. apply Z.ltb_lt in Hr.
      assert (T := taylor_terms_sum a b B (Z.to_nat K) ltac:(lia)).
      destruct (taylor_terms a b (Z.to_nat K)) as [[total power] scale]. destruct T as [Hs [Ht Hp]].
      intros H. injection H as <- <-. apply IZR_le in Ha. assert (R := IZR_lt _ _ Hr). rewrite mult_IZR, plus_IZR in R.
      assert (K1 : 1 <= IZR K) by (apply IZR_le; lia). set (x := IZR a / IZR b) in *.
      assert (Hx : 0 <= x) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, B']).
      assert (KN : INR (Z.to_nat K) = IZR K) by (rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
      assert (XK : x < IZR K + 1).
      { apply Rmult_lt_reg_r with (IZR b); [exact B' |]. unfold x.
        replace (IZR a / IZR b * IZR b) with (IZR a) by (field; lra).
        exact R. }
      assert (D : 0 < IZR (scale * K * ((K + 1) * b - a))).
      { rewrite !mult_IZR, minus_IZR, mult_IZR, plus_IZR. repeat apply Rmult_lt_0_compat; lra. }
      split; [exact D |]. eapply Rle_trans; [apply (exp_below_taylor_sum x (Z.to_nat K) Hx); rewrite KN; exact XK |].
      rewrite KN. fold (taylor_term x (Z.to_nat K)). apply Req_le.
      replace (Z.to_nat K) with (S (Z.to_nat K - 1)) at 2 by lia. rewrite taylor_term_S.
      replace (S (Z.to_nat K - 1)) with (Z.to_nat K) by lia. rewrite KN.
      replace (IZR (total * K * ((K + 1) * b - a) + power * a * (K + 1)))
        with (IZR scale * (taylor_sum x (Z.to_nat K) * (IZR K * ((IZR K + 1) * IZR b - IZR a))
              + taylor_term x (Z.to_nat K - 1) * IZR a * (IZR K + 1)))
        by (rewrite plus_IZR, !mult_IZR, minus_IZR, mult_IZR, plus_IZR, Ht, Hp; ring).
      replace (IZR (scale * K * ((K + 1) * b - a))) with (IZR scale * (IZR K * ((IZR K + 1) * IZR b - IZR a)))
        by (rewrite !mult_IZR, minus_IZR, mult_IZR, plus_IZR; ring).
      set (t := taylor_term x (Z.to_nat K - 1)). set (s := taylor_sum x (Z.to_nat K)).
      assert (N : (IZR K + 1) * IZR b - IZR a <> 0) by lra. unfold x. field. repeat split; lra.
    + destruct (Z.eqb_spec a 0) as [Z0 | _].
      * intros H. injection H as <- <-. rewrite Z0. split; [lra |]. replace (0 / IZR b) with 0 by (field; lra).
        rewrite exp_0. lra.
      * destruct (0 <? a)%Z; [| discriminate]. intros H. injection H as <- <-. split; [apply two_bits_positive |].
        apply exp_below_fixed. set (n := Z.to_nat bits). assert (P := two_bits_positive n).
        apply Rmult_le_reg_r with (IZR (two n)); [exact P |].
        replace (IZR (ceiling_div (a * two n) b) / IZR (two n) * IZR (two n)) with (IZR (ceiling_div (a * two n) b))
          by (field; lra).
        apply ceiling_div_above; [exact B |]. rewrite mult_IZR. apply Req_le. field. lra.
Qed.
