(** Both ends of k-ary randomized response are equal only where the condition of closing.v holds.

    k >= 3, real E = e^eps0 >= 1 and e = e^eps >= 1, n >= 1 users, three different inputs x, y and z: the bound of
    the blanket for (x, y) equals that of the row of z if and only if no integers a, b >= 0 with a + b <= n have
    0 < a (E - e) - b (e E - 1) < (e - 1) (n - a - b) ([k_ary_closes_exactly]).

    Proof. The letters under the blanket are those under the row of z, except that z's own letter, of the number
    s = 1 / E, becomes s = 1 with probability 1 / E and else s = 0: its mean stays. So the mean of the positive part of
    the sum does not fall (Jensen), and it grows at a list of letters where the new sum can be above 0 and below 0:
    at a times x, b times y and else z, for a pair a, b as above. Source: this package. *)

From Coq Require Import Reals List Lra Lia Bool PeanoNat Psatz.
From Exactdp Require Import reals sums laws hockey_stick independence mean_excess hidden_message blanket classes
  supports k_ary_classes atom_counts k_ary_ends closing.
Import ListNotations.
Open Scope R_scope.

(** ** One outcome of positive weight *)

Lemma mean_at_least {A} (d : dist A) w x (h : A -> R) :
  sub_law d -> (forall a, 0 <= h a) -> In (w, x) d -> w * h x <= mean d h.
Proof.
  intros S H I. unfold mean. induction d as [| [v a] d IH]; [destruct I |]. simpl.
  assert (V : 0 <= v * h a) by (apply Rmult_le_pos; [apply (S (v, a)); left; reflexivity | apply H]).
  assert (T : 0 <= total d (fun wa => fst wa * h (snd wa))).
  { apply total_nonneg. intros wa J. apply Rmult_le_pos; [apply S; right; exact J | apply H]. }
  destruct I as [[= -> ->] | I]; [lra |]. specialize (IH (fun wa J => S wa (or_intror J)) I). lra.
Qed.

(** One list of draws, each of positive weight. *)
Lemma mean_draws_positive {A} (ds : list (dist A)) (xs : list A) g :
  Forall2 (fun d x => sub_law d /\ exists w, 0 < w /\ In (w, x) d) ds xs ->
  (forall l, 0 <= g l) -> 0 < g xs -> 0 < mean (draws ds) g.
