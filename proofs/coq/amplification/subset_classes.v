(** The classes of subset selection.

    d >= 2 inputs, 1 <= w < d, real E = e^eps0 >= 1. A message is a subset of w of the d inputs, as a list of d bits;
    a subset that has the own input is E times as likely as any other one ([subset_selection]). A message supports
    the inputs that it has. With u uniform on all subsets of w inputs, low = d / (w E + d - w) and high = E low;
    among l different inputs a pattern with s ones has the mass (w)_s (d - w)_(l - s) / (d)_l under u, where (a)_i =
    a (a - 1) ... (a - i + 1) ([subset_masses]); and no subset has every input. So the classes are those of
    families.py ([subset_blanket], [subset_others]), for every n and every real e^eps.

    Idea: an input is in the subset with probability w / d, and what is left is a uniform subset of w - 1 or of w of
    the other d - 1 inputs. Source: this package. *)

From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Exactdp Require Import reals sums laws hockey_stick shuffler binomial mean_excess classes supports k_ary_classes.
Import ListNotations.
Open Scope R_scope.

(** All lists of d bits with w ones. *)
Fixpoint subsets (d w : nat) : list (list bool) :=
  match d, w with
  | O, O => [[]]
  | O, S _ => []
  | S d, O => map (cons false) (subsets d 0)
  | S d, S w => map (cons true) (subsets d w) ++ map (cons false) (subsets d (S w))
  end.

(** a (a - 1) ... (a - i + 1). *)
Fixpoint falling (a i : nat) : R :=
  match i with
  | O => 1
  | S i => INR a * falling (a - 1) i
  end.

Definition subset_masses (d w : nat) (bits : list bool) : R :=
  falling w (ones bits) * falling (d - w) (length bits - ones bits) / falling d (length bits).

Definition subset_low (d w : nat) (E : R) : R := INR d / (INR w * E + INR d - INR w).

Definition has_member (v : nat) (m : list bool) : bool := nth v m false.

Definition subset_selection (d w : nat) (E : R) (x : nat) : dist (list bool) :=
  map (fun m => (density (E * subset_low d w E) (subset_low d w E) (has_member x m) / INR (length (subsets d w)), m))
    (subsets d w).

(** ** Subsets without one input *)

(** The list with one more entry, in place v. *)
Fixpoint with_entry (v : nat) (a : bool) (m : list bool) : list bool :=
  match v, m with
  | S v, b :: rest => b :: with_entry v a rest
  | _, _ => a :: m
  end.

Definition place_without (v i : nat) : nat := if (i <? v)%nat then i else (i - 1)%nat.

Lemma with_entry_same v a m : (v <= length m)%nat -> has_member v (with_entry v a m) = a.
Proof.
  unfold has_member. revert m. induction v as [| v IH]; intros [| b m] L; simpl in *; try reflexivity; try lia.
  apply IH. lia.
Qed.

Lemma with_entry_other v i a m :
  (v <= length m)%nat -> i <> v -> has_member i (with_entry v a m) = has_member (place_without v i) m.
Proof.
  unfold has_member, place_without. revert m i. induction v as [| v IH]; intros m i L N.
  - destruct i as [| i]; [congruence |]. simpl. rewrite Nat.sub_0_r. reflexivity.
  - destruct m as [| b m]; simpl in L; [lia |]. destruct i as [| i]; [reflexivity |]. simpl.
    rewrite IH by lia. destruct (Nat.ltb_spec i v), (Nat.ltb_spec (S i) (S v)); try lia; [reflexivity |].
    destruct i as [| i]; [lia |]. simpl. rewrite Nat.sub_0_r. reflexivity.
Qed.

Lemma subsets_length d w m : In m (subsets d w) -> length m = d.
Proof.
  revert w m. induction d as [| d IH]; intros w m I.
  - destruct w; simpl in I; [destruct I as [<- | []]; reflexivity | contradiction].
  - destruct w as [| w]; simpl in I.
    + apply in_map_iff in I. destruct I as [r [<- I]]. simpl. rewrite (IH _ _ I). reflexivity.
    + apply in_app_or in I. destruct I as [I | I]; apply in_map_iff in I; destruct I as [r [<- I]]; simpl;
        rewrite (IH _ _ I); reflexivity.
