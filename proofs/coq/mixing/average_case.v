(** Split and mix of bits in three shares: how far the views of all 0 and of all 1 are apart, computed.

    Each of 174 users splits a bit into three that are uniform among those with this sum modulo 2. [average_case_apart]: an
    event is likelier where all hold 0 than where all hold 1 by more than sqrt(2) e / 174, the published total variation
    distance of uniform inputs; the two sums are equal modulo 2.

    Idea: the shares of 0 have no or two ones, with the weights 1 and 3, and those of 1 have one or three. Products of
    polynomials count how many ones all users have; the event is that this number is likelier for the one.
    Source: this package, proofs/split_and_mix.py. *)

From Coq Require Import Reals List ZArith Lra Lia Permutation.
From Exactdp Require Import sums laws privacy integer_polynomials zsum_sqrt_digits shuffler coefficientwise words split_and_mix.
Import ListNotations.
Open Scope R_scope.

(** ** Weights of the numbers 0, 1, 2, ... *)

Fixpoint weigh (p : list Z) (g : nat -> R) : R :=
  match p with
  | [] => 0
  | a :: p => IZR a * g 0%nat + weigh p (fun i => g (S i))
  end.

Lemma weigh_ext p g h : (forall i, g i = h i) -> weigh p g = weigh p h.
Proof. revert g h. induction p as [| a p IH]; intros g h E; [reflexivity |]. simpl. rewrite E, (IH _ (fun i => h (S i))); auto. Qed.

Lemma weigh_scale c p g : weigh (z_scale c p) g = IZR c * weigh p g.
Proof.
  revert g. induction p as [| a p IH]; intros g; simpl; [ring |]. change (map (Z.mul c) p) with (z_scale c p).
  rewrite IH, mult_IZR. ring.
Qed.

Lemma weigh_add p q g : weigh (z_add p q) g = weigh p g + weigh q g.
Proof. revert q g. induction p as [| a p IH]; intros [| b q] g; simpl; try ring. rewrite IH, plus_IZR. ring. Qed.

Lemma weigh_mul p q g : weigh (z_mul p q) g = weigh p (fun i => weigh q (fun j => g (i + j)%nat)).
Proof.
  revert g. induction p as [| a p IH]; intros g; [reflexivity |]. cbn [z_mul weigh].
  rewrite weigh_add, weigh_scale. cbn [weigh]. rewrite IH, Rmult_0_l, Rplus_0_l. reflexivity.
Qed.

(** The numbers of positive weight. *)
Definition positive_sum (p : list Z) : Z := fold_right (fun a s => Z.max 0 a + s)%Z 0%Z p.

Lemma weigh_positive p : weigh p (fun i => if Z.ltb 0 (nth i p 0%Z) then 1 else 0) = IZR (positive_sum p).
Proof.
  induction p as [| a p IH]; [reflexivity |]. cbn [weigh nth positive_sum fold_right]. fold (positive_sum p).
  rewrite IH, plus_IZR. destruct (Z.ltb_spec 0 a); [rewrite Z.max_r by lia | rewrite Z.max_l by lia]; ring.
Qed.

(** ** The number of ones *)

(** Of the three shares of a bit, times 4. *)
Definition ones_weights (x : nat) : list Z := match x with O => [1; 0; 3] | _ => [0; 3; 0; 1] end%Z.

Lemma split_ones x g : (x <= 1)%nat -> mean (split 2 3 x) (fun u => g (list_sum u)) = weigh (ones_weights x) g / 4.
Proof.
  intros X. assert (x = 0 \/ x = 1)%nat as [-> | ->] by lia; unfold split, mean, bind, uniform; simpl; lra.
Qed.

Definition power (p : list Z) (n : nat) : list Z := Nat.iter n (z_mul p) [1%Z].

Lemma view_ones x n g : (x <= 1)%nat ->
  mean (messages (split 2 3) (repeat x n)) (fun u => g (list_sum u)) = weigh (power (ones_weights x) n) g / 4 ^ n.
Proof.
  intros X. revert g. induction n as [| n IH]; intros g.
  - simpl. rewrite mean_ret. simpl. field.
  - cbn [repeat]. rewrite mean_messages_cons.
    set (h := fun i => weigh (power (ones_weights x) n) (fun j => g (i + j)%nat) / 4 ^ n).
    rewrite (mean_ext _ _ (fun mine => h (list_sum mine))).
    2: { intros mine. unfold h. rewrite <- IH. apply mean_ext. intros others. rewrite list_sum_app. reflexivity. }
    rewrite (split_ones x h X). unfold h. clear h.
    change (power (ones_weights x) (S n)) with (z_mul (ones_weights x) (power (ones_weights x) n)).
    rewrite weigh_mul. assert (P : 0 < 4 ^ n) by (apply pow_lt; lra).
    rewrite (weigh_ext _ _ (fun i => / 4 ^ n * weigh (power (ones_weights x) n) (fun j => g (i + j)%nat)))
      by (intros; unfold Rdiv; ring).
    assert (S : forall p c h, weigh p (fun i => c * h i) = c * weigh p h)
      by (induction p as [| a p IHp]; intros c h; simpl; [ring |]; rewrite IHp; ring).
    rewrite S. simpl. field. lra.
