(** Split and mix with a curator's discrete Laplace noise: privacy and error for all numbers of users.

    n >= 1 users hold a number from 0 to Delta >= 1 each; a larger one counts as Delta. A user draws two shares from
    NB(1/n, p), adds their difference to her number, and splits the sum into m >= 1 shares modulo q >= 1
    ([laplace_split]). The estimate is the sum of all shares modulo q, read as a number from -h to q - 1 - h
    ([estimate]), h >= 0.

    - [differences_add_up]: the noise of all users together is z with probability (1 - p)/(1 + p) p^abs(z), 0 < p < 1;
    - [laplace_split_private]: for p = e^(-eps/Delta), eps > 0, it is (eps, (1 + e^eps) eta)-DP behind a shuffler,
      eta = sqrt(excess of q)/2 as in simulator.v, for all n, m and q;
    - [laplace_split_error]: on every data set the estimate errs by k or more with probability at most 2 p^k/(1 + p),
      and at least 2 (p^k - p^l)/(1 + p), for 1 <= k <= l <= h + 1 with l + h + n Delta <= q.

    Idea: the sum of differences is the difference of the sums, of two geometric laws. The noisy sum modulo q is a
    function of the noisy sum, which one replaced number moves by at most Delta; and the estimate is the noisy sum
    itself where the noise is below l on both sides.
    (Source: IshaiKushilevitzOstrovskySahai2006, BalleBellGasconNissim2020, GhaziManurangsiPaghVelingker2020.) *)

From Coq Require Import Reals List Lra Lia ZArith FinFun FunctionalExtensionality.
From Exactdp Require Import reals sums laws privacy masses infinite_sums hockey_stick geometric_noise.
From Exactdp Require Import negative_binomial_mean negative_binomial_sums countable_programs counting_programs.
From Exactdp Require Import almost_central split_and_mix components noisy_sum.
Import ListNotations.
Open Scope R_scope.

(** ** Differences of shares *)

Definition difference (D : nat -> R) : Z -> R :=
  chain D (fun g => chain D (fun h => point (Z.of_nat g - Z.of_nat h)%Z)).

Lemma difference_law D : law D -> law (difference D).
Proof. intros L. repeat (apply chain_law; [exact L | intros ?]). apply point_law. Qed.

Lemma expectation_difference D f : law D -> unit_valued f -> expectation (difference D) f =
  expectation D (fun g => expectation D (fun h => f (Z.of_nat g - Z.of_nat h)%Z)).
Proof.
  intros L F. assert (P : forall g, law (chain D (fun h => point (Z.of_nat g - Z.of_nat h)%Z)))
    by (intros g; apply chain_law; [exact L | intros h; apply point_law]).
  unfold difference. rewrite expectation_chain by assumption.
  apply expectation_ext; [exact L | intros g; apply expectation_bounds; auto |].
  intros g. apply expectation_image; assumption.
Qed.

(** The sum of differences is the difference of the sums. *)
Lemma differences_mean D n f : law D -> unit_valued f ->
  expectation (draws (difference D) n) f = expectation (difference (shares D n)) f.
Proof.
  intros L. assert (LN := difference_law D L). revert f. induction n as [| n IH]; intros f F.
  { cbn [draws shares]. rewrite expectation_point, expectation_difference by (apply law_no_noise || apply F).
    rewrite expectation_no_noise by (intros g; apply expectation_bounds; [apply law_no_noise | intros h; apply F]).
    rewrite expectation_no_noise by (intros h; apply F). reflexivity. }
  assert (S := shares_law D n L). assert (LS := shares_law D (Datatypes.S n) L).
  assert (EB : forall (E : nat -> R) f, law E -> unit_valued f -> 0 <= expectation E f <= 1)
    by (intros E f' LE F'; apply expectation_bounds; assumption).
  rewrite expectation_draws by assumption.
  rewrite !expectation_difference; [| exact LS | exact F | exact L |].
  2: { intros z. apply expectation_bounds; [apply draws_law, LN | intros y; apply F]. }
  cbn [shares].
  rewrite expectation_convolved; [| exact L | exact S | intros g; apply EB; [exact LS | intros h; apply F]].
  apply expectation_ext; [exact L | intros g; apply EB; [exact L |]; intros h; apply expectation_bounds;
    [apply draws_law, LN | intros y; apply F] |].
  intros g.
  transitivity (expectation D (fun h => expectation (shares D n) (fun g' => expectation (shares D n) (fun h' =>
    f (Z.of_nat (g + g') - Z.of_nat (h + h'))%Z)))).
  - apply expectation_ext; [exact L | intros h; apply expectation_bounds; [apply draws_law, LN | intros y; apply F] |].
    intros h. rewrite IH, expectation_difference by (assumption || intros y; apply F).
    apply expectation_ext; [exact S | intros g'; apply EB; [exact S | intros h'; apply F] |]. intros g'.
    apply expectation_ext; [exact S | intros h'; apply F |]. intros h'. f_equal. lia.
  - rewrite expectation_swap; [| exact L | exact S | intros h g'; apply EB; [exact S | intros h'; apply F]].
    apply expectation_ext; [exact S | |].
    { intros g'. apply EB; [exact L |]. intros h. apply EB; [exact S | intros h'; apply F]. }
    intros g'. symmetry. apply expectation_convolved; [exact L | exact S | intros t; apply F].
