(** The checker, and that what it accepts is true.

    [check] decides a certificate: a claim, a verdict (true for PROVED, false for REFUTED) and a witness. Each kind has
    its programs and their soundness in files of its own; here they are put together, with conjunctions and negations.

    - [check_sound]: if it accepts, then the claim holds where the verdict is PROVED, and does not hold where it is
      REFUTED, for every claim, verdict and witness;
    - [check_established]: and what the parts of the claim that decide it speak of exists: tables are laws, parameters
      lie in their domains.

    Nothing is accepted of a kind that has no line here. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Reals List Bool.
From ExactdpChecker Require Import claims witnesses kinds.
From ExactdpChecker Require Import inequality_program inequality_sound box_program box_sound.
From ExactdpChecker Require Import zero_estimate_checked additive_view_checked equal_laws_checked never_dp_checked.
From ExactdpChecker Require Import noise_privacy_program shift_sound smooth_tail_sound count_accuracy_checked.
From ExactdpChecker Require Import noise_windows shift_dp_enclosed tail_enclosed smooth_enclosed composed_checked.
From ExactdpChecker Require Import composed_refuted.
From ExactdpChecker Require Import shuffle_dp_checked participation_checked any_checked classes_checked product_checked.
From ExactdpChecker Require Import absent_product_checked.
From ExactdpChecker Require Import two_message_dp_checked counting_checked sampled_checked monotone_checked for_all_checked.
From ExactdpChecker Require Import split_and_mix_checked.
From ExactdpChecker Require Import view_accuracy_checked equal_laws_enclosed count_accuracy_enclosed.
Import ListNotations.

(** [check] is [check_claim] of these three; the OCaml program calls the latter. *)
Record certificate : Type := { claimed : claim; verdict : bool; shown : witness }.

(** The programs of the kinds, one line for each. *)
Definition check_kind (c : claim) (proved : bool) (w : witness) : bool :=
  match c with
  | ShuffleDP r n s nb l delta smallest => check_shuffle_dp r n s nb l delta smallest proved w
  | AnyShuffleDP E0 n _ l delta => check_any E0 n l delta proved w
  | ParticipationDP r q a n s l delta => check_participation r q a n s l delta proved w
  | ClassesDP classes who l delta => check_classes classes who l delta proved w
  | MembersDP classes who l delta => check_members classes who l delta proved w
  | ProductDP of n _ l delta => check_product of n l delta proved w
  | AbsentProductDP of q a n _ l delta => check_absent_product of q a n l delta proved w
  | TwoMessageDP t n _ l delta => check_two_message_dp t n l delta proved w
  | CountingDP p1 parts l delta => check_counting p1 parts l delta proved w
  | SampleThresholdDP q tau users l delta => check_sampled q tau users l delta proved w
  | NeverDP t n nb delta_below => check_never_dp t n nb delta_below proved w
  | SplitAndMix n q m distance => check_split_and_mix n q m distance proved w
  | ShiftDP nu shift l delta least =>
      check_shift_exact nu shift l delta least proved w || check_shift_pure nu shift l delta least proved w ||
      check_shift_enclosed nu shift l delta least proved w
  | Smooth nu k l delta => check_smooth_exact nu k l delta proved w || check_smooth_enclosed nu k l delta proved w
  | Tail nu first last at_most q =>
      check_tail_exact nu first last at_most q proved w || check_tail_enclosed nu first last at_most q proved w
  | Accuracy t n histogram a values alpha beta => check_view_accuracy t n histogram a values alpha beta proved w
  | CountAccuracy nu first last weight offset threshold alpha beta =>
      check_count_exact nu first last weight offset threshold alpha beta proved w ||
      check_count_enclosed nu first last weight offset threshold alpha beta proved w
  | EqualLaws nu nu' => check_equal_laws nu nu' proved w || check_equal_laws_enclosed nu nu' proved w
  | AdditiveView t base shifts => check_additive_view t base shifts proved w
  | ZeroEstimate t weights threshold x => check_zero_estimate t weights threshold x proved w
  | Inequality variables hypotheses conclusion => check_inequality variables hypotheses conclusion proved w
  | BoxInequality variables box terms is_strict => check_box variables box terms is_strict proved w
  | _ => false
  end.

Lemma check_kind_sound c proved w : check_kind c proved w = true -> sound c proved.
Proof.
  destruct c; try discriminate.
  - apply check_shuffle_dp_sound.
  - apply check_any_sound.
  - apply check_participation_sound.
  - apply check_classes_sound.
  - apply check_members_sound.
  - apply check_product_sound.
  - apply check_absent_product_sound.
  - apply check_two_message_dp_sound.
  - apply check_counting_sound.
  - apply check_sampled_sound.
  - apply check_never_dp_sound.
  - apply check_split_and_mix_sound.
  - repeat apply sound_either;
      [apply check_shift_exact_sound | apply check_shift_pure_sound | apply check_shift_enclosed_sound].
  - apply sound_either; [apply check_smooth_exact_sound | apply check_smooth_enclosed_sound].
  - apply sound_either; [apply check_tail_exact_sound | apply check_tail_enclosed_sound].
  - apply check_view_accuracy_sound.
  - apply sound_either; [apply check_count_exact_sound | apply check_count_enclosed_sound].
  - apply sound_either; [apply check_equal_laws_sound | apply check_equal_laws_enclosed_sound].
  - apply check_additive_view_sound.
  - apply check_zero_estimate_sound.
  - apply check_inequality_sound.
  - apply check_box_sound.
Qed.

(** A composition rests on the programs for the claims of its runs, a claim with functions on those at a point. *)
Definition check_with_runs (c : claim) (proved : bool) (w : witness) : bool :=
  match c with
  | Composed runs l delta =>
      check_composed check_kind runs l delta proved w || check_composed_refuted runs l delta proved w
  | ForAll parameters box c => check_for_all check_kind parameters box c proved w
  | Monotone parameters box moved falls t => check_monotone check_kind parameters box moved falls t proved w
  | _ => check_kind c proved w
  end.

Lemma check_with_runs_sound c proved w : check_with_runs c proved w = true -> sound c proved.
Proof.
  destruct c; try exact (check_kind_sound _ proved w).
  - apply sound_either; [| apply check_composed_refuted_sound].
    apply check_composed_sound. intros c v. apply (check_kind_sound c true v).
  - apply check_for_all_sound, check_kind_sound.
  - apply check_monotone_sound, check_kind_sound.
Qed.

(** Whether there is a program for this kind and this form of a witness: what is not accepted then is rejected, and
    else refused by name. No theorem depends on it. *)
Definition has_program_alone (c : claim) (proved : bool) (w : witness) : bool :=
  match c with
  | ShuffleDP r _ _ _ _ _ _ => has_shuffle_dp_program r proved w
  | ParticipationDP r q a _ _ _ _ => has_participation_program r q a proved w
  | AnyShuffleDP _ _ _ _ _ | ProductDP _ _ _ _ _ | CountingDP _ _ _ _ | SampleThresholdDP _ _ _ _ _ | SplitAndMix _ _ _ _ => true
  | NeverDP _ _ _ _ => true
  | AbsentProductDP of q a _ _ _ _ => has_absent_product_program of q a proved
  | ClassesDP classes _ _ _ => has_classes_program classes proved w
  | MembersDP classes _ _ _ => has_members_program classes proved w
  | ShiftDP nu _ _ _ _ | Tail nu _ _ _ _ => if asks_for_bits w then has_window nu else true
  | Smooth nu _ _ _ => match w with Simple (Bits _) | By _ (Bits _) => has_window nu | _ => true end
  | CountAccuracy nu _ _ _ _ _ _ _ => if asks_for_bits w then has_window nu else true
  | TwoMessageDP _ _ _ _ _ | Accuracy _ _ _ _ _ _ _ | EqualLaws _ _ | AdditiveView _ _ _ | ZeroEstimate _ _ _ _ => true
  | Inequality _ _ _ | BoxInequality _ _ _ _ => true
  | _ => false
  end.

Definition has_program (c : claim) (proved : bool) (w : witness) : bool :=
  match c with
  | Composed runs _ _ =>
      has_composed_program (fun part v => has_program_alone part true v) runs proved w ||
        has_refuting_program runs proved w
  | ForAll _ _ points =>
      match w with
      | OfFunctions (AtPoint x (Some v)) =>
          match plain_at x points with Some part => has_program_alone part false v | None => true end
      | _ => true
      end
  | Monotone _ _ _ _ _ => true
  | _ => has_program_alone c proved w
  end.

(** Two lists of the same length, entry by entry. *)
Definition both {A B} (f : A -> B -> bool) : list A -> list B -> bool :=
  fix go l m :=
    match l, m with
    | [], [] => true
    | a :: l', b :: m' => f a b && go l' m'
    | _, _ => false
    end.

(** The entry in this place decides. *)
Definition at_place {A} (f : A -> bool) : list A -> Z -> bool :=
  fix go l i :=
    match l with
    | [] => false
    | a :: l' => if Z.eqb i 0 then f a else go l' (Z.pred i)
    end.

Fixpoint check_claim (c : claim) (proved : bool) (w : witness) : bool :=
  match c with
  | Conjunction parts _ =>
      match proved, w with
      | true, Parts ws => both (fun part v => check_claim part true v) parts ws
      | false, PartWitness i v => at_place (fun part => check_claim part false v) parts i
      | _, _ => false
      end
  | Not inner => check_claim inner (negb proved) w
  | _ => check_with_runs c proved w
  end.

Fixpoint is_covered (c : claim) (proved : bool) (w : witness) : bool :=
  match c with
  | Conjunction parts _ =>
      match proved, w with
      | true, Parts ws => both (fun part v => is_covered part true v) parts ws
      | false, PartWitness i v => at_place (fun part => is_covered part false v) parts i
      | _, _ => true
      end
  | Not inner => is_covered inner (negb proved) w
  | _ => has_program c proved w
  end.

Definition check (c : certificate) : bool := check_claim (claimed c) (verdict c) (shown c).

(** ** Soundness *)

Lemma check_claim_sound : forall c proved w, check_claim c proved w = true -> established c proved.
Proof.
  apply (claim_with_parts (fun c => forall proved w, check_claim c proved w = true -> established c proved)).
  - intros c Simple proved w H. apply established_simple; [exact Simple |]. apply (check_with_runs_sound c proved w).
    destruct c; try exact H; contradiction.
  - intros parts assumed IH proved w H. destruct proved, w; simpl in H; try discriminate; simpl.
    + revert parts0 H. induction IH as [| part parts P _ IH]; intros [| v ws] H; simpl in H; try discriminate;
        [exact I |].
      apply andb_true_iff in H. destruct H as [H1 H2]. split; [apply (P true v H1) | apply (IH ws H2)].
    + revert part H. induction IH as [| a parts P _ IH]; intros i H; simpl in H; [discriminate |].
      destruct (Z.eqb i 0); [left; apply (P false w H) | right; apply (IH _ H)].
  - intros c IH proved w H. simpl in *. apply (IH _ _ H).
Qed.

Theorem check_established c : check c = true -> established (claimed c) (verdict c).
Proof. apply check_claim_sound. Qed.

Theorem check_sound c :
  check c = true -> if verdict c then holds (claimed c) else ~ holds (claimed c).
Proof. intros H. apply established_true, check_established, H. Qed.
