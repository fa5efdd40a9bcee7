(** What is told of a message of a family where classes of users meet: which of up to three inputs it supports.

    [told_inputs]: a message stands for its pattern, the bits of the inputs 1, 2 and 4; [told_means]: the mean of whatever
    depends on the pattern of a user's message is the sum over the patterns of their masses under a measure times a
    density, of all families of supports, for each of these inputs and of Hadamard response for products of them.
    [family_scored]: so the program's law of the score of one user is below the true one. Source: docs/certificates.md,
    "By an event". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool PeanoNat.
From Exactdp Require Import reals sums laws privacy adding_a_user losses_program integer_polynomials least_values supports tilted_program.
From Exactdp Require Import k_ary_classes unary_classes subset_classes hadamard_classes hashing_classes.
From ExactdpChecker Require Import claims witnesses blanket_program family_blanket family_rows opaque_rationals.
From ExactdpChecker Require Import likelihood_sound likelihood_trees scored_sums classes_of_users classes_event.
Import ListNotations.

(** ** The program *)

Definition has_products (f : family) : bool := match f with Hadamard d _ => (3 <=? d)%Z | _ => false end.

(** How many inputs a pattern has. *)
Definition told_inputs (f : family) : nat :=
  Nat.min 3 (Z.to_nat (if has_products f then Z.log2 (inputs_of f) + 1 else inputs_of f)).

Definition rows_told (f : family) : nat := if has_products f then (2 ^ told_inputs f - 1)%nat else told_inputs f.

(** The inputs of the numbers 1, 2 and 4. *)
Definition pattern_inputs (f : family) : list nat := firstn (told_inputs f) (if has_products f then [0; 1; 3]%nat else [0; 1; 2]%nat).

(** Whether a message of this pattern supports the input in this place: of a product if an even number does not. *)
Definition supported_by (f : family) (i : nat) (bits : list bool) : bool :=
  if has_products f then
    Nat.even (length (filter (fun pb : nat * bool => Nat.testbit (S i) (fst pb) && negb (snd pb)) (combine (seq 0 (length bits)) bits)))
  else nth i bits false.

Definition supports_answer (f : family) (v : nat) (a : answer) : bool :=
  match f, a with
  | KAry _ _, Messages [m] => Nat.eqb m v
  | UnaryEncoding _ _ _, Patterns [m] => bit_of v m
  | SubsetSelection _ _ _, Patterns [m] => has_member v m
  | Hadamard d _, Patterns [m] => hadamard_supports (Z.to_nat d) v m
  | LocalHashing _ _ _, Hashes [m] => hash_supports v m
  | _, _ => false
  end.

Definition pattern_of (f : family) (a : answer) : list bool := map (fun v => supports_answer f v a) (pattern_inputs f).

Definition same_pattern : forall b b' : list bool, {b = b'} + {b <> b'} := list_eq_dec bool_dec.

Definition pattern_score (f : family) (keys : list Z) (bits : list bool) : Z :=
  match find (fun bk : list bool * Z => if same_pattern (fst bk) bits then true else false) (combine (bit_patterns (told_inputs f)) keys) with
  | Some bk => snd bk
  | None => 0%Z
  end.

Definition pattern_mass (f : family) (s : supported) (i : nat) (bits : list bool) : Q :=
  (if Nat.eqb (told_inputs f) 2 then pair_mass s bits else third_mass s bits) * density_of s (supported_by f i bits).

(** Weights that are added where scores are equal. *)
Definition law_of_scores (l : list (Z * Z)) : scored_law :=
  let low := fold_right Z.min (hd 0%Z (map fst l)) (map fst l) in
  let high := fold_right Z.max (hd 0%Z (map fst l)) (map fst l) in
  {| score_low := low;
     score_weights := map (fun i => z_sum (map snd (filter (fun sw => (fst sw =? low + Z.of_nat i)%Z) l)))
       (seq 0 (Z.to_nat (high - low + 1))) |}.

Definition floor_of (bits : Z) (q : Q) : Z := (Qnum q * 2 ^ bits / Zpos (Qden q))%Z.

Definition family_scored (bits : Z) (keys : list Z) (f : family) (s : supported) : scored_class :=
  {| inputs_scored := rows_told f; input_of := fun i => i;
     one_scored := fun i =>
       let l := map (fun b => (pattern_score f keys b, floor_of bits (pattern_mass f s i b))) (bit_patterns (told_inputs f)) in
       if Nat.ltb i (Z.to_nat (inputs_of f)) && forallb (fun sw => 0 <=? snd sw)%Z l then law_of_scores l
       else {| score_low := 0; score_weights := [] |} |}.

(** ** Soundness *)

Open Scope R_scope.

Lemma law_of_scores_below (l : list (Z * Z)) f : (forall sw, In sw l -> (0 <= snd sw)%Z) -> (forall z, 0 <= f z) ->
  all_nonneg (score_weights (law_of_scores l)) /\
  weighed (score_low (law_of_scores l)) (score_weights (law_of_scores l)) f <= total l (fun sw => IZR (snd sw) * f (fst sw)).
Proof.
  intros N F. unfold law_of_scores. cbn [score_low score_weights]. set (low := fold_right Z.min _ _). set (n := Z.to_nat _). clearbody low n.
  set (at_place := fun z : Z => z_sum (map snd (filter (fun sw => (fst sw =? z)%Z) l))).
  assert (Value : forall z, IZR (at_place z) = total l (fun sw => if (fst sw =? z)%Z then IZR (snd sw) else 0)).
  { intros z. unfold at_place. clear. induction l as [| sw l IH]; [reflexivity |]. cbn [filter total].
    destruct (fst sw =? z)%Z; cbn [map]; [change (z_sum (snd sw :: ?m)) with (snd sw + z_sum m)%Z; rewrite plus_IZR |]; rewrite IH; ring. }
  assert (Nn : forall z, (0 <= at_place z)%Z).
  { intros z. apply le_IZR. rewrite Value. apply total_nonneg. intros sw I. destruct (_ =? _)%Z; [apply IZR_le, N, I | lra]. }
  split.
  - apply Forall_forall. intros w I. apply in_map_iff in I. destruct I as [i [<- _]]. apply Nn.
  - assert (W : forall k a, weighed (low + Z.of_nat a) (map (fun i => at_place (low + Z.of_nat i)%Z) (seq a k)) f =
      total l (fun sw => IZR (snd sw) * f (fst sw) * total (seq a k) (fun i => if (fst sw =? low + Z.of_nat i)%Z then 1 else 0))).
    { induction k as [| k IH]; intros a.
      - cbn. rewrite (total_ext _ _ (fun _ => 0)) by (intros; ring). rewrite total_zero. reflexivity.
      - cbn [seq map weighed total]. replace (low + Z.of_nat a + 1)%Z with (low + Z.of_nat (S a))%Z by lia. rewrite IH, Value.
        rewrite <- total_scal_r, <- total_plus. apply total_ext. intros sw _.
        destruct (Z.eqb_spec (fst sw) (low + Z.of_nat a)) as [-> | _]; ring. }
    specialize (W n 0%nat). rewrite Z.add_0_r in W. unfold at_place in W. rewrite W. apply total_le. intros sw I.
    rewrite <- (Rmult_1_r (IZR (snd sw) * f (fst sw))) at 2. apply Rmult_le_compat_l; [apply Rmult_le_pos; [apply IZR_le, N, I | apply F] |].
    assert (Once : forall k a, total (seq a k) (fun i => if (fst sw =? low + Z.of_nat i)%Z then 1 else 0) <=
      if (low + Z.of_nat a <=? fst sw)%Z then 1 else 0).
    { induction k as [| k IH]; intros a; cbn [seq total]; [destruct (_ <=? _)%Z; lra |]. specialize (IH (S a)).
      destruct (Z.leb_spec (low + Z.of_nat (S a)) (fst sw)), (Z.leb_spec (low + Z.of_nat a) (fst sw)),
        (Z.eqb_spec (fst sw) (low + Z.of_nat a)); try lia; lra. }
    specialize (Once n 0%nat). destruct (_ <=? _)%Z in Once; lra.
Qed.

(** The mean of what depends on a pattern. *)
Definition patterns_mean (f : family) (s : supported) (i : nat) (h : list bool -> R) : R :=
  total (bit_patterns (told_inputs f)) (fun b => Q2R (pattern_mass f s i b) * h b).

Lemma by_patterns {M} (row : nat -> dist M) d u supports (f : family) (s : supported) inputs masses i h :
  scheme row d u supports (Q2R (high_density s)) (Q2R (low_density s)) -> counts u supports inputs masses ->
  (i < d)%nat -> length inputs = told_inputs f ->
  (forall m, supports i m = supported_by f i (map (fun v => supports v m) inputs)) ->
  (forall b, length b = told_inputs f -> masses b = if Nat.eqb (told_inputs f) 2 then pair_mass s b else third_mass s b) ->
  mean (row i) (fun m => h (map (fun v => supports v m) inputs)) = patterns_mean f s i h.
Proof.
  intros [_ [_ D]] [real_masses [[_ S] Same]] I L Sup Mass. rewrite D by exact I.
  rewrite (mean_ext u _ (fun m => (fun b => density (Q2R (high_density s)) (Q2R (low_density s)) (supported_by f i b) * h b)
    (map (fun v => supports v m) inputs))) by (intros m; rewrite (Sup m); reflexivity).
  rewrite (S (fun b => density (Q2R (high_density s)) (Q2R (low_density s)) (supported_by f i b) * h b)), L.
  unfold patterns_mean. apply total_ext. intros b B. assert (Lb := length_bit_patterns _ _ B).
  unfold pattern_mass. rewrite Q2R_mult, <- (Mass b Lb), (Same b) by (rewrite Lb; symmetry; exact L). unfold density_of, density.
  destruct (supported_by f i b); ring.
Qed.

Lemma no_products f i bits : has_products f = false -> supported_by f i bits = nth i bits false.
Proof. unfold supported_by. intros ->. reflexivity. Qed.

(** Two inputs, or three. *)
Lemma plain_means {M} (row : nat -> dist M) d u supports f s i h :
  has_products f = false -> d = Z.to_nat (inputs_of f) -> (2 <= d)%nat ->
  scheme row d u supports (Q2R (high_density s)) (Q2R (low_density s)) ->
  counts u supports [0; 1]%nat (pair_mass s) -> ((3 <= d)%nat -> counts u supports [0; 1; 2]%nat (third_mass s)) ->
  (i < rows_told f)%nat ->
  mean (row i) (fun m => h (map (fun v => supports v m) (pattern_inputs f))) = patterns_mean f s i h.
Proof.
  intros P Hd D2 Sch Two Three I. unfold rows_told in I. rewrite P in I.
  assert (T : told_inputs f = Nat.min 3 d) by (unfold told_inputs; rewrite P, Hd; reflexivity).
  assert (Pi : pattern_inputs f = firstn (Nat.min 3 d) [0; 1; 2]%nat) by (unfold pattern_inputs; rewrite P, T; reflexivity).
  destruct (Nat.le_gt_cases 3 d) as [H3 | H3].
  - rewrite Nat.min_l in T, Pi by exact H3. rewrite Pi. cbn [firstn].
    apply (by_patterns row d u supports f s [0; 1; 2]%nat (third_mass s)); try assumption; [apply Three, H3 | lia | rewrite T; reflexivity | |].
    + intros m. rewrite no_products by exact P. rewrite T in I. destruct i as [| [| [| i]]]; [reflexivity .. | lia].
    + intros b _. rewrite T. reflexivity.
  - rewrite Nat.min_r in T, Pi by lia. assert (E : d = 2%nat) by lia. rewrite E in T, Pi. rewrite Pi. cbn [firstn].
    apply (by_patterns row d u supports f s [0; 1]%nat (pair_mass s)); try assumption; [lia | rewrite T; reflexivity | |].
    + intros m. rewrite no_products by exact P. rewrite T in I. destruct i as [| [| i]]; [reflexivity .. | lia].
    + intros b _. rewrite T. reflexivity.
Qed.

(** Products of signs. *)
Lemma supports_product d x y z m : S z = Nat.lxor (S x) (S y) ->
  hadamard_supports d z m = Bool.eqb (hadamard_supports d x m) (hadamard_supports d y m).
Proof.
  intros E. assert (P := sign_product (hadamard_digits d) (S x) (S y) m). rewrite <- E in P. unfold sign, hadamard_supports in *.
  destruct (odd_in_common (digits (hadamard_digits d) (S x)) m), (odd_in_common (digits (hadamard_digits d) (S y)) m),
    (odd_in_common (digits (hadamard_digits d) (S z)) m); try reflexivity; lra.
Qed.

Lemma hadamard_means d E0 s i h : family_posed (Hadamard d E0) -> supports_of (Hadamard d E0) = Some s ->
  (i < rows_told (Hadamard d E0))%nat -> (i < Z.to_nat d)%nat ->
  mean (hadamard_response (Z.to_nat d) (Q2R E0) i) (fun m => h (map (fun v => hadamard_supports (Z.to_nat d) v m)
    (pattern_inputs (Hadamard d E0)))) = patterns_mean (Hadamard d E0) s i h.
Proof.
  intros [D HE] Hs I Id. set (f := Hadamard d E0) in *. set (n := Z.to_nat d) in *.
  assert (L := hadamard_low_value d E0 D HE). fold n in L.
  assert (Sch := hadamard_scheme n (Q2R E0) ltac:(lra)).
  assert (H1 : Q2R (E0 * (2 / (inject_Z (2 ^ (Z.log2 d + 1)) * (E0 + 1)))) = Q2R E0 * hadamard_low n (Q2R E0))
    by (rewrite Q2R_mult, L; reflexivity).
  assert (H3 : forall bits, Q2R (independent (1 # 2) (inject_Z (2 ^ (Z.log2 d + 1))) bits) =
    independent_bits (/ 2) (2 ^ hadamard_digits n) bits)
    by (intros bits; rewrite independent_value, half_value, Q2R_Z; unfold n; rewrite columns_value by lia; reflexivity).
  rewrite <- H1, <- L in Sch. injection Hs as Hs.
  assert (Sch' : scheme (hadamard_response n (Q2R E0)) n (counting (bit_patterns (hadamard_digits n))) (hadamard_supports n)
      (Q2R (high_density s)) (Q2R (low_density s))) by (rewrite <- Hs; exact Sch). clear Sch. rename Sch' into Sch.
  assert (Two : counts (counting (bit_patterns (hadamard_digits n))) (hadamard_supports n) [0; 1]%nat (pair_mass s)).
  { rewrite <- Hs. exists (independent_bits (/ 2) (2 ^ hadamard_digits n)). split; [apply hadamard_pair; unfold n; lia | intros; apply H3]. }
  assert (Four : (4 <= n)%nat -> counts (counting (bit_patterns (hadamard_digits n))) (hadamard_supports n) [0; 1; 3]%nat
      (third_mass s)).
  { intros H4. rewrite <- Hs. exists (independent_bits (/ 2) (2 ^ hadamard_digits n)).
    split; [apply hadamard_independent_third; try lia; discriminate | intros; apply H3]. }
  destruct (has_products f) eqn:P.
  2: { assert (E2 : d = 2%Z) by (unfold f, has_products in P; apply Z.leb_gt in P; lia).
    apply (plain_means _ n _ _ f s i h P eq_refl ltac:(unfold n; lia) Sch Two); [intros X; unfold n in X; lia | exact I]. }
  assert (D3 : (3 <= d)%Z) by (unfold f, has_products in P; apply Z.leb_le in P; exact P).
  assert (T : told_inputs f = Nat.min 3 (Z.to_nat (Z.log2 d + 1))) by (unfold told_inputs; rewrite P; reflexivity).
  assert (Pi : pattern_inputs f = firstn (told_inputs f) [0; 1; 3]%nat) by (unfold pattern_inputs; rewrite P; reflexivity).
  unfold rows_told in I. rewrite P in I.
  assert (Sup : forall j b, supported_by f j b = Nat.even (length (filter (fun pb : nat * bool => Nat.testbit (S j) (fst pb) && negb (snd pb))
    (combine (seq 0 (length b)) b)))) by (intros; unfold supported_by; rewrite P; reflexivity).
  destruct (Z.le_gt_cases 4 d) as [D4 | D4].
  - assert (T3 : told_inputs f = 3%nat).
    { rewrite T. apply Nat.min_l. assert (2 <= Z.log2 d)%Z by (apply Z.log2_le_pow2; lia). lia. }
    rewrite Pi, T3. cbn [firstn]. rewrite T3 in I.
    apply (by_patterns _ n _ _ f s [0; 1; 3]%nat _ i h Sch (Four ltac:(unfold n; lia)) Id); [rewrite T3; reflexivity | |].
    + intros m. rewrite Sup. cbn [map]. set (a := hadamard_supports n 0 m). set (b := hadamard_supports n 1 m). set (c := hadamard_supports n 3 m).
      assert (S2 : hadamard_supports n 2 m = Bool.eqb a b) by (apply supports_product; reflexivity).
      assert (S4 : hadamard_supports n 4 m = Bool.eqb a c) by (apply supports_product; reflexivity).
      assert (S5 : hadamard_supports n 5 m = Bool.eqb b c) by (apply supports_product; reflexivity).
      assert (S6 : hadamard_supports n 6 m = Bool.eqb (Bool.eqb a b) c) by (rewrite <- S2; apply supports_product; reflexivity).
      destruct i as [| [| [| [| [| [| [| i]]]]]]]; [| | | | | | | simpl in I; lia]; fold a b c; rewrite ?S2, ?S4, ?S5, ?S6;
        clearbody a b c; destruct a, b, c; reflexivity.
    + intros b _. rewrite T3. reflexivity.
  - assert (E3 : d = 3%Z) by lia. assert (T2 : told_inputs f = 2%nat) by (rewrite T, E3; reflexivity).
    rewrite Pi, T2. cbn [firstn]. rewrite T2 in I.
    apply (by_patterns _ n _ _ f s [0; 1]%nat _ i h Sch Two Id); [rewrite T2; reflexivity | |].
    + intros m. rewrite Sup. cbn [map]. set (a := hadamard_supports n 0 m). set (b := hadamard_supports n 1 m).
      assert (S2 : hadamard_supports n 2 m = Bool.eqb a b) by (apply supports_product; reflexivity).
      destruct i as [| [| [| i]]]; [| | | simpl in I; lia]; fold a b; rewrite ?S2; clearbody a b; destruct a, b; reflexivity.
    + intros b _. rewrite T2. reflexivity.
Qed.

(** Of every family, in its program. *)
Theorem told_means f s i h : family_posed f -> supports_of f = Some s -> (i < rows_told f)%nat -> (i < Z.to_nat (inputs_of f))%nat ->
  for_program (Family f) (fun M show R => exists name : M -> answer, (forall m, show [m] = name m) /\
    mean (R i) (fun u => match u with [m] => h (pattern_of f (name m)) | _ => 0 end) = patterns_mean f s i h /\
    forall u, In u (map snd (R i)) -> exists m, u = [m]).
Proof.
  intros P S I Id.
  assert (One : forall M (show : list M -> answer) (row : nat -> dist M) d (name : M -> answer),
    (forall m, show [m] = name m) -> (i < Z.to_nat d)%nat ->
    mean (row i) (fun m => h (pattern_of f (name m))) = patterns_mean f s i h ->
    exists name : M -> answer, (forall m, show [m] = name m) /\
      mean (on_inputs d row i) (fun u => match u with [m] => h (pattern_of f (name m)) | _ => 0 end) = patterns_mean f s i h /\
      forall u, In u (map snd (on_inputs d row i)) -> exists m, u = [m]).
  { intros M show row d name N Hi E. exists name. split; [exact N |]. unfold on_inputs.
    rewrite Nat.min_l by lia. unfold one_message. split; [rewrite mean_dmap; exact E |].
    intros u J. apply in_map_iff in J. destruct J as [wu [<- J]]. unfold dmap, bind in J. apply in_flat_map in J.
    destruct J as [wa [_ J]]. destruct J as [<- | []]. eexists. reflexivity. }
  destruct f as [d E0 | d p q | d w E0 | d E0 | d g E0 | top r]; [| | | | | discriminate]; cbn [for_program inputs_of] in *.
  - apply (One nat Messages _ d (fun m => Messages [m]) (fun m => eq_refl) Id).
    destruct P as [D HE]. assert (L := response_low_value d E0 ltac:(lia) ltac:(lra)).
    assert (Sch := k_ary_scheme (Z.to_nat d) (Q2R E0) ltac:(lia) ltac:(lra)). injection S as Hs.
    assert (H1 : Q2R (E0 * (1 / (E0 + inject_Z d - 1))) = Q2R E0 * response_low (Z.to_nat d) (Q2R E0))
      by (rewrite Q2R_mult, L; reflexivity).
    rewrite <- H1, <- L in Sch.
    eapply (plain_means _ (Z.to_nat d) _ _ (KAry d E0) s i h eq_refl eq_refl ltac:(lia)); [rewrite <- Hs; exact Sch | rewrite <- Hs | rewrite <- Hs | exact I].
    + exists (k_ary_classes.one_of (Z.to_nat d) 2). split; [apply k_ary_pair; lia | intros; apply (one_of_value d 2); lia].
    + intros H3. exists (k_ary_classes.one_of (Z.to_nat d) 3). split; [apply k_ary_third; lia | intros; apply (one_of_value d 3); lia].
  - apply (One (list bool) Patterns _ d (fun m => Patterns [m]) (fun m => eq_refl) Id).
    destruct P as [D [Q P]].
    assert (H1 : Q2R (p / q) = Q2R p / Q2R q) by (apply Q2R_divided; lra).
    assert (H2 : Q2R ((1 - p) / (1 - q)) = (1 - Q2R p) / (1 - Q2R q)).
    { assert (X : Q2R (1 - q) = 1 - Q2R q) by (rewrite Q2R_minus, Q2R_1; reflexivity).
      rewrite Q2R_divided by (rewrite X; lra). rewrite X, Q2R_minus, Q2R_1. reflexivity. }
    assert (H3 : forall bits, Q2R (independent q 1 bits) = independent_bits (Q2R q) 1 bits)
      by (intros bits; rewrite independent_value, Q2R_1; reflexivity).
    assert (Sch := unary_scheme (Z.to_nat d) (Q2R p) (Q2R q) ltac:(lia) Q P). rewrite <- H1, <- H2 in Sch. injection S as Hs.
    eapply (plain_means _ (Z.to_nat d) _ _ (UnaryEncoding d p q) s i h eq_refl eq_refl ltac:(lia)); [rewrite <- Hs; exact Sch | rewrite <- Hs | rewrite <- Hs | exact I].
    + exists (independent_bits (Q2R q) 1). split; [| intros; apply H3]. apply (unary_pair (Z.to_nat d) (Q2R p)); lia || assumption.
    + intros X. exists (independent_bits (Q2R q) 1). split; [| intros; apply H3].
      apply (unary_patterns (Z.to_nat d) (Q2R p)); [lia | exact Q | exact P | apply distinct_3; lia | apply below_3; lia].
  - apply (One (list bool) Patterns _ d (fun m => Patterns [m]) (fun m => eq_refl) Id).
    destruct P as [D HE]. assert (L := subset_low_value d w E0 D HE).
    assert (Sch := subset_scheme (Z.to_nat d) (Z.to_nat w) (Q2R E0) ltac:(lia) ltac:(lia) ltac:(lra)).
    assert (H1 : Q2R (E0 * (inject_Z d / (inject_Z w * E0 + inject_Z d - inject_Z w))) =
      Q2R E0 * subset_low (Z.to_nat d) (Z.to_nat w) (Q2R E0)) by (rewrite Q2R_mult, L; reflexivity).
    rewrite <- H1, <- L in Sch. injection S as Hs.
    eapply (plain_means _ (Z.to_nat d) _ _ (SubsetSelection d w E0) s i h eq_refl eq_refl ltac:(lia)); [rewrite <- Hs; exact Sch | rewrite <- Hs | rewrite <- Hs | exact I].
    + exists (subset_masses (Z.to_nat d) (Z.to_nat w)). split; [apply subset_pair; lia |].
      intros bits B. apply subset_value; [lia |]. rewrite B. simpl. lia.
    + intros X. exists (subset_masses (Z.to_nat d) (Z.to_nat w)). split.
      * apply subset_patterns; [lia | lia | apply distinct_3; lia | apply below_3; lia].
      * intros bits B. apply subset_value; [lia |]. rewrite B. simpl. lia.
  - apply (One (list bool) Patterns _ d (fun m => Patterns [m]) (fun m => eq_refl) Id). apply hadamard_means; assumption.
  - apply (One (list nat * nat)%type Hashes _ d (fun m => Hashes [m]) (fun m => eq_refl) Id).
    destruct P as [D [G HE]]. assert (L := response_low_value g E0 ltac:(lia) ltac:(lra)).
    assert (C := bucket_value g G).
    assert (Sch := hashing_scheme (Z.to_nat d) (Z.to_nat g) (Q2R E0) ltac:(lia) ltac:(lia) ltac:(lra)).
    assert (H1 : Q2R (E0 * (1 / (E0 + inject_Z g - 1))) = Q2R E0 * response_low (Z.to_nat g) (Q2R E0))
      by (rewrite Q2R_mult, L; reflexivity).
    assert (H3 : forall bits, Q2R (independent (1 / inject_Z g) (inject_Z g) bits) =
      independent_bits (/ INR (Z.to_nat g)) (INR (Z.to_nat g)) bits)
      by (intros bits; rewrite independent_value, C, Q2R_Z, (Z_nat g) by lia; reflexivity).
    rewrite <- H1, <- L in Sch. injection S as Hs.
    eapply (plain_means _ (Z.to_nat d) _ _ (LocalHashing d g E0) s i h eq_refl eq_refl ltac:(lia)); [rewrite <- Hs; exact Sch | rewrite <- Hs | rewrite <- Hs | exact I].
    + exists (independent_bits (/ INR (Z.to_nat g)) (INR (Z.to_nat g))). split; [apply hashing_pair; lia | intros; apply H3].
    + intros X. exists (independent_bits (/ INR (Z.to_nat g)) (INR (Z.to_nat g))). split; [| intros; apply H3].
      apply hashing_patterns; [lia | lia | apply distinct_3; lia | apply below_3; lia].
Qed.

(** The score of a message, by its pattern. *)
Definition score_of_pattern (f : family) (keys : list Z) (m : option nat * answer) : Z := pattern_score f keys (pattern_of f (snd m)).

Lemma floor_below bits q : (0 <= bits)%Z -> IZR (floor_of bits q) <= IZR (2 ^ bits) * Q2R q.
Proof.
  intros B. unfold floor_of, Q2R. assert (X := Z.mul_div_le (Qnum q * 2 ^ bits) (Zpos (Qden q)) ltac:(lia)). apply IZR_le in X.
  rewrite !mult_IZR in X. assert (D : 0 < IZR (Zpos (Qden q))) by (apply IZR_lt; lia).
  apply Rmult_le_reg_l with (IZR (Zpos (Qden q))); [exact D |]. eapply Rle_trans; [exact X |]. right. field. lra.
Qed.

Lemma family_sums named classes j f n s i (g : Z -> R) keys : nth_error classes j = Some (Family f, n) -> family_posed f ->
  supports_of f = Some s -> (i < rows_told f)%nat -> (i < Z.to_nat (inputs_of f))%nat ->
  mean (class_law named classes (j, i)) (fun u => g (score_all (score_of_pattern f keys) u)) =
  patterns_mean f s i (fun b => g (pattern_score f keys b)).
Proof.
  intros E P S I Id. assert (T := told_means f s i (fun b => g (pattern_score f keys b)) P S I Id).
  assert (Same : forall M (R : dist (list M)) (show : list M -> answer) (name : M -> answer) (of : option nat),
    (forall m, show [m] = name m) -> (forall u, In u (map snd R) -> exists m, u = [m]) ->
    mean (dmap (map (fun m => (of, show [m]))) R) (fun u => g (score_all (score_of_pattern f keys) u)) =
    mean R (fun u => match u with [m] => g (pattern_score f keys (pattern_of f (name m))) | _ => 0 end)).
  { intros M R show name of N All. rewrite mean_dmap. apply total_ext. intros wu J.
    destruct (All (snd wu) (in_map snd _ _ J)) as [m ->]. unfold score_all, score_of_pattern. cbn [map fold_right snd].
    rewrite N, Z.add_0_r. reflexivity. }
  unfold class_law, sent_by. cbn [fst snd]. rewrite E. revert Same T. generalize (pattern_score f keys) (patterns_mean f s i). 
  destruct f; [| | | | | discriminate]; intros; cbn [for_program] in *; destruct T as [name [N [Eq All]]];
    rewrite (Same _ _ _ name _ N All); exact Eq.
Qed.

Theorem family_is_scored bits keys named classes j f n s : (0 <= bits)%Z -> (forall c, In c classes -> randomizer_posed (fst c)) ->
  nth_error classes j = Some (Family f, n) -> supports_of f = Some s ->
  class_scored bits named classes (score_of_pattern f keys) j (family_scored bits keys f s).
Proof.
  intros B Posed E S i I. cbn [inputs_scored input_of one_scored family_scored] in *.
  assert (P : family_posed f) by exact (Posed _ (nth_error_In _ _ E)).
  assert (Unit : 0 <= IZR (2 ^ bits)) by (apply IZR_le, Z.pow_nonneg; lia).
  set (l := map _ (bit_patterns (told_inputs f))).
  destruct (Nat.ltb i (Z.to_nat (inputs_of f)) && forallb (fun sw => (0 <=? snd sw)%Z) l)%bool eqn:T.
  2: { split; [constructor |]. intros g G. cbn [score_low score_weights weighed]. apply Rmult_le_pos; [exact Unit |].
    rewrite mean_sum. apply mean_nonneg; [| intros; apply G]. apply proper_messages. intros u. apply class_law_proper, Posed. }
  apply andb_true_iff in T. destruct T as [Id Nn]. apply Nat.ltb_lt in Id.
  assert (Nn' : forall sw, In sw l -> (0 <= snd sw)%Z) by (intros sw J; rewrite forallb_forall in Nn; apply Z.leb_le, Nn, J).
  split; [apply (law_of_scores_below l (fun _ => 0) Nn' ltac:(intros; lra)) |]. intros g G.
  destruct (law_of_scores_below l g Nn' G) as [_ U]. eapply Rle_trans; [exact U |]. clear U.
  unfold unit. rewrite mean_sum, mean_messages_first.
  rewrite (mean_ext _ _ (fun u => g (score_all (score_of_pattern f keys) u)))
    by (intros u; cbn [messages]; rewrite mean_ret, app_nil_r; reflexivity).
  rewrite (family_sums named classes j f n s i g keys E P S I Id). unfold l, patterns_mean. rewrite total_map, <- total_scal.
  apply total_le. intros b _. cbn [fst snd]. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply G | apply floor_below, B].
Qed.

(** ** All classes *)

(** Of one name, with as many inputs. *)
Definition are_alike (f f' : family) : bool :=
  match f, f' with
  | KAry _ _, KAry _ _ | UnaryEncoding _ _ _, UnaryEncoding _ _ _ | SubsetSelection _ _ _, SubsetSelection _ _ _
  | Hadamard _ _, Hadamard _ _ | LocalHashing _ _ _, LocalHashing _ _ _ => (inputs_of f =? inputs_of f')%Z
  | _, _ => false
  end.

Fixpoint families_scored (bits : Z) (keys : list Z) (first : family) (classes : list (randomizer * Z)) : option (list scored_class) :=
  match classes with
  | [] => Some []
  | (Family f, _) :: more =>
      match supports_of f, families_scored bits keys first more with
      | Some s, Some scored => if are_alike first f then Some (family_scored bits keys f s :: scored) else None
      | _, _ => None
      end
  | _ => None
  end.

Lemma alike_scores first f keys m : are_alike first f = true -> score_of_pattern first keys m = score_of_pattern f keys m.
Proof.
  destruct first, f; try discriminate; cbn [are_alike inputs_of]; intros H; apply Z.eqb_eq in H; subst; reflexivity.
Qed.

Theorem families_are_scored bits keys named f0 classes scored :
  (0 <= bits)%Z -> (forall c, In c classes -> randomizer_posed (fst c) /\ (1 <= snd c)%Z) ->
  families_scored bits keys f0 classes = Some scored ->
  all_scored bits named classes (score_of_pattern f0 keys) scored.
Proof.
  intros B P H.
  assert (G : forall cl scored, families_scored bits keys f0 cl = Some scored -> length scored = length cl /\
    forall j c, nth_error scored j = Some c -> exists f n s, nth_error cl j = Some (Family f, n) /\ supports_of f = Some s /\
      are_alike f0 f = true /\ c = family_scored bits keys f s).
  { clear. induction cl as [| [r n] cl IH]; intros scored H; cbn [families_scored] in H.
    - injection H as <-. split; [reflexivity |]. intros [| j] c E; discriminate.
    - destruct r as [| f]; [discriminate |]. destruct (supports_of f) as [s |] eqn:S; [| discriminate].
      destruct (families_scored bits keys f0 cl) as [l |]; [| discriminate]. destruct (are_alike f0 f) eqn:A; [| discriminate].
      injection H as <-. destruct (IH l eq_refl) as [L E]. split; [simpl; rewrite L; reflexivity |]. intros [| j] c X; [| apply E, X].
      injection X as <-. exists f, n, s. auto. }
  destruct (G classes scored H) as [Len Each]. split; [exact Len |]. intros j c Nj.
  destruct (Each j c Nj) as [f [n [s [E [S [A ->]]]]]].
  assert (X := family_is_scored bits keys named classes j f n s B (fun c I => proj1 (P c I)) E S).
  intros x I. specialize (X x I). destruct X as [Nn U]. split; [exact Nn |]. intros g G0. eapply Rle_trans; [apply (U g G0) |].
  right. f_equal. rewrite !mean_sum. apply mean_ext. intros u. f_equal. unfold score_all.
  induction u as [| m u IH]; [reflexivity |]. cbn [fold_right]. rewrite IH, (alike_scores f0 f keys m A). reflexivity.
Qed.
