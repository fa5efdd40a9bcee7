(** Moving both laws leaves their divergence, shifts in both orders, and shifts that add up.

    Laws on the integers are given by their masses; w (t - c) is the mass at t of c + Y, where Y has the
    law w. Every real E and delta where nothing else is said. Proved:

    - a map that has an inverse, applied to the outcomes of both laws, changes no divergence
      ([moved_below]);
    - a shift down is a shift up in the other order: Y is (E, delta)-below Y - j if and only if Y + j is
      below Y ([shift_down], every integer j);
    - so if for 1 <= j <= most both orders of Y and Y + j are (E, delta)-below, then every integer query
      of sensitivity [most] plus Y is, for E >= 1 and delta >= 0, and only then ([shifts_both_orders]);
    - shifts add up: the number of messages of one user with input x has the law of s x + B for every x, if
      and only if for every data set of n >= 1 users, every n, the number of all messages has the law of
      the sum of the s x plus n independent copies of B ([shifts_add]). B may have negative outcomes.

    Idea: events are moved along; the rest is induction on the users.

    The classes Shift and AdditiveView of exactdp/checker/ rest on it.
    Source: docs/certificates.md. *)

From Coq Require Import Reals List ZArith Lra Lia FinFun.
From Exactdp Require Import reals sums laws privacy masses hockey_stick adding_a_user.
Import ListNotations.
Open Scope R_scope.

(** ** Moving both laws *)

Lemma moved_below_one_way {A B} (P Q : A -> R) (back : B -> A) E delta :
  (forall b c, back b = back c -> b = c) ->
  mass_below P Q E delta -> mass_below (fun b => P (back b)) (fun b => Q (back b)) E delta.
Proof.
  intros I H l N. assert (M := H (map back l) (Injective_map_NoDup I N)).
  rewrite !total_map in M. exact M.
Qed.

Theorem moved_below {A B} (P Q : A -> R) (move : A -> B) (back : B -> A) E delta :
  (forall a, back (move a) = a) -> (forall b, move (back b) = b) ->
  (mass_below (fun b => P (back b)) (fun b => Q (back b)) E delta <-> mass_below P Q E delta).
Proof.
  intros BM MB. split; intros H.
  - intros l N. specialize (H (map move l)). rewrite !total_map in H.
    rewrite (total_ext l P (fun a => P (back (move a)))) by (intros; rewrite BM; reflexivity).
    rewrite (total_ext l Q (fun a => Q (back (move a)))) by (intros; rewrite BM; reflexivity).
    apply H, Injective_map_NoDup; [| exact N]. intros a c X. rewrite <- (BM a), <- (BM c), X. reflexivity.
  - apply moved_below_one_way; [| exact H]. intros b c X. rewrite <- (MB b), <- (MB c), X. reflexivity.
Qed.

(** The law of c + Y. *)
Definition shifted (w : Z -> R) (c t : Z) : R := w (t - c)%Z.

Lemma mass_below_ext {A} (P Q P' Q' : A -> R) E delta :
  (forall a, P a = P' a) -> (forall a, Q a = Q' a) -> mass_below P Q E delta -> mass_below P' Q' E delta.
Proof.
  intros HP HQ H l N. rewrite <- (total_ext l P P'), <- (total_ext l Q Q') by auto. apply H, N.
Qed.

(** Only the difference of two shifts matters. *)
Lemma shifted_difference w c d c' d' E delta :
  (c - d = c' - d')%Z ->
  mass_below (shifted w c) (shifted w d) E delta -> mass_below (shifted w c') (shifted w d') E delta.
