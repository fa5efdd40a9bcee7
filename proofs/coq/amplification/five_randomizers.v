(** Five randomizers bound every one.

    p > 1 and E are real numbers. P, Q and the rows R of the others are proper laws on any type of outcomes, any two of
    P, Q and a row R within the factor p of each other at each outcome ([alike]); the others may run different
    randomizers. The six rays are the vectors of {1, p}^3 without the two constant ones, and [basics p] five sets of
    them: each, divided by the sum of a coordinate, is a table of three rows, whose values (P - E Q)/R have the law
    [basic_law]. Proved:

    - [spread_of_basics]: the values of every row are at most as spread, in the increasing convex order, as a mixture
      of the five laws;
    - [mixed_wave_bound]: the number [wave_bound] of a mixture is at most the mixture of the numbers;
    - [divergence_at_most]: the divergence of P and Q at E >= 1 is at most max(0, (p - E)/(p + 1));
    - [every_randomizer_of_laws], [every_randomizer]: so if for each of the five laws the stages of the swap with gamma
      = 1/p add up to at most delta, n >= 2 users of any eps0-DP randomizer of any number of messages are (eps,
      delta)-DP with a shuffler, p = e^eps0, 1 <= E <= e^eps;
    - [basic_attains]: each of the five is such a randomizer: for n users, n - 1 of whom hold the third input, the
      divergence of what the shuffler shows is the mean excess of n values of the basic law.

    Idea: (P, Q, R)(m) lies in the cone of the six rays, and max(0, P - E Q - t R) is subadditive; six weights that add
    up to the masses (1, 1, 1) are a mixture of the five. Source: this package (docs/soundness.md, "Five randomizers
    bound every one"). *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws shuffler privacy hockey_stick independence.
From Exactdp Require Import adding_a_user mean_excess hidden_message increasing_convex_order blanket
  homogeneous generic_blanket uniform_subsets swapped_messages swapped_stages wave_bounds swap_vertices.
Import ListNotations.
Open Scope R_scope.

Definition vector : Type := R * R * R.

Definition part (E t : R) (v : vector) : R := let '(x, y, z) := v in Rmax 0 (x - E * y - t * z).

(** ** Waves of a mixture *)

Lemma mean_le_drawn {A} (d : dist A) f g :
  (forall wa, In wa d -> 0 <= fst wa) -> (forall wa, In wa d -> f (snd wa) <= g (snd wa)) -> mean d f <= mean d g.
Proof. intros H L. apply total_le. intros wa I. apply Rmult_le_compat_l; [apply H, I | apply L, I]. Qed.

Lemma power_of_mean {A} (d : dist A) f r : proper d -> (forall a, 0 <= f a) ->
  mean d f ^ r <= mean d (fun a => f a ^ r).
Proof.
  intros H F. destruct r as [| k]; [simpl; rewrite (proj2 H); lra |].
  assert (M : 0 <= mean d f) by (apply mean_nonneg; assumption). set (m := mean d f) in *.
  apply Rle_trans with (mean d (fun a => m ^ S k + INR (S k) * m ^ k * (f a - m))).
  - rewrite mean_plus, mean_scal, mean_minus, !mean_const by exact H. fold m. right. ring.
  - apply mean_le; [exact H |]. intros a. eapply Rle_trans; [apply tangent_of_power; [exact M |] |].
    + replace (m + (f a - m)) with (f a) by ring. apply F.
    + right. f_equal. ring.
Qed.

Lemma modulus_of_mixture {B} w (lam : dist B) (K : B -> dist R) :
  proper lam -> modulus w (bind lam K) <= mean lam (fun b => modulus w (K b)).
Proof.
  intros H. set (X := real_part w (bind lam K)). set (Y := imaginary_part w (bind lam K)).
  assert (Z : modulus w (bind lam K) ^ 2 = mean lam (fun b => X * real_part w (K b) + Y * imaginary_part w (K b))).
  { unfold modulus. rewrite pow2_sqrt by (apply Rplus_le_le_0_compat; apply pow2_ge_0). fold X Y.
    rewrite mean_plus, !mean_scal. unfold X at 2, Y at 2, real_part, imaginary_part. rewrite !mean_bind.
    fold (real_part w (bind lam K)) (imaginary_part w (bind lam K)). unfold X at 1, Y at 1.
    unfold real_part, imaginary_part. rewrite !mean_bind. ring. }
  set (m := modulus w (bind lam K)) in *. assert (N : 0 <= m) by apply modulus_nonneg.
  assert (L : m ^ 2 <= m * mean lam (fun b => modulus w (K b))).
  { rewrite Z, <- mean_scal. apply mean_le; [exact H |]. intros b.
    assert (Nb := modulus_nonneg w (K b)). apply Rsqr_incr_0_var; [| apply Rmult_le_pos; assumption].
    replace (Rsqr (m * modulus w (K b))) with ((X ^ 2 + Y ^ 2) * (real_part w (K b) ^ 2 + imaginary_part w (K b) ^ 2)).
    - unfold Rsqr. set (u := real_part w (K b)). set (v := imaginary_part w (K b)).
      assert (0 <= (X * v - Y * u) ^ 2) by apply pow2_ge_0. simpl in *. nra.
    - rewrite Rsqr_mult. unfold m, modulus. rewrite !Rsqr_sqrt by (apply Rplus_le_le_0_compat; apply pow2_ge_0).
      reflexivity. }
  destruct (Req_dec m 0) as [-> | P]; [apply mean_nonneg; [exact H | intros; apply modulus_nonneg] |].
  apply Rmult_le_reg_l with m; [lra |]. simpl in L. lra.
Qed.

Theorem mixed_wave_bound {B} waves r (lam : dist B) (K : B -> dist R) :
  proper lam -> wave_bound waves r (bind lam K) <= mean lam (fun b => wave_bound waves r (K b)).
Proof.
  intros H. unfold wave_bound, Rdiv. rewrite mean_scal_r. apply Rmult_le_compat_r; [apply inverse_INR_nonneg |].
  rewrite <- total_of_means. apply total_le. intros w _. rewrite mean_scal.
  apply Rmult_le_compat_l; [apply size_nonneg |]. eapply Rle_trans; [| apply power_of_mean; [exact H |]].
  - apply pow_incr. split; [apply modulus_nonneg | apply modulus_of_mixture, H].
  - intros b. apply modulus_nonneg.
Qed.

Lemma in_stages_mean {A} (lam : dist A) before ends n gamma H (f : nat -> A -> R) :
  proper lam ->
  in_stages before ends n gamma H (fun r => mean lam (f r)) =
  mean lam (fun b => in_stages before ends n gamma H (fun r => f r b)).
Proof.
  intros P. revert before. induction ends as [| t ends IH]; intros before; simpl.
  - rewrite mean_const by exact P. reflexivity.
  - rewrite IH, mean_plus, mean_scal. reflexivity.
Qed.

Lemma in_stages_of_more before ends n gamma H K (F : nat -> R) :
  0 <= gamma <= 1 -> H <= K -> in_stages before ends n gamma H F <= in_stages before ends n gamma K F.
Proof.
  intros G L. revert before. induction ends as [| t ends IH]; intros before; simpl.
  - apply Rmult_le_compat_l; [apply pow_le; lra | exact L].
  - apply Rplus_le_compat_l, IH.
Qed.

Section Five.

Variable p : R.
Hypothesis large : 1 < p.

(** Pairs, and both triples. *)
Definition basics : list (list vector) :=
  [[(p, 1, 1); (1, p, p)];
   [(1, p, 1); (p, 1, p)];
   [(1, 1, p); (p, p, 1)];
   [(p, 1, 1); (1, p, 1); (1, 1, p)];
   [(1, p, p); (p, 1, p); (p, p, 1)]].

Definition third (v : vector) : R := snd v.
Definition scale (b : list vector) : R := total b third.

Definition basic_law (E : R) (b : list vector) : dist R :=
  map (fun v : vector => let '(x, y, z) := v in (z / scale b, (x - E * y) / z)) b.

(** ** The cone of six rays *)

Definition six (a a' b b' c c' : R) : vector :=
  (p * a + a' + b + p * b' + c + p * c', a + p * a' + p * b + b' + c + p * c', a + p * a' + b + p * b' + p * c + c').

Definition six_parts (E t a a' b b' c c' : R) : R :=
  a * part E t (p, 1, 1) + a' * part E t (1, p, p) + b * part E t (1, p, 1) + b' * part E t (p, 1, p) +
  c * part E t (1, 1, p) + c' * part E t (p, p, 1).

Lemma part_of_six E t a a' b b' c c' :
  0 <= a -> 0 <= a' -> 0 <= b -> 0 <= b' -> 0 <= c -> 0 <= c' ->
  part E t (six a a' b b' c c') <= six_parts E t a a' b b' c c'.
Proof.
  intros. unfold six_parts. assert (M : forall w u, 0 <= w -> w * u <= w * Rmax 0 u /\ 0 <= w * Rmax 0 u).
  { intros w u W. split; [apply Rmult_le_compat_l; [exact W | apply Rmax_r] |
      apply Rmult_le_pos; [exact W | apply Rmax_l]]. }
  simpl. assert (A := M a (p - E * 1 - t * 1) ltac:(assumption)).
    assert (A' := M a' (1 - E * p - t * p) ltac:(assumption)).
  assert (B := M b (1 - E * p - t * 1) ltac:(assumption)). assert (B' := M b' (p - E * 1 - t * p) ltac:(assumption)).
  assert (C := M c (1 - E * 1 - t * p) ltac:(assumption)). assert (C' := M c' (p - E * p - t * 1) ltac:(assumption)).
  apply Rmax_lub; [lra |].
  replace (p * a + a' + b + p * b' + c + p * c' - E * (a + p * a' + p * b + b' + c + p * c') -
    t * (a + p * a' + b + p * b' + p * c + c'))
    with (a * (p - E * 1 - t * 1) + a' * (1 - E * p - t * p) + b * (1 - E * p - t * 1) + b' * (p - E * 1 - t * p) +
      c * (1 - E * 1 - t * p) + c' * (p - E * p - t * 1)) by ring.
  lra.
Qed.

Lemma in_the_cone x y z :
  x <= p * y -> y <= p * x -> x <= p * z -> z <= p * x -> y <= p * z -> z <= p * y ->
  exists a a' b b' c c', 0 <= a /\ 0 <= a' /\ 0 <= b /\ 0 <= b' /\ 0 <= c /\ 0 <= c' /\ (x, y, z) = six a a' b b' c c'.
Proof.
  intros. set (k := / ((p - 1) * (p + 1))).
  assert (K : 0 < k) by (apply Rinv_0_lt_compat; nra).
  assert (D : forall u, 0 <= u -> 0 <= u / (p - 1)).
  { intros u U. apply Rmult_le_pos; [exact U | left; apply Rinv_0_lt_compat; lra]. }
  assert (D2 : forall u, 0 <= u -> 0 <= u * k) by (intros u U; apply Rmult_le_pos; lra).
  (* the largest, the one between and the least: the rays of the largest alone and of both, and a pair *)
  destruct (Rle_lt_dec y x) as [XY | XY], (Rle_lt_dec z y) as [YZ | YZ], (Rle_lt_dec z x) as [XZ | XZ]; try lra.
  - exists ((x - y) / (p - 1) + (p * z - x) * k), ((p * z - x) * k), 0, 0, 0, ((y - z) / (p - 1)).
    repeat split; try lra; try apply D2; try apply D; try (apply Rplus_le_le_0_compat; [apply D | apply D2]); try lra.
    unfold six, k. f_equal; [f_equal |]; field; lra.
  - exists ((x - z) / (p - 1) + (p * y - x) * k), ((p * y - x) * k), 0, ((z - y) / (p - 1)), 0, 0.
    repeat split; try lra; try apply D2; try apply D; try (apply Rplus_le_le_0_compat; [apply D | apply D2]); try lra.
    unfold six, k. f_equal; [f_equal |]; field; lra.
  - exists ((p * y - z) * k), ((p * y - z) * k), 0, ((x - y) / (p - 1)), ((z - x) / (p - 1)), 0.
    repeat split; try lra; try apply D2; try apply D; try (apply Rplus_le_le_0_compat; [apply D | apply D2]); try lra.
    unfold six, k. f_equal; [f_equal |]; field; lra.
  - exists 0, 0, ((y - x) / (p - 1) + (p * z - y) * k), ((p * z - y) * k), 0, ((x - z) / (p - 1)).
    repeat split; try lra; try apply D2; try apply D; try (apply Rplus_le_le_0_compat; [apply D | apply D2]); try lra.
    unfold six, k. f_equal; [f_equal |]; field; lra.
  - exists 0, ((z - x) / (p - 1)), ((y - z) / (p - 1) + (p * x - y) * k), ((p * x - y) * k), 0, 0.
    repeat split; try lra; try apply D2; try apply D; try (apply Rplus_le_le_0_compat; [apply D | apply D2]); try lra.
    unfold six, k. f_equal; [f_equal |]; field; lra.
  - exists 0, ((y - x) / (p - 1)), ((p * x - z) * k), ((p * x - z) * k), ((z - y) / (p - 1)), 0.
    repeat split; try lra; try apply D2; try apply D; try (apply Rplus_le_le_0_compat; [apply D | apply D2]); try lra.
    unfold six, k. f_equal; [f_equal |]; field; lra.
Qed.

(** Of many vectors together. *)
Lemma many_in_the_cone {A} (l : list A) (x y z : A -> R) :
  (forall a, In a l -> x a <= p * y a /\ y a <= p * x a /\ x a <= p * z a /\ z a <= p * x a /\ y a <= p * z a /\
    z a <= p * y a) ->
  exists a a' b b' c c', 0 <= a /\ 0 <= a' /\ 0 <= b /\ 0 <= b' /\ 0 <= c /\ 0 <= c' /\
    (total l x, total l y, total l z) = six a a' b b' c c' /\
    forall E t, total l (fun m => part E t (x m, y m, z m)) <= six_parts E t a a' b b' c c'.
Proof.
  induction l as [| m l IH]; intros H.
  - exists 0, 0, 0, 0, 0, 0. repeat split; try lra.
    + unfold six. simpl. f_equal; [f_equal |]; ring.
    + intros E t. unfold six_parts. simpl. lra.
  - destruct IH as (a & a' & b & b' & c & c' & I & I' & J & J' & K & K' & V & S); [intros; apply H; right;
    assumption |].
    destruct (H m (or_introl eq_refl)) as (H1 & H2 & H3 & H4 & H5 & H6).
    destruct (in_the_cone (x m) (y m) (z m) H1 H2 H3 H4 H5 H6)
      as (d & d' & e & e' & f & f' & D & D' & F & F' & G & G' & W).
    exists (a + d), (a' + d'), (b + e), (b' + e'), (c + f), (c' + f'). repeat split; try lra.
    + simpl. unfold six in *. injection V as V1 V2 V3. injection W as W1 W2 W3.
      rewrite V1, V2, V3, W1, W2, W3. f_equal; [f_equal |]; ring.
    + intros E t. cbn [total]. specialize (S E t). rewrite W.
      assert (T := part_of_six E t d d' e e' f f' D D' F F' G G'). unfold six_parts in *. lra.
Qed.

(** Six weights that add up to (1, 1, 1) are a mixture of the five. *)
Lemma mixture_of_five a a' b b' c c' :
  0 <= a -> 0 <= a' -> 0 <= b -> 0 <= b' -> 0 <= c -> 0 <= c' -> six a a' b b' c c' = (1, 1, 1) ->
  exists lam : dist (list vector), proper lam /\ (forall wb, In wb lam -> In (snd wb) basics) /\
    forall E t, six_parts E t a a' b b' c c' = mean lam (fun b => total b (part E t) / scale b).
Proof.
  intros Ia Ia' Ib Ib' Ic Ic' V. unfold six in V. injection V as V1 V2 V3.
  assert (D1 : a - a' = b - b') by (apply Rmult_eq_reg_l with (p - 1); lra).
  assert (D2 : b - b' = c - c') by (apply Rmult_eq_reg_l with (p - 1); lra).
  destruct (Rle_lt_dec a' a) as [H | H].
  - exists [((p + 1) * a', nth 0 basics []); ((p + 1) * b', nth 1 basics []); ((p + 1) * c', nth 2 basics []);
      ((p + 2) * (a - a'), nth 3 basics [])]. repeat split.
    + intros wb [<- | [<- | [<- | [<- | []]]]]; simpl; apply Rmult_le_pos; lra.
    + unfold mean. simpl. replace a with (a' + (c - c')) in * by lra. replace b with (b' + (c - c')) in * by lra. lra.
    + intros wb [<- | [<- | [<- | [<- | []]]]]; simpl; tauto.
    + intros E t. unfold mean, six_parts, scale, third. cbn [total fst snd nth basics].
      replace b with (b' + (a - a')) by lra. replace c with (c' + (a - a')) by lra. field. lra.
  - exists [((p + 1) * a, nth 0 basics []); ((p + 1) * b, nth 1 basics []); ((p + 1) * c, nth 2 basics []);
      ((2 * p + 1) * (a' - a), nth 4 basics [])]. repeat split.
    + intros wb [<- | [<- | [<- | [<- | []]]]]; simpl; apply Rmult_le_pos; lra.
    + unfold mean. simpl. replace a' with (a + (c' - c)) in * by lra. replace b' with (b + (c' - c)) in * by lra. lra.
    + intros wb [<- | [<- | [<- | [<- | []]]]]; simpl; tauto.
    + intros E t. unfold mean, six_parts, scale, third. cbn [total fst snd nth basics].
      replace b' with (b + (a' - a)) by lra. replace c' with (c + (a' - a)) by lra. field. lra.
Qed.

Lemma basic_positive b v : In b basics -> In v b -> 0 < third v.
Proof.
  intros [<- | [<- | [<- | [<- | [<- | []]]]]] I; simpl in I;
    repeat (destruct I as [<- | I]; [simpl; lra |]); destruct I.
Qed.

Lemma scale_positive b : In b basics -> 0 < scale b.
Proof. unfold scale, third. intros [<- | [<- | [<- | [<- | [<- | []]]]]]; simpl; lra. Qed.

Lemma proper_basic E b : In b basics -> proper (basic_law E b).
Proof.
  intros I. assert (S := scale_positive b I). split.
  - intros wa J. unfold basic_law in J. apply in_map_iff in J. destruct J as [[[x y] z] [<- J]].
    assert (Z := basic_positive b _ I J). unfold third in Z. simpl in *. left. apply Rdiv_lt_0_compat; assumption.
  - unfold mean, basic_law. rewrite total_map.
    rewrite (total_ext b _ (fun v => third v * / scale b)) by (intros [[x y] z] _; simpl; unfold Rdiv; ring).
    rewrite total_scal_r. fold (scale b). field. lra.
Qed.

Lemma stop_loss_basic E b t : In b basics -> stop_loss (basic_law E b) t = total b (part E t) / scale b.
Proof.
  intros I. assert (S := scale_positive b I). unfold stop_loss, mean, basic_law. rewrite total_map.
  unfold Rdiv. rewrite <- total_scal_r. apply total_ext. intros [[x y] z] J.
  assert (Z := basic_positive b _ I J). change (0 < z) in Z. cbn [fst snd part].
  replace (x - E * y - t * z) with (z * ((x - E * y) / z - t)) by (field; lra).
  rewrite <- (Rmult_0_r z) at 2. rewrite (RmaxRmult 0 ((x - E * y) / z - t) z) by (left; exact Z). unfold Rdiv. ring.
Qed.

(** ** Rows that are alike *)

Definition alike {A} (P Q row : dist A) : Prop := forall a,
  mass P a <= p * mass Q a /\ mass Q a <= p * mass P a /\ mass P a <= p * mass row a /\
  mass row a <= p * mass P a /\ mass Q a <= p * mass row a /\ mass row a <= p * mass Q a.

Lemma alike_never {A} (P Q row : dist A) a : proper P -> proper Q ->
  alike P Q row -> mass row a = 0 -> mass P a = 0 /\ mass Q a = 0.
Proof.
  intros HP HQ H Z. destruct (H a) as (_ & _ & H3 & _ & H5 & _). rewrite Z in H3, H5.
  assert (X := mass_nonneg P a HP). assert (Y := mass_nonneg Q a HQ). split; lra.
Qed.

Lemma alike_uncovered {A} (P Q row : dist A) E : proper P -> proper Q -> alike P Q row -> uncovered P Q E row = 0.
Proof.
  intros HP HQ H. unfold uncovered. rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros a _.
  destruct (Req_EM_T (mass row a) 0) as [Z | _]; [| reflexivity].
  destruct (alike_never P Q row a HP HQ H Z) as [-> ->]. apply Rmax_left. lra.
Qed.

Theorem spread_of_basics {A} (P Q row : dist A) :
  proper P -> proper Q -> proper row -> alike P Q row ->
  exists lam : dist (list vector), proper lam /\ (forall wb, In wb lam -> In (snd wb) basics) /\
    forall E, increasing_convex (values_against P Q E row) (bind lam (basic_law E)).
Proof.
  intros HP HQ HR H. pose (l := nodup same (map snd (P ++ Q ++ row))).
  assert (N : NoDup l) by apply NoDup_nodup.
  assert (Cov : covers l P /\ covers l Q /\ covers l row).
  { repeat split; intros wa I; apply nodup_In, in_map; rewrite !in_app_iff; auto. }
  destruct Cov as [CP [CQ CR]].
  assert (One : forall d, proper d -> covers l d -> total l (mass d) = 1).
  { intros d [_ D] C. rewrite <- D, (mean_masses d l _ N C). apply total_ext. intros; ring. }
  destruct (many_in_the_cone l (mass P) (mass Q) (mass row)) as (a & a' & b & b' & c & c' & I & I' & J & J' & K & K' &
    V & S).
  { intros m _. apply (H m). }
  rewrite !One in V by assumption.
  destruct (mixture_of_five a a' b b' c c' I I' J J' K K' (eq_sym V)) as (lam & L & B & F).
  exists lam. split; [exact L |]. split; [exact B |]. intros E t. unfold stop_loss at 2. rewrite mean_bind.
  apply Rle_trans with (total l (fun m => part E t (mass P m, mass Q m, mass row m))).
  - unfold stop_loss. rewrite mean_values_against, (proj2 HR), Rminus_diag_eq, Rmult_0_l, Rplus_0_l by reflexivity.
    rewrite (mean_masses row l _ N CR). right. apply total_ext. intros m _. unfold value_against. simpl.
    destruct (Req_dec (mass row m) 0) as [Z | Z].
    + destruct (alike_never P Q row m HP HQ H Z) as [-> ->]. rewrite Z. rewrite Rmult_0_l. symmetry.
      apply Rmax_left. lra.
    + assert (X := mass_nonneg row m HR).
      replace (mass P m - E * mass Q m - t * mass row m)
        with (mass row m * ((mass P m - E * mass Q m) / mass row m - t)) by (field; exact Z).
      rewrite <- (Rmult_0_r (mass row m)) at 2. rewrite (RmaxRmult 0 _ (mass row m)) by exact X. reflexivity.
  - eapply Rle_trans; [apply S |]. rewrite F. right. apply total_ext. intros wb Iw. f_equal.
    symmetry. apply stop_loss_basic, B, Iw.
Qed.


(** ** The divergence of two rows *)

Theorem divergence_at_most {A} (P Q : dist A) E :
  proper P -> proper Q -> (forall a, mass P a <= p * mass Q a /\ mass Q a <= p * mass P a) -> 1 <= E ->
  hockey_stick P Q E <= Rmax 0 ((p - E) / (p + 1)).
Proof.
  intros HP HQ H HE. rewrite <- hockey_stick_best. set (T := best_event P Q E).
  assert (Le : forall U, Pr P U <= p * Pr Q U /\ Pr Q U <= p * Pr P U).
  { intros U. unfold Pr. destruct (outcomes_cover P Q) as [CP CQ].
    rewrite !(mean_masses P _ _ (outcomes_NoDup P Q) CP), !(mean_masses Q _ _ (outcomes_NoDup P Q) CQ).
    rewrite <- !total_scal. split; apply total_le; intros a _; destruct (H a) as [H1 H2];
      destruct (indicator_bounds U a) as [U1 _]; rewrite <- Rmult_assoc; apply Rmult_le_compat_r; assumption. }
  assert (Out : forall d : dist A, proper d -> Pr d (fun a => negb (T a)) = 1 - Pr d T).
  { intros d [_ D]. rewrite <- D. unfold Pr. rewrite <- mean_minus. apply mean_ext. intros a. unfold indicator.
    destruct (T a); simpl; ring. }
  destruct (Le T) as [L1 _]. destruct (Le (fun a => negb (T a))) as [_ L2]. rewrite !Out in L2 by assumption.
  assert (B := Pr_bounds P T HP). set (x := Pr P T) in *. set (y := Pr Q T) in *.
  destruct (Rle_lt_dec E p) as [S | S].
  - eapply Rle_trans; [| apply Rmax_r]. apply Rmult_le_reg_r with (p + 1); [lra |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    destruct (Rle_lt_dec ((p + 1) * x) p) as [C | C].
    + assert (E * (p * y) >= E * x) by nra.
      assert ((p - E) * ((p + 1) * x) <= (p - E) * p) by (apply Rmult_le_compat_l; lra). nra.
    + assert (y >= 1 - p * (1 - x)) by lra. assert (E * y >= E * (1 - p * (1 - x))) by nra.
      assert (0 <= (E * p - 1) * ((p + 1) * x - p)) by (apply Rmult_le_pos; nra). nra.
  - eapply Rle_trans; [| apply Rmax_l]. nra.
Qed.

(** ** Every randomizer *)

(** The sums of r values of the basics lie in the range. *)
Definition basic_sums_within (E : R) (range : R -> Prop) (r : nat) : Prop :=
  forall values, length values = r ->
  (forall v, In v values -> exists b, In b basics /\ In v (map snd (basic_law E b))) -> range (sum_of_values values).

Lemma drawn_values (laws : list (dist R)) wl :
  In wl (draws laws) -> length (snd wl) = length laws /\
  forall v, In v (snd wl) -> exists L, In L laws /\ In v (map snd L).
Proof.
  revert wl. induction laws as [| L laws IH]; intros wl I; [destruct I as [<- | []]; split;
    [reflexivity | intros v []] |].
  simpl in I. unfold bind in I. apply in_flat_map in I. destruct I as [wa [Ia I]].
  apply in_map_iff in I. destruct I as [wr [<- I]]. apply in_flat_map in I. destruct I as [ws [Is I]].
  apply in_map_iff in I. destruct I as [wt [<- [<- | []]]]. simpl. destruct (IH ws Is) as [E1 E2]. split; [lia |].
  intros v [<- | J].
  - exists L. split; [left; reflexivity | apply in_map, Ia].
  - destruct (E2 v J) as [K [K1 K2]]. exists K. split; [right; exact K1 | exact K2].
Qed.

(** One mixture for each of the rows. *)
Lemma mixtures_of_rows {A} (P Q : dist A) (rows : list (dist A)) :
  proper P -> proper Q -> Forall (fun row => proper row /\ alike P Q row) rows ->
  exists lam_of : dist A -> dist (list vector), forall row, In row rows ->
    proper (lam_of row) /\ (forall wb, In wb (lam_of row) -> In (snd wb) basics) /\
    forall E, increasing_convex (values_against P Q E row) (bind (lam_of row) (basic_law E)).
Proof.
  intros HP HQ. induction 1 as [| row rows [HR H] _ [lam_of IH]]; [exists (fun _ => []); intros row [] |].
  destruct (spread_of_basics P Q row HP HQ HR H) as [lam L].
  exists (fun d => if same d row then lam else lam_of d). intros d I. destruct (same d row) as [-> | N]; [exact L |].
  apply IH. destruct I as [<- | I]; [congruence | exact I].
Qed.

Theorem every_randomizer_of_laws {A} (P Q : dist A) E ends rows (range : nat -> R -> Prop) (waves : nat ->
  list wave) delta :
  proper P -> proper Q -> Forall (fun row => proper row /\ alike P Q row) rows -> rows <> [] -> 1 <= E ->
  rising 0 ends (length rows) ->
  (forall t, In t ends -> let r := (S (length rows) - t)%nat in
    majorant (range r) (waves r) /\ basic_sums_within E (range r) r) ->
  (forall b, In b basics -> in_stages 0 ends (length rows) (/ p) (Rmax 0 ((p - E) / (p + 1)))
    (fun r => wave_bound (waves r) r (basic_law E b)) <= delta) ->
  in_stages_of P Q (part_of P (/ p)) E ends rows <= delta.
Proof.
  intros HP HQ H N HE Hr M B. destruct (mixtures_of_rows P Q rows HP HQ H) as [lam_of L].
  assert (Ip : 0 < / p <= 1).
  { split; [apply Rinv_0_lt_compat; lra |]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (W : weight (part_of P (/ p)) = / p) by (apply weight_part_of, HP).
  apply (swap_vertices P Q (part_of P (/ p)) E (fun row => bind (lam_of row) (basic_law E)) ends rows range waves).
  - apply sub_law_part_of; [exact HP | lra].
  - apply Forall_forall. intros row I. destruct (proj1 (Forall_forall _ _) H row I) as [_ X].
    split; [apply sub_law_part_of; [exact HP | lra] |]. intros a. rewrite mass_part_of.
    destruct (X a) as (_ & _ & X3 & _). apply (Rmult_le_compat_l (/ p)) in X3; [| lra].
    rewrite <- Rmult_assoc, Rinv_l in X3 by lra. lra.
  - apply Forall_forall. intros row I. destruct (L row I) as (L1 & L2 & L3).
    split; [apply (proj1 (Forall_forall _ _) H row I) |]. split; [| apply L3].
    split.
    + intros wa J. unfold bind in J. apply in_flat_map in J. destruct J as [wb [J1 J2]].
      apply in_map_iff in J2. destruct J2 as [vb [<- J2]]. simpl. apply Rmult_le_pos; [apply (proj1 L1), J1 |].
      apply (proj1 (proper_basic E (snd wb) (L2 wb J1))), J2.
    + rewrite mean_bind. transitivity (mean (lam_of row) (fun _ => 1)); [| exact (proj2 L1)]. apply mean_ext_in.
      intros wb J. apply (proj2 (proper_basic E (snd wb) (L2 wb J))).
  - exact N.
  - exact Hr.
  - intros t I. destruct (M t I) as [M1 M2]. split; [exact M1 |]. intros s Ls Is wl J.
    destruct (drawn_values _ wl J) as [D1 D2]. apply M2; [rewrite D1, map_length; exact Ls |].
    intros v Iv. destruct (D2 v Iv) as [K [K1 K2]]. apply in_map_iff in K1. destruct K1 as [row [<- K1]].
    apply in_map_iff in K2. destruct K2 as [wa [<- K2]]. unfold bind in K2. apply in_flat_map in K2.
    destruct K2 as [wb [K2 K3]]. apply in_map_iff in K3. destruct K3 as [vb [<- K3]].
    exists (snd wb). split; [apply (L row (Is row K1)), K2 | exact (in_map snd _ _ K3)].
  - intros row I. destruct (L row I) as (L1 & L2 & L3). unfold vertex_stages. rewrite W.
    assert (X := proj1 (Forall_forall _ _) H row I).
    eapply Rle_trans; [apply (in_stages_of_more 0 ends (length rows) (/ p) _ (Rmax 0 ((p - E) / (p + 1)))) |].
    + lra.
    + apply divergence_at_most; try assumption. intros a. destruct (proj2 X a) as (X1 & X2 & _). split; assumption.
    + eapply Rle_trans; [apply (in_stages_le 0 ends (length rows) (/ p) _ _
        (fun r => mean (lam_of row) (fun b => wave_bound (waves r) r (basic_law E b)))); [lra | exact Hr |] |].
      * intros t _. rewrite (alike_uncovered P Q row E HP HQ (proj2 X)), Rplus_0_r. apply mixed_wave_bound, L1.
      * rewrite in_stages_mean by exact L1. rewrite <- (mean_const (lam_of row) delta L1).
        apply mean_le_drawn; [apply (proj1 L1) |]. intros wb J. apply B, L2, J.
Qed.

End Five.

(** With a shuffler: the randomizer is any one that is eps0-DP. *)
Theorem every_randomizer {X M} n (R : X -> dist (list M)) eps0 E ends (range : nat -> Rdefinitions.R -> Prop)
    (waves : nat -> list wave) eps delta :
  (2 <= n)%nat -> 0 < eps0 -> (forall v, proper (R v)) -> local_dp R eps0 0 -> 1 <= E <= exp eps ->
    rising 0 ends (n - 1) ->
  (forall t, In t ends -> let r := (n - t)%nat in
    majorant (range r) (waves r) /\ basic_sums_within (exp eps0) E (range r) r) ->
  (forall b, In b (basics (exp eps0)) ->
    in_stages 0 ends (n - 1) (/ exp eps0) (Rmax 0 ((exp eps0 - E) / (exp eps0 + 1)))
      (fun r => wave_bound (waves r) r (basic_law E b)) <= delta) ->
  shuffle_dp n R eps delta.
Proof.
  intros Hn H0 HR HD [HE1 HE] Hr Hm H.
  assert (P : 1 < exp eps0) by (rewrite <- exp_0; apply exp_increasing, H0).
  assert (Ratio : forall x y a, mass (R x) a <= exp eps0 * mass (R y) a).
  { intros x y a. assert (Y := HD x y (fun b => if same b a then true else false)). unfold mass. lra. }
  assert (Ip : 0 < / exp eps0) by (apply Rinv_0_lt_compat; lra).
  apply (swap_dp n R (fun x _ => part_of (R x) (/ exp eps0)) E ends); [exact HR | | exact HE | exact Hr |].
  - intros x y v. split; [apply sub_law_part_of; [apply HR | lra] |]. intros a. rewrite mass_part_of.
    assert (Y := Ratio x v a). apply (Rmult_le_compat_l (/ exp eps0)) in Y; [| lra].
    rewrite <- Rmult_assoc, Rinv_l in Y by lra. lra.
  - intros x y others L. assert (K : length (map R others) = (n - 1)%nat) by (rewrite map_length; lia).
    apply (every_randomizer_of_laws (exp eps0) P (R x) (R y) E ends (map R others) range waves).
    + apply HR.
    + apply HR.
    + apply Forall_forall. intros d I. apply in_map_iff in I. destruct I as [v [<- _]]. split; [apply HR |].
      intros a. repeat split; apply Ratio.
    + intros Z. rewrite Z in K. simpl in K. lia.
    + exact HE1.
    + rewrite K. exact Hr.
    + intros t I. rewrite K. replace (S (n - 1) - t)%nat with (n - t)%nat by lia. apply (Hm t I).
    + intros b I. rewrite K. apply H, I.
Qed.

(** ** Each of the five attains its number *)

Definition column (pick : vector -> R) (b : list vector) : dist nat :=
  map (fun iv => (pick (snd iv) / scale b, fst iv)) (combine (seq 0 (length b)) b).

Definition three_rows (b : list vector) (i : nat) : dist nat :=
  match i with
  | O => column (fun v => fst (fst v)) b
  | S O => column (fun v => snd (fst v)) b
  | _ => column third b
  end.

(** Copies of two laws with the same means. *)
Lemma mean_of_copies {A} (L K : dist A) n f : (forall g, mean L g = mean K g) ->
  mean (copies L n) f = mean (copies K n) f.
Proof.
  intros H. revert f. induction n as [| n IH]; intros f; [reflexivity |].
  rewrite !mean_copies_first, H. apply mean_ext. intros a. apply IH.
Qed.

Section Attained.

Variable p : R.
Hypothesis large : 1 < p.

Lemma mass_nat (l : list (R * nat)) i :
  mass l i = total l (fun wa => if Nat.eqb (snd wa) i then fst wa else 0).
Proof.
  unfold mass, Pr, mean. apply total_ext. intros [w j] _. unfold indicator. simpl.
  destruct (same j i) as [-> | N]; [rewrite Nat.eqb_refl; ring |].
  destruct (Nat.eqb_spec j i); [congruence | ring].
Qed.

(** Of the vectors with their numbers. *)
Lemma total_numbered {A} (g : A -> R) b s : total (combine (seq s (length b)) b) (fun iv => g (snd iv)) = total b g.
Proof. revert s. induction b as [| v b IH]; intros s; [reflexivity |]. cbn. rewrite IH. reflexivity. Qed.

Lemma in_numbered {A} (none : A) b s i v : In (i, v) (combine (seq s (length b)) b) -> nth (i - s) b none = v.
Proof.
  revert s. induction b as [| w b IH]; intros s I; [destruct I |]. destruct I as [E | I].
  - injection E as <- <-. rewrite Nat.sub_diag. reflexivity.
  - assert (J := in_combine_l _ _ _ _ I). apply in_seq in J. replace (i - s)%nat with (S (i - S s)) by lia. apply IH, I.
Qed.

Lemma mean_column pick b f :
  mean (column pick b) f = total (combine (seq 0 (length b)) b) (fun iv => pick (snd iv) / scale b * f (fst iv)).
Proof. unfold mean, column. apply total_map. Qed.

Lemma total_at {A} (g : A -> R) (none : A) b s a : g none = 0 ->
  total (combine (seq s (length b)) b) (fun iv => if Nat.eqb (fst iv) (s + a) then g (snd iv) else 0) =
  g (nth a b none).
Proof.
  intros Z. revert s a. induction b as [| v b IH]; intros s a; [destruct a; symmetry; exact Z |].
  cbn [length seq combine total fst snd]. destruct a as [| a].
  - rewrite Nat.add_0_r, Nat.eqb_refl. cbn [nth]. rewrite (total_ext _ _ (fun _ => 0)), total_zero; [ring |].
    intros [i w] I. apply in_combine_l, in_seq in I. cbn [fst]. rewrite (proj2 (Nat.eqb_neq i s)) by lia. reflexivity.
  - rewrite (proj2 (Nat.eqb_neq s (s + S a))) by lia. rewrite Rplus_0_l, <- Nat.add_succ_comm. apply (IH (S s) a).
Qed.

Lemma mass_column pick b a : pick (0, 0, 0) = 0 -> mass (column pick b) a = pick (nth a b (0, 0, 0)) / scale b.
Proof.
  intros Z. rewrite mass_nat. unfold column. rewrite total_map. cbn [fst snd].
  apply (total_at (fun v => pick v / scale b) (0, 0, 0) b 0 a). rewrite Z. unfold Rdiv. ring.
Qed.

Lemma basics_alike b i j a : In b (basics p) -> mass (three_rows b i) a <= p * mass (three_rows b j) a.
Proof.
  intros I. assert (Inv := Rinv_0_lt_compat _ (scale_positive p large b I)).
  (* all entries are 1 or p, or there is none *)
  assert (X : let '(x, y, z) := nth a b (0, 0, 0) in forall u v, In u [x; y; z] -> In v [x; y; z] -> u <= p * v).
  { assert (p * 1 <= p * p) by (apply Rmult_le_compat_l; lra).
    destruct I as [<- | [<- | [<- | [<- | [<- | []]]]]]; destruct a as [| [| [| [| a]]]]; cbn [nth];
      intros u v [<- | [<- | [<- | []]]] [<- | [<- | [<- | []]]]; lra. }
  assert (Y : forall k, exists u, mass (three_rows b k) a = u / scale b /\
    let '(x, y, z) := nth a b (0, 0, 0) in In u [x; y; z]).
  { intros k. destruct k as [| [| k]]; unfold three_rows; rewrite mass_column by reflexivity;
      (eexists; split; [reflexivity |]); destruct (nth a b (0, 0, 0)) as [[x y] z]; simpl; auto. }
  destruct (Y i) as [u [-> U]], (Y j) as [v [-> V]]. destruct (nth a b (0, 0, 0)) as [[x y] z].
  unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra | apply X; assumption].
Qed.

Lemma proper_three_rows b i : In b (basics p) -> proper (three_rows b i).
Proof.
  intros I. assert (S := scale_positive p large b I). split.
  - intros wa J. assert (Inv : 0 < / scale b) by (apply Rinv_0_lt_compat, S).
    destruct I as [<- | [<- | [<- | [<- | [<- | []]]]]]; destruct i as [| [| i]]; cbn -[scale basics] in J;
      repeat (destruct J as [<- | J]; [cbn -[scale]; unfold third, Rdiv; simpl; apply Rmult_le_pos; lra |]); destruct J.
  - unfold mean. destruct I as [<- | [<- | [<- | [<- | [<- | []]]]]]; destruct i as [| [| i]];
      unfold three_rows, column, scale, third; simpl; field; lra.
Qed.

Lemma basic_values E b f : In b (basics p) ->
  mean (values_against (three_rows b 0) (three_rows b 1) E (three_rows b 2)) f = mean (basic_law E b) f.
Proof.
  intros I. rewrite mean_values_against, (proj2 (proper_three_rows b 2 I)), Rminus_diag_eq, Rmult_0_l, Rplus_0_l
    by reflexivity.
  assert (S := scale_positive p large b I). cbn [three_rows]. rewrite mean_column. unfold mean, basic_law.
  rewrite total_map, <- (total_numbered _ b 0). apply total_ext. intros [i v] J. unfold value_against. cbn [fst snd].
  rewrite !mass_column, <- (Nat.sub_0_r i), (in_numbered _ _ _ _ _ J) by reflexivity.
  assert (Z := basic_positive p large b v I (in_combine_r _ _ _ _ J)). destruct v as [[x y] z]. unfold third in *.
  cbn [fst snd] in *. f_equal. f_equal. field. lra.
Qed.

Theorem basic_attains {V} (view : list nat -> V) E b n :
  In b (basics p) -> complete_view view -> (1 <= n)%nat ->
  local_dp (three_rows b) (ln p) 0 /\ (forall i, proper (three_rows b i)) /\
  hockey_stick (dmap view (messages (one_message (three_rows b)) (0%nat :: repeat 2%nat (n - 1))))
    (dmap view (messages (one_message (three_rows b)) (1%nat :: repeat 2%nat (n - 1)))) E =
  mean_excess n (basic_law E b).
Proof.
  intros I C Hn. split; [| split].
  - intros i j. rewrite exp_ln by lra. intros T. unfold Pr.
    destruct (outcomes_cover (three_rows b i) (three_rows b j)) as [Ci Cj].
    rewrite (mean_masses _ _ _ (outcomes_NoDup _ _) Ci), (mean_masses _ _ _ (outcomes_NoDup _ _) Cj).
    rewrite Rplus_0_r, <- total_scal. apply total_le. intros a _. rewrite <- Rmult_assoc.
    apply Rmult_le_compat_r; [apply indicator_bounds | apply basics_alike, I].
  - intros i. apply proper_three_rows, I.
  - rewrite homogeneous_exact by (try exact C; apply proper_three_rows, I).
    replace (S (n - 1)) with n by lia. unfold reference_bound.
    rewrite (alike_uncovered p); [rewrite Rplus_0_l | apply proper_three_rows, I | apply proper_three_rows, I |
      intros a; repeat split; apply basics_alike, I].
    unfold mean_excess. f_equal. apply mean_of_copies. intros f. apply basic_values, I.
Qed.

End Attained.
