(** The rows of proofs/composed_privacy.py on many runs and on groups: what each of them states, and that it holds. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy masses hockey_stick adding_a_user mixtures joint_convexity.
From Exactdp Require Import loss_measures adaptive_composition corners optimal_composition advanced_composition.
From Exactdp Require Import adaptive_programs different_levels renyi pure_renyi group_privacy composed_rounds.
Import ListNotations.
Open Scope R_scope.

Definition row_composition_optimal : Prop :=
  forall (eps delta : R) (T : nat), 0 <= eps -> 0 <= delta <= 1 ->
  let delta_of := fun E => 1 - (1 - delta) ^ T + (1 - delta) ^ T *
    (total (seq 0 (S T)) (fun i => C T i * Rmax 0 (exp eps ^ (T - i) - E * exp eps ^ i)) / (1 + exp eps) ^ T) in
  (forall (X A : Type) (K : list A -> list X -> dist A) (n : nat), (forall seen xs, proper (K seen xs)) ->
   (forall seen, (length seen < T)%nat -> dp n (K seen) eps delta) ->
   forall eps', dp n (runs K T) eps' (delta_of (exp eps'))) /\
  exists P Q : list (bool * bool) -> R,
  played (repeat (private_pairs (exp eps) delta) T) P Q /\
  forall E d, 0 <= E -> mass_below P Q E d -> delta_of E <= d.
Theorem row_composition_optimal_holds : row_composition_optimal.
Proof.
  intros eps delta T He Hd delta_of. split.
  - intros X A K n HK H eps'. apply (private_runs K n T eps delta); assumption.
  - exists (responses (exp eps) delta T true), (responses (exp eps) delta T false).
    apply optimal_composition_attained; [apply exp_ge_1, He | exact Hd].
Qed.

Definition row_composition_levels : Prop :=
  (forall (X A : Type) (K : list A -> list X -> dist A) (n T : nat) (eps delta : nat -> R) (eps' : R),
   (forall seen xs, proper (K seen xs)) -> (forall t, (t < T)%nat -> 0 <= eps t /\ 0 <= delta t <= 1) ->
   (forall seen, (length seen < T)%nat -> dp n (K seen) (eps (length seen)) (delta (length seen))) ->
   dp n (runs K T) eps'
     (divergence (product (map (fun t => response_losses (exp (eps t)) (delta t)) (seq 0 T))) (exp eps'))) /\
  forall levels : list (R * R), Forall (fun l => 1 <= fst l /\ 0 <= snd l <= 1) levels ->
  exists P Q : list (bool * bool) -> R,
  played (map (fun l => private_pairs (fst l) (snd l)) levels) P Q /\
  forall E d, 0 <= E -> mass_below P Q E d ->
  divergence (product (map (fun l => response_losses (fst l) (snd l)) levels)) E <= d.
Theorem row_composition_levels_holds : row_composition_levels.
Proof.
  split; [intros X A K n T eps delta eps'; apply private_runs_at_levels |].
  intros levels HL. exists (responses_at levels true), (responses_at levels false).
  apply different_levels_attained, HL.
Qed.

Definition row_composition_advanced : Prop :=
  forall (X A : Type) (K : list A -> list X -> dist A) (n T : nat) (eps delta slack : R),
  (forall seen xs, proper (K seen xs)) -> 0 <= eps -> 0 <= delta <= 1 -> 0 < slack <= 1 ->
  (forall seen, (length seen < T)%nat -> dp n (K seen) eps delta) ->
  dp n (runs K T) (eps * sqrt (2 * INR T * ln (/ slack)) + INR T * eps * ((exp eps - 1) / (exp eps + 1)))
    (1 - (1 - delta) ^ T * (1 - slack)) /\
  dp n (runs K T) (sqrt (2 * INR T * ln (/ slack)) * eps + INR T * eps * (exp eps - 1)) (INR T * delta + slack).
Theorem row_composition_advanced_holds : row_composition_advanced.
Proof.
  intros X A K n T eps delta slack HK He Hd Hs H. split.
  - apply (private_runs_advanced K n T eps delta); assumption.
  - apply (private_runs_printed K n T eps delta); assumption.
Qed.

Definition row_composition_renyi : Prop :=
  forall (X A : Type) (K : list A -> list X -> dist A) (rho : nat -> R) (alpha : R) (n T : nat) (eps : R),
  (forall seen xs, proper (K seen xs)) -> 1 < alpha ->
  (forall seen xs ys, (length seen < T)%nat -> neighbors xs ys -> length xs = n ->
   (forall a, 0 < mass (K seen xs) a -> 0 < mass (K seen ys) a) /\
   mean (K seen xs) (fun a => Rpower (mass (K seen xs) a / mass (K seen ys) a) (alpha - 1)) <=
   exp ((alpha - 1) * rho (length seen))) ->
  dp n (runs K T) eps
    (Rpower (1 - / alpha) (alpha - 1) / alpha * exp ((alpha - 1) * (total (seq 0 T) rho - eps))).
Theorem row_composition_renyi_holds : row_composition_renyi.
Proof.
  intros X A K rho alpha n T eps HK Ha H. rewrite <- conversion_of_order by exact Ha.
  apply renyi_runs_private; [exact HK | lra | exact H].
Qed.

Definition row_renyi_of_pure : Prop :=
  forall (X A : Type) (M : list X -> dist A) (n : nat) (eps alpha : R) xs ys,
  (forall zs, proper (M zs)) -> 0 <= eps -> 1 < alpha -> dp n M eps 0 -> neighbors xs ys -> length xs = n ->
  (forall a, 0 < mass (M xs) a -> 0 < mass (M ys) a) /\
  mean (M xs) (fun a => Rpower (mass (M xs) a / mass (M ys) a) (alpha - 1)) <=
  exp ((alpha - 1) * (alpha * eps ^ 2 / 2)).
Theorem row_renyi_of_pure_holds : row_renyi_of_pure.
Proof.
  intros X A M n eps alpha xs ys HM He Ha H N L.
  assert (R := pure_is_renyi (M xs) (M ys) eps (alpha - 1) (HM xs) (HM ys) He ltac:(lra) (H xs ys N L)).
  replace (1 + (alpha - 1)) with alpha in R by ring. apply R, H; [apply neighbors_sym, N |].
  rewrite <- (neighbors_length xs ys N). exact L.
Qed.

Definition row_composition_shuffled : Prop :=
  forall (d : nat -> R -> R) (nu : nat -> measure) (X M : Type) (R : list (list M) -> X -> dist (list M)) (n T : nat),
  (forall seen x, proper (R seen x)) ->
  (forall seen xs ys E, (length seen < T)%nat -> neighbors xs ys -> length xs = n -> 1 <= E ->
   shuffle_below (R seen) xs ys E (d (length seen) E)) ->
  (forall t, (t < T)%nat -> lies_above (nu t) (d t)) ->
  forall xs ys E, neighbors xs ys -> length xs = n -> 0 <= E ->
  below (rounds R T xs) (rounds R T ys) E (divergence (product (map nu (seq 0 T))) E).
Theorem row_composition_shuffled_holds : row_composition_shuffled.
Proof. intros d nu X M R n T HR H HN. apply (rounds_of_curves R n T HR d nu H HN). Qed.

Definition row_group_privacy : Prop :=
  forall (X A : Type) (M : list X -> dist A) (n k : nat) (eps delta : R) xs ys,
  dp n M eps delta -> changed k xs ys -> length xs = n ->
  (eps <> 0 -> below (M xs) (M ys) (exp (INR k * eps)) (delta * ((exp (INR k * eps) - 1) / (exp eps - 1)))) /\
  (eps = 0 -> below (M xs) (M ys) 1 (INR k * delta)).
Theorem row_group_privacy_holds : row_group_privacy.
Proof.
  intros X A M n k eps delta xs ys H C L. assert (G := group_privacy n k M eps delta xs ys H C L).
  unfold group_loss in G. split; intros Z; destruct (Req_EM_T eps 0); try contradiction; [exact G |].
  rewrite Z, Rmult_0_r, exp_0 in G. exact G.
Qed.

Definition row_group_privacy_added : Prop :=
  ~ (forall (X A : Type) (M : list X -> dist A) (n k : nat) (eps delta : R) xs ys,
     (forall zs, proper (M zs)) -> dp n M eps delta -> changed k xs ys -> length xs = n ->
     below (M xs) (M ys) (exp (INR k * eps)) (INR k * delta)).
Theorem row_group_privacy_added_holds : row_group_privacy_added.
Proof.
  intros H. destruct group_privacy_attained as [P [_ N]].
  assert (C : changed 2 [false; false] [true; true]) by repeat constructor.
  specialize (H bool nat noisy_ones 2%nat 2%nat (ln 2) (1 / 4) _ _ proper_noisy_ones P C eq_refl).
  apply N in H. simpl in H. lra.
Qed.

Definition row_joint_convexity : Prop :=
  forall (I A : Type) (W : dist I) (P Q : I -> dist A) (E : R), proper W ->
  hockey_stick (bind W P) (bind W Q) E <= mean W (fun i => hockey_stick (P i) (Q i) E) /\
  exists wi, In wi W /\ 0 < fst wi /\
  hockey_stick (bind W P) (bind W Q) E <= hockey_stick (P (snd wi)) (Q (snd wi)) E.
Theorem row_joint_convexity_holds : row_joint_convexity.
Proof.
  intros I A W P Q E HW. split; [apply mixture_hockey_stick, HW | apply joint_quasi_convexity, HW].
Qed.
