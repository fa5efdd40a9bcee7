(** How it is decided whether both ends of k-ary randomized response are equal.

    Let c > 0 be a real number with which c (E - e) = rise, c (e E - 1) = fall and c (e - 1) = width are positive
    integers, as there is one for rational E > e > 1. The program [k_ary_closing] looks, for b = 0, 1, 2, ... up to n
    and up to rise / gcd(rise, fall), at the least a with t = a rise - b fall > 0 alone, and stops where a + b > n.
    It says true if and only if no integers a, b >= 0 with a + b <= n have
    0 < a (E - e) - b (e E - 1) < (e - 1) (n - a - b) ([k_ary_closing_correct]): the condition of closing.v. Every n >= 0.

    Idea: t rises with a and the bound falls, so that the least a decides for each b; and with b - rise / gcd in
    place of b the least t is the same and the bound larger. Source: exactdp/engines/closing.py, which may also give
    up. *)

From Coq Require Import Reals ZArith Lia Lra Bool Psatz.
From Exactdp Require Import closing.
Open Scope Z_scope.

Section Program.

  Context (rise fall width n : Z).

  Definition least_a (b : Z) : Z := b * fall / rise + 1.

  Fixpoint closes_from (steps : nat) (b : Z) : bool :=
    match steps with
    | O => true
    | S steps =>
        if n <? least_a b + b then true
        else if least_a b * rise - b * fall <? width * (n - least_a b - b) then false
        else closes_from steps (b + 1)
    end.

  Definition k_ary_closing : bool := closes_from (Z.to_nat (Z.min n (rise / Z.gcd rise fall) + 1)) 0.

  Hypothesis rise_positive : 0 < rise.
  Hypothesis fall_positive : 0 < fall.
  Hypothesis width_positive : 0 < width.

  Definition between (a b : Z) : Prop := a + b <= n /\ 0 < a * rise - b * fall < width * (n - a - b).

  Lemma least_a_bounds b : 0 < least_a b * rise - b * fall <= rise.
  Proof.
    unfold least_a. assert (D := Z.div_mod (b * fall) rise ltac:(lia)).
    assert (M := Z.mod_pos_bound (b * fall) rise rise_positive). nia.
  Qed.

  Lemma least_a_least a b : 0 < a * rise - b * fall -> least_a b <= a.
  Proof. intros H. assert (B := least_a_bounds b). nia. Qed.

  Lemma least_a_grows b c : b <= c -> least_a b <= least_a c.
  Proof. intros H. unfold least_a. apply Z.add_le_mono_r, Z.div_le_mono; nia. Qed.

  Lemma closes_from_true steps b c :
    closes_from steps b = true -> b <= c < b + Z.of_nat steps -> ~ between (least_a c) c.
  Proof.
    revert b. induction steps as [| steps IH]; intros b H R [A T]; [lia |]. simpl in H.
    assert (G := least_a_grows b c ltac:(lia)). destruct (Z.ltb_spec n (least_a b + b)); [lia |].
    destruct (Z.ltb_spec (least_a b * rise - b * fall) (width * (n - least_a b - b))); [discriminate |].
    destruct (Z.eq_dec b c) as [<- | N]; [lia |]. apply (IH (b + 1) H); [lia | split; assumption].
  Qed.

  Lemma closes_from_false steps b :
    closes_from steps b = false -> exists c, b <= c /\ between (least_a c) c.
  Proof.
    revert b. induction steps as [| steps IH]; intros b H; simpl in H; [discriminate |].
    destruct (Z.ltb_spec n (least_a b + b)); [discriminate |].
    destruct (Z.ltb_spec (least_a b * rise - b * fall) (width * (n - least_a b - b))).
    - exists b. assert (B := least_a_bounds b). unfold between. lia.
    - destruct (IH _ H) as [c [L Bc]]. exists c. split; [lia | exact Bc].
  Qed.

  (** A pair in between gives one that the program meets. *)
  Lemma met a b : 0 <= a -> 0 <= b -> between a b ->
    exists c, 0 <= c < Z.min n (rise / Z.gcd rise fall) + 1 /\ between (least_a c) c.
  Proof.
    intros Ha Hb [S T]. assert (L := least_a_least a b ltac:(lia)). assert (B := least_a_bounds b).
    set (g := Z.gcd rise fall). assert (G : 0 < g).
    { assert (0 <= g) by apply Z.gcd_nonneg. assert (g <> 0) by (unfold g; rewrite Z.gcd_eq_0; lia). lia. }
    destruct (Z.gcd_divide_l rise fall) as [u U]. destruct (Z.gcd_divide_r rise fall) as [w W]. fold g in U, W.
    assert (Pu : 0 < u) by nia. assert (Pw : 0 < w) by nia.
    assert (Ug : rise / g = u) by (rewrite U; apply Z.div_mul; lia). rewrite Ug.
    exists (b mod u). assert (M := Z.mod_pos_bound b u Pu). assert (D := Z.div_mod b u ltac:(lia)).
    assert (Q : 0 <= b / u) by (apply Z.div_pos; lia). set (c := b mod u) in *. set (times := b / u) in *.
    assert (Uw : u * fall = w * rise) by (rewrite U, W at 1; ring).
    assert (Same : least_a b = least_a c + times * w).
    { unfold least_a.
      replace (b * fall) with (c * fall + times * w * rise) by (rewrite D, <- (Z.mul_assoc times w rise), <- Uw; ring).
      rewrite Z.div_add by lia. ring. }
    assert (Bc := least_a_bounds c). assert (P : 0 <= u * times) by (apply Z.mul_nonneg_nonneg; lia).
    assert (Gr := least_a_grows c b ltac:(lia)). unfold between. split; [lia |]. split; [lia |]. split; [lia |].
    assert (Eq : b * fall = c * fall + times * (w * rise)) by (rewrite D, <- Uw; ring).
    replace (least_a c * rise - c * fall) with (least_a b * rise - b * fall) by (rewrite Same, Eq; ring).
    apply Z.le_lt_trans with (a * rise - b * fall).
    - assert (least_a b * rise <= a * rise) by (apply Z.mul_le_mono_nonneg_r; lia). lia.
    - apply Z.lt_le_trans with (width * (n - a - b)); [lia |]. apply Z.mul_le_mono_nonneg_l; lia.
  Qed.

  Lemma k_ary_closing_integers :
    0 <= n -> (k_ary_closing = true <-> forall a b, 0 <= a -> 0 <= b -> ~ between a b).
  Proof.
    intros Hn. unfold k_ary_closing. split.
    - intros H a b Ha Hb Bt. destruct (met a b Ha Hb Bt) as [c [R Bc]].
      apply (closes_from_true _ 0 c H); [lia | exact Bc].
    - intros H. destruct (closes_from _ 0) eqn:F; [reflexivity |]. exfalso.
      destruct (closes_from_false _ _ F) as [c [L Bc]]. apply (H (least_a c) c); [| exact L | exact Bc].
      unfold least_a. assert (0 <= c * fall / rise) by (apply Z.div_pos; nia). lia.
  Qed.

