(** The row of proofs/clone_bounds.py on stronger clones, computed here by the kernel.

    For each number of users the row lists A, B and C. At delta = 10^-6 every randomizer whose rows lie within the factor
    2 of each other is (ln B, delta)-DP, and one is not (ln A, delta)-DP: these are claims of the proved checker, whose
    swaps have fewer nodes and stages here than in the certificate. The pair of clones is that of telling_pair.v with p =
    2 and w = 1/(p + 1); its least delta, a mean excess, is bounded from below by walked_excess.v. Source: this package. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums laws mean_excess classes least_values telling_pair.
From ExactdpChecker Require Import claims witnesses levels family_blanket walked_excess.
From ExactdpComputed Require Import by_computation.
Import ListNotations.
Open Scope Q_scope.

Definition every_randomizer (n : Z) (E : Q) : claim :=
  AnyShuffleDP 2 n ThisNumber (ExpEps (Qred E)) (1 # 1000000).

Definition pair_of_clones (n : Z) (E : Q) : Prop := pair_dp (Z.to_nat n) (1 / 3) 2 (Q2R E) (1 / 10 ^ 6).

Definition row_stronger_clones_not_optimal : Prop :=
  each (fun '(n, A, B, C) =>
    ~ holds (every_randomizer n A) /\ holds (every_randomizer n B) /\ ~ pair_of_clones n C)
    [(1000%Z, 1085 # 1000, 1087 # 1000, 1097654 # 1000000);
     (10000%Z, 10233 # 10000, 10238 # 10000, 10274 # 10000)].

(** ** Every randomizer *)

Definition claimed_stronger_clones_not_optimal : claim := ltac:(
  let row := eval cbv beta zeta delta [row_stronger_clones_not_optimal] in row_stronger_clones_not_optimal in
  match row with each _ ?instances =>
    exact (Conjunction (flat_map (fun '(n, A, B, _) =>
      [Not (every_randomizer n A); every_randomizer n B]) instances) []) end).

(** A test of the first of the five randomizers. *)
Definition test (at_ratio step : Q) (length threshold : Z) : witness :=
  Likelihood {| pair_tested := Some (0, 1)%Z; other_users := OfThird; test_bits := 64; test_length := length;
    at_ratio := at_ratio; test_step := step; cut_bits := 40; test_threshold := Some threshold |} Exactly.

Definition swap (tilt smoothing step : Q) (nodes : Z) (stages : list Z) : witness :=
  ForAllDataSets (BySwap 64 [Build_swap_plan tilt smoothing step nodes stages false] [0%Z] []) Exactly.

Definition shown_clones : list witness :=
  [test (217 # 200) (1 # 8) 64 (-40); swap (62 # 365) (11 # 25) (21 # 40) 11 [4; 28]%Z;
   test (10233 # 10000) (1 # 16) 128 (-90); swap (178 # 3379) (13 # 41) (14 # 29) 18 [28]%Z].

Lemma claimed_stronger_clones_not_optimal_holds : holds claimed_stronger_clones_not_optimal.
Proof.
  unfold claimed_stronger_clones_not_optimal.
  match goal with |- holds (Conjunction ?parts _) => apply (each_by (combine parts shown_clones)) end.
  vm_cast_no_check (eq_refl true).
Qed.

(** ** The pair of clones *)

Definition walk_of_clones (n : Z) (E : Q) : telling :=
  {| users := n; chance := 1 # 3; high_value := 2 - E; low_value := 1 - 2 * E; rest_value := 0; share := 1 # 2;
     rise := 0 |}.

Definition clones_shown (n : Z) (E : Q) : bool :=
  (1 <=? n)%Z && match walked 48 72 40 (walk_of_clones n E) with
  | Some (_, least) => negb (Qle_bool least (inject_Z n * (1 # 1000000)))
  | None => false
  end.

Open Scope R_scope.

Lemma clones_shown_sound n E : clones_shown n E = true -> ~ pair_of_clones n E.
Proof.
  unfold clones_shown, pair_of_clones. rewrite andb_true_iff, Z.leb_le. intros [N H].
  destruct (walked 48 72 40 (walk_of_clones n E)) as [[most least] |] eqn:W; [| discriminate].
  apply negb_true_iff, Qle_bool_R_false in H. apply walked_sound in W. destruct W as [_ Low].
  cbn [users chance high_value low_value rest_value share rise walk_of_clones] in Low.
  rewrite Q2R_mult, Q2R_Z in H. replace (Q2R (1 # 1000000)) with (1 / 10 ^ 6) in H by (unfold Q2R; simpl; lra).
  rewrite Q2R_minus, (Q2R_minus 1), Q2R_mult in Low.
  replace (Q2R (1 # 3)) with (1 / 3) in Low by (unfold Q2R; simpl; lra).
  replace (Q2R (1 # 2)) with (1 / 2) in Low by (unfold Q2R; simpl; lra).
  replace (Q2R 0) with 0 in Low by (unfold Q2R; simpl; lra). replace (Q2R 1) with 1 in Low by (unfold Q2R; simpl; lra).
  replace (Q2R 2) with 2 in Low by (unfold Q2R; simpl; lra).
  assert (Some : (1 <= Z.to_nat n)%nat) by lia. assert (NR := lt_0_INR _ Some).
  assert (IZR n = INR (Z.to_nat n)) as Nn by (rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
  rewrite pair_dp_iff with (v := 0); [| exact Some | lra | lra]. intros M. unfold values_of_pair in M.
  set (mu := mean_excess _ _) in Low. enough (mu <= 1 / 10 ^ 6) as B.
  { apply (Rmult_le_compat_l (INR (Z.to_nat n))) in B; [rewrite Nn in H; lra | lra]. }
  eapply Rle_trans; [right | exact M]. apply mean_excess_same_law. intros g. unfold mean. simpl.
  replace (0 + 0 * (1 - 1 / 2)) with 0 by lra. replace (0 + - (0 * (1 / 2))) with 0 by lra. lra.
Qed.

Lemma clones_computed : ~ pair_of_clones 1000 (1097654 # 1000000) /\ ~ pair_of_clones 10000 (10274 # 10000).
Proof.
  split; apply clones_shown_sound.
  - vm_cast_no_check (eq_refl true).
  - vm_cast_no_check (eq_refl true).
Qed.

Theorem row_stronger_clones_not_optimal_holds : row_stronger_clones_not_optimal.
Proof.
  destruct claimed_stronger_clones_not_optimal_holds as [A1 [B1 [A2 [B2 _]]]], clones_computed as [C1 C2].
  exact (conj (conj A1 (conj B1 C1)) (conj (conj A2 (conj B2 C2)) I)).
Qed.
