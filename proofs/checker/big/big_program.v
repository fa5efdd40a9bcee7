(** shift_dp of laws that are listed exactly, on numbers of machine words: programs, and that they answer as those on Z.

    The weights are [BigZ.t], trees of Coq's primitive integers of 63 bits, for which the kernel's virtual machine has
    the processor's arithmetic. [big_check_shift_exact] has the same steps as [check_shift_exact] of
    noise_privacy_program.v, and the same answer for every law, shift, level, delta, verdict and witness
    ([big_check_shift_exact_same]): so it is sound because that one is.

    Binomial laws and sums of two are listed here; other laws are listed on Z and their weights turned into BigZ.t.

    What primitive integers compute is stated by axioms of Coq's library (AXIOMS.expected of this folder), besides the
    four of the development. Idea: [BigZ.to_Z] commutes with every operation, so with every program.

    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith List Bool Lia.
From Bignums Require Import BigZ.
From ExactdpChecker Require Import claims witnesses kinds levels posed exact_program noise_privacy_program shift_sound.
Import ListNotations.
Open Scope Z_scope.

Notation big := BigZ.t.
Notation exact x := (BigZ.to_Z x).

(** ** Listings *)

Definition big_listing : Type := list (Z * big).

Definition small (l : big_listing) : listing := map (fun tx => (fst tx, exact (snd tx))) l.

Fixpoint big_ascends_from (k : Z) (l : big_listing) : bool :=
  match l with
  | [] => true
  | (t, x) :: rest => (k <? t) && BigZ.leb 0 x && big_ascends_from t rest
  end.

Definition big_ascends (l : big_listing) : bool :=
  match l with
  | [] => true
  | (t, x) :: rest => BigZ.leb 0 x && big_ascends_from t rest
  end.

Fixpoint big_align (j : Z) (l : big_listing) : big_listing -> list (big * big) -> list (big * big) :=
  fix go (m : big_listing) (seen : list (big * big)) :=
    match l, m with
    | [], [] => seen
    | [], (_, y) :: m' => go m' ((BigZ.zero, y) :: seen)
    | (_, x) :: l', [] => big_align j l' [] ((x, BigZ.zero) :: seen)
    | (t, x) :: l', (u, y) :: m' =>
        match t ?= u + j with
        | Lt => big_align j l' m ((x, BigZ.zero) :: seen)
        | Gt => go m' ((BigZ.zero, y) :: seen)
        | Eq => big_align j l' m' ((x, y) :: seen)
        end
    end.

Fixpoint big_add_moved (j : Z) (factor : big) (l : big_listing) : big_listing -> big_listing :=
  fix go (m : big_listing) :=
    match l, m with
    | _, [] => l
    | [], (u, y) :: m' => (u + j, BigZ.mul factor y) :: go m'
    | (t, x) :: l', (u, y) :: m' =>
        match t ?= u + j with
        | Lt => (t, x) :: big_add_moved j factor l' m
        | Gt => (u + j, BigZ.mul factor y) :: go m'
        | Eq => (t, BigZ.add x (BigZ.mul factor y)) :: big_add_moved j factor l' m'
        end
    end.

Fixpoint big_convolve_onto (l m sums : big_listing) : big_listing :=
  match l with
  | [] => sums
  | (t, x) :: rest => big_convolve_onto rest m (big_add_moved t x sums m)
  end.

Fixpoint big_binomial_from (left : nat) (n a b i : Z) (weight : big) : big_listing :=
  match left with
  | O => [(i, weight)]
  | S rest =>
      (i, weight) :: big_binomial_from rest n a b (i + 1)
        (BigZ.div (BigZ.mul weight (BigZ.of_Z ((n - i) * a))) (BigZ.of_Z ((i + 1) * b)))
  end.

Definition big_power (a n : Z) : big := BigZ.pow (BigZ.of_Z a) (BigZ.of_Z n).

Definition big_trials (n : Z) (p : Q) : big_listing :=
  let a := Qnum p in let b := Zpos (Qden p) - a in
  if b =? 0 then [(n, big_power a n)] else big_binomial_from (Z.to_nat n) n a b 0 (big_power b n).

(** ** Laws *)

Inductive big_law : Type :=
  | BigListed (l : big_listing) (total : big)
  | Short (law : exact_law).

Definition small_law (law : big_law) : exact_law :=
  match law with
  | BigListed l total => Listed (small l) (exact total)
  | Short law => law
  end.

Definition big_law_of (nu : noise) : option big_law :=
  match nu with
  | Binomial n (Rational p) => Some (BigListed (big_trials n p) (big_power (Zpos (Qden p)) n))
  | BinomialSum n1 (Rational p1) n2 (Rational p2) =>
      Some (BigListed (big_convolve_onto (big_trials n1 p1) (big_trials n2 p2) [])
        (BigZ.mul (big_power (Zpos (Qden p1)) n1) (big_power (Zpos (Qden p2)) n2)))
  | _ => option_map Short (law_of nu)
  end.

Definition big_exact_law_of (nu : noise) : option big_law :=
  if noise_is_posed nu then
    match big_law_of nu with
    | Some (BigListed l total) => if big_ascends l && BigZ.ltb 0 total then Some (BigListed l total) else None
    | Some (Short (Listed l total)) => if ascends l && (0 <? total) then Some (Short (Listed l total)) else None
    | other => other
    end
  else None.

Definition bigger (xy : Z * Z) : big * big := (BigZ.of_Z (fst xy), BigZ.of_Z (snd xy)).

Definition big_pairs_of (law : big_law) (j : Z) : list (big * big) * big :=
  match law with
  | BigListed l total => (big_align j l l [], total)
  | Short law => let (pairs, total) := pairs_of law j in (map bigger pairs, BigZ.of_Z total)
  end.

(** ** Sums over pairs *)

Fixpoint big_sum_pairs (f : big -> big -> big) (l : list (big * big)) (sum : big) : big :=
  match l with
  | [] => sum
  | (x, y) :: rest => big_sum_pairs f rest (BigZ.add sum (f x y))
  end.

Definition big_excess (a b x y : big) : big := BigZ.max 0 (BigZ.sub (BigZ.mul b x) (BigZ.mul a y)).
Definition big_at_or_above (a b x y : big) : big := if BigZ.leb (BigZ.mul a y) (BigZ.mul b x) then y else 0%bigZ.
Definition big_in_order (forward : bool) (f : big -> big -> big) (x y : big) : big := if forward then f x y else f y x.

Definition big_divergence (pairs : list (big * big)) (forward : bool) (a b : Z) : big :=
  big_sum_pairs (big_in_order forward (big_excess (BigZ.of_Z a) (BigZ.of_Z b))) pairs 0.

Definition big_compare (pairs : list (big * big)) (total : big) (forward : bool) (a b : Z) (delta : Q) : comparison :=
  BigZ.compare (BigZ.mul (big_divergence pairs forward a b) (BigZ.of_Z (Zpos (Qden delta))))
    (BigZ.mul (BigZ.of_Z (Qnum delta)) (BigZ.mul (BigZ.of_Z b) total)).

Definition big_compare_divergence (law : big_law) (j : Z) (forward : bool) (a b : Z) (delta : Q) : comparison :=
  let (pairs, total) := big_pairs_of law j in big_compare pairs total forward a b delta.

Definition big_private_at (law : big_law) (most a b : Z) (delta : Q) : bool :=
  all_shifts most (fun j =>
    let (pairs, total) := big_pairs_of law j in
    is_at_most (big_compare pairs total true a b delta) && is_at_most (big_compare pairs total false a b delta)).

Definition big_is_shown (law : big_law) (j : Z) (forward : bool) (a b : Z) : bool :=
  BigZ.ltb 0 (big_sum_pairs (big_in_order forward (big_at_or_above (BigZ.of_Z a) (BigZ.of_Z b)))
    (fst (big_pairs_of law j)) 0).

Definition big_attained (law : big_law) (j : Z) (forward : bool) (a b : Z) (delta : Q) (w : least) : bool :=
  is_equal (big_compare_divergence law j forward a b delta) &&
  match w with
  | LeastExpEps => big_is_shown law j forward a b
  | _ => true
  end.

Definition with_big_law (nu : noise) (f : big_law -> bool) : bool :=
  match big_exact_law_of nu with
  | Some law => f law
  | None => false
  end.

(** ** The check *)

Definition big_check_shift_exact (nu : noise) (shift : Z) (l : level) (delta : Q) (w : least) (proved : bool)
    (shown : witness) : bool :=
  level_is_posed l delta && (1 <=? shift)%Z && least_fits l w &&
  match proved, shown with
  | true, Simple p =>
      fits l p && negb (has_smaller l delta w) && with_big_law nu (fun law =>
        at_ratio (ratio_below l p) (fun a b => big_private_at law shift a b delta))
  | true, ShiftOrder j forward p =>
      fits l p && has_smaller l delta w && ((1 <=? j) && (j <=? shift))%Z && with_big_law nu (fun law =>
        at_ratio (ratio_below l p) (fun a b =>
          big_private_at law shift a b delta && big_attained law j forward a b delta w))
  | false, ShiftOrder j forward p =>
      fits l p && ((1 <=? j) && (j <=? shift))%Z && with_big_law nu (fun law =>
        at_ratio (ratio_above l p) (fun a b => negb (is_at_most (big_compare_divergence law j forward a b delta))))
  | false, Smaller q =>
      match w, l with
      | LeastDelta, ExpEps E =>
          at_most 0 q && less q delta &&
          with_big_law nu (fun law => big_private_at law shift (Qnum E) (Zpos (Qden E)) q)
      | LeastExpEps, ExpEps E =>
          at_most 1 q && less q E &&
          with_big_law nu (fun law => big_private_at law shift (Qnum q) (Zpos (Qden q)) delta)
      | _, _ => false
      end
  | _, _ => false
  end.

(** ** The same answers *)

Lemma exact_zero : exact 0%bigZ = 0.
Proof. reflexivity. Qed.

Lemma small_ascends_from l : forall k, big_ascends_from k l = ascends_from k (small l).
Proof.
  induction l as [| [t x] l IH]; intros k; [reflexivity |]. cbn [big_ascends_from small map ascends_from fst snd].
  rewrite BigZ.spec_leb, exact_zero, IH. reflexivity.
Qed.

Lemma small_ascends l : big_ascends l = ascends (small l).
Proof.
  destruct l as [| [t x] l]; [reflexivity |]. cbn [big_ascends small map ascends fst snd].
  rewrite BigZ.spec_leb, exact_zero, small_ascends_from. reflexivity.
Qed.

Definition small_pairs (l : list (big * big)) : list (Z * Z) := map (fun xy => (exact (fst xy), exact (snd xy))) l.

Lemma small_align j l : forall m seen,
  small_pairs (big_align j l m seen) = align j (small l) (small m) (small_pairs seen).
Proof.
  induction l as [| [t x] l IH]; intros m; induction m as [| [u y] m IHm]; intros seen; cbn [small map fst snd].
  - reflexivity.
  - cbn [big_align align]. rewrite IHm. reflexivity.
  - cbn [big_align align]. rewrite IH. reflexivity.
  - cbn [big_align align]. destruct (t ?= u + j); [rewrite IH | rewrite IH | rewrite IHm]; reflexivity.
Qed.

Lemma small_cons t x l : small ((t, x) :: l) = (t, exact x) :: small l.
Proof. reflexivity. Qed.

Lemma small_add_moved j factor l : forall m,
  small (big_add_moved j factor l m) = add_moved j (exact factor) (small l) (small m).
Proof.
  induction l as [| [t x] l IH]; intros m; induction m as [| [u y] m IHm]; try reflexivity; rewrite ?small_cons.
  - change (small []) with (@nil (Z * Z)) in *. cbn [big_add_moved add_moved]. rewrite small_cons, BigZ.spec_mul.
    f_equal. exact IHm.
  - cbn [big_add_moved add_moved]. destruct (t ?= u + j); rewrite small_cons, ?BigZ.spec_add, ?BigZ.spec_mul; f_equal.
    + apply IH.
    + rewrite (IH ((u, y) :: m)). reflexivity.
    + exact IHm.
Qed.

Lemma small_convolve_onto l m : forall sums,
  small (big_convolve_onto l m sums) = convolve_onto (small l) (small m) (small sums).
Proof.
  induction l as [| [t x] l IH]; intros sums; [reflexivity |]. cbn [big_convolve_onto small map convolve_onto fst snd].
  rewrite IH, small_add_moved. reflexivity.
Qed.

Lemma small_binomial_from left n a b : forall i weight,
  small (big_binomial_from left n a b i weight) = binomial_from left n a b i (exact weight).
Proof.
  induction left as [| left IH]; intros i weight; [reflexivity |].
  cbn [big_binomial_from small map binomial_from fst snd].
  f_equal. fold (small (big_binomial_from left n a b (i + 1)
    (BigZ.div (BigZ.mul weight (BigZ.of_Z ((n - i) * a))) (BigZ.of_Z ((i + 1) * b))))).
  rewrite IH, BigZ.spec_div, BigZ.spec_mul, !BigZ.spec_of_Z. reflexivity.
Qed.

Lemma exact_power a n : exact (big_power a n) = a ^ n.
Proof. unfold big_power. rewrite BigZ.spec_pow, !BigZ.spec_of_Z. reflexivity. Qed.

Lemma small_trials n p : small (big_trials n p) = trials n p.
Proof.
  unfold big_trials, trials, binomial_listing. cbv zeta. destruct (_ =? 0); cbn [small map fst snd].
  - rewrite exact_power. reflexivity.
  - set (b := Zpos (Qden p) - Qnum p). fold (small (big_binomial_from (Z.to_nat n) n (Qnum p) b 0 (big_power b n))).
    rewrite small_binomial_from, exact_power. reflexivity.
Qed.

Lemma small_law_of nu : option_map small_law (big_law_of nu) = law_of nu.
Proof.
  assert (Other : forall o : option exact_law, option_map small_law (option_map Short o) = o)
    by (intros [law |]; reflexivity).
  destruct nu; try apply Other.
  - destruct p; try apply Other. cbn [big_law_of option_map small_law law_of].
    rewrite small_trials, exact_power. reflexivity.
  - destruct p1; try apply Other. destruct p2; try apply Other. cbn [big_law_of option_map small_law law_of].
    rewrite small_convolve_onto, !small_trials, BigZ.spec_mul, !exact_power. reflexivity.
Qed.

Lemma small_exact_law_of nu : option_map small_law (big_exact_law_of nu) = exact_law_of nu.
Proof.
  unfold big_exact_law_of, exact_law_of. destruct (noise_is_posed nu); [| reflexivity]. rewrite <- small_law_of.
  destruct (big_law_of nu) as [[l total | law] |]; cbn [option_map small_law]; [| | reflexivity].
  - rewrite small_ascends, BigZ.spec_ltb, exact_zero. destruct (_ && _); reflexivity.
  - destruct law as [l total | | |]; try reflexivity. destruct (_ && _); reflexivity.
Qed.

Lemma small_pairs_of law j :
  (small_pairs (fst (big_pairs_of law j)), exact (snd (big_pairs_of law j))) = pairs_of (small_law law) j.
Proof.
  destruct law as [l total | law]; cbn [big_pairs_of small_law].
  - cbn [fst snd pairs_of]. rewrite small_align. reflexivity.
  - destruct (pairs_of law j) as [pairs total]. cbn [fst snd]. rewrite BigZ.spec_of_Z. f_equal.
    unfold small_pairs. rewrite map_map. rewrite <- (map_id pairs) at 2. apply map_ext. intros [x y].
    unfold bigger. cbn [fst snd]. rewrite !BigZ.spec_of_Z. reflexivity.
Qed.

Lemma exact_sum_pairs f g l : (forall x y, exact (f x y) = g (exact x) (exact y)) -> forall sum,
  exact (big_sum_pairs f l sum) = sum_pairs g (small_pairs l) (exact sum).
Proof.
  intros E. induction l as [| [x y] l IH]; intros sum; [reflexivity |].
  cbn [big_sum_pairs small_pairs map sum_pairs fst snd]. fold (small_pairs l).
  rewrite IH, BigZ.spec_add, E. reflexivity.
Qed.

Lemma exact_in_order forward f g : (forall x y, exact (f x y) = g (exact x) (exact y)) ->
  forall x y, exact (big_in_order forward f x y) = in_order forward g (exact x) (exact y).
Proof. intros E x y. destruct forward; apply E. Qed.

Lemma compare_same pairs total forward a b delta : big_compare pairs total forward a b delta =
  (divergence (small_pairs pairs) forward a b * Zpos (Qden delta) ?= Qnum delta * (b * exact total)).
Proof.
  unfold big_compare. rewrite BigZ.spec_compare, !BigZ.spec_mul, !BigZ.spec_of_Z. do 2 f_equal.
  unfold big_divergence, divergence. apply (exact_sum_pairs _ _ pairs) with (sum := 0%bigZ).
  apply exact_in_order. intros x y. unfold big_excess, excess.
  rewrite BigZ.spec_max, BigZ.spec_sub, !BigZ.spec_mul, !BigZ.spec_of_Z. reflexivity.
Qed.

Lemma compare_divergence_same law j forward a b delta :
  big_compare_divergence law j forward a b delta = compare_divergence (small_law law) j forward a b delta.
Proof.
  unfold big_compare_divergence, compare_divergence. rewrite <- small_pairs_of.
  destruct (big_pairs_of law j) as [pairs total]. apply compare_same.
Qed.

Lemma private_at_same law most a b delta :
  big_private_at law most a b delta = private_at (small_law law) most a b delta.
Proof.
  unfold big_private_at, private_at, all_shifts. generalize (Z.to_nat most) 1%Z. intros count.
  induction count as [| count IH]; intros j; [reflexivity |]. cbn [all_from]. rewrite IH. f_equal.
  rewrite <- !compare_divergence_same. unfold big_compare_divergence. destruct (big_pairs_of law j). reflexivity.
Qed.

Lemma is_shown_same law j forward a b : big_is_shown law j forward a b = is_shown (small_law law) j forward a b.
Proof.
  unfold big_is_shown, is_shown. rewrite BigZ.spec_ltb, <- small_pairs_of. cbn [fst]. f_equal.
  apply (exact_sum_pairs _ _ (fst (big_pairs_of law j))) with (sum := 0%bigZ). apply exact_in_order. intros x y.
  unfold big_at_or_above, at_or_above. rewrite BigZ.spec_leb, !BigZ.spec_mul, !BigZ.spec_of_Z.
  destruct (_ <=? _); reflexivity.
Qed.

Lemma attained_same law j forward a b delta w :
  big_attained law j forward a b delta w = attained (small_law law) j forward a b delta w.
Proof.
  unfold big_attained, attained. rewrite compare_divergence_same. destruct w; try rewrite is_shown_same; reflexivity.
Qed.

Lemma with_law_same nu f g : (forall law, f law = g (small_law law)) -> with_big_law nu f = with_law nu g.
Proof.
  intros E. unfold with_big_law, with_law. rewrite <- small_exact_law_of.
  destruct (big_exact_law_of nu); [apply E | reflexivity].
Qed.

Lemma at_ratio_same r f g : (forall a b, f a b = g a b) -> at_ratio r f = at_ratio r g.
Proof. intros E. destruct r as [[a b] |]; [apply E | reflexivity]. Qed.

Theorem big_check_shift_exact_same nu shift l delta w proved shown :
  big_check_shift_exact nu shift l delta w proved shown = check_shift_exact nu shift l delta w proved shown.
Proof.
  unfold big_check_shift_exact, check_shift_exact. f_equal. destruct proved, shown; try reflexivity.
  - f_equal. apply with_law_same. intros law. apply at_ratio_same. intros. apply private_at_same.
  - f_equal. apply with_law_same. intros law. apply at_ratio_same. intros.
    rewrite private_at_same, attained_same. reflexivity.
  - destruct w, l; try reflexivity; f_equal; apply with_law_same; intros law; apply private_at_same.
  - f_equal. apply with_law_same. intros law. apply at_ratio_same. intros. rewrite compare_divergence_same. reflexivity.
Qed.

Theorem big_check_shift_exact_sound nu shift l delta w proved shown :
  big_check_shift_exact nu shift l delta w proved shown = true -> sound (ShiftDP nu shift l delta w) proved.
Proof. rewrite big_check_shift_exact_same. apply check_shift_exact_sound. Qed.
