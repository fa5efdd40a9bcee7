(** The rows of the ledger on the histogram protocol: what each of them states, and that it holds. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy zsum_accuracy zsum zsum_accuracy_theorem histogram.
From Exactdp Require Import histogram_messages histogram_privacy_theorem histogram_bin_error.
From Exactdp Require Import histogram_accuracy histogram_accuracy_theorem histogram_chain histogram_many_bins.
From Exactdp Require Import masses geometric_noise stability_histogram.
Import ListNotations.
Open Scope R_scope.

Definition row_histogram_privacy : Prop :=
  forall (n d : nat) (eps delta : R),
  0 < eps <= 1 -> 0 < delta <= 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n ->
  let gamma := 50 * ln (2 / delta) / (eps ^ 2 * INR n) in
  shuffle_dp n (histogram_randomizer d gamma) (2 * eps) (2 * delta).
Theorem row_histogram_privacy_holds : row_histogram_privacy.
Proof. intros n d eps delta He Hd Hn. apply histogram_privacy_theorem; assumption. Qed.

Definition row_histogram_privacy_from_zsum : Prop :=
  forall (n d : nat) (gamma eps delta : R), 0 <= gamma <= 1 -> 0 <= eps -> 0 <= delta ->
  shuffle_dp n (zsum_randomizer gamma) eps delta ->
  shuffle_dp n (histogram_randomizer d gamma) (2 * eps) (2 * delta).
Theorem row_histogram_privacy_from_zsum_holds : row_histogram_privacy_from_zsum.
Proof. intros n d gamma eps delta. apply histogram_privacy. Qed.

Definition row_histogram_bin_is_zsum : Prop :=
  forall (n d j : nat) (gamma alpha : R) (xs : list nat), 0 <= gamma <= 1 -> (j < d)%nat ->
  let bits := map (fun x => Nat.eqb x j) xs in
  same_law (dmap (fun y => count_occ Nat.eq_dec y j) (messages (histogram_randomizer d gamma) xs))
           (dmap (@length unit) (messages (zsum_randomizer gamma) bits)) /\
  Pr (messages (histogram_randomizer d gamma) xs) (fun y => Rltb alpha (histogram_error n gamma xs y j)) =
  Pr (messages (zsum_randomizer gamma) bits)
     (fun u => Rltb alpha (Rabs (zsum_estimate n gamma u - INR (ones bits) / INR n))).
Theorem row_histogram_bin_is_zsum_holds : row_histogram_bin_is_zsum.
Proof.
  intros n d j gamma alpha xs Hg Hj bits. split; [apply (histogram_one_bin d gamma xs j Hg Hj) |].
  apply (histogram_error_event n d gamma alpha xs j Hg Hj).
Qed.

Definition row_histogram_messages : Prop :=
  forall (d x : nat) (gamma : R), 0 <= gamma <= 1 ->
  (forall wy, In wy (histogram_randomizer d gamma x) -> (length (snd wy) <= d + 1)%nat) /\
  ((x < d)%nat ->
   (1 - gamma) ^ d <= Pr (histogram_randomizer d gamma x) (fun y => Nat.leb (d + 1) (length y))).
Theorem row_histogram_messages_holds : row_histogram_messages.
Proof.
  intros d x gamma Hg. split.
  - intros wy. apply histogram_messages.
  - intros Hx. apply histogram_messages_attained; assumption.
Qed.

Definition row_histogram_empty_bins : Prop :=
  forall (n d j : nat) (gamma : R) (xs : list nat),
  (1 <= n)%nat -> 0 <= gamma <= 1 -> length xs = n -> (j < d)%nat -> ~ In j xs ->
  Pr (messages (histogram_randomizer d gamma) xs)
     (fun y => if Req_EM_T (histogram_estimate n gamma y j) 0 then true else false) = 1.
Theorem row_histogram_empty_bins_holds : row_histogram_empty_bins.
Proof. intros n d j gamma xs. apply histogram_empty_bins. Qed.

Definition row_histogram_simultaneous : Prop :=
  forall (n d : nat) (eps delta : R) (xs : list nat),
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> length xs = n ->
  let gamma := 50 * ln (2 / delta) / (eps ^ 2 * INR n) in
  let alpha := gamma * (1 + 12808 / 10000 * eps) in
  let failure := Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma alpha xs) in
  failure <= INR n * (delta / 2) ^ 25 /\
  (forall beta, INR n * delta ^ 25 <= beta -> failure <= beta) /\
  alpha <= 11404 / 100 * ln (2 / delta) / (eps ^ 2 * INR n).
