(** The least delta of a protocol for all values of its parameters, from a claim about a table of functions.

    A claim for all parameters is about a table, whose inputs and messages are numbers. [table_renamed]: a randomizer
    of the development is as private if its law is the table's, but for the names of inputs and messages and the order
    of a user's messages. [least_of_functions], [bounded_by_functions]: the least delta of a protocol, or a delta that
    is enough, is the largest value of the functions that the claim lists. [of_powers], [over] write functions of one
    parameter, and [cells_at] the cells of a witness. For any box, e^eps and number of users. Only rows/ needs them. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia PeanoNat Permutation.
From Exactdp Require Import sums laws privacy adding_a_user multivariate box_inequality.
From ExactdpChecker Require Import claims witnesses.
Import ListNotations.
Open Scope R_scope.

(** ** The largest of several numbers and 0 *)

Definition largest (l : list R) : R := fold_right Rmax 0 l.

Lemma largest_nonneg l : 0 <= largest l.
Proof. induction l as [| x l IH]; simpl; [lra | eapply Rle_trans; [exact IH | apply Rmax_r]]. Qed.

Lemma largest_over d l : 0 < d -> largest (map (fun a => a / d) l) = largest l / d.
Proof.
  intros D. induction l as [| a l IH]; simpl; [field; lra |]. rewrite IH. unfold Rdiv. rewrite !(Rmult_comm _ (/ d)).
  apply RmaxRmult. left. apply Rinv_0_lt_compat, D.
Qed.

Lemma largest_at_value x fs : 0 <= largest_at x fs -> largest_at x fs = largest (map (function_at x) fs).
Proof.
  destruct fs as [| f fs]; [reflexivity |]. unfold largest_at.
  assert (Same : forall l s,
    fold_left (fun s g => Rmax s (function_at x g)) l s = fold_left Rmax (map (function_at x) l) s)
    by (induction l; intros; simpl; auto).
  rewrite Same. cbn [map]. generalize (map (function_at x) fs) as l, (function_at x f) as s. intros l s H.
  rewrite <- (Rmax_right 0 (fold_left Rmax l s)) by exact H. clear H. cbn [largest fold_right].
  revert s.
  induction l as [| y l IH]; intros s; simpl; [apply Rmax_comm |]. rewrite IH, Rmax_assoc. reflexivity.
Qed.

(** ** Other names for inputs and messages *)

Lemma mean_renamed {X Y M N} (R : Y -> dist (list M)) (S : X -> dist (list N)) (f : X -> Y) (h : M -> N) :
  (forall x F, orderless F -> mean (S x) F = mean (R (f x)) (fun u => F (map h u))) ->
  forall xs (F : list N -> Rdefinitions.R), orderless F ->
  mean (messages S xs) F = mean (messages R (map f xs)) (fun u => F (map h u)).
Proof.
  intros H. induction xs as [| x xs IH]; intros F O; cbn [map]; [cbn [messages]; rewrite !mean_ret; reflexivity |].
  rewrite !mean_messages_first, H.
  - apply mean_ext. intros mine. rewrite IH by (intros u v P; apply O, Permutation_app_head, P).
    apply mean_ext. intros others. rewrite map_app. reflexivity.
  - intros u v P. apply mean_ext. intros others. apply O, Permutation_app_tail, P.
Qed.

Lemma dp_of_views {X Y M N} n (R : Y -> dist (list M)) (S : X -> dist (list N)) (f : X -> Y) (h : M -> N) eps delta :
  (forall x F, orderless F -> mean (S x) F = mean (R (f x)) (fun u => F (map h u))) ->
  shuffle_dp n R eps delta -> shuffle_dp n S eps delta.
Proof.
  intros H D xs ys [before x y after] L T Sym.
  assert (O : orderless (indicator T)) by (intros u v P; unfold indicator; rewrite (Sym u v P); reflexivity).
  unfold Pr. rewrite !(mean_renamed R S f h H) by exact O. rewrite !map_app. cbn [map].
  apply (D _ _ (replace_one (map f before) (f x) (f y) (map f after))).
  - rewrite <- L, !app_length. simpl. rewrite !map_length. reflexivity.
  - intros u v P. apply Sym, Permutation_map, P.
Qed.

Lemma entry_inside {A} (l : list A) none i : entry l none i = entry l none (Nat.min i (length l - 1)).
Proof.
  unfold entry. destruct (Nat.lt_ge_cases i (length l)) as [L | L]; [rewrite Nat.min_l by lia; reflexivity |].
  rewrite nth_overflow by exact L. destruct l as [| a l] using rev_ind; [destruct (Nat.min _ _); reflexivity |].
  rewrite last_last. rewrite app_length in *. simpl in *. rewrite Nat.min_r by lia.
  rewrite app_nth2 by lia. replace (length l + 1 - 1 - length l)%nat with 0%nat by lia. reflexivity.
Qed.

Theorem table_renamed {X M} (t : functional_table) (x : list R) (R : X -> dist (list M)) (input : nat -> X)
    (place : X -> nat) (number : M -> nat) (message : nat -> M) :
  (forall m, message (number m) = m) ->
  (forall y, (place y < length (function_rows t))%nat /\ same_law (R (input (place y))) (R y)) ->
  (forall i F, (i < length (function_rows t))%nat -> orderless F ->
    mean (table_at t x i) F = mean (R (input i)) (fun u => F (map number u))) ->
  forall n eps delta, shuffle_dp n (table_at t x) eps delta <-> shuffle_dp n R eps delta.
Proof.
  intros Back Place Law n eps delta.
  assert (Some : (0 < length (function_rows t))%nat) by (destruct (Place (input 0%nat)); lia). split; intros D.
  - refine (dp_of_views n _ _ place message eps delta _ D). intros y F O. destruct (Place y) as [L S].
    rewrite Law; [| exact L |].
    + rewrite <- S. apply mean_ext. intros u. f_equal. rewrite map_map. rewrite (map_ext _ (fun m => m) Back).
      rewrite map_id. reflexivity.
    + intros u v P. apply O, Permutation_map, P.
  - refine (dp_of_views n _ _ (fun i => input (Nat.min i (length (function_rows t) - 1))) number eps delta _ D).
    intros i F O. rewrite <- Law; [| lia | exact O]. unfold table_at. rewrite entry_inside. reflexivity.
Qed.

(** ** The claim about a number of users *)

Definition closed_box (box : list (Q * Q)) : list rational_interval :=
  map (fun ends => {| from := fst ends; from_closed := true; to := snd ends; to_closed := true |}) box.

Definition on_box (names : list name) (box : list (Q * Q)) (t : functional_table) (E : rational_function) (w : least)
    (sized : Z * list rational_function) : claim :=
  ForAll names (closed_box box)
    (PointShuffle t (fst sized) ThisNumber ReplaceOne E (snd sized) w).

Lemma holds_part parts assuming : holds (Conjunction parts assuming) -> forall c, In c parts -> holds c.
Proof.
  intros H. induction parts as [| b parts IH]; intros c [].
  - subst b. exact (proj1 H).
  - apply IH; [exact (proj2 H) | assumption].
Qed.

Lemma holds_each {A} (c : A -> claim) l assuming : holds (Conjunction (map c l) assuming) -> forall a, In a l -> holds
  (c a).
Proof. intros H a I. apply (holds_part _ _ H), in_map, I. Qed.

Definition in_ends (box : list (Q * Q)) (x : list R) : Prop :=
  Forall2 (fun ends v => Q2R (fst ends) <= v <= Q2R (snd ends)) box x.

Lemma in_ends_box box x : in_ends box x -> in_box (map real_interval (closed_box box)) x.
Proof.
  intros H. induction H as [| ends v box x B H IH]; constructor; [| exact IH].
  unfold in_interval. simpl. split; [exact B | split; intros; reflexivity].
Qed.

Ltac inside_ends := repeat first [apply Forall2_nil | apply Forall2_cons; [unfold Q2R; simpl; lra |]].

(** No number of users, and no protocol, has a delta below 0. *)
Lemma delta_nonneg {X M} n (R : X -> dist (list M)) eps delta (x : X) :
  (1 <= n)%nat -> shuffle_dp n R eps delta -> 0 <= delta.
Proof.
  intros N G. specialize (G _ _ (replace_one [] x x (repeat x (n - 1)))). simpl app in G.
  specialize (G ltac:(simpl; rewrite repeat_length; lia) (fun _ => false) (fun _ _ _ => eq_refl)).
  assert (None : forall d : dist (list M), Pr d (fun _ => false) = 0).
  { intros d. unfold Pr. rewrite (mean_ext d _ (fun _ => 0 * 0)) by (intros; unfold indicator; ring).
    rewrite mean_scal. ring. }
  rewrite !None in G. lra.
Qed.

Section at_a_point.

Context {X M : Type} (names : list name) (box : list (Q * Q)) (t : functional_table) (E : rational_function) (w :
  least).
Context (listed : list (Z * list rational_function)) (x : list R) (R : X -> dist (list M)) (e : Rdefinitions.R).

Hypothesis claimed : forall sized, In sized listed -> holds (on_box names box t E w sized).
Hypothesis inside : in_ends box x.
Hypothesis level : function_at x E = e.
Hypothesis same : forall n eps delta, shuffle_dp n (table_at t x) eps delta <-> shuffle_dp n R eps delta.

(** For each number of users the values of its functions. *)
Definition values_at : list (nat * list Rdefinitions.R) :=
  map (fun sized => (Z.to_nat (fst sized), map (function_at x) (snd sized))) listed.

Lemma bounded_by_functions n deltas : In (n, deltas) values_at -> shuffle_dp n R (ln e) (largest deltas).
Proof.
  intros I. apply in_map_iff in I. destruct I as [[z fs] [H I]]. injection H as <- <-. cbn [fst snd].
  destruct (claimed _ I x (in_ends_box _ _ inside)) as [_ [[_ [_ [_ P]]] [D _]]]. cbn [fst snd] in *.
  rewrite largest_at_value in D by exact P. specialize (D _ eq_refl). unfold private in D. rewrite level in D.
  apply same, D.
Qed.

Lemma least_of_functions n deltas delta : w = LeastDelta -> forallb (fun sized => 1 <=? fst sized)%Z listed = true ->
  In (n, deltas) values_at -> (shuffle_dp n R (ln e) delta <-> largest deltas <= delta).
Proof.
  intros W Users I. assert (D := bounded_by_functions n deltas I).
  apply in_map_iff in I. destruct I as [[z fs] [H I]]. injection H as <- <-. cbn [fst snd] in *.
  assert (U := proj1 (forallb_forall _ _) Users _ I). apply Z.leb_le in U. cbn [fst] in U.
  destruct (claimed _ I x (in_ends_box _ _ inside)) as [_ [[_ [_ [_ P]]] [_ L]]]. cbn [fst snd] in *.
  rewrite W in L. cbn [nothing_smaller] in L. rewrite largest_at_value in L by exact P. split.
  - intros G. apply same in G. apply Rnot_lt_le. intros Less.
    apply (L delta); [split; [| exact Less] |].
    + refine (delta_nonneg _ _ _ _ 0%nat _ G). lia.
    + exists (Z.to_nat z). split; [reflexivity |]. unfold private. rewrite level. exact G.
  - intros G xs ys N Len T S. specialize (D xs ys N Len T S). lra.
Qed.

End at_a_point.

(** ** Functions of one parameter *)

(** The polynomial with these coefficients, of 1, p, p^2, ...; as claims write it, without zeros. *)
Definition powers_from (k : nat) (coefficients : list Q) : rational_poly :=
  filter (fun ce => negb (Z.eqb (Qnum (fst ce)) 0))
    (combine coefficients (map (fun k => [k]) (seq k (length coefficients)))).

Definition of_powers (coefficients : list Q) : rational_function :=
  match coefficients with
  | [c] => Constant c
  | _ => Polynomial (powers_from 0 coefficients)
  end.

Definition over (bottom top : list Q) : rational_function := Quotient (powers_from 0 top) (powers_from 0 bottom).

Fixpoint power_sum (coefficients : list Q) (p : R) : R :=
  match coefficients with
  | [] => 0
  | c :: rest => Q2R c + p * power_sum rest p
  end.

Lemma eval_powers coefficients p : eval (real_poly (powers_from 0 coefficients)) [p] = power_sum coefficients p.
Proof.
  enough (From : forall k, eval (real_poly (powers_from k coefficients)) [p] = p ^ k * power_sum coefficients p)
    by (rewrite From; simpl; ring).
  induction coefficients as [| c rest IH]; intros k; [unfold eval; simpl; ring |].
  cbn [power_sum]. specialize (IH (S k)). unfold powers_from in *. cbn [length seq map combine filter fst].
  destruct (Z.eqb_spec (Qnum c) 0) as [Zero | _]; cbn [negb].
  - rewrite IH. replace (Q2R c) with 0 by (unfold Q2R; rewrite Zero; ring). simpl. ring.
  - unfold real_poly, eval in *. cbn [map total]. rewrite IH. cbn [fst snd]. simpl. ring.
Qed.

Lemma at_powers coefficients p : function_at [p] (of_powers coefficients) = power_sum coefficients p.
Proof.
  destruct coefficients as [| c [| d l]]; [apply eval_powers | simpl; ring | apply eval_powers].
Qed.

Lemma at_over top bottom p : function_at [p] (over bottom top) = power_sum top p / power_sum bottom p.
Proof. unfold over, function_at. rewrite !eval_powers. reflexivity. Qed.

(** ** Witnesses *)

(** Each cut parts the cell of the first parameter that it lies in. *)
Fixpoint cut_at (place : Q) (cells : tree) : tree :=
  match cells with
  | Cut i other below above =>
      if Qle_bool place other then Cut i other (cut_at place below) above else Cut i other below (cut_at place above)
  | Leaf corner taylor bits => Cut 0 place (Leaf corner taylor bits) (Leaf corner taylor bits)
  end.

Definition cells_at (cuts : list Q) : tree := fold_left (fun cells place => cut_at place cells) cuts (Leaf [] 0 0).

Definition enough_at (cuts : list Q) : witness := OfFunctions (OnCells (cells_at cuts) NothingReached).

Definition reached_at (cuts : list Q) (events : list reached_event) : witness :=
  OfFunctions (OnCells (cells_at cuts) (ReachedViews events)).

Definition reaches (first second : list Z) (event : list (list Z)) : reached_event :=
  {| reached_first := first; reached_second := second; reached_counts := event |}.

(** ** Values that a row lists *)

Ltac values :=
  rewrite ?at_powers, ?at_over; cbn [function_at power_sum]; unfold eval, real_poly;
  cbn [map total monomial fst snd]; unfold Q2R; cbn [Qnum Qden].

(** Sums and products of what is positive are not 0. *)
Ltac positive :=
  rewrite ?Rplus_0_l, ?Rmult_0_r, ?Rplus_0_r; repeat split; apply Rgt_not_eq, Rlt_gt;
  repeat first [lra | apply Rplus_lt_0_compat | apply Rmult_lt_0_compat | apply pow_lt].

Ltac equal_values :=
  unfold values_at; cbn [map fst snd Z.to_nat Pos.to_nat Pos.iter_op Nat.add]; values;
  repeat match goal with
  | |- @eq (list _) _ _ => first [reflexivity | apply f_equal2]
  | |- @eq (_ * _) _ _ => apply f_equal2
  | |- @eq nat _ _ => reflexivity
  end; field; try solve [positive].
