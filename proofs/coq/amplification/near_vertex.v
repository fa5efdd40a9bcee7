(** The worst data sets are nearly homogeneous: lower <= worst <= factor lower + tail, with an explicit factor.

    R sends messages of any type, c is a measure below the rows of all inputs, of the weight gamma; one of n = 2 j + t
    users holds x or y, E is any real number, and the values (P - E Q)/R_v are multiples of h for every input v, as
    rational
    numbers are of some h. Proved ([near_vertex]): there is an input v, for every tilt lam = - ln q/h with 1/3 <= q <
    1, so
    that for every choice of y0, y1 and b that [in_lobe] allows, and [loss] c < 1, whatever the others hold,

        divergence <= (1 - (1 - gamma)^t) factor [reference_bound] n (R x) (R y) E (R v) + (1 - gamma)^t divergence of
    the rows,
        factor = max(1, n / (2 j (E e^(lam L_v))^t (1 - c))).

    The reference bound is the divergence where all others hold v (homogeneous.v), where each user sends one message.
    What c
    is near, at z standard deviations, stands in vertex_loss.v: t/n + 20/(3 w^3), w near z^2, for many users. It does
    not
    tend to 0 with n: of the bound of Theorem V that would be false.

    Idea: of finitely many inputs one has the largest bound for infinitely many sets of waves; to it vertex_loss.v
    applies.
    Source: this package. *)

From Coq Require Import Reals List Lra Lia ZArith.
From Exactdp Require Import reals sums laws shuffler privacy hockey_stick independence adding_a_user mean_excess
  hidden_message blanket
  uniform_subsets swapped_messages swapped_stages wave_bounds lattice_waves node_waves swap_vertices.
From Exactdp Require Import main_lobe vertex_loss.
Import ListNotations.
Open Scope R_scope.

(** ** Fine frequencies *)

Lemma whole_above x : exists k : nat, x <= INR k.
Proof.
  exists (Z.to_nat (up (Rmax x 0))). destruct (archimed (Rmax x 0)) as [A _]. assert (B := Rmax_l x 0).
  assert (C := Rmax_r x 0). rewrite INR_IZR_INZ, Z2Nat.id; [lra |]. apply le_IZR. lra.
Qed.

(** m q^m tends to 0. *)
Lemma power_wins q e : 0 < q < 1 -> 0 < e -> exists m0, forall m, (m0 <= m)%nat -> INR m * q ^ m <= e.
Proof.
  intros Q E. set (p := sqrt q). assert (P0 : 0 < p) by (apply sqrt_lt_R0; lra).
  assert (PP : p * p = q) by (apply sqrt_sqrt; lra). assert (P1 : p < 1) by nra.
  set (x := / p - 1). assert (X : 0 < x) by (unfold x; assert (1 < / p) by (rewrite <- Rinv_1; apply Rinv_lt_contravar;
    lra); lra).
  destruct (whole_above (/ (x ^ 2 * e))) as [m0 H]. exists (S m0). intros m L.
  assert (Mp : 0 < INR m) by (apply lt_0_INR; lia).
  assert (Pm : p ^ m * (INR m * x) <= 1).
  { assert (B := poly m x X). replace (1 + x) with (/ p) in B by (unfold x; ring). rewrite pow_inv in B.
    assert (Pp := pow_lt p m P0). apply Rmult_le_reg_l with (/ p ^ m); [apply Rinv_0_lt_compat, Pp |].
    rewrite <- Rmult_assoc, Rinv_l by lra. lra. }
  rewrite <- PP, Rpow_mult_distr. assert (Pp := pow_lt p m P0).
  assert (M0 : / (x ^ 2 * e) <= INR m) by (eapply Rle_trans; [exact H | apply le_INR; lia]).
  assert (Xe : 0 < x ^ 2 * e) by (apply Rmult_lt_0_compat; [apply pow_lt, X | exact E]).
  assert (One : 1 <= x ^ 2 * e * INR m).
  { apply Rmult_le_reg_l with (/ (x ^ 2 * e)); [apply Rinv_0_lt_compat, Xe |].
    rewrite <- Rmult_assoc, Rinv_l by lra. lra. }
  assert (Sq : (p ^ m * (INR m * x)) * (p ^ m * (INR m * x)) <= 1).
  { assert (0 <= p ^ m * (INR m * x)) by (apply Rmult_le_pos; nra). nra. }
  apply Rmult_le_reg_r with (INR m * x ^ 2); [apply Rmult_lt_0_compat; [exact Mp | apply pow_lt, X] |].
  apply Rle_trans with 1; [nra |]. nra.
