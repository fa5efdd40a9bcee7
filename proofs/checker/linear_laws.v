(** Laws on 0, 1, 2, ... whose ratios of neighbouring masses are linear: Poisson, negative binomial and geometric ones.

    Let w(t+1) / w(t) = (A t + B) / (t + 1), as it is for a Poisson law (A = 0, B = mu), a negative binomial one
    (A = p, B = r p) and a geometric one (A = B = p). The program [same_lines] compares B and (A + B) / 2 of two such
    laws with rational parameters. Proved: if it answers true for laws whose parameters lie in their domains, their
    masses are the same at every outcome ([same_lines_sound]).

    Idea: A and B say which mass function it is ([by_line]); p = 0 and mu = 0 are the same law, certainly 0. The general
    statement, for any two laws with linear ratios, is two_points.two_points. Source: exactdp/checker/equal_laws.py. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums noise_on_naturals log_concave_laws.
From ExactdpChecker Require Import claims posed.
Import ListNotations.
Open Scope R_scope.

Definition line (nu : noise) : option (Q * Q) :=
  match nu with
  | Poisson (Rational mu) => Some (0%Q, mu)
  | NegativeBinomial (Rational r) (Rational p) => Some (p, (r * p)%Q)
  | Geometric (Rational p) => Some (p, p)
  | _ => None
  end.

Definition same_lines (nu nu' : noise) : bool :=
  match line nu, line nu' with
  | Some (A, B), Some (A', B') => Qeq_bool B B' && Qeq_bool (A + B) (A' + B')
  | _, _ => false
  end.

(** The mass function that belongs to A and B. *)
Definition by_line (A B : R) (t : nat) : R :=
  if Req_EM_T A 0 then exp (- B) * B ^ t / INR (fact t)
  else rising_factorial (B / A) t / INR (fact t) * A ^ t * Rpower (1 - A) (B / A).

Lemma rising_factorial_1 t : rising_factorial 1 t = INR (fact t).
Proof.
  induction t as [| t IH]; [reflexivity |]. simpl rising_factorial. rewrite IH.
  change (fact (S t)) with (S t * fact t)%nat. rewrite mult_INR, S_INR. ring.
Qed.

(** Certainly 0. *)
Lemma by_line_0 t : by_line 0 0 t = if Nat.eqb t 0 then 1 else 0.
Proof.
  unfold by_line. destruct (Req_EM_T 0 0) as [_ | N]; [| congruence]. rewrite Ropp_0, exp_0.
  destruct t as [| t]; simpl; [field |]. unfold Rdiv. ring.
Qed.

Lemma on_naturals_ext f g : (forall t, f t = g t) -> forall t, on_naturals f t = on_naturals g t.
Proof. intros H t. unfold on_naturals. destruct (Z.ltb t 0); [reflexivity | apply H]. Qed.

Lemma line_sound nu A B :
  noise_posed nu -> line nu = Some (A, B) -> forall t, noise_mass nu t = on_naturals (by_line (Q2R A) (Q2R B)) t.
Proof.
  intros H E. destruct nu as [| | | | r p | p | | | mu |]; try discriminate; simpl in E.
  - destruct r as [r | | | | | |], p as [p | | | | | |]; try discriminate. injection E as <- <-.
    simpl in H. destruct H as [[_ Hr] [_ Hp]]. apply on_naturals_ext. intros t. simpl value. rewrite Q2R_mult.
    destruct (Req_dec (Q2R p) 0) as [-> | N].
    + rewrite Rmult_0_r, by_line_0. unfold Rpower. rewrite Rminus_0_r, ln_1, Rmult_0_r, exp_0.
      destruct t as [| t]; simpl; [field | ring].
    + unfold by_line. destruct (Req_EM_T (Q2R p) 0) as [X | _]; [contradiction |].
      replace (Q2R r * Q2R p / Q2R p) with (Q2R r) by (field; exact N). reflexivity.
  - destruct p as [p | | | | | |]; try discriminate. injection E as <- <-. simpl in H. destruct H as [_ Hp].
    apply on_naturals_ext. intros t. simpl value. destruct (Req_dec (Q2R p) 0) as [-> | N].
    + rewrite by_line_0. destruct t as [| t]; simpl; ring.
    + unfold by_line. destruct (Req_EM_T (Q2R p) 0) as [X | _]; [contradiction |].
      replace (Q2R p / Q2R p) with 1 by (field; exact N). rewrite rising_factorial_1, Rpower_1 by lra.
      field. apply INR_fact_neq_0.
  - destruct mu as [mu | | | | | |]; try discriminate. injection E as <- <-. apply on_naturals_ext. intros t.
    simpl value. rewrite RMicromega.Q2R_0. unfold by_line. destruct (Req_EM_T 0 0) as [_ | N];
      [reflexivity | congruence].
Qed.

Theorem same_lines_sound nu nu' :
  noise_posed nu -> noise_posed nu' -> same_lines nu nu' = true -> forall t, noise_mass nu t = noise_mass nu' t.
Proof.
  unfold same_lines. intros H H' S t. destruct (line nu) as [[A B] |] eqn:L; [| discriminate].
  destruct (line nu') as [[A' B'] |] eqn:L'; [| discriminate]. apply andb_true_iff in S. destruct S as [S0 S1].
  apply Qeq_bool_eq, Qeq_eqR in S0, S1. rewrite !Q2R_plus, S0 in S1. assert (SA : Q2R A = Q2R A') by lra.
  rewrite (line_sound nu A B H L), (line_sound nu' A' B' H' L'), S0, SA. reflexivity.
Qed.
