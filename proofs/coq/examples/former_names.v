(** Definitions under their former names, which several files shared: each is what it is under its present name. *)

From Coq Require Import Reals List ZArith.
From Exactdp Require Import sums multivariate handelman box_inequality uniform_ends.
Import ListNotations.
Open Scope R_scope.

(** In handelman.v. *)
Definition holds (g : condition) (x : list R) : Prop :=
  if strict g then 0 < eval (polynomial g) x else 0 <= eval (polynomial g) x.

(** In multivariate.v. *)
Definition same (p q : poly) : Prop := forall e, coefficient p e = coefficient q e.

(** In box_inequality.v. *)
Definition value (terms : list (poly * poly)) (x : list R) : R :=
  total terms (fun pu => eval (fst pu) x * exp (eval (snd pu) x)).

(** In uniform_ends.v. *)
Definition run (first : Z) (count : nat) : list Z := map (fun i => first + Z.of_nat i)%Z (seq 0 count).
Definition outcomes (low high : Z) : Z := (high - low + 1)%Z.
Definition uniform (low high t : Z) : R :=
  if (Z.leb low t && Z.leb t high)%bool then / IZR (outcomes low high) else 0.

Lemma satisfied_holds g x : satisfied g x <-> holds g x.
Proof. reflexivity. Qed.

Lemma same_coefficients_same p q : same_coefficients p q <-> same p q.
Proof. reflexivity. Qed.

Lemma value_of_terms_value terms x : value_of_terms terms x = value terms x.
Proof. reflexivity. Qed.

Lemma integers_from_run first count : integers_from first count = run first count.
Proof. reflexivity. Qed.

Lemma breadth_outcomes low high : breadth low high = outcomes low high.
Proof. reflexivity. Qed.

Lemma uniform_on_uniform low high t : uniform_on low high t = uniform low high t.
Proof. reflexivity. Qed.
