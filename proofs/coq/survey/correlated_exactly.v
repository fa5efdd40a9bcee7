(** Counting with correlated noise: what it gives away, exactly.

    n >= 1 users run [correlated] (correlated_counting.v) with shares that add up, over all users, to the geometric law
    G with (1 - p) p^g, 0 < p < 1, and to any law W on 0, 1, 2, ...: in all there are S + G1 + W messages true and
    G2 + W messages false. Let Y = W + H, where H is geometric with (1 - p^2) p^(2h). For E >= 1 and every delta
    ([correlated_exactly]) the protocol is (ln E, delta)-DP if and only if

    - Y is (E p, (1+p) delta)-below Y + 1, and
    - Y + 1 is (E/p, ((1+p) delta - max(0, 1 - E p))/p)-below Y.

    Neither n nor how the noise is shared matters.

    Idea: the smaller of G1 and G2 is H, their difference is independent of it, and k or -k with probability
    (1-p)/(1+p) p^k ([smaller_and_difference]). What is seen are the difference of the counts and the smaller one but
    for the difference; and both data sets give each difference, k in the one and k + 1 in the other, or k + 1 and k.
    Source: this package; the protocol: Ghazi, Kumar, Manurangsi, Pagh 2020, section 3. *)

From Coq Require Import Reals List Arith ZArith Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy masses infinite_sums hockey_stick bits shuffler.
From Exactdp Require Import countable_programs negative_binomial_mean negative_binomial_law negative_binomial_sums.
From Exactdp Require Import counting_programs correlated_counting.
Import ListNotations.
Open Scope R_scope.