Theorem row_histogram_simultaneous_holds : row_histogram_simultaneous.
Proof. intros n d eps delta xs. apply histogram_simultaneous. Qed.

Definition row_histogram_simultaneous_every_beta : Prop :=
  forall (n d : nat) (gamma beta h : R) (xs : list nat),
  (1 <= n)%nat -> 0 < gamma <= 1 -> 0 < beta < 1 -> length xs = n ->
  0 <= h -> h ^ 2 = ln (INR n / beta) / (INR n * gamma) * (2 + h) ->
  Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma (gamma * (1 + h)) xs) <= beta.
Theorem row_histogram_simultaneous_every_beta_holds : row_histogram_simultaneous_every_beta.
Proof.
  intros n d gamma beta h xs Hn Hg Hb L Hh E.
  assert (N := INR_positive n Hn). assert (M : 0 < INR n * gamma) by (apply Rmult_lt_0_compat; lra).
  assert (R := Rdiv_lt_0_compat (INR n) beta N (proj1 Hb)).
  destruct (histogram_accuracy_general n d gamma h xs) as [A Q]; try lra; try assumption.
  rewrite (Rmult_comm gamma). eapply Rle_trans; [exact A |]. rewrite E.
  replace (ln (INR n / beta) / (INR n * gamma) * (2 + h) / (2 + h) * (INR n * gamma)) with (ln (INR n / beta))
    by (field; lra).
  rewrite exp_Ropp, exp_ln by exact R.
  apply Rle_trans with (INR n * / (INR n / beta)); [| right; field; lra].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, R | apply le_INR, Q].
Qed.

Definition row_histogram_simultaneous_printed : Prop :=
  ~ (exists eps delta beta C : R, 0 < eps <= 1 /\ 0 < delta < 1 /\ delta ^ 25 < beta < 1 /\
     forall (n d : nat) (xs : list nat),
     100 * ln (2 / delta) / eps ^ 2 <= INR n -> length xs = n -> (forall x, In x xs -> (x < d)%nat) ->
     let gamma := 50 * ln (2 / delta) / (eps ^ 2 * INR n) in
     let alpha := C * ln (1 / delta) / (eps ^ 2 * INR n) in
     Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma alpha xs) <= beta).
Theorem row_histogram_simultaneous_printed_holds : row_histogram_simultaneous_printed.
Proof.
  intros [eps [delta [beta [C [He [Hd [Hb H]]]]]]].
  destruct (histogram_every_constant_fails C eps delta beta He Hd (proj2 Hb)) as [n0 F].
  destruct (F n0 (Nat.le_refl n0)) as [Hn [d [xs [L [I P]]]]].
  specialize (H n0 d xs Hn L I). cbv zeta in H. unfold zsum_gamma in P. lra.
Qed.

Definition row_histogram_simultaneous_printed_constant : Prop :=
  ~ (forall (n d : nat) (eps delta beta : R) (xs : list nat),
     0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> delta ^ 25 < beta ->
     length xs = n -> (forall x, In x xs -> (x < d)%nat) ->
     let gamma := 50 * ln (2 / delta) / (eps ^ 2 * INR n) in
     let alpha := gamma * (1 + 12808 / 10000 * eps) in
     Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma alpha xs) <= beta).
Theorem row_histogram_simultaneous_printed_constant_holds : row_histogram_simultaneous_printed_constant.
Proof.
  intros H. destruct (histogram_right_for_one_bin 1 (1 / 2) (3 / 4)) as [n0 F]; try lra.
  destruct (F n0 (Nat.le_refl n0)) as [Hn [_ [d [xs [L [I P]]]]]].
  specialize (H n0 d 1 (1 / 2) (3 / 4) xs). cbv zeta in H. unfold zsum_gamma in P.
  assert (B : (1 / 2) ^ 25 < 3 / 4) by (simpl; lra).
  specialize (H ltac:(lra) ltac:(lra) Hn B L I). lra.
Qed.

Definition row_histogram_one_bin_alpha_fails : Prop :=
  forall eps delta beta : R, 0 < eps <= 1 -> 0 < delta < 1 -> beta < 1 ->
  exists n0 : nat, forall n, (n0 <= n)%nat ->
  let gamma := 50 * ln (2 / delta) / (eps ^ 2 * INR n) in
  let alpha := gamma * (1 + 12808 / 10000 * eps) in
  100 * ln (2 / delta) / eps ^ 2 <= INR n /\
  (forall d xs j, length xs = n -> (j < d)%nat ->
   Pr (messages (histogram_randomizer d gamma) xs)
      (fun y => Rltb alpha (histogram_error n gamma xs y j)) <= delta ^ 25) /\
  exists d xs, length xs = n /\ (forall x, In x xs -> (x < d)%nat) /\
  beta < Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma alpha xs).
