(** Sums with noise, split and mixed: how private what the shuffler shows is, for every noise.

    Each of n users has a number, adds noise of her own to it, drawn from any law on the integers, and splits the sum
    into m shares modulo q; all nm shares are shuffled; n, m, q >= 1. The sum of all shares modulo q is the noisy sum of
    a curator, [noisy_sum]: what it shows is what the shuffler shows beside it, which is little.

    - [noisy_split_private]: if the noisy sum modulo q is (eps, delta)-DP, the shuffled shares are
      (eps, delta + (1 + e^eps) eta)-DP, eta = sqrt(excess of q)/2 as in simulator.v; eps and delta real;
    - [noisy_split_exact]: and the sum of the shares modulo q has the law of the noisy sum: whatever is estimated from
      it errs as a curator's estimate does.

    Idea: given the noise, the view is within eta of the simulator's, which is a function of the noisy sum with coins of
    its own. One induction over the users proves both ([noisy_near]): what is within s of a function of the sum without
    noise is so with it, and s = 0 is exact.
    (Source: IshaiKushilevitzOstrovskySahai2006, BalleBellGasconNissim2020.) *)

From Coq Require Import Reals List Lra Lia ZArith Permutation.
From Exactdp Require Import sums laws privacy masses infinite_sums hockey_stick adding_a_user.
From Exactdp Require Import countable_programs counting_programs words split_and_mix random_graph components simulator.
Import ListNotations.
Open Scope R_scope.

(** ** Means *)

Lemma expectation_image {A B} (D : A -> R) (k : A -> B) f : law D -> unit_valued f ->
  expectation (chain D (fun a => point (k a))) f = expectation D (fun a => f (k a)).
Proof.
  intros L F. rewrite expectation_chain; [| exact L | intros a; apply point_law | exact F].
  apply expectation_ext; [exact L | intros a; apply expectation_bounds; [apply point_law | exact F] |].
  intros a. apply expectation_point, F.
Qed.

Lemma between x y : Rabs x <= y -> - y <= x <= y.
Proof. unfold Rabs. destruct (Rcase_abs x); lra. Qed.

(** Means of functions that are nowhere more than s apart are not. *)
Lemma expectation_near {A} (D : A -> R) f g s : law D -> unit_valued f -> unit_valued g -> 0 <= s ->
  (forall a, Rabs (f a - g a) <= s) -> Rabs (expectation D f - expectation D g) <= s.
Proof.
  intros L F G S Near.
  assert (One : forall f g : A -> R, unit_valued f -> unit_valued g -> (forall a, f a <= g a + s) ->
    expectation D f <= expectation D g + s).
  { clear - L S. intros f g F G Near. apply (sum_of_least _ _ _ (expectation_sum D L f F)). intros l N.
    apply Rle_trans with (total l (fun a => D a * g a) + s * total l D).
    - rewrite <- total_scal, <- total_plus. apply total_le. intros a _.
      assert (X := Rmult_le_compat_l _ _ _ (proj1 L a) (Near a)). lra.
    - assert (X := sum_of_upper _ _ l (expectation_sum D L g G) N). assert (Y := law_finite D l L N). nra. }
  assert (X := One f g F G ltac:(intros a; specialize (between _ _ (Near a)); lra)).
  assert (Y := One g f G F ltac:(intros a; specialize (between _ _ (Near a)); lra)). apply Rabs_le. lra.
Qed.

Section Noise.

Context {X : Type} (value : X -> Z) (q m : nat) (noise : Z -> R).
Hypothesis q_some : (1 <= q)%nat.
Hypothesis m_some : (1 <= m)%nat.
Hypothesis noise_law : law noise.

Definition noisy_split (x : X) : list nat -> R := chain noise (fun z => mass (split q m (residue q (value x + z)))).

Definition numbers (xs : list X) : Z := fold_right (fun x => Z.add (value x)) 0%Z xs.

(** The sum of the noise of n users. *)
Fixpoint draws (n : nat) : Z -> R :=
  match n with
  | O => point 0%Z
  | S k => chain noise (fun z => chain (draws k) (fun y => point (z + y)%Z))
  end.

Definition noisy_sum (xs : list X) : nat -> R :=
  chain (draws (length xs)) (fun z => point (residue q (numbers xs + z))).

Lemma draws_law n : law (draws n).
Proof.
  induction n as [| n IH]; [apply point_law |]. apply chain_law; [exact noise_law |]. intros z.
  apply chain_law; [exact IH |]. intros y. apply point_law.
