(** Tables whose probabilities are functions of parameters: their laws over one bottom, and the table at a point.

    [group_rows] gives each outcome the top of its probability; [user_law] is then the law of one user times the bottom
    ([user_law_shows]). [table_of] is the table at a rational point without the outcomes of probability 0, and
    [table_of_private]: it is as private as the functional table is there.

    Source: exactdp/checker/symbolic_laws.py; the function at_point of exactdp/checker/for_all.py. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool Permutation.
From Exactdp Require Import sums laws privacy adding_a_user moved_bystanders equal_rows multivariate.
From ExactdpChecker Require Import claims posed views keyed_sums z_polynomials inequality_program inequality_sound.
From ExactdpChecker Require table_laws.
From ExactdpChecker Require Import box_program box_leaves.
From ExactdpChecker Require Import functions_of_parameters laws_of_parameters cells.
Import ListNotations.
Open Scope R_scope.

(** ** Rows over one bottom *)

Fixpoint with_tops {A} (rows : list (list (A * list nat))) (ts : list z_poly) : list (list (list nat * z_poly)) :=
  match rows with
  | [] => []
  | row :: rest => combine (map snd row) ts :: with_tops rest (skipn (length row) ts)
  end.

Lemma related_length {A B} (P : A -> B -> Prop) l m : Forall2 P l m -> length l = length m.
Proof. induction 1; simpl; congruence. Qed.

Lemma with_tops_rows {A} (P : A -> z_poly -> Prop) rows : forall ts, Forall2 P (flat_map (map fst) rows) ts ->
  Forall2 (Forall2 (fun o st => fst st = snd o /\ P (fst o) (snd st))) rows (with_tops rows ts).
Proof.
  induction rows as [| row rows IH]; intros ts H; [constructor |]. cbn [flat_map with_tops] in *.
  apply Forall2_app_inv_l in H. destruct H as [us [vs [HU [HV ->]]]].
  assert (L := related_length _ _ _ HU). rewrite map_length in L. constructor.
  - clear IH HV. revert us HU L. induction row as [| [f send] row IH]; intros us HU L; inversion HU; subst.
    + constructor.
    + cbn [map combine app]. constructor; [split; [reflexivity | assumption] |]. apply IH; [assumption |].
      simpl in L. lia.
  - rewrite L, skipn_app, skipn_all, Nat.sub_diag. apply IH, HV.
Qed.

Lemma entry_related {A B} (P : A -> B -> Prop) l m a b x : Forall2 P l m -> P a b -> P (entry l a x) (entry m b x).
Proof.
  intros H N. unfold entry. assert (L : P (last l a) (last m b)).
  { induction H as [| c d l m C H IH]; [exact N |]. destruct H; [exact C | exact IH]. }
  revert x. induction H as [| c d l m C H IH]; intros x; [destruct x; exact L |].
  assert (L' : forall i, P (nth i l (last (c :: l) a)) (nth i m (last (d :: m) b))); [| destruct x; [exact C | apply L']].
  destruct H as [| c' d' l' m' C' H']; [intros [| i]; exact L |]. apply IH. exact L.
Qed.

(** The row of each input, over the bottom of the group. *)
Definition user_law (keys : list Z) (rows : list (list (list nat * z_poly))) (x : nat) : poly_law :=
  row_law_of keys (entry rows [] x).

Definition at_rows (f : rational_function -> R) (rows : list (list (rational_function * list nat))) (x : nat) :
  dist (list nat) := map (fun o => (f (fst o), snd o)) (entry rows [] x).

Lemma rows_show u s (value : rational_function -> R) keys rows ts x :
  Forall2 (fun f top => z_eval top u = value f * s) (flat_map (map fst) rows) ts ->
  shows u keys s (user_law keys (with_tops rows ts) x) (at_rows value rows x).
Proof.
  intros H. apply with_tops_rows in H. unfold user_law, at_rows. apply row_law_shows.
  assert (X := entry_related _ _ _ [] [] x H (Forall2_nil _)).
  induction X as [| o st row tops [A B] _ IH]; constructor; [| exact IH]. cbn [fst snd]. rewrite B, A.
  split; [ring | reflexivity].
Qed.

Lemma table_at_rows t x i : table_at t x i = at_rows (function_at x) (function_rows t) i.
Proof. reflexivity. Qed.

(** Functions written over one bottom at a point. *)
Lemma group_tops v (qs : list quotient) fs u (value : rational_function -> R) :
  Forall2 (fun f q => quotient_posed q /\ fraction (snd q) u <> 0 /\ quotient_at u q = value f) fs qs ->
  Forall2 (fun f top => z_eval top u = value f * z_eval (bottom (group_of v qs)) u) fs (tops (group_of v qs)).
Proof.
  intros H. assert (P : forall q, In q qs -> quotient_posed q).
  { clear -H. induction H as [| f q fs qs [A _] _ IH]; intros r I; [destruct I |]. destruct I as [<- | I]; auto. }
  assert (G := group_value v qs u P). set (b := z_eval (bottom (group_of v qs)) u) in *. clearbody b. clear P. revert G.
  generalize (tops (group_of v qs)) as ts. induction H as [| f q fs qs [A [B C]] _ IH]; intros ts G; inversion G; subst;
    constructor; [rewrite <- C; auto | apply IH; assumption].
Qed.

(** ** What users send *)

Lemma table_at_sends t x input : functional_table_posed t ->
  sends_of (function_messages t)
    (fold_right (fun o => Nat.max (length (snd o))) 0%nat (concat (function_rows t))) (table_at t x input).
