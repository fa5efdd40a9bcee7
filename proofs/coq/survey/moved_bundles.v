(** Bundles of noise against themselves moved: the losses of all parts add up.

    Messages are integers. [seen parts g v] is the mean of g of the counts of all messages, if those of what is not
    noise are v: of the event T, for g = [at_counts T] ([bundles_seen]). A draw z from D [hides] a move by c at (e, delta): no
    event of z + c is more than e^e times as likely as that of z, but for delta.

    [moved_bundles]: for any parts with moves that are hidden at (e1, delta1), (e2, delta2), ..., and counts v: what is
    seen at v and the moved bundles is (e1 + e2 + ..., delta1 + delta2 + ...)-below what is seen at v.

    Idea: one part after the other; what the later ones lose is an event of the earlier ones' outcomes. A count below 0
    is the count of no list. Source: folklore (basic composition). *)

From Coq Require Import Reals List Arith ZArith Lra Lia FinFun Permutation FunctionalExtensionality.
From Exactdp Require Import reals sums laws privacy masses infinite_sums hockey_stick.
From Exactdp Require Import countable_programs noise_on_naturals negative_binomial_sums counting_programs.
From Exactdp Require Import bundled_noise zero_sum_multisets.
Import ListNotations.
Open Scope R_scope.

(** ** Events by counts *)

Definition at_counts (T : list Z -> bool) (v : Z -> Z) : R :=
  if decide (exists u, counts u = v /\ T u = true) then 1 else 0.

Lemma at_counts_unit T : unit_valued (at_counts T).
Proof. intros v. unfold at_counts. destruct (decide _); lra. Qed.

Lemma at_counts_of T u : symmetric T -> at_counts T (counts u) = indicator T u.
Proof.
  intros S. unfold at_counts, indicator. destruct (decide _) as [[w [E H]] | N], (T u) eqn:Tu; try reflexivity.
  - rewrite (S u w) in Tu by (apply counts_permutation; symmetry; exact E). congruence.
  - exfalso. apply N. exists u. auto.
Qed.

Fixpoint seen (parts : list (noise_part Z)) (g : (Z -> Z) -> R) (v : Z -> Z) : R :=
  match parts with
  | [] => g v
  | (D, m) :: rest => expectation D (fun z => seen rest g (fun i => v i + Z.of_nat z * counts m i)%Z)
  end.

Lemma seen_unit parts g v : part_laws parts -> unit_valued g -> 0 <= seen parts g v <= 1.
Proof.
  intros L U. revert v. induction L as [| [D m] rest L LR IH]; intros v; [apply U |].
  apply expectation_bounds; [exact L |]. intros z. apply IH.
Qed.

Lemma counts_times z m i : counts (times z m) i = (Z.of_nat z * counts m i)%Z.
Proof.
  induction z as [| z IH]; [reflexivity |]. change (times (S z) m) with (m ++ times z m).
  rewrite counts_app, IH. lia.
Qed.

Lemma bundles_seen parts T u : part_laws parts -> symmetric T ->
  expectation (bundles parts) (fun v => indicator T (u ++ v)) = seen parts (at_counts T) (counts u).
Proof.
  intros L S. revert u. induction L as [| [D m] rest L LR IH]; intros u.
  - simpl. rewrite expectation_point by apply indicator_bounds. rewrite app_nil_r. symmetry. apply at_counts_of, S.
  - rewrite bundles_cons; [| exact L | exact LR | intros v; apply indicator_bounds]. cbn [seen].
    apply expectation_ext; [exact L | intros z; apply bundles_unit; [exact LR | intros v; apply indicator_bounds] |].
    intros z. replace (fun i => (counts u i + Z.of_nat z * counts m i)%Z) with (counts (u ++ times z m)).
    + rewrite <- IH. apply expectation_ext; [apply bundles_law, LR | intros v; apply indicator_bounds |].
      intros v. rewrite app_assoc. reflexivity.
    + extensionality i. rewrite counts_app, counts_times. reflexivity.
Qed.

(** ** One part *)

Definition hides (D : nat -> R) (c : Z) (e delta : R) : Prop := forall f : Z -> R, unit_valued f ->
  expectation D (fun z => f (Z.of_nat z + c)%Z) <= exp e * expectation D (fun z => f (Z.of_nat z)) + delta.

Lemma hides_nonneg D c e delta : hides D c e delta -> 0 <= delta.
Proof.
  intros H. specialize (H (fun _ => 0) ltac:(intros z; lra)). cbv beta in H.
  assert (E : expectation D (fun _ : nat => 0) = 0).
  { apply expectation_is. apply sum_of_intro; [intros l _ | intros b Hb].
    - rewrite (total_ext l _ (fun _ => 0)), total_zero; [lra | intros; ring].
    - apply (Hb []), NoDup_nil. }
  rewrite E in H. lra.
Qed.

