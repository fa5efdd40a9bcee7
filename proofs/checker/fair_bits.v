(** Unary encoding where who is away sends fair bits, or does so in one of several messages.

    Where the dummy is fair bits and what is sent has other ones, the numbers of ones among the bits that are not named are
    told apart, too. Of few bits of a short probability these are exact ([fair_classes_of]). Else they are cells
    ([cells]), of rational numbers of 96 bits: to prove, each number of ones that is not rare among either kind of bits,
    and what is left of all own ones, and of all fair ones; to refute, the same numbers, and the sums of the others that are
    rather own, or rather fair. [cells_most], [cells_less]: the first tell more than the numbers of ones do, and the second
    have less than the masses of these. [fair_right]: every pair of inputs is there, and [fair_attained]: nothing else is.

    Idea: given the named bits the number of other ones is independent of them, and a mass is a sum of what is told of it
    and of what is left. Source: docs/soundness.md, "Fewer numbers of ones may tell more". *)
From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation.
From Exactdp Require Import reals sums laws binomial hockey_stick events independence privacy shuffler single_message losses_program.
From Exactdp Require Import adding_a_user mean_excess hidden_message blanket classes least_values absent_users generic_blanket supports tilted_program.
From Exactdp Require Import k_ary_classes unary_classes hadamard_classes.
From ExactdpChecker Require Import claims blanket_program matrix_blanket family_blanket described_pairs family_rows.
From ExactdpChecker Require Import absence_laws away_rows participation_rows ones_between_cuts described_beside described_bounds
  beside_kinds kinds_of_supports.
From ExactdpChecker Require Import opaque_rationals.
Import ListNotations.
Open Scope R_scope.

(** ** Sums over all lists of bits *)

Lemma total_permuted d l G : (2 <= d)%nat -> NoDup l -> (forall v, In v l -> (v < d)%nat) -> length l = d ->
  total (bit_patterns d) (fun m => G (map (fun v => bit_of v m) l)) = total (bit_patterns d) G.
Proof.
  intros D N I L. assert (X := proj2 (unary_patterns d (3 / 4) (1 / 2) D ltac:(lra) ltac:(lra) l N I) G).
  rewrite mean_coins, L in X.
  assert (Half : forall m, In m (bit_patterns d) -> independent_bits (1 / 2) 1 m = (1 / 2) ^ d).
  { intros m J. unfold independent_bits. replace (1 - 1 / 2) with (1 / 2) by field.
    rewrite Rmult_1_l, <- pow_add. f_equal. assert (Y := ones_at_most m). rewrite (length_bit_patterns _ _ J) in Y |- *. lia. }
  apply Rmult_eq_reg_l with ((1 / 2) ^ d); [| apply pow_nonzero; lra]. rewrite <- !total_scal.
  rewrite (total_ext _ (fun m => (1 / 2) ^ d * G m) (fun m => independent_bits (1 / 2) 1 m * G m))
    by (intros m J; rewrite (Half m J); reflexivity).
  rewrite <- X. apply total_ext. intros m J. rewrite (Half m J). reflexivity.
Qed.

Lemma total_both s t G : total (bit_patterns (s + t)) G =
  total (bit_patterns s) (fun a => total (bit_patterns t) (fun b => G (a ++ b))).
Proof.
  revert G. induction s as [| s IH]; intros G; [simpl; symmetry; apply Rplus_0_r |].
  cbn [Nat.add bit_patterns]. rewrite !total_app, !total_map, !IH. reflexivity.
Qed.