Qed.

Theorem differences_add_up n p D z : (1 <= n)%nat -> 0 < p < 1 -> is_negative_binomial (1 / INR n) p D ->
  draws (difference D) n z = geometric p z.
Proof.
  intros Hn Hp N. assert (S := negative_binomial_divisible 1 p D n Hn N).
  set (at_z := fun y => if Z.eqb y z then 1 else 0).
  assert (U : unit_valued at_z) by (intros y; unfold at_z; destruct (Z.eqb y z); lra).
  assert (L := draws_law _ (difference_law D (proj1 N)) n).
  rewrite <- (over_point p (shares D n) Hp S z).
  change (draws (difference D) n z = expectation (shares D n) (fun g => expectation (shares D n) (fun h =>
    at_z (Z.of_nat g - Z.of_nat h)%Z))).
  rewrite <- expectation_difference, <- differences_mean by (apply S || apply N || exact U). symmetry.
  apply expectation_is.
  apply (sum_of_ext (fun y => point z y * draws (difference D) n y)); [| apply point_sum, L].
  intros y. unfold point, at_z. destruct (same z y), (Z.eqb_spec y z); congruence || ring.
Qed.

(** ** Privacy *)

(** A law on the integers, moved up by s. *)
Lemma expectation_moved (D : Z -> R) s f : law D -> unit_valued f ->
  infinite_sums.sum_of (fun w => D (w - s)%Z * f w) (expectation D (fun z => f (s + z)%Z)).
Proof.
  intros L F. assert (S := expectation_sum D L (fun z => f (s + z)%Z) ltac:(intros z; apply F)). apply sum_of_intro.
  - intros l N. assert (X := sum_of_upper _ _ (map (fun w => w - s)%Z l) S
      ltac:(apply Injective_map_NoDup; [intros x y; lia | exact N])).
    rewrite total_map in X. eapply Rle_trans; [| exact X]. right. apply total_ext. intros w _. do 2 f_equal. lia.
  - intros b H. apply (sum_of_least _ _ _ S). intros l N. specialize (H (map (Z.add s) l)
      ltac:(apply Injective_map_NoDup; [intros x y; lia | exact N])).
    rewrite total_map in H. eapply Rle_trans; [| exact H]. right. apply total_ext. intros z _. do 2 f_equal. lia.
Qed.

Lemma geometric_hides p s t d f : 0 < p < 1 -> (Z.abs (s - t) <= Z.of_nat d)%Z -> unit_valued f ->
  expectation (geometric p) (fun z => f (s + z)%Z) <= (/ p) ^ d * expectation (geometric p) (fun z => f (t + z)%Z).
Proof.
  intros Hp H F. assert (L := geometric_law p Hp). assert (P : 0 <= (/ p) ^ d)
    by (apply pow_le; left; apply Rinv_0_lt_compat; lra).
  apply (sum_of_least _ _ _ (expectation_moved _ s f L F)). intros l N.
  apply Rle_trans with ((/ p) ^ d * total l (fun w => geometric p (w - t) * f w)).
  - rewrite <- total_scal. apply total_le. intros w _. rewrite <- Rmult_assoc.
    apply Rmult_le_compat_r; [apply F | apply geometric_move; [exact Hp | lia]].
  - apply Rmult_le_compat_l; [exact P | apply (sum_of_upper _ _ l (expectation_moved _ t f L F) N)].