Proof.
  intros F. revert g. induction F as [| d x ds xs [S [w [W I]]] F IH]; intros g G P.
  - simpl. rewrite mean_ret. exact P.
  - rewrite mean_draws_first.
    assert (R' : 0 < mean (draws ds) (fun l => g (x :: l))).
    { apply (IH (fun l => g (x :: l))); [intros; apply G | exact P]. }
    assert (N : forall a, 0 <= mean (draws ds) (fun l => g (a :: l))).
    { intros a. assert (Sd : sub_law (draws ds)).
      { clear - F. induction F as [| d x ds xs [S _] F IH]; simpl; [intros wa [<- | []]; simpl; lra |].
        intros wa J. unfold bind at 1 in J. apply in_flat_map in J. destruct J as [wb [B J]].
        apply in_map_iff in J. destruct J as [wc [<- J]]. unfold bind in J. apply in_flat_map in J.
        destruct J as [wd [D J]]. apply in_map_iff in J. destruct J as [we [<- [<- | []]]]. simpl.
        assert (B' := S wb B). assert (D' := IH wd D). rewrite Rmult_1_r. apply Rmult_le_pos; assumption. }
      apply total_nonneg. intros wa J. apply Rmult_le_pos; [apply Sd, J | apply G]. }
    assert (M := mean_at_least d w x (fun a => mean (draws ds) (fun l => g (a :: l))) S N I). simpl in M.
    assert (0 < w * mean (draws ds) (fun l => g (x :: l))) by (apply Rmult_lt_0_compat; assumption). lra.
Qed.

(** ** Letters that are spread *)

(** Each letter of the draw is replaced by a draw from its own law. *)
Lemma mean_copies_bind {A B} (d : dist A) (K : A -> dist B) n f :
  mean (copies (bind d K) n) f = mean (copies d n) (fun l => mean (draws (map K l)) f).
Proof.
  revert f. induction n as [| n IH]; intros f.
  - rewrite !mean_copies_none. simpl. rewrite mean_ret. reflexivity.
  - rewrite (mean_copies_first (bind d K)), (mean_copies_first d), mean_bind. apply mean_ext. intros a.
    transitivity (mean (copies d n) (fun rest =>
      mean (K a) (fun b => mean (draws (map K rest)) (fun l => f (b :: l))))).
    + rewrite (mean_swap (copies d n) (K a)). apply mean_ext. intros b. apply (IH (fun l => f (b :: l))).
    + apply mean_ext. intros rest. symmetry. apply (mean_draws_first (K a) (map K rest)).
Qed.

Section Spread.

  Context {A : Type} (K : A -> dist A) (value : A -> R).
  Hypothesis K_proper : forall a, proper (K a).
  Hypothesis K_mean : forall a, mean (K a) value = value a.

  Lemma spread_proper l : proper (draws (map K l)).
  Proof.
    apply proper_draws, Forall_forall. intros d I. apply in_map_iff in I. destruct I as [a [<- _]]. apply K_proper.
  Qed.

  Lemma mean_of_spread l : mean (draws (map K l)) (fun m => total m value) = total l value.
  Proof.
    induction l as [| a l IH]; [apply (mean_ret [] (fun m => total m value)) |]. simpl map. rewrite mean_draws_first.
    simpl total.
    transitivity (mean (K a) (fun b => value b + total l value)).
    - apply mean_ext. intros b. simpl total. rewrite mean_plus, IH, mean_const by apply spread_proper. reflexivity.
    - rewrite mean_plus, K_mean, mean_const by apply K_proper. reflexivity.
  Qed.

  Definition gap (l : list A) : R := mean (draws (map K l)) (fun m => Rmax 0 (total m value)) - Rmax 0 (total l value).

  (** The mean of the positive part is at least 0, and exceeds the mean by that of the negative part. *)
  Lemma gap_nonneg l : 0 <= gap l.
  Proof.
    unfold gap. assert (P := spread_proper l).
    assert (0 <= mean (draws (map K l)) (fun m => Rmax 0 (total m value))).
    { apply mean_nonneg; [exact P | intros; apply Rmax_l]. }
    assert (total l value <= mean (draws (map K l)) (fun m => Rmax 0 (total m value))).
    { rewrite <- mean_of_spread. apply mean_le; [exact P | intros; apply Rmax_r]. }
    unfold Rmax at 2. destruct (Rle_dec 0 (total l value)); lra.
  Qed.

  Definition can_become (l m : list A) : Prop := Forall2 (fun a b => exists w, 0 < w /\ In (w, b) (K a)) l m.

  Lemma can_become_draws l m :
    can_become l m -> Forall2 (fun d x => sub_law d /\ exists w, 0 < w /\ In (w, x) d) (map K l) m.
  Proof.
    unfold can_become. induction 1 as [| a b l m H F IH]; simpl; constructor; auto.
    split; [exact (proj1 (K_proper a)) | exact H].
  Qed.

  Lemma gap_positive l above below :
    can_become l above -> can_become l below -> 0 < total above value -> total below value < 0 -> 0 < gap l.
  Proof.
    intros A1 B1 A2 B2. unfold gap. apply can_become_draws in A1. apply can_become_draws in B1.
    assert (U : 0 < mean (draws (map K l)) (fun m => Rmax 0 (total m value))).
    { apply (mean_draws_positive _ above); [exact A1 | intros; apply Rmax_l |]. rewrite Rmax_right; lra. }
    assert (V : 0 < mean (draws (map K l)) (fun m => Rmax 0 (total m value) - total m value)).
    { apply (mean_draws_positive _ below); [exact B1 | |].
      - intros m. assert (M := Rmax_r 0 (total m value)). lra.
      - rewrite Rmax_left; lra. }
    rewrite mean_minus, mean_of_spread in V. unfold Rmax at 2. destruct (Rle_dec 0 (total l value)); lra.
  Qed.

  Lemma spread_grows (d : dist A) n l above below :
    sub_law d -> length l = n -> Forall (fun a => exists w, 0 < w /\ In (w, a) d) l ->
    can_become l above -> can_become l below -> 0 < total above value -> total below value < 0 ->
    mean (copies d n) (fun l => Rmax 0 (total l value)) < mean (copies (bind d K) n) (fun l => Rmax 0 (total l value)).
  Proof.
    intros S L F A1 B1 A2 B2. rewrite mean_copies_bind.
    enough (0 < mean (copies d n) gap) by (unfold gap in *; rewrite mean_minus in *; lra).
    unfold copies. apply (mean_draws_positive _ l).
    - rewrite <- L. clear - S F. induction F as [| a l H F IH]; simpl; constructor; auto.
    - apply gap_nonneg.
    - apply (gap_positive l above below); assumption.
  Qed.

End Spread.

(** ** k-ary response *)

(** A letter other than x and y with the number s becomes one with 1 with probability s, and else one with 0. *)
Definition spread_letter (l : letter * R) : dist (letter * R) :=
  match fst l with
  | Other => if Rle_dec 0 (snd l) then if Rle_dec (snd l) 1 then [(snd l, (Other, 1)); (1 - snd l, (Other, 0))]
             else ret l else ret l
  | _ => ret l
  end.

Lemma spread_letter_proper l : proper (spread_letter l).
Proof.
  destruct l as [[| |] s]; unfold spread_letter; simpl; try apply proper_ret.
  destruct (Rle_dec 0 s); [destruct (Rle_dec s 1); [| apply proper_ret] | apply proper_ret]. split.
  - intros wa [<- | [<- | []]]; simpl; lra.
  - unfold mean. simpl. ring.
Qed.

Lemma spread_letter_mean E e l : mean (spread_letter l) (letter_value E e) = letter_value E e l.
Proof.
  destruct l as [[| |] s]; unfold spread_letter; simpl; try apply mean_ret.
  destruct (Rle_dec 0 s); [destruct (Rle_dec s 1); [| apply mean_ret] | apply mean_ret].
  unfold mean, letter_value. simpl. ring.
Qed.

Lemma total_letters E e a b m s :
  total (repeat (First, 0) a ++ repeat (Second, 0) b ++ repeat (Other, s) m) (letter_value E e) =
  INR a * (E - e) - INR b * (e * E - 1) - (e - 1) * s * INR m.
Proof.
  assert (H : forall l c, total (repeat l c) (letter_value E e) = INR c * letter_value E e l).
  { intros l c. induction c as [| c IH]; [simpl; ring |]. rewrite S_INR. simpl. rewrite IH. ring. }
  rewrite !total_app, !H. unfold letter_value. simpl. ring.
Qed.

Lemma can_become_letters a b m s t :
  (exists w, 0 < w /\ In (w, (Other, t)) (spread_letter (Other, s))) ->
  can_become spread_letter (repeat (First, 0) a ++ repeat (Second, 0) b ++ repeat (Other, s) m)
    (repeat (First, 0) a ++ repeat (Second, 0) b ++ repeat (Other, t) m).
Proof.
  intros H. unfold can_become.
  assert (Same : forall l c, (exists w, 0 < w /\ In (w, l) (spread_letter l)) ->
    Forall2 (fun u v => exists w, 0 < w /\ In (w, v) (spread_letter u)) (repeat l c) (repeat l c)).
  { intros l c X. induction c; simpl; constructor; assumption. }
  apply Forall2_app; [| apply Forall2_app].
  - apply Same. exists 1. split; [lra | left; reflexivity].
  - apply Same. exists 1. split; [lra | left; reflexivity].
  - induction m; simpl; constructor; assumption.
Qed.

Lemma k_ary_open k E e n a b x y z :
  1 <= E -> 1 <= e -> (x < k)%nat -> (y < k)%nat -> (z < k)%nat -> x <> y -> z <> x -> z <> y -> (1 <= n)%nat ->
  (a + b <= n)%nat -> 0 < INR a * (E - e) - INR b * (e * E - 1) < (e - 1) * INR (n - a - b) ->
  reference_bound n (k_ary_response k E x) (k_ary_response k E y) e (k_ary_response k E z) <
  reference_bound n (k_ary_response k E x) (k_ary_response k E y) e (k_ary_reference k E).
Proof.
  intros HE He X Y Z N1 N2 N3 Hn B [T1 T2]. assert (K : (3 <= k)%nat) by lia.
  rewrite k_ary_upper_values, (k_ary_lower_values k E HE n e x y z) by (assumption || lia).
  assert (L := response_low_positive k E ltac:(lia) HE). set (q := response_low k E) in *.
  assert (E1 : 1 < E).
  { assert (Ia := pos_INR a). assert (Ib := pos_INR b). destruct HE as [HE | <-]; [exact HE |]. nra. }
  assert (Hi : 0 < / E < 1).
  { split; [apply Rinv_0_lt_compat; lra |]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  set (lower := [(q, (First, 0)); (q, (Second, 0)); (E * q, (Other, / E)); (INR (k - 3) * q, (Other, 1))]).
  assert (Kq : 0 <= INR (k - 3) * q) by (apply Rmult_le_pos; [apply pos_INR | lra]).
  assert (Eq : 0 < E * q) by (apply Rmult_lt_0_compat; lra).
  unfold mean_excess, Rdiv. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat, lt_0_INR; lia |].
  assert (Lower : mean (copies (k_ary_lower_law k E e) n) (fun l => Rmax 0 (sum_of_draws l)) =
    mean (copies lower n) (fun l => Rmax 0 (total l (letter_value E e)))).
  { rewrite <- (copies_of_values lower (letter_value E e) n (Rmax 0)).
    unfold lower, letter_value, k_ary_lower_law. simpl. fold q. rewrite Rmult_1_r. reflexivity. }
  assert (Upper : mean (copies (k_ary_upper_law k E e) n) (fun l => Rmax 0 (sum_of_draws l)) =
    mean (copies (bind lower spread_letter) n) (fun l => Rmax 0 (total l (letter_value E e)))).
  { rewrite <- (copies_of_values (bind lower spread_letter) (letter_value E e) n (Rmax 0)).
    apply same_law_copies. intros f. unfold mean at 2. rewrite total_map.
    change (mean (k_ary_upper_law k E e) f = mean (bind lower spread_letter) (fun l => f (letter_value E e l))).
    rewrite mean_bind. unfold lower, spread_letter, mean, k_ary_upper_law. simpl. fold q.
    destruct (Rle_dec 0 (/ E)); [| lra]. destruct (Rle_dec (/ E) 1); [| lra].
    destruct (Rle_dec 0 1); [| lra]. destruct (Rle_dec 1 1); [| lra]. unfold letter_value. simpl.
    assert (M : (E + INR k - 1) * q = 1).
    { unfold q, response_low. apply Rinv_r. assert (A := le_INR 3 k K). simpl in A. lra. }
    rewrite !minus_INR by lia. simpl. rewrite !Rmult_1_r, !Rmult_0_r.
    replace (1 - INR k * q) with (E * q - q) by lra. field. lra. }
  change (fun values : list R => Rmax 0 (total values (fun v => v))) with (fun l => Rmax 0 (sum_of_draws l)).
  rewrite Lower, Upper. set (m := (n - a - b)%nat) in *.
  apply (spread_grows spread_letter (letter_value E e) spread_letter_proper (spread_letter_mean E e) lower n
    (repeat (First, 0) a ++ repeat (Second, 0) b ++ repeat (Other, / E) m)
    (repeat (First, 0) a ++ repeat (Second, 0) b ++ repeat (Other, 0) m)
    (repeat (First, 0) a ++ repeat (Second, 0) b ++ repeat (Other, 1) m)).
  - intros wa I. simpl in I. destruct I as [<- | [<- | [<- | [<- | []]]]]; simpl; lra.
  - rewrite !app_length, !repeat_length. unfold m. lia.
  - apply Forall_app.
    split; [| apply Forall_app; split]; apply Forall_forall; intros l I; rewrite (repeat_spec _ _ _ I).
    + exists q. split; [exact L | left; reflexivity].
    + exists q. split; [exact L | right; left; reflexivity].
    + exists (E * q). split; [exact Eq | right; right; left; reflexivity].
  - apply can_become_letters. unfold spread_letter. simpl.
    destruct (Rle_dec 0 (/ E)); [| lra]. destruct (Rle_dec (/ E) 1); [| lra].
    exists (1 - / E). split; [lra | right; left; reflexivity].
  - apply can_become_letters. unfold spread_letter. simpl.
    destruct (Rle_dec 0 (/ E)); [| lra]. destruct (Rle_dec (/ E) 1); [| lra].
    exists (/ E). split; [lra | left; reflexivity].
  - rewrite total_letters. lra.
  - rewrite total_letters. lra.
Qed.

Theorem k_ary_closes_exactly k E e n x y z :
  1 <= E -> 1 <= e -> (x < k)%nat -> (y < k)%nat -> (z < k)%nat -> x <> y -> z <> x -> z <> y -> (1 <= n)%nat ->
  (reference_bound n (k_ary_response k E x) (k_ary_response k E y) e (k_ary_reference k E) =
   reference_bound n (k_ary_response k E x) (k_ary_response k E y) e (k_ary_response k E z) <->
   no_pair_between n E e).
Proof.
  intros HE He X Y Z N1 N2 N3 Hn. split.
  - intros Same a b B T. assert (O := k_ary_open k E e n a b x y z HE He X Y Z N1 N2 N3 Hn B T). lra.
  - apply k_ary_closes; assumption.
Qed.
