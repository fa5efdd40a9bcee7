(** The swap with waves: a bound of all data sets by the rows one at a time.

    As in swapped_stages.v and wave_bounds.v: stages with the ends t_1 < ... < t_J, N others, and for each number r of
    users who hide in a stage waves that are together at least max(0, s) where the sums of r values lie. Proved:

    - [swap_vertices]: if for each row of the others [vertex_stages] is at most delta, the bound of the swap is,
      whatever the others hold: no composition of inputs is asked. [vertex_stages] is (1 - gamma)^t_J times the
      divergence, and the sum over the stages of their weights times [wave_bound] for r equal rows and what the row
      never sends;
    - [swap_vertices_dp]: so a randomizer of any number of messages is (eps, delta)-DP with n >= 2 users if this holds
      for every ordered pair and every input;
    - [product_below]: measures below the rows of two questions, answered together and independently, have a product below
      the product of the rows;
    - [sums_on_lattice]: sums of r values that are multiples of h, each at most b h, lie where lattice_waves.v has
      waves with M >= r b. All values that are rational numbers are multiples of some h.

    Source: this package (docs/soundness.md, "Of sums of one user's values each the worst has equal ones"). *)

From Coq Require Import Reals List Lra Lia Permutation ZArith.
From Exactdp Require Import reals sums laws shuffler privacy hockey_stick independence.
From Exactdp Require Import adding_a_user mean_excess hidden_message increasing_convex_order blanket
  uniform_subsets swapped_messages swapped_stages wave_bounds lattice_waves.
Import ListNotations.
Open Scope R_scope.

(** ** Stages *)

Lemma in_stages_le before ends n gamma H F G :
  0 <= gamma <= 1 -> rising before ends n -> (forall t, In t ends -> F (S n - t)%nat <= G (S n - t)%nat) ->
  in_stages before ends n gamma H F <= in_stages before ends n gamma H G.
Proof.
  intros Hg. revert before. induction ends as [| t ends IH]; intros before Hr Hf; [apply Rle_refl |].
  destruct Hr as [[H1 _] H2]. cbn [in_stages]. apply Rplus_le_compat.
  - apply Rmult_le_compat_l; [| apply Hf; left; reflexivity].
    assert (X := pow_le (1 - gamma) before ltac:(lra)).
    set (k := (t - before)%nat). replace t with (before + k)%nat by (unfold k; lia). rewrite pow_add.
    assert (Y := pow_incr (1 - gamma) 1 k ltac:(lra)). rewrite pow1 in Y.
    replace (_ - _) with ((1 - gamma) ^ before * (1 - (1 - gamma) ^ k)) by ring.
    apply Rmult_le_pos; lra.
  - apply IH; [exact H2 | intros u I; apply Hf; right; exact I].
Qed.

Lemma in_stages_average {A} (rows : list A) before ends n gamma H (f : nat -> A -> R) :
  rows <> [] ->
  in_stages before ends n gamma H (fun r => average rows (f r)) =
  average rows (fun row => in_stages before ends n gamma H (fun r => f r row)).
Proof.
  intros N. assert (L : 0 < INR (length rows)) by (destruct rows; [congruence | apply lt_0_INR; simpl; lia]).
  revert before. induction ends as [| t ends IH]; intros before; simpl.
  - unfold average. rewrite total_const. field. lra.
  - rewrite IH. unfold average. rewrite total_plus, total_scal. field. lra.
Qed.

Lemma average_at_most {A} (rows : list A) f b :
  rows <> [] -> (forall row, In row rows -> f row <= b) -> average rows f <= b.
Proof.
  intros N H. assert (L : 0 < INR (length rows)) by (destruct rows; [congruence | apply lt_0_INR; simpl; lia]).
  unfold average. apply Rmult_le_reg_r with (INR (length rows)); [exact L |].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_comm, <- total_const by lra. apply total_le, H.
Qed.

