(** Every private randomizer of a bit is randomized response, followed by a channel.

    Let eps > 0 and E = e^eps. [randomized_response E x] says the bit x with probability E/(E+1), and else the other
    one. For every randomizer R of a bit with finitely many messages:

    - [randomized_response_is_all]: R is (eps, 0)-DP if and only if some program K, which is given the answer of
      randomized response and no more, draws its message with the law of R, for both bits;
    - [local_protocols_simulated]: n users answer in turns, each with his own coins and a randomizer that may depend
      on what was said before and on whose turn it is, each of them (eps, 0)-DP; then one program, given the n answers
      of randomized response and no more, draws the list of all messages with its law, on every data set.

    Answers that do not depend on the others are a case of it. A user speaks once.

    Proof. Where m has the probabilities f and g under the two bits, (E f - g)/(E - 1) >= 0 is the probability of m
    under the one answer, (E g - f)/(E - 1) that under the other: E/(E+1) times the first plus 1/(E+1) times the
    second is f. In turns, every user's channel is that of the randomizer that he would use.
    Source: Kairouz, Oh, Viswanath 2015, Theorem 3.1; the program and users in turns: this package. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick post_processing.
From Exactdp Require Import single_message bit_messages local_simulation.
Import ListNotations.
Open Scope R_scope.

Definition randomized_response (E : R) (x : bool) : dist bool := [(E / (E + 1), x); (1 / (E + 1), negb x)].

Lemma mean_randomized_response E x f :
  mean (randomized_response E x) f = E / (E + 1) * f x + 1 / (E + 1) * f (negb x).
Proof. unfold mean. simpl. ring. Qed.

Lemma proper_randomized_response E x : 0 < E -> proper (randomized_response E x).
Proof.
  intros H. split.
  - intros wa [<- | [<- | []]]; apply Rlt_le, Rdiv_lt_0_compat; lra.
  - rewrite mean_randomized_response. field. lra.
Qed.

Lemma randomized_response_private eps : 0 <= eps -> local_dp (randomized_response (exp eps)) eps 0.
Proof.
  intros He x y T. assert (E := exp_ge_1 eps He). unfold Pr. rewrite !mean_randomized_response.
  assert (I : forall b, 0 <= indicator T b) by (intros b; unfold indicator; destruct (T b); lra).
  apply Rmult_le_reg_r with (exp eps + 1); [lra |]. set (e := exp eps) in *.
  replace ((e / (e + 1) * indicator T x + 1 / (e + 1) * indicator T (negb x)) * (e + 1)) with
    (e * indicator T x + indicator T (negb x)) by (field; lra).
  replace ((e * (e / (e + 1) * indicator T y + 1 / (e + 1) * indicator T (negb y)) + 0) * (e + 1)) with
    (e * (e * indicator T y + indicator T (negb y))) by (field; lra).
  assert (E2 : e <= e * e) by (rewrite <- (Rmult_1_r e) at 1; apply Rmult_le_compat_l; lra).
  assert (J : forall b, indicator T b <= e * indicator T b <= e * e * indicator T b).
  { intros b. specialize (I b). rewrite <- (Rmult_1_l (indicator T b)) at 1.
    split; apply Rmult_le_compat_r; lra. }
  assert (J0 := J true). assert (J1 := J false). destruct x, y; simpl; lra.
Qed.

(** ** One user *)

(** What is made of the answer b. *)
Definition channel {M} (E : R) (R : bool -> dist M) (b : bool) : dist M :=
  map (fun m => ((E * mass (R b) m - mass (R (negb b)) m) / (E - 1), m)) (outcomes (R false) (R true)).

Section one_user.

Context {M : Type} (R : bool -> dist M) (eps : Rdefinitions.R).
Hypothesis R_proper : forall x, proper (R x).
Hypothesis eps_positive : 0 < eps.
Let E := exp eps.

Lemma E_above_1 : 1 < E.
Proof. unfold E. rewrite <- exp_0. apply exp_increasing, eps_positive. Qed.

Lemma mean_channel b f :
  mean (channel E R b) f = (E * mean (R b) f - mean (R (negb b)) f) / (E - 1).
Proof.
  assert (H := E_above_1). destruct (outcomes_cover (R false) (R true)) as [C0 C1].
  assert (N := outcomes_NoDup (R false) (R true)).
  assert (V : forall x, mean (R x) f = total (outcomes (R false) (R true)) (fun m => mass (R x) m * f m)).
  { intros [|]; apply mean_masses; assumption. }
  rewrite !V. unfold channel, mean. rewrite total_map. cbn [fst snd]. unfold Rdiv.
  rewrite <- total_scal, <- total_minus, <- total_scal_r. apply total_ext. intros m _. ring.
Qed.

Lemma channel_simulates x : same_law (R x) (bind (randomized_response E x) (channel E R)).
Proof.
  intros f. assert (H := E_above_1). rewrite mean_bind, mean_randomized_response, !mean_channel, Bool.negb_involutive.
  field. lra.
Qed.

Lemma proper_channel b : local_dp R eps 0 -> proper (channel E R b).
Proof.
  intros P. assert (H := E_above_1). split.
  - intros wa I. apply in_map_iff in I. destruct I as [m [<- _]]. cbn [fst].
    assert (L := P (negb b) b (fun m' => if same m' m then true else false)).
    change (mass (R (negb b)) m <= E * mass (R b) m + 0) in L.
    apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
  - rewrite mean_channel, !mean_const by apply R_proper. field. lra.
Qed.

End one_user.

Theorem randomized_response_is_all {M} (R : bool -> dist M) eps :
  (forall x, proper (R x)) -> 0 < eps ->
  (local_dp R eps 0 <->
   exists K : bool -> dist M, (forall b, proper (K b)) /\
   forall x, same_law (R x) (bind (randomized_response (exp eps) x) K)).
Proof.
  intros HR He. split.
  - intros P. exists (channel (exp eps) R). split.
    + intros b. apply proper_channel; assumption.
    + intros x. apply channel_simulates. exact He.
  - intros [K [PK S]] x y T. unfold Pr. rewrite !(S _ (indicator T)).
    apply (post_processing (randomized_response (exp eps) x) (randomized_response (exp eps) y) K); [exact PK |].
    apply randomized_response_private. lra.
Qed.

(** ** Users in turns *)

(** Every user hears what was said, and says one thing more. *)
Fixpoint in_turns {X M} (R : list M -> X -> dist M) (said : list M) (xs : list X) : dist (list M) :=
  match xs with
  | [] => ret said
  | x :: rest => bind (R said x) (fun m => in_turns R (said ++ [m]) rest)
  end.

Lemma proper_in_turns {X M} (R : list M -> X -> dist M) said xs :
  (forall said x, proper (R said x)) -> proper (in_turns R said xs).
Proof.
  intros H. revert said. induction xs as [| x xs IH]; intros said; simpl; [apply proper_ret |].
  apply proper_bind; [apply H | intros m; apply IH].
Qed.

Lemma mean_reports_first {X A} (R : X -> dist A) x xs f :
  mean (reports R (x :: xs)) f = mean (R x) (fun a => mean (reports R xs) (fun others => f (a :: others))).
Proof. apply mean_messages_cons. Qed.

Lemma mean_reports_none {X A} (R : X -> dist A) f : mean (reports R []) f = f [].
Proof. apply mean_messages_nil. Qed.

Theorem local_protocols_simulated {M} (R : list M -> bool -> dist M) eps :
  (forall said x, proper (R said x)) -> 0 < eps -> (forall said, local_dp (R said) eps 0) ->
  exists K : list bool -> dist (list M), (forall ys, proper (K ys)) /\
  forall xs, same_law (in_turns R [] xs) (bind (reports (randomized_response (exp eps)) xs) K).
Proof.
  intros HR He P. set (K := fun said => channel (exp eps) (R said)).
  exists (in_turns K []). split.
  - intros ys. apply proper_in_turns. intros said b. apply proper_channel; auto.
  - intros xs f. rewrite mean_bind. generalize (@nil M) as said.
    induction xs as [| x xs IH]; intros said; [rewrite mean_reports_none; reflexivity |].
    rewrite mean_reports_first. cbn [in_turns]. rewrite mean_bind.
    rewrite (channel_simulates (R said) eps He x), mean_bind. apply mean_ext. intros y.
    rewrite (mean_ext (reports _ xs) _
      (fun ys => mean (K said y) (fun m => mean (in_turns K (said ++ [m]) ys) f)))
      by (intros ys; apply mean_bind).
    rewrite mean_swap. apply mean_ext. intros m. apply IH.
Qed.
