(** Accuracy of a count plus noise by enclosure: the program and its soundness.

    With bits as the witness, [check_count_enclosed] bounds the probability of an error above alpha at the one count
    that is the worst (one_count.v), from above to prove the claim and from below to refute it
    ([check_count_enclosed_sound]), for every noise law that has a window (noise_windows.v), every weight > 0, offset,
    threshold, alpha and beta, and counts from 0 on.

    It is NoisyCount of exactdp/checker/accuracy.py where a witness has bits. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums masses one_count fixed_point_weights.
From ExactdpChecker Require Import claims witnesses kinds windows noise_windows tail_enclosed posed smooth_tail_sound.
From ExactdpChecker Require Import count_accuracy_checked.
Import ListNotations.
Open Scope Z_scope.

Definition check_count_enclosed (nu : noise) (least most : Z) (weight offset : Q) (threshold : option Q) (alpha beta :
  Q)
    (proved : bool) (shown : witness) : bool :=
  match shown with
  | Simple (Bits bits) =>
      (0 <=? least) && (least <=? most) && less 0 weight && at_most 0 alpha &&
      match noise_window (Z.to_nat bits) nu with
      | Some v =>
          let d := common_denominator (weight :: offset :: alpha :: match threshold with Some tau => [tau]
            | None => [] end) in
          let w := over d weight in let o := over d offset in let a := over d alpha in
          let '(i, i', x, x') :=
            event_bounds v (is_wrong_at w o a (option_map (over d) threshold) (worst_count w a least most)) in
          negb (i + x =? 0) && if proved then share_at_most i' x beta else negb (share_at_most i x' beta)
      | None => false
      end
  | _ => false
  end.

Open Scope R_scope.

Theorem check_count_enclosed_sound nu least most weight offset threshold alpha beta proved shown :
  check_count_enclosed nu least most weight offset threshold alpha beta proved shown = true ->
  sound (CountAccuracy nu least most weight offset threshold alpha beta) proved.
Proof.
  unfold check_count_enclosed. destruct shown as [[| |bits] | | | | | | | | | | | | | | | | | | | | | |];
    try discriminate.
  rewrite !andb_true_iff. intros [[[[H0 HM] HW] HA] S].
  apply Z.leb_le in H0, HM. apply less_sound in HW. apply at_most_sound in HA. rewrite RMicromega.Q2R_0 in HW, HA.
  destruct (noise_window (Z.to_nat bits) nu) as [v |] eqn:V; [| discriminate].
  destruct (noise_window_sound _ _ _ V) as [NP [u C]]. unfold sound. cbn [well_posed holds]. cbv zeta in S.
  set (qs := weight :: offset :: alpha :: match threshold with Some tau => [tau] | None => [] end) in *.
  set (d := common_denominator qs) in *. assert (Hd : (0 < d)%Z) by apply common_denominator_positive.
  assert (Over : forall q, In q qs -> IZR (over d q) = Q2R q * IZR d).
  { intros q I. apply over_value; [exact Hd | apply common_denominator_divides, I]. }
  assert (W : IZR (over d weight) = Q2R weight * IZR d) by (apply Over; simpl; auto).
  assert (O : IZR (over d offset) = Q2R offset * IZR d) by (apply Over; simpl; auto).
  assert (A : IZR (over d alpha) = Q2R alpha * IZR d) by (apply Over; simpl; auto).
  set (w := over d weight) in *. set (o := over d offset) in *. set (a := over d alpha) in *.
  set (tau := option_map (over d) threshold) in *.
  assert (Iff : forall c y, is_wrong_at w o a tau c y = true <->
    wrong (Q2R weight) (Q2R offset) (Q2R alpha) (option_map Q2R threshold) c y).
  { intros c y. apply (is_wrong_at_iff d); auto. unfold tau. destruct threshold as [t |]; simpl; [| exact I].
    apply Over. simpl. auto. }
  set (top := worst_count w a least most) in *.
  destruct (event_bounds v (is_wrong_at w o a tau top)) as [[[i i'] x] x'] eqn:E.
  apply andb_true_iff in S. destruct S as [_ S]. assert (L := law_enclosed _ _ _ C).
  assert (Bounds := fun p => shares_sound v (noise_mass nu) u (is_wrong_at w o a tau top) C i i' x x' p E).
  destruct (mass_exists (noise_mass nu) (fun y => is_wrong_at w o a tau top y = true) L) as [q Mq].
  specialize (Bounds q Mq). apply (mass_of_ext _ _ _ _ (Iff top)) in Mq.
  split; [exact (conj NP (conj (conj H0 HM) (conj HW HA))) |]. destruct proved.
  - apply share_compare in S. intros c Hc.
    destruct (mass_exists (noise_mass nu) (wrong (Q2R weight) (Q2R offset) (Q2R alpha) (option_map Q2R threshold) c) L)
      as [p Mp].
    exists p. split; [exact Mp |].
    assert (X := one_count_probability (Q2R weight) (Q2R offset) (Q2R alpha) (option_map Q2R threshold) least most HW
      (conj H0 HM) (a / w + 1) (least_wrong d _ _ w a Hd HW W A) (noise_mass nu) c p q Hc Mp Mq). lra.
  - apply negb_true_iff in S. intros Hold. destruct (Hold top) as [p [Mp B]]; [unfold top, worst_count; lia |].
    rewrite (mass_of_unique _ _ _ _ Mp Mq) in B. assert (X : share i x' <= Q2R beta) by lra.
    apply share_compare in X. congruence.
Qed.