Lemma hides_nothing D : law D -> hides D 0 0 0.
Proof.
  intros L f U. rewrite exp_0, Rmult_1_l, Rplus_0_r. right. apply expectation_ext; [exact L | intros z; apply U |].
  intros z. f_equal. ring.
Qed.

Lemma moved_sum (f : nat -> R) (c : Z) s : sum_of f s -> sum_of (fun z => on_naturals f (z - c)) s.
Proof.
  intros H. apply sum_of_intro.
  - intros l N. destruct (total_on_naturals f c l N) as [m [Nm [_ E]]]. rewrite E. apply (sum_of_upper f s m H Nm).
  - intros b Hb. apply (sum_of_least f s b H). intros m Nm.
    specialize (Hb (map (fun t => (Z.of_nat t + c)%Z) m)
      ltac:(apply Injective_map_NoDup; [intros x y E; lia | exact Nm])).
    rewrite total_map in Hb. eapply Rle_trans; [| exact Hb]. right. apply total_ext. intros t _.
    replace (Z.of_nat t + c - c)%Z with (Z.of_nat t) by lia. symmetry. apply on_naturals_of_nat.
Qed.

Lemma moved_law D c : law D -> law (fun z => on_naturals D (z - c)).
Proof.
  intros L. apply law_sum_of in L. apply law_sum_of.
  split; [intros z; apply on_naturals_nonneg, L | apply moved_sum, L].
Qed.

Lemma moved_mean D c f : law D -> unit_valued f ->
  expectation (fun z => on_naturals D (z - c)) f = expectation D (fun t => f (Z.of_nat t + c)%Z).
Proof.
  intros L U. apply expectation_is.
  apply (sum_of_ext (fun z => on_naturals (fun t => D t * f (Z.of_nat t + c)%Z) (z - c))).
  - intros z. unfold on_naturals. destruct (Z.ltb_spec (z - c) 0) as [N | N]; [ring |]. do 2 f_equal. lia.
  - apply moved_sum. apply expectation_sum; [exact L | intros t; apply U].
Qed.

Lemma hides_masses D c e delta : law D ->
  mass_below (fun z => on_naturals D (z - c)) (fun z => on_naturals D (z - 0)) (exp e) delta -> hides D c e delta.
Proof.
  intros L B f U.
  assert (H := expectation_below _ _ (exp e) delta f (moved_law D c L) (moved_law D 0 L) (Rlt_le _ _ (exp_pos e)) B U).
  rewrite !moved_mean in H by assumption. eapply Rle_trans; [exact H |]. apply Rplus_le_compat_r. right. f_equal.
  apply expectation_ext; [exact L | intros z; apply U |]. intros z. f_equal. ring.
Qed.

(** A geometric law moved up. *)
Lemma hides_up D E k : law D -> 0 <= E -> (forall t, D t <= exp E * D (S t)) -> hides D (Z.of_nat k) (INR k * E) 0.
Proof.
  intros L HE Step f U. rewrite Rplus_0_r. revert f U. induction k as [| k IH]; intros f U.
  - simpl INR. rewrite Rmult_0_l, exp_0, Rmult_1_l. right. apply expectation_ext; [exact L | intros z; apply U |].
    intros z. f_equal. simpl. ring.
  - apply Rle_trans with (exp (INR k * E) * expectation D (fun z => f (Z.of_nat z + 1)%Z)).
    + eapply Rle_trans; [| apply (IH (fun z => f (z + 1)%Z)); intros z; apply U]. right.
      apply expectation_ext; [exact L | intros z; apply U |]. intros z. f_equal. lia.
    + rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, Rmult_assoc.
      apply Rmult_le_compat_l; [left; apply exp_pos |].
      rewrite (expectation_ext D L _ (fun t => f (Z.of_nat (S t)))) by
        ((intros z; apply U) || (intros z; f_equal; lia)).
      rewrite <- (expectation_after_1 D (fun t => f (Z.of_nat t))) by (exact L || (intros z; apply U)).
      apply expectation_compare;
        [apply law_after, L | exact L | intros z; apply U | intros z; apply U | left; apply exp_pos |].
      intros [| t]; unfold after; simpl (Nat.ltb _ _).
      * rewrite Rmult_0_l. apply Rmult_le_pos; [left; apply exp_pos | apply Rmult_le_pos; [apply L | apply U]].
      * simpl (S t - 1)%nat. rewrite Nat.sub_0_r, <- Rmult_assoc. apply Rmult_le_compat_r; [apply U | apply Step].
Qed.

(** ** All parts *)

Record moved := Moved { part : noise_part Z; by_so_many : Z; loss : R; lost : R }.

Definition is_hidden (one : moved) : Prop :=
  law (fst (part one)) /\ hides (fst (part one)) (by_so_many one) (loss one) (lost one).

(** The counts of all bundles that are moved. *)
Definition moves (l : list moved) (i : Z) : Z :=
  fold_right (fun one s => by_so_many one * counts (snd (part one)) i + s)%Z 0%Z l.