(** Pascal's row: in how many lists of so many bits each number is that of ones. *)
Fixpoint lists_of_ones (n : nat) : list Z :=
  match n with
  | O => [1%Z]
  | S m => let row := lists_of_ones m in map (fun ab => fst ab + snd ab)%Z (combine (0%Z :: row) (row ++ [0%Z]))
  end.

Lemma length_lists n : length (lists_of_ones n) = S n.
Proof.
  induction n as [| n IH]; [reflexivity |]. cbn [lists_of_ones]. rewrite map_length, combine_length, app_length.
  cbn [length]. rewrite IH. lia.
Qed.

Lemma total_placed (l : list Z) (h : nat -> R) from :
  total (combine (seq from (length l)) l) (fun jc => IZR (snd jc) * h (fst jc)) =
  total (combine l (map h (seq from (length l)))) (fun ch => IZR (fst ch) * snd ch).
Proof. revert from. induction l as [| a l IH]; intros from; [reflexivity |]. simpl. rewrite IH. reflexivity. Qed.

Definition weighted (l : list Z) (h : nat -> R) (from : nat) : R :=
  total (combine (seq from (length l)) l) (fun jc => IZR (snd jc) * h (fst jc)).

Lemma weighted_next a l h from : weighted (a :: l) h from = IZR a * h from + weighted l h (S from).
Proof. reflexivity. Qed.

Lemma weighted_shift l h from : weighted l (fun j => h (S j)) from = weighted l h (S from).
Proof. revert from. induction l as [| a l IH]; intros from; [reflexivity |]. rewrite !weighted_next, IH. reflexivity. Qed.

Lemma weighted_sums (l m : list Z) h from : length l = length m ->
  weighted (map (fun ab => fst ab + snd ab)%Z (combine l m)) h from = weighted l h from + weighted m h from.
Proof.
  revert m from. induction l as [| a l IH]; intros [| b m] from L; try discriminate; [unfold weighted; simpl; ring |].
  cbn [combine map fst snd]. rewrite !weighted_next, IH, plus_IZR by (injection L; auto). ring.
Qed.

Lemma weighted_end l h from : weighted (l ++ [0%Z]) h from = weighted l h from.
Proof.
  revert from. induction l as [| a l IH]; intros from; [unfold weighted; simpl; ring |].
  cbn [app]. rewrite !weighted_next, IH. reflexivity.
Qed.

Lemma total_by_ones n h : total (bit_patterns n) (fun b => h (ones b)) = weighted (lists_of_ones n) h 0.
Proof.
  revert h. induction n as [| n IH]; intros h; [unfold weighted, ones; simpl; ring |].
  cbn [bit_patterns lists_of_ones]. rewrite total_app, !total_map, weighted_sums, weighted_end, weighted_next
    by (rewrite app_length; simpl; lia).
  rewrite <- weighted_shift, <- !IH.
  rewrite (total_ext _ (fun a => h (ones (true :: a))) (fun a => h (S (ones a)))) by reflexivity.
  rewrite (total_ext _ (fun a => h (ones (false :: a))) (fun a => h (ones a))) by reflexivity. ring.
Qed.

(** Each number of ones as often as there are lists with it. *)
Lemma total_by_number n h : total (bit_patterns n) (fun b => h (ones b)) = total (seq 0 (S n)) (fun o => C n o * h o).
Proof.
  assert (D := draws_of_bits (/ 2) n h). fold (copies (coin (/ 2)) n) in D. rewrite mean_coins, mean_flips in D.
  assert (Half : forall m, In m (bit_patterns n) -> independent_bits (/ 2) 1 m = (/ 2) ^ n).
  { intros m J. unfold independent_bits. replace (1 - / 2) with (/ 2) by field.
    rewrite Rmult_1_l, <- pow_add. f_equal. assert (Y := ones_at_most m). rewrite (length_bit_patterns _ _ J) in Y |- *. lia. }
  assert (P : (/ 2) ^ n <> 0) by (apply pow_nonzero; lra).
  apply Rmult_eq_reg_l with ((/ 2) ^ n); [| exact P]. rewrite <- !total_scal.
  rewrite (total_ext (bit_patterns n) _ (fun m => independent_bits (/ 2) 1 m * h (ones m)))
    by (intros m J; rewrite (Half m J); reflexivity).
  rewrite D. apply total_ext. intros o I. apply in_seq in I. rewrite binom_inside by lia.
  replace (1 - / 2) with (/ 2) by field.
  replace ((/ 2) ^ n) with ((/ 2) ^ o * (/ 2) ^ (n - o)) by (rewrite <- pow_add; f_equal; lia). ring.
Qed.

(** ** The program *)

(** Numbers of ones that are so rare among own or fair bits are not told from others; of more bits, none is told. *)
Definition common_chance : Z := 2 ^ 56.
Definition most_fair_bits : Z := 16384.

Section program.

Variables (p c : Q) (d : nat).

Definition own_density (own : bool) : Q := if own then p / c else (1 - p) / (1 - c).

(** *** All numbers of ones *)

(** Of a number of ones in so many other bits: how many lists have it, and the masses of one with other named bits. *)
Definition own_mass (bits ones : nat) : Q := power_of c ones * power_of (1 - c) (bits - ones).

Definition fair_mass (bits : nat) : Q := power_of (1 # 2) bits.

Definition fair_classes_of (density : list bool -> nat -> Q) (length i j : nat) : list beside :=
  flat_map (fun bits => map (fun jk =>
    let own := (inject_Z (snd jk) * own_mass d (ones bits + fst jk))%Q in
    (reduced (own * own_density (nth i bits false), own * own_density (nth j bits false), own * density bits (fst jk))%Q,
     Qred (inject_Z (snd jk) * fair_mass d)))
    (combine (seq 0 (S (d - length))) (lists_of_ones (d - length)))) (bit_patterns length).

(** *** Cells *)

Definition chances (bits : nat) : list (Z * Z) :=
  if (Z.of_nat bits <=? most_fair_bits)%Z then combine (chances_of_ones c bits) (chances_of_ones (1 # 2) bits) else [].

Definition is_common (af : Z * Z) : bool := (common_chance <=? fst af)%Z && (common_chance <=? snd af)%Z.

Definition cell (af : Z * Z) : beside :=
  let a := Qred (fst af # 2 ^ 96) in ((a, a, a), Qred (snd af # 2 ^ 96)).

Definition sum_of_cells (l : list (Z * Z)) : Z * Z := (z_sum (map fst l), z_sum (map snd l)).

Definition cells (less : bool) (bits : nat) : list beside :=
  let l := chances bits in
  let told := filter is_common l in
  let sum := sum_of_cells told in
  let rare := filter (fun af => negb (is_common af)) l in
  map cell told ++
  if less then
    [cell (sum_of_cells (filter (fun af => (snd af <=? fst af)%Z) rare));
     cell (sum_of_cells (filter (fun af => negb (snd af <=? fst af)%Z) rare))]
  else [cell (2 ^ 96 - fst sum, 0)%Z; cell (0, 2 ^ 96 - snd sum)%Z].

Definition named_class (reference : list bool -> Q) (length i j : nat) (bits : list bool) : beside :=
  let own := own_mass length (ones bits) in
  (reduced (own * own_density (nth i bits false), own * own_density (nth j bits false), own * reference bits)%Q,
   fair_mass length).

Definition cell_classes (less : bool) (reference : list bool -> Q) (length i j : nat) : list beside :=
  let others := cells less (d - length) in
  flat_map (fun bits => map (product_beside (named_class reference length i j bits)) others) (bit_patterns length).

(** *** The pairs of inputs *)

Definition all_ones_told : bool := Nat.leb d 64 && (Z.of_nat d * bit_length (Zpos (Qden c)) <=? split_bits)%Z.

Definition fair_classes (less : bool) (length i j h : nat) : list beside :=
  if all_ones_told then fair_classes_of (fun bits _ => own_density (nth h bits false)) length i j
  else cell_classes less (fun bits => own_density (nth h bits false)) length i j.

(** The message of ones alone is what everyone supports. *)
Definition fair_blanket (less : bool) (length i j : nat) : list beside :=
  if all_ones_told then fair_classes_of (fun bits others => own_density (Nat.eqb (ones bits + others) d)) length i j
  else cell_classes less (fun _ => own_density false) length i j.

Definition fair_kind (less : bool) (ij : nat * nat) : kind_beside :=
  let length := S (Nat.max (fst ij) (snd ij)) in
  ((fair_blanket less length (fst ij) (snd ij),
    map (fun h => fair_classes less (Nat.max (S h) length) (fst ij) (snd ij) h) (seq 0 (Nat.min (S length) d))),
   Nat.eqb (fst ij) (snd ij)).

Definition fair_kinds (less : bool) : list kind_beside := map (fair_kind less) places_alone.

End program.

(** Of more bits, whose numbers of ones are not told, the classes are the same for all numbers of inputs. *)
Definition few_inputs (d : Z) : nat := Z.to_nat (Z.min d (most_fair_bits + 4)).

Lemma all_ones_few c d : all_ones_told c (few_inputs d) = all_ones_told c (Z.to_nat d).
Proof.
  unfold few_inputs, all_ones_told, most_fair_bits. destruct (Z.min_spec d (16384 + 4)) as [[_ ->] | [L ->]]; [reflexivity |].
  rewrite !(proj2 (Nat.leb_gt _ _)) by lia. reflexivity.
Qed.

Theorem fair_kinds_few p c d less : fair_kinds p c (few_inputs d) less = fair_kinds p c (Z.to_nat d) less.
Proof.
  assert (All := all_ones_few c d). unfold few_inputs in *. destruct (Z.min_spec d (most_fair_bits + 4)) as [[_ E] | [L E]];
    rewrite E in *; [reflexivity |]. unfold most_fair_bits in *.
  set (n := Z.to_nat (16384 + 4)) in *. set (m := Z.to_nat d) in *.
  assert (N : (16388 <= Z.of_nat n)%Z) by (unfold n; lia). assert (M : (16388 <= Z.of_nat m)%Z) by (unfold m; lia).
  clearbody n m. clear E L d.
  assert (None : all_ones_told c m = false) by (unfold all_ones_told; rewrite (proj2 (Nat.leb_gt _ _)) by lia; reflexivity).
  assert (Cells : forall k, (k <= 3)%nat -> cells c less (n - k) = cells c less (m - k)).
  { intros k K. unfold cells, chances, most_fair_bits. rewrite !(proj2 (Z.leb_gt _ _)) by lia. reflexivity. }
  unfold fair_kinds, places_alone. cbn [map]. unfold fair_kind, fair_blanket, fair_classes. rewrite All, None.
  cbn [fst snd Nat.max]. rewrite !Nat.min_l by lia. cbn [seq map Nat.max]. unfold cell_classes. rewrite !Cells by lia.
  reflexivity.
Qed.

(** ** Cells *)

Definition vector_of (a f : R) : class * R := ((a, a, a), f).

Section cells.

Variables (c : Q) (N : nat).
Hypothesis c_range : 0 < Q2R c < 1.

Let U := 2 ^ 96.
Let own (o : nat) : R := binom N (Q2R c) o.
Let fair (o : nat) : R := binom N (/ 2) o.
Let at_number (o : nat) : Z * Z := nth o (chances c N) (0, 0)%Z.

Lemma unit_positive : 0 < U.
Proof. apply pow_lt. lra. Qed.

Lemma own_nonneg o : 0 <= own o.
Proof. apply binom_nonneg. lra. Qed.

Lemma fair_nonneg o : 0 <= fair o.
Proof. apply binom_nonneg. lra. Qed.

Lemma chances_few : (length (chances c N) <= S N)%nat.
Proof.
  unfold chances. destruct (Z.of_nat N <=? most_fair_bits)%Z; [| simpl; lia].
  destruct (chances_below c N c_range) as [L _]. rewrite combine_length, L. lia.
Qed.

Lemma at_number_bounds o :
  (0 <= fst (at_number o))%Z /\ (0 <= snd (at_number o))%Z /\
  IZR (fst (at_number o)) / U <= own o /\ IZR (snd (at_number o)) / U <= fair o.
Proof.
  assert (Zero : 0 / U <= own o /\ 0 / U <= fair o).
  { unfold Rdiv. rewrite Rmult_0_l. split; [apply own_nonneg | apply fair_nonneg]. }
  unfold at_number. destruct (nth_in_or_default o (chances c N) (0, 0)%Z) as [_ | ->].
  2: { cbn [fst snd]. split; [lia |]. split; [lia | exact Zero]. }
  destruct (Nat.lt_ge_cases o (length (chances c N))) as [L | L].
  2: { rewrite nth_overflow by exact L. cbn [fst snd]. split; [lia |]. split; [lia | exact Zero]. }
  assert (E := nth_error_nth' (chances c N) (0, 0)%Z L). destruct (nth o (chances c N) (0, 0)%Z) as [a f].
  unfold chances in E, L. destruct (Z.of_nat N <=? most_fair_bits)%Z; [| simpl in L; lia].
  assert (Half : 0 < Q2R (1 # 2) < 1) by (rewrite half_value; lra).
  destruct (chances_below c N c_range) as [L1 B1]. destruct (chances_below (1 # 2) N Half) as [L2 B2].
  rewrite combine_length, L1, L2, Nat.min_id in L.
  assert (E1 : nth_error (chances_of_ones c N) o = Some a /\ nth_error (chances_of_ones (1 # 2) N) o = Some f).
  { clear -E. revert o E. generalize (chances_of_ones c N) (chances_of_ones (1 # 2) N). intros l m.
    revert m. induction l as [| x l IH]; intros m o E; [destruct o; discriminate |]. destruct m as [| y m]; [destruct o; discriminate |].
    destruct o as [| o]; cbn [combine nth_error] in *; [injection E as <- <-; auto | apply IH, E]. }
  destruct E1 as [E1 E2]. destruct (B1 o a E1) as [A0 A1]. destruct (B2 o f E2) as [F0 F1]. cbn [fst snd].
  rewrite half_value in F1. replace (1 / 2) with (/ 2) in F1 by field.
  assert (Up := unit_positive). split; [exact A0 |]. split; [exact F0 |]. split.
  - apply Rmult_le_reg_r with U; [exact Up |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    rewrite Rmult_comm. exact A1.
  - apply Rmult_le_reg_r with U; [exact Up |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    rewrite Rmult_comm. exact F1.
Qed.

Lemma total_at_number (g : Z * Z -> R) : g (0, 0)%Z = 0 ->
  total (chances c N) g = total (seq 0 (S N)) (fun o => g (at_number o)).
Proof.
  intros G. unfold at_number. assert (L := chances_few). revert L. generalize (chances c N) (S N). intros l m.
  assert (X : forall from, (length l <= m)%nat -> total l g = total (seq from m) (fun o => g (nth (o - from) l (0, 0)%Z))).
  { revert m. induction l as [| x l IH]; intros m from L.
    - rewrite (total_ext (seq from m) _ (fun _ => 0)) by (intros o _; destruct (o - from)%nat; exact G).
      symmetry. apply total_zero.
    - destruct m as [| m]; [simpl in L; lia |]. cbn [seq total]. rewrite Nat.sub_diag. cbn [nth]. f_equal.
      rewrite (IH m (S from)) by (simpl in L; lia). apply total_ext. intros o I. apply in_seq in I.
      replace (o - from)%nat with (S (o - S from)) by lia. reflexivity. }
  intros L. rewrite (X 0%nat L). apply total_ext. intros o _. rewrite Nat.sub_0_r. reflexivity.
Qed.

Definition real_cell (af : Z * Z) : class * R := vector_of (IZR (fst af) / U) (IZR (snd af) / U).

Lemma cell_value af : real_beside (cell af) = real_cell af.
Proof.
  assert (X : forall z, Q2R (Qred (z # 2 ^ 96)) = IZR z / U).
  { intros z. rewrite Q2R_red. unfold Q2R, U. cbn [Qnum Qden].
    assert (E : IZR (Zpos (2 ^ 96)) = 2 ^ 96) by (symmetry; exact (pow_IZR 2 96)). rewrite E. reflexivity. }
  unfold cell, real_beside, real_class, real_cell, vector_of, under_first, under_second, under_reference.
  cbn [fst snd]. rewrite !X. reflexivity.
Qed.

Lemma sum_of_cells_value l : IZR (fst (sum_of_cells l)) / U = total l (fun af => IZR (fst af) / U) /\
  IZR (snd (sum_of_cells l)) / U = total l (fun af => IZR (snd af) / U).
Proof.
  unfold sum_of_cells. cbn [fst snd]. induction l as [| af l [IH1 IH2]].
  - cbn [map total]. unfold z_sum. simpl. unfold Rdiv. rewrite !Rmult_0_l. auto.
  - cbn [map total]. change (z_sum (?x :: ?m)) with (x + z_sum m)%Z. rewrite !plus_IZR, !Rdiv_plus_distr, IH1, IH2. auto.
Qed.

Lemma vector_homogeneous f x a b : homogeneous_beside f -> 0 <= x -> f (vector_of (x * a) (x * b)) = x * f (vector_of a b).
Proof. intros F X. rewrite <- (F x _ X). reflexivity. Qed.

Theorem cells_most f : sublinear f ->
  total (seq 0 (S N)) (fun o => f (vector_of (own o) (fair o))) <= total (map real_beside (cells c false N)) f.
Proof.
  intros [F S]. set (shown := fun af => if is_common af then real_cell af else vector_of 0 0).
  assert (Zero : f (vector_of 0 0) = 0).
  { replace (vector_of 0 0) with (vector_of (0 * 0) (0 * 0)) by (unfold vector_of; rewrite Rmult_0_l; reflexivity).
    rewrite (vector_homogeneous f 0 0 0 F) by lra. ring. }
  set (a := fun o => if is_common (at_number o) then IZR (fst (at_number o)) / U else 0).
  set (b := fun o => if is_common (at_number o) then IZR (snd (at_number o)) / U else 0).
  assert (Ab : forall o, a o <= own o /\ b o <= fair o).
  { intros o. destruct (at_number_bounds o) as [_ [_ [A B]]]. unfold a, b.
    destruct (is_common _); [split; assumption | split; [apply own_nonneg | apply fair_nonneg]]. }
  assert (Each : forall o, f (vector_of (own o) (fair o)) <=
    f (shown (at_number o)) + (own o - a o) * f (vector_of 1 0) + (fair o - b o) * f (vector_of 0 1)).
  { intros o. destruct (Ab o) as [A B].
    assert (Sh : shown (at_number o) = vector_of (a o) (b o)) by (unfold shown, a, b; destruct (is_common _); reflexivity).
    rewrite Sh, <- (vector_homogeneous f (own o - a o) 1 0 F), <- (vector_homogeneous f (fair o - b o) 0 1 F) by lra.
    rewrite !Rmult_1_r, !Rmult_0_r.
    eapply Rle_trans; [| apply Rplus_le_compat_r, S]. eapply Rle_trans; [| apply S]. apply Req_le. f_equal.
    unfold plus_beside, vector_of, first_mass, second_mass, reference_mass. cbn [fst snd].
    apply (f_equal2 pair); [apply (f_equal2 pair); [apply (f_equal2 pair) |] |]; ring. }
  eapply Rle_trans; [apply total_le; intros o _; apply Each |]. rewrite !total_plus, !total_scal_r, !total_minus.
  assert (One : total (seq 0 (Datatypes.S N)) own = 1) by apply binom_total.
  assert (One' : total (seq 0 (Datatypes.S N)) fair = 1) by apply binom_total. rewrite One, One'.
  unfold cells. cbv zeta. rewrite map_app, total_app. cbn [map total]. rewrite !cell_value, map_map.
  rewrite (total_map (fun x => real_beside (cell x))).
  destruct (sum_of_cells_value (filter is_common (chances c N))) as [Sa Sb].
  set (told := filter is_common (chances c N)) in *.
  assert (Sum : forall g : Z * Z -> R, total told g = total (seq 0 (Datatypes.S N)) (fun o => if is_common (at_number o) then g (at_number o) else 0)).
  { intros g. unfold told. rewrite total_filter. apply (total_at_number (fun af => if is_common af then g af else 0)). reflexivity. }
  rewrite Sum in Sa, Sb.
  assert (Ea : total (seq 0 (Datatypes.S N)) a = IZR (fst (sum_of_cells told)) / U) by (symmetry; exact Sa).
  assert (Eb : total (seq 0 (Datatypes.S N)) b = IZR (snd (sum_of_cells told)) / U) by (symmetry; exact Sb).
  rewrite Ea, Eb.
  assert (Up := unit_positive). assert (Uz : IZR (2 ^ 96) = U) by (symmetry; exact (pow_IZR 2 96)).
  assert (Rest : forall z, IZR z / U <= 1 -> 0 <= 1 - IZR z / U) by (intros; lra).
  assert (Le1 : IZR (fst (sum_of_cells told)) / U <= 1).
  { rewrite <- Ea, <- One. apply total_le. intros o _. apply (proj1 (Ab o)). }
  assert (Le2 : IZR (snd (sum_of_cells told)) / U <= 1).
  { rewrite <- Eb, <- One'. apply total_le. intros o _. apply (proj2 (Ab o)). }
  assert (Left : real_cell (2 ^ 96 - fst (sum_of_cells told), 0)%Z = vector_of ((1 - IZR (fst (sum_of_cells told)) / U) * 1) ((1 - IZR (fst (sum_of_cells told)) / U) * 0)).
  { unfold real_cell. cbn [fst snd]. rewrite minus_IZR, Uz. f_equal; field; lra. }
  assert (Right : real_cell (0, 2 ^ 96 - snd (sum_of_cells told))%Z = vector_of ((1 - IZR (snd (sum_of_cells told)) / U) * 0) ((1 - IZR (snd (sum_of_cells told)) / U) * 1)).
  { unfold real_cell. cbn [fst snd]. rewrite minus_IZR, Uz. f_equal; field; lra. }
  rewrite Left, Right, !(vector_homogeneous f _ _ _ F) by lra.
  rewrite (total_ext told _ (fun af => f (real_cell af))) by (intros af _; rewrite cell_value; reflexivity).
  rewrite Sum. rewrite (total_ext (seq 0 (Datatypes.S N)) (fun o => f (shown (at_number o)))
    (fun o => if is_common (at_number o) then f (real_cell (at_number o)) else 0))
    by (intros o _; unfold shown; destruct (is_common _); [reflexivity | exact Zero]).
  apply Req_le. ring.
Qed.

Definition side_of (s : side) (af : Z * Z) : Z := match s with Instead => snd af | _ => fst af end.

Lemma side_cell s af : side_mass s (real_cell af) = IZR (side_of s af) / U.
Proof. destruct s; reflexivity. Qed.

Lemma cells_nonneg : nowhere_negative (cells c true N).
Proof.
  assert (Nn : forall af, In af (chances c N) -> (0 <= fst af)%Z /\ (0 <= snd af)%Z).
  { intros af I. destruct (In_nth _ _ (0, 0)%Z I) as [o [_ E]]. assert (B := at_number_bounds o). unfold at_number in B.
    rewrite E in B. tauto. }
  assert (Sums : forall l, incl l (chances c N) -> (0 <= fst (sum_of_cells l))%Z /\ (0 <= snd (sum_of_cells l))%Z).
  { intros l I. unfold sum_of_cells. cbn [fst snd]. split; apply z_sum_nonneg, Forall_forall; intros z J; apply in_map_iff in J;
      destruct J as [af [<- J]]; apply Nn, I, J. }
  assert (Cell : forall af s, (0 <= fst af)%Z -> (0 <= snd af)%Z -> 0 <= side_mass s (real_beside (cell af))).
  { intros af s A B. rewrite cell_value, side_cell. apply Rmult_le_pos; [| left; apply Rinv_0_lt_compat, unit_positive].
    apply IZR_le. destruct s; assumption. }
  intros s k I. unfold cells in I. apply in_app_or in I. destruct I as [I | I].
  - apply in_map_iff in I. destruct I as [af [<- I]]. apply filter_In in I. destruct (Nn af (proj1 I)). apply Cell; assumption.
  - destruct I as [<- | [<- | []]]; apply Cell; apply Sums; intros af J; apply filter_In in J; destruct J as [J _];
      apply filter_In in J; apply J.
Qed.

Theorem cells_less : exists label : nat -> class * R, forall s f, (forall k, 0 <= f k) ->
  total (map real_beside (cells c true N)) (fun k => side_mass s k * f k) <=
  total (seq 0 (S N)) (fun o => side_mass s (vector_of (own o) (fair o)) * f (label o)).
Proof.
  set (rare := filter (fun af => negb (is_common af)) (chances c N)).
  set (first := real_cell (sum_of_cells (filter (fun af => (snd af <=? fst af)%Z) rare))).
  set (second := real_cell (sum_of_cells (filter (fun af => negb (snd af <=? fst af)%Z) rare))).
  exists (fun o => let af := at_number o in
    if is_common af then real_cell af else if (snd af <=? fst af)%Z then first else second).
  intros s f F. apply Rle_trans with (total (seq 0 (S N)) (fun o => let af := at_number o in IZR (side_of s af) / U *
    f (if is_common af then real_cell af else if (snd af <=? fst af)%Z then first else second))).
  2: { apply total_le. intros o _. cbv zeta. apply Rmult_le_compat_r; [apply F |].
    destruct (at_number_bounds o) as [_ [_ [A B]]]. destruct s; assumption. }
  apply Req_le. unfold cells. cbv zeta. rewrite map_app, total_app. cbn [map total]. fold rare. rewrite !cell_value, map_map.
  fold first second. rewrite (total_map (fun x => real_beside (cell x))).
  rewrite (total_ext _ _ (fun af => IZR (side_of s af) / U * f (real_cell af)))
    by (intros af _; rewrite cell_value, side_cell; reflexivity).
  assert (Side : forall l, side_mass s (real_cell (sum_of_cells l)) = total l (fun af => IZR (side_of s af) / U)).
  { intros l. rewrite side_cell. destruct (sum_of_cells_value l) as [A B]. destruct s; assumption. }
  unfold first at 1, second at 1. rewrite !Side, <- !total_scal_r. unfold rare. rewrite !total_filter, Rplus_0_r, <- !total_plus.
  rewrite <- (total_at_number (fun af => IZR (side_of s af) / U *
    f (if is_common af then real_cell af else if (snd af <=? fst af)%Z then first else second))).
  2: { destruct s; cbn [side_of fst snd]; unfold Rdiv; rewrite !Rmult_0_l; reflexivity. }
  apply total_ext. intros af _.
  destruct (is_common af); cbn [negb]; [ring |]. destruct (snd af <=? fst af)%Z; cbn [negb]; ring.
Qed.

End cells.

(** ** The rows *)

Section fair.

Variables (p c : Q) (d : nat).
Hypothesis posed : 0 < Q2R c < Q2R p /\ Q2R p < 1.
Hypothesis some_inputs : (2 <= d)%nat.

Let row := unary_encoding d (Q2R p) (Q2R c).
Let high := Q2R p / Q2R c.
Let low := (1 - Q2R p) / (1 - Q2R c).
Let u := counting (bit_patterns d).

Definition fair_dummy : dist (list bool) := uniform (bit_patterns d).

Definition own_of (n : nat) : R := Q2R c ^ n * (1 - Q2R c) ^ (d - n).

Lemma c_inside : 0 < Q2R c < 1.
Proof. lra. Qed.

Lemma own_coins (w : list bool -> R) f : mean (copies (coin (Q2R c)) d) (fun m => w m * f m) =
  mean u (fun m => own_of (ones m) * w m * f m).
Proof.
  unfold u. rewrite mean_coins, mean_counting. apply total_ext. intros m I. unfold own_of, independent_bits.
  rewrite (length_bit_patterns _ _ I). ring.
Qed.

Lemma row_at x f : (x < d)%nat ->
  mean (row x) f = mean u (fun m => own_of (ones m) * density high low (bit_of x m) * f m).
Proof.
  intros X. destruct (unary_scheme d (Q2R p) (Q2R c) ltac:(lia) (proj1 posed) (proj2 posed)) as [_ [_ D]].
  unfold row. rewrite D by exact X. fold high low. apply own_coins.
Qed.

Lemma below_at everyone f : mean (blanket_of (copies (coin (Q2R c)) d) high low everyone) f =
  mean u (fun m => own_of (ones m) * density high low (everyone m) * f m).
Proof. rewrite mean_blanket_of. apply own_coins. Qed.

Lemma dummy_at f : mean fair_dummy f = mean u (fun m => (1 / 2) ^ d * f m).
Proof.
  unfold fair_dummy, u. rewrite mean_uniform, mean_counting, <- total_scal.
  assert (Len : INR (length (bit_patterns d)) = 2 ^ d) by (rewrite <- total_bit_patterns_1, total_const; ring).
  rewrite Len. apply total_ext. intros m _. replace ((1 / 2) ^ d) with (/ 2 ^ d); [ring |].
  unfold Rdiv. rewrite Rmult_1_l, pow_inv by lra. reflexivity.
Qed.

Lemma sub_law_u : sub_law u.
Proof. apply sub_law_counting. Qed.

Lemma proper_row v : proper (row v).
Proof. apply unary_proper; lra. Qed.

Lemma proper_fair_dummy : proper fair_dummy.
Proof. apply proper_uniform, some_patterns. Qed.

Definition others_of (inputs : list nat) : list nat := filter (fun v => negb (existsb (Nat.eqb v) inputs)) (seq 0 d).

Lemma others_spec inputs v : In v (others_of inputs) <-> (v < d)%nat /\ ~ In v inputs.
Proof.
  unfold others_of. rewrite filter_In, in_seq, negb_true_iff. split.
  - intros [H N]. split; [lia |]. intros J. assert (X : existsb (Nat.eqb v) inputs = true); [| congruence].
    apply existsb_exists. exists v. split; [exact J | apply Nat.eqb_refl].
  - intros [H N]. split; [lia |]. destruct (existsb _ inputs) eqn:B; [| reflexivity]. destruct N.
    apply existsb_exists in B. destruct B as [w [J W]]. apply Nat.eqb_eq in W. subst. exact J.
Qed.

Lemma all_placed inputs : NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) ->
  NoDup (inputs ++ others_of inputs) /\ Permutation (inputs ++ others_of inputs) (seq 0 d) /\
  length (others_of inputs) = (d - length inputs)%nat.
Proof.
  intros N I. assert (Nl : NoDup (inputs ++ others_of inputs)).
  { assert (No : NoDup (others_of inputs)) by apply NoDup_filter, seq_NoDup.
    assert (Ap : forall v, In v inputs -> ~ In v (others_of inputs)) by (intros v J K; apply others_spec in K; tauto).
    clear I. revert No Ap. generalize (others_of inputs). intros l Nl Ap. induction N as [| v inputs Nv N IH]; [exact Nl |].
    simpl. constructor.
    - intros J. apply in_app_or in J. destruct J as [J | J]; [exact (Nv J) | apply (Ap v); [left; reflexivity | exact J]].
    - apply IH. intros w J. apply Ap. right. exact J. }
  assert (P : Permutation (inputs ++ others_of inputs) (seq 0 d)).
  { apply NoDup_Permutation; [exact Nl | apply seq_NoDup |]. intros v. rewrite in_app_iff, in_seq, others_spec. split.
    - intros [J | J]; [specialize (I v J); lia | lia].
    - intros J. destruct (in_dec Nat.eq_dec v inputs); [left; assumption | right; split; [lia | assumption]]. }
  split; [exact Nl | split; [exact P |]]. apply Permutation_length in P. rewrite app_length, seq_length in P. lia.
Qed.

Lemma ones_app a b : ones (a ++ b) = (ones a + ones b)%nat.
Proof. apply count_occ_app. Qed.

Lemma ones_permuted (a b : list bool) : Permutation a b -> ones a = ones b.
Proof. intros P. apply (Permutation_count_occ bool_dec a b), P. Qed.

Lemma ones_placed inputs m : NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) -> In m (bit_patterns d) ->
  ones m = (ones (map (fun v => bit_of v m) inputs) + ones (map (fun v => bit_of v m) (others_of inputs)))%nat.
Proof.
  intros N I J. destruct (all_placed inputs N I) as [_ [P _]]. rewrite <- ones_app, <- map_app.
  rewrite (ones_permuted _ _ (Permutation_map (fun v => bit_of v m) P)). f_equal.
  assert (L := length_bit_patterns _ _ J). apply (nth_ext _ _ false false); [rewrite map_length, seq_length; exact L |].
  intros n Hn. rewrite (nth_indep (map _ _) false (bit_of 0 m)) by (rewrite map_length, seq_length; lia).
  rewrite (map_nth (fun v => bit_of v m)), seq_nth by lia. reflexivity.
Qed.

Section kinds.

Variable inputs : list nat.
Hypothesis once : NoDup inputs.
Hypothesis in_range : forall v, In v inputs -> (v < d)%nat.
Let s := length inputs.
Let N := (d - s)%nat.

Lemma few_named : (s + N)%nat = d.
Proof.
  destruct (all_placed inputs once in_range) as [_ [P L]]. apply Permutation_length in P.
  rewrite app_length, seq_length, L in P. fold s N in P. exact P.
Qed.

Definition kind (m : list bool) : list bool * nat :=
  (map (fun v => bit_of v m) inputs, ones (map (fun v => bit_of v m) (others_of inputs))).

Definition kinds : list (list bool * nat * R) :=
  flat_map (fun bits => map (fun jk => ((bits, fst jk), IZR (snd jk)))
    (combine (seq 0 (S N)) (lists_of_ones N))) (bit_patterns s).

Lemma total_flat {X Y} (g : X -> list Y) (l : list X) (f : Y -> R) :
  total (flat_map g l) f = total l (fun x => total (g x) f).
Proof. induction l as [| x l IH]; [reflexivity |]. simpl. rewrite total_app, IH. reflexivity. Qed.

Lemma kinds_sum F : mean u (fun m => F (kind m)) = total kinds (fun kw => snd kw * F (fst kw)).
Proof.
  destruct (all_placed inputs once in_range) as [Nd [P L]]. unfold u. rewrite mean_counting.
  assert (Len : length (inputs ++ others_of inputs) = d) by (rewrite (Permutation_length P); apply seq_length).
  rewrite (total_ext _ _ (fun m => (fun bits => F (firstn s bits, ones (skipn s bits))) (map (fun v => bit_of v m) (inputs ++ others_of inputs)))).
  2: { intros m _. unfold kind. rewrite map_app.
    assert (Ls : length (map (fun v => bit_of v m) inputs) = s) by apply map_length.
    rewrite <- Ls at 1 2. rewrite firstn_app, skipn_app, firstn_all, skipn_all, Nat.sub_diag. simpl. rewrite app_nil_r.
    reflexivity. }
  rewrite (total_permuted d (inputs ++ others_of inputs) (fun bits => F (firstn s bits, ones (skipn s bits))) some_inputs Nd).
  2: { intros v J. apply (Permutation_in v P) in J. apply in_seq in J. lia. }
  2: exact Len.
  replace (bit_patterns d) with (bit_patterns (s + N)) by (rewrite few_named; reflexivity).
  rewrite total_both. unfold kinds. rewrite total_flat. apply total_ext. intros a Ia. rewrite total_map. cbn [fst snd].
  assert (La := length_bit_patterns _ _ Ia).
  rewrite (total_ext _ _ (fun b => (fun n => F (a, n)) (ones b))).
  - rewrite (total_by_ones N (fun n => F (a, n))). unfold weighted. rewrite length_lists. reflexivity.
  - intros b _. rewrite <- La. rewrite firstn_app, skipn_app, firstn_all, skipn_all, Nat.sub_diag. simpl.
    rewrite app_nil_r. reflexivity.
Qed.

Lemma kinds_nonneg kw : In kw kinds -> 0 <= snd kw.
Proof.
  intros I. apply in_flat_map in I. destruct I as [bits [_ I]]. apply in_map_iff in I. destruct I as [[j0 z0] [<- I]].
  cbn [snd]. apply in_combine_r in I. apply IZR_le. revert z0 I. clear. induction N as [| n IH].
  - intros z [<- | []]. lia.
  - cbn [lists_of_ones]. intros z I. apply in_map_iff in I. destruct I as [[a b] [<- I]]. cbn [fst snd].
    assert (0 <= a)%Z by (apply in_combine_l in I; destruct I as [<- | I]; [lia | apply IH, I]).
    assert (0 <= b)%Z; [| lia]. apply in_combine_r, in_app_or in I. destruct I as [I | [<- | []]]; [apply IH, I | lia].
Qed.

(** By the number of ones, for each pattern of the named bits. *)
Lemma kinds_by_number F : total kinds (fun kw => snd kw * F (fst kw)) =
  total (bit_patterns s) (fun bits => total (seq 0 (S N)) (fun o => C N o * F (bits, o))).
Proof.
  unfold kinds. rewrite total_flat. apply total_ext. intros bits _. rewrite total_map. cbn [fst snd].
  rewrite <- (total_by_number N (fun o => F (bits, o))), (total_by_ones N (fun o => F (bits, o))). unfold weighted. rewrite length_lists. reflexivity.
Qed.

Definition row_density (i : nat) (k : list bool * nat) : R :=
  own_of (ones (fst k) + snd k) * density high low (nth i (fst k) false).

Lemma row_of_kind i F : (i < length inputs)%nat ->
  mean (row (nth i inputs 0%nat)) F = mean u (fun m => row_density i (kind m) * F m).
Proof.
  intros Hi. rewrite row_at by (apply in_range, nth_In, Hi). unfold u. rewrite !mean_counting. apply total_ext. intros m J.
  unfold row_density, kind. cbn [fst snd]. rewrite <- (ones_placed inputs m once in_range J).
  rewrite (nth_indep _ false (bit_of 0 m)) by (rewrite map_length; exact Hi).
  rewrite (map_nth (fun v => bit_of v m)). reflexivity.
Qed.

Lemma own_density_value b : Q2R (own_density p c b) = density high low b.
Proof.
  assert (X : Q2R (1 - c) = 1 - Q2R c) by (rewrite Q2R_minus, Q2R_1; reflexivity).
  unfold own_density, density, high, low. destruct b; rewrite Q2R_divided; rewrite ?X, ?Q2R_minus, ?Q2R_1; lra.
Qed.

Lemma own_mass_value m n : Q2R (own_mass c m n) = Q2R c ^ n * (1 - Q2R c) ^ (m - n).
Proof. unfold own_mass. rewrite Q2R_mult, !Q2R_power, Q2R_minus, Q2R_1. reflexivity. Qed.

Lemma fair_mass_value m : Q2R (fair_mass m) = (1 / 2) ^ m.
Proof. unfold fair_mass. rewrite Q2R_power, half_value. unfold Rdiv. rewrite Rmult_1_l. reflexivity. Qed.

(** *** All numbers of ones *)

Lemma exact_told (D : dist (list bool)) i j (h : list bool * nat -> R) density_h :
  (i < length inputs)%nat -> (j < length inputs)%nat ->
  (forall F, mean D F = mean u (fun m => own_of (ones (fst (kind m)) + snd (kind m)) * h (kind m) * F m)) ->
  (forall bits others, Q2R (density_h bits others) = h (bits, others)) ->
  describes_beside (row (nth i inputs 0%nat)) (row (nth j inputs 0%nat)) D fair_dummy (fair_classes_of p c d density_h s i j).
Proof.
  intros Hi Hj HD Hh.
  apply (described_beside_by_kinds _ _ _ _ u kind (row_density i) (row_density j)
    (fun k => own_of (ones (fst k) + snd k) * h k) (fun _ => (1 / 2) ^ d) kinds).
  - apply sub_law_u.
  - intros F. apply row_of_kind, Hi.
  - intros F. apply row_of_kind, Hj.
  - exact HD.
  - apply dummy_at.
  - apply kinds_nonneg.
  - apply kinds_sum.
  - unfold fair_classes_of, kinds. fold N. rewrite !flat_map_concat_map, !concat_map, !map_map. f_equal.
    apply map_ext. intros bits. rewrite !map_map. apply map_ext. intros [o k]. cbv zeta. cbn [fst snd].
    unfold real_beside, times_beside, times. cbn [fst snd]. rewrite reduced_value, Q2R_red.
    unfold row_density, own_of, first_mass, second_mass, reference_mass. cbn [fst snd].
    rewrite !Q2R_mult, !Q2R_Z, own_mass_value, fair_mass_value, !own_density_value, Hh.
    apply (f_equal2 pair); [apply (f_equal2 pair); [apply (f_equal2 pair) |] |]; ring.
Qed.

(** *** Cells *)

Variables (i j : nat) (reference : list bool -> Q).
Hypothesis first_placed : (i < length inputs)%nat.
Hypothesis second_placed : (j < length inputs)%nat.

Let named (bits : list bool) : class * R := real_beside (named_class p c reference s i j bits).
Let number (o : nat) : class * R := vector_of (binom N (Q2R c) o) (binom N (/ 2) o).

(** One list of bits. *)
Definition alone (bits : list bool) (o : nat) : class * R :=
  let own := own_of (ones bits + o) in
  ((own * density high low (nth i bits false), own * density high low (nth j bits false), own * Q2R (reference bits)),
   (1 / 2) ^ d).

Lemma number_alone bits o : In bits (bit_patterns s) -> (o <= N)%nat ->
  by_beside (named bits) (number o) = times_beside (C N o) (alone bits o).
Proof.
  intros B O. assert (L := length_bit_patterns _ _ B). assert (Ones := ones_at_most bits). rewrite L in Ones.
  assert (Nm := few_named).
  assert (Own : own_of (ones bits + o) = (Q2R c ^ ones bits * (1 - Q2R c) ^ (s - ones bits)) * (Q2R c ^ o * (1 - Q2R c) ^ (N - o))).
  { unfold own_of. replace (d - (ones bits + o))%nat with ((s - ones bits) + (N - o))%nat by lia. rewrite !pow_add. ring. }
  assert (Half : (1 / 2) ^ d = (1 / 2) ^ s * (/ 2) ^ N).
  { rewrite <- Nm at 1. rewrite pow_add. f_equal. f_equal. field. }
  assert (Half' : (/ 2) ^ o * (1 - / 2) ^ (N - o) = (/ 2) ^ N).
  { replace (1 - / 2) with (/ 2) by field. rewrite <- pow_add. f_equal. lia. }
  unfold named, number, alone, by_beside, by_class, times_beside, times, vector_of, real_beside, named_class.
  cbv zeta. cbn [fst snd]. rewrite reduced_value. unfold first_mass, second_mass, reference_mass. cbn [fst snd].
  rewrite !Q2R_mult, own_mass_value, fair_mass_value, !own_density_value, !binom_inside, Own, Half, <- Half' by exact O.
  apply (f_equal2 pair); [apply (f_equal2 pair); [apply (f_equal2 pair) |] |]; ring.
Qed.

Lemma exact_by_numbers f : homogeneous_beside f ->
  total (map real_beside (fair_classes_of p c d (fun bits _ => reference bits) s i j)) f =
  total (bit_patterns s) (fun bits => total (seq 0 (S N)) (fun o => f (by_beside (named bits) (number o)))).
Proof.
  intros F. rewrite total_map. unfold fair_classes_of. fold N. rewrite total_flat. apply total_ext. intros bits B.
  rewrite total_map.
  transitivity (weighted (lists_of_ones N) (fun o => f (alone bits o)) 0).
  - unfold weighted. rewrite length_lists. apply total_ext. intros [o z] I. cbn [fst snd].
    assert (Z0 : 0 <= IZR z).
    { apply (kinds_nonneg ((bits, o), IZR z)). apply in_flat_map. exists bits. split; [exact B |].
      apply in_map_iff. exists (o, z). auto. }
    rewrite <- (F (IZR z) _ Z0). f_equal. cbv zeta.
    unfold alone, times_beside, times, real_beside, own_of, first_mass, second_mass, reference_mass. cbv zeta. cbn [fst snd].
    rewrite reduced_value, Q2R_red. cbn [fst snd].
    rewrite !Q2R_mult, !Q2R_Z, own_mass_value, fair_mass_value, !own_density_value.
    apply (f_equal2 pair); [apply (f_equal2 pair); [apply (f_equal2 pair) |] |]; ring.
  - rewrite <- total_by_ones, (total_by_number N (fun o => f (alone bits o))). apply total_ext. intros o I.
    apply in_seq in I. rewrite (number_alone bits o B) by lia. symmetry. apply F.
    left. apply choose_pos.
Qed.

Lemma cells_by_numbers less f : homogeneous_beside f ->
  total (map real_beside (cell_classes p c d less reference s i j)) f =
  total (bit_patterns s) (fun bits => total (map real_beside (cells c less N)) (fun k => f (by_beside (named bits) k))).
Proof.
  intros F. rewrite total_map. unfold cell_classes. fold N. rewrite total_flat. apply total_ext. intros bits _.
  rewrite !total_map. apply total_ext. intros k _. rewrite real_product_beside. reflexivity.
Qed.

Lemma most_told (D : dist (list bool)) :
  (forall F, mean D F = mean u (fun m => own_of (ones (fst (kind m)) + snd (kind m)) * Q2R (reference (fst (kind m))) * F m)) ->
  describes_most (row (nth i inputs 0%nat)) (row (nth j inputs 0%nat)) D fair_dummy (cell_classes p c d false reference s i j).
Proof.
  intros HD l f Nl Cl F.
  rewrite (exact_told D i j (fun k => Q2R (reference (fst k))) (fun bits _ => reference bits) first_placed second_placed HD
    ltac:(intros; reflexivity) l f Nl Cl (proj1 F)).
  rewrite (exact_by_numbers f (proj1 F)), (cells_by_numbers false f (proj1 F)). apply total_le. intros bits _.
  apply (cells_most c N c_inside (fun k => f (by_beside (named bits) k))). apply sublinear_right, F.
Qed.

Lemma named_nonneg bits sd : (forall b, 0 <= Q2R (reference b)) -> 0 <= side_mass sd (named bits).
Proof.
  intros R0. assert (Ci := c_inside).
  assert (Dn : forall b, 0 <= density high low b).
  { intros b. unfold density, high, low. destruct b; left; apply Rdiv_lt_0_compat; lra. }
  assert (Own : 0 <= Q2R (own_mass c s (ones bits))).
  { rewrite own_mass_value. apply Rmult_le_pos; apply pow_le; lra. }
  unfold named, real_beside, named_class. cbv zeta.
  destruct sd; cbn [side_mass fst snd]; try rewrite reduced_value; unfold first_mass, second_mass, reference_mass;
    cbn [fst snd]; rewrite ?Q2R_mult, ?own_density_value;
    [apply Rmult_le_pos; auto | apply Rmult_le_pos; auto | apply Rmult_le_pos; auto |].
  rewrite fair_mass_value. apply pow_le. lra.
Qed.

Lemma less_told (D : dist (list bool)) : proper D -> (forall b, 0 <= Q2R (reference b)) ->
  (forall F, mean D F = mean u (fun m => own_of (ones (fst (kind m)) + snd (kind m)) * Q2R (reference (fst (kind m))) * F m)) ->
  describes_less (row (nth i inputs 0%nat)) (row (nth j inputs 0%nat)) D fair_dummy (cell_classes p c d true reference s i j).
Proof.
  intros PD R0 HD. split; [| split].
  - intros sd k I. unfold cell_classes in I. apply in_flat_map in I. destruct I as [bits [_ I]]. apply in_map_iff in I.
    destruct I as [k' [<- I]]. rewrite real_product_beside, side_mass_by.
    apply Rmult_le_pos; [apply (named_nonneg bits sd R0) | apply (cells_nonneg c N c_inside), I].
  - intros sd f F. apply mean_nonneg; [| exact F]. destruct sd; cbn [side_law];
      [apply proper_row | apply proper_row | exact PD | apply proper_fair_dummy].
  - destruct (cells_less c N c_inside) as [label Less].
    exists (fun m => by_beside (named (fst (kind m))) (label (snd (kind m)))). intros sd f F0 Fs.
    rewrite (cells_by_numbers true _ (side_homogeneous sd f Fs)).
    set (dense := fun k : list bool * nat => side_mass sd (alone (fst k) (snd k))).
    assert (Law : forall F, mean (side_law sd (row (nth i inputs 0%nat)) (row (nth j inputs 0%nat)) D fair_dummy) F =
      mean u (fun m => dense (kind m) * F m)).
    { intros F. unfold dense. destruct sd; cbn [side_law side_mass alone fst snd]; unfold first_mass, second_mass, reference_mass;
        cbn [fst snd].
      - apply row_of_kind, first_placed.
      - apply row_of_kind, second_placed.
      - apply HD.
      - apply dummy_at. }
    set (scored := fun k : list bool * nat => dense k * f (by_beside (named (fst k)) (label (snd k)))).
    rewrite Law. change (mean u (fun m => dense (kind m) * _)) with (mean u (fun m => scored (kind m))).
    rewrite (kinds_sum scored), (kinds_by_number scored). apply total_le. intros bits B. unfold scored. cbn [fst snd].
    rewrite (total_ext _ _ (fun k => side_mass sd (named bits) * (side_mass sd k * f (by_beside (named bits) k))))
      by (intros k _; rewrite side_mass_by; ring).
    rewrite total_scal. eapply Rle_trans.
    + apply Rmult_le_compat_l; [apply (named_nonneg bits sd R0) |].
      apply (Less sd (fun k => f (by_beside (named bits) k))). intros; apply F0.
    + rewrite <- total_scal. apply Req_le, total_ext. intros o I. apply in_seq in I. unfold dense. cbn [fst snd].
      rewrite <- (Rmult_assoc (C N o)), <- side_mass_times, <- (number_alone bits o B) by lia. rewrite side_mass_by.
      fold (number o). ring.
Qed.

End kinds.

(** ** The pairs *)

Lemma density_nonneg b : 0 <= Q2R (own_density p c b).
Proof. rewrite own_density_value. unfold density, high, low. destruct b; left; apply Rdiv_lt_0_compat; lra. Qed.

Lemma row_of_third inputs h F : NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) -> (h < length inputs)%nat ->
  mean (row (nth h inputs 0%nat)) F = mean u (fun m =>
    own_of (ones (fst (kind inputs m)) + snd (kind inputs m)) * density high low (nth h (fst (kind inputs m)) false) * F m).
Proof. intros Nd I Hh. rewrite (row_of_kind inputs Nd I h F Hh). apply mean_ext. intros m. unfold row_density. ring. Qed.

Lemma exact_classes_told less inputs i j h : all_ones_told c d = true ->
  NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) ->
  (i < length inputs)%nat -> (j < length inputs)%nat -> (h < length inputs)%nat ->
  describes_beside (row (nth i inputs 0%nat)) (row (nth j inputs 0%nat)) (row (nth h inputs 0%nat)) fair_dummy
    (fair_classes p c d less (length inputs) i j h).
Proof.
  intros All Nd I Hi Hj Hh. unfold fair_classes. rewrite All.
  apply (exact_told inputs Nd I _ i j (fun k => density high low (nth h (fst k) false))); try assumption.
  - intros F. apply row_of_third; assumption.
  - intros bits others. apply own_density_value.
Qed.

Lemma classes_told less inputs i j h : NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) ->
  (i < length inputs)%nat -> (j < length inputs)%nat -> (h < length inputs)%nat ->
  bound_by less (row (nth i inputs 0%nat)) (row (nth j inputs 0%nat)) (row (nth h inputs 0%nat)) fair_dummy
    (fair_classes p c d less (length inputs) i j h).
Proof.
  intros Nd I Hi Hj Hh. assert (Pr := fun v => proper_row v). destruct (all_ones_told c d) eqn:All.
  - apply (of_exact _ (describing_bound less)); try exact (proj1 (Pr _)); [exact (proj1 proper_fair_dummy) |].
    apply exact_classes_told; assumption.
  - unfold fair_classes. rewrite All.
    assert (Told : forall F, mean (row (nth h inputs 0%nat)) F = mean u (fun m =>
      own_of (ones (fst (kind inputs m)) + snd (kind inputs m)) * Q2R (own_density p c (nth h (fst (kind inputs m)) false)) * F m)).
    { intros F. rewrite row_of_third by assumption. apply mean_ext. intros m. rewrite own_density_value. reflexivity. }
    destruct less; cbn [bound_by].
    + apply less_told; try assumption; [apply Pr | intros b; apply density_nonneg].
    + apply most_told; assumption.
Qed.

Definition shared (m : list bool) : bool := all_ones_told c d && all_ones d m.

Lemma all_ones_counted m : In m (bit_patterns d) -> all_ones d m = Nat.eqb (ones m) d.
Proof.
  intros J. assert (L := length_bit_patterns _ _ J). unfold all_ones.
  assert (X : map (fun v => bit_of v m) (seq 0 d) = m).
  { apply (nth_ext _ _ false false); [rewrite map_length, seq_length; symmetry; exact L |]. intros n Hn.
    rewrite map_length, seq_length in Hn. rewrite (nth_indep (map _ _) false (bit_of 0 m)) by (rewrite map_length, seq_length; lia).
    rewrite (map_nth (fun v => bit_of v m)), seq_nth by lia. reflexivity. }
  replace (forallb (fun v => bit_of v m) (seq 0 d)) with (forallb (fun b => b) (map (fun v => bit_of v m) (seq 0 d)))
    by (generalize (seq 0 d); intros l; induction l as [| v l IH]; [reflexivity | simpl; rewrite IH; reflexivity]).
  rewrite X, <- L. clear. induction m as [| b m IH]; [reflexivity |]. simpl. destruct b.
  - simpl. rewrite IH. reflexivity.
  - symmetry. apply Nat.eqb_neq. assert (Y := ones_at_most m). change (ones (false :: m)) with (ones m). lia.
Qed.

Definition fair_reference : dist (list bool) := blanket_of (copies (coin (Q2R c)) d) high low shared.

Lemma fair_lies_below v : (v < d)%nat -> lies_below fair_reference (row v).
Proof.
  apply (blanket_lies_below row d (copies (coin (Q2R c)) d) bit_of high low
    (unary_scheme d (Q2R p) (Q2R c) ltac:(lia) (proj1 posed) (proj2 posed))).
  intros m H w W. unfold shared, all_ones in H. apply andb_true_iff in H. destruct H as [_ H].
  rewrite forallb_forall in H. apply H, in_seq. lia.
Qed.

Lemma blanket_told inputs i j : NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) ->
  (i < length inputs)%nat -> (j < length inputs)%nat ->
  describes_most (row (nth i inputs 0%nat)) (row (nth j inputs 0%nat)) fair_reference fair_dummy
    (fair_blanket p c d false (length inputs) i j).
Proof.
  intros Nd I Hi Hj. assert (Pr := fun v => proper_row v). unfold fair_blanket.
  assert (Ref : forall F, mean fair_reference F = mean u (fun m =>
    own_of (ones (fst (kind inputs m)) + snd (kind inputs m)) *
    density high low (all_ones_told c d && Nat.eqb (ones (fst (kind inputs m)) + snd (kind inputs m)) d)%bool * F m)).
  { intros F. unfold fair_reference. rewrite below_at. unfold u. rewrite !mean_counting. apply total_ext. intros m J.
    unfold shared, kind. cbn [fst snd]. rewrite <- (ones_placed inputs m Nd I J), (all_ones_counted m J). reflexivity. }
  destruct (all_ones_told c d); cbn [andb] in Ref.
  - apply (of_exact _ describing_most); try exact (proj1 (Pr _)); try exact (proj1 proper_fair_dummy).
    + apply (fair_lies_below 0). lia.
    + apply (exact_told inputs Nd I _ i j (fun k => density high low (Nat.eqb (ones (fst k) + snd k) d))); try assumption.
      intros bits others. apply own_density_value.
  - apply most_told; try assumption. intros F. rewrite Ref. apply mean_ext. intros m. rewrite own_density_value. reflexivity.
Qed.

(** Two inputs, or one twice, at places of a list. *)
Lemma pair_placed x y : (x < d)%nat -> (y < d)%nat -> exists ij inputs, In ij places_alone /\ NoDup inputs /\
  (forall v, In v inputs -> (v < d)%nat) /\ length inputs = S (Nat.max (fst ij) (snd ij)) /\
  nth (fst ij) inputs 0%nat = x /\ nth (snd ij) inputs 0%nat = y.
Proof.
  intros X Y. destruct (Nat.eq_dec x y) as [<- | N].
  - exists (0, 0)%nat, [x]. destruct (one_input d x X). repeat (split; [simpl; auto |]). reflexivity.
  - exists (0, 1)%nat, [x; y]. destruct (two_inputs d x y X Y N). repeat (split; [simpl; auto |]). reflexivity.
Qed.

Theorem fair_right : exists b, (forall v, (v < d)%nat -> lies_below b (row v)) /\
  forall x y, (x < d)%nat -> (y < d)%nat -> exists k, In k (fair_kinds p c d false) /\
    (snd k = true -> same_law (row x) (row y)) /\ describes_most (row x) (row y) b fair_dummy (fst (fst k)) /\
    forall v, (v < d)%nat -> exists o, In o (snd (fst k)) /\ describes_most (row x) (row y) (row v) fair_dummy o.
Proof.
  exists fair_reference. split; [exact fair_lies_below |]. intros x y X Y.
  destruct (pair_placed x y X Y) as [ij [inputs [J [Nd [I [L [<- <-]]]]]]].
  exists (fair_kind p c d false ij). split; [apply in_map, J |]. unfold fair_kind. cbv zeta. cbn [fst snd]. rewrite <- L.
  split; [intros E; apply Nat.eqb_eq in E; rewrite E; intros f; reflexivity |].
  split; [apply blanket_told; assumption || lia |]. intros v V. destruct (in_dec Nat.eq_dec v inputs) as [Iv | Iv].
  - destruct (In_nth inputs v 0%nat Iv) as [h [Hh <-]].
    exists (fair_classes p c d false (length inputs) (fst ij) (snd ij) h). split.
    + replace (length inputs) with (Nat.max (S h) (length inputs)) at 1 by lia.
      apply (in_map (fun h => fair_classes p c d false (Nat.max (S h) (length inputs)) (fst ij) (snd ij) h)), in_seq.
      assert (length inputs <= d)%nat; [| lia]. rewrite <- (seq_length d 0). apply NoDup_incl_length; [exact Nd |].
      intros w J'. apply in_seq. specialize (I w J'). lia.
    + apply (classes_told false); assumption || lia.
  - assert (Nl : NoDup (inputs ++ [v])) by (apply NoDup_app_one; assumption).
    assert (Il : forall w, In w (inputs ++ [v]) -> (w < d)%nat)
      by (intros w J'; apply in_app_or in J'; destruct J' as [J' | [<- | []]]; [apply I, J' | exact V]).
    assert (Ll : length (inputs ++ [v]) = S (length inputs)) by (rewrite app_length; simpl; lia).
    exists (fair_classes p c d false (S (length inputs)) (fst ij) (snd ij) (length inputs)). split.
    + replace (S (length inputs)) with (Nat.max (S (length inputs)) (length inputs)) at 1 by lia.
      apply (in_map (fun h => fair_classes p c d false (Nat.max (S h) (length inputs)) (fst ij) (snd ij) h)), in_seq.
      assert (length (inputs ++ [v]) <= d)%nat; [| lia]. rewrite <- (seq_length d 0).
      apply NoDup_incl_length; [exact Nl |]. intros w J'. apply in_seq. specialize (Il w J'). lia.
    + assert (T := classes_told false (inputs ++ [v]) (fst ij) (snd ij) (length inputs) Nl Il ltac:(lia) ltac:(lia) ltac:(lia)).
      rewrite Ll, !app_nth1, app_nth2, Nat.sub_diag in T by lia. exact T.
Qed.

(** Whatever all classes are told by. *)
Theorem fair_attained (T : dist (list bool) -> dist (list bool) -> dist (list bool) -> dist (list bool) -> list beside -> Prop) less :
  (forall inputs i j h, NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) ->
    (i < length inputs)%nat -> (j < length inputs)%nat -> (h < length inputs)%nat ->
    T (row (nth i inputs 0%nat)) (row (nth j inputs 0%nat)) (row (nth h inputs 0%nat)) fair_dummy
      (fair_classes p c d less (length inputs) i j h)) ->
  forall k o, In k (fair_kinds p c d less) -> In o (snd (fst k)) -> exists x y v,
    ((x < d)%nat /\ (y < d)%nat /\ (v < d)%nat) /\ T (row x) (row y) (row v) fair_dummy o.
Proof.
  intros Told k o K J. apply in_map_iff in K. destruct K as [ij [<- K]]. unfold fair_kind in J. cbv zeta in J. cbn [fst snd] in J.
  apply in_map_iff in J. destruct J as [h [<- J]]. apply in_seq in J.
  assert (Few : (S (Nat.max (fst ij) (snd ij)) <= d)%nat) by (destruct K as [<- | [<- | []]]; simpl; lia).
  set (n := Nat.max (S h) (S (Nat.max (fst ij) (snd ij)))).
  assert (D := Told (seq 0 n) (fst ij) (snd ij) h (seq_NoDup n 0)
    ltac:(intros w J'; apply in_seq in J'; lia)). rewrite seq_length in D.
  specialize (D ltac:(lia) ltac:(lia) ltac:(lia)). rewrite !seq_nth in D by lia.
  exists (fst ij), (snd ij), h. split; [lia | exact D].
Qed.

End fair.
