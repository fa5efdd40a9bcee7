(** The window of a binomial law: n trials, n >= 0, of a probability p in [0, 1] that is a rational or a real
    expression.

    [binomial_window bits n p] encloses the weights of Bin(n, p) from its mode outward ([binomial_window_sound]); it
    makes no window where p is not shown to lie in [0, 1], or inside if it is not a rational. Any n: only weights that
    are not lost in the precision are walked. Binomial laws are log-concave ([binomial_log_concave]), and so is their
    convolution ([coins_log_concave] of log_concave_laws.v).

    The program is the class BinomialNoise of exactdp/checker/noise_laws.py. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums masses binomial geometric_tail longer_shift noise_on_naturals log_concave_laws.
From Exactdp Require Import fixed_point.
From ExactdpChecker Require Import claims outward windows walked_naturals enclosed_reals.
Import ListNotations.
Open Scope Z_scope.

(** Whether the parameter l / d, h / d is shown to lie in [0, 1], for a rational, or inside. *)
Definition is_chance (x : real) (l h d : Z) : bool :=
  if is_rational x then (0 <=? l) && (l <=? d) else (0 <? l) && (h <? d).

(** p / (1 - p), rounded outward. *)
Definition odds (l h d : Z) : Z * Z * Z :=
  if l =? h then (l, h, d - l) else (l * (d - h), h * (d - l), (d - l) * (d - h)).

Definition binomial_ratio (n : Z) (o : Z * Z * Z) (t : Z) : Z * Z * Z :=
  let '(ol, oh, od) := o in ((n - t) * ol, (n - t) * oh, (t + 1) * od).

Definition binomial_window (bits : nat) (n : Z) (p : real) : option window :=
  match parameter bits p with
  | Some (l, h, d) =>
      if (0 <=? n) && is_chance p l h d then
        walked_naturals (binomial_ratio n (odds l h d)) (Some n) 0 1 (Z.min n ((n + 1) * l / d)) bits
      else None
  | None => None
  end.

Open Scope R_scope.

(** ** The law *)

Lemma coins_binomial p n t : coins (repeat p n) t = binomial n p t.
Proof.
  revert t. induction n as [| n IH]; intros t.
  - simpl. destruct (Z.eqb_spec t 0) as [-> | N].
    + unfold binomial. simpl. rewrite binom_inside, choose_0 by lia. simpl. ring.
    + destruct (Z_lt_le_dec t 0) as [L | L]; [rewrite binomial_negative by exact L | rewrite binomial_above by lia];
        reflexivity.
  - change (coins (repeat p (S n)) t) with (with_coin p (coins (repeat p n)) t). unfold with_coin. rewrite !IH.
    destruct (Z.lt_trichotomy t 0) as [L | [-> | L]].
    + rewrite !binomial_negative by lia. ring.
    + rewrite (binomial_negative n p (0 - 1)) by lia. change 0%Z with (Z.of_nat 0). rewrite !binomial_of_nat, binom_S_0.
      ring.
    + replace t with (Z.of_nat (S (Z.to_nat (t - 1)))) by lia. set (i := Z.to_nat (t - 1)).
      replace (Z.of_nat (S i) - 1)%Z with (Z.of_nat i) by lia. rewrite !binomial_of_nat, binom_S_S. ring.
Qed.

Lemma log_concave_ext w u : (forall t, w t = u t) -> log_concave w -> log_concave u.
Proof. intros E [P L]. split; intros; rewrite <- !E; auto. Qed.

Lemma binomial_log_concave n p : 0 <= p <= 1 -> log_concave (binomial n p).
Proof.
  intros H. apply (log_concave_ext (coins (repeat p n))); [apply coins_binomial |].
  apply coins_log_concave. intros q I. apply repeat_spec in I. subst q. exact H.
Qed.

(** ** Soundness *)

Lemma is_chance_sound bits x l h d :
  parameter bits x = Some (l, h, d) -> is_chance x l h d = true ->
  is_number x /\ (0 < d)%Z /\ (0 <= l)%Z /\ (h <= d)%Z /\ IZR l <= IZR d * value x <= IZR h /\ 0 <= value x <= 1 /\
  (0 < value x < 1 \/ (l = h /\ IZR l = IZR d * value x)).
Proof.
  intros P C. destruct (parameter_sound _ _ _ _ _ P) as [N [D [[L U] E]]]. assert (Rd := IZR_lt _ _ D).
  unfold is_chance in C. destruct (is_rational x).
  - specialize (E eq_refl). subst h. apply andb_true_iff in C. destruct C as [C1 C2]. apply Z.leb_le in C1, C2.
    assert (R1 := IZR_le _ _ C1). assert (R2 := IZR_le _ _ C2). repeat split; auto; try lra.
    + apply Rmult_le_reg_l with (IZR d); lra.
    + apply Rmult_le_reg_l with (IZR d); lra.
    + right. split; [reflexivity | lra].
  - apply andb_true_iff in C. destruct C as [C1 C2]. apply Z.ltb_lt in C1, C2.
    assert (R1 := IZR_lt _ _ C1). assert (R2 := IZR_lt _ _ C2).
    assert (0 < value x < 1) by (split; apply Rmult_lt_reg_l with (IZR d); lra). repeat split; auto; try lia; lra.
Qed.

Lemma binomial_ratio_Z n p t :
  (0 <= n)%Z -> (0 <= t)%Z ->
  binomial (Z.to_nat n) p (t + 1) * IZR (t + 1) * (1 - p) = binomial (Z.to_nat n) p t * IZR (n - t) * p.
Proof.
  intros Hn Ht. assert (B := binom_ratio (Z.to_nat n) p (Z.to_nat t)). rewrite !INR_IZR_INZ in B.
  rewrite <- minus_IZR in B. replace (Z.of_nat (S (Z.to_nat t))) with (t + 1)%Z in B by lia.
  rewrite !Z2Nat.id in B by lia.
  rewrite <- !binomial_of_nat in B. replace (Z.of_nat (S (Z.to_nat t))) with (t + 1)%Z in B by lia.
  rewrite Z2Nat.id in B by lia. exact B.
Qed.

Lemma odds_bound l h d p A B :
  (0 <= l)%Z -> (h <= d)%Z -> (0 < d)%Z -> IZR l <= IZR d * p <= IZR h -> 0 <= A -> 0 <= B -> B * (1 - p) = A * p ->
  let '(ol, oh, od) := odds l h d in
  IZR ol * A <= IZR od * B <= IZR oh * A /\ (0 <= ol)%Z /\ (0 <= oh)%Z.
Proof.
  intros Hl Hh Hd [L U] HA HB E. assert (Rd := IZR_lt _ _ Hd). assert (Rl := IZR_le _ _ Hl).
  assert (Rh := IZR_le _ _ Hh).
  assert (LH : (l <= h)%Z) by (apply le_IZR; lra).
  assert (E' : B * (IZR d - IZR d * p) = A * (IZR d * p)).
  { replace (B * (IZR d - IZR d * p)) with (IZR d * (B * (1 - p))) by ring. rewrite E. ring. }
  set (P := IZR d * p) in *. unfold odds. destruct (Z.eqb_spec l h) as [-> | N].
  - rewrite minus_IZR. assert (X : P = IZR h) by lra. rewrite X in E'. split; [lra | lia].
  - rewrite !mult_IZR, !minus_IZR.
    assert (X1 : IZR l * A <= (IZR d - IZR l) * B).
    { apply Rle_trans with (B * (IZR d - P)); [rewrite E', (Rmult_comm A); apply Rmult_le_compat_r; lra |].
      rewrite Rmult_comm. apply Rmult_le_compat_r; lra. }
    assert (X2 : (IZR d - IZR h) * B <= IZR h * A).
    { apply Rle_trans with (B * (IZR d - P)); [rewrite (Rmult_comm B); apply Rmult_le_compat_r; lra |].
      rewrite E', (Rmult_comm A). apply Rmult_le_compat_r; lra. }
    split; [split |].
    + replace (IZR l * (IZR d - IZR h) * A) with ((IZR d - IZR h) * (IZR l * A)) by ring.
      replace ((IZR d - IZR l) * (IZR d - IZR h) * B) with ((IZR d - IZR h) * ((IZR d - IZR l) * B)) by ring.
      apply Rmult_le_compat_l; lra.
    + replace (IZR h * (IZR d - IZR l) * A) with ((IZR d - IZR l) * (IZR h * A)) by ring.
      replace ((IZR d - IZR l) * (IZR d - IZR h) * B) with ((IZR d - IZR l) * ((IZR d - IZR h) * B)) by ring.
      assert (IZR l <= IZR d) by lra. apply Rmult_le_compat_l; lra.
    + split; apply Z.mul_nonneg_nonneg; lia.
Qed.

Theorem binomial_window_sound bits n p v :
  binomial_window bits n p = Some v ->
  noise_posed (Binomial n p) /\ exists c, encloses v (noise_mass (Binomial n p)) c.
Proof.
  unfold binomial_window. destruct (parameter bits p) as [[[l h] d] |] eqn:E; [| discriminate].
  destruct (_ && _) eqn:G; [| discriminate]. apply andb_true_iff in G. destruct G as [Hn C]. apply Z.leb_le in Hn.
  destruct (is_chance_sound _ _ _ _ _ E C) as [N [D [L [H [B [R Inside]]]]]]. clear C E.
  intros W. split; [cbn [noise_posed]; auto |]. cbn [noise_mass]. set (q := value p) in *. set (m := Z.to_nat n).
  set (start := Z.min n ((n + 1) * l / d)) in *. exists (2 ^ bits / binomial m q start).
  assert (Rd := IZR_lt _ _ D).
  assert (S0 : (0 <= start <= n)%Z).
  { assert (0 <= (n + 1) * l / d)%Z by (apply Z.div_pos; [apply Z.mul_nonneg_nonneg |]; lia). unfold start. lia. }
  assert (Start : 0 < binomial m q start).
  { destruct Inside as [I | [Eq El]]; [apply binomial_pos; [exact I | unfold m; lia] |]. subst h.
    destruct (Rlt_dec 0 q) as [Q0 | Q0]; [destruct (Rlt_dec q 1) as [Q1 | Q1] |].
    - apply binomial_pos; [lra | unfold m; lia].
    - assert (Q : q = 1) by lra. rewrite Q, Rmult_1_r in El. apply eq_IZR in El. subst l.
      assert (X : start = Z.of_nat m) by (unfold start, m; rewrite Z.div_mul by lia; lia).
      rewrite X, Q, binomial_of_nat, binom_inside, choose_n, Nat.sub_diag, pow1 by lia. simpl. lra.
    - assert (Q : q = 0) by lra. rewrite Q, Rmult_0_r in El. apply eq_IZR in El. subst l.
      assert (X : start = Z.of_nat 0) by (unfold start; rewrite Z.mul_0_r, Z.div_0_l by lia; lia).
      rewrite X, Q, binomial_of_nat, binom_inside, choose_0, Rminus_0_r, pow1 by lia. simpl. lra. }
  assert (LC := binomial_log_concave m q R).
  destruct (log_concave_falls _ start (IZR 0 / IZR 1) LC Start) as [F1 F2].
  apply (walked_naturals_sound (binomial m q) (binomial_ratio n (odds l h d)) (Some n) 0 1 start); auto.
  - intros t Ht. apply binomial_negative, Ht.
  - intros n' t E Ht. injection E as <-. apply binomial_above. unfold m. lia.
  - intros t a b e Ht Top E. specialize (Top n eq_refl). unfold binomial_ratio in E.
    assert (X := odds_bound l h d q (binomial m q t * IZR (n - t)) (binomial m q (t + 1) * IZR (t + 1)) L H D B).
    assert (T1 : 0 <= IZR (n - t)) by (apply IZR_le; lia). assert (T2 : 0 <= IZR (t + 1)) by (apply IZR_le; lia).
    specialize (X (Rmult_le_pos _ _ (proj1 LC _) T1) (Rmult_le_pos _ _ (proj1 LC _) T2) (binomial_ratio_Z n q t Hn Ht)).
    destruct (odds l h d) as [[ol oh] od]. injection E as <- <- <-. destruct X as [X [O1 O2]].
    split; [apply Z.mul_nonneg_nonneg; lia |]. split; [apply Z.mul_nonneg_nonneg; lia |]. rewrite !mult_IZR. lra.
  - split; [lia |]. intros n' E. injection E as <-. lia.
  - apply binomial_law, R.
  - lia.
Qed.
