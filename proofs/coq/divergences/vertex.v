(** A vertex outcome arises in one way, at every number of users.

    An outcome v of one user is a list of messages, compared up to their order. Let each message have a
    real weight such that v has a larger summed weight than every other outcome of positive probability of
    the rows of x, y and z. Then with n users, of whom one holds x and all others z, the outcome "n times
    v" has exactly the probability R_x(v) R_z(v)^(n-1) ([vertex_outcome] says it for any users). So if
    R_x(v) = E R_y(v), R_y(v) > 0 and R_z(v) > 0, then for every n >= 1 the two data sets "one x, all
    others z" and "one y, all others z" are (E', 0)-below each other for no E' < E
    ([vertex_forbids_smaller]), and the shuffled protocol is (eps', 0)-DP for no eps' with e^eps' < E,
    however many users there are ([vertex_not_private]). E of either sign; x, y, z need not differ.

    Idea: n v is reached only if every user shows v, because the summed weight of all is smaller
    otherwise. Source: docs/certificates.md.

    The function check_vertex of exactdp/checker/privacy.py rests on it. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user.
Import ListNotations.
Open Scope R_scope.

(** The messages are those of v, in some order. *)
Definition is_outcome {M} (v u : list M) : bool := if decide (Permutation u v) then true else false.

Lemma is_outcome_true {M} (v u : list M) : is_outcome v u = true <-> Permutation u v.
Proof. unfold is_outcome. destruct (decide _); split; intros; congruence || easy. Qed.

Lemma is_outcome_symmetric {M} (v : list M) : symmetric (is_outcome v).
Proof.
  intros u u' P. unfold is_outcome.
  destruct (decide _) as [Y | N], (decide _) as [Y' | N']; try reflexivity; exfalso.
  - apply N'. rewrite <- P. exact Y.
  - apply N. rewrite P. exact Y'.
Qed.

(** n times v. *)
Fixpoint times {M} (n : nat) (v : list M) : list M :=
  match n with
  | O => []
  | S m => v ++ times m v
  end.

(** The summed weight is largest at v, and only there, among the outcomes with a probability. *)
Definition vertex {M} (weight : M -> R) (v : list M) (P : dist (list M)) : Prop :=
  forall wu, In wu P -> fst wu <> 0 ->
  Permutation (snd wu) v \/ total (snd wu) weight < total v weight.

Lemma vertex_weight {M} (weight : M -> R) v (P : dist (list M)) wu :
  vertex weight v P -> In wu P -> fst wu <> 0 -> total (snd wu) weight <= total v weight.
Proof.
  intros H I N. destruct (H wu I N) as [E | L]; [| lra]. apply Req_le, total_permutation, E.
Qed.

(** A mean only looks at what has a probability. *)
Lemma mean_ext_support {A} (d : dist A) f g :
  (forall wa, In wa d -> fst wa <> 0 -> f (snd wa) = g (snd wa)) -> mean d f = mean d g.
Proof.
  intros H. apply total_ext. intros wa I. destruct (Req_EM_T (fst wa) 0) as [-> | N]; [ring |].
  rewrite (H wa I N). reflexivity.
Qed.

Section users.

Context {X M : Type} (R : X -> dist (list M)) (weight : M -> Rdefinitions.R) (v : list M).

Lemma messages_weight xs wu :
  (forall x, In x xs -> vertex weight v (R x)) -> In wu (messages R xs) -> fst wu <> 0 ->
  total (snd wu) weight <= INR (length xs) * total v weight.
Proof.
  revert wu. induction xs as [| x xs IH]; intros wu H I N.
  - destruct I as [<- | []]. simpl. lra.
  - simpl in I. unfold bind in I. apply in_flat_map in I. destruct I as [[a mine] [Ix I]].
    apply in_map_iff in I. destruct I as [[c u] [<- I]]. apply in_flat_map in I.
    destruct I as [[b others] [Io [E | []]]]. injection E as E1 E2. simpl in *. subst c u.
    rewrite total_app.
    assert (A : total mine weight <= total v weight).
    { apply (vertex_weight weight v (R x) (a, mine)); [apply H; auto | exact Ix |].
      intros Z. apply N. simpl in Z. rewrite Z. ring. }
    assert (B : total others weight <= INR (length xs) * total v weight).
    { apply (IH (b, others)); [intros y Iy; apply H; auto | exact Io |].
      intros Z. apply N. simpl in Z. rewrite Z. ring. }
    change (total mine weight + total others weight <= INR (S (length xs)) * total v weight).
    rewrite S_INR. lra.
Qed.

(** All users together show n times v exactly if each of them shows v. *)
Lemma one_user_more x xs :
  vertex weight v (R x) -> (forall y, In y xs -> vertex weight v (R y)) ->
  Pr (messages R (x :: xs)) (is_outcome (times (S (length xs)) v)) =
  Pr (R x) (is_outcome v) * Pr (messages R xs) (is_outcome (times (length xs) v)).
Proof.
  intros Hx H. unfold Pr. rewrite mean_messages_first.
  rewrite (mean_ext_support (R x) _ (fun mine =>
    mean (messages R xs) (indicator (is_outcome (times (length xs) v))) * indicator (is_outcome v) mine)).
  - rewrite mean_scal. ring.
  - intros [a mine] Ix Na. simpl. unfold indicator at 3. destruct (is_outcome v mine) eqn:Mine.
    + rewrite Rmult_1_r. apply mean_ext. intros others. unfold indicator.
      replace (is_outcome (v ++ times (length xs) v) (mine ++ others))
        with (is_outcome (times (length xs) v) others); [reflexivity |].
      apply is_outcome_true in Mine. apply Bool.eq_true_iff_eq. rewrite !is_outcome_true. split; intros P.
      * apply Permutation_app; assumption.
      * apply (Permutation_app_inv_l v). rewrite <- Mine at 1. exact P.
    + rewrite Rmult_0_r. rewrite (mean_ext_support _ _ (fun _ => 0)).
      * unfold mean. rewrite (total_ext _ _ (fun _ => 0)), total_zero; [reflexivity |]. intros. ring.
      * intros [b others] Io Nb. unfold indicator. cbn [snd].
        destruct (is_outcome (v ++ times (length xs) v) (mine ++ others)) eqn:Both; [| reflexivity].
        exfalso. apply is_outcome_true in Both.
        assert (W := total_permutation _ _ weight Both). rewrite !total_app in W.
        assert (V : total (times (length xs) v) weight = INR (length xs) * total v weight).
        { generalize (length xs). intros n. induction n as [| n IHn]; [simpl; lra |].
          simpl times. rewrite total_app, IHn, S_INR. ring. }
        assert (B := messages_weight xs (b, others) H Io Nb). simpl in B.
        destruct (Hx (a, mine) Ix Na) as [P | L]; simpl in *; [| lra].
        apply is_outcome_true in P. congruence.
Qed.

Theorem vertex_outcome xs :
  (forall x, In x xs -> vertex weight v (R x)) ->
  Pr (messages R xs) (is_outcome (times (length xs) v)) =
  fold_right (fun x => Rmult (Pr (R x) (is_outcome v))) 1 xs.
Proof.
  induction xs as [| x xs IH]; intros H.
  - simpl. rewrite Pr_ret. unfold indicator.
    replace (is_outcome [] []) with true; [reflexivity |]. symmetry. apply is_outcome_true. constructor.
  - change (length (x :: xs)) with (S (length xs)).
    rewrite one_user_more; [| apply H; left; reflexivity | intros y I; apply H; right; exact I].
    simpl. rewrite IH; [reflexivity |]. intros y I. apply H. right. exact I.
Qed.

Variables x y z : X.
Hypothesis vertex_x : vertex weight v (R x).
Hypothesis vertex_y : vertex weight v (R y).
Hypothesis vertex_z : vertex weight v (R z).

Lemma others_power m :
  fold_right (fun u => Rmult (Pr (R u) (is_outcome v))) 1 (repeat z m) = Pr (R z) (is_outcome v) ^ m.
Proof. induction m as [| m IH]; simpl; [| rewrite IH]; reflexivity. Qed.

Variable E : Rdefinitions.R.
Hypothesis ratio : Pr (R x) (is_outcome v) = E * Pr (R y) (is_outcome v).
Hypothesis positive_y : 0 < Pr (R y) (is_outcome v).
Hypothesis positive_z : 0 < Pr (R z) (is_outcome v).

(** With m other users, m = 0 included. *)
Theorem vertex_forbids_smaller m E' :
  E' < E -> ~ shuffle_below R (x :: repeat z m) (y :: repeat z m) E' 0.
Proof.
  intros L B. specialize (B (is_outcome (times (S m) v)) (is_outcome_symmetric _)).
  assert (Users : forall u, vertex weight v (R u) ->
    Pr (messages R (u :: repeat z m)) (is_outcome (times (S m) v)) =
    Pr (R u) (is_outcome v) * Pr (R z) (is_outcome v) ^ m).
  { intros u Hu. rewrite <- others_power. replace (S m) with (length (u :: repeat z m))
      by (simpl; rewrite repeat_length; reflexivity).
    apply (vertex_outcome (u :: repeat z m)). intros t [<- | I]; [exact Hu |].
    apply repeat_spec in I. rewrite I. exact vertex_z. }
  rewrite (Users x vertex_x), (Users y vertex_y), ratio in B.
  assert (P : 0 < Pr (R z) (is_outcome v) ^ m) by (apply pow_lt; exact positive_z).
  assert (Q : 0 < Pr (R y) (is_outcome v) * Pr (R z) (is_outcome v) ^ m)
    by (apply Rmult_lt_0_compat; assumption).
  assert (E' * (Pr (R y) (is_outcome v) * Pr (R z) (is_outcome v) ^ m) <
    E * (Pr (R y) (is_outcome v) * Pr (R z) (is_outcome v) ^ m)) by (apply Rmult_lt_compat_r; assumption).
  lra.
Qed.

Theorem vertex_not_private n eps :
  (1 <= n)%nat -> exp eps < E -> ~ shuffle_dp n R eps 0.
Proof.
  intros Hn L H. rewrite shuffle_dp_iff_pairs in H.
  apply (vertex_forbids_smaller (pred n) (exp eps) L).
  apply H; [apply (replace_one []) |]. simpl. rewrite repeat_length. lia.
Qed.

End users.
