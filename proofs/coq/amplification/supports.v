(** Families of randomizers in which a message supports a set of inputs, and their classes.

    With a measure u on messages and numbers high and low, the input x has the probability high u(m) of a message m
    that supports it and low u(m) of any other one ([scheme]); the inputs are 0, ..., d - 1. Proved for every such
    family, 0 <= low <= high, every n, every real E:

    - the classes of two inputs x and y against the row of a third one, or of x or y themselves, are the patterns of
      which of these inputs a message supports, with their masses under u ([others_classes]);
    - with a set "everyone" of messages that support every input, c(m) = high u(m) there and low u(m) elsewhere lies
      below every row, and its classes are the four patterns of x and y, with that set taken out of the first one
      ([blanket_lies_below], [blanket_classes]); the set may be chosen empty;
    - if the set has all messages that support every input, no larger reference lies below every row
      ([blanket_greatest]).

    The lists of classes are those of [Family.blanket] and [Family.others] in exactdp/checker/families.py, which
    leaves out classes without mass: [class_bound_without_empty] of classes.v. [has_blanket], [has_smaller_blanket],
    [has_pair] and [has_third] put it together; each family proves them in a file of its own.
    [independent_patterns]: the patterns are those of independent bits, if one bit at a time is. Source: this
    package. *)

From Coq Require Import Reals List Lra Lia Bool.
From Exactdp Require Import reals sums laws hockey_stick independence events mean_excess classes.
Import ListNotations.
Open Scope R_scope.

(** Every pattern, that of ones first. *)
Fixpoint bit_patterns (length : nat) : list (list bool) :=
  match length with
  | O => [[]]
  | S rest => map (cons true) (bit_patterns rest) ++ map (cons false) (bit_patterns rest)
  end.

Definition density (high low : R) (bit : bool) : R := if bit then high else low.

(** The classes of two inputs against the input in place [held] of those that the patterns are about. *)
Definition others_list (high low : R) (held length : nat) (masses : list bool -> R) : list class :=
  map (fun bits => (masses bits * density high low (nth 0 bits false),
                    masses bits * density high low (nth 1 bits false),
                    masses bits * density high low (nth held bits false))) (bit_patterns length).

(** The classes of two inputs against the blanket. *)
Definition blanket_list (high low everyone : R) (pair : list bool -> R) : list class :=
  [((pair [true; true] - everyone) * high, (pair [true; true] - everyone) * high, (pair [true; true] - everyone) * low);
   (pair [true; false] * high, pair [true; false] * low, pair [true; false] * low);
   (pair [false; true] * low, pair [false; true] * high, pair [false; true] * low);
   (pair [false; false] * low, pair [false; false] * low, pair [false; false] * low);
   (everyone * high, everyone * high, everyone * high)].

(** These inputs are supported in the pattern [bits] with the mass [masses bits] under u. *)
Definition patterns {M} (u : dist M) (supports : nat -> M -> bool) (inputs : list nat)
    (masses : list bool -> R) : Prop :=
  (forall bits, 0 <= masses bits) /\
  forall f, mean u (fun m => f (map (fun v => supports v m) inputs)) =
            total (bit_patterns (length inputs)) (fun bits => masses bits * f bits).

Definition scheme {M} (row : nat -> dist M) (d : nat) (u : dist M) (supports : nat -> M -> bool)
    (high low : R) : Prop :=
  sub_law u /\ 0 <= low <= high /\
  forall x, (x < d)%nat -> forall f, mean (row x) f = mean u (fun m => density high low (supports x m) * f m).

(** The reference: u times high where every input is supported, u times low elsewhere. *)
Definition blanket_of {M} (u : dist M) (high low : R) (everyone : M -> bool) : dist M :=
  map (fun wm => (fst wm * density high low (everyone (snd wm)), snd wm)) u.

