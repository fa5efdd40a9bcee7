(** Rows of Hadamard response that are independent, and those that they make: any number of them.

    Numbers stand for rows of Sylvester's matrix, whose product is their bitwise exclusive or. [independent_signs]: a
    function of the signs of independent rows has the mean of fair bits; [made_of]: a row that depends on them has the
    sign that a mask of them tells ([mask_told]). There are no more independent rows than digits ([few_rows]).

    Idea: signs of a row that is not 0 add up to 0, by induction on the rows. Source: this package. *)

From Coq Require Import Reals List Lra Lia Bool PeanoNat Classical.
From Exactdp Require Import reals sums laws hockey_stick supports hadamard_classes.
Import ListNotations.
Open Scope nat_scope.

(** ** The program *)

(** The sign, + as true, of the product of those rows that the mask says, of whose signs these are the bits. *)
Fixpoint told_mask (mask : nat) (bits : list bool) : bool :=
  match bits with
  | [] => true
  | b :: rest => let t := told_mask (Nat.div2 mask) rest in if Nat.odd mask then Bool.eqb b t else t
  end.

(** ** Masks *)

Fixpoint xor_mask (mask : nat) (rows : list nat) : nat :=
  match rows with
  | [] => 0
  | w :: rest => let t := xor_mask (Nat.div2 mask) rest in if Nat.odd mask then Nat.lxor w t else t
  end.

Fixpoint spans (rows : list nat) (w : nat) : Prop :=
  match rows with
  | [] => w = 0
  | v :: rest => spans rest w \/ spans rest (Nat.lxor w v)
  end.

Fixpoint independent_rows (rows : list nat) : Prop :=
  match rows with
  | [] => True
  | w :: rest => ~ spans rest w /\ independent_rows rest
  end.

Lemma xor_of_none rows : xor_mask 0 rows = 0.
Proof. induction rows as [| w rest IH]; [reflexivity | exact IH]. Qed.

Lemma odd_double m : Nat.odd (2 * m) = false /\ Nat.div2 (2 * m) = m /\ Nat.odd (S (2 * m)) = true /\ Nat.div2 (S (2 *
  m)) = m.
Proof.
  repeat split.
  - rewrite <- Nat.negb_even, Nat.even_mul. reflexivity.
  - apply Nat.div2_double.
  - rewrite Nat.odd_succ, Nat.even_mul. reflexivity.
  - apply Nat.div2_succ_double.
Qed.

Lemma xor_double m w rows : xor_mask (2 * m) (w :: rows) = xor_mask m rows.
Proof. cbn [xor_mask]. destruct (odd_double m) as [-> [-> _]]. reflexivity. Qed.

Lemma xor_first w rows : xor_mask 1 (w :: rows) = w.
Proof. cbn [xor_mask]. simpl. rewrite xor_of_none. apply Nat.lxor_0_r. Qed.

Lemma made_of rows : forall w, spans rows w -> exists mask, mask < 2 ^ length rows /\ xor_mask mask rows = w.
Proof.
  induction rows as [| v rest IH]; intros w Spans.
  - exists 0. simpl in *. split; [lia | symmetry; exact Spans].
  - destruct Spans as [Sp | Sp]; destruct (IH _ Sp) as [m [L E]]; destruct (odd_double m) as [O0 [D0 [O1 D1]]]; cbn
      [length Nat.pow].
    + exists (2 * m). split; [lia |]. rewrite xor_double. exact E.
    + exists (S (2 * m)). split; [lia |]. cbn [xor_mask]. rewrite O1, D1, E. rewrite (Nat.lxor_comm w v), <-
        Nat.lxor_assoc.
      rewrite Nat.lxor_nilpotent. apply Nat.lxor_0_l.
Qed.

Lemma apart_by_masks w rows :
  forallb (fun mask => negb (Nat.eqb (xor_mask mask rows) w)) (seq 0 (2 ^ length rows)) = true -> ~ spans rows w.
Proof.
  intros H Sp. destruct (made_of rows w Sp) as [mask [M E]]. rewrite forallb_forall in H.
  specialize (H mask ltac:(apply in_seq; lia)). rewrite E, Nat.eqb_refl in H. discriminate.
Qed.

Section digits.

Variable b : nat.

Definition small (w : nat) : Prop := Nat.log2 w < b.

Definition bit (w : nat) (m : list bool) : bool := negb (odd_in_common (digits b w) m).

Lemma small_lxor r s : small r -> small s -> small (Nat.lxor r s).
Proof. intros R S. eapply Nat.le_lt_trans; [apply Nat.log2_lxor |]. unfold small in *. lia. Qed.

Lemma small_mask rows : 0 < b -> (forall w, In w rows -> small w) -> forall mask, small (xor_mask mask rows).
Proof.
  intros B. induction rows as [| w rest IH]; intros H mask; [exact B |]. cbn [xor_mask].
  assert (R := IH (fun v I => H v (or_intror I)) (Nat.div2 mask)).
  destruct (Nat.odd mask); [apply small_lxor; [apply H; left; reflexivity | exact R] | exact R].
Qed.

