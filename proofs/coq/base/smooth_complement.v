(** Smoothness by the other event.

    That a law D on the integers is (eps, delta, k)-smooth says P[ratio >= e^(abs(j) eps)] <= delta for the
    likelihood ratio D(Y) / D(Y + j), Y drawn from D, and all j with 1 <= abs(j) <= k. This is the same as
    P[ratio < e^(abs(j) eps)] >= 1 - delta, for all laws and all real eps and delta, because an event and
    its complement have probabilities that add up to 1. It is not the same as > 1 - delta: the uniform law
    on {0, 1, 2, 3} has = there. And j = 0 has to stay out: the ratio is 1 = e^0 there.
    (Source: Ghazi, Golowich, Kumar, Pagh, Velingker 2021, Definition 4.1.) *)

From Coq Require Import Reals List ZArith Lra Lia Classical.
From Exactdp Require Import sums masses smooth smooth_is_private uniform4.
Import ListNotations.
Open Scope R_scope.

(** A finite set of outcomes has a part in T and a part outside. *)
Lemma split_by_event {A} (D : A -> R) (T : A -> Prop) l :
  NoDup l ->
  exists u v, NoDup u /\ NoDup v /\ (forall a, In a u -> In a l /\ T a) /\
    (forall a, In a v -> In a l /\ ~ T a) /\ total l D = total u D + total v D.
