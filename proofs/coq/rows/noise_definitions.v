(** The rows of the ledger on sensitivity, Laplace noise, one-sided noise and the exponential mechanism. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals sums laws masses privacy infinite_sums shifts smooth_noise_privacy geometric_noise.
From Exactdp Require Import steps_one_sided one_sided_noise geometric_moments sensitivity.
From Exactdp Require Import exponential_mechanism laplace_noise laplace_boxes laplace_delta laplace_accuracy
  exponential_noise bits.
From Exactdp Require Import noise_on_naturals noisy_maximum noisy_maximum_errs finite_exponential_mechanism.
From Exactdp Require Import private_winner noise_is_needed.
Import ListNotations.
Open Scope R_scope.

(* Of a finite union of boxes that meet in edges alone the sum is the probability. *)
Definition row_laplace_privacy : Prop :=
  forall (X : Type) (neighbor : X -> X -> Prop) (f : X -> list R) (eps Df : R),
  0 < eps -> 0 < Df ->
  (forall x y, neighbor x y -> length (f x) = length (f y) /\ l1_norm (f x) (f y) <= Df) ->
  forall x y, neighbor x y ->
  (forall t, laplace_density (Df / eps) (f x) t <= exp eps * laplace_density (Df / eps) (f y) t) /\
  forall boxes : list (list (R * R)), (forall box, In box boxes -> forall s, In s box -> fst s <= snd s) ->
  total boxes (box_probability (Df / eps) (f x)) <= exp eps * total boxes (box_probability (Df / eps) (f y)).

Theorem row_laplace_privacy_holds : row_laplace_privacy.
Proof.
  intros X neighbor f eps Df He HD S x y N. split; [exact (laplace_private neighbor f eps Df He HD S x y N) |].
  exact (laplace_boxes_private neighbor f eps Df He HD S x y N).
Qed.

Definition row_laplace_delta : Prop :=
  forall b s eps : R, 0 < b -> 0 < s -> 0 <= eps ->
  let excess c d t := Rmax 0 (laplace b c t - exp eps * laplace b d t) in
  let least := Rmax 0 (1 - exp ((eps - s / b) / 2)) in
  is_RInt_gen (excess 0 s) (Rbar_locally m_infty) (Rbar_locally p_infty) least /\
  forall c d, Rabs (c - d) <= s -> exists delta,
  is_RInt_gen (excess c d) (Rbar_locally m_infty) (Rbar_locally p_infty) delta /\ delta <= least.

Theorem row_laplace_delta_holds : row_laplace_delta.
Proof. exact laplace_least_delta. Qed.

Definition row_laplace_discrete : Prop :=
  forall (X : Type) (neighbor : X -> X -> Prop) (f : X -> list Z) (eps : R) (Df : nat),
  0 < eps ->
  (forall x y, neighbor x y -> length (f x) = length (f y) /\ (l1_distance (f x) (f y) <= Z.of_nat Df)%Z) ->
  forall x y, neighbor x y -> forall (T : list Z -> Prop) p q,
  mass_of (noisy (geometric (exp (- eps))) (f x)) T p ->
  mass_of (noisy (geometric (exp (- eps))) (f y)) T q ->
  p <= exp (INR Df * eps) * q.

Theorem row_laplace_discrete_holds : row_laplace_discrete.
Proof. exact @discrete_laplace_private. Qed.

(* Neighbours by adding or removing a record: all records are in the domain, of which hi is the supremum. *)
Definition row_sum_sensitivity_printed : Prop :=
  ~ (forall (lo hi v : R) (xs : list R),
     List.Forall (fun record => lo <= record <= hi) (v :: xs) -> Rabs (sum (v :: xs) - sum xs) <= hi).

Theorem row_sum_sensitivity_printed_holds : row_sum_sensitivity_printed.
Proof.
  intros H. destruct (sum_sensitivity (-2) 1) as [_ [[v [V A]] _]]; [lra |]. specialize (A [] []).
  specialize (H (-2) 1 v [] (List.Forall_cons v V (List.Forall_nil _))). rewrite !app_nil_l in A.
  rewrite A in H. revert H.
  unfold Rmax, Rabs. repeat destruct (Rcase_abs _); destruct (Rle_dec _ _); lra.
Qed.

Definition row_sum_sensitivity_printed_replace : Prop :=
  ~ (forall (lo hi v w : R) (xs : list R),
     List.Forall (fun record => lo <= record <= hi) (v :: w :: xs) -> Rabs (sum (v :: xs) - sum (w :: xs)) <= hi).

Theorem row_sum_sensitivity_printed_replace_holds : row_sum_sensitivity_printed_replace.
Proof.
  intros H. destruct (sum_sensitivity (-1) 1) as [_ [_ [_ A]]]; [lra |]. specialize (A [] []).
  specialize (H (-1) 1 1 (-1) [] ltac:(repeat constructor; lra)). rewrite !app_nil_l in A. rewrite A in H. lra.
Qed.

Definition row_sum_sensitivity : Prop :=
  forall lo hi, lo <= hi ->
  (forall before v after, lo <= v <= hi ->
    Rabs (sum (before ++ v :: after) - sum (before ++ after)) <= Rmax (Rabs lo) (Rabs hi)) /\
  (exists v, lo <= v <= hi /\ forall before after,
    Rabs (sum (before ++ v :: after) - sum (before ++ after)) = Rmax (Rabs lo) (Rabs hi)) /\
  (forall before v w after, lo <= v <= hi -> lo <= w <= hi ->
    Rabs (sum (before ++ v :: after) - sum (before ++ w :: after)) <= hi - lo) /\
  (forall before after, Rabs (sum (before ++ hi :: after) - sum (before ++ lo :: after)) = hi - lo).

Theorem row_sum_sensitivity_holds : row_sum_sensitivity.
Proof. exact sum_sensitivity. Qed.

Definition row_noise_least : Prop :=
  forall (a : R) (f g : list Z) (E : R), 0 < a < 1 -> length f = length g ->
  (mass_below (noisy (geometric a) f) (noisy (geometric a) g) E 0 <->
   (/ a) ^ Z.to_nat (l1_distance f g) <= E).

Theorem row_noise_least_holds : row_noise_least.
Proof. exact geometric_noise_exact. Qed.

Definition row_histogram_sensitivity_printed : Prop :=
  ~ (forall (d : nat) (eps : R) (xs ys : list nat), 0 < eps -> neighbors xs ys ->
     mass_below (noisy (geometric (exp (- eps))) (cells d xs)) (noisy (geometric (exp (- eps))) (cells d ys))
       (exp eps) 0).

Theorem row_histogram_sensitivity_printed_holds : row_histogram_sensitivity_printed.
Proof.
  intros H. specialize (H 2%nat 1 [0%nat] [1%nat] ltac:(lra) (replace_one [] 0%nat 1%nat [])).
  apply geometric_noise_exact in H; [| apply ratio_of_eps; lra | reflexivity].
  replace (Z.to_nat (l1_distance (cells 2 [0%nat]) (cells 2 [1%nat]))) with 2%nat in H by reflexivity.
  rewrite factor_of_eps in H. simpl in H. assert (X := exp_increasing 1 ((1 + 1) * 1) ltac:(lra)). lra.
Qed.

Definition row_histogram_sensitivity : Prop :=
  forall (d : nat) (eps : R), 0 < eps ->
  let shown := fun xs => noisy (geometric (exp (- eps))) (cells d xs) in
  (forall xs ys, neighbors xs ys -> (l1_distance (cells d xs) (cells d ys) <= 2)%Z /\
    forall (T : list Z -> Prop) p q, mass_of (shown xs) T p -> mass_of (shown ys) T q ->
    p <= exp (2 * eps) * q) /\
  (forall before x y after, x <> y -> (x < d)%nat -> (y < d)%nat ->
    let xs := before ++ x :: after in let ys := before ++ y :: after in
    l1_distance (cells d xs) (cells d ys) = 2%Z /\
    forall E, mass_below (shown xs) (shown ys) E 0 -> exp (2 * eps) <= E).

Theorem row_histogram_sensitivity_holds : row_histogram_sensitivity.
Proof.
  intros d eps He. destruct (histogram_sensitivity d) as [S A]. split.
  - intros xs ys N. split; [apply S, N |]. replace 2 with (INR 2) by (simpl; lra).
    apply (discrete_laplace_private neighbors (cells d) eps 2 He); [| exact N].
    intros u v M. split; [apply cells_length | apply S, M].
  - intros before x y after N X Y xs ys. split; [apply A; assumption |]. intros E B.
    apply geometric_noise_exact in B; [| apply ratio_of_eps, He | apply cells_length].
    unfold xs, ys in B. rewrite A in B by assumption. rewrite factor_of_eps in B. simpl in B.
    replace ((1 + 1) * eps) with (2 * eps) in B by ring. exact B.
Qed.

Definition row_one_sided_printed : Prop :=
  ~ (forall p, 0 < p < 1 -> forall c d, (Z.abs (c - d) <= 1)%Z ->
     mass_below (shifted (one_sided p) c) (shifted (one_sided p) d) (1 / p) 0).

Theorem row_one_sided_printed_holds : row_one_sided_printed.
Proof.
  intros H. specialize (H (1 / 2) ltac:(lra)).
  apply one_sided_least_delta in H; [simpl in H; lra | lra | lia | lra].
Qed.

Definition row_one_sided_never : Prop :=
  forall (p : R) (j : Z) (eps delta : R), 0 < p < 1 -> (1 <= j)%Z -> delta < 1 - p ^ Z.to_nat j ->
  ~ mass_below (one_sided p) (shifted (one_sided p) j) (exp eps) delta.

Theorem row_one_sided_never_holds : row_one_sided_never.
Proof. intros p j eps delta Hp Hj. apply one_sided_never; [lra | lia]. Qed.

Definition row_one_sided_exact : Prop :=
  forall (p : R) (j : Z) (eps delta : R), 0 < p < 1 -> (1 <= j)%Z -> 0 <= eps ->
  ((forall c d, (Z.abs (c - d) <= j)%Z ->
    mass_below (shifted (one_sided p) c) (shifted (one_sided p) d) (exp eps) delta) <->
   1 - p ^ Z.to_nat j <= delta).

Theorem row_one_sided_exact_holds : row_one_sided_exact.
Proof.
  intros p j eps delta Hp Hj He. apply one_sided_least_delta; [lra | lia | apply exp_ge_1, He].
Qed.

Definition row_one_sided_moments : Prop :=
  forall p, 0 < p < 1 -> let m := p / (1 - p) in
  sum_of (fun t => INR t * ((1 - p) * p ^ t)) m /\
  sum_of (fun t => (INR t - m) ^ 2 * ((1 - p) * p ^ t)) (p / (1 - p) ^ 2).

Theorem row_one_sided_moments_holds : row_one_sided_moments.
Proof. intros p Hp. apply geometric_moments. lra. Qed.

Definition row_one_sided_exponential : Prop :=
  forall lam Df eps : R, 0 < lam -> 0 < Df -> 0 <= eps ->
  let density := fun c t => if Rlt_dec t c then 0 else lam * exp (- lam * (t - c)) in
  let divergence := fun c d => is_RInt_gen (fun t => Rmax 0 (density c t - exp eps * density d t))
    (Rbar_locally m_infty) (Rbar_locally p_infty) in
  divergence 0 Df (1 - exp (- lam * Df)) /\
  forall c d, Rabs (c - d) <= Df -> exists delta, divergence c d delta /\ delta <= 1 - exp (- lam * Df).

Theorem row_one_sided_exponential_holds : row_one_sided_exponential.
Proof. exact exponential_least_delta. Qed.

Definition row_one_sided_exponential_moments : Prop :=
  forall eps Df : R, 0 < eps -> 0 < Df -> let lam := eps / Df in
  is_RInt_gen (fun t => t * (lam * exp (- lam * t))) (at_point 0) (Rbar_locally p_infty) (Df / eps) /\
  is_RInt_gen (fun t => (t - Df / eps) ^ 2 * (lam * exp (- lam * t))) (at_point 0) (Rbar_locally p_infty)
    (Df ^ 2 / eps ^ 2).

Theorem row_one_sided_exponential_moments_holds : row_one_sided_exponential_moments.
Proof.
  intros eps Df He HD lam.
  destruct (exponential_moments lam) as [M V]; [apply Rdiv_lt_0_compat; assumption |].
  assert (E : 1 / lam = Df / eps) by (unfold lam; field; lra).
  replace (Df ^ 2 / eps ^ 2) with (1 / lam ^ 2) by (unfold lam; field; lra). rewrite <- E. split; assumption.
Qed.

Definition row_laplace_accuracy : Prop :=
  forall (k : nat) (beta eps Df : R), (1 <= k)%nat -> 0 < beta < 1 -> 0 < eps -> 0 < Df ->
  let r := ln (INR k / beta) * (Df / eps) in
  let off := beta / INR k in
  is_RInt_gen (laplace (Df / eps) 0) (at_point r) (Rbar_locally p_infty) (off / 2) /\
  is_RInt_gen (laplace (Df / eps) 0) (Rbar_locally m_infty) (at_point (- r)) (off / 2) /\
  let chance := Pr (some_off k off) (fun some => some) in
  chance = 1 - (1 - off) ^ k /\ chance <= beta /\ ((2 <= k)%nat -> chance < beta) /\
  1 - exp (- beta) <= chance /\ beta - beta ^ 2 / 2 <= 1 - exp (- beta) /\
  forall z, length z = k -> box_probability (Df / eps) z (map (fun c => (c - r, c + r)) z) = 1 - chance.

Theorem row_laplace_accuracy_holds : row_laplace_accuracy.
Proof.
  intros k beta eps Df Hk Hb He HD. destruct (laplace_one_off k beta eps Df Hk Hb He HD) as [U L].
  split; [exact U |]. split; [exact L |]. destruct (laplace_some_off k beta Hk Hb) as [Chance [A [B [C D]]]].
  do 5 (split; [assumption |]). intros z Len. rewrite Chance, <- Len. subst k.
  rewrite laplace_all_near by (assumption || (intros ->; simpl in Hk; lia)). ring.
Qed.

Definition row_laplace_accuracy_printed : Prop :=
  ~ (forall (k : nat) (beta : R), (1 <= k)%nat -> 0 < beta < 1 ->
     Pr (some_off k (beta / INR k)) (fun some => some) = beta).

Theorem row_laplace_accuracy_printed_holds : row_laplace_accuracy_printed.
Proof.
  intros H. destruct (laplace_some_off 2 (1 / 2)) as [_ [_ [L _]]]; [lia | lra |]. cbv zeta in L.
  specialize (H 2%nat (1 / 2) ltac:(lia) ltac:(lra)). specialize (L (le_n 2)). lra.
Qed.

(* A mechanism with outcomes of any countable type; neighbours replace one record. *)
Definition row_noise_is_necessary : Prop :=
  forall (X A : Type) (M : list X -> A -> R) (estimate : A -> R) (f : X -> R) (x y : X) (n : nat) (eps : R),
  (forall xs, length xs = n -> law (M xs)) ->
  (forall xs ys, neighbors xs ys -> length xs = n -> mass_below (M xs) (M ys) (exp eps) 0) ->
  let D := Rabs (f x - f y) in
  let errs (error chance : R) := exists xs p, length xs = n /\
    mass_of (M xs) (fun a => error <= Rabs (estimate a - total xs f)) p /\ chance <= p in
  (forall k, (k <= n)%nat -> errs (INR k * D / 2) (1 / (1 + exp (INR k * eps)))) /\
  (0 < eps <= 1 -> 1 / eps <= INR n -> errs (D / (4 * eps)) (1 / 4)).

Theorem row_noise_is_necessary_holds : row_noise_is_necessary.
Proof.
  intros X A M estimate f x y n eps L P. cbv zeta. split.
  - intros k K. exact (noise_needed M estimate f x y n k eps L P K).
  - intros He Hn. exact (noise_needed_order M estimate f x y n eps L P He Hn).
Qed.

Definition row_exponential_mechanism_privacy : Prop :=
  forall (X A : Type) (neighbor : X -> X -> Prop) (u : X -> A -> R) (Z : X -> R) (eps Du : R),
  0 < eps -> 0 < Du -> (forall x y r, neighbor x y -> Rabs (u x r - u y r) <= Du) ->
  (forall x, sum_of (fun r => exp (eps * u x r / (2 * Du))) (Z x)) ->
  let chosen := fun x r => exp (eps * u x r / (2 * Du)) / Z x in
  forall x y, neighbor x y -> forall (T : A -> Prop) p q,
  mass_of (chosen x) T p -> mass_of (chosen y) T q -> p <= exp eps * q.

Theorem row_exponential_mechanism_privacy_holds : row_exponential_mechanism_privacy.
Proof.
  intros X A neighbor u Z eps Du He HD HU HZ chosen.
  exact (exponential_mechanism_private neighbor u Z eps Du (Rlt_le _ _ He) HD HU HZ).
Qed.

Definition row_exponential_mechanism_utility : Prop :=
  forall (A : Type) (answers : list A) (u : A -> R) (opt Z eps Du c p : R),
  NoDup answers -> (forall r, In r answers) -> (exists best, u best = opt /\ forall r, u r <= opt) ->
  0 < eps -> 0 < Du -> 0 <= c -> sum_of (fun r => exp (eps * u r / (2 * Du))) Z ->
  let chosen := fun r => exp (eps * u r / (2 * Du)) / Z in
  mass_of chosen (fun r => u r <= opt - 2 * Du / eps * (ln (INR (length answers)) + c)) p ->
  p <= exp (- c).

Theorem row_exponential_mechanism_utility_holds : row_exponential_mechanism_utility.
Proof.
  intros A answers u opt Z eps Du c p _ All [best [<- _]] He HD _ HZ chosen.
  exact (exponential_mechanism_useful answers u best Z eps Du c p All He HD HZ).
Qed.

Definition row_exponential_mechanism_half : Prop :=
  ~ (forall (X A : Type) (u : X -> A -> R) (Z : X -> R) (eps Du : R),
     0 < eps -> 0 < Du -> (forall x y r, Rabs (u x r - u y r) <= Du) ->
     (forall x, sum_of (fun r => exp (eps * u x r / Du)) (Z x)) ->
     forall x y r, exp (eps * u x r / Du) / Z x <= exp eps * (exp (eps * u y r / Du) / Z y)).

Theorem row_exponential_mechanism_half_holds : row_exponential_mechanism_half.
Proof.
  intros H. destruct exponential_mechanism_half as [u [Z [HU [HZ L]]]].
  assert (One : forall x r, ln 2 * u x r / 1 = ln 2 * u x r) by (intros; field).
  assert (P : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  specialize (H _ _ u Z (ln 2) 1 P ltac:(lra) HU). specialize (H ltac:(
    intros x; apply (sum_of_ext (fun r => exp (ln 2 * u x r)));
      [intros r; rewrite One; reflexivity | apply HZ])).
  specialize (H true false None). rewrite !One in H. unfold proportional in L. lra.
Qed.

(* first_largest is the place of the first of the largest entries; scores are those of at least one candidate. *)
Definition row_noisy_maximum_privacy : Prop :=
  forall eps : R, 0 < eps ->
  let one_sided := on_naturals (fun t => (1 - exp (- (eps / 2))) * exp (- (eps / 2)) ^ t) in
  let two_sided := geometric (exp (- (eps / 2))) in
  let keeps_ratio D := law D /\ forall z : Z, D z <= exp (eps / 2) * D (z + 1)%Z in
  keeps_ratio one_sided /\ keeps_ratio two_sided /\
  forall D : Z -> R, keeps_ratio D ->
  forall (X : Type) (neighbor : X -> X -> Prop) (scores : X -> list Z),
  (forall x, scores x <> []) ->
  (forall x y, neighbor x y -> length (scores x) = length (scores y) /\
   forall j, (j < length (scores x))%nat -> (Z.abs (nth j (scores x) 0 - nth j (scores y) 0) <= 1)%Z) ->
  forall x y, neighbor x y -> forall (T : nat -> Prop) p q,
  mass_of (noisy D (scores x)) (fun v => T (first_largest v)) p ->
  mass_of (noisy D (scores y)) (fun v => T (first_largest v)) q -> p <= exp eps * q.

Theorem row_noisy_maximum_privacy_holds : row_noisy_maximum_privacy.
Proof.
  intros eps He one_sided two_sided keeps_ratio. assert (A := ratio_of_eps (eps / 2) ltac:(lra)).
  assert (E : exp (eps / 2) = / exp (- (eps / 2))) by (rewrite exp_Ropp, Rinv_inv; reflexivity).
  split; [| split].
  - split; [apply one_sided_geometric_law; lra |]. intros z. rewrite E. apply one_sided_ratio, A.
  - split; [apply geometric_law, A |]. intros z. rewrite E. apply two_sided_ratio, A.
  - intros D [[P _] Ratio] X neighbor scores NE O x y Nxy T p q Hp Hq.
    replace (exp eps) with (exp (eps / 2) ^ 2) by (rewrite exp_power; f_equal; simpl; field).
    exact (noisy_maximum_private D (scores x) (scores y) (exp (eps / 2)) (NE x) (O x y Nxy) P
      (Rlt_le _ _ (exp_pos _)) Ratio T p q Hp Hq).
Qed.

(* The first of two candidates has g + m votes, the other g; in the second line they change places. *)
Definition row_noisy_maximum_votes : Prop :=
  forall (eps : R) (g : Z) (m : nat), 0 < eps -> (1 <= m)%nat ->
  let a := exp (- (eps / 2)) in
  let noise := on_naturals (fun t => (1 - a) * a ^ t) in
  let votes := [g + Z.of_nat m; g]%Z in
  mass_of (noisy noise votes) (fun v => first_largest v = 1%nat) (a ^ (m + 1) / (1 + a)) /\
  mass_of (noisy noise (rev votes)) (fun v => first_largest v = 0%nat) (a ^ m / (1 + a)) /\
  Pr (choose [0; 1]%nat (fun i => eps * IZR (nth i votes 0%Z) / (2 * 1))) (Nat.eqb 1) = a ^ m / (1 + a ^ m) /\
  a ^ (m + 1) / (1 + a) < a ^ m / (1 + a) <= a ^ m / (1 + a ^ m).

Theorem row_noisy_maximum_votes_holds : row_noisy_maximum_votes.
Proof. exact noisy_maximum_errs. Qed.

Definition row_votes_least_error : Prop :=
  forall (M : list bool -> dist bool) (k : nat) (eps delta : R),
  (forall votes, proper (M votes)) -> dp (2 * k + 1) M eps delta ->
  exists votes, length votes = (2 * k + 1)%nat /\ (ones votes = k \/ ones votes = (k + 1)%nat) /\
  (1 - delta) / (1 + exp eps) <= Pr (M votes) (fun named => negb (eqb named (Nat.ltb (length votes) (2 * ones votes)))).

Theorem row_votes_least_error_holds : row_votes_least_error.
Proof. exact private_winner. Qed.
