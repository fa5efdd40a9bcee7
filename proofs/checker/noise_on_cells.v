(** Claims about noise with functions of parameters, on each cell of a box: shift_dp, smooth, tail and equal_laws.

    [noise_on] lists a law on a cell, each integer with its coefficients, and [noise_lists]: at every point of the cell
    that is the law times the total. [shifts_shown], [smooth_shown], [tail_shown] and [equal_shown] decide the claims;
    [shifts_reached] events that reach delta.

    Source: docs/soundness.md, "for_all"; exactdp/checker/symbolic_claims.py. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool Permutation.
From Exactdp Require Import sums handelman laws privacy masses shifts smooth binomial one_count multivariate bernstein box_inequality.
From ExactdpChecker Require Import claims witnesses posed views keyed_sums z_polynomials box_program.
From ExactdpChecker Require Import functions_of_parameters laws_of_parameters cells tables_of_parameters coefficients.
From ExactdpChecker Require Import positive_parts monotone_checked views_on_cells.
Import ListNotations.
Open Scope Z_scope.

(** ** The law on a cell *)

(** 1 - f *)
Definition complement (v : nat) (f : rational_function) : rational_function :=
  Quotient (bottom_of v f ++ map (fun ce : Q * list nat => ((- fst ce)%Q, snd ce)) (top_of v f)) (bottom_of v f).

Fixpoint many_times (w : nat) (row : poly_law) (n : nat) : poly_law :=
  match n with
  | O => nobody_law w
  | S m => times_laws (many_times w row m) row
  end.

(** The law and its total. *)
Definition noise_on (box : list rational_interval) (nu : functional_noise) : option (poly_law * z_poly) :=
  let v := length box in
  let w := (v + v)%nat in
  match nu with
  | FunctionalFinite weights =>
      option_map (fun g => (add_laws (map (fun kt => at_key (fst kt) (snd kt)) (combine (map fst weights) (tops g))), bottom g))
        (functions_on box (map snd weights))
  | FunctionalView t histogram weights =>
      option_map (fun g => let users := data_set histogram in
          (fold_right (fun x law => times_laws law (entry (laws_on weights t g) [] x)) (nobody_law w) users,
           times_power (one w) (bottom g) (length users)))
        (functions_on box (functions_of t))
  | FunctionalBinomial n p =>
      match functions_on box [complement v p; p] with
      | Some g =>
          match tops g with
          | [q; p] => Some (many_times w (add_laws [at_key 0 q; at_key 1 p]) (Z.to_nat n),
              times_power (one w) (bottom g) (Z.to_nat n))
          | _ => None
          end
      | None => None
      end
  end.

Definition noise_chances_shown (box : list rational_interval) (nu : functional_noise) : bool :=
  match nu with
  | FunctionalFinite weights => forallb (chance_shown box) (map snd weights)
  | FunctionalView t _ _ => forallb (chance_shown box) (functions_of t)
  | FunctionalBinomial _ p => chance_shown box p && chance_shown box (complement (length box) p)
  end.

Definition noise_adds_up (v : nat) (nu : functional_noise) : bool :=
  match nu with
  | FunctionalFinite weights => ascending (map fst weights) && adds_up v (map snd weights)
  | FunctionalView t histogram weights =>
      table_adds_up v t && Nat.eqb (length histogram) (length (function_rows t)) &&
      Nat.eqb (length weights) (function_messages t) && forallb (Z.leb 0) histogram
  | FunctionalBinomial n _ => 0 <=? n
  end.

(** ** What it lists *)

Open Scope R_scope.

Definition one_at (k j : Z) : R := if Z.eqb j k then 1 else 0.

Definition noise_lists (u : list R) (W : R) (L : poly_law) (w : Z -> R) : Prop :=
  0 < W /\ (forall k, 0 <= w k) /\ forall k, law_mean u L (one_at k) = W * w k.

Lemma noise_adds_up_sound v nu : noise_adds_up v nu = true -> functional_noise_posed nu.
Proof.
  destruct nu as [weights | t histogram weights | n p]; cbn [noise_adds_up functional_noise_posed]; intros H.
  - apply andb_true_iff in H. destruct H as [A B]. split; [apply ascending_once, A | apply (adds_up_sound v), B].
  - repeat (apply andb_true_iff in H; destruct H as [H ?]). split; [apply (table_adds_up_sound v), H |].
    repeat split; try (apply Nat.eqb_eq; assumption). intros c I. rewrite forallb_forall in *. apply Z.leb_le; auto.
  - apply Z.leb_le, H.
Qed.

Lemma negated_terms p x : eval (map (fun ce : Q * list nat => (Q2R (fst ce), snd ce))
    (map (fun ce : Q * list nat => ((- fst ce)%Q, snd ce)) p)) x = - eval (real_poly p) x.
Proof.
  unfold eval, real_poly. rewrite !total_map.
  replace (- total p (fun a => fst (Q2R (fst a), snd a) * monomial (snd (Q2R (fst a), snd a)) x))
    with (-1 * total p (fun a => fst (Q2R (fst a), snd a) * monomial (snd (Q2R (fst a), snd a)) x)) by ring.
  rewrite <- total_scal. apply total_ext. intros ce _. cbn [fst snd]. rewrite Q2R_opp. ring.
Qed.

Lemma complement_at v f x : has_value x f -> function_at x (complement v f) = 1 - function_at x f /\
  has_value x (complement v f).
Proof.
  unfold has_value, complement. cbn [function_at bottom_at]. rewrite bottom_of_at. intros H. split; [| exact H].
  unfold real_poly. rewrite map_app, eval_app. fold (real_poly (bottom_of v f)).
  rewrite negated_terms, bottom_of_at, (function_quotient v), bottom_of_at. field. lra.
Qed.

Lemma noise_chances_sound box x nu : is_box box -> in_box (map real_interval box) x -> noise_chances_shown box nu = true ->
  noise_chances nu x.
Proof.
  intros N Hx. destruct nu as [weights | t histogram weights | n p]; cbn [noise_chances_shown noise_chances]; intros H.
  - rewrite forallb_forall in H. intros f I. apply (chance_shown_sound box f N (H f I) x Hx).
  - rewrite forallb_forall in H. intros f I. apply (chance_shown_sound box f N (H f I) x Hx).
  - apply andb_true_iff in H. destruct H as [A B]. assert (C := chance_shown_sound box p N A x Hx).
    split; [exact C |]. destruct (chance_shown_sound box _ N B x Hx) as [_ D].
    rewrite (proj1 (complement_at (length box) p x (proj1 C))) in D. lra.
Qed.

Lemma many_times_flips w row u b p n : (forall f, law_mean u row f = b * ((1 - p) * f 0%Z + p * f 1%Z)) ->
  forall f, law_mean u (many_times w row n) f = b ^ n * mean (flips n p) (fun c => f (Z.of_nat c)).
Proof.
  intros H. induction n as [| n IH]; intros f.
  - cbn [many_times]. unfold nobody_law. rewrite at_key_mean, eval_one, mean_flips_0. simpl. ring.
  - cbn [many_times]. rewrite times_laws_mean, IH, mean_flips_S.
    rewrite (mean_ext _ _ (fun c => b * ((1 - p) * f (Z.of_nat c) + p * f (Z.of_nat (S c))))).
    + rewrite mean_scal, mean_plus, !mean_scal. cbn [pow]. ring.
    + intros c. rewrite H, Z.add_0_r, Nat2Z.inj_succ. reflexivity.
Qed.

Section cell.

Variables (box : list rational_interval) (x u : list R).
Hypothesis functions : forall fs g, functions_on box fs = Some g -> (forall f, In f fs -> has_value x f) ->
  0 < z_eval (bottom g) u /\ Forall2 (fun f top => z_eval top u = function_at x f * z_eval (bottom g) u) fs (tops g).

Theorem noise_on_sound nu L W : functional_noise_posed nu -> noise_chances nu x -> noise_on box nu = Some (L, W) ->
  noise_lists u (z_eval W u) L (noise_mass_at nu x).
Proof.
  destruct nu as [weights | t histogram weights | n p]; cbn [noise_on noise_chances functional_noise_posed];
    intros Posed C H.
  - destruct (functions_on box (map snd weights)) as [g |] eqn:G; [| discriminate]. cbn [option_map] in H.
    injection H as <- <-. destruct (functions _ _ G (fun f I => proj1 (C f I))) as [B T]. split; [exact B |]. split.
    + intros k. cbn [noise_mass_at]. apply total_nonneg. intros kf I. destruct (Z.eqb (fst kf) k); [| lra].
      apply C, in_map, I.
    + intros k. rewrite add_laws_mean, total_map. cbn [noise_mass_at]. rewrite <- total_scal. clear C G Posed.
      revert T. generalize (tops g) as ts. induction weights as [| [j f] weights IH]; intros ts T; inversion T; subst;
        [reflexivity |]. cbn [map combine total fst snd]. rewrite IH by assumption. rewrite at_key_mean, H1. unfold one_at.
      destruct (Z.eqb j k); ring.
  - destruct (functions_on box (functions_of t)) as [g |] eqn:G; [| discriminate]. cbn [option_map] in H.
    injection H as <- <-. destruct (functions _ _ G (fun f I => proj1 (C f I))) as [B T].
    assert (Users : forall us, shows u weights (z_eval (bottom g) u ^ length us)
      (fold_right (fun x law => times_laws law (entry (laws_on weights t g) [] x)) (nobody_law (length box + length box)) us)
      (messages (table_at t x) us)).
    { induction us as [| i us IH].
      - intros h. simpl fold_right. unfold nobody_law. rewrite at_key_mean, eval_one. simpl. rewrite mean_ret. simpl. ring.
      - simpl pow. apply times_laws_show; [exact IH |]. unfold laws_on. change [] with (row_law_of weights []) at 1.
        rewrite views.entry_map. exact (rows_show u _ (function_at x) weights (function_rows t) (tops g) i T). }
    rewrite eval_times_power, eval_one, Rmult_1_l. split; [apply pow_lt, B |]. split.
    + intros k. cbn [noise_mass_at]. apply Pr_bounds, proper_messages, proper_table_at; [apply Posed | exact C].
    + intros k. rewrite (Users (data_set histogram)). reflexivity.
  - destruct (functions_on box [complement (length box) p; p]) as [g |] eqn:G; [| discriminate].
    destruct (tops g) as [| q [| p' [| r rest]]] eqn:Tg; try discriminate. injection H as <- <-.
    destruct C as [[V P0] P1]. destruct (complement_at (length box) p x V) as [CA CV].
    destruct (functions _ _ G) as [B T]; [intros f [<- | [<- | []]]; assumption |]. rewrite Tg in T.
    inversion T as [| ? ? ? ? T1 T']. subst. inversion T' as [| ? ? ? ? T2 _]. subst. rewrite CA in T1.
    rewrite eval_times_power, eval_one, Rmult_1_l. split; [apply pow_lt, B |]. cbn [noise_mass_at]. split.
    + intros k. apply binomial_nonneg. lra.
    + intros k. rewrite (many_times_flips _ _ u (z_eval (bottom g) u) (function_at x p)).
      * f_equal. rewrite mean_flips. unfold one_at. set (m := Z.to_nat n). set (a := function_at x p).
        destruct (Z.leb_spec 0 k) as [K | K].
        -- rewrite <- (Z2Nat.id k K), binomial_of_nat. set (i := Z.to_nat k).
           destruct (Nat.le_gt_cases i m) as [I | I].
           ++ rewrite (total_ext _ _ (fun j => if Nat.eq_dec i j then binom m a i else 0)).
              ** apply (total_single Nat.eq_dec (seq 0 (S m)) i (binom m a i)); [apply seq_NoDup | apply in_seq; lia].
              ** intros j _. destruct (Nat.eq_dec i j) as [<- | Ne]; [rewrite Z.eqb_refl; ring |].
                 destruct (Z.eqb_spec (Z.of_nat j) (Z.of_nat i)) as [Eq | _]; [lia | ring].
           ++ rewrite binom_outside by exact I. rewrite (total_ext _ _ (fun _ => 0)), total_zero; [reflexivity |].
              intros j J. apply in_seq in J. destruct (Z.eqb_spec (Z.of_nat j) (Z.of_nat i)); [lia | ring].
        -- rewrite binomial_negative by exact K. rewrite (total_ext _ _ (fun _ => 0)), total_zero; [reflexivity |].
           intros j _. destruct (Z.eqb_spec (Z.of_nat j) k); [lia | ring].
      * intros f. rewrite add_laws_mean. cbn [total]. rewrite !at_key_mean, T1, T2. ring.
Qed.

End cell.

(** Functions of what is listed. *)
Section listed.

Variables (u : list R) (W : R) (L : poly_law) (w : Z -> R).
Hypothesis listed : noise_lists u W L w.

Let outcomes : list Z := nodup Z.eq_dec (map (fun a => snd (snd a)) L).

Lemma law_mean_listed h : law_mean u L h = total outcomes (fun k => h k * (W * w k)).
Proof.
  destruct listed as [_ [_ At]].
  rewrite (total_ext outcomes _ (fun k => total L (fun a => IZR (fst a) * (monomial (fst (snd a)) u *
    (if Z.eq_dec (snd (snd a)) k then h k else 0))))).
  - rewrite total_swap. unfold law_mean, weight. apply total_ext. intros a I.
    rewrite !total_scal. do 2 f_equal. symmetry.
    assert (J : In (snd (snd a)) outcomes) by (apply nodup_In, in_map_iff; exists a; auto).
    rewrite (total_ext outcomes _ (fun k => if Z.eq_dec (snd (snd a)) k then h (snd (snd a)) else 0)).
    + apply (total_single Z.eq_dec outcomes (snd (snd a)) (h (snd (snd a)))); [apply NoDup_nodup | exact J].
    + intros k _. destruct (Z.eq_dec (snd (snd a)) k); congruence.
  - intros k _. rewrite <- (At k). unfold law_mean, weight. rewrite <- total_scal. apply total_ext. intros a _.
    unfold one_at. destruct (Z.eqb_spec (snd (snd a)) k), (Z.eq_dec (snd (snd a)) k); try congruence; ring.
Qed.

Lemma listed_nonneg h : (forall k, 0 <= h k) -> 0 <= law_mean u L h.
Proof.
  intros H. rewrite law_mean_listed. destruct listed as [P [N _]]. apply total_nonneg. intros k _.
  apply Rmult_le_pos; [apply H |]. apply Rmult_le_pos; [lra | apply N].
Qed.

Lemma listed_elsewhere k : ~ In k outcomes -> w k = 0.
Proof.
  intros N. destruct listed as [P [_ At]]. specialize (At k). rewrite law_mean_listed in At.
  rewrite (total_ext outcomes _ (fun _ => 0)), total_zero in At.
  - symmetry in At. apply Rmult_integral in At. destruct At; lra.
  - intros j J. unfold one_at. destruct (Z.eqb_spec j k) as [-> | _]; [contradiction | ring].
Qed.

Lemma is_in_iff l k : is_in l k = true <-> In k l.
Proof.
  unfold is_in. rewrite existsb_exists. split; [intros [j [I E]]; apply Z.eqb_eq in E; subst; exact I |].
  intros I. exists k. split; [exact I | apply Z.eqb_refl].
Qed.

Lemma listed_event l : NoDup l -> law_mean u L (indicator (is_in l)) = W * total l w.
Proof.
  intros N. destruct listed as [_ [_ At]]. rewrite <- total_scal. rewrite (total_ext l _ (fun k => law_mean u L (one_at k)))
    by (intros k _; symmetry; apply At).
  unfold law_mean, weight. rewrite total_swap. apply total_ext. intros a _. rewrite !total_scal. do 2 f_equal.
  unfold indicator. set (j := snd (snd a)). destruct (is_in l j) eqn:I.
  - apply is_in_iff in I. symmetry. rewrite (total_ext l _ (fun k => if Z.eq_dec j k then 1 else 0)).
    + apply (total_single Z.eq_dec l j 1); [exact N | exact I].
    + intros k _. unfold one_at. destruct (Z.eqb_spec j k), (Z.eq_dec j k); congruence.
  - rewrite (total_ext l _ (fun _ => 0)), total_zero; [reflexivity |]. intros k K. unfold one_at.
    destruct (Z.eqb_spec j k) as [-> | _]; [| reflexivity]. apply is_in_iff in K. congruence.
Qed.

Lemma listed_mass T : exists p, mass_of w (fun k => T k = true) p /\ law_mean u L (indicator T) = W * p.
Proof.
  destruct listed as [_ [N _]]. exists (total (filter T outcomes) w). split.
  - apply (mass_of_finite_support Z.eq_dec); [exact N | apply NoDup_nodup | exact listed_elsewhere].
  - rewrite law_mean_listed, total_filter, <- total_scal. apply total_ext. intros k _. unfold indicator.
    destruct (T k); ring.
Qed.

End listed.

(** ** The programs for the claims *)

Open Scope Z_scope.

Definition moved_law (j : Z) (L : poly_law) : poly_law := fast_map (fun a => (fst a, (fst (snd a), snd (snd a) + j))) L.

Fixpoint all_shifts (count : nat) (test : Z -> bool) : bool :=
  match count with
  | O => true
  | S m => test (Z.of_nat count) && all_shifts m test
  end.

Definition shifts_shown (box : list rational_interval) (nu : functional_noise) (shift : Z) (E : rational_function)
    (deltas : list rational_function) : bool :=
  match noise_on box nu, level_of box E deltas with
  | Some (L, W), Some l =>
      let bounds := bounds_of l W in
      noise_chances_shown box nu && level_shown box E deltas && existsb no_negative bounds &&
      all_shifts (Z.to_nat shift) (fun j => let M := moved_law j L in
        pair_shown l bounds L M && pair_shown l bounds M L)
  | _, _ => false
  end.

Definition shifts_reached (box : list rational_interval) (nu : functional_noise) (shift : Z) (E : rational_function)
    (deltas : list rational_function) (entries : list reached_shift) : bool :=
  match noise_on box nu, level_of box E deltas with
  | Some (L, W), Some l =>
      let bounds := bounds_of l W in
      let db := times (level_d l) (level_b l) in
      let da := times (level_d l) (level_a l) in
      Nat.eqb (length entries) (length bounds) &&
      forallb (fun eb => let e := fst eb in
        let M := moved_law (reached_by e) L in
        (1 <=? reached_by e) && (reached_by e <=? shift) &&
        (if is_forward e then has_excess db da (snd eb) L M (reached_integers e)
         else has_excess db da (snd eb) M L (reached_integers e)))
        (combine entries bounds)
  | _, _ => false
  end.

(** ** A polynomial that is positive on the whole cell: on each face some coefficient is *)

Inductive side : Type := LowEnd | HighEnd | Inside.

Definition sides (closed : bool * bool) : list side :=
  match closed with
  | (true, true) => [LowEnd; HighEnd]
  | (true, false) => [LowEnd]
  | (false, true) => [HighEnd]
  | (false, false) => [Inside]
  end.

Fixpoint all_sides (closed : list (bool * bool)) : list (list side) :=
  match closed with
  | [] => [[]]
  | ends :: rest => flat_map (fun s => map (cons s) (all_sides rest)) (sides ends)
  end.

Fixpoint on_sides (ss : list side) (e : list nat) : bool :=
  match ss, e with
  | [], [] => true
  | s :: ss', a :: b :: e' =>
      match s with LowEnd => Nat.eqb b 0 | HighEnd => Nat.eqb a 0 | Inside => true end && on_sides ss' e'
  | _, _ => false
  end.

Definition positive_shown (box : list rational_interval) (p : z_poly) : bool :=
  no_negative p &&
  forallb (fun ss => existsb (fun ce => (0 <? fst ce) && on_sides ss (snd ce)) p)
    (all_sides (map (fun b => (from_closed b, to_closed b)) box)).

Definition power_of (w : nat) (p : z_poly) (j : nat) : z_poly := times_power (one w) p j.

(** The outcomes at which E^j w(o + k') > w(o) is not shown, with their weights. *)
Definition not_far (box : list rational_interval) (db da : z_poly) (L M : poly_law) : list z_poly :=
  let far := grouped (excess_law db da L M) in
  map snd (filter (fun kp => negb (positive_shown box (polys_sum (map snd (filter (fun jp => fst jp =? fst kp) far)))))
    (grouped L)).

Definition smooth_at (box : list rational_interval) (l : level_on) (L : poly_law) (W : z_poly) (j : nat) (by_ : Z) :
    bool :=
  let w := (length box + length box)%nat in
  let a := times (level_d l) (power_of w (level_a l) j) in
  let b := times (level_d l) (power_of w (level_b l) j) in
  let M := moved_law (- by_) L in
  let near := polys_sum (not_far box (shift (-1) [] b) (shift (-1) [] a) L M) in
  match level_c l with
  | [c] => no_negative (times (power_of w (level_b l) j) (polys_sum [times c W; shift (-1) [] (times (level_d l) near)]))
  | _ => false
  end.

Definition smooth_shown (box : list rational_interval) (nu : functional_noise) (k : Z) (E delta : rational_function) : bool :=
  match noise_on box nu, level_of box E [delta] with
  | Some (L, W), Some l =>
      noise_chances_shown box nu && level_shown box E [delta] &&
      all_shifts (Z.to_nat k) (fun j => smooth_at box l L W (Z.to_nat j) j && smooth_at box l L W (Z.to_nat j) (- j))
  | _, _ => false
  end.

Definition in_range (first last : option Z) (k : Z) : bool :=
  match first with Some a => a <=? k | None => true end && match last with Some b => k <=? b | None => true end.

Definition tail_shown (box : list rational_interval) (nu : functional_noise) (first last : option Z) (at_most : bool)
    (probability : rational_function) : bool :=
  match noise_on box nu, functions_on box [probability] with
  | Some (L, W), Some g =>
      match tops g with
      | [c] =>
          let inside := polys_sum (map snd (filter (fun kp => in_range first last (fst kp)) (grouped L))) in
          noise_chances_shown box nu && has_value_shown box probability &&
          (if at_most then at_most_poly (times (bottom g) inside) (times c W)
           else at_most_poly (times c W) (times (bottom g) inside))
      | _ => false
      end
  | _, _ => false
  end.

Definition equal_shown (box : list rational_interval) (nu nu' : functional_noise) : bool :=
  match noise_on box nu, noise_on box nu' with
  | Some (L, W), Some (L', W') =>
      noise_chances_shown box nu && noise_chances_shown box nu' && same_laws (scale_law W' L) (scale_law W L')
  | _, _ => false
  end.

(** ** What they show *)

Open Scope R_scope.

Lemma all_shifts_sound count test : all_shifts count test = true -> forall j, (1 <= j <= Z.of_nat count)%Z -> test j = true.
Proof.
  induction count as [| m IH]; intros H j J; [lia |]. cbn [all_shifts] in H. apply andb_true_iff in H.
  destruct H as [A B]. destruct (Z.eq_dec j (Z.of_nat (S m))) as [-> | N]; [exact A |]. apply (IH B). lia.
Qed.

Lemma moved_law_mean u j L f : law_mean u (moved_law j L) f = law_mean u L (fun k => f (k + j)%Z).
Proof. unfold moved_law, law_mean, weight. rewrite fast_map_map, total_map. reflexivity. Qed.

Lemma moved_lists u W L w j : noise_lists u W L w -> noise_lists u W (moved_law j L) (shifted w j).
Proof.
  intros [P [N At]]. split; [exact P | split; [intros k; apply N |]]. intros k. rewrite moved_law_mean. unfold shifted.
  rewrite <- At. apply law_mean_ext. intros i. unfold one_at. destruct (Z.eqb_spec (i + j) k), (Z.eqb_spec i (k - j));
    try reflexivity; lia.
Qed.

Lemma one_monomial_positive closed t : Forall2 in_ends closed t ->
  exists ss, In ss (all_sides closed) /\ forall e, on_sides ss e = true -> 0 < monomial e (ends_at t).
Proof.
  induction 1 as [| ends a closed t Ha _ [ss [I H]]].
  - exists []. split; [left; reflexivity |]. intros [| i e] E; [simpl; lra | discriminate].
  - assert (X : exists s, In s (sides ends) /\ forall i j : nat,
      match s with LowEnd => Nat.eqb j 0 | HighEnd => Nat.eqb i 0 | Inside => true end = true -> 0 < (1 - a) ^ i * a ^ j).
    { destruct Ha as [B [Hl Hh]]. assert (In : 0 < a < 1 -> forall i j, 0 < (1 - a) ^ i * a ^ j)
        by (intros Ha i j; apply Rmult_lt_0_compat; apply pow_lt; lra).
      destruct ends as [low high]. cbn [fst snd] in *. destruct (Req_dec a 0) as [E | N0].
      - exists LowEnd. rewrite (Hl E). split; [destruct high; left; reflexivity |]. intros i j Z. apply Nat.eqb_eq in Z.
        subst. rewrite Rminus_0_r, pow1. simpl. lra.
      - destruct (Req_dec a 1) as [E | N1].
        + exists HighEnd. rewrite (Hh E). split; [destruct low; simpl; auto |]. intros i j Z. apply Nat.eqb_eq in Z.
          subst. rewrite pow1. simpl. lra.
        + assert (Ha : 0 < a < 1) by lra. destruct low, high; eexists; (split; [left; reflexivity |]); intros; apply In, Ha. }
    destruct X as [s [Is Hs]]. exists (s :: ss). split.
    + cbn [all_sides]. apply in_flat_map. exists s. split; [exact Is | apply in_map, I].
    + intros [| i [| j e]] E; try discriminate. cbn [on_sides] in E. apply andb_true_iff in E. destruct E as [E1 E2].
      cbn [ends_at flat_map app monomial]. fold (ends_at t). rewrite <- Rmult_assoc.
      apply Rmult_lt_0_compat; [apply Hs, E1 | apply H, E2].
Qed.

Lemma positive_shown_sound box u p : at_cell box u -> positive_shown box p = true -> 0 < z_eval p u.
Proof.
  intros C H. unfold positive_shown in H. apply andb_true_iff in H. destruct H as [N F]. assert (U := at_cell_nonneg box u C).
  destruct C as [t [T ->]]. destruct (one_monomial_positive _ t T) as [ss [I P]]. rewrite forallb_forall in F.
  specialize (F ss I). apply existsb_exists in F. destruct F as [ce [J K]]. apply andb_true_iff in K.
  destruct K as [K1 K2]. apply Z.ltb_lt, IZR_lt in K1. rewrite z_eval_total. apply (total_positive _ _ ce); [| exact J |].
  - intros ce' J'. unfold no_negative in N. rewrite forallb_forall in N. specialize (N ce' J'). apply Z.leb_le, IZR_le in N.
    apply Rmult_le_pos; [exact N | apply U].
  - apply Rmult_lt_0_compat; [exact K1 | apply P, K2].
Qed.

Section claims.

Variables (box : list rational_interval) (x u : list R).
Hypothesis cell : at_cell box u.
Hypothesis functions : forall fs g, functions_on box fs = Some g -> (forall f, In f fs -> has_value x f) ->
  0 < z_eval (bottom g) u /\ Forall2 (fun f top => z_eval top u = function_at x f * z_eval (bottom g) u) fs (tops g).
Hypothesis is_a_box : is_box box.
Hypothesis inside : in_box (map real_interval box) x.

Let point := at_cell_nonneg box u cell.

Lemma pair_of_masses E deltas l W P Q p q : (has_value x E /\ 1 <= function_at x E /\ forall f, In f deltas -> has_value x f) ->
  level_of box E deltas = Some l -> noise_lists u (z_eval W u) P p -> noise_lists u (z_eval W u) Q q ->
  pair_shown l (bounds_of l W) P Q = true -> mass_below p q (function_at x E) (largest_at x deltas).
Proof.
  intros E_at L HP HQ H S N.
  apply (pair_shown_sound box x u E deltas point functions E_at l W (z_eval W u) P Q (indicator (is_in S)) _ _ L eq_refl
    (proj1 HP)).
  - apply (listed_nonneg u _ Q q HQ).
  - intros k. unfold indicator. destruct (is_in S k); lra.
  - apply (listed_event u _ P p HP S N).
  - apply (listed_event u _ Q q HQ S N).
  - exact H.
Qed.

Theorem shifts_shown_sound nu shift E deltas : functional_noise_posed nu -> shifts_shown box nu shift E deltas = true ->
  noise_chances nu x /\ level_at x E deltas /\
  shift_private (noise_mass_at nu x) shift (function_at x E) (largest_at x deltas).
Proof.
  intros Posed H. unfold shifts_shown in H. destruct (noise_on box nu) as [[L W] |] eqn:HL; [| discriminate].
  destruct (level_of box E deltas) as [l |] eqn:Hl; [| discriminate].
  repeat (apply andb_true_iff in H; destruct H as [H ?]).
  match goal with K : level_shown _ _ _ = true |- _ => apply (level_shown_sound box x E deltas is_a_box inside) in K; rename K into E_at end.
  apply (noise_chances_sound box x nu is_a_box inside) in H.
  assert (Lists := noise_on_sound box x u functions nu L W Posed H HL).
  match goal with K : existsb _ _ = true |- _ =>
    apply (some_bound_nonneg box x u E deltas point functions E_at l W (z_eval W u) Hl eq_refl (proj1 Lists)) in K end.
  split; [exact H |]. split; [unfold level_at; tauto |]. intros j J.
  match goal with K : all_shifts _ _ = true |- _ => assert (X := all_shifts_sound _ _ K j ltac:(lia)) end.
  cbv beta zeta in X. apply andb_true_iff in X. destruct X as [X1 X2]. assert (M := moved_lists u _ L _ j Lists).
  split; eapply pair_of_masses; eassumption.
Qed.

Theorem shifts_reached_sound nu shift E deltas entries : functional_noise_posed nu -> deltas <> [] -> noise_chances nu x ->
  (has_value x E /\ 1 <= function_at x E /\ forall f, In f deltas -> has_value x f) ->
  shifts_reached box nu shift E deltas entries = true ->
  forall d, 0 <= d < largest_at x deltas -> ~ shift_private (noise_mass_at nu x) shift (function_at x E) d.
Proof.
  intros Posed Some_delta Ch E_at H d Hd Private. unfold shifts_reached in H.
  destruct (noise_on box nu) as [[L W] |] eqn:HL; [| discriminate].
  destruct (level_of box E deltas) as [l |] eqn:Hl; [| discriminate]. apply andb_true_iff in H. destruct H as [Len H].
  apply Nat.eqb_eq in Len. rewrite forallb_forall in H.
  assert (Lists := noise_on_sound box x u functions nu L W Posed Ch HL).
  destruct (level_of_at box x u E deltas functions E_at l Hl) as [B [D1 [A C]]].
  set (scale := z_eval (level_d l) u * z_eval (level_b l) u * z_eval W u).
  assert (Bounds : Forall2 (fun f b => z_eval b u = function_at x f * scale) deltas (bounds_of l W)).
  { unfold bounds_of. clear -C. induction C as [| f c fs cs V _ IH]; constructor; [| exact IH].
    rewrite !eval_times, V. unfold scale. ring. }
  destruct (largest_of x deltas Some_delta) as [f [I F]].
  destruct (combined_entry _ _ _ entries f Bounds Len I) as [e [b [J V]]]. specialize (H _ J). cbn [fst snd] in H.
  apply andb_true_iff in H. destruct H as [H X]. apply andb_true_iff in H. destruct H as [J1 J2].
  apply Z.leb_le in J1, J2. destruct (Private (reached_by e) (conj J1 J2)) as [Up Down].
  assert (M := moved_lists u _ L _ (reached_by e) Lists). set (S := nodup Z.eq_dec (reached_integers e)).
  assert (N : NoDup S) by apply NoDup_nodup.
  assert (Ev : forall P p, noise_lists u (z_eval W u) P p ->
    law_mean u P (indicator (is_in (reached_integers e))) = z_eval W u * total S p).
  { intros P p HP. rewrite <- (listed_event u _ P p HP S N). apply law_mean_ext. intros k. unfold indicator.
    destruct (is_in (reached_integers e) k) eqn:E1, (is_in S k) eqn:E2; try reflexivity; exfalso.
    - apply is_in_iff in E1. apply not_true_iff_false in E2. apply E2, is_in_iff, nodup_In, E1.
    - apply is_in_iff, nodup_In, is_in_iff in E2. congruence. }
  assert (P0 : 0 < scale) by (unfold scale; repeat apply Rmult_lt_0_compat; try assumption; apply Lists).
  assert (Final : forall P Q p q, noise_lists u (z_eval W u) P p -> noise_lists u (z_eval W u) Q q ->
    has_excess (times (level_d l) (level_b l)) (times (level_d l) (level_a l)) b P Q (reached_integers e) = true ->
    mass_below p q (function_at x E) d -> False).
  { intros P Q p q HP HQ K Below. apply (has_excess_sound u) in K. rewrite (Ev P p HP), (Ev Q q HQ), V, !eval_times, A in K.
    specialize (Below S N). assert (total S p - function_at x E * total S q = function_at x f); [| rewrite F in Hd; lra].
    apply Rmult_eq_reg_r with scale; [| lra]. rewrite <- K. unfold scale. ring. }
  destruct (is_forward e); [apply (Final _ _ _ _ Lists M X Up) | apply (Final _ _ _ _ M Lists X Down)].
Qed.

Theorem equal_shown_sound nu nu' : functional_noise_posed nu -> functional_noise_posed nu' -> equal_shown box nu nu' = true ->
  noise_chances nu x /\ noise_chances nu' x /\ forall t, noise_mass_at nu x t = noise_mass_at nu' x t.
Proof.
  intros P P' H. unfold equal_shown in H. destruct (noise_on box nu) as [[L W] |] eqn:HL; [| discriminate].
  destruct (noise_on box nu') as [[L' W'] |] eqn:HL'; [| discriminate].
  apply andb_true_iff in H. destruct H as [H S]. apply andb_true_iff in H. destruct H as [C C'].
  apply (noise_chances_sound box x nu is_a_box inside) in C. apply (noise_chances_sound box x nu' is_a_box inside) in C'.
  split; [exact C | split; [exact C' |]]. intros t.
  destruct (noise_on_sound box x u functions nu L W P C HL) as [W0 [_ At]].
  destruct (noise_on_sound box x u functions nu' L' W' P' C' HL') as [W0' [_ At']].
  assert (X := same_laws_sound u _ _ S (one_at t)). rewrite !scale_law_mean, At, At' in X.
  apply Rmult_eq_reg_l with (z_eval W u * z_eval W' u); [lra |]. apply Rgt_not_eq, Rmult_lt_0_compat; assumption.
Qed.

Theorem tail_shown_sound nu first last at_most probability : functional_noise_posed nu ->
  tail_shown box nu first last at_most probability = true ->
  noise_chances nu x /\ has_value x probability /\
  exists p, mass_of (noise_mass_at nu x)
      (fun y => (forall a, first = Some a -> (a <= y)%Z) /\ (forall b, last = Some b -> (y <= b)%Z)) p /\
    if at_most then p <= function_at x probability else function_at x probability <= p.
Proof.
  intros Posed H. unfold tail_shown in H. destruct (noise_on box nu) as [[L W] |] eqn:HL; [| discriminate].
  destruct (functions_on box [probability]) as [g |] eqn:G; [| discriminate].
  destruct (tops g) as [| c [| c' rest]] eqn:Tg; try discriminate.
  apply andb_true_iff in H. destruct H as [H S]. apply andb_true_iff in H. destruct H as [C V].
  apply (noise_chances_sound box x nu is_a_box inside) in C.
  assert (V' := has_value_shown_sound box probability is_a_box V x inside).
  split; [exact C | split; [exact V' |]].
  assert (Lists := noise_on_sound box x u functions nu L W Posed C HL).
  destruct (functions _ _ G) as [B T]; [intros f [<- | []]; exact V' |]. rewrite Tg in T.
  inversion T as [| ? ? ? ? T1 _]. subst.
  destruct (listed_mass u _ L _ Lists (in_range first last)) as [p [M Mp]].
  exists p. split.
  - revert M. apply mass_of_ext. intros y. unfold in_range. rewrite andb_true_iff.
    destruct first as [a |], last as [b |]; rewrite ?Z.leb_le; (split; intros [Y1 Y2]; split;
      try (intros ? E; injection E as <-; assumption); try (intros ? E; discriminate E); auto).
  - assert (Inside : z_eval (polys_sum (map snd (filter (fun kp => in_range first last (fst kp)) (grouped L)))) u =
      z_eval W u * p).
    { unfold polys_sum. rewrite eval_sum, total_map, total_filter, <- Mp, grouped_mean. apply total_ext. intros kp _.
      unfold indicator. destruct (in_range first last (fst kp)); ring. }
    assert (P0 : 0 < z_eval (bottom g) u * z_eval W u) by (apply Rmult_lt_0_compat; [exact B | apply Lists]).
    destruct at_most; apply (at_most_poly_sound u _ _ point) in S; rewrite !eval_times, Inside, T1 in S;
      apply Rmult_le_reg_r with (z_eval (bottom g) u * z_eval W u); try exact P0; lra.
Qed.

Lemma grouped_at M k : z_eval (polys_sum (map snd (filter (fun jp => (fst jp =? k)%Z) (grouped M)))) u = law_mean u M (one_at k).
Proof.
  unfold polys_sum. rewrite eval_sum, total_map, total_filter, grouped_mean. apply total_ext. intros kp _. unfold one_at.
  destruct (fst kp =? k)%Z; ring.
Qed.

Lemma smooth_at_sound nu E delta l L W j by_ : has_value x E /\ 1 <= function_at x E /\ has_value x delta ->
  level_of box E [delta] = Some l -> noise_lists u (z_eval W u) L (noise_mass_at nu x) ->
  smooth_at box l L W j by_ = true ->
  forall S, NoDup S -> (forall y, In y S -> function_at x E ^ j * noise_mass_at nu x (y + by_)%Z <= noise_mass_at nu x y) ->
  total S (noise_mass_at nu x) <= function_at x delta.
Proof.
  intros [V [E1 VD]] Hl Lists H S N Far. set (w := noise_mass_at nu x) in *.
  destruct (level_of_at box x u E [delta] functions ltac:(repeat split; try assumption; intros f [<- | []]; exact VD) l Hl)
    as [B [D [A C]]].
  unfold smooth_at in H. destruct (level_c l) as [| c [| c' rest]]; try discriminate. inversion C as [| ? ? ? ? C1 _]. subst.
  set (wd := (length box + length box)%nat) in *.
  apply (no_negative_value u _ point) in H. unfold power_of in H. rewrite eval_times, eval_times_power, eval_one in H.
  unfold polys_sum at 1 in H. rewrite eval_sum in H. cbn [total] in H. rewrite eval_shift, !eval_times in H.
  set (db := shift (-1) [] (times (level_d l) (times_power (one wd) (level_b l) j))) in *.
  set (da := shift (-1) [] (times (level_d l) (times_power (one wd) (level_a l) j))) in *.
  set (M := moved_law (- by_) L) in *. assert (HM := moved_lists u _ L w (- by_) Lists). fold M in HM.
  set (left_out := fun k => positive_shown box
    (polys_sum (map snd (filter (fun jp => (fst jp =? k)%Z) (grouped (excess_law db da L M)))))).
  assert (Near : z_eval (polys_sum (not_far box db da L M)) u = law_mean u L (fun k => if left_out k then 0 else 1)).
  { unfold polys_sum, not_far. rewrite eval_sum, total_map, total_filter, grouped_mean. apply total_ext. intros kp _.
    fold (left_out (fst kp)). destruct (left_out (fst kp)); simpl; ring. }
  assert (Out : forall y, In y S -> left_out y = false).
  { intros y I. apply not_true_iff_false. intros T. apply (positive_shown_sound box u _ cell) in T.
    rewrite grouped_at, excess_law_mean in T. unfold db, da in T.
    rewrite !eval_shift, !eval_times, !eval_times_power, eval_one, A, Rpow_mult_distr in T.
    rewrite (proj2 (proj2 Lists)), (proj2 (proj2 HM)) in T. unfold shifted in T.
    replace (y - - by_)%Z with (y + by_)%Z in T by lia. specialize (Far y I). simpl monomial in T.
    assert (P : 0 < z_eval (level_d l) u * z_eval (level_b l) u ^ j * z_eval W u)
      by (repeat apply Rmult_lt_0_compat; try assumption; [apply pow_lt, B | apply Lists]).
    assert (0 <= (z_eval (level_d l) u * z_eval (level_b l) u ^ j * z_eval W u) *
      (w y - function_at x E ^ j * w (y + by_)%Z)) by (apply Rmult_le_pos; lra). lra. }
  assert (Le : z_eval W u * total S w <= law_mean u L (fun k => if left_out k then 0 else 1)).
  { rewrite <- (listed_event u _ L w Lists S N).
    assert (Z0 := listed_nonneg u _ L w Lists (fun k => (if left_out k then 0 else 1) - indicator (is_in S) k)).
    assert (Split : law_mean u L (fun k => (if left_out k then 0 else 1) - indicator (is_in S) k) =
      law_mean u L (fun k => if left_out k then 0 else 1) - law_mean u L (indicator (is_in S))).
    { unfold law_mean, weight. rewrite <- total_minus. apply total_ext. intros a _. ring. }
    rewrite Split in Z0. apply Rminus_le_0 in Z0 || (assert (X : 0 <= law_mean u L (fun k => if left_out k then 0 else 1) -
      law_mean u L (indicator (is_in S))); [apply Z0 | lra]).
    intros k. unfold indicator. destruct (is_in S k) eqn:I; [| destruct (left_out k); lra].
    apply is_in_iff in I. rewrite (Out k I). lra. }
  rewrite Near, C1 in H. simpl monomial in H. assert (W0 : 0 < z_eval W u) by apply Lists.
  set (near := law_mean u L _) in *. assert (Bj : 0 < z_eval (level_b l) u ^ j) by (apply pow_lt, B).
  assert (X : 0 <= function_at x delta * z_eval W u - near).
  { apply Rmult_le_reg_l with (z_eval (level_b l) u ^ j * z_eval (level_d l) u); [apply Rmult_lt_0_compat; assumption |].
    rewrite Rmult_0_r. lra. }
  apply Rmult_le_reg_l with (z_eval W u); [exact W0 |]. lra.
Qed.

Theorem smooth_shown_sound nu k E delta : functional_noise_posed nu -> (1 <= k)%Z -> smooth_shown box nu k E delta = true ->
  noise_chances nu x /\ level_at x E [delta] /\
  smooth (noise_mass_at nu x) (ln (function_at x E)) (function_at x delta) k.
Proof.
  intros Posed K H. unfold smooth_shown in H. destruct (noise_on box nu) as [[L W] |] eqn:HL; [| discriminate].
  destruct (level_of box E [delta]) as [l |] eqn:Hl; [| discriminate].
  apply andb_true_iff in H. destruct H as [H S]. apply andb_true_iff in H. destruct H as [C HE].
  apply (noise_chances_sound box x nu is_a_box inside) in C.
  apply (level_shown_sound box x E [delta] is_a_box inside) in HE. destruct HE as [V [E1 VD]].
  assert (Lists := noise_on_sound box x u functions nu L W Posed C HL).
  assert (All : forall j, (1 <= j <= k)%Z -> smooth_at box l L W (Z.to_nat j) j = true /\
    smooth_at box l L W (Z.to_nat j) (- j) = true).
  { intros j J. assert (X := all_shifts_sound _ _ S j ltac:(lia)). cbv beta in X. apply andb_true_iff in X. exact X. }
  assert (Sm : smooth (noise_mass_at nu x) (ln (function_at x E)) (function_at x delta) k).
  { intros j J0 Jk S' N Far. destruct (All (Z.abs j) ltac:(lia)) as [A B].
    assert (T : smooth_at box l L W (Z.to_nat (Z.abs j)) j = true).
    { destruct (Z.abs_eq_or_opp j) as [E' | E']; rewrite E' in *; [exact A |]. rewrite Z.opp_involutive in B. exact B. }
    apply (smooth_at_sound nu E delta l L W (Z.to_nat (Z.abs j)) j (conj V (conj E1 (VD delta (or_introl eq_refl)))) Hl Lists T
      S' N). intros y I. specialize (Far y I).
    replace (exp (IZR (Z.abs j) * ln (function_at x E))) with (function_at x E ^ Z.to_nat (Z.abs j)) in Far; [exact Far |].
    rewrite <- Rpower_pow by lra. unfold Rpower. rewrite INR_IZR_INZ, Z2Nat.id by lia. reflexivity. }
  split; [exact C |]. split; [| exact Sm].
  unfold level_at. split; [exact V | split; [exact E1 | split; [exact VD |]]]. cbn [largest_at fold_left].
  apply (Sm 1%Z ltac:(lia) ltac:(lia) [] (NoDup_nil _)). intros y [].
Qed.

End claims.
