(** The row of proofs/smooth_laws.py that is a claim of the proved checker, computed here by the kernel.

    For each law the row lists 100 e^eps for the shifts 1, 2, 4, ..., 64: it is enough at delta = 1/100, and 1 less is
    not; where there is none, 10^6 is not enough for e^eps. The laws are those of claims.v. Source: this package. *)

From Coq Require Import ZArith QArith List.
From ExactdpChecker Require Import claims witnesses.
From ExactdpComputed Require Import by_computation.
Import ListNotations.
Open Scope Q_scope.

Definition smooth_claim (nu : noise) (k : Z) (hundredths : Z) : claim :=
  Smooth nu k (ExpEps (Qred (hundredths # 100))) (1 # 100).

Definition per_unit (nu : noise) (listed : list (option Z)) : list claim :=
  flat_map (fun '(k, needed) =>
    match needed with
    | Some h => [smooth_claim nu k h; Not (smooth_claim nu k (h - 1))]
    | None => [Not (smooth_claim nu k 100000000)]
    end) (combine [1; 2; 4; 8; 16; 32; 64]%Z listed).

(** To refute it, the Poisson law is moved down, the others up. *)
Definition windows (nu : noise) (listed : list (option Z)) : list witness :=
  let bits k := Bits (match nu with DiscreteLaplace _ => 59 | _ => Z.max 59 (11 + 3 * k) end)%Z in
  let beyond k := By (match nu with Poisson _ => - k | _ => k end)%Z (bits k) in
  flat_map (fun '(k, needed) =>
    match needed with
    | Some _ => [Simple (bits k); beyond k]
    | None => [beyond k]
    end) (combine [1; 2; 4; 8; 16; 32; 64]%Z listed).

Definition row_smooth_laws_per_unit : Prop :=
  let smooth_at nu k E := holds (Smooth nu k (ExpEps (Qred E)) (1 # 100)) in
  each (fun '(nu, listed) =>
    each (fun '(k, needed) =>
      match needed with
      | Some h => smooth_at nu k (h # 100) /\ ~ smooth_at nu k (h - 1 # 100)
      | None => ~ smooth_at nu k (10 ^ 8 # 100)
      end) (combine [1; 2; 4; 8; 16; 32; 64]%Z listed))
    [(DiscreteLaplace (Rational (4 # 3)), map Some [134; 134; 134; 134; 134; 134; 134]%Z);
     (DiscreteGaussian 25, map Some [165; 169; 176; 190; 223; 307; 582]%Z);
     (Binomial 100 (Rational (1 # 2)), map Some [166; 170; 177; 194; 234; 384]%Z ++ [None]);
     (Poisson (Rational 25), map Some [179; 186; 201; 245]%Z ++ [None; None; None])].

Definition claimed_smooth_laws_per_unit : claim := ltac:(
  let row := eval cbv beta zeta delta [row_smooth_laws_per_unit] in row_smooth_laws_per_unit in
  match row with each _ ?laws =>
    exact (Conjunction (map (fun nl => Conjunction (per_unit (fst nl) (snd nl)) []) laws) []) end).

Lemma computed (l : list (noise * list (option Z))) :
  forallb (fun nl => forallb accepted (combine (per_unit (fst nl) (snd nl)) (windows (fst nl) (snd nl)))) l = true ->
  each (fun nl => each holds (map fst (combine (per_unit (fst nl) (snd nl)) (windows (fst nl) (snd nl))))) l.
Proof.
  induction l as [| nl l IH]; [exact (fun _ => I) |]. simpl. intros H. apply andb_prop in H. destruct H as [H T].
  split; [apply each_by, H | apply IH, T].
Qed.

Lemma claimed_smooth_laws_per_unit_holds : holds claimed_smooth_laws_per_unit.
Proof.
  unfold claimed_smooth_laws_per_unit.
  match goal with |- holds (Conjunction (map _ ?laws) _) => apply (computed laws) end.
  vm_cast_no_check (eq_refl true).
Qed.

Theorem row_smooth_laws_per_unit_holds : row_smooth_laws_per_unit.
Proof.
  assert (H := claimed_smooth_laws_per_unit_holds). cbn in H. unfold row_smooth_laws_per_unit. cbn. tauto.
Qed.
