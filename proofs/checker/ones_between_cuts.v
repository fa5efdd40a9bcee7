(** The number of ones of many fair or unfair bits, in integers, and between which cuts it lies.

    [chances_of_ones q N] lists for each number of ones of N bits that are 1 with probability q at most its probability, in
    units of 2^-96 ([chances_below]); [cell_chances cuts l] adds them up between the cuts. [ones_in_cells]: the mean of
    what depends on the cell, not negative, is at least what these say. Any rational 0 < q < 1 and N.

    The function chances_of_ones of exactdp/checker/dummies.py is this program. Source: docs/certificates.md, "By an
    event". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool PeanoNat.
From Exactdp Require Import reals sums laws binomial independence adding_a_user losses_program.
From Exactdp Require Import blanket hidden_message least_values supports.
From ExactdpChecker Require Import opaque_rationals.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

Definition cell_bits : Z := 96.

Fixpoint falls (count : nat) (a miss den : Z) : Z :=
  match count with
  | O => a
  | S c => falls c (a * miss / den) miss den
  end.

(** From j ones on, of N bits. *)
Fixpoint chances_from (count : nat) (N j a hit miss : Z) : list Z :=
  a :: match count with
       | O => []
       | S c => chances_from c N (j + 1) (a * (N - j) * hit / ((j + 1) * miss)) hit miss
       end.

Definition chances_of_ones (q : Q) (N : nat) : list Z :=
  let den := Zpos (Qden q) in
  let few := 2 * Qnum q <=? den in
  let hit := if few then Qnum q else den - Qnum q in
  let wide := Z.of_nat N + 128 in
  let l := map (fun a => a / 2 ^ (wide - cell_bits))
    (chances_from N (Z.of_nat N) 0 (falls N (2 ^ wide) (den - hit) den) hit (den - hit)) in
  if few then l else rev_append l [].

Definition cell_of (cuts : list Z) (ones : nat) : nat := length (filter (fun c => c <=? Z.of_nat ones) cuts).

Definition cell_chances (cuts : list Z) (l : list Z) : list Z :=
  let placed := map (fun ja => (cell_of cuts (fst ja), snd ja)) (combine (seq 0 (length l)) l) in
  map (fun c => z_sum (map snd (filter (fun ca : nat * Z => Nat.eqb (fst ca) c) placed))) (seq 0 (S (length cuts))).

(** ** Soundness *)

Open Scope R_scope.

Lemma draws_of_bits q N g : mean (draws (repeat (coin q) N)) (fun l => g (ones l)) = mean (flips N q) g.
Proof.
  revert g. induction N as [| N IH]; intros g.
  - cbn [repeat draws]. rewrite mean_ret, mean_flips_0. reflexivity.
  - cbn [repeat]. rewrite mean_draws_first, mean_coin, mean_flips_S.
    f_equal; f_equal; [apply (IH (fun k => g (S k))) | apply IH].
Qed.

Section chances.

Variables (q : Q) (N : nat).
Hypothesis q_range : 0 < Q2R q < 1.

Let wide := (Z.of_nat N + 128)%Z.

Lemma falls_below miss den : (0 < den)%Z -> (0 <= miss)%Z -> forall count a, (0 <= a)%Z ->
  (0 <= falls count a miss den)%Z /\ IZR (falls count a miss den) <= IZR a * (IZR miss / IZR den) ^ count.
Proof.
  intros D M. assert (D' := IZR_lt _ _ D). assert (M' := IZR_le _ _ M).
  induction count as [| c IH]; intros a A; cbn [falls pow]; [split; [exact A | lra] |].
  assert (A' : (0 <= a * miss / den)%Z) by (apply Z.div_pos; [apply Z.mul_nonneg_nonneg; assumption | exact D]).
  destruct (IH _ A') as [I1 I2]. split; [exact I1 |]. eapply Rle_trans; [exact I2 |].
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply pow_le, Rmult_le_pos; [exact M' | left; apply Rinv_0_lt_compat, D'] |].
  assert (X := Z.mul_div_le (a * miss) den D). apply IZR_le in X. rewrite !mult_IZR in X.
  apply Rmult_le_reg_l with (IZR den); [exact D' |]. eapply Rle_trans; [exact X |]. right. field. lra.
Qed.

Lemma chances_from_below hit miss p : (0 < hit)%Z -> (0 < miss)%Z -> p = IZR hit / (IZR hit + IZR miss) ->
  forall count j a, (0 <= a)%Z -> (j + count <= N)%nat -> IZR a <= 2 ^ (N + 128) * binom N p j ->
  forall i c, nth_error (chances_from count (Z.of_nat N) (Z.of_nat j) a hit miss) i = Some c ->
  (0 <= c)%Z /\ IZR c <= 2 ^ (N + 128) * binom N p (j + i).
Proof.
  intros H M Hp. apply IZR_lt in H as H'. apply IZR_lt in M as M'.
  assert (Miss : 1 - p = IZR miss / (IZR hit + IZR miss)) by (rewrite Hp; field; lra).
  induction count as [| count IH]; intros j a A Jn B i c Nth; cbn [chances_from] in Nth.
  - destruct i as [| i]; [| destruct i; discriminate]. injection Nth as <-. rewrite Nat.add_0_r. split; assumption.
  - destruct i as [| i]; [injection Nth as <-; rewrite Nat.add_0_r; split; assumption |]. cbn [nth_error] in Nth.
    replace (Z.of_nat j + 1)%Z with (Z.of_nat (S j)) in Nth by lia. replace (j + S i)%nat with (S j + i)%nat by lia.
    set (a' := (a * (Z.of_nat N - Z.of_nat j) * hit / (Z.of_nat (S j) * miss))%Z) in Nth.
    assert (Dn : (0 < Z.of_nat (S j) * miss)%Z) by (apply Z.mul_pos_pos; lia).
    apply (IH (S j) a'); [apply Z.div_pos; [repeat apply Z.mul_nonneg_nonneg; lia | exact Dn] | lia | | exact Nth].
    assert (X := Z.mul_div_le (a * (Z.of_nat N - Z.of_nat j) * hit) (Z.of_nat (S j) * miss) Dn). fold a' in X. apply IZR_le in X.
    rewrite !mult_IZR, minus_IZR, <- !INR_IZR_INZ in X. assert (R0 := binom_ratio N p j).
    assert (J0 : 0 < INR (S j)) by (apply lt_0_INR; lia).
    assert (NJ : 0 <= INR N - INR j) by (assert (INR j <= INR N) by (apply le_INR; lia); lra).
    rewrite Miss in R0. rewrite Hp in R0 at 3. 
    assert (R1 : binom N p (S j) * (INR (S j) * IZR miss) = binom N p j * ((INR N - INR j) * IZR hit)).
    { apply Rmult_eq_reg_r with (/ (IZR hit + IZR miss)); [| apply Rgt_not_eq, Rinv_0_lt_compat; lra].
      transitivity (binom N p (S j) * INR (S j) * (IZR miss / (IZR hit + IZR miss))); [unfold Rdiv; ring |].
      rewrite R0. unfold Rdiv. ring. }
    apply Rmult_le_reg_r with (INR (S j) * IZR miss); [apply Rmult_lt_0_compat; lra |].
    rewrite Rmult_assoc, R1. rewrite (Rmult_comm (IZR a')). eapply Rle_trans; [exact X |].
    rewrite <- Rmult_assoc, Rmult_assoc. apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | exact B].
Qed.

Lemma power_two (k : nat) : IZR (2 ^ Z.of_nat k) = 2 ^ k.
Proof. rewrite <- pow_IZR. reflexivity. Qed.

Lemma chances_length count : forall M j a hit miss, length (chances_from count M j a hit miss) = S count.
Proof. induction count as [| c IH]; intros; cbn [chances_from length]; [reflexivity | rewrite IH; reflexivity]. Qed.

Lemma nth_error_reversed {A} (l : list A) i : (i < length l)%nat -> nth_error (rev l) i = nth_error l (length l - S i).
Proof.
  intros H. destruct (nth_error l (length l - S i)) as [a |] eqn:E; [| apply nth_error_None in E; lia].
  rewrite (nth_error_nth' (rev l) a) by (rewrite rev_length; exact H). rewrite rev_nth by exact H.
  f_equal. apply nth_error_nth. exact E.
Qed.

Theorem chances_below : length (chances_of_ones q N) = S N /\ forall i c, nth_error (chances_of_ones q N) i = Some c ->
  (0 <= c)%Z /\ IZR c <= 2 ^ 96 * binom N (Q2R q) i.
Proof.
  unfold chances_of_ones. cbv zeta. set (few := (2 * Qnum q <=? _)%Z).
  set (hit := if few then Qnum q else (Zpos (Qden q) - Qnum q)%Z). set (den := Zpos (Qden q)) in *. fold wide.
  assert (D : 0 < IZR den) by (apply IZR_lt; unfold den; lia). assert (Qv : Q2R q = IZR (Qnum q) / IZR den) by reflexivity.
  assert (Num : (0 < Qnum q < den)%Z).
  { rewrite Qv in q_range. destruct q_range as [A B]. split; apply lt_IZR.
    - apply Rmult_lt_reg_r with (/ IZR den); [apply Rinv_0_lt_compat, D | unfold Rdiv in A; lra].
    - apply Rmult_lt_reg_r with (/ IZR den); [apply Rinv_0_lt_compat, D |]. rewrite Rinv_r by lra. exact B. }
  assert (Hit : (0 < hit < den)%Z) by (unfold hit; destruct few; lia).
  set (p := if few then Q2R q else 1 - Q2R q).
  assert (Pv : p = IZR hit / IZR den).
  { unfold p, hit. destruct few; [exact Qv |]. unfold Z.sub. rewrite plus_IZR, opp_IZR, Qv. field. lra. }
  assert (Pv' : p = IZR hit / (IZR hit + IZR (den - hit))) by (rewrite minus_IZR, Pv; f_equal; ring).
  assert (W : IZR (2 ^ wide) = 2 ^ (N + 128)).
  { unfold wide. replace (Z.of_nat N + 128)%Z with (Z.of_nat (N + 128)) by lia. apply power_two. }
  assert (S0 : (0 <= falls N (2 ^ wide) (den - hit) den)%Z /\ IZR (falls N (2 ^ wide) (den - hit) den) <= 2 ^ (N + 128) * binom N p 0).
  { destruct (falls_below (den - hit) den ltac:(lia) ltac:(lia) N (2 ^ wide)%Z ltac:(apply Z.pow_nonneg; lia)) as [A B].
    split; [exact A |]. eapply Rle_trans; [exact B |]. rewrite W, binom_inside, choose_0, Nat.sub_0_r by lia.
    right. f_equal. rewrite pow_O, !Rmult_1_l. f_equal. rewrite Pv, minus_IZR. field. lra. }
  set (l := chances_from N (Z.of_nat N) 0 (falls N (2 ^ wide) (den - hit) den) hit (den - hit)).
  set (m := map (fun a => (a / 2 ^ (wide - cell_bits))%Z) l).
  assert (Lm : length m = S N) by (unfold m, l; rewrite map_length; apply chances_length).
  assert (Each : forall i c, nth_error m i = Some c -> (0 <= c)%Z /\ IZR c <= 2 ^ 96 * binom N p i).
  { intros i c E. unfold m in E. rewrite nth_error_map in E. destruct (nth_error l i) as [a |] eqn:La; [| discriminate].
    injection E as <-. destruct (chances_from_below hit (den - hit) p ltac:(lia) ltac:(lia) Pv' N 0%nat _ (proj1 S0) ltac:(lia) (proj2 S0) i a La) as [A B].
    cbn [Nat.add] in B. assert (P2 : (0 < 2 ^ (wide - cell_bits))%Z) by (apply Z.pow_pos_nonneg; unfold wide, cell_bits; lia).
    split; [apply Z.div_pos; assumption |]. assert (X := Z.mul_div_le a _ P2). apply IZR_le in X. rewrite mult_IZR in X.
    assert (W2 : IZR (2 ^ (wide - cell_bits)) = 2 ^ (N + 32)).
    { unfold wide, cell_bits. replace (Z.of_nat N + 128 - 96)%Z with (Z.of_nat (N + 32)) by lia. apply power_two. }
    rewrite W2 in X. assert (Pp : 0 < 2 ^ (N + 32)) by (apply pow_lt; lra).
    apply Rmult_le_reg_l with (2 ^ (N + 32)); [exact Pp |]. eapply Rle_trans; [exact X |]. eapply Rle_trans; [exact B |].
    right. replace (N + 128)%nat with (N + 32 + 96)%nat by lia. rewrite (pow_add 2 (N + 32) 96). ring. }
  unfold p in Each. destruct few; [split; [exact Lm | exact Each] |].
  rewrite <- rev_alt. split; [rewrite rev_length; exact Lm |]. intros i c E.
  assert (I : (i < length m)%nat) by (rewrite <- rev_length; apply nth_error_Some; congruence).
  rewrite nth_error_reversed in E by exact I. destruct (Each _ _ E) as [A B]. split; [exact A |].
  rewrite Lm in B, I. replace (S N - S i)%nat with (N - i)%nat in B by lia. rewrite (binom_symmetry N (Q2R q) i) by lia. exact B.
Qed.

Lemma cell_of_bound cuts j : (cell_of cuts j <= length cuts)%nat.
Proof. unfold cell_of. induction cuts as [| c cuts IH]; simpl; [lia |]. destruct (c <=? Z.of_nat j)%Z; simpl; lia. Qed.

Theorem ones_in_cells cuts (h : nat -> R) : (forall c, 0 <= h c) ->
  Forall (fun c => (0 <= c)%Z) (cell_chances cuts (chances_of_ones q N)) /\
  total (combine (seq 0 (S (length cuts))) (cell_chances cuts (chances_of_ones q N))) (fun cz => IZR (snd cz) * h (fst cz)) <=
  2 ^ 96 * mean (draws (repeat (coin (Q2R q)) N)) (fun l => h (cell_of cuts (ones l))).
Proof.
  intros H. destruct chances_below as [Len Each]. set (l := chances_of_ones q N) in *.
  set (placed := map (fun ja => (cell_of cuts (fst ja), snd ja)) (combine (seq 0 (length l)) l)).
  assert (Nn : forall ca, In ca placed -> (0 <= snd ca)%Z).
  { intros ca I. apply in_map_iff in I. destruct I as [[j a] [<- I]]. cbn [snd]. apply in_combine_r in I.
    apply In_nth_error in I. destruct I as [i E]. apply (Each i a E). }
  assert (Cv : forall c, IZR (z_sum (map snd (filter (fun ca : nat * Z => Nat.eqb (fst ca) c) placed))) =
    total placed (fun ca => if Nat.eqb (fst ca) c then IZR (snd ca) else 0)).
  { intros c. clear. induction placed as [| ca m IH]; [reflexivity |]. cbn [filter total]. destruct (Nat.eqb (fst ca) c); cbn [map];
      [change (z_sum (snd ca :: ?k)) with (snd ca + z_sum k)%Z; rewrite plus_IZR |]; rewrite IH; ring. }
  split.
  - apply Forall_forall. intros c I. apply in_map_iff in I. destruct I as [k [<- _]]. fold placed. apply le_IZR. rewrite Cv.
    apply total_nonneg. intros ca J. destruct (Nat.eqb _ _); [apply IZR_le, Nn, J | lra].
  - assert (Left : total (combine (seq 0 (S (length cuts))) (cell_chances cuts l)) (fun cz => IZR (snd cz) * h (fst cz)) =
      total placed (fun ca => IZR (snd ca) * h (fst ca))).
    { unfold cell_chances. fold placed. set (cells := seq 0 (S (length cuts))).
      assert (Comb : forall (g : nat -> Z) (k : list nat), total (combine k (map g k)) (fun cz => IZR (snd cz) * h (fst cz)) =
        total k (fun c => IZR (g c) * h c)).
      { intros g k. induction k as [| c k IH]; [reflexivity |]. cbn [map combine total fst snd]. rewrite IH. reflexivity. }
      rewrite Comb. rewrite (total_ext _ _ (fun c => total placed (fun ca => (if Nat.eqb (fst ca) c then IZR (snd ca) else 0) * h c)))
        by (intros c _; rewrite Cv, total_scal_r; reflexivity).
      rewrite total_swap. apply total_ext. intros ca I.
      rewrite (total_ext cells _ (fun c => if Nat.eq_dec (fst ca) c then IZR (snd ca) * h (fst ca) else 0)).
      - apply (total_single Nat.eq_dec cells (fst ca) (IZR (snd ca) * h (fst ca))); [apply seq_NoDup |].
        apply in_map_iff in I. destruct I as [[j a] [<- _]]. cbn [fst]. apply in_seq. assert (X := cell_of_bound cuts j). lia.
      - intros c _. destruct (Nat.eq_dec (fst ca) c) as [<- | Ne]; [rewrite Nat.eqb_refl; ring |].
        rewrite (proj2 (Nat.eqb_neq _ _) Ne). ring. }
    rewrite Left. rewrite (draws_of_bits (Q2R q) N (fun j => h (cell_of cuts j))), mean_flips. unfold placed. rewrite total_map, <- total_scal.
    rewrite Len. assert (G : forall m from, (forall i c, nth_error m i = Some c -> IZR c <= 2 ^ 96 * binom N (Q2R q) (from + i)) ->
      total (combine (seq from (length m)) m) (fun ja => IZR (snd (cell_of cuts (fst ja), snd ja)) * h (fst (cell_of cuts (fst ja), snd ja))) <=
      total (seq from (length m)) (fun i => 2 ^ 96 * (binom N (Q2R q) i * h (cell_of cuts i)))).
    { induction m as [| a m IH]; intros from B; [apply Rle_refl |]. cbn [length seq combine total fst snd]. apply Rplus_le_compat.
      - assert (B0 := B 0%nat a eq_refl). rewrite Nat.add_0_r in B0. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply H | exact B0].
      - apply (IH (S from)). intros i c E. replace (S from + i)%nat with (from + S i)%nat by lia. apply B, E. }
    specialize (G l 0%nat (fun i c E => proj2 (Each i c E))). rewrite Len in G. exact G.
Qed.

End chances.
