(** Lower bounds of the law of the sum of scores that many users' messages have, as lists of integers.

    Each message of a table has an integer score. [scored bits s t scores us]: the list of s is a lower bound, in units
    of 2^-bits, of the law of the summed scores of the messages of the users us, in the sense of [under]. Proved of the
    programs, for every table that is posed, all scores and bits >= 0: one user ([scored_one]), two groups of users
    ([scored_plus]), without rare sums at either end ([scored_kept]), users who are alike ([scored_copies]), a data set
    ([scored_others]).

    The class Scored of exactdp/checker/scores.py has these programs. Source: docs/certificates.md. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy adding_a_user integer_polynomials losses_program.
From ExactdpChecker Require Import claims views likelihood_program likelihood_sound likelihood_trees.
From ExactdpChecker Require matrix_blanket.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

(** At the places score_low, score_low + 1, ... *)
Record scored_law : Type := { score_low : Z; score_weights : list Z }.

(** Up to so many bits a sum at an end is left out. *)
Definition trim_bits : Z := 16.

(** The places from this one, so many of them, of an ascending listing over the total D. *)
Fixpoint spread (bits D : Z) (count : nat) (place : Z) (l : listing) : list Z :=
  match count with
  | O => []
  | S less =>
      match l with
      | (k, w) :: rest =>
          if k =? place then w * 2 ^ bits / D :: spread bits D less (place + 1) rest
          else 0 :: spread bits D less (place + 1) l
      | [] => 0 :: spread bits D less (place + 1) []
      end
  end.

Definition one_user (bits : Z) (t : claims.table) (scores : list Z) (x : nat) : scored_law :=
  let law := entry (listings t scores) [] x in
  let from := match law with [] => 0 | (k, _) :: _ => k end in
  let upto := fst (last law (0, 0)) in
  if forallb (fun kw => 0 <=? snd kw) law then
    {| score_low := from; score_weights := spread bits (denominator t) (Z.to_nat (upto - from + 1)) from law |}
  else {| score_low := 0; score_weights := [] |}.

Definition plus (bits : Z) (s s' : scored_law) : scored_law :=
  {| score_low := score_low s + score_low s';
     score_weights := lowered bits (product (score_weights s) (score_weights s')) |}.

Definition kept (s : scored_law) : scored_law :=
  let l := score_weights s in
  let last := (length l - rare trim_bits (rev_append l []))%nat in
  let l' := firstn last l in
  let start := rare trim_bits l' in
  {| score_low := score_low s + Z.of_nat start; score_weights := skipn start l' |}.

Fixpoint copies_of (bits : Z) (one : scored_law) (users : positive) : scored_law :=
  match users with
  | xH => one
  | xO k => let s := copies_of bits one k in kept (plus bits s s)
  | xI k => let s := copies_of bits one k in kept (plus bits (kept (plus bits s s)) one)
  end.

Fixpoint with_others (bits : Z) (t : claims.table) (scores : list Z) (x : nat) (counts : list Z) (law : scored_law) :
  scored_law :=
  match counts with
  | [] => law
  | Zpos users :: rest =>
      with_others bits t scores (S x) rest (kept (plus bits law (copies_of bits (one_user bits t scores x) users)))
  | _ :: rest => with_others bits t scores (S x) rest law
  end.

(** Users who are alike, so many of each. *)
Fixpoint with_users (bits : Z) (held : list (scored_law * Z)) (law : scored_law) : scored_law :=
  match held with
  | [] => law
  | (one, Zpos users) :: rest => with_users bits rest (kept (plus bits law (copies_of bits one users)))
  | _ :: rest => with_users bits rest law
  end.

Definition nobody (bits : Z) : scored_law := {| score_low := 0; score_weights := [2 ^ bits] |}.

(** ** What they compute *)

Open Scope R_scope.

Lemma mean_nonneg {A} (d : dist A) f : proper d -> (forall a, 0 <= f a) -> 0 <= mean d f.
Proof. intros [P _] F. apply total_nonneg. intros wa I. apply Rmult_le_pos; [apply P, I | apply F]. Qed.

(** Of any randomizer and any score of messages that adds up. *)
Section users.

Context {X M : Type} (bits : Z) (R : X -> dist (list M)) (score : list M -> Z).
Hypothesis bits_nonneg : (0 <= bits)%Z.
Hypothesis rows_proper : forall x, proper (R x).
Hypothesis score_nil : score [] = 0%Z.
Hypothesis score_app : forall u v, score (u ++ v) = (score u + score v)%Z.

Definition sum_law (us : list X) : dist Z := dmap score (messages R us).

Definition sums (s : scored_law) (us : list X) : Prop := under bits (score_low s) (score_weights s) (sum_law us).

Lemma mean_sum us f : mean (sum_law us) f = mean (messages R us) (fun u => f (score u)).
Proof. apply mean_dmap. Qed.

Lemma sum_positive us : positive_law (sum_law us).
Proof. intros f F. rewrite mean_sum. apply mean_nonneg; [apply proper_messages, rows_proper | intros; apply F]. Qed.

Lemma mean_messages_app us vs f :
  mean (messages R (us ++ vs)) f = mean (messages R us) (fun u => mean (messages R vs) (fun v => f (u ++ v))).
Proof.
  revert f. induction us as [| x us IH]; intros f.
  - cbn [messages app]. rewrite mean_ret. reflexivity.
  - cbn [app]. rewrite !mean_messages_first. apply mean_ext. intros mine. rewrite IH. apply mean_ext. intros u.
    apply mean_ext. intros v. rewrite app_assoc. reflexivity.
Qed.

Lemma sums_nobody : sums (nobody bits) [].
Proof.
  split.
  - repeat constructor. apply Z.pow_nonneg. lia.
  - intros f F. rewrite mean_sum. cbn [messages nobody score_low score_weights weighed]. rewrite mean_ret, score_nil.
    apply Req_le. unfold unit. ring.
Qed.

Lemma sums_plus s s' us vs : sums s us -> sums s' vs -> sums (plus bits s s') (us ++ vs).
Proof.
  intros G G'. unfold sums. cbn [plus score_low score_weights].
  apply (under_lowered bits bits_nonneg _ _ (sum_law us) _ _ (sum_law vs));
    [exact G | exact G' | apply sum_positive |].
  intros f. rewrite !mean_sum, mean_messages_app. apply mean_ext. intros u. rewrite mean_sum. apply mean_ext.
  intros v.
  rewrite score_app. reflexivity.
Qed.

Lemma sums_kept s us : sums s us -> sums (kept s) us.
Proof.
  intros [N U]. unfold sums, kept. cbn [score_low score_weights]. set (last := (_ - _)%nat).
  set (l := score_weights s) in *.
  set (start := rare _ _). assert (N1 := firstn_nonneg last l N).
  split; [apply skipn_nonneg, N1 |]. intros f F. eapply Rle_trans; [| apply U, F].
  rewrite <- (firstn_skipn last l) at 2. rewrite weighed_app.
  assert (A := weighed_nonneg (score_low s + Z.of_nat (length (firstn last l))) (skipn last l) f (skipn_nonneg _ _ N)
    F).
  rewrite <- (firstn_skipn start (firstn last l)) at 2. rewrite weighed_app.
  assert (B := weighed_nonneg (score_low s) (firstn start (firstn last l)) f (firstn_nonneg _ _ N1) F).
  destruct (Nat.le_gt_cases start (length (firstn last l))) as [L | L].
  - rewrite (firstn_length_le _ L). fold l in A. lra.
  - rewrite (skipn_all2 (firstn last l)) by lia. cbn [weighed]. lra.
Qed.

Lemma sums_copies x s users :
  sums s [x] -> sums (copies_of bits s users) (repeat x (Pos.to_nat users)).
Proof.
  intros One. induction users as [k IH | k IH |]; cbn [copies_of]; [| | exact One].
  - replace (Pos.to_nat (xI k)) with (Pos.to_nat k + Pos.to_nat k + 1)%nat by lia.
    rewrite !repeat_app. apply sums_kept, sums_plus; [| exact One].
    apply sums_kept, sums_plus; exact IH.
  - replace (Pos.to_nat (xO k)) with (Pos.to_nat k + Pos.to_nat k)%nat by lia.
    rewrite repeat_app. apply sums_kept, sums_plus; exact IH.
Qed.

(** Users who are alike, so many of each. *)
Lemma sums_users held : forall law us, (forall sx, In sx held -> sums (fst (fst sx)) [snd (fst sx)]) -> sums law us ->
  sums (with_users bits (map (fun sx => (fst (fst sx), snd sx)) held) law)
    (us ++ flat_map (fun sx => repeat (snd (fst sx)) (Z.to_nat (snd sx))) held).
Proof.
  induction held as [| [[one x] c] held IH]; intros law us H G; cbn [map with_users flat_map fst snd].
  - rewrite app_nil_r. exact G.
  - assert (H' : forall sx, In sx held -> sums (fst (fst sx)) [snd (fst sx)]) by (intros sx I; apply H; right; exact I).
    destruct c as [| users | users]; cbn [Z.to_nat repeat app]; try (apply IH; assumption).
    rewrite app_assoc. apply IH; [exact H' |]. apply sums_kept, sums_plus; [exact G |].
    apply sums_copies, (H (one, x, Zpos users)). left. reflexivity.
Qed.

End users.

Section table.

Variables (bits : Z) (t : claims.table) (scores : list Z).
Hypothesis bits_nonneg : (0 <= bits)%Z.
Hypothesis rows_proper : forall x, proper (table_law t x).

Let R := table_law t.

Definition summed_law : list nat -> dist Z := sum_law R (sum_of scores).

Definition scored : scored_law -> list nat -> Prop := sums bits R (sum_of scores).

Lemma mean_summed us f : mean (summed_law us) f = mean (messages R us) (fun u => f (sum_of scores u)).
Proof. apply mean_dmap. Qed.

Lemma summed_positive us : positive_law (summed_law us).
Proof. apply sum_positive, rows_proper. Qed.

Lemma scored_nobody : scored (nobody bits) [].
Proof. apply sums_nobody. reflexivity. Qed.

Lemma scored_plus s s' us vs : scored s us -> scored s' vs -> scored (plus bits s s') (us ++ vs).
Proof. intros. apply sums_plus; try assumption. intros. apply sum_of_app. Qed.

Lemma scored_kept s us : scored s us -> scored (kept s) us.
Proof. apply sums_kept. Qed.

Lemma spread_below D f : (0 < D)%Z -> (forall z, 0 <= f z) -> forall count place l,
  Forall (fun kw => (0 <= snd kw)%Z) l ->
  all_nonneg (spread bits D count place l) /\
  IZR D * weighed place (spread bits D count place l) f <= IZR (2 ^ bits) * weighs IZR l f.
Proof.
  intros HD F. assert (B : (0 <= 2 ^ bits)%Z) by (apply Z.pow_nonneg; lia).
  assert (B' : 0 <= IZR (2 ^ bits)) by (apply IZR_le, B).
  assert (W : forall l, Forall (fun kw => (0 <= snd kw)%Z) l -> 0 <= weighs IZR l f).
  { intros l. induction 1 as [| [k w] l K _ IH]; [unfold weighs; simpl; lra |]. unfold weighs in *.
    cbn [total fst snd] in *.
    apply IZR_le in K. specialize (F k). nra. }
  induction count as [| count IH]; intros place l N; cbn [spread].
  - split; [constructor |]. cbn [weighed]. specialize (W l N). nra.
  - destruct l as [| [k w] l].
    + destruct (IH (place + 1)%Z [] (Forall_nil _)) as [I1 I2]. split; [constructor; [lia | exact I1] |].
      cbn [weighed]. lra.
    + destruct (Z.eqb_spec k place) as [-> | _].
      * inversion_clear N as [| ? ? K N']. cbn [snd] in K. destruct (IH (place + 1)%Z l N') as [I1 I2].
        split; [constructor; [apply Z.div_pos; [apply Z.mul_nonneg_nonneg; assumption | exact HD] | exact I1] |].
        cbn [weighed]. unfold weighs in *. cbn [total fst snd].
        assert (X := Z.mul_div_le (w * 2 ^ bits) D HD). apply IZR_le in X. rewrite !mult_IZR in X.
        specialize (F place). nra.
      * destruct (IH (place + 1)%Z ((k, w) :: l) N) as [I1 I2]. split; [constructor; [lia | exact I1] |].
        cbn [weighed]. lra.
Qed.

Lemma scored_one x : scored (one_user bits t scores x) [x].
Proof.
  unfold scored, sums, one_user. set (law := entry _ _ _). assert (L := table_listed t scores x : lists _ _ law _).
  assert (HD := denominator_positive t). destruct (forallb _ law) eqn:N.
  - cbn [score_low score_weights]. set (from := match law with [] => _ | _ :: _ => _ end). set (count := Z.to_nat _).
    assert (N' : Forall (fun kw : Z * Z => (0 <= snd kw)%Z) law).
    { apply Forall_forall. intros kw I. rewrite forallb_forall in N. apply Z.leb_le, N, I. }
    split; [apply (spread_below (denominator t) (fun _ => 0) HD ltac:(intros; lra) count from law N') |].
    intros f F. destruct (spread_below (denominator t) f HD F count from law N') as [_ S]. rewrite (L f) in S.
    rewrite mean_summed, mean_messages_first. unfold R.
    rewrite (mean_ext (table_law t x) _ (fun u => f (sum_of scores u)))
      by (intros u; cbn [messages]; rewrite mean_ret, app_nil_r; reflexivity).
    apply IZR_lt in HD. apply Rmult_le_reg_l with (IZR (denominator t)); [exact HD |]. unfold unit. lra.
  - cbn [score_low score_weights]. split; [constructor |]. intros f F. cbn [weighed].
    apply Rmult_le_pos; [apply IZR_le, Z.pow_nonneg; lia | apply summed_positive, F].
Qed.

Lemma scored_copies x s users : scored s [x] -> scored (copies_of bits s users) (repeat x (Pos.to_nat users)).
Proof. intros. apply sums_copies; try assumption. intros. apply sum_of_app. Qed.

Lemma scored_others counts : forall x law us,
  scored law us -> scored (with_others bits t scores x counts law) (us ++ data_set_from x counts).
Proof.
  induction counts as [| c counts IH]; intros x law us G; cbn [with_others data_set_from].
  - rewrite app_nil_r. exact G.
  - destruct c as [| users | users]; cbn [Z.to_nat repeat app]; try (apply IH, G).
    rewrite app_assoc. apply IH, scored_kept, scored_plus; [exact G | apply scored_copies, scored_one].
Qed.

End table.
