(** A user of the histogram protocol sends at most d + 1 messages.

    For every number d of bins, every gamma and every record: whatever the coins are, at most one
    extra symbol for each bin, and one for the record if it is in a bin. So many are sent with
    probability at least (1 - gamma)^d where the record is in a bin and gamma is in [0, 1], so the bound
    is attained for every gamma < 1.

    Source: Balcer and Cheu 2020, section 3.2; the proof is this package's (histogram-messages). *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import reals sums laws privacy adding_a_user zsum histogram.
Import ListNotations.
Open Scope R_scope.

(** What can come out of a program comes out of its parts. *)
Lemma in_bind {A B} (d : dist A) (next : A -> dist B) wb :
  In wb (bind d next) -> exists wa vb, In wa d /\ In vb (next (snd wa)) /\ snd wb = snd vb.
Proof.
  intros I. apply in_flat_map in I. destruct I as [wa [Ia I]].
  apply in_map_iff in I. destruct I as [vb [<- Ib]]. exists wa, vb. auto.
Qed.

Lemma in_dmap {A B} (h : A -> B) (d : dist A) wb :
  In wb (dmap h d) -> exists wa, In wa d /\ snd wb = h (snd wa).
Proof.
  intros I. apply in_bind in I. destruct I as [wa [vb [Ia [[<- | []] E]]]]. exists wa. auto.
Qed.

(** The record of a bin adds one to the coins. *)
Lemma bin_randomizer_length gamma x j wy :
  In wy (bin_randomizer gamma x j) -> (length (snd wy) <= Nat.b2n (Nat.eqb x j) + 1)%nat.
Proof.
  intros I. apply in_dmap in I. destruct I as [wu [Iu ->]].
  apply in_dmap in Iu. destruct Iu as [[w z] [_ ->]]. unfold labelled. rewrite map_length, repeat_length.
  simpl. destruct z; simpl; lia.
Qed.

Lemma count_occ_cons_b2n x j js :
  count_occ Nat.eq_dec (j :: js) x = (Nat.b2n (Nat.eqb x j) + count_occ Nat.eq_dec js x)%nat.
Proof.
  simpl. destruct (Nat.eq_dec j x) as [-> | N]; [rewrite Nat.eqb_refl; reflexivity |].
  rewrite (proj2 (Nat.eqb_neq x j)) by congruence. reflexivity.
Qed.

Lemma bins_length gamma x js wy :
  In wy (messages (bin_randomizer gamma x) js) ->
  (length (snd wy) <= length js + count_occ Nat.eq_dec js x)%nat.
Proof.
  revert wy. induction js as [| j js IH]; intros wy I.
  - destruct I as [<- | []]. simpl. lia.
  - apply in_bind in I. destruct I as [wa [vb [Ia [Ib E]]]].
    apply in_dmap in Ib. destruct Ib as [wo [Io Eo]].
    rewrite E, Eo, app_length, count_occ_cons_b2n.
    apply bin_randomizer_length in Ia. apply IH in Io. simpl length. lia.
Qed.

Theorem histogram_messages d gamma x wy :
  In wy (histogram_randomizer d gamma x) -> (length (snd wy) <= d + 1)%nat.
Proof.
  intros I. apply bins_length in I. rewrite seq_length in I.
  assert (C := proj1 (NoDup_count_occ Nat.eq_dec (seq 0 d)) (seq_NoDup d 0) x). lia.
Qed.

(** All coins are 1 with probability (1 - gamma)^(number of bins). *)
Definition at_least (k : nat) (y : list nat) : bool := Nat.leb k (length y).

Lemma bins_all_ones gamma x js :
  0 <= gamma <= 1 ->
  (1 - gamma) ^ length js <=
  Pr (messages (bin_randomizer gamma x) js) (at_least (length js + count_occ Nat.eq_dec js x)).
Proof.
  intros Hg. induction js as [| j js IH].
  - simpl. rewrite Pr_ret. unfold indicator, at_least. simpl. lra.
  - assert (HP : proper (messages (bin_randomizer gamma x) js)).
    { apply proper_messages. intros i. apply proper_dmap, proper_zsum_randomizer, Hg. }
    unfold Pr. rewrite mean_messages_first. unfold bin_randomizer at 1, zsum_randomizer at 1.
    rewrite !mean_dmap, mean_coin, count_occ_cons_b2n.
    set (k := (length js + count_occ Nat.eq_dec js x)%nat) in *.
    set (sent := labelled j (repeat tt (Nat.b2n (Nat.eqb x j) + Nat.b2n true))).
    assert (One : Pr (messages (bin_randomizer gamma x) js) (at_least k) <=
      Pr (messages (bin_randomizer gamma x) js) (fun others =>
        at_least (length (j :: js) + (Nat.b2n (Nat.eqb x j) + count_occ Nat.eq_dec js x)) (sent ++ others))).
    { apply Pr_le; [exact HP |]. intros others L. apply Nat.leb_le in L. apply Nat.leb_le.
      unfold sent, labelled. rewrite app_length, map_length, repeat_length. unfold k in L. simpl. lia. }
    match goal with |- _ <= _ + ?rest * ?other => assert (0 <= rest * other) end.
    { apply Rmult_le_pos; [lra |]. apply Pr_bounds with (T := fun others => _), HP. }
    apply Rle_trans with ((1 - gamma) * Pr (messages (bin_randomizer gamma x) js) (at_least k)).
    + simpl pow. apply Rmult_le_compat_l; [lra | exact IH].
    + apply (Rmult_le_compat_l (1 - gamma)) in One; [| lra]. unfold Pr, indicator in *. lra.
Qed.

Theorem histogram_messages_attained d gamma x :
  0 <= gamma <= 1 -> (x < d)%nat ->
  (1 - gamma) ^ d <= Pr (histogram_randomizer d gamma x) (at_least (d + 1)).
Proof.
  intros Hg Hx. assert (H := bins_all_ones gamma x (seq 0 d) Hg). rewrite seq_length in H.
  replace (count_occ Nat.eq_dec (seq 0 d) x) with 1%nat in H; [exact H |].
  symmetry. apply NoDup_count_occ'; [apply seq_NoDup | apply in_seq; lia].
Qed.
