(** Whether the parameters of a noise law are shown to lie in their domains, real expressions as well as rationals.

    [noise_is_shown bits nu] encloses each parameter that is not a rational with so many bits: it answers true only if
    all of them lie in their domains ([noise_is_shown_sound]); strictly inside, where one is not a rational. For every
    family of laws.

    The program is Parameter.bounds of exactdp/checker/reals.py. Source: docs/certificates.md, "Noise laws". *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From ExactdpChecker Require Import claims posed enclosed_reals binomial_window negative_binomial_window.
Open Scope Z_scope.

(** A test of the bounds l / d and h / d of a parameter. *)
Definition is_shown (bits : nat) (x : real) (test : Z -> Z -> Z -> bool) : bool :=
  match parameter bits x with
  | Some (l, h, d) => test l h d
  | None => false
  end.

Definition noise_is_shown (bits : nat) (nu : noise) : bool :=
  match nu with
  | Binomial n p => (0 <=? n) && is_shown bits p (is_chance p)
  | BinomialSum n1 p1 n2 p2 =>
      (0 <=? n1) && is_shown bits p1 (is_chance p1) && ((0 <=? n2) && is_shown bits p2 (is_chance p2))
  | NegativeBinomial r p => is_shown bits r (fun l _ _ => 0 <? l) && is_shown bits p (is_below_1 p)
  | Geometric p => is_shown bits p (is_below_1 p)
  | DiscreteLaplace e => is_shown bits e (fun l _ d => d <? l)
  | Poisson mu => is_shown bits mu (fun l _ _ => if is_rational mu then 0 <=? l else 0 <? l)
  | _ => noise_is_posed nu
  end.

Open Scope R_scope.

Lemma is_shown_sound bits x test : is_shown bits x test = true -> exists l h d, parameter bits x = Some (l, h, d) /\
  test l h d = true /\ is_number x /\ (0 < d)%Z /\ IZR l <= IZR d * value x <= IZR h.
Proof.
  unfold is_shown. destruct (parameter bits x) as [[[l h] d] |] eqn:E; [| discriminate]. intros H.
  destruct (parameter_sound _ _ _ _ _ E) as [N [D [B _]]]. exists l, h, d. auto.
Qed.

Lemma chance_shown bits x : is_shown bits x (is_chance x) = true -> is_number x /\ 0 <= value x <= 1.
Proof.
  intros H. destruct (is_shown_sound _ _ _ H) as [l [h [d [E [T _]]]]].
  destruct (is_chance_sound _ _ _ _ _ E T) as [N [_ [_ [_ [_ [R _]]]]]]. auto.
Qed.

Lemma below_1_shown bits x : is_shown bits x (is_below_1 x) = true -> is_number x /\ 0 <= value x < 1.
Proof.
  intros H. destruct (is_shown_sound _ _ _ H) as [l [h [d [_ [T [N [D [L U]]]]]]]]. split; [exact N |].
  unfold is_below_1 in T. apply andb_true_iff in T. destruct T as [T1 T2]. apply Z.ltb_lt, IZR_lt in T2.
  apply IZR_lt in D.
  assert (L0 : 0 <= IZR l) by (destruct (is_rational x); [apply Z.leb_le in T1 | apply Z.ltb_lt in T1];
    apply (IZR_le 0); lia).
  split; [apply Rmult_le_reg_l with (IZR d) | apply Rmult_lt_reg_l with (IZR d)]; lra.
Qed.

Theorem noise_is_shown_sound bits nu : noise_is_shown bits nu = true -> noise_posed nu.
Proof.
  destruct nu as [weights | t histogram weights | n p | n1 p1 n2 p2 | r p | p | e | s | mu | low high];
    cbn [noise_is_shown];
    try apply noise_is_posed_sound; cbn [noise_posed]; rewrite ?andb_true_iff.
  - intros [H1 H2]. split; [apply Z.leb_le, H1 | apply (chance_shown bits), H2].
  - intros [[H1 H2] [H3 H4]]. split; (split; [apply Z.leb_le; assumption | apply (chance_shown bits); assumption]).
  - intros [H1 H2]. split; [| apply (below_1_shown bits), H2].
    destruct (is_shown_sound _ _ _ H1) as [l [h [d [_ [T [N [D [L U]]]]]]]]. split; [exact N |].
    apply Z.ltb_lt, IZR_lt in T. apply IZR_lt in D. apply Rmult_lt_reg_l with (IZR d); lra.
  - apply below_1_shown.
  - intros H. destruct (is_shown_sound _ _ _ H) as [l [h [d [_ [T [N [D [L U]]]]]]]]. split; [exact N |].
    apply Z.ltb_lt, IZR_lt in T. apply IZR_lt in D. apply Rmult_lt_reg_l with (IZR d); lra.
  - intros H. destruct (is_shown_sound _ _ _ H) as [l [h [d [_ [T [N [D [L U]]]]]]]]. split; [exact N |].
    assert (L0 : 0 <= IZR l) by (destruct (is_rational mu); [apply Z.leb_le in T | apply Z.ltb_lt in T];
      apply (IZR_le 0); lia).
    apply IZR_lt in D. apply Rmult_le_reg_l with (IZR d); lra.
Qed.