Proof.
  intros [_ H] wu I. unfold table_at in I. apply in_map_iff in I. destruct I as [o [<- I]]. cbn [snd].
  destruct (entry_in (function_rows t) [] input) as [E | J]; [rewrite E in I; destruct I |].
  destruct (H _ J) as [M _]. split; [intros m K; apply (M o m I K) |].
  assert (K : In o (concat (function_rows t))) by (apply in_concat; eauto). clear -K.
  induction (concat (function_rows t)) as [| a l IH]; [destruct K |]. destruct K as [-> | K]; simpl; [lia |].
  specialize (IH K). lia.
Qed.

Lemma row_in_functions t input o : In o (entry (function_rows t) [] input) -> In (fst o) (functions_of t).
Proof.
  intros I. destruct (entry_in (function_rows t) [] input) as [E | J]; [rewrite E in I; destruct I |].
  apply in_flat_map. eexists. split; [exact J | apply in_map, I].
Qed.

Lemma proper_table_at t x : functional_table_posed t -> (forall f, In f (functions_of t) -> is_chance x f) ->
  forall input, proper (table_at t x input).
Proof.
  intros [N H] C input. split.
  - intros wu I. unfold table_at in I. apply in_map_iff in I. destruct I as [o [<- I]]. simpl.
    apply C, (row_in_functions t input), I.
  - unfold table_at, mean. rewrite total_map. cbn [fst].
    assert (J : In (entry (function_rows t) [] input) (function_rows t)) by apply table_laws.entry_in, N.
    destruct (H _ J) as [_ A].
    transitivity (total (map fst (entry (function_rows t) [] input)) (function_at x)); [| apply (A x)].
    + rewrite total_map. apply total_ext. intros o _. ring.
    + intros f I. apply in_map_iff in I. destruct I as [o [<- I]].
      destruct (C (fst o) (row_in_functions t input o I)) as [V _]. unfold has_value in V. lra.
Qed.

(** ** The same laws of users are as private *)

Lemma same_laws_messages {M} (R S : nat -> dist (list M)) : (forall x, same_law (R x) (S x)) ->
  forall xs, same_law (messages R xs) (messages S xs).
Proof.
  intros H xs. induction xs as [| x xs IH]; intros f; [reflexivity |]. rewrite !mean_messages_first, (H x).
  apply mean_ext. intros mine. apply IH.
Qed.

Lemma same_laws_private {M} (R S : nat -> dist (list M)) nb n E delta : (forall x, same_law (R x) (S x)) ->
  private R nb n E delta -> private S nb n E delta.
Proof.
  intros H. assert (X := same_laws_messages R S H).
  assert (B : forall xs ys, shuffle_below R xs ys E delta -> shuffle_below S xs ys E delta).
  { intros xs ys K T Sym. unfold Pr. rewrite <- !(X _). apply K, Sym. }
  destruct nb; intros P.
  - intros xs ys N L T Sym. unfold Pr. rewrite <- !(X _). apply (P xs ys N L T Sym).
  - intros xs x zs Q L. destruct (P xs x zs Q L). split; apply B; assumption.
Qed.

(** ** The table at a rational point *)

Open Scope Z_scope.

Definition row_of (x : list Q) (row : list (rational_function * list nat)) : option (list (Q * list nat)) :=
  option_map (fun qs => filter (fun o : Q * list nat => negb (Qnum (fst o) =? 0)) (combine qs (map snd row)))
    (all_some (map (fun o => value_of x (fst o)) row) []).

Definition table_of (x : list Q) (t : functional_table) : option table :=
  option_map (fun rs => {| message_types := function_messages t; rows := rs |})
    (all_some (map (row_of x) (function_rows t)) []).

Lemma row_of_mean x row r f : row_of x row = Some r ->
  (mean (row_law r) f = mean (map (fun o => (function_at (map Q2R x) (fst o), snd o)) row) f)%R.
Proof.
  unfold row_of. destruct (all_some _ []) as [qs |] eqn:A; [| discriminate]. cbn [option_map]. intros H.
  injection H as <-. apply all_some_map in A. unfold mean, row_law. rewrite !total_map, total_filter.
  transitivity (total (combine qs (map snd row)) (fun a => Q2R (fst a) * f (snd a)))%R.
  - apply total_ext. intros a _. destruct (Z.eqb_spec (Qnum (fst a)) 0) as [E | N]; cbn [negb fst snd]; [| reflexivity].
    unfold Q2R. rewrite E. ring.
  - induction A as [| o q row qs V _ IH]; [reflexivity |]. apply value_of_sound in V. destruct V as [_ V].
    cbn [map combine total fst snd] in *. rewrite <- V. f_equal. exact IH.
Qed.

Theorem table_of_law x t t' : table_of x t = Some t' ->
  forall input, same_law (table_law t' input) (table_at t (map Q2R x) input).
Proof.
  unfold table_of. destruct (all_some _ []) as [rs |] eqn:A; [| discriminate]. cbn [option_map]. intros H.
  injection H as <-. apply all_some_map in A. intros input f. unfold table_law, table_at. cbn [rows].
  assert (X := entry_related _ _ _ [] [] input A eq_refl). apply row_of_mean, X.
Qed.

Corollary table_of_private x t t' nb n E delta : table_of x t = Some t' ->
  (private (table_law t') nb n E delta <-> private (table_at t (map Q2R x)) nb n E delta).
Proof.
  intros H. assert (L := table_of_law x t t' H). split; apply same_laws_private; [exact L |].
  intros input f. symmetry. apply L.
Qed.