Qed.

Lemma expectation_draws n f : unit_valued f ->
  expectation (draws (S n)) f = expectation noise (fun z => expectation (draws n) (fun y => f (z + y)%Z)).
Proof.
  intros F. assert (L := draws_law n). assert (P : forall z, law (chain (draws n) (fun y => point (z + y)%Z)))
    by (intros z; apply chain_law; [exact L | intros y; apply point_law]).
  cbn [draws]. rewrite expectation_chain by assumption.
  apply expectation_ext; [exact noise_law | intros z; apply expectation_bounds; auto |].
  intros z. apply expectation_image; assumption.
Qed.

Lemma noisy_sum_law xs : law (noisy_sum xs).
Proof. apply chain_law; [apply draws_law | intros z; apply point_law]. Qed.

Lemma noisy_split_law x : law (noisy_split x).
Proof. apply chain_law; [exact noise_law | intros z; apply mass_law, split_proper, q_some]. Qed.

Lemma residue_first a b : residue q (Z.of_nat (residue q a) + b) = residue q (a + b).
Proof.
  unfold residue. rewrite Z2Nat.id by (apply Z.mod_pos_bound; lia). rewrite Zplus_mod_idemp_l. reflexivity.
Qed.

Lemma residue_last a b : residue q (a + Z.of_nat (residue q b)) = residue q (a + b).
Proof. rewrite Z.add_comm, residue_first, Z.add_comm. reflexivity. Qed.

Lemma mean_unit {A} (d : dist A) f : proper d -> unit_valued f -> 0 <= mean d f <= 1.
Proof.
  intros P F. rewrite <- expectation_mass by assumption. apply expectation_bounds; [apply mass_law, P | exact F].
Qed.

Lemma noisy_near s xs f h : 0 <= s -> unit_valued f -> unit_valued h ->
  (forall ys, length ys = length xs ->
    Rabs (mean (messages (split q m) ys) f - h (residue q (sum_of ys))) <= s) ->
  Rabs (expectation (sent noisy_split xs) f - expectation (noisy_sum xs) h) <= s.
Proof.
  intros S F H Near. unfold noisy_sum. rewrite expectation_image by (apply draws_law || exact H).
  revert f h F H Near. induction xs as [| x xs IH]; intros f h F H Near.
  { cbn [sent length draws]. rewrite !expectation_point by (apply F || apply H). specialize (Near [] eq_refl).
    cbn [messages] in Near. rewrite mean_ret in Near. exact Near. }
  assert (LS := sent_law noisy_split xs noisy_split_law). assert (LD := draws_law (length xs)).
  assert (U : forall u, 0 <= expectation (sent noisy_split xs) (fun v => f (u ++ v)) <= 1)
    by (intros u; apply expectation_bounds; [exact LS | intros v; apply F]).
  rewrite sent_cons by (exact F || apply noisy_split_law). unfold noisy_split at 1.
  rewrite expectation_chain; [| exact noise_law | intros z; apply mass_law, split_proper, q_some | exact U].
  cbn [length]. rewrite expectation_draws by (intros z; apply H).
  apply expectation_near; [exact noise_law | | | exact S |].
  { intros z. apply expectation_bounds; [apply mass_law, split_proper, q_some | exact U]. }
  { intros z. apply expectation_bounds; [exact LD | intros y; apply H]. }
  intros z. set (r := residue q (value x + z)).
  rewrite (expectation_swap (mass (split q m r)) (sent noisy_split xs) (fun u v => f (u ++ v)))
    by (apply mass_law, split_proper, q_some || exact LS || intros u v; apply F).
  rewrite (expectation_ext (sent noisy_split xs) LS _ (fun v => mean (split q m r) (fun u => f (u ++ v)))).
  2: { intros v. apply expectation_bounds; [apply mass_law, split_proper, q_some | intros u; apply F]. }
  2: { intros v. apply expectation_mass; [apply split_proper, q_some | intros u; apply F]. }
  rewrite (expectation_ext (draws (length xs)) LD _ (fun y => h (residue q (Z.of_nat r +
    Z.of_nat (residue q (numbers xs + y))))%Z)).
  2: { intros y. apply H. }
  2: { intros y. unfold r. rewrite residue_first, residue_last. do 2 f_equal. unfold numbers. cbn [fold_right]. ring. }
  apply (IH (fun v => mean (split q m r) (fun u => f (u ++ v))) (fun t => h (residue q (Z.of_nat r + Z.of_nat t)))).
  - intros v. apply mean_unit; [apply split_proper, q_some | intros u; apply F].
  - intros t. apply H.
  - intros ys Ly. specialize (Near (r :: ys) ltac:(simpl; lia)). rewrite mean_messages_first, mean_swap in Near.
    rewrite residue_last. replace (Z.of_nat r + sum_of ys)%Z with (sum_of (r :: ys)); [exact Near |].
    unfold sum_of. simpl list_sum. lia.
