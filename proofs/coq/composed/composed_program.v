(** What the checker computes for a composition bounds it.

    Each entry of a list of runs has losses, the number k of times that it is run, and a mechanism. The
    checker multiplies the k-th powers of all losses ([all_losses]), starting with no loss, and takes the
    divergence of the result at E from above, in integers ([bound_above]): rho^-j and E are rounded down,
    and places j <= 0 are left out, as are places that are told to have rho^j = E. Proved, for E >= 1 and
    rho = a/b > 1: if the losses of each entry are at least a measure that dominates its mechanism, such
    as those of a curve (curve_program.v, [curve_run]), then whoever plays all runs adaptively
    (adaptive_composition.v) has a divergence at E of at most the number that is computed
    ([composed_private]), and of at most 1. With a number E <= e^eps that is privacy at eps
    (masses.mass_below_weaken).

    The methods Composed.prove and Losses.divergence of exactdp/checker/composed.py rest on it.
    Source: docs/certificates.md, "A privacy curve on a lattice composes". *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums masses fixed_point polynomials integer_polynomials.
From Exactdp Require Import loss_measures adaptive_composition losses_program lattice_losses curve_program.
Import ListNotations.
Open Scope R_scope.

Section program.

Variables (bits : nat) (a b : Z).
Hypothesis b_positive : (0 < b)%Z.
Hypothesis a_larger : (b < a)%Z.

Let rho := IZR a / IZR b.

(** ** The last sum *)

(** 2^fine rho^-j, from below. *)
Fixpoint inverse_down (fine : nat) (j : nat) : Z :=
  match j with
  | O => two fine
  | S i => (inverse_down fine i * b / a)%Z
  end.

(** [number] is 2^fine E, from below; [equal] tells for which places rho^j = E. *)
Definition excess_above (fine : nat) (number : Z) (equal : Z -> bool) (j : Z) : Z :=
  if (Z.leb 1 j && negb (equal j))%bool
  then Z.max 0 (two (2 * fine) - number * inverse_down fine (Z.to_nat j)) else 0%Z.

Fixpoint sum_above (excess : Z -> Z) (j : Z) (l : list Z) : Z :=
  match l with
  | [] => 0%Z
  | m :: rest => (m * excess j + sum_above excess (j + 1) rest)%Z
  end.

(** In units of 2^-(bits + 2 fine). *)
Definition bound_above (fine : nat) (number : Z) (equal : Z -> bool) (l : losses) : Z :=
  (at_infinity l * two (2 * fine) + sum_above (excess_above fine number equal) (low l) (masses l))%Z.

Lemma rho_positive : 1 < rho.
Proof. apply rho_above_1; assumption. Qed.

Lemma inverse_down_bound fine j : IZR (inverse_down fine j) <= 2 ^ fine * powerRZ rho (- Z.of_nat j).
Proof.
  assert (R1 := rho_positive). assert (B := IZR_lt _ _ b_positive). assert (A := IZR_lt _ _ a_larger).
  induction j as [| j IH]; [simpl; rewrite IZR_two; lra |].
  replace (- Z.of_nat (S j))%Z with (- Z.of_nat j + -1)%Z by lia. rewrite powerRZ_add by lra.
  simpl inverse_down. apply floor_div_below; [lia |]. rewrite mult_IZR.
  replace (powerRZ rho (-1)) with (IZR b / IZR a) by (unfold rho; simpl; rewrite Rmult_1_r; field; lra).
  replace (IZR (inverse_down fine j) * IZR b / IZR a)
    with (IZR (inverse_down fine j) * (IZR b / IZR a)) by (field; lra).
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; apply Rdiv_lt_0_compat; lra | exact IH].
Qed.

Lemma excess_above_bound fine number equal E j :
  1 <= E -> (0 <= number)%Z -> IZR number <= E * 2 ^ fine ->
  (forall j, equal j = true -> powerRZ rho j = E) ->
  2 ^ (2 * fine) * Rmax 0 (1 - E * powerRZ rho (- j)) <= IZR (excess_above fine number equal j).