End Program.

Theorem k_ary_closing_correct (rise fall width : Z) (n : nat) (E e c : R) :
  (0 < rise)%Z -> (0 < fall)%Z -> (0 < width)%Z -> (0 < c)%R ->
  (c * (E - e) = IZR rise)%R -> (c * (e * E - 1) = IZR fall)%R -> (c * (e - 1) = IZR width)%R ->
  (k_ary_closing rise fall width (Z.of_nat n) = true <-> no_pair_between n E e).
Proof.
  intros Hr Hf Hw Hc Er Ef Ew. rewrite k_ary_closing_integers by lia. unfold no_pair_between, between.
  assert (Same : forall a b : nat, (a + b <= n)%nat ->
    ((0 < INR a * (E - e) - INR b * (e * E - 1) < (e - 1) * INR (n - a - b))%R <->
     0 < Z.of_nat a * rise - Z.of_nat b * fall < width * (Z.of_nat n - Z.of_nat a - Z.of_nat b))).
  { intros a b L. rewrite !INR_IZR_INZ, !Nat2Z.inj_sub by lia.
    set (x := Z.of_nat a). set (y := Z.of_nat b). set (m := Z.of_nat n - x - y).
    assert (T : (c * (IZR x * (E - e) - IZR y * (e * E - 1)) = IZR (x * rise - y * fall))%R)
      by (rewrite minus_IZR, !mult_IZR, <- Er, <- Ef; ring).
    assert (V : (c * ((e - 1) * IZR m) = IZR (width * m))%R) by (rewrite mult_IZR, <- Ew; ring).
    split; intros [A B]; split.
    - apply lt_IZR. rewrite <- T. apply Rmult_lt_0_compat; assumption.
    - apply lt_IZR. rewrite <- T, <- V. apply Rmult_lt_compat_l; assumption.
    - apply (Rmult_lt_reg_l c); [exact Hc |]. rewrite Rmult_0_r, T. apply IZR_lt, A.
    - apply (Rmult_lt_reg_l c); [exact Hc |]. rewrite T, V. apply IZR_lt, B. }
  split; intros H a b.
  - intros L T. apply (Same a b L) in T. apply (H (Z.of_nat a) (Z.of_nat b)); [lia | lia | split; [lia | exact T]].
  - intros Ha Hb [L T]. apply (H (Z.to_nat a) (Z.to_nat b)); [lia |].
    apply (Same (Z.to_nat a) (Z.to_nat b)); [lia |]. rewrite !Z2Nat.id by lia. exact T.
Qed.
