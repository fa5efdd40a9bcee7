(** The histogram protocol: zsum in each of d bins.

    A record is a natural number, the bins are 0, 1, ..., d-1; a record outside of them is in no bin. A
    user with the record x runs the randomizer of zsum for each bin j independently, on the bit 1[x = j],
    and labels each of its symbols with j. All his messages go to one shuffler.

    For every d, every n and every gamma in [0, 1] (ends included):

    - [histogram_bins]: to an analyzer that does not look at the order, the n users' messages are those
      of d independent runs of zsum by the n users, the run for bin j on the bits 1[x = j], labelled j;
    - [histogram_bin_is_zsum]: so the counts of the d labels are jointly independent, each with the law
      of the number of messages of zsum on these bits ([histogram_one_bin]: the law of one count);
    - [histogram_privacy]: if zsum with n users is (eps, delta)-DP, with eps >= 0, the histogram with n
      users is (2 eps, 2 delta)-DP: replacing a record changes the bits of two bins at most, and basic
      composition adds these two up.

    Idea: the messages are drawn in a grid, one cell for each user and bin; the order in which the grid
    is read does not matter (grid.v).

    Source: Balcer and Cheu 2020, section 3.2; the proof is this package's (histogram-privacy,
    histogram-bin-is-zsum). *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user grid zsum.
Import ListNotations.
Open Scope R_scope.

(** ** The protocol *)

(** Each symbol becomes the label j. *)
Definition labelled (j : nat) (y : list unit) : list nat := map (fun _ => j) y.

(** The messages of a user with the record x for the bin j. *)
Definition bin_randomizer (gamma : R) (x j : nat) : dist (list nat) :=
  dmap (labelled j) (zsum_randomizer gamma (Nat.eqb x j)).

(** All his messages: [messages] runs the bins one after the other and concatenates. *)
Definition histogram_randomizer (d : nat) (gamma : R) (x : nat) : dist (list nat) :=
  messages (bin_randomizer gamma x) (seq 0 d).

(** What the records say about the bin j. *)
Definition bin_bits (j : nat) (xs : list nat) : list bool := map (fun x => Nat.eqb x j) xs.

