(** Finite laws: what a randomized algorithm with finitely many outcomes computes.

    A law is a list of outcomes with weights; an outcome may stand in it more than once. [mean d f] is
    the expectation of [f], [Pr d T] the probability of the event [T]. Algorithms are written with
    [ret] (no randomness), [bind] (go on with what was drawn) and [coin p] (true with probability
    [p]), so that what a theorem says about a protocol is about the protocol as a program. *)

From Coq Require Import Reals List Lra.
From Exactdp Require Import sums.
Import ListNotations.
Open Scope R_scope.

Definition dist (A : Type) : Type := list (R * A).

Definition mean {A} (d : dist A) (f : A -> R) : R := total d (fun wa => fst wa * f (snd wa)).

Definition indicator {A} (T : A -> bool) (a : A) : R := if T a then 1 else 0.

Definition Pr {A} (d : dist A) (T : A -> bool) : R := mean d (indicator T).

(** No weight is negative, and they add up to 1. *)
Definition proper {A} (d : dist A) : Prop :=
  (forall wa, In wa d -> 0 <= fst wa) /\ mean d (fun _ => 1) = 1.

Definition ret {A} (a : A) : dist A := [(1, a)].

Definition bind {A B} (d : dist A) (next : A -> dist B) : dist B :=
  flat_map (fun wa => map (fun vb => (fst wa * fst vb, snd vb)) (next (snd wa))) d.

Definition dmap {A B} (h : A -> B) (d : dist A) : dist B := bind d (fun a => ret (h a)).

Definition coin (p : R) : dist bool := [(p, true); (1 - p, false)].

(** Two laws are the same if they have the same expectations. *)
Definition same_law {A} (d e : dist A) : Prop := forall f, mean d f = mean e f.

(** ** Means *)

Lemma mean_ext {A} (d : dist A) f g : (forall a, f a = g a) -> mean d f = mean d g.
Proof. intros H. apply total_ext. intros a _. rewrite H. reflexivity. Qed.

Lemma mean_ret {A} (a : A) f : mean (ret a) f = f a.
Proof. unfold mean, ret. simpl. ring. Qed.

Theorem mean_bind {A B} (d : dist A) (next : A -> dist B) f :
  mean (bind d next) f = mean d (fun a => mean (next a) f).
Proof.
  unfold mean, bind. rewrite total_flat_map. apply total_ext. intros wa _.
  rewrite total_map, <- total_scal. apply total_ext. intros vb _. simpl. ring.
Qed.

Lemma mean_dmap {A B} (h : A -> B) (d : dist A) f : mean (dmap h d) f = mean d (fun a => f (h a)).
Proof. unfold dmap. rewrite mean_bind. apply mean_ext. intros a. apply mean_ret. Qed.

Lemma mean_coin p f : mean (coin p) f = p * f true + (1 - p) * f false.
Proof. unfold mean, coin. simpl. ring. Qed.

Lemma mean_plus {A} (d : dist A) f g : mean d (fun a => f a + g a) = mean d f + mean d g.
Proof. unfold mean. rewrite <- total_plus. apply total_ext. intros. ring. Qed.

Lemma mean_minus {A} (d : dist A) f g : mean d (fun a => f a - g a) = mean d f - mean d g.
Proof. unfold mean. rewrite <- total_minus. apply total_ext. intros. ring. Qed.

Lemma mean_scal {A} (d : dist A) c f : mean d (fun a => c * f a) = c * mean d f.
Proof. unfold mean. rewrite <- total_scal. apply total_ext. intros. ring. Qed.

Lemma mean_const {A} (d : dist A) c : proper d -> mean d (fun _ => c) = c.
Proof.
  intros [_ H]. rewrite (mean_ext d _ (fun _ => c * 1)) by (intros; ring).
  rewrite mean_scal, H. ring.
Qed.

Lemma mean_le {A} (d : dist A) f g :
  proper d -> (forall a, f a <= g a) -> mean d f <= mean d g.
Proof.
  intros [H _] L. apply total_le. intros wa I. apply Rmult_le_compat_l; [apply H, I | apply L].
Qed.

Lemma mean_nonneg {A} (d : dist A) f : proper d -> (forall a, 0 <= f a) -> 0 <= mean d f.
Proof.
  intros H L. rewrite <- (mean_const d 0 H). apply mean_le; assumption.
Qed.

Lemma mean_swap {A B} (d : dist A) (e : dist B) f :
  mean d (fun a => mean e (fun b => f a b)) = mean e (fun b => mean d (fun a => f a b)).