Lemma moves_app l k i : moves (l ++ k) i = (moves l i + moves k i)%Z.
Proof. unfold moves. induction l as [| one l IH]; cbn [app fold_right]; [ring | rewrite IH; ring]. Qed.

Lemma hidden_laws l : Forall is_hidden l -> part_laws (map part l).
Proof. induction 1 as [| one l [L _] _ IH]; constructor; assumption. Qed.

Lemma lost_nonneg l : Forall is_hidden l -> 0 <= total l lost.
Proof.
  induction 1 as [| one l [_ H] _ IH]; simpl; [lra |]. apply hides_nonneg in H. lra.
Qed.

Lemma expectation_within {A} (D : A -> R) f g delta : law D -> unit_valued f -> unit_valued g -> 0 <= delta ->
  (forall a, f a <= g a + delta) -> expectation D f <= expectation D g + delta.
Proof.
  intros L F G Pd H. apply (sum_of_least _ _ _ (expectation_sum D L f F)). intros l N.
  apply Rle_trans with (total l (fun a => D a * g a) + delta * total l D).
  - rewrite <- total_scal, <- total_plus. apply total_le. intros a _. assert (P := proj1 L a). specialize (H a).
    apply Rle_trans with (D a * (g a + delta)); [apply Rmult_le_compat_l; assumption | lra].
  - apply Rplus_le_compat; [apply (sum_of_upper _ _ l (expectation_sum D L g G) N) |].
    rewrite <- (Rmult_1_r delta) at 2. apply Rmult_le_compat_l; [exact Pd | apply law_finite; assumption].
Qed.

Theorem moved_bundles l g : Forall is_hidden l -> unit_valued g -> forall v,
  seen (map part l) g (fun i => v i + moves l i)%Z <=
    exp (total l loss) * seen (map part l) g v + total l lost.
Proof.
  intros H U. induction H as [| one l Ho Hl IH]; intros v.
  - cbn [map seen total moves fold_right]. rewrite exp_0, Rmult_1_l, Rplus_0_r. right. f_equal.
    extensionality i. apply Z.add_0_r.
  - assert (LP := hidden_laws l Hl). assert (Pd := lost_nonneg l Hl). destruct one as [[D m] c e delta].
    destruct Ho as [L Hide]. cbn [part by_so_many loss lost fst] in L, Hide. cbn [map seen total part loss lost].
    set (h := fun k : Z => seen (map part l) g (fun i => v i + k * counts m i)%Z).
    assert (Uh : unit_valued h) by (intros k; apply seen_unit; assumption).
    set (E := exp (total l loss)) in *. assert (PE : 0 < E) by apply exp_pos.
    set (phi := fun k => Rmin 1 (E * h k)).
    assert (Up : unit_valued phi).
    { intros k. specialize (Uh k). unfold phi. split; [| apply Rmin_l].
      apply Rmin_glb; [lra | apply Rmult_le_pos; lra]. }
    apply Rle_trans with (expectation D (fun z => phi (Z.of_nat z + c)%Z) + total l lost).
    + apply expectation_within; [exact L | intros z; apply seen_unit; assumption | intros z; apply Up | exact Pd |].
      intros z. replace (fun i => (v i + moves (Moved (D, m) c e delta :: l) i + Z.of_nat z * counts m i)%Z) with
        (fun i => (v i + (Z.of_nat z + c) * counts m i + moves l i)%Z).
      * assert (B := IH (fun i => (v i + (Z.of_nat z + c) * counts m i)%Z)). cbv beta in B.
        fold (h (Z.of_nat z + c)%Z) in B.
        assert (One := proj2 (seen_unit (map part l) g
          (fun i => (v i + (Z.of_nat z + c) * counts m i + moves l i)%Z) LP U)).
        unfold phi, Rmin. destruct (Rle_dec 1 (E * h (Z.of_nat z + c)%Z)); lra.
      * extensionality i. unfold moves at 2. cbn [fold_right part by_so_many snd]. fold (moves l i). ring.
    + eapply Rle_trans; [apply Rplus_le_compat_r, (Hide phi Up) |].
      assert (C : expectation D (fun z => phi (Z.of_nat z)) <= E * expectation D (fun z => h (Z.of_nat z))).
      { apply expectation_compare; [exact L | exact L | intros z; apply Up | intros z; apply Uh | lra |].
        intros z. apply Rle_trans with (D z * (E * h (Z.of_nat z))); [| right; ring].
        apply Rmult_le_compat_l; [apply L | apply Rmin_r]. }
      apply (Rmult_le_compat_l (exp e)) in C; [| left; apply exp_pos].
      rewrite exp_plus. fold E. change (fun z => seen (map part l) g (fun i => (v i + Z.of_nat z * counts m i)%Z)) with
        (fun z : nat => h (Z.of_nat z)). lra.
Qed.
