(** The claim [shuffle_dp] with functions of parameters: views of every data set, on each cell of a box.

    On a cell the views are laws whose weights are coefficients. [views_shown] sweeps over all data sets of n users, as
    swept_views.v does at one point, and compares every pair of neighbours by positive parts of coefficients;
    [views_shown_sound]: then the protocol is private at every point of the cell. [reached_shown]: for each function of
    delta an event of two neighbouring data sets has exactly this excess, so that nothing smaller will do anywhere.

    Source: docs/soundness.md, "for_all"; the class ViewsOnCells of exactdp/checker/symbolic_claims.py. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool Permutation.
From Exactdp Require Import sums laws privacy adding_a_user equal_rows moved_bystanders multivariate box_inequality.
From ExactdpChecker Require Import claims witnesses posed views compared_views neighbor_histograms keyed_sums z_polynomials.
From ExactdpChecker Require Import box_program.
From ExactdpChecker Require swept_views.
From ExactdpChecker Require Import functions_of_parameters laws_of_parameters cells tables_of_parameters coefficients.
From ExactdpChecker Require Import positive_parts monotone_checked.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

(** e^eps = a / b and delta = the largest c / d on a cell. *)
Record level_on : Type := { level_a : z_poly; level_b : z_poly; level_c : list z_poly; level_d : z_poly }.

Definition level_of (box : list rational_interval) (E : rational_function) (deltas : list rational_function) :
    option level_on :=
  match functions_on box [E], functions_on box deltas with
  | Some e, Some d =>
      match tops e with
      | [a] => Some {| level_a := a; level_b := bottom e; level_c := tops d; level_d := bottom d |}
      | _ => None
      end
  | _, _ => None
  end.

(** E - 1 >= 0, and all have a value. *)
Definition level_shown (box : list rational_interval) (E : rational_function) (deltas : list rational_function) : bool :=
  let v := length box in
  forallb (has_value_shown box) (E :: deltas) &&
  sign_shown box false (top_of v E ++ map (fun ce : Q * list nat => ((- fst ce)%Q, snd ce)) (bottom_of v E)).

Definition bounds_of (l : level_on) (whole : z_poly) : list z_poly :=
  let scale := times (level_b l) whole in map (fun c => times c scale) (level_c l).

Definition pair_shown (l : level_on) (bounds : list z_poly) : poly_law -> poly_law -> bool :=
  let db := times (level_d l) (level_b l) in
  let da := times (level_d l) (level_a l) in
  fun P Q => below_shown (excesses db da P Q) bounds.

(** Every multiset of so many more users of these inputs. *)
Fixpoint all_views (visit : poly_law -> bool) (inputs : list (nat * poly_law)) : nat -> poly_law -> bool :=
  match inputs with
  | [] => fun users law =>
      match users with
      | O => visit law
      | S _ => true
      end
  | (_, row) :: rest =>
      fix more users law :=
        if all_views visit rest users law then
          match users with
          | O => true
          | S less => more less (times_laws law row)
          end
        else false
  end.

(** The rows from the number x on, each that was not there before. *)
Fixpoint different_laws (x : nat) (laws : list poly_law) (kept : list (nat * poly_law)) : list (nat * poly_law) :=
  match laws with
  | [] => kept
  | law :: rest =>
      different_laws (S x) rest (if existsb (fun e => same_laws law (snd e)) kept then kept else kept ++ [(x, law)])
  end.

Definition view_keys (t : functional_table) (n : nat) : list Z := digits (function_messages t) (n * most_of t).

Definition laws_on (keys : list Z) (t : functional_table) (g : group) : list poly_law :=
  map (row_law_of keys) (with_tops (function_rows t) (tops g)).

Definition pairs_shown (test : poly_law -> poly_law -> bool) (nb : neighboring) (ends : list (nat * poly_law))
    (bottom : z_poly) (law : poly_law) : bool :=
  match nb with
  | ReplaceOne => swept_views.any_two test (map (fun e => times_laws law (snd e)) ends)
  | AddOrRemoveOne =>
      let without := scale_law bottom law in
      forallb (fun e => let P := times_laws law (snd e) in test P without && test without P) ends
  end.

Definition nobody_law (w : nat) : poly_law := at_key 0 (one w).

Definition views_shown (box : list rational_interval) (t : functional_table) (n : nat) (nb : neighboring)
    (E : rational_function) (deltas : list rational_function) : bool :=
  match functions_on box (functions_of t), level_of box E deltas with
  | Some g, Some l =>
      let w := (length box + length box)%nat in
      let bounds := bounds_of l (times_power (one w) (bottom g) n) in
      let ends := different_laws 0 (laws_on (view_keys t n) t g) [] in
      forallb (chance_shown box) (functions_of t) && level_shown box E deltas && existsb no_negative bounds &&
      match nb, ends with
      | ReplaceOne, [_] => true
      | _, _ => all_views (pairs_shown (pair_shown l bounds) nb ends (bottom g)) ends (pred n) (nobody_law w)
      end
  | _, _ => false
  end.

(** ** Events that reach a delta *)

Definition counts_key (keys counts : list Z) : Z := fold_right Z.add 0 (map (fun kc => fst kc * snd kc) (combine keys counts)).

Definition users_law (w : nat) (bottom : z_poly) (laws : list poly_law) (n : nat) (users : list nat) : poly_law :=
  scale_law (times_power (one w) bottom (n - length users))
    (fold_right (fun x law => times_laws law (entry laws [] x)) (nobody_law w) users).

Definition has_excess (db da bound : z_poly) (P Q : poly_law) (event : list Z) : bool :=
  is_zero (polys_sum (shift (-1) [] bound ::
    map snd (filter (fun kp => is_in event (fst kp)) (grouped (excess_law db da P Q))))).

Definition reached_shown (box : list rational_interval) (t : functional_table) (n : nat) (nb : neighboring)
    (E : rational_function) (deltas : list rational_function) (entries : list reached_event) : bool :=
  match functions_on box (functions_of t), level_of box E deltas with
  | Some g, Some l =>
      let w := (length box + length box)%nat in
      let bounds := bounds_of l (times_power (one w) (bottom g) n) in
      let keys := view_keys t n in
      let laws := laws_on keys t g in
      let db := times (level_d l) (level_b l) in
      let da := times (level_d l) (level_a l) in
      Nat.eqb (length entries) (length bounds) &&
      forallb (fun eb => let e := fst eb in
        neighbor_histograms nb (Z.of_nat n) (reached_first e) (reached_second e) &&
        has_excess db da (snd eb) (users_law w (bottom g) laws n (data_set (reached_first e)))
          (users_law w (bottom g) laws n (data_set (reached_second e))) (map (counts_key keys) (reached_counts e)))
        (combine entries bounds)
  | _, _ => false
  end.

(** ** Levels *)

Open Scope R_scope.

Lemma largest_of x fs : fs <> [] -> exists f, In f fs /\ largest_at x fs = function_at x f.
Proof.
  destruct fs as [| f fs]; [congruence |]. intros _. cbn [largest_at].
  assert (X : forall fs s, fold_left (fun s g => Rmax s (function_at x g)) fs s = s \/
    exists g, In g fs /\ fold_left (fun s g => Rmax s (function_at x g)) fs s = function_at x g).
  { induction fs0 as [| g fs0 IH]; intros s; [left; reflexivity |]. cbn [fold_left].
    destruct (IH (Rmax s (function_at x g))) as [-> | [h [I ->]]].
    - unfold Rmax. destruct (Rle_dec s (function_at x g)); [right; exists g; split; [left |]; reflexivity | left; reflexivity].
    - right. exists h. split; [right; exact I | reflexivity]. }
  destruct (X fs (function_at x f)) as [-> | [g [I ->]]]; [exists f | exists g]; split; try reflexivity; [left | right];
    auto.
Qed.

Lemma at_most_largest x fs f : In f fs -> function_at x f <= largest_at x fs.
Proof.
  destruct fs as [| g fs]; [intros [] |]. cbn [largest_at].
  assert (X : forall fs s, s <= fold_left (fun s g => Rmax s (function_at x g)) fs s /\
    forall f, In f fs -> function_at x f <= fold_left (fun s g => Rmax s (function_at x g)) fs s).
  { induction fs0 as [| h fs0 IH]; intros s; [split; [simpl; lra | intros f0 []] |]. cbn [fold_left].
    destruct (IH (Rmax s (function_at x h))) as [A B]. assert (C := Rmax_l s (function_at x h)).
    assert (D := Rmax_r s (function_at x h)). split; [lra |]. intros f0 [<- | I]; [lra | apply B, I]. }
  intros [<- | I]; [apply (proj1 (X fs (function_at x g))) | apply (proj2 (X fs (function_at x g))), I].
Qed.

Lemma level_shown_sound box x E deltas : is_box box -> in_box (map real_interval box) x ->
  level_shown box E deltas = true ->
  has_value x E /\ 1 <= function_at x E /\ forall f, In f deltas -> has_value x f.
Proof.
  unfold level_shown. intros N Hx H. apply andb_true_iff in H. destruct H as [V S]. rewrite forallb_forall in V.
  assert (W : forall f, In f (E :: deltas) -> has_value x f)
    by (intros f I; apply (has_value_shown_sound box f N (V f I) x Hx)).
  assert (B := W E (or_introl eq_refl)). split; [exact B |]. split; [| intros f I; apply W; right; exact I].
  apply (sign_shown_sound box false _ N S x) in Hx. cbv beta iota in Hx. unfold real_poly in Hx.
  rewrite map_app, eval_app in Hx. fold (real_poly (top_of (length box) E)) in Hx.
  assert (Neg : eval (map (fun ce : Q * list nat => (Q2R (fst ce), snd ce))
    (map (fun ce : Q * list nat => ((- fst ce)%Q, snd ce)) (bottom_of (length box) E))) x = - bottom_at x E).
  { rewrite <- (bottom_of_at (length box)). unfold eval, real_poly. rewrite !total_map.
    replace (- total (bottom_of (length box) E) (fun a => fst (Q2R (fst a), snd a) * monomial (snd (Q2R (fst a), snd a)) x))
      with (-1 * total (bottom_of (length box) E)
        (fun a => fst (Q2R (fst a), snd a) * monomial (snd (Q2R (fst a), snd a)) x)) by ring.
    rewrite <- total_scal. apply total_ext. intros ce _. cbn [fst snd]. rewrite Q2R_opp. ring. }
  rewrite Neg in Hx. rewrite (function_quotient (length box)), bottom_of_at. unfold has_value in B.
  apply Rmult_le_reg_r with (bottom_at x E); [exact B |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Section cell.

Variables (box : list rational_interval) (x u : list R) (E : rational_function) (deltas : list rational_function).
Hypothesis point : nonneg u.
Hypothesis functions : forall fs g, functions_on box fs = Some g -> (forall f, In f fs -> has_value x f) ->
  0 < z_eval (bottom g) u /\ Forall2 (fun f top => z_eval top u = function_at x f * z_eval (bottom g) u) fs (tops g).
Hypothesis E_at : has_value x E /\ 1 <= function_at x E /\ forall f, In f deltas -> has_value x f.

Lemma level_of_at l : level_of box E deltas = Some l ->
  0 < z_eval (level_b l) u /\ 0 < z_eval (level_d l) u /\
  z_eval (level_a l) u = function_at x E * z_eval (level_b l) u /\
  Forall2 (fun f c => z_eval c u = function_at x f * z_eval (level_d l) u) deltas (level_c l).
Proof.
  unfold level_of. destruct (functions_on box [E]) as [e |] eqn:He; [| discriminate].
  destruct (functions_on box deltas) as [d |] eqn:Hd; [| discriminate].
  destruct E_at as [V [_ W]]. destruct (functions _ _ He) as [B T]; [intros f [<- | []]; exact V |].
  destruct (functions _ _ Hd W) as [D C]. inversion T as [| ? a ? l' A R]. subst. inversion R. subst.
  intros H. injection H as <-. cbn [level_a level_b level_c level_d]. auto.
Qed.

(** A pair that passes: at most the largest delta. *)
Lemma bounds_at l whole W : level_of box E deltas = Some l -> z_eval whole u = W ->
  forall g, In g (bounds_of l whole) -> exists f, In f deltas /\
  z_eval g u = function_at x f * (z_eval (level_d l) u * z_eval (level_b l) u * W).
Proof.
  intros L HW g I. destruct (level_of_at l L) as [B [D [A C]]]. unfold bounds_of in I. apply in_map_iff in I.
  destruct I as [c [<- I]]. rewrite !eval_times, HW. clear -C I. induction C as [| f d fs ds V _ IH]; [destruct I |].
  destruct I as [<- | I].
  - exists f. split; [left; reflexivity |]. rewrite V. ring.
  - destruct (IH I) as [h [J F]]. exists h. split; [right; exact J | exact F].
Qed.

Lemma some_bound_nonneg l whole W : level_of box E deltas = Some l -> z_eval whole u = W -> 0 < W ->
  existsb no_negative (bounds_of l whole) = true -> 0 <= largest_at x deltas.
Proof.
  intros L HW PW H. apply existsb_exists in H. destruct H as [g [I H]]. apply (no_negative_value u g point) in H.
  destruct (level_of_at l L) as [B [D _]]. destruct (bounds_at l whole W L HW g I) as [f [J F]].
  assert (P : 0 < z_eval (level_d l) u * z_eval (level_b l) u * W) by (repeat apply Rmult_lt_0_compat; assumption).
  rewrite F in H. assert (X := at_most_largest x deltas f J). apply Rle_trans with (function_at x f); [| exact X].
  apply Rmult_le_reg_r with (z_eval (level_d l) u * z_eval (level_b l) u * W); lra.
Qed.

Lemma pair_shown_sound l whole W P Q g p q : level_of box E deltas = Some l -> z_eval whole u = W -> 0 < W ->
  (forall h, (forall k, 0 <= h k) -> 0 <= law_mean u Q h) -> (forall k, 0 <= g k <= 1) ->
  law_mean u P g = W * p -> law_mean u Q g = W * q ->
  pair_shown l (bounds_of l whole) P Q = true -> p <= function_at x E * q + largest_at x deltas.
Proof.
  intros L HW PW N G HP HQ H. unfold pair_shown in H. destruct (level_of_at l L) as [B [D [A _]]].
  destruct (below_shown_sound u _ _ point H) as [bound [I S]]. destruct (bounds_at l whole W L HW bound I) as [f [J F]].
  destruct E_at as [_ [E1 _]].
  assert (DA : z_eval (times (level_d l) (level_a l)) u = function_at x E * (z_eval (level_d l) u * z_eval (level_b l) u))
    by (rewrite eval_times, A; ring).
  assert (DB : z_eval (times (level_d l) (level_b l)) u = z_eval (level_d l) u * z_eval (level_b l) u)
    by apply eval_times.
  assert (P0 : 0 < z_eval (level_d l) u * z_eval (level_b l) u) by (apply Rmult_lt_0_compat; assumption).
  assert (X := excesses_above u (times (level_d l) (level_b l)) (times (level_d l) (level_a l)) P Q g
    ltac:(rewrite DA; apply Rmult_le_pos; lra) N G).
  rewrite DA, DB, HP, HQ in X. rewrite F in S. set (s := z_eval (level_d l) u * z_eval (level_b l) u) in *.
  assert (Y := at_most_largest x deltas f J). assert (Z0 : 0 < s * W) by (apply Rmult_lt_0_compat; assumption).
  assert (p - function_at x E * q <= function_at x f); [| lra].
  apply Rmult_le_reg_r with (s * W); [exact Z0 |]. lra.
Qed.

End cell.

(** ** Sweeps *)

Lemma all_views_visited u keys D (R : nat -> dist (list nat)) visit inputs :
  (forall e, In e inputs -> shows u keys D (snd e) (R (fst e))) ->
  forall users us law, all_views visit inputs users law = true -> shows u keys (D ^ length us) law (messages R us) ->
  forall zs, incl zs (map fst inputs) -> length zs = users ->
  exists vs law', Permutation (zs ++ us) vs /\ visit law' = true /\ shows u keys (D ^ length vs) law' (messages R vs).
Proof.
  induction inputs as [| [x row] rest IH]; intros Rows users us law H L zs I E.
  - destruct zs as [| z zs]; [| destruct (I z (or_introl eq_refl))]. simpl in E. subst users. exists us, law. auto.
  - assert (Rest : forall e, In e rest -> shows u keys D (snd e) (R (fst e))) by (intros e J; apply Rows; right; exact J).
    specialize (IH Rest). revert us law H L zs I E. induction users as [| users IHu]; intros us law H L zs I E.
    + simpl in H. destruct (all_views visit rest 0 law) eqn:H1; [| discriminate].
      apply (IH O us law H1 L zs); [| exact E]. destruct zs; [intros z [] | discriminate].
    + cbn [all_views] in H. destruct (all_views visit rest (S users) law) eqn:H1; [| discriminate].
      destruct (in_dec Nat.eq_dec x zs) as [J | J].
      * apply in_split in J. destruct J as [a [b ->]].
        assert (P : Permutation (a ++ x :: b) (x :: a ++ b)) by (symmetry; apply Permutation_middle).
        destruct (IHu (x :: us) (times_laws law row)) with (zs := a ++ b) as [vs [law' [P2 [V LV]]]].
        -- exact H.
        -- simpl pow. apply times_laws_show; [exact L | apply (Rows (x, row)); left; reflexivity].
        -- intros z K. apply I. apply in_app_or in K. apply in_or_app. simpl. tauto.
        -- apply Permutation_length in P. simpl in P. lia.
        -- exists vs, law'. split; [| auto]. rewrite <- P2, P. simpl. apply Permutation_middle.
      * apply (IH (S users) us law H1 L zs); [| exact E]. intros z K.
        destruct (I z K) as [<- | K']; [destruct (J K) | exact K'].
Qed.

Lemma different_laws_rows x laws : forall kept,
  (forall e, In e (different_laws x laws kept) ->
    In e kept \/ exists i, nth_error laws i = Some (snd e) /\ fst e = (x + i)%nat) /\
  (forall e, In e kept -> In e (different_laws x laws kept)) /\
  (forall law, In law laws -> exists e, In e (different_laws x laws kept) /\
    forall u f, law_mean u law f = law_mean u (snd e) f).
Proof.
  revert x. induction laws as [| l laws IH]; intros x kept; cbn [different_laws].
  - split; [auto | split; [auto | intros l []]].
  - destruct (existsb _ kept) eqn:B.
    + destruct (IH (S x) kept) as [A1 [A2 A3]]. split; [| split; [exact A2 |]].
      * intros e I. destruct (A1 e I) as [J | [i [N F]]]; [auto | right]. exists (S i). split; [exact N | lia].
      * intros m [<- | I]; [| apply A3, I]. apply existsb_exists in B. destruct B as [e [J B]]. exists e.
        split; [apply A2, J | intros u; apply (same_laws_sound u), B].
    + destruct (IH (S x) (kept ++ [(x, l)])) as [A1 [A2 A3]]. split; [| split].
      * intros e I. destruct (A1 e I) as [J | [i [N F]]]; [| right; exists (S i); split; [exact N | lia]].
        apply in_app_or in J. destruct J as [J | [<- | []]]; [auto | right]. exists 0%nat. split; [reflexivity |].
        simpl. lia.
      * intros e I. apply A2, in_or_app. left. exact I.
      * intros m [<- | I]; [| apply A3, I]. exists (x, l). split; [| reflexivity]. apply A2, in_or_app. right. left.
        reflexivity.
Qed.

Lemma messages_sends k most (R : nat -> dist (list nat)) xs : (forall x, sends_of k most (R x)) ->
  sends_of k (length xs * most) (messages R xs).
Proof.
  intros H. induction xs as [| x xs IH]; intros wu I.
  - destruct I as [<- | []]. split; [intros m [] | simpl; lia].
  - simpl in I. unfold bind in I. apply in_flat_map in I. destruct I as [[a mine] [Ix I]].
    apply in_map_iff in I. destruct I as [[c v] [<- I]]. apply in_flat_map in I.
    destruct I as [[b others] [Io [E | []]]]. injection E as _ E2. cbn [snd] in *. subst v.
    destruct (H x _ Ix) as [M1 L1]. destruct (IH _ Io) as [M2 L2]. cbn [snd length] in *. split.
    + intros m J. apply in_app_or in J. destruct J; auto.
    + rewrite app_length. lia.
Qed.

Lemma sends_more k most most' P : (most <= most')%nat -> sends_of k most P -> sends_of k most' P.
Proof. intros L H wu I. destruct (H wu I). split; [assumption | lia]. Qed.

Section table.

Variables (box : list rational_interval) (x u : list R) (t : functional_table) (n : nat) (nb : neighboring).
Variables (E : rational_function) (deltas : list rational_function).
Hypothesis point : nonneg u.
Hypothesis functions : forall fs g, functions_on box fs = Some g -> (forall f, In f fs -> has_value x f) ->
  0 < z_eval (bottom g) u /\ Forall2 (fun f top => z_eval top u = function_at x f * z_eval (bottom g) u) fs (tops g).
Hypothesis E_at : has_value x E /\ 1 <= function_at x E /\ forall f, In f deltas -> has_value x f.
Hypothesis posed : functional_table_posed t.
Hypothesis some_user : (1 <= n)%nat.
Hypothesis chances : forall f, In f (functions_of t) -> is_chance x f.

Let R := table_at t x.
Let keys := view_keys t n.
Let most := most_of t.

Variable g : group.
Hypothesis grouping : functions_on box (functions_of t) = Some g.

Let D := z_eval (bottom g) u.
Let laws := laws_on keys t g.

Lemma D_at : 0 < D /\ Forall2 (fun f top => z_eval top u = function_at x f * D) (functions_of t) (tops g).
Proof. apply functions; [exact grouping |]. intros f I. apply chances, I. Qed.

Lemma row_law_at i : shows u keys D (entry laws [] i) (R i).
Proof.
  unfold laws, laws_on. change [] with (row_law_of keys []) at 1. rewrite views.entry_map.
  exact (rows_show u D (function_at x) keys (function_rows t) (tops g) i (proj2 D_at)).
Qed.

Lemma row_sends i : sends_of (function_messages t) most (R i).
Proof. apply table_at_sends, posed. Qed.

Lemma R_proper i : proper (R i).
Proof. apply proper_table_at; assumption. Qed.

Lemma law_nonneg s L xs : 0 < s -> shows u keys s L (messages R xs) ->
  forall h, (forall k, 0 <= h k) -> 0 <= law_mean u L h.
Proof.
  intros S H h P. rewrite H. apply Rmult_le_pos; [lra |]. apply mean_nonneg; [apply proper_messages, R_proper |].
  intros m. apply P.
Qed.

Lemma views_tell xs ys : (length xs <= n)%nat -> (length ys <= n)%nat -> tells keys (messages R xs) (messages R ys).
Proof.
  intros LX LY. apply digits_tell; (eapply sends_more; [| apply (messages_sends _ most), row_sends]); fold most;
    apply Nat.mul_le_mono_r; assumption.
Qed.

Let whole := times_power (one (length box + length box)) (bottom g) n.

Lemma whole_at : z_eval whole u = D ^ n.
Proof. unfold whole. rewrite eval_times_power, eval_one. fold D. ring. Qed.

Lemma whole_pos : 0 < D ^ n.
Proof. apply pow_lt, D_at. Qed.

Lemma pair_below l P Q xs ys : level_of box E deltas = Some l -> (length xs <= n)%nat -> (length ys <= n)%nat ->
  shows u keys (D ^ n) P (messages R xs) -> shows u keys (D ^ n) Q (messages R ys) ->
  pair_shown l (bounds_of l whole) P Q = true -> shuffle_below R xs ys (function_at x E) (largest_at x deltas).
Proof.
  intros L LX LY HP HQ H T Sym. unfold Pr.
  destruct (seen_as_sum keys _ _ (indicator T) (orderless_indicator T Sym) (views_tell xs ys LX LY)) as [h [B [-> ->]]].
  assert (B' : forall k, 0 <= h k <= 1).
  { intros k. destruct (B k) as [[v ->] | ->]; [unfold indicator; destruct (T v); lra | lra]. }
  apply (pair_shown_sound box x u E deltas point functions E_at l whole (D ^ n) P Q h _ _ L whole_at whole_pos
    (law_nonneg _ Q ys whole_pos HQ) B' (HP h) (HQ h) H).
Qed.

Let ends := different_laws 0 laws [].

Lemma ends_show e : In e ends -> shows u keys D (snd e) (R (fst e)).
Proof.
  intros I. destruct (different_laws_rows 0 laws []) as [A _]. destruct (A e I) as [[] | [i [N F]]]. simpl in F. rewrite F.
  assert (X := row_law_at i). unfold entry in X. rewrite (nth_error_nth _ _ _ N) in X. exact X.
Qed.

Lemma ends_all_rows : has_all_rows R (map fst ends).
Proof.
  intros i. destruct (different_laws_rows 0 laws []) as [_ [_ A]].
  destruct (A (entry laws [] i)) as [e [I F]].
  { apply table_laws.entry_in. unfold laws, laws_on. destruct posed as [N _]. destruct (function_rows t); [congruence | discriminate]. }
  exists (fst e). split; [apply in_map, I |].
  apply (same_shown_same_row u keys D D (entry laws [] i) (snd e)); try apply D_at;
    [intros f; rewrite (F u f); reflexivity | apply row_law_at | apply ends_show, I |].
  apply digits_tell; (eapply sends_more; [| apply row_sends]); fold most; nia.
Qed.

Definition visited_views (visit : poly_law -> bool) (us : list nat) : Prop :=
  length us = pred n /\ exists law, shows u keys (D ^ pred n) law (messages R us) /\ visit law = true.

Lemma views_swept visit : all_views visit ends (pred n) (nobody_law (length box + length box)) = true ->
  sweeps (pred n) (map fst ends) (visited_views visit).
Proof.
  intros H zs I L.
  assert (No : shows u keys (D ^ length (@nil nat)) (nobody_law (length box + length box)) (messages R [])).
  { intros f. unfold nobody_law. rewrite at_key_mean, eval_one. simpl. rewrite mean_ret. simpl. ring. }
  destruct (all_views_visited u keys D R _ _ ends_show _ _ _ H No zs I L) as [vs [law [P [V LV]]]].
  rewrite app_nil_r in P. exists vs. split; [| exact P].
  assert (LL : length vs = pred n) by (rewrite <- (Permutation_length P); exact L).
  split; [exact LL |]. exists law. rewrite <- LL. auto.
Qed.

Lemma one_view_more law us e : length us = pred n -> shows u keys (D ^ pred n) law (messages R us) -> In e ends ->
  shows u keys (D ^ n) (times_laws law (snd e)) (messages R (fst e :: us)).
Proof.
  intros L H I. replace n with (S (pred n)) at 1 by lia. simpl pow. apply times_laws_show; [exact H | apply ends_show, I].
Qed.

Theorem sweep_private l : level_of box E deltas = Some l -> existsb no_negative (bounds_of l whole) = true ->
  match nb, ends with
  | ReplaceOne, [_] => true
  | _, _ => all_views (pairs_shown (pair_shown l (bounds_of l whole)) nb ends (bottom g)) ends (pred n)
      (nobody_law (length box + length box))
  end = true -> 0 <= largest_at x deltas /\ private R nb n (function_at x E) (largest_at x deltas).
Proof.
  intros L B H. assert (D0 := some_bound_nonneg box x u E deltas point functions E_at l whole _ L whole_at whole_pos B).
  split; [exact D0 |]. destruct E_at as [_ [E1 _]]. 
  assert (Classes : has_all_classes R (map fst ends))
    by (intros i; destruct (ends_all_rows i) as [y [I S]]; exists y; split; [exact I | apply moved_row_of_same, S]).
  destruct nb.
  - intros xs ys N LX. rewrite exp_ln by lra. revert xs ys N LX.
    assert (H' : match ends with [_] => True | _ => False end \/
      all_views (pairs_shown (pair_shown l (bounds_of l whole)) ReplaceOne ends (bottom g)) ends (pred n)
        (nobody_law (length box + length box)) = true) by (destruct ends as [| e [| e' rest]]; auto).
    destruct H' as [One | H'].
    + apply (sweep R (map fst ends) (map fst ends) (fun us => length us = pred n) n); try assumption.
      * exact R_proper.
      * exact ends_all_rows.
      * intros zs _ Lz. exists zs. auto.
      * intros us a b _ IA IB Ne. destruct Ne. destruct ends as [| e [| e' rest]]; try contradiction.
        destruct IA as [<- | []], IB as [<- | []]. reflexivity.
    + apply (sweep R (map fst ends) (map fst ends)
        (visited_views (pairs_shown (pair_shown l (bounds_of l whole)) ReplaceOne ends (bottom g))) n); try assumption.
      * exact R_proper.
      * exact ends_all_rows.
      * apply views_swept, H'.
      * intros us a b [Lu [law [LL V]]] IA IB Ne. apply in_map_iff in IA, IB.
        destruct IA as [e [<- IA]]. destruct IB as [f [<- IB]].
        apply (pair_below l (times_laws law (snd e)) (times_laws law (snd f)) (fst e :: us) (fst f :: us) L);
          try (simpl; lia); try (apply one_view_more; assumption).
        unfold pairs_shown in V. rewrite swept_views.any_two_map in V.
        apply (swept_views.any_two_test _ ends e f V IA IB). intros <-. apply Ne. reflexivity.
  - apply (sweep_add_or_remove R (map fst ends) (map fst ends)
      (visited_views (pairs_shown (pair_shown l (bounds_of l whole)) AddOrRemoveOne ends (bottom g)))); try assumption.
    + exact ends_all_rows.
    + apply views_swept. exact H.
    + intros us a [Lu [law [LL V]]] IA. apply in_map_iff in IA. destruct IA as [e [<- IA]].
      unfold pairs_shown in V. rewrite forallb_forall in V. destruct (proj1 (andb_true_iff _ _) (V e IA)) as [V1 V2].
      assert (L1 := one_view_more law us e Lu LL IA).
      assert (L2 : shows u keys (D ^ n) (scale_law (bottom g) law) (messages R us)).
      { intros f. rewrite scale_law_mean, LL. fold D. replace n with (S (pred n)) at 2 by lia. simpl pow. ring. }
      assert (Lm : (length (fst e :: us) <= n)%nat) by (simpl; lia). assert (Lu' : (length us <= n)%nat) by lia.
      split; [apply (pair_below l _ _ _ _ L Lm Lu' L1 L2 V1) | apply (pair_below l _ _ _ _ L Lu' Lm L2 L1 V2)].
Qed.

End table.

(** ** Events *)

Lemma has_excess_sound u db da bound P Q event : has_excess db da bound P Q event = true ->
  z_eval db u * law_mean u P (indicator (is_in event)) - z_eval da u * law_mean u Q (indicator (is_in event)) =
  z_eval bound u.
Proof.
  unfold has_excess. intros H. apply (is_zero_polynomial _ u) in H. unfold polys_sum in H. rewrite eval_sum in H.
  cbn [total] in H. rewrite eval_shift, total_map, total_filter in H. simpl monomial in H.
  rewrite <- excess_law_mean, grouped_mean.
  rewrite (total_ext (grouped _) _ (fun a => if is_in event (fst a) then z_eval (snd a) u else 0)); [lra |].
  intros kp _. unfold indicator. destruct (is_in event (fst kp)); ring.
Qed.

Lemma combined_entry {A B C} (P : A -> B -> Prop) l m (es : list C) a : Forall2 P l m -> length es = length m -> In a l ->
  exists e b, In (e, b) (combine es m) /\ P a b.
Proof.
  intros H. revert es. induction H as [| c d l m X _ IH]; intros [| e es] L I; try discriminate; try destruct I as [].
  - subst c. exists e, d. split; [left; reflexivity | exact X].
  - injection L as L. destruct (IH es L H) as [e' [b [J K]]]. exists e', b. split; [right; exact J | exact K].
Qed.

Section reached.

Variables (box : list rational_interval) (x u : list R) (t : functional_table) (n : nat) (nb : neighboring).
Variables (E : rational_function) (deltas : list rational_function).
Hypothesis point : nonneg u.
Hypothesis functions : forall fs g, functions_on box fs = Some g -> (forall f, In f fs -> has_value x f) ->
  0 < z_eval (bottom g) u /\ Forall2 (fun f top => z_eval top u = function_at x f * z_eval (bottom g) u) fs (tops g).
Hypothesis E_at : has_value x E /\ 1 <= function_at x E /\ forall f, In f deltas -> has_value x f.
Hypothesis posed : functional_table_posed t.
Hypothesis some_user : (1 <= n)%nat.
Hypothesis chances : forall f, In f (functions_of t) -> is_chance x f.
Hypothesis some_delta : deltas <> [].

Theorem reached_sound entries : reached_shown box t n nb E deltas entries = true ->
  forall d, 0 <= d < largest_at x deltas -> ~ private (table_at t x) nb n (function_at x E) d.
Proof.
  unfold reached_shown. destruct (functions_on box (functions_of t)) as [g |] eqn:G; [| discriminate].
  destruct (level_of box E deltas) as [l |] eqn:L; [| discriminate]. intros H d Hd Private.
  set (R := table_at t x) in *. set (w := (length box + length box)%nat) in *. set (keys := view_keys t n) in *.
  set (laws := laws_on keys t g) in *. set (D := z_eval (bottom g) u).
  destruct (D_at box x u t functions chances g G) as [D0 _]. fold D in D0.
  set (whole := times_power (one w) (bottom g) n) in *.
  assert (HW : z_eval whole u = D ^ n) by (unfold whole; rewrite eval_times_power, eval_one; fold D; ring).
  assert (W0 : 0 < D ^ n) by (apply pow_lt, D0).
  destruct (level_of_at box x u E deltas functions E_at l L) as [B [D1 [A C]]].
  apply andb_true_iff in H. destruct H as [Len H]. apply Nat.eqb_eq in Len. rewrite forallb_forall in H.
  set (scale := z_eval (level_d l) u * z_eval (level_b l) u * D ^ n) in *.
  assert (Bounds : Forall2 (fun f b => z_eval b u = function_at x f * scale) deltas (bounds_of l whole)).
  { unfold bounds_of. clear -C HW. induction C as [| f c fs cs V _ IH]; constructor; [| exact IH].
    rewrite !eval_times, HW, V. unfold scale. ring. }
  destruct (largest_of x deltas some_delta) as [f [I F]].
  destruct (combined_entry _ _ _ entries f Bounds Len I) as [e [b [J V]]]. specialize (H _ J). cbn [fst snd] in H.
  apply andb_true_iff in H. destruct H as [NH X]. apply (has_excess_sound u) in X.
  destruct E_at as [_ [E1 _]].
  assert (Below := neighbors_private R nb (Z.of_nat n) (reached_first e) (reached_second e) (function_at x E) d NH
    ltac:(lia) ltac:(lra)). rewrite Nat2Z.id in Below. specialize (Below Private).
  assert (Users : forall us, shows u keys (D ^ length us)
    (fold_right (fun x law => times_laws law (entry laws [] x)) (nobody_law w) us) (messages R us)).
  { induction us as [| i us IH].
    - intros h. simpl fold_right. unfold nobody_law. rewrite at_key_mean, eval_one. simpl. rewrite mean_ret. simpl. ring.
    - simpl pow. apply times_laws_show; [exact IH |]. apply (row_law_at box x u t n functions chances g G). }
  assert (All : forall us, (length us <= n)%nat -> shows u keys (D ^ n) (users_law w (bottom g) laws n us) (messages R us)).
  { intros us Lu h. unfold users_law. rewrite scale_law_mean, eval_times_power, eval_one, (Users us h). fold D.
    rewrite <- !Rmult_assoc, Rmult_1_l, <- pow_add. do 2 f_equal. lia. }
  assert (S := NH). apply neighbor_histograms_sound in S. destruct S as [zs [LZ S]].
  assert (X0 : (length (data_set (reached_first e)) <= n)%nat /\ (length (data_set (reached_second e)) <= n)%nat).
  { destruct nb; [destruct S as [a [b' [P1 P2]]] | destruct S as [a [[P1 P2] | [P1 P2]]]];
      apply Permutation_length in P1, P2; simpl in P1, P2; lia. }
  rewrite (All _ (proj1 X0)), (All _ (proj2 X0)) in X. set (event := map (counts_key keys) (reached_counts e)) in *.
  pose (T := fun m => is_in event (sum_of keys m)).
  assert (Sym : symmetric T) by (intros a b' P; unfold T; rewrite (sum_of_permutation keys a b' P); reflexivity).
  specialize (Below T Sym).
  change (Pr (messages R (data_set (reached_first e))) T) with
    (mean (messages R (data_set (reached_first e))) (fun m => indicator (is_in event) (sum_of keys m))) in Below.
  change (Pr (messages R (data_set (reached_second e))) T) with
    (mean (messages R (data_set (reached_second e))) (fun m => indicator (is_in event) (sum_of keys m))) in Below.
  set (p := mean (messages R (data_set (reached_first e))) _) in *.
  set (q := mean (messages R (data_set (reached_second e))) _) in *.
  rewrite V, !eval_times, A in X. unfold scale in X.
  assert (Z0 : 0 < z_eval (level_d l) u * z_eval (level_b l) u * D ^ n)
    by (repeat apply Rmult_lt_0_compat; assumption).
  set (k := z_eval (level_d l) u * z_eval (level_b l) u * D ^ n) in *.
  assert (p - function_at x E * q = function_at x f); [| rewrite F in Hd; lra].
  apply Rmult_eq_reg_r with k; [| lra]. rewrite <- X. unfold k. ring.
Qed.

End reached.
