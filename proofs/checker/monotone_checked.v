(** The claim [monotone]: the worst divergence moves one way with a parameter, by a channel; or two levels refute it.

    The larger value of the parameter is written as x + s (h - x), with a variable s more. PROVED is accepted if on all
    cells of the box with s the functions of the table and of the channel are chances, if each row of the channel adds
    up to 1, and if for every input the polynomials of what a user sends at the one value, through the channel, and at
    the other one are the same ([check_channel]). REFUTED is accepted for two points with a level that the plain claims
    prove at the one and refute at the other ([check_two_levels]).

    Source: divergences/channel.v; exactdp/checker/monotone.py. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums laws privacy adding_a_user moved_bystanders equal_rows channel multivariate.
From Exactdp Require Import box_inequality.
From ExactdpChecker Require Import claims witnesses kinds posed views keyed_sums z_polynomials inequality_program.
From ExactdpChecker Require Import inequality_sound box_program box_leaves box_sound.
From ExactdpChecker Require Import functions_of_parameters laws_of_parameters cells tables_of_parameters.
Import ListNotations.
Open Scope Z_scope.

(** ** The program for a channel *)

(** The same with one variable more. *)
Definition extended (f : rational_function) : rational_function :=
  let more := map (fun ce : Q * list nat => (fst ce, snd ce ++ [0%nat])) in
  match f with
  | Constant q => Constant q
  | Polynomial p => Polynomial (more p)
  | Quotient a b => Quotient (more a) (more b)
  end.

(** x + s (h - x) in the place of the variable that is moved; s is the last of v + 1. *)
Definition moved_line (v : nat) (moved : nat) (high : Q) (i : nat) : rational_poly :=
  let x := box_inequality.unit_exponents (S v) i in
  let s := box_inequality.unit_exponents (S v) v in
  if Nat.eqb i moved then [(1%Q, x); (high, s); ((-1)%Q, add_exponents x s)] else [(1%Q, x)].

Definition moved_lines (v moved : nat) (high : Q) : list (Z * z_poly) :=
  map (fun i => cleared (moved_line v moved high i)) (seq 0 v).

Definition moved_parts (v : nat) (lines : list (Z * z_poly)) (f : rational_function) : option quotient :=
  let on := composed (S v) (map (fun l => (l, false)) lines) in
  match on (top_of v f), on (bottom_of v f) with
  | Some a, Some b => Some (a, b)
  | _, _ => None
  end.

(** What a message becomes, and what all messages of an outcome become. *)
Definition message_law (keys : list Z) (channel : list poly_law) (bottom : z_poly) (m : nat) : poly_law :=
  match nth_error channel m with
  | Some law => law
  | None => at_key (nth m keys 0) bottom
  end.

Definition through (law : nat -> poly_law) (send : list nat) (L : poly_law) : poly_law :=
  fold_left (fun L m => times_laws L (law m)) send L.

Definition exchanged (law : nat -> poly_law) (bottom : z_poly) (most : nat) (row : list (list nat * z_poly)) : poly_law :=
  add_laws (map (fun o => through law (fst o) (at_key 0 (times_power (snd o) bottom (most - length (fst o))))) row).

Definition most_of (t : functional_table) : nat :=
  fold_right (fun o => Nat.max (length (snd o))) 0%nat (concat (function_rows t)).

(** As rows of a table of one message each. *)
Definition channel_rows (k : nat) (channel : list (list rational_function)) :
    list (list (rational_function * list nat)) :=
  map (fun row => combine row (map (fun m => [m]) (seq 0 k))) channel.

Definition same_laws (L M : poly_law) : bool := is_zero (add_laws [L; negated M]).

Definition turns (v : nat) (t : functional_table) (channel : list (list rational_function)) (before after : group) :
    bool :=
  let k := function_messages t in
  let most := most_of t in
  let keys := digits k most in
  let rows := channel_rows k channel in
  let exchange := group_of (S v) (map (parts (S v)) (flat_map (map fst) rows)) in
  let laws := map (row_law_of keys) (with_tops rows (tops exchange)) in
  let law := message_law keys laws (bottom exchange) in
  let scale := times_power (bottom before) (bottom exchange) most in
  forallb (fun rr => same_laws
      (scale_law (bottom after) (exchanged law (bottom exchange) most (fst rr)))
      (scale_law scale (row_law_of keys (snd rr))))
    (combine (with_tops (function_rows t) (tops before)) (with_tops (function_rows t) (tops after))).

Definition share_of (i : rational_interval) : rational_interval :=
  {| from := 0%Q; from_closed := true; to := 1%Q; to_closed := to_closed i |}.

Definition check_channel (box : list rational_interval) (moved : nat) (falls : bool) (t : functional_table)
    (channel : list (list rational_function)) (cells : tree) : bool :=
  let v := length box in
  match nth_error box moved with
  | Some i =>
      let fs := functions_of t in
      let more := box ++ [share_of i] in
      match all_some (map (moved_parts v (moved_lines v moved (to i))) fs) [] with
      | Some qs =>
          let smaller := group_of (S v) (map (fun f => parts (S v) (extended f)) fs) in
          let larger := group_of (S v) qs in
          forallb (is_of v) fs && Nat.eqb (length channel) (function_messages t) &&
          forallb (fun row => Nat.eqb (length row) (function_messages t) && adds_up (S v) row) channel &&
          on_cells (fun cell => forallb (chance_shown cell) (map extended fs ++ concat channel)) more cells &&
          (if falls then turns v t channel smaller larger else turns v t channel larger smaller)
      | None => false
      end
  | None => false
  end.

(** ** What the polynomials say *)

Open Scope R_scope.

Lemma extended_monomial e x s : length e = length x -> monomial (e ++ [0%nat]) (x ++ [s]) = monomial e x.
Proof.
  revert x. induction e as [| i e IH]; intros [| a x] L; try discriminate; [simpl; ring |]. injection L as L. simpl.
  rewrite (IH x L). reflexivity.
Qed.

Lemma extended_eval p x s : (forall ce, In ce p -> length (snd ce) = length x) ->
  eval (real_poly (map (fun ce : Q * list nat => (fst ce, snd ce ++ [0%nat])) p)) (x ++ [s]) = eval (real_poly p) x.
Proof.
  intros H. unfold eval, real_poly. rewrite !total_map. apply total_ext. intros ce I. cbn [fst snd].
  rewrite extended_monomial by apply (H ce I). reflexivity.
Qed.

Lemma extended_at f x s : is_of (length x) f = true ->
  function_at (x ++ [s]) (extended f) = function_at x f /\ bottom_at (x ++ [s]) (extended f) = bottom_at x f.
Proof.
  unfold is_of. rewrite forallb_forall. intros H.
  assert (A : forall ce, In ce (top_of (length x) f ++ bottom_of (length x) f) -> length (snd ce) = length x).
  { intros ce I. apply Nat.eqb_eq, H, I. }
  destruct f; cbn [extended function_at bottom_at top_of bottom_of] in *; [auto | |];
    rewrite ?extended_eval by (intros ce I; apply A, in_or_app; auto); auto.
Qed.

Lemma unit_at z i : (i < length z)%nat -> monomial (unit_exponents (length z) i) z = nth i z 0.
Proof.
  intros L. destruct (nth_split z 0 L) as [before [after [E B]]]. set (a := nth i z 0) in *.
  clearbody a. subst z i. rewrite app_length. apply monomial_unit.
Qed.

Lemma moved_line_at v moved high i x s : length x = v -> (i < v)%nat ->
  eval (real_poly (moved_line v moved high i)) (x ++ [s]) =
  if Nat.eqb i moved then nth i x 0 + s * (Q2R high - nth i x 0) else nth i x 0.
Proof.
  intros L I. assert (V : length (x ++ [s]) = S v) by (rewrite app_length; simpl; lia). unfold moved_line.
  assert (A : monomial (unit_exponents (S v) i) (x ++ [s]) = nth i x 0).
  { rewrite <- V, unit_at by lia. apply app_nth1. lia. }
  assert (B : monomial (unit_exponents (S v) v) (x ++ [s]) = s).
  { rewrite <- V. rewrite unit_at by lia. rewrite app_nth2 by lia. rewrite L, Nat.sub_diag. reflexivity. }
  destruct (Nat.eqb i moved); unfold eval, real_poly; cbn [map total fst snd];
    rewrite ?monomial_add, A, ?B, RMicromega.Q2R_1; [| ring].
  replace (Q2R (-1)) with (-1) by (unfold Q2R; simpl; lra). ring.
Qed.

(** The point with the larger value, on the lines at x and s. *)
Lemma moved_point v moved high x y s : length x = v -> length y = v ->
  (forall i, i <> moved -> nth i x 0 = nth i y 0) -> nth moved y 0 = nth moved x 0 + s * (Q2R high - nth moved x 0) ->
  on_lines (moved_lines v moved high) (x ++ [s]) = y.
Proof.
  intros Lx Ly Same At. unfold on_lines, moved_lines. rewrite map_map.
  assert (Y : y = map (fun i => nth i y 0) (seq 0 v)).
  { rewrite <- Ly. clear. induction y as [| a y IH]; [reflexivity |]. cbn [length seq map nth]. f_equal.
    rewrite <- seq_shift, map_map. exact IH. }
  rewrite Y. apply map_ext_in. intros i I. apply in_seq in I.
  destruct (cleared_at (moved_line v moved high i) (x ++ [s])) as [_ ->]. rewrite moved_line_at by (lia || assumption).
  destruct (Nat.eqb_spec i moved) as [-> | N]; [symmetry; exact At | apply Same, N].
Qed.

Lemma moved_lines_positive v moved high l : In l (moved_lines v moved high) -> positive_fraction l.
Proof.
  unfold moved_lines. intros I. apply in_map_iff in I. destruct I as [i [<- _]]. apply (cleared_at _ []).
Qed.

Lemma moved_parts_at v lines f q u : (forall l, In l lines -> positive_fraction l) -> moved_parts v lines f = Some q ->
  quotient_posed q /\ quotient_at u q = function_at (on_lines lines u) f /\
  fraction (snd q) u = bottom_at (on_lines lines u) f.
Proof.
  unfold moved_parts. intros P. destruct (composed _ _ (top_of v f)) as [[a p] |] eqn:A; [| discriminate].
  destruct (composed _ _ (bottom_of v f)) as [[b q'] |] eqn:B; [| discriminate]. intros H. injection H as <-.
  destruct (composed_value lines u P _ _ _ _ A) as [A0 AV]. destruct (composed_value lines u P _ _ _ _ B) as [B0 BV].
  unfold quotient_posed, quotient_at. cbn [fst snd]. rewrite AV, BV, (function_quotient v), bottom_of_at.
  split; [split; assumption | split; reflexivity].
Qed.

(** ** The channel at a point *)

Definition channel_at (k : nat) (channel : list (list rational_function)) (z : list R) (m : nat) : dist nat :=
  match nth_error channel m with
  | Some row => map (fun fm => (function_at z (fst fm), snd fm)) (combine row (seq 0 k))
  | None => ret m
  end.

Definition dist_of (u : list R) (L : poly_law) : dist Z :=
  map (fun a => (IZR (fst a) * monomial (fst (snd a)) u, snd (snd a))) L.

Lemma law_mean_dist u L f : law_mean u L f = mean (dist_of u L) f.
Proof. unfold law_mean, weight, mean, dist_of. rewrite total_map. apply total_ext. intros a _. cbn [fst snd]. ring. Qed.

Lemma through_mean u keys law c (ch : nat -> dist nat) send : forall L f,
  (forall m g, law_mean u (law m) g = c * mean (ch m) (fun m' => g (nth m' keys 0%Z))) ->
  law_mean u (through law send L) f =
  c ^ length send * mean (sent_through ch send) (fun w => law_mean u L (fun a => f (a + sum_of keys w)%Z)).
Proof.
  intros L f H. revert L. induction send as [| m send IH]; intros L.
  - simpl. rewrite mean_ret, Rmult_1_l. apply law_mean_ext. intros k. f_equal. simpl. lia.
  - cbn [through fold_left]. fold (through law send (times_laws L (law m))). rewrite IH, mean_sent_first.
    cbn [length pow]. rewrite (mean_ext (sent_through ch send) _ (fun w => c * mean (ch m) (fun m' =>
      law_mean u L (fun a => f (a + sum_of keys (m' :: w))%Z)))).
    + rewrite mean_scal, (mean_swap (sent_through ch send) (ch m)). ring.
    + intros w. rewrite times_laws_mean, law_mean_dist. rewrite (mean_ext (dist_of u L) _ (fun a => c * mean (ch m)
        (fun m' => f (a + sum_of keys (m' :: w))%Z))).
      * rewrite mean_scal, mean_swap. f_equal. apply mean_ext. intros m'. symmetry. apply law_mean_dist.
      * intros a. rewrite H. f_equal. apply mean_ext. intros m'. f_equal. simpl. ring.
Qed.

Lemma exchanged_shows u keys law c (bot : z_poly) most s (ch : nat -> dist nat) row (P : dist (list nat)) :
  z_eval bot u = c -> (forall m g, law_mean u (law m) g = c * mean (ch m) (fun m' => g (nth m' keys 0%Z))) ->
  (forall wu, In wu P -> (length (snd wu) <= most)%nat) ->
  Forall2 (fun o wu => z_eval (snd o) u = s * fst wu /\ fst o = snd wu) row P ->
  shows u keys (s * c ^ most) (exchanged law bot most row) (bind P (sent_through ch)).
Proof.
  intros B H Most F f. unfold exchanged. rewrite add_laws_mean, total_map, mean_bind. unfold mean at 1.
  rewrite <- total_scal. induction F as [| o wu row P [E S] _ IH]; [reflexivity |]. cbn [total].
  rewrite IH by (intros wv I; apply Most; right; exact I). f_equal.
  rewrite (through_mean u keys law c ch) by exact H. rewrite S.
  assert (L : (length (snd wu) <= most)%nat) by (apply Most; left; reflexivity).
  rewrite (mean_ext (sent_through ch (snd wu)) _ (fun w => s * fst wu * c ^ (most - length (snd wu)) * f (sum_of keys w))).
  - rewrite mean_scal. replace (c ^ most) with (c ^ (length (snd wu)) * c ^ (most - length (snd wu)))
      by (rewrite <- pow_add; f_equal; lia). ring.
  - intros w. rewrite at_key_mean, eval_times_power, B, E. reflexivity.
Qed.

Lemma same_laws_sound u L M : same_laws L M = true -> forall f, law_mean u L f = law_mean u M f.
Proof.
  intros H f. apply (no_weight u _ f) in H. rewrite add_laws_mean in H. cbn [total] in H. rewrite negated_mean in H. lra.
Qed.

Lemma sent_through_sends k channel z u wv : (forall m, In m u -> (m < k)%nat) -> length channel = k ->
  In wv (sent_through (channel_at k channel z) u) ->
  (forall m, In m (snd wv) -> (m < k)%nat) /\ length (snd wv) = length u.
Proof.
  intros M L. revert wv. induction u as [| m u IH]; intros wv I.
  - destruct I as [<- | []]. split; [intros a [] | reflexivity].
  - cbn [sent_through] in I. unfold bind in I. apply in_flat_map in I. destruct I as [[p a] [Ia I]].
    apply in_map_iff in I. destruct I as [[c v] [<- I]]. unfold dmap, bind in I. apply in_flat_map in I.
    destruct I as [[d w] [Iw [E | []]]]. injection E as _ E. cbn [snd] in *. subst v.
    destruct (IH (fun b J => M b (or_intror J)) _ Iw) as [A B]. cbn [snd] in A, B.
    split; [| simpl; congruence]. intros b [<- | J]; [| apply A, J].
    unfold channel_at in Ia. destruct (nth_error channel m) as [row |] eqn:N.
    + apply in_map_iff in Ia. destruct Ia as [[f b] [E Ib]]. injection E as _ ->. apply in_combine_r in Ib.
      apply in_seq in Ib. cbn [snd] in *. lia.
    + apply nth_error_None in N. assert (X := M m (or_introl eq_refl)). lia.
Qed.

(** ** A channel proves it *)

Lemma two_lists {A B} (l : list A) (m : list B) a b x : length l = length m -> l <> [] ->
  In (entry l a x, entry m b x) (combine l m).
Proof.
  intros L N. unfold entry. assert (X : In (last l a, last m b) (combine l m)).
  { revert m L. induction l as [| c l IH]; intros [| d m] L; try discriminate; [congruence |]. injection L as L.
    destruct l as [| c' l]; [destruct m; [left; reflexivity | discriminate] |].
    destruct m as [| d' m]; [discriminate |]. right. exact (IH ltac:(discriminate) (d' :: m) L). }
  destruct (Nat.lt_ge_cases x (length l)) as [K | K].
  - rewrite <- (combine_nth l m x (last l a) (last m b) L). apply nth_In. rewrite combine_length. lia.
  - rewrite !nth_overflow by lia. exact X.
Qed.

Lemma related_nth {A B} (P : A -> B -> Prop) l m i a : Forall2 P l m -> nth_error l i = Some a ->
  exists b, nth_error m i = Some b /\ P a b.
Proof.
  intros H. revert i. induction H as [| c d l m C _ IH]; intros [| i] N; try discriminate; [| apply (IH i N)].
  injection N as <-. exists d. auto.
Qed.

Lemma with_tops_length {A} (rows : list (list (A * list nat))) : forall ts, length (with_tops rows ts) = length rows.
Proof. induction rows as [| row rows IH]; intros ts; simpl; [reflexivity | rewrite IH; reflexivity]. Qed.

Lemma turns_sound v t channel (before after : group) u (p q : rational_function -> R) :
  functional_table_posed t -> length channel = function_messages t ->
  (forall row, In row channel -> length row = function_messages t /\ add_up_to_1 row) ->
  (forall f, In f (concat channel) -> is_chance u f) ->
  0 < z_eval (bottom before) u -> 0 < z_eval (bottom after) u ->
  Forall2 (fun f top => z_eval top u = p f * z_eval (bottom before) u) (functions_of t) (tops before) ->
  Forall2 (fun f top => z_eval top u = q f * z_eval (bottom after) u) (functions_of t) (tops after) ->
  turns v t channel before after = true ->
  (forall m, proper (channel_at (function_messages t) channel u m)) /\
  forall x, same_row (at_rows q (function_rows t) x)
    (bind (at_rows p (function_rows t) x) (sent_through (channel_at (function_messages t) channel u))).
Proof.
  intros Posed L Rows Chance PB PA HB HA H. unfold turns in H. cbv zeta in H.
  set (k := function_messages t) in *. set (most := most_of t) in *. set (keys := digits k most) in *.
  set (rows := channel_rows k channel) in *. set (qs := map (parts (S v)) (flat_map (map fst) rows)) in *.
  set (exchange := group_of (S v) qs) in *.
  set (laws := map (row_law_of keys) (with_tops rows (tops exchange))) in *.
  assert (Listed : forall f, In f (flat_map (map fst) rows) -> In f (concat channel)).
  { intros f I. apply in_flat_map in I. destruct I as [r [Ir I]]. unfold rows, channel_rows in Ir.
    apply in_map_iff in Ir. destruct Ir as [row [<- Ir]]. apply in_map_iff in I. destruct I as [[g m] [<- I]].
    apply in_combine_l in I. apply in_concat. exists row. auto. }
  assert (QP : forall r, In r qs -> quotient_posed r /\ 0 < fraction (snd r) u).
  { intros r I. apply in_map_iff in I. destruct I as [f [<- I]]. destruct (parts_at (S v) f u) as [A [_ C]].
    split; [exact A |]. rewrite C. apply Chance, Listed, I. }
  assert (C0 : 0 < z_eval (bottom exchange) u).
  { apply group_bottom_positive; intros r I; apply QP, I. }
  set (c := z_eval (bottom exchange) u) in *.
  assert (Tops : Forall2 (fun f top => z_eval top u = function_at u f * c) (flat_map (map fst) rows) (tops exchange)).
  { apply group_tops. unfold qs. assert (X : forall f, In f (flat_map (map fst) rows) -> 0 < bottom_at u f)
      by (intros f I; apply Chance, Listed, I). clear -X.
    induction (flat_map (map fst) rows) as [| f fs IH]; constructor; [| apply IH; intros; apply X; right; assumption].
    destruct (parts_at (S v) f u) as [A [B C]]. rewrite C. specialize (X f (or_introl eq_refl)). split; [exact A |].
    split; [lra | exact B]. }
  assert (Law : forall m g, law_mean u (message_law keys laws (bottom exchange) m) g =
    c * mean (channel_at k channel u m) (fun m' => g (nth m' keys 0%Z))).
  { intros m g. unfold message_law, channel_at, laws. destruct (nth_error channel m) as [row |] eqn:N.
    - assert (Nr : nth_error rows m = Some (combine row (map (fun a => [a]) (seq 0 k))))
        by (apply (map_nth_error (fun row => combine row (map (fun a => [a]) (seq 0 k)))), N).
      assert (R2 := with_tops_rows _ rows (tops exchange) Tops).
      destruct (related_nth _ _ _ _ _ R2 Nr) as [st [E F]]. rewrite (map_nth_error (row_law_of keys) _ _ E).
      assert (S := row_law_shows u keys c st
        (map (fun fm => (function_at u (fst fm), [snd fm])) (combine row (seq 0 k)))).
      rewrite S; [f_equal; unfold mean; rewrite !total_map; apply total_ext; intros fm _; cbn [fst snd];
        f_equal; f_equal; simpl; ring |].
      clear -F. revert st F. generalize (seq 0 k) as ms. induction row as [| f row IH]; intros ms st F.
      { inversion F. constructor. }
      destruct ms as [| m ms]; [inversion F; constructor |]. cbn [map combine] in *. inversion F as [| ? ? ? ? [A B] F'].
      subst. constructor; [| apply IH, F']. cbn [fst snd] in *. rewrite A, B. split; [ring | reflexivity].
    - assert (Nr : nth_error (map (row_law_of keys) (with_tops rows (tops exchange))) m = None).
      { apply nth_error_None. apply nth_error_None in N. rewrite map_length, with_tops_length. unfold rows, channel_rows.
        rewrite map_length. exact N. }
      rewrite Nr, at_key_mean, mean_ret. reflexivity. }
  assert (Proper : forall m, proper (channel_at k channel u m)).
  { intros m. unfold channel_at. destruct (nth_error channel m) as [row |] eqn:N; [| apply proper_ret].
    apply nth_error_In in N. destruct (Rows row N) as [Lr One].
    assert (Cr : forall f, In f row -> is_chance u f) by (intros f I; apply Chance, in_concat; exists row; auto).
    split.
    - intros wa I. apply in_map_iff in I. destruct I as [[f m'] [<- I]]. apply in_combine_l in I. apply Cr, I.
    - unfold mean. rewrite total_map. cbn [fst]. transitivity (total row (function_at u)).
      + assert (Ls : length row = length (seq 0 k)) by (rewrite seq_length; exact Lr). clear -Ls. revert Ls.
        generalize (seq 0 k) as ms. induction row as [| f row IH]; intros [| m' ms] Ls; try discriminate; [reflexivity |].
        cbn [combine total fst]. rewrite IH by (simpl in Ls; lia). ring.
      + apply One. intros f I. destruct (Cr f I) as [V _]. unfold has_value in V. lra. }
  split; [exact Proper |]. intros x.
  assert (Some_row : with_tops (function_rows t) (tops before) <> [])
    by (destruct Posed as [N _]; destruct (function_rows t); [congruence | discriminate]).
  rewrite forallb_forall in H. specialize (H (entry (with_tops (function_rows t) (tops before)) [] x,
    entry (with_tops (function_rows t) (tops after)) [] x)
    (two_lists _ _ _ _ _ (eq_trans (with_tops_length _ _) (eq_sym (with_tops_length _ _))) Some_row)).
  cbn [fst snd] in H.
  assert (SB : forall wu, In wu (at_rows p (function_rows t) x) ->
    (forall m, In m (snd wu) -> (m < k)%nat) /\ (length (snd wu) <= most)%nat).
  { intros wu I. unfold at_rows in I. apply in_map_iff in I. destruct I as [o [<- I]].
    apply (table_at_sends t u x Posed (function_at u (fst o), snd o)). apply in_map_iff. exists o. auto. }
  assert (SA : sends_of k most (at_rows q (function_rows t) x)).
  { intros wu I. unfold at_rows in I. apply in_map_iff in I. destruct I as [o [<- I]].
    apply (table_at_sends t u x Posed (function_at u (fst o), snd o)). apply in_map_iff. exists o. auto. }
  apply equal_rows.same_row_sym.
  apply (same_shown_same_row u keys (z_eval (bottom before) u * c ^ most) (z_eval (bottom after) u)
    (exchanged (message_law keys laws (bottom exchange)) (bottom exchange) most
      (entry (with_tops (function_rows t) (tops before)) [] x))
    (row_law_of keys (entry (with_tops (function_rows t) (tops after)) [] x))).
  - apply Rmult_lt_0_compat; [exact PB | apply pow_lt, C0].
  - exact PA.
  - intros f. assert (E := same_laws_sound u _ _ H f). rewrite !scale_law_mean, eval_times_power in E. exact E.
  - apply exchanged_shows; [reflexivity | exact Law | intros wu I; apply SB, I |].
    apply (with_tops_rows _ _ _) in HB. assert (X := entry_related _ _ _ [] [] x HB (Forall2_nil _)). unfold at_rows.
    clear -X. induction X as [| o st row ts [A B] _ IH]; constructor; [| exact IH]. cbn [fst snd]. rewrite A, B.
    split; [ring | reflexivity].
  - exact (rows_show u _ q keys (function_rows t) (tops after) x HA).
  - apply digits_tell; [| exact SA]. intros wu I. unfold bind in I. apply in_flat_map in I.
    destruct I as [[a send] [Ia I]]. apply in_map_iff in I. destruct I as [[b w] [<- I]]. destruct (SB _ Ia) as [M Ls].
    cbn [snd] in *. destruct (sent_through_sends k channel u send (b, w) M L I) as [A B]. cbn [snd] in *.
    split; [exact A | lia].
Qed.

Lemma as_private_through {M} (channel : M -> dist M) (R S : nat -> dist (list M)) :
  (forall m, proper (channel m)) -> (forall x, same_row (S x) (bind (R x) (sent_through channel))) -> as_private R S.
Proof.
  intros P T nb n E delta _ _. destruct nb; [apply (channel_shuffle_dp channel P R S T) |
    apply (channel_add_or_remove channel P R S T)].
Qed.

Lemma smaller_groups v fs x s : length x = v -> forallb (is_of v) fs = true ->
  (forall f, In f fs -> has_value x f) ->
  let g := group_of (S v) (map (fun f => parts (S v) (extended f)) fs) in
  0 < z_eval (bottom g) (x ++ [s]) /\
  Forall2 (fun f top => z_eval top (x ++ [s]) = function_at x f * z_eval (bottom g) (x ++ [s])) fs (tops g).
Proof.
  intros L O H g. rewrite forallb_forall in O.
  assert (Q : forall f, In f fs -> quotient_posed (parts (S v) (extended f)) /\
    fraction (snd (parts (S v) (extended f))) (x ++ [s]) = bottom_at x f /\
    quotient_at (x ++ [s]) (parts (S v) (extended f)) = function_at x f).
  { intros f I. destruct (parts_at (S v) (extended f) (x ++ [s])) as [A [B C]].
    destruct (extended_at f x s) as [D E]; [rewrite L; apply O, I |]. rewrite B, C, D, E. auto. }
  split.
  - apply group_bottom_positive; intros q I; apply in_map_iff in I; destruct I as [f [<- I]];
      destruct (Q f I) as [A [B _]]; [exact A |]. rewrite B. apply H, I.
  - apply group_tops. clear g O. induction fs as [| f fs IH]; constructor;
      [| apply IH; intros; (apply Q || apply H); right; assumption].
    destruct (Q f (or_introl eq_refl)) as [A [B C]]. specialize (H f (or_introl eq_refl)). rewrite B.
    unfold has_value in H. split; [exact A | split; [lra | exact C]].
Qed.

Lemma larger_groups v lines fs qs u : (forall l, In l lines -> positive_fraction l) ->
  Forall2 (fun f q => moved_parts v lines f = Some q) fs qs -> (forall f, In f fs -> has_value (on_lines lines u) f) ->
  let g := group_of (S v) qs in
  0 < z_eval (bottom g) u /\
  Forall2 (fun f top => z_eval top u = function_at (on_lines lines u) f * z_eval (bottom g) u) fs (tops g).
Proof.
  intros P M H g.
  assert (Q : Forall2 (fun f q => quotient_posed q /\ 0 < fraction (snd q) u /\
    quotient_at u q = function_at (on_lines lines u) f) fs qs).
  { clear g. induction M as [| f q fs qs E _ IH]; constructor; [| apply IH; intros; apply H; right; assumption].
    destruct (moved_parts_at v lines f q u P E) as [A [B C]]. rewrite C. split; [exact A |].
    split; [apply H; left; reflexivity | exact B]. }
  split.
  - apply group_bottom_positive; intros q I; clear -Q I; induction Q as [| f r fs qs [A [B _]] _ IH];
      [destruct I | | destruct I |]; destruct I as [<- | I]; auto.
  - apply group_tops. clear -Q. induction Q as [| f q fs qs [A [B C]] _ IH]; constructor; [| exact IH].
    split; [exact A | split; [lra | exact C]].
Qed.

Theorem check_channel_sound box moved falls t channel cells : is_box box -> functional_table_posed t ->
  check_channel box moved falls t channel cells = true -> monotone_holds box moved falls t.
Proof.
  intros N Posed H. unfold check_channel in H. cbv zeta in H. set (v := length box) in *.
  destruct (nth_error box moved) as [i |] eqn:Ei; [| discriminate].
  destruct (all_some _ []) as [qs |] eqn:A; [| discriminate]. apply all_some_map in A.
  repeat (apply andb_true_iff in H; destruct H as [H ?]).
  match goal with K : forallb (fun row => _) channel = true |- _ => rename K into Rows end.
  match goal with K : on_cells _ _ _ = true |- _ => rename K into Cells end.
  match goal with K : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in K; rename K into L end.
  match goal with K : (if falls then _ else _) = true |- _ => rename K into Turns end.
  assert (R : forall row, In row channel -> length row = function_messages t /\ add_up_to_1 row).
  { intros row I. rewrite forallb_forall in Rows. specialize (Rows row I). apply andb_true_iff in Rows.
    destruct Rows as [B C]. split; [apply Nat.eqb_eq, B | apply (adds_up_sound (S v)), C]. }
  assert (Nm : is_box (box ++ [share_of i])).
  { unfold is_box. rewrite map_app. apply Forall_app. split; [exact N |]. constructor; [| constructor].
    unfold not_empty. simpl. rewrite RMicromega.Q2R_0, RMicromega.Q2R_1. lra. }
  assert (Chances : forall z, in_box (map real_interval (box ++ [share_of i])) z ->
    forall f, In f (map extended (functions_of t) ++ concat channel) -> is_chance z f).
  { refine (on_cells_sound _ (fun z => forall f, In f (map extended (functions_of t) ++ concat channel) -> is_chance z f)
      cells (box ++ [share_of i]) _ Nm Cells).
    intros cell _ Nc T z Hz f I. cbv beta in T. rewrite forallb_forall in T. apply (chance_shown_sound cell f Nc (T f I) z Hz). }
  assert (Share : forall x s, in_box (map real_interval box) x -> 0 <= s <= 1 -> (s = 1 -> to_closed i = true) ->
    in_box (map real_interval (box ++ [share_of i])) (x ++ [s])).
  { intros x s Hx Hs Hc. unfold in_box. rewrite map_app. apply Forall2_app; [exact Hx |]. constructor; [| constructor].
    unfold in_interval. simpl. rewrite RMicromega.Q2R_0, RMicromega.Q2R_1. repeat split; try tauto; lra. }
  assert (Length : forall x, in_box (map real_interval box) x -> length x = v).
  { intros x Hx. rewrite <- (related_length _ _ _ Hx). apply map_length. }
  assert (At : forall x, in_box (map real_interval box) x -> forall f, In f (functions_of t) -> is_chance x f).
  { intros x Hx f I. assert (C := Chances (x ++ [0]) (Share x 0 Hx ltac:(lra) ltac:(lra)) (extended f)
      ltac:(apply in_or_app; left; apply in_map, I)).
    rewrite forallb_forall in H. destruct (extended_at f x 0) as [D E]; [rewrite (Length x Hx); apply H, I |].
    unfold is_chance, has_value in *. rewrite D, E in C. exact C. }
  split; [intros x f Hx I; apply (At x Hx f I) |]. intros x y Hx Hy Same Le.
  assert (Hm : in_interval (real_interval i) (nth moved x 0) /\ in_interval (real_interval i) (nth moved y 0)).
  { apply (map_nth_error real_interval) in Ei. split.
    - destruct (related_nth _ _ _ _ _ Hx Ei) as [b [B I]]. rewrite (nth_error_nth _ _ 0 B). exact I.
    - destruct (related_nth _ _ _ _ _ Hy Ei) as [b [B I]]. rewrite (nth_error_nth _ _ 0 B). exact I. }
  destruct Hm as [[_ [_ Cx]] [Hym [_ Cy]]]. simpl in Hym, Cx, Cy. set (h := Q2R (to i)) in *.
  assert (S : exists s, 0 <= s <= 1 /\ (s = 1 -> to_closed i = true) /\
    nth moved y 0 = nth moved x 0 + s * (h - nth moved x 0)).
  { destruct (Req_dec h (nth moved x 0)) as [E | D].
    - exists 0. split; [lra | split; [lra |]]. rewrite <- E in *. lra.
    - exists ((nth moved y 0 - nth moved x 0) / (h - nth moved x 0)).
      assert (P : 0 < h - nth moved x 0) by lra. assert (I := Rinv_0_lt_compat _ P). split; [split |split].
      + apply Rmult_le_pos; lra.
      + apply Rmult_le_reg_r with (h - nth moved x 0); [exact P |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
      + intros E. apply Cy. apply (f_equal (fun r => r * (h - nth moved x 0))) in E. unfold Rdiv in E.
        rewrite Rmult_assoc, Rinv_l in E by lra. lra.
      + field. lra. }
  destruct S as [s [S0 [S1 S]]]. assert (Hz := Share x s Hx S0 S1).
  set (lines := moved_lines v moved (to i)) in *.
  assert (Y : on_lines lines (x ++ [s]) = y) by (apply moved_point; try (apply Length; assumption); assumption).
  assert (LP : forall l, In l lines -> positive_fraction l) by (intros l I; apply (moved_lines_positive v moved (to i)), I).
  destruct (smaller_groups v (functions_of t) x s (Length x Hx) H (fun f I => proj1 (At x Hx f I))) as [SB ST].
  destruct (larger_groups v lines (functions_of t) qs (x ++ [s]) LP A) as [LB LT];
    [rewrite Y; intros f I; apply (At y Hy f I) |]. rewrite Y in LT.
  assert (Channel : forall f, In f (concat channel) -> is_chance (x ++ [s]) f)
    by (intros f I; apply (Chances _ Hz), in_or_app; right; exact I).
  destruct falls.
  - destruct (turns_sound v t channel _ _ (x ++ [s]) (function_at x) (function_at y) Posed L R Channel SB LB ST LT Turns)
      as [P T]. apply (as_private_through _ _ _ P T).
  - destruct (turns_sound v t channel _ _ (x ++ [s]) (function_at y) (function_at x) Posed L R Channel LB SB LT ST Turns)
      as [P T]. apply (as_private_through _ _ _ P T).
Qed.

(** ** Two levels refute it *)

(** They agree but in this place, where the first one is smaller. *)
Fixpoint differ_at (moved : nat) (low high : list Q) : bool :=
  match low, high with
  | a :: low', b :: high' =>
      match moved with
      | O => less a b && forallb (fun pq => Qeq_bool (fst pq) (snd pq)) (combine low' high')
      | S place => Qeq_bool a b && differ_at place low' high'
      end
  | _, _ => false
  end.

Definition at_level (t : table) (nb : neighboring) (n : Z) (E delta : Q) : claim :=
  ShuffleDP (Table t) n ThisNumber nb (ExpEps E) delta LeastNothing.

Definition check_two_levels (plain : claim -> bool -> witness -> bool) (box : list rational_interval) (moved : nat)
    (falls : bool) (t : functional_table) (low high : list Q) (nb : neighboring) (n : Z) (E delta : Q)
    (proof refutation : witness) : bool :=
  in_rational_box box low && in_rational_box box high && differ_at moved low high &&
  match table_of low t, table_of high t with
  | Some a, Some b =>
      let (first, second) := if falls then (a, b) else (b, a) in
      plain (at_level first nb n E delta) true proof && plain (at_level second nb n E delta) false refutation
  | _, _ => false
  end.

Lemma differ_at_sound moved : forall low high, length low = length high -> differ_at moved low high = true ->
  (forall i, i <> moved -> nth i (map Q2R low) 0 = nth i (map Q2R high) 0) /\
  nth moved (map Q2R low) 0 <= nth moved (map Q2R high) 0.
Proof.
  induction moved as [| moved IH]; intros [| a low] [| b high] L H; try discriminate; cbn [differ_at] in H;
    apply andb_true_iff in H; destruct H as [A H]; injection L as L.
  - apply less_sound in A. split; [| simpl; lra]. intros [| i] N; [congruence |]. cbn [map nth]. clear N A.
    revert high L H i. induction low as [| c low IH]; intros [| d high] L H i; try discriminate; [reflexivity |].
    cbn [combine forallb fst snd] in H. apply andb_true_iff in H. destruct H as [C H]. apply Qeq_bool_eq, Qeq_eqR in C.
    injection L as L. destruct i as [| i]; [exact C | apply (IH high L H i)].
  - apply Qeq_bool_eq, Qeq_eqR in A. destruct (IH low high L H) as [Same Le]. split; [| exact Le].
    intros [| i] N; [exact A | apply Same; congruence].
Qed.

Theorem check_two_levels_sound plain box moved falls t low high nb n E delta proof refutation :
  (forall c proved w, plain c proved w = true -> sound c proved) ->
  check_two_levels plain box moved falls t low high nb n E delta proof refutation = true ->
  ~ monotone_holds box moved falls t.
Proof.
  intros Plain H [_ M]. unfold check_two_levels in H. apply andb_true_iff in H. destruct H as [H C].
  apply andb_true_iff in H. destruct H as [H D]. apply andb_true_iff in H. destruct H as [X Y].
  apply in_rational_box_sound in X, Y.
  assert (L : length low = length high).
  { assert (A := related_length _ _ _ X). assert (B := related_length _ _ _ Y). rewrite !map_length in *. congruence. }
  destruct (differ_at_sound moved low high L D) as [Same Le]. specialize (M _ _ X Y Same Le).
  destruct (table_of low t) as [a |] eqn:Ta; [| discriminate]. destruct (table_of high t) as [b |] eqn:Tb; [| discriminate].
  assert (Contra : forall (R S : nat -> dist (list nat)) (first second : table), as_private R S ->
    (forall nb n E delta, private (table_law first) nb n E delta -> private R nb n E delta) ->
    (forall nb n E delta, private S nb n E delta -> private (table_law second) nb n E delta) ->
    plain (at_level first nb n E delta) true proof && plain (at_level second nb n E delta) false refutation = true ->
    False).
  { intros R S first second As F G K. apply andb_true_iff in K. destruct K as [K1 K2]. apply Plain in K1, K2.
    destruct K1 as [[_ [Hn [HE _]]] [K1 _]], K2 as [_ K2]. apply K2. split; [| exact I]. intros n' ->.
    apply G, As; [lia | exact HE |]. apply F, K1. reflexivity. }
  destruct falls.
  - apply (Contra _ _ a b M); [intros; apply (table_of_private low t a _ _ _ _ Ta) |
      intros; apply (table_of_private high t b _ _ _ _ Tb) | exact C]; assumption.
  - apply (Contra _ _ b a M); [intros; apply (table_of_private high t b _ _ _ _ Tb) |
      intros; apply (table_of_private low t a _ _ _ _ Ta) | exact C]; assumption.
Qed.

(** ** The kind *)

Definition check_monotone (plain : claim -> bool -> witness -> bool) (parameters : list name)
    (box : list rational_interval) (moved : nat) (falls : bool) (t : functional_table) (proved : bool) (w : witness) :
    bool :=
  Nat.eqb (length box) (length parameters) && forallb is_open_interval box && Nat.ltb moved (length box) &&
  table_adds_up (length box) t &&
  match proved, w with
  | true, OfFunctions (ByChannel channel cells) => check_channel box moved falls t channel cells
  | false, OfFunctions (TwoLevels low high nb n E delta proof refutation) =>
      check_two_levels plain box moved falls t low high nb n E delta proof refutation
  | _, _ => false
  end.

Theorem check_monotone_sound plain parameters box moved falls t proved w :
  (forall c proved w, plain c proved w = true -> sound c proved) ->
  check_monotone plain parameters box moved falls t proved w = true -> sound (Monotone parameters box moved falls t) proved.
Proof.
  unfold check_monotone, sound. intros Plain H. apply andb_true_iff in H. destruct H as [H C]. apply andb_true_iff in H.
  destruct H as [H T]. apply andb_true_iff in H. destruct H as [H M]. apply andb_true_iff in H. destruct H as [L N].
  apply Nat.eqb_eq in L. apply Nat.ltb_lt in M. apply open_intervals in N. apply table_adds_up_sound in T.
  split; [cbn [well_posed]; auto |]. cbn [holds]. destruct proved, w; try discriminate; destruct w; try discriminate.
  - apply (check_channel_sound box moved falls t channel cells N T C).
  - apply (check_two_levels_sound plain box moved falls t _ _ _ _ _ _ _ _ Plain C).
Qed.