Qed.

(** ** The event *)

(** What the first list of weights has more than the second. *)
Definition more (a b : list Z) : list Z := z_add a (z_scale (-1) b).
Definition is_likelier (a b : list Z) (i : nat) : bool := Z.ltb 0 (nth i (more a b) 0%Z).

Lemma gain_of_event a b (g := fun i => if is_likelier a b i then 1 else 0) :
  weigh a g - weigh b g = IZR (positive_sum (more a b)).
Proof.
  transitivity (weigh (more a b) g); [| exact (weigh_positive (more a b))]. unfold more.
  rewrite weigh_add, weigh_scale. ring.
Qed.

Lemma positive_sum_nonneg p : 0 <= IZR (positive_sum p).
Proof. apply IZR_le. induction p as [| a p IH]; simpl; lia. Qed.

(** An enclosure of e decides the inequality in integers. *)
Lemma above_published (n : nat) (G : Z) : (1 <= n)%nat -> 0 <= IZR G ->
  Z.ltb (2 * 27182818285 ^ 2 * (4 ^ Z.of_nat n * 4 ^ Z.of_nat n)) ((Z.of_nat n * G) ^ 2 * 10 ^ 20) = true ->
  sqrt 2 * exp 1 / INR n < IZR G / 4 ^ n.
Proof.
  intros N G0 C. apply Z.ltb_lt, IZR_lt in C.
  change (27182818285 ^ 2)%Z with (27182818285 * 27182818285)%Z in C.
  change (10 ^ 20)%Z with (10000000000 * 10000000000)%Z in C.
  replace ((Z.of_nat n * G) ^ 2)%Z with (Z.of_nat n * G * (Z.of_nat n * G))%Z in C by ring.
  rewrite !mult_IZR, <- !pow_IZR, <- !INR_IZR_INZ in C.
  assert (W : 0 < 4 ^ n) by (apply pow_lt; lra). assert (P := lt_0_INR n ltac:(lia)).
  set (w := 4 ^ n) in *. set (m := INR n) in *. clearbody w m. assert (I := Rinv_0_lt_compat w W).
  apply Rmult_lt_reg_r with m; [exact P |]. replace (sqrt 2 * exp 1 / m * m) with (sqrt 2 * exp 1) by (field; lra).
  apply Rsqr_incrst_0.
  - unfold Rsqr. replace (sqrt 2 * exp 1 * (sqrt 2 * exp 1)) with (sqrt 2 * sqrt 2 * (exp 1 * exp 1)) by ring.
    rewrite sqrt_sqrt by lra. destruct e_enclosed as [E0 E1]. set (e := exp 1) in *.
    apply Rlt_le_trans with (2 * (27182818285 / 10000000000 * (27182818285 / 10000000000))); [nra |].
    left. apply Rmult_lt_reg_r with (w * w); [nra |].
    replace (IZR G / w * m * (IZR G / w * m) * (w * w)) with (m * IZR G * (m * IZR G)) by (field; lra). lra.
  - apply Rmult_le_pos; [apply sqrt_pos | left; apply exp_pos].
  - apply Rmult_le_pos; [| lra]. apply Rmult_le_pos; lra.
Qed.

Lemma gain_computed : Z.ltb (2 * 27182818285 ^ 2 * (4 ^ Z.of_nat 174 * 4 ^ Z.of_nat 174))
  ((Z.of_nat 174 * positive_sum (more (power (ones_weights 0) 174) (power (ones_weights 1) 174))) ^ 2 * 10 ^ 20) = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem average_case_apart : exists T : list nat -> bool, symmetric T /\
  sqrt 2 * exp 1 / INR 174 < Pr (messages (split 2 3) (repeat 0%nat 174)) T - Pr (messages (split 2 3) (repeat 1%nat 174)) T.
Proof.
  assert (P := above_published 174 _ ltac:(lia) (positive_sum_nonneg _) gain_computed).
  revert P. generalize 174%nat. intros n P. rewrite <- gain_of_event in P.
  set (a := power (ones_weights 0) n) in *. set (b := power (ones_weights 1) n) in *.
  exists (fun u => is_likelier a b (list_sum u)). split.
  - intros u v Q. f_equal. induction Q; simpl; lia.
  - set (g := fun i => if is_likelier a b i then 1 else 0) in *.
    assert (View : forall x, (x <= 1)%nat -> Pr (messages (split 2 3) (repeat x n)) (fun u => is_likelier a b (list_sum u)) =
      weigh (power (ones_weights x) n) g / 4 ^ n) by (intros x X; exact (view_ones x n g X)).
    rewrite !View by lia. eapply Rlt_le_trans; [exact P |]. right. unfold Rdiv. fold a b. ring.
Qed.
