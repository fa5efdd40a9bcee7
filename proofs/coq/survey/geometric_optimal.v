(** The geometric mechanism for a count of any number of users is at least as good as every private one.

    The count is 0, ..., n, n >= 1; [clamped_counts n a] adds two-sided geometric noise of ratio a = e^-eps, eps > 0, and
    clamps to {0, ..., n} (clamped_counts.v). Let M answer with integers, finitely many, and be (eps, 0)-DP. Then a
    randomized function K of the geometric mechanism's output, which does not depend on a loss, has at every count i no
    larger expected loss than M, for every loss that grows with the distance from i ([geometric_optimal]). Under one
    prior and loss a fixed answer for each of its outputs has no larger expected loss than any M ([geometric_remapping]).

    Idea: among the private tables whose errors are at every count at most those of M, stochastically, take one with the
    least sum of mean errors ([minimum_attained]). For a gap between the counts i and i + 1 call a column light if its
    probability at i is above a times that at i + 1, heavy if that at i + 1 is above a times that at i. No light column k
    stands right of a heavy column j: for 2 i <= j + k a part of column k could be moved to column j in all rows up to i,
    else a part of j to k in all rows from i + 1 on, and the table would stay private and err less ([separated]). So in
    every gap the columns left of one fall and those right of it rise by the factor a, and that one moves to the right
    from gap to gap. Then v - a u, v - a w and (1 + a^2) v - a (u + w), for neighbours u, v, w in a column, are not
    negative, and they are the weights with which the column is a mixture of the geometric mechanism's.
    Source: this package; one prior and loss: Ghosh, Roughgarden, Sundararajan 2012. *)

From Coq Require Import Reals List Arith ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick geometric_noise geometric_error clamped_counts.
From Exactdp Require Import local_overlap.
Import ListNotations.
Open Scope R_scope.

(** ** A least sum is attained *)