Proof.
  intros HE HN HB Heq. assert (R1 := rho_positive). assert (P := pow_two_positive fine).
  assert (P2 := pow_two_positive (2 * fine)). unfold excess_above.
  destruct (Z.leb_spec 1 j) as [L | L]; simpl andb.
  - destruct (equal j) eqn:Eq; simpl negb.
    + rewrite <- (Heq j Eq), <- powerRZ_add by lra. replace (j + - j)%Z with 0%Z by lia. simpl powerRZ.
      rewrite Rmax_left by lra. lra.
    + replace (- j)%Z with (- Z.of_nat (Z.to_nat j))%Z by lia. set (n := Z.to_nat j).
      assert (I := inverse_down_bound fine n). assert (W : 0 < powerRZ rho (- Z.of_nat n))
        by (apply powerRZ_lt; lra).
      assert (M : IZR (number * inverse_down fine n) <= 2 ^ (2 * fine) * (E * powerRZ rho (- Z.of_nat n))).
      { rewrite mult_IZR. replace (2 * fine)%nat with (fine + fine)%nat by lia. rewrite pow_add.
        apply IZR_le in HN. apply Rle_trans with (IZR number * (2 ^ fine * powerRZ rho (- Z.of_nat n))).
        - apply Rmult_le_compat_l; assumption.
        - replace (2 ^ fine * 2 ^ fine * (E * powerRZ rho (- Z.of_nat n)))
            with (E * 2 ^ fine * (2 ^ fine * powerRZ rho (- Z.of_nat n))) by ring.
          apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | exact HB]. }
      rewrite <- RmaxRmult, Rmult_0_r by lra. apply Rmax_lub; [apply IZR_le; lia |].
      apply Rle_trans with (IZR (two (2 * fine) - number * inverse_down fine n)); [| apply IZR_le; lia].
      rewrite minus_IZR, IZR_two. lra.
  - rewrite Rmax_left; [lra |]. assert (1 <= powerRZ rho (- j)).
    { replace (- j)%Z with (Z.of_nat (Z.to_nat (- j))) by lia. rewrite <- pow_powerRZ.
      apply pow_R1_Rle. lra. }
    assert (1 * 1 <= E * powerRZ rho (- j)) by (apply Rmult_le_compat; lra). lra.
Qed.

Lemma sum_above_bound excess c l j (f : Z -> R) :
  Forall (fun m => (0 <= m)%Z) l -> (forall z, c * f z <= IZR (excess z)) ->
  c * against (of_integers l) (fun i => f (j + Z.of_nat i)%Z) <= IZR (sum_above excess j l).
Proof.
  intros H Hf. revert j. induction H as [| m l Hm _ IH]; intros j; [simpl; lra |].
  change (against (of_integers (m :: l)) ?g) with
    (IZR m * g O + against (of_integers l) (fun i => g (S i))). cbv beta.
  simpl sum_above. rewrite plus_IZR, mult_IZR.
  specialize (IH (j + 1)%Z). replace (j + Z.of_nat 0)%Z with j by lia.
  rewrite (against_ext (of_integers l) _ (fun i => f (j + 1 + Z.of_nat i)%Z)).
  - assert (IZR m * (c * f j) <= IZR m * IZR (excess j)); [| lra].
    apply Rmult_le_compat_l; [apply IZR_le, Hm | apply Hf].
  - intros i. f_equal. lia.
Qed.

Lemma bound_above_bounds fine number equal l E :
  losses_nonneg l -> 1 <= E -> (0 <= number)%Z -> IZR number <= E * 2 ^ fine ->
  (forall j, equal j = true -> powerRZ rho j = E) ->
  divergence (meaning rho bits l) E <= IZR (bound_above fine number equal l) / 2 ^ (bits + 2 * fine).
Proof.
  intros [HM HI] HE HN HB Heq. assert (P := pow_two_positive bits).
  assert (P2 := pow_two_positive (2 * fine)).
  rewrite divergence_meaning, pow_add by apply rho_positive.
  unfold bound_above. rewrite plus_IZR, mult_IZR, IZR_two.
  assert (S := sum_above_bound (excess_above fine number equal) (2 ^ (2 * fine)) (masses l) (low l)
    (fun z => Rmax 0 (1 - E * powerRZ rho (- z))) HM
    (fun z => excess_above_bound fine number equal E z HE HN HB Heq)).
  cbv beta in S. unfold weight. set (s := against _ _) in *.
  replace ((IZR (at_infinity l) + s) / 2 ^ bits) with
    ((IZR (at_infinity l) * 2 ^ (2 * fine) + 2 ^ (2 * fine) * s) / (2 ^ bits * 2 ^ (2 * fine)))
    by (field; lra).
  apply Rmult_le_compat_r; [| lra]. left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; assumption.
Qed.

(** ** All runs *)

Context {A : Type}.

Definition run : Type := losses * positive * mechanism A.

Definition run_losses (r : run) : losses := fst (fst r).
Definition run_times (r : run) : positive := snd (fst r).
Definition run_mechanism (r : run) : mechanism A := snd r.

(** Every run as often as it is made. *)
Definition all_mechanisms (runs : list run) : list (mechanism A) :=
  flat_map (fun r => repeat (run_mechanism r) (Pos.to_nat (run_times r))) runs.

Definition all_losses (runs : list run) : losses :=
  fold_left (fun so_far r => losses_times bits so_far (losses_power bits (run_losses r) (run_times r))) runs
    {| low := 0; masses := [two bits]; at_infinity := 0 |}.

