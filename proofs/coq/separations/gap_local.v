(** R^gap, the randomizer: it is not private by itself, for no eps.

    A user with input 0 (false) sends four bits, a uniformly random string out of the 16; a user with
    input 1 (true) a uniformly random one out of the 10 strings that do not have exactly two ones. Here:
    as a local randomizer it is not (eps, delta)-DP for any real eps and any delta < 3/8, because
    "exactly two ones" has probability 3/8 under input 0 and 0 under input 1. The bound is sharp: it is
    (0, 3/8)-DP. The other files on R^gap show that the shuffled protocol of two or more users is eps-DP
    all the same.

    Source: Balcer and Cheu 2020, section 4, which gives the supports; the uniform weights are this
    package's reading of it. Any positive weights: gap_any_weights.v. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums laws privacy bits.
Import ListNotations.
Open Scope R_scope.

(** The strings of four bits that do not have exactly two ones. *)
Definition unbalanced : list (list bool) := filter (fun u => negb (Nat.eqb (ones u) 2)) (strings 4).

Definition gap_randomizer (x : bool) : dist (list bool) :=
  uniform (if x then unbalanced else strings 4).

Lemma gap_proper x : proper (gap_randomizer x).
Proof. apply proper_uniform. destruct x; discriminate. Qed.

(** Each user sends four messages. *)
Lemma gap_four_bits x wa : In wa (gap_randomizer x) -> length (snd wa) = 4%nat.
Proof.
  intros I. apply in_uniform in I. apply strings_length. destruct x; [| exact I].
  apply filter_In in I. exact (proj1 I).
Qed.

(** Expectations under input 0 and under input 1. *)
Lemma gap_mean_0 f : mean (gap_randomizer false) f = total (strings 4) f / 16.
Proof. unfold gap_randomizer. rewrite mean_uniform. f_equal. simpl. lra. Qed.

Lemma gap_mean_1 f : mean (gap_randomizer true) f = total unbalanced f / 10.
Proof. unfold gap_randomizer. rewrite mean_uniform. f_equal. simpl. lra. Qed.

(** The event that gives input 0 away. *)
Definition balanced (u : list bool) : bool := Nat.eqb (ones u) 2.

Lemma gap_balanced_0 : Pr (gap_randomizer false) balanced = 3 / 8.
Proof. unfold Pr. rewrite gap_mean_0. unfold indicator, balanced. simpl. lra. Qed.

Lemma gap_balanced_1 : Pr (gap_randomizer true) balanced = 0.
Proof. unfold Pr. rewrite gap_mean_1. unfold indicator, balanced. simpl. lra. Qed.

(** Not private for any eps, unless delta is 3/8 or more. *)
Theorem gap_local : forall eps delta, delta < 3 / 8 -> ~ local_dp gap_randomizer eps delta.
Proof.
  intros eps delta Hd H. specialize (H false true balanced).
  rewrite gap_balanced_0, gap_balanced_1 in H. lra.
Qed.

Theorem gap_local_pure : forall eps, ~ local_dp gap_randomizer eps 0.
Proof. intros eps. apply gap_local. lra. Qed.

(** One user, shuffled: the same, for the event does not look at the order. *)
Theorem gap_one_user : forall eps delta, delta < 3 / 8 -> ~ shuffle_dp 1 gap_randomizer eps delta.
Proof.
  intros eps delta Hd H.
  specialize (H [false] [true] (replace_one [] false true []) eq_refl balanced
                (counts_symmetric (fun c => Nat.eqb c 2))).
  assert (M : forall x, Pr (messages gap_randomizer [x]) balanced = Pr (gap_randomizer x) balanced).
  { intros x. unfold Pr. cbn [messages]. rewrite mean_bind. apply mean_ext. intros u.
    rewrite mean_bind, mean_ret, mean_ret, app_nil_r. reflexivity. }
  rewrite !M, gap_balanced_0, gap_balanced_1 in H. lra.
Qed.

(** With delta = 3/8 it is private, even with eps = 0. Of the 16 strings
    10 are in [unbalanced], each more likely under input 1, and 6 are not: they have 6/16 together. *)
Lemma gap_split f :
  total (strings 4) f = total unbalanced f + total (filter balanced (strings 4)) f.
Proof.
  unfold unbalanced. rewrite !total_filter, <- total_plus. apply total_ext. intros u _.
  unfold balanced. destruct (Nat.eqb (ones u) 2); simpl; ring.
Qed.

Theorem gap_total_variation : local_dp gap_randomizer 0 (3 / 8).
Proof.
  assert (I : forall T (u : list bool), 0 <= indicator T u <= 1).
  { intros T u. unfold indicator. destruct (T u); lra. }
  intros x y T. rewrite exp_0, Rmult_1_l. unfold Pr.
  set (p := total unbalanced (indicator T)).
  set (q := total (filter balanced (strings 4)) (indicator T)).
  assert (P0 : 0 <= p) by (apply total_nonneg; intros; apply I).
  assert (Q0 : 0 <= q) by (apply total_nonneg; intros; apply I).
  assert (P1 : p <= 10).
  { eapply Rle_trans; [apply total_le; intros; apply (proj2 (I T a)) |].
    rewrite total_const. simpl. lra. }
  assert (Q1 : q <= 6).
  { eapply Rle_trans; [apply total_le; intros; apply (proj2 (I T a)) |].
    rewrite total_const. simpl. lra. }
  destruct x, y; rewrite ?gap_mean_0, ?gap_mean_1, ?gap_split; fold p q; lra.
Qed.