Section Attained.
  Context {C : Type}.

  Lemma one_adherent (B : R -> (C -> R) -> Prop) (c : C) :
    (forall e e' x, 0 < e <= e' -> B e x -> B e' x) -> (forall e, 0 < e -> exists x, B e x) ->
    (forall e x, B e x -> 0 <= x c <= 1) -> exists y, forall e, 0 < e -> exists x, B e x /\ Rabs (x c - y) <= e.
  Proof.
    intros Less Some Bounds.
    destruct (completeness (fun y => exists e, 0 < e /\ forall x, B e x -> y <= x c)) as [y [Upper Least]].
    - exists 1. intros y [e [He H]]. destruct (Some e He) as [x Hx]. specialize (H x Hx). specialize (Bounds e x Hx). lra.
    - exists 0, 1. split; [lra |]. intros x Hx. apply (Bounds 1 x Hx).
    - exists y. intros e He.
      assert (Low : exists e0, 0 < e0 /\ forall x, B e0 x -> y - e <= x c).
      { apply Classical_Prop.NNPP. intros None. assert (y <= y - e); [| lra]. apply Least. intros z [e0 [H0 Hz]].
        apply Rnot_lt_le. intros L. apply None. exists e0. split; [exact H0 |]. intros x Hx. specialize (Hz x Hx). lra. }
      destruct Low as [e0 [H0 Low]]. set (e1 := Rmin e e0).
      assert (H1 : 0 < e1) by (apply Rmin_pos; assumption).
      apply Classical_Prop.NNPP. intros None. assert (y + e <= y); [| lra]. apply Upper. exists e1. split; [exact H1 |].
      intros x Hx. apply Rnot_lt_le. intros L. apply None. exists x.
      split; [apply (Less e1); [split; [exact H1 | apply Rmin_l] | exact Hx] |].
      specialize (Low x (Less e1 e0 x (conj H1 (Rmin_r e e0)) Hx)). apply Rabs_le. lra.
  Qed.

  Lemma adherent (l : list C) : forall B : R -> (C -> R) -> Prop,
    (forall e e' x, 0 < e <= e' -> B e x -> B e' x) -> (forall e, 0 < e -> exists x, B e x) ->
    (forall e x c, In c l -> B e x -> 0 <= x c <= 1) ->
    exists p, forall e, 0 < e -> exists x, B e x /\ forall c, In c l -> Rabs (x c - p c) <= e.
  Proof.
    induction l as [| c l IH]; intros B Less Some Bounds.
    - exists (fun _ => 0). intros e He. destruct (Some e He) as [x Hx]. exists x. split; [exact Hx | intros c []].
    - destruct (one_adherent B c Less Some (fun e x => Bounds e x c (or_introl eq_refl))) as [y Hy].
      destruct (IH (fun e x => B e x /\ Rabs (x c - y) <= e)) as [p Hp].
      + intros e e' x He [Hx Near]. split; [apply (Less e); assumption | lra].
      + exact Hy.
      + intros e x d I [Hx _]. apply (Bounds e x d (or_intror I) Hx).
      + exists (fun d => if same c d then y else p d). intros e He. destruct (Hp e He) as [x [[Hx Near] All]].
        exists x. split; [exact Hx |]. intros d I. destruct (same c d) as [<- | N]; [exact Near |].
        apply All. destruct I as [E | I]; [contradiction | exact I].
  Qed.

  Lemma near_total (l : list C) (w x p : C -> R) e : (forall c, In c l -> Rabs (x c - p c) <= e) ->
    Rabs (total l (fun c => w c * x c) - total l (fun c => w c * p c)) <= e * total l (fun c => Rabs (w c)).
  Proof.
    induction l as [| c l IH]; intros H; simpl; [replace (0 - 0) with 0 by ring; rewrite Rabs_R0; lra |].
    specialize (IH (fun d I => H d (or_intror I))). specialize (H c (or_introl eq_refl)).
    replace (w c * x c + total l (fun c => w c * x c) - (w c * p c + total l (fun c => w c * p c))) with
      (w c * (x c - p c) + (total l (fun c => w c * x c) - total l (fun c => w c * p c))) by ring.
    eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_mult.
    assert (Rabs (w c) * Rabs (x c - p c) <= Rabs (w c) * e) by (apply Rmult_le_compat_l; [apply Rabs_pos | exact H]).
    lra.
  Qed.

  (** S holds for a limit of such functions. *)
  Definition closed_on (l : list C) (S : (C -> R) -> Prop) : Prop :=
    forall p, (forall e, 0 < e -> exists x, S x /\ forall c, In c l -> Rabs (x c - p c) <= e) -> S p.

  Lemma closed_below (l : list C) (w p : C -> R) b :
    (forall e, 0 < e -> exists x, total l (fun c => w c * x c) <= b + e /\ forall c, In c l -> Rabs (x c - p c) <= e) ->
    total l (fun c => w c * p c) <= b.
  Proof.
    intros H. apply le_epsilon. intros eta Heta. set (W := total l (fun c => Rabs (w c))).
    assert (W0 : 0 <= W) by (apply total_nonneg; intros; apply Rabs_pos).
    destruct (H (eta / (1 + W))) as [x [Low Near]]; [apply Rdiv_lt_0_compat; lra |].
    apply (near_total l w x p) in Near. fold W in Near. rewrite Rabs_minus_sym in Near.
    assert (A := Rle_abs (total l (fun c => w c * p c) - total l (fun c => w c * x c))).
    assert (E : eta / (1 + W) + eta / (1 + W) * W = eta) by (field; lra). lra.
  Qed.

  Lemma minimum_attained (l : list C) (w : C -> R) (S : (C -> R) -> Prop) :
    (exists x, S x) -> closed_on l S -> (forall x c, In c l -> S x -> 0 <= x c <= 1) ->
    exists p, S p /\ forall x, S x -> total l (fun c => w c * p c) <= total l (fun c => w c * x c).
  Proof.
    intros [x0 H0] Closed Bounds. set (value := fun x => total l (fun c => w c * x c)).
    destruct (completeness (fun y => exists x, S x /\ y = - value x)) as [m [Upper Least]].
    - exists (total l (fun c => Rabs (w c))). intros y [x [Hx ->]]. unfold value. rewrite <- (Rmult_1_l (- _)).
      replace (1 * - total l (fun c => w c * x c)) with (total l (fun c => -1 * (w c * x c))) by (rewrite total_scal; ring).
      apply total_le. intros c I. specialize (Bounds x c I Hx). assert (A := Rle_abs (- w c)). rewrite Rabs_Ropp in A.
      assert (P := Rabs_pos (w c)). nra.
    - exists (- value x0), x0. auto.
    - assert (Inf : forall x, S x -> - m <= value x).
      { intros x Hx. assert (- value x <= m) by (apply Upper; exists x; auto). lra. }
      destruct (adherent l (fun e x => S x /\ value x <= - m + e)) as [p Hp].
      + intros e e' x He [Hx V]. split; [exact Hx | lra].
      + intros e He. apply Classical_Prop.NNPP. intros None. assert (m <= m - e); [| lra]. apply Least.
        intros y [x [Hx ->]]. apply Rnot_lt_le. intros L. apply None. exists x. split; [exact Hx | lra].
      + intros e x c I [Hx _]. apply (Bounds x c I Hx).
      + exists p. split.
        * apply Closed. intros e He. destruct (Hp e He) as [x [[Hx _] Near]]. exists x. auto.
        * intros x Hx. apply Rle_trans with (- m); [| apply Inf, Hx]. apply closed_below. intros e He.
          destruct (Hp e He) as [z [[_ V] Near]]. exists z. auto.
  Qed.
End Attained.

(** ** Private tables *)

Section Tables.
  Variables (n : nat) (a : R).
  Hypotheses (Hn : (1 <= n)%nat) (Ha : 0 < a < 1).
  Let counts := seq 0 (S n).
  Let table := (nat * nat -> R)%type.

  Definition private_table (x : table) : Prop :=
    (forall i r, (i <= n)%nat -> (r <= n)%nat -> 0 <= x (i, r)) /\
    (forall i, (i <= n)%nat -> total counts (fun r => x (i, r)) = 1) /\
    (forall i r, (i < n)%nat -> (r <= n)%nat -> a * x (i, r) <= x (S i, r) /\ a * x (S i, r) <= x (i, r)).

  (** The probability that the error at i is at most d. *)
  Definition within (x : table) (i d : nat) : R := total counts (fun r => (if Nat.leb (apart i r) d then 1 else 0) * x (i, r)).

  Lemma in_counts r : In r counts <-> (r <= n)%nat.
  Proof. unfold counts. rewrite in_seq. lia. Qed.

  (** *** Mass moved from column s to column t, in some rows *)

  Section Moved.
    Variables (x : table) (H : nat -> bool) (s t : nat) (delta : R).
    Hypotheses (X : private_table x) (Hs : (s <= n)%nat) (Ht : (t <= n)%nat) (Hst : s <> t) (Hd : 0 <= delta <= 1).
    Hypothesis nearer : forall h, (h <= n)%nat -> H h = true -> (apart h t <= apart h s)%nat.
    Hypothesis border : forall g, (g < n)%nat ->
      (H g = true -> H (S g) = false ->
        a * x (S g, s) <= (1 - delta) * x (g, s) /\ a * (x (g, t) + delta * x (g, s)) <= x (S g, t)) /\
      (H g = false -> H (S g) = true ->
        a * x (g, s) <= (1 - delta) * x (S g, s) /\ a * (x (S g, t) + delta * x (S g, s)) <= x (g, t)).

    Definition moved_mass (hr : nat * nat) : R :=
      let (h, r) := hr in
      x (h, r) + (if H h then (if Nat.eq_dec t r then delta * x (h, s) else 0) -
                              (if Nat.eq_dec s r then delta * x (h, s) else 0) else 0).

    Lemma moved_total g h : total counts (fun r => g r * moved_mass (h, r)) =
      total counts (fun r => g r * x (h, r)) + (if H h then delta * x (h, s) * (g t - g s) else 0).
    Proof.
      destruct (H h) eqn:Hh; unfold moved_mass; rewrite Hh.
      - rewrite (total_ext counts _ (fun r => g r * x (h, r) + ((if Nat.eq_dec t r then g t * (delta * x (h, s)) else 0) -
          (if Nat.eq_dec s r then g s * (delta * x (h, s)) else 0)))).
        + rewrite total_plus, total_minus, !(total_single Nat.eq_dec) by (apply seq_NoDup || (apply in_counts; assumption)). ring.
        + intros r _. destruct (Nat.eq_dec t r) as [E | _], (Nat.eq_dec s r) as [F | _]; try (exfalso; congruence); try subst r; ring.
      - rewrite Rplus_0_r. apply total_ext. intros r _. ring.
    Qed.

    Lemma moved_private : private_table moved_mass.
    Proof.
      destruct X as [Pos [Sum Near]]. split; [| split].
      - intros i r I Hr. unfold moved_mass. assert (A := Pos i r I Hr). assert (B := Pos i s I Hs).
        destruct (H i); [| lra]. assert (0 <= delta * x (i, s)) by (apply Rmult_le_pos; lra).
        destruct (Nat.eq_dec t r) as [E | _], (Nat.eq_dec s r) as [F | _]; try (exfalso; congruence); try subst r; try lra; nra.
      - intros i I. rewrite (total_ext counts _ (fun r => 1 * moved_mass (i, r))) by (intros; ring).
        rewrite (moved_total (fun _ => 1)). rewrite (total_ext counts (fun r => 1 * x (i, r)) (fun r => x (i, r)))
          by (intros; ring). rewrite (Sum i I). destruct (H i); ring.
      - intros i r I Hr. destruct (Near i r I Hr) as [U D]. destruct (Near i s I Hs) as [Us Ds].
        destruct (Near i t I Ht) as [Ut Dt]. destruct (border i I) as [B1 B2].
        assert (Us1 := Rmult_le_compat_l delta _ _ (proj1 Hd) Us). assert (Ds1 := Rmult_le_compat_l delta _ _ (proj1 Hd) Ds).
        assert (Us2 := Rmult_le_compat_l (1 - delta) _ _ ltac:(lra) Us).
        assert (Ds2 := Rmult_le_compat_l (1 - delta) _ _ ltac:(lra) Ds).
        assert (P1 : 0 <= delta * x (i, s)) by (apply Rmult_le_pos; [lra | apply Pos; lia]).
        assert (P2 : 0 <= delta * x (S i, s)) by (apply Rmult_le_pos; [lra | apply Pos; lia]).
        assert (Q1 : 0 <= a * (delta * x (i, s))) by (apply Rmult_le_pos; lra).
        assert (Q2 : 0 <= a * (delta * x (S i, s))) by (apply Rmult_le_pos; lra).
        unfold moved_mass. destruct (H i) eqn:Hi, (H (S i)) eqn:HSi;
          [| specialize (B1 eq_refl eq_refl) | specialize (B2 eq_refl eq_refl) |]; clear border;
          destruct (Nat.eq_dec t r) as [E | _], (Nat.eq_dec s r) as [F | _];
          try (exfalso; congruence); try subst r; lra.
    Qed.

    Lemma moved_within i d : (i <= n)%nat -> within x i d <= within moved_mass i d.
    Proof.
      intros I. unfold within. rewrite (moved_total (fun r => if Nat.leb (apart i r) d then 1 else 0)).
      destruct (H i) eqn:Hi; [| lra]. assert (N := nearer i I Hi).
      assert (P : 0 <= delta * x (i, s)) by (apply Rmult_le_pos; [lra | apply X; assumption]).
      destruct (Nat.leb_spec (apart i t) d), (Nat.leb_spec (apart i s) d); try lia; lra.
    Qed.

    Lemma moved_errors i : (i <= n)%nat ->
      total counts (fun r => INR (apart i r) * moved_mass (i, r)) <= total counts (fun r => INR (apart i r) * x (i, r)) /\
      (H i = true -> 0 < delta * x (i, s) -> (apart i t < apart i s)%nat ->
       total counts (fun r => INR (apart i r) * moved_mass (i, r)) < total counts (fun r => INR (apart i r) * x (i, r))).
    Proof.
      intros I. rewrite (moved_total (fun r => INR (apart i r))). destruct (H i) eqn:Hi; [| split; [lra | discriminate]].
      assert (N := le_INR _ _ (nearer i I Hi)).
      assert (P : 0 <= delta * x (i, s)) by (apply Rmult_le_pos; [lra | apply X; assumption]). split.
      - assert (delta * x (i, s) * (INR (apart i t) - INR (apart i s)) <= 0); [| lra]. nra.
      - intros _ P' L. apply lt_INR in L. assert (delta * x (i, s) * (INR (apart i t) - INR (apart i s)) < 0); [| lra]. nra.
    Qed.
  End Moved.

  (** *** The table with the least errors *)

  Variable x0 : table.
  Hypothesis X0 : private_table x0.
  Let cells := list_prod counts counts.
  Let no_worse (x : table) : Prop :=
    private_table x /\ forall i d, (i <= n)%nat -> within x0 i d <= within x i d.
  Let error (hr : nat * nat) : R := INR (apart (fst hr) (snd hr)).

  Lemma in_cells i r : In (i, r) cells <-> (i <= n)%nat /\ (r <= n)%nat.
  Proof. unfold cells. rewrite in_prod_iff, !in_counts. tauto. Qed.

  Lemma row_near (p x : table) (w : nat -> R) i e : (i <= n)%nat -> (forall c, In c cells -> Rabs (x c - p c) <= e) ->
    Rabs (total counts (fun r => w r * x (i, r)) - total counts (fun r => w r * p (i, r))) <=
    e * total counts (fun r => Rabs (w r)).
  Proof.
    intros I H. apply (near_total counts w (fun r => x (i, r)) (fun r => p (i, r))). intros r Hr.
    apply H, in_cells. split; [exact I | apply in_counts, Hr].
  Qed.

  Lemma both_sides u e : Rabs u <= e -> - e <= u <= e.
  Proof. intros H. assert (A := Rle_abs u). assert (B := Rle_abs (- u)). rewrite Rabs_Ropp in B. lra. Qed.

  (** What is at most e W for every e is not positive. *)
  Lemma not_positive (u W : R) : (forall e, 0 < e -> u <= e * W) -> u <= 0.
  Proof.
    intros H. apply Rnot_lt_le. intros L. assert (P : 0 < 1 + Rabs W) by (assert (A := Rabs_pos W); lra).
    specialize (H (u / (2 * (1 + Rabs W))) ltac:(apply Rdiv_lt_0_compat; lra)).
    assert (A := Rle_abs W). assert (u / (2 * (1 + Rabs W)) * W <= u / (2 * (1 + Rabs W)) * (1 + Rabs W)).
    { apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra | lra]. }
    assert (u / (2 * (1 + Rabs W)) * (1 + Rabs W) = u / 2) by (field; lra). lra.
  Qed.

  Lemma no_worse_closed : closed_on cells no_worse.
  Proof.
    intros p Hp. assert (Ones : forall w : nat -> R, 0 <= total counts (fun r => Rabs (w r)))
      by (intros; apply total_nonneg; intros; apply Rabs_pos).
    split; [split; [| split] |].
    - intros i r I Hr. apply Ropp_le_cancel. rewrite Ropp_0. apply (not_positive _ 1). intros e He.
      destruct (Hp e He) as [x [[[Pos _] _] Near]]. specialize (Near (i, r) (proj2 (in_cells i r) (conj I Hr))).
      specialize (Pos i r I Hr). assert (A := Rle_abs (x (i, r) - p (i, r))). lra.
    - intros i I. set (one := fun _ : nat => 1).
      assert (E : forall y : table, total counts (fun r => y (i, r)) = total counts (fun r => one r * y (i, r)))
        by (intros; apply total_ext; intros; unfold one; ring).
      apply Rle_antisym; apply Rminus_le; apply (not_positive _ (total counts (fun r => Rabs (one r)))); intros e He;
        destruct (Hp e He) as [x [[[_ [Sum _]] _] Near]]; assert (N := row_near p x one i e I Near);
        specialize (Sum i I); rewrite E in Sum; rewrite E;
        assert (A := Rle_abs (total counts (fun r => one r * x (i, r)) - total counts (fun r => one r * p (i, r))));
        assert (B := Rle_abs (total counts (fun r => one r * p (i, r)) - total counts (fun r => one r * x (i, r))));
        rewrite (Rabs_minus_sym (total counts (fun r => one r * p (i, r)))) in B; lra.
    - intros i r I Hr. split; apply Rminus_le; apply (not_positive _ (1 + a)); intros e He;
        destruct (Hp e He) as [x [[[_ [_ Near]] _] Close]]; destruct (Near i r I Hr) as [U D];
        assert (A := Close (i, r) (proj2 (in_cells i r) ltac:(lia)));
        assert (B := Close (S i, r) (proj2 (in_cells (S i) r) ltac:(lia)));
        apply both_sides in A; apply both_sides in B.
      + assert (a * (- e) <= a * (x (i, r) - p (i, r))) by (apply Rmult_le_compat_l; lra). lra.
      + assert (a * (- e) <= a * (x (S i, r) - p (S i, r))) by (apply Rmult_le_compat_l; lra). lra.
    - intros i d I. set (w := fun r => if Nat.leb (apart i r) d then 1 else 0).
      apply Rminus_le, (not_positive _ (total counts (fun r => Rabs (w r)))). intros e He.
      destruct (Hp e He) as [x [[_ Better] Near]]. specialize (Better i d I). change (total counts (fun r => w r * x0 (i, r)) -
        total counts (fun r => w r * p (i, r)) <= e * total counts (fun r => Rabs (w r))).
      change (total counts (fun r => w r * x0 (i, r)) <= total counts (fun r => w r * x (i, r))) in Better.
      assert (N := row_near p x w i e I Near).
      assert (A := Rle_abs (total counts (fun r => w r * x (i, r)) - total counts (fun r => w r * p (i, r)))). lra.
  Qed.

  Definition errors (x : table) : R := total counts (fun i => total counts (fun r => INR (apart i r) * x (i, r))).

  Lemma least_errors : exists p, no_worse p /\ forall x, no_worse x -> errors p <= errors x.
  Proof.
    destruct (minimum_attained cells error no_worse) as [p [Hp Least]].
    - exists x0. split; [exact X0 | intros; lra].
    - apply no_worse_closed.
    - intros x [i r] I [[Pos [Sum _]] _]. apply in_cells in I. destruct I as [I Hr]. split; [apply Pos; assumption |].
      rewrite <- (Sum i I). rewrite <- (total_single Nat.eq_dec counts r (x (i, r))) at 1
        by (apply seq_NoDup || (apply in_counts; exact Hr)).
      apply total_le. intros q Q. apply in_counts in Q. specialize (Pos i q I Q). destruct (Nat.eq_dec r q) as [<- | _]; lra.
    - assert (E : forall x : table, errors x = total cells (fun c => error c * x c)).
      { intros x. unfold errors, cells. rewrite total_prod. reflexivity. }
      exists p. split; [exact Hp |]. intros x Hx. rewrite !E. apply Least, Hx.
  Qed.

  (** *** Its columns *)

  Section Least.
    Variable x : table.
    Hypotheses (Good : no_worse x) (Least : forall y, no_worse y -> errors x <= errors y).

    (** How much a column is light, or heavy, in the gap after g. *)
    Let light (g r : nat) : R := x (g, r) - a * x (S g, r).
    Let heavy (g r : nat) : R := x (S g, r) - a * x (g, r).

    Lemma positive_column i r : (i <= n)%nat -> (r <= n)%nat -> 0 < x (i, r) -> forall h, (h <= n)%nat -> 0 < x (h, r).
    Proof.
      destruct Good as [[_ [_ Near]] _]. intros I Hr P.
      assert (Up : forall d, (i + d <= n)%nat -> 0 < x ((i + d)%nat, r)).
      { induction d as [| d IH]; intros L; [rewrite Nat.add_0_r; exact P |]. specialize (IH ltac:(lia)).
        destruct (Near (i + d)%nat r ltac:(lia) Hr) as [U _]. replace (i + S d)%nat with (S (i + d)) by lia.
        assert (0 < a * x ((i + d)%nat, r)) by (apply Rmult_lt_0_compat; lra). lra. }
      assert (Down : forall d, (d <= i)%nat -> 0 < x ((i - d)%nat, r)).
      { induction d as [| d IH]; intros L; [rewrite Nat.sub_0_r; exact P |]. specialize (IH ltac:(lia)).
        destruct (Near (i - S d)%nat r ltac:(lia) Hr) as [_ D]. replace (S (i - S d)) with (i - d)%nat in D by lia.
        assert (0 < a * x ((i - d)%nat, r)) by (apply Rmult_lt_0_compat; lra). lra. }
      intros h L. destruct (le_lt_dec i h) as [K | K].
      - replace h with (i + (h - i))%nat by lia. apply Up. lia.
      - replace h with (i - (i - h))%nat by lia. apply Down. lia.
    Qed.

    Lemma no_gain (H : nat -> bool) s t delta top : (s <= n)%nat -> (t <= n)%nat -> s <> t -> 0 < delta <= 1 ->
      (forall h, (h <= n)%nat -> H h = true -> (apart h t <= apart h s)%nat) ->
      (forall g, (g < n)%nat ->
        (H g = true -> H (S g) = false ->
          a * x (S g, s) <= (1 - delta) * x (g, s) /\ a * (x (g, t) + delta * x (g, s)) <= x (S g, t)) /\
        (H g = false -> H (S g) = true ->
          a * x (g, s) <= (1 - delta) * x (S g, s) /\ a * (x (S g, t) + delta * x (S g, s)) <= x (g, t))) ->
      (top <= n)%nat -> H top = true -> 0 < x (top, s) -> (apart top t < apart top s)%nat -> False.
    Proof.
      intros Hs Ht N D Near Border Top HT P Strict. destruct Good as [X Better].
      set (y := moved_mass x H s t delta).
      assert (Y : no_worse y).
      { split; [apply moved_private; auto; lra |]. intros i d I. eapply Rle_trans; [apply (Better i d I) |].
        apply moved_within; auto; lra. }
      specialize (Least y Y). unfold errors in Least.
      assert (L : total counts (fun i => total counts (fun r => INR (apart i r) * y (i, r))) <
        total counts (fun i => total counts (fun r => INR (apart i r) * x (i, r)))); [| exact (Rlt_not_le _ _ L Least)].
      assert (Row := fun i I => moved_errors x H s t delta X Hs Ht N (conj (Rlt_le _ _ (proj1 D)) (proj2 D)) Near i I).
      destruct (Row top Top) as [_ Less]. specialize (Less HT ltac:(apply Rmult_lt_0_compat; lra) Strict).
      unfold counts at 1 3. replace (S n) with (top + S (n - top))%nat by lia. rewrite seq_app, !total_app.
      change (seq (0 + top) (S (n - top))) with (top :: seq (S top) (n - top)). cbn [total].
      assert (A : total (seq 0 top) (fun i => total counts (fun r => INR (apart i r) * y (i, r))) <=
        total (seq 0 top) (fun i => total counts (fun r => INR (apart i r) * x (i, r)))).
      { apply total_le. intros i I. apply in_seq in I. apply Row. lia. }
      assert (B : total (seq (S top) (n - top)) (fun i => total counts (fun r => INR (apart i r) * y (i, r))) <=
        total (seq (S top) (n - top)) (fun i => total counts (fun r => INR (apart i r) * x (i, r)))).
      { apply total_le. intros i I. apply in_seq in I. apply Row. lia. }
      fold y in Less. lra.
    Qed.

    Lemma separated g j k : (g < n)%nat -> (j < k)%nat -> (k <= n)%nat -> 0 < light g k -> 0 < heavy g j -> False.
    Proof.
      intros G J K L V. destruct Good as [[Pos [_ Near]] _]. unfold light in L. unfold heavy in V.
      set (least := Rmin (x (g, k) - a * x (S g, k)) (x (S g, j) - a * x (g, j))).
      assert (M : 0 < least) by (apply Rmin_pos; assumption).
      assert (M1 : least <= x (g, k) - a * x (S g, k)) by apply Rmin_l.
      assert (M2 : least <= x (S g, j) - a * x (g, j)) by apply Rmin_r.
      assert (P1 := Pos (S g) k ltac:(lia) K). assert (P2 := Pos g j ltac:(lia) ltac:(lia)).
      assert (Q1 : 0 <= a * x (S g, k)) by (apply Rmult_le_pos; lra).
      assert (Q2 : 0 <= a * x (g, j)) by (apply Rmult_le_pos; lra).
      assert (AM : a * least <= least) by nra.
      destruct (le_lt_dec (2 * g) (j + k)) as [C | C].
      - assert (Xp : 0 < x (g, k)) by lra. set (delta := least / x (g, k)).
        assert (DX : delta * x (g, k) = least) by (unfold delta; field; lra).
        assert (D : 0 < delta <= 1).
        { split; [apply Rdiv_lt_0_compat; lra |]. apply Rmult_le_reg_r with (x (g, k)); lra. }
        apply (no_gain (fun h => Nat.leb h g) k j delta 0); auto; try lia.
        + intros h Hh Hg. apply Nat.leb_le in Hg. unfold apart. lia.
        + intros g' G'. split; intros H1 H2; [apply Nat.leb_le in H1; apply Nat.leb_gt in H2 |
            apply Nat.leb_gt in H1; apply Nat.leb_le in H2; lia].
          replace g' with g by lia. rewrite DX. split; [lra |]. lra.
        + apply (positive_column g k); auto; lia.
        + unfold apart. lia.
      - assert (Xp : 0 < x (S g, j)) by lra. set (delta := least / x (S g, j)).
        assert (DX : delta * x (S g, j) = least) by (unfold delta; field; lra).
        assert (D : 0 < delta <= 1).
        { split; [apply Rdiv_lt_0_compat; lra |]. apply Rmult_le_reg_r with (x (S g, j)); lra. }
        apply (no_gain (fun h => Nat.leb (S g) h) j k delta n); auto; try lia.
        + intros h Hh Hg. apply Nat.leb_le in Hg. unfold apart. lia.
        + intros g' G'. split; intros H1 H2; [apply Nat.leb_le in H1; apply Nat.leb_gt in H2; lia |
            apply Nat.leb_gt in H1; apply Nat.leb_le in H2].
          replace g' with g by lia. rewrite DX. split; [lra |]. lra.
        + apply Nat.leb_le. lia.
        + apply (positive_column (S g) j); auto; lia.
        + unfold apart. lia.
    Qed.

    Lemma last_positive (f : nat -> R) m : (exists r, (r <= m)%nat /\ 0 < f r) ->
      exists c, (c <= m)%nat /\ 0 < f c /\ forall r, (c < r <= m)%nat -> f r <= 0.
    Proof.
      induction m as [| m IH]; intros [r [Hr P]].
      - exists r. split; [exact Hr |]. split; [exact P | intros; lia].
      - destruct (Rlt_dec 0 (f (S m))) as [L | L].
        + exists (S m). split; [lia |]. split; [exact L | intros; lia].
        + destruct IH as [c [Hc [Pc Later]]].
          * exists r. split; [| exact P]. destruct (Nat.eq_dec r (S m)) as [-> | N]; [contradiction | lia].
          * exists c. split; [lia |]. split; [exact Pc |]. intros q Q.
            destruct (Nat.eq_dec q (S m)) as [-> | N]; [lra | apply Later; lia].
    Qed.

    (** The column of a gap: left of it none is heavy, right of it none light. *)
    Lemma middle_column g : (g < n)%nat -> exists c, (c <= n)%nat /\
      (forall r, (c < r <= n)%nat -> light g r = 0) /\ (forall r, (r < c)%nat -> heavy g r = 0).
    Proof.
      intros G. destruct Good as [[Pos [Sum Near]] _].
      assert (L0 : forall r, (r <= n)%nat -> 0 <= light g r /\ 0 <= heavy g r).
      { intros r Hr. destruct (Near g r G Hr). unfold light, heavy. lra. }
      destruct (last_positive (light g) n) as [c [Hc [Pc Later]]].
      - apply Classical_Prop.NNPP. intros None.
        assert (S0 : total counts (light g) <= total counts (fun _ => 0)).
        { apply total_le. intros r I. apply in_counts in I. apply Rnot_lt_le. intros L. apply None. exists r. auto. }
        unfold light in S0. rewrite total_minus, total_scal, total_zero, !Sum in S0 by lia. lra.
      - exists c. split; [exact Hc |]. split.
        + intros r Hr. apply Rle_antisym; [apply Later, Hr | apply L0; lia].
        + intros r Hr. apply Rle_antisym; [| apply L0; lia]. apply Rnot_lt_le. intros L.
          apply (separated g r c); auto.
    Qed.

    (** What a column has of the column i of the geometric mechanism, times 1 - a^2. *)
    Definition inner (i r : nat) : R := (1 + a * a) * x (i, r) - a * x ((i - 1)%nat, r) - a * x (S i, r).

    Lemma inner_total i : (1 <= i)%nat -> (i < n)%nat -> total counts (inner i) = (1 - a) * (1 - a).
    Proof.
      intros I I'. destruct Good as [[_ [Sum _]] _]. unfold inner.
      rewrite !total_minus, !total_scal, !Sum by lia. ring.
    Qed.

    Lemma inner_nonneg i r : (1 <= i)%nat -> (i < n)%nat -> (r <= n)%nat -> 0 <= inner i r.
    Proof.
      intros I I' Hr. destruct Good as [[Pos [Sum Near]] _].
      destruct (middle_column (i - 1) ltac:(lia)) as [c [Hc [L1 V1]]]. destruct (middle_column i I') as [d [Hd [L2 V2]]].
      assert (Both : forall q, (q <= n)%nat -> (0 <= light (i - 1) q /\ 0 <= heavy (i - 1) q) /\ 0 <= light i q /\ 0 <= heavy i q).
      { intros q Hq. destruct (Near (i - 1)%nat q ltac:(lia) Hq). destruct (Near i q I' Hq). unfold light, heavy. lra. }
      unfold light, heavy in *. replace (S (i - 1)) with i in * by lia.
      assert (CD : (c <= d)%nat).
      { destruct (le_lt_dec c d) as [L | L]; [exact L | exfalso].
        assert (T : total counts (fun q => (x (i, q) - a * x (S i, q)) + (x (i, q) - a * x ((i - 1)%nat, q))) <=
          total counts (fun q => (1 - a * a) * x (i, q))).
        { apply total_le. intros q Q. apply in_counts in Q. destruct (Both q Q) as [[A B] [A' B']].
          assert (a * (x ((i - 1)%nat, q) - a * x (i, q)) >= 0) by (apply Rle_ge, Rmult_le_pos; lra).
          assert (a * (x (S i, q) - a * x (i, q)) >= 0) by (apply Rle_ge, Rmult_le_pos; lra).
          destruct (le_lt_dec q d) as [Qd | Qd].
          - specialize (V1 q ltac:(lia)). lra.
          - specialize (L2 q ltac:(lia)). lra. }
        rewrite total_plus, !total_minus, !total_scal, !Sum in T by lia. nra. }
      assert (Else : forall q, (q <= n)%nat -> (q < c \/ d < q)%nat -> inner i q = 0).
      { intros q Hq [Q | Q]; unfold inner.
        - assert (A := V1 q Q). assert (B := V2 q ltac:(lia)). nra.
        - assert (A := L1 q ltac:(lia)). assert (B := L2 q ltac:(lia)). nra. }
      destruct (le_lt_dec c r) as [C | C]; [| rewrite Else by lia; lra].
      destruct (le_lt_dec r d) as [D | D]; [| rewrite Else by lia; lra].
      destruct (Both r Hr) as [[A B] [A' B']].
      destruct (Nat.eq_dec c r) as [Ec | Nc]; [destruct (Nat.eq_dec r d) as [Ed | Nd] |].
      - assert (One : total counts (inner i) = inner i r).
        { rewrite <- (total_single Nat.eq_dec counts r (inner i r)) by (apply seq_NoDup || (apply in_counts; exact Hr)).
          apply total_ext. intros q Q. apply in_counts in Q. destruct (Nat.eq_dec r q) as [<- | N]; [reflexivity |].
          apply Else; lia. }
        rewrite <- One, inner_total by assumption. nra.
      - assert (V := V2 r ltac:(lia)). unfold inner. nra.
      - assert (L := L1 r ltac:(lia)). unfold inner. nra.
    Qed.

    (** *** As a mixture *)

    Definition weight (v r : nat) : R :=
      if Nat.eqb v 0 then x (0%nat, r) - a * x (1%nat, r)
      else if Nat.eqb v n then x (n, r) - a * x ((n - 1)%nat, r) else inner v r.

    Lemma weight_nonneg v r : (v <= n)%nat -> (r <= n)%nat -> 0 <= weight v r.
    Proof.
      intros V Hr. destruct Good as [[_ [_ Near]] _]. unfold weight.
      destruct (Nat.eqb_spec v 0) as [_ | N0]; [destruct (Near 0%nat r ltac:(lia) Hr); lra |].
      destruct (Nat.eqb_spec v n) as [_ | Nn].
      - destruct (Near (n - 1)%nat r ltac:(lia) Hr) as [U _]. replace (S (n - 1)) with n in U by lia. lra.
      - apply inner_nonneg; lia.
    Qed.

    Lemma weights_left i r : (i <= n)%nat -> total (seq 0 i) (fun v => a ^ (i - v) * weight v r) =
      if Nat.eqb i 0 then 0 else a * (x ((i - 1)%nat, r) - a * x (i, r)).
    Proof.
      induction i as [| i IH]; intros I; [reflexivity |]. rewrite total_seq_S.
      rewrite (total_ext _ _ (fun v => a * (a ^ (i - v) * weight v r))).
      2:{ intros v J. apply in_seq in J. replace (S i - v)%nat with (S (i - v)) by lia. simpl. ring. }
      rewrite total_scal, IH by lia. replace (S i - i)%nat with 1%nat by lia. replace (S i - 1)%nat with i by lia.
      cbn [Nat.eqb]. rewrite pow_1. unfold weight. destruct (Nat.eqb_spec i 0) as [-> | N0]; [ring |].
      destruct (Nat.eqb_spec i n); [lia |]. unfold inner. ring.
    Qed.

    Lemma weights_right k r : (k < n)%nat -> total (seq (n - k) (S k)) (fun v => a ^ (v - (n - k)) * weight v r) =
      x ((n - k)%nat, r) - a * x ((n - k - 1)%nat, r).
    Proof.
      induction k as [| k IH]; intros K.
      - rewrite Nat.sub_0_r. simpl. rewrite Nat.sub_diag. unfold weight.
        destruct (Nat.eqb_spec n 0); [lia |]. rewrite Nat.eqb_refl. simpl. ring.
      - specialize (IH ltac:(lia)). set (i := (n - S k)%nat) in *. replace (n - k)%nat with (S i) in IH by (unfold i; lia).
        change (seq i (S (S k))) with (i :: seq (S i) (S k)). cbn [total]. rewrite Nat.sub_diag.
        rewrite (total_ext (seq (S i) (S k)) _ (fun v => a * (a ^ (v - S i) * weight v r))).
        2:{ intros v J. apply in_seq in J. replace (v - i)%nat with (S (v - S i)) by lia. simpl. ring. }
        rewrite total_scal, IH. replace (S i - 1)%nat with i by lia. unfold weight.
        destruct (Nat.eqb_spec i 0); [unfold i in *; lia |]. destruct (Nat.eqb_spec i n); [unfold i in *; lia |].
        unfold inner. simpl. ring.
    Qed.

    Lemma mixture i r : (i <= n)%nat -> total counts (fun v => a ^ apart i v * weight v r) = (1 - a * a) * x (i, r).
    Proof.
      intros I. unfold counts. replace (S n) with (i + S (n - i))%nat by lia. rewrite seq_app, total_app.
      rewrite (total_ext (seq 0 i) _ (fun v => a ^ (i - v) * weight v r)).
      2:{ intros v J. apply in_seq in J. unfold apart. replace (i - v + (v - i))%nat with (i - v)%nat by lia. reflexivity. }
      rewrite weights_left by exact I. rewrite (total_ext (seq (0 + i) _) _ (fun v => a ^ (v - i) * weight v r)).
      2:{ intros v J. apply in_seq in J. unfold apart. replace (i - v + (v - i))%nat with (v - i)%nat by lia. reflexivity. }
      destruct (Nat.eqb_spec i 0) as [-> | N0].
      - simpl Nat.add. rewrite Nat.sub_0_r. change (seq 0 (S n)) with (0%nat :: seq 1 n). cbn [total].
        assert (R := weights_right (n - 1) r ltac:(lia)). replace (n - (n - 1))%nat with 1%nat in R by lia.
        replace (S (n - 1)) with n in R by lia.
        rewrite (total_ext (seq 1 n) _ (fun v => a * (a ^ (v - 1) * weight v r))).
        2:{ intros v J. apply in_seq in J. replace (v - 0)%nat with (S (v - 1)) by lia. simpl. ring. }
        rewrite total_scal, R. simpl Nat.sub. unfold weight. simpl. ring.
      - assert (R := weights_right (n - i) r ltac:(lia)). replace (n - (n - i))%nat with i in R by lia.
        rewrite Nat.add_0_l, R. ring.
    Qed.

    Lemma weight_total v : (v <= n)%nat ->
      total counts (weight v) = if (Nat.eqb v 0 || Nat.eqb v n)%bool then 1 - a else (1 - a) * (1 - a).
    Proof.
      intros V. destruct Good as [[_ [Sum _]] _]. unfold weight.
      destruct (Nat.eqb_spec v 0) as [-> | N0]; [| destruct (Nat.eqb_spec v n) as [-> | Nn]]; simpl (_ || _)%bool; cbv iota.
      - rewrite total_minus, total_scal, !Sum by lia. ring.
      - rewrite total_minus, total_scal, !Sum by lia. ring.
      - apply inner_total; lia.
    Qed.

    Definition best_remapping (v : nat) : dist nat :=
      if Nat.leb v n then map (fun r => (weight v r / total counts (weight v), r)) counts else ret 0%nat.

    Lemma proper_remapping v : proper (best_remapping v).
    Proof.
      unfold best_remapping. destruct (Nat.leb_spec v n) as [V | V]; [| apply proper_ret].
      assert (P : 0 < total counts (weight v)).
      { rewrite weight_total by exact V. destruct (_ || _)%bool; [lra | apply Rmult_lt_0_compat; lra]. }
      split.
      - intros wr I. apply in_map_iff in I. destruct I as [r [<- J]]. apply in_counts in J. simpl.
        apply Rmult_le_pos; [apply weight_nonneg; assumption | left; apply Rinv_0_lt_compat, P].
      - unfold mean. rewrite total_map. cbn [fst snd].
        rewrite (total_ext counts _ (fun r => weight v r * / total counts (weight v))) by (intros; unfold Rdiv; ring).
        rewrite total_scal_r. field. lra.
    Qed.

    Lemma remapped_mean i f : (i <= n)%nat ->
      mean (bind (clamped_counts n a i) best_remapping) f = total counts (fun r => x (i, r) * f r).
    Proof.
      intros I. rewrite mean_bind, mean_clamped. fold counts.
      rewrite (total_ext counts _ (fun v => total counts (fun r => a ^ apart i v * weight v r * (f r / (1 - a * a))))).
      - rewrite total_swap. apply total_ext. intros r _. rewrite total_scal_r, mixture by exact I. field. nra.
      - intros v V. apply in_counts in V. unfold best_remapping. rewrite (proj2 (Nat.leb_le v n) V).
        unfold mean. rewrite total_map, <- total_scal. apply total_ext. intros r _. cbn [fst snd].
        rewrite weight_total by exact V. unfold clamped_mass. destruct (_ || _)%bool; field; split; nra.
    Qed.
  End Least.
End Tables.

(** ** Losses *)

Lemma rises (g : nat -> R) m N : (m <= N)%nat ->
  total (seq 0 N) (fun d => (g (S d) - g d) * (if Nat.leb m d then 1 else 0)) = g N - g m.
Proof.
  induction N as [| N IH]; intros L; [replace m with 0%nat by lia; simpl; ring |]. rewrite total_seq_S.
  destruct (Nat.eq_dec m (S N)) as [-> | Less].
  - rewrite (total_ext _ _ (fun _ => 0)), total_zero.
    + rewrite (proj2 (Nat.leb_gt (S N) N)) by lia. ring.
    + intros d I. apply in_seq in I. rewrite (proj2 (Nat.leb_gt (S N) d)) by lia. ring.
  - rewrite IH by lia. rewrite (proj2 (Nat.leb_le m N)) by lia. ring.
Qed.

(** The expected loss, by the distribution of the error. *)
Lemma loss_by_errors (n : nat) (x : nat * nat -> R) i loss : (i <= n)%nat -> grows (Z.of_nat i) loss ->
  let g d := loss (Z.of_nat (i + d)) in
  total (seq 0 (S n)) (fun r => x (i, r) * loss (Z.of_nat r)) =
  g n * total (seq 0 (S n)) (fun r => x (i, r)) - total (seq 0 n) (fun d => (g (S d) - g d) * within n x i d).
Proof.
  intros I G g. unfold within.
  rewrite (total_ext (seq 0 n) _ (fun d => total (seq 0 (S n)) (fun r =>
    x (i, r) * ((g (S d) - g d) * (if Nat.leb (apart i r) d then 1 else 0))))).
  2:{ intros d _. rewrite <- total_scal. apply total_ext. intros r _. ring. }
  rewrite total_swap, <- total_scal, <- total_minus. apply total_ext. intros r J. apply in_seq in J.
  rewrite total_scal, rises by (unfold apart; lia).
  replace (loss (Z.of_nat r)) with (g (apart i r)); [ring |].
  unfold g. apply Rle_antisym; apply G; unfold apart; lia.
Qed.

Theorem geometric_optimal (n : nat) (M : nat -> dist Z) (eps : R) :
  (1 <= n)%nat -> 0 < eps -> (forall i, (i <= n)%nat -> proper (M i)) -> count_dp n M eps ->
  exists K : nat -> dist Z, (forall v, proper (K v)) /\
  forall i loss, (i <= n)%nat -> grows (Z.of_nat i) loss ->
  mean (bind (clamped_counts n (exp (- eps)) i) K) loss <= mean (M i) loss.
Proof.
  intros Hn He P D. set (a := exp (- eps)). assert (Ha : 0 < a < 1) by apply (ratio_of_eps eps He).
  set (x0 := fun ir : nat * nat => Pr (M (fst ir)) (fun v => Nat.eqb (clamp n v) (snd ir))).
  assert (X0 : private_table n a x0).
  { split; [| split].
    - intros i r I _. apply Pr_bounds, P, I.
    - intros i I. apply (table_sum n M P i I).
    - intros i r I _. apply (table_private n M eps D i r I). }
  destruct (least_errors n a Hn Ha x0 X0) as [p [Good Least]].
  exists (fun v => dmap Z.of_nat (best_remapping n a p v)).
  split; [intros v; apply proper_dmap, (proper_remapping n a Hn Ha x0 p Good Least) |]. intros i loss I G.
  rewrite mean_bind, (mean_ext _ _ (fun v => mean (best_remapping n a p v) (fun r => loss (Z.of_nat r)))) by
    (intros v; apply mean_dmap).
  rewrite <- (mean_bind _ (best_remapping n a p)), (remapped_mean n a Hn Ha x0 p Good) by exact I.
  eapply Rle_trans; [| apply (table_loss n M P i loss I G)]. destruct Good as [[_ [Sum _]] Better].
  change (total (seq 0 (S n)) (fun r => p (i, r) * loss (Z.of_nat r)) <=
    total (seq 0 (S n)) (fun r => x0 (i, r) * loss (Z.of_nat r))).
  rewrite !loss_by_errors by assumption. rewrite (Sum i I), (proj1 (proj2 X0) i I).
  apply Rplus_le_compat_l, Ropp_le_contravar, total_le. intros d _.
  apply Rmult_le_compat_l; [| apply Better, I].
  assert (loss (Z.of_nat (i + d)) <= loss (Z.of_nat (i + S d))) by (apply G; lia). lra.
Qed.

(** ** One prior and one loss *)

(** The expected loss under a prior that need not sum to 1. *)
Definition expected_loss (n : nat) (prior loss : nat -> R) (M : nat -> dist Z) : R :=
  total (seq 0 (S n)) (fun i => prior i * mean (M i) (fun r => loss (Z.abs_nat (r - Z.of_nat i)))).

(** The mechanism with its output r replaced. *)
Definition geometric_remapped (n : nat) (a : R) (remapping : list nat) (i : nat) : dist Z :=
  dmap (fun r => Z.of_nat (nth r remapping 0%nat)) (clamped_counts n a i).

Fixpoint least_place (f : nat -> R) (n : nat) : nat :=
  match n with
  | O => 0%nat
  | S m => if Rle_lt_dec (f (least_place f m)) (f n) then least_place f m else n
  end.

Lemma least_place_least f n r : (r <= n)%nat -> f (least_place f n) <= f r.
Proof.
  induction n as [| n IH]; intros H; [replace r with 0%nat by lia; apply Rle_refl |]. simpl.
  destruct (Nat.eq_dec r (S n)) as [-> | N]; [destruct (Rle_lt_dec _ _); lra |].
  specialize (IH ltac:(lia)). destruct (Rle_lt_dec _ _); lra.
Qed.

Theorem geometric_remapping (n : nat) (eps : R) (prior loss : nat -> R) :
  (1 <= n)%nat -> 0 < eps -> (forall i, 0 <= prior i) -> (forall d e, (d <= e)%nat -> loss d <= loss e) ->
  exists remapping : list nat, forall M : nat -> dist Z,
  (forall i, (i <= n)%nat -> proper (M i)) -> count_dp n M eps ->
  expected_loss n prior loss (geometric_remapped n (exp (- eps)) remapping) <= expected_loss n prior loss M.
Proof.
  intros Hn He Pp Grow. assert (Ha := ratio_of_eps eps He). set (a := exp (- eps)) in *.
  (* of the answer v where the noisy count is r *)
  set (cost r v := total (seq 0 (S n)) (fun i => prior i * clamped_mass n a i r * loss (Z.abs_nat (v - Z.of_nat i)))).
  set (best r := least_place (fun s => cost r (Z.of_nat s)) n).
  assert (Best : forall r v, cost r (Z.of_nat (best r)) <= cost r v).
  { intros r v. apply Rle_trans with (cost r (Z.of_nat (clamp n v))).
    - apply (least_place_least (fun s => cost r (Z.of_nat s))). unfold clamp. lia.
    - apply total_le. intros i I. apply in_seq in I. apply Rmult_le_compat_l; [| apply Grow; unfold clamp; lia].
      apply Rmult_le_pos; [apply Pp |]. apply Rle_mult_inv_pos; [| lra].
      apply Rmult_le_pos; [apply pow_le; lra | destruct (_ || _)%bool; lra]. }
  assert (Swapped : forall f : nat -> nat -> R,
    total (seq 0 (S n)) (fun i => prior i * mean (clamped_counts n a i) (f i)) =
    total (seq 0 (S n)) (fun r => total (seq 0 (S n)) (fun i => prior i * clamped_mass n a i r * f i r))).
  { intros f. rewrite total_swap. apply total_ext. intros i _. rewrite mean_clamped, <- total_scal. apply total_ext.
    intros r _. ring. }
  exists (map best (seq 0 (S n))). intros M P D. destruct (geometric_optimal n M eps Hn He P D) as [K [PK Opt]].
  fold a in Opt. apply Rle_trans with (expected_loss n prior loss (fun i => bind (clamped_counts n a i) K)).
  - unfold expected_loss, geometric_remapped.
    rewrite (total_ext _ _ (fun i => prior i * mean (clamped_counts n a i)
      (fun r => loss (Z.abs_nat (Z.of_nat (nth r (map best (seq 0 (S n))) 0%nat) - Z.of_nat i)))))
      by (intros i _; rewrite mean_dmap; reflexivity).
    rewrite (total_ext _ (fun i => prior i * mean (bind _ _) _) (fun i => prior i * mean (clamped_counts n a i)
      (fun r => mean (K r) (fun v => loss (Z.abs_nat (v - Z.of_nat i)))))) by (intros i _; rewrite mean_bind; reflexivity).
    rewrite !Swapped. apply total_le. intros r I. apply in_seq in I.
    rewrite (nth_indep _ 0%nat (best 0%nat)) by (rewrite map_length, seq_length; lia).
    rewrite map_nth, seq_nth by lia. fold (cost r (Z.of_nat (best (0 + r)%nat))). rewrite Nat.add_0_l.
    rewrite (total_ext _ _ (fun i => mean (K r) (fun v => prior i * clamped_mass n a i r *
      loss (Z.abs_nat (v - Z.of_nat i))))) by (intros i _; rewrite mean_scal; reflexivity).
    rewrite total_mean, <- (mean_const (K r) (cost r (Z.of_nat (best r))) (PK r)).
    apply mean_le; [apply PK | intros v; apply Best].
  - apply total_le. intros i I. apply in_seq in I. apply Rmult_le_compat_l; [apply Pp |].
    apply Opt; [lia |]. intros r s L. apply Grow. lia.
Qed.
