(** Weights that are walked outward from a start, by enclosed ratios: the program and that its integers are right.

    The weights D 0 > 0, D 1, D 2, ..., none negative, lie outward from a start, to one side. The walk makes integers
    around them in units of D 0 / 2^bits: from a state s of the walk it takes integers (a, b, d) with
    a D i <= d D (i+1) <= b D i, rounds outward, and stops where the lower bound is 0 and the ratio is below 1: then
    the weights that were not reached have at most the sum [rest] ([outward_sound]). For every such D, if no ratio after
    one is larger than it and than later_x / later_y < 1.

    The programs are the function [outward] of exactdp/checker/enclosed_laws.py, with the same integers.
    It rests on fixed_point_weights.directed_step and geometric_tail.geometric_remainder.
    Source: docs/certificates.md, "Enclosed weights". *)

From Coq Require Import ZArith Reals List Lra Lia Bool.
From Exactdp Require Import sums fixed_point fixed_point_weights geometric_tail.
From ExactdpChecker Require Import loops.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

Section program.

Context {S : Type}.
Variables (ratio : S -> option (Z * Z * Z)) (next : S -> S) (cap later_x later_y : Z).

(** The state, the bounds of the last weight, and the weights so far, the last one first. *)
Definition walk : Type := S * Z * Z * list (Z * Z).

(** A bound of high times the sum of x/y, (x/y)^2, ... *)
Definition remainder (high x y : Z) : Z := ceiling_div (high * x) (y - x).

Definition step (w : walk) : walk + option (list (Z * Z) * Z) :=
  let '(s, low, high, walked) := w in
  match ratio s with
  | None => inr (Some (walked, 0))
  | Some (a, b, d) =>
      if (cap <=? high) || negb ((0 <=? a) && (0 <=? b) && (0 <? d)) then inr None
      else if (low =? 0) && (b <? d) then
        inr (Some (walked, Z.max (remainder high b d) (remainder high later_x later_y)))
      else
        let low' := low * a / d in
        let high' := ceiling_div (high * b) d in
        inl (next s, low', high', (low', high') :: walked)
  end.

(** At most so many weights are walked: beyond what the limit of work allows. *)
Definition most_weights : positive := 100000000.

(** The weights after those in [walked], and the rest. *)
Definition outward (start : S) (unit : Z) (walked : list (Z * Z)) : option (list (Z * Z) * Z) :=
  match run most_weights step (start, unit, unit, walked) with
  | inr result => result
  | inl _ => None
  end.

End program.

(** ** Soundness *)

Open Scope R_scope.

Section sound.

Context {S : Type}.
Variables (ratio : S -> option (Z * Z * Z)) (next : S -> S) (cap later_x later_y : Z).
Variables (D : nat -> R) (start : S) (bits : nat) (walked : list (Z * Z)).
Hypothesis nonneg : forall t, 0 <= D t.
Hypothesis positive : 0 < D 0%nat.
Hypothesis later : (0 <= later_x < later_y)%Z.

Definition state (i : nat) : S := Nat.iter i next start.

Hypothesis ratios : forall i a b d, ratio (state i) = Some (a, b, d) ->
  IZR a * D i <= IZR d * D (1 + i)%nat <= IZR b * D i.
Hypothesis ends : forall i, ratio (state i) = None -> forall t, (i < t)%nat -> D t = 0.
Hypothesis falls : forall i rho, 0 <= rho -> D (1 + i)%nat <= rho * D i ->
  forall t, (i <= t)%nat -> D (1 + t)%nat <= Rmax rho (IZR later_x / IZR later_y) * D t.

(** In these units the weight at the start is 2^bits. *)
Let u := 2 ^ bits / D 0%nat.

Lemma u_positive : 0 < u.
Proof. apply Rdiv_lt_0_compat; [apply pow_two_positive | exact positive]. Qed.

Definition around (c : Z * Z) (x : R) : Prop := 0 <= IZR (fst c) <= x /\ x <= IZR (snd c).

(** The entries enclose D 1, D 2, ... *)
Definition enclose_from_1 (cs : list (Z * Z)) : Prop :=
  forall k c, nth_error cs k = Some c -> around c (u * D (1 + k)%nat).

