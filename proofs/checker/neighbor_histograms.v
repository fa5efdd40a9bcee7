(** The two data sets of a witness, as histograms, and that they are neighbours.

    The program [neighbor_histograms] accepts two histograms of the same inputs if what they do not share is one user
    of each of them (replacement), or one user of one of them (an added or removed user), and the larger one has n
    users. [neighbors_private]: if the protocol of n users is private, in the sense of the claims, then these two data
    sets are (E, delta)-below each other. Any randomizer, any inputs, E > 0.

    Source: the method View.pair of exactdp/checker/neighboring_laws.py. *)

From Coq Require Import ZArith Reals List Lia Permutation Bool.
From Exactdp Require Import laws privacy adding_a_user moved_bystanders.
From ExactdpChecker Require Import claims.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

(** The users of both. *)
Fixpoint shared (h k : list Z) : list Z :=
  match h, k with
  | a :: h', b :: k' => Z.min a b :: shared h' k'
  | _, _ => []
  end.

(** Those that the other one does not have. *)
Fixpoint not_shared (h k : list Z) : list Z :=
  match h, k with
  | a :: h', b :: k' => a - Z.min a b :: not_shared h' k'
  | _, _ => []
  end.

Definition users (h : list Z) : Z := fold_left Z.add h 0.

Definition neighbor_histograms (nb : neighboring) (n : Z) (h k : list Z) : bool :=
  let a := users (not_shared h k) in
  let b := users (not_shared k h) in
  Nat.eqb (length h) (length k) && forallb (Z.leb 0) h && forallb (Z.leb 0) k && (users (shared h k) =? n - 1) &&
  match nb with
  | ReplaceOne => (a =? 1) && (b =? 1)
  | AddOrRemoveOne => (a =? 1) && (b =? 0) || (a =? 0) && (b =? 1)
  end.

(** ** What it accepts *)

Lemma data_set_split h k : length h = length k -> forallb (Z.leb 0) h = true -> forallb (Z.leb 0) k = true ->
  Permutation (data_set h) (data_set (not_shared h k) ++ data_set (shared h k)).
Proof.
  unfold data_set. generalize 0%nat. revert k. induction h as [| a h IH]; intros [| b k] first L H K;
    try discriminate L; [constructor |].
  cbn [forallb] in H, K. apply andb_true_iff in H, K. destruct H as [Ha H], K as [Kb K]. apply Z.leb_le in Ha, Kb.
  injection L as L. cbn [data_set_from not_shared shared].
  replace (Z.to_nat a) with (Z.to_nat (a - Z.min a b) + Z.to_nat (Z.min a b))%nat by lia.
  rewrite repeat_app, <- !app_assoc. apply Permutation_app_head. rewrite (IH k (S first) L H K).
  rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.

Lemma users_from h s : fold_left Z.add h s = s + users h.
Proof.
  unfold users. revert s. induction h as [| a h IH]; intros s; simpl; [ring |].
  rewrite (IH (s + a)), (IH a). ring.
Qed.

Lemma users_length h : forallb (Z.leb 0) h = true -> Z.of_nat (length (data_set h)) = users h.
Proof.
  unfold data_set. generalize 0%nat. induction h as [| a h IH]; intros first H; [reflexivity |].
  cbn [forallb] in H. apply andb_true_iff in H. destruct H as [Ha H]. apply Z.leb_le in Ha.
  cbn [data_set_from]. rewrite app_length, repeat_length, Nat2Z.inj_add, (IH (S first) H).
  unfold users at 2. cbn [fold_left]. rewrite users_from. lia.
Qed.

Lemma not_shared_nonneg h k : forallb (Z.leb 0) (not_shared h k) = true.
Proof.
  revert k. induction h as [| a h IH]; intros [| b k]; try reflexivity. cbn [not_shared forallb].
  rewrite IH, andb_true_r.
  apply Z.leb_le. lia.
Qed.

Lemma shared_nonneg h k : forallb (Z.leb 0) h = true -> forallb (Z.leb 0) k = true -> forallb (Z.leb 0) (shared h k) =
  true.
Proof.
  revert k. induction h as [| a h IH]; intros [| b k] H K; try reflexivity. cbn [forallb] in H, K.
  apply andb_true_iff in H, K. destruct H as [Ha H], K as [Kb K]. cbn [shared forallb]. rewrite (IH k H K), andb_true_r.
  apply Z.leb_le in Ha, Kb. apply Z.leb_le. lia.
