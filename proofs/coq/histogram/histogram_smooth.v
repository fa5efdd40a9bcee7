(** What smooth noise does for a histogram.

    The histogram of d bins counts the records 0, 1, ..., d - 1.

    - [histogram_moves]: replacing a record moves every bin by at most 1, and all bins together by at most 2.
    - [histogram_noise_private]: so with independent noise in every bin from a law that is
      (eps, delta, 1)-smooth, eps, delta >= 0, the counts are (2 eps, 2 delta)-DP (Lemma 2).
    - [histogram_smooth_private]: the same of the histogram protocol in the shuffle model, if
      Bin(n, gamma) is (eps, delta, 1)-smooth: all n, d and gamma in [0, 1].
    - [histogram_noise_needs_two]: (eps, delta)-DP, which a query of sensitivity 1 has with that noise, is
      more than the counts have: one record, two bins and a fair coin for the noise in each, which is
      (ln 2, 1/2, 1)-smooth. Three outputs have the probability 3/4 before and 0 after the replacement.

    (Source: this package; the protocol is in Balcer and Cheu 2020, section 3.2.) *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums laws masses privacy smooth smooth_noise_privacy binomial fair_coin zsum zsum_privacy.
From Exactdp Require Import histogram.
Import ListNotations.
Open Scope R_scope.

Definition bin_totals (d : nat) (xs : list nat) : list Z :=
  map (fun j => Z.of_nat (count_occ Nat.eq_dec xs j)) (seq 0 d).

(** A bin gains a record and loses one, at most. *)
Lemma bin_moves before x y after j :
  let count := fun zs => Z.of_nat (count_occ Nat.eq_dec zs j) in
  let mine := fun z => if Nat.eq_dec z j then 1%Z else 0%Z in
  (count (before ++ x :: after) - count (before ++ y :: after) = mine x - mine y)%Z.
Proof.
  cbv beta zeta. rewrite !count_occ_app. cbn [count_occ]. destruct (Nat.eq_dec x j), (Nat.eq_dec y j); lia.
Qed.

(** Among distinct bins only those of the two records move. *)
Lemma bins_move before x y after js : NoDup js ->
  let count := fun zs j => Z.of_nat (count_occ Nat.eq_dec zs j) in
  (l1_distance (map (count (before ++ x :: after)) js) (map (count (before ++ y :: after)) js) <=
   (if in_dec Nat.eq_dec x js then 1 else 0) + (if in_dec Nat.eq_dec y js then 1 else 0))%Z.
Proof.
  intros N count. induction N as [| j js Out N IH]; [simpl; lia |]. cbn [map l1_distance].
  unfold count at 1 2. rewrite bin_moves. fold count.
  assert (Step : forall z, ((if Nat.eq_dec z j then 1 else 0) + (if in_dec Nat.eq_dec z js then 1 else 0) =
    (if in_dec Nat.eq_dec z (j :: js) then 1 else 0))%Z).
  { intros z. destruct (Nat.eq_dec z j) as [-> | Hz].
    - destruct (in_dec _ j js); [contradiction |]. destruct (in_dec _ j (j :: js)) as [| H]; [reflexivity |].
      exfalso. apply H. left. reflexivity.
    - destruct (in_dec _ z js) as [I | I], (in_dec _ z (j :: js)) as [H | H]; try reflexivity; exfalso.
      + apply H. right. exact I.
      + destruct H as [-> | H]; [apply Hz; reflexivity | contradiction]. }
  rewrite <- !Step. destruct (Nat.eq_dec x j), (Nat.eq_dec y j); lia.
Qed.

Theorem histogram_moves d xs ys :
  neighbors xs ys ->
  Forall2 (fun a b => (Z.abs (a - b) <= 1)%Z) (bin_totals d xs) (bin_totals d ys) /\
  (l1_distance (bin_totals d xs) (bin_totals d ys) <= 2)%Z.
Proof.
  intros [before x y after]. split.
  - unfold bin_totals. induction (seq 0 d) as [| j js IH]; [constructor |]. cbn [map].
    constructor; [| exact IH].
    rewrite bin_moves. destruct (Nat.eq_dec x j), (Nat.eq_dec y j); lia.
  - assert (B := bins_move before x y after (seq 0 d) (seq_NoDup d 0)). cbv zeta in B.
    unfold bin_totals. destruct (in_dec _ _ _), (in_dec _ _ _); lia.
Qed.

Theorem histogram_noise_private (D : Z -> R) eps delta d xs ys :
  law D -> smooth D eps delta 1 -> 0 <= eps -> 0 <= delta -> neighbors xs ys ->
  forall T p q, mass_of (noisy D (bin_totals d xs)) T p -> mass_of (noisy D (bin_totals d ys)) T q ->
  p <= exp (2 * eps) * q + 2 * delta.
Proof.
  intros L S He Hd N T p q Hp Hq. replace 2 with (INR 2) by (simpl; ring).
  apply (lemma2 (bin_totals d) neighbors D eps delta 1 2 L S He Hd) with (x := xs) (y := ys) (T := T);
    try assumption; intros; apply histogram_moves; assumption.
Qed.

Theorem histogram_smooth_private n d gamma eps delta :
  0 <= gamma <= 1 -> 0 <= eps -> 0 <= delta -> smooth (binomial n gamma) eps delta 1 ->
  shuffle_dp n (histogram_randomizer d gamma) (2 * eps) (2 * delta).
Proof.
  intros Hg He Hd S. apply histogram_privacy; try assumption. apply zsum_smooth_private; assumption.
Qed.

Theorem histogram_noise_needs_two :
  ~ (forall (D : Z -> R) eps delta d xs ys,
     law D -> smooth D eps delta 1 -> 0 <= eps -> 0 <= delta -> neighbors xs ys ->
     forall T p q, mass_of (noisy D (bin_totals d xs)) T p -> mass_of (noisy D (bin_totals d ys)) T q ->
     p <= exp eps * q + delta).
Proof.
  intros H. set (D := binomial 1 (1 / 2)). assert (L : law D) by (apply binomial_law; lra).
  set (event := [[1; 0]; [2; 0]; [2; 1]]%Z).
  assert (N : NoDup event) by (unfold event; repeat constructor; simpl; intuition discriminate).
  assert (E : 0 <= ln 2) by (rewrite <- ln_1; left; apply ln_increasing; lra).
  assert (B := H D (ln 2) (1 / 2) 2%nat [0]%nat [1]%nat L fair_coin_smooth E ltac:(lra)
    (replace_one [] 0%nat 1%nat []) (fun v => In v event) _ _
    (mass_of_finite _ event (proj1 (noisy_law D _ L)) N)
    (mass_of_finite _ event (proj1 (noisy_law D _ L)) N)).
  unfold bin_totals, event in B. simpl in B. unfold D in B. rewrite !fair_coin_masses in B. simpl in B.
  rewrite exp_ln in B by lra. lra.
Qed.
