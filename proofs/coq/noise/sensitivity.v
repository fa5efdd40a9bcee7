(** Sensitivities of sums and of histograms, and the geometric noise that they ask for.

    The noise has the two-sided geometric (discrete Laplace) law of ratio a, 0 < a < 1, drawn independently
    for each coordinate of an integer query.

    - [geometric_noise_exact]: for two answers f, g of k coordinates, at l1 distance s, every k: the noisy f
      is (E, 0)-below the noisy g if and only if E >= a^-s;
    - [discrete_laplace_private]: so with a = e^-eps and the l1 sensitivity Df the query is (Df eps, 0)-DP;
    - [sum_sensitivity]: adding or removing a record v in [lo, hi] changes a sum by at most
      max(abs(lo), abs(hi)), replacing one by at most hi - lo; both are attained;
    - [histogram_sensitivity]: a record that is replaced changes a histogram by at most 2 in l1 norm, and by
      exactly 2 if it moves from one of its cells to another.

    Idea: one coordinate that moves by s has ratios of at most a^-s, attained at every outcome beyond both
    answers; along the coordinates ratios multiply and distances add up.
    Source: Dwork and Roth 2014, section 3.3; Ghosh, Roughgarden and Sundararajan 2012. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums masses privacy smooth_noise_privacy geometric_noise.
Import ListNotations.
Open Scope R_scope.

(** ** Geometric noise on every coordinate *)

Lemma noisy_nonneg a f v : 0 < a < 1 -> 0 <= noisy (geometric a) f v.
Proof.
  intros H. revert v. induction f as [| b f IH]; intros [| c v]; simpl; try lra.
  apply Rmult_le_pos; [left; apply geometric_pos, H | apply IH].
Qed.

Lemma l1_distance_nonneg f g : (0 <= l1_distance f g)%Z.
Proof. revert g. induction f as [| b f IH]; intros [| c g]; simpl; try lia. specialize (IH g). lia. Qed.

Lemma noisy_ratio a f g v :
  0 < a < 1 -> length f = length g ->
  noisy (geometric a) f v <= (/ a) ^ Z.to_nat (l1_distance f g) * noisy (geometric a) g v.
Proof.
  intros H. revert g v. induction f as [| b f IH]; intros [| c g] v L; try discriminate.
  - simpl. lra.
  - destruct v as [| d v]; [simpl; lra |]. cbn [noisy l1_distance].
    rewrite Z2Nat.inj_add by (apply l1_distance_nonneg || lia). rewrite pow_add.
    injection L as L. specialize (IH g v L).
    assert (G := geometric_move a (d - b) (d - c) (Z.to_nat (Z.abs (b - c))) H ltac:(lia)).
    assert (P := geometric_pos a (d - b) H). assert (Q := noisy_nonneg a f v H).
    eapply Rle_trans; [apply Rmult_le_compat; [left; exact P | exact Q | exact G | exact IH] |].
    right. ring.
Qed.


Lemma noisy_at_answer a f g :
  0 < a < 1 -> length f = length g ->
  noisy (geometric a) f f = (/ a) ^ Z.to_nat (l1_distance f g) * noisy (geometric a) g f /\
  0 < noisy (geometric a) g f.
Proof.
  intros H. revert g. induction f as [| b f IH]; intros [| c g] L; try discriminate.
  - simpl. split; lra.
  - cbn [noisy l1_distance]. rewrite Z2Nat.inj_add by (apply l1_distance_nonneg || lia). rewrite pow_add.
    injection L as L. destruct (IH g L) as [E P]. split.
    + rewrite E, Z.sub_diag. unfold geometric.
      replace (Z.abs_nat (b - c)) with (Z.to_nat (Z.abs (b - c))) by lia. simpl Z.abs_nat.
      assert (Q : 0 < a ^ Z.to_nat (Z.abs (b - c))) by (apply pow_lt; lra).
      rewrite (pow_inv a (Z.to_nat (Z.abs (b - c)))). simpl pow at 1. field. lra.
    + apply Rmult_lt_0_compat; [apply geometric_pos, H | exact P].
Qed.

Theorem geometric_noise_exact a (f g : list Z) E :
  0 < a < 1 -> length f = length g ->
  (mass_below (noisy (geometric a) f) (noisy (geometric a) g) E 0 <->
   (/ a) ^ Z.to_nat (l1_distance f g) <= E).
Proof.
  intros H L. destruct (noisy_at_answer a f g H L) as [Eq P]. split; intros B.
  - specialize (B [f]). cbn [total] in B. rewrite !Rplus_0_r, Eq in B.
    apply Rmult_le_reg_r with (noisy (geometric a) g f); [exact P |]. apply B.
    constructor; [intros [] | constructor].
  - apply mass_below_pointwise. intros v. eapply Rle_trans; [exact (noisy_ratio a f g v H L) |].
    apply Rmult_le_compat_r; [apply noisy_nonneg, H | exact B].
Qed.

(** A query, its l1 sensitivity, and all events. *)
Theorem discrete_laplace_private {X} (neighbor : X -> X -> Prop) (f : X -> list Z) eps (Df : nat) :
  0 < eps ->
  (forall x y, neighbor x y -> length (f x) = length (f y) /\ (l1_distance (f x) (f y) <= Z.of_nat Df)%Z) ->
  forall x y, neighbor x y -> forall (T : list Z -> Prop) p q,
  mass_of (noisy (geometric (exp (- eps))) (f x)) T p ->
  mass_of (noisy (geometric (exp (- eps))) (f y)) T q ->
  p <= exp (INR Df * eps) * q.
Proof.
  intros He S x y N T p q Hp Hq. destruct (S x y N) as [L D]. rewrite <- (Rplus_0_r (_ * q)).
  refine (mass_below_all_events _ _ _ _ (Rlt_le _ _ (exp_pos _)) _ T p q Hp Hq).
  apply geometric_noise_exact; [apply ratio_of_eps, He | exact L |]. rewrite factor_of_eps.
  apply exp_le, Rmult_le_compat_r; [lra |]. apply le_INR. lia.
Qed.

(** ** Sums *)

Definition sum (xs : list R) : R := total xs (fun v => v).

Theorem sum_sensitivity lo hi :
  lo <= hi ->
  (forall before v after, lo <= v <= hi ->
    Rabs (sum (before ++ v :: after) - sum (before ++ after)) <= Rmax (Rabs lo) (Rabs hi)) /\
  (exists v, lo <= v <= hi /\ forall before after,
    Rabs (sum (before ++ v :: after) - sum (before ++ after)) = Rmax (Rabs lo) (Rabs hi)) /\
  (forall before v w after, lo <= v <= hi -> lo <= w <= hi ->
    Rabs (sum (before ++ v :: after) - sum (before ++ w :: after)) <= hi - lo) /\
  (forall before after, Rabs (sum (before ++ hi :: after) - sum (before ++ lo :: after)) = hi - lo).
Proof.
  intros H. assert (S : forall before v after, sum (before ++ v :: after) = sum (before ++ after) + v).
  { intros before v after. unfold sum. rewrite !total_app. simpl. ring. }
  split; [| split; [| split]].
  - intros before v after V. rewrite S.
    replace (sum (before ++ after) + v - sum (before ++ after)) with v by ring.
    unfold Rmax, Rabs. repeat destruct (Rcase_abs _); destruct (Rle_dec _ _); lra.
  - exists (if Rle_dec (Rabs lo) (Rabs hi) then hi else lo).
    split; [destruct (Rle_dec _ _); lra |]. intros before after. rewrite S.
    replace (sum (before ++ after) + _ - sum (before ++ after))
      with (if Rle_dec (Rabs lo) (Rabs hi) then hi else lo) by ring.
    unfold Rmax. destruct (Rle_dec _ _); reflexivity.
  - intros before v w after V W. rewrite !S. apply Rabs_le. lra.
  - intros before after. rewrite !S. rewrite Rabs_right; lra.
Qed.

(** ** Histograms *)

(** How many records are j, for each cell j < d. *)
Definition cells (d : nat) (xs : list nat) : list Z :=
  map (fun j => Z.of_nat (count_occ Nat.eq_dec xs j)) (seq 0 d).

Lemma cells_length d xs ys : length (cells d xs) = length (cells d ys).
Proof. unfold cells. rewrite !map_length. reflexivity. Qed.

(** Whether j is the cell x. *)
Definition at_cell (x j : nat) : Z := if Nat.eq_dec x j then 1 else 0.

Lemma count_replaced before x after j :
  Z.of_nat (count_occ Nat.eq_dec (before ++ x :: after) j) =
  (Z.of_nat (count_occ Nat.eq_dec (before ++ after) j) + at_cell x j)%Z.
Proof.
  rewrite !count_occ_app. simpl. unfold at_cell. destruct (Nat.eq_dec x j); lia.
Qed.

Lemma l1_distance_cells before x y after (js : list nat) :
  l1_distance (map (fun j => Z.of_nat (count_occ Nat.eq_dec (before ++ x :: after) j)) js)
    (map (fun j => Z.of_nat (count_occ Nat.eq_dec (before ++ y :: after) j)) js) =
  fold_right Z.add 0%Z (map (fun j => Z.abs (at_cell x j - at_cell y j)) js).
Proof.
  induction js as [| j js IH]; [reflexivity |]. cbn [map l1_distance fold_right].
  rewrite IH, !count_replaced. f_equal. f_equal. lia.
Qed.

Definition moved_in (x y : nat) (js : list nat) : Z :=
  fold_right Z.add 0%Z (map (fun j => Z.abs (at_cell x j - at_cell y j)) js).

Definition has (x : nat) (js : list nat) : Z := if in_dec Nat.eq_dec x js then 1 else 0.

Lemma moved_cells x y js : NoDup js -> x <> y -> moved_in x y js = (has x js + has y js)%Z.
Proof.
  intros N D. induction N as [| j js J N IH]; [reflexivity |]. unfold moved_in in *. cbn [map fold_right].
  rewrite IH. unfold has, at_cell.
  destruct (in_dec Nat.eq_dec x (j :: js)) as [X | X], (in_dec Nat.eq_dec y (j :: js)) as [Y | Y],
    (in_dec Nat.eq_dec x js) as [X' | X'], (in_dec Nat.eq_dec y js) as [Y' | Y'],
    (Nat.eq_dec x j) as [-> | Nx], (Nat.eq_dec y j) as [-> | Ny]; simpl in *; try lia; try congruence;
    exfalso; firstorder congruence.
Qed.

Lemma not_moved x js : moved_in x x js = 0%Z.
Proof.
  unfold moved_in. induction js as [| j js IH]; [reflexivity |]. cbn [map fold_right]. rewrite IH. lia.
Qed.

Theorem histogram_sensitivity d :
  (forall xs ys, neighbors xs ys -> (l1_distance (cells d xs) (cells d ys) <= 2)%Z) /\
  (forall before x y after, x <> y -> (x < d)%nat -> (y < d)%nat ->
    l1_distance (cells d (before ++ x :: after)) (cells d (before ++ y :: after)) = 2%Z).
Proof.
  split.
  - intros xs ys [before x y after]. unfold cells. rewrite l1_distance_cells. fold (moved_in x y (seq 0 d)).
    destruct (Nat.eq_dec x y) as [<- | N]; [rewrite not_moved; lia |].
    rewrite moved_cells by (apply seq_NoDup || exact N). unfold has.
    destruct (in_dec _ x _), (in_dec _ y _); lia.
  - intros before x y after N X Y. unfold cells. rewrite l1_distance_cells.
    fold (moved_in x y (seq 0 d)). rewrite moved_cells by (apply seq_NoDup || exact N). unfold has.
    destruct (in_dec _ x _) as [_ | I]; [| exfalso; apply I, in_seq; lia].
    destruct (in_dec _ y _) as [_ | I]; [reflexivity | exfalso; apply I, in_seq; lia].
Qed.
