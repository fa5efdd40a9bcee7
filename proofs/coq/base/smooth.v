(** Smooth laws on the integers.

    D is (eps, delta, k)-smooth if for every integer j with 1 <= |j| <= k the probability, for Y drawn
    from D, that D(Y) >= e^(|j| eps) D(Y + j) is at most delta. Ratios with denominator 0 count as
    infinite. (Source: Ghazi, Golowich, Kumar, Pagh, Velingker 2021, section 4; j = 0 is excluded,
    for there the ratio is 1.) *)

From Coq Require Import Reals List ZArith Lra.
From Exactdp Require Import sums masses.
Import ListNotations.
Open Scope R_scope.

Definition smooth (D : Z -> R) (eps delta : R) (k : Z) : Prop :=
  forall j : Z, j <> 0%Z -> (Z.abs j <= k)%Z ->
  forall l, NoDup l ->
  (forall y, In y l -> exp (IZR (Z.abs j) * eps) * D (y + j)%Z <= D y) ->
  total l D <= delta.
