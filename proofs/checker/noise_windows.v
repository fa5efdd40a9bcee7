(** The window of a noise law with so many bits, whatever its family.

    [noise_window bits nu] encloses the weights of the noise law nu; then its parameters lie in their domains and its
    masses add up to 1 ([noise_window_sound]). There is none for the families that are only listed, and none where the
    precision does not show what it has to. [longest_suffices nu]: the law is log-concave, so that of the shifts
    1, ..., k the longest is the worst ([longest_suffices_sound]).

    The programs are the methods [enclosed] and [worst_shifts] of exactdp/checker/noise_laws.py.
    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums masses longer_shift noise_on_naturals log_concave_laws fixed_point.
From ExactdpChecker Require Import claims outward windows binomial_window poisson_window laplace_window.
From ExactdpChecker Require Import negative_binomial_window gaussian_window binomial_sum_window.
Import ListNotations.
Open Scope R_scope.

Definition noise_window (bits : nat) (nu : noise) : option window :=
  match nu with
  | Binomial n p => binomial_window bits n p
  | BinomialSum n1 p1 n2 p2 => binomial_sum_window bits n1 p1 n2 p2
  | NegativeBinomial r p => negative_binomial_window bits r p
  | Geometric p => geometric_window bits p
  | DiscreteLaplace e => laplace_window bits e
  | DiscreteGaussian s => gaussian_window bits s
  | Poisson mu => poisson_window bits mu
  | _ => None
  end.

Definition longest_suffices (nu : noise) : bool :=
  match nu with
  | NegativeBinomial (Rational r) _ => (1 <=? Qnum r / Zpos (Qden r))%Z
  | Binomial _ _ | BinomialSum _ _ _ _ | Geometric _ | DiscreteLaplace _ | DiscreteGaussian _ | Poisson _ => true
  | _ => false
  end.

(** Whether there is a program for the family. *)
Definition has_window (nu : noise) : bool :=
  match nu with
  | Finite _ | View _ _ _ | DiscreteUniform _ _ => false
  | _ => true
  end.

Theorem noise_window_sound bits nu v :
  noise_window bits nu = Some v -> noise_posed nu /\ exists c, encloses v (noise_mass nu) c.
Proof.
  destruct nu; try discriminate.
  - apply binomial_window_sound.
  - apply binomial_sum_window_sound.
  - apply negative_binomial_window_sound.
  - apply geometric_window_sound.
  - apply laplace_window_sound.
  - apply gaussian_window_sound.
  - apply poisson_window_sound.
Qed.

Theorem longest_suffices_sound nu :
  longest_suffices nu = true -> noise_posed nu -> log_concave (noise_mass nu).
Proof.
  destruct nu; try discriminate; intros G H; cbn [noise_mass].
  - apply binomial_log_concave, H.
  - apply binomial_sum_log_concave, H.
  - destruct r as [r | | | | | |]; try discriminate G. cbn [longest_suffices] in G. apply Z.leb_le in G.
    destruct H as [_ [_ H]]. apply nb_log_concave; [| lra]. cbn [value].
    destruct (floor_div_bounds (Qnum r) (Zpos (Qden r)) ltac:(lia)) as [F _]. apply IZR_le in G. unfold Q2R, Rdiv in *.
    lra.
  - destruct H as [_ H]. apply (log_concave_ext (nb 1 (value p))); [intros t; symmetry; apply geometric_masses, H |].
    apply nb_log_concave; lra.
  - destruct H as [_ H]. apply discrete_laplace_log_concave. split; [apply Rinv_0_lt_compat; lra |].
    rewrite <- Rinv_1. apply Rinv_lt_contravar; lra.
  - apply gaussian_log_concave, H.
  - apply poisson_masses_log_concave, H.
Qed.
