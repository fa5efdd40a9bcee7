(** Constant ratios are one outcome.

    Let P and Q be laws on a type A, finite or infinite, and let a map h put the outcomes into classes
    such that P a Q b = P b Q a for any two outcomes a, b of one class: one likelihood ratio, which may be
    infinite. Let P' and Q' be the probabilities of the classes. Then P is (E, delta)-below Q if and only if
    P' is (E, delta)-below Q', for all E, delta >= 0 ([constant_ratios]). So neither the divergence nor
    whether a smaller e^eps will do can tell the outcomes of a class apart: the checker replaces a pair of
    infinite laws by a pair of finite ones (the pairs themselves: steps_geometric.v).

    Idea: within a class all excesses P a - E Q a have one sign, so that no event in it has a larger excess
    than the whole class or nothing. The other direction is post-processing.

    The class Steps of exactdp/checker/finite_laws.py rests on it. Source: docs/certificates.md. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums masses hockey_stick half_line_infinite.
Import ListNotations.
Open Scope R_scope.

(** A sum, class by class. *)
Definition in_class {A B} (h : A -> B) (b : B) (a : A) : bool := if same (h a) b then true else false.

Lemma total_by_class {A B} (h : A -> B) (l : list A) f :
  total l f = total (nodup same (map h l)) (fun b => total (filter (in_class h b) l) f).
Proof.
  rewrite (total_ext (nodup same (map h l)) _
    (fun b => total l (fun a => if same (h a) b then f a else 0))).
  - rewrite total_swap. apply total_ext. intros a I. symmetry.
    apply (total_single same); [apply NoDup_nodup |]. apply nodup_In, in_map, I.
  - intros b _. rewrite total_filter. apply total_ext. intros a _. unfold in_class.
    destruct (same (h a) b); reflexivity.
Qed.

(** The probability of finitely many classes together. *)
Lemma mass_of_classes {A B} (h : A -> B) (D : A -> R) (D' : B -> R) (l : list B) :
  (forall a, 0 <= D a) -> (forall b, mass_of D (fun a => h a = b) (D' b)) -> NoDup l ->
  mass_of D (fun a => In (h a) l) (total l D').
Proof.
  intros Pos H N. split.
  - intros s [m [Nm [I ->]]]. rewrite (total_by_class h).
    apply Rle_trans with (total (nodup same (map h m)) D').
    + apply total_le. intros b _. destruct (H b) as [U _]. apply U.
      exists (filter (in_class h b) m). split; [apply NoDup_filter, Nm |]. split; [| reflexivity].
      intros a Ia. apply filter_In in Ia. destruct Ia as [_ E]. unfold in_class in E.
      destruct (same (h a) b); [assumption | discriminate].
    + apply total_incl; [apply NoDup_nodup | |].
      * intros b Ib. apply nodup_In, in_map_iff in Ib. destruct Ib as [a [<- Ia]]. apply I, Ia.
      * intros b _. destruct (H b) as [U _]. apply U. exists [].
        split; [constructor | split; [intros a [] | reflexivity]].
  - intros c Hc. revert c Hc. induction N as [| b l Hb N IH]; intros c Hc.
    + apply Hc. exists []. split; [constructor | split; [intros a [] | reflexivity]].
    + simpl. enough (total l D' <= c - D' b) by lra. apply IH. intros s [m [Nm [Im ->]]].
      enough (D' b <= c - total m D) by lra. destruct (H b) as [_ L]. apply L.
      intros s [k [Nk [Ik ->]]]. enough (total (k ++ m) D <= c) by (rewrite total_app in *; lra).
      apply Hc. exists (k ++ m). split; [| split; [| reflexivity]].
      * clear Hc. induction Nk as [| a k Ha Nk IHk]; simpl; [exact Nm |]. constructor.
        -- intros J. apply in_app_or in J. destruct J as [J | J]; [contradiction |].
           apply Hb. rewrite <- (Ik a (or_introl eq_refl)). apply Im, J.
        -- apply IHk. intros d Id. apply Ik. right. exact Id.
      * intros a Ia. apply in_app_or in Ia. destruct Ia as [J | J].
        -- left. symmetry. apply Ik, J.
        -- right. apply Im, J.
Qed.

(** With one ratio, one positive excess shows that no excess is negative. *)
Lemma one_sign p q p' q' E :
  0 <= p -> 0 <= q -> 0 <= p' -> 0 <= q' -> 0 <= E -> p * q' = p' * q -> 0 < p - E * q -> 0 <= p' - E * q'.
Proof.
  intros Hp Hq Hp' Hq' HE R Pos. destruct (Req_EM_T q 0) as [Z | N].
  - rewrite Z, Rmult_0_r in R. rewrite Z in Pos. apply Rmult_integral in R.
    destruct R as [R | R]; [lra | rewrite R; lra].
  - assert (Q : 0 < q) by lra. apply Rmult_le_reg_l with q; [exact Q |].
    replace (q * (p' - E * q')) with (p * q' - E * q * q') by (rewrite R; ring).
    rewrite Rmult_0_r. assert (0 <= (p - E * q) * q') by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem constant_ratios {A B} (h : A -> B) (P Q : A -> R) (P' Q' : B -> R) E delta :
  law P -> law Q ->
  (forall b, mass_of P (fun a => h a = b) (P' b)) -> (forall b, mass_of Q (fun a => h a = b) (Q' b)) ->
  (forall a c, h a = h c -> P a * Q c = P c * Q a) -> 0 <= E -> 0 <= delta ->
  (mass_below P Q E delta <-> mass_below P' Q' E delta).
Proof.
  intros LP LQ HP HQ HR HE Hd. split; intros H.
  - intros l N. apply (mass_below_all_events P Q E delta HE H (fun a => In (h a) l)).
    + apply mass_of_classes; [apply LP | exact HP | exact N].
    + apply mass_of_classes; [apply LQ | exact HQ | exact N].
  - intros l N. apply mass_hockey_stick_iff with (l := nodup same (map h l)) in H; [| apply NoDup_nodup].
    enough (X : total l (fun a => P a - E * Q a) <= delta)
      by (rewrite total_minus, total_scal in X; lra).
    eapply Rle_trans; [| exact H]. rewrite (total_by_class h). apply total_le. intros b _.
    set (m := filter (in_class h b) l). assert (Nm : NoDup m) by (apply NoDup_filter, N).
    assert (Im : forall a, In a m -> h a = b).
    { intros a Ia. apply filter_In in Ia. destruct Ia as [_ E']. unfold in_class in E'.
      destruct (same (h a) b); [assumption | discriminate]. }
    destruct (Classical_Prop.classic (exists a, h a = b /\ 0 < P a - E * Q a)) as [[a [Ha Pos]] | None].
    + eapply Rle_trans; [| apply Rmax_r].
      apply (excess_in_event P Q E (fun c => h c = b)); auto.
      intros c Hc. apply (one_sign (P a) (Q a)); try apply LP; try apply LQ; auto.
      apply HR. congruence.
    + eapply Rle_trans; [| apply Rmax_l]. rewrite <- (total_zero m). apply total_le. intros c Ic.
      apply Rnot_lt_le. intros Pos. apply None. exists c. split; [apply Im, Ic | exact Pos].
Qed.
