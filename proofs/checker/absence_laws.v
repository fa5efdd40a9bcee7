(** Users who may be away: what they send is a law, and that of a table's users is a table.

    - [from_absence]: a statement about what is published follows for each program, as [from_program] of composed_checked.v;
    - [proper_absence]: what all users publish is a law, where the claim is well posed;
    - [proper_joint_absence]: the same of those who run a product;
    - [taking_part]: the table of who may be away, and [taking_part_law], its rows.

    Source: docs/certificates.md, "participation". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import sums laws privacy shuffler single_message adding_a_user absent_users generic_blanket supports least_values.
From Exactdp Require Import k_ary_classes unary_classes subset_classes hadamard_classes hashing_classes.
From ExactdpChecker Require Import claims laws_of_noise.
From ExactdpChecker Require table_laws posed.
Import ListNotations.
Open Scope R_scope.

Lemma from_absence r q a (S1 S2 S3 : forall M, (list M -> answer) -> (list nat -> dist (list M)) -> Prop) (C : Prop) :
  (forall M show V, S1 M show V -> S2 M show V -> S3 M show V -> C) ->
  for_absence r q a S1 -> for_absence r q a S2 -> for_absence r q a S3 -> C.
Proof. intros H. destruct a, r as [t | []]; simpl; try contradiction; apply H. Qed.

Lemma for_absence_imp r q a (S1 S2 : forall M, (list M -> answer) -> (list nat -> dist (list M)) -> Prop) :
  (forall M show V, S1 M show V -> S2 M show V) -> for_absence r q a S1 -> for_absence r q a S2.
Proof. intros H. destruct a, r as [t | []]; simpl; try contradiction; apply H. Qed.

(** Where each program has what is asked of it. *)
Lemma absence_by_program r q a (P : forall M, (nat -> dist (list M)) -> Prop)
    (S : forall M, (list M -> answer) -> (list nat -> dist (list M)) -> Prop) :
  for_program r (fun M _ R => P M R) ->
  (a = Counted \/ a = Listed \/ exists z, a = HiddenByInput z) ->
  (forall M show (R : nat -> dist (list M)), P M R -> match a with
    | Counted => S M show (messages (fun x => away (Q2R q) (R x) (ret [])))
    | Listed => S (nat + M)%type (fun u => Named (names u) (show (unnamed u))) (fun xs => messages (with_name q R) (numbered xs))
    | HiddenByInput z => S M show (messages (fun x => away (Q2R q) (R x) (R (Z.to_nat z))))
    | _ => True
    end) -> for_absence r q a S.
Proof.
  intros HP [-> | [-> | [z ->]]] H; cbn [for_absence]; destruct r as [t | []]; cbn [for_program] in *; apply H, HP.
Qed.

Definition taking_part_row (q : Q) (instead row : list (Q * list nat)) : list (Q * list nat) :=
  let scaled p := map (fun o : Q * list nat => (Qred (p * fst o), snd o)) in scaled q row ++ scaled (1 - q)%Q instead.

Definition sent_instead (messages : nat) (a : absence) : option (list (Q * list nat)) :=
  match a with
  | Counted => Some [(1%Q, [])]
  | HiddenUniformly => Some (map (fun m => (1 # Pos.of_nat messages, [m])) (seq 0 messages))
  | Hidden chances => Some (filter (fun o => negb (Qle_bool (fst o) 0))
      (combine chances (map (fun m => [m]) (seq 0 (length chances)))))
  | Listed | HiddenByInput _ => None
  end.

Definition taking_part (t : table) (q : Q) (a : absence) : option table :=
  option_map (fun instead => {| message_types := message_types t; rows := map (taking_part_row q instead) (rows t) |})
    (sent_instead (message_types t) a).

(** The law of what is sent instead. *)
Definition instead_law (messages : nat) (a : absence) : dist (list nat) :=
  match a with
  | HiddenUniformly => sent (uniform (seq 0 messages))
  | Hidden chances => by_chances chances
  | _ => ret []
  end.

Lemma mean_row row f : mean (row_law row) f = total row (fun o => Q2R (fst o) * f (snd o)).
Proof. apply table_laws.mean_row. Qed.

Lemma taking_part_mean q instead row f : mean (row_law (taking_part_row q instead row)) f =
  Q2R q * mean (row_law row) f + (1 - Q2R q) * mean (row_law instead) f.
Proof.
  rewrite !mean_row. unfold taking_part_row. rewrite total_app, !total_map, <- !total_scal.
  f_equal; apply total_ext; intros o _; cbn [fst snd]; rewrite Q2R_red, Q2R_mult, ?Q2R_minus; [ring |].
  replace (Q2R 1) with 1 by (symmetry; apply RMicromega.Q2R_1). ring.
Qed.

Lemma sent_instead_law messages a instead : sent_instead messages a = Some instead ->
  (forall chances, a = Hidden chances -> forall c, In c chances -> (0 <= c)%Q) ->
  same_law (row_law instead) (instead_law messages a).
Proof.
  intros H N f. destruct a as [| | | chances |]; try discriminate; injection H as <-; cbn [instead_law].
  - rewrite mean_row, mean_ret. simpl. rewrite RMicromega.Q2R_1. ring.
  - rewrite mean_row, total_map. unfold sent. rewrite mean_dmap, mean_uniform, seq_length, <- total_scal. apply total_ext.
    intros m I. cbn [fst snd]. f_equal. unfold Q2R. simpl. rewrite Rmult_1_l. f_equal. apply in_seq in I.
    rewrite INR_IZR_INZ. f_equal. lia.
  - specialize (N chances eq_refl). unfold by_chances, sent. rewrite mean_dmap, mean_row. unfold mean.
    generalize 0%nat as from. induction chances as [| c chances IH]; intros from; [reflexivity |].
    cbn [length seq map combine filter fst snd total].
    assert (Rest : forall c0, In c0 chances -> (0 <= c0)%Q) by (intros c0 J; apply N; right; exact J).
    assert (Nc := N c (or_introl eq_refl)).
    destruct (Qle_bool c 0) eqn:Z; cbn [negb total fst snd]; rewrite (IH Rest); [| reflexivity].
    apply Qle_bool_iff in Z. assert (E : (c == 0)%Q) by (apply Qle_antisym; assumption). apply Qeq_eqR in E.
    rewrite E, RMicromega.Q2R_0. ring.
Qed.

Theorem taking_part_law t q a t' x : rows t <> [] -> taking_part t q a = Some t' ->
  (forall chances, a = Hidden chances -> forall c, In c chances -> (0 <= c)%Q) ->
  same_law (table_law t' x) (away (Q2R q) (table_law t x) (instead_law (message_types t) a)).
Proof.
  intros Rows H N f. unfold taking_part in H. destruct (sent_instead (message_types t) a) as [instead |] eqn:S; [| discriminate].
  injection H as <-. rewrite mean_away, <- (sent_instead_law _ _ _ S N). unfold table_law. cbn [rows]. unfold entry.
  assert (Last : last (map (taking_part_row q instead) (rows t)) [] = taking_part_row q instead (last (rows t) [])).
  { revert Rows. generalize (rows t). intros l. induction l as [| a0 [| b l] IH]; intros Some; [congruence | reflexivity |].
    change (last (map (taking_part_row q instead) (b :: l)) [] = taking_part_row q instead (last (b :: l) [])).
    apply IH. discriminate. }
  rewrite Last, map_nth. apply taking_part_mean.
Qed.

(** ** What all users send is a law *)

Lemma proper_by_chances chances : (forall c, In c chances -> (0 <= c)%Q) -> (fold_right Qplus 0 chances == 1)%Q ->
  proper (by_chances chances).
Proof.
  intros N S. apply proper_dmap. split.
  - intros wa I. destruct wa as [w m]. apply in_combine_l, in_map_iff in I. destruct I as [c [<- I]]. simpl.
    apply N, Qle_Rle in I. rewrite RMicromega.Q2R_0 in I. exact I.
  - apply Qeq_eqR in S. rewrite posed.real_sum_Q, RMicromega.Q2R_1 in S. transitivity (posed.real_sum chances); [| exact S].
    unfold mean. clear.
    generalize 0%nat as from. induction chances as [| c chances IH]; intros from; [reflexivity |].
    cbn [map length seq combine total fst snd posed.real_sum fold_right]. rewrite IH. unfold posed.real_sum. ring.
Qed.

Lemma some_patterns d : bit_patterns d <> [].
Proof. induction d as [| d IH]; simpl; [discriminate |]. destruct (bit_patterns d); [congruence | discriminate]. Qed.

Lemma proper_sent {M} (d : dist M) : proper d -> proper (sent d).
Proof. apply proper_dmap. Qed.

Lemma some_seq k : (1 <= k)%nat -> seq 0 k <> [].
Proof. destruct k; [lia | discriminate]. Qed.

Theorem proper_absence r q a : randomizer_posed r -> absence_posed r a -> 0 < Q2R q < 1 ->
  for_absence r q a (fun M _ V => forall xs, proper (V xs)).
Proof.
  intros Posed Ab Hq. assert (Pr := proper_randomizer r Posed).
  assert (Or : forall M (R : nat -> dist (list M)) D, (forall x, proper (R x)) -> proper D ->
    forall xs, proper (messages (fun x => away (Q2R q) (R x) D) xs)).
  { intros M R D HR HD xs. apply proper_messages. intros x. apply proper_away; [lra | apply HR | exact HD]. }
  destruct a as [| | | chances | z]; try (apply (absence_by_program r q _ (fun M R => forall x, proper (R x))); [exact Pr | eauto |];
    intros M show R HR; try (apply Or; [exact HR | apply HR || apply proper_ret])).
  - intros xs. apply proper_messages. intros [k x]. apply proper_away; [lra | apply proper_dmap, HR | apply proper_ret].
  - destruct r as [t | []]; cbn [for_absence for_program absence_posed randomizer_posed family_posed] in *; apply Or;
      try exact Pr; apply proper_sent; try (apply proper_uniform, some_seq; lia); try (apply proper_uniform, some_patterns).
    + apply proper_uniform, some_subsets; lia.
    + apply proper_bind; [apply hash_function_proper; lia |]. intros h. apply proper_dmap, proper_uniform, some_seq. lia.
  - destruct r as [t | []]; cbn [for_absence for_program absence_posed] in *; try contradiction; apply Or; try exact Pr;
      apply proper_by_chances; apply Ab.
Qed.

(** *** Several randomizers at once *)

Lemma proper_uniform_message r : randomizer_posed r -> absence_posed r HiddenUniformly -> proper (uniform_message r).
Proof.
  intros Posed Ab. destruct r as [t | []]; cbn [uniform_message randomizer_posed family_posed absence_posed] in *;
    try (apply proper_dmap, proper_uniform, some_seq; lia); try (apply proper_dmap, proper_uniform, some_patterns).
  - apply proper_dmap, proper_uniform, some_subsets; lia.
  - apply proper_bind; [apply hash_function_proper; lia |]. intros h. apply proper_dmap, proper_uniform, some_seq. lia.
Qed.

Lemma proper_dummy r a : randomizer_posed r -> hides a -> absence_posed r a -> proper (dummy r a).
Proof.
  intros P Hi Ab. destruct a as [| | | chances | z]; try contradiction; cbn [dummy].
  - apply proper_uniform_message; assumption.
  - apply proper_dmap. destruct r as [t | []]; cbn [absence_posed] in Ab; try contradiction; apply proper_by_chances;
      apply Ab.
  - apply proper_outcome, P.
Qed.

Lemma proper_dummy_report of dummies : (forall r, In r of -> randomizer_posed r) ->
  Forall2 (fun r a => hides a /\ absence_posed r a) of dummies -> proper (dummy_report of dummies).
Proof.
  intros P F. induction F as [| r a of dummies [Hi Ab] _ IH]; [apply proper_ret |]. cbn [dummy_report].
  apply proper_bind; [apply proper_dummy; auto; apply P; left; reflexivity |]. intros u. apply proper_dmap, IH.
  intros s I. apply P. right. exact I.
Qed.

Theorem proper_joint_absence of q a : together_posed of -> joint_absence_posed of a -> 0 < Q2R q < 1 ->
  for_joint_absence of q a (fun M _ V => forall xs, proper (V xs)).
Proof.
  intros P Ab Hq. assert (Pr := fun x => proper_together of x P).
  destruct a as [| | dummies]; cbn [for_joint_absence joint_absence_posed] in *; intros xs; apply proper_messages.
  - intros x. apply proper_away; [lra | apply Pr | apply proper_ret].
  - intros [k x]. apply proper_away; [lra | apply proper_dmap, Pr | apply proper_ret].
  - intros x. apply proper_away; [lra | apply Pr | apply proper_sent, proper_dummy_report, Ab; apply P].
Qed.