Proof.
  intros N. induction N as [| a l Ha N [u [v [Nu [Nv [U [V E]]]]]]].
  - exists [], []. split; [constructor |]. split; [constructor |]. split; [intros a [] |].
    split; [intros a [] | simpl; ring].
  - assert (U' : forall b, In b u -> In b (a :: l) /\ T b) by (intros b I; split; [right |]; apply U, I).
    assert (V' : forall b, In b v -> In b (a :: l) /\ ~ T b) by (intros b I; split; [right |]; apply V, I).
    destruct (classic (T a)) as [Ta | Ta].
    + exists (a :: u), v. split; [constructor; [intros I; apply Ha, U, I | exact Nu] |].
      split; [exact Nv |]. split; [| split; [exact V' | simpl; rewrite E; ring]].
      intros b [<- | I]; [split; [left; reflexivity | exact Ta] | apply U', I].
    + exists u, (a :: v). split; [exact Nu |].
      split; [constructor; [intros I; apply Ha, V, I | exact Nv] |].
      split; [exact U' |]. split; [| simpl; rewrite E; ring].
      intros b [<- | I]; [split; [left; reflexivity | exact Ta] | apply V', I].
Qed.

(** Finite parts of an event and of its complement do not meet. *)
Lemma parts_at_most_one {A} (D : A -> R) (T : A -> Prop) u v :
  law D -> NoDup u -> NoDup v -> (forall a, In a u -> T a) -> (forall a, In a v -> ~ T a) ->
  total u D + total v D <= 1.
Proof.
  intros L Nu Nv U V. rewrite <- total_app. apply law_finite; [exact L |].
  induction Nu as [| a u Ha Nu IH]; simpl; [exact Nv |]. constructor.
  - intros I. apply in_app_or in I. destruct I as [I | I]; [contradiction |].
    apply (V a I), U. left. reflexivity.
  - apply IH. intros b I. apply U. right. exact I.
Qed.

(** P[not T] = 1 - P[T], for every event T. *)
Lemma mass_of_complement {A} (D : A -> R) (T : A -> Prop) p :
  law D -> mass_of D T p -> mass_of D (fun a => ~ T a) (1 - p).
Proof.
  intros L [U LU]. split.
  - intros s [v [Nv [V ->]]]. assert (p <= 1 - total v D); [| lra].
    apply LU. intros t [u [Nu [I ->]]].
    assert (B := parts_at_most_one D T u v L Nu Nv I V). lra.
  - intros b Hb. assert (1 <= p + b); [| lra]. apply (proj2 (proj2 L)).
    intros s [l [N [_ ->]]]. destruct (split_by_event D T l N) as [u [v [Nu [Nv [I [V E]]]]]].
    rewrite E. apply Rplus_le_compat; [apply U; exists u | apply Hb; exists v].
    + split; [exact Nu |]. split; [apply I | reflexivity].
    + split; [exact Nv |]. split; [apply V | reflexivity].
Qed.

(** Ledger row smooth-complement: for each shift j by itself. *)
Theorem smooth_complement_each (D : Z -> R) eps delta j r p :
  law D ->
  mass_of D (large_ratio D (fun y => D (y + j)%Z) (exp (IZR (Z.abs j) * eps))) r ->
  mass_of D (fun y => D y < exp (IZR (Z.abs j) * eps) * D (y + j)%Z) p ->
  (r <= delta <-> 1 - delta <= p).
Proof.
  intros L Hr Hp. enough (p = 1 - r) by lra. eapply is_lub_u; [exact Hp |].
  apply (mass_of_ext D (fun y => ~ large_ratio D (fun z => D (z + j)%Z) (exp (IZR (Z.abs j) * eps)) y)).
  - intros y. unfold large_ratio. split; [apply Rnot_le_lt | apply Rlt_not_le].
  - apply mass_of_complement; assumption.
Qed.

(** Smoothness as it reads, by probabilities. *)
Lemma smooth_probability (D : Z -> R) eps delta k :
  law D ->
  (smooth D eps delta k <->
   forall j, j <> 0%Z -> (Z.abs j <= k)%Z ->
   forall r, mass_of D (large_ratio D (fun y => D (y + j)%Z) (exp (IZR (Z.abs j) * eps))) r ->
   r <= delta).
Proof.
  intros L. split.
  - intros S j J K r [_ H]. apply H. intros s [l [N [I ->]]]. apply (S j J K l N I).
  - intros H j J K l N I.
    destruct (mass_exists D (large_ratio D (fun y => D (y + j)%Z) (exp (IZR (Z.abs j) * eps))) L)
      as [r Hr].
    apply Rle_trans with r; [| apply (H j J K), Hr]. apply (proj1 Hr). exists l. auto.
Qed.

(** Ledger row smooth-complement, for all j at once. *)
Theorem smooth_complement (D : Z -> R) eps delta k :
  law D ->
  (smooth D eps delta k <->
   forall j, j <> 0%Z -> (Z.abs j <= k)%Z ->
   forall p, mass_of D (fun y => D y < exp (IZR (Z.abs j) * eps) * D (y + j)%Z) p -> 1 - delta <= p).
Proof.
  intros L. rewrite (smooth_probability D eps delta k L).
  split; intros H j J K p Hp; specialize (H j J K (1 - p)).
  - enough (1 - p <= delta) by lra. apply H.
    eapply mass_of_ext; [| exact (mass_of_complement D _ p L Hp)].
    intros y. unfold large_ratio. split; [apply Rnot_lt_le | apply Rle_not_lt].
  - enough (1 - delta <= 1 - p) by lra. apply H.
    eapply mass_of_ext; [| exact (mass_of_complement D _ p L Hp)].
    intros y. unfold large_ratio. split; [apply Rnot_le_lt | apply Rlt_not_le].
Qed.

(** Ledger row smooth-complement-printed: with > 1 - delta it is not the same. *)
Theorem smooth_complement_printed_is_false :
  ~ (forall (D : Z -> R) eps delta k, law D -> smooth D eps delta k ->
     forall j, j <> 0%Z -> (Z.abs j <= k)%Z ->
     forall p, mass_of D (fun y => D y < exp (IZR (Z.abs j) * eps) * D (y + j)%Z) p -> 1 - delta < p).
Proof.
  intros H. set (small := fun y => uniform4 y < exp (IZR (Z.abs 1) * 1) * uniform4 (y + 1)%Z).
  destruct (mass_exists uniform4 small uniform4_law) as [p Hp].
  assert (B : 1 - 1 / 4 < p).
  { apply (H uniform4 1 (1 / 4) 1%Z uniform4_law (uniform4_smooth 1 Rlt_0_1) 1%Z); [lia | lia | exact Hp]. }
  assert (p <= 1 - uniform4 3); [| unfold uniform4 in *; simpl in *; lra].
  apply (proj2 Hp). intros s [u [Nu [U ->]]].
  assert (L : total u uniform4 + total [3%Z] uniform4 <= 1); [| simpl in L; lra].
  apply (parts_at_most_one uniform4 small u [3%Z] uniform4_law Nu); [| exact U |].
  - repeat constructor; simpl; tauto.
  - intros y [<- | []]. unfold small, uniform4. simpl. lra.
Qed.

(** What ledger row smooth-definition says of j = 0: the event of a large ratio is that of all outcomes. *)
Theorem smooth_definition (D : Z -> R) eps :
  law D -> mass_of D (large_ratio D (fun y => D (y + 0)%Z) (exp (IZR (Z.abs 0) * eps))) 1.
Proof.
  intros [Pos H]. apply (mass_of_ext D (fun _ => True)); [| exact H].
  intros y. unfold large_ratio. simpl Z.abs. rewrite Z.add_0_r, Rmult_0_l, exp_0. split; [lra | tauto].
Qed.