Qed.

Definition clipped (Delta x : nat) : Z := Z.of_nat (Nat.min x Delta).

Definition laplace_split (q m Delta : nat) (D : nat -> R) : nat -> list nat -> R :=
  noisy_split (clipped Delta) q m (difference D).

Lemma numbers_clipped Delta xs : numbers (clipped Delta) xs = Z.of_nat (clipped_sum Delta xs).
Proof.
  induction xs as [| x xs IH]; [reflexivity |]. unfold numbers in *. cbn [fold_right]. rewrite IH.
  unfold clipped, clipped_sum. cbn [fold_right]. lia.
Qed.

Lemma clipped_sum_moves Delta xs ys : neighbors xs ys ->
  (Z.abs (numbers (clipped Delta) xs - numbers (clipped Delta) ys) <= Z.of_nat Delta)%Z.
Proof.
  intros [before x y after]. unfold numbers. induction before as [| b before IH]; simpl; [unfold clipped |]; lia.
Qed.

Theorem laplace_split_private (n m q Delta : nat) (eps : R) (D : nat -> R) :
  (1 <= n)%nat -> (1 <= m)%nat -> (1 <= q)%nat -> (1 <= Delta)%nat -> 0 < eps ->
  is_negative_binomial (1 / INR n) (exp (- (eps / INR Delta))) D ->
  countable_dp n (laplace_split q m Delta D) eps ((1 + exp eps) * (sqrt (excess m n q) / 2)).
