(** The pair of the variation-ratio reduction, for any chance of a telling message: its delta is a mean excess, exactly.

    The user who differs sends 0 with probability p w and 1 with probability w, his neighbour the other way round, each
    of the n - 1 others 0 or 1 with probability w each; else all send a message that does not tell ([telling_messages]).
    For n >= 1, 0 < w < 1/2, and real p, E and delta, the shuffled messages are (E, delta)-indistinguishable in both
    orders if and only if the mean excess of n users whose values are p - E and 1 - p E, with probability w each, and
    else v = (1 - E)(1 - p w - w)/(1 - 2 w), is at most delta ([pair_dp_iff]). The published pair of k-ary randomized
    response is the one with w = 1/(p + k - 1) ([reduced_pair_iff]).

    Idea: what a message weighs under P and Q against the others' law makes it a label (label_divergence.v). Source:
    this package. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import sums laws privacy adding_a_user mean_excess hidden_message classes single_message.
From Exactdp Require Import label_reduction label_divergence variation_ratio.
Import ListNotations.
Open Scope R_scope.

(** The messages, None being the one that does not tell: of the user who differs, of his neighbour, of each other
  user. *)
Definition telling_messages (w p : R) (r : role) : dist (option bool) :=
  match r with
  | differs => [(p * w, Some false); (w, Some true); (1 - p * w - w, None)]
  | neighbour => [(w, Some false); (p * w, Some true); (1 - p * w - w, None)]
  | bystander => [(w, Some false); (w, Some true); (1 - w - w, None)]
  end.

(** The shuffled messages of n users are (E, delta)-indistinguishable. *)
Definition pair_dp (n : nat) (w p E delta : R) : Prop :=
  let view r := messages (one_message (telling_messages w p)) (r :: repeat bystander (n - 1)) in
  forall T, symmetric T ->
  Pr (view differs) T <= E * Pr (view neighbour) T + delta /\
  Pr (view neighbour) T <= E * Pr (view differs) T + delta.

Section Pair.

Context (n : nat) (w p E delta v : R).
Hypothesis some : (1 <= n)%nat.
Hypothesis w_inside : 0 < w /\ 2 * w < 1.
Hypothesis v_is : v * (1 - 2 * w) = (1 - E) * (1 - p * w - w).

Let R := telling_messages w p.

Lemma law_of_messages r : mean (R r) (fun _ => 1) = 1 /\ forall f, mean (R r) f =
  match r with differs => p * w | _ => w end * f (Some false) + match r with neighbour => p * w | _ => w end * f
    (Some true) +
  match r with bystander => 1 - 2 * w | _ => 1 - p * w - w end * f None.
Proof. destruct r; (split; [| intros f]); unfold mean, R; simpl; ring. Qed.

Let blank := (1 - p * w - w) / (1 - 2 * w).

Definition weight_of (r : role) (a : option bool) : Rdefinitions.R :=
  match r, a with
  | differs, Some false => p
  | neighbour, Some true => p
  | _, Some _ => 1
  | _, None => blank
  end.

Lemma messages_weighed r : r <> bystander -> same_law (R r) (tilted (R bystander) (weight_of r)).
Proof.
  intros N f. rewrite mean_tilted, !(proj2 (law_of_messages _)).
  assert (B : (1 - 2 * w) * blank = 1 - p * w - w) by (unfold blank; field; lra).
  destruct r; [| | congruence]; cbn [weight_of]; rewrite <- B; ring.
Qed.

(** Messages as labels: with x in the place of the user who differs, and y of his neighbour. *)
Definition of_label (x y r : role) : role := match r with differs => x | neighbour => y | bystander => bystander end.

Lemma messages_as_labels x y l f :
  mean (messages (one_message (labels (R x) (R y) (R bystander))) l) f =
  mean (messages (one_message R) (map (of_label x y) l)) (fun u => f (map Some u)).
Proof.
  assert (One : forall r g, mean (labels (R x) (R y) (R bystander) r) g = mean (R (of_label x y r)) (fun a => g (Some
    a))).
  { intros [] g; cbn [labels of_label]; try apply mean_dmap.
    change (mean ([(1 - mean (R bystander) (fun _ => 1), None)] ++ dmap Some (R bystander)) g = mean (R bystander)
      (fun a => g (Some a))).
    rewrite mean_app, mean_dmap, (proj1 (law_of_messages bystander)). unfold mean at 1. simpl. ring. }
  revert f. induction l as [| r l IH]; intros f; [simpl; rewrite !mean_ret; reflexivity |].
  cbn [map]. rewrite !mean_messages_first. unfold one_message at 1 3. rewrite !mean_dmap, One. apply mean_ext. intros
    a.
  apply (IH (fun u => f (Some a :: u))).
Qed.

Definition values_of_pair : dist Rdefinitions.R := [(w, p - E); (w, 1 - p * E); (1 - 2 * w, v)].

(** One order. *)
Lemma labels_of_pair x y : x <> bystander -> y <> bystander -> x <> y ->
  labels_below n (R x) (R y) (R bystander) E delta <-> mean_excess n values_of_pair <= delta.
Proof.
  intros Hx Hy Hxy.
  assert (C : sub_law (R bystander) /\ mean (R bystander) (fun _ => 1) <= 1).
  { split; [intros wa [<- | [<- | [<- | []]]]; simpl; lra | rewrite (proj1 (law_of_messages bystander)); lra]. }
  rewrite (label_divergence _ _ _ (weight_of x) (weight_of y) E C (messages_weighed x Hx) (messages_weighed y Hy) n
    delta some).
  rewrite (mean_excess_same_law n _ values_of_pair); [reflexivity |].
  assert (V : v = blank - E * blank).
  { apply Rmult_eq_reg_r with (1 - 2 * w); [| lra]. rewrite v_is. unfold blank. field. lra. }
  intros f. rewrite mean_label_values, (proj1 (law_of_messages bystander)), (proj2 (law_of_messages bystander)).
  unfold values_of_pair, mean. simpl total. rewrite V.
  destruct x, y; try congruence; cbn [weight_of]; replace (p - E * 1) with (p - E) by ring;
    replace (E * p) with (p * E) by ring; ring.
Qed.

Lemma labels_are_messages x y : x <> bystander -> y <> bystander ->
  labels_below n (R x) (R y) (R bystander) E delta <->
  shuffle_below (one_message R) (x :: repeat bystander (n - 1)) (y :: repeat bystander (n - 1)) E delta.
Proof.
  intros Hx Hy. assert (Others : map (of_label x y) (repeat bystander (n - 1)) = repeat bystander (n - 1)) by apply
    map_of_repeat.
  assert (Pr_of : forall r T, Pr (messages (one_message (labels (R x) (R y) (R bystander))) (r :: repeat bystander (n
    - 1))) T =
    Pr (messages (one_message R) (of_label x y r :: repeat bystander (n - 1))) (fun u => T (map Some u))).
  { intros r T. unfold Pr. rewrite messages_as_labels. cbn [map]. rewrite Others. reflexivity. }
  split; intros H T S.
  - set (bare := flat_map (fun a : option (option bool) => match a with Some m => [m] | None => [] end)).
    assert (Bare : forall u, bare (map Some u) = u) by (induction u as [| m u IH]; [reflexivity | cbn; f_equal; exact
      IH]).
    assert (S' : symmetric (fun u => T (bare u))).
    { intros u u' P. apply S. unfold bare. apply Permutation_flat_map, P. }
    specialize (H _ S'). rewrite !Pr_of in H. cbn [of_label] in H. unfold Pr in H |- *.
    rewrite !(mean_ext _ (indicator (fun u => T (bare (map Some u)))) (indicator T)) in H
      by (intros u; unfold indicator; rewrite Bare; reflexivity). exact H.
  - rewrite !Pr_of. cbn [of_label]. apply H. intros u u' P. apply S, Permutation_map, P.
Qed.

Theorem pair_dp_iff : pair_dp n w p E delta <-> mean_excess n values_of_pair <= delta.
Proof.
  assert (D : differs <> bystander) by discriminate. assert (N : neighbour <> bystander) by discriminate. split.
  - intros H. apply (labels_of_pair differs neighbour); try assumption; try discriminate.
    apply labels_are_messages; try assumption. intros T S. apply H, S.
  - intros M T S. split.
    + apply (labels_are_messages differs neighbour D N); [| exact S]. apply labels_of_pair; assumption ||
      discriminate.
    + apply (labels_are_messages neighbour differs N D); [| exact S]. apply labels_of_pair; assumption ||
      discriminate.
Qed.

End Pair.

(** k-ary randomized response. *)
Theorem reduced_pair_iff n k p E delta : reduced_dp n k p E delta <-> pair_dp n (/ (p + INR k - 1)) p E delta.
Proof.
  assert (Sent : forall l, messages (one_message (reduced k p)) l = messages (one_message (telling_messages (/ (p +
    INR k - 1)) p)) l).
  { assert (Same : forall r, reduced k p r = telling_messages (/ (p + INR k - 1)) p r) by (intros []; reflexivity).
    induction l as [| r l IH]; [reflexivity |]. simpl. rewrite IH. unfold one_message at 1 3. rewrite Same.
      reflexivity. }
  unfold reduced_dp, pair_dp. split; intros H T S; specialize (H T S); [rewrite <- !Sent | rewrite !Sent]; exact H.
Qed.
