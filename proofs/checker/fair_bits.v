(** Unary encoding where who is away sends fair bits. *)
From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation.
From Exactdp Require Import reals sums laws hockey_stick events independence privacy shuffler single_message.
From Exactdp Require Import adding_a_user mean_excess hidden_message classes least_values absent_users generic_blanket supports tilted_program.
From Exactdp Require Import k_ary_classes unary_classes hadamard_classes.
From ExactdpChecker Require Import claims blanket_program matrix_blanket family_blanket family_rows.
From ExactdpChecker Require Import absence_laws away_rows participation_rows.
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

(** ** The program *)

Section program.

Variables (p c q : Q) (d : nat).

Definition own_density (own : bool) : Q := if own then p / c else (1 - p) / (1 - c).

(** Of a number of ones in so many other bits: how many lists have it, and the masses of one with other named bits. *)
Definition own_mass (ones : nat) : Q := power_of c ones * power_of (1 - c) (d - ones).

Definition fair_mass : Q := power_of (1 # 2) d.

Definition fair_classes_of (density : list bool -> nat -> Q) (length i j : nat) : list rational_class :=
  flat_map (fun bits => map (fun jk =>
    let own := (inject_Z (snd jk) * own_mass (ones bits + fst jk))%Q in
    let away := ((1 - q) * (inject_Z (snd jk) * fair_mass))%Q in
    let mixed x := (q * (own * x) + away)%Q in
    reduced (mixed (own_density (nth i bits false)), mixed (own_density (nth j bits false)), mixed (density bits (fst jk))))
    (combine (seq 0 (S (d - length))) (lists_of_ones (d - length)))) (bit_patterns length).

Definition fair_classes (length i j h : nat) : list rational_class :=
  fair_classes_of (fun bits _ => own_density (nth h bits false)) length i j.

(** The message of ones alone is what everyone supports. *)
Definition fair_blanket (length i j : nat) : list rational_class :=
  fair_classes_of (fun bits others => own_density (Nat.eqb (ones bits + others) d)) length i j.

Definition fair_pair : input_pair :=
  {| of_blanket := fair_blanket 2 0 1;
     of_others := map (fun h => fair_classes (Nat.max (S h) 2) 0 1 h) (seq 0 (Nat.min 3 d)) |}.

End program.

Section fair.

Variables (p c q : Q) (d : nat).
Hypothesis posed : 0 < Q2R c < Q2R p /\ Q2R p < 1.
Hypothesis often : 0 < Q2R q < 1.
Hypothesis some_inputs : (2 <= d)%nat.

Let row := unary_encoding d (Q2R p) (Q2R c).
Let high := Q2R p / Q2R c.
Let low := (1 - Q2R p) / (1 - Q2R c).

Definition fair_row (x : nat) : dist (list (list bool)) := away (Q2R q) (sent (row x)) (sent (uniform (bit_patterns d))).

Definition u : dist (list (list bool)) := sent (counting (bit_patterns d)).

Definition message (l : list (list bool)) : list bool := hd [] l.

Definition own_of (n : nat) : R := Q2R c ^ n * (1 - Q2R c) ^ (d - n).

(** Of a message with so many ones: its mass where the input supports it, or not. *)
Definition mixed_mass_of (n : nat) (x : R) : R := Q2R q * (own_of n * x) + (1 - Q2R q) * (1 / 2) ^ d.

Lemma mean_u f : mean u f = total (bit_patterns d) (fun m => f [m]).
Proof. unfold u, sent. rewrite mean_dmap, mean_counting. reflexivity. Qed.

Lemma sub_law_u : sub_law u.
Proof.
  intros wa I. unfold u, sent in I. rewrite laplace_table.each_renamed in I. apply in_map_iff in I.
  destruct I as [wb [<- I]]. apply (sub_law_counting (bit_patterns d)), I.
Qed.

Lemma fair_density x f : (x < d)%nat -> mean (fair_row x) f =
  mean u (fun l => mixed_mass_of (ones (message l)) (density high low (bit_of x (message l))) * f l).
Proof.
  intros X. unfold fair_row. rewrite mean_away_sent, mean_u. unfold sent. rewrite mean_dmap, mean_uniform.
  destruct (unary_scheme d (Q2R p) (Q2R c) ltac:(lia) (proj1 posed) (proj2 posed)) as [_ [_ D]].
  unfold row. rewrite D, mean_coins by exact X. fold high low.
  assert (Len : INR (length (bit_patterns d)) = 2 ^ d) by (rewrite <- total_bit_patterns_1, total_const; ring).
  rewrite Len. assert (P : 2 ^ d <> 0) by (apply pow_nonzero; lra). 
  rewrite <- !total_scal, <- total_plus. apply total_ext. intros m I. unfold message, mixed_mass_of, own_of.
  cbn [hd]. unfold independent_bits. rewrite (length_bit_patterns _ _ I).
  replace ((1 / 2) ^ d) with (/ 2 ^ d) by (unfold Rdiv; rewrite Rmult_1_l, pow_inv by lra; reflexivity). ring.
Qed.

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

Definition kind (l : list (list bool)) : list bool * nat :=
  (map (fun v => bit_of v (message l)) inputs, ones (map (fun v => bit_of v (message l)) (others_of inputs))).

Definition kinds : list (list bool * nat * R) :=
  flat_map (fun bits => map (fun jk => ((bits, fst jk), IZR (snd jk)))
    (combine (seq 0 (S (d - s))) (lists_of_ones (d - s)))) (bit_patterns s).

Lemma kinds_sum F : mean u (fun l => F (kind l)) = total kinds (fun kw => snd kw * F (fst kw)).
Proof.
  destruct (all_placed inputs once in_range) as [N [P L]]. rewrite mean_u.
  assert (Len : length (inputs ++ others_of inputs) = d) by (rewrite (Permutation_length P); apply seq_length).
  assert (Sd : (s + (d - s))%nat = d) by (rewrite app_length, L in Len; fold s in Len; lia).
  rewrite (total_ext _ _ (fun m => (fun bits => F (firstn s bits, ones (skipn s bits))) (map (fun v => bit_of v m) (inputs ++ others_of inputs)))).
  2: { intros m _. unfold kind, message. cbn [hd]. rewrite map_app.
    assert (Ls : length (map (fun v => bit_of v m) inputs) = s) by apply map_length.
    rewrite <- Ls at 1 2. rewrite firstn_app, skipn_app, firstn_all, skipn_all, Nat.sub_diag. simpl. rewrite app_nil_r.
    reflexivity. }
  rewrite (total_permuted d (inputs ++ others_of inputs) (fun bits => F (firstn s bits, ones (skipn s bits))) some_inputs N).
  2: { intros v J. apply (Permutation_in v P) in J. apply in_seq in J. lia. }
  2: exact Len.
  replace (bit_patterns d) with (bit_patterns (s + (d - s))) by (rewrite Sd; reflexivity).
  rewrite total_both. unfold kinds.
  assert (Flat : forall (X Y : Type) (g : X -> list Y) (l : list X) (f : Y -> R), total (flat_map g l) f = total l (fun x => total (g x) f)).
  { intros X Y g l f. induction l as [| x l IH]; [reflexivity |]. simpl. rewrite total_app, IH. reflexivity. }
  rewrite Flat. apply total_ext. intros a Ia. rewrite total_map. cbn [fst snd].
  assert (La := length_bit_patterns _ _ Ia).
  rewrite (total_ext _ _ (fun b => (fun n => F (a, n)) (ones b))).
  - rewrite (total_by_ones (d - s) (fun n => F (a, n))). unfold weighted. rewrite length_lists. reflexivity.
  - intros b _. rewrite <- La. rewrite firstn_app, skipn_app, firstn_all, skipn_all, Nat.sub_diag. simpl.
    rewrite app_nil_r. reflexivity.
Qed.

Lemma kinds_nonneg kw : In kw kinds -> 0 <= snd kw.
Proof.
  intros I. apply in_flat_map in I. destruct I as [bits [_ I]]. apply in_map_iff in I. destruct I as [[j0 z0] [<- I]].
  cbn [snd]. apply in_combine_r in I. apply IZR_le. revert z0 I. clear. induction (d - s)%nat as [| n IH].
  - intros z [<- | []]. lia.
  - cbn [lists_of_ones]. intros z I. apply in_map_iff in I. destruct I as [[a b] [<- I]]. cbn [fst snd].
    assert (0 <= a)%Z by (apply in_combine_l in I; destruct I as [<- | I]; [lia | apply IH, I]).
    assert (0 <= b)%Z; [| lia]. apply in_combine_r, in_app_or in I. destruct I as [I | [<- | []]]; [apply IH, I | lia].
Qed.

Definition row_density (i : nat) (k : list bool * nat) : R :=
  mixed_mass_of (ones (fst k) + snd k) (density high low (nth i (fst k) false)).

Lemma fair_kinds i : (i < length inputs)%nat -> forall F, mean (fair_row (nth i inputs 0%nat)) F =
  mean u (fun l => row_density i (kind l) * F l).
Proof.
  intros Hi F. rewrite fair_density by (apply in_range, nth_In, Hi). rewrite !mean_u. apply total_ext. intros m J.
  unfold row_density, kind, message. cbn [hd fst snd]. rewrite <- (ones_placed inputs m once in_range J).
  rewrite (nth_indep _ false (bit_of 0 m)) by (rewrite map_length; exact Hi).
  rewrite (map_nth (fun v => bit_of v m)). reflexivity.
Qed.

Lemma own_density_value b : Q2R (own_density p c b) = density high low b.
Proof.
  assert (X : Q2R (1 - c) = 1 - Q2R c) by (rewrite Q2R_minus, Q2R_1; reflexivity).
  unfold own_density, density, high, low. destruct b; rewrite Q2R_divided; rewrite ?X, ?Q2R_minus, ?Q2R_1; lra.
Qed.

Lemma fair_told (D : dist (list (list bool))) i j (h : list bool * nat -> R) density_h :
  (i < length inputs)%nat -> (j < length inputs)%nat ->
  (forall F, mean D F = mean u (fun l => mixed_mass_of (ones (fst (kind l)) + snd (kind l)) (h (kind l)) * F l)) ->
  (forall bits others, Q2R (density_h bits others) = h (bits, others)) ->
  tells (fair_row (nth i inputs 0%nat)) (fair_row (nth j inputs 0%nat)) D (fair_classes_of p c q d density_h s i j) /\
  weight D = Q2R (sum_of (map under_reference (fair_classes_of p c q d density_h s i j))).
Proof.
  intros Hi Hj HD Hh.
  apply (told_by_kinds _ _ D u kind (row_density i) (row_density j)
    (fun k => mixed_mass_of (ones (fst k) + snd k) (h k)) kinds); try (apply fair_kinds; assumption).
  - apply sub_law_u.
  - exact HD.
  - apply kinds_nonneg.
  - apply kinds_sum.
  - unfold fair_classes_of, listed_classes, kinds. rewrite !flat_map_concat_map, !concat_map, !map_map. f_equal.
    apply map_ext. intros bits. rewrite !map_map. apply map_ext. intros [o k]. cbv zeta. rewrite reduced_value. cbn [fst snd].
    assert (Mass : Q2R (own_mass c d (ones bits + o)) = own_of (ones bits + o)).
    { unfold own_mass, own_of. rewrite Q2R_mult, !Q2R_power, Q2R_minus, Q2R_1. reflexivity. }
    assert (Fair : Q2R (fair_mass d) = (1 / 2) ^ d).
    { unfold fair_mass. rewrite Q2R_power, half_value. unfold Rdiv. rewrite Rmult_1_l. reflexivity. }
    rewrite !Q2R_plus, !Q2R_mult, !Q2R_minus, Q2R_1, !Q2R_Z, Mass, Fair, !own_density_value, Hh.
    unfold row_density, mixed_mass_of. cbn [fst snd]. f_equal; [f_equal |]; ring.
Qed.

End kinds.

Definition fair_reference : dist (list (list bool)) :=
  away (Q2R q) (sent (blanket_of (copies (coin (Q2R c)) d) high low (all_ones d))) (sent (uniform (bit_patterns d))).

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

Lemma reference_density f : mean fair_reference f =
  mean u (fun l => mixed_mass_of (ones (message l)) (density high low (Nat.eqb (ones (message l)) d)) * f l).
Proof.
  unfold fair_reference. rewrite mean_away_sent, mean_blanket_of, mean_coins, mean_u. unfold sent.
  rewrite mean_dmap, mean_uniform.
  assert (Len : INR (length (bit_patterns d)) = 2 ^ d) by (rewrite <- total_bit_patterns_1, total_const; ring).
  rewrite Len. assert (P : 2 ^ d <> 0) by (apply pow_nonzero; lra).
  rewrite <- !total_scal, <- total_plus. apply total_ext. intros m I. unfold message, mixed_mass_of, own_of.
  cbn [hd]. rewrite (all_ones_counted m I). unfold independent_bits. rewrite (length_bit_patterns _ _ I).
  replace ((1 / 2) ^ d) with (/ 2 ^ d) by (unfold Rdiv; rewrite Rmult_1_l, pow_inv by lra; reflexivity). ring.
Qed.

Lemma proper_fair v : proper (fair_row v).
Proof.
  apply proper_away; [lra | |]; apply proper_sent; [apply unary_proper; tauto | apply proper_uniform].
  destruct d as [| k]; [lia |]. simpl. destruct (bit_patterns k) eqn:E; [| discriminate]. clear -E. exfalso.
  revert E. induction k as [| k IH]; simpl; [discriminate |]. destruct (bit_patterns k); [auto | discriminate].
Qed.

Lemma fair_lies_below v : (v < d)%nat -> lies_below fair_reference (fair_row v).
Proof.
  intros V. apply away_below; [lra | apply below_sent | apply proper_sent, proper_uniform].
  - apply (blanket_lies_below row d (copies (coin (Q2R c)) d) bit_of high low
      (unary_scheme d (Q2R p) (Q2R c) some_inputs (proj1 posed) (proj2 posed))); [| exact V].
    intros m H w W. unfold all_ones in H. rewrite forallb_forall in H. apply H, in_seq. lia.
  - assert (Len : INR (length (bit_patterns d)) = 2 ^ d) by (rewrite <- total_bit_patterns_1, total_const; ring).
    intros E. rewrite E in Len. simpl in Len. assert (X := pow_lt 2 d ltac:(lra)). lra.
Qed.

Lemma fair_others x y v : (x < d)%nat -> (y < d)%nat -> (v < d)%nat -> x <> y ->
  exists classes, In classes (of_others (fair_pair p c q d)) /\ tells (fair_row x) (fair_row y) (fair_row v) classes.
Proof.
  intros X Y V N. cbn [fair_pair of_others].
  assert (Listed : forall h, (h < Nat.min 3 d)%nat -> In (fair_classes p c q d (Nat.max (S h) 2) 0 1 h)
    (map (fun h => fair_classes p c q d (Nat.max (S h) 2) 0 1 h) (seq 0 (Nat.min 3 d)))).
  { intros h H. apply (in_map (fun h => fair_classes p c q d (Nat.max (S h) 2) 0 1 h)), in_seq. lia. }
  assert (Told : forall inputs h, NoDup inputs -> (forall w, In w inputs -> (w < d)%nat) -> (2 <= length inputs)%nat ->
    (h < length inputs)%nat -> tells (fair_row (nth 0 inputs 0%nat)) (fair_row (nth 1 inputs 0%nat))
      (fair_row (nth h inputs 0%nat)) (fair_classes p c q d (length inputs) 0 1 h)).
  { intros inputs h No I L Hh.
    apply (fair_told inputs No I _ 0 1 (fun k => density high low (nth h (fst k) false))); try lia.
    - intros F. apply (fair_kinds inputs No I h Hh).
    - intros bits others. apply own_density_value. }
  assert (Two : forall w, In w [x; y] -> (w < d)%nat) by (intros w [<- | [<- | []]]; assumption).
  assert (No2 : NoDup [x; y]) by (constructor; [intros [E | []]; congruence | constructor; [intros [] | constructor]]).
  destruct (Nat.eq_dec v x) as [-> | Nx]; [| destruct (Nat.eq_dec v y) as [-> | Ny]].
  - exists (fair_classes p c q d 2 0 1 0). split; [apply (Listed 0%nat); lia |].
    apply (Told [x; y] 0%nat No2 Two); simpl; lia.
  - exists (fair_classes p c q d 2 0 1 1). split; [apply (Listed 1%nat); lia |].
    apply (Told [x; y] 1%nat No2 Two); simpl; lia.
  - exists (fair_classes p c q d 3 0 1 2). split; [apply (Listed 2%nat); lia |].
    apply (Told [x; y; v] 2%nat); [apply distinct_3; congruence | apply below_3; assumption | simpl; lia | simpl; lia].
Qed.

Theorem fair_right : pairs_right fair_row d [fair_pair p c q d].
Proof.
  split; [intros v _; apply proper_fair |]. exists fair_reference. split; [apply fair_lies_below |].
  intros x y X Y. destruct (Nat.eq_dec x y) as [<- | N]; [left; intros f; reflexivity | right].
  exists (fair_pair p c q d). split; [left; reflexivity |].
  assert (Two : forall w, In w [x; y] -> (w < d)%nat) by (intros w [<- | [<- | []]]; assumption).
  assert (No2 : NoDup [x; y]) by (constructor; [intros [E | []]; congruence | constructor; [intros [] | constructor]]).
  destruct (fair_told [x; y] No2 Two fair_reference 0 1 (fun k => density high low (Nat.eqb (ones (fst k) + snd k) d))
    (fun bits others => own_density p c (Nat.eqb (ones bits + others) d))) as [T W]; try (simpl; lia).
  - intros F. rewrite reference_density, !mean_u. apply total_ext. intros m J. unfold kind, message. cbn [hd fst snd].
    rewrite <- (ones_placed [x; y] m No2 Two J). reflexivity.
  - intros bits others. apply own_density_value.
  - split; [exact W |]. split; [exact T |]. intros v V. apply fair_others; assumption.
Qed.

Theorem fair_attained : others_attained fair_row d (fair_pair p c q d).
Proof.
  intros classes I. cbn [fair_pair of_others] in I. apply in_map_iff in I. destruct I as [h [<- H]]. apply in_seq in H.
  set (n := Nat.max (S h) 2).
  assert (Told := fair_told (seq 0 n) (seq_NoDup n 0) ltac:(intros w J; apply in_seq in J; lia)).
  exists 0%nat, 1%nat, h. repeat (split; [lia |]).
  destruct (Told (fair_row h) 0%nat 1%nat (fun k => density high low (nth h (fst k) false))
    (fun bits _ => own_density p c (nth h bits false))) as [T _]; try (rewrite seq_length; lia).
  - intros F. assert (K := fair_kinds (seq 0 n) (seq_NoDup n 0) ltac:(intros w J; apply in_seq in J; lia) h
      ltac:(rewrite seq_length; lia) F). rewrite seq_nth in K by lia. exact K.
  - intros bits others. apply own_density_value.
  - rewrite !seq_nth, seq_length in T by lia. exact T.
Qed.

End fair.