(** The losses are at least a measure that dominates the mechanism. *)
Definition sound_run (r : run) : Prop :=
  losses_nonneg (run_losses r) /\
  exists nu, dominates nu (run_mechanism r) /\ at_most nu (meaning rho bits (run_losses r)).

Lemma product_one nu E : divergence (product [nu]) E = divergence nu E.
Proof.
  simpl. rewrite times_commutes, divergence_times. simpl.
  rewrite Rmult_0_l, Rmult_1_r, Rmult_1_l, Rplus_0_r, Rplus_0_l. reflexivity.
Qed.

Lemma all_losses_cover runs :
  (forall r, In r runs -> sound_run r) ->
  exists pairs, map snd pairs = all_mechanisms runs /\
    (forall x : measure * mechanism A, In x pairs -> dominates (fst x) (snd x)) /\
    covers rho bits (all_losses runs) (map fst pairs).
Proof.
  intros H. unfold all_losses. rewrite <- fold_left_rev_right.
  set (step := fun r so_far => _). assert (HR : forall r, In r (rev runs) -> sound_run r)
    by (intros r I; apply H, in_rev, I).
  replace (all_mechanisms runs) with (all_mechanisms (rev (rev runs)))
    by (rewrite rev_involutive; reflexivity).
  clear H. induction (rev runs) as [| r l IH].
  - exists []. split; [reflexivity | split; [intros x [] | apply covers_nothing]].
  - destruct IH as [pairs [E1 [E2 E3]]]; [intros s I; apply HR; right; exact I |].
    destruct (HR r (or_introl eq_refl)) as [N [nu [D M]]]. set (k := Pos.to_nat (run_times r)).
    assert (F : Forall nonnegative (map fst pairs)).
    { apply Forall_forall. intros mu I. apply in_map_iff in I. destruct I as [x [<- I]]. apply (E2 x I). }
    exists (pairs ++ repeat (nu, run_mechanism r) k). split; [| split].
    + rewrite map_app, E1. simpl rev. unfold all_mechanisms. rewrite flat_map_app. simpl flat_map.
      rewrite app_nil_r. f_equal. fold k. clear. induction k; simpl; congruence.
    + intros x I. apply in_app_or in I. destruct I as [I | I]; [apply E2, I |].
      apply repeat_spec in I. rewrite I. exact D.
    + rewrite map_app. replace (map fst (repeat (nu, run_mechanism r) k)) with (repeat nu k)
        by (clear; induction k; simpl; congruence).
      simpl fold_right. apply covers_times; [apply rho_positive | exact F | | exact E3 |].
      * apply Forall_forall. intros mu I. apply repeat_spec in I. rewrite I. apply D.
      * apply covers_power; [apply rho_positive | apply D |]. split; [exact N |].
        intros E HE. rewrite product_one. apply M, HE.
Qed.

Theorem composed_private runs fine number equal P Q E :
  (forall r, In r runs -> sound_run r) -> played (all_mechanisms runs) P Q ->
  1 <= E -> (0 <= number)%Z -> IZR number <= E * 2 ^ fine ->
  (forall j, equal j = true -> powerRZ rho j = E) ->
  mass_below P Q E (IZR (bound_above fine number equal (all_losses runs)) / 2 ^ (bits + 2 * fine)).
Proof.
  intros HS HP HE HN HB Heq. destruct (all_losses_cover runs HS) as [pairs [E1 [E2 [N C]]]].
  rewrite <- E1 in HP. assert (X := adaptive_composition pairs P Q E E2 HP ltac:(lra)).
  intros l Nl. eapply Rle_trans; [apply (X l Nl) |]. apply Rplus_le_compat_l.
  eapply Rle_trans; [apply C; lra |]. apply bound_above_bounds; assumption.
Qed.

(** A run with a curve, as the checker has it: the mechanism is private at numbers E_j <= rho^j. *)
Theorem curve_run curve k (M : mechanism A) (E : nat -> R) :
  curve <> [] -> Forall (fun d => (0 <= d)%Z) curve ->
  (forall j, (j <= pred (length curve))%nat -> E j <= rho ^ j) ->
  (forall P Q, M P Q -> law P /\ law Q /\ forall j, (j <= pred (length curve))%nat ->
   mass_below P Q (E j) (IZR (entry curve j) / 2 ^ bits) /\
   mass_below Q P (E j) (IZR (entry curve j) / 2 ^ bits)) ->
  sound_run (losses_of_curve bits a b curve, k, M).
Proof.
  intros N P HE HM. split; [apply losses_of_curve_nonneg; assumption |].
  apply (losses_of_curve_dominate bits a b curve b_positive a_larger N P M E HE HM).
Qed.

End program.