Open Scope R_scope.

Lemma sign_bit w m : sign b w m = if bit w m then 1 else -1.
Proof. unfold sign, bit. destruct (odd_in_common _ _); reflexivity. Qed.

Lemma bit_lxor r s m : bit (Nat.lxor r s) m = Bool.eqb (bit r m) (bit s m).
Proof.
  assert (P := sign_product b r s m). rewrite !sign_bit in P.
  destruct (bit r m), (bit s m), (bit (Nat.lxor r s) m); try reflexivity; lra.
Qed.

Lemma bit_0 m : bit 0 m = true.
Proof. assert (P := sign_of_0 b m). rewrite sign_bit in P. destruct (bit 0 m); [reflexivity | lra]. Qed.

Theorem mask_told rows m : forall mask, told_mask mask (map (fun w => bit w m) rows) = bit (xor_mask mask rows) m.
Proof.
  induction rows as [| w rest IH]; intros mask; [symmetry; apply bit_0 |]. cbn [map told_mask xor_mask]. rewrite IH.
  destruct (Nat.odd mask); [symmetry; apply bit_lxor | reflexivity].
Qed.

Theorem independent_signs rows : (forall w, In w rows -> small w) -> independent_rows rows ->
  (forall F, total (bit_patterns b) (fun m => F (map (fun w => bit w m) rows)) =
    2 ^ b / 2 ^ length rows * total (bit_patterns (length rows)) F) /\
  forall w F, small w -> ~ spans rows w ->
    total (bit_patterns b) (fun m => sign b w m * F (map (fun w => bit w m) rows)) = 0.
Proof.
  induction rows as [| v rest IH]; intros Sm Ind.
  - split.
    + intros F. cbn [map length pow bit_patterns total].
      rewrite (total_ext _ _ (fun _ => F [] * 1)) by (intros; ring). rewrite total_scal, total_bit_patterns_1. field.
    + intros w F Hw N. cbn [map]. rewrite total_scal_r, signs_add_up; [ring | | exact Hw]. intros Z. apply N, Z.
  - destruct Ind as [Nv Ind]. destruct (IH (fun w I => Sm w (or_intror I)) Ind) as [A B]. assert (Sv := Sm v (or_introl
      eq_refl)).
    assert (Two : forall F m, F (map (fun w => bit w m) (v :: rest)) =
      (F (true :: map (fun w => bit w m) rest) + F (false :: map (fun w => bit w m) rest)) / 2 +
      sign b v m * ((F (true :: map (fun w => bit w m) rest) - F (false :: map (fun w => bit w m) rest)) / 2)).
    { intros F m. cbn [map]. rewrite sign_bit. destruct (bit v m); field. }
    split.
    + intros F. rewrite (total_ext _ _ _ (fun m _ => Two F m)), total_plus.
      rewrite (A (fun bits => (F (true :: bits) + F (false :: bits)) / 2)).
      rewrite (B v (fun bits => (F (true :: bits) - F (false :: bits)) / 2) Sv Nv).
      cbn [length bit_patterns pow]. rewrite total_app, !total_map.
      rewrite (total_ext _ (fun bits => (F (true :: bits) + F (false :: bits)) / 2)
        (fun bits => / 2 * (F (true :: bits) + F (false :: bits)))) by (intros; field).
      rewrite total_scal, total_plus. field. apply pow_nonzero. lra.
    + intros w F Sw N. assert (N1 : ~ spans rest w) by (intros S; apply N; left; exact S).
      assert (N2 : ~ spans rest (Nat.lxor w v)) by (intros S; apply N; right; exact S).
      rewrite (total_ext _ _ (fun m => sign b w m * ((F (true :: map (fun w => bit w m) rest) + F (false :: map (fun w
        => bit w m) rest)) / 2) +
        sign b (Nat.lxor w v) m * ((F (true :: map (fun w => bit w m) rest) - F (false :: map (fun w => bit w m) rest))
          / 2)))
        by (intros m _; rewrite Two, <- sign_product; ring).
      rewrite total_plus, (B w (fun bits => (F (true :: bits) + F (false :: bits)) / 2) Sw N1).
      rewrite (B (Nat.lxor w v) (fun bits => (F (true :: bits) - F (false :: bits)) / 2) (small_lxor w v Sw Sv) N2).
        ring.
Qed.

(** The column 0. *)
Lemma column_0_all w m : is_column_0 m = true -> bit w m = true.
Proof.
  intros H. unfold bit. replace (odd_in_common _ m) with false; [reflexivity |].
  generalize (digits b w) as a. unfold is_column_0 in H. revert H.
  induction m as [| y m IH]; intros H a; destruct a as [| p a]; try reflexivity. simpl in *.
  apply andb_prop in H. destruct H as [Y H]. rewrite <- (IH H a). destruct p, y; simpl in *; congruence.
Qed.

