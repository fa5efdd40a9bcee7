(** Functions of parameters, over one bottom, by a program on integer polynomials.

    A function is the quotient of two polynomials, each an integer polynomial over a denominator. [group_of] writes
    several of them over the product of their different bottoms, all scaled to integers ([group_value],
    [group_bottom_positive]); [sums_to_one] decides whether they add up to 1 as functions.

    Source: exactdp/checker/functions_of_parameters.py. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums multivariate box_inequality.
From ExactdpChecker Require Import claims posed keyed_sums z_polynomials inequality_program inequality_sound.
From ExactdpChecker Require Import box_program box_leaves.
From ExactdpChecker Require Import claims.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

Definition quotient : Type := (Z * z_poly) * (Z * z_poly).

Definition top_of (v : nat) (f : rational_function) : rational_poly :=
  match f with
  | Constant q => [(q, repeat 0%nat v)]
  | Polynomial p | Quotient p _ => p
  end.

Definition bottom_of (v : nat) (f : rational_function) : rational_poly :=
  match f with
  | Quotient _ b => b
  | _ => [(1%Q, repeat 0%nat v)]
  end.

(** Every polynomial is of so many variables. *)
Definition is_of (v : nat) (f : rational_function) : bool :=
  forallb (fun ce => Nat.eqb (length (snd ce)) v) (top_of v f ++ bottom_of v f).

Definition cleared (p : rational_poly) : Z * z_poly := let (d, q) := clear p in (d, no_zeros q).

Definition parts (v : nat) (f : rational_function) : quotient := (cleared (top_of v f), cleared (bottom_of v f)).

Fixpoint same_terms (p q : z_poly) : bool :=
  match p, q with
  | [], [] => true
  | (a, e) :: p', (b, f) :: q' =>
      (a =? b) && (match compare_exponents e f with Eq => true | _ => false end) && same_terms p' q'
  | _, _ => false
  end.

Definition same_fraction (p q : Z * z_poly) : bool := (fst p =? fst q) && same_terms (snd p) (snd q).

Definition different (l : list (Z * z_poly)) : list (Z * z_poly) :=
  fold_left (fun s b => if existsb (same_fraction b) s then s else b :: s) l [].

Fixpoint without (b : Z * z_poly) (bs : list (Z * z_poly)) : list (Z * z_poly) :=
  match bs with
  | [] => []
  | c :: rest => if same_fraction b c then rest else c :: without b rest
  end.

Definition product (v : nat) (bs : list (Z * z_poly)) : z_poly := fold_right (fun b p => times (snd b) p) (one v) bs.

(** Of the denominators of the tops. *)
Definition multiple (qs : list quotient) : Z := fold_left (fun l q => Z.lcm l (fst (fst q))) qs 1.

Record group : Type := { tops : list z_poly; bottom : z_poly }.

Definition group_of (v : nat) (qs : list quotient) : group :=
  let bs := different (map snd qs) in
  let m := multiple qs in
  {| tops := map (fun q => no_zeros (shift (m / fst (fst q) * fst (snd q)) []
       (times (snd (fst q)) (product v (without (snd q) bs))))) qs;
     bottom := no_zeros (shift m [] (product v bs)) |}.

Definition sums_to_one (g : group) : bool := is_zero (sum compare_exponents (shift (-1) [] (bottom g) :: tops g)).

(** ** What they compute *)

Open Scope R_scope.

Definition quotient_at (u : list R) (q : quotient) : R := fraction (fst q) u / fraction (snd q) u.

Definition quotient_posed (q : quotient) : Prop := positive_fraction (fst q) /\ positive_fraction (snd q).

Lemma cleared_at p x : positive_fraction (cleared p) /\ fraction (cleared p) x = eval (real_poly p) x.
Proof.
  unfold cleared. assert (D := clear_positive p). assert (V := eval_clear p x). destruct (clear p) as [d q].
  cbn [fst snd] in *. split; [exact D |]. unfold fraction. cbn [fst snd]. rewrite no_zeros_value, V. apply IZR_lt in D.
  field. lra.
Qed.

Lemma eval_single v q x : eval (real_poly [(q, repeat 0%nat v)]) x = Q2R q.
Proof. apply (eval_constant v). Qed.

Lemma bottom_of_at v f x : eval (real_poly (bottom_of v f)) x = bottom_at x f.
Proof. destruct f; cbn [bottom_of bottom_at]; [| | reflexivity]; rewrite eval_single; apply RMicromega.Q2R_1. Qed.

Lemma function_quotient v f x : function_at x f = eval (real_poly (top_of v f)) x / eval (real_poly (bottom_of v f)) x.
Proof.
  rewrite bottom_of_at.
  destruct f; cbn [function_at bottom_at top_of]; rewrite ?eval_single; [field | field | reflexivity].
Qed.

Lemma parts_at v f x : quotient_posed (parts v f) /\ quotient_at x (parts v f) = function_at x f /\
  fraction (snd (parts v f)) x = bottom_at x f.
Proof.
  unfold quotient_at, parts, quotient_posed. cbn [fst snd]. destruct (cleared_at (top_of v f) x) as [A A'].
  destruct (cleared_at (bottom_of v f) x) as [B B']. rewrite A', B', (function_quotient v), bottom_of_at. auto.
Qed.

Lemma same_terms_sound p : forall q, same_terms p q = true -> p = q.
Proof.
  induction p as [| [a e] p IH]; intros [| [b f] q] H; try discriminate; [reflexivity |]. cbn [same_terms] in H.
  apply andb_true_iff in H. destruct H as [H R]. apply andb_true_iff in H. destruct H as [A E]. apply Z.eqb_eq in A.
  destruct (compare_exponents e f) eqn:C; try discriminate. apply compare_exponents_eq in C. rewrite (IH q R), A, C.
  reflexivity.
Qed.

Lemma same_fraction_sound p q : same_fraction p q = true -> p = q.
Proof.
  destruct p as [a p], q as [b q]. unfold same_fraction. cbn [fst snd]. intros H. apply andb_true_iff in H.
  destruct H as [A B]. apply Z.eqb_eq in A. apply same_terms_sound in B. subst. reflexivity.
Qed.

Lemma same_fraction_refl p : same_fraction p p = true.
Proof.
  destruct p as [a p]. unfold same_fraction. cbn [fst snd]. rewrite Z.eqb_refl. simpl.
  induction p as [| [c e] p IH]; [reflexivity |]. cbn [same_terms]. rewrite Z.eqb_refl, IH.
  replace (compare_exponents e e) with Eq; [reflexivity |]. clear. induction e as [| i e IH]; [reflexivity |].
  simpl. rewrite Nat.compare_refl. exact IH.
Qed.

Lemma different_in l b : In b (different l) <-> In b l.
Proof.
  unfold different. assert (X : forall s, In b (fold_left
    (fun s b => if existsb (same_fraction b) s then s else b :: s) l s) <-> In b l \/ In b s).
  { induction l as [| c l IH]; intros s; simpl; [tauto |]. rewrite IH. destruct (existsb (same_fraction c) s) eqn:E.
    - apply existsb_exists in E. destruct E as [d [I S]]. apply same_fraction_sound in S. subst d. split; [tauto |].
      intros [[<- | H] | H]; auto.
    - simpl. tauto. }
  rewrite X. simpl. tauto.
Qed.

Definition product_at (u : list R) (bs : list (Z * z_poly)) : R := fold_right (fun b s => z_eval (snd b) u * s) 1 bs.

Lemma product_value v bs u : z_eval (product v bs) u = product_at u bs.
Proof.
  induction bs as [| b bs IH]; [apply eval_one |]. unfold product in *. cbn [fold_right]. rewrite eval_times, IH.
  reflexivity.
Qed.

Lemma without_product u b bs : In b bs -> product_at u bs = z_eval (snd b) u * product_at u (without b bs).
Proof.
  induction bs as [| c bs IH]; intros I; [destruct I |]. cbn [without].
  destruct (same_fraction b c) eqn:S; [apply same_fraction_sound in S; subst; reflexivity |].
  destruct I as [-> | I]; [rewrite same_fraction_refl in S; discriminate |].
  change (product_at u (c :: bs)) with (z_eval (snd c) u * product_at u bs).
  change (product_at u (c :: without b bs)) with (z_eval (snd c) u * product_at u (without b bs)).
  rewrite (IH I). ring.
Qed.

Lemma common_multiple (qs : list quotient) : (forall q, In q qs -> quotient_posed q) ->
  (0 < multiple qs)%Z /\ forall q, In q qs -> (fst (fst q) | multiple qs)%Z.
Proof.
  intros P. unfold multiple. assert (X : forall s, (0 < s)%Z ->
    (0 < fold_left (fun l (q : quotient) => Z.lcm l (fst (fst q))) qs s)%Z /\
    (s | fold_left (fun l (q : quotient) => Z.lcm l (fst (fst q))) qs s)%Z /\
    forall q, In q qs -> (fst (fst q) | fold_left (fun l (q : quotient) => Z.lcm l (fst (fst q))) qs s)%Z).
  { induction qs as [| q qs IH]; intros s S; simpl; [split; [exact S | split; [apply Z.divide_refl | intros q []]] |].
    assert (Q : (0 < fst (fst q))%Z) by apply (P q (or_introl eq_refl)).
    assert (L : (0 < Z.lcm s (fst (fst q)))%Z).
    { assert (N := Z.lcm_nonneg s (fst (fst q))). assert (Z.lcm s (fst (fst q)) <> 0%Z); [| lia].
      rewrite Z.lcm_eq_0. lia. }
    destruct (IH (fun r I => P r (or_intror I)) _ L) as [A [B C]]. split; [exact A | split].
    - eapply Z.divide_trans; [apply Z.divide_lcm_l | exact B].
    - intros r [<- | I]; [eapply Z.divide_trans; [apply Z.divide_lcm_r | exact B] | apply C, I]. }
  destruct (X 1%Z ltac:(lia)) as [A [_ C]]. auto.
Qed.

Section at_a_point.

Variables (v : nat) (qs : list quotient) (u : list R).
Hypothesis posed : forall q, In q qs -> quotient_posed q.

Theorem group_value : Forall2 (fun q top => fraction (snd q) u <> 0 ->
  z_eval top u = quotient_at u q * z_eval (bottom (group_of v qs)) u) qs (tops (group_of v qs)).
Proof.
  destruct (common_multiple qs posed) as [M D]. unfold group_of. cbn [tops bottom].
  set (m := multiple qs) in *. set (bs := different (map snd qs)).
  assert (B : forall q, In q qs -> In (snd q) bs) by (intros q I; apply different_in, in_map, I).
  assert (P := posed). clearbody m bs. clear posed.
  induction qs as [| q l IH]; [constructor |]. constructor; [| apply IH; intros; (apply P || apply D || apply B); right;
    assumption].
  intros N. assert (I : In q (q :: l)) by (left; reflexivity). destruct (P q I) as [P1 P2].
  destruct (D q I) as [c C]. unfold positive_fraction in P1, P2.
  rewrite !no_zeros_value, !eval_shift, eval_times, !product_value, (without_product u _ bs (B q I)).
  unfold quotient_at, fraction in *. rewrite C, Z.div_mul, !mult_IZR by lia. apply IZR_lt in P1, P2.
  assert (z_eval (snd (snd q)) u <> 0).
  { intros E. apply N. rewrite E. unfold Rdiv. ring. }
  simpl monomial. field. repeat split; try assumption; lra.
Qed.

Lemma group_bottom_value : exists c, 0 < c /\
  z_eval (bottom (group_of v qs)) u = c * product_at u (different (map snd qs)).
Proof.
  destruct (common_multiple qs posed) as [M _]. unfold group_of. cbn [bottom]. eexists. split; [apply IZR_lt, M |].
  rewrite no_zeros_value, eval_shift, product_value. simpl monomial. ring.
Qed.

Lemma bottom_fraction q : In q qs -> exists c, 0 < c /\ z_eval (snd (snd q)) u = c * fraction (snd q) u.
Proof.
  intros I. destruct (posed q I) as [_ P]. unfold positive_fraction in P. apply IZR_lt in P.
  exists (IZR (fst (snd q))). split; [exact P |]. unfold fraction. field. lra.
Qed.

Lemma group_bottom_positive : (forall q, In q qs -> 0 < fraction (snd q) u) -> 0 < z_eval (bottom (group_of v qs)) u.
Proof.
  intros H. destruct group_bottom_value as [c [C ->]]. apply Rmult_lt_0_compat; [exact C |].
  assert (X : forall b, In b (different (map snd qs)) -> 0 < z_eval (snd b) u).
  { intros b I. apply different_in, in_map_iff in I. destruct I as [q [<- I]].
    destruct (bottom_fraction q I) as [d [D ->]]. apply Rmult_lt_0_compat; [exact D | apply H, I]. }
  induction (different (map snd qs)) as [| b bs IH]; simpl; [lra |].
  apply Rmult_lt_0_compat; [apply X; left; reflexivity | apply IH; intros; apply X; right; assumption].
Qed.

Lemma group_bottom_nonzero : (forall q, In q qs -> fraction (snd q) u <> 0) -> z_eval (bottom (group_of v qs)) u <> 0.
Proof.
  intros H. destruct group_bottom_value as [c [C ->]]. apply Rmult_integral_contrapositive_currified; [lra |].
  assert (X : forall b, In b (different (map snd qs)) -> z_eval (snd b) u <> 0).
  { intros b I. apply different_in, in_map_iff in I. destruct I as [q [<- I]].
    destruct (bottom_fraction q I) as [d [D ->]]. apply Rmult_integral_contrapositive_currified; [lra | apply H, I]. }
  induction (different (map snd qs)) as [| b bs IH]; simpl; [lra |].
  apply Rmult_integral_contrapositive_currified;
    [apply X; left; reflexivity | apply IH; intros; apply X; right; assumption].
Qed.

Lemma sums_to_one_sound : sums_to_one (group_of v qs) = true ->
  (forall q, In q qs -> fraction (snd q) u <> 0) -> total qs (quotient_at u) = 1.
Proof.
  unfold sums_to_one. intros H N. apply (is_zero_polynomial _ u) in H. rewrite eval_sum in H.
  change (z_eval (shift (-1) [] (bottom (group_of v qs))) u + total (tops (group_of v qs)) (fun p => z_eval p u) = 0)
    in H.
  rewrite eval_shift in H. simpl monomial in H. assert (B := group_bottom_nonzero N). assert (G := group_value).
  set (b := z_eval (bottom (group_of v qs)) u) in *.
  assert (E : total (tops (group_of v qs)) (fun p => z_eval p u) = total qs (quotient_at u) * b).
  { clear H B posed. clearbody b. revert N. induction G as [| q p l ps Q _ IH]; intros N; simpl; [ring |].
    rewrite (Q (N q (or_introl eq_refl))), IH by (intros; apply N; right; assumption). ring. }
  rewrite E in H. apply Rmult_eq_reg_r with b; [lra | exact B].
Qed.

End at_a_point.

(** ** Functions that add up to 1 *)

Definition adds_up (v : nat) (fs : list rational_function) : bool := sums_to_one (group_of v (map (parts v) fs)).

Theorem adds_up_sound v fs : adds_up v fs = true -> add_up_to_1 fs.
Proof.
  intros H x N. rewrite <- (sums_to_one_sound v (map (parts v) fs) x); [| | exact H |].
  - rewrite total_map. apply total_ext. intros f _. symmetry. apply parts_at.
  - intros q I. apply in_map_iff in I. destruct I as [f [<- _]]. apply (parts_at v f x).
  - intros q I. apply in_map_iff in I. destruct I as [f [<- I]]. destruct (parts_at v f x) as [_ [_ ->]]. apply N, I.
Qed.

Definition table_adds_up (v : nat) (t : functional_table) : bool :=
  match function_rows t with
  | [] => false
  | rows => forallb (fun row => forallb (fun o => forallb (fun m => Nat.ltb m (function_messages t)) (snd o)) row &&
      adds_up v (map fst row)) rows
  end.

Lemma table_adds_up_sound v t : table_adds_up v t = true -> functional_table_posed t.
Proof.
  unfold table_adds_up, functional_table_posed. destruct (function_rows t) as [| row rows]; [discriminate |].
  intros H. split; [discriminate |]. rewrite forallb_forall in H. intros r I. specialize (H r I).
  apply andb_true_iff in H. destruct H as [H A]. split; [| apply (adds_up_sound v), A].
  rewrite forallb_forall in H. intros o m O M. specialize (H o O). rewrite forallb_forall in H. apply Nat.ltb_lt, H, M.
Qed.
