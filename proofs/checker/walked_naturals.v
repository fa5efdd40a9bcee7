(** Laws on the naturals whose neighbouring weights have an enclosed ratio, walked outward from any place.

    Let w be weights on the integers, none negative, 0 below 0 and, where there is an end n, above n; and let
    ratio t = (l, h, d) with l w t <= d w (t+1) <= h w t for 0 <= t (< n). From a start with w(start) > 0 the walk
    upward takes these ratios, and the walk downward their inverses: both are [walkable] (windows.v), if the ratios
    fall, as those of log-concave weights do ([log_concave_falls]) or never exceed later_x / later_y
    ([naturals_walkable_up], [naturals_walkable_down]).

    The program is the function [neighbors] of exactdp/checker/enclosed_laws.py. Source: docs/certificates.md. *)

From Coq Require Import ZArith Reals List Lra Lia Bool.
From Exactdp Require Import sums masses geometric_tail longer_shift.
From ExactdpChecker Require Import outward windows.
Import ListNotations.
Open Scope Z_scope.

Definition up_naturals (ratio : Z -> Z * Z * Z) (top : option Z) (t : Z) : option (Z * Z * Z) :=
  match top with
  | Some n => if n <=? t then None else Some (ratio t)
  | None => Some (ratio t)
  end.

Definition inverse (r : Z * Z * Z) : Z * Z * Z :=
  let '(l, h, d) := r in if l =? h then (d, d, l) else (d * l, d * h, l * h).

Definition down_naturals (ratio : Z -> Z * Z * Z) (t : Z) : option (Z * Z * Z) :=
  if t <=? 0 then None else Some (inverse (ratio (t - 1))).

Definition walked_naturals (ratio : Z -> Z * Z * Z) (top : option Z) (later_x later_y start : Z) (bits : nat) :
  option window :=
  walked_window (up_naturals ratio top) (down_naturals ratio) Z.succ Z.pred later_x later_y start start start bits.

Open Scope R_scope.

Lemma state_succ start i : state Z.succ start i = (start + Z.of_nat i)%Z.
Proof. unfold state. induction i as [| i IH]; [simpl; lia |]. cbn [Nat.iter nat_rect]. unfold Nat.iter in IH.
rewrite IH. lia. Qed.

Lemma state_pred start i : state Z.pred start i = (start - Z.of_nat i)%Z.
Proof. unfold state. induction i as [| i IH]; [simpl; lia |]. cbn [Nat.iter nat_rect]. unfold Nat.iter in IH.
rewrite IH. lia. Qed.

(** ** Ratios of log-concave weights fall, on both sides *)

Definition falling_after (D : nat -> R) (later : R) : Prop :=
  forall i rho, 0 <= rho -> D (1 + i)%nat <= rho * D i -> forall t, (i <= t)%nat ->
    D (1 + t)%nat <= Rmax rho later * D t.

Lemma log_concave_falls w start later :
  log_concave w -> 0 < w start -> falling_after (above w start) later /\ falling_after (below w start) later.
Proof.
  assert (Up : forall w start, log_concave w -> 0 < w start -> falling_after (above w start) later).
  { clear. intros w start LC P i rho Hr H t Ht. assert (Pos := proj1 LC).
    assert (F : log_concave_from (above w start) 0).
    { intros k _. unfold above. split.
      - assert (X := proj2 LC (start + Z.of_nat k)%Z (start + Z.of_nat (S k))%Z ltac:(lia)).
        replace (start + Z.of_nat (S k) + 1)%Z with (start + Z.of_nat (S (S k)))%Z in X by lia.
        replace (start + Z.of_nat k + 1)%Z with (start + Z.of_nat (S k))%Z in X by lia. exact X.
      - intros Z. destruct (Pos (start + Z.of_nat (S k))%Z) as [Q | Q]; [| symmetry; exact Q].
        assert (0 < w (start + Z.of_nat k)%Z); [| lra].
        apply (positive_between w (S k) start _ LC P Q). lia. }
    eapply Rle_trans; [apply (log_concave_ratios_fall (above w start) (fun k => Pos _) i rho Hr) |].
    - intros k Hk. apply F. lia.
    - exact H.
    - exact Ht.
    - apply Rmult_le_compat_r; [apply Pos | apply Rmax_l]. }
  intros LC P. split; [apply Up; assumption |].
  assert (X := Up (fun t => w (- t)%Z) (- start)%Z (log_concave_mirror w LC)).
  specialize (X ltac:(cbv beta; rewrite Z.opp_involutive; exact P)). intros i rho Hr H t Ht.
  assert (E : forall k, below w start k = above (fun t => w (- t)%Z) (- start) k).
  { intros k. unfold below, above. f_equal. lia. }
  rewrite !E in *. apply (X i rho Hr H t Ht).