Theorem row_histogram_one_bin_alpha_fails_holds : row_histogram_one_bin_alpha_fails.
Proof. intros eps delta beta. apply histogram_right_for_one_bin. Qed.

Definition row_histogram_every_constant_fails : Prop :=
  forall C eps delta beta : R, 0 < eps <= 1 -> 0 < delta < 1 -> beta < 1 ->
  exists n0 : nat, forall n, (n0 <= n)%nat -> exists d xs,
  let gamma := 50 * ln (2 / delta) / (eps ^ 2 * INR n) in
  let alpha := C * ln (1 / delta) / (eps ^ 2 * INR n) in
  length xs = n /\ (forall x, In x xs -> (x < d)%nat) /\
  beta < Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma alpha xs).
Theorem row_histogram_every_constant_fails_holds : row_histogram_every_constant_fails.
Proof.
  intros C eps delta beta He Hd Hb.
  destruct (histogram_every_constant_fails C eps delta beta He Hd Hb) as [n0 H].
  exists n0. intros n Hn. exact (proj2 (H n Hn)).
Qed.

Definition row_histogram_error_without_bins : Prop :=
  forall (n : nat) (eps delta : R),
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n ->
  let gamma := 50 * ln (2 / delta) / (eps ^ 2 * INR n) in
  exists alpha, alpha <= 11404 / 100 * ln (2 / delta) / (eps ^ 2 * INR n) /\
  forall (d : nat) (xs : list nat), length xs = n ->
  Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma alpha xs)
  <= INR n * (delta / 2) ^ 25.
Theorem row_histogram_error_without_bins_holds : row_histogram_error_without_bins.
Proof.
  intros n eps delta He Hd Hn gamma. exists (gamma * (1 + 12808 / 10000 * eps)). split.
  - destruct (histogram_simultaneous n 0 eps delta (repeat 0%nat n) He Hd Hn) as [_ [_ A]]; [| exact A].
    apply repeat_length.
  - intros d xs L. destruct (histogram_simultaneous n d eps delta xs He Hd Hn L) as [A _]. exact A.
Qed.

Definition row_histogram_index_printed : Prop :=
  ~ (forall (n d : nat) (gamma alpha beta : R) (xs : list nat),
     (2 <= n)%nat -> 0 <= gamma <= 1 -> 0 <= alpha -> 0 < beta < 1 -> length xs = n ->
     Pr (messages (histogram_randomizer d gamma) xs)
        (fun y => existsb (fun j => Rleb (histogram_estimate n gamma y j - INR (count j xs) / INR n) alpha)
                          (seq 0 d)) <= beta / INR n).
Theorem row_histogram_index_printed_holds : row_histogram_index_printed.
Proof.
  intros H. specialize (H 2%nat 2%nat (1 / 2) 0 (1 / 2) [0%nat; 0%nat]).
  destruct (histogram_chain_printed 2 2 (1 / 2) 0 [0%nat; 0%nat] 1) as [_ F]; simpl; try lra; try lia.
  specialize (F (1 / 2) ltac:(lra)).
  specialize (H (Nat.le_refl 2) ltac:(lra) ltac:(lra) ltac:(lra) eq_refl). lra.
Qed.

Definition row_histogram_index : Prop :=
  forall (n d j : nat) (eps delta : R) (xs : list nat),
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> length xs = n -> (j < d)%nat ->
  let gamma := 50 * ln (2 / delta) / (eps ^ 2 * INR n) in
  let alpha := gamma * (1 + 12808 / 10000 * eps) in
  let failure := Pr (messages (histogram_randomizer d gamma) xs)
                    (fun y => Rltb alpha (histogram_error n gamma xs y j)) in
  failure <= (delta / 2) ^ 25 /\ forall beta, INR n * delta ^ 25 <= beta -> failure <= beta / INR n.
Theorem row_histogram_index_holds : row_histogram_index.
Proof.
  intros n d j eps delta xs He Hd Hn L Hj gamma alpha failure.
  destruct (histogram_index n d eps delta xs j He Hd Hn L Hj) as [A [_ B]]. split; [exact A | exact B].
Qed.

