(** Means of a binomial law by its window: sums over the cells, from below and from above.

    For every n, chance q in [0, 1] and window that encloses Bin(n, q) ([encloses] of windows.v), and every function F
    that is nowhere negative: the cells' lower ends, weighed with F, add up to at most c times the mean of F, where 1 is
    c units ([window_mean_low]), and their upper ends, with the largest F times what lies outside, to at least that
    ([window_mean_high]). With F = 1 they enclose c ([unit_below_weight]). Source: this package. *)

From Coq Require Import ZArith Reals List Lra Lia Bool FinFun.
From Exactdp Require Import sums laws masses binomial.
From ExactdpChecker Require Import outward windows.
Import ListNotations.
Open Scope Z_scope.

(** The sum over the cells from the place t on. *)
Fixpoint weigh (side : Z * Z -> Z) (cells : list (Z * Z)) (t : Z) (f : Z -> Z) : Z :=
  match cells with
  | [] => 0
  | c :: rest => side c * f t + weigh side rest (t + 1) f
  end.

Definition outside (v : window) : Z := under v + over v.

Definition weight_above (v : window) : Z := weigh snd (cells v) (first v) (fun _ => 1) + outside v.
Definition weight_below (v : window) : Z := weigh fst (cells v) (first v) (fun _ => 1).

Open Scope R_scope.

Fixpoint over_cells (side : Z * Z -> Z) (cells : list (Z * Z)) (t : nat) (F : nat -> R) : R :=
  match cells with
  | [] => 0
  | c :: rest => IZR (side c) * F t + over_cells side rest (S t) F
  end.

Lemma over_cells_ext side cells t F G :
  (forall i, (t <= i < t + length cells)%nat -> F i = G i) -> over_cells side cells t F = over_cells side cells t G.
Proof.
  revert t. induction cells as [| c cells IH]; intros t H; [reflexivity |]. cbn [over_cells]. simpl in H. f_equal.
  - rewrite H by lia. reflexivity.
  - apply IH. intros i I. apply H. lia.
Qed.

Lemma over_cells_half side cells t F G :
  over_cells side cells t (fun i => (F i + G i) / 2) = (over_cells side cells t F + over_cells side cells t G) / 2.
Proof. revert t. induction cells as [| c cells IH]; intros t; cbn [over_cells]; [| rewrite IH]; field. Qed.

Lemma weigh_over side cells t f :
  (0 <= t)%Z -> IZR (weigh side cells t f) = over_cells side cells (Z.to_nat t) (fun a => IZR (f (Z.of_nat a))).
Proof.
  revert t. induction cells as [| c cells IH]; intros t T; [reflexivity |]. cbn [weigh over_cells].
  rewrite plus_IZR, mult_IZR, IH, Z2Nat.id by lia. do 2 f_equal. lia.
Qed.

Definition nonneg_cells (cells : list (Z * Z)) : Prop := Forall (fun c => (0 <= fst c /\ 0 <= snd c)%Z) cells.

Section Window.

Context (n : nat) (q c : R) (v : window).
Hypothesis q_inside : 0 <= q <= 1.
Hypothesis enclosed : encloses v (binomial n q) c.
Hypothesis first_nonneg : (0 <= first v)%Z.

Let f := Z.to_nat (first v).
Let len := length (cells v).

Lemma cells_are_around k b : nth_error (cells v) k = Some b -> around b (c * binom n q (f + k)).
Proof.
  intros H. assert (L : (k < len)%nat) by (apply nth_error_Some; rewrite H; discriminate).
  assert (B := bounds_everywhere v _ c enclosed (first v + Z.of_nat k)%Z). unfold bounds_at in B.
  rewrite (proj2 (Z.ltb_ge _ _)) in B by lia. replace (Z.to_nat (first v + Z.of_nat k - first v)) with k in B by lia.
  rewrite H in B. replace (first v + Z.of_nat k)%Z with (Z.of_nat (f + k)) in B by (unfold f; lia).
  rewrite binomial_of_nat in B. exact B.
Qed.

Lemma window_cells_nonneg : nonneg_cells (cells v).
Proof.
  apply Forall_forall. intros b I. apply In_nth_error in I. destruct I as [k K]. apply cells_are_around in K.
  destruct K as [[K1 K2] K3]. split; apply le_IZR; lra.
Qed.

Lemma over_window_cells F :
  (forall t, 0 <= F t) ->
  over_cells fst (cells v) f F <= c * total (seq f len) (fun t => binom n q t * F t) <= over_cells snd (cells v) f F.
Proof.
  intros HF. assert (A : forall k b, nth_error (cells v) k = Some b -> around b (c * binom n q (f + k))) by apply
    cells_are_around.
  unfold len. revert A. generalize f. induction (cells v) as [| b cells IH]; intros t A; [simpl; lra |].
  cbn [over_cells length seq total]. assert (B := A 0%nat b eq_refl). rewrite Nat.add_0_r in B. destruct B as [[_ B1]
    B2].
  specialize (IH (S t)). rewrite Rmult_plus_distr_l, <- Rmult_assoc. specialize (HF t).
  assert (X : over_cells fst cells (S t) F <= c * total (seq (S t) (length cells)) (fun t => binom n q t * F t) <=
    over_cells snd cells (S t) F).
  { apply IH. intros k d K. replace (S t + k)%nat with (t + S k)%nat by lia. apply A. exact K. }
  assert (IZR (fst b) * F t <= c * binom n q t * F t) by (apply Rmult_le_compat_r; assumption).
  assert (c * binom n q t * F t <= IZR (snd b) * F t) by (apply Rmult_le_compat_r; assumption). lra.
