(** The increasing convex order of finite laws of real numbers, and what keeps it.

    [stop_loss L t] is E[max(0, L - t)]. L is at most K in the increasing convex order, [increasing_convex L K], if
    stop_loss L t <= stop_loss K t for every real t. Proved, for finite laws of real numbers without negative weights,
    for every number n of copies (0 included):

    - [mean_excess_increasing]: sums of n independent copies keep the order, so L_1 + ... + L_n exceeds 0 by no more in
      the mean than K_1 + ... + K_n;
    - [mean_preserving_spread]: if every value v of L is replaced by a draw from a law K(v) of mean at least v, the
      law rises in the order; so does the mean excess of n copies;
    - [mean_excess_of_merged]: if the values of a law are replaced by their mean inside classes, the mean excess falls.

    Idea: given all other summands, the sum is one summand beyond a level t; and max(0, v - t) is convex and increasing.
    Source: this package; the order is that of Shaked and Shanthikumar, Stochastic Orders (2007), chapter 4. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws hockey_stick independence mean_excess hidden_message.
Import ListNotations.
Open Scope R_scope.

Definition stop_loss (L : dist R) (t : R) : R := mean L (fun v => Rmax 0 (v - t)).

Definition increasing_convex (L K : dist R) : Prop := forall t, stop_loss L t <= stop_loss K t.

Definition added (values : list R) : R := total values (fun v => v).

(** ** What is immediate *)

Lemma increasing_convex_refl L : increasing_convex L L.
Proof. intros t. apply Rle_refl. Qed.

Lemma increasing_convex_trans L K J : increasing_convex L K -> increasing_convex K J -> increasing_convex L J.
Proof. intros H1 H2 t. eapply Rle_trans; [apply H1 | apply H2]. Qed.

Lemma excess_of_sum a (rest : list R) t : Rmax 0 (added (a :: rest) - t) = Rmax 0 (a - (t - added rest)).
Proof. f_equal. unfold added. simpl. ring. Qed.

(** ** Sums of independent copies *)

Lemma copies_increasing n L K t :
  sub_law L -> sub_law K -> increasing_convex L K ->
  mean (copies L n) (fun vs => Rmax 0 (added vs - t)) <= mean (copies K n) (fun vs => Rmax 0 (added vs - t)).
Proof.
  intros HL HK H. revert t. induction n as [| n IH]; intros t; [apply Rle_refl |]. rewrite !mean_copies_first.
  apply Rle_trans with (mean L (fun a => mean (copies K n) (fun rest => Rmax 0 (added (a :: rest) - t)))).
  - apply mean_le_sub_law; [exact HL |]. intros a. specialize (IH (t - a)).
    rewrite (mean_ext (copies L n) _ (fun rest => Rmax 0 (added rest - (t - a)))),
      (mean_ext (copies K n) _ (fun rest => Rmax 0 (added rest - (t - a)))); [exact IH | |];
      intros rest; f_equal; unfold added; simpl; ring.
  - rewrite (mean_swap L), (mean_swap K). apply mean_le_sub_law; [apply sub_law_copies, HK |]. intros rest.
    rewrite (mean_ext L _ (fun a => Rmax 0 (a - (t - added rest)))),
      (mean_ext K _ (fun a => Rmax 0 (a - (t - added rest)))) by (intros; apply excess_of_sum). apply H.
Qed.

Lemma mean_excess_as_sum n L : mean_excess n L = mean (copies L n) (fun vs => Rmax 0 (added vs - 0)) / INR n.
Proof. unfold mean_excess. f_equal. apply mean_ext. intros vs. unfold added. rewrite Rminus_0_r. reflexivity. Qed.

Lemma inverse_INR_nonneg n : 0 <= / INR n.
Proof. destruct n as [| n]; [simpl; rewrite Rinv_0; lra | left; apply Rinv_0_lt_compat, lt_0_INR; lia]. Qed.

Theorem mean_excess_increasing n L K :
  sub_law L -> sub_law K -> increasing_convex L K -> mean_excess n L <= mean_excess n K.
Proof.
  intros HL HK H. rewrite !mean_excess_as_sum. apply Rmult_le_compat_r; [apply inverse_INR_nonneg |].
  apply copies_increasing; assumption.
Qed.

(** ** Spreads *)

Lemma jensen (K : dist R) v t : proper K -> v <= mean K (fun w => w) -> Rmax 0 (v - t) <= stop_loss K t.
Proof.
  intros HK H. unfold stop_loss. apply Rmax_lub.
  - apply mean_nonneg; [exact HK |]. intros. apply Rmax_l.
  - apply Rle_trans with (mean K (fun w => w - t)); [rewrite mean_minus, mean_const by exact HK; lra |].
    apply mean_le; [exact HK |]. intros. apply Rmax_r.
Qed.

Theorem mean_preserving_spread (L : dist R) (K : R -> dist R) :
  sub_law L -> (forall v, proper (K v)) -> (forall v, v <= mean (K v) (fun w => w)) ->
  increasing_convex L (bind L K).
Proof.
  intros HL HK H t. unfold stop_loss at 2. rewrite mean_bind. apply mean_le_sub_law; [exact HL |].
  intros v. apply jensen; [apply HK | apply H].
Qed.

Lemma sub_law_bind {A B} (L : dist A) (K : A -> dist B) : sub_law L -> (forall a, proper (K a)) -> sub_law (bind L K).
Proof.
  intros HL HK wa I. unfold bind in I. apply in_flat_map in I. destruct I as [va [I J]].
  apply in_map_iff in J. destruct J as [vb [<- J]]. apply Rmult_le_pos; [apply HL, I | apply (HK (snd va)), J].
Qed.

Theorem mean_excess_of_spread n (L : dist R) (K : R -> dist R) :
  sub_law L -> (forall v, proper (K v)) -> (forall v, v <= mean (K v) (fun w => w)) ->
  mean_excess n L <= mean_excess n (bind L K).
Proof.
  intros HL HK H. apply mean_excess_increasing; [exact HL | apply sub_law_bind; assumption |].
  apply mean_preserving_spread; assumption.
Qed.

(** Classes c, drawn with a law of their own, with values drawn from V(c): their means have the smaller mean excess. *)
Theorem mean_excess_of_merged {C} n (classes : dist C) (V : C -> dist R) :
  sub_law classes -> (forall c, proper (V c)) ->
  mean_excess n (dmap (fun c => mean (V c) (fun v => v)) classes) <= mean_excess n (bind classes V).
Proof.
  intros H HV. apply mean_excess_increasing.
  - apply sub_law_bind; [exact H |]. intros. apply proper_ret.
  - apply sub_law_bind; assumption.
  - intros t. unfold stop_loss. rewrite mean_dmap, mean_bind. apply mean_le_sub_law; [exact H |]. intros c.
    apply jensen; [apply HV | apply Rle_refl].
Qed.
