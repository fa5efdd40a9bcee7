(** Exact ratios of neighbouring weights, where they are rational.

    [exact_ratio nu t] is a quotient x / d with d > 0 and d w(t+1) = x w(t), for the weights w of the noise law nu
    ([exact_ratio_sound]): for binomial, negative binomial, geometric and Poisson laws with rational parameters at t >=
    0, and discrete Laplace laws with a rational parameter at every t. [exact_product nu t n] is the one of w(t) and w(t
    - n), from n of these ([exact_product_sound]).

    The programs are the methods [ratio] of exactdp/checker/noise_laws.py. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums masses binomial noise_on_naturals.
From ExactdpChecker Require Import claims binomial_window poisson_window negative_binomial_window.
Import ListNotations.
Open Scope Z_scope.

Definition exact_ratio (nu : noise) (t : Z) : option (Z * Z) :=
  match nu with
  | Binomial n (Rational p) =>
      if (0 <=? t) && (Qnum p <? Zpos (Qden p)) then Some ((n - t) * Qnum p, (t + 1) * (Zpos (Qden p) - Qnum p)) else
        None
  | NegativeBinomial (Rational r) (Rational p) =>
      if 0 <=? t then Some ((Qnum r + t * Zpos (Qden r)) * Qnum p, Zpos (Qden r) * Zpos (Qden p) * (t + 1)) else None
  | Geometric (Rational p) => if 0 <=? t then Some (Qnum p, Zpos (Qden p)) else None
  | DiscreteLaplace (Rational e) =>
      if 0 <? Qnum e then Some (if 0 <=? t then (Zpos (Qden e), Qnum e) else (Qnum e, Zpos (Qden e))) else None
  | Poisson (Rational mu) => if 0 <=? t then Some (Qnum mu, Zpos (Qden mu) * (t + 1)) else None
  | _ => None
  end.

Fixpoint exact_product (nu : noise) (t : Z) (n : nat) : option (Z * Z) :=
  match n with
  | O => Some (1, 1)
  | S m =>
      match exact_ratio nu (t - 1) with
      | Some (x, d) => match exact_product nu (t - 1) m with Some (y, e) => Some (x * y, d * e) | None => None end
      | None => None
      end
  end.

Open Scope R_scope.

Lemma Q2R_cleared q : Q2R q * IZR (Zpos (Qden q)) = IZR (Qnum q).
Proof. assert (D := IZR_lt 0 (Zpos (Qden q)) ltac:(lia)). unfold Q2R. field. lra. Qed.

Lemma some_pair {A B} (a x : A) (b y : B) : Some (a, b) = Some (x, y) -> x = a /\ y = b.
Proof. intros H. injection H as <- <-. auto. Qed.

Theorem exact_ratio_sound nu t x d :
  noise_posed nu -> exact_ratio nu t = Some (x, d) ->
  (0 < d)%Z /\ IZR d * noise_mass nu (t + 1)%Z = IZR x * noise_mass nu t.
Proof.
  destruct nu as [| | n [p | | | | | |] | | [r | | | | | |] [p | | | | | |] | [p | | | | | |] | [e | | | | | |] |
    | [mu | | | | | |] |];
    try discriminate; unfold exact_ratio; cbn [noise_mass noise_posed value].
  - intros [Hn _]. destruct (Z.leb_spec 0 t) as [T | T]; [| discriminate].
    destruct (Z.ltb_spec (Qnum p) (Zpos (Qden p))) as [P | P]; [| discriminate]. intros H. apply some_pair in H.
    destruct H as [-> ->].
    split; [apply Z.mul_pos_pos; lia |]. assert (B := binomial_ratio_Z n (Q2R p) t Hn T).
    rewrite !mult_IZR, (minus_IZR (Zpos (Qden p))), <- (Q2R_cleared p). set (q := IZR (Zpos (Qden p))) in *.
    replace (IZR (t + 1) * (q - Q2R p * q) * binomial.binomial (Z.to_nat n) (Q2R p) (t + 1))
      with (q * (binomial.binomial (Z.to_nat n) (Q2R p) (t + 1) * IZR (t + 1) * (1 - Q2R p))) by ring.
    rewrite B. ring.
  - intros _. destruct (Z.leb_spec 0 t) as [T | T]; [| discriminate]. intros H. apply some_pair in H.
    destruct H as [-> ->].
    split; [apply Z.mul_pos_pos; lia |]. fold (nb (Q2R r) (Q2R p)). assert (B := nb_next (Q2R r) (Q2R p) t T).
    rewrite !mult_IZR, (plus_IZR (Qnum r)), mult_IZR, <- (Q2R_cleared p), <- (Q2R_cleared r).
    set (a := IZR (Zpos (Qden p))) in *. set (b := IZR (Zpos (Qden r))) in *.
    replace (b * a * IZR (t + 1) * nb (Q2R r) (Q2R p) (t + 1)) with (a * b * (nb (Q2R r) (Q2R p) (t + 1) * IZR (t + 1)))
      by ring.
    rewrite B. ring.
  - intros [_ Hp]. destruct (Z.leb_spec 0 t) as [T | T]; [| discriminate]. intros H. apply some_pair in H.
    destruct H as [-> ->].
    split; [lia |]. unfold on_naturals. rewrite !(proj2 (Z.ltb_ge _ _)) by lia.
    replace (Z.to_nat (t + 1)) with (S (Z.to_nat t)) by lia.
    rewrite <- (Q2R_cleared p). simpl pow. ring.
  - intros [_ He]. destruct (Z.ltb_spec 0 (Qnum e)) as [P | P]; [| discriminate]. assert (E := Q2R_cleared e).
    assert (X : forall u v, Q2R e * u = v -> IZR (Qnum e) * u = IZR (Zpos (Qden e)) * v).
    { intros u v <-. rewrite <- E. ring. }
    unfold geometric_noise.geometric. destruct (Z.leb_spec 0 t) as [T | T]; intros H; apply some_pair in H;
      destruct H as [-> ->].
    + split; [exact P |]. apply X. replace (Z.abs_nat (t + 1)) with (S (Z.abs_nat t)) by lia. simpl pow. field. lra.
    + split; [lia |]. symmetry. apply X. replace (Z.abs_nat t) with (S (Z.abs_nat (t + 1))) by lia. simpl pow. field.
      lra.
  - intros _. destruct (Z.leb_spec 0 t) as [T | T]; [| discriminate]. intros H. apply some_pair in H.
    destruct H as [-> ->].
    split; [apply Z.mul_pos_pos; lia |]. fold (poisson (Q2R mu)). assert (B := poisson_next (Q2R mu) t T).
    rewrite !mult_IZR, <- (Q2R_cleared mu). set (a := IZR (Zpos (Qden mu))) in *.
    replace (a * IZR (t + 1) * poisson (Q2R mu) (t + 1)) with (a * (poisson (Q2R mu) (t + 1) * IZR (t + 1))) by ring.
    rewrite B. ring.
Qed.

Theorem exact_product_sound nu : noise_posed nu -> forall n t x d, exact_product nu t n = Some (x, d) ->
  (0 < d)%Z /\ IZR d * noise_mass nu t = IZR x * noise_mass nu (t - Z.of_nat n)%Z.
Proof.
  intros N. induction n as [| n IH]; intros t x d H.
  - injection H as <- <-. split; [lia |]. do 2 f_equal. lia.
  - cbn [exact_product] in H. destruct (exact_ratio nu (t - 1)) as [[y e] |] eqn:E; [| discriminate].
    destruct (exact_product nu (t - 1) n) as [[z f] |] eqn:F; [| discriminate]. injection H as <- <-.
    destruct (exact_ratio_sound _ _ _ _ N E) as [E0 E1]. destruct (IH _ _ _ F) as [F0 F1].
    replace (t - 1 + 1)%Z with t in E1 by lia. replace (t - 1 - Z.of_nat n)%Z with (t - Z.of_nat (S n))%Z in F1 by lia.
    split; [apply Z.mul_pos_pos; assumption |]. rewrite !mult_IZR.
    replace (IZR e * IZR f * noise_mass nu t) with (IZR f * (IZR e * noise_mass nu t)) by ring. rewrite E1.
    replace (IZR f * (IZR y * noise_mass nu (t - 1)%Z)) with (IZR y * (IZR f * noise_mass nu (t - 1)%Z)) by ring.
    rewrite F1. ring.
Qed.