Definition kept (w : walk) : Prop :=
  exists cs, let '(s, low, high, l) := w in
    s = state (length cs) /\ l = rev cs ++ walked /\ enclose_from_1 cs /\ around (low, high) (u * D (length cs)).

Lemma kept_start : kept (start, two bits, two bits, walked).
Proof.
  exists []. split; [reflexivity |]. split; [reflexivity |]. split; [intros k c E; destruct k; discriminate E |].
  unfold around, u. cbn [fst snd length]. rewrite IZR_two. assert (P := pow_two_positive bits).
  replace (2 ^ bits / D 0%nat * D 0%nat) with (2 ^ bits) by (field; lra). lra.
Qed.

Lemma kept_step w w' : kept w -> step ratio next cap later_x later_y w = inl w' -> kept w'.
Proof.
  destruct w as [[[s low] high] l]. intros [cs [Es [El [C A]]]]. unfold step.
  destruct (ratio s) as [[[a b] d] |] eqn:E; [| discriminate].
  destruct (_ || _) eqn:G; [discriminate |]. destruct ((low =? 0)%Z && (b <? d)%Z); [discriminate |]. intros H.
  injection H as <-.
  apply orb_false_iff in G. destruct G as [_ G]. apply negb_false_iff in G. rewrite !andb_true_iff in G.
  destruct G as [[Ha Hb] Hd]. apply Z.leb_le in Ha, Hb. apply Z.ltb_lt in Hd. rewrite Es in E.
  destruct (ratios _ _ _ _ E) as [L U]. assert (Rd := IZR_lt _ _ Hd). assert (Hu := u_positive).
  set (i := length cs) in *. destruct A as [[A0 A1] A2]. cbn [fst snd] in *.
  assert (N : IZR (low * a / d) <= u * D (1 + i)%nat <= IZR (ceiling_div (high * b) d)).
  { apply (directed_step low high a b d (u * D i)); try assumption.
    - apply le_IZR, A0.
    - apply Rmult_le_pos; [lra | apply nonneg].
    - split; assumption.
    - split; apply Rmult_le_reg_l with (IZR d); try exact Rd.
      + replace (IZR d * (IZR a / IZR d * (u * D i))) with (u * (IZR a * D i)) by (field; lra).
        replace (IZR d * (u * D (1 + i)%nat)) with (u * (IZR d * D (1 + i)%nat)) by ring.
        apply Rmult_le_compat_l; lra.
      + replace (IZR d * (IZR b / IZR d * (u * D i))) with (u * (IZR b * D i)) by (field; lra).
        replace (IZR d * (u * D (1 + i)%nat)) with (u * (IZR d * D (1 + i)%nat)) by ring.
        apply Rmult_le_compat_l; lra. }
  assert (Z0 : 0 <= IZR (low * a / d)).
  { apply IZR_le, Z.div_pos; [apply Z.mul_nonneg_nonneg; [apply le_IZR, A0 | exact Ha] | exact Hd]. }
  exists (cs ++ [(low * a / d, ceiling_div (high * b) d)%Z]). rewrite app_length. cbn [length].
  replace (length cs + 1)%nat with (1 + i)%nat by (unfold i; lia). split; [| split; [| split]].
  - rewrite Es. reflexivity.
  - rewrite El, rev_app_distr. reflexivity.
  - intros k c K. destruct (Nat.lt_ge_cases k (length cs)) as [Lt | Ge].
    + rewrite nth_error_app1 in K by exact Lt. apply (C k c K).
    + rewrite nth_error_app2 in K by exact Ge. destruct (k - length cs)%nat eqn:Ek.
      * injection K as <-. replace k with i by (unfold i; lia). split; cbn [fst snd]; lra.
      * destruct n; discriminate.
  - split; cbn [fst snd]; lra.
Qed.

(** The remainder from the last weight. *)
Lemma remainder_bounds high x y rho :
  (0 <= high)%Z -> (0 <= x < y)%Z -> rho = IZR x / IZR y ->
  0 <= rho < 1 /\ IZR high * (rho / (1 - rho)) <= IZR (remainder high x y).
