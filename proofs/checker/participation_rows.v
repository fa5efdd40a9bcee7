(** Classes of users who may be away, and what the program of a family has.

    - [counted_right]: where who is away sends nothing, the classes times q, and one class more, are those of rows;
    - [family_schemes]: the families whose patterns of up to four inputs have one law, whichever these are, with what
      away_rows.v asks of them.

    Source: docs/soundness.md, "Who is away adds a message, a dummy or a name on a list". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws hockey_stick events independence privacy shuffler single_message.
From Exactdp Require Import adding_a_user mean_excess hidden_message classes least_values absent_users generic_blanket supports tilted_program.
From Exactdp Require Import k_ary_classes unary_classes subset_classes hadamard_classes hashing_classes.
From ExactdpChecker Require Import claims blanket_program matrix_blanket family_blanket family_rows at_most_one_message laplace_table.
From ExactdpChecker Require Import away_rows absence_laws.
From ExactdpChecker Require Import opaque_rationals.
Import ListNotations.
Open Scope R_scope.

(** ** Nothing is sent instead *)

Definition scaled (q : Q) (classes : list rational_class) : list rational_class :=
  map (fun k => reduced (q * under_first k, q * under_second k, q * under_reference k)%Q) classes.

Definition counted (q : Q) (classes : list rational_class) : list rational_class :=
  let rest := Qred (1 - q) in scaled q classes ++ [(rest, rest, rest)].

Definition counted_pair (q : Q) (pair : input_pair) : input_pair :=
  {| of_blanket := counted q (of_blanket pair); of_others := map (counted q) (of_others pair) |}.

Lemma scaled_value q classes :
  map real_class (scaled q classes) = map (scaled_class (Q2R q)) (map real_class classes).
Proof.
  unfold scaled. rewrite !map_map. apply map_ext. intros k. rewrite reduced_value. cbn [fst snd].
  rewrite !Q2R_mult. reflexivity.
Qed.

Lemma rest_value q : Q2R (Qred (1 - q)) = 1 - Q2R q.
Proof. rewrite Q2R_red, Q2R_minus, Q2R_1. reflexivity. Qed.

Lemma counted_value q classes : map real_class (counted q classes) =
  map (scaled_class (Q2R q)) (map real_class classes) ++ [(1 - Q2R q, 1 - Q2R q, 1 - Q2R q)].
Proof.
  unfold counted. rewrite map_app, scaled_value. f_equal. cbn [map]. unfold real_class, under_first, under_second, under_reference.
  cbn [fst snd]. rewrite rest_value. reflexivity.
Qed.

Lemma scaled_total q classes : Q2R (sum_of (map under_reference (scaled q classes))) =
  Q2R q * Q2R (sum_of (map under_reference classes)).
Proof.
  rewrite !Q2R_sum_of, !total_map. unfold scaled. rewrite total_map, <- total_scal. apply total_ext. intros k _.
  unfold reduced, under_reference at 1. cbn [snd]. rewrite Q2R_red, Q2R_mult. reflexivity.
Qed.

Lemma counted_total q classes : Q2R (sum_of (map under_reference (counted q classes))) =
  Q2R q * Q2R (sum_of (map under_reference classes)) + (1 - Q2R q).
Proof.
  rewrite <- scaled_total, !Q2R_sum_of, !total_map. unfold counted. rewrite total_app. cbn [total].
  unfold under_reference at 2. cbn [snd]. rewrite rest_value. ring.
Qed.

Lemma single_injective {M} (a b : M) : [a] = [b] -> a = b.
Proof. congruence. Qed.

Lemma single_is_some {M} (a : M) : [a] <> [].
Proof. discriminate. Qed.

Lemma mean_away_sent {M} q (d : dist M) D f :
  mean (away q (sent d) D) f = q * mean d (fun m => f [m]) + (1 - q) * mean D f.
Proof. rewrite mean_away. unfold sent. rewrite mean_dmap. reflexivity. Qed.

Lemma below_sent {M} (c d : dist M) : lies_below c d -> lies_below (sent c) (sent d).
Proof.
  intros [S B]. split.
  - intros wa I. unfold sent in I. rewrite laplace_table.each_renamed in I. apply in_map_iff in I.
    destruct I as [wb [<- I]]. apply S, I.
  - intros u. destruct (decide (exists m, u = [m])) as [[m ->] | N].
    + specialize (B m). unfold sent, mass, Pr in *. rewrite !mean_dmap.
      rewrite (mean_ext c _ (indicator (fun b => if same b m then true else false))),
        (mean_ext d _ (indicator (fun b => if same b m then true else false))); [exact B | |];
        intros b; unfold indicator; destruct (same [b] [m]) as [Z | Z], (same b m) as [Y | Y]; congruence.
    + assert (Zero : forall e : dist M, mass (sent e) u = 0).
      { intros e. unfold sent, mass, Pr. rewrite mean_dmap, (mean_ext e _ (fun _ => 0 * 0)), mean_scal; [ring |].
        intros m. unfold indicator. destruct (same [m] u) as [Z | Z]; [destruct N; exists m; congruence | ring]. }
      rewrite !Zero. apply Rle_refl.
Qed.

Section counted.

Context {M : Type} (row : nat -> dist M) (d : nat) (q : Q).
Hypothesis often : 0 < Q2R q < 1.

Definition counted_row (x : nat) : dist (list M) := away (Q2R q) (sent (row x)) (ret []).

Lemma counted_mixes (e : dist M) : mixes (fun m : M => [m]) [] (Q2R q) (away (Q2R q) (sent e) (ret [])) e (1 - Q2R q).
Proof. intros f. rewrite mean_away_sent, mean_ret. reflexivity. Qed.

Lemma tells_counted (P Q D : dist M) classes : tells P Q D classes ->
  tells (away (Q2R q) (sent P) (ret [])) (away (Q2R q) (sent Q) (ret [])) (away (Q2R q) (sent D) (ret [])) (counted q classes).
Proof.
  intros T. apply (tells_mixed (fun m : M => [m]) [] (Q2R q) single_injective single_is_some (proj1 often)
    _ _ _ P Q D (1 - Q2R q) (1 - Q2R q) classes); try apply counted_mixes; [exact T |].
  left. split; [apply counted_value | lra].
Qed.

Theorem counted_right pairs : pairs_right row d pairs -> pairs_right counted_row d (map (counted_pair q) pairs).
Proof.
  intros [Pr [c [Below Each]]]. split.
  { intros v V. apply proper_away; [lra | apply proper_sent, Pr, V | apply proper_ret]. }
  exists (away (Q2R q) (sent c) (ret [])). split.
  { intros v V. apply away_below; [lra | apply below_sent, Below, V | apply proper_ret]. }
  intros x y X Y. destruct (Each x y X Y) as [Same | [pair [I [W [B Others]]]]]; [left | right].
  - intros f. unfold counted_row. rewrite !mean_away_sent, Same. reflexivity.
  - exists (counted_pair q pair). split; [apply in_map, I |]. cbn [of_blanket of_others counted_pair]. split; [| split].
    + unfold weight in *. rewrite mean_away_sent, mean_ret, W, counted_total. ring.
    + apply tells_counted, B.
    + intros v V. destruct (Others v V) as [classes [J T]]. exists (counted q classes).
      split; [apply in_map, J | apply tells_counted, T].
Qed.

Theorem counted_attained pair : others_attained row d pair -> others_attained counted_row d (counted_pair q pair).
Proof.
  intros H classes I. apply in_map_iff in I. destruct I as [k [<- I]]. destruct (H k I) as [x [y [v [X [Y [V T]]]]]].
  exists x, y, v. repeat (split; [assumption |]). apply tells_counted, T.
Qed.

End counted.

(** ** Families of supports *)

Definition pattern_mass (f : family) (length : nat) : list bool -> Q :=
  match f with
  | KAry k _ => one_of k (Z.of_nat length)
  | UnaryEncoding _ _ q => independent q 1
  | SubsetSelection d w _ => subset_mass d w
  | LocalHashing _ g _ => independent (1 / inject_Z g) (inject_Z g)
  | Hadamard _ _ | ClippedLaplace _ _ => fun _ => 0%Q
  end.

(** Whose patterns of up to four inputs have one law, whichever these are. *)
Definition is_free (f : family) : bool :=
  match f with
  | Hadamard _ _ | ClippedLaplace _ _ => false
  | _ => true
  end.

Lemma k_ary_patterns k inputs : NoDup inputs -> (forall v, In v inputs -> (v < k)%nat) -> (length inputs <= 4)%nat ->
  patterns (counting (seq 0 k)) (fun v m => Nat.eqb m v) inputs (k_ary_classes.one_of k (length inputs)).
Proof.
  intros N I L. split.
  { intros bits. unfold k_ary_classes.one_of. destruct (ones bits) as [| [|]]; try lra. apply pos_INR. }
  (* one more input takes one of the messages that are none of these *)
  intros f. rewrite mean_counting. clear L. revert f. induction inputs as [| v inputs IH]; intros f.
  - simpl. rewrite total_const, seq_length. unfold k_ary_classes.one_of. simpl. rewrite Nat.sub_0_r. ring.
  - inversion N as [| ? ? Nv Ni]. subst. assert (V : (v < k)%nat) by (apply I; left; reflexivity).
    assert (Ii : forall w, In w inputs -> (w < k)%nat) by (intros w J; apply I; right; exact J).
    set (none := repeat false (length inputs)).
    rewrite (total_ext _ _ (fun m => (if Nat.eqb m v then f (true :: none) - f (false :: none) else 0) +
      (fun bits => f (false :: bits)) (map (fun w => Nat.eqb m w) inputs))).
    2: { intros m _. simpl. destruct (Nat.eqb_spec m v) as [-> | _]; [| ring].
      replace (map (fun w => Nat.eqb v w) inputs) with none; [ring |]. unfold none. clear -Nv.
      induction inputs as [| w inputs IH]; [reflexivity |]. simpl. destruct (Nat.eqb_spec v w) as [-> | _].
      - destruct Nv. left. reflexivity.
      - f_equal. apply IH. intros J. apply Nv. right. exact J. }
    assert (Rest := IH Ni Ii (fun bits => f (false :: bits))). cbv beta in Rest.
    rewrite total_plus, total_indicator_seq, Rest by exact V.
    assert (Len : (S (length inputs) <= k)%nat).
    { change (S (length inputs)) with (length (v :: inputs)). rewrite <- (seq_length k 0).
      apply NoDup_incl_length; [exact N |]. intros w J. apply in_seq. specialize (I w J). lia. }
    cbn [length bit_patterns]. rewrite total_app, !total_map.
    (* of the patterns that begin with a one, that of no more ones alone has a mass; of others that without ones one less *)
    assert (One : forall g n, total (bit_patterns n) (fun bits => k_ary_classes.one_of k (S n) (true :: bits) * g bits) =
      g (repeat false n)).
    { clear. intros g n. revert g. induction n as [| n IH]; intros g; [simpl; unfold k_ary_classes.one_of; simpl; ring |].
      cbn [bit_patterns]. rewrite total_app, !total_map.
      rewrite (total_ext _ (fun bits => k_ary_classes.one_of k (S (S n)) (true :: true :: bits) * g (true :: bits)) (fun _ => 0)),
        total_zero by (intros; unfold k_ary_classes.one_of; simpl; ring).
      rewrite (total_ext _ _ (fun bits => k_ary_classes.one_of k (S n) (true :: bits) * (fun b => g (false :: b)) bits)).
      - rewrite IH. simpl. ring.
      - intros bits _. unfold k_ary_classes.one_of. simpl. reflexivity. }
    assert (Zero : forall g n, (S n <= k)%nat ->
      total (bit_patterns n) (fun bits => k_ary_classes.one_of k n bits * g bits) =
      total (bit_patterns n) (fun bits => k_ary_classes.one_of k (S n) (false :: bits) * g bits) + g (repeat false n)).
    { clear. intros g n K. assert (One : forall h m, total (bit_patterns m) (fun bits => if Nat.eqb (ones bits) 0 then h bits else 0) = h (repeat false m)).
      { intros h m. revert h. induction m as [| m IH]; intros h; [simpl; ring |]. cbn [bit_patterns].
        rewrite total_app, !total_map. rewrite (total_ext _ (fun bits => if Nat.eqb (ones (true :: bits)) 0 then _ else 0) (fun _ => 0)), total_zero
          by (intros; reflexivity).
        rewrite (total_ext _ _ (fun bits => if Nat.eqb (ones bits) 0 then (fun b => h (false :: b)) bits else 0))
          by (intros; reflexivity). rewrite IH. simpl. ring. }
      rewrite <- One, <- total_plus. apply total_ext. intros bits _. unfold k_ary_classes.one_of.
      change (ones (false :: bits)) with (ones bits). destruct (ones bits) as [| [|]]; simpl Nat.eqb; cbv iota; try ring.
      replace (k - n)%nat with (S (k - S n)) by lia. rewrite S_INR. ring. }
    rewrite (One (fun bits => f (true :: bits))), (Zero (fun bits => f (false :: bits)) _ Len). unfold none. ring.
Qed.

Lemma mean_coins c d G :
  mean (copies (coin c) d) G = total (bit_patterns d) (fun m => independent_bits c 1 m * G m).
Proof.
  revert G. induction d as [| d IH]; intros G.
  - rewrite mean_copies_none. unfold independent_bits. simpl. ring.
  - rewrite mean_copies_first, mean_coin, !IH. cbn [bit_patterns]. rewrite total_app, !total_map, <- !total_scal.
    f_equal; apply total_ext; intros m _; rewrite independent_bits_cons; ring.
Qed.

(** Fair bits are uniform. *)
Lemma fair_coins d F : mean (uniform (bit_patterns d)) F = mean (copies (coin (/ 2)) d) F.
Proof.
  rewrite mean_coins, mean_uniform.
  assert (Len : INR (length (bit_patterns d)) = 2 ^ d) by (rewrite <- total_bit_patterns_1, total_const; ring).
  rewrite Len, <- total_scal. apply total_ext. intros m I. f_equal. unfold independent_bits.
  replace (1 - / 2) with (/ 2) by field. rewrite Rmult_1_l, <- pow_add, <- pow_inv by lra. f_equal.
  assert (Y := ones_at_most m). rewrite (length_bit_patterns _ _ I) in Y |- *. lia.
Qed.

(** What the program of a family has, by a measure u. *)
Definition measured {M} (u : dist M) (row : nat -> dist M) (d : nat) (s : supported) (masses : nat -> list bool -> Q) :
  Prop :=
  exists supports everyone, scheme row d u supports (Q2R (high_density s)) (Q2R (low_density s)) /\
    (forall v, (v < d)%nat -> proper (row v)) /\
    (forall m, everyone m = true -> forall v, (v < d)%nat -> supports v m = true) /\
    mean u (indicator everyone) = Q2R (of_everyone s) /\
    forall inputs, NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) -> (length inputs <= 4)%nat ->
      counts u supports inputs (masses (length inputs)).

