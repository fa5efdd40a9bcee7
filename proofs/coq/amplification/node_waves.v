(** Waves at the nodes of a line, which bound E max(0, s) whatever the values are.

    As in wave_bounds.v, for a tilt lam > 0, a smoothing tau, a step h > 0 and K >= 1: the K + 1 waves of the
    frequencies k h, k = 0, ..., K, of the sizes h/(2 pi) e^(tau^2 (lam^2 - (k h)^2)/2)/(lam^2 + (k h)^2), twice that
    for k > 0, and one wave of frequency 0 for all nodes beyond, of the size
    e^(tau^2 lam^2/2) e^(-(tau K h)^2/2)/(pi K h). Proved:

    - [nodes_majorant]: they are a majorant, for values of any size on no lattice;
    - [modulus_at_most]: a modulus is at most that at the frequency 0.

    These are the numbers that the checker computes. Proof. Let eta = 2 pi/(h (2N+1)): the frequencies k h are those of
    the characters of Z/(2N+1) on multiples of eta (lattice_waves.v). Values are rounded up to these, and to their sum m
    independent steps are added, of -eta, 0 and eta with the probabilities 1/4, 1/2 and 1/4: both raise E max(0, .).
    With x = lam eta and t = k h eta the waves have at most the sizes h/(2 pi) eta^2/(2 cosh x - 2 cos t), and a step has
    the modulus (cosh x + cos t)/2, at most e^(x^2/4 - sin(t/2)^2 e^(-x^2/4)). Take m near 2 tau^2/eta^2, and N to
    infinity: each node tends to what is said, and those beyond the K'-th are together of the order 1/K'. No integral
    and no Poisson summation is needed. Source: this package (docs/soundness.md, "Nodes of a positive-definite function
    add up to its integral or more"). *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List Lra Lia ZArith.
From Exactdp Require Import reals sums laws independence mean_excess hidden_message increasing_convex_order hoeffding.
From Exactdp Require Import blanket uniform_subsets wave_bounds lattice_waves.
Import ListNotations.
Open Scope R_scope.

(** ** Moduli *)

Definition at_frequency (lam y : R) : wave := Wave 1 0 lam y.

Lemma modulus_of a b lam y L : modulus (Wave a b lam y) L = modulus (at_frequency lam y) L.
Proof. reflexivity. Qed.

Lemma modulus_at_0 lam L : proper L -> modulus (at_frequency lam 0) L = mean L (fun v => exp (lam * v)).
Proof.
  intros H. unfold modulus, real_part, imaginary_part. simpl tilt. simpl frequency.
  rewrite (mean_ext L _ (fun v => exp (lam * v))) by (intros v; rewrite Rmult_0_l, cos_0; ring).
  rewrite (mean_ext L (fun v => exp (lam * v) * sin (0 * v)) (fun _ => 0 * 1))
    by (intros v; rewrite Rmult_0_l, sin_0; ring).
  rewrite mean_scal, Rmult_0_l. replace (0 ^ 2) with 0 by ring. rewrite Rplus_0_r. apply sqrt_pow2.
  apply mean_nonneg; [exact H |]. intros v. left. apply exp_pos.
Qed.

Lemma modulus_at_most lam y L : proper L -> modulus (at_frequency lam y) L <= modulus (at_frequency lam 0) L.
Proof.
  intros H. rewrite modulus_at_0 by exact H. unfold modulus. set (w := at_frequency lam y).
  set (a := real_part w L). set (b := imaginary_part w L).
  assert (N : 0 <= a ^ 2 + b ^ 2) by (apply Rplus_le_le_0_compat; apply pow2_ge_0).
  set (r := sqrt (a ^ 2 + b ^ 2)). assert (R0 : 0 <= r) by apply sqrt_pos.
  assert (S : r * r = a ^ 2 + b ^ 2) by (apply sqrt_sqrt, N).
  set (m := mean L (fun v => exp (lam * v))).
  assert (X : r * r <= r * m).
  { rewrite S. unfold m. rewrite <- mean_scal.
    replace (a ^ 2 + b ^ 2) with (mean L (fun v => a * (exp (lam * v) * cos (y * v)) + b * (exp (lam * v) * sin (y *
      v)))) by (rewrite mean_plus, !mean_scal; unfold a, b, real_part, imaginary_part; simpl; ring).
    apply mean_le; [exact H |]. intros v. set (c := cos (y * v)). set (s := sin (y * v)).
    assert (U : s * s + c * c = 1) by exact (sin2_cos2 (y * v)).
    assert (C : a * c + b * s <= r).
    { apply Rsqr_incr_0_var; [| exact R0]. unfold Rsqr. rewrite S. assert (0 <= (a * s - b * c) ^ 2) by apply pow2_ge_0.
      nra. }
    assert (E := exp_pos (lam * v)). nra. }
  destruct R0 as [R0 | R0]; [apply Rmult_le_reg_l with r; assumption |]. rewrite <- R0.
  apply mean_nonneg; [exact H |]. intros v. left. apply exp_pos.
Qed.

(** ** Steps *)

Definition lazy_step (eta : R) : dist R := [(/ 4, - eta); (/ 2, 0); (/ 4, eta)].

Lemma proper_lazy_step eta : proper (lazy_step eta).
Proof. split; [intros wa [<- | [<- | [<- | []]]]; simpl; lra | unfold mean; simpl; lra]. Qed.

Lemma modulus_of_step lam y eta :
  modulus (at_frequency lam y) (lazy_step eta) = (exp (lam * eta) + exp (- (lam * eta)) + 2 * cos (y * eta)) / 4.
Proof.
  unfold modulus, real_part, imaginary_part, mean, lazy_step. simpl.
  replace (lam * - eta) with (- (lam * eta)) by ring. replace (y * - eta) with (- (y * eta)) by ring.
  rewrite !Rmult_0_r, exp_0, cos_0, sin_0, cos_neg, sin_neg.
  assert (P := exp_pos (lam * eta)). assert (P' := exp_pos (- (lam * eta))).
  assert (One : exp (lam * eta) * exp (- (lam * eta)) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (U := sin2_cos2 (y * eta)). assert (B := COS_bound (y * eta)). unfold Rsqr in U.
  set (p := exp (lam * eta)) in *. set (q := exp (- (lam * eta))) in *. set (c := cos (y * eta)) in *.
  set (s := sin (y * eta)) in *.
  match goal with |- sqrt ?x = _ => replace x with (((p + q + 2 * c) / 4) ^ 2) end.
  - apply sqrt_pow2. assert (0 <= (p - q) ^ 2) by apply pow2_ge_0.
    assert (4 <= (p + q) ^ 2) by (replace ((p + q) ^ 2) with ((p - q) ^ 2 + 4 * (p * q)) by ring; lra).
    assert (2 <= p + q) by nra. lra.
  - apply Rminus_diag_uniq. transitivity ((1 - (s * s + c * c)) * ((p + q) ^ 2 - 4) / 16 + (p * q - 1) * (s * s) / 4).
    + field.
    + rewrite U, One. field.
Qed.

(** What both are at most, or at least, for small steps. *)
Lemma sine_above b : 0 <= b <= PI -> b * (1 - b ^ 2 / 6) <= sin b.
Proof.
  intros [H1 H2]. destruct (sin_bound b 0 H1 H2) as [L _]. eapply Rle_trans; [| exact L].
  unfold sin_approx, sin_term. simpl. right. field.
Qed.

Lemma cosh_below x : (exp x + exp (- x)) / 2 <= exp (x ^ 2 / 2).
Proof.
  assert (H := hoeffding_lemma (1 / 2) (2 * x) ltac:(lra)).
  replace (1 / 2 * (2 * x) + (2 * x) ^ 2 / 8) with (x + x ^ 2 / 2) in H by field. rewrite exp_plus in H.
  replace (2 * x) with (x + x) in H by ring. rewrite exp_plus in H. assert (P := exp_pos x).
  apply Rmult_le_reg_l with (exp x); [exact P |]. rewrite exp_Ropp.
  replace (exp x * ((exp x + / exp x) / 2)) with ((exp x * exp x + 1) / 2) by (field; lra). lra.
Qed.

Lemma squares_below x : x ^ 2 <= exp x + exp (- x) - 2.
Proof.
  assert (S : forall y, 0 <= y -> 2 * y <= exp y - exp (- y)).
  { intros y [Hy | <-]; [| rewrite Ropp_0, exp_0; lra].
    destruct (MVT_gen (fun t => exp t - exp (- t)) 0 y (fun t => exp t + exp (- t))) as [c [_ C]].
    - intros t _. auto_derive; [trivial | ring].
    - intros t _. apply continuity_pt_filterlim, (ex_derive_continuous (fun t => exp t - exp (- t))). auto_derive.
      trivial.
    - rewrite Ropp_0, exp_0 in C.
      assert (T : 2 <= exp c + exp (- c)).
      { rewrite exp_Ropp. assert (P := exp_pos c). assert (0 <= (exp c - 1) ^ 2) by apply pow2_ge_0.
        apply Rmult_le_reg_l with (exp c); [exact P |].
        replace (exp c * (exp c + / exp c)) with ((exp c - 1) ^ 2 + exp c * 2) by (field; lra). lra. }
      apply Rle_trans with ((exp c + exp (- c)) * y); [apply Rmult_le_compat_r | right]; lra. }
  assert (Q : forall y, exp y + exp (- y) - 2 = (exp (y / 2) - exp (- (y / 2))) ^ 2).
  { intros y. replace y with (y / 2 + y / 2) at 1 2 by field. rewrite Ropp_plus_distr, !exp_plus, exp_Ropp.
    assert (P := exp_pos (y / 2)). field. lra. }
  rewrite Q. set (d := exp (x / 2) - exp (- (x / 2))). destruct (Rle_lt_dec 0 x) as [X | X].
  - specialize (S (x / 2) ltac:(lra)). apply pow_incr. unfold d. lra.
  - specialize (S (- (x / 2)) ltac:(lra)). rewrite Ropp_involutive in S.
    replace (x ^ 2) with ((- x) ^ 2) by ring. replace (d ^ 2) with ((- d) ^ 2) by ring.
    apply pow_incr. unfold d. lra.
Qed.

Lemma cosine_of_half t : cos t = 1 - 2 * sin (t / 2) ^ 2.
Proof. replace t with (2 * (t / 2)) at 1 by field. rewrite cos_2a_sin. ring. Qed.

Lemma step_below x t :
  (exp x + exp (- x) + 2 * cos t) / 4 <= exp (x ^ 2 / 4 - sin (t / 2) ^ 2 * exp (- (x ^ 2 / 4))).
Proof.
  set (S := sin (t / 2) ^ 2). assert (S0 : 0 <= S) by apply pow2_ge_0.
  set (C := (exp (x / 2) + exp (- (x / 2))) / 2). assert (B := cosh_below (x / 2)). fold C in B.
  replace ((x / 2) ^ 2 / 2) with (x ^ 2 / 8) in B by field.
  assert (C0 : 0 < C) by (unfold C; assert (P := exp_pos (x / 2)); assert (Q := exp_pos (- (x / 2))); lra).
  assert (E : (exp x + exp (- x) + 2 * cos t) / 4 = C ^ 2 - S).
  { rewrite cosine_of_half. fold S. unfold C. replace x with (x / 2 + x / 2) at 1 2 by field.
    rewrite Ropp_plus_distr, !exp_plus, exp_Ropp. assert (P := exp_pos (x / 2)). field. lra. }
  assert (C2 : C ^ 2 <= exp (x ^ 2 / 4)).
  { replace (exp (x ^ 2 / 4)) with (exp (x ^ 2 / 8) ^ 2).
    - apply pow_incr. lra.
    - rewrite exp_power. f_equal. simpl. field. }
  assert (P := exp_pos (x ^ 2 / 4)). rewrite E. unfold Rminus at 2. rewrite exp_plus.
  rewrite (exp_Ropp (x ^ 2 / 4)).
  set (e := exp (x ^ 2 / 4)) in *. assert (I := exp_ineq1_le (- (S * / e))).
  apply Rle_trans with (e * (1 + - (S * / e))); [| apply Rmult_le_compat_l; lra].
  replace (e * (1 + - (S * / e))) with (e - S) by (field; lra). lra.
Qed.

(** ** On a lattice *)

Lemma product_over_app {A} (l m : list A) f : product_over (l ++ m) f = product_over l f * product_over m f.
Proof. induction l as [| a l IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma product_over_ext_all {A} (l : list A) f g : (forall a, f a = g a) -> product_over l f = product_over l g.
Proof. intros H. induction l as [| a l IH]; simpl; [reflexivity | rewrite H, IH; reflexivity]. Qed.

Lemma product_over_repeat {A} (a : A) m f : product_over (repeat a m) f = f a ^ m.
Proof. induction m as [| m IH]; simpl; [| rewrite IH]; ring. Qed.

Lemma product_over_le {A} (l : list A) f g :
  (forall a, In a l -> 0 <= f a <= g a) -> 0 <= product_over l f <= product_over l g.
Proof.
  induction l as [| a l IH]; simpl; intros H; [lra |].
  destruct (H a (or_introl eq_refl)) as [A0 A1]. destruct (IH (fun b I => H b (or_intror I))) as [B0 B1].
  split; [apply Rmult_le_pos | apply Rmult_le_compat]; assumption.
Qed.

Definition rounded_up (eta v : R) : R := IZR (up (v / eta)) * eta.

Lemma rounded_up_bounds eta v : 0 < eta -> v <= rounded_up eta v <= v + eta.
Proof.
  intros H. unfold rounded_up. destruct (archimed (v / eta)) as [A B]. set (z := IZR (up (v / eta))) in *.
  assert (E : v / eta * eta = v) by (field; lra). split.
  - apply Rle_trans with (v / eta * eta); [lra | apply Rmult_le_compat_r; lra].
  - replace (v + eta) with ((v / eta + 1) * eta) by (field; lra). apply Rmult_le_compat_r; lra.
Qed.

Definition multiples (eta : R) (L : dist R) : Prop := forall wa, In wa L -> exists m, snd wa = IZR m * eta.

Lemma sums_of_multiples eta laws : Forall (multiples eta) laws -> exists top, forall top', (top <= top')%nat ->
  sums_within (on_lattice eta top') laws.
Proof.
  intros H.
  assert (X : forall wl, In wl (draws laws) -> exists m, sum_of_values (snd wl) = IZR m * eta).
  { induction H as [| L laws HL _ IH]; intros wl I.
    - destruct I as [<- | []]. exists 0%Z. unfold sum_of_values. simpl. ring.
    - simpl in I. unfold bind in I. apply in_flat_map in I. destruct I as [wa [Ia I]].
      apply in_map_iff in I. destruct I as [wr [<- I]]. apply in_flat_map in I. destruct I as [ws [Is I]].
      apply in_map_iff in I. destruct I as [wt [<- [<- | []]]].
      destruct (IH ws Is) as [m E1]. destruct (HL wa Ia) as [k E2]. exists (k + m)%Z.
      unfold sum_of_values in *. simpl. rewrite E1, E2, plus_IZR. ring. }
  assert (Y : exists top : nat, forall wl, In wl (draws laws) -> exists m, sum_of_values (snd wl) = IZR m * eta /\
    (m <= Z.of_nat top)%Z).
  { induction (draws laws) as [| a l IH]; [exists 0%nat; intros wl [] |].
    destruct IH as [top T]; [intros; apply X; right; assumption |]. destruct (X a (or_introl eq_refl)) as [m M].
    exists (Nat.max top (Z.to_nat m)). intros wl [<- | I]; [exists m; split; [exact M | lia] |].
    destruct (T wl I) as [k [K1 K2]]. exists k. split; [exact K1 | lia]. }
  destruct Y as [top Y]. exists top. intros top' L wl I. destruct (Y wl I) as [m [M1 M2]].
  exists m. split; [exact M1 | lia].
Qed.

(** The same number backwards. *)
Lemma total_pairs_of_ends N f :
  (forall k, (1 <= k <= N)%nat -> f (2 * N + 1 - k)%nat = f k) ->
  total (seq 0 (2 * N + 1)) f = f 0%nat + 2 * total (seq 1 N) f.
Proof.
  intros H. replace (2 * N + 1)%nat with (S (N + N)) at 1 by lia. rewrite total_seq_shift. f_equal.
  rewrite (seq_app N N 0), total_app. simpl Nat.add at 1.
  assert (E : total (seq 1 N) f = total (seq 0 N) (fun i => f (S i))) by (rewrite <- seq_shift, total_map; reflexivity).
  rewrite E. enough (total (seq N N) (fun i => f (S i)) = total (seq 0 N) (fun i => f (S i))) as ->; [ring |].
  rewrite (total_permutation (seq 0 N) _ _ (Permutation.Permutation_rev (seq 0 N))).
  assert (G : forall j, (j <= N)%nat -> total (seq N j) (fun i => f (S i)) =
    total (rev (seq (N - j) j)) (fun i => f (S i))).
  { induction j as [| j IH]; intros L; [reflexivity |].
    rewrite seq_S, total_app, IH by lia. replace (seq (N - S j) (S j)) with ((N - S j)%nat :: seq (N - j) j).
    - simpl rev. rewrite total_app. simpl. f_equal. f_equal. rewrite <- (H (S (N - S j))) by lia. f_equal. lia.
    - simpl. f_equal. f_equal. lia. }
  rewrite G, Nat.sub_diag by lia. reflexivity.
Qed.

Section Finite.

Context (lam h : R) (N m : nat) (laws : list (dist R)).
Hypothesis lam_pos : 0 < lam.
Hypothesis h_pos : 0 < h.
Hypothesis laws_proper : Forall proper laws.

Definition places_of (N : nat) : nat := (2 * N + 1)%nat.
Definition spacing (h : R) (N : nat) : R := 2 * PI / (h * INR (places_of N)).

Let M := places_of N.
Let eta := spacing h N.
Let q := exp (- (lam * eta)).

Lemma M_above : 0 < INR M.
Proof. apply lt_0_INR. unfold M, places_of. lia. Qed.

Lemma eta_pos : 0 < eta.
Proof.
  unfold eta, spacing. assert (P := PI_RGT_0). assert (X := M_above). fold M.
  apply Rdiv_lt_0_compat; [lra | apply Rmult_lt_0_compat; assumption].
Qed.

Lemma q_below : 0 < q < 1.
Proof.
  unfold q. split; [apply exp_pos |]. rewrite <- exp_0. apply exp_increasing. assert (E := eta_pos).
  assert (0 < lam * eta) by (apply Rmult_lt_0_compat; assumption). lra.
Qed.

Definition lattice_term (k : nat) : R :=
  h / (2 * PI) * (eta ^ 2 / (exp (lam * eta) + exp (- (lam * eta)) - 2 * cos (INR k * h * eta))) *
  ((exp (lam * eta) + exp (- (lam * eta)) + 2 * cos (INR k * h * eta)) / 4) ^ m *
  product_over laws (fun L => modulus (at_frequency lam (INR k * h)) (dmap (rounded_up eta) L)).

Lemma without_zeros (f : R -> R) :
  mean (draws (repeat (ret 0) m ++ laws)) (fun l => f (sum_of_values l)) =
  mean (draws laws) (fun l => f (sum_of_values l)).
Proof.
  induction m as [| n IH]; [reflexivity |]. simpl repeat. simpl app. rewrite mean_draws_first, mean_ret, <- IH.
  apply mean_ext. intros l. f_equal. unfold sum_of_values. simpl. ring.
Qed.

Lemma rounding_raises :
  mean (draws laws) (fun l => Rmax 0 (sum_of_values l)) <=
  mean (draws (repeat (lazy_step eta) m ++ map (dmap (rounded_up eta)) laws)) (fun l => Rmax 0 (sum_of_values l)).
Proof.
  rewrite <- (without_zeros (Rmax 0)). assert (E := eta_pos).
  rewrite (mean_ext (draws (repeat (ret 0) m ++ laws)) _ (fun l => Rmax 0 (sum_of_values l - 0)))
    by (intros; rewrite Rminus_0_r; reflexivity).
  rewrite (mean_ext (draws (repeat (lazy_step eta) m ++ _)) _ (fun l => Rmax 0 (sum_of_values l - 0)))
    by (intros; rewrite Rminus_0_r; reflexivity).
  apply sums_increasing, Forall2_app.
  - induction m as [| n IH]; simpl; [constructor |]. constructor; [| exact IH].
    split; [apply proper_ret | split; [apply proper_lazy_step |]]. intros t. unfold stop_loss. rewrite mean_ret.
    apply jensen; [apply proper_lazy_step |]. unfold mean, lazy_step. simpl. lra.
  - clear -laws_proper E. induction laws_proper as [| L l HL F IH]; simpl; [constructor |].
    constructor; [| exact (IH F)].
    split; [exact HL | split; [apply proper_dmap, HL |]]. intros t. unfold stop_loss. rewrite mean_dmap.
    apply mean_le; [exact HL |]. intros v. apply Rle_max_compat_l. assert (B := rounded_up_bounds eta v E). lra.
Qed.

Lemma turn_of k : turn M k = INR k * h * eta.
Proof.
  unfold turn, eta, spacing. fold M. assert (X := M_above). field. split; apply Rgt_not_eq; assumption.
Qed.

Lemma modulus_on_lattice L k K :
  modulus (lattice_wave eta q M L k) K = modulus (at_frequency lam (INR k * h)) K.
Proof.
  assert (E := eta_pos). unfold modulus, real_part, imaginary_part, lattice_wave. cbn [tilt frequency at_frequency].
  rewrite turn_of. unfold q. rewrite ln_exp.
  replace (- - (lam * eta) / eta) with lam by (field; lra).
  replace (INR k * h * eta / eta) with (INR k * h) by (field; lra). reflexivity.
Qed.

Lemma denominator_pos k : 0 < exp (lam * eta) + exp (- (lam * eta)) - 2 * cos (INR k * h * eta).
Proof.
  assert (S := squares_below (lam * eta)). assert (B := COS_bound (INR k * h * eta)).
  assert (0 < (lam * eta) ^ 2) by (apply pow_lt, Rmult_lt_0_compat; [exact lam_pos | apply eta_pos]). lra.
Qed.

Lemma size_on_lattice L k :
  size (lattice_wave eta q M L k) <=
  h / (2 * PI) * (eta ^ 2 / (exp (lam * eta) + exp (- (lam * eta)) - 2 * cos (INR k * h * eta))).
Proof.
  assert (E := eta_pos). assert (X := M_above). assert (Q := q_below). assert (D := denominator_pos k).
  assert (P := PI_RGT_0).
  rewrite wave_of_turns_size by (try apply E; try apply Q; unfold M, places_of; lia). rewrite turn_of.
  set (c := cos (INR k * h * eta)) in *. set (T := q ^ (L * M)).
  assert (T0 : 0 <= T <= 1).
  { split; [apply pow_le; lra |]. unfold T. rewrite <- (pow1 (L * M)). apply pow_incr. lra. }
  assert (Iq : exp (lam * eta) = / q) by (unfold q; rewrite exp_Ropp, Rinv_inv; reflexivity).
  fold q in D |- *. rewrite Iq in D |- *.
  assert (D' : 0 < 1 - 2 * q * c + q ^ 2).
  { replace (1 - 2 * q * c + q ^ 2) with (q * (/ q + q - 2 * c)) by (field; lra). apply Rmult_lt_0_compat; lra. }
  assert (Y : eta / INR M = h / (2 * PI) * eta ^ 2).
  { assert (Z : eta * (h * INR M) = 2 * PI).
    { unfold eta, spacing. fold M. field. split; apply Rgt_not_eq; assumption. }
    replace (2 * PI) with (eta * (h * INR M)). field. repeat split; lra. }
  rewrite Y. replace (h / (2 * PI) * (eta ^ 2 / (/ q + q - 2 * c)))
    with (h / (2 * PI) * eta ^ 2 * (q * 1 / (1 - 2 * q * c + q ^ 2))) by (field; repeat split; lra).
  apply Rmult_le_compat_l.
  { apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; lra | apply pow2_ge_0]. }
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, D' |]. apply Rmult_le_compat_l; [lra |]. nra.
Qed.

Lemma rounded_multiples L : multiples eta (dmap (rounded_up eta) L).
Proof.
  intros wa I. unfold dmap, bind in I. apply in_flat_map in I. destruct I as [wb [_ I]].
  destruct I as [<- | []]. exists (up (snd wb / eta)). reflexivity.
Qed.

Lemma backwards k : (1 <= k <= N)%nat -> lattice_term (2 * N + 1 - k) = lattice_term k.
Proof.
  intros H. assert (E := eta_pos). assert (X := M_above).
  assert (Z : h * eta = 2 * PI / INR M).
  { unfold eta, spacing. fold M. field. split; apply Rgt_not_eq; assumption. }
  assert (A : forall z, cos (INR (2 * N + 1 - k) * h * (IZR z * eta)) = cos (INR k * h * (IZR z * eta)) /\
    sin (INR (2 * N + 1 - k) * h * (IZR z * eta)) = - sin (INR k * h * (IZR z * eta))).
  { intros z. rewrite minus_INR by lia. fold (places_of N) M.
    replace ((INR M - INR k) * h * (IZR z * eta)) with (- (INR k * h * (IZR z * eta)) + 2 * PI * IZR z).
    - rewrite (proj1 (whole_turns _ z)), (proj2 (whole_turns _ z)), cos_neg, sin_neg. split; reflexivity.
    - replace ((INR M - INR k) * h * (IZR z * eta)) with (- (INR k * h * (IZR z * eta)) + INR M * (h * eta) * IZR z)
        by ring. rewrite Z. field. lra. }
  assert (C : cos (INR (2 * N + 1 - k) * h * eta) = cos (INR k * h * eta)).
  { destruct (A 1%Z) as [A1 _]. rewrite !Rmult_1_l in A1. exact A1. }
  unfold lattice_term. rewrite C. f_equal. clear C.
  apply product_over_ext_all. intros L.
  assert (R1 : forall f g, (forall z, f (IZR z * eta) = g (IZR z * eta)) ->
    mean (dmap (rounded_up eta) L) f = mean (dmap (rounded_up eta) L) g).
  { intros f g F. rewrite !mean_dmap. apply mean_ext. intros v. apply F. }
  unfold modulus, real_part, imaginary_part. cbn [tilt frequency at_frequency]. f_equal. f_equal.
  - f_equal. apply R1. intros z. rewrite (proj1 (A z)). reflexivity.
  - rewrite (R1 _ (fun v => -1 * (exp (lam * v) * sin (INR k * h * v)))); [rewrite mean_scal; ring |].
    intros z. destruct (A z) as [_ A2]. rewrite A2. ring.
Qed.

Theorem sum_below_lattice :
  mean (draws laws) (fun l => Rmax 0 (sum_of_values l)) <= lattice_term 0 + 2 * total (seq 1 N) lattice_term.
Proof.
  rewrite <- total_pairs_of_ends by apply backwards.
  set (more := repeat (lazy_step eta) m ++ map (dmap (rounded_up eta)) laws).
  assert (E := eta_pos). assert (Q := q_below).
  assert (Mult : Forall (multiples eta) more).
  { apply Forall_forall. intros L I. apply in_app_or in I. destruct I as [I | I].
    - apply repeat_spec in I. subst L. intros wa [<- | [<- | [<- | []]]]; simpl;
        [exists (-1)%Z | exists 0%Z | exists 1%Z]; ring.
    - apply in_map_iff in I. destruct I as [K [<- _]]. apply rounded_multiples. }
  assert (Prop_more : Forall proper more).
  { apply Forall_forall. intros L I. apply in_app_or in I. destruct I as [I | I].
    - apply repeat_spec in I. subst L. apply proper_lazy_step.
    - apply in_map_iff in I. destruct I as [K [<- I]]. apply proper_dmap.
      apply (proj1 (Forall_forall _ _) laws_proper K I). }
  destruct (sums_of_multiples eta more Mult) as [top T].
  assert (Some : (1 <= M)%nat) by (unfold M, places_of; lia).
  eapply Rle_trans; [apply rounding_raises |]. fold more.
  eapply Rle_trans; [apply (turns_majorant eta q M top E Q Some more Prop_more), T; nia |].
  unfold waves_of_turns. rewrite total_map. apply total_le. intros k _.
  rewrite (product_over_ext_all more _ (modulus (at_frequency lam (INR k * h)))) by (intros; apply modulus_on_lattice).
  unfold more. rewrite product_over_app, product_over_repeat, product_over_map, modulus_of_step, <- Rmult_assoc.
  unfold lattice_term. apply Rmult_le_compat_r.
  { apply product_over_nonneg. intros. apply modulus_nonneg. }
  apply Rmult_le_compat_r; [| apply size_on_lattice].
  apply pow_le. rewrite <- modulus_of_step. apply modulus_nonneg.
Qed.

End Finite.

(** ** Finer and finer lattices *)

Section Limit.

Context (lam tau h : R) (laws : list (dist R)).
Hypothesis lam_pos : 0 < lam.
Hypothesis h_pos : 0 < h.
Hypothesis laws_proper : Forall proper laws.

(** The numbers of steps that are added. *)
Definition steps_of (N : nat) : nat := Z.to_nat (up (2 * tau ^ 2 / spacing h N ^ 2)).

Lemma steps_bounds N :
  2 * tau ^ 2 / spacing h N ^ 2 <= INR (steps_of N) <= 2 * tau ^ 2 / spacing h N ^ 2 + 1.
Proof.
  unfold steps_of. set (r := 2 * tau ^ 2 / spacing h N ^ 2). destruct (archimed r) as [A B].
  assert (R0 : 0 <= r).
  { unfold r, Rdiv. apply Rmult_le_pos; [assert (0 <= tau ^ 2) by apply pow2_ge_0; lra |].
    left. apply Rinv_0_lt_compat, pow_lt, eta_pos, h_pos. }
  rewrite INR_IZR_INZ, Z2Nat.id; [lra |]. apply le_IZR. lra.
Qed.

(** The factor 1 - b^2/6 of the sine at half the phase. *)
Definition shrunk (k : nat) (e : R) : R := 1 - (INR k * h * e / 2) ^ 2 / 6.

Definition node_above (k : nat) (e : R) : R :=
  h / (2 * PI) / (lam ^ 2 + (INR k * h) ^ 2 * shrunk k e ^ 2) *
  exp (tau ^ 2 * lam ^ 2 / 2 + lam ^ 2 * e ^ 2 / 4 -
    tau ^ 2 * (INR k * h) ^ 2 / 2 * shrunk k e ^ 2 * exp (- (lam ^ 2 * e ^ 2 / 4))).

Definition moduli_at (k N : nat) : R :=
  product_over laws (fun L => modulus (at_frequency lam (INR k * h)) (dmap (rounded_up (spacing h N)) L)).

Lemma moduli_at_nonneg k N : 0 <= moduli_at k N.
Proof. apply product_over_nonneg. intros. apply modulus_nonneg. Qed.

Lemma half_phase k N : (k <= N)%nat -> 0 <= INR k * h * spacing h N / 2 <= PI / 2.
Proof.
  intros H. assert (P := PI_RGT_0). assert (X : 0 < INR (places_of N)) by (apply lt_0_INR; unfold places_of; lia).
  replace (INR k * h * spacing h N / 2) with (PI * (INR k / INR (places_of N)))
    by (unfold spacing; field; split; lra).
  assert (0 <= INR k / INR (places_of N) <= / 2).
  { split; [apply Rmult_le_pos; [apply pos_INR | left; apply Rinv_0_lt_compat, X] |].
    apply Rmult_le_reg_r with (INR (places_of N)); [exact X |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    assert (Y := le_INR _ _ H). unfold places_of. rewrite plus_INR, mult_INR. simpl. lra. }
  split; [apply Rmult_le_pos; lra |]. unfold Rdiv. apply Rmult_le_compat_l; lra.
Qed.

Lemma shrunk_above k N : (k <= N)%nat -> / 3 <= shrunk k (spacing h N) <= 1.
Proof.
  intros H. assert (B := half_phase k N H). assert (P := PI_4). unfold shrunk.
  set (b := INR k * h * spacing h N / 2) in *. assert (0 <= b ^ 2) by apply pow2_ge_0.
  assert (b ^ 2 <= 2 ^ 2) by (apply pow_incr; lra). lra.
Qed.

Lemma term_below k N :
  (k <= N)%nat -> lattice_term lam h N (steps_of N) laws k <= node_above k (spacing h N) * moduli_at k N.
Proof.
  intros H. assert (B := half_phase k N H). assert (W := shrunk_above k N H). assert (E := eta_pos h N h_pos).
  assert (D := denominator_pos lam h N lam_pos h_pos k). assert (P := PI_RGT_0). assert (St := steps_bounds N).
  assert (S1 := sine_above (INR k * h * spacing h N / 2) ltac:(lra)).
  assert (Sq := squares_below (lam * spacing h N)).
  assert (Cs := cosine_of_half (INR k * h * spacing h N)).
  assert (Sb := step_below (lam * spacing h N) (INR k * h * spacing h N)).
  fold (shrunk k (spacing h N)) in S1. unfold lattice_term, node_above.
  apply Rmult_le_compat_r; [apply moduli_at_nonneg |].
  set (eta := spacing h N) in *. set (b := INR k * h * eta / 2) in *. set (w := shrunk k eta) in *.
  assert (Y : INR k * h * eta = 2 * b) by (unfold b; field).
  assert (Sw : (b * w) ^ 2 <= sin b ^ 2) by (apply pow_incr; split; [apply Rmult_le_pos |]; lra).
  assert (Kb : (INR k * h) ^ 2 * w ^ 2 * eta ^ 2 = 4 * (b * w) ^ 2) by (unfold b; field).
  set (G := lam ^ 2 + (INR k * h) ^ 2 * w ^ 2).
  assert (G0 : 0 < G).
  { unfold G. assert (0 < lam ^ 2) by (apply pow_lt, lam_pos).
    assert (0 <= (INR k * h) ^ 2 * w ^ 2) by (apply Rmult_le_pos; apply pow2_ge_0). lra. }
  assert (E2 : 0 < eta ^ 2) by (apply pow_lt, E).
  apply Rmult_le_compat.
  - apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; lra |]. left. apply Rdiv_lt_0_compat; assumption.
  - apply pow_le. rewrite <- (modulus_of_step lam (INR k * h)). apply modulus_nonneg.
  - unfold Rdiv at 4. apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra |].
    apply Rle_trans with (eta ^ 2 / (eta ^ 2 * G)); [| right; field; split; lra].
    apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar; [apply Rmult_lt_0_compat; assumption |].
    unfold G. rewrite Cs. replace (eta ^ 2 * (lam ^ 2 + (INR k * h) ^ 2 * w ^ 2))
      with ((lam * eta) ^ 2 + (INR k * h) ^ 2 * w ^ 2 * eta ^ 2) by ring. rewrite Kb. lra.
  - eapply Rle_trans; [apply pow_incr; split; [| apply Sb] |].
    { rewrite <- (modulus_of_step lam (INR k * h)). apply modulus_nonneg. }
    rewrite exp_power. apply exp_le. fold b.
    replace ((lam * eta) ^ 2 / 4) with (lam ^ 2 * eta ^ 2 / 4) by field.
    set (e := exp (- (lam ^ 2 * eta ^ 2 / 4))). assert (e0 : 0 < e) by apply exp_pos.
    rewrite Rmult_minus_distr_r. unfold Rminus. apply Rplus_le_compat.
    + apply Rle_trans with (lam ^ 2 * eta ^ 2 / 4 * (2 * tau ^ 2 / eta ^ 2 + 1)); [| right; field; lra].
      apply Rmult_le_compat_l; [| apply St]. assert (0 <= lam ^ 2) by apply pow2_ge_0.
      assert (0 <= lam ^ 2 * eta ^ 2) by (apply Rmult_le_pos; lra). lra.
    + apply Ropp_le_contravar.
      replace (tau ^ 2 * (INR k * h) ^ 2 / 2 * w ^ 2 * e) with ((b * w) ^ 2 * e * (2 * tau ^ 2 / eta ^ 2))
        by (unfold b; field; lra).
      assert (T0 : 0 <= 2 * tau ^ 2 / eta ^ 2).
      { apply Rmult_le_pos; [assert (0 <= tau ^ 2) by apply pow2_ge_0; lra |].
        left. apply Rinv_0_lt_compat, E2. }
      apply Rmult_le_compat; [| exact T0 | apply Rmult_le_compat_r; lra | apply St].
      apply Rmult_le_pos; [apply pow2_ge_0 | lra].
Qed.

(** The nodes far out, together. *)
Definition far_out : R :=
  h / (2 * PI) * (9 / h ^ 2) * exp (tau ^ 2 * lam ^ 2 / 2 + lam ^ 2 * (2 * PI / h) ^ 2 / 4) *
  product_over laws (fun L => exp (lam * (2 * PI / h)) * modulus (at_frequency lam 0) L).

Lemma spacing_at_most N : spacing h N <= 2 * PI / h.
Proof.
  assert (P := PI_RGT_0). unfold spacing. apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar; [exact h_pos |].
  assert (1 <= INR (places_of N)) by (apply (le_INR 1); unfold places_of; lia).
  rewrite <- (Rmult_1_r h) at 1. apply Rmult_le_compat_l; lra.
Qed.

Lemma modulus_of_rounded y N L :
  proper L -> modulus (at_frequency lam y) (dmap (rounded_up (spacing h N)) L) <=
    exp (lam * (2 * PI / h)) * modulus (at_frequency lam 0) L.
Proof.
  intros H. eapply Rle_trans; [apply modulus_at_most, proper_dmap, H |].
  rewrite !modulus_at_0 by (try apply proper_dmap; exact H). rewrite mean_dmap, <- mean_scal. apply mean_le; [exact H
    |].
  intros v. rewrite <- exp_plus. apply exp_le. rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [lra |].
  assert (B := rounded_up_bounds (spacing h N) v (eta_pos h N h_pos)). assert (S := spacing_at_most N). lra.
Qed.

Lemma node_far_out k N : (1 <= k <= N)%nat ->
  node_above k (spacing h N) * moduli_at k N <= far_out * / INR k ^ 2.
Proof.
  intros H. assert (W := shrunk_above k N ltac:(lia)). assert (P := PI_RGT_0). assert (E := eta_pos h N h_pos).
  assert (S := spacing_at_most N). assert (K : 0 < INR k) by (apply lt_0_INR; lia).
  assert (K2 : 0 < INR k ^ 2) by (apply pow_lt, K). assert (H2 : 0 < h ^ 2) by (apply pow_lt, h_pos).
  unfold node_above, far_out. set (eta := spacing h N) in *. set (w := shrunk k eta) in *.
  assert (W2 : / 9 <= w ^ 2) by (replace (/ 9) with ((/ 3) ^ 2) by field; apply pow_incr; lra).
  assert (L2 : 0 < lam ^ 2) by (apply pow_lt, lam_pos).
  replace (h / (2 * PI) * (9 / h ^ 2) * exp (tau ^ 2 * lam ^ 2 / 2 + lam ^ 2 * (2 * PI / h) ^ 2 / 4) *
      product_over laws (fun L => exp (lam * (2 * PI / h)) * modulus (at_frequency lam 0) L) * / INR k ^ 2)
    with (h / (2 * PI) / ((INR k * h) ^ 2 * / 9) * exp (tau ^ 2 * lam ^ 2 / 2 + lam ^ 2 * (2 * PI / h) ^ 2 / 4) *
      product_over laws (fun L => exp (lam * (2 * PI / h)) * modulus (at_frequency lam 0) L))
    by (field; repeat split; lra).
  assert (D : 0 < (INR k * h) ^ 2 * / 9).
  { apply Rmult_lt_0_compat; [apply pow_lt, Rmult_lt_0_compat; assumption | lra]. }
  assert (D' : (INR k * h) ^ 2 * / 9 <= lam ^ 2 + (INR k * h) ^ 2 * w ^ 2).
  { assert ((INR k * h) ^ 2 * / 9 <= (INR k * h) ^ 2 * w ^ 2) by (apply Rmult_le_compat_l; [apply pow2_ge_0 | lra]).
    lra. }
  assert (C : 0 < h / (2 * PI)) by (apply Rdiv_lt_0_compat; lra).
  apply Rmult_le_compat.
  - apply Rmult_le_pos; [| left; apply exp_pos]. left. apply Rdiv_lt_0_compat; lra.
  - apply moduli_at_nonneg.
  - apply Rmult_le_compat; [left; apply Rdiv_lt_0_compat; lra | left; apply exp_pos | |].
    + apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar; assumption.
    + apply exp_le. set (e := exp _). assert (0 < e) by apply exp_pos.
      assert (0 <= tau ^ 2 * (INR k * h) ^ 2 / 2 * w ^ 2 * e).
      { apply Rmult_le_pos; [| lra]. apply Rmult_le_pos; [| apply pow2_ge_0]. unfold Rdiv. apply Rmult_le_pos; [| lra].
        apply Rmult_le_pos; apply pow2_ge_0. }
      assert (eta ^ 2 <= (2 * PI / h) ^ 2) by (apply pow_incr; lra).
      assert (lam ^ 2 * eta ^ 2 <= lam ^ 2 * (2 * PI / h) ^ 2) by (apply Rmult_le_compat_l; lra). lra.
  - apply product_over_le. intros L I. split; [apply modulus_nonneg |].
    apply modulus_of_rounded, (proj1 (Forall_forall _ _) laws_proper L I).
Qed.

Lemma inverse_squares K j : (1 <= K)%nat -> total (seq (S K) j) (fun k => / INR k ^ 2) <= / INR K - / INR (K + j).
Proof.
  intros H. assert (K0 : 0 < INR K) by (apply lt_0_INR; lia). induction j as [| j IH].
  - rewrite Nat.add_0_r. simpl. lra.
  - rewrite seq_S, total_app. cbn [total]. rewrite Rplus_0_r. replace (S K + j)%nat with (S (K + j)) by lia.
    replace (K + S j)%nat with (S (K + j)) by lia.
    assert (J : 0 < INR (K + j)) by (apply lt_0_INR; lia). rewrite S_INR.
    enough (/ (INR (K + j) + 1) ^ 2 <= / INR (K + j) - / (INR (K + j) + 1)) by lra.
    replace (/ INR (K + j) - / (INR (K + j) + 1)) with (/ (INR (K + j) * (INR (K + j) + 1))) by (field; lra).
    apply Rinv_le_contravar; [apply Rmult_lt_0_compat; lra |]. nra.
Qed.

Lemma sum_below_some K N :
  (1 <= K <= N)%nat ->
  mean (draws laws) (fun l => Rmax 0 (sum_of_values l)) <=
  node_above 0 (spacing h N) * moduli_at 0 N +
  2 * total (seq 1 K) (fun k => node_above k (spacing h N) * moduli_at k N) + 2 * far_out * / INR K.
Proof.
  intros H. eapply Rle_trans; [apply (sum_below_lattice lam h N (steps_of N) laws); assumption |].
  rewrite Rplus_assoc. apply Rplus_le_compat; [apply term_below; lia |].
  replace N with (K + (N - K))%nat at 1 by lia. rewrite seq_app, total_app, Rmult_plus_distr_l.
  apply Rplus_le_compat.
  - apply Rmult_le_compat_l; [lra |]. apply total_le. intros k I. apply in_seq in I. apply term_below. lia.
  - rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra |].
    assert (F : 0 <= far_out).
    { unfold far_out. assert (P := PI_RGT_0). assert (0 < h ^ 2) by (apply pow_lt, h_pos).
      apply Rmult_le_pos; [apply Rmult_le_pos; [apply Rmult_le_pos |] |].
      - left. apply Rdiv_lt_0_compat; lra.
      - left. apply Rdiv_lt_0_compat; lra.
      - left. apply exp_pos.
      - apply product_over_nonneg. intros. apply Rmult_le_pos; [left; apply exp_pos | apply modulus_nonneg]. }
    apply Rle_trans with (total (seq (S K) (N - K)) (fun k => far_out * / INR k ^ 2)).
    + apply total_le. intros k I. apply in_seq in I. eapply Rle_trans; [apply term_below; lia | apply node_far_out;
      lia].
    + rewrite total_scal. apply Rmult_le_compat_l; [exact F |].
      eapply Rle_trans; [apply inverse_squares; lia |].
      assert (0 < / INR (K + (N - K))) by (apply Rinv_0_lt_compat, lt_0_INR; lia). lra.
Qed.

(** ** The limit *)

Definition node_size (k : nat) : R :=
  h / (2 * PI) / (lam ^ 2 + (INR k * h) ^ 2) * exp (tau ^ 2 * (lam ^ 2 - (INR k * h) ^ 2) / 2).

Definition moduli (k : nat) : R := product_over laws (modulus (at_frequency lam (INR k * h))).

Lemma spacing_to_0 : is_lim_seq (spacing h) 0.
Proof.
  assert (P := PI_RGT_0). assert (I : is_lim_seq (fun N => / INR (S N)) 0).
  { apply (is_lim_seq_incr_1 (fun N => / INR N)). apply (is_lim_seq_inv INR p_infty); [apply is_lim_seq_INR |].
    discriminate. }
  apply (is_lim_seq_le_le (fun _ => 0) _ (fun N => 2 * PI / h * / INR (S N))).
  - intros N. split; [left; apply eta_pos, h_pos |]. unfold spacing. assert (X : 0 < INR (S N)) by (apply lt_0_INR;
    lia).
    assert (Y : INR (S N) <= INR (places_of N)) by (apply le_INR; unfold places_of; lia).
    replace (2 * PI / (h * INR (places_of N))) with (2 * PI / h * / INR (places_of N)) by (field; split; lra).
    apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra | apply Rinv_le_contravar; lra].
  - apply is_lim_seq_const.
  - replace (Finite 0) with (Finite (2 * PI / h * 0)) by (f_equal; ring).
    apply is_lim_seq_mult'; [apply is_lim_seq_const | exact I].
Qed.

Lemma node_above_to k : is_lim_seq (fun N => node_above k (spacing h N)) (node_size k).
Proof.
  assert (L : 0 < lam ^ 2) by (apply pow_lt, lam_pos). assert (K := pow2_ge_0 (INR k * h)). assert (P := PI_RGT_0).
  replace (node_size k) with (node_above k 0).
  - apply (is_lim_seq_continuous (node_above k)); [| apply spacing_to_0].
    apply continuity_pt_filterlim, (ex_derive_continuous (node_above k)). unfold node_above, shrunk. auto_derive.
    repeat split. rewrite !Rmult_1_r. replace (INR k * h * 0 * / 2) with 0 by ring. simpl in *. nra.
  - unfold node_above, node_size, shrunk. replace (1 - (INR k * h * 0 / 2) ^ 2 / 6) with 1 by field.
    replace (lam ^ 2 * 0 ^ 2 / 4) with 0 by field. rewrite Ropp_0, exp_0, !pow1, !Rmult_1_r. f_equal. f_equal. field.
Qed.

Lemma mean_to (L : dist R) (f : nat -> R -> R) (g : R -> R) :
  (forall v, is_lim_seq (fun N => f N v) (g v)) -> is_lim_seq (fun N => mean L (f N)) (mean L g).
Proof.
  intros H. unfold mean. induction L as [| wa L IH]; simpl; [apply is_lim_seq_const |].
  apply is_lim_seq_plus'; [| exact IH]. apply is_lim_seq_mult'; [apply is_lim_seq_const | apply H].
Qed.

Lemma rounded_to v : is_lim_seq (fun N => rounded_up (spacing h N) v) v.
Proof.
  apply (is_lim_seq_le_le (fun _ => v) _ (fun N => v + spacing h N)).
  - intros N. apply rounded_up_bounds, eta_pos, h_pos.
  - apply is_lim_seq_const.
  - replace (Finite v) with (Finite (v + 0)) by (f_equal; ring).
    apply is_lim_seq_plus'; [apply is_lim_seq_const | apply spacing_to_0].
Qed.

Lemma modulus_to y L :
  is_lim_seq (fun N => modulus (at_frequency lam y) (dmap (rounded_up (spacing h N)) L)) (modulus (at_frequency lam y)
    L).
Proof.
  assert (C : forall f, (forall v, continuity_pt f v) ->
    is_lim_seq (fun N => mean (dmap (rounded_up (spacing h N)) L) f) (mean L f)).
  { intros f F. apply (is_lim_seq_ext (fun N => mean L (fun v => f (rounded_up (spacing h N) v)))).
    - intros N. symmetry. apply mean_dmap.
    - apply (mean_to L (fun N v => f (rounded_up (spacing h N) v))). intros v.
      apply (is_lim_seq_continuous f); [apply F | apply rounded_to]. }
  unfold modulus, real_part, imaginary_part. cbn [tilt frequency at_frequency].
  apply (is_lim_seq_continuous sqrt).
  - apply continuity_pt_sqrt. apply Rplus_le_le_0_compat; apply pow2_ge_0.
  - assert (Sq : forall u a, is_lim_seq u (Finite a) -> is_lim_seq (fun N => u N ^ 2) (a ^ 2)).
    { intros u a U. apply (is_lim_seq_continuous (fun x => x ^ 2)); [| exact U].
      apply continuity_pt_filterlim, (ex_derive_continuous (fun x => x ^ 2)). auto_derive. trivial. }
    apply is_lim_seq_plus'; apply Sq, C; intros v; apply continuity_pt_filterlim;
      [apply (ex_derive_continuous (fun v => exp (lam * v) * cos (y * v))) |
       apply (ex_derive_continuous (fun v => exp (lam * v) * sin (y * v)))]; auto_derive; trivial.
Qed.

Lemma moduli_to k : is_lim_seq (moduli_at k) (moduli k).
Proof.
  unfold moduli_at, moduli. induction laws as [| L l IH]; simpl; [apply is_lim_seq_const |].
  apply is_lim_seq_mult'; [apply modulus_to | apply IH; inversion laws_proper; assumption].
Qed.

Lemma total_to (l : list nat) (f : nat -> nat -> R) (g : nat -> R) :
  (forall k, is_lim_seq (f k) (Finite (g k))) -> is_lim_seq (fun N => total l (fun k => f k N)) (total l g).
Proof.
  intros H. induction l as [| k l IH]; simpl; [apply is_lim_seq_const |]. apply is_lim_seq_plus'; [apply H | exact IH].
Qed.

Lemma sum_below_all K :
  (1 <= K)%nat ->
  mean (draws laws) (fun l => Rmax 0 (sum_of_values l)) <=
  node_size 0 * moduli 0 + 2 * total (seq 1 K) (fun k => node_size k * moduli k) + 2 * far_out * / INR K.
Proof.
  intros H. assert (T : forall k, is_lim_seq (fun N => node_above k (spacing h N) * moduli_at k N) (node_size k *
    moduli k)).
  { intros k. apply is_lim_seq_mult'; [apply node_above_to | apply moduli_to]. }
  change (Rbar_le (mean (draws laws) (fun l => Rmax 0 (sum_of_values l)))
    (node_size 0 * moduli 0 + 2 * total (seq 1 K) (fun k => node_size k * moduli k) + 2 * far_out * / INR K)).
  apply (is_lim_seq_le_loc (fun _ => mean (draws laws) (fun l => Rmax 0 (sum_of_values l)))
    (fun N => node_above 0 (spacing h N) * moduli_at 0 N +
      2 * total (seq 1 K) (fun k => node_above k (spacing h N) * moduli_at k N) + 2 * far_out * / INR K)).
  - exists K. intros N L. apply sum_below_some. lia.
  - apply is_lim_seq_const.
  - apply is_lim_seq_plus'; [| apply is_lim_seq_const]. apply is_lim_seq_plus'; [apply T |].
    apply is_lim_seq_mult'; [apply is_lim_seq_const |].
    apply (total_to (seq 1 K) (fun k N => node_above k (spacing h N) * moduli_at k N)). exact T.
Qed.

(** What all nodes beyond the K-th have together. *)
Definition beyond (K : nat) : R :=
  exp (tau ^ 2 * lam ^ 2 / 2) * exp (- (tau * (INR K * h)) ^ 2 / 2) / (PI * (INR K * h)).

Lemma nodes_beyond K j : (1 <= K)%nat ->
  2 * total (seq (S K) j) (fun k => node_size k * moduli k) <= beyond K * moduli 0.
Proof.
  intros H. assert (P := PI_RGT_0). assert (K0 : 0 < INR K) by (apply lt_0_INR; lia).
  assert (H2 : 0 < h ^ 2) by (apply pow_lt, h_pos). assert (L2 : 0 < lam ^ 2) by (apply pow_lt, lam_pos).
  assert (M0 : 0 <= moduli 0) by (apply product_over_nonneg; intros; apply modulus_nonneg).
  set (e := exp (tau ^ 2 * lam ^ 2 / 2) * exp (- (tau * (INR K * h)) ^ 2 / 2)).
  assert (E0 : 0 < e) by (apply Rmult_lt_0_compat; apply exp_pos).
  set (c := h / (2 * PI) * (/ h ^ 2) * e * moduli 0).
  assert (C0 : 0 <= c).
  { unfold c. assert (0 < h / (2 * PI)) by (apply Rdiv_lt_0_compat; lra).
    assert (0 < / h ^ 2) by (apply Rinv_0_lt_compat, H2).
    apply Rmult_le_pos; [left; apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat |]; assumption | exact M0]. }
  apply Rle_trans with (2 * total (seq (S K) j) (fun k => c * / INR k ^ 2)).
  - apply Rmult_le_compat_l; [lra |]. apply total_le. intros k I. apply in_seq in I.
    assert (Kk : INR K <= INR k) by (apply le_INR; lia). assert (k2 : 0 < INR k ^ 2) by (apply pow_lt; lra).
    assert (M1 : 0 <= moduli k) by (apply product_over_nonneg; intros; apply modulus_nonneg).
    replace (c * / INR k ^ 2) with (h / (2 * PI) / (INR k * h) ^ 2 * e * moduli 0) by (unfold c; field; repeat split;
      lra).
    assert (D : 0 < (INR k * h) ^ 2) by (apply pow_lt, Rmult_lt_0_compat; lra).
    assert (C : 0 < h / (2 * PI)) by (apply Rdiv_lt_0_compat; lra).
    apply Rmult_le_compat; [| exact M1 | |].
    + unfold node_size. apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; lra | left; apply exp_pos].
    + unfold node_size. apply Rmult_le_compat; [left; apply Rdiv_lt_0_compat; lra | left; apply exp_pos | |].
      * apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar; lra.
      * unfold e. rewrite <- exp_plus. apply exp_le.
        assert (tau ^ 2 * (INR K * h) ^ 2 <= tau ^ 2 * (INR k * h) ^ 2).
        { apply Rmult_le_compat_l; [apply pow2_ge_0 |]. apply pow_incr. split; [apply Rmult_le_pos; lra |].
          apply Rmult_le_compat_r; lra. }
        replace ((tau * (INR K * h)) ^ 2) with (tau ^ 2 * (INR K * h) ^ 2) by ring. lra.
    + unfold moduli. apply product_over_le. intros L J. split; [apply modulus_nonneg |].
      replace (INR 0 * h) with 0 by (simpl; ring). apply modulus_at_most, (proj1 (Forall_forall _ _) laws_proper L J).
  - rewrite total_scal. assert (S := inverse_squares K j H).
    assert (J : 0 < / INR (K + j)) by (apply Rinv_0_lt_compat, lt_0_INR; lia).
    apply Rle_trans with (2 * (c * / INR K)).
    + apply Rmult_le_compat_l; [lra |]. apply Rmult_le_compat_l; [exact C0 | lra].
    + right. unfold c, beyond. fold e. field. repeat split; lra.
Qed.

Lemma sum_below_nodes K :
  (1 <= K)%nat ->
  mean (draws laws) (fun l => Rmax 0 (sum_of_values l)) <=
  node_size 0 * moduli 0 + 2 * total (seq 1 K) (fun k => node_size k * moduli k) + beyond K * moduli 0.
Proof.
  intros H. apply le_epsilon. intros e E.
  destruct (archimed_cor1 (e / (2 * Rabs far_out + 1))) as [j [J1 J2]].
  { apply Rdiv_lt_0_compat; [exact E |]. assert (A := Rabs_pos far_out). lra. }
  eapply Rle_trans; [apply (sum_below_all (K + j)); lia |].
  rewrite seq_app, total_app. assert (B := nodes_beyond K j H). change (1 + K)%nat with (S K).
  assert (A := Rabs_pos far_out). assert (A' := Rle_abs far_out).
  assert (I : 0 < / INR (K + j) <= / INR j).
  { split; [apply Rinv_0_lt_compat, lt_0_INR; lia |]. apply Rinv_le_contravar; [apply lt_0_INR; lia | apply le_INR;
    lia]. }
  assert (F : 2 * far_out * / INR (K + j) <= e).
  { apply Rle_trans with ((2 * Rabs far_out + 1) * (e / (2 * Rabs far_out + 1))); [| right; field; lra].
    apply Rle_trans with ((2 * Rabs far_out + 1) * / INR (K + j)); [apply Rmult_le_compat_r; lra |].
    apply Rmult_le_compat_l; lra. }
  lra.
Qed.

End Limit.

(** ** The waves *)

Definition node (lam tau h : R) (k : nat) : wave :=
  Wave (match k with O => 1 | _ => 2 end * node_size lam tau h k) 0 lam (INR k * h).

Definition node_waves (lam tau h : R) (K : nat) : list wave :=
  Wave (beyond lam tau h K) 0 lam 0 :: map (node lam tau h) (seq 0 (S K)).

Lemma size_real a lam y : 0 <= a -> size (Wave a 0 lam y) = a.
Proof. intros H. unfold size. simpl. rewrite Rmult_0_l, Rplus_0_r. fold (a ^ 2). apply (sqrt_pow2 a H). Qed.

Lemma node_size_nonneg lam tau h k : 0 < lam -> 0 < h -> 0 <= node_size lam tau h k.
Proof.
  intros L H. unfold node_size. assert (P := PI_RGT_0). assert (0 < lam ^ 2) by (apply pow_lt, L).
  assert (K := pow2_ge_0 (INR k * h)). apply Rmult_le_pos; [| left; apply exp_pos].
  left. repeat apply Rdiv_lt_0_compat; lra.
Qed.

Lemma beyond_nonneg lam tau h K : (1 <= K)%nat -> 0 < h -> 0 <= beyond lam tau h K.
Proof.
  intros L H. unfold beyond. assert (P := PI_RGT_0). assert (0 < INR K) by (apply lt_0_INR; lia).
  left. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; apply exp_pos |].
  apply Rmult_lt_0_compat; [lra | apply Rmult_lt_0_compat; assumption].
Qed.

Theorem nodes_majorant lam tau h K :
  0 < lam -> 0 < h -> (1 <= K)%nat -> majorant (fun _ => True) (node_waves lam tau h K).
Proof.
  intros L H HK laws HL _. eapply Rle_trans; [apply (sum_below_nodes lam tau h laws L H HL K HK) |].
  unfold node_waves. change (seq 0 (S K)) with (0%nat :: seq 1 K). cbn [map total]. rewrite total_map.
  rewrite (total_ext _ (fun k => size (node lam tau h k) * _) (fun k => 2 * (node_size lam tau h k * moduli lam h laws
    k))).
  - rewrite total_scal, size_real by (apply beyond_nonneg; assumption).
    unfold node. rewrite size_real by (rewrite Rmult_1_l; apply node_size_nonneg; assumption). unfold moduli.
    assert (Z : INR 0 * h = 0) by (simpl; ring). rewrite Z.
    rewrite (product_over_ext_all laws (modulus (Wave (beyond lam tau h K) 0 lam 0)) (modulus (at_frequency lam 0)))
      by reflexivity.
    rewrite (product_over_ext_all laws (modulus (Wave (1 * node_size lam tau h 0) 0 lam 0)) (modulus (at_frequency lam
      0))) by reflexivity.
    right. ring.
  - intros k I. apply in_seq in I. destruct k as [| k]; [lia |]. unfold node.
    rewrite size_real by (apply Rmult_le_pos; [lra | apply node_size_nonneg; assumption]).
    rewrite (product_over_ext_all laws (modulus (Wave _ 0 lam _)) (modulus (at_frequency lam (INR (S k) * h))))
      by reflexivity.
    unfold moduli. ring.
Qed.