Section Supports.

  Context {M : Type} (row : nat -> dist M) (d : nat) (u : dist M) (supports : nat -> M -> bool) (high low : R).
  Hypothesis row_scheme : scheme row d u supports high low.

  Lemma others_classes n E x y held rest masses :
    let inputs := x :: y :: rest in
    (forall v, In v inputs -> (v < d)%nat) -> (held < length inputs)%nat -> patterns u supports inputs masses ->
    reference_bound n (row x) (row y) E (row (nth held inputs 0%nat)) =
    class_bound n E (others_list high low held (length inputs) masses).
  Proof.
    intros inputs I H [W S]. destruct row_scheme as [U [_ D]].
    set (kind := fun m => map (fun v => supports v m) inputs).
    assert (K : forall i, (i < length inputs)%nat -> forall f, mean (row (nth i inputs 0%nat)) f =
      mean u (fun m => (fun bits => density high low (nth i bits false)) (kind m) * f m)).
    { intros i Hi f. rewrite D by (apply I, nth_In, Hi). apply mean_ext. intros m. unfold kind.
      rewrite (nth_indep _ false (supports 0%nat m)) by (rewrite map_length; exact Hi).
      rewrite (map_nth (fun v => supports v m)). reflexivity. }
    rewrite (reference_bound_kinds (row x) (row y) _ u kind (fun bits => density high low (nth 0 bits false))
      (fun bits => density high low (nth 1 bits false)) (fun bits => density high low (nth held bits false))
      (map (fun bits => (bits, masses bits)) (bit_patterns (length inputs))) E).
    - unfold listed_classes, others_list. rewrite map_map. reflexivity.
    - apply (K 0%nat). simpl. lia.
    - apply (K 1%nat). simpl. lia.
    - apply K, H.
    - intros kw J. apply in_map_iff in J. destruct J as [bits [<- _]]. apply W.
    - intros f. rewrite total_map. apply S.
    - exact U.
  Qed.

  Variable everyone : M -> bool.
  Hypothesis everyone_supported : forall m, everyone m = true -> forall v, (v < d)%nat -> supports v m = true.

  Lemma mean_blanket_of f :
    mean (blanket_of u high low everyone) f = mean u (fun m => density high low (everyone m) * f m).
  Proof. unfold mean, blanket_of. rewrite total_map. apply total_ext. intros wm _. simpl. ring. Qed.

  Lemma blanket_lies_below v : (v < d)%nat -> lies_below (blanket_of u high low everyone) (row v).
  Proof.
    intros V. destruct row_scheme as [U [L D]]. split.
    - intros wa I. apply in_map_iff in I. destruct I as [wm [<- I]]. apply Rmult_le_pos; [apply U, I |].
      unfold density. destruct (everyone _); lra.
    - intros m. rewrite (mass_density _ u _ (D v V)), (mass_density _ u _ mean_blanket_of).
      apply Rmult_le_compat_r.
      + apply total_nonneg. intros wa I. apply Rmult_le_pos; [apply U, I | apply indicator_bounds].
      + specialize (everyone_supported m). unfold density. destruct (everyone m).
        * rewrite (everyone_supported eq_refl v V). apply Rle_refl.
        * destruct (supports v m); lra.
  Qed.

  (** The messages that count are those that u draws. *)
  Lemma blanket_greatest c :
    (0 < d)%nat ->
    (forall wm, In wm u -> everyone (snd wm) = false -> exists v, (v < d)%nat /\ supports v (snd wm) = false) ->
    (forall v, (v < d)%nat -> lies_below c (row v)) -> lies_below c (blanket_of u high low everyone).
  Proof.
    intros Hd Missing C. destruct row_scheme as [U [L D]]. split; [apply (C 0%nat), Hd |]. intros m.
    rewrite (mass_density _ u _ mean_blanket_of).
    assert (Row : forall v, (v < d)%nat -> mass c m <= density high low (supports v m) * mass u m).
    { intros v V. rewrite <- (mass_density _ u _ (D v V)). apply (C v V). }
    destruct (decide (exists w, In (w, m) u)) as [[w I] | No].
    - destruct (everyone m) eqn:Hm; simpl.
      + specialize (Row 0%nat Hd). rewrite (everyone_supported m Hm 0%nat Hd) in Row. exact Row.
      + destruct (Missing (w, m) I Hm) as [v [V F]]. simpl in F. specialize (Row v V). rewrite F in Row. exact Row.
    - assert (Z : mass u m = 0).
      { apply (mass_outside u (map snd u)); [intros wa; apply in_map |]. intros I.
        apply in_map_iff in I. destruct I as [[w m'] [E I]]. simpl in E. subst m'. apply No. exists w. exact I. }
      specialize (Row 0%nat Hd). rewrite Z in *. lra.
  Qed.

  Lemma blanket_classes n E x y pair :
    (x < d)%nat -> (y < d)%nat -> patterns u supports [x; y] pair ->
    reference_bound n (row x) (row y) E (blanket_of u high low everyone) =
    class_bound n E (blanket_list high low (mean u (indicator everyone)) pair).
  Proof.
    intros Hx Hy [W S]. destruct row_scheme as [U [L D]]. set (e := mean u (indicator everyone)).
    assert (Both : forall m, everyone m = true -> supports x m = true /\ supports y m = true) by (split; auto).
    set (kind := fun m => (everyone m, (supports x m, supports y m))).
    assert (Four : forall f, mean u (fun m => f (supports x m, supports y m)) =
      pair [true; true] * f (true, true) + pair [true; false] * f (true, false) +
      pair [false; true] * f (false, true) + pair [false; false] * f (false, false)).
    { intros f. set (g := fun bits => f (nth 0 bits false, nth 1 bits false)).
      change (mean u (fun m => g (map (fun v => supports v m) [x; y])) =
        pair [true; true] * g [true; true] + pair [true; false] * g [true; false] +
        pair [false; true] * g [false; true] + pair [false; false] * g [false; false]).
      rewrite (S g). simpl. ring. }
    rewrite (reference_bound_kinds (row x) (row y) _ u kind (fun k => density high low (fst (snd k)))
      (fun k => density high low (snd (snd k))) (fun k => density high low (fst k))
      [((false, (true, true)), pair [true; true] - e); ((false, (true, false)), pair [true; false]);
       ((false, (false, true)), pair [false; true]); ((false, (false, false)), pair [false; false]);
       ((true, (true, true)), e)] E).
    - unfold listed_classes, blanket_list. simpl. reflexivity.
    - intros f. rewrite D by exact Hx. reflexivity.
    - intros f. rewrite D by exact Hy. reflexivity.
    - apply mean_blanket_of.
    - intros kw [<- | [<- | [<- | [<- | [<- | []]]]]]; simpl; try apply W.
      + assert (T := Four (fun b => if fst b then if snd b then 1 else 0 else 0)). simpl in T.
        enough (e <= mean u (fun m => if supports x m then if supports y m then 1 else 0 else 0)) by lra. clear T.
        apply total_le. intros wm I. apply Rmult_le_compat_l; [apply U, I |]. unfold indicator. simpl.
        specialize (Both (snd wm)). destruct (everyone (snd wm)).
        * destruct (Both eq_refl) as [-> ->]. lra.
        * destruct (supports x (snd wm)), (supports y (snd wm)); lra.
      + apply total_nonneg. intros wm I. apply Rmult_le_pos; [apply U, I | apply indicator_bounds].
    - intros f. simpl.
      rewrite (mean_ext u _ (fun m => (fun b => f (false, b)) (supports x m, supports y m) +
        indicator everyone m * (f (true, (true, true)) - f (false, (true, true))))).
      + rewrite mean_plus, (Four (fun b => f (false, b))), mean_scal_r. fold (mean u (indicator everyone)) e. ring.
      + intros m. unfold kind, indicator. specialize (Both m). destruct (everyone m); [| ring].
        destruct (Both eq_refl) as [-> ->]. ring.
    - exact U.
  Qed.

End Supports.

(** What families.py says of a family: the rows are laws; the blanket c with its classes is the greatest reference
    below every row; the smaller one, without [everyone], has the classes without it; and the classes against the row
    of the first input, of the second one, and of a third one that is [related] to them. *)
Definition has_blanket {M} (row : nat -> dist M) (d : nat) (c : dist M) (high low everyone : R)
    (pair : list bool -> R) : Prop :=
  (forall v, (v < d)%nat -> proper (row v)) /\
  (forall v, (v < d)%nat -> lies_below c (row v)) /\
  (forall b, (forall v, (v < d)%nat -> lies_below b (row v)) -> lies_below b c) /\
  forall x y n E, (x < d)%nat -> (y < d)%nat -> x <> y ->
  reference_bound n (row x) (row y) E c = class_bound n E (blanket_list high low everyone pair).

Definition has_smaller_blanket {M} (row : nat -> dist M) (d : nat) (c : dist M) (high low : R) (pair : list bool -> R) :
    Prop :=
  (forall v, (v < d)%nat -> lies_below c (row v)) /\
  forall x y n E, (x < d)%nat -> (y < d)%nat -> x <> y ->
  reference_bound n (row x) (row y) E c = class_bound n E (blanket_list high low 0 pair).

Definition has_pair {M} (row : nat -> dist M) (d : nat) (high low : R) (pair : list bool -> R) : Prop :=
  forall x y n E, (x < d)%nat -> (y < d)%nat -> x <> y ->
  reference_bound n (row x) (row y) E (row x) = class_bound n E (others_list high low 0 2 pair) /\
  reference_bound n (row x) (row y) E (row y) = class_bound n E (others_list high low 1 2 pair).

Definition has_third {M} (row : nat -> dist M) (d : nat) (high low : R) (related : nat -> nat -> nat -> Prop)
    (third : list bool -> R) : Prop :=
  forall x y z n E, (x < d)%nat -> (y < d)%nat -> (z < d)%nat -> x <> y -> z <> x -> z <> y -> related x y z ->
  reference_bound n (row x) (row y) E (row z) = class_bound n E (others_list high low 2 3 third).

Section Family.

  Context {M : Type} (row : nat -> dist M) (d : nat) (u : dist M) (supports : nat -> M -> bool) (high low : R).
  Hypothesis row_scheme : scheme row d u supports high low.
  Variable pair : list bool -> R.
  Hypothesis row_pair : forall x y, (x < d)%nat -> (y < d)%nat -> x <> y -> patterns u supports [x; y] pair.

  Lemma family_blanket everyone e :
    (0 < d)%nat -> (forall v, (v < d)%nat -> proper (row v)) ->
    (forall m, everyone m = true -> forall v, (v < d)%nat -> supports v m = true) ->
    (forall wm, In wm u -> everyone (snd wm) = false -> exists v, (v < d)%nat /\ supports v (snd wm) = false) ->
    mean u (indicator everyone) = e ->
    has_blanket row d (blanket_of u high low everyone) high low e pair.
  Proof.
    intros Hd Pr A M' <-. split; [exact Pr |]. split; [| split].
    - intros v. apply (blanket_lies_below row d u supports high low row_scheme everyone A).
    - intros b. apply (blanket_greatest row d u supports high low row_scheme everyone A b Hd M').
    - intros x y n E Hx Hy N. apply (blanket_classes row d u supports high low row_scheme everyone A); auto.
  Qed.

  Lemma family_smaller_blanket :
    has_smaller_blanket row d (blanket_of u high low (fun _ => false)) high low pair.
  Proof.
    assert (A : forall m : M, (fun _ => false) m = true -> forall v, (v < d)%nat -> supports v m = true)
      by discriminate.
    split.
    - intros v. apply (blanket_lies_below row d u supports high low row_scheme _ A).
    - intros x y n E Hx Hy N.
      rewrite (blanket_classes row d u supports high low row_scheme (fun _ => false) A n E x y pair Hx Hy) by auto.
      replace (mean u (indicator (fun _ => false))) with 0; [reflexivity |].
      unfold mean, indicator. rewrite (total_ext u _ (fun _ => 0)); [symmetry; apply total_zero | intros; ring].
  Qed.

  Lemma family_pair : has_pair row d high low pair.
  Proof.
    intros x y n E Hx Hy N. assert (I : forall v, In v [x; y] -> (v < d)%nat) by (intros v [<- | [<- | []]]; auto).
    split.
    - apply (others_classes row d u supports high low row_scheme n E x y 0 [] pair I); [simpl; lia | auto].
    - apply (others_classes row d u supports high low row_scheme n E x y 1 [] pair I); [simpl; lia | auto].
  Qed.

  Lemma family_third (related : nat -> nat -> nat -> Prop) third :
    (forall x y z, (x < d)%nat -> (y < d)%nat -> (z < d)%nat -> x <> y -> z <> x -> z <> y -> related x y z ->
     patterns u supports [x; y; z] third) ->
    has_third row d high low related third.
  Proof.
    intros T x y z n E Hx Hy Hz N1 N2 N3 Rel.
    apply (others_classes row d u supports high low row_scheme n E x y 2 [z] third); [| simpl; lia | auto].
    intros v [<- | [<- | [<- | []]]]; auto.
  Qed.

End Family.

(** ** Independent bits *)

Definition ones (bits : list bool) : nat := count_occ bool_dec bits true.

(** Bits that are 1 with this probability, and the masses times the scale. *)
Definition independent_bits (chance scale : R) (bits : list bool) : R :=
  scale * chance ^ ones bits * (1 - chance) ^ (length bits - ones bits).

Lemma ones_at_most bits : (ones bits <= length bits)%nat.
Proof. apply count_occ_bound. Qed.

Lemma independent_bits_cons chance scale b bits :
  independent_bits chance scale (b :: bits) = (if b then chance else 1 - chance) * independent_bits chance scale bits.
Proof.
  assert (O := ones_at_most bits). unfold independent_bits, ones in *. destruct b.
  - simpl. ring.
  - change (count_occ bool_dec (false :: bits) true) with (count_occ bool_dec bits true). cbn [length].
    rewrite Nat.sub_succ_l by exact O. simpl pow. ring.
Qed.

Lemma length_bit_patterns l bits : In bits (bit_patterns l) -> length bits = l.
Proof.
  revert bits. induction l as [| l IH]; simpl; intros bits; [intros [<- | []]; reflexivity |].
  intros I. apply in_app_or in I. destruct I as [I | I]; apply in_map_iff in I; destruct I as [rest [<- I]];
    simpl; rewrite (IH rest I); reflexivity.
Qed.

(** If the bit of an input is 1 with this probability whatever the bits of others are, the bits are independent. *)
Lemma independent_patterns {M} (u : dist M) supports chance scale inputs :
  0 <= chance <= 1 -> 0 <= scale -> mean u (fun _ => 1) = scale ->
  (forall v rest f, incl (v :: rest) inputs -> ~ In v rest ->
   mean u (fun m => f (supports v m) (map (fun w => supports w m) rest)) =
   mean u (fun m => chance * f true (map (fun w => supports w m) rest) +
                    (1 - chance) * f false (map (fun w => supports w m) rest))) ->
  NoDup inputs -> patterns u supports inputs (independent_bits chance scale).
Proof.
  intros C S T Step N. split.
  - intros bits. unfold independent_bits. apply Rmult_le_pos; [apply Rmult_le_pos |]; try apply pow_le; lra.
  - assert (Sub : incl inputs inputs) by (intros v I; exact I). revert Sub N. generalize inputs at 1 3 4 5 as vs.
    induction vs as [| v rest IH]; intros Sub N f.
    + simpl. unfold independent_bits, ones. simpl.
      rewrite (mean_ext u _ (fun _ => f [] * 1)) by (intros; ring). rewrite mean_scal, T. ring.
    + inversion N as [| ? ? V N']; subst. simpl.
      rewrite (Step v rest (fun b bits => f (b :: bits)) Sub V).
      rewrite mean_plus, !mean_scal, total_app, !total_map.
      assert (Sub' : incl rest inputs) by (intros w I; apply Sub; right; exact I).
      rewrite (IH Sub' N' (fun bits => f (true :: bits))), (IH Sub' N' (fun bits => f (false :: bits))).
      rewrite <- !total_scal. f_equal; apply total_ext; intros bits _; rewrite independent_bits_cons; ring.
Qed.