Qed.

Lemma fine_frequencies h e : 0 < h -> 0 < e -> exists N0, forall N, (N0 <= N)%nat -> spacing h N <= e.
Proof.
  intros H E. destruct (whole_above (2 * PI / (h * e))) as [N0 Le]. exists N0. intros N L. unfold spacing.
  assert (P := PI_RGT_0). assert (HE : 0 < h * e) by nra.
  assert (Nn : INR N0 <= INR (places_of N)) by (apply le_INR; unfold places_of; lia).
  assert (Pp := M_above N). apply Rmult_le_reg_r with (h * INR (places_of N)); [nra |].
  replace (2 * PI / (h * INR (places_of N)) * (h * INR (places_of N))) with (2 * PI) by (field; lra).
  assert (X : 2 * PI / (h * e) * (h * e) = 2 * PI) by (field; lra).
  assert (2 * PI / (h * e) <= INR (places_of N)) by lra. nra.
Qed.

(** ** One row *)

Definition in_lobe (h q y0 y1 b : R) (L : dist R) (j : nat) : Prop :=
  let K := tilted (- ln q / h) L in
  (0 < variance K - fourth K * y0 ^ 2 / 12 /\ 0 < y1 <= y0 /\ y0 * h <= 2) /\
  (variance K * y0 ^ 2 <= 1 /\ 2 * INR j * (variance K * y1 ^ 2) <= 1 /\ 0 <= b) /\
  forall y, y0 <= y <= PI / h -> square_modulus K y <= b.

Lemma values_have_a_top h (laws : list (dist R)) :
  Forall (multiples h) laws -> exists top : nat, forall L, In L laws -> forall wa, In wa L ->
  exists m, snd wa = IZR m * h /\ (m <= Z.of_nat top)%Z.
Proof.
  intros H. induction H as [| L laws HL _ [top IH]]; [exists 0%nat; intros L [] |].
  assert (Own : exists own : nat, forall wa, In wa L -> exists m, snd wa = IZR m * h /\ (m <= Z.of_nat own)%Z).
  { clear IH. revert HL. unfold multiples. induction L as [| wa L IH]; intros HL; [exists 0%nat; intros wa [] |].
    destruct IH as [own O]; [intros; apply HL; right; assumption |]. destruct (HL wa (or_introl eq_refl)) as [m M].
    exists (Nat.max own (Z.to_nat m)). intros wb [<- | I]; [exists m; split; [exact M | lia] |].
    destruct (O wb I) as [k [K1 K2]]. exists k. split; [exact K1 | lia]. }
  destruct Own as [own O]. exists (Nat.max own top). intros K [<- | I] wa Ia.
  - destruct (O wa Ia) as [m [M1 M2]]. exists m. split; [exact M1 | lia].
  - destruct (IH K I wa Ia) as [m [M1 M2]]. exists m. split; [exact M1 | lia].
Qed.

Section Row.

Context (h q y0 y1 b : R) (L : dist R) (j t : nat).
Hypothesis h_pos : 0 < h.
Hypothesis q_range : 1 / 3 <= q < 1.
Hypothesis L_proper : proper L.
Hypothesis L_multiples : multiples h L.
Hypothesis some : (1 <= j)%nat.
Hypothesis lobe : in_lobe h q y0 y1 b L j.