Qed.

(** Sums over subsets of d + 1 inputs: those with the input v, and those without it. *)
Lemma total_subsets d w v f :
  (v <= d)%nat ->
  total (subsets (S d) w) f =
  match w with O => 0 | S w' => total (subsets d w') (fun m => f (with_entry v true m)) end +
  total (subsets d w) (fun m => f (with_entry v false m)).
Proof.
  revert w v f. induction d as [| d IH]; intros w v f V.
  - assert (v = 0%nat) by lia. subst v. destruct w as [| [| w]]; simpl; ring.
  - destruct v as [| v].
    + destruct w as [| w]; cbn [subsets with_entry]; [rewrite total_map; ring |].
      rewrite total_app, !total_map. reflexivity.
    + destruct w as [| w].
      * change (subsets (S (S d)) 0) with (map (cons false) (subsets (S d) 0)). rewrite total_map.
        rewrite (IH 0%nat v (fun m => f (false :: m))) by lia.
        change (subsets (S d) 0) with (map (cons false) (subsets d 0)). rewrite total_map. reflexivity.
      * change (subsets (S (S d)) (S w)) with
          (map (cons true) (subsets (S d) w) ++ map (cons false) (subsets (S d) (S w))).
        rewrite total_app, !total_map.
        rewrite (IH w v (fun m => f (true :: m))), (IH (S w) v (fun m => f (false :: m))) by lia.
        change (subsets (S d) (S w)) with (map (cons true) (subsets d w) ++ map (cons false) (subsets d (S w))).
        rewrite total_app, !total_map. cbn [with_entry].
        destruct w as [| w].
        -- change (subsets (S d) 0) with (map (cons false) (subsets d 0)). rewrite total_map. cbn [with_entry]. ring.
        -- change (subsets (S d) (S w)) with (map (cons true) (subsets d w) ++ map (cons false) (subsets d (S w))).
           rewrite total_app, !total_map. cbn [with_entry]. ring.
Qed.

Lemma subsets_none d w : (d < w)%nat -> subsets d w = [].
Proof.
  revert w. induction d as [| d IH]; intros [| w] L; try lia; [reflexivity |]. simpl. rewrite !IH by lia. reflexivity.
Qed.

Lemma subsets_counted d w : (w <= d)%nat -> INR (length (subsets d w)) = C d w.
Proof.
  revert w. induction d as [| d IH]; intros w L.
  - replace w with 0%nat by lia. rewrite choose_0. reflexivity.
  - destruct w as [| w].
    + simpl. rewrite map_length, IH, !choose_0 by lia. reflexivity.
    + simpl subsets. rewrite app_length, !map_length, plus_INR, IH by lia.
      destruct (Nat.eq_dec w d) as [-> | N]; [rewrite subsets_none, !choose_n by lia; simpl; ring |].
      rewrite IH, pascal by lia. reflexivity.
Qed.

(** An input is a member with probability w / d. *)
Lemma member_chance d w : (w <= d)%nat -> C (S d) (S w) * INR (S w) = INR (S d) * C d w.
Proof.
  intros L. unfold C. replace (S d - S w)%nat with (d - w)%nat by lia.
  change (fact (S d)) with (S d * fact d)%nat. change (fact (S w)) with (S w * fact w)%nat. rewrite !mult_INR.
  assert (A := INR_fact_neq_0 w). assert (B := INR_fact_neq_0 (d - w)). assert (D := not_0_INR (S w) ltac:(lia)).
  field. auto.
Qed.

Lemma not_member_chance d w : (w <= d)%nat -> C (S d) w * INR (S d - w) = INR (S d) * C d w.
Proof.
  intros L. unfold C. replace (S d - w)%nat with (S (d - w)) by lia.
  change (fact (S d)) with (S d * fact d)%nat. change (fact (S (d - w))) with (S (d - w) * fact (d - w))%nat.
  rewrite !mult_INR.
  assert (A := INR_fact_neq_0 w). assert (B := INR_fact_neq_0 (d - w)). assert (D := not_0_INR (S (d - w)) ltac:(lia)).
  field. auto.
