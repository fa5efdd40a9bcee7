(** Adaptive composition under dominating measures of losses.

    A mechanism is a set of pairs of laws (P, Q) on its answers, finite or infinite: for each choice of
    neighbouring data sets one pair, in both orders. A measure nu (loss_measures.v) dominates it if all its
    pairs are (E, divergence nu E)-below for every E >= 0.

    Several mechanisms, each of which is dominated by a measure of total mass at least 1 (its own), are run
    once each. Before each run someone who knows all answers so far chooses which mechanism is next and
    which of its pairs; he is answered from the first law of the pair every time, or from the second one
    every time. Then the laws of all answers in these two worlds are (E, delta)-below for
    delta = divergence (product of the measures) E, for every E >= 0, whatever he does
    ([adaptive_composition]); and for delta = 1 always ([composition_at_most_1]). A mechanism that is run k
    times stands k times in the list.

    Answers of different mechanisms are taken from one type, which is no restriction: let it be the union.
    He draws no coins; with coins it is a mixture of such games (mixtures.v).

    Idea: for a first answer with the masses p and q, what follows has an excess of at most
    p D'(E q / p), and D' is a sum of terms m max(0, 1 - E r q / p). Sum over the first answers.

    The method Composed.prove of exactdp/checker/composed.py rests on it.
    Source: docs/certificates.md, "A privacy curve on a lattice composes". *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums masses hockey_stick product_laws loss_measures.
Import ListNotations.
Open Scope R_scope.

(** ** Two runs *)

(** The law of an answer a and then one from K a. *)
Definition joint {A B} (P : A -> R) (K : A -> B -> R) (x : A * B) : R := P (fst x) * K (fst x) (snd x).

(** What follows the answer a. *)
Lemma excess_after {B} p q (K L : B -> R) nu E v :
  0 <= p -> 0 <= q -> 0 <= E -> (forall b, 0 <= L b) -> nonnegative nu -> NoDup v ->
  (forall F, 0 <= F -> mass_below K L F (divergence nu F)) ->
  total v (fun b => Rmax 0 (p * K b - E * (q * L b))) <=
  infinite nu * p + total (atoms nu) (fun y => fst y * Rmax 0 (p - E * snd y * q)).
Proof.
  intros Hp Hq HE HL HN Nv H. destruct Hp as [Hp | <-].
  - assert (HF : 0 <= E * q / p).
    { apply Rmult_le_pos; [apply Rmult_le_pos; assumption | left; apply Rinv_0_lt_compat, Hp]. }
    specialize (H (E * q / p) HF). apply mass_hockey_stick_iff with (l := v) in H; [| exact Nv].
    apply (Rmult_le_compat_l p) in H; [| lra].
    rewrite (total_ext v _ (fun b => p * Rmax 0 (K b - E * q / p * L b))).
    + rewrite total_scal. eapply Rle_trans; [exact H |]. unfold divergence.
      rewrite Rmult_plus_distr_l, (Rmult_comm p), <- total_scal. apply Req_le. f_equal.
      apply total_ext. intros y _. unfold hinge.
      replace (p - E * snd y * q) with (p * (1 - E * q / p * snd y)) by (field; lra).
      replace (Rmax 0 (p * (1 - E * q / p * snd y))) with (p * Rmax 0 (1 - E * q / p * snd y)); [ring |].
      rewrite <- RmaxRmult by lra. rewrite Rmult_0_r. reflexivity.
    + intros b _. rewrite <- RmaxRmult by lra. rewrite Rmult_0_r. f_equal. field. lra.
  - rewrite (total_ext v _ (fun _ => 0)), total_zero.
    + rewrite Rmult_0_r, Rplus_0_l. apply total_nonneg. intros y I. destruct HN as [_ HA].
      apply Rmult_le_pos; [apply (HA y I) | apply Rmax_l].
    + intros b _. apply Rmax_left. assert (0 <= E * (q * L b)); [| lra].
      apply Rmult_le_pos; [exact HE |]. apply Rmult_le_pos; [exact Hq | apply HL].
Qed.

Lemma two_runs {A B} (P Q : A -> R) (K L : A -> B -> R) mu nu E :
  law P -> (forall a, 0 <= Q a) -> (forall a b, 0 <= K a b) -> (forall a b, 0 <= L a b) ->
  nonnegative mu -> nonnegative nu -> 1 <= divergence mu 0 -> 0 <= E ->
  (forall F, 0 <= F -> mass_below P Q F (divergence mu F)) ->
  (forall a F, 0 <= F -> mass_below (K a) (L a) F (divergence nu F)) ->
  mass_below (joint P K) (joint Q L) E (divergence (times nu mu) E).
Proof.
  intros HP HQ HK HL NM NN One HE H1 H2. apply mass_hockey_stick_iff. intros l N.
  destruct (inside_box l) as [u [v [Nu [Nv I]]]].
  apply Rle_trans with
    (total (list_prod u v) (fun x => Rmax 0 (joint P K x - E * joint Q L x))).
  { apply total_incl; [exact N | exact I |]. intros x _. apply Rmax_l. }
  rewrite total_prod. unfold joint. simpl.
  apply Rle_trans with (total u (fun a =>
    infinite nu * P a + total (atoms nu) (fun y => fst y * Rmax 0 (P a - E * snd y * Q a)))).
  { apply total_le. intros a _. apply excess_after; auto. apply HP. }
  rewrite total_plus, total_scal, total_swap, divergence_times. apply Rplus_le_compat.
  - apply Rmult_le_compat_l; [apply NN |]. apply Rle_trans with 1; [apply law_finite; assumption | exact One].
  - apply total_le. intros y Iy. rewrite total_scal. destruct (proj2 NN y Iy) as [Y1 Y2].
    apply Rmult_le_compat_l; [exact Y1 |].
    apply (mass_hockey_stick_iff P Q (E * snd y)); [| exact Nu].
    apply H1, Rmult_le_pos; assumption.
Qed.

(** ** Many runs *)

(** The answers of all runs, in order. *)
Definition then_all {A} (P : A -> R) (K : A -> list A -> R) (answers : list A) : R :=
  match answers with
  | [] => 0
  | a :: rest => P a * K a rest
  end.

Definition nothing {A} (answers : list A) : R :=
  match answers with
  | [] => 1
  | _ => 0
  end.

Definition mechanism (A : Type) : Type := (A -> R) -> (A -> R) -> Prop.

(** [played ms P Q]: P and Q are the laws of all answers in the two worlds, for some way of playing. *)
Inductive played {A} : list (mechanism A) -> (list A -> R) -> (list A -> R) -> Prop :=
  | played_none : played [] nothing nothing
  | played_next : forall ms (M : mechanism A) rest P Q K L,
      Permutation ms (M :: rest) -> M P Q -> (forall a, played rest (K a) (L a)) ->
      played ms (then_all P K) (then_all Q L).

Definition dominates {A} (nu : measure) (M : mechanism A) : Prop :=
  nonnegative nu /\ 1 <= divergence nu 0 /\
  forall P Q, M P Q -> law P /\ law Q /\ forall E, 0 <= E -> mass_below P Q E (divergence nu E).

Lemma then_all_below {A} (P Q : A -> R) (K L : A -> list A -> R) E delta :
  mass_below (joint P K) (joint Q L) E delta -> mass_below (then_all P K) (then_all Q L) E delta.
Proof.
  intros H l N. pose (put := fun x : A * list A => fst x :: snd x).
  destruct (pull_back put l N) as [m [Nm [_ E']]].
  assert (Z : forall P K, zero_outside put (then_all P K)).
  { intros P' K' [| a t] No; [reflexivity |]. exfalso. apply (No (a, t)). reflexivity. }
  rewrite (E' _ (Z P K)), (E' _ (Z Q L)). apply (H m Nm).
Qed.

Lemma played_nonneg {A} (ms : list (mechanism A)) P Q :
  (forall M, In M ms -> forall P Q, M P Q -> law P /\ law Q) -> played ms P Q ->
  forall answers, 0 <= P answers /\ 0 <= Q answers.
Proof.
  intros H HP. induction HP as [| ms M rest P Q K L Per HM HK IH]; intros answers.
  - destruct answers; simpl; lra.
  - destruct (H M ltac:(rewrite Per; left; reflexivity) P Q HM) as [LP LQ].
    destruct answers as [| a t]; simpl; [lra |].
    destruct (IH a ltac:(intros M' I'; apply H; rewrite Per; right; exact I') t) as [A1 A2].
    split; apply Rmult_le_pos; try assumption; [apply LP | apply LQ].
Qed.

(** The measures may be listed in another order. *)
Lemma product_permutation mus nus :
  Forall nonnegative mus -> Permutation mus nus ->
  forall E, 0 <= E -> divergence (product mus) E = divergence (product nus) E.
Proof.
  intros HN P. induction P as [| nu mus nus P IH | a b mus | mus nus kappas P1 IH1 P2 IH2]; intros E HE.
  - reflexivity.
  - inversion HN as [| ? ? [H1 H2] Hs]; subst. specialize (IH Hs). simpl.
    rewrite !divergence_times, (IH 0) by lra. f_equal. apply total_ext. intros x I.
    rewrite IH; [reflexivity |]. apply Rmult_le_pos; [exact HE | apply (H2 x I)].
  - simpl. apply divergence_exchange.
  - rewrite IH1 by assumption. apply IH2; [| exact HE]. rewrite <- P1. exact HN.
Qed.

Theorem adaptive_composition {A} (mechanisms : list (measure * mechanism A)) P Q E :
  (forall x, In x mechanisms -> dominates (fst x) (snd x)) ->
  played (map snd mechanisms) P Q -> 0 <= E ->
  mass_below P Q E (divergence (product (map fst mechanisms)) E).
Proof.
  intros HD HP. remember (map snd mechanisms) as ms eqn:Ems. revert mechanisms HD Ems E.
  induction HP as [| ms M rest P Q K L Per HM HK IH]; intros mechanisms HD Ems E HE.
  - destruct mechanisms as [| x mechanisms]; [| discriminate]. intros l N.
    unfold divergence. simpl. unfold hinge. simpl. rewrite Rmult_1_r, Rmult_1_l.
    assert (T : 0 <= total l nothing <= 1).
    { split; [apply total_nonneg; intros [| a t] _; simpl; lra |].
      destruct N as [| b l Hb N]; simpl; [lra |].
      destruct b as [| b t]; simpl.
      - rewrite (total_ext l _ (fun _ => 0)), total_zero; [lra |].
        intros [| c t] I; [contradiction | reflexivity].
      - rewrite Rplus_0_l. apply Rle_trans with (total [[]] (@nothing A)); [| simpl; lra].
        clear b t Hb. induction N as [| c l Hc N IHl]; simpl; [lra |].
        destruct c as [| c t]; simpl; [| simpl in IHl; lra].
        rewrite (total_ext l _ (fun _ => 0)), total_zero; [lra |].
        intros [| d s] I; [contradiction | reflexivity]. }
    assert (X := Rmax_l 0 (1 - E)). assert (Y := Rmax_r 0 (1 - E)).
    assert ((1 - E) * total l nothing <= Rmax 0 (1 - E) * 1).
    { apply Rle_trans with (Rmax 0 (1 - E) * total l nothing).
      - apply Rmult_le_compat_r; lra.
      - apply Rmult_le_compat_l; lra. }
    lra.
  - subst ms. apply Permutation_sym, Permutation_map_inv in Per. destruct Per as [l [El Pl]].
    destruct l as [| [nu M'] others]; [discriminate |]. injection El as EM Er. simpl in EM. subst M' rest.
    assert (HD' : forall x, In x ((nu, M) :: others) -> dominates (fst x) (snd x)).
    { intros x I. apply HD. rewrite Pl. exact I. }
    destruct (HD' (nu, M) (or_introl eq_refl)) as [NN [One Dom]]. destruct (Dom P Q HM) as [LP [LQ B]].
    assert (Others : Forall nonnegative (map fst others)).
    { apply Forall_forall. intros mu I. apply in_map_iff in I. destruct I as [x [<- I]].
      apply (HD' x). right. exact I. }
    assert (Laws : forall M', In M' (map snd others) -> forall P Q, M' P Q -> law P /\ law Q).
    { intros M' I P' Q' H. apply in_map_iff in I. destruct I as [x [<- I]].
      destruct (HD' x (or_intror I)) as [_ [_ H']]. destruct (H' P' Q' H) as [A1 [A2 _]]. auto. }
    rewrite (product_permutation (map fst mechanisms) (map fst ((nu, M) :: others)));
      [| | apply Permutation_map, Pl | exact HE].
    + simpl. rewrite times_commutes. apply then_all_below, two_runs.
      * exact LP.
      * apply LQ.
      * intros a t. apply (played_nonneg _ _ _ Laws (HK a) t).
      * intros a t. apply (played_nonneg _ _ _ Laws (HK a) t).
      * exact NN.
      * apply nonnegative_product, Others.
      * exact One.
      * exact HE.
      * exact B.
      * intros a F HF. apply IH; [| reflexivity | exact HF]. intros x I. apply HD'. right. exact I.
    + apply Forall_forall. intros mu I. apply in_map_iff in I. destruct I as [x [<- I]]. apply (HD x I).
Qed.

(** Whatever is played, no divergence exceeds 1. *)
Theorem composition_at_most_1 {A} (mechanisms : list (mechanism A)) P Q E :
  (forall M, In M mechanisms -> forall P Q, M P Q -> law P /\ law Q) ->
  played mechanisms P Q -> 0 <= E -> mass_below P Q E 1.
Proof.
  intros H HP HE. set (all := {| infinite := 1; atoms := [] |}).
  assert (D : forall M, In M mechanisms -> dominates all M).
  { intros M I. split; [split; simpl; [lra | tauto] | split; [unfold divergence; simpl; lra |]].
    intros P' Q' HM. destruct (H M I P' Q' HM) as [LP LQ]. split; [exact LP | split; [exact LQ |]].
    intros F HF l N. unfold divergence. simpl. assert (X := law_finite P' l LP N).
    assert (0 <= F * total l Q'); [| lra].
    apply Rmult_le_pos; [exact HF | apply total_nonneg; intros; apply LQ]. }
  set (pairs := map (fun M => (all, M)) mechanisms).
  assert (E1 : map snd pairs = mechanisms) by (unfold pairs; rewrite map_map; apply map_id).
  assert (One : forall F, divergence (product (map fst pairs)) F <= Rmax 1 (1 - F) /\
    divergence (product (map fst pairs)) 0 = 1).
  { unfold pairs. rewrite map_map. simpl. clear. induction mechanisms as [| M l IH]; intros F.
    - unfold divergence, hinge. simpl. split.
      + rewrite Rplus_0_l, Rplus_0_r, Rmult_1_l, Rmult_1_r. apply Rmax_lub.
        * apply Rle_trans with 1; [lra | apply Rmax_l].
        * apply Rmax_r.
      + rewrite Rmult_0_l, Rmax_right by lra. lra.
    - simpl map. simpl product. rewrite !divergence_times. simpl. destruct (IH 0) as [_ ->].
      assert (X := Rmax_l 1 (1 - F)). split; lra. }
  destruct (One E) as [B _]. rewrite Rmax_left in B by lra.
  rewrite <- E1 in HP. assert (X := adaptive_composition pairs P Q E).
  intros l N. eapply Rle_trans; [apply X; try assumption |].
  - intros x I. apply in_map_iff in I. destruct I as [M [<- I]]. apply D, I.
  - apply Rplus_le_compat_l, B.
Qed.
