(** The factor Delta of delta in Lemma 2 cannot be left out.

    The uniform law on {0, 1, 2, 3} is (eps, 1/4, 1)-smooth for every eps > 0 (uniform4.v). Let two
    coordinates move by 1 each, so that Delta = 2. The 16 outputs of (0, 0) + noise and those of
    (1, 1) + noise have 9 in common, and the other 7 make up an event with the probabilities 7/16 and 0.
    So for no E >= 0 and no delta < 7/16 is one law (E, delta)-below the other, and in particular not for
    delta = 1/4. Lemma 2 says delta = 2/4. (Source: this package.) *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums masses smooth product_laws uniform4 smooth_noise_privacy.
Import ListNotations.
Open Scope R_scope.

(** The 16 outputs of (0, 0) + noise, and whether one of them has a coordinate 0. *)
Definition outputs : list (list Z) :=
  map pair_cons (list_prod [0; 1; 2; 3]%Z (map (fun c => [c]) [0; 1; 2; 3]%Z)).
Definition has_zero (v : list Z) : bool := existsb (Z.eqb 0) v.

Lemma outputs_distinct : NoDup outputs.
Proof. unfold outputs. simpl. repeat constructor; simpl; intuition discriminate. Qed.

Lemma outputs_support v : ~ In v outputs -> noisy uniform4 [0; 0]%Z v = 0.
Proof.
  intros H. destruct v as [| b [| c [| d v]]]; simpl; try ring. rewrite !Z.sub_0_r, Rmult_1_r.
  destruct (in_dec Z.eq_dec b [0; 1; 2; 3]%Z) as [B | B]; [| rewrite (uniform4_outside b B); ring].
  destruct (in_dec Z.eq_dec c [0; 1; 2; 3]%Z) as [C | C]; [| rewrite (uniform4_outside c C); ring].
  exfalso. apply H. unfold outputs. apply in_map_iff. exists (b, [c]). split; [reflexivity |].
  apply in_prod; [exact B |]. apply (in_map (fun c => [c])), C.
Qed.

(** The event that an output has a coordinate 0 ... *)
Lemma event_before : mass_of (noisy uniform4 [0; 0]%Z) (fun v => has_zero v = true) (7 / 16).
Proof.
  replace (7 / 16) with (total (filter has_zero outputs) (noisy uniform4 [0; 0]%Z)).
  - apply (mass_of_finite_support (list_eq_dec Z.eq_dec)).
    + apply (proj1 (noisy_law uniform4 _ uniform4_law)).
    + apply outputs_distinct.
    + apply outputs_support.
  - unfold outputs, has_zero, uniform4. simpl. lra.
Qed.

(** ... does not happen after the move. *)
Lemma event_after : mass_of (noisy uniform4 [1; 1]%Z) (fun v => has_zero v = true) 0.
Proof.
  apply mass_of_zero. intros v H. destruct v as [| b [| c [| d v]]]; simpl; try ring.
  unfold has_zero, existsb in H.
  assert (b = 0%Z \/ c = 0%Z) as [-> | ->].
  - destruct (Z.eqb_spec 0 b); [left; congruence |]. destruct (Z.eqb_spec 0 c); [right; congruence |].
    discriminate H.
  - unfold uniform4 at 1. simpl. ring.
  - unfold uniform4 at 2. simpl. ring.
Qed.

(** The counterexample. *)
Theorem lemma2_union_counterexample :
  law uniform4 /\ (forall eps, 0 < eps -> smooth uniform4 eps (1 / 4) 1) /\
  l1_distance [0; 0]%Z [1; 1]%Z = 2%Z /\
  exists T, mass_of (noisy uniform4 [0; 0]%Z) T (7 / 16) /\ mass_of (noisy uniform4 [1; 1]%Z) T 0.
Proof.
  split; [exact uniform4_law |]. split; [exact uniform4_smooth |]. split; [reflexivity |].
  exists (fun v => has_zero v = true). split; [exact event_before | exact event_after].
Qed.

(** Whatever E is, delta has to be at least 7/16. *)
Lemma lemma2_union_no_factor (E delta : R) :
  0 <= E -> delta < 7 / 16 -> ~ mass_below (noisy uniform4 [0; 0]%Z) (noisy uniform4 [1; 1]%Z) E delta.
Proof.
  intros HE Hd B.
  assert (L := mass_below_all_events _ _ _ _ HE B _ _ _ event_before event_after). lra.
Qed.

(** Ledger row lemma2-union-printed: Lemma 2 with delta in place of Delta delta is false. *)
Theorem lemma2_union_printed_is_false :
  ~ (forall (D : Z -> R) (eps delta : R) (k : Z) (Delta : nat) (f g : list Z),
     law D -> smooth D eps delta k -> 0 <= eps -> 0 <= delta ->
     Forall2 (fun a b => (Z.abs (a - b) <= k)%Z) f g ->
     (l1_distance f g <= Z.of_nat Delta)%Z ->
     mass_below (noisy D f) (noisy D g) (exp (INR Delta * eps)) delta).
Proof.
  intros H. apply (lemma2_union_no_factor (exp (INR 2 * 1)) (1 / 4)); [left; apply exp_pos | lra |].
  apply (H uniform4 1 (1 / 4) 1%Z 2%nat).
  - exact uniform4_law.
  - apply uniform4_smooth. lra.
  - lra.
  - lra.
  - repeat constructor; lia.
  - simpl. lia.
Qed.