Theorem few_rows rows : (forall w, In w rows -> small w) -> independent_rows rows -> (length rows <= b)%nat.
Proof.
  intros Sm Ind. destruct (independent_signs rows Sm Ind) as [A _].
  specialize (A (fun bits => if forallb (fun x => x) bits then 1 else 0)). cbv beta in A.
  assert (One : total (bit_patterns (length rows)) (fun bits => if forallb (fun x => x) bits then 1 else 0) = 1).
  { clear. induction (length rows) as [| n IH]; simpl; [ring |]. rewrite total_app, !total_map. simpl. rewrite IH,
      total_zero. ring. }
  rewrite One in A.
  assert (Ge : 1 <= total (bit_patterns b) (fun m => if forallb (fun x => x) (map (fun w => bit w m) rows) then 1 else
    0)).
  { apply Rle_trans with (total (bit_patterns b) (indicator is_column_0)); [right; symmetry; apply one_column_0 |].
      apply total_le. intros m _. unfold indicator. destruct (is_column_0 m) eqn:Z.
    - replace (forallb _ _) with true; [right; reflexivity |]. symmetry. apply forallb_forall. intros x I. apply
        in_map_iff in I.
      destruct I as [w [<- _]]. apply column_0_all, Z.
    - match goal with |- 0 <= (if ?c then _ else _) => destruct c end; lra. }
  rewrite A, Rmult_1_r in Ge. destruct (Nat.le_gt_cases (length rows) b) as [L | G]; [exact L | exfalso].
  assert (P : 2 ^ b < 2 ^ length rows) by (apply Rlt_pow; [lra | exact G]).
  assert (P0 : 0 < 2 ^ length rows) by (apply pow_lt; lra).
  apply (Rmult_le_compat_r (2 ^ length rows)) in Ge; [| lra]. unfold Rdiv in Ge. rewrite Rmult_assoc, Rinv_l in Ge by
    lra. lra.
Qed.

(** What independent rows make is no row but where the mask is 0, and as many as there are digits are some. *)
Lemma span_of_mask rows : forall mask, spans rows (xor_mask mask rows).
Proof.
  induction rows as [| w rest IH]; intros mask; [reflexivity |]. cbn [xor_mask spans]. destruct (Nat.odd mask); [right | left; apply IH].
  rewrite (Nat.lxor_comm w), Nat.lxor_assoc, Nat.lxor_nilpotent, Nat.lxor_0_r. apply IH.
Qed.

Lemma made_apart rows : independent_rows rows -> forall mask, (mask < 2 ^ length rows)%nat -> xor_mask mask rows = 0%nat ->
  mask = 0%nat.
Proof.
  induction rows as [| w rest IH]; intros Ind mask L E; [simpl in L; lia |]. destruct Ind as [Nw Ind].
  assert (Half : (Nat.div2 mask < 2 ^ length rest)%nat) by (rewrite Nat.div2_div; apply Nat.div_lt_upper_bound; [lia | exact L]).
  cbn [xor_mask] in E. destruct (Nat.odd mask) eqn:O.
  - exfalso. apply Nw. apply Nat.lxor_eq in E. rewrite E. apply span_of_mask.
  - assert (H := IH Ind _ Half E). rewrite (Nat.div2_odd mask), O, H. reflexivity.
Qed.

Lemma small_below w : (0 < b)%nat -> (w < 2 ^ b)%nat <-> small w.
Proof.
  intros B. unfold small. destruct (Nat.eq_dec w 0) as [-> | N].
  - assert (P : (0 < 2 ^ b)%nat) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia). split; intros _; [exact B | exact P].
  - apply Nat.log2_lt_pow2. lia.
Qed.

Lemma one_more rows : (0 < b)%nat -> (length rows < b)%nat -> exists w, small w /\ ~ spans rows w.
Proof.
  intros B L. apply NNPP. intros None.
  assert (All : incl (seq 0 (2 ^ b)) (map (fun mask => xor_mask mask rows) (seq 0 (2 ^ length rows)))).
  { intros w I. apply in_seq in I. assert (Sp : spans rows w).
    { apply NNPP. intros N. apply None. exists w. split; [apply small_below; lia | exact N]. }
    destruct (made_of rows w Sp) as [mask [M <-]].
    apply (in_map (fun mask => xor_mask mask rows)), in_seq. lia. }
  apply NoDup_incl_length in All; [| apply seq_NoDup]. rewrite map_length, !seq_length in All.
  assert (2 ^ length rows < 2 ^ b)%nat by (apply Nat.pow_lt_mono_r; lia). lia.
Qed.

Lemma more_rows n : forall rows, (0 < b)%nat -> independent_rows rows -> (forall w, In w rows -> small w) ->
  (length rows <= n <= b)%nat -> exists more, length (more ++ rows) = n /\ independent_rows (more ++ rows) /\
    forall w, In w (more ++ rows) -> small w.
Proof.
  intros rows B Ind Sm [L Nb]. induction L as [| n L IH]; [exists []; auto |].
  destruct (IH ltac:(lia)) as [more [Lm [Im Sm']]]. destruct (one_more (more ++ rows) B ltac:(lia)) as [w [W N]].
  exists (w :: more). cbn [app length]. split; [lia |]. split; [split; assumption |]. intros v [<- | I]; auto.
Qed.

End digits.