Lemma expectation_rescaled {A} (D D' : A -> R) f g c : law D' -> unit_valued g -> 0 <= c ->
  (forall a, D a * f a = c * (D' a * g a)) -> expectation D f = c * expectation D' g.
Proof.
  intros L U C E. apply expectation_is. apply (sum_of_ext (fun a => c * (D' a * g a))); [intros a; symmetry; apply E |].
  apply sum_of_scal; [exact C | apply expectation_sum; assumption].
Qed.

Definition among (l : list nat) (t : nat) : bool := if in_dec Nat.eq_dec t l then true else false.

Lemma expectation_among D l : law D -> NoDup l -> expectation D (indicator (among l)) = total l D.
Proof.
  intros L N. apply expectation_is. replace (total l D) with (total l (fun t => D t * indicator (among l) t)).
  - apply sum_of_finite; [| exact N |].
    + intros t. apply Rmult_le_pos; [apply L | apply indicator_bounds].
    + intros t O. unfold indicator, among. destruct (in_dec Nat.eq_dec t l); [contradiction | ring].
  - apply total_ext. intros t I. unfold indicator, among. destruct (in_dec Nat.eq_dec t l); [ring | contradiction].
Qed.

(** The law of the smaller of two. *)
Definition smaller (p : R) : nat -> R := negative_binomial 1 (p * p).

Section Geometric.
  Variables (p : R) (G : nat -> R).
  Hypotheses (Hp : 0 < p < 1) (LG : law G) (HG : forall t, G t = negative_binomial 1 p t).

  Lemma negative_binomial_1 a t : 0 < a < 1 -> negative_binomial 1 a t = (1 - a) * a ^ t.
  Proof. intros A. apply (geometric_mass a (negative_binomial 1 a) A), negative_binomial_exists; lra. Qed.

  Lemma G_mass t : G t = (1 - p) * p ^ t.
  Proof. rewrite HG. apply negative_binomial_1, Hp. Qed.

  Lemma smaller_mass t : smaller p t = (1 - p * p) * (p * p) ^ t.
  Proof. apply negative_binomial_1. nra. Qed.

  Lemma smaller_law : law (smaller p).
  Proof. apply negative_binomial_exists; nra. Qed.

  Let EB (D f : nat -> R) : law D -> unit_valued f -> 0 <= expectation D f <= 1.
  Proof. intros L U. apply expectation_bounds; assumption. Qed.

  (** From m on. *)
  Lemma geometric_from m f : unit_valued f ->
    expectation G (fun h => if Nat.leb m h then f h else 0) = p ^ m * expectation G (fun k => f (m + k)%nat).
  Proof.
    intros U. rewrite <- expectation_after by assumption.
    apply expectation_rescaled; [apply law_after, LG | exact U | apply pow_le; lra |].
    intros h. unfold after. destruct (Nat.ltb_spec h m), (Nat.leb_spec m h); try lia; [ring |].
    rewrite !G_mass. replace h with (m + (h - m))%nat at 1 by lia. rewrite pow_add. ring.
  Qed.

  Lemma geometric_step f : unit_valued f -> expectation G f = (1 - p) * f 0%nat + p * expectation G (fun k => f (S k)).
  Proof.
    intros U.
    assert (A : expectation G (fun h => if Nat.eqb h 0 then f h else 0) = (1 - p) * f 0%nat).
    { rewrite <- (expectation_point 0%nat (fun _ => f 0%nat)) by apply U.
      apply expectation_rescaled; [apply point_law | intros t; apply U | lra |].
      intros h. unfold point. rewrite G_mass. destruct (Nat.eqb_spec h 0) as [-> | N]; destruct (same 0%nat _); subst;
        try congruence; simpl; ring. }
    assert (B := geometric_from 1 f U). rewrite pow_1 in B. change (fun k => f (1 + k)%nat) with (fun k => f (S k)) in B.
    rewrite <- A, <- B, <- expectation_plus.
    - apply expectation_ext; [exact LG | exact U |]. intros [| h]; simpl; ring.
    - exact LG.
    - intros h. destruct (Nat.eqb h 0); [apply U | lra].
    - intros h. destruct (Nat.leb 1 h); [apply U | lra].
    - intros [| h]; simpl; rewrite ?Rplus_0_r, ?Rplus_0_l; apply U.
  Qed.

  (** Weighed by p^g once more. *)
  Lemma geometric_squared c u : unit_valued u -> 0 <= c ->
    expectation G (fun g => c * p ^ g * u g) = c / (1 + p) * expectation (smaller p) u.
  Proof.
    intros U C. apply expectation_rescaled; [apply smaller_law | exact U | apply Rle_mult_inv_pos; lra |].
    intros g. rewrite G_mass, smaller_mass, Rpow_mult_distr. field. lra.
  Qed.

  Lemma smaller_and_difference f : (forall g h, 0 <= f g h <= 1) ->
    (1 + p) * expectation G (fun g => expectation G (fun h => f g h)) =
    expectation G (fun k => expectation (smaller p) (fun m => f m (k + m)%nat)) +
    p * expectation G (fun k => expectation (smaller p) (fun m => f (S k + m)%nat m)).
  Proof.
    intros F.
    set (u := fun g h => if Nat.leb g h then f g h else 0). set (v := fun g h => if Nat.leb (S h) g then f g h else 0).
    assert (U : forall g h, 0 <= u g h <= 1) by (intros g h; unfold u; destruct (Nat.leb g h); [apply F | lra]).
    assert (V : forall g h, 0 <= v g h <= 1) by (intros g h; unfold v; destruct (Nat.leb (S h) g); [apply F | lra]).
    assert (UV : forall g h, u g h + v g h = f g h).
    { intros g h. unfold u, v. destruct (Nat.leb_spec g h), (Nat.leb_spec (S h) g); try lia; ring. }
    assert (Split : expectation G (fun g => expectation G (fun h => f g h)) =
      expectation G (fun g => expectation G (u g)) + expectation G (fun g => expectation G (v g))).
    { rewrite <- expectation_plus; [| exact LG | intros g; apply EB; [exact LG | intros h; apply U] |
        intros g; apply EB; [exact LG | intros h; apply V] |].
      - apply expectation_ext; [exact LG | intros g; apply EB; [exact LG | intros h; apply F] |]. intros g.
        rewrite <- expectation_plus; [| exact LG | intros h; apply U | intros h; apply V | intros h; rewrite UV; apply F].
        apply expectation_ext; [exact LG | intros h; apply F | intros h; symmetry; apply UV].
      - intros g. rewrite <- expectation_plus; [| exact LG | intros h; apply U | intros h; apply V | intros h; rewrite UV; apply F].
        apply EB; [exact LG |]. intros h. rewrite UV. apply F. }
    assert (A : expectation G (fun g => expectation G (u g)) =
      1 / (1 + p) * expectation G (fun k => expectation (smaller p) (fun m => f m (k + m)%nat))).
    { rewrite (expectation_swap G (smaller p) (fun k m => f m (k + m)%nat) LG smaller_law) by (intros k m; apply F).
      rewrite <- (geometric_squared 1 (fun m => expectation G (fun k => f m (k + m)%nat)))
        by (lra || (intros m; apply EB; [exact LG | intros k; apply F])).
      apply expectation_ext; [exact LG | intros g; apply EB; [exact LG | intros h; apply U] |]. intros g. unfold u.
      rewrite geometric_from by (intros h; apply F). rewrite Rmult_1_l. f_equal.
      apply expectation_ext; [exact LG | intros k; apply F |]. intros k. rewrite Nat.add_comm. reflexivity. }
    assert (B : expectation G (fun g => expectation G (v g)) =
      p / (1 + p) * expectation G (fun k => expectation (smaller p) (fun m => f (S k + m)%nat m))).
    { rewrite (expectation_swap G G v LG LG) by (intros g h; apply V).
      rewrite (expectation_swap G (smaller p) (fun k m => f (S k + m)%nat m) LG smaller_law) by (intros k m; apply F).
      rewrite <- (geometric_squared p (fun m => expectation G (fun k => f (S k + m)%nat m)))
        by (lra || (intros m; apply EB; [exact LG | intros k; apply F])).
      apply expectation_ext; [exact LG | intros h; apply EB; [exact LG | intros g; apply V] |]. intros h. unfold v.
      rewrite (geometric_from (S h) (fun g => f g h)) by (intros g; apply F). simpl pow. f_equal.
      apply expectation_ext; [exact LG | intros k; apply F |]. intros k. f_equal. lia. }
    rewrite Split, A, B. field. lra.
  Qed.
End Geometric.

Section Exactly.
  Variables (p : R) (G W : nat -> R).
  Hypotheses (Hp : 0 < p < 1) (LG : law G) (LW : law W) (HG : forall t, G t = negative_binomial 1 p t).
  Let Y := convolved_masses W (smaller p).

  Lemma Y_law : law Y.
  Proof. apply convolved_law; [exact LW | apply smaller_law, Hp]. Qed.

  Let seen (F : nat -> nat -> R) (c : nat) : R := drawn G W (fun g h w => F (c + g + w)%nat (h + w)%nat).

  Section Event.
    Variable F : nat -> nat -> R.
    Hypothesis FR : forall s t, 0 <= F s t <= 1.

    (** k more messages false, or k + 1 more messages true; the smaller count is t. *)
    Let low (c k t : nat) : R := F (c + t)%nat (k + t)%nat.
    Let high (c k t : nat) : R := F (c + S k + t)%nat t.
    Let over_both (f : nat -> nat -> R) : R := expectation G (fun k => expectation Y (f k)).

    Let EY f : unit_valued f -> 0 <= expectation Y f <= 1.
    Proof. intros U. apply expectation_bounds; [apply Y_law | exact U]. Qed.

    Lemma seen_parts c : (1 + p) * seen F c = over_both (low c) + p * over_both (high c).
    Proof.
      unfold seen, drawn. assert (LS := smaller_law p Hp).
      rewrite (smaller_and_difference p G Hp LG HG (fun g h => expectation W (fun w => F (c + g + w)%nat (h + w)%nat)))
        by (intros g h; apply expectation_bounds; [exact LW | intros w; apply FR]).
      assert (Join : forall phi : nat -> R, unit_valued phi ->
        expectation (smaller p) (fun m => expectation W (fun w => phi (w + m)%nat)) = expectation Y phi).
      { intros phi U. unfold Y. rewrite expectation_convolved by assumption. apply expectation_swap; [exact LS | exact LW |].
        intros m w. apply U. }
      unfold over_both. f_equal; [| f_equal]; apply expectation_ext; try exact LG;
        try (intros k; apply expectation_bounds; [exact LS | intros m; apply expectation_bounds; [exact LW | intros w; apply FR]]);
        intros k.
      - rewrite <- Join by (intros t; apply FR). apply expectation_ext; [exact LS | |].
        + intros m. apply expectation_bounds; [exact LW | intros w; apply FR].
        + intros m. apply expectation_ext; [exact LW | intros w; apply FR |]. intros w. unfold low. f_equal; lia.
      - rewrite <- Join by (intros t; apply FR). apply expectation_ext; [exact LS | |].
        + intros m. apply expectation_bounds; [exact LW | intros w; apply FR].
        + intros m. apply expectation_ext; [exact LW | intros w; apply FR |]. intros w. unfold high. f_equal; lia.
    Qed.

    Lemma seen_parts_more c : (1 + p) * seen F (S c) =
      p * over_both (fun k t => low c k (S t)) + over_both (high c).
    Proof.
      rewrite seen_parts. unfold over_both.
      rewrite (geometric_step p G Hp LG HG (fun k => expectation Y (low (S c) k))) by (intros k; apply EY; intros t; apply FR).
      rewrite (geometric_step p G Hp LG HG (fun k => expectation Y (high c k))) by (intros k; apply EY; intros t; apply FR).
      assert (E0 : expectation Y (low (S c) 0) = expectation Y (high c 0)).
      { apply expectation_ext; [apply Y_law | intros t; apply FR |]. intros t. unfold low, high. f_equal; lia. }
      assert (E1 : expectation G (fun k => expectation Y (low (S c) (S k))) = expectation G (fun k => expectation Y (fun t => low c k (S t)))).
      { apply expectation_ext; [exact LG | intros k; apply EY; intros t; apply FR |]. intros k.
        apply expectation_ext; [apply Y_law | intros t; apply FR |]. intros t. unfold low. f_equal; lia. }
      assert (E2 : expectation G (fun k => expectation Y (high (S c) k)) = expectation G (fun k => expectation Y (high c (S k)))).
      { apply expectation_ext; [exact LG | intros k; apply EY; intros t; apply FR |]. intros k.
        apply expectation_ext; [apply Y_law | intros t; apply FR |]. intros t. unfold high. f_equal; lia. }
      rewrite E0, E1, E2. ring.
    Qed.

    Lemma both_range f : (forall k t, 0 <= f k t <= 1) -> 0 <= over_both f <= 1.
    Proof. intros H. apply expectation_bounds; [exact LG |]. intros k. apply EY. intros t. apply H. Qed.

    (** A mean over k of what holds for each k. *)
    Lemma both_compared f g E d : 0 <= E -> 0 <= d -> (forall k t, 0 <= f k t <= 1) -> (forall k t, 0 <= g k t <= 1) ->
      (forall k, expectation Y (f k) <= E * expectation Y (g k) + d) -> over_both f <= E * over_both g + d.
    Proof.
      intros HE Hd Hf Hg H.
      assert (Sf := expectation_sum G LG (fun k => expectation Y (f k)) ltac:(intros k; apply EY; intros t; apply Hf)).
      assert (Sg := expectation_sum G LG (fun k => expectation Y (g k)) ltac:(intros k; apply EY; intros t; apply Hg)).
      apply (sum_of_least _ _ _ Sf). intros l N.
      apply Rle_trans with (E * total l (fun k => G k * expectation Y (g k)) + d * total l G).
      - rewrite <- !total_scal, <- total_plus. apply total_le. intros k _. assert (P := proj1 LG k).
        specialize (H k). nra.
      - apply Rplus_le_compat; [apply Rmult_le_compat_l; [exact HE | apply (sum_of_upper _ _ l Sg N)] |].
        assert (T := law_finite G l LG N). nra.
    Qed.
  End Event.

  Variables (E delta : R).
  Hypothesis HE : 1 <= E.

  Definition hidden_counts : Prop :=
    mass_below Y (after 1 Y) (E * p) ((1 + p) * delta) /\
    mass_below (after 1 Y) Y (E / p) (((1 + p) * delta - Rmax 0 (1 - E * p)) / p).

  Lemma after_1_mean f : unit_valued f -> expectation (after 1 Y) f = expectation Y (fun t => f (S t)).
  Proof. apply expectation_after_1, Y_law. Qed.

  Lemma hidden_below F c : (forall s t, 0 <= F s t <= 1) -> hidden_counts ->
    seen F c <= E * seen F (S c) + delta /\ seen F (S c) <= E * seen F c + delta.
  Proof.
    intros FR [H1 H2]. assert (LY := Y_law). assert (LA := law_after 1 Y LY).
    assert (P := seen_parts F FR c). assert (Q := seen_parts_more F FR c).
    set (low := fun k t : nat => F (c + t)%nat (k + t)%nat) in *. set (high := fun k t : nat => F (c + S k + t)%nat t) in *.
    set (A0 := expectation G (fun k => expectation Y (low k))) in *.
    set (A1 := expectation G (fun k => expectation Y (fun t => low k (S t)))) in *.
    set (B := expectation G (fun k => expectation Y (high k))) in *.
    assert (LR : forall k t, 0 <= low k t <= 1) by (intros; apply FR).
    assert (BR : 0 <= B <= 1) by (apply both_range; intros; apply FR).
    assert (EP : 0 <= E / p) by (apply Rle_mult_inv_pos; lra).
    assert (Z1 := H1 [] (NoDup_nil _)). assert (Z2 := H2 [] (NoDup_nil _)). cbn [total] in Z1, Z2.
    assert (U1 : A0 <= E * p * A1 + (1 + p) * delta).
    { apply both_compared; [nra | lra | exact LR | intros; apply LR |]. intros k.
      rewrite <- after_1_mean by (intros t; apply LR).
      apply expectation_below; auto; [nra | intros t; apply LR]. }
    assert (U2 : A1 <= E / p * A0 + ((1 + p) * delta - Rmax 0 (1 - E * p)) / p).
    { apply both_compared; [exact EP | lra | intros; apply LR | exact LR |]. intros k.
      rewrite <- after_1_mean by (intros t; apply LR).
      apply expectation_below; auto. intros t. apply LR. }
    apply (Rmult_le_compat_l p) in U2; [| lra].
    replace (p * (E / p * A0 + ((1 + p) * delta - Rmax 0 (1 - E * p)) / p))
      with (E * A0 + (1 + p) * delta - Rmax 0 (1 - E * p)) in U2 by (field; lra).
    assert (M1 := Rmax_l 0 (1 - E * p)). assert (M2 := Rmax_r 0 (1 - E * p)).
    split; apply Rmult_le_reg_l with (1 + p); try lra; rewrite Rmult_plus_distr_l, <- Rmult_assoc, (Rmult_comm (1 + p) E),
      Rmult_assoc, P, Q.
    - assert (p * B <= E * B) by (apply Rmult_le_compat_r; lra). lra.
    - assert ((1 - E * p) * B <= Rmax 0 (1 - E * p)) by nra. nra.
  Qed.

  (** The events that show it: a set of counts of messages true, where there are as many false, and all or nothing else. *)
  Definition shown_by (l : list nat) (else_ : bool) (s t : nat) : bool :=
    if Nat.leb s t then among l s else else_.

  Lemma shown_is_seen l else_ : NoDup l ->
    let F := fun s t => if shown_by l else_ s t then 1 else 0 in
    let B := if else_ then 1 else 0 in
    (1 + p) * seen F 0 = total l Y + p * B /\ (1 + p) * seen F 1 = p * total l (after 1 Y) + B.
  Proof.
    intros N F B. assert (LY := Y_law). assert (LA := law_after 1 Y LY).
    assert (FR : forall s t, 0 <= F s t <= 1) by (intros s t; unfold F; destruct (shown_by l else_ s t); lra).
    rewrite (seen_parts F FR 0), (seen_parts_more F FR 0).
    assert (Const : forall x, 0 <= x <= 1 -> expectation G (fun _ : nat => x) = x).
    { intros x Hx. transitivity (x * expectation G (fun _ => 1)); [| rewrite expectation_one by exact LG; ring].
      apply expectation_rescaled; [exact LG | intros t; lra | lra | intros t; ring]. }
    assert (TR : forall D, law D -> 0 <= total l D <= 1)
      by (intros D LD; split; [apply total_nonneg; intros; apply LD | apply law_finite; assumption]).
    assert (Low : expectation G (fun k => expectation Y (fun t => F (0 + t)%nat (k + t)%nat)) = total l Y).
    { rewrite <- (Const (total l Y) (TR Y LY)). apply expectation_ext; [exact LG | |].
      - intros k. apply expectation_bounds; [exact LY | intros t; apply FR].
      - intros k. rewrite <- (expectation_among Y l LY N). apply expectation_ext; [exact LY | intros t; apply FR |].
        intros t. unfold F, shown_by, indicator. destruct (Nat.leb_spec (0 + t) (k + t)); [reflexivity | lia]. }
    assert (More : expectation G (fun k => expectation Y (fun t => F (0 + S t)%nat (k + S t)%nat)) = total l (after 1 Y)).
    { rewrite <- (Const (total l (after 1 Y)) (TR _ LA)). apply expectation_ext; [exact LG | |].
      - intros k. apply expectation_bounds; [exact LY | intros t; apply FR].
      - intros k. rewrite <- (expectation_among (after 1 Y) l LA N), after_1_mean by (intros t; apply indicator_bounds).
        apply expectation_ext; [exact LY | intros t; apply FR |].
        intros t. unfold F, shown_by, indicator. destruct (Nat.leb_spec (0 + S t) (k + S t)); [reflexivity | lia]. }
    assert (BR : 0 <= B <= 1) by (unfold B; destruct else_; lra).
    assert (High : expectation G (fun k => expectation Y (fun t => F (0 + S k + t)%nat t)) = B).
    { rewrite <- (Const B BR). apply expectation_ext; [exact LG | |].
      - intros k. apply expectation_bounds; [exact LY | intros t; apply FR].
      - intros k. transitivity (B * expectation Y (fun _ => 1)); [| rewrite expectation_one by exact LY; ring].
        apply expectation_rescaled; [exact LY | intros t; lra | lra |].
        intros t. unfold F, shown_by, B. destruct (Nat.leb_spec (0 + S k + t) t); [lia |]. destruct else_; ring. }
    rewrite Low, More, High. auto.
  Qed.
End Exactly.

Theorem correlated_exactly (n : nat) (p E delta : R) (D1 D2 : nat -> R) :
  (1 <= n)%nat -> 0 < p < 1 -> 1 <= E -> law D1 -> law D2 -> (forall t, shares D1 n t = negative_binomial 1 p t) ->
  countable_dp n (correlated D1 D2) (ln E) delta <-> hidden_counts p (shares D2 n) E delta.
Proof.
  intros Hn Hp HE L1 L2 HG. assert (LG := shares_law D1 n L1). assert (LW := shares_law D2 n L2).
  unfold countable_dp. rewrite exp_ln by lra. split.
  - intros H. assert (Eq := shown_is_seen p (shares D1 n) (shares D2 n) Hp LG LW HG).
    assert (Ones : forall m, ones (repeat false m) = 0%nat) by (induction m; simpl; auto).
    set (xs := repeat false n). set (ys := true :: repeat false (n - 1)).
    assert (Lx : length xs = n) by apply repeat_length.
    assert (Ly : length ys = n) by (unfold ys; simpl; rewrite repeat_length; lia).
    assert (Near : neighbors xs ys /\ neighbors ys xs).
    { unfold xs, ys. replace n with (S (n - 1)) at 1 4 by lia. simpl repeat. split.
      - apply (replace_one [] false true (repeat false (n - 1))).
      - apply (replace_one [] true false (repeat false (n - 1))). }
    assert (Shown : forall l else_, let T := fun u => shown_by l else_ (ones u) (falses u) in
      symmetric T /\ forall zs, length zs = n -> expectation (sent (correlated D1 D2) zs) (indicator T) =
        drawn (shares D1 n) (shares D2 n) (fun g h w => if shown_by l else_ (ones zs + g + w) (h + w) then 1 else 0)).
    { intros l else_ T. split.
      - intros u v P. unfold T, falses. rewrite (ones_permutation u v P), (Permutation_length P). reflexivity.
      - intros zs <-. rewrite <- (counts_law D1 D2 L1 L2 zs (fun s t => if shown_by l else_ s t then 1 else 0))
          by (intros s t; destruct (shown_by _ _ s t); lra). reflexivity. }
    assert (M := Rmax_l 0 (1 - E * p)).
    split; intros l N.
    + destruct (Shown l false) as [Sym Form]. specialize (H xs ys (proj1 Near) Lx _ Sym). rewrite !Form in H by assumption.
      destruct (Eq l false N) as [Q0 Q1]. unfold xs, ys in H. cbn [ones] in H. rewrite !Ones in H.
      apply (Rmult_le_compat_l (1 + p)) in H; [| lra].
      rewrite Rmult_plus_distr_l, <- Rmult_assoc, (Rmult_comm (1 + p) E), Rmult_assoc, Q0, Q1 in H. lra.
    + set (e := if Rle_dec 0 (1 - E * p) then true else false).
      destruct (Shown l e) as [Sym Form]. specialize (H ys xs (proj2 Near) Ly _ Sym). rewrite !Form in H by assumption.
      destruct (Eq l e N) as [Q0 Q1]. unfold xs, ys in H. cbn [ones] in H. rewrite !Ones in H.
      apply (Rmult_le_compat_l (1 + p)) in H; [| lra].
      rewrite Rmult_plus_distr_l, <- Rmult_assoc, (Rmult_comm (1 + p) E), Rmult_assoc, Q0, Q1 in H.
      assert (Gain : (1 - E * p) * (if e then 1 else 0) = Rmax 0 (1 - E * p)).
      { unfold e. destruct (Rle_dec 0 (1 - E * p)); [rewrite Rmax_right by lra | rewrite Rmax_left by lra]; ring. }
      rewrite <- Gain. apply Rmult_le_reg_l with p; [lra |].
      set (e' := if e then 1 else 0) in *.
      replace (p * (E / p * total l (convolved_masses (shares D2 n) (smaller p)) + ((1 + p) * delta - (1 - E * p) * e') / p))
        with (E * total l (convolved_masses (shares D2 n) (smaller p)) + (1 + p) * delta - (1 - E * p) * e') by (field; lra).
      lra.
  - intros H xs ys Near Len T Sym.
    assert (Len' : length ys = n) by (rewrite <- Len; inversion Near; rewrite !app_length; reflexivity).
    rewrite !(event_counts D1 D2 L1 L2 _ T Sym), Len, Len'.
    set (F := fun s t => indicator T (repeat true s ++ repeat false t)).
    assert (FR : forall s t, 0 <= F s t <= 1) by (intros; apply indicator_bounds).
    assert (Step := fun c => hidden_below p (shares D1 n) (shares D2 n) Hp LG LW HG E delta HE F c FR H).
    change (drawn (shares D1 n) (shares D2 n) (fun g h w => F (ones xs + g + w) (h + w))%nat <=
      E * drawn (shares D1 n) (shares D2 n) (fun g h w => F (ones ys + g + w) (h + w))%nat + delta).
    assert (D0 : 0 <= delta).
    { destruct H as [H _]. specialize (H [] (NoDup_nil _)). simpl in H. rewrite Rmult_0_r, Rplus_0_l in H.
      apply Rmult_le_reg_l with (1 + p); lra. }
    assert (Same : forall c, drawn (shares D1 n) (shares D2 n) (fun g h w => F (c + g + w) (h + w))%nat <=
      E * drawn (shares D1 n) (shares D2 n) (fun g h w => F (c + g + w) (h + w))%nat + delta).
    { intros c. assert (P : 0 <= drawn (shares D1 n) (shares D2 n) (fun g h w => F (c + g + w) (h + w))%nat)
        by (apply drawn_bounds; [exact LG | exact LW | intros; apply FR]).
      set (z := drawn _ _ _) in *. clearbody z. nra. }
    inversion Near as [before x y after' E1 E2]. rewrite !ones_app.
    destruct x, y; cbn [ones]; rewrite ?Nat.add_succ_r; generalize (ones before + ones after')%nat; intros c;
      destruct (Step c) as [S1 S2]; [exact (Same (S c)) | exact S2 | exact S1 | exact (Same c)].
Qed.