Qed.

(** ** The masses of patterns *)

Lemma subset_masses_member d w bits :
  subset_masses (S d) (S w) (true :: bits) = INR (S w) / INR (S d) * subset_masses d w bits.
Proof.
  unfold subset_masses, ones. cbn [length]. rewrite count_occ_cons_eq by reflexivity. cbn [falling Nat.sub].
  rewrite !Nat.sub_0_r. unfold Rdiv. rewrite !Rinv_mult. ring.
Qed.

Lemma subset_masses_no_member d w bits :
  subset_masses (S d) w (false :: bits) = INR (S d - w) / INR (S d) * subset_masses d w bits.
Proof.
  assert (O := ones_at_most bits). unfold subset_masses, ones in *. cbn [length].
  rewrite count_occ_cons_neq by discriminate. rewrite (Nat.sub_succ_l _ _ O). cbn [falling].
  replace (S d - w - 1)%nat with (d - w)%nat by lia. replace (S d - 1)%nat with d by lia.
  unfold Rdiv. rewrite !Rinv_mult. ring.
Qed.

Lemma total_patterns d w inputs f :
  NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) -> (w <= d)%nat ->
  total (subsets d w) (fun m => f (map (fun v => has_member v m) inputs)) =
  C d w * total (bit_patterns (length inputs)) (fun bits => subset_masses d w bits * f bits).
