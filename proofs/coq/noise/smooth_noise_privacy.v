(** Lemma 2: an integer query with smooth noise in every coordinate is private.

    Let D be an (eps, delta, k)-smooth law on the integers, with finitely or infinitely many outcomes,
    eps >= 0, delta >= 0. Let f take values in Z^m, m >= 0, and let every two neighbours x, y have
    norm_inf(f x - f y) <= k and norm_1(f x - f y) <= Delta. Then f(x) + (noise_1, ..., noise_m), the noise
    drawn independently from D, is (Delta eps, Delta delta)-DP: for all events, not only finite ones. The
    ends are included: k, m, Delta, eps, delta may be 0.

    Idea: a coordinate that moves by j, 1 <= abs(j) <= k, is (e^(abs(j) eps), delta)-below the other by
    smoothness, one that does not move is (1, 0)-below. The coordinates are independent, so that exponents
    and deltas add up along the vector; the distances are integers, so that at most Delta coordinates move.
    (Source: Ghazi, Golowich, Kumar, Pagh, Velingker 2021, section 4, with Delta delta in place of delta;
    smooth_noise_union.v says why.) *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums masses smooth product_laws composition smooth_is_private.
Import ListNotations.
Open Scope R_scope.

(** The mass at v of the law of f + (noise_1, ..., noise_m), the noise drawn from D independently. *)
Fixpoint noisy (D : Z -> R) (f v : list Z) : R :=
  match f, v with
  | [], [] => 1
  | a :: f', b :: v' => D (b - a)%Z * noisy D f' v'
  | _, _ => 0
  end.

(** The sum of the distances of the coordinates. *)
Fixpoint l1_distance (f g : list Z) : Z :=
  match f, g with
  | a :: f', b :: g' => Z.abs (a - b) + l1_distance f' g'
  | _, _ => 0
  end.

(** How many coordinates move. *)
Fixpoint moved (f g : list Z) : nat :=
  match f, g with
  | a :: f', b :: g' => (if Z.eq_dec a b then 0 else 1) + moved f' g'
  | _, _ => 0
  end.

(** ** The law of the output *)

Definition pair_cons (x : Z * list Z) : list Z := fst x :: snd x.

Lemma pair_cons_injective x y : pair_cons x = pair_cons y -> x = y.
Proof. destruct x, y. unfold pair_cons. simpl. congruence. Qed.

Lemma noisy_zero_outside D a f : zero_outside pair_cons (noisy D (a :: f)).
Proof.
  intros [| b v] H; [reflexivity |]. exfalso. apply (H (b, v)). reflexivity.
Qed.

(** a + noise. *)
Lemma shifted_law (D : Z -> R) (a : Z) : law D -> law (fun b => D (b - a)%Z).
Proof.
  intros L. apply (law_on_image (fun y => (y + a)%Z)).
  - intros x y. lia.
  - intros b H. exfalso. apply (H (b - a)%Z). ring.
  - destruct L as [Pos L]. split; [intros y; apply Pos |]. destruct L as [U L]. split.
    + intros s [l [N [_ ->]]]. apply U. exists l. split; [exact N |]. split; [auto |].
      apply total_ext. intros y _. f_equal. ring.
    + intros b Hb. apply L. intros s [l [N [_ ->]]]. apply Hb. exists l. split; [exact N |].
      split; [auto |]. apply total_ext. intros y _. f_equal. ring.
Qed.

(** The masses of all outputs add up to 1 ... *)
Lemma noisy_law (D : Z -> R) (f : list Z) : law D -> law (noisy D f).
Proof.
  intros L. induction f as [| a f IH].
  - apply (law_of_finite_support (list_eq_dec Z.eq_dec) (noisy D []) [[]]).
    + intros [| b v]; simpl; lra.
    + constructor; [intros [] | constructor].
    + intros [| b v] H; [contradict H; left |]; reflexivity.
    + simpl. ring.
  - apply (law_on_image pair_cons).
    + exact pair_cons_injective.
    + apply noisy_zero_outside.
    + exact (pair_law _ _ (shifted_law D a L) IH).
Qed.

(** ... and all outputs have the length of the query. *)
Lemma noisy_length (D : Z -> R) (f v : list Z) : length v <> length f -> noisy D f v = 0.
Proof.
  revert v. induction f as [| a f IH]; intros [| b v] H; simpl in *; try congruence.
  rewrite IH by congruence. ring.
Qed.

Lemma noisy_law_length (D : Z -> R) (f : list Z) :
  law D -> mass_of (noisy D f) (fun v => length v = length f) 1.
Proof.
  intros L. apply (mass_of_ext _ (fun v => True /\ length v = length f)); [tauto |].
  apply mass_of_without_zeros.
  - intros v. apply Nat.eq_dec.
  - apply noisy_length.
  - apply (proj2 (noisy_law D f L)).
Qed.

(** ** Composition along the coordinates *)

(** One coordinate: a + noise and c + noise. *)
Lemma one_coordinate (D : Z -> R) eps delta k a c :
  law D -> smooth D eps delta k -> (Z.abs (a - c) <= k)%Z ->
  mass_below (fun b => D (b - a)%Z) (fun b => D (b - c)%Z)
    (exp (IZR (Z.abs (a - c)) * eps)) (if Z.eq_dec a c then 0 else delta).
Proof.
  intros L S K. destruct (Z.eq_dec a c) as [<- | N].
  - apply mass_below_pointwise. intros b. rewrite Z.sub_diag. simpl. rewrite Rmult_0_l, exp_0. lra.
  - apply (smooth_shifts D eps delta k); assumption.
Qed.

(** All coordinates: the exponents and the deltas add up. *)
Lemma all_coordinates (D : Z -> R) eps delta k f g :
  law D -> smooth D eps delta k -> Forall2 (fun a c => (Z.abs (a - c) <= k)%Z) f g ->
  mass_below (noisy D f) (noisy D g) (exp (IZR (l1_distance f g) * eps)) (INR (moved f g) * delta).
Proof.
  intros L S H. induction H as [| a c f g K H IH].
  - simpl. rewrite !Rmult_0_l, exp_0. apply mass_below_pointwise. intros v. lra.
  - cbn [l1_distance moved]. rewrite plus_IZR, Rmult_plus_distr_r, exp_plus.
    replace (INR ((if Z.eq_dec a c then 0 else 1) + moved f g) * delta)
      with ((if Z.eq_dec a c then 0 else delta) + INR (moved f g) * delta).
    2: { rewrite plus_INR. destruct (Z.eq_dec a c); simpl; ring. }
    apply (mass_below_on_image pair_cons); try apply noisy_zero_outside.
    apply (composition (fun b => D (b - a)%Z) (fun b => D (b - c)%Z) (noisy D f) (noisy D g)).
    + apply shifted_law, L.
    + apply shifted_law, L.
    + apply noisy_law, L.
    + apply noisy_law, L.
    + left. apply exp_pos.
    + left. apply exp_pos.
    + apply (one_coordinate D eps delta k); assumption.
    + exact IH.
Qed.

(** The distances are integers: not more coordinates move than the distances add up to. *)
Lemma moved_le_distance f g : (Z.of_nat (moved f g) <= l1_distance f g)%Z.
Proof.
  revert g. induction f as [| a f IH]; intros [| c g]; simpl; try lia.
  specialize (IH g). destruct (Z.eq_dec a c); lia.
Qed.

(** ** Lemma 2 *)

(** For two answers of a query. *)
Lemma lemma2_masses (D : Z -> R) (eps delta : R) (k : Z) (Delta : nat) (f g : list Z) :
  law D -> smooth D eps delta k -> 0 <= eps -> 0 <= delta ->
  Forall2 (fun a b => (Z.abs (a - b) <= k)%Z) f g ->
  (l1_distance f g <= Z.of_nat Delta)%Z ->
  mass_below (noisy D f) (noisy D g) (exp (INR Delta * eps)) (INR Delta * delta).
Proof.
  intros L S He Hd H Hl. assert (M := moved_le_distance f g).
  apply (mass_below_weaken _ _ (exp (IZR (l1_distance f g) * eps)) (INR (moved f g) * delta)).
  - apply (proj1 (noisy_law D g L)).
  - apply exp_le, Rmult_le_compat_r; [exact He |]. rewrite INR_IZR_INZ. apply IZR_le, Hl.
  - apply Rmult_le_compat_r; [exact Hd |]. apply le_INR. lia.
  - apply (all_coordinates D eps delta k); assumption.
Qed.

(** For a query, all pairs of neighbours and all events. The relation may be any; if it is symmetric, as
    that of data sets which differ in one record, this is differential privacy. *)
Theorem lemma2 {X} (f : X -> list Z) (neighbor : X -> X -> Prop)
    (D : Z -> R) (eps delta : R) (k : Z) (Delta : nat) :
  law D -> smooth D eps delta k -> 0 <= eps -> 0 <= delta ->
  (forall x y, neighbor x y -> Forall2 (fun a b => (Z.abs (a - b) <= k)%Z) (f x) (f y)) ->
  (forall x y, neighbor x y -> (l1_distance (f x) (f y) <= Z.of_nat Delta)%Z) ->
  forall x y, neighbor x y ->
  forall (T : list Z -> Prop) p q, mass_of (noisy D (f x)) T p -> mass_of (noisy D (f y)) T q ->
  p <= exp (INR Delta * eps) * q + INR Delta * delta.
Proof.
  intros L S He Hd Hinf H1 x y N. apply mass_below_all_events; [left; apply exp_pos |].
  apply (lemma2_masses D eps delta k); try assumption; [apply Hinf | apply H1]; exact N.
Qed.

(** An integer query that moves by at most k, with k eps in the exponent and one delta. *)
Lemma lemma2_one_coordinate {X} (f : X -> Z) (neighbor : X -> X -> Prop)
    (D : Z -> R) (eps delta : R) (k : Z) :
  law D -> smooth D eps delta k -> 0 <= eps -> 0 <= delta ->
  (forall x y, neighbor x y -> (Z.abs (f x - f y) <= k)%Z) ->
  forall x y, neighbor x y ->
  forall (T : Z -> Prop) p q,
  mass_of (fun v => D (v - f x)%Z) T p -> mass_of (fun v => D (v - f y)%Z) T q ->
  p <= exp (IZR k * eps) * q + delta.
Proof.
  intros L S He Hd H x y N. apply mass_below_all_events; [left; apply exp_pos |].
  apply (mass_below_weaken _ _ (exp (IZR (Z.abs (f x - f y)) * eps))
    (if Z.eq_dec (f x) (f y) then 0 else delta)).
  - intros v. apply (proj1 L).
  - apply exp_le, Rmult_le_compat_r; [exact He |]. apply IZR_le, H, N.
  - destruct (Z.eq_dec (f x) (f y)); lra.
  - apply (one_coordinate D eps delta k); [assumption | assumption | apply H, N].
Qed.

(** An integer query of sensitivity 1. *)
Theorem lemma2_scalar {X} (f : X -> Z) (neighbor : X -> X -> Prop) (D : Z -> R) (eps delta : R) :
  law D -> smooth D eps delta 1 -> 0 <= eps -> 0 <= delta ->
  (forall x y, neighbor x y -> (Z.abs (f x - f y) <= 1)%Z) ->
  forall x y, neighbor x y ->
  forall (T : Z -> Prop) p q,
  mass_of (fun v => D (v - f x)%Z) T p -> mass_of (fun v => D (v - f y)%Z) T q ->
  p <= exp eps * q + delta.
Proof.
  intros L S He Hd H x y N T p q Hp Hq. rewrite <- (Rmult_1_l eps).
  apply (lemma2_one_coordinate f neighbor D eps delta 1 L S He Hd H x y N T); assumption.
Qed.