Let mass := tilted_mass (- ln q / h) L.
Let n := (2 * j + t)%nat.

(** For all fine waves. *)
Lemma near_row kappa :
  0 < kappa <= 1 / 100 -> exists N0, forall N, (N0 <= N)%nat ->
  mass ^ t * ((1 - loss h q y0 y1 b L j t * (1 + 30 * kappa)) *
    (INR (2 * j) * wave_bound (lattice_waves h q (places_of N)) (2 * j) L)) <= INR n * mean_excess n L + kappa.
Proof.
  intros Kp. destruct lobe as [[S1 [S2 S3]] [[S4 [S5 S6]] S7]].
  set (K := tilted (- ln q / h) L) in *. set (s := variance K - fourth K * y0 ^ 2 / 12) in *.
  assert (J : 1 <= INR j) by (apply (le_INR 1), some). assert (Q : 0 < q < 1) by lra.
  set (a := 2 * INR j * s). assert (A : 0 < a) by (unfold a; nra). assert (K4 : 0 < kappa ^ 4) by (apply pow_lt; lra).
  destruct (fine_frequencies h (Rmin (kappa * y1) (Rmin 1 (kappa ^ 4 / a))) h_pos) as [N1 F].
  { repeat apply Rmin_glb_lt; [nra | lra | apply Rdiv_lt_0_compat; assumption]. }
  destruct (power_wins q (kappa / h) Q) as [N2 G]; [apply Rdiv_lt_0_compat; lra |].
  destruct (values_have_a_top h [L]) as [top T]; [repeat constructor; exact L_multiples |].
  exists (Nat.max N1 (Nat.max N2 (n * top))). intros N HN. specialize (F N ltac:(lia)).
  assert (M2 : (N2 <= places_of N)%nat) by (unfold places_of; lia). specialize (G _ M2).
  assert (F1 := Rle_trans _ _ _ F (Rmin_l _ _)). assert (F2 := Rle_trans _ _ _ F (Rmin_r _ _)).
  assert (F3 := Rle_trans _ _ _ F2 (Rmin_l _ _)). assert (F4 := Rle_trans _ _ _ F2 (Rmin_r _ _)).
  assert (E := eta_pos h N h_pos).
  assert (Near := near_at h q y0 y1 b L j t h_pos q_range L_proper L_multiples some S1 S2 S3 S4 S5 S6 S7 N kappa Kp).
  assert (Fine : spacing h N ^ 2 * a <= kappa ^ 4).
  { assert (X : kappa ^ 4 / a * a = kappa ^ 4) by (field; lra).
    assert (spacing h N ^ 2 <= kappa ^ 4 / a) by nra. nra. }
  specialize (Near Fine F1).
  assert (Top : forall wl z, In wl (draws (repeat L n)) -> sum_of_values (snd wl) = IZR z * h ->
    (z <= Z.of_nat (places_of N))%Z).
  { intros wl z I Ez. destruct (sums_on_lattice h top (places_of N) (repeat L n)) with (wl := wl) as [m [Em Lm]].
    - intros K' I' wa Ia. apply repeat_spec in I'. subst K'. apply (T L (or_introl eq_refl) wa Ia).
    - rewrite repeat_length. unfold places_of. lia.
    - exact I.
    - rewrite Em in Ez. apply Rmult_eq_reg_r in Ez; [| lra]. apply eq_IZR in Ez. lia. }
  specialize (Near Top). fold mass n in Near.
  assert (Mp : 0 < mass) by (apply tilted_mass_positive, L_proper).
  assert (Sum : INR (2 * j) * wave_bound (lattice_waves h q (places_of N)) (2 * j) L =
    mass ^ (2 * j) * total (seq 0 (places_of N)) (strength h q L j N)).
  { unfold wave_bound, lattice_waves, waves_of_turns. rewrite total_map.
    rewrite (total_ext _ _ (fun k => mass ^ (2 * j) * strength h q L j N k)).
    - rewrite total_scal. field. apply not_0_INR. lia.
    - intros k _. apply (power_is h q L j h_pos L_proper N k). }
  rewrite Sum. replace (mass ^ t * ((1 - loss h q y0 y1 b L j t * (1 + 30 * kappa)) *
    (mass ^ (2 * j) * total (seq 0 (places_of N)) (strength h q L j N)))) with
    (mass ^ n * ((1 - loss h q y0 y1 b L j t * (1 + 30 * kappa)) * total (seq 0 (places_of N)) (strength h q L j N)))
    by (unfold n; rewrite pow_add; ring).
  eapply Rle_trans; [exact Near |]. apply Rplus_le_compat.
  - right. unfold mean_excess, copies, sum_of_values. field. apply not_0_INR. unfold n. lia.
  - rewrite Rmult_assoc. apply Rle_trans with (h * (kappa / h)); [apply Rmult_le_compat_l; lra | right; field; lra].
