(** A law of values put on the lattice of a level of the checker, as a tilted measure.

    Proved ([covers_of_values]): the measure that [of_values] makes of a law of values covers this law in the sense of
    tilted_measures.v; a value between two places is divided between them. It is enough that all values lie between the
    first and the last, as they do in ascending order. The step is a positive fraction, masses are fractions >= 0,
    denominators are positive; any bits, theta > 0, and the tilt of any level between its integers.
    Source: this package; the method Measure.of of exactdp/checker/blanket.py. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws fixed_point polynomials integer_polynomials losses_program.
From Exactdp Require Import mean_excess hidden_message increasing_convex_order.
From Exactdp Require Import tilted_program tilted_measures tilt_powers.
Import ListNotations.
Open Scope R_scope.

Definition real (v : fraction) : R := IZR (fst v) / IZR (snd v).

Definition law_of (values : list atom) : dist R := map (fun a => (real (snd a), real (fst a))) values.

Definition good_atom (a : atom) : Prop := (0 < snd (fst a) /\ 0 < snd (snd a) /\ 0 <= fst (snd a))%Z.

(** Every value lies between the first and the last. *)
Definition between_ends (values : list atom) : Prop :=
  match values with
  | [] => True
  | a :: _ => Forall (fun b => real (fst a) <= real (fst b) <= real (fst (last values a))) values
  end.

Lemma sub_law_of values : Forall good_atom values -> sub_law (law_of values).
Proof.
  intros H wa I. apply in_map_iff in I. destruct I as [a [<- I]]. simpl. rewrite Forall_forall in H.
  destruct (H a I) as [_ [D N]]. apply Rmult_le_pos; [apply IZR_le, N | left; apply Rinv_0_lt_compat, (IZR_lt 0), D].
Qed.

Lemma length_add_at i x l : length (add_at i x l) = length l.
Proof. revert i. induction l as [| w l IH]; intros [| i]; simpl; auto. Qed.

Lemma against_add_at i x l f :
  (i < length l)%nat -> against (of_integers (add_at i x l)) f = against (of_integers l) f + IZR x * f i.
Proof.
  revert i f. induction l as [| w l IH]; intros [| i] f L; simpl in *; try lia.
  - rewrite plus_IZR. ring.
  - rewrite (IH i (fun i => f (S i))) by lia. ring.
Qed.

Lemma add_at_nonneg i x l : (0 <= x)%Z -> all_nonneg l -> all_nonneg (add_at i x l).
Proof.
  intros X H. revert i. induction H as [| w l W H IH]; intros [| i]; simpl; constructor; try lia; try assumption.
  apply IH.
Qed.

Section lattice.

Variables (theta : R) (step : fraction).
Hypothesis theta_positive : 0 < theta.
Hypothesis step_positive : (0 < fst step /\ 0 < snd step)%Z.

Let h := real step.

Section level.

Variable t : tilt.
Hypothesis t_known : known theta h t.
Variable bits : nat.
Hypothesis fine_is : fine t = (bits + tilt_bits)%nat.

Let H := step_at h (level t).

Lemma H_positive : 0 < H.
Proof.
  unfold H, step_at, h, real. apply Rmult_lt_0_compat; [| apply pow_two_positive].
  apply Rdiv_lt_0_compat; apply (IZR_lt 0); apply step_positive.
Qed.

Lemma whole_positive v : (0 < snd v)%Z -> (0 < whole step v (level t))%Z.
Proof.
  intros D. unfold whole. assert (P := two_positive (level t)).
  apply Z.mul_pos_pos; [exact D |]. apply Z.mul_pos_pos; [apply step_positive | exact P].
Qed.

(** The share of the way from the place below to the one above. *)
Definition share (v : fraction) : R := IZR (rest step v (level t)) / IZR (whole step v (level t)).

Lemma share_range v : (0 < snd v)%Z -> 0 <= share v < 1.
Proof.
  intros D. assert (W := whole_positive v D). assert (M := Z.mod_pos_bound (fst v * snd step) _ W).
  fold (rest step v (level t)) in M. assert (W' := IZR_lt _ _ W). destruct M as [M1 M2].
  apply IZR_le in M1. apply IZR_lt in M2. unfold share. split.
  - apply Rmult_le_pos; [exact M1 | left; apply Rinv_0_lt_compat, W'].
  - apply Rmult_lt_reg_r with (IZR (whole step v (level t))); [exact W' |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma value_on_lattice v : (0 < snd v)%Z -> real v = (IZR (place step v (level t)) + share v) * H.
Proof.
  intros D. assert (W := whole_positive v D).
  assert (E := Z.div_mod (fst v * snd step) _ (Z.neq_sym _ _ (Z.lt_neq _ _ W))).
  fold (place step v (level t)) (rest step v (level t)) in E. apply (f_equal IZR) in E.
  rewrite plus_IZR, !mult_IZR in E. assert (W' := IZR_lt _ _ W).
  destruct step_positive as [S1 S2]. apply (IZR_lt 0) in S1. apply (IZR_lt 0) in S2. apply (IZR_lt 0) in D.
  assert (P := pow_two_positive (level t)).
  assert (V : real v = IZR (fst v) * IZR (snd step) / IZR (whole step v (level t)) * H).
  { unfold real, H, step_at, h, real, whole. rewrite !mult_IZR, IZR_two. field. repeat split; lra. }
  rewrite V, E. unfold share. field. lra.
Qed.

Lemma place_order v w : (0 < snd v)%Z -> (0 < snd w)%Z -> real v <= real w ->
  (place step v (level t) <= place step w (level t))%Z /\
  (place step v (level t) + 1 <= place step w (level t) + (if Z.ltb 0 (rest step w (level t)) then 1 else 0) \/
   rest step v (level t) = 0)%Z.
Proof.
  intros Dv Dw L. rewrite (value_on_lattice v Dv), (value_on_lattice w Dw) in L.
  assert (Sv := share_range v Dv). assert (Sw := share_range w Dw).
  apply Rmult_le_reg_r in L; [| apply H_positive].
  assert (A : (place step v (level t) < place step w (level t) + 1)%Z) by (apply lt_IZR; rewrite plus_IZR; lra).
  split; [lia |].
  assert (Mv := Z.mod_pos_bound (fst v * snd step) _ (whole_positive v Dv)). fold (rest step v (level t)) in Mv.
  destruct (Z.eq_dec (rest step v (level t)) 0) as [Z0 | N]; [right; exact Z0 | left].
  destruct (Z.eq_dec (place step v (level t)) (place step w (level t))) as [E | NE]; [| destruct (Z.ltb _ _); lia].
  destruct (Z.ltb_spec 0 (rest step w (level t))) as [R | R]; [lia |]. exfalso.
  assert (Mw := Z.mod_pos_bound (fst w * snd step) _ (whole_positive w Dw)). fold (rest step w (level t)) in Mw.
  assert (R0 : rest step w (level t) = 0%Z) by lia.
  assert (share w = 0) by (unfold share; rewrite R0; unfold Rdiv; ring).
  assert (0 < share v).
  { unfold share. apply Rdiv_lt_0_compat; apply (IZR_lt 0); [lia | apply whole_positive, Dv]. }
  rewrite E in L. lra.
Qed.

(** One share of an atom. *)
Lemma put_bound low a z s l f charge :
  test theta f charge -> good_atom a -> (0 <= s)%Z ->
  (s = 0%Z \/ low <= z < low + Z.of_nat (length l))%Z ->
  weighed theta H f low l + 2 ^ bits * (real (snd a) * (IZR s / IZR (whole step (fst a) (level t))) *
    f (IZR z * H)) <=
  weighed theta H f low (put step t low a z s l).
Proof.
  intros T [D [Dm Nm]] S Z0. unfold put. destruct (Z.eqb_spec s 0) as [-> | N].
  - unfold Rdiv. rewrite !Rmult_0_l, Rmult_0_r, Rmult_0_l, Rmult_0_r. lra.
  - destruct Z0 as [Z0 | Z0]; [contradiction |]. unfold weighed at 2. rewrite against_add_at by lia.
    apply Rplus_le_compat_l. replace (low + Z.of_nat (Z.to_nat (z - low)))%Z with z by lia.
    assert (P := power_above theta h t z t_known). fold H in P. rewrite fine_is in P.
    assert (W := whole_positive (fst a) D). set (w := whole step (fst a) (level t)) in *.
    assert (B := two_positive tilt_bits). assert (PB := pow_two_positive tilt_bits).
    assert (Pb := pow_two_positive bits).
    assert (G := test_nonneg theta f charge (IZR z * H) T).
    set (x := ceiling_div _ _). assert (X : IZR (fst (snd a)) * IZR s * IZR (power t z) /
      (IZR (snd (snd a)) * IZR w * 2 ^ tilt_bits) <= IZR x).
    { unfold x. apply ceiling_div_above; [apply Z.mul_pos_pos; [apply Z.mul_pos_pos |]; assumption |].
      rewrite !mult_IZR, IZR_two. apply Rle_refl. }
    apply (IZR_le 0) in Nm. apply (IZR_le 0) in S. apply (IZR_lt 0) in Dm. apply (IZR_lt 0) in W.
    unfold untilted. set (e := exp (- theta * (IZR z * H))). assert (Pe : 0 < e) by apply exp_pos.
    rewrite <- Rmult_assoc, <- (Rmult_assoc (IZR x)). apply Rmult_le_compat_r; [exact G |].
    apply Rmult_le_reg_r with (/ e); [apply Rinv_0_lt_compat, Pe |].
    rewrite (Rmult_assoc (IZR x)), Rinv_r, Rmult_1_r by lra. eapply Rle_trans; [| exact X].
    replace (/ e) with (exp (theta * (IZR z * H))) by
      (unfold e; rewrite <- exp_Ropp; f_equal; ring).
    rewrite pow_add in P. unfold real. set (ep := exp _) in *.
    replace (2 ^ bits * (IZR (fst (snd a)) / IZR (snd (snd a)) * (IZR s / IZR w)) * ep) with
      (IZR (fst (snd a)) * IZR s * (2 ^ bits * 2 ^ tilt_bits * ep) / (IZR (snd (snd a)) * IZR w * 2 ^ tilt_bits))
      by (field; repeat split; lra).
    apply Rmult_le_compat_r.
    + left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; [apply Rmult_lt_0_compat |]; assumption.
    + apply Rmult_le_compat_l; [apply Rmult_le_pos; assumption | exact P].
Qed.

Lemma power_nonneg z : (0 <= power t z)%Z.
Proof.
  apply le_IZR. eapply Rle_trans; [| apply (power_above theta h t z t_known)].
  left. apply Rmult_lt_0_compat; [apply pow_two_positive | apply exp_pos].
Qed.

Lemma put_nonneg low a z s l : good_atom a -> (0 <= s)%Z -> all_nonneg l -> all_nonneg (put step t low a z s l).
Proof.
  intros [D [Dm Nm]] S N. unfold put. destruct (Z.eqb s 0); [exact N |]. apply add_at_nonneg; [| exact N].
  apply ceiling_div_nonneg.
  - apply Z.mul_nonneg_nonneg; [apply Z.mul_nonneg_nonneg; assumption | apply power_nonneg].
  - apply Z.mul_pos_pos; [apply Z.mul_pos_pos; [exact Dm | apply whole_positive, D] | apply two_positive].
Qed.

Lemma length_put low a z s l : length (put step t low a z s l) = length l.
Proof. unfold put. destruct (Z.eqb s 0); [reflexivity | apply length_add_at]. Qed.

Lemma put_atom_bound low a l f charge :
  test theta f charge -> good_atom a ->
  (low <= place step (fst a) (level t) < low + Z.of_nat (length l))%Z ->
  (place step (fst a) (level t) + 1 < low + Z.of_nat (length l) \/ rest step (fst a) (level t) = 0)%Z ->
  weighed theta H f low l + 2 ^ bits * (real (snd a) * f (real (fst a))) <=
  weighed theta H f low (put_atom step t low l a).
Proof.
  intros T G P1 P2. assert (D := proj1 G). assert (W := whole_positive (fst a) D).
  assert (M := Z.mod_pos_bound (fst (fst a) * snd step) _ W). fold (rest step (fst a) (level t)) in M.
  unfold put_atom. set (z := place step (fst a) (level t)) in *. set (r := rest step (fst a) (level t)) in *.
  set (w := whole step (fst a) (level t)) in *.
  assert (A := put_bound low a z (w - r) l f charge T G ltac:(lia) ltac:(right; exact P1)).
  assert (B := put_bound low a (z + 1) r (put step t low a z (w - r) l) f charge T G ltac:(lia)).
  rewrite length_put in B. specialize (B ltac:(destruct P2; [right | left]; lia)). fold w in A, B.
  eapply Rle_trans; [| exact B]. eapply Rle_trans; [| apply Rplus_le_compat_r, A].
  rewrite Rplus_assoc. apply Rplus_le_compat_l. rewrite <- Rmult_plus_distr_l.
  apply Rmult_le_compat_l; [left; apply pow_two_positive |].
  assert (S := share_range (fst a) D). assert (V := value_on_lattice (fst a) D). fold z in V.
  assert (E : IZR r / IZR w = share (fst a)) by reflexivity.
  assert (E' : IZR (w - r) / IZR w = 1 - share (fst a)).
  { rewrite <- E, minus_IZR. field. apply (IZR_lt 0) in W. lra. }
  rewrite E, E'. set (s := share (fst a)) in *. rewrite !Rmult_assoc, <- Rmult_plus_distr_l.
  apply Rmult_le_compat_l.
  - destruct G as [_ [G1 G2]]. apply Rmult_le_pos; [apply IZR_le, G2 | left; apply Rinv_0_lt_compat, (IZR_lt 0), G1].
  - replace (real (fst a)) with ((1 - s) * (IZR z * H) + s * (IZR (z + 1) * H)) by
      (rewrite V, plus_IZR; ring).
    apply (test_convex theta f charge); [exact T | lra].
Qed.

Lemma put_atom_nonneg low l a : good_atom a -> all_nonneg l -> all_nonneg (put_atom step t low l a).
Proof.
  intros G N. unfold put_atom. assert (W := whole_positive (fst a) (proj1 G)).
  assert (M := Z.mod_pos_bound (fst (fst a) * snd step) _ W). fold (rest step (fst a) (level t)) in M.
  apply put_nonneg; [exact G | lia |]. apply put_nonneg; [exact G | lia | exact N].
Qed.

Lemma put_all low many values f charge :
  test theta f charge -> Forall good_atom values ->
  (forall a, In a values -> (low <= place step (fst a) (level t) < low + Z.of_nat many)%Z /\
    (place step (fst a) (level t) + 1 < low + Z.of_nat many \/ rest step (fst a) (level t) = 0)%Z) ->
  forall l, length l = many -> all_nonneg l ->
  all_nonneg (fold_left (put_atom step t low) values l) /\
  weighed theta H f low l + 2 ^ bits * mean (law_of values) f <=
  weighed theta H f low (fold_left (put_atom step t low) values l).
Proof.
  intros T. induction values as [| a values IH]; intros G P l E N; simpl.
  - split; [exact N |]. unfold mean. simpl. lra.
  - inversion_clear G as [| ? ? G1 G2]. destruct (P a (or_introl eq_refl)) as [P1 P2]. rewrite <- E in P1, P2.
    assert (X := put_atom_bound low a l f charge T G1 P1 P2).
    destruct (IH G2 (fun b I => P b (or_intror I)) (put_atom step t low l a)) as [A B].
    + unfold put_atom. rewrite !length_put. exact E.
    + apply put_atom_nonneg; assumption.
    + split; [exact A |]. unfold mean in *. simpl. lra.
Qed.

Lemma weighed_none low many f : weighed theta H f low (repeat 0%Z many) = 0.
Proof.
  unfold weighed. generalize (fun i => untilted theta H f (low + Z.of_nat i)). intros g. revert g.
  induction many as [| many IH]; intros g; simpl; [reflexivity |].
  rewrite IH. ring.
Qed.

Lemma none_nonneg many : all_nonneg (repeat 0%Z many).
Proof. induction many; simpl; constructor; [lia | assumption]. Qed.

Theorem covers_of_values values :
  Forall good_atom values -> between_ends values ->
  covers theta H (of_values step bits values t) (law_of values).
Proof.
  intros G B. unfold of_values. apply covers_normalised; [exact theta_positive |].
  set (low := first_place_of step values t). set (many := Z.to_nat (last_place_of step values t - low + 1)).
  assert (P : forall a, In a values -> (low <= place step (fst a) (level t) < low + Z.of_nat many)%Z /\
    (place step (fst a) (level t) + 1 < low + Z.of_nat many \/ rest step (fst a) (level t) = 0)%Z).
  { intros a I. rewrite Forall_forall in G.
    assert (exists a0 l, values = a0 :: l) as [a0 [l Ev]] by (destruct values as [| a0 l]; [destruct I | eauto]).
    assert (B' : Forall (fun b => real (fst a0) <= real (fst b) <= real (fst (last values a0))) values)
      by (unfold between_ends in B; rewrite Ev in B |- *; exact B).
    assert (I0 : In a0 values) by (rewrite Ev; left; reflexivity).
    assert (IL : In (last values a0) values).
    { destruct (exists_last (l := values)) as [u [x Eu]]; [rewrite Ev; discriminate |].
      rewrite Eu, last_last. apply in_or_app. right. left. reflexivity. }
    rewrite Forall_forall in B'. destruct (B' a I) as [B1 B2].
    destruct (place_order (fst a0) (fst a)) as [O1 _]; [apply G, I0 | apply G, I | exact B1 |].
    destruct (place_order (fst a) (fst (last values a0))) as [O2 O3]; [apply G, I | apply G, IL | exact B2 |].
    assert (EF : low = place step (fst a0) (level t)) by (unfold low, first_place_of; rewrite Ev; reflexivity).
    assert (EL : last_place_of step values t = (place step (fst (last values a0)) (level t) +
      (if Z.ltb 0 (rest step (fst (last values a0)) (level t)) then 1 else 0))%Z)
      by (unfold last_place_of; rewrite Ev; reflexivity).
    unfold many. rewrite EF, EL. destruct (Z.ltb 0 _); split; lia. }
  assert (X := fun f charge T => put_all low many values f charge T G P (repeat 0%Z many)
    (repeat_length _ _) (none_nonneg many)).
  split; [split |].
  - apply (X _ _ (test_exp theta)).
  - cbn [lost]. lia.
  - intros f charge T. destruct (X f charge T) as [_ Y]. rewrite weighed_none, Rplus_0_l in Y.
    unfold bound, unit_of. cbn [start weights lost units]. rewrite Rmult_0_l, Rplus_0_r.
    assert (Pb := pow_two_positive bits). rewrite powerRZ_neg', <- pow_powerRZ by lra.
    apply Rmult_le_reg_l with (2 ^ bits); [exact Pb |].
    rewrite <- (Rmult_assoc (2 ^ bits) (/ 2 ^ bits)), Rinv_r, Rmult_1_l by lra. exact Y.
Qed.

End level.

End lattice.