(** A row is as spread as itself. *)
Lemma spreads_itself {A} (P Q : dist A) E row : proper row -> spreads P Q E (values_against P Q E) row.
Proof.
  intros H. split; [exact H |]. split; [| apply increasing_convex_refl].
  apply proper_values_against; [exact (proj1 H) | rewrite (proj2 H); apply Rle_refl].
Qed.

(** What the stages add up to if all who hide have this row. *)
Definition vertex_stages {A} (P Q c : dist A) E ends n (waves : nat -> list wave) (law_of : dist A -> dist R) row :
    R :=
  in_stages 0 ends n (weight c) (hockey_stick P Q E)
    (fun r => wave_bound (waves r) r (law_of row) + uncovered P Q E row).

Theorem swap_vertices {A} (P Q c : dist A) E (law_of : dist A -> dist R) ends rows
    (range : nat -> R -> Prop) (waves : nat -> list wave) delta :
  sub_law c -> Forall (lies_below c) rows -> Forall (spreads P Q E law_of) rows -> rows <> [] ->
    rising 0 ends (length rows) ->
  (forall t, In t ends -> let r := (S (length rows) - t)%nat in
    majorant (range r) (waves r) /\ values_within law_of (range r) r rows) ->
  (forall row, In row rows -> vertex_stages P Q c E ends (length rows) waves law_of row <= delta) ->
  in_stages_of P Q c E ends rows <= delta.
Proof.
  intros Hc H Sp N Hr M B.
  assert (W : 0 <= weight c <= 1).
  { split; [apply weight_nonneg, Hc |]. destruct rows as [| d rows]; [congruence |].
    apply (weight_below c d); [inversion Sp as [| ? ? [X _] _]; exact X | inversion H; assumption]. }
  assert (Low : forall before, rising before ends (length rows) -> forall t, In t ends -> (1 <= t <= length rows)%nat).
  { clear. induction ends as [| t ends IH]; intros before Hr u I; [destruct I |].
    destruct Hr as [H1 H2]. destruct I as [<- | I]; [lia | apply (IH t H2 u I)]. }
  unfold in_stages_of. eapply Rle_trans; [apply (in_stages_le 0 ends (length rows) _ _ _
    (fun r => average rows (fun row => wave_bound (waves r) r (law_of row) + uncovered P Q E row)) W Hr) |].
  - intros t I. destruct (M t I) as [M1 M2]. assert (T := Low 0%nat Hr t I).
    apply (vertex_mean P Q E law_of (range (S (length rows) - t)%nat) (waves (S (length rows) - t)%nat));
      [exact M1 | exact Sp | exact M2 | lia].
  - cbv beta.
    rewrite (in_stages_average rows 0 ends (length rows) (weight c) (hockey_stick P Q E)
      (fun r row => wave_bound (waves r) r (law_of row) + uncovered P Q E row) N).
    apply average_at_most; [exact N | exact B].
Qed.

(** ** On a lattice *)

Theorem sums_on_lattice h b M laws :
  (forall L, In L laws -> forall wa, In wa L -> exists m, snd wa = IZR m * h /\ (m <= Z.of_nat b)%Z) ->
  (length laws * b <= M)%nat -> sums_within (on_lattice h M) laws.
Proof.
  intros H L.
  assert (X : forall wl, In wl (draws laws) -> exists m, sum_of_values (snd wl) = IZR m * h /\
    (m <= Z.of_nat (length laws * b))%Z).
  { clear L. induction laws as [| K laws IH]; intros wl I.
    - destruct I as [<- | []]. exists 0%Z. split; [unfold sum_of_values; simpl; ring | simpl; lia].
    - simpl in I. unfold bind in I. apply in_flat_map in I. destruct I as [wa [Ia I]].
      apply in_map_iff in I. destruct I as [wr [<- I]]. apply in_flat_map in I. destruct I as [ws [Is I]].
      apply in_map_iff in I. destruct I as [wt [<- [<- | []]]].
      destruct (IH (fun L J => H L (or_intror J)) ws Is) as [m [E1 B1]].
      destruct (H K (or_introl eq_refl) wa Ia) as [k [E2 B2]]. exists (k + m)%Z. split.
      + unfold sum_of_values in *. simpl. rewrite E1, E2, plus_IZR. ring.
      + simpl length. lia. }
  intros wl I. destruct (X wl I) as [m [E B]]. exists m. split; [exact E | lia].