Definition row_histogram_chain_printed : Prop :=
  ~ (forall (n d : nat) (gamma alpha beta : R) (xs : list nat),
     (1 <= n)%nat -> 0 <= gamma <= 1 -> 0 <= alpha -> 0 < beta < 1 -> length xs = n ->
     Pr (messages (histogram_randomizer d gamma) xs)
        (fun y => existsb (fun j => Rleb (histogram_estimate n gamma y j - INR (count j xs) / INR n) alpha)
                          (seq 0 d)) <= beta).
Theorem row_histogram_chain_printed_holds : row_histogram_chain_printed.
Proof.
  intros H. specialize (H 1%nat 2%nat (1 / 2) 0 (1 / 2) [0%nat]).
  destruct (histogram_chain_printed 1 2 (1 / 2) 0 [0%nat] 1) as [_ F]; simpl; try lra; try lia.
  specialize (F (1 / 2) ltac:(lra)).
  specialize (H (Nat.le_refl 1) ltac:(lra) ltac:(lra) ltac:(lra) eq_refl). lra.
Qed.

Definition row_histogram_chain_equality_printed : Prop :=
  ~ (forall (n : nat) (beta : R), (1 <= n)%nat -> 0 < beta < 1 -> beta / INR n = beta).
Theorem row_histogram_chain_equality_printed_holds : row_histogram_chain_equality_printed.
Proof. intros H. specialize (H 2%nat (1 / 2) ltac:(lia) ltac:(lra)). simpl in H. lra. Qed.

Definition row_histogram_chain : Prop :=
  forall (n d : nat) (gamma alpha beta : R) (xs Q : list nat),
  (1 <= n)%nat -> 0 <= gamma <= 1 -> 0 <= beta -> (length Q <= n)%nat ->
  let err_in j := Pr (messages (histogram_randomizer d gamma) xs)
                     (fun y => Rltb alpha (histogram_error n gamma xs y j)) in
  (forall j, (j < d)%nat -> ~ In j Q -> err_in j = 0) ->
  (forall j, (j < d)%nat -> In j Q -> err_in j <= beta / INR n) ->
  Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma alpha xs)
  <= total Q (fun _ => beta / INR n) /\ total Q (fun _ => beta / INR n) <= beta.
Theorem row_histogram_chain_holds : row_histogram_chain.
Proof. intros n d gamma alpha beta xs Q. apply histogram_chain. Qed.

(* z is the noise of one bin, shows c z what is released of c users; no bound depends on d, the number of bins. *)
Definition row_histogram_central_error : Prop :=
  forall eps delta : R, 0 < eps -> 0 < delta ->
  let a := exp (- (eps / 2)) in
  let count xs j := Z.of_nat (count_occ Nat.eq_dec xs j) in
  exists h : Z, (1 <= h)%Z /\
  let shows c z := if Z.eqb c 0 then 0%Z else if Z.ltb h (c + z) then (c + z)%Z else 0%Z in
  let is_law c P := forall v, mass_of (geometric a) (fun z => shows c z = v) (P v) in
  (forall c, exists P, is_law c P) /\
  (forall (d : nat) (xs ys : list nat) (P Q : nat -> Z -> R), neighbors xs ys ->
    (forall j, is_law (count xs j) (P j)) -> (forall j, is_law (count ys j) (Q j)) ->
    law (product_mass (map P (seq 0 d))) /\
    forall (T : list Z -> Prop) p q,
    mass_of (product_mass (map P (seq 0 d))) T p -> mass_of (product_mass (map Q (seq 0 d))) T q ->
    p <= exp eps * q + delta) /\
  (forall (xs : list nat) (j : nat) (A : Z) (p : R), (h <= A)%Z ->
    mass_of (geometric a) (fun z => (A < Z.abs (shows (count xs j) z - count xs j))%Z) p ->
    p <= 2 * a ^ Z.to_nat (A + 1 - h) / (1 + a) /\ (count xs j = 0%Z -> p = 0)).
Theorem row_histogram_central_error_holds : row_histogram_central_error.
Proof.
  intros eps delta He Hd a count. assert (Ha : 0 < a < 1) by (apply ratio_of_eps; lra).
  destruct (stability_threshold a delta Ha Hd) as [h [Hh [S1 S2]]]. exists h. split; [exact Hh |].
  intros shows is_law. split; [intros c; apply (bin_exists a h Ha) |]. split.
  - intros d xs ys P Q N HP HQ.
    destruct (stability_histogram_private eps h d xs ys P Q He Hh S2 N HP HQ) as [L B]. split; [exact L |].
    intros T p q Hp Hq. specialize (B T p q Hp Hq). fold a in B. lra.
  - intros xs j A p HA Hp. apply (stability_histogram_error a h (count xs j) A p Ha); [lia | unfold count; lia | exact Hp].
Qed.