(** The n users' messages for the bin j: a run of zsum, labelled. *)
Definition bin_messages (gamma : R) (xs : list nat) (j : nat) : dist (list nat) :=
  dmap (labelled j) (messages (zsum_randomizer gamma) (bin_bits j xs)).

Lemma proper_bin_messages gamma xs j : 0 <= gamma <= 1 -> proper (bin_messages gamma xs j).
Proof.
  intros H. apply proper_dmap, proper_messages. intros x. apply proper_zsum_randomizer, H.
Qed.

Lemma proper_histogram_randomizer d gamma x : 0 <= gamma <= 1 -> proper (histogram_randomizer d gamma x).
Proof.
  intros H. apply proper_messages. intros j. apply proper_dmap, proper_zsum_randomizer, H.
Qed.

(** ** What the analyzer sees *)

(** Labelling commutes with collecting the users' messages. *)
Lemma bin_messages_users gamma xs j :
  same_law (messages (fun x => bin_randomizer gamma x j) xs) (bin_messages gamma xs j).
Proof.
  unfold bin_messages. induction xs as [| x xs IH]; intros f.
  - rewrite mean_dmap. simpl. rewrite !mean_ret. reflexivity.
  - rewrite mean_messages_first. unfold bin_randomizer at 1. rewrite !mean_dmap. simpl bin_bits.
    rewrite mean_messages_first. apply mean_ext. intros mine.
    rewrite IH, mean_dmap. apply mean_ext. intros others.
    unfold labelled. rewrite map_app. reflexivity.
Qed.

(** Bin after bin instead of user after user, for all functions that do not look at the order. *)
Lemma histogram_bins d gamma xs f :
  orderless f ->
  mean (messages (histogram_randomizer d gamma) xs) f =
  mean (messages (bin_messages gamma xs) (seq 0 d)) f.
Proof.
  intros S. unfold histogram_randomizer.
  rewrite (grid_order (bin_randomizer gamma) xs (seq 0 d) f S).
  apply messages_same_law. intros j _. apply bin_messages_users.
Qed.

(** How often each label was sent. *)
Definition counts (d : nat) (y : list nat) : list nat := map (count_occ Nat.eq_dec y) (seq 0 d).

(** The number of messages of the run of zsum for the bin j. *)
Definition bin_count (gamma : R) (xs : list nat) (j : nat) : dist nat :=
  dmap (@length unit) (messages (zsum_randomizer gamma) (bin_bits j xs)).

Lemma count_labelled_same j y : count_occ Nat.eq_dec (labelled j y) j = length y.
Proof.
  induction y as [| u y IH]; simpl; [reflexivity |].
  destruct (Nat.eq_dec j j); [rewrite IH; reflexivity | congruence].
Qed.

Lemma count_labelled_other i j y : i <> j -> count_occ Nat.eq_dec (labelled i y) j = 0%nat.
Proof.
  intros N. induction y as [| u y IH]; simpl; [reflexivity |].
  destruct (Nat.eq_dec i j); [congruence | exact IH].
Qed.

Lemma counts_orderless d {V} (f : list nat -> V) : orderless (fun y => f (counts d y)).
Proof.
  intros u v P. unfold counts. f_equal. apply map_ext. intros j.
  apply Permutation_count_occ, P.
Qed.

(** What is sent for the bins js is never labelled with another bin. *)
Lemma bins_without gamma xs j js : ~ In j js -> forall F : list nat -> nat -> R,
  mean (messages (bin_messages gamma xs) js) (fun y => F y (count_occ Nat.eq_dec y j)) =
  mean (messages (bin_messages gamma xs) js) (fun y => F y 0%nat).
Proof.
  induction js as [| i js IH]; intros N F.
  - simpl. rewrite !mean_ret. reflexivity.
  - rewrite !mean_messages_first. unfold bin_messages at 1 3. rewrite !mean_dmap.
    apply mean_ext. intros mine.
    rewrite <- (IH (fun I => N (or_intror I)) (fun others => F (labelled i mine ++ others))).
    apply mean_ext. intros others.
    rewrite count_occ_app, count_labelled_other by (intros ->; apply N; left; reflexivity). reflexivity.
Qed.

(** The counts of the labels js in what is sent for these bins. *)
Lemma counts_of_bins gamma xs js : NoDup js -> forall f : list nat -> R,
  mean (messages (bin_messages gamma xs) js) (fun y => f (map (count_occ Nat.eq_dec y) js)) =
  mean (messages (one_message (bin_count gamma xs)) js) f.
Proof.
  induction js as [| j js IH]; intros N f.
  - simpl. rewrite !mean_ret. reflexivity.
  - inversion N as [| ? ? Nj Njs]; subst. rewrite !mean_messages_first.
    unfold bin_messages at 1, one_message at 1, bin_count at 1. rewrite !mean_dmap.
    apply mean_ext. intros mine.
    transitivity (mean (messages (bin_messages gamma xs) js) (fun others =>
      f ((length mine + count_occ Nat.eq_dec others j)%nat :: map (count_occ Nat.eq_dec others) js))).
    + apply mean_ext. intros others. f_equal. cbn [map].
      rewrite count_occ_app, count_labelled_same. f_equal. apply map_ext_in. intros i Hi.
      rewrite count_occ_app, count_labelled_other; [reflexivity | intros ->; contradiction].
    + rewrite (bins_without gamma xs j js Nj (fun others c =>
        f ((length mine + c)%nat :: map (count_occ Nat.eq_dec others) js))).
      rewrite Nat.add_0_r. apply (IH Njs (fun cs => f (length mine :: cs))).
Qed.

(** The counts are independent, and each has the law of zsum's number of messages on the bin's bits. *)
Theorem histogram_bin_is_zsum d gamma xs :
  same_law (dmap (counts d) (messages (histogram_randomizer d gamma) xs))
           (messages (one_message (bin_count gamma xs)) (seq 0 d)).
Proof.
  intros f. rewrite mean_dmap, histogram_bins by apply counts_orderless.
  apply counts_of_bins, seq_NoDup.
Qed.

(** One bin alone: the others are as if they were not there. *)
Theorem histogram_one_bin d gamma xs j :
  0 <= gamma <= 1 -> (j < d)%nat ->
  same_law (dmap (fun y => count_occ Nat.eq_dec y j) (messages (histogram_randomizer d gamma) xs))
           (bin_count gamma xs j).
Proof.
  intros Hg Hj f. assert (S : orderless (fun y => f (count_occ Nat.eq_dec y j))).
  { intros u v P. rewrite (proj1 (Permutation_count_occ Nat.eq_dec u v) P). reflexivity. }
  assert (I : In j (seq 0 d)) by (apply in_seq; lia).
  apply in_split in I. destruct I as [before [after E]].
  assert (N := seq_NoDup d 0). rewrite E in N.
  rewrite mean_dmap, (histogram_bins d gamma xs _ S), E.
  rewrite (messages_permutation _ _ (j :: before ++ after) (Permutation_sym (Permutation_middle _ _ _)) _ S).
  rewrite mean_messages_first. unfold bin_messages at 1, bin_count. rewrite !mean_dmap.
  apply mean_ext. intros mine.
  rewrite (mean_ext _ _ (fun others => f (length mine + count_occ Nat.eq_dec others j)%nat)).
  - rewrite (bins_without gamma xs j _ (NoDup_remove_2 _ _ _ N) (fun _ c => f (length mine + c)%nat)).
    rewrite Nat.add_0_r. apply mean_const, proper_messages. intros i. apply proper_bin_messages, Hg.
  - intros others. rewrite count_occ_app, count_labelled_same. reflexivity.
Qed.

(** ** Privacy *)

(** Basic composition over independent runs K j, one for each entry of js: eps and delta add up. *)
Lemma runs_compose {J M} (K L : J -> dist (list M)) (eps delta : J -> R) js :
  (forall j, proper (K j)) -> (forall j, proper (L j)) ->
  (forall j, In j js -> below (K j) (L j) (exp (eps j)) (delta j)) ->
  below (messages K js) (messages L js) (exp (total js eps)) (total js delta).
Proof.
  intros HK HL. induction js as [| j js IH]; intros H.
  - apply below_refl; [apply proper_ret | simpl; rewrite exp_0; lra | simpl; lra].
  - simpl total. rewrite exp_plus. simpl messages. apply below_bind.
    + apply HK.
    + apply HL.
    + intros mine. apply proper_dmap, proper_messages, HK.
    + intros mine. apply proper_dmap, proper_messages, HL.
    + left. apply exp_pos.
    + left. apply exp_pos.
    + apply H. left. reflexivity.
    + intros mine. apply below_dmap, IH. intros i Hi. apply H. right. exact Hi.
Qed.

(** Lists of one symbol that have the same length are the same, so every event is symmetric. *)
Lemma unit_symmetric (T : list unit -> bool) : symmetric T.
Proof.
  intros u v P. f_equal. apply Permutation_length in P. revert v P.
  induction u as [| [] u IH]; intros [| [] v] L; simpl in L; try discriminate; [reflexivity |].
  f_equal. apply IH. lia.
Qed.

(** The number c, where x is in the bin j, and 0 elsewhere. *)
Definition if_in_bin (c : R) (x j : nat) : R := if Nat.eqb x j then c else 0.

Lemma if_in_bin_total c x d : 0 <= c -> total (seq 0 d) (if_in_bin c x) <= c.
Proof.
  intros Hc. apply Rle_trans with (total [x] (fun _ => c)); [| simpl; lra].
  rewrite (total_ext _ _ (fun j => if Nat.eqb x j then c else 0)) by reflexivity.
  rewrite <- total_filter. apply total_incl; [apply NoDup_filter, seq_NoDup | | auto].
  intros j I. apply filter_In in I. destruct I as [_ I]. apply Nat.eqb_eq in I. left. exact I.
Qed.

(** Only the bins of the two records that are exchanged change. *)
Lemma bin_below n gamma eps delta before x y after j :
  0 <= gamma <= 1 -> 0 <= eps -> 0 <= delta ->
  shuffle_dp n (zsum_randomizer gamma) eps delta -> length (before ++ x :: after) = n ->
  below (bin_messages gamma (before ++ x :: after) j) (bin_messages gamma (before ++ y :: after) j)
    (exp (if_in_bin eps x j + if_in_bin eps y j)) (if_in_bin delta x j + if_in_bin delta y j).
Proof.
  intros Hg He Hd H L.
  assert (Changed : below (bin_messages gamma (before ++ x :: after) j)
                          (bin_messages gamma (before ++ y :: after) j) (exp eps) delta).
  { apply below_dmap. intros T. unfold bin_bits. apply H; [| rewrite map_length; exact L |].
    - rewrite !map_app. apply replace_one.
    - apply unit_symmetric. }
  assert (HQ := proper_bin_messages gamma (before ++ y :: after) j Hg).
  unfold if_in_bin. destruct (Nat.eqb x j) eqn:X.
  - apply (below_weaken _ _ (exp eps) _ delta); [exact HQ | | | exact Changed].
    + apply exp_le. destruct (Nat.eqb y j); lra.
    + destruct (Nat.eqb y j); lra.
  - destruct (Nat.eqb y j) eqn:Y.
    + rewrite !Rplus_0_l. exact Changed.
    + replace (bin_messages gamma (before ++ x :: after) j)
        with (bin_messages gamma (before ++ y :: after) j).
      * apply below_refl; [exact HQ | rewrite Rplus_0_l, exp_0; lra | lra].
      * unfold bin_messages, bin_bits. rewrite !map_app. simpl. rewrite X, Y. reflexivity.
Qed.

Theorem histogram_privacy n d gamma eps delta :
  0 <= gamma <= 1 -> 0 <= eps -> 0 <= delta ->
  shuffle_dp n (zsum_randomizer gamma) eps delta ->
  shuffle_dp n (histogram_randomizer d gamma) (2 * eps) (2 * delta).
Proof.
  intros Hg He Hd H xs ys N L T S. unfold Pr.
  rewrite !histogram_bins by (apply orderless_indicator, S). destruct N as [before x y after].
  set (xs := before ++ x :: after). set (ys := before ++ y :: after).
  pose (both := fun c j => if_in_bin c x j + if_in_bin c y j).
  assert (Total : forall c, 0 <= c -> total (seq 0 d) (both c) <= 2 * c).
  { intros c Hc. unfold both. rewrite total_plus.
    assert (X := if_in_bin_total c x d Hc). assert (Y := if_in_bin_total c y d Hc). lra. }
  apply (below_weaken _ _ (exp (total (seq 0 d) (both eps))) _ (total (seq 0 d) (both delta))).
  - apply proper_messages. intros j. apply proper_bin_messages, Hg.
  - apply exp_le, Total, He.
  - apply Total, Hd.
  - apply runs_compose.
    + intros j. apply proper_bin_messages, Hg.
    + intros j. apply proper_bin_messages, Hg.
    + intros j _. apply (bin_below n); assumption.
Qed.