Qed.

End Row.

(** ** The largest infinitely often *)

Lemma a_largest {X} (g : X -> R) l : l <> [] -> exists v, In v l /\ forall u, In u l -> g u <= g v.
Proof.
  induction l as [| x l IH]; intros N; [congruence |]. destruct l as [| x' l'].
  - exists x. split; [left; reflexivity |]. intros u [<- | []]. lra.
  - destruct IH as [v [I H]]; [discriminate |]. destruct (Rle_lt_dec (g x) (g v)) as [Le | Lt].
    + exists v. split; [right; exact I |]. intros u [<- | J]; [exact Le | apply H, J].
    + exists x. split; [left; reflexivity |]. intros u [<- | J]; [lra | specialize (H u J); lra].
Qed.

Lemma largest_often {X} (g : nat -> X -> R) l :
  l <> [] -> exists v, In v l /\ forall N0, exists N, (N0 <= N)%nat /\ forall u, In u l -> g N u <= g N v.
Proof.
  intros Ne. set (best N v := forall u, In u l -> g N u <= g N v).
  destruct (decide (exists v, In v l /\ forall N0, exists N, (N0 <= N)%nat /\ best N v)) as [Y | No]; [exact Y |].
  exfalso.
  assert (Each : forall v, In v l -> exists N0, forall N, (N0 <= N)%nat -> ~ best N v).
  { intros v I. destruct (decide (exists N0, forall N, (N0 <= N)%nat -> ~ best N v)) as [Y | No']; [exact Y |].
    destruct No. exists v. split; [exact I |]. intros N0.
    destruct (decide (exists N, (N0 <= N)%nat /\ best N v)) as [Y | No2]; [exact Y |].
    destruct No'. exists N0. intros N Le B. apply No2. exists N. split; assumption. }
  assert (All : exists N0, forall v, In v l -> ~ best N0 v).
  { clear No Ne. enough (All : forall m, incl m l -> exists N0, forall N, (N0 <= N)%nat -> forall v, In v m -> ~ best N
    v).
    - destruct (All l (incl_refl l)) as [N0 H]. exists N0. apply (H N0 (Nat.le_refl N0)).
    - induction m as [| v m IH]; intros Im; [exists 0%nat; intros N _ v [] |].
      destruct IH as [N1 H1]; [intros u J; apply Im; right; exact J |].
      destruct (Each v (Im v (or_introl eq_refl))) as [N2 H2]. exists (Nat.max N1 N2).
      intros N Le u [<- | J]; [apply H2; lia | apply H1; [lia | exact J]]. }
  destruct All as [N0 H]. destruct (a_largest (g N0) l Ne) as [v [I B]]. exact (H v I B).
Qed.

(** ** All data sets *)

Definition near_factor (h q y0 y1 b : R) (L : dist R) (j t : nat) : R :=
  Rmax 1 (INR (2 * j + t) /
    (INR (2 * j) * tilted_mass (- ln q / h) L ^ t * (1 - loss h q y0 y1 b L j t))).

Theorem near_vertex {X M} (R : X -> dist (list M)) (c : dist (list M)) inputs x y E h q j t :
  inputs <> [] -> (forall v, In v inputs -> proper (R v)) -> sub_law c -> (forall v, In v inputs -> lies_below c (R v))
    ->
  0 < h -> 1 / 3 <= q < 1 -> (1 <= j)%nat -> (1 <= t)%nat ->
  (forall v, In v inputs -> multiples h (values_against (R x) (R y) E (R v))) ->
  exists v, In v inputs /\ forall y0 y1 b others,
    let L := values_against (R x) (R y) E (R v) in
    in_lobe h q y0 y1 b L j -> loss h q y0 y1 b L j t < 1 ->
    incl others inputs -> S (length others) = (2 * j + t)%nat ->
    shuffle_below R (x :: others) (y :: others) E
      ((1 - (1 - weight c) ^ t) *
         (near_factor h q y0 y1 b L j t * reference_bound (2 * j + t) (R x) (R y) E (R v)) +
       (1 - weight c) ^ t * hockey_stick (R x) (R y) E).
Proof.
  intros Ne HR Hc Below Hh Hq Hj Ht Mult.
  set (law v := values_against (R x) (R y) E (R v)).
  set (waves N := lattice_waves h q (places_of N)).
  set (g N v := wave_bound (waves N) (2 * j) (law v) + uncovered (R x) (R y) E (R v)).
  destruct (largest_often g inputs Ne) as [v [Iv Often]]. exists v. split; [exact Iv |].
  intros y0 y1 b others L Lobe Small Inc Len.
  assert (Pr : forall u, In u inputs -> proper (law u)).
  { intros u I. apply proper_values_against; [exact (proj1 (HR u I)) | rewrite (proj2 (HR u I)); apply Rle_refl]. }
  assert (W : 0 <= weight c <= 1).
  { split; [apply weight_nonneg, Hc | apply (weight_below c (R v)); [apply HR, Iv | apply Below, Iv]]. }
  set (w1 := (1 - weight c) ^ t). assert (W1 : 0 <= w1 <= 1).
  { assert (B := pow_incr (1 - weight c) 1 t ltac:(lra)). rewrite pow1 in B. split; [apply pow_le; lra | exact B]. }
  destruct (values_have_a_top h (map law inputs)) as [top Top].
  { apply Forall_forall. intros K I. apply in_map_iff in I. destruct I as [u [<- I]]. apply Mult, I. }
  set (H := hockey_stick (R x) (R y) E). set (unc := uncovered (R x) (R y) E (R v)).
  (* for every fine set of waves at which v is the largest *)
  assert (Bound : forall N, (2 * j * top <= N)%nat -> (forall u, In u inputs -> g N u <= g N v) ->
    in_stages_of (R x) (R y) c E [t] (map R others) <= (1 - w1) * g N v + w1 * H).
  { intros N LN Max.
    apply (swap_vertices (R x) (R y) c E (values_against (R x) (R y) E) [t] (map R others)
      (fun _ => on_lattice h (places_of N)) (fun _ => waves N)); try assumption.
    - apply Forall_forall. intros d I. apply in_map_iff in I. destruct I as [u [<- I]]. apply Below, Inc, I.
    - apply Forall_forall. intros d I. apply in_map_iff in I. destruct I as [u [<- I]]. apply spreads_itself, HR, Inc,
        I.
    - intros Z. apply (f_equal (@length _)) in Z. rewrite map_length in Z. simpl in Z. lia.
    - rewrite map_length. simpl. lia.
    - intros t' [<- | []]. rewrite map_length. split.
      + apply lattice_majorant; [exact Hh | lra | unfold places_of; lia].
      + intros rows Lr Ir. apply (sums_on_lattice h top).
        * intros K I wa Ia. apply in_map_iff in I. destruct I as [d [<- I]]. apply Ir in I.
          apply in_map_iff in I. destruct I as [u [<- I]]. apply (Top (law u)); [| exact Ia].
          apply in_map, Inc, I.
        * rewrite map_length, Lr. unfold places_of. replace (S (length others) - t)%nat with (2 * j)%nat by lia. lia.
    - intros row I. apply in_map_iff in I. destruct I as [u [<- I]]. unfold vertex_stages. cbn [in_stages].
      rewrite map_length. replace (S (length others) - t)%nat with (2 * j)%nat by lia. fold w1 H. rewrite pow_O.
      apply Rplus_le_compat_r, Rmult_le_compat_l; [lra |]. apply (Max u), Inc, I. }
  set (p := in_stages_of (R x) (R y) c E [t] (map R others)) in *.
  set (me := mean_excess (2 * j + t) L). set (lo := loss h q y0 y1 b L j t) in *.
  set (mass := tilted_mass (- ln q / h) L).
  assert (Mp : 0 < mass) by (apply tilted_mass_positive, (Pr v Iv)).
  assert (J : 0 < INR (2 * j)) by (apply lt_0_INR; lia).
  assert (Nn : 0 < INR (2 * j + t)) by (apply lt_0_INR; lia).
  set (c0 := INR (2 * j) * mass ^ t). assert (C0 : 0 < c0) by (apply Rmult_lt_0_compat; [exact J | apply pow_lt, Mp]).
  assert (Me : 0 <= me).
  { unfold me, mean_excess. apply Rmult_le_pos; [| left; apply Rinv_0_lt_compat; exact Nn].
    apply mean_nonneg; [apply proper_copies, (Pr v Iv) | intros; apply Rmax_l]. }
  set (G := INR (2 * j + t) * me / (c0 * (1 - lo))).
  assert (G0 : 0 <= G).
  { apply Rmult_le_pos; [apply Rmult_le_pos; lra |]. left. apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; lra. }
  set (P := p - w1 * H - (1 - w1) * unc).
  assert (Limit : P <= (1 - w1) * G).
  { destruct (Rle_lt_dec P 0) as [Neg | Pos]; [apply Rle_trans with 0; [exact Neg | apply Rmult_le_pos; lra] |].
    enough (Q : P * c0 * (1 - lo) <= (1 - w1) * (INR (2 * j + t) * me)).
    { unfold G. apply Rmult_le_reg_r with (c0 * (1 - lo)); [apply Rmult_lt_0_compat; lra |].
      replace ((1 - w1) * (INR (2 * j + t) * me / (c0 * (1 - lo))) * (c0 * (1 - lo)))
        with ((1 - w1) * (INR (2 * j + t) * me)) by (field; lra). lra. }
    apply le_epsilon. intros e He. set (B := 1 + 30 * Rabs lo * P * c0).
    assert (Bp : 1 <= B).
    { unfold B. assert (0 <= 30 * Rabs lo * P * c0); [| lra].
      apply Rmult_le_pos; [apply Rmult_le_pos; [apply Rmult_le_pos; [lra | apply Rabs_pos] |] |]; lra. }
    set (kappa := Rmin (1 / 100) (Rmin (e / B) ((1 - lo) / (30 * Rabs lo + 1)))).
    assert (Al := Rabs_pos lo). assert (Al2 := Rle_abs lo).
    assert (K0 : 0 < kappa).
    { repeat apply Rmin_glb_lt; [lra | apply Rdiv_lt_0_compat; lra | apply Rdiv_lt_0_compat; lra]. }
    assert (K1 : kappa <= 1 / 100) by apply Rmin_l.
    assert (K2 : kappa <= e / B) by (eapply Rle_trans; [apply Rmin_r | apply Rmin_l]).
    assert (K3 : kappa <= (1 - lo) / (30 * Rabs lo + 1)) by (eapply Rle_trans; [apply Rmin_r | apply Rmin_r]).
    assert (K2' : kappa * B <= e).
    { apply Rle_trans with (e / B * B); [apply Rmult_le_compat_r; lra | right; field; lra]. }
    assert (K3' : kappa * (30 * Rabs lo + 1) <= 1 - lo).
    { apply Rle_trans with ((1 - lo) / (30 * Rabs lo + 1) * (30 * Rabs lo + 1));
        [apply Rmult_le_compat_r; lra | right; field; lra]. }
    destruct (near_row h q y0 y1 b L j t Hh Hq (Pr v Iv) (Mult v Iv) Hj Lobe kappa (conj K0 K1)) as [N0 Near].
    destruct (Often (Nat.max N0 (2 * j * top))) as [N [LN Max]].
    specialize (Near N ltac:(lia)). specialize (Bound N ltac:(lia) Max). fold lo me mass in Near.
    set (wb := wave_bound (lattice_waves h q (places_of N)) (2 * j) L) in *.
    assert (PW : P <= (1 - w1) * wb) by (unfold P, g in *; fold unc in Bound; fold (waves N) in wb; unfold law in *;
      fold L in Bound;
      fold wb in Bound; lra).
    assert (30 * kappa * lo <= 30 * kappa * Rabs lo) by (apply Rmult_le_compat_l; lra).
    assert (F0 : 0 <= 1 - lo * (1 + 30 * kappa)) by lra.
    assert (Near' : c0 * (1 - lo * (1 + 30 * kappa)) * wb <= INR (2 * j + t) * me + kappa)
      by (eapply Rle_trans; [right | exact Near]; unfold c0; ring).
    assert (X1 : P * (c0 * (1 - lo * (1 + 30 * kappa))) <= (1 - w1) * wb * (c0 * (1 - lo * (1 + 30 * kappa))))
      by (apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | exact PW]).
    assert (X2 : (1 - w1) * (c0 * (1 - lo * (1 + 30 * kappa)) * wb) <= (1 - w1) * (INR (2 * j + t) * me + kappa))
      by (apply Rmult_le_compat_l; lra).
    assert (X3 : 0 <= w1 * kappa) by (apply Rmult_le_pos; lra).
    assert (X4 : P * c0 * (lo * (30 * kappa)) <= kappa * (B - 1)).
    { unfold B. replace (kappa * (1 + 30 * Rabs lo * P * c0 - 1)) with (P * c0 * (Rabs lo * (30 * kappa))) by ring.
      apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | apply Rmult_le_compat_r; lra]. }
    lra. }
  set (F := near_factor h q y0 y1 b L j t).
  assert (F1 : 1 <= F) by apply Rmax_l.
  assert (F2 : INR (2 * j + t) / (c0 * (1 - lo)) <= F) by apply Rmax_r.
  assert (Unc : 0 <= unc).
  { unfold unc, uncovered. apply total_nonneg. intros a _. destruct (Req_EM_T _ _); [apply Rmax_l | lra]. }
  assert (Reach : p <= (1 - w1) * (F * reference_bound (2 * j + t) (R x) (R y) E (R v)) + w1 * H).
  { assert (RB : reference_bound (2 * j + t) (R x) (R y) E (R v) = unc + me) by reflexivity. rewrite RB.
    assert (GF : G <= F * me).
    { unfold G. replace (INR (2 * j + t) * me / (c0 * (1 - lo))) with (INR (2 * j + t) / (c0 * (1 - lo)) * me)
        by (field; lra). apply Rmult_le_compat_r; assumption. }
    assert (UF : unc <= F * unc) by nra.
    assert (G + unc <= F * (unc + me)) by lra.
    assert ((1 - w1) * (G + unc) <= (1 - w1) * (F * (unc + me))) by (apply Rmult_le_compat_l; lra).
    unfold P in Limit. lra. }
  assert (Swap := swap_bound R c x y others E [t]).
  intros T Sy. eapply Rle_trans; [apply Swap; try assumption |].
  - intros u I. apply HR, Inc, I.
  - intros u I. apply Below, Inc, I.
  - simpl. lia.
  - apply Rplus_le_compat_l. exact Reach.
Qed.
