(** Ratios of binomial masses over several steps.

    From D(y) (n - y) p = D(y + 1) (y + 1) (1 - p) follows, step by step, for D = Bin(n, p) and every number
    j of steps,
      D(y) p^j (n - y) (n - y - 1) ... (n - y - j + 1) = D(y + j) (1 - p)^j (y + 1) ... (y + j),
      D(y) (1 - p)^j y (y - 1) ... (y - j + 1) = D(y - j) p^j (n - y + 1) ... (n - y + j),
    for all n and real p; where the factors are not 0 these are quotients ([lemma3_quotient_up],
    [lemma3_quotient_down]). (Ledger row lemma3-ratio; source: Ghazi, Golowich, Kumar, Pagh, Velingker 2021,
    section 4, where both are misprinted.) *)

From Coq Require Import Reals Lra Lia.
From Exactdp Require Import binomial.
Open Scope R_scope.

(** The product of f 0, f 1, ..., f (j - 1). *)
Fixpoint prod (j : nat) (f : nat -> R) : R := match j with O => 1 | S m => prod m f * f m end.

Lemma prod_pos j f : (forall i, (i < j)%nat -> 0 < f i) -> 0 < prod j f.
Proof.
  induction j as [| j IH]; intros H; simpl; [lra |].
  apply Rmult_lt_0_compat; [apply IH; intros; apply H |]; auto with arith.
Qed.

Theorem lemma3_ratio_up n p (y j : nat) :
  binom n p y * p ^ j * prod j (fun i => INR n - INR y - INR i) =
  binom n p (y + j) * (1 - p) ^ j * prod j (fun i => INR y + INR (S i)).
Proof.
  induction j as [| j IH]; [rewrite Nat.add_0_r; simpl; ring |]. cbn [prod pow].
  replace (y + S j)%nat with (S (y + j)) by lia. assert (Q := binom_ratio n p (y + j)).
  rewrite S_INR, plus_INR in Q. rewrite S_INR.
  set (f := prod j (fun i => INR n - INR y - INR i)) in *.
  set (g := prod j (fun i => INR y + INR (S i))) in *.
  replace (binom n p y * (p * p ^ j) * (f * (INR n - INR y - INR j)))
    with (binom n p y * p ^ j * f * (p * (INR n - INR y - INR j))) by ring. rewrite IH.
  replace (binom n p (y + j) * (1 - p) ^ j * g * (p * (INR n - INR y - INR j)))
    with ((1 - p) ^ j * g * (binom n p (y + j) * (INR n - (INR y + INR j)) * p)) by ring.
  rewrite <- Q. ring.
Qed.

Theorem lemma3_ratio_down n p (y j : nat) : (j <= y)%nat ->
  binom n p y * (1 - p) ^ j * prod j (fun i => INR y - INR i) =
  binom n p (y - j) * p ^ j * prod j (fun i => INR n - INR y + INR (S i)).
Proof.
  induction j as [| j IH]; intros H; [rewrite Nat.sub_0_r; simpl; ring |]. cbn [prod pow].
  specialize (IH ltac:(lia)). assert (Q := binom_ratio n p (y - S j)).
  replace (S (y - S j)) with (y - j)%nat in Q by lia. rewrite !minus_INR, S_INR in Q by lia. rewrite S_INR.
  set (f := prod j (fun i => INR y - INR i)) in *.
  set (g := prod j (fun i => INR n - INR y + INR (S i))) in *.
  replace (binom n p y * ((1 - p) * (1 - p) ^ j) * (f * (INR y - INR j)))
    with (binom n p y * (1 - p) ^ j * f * ((1 - p) * (INR y - INR j))) by ring. rewrite IH.
  replace (binom n p (y - j) * p ^ j * g * ((1 - p) * (INR y - INR j)))
    with (p ^ j * g * (binom n p (y - j) * (INR y - INR j) * (1 - p))) by ring.
  rewrite Q. ring.
Qed.

(** ** As quotients *)

(** From a s u = b t v to a / b = (t / s) (v / u). *)
Lemma quotient a b s t u v : b <> 0 -> s <> 0 -> u <> 0 -> a * s * u = b * t * v -> a / b = t / s * (v / u).
Proof.
  intros Hb Hs Hu H. replace (t / s * (v / u)) with (b * t * v / (b * s * u)) by (field; auto).
  rewrite <- H. field. auto.
Qed.

Theorem lemma3_quotient_up n p (y j : nat) : 0 < p < 1 -> (y + j <= n)%nat ->
  binom n p y / binom n p (y + j) =
  ((1 - p) / p) ^ j * (prod j (fun i => INR y + INR (S i)) / prod j (fun i => INR n - INR y - INR i)).
Proof.
  intros Hp H. unfold Rdiv at 2. rewrite Rpow_mult_distr, pow_inv by lra.
  apply quotient; [| apply pow_nonzero; lra | | apply lemma3_ratio_up].
  - assert (P := binom_pos n p (y + j) Hp H). lra.
  - apply Rgt_not_eq, prod_pos. intros i I. rewrite <- !minus_INR by lia. apply lt_0_INR. lia.
Qed.

Theorem lemma3_quotient_down n p (y j : nat) : 0 < p < 1 -> (j <= y <= n)%nat ->
  binom n p y / binom n p (y - j) =
  (p / (1 - p)) ^ j * (prod j (fun i => INR n - INR y + INR (S i)) / prod j (fun i => INR y - INR i)).
Proof.
  intros Hp H. unfold Rdiv at 2. rewrite Rpow_mult_distr, pow_inv by lra.
  apply quotient; [| apply pow_nonzero; lra | | apply lemma3_ratio_down; lia].
  - assert (P := binom_pos n p (y - j) Hp ltac:(lia)). lra.
  - apply Rgt_not_eq, prod_pos. intros i I. rewrite <- minus_INR by lia. apply lt_0_INR. lia.
Qed.
