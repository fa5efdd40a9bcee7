(** A law of real numbers put on a lattice, and on one of twice the step, without lowering what its sums exceed.

    For a step h > 0 and a real v with j h <= v < (j+1) h, [on_lattice h v] draws (j+1) h with probability f = v/h - j,
    and j h otherwise: its mean is v. Proved, for every finite law L without negative weights, every n:

    - [lattice_spread]: the mean excess of n copies of L is at most that of n copies of the law on the lattice;
    - [lattice_doubled]: going on to the lattice of the step 2h raises it again; even places of the first lattice stay
      where they are and odd ones are divided by halves ([doubled_even], [doubled_odd]).

    Idea: mean_preserving_spread of increasing_convex_order.v. How far it is raised is not stated: the error is of the
    second order in h. Source: this package. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums laws independence mean_excess increasing_convex_order.
Import ListNotations.
Open Scope R_scope.

(** The place below a value, and the share of the way from there to the place above. *)
Definition place_below (h v : R) : Z := Int_part (v / h).
Definition share_above (h v : R) : R := frac_part (v / h).

Definition on_lattice (h v : R) : dist R :=
  [(1 - share_above h v, IZR (place_below h v) * h); (share_above h v, IZR (place_below h v + 1) * h)].

Definition spread (h : R) (L : dist R) : dist R := bind L (on_lattice h).

Lemma share_bounds h v : 0 <= share_above h v < 1.
Proof. unfold share_above. destruct (base_fp (v / h)). lra. Qed.

Lemma proper_on_lattice h v : proper (on_lattice h v).
Proof.
  assert (B := share_bounds h v). split.
  - intros wa [<- | [<- | []]]; simpl; lra.
  - unfold mean, on_lattice. simpl. ring.
Qed.

Lemma mean_on_lattice h v : 0 < h -> mean (on_lattice h v) (fun w => w) = v.
Proof.
  intros H. unfold mean, on_lattice. simpl. rewrite plus_IZR. unfold place_below, share_above, frac_part. field. lra.
Qed.

Lemma spread_on_lattice h L wv : In wv (spread h L) -> exists j : Z, snd wv = IZR j * h.
Proof.
  unfold spread, bind. intros I. apply in_flat_map in I. destruct I as [va [_ J]].
  apply in_map_iff in J. destruct J as [vb [<- [<- | [<- | []]]]]; eexists; reflexivity.
Qed.

Lemma sub_law_spread h L : sub_law L -> sub_law (spread h L).
Proof. intros H. apply sub_law_bind; [exact H | apply proper_on_lattice]. Qed.

Theorem lattice_spread n h L : sub_law L -> 0 < h -> mean_excess n L <= mean_excess n (spread h L).
Proof.
  intros HL H. apply mean_excess_of_spread; [exact HL | apply proper_on_lattice |].
  intros v. rewrite mean_on_lattice by exact H. apply Rle_refl.
Qed.

Theorem lattice_doubled n h L :
  sub_law L -> 0 < h -> mean_excess n (spread h L) <= mean_excess n (spread (2 * h) (spread h L)).
Proof. intros HL H. apply lattice_spread; [apply sub_law_spread, HL | lra]. Qed.

Lemma floor_of (j : Z) (x : R) : IZR j <= x < IZR j + 1 -> Int_part x = j.
Proof.
  intros H. destruct (base_Int_part x) as [A B].
  assert (Int_part x < j + 1)%Z by (apply lt_IZR; rewrite plus_IZR; lra).
  assert (j < Int_part x + 1)%Z by (apply lt_IZR; rewrite plus_IZR; lra). lia.
Qed.

Lemma mean_on_lattice_of h v (j : Z) s f :
  0 < h -> 0 <= s < 1 -> v = (IZR j + s) * h ->
  mean (on_lattice h v) f = (1 - s) * f (IZR j * h) + s * f (IZR (j + 1) * h).
Proof.
  intros H S ->. unfold mean, on_lattice, share_above, place_below, frac_part. cbn [total fst snd].
  replace ((IZR j + s) * h / h) with (IZR j + s) by (field; lra). rewrite (floor_of j) by lra.
  replace (IZR j + s - IZR j) with s by ring. ring.
Qed.

Lemma doubled_even h (j : Z) f : 0 < h -> mean (on_lattice (2 * h) (IZR (2 * j) * h)) f = f (IZR (2 * j) * h).
Proof.
  intros H. rewrite (mean_on_lattice_of (2 * h) _ j 0); [| lra | lra | rewrite mult_IZR; ring].
  replace (IZR j * (2 * h)) with (IZR (2 * j) * h) by (rewrite mult_IZR; ring). ring.
Qed.

Lemma doubled_odd h (j : Z) f :
  0 < h -> mean (on_lattice (2 * h) (IZR (2 * j + 1) * h)) f = (f (IZR (2 * j) * h) + f (IZR (2 * j + 2) * h)) / 2.
Proof.
  intros H. rewrite (mean_on_lattice_of (2 * h) _ j (/ 2)); [| lra | lra | rewrite plus_IZR, mult_IZR; field].
  replace (IZR j * (2 * h)) with (IZR (2 * j) * h) by (rewrite mult_IZR; ring).
  replace (IZR (j + 1) * (2 * h)) with (IZR (2 * j + 2) * h) by (rewrite !plus_IZR, mult_IZR; ring). field.
Qed.