Proof.
  intros D H. apply (moved_below_one_way _ _ (fun t => (t - (c' - c))%Z)) in H; [| intros; lia].
  revert H. apply mass_below_ext; intros t; unfold shifted; f_equal; lia.
Qed.

Lemma not_shifted (w : Z -> R) t : shifted w 0 t = w t.
Proof. unfold shifted. f_equal. lia. Qed.

(** Y itself is 0 + Y. *)
Lemma below_shifted w j E delta :
  mass_below w (shifted w j) E delta <-> mass_below (shifted w 0) (shifted w j) E delta.
Proof.
  split; apply mass_below_ext; intros t; try reflexivity; rewrite not_shifted; reflexivity.
Qed.

Lemma shifted_below w j E delta :
  mass_below (shifted w j) w E delta <-> mass_below (shifted w j) (shifted w 0) E delta.
Proof.
  split; apply mass_below_ext; intros t; try reflexivity; rewrite not_shifted; reflexivity.
Qed.

Theorem shift_down (w : Z -> R) (j : Z) E delta :
  mass_below w (shifted w (- j)) E delta <-> mass_below (shifted w j) w E delta.
Proof. rewrite below_shifted, shifted_below. split; apply shifted_difference; lia. Qed.

(** What the checker shows, and what it means for a query of sensitivity [most]. *)
Theorem shifts_both_orders (w : Z -> R) (most : Z) E delta :
  (forall t, 0 <= w t) -> 1 <= E -> 0 <= delta ->
  ((forall j, (1 <= j <= most)%Z ->
    mass_below w (shifted w j) E delta /\ mass_below (shifted w j) w E delta) <->
   forall c d, (Z.abs (c - d) <= most)%Z -> mass_below (shifted w c) (shifted w d) E delta).
Proof.
  intros Pos HE Hd. split.
  - intros H c d L. destruct (Z.lt_trichotomy c d) as [K | [-> | K]].
    + destruct (H (d - c)%Z ltac:(lia)) as [B _]. apply below_shifted in B.
      revert B. apply shifted_difference. lia.
    + intros l _. assert (0 <= total l (shifted w d)) by (apply total_nonneg; intros; apply Pos).
      assert (0 <= (E - 1) * total l (shifted w d)) by (apply Rmult_le_pos; lra). lra.
    + destruct (H (c - d)%Z ltac:(lia)) as [_ B]. apply shifted_below in B.
      revert B. apply shifted_difference. lia.
  - intros H j L. split; [apply below_shifted | apply shifted_below]; apply H; lia.
Qed.

(** ** Shifts of users *)

(** The sum of n independent draws from B. *)
Fixpoint copies (n : nat) (B : dist Z) : dist Z :=
  match n with
  | O => ret 0%Z
  | S m => bind B (fun b => dmap (Z.add b) (copies m B))
  end.

Definition shift_sum {X} (s : X -> Z) (xs : list X) : Z := fold_right (fun x => Z.add (s x)) 0%Z xs.

Definition number {M} (u : list M) : Z := Z.of_nat (length u).

Lemma number_app {M} (u v : list M) : number (u ++ v) = (number u + number v)%Z.
Proof. unfold number. rewrite app_length, Nat2Z.inj_add. reflexivity. Qed.

Lemma shifts_add_up {X M} (R : X -> dist (list M)) (B : dist Z) (s : X -> Z) xs :
  (forall x, same_law (dmap number (R x)) (dmap (Z.add (s x)) B)) ->
  same_law (dmap number (messages R xs)) (dmap (Z.add (shift_sum s xs)) (copies (length xs) B)).
Proof.
  intros H. induction xs as [| x xs IH]; intros f; rewrite !mean_dmap.
  - simpl. rewrite !mean_ret. reflexivity.
  - rewrite mean_messages_first.
    rewrite (mean_ext (R x) _ (fun mine =>
      mean (copies (length xs) B) (fun b => f (number mine + (shift_sum s xs + b))%Z))).
    + assert (Hx := H x (fun k => mean (copies (length xs) B) (fun b => f (k + (shift_sum s xs + b))%Z))).
      rewrite !mean_dmap in Hx. rewrite Hx. simpl. rewrite mean_bind. apply mean_ext. intros a.
      rewrite mean_dmap. apply mean_ext. intros b. f_equal. lia.
    + intros mine. specialize (IH (fun k => f (number mine + k)%Z)). rewrite !mean_dmap in IH.
      rewrite <- IH. apply mean_ext. intros others. rewrite number_app. reflexivity.
Qed.

(** The statement for one user is that for his row. *)
Theorem shifts_add {X M} (R : X -> dist (list M)) (B : dist Z) (s : X -> Z) :
  (forall x, same_law (dmap number (R x)) (dmap (Z.add (s x)) B)) <->
  (forall xs, xs <> [] ->
   same_law (dmap number (messages R xs)) (dmap (Z.add (shift_sum s xs)) (copies (length xs) B))).
Proof.
  split; intros H; [intros xs _; apply shifts_add_up, H |].
  intros x f. specialize (H [x] ltac:(discriminate) f). rewrite !mean_dmap in *.
  rewrite mean_messages_first in H. change (messages R []) with (ret (@nil M)) in H.
  change (copies (length [x]) B) with (bind B (fun b => dmap (Z.add b) (ret 0%Z))) in H.
  rewrite mean_bind in H. rewrite (mean_ext (R x) _ (fun u => f (number u))) in H.
  - rewrite H. apply mean_ext. intros b. rewrite mean_dmap, mean_ret. simpl. f_equal. lia.
  - intros u. rewrite mean_ret, app_nil_r. reflexivity.
Qed.
