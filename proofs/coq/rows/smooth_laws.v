(** The rows of proofs/smooth_laws.py: what each kernel row says. *)

From Coq Require Import Reals ZArith Lra.
From Exactdp Require Import masses smooth geometric_noise smooth_laws.
Open Scope R_scope.

Definition row_smooth_laws_every_k : Prop :=
  forall (D : Z -> R) (eps : R), law D -> smooth D eps 0 1 -> forall k : Z, smooth D eps 0 k.

Theorem row_smooth_laws_every_k_holds : row_smooth_laws_every_k.
Proof. intros D eps [P _]. apply smooth_every_k, P. Qed.

Definition row_smooth_laws_geometric : Prop :=
  forall (a eps : R) (k : Z), 0 < a < 1 -> (1 <= k)%Z ->
  let D := fun y => (1 - a) / (1 + a) * a ^ Z.abs_nat y in
  law D /\ (smooth D eps 0 k <-> ln (/ a) < eps).

Theorem row_smooth_laws_geometric_holds : row_smooth_laws_geometric.
Proof. intros a eps k H K. split; [exact (geometric_law a H) | exact (geometric_smooth_iff a eps k H K)]. Qed.

Definition row_smooth_laws_gaussian : Prop :=
  forall (D : Z -> R) (s c eps delta : R) (k : Z) (p : R),
  law D -> 0 < s -> (forall y, D y = c * exp (- (IZR y ^ 2 / (2 * s)))) -> (1 <= k)%Z ->
  mass_of D (fun y => s * eps - IZR k / 2 <= IZR y) p ->
  (smooth D eps delta k <-> p <= delta).

Theorem row_smooth_laws_gaussian_holds : row_smooth_laws_gaussian.
Proof.
  intros D s c eps delta k p L Hs HD. apply (gaussian_smooth_iff D s c); [exact Hs | | exact HD].
  destruct (Rtotal_order c 0) as [C | [C | C]]; [exfalso | exfalso | exact C].
  - assert (P := proj1 L 0%Z). rewrite HD in P.
    assert (X := exp_pos (- (IZR 0 ^ 2 / (2 * s)))).
    assert (0 < - c * exp (- (IZR 0 ^ 2 / (2 * s)))) by (apply Rmult_lt_0_compat; lra). lra.
  - apply (not_all_zero D L). intros y. rewrite HD, C. ring.
Qed.

Definition row_smooth_laws_bounded : Prop :=
  forall (D : Z -> R) (m : Z) (eps delta : R) (k : Z) (p : R),
  law D -> (forall y, (y < m)%Z -> D y = 0) -> (1 <= k)%Z -> smooth D eps delta k ->
  mass_of D (fun y => (y < m + k)%Z) p -> p <= delta.

Theorem row_smooth_laws_bounded_holds : row_smooth_laws_bounded.
Proof. intros D m eps delta k p [P _]. apply bounded_smooth, P. Qed.

Definition row_smooth_laws_never : Prop :=
  forall (D : Z -> R) (m : Z) (eps : R) (k : Z), law D -> (1 <= k)%Z ->
  (forall y, (y < m)%Z -> D y = 0) \/ (forall y, (m < y)%Z -> D y = 0) -> ~ smooth D eps 0 k.

Theorem row_smooth_laws_never_holds : row_smooth_laws_never.
Proof. intros D m eps k L K B. exact (bounded_never_smooth D m eps k L B K). Qed.
