(** A grid of independent draws of messages may be read by rows or by columns.

    Let every pair of a user x and a bin j have a randomizer K x j, run independently of the others. To
    an analyzer that does not look at the order of the messages, it is the same whether the users come
    one after the other, each with all bins, or the bins one after the other, each with all users. Users
    and bins may be of any type, and may stand in their lists more than once; no weight has to be proper.

    Source: this package (for histogram-bin-is-zsum). *)

From Coq Require Import Reals List Lra Permutation.
From Exactdp Require Import reals sums laws privacy adding_a_user.
Import ListNotations.
Open Scope R_scope.

(** Randomizers of the same law give messages of the same law. *)
Lemma messages_same_law {J M} (K L : J -> dist (list M)) js :
  (forall j, In j js -> same_law (K j) (L j)) -> same_law (messages K js) (messages L js).
Proof.
  induction js as [| j js IH]; intros H f; [reflexivity |].
  rewrite !mean_messages_first. rewrite (H j (or_introl eq_refl)). apply mean_ext. intros mine.
  apply IH. intros i Hi. apply H. right. exact Hi.
Qed.

(** A function that is [orderless] does not see how four lists are put together. *)
Lemma orderless_four {M V} (f : list M -> V) a b c d :
  orderless f -> f ((a ++ b) ++ c ++ d) = f ((a ++ c) ++ b ++ d).
Proof.
  intros S. apply S. rewrite <- !app_assoc. apply Permutation_app_head.
  rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.

Lemma mean_convolution_app {M} (P N : dist (list M)) f :
  mean (convolution (@app M) P N) f = mean P (fun a => mean N (fun b => f (a ++ b))).
Proof.
  unfold convolution. rewrite mean_bind. apply mean_ext. intros a. apply (mean_dmap (app a) N f).
Qed.

(** Two randomizers in each bin: all first ones may be run before all second ones. *)
Lemma messages_convolution {J M} (A B : J -> dist (list M)) js :
  forall f : list M -> R, orderless f ->
  mean (messages (fun j => convolution (@app M) (A j) (B j)) js) f =
  mean (messages A js) (fun a => mean (messages B js) (fun b => f (a ++ b))).
Proof.
  induction js as [| j js IH]; intros f S.
  - simpl. rewrite !mean_ret. reflexivity.
  - rewrite mean_messages_first, mean_convolution_app, mean_messages_first.
    apply mean_ext. intros a.
    rewrite (mean_ext (B j) _ (fun b => mean (messages A js) (fun c =>
      mean (messages B js) (fun d => f ((a ++ b) ++ c ++ d))))).
    2: { intros b. apply (IH (fun others => f ((a ++ b) ++ others)) (orderless_app f (a ++ b) S)). }
    rewrite mean_swap. apply mean_ext. intros c. rewrite mean_messages_first.
    apply mean_ext. intros b. apply mean_ext. intros d. apply orderless_four, S.
Qed.

Lemma messages_silent {J M} (js : list J) f :
  mean (messages (fun _ => ret (@nil M)) js) f = f [].
Proof.
  induction js as [| j js IH]; [apply mean_ret |].
  rewrite mean_messages_first, mean_ret. exact IH.
Qed.

Lemma grid_order {X J M} (K : X -> J -> dist (list M)) xs js :
  forall f : list M -> R, orderless f ->
  mean (messages (fun x => messages (K x) js) xs) f =
  mean (messages (fun j => messages (fun x => K x j) xs) js) f.
Proof.
  induction xs as [| x xs IH]; intros f S.
  - simpl. rewrite messages_silent. apply mean_ret.
  - rewrite mean_messages_first.
    transitivity (mean (messages (K x) js) (fun mine =>
      mean (messages (fun j => messages (fun x => K x j) xs) js) (fun others => f (mine ++ others)))).
    + apply mean_ext. intros mine. apply IH, orderless_app, S.
    + symmetry. apply (messages_convolution (K x) (fun j => messages (fun x => K x j) xs) js f S).
Qed.