Qed.

(** ** The walks *)

Section naturals.

Variables (w : Z -> R) (ratio : Z -> Z * Z * Z) (top : option Z) (later_x later_y start : Z).
Hypothesis none_below : forall t, (t < 0)%Z -> w t = 0.
Hypothesis none_above : forall n t, top = Some n -> (n < t)%Z -> w t = 0.
Hypothesis bounded : forall t l h d, (0 <= t)%Z -> (forall n, top = Some n -> (t < n)%Z) -> ratio t = (l, h, d) ->
  (0 <= l)%Z /\ (0 <= h)%Z /\ IZR l * w t <= IZR d * w (t + 1)%Z <= IZR h * w t.
Hypothesis start_inside : (0 <= start)%Z /\ forall n, top = Some n -> (start <= n)%Z.
Hypothesis falls_up : falling_after (above w start) (IZR later_x / IZR later_y).
Hypothesis falls_down : falling_after (below w start) (IZR later_x / IZR later_y).

Lemma naturals_walkable_up : walkable later_x later_y (up_naturals ratio top) Z.succ start (above w start).
Proof.
  destruct start_inside as [S0 S1]. split; [| split; [| exact falls_up]].
  - intros i a b d. rewrite state_succ. unfold up_naturals. intros H.
    assert (G : (forall n, top = Some n -> (start + Z.of_nat i < n)%Z) /\ ratio (start + Z.of_nat i)%Z = (a, b, d)).
    { destruct top as [n |].
      - destruct (Z.leb_spec n (start + Z.of_nat i)); [discriminate |]. injection H as H. split; [| exact H].
        intros m E. injection E as <-. assumption.
      - injection H as H. split; [discriminate | exact H]. }
    destruct G as [G1 G2]. destruct (bounded (start + Z.of_nat i)%Z _ _ _ ltac:(lia) G1 G2) as [_ [_ B]]. unfold above.
    replace (start + Z.of_nat (1 + i))%Z with (start + Z.of_nat i + 1)%Z by lia. exact B.
  - intros i. rewrite state_succ. unfold up_naturals, above. intros H t Ht. destruct top as [n |]; [| discriminate].
    destruct (Z.leb_spec n (start + Z.of_nat i)); [| discriminate]. apply (none_above n); [reflexivity | lia].
Qed.

Lemma naturals_walkable_down : walkable later_x later_y (down_naturals ratio) Z.pred start (below w start).
Proof.
  destruct start_inside as [S0 S1]. split; [| split; [| exact falls_down]].
  - intros i a b d. rewrite state_pred. unfold down_naturals, below.
    destruct (Z.leb_spec (start - Z.of_nat i) 0) as [L | L]; [discriminate |]. intros H. injection H as H.
    destruct (ratio (start - Z.of_nat i - 1)%Z) as [[l h] e] eqn:E.
    destruct (bounded (start - Z.of_nat i - 1)%Z l h e) as [Hl [Hh B]]; [lia | | exact E |].
    { intros n T. specialize (S1 n T). lia. }
    replace (start - Z.of_nat i - 1 + 1)%Z with (start - Z.of_nat i)%Z in B by lia.
    replace (start - Z.of_nat (1 + i))%Z with (start - Z.of_nat i - 1)%Z by lia.
    set (x := w (start - Z.of_nat i - 1)%Z) in *. set (y := w (start - Z.of_nat i)%Z) in *.
    unfold inverse in H. destruct (Z.eqb_spec l h) as [-> | N]; injection H as <- <- <-.
    + lra.
    + rewrite !mult_IZR. apply IZR_le in Hl. apply IZR_le in Hh. destruct B as [B1 B2].
      apply (Rmult_le_compat_l (IZR h)) in B1; [| exact Hh]. apply (Rmult_le_compat_l (IZR l)) in B2; [| exact Hl]. lra.
  - intros i. rewrite state_pred. unfold down_naturals, below. intros H t Ht.
    destruct (Z.leb_spec (start - Z.of_nat i) 0) as [L | L]; [| discriminate]. apply none_below. lia.
Qed.

Theorem walked_naturals_sound bits v :
  law w -> 0 < w start -> (0 <= later_x < later_y)%Z ->
  walked_naturals ratio top later_x later_y start bits = Some v -> encloses v w (2 ^ bits / w start).
Proof.
  intros L P Later. apply (walked_window_sound (up_naturals ratio top) (down_naturals ratio) Z.succ Z.pred later_x
    later_y w
    start start start bits L P Later naturals_walkable_up naturals_walkable_down).
Qed.

End naturals.