Qed.

(** All places. *)
Lemma mean_in_parts F :
  mean (flips n q) F = total (seq 0 f) (fun t => binom n q t * F t) + total (seq f len) (fun t => binom n q t * F t) +
    total (seq (f + len) (S n)) (fun t => binom n q t * F t).
Proof.
  rewrite mean_flips, <- !total_app.
  replace ((seq 0 f ++ seq f len) ++ seq (f + len) (S n)) with (seq 0 (S n + (f + len)))
    by (rewrite Nat.add_comm, (seq_app (f + len)), (seq_app f); reflexivity).
  rewrite (seq_app (S n) (f + len) 0), total_app, (total_ext (seq (0 + S n) (f + len)) _ (fun _ => 0)).
  - rewrite total_zero. ring.
  - intros t I. apply in_seq in I. rewrite binom_outside by lia. ring.
Qed.

Lemma binom_outside_nonneg F l : (forall t, 0 <= F t) -> 0 <= total l (fun t => binom n q t * F t).
Proof. intros HF. apply total_nonneg. intros t _. apply Rmult_le_pos; [apply binom_nonneg, q_inside | apply HF]. Qed.

Lemma unit_pos : 0 < c.
Proof. apply enclosed. Qed.

Lemma window_mean_low F : (forall t, 0 <= F t) -> over_cells fst (cells v) f F <= c * mean (flips n q) F.
Proof.
  intros HF. rewrite mean_in_parts. assert (W := over_window_cells F HF). assert (C := unit_pos).
  assert (A := binom_outside_nonneg F (seq 0 f) HF). assert (B := binom_outside_nonneg F (seq (f + len) (S n)) HF).
  apply Rle_trans with (c * total (seq f len) (fun t => binom n q t * F t)); [apply W |].
  apply Rmult_le_compat_l; lra.
Qed.

Lemma window_mean_high F top :
  (forall t, 0 <= F t) -> (forall t, (t <= n)%nat -> F t <= top) ->
  c * mean (flips n q) F <= over_cells snd (cells v) f F + IZR (outside v) * top.
Proof.
  intros HF T. rewrite mean_in_parts, !Rmult_plus_distr_l. assert (W := proj2 (over_window_cells F HF)).
  assert (C := unit_pos). assert (Top : 0 <= top) by (specialize (T 0%nat (Nat.le_0_l n)); specialize (HF 0%nat);
    lra).
  assert (Part : forall l u, c * total (map Z.of_nat l) (binomial n q) <= u -> c * total l (fun t => binom n q t * F
    t) <= u * top).
  { intros l u H. rewrite total_map in H.
    apply Rle_trans with (c * total l (fun t => binom n q t) * top); [| apply Rmult_le_compat_r; [exact Top |]].
    - rewrite Rmult_assoc, <- total_scal_r. apply Rmult_le_compat_l; [lra |]. apply total_le. intros t _.
      destruct (Nat.le_gt_cases t n) as [L | G]; [| rewrite binom_outside by lia; lra].
      apply Rmult_le_compat_l; [apply binom_nonneg, q_inside | apply T, L].
    - rewrite (total_ext l (fun t => binom n q t) (fun t => binomial n q (Z.of_nat t))); [exact H |].
      intros t _. symmetry. apply binomial_of_nat. }
  assert (U : c * total (seq 0 f) (fun t => binom n q t * F t) <= IZR (under v) * top).
  { apply Part, (sum_below v _ c enclosed); [apply Injective_map_NoDup, seq_NoDup; intros x y; lia |].
    intros t I. apply in_map_iff in I. destruct I as [k [<- K]]. apply in_seq in K. unfold f in K. lia. }
  assert (O : c * total (seq (f + len) (S n)) (fun t => binom n q t * F t) <= IZR (over v) * top).
  { apply Part, (sum_above v _ c enclosed); [apply Injective_map_NoDup, seq_NoDup; intros x y; lia |].
    intros t I. apply in_map_iff in I. destruct I as [k [<- K]]. apply in_seq in K. unfold last_place, len, f in *.
    rewrite count_length. lia. }
  unfold outside. rewrite plus_IZR. lra.
Qed.

(** Of functions with integers as values. *)
Lemma weigh_low g :
  (forall t, 0 <= g t)%Z -> IZR (weigh fst (cells v) (first v) g) <= c * mean (flips n q) (fun a => IZR (g (Z.of_nat
    a))).
Proof.
  intros G. rewrite weigh_over by exact first_nonneg. apply (window_mean_low (fun a => IZR (g (Z.of_nat a)))).
  intros t. apply IZR_le, G.
Qed.

Lemma weigh_high g :
  (forall t, 0 <= g t <= 1)%Z ->
  c * mean (flips n q) (fun a => IZR (g (Z.of_nat a))) <= IZR (weigh snd (cells v) (first v) g + outside v).
Proof.
  intros G. rewrite plus_IZR, weigh_over by exact first_nonneg. rewrite <- (Rmult_1_r (IZR (outside v))).
  apply (window_mean_high (fun a => IZR (g (Z.of_nat a)))); intros t; [| intros _]; apply IZR_le, G.
Qed.

Lemma unit_below_weight : IZR (weight_below v) <= c <= IZR (weight_above v).
Proof.
  assert (L := weigh_low (fun _ => 1%Z) (fun _ => Z.le_0_1)).
  assert (H := weigh_high (fun _ => 1%Z) ltac:(intros; lia)).
  cbv beta in L, H. rewrite (mean_const (flips n q) 1) in L, H by (apply proper_flips, q_inside).
  unfold weight_below, weight_above. lra.
Qed.

End Window.
