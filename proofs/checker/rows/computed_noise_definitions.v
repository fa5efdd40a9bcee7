(** The rows of proofs/noise_definitions.py that are claims of the proved checker, computed here by the kernel.

    - laplace-accuracy-experiment: [some_off 1000 (1/20000)] is the program of noise/laplace_accuracy.v; the number of
      coordinates that are off is Bin(1000, 1/20000), whose tail is what is computed;
    - exponential-mechanism-votes: [votes_table] has the weights 2^u of e^(eps u / 2), e^eps = 4, each over their sum.

    Source: Dwork and Roth 2014, theorems 3.8 and 3.10; the numbers: this package. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia.
From Exactdp Require Import sums laws masses binomial laplace_accuracy.
From ExactdpChecker Require Import claims witnesses.
From ExactdpComputed Require Import by_computation.
Import ListNotations.
Open Scope R_scope.

(** ** One of 1000 Laplace coordinates *)

Definition some_off_claim (at_most : bool) (p : Q) : claim :=
  Tail (Binomial 1000 (Rational (1 # 20000))) (Some 1%Z) None at_most p.

Definition claimed_laplace_accuracy_experiment : claim :=
  Conjunction [some_off_claim false (4877 # 100000); some_off_claim true (2439 # 50000)] [].

Lemma claimed_laplace_accuracy_experiment_holds : holds claimed_laplace_accuracy_experiment.
Proof.
  apply (each_by (map (fun c => (c, Simple (Bits 96)))
    [some_off_claim false (4877 # 100000); some_off_claim true (2439 # 50000)])).
  vm_cast_no_check (eq_refl true).
Qed.

(** The probability of at least one success, by masses. *)
Lemma some_success n q p : 0 <= q <= 1 -> mass_of (binomial n q) (fun y => (1 <= y)%Z) p -> p = 1 - (1 - q) ^ n.
Proof.
  intros Q [Upper Least]. assert (Z0 : binomial n q 0 = (1 - q) ^ n).
  { change (binom n q 0 = (1 - q) ^ n). rewrite binom_inside, choose_0, Nat.sub_0_r by lia. simpl. ring. }
  rewrite <- Z0. apply Rle_antisym.
  - apply Least. intros s [l [N [I ->]]].
    assert (L := law_finite (binomial n q) (0%Z :: l) (binomial_law n q Q)). simpl in L.
    assert (~ In 0%Z l) by (intros H; specialize (I _ H); lia).
    specialize (L ltac:(constructor; assumption)). lra.
  - rewrite <- (binom_total n q). simpl total. rewrite <- seq_shift, total_map.
    replace (binomial n q 0) with (binom n q 0) by reflexivity.
    apply Rle_trans with (total (map (fun i => Z.of_nat (S i)) (seq 0 n)) (binomial n q)).
    + rewrite total_map. right.
      rewrite (total_ext _ (fun i => binomial n q (Z.of_nat (S i))) (fun i => binom n q (S i)))
        by (intros; apply binomial_of_nat).
      lra.
    + apply Upper. eexists. split; [| split; [| reflexivity]].
      * apply FinFun.Injective_map_NoDup; [intros i j; lia | apply seq_NoDup].
      * intros a I. apply in_map_iff in I. destruct I as [i [<- _]]. lia.
Qed.

Definition row_laplace_accuracy_experiment : Prop :=
  4877 / 100000 <= Pr (some_off 1000 (1 / 20000)) (fun off => off) <= 4878 / 100000 /\ 4878 / 100000 < 1 / 20.

Lemma some_off_tail (n : nat) (q : R) (x : real) p at_most bound :
  value x = q -> 0 <= q <= 1 -> holds (Tail (Binomial (Z.of_nat n) (x)) (Some 1%Z) None at_most bound) ->
  p = Pr (some_off n q) (fun off => off) -> if at_most then p <= Q2R bound else Q2R bound <= p.
Proof.
  intros X Q [m [M B]] ->. rewrite some_off_probability. cbn [noise_mass] in M. rewrite Nat2Z.id, X in M.
  rewrite <- (some_success n q m Q); [exact B |].
  revert M. unfold mass_of. intros [U L]. split.
  - intros s [l [N [I E]]]. apply U. exists l. split; [exact N |]. split; [| exact E].
    intros a Ia. split; [intros b Hb; injection Hb as <-; apply I, Ia | discriminate].
  - intros b Hb. apply L. intros s [l [N [I E]]]. apply Hb. exists l. split; [exact N |]. split; [| exact E].
    intros a Ia. destruct (I a Ia) as [H _]. apply H. reflexivity.
Qed.

Theorem row_laplace_accuracy_experiment_holds : row_laplace_accuracy_experiment.
Proof.
  destruct claimed_laplace_accuracy_experiment_holds as [Low [High _]].
  assert (V : claims.value (Rational (1 # 20000)) = 1 / 20000) by (simpl; unfold Q2R; simpl; lra).
  assert (A := some_off_tail 1000 (1 / 20000) _ _ false _ V ltac:(lra) Low eq_refl).
  assert (B := some_off_tail 1000 (1 / 20000) _ _ true _ V ltac:(lra) High eq_refl).
  cbv beta iota in A, B. unfold row_laplace_accuracy_experiment.
  replace (Q2R (4877 # 100000)) with (4877 / 100000) in A by (unfold Q2R; simpl; lra).
  replace (Q2R (2439 # 50000)) with (4878 / 100000) in B by (unfold Q2R; simpl; lra).
  split; [split; assumption | lra].
Qed.

(** ** The votes *)

(** One row of scores for each data set; e^(eps u / (2 Du)) is 2^u for e^eps = 4 and Du = 1. *)
Definition exponential_row (scores : list Z) : list (Q * list nat) :=
  let whole := fold_right Z.add 0%Z (map (Z.pow 2) scores) in
  combine (map (fun u => Qred (2 ^ u # Z.to_pos whole)) scores) (map (fun r => [r]) (seq 0 (length scores))).

(** The votes for the first name and for the second. *)
Definition votes_table : table := {| message_types := 2; rows := map exponential_row [[30; 29]; [29; 30]]%Z |}.

(** The wrong name differs from the right one, 0 or 1, by more than 1/2. *)
Definition names_wrong (at_most : Q) : claim :=
  let named := {| weights := [0; 1]; offset := 0; zero_unless_above := None |}%Q in
  Accuracy votes_table 1 None named [0; 1]%Q (1 # 2) at_most.

Definition row_exponential_mechanism_votes : Prop :=
  let hides := ShuffleDP (Table votes_table) 1 ThisNumber ReplaceOne (ExpEps 2) 0 LeastExpEps in
  each holds [hides; names_wrong (1 - (2 # 3)); Not (names_wrong (1 - (2 # 3) - (1 # 10 ^ 9)))].

Definition claimed_exponential_mechanism_votes : claim := ltac:(
  let row := eval cbv beta zeta delta [row_exponential_mechanism_votes] in row_exponential_mechanism_votes in
  match row with each _ ?parts => exact (Conjunction parts []) end).

Lemma claimed_exponential_mechanism_votes_holds : holds claimed_exponential_mechanism_votes.
Proof.
  apply (holds_by (Parts [TwoDataSets [1; 0]%Z [0; 1]%Z Exactly; Simple Exactly; OfDataSet [0; 1]%Z])).
  vm_cast_no_check (eq_refl true).
Qed.

Theorem row_exponential_mechanism_votes_holds : row_exponential_mechanism_votes.
Proof. exact claimed_exponential_mechanism_votes_holds. Qed.