Proof.
  intros Hh [Hx Hy] ->. assert (Y := IZR_lt _ _ Hy). apply IZR_le in Hx. apply IZR_le in Hh. split.
  - split; [apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra] |].
    apply Rmult_lt_reg_r with (IZR y); [lra |]. replace (IZR x / IZR y * IZR y) with (IZR x) by (field; lra). lra.
  - unfold remainder. apply ceiling_div_above; [lia |]. rewrite mult_IZR, minus_IZR. apply Req_le. field. lra.
Qed.

Theorem outward_sound l rest :
  outward ratio next cap later_x later_y start (two bits) walked = Some (l, rest) ->
  exists cs, l = rev cs ++ walked /\ enclose_from_1 cs /\ (0 <= rest)%Z /\
    forall m, total (seq (1 + length cs) m) (fun t => u * D t) <= IZR rest.
Proof.
  unfold outward. destruct (run most_weights _ _) as [w | r] eqn:E; [discriminate |]. intros ->.
  destruct (run_ended _ kept kept_step _ _ _ kept_start E) as [w [K F]]. clear E.
  destruct w as [[[s low] high] l']. destruct K as [cs [Es [El [C A]]]]. unfold step in F.
  assert (Hu := u_positive). exists cs.
  destruct (ratio s) as [[[a b] d] |] eqn:R.
  - destruct (_ || _) eqn:G; [discriminate |]. destruct ((low =? 0)%Z && (b <? d)%Z) eqn:T; [| discriminate].
    injection F as <- <-.
    apply orb_false_iff in G. destruct G as [_ G]. apply negb_false_iff in G. rewrite !andb_true_iff in G.
    destruct G as [[Ha Hb] Hd]. apply Z.leb_le in Ha, Hb. apply Z.ltb_lt in Hd.
    apply andb_true_iff in T. destruct T as [_ T]. apply Z.ltb_lt in T.
    destruct A as [[A0 A1] A2]. cbn [fst snd] in *. assert (Hh : (0 <= high)%Z) by (apply le_IZR; lra).
    split; [exact El |]. split; [exact C |].
    assert (Rd := IZR_lt _ _ Hd).
    destruct (remainder_bounds high b d _ Hh ltac:(lia) eq_refl) as [B1 B2].
    destruct (remainder_bounds high later_x later_y _ Hh later eq_refl) as [L1 L2].
    rewrite Es in R. destruct (ratios _ _ _ _ R) as [_ U].
    set (rho := IZR b / IZR d) in *. set (rho' := IZR later_x / IZR later_y) in *.
    assert (Fall := falls (length cs) rho (proj1 B1)). fold rho' in Fall.
    assert (Last : D (1 + length cs)%nat <= rho * D (length cs)).
    { apply Rmult_le_reg_l with (IZR d); [exact Rd |]. unfold rho.
      replace (IZR d * (IZR b / IZR d * D (length cs))) with (IZR b * D (length cs)) by (field; lra). exact U. }
    specialize (Fall Last).
    assert (Both : IZR high * (Rmax rho rho' / (1 - Rmax rho rho')) <=
      IZR (Z.max (remainder high b d) (remainder high later_x later_y))).
    { unfold Rmax. destruct (Rle_dec rho rho'); eapply Rle_trans; try exact L2; try exact B2; apply IZR_le; lia. }
    assert (M : 0 <= Rmax rho rho' < 1).
    { split; [eapply Rle_trans; [apply B1 | apply Rmax_l] | apply Rmax_lub_lt; lra]. }
    assert (Q := remainder_factor_nonneg _ M). split.
    + apply le_IZR. eapply Rle_trans; [| exact Both]. apply Rmult_le_pos; [lra | exact Q].
    + intros m. rewrite total_scal.
      eapply Rle_trans; [apply Rmult_le_compat_l; [lra |]; apply (geometric_remainder D nonneg _ _ M); exact Fall |].
      rewrite <- Rmult_assoc. eapply Rle_trans; [| exact Both]. apply Rmult_le_compat_r; [exact Q | exact A2].
  - injection F as <- <-. split; [exact El |]. split; [exact C |]. split; [lia |]. intros m.
    rewrite Es in R. rewrite (total_ext _ _ (fun _ => 0)), total_zero; [simpl; lra |].
    intros t I. apply in_seq in I. rewrite (ends _ R) by lia. ring.
Qed.

End sound.

(** Proofs do not count it down. *)
Global Opaque most_weights.