Qed.

Lemma shared_comm h k : shared h k = shared k h.
Proof. revert k. induction h as [| a h IH]; intros [| b k]; try reflexivity. simpl. rewrite IH, Z.min_comm. reflexivity.
Qed.

(** Their common users, and one more in one of them or in both. *)
Lemma neighbor_histograms_sound nb n h k : neighbor_histograms nb n h k = true ->
  exists zs, Z.of_nat (length zs) = n - 1 /\
  match nb with
  | ReplaceOne => exists x y, Permutation (data_set h) (x :: zs) /\ Permutation (data_set k) (y :: zs)
  | AddOrRemoveOne => exists x, Permutation (data_set h) (x :: zs) /\ Permutation (data_set k) zs \/
      Permutation (data_set h) zs /\ Permutation (data_set k) (x :: zs)
  end.
Proof.
  unfold neighbor_histograms. intros H. apply andb_true_iff in H. destruct H as [H C]. apply andb_true_iff in H.
  destruct H as [H N]. apply andb_true_iff in H. destruct H as [H K]. apply andb_true_iff in H. destruct H as [L H].
  apply Nat.eqb_eq in L. apply Z.eqb_eq in N. exists (data_set (shared h k)).
  split; [rewrite users_length by (apply shared_nonneg; assumption); exact N |].
  assert (P := data_set_split h k L H K). assert (Q := data_set_split k h (eq_sym L) K H).
  rewrite (shared_comm k h) in Q.
  assert (A := users_length _ (not_shared_nonneg h k)). assert (B := users_length _ (not_shared_nonneg k h)).
  set (a := data_set (not_shared h k)) in *. set (b := data_set (not_shared k h)) in *.
  assert (One : forall l : list nat, Z.of_nat (length l) = 1 -> exists x, l = [x]).
  { intros [| x [| y l]] E; simpl in E; try lia. exists x. reflexivity. }
  assert (None : forall l : list nat, Z.of_nat (length l) = 0 -> l = []).
  { intros [| x l] E; simpl in E; [reflexivity | lia]. }
  destruct nb.
  - apply andb_true_iff in C. destruct C as [CA CB]. apply Z.eqb_eq in CA, CB. rewrite CA in A. rewrite CB in B.
    destruct (One a A) as [x Ex], (One b B) as [y Ey]. exists x, y. rewrite Ex in P. rewrite Ey in Q. auto.
  - apply orb_true_iff in C. destruct C as [C | C]; apply andb_true_iff in C; destruct C as [CA CB];
      apply Z.eqb_eq in CA, CB;
      rewrite CA in A; rewrite CB in B.
    + destruct (One a A) as [x Ex]. rewrite Ex in P. rewrite (None b B) in Q. exists x. left. auto.
    + destruct (One b B) as [x Ex]. rewrite Ex in Q. rewrite (None a A) in P. exists x. right. auto.
Qed.

Theorem neighbors_private {M} (R : nat -> dist (list M)) nb n h k E delta :
  neighbor_histograms nb n h k = true -> 1 <= n -> (0 < E)%R ->
  private R nb (Z.to_nat n) E delta -> shuffle_below R (data_set h) (data_set k) E delta.
Proof.
  intros H Hn HE P. apply neighbor_histograms_sound in H. destruct H as [zs [L H]].
  destruct nb.
  - destruct H as [x [y [PX PY]]]. apply (shuffle_below_permutation R _ _ (x :: zs) (y :: zs) E delta PX PY).
    apply shuffle_dp_iff_pairs with (xs := x :: zs) (ys := y :: zs) in P.
    + rewrite exp_ln in P by exact HE. exact P.
    + apply (replace_one [] x y zs).
    + simpl. lia.
  - destruct H as [x [[PX PY] | [PX PY]]].
    + apply (shuffle_below_permutation R _ _ (x :: zs) zs E delta PX PY).
      apply (P (x :: zs) x zs); [reflexivity | simpl; lia].
    + apply (shuffle_below_permutation R _ _ zs (x :: zs) E delta PX PY).
      apply (P (x :: zs) x zs); [reflexivity | simpl; lia].
Qed.
