(** The windows of discrete Laplace laws, exp_eps > 1 a rational or a real expression.

    [laplace_window bits e] encloses the weights e^-|t| from 0 outward to both sides ([laplace_window_sound]).

    The program is the class DiscreteLaplaceNoise of exactdp/checker/noise_laws.py. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums masses geometric_noise longer_shift noise_on_naturals log_concave_laws.
From ExactdpChecker Require Import claims outward windows walked_naturals enclosed_reals.
Open Scope Z_scope.

Definition constant_window (r : Z * Z * Z) (bits : nat) : option window :=
  walked_window (fun _ : unit => Some r) (fun _ => Some r) (fun s => s) (fun s => s) 0 1 0 tt tt bits.

Definition laplace_window (bits : nat) (e : real) : option window :=
  match parameter bits e with
  | Some (l, h, d) => if d <? l then constant_window (inverse (l, h, d)) bits else None
  | None => None
  end.

Open Scope R_scope.

Lemma laplace_next a i :
  above (geometric a) 0 (1 + i) = a * above (geometric a) 0 i /\ below (geometric a) 0 (1 + i) =
    a * below (geometric a) 0 i.
Proof.
  unfold above, below, geometric. replace (Z.abs_nat (0 + Z.of_nat (1 + i))) with (S i) by lia.
  replace (Z.abs_nat (0 + Z.of_nat i)) with i by lia. replace (Z.abs_nat (0 - Z.of_nat (1 + i))) with (S i) by lia.
  replace (Z.abs_nat (0 - Z.of_nat i)) with i by lia. simpl pow. split; ring.
Qed.

Theorem laplace_window_sound bits e v :
  laplace_window bits e = Some v ->
  noise_posed (DiscreteLaplace e) /\ exists c, encloses v (noise_mass (DiscreteLaplace e)) c.
Proof.
  unfold laplace_window. destruct (parameter bits e) as [[[l h] d] |] eqn:E; [| discriminate].
  destruct (Z.ltb_spec d l) as [G | G]; [| discriminate].
  destruct (parameter_sound _ _ _ _ _ E) as [N [D [[L U] _]]]. assert (Rd := IZR_lt _ _ D). assert (Rl := IZR_lt _ _ G).
  clear E. set (x := value e) in *. intros W.
  assert (X : 1 < x) by (apply Rmult_lt_reg_l with (IZR d); lra).
  split; [cbn [noise_posed]; auto |]. cbn [noise_mass]. fold x.
  assert (A : 0 < / x < 1).
  { split; [apply Rinv_0_lt_compat; lra |]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  assert (LC := discrete_laplace_log_concave (/ x) A). assert (P := geometric_pos (/ x) 0 A).
  destruct (log_concave_falls _ 0 (IZR 0 / IZR 1) LC P) as [F1 F2].
  exists (2 ^ bits / geometric (/ x) 0). revert W. unfold constant_window.
  assert (Main : forall (D : nat -> R), (forall i, 0 <= D i) -> (forall i, D (1 + i)%nat = / x * D i) -> forall a b c,
    inverse (l, h, d) = (a, b, c) -> forall i, IZR a * D i <= IZR c * D (1 + i)%nat <= IZR b * D i).
  { intros Ds Pos Next a b c I i. rewrite (Next i). unfold inverse in I. specialize (Pos i).
    set (y := / x * Ds i). assert (Y : Ds i = x * y) by (unfold y; field; lra). rewrite Y.
    assert (Y0 : 0 <= y) by (apply Rmult_le_pos; lra).
    destruct (Z.eqb_spec l h) as [-> | _]; injection I as <- <- <-.
    - assert (Q : IZR d * x = IZR h) by lra. rewrite <- Rmult_assoc, Q. lra.
    - rewrite !mult_IZR.
      replace (IZR d * IZR l * (x * y)) with (IZR l * y * (IZR d * x)) by ring.
      replace (IZR l * IZR h * y) with (IZR l * y * IZR h) by ring.
      replace (IZR d * IZR h * (x * y)) with (IZR h * y * (IZR d * x)) by ring. split.
      + apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | exact U].
      + replace (IZR l * y * IZR h) with (IZR h * y * IZR l) by ring. apply Rmult_le_compat_l;
          [apply Rmult_le_pos; lra | exact L]. }
  apply (walked_window_sound _ _ _ _ 0 1 (geometric (/ x)) 0 tt tt bits (geometric_law _ A) P ltac:(lia)).
  - split; [| split; [discriminate | exact F1]]. intros i a b c H. injection H as H.
    apply (Main _ (fun i => proj1 LC _) (fun i => proj1 (laplace_next _ i)) a b c H).
  - split; [| split; [discriminate | exact F2]]. intros i a b c H. injection H as H.
    apply (Main _ (fun i => proj1 LC _) (fun i => proj2 (laplace_next _ i)) a b c H).
Qed.
