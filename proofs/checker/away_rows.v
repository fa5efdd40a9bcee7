(** Rows of users who may be away: what they send with a probability, and else something apart.

    [tells_mixed]: if classes tell the laws P and Q against D, then these times q, with one more class for what is sent
    by who is away, tell them of users who take part with probability q.

    Source: docs/soundness.md, "Who is away adds a message, a dummy or a name on a list". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws hockey_stick events independence privacy mean_excess hidden_message classes least_values absent_users.
From Exactdp Require Import generic_blanket supports.
From ExactdpChecker Require Import blanket_program matrix_blanket family_blanket family_rows.
From ExactdpChecker Require Import opaque_rationals.
Import ListNotations.
Open Scope R_scope.

Lemma uncovered_over {A} (P Q : dist A) E c l : NoDup l ->
  (forall a, ~ In a l -> mass P a = 0 /\ mass Q a = 0) ->
  uncovered P Q E c = total l (fun a => if Req_EM_T (mass c a) 0 then Rmax 0 (mass P a - E * mass Q a) else 0).
Proof.
  intros N Out. unfold uncovered. destruct (outcomes_cover P Q) as [CP CQ].
  set (f := fun a => if Req_EM_T (mass c a) 0 then _ else _).
  set (both := nodup same (outcomes P Q ++ l)). assert (Nb : NoDup both) by apply NoDup_nodup.
  assert (Zero : forall a, mass P a = 0 /\ mass Q a = 0 -> f a = 0).
  { intros a [A1 A2]. unfold f. destruct (Req_EM_T _ 0); [| reflexivity]. rewrite A1, A2. apply Rmax_left. lra. }
  transitivity (total both f); [symmetry |]; apply total_longer; try assumption; try apply outcomes_NoDup.
  - intros a I. apply nodup_In, in_or_app. left. exact I.
  - intros a I. apply Zero. split; [apply (mass_outside P _ a CP I) | apply (mass_outside Q _ a CQ I)].
  - intros a I. apply nodup_In, in_or_app. right. exact I.
  - intros a I. apply Zero, Out, I.
Qed.

Lemma NoDup_app_one {A} (l : list A) a : NoDup l -> ~ In a l -> NoDup (l ++ [a]).
Proof.
  intros N I. apply (Permutation.Permutation_NoDup (Permutation.Permutation_cons_append l a)). constructor; assumption.
Qed.

Lemma NoDup_first {A} (l m : list A) : NoDup (l ++ m) -> NoDup l.
Proof.
  induction l as [| a l IH]; simpl; intros N; [constructor |]. inversion N as [| ? ? I Nl]. subst.
  constructor; [intros J; apply I, in_or_app; left; exact J | apply IH, Nl].
Qed.

Lemma mass_same_law {A} (P P' : dist A) a : same_law P P' -> mass P a = mass P' a.
Proof. intros H. apply H. Qed.

Lemma tells_same_law {A} (P P' Q Q' D D' : dist A) classes :
  same_law P P' -> same_law Q Q' -> same_law D D' -> tells P Q D classes -> tells P' Q' D' classes.
Proof.
  intros HP HQ HD T E. destruct (T E) as [V U]. split.
  - intros f. rewrite <- V, !mean_values_against, !HD. f_equal. apply mean_ext. intros a. unfold value_against.
    rewrite (mass_same_law P P' a HP), (mass_same_law Q Q' a HQ), (mass_same_law D D' a HD). reflexivity.
  - rewrite <- U. destruct (outcomes_cover P Q) as [CP CQ].
    rewrite (uncovered_over P' Q' E D' (outcomes P Q) (outcomes_NoDup P Q)).
    + unfold uncovered. apply total_ext. intros a _.
      rewrite (mass_same_law P P' a HP), (mass_same_law Q Q' a HQ), (mass_same_law D D' a HD). reflexivity.
    + intros a I. rewrite <- (mass_same_law P P' a HP), <- (mass_same_law Q Q' a HQ).
      split; [apply (mass_outside P _ a CP I) | apply (mass_outside Q _ a CQ I)].
Qed.

Definition scaled_class (q : R) (k : class) : class := (q * first_mass k, q * second_mass k, q * reference_mass k).

Lemma mean_class_values E classes f : mean (class_values E classes) f =
  (1 - total classes reference_mass) * f 0 +
  total classes (fun k => reference_mass k * f ((first_mass k - E * second_mass k) / reference_mass k)).
Proof. unfold class_values, mean. cbn [total fst snd]. rewrite total_map. reflexivity. Qed.

Section mixed.

Context {A B : Type} (inj : A -> B) (nothing : B) (q : R).
Hypothesis injective : forall a b, inj a = inj b -> a = b.
Hypothesis apart : forall a, inj a <> nothing.
Hypothesis often : 0 < q.

(** With probability q what d draws, and nothing with this weight. *)
Definition mixes (d' : dist B) (d : dist A) (w : R) : Prop :=
  forall f, mean d' f = q * mean d (fun a => f (inj a)) + w * f nothing.

Lemma mixed_mass d' d w a : mixes d' d w -> mass d' (inj a) = q * mass d a.
Proof.
  intros H. unfold mass, Pr. rewrite H. unfold indicator at 2. destruct (same nothing (inj a)) as [Z |].
  - destruct (apart a). congruence.
  - rewrite Rmult_0_r, Rplus_0_r. f_equal. apply mean_ext. intros b. unfold indicator.
    destruct (same (inj b) (inj a)) as [Z | Z], (same b a) as [Y | Y]; try reflexivity.
    + destruct Y. apply injective, Z.
    + destruct Z. congruence.
Qed.

Lemma mixed_nothing d' d w : mixes d' d w -> mass d' nothing = w.
Proof.
  intros H. unfold mass, Pr. rewrite H. unfold indicator at 2. destruct (same nothing nothing); [| congruence].
  rewrite (mean_ext _ _ (fun _ => 0 * 0)), mean_scal; [ring |]. intros b. unfold indicator.
  destruct (same (inj b) nothing) as [Z |]; [destruct (apart b Z) | ring].
Qed.

Lemma mixed_outside d' d w b : mixes d' d w -> (forall a, inj a <> b) -> nothing <> b -> mass d' b = 0.
Proof.
  intros H N1 N2. unfold mass, Pr. rewrite H. unfold indicator at 2. destruct (same nothing b); [congruence |].
  rewrite (mean_ext _ _ (fun _ => 0 * 0)), mean_scal; [ring |]. intros a. unfold indicator.
  destruct (same (inj a) b) as [Z |]; [destruct (N1 a Z) | ring].
Qed.

Lemma tells_mixed P' Q' D' P Q D w d classes classes' :
  mixes P' P w -> mixes Q' Q w -> mixes D' D d -> tells P Q D classes ->
  (map real_class classes' = map (scaled_class q) (map real_class classes) ++ [(w, w, d)] /\ 0 < d \/
   map real_class classes' = map (scaled_class q) (map real_class classes) /\ w = 0 /\ d = 0) ->
  tells P' Q' D' classes'.
Proof.
  intros HP HQ HD T Cl E. destruct (T E) as [V U]. split.
  - intros f. rewrite mean_values_against, !HD. specialize (V f). rewrite mean_values_against in V.
    rewrite (mean_ext_mass D (fun a => f (value_against P' Q' E D' (inj a))) (fun a => f (value_against P Q E D a))).
    2: { intros a N. f_equal. unfold value_against. rewrite (mixed_mass P' P w a HP), (mixed_mass Q' Q w a HQ),
      (mixed_mass D' D d a HD). field. split; [exact N | lra]. }
    assert (Each : forall l, total (map (scaled_class q) l) (fun k => reference_mass k *
        f ((first_mass k - E * second_mass k) / reference_mass k)) =
      q * total l (fun k => reference_mass k * f ((first_mass k - E * second_mass k) / reference_mass k))).
    { intros l. rewrite total_map, <- total_scal. apply total_ext. intros [[a b] c] _.
      unfold scaled_class, first_mass, second_mass, reference_mass. cbn [fst snd].
      destruct (Req_dec c 0) as [-> | N]; [ring |]. rewrite Rmult_assoc. do 3 f_equal. field. split; [exact N | lra]. }
    assert (Sum : forall l, total (map (scaled_class q) l) reference_mass = q * total l reference_mass).
    { intros l. rewrite total_map, <- total_scal. apply total_ext. intros. reflexivity. }
    rewrite mean_class_values in *.
    set (X := total (map real_class classes) (fun k => reference_mass k * _)) in *.
    set (R0 := total (map real_class classes) reference_mass) in *.
    set (Y := mean D (fun a => f (value_against P Q E D a))) in *. set (W := mean D (fun _ => 1)) in *.
    destruct Cl as [[-> Pos] | [-> [-> ->]]].
    + rewrite !total_app, Each, Sum. fold X R0. cbn [total].
      unfold value_against. rewrite (mixed_nothing P' P w HP), (mixed_nothing Q' Q w HQ), (mixed_nothing D' D d HD).
      unfold reference_mass, first_mass, second_mass. cbn [fst snd].
      replace (q * Y) with (q * ((1 - R0) * f 0 + X - (1 - W) * f 0)) by (f_equal; lra). ring.
    + rewrite Each, Sum. fold X R0. replace (q * Y) with (q * ((1 - R0) * f 0 + X - (1 - W) * f 0)) by (f_equal; lra).
      ring.
  - set (l := outcomes P Q). destruct (outcomes_cover P Q) as [CP CQ].
    rewrite (uncovered_over P' Q' E D' (nothing :: map inj l)).
    2: { constructor; [intros I; apply in_map_iff in I; destruct I as [a [Z _]]; exact (apart a Z) |].
      apply FinFun.Injective_map_NoDup; [exact injective | apply outcomes_NoDup]. }
    2: { intros b I. destruct (decide (exists a, inj a = b)) as [[a <-] | N].
      - rewrite (mixed_mass P' P w a HP), (mixed_mass Q' Q w a HQ).
        assert (Ia : ~ In a l) by (intros Ia; apply I; right; apply in_map, Ia).
        rewrite (mass_outside P _ a CP Ia), (mass_outside Q _ a CQ Ia). split; ring.
      - split; [apply (mixed_outside P' P w b HP) | apply (mixed_outside Q' Q w b HQ)];
          try (intros a Z; apply N; exists a; exact Z); intros Z; apply I; left; exact Z. }
    cbn [total]. rewrite total_map, (mixed_nothing P' P w HP), (mixed_nothing Q' Q w HQ), (mixed_nothing D' D d HD).
    rewrite (total_ext l _ (fun a => q * (if Req_EM_T (mass D a) 0 then Rmax 0 (mass P a - E * mass Q a) else 0))).
    2: { intros a _. rewrite (mixed_mass P' P w a HP), (mixed_mass Q' Q w a HQ), (mixed_mass D' D d a HD).
      destruct (Req_EM_T (q * mass D a) 0) as [Z | Z], (Req_EM_T (mass D a) 0) as [Y | Y].
      - rewrite <- RmaxRmult by lra. f_equal; ring.
      - destruct (Rmult_integral _ _ Z); lra.
      - destruct Z. rewrite Y. ring.
      - ring. }
    rewrite total_scal. unfold uncovered in U. fold l in U. rewrite U.
    assert (Sc : class_uncovered E (map (scaled_class q) (map real_class classes)) =
      q * class_uncovered E (map real_class classes)).
    { unfold class_uncovered. rewrite total_map, <- total_scal. apply total_ext. intros [[a b] c] _.
      unfold scaled_class, first_mass, second_mass, reference_mass. cbn [fst snd].
      destruct (Req_EM_T (q * c) 0) as [Z | Z], (Req_EM_T c 0) as [Y | Y].
      - rewrite <- RmaxRmult by lra. f_equal; ring.
      - destruct (Rmult_integral _ _ Z); lra.
      - destruct Z. rewrite Y. ring.
      - ring. }
    destruct Cl as [[-> Pos] | [-> [-> ->]]].
    + assert (App : forall k m, class_uncovered E (k ++ m) = class_uncovered E k + class_uncovered E m)
        by (intros; apply total_app).
      rewrite App, Sc. unfold class_uncovered at 3. cbn [total]. unfold reference_mass. cbn [snd].
      destruct (Req_EM_T d 0); [lra |]. ring.
    + rewrite Sc. destruct (Req_EM_T 0 0); [| lra]. rewrite Rmult_0_r, Rminus_0_r, Rmax_left by lra. ring.
Qed.

End mixed.

(** ** Densities that kinds of messages tell *)

Lemma told_by_kinds {A T} (P Q D u : dist A) (kind : A -> T) (f g h : T -> R) (kinds : list (T * R)) classes :
  sub_law u ->
  (forall F, mean P F = mean u (fun a => f (kind a) * F a)) ->
  (forall F, mean Q F = mean u (fun a => g (kind a) * F a)) ->
  (forall F, mean D F = mean u (fun a => h (kind a) * F a)) ->
  (forall kw, In kw kinds -> 0 <= snd kw) ->
  (forall F, mean u (fun a => F (kind a)) = total kinds (fun kw => snd kw * F (fst kw))) ->
  map real_class classes = listed_classes f g h kinds ->
  tells P Q D classes /\ weight D = Q2R (sum_of (map under_reference classes)).
Proof.
  intros U HP HQ HD W K L. split.
  2: { unfold weight. rewrite HD, (mean_ext u _ (fun a => h (kind a))) by (intros; ring). rewrite K.
    rewrite Q2R_sum_of, total_map. transitivity (total (map real_class classes) reference_mass).
    - rewrite L. unfold listed_classes. rewrite total_map. reflexivity.
    - rewrite total_map. reflexivity. }
  intros E. rewrite L. split.
  - apply (values_same_law P Q D u kind f g h kinds E HP HQ HD K).
  - apply (uncovered_classes P Q D u kind f g h kinds E HP HQ HD W K U).
Qed.

(** ** The dummy is what a user with one input sends *)

Definition mixed_density (q : Q) (s : supported) (own dummy : bool) : Q := q * density_of s own + (1 - q) * density_of s dummy.

Section programs.

Variables (s : supported) (q : Q) (masses : nat -> list bool -> Q).

(** Inputs by their places in a list that begins with that of the dummy: two, and one that others hold. *)
Definition hidden_classes (length i j h : nat) : list rational_class :=
  map (fun bits => let density k := mixed_density q s (nth k bits false) (nth 0 bits false) in
    let m := masses length bits in reduced (m * density i, m * density j, m * density h)%Q) (bit_patterns length).

Definition hidden_blanket (length i j : nat) : list rational_class :=
  map (fun bits => let dummy := nth 0 bits false in
    let density k := mixed_density q s (nth k bits false) dummy in
    let m := (masses length bits - if forallb (fun b => b) bits then of_everyone s else 0)%Q in
    reduced (m * density i, m * density j, m * mixed_density q s false dummy)%Q) (bit_patterns length) ++
  [let e := (of_everyone s * mixed_density q s true true)%Q in reduced (e, e, e)].

Definition hidden_pairs (d : nat) : list input_pair :=
  map (fun ij => let length := S (Nat.max (fst ij) (snd ij)) in
    {| of_blanket := hidden_blanket length (fst ij) (snd ij);
       of_others := map (fun h => hidden_classes (Nat.max (S h) length) (fst ij) (snd ij) h)
         (seq 0 (Nat.min (S length) d)) |})
    ([(0, 1); (1, 0)]%nat ++ if (3 <=? d)%nat then [(1, 2)%nat] else []).

End programs.

Section by_input.

Context {A : Type} (row : nat -> dist A) (d : nat) (u : dist A) (supports : nat -> A -> bool) (s : supported).
Context (everyone : A -> bool) (q : Q) (z : nat) (masses : nat -> list bool -> Q).
Let high := Q2R (high_density s).
Let low := Q2R (low_density s).
Hypothesis row_scheme : scheme row d u supports high low.
Hypothesis rows_proper : forall v, (v < d)%nat -> proper (row v).
Hypothesis everyone_supported : forall m, everyone m = true -> forall v, (v < d)%nat -> supports v m = true.
Hypothesis everyone_mass : mean u (indicator everyone) = Q2R (of_everyone s).
Hypothesis some_inputs : (2 <= d)%nat.
Hypothesis dummy_input : (z < d)%nat.
Hypothesis often : 0 < Q2R q < 1.
Hypothesis listed_patterns : forall inputs, NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) ->
  (length inputs <= 4)%nat -> counts u supports inputs (masses (length inputs)).

Definition hidden_row (x : nat) : dist A := away (Q2R q) (row x) (row z).

Definition dense (own dummy : bool) : R := Q2R q * density high low own + (1 - Q2R q) * density high low dummy.

Lemma mixed_density_value own dummy : Q2R (mixed_density q s own dummy) = dense own dummy.
Proof.
  unfold mixed_density, dense. rewrite Q2R_plus, !Q2R_mult, Q2R_minus, Q2R_1. unfold high, low.
  destruct own, dummy; reflexivity.
Qed.

Lemma hidden_density x f : (x < d)%nat ->
  mean (hidden_row x) f = mean u (fun m => dense (supports x m) (supports z m) * f m).
Proof.
  intros X. destruct row_scheme as [_ [_ D]]. unfold hidden_row. rewrite mean_away, !D by assumption.
  rewrite <- !mean_scal, <- mean_plus. apply mean_ext. intros m. unfold dense. ring.
Qed.

Lemma kind_place inputs i m : (i < length inputs)%nat ->
  nth i (map (fun v => supports v m) inputs) false = supports (nth i inputs 0%nat) m.
Proof.
  intros H. rewrite (nth_indep _ false (supports 0%nat m)) by (rewrite map_length; exact H).
  apply (map_nth (fun v => supports v m)).
Qed.

Lemma hidden_told rest i j h : let inputs := z :: rest in
  NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) -> (length inputs <= 4)%nat ->
  (i < length inputs)%nat -> (j < length inputs)%nat -> (h < length inputs)%nat ->
  tells (hidden_row (nth i inputs 0%nat)) (hidden_row (nth j inputs 0%nat)) (hidden_row (nth h inputs 0%nat))
    (hidden_classes s q masses (length inputs) i j h).
Proof.
  intros inputs N I L Hi Hj Hh. destruct (listed_patterns inputs N I L) as [real [[W S] Same]].
  set (kind := fun m => map (fun v => supports v m) inputs).
  set (density := fun k bits => dense (nth k bits false) (nth 0 bits false)).
  assert (K : forall k, (k < length inputs)%nat -> forall F, mean (hidden_row (nth k inputs 0%nat)) F =
    mean u (fun m => density k (kind m) * F m)).
  { intros k Hk F. rewrite hidden_density by (apply I, nth_In, Hk). apply mean_ext. intros m. unfold density, kind.
    rewrite !kind_place by (exact Hk || simpl; lia). reflexivity. }
  refine (proj1 (told_by_kinds _ _ _ u kind (density i) (density j) (density h)
    (map (fun bits => (bits, real bits)) (bit_patterns (length inputs))) _ _ _ _ _ _ _ _)); auto.
  - apply row_scheme.
  - intros kw J. apply in_map_iff in J. destruct J as [bits [<- _]]. apply W.
  - intros F. rewrite total_map. apply S.
  - unfold hidden_classes, listed_classes. rewrite !map_map. apply map_ext_in. intros bits B.
    rewrite reduced_value. cbn [fst snd]. rewrite !Q2R_mult, !mixed_density_value, (Same bits (length_bit_patterns _ _ B)).
    reflexivity.
Qed.

Definition hidden_reference : dist A := away (Q2R q) (blanket_of u high low everyone) (row z).

Lemma hidden_lies_below v : (v < d)%nat -> lies_below hidden_reference (hidden_row v).
Proof.
  intros V. apply away_below; [lra | | apply rows_proper, dummy_input].
  apply (blanket_lies_below row d u supports high low row_scheme everyone everyone_supported), V.
Qed.

Lemma mass_of_ones (inputs : list nat) (f : bool -> list bool -> R) real :
  (forall v, In v inputs -> (v < d)%nat) -> patterns u supports inputs real ->
  mean u (fun m => f (everyone m) (map (fun v => supports v m) inputs)) =
  total (bit_patterns (length inputs)) (fun bits =>
    (real bits - if forallb (fun b => b) bits then mean u (indicator everyone) else 0) * f false bits) +
  mean u (indicator everyone) * f true (repeat true (length inputs)).
Proof.
  intros I [_ S].
  assert (Ones : forall m, everyone m = true -> map (fun v => supports v m) inputs = repeat true (length inputs)).
  { intros m Hm. clear S. induction inputs as [| v rest IH]; [reflexivity |]. simpl.
    rewrite (everyone_supported m Hm v) by (apply I; left; reflexivity). f_equal. apply IH. intros w J. apply I. right.
    exact J. }
  set (ones := repeat true (length inputs)) in *. set (e := mean u (indicator everyone)).
  rewrite (mean_ext u _ (fun m => (fun bits => f false bits) (map (fun v => supports v m) inputs) +
    indicator everyone m * (f true ones - f false ones))).
  2: { intros m. unfold indicator. destruct (everyone m) eqn:Hm; [| ring]. rewrite (Ones m Hm). ring. }
  rewrite mean_plus, (S (fun bits => f false bits)), mean_scal_r. fold e.
  rewrite (total_ext (bit_patterns (length inputs)) (fun bits => (real bits - _) * _)
    (fun bits => real bits * f false bits + (- e * f false ones) * (if forallb (fun b => b) bits then 1 else 0))).
  2: { intros bits B. destruct (forallb _ bits) eqn:H; [| ring]. replace bits with ones; [ring |].
    unfold ones. rewrite <- (length_bit_patterns _ _ B). clear -H. induction bits as [| b bits IH]; [reflexivity |].
    simpl in *. apply andb_true_iff in H. destruct H as [-> H]. rewrite IH by exact H. reflexivity. }
  rewrite total_plus, total_scal.
  replace (total (bit_patterns (length inputs)) (fun bits => if forallb (fun b => b) bits then 1 else 0)) with 1; [ring |].
  clear. induction (length inputs) as [| n IH]; simpl; [ring |]. rewrite total_app, !total_map. simpl. rewrite <- IH.
  rewrite total_zero. ring.
Qed.

Lemma everyone_at_most inputs real : (forall v, In v inputs -> (v < d)%nat) -> patterns u supports inputs real ->
  mean u (indicator everyone) <= real (repeat true (length inputs)).
Proof.
  intros I [_ S]. destruct row_scheme as [U _].
  assert (T := S (fun bits => if forallb (fun b => b) bits then 1 else 0)). cbv beta in T.
  replace (real (repeat true (length inputs))) with
    (total (bit_patterns (length inputs)) (fun bits => real bits * (if forallb (fun b => b) bits then 1 else 0))).
  - rewrite <- T. apply mean_le_sub_law; [exact U |]. intros m. unfold indicator. destruct (everyone m) eqn:Hm.
    + replace (forallb _ _) with true; [lra |]. symmetry. apply forallb_forall. intros b J. apply in_map_iff in J.
      destruct J as [v [<- J]]. apply everyone_supported; [exact Hm | apply I, J].
    + destruct (forallb _ _); lra.
  - clear. generalize real. induction (length inputs) as [| n IH]; intros r; simpl; [ring |].
    rewrite total_app, !total_map. simpl. rewrite (IH (fun bits => r (true :: bits))).
    rewrite (total_ext _ _ (fun _ => 0)), total_zero by (intros; ring). ring.
Qed.

Lemma hidden_blanket_told rest i j : let inputs := z :: rest in
  NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) -> (length inputs <= 4)%nat ->
  (i < length inputs)%nat -> (j < length inputs)%nat ->
  tells (hidden_row (nth i inputs 0%nat)) (hidden_row (nth j inputs 0%nat)) hidden_reference
    (hidden_blanket s q masses (length inputs) i j) /\
  weight hidden_reference = Q2R (sum_of (map under_reference (hidden_blanket s q masses (length inputs) i j))).
Proof.
  intros inputs N I L Hi Hj. destruct (listed_patterns inputs N I L) as [real [Pat Same]].
  set (kind := fun m => (everyone m, map (fun v => supports v m) inputs)).
  set (density := fun k (eb : bool * list bool) => dense (nth k (snd eb) false) (nth 0 (snd eb) false)).
  set (below := fun eb : bool * list bool => dense (fst eb) (nth 0 (snd eb) false)).
  set (e := mean u (indicator everyone)).
  assert (K : forall k, (k < length inputs)%nat -> forall F, mean (hidden_row (nth k inputs 0%nat)) F =
    mean u (fun m => density k (kind m) * F m)).
  { intros k Hk F. rewrite hidden_density by (apply I, nth_In, Hk). apply mean_ext. intros m. unfold density, kind.
    cbn [snd]. rewrite !kind_place by (exact Hk || simpl; lia). reflexivity. }
  apply (told_by_kinds _ _ _ u kind (density i) (density j) below
    (map (fun bits => ((false, bits), real bits - if forallb (fun b => b) bits then e else 0)) (bit_patterns (length inputs)) ++
      [((true, repeat true (length inputs)), e)])); auto.
  - apply row_scheme.
  - intros F. unfold hidden_reference. destruct row_scheme as [_ [_ D]].
    rewrite mean_away, D, mean_blanket_of by exact dummy_input. rewrite <- !mean_scal, <- mean_plus. apply mean_ext.
    intros m. unfold below, kind, dense. cbn [fst snd].
    change (nth 0 (map (fun v => supports v m) inputs) false) with (supports z m). ring.
  - intros kw J. apply in_app_or in J. destruct J as [J | [<- | []]].
    + apply in_map_iff in J. destruct J as [bits [<- B]]. cbn [snd]. assert (X := everyone_at_most inputs real I Pat). fold e in X.
      destruct Pat as [W _]. destruct (forallb _ bits) eqn:H; [| specialize (W bits); lra].
      replace bits with (repeat true (length inputs)); [lra |].
      rewrite <- (length_bit_patterns _ _ B). clear -H. induction bits as [| b bits IH]; [reflexivity |].
      simpl in *. apply andb_true_iff in H. destruct H as [-> H]. rewrite IH by exact H. reflexivity.
    + cbn [snd]. apply total_nonneg. intros wm J. destruct row_scheme as [U _].
      apply Rmult_le_pos; [apply U, J | apply indicator_bounds].
  - intros F. unfold kind. rewrite (mass_of_ones inputs (fun e bits => F (e, bits)) real I Pat).
    rewrite total_app, total_map. cbn [total fst snd]. fold e. ring.
  - unfold hidden_blanket, listed_classes. rewrite !map_app, !map_map. f_equal.
    + apply map_ext_in. intros bits B. rewrite reduced_value. cbn [fst snd].
      rewrite !Q2R_mult, !mixed_density_value, Q2R_minus, (Same bits (length_bit_patterns _ _ B)).
      replace (Q2R (if forallb (fun b => b) bits then of_everyone s else 0)) with
        (if forallb (fun b => b) bits then e else 0) by (destruct (forallb _ bits); [exact everyone_mass | symmetry; apply Q2R_0]).
      reflexivity.
    + cbn [map]. cbv zeta. rewrite reduced_value. cbn [fst snd]. rewrite Q2R_mult, mixed_density_value, <- everyone_mass.
      assert (Nth : forall k n, (k < n)%nat -> nth k (repeat true n) false = true).
      { intros k n. revert k. induction n as [| n IH]; intros k H; [lia |]. destruct k; [reflexivity |]. simpl. apply IH. lia. }
      unfold density, below. cbn [fst snd]. rewrite !Nth by (assumption || simpl; lia). reflexivity.
Qed.

Definition all_inputs_attained (pairs : list input_pair) (R : nat -> dist A) : Prop :=
  forall pair, In pair pairs -> others_attained R d pair.

Lemma in_hidden_pairs i j : In (i, j) ([(0, 1); (1, 0)]%nat ++ if (3 <=? d)%nat then [(1, 2)%nat] else []) <->
  (i = 0 /\ j = 1 \/ i = 1 /\ j = 0 \/ i = 1 /\ j = 2 /\ (3 <= d))%nat.
Proof.
  destruct (Nat.leb_spec 3 d); simpl; split; intros H0;
    repeat match goal with
    | K : _ \/ _ |- _ => destruct K as [K | K]
    | K : _ /\ _ |- _ => destruct K as [? K]
    | K : (_, _) = (_, _) |- _ => injection K as <- <-
    end; subst; auto; lia || contradiction || auto 10.
Qed.

Theorem hidden_pairs_right : pairs_right hidden_row d (hidden_pairs s q masses d).
Proof.
  split; [intros v V; apply proper_away; [lra | apply rows_proper, V | apply rows_proper, dummy_input] |].
  exists hidden_reference. split; [apply hidden_lies_below |].
  (* the places of two inputs and of a third one in a list *)
  assert (Placed : forall rest i j, let inputs := z :: rest in NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) ->
    length inputs = S (Nat.max i j) -> In (i, j) ([(0, 1); (1, 0)]%nat ++ if (3 <=? d)%nat then [(1, 2)%nat] else []) ->
    exists pair, In pair (hidden_pairs s q masses d) /\
      weight hidden_reference = Q2R (sum_of (map under_reference (of_blanket pair))) /\
      tells (hidden_row (nth i inputs 0%nat)) (hidden_row (nth j inputs 0%nat)) hidden_reference (of_blanket pair) /\
      forall v, (v < d)%nat -> exists classes, In classes (of_others pair) /\
        tells (hidden_row (nth i inputs 0%nat)) (hidden_row (nth j inputs 0%nat)) (hidden_row v) classes).
  { intros rest i j inputs N I L J. eexists. split.
    { apply (in_map (fun ij : nat * nat => let length := S (Nat.max (fst ij) (snd ij)) in _) _ _ J). }
    cbn [of_blanket of_others fst snd]. rewrite <- L. apply in_hidden_pairs in J.
    assert (L4 : (length inputs <= 3)%nat) by lia.
    destruct (hidden_blanket_told rest i j N I ltac:(fold inputs; lia) ltac:(fold inputs; lia) ltac:(fold inputs; lia))
      as [B W]. fold inputs in B, W. split; [exact W | split; [exact B |]].
    intros v V. destruct (in_dec Nat.eq_dec v inputs) as [Iv | Iv].
    - destruct (In_nth inputs v 0%nat Iv) as [h [Hh <-]]. exists (hidden_classes s q masses (length inputs) i j h).
      split.
      + replace (length inputs) with (Nat.max (S h) (length inputs)) at 1 by lia.
        apply (in_map (fun h => hidden_classes s q masses (Nat.max (S h) (length inputs)) i j h)). apply in_seq.
        assert (length inputs <= d)%nat; [| lia]. rewrite <- (seq_length d 0). apply NoDup_incl_length; [exact N |].
        intros w J'. apply in_seq. specialize (I w J'). lia.
      + apply hidden_told; fold inputs; assumption || lia.
    - set (longer := z :: (rest ++ [v])).
      assert (Ll : length longer = S (length inputs)) by (unfold longer, inputs; simpl; rewrite app_length; simpl; lia).
      assert (E : longer = inputs ++ [v]) by reflexivity.
      assert (Nl : NoDup longer) by (rewrite E; apply NoDup_app_one; assumption).
      assert (Il : forall w, In w longer -> (w < d)%nat).
      { intros w J'. rewrite E in J'. apply in_app_or in J'. destruct J' as [J' | [<- | []]]; [apply I, J' | exact V]. }
      exists (hidden_classes s q masses (length longer) i j (length inputs)). split.
      + replace (length longer) with (Nat.max (S (length inputs)) (length inputs)) by lia.
        apply (in_map (fun h => hidden_classes s q masses (Nat.max (S h) (length inputs)) i j h)). apply in_seq.
        assert (length longer <= d)%nat; [| lia]. rewrite <- (seq_length d 0). apply NoDup_incl_length; [exact Nl |].
        intros w J'. apply in_seq. specialize (Il w J'). lia.
      + assert (T := hidden_told (rest ++ [v]) i j (length inputs) Nl Il ltac:(fold longer; lia) ltac:(fold longer; lia)
          ltac:(fold longer; lia) ltac:(fold longer; lia)). cbv zeta in T. fold longer in T. rewrite E in T at 1 2 3.
        rewrite !app_nth1 in T by lia. rewrite app_nth2, Nat.sub_diag in T by lia. exact T. }
  intros x y X Y. destruct (Nat.eq_dec x y) as [<- | Nxy]; [left; intros f; reflexivity | right].
  destruct (Nat.eq_dec x z) as [-> | Nx]; [| destruct (Nat.eq_dec y z) as [-> | Ny]].
  - apply (Placed [y] 0%nat 1%nat); [| | reflexivity | apply in_hidden_pairs; auto].
    + constructor; [intros [E | []]; congruence | constructor; [intros [] | constructor]].
    + intros v [<- | [<- | []]]; assumption.
  - apply (Placed [x] 1%nat 0%nat); [| | reflexivity | apply in_hidden_pairs; auto].
    + constructor; [intros [E | []]; congruence | constructor; [intros [] | constructor]].
    + intros v [<- | [<- | []]]; assumption.
  - apply (Placed [x; y] 1%nat 2%nat); [apply distinct_3; congruence | apply below_3; assumption | reflexivity |].
    apply in_hidden_pairs. right. right. split; [reflexivity | split; [reflexivity |]].
    change 3%nat with (length [z; x; y]). rewrite <- (seq_length d 0). apply NoDup_incl_length;
      [apply distinct_3; congruence |]. intros v J. apply in_seq. assert (V := below_3 d z x y dummy_input X Y v J). lia.
Qed.

Lemma some_inputs_beside n : (n <= d)%nat -> exists rest, NoDup (z :: rest) /\
  (forall v, In v (z :: rest) -> (v < d)%nat) /\ (n <= length (z :: rest))%nat.
Proof.
  intros N. exists (filter (fun v => negb (Nat.eqb v z)) (seq 0 d)). split; [| split].
  - constructor; [| apply NoDup_filter, seq_NoDup]. intros I. apply filter_In in I. destruct I as [_ I].
    rewrite Nat.eqb_refl in I. discriminate.
  - intros v [<- | I]; [exact dummy_input |]. apply filter_In in I. destruct I as [I _]. apply in_seq in I. lia.
  - apply Nat.le_trans with (length (seq 0 d)); [rewrite seq_length; exact N |].
    apply NoDup_incl_length; [apply seq_NoDup |]. intros v I. destruct (Nat.eq_dec v z) as [-> | Nz]; [left; reflexivity |].
    right. apply filter_In. split; [exact I |]. apply negb_true_iff, Nat.eqb_neq, Nz.
Qed.

Theorem hidden_pairs_attained : all_inputs_attained (hidden_pairs s q masses d) hidden_row.
Proof.
  intros pair I. apply in_map_iff in I. destruct I as [[i j] [<- J]]. apply in_hidden_pairs in J. intros classes K.
  cbn [of_others fst snd] in K. apply in_map_iff in K. destruct K as [h [<- H]]. apply in_seq in H.
  set (n := Nat.max (S h) (S (Nat.max i j))).
  destruct (some_inputs_beside n ltac:(lia)) as [rest [N [In_d L]]].
  set (inputs := z :: firstn (n - 1) rest).
  assert (Ln : length inputs = n) by (unfold inputs; simpl in *; rewrite firstn_length; lia).
  assert (Sub : incl inputs (z :: rest)).
  { intros v [<- | J']; [left; reflexivity | right]. rewrite <- (firstn_skipn (n - 1) rest). apply in_or_app. left. exact J'. }
  assert (Ni : NoDup inputs).
  { inversion N as [| ? ? Nz Nr]. subst. constructor; [intros J'; apply Nz |].
    - rewrite <- (firstn_skipn (n - 1) rest). apply in_or_app. left. exact J'.
    - rewrite <- (firstn_skipn (n - 1) rest) in Nr. apply (NoDup_first _ _ Nr). }
  exists (nth i inputs 0%nat), (nth j inputs 0%nat), (nth h inputs 0%nat).
  assert (Place : forall k, (k < n)%nat -> (nth k inputs 0%nat < d)%nat)
    by (intros k Hk; apply In_d, Sub, nth_In; lia).
  repeat (split; [apply Place; lia |]).
  assert (T := hidden_told (firstn (n - 1) rest) i j h Ni ltac:(intros v J'; apply In_d, Sub, J')
    ltac:(fold inputs; lia) ltac:(fold inputs; lia) ltac:(fold inputs; lia) ltac:(fold inputs; lia)).
  cbv zeta in T. fold inputs in T. rewrite Ln in T. exact T.
Qed.

End by_input.