Qed.

(** The simulator of simulator.v, for the residue of a sum. *)
Lemma near_simulator n ys T : (1 <= n)%nat -> length ys = n -> symmetric T ->
  Rabs (Pr (messages (split q m) ys) T - Pr (messages (split q (n * m)) [residue q (sum_of ys)]) T) <=
  sqrt (excess m n q) / 2.
Proof.
  intros N L S. apply simulator_bound; try assumption. unfold is_multiple, residue. apply Z.eqb_eq.
  rewrite Z2Nat.id, Zminus_mod_idemp_r, Z.sub_diag by (apply Z.mod_pos_bound; lia). apply Z.mod_0_l. lia.
Qed.

Theorem noisy_split_private n eps delta : (1 <= n)%nat ->
  (forall xs ys, neighbors xs ys -> length xs = n -> mass_below (noisy_sum xs) (noisy_sum ys) (exp eps) delta) ->
  countable_dp n noisy_split eps (delta + (1 + exp eps) * (sqrt (excess m n q) / 2)).
Proof.
  intros N D xs ys H L T S. set (h := fun s => Pr (messages (split q (n * m)) [s]) T).
  assert (U : unit_valued h) by (intros s; apply Pr_bounds, proper_messages; intros x; apply split_proper, q_some).
  assert (Near : forall zs, length zs = n ->
    Rabs (expectation (sent noisy_split zs) (indicator T) - expectation (noisy_sum zs) h) <= sqrt (excess m n q) / 2).
  { intros zs Lz. apply noisy_near; [| intros u; apply indicator_bounds | exact U |].
    - assert (P := sqrt_pos (excess m n q)). lra.
    - intros ys' Ly. apply near_simulator; [exact N | lia | exact S]. }
  assert (Below := expectation_below _ _ (exp eps) delta h (noisy_sum_law xs) (noisy_sum_law ys)
    (Rlt_le _ _ (exp_pos eps)) (D xs ys H L) U).
  assert (A := Near xs L). assert (B := Near ys ltac:(rewrite <- L; symmetry; apply neighbors_length, H)).
  apply between in A, B. assert (E := exp_pos eps). nra.
Qed.

Theorem noisy_split_exact n xs F : (1 <= n)%nat -> length xs = n -> unit_valued F ->
  expectation (sent noisy_split xs) (fun u => F (residue q (sum_of u))) = expectation (noisy_sum xs) F.
Proof.
  intros N L U. set (seen := fun u => F (residue q (sum_of u))).
  assert (B := noisy_near 0 xs seen F (Rle_refl 0) ltac:(intros u; apply U) U).
  enough (Near : forall ys, length ys = length xs ->
    Rabs (mean (messages (split q m) ys) seen - F (residue q (sum_of ys))) <= 0)
    by (specialize (B Near); apply between in B; lra).
  intros ys Ly. right. rewrite <- Rabs_R0. f_equal. apply Rminus_diag_eq.
  assert (P : 0 < INR q ^ (length ys * m)) by (apply pow_lt, lt_0_INR; lia).
  rewrite <- (mean_const (messages (split q m) ys) (F (residue q (sum_of ys))))
    by (apply proper_messages; intros x; apply split_proper, q_some).
  apply Rmult_eq_reg_l with (INR q ^ (length ys * m)); [| lra]. rewrite !split_messages by assumption. f_equal.
  apply total_ext. intros u I. apply in_words in I. destruct (fits q m ys u) eqn:Fi; [| simpl; ring].
  apply (fits_sum m n) in Fi; try assumption; [| lia]. unfold seen. do 2 f_equal. unfold residue, is_multiple in *.
  f_equal.
  apply Z.eqb_eq, Z.mod_divide in Fi; [| lia]. destruct Fi as [d E].
  replace (sum_of u) with (sum_of ys + d * Z.of_nat q)%Z by lia. apply Z_mod_plus_full.
Qed.

End Noise.