Proof.
  intros Hn Hm Hq HD He N. assert (PD : 0 < INR Delta) by (apply lt_0_INR; lia).
  assert (Hp := ratio_of_eps (eps / INR Delta) ltac:(apply Rdiv_lt_0_compat; assumption)).
  rewrite <- (Rplus_0_l ((1 + exp eps) * _)).
  apply (noisy_split_private (clipped Delta) q m _ Hq Hm (difference_law D (proj1 N)) n eps 0 Hn).
  intros xs ys H L. assert (L' : length ys = n) by (rewrite <- L; symmetry; apply neighbors_length, H).
  apply mass_below_pointwise. intros r. unfold noisy_sum, chain at 1 2. rewrite L, L'.
  assert (E : draws (difference D) n = geometric (exp (- (eps / INR Delta)))) by
    (extensionality z; apply differences_add_up; assumption).
  rewrite E. replace (exp eps) with ((/ exp (- (eps / INR Delta))) ^ Delta)
    by (rewrite factor_of_eps; f_equal; field; lra).
  apply (geometric_hides _ _ _ Delta (fun w => point (residue q w) r) Hp); [apply clipped_sum_moves, H |].
  intros w. apply (law_unit _ (point_law (residue q w))).
Qed.

(** ** Its error *)

(** The residue of the sum of the shares that lies in a window of q integers, from -h on. *)
Definition estimate (q h : nat) (u : list nat) : Z := ((sum_of u + Z.of_nat h) mod Z.of_nat q - Z.of_nat h)%Z.

Lemma clipped_sum_most Delta xs : (clipped_sum Delta xs <= length xs * Delta)%nat.
Proof. induction xs as [| x xs IH]; simpl; [| unfold clipped_sum in *]; lia. Qed.

Theorem laplace_split_error (n m q Delta h k l : nat) (p : R) (D : nat -> R) (xs : list nat) :
  (1 <= n)%nat -> (1 <= m)%nat -> 0 < p < 1 -> is_negative_binomial (1 / INR n) p D -> length xs = n ->
  (1 <= k <= l)%nat -> (l <= h + 1)%nat -> (l + h + n * Delta <= q)%nat ->
  let far u := Z.leb (Z.of_nat k) (Z.abs (estimate q h u - Z.of_nat (clipped_sum Delta xs))) in
  2 * (p ^ k - p ^ l) / (1 + p) <= expectation (sent (laplace_split q m Delta D) xs) (indicator far) <=
    2 * p ^ k / (1 + p).
Proof.
  intros Hn Hm Hp N Len Hk Hl Hq far. assert (S := negative_binomial_divisible 1 p D n Hn N).
  assert (LN := difference_law D (proj1 N)). assert (LG := difference_law _ (proj1 S)).
  set (s := clipped_sum Delta xs) in *. assert (Most := clipped_sum_most Delta xs). fold s in Most. rewrite Len in Most.
  set (wrong := indicator (fun r =>
    Z.leb (Z.of_nat k) (Z.abs ((Z.of_nat r + Z.of_nat h) mod Z.of_nat q - Z.of_nat h - Z.of_nat s)))).
  assert (W : unit_valued wrong) by (intros r; apply indicator_bounds).
  set (beyond := fun (i : nat) z => if Z.leb (Z.of_nat i) (Z.abs z) then 1 else 0).
  assert (B : forall i, unit_valued (beyond i)) by (intros i z; unfold beyond; destruct (Z.leb _ _); lra).
  assert (Tail : forall i, (1 <= i)%nat -> expectation (difference (shares D n)) (beyond i) = 2 * p ^ i / (1 + p)).
  { intros i Hi. rewrite expectation_difference by (apply S || apply B). apply over_tail; assumption. }
  assert (Form : expectation (sent (laplace_split q m Delta D) xs) (indicator far) =
    expectation (difference (shares D n)) (fun z => wrong (residue q (Z.of_nat s + z)))).
  { rewrite <- (differences_mean D n) by (apply N || intros z; apply W).
    transitivity (expectation (noisy_sum (clipped Delta) q (difference D) xs) wrong).
    - rewrite <- (noisy_split_exact (clipped Delta) q m _ ltac:(lia) Hm LN n xs wrong Hn Len W).
      apply expectation_ext; [| intros u; apply indicator_bounds |].
      { apply sent_law, noisy_split_law; lia || assumption. }
      intros u. unfold wrong, indicator, far, estimate. unfold residue.
      rewrite Z2Nat.id by (apply Z.mod_pos_bound; lia). rewrite Zplus_mod_idemp_l. reflexivity.
    - unfold noisy_sum. rewrite expectation_image by (apply draws_law, LN || exact W).
      rewrite numbers_clipped, Len. reflexivity. }
  (* the estimate is the noisy sum where the noise is below l *)
  assert (Near : forall z, (Z.abs z < Z.of_nat l)%Z -> wrong (residue q (Z.of_nat s + z)) = beyond k z).
  { intros z Hz. unfold wrong, indicator, beyond, residue. rewrite Z2Nat.id by (apply Z.mod_pos_bound; lia).
    rewrite Zplus_mod_idemp_l, Z.mod_small by lia.
    replace (Z.of_nat s + z + Z.of_nat h - Z.of_nat h - Z.of_nat s)%Z with z by ring. reflexivity. }
  rewrite Form. split.
  - set (C := fun z => if Z.leb (Z.of_nat l) (Z.abs z) then 0 else wrong (residue q (Z.of_nat s + z))).
    assert (CU : unit_valued C) by (intros z; unfold C; destruct (Z.leb _ _); [lra | apply W]).
    assert (Parts : forall z, beyond k z = C z + beyond l z).
    { intros z. unfold C, beyond at 2. destruct (Z.leb_spec (Z.of_nat l) (Z.abs z)) as [G | G].
      - unfold beyond. rewrite (proj2 (Z.leb_le _ _)) by lia. ring.
      - rewrite Near by exact G. ring. }
    apply Rle_trans with (expectation (difference (shares D n)) C).
    + assert (E := Tail k ltac:(lia)). rewrite (expectation_ext _ LG _ _ (B k) Parts) in E.
      rewrite expectation_plus, (Tail l ltac:(lia)) in E;
        [| exact LG | exact CU | apply B | intros z; rewrite <- Parts; apply B].
      unfold Rdiv in *. lra.
    + apply expectation_le; [exact LG | exact CU | intros z; apply W |]. intros z. unfold C.
      destruct (Z.leb _ _); [apply W | lra].
  - rewrite <- (Tail k) by lia. apply expectation_le; [exact LG | intros z; apply W | apply B |]. intros z.
    destruct (Z.lt_ge_cases (Z.abs z) (Z.of_nat l)) as [G | G]; [rewrite Near by exact G; lra |].
    unfold beyond. rewrite (proj2 (Z.leb_le _ _)) by lia. apply W.
Qed.