Qed.

(** ** Messages that are sent together *)

Lemma mass_of_pair {A B} (c : dist A) (d : dist B) a b : mass (independent c d) (a, b) = mass c a * mass d b.
Proof.
  unfold mass, Pr, independent. rewrite mean_bind, <- mean_scal_r. apply mean_ext. intros x.
  rewrite mean_dmap, <- mean_scal. apply mean_ext. intros y. unfold indicator.
  destruct (same x a) as [-> | N], (same y b) as [-> | M], (same (_, _) (a, b)) as [e | e]; congruence || ring.
Qed.

(** The measures of two questions multiply. *)
Theorem product_below {A B} (c d : dist A) (c' d' : dist B) :
  lies_below c d -> lies_below c' d' -> lies_below (independent c c') (independent d d').
Proof.
  intros [S L] [S' L'].
  assert (Pos : forall T (u : dist T) t, sub_law u -> 0 <= mass u t).
  { intros T u t H. rewrite <- (Rmult_0_l (mean u (fun _ => 1))), <- mean_scal.
    apply mean_le_sub_law; [exact H |]. intros v. rewrite Rmult_0_l. apply indicator_bounds. }
  split.
  - intros wa I. unfold independent, bind in I. apply in_flat_map in I. destruct I as [va [Ia I]].
    apply in_map_iff in I. destruct I as [vb [<- I]]. unfold dmap, bind in I. apply in_flat_map in I.
    destruct I as [vc [Ic [<- | []]]]. simpl. rewrite Rmult_1_r. apply Rmult_le_pos; [apply S, Ia | apply S', Ic].
  - intros [a b]. rewrite !mass_of_pair. apply Rmult_le_compat; [apply Pos, S | apply Pos, S' | apply L | apply L'].
Qed.

(** ** With a shuffler *)

Theorem swap_vertices_dp {X M} n (R : X -> dist (list M)) (c : X -> X -> dist (list M)) E ends
    (range : nat -> Rdefinitions.R -> Prop) (waves : X -> X -> nat -> list wave) eps delta :
  (2 <= n)%nat -> (forall v, proper (R v)) -> (forall x y v, lies_below (c x y) (R v)) -> E <= exp eps ->
  rising 0 ends (n - 1) ->
  (forall x y t others, In t ends -> S (length others) = n -> let r := (n - t)%nat in
    majorant (range r) (waves x y r) /\
    values_within (values_against (R x) (R y) E) (range r) r (map R others)) ->
  (forall x y v,
    vertex_stages (R x) (R y) (c x y) E ends (n - 1) (waves x y) (values_against (R x) (R y) E) (R v) <= delta) ->
  shuffle_dp n R eps delta.
Proof.
  intros Hn HR Hc HE Hr Hm H. apply (swap_dp n R c E ends); [exact HR | exact Hc | exact HE | exact Hr |].
  intros x y others L. assert (K : length (map R others) = (n - 1)%nat) by (rewrite map_length; lia).
  apply (swap_vertices _ _ _ _ (values_against (R x) (R y) E) _ _ range (waves x y)).
  - exact (proj1 (Hc x y x)).
  - apply Forall_forall. intros d I. apply in_map_iff in I. destruct I as [v [<- _]]. apply Hc.
  - apply Forall_forall. intros d I. apply in_map_iff in I. destruct I as [v [<- _]]. apply spreads_itself, HR.
  - intros Z. rewrite Z in K. simpl in K. lia.
  - rewrite K. exact Hr.
  - intros t I. rewrite K. replace (S (n - 1) - t)%nat with (n - t)%nat by lia. apply (Hm x y t others I L).
  - intros row I. apply in_map_iff in I. destruct I as [v [<- _]]. rewrite K. apply H.
Qed.
