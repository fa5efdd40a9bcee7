(** The pairs of inputs of a randomizer as lists of classes: those of families of supports are right.

    - [tells P Q D classes]: the values of P and Q against D, and what D never sends, are those of the classes;
      [divergence_of_classes]: classes that bound what a measure bounds sum to the divergence, at every E;
    - [pairs_right]: the classes of every ordered pair of inputs are listed, against a measure c below every row, and
      against the row of every input;
    - [family_rows]: the one pair of k-ary response, unary encoding, subset selection, Hadamard response and local
      hashing is right, for all parameters, and each of its rows of others is that of an input ([others_attained]).

    Source: this package, supports.v and the files of the families. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws hockey_stick events adding_a_user independence.
From Exactdp Require Import mean_excess hidden_message blanket classes least_values supports tilted_program.
From Exactdp Require Import k_ary_classes unary_classes subset_classes hadamard_classes hashing_classes.
From ExactdpChecker Require Import claims witnesses blanket_program matrix_blanket family_blanket described_pairs.
From ExactdpChecker Require Import opaque_rationals.
Import ListNotations.
Open Scope R_scope.

(** ** The program *)

Definition density_of (s : supported) (bit : bool) : Q := if bit then high_density s else low_density s.

(** The classes of two inputs against the input in place [held]. *)
Definition others_classes (s : supported) (held length : nat) (masses : list bool -> Q) : list rational_class :=
  map (fun bits => reduced (masses bits * density_of s (nth 0 bits false),
    masses bits * density_of s (nth 1 bits false),
                            masses bits * density_of s (nth held bits false))%Q) (bit_patterns length).

Definition third_inputs (f : family) : Z :=
  match f with
  | Hadamard _ _ => 4
  | _ => 3
  end.

Definition classes_of_others (f : family) (s : supported) (who : others) : option (list rational_class) :=
  match who with
  | OfFirst => Some (others_classes s 0 2 (pair_mass s))
  | OfSecond => Some (others_classes s 1 2 (pair_mass s))
  | OfThird => if (third_inputs f <=? inputs_of f)%Z then Some (others_classes s 2 3 (third_mass s)) else None
  | OfXor =>
      match f with
      | Hadamard d _ =>
          if (3 <=? d)%Z then
            Some (others_classes s 2 3 (product_mass (inject_Z (2 ^ (Z.log2 d + 1)) / inject_Z 4))) else None
      | _ => None
      end
  | Weighted _ => None
  end.

(** ** Classes that tell all of a pair *)

Definition tells {A} (P Q D : dist A) (classes : list rational_class) : Prop := forall E,
  same_law (values_against P Q E D) (class_values E (map real_class classes)) /\
  uncovered P Q E D = class_uncovered E (map real_class classes).

Lemma described_tells {A} (P Q D : dist A) classes : sub_law D -> describes P Q D classes -> tells P Q D classes.
Proof. intros S H E. split; [apply described_values | apply described_uncovered]; assumption. Qed.

(** The divergence of P and Q, of classes that cover them. *)
Definition divergence_listed (E : Q) (classes : list rational_class) : Q :=
  sum_of (map (fun k => if Qle_bool (excess_of E k) 0 then 0%Q else excess_of E k) classes).

Lemma divergence_classes (E : Q) (classes : list rational_class) :
  Forall (fun k => 0 <= Q2R (under_reference k)) classes ->
  class_uncovered (Q2R E) (map real_class classes) +
    mean (class_values (Q2R E) (map real_class classes)) (fun v => Rmax 0 v) =
  Q2R (divergence_listed E classes).
Proof.
  intros N. unfold divergence_listed, class_uncovered, class_values, mean. cbn [total fst snd].
  rewrite Rmax_left, Rmult_0_r, Rplus_0_l by apply Rle_refl. rewrite Q2R_sum_of, !total_map, <- total_plus.
  apply total_ext. intros k I. rewrite Forall_forall in N. specialize (N k I).
  unfold real_class, first_mass, second_mass, reference_mass. cbn [fst snd].
  rewrite <- (Q2R_excess E k). set (e := excess_of E k).
  assert (V : Q2R (if Qle_bool e 0 then 0%Q else e) = Rmax 0 (Q2R e)).
  { destruct (Qle_bool e 0) eqn:B.
    - apply Qle_bool_R in B. rewrite Q2R_0 in *. rewrite Rmax_left by exact B. reflexivity.
    - apply Qle_bool_R_false in B. rewrite Q2R_0 in B. rewrite Rmax_right by lra. reflexivity. }
  rewrite V. destruct (Req_EM_T _ 0) as [-> | Z]; [ring |].
  rewrite <- RmaxRmult by exact N. rewrite Rmult_0_r, Rplus_0_l. f_equal. field. exact Z.
Qed.

Definition bounds {A} (P Q c : dist A) (classes : list rational_class) : Prop := forall n E,
  reference_bound n P Q E c = class_bound n E (map real_class classes).

Lemma tells_bounds {A} (P Q c : dist A) classes : tells P Q c classes -> bounds P Q c classes.
Proof.
  intros T n E. destruct (T E) as [V U]. unfold reference_bound, class_bound. rewrite U.
  f_equal. apply mean_excess_same_law, V.
Qed.

Lemma mean_excess_1 L : mean_excess 1 L = mean L (Rmax 0).
Proof.
  unfold mean_excess. rewrite mean_copies_first. simpl INR. unfold Rdiv. rewrite Rinv_1, Rmult_1_r. apply mean_ext.
  intros a. rewrite mean_copies_none. simpl. rewrite Rplus_0_r. reflexivity.
Qed.

(** The divergence of P and Q, by their values against any measure. *)
Lemma divergence_by_values {A} E (P Q D : dist A) : sub_law D ->
  uncovered P Q E D + mean (values_against P Q E D) (Rmax 0) = hockey_stick P Q E.
Proof.
  intros S. rewrite mean_values_against, Rmax_left, Rmult_0_r, Rplus_0_l by apply Rle_refl.
  destruct (outcomes_cover P Q) as [CP CQ]. unfold uncovered, hockey_stick.
  set (l := nodup same (outcomes P Q ++ map snd D)). assert (Nl : NoDup l) by apply NoDup_nodup.
  rewrite (mean_masses D l) by (try exact Nl; intros wa I; apply nodup_In, in_or_app; right; apply in_map, I).
  assert (Out : forall a, ~ In a (outcomes P Q) -> mass P a - E * mass Q a = 0).
  { intros a I. rewrite (mass_outside P _ a CP I), (mass_outside Q _ a CQ I). ring. }
  assert (Longer : forall f, (forall a, ~ In a (outcomes P Q) -> f a = 0) -> total (outcomes P Q) f = total l f).
  { intros f Z. symmetry. apply total_longer; [apply outcomes_NoDup | exact Nl | | exact Z].
    intros a I. apply nodup_In, in_or_app. left. exact I. }
  rewrite !Longer, <- total_plus.
  - apply total_ext. intros a _. unfold value_against.
    assert (0 <= mass D a) by (apply total_nonneg; intros wa J; apply Rmult_le_pos; [apply S, J | apply indicator_bounds]).
    destruct (Req_EM_T _ 0) as [-> | Z]; [ring |].
    rewrite <- RmaxRmult by assumption. rewrite Rmult_0_r, Rplus_0_l. f_equal. field. exact Z.
  - intros a I. rewrite (Out a I), Rmax_left by lra. reflexivity.
  - intros a I. rewrite (Out a I), Rmax_left by lra. destruct (Req_EM_T _ _); reflexivity.
Qed.

Lemma divergence_of_classes {A} (E : Q) classes (P Q D : dist A) :
  sub_law D -> bounds P Q D classes -> Forall (fun k => 0 <= Q2R (under_reference k)) classes ->
  hockey_stick P Q (Q2R E) = Q2R (divergence_listed E classes).
Proof.
  intros S B N. rewrite <- (divergence_classes E classes N).
  assert (B1 := B 1%nat (Q2R E)). unfold reference_bound, class_bound in B1. rewrite !mean_excess_1 in B1.
  change (fun v => Rmax 0 v) with (Rmax 0). rewrite <- B1. symmetry. apply divergence_by_values, S.
Qed.

(** ** Families *)

(** An ordered pair of inputs: its classes against the blanket, and against each row that others may have. *)
Record input_pair : Type := { of_blanket : list rational_class; of_others : list (list rational_class) }.

Definition pairs_right {A} (row : nat -> dist A) (d : nat) (pairs : list input_pair) : Prop :=
  (forall v, (v < d)%nat -> proper (row v)) /\
  exists c, (forall v, (v < d)%nat -> lies_below c (row v)) /\
    forall x y, (x < d)%nat -> (y < d)%nat -> same_law (row x) (row y) \/
      exists pair, In pair pairs /\ weight c = Q2R (sum_of (map under_reference (of_blanket pair))) /\
      tells (row x) (row y) c (of_blanket pair) /\
      forall v, (v < d)%nat -> exists classes, In classes (of_others pair) /\ tells (row x) (row y) (row v) classes.

(** Each of the classes beside others is one of inputs that there are. *)
Definition others_attained {A} (row : nat -> dist A) (d : nat) (pair : input_pair) : Prop :=
  forall classes, In classes (of_others pair) ->
  exists x y v, (x < d)%nat /\ (y < d)%nat /\ (v < d)%nat /\ tells (row x) (row y) (row v) classes.

(** All ordered pairs of a family are alike. *)
Definition family_pair (f : family) (s : supported) : input_pair :=
  {| of_blanket := family_classes s;
     of_others := flat_map (fun who => match classes_of_others f s who with Some classes => [classes] | None => [] end)
       [OfFirst; OfSecond; OfThird; OfXor] |}.

(** The same classes, of numbers that are equal as reals. *)
Definition counts {M} (u : dist M) supports inputs (q : list bool -> Q) : Prop :=
  exists masses, patterns u supports inputs masses /\
    forall bits, length bits = length inputs -> Q2R (q bits) = masses bits.

Lemma others_classes_value s held length masses high low real_masses :
  Q2R (high_density s) = high -> Q2R (low_density s) = low ->
  (forall bits, List.length bits = length -> Q2R (masses bits) = real_masses bits) ->
  map real_class (others_classes s held length masses) = others_list high low held length real_masses.
Proof.
  intros H L M. unfold others_classes, others_list. rewrite map_map. apply map_ext_in. intros bits I.
  rewrite reduced_value. cbn [fst snd]. rewrite !Q2R_mult, (M bits (length_bit_patterns _ _ I)).
  assert (D : forall b, Q2R (density_of s b) = density high low b) by (intros [|]; assumption). rewrite !D. reflexivity.
Qed.

Section family.

Context {M : Type} (row : nat -> dist M) (d : nat) (u : dist M) (supports : nat -> M -> bool) (s : supported).
Let high := Q2R (high_density s).
Let low := Q2R (low_density s).
Hypothesis row_scheme : scheme row d u supports high low.

Lemma described_by_patterns x y held rest masses :
  let inputs := x :: y :: rest in
  (forall v, In v inputs -> (v < d)%nat) -> (held < length inputs)%nat -> counts u supports inputs masses ->
  describes (row x) (row y) (row (nth held inputs 0%nat)) (others_classes s held (length inputs) masses).
Proof.
  intros inputs I H [real_masses [[W S] Same]]. destruct row_scheme as [U [_ D]].
  set (kind := fun m => map (fun v => supports v m) inputs).
  assert (K : forall i, (i < length inputs)%nat -> forall f, mean (row (nth i inputs 0%nat)) f =
    mean u (fun m => (fun bits => density high low (nth i bits false)) (kind m) * f m)).
  { intros i Hi f. rewrite D by (apply I, nth_In, Hi). apply mean_ext. intros m. unfold kind.
    rewrite (nth_indep _ false (supports 0%nat m)) by (rewrite map_length; exact Hi).
    rewrite (map_nth (fun v => supports v m)). reflexivity. }
  set (kinds := map (fun bits => (bits, real_masses bits)) (bit_patterns (length inputs))).
  apply (described_by_kinds (row x) (row y) _ u kind (fun bits => density high low (nth 0 bits false))
    (fun bits => density high low (nth 1 bits false)) (fun bits => density high low (nth held bits false)) kinds).
  - exact U.
  - exact (K 0%nat ltac:(simpl; lia)).
  - exact (K 1%nat ltac:(simpl; lia)).
  - exact (K held H).
  - intros kw J. apply in_map_iff in J. destruct J as [bits [<- _]]. apply W.
  - intros f. unfold kinds. rewrite total_map. apply S.
  - rewrite (others_classes_value s held _ masses high low real_masses eq_refl eq_refl Same).
    unfold listed_classes, others_list, kinds. rewrite map_map. reflexivity.
Qed.

Variable everyone : M -> bool.
Variable pair : input_pair.
Hypothesis pair_blanket : of_blanket pair = family_classes s.
Hypothesis some_inputs : (2 <= d)%nat.
Hypothesis rows_proper : forall v, (v < d)%nat -> proper (row v).
Hypothesis everyone_supported : forall m, everyone m = true -> forall v, (v < d)%nat -> supports v m = true.
Hypothesis everyone_mass : mean u (indicator everyone) = Q2R (of_everyone s).
Hypothesis pairs : forall x y, (x < d)%nat -> (y < d)%nat -> x <> y -> counts u supports [x; y] (pair_mass s).
Hypothesis first_listed : In (others_classes s 0 2 (pair_mass s)) (of_others pair).
Hypothesis second_listed : In (others_classes s 1 2 (pair_mass s)) (of_others pair).
Hypothesis thirds : forall x y z, (x < d)%nat -> (y < d)%nat -> (z < d)%nat -> x <> y -> z <> x -> z <> y ->
  exists q, In (others_classes s 2 3 q) (of_others pair) /\ counts u supports [x; y; z] q.

(** The classes of the blanket, as in [blanket_classes] of supports.v. *)
Lemma blanket_described x y masses : (x < d)%nat -> (y < d)%nat -> patterns u supports [x; y] masses ->
  map real_class (family_classes s) = blanket_list high low (mean u (indicator everyone)) masses ->
  describes (row x) (row y) (blanket_of u high low everyone) (family_classes s).
Proof.
  intros X Y [W S] L0. destruct row_scheme as [U [_ D]]. set (e := mean u (indicator everyone)).
  assert (Both : forall m, everyone m = true -> supports x m = true /\ supports y m = true) by (split; auto).
  set (kind := fun m => (everyone m, (supports x m, supports y m))).
  assert (Four : forall f, mean u (fun m => f (supports x m, supports y m)) =
    masses [true; true] * f (true, true) + masses [true; false] * f (true, false) +
    masses [false; true] * f (false, true) + masses [false; false] * f (false, false)).
  { intros f. assert (G := S (fun bits => f (nth 0 bits false, nth 1 bits false))). simpl in G. rewrite G. ring. }
  set (kinds := [((false, (true, true)), masses [true; true] - e); ((false, (true, false)), masses [true; false]);
    ((false, (false, true)), masses [false; true]); ((false, (false, false)), masses [false; false]);
    ((true, (true, true)), e)]).
  assert (L : blanket_list high low e masses = listed_classes (fun k => density high low (fst (snd k)))
    (fun k => density high low (snd (snd k))) (fun k => density high low (fst k)) kinds) by reflexivity.
  assert (Dx : forall f, mean (row x) f = mean u (fun m => density high low (fst (snd (kind m))) * f m))
    by (intros f; rewrite D by exact X; reflexivity).
  assert (Dy : forall f, mean (row y) f = mean u (fun m => density high low (snd (snd (kind m))) * f m))
    by (intros f; rewrite D by exact Y; reflexivity).
  assert (Ks : forall f, mean u (fun m => f (kind m)) = total kinds (fun kw => snd kw * f (fst kw))).
  { intros f. simpl.
    rewrite (mean_ext u _ (fun m => (fun b => f (false, b)) (supports x m, supports y m) +
      indicator everyone m * (f (true, (true, true)) - f (false, (true, true))))).
    - rewrite mean_plus, (Four (fun b => f (false, b))), mean_scal_r. fold (mean u (indicator everyone)) e. ring.
    - intros m. unfold kind, indicator. specialize (Both m). destruct (everyone m); [| ring].
      destruct (Both eq_refl) as [-> ->]. ring. }
  apply (described_by_kinds _ _ _ u kind (fun k => density high low (fst (snd k))) (fun k => density high low (snd (snd k)))
    (fun k => density high low (fst k)) kinds);
    [exact U | exact Dx | exact Dy | apply mean_blanket_of | | exact Ks | rewrite L0; exact L].
  intros kw [<- | [<- | [<- | [<- | [<- | []]]]]]; simpl; try apply W.
  - assert (T := Four (fun b => if fst b then if snd b then 1 else 0 else 0)). simpl in T.
    enough (e <= mean u (fun m => if supports x m then if supports y m then 1 else 0 else 0)) by lra. clear T.
    apply total_le. intros wm I. apply Rmult_le_compat_l; [apply U, I |]. unfold indicator. simpl.
    specialize (Both (snd wm)). destruct (everyone (snd wm)).
    * destruct (Both eq_refl) as [-> ->]. lra.
    * destruct (supports x (snd wm)), (supports y (snd wm)); lra.
  - apply total_nonneg. intros wm I. apply Rmult_le_pos; [apply U, I | apply indicator_bounds].
Qed.

Hypothesis others_listed : forall classes, In classes (of_others pair) ->
  classes = others_classes s 0 2 (pair_mass s) \/ classes = others_classes s 1 2 (pair_mass s) \/
  exists z q, (2 <= z < d)%nat /\ classes = others_classes s 2 3 q /\ counts u supports [0; 1; z]%nat q.

Definition family_described : Prop :=
  (forall v, (v < d)%nat -> proper (row v)) /\
  exists c, (forall v, (v < d)%nat -> lies_below c (row v)) /\
    (forall x y, (x < d)%nat -> (y < d)%nat -> x <> y ->
      describes (row x) (row y) c (of_blanket pair) /\
      describes (row x) (row y) (row x) (others_classes s 0 2 (pair_mass s)) /\
      describes (row x) (row y) (row y) (others_classes s 1 2 (pair_mass s)) /\
      forall v, (v < d)%nat -> exists classes, In classes (of_others pair) /\ describes (row x) (row y) (row v) classes) /\
    forall classes, In classes (of_others pair) ->
      exists v, (v < d)%nat /\ describes (row 0%nat) (row 1%nat) (row v) classes.

Lemma family_right : family_described.
Proof.
  split; [exact rows_proper |]. exists (blanket_of u high low everyone).
  assert (Classes : forall masses,
    (forall bits, length bits = 2%nat -> Q2R (pair_mass s bits) = masses bits) ->
    map real_class (family_classes s) = blanket_list high low (mean u (indicator everyone)) masses).
  { intros masses Same. unfold family_classes, blanket_list. cbn [map]. rewrite !reduced_value. cbn [fst snd].
    rewrite !Q2R_mult, !Q2R_minus, !Same by reflexivity. rewrite everyone_mass. reflexivity. }
  assert (Two : forall x y, (x < d)%nat -> (y < d)%nat -> forall w, In w [x; y] -> (w < d)%nat)
    by (intros x y X Y w [<- | [<- | []]]; assumption).
  split; [intros v; apply (blanket_lies_below row d u supports high low row_scheme everyone everyone_supported) |].
  split.
  - intros x y X Y N. assert (Pair := pairs x y X Y N).
    assert (First := described_by_patterns x y 0 [] (pair_mass s) (Two x y X Y) ltac:(simpl; lia) Pair).
    assert (Second := described_by_patterns x y 1 [] (pair_mass s) (Two x y X Y) ltac:(simpl; lia) Pair).
    rewrite pair_blanket. split; [| split; [exact First | split; [exact Second |]]].
    { destruct Pair as [masses [Pt Same]]. exact (blanket_described x y masses X Y Pt (Classes masses Same)). }
    intros v V. destruct (Nat.eq_dec v x) as [-> | Nx]; [| destruct (Nat.eq_dec v y) as [-> | Ny]].
    + exists (others_classes s 0 2 (pair_mass s)). split; [exact first_listed | exact First].
    + exists (others_classes s 1 2 (pair_mass s)). split; [exact second_listed | exact Second].
    + destruct (thirds x y v X Y V N Nx Ny) as [q [I C]]. exists (others_classes s 2 3 q). split; [exact I |].
      apply (described_by_patterns x y 2 [v] q); [| simpl; lia | exact C].
      intros w [<- | [<- | [<- | []]]]; assumption.
  - assert (Pair := pairs 0%nat 1%nat ltac:(lia) ltac:(lia) ltac:(lia)).
    assert (Two' := Two 0%nat 1%nat ltac:(lia) ltac:(lia)).
    intros classes I. destruct (others_listed classes I) as [-> | [-> | [z [q [Z [-> C]]]]]].
    + exists 0%nat. split; [lia |]. apply (described_by_patterns 0 1 0 [] (pair_mass s) Two'); [simpl; lia | exact Pair].
    + exists 1%nat. split; [lia |]. apply (described_by_patterns 0 1 1 [] (pair_mass s) Two'); [simpl; lia | exact Pair].
    + exists z. split; [lia |].
      apply (described_by_patterns 0 1 2 [z] q); [intros w [<- | [<- | [<- | []]]]; lia | simpl; lia | exact C].
Qed.

End family.

Lemma distinct_3 (x y z : nat) : x <> y -> z <> x -> z <> y -> NoDup [x; y; z].
Proof.
  intros. constructor; [intros [E | [E | []]]; congruence |].
  constructor; [intros [E | []]; congruence | constructor; [intros [] | constructor]].
Qed.

Lemma below_3 (d x y z : nat) : (x < d)%nat -> (y < d)%nat -> (z < d)%nat -> forall v, In v [x; y; z] -> (v < d)%nat.
Proof. intros. repeat match goal with I : In _ _ |- _ => destruct I as [<- | I] end; assumption || contradiction. Qed.

(** With a third input the classes beside it are listed. *)
Lemma third_of f s d x y z : d = Z.to_nat (inputs_of f) -> third_inputs f = 3%Z ->
  (x < d)%nat -> (y < d)%nat -> (z < d)%nat -> x <> y -> z <> x -> z <> y ->
  In (others_classes s 2 3 (third_mass s)) (of_others (family_pair f s)).
Proof.
  intros D T X Y Z N1 N2 N3. unfold family_pair, of_others. cbn [flat_map classes_of_others app]. rewrite T.
  destruct (Z.leb_spec 3 (inputs_of f)); [simpl; auto | lia].
Qed.

(** What the list of a pair has. *)
Lemma others_listed_of f s classes : In classes (of_others (family_pair f s)) ->
  classes = others_classes s 0 2 (pair_mass s) \/ classes = others_classes s 1 2 (pair_mass s) \/
  ((third_inputs f <= inputs_of f)%Z /\ classes = others_classes s 2 3 (third_mass s)) \/
  classes_of_others f s OfXor = Some classes.
Proof.
  unfold family_pair, of_others. intros I. apply in_flat_map in I. destruct I as [who [W I]].
  destruct (classes_of_others f s who) as [c |] eqn:C; [| destruct I]. destruct I as [<- | []].
  destruct W as [<- | [<- | [<- | [<- | []]]]]; [| | | right; right; right; exact C]; cbn [classes_of_others] in C.
  - left. congruence.
  - right. left. congruence.
  - right. right. left. destruct (Z.leb_spec (third_inputs f) (inputs_of f)); [split; [assumption | congruence] | discriminate].
Qed.

(** No message is known to support every input. *)
Definition nobody {M} (m : M) : bool := false.

Lemma nobody_mass {M} (u : dist M) : mean u (indicator nobody) = Q2R 0.
Proof.
  rewrite Q2R_0. unfold mean, indicator, nobody. rewrite (total_ext _ _ (fun _ => 0)) by (intros; ring). apply total_zero.
Qed.

Ltac by_scheme Sch everyone :=
  match goal with |- family_described ?row ?d ?s (family_pair ?f _) =>
    apply (family_right row d _ _ s Sch everyone (family_pair f s) eq_refl) end;
  cbn [high_density low_density of_everyone pair_mass].

Theorem described_rows f s : family_posed f -> supports_of f = Some s ->
  for_program (Family f) (fun M _ R => exists row : nat -> dist M,
    R = on_inputs (inputs_of f) row /\ family_described row (Z.to_nat (inputs_of f)) s (family_pair f s)).
Proof.
  intros P S.
  assert (Last : forall M d (row : nat -> dist M), family_described row (Z.to_nat d) s (family_pair f s) ->
    exists row', on_inputs d row = on_inputs d row' /\ family_described row' (Z.to_nat d) s (family_pair f s))
    by (intros M d row T; exists row; auto).
  assert (First : In (others_classes s 0 2 (pair_mass s)) (of_others (family_pair f s))) by (unfold family_pair, of_others; simpl; auto).
  assert (Second : In (others_classes s 1 2 (pair_mass s)) (of_others (family_pair f s))) by (unfold family_pair, of_others; simpl; auto).
  destruct f as [d E0 | d p q | d w E0 | d E0 | d g E0 | top r]; cbn [for_program family_posed inputs_of] in *;
    [| | | | | discriminate];
    apply (Last _ _ _).
  - destruct P as [D HE]. assert (L := response_low_value d E0 ltac:(lia) ltac:(lra)).
    assert (Sch := k_ary_scheme (Z.to_nat d) (Q2R E0) ltac:(lia) ltac:(lra)).
    injection S as Hs. rewrite <- Hs in *. clear Hs.
    assert (H1 : Q2R (E0 * (1 / (E0 + inject_Z d - 1))) = Q2R E0 * response_low (Z.to_nat d) (Q2R E0))
      by (rewrite Q2R_mult, L; reflexivity).
    rewrite <- H1, <- L in Sch.
    by_scheme Sch (@nobody nat).
    + lia.
    + intros v V. apply k_ary_proper; [lra | exact V].
    + discriminate.
    + apply nobody_mass.
    + intros x y X Y N. exists (k_ary_classes.one_of (Z.to_nat d) 2). split; [apply k_ary_pair; assumption |].
      intros bits _. apply (one_of_value d 2); lia.
    + exact First.
    + exact Second.
    + intros x y z X Y Z N1 N2 N3. exists (one_of d 3). split.
      * exact (third_of (KAry d E0) _ _ x y z eq_refl eq_refl X Y Z N1 N2 N3).
      * exists (k_ary_classes.one_of (Z.to_nat d) 3). split; [apply k_ary_third; assumption |].
        intros bits _. apply (one_of_value d 3); lia.
    + intros classes J. destruct (others_listed_of _ _ _ J) as [-> | [-> | [[K ->] | W]]]; [auto | auto | | discriminate W].
      right. right. cbn [third_inputs inputs_of] in K. exists 2%nat, (one_of d 3). split; [lia |]. split; [reflexivity |].
      exists (k_ary_classes.one_of (Z.to_nat d) 3). split; [apply k_ary_third; lia |]. intros bits _.
      apply (one_of_value d 3); lia.
  - destruct P as [D [Q P]].
    assert (H1 : Q2R (p / q) = Q2R p / Q2R q) by (apply Q2R_divided; lra).
    assert (H2 : Q2R ((1 - p) / (1 - q)) = (1 - Q2R p) / (1 - Q2R q)).
    { assert (X : Q2R (1 - q) = 1 - Q2R q) by (rewrite Q2R_minus, Q2R_1; reflexivity).
      rewrite Q2R_divided by (rewrite X; lra). rewrite X, Q2R_minus, Q2R_1. reflexivity. }
    assert (H3 : forall bits, Q2R (independent q 1 bits) = independent_bits (Q2R q) 1 bits)
      by (intros bits; rewrite independent_value, Q2R_1; reflexivity).
    assert (Sch := unary_scheme (Z.to_nat d) (Q2R p) (Q2R q) ltac:(lia) Q P). rewrite <- H1, <- H2 in Sch.
    injection S as Hs. rewrite <- Hs in *. clear Hs.
    by_scheme Sch (if (Z.eqb d 2 || (d * bit_length (Zpos (Qden q)) <=? split_bits)%Z)%bool then all_ones (Z.to_nat d)
      else @nobody _).
    + lia.
    + intros v _. apply unary_proper; assumption.
    + destruct (_ || _)%bool; [| discriminate]. intros m H v V. unfold all_ones in H. rewrite forallb_forall in H.
      apply H, in_seq. lia.
    + destruct (_ || _)%bool.
      * rewrite Q2R_power. exact (all_ones_chance (Q2R q) (Z.to_nat d)).
      * apply nobody_mass.
    + intros x y X Y N. exists (independent_bits (Q2R q) 1). split; [| intros; apply H3].
      apply (unary_pair (Z.to_nat d) (Q2R p)); lia || assumption.
    + exact First.
    + exact Second.
    + intros x y z X Y Z N1 N2 N3. exists (independent q 1). split.
      * exact (third_of (UnaryEncoding d p q) _ _ x y z eq_refl eq_refl X Y Z N1 N2 N3).
      * exists (independent_bits (Q2R q) 1). split; [| intros; apply H3].
        apply (unary_patterns (Z.to_nat d) (Q2R p)); [lia | exact Q | exact P | apply distinct_3 | apply below_3]; assumption.
    + intros classes J. destruct (others_listed_of _ _ _ J) as [-> | [-> | [[K ->] | W]]]; [auto | auto | | discriminate W].
      right. right. cbn [third_inputs inputs_of] in K. exists 2%nat, (independent q 1). split; [lia |]. split; [reflexivity |].
      exists (independent_bits (Q2R q) 1). split; [| intros; apply H3].
      apply (unary_patterns (Z.to_nat d) (Q2R p)); [lia | exact Q | exact P | apply distinct_3 | apply below_3]; lia.
  - destruct P as [D HE]. assert (L := subset_low_value d w E0 D HE).
    assert (Sch := subset_scheme (Z.to_nat d) (Z.to_nat w) (Q2R E0) ltac:(lia) ltac:(lia) ltac:(lra)).
    assert (H1 : Q2R (E0 * (inject_Z d / (inject_Z w * E0 + inject_Z d - inject_Z w))) =
      Q2R E0 * subset_low (Z.to_nat d) (Z.to_nat w) (Q2R E0)) by (rewrite Q2R_mult, L; reflexivity).
    rewrite <- H1, <- L in Sch. injection S as Hs. rewrite <- Hs in *. clear Hs.
    by_scheme Sch (@nobody (list bool)).
    + lia.
    + intros v V. apply subset_proper; try lia. lra.
    + discriminate.
    + apply nobody_mass.
    + intros x y X Y N. exists (subset_masses (Z.to_nat d) (Z.to_nat w)). split; [apply subset_pair; lia |].
      intros bits B. apply subset_value; [lia |]. rewrite B. simpl. lia.
    + exact First.
    + exact Second.
    + intros x y z X Y Z N1 N2 N3. exists (subset_mass d w). split.
      * exact (third_of (SubsetSelection d w E0) _ _ x y z eq_refl eq_refl X Y Z N1 N2 N3).
      * exists (subset_masses (Z.to_nat d) (Z.to_nat w)). split.
        -- apply subset_patterns; [lia | lia | apply distinct_3 | apply below_3]; assumption.
        -- intros bits B. apply subset_value; [lia |]. rewrite B. simpl. lia.
    + intros classes J. destruct (others_listed_of _ _ _ J) as [-> | [-> | [[K ->] | W]]]; [auto | auto | | discriminate W].
      right. right. cbn [third_inputs inputs_of] in K. exists 2%nat, (subset_mass d w). split; [lia |]. split; [reflexivity |].
      exists (subset_masses (Z.to_nat d) (Z.to_nat w)). split.
      * apply subset_patterns; [lia | lia | apply distinct_3 | apply below_3]; lia.
      * intros bits B. apply subset_value; [lia |]. rewrite B. simpl. lia.
  - destruct P as [D HE]. assert (L := hadamard_low_value d E0 D HE).
    assert (Sch := hadamard_scheme (Z.to_nat d) (Q2R E0) ltac:(lra)).
    assert (H1 : Q2R (E0 * (2 / (inject_Z (2 ^ (Z.log2 d + 1)) * (E0 + 1)))) =
      Q2R E0 * hadamard_low (Z.to_nat d) (Q2R E0)) by (rewrite Q2R_mult, L; reflexivity).
    assert (H3 : forall bits, Q2R (independent (1 # 2) (inject_Z (2 ^ (Z.log2 d + 1))) bits) =
      independent_bits (/ 2) (2 ^ hadamard_digits (Z.to_nat d)) bits)
      by (intros bits; rewrite independent_value, half_value, Q2R_Z, columns_value by lia; reflexivity).
    rewrite <- H1, <- L in Sch. injection S as Hs. rewrite <- Hs in *. clear Hs.
    by_scheme Sch is_column_0.
    + lia.
    + intros v V. apply hadamard_proper; try lia. lra.
    + intros m H v _. apply column_0_supports, H.
    + rewrite mean_counting, Q2R_1. apply one_column_0.
    + intros x y X Y N. exists (independent_bits (/ 2) (2 ^ hadamard_digits (Z.to_nat d))).
      split; [apply hadamard_pair; lia | intros; apply H3].
    + exact First.
    + exact Second.
    + intros x y z X Y Z N1 N2 N3. destruct (Nat.eq_dec (S z) (Nat.lxor (S x) (S y))) as [Rel | Rel].
      * exists (product_mass (inject_Z (2 ^ (Z.log2 d + 1)) / inject_Z 4)). split.
        -- unfold family_pair, of_others. cbn [flat_map classes_of_others app inputs_of].
           destruct (Z.leb_spec 3 d); [| lia]. destruct (_ <=? _)%Z; simpl; auto.
        -- exists (product_bits (2 ^ hadamard_digits (Z.to_nat d) / 4)). split; [apply hadamard_product_third; lia |].
           intros bits _. rewrite product_value, Q2R_divided, !Q2R_Z, columns_value by (lia || (rewrite Q2R_Z; lra)).
           reflexivity.
      * exists (independent (1 # 2) (inject_Z (2 ^ (Z.log2 d + 1)))). split.
        -- unfold family_pair, of_others. cbn [flat_map classes_of_others app inputs_of third_inputs].
           destruct (Z.leb_spec 4 d) as [Four | Three]; [simpl; auto |]. exfalso. apply Rel.
           assert (K : (x < 3 /\ y < 3 /\ z < 3)%nat) by lia. destruct K as [X3 [Y3 Z3]].
           destruct x as [| [| [| x]]], y as [| [| [| y]]], z as [| [| [| z]]]; try lia; reflexivity.
        -- exists (independent_bits (/ 2) (2 ^ hadamard_digits (Z.to_nat d))).
           split; [apply hadamard_independent_third; try assumption; lia | intros; apply H3].
    + intros classes J. destruct (others_listed_of _ _ _ J) as [-> | [-> | [[K ->] | W]]]; [auto | auto | |]; right; right.
      * cbn [third_inputs inputs_of] in K. exists 3%nat, (independent (1 # 2) (inject_Z (2 ^ (Z.log2 d + 1)))).
        split; [lia |]. split; [reflexivity |]. exists (independent_bits (/ 2) (2 ^ hadamard_digits (Z.to_nat d))).
        split; [apply hadamard_independent_third; try discriminate; lia | intros; apply H3].
      * unfold classes_of_others in W. destruct (Z.leb_spec 3 d); [| discriminate]. injection W as <-.
        exists 2%nat, (product_mass (inject_Z (2 ^ (Z.log2 d + 1)) / inject_Z 4)). split; [lia |]. split; [reflexivity |].
        exists (product_bits (2 ^ hadamard_digits (Z.to_nat d) / 4)). split; [apply hadamard_product_third; try lia; reflexivity |].
        intros bits _. rewrite product_value, Q2R_divided, !Q2R_Z, columns_value by (lia || (rewrite Q2R_Z; lra)).
        reflexivity.
  - destruct P as [D [G HE]]. assert (L := response_low_value g E0 ltac:(lia) ltac:(lra)).
    assert (C := bucket_value g G).
    assert (Sch := hashing_scheme (Z.to_nat d) (Z.to_nat g) (Q2R E0) ltac:(lia) ltac:(lia) ltac:(lra)).
    assert (H1 : Q2R (E0 * (1 / (E0 + inject_Z g - 1))) = Q2R E0 * response_low (Z.to_nat g) (Q2R E0))
      by (rewrite Q2R_mult, L; reflexivity).
    assert (H3 : forall bits, Q2R (independent (1 / inject_Z g) (inject_Z g) bits) =
      independent_bits (/ INR (Z.to_nat g)) (INR (Z.to_nat g)) bits)
      by (intros bits; rewrite independent_value, C, Q2R_Z, (Z_nat g) by lia; reflexivity).
    rewrite <- H1, <- L in Sch. injection S as Hs. rewrite <- Hs in *. clear Hs.
    by_scheme Sch (if (Z.eqb d 2 || ((d - 1) * bit_length g <=? split_bits)%Z)%bool then all_hashed (Z.to_nat d)
      else @nobody _).
    + lia.
    + intros v V. apply hashing_proper; try lia. lra.
    + destruct (_ || _)%bool; [| discriminate]. intros m H v V. unfold all_hashed in H. rewrite forallb_forall in H.
      apply H, in_seq. lia.
    + destruct (_ || _)%bool.
      * rewrite Q2R_power, C. replace (Z.to_nat (d - 1)) with (Z.to_nat d - 1)%nat by lia. apply all_hashed_mass; lia.
      * apply nobody_mass.
    + intros x y X Y N. exists (independent_bits (/ INR (Z.to_nat g)) (INR (Z.to_nat g))).
      split; [apply hashing_pair; lia | intros; apply H3].
    + exact First.
    + exact Second.
    + intros x y z X Y Z N1 N2 N3. exists (independent (1 / inject_Z g) (inject_Z g)). split.
      * exact (third_of (LocalHashing d g E0) _ _ x y z eq_refl eq_refl X Y Z N1 N2 N3).
      * exists (independent_bits (/ INR (Z.to_nat g)) (INR (Z.to_nat g))). split; [| intros; apply H3].
        apply hashing_patterns; [lia | lia | apply distinct_3 | apply below_3]; assumption.
    + intros classes J. destruct (others_listed_of _ _ _ J) as [-> | [-> | [[K ->] | W]]]; [auto | auto | | discriminate W].
      right. right. cbn [third_inputs inputs_of] in K. exists 2%nat, (independent (1 / inject_Z g) (inject_Z g)).
      split; [lia |]. split; [reflexivity |]. exists (independent_bits (/ INR (Z.to_nat g)) (INR (Z.to_nat g))).
      split; [| intros; apply H3].
      apply hashing_patterns; [lia | lia | apply distinct_3 | apply below_3]; lia.
Qed.

(** The same, as [pairs_right] says it. *)
Theorem family_rows f s : family_posed f -> supports_of f = Some s ->
  for_program (Family f) (fun M _ R => exists row : nat -> dist M,
    R = on_inputs (inputs_of f) row /\ pairs_right row (Z.to_nat (inputs_of f)) [family_pair f s] /\
      others_attained row (Z.to_nat (inputs_of f)) (family_pair f s)).
Proof.
  intros P S. assert (D := described_rows f s P S).
  assert (Two : (2 <= Z.to_nat (inputs_of f))%nat)
    by (destruct f; cbn [supports_of family_posed inputs_of] in *; (lia || discriminate)).
  assert (Right : forall M (row : nat -> dist M), family_described row (Z.to_nat (inputs_of f)) s (family_pair f s) ->
    pairs_right row (Z.to_nat (inputs_of f)) [family_pair f s] /\
    others_attained row (Z.to_nat (inputs_of f)) (family_pair f s)).
  { intros M row [Pr [c [Below [Each Attained]]]]. split.
    - split; [exact Pr |]. exists c. split; [exact Below |]. intros x y X Y.
      destruct (Nat.eq_dec x y) as [<- | N]; [left; intros h; reflexivity | right].
      destruct (Each x y X Y N) as [B [_ [_ O]]]. exists (family_pair f s). split; [left; reflexivity |].
      split; [exact (described_weight _ _ _ _ B) |]. split; [apply described_tells; [apply (Below x X) | exact B] |].
      intros v V. destruct (O v V) as [classes [I T]]. exists classes. split; [exact I |].
      apply described_tells; [exact (proj1 (Pr v V)) | exact T].
    - intros classes I. destruct (Attained classes I) as [v [V T]]. exists 0%nat, 1%nat, v.
      repeat (split; [lia |]). apply described_tells; [exact (proj1 (Pr v V)) | exact T]. }
  destruct f; cbn [for_program] in *; destruct D as [row [-> D]]; exists row; (split; [reflexivity | apply Right, D]).
Qed.