Proof.
  remember (length inputs) as l eqn:Hl. revert inputs Hl d w f.
  induction l as [| l IH]; intros inputs Hl d w f N I W.
  - destruct inputs; [| discriminate]. simpl. rewrite total_const, subsets_counted by exact W.
    unfold subset_masses, ones. simpl. field.
  - destruct inputs as [| v rest]; [discriminate |]. simpl in Hl. injection Hl as Hl.
    apply NoDup_cons_iff in N. destruct N as [V N']. assert (Hv := I v (or_introl eq_refl)).
    destruct d as [| d]; [lia |]. assert (Hd := not_0_INR (S d) ltac:(lia)).
    set (places := map (place_without v) rest).
    assert (Pl : l = length places) by (unfold places; rewrite map_length; exact Hl).
    assert (Pr : forall i, In i places -> (i < d)%nat).
    { intros i J. unfold places in J. apply in_map_iff in J. destruct J as [j [<- J]].
      assert (Hj := I j (or_intror J)). assert (j <> v) by (intros ->; contradiction). unfold place_without.
      destruct (Nat.ltb_spec j v); lia. }
    assert (Pn : NoDup places).
    { unfold places. clear - N' V. induction N' as [| j js J N' IH]; simpl; constructor.
      - intros K. apply in_map_iff in K. destruct K as [i [E K]]. apply J. replace j with i; [exact K |].
        assert (i <> v) by (intros ->; apply V; right; exact K).
        assert (j <> v) by (intros ->; apply V; left; reflexivity).
        unfold place_without in E. destruct (Nat.ltb_spec i v), (Nat.ltb_spec j v); lia.
      - apply IH. intros K. apply V. right. exact K. }
    assert (Wi : forall a w g,
      total (subsets d w) (fun m => g (map (fun i => has_member i (with_entry v a m)) (v :: rest))) =
      total (subsets d w) (fun m => g (a :: map (fun i => has_member i m) places))).
    { intros a w' g. apply total_ext. intros m M. assert (L := subsets_length d w' m M). simpl.
      rewrite with_entry_same by lia. unfold places. rewrite map_map. do 2 f_equal. apply map_ext_in. intros i J.
      apply with_entry_other; [lia | intros ->; contradiction]. }
    rewrite (total_subsets d w v _ ltac:(lia)), (Wi false w f).
    cbn [bit_patterns]. rewrite total_app, !total_map, Rmult_plus_distr_l. f_equal.
    + destruct w as [| w].
      * rewrite (total_ext (bit_patterns l) _ (fun _ => 0)), total_zero; [ring |]. intros bits _.
        unfold subset_masses, ones. rewrite count_occ_cons_eq by reflexivity. cbn [falling]. simpl INR. unfold Rdiv.
        ring.
      * rewrite (Wi true w f), (IH places Pl d w (fun bits => f (true :: bits)) Pn Pr) by lia.
        rewrite <- !total_scal. apply total_ext. intros bits _. rewrite subset_masses_member.
        assert (M := member_chance d w ltac:(lia)).
        replace (C d w) with (C (S d) (S w) * INR (S w) / INR (S d)) by (rewrite M; field; exact Hd). field. exact Hd.
    + destruct (Nat.eq_dec w (S d)) as [-> | Nw].
      * rewrite subsets_none by lia. rewrite (total_ext (bit_patterns l) _ (fun _ => 0)), total_zero; [simpl; ring |].
        intros bits _.
        rewrite subset_masses_no_member, Nat.sub_diag. simpl INR. unfold Rdiv. ring.
      * rewrite (IH places Pl d w (fun bits => f (false :: bits)) Pn Pr) by lia.
        rewrite <- !total_scal. apply total_ext. intros bits _. rewrite subset_masses_no_member.
        assert (M := not_member_chance d w ltac:(lia)).
        replace (C d w) with (C (S d) w * INR (S d - w) / INR (S d)) by (rewrite M; field; exact Hd). field. exact Hd.
Qed.

(** ** The randomizer *)

Section Subsets.

  Context (d w : nat) (E : R).
  Hypothesis w_positive : (1 <= w)%nat.
  Hypothesis w_below_d : (w < d)%nat.
  Hypothesis E_1 : 1 <= E.

  Local Notation low := (subset_low d w E).
  Local Notation high := (E * subset_low d w E).
  Local Notation u := (uniform (subsets d w)).

  Lemma weight_positive : 0 < INR w * E + INR d - INR w.
  Proof.
    assert (0 < INR d) by (apply lt_0_INR; lia).
    assert (0 <= INR w * (E - 1)) by (apply Rmult_le_pos; [apply pos_INR | lra]).
    lra.
  Qed.

  Lemma subset_low_positive : 0 < low.
  Proof. apply Rdiv_lt_0_compat; [apply lt_0_INR; lia | apply weight_positive]. Qed.

  Lemma some_subsets : subsets d w <> [].
  Proof.
    intros H. assert (B := subsets_counted d w ltac:(lia)). rewrite H in B. assert (P := choose_pos d w). simpl in B.
    lra.
  Qed.

  Lemma subset_scheme : scheme (subset_selection d w E) d u has_member high low.
  Proof.
    assert (L := subset_low_positive). split; [| split].
    - exact (proj1 (proper_uniform _ some_subsets)).
    - split; [lra |]. rewrite <- (Rmult_1_l low) at 1. apply Rmult_le_compat_r; lra.
    - intros x _ f. rewrite mean_uniform. unfold mean, subset_selection. rewrite total_map, <- total_scal.
      apply total_ext. intros m _. simpl. unfold Rdiv. ring.
  Qed.

  Lemma falling_nonneg a i : 0 <= falling a i.
  Proof.
    revert a. induction i as [| i IH]; intros a; simpl; [lra | apply Rmult_le_pos; [apply pos_INR | apply IH]].
  Qed.

  Lemma subset_patterns inputs :
    NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) -> patterns u has_member inputs (subset_masses d w).
  Proof.
    intros N I. split.
    - intros bits. unfold subset_masses, Rdiv. apply Rmult_le_pos; [apply Rmult_le_pos; apply falling_nonneg |].
      destruct (falling_nonneg d (length bits)) as [P | <-]; [left; apply Rinv_0_lt_compat, P | rewrite Rinv_0; lra].
    - intros f. rewrite mean_uniform, total_patterns, subsets_counted by (assumption || lia).
      assert (P := choose_pos d w). rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. reflexivity.
  Qed.

  Lemma subset_proper x : (x < d)%nat -> proper (subset_selection d w E x).
  Proof.
    intros X. assert (L := subset_low_positive). split.
    - intros wa I. apply in_map_iff in I. destruct I as [m [<- I]]. simpl. unfold Rdiv. apply Rmult_le_pos.
      + assert (0 <= high) by (apply Rmult_le_pos; lra). unfold density. destruct (has_member x m); lra.
      + left. apply Rinv_0_lt_compat. rewrite subsets_counted by lia. apply choose_pos.
    - destruct subset_scheme as [_ [_ D]]. rewrite D by exact X.
      destruct (subset_patterns [x]) as [_ S].
      + constructor; [intros [] | constructor].
      + intros v [<- | []]. exact X.
      + specialize (S (fun bits => density high low (nth 0 bits false) * 1)). simpl in S. rewrite S.
        unfold subset_masses, ones, density. simpl. unfold subset_low. assert (W := weight_positive).
        assert (0 < INR d) by (apply lt_0_INR; lia). rewrite minus_INR by lia. field. lra.
  Qed.

  Lemma subset_pair x y : (x < d)%nat -> (y < d)%nat -> x <> y -> patterns u has_member [x; y] (subset_masses d w).
  Proof.
    intros X Y N. apply subset_patterns.
    - constructor; [intros [F | []]; congruence | constructor; [intros [] | constructor]].
    - intros v [<- | [<- | []]]; assumption.
  Qed.

  (** A subset of fewer than d inputs lacks one. *)
  Lemma some_input_missing e k m : In m (subsets e k) -> (k < e)%nat -> exists v, (v < e)%nat /\ has_member v m = false.
  Proof.
    clear. unfold has_member. revert k m. induction e as [| e IH]; intros k m I K; [lia |]. simpl in I.
    destruct k as [| k].
    - apply in_map_iff in I. destruct I as [r [<- _]]. exists 0%nat. split; [lia | reflexivity].
    - apply in_app_or in I. destruct I as [I | I]; apply in_map_iff in I; destruct I as [r [<- I]].
      + destruct (IH k r I ltac:(lia)) as [v [V F]]. exists (S v). split; [lia | exact F].
      + exists 0%nat. split; [lia | reflexivity].
  Qed.

  Lemma subset_blanket_here :
    has_blanket (subset_selection d w E) d (blanket_of u high low (fun _ => false)) high low 0 (subset_masses d w).
  Proof.
    apply (family_blanket _ d _ _ _ _ subset_scheme _ subset_pair (fun _ => false)).
    - lia.
    - exact subset_proper.
    - discriminate.
    - intros wm I _. apply in_map_iff in I. destruct I as [m [<- I]]. apply (some_input_missing d w); assumption.
    - unfold mean, indicator. rewrite (total_ext _ _ (fun _ => 0)) by (intros; ring). apply total_zero.
  Qed.

  Lemma subset_others_here :
    has_pair (subset_selection d w E) d high low (subset_masses d w) /\
    has_third (subset_selection d w E) d high low (fun _ _ _ => True) (subset_masses d w).
  Proof.
    split; [apply (family_pair _ d _ _ _ _ subset_scheme), subset_pair |].
    apply (family_third _ d _ _ _ _ subset_scheme). intros x y z X Y Z N1 N2 N3 _. apply subset_patterns.
    - constructor; [intros [F | [F | []]]; congruence |].
      constructor; [intros [F | []]; congruence | constructor; [intros [] | constructor]].
    - intros v [<- | [<- | [<- | []]]]; assumption.
  Qed.

End Subsets.

Theorem subset_blanket d w E :
  (1 <= w)%nat -> (w < d)%nat -> 1 <= E ->
  has_blanket (subset_selection d w E) d
    (blanket_of (uniform (subsets d w)) (E * subset_low d w E) (subset_low d w E) (fun _ => false))
    (E * subset_low d w E) (subset_low d w E) 0 (subset_masses d w).
Proof. exact (subset_blanket_here d w E). Qed.

Theorem subset_others d w E :
  (1 <= w)%nat -> (w < d)%nat -> 1 <= E ->
  has_pair (subset_selection d w E) d (E * subset_low d w E) (subset_low d w E) (subset_masses d w) /\
  has_third (subset_selection d w E) d (E * subset_low d w E) (subset_low d w E) (fun _ _ _ => True)
    (subset_masses d w).
Proof. exact (subset_others_here d w E). Qed.