Definition free_scheme {M} (row : nat -> dist M) (d : nat) (s : supported) (masses : nat -> list bool -> Q) : Prop :=
  exists u : dist M, measured u row d s masses.

(** The mass of all messages, where a uniform message has the law of the measure. *)
Definition message_mass (f : family) : option Q :=
  match f with
  | KAry k _ => Some (inject_Z k)
  | UnaryEncoding _ _ c => if Qeq_bool c (1 # 2) then Some 1%Q else None
  | SubsetSelection _ _ _ => Some 1%Q
  | LocalHashing _ g _ => Some (inject_Z g)
  | Hadamard _ _ | ClippedLaplace _ _ => None
  end.

(** A uniform message, as it is seen. *)
Definition uniform_seen {M} (u : dist M) (f : family) (show : list M -> answer) : Prop :=
  forall W, message_mass f = Some W -> exists unif : dist M, (forall F, mean unif F = / Q2R W * mean u F) /\
    same_law (dmap (fun m => seen (show [m])) unif) (uniform_message (Family f)).

Lemma uniform_by_count {M} (l : list M) F : mean (uniform l) F = / INR (length l) * mean (counting l) F.
Proof. rewrite mean_uniform, mean_counting. reflexivity. Qed.

Theorem family_measures f s : family_posed f -> supports_of f = Some s -> is_free f = true ->
  for_program (Family f) (fun M show R => exists (row : nat -> dist M) (u : dist M),
    R = on_inputs (inputs_of f) row /\ measured u row (Z.to_nat (inputs_of f)) s (pattern_mass f) /\ uniform_seen u f
      show).
Proof.
  intros P S Free. destruct f as [k E0 | d p q | d w E0 | | d g E0 |]; try discriminate;
    cbn [for_program family_posed inputs_of pattern_mass] in *; unfold measured.
  - destruct P as [D HE]. assert (L := response_low_value k E0 ltac:(lia) ltac:(lra)).
    assert (Sch := k_ary_scheme (Z.to_nat k) (Q2R E0) ltac:(lia) ltac:(lra)). injection S as <-.
    exists (k_ary_response (Z.to_nat k) (Q2R E0)), (counting (seq 0 (Z.to_nat k))). split; [reflexivity |]. split.
    2: { intros W HW. injection HW as <-. exists (uniform (seq 0 (Z.to_nat k))). split.
      - intros F. rewrite uniform_by_count, seq_length, Q2R_Z, Z_nat by lia. reflexivity.
      - intros F. cbn [uniform_message]. rewrite !mean_dmap. reflexivity. }
    exists (fun v m => Nat.eqb m v), (@nobody nat). cbn [high_density low_density of_everyone].
    rewrite Q2R_mult, L. split; [exact Sch |]. split; [intros v V; apply k_ary_proper; [lra | exact V] |].
    split; [discriminate |]. split; [apply nobody_mass |]. intros inputs N I Len.
    exists (k_ary_classes.one_of (Z.to_nat k) (length inputs)). split; [apply k_ary_patterns; assumption |].
    intros bits _. cbn [pattern_mass]. rewrite one_of_value, Nat2Z.id by lia. reflexivity.
  - destruct P as [D [Q P]].
    assert (H1 : Q2R (p / q) = Q2R p / Q2R q) by (apply Q2R_divided; lra).
    assert (H2 : Q2R ((1 - p) / (1 - q)) = (1 - Q2R p) / (1 - Q2R q)).
    { assert (X : Q2R (1 - q) = 1 - Q2R q) by (rewrite Q2R_minus, Q2R_1; reflexivity).
      rewrite Q2R_divided by (rewrite X; lra). rewrite X, Q2R_minus, Q2R_1. reflexivity. }
    assert (Sch := unary_scheme (Z.to_nat d) (Q2R p) (Q2R q) ltac:(lia) Q P). rewrite <- H1, <- H2 in Sch.
    injection S as <-. cbn [high_density low_density of_everyone].
    exists (unary_encoding (Z.to_nat d) (Q2R p) (Q2R q)), (copies (coin (Q2R q)) (Z.to_nat d)). split; [reflexivity |].
      split.
    2: { intros W HW. cbn [message_mass] in HW. destruct (Qeq_bool q (1 # 2)) eqn:Half; [| discriminate]. injection HW
      as <-.
      apply Qeq_bool_R in Half. rewrite half_value in Half. rewrite Half, Q2R_1, Rinv_1.
      exists (uniform (bit_patterns (Z.to_nat d))). split; [| intros F; cbn [uniform_message]; rewrite !mean_dmap;
        reflexivity].
      intros F. rewrite fair_coins. ring. }
    exists bit_of,
      (if (Z.eqb d 2 || (d * bit_length (Zpos (Qden q)) <=? split_bits)%Z)%bool then all_ones (Z.to_nat d) else @nobody _).
    split; [exact Sch |]. split; [intros v _; apply unary_proper; assumption |]. split; [| split].
    + destruct (_ || _)%bool; [| discriminate]. intros m H v V. unfold all_ones in H. rewrite forallb_forall in H.
      apply H, in_seq. lia.
    + destruct (_ || _)%bool; [| apply nobody_mass]. rewrite Q2R_power. exact (all_ones_chance (Q2R q) (Z.to_nat d)).
    + intros inputs N I _. exists (independent_bits (Q2R q) 1). split; [apply (unary_patterns (Z.to_nat d) (Q2R p)); assumption || lia |].
      intros bits _. cbn [pattern_mass]. rewrite independent_value, Q2R_1. reflexivity.
  - destruct P as [D HE]. assert (L := subset_low_value d w E0 D HE).
    assert (Sch := subset_scheme (Z.to_nat d) (Z.to_nat w) (Q2R E0) ltac:(lia) ltac:(lia) ltac:(lra)).
    injection S as <-. cbn [high_density low_density of_everyone].
    exists (subset_selection (Z.to_nat d) (Z.to_nat w) (Q2R E0)), (uniform (subsets (Z.to_nat d) (Z.to_nat w))).
    split; [reflexivity |]. split.
    2: { intros W HW. injection HW as <-. exists (uniform (subsets (Z.to_nat d) (Z.to_nat w))). split.
      - intros F. rewrite Q2R_1, Rinv_1. ring.
      - intros F. cbn [uniform_message]. rewrite !mean_dmap. reflexivity. }
    exists has_member, (@nobody _). rewrite Q2R_mult, L.
    split; [exact Sch |]. split; [intros v V; apply subset_proper; lia || lra |]. split; [discriminate |].
    split; [apply nobody_mass |]. intros inputs N I _. exists (subset_masses (Z.to_nat d) (Z.to_nat w)).
    split; [apply subset_patterns; assumption || lia |]. intros bits B. apply subset_value; [lia |]. rewrite B.
    rewrite <- (seq_length (Z.to_nat d) 0). apply NoDup_incl_length; [exact N |]. intros v J. apply in_seq.
    specialize (I v J). lia.
  - destruct P as [D [G HE]]. assert (L := response_low_value g E0 ltac:(lia) ltac:(lra)). assert (C := bucket_value g G).
    assert (Sch := hashing_scheme (Z.to_nat d) (Z.to_nat g) (Q2R E0) ltac:(lia) ltac:(lia) ltac:(lra)).
    injection S as <-. cbn [high_density low_density of_everyone].
    exists (local_hashing (Z.to_nat d) (Z.to_nat g) (Q2R E0)), (hash_measure (Z.to_nat d) (Z.to_nat g)).
    split; [reflexivity |]. split.
    2: { intros W HW. injection HW as <-.
      exists (bind (hash_function (Z.to_nat d) (Z.to_nat g)) (fun h => dmap (pair h) (uniform (seq 0 (Z.to_nat g))))).
        split.
      - intros F. rewrite mean_bind, mean_hash_measure, Q2R_Z, (Z_nat g) by lia. rewrite <- mean_scal. apply mean_ext.
        intros h. rewrite mean_dmap, mean_uniform, seq_length. reflexivity.
      - intros F. cbn [uniform_message]. rewrite mean_dmap, !mean_bind. apply mean_ext. intros h. rewrite !mean_dmap.
          reflexivity. }
    exists hash_supports,
      (if (Z.eqb d 2 || ((d - 1) * bit_length g <=? split_bits)%Z)%bool then all_hashed (Z.to_nat d) else @nobody _).
    rewrite Q2R_mult, L. split; [exact Sch |]. split; [intros v V; apply hashing_proper; lia || lra |]. split; [| split].
    + destruct (_ || _)%bool; [| discriminate]. intros m H v V. unfold all_hashed in H. rewrite forallb_forall in H.
      apply H, in_seq. lia.
    + destruct (_ || _)%bool; [| apply nobody_mass].
      rewrite Q2R_power, C. replace (Z.to_nat (d - 1)) with (Z.to_nat d - 1)%nat by lia. apply all_hashed_mass; lia.
    + intros inputs N I _. exists (independent_bits (/ INR (Z.to_nat g)) (INR (Z.to_nat g))).
      split; [apply hashing_patterns; assumption || lia |].
      intros bits _. cbn [pattern_mass]. rewrite independent_value, C, Q2R_Z, (Z_nat g) by lia. reflexivity.
Qed.

Theorem family_schemes f s : family_posed f -> supports_of f = Some s -> is_free f = true ->
  for_program (Family f) (fun M _ R => exists row : nat -> dist M,
    R = on_inputs (inputs_of f) row /\ free_scheme row (Z.to_nat (inputs_of f)) s (pattern_mass f)).
Proof.
  intros P S Free. assert (Me := family_measures f s P S Free). revert Me.
  destruct f; cbn [for_program]; intros [row [u [E [Me _]]]]; exists row; (split; [exact E | exists u; exact Me]).
Qed.
