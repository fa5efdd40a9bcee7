(** The claim shuffle_dp of classes of users, who may be away or run several randomizers at once: a swap proves it, and
    an event refutes it.

    [check_members_sound], [check_classes_sound]: what is accepted holds, or does not, for every list of classes, level
    and witness. Source: docs/certificates.md, "Classes of users". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import least_values.
From ExactdpChecker Require Import claims witnesses kinds levels classes_of_users members_of_classes classes_swap classes_event
  classes_cuts.
From ExactdpChecker Require posed.
Import ListNotations.

Definition members_are_posed (classes : list (member * Z)) (who : option Z) : bool :=
  negb (Nat.eqb (length classes) 0) && forallb (fun c => member_is_posed (fst c) && (1 <=? snd c)%Z) classes &&
  match who with Some j => (0 <=? j)%Z && (j <? Z.of_nat (length classes))%Z | None => true end.

Definition check_members (classes : list (member * Z)) (who : option Z) (l : level) (delta : Q) (proved : bool)
    (shown : witness) : bool :=
  members_are_posed classes who && posed.level_is_posed l delta &&
  let classes := listed_members classes in
  members_are_posed classes who &&
  match proved, shown with
  | true, ForAllDataSets (BySwap bits plans places used) p =>
      match ratio_below l p with
      | Some (X, Y) =>
          classes_are_below classes (Qred (X # Z.to_pos Y)) delta (Z.to_nat bits) plans (differing classes who) used places
      | None => false
      end
  | false, Event test p =>
      match ratio_above l p, event_threshold test, event_classes test, plain_classes classes with
      | Some (X, Y), Some threshold, Some (own, cuts, others), Some plain =>
          let bits := event_bits test in
          (0 <=? bits)%Z && (0 <=? X)%Z && (0 <=? own)%Z && match who with Some j => (own =? j)%Z | None => true end &&
          match scored_classes bits cuts (scores test) plain with
          | Some scored =>
              event_refutes_classes bits threshold scored plain (Z.to_nat own) (Z.to_nat (event_first test))
                (Z.to_nat (event_second test)) others X Y delta
          | None => false
          end
      | _, _, _, _ => false
      end
  | _, _ => false
  end.

Definition check_classes (classes : list (randomizer * Z)) : option Z -> level -> Q -> bool -> witness -> bool :=
  check_members (never_away classes).

(** Whether there is a program for this form of a witness. No theorem depends on it. *)
Definition has_members_program (classes : list (member * Z)) (proved : bool) (shown : witness) : bool :=
  match shown with
  | Event _ _ => negb proved
  | _ => forallb (fun c => has_pairs (fst c)) (listed_members classes)
  end.

Definition has_classes_program (classes : list (randomizer * Z)) : bool -> witness -> bool :=
  has_members_program (never_away classes).

Open Scope R_scope.

Lemma members_are_posed_sound classes who : members_are_posed classes who = true ->
  classes <> [] /\ (forall c, In c classes -> member_posed (fst c) /\ (1 <= snd c)%Z) /\
  forall j, who = Some j -> (0 <= j < Z.of_nat (length classes))%Z.
Proof.
  unfold members_are_posed. rewrite !andb_true_iff. intros [[S P] W]. split; [| split].
  - intros Z0. rewrite Z0 in S. discriminate.
  - intros c I. rewrite forallb_forall in P. specialize (P c I). apply andb_true_iff in P. destruct P as [P N].
    split; [apply member_is_posed_sound, P | apply Z.leb_le, N].
  - intros j ->. apply andb_true_iff in W. destruct W as [W1 W2]. apply Z.leb_le in W1. apply Z.ltb_lt in W2. lia.
Qed.

Theorem check_members_sound classes who l delta proved shown :
  check_members classes who l delta proved shown = true -> sound (MembersDP classes who l delta) proved.
Proof.
  unfold check_members. rewrite !andb_true_iff. intros [[P L] [P' H]]. apply members_are_posed_sound in P, P'.
  apply posed.level_is_posed_sound in L. split; [split; assumption |].
  assert (Same := listed_members_private classes who (ratio l) (Q2R delta) (fun c I => proj1 (proj1 (proj2 P) c I))). clear P.
  destruct P' as [_ [P _]]. destruct L as [L1 L2]. cbn [holds]. revert H P Same. generalize (listed_members classes).
  intros cl H P Same. destruct proved.
  - destruct shown as [| | | | [| bits plans places used | |] p | | | | | | | | | | | | | | | | | |]; try discriminate.
    destruct (ratio_below l p) as [[X Y] |] eqn:Ratio; [| discriminate].
    destruct (ratio_below_sound l p X Y Ratio) as [R1 R2].
    apply Same. apply (members_private_if_below cl who (Qred (X # Z.to_pos Y)) delta (ratio l) _ _ _ _ P) with (4 := H);
      [| exact L1 | apply L2].
    rewrite Q2R_red. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by (apply lt_IZR; exact R1). exact R2.
  - destruct shown; try discriminate. destruct (ratio_above l p) as [[X Y] |] eqn:Ratio; [| discriminate].
    destruct (event_threshold test) as [threshold |]; [| discriminate].
    destruct (event_classes test) as [[[own cuts] others] |]; [| discriminate].
    destruct (plain_classes cl) as [plain |] eqn:Plain; [| discriminate]. apply plain_classes_sound in Plain. subst cl.
    cbv zeta in H. rewrite !andb_true_iff in H. destruct H as [[[[B X0] O0] Who] H]. apply Z.leb_le in B, X0, O0.
    destruct (scored_classes _ _ _ plain) as [scored |] eqn:S; [| discriminate].
    destruct (ratio_above_sound l p X Y Ratio) as [R1 R2].
    assert (P' : forall c, In c plain -> randomizer_posed (fst c) /\ (1 <= snd c)%Z).
    { intros c I. apply (P (Always (fst c), snd c)). exact (in_map (fun c => (Always (fst c), snd c)) plain c I). }
    assert (All := classes_are_scored (event_bits test) cuts (scores test) (fun _ => false) plain scored B P' S).
    intros Holds. apply Same, never_away_private in Holds. revert Holds.
    refine (classes_event_sound (event_bits test) (fun _ => false) plain (value_of_message cuts (scores test) plain) B P' scored
      (Z.to_nat own) _ _ others threshold X Y delta (ratio l) who All _ R1 R2 X0 _ H); [lra |].
    intros j ->. apply Z.eqb_eq in Who. rewrite Z2Nat.id by exact O0. exact Who.
Qed.

Theorem check_classes_sound classes who l delta proved shown :
  check_classes classes who l delta proved shown = true -> sound (ClassesDP classes who l delta) proved.
Proof.
  intros H. apply check_members_sound in H. destruct H as [[[Some [P W]] L] H]. split.
  - split; [| exact L]. unfold never_away in *. rewrite map_length in W. split; [| split; [| exact W]].
    + intros ->. apply Some. reflexivity.
    + intros c I. apply (P (Always (fst c), snd c)). exact (in_map (fun c => (Always (fst c), snd c)) classes c I).
  - cbn [holds] in *. assert (Same := never_away_private classes who (ratio l) (Q2R delta)).
    destruct proved; [exact (proj1 Same H) | intros K; exact (H (proj2 Same K))].
Qed.
