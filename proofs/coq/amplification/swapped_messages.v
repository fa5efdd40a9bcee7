(** The swap: what one user sends is exchanged with the message of a user of whom nothing was shown.

    One user draws from P or from Q, any finite laws, maybe with negative weights, so that P - E Q is any signed
    measure, E any real number; the N others draw from rows of their own, each proper, of any type and maybe of
    different randomizers. c is a law of weights that are not negative, of the sum gamma, that lies below every row.
    For a list of rows, [shared_excess] is the mean of max(0, the sum of (P - E Q)/R over the rows R) under the rows,
    and what P - E Q exceeds 0 by where a row is 0, divided by the number of the rows. For every t <= N and every
    function g of the list of all messages that ignores its order, 0 <= g <= 1:

    - [swap_of_laws]: the mean of g under P is at most E times that under Q, and (1 - gamma)^t times the divergence of
      P and Q, and for i = 0..t-1 the mean of [shared_excess] over uniform subsets of N - i others, with the weight
      gamma (1 - gamma)^i;
    - [swap_with_own_slot]: the same with one slot more, in which a message of the law c / gamma hides, for gamma > 0.
      With k others left a step stops with the chance gamma (k + 1) / (k + gamma), and goes on with k (1 - gamma) / (k
      + gamma).

    Idea: the row of a uniform one of the others is c and a rest. Where he drew from the rest, what he sent is shown,
    and one user less is left. Where he drew from c, exchanging his message with that of the user who differs changes
    nothing, and the message of c does not tell whose it is: the user who differs is one of the others, each alike.
    With a slot of one's own the step leaves out nobody with such a chance that all slots are alike.

    Source: this package (docs/soundness.md, "Swapped messages bound every data set"). *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws shuffler privacy hockey_stick independence.
From Exactdp Require Import adding_a_user local_simulation mean_excess hidden_message increasing_convex_order blanket
  generic_blanket uniform_subsets.
Import ListNotations.
Open Scope R_scope.

(** What the messages of users with these rows hide: 1/r times the mean of the positive part of the sum of their
    values, with what they never send. *)
Definition shared_excess {A} (P Q : dist A) (E : R) (rows : list (dist A)) : R :=
  (mean (draws (map (values_against P Q E) rows)) (fun values => Rmax 0 (total values (fun v => v))) +
   total rows (uncovered P Q E)) / INR (length rows).

(** ** Draws in any order *)

Lemma draws_permutation {A} (ds es : list (dist A)) f :
  Permutation ds es -> orderless f -> mean (draws ds) f = mean (draws es) f.
Proof.
  intros H O. rewrite <- (map_id ds), <- (map_id es), <- !messages_drawn.
  apply messages_permutation; [exact H | exact O].
Qed.

Lemma total_of_means {A B} (l : list B) (d : dist A) f :
  total l (fun b => mean d (f b)) = mean d (fun a => total l (fun b => f b a)).
Proof.
  induction l as [| b l IH]; simpl; [rewrite (mean_ext d _ (fun _ => 0 * 0)), mean_scal by (intros; ring); ring |].
  rewrite IH, <- mean_plus. reflexivity.
Qed.

Section Swap.

Context {A : Type} (P Q : dist A) (E : R).

Let against (g : A -> R) : R := mean P g - E * mean Q g.
Let value (d : dist A) : A -> R := value_against P Q E d.

Definition view_of (rows : list (dist A)) (g : list A -> R) : R :=
  mean (draws (P :: rows)) g - E * mean (draws (Q :: rows)) g.

Lemma view_of_first rows g : view_of rows g = against (fun a => mean (draws rows) (fun o => g (a :: o))).
Proof. unfold view_of, against. rewrite !mean_draws_first. reflexivity. Qed.

Lemma against_swap {B} (d : dist B) h :
  against (fun a => mean d (fun b => h a b)) = mean d (fun b => against (fun a => h a b)).
Proof.
  unfold against. rewrite (mean_swap P d), (mean_swap Q d), <- mean_scal, <- mean_minus. reflexivity.
Qed.

Lemma against_plus g h : against (fun a => g a + h a) = against g + against h.
Proof. unfold against. rewrite !mean_plus. ring. Qed.

Lemma against_ext g h : (forall a, g a = h a) -> against g = against h.
Proof. intros H. unfold against. rewrite (mean_ext P g h H), (mean_ext Q g h H). reflexivity. Qed.

Lemma against_at_most d g :
  (forall a, 0 <= g a <= 1) -> against g <= uncovered P Q E d + mean d (fun a => value d a * g a).
Proof.
  intros G. unfold against. rewrite (excess_split P Q E d). apply Rplus_le_compat_r, uncovered_part_le, G.
Qed.

Definition a_test (g : list A -> R) : Prop := orderless g /\ forall l, 0 <= g l <= 1.

Lemma a_test_after b g : a_test g -> a_test (fun l => g (b :: l)).
Proof. intros [O B]. split; [apply (orderless_app g [b] O) | intros; apply B]. Qed.

Lemma draws_bounds rows g : Forall proper rows -> a_test g -> 0 <= mean (draws rows) g <= 1.
Proof.
  intros H [_ B]. assert (D := proper_draws rows H).
  split; [apply mean_nonneg; [exact D | intros; apply B] |].
  rewrite <- (mean_const (draws rows) 1 D). apply mean_le; [exact D | intros; apply B].
Qed.

(** One of the others draws first. *)
Lemma view_of_cons d rows g :
  orderless g -> view_of (d :: rows) g = mean d (fun y => view_of rows (fun l => g (y :: l))).
Proof.
  intros O. rewrite view_of_first.
  rewrite (against_ext _ (fun a => mean d (fun y => mean (draws rows) (fun o => g (y :: a :: o))))).
  - rewrite against_swap. apply mean_ext. intros y. symmetry. apply view_of_first.
  - intros a. rewrite mean_draws_first. apply mean_ext. intros y. apply mean_ext. intros o. apply O, perm_swap.
Qed.

(** ** The message in the place of any of them *)

Fixpoint score (rows : list (dist A)) (l : list A) : R :=
  match rows, l with
  | d :: rows, a :: l => value d a + score rows l
  | _, _ => 0
  end.

Lemma in_any_place rows g :
  Forall proper rows -> a_test g ->
  total (picks rows) (fun p => view_of (snd p) g) <=
  total rows (uncovered P Q E) + mean (draws rows) (fun l => score rows l * g l).
Proof.
  intros H. revert g. induction H as [| d rows Hd Hs IH]; intros g T.
  - simpl. rewrite mean_ret. lra.
  - rewrite total_picks. simpl total at 2. rewrite mean_draws_first. cbn [fst snd].
    assert (First : view_of rows g <=
      uncovered P Q E d + mean d (fun a => value d a * mean (draws rows) (fun o => g (a :: o)))).
    { rewrite view_of_first. apply against_at_most. intros a. apply draws_bounds, a_test_after, T. exact Hs. }
    assert (Rest : total (picks rows) (fun p => view_of (d :: snd p) g) <=
      total rows (uncovered P Q E) + mean d (fun b => mean (draws rows) (fun l => score rows l * g (b :: l)))).
    { rewrite (total_ext _ _ (fun p => mean d (fun b => view_of (snd p) (fun l => g (b :: l))))).
      - rewrite total_of_means, <- (mean_const d (total rows (uncovered P Q E)) Hd), <- mean_plus.
        apply mean_le; [exact Hd |]. intros b. apply IH, a_test_after, T.
      - intros p _. apply view_of_cons, T. }
    rewrite (mean_ext d _ (fun b => value d b * mean (draws rows) (fun l => g (b :: l)) +
      mean (draws rows) (fun l => score rows l * g (b :: l)))).
    + rewrite mean_plus. lra.
    + intros b. rewrite <- mean_scal, <- mean_plus. apply mean_ext. intros l. simpl. ring.
Qed.

Lemma score_excess rows t :
  Forall proper rows ->
  mean (draws rows) (fun l => Rmax 0 (t + score rows l)) =
  mean (draws (map (values_against P Q E) rows)) (fun values => Rmax 0 (t + total values (fun v => v))).
Proof.
  intros H. revert t. induction H as [| d rows Hd Hs IH]; intros t; [simpl; rewrite !mean_ret; reflexivity |].
  simpl map.
  rewrite !mean_draws_first, mean_values_against, (proj2 Hd), Rminus_diag_eq, Rmult_0_l, Rplus_0_l by reflexivity.
  apply mean_ext. intros a. cbn [score total].
  rewrite (mean_ext (draws rows) _ (fun l => Rmax 0 (t + value d a + score rows l))), IH
    by (intros l; f_equal; ring).
  apply mean_ext. intros l. f_equal. unfold value. ring.
Qed.

Lemma hidden_in_all_places rows g :
  rows <> [] -> Forall proper rows -> a_test g ->
  mean (uniform (picks rows)) (fun p => view_of (snd p) g) <= shared_excess P Q E rows.
Proof.
  intros N H T. rewrite mean_uniform, picks_length. unfold shared_excess, Rdiv. rewrite Rmult_comm.
  apply Rmult_le_compat_r; [apply inverse_INR_nonneg |]. eapply Rle_trans; [apply in_any_place; assumption |].
  rewrite Rplus_comm. apply Rplus_le_compat_r.
  rewrite (mean_ext (draws (map _ rows)) _ (fun vs => Rmax 0 (0 + total vs (fun v => v)))), <- score_excess
    by (try exact H; intros; f_equal; ring).
  apply mean_le; [apply proper_draws, H |]. intros l. rewrite Rplus_0_l. destruct (proj2 T l) as [G1 G2].
  unfold Rmax. destruct (Rle_dec 0 (score rows l)); nra.
Qed.

(** ** One step *)

Variable c : dist A.
Hypothesis c_weights : sub_law c.

Let gamma := weight c.
Let above (d : dist A) : Prop := proper d /\ lies_below c d.

(** What a step leaves: bounds of the views of all but one of the users. *)
Definition bounds_of_picks (rows : list (dist A)) (K : dist A * list (dist A) -> R) : Prop :=
  forall p, In p (picks rows) -> forall g, a_test g -> view_of (snd p) g <= K p.

(** The row in a place is c and a rest. *)
Lemma split_row rows p K g :
  Forall above rows -> In p (picks rows) -> bounds_of_picks rows K -> a_test g ->
  view_of rows g <= mean c (fun y => view_of (snd p) (fun l => g (y :: l))) + (1 - gamma) * K p.
Proof.
  intros H I B T. assert (Pm := pick_permutation rows p I).
  assert (Hp : above (fst p)).
  { apply (proj1 (Forall_forall above rows) H). apply (Permutation_in _ Pm). left. reflexivity. }
  destruct (rest_above c (fst p) (proj2 Hp)) as [rest [Sr Hr]].
  assert (W : mean rest (fun _ => 1) = 1 - gamma).
  { assert (X := Hr (fun _ => 1)). rewrite (proj2 (proj1 Hp)) in X. unfold gamma, weight. lra. }
  assert (Moved : view_of rows g = mean (fst p) (fun y => view_of (snd p) (fun l => g (y :: l)))).
  { transitivity (view_of (fst p :: snd p) g).
    - unfold view_of. f_equal; [| f_equal]; apply draws_permutation; try apply (proj1 T);
        apply perm_skip, Permutation_sym, Pm.
    - apply view_of_cons, T. }
  rewrite Moved, Hr. apply Rplus_le_compat_l. rewrite <- W, Rmult_comm, <- mean_scal.
  rewrite (mean_ext rest (fun _ => _ * 1) (fun _ => K p)) by (intros; ring).
  apply mean_le_sub_law; [exact Sr |]. intros y. apply (B p I), a_test_after, T.
Qed.

(** The step of the swap. *)
Lemma swap_step rows K g :
  rows <> [] -> Forall above rows -> bounds_of_picks rows K -> a_test g ->
  view_of rows g <= gamma * shared_excess P Q E rows + (1 - gamma) * mean (uniform (picks rows)) K.
Proof.
  intros N H B T. assert (Pr : Forall proper rows) by (revert H; apply Forall_impl; intros d [X _]; exact X).
  assert (L : 0 < INR (length rows)) by (destruct rows; [congruence | apply lt_0_INR; simpl; lia]).
  assert (Mean : view_of rows g <= mean (uniform (picks rows)) (fun p =>
    mean c (fun y => view_of (snd p) (fun l => g (y :: l))) + (1 - gamma) * K p)).
  { rewrite mean_uniform, picks_length. apply Rmult_le_reg_l with (INR (length rows)); [exact L |].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, <- (picks_length rows), <- total_const by lra.
    apply total_le. intros p I. apply split_row; assumption. }
  eapply Rle_trans; [exact Mean |]. rewrite mean_plus, mean_scal. apply Rplus_le_compat_r.
  rewrite mean_swap. unfold gamma, weight. rewrite Rmult_comm, <- mean_scal.
  rewrite (mean_ext c (fun _ => _ * 1) (fun _ => shared_excess P Q E rows)) by (intros; ring).
  apply mean_le_sub_law; [exact c_weights |]. intros y. apply hidden_in_all_places; [exact N | exact Pr |].
  apply a_test_after, T.
Qed.

(** ** All steps *)

(** What is left after i steps, if a step with k users goes on with the chance go k. *)
Fixpoint goes_on (go : nat -> R) (n i : nat) : R :=
  match i with
  | O => 1
  | S i => go n * goes_on go (n - 1) i
  end.

Definition in_steps (t n : nat) (H : R) (stop go : nat -> R) (F : nat -> R) : R :=
  goes_on go n t * H + total (seq 0 t) (fun i => goes_on go n i * stop (n - i)%nat * F (n - i)%nat).

Lemma in_steps_next t n H stop go F :
  in_steps (S t) (S n) H stop go F = stop (S n) * F (S n) + go (S n) * in_steps t n H stop go F.
Proof.
  unfold in_steps. rewrite total_seq_shift. cbn [goes_on]. replace (S n - 1)%nat with n by lia.
  rewrite Nat.sub_0_r, Rmult_plus_distr_l, <- total_scal.
  rewrite (total_ext _ (fun i => go (S n) * goes_on go n i * _ * _)
    (fun i => go (S n) * (goes_on go n i * stop (n - i)%nat * F (n - i)%nat))); [ring |].
  intros i _. change (S n - S i)%nat with (n - i)%nat. ring.
Qed.

Lemma all_steps (V : list (dist A) -> R) (stop go : nat -> R) t rows g :
  (forall s K h, s <> [] -> Forall above s -> bounds_of_picks s K -> a_test h ->
    view_of s h <= stop (length s) * V s + go (length s) * mean (uniform (picks s)) K) ->
  (t <= length rows)%nat -> Forall above rows -> a_test g ->
  view_of rows g <=
  in_steps t (length rows) (hockey_stick P Q E) stop go (fun r => over_subsets r rows V).
Proof.
  intros Step. revert rows g. induction t as [| t IH]; intros rows g L H T.
  - unfold in_steps. simpl. rewrite Rmult_1_l, Rplus_0_r, view_of_first. unfold against.
    apply mean_le_hockey_stick. intros a. apply draws_bounds; [| apply (a_test_after a), T].
    revert H. apply Forall_impl. intros d [X _]. exact X.
  - destruct rows as [| d0 rest0]; [simpl in L; lia |]. set (rows := d0 :: rest0) in *.
    change (length rows) with (S (length rest0)). rewrite in_steps_next.
    set (K := fun p : dist A * list (dist A) =>
      in_steps t (length rest0) (hockey_stick P Q E) stop go (fun r => over_subsets r (snd p) V)).
    assert (B : bounds_of_picks rows K).
    { intros p I h Th. assert (E1 := pick_length rows p I). simpl in E1. injection E1 as E1.
      assert (F : Forall above (fst p :: snd p)).
      { eapply Permutation_Forall; [apply Permutation_sym, (pick_permutation rows p I) | exact H]. }
      unfold K. rewrite E1. apply IH; [simpl in L; lia | inversion F; assumption | exact Th]. }
    eapply Rle_trans; [apply (Step rows K g); [discriminate | assumption..] |]. right. f_equal.
    + change (S (length rest0)) with (length rows). rewrite over_all. reflexivity.
    + f_equal. unfold K, in_steps. rewrite mean_plus. f_equal.
      * apply mean_const, proper_uniform. discriminate.
      * rewrite <- total_of_means. apply total_ext. intros i I. apply in_seq in I. rewrite mean_scal. f_equal.
        apply sublists_pick. simpl. lia.
Qed.

(** The swap in t steps. *)
Theorem swap_of_laws t rows g :
  (t <= length rows)%nat -> Forall above rows -> a_test g ->
  view_of rows g <=
  (1 - gamma) ^ t * hockey_stick P Q E +
  total (seq 0 t) (fun i => gamma * (1 - gamma) ^ i * over_subsets (length rows - i) rows (shared_excess P Q E)).
Proof.
  intros L H T.
  assert (B := all_steps (shared_excess P Q E) (fun _ => gamma) (fun _ => 1 - gamma) t rows g
    (fun s K h N F => swap_step s K h N F) L H T).
  assert (Go : forall n i, goes_on (fun _ => 1 - gamma) n i = (1 - gamma) ^ i).
  { intros n i. revert n. induction i as [| i IH]; intros n; simpl; [| rewrite IH]; reflexivity. }
  eapply Rle_trans; [exact B |]. right. unfold in_steps. rewrite Go. f_equal. apply total_ext. intros i _.
  rewrite Go. ring.
Qed.

(** ** The swap with a slot of one's own *)

(** A step goes on with this chance, k others being left, and else stops in one of k + 1 places alike. *)
Definition own_goes_on (k : nat) : R := INR k * (1 - gamma) / (INR k + gamma).
Definition own_stops (k : nat) : R := gamma * INR (S k) / (INR k + gamma).

Let base := part_of c (/ gamma).

Lemma own_slot_step rows K g :
  0 < gamma -> rows <> [] -> Forall above rows -> bounds_of_picks rows K -> a_test g ->
  view_of rows g <= own_stops (length rows) * shared_excess P Q E (base :: rows) +
    own_goes_on (length rows) * mean (uniform (picks rows)) K.
Proof.
  intros G N H B T. assert (Pr : Forall proper rows) by (revert H; apply Forall_impl; intros d [X _]; exact X).
  assert (L : 0 < INR (length rows)) by (destruct rows; [congruence | apply lt_0_INR; simpl; lia]).
  assert (Pb : proper base).
  { split.
    - apply Forall_forall with (P := fun wa => 0 <= fst wa). apply Forall_forall. intros wa I.
      apply in_map_iff in I. destruct I as [vb [<- I]]. simpl. apply Rmult_le_pos; [| apply c_weights, I].
      left. apply Rinv_0_lt_compat, G.
    - unfold base. rewrite mean_part_of. fold gamma. change (mean c (fun _ => 1)) with gamma. field. lra. }
  assert (All := hidden_in_all_places (base :: rows) g ltac:(discriminate) (Forall_cons _ Pb Pr) T).
  rewrite mean_uniform, picks_length, total_picks in All. cbn [fst snd length] in All.
  assert (Mean : INR (length rows) * view_of rows g <= total (picks rows) (fun p =>
    mean c (fun y => view_of (snd p) (fun l => g (y :: l))) + (1 - gamma) * K p)).
  { rewrite <- (picks_length rows), <- total_const. apply total_le. intros p I. apply split_row; assumption. }
  rewrite total_plus, total_scal in Mean.
  rewrite (total_ext (picks rows) (fun p => view_of (base :: snd p) g)
    (fun p => / gamma * mean c (fun y => view_of (snd p) (fun l => g (y :: l))))) in All.
  2: { intros p _. rewrite view_of_cons by apply T. apply mean_part_of. }
  rewrite total_scal in All. rewrite mean_uniform, picks_length. unfold own_stops, own_goes_on.
  set (X := total (picks rows) _) in *. set (Y := total (picks rows) K) in *. set (U := shared_excess _ _ _ _) in *.
  set (k := INR (length rows)) in *. assert (K1 : 0 < INR (S (length rows))) by (apply lt_0_INR; lia).
  apply (Rmult_le_compat_l (INR (S (length rows)) * gamma)) in All; [| nra].
  replace (INR (S (length rows)) * gamma * (/ INR (S (length rows)) * (view_of rows g + / gamma * X)))
    with (gamma * view_of rows g + X) in All by (field; lra).
  apply Rmult_le_reg_l with (k + gamma); [lra |].
  replace ((k + gamma) * (gamma * INR (S (length rows)) / (k + gamma) * U + k * (1 - gamma) / (k + gamma) * (/ k * Y)))
    with (INR (S (length rows)) * gamma * U + (1 - gamma) * Y) by (field; lra).
  lra.
Qed.

Theorem swap_with_own_slot t rows g :
  0 < gamma -> (t <= length rows)%nat -> Forall above rows -> a_test g ->
  view_of rows g <=
  in_steps t (length rows) (hockey_stick P Q E) own_stops own_goes_on
    (fun r => over_subsets r rows (fun s => shared_excess P Q E (base :: s))).
Proof.
  intros G. apply (all_steps (fun s => shared_excess P Q E (base :: s))). intros s K h N F.
  apply own_slot_step; assumption.
Qed.

End Swap.
