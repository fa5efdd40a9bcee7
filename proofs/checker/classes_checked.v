(** The claim shuffle_dp of classes of users: a swap proves it, and an event refutes it.

    [check_classes_sound]: what is accepted holds, or does not, for every list of classes, level and witness. Source:
    docs/certificates.md. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import least_values.
From ExactdpChecker Require Import claims witnesses kinds levels laplace_table classes_of_users classes_swap classes_event classes_cuts.
From ExactdpChecker Require posed.
Import ListNotations.

Definition classes_are_posed (classes : list (randomizer * Z)) (who : option Z) : bool :=
  negb (Nat.eqb (length classes) 0) && forallb (fun c => posed.randomizer_is_posed (fst c) && (1 <=? snd c)%Z) classes &&
  match who with Some j => (0 <=? j)%Z && (j <? Z.of_nat (length classes))%Z | None => true end.

Definition check_classes (classes : list (randomizer * Z)) (who : option Z) (l : level) (delta : Q) (proved : bool)
    (shown : witness) : bool :=
  classes_are_posed classes who && posed.level_is_posed l delta &&
  let classes := listed_classes classes in
  classes_are_posed classes who &&
  match proved, shown with
  | true, ForAllDataSets (BySwap bits plans places used) p =>
      match ratio_below l p with
      | Some (X, Y) =>
          classes_are_below classes (Qred (X # Z.to_pos Y)) delta (Z.to_nat bits) plans (differing classes who) used places
      | None => false
      end
  | false, Event test p =>
      match ratio_above l p, event_threshold test, event_classes test with
      | Some (X, Y), Some threshold, Some (own, cuts, others) =>
          let bits := event_bits test in
          (0 <=? bits)%Z && (0 <=? X)%Z && (0 <=? own)%Z && match who with Some j => (own =? j)%Z | None => true end &&
          match scored_classes bits cuts (scores test) classes with
          | Some scored =>
              event_refutes_classes bits threshold scored classes (Z.to_nat own) (Z.to_nat (event_first test))
                (Z.to_nat (event_second test)) others X Y delta
          | None => false
          end
      | _, _, _ => false
      end
  | _, _ => false
  end.

(** Whether there is a program for this form of a witness. No theorem depends on it. *)
Definition has_classes_program (proved : bool) (shown : witness) : bool :=
  match shown with
  | Event _ _ => negb proved
  | _ => true
  end.

Open Scope R_scope.

Lemma classes_are_posed_sound classes who : classes_are_posed classes who = true ->
  classes <> [] /\ (forall c, In c classes -> randomizer_posed (fst c) /\ (1 <= snd c)%Z) /\
  forall j, who = Some j -> (0 <= j < Z.of_nat (length classes))%Z.
Proof.
  unfold classes_are_posed. rewrite !andb_true_iff. intros [[S P] W]. split; [| split].
  - intros Z0. rewrite Z0 in S. discriminate.
  - intros c I. rewrite forallb_forall in P. specialize (P c I). apply andb_true_iff in P. destruct P as [P N].
    split; [apply posed.randomizer_is_posed_sound, P | apply Z.leb_le, N].
  - intros j ->. apply andb_true_iff in W. destruct W as [W1 W2]. apply Z.leb_le in W1. apply Z.ltb_lt in W2. lia.
Qed.

Theorem check_classes_sound classes who l delta proved shown :
  check_classes classes who l delta proved shown = true -> sound (ClassesDP classes who l delta) proved.
Proof.
  unfold check_classes. rewrite !andb_true_iff. intros [[P L] [P' H]]. apply classes_are_posed_sound in P, P'.
  apply posed.level_is_posed_sound in L. split; [split; assumption |].
  assert (Same := listed_private classes who (ratio l) (Q2R delta) (fun c I => proj1 (proj1 (proj2 P) c I))). clear P.
  destruct P' as [_ [P _]]. destruct L as [L1 L2]. cbn [holds]. revert H P Same. generalize (listed_classes classes). intros cl H P Same.
  destruct proved.
  - destruct shown as [| | | | [| bits plans places used | |] p | | | | | | | | | | | | | | | | | |]; try discriminate.
    destruct (ratio_below l p) as [[X Y] |] eqn:Ratio; [| discriminate].
    destruct (ratio_below_sound l p X Y Ratio) as [R1 R2].
    apply Same. apply (classes_private_if_below cl who (Qred (X # Z.to_pos Y)) delta (ratio l) _ _ _ _ P) with (4 := H);
      [| exact L1 | apply L2].
    rewrite Q2R_red. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by (apply lt_IZR; exact R1). exact R2.
  - destruct shown; try discriminate. destruct (ratio_above l p) as [[X Y] |] eqn:Ratio; [| discriminate].
    destruct (event_threshold test) as [threshold |]; [| discriminate].
    destruct (event_classes test) as [[[own cuts] others] |]; [| discriminate]. cbv zeta in H. rewrite !andb_true_iff in H.
    destruct H as [[[[B X0] O0] Who] H]. apply Z.leb_le in B, X0, O0.
    destruct (scored_classes _ _ _ cl) as [scored |] eqn:S; [| discriminate].
    destruct (ratio_above_sound l p X Y Ratio) as [R1 R2].
    assert (All := classes_are_scored (event_bits test) cuts (scores test) (fun _ => false) cl scored B P S).
    intros Holds. apply Same in Holds. revert Holds.
    refine (classes_event_sound (event_bits test) (fun _ => false) cl (value_of_message cuts (scores test) cl) B P scored
      (Z.to_nat own) _ _ others threshold X Y delta (ratio l) who All _ R1 R2 X0 _ H); [lra |].
    intros j ->. apply Z.eqb_eq in Who. rewrite Z2Nat.id by exact O0. exact Who.
Qed.
