(** The geometric mechanism for one user: every private mechanism is a post-processing of it.

    The count is 0 or 1. The geometric mechanism adds two-sided geometric noise with ratio a, 0 < a < 1, and
    clamps the result to {0, 1}; with a = e^-eps it is (eps, 0)-DP. Proved:
    - [clamped_geometric_masses]: it answers 1 with the probability a/(1 + a) if the count is 0 and 1/(1 + a)
      if it is 1, so that [clamped_geometric] is the mechanism as a program;
    - [geometric_one_user]: every mechanism M on {0, 1} with any type of outputs, finitely many of them, that
      is (eps, 0)-DP, eps > 0, is a post-processing of it: one randomized function K of the answer gives the
      law of M at both counts. So for every prior and every loss some post-processing has the loss of M.
    - [clamped_geometric_private]: the mechanism is (eps, 0)-DP itself;
    - [geometric_without_remapping_fails]: without K it may lose: at a = 1/2 and a prior probability of 1/10
      for the count 1 it errs with probability 1/3, and the answer 0 whatever the count is with 1/10.

    Idea: let P and Q be the laws of M at the two counts. K gives the outcome v the probabilities
    (P(v) - a Q(v))/(1 - a) and (Q(v) - a P(v))/(1 - a). Privacy says that these are not negative.

    Source: Ghosh, Roughgarden, Sundararajan 2012, Theorem 1.1, for one user. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy masses hockey_stick geometric_noise geometric_error.
Import ListNotations.
Open Scope R_scope.

(** The clamped mechanism: the answer is 1 with these probabilities. *)
Definition clamped_geometric (a : R) (count : bool) : dist bool := coin (if count then 1 / (1 + a) else a / (1 + a)).

(** Noise around c as an event of the noise. *)
Lemma shifted_mass (a : R) (c : Z) (T : Z -> Prop) p :
  mass_of (geometric a) (fun z => T (z + c)%Z) p -> mass_of (fun v => geometric a (v - c)) T p.
Proof.
  intros [U L]. split.
  - intros s [l [N [I ->]]]. apply U. exists (map (fun v => v - c)%Z l). split; [| split].
    + apply FinFun.Injective_map_NoDup; [intros x y E; cbv beta in E; lia | exact N].
    + intros z Hz. apply in_map_iff in Hz. destruct Hz as [v [<- Hv]]. rewrite Z.sub_add. apply I, Hv.
    + rewrite total_map. reflexivity.
  - intros b Hb. apply L. intros s [l [N [I ->]]]. apply Hb. exists (map (fun z => z + c)%Z l). split; [| split].
    + apply FinFun.Injective_map_NoDup; [intros x y E; cbv beta in E; lia | exact N].
    + intros v Hv. apply in_map_iff in Hv. destruct Hv as [z [<- Hz]]. apply I, Hz.
    + rewrite total_map. apply total_ext. intros z _. f_equal. lia.
Qed.

Theorem clamped_geometric_masses (a : R) (count : bool) : 0 < a < 1 ->
  mass_of (fun v => geometric a (v - (if count then 1 else 0))) (fun v => (1 <= v)%Z)
    (if count then 1 / (1 + a) else a / (1 + a)).
Proof.
  intros H. apply shifted_mass. set (c := (if count then 1 else 0)%Z).
  apply (mass_of_ext _ (fun z => (1 - c <= z)%Z)); [intros z; lia |].
  destruct (geometric_half_line a (1 - c) H) as [U _]; [unfold c; destruct count; lia |].
  unfold c in *. destruct count; simpl in U; [exact U |]. rewrite Rmult_1_r in U. exact U.
Qed.

Lemma proper_clamped_geometric a count : 0 < a < 1 -> proper (clamped_geometric a count).
Proof.
  intros H. apply proper_coin. assert (0 < 1 / (1 + a)) by (apply Rdiv_lt_0_compat; lra).
  assert (E : a / (1 + a) = 1 - 1 / (1 + a)) by (field; lra).
  assert (0 < a / (1 + a)) by (apply Rdiv_lt_0_compat; lra). destruct count; lra.
Qed.

Theorem clamped_geometric_private (eps : R) : 0 < eps -> local_dp (clamped_geometric (exp (- eps))) eps 0.
Proof.
  intros He x y T. assert (H := ratio_of_eps eps He). unfold clamped_geometric. rewrite !Pr_coin.
  set (a := exp (- eps)) in *. set (u := 1 / (1 + a)). set (w := a / (1 + a)).
  assert (Hu : 0 < u) by (apply Rdiv_lt_0_compat; lra).
  assert (Hw : w = a * u) by (unfold w, u; field; lra).
  assert (E : exp eps * a = 1) by (unfold a; rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (Su : 1 - u = w) by (unfold w, u; field; lra). assert (Sw : 1 - w = u) by lra.
  assert (G : exp eps * w = u) by (rewrite Hw, <- Rmult_assoc, E; ring).
  assert (Hw' : 0 < w) by (rewrite Hw; apply Rmult_lt_0_compat; lra).
  assert (J : 1 * u <= exp eps * u) by (apply Rmult_le_compat_r; [lra | apply exp_ge_1; lra]).
  assert (K : 1 * w <= exp eps * w) by (apply Rmult_le_compat_r; [lra | apply exp_ge_1; lra]).
  unfold indicator. destruct x, y; rewrite ?Su, ?Sw; destruct (T true), (T false); lra.
Qed.

(** ** Every private mechanism *)

(** What K makes of the answer b. *)
Definition remapped {A} (a : R) (M : bool -> dist A) (b : bool) : dist A :=
  map (fun v => ((mass (M b) v - a * mass (M (negb b)) v) / (1 - a), v)) (outcomes (M true) (M false)).

Lemma mean_by_masses {A} (M : bool -> dist A) b f :
  mean (M b) f = total (outcomes (M true) (M false)) (fun v => mass (M b) v * f v).
Proof.
  destruct (outcomes_cover (M true) (M false)) as [C1 C2].
  apply mean_masses; [apply outcomes_NoDup | destruct b; assumption].
Qed.

Lemma mean_remapped {A} (a : R) (M : bool -> dist A) b f : a < 1 ->
  mean (remapped a M b) f = (mean (M b) f - a * mean (M (negb b)) f) / (1 - a).
Proof.
  intros H. rewrite !(mean_by_masses M). unfold remapped, mean at 1. rewrite total_map. simpl.
  rewrite <- total_scal, <- total_minus. unfold Rdiv. rewrite <- total_scal_r.
  apply total_ext. intros v _. ring.
Qed.

Theorem geometric_one_user {A} (M : bool -> dist A) (eps : R) :
  0 < eps -> (forall count, proper (M count)) -> local_dp M eps 0 ->
  exists K : bool -> dist A, (forall b, proper (K b)) /\
  forall count, same_law (bind (clamped_geometric (exp (- eps)) count) K) (M count).
Proof.
  intros He P D. assert (H := ratio_of_eps eps He). set (a := exp (- eps)) in *.
  exists (remapped a M). split.
  - intros b. split.
    + intros wa I. apply in_map_iff in I. destruct I as [v [<- _]]. simpl.
      apply Rle_mult_inv_pos; [| lra]. specialize (D (negb b) b (fun c => if same c v then true else false)).
      fold (mass (M (negb b)) v) (mass (M b) v) in D.
      assert (E : a * exp eps = 1) by (unfold a; rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
      apply (Rmult_le_compat_l a) in D; [| lra].
      replace (a * (exp eps * mass (M b) v + 0)) with (a * exp eps * mass (M b) v) in D by ring.
      rewrite E in D. lra.
    + rewrite mean_remapped by lra. rewrite (proj2 (P b)), (proj2 (P (negb b))). field. lra.
  - intros count f. rewrite mean_bind. unfold clamped_geometric. rewrite mean_coin, !mean_remapped by lra.
    destruct count; cbn [negb]; field; lra.
Qed.

(** The probability of an error, the prior probability of the count 1 being w. *)
Definition error_probability (w : R) (M : bool -> dist bool) : R :=
  w * Pr (M true) negb + (1 - w) * Pr (M false) (fun b => b).

Theorem geometric_without_remapping_fails :
  error_probability (1 / 10) (fun _ => ret false) < error_probability (1 / 10) (clamped_geometric (1 / 2)) /\
  forall eps, 0 <= eps -> local_dp (fun _ : bool => ret false) eps 0.
Proof.
  split.
  - unfold error_probability, clamped_geometric. rewrite !Pr_coin, !Pr_ret. unfold indicator. simpl. lra.
  - intros eps H x y T. assert (E := exp_ge_1 eps H). rewrite !Pr_ret. unfold indicator. destruct (T false); lra.
Qed.