Proof.
  unfold mean.
  rewrite (total_ext d _ (fun wa => total e (fun vb => fst wa * fst vb * f (snd wa) (snd vb)))).
  2: { intros wa _. rewrite <- total_scal. apply total_ext. intros. ring. }
  rewrite total_swap. apply total_ext. intros vb _. rewrite <- total_scal. apply total_ext.
  intros wa _. ring.
Qed.

(** ** Proper laws *)

Lemma proper_ret {A} (a : A) : proper (ret a).
Proof.
  split; [| rewrite mean_ret; reflexivity].
  intros wa [<- | []]. simpl. lra.
Qed.

Lemma proper_coin p : 0 <= p <= 1 -> proper (coin p).
Proof.
  intros H. split; [| rewrite mean_coin; ring].
  intros wa [<- | [<- | []]]; simpl; lra.
Qed.

Lemma proper_bind {A B} (d : dist A) (next : A -> dist B) :
  proper d -> (forall a, proper (next a)) -> proper (bind d next).
Proof.
  intros Hd Hn. split.
  - intros wa I. unfold bind in I. apply in_flat_map in I. destruct I as [va [I J]].
    apply in_map_iff in J. destruct J as [vb [<- J]]. simpl.
    apply Rmult_le_pos; [apply (proj1 Hd), I | apply (proj1 (Hn (snd va))), J].
  - rewrite mean_bind. rewrite (mean_ext d _ (fun _ => 1)) by (intros a; apply (proj2 (Hn a))).
    apply (proj2 Hd).
Qed.

Lemma proper_dmap {A B} (h : A -> B) (d : dist A) : proper d -> proper (dmap h d).
Proof. intros H. apply proper_bind; [exact H | intros; apply proper_ret]. Qed.

(** ** Probabilities *)

Lemma Pr_ext {A} (d : dist A) S T : (forall a, S a = T a) -> Pr d S = Pr d T.
Proof. intros H. apply mean_ext. intros a. unfold indicator. rewrite H. reflexivity. Qed.

Lemma Pr_ret {A} (a : A) T : Pr (ret a) T = indicator T a.
Proof. apply mean_ret. Qed.

Lemma Pr_bind {A B} (d : dist A) (next : A -> dist B) T :
  Pr (bind d next) T = mean d (fun a => Pr (next a) T).
Proof. apply mean_bind. Qed.

Lemma Pr_dmap {A B} (h : A -> B) (d : dist A) T : Pr (dmap h d) T = Pr d (fun a => T (h a)).
Proof. unfold Pr. rewrite mean_dmap. reflexivity. Qed.

Lemma Pr_coin p T : Pr (coin p) T = p * indicator T true + (1 - p) * indicator T false.
Proof. apply mean_coin. Qed.

Lemma Pr_all {A} (d : dist A) : proper d -> Pr d (fun _ => true) = 1.
Proof. intros H. apply mean_const, H. Qed.

Lemma Pr_le {A} (d : dist A) S T :
  proper d -> (forall a, S a = true -> T a = true) -> Pr d S <= Pr d T.
Proof.
  intros H L. apply mean_le; [exact H |]. intros a. unfold indicator. specialize (L a).
  destruct (S a); [rewrite (L eq_refl) | destruct (T a)]; lra.
Qed.

Lemma Pr_bounds {A} (d : dist A) T : proper d -> 0 <= Pr d T <= 1.
Proof.
  intros H. split.
  - apply mean_nonneg; [exact H |]. intros a. unfold indicator. destruct (T a); lra.
  - rewrite <- (Pr_all d H). apply Pr_le; auto.
Qed.

(** The union bound. *)
Theorem Pr_or {A} (d : dist A) S T : proper d -> Pr d (fun a => S a || T a)%bool <= Pr d S + Pr d T.
Proof.
  intros H. unfold Pr. rewrite <- mean_plus. apply mean_le; [exact H |]. intros a.
  unfold indicator. destruct (S a), (T a); simpl; lra.
Qed.

(** Markov's inequality. *)
Theorem markov {A} (d : dist A) (f : A -> R) T t :
  proper d -> (forall a, 0 <= f a) -> 0 < t -> (forall a, T a = true -> t <= f a) ->
  Pr d T <= mean d f / t.
Proof.
  intros H P Ht L. apply Rmult_le_reg_l with t; [exact Ht |].
  replace (t * (mean d f / t)) with (mean d f) by (field; lra).
  unfold Pr. rewrite <- mean_scal. apply mean_le; [exact H |]. intros a. specialize (L a).
  specialize (P a). unfold indicator. destruct (T a); [specialize (L eq_refl) |]; lra.
Qed.
