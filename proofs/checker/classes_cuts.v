(** What is told of a message of unary encoding where classes of users meet: its first three bits, and between which cuts
    the number of its other ones lies.

    [cut_is_scored]: the program's law of the score of one user is below the true one. [classes_are_scored]: so are the
    laws of all classes, of tables, of families, and of unary encoding with cuts. Source: docs/certificates.md, "By an
    event". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool PeanoNat.
From Exactdp Require Import reals sums laws privacy independence adding_a_user losses_program blanket least_values supports.
From Exactdp Require Import unary_classes.
From ExactdpChecker Require Import claims witnesses blanket_program family_blanket opaque_rationals.
From ExactdpChecker Require Import likelihood_sound likelihood_trees scored_sums classes_of_users classes_event classes_families ones_between_cuts.
Import ListNotations.

(** ** The program *)

Definition bits_told (d : Z) : nat := Nat.min 3 (Z.to_nat d).

Definition cut_keys (d : Z) (cuts : list Z) : list (list bool * nat) :=
  list_prod (bit_patterns (bits_told d)) (seq 0 (S (length cuts))).

Definition cut_score (d : Z) (cuts keys : list Z) (b : list bool) (c : nat) : Z :=
  match find (fun k : list bool * nat * Z => if same_pattern (fst (fst k)) b then Nat.eqb (snd (fst k)) c else false)
      (combine (cut_keys d cuts) keys) with
  | Some k => snd k
  | None => 0%Z
  end.

Definition score_of_cut (d : Z) (cuts keys : list Z) (m : option nat * answer) : Z :=
  match snd m with
  | Patterns [u] => cut_score d cuts keys (firstn (bits_told d) u) (cell_of cuts (ones (skipn (bits_told d) u)))
  | _ => 0%Z
  end.

Definition cut_scored (bits d : Z) (p q : Q) (cuts keys : list Z) (s : supported) : scored_class :=
  let f := UnaryEncoding d p q in
  let cells := combine (seq 0 (S (length cuts))) (cell_chances cuts (chances_of_ones q (Z.to_nat d - bits_told d))) in
  {| inputs_scored := bits_told d; input_of := fun i => i;
     one_scored := fun i =>
       let patterns := bit_patterns (bits_told d) in
       let l := flat_map (fun b => map (fun cz => (cut_score d cuts keys b (fst cz),
         floor_of bits (pattern_mass f s i b * (snd cz # 2 ^ 96)))) cells) patterns in
       if forallb (fun b => Qle_bool 0 (pattern_mass f s i b)) patterns && forallb (fun sw => 0 <=? snd sw)%Z l
       then law_of_scores l else {| score_low := 0; score_weights := [] |} |}.

(** ** Soundness *)

Open Scope R_scope.

Lemma mean_draws_app {A} (a b : list (dist A)) f :
  mean (draws (a ++ b)) f = mean (draws a) (fun u => mean (draws b) (fun v => f (u ++ v)%list)).
Proof.
  revert f. induction a as [| r a IH]; intros f; [cbn [draws]; rewrite mean_ret; reflexivity |].
  change ((r :: a) ++ b)%list with (r :: (a ++ b)%list). rewrite !mean_draws_first. apply mean_ext. intros x.
  rewrite IH. reflexivity.
Qed.

Lemma draws_length {A} (a : list (dist A)) wu : In wu (draws a) -> length (snd wu) = length a.
Proof.
  revert wu. induction a as [| r a IH]; intros wu I; [destruct I as [<- | []]; reflexivity |].
  simpl in I. unfold bind in I. apply in_flat_map in I. destruct I as [wa [_ I]]. apply in_map_iff in I.
  destruct I as [wr [<- I]]. apply in_flat_map in I. destruct I as [ws [Is I]]. apply in_map_iff in I.
  destruct I as [wt [<- [<- | []]]]. simpl. rewrite (IH ws Is). reflexivity.
Qed.

(** The first bits, and the others. *)
Lemma unary_split d p q i (H : list bool -> list bool -> R) :
  (i < bits_told d)%nat ->
  mean (unary_encoding (Z.to_nat d) p q i) (fun m => H (firstn (bits_told d) m) (skipn (bits_told d) m)) =
  mean (draws (map (fun k => coin (if Nat.eqb k i then p else q)) (seq 0 (bits_told d)))) (fun u =>
    mean (draws (repeat (coin q) (Z.to_nat d - bits_told d))) (H u)).
Proof.
  intros I. set (L := bits_told d) in *. set (n := Z.to_nat d). assert (Ln : (L <= n)%nat) by (unfold L, bits_told; apply Nat.le_min_r).
  unfold unary_encoding. replace n with (L + (n - L))%nat at 1 by lia. rewrite seq_app, map_app, mean_draws_app.
  assert (Rest : map (fun k => coin (if Nat.eqb k i then p else q)) (seq (0 + L) (n - L)) = repeat (coin q) (n - L)).
  { cbn [Nat.add]. assert (G : forall k a, (i < a)%nat -> map (fun k => coin (if Nat.eqb k i then p else q)) (seq a k) = repeat (coin q) k).
    { induction k as [| k IH]; intros a A; [reflexivity |]. cbn [seq map repeat]. rewrite (IH (S a)) by lia.
      destruct (Nat.eqb_spec a i); [lia | reflexivity]. }
    apply G, I. }
  rewrite Rest. apply total_ext. intros wu J. f_equal. apply mean_ext. intros v.
  apply draws_length in J. rewrite map_length, seq_length in J.
  rewrite firstn_app, skipn_app, J, Nat.sub_diag, <- J, firstn_all, skipn_all. cbn [firstn skipn app]. rewrite app_nil_r. reflexivity.
Qed.

Lemma first_bits d p q m : (2 <= d)%Z -> length m = Z.to_nat d -> pattern_of (UnaryEncoding d p q) (Patterns [m]) = firstn (bits_told d) m.
Proof.
  intros D L. unfold pattern_of, pattern_inputs, told_inputs, bits_told. cbn [has_products inputs_of]. unfold supports_answer, bit_of.
  destruct m as [| a [| b [| c m]]]; cbn [length] in L; try lia.
  - replace (Z.to_nat d) with 2%nat by lia. reflexivity.
  - replace (Nat.min 3 (Z.to_nat d)) with 3%nat by lia. reflexivity.
Qed.

Section unary.

Context (bits d : Z) (p q : Q) (cuts keys : list Z) (named : nat -> bool) (classes : list (randomizer * Z)) (j : nat) (n : Z) (s : supported).
Let f := UnaryEncoding d p q.
Hypothesis bits_some : (0 <= bits)%Z.
Hypothesis posed : forall c, In c classes -> randomizer_posed (fst c).
Hypothesis at_j : nth_error classes j = Some (Family f, n).
Hypothesis supported_is : supports_of f = Some s.

Let f_posed : family_posed f := posed _ (nth_error_In _ _ at_j).

(** The mean of what depends on the cell of the other ones. *)
Definition over_cells (h : nat -> R) : R :=
  mean (draws (repeat (coin (Q2R q)) (Z.to_nat d - bits_told d))) (fun v => h (cell_of cuts (ones v))).

Lemma q_between : 0 < Q2R q < 1.
Proof. destruct f_posed as [_ [Q P]]. lra. Qed.

Lemma others_proper : proper (draws (repeat (coin (Q2R q)) (Z.to_nat d - bits_told d))).
Proof.
  apply proper_draws, Forall_forall. intros r I. apply repeat_spec in I. subst r. apply proper_coin. assert (Q := q_between). lra.
Qed.

Lemma unary_length i m : In m (map snd (unary_encoding (Z.to_nat d) (Q2R p) (Q2R q) i)) -> length m = Z.to_nat d.
Proof.
  intros I. apply in_map_iff in I. destruct I as [wu [<- I]]. apply draws_length in I. rewrite map_length, seq_length in I. exact I.
Qed.

Lemma cut_sums i (g : Z -> R) : (i < bits_told d)%nat ->
  mean (class_law named classes (j, i)) (fun u => g (score_all (score_of_cut d cuts keys) u)) =
  patterns_mean f s i (fun b => over_cells (fun c => g (cut_score d cuts keys b c))).
Proof.
  intros I. destruct f_posed as [D _]. assert (In_d : (i < Z.to_nat d)%nat) by (unfold bits_told in I; lia).
  assert (It : (i < rows_told f)%nat) by exact I.
  set (h := fun b => over_cells (fun c => g (cut_score d cuts keys b c))).
  assert (T := told_means f s i h f_posed supported_is It In_d). cbn [for_program f] in T. destruct T as [name [N [T _]]].
  unfold on_inputs in T. rewrite Nat.min_l in T by lia. unfold one_message in T. rewrite mean_dmap in T.
  rewrite <- T. unfold class_law, sent_by. cbn [fst snd]. rewrite at_j. cbn [for_program f]. unfold on_inputs. rewrite Nat.min_l by lia.
  unfold one_message. rewrite !mean_dmap.
  transitivity (mean (unary_encoding (Z.to_nat d) (Q2R p) (Q2R q) i) (fun m => g (cut_score d cuts keys (firstn (bits_told d) m)
    (cell_of cuts (ones (skipn (bits_told d) m)))))).
  - apply mean_ext. intros m. unfold score_all. cbn [map fold_right snd score_of_cut]. rewrite Z.add_0_r. reflexivity.
  - assert (Right : mean (unary_encoding (Z.to_nat d) (Q2R p) (Q2R q) i) (fun m => h (pattern_of f (name m))) =
      mean (unary_encoding (Z.to_nat d) (Q2R p) (Q2R q) i) (fun m => h (firstn (bits_told d) m))).
    { apply total_ext. intros wm J. f_equal. f_equal. rewrite <- N. apply (first_bits d p q); [exact D |].
      apply (unary_length i), in_map, J. }
    rewrite Right, (unary_split d (Q2R p) (Q2R q) i (fun u v => g (cut_score d cuts keys u (cell_of cuts (ones v)))) I),
      (unary_split d (Q2R p) (Q2R q) i (fun u _ => h u) I).
    apply mean_ext. intros u. rewrite mean_const by apply others_proper. reflexivity.
Qed.

Theorem cut_is_scored : class_scored bits named classes (score_of_cut d cuts keys) j (cut_scored bits d p q cuts keys s).
Proof.
  intros i I. cbn [inputs_scored input_of one_scored cut_scored] in *. cbv zeta.
  assert (Unit : 0 <= IZR (2 ^ bits)) by (apply IZR_le, Z.pow_nonneg; lia).
  set (cells := combine _ _). set (patterns := bit_patterns (bits_told d)).
  set (l := flat_map _ patterns).
  destruct (forallb (fun b => Qle_bool 0 (pattern_mass (UnaryEncoding d p q) s i b)) patterns && forallb (fun sw => (0 <=? snd sw)%Z) l)%bool eqn:T.
  2: { split; [constructor |]. intros g G. cbn [score_low score_weights weighed]. apply Rmult_le_pos; [exact Unit |].
    rewrite mean_sum. apply mean_nonneg; [| intros; apply G]. apply proper_messages. intros u. apply class_law_proper, posed. }
  apply andb_true_iff in T. destruct T as [Mass Nn].
  assert (Nn' : forall sw, In sw l -> (0 <= snd sw)%Z) by (intros sw J; rewrite forallb_forall in Nn; apply Z.leb_le, Nn, J).
  split; [apply (law_of_scores_below l (fun _ => 0) Nn' ltac:(intros; lra)) |]. intros g G.
  destruct (law_of_scores_below l g Nn' G) as [_ U]. eapply Rle_trans; [exact U |]. clear U.
  unfold unit. rewrite mean_sum, mean_messages_first.
  rewrite (mean_ext _ _ (fun u => g (score_all (score_of_cut d cuts keys) u)))
    by (intros u; cbn [messages]; rewrite mean_ret, app_nil_r; reflexivity).
  rewrite (cut_sums i g I). unfold l, patterns_mean. rewrite total_flat_map, <- total_scal.
  change (told_inputs f) with (bits_told d). fold patterns. apply total_le. intros b B. rewrite total_map. cbn [fst snd].
  rewrite forallb_forall in Mass. specialize (Mass b B). apply Qle_bool_R in Mass. rewrite Q2R_0 in Mass. fold f in Mass |- *.
  set (m := pattern_mass f s i b) in *. set (h := fun c => g (cut_score d cuts keys b c)).
  destruct (ones_in_cells q (Z.to_nat d - bits_told d) q_between cuts h (fun c => G _)) as [_ Cells]. fold cells in Cells.
  apply Rle_trans with (total cells (fun cz => IZR (2 ^ bits) * Q2R m * (/ 2 ^ 96) * (IZR (snd cz) * h (fst cz)))).
  - apply total_le. intros cz _. fold h. change (g (cut_score d cuts keys b (fst cz))) with (h (fst cz)).
    rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply G |].
    eapply Rle_trans; [apply floor_below, bits_some |]. rewrite Q2R_mult. right.
    assert (V : Q2R (snd cz # 2 ^ 96) = IZR (snd cz) * / 2 ^ 96).
    { unfold Q2R. cbn [Qnum Qden]. f_equal. f_equal. change (Z.pos (2 ^ 96)) with (2 ^ Z.of_nat 96)%Z. rewrite <- pow_IZR. reflexivity. }
    rewrite V. ring.
  - rewrite total_scal. unfold over_cells. fold h.
    replace (IZR (2 ^ bits) * (Q2R m * mean _ (fun v => h (cell_of cuts (ones v))))) with
      (IZR (2 ^ bits) * Q2R m * (/ 2 ^ 96) * (2 ^ 96 * mean (draws (repeat (coin (Q2R q)) (Z.to_nat d - bits_told d)))
        (fun v => h (cell_of cuts (ones v))))) by (field; apply pow_nonzero; lra).
    apply Rmult_le_compat_l; [| exact Cells]. apply Rmult_le_pos; [apply Rmult_le_pos; assumption |].
    left. apply Rinv_0_lt_compat, pow_lt. lra.
Qed.

End unary.

(** ** All classes *)

Fixpoint cuts_scored (bits d : Z) (cuts keys : list Z) (classes : list (randomizer * Z)) : option (list scored_class) :=
  match classes with
  | [] => Some []
  | (Family (UnaryEncoding d' p q), _) :: more =>
      match supports_of (UnaryEncoding d' p q), cuts_scored bits d cuts keys more with
      | Some s, Some scored => if (d' =? d)%Z then Some (cut_scored bits d' p q cuts keys s :: scored) else None
      | _, _ => None
      end
  | _ => None
  end.

Definition scored_classes (bits : Z) (cuts keys : list Z) (classes : list (randomizer * Z)) : option (list scored_class) :=
  match classes, cuts with
  | (Family f, _) :: _, [] => families_scored bits keys f classes
  | (Family (UnaryEncoding d _ _), _) :: _, _ => cuts_scored bits d cuts keys classes
  | _, _ => tables_scored bits keys classes
  end.

Definition value_of_message (cuts keys : list Z) (classes : list (randomizer * Z)) : option nat * answer -> Z :=
  match classes, cuts with
  | (Family f, _) :: _, [] => score_of_pattern f keys
  | (Family (UnaryEncoding d _ _), _) :: _, _ => score_of_cut d cuts keys
  | _, _ => score_of_answer keys
  end.

Theorem classes_are_scored bits cuts keys named classes scored :
  (0 <= bits)%Z -> (forall c, In c classes -> randomizer_posed (fst c) /\ (1 <= snd c)%Z) ->
  scored_classes bits cuts keys classes = Some scored ->
  all_scored bits named classes (value_of_message cuts keys classes) scored.
Proof.
  intros B P H. unfold scored_classes in H. unfold value_of_message. destruct classes as [| [[t | f0] n0] more].
  - apply (tables_are_scored bits keys named [] B P scored H).
  - apply (tables_are_scored bits keys named _ B P scored H).
  - destruct cuts as [| c0 cuts]; [destruct f0; apply families_are_scored; assumption |].
    destruct f0 as [| d p0 q0 | | | |]; try apply (tables_are_scored bits keys named _ B P scored H).
    set (cs := c0 :: cuts) in *. remember ((Family (UnaryEncoding d p0 q0), n0) :: more) as classes eqn:Cl. clear Cl more.
    assert (G : forall cl scored, cuts_scored bits d cs keys cl = Some scored -> length scored = length cl /\
      forall j c, nth_error scored j = Some c -> exists p q n s, nth_error cl j = Some (Family (UnaryEncoding d p q), n) /\
        supports_of (UnaryEncoding d p q) = Some s /\ c = cut_scored bits d p q cs keys s).
    { clear. induction cl as [| [r n] cl IH]; intros scored H; cbn [cuts_scored] in H.
      - injection H as <-. split; [reflexivity |]. intros [| j] c E; discriminate.
      - destruct r as [| [| d' p q | | | |]]; try discriminate. destruct (supports_of _) as [s |] eqn:S; [| discriminate].
        destruct (cuts_scored bits d cs keys cl) as [l |]; [| discriminate]. destruct (Z.eqb_spec d' d) as [-> |]; [| discriminate].
        injection H as <-. destruct (IH l eq_refl) as [L E]. split; [simpl; rewrite L; reflexivity |].
        intros [| j] c X; [| apply E, X]. injection X as <-. exists p, q, n, s. auto. }
    destruct (G classes scored H) as [Len Each]. split; [exact Len |]. intros j c Nj.
    destruct (Each j c Nj) as [p [q [n [s [E [S ->]]]]]].
    exact (cut_is_scored bits d p q cs keys named classes j n s B (fun c I => proj1 (P c I)) E S).
Qed.
