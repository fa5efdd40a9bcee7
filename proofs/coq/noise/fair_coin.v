(** Why the definition of smoothness leaves out the shift by 0: a fair coin.

    Bin(1, 1/2) is (ln 2, 1/2, 1)-smooth: for the shifts by 1 and -1 only one of its two outcomes has a
    large ratio. But for the shift by 0 both have, so that the probability is 1, above every delta < 1
    ([smooth_definition] of smooth_complement.v has this for every law). (Source: this package; the
    definition is in Ghazi, Golowich, Kumar, Pagh, Velingker 2021, section 4.) *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums masses smooth smooth_is_private smooth_complement binomial.
Import ListNotations.
Open Scope R_scope.

Lemma fair_coin_masses y :
  binomial 1 (1 / 2) y = if Z.eq_dec 0 y then 1 / 2 else if Z.eq_dec 1 y then 1 / 2 else 0.
Proof.
  destruct (Z.eq_dec 0 y) as [<- | N0]; [| destruct (Z.eq_dec 1 y) as [<- | N1]].
  - change 0%Z with (Z.of_nat 0). rewrite binomial_of_nat, binom_inside, choose_0 by lia. simpl. field.
  - change 1%Z with (Z.of_nat 1). rewrite binomial_of_nat, binom_inside, choose_n by lia. simpl. field.
  - destruct (Req_dec (binomial 1 (1 / 2) y) 0) as [E | E]; [exact E |].
    apply binomial_support in E. simpl in E. lia.
Qed.

(** Ledger row smooth-definition: the smooth law. *)
Theorem fair_coin_smooth : smooth (binomial 1 (1 / 2)) (ln 2) (1 / 2) 1.
Proof.
  intros j J K l N I.
  assert (E : exp (IZR (Z.abs j) * ln 2) = 2).
  { replace (Z.abs j) with 1%Z by lia. rewrite Rmult_1_l. apply exp_ln. lra. }
  set (last := if Z.ltb 0 j then 1%Z else 0%Z).
  assert (H : forall y, In y l -> binomial 1 (1 / 2) y = if Z.eq_dec last y then 1 / 2 else 0).
  { intros y Hy. specialize (I y Hy). rewrite E, !fair_coin_masses in I. rewrite fair_coin_masses.
    unfold last. destruct (Z.ltb_spec 0 j); destruct (Z.eq_dec 0 y); destruct (Z.eq_dec 1 y);
      destruct (Z.eq_dec 0 (y + j)); destruct (Z.eq_dec 1 (y + j)); try lia; try lra; exfalso; lra. }
  rewrite (total_ext l _ _ H). destruct (in_dec Z.eq_dec last l) as [In1 | Out].
  - rewrite (total_single Z.eq_dec l last (1 / 2) N In1). lra.
  - rewrite (total_ext l _ (fun _ => 0)), total_zero; [lra |].
    intros y Hy. destruct (Z.eq_dec last y) as [<- | _]; [contradiction | reflexivity].
Qed.

(** Ledger row smooth-definition-printed: with the shift by 0 the definition asks for more. *)
Theorem smooth_definition_printed_is_false :
  ~ (forall (D : Z -> R) eps delta k, law D -> smooth D eps delta k ->
     forall j, (Z.abs j <= k)%Z ->
     forall r, mass_of D (large_ratio D (fun y => D (y + j)%Z) (exp (IZR (Z.abs j) * eps))) r -> r <= delta).
Proof.
  intros H. assert (L : law (binomial 1 (1 / 2))) by (apply binomial_law; lra).
  assert (1 <= 1 / 2); [| lra].
  apply (H (binomial 1 (1 / 2)) (ln 2) (1 / 2) 1%Z L fair_coin_smooth 0%Z); [simpl; lia |].
  apply smooth_definition, L.
Qed.
