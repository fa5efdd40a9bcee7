(** Users of several randomizers: all users of one hold one input where the bound is largest.

    As in wave_bounds.v. The users are listed by class: those of one randomizer, or one version of a client. [squares]
    is the bound of [classes_bound] for a list of rows: waves with the power h of the mean of the squares of the
    moduli, over 2 h users, and the mean of what the rows never send. Proved:

    - [class_vertices]: for every list of classes, none empty, there is a row of each class such that the bound is at
      most that where all users of a class have this row; the numbers of users are kept, and the shares stand inside
      the power;
    - [classes_vertex_bound]: so the mean of [shared_excess] over uniform subsets of 2 h users is;
    - [stages_of_classes]: so it is of all stages of a swap together, with the same rows in every stage.

    Idea: the mean of the squares is linear in what the users of one class hold, and a power of a mean is at most the
    mean of the powers. Source: this package (docs/soundness.md, "Means over subsets are at most powers of the mean").
    *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws shuffler hockey_stick mean_excess hidden_message increasing_convex_order.
From Exactdp Require Import uniform_subsets swapped_messages swapped_stages wave_bounds swap_vertices blanket.
Import ListNotations.
Open Scope R_scope.

Section Classes.

Context {A : Type} (P Q : dist A) (E : R) (law_of : dist A -> dist R) (waves : list wave) (h : nat).

Definition squares (rows : list (dist A)) : R :=
  total waves (fun w => size w * average rows (fun row => modulus w (law_of row) ^ 2) ^ h) / INR (2 * h) +
  average rows (uncovered P Q E).

Lemma total_repeat {B} (b : B) n f : total (repeat b n) f = INR n * f b.
Proof. induction n as [| n IH]; [simpl; ring |]. rewrite S_INR. simpl. rewrite IH. ring. Qed.

(** The mean is linear in what one class holds. *)
Lemma average_by_class {B} (before class after : list B) f :
  class <> [] ->
  average (before ++ class ++ after) f =
  average class (fun v => average (before ++ repeat v (length class) ++ after) f).
Proof.
  intros N. assert (K : 0 < INR (length class)) by (destruct class; [congruence | apply lt_0_INR; simpl; lia]).
  assert (L : 0 < INR (length (before ++ class ++ after))).
  { apply lt_0_INR. rewrite !app_length. destruct class; [congruence | simpl; lia]. }
  unfold average at 2 3.
  rewrite (total_ext class _ (fun v => (total before f + INR (length class) * f v + total after f) /
    INR (length (before ++ class ++ after)))).
  - unfold average, Rdiv. rewrite total_scal_r, !total_app, !total_plus, !total_const, total_scal. field. lra.
  - intros v _. rewrite !total_app, total_repeat, !app_length, repeat_length. f_equal. ring.
Qed.

Lemma some_at_least {B} (l : list B) f b : l <> [] -> b <= average l f -> exists v, In v l /\ b <= f v.
Proof.
  intros N H. destruct (decide (exists v, In v l /\ b <= f v)) as [Y | No]; [exact Y |]. exfalso.
  assert (K : 0 < INR (length l)) by (destruct l; [congruence | apply lt_0_INR; simpl; lia]).
  assert (S : total l f < INR (length l) * b).
  { rewrite <- total_const. clear H K. induction l as [| a l IH]; [congruence |]. simpl.
    assert (f a < b) by (apply Rnot_le_lt; intros X; apply No; exists a; split; [left; reflexivity | exact X]).
    destruct l as [| c l]; [simpl; lra |].
    assert (total (c :: l) f < total (c :: l) (fun _ => b)); [| lra].
    apply IH; [discriminate |]. intros [v [I X]]. apply No. exists v. split; [right; exact I | exact X]. }
  apply (Rmult_le_compat_l (INR (length l))) in H; [| lra].
  replace (INR (length l) * average l f) with (total l f) in H by (unfold average; field; lra). lra.
Qed.

Lemma average_of_waves {B} (l : list B) (f : wave -> B -> R) g k :
  total waves (fun w => size w * average l (f w)) / k + average l g =
  average l (fun v => total waves (fun w => size w * f w v) / k + g v).
Proof.
  unfold average. rewrite total_plus. unfold Rdiv. rewrite Rmult_plus_distr_r. f_equal.
  rewrite total_scal_r, total_swap, (Rmult_assoc (total waves _)), (Rmult_comm (/ k)), <- Rmult_assoc. f_equal.
  rewrite <- total_scal_r. apply total_ext. intros w _. rewrite total_scal. ring.
Qed.

(** What is at most its mean over the rows of one class, each held by all users of that class. *)
Definition below_mean_of_class (G : list (dist A) -> R) : Prop := forall before class after,
  class <> [] -> G (before ++ class ++ after) <= average class (fun v => G (before ++ repeat v (length class) ++ after)).

Lemma squares_below_mean : below_mean_of_class squares.
Proof.
  intros before class after N.
  assert (K : 0 < INR (length class)) by (destruct class; [congruence | apply lt_0_INR; simpl; lia]).
  unfold squares at 1. rewrite (average_by_class before class after (uncovered P Q E) N).
  apply Rle_trans with (total waves (fun w => size w * average class (fun v =>
    average (before ++ repeat v (length class) ++ after) (fun row => modulus w (law_of row) ^ 2) ^ h)) / INR (2 * h) +
    average class (fun v => average (before ++ repeat v (length class) ++ after) (uncovered P Q E))).
  - apply Rplus_le_compat_r, Rmult_le_compat_r; [apply inverse_INR_nonneg |]. apply total_le. intros w _.
    apply Rmult_le_compat_l; [apply size_nonneg |]. rewrite (average_by_class before class after _ N).
    apply (power_of_average class _ h N). intros v _. unfold average, Rdiv.
    apply Rmult_le_pos; [apply total_nonneg; intros; apply pow2_ge_0 | apply inverse_INR_nonneg].
  - right. unfold squares.
    exact (average_of_waves class (fun w v =>
      average (before ++ repeat v (length class) ++ after) (fun row => modulus w (law_of row) ^ 2) ^ h) _ _).
Qed.

(** All users of a class have the row that stands for it. *)
Definition alike_classes (classes : list (list (dist A))) (rows : list (dist A)) : list (dist A) :=
  concat (map (fun cv => repeat (snd cv) (length (fst cv))) (combine classes rows)).

Theorem worst_by_class G before classes :
  below_mean_of_class G -> Forall (fun class => class <> []) classes ->
  exists rows, Forall2 (fun class v => In v class) classes rows /\
    G (before ++ concat classes) <= G (before ++ alike_classes classes rows).
Proof.
  intros B H. revert before. induction H as [| class classes N _ IH]; intros before.
  - exists []. split; [constructor |]. apply Rle_refl.
  - destruct (some_at_least class _ _ N (B before class (concat classes) N)) as [v [I L]].
    destruct (IH (before ++ repeat v (length class))) as [rows [F U]]. exists (v :: rows).
    split; [constructor; assumption |]. simpl concat. eapply Rle_trans; [exact L |].
    unfold alike_classes in *. simpl. rewrite <- !app_assoc in U. exact U.
Qed.

Theorem class_vertices before classes :
  Forall (fun class => class <> []) classes ->
  exists rows, Forall2 (fun class v => In v class) classes rows /\
    squares (before ++ concat classes) <= squares (before ++ alike_classes classes rows).
Proof. apply worst_by_class, squares_below_mean. Qed.

Theorem classes_vertex_bound range classes delta :
  majorant range waves -> Forall (spreads P Q E law_of) (concat classes) ->
  values_within law_of range (2 * h) (concat classes) ->
  (1 <= 2 * h <= length (concat classes))%nat -> Forall (fun class => class <> []) classes ->
  (forall rows, Forall2 (fun class v => In v class) classes rows -> squares (alike_classes classes rows) <= delta) ->
  over_subsets (2 * h) (concat classes) (shared_excess P Q E) <= delta.
Proof.
  intros M S V L N B. eapply Rle_trans; [apply (classes_bound P Q E law_of range waves h); assumption |].
  fold (squares (concat classes)). destruct (class_vertices [] classes N) as [rows [F X]].
  eapply Rle_trans; [exact X | apply B, F].
Qed.

End Classes.

(** ** In stages *)

Section Stages.

Context {A : Type} (P Q c : dist A) (E : R) (law_of : dist A -> dist R) (waves : list wave) (ends : list nat) (n : nat).
Hypothesis stages_rise : rising 0 ends n.
Hypothesis weight_bounds : 0 <= weight c <= 1.

Definition class_stages (rows : list (dist A)) : R :=
  in_stages 0 ends n (weight c) (hockey_stick P Q E) (fun r => squares P Q E law_of waves (Nat.div2 r) rows).

Lemma stages_below_mean : below_mean_of_class class_stages.
Proof.
  intros before class after N. unfold class_stages.
  rewrite <- (in_stages_average class 0 ends n (weight c) (hockey_stick P Q E)
    (fun r v => squares P Q E law_of waves (Nat.div2 r) (before ++ repeat v (length class) ++ after)) N).
  apply in_stages_le; [exact weight_bounds | exact stages_rise |]. intros t _.
  apply (squares_below_mean P Q E law_of waves (Nat.div2 (S n - t)) before class after N).
Qed.

Theorem stages_of_classes range classes :
  n = length (concat classes) -> (forall t, In t ends -> Nat.Even (S n - t)) -> majorant range waves ->
  Forall (spreads P Q E law_of) (concat classes) -> (forall r, values_within law_of range r (concat classes)) ->
  Forall (fun class => class <> []) classes ->
  exists rows, Forall2 (fun class v => In v class) classes rows /\
    in_stages_of P Q c E ends (concat classes) <= class_stages (alike_classes classes rows).
Proof.
  intros Hn Even M S V N. destruct (worst_by_class class_stages [] classes stages_below_mean N) as [rows [F B]].
  exists rows. split; [exact F |]. eapply Rle_trans; [| exact B]. unfold in_stages_of, class_stages. rewrite <- Hn.
  apply in_stages_le; [exact weight_bounds | exact stages_rise |]. intros t I.
  assert (T : (1 <= t <= n)%nat).
  { clear -I stages_rise. revert stages_rise. generalize 0%nat. induction ends as [| u l IH]; intros b Hr; [destruct I |].
    destruct Hr as [H1 H2]. destruct I as [<- | I]; [lia | assert (X := IH I u H2); lia]. }
  destruct (Even t I) as [h Hh]. rewrite Hh, Nat.div2_double.
  apply (classes_bound P Q E law_of range waves h); [exact M | exact S | apply V | rewrite <- Hn; lia].
Qed.

End Stages.

(** A mean over users who are alike in each class, by the numbers of users. *)
Lemma total_alike {A} (f : dist A -> R) classes rows : length rows = length classes ->
  total (alike_classes classes rows) f = total (combine classes rows) (fun cv => INR (length (fst cv)) * f (snd cv)).
Proof.
  revert rows. induction classes as [| class classes IH]; intros [| v rows] L; try discriminate; [reflexivity |].
  unfold alike_classes in *. cbn [combine map concat fst snd]. rewrite total_app, IH by (simpl in L; lia).
  cbn [total fst snd]. rewrite total_repeat. reflexivity.
Qed.
