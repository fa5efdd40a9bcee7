(** The claim [accuracy] of a table: how probable an error of an estimate from the shuffled messages is; both verdicts.

    The law of the summed weights of all messages is listed exactly, and the weights of the sums with an error above
    alpha are added up. PROVED is accepted if they are at most beta for the data set of the claim, or for every multiset
    of n users; REFUTED if they are above it for the data set of the claim, or of the witness.
    [check_view_accuracy_sound]: then the claim holds, or does not, for tables, any analyzer and any n >= 1.

    Idea: all numbers of the analyzer are integers over one denominator, so that the sum is that of integer keys; the
    users' order changes neither the law of the sum nor the truth. The class ViewAccuracy of exactdp/checker/accuracy.py
    is this program. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Permutation Bool.
From Exactdp Require Import sums reals laws privacy adding_a_user equal_rows.
From ExactdpChecker Require Import claims witnesses kinds posed views compared_views swept_views neighbor_histograms.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

(** The numbers of an analyzer, over one denominator. *)
Record scaled : Type := {
  scale : Z; keys : list Z; scaled_values : list Z; scaled_offset : Z; scaled_threshold : option Z; scaled_alpha : Z }.

Definition numbers_of (a : analyzer) (values : list Q) (alpha : Q) : list Q :=
  weights a ++ values ++ match zero_unless_above a with Some tau => [tau] | None => [] end ++ [offset a; alpha].

Definition scaled_of (a : analyzer) (values : list Q) (alpha : Q) : scaled :=
  let S := common_denominator (numbers_of a values alpha) in
  {| scale := S; keys := map (over S) (weights a); scaled_values := map (over S) values;
     scaled_offset := over S (offset a); scaled_threshold := option_map (over S) (zero_unless_above a);
     scaled_alpha := over S alpha |}.

(** Whether the estimate from this sum of keys errs by more than alpha. *)
Definition errs (s : scaled) (truth sum : Z) : bool :=
  let estimate :=
    match scaled_threshold s with
    | Some tau => if sum <=? tau then 0 else sum + scaled_offset s
    | None => sum + scaled_offset s
    end in
  scaled_alpha s <? Z.abs (estimate - truth).

Fixpoint weight_of_errors (s : scaled) (truth : Z) (law : listing) (wrong : Z) : Z :=
  match law with
  | [] => wrong
  | (k, w) :: rest => weight_of_errors s truth rest (if errs s truth k then wrong + w else wrong)
  end.

Definition truth_of (s : scaled) (xs : list nat) : Z := fold_left (fun v x => v + entry (scaled_values s) 0 x) xs 0.

(** The probability of an error is at most beta; the total is [whole]. *)
Definition is_rare (s : scaled) (beta : Q) (whole : Z) (xs : list nat) (law : listing) : bool :=
  weight_of_errors s (truth_of s xs) law 0 * Zpos (Qden beta) <=? Qnum beta * whole.

Definition is_rare_for (t : table) (s : scaled) (beta : Q) (n : Z) (xs : list nat) : bool :=
  is_rare s beta (denominator t ^ n) xs (view_of (listings t (keys s)) xs).

(** The inputs, with their rows. *)
Fixpoint numbered {A} (first : nat) (l : list A) : list (nat * A) :=
  match l with
  | [] => []
  | a :: rest => (first, a) :: numbered (S first) rest
  end.

Definition is_rare_for_all (t : table) (s : scaled) (beta : Q) (n : Z) : bool :=
  let rows := numbered 0 (listings t (keys s)) in
  let whole := denominator t ^ n in
  few_views (denominator t) (Z.to_nat n) (map snd rows) (Z.to_nat n) &&
  all_users (fun xs law => is_rare s beta whole xs law) rows (Z.to_nat n) [] no_user.

(** A data set of n users of these inputs. *)
Definition is_data_set (t : table) (n : Z) (h : list Z) : bool :=
  Nat.eqb (length h) (length (rows t)) && forallb (Z.leb 0) h && (fold_right Z.add 0 h =? n).

Definition check_view_accuracy (t : table) (n : Z) (histogram : option (list Z)) (a : analyzer) (values : list Q)
    (alpha beta : Q) (proved : bool) (w : witness) : bool :=
  table_is_posed t && (1 <=? n) && at_most 0 alpha && Nat.eqb (length (weights a)) (message_types t) &&
  Nat.eqb (length values) (length (rows t)) &&
  let s := scaled_of a values alpha in
  match histogram with
  | Some h =>
      is_data_set t n h &&
      match proved, w with
      | true, Simple _ => is_rare_for t s beta n (data_set h)
      | false, Simple _ => negb (is_rare_for t s beta n (data_set h))
      | _, _ => false
      end
  | None =>
      match proved, w with
      | true, Simple _ => is_rare_for_all t s beta n
      | false, OfDataSet h => is_data_set t n h && negb (is_rare_for t s beta n (data_set h))
      | _, _ => false
      end
  end.

(** ** Soundness *)

Open Scope R_scope.

Section analyzer.

Variables (t : table) (a : analyzer) (values : list Q) (alpha beta : Q).
Hypothesis posed : table_posed t.

Let s := scaled_of a values alpha.
Let S := scale s.
Let R := table_law t.

Lemma S_positive : 0 < IZR S.
Proof. apply IZR_lt. apply common_denominator_positive. Qed.

Lemma over_S q : In q (numbers_of a values alpha) -> IZR (over S q) = Q2R q * IZR S.
Proof. intros I. apply over_value; [apply common_denominator_positive | apply common_denominator_divides, I]. Qed.

Lemma over_0 d : over d 0 = 0%Z.
Proof. reflexivity. Qed.

Lemma key_value m : IZR (nth m (keys s) 0%Z) = Q2R (nth m (weights a) 0%Q) * IZR S.
Proof.
  unfold s, scaled_of. cbn [keys]. rewrite <- (over_0 S) at 1. fold S. rewrite map_nth.
  destruct (nth_in_or_default m (weights a) 0%Q) as [I | ->].
  - apply over_S. unfold numbers_of. apply in_or_app. auto.
  - rewrite over_0, RMicromega.Q2R_0. ring.
Qed.

Lemma sum_value u : IZR (sum_of (keys s) u) = summed (weights a) u * IZR S.
Proof.
  unfold summed. induction u as [| m u IH]; cbn [sum_of fold_right total]; [ring |].
  fold (sum_of (keys s) u). rewrite plus_IZR, IH, key_value. ring.
Qed.

Lemma value_of x : IZR (entry (scaled_values s) 0%Z x) = Q2R (entry values 0%Q x) * IZR S.
Proof.
  unfold s, scaled_of. cbn [scaled_values]. change 0%Z with (over S 0) at 1. fold S. rewrite entry_map.
  destruct (entry_in values 0%Q x) as [-> | I].
  - rewrite over_0, RMicromega.Q2R_0. ring.
  - apply over_S. unfold numbers_of. apply in_or_app. right. apply in_or_app. auto.
Qed.

Lemma truth_value xs : IZR (truth_of s xs) = truth values xs * IZR S.
Proof.
  unfold truth_of. assert (X : forall v, IZR (fold_left (fun v x => (v + entry (scaled_values s) 0 x)%Z) xs v) =
    IZR v + truth values xs * IZR S); [| rewrite X; ring].
  unfold truth. induction xs as [| x xs IH]; intros v; cbn [fold_left total]; [ring |].
  rewrite IH, plus_IZR, value_of. ring.
Qed.

Lemma errs_value xs u :
  errs s (truth_of s xs) (sum_of (keys s) u) = Rltb (Q2R alpha) (Rabs (estimate a u - truth values xs)).
Proof.
  assert (SP := S_positive). assert (U := sum_value u). assert (T := truth_value xs).
  assert (IO : IZR (scaled_offset s) = Q2R (offset a) * IZR S).
  { apply over_S. unfold numbers_of. rewrite !in_app_iff. simpl. auto 10. }
  assert (IA : IZR (scaled_alpha s) = Q2R alpha * IZR S).
  { apply over_S. unfold numbers_of. rewrite !in_app_iff. simpl. auto 10. }
  assert (E : forall e : Z, forall x : Rdefinitions.R, IZR e = x * IZR S ->
    (scaled_alpha s <? Z.abs (e - truth_of s xs))%Z = Rltb (Q2R alpha) (Rabs (x - truth values xs))).
  { intros e x He. apply eq_true_iff_eq. rewrite Z.ltb_lt. unfold Rltb.
    assert (V : IZR (Z.abs (e - truth_of s xs)) = Rabs (x - truth values xs) * IZR S).
    { apply eq_trans with (Rabs ((x - truth values xs) * IZR S)).
      - rewrite abs_IZR, minus_IZR, He, T. apply f_equal. ring.
      - rewrite Rabs_mult, (Rabs_right (IZR S)) by lra. reflexivity. }
    destruct (Rlt_dec _ _) as [L | L]; split; intros H; try discriminate; try reflexivity.
    - apply lt_IZR. rewrite IA, V. apply Rmult_lt_compat_r; assumption.
    - exfalso. apply L. apply IZR_lt in H. rewrite IA, V in H. apply Rmult_lt_reg_r in H; assumption. }
  unfold errs, estimate. change (scaled_threshold s) with (option_map (over S) (zero_unless_above a)).
  destruct (zero_unless_above a) as [tau |] eqn:Z; cbn [option_map].
  - assert (IT : IZR (over S tau) = Q2R tau * IZR S).
    { apply over_S. unfold numbers_of. rewrite Z, !in_app_iff. simpl. auto 10. }
    unfold Rltb at 2. destruct (Z.leb_spec (sum_of (keys s) u) (over S tau)) as [L | L];
      destruct (Rlt_dec _ _) as [L' | L'].
    + exfalso. apply IZR_le in L. rewrite U, IT in L. apply Rmult_le_reg_r in L; lra.
    + apply (E 0%Z 0). ring.
    + apply E. rewrite plus_IZR, U, IO. ring.
    + exfalso. apply L'. apply IZR_lt in L. rewrite U, IT in L. apply Rmult_lt_reg_r in L; assumption.
  - apply E. rewrite plus_IZR, U, IO. ring.
Qed.

Definition error (xs : list nat) (u : list nat) : bool := Rltb (Q2R alpha) (Rabs (estimate a u - truth values xs)).

Lemma weight_of_errors_value truth law :
  IZR (weight_of_errors s truth law 0) = weighs IZR law (indicator (errs s truth)).
Proof.
  assert (X : forall w, IZR (weight_of_errors s truth law w) = IZR w + weighs IZR law (indicator (errs s truth)));
    [| rewrite X; ring].
  unfold weighs, indicator. induction law as [| [k p] law IH]; intros w; cbn [weight_of_errors total fst snd]; [ring |].
  rewrite IH. destruct (errs s truth k); [rewrite plus_IZR |]; ring.
Qed.

(** The test of one data set. *)
Lemma is_rare_sound whole xs law :
  (0 < whole)%Z -> lists (keys s) (IZR whole) law (messages R xs) ->
  is_rare s beta whole xs law = true <-> Pr (messages R xs) (error xs) <= Q2R beta.
Proof.
  intros W L. unfold is_rare. rewrite Z.leb_le. apply IZR_lt in W.
  assert (B : 0 < IZR (Zpos (Qden beta))) by (apply IZR_lt; lia).
  assert (V : IZR (weight_of_errors s (truth_of s xs) law 0) = IZR whole * Pr (messages R xs) (error xs)).
  { rewrite weight_of_errors_value, L. unfold Pr. f_equal. apply mean_ext. intros u. unfold indicator, error.
    rewrite errs_value. reflexivity. }
  set (p := Pr _ _) in *. assert (P : 0 < IZR whole * IZR (Zpos (Qden beta))) by (apply Rmult_lt_0_compat; assumption).
  assert (E1 : IZR (weight_of_errors s (truth_of s xs) law 0 * Zpos (Qden beta)) =
    p * (IZR whole * IZR (Zpos (Qden beta))))
    by (rewrite mult_IZR, V; ring).
  assert (E2 : IZR (Qnum beta * whole) = Q2R beta * (IZR whole * IZR (Zpos (Qden beta))))
    by (rewrite mult_IZR; unfold Q2R; field; lra).
  split; intros H.
  - apply IZR_le in H. rewrite E1, E2 in H. apply Rmult_le_reg_r in H; assumption.
  - apply le_IZR. rewrite E1, E2. apply Rmult_le_compat_r; [lra | exact H].
Qed.

Lemma whole_of n : (0 <= n)%Z -> IZR (denominator t ^ n) = IZR (denominator t) ^ Z.to_nat n.
Proof. intros H. rewrite <- (Z2Nat.id n) at 1 by exact H. rewrite <- pow_IZR. reflexivity. Qed.

Lemma is_rare_for_sound n xs :
  (0 <= n)%Z -> length xs = Z.to_nat n ->
  is_rare_for t s beta n xs = true <-> Pr (messages R xs) (error xs) <= Q2R beta.
Proof.
  intros N L. apply is_rare_sound; [apply Z.pow_pos_nonneg; [apply denominator_positive | exact N] |].
  rewrite whole_of by exact N. rewrite <- L. apply view_listed.
Qed.

(** The order of the users does not matter. *)
Lemma error_of_permutation xs ys :
  Permutation xs ys -> Pr (messages R xs) (error xs) = Pr (messages R ys) (error ys).
Proof.
  intros P. assert (E : forall u, error xs u = error ys u).
  { intros u. unfold error, truth. rewrite (total_permutation xs ys _ P). reflexivity. }
  rewrite (Pr_ext _ _ _ E). apply (equal_rows R xs ys ys P (equal_users_refl R ys)).
  intros u v Q. unfold error, estimate, summed. rewrite (total_permutation u v _ Q). reflexivity.
Qed.

(** A number beyond the last input stands for the last one. *)
Definition input (x : nat) : nat := Nat.min x (pred (length (rows t))).

Lemma nth_of_last {A} (l : list A) d none : l <> [] -> nth (pred (length l)) l d = last l none.
Proof.
  induction l as [| b l IH]; intros N; [congruence |]. destruct l as [| c l]; [reflexivity |].
  exact (IH ltac:(discriminate)).
Qed.

Lemma entry_input {A} (l : list A) none x : length l = length (rows t) -> entry l none (input x) = entry l none x.
Proof.
  intros L. unfold entry, input. rewrite <- L. destruct (Nat.le_gt_cases x (pred (length l))) as [H | H].
  - rewrite Nat.min_l by exact H. reflexivity.
  - rewrite Nat.min_r by lia. rewrite (nth_overflow l _ (n := x)) by lia.
    destruct l as [| b l]; [reflexivity | apply nth_of_last; discriminate].
Qed.

Lemma error_of_inputs xs :
  length values = length (rows t) ->
  Pr (messages R xs) (error xs) = Pr (messages R (map input xs)) (error (map input xs)).
Proof.
  intros L. assert (M : messages R xs = messages R (map input xs)).
  { induction xs as [| x xs IH]; [reflexivity |]. simpl. rewrite <- IH. unfold R at 1 3, table_law.
    rewrite entry_input by reflexivity. reflexivity. }
  rewrite <- M. apply Pr_ext. intros u. unfold error, truth. do 3 f_equal. rewrite total_map. apply total_ext.
  intros x _. rewrite entry_input by exact L. reflexivity.
Qed.

Lemma numbered_entry {A} (l : list A) first e :
  In e (numbered first l) -> nth_error l (fst e - first) = Some (snd e) /\ (first <= fst e)%nat.
Proof.
  revert first. induction l as [| b l IH]; intros first I; [destruct I |]. destruct I as [<- | I].
  - simpl. rewrite Nat.sub_diag. auto.
  - destruct (IH _ I) as [N L]. split; [| lia].
    replace (fst e - first)%nat with (Datatypes.S (fst e - Datatypes.S first)) by lia. exact N.
Qed.

Lemma numbered_places {A} (l : list A) first : map fst (numbered first l) = seq first (length l).
Proof. revert first. induction l as [| b l IH]; intros first; [reflexivity |]. simpl. rewrite IH. reflexivity. Qed.

Lemma is_rare_for_all_sound n xs :
  (0 <= n)%Z -> length values = length (rows t) -> is_rare_for_all t s beta n = true -> length xs = Z.to_nat n ->
  Pr (messages R xs) (error xs) <= Q2R beta.
Proof.
  intros N LV H L. unfold is_rare_for_all in H. apply andb_true_iff in H. destruct H as [_ H].
  rewrite error_of_inputs by exact LV.
  destruct (all_users_visited (keys s) (IZR (denominator t)) R (fun xs law => is_rare s beta (denominator t ^ n) xs law)
    (numbered 0 (listings t (keys s)))) with
    (users := Z.to_nat n) (us := @nil nat) (law := no_user) (zs := map input xs) as [vs [law [P [V LL]]]].
  - intros e I. apply numbered_entry in I. destruct I as [I _]. rewrite Nat.sub_0_r in I.
    assert (X := table_listed t (keys s) (fst e)). unfold entry in X. rewrite (nth_error_nth _ _ _ I) in X. exact X.
  - exact H.
  - apply no_user_listed.
  - intros x I. apply in_map_iff in I. destruct I as [y [<- _]]. rewrite numbered_places. apply in_seq.
    unfold listings. rewrite map_length. destruct posed as [NE _]. unfold input.
    destruct (rows t) as [| r rest]; [congruence | simpl length; lia].
  - rewrite map_length. exact L.
  - rewrite app_nil_r in P. rewrite (error_of_permutation _ _ P).
    apply (is_rare_sound (denominator t ^ n) vs law); [| | exact V].
    + apply Z.pow_pos_nonneg; [apply denominator_positive | exact N].
    + rewrite whole_of by exact N. rewrite <- L, <- (map_length input xs), (Permutation_length P). exact LL.
Qed.

End analyzer.

Lemma is_data_set_sound t n h :
  is_data_set t n h = true ->
  length h = length (rows t) /\ (forall c, In c h -> (0 <= c)%Z) /\ fold_right Z.add 0%Z h = n /\
  length (data_set h) = Z.to_nat n.
Proof.
  unfold is_data_set. intros H. apply andb_true_iff in H. destruct H as [H S]. apply andb_true_iff in H.
  destruct H as [L F]. apply Nat.eqb_eq in L. apply Z.eqb_eq in S. split; [exact L |].
  assert (P : forall c, In c h -> (0 <= c)%Z) by (intros c I; rewrite forallb_forall in F; apply Z.leb_le, F, I).
  split; [exact P | split; [exact S |]]. rewrite <- S. clear -P. unfold data_set. generalize 0%nat.
  induction h as [| c h IH]; intros first; [reflexivity |]. cbn [data_set_from fold_right].
  rewrite app_length, repeat_length, IH by (intros d I; apply P; right; exact I).
  assert (C := P c (or_introl eq_refl)).
  assert (G : (0 <= fold_right Z.add 0 h)%Z).
  { assert (Q : forall d, In d h -> (0 <= d)%Z) by (intros d I; apply P; right; exact I). clear -Q.
    induction h as [| d h IH]; simpl; [lia |]. assert (X := Q d (or_introl eq_refl)).
    assert (Y := IH (fun e I => Q e (or_intror I))). lia. }
  lia.
Qed.

Theorem check_view_accuracy_sound t n histogram a values alpha beta proved w :
  check_view_accuracy t n histogram a values alpha beta proved w = true ->
  sound (Accuracy t n histogram a values alpha beta) proved.
Proof.
  unfold check_view_accuracy, sound. intros H. apply andb_true_iff in H. destruct H as [H C].
  apply andb_true_iff in H. destruct H as [H LV]. apply andb_true_iff in H. destruct H as [H LW].
  apply andb_true_iff in H. destruct H as [H HA]. apply at_most_sound in HA. rewrite RMicromega.Q2R_0 in HA.
  apply andb_true_iff in H. destruct H as [T N]. apply table_is_posed_sound in T. apply Z.leb_le in N.
  apply Nat.eqb_eq in LV, LW. assert (N0 : (0 <= n)%Z) by lia. destruct histogram as [h |].
  - apply andb_true_iff in C. destruct C as [D C]. apply is_data_set_sound in D. destruct D as [D1 [D2 [D3 D4]]].
    split; [refine (conj T (conj N (conj LW (conj LV (conj HA _))))); intros h' E; injection E as <-; auto |].
    assert (X := is_rare_for_sound t a values alpha beta n (data_set h) N0 D4).
    destruct proved, w; try discriminate; cbn [holds].
    + intros xs ->. apply X, C.
    + intros A. apply negb_true_iff in C. specialize (A (data_set h) eq_refl). apply X in A. congruence.
  - split; [refine (conj T (conj N (conj LW (conj LV (conj HA _))))); intros h' E; discriminate |].
    destruct proved, w as [p | | | | | | | | | | | h | | | | | | | | | | |]; try discriminate; cbn [holds].
    + intros xs L. apply (is_rare_for_all_sound t a values alpha beta T n xs N0 LV C L).
    + apply andb_true_iff in C. destruct C as [D C]. apply is_data_set_sound in D. destruct D as [_ [_ [_ D4]]].
      intros A. apply negb_true_iff in C. specialize (A (data_set h) D4).
      apply (is_rare_for_sound t a values alpha beta n (data_set h) N0 D4) in A. congruence.
Qed.
