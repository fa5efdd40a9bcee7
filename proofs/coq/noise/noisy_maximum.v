(** The largest of noisy scores is private: report noisy max.

    Of k >= 1 candidates the one with the largest noisy score is named, the first of these where there are several; the
    noise of each score is drawn independently from a law D on the integers, and [noisy D f] is the law of all noisy
    scores ([smooth_noise_privacy.v]). Nothing else is shown.

    - [noisy_maximum_private]: if D(z) <= e^(eps/2) D(z + 1) for all z, and a change of one record moves each score by
      at most 1, the name is (eps, 0)-DP, for every eps and every number of candidates;
    - [one_sided_ratio], [two_sided_ratio]: one-sided and two-sided geometric noise of ratio a = e^(-eps/2) are such
      laws.

    Proof. Take noisy scores v of the first data set, of which the candidate i has the largest. Leave the noise of the
    others as it is and add 2 to that of i: with the scores of the second data set, too, i has the largest noisy score
    and is the first who has it, as each lead changes by at most 2. These new noisy scores are at least e^-eps times as
    likely as v. No two v lead to the same: their largest entry tells i, and the rest is a shift. So the probability of
    any set of names under the first data set is at most e^eps times that under the second.
    Source: Dwork and Roth 2014, claim 3.9 (two-sided noise); this proof is this package's. *)

From Coq Require Import Reals List Bool ZArith Lra Lia Classical_Pred_Type.
From Exactdp Require Import reals sums masses infinite_sums smooth_noise_privacy geometric_noise geometric_moments.
From Exactdp Require Import noise_on_naturals.
Import ListNotations.
Open Scope R_scope.

(** ** The name *)

(** The place of the first of the largest entries. *)
Fixpoint first_largest (v : list Z) : nat :=
  match v with
  | [] => 0
  | b :: rest => if forallb (fun c => Z.leb c b) rest then 0 else S (first_largest rest)
  end.

(** The place i has the largest entry and none before it has. *)
Definition leads (v : list Z) (i : nat) : Prop :=
  (i < length v)%nat /\ forall j, (j < length v)%nat ->
  (nth j v 0 <= nth i v 0)%Z /\ ((j < i)%nat -> (nth j v 0 < nth i v 0)%Z).

Lemma first_largest_leads v : v <> [] -> leads v (first_largest v).
Proof.
  induction v as [| b v IH]; intros H; [congruence |]. simpl. destruct (forallb (fun c => Z.leb c b) v) eqn:F.
  - split; [simpl; lia |]. intros [| j] Hj; cbn [nth]; [split; intros; lia |]. rewrite forallb_forall in F. simpl in Hj.
    specialize (F (nth j v 0%Z) (@nth_In _ j v 0%Z ltac:(lia))). apply Z.leb_le in F. split; [exact F | intros; lia].
  - destruct v as [| c v]; [discriminate |]. destruct IH as [L M]; [discriminate |]. split; [simpl in *; lia |].
    set (w := c :: v) in *. set (i := first_largest w) in *. change (nth (S i) (b :: w) 0%Z) with (nth i w 0%Z).
    intros [| j] Hj.
    + assert (E : exists d, In d w /\ (b < d)%Z).
      { apply not_all_not_ex. intros N. apply diff_true_false. rewrite <- F. symmetry. apply forallb_forall.
        intros d I. apply Z.leb_le. destruct (Z_le_gt_dec d b) as [G | G]; [exact G |].
        exfalso. apply (N d). split; [exact I | lia]. }
      destruct E as [d [I D]]. apply (In_nth _ _ 0%Z) in I. destruct I as [j [Hj' E]]. specialize (M j Hj').
      change (nth 0 (b :: w) 0%Z) with b. split; intros; lia.
    + change (nth (S j) (b :: w) 0%Z) with (nth j w 0%Z). specialize (M j ltac:(simpl in *; lia)).
      split; intros; lia.
Qed.

Lemma leads_unique v i j : leads v i -> leads v j -> i = j.
Proof.
  intros [Hi A] [Hj B]. specialize (A j Hj). specialize (B i Hi).
  destruct (Nat.lt_trichotomy i j) as [L | [L | L]]; lia.
Qed.

(** ** The other data set *)

(** The noise of f + v on g, and 2 more at the place i. *)
Fixpoint shifted_scores (f g v : list Z) : list Z :=
  match f, g, v with
  | a :: f, b :: g, c :: v => (c - a + b)%Z :: shifted_scores f g v
  | _, _, _ => []
  end.

Fixpoint raised (f g v : list Z) (i : nat) : list Z :=
  match f, g, v, i with
  | a :: f, b :: g, c :: v, O => (c - a + b + 2)%Z :: shifted_scores f g v
  | a :: f, b :: g, c :: v, S i => (c - a + b)%Z :: raised f g v i
  | _, _, _, _ => []
  end.

Lemma noisy_shifted D f g v : length f = length g -> length v = length f ->
  noisy D g (shifted_scores f g v) = noisy D f v.
Proof.
  revert g v. induction f as [| a f IH]; intros [| b g] [| c v] L M; try discriminate; [reflexivity |].
  simpl in *. rewrite IH by lia. f_equal. f_equal. ring.
Qed.

Lemma noisy_raised D E f g v i : (forall z, 0 <= D z) -> (forall z, D z <= E * D (z + 2)%Z) ->
  length f = length g -> length v = length f -> (i < length f)%nat ->
  noisy D f v <= E * noisy D g (raised f g v i).
Proof.
  intros P H. assert (Q : forall f v, 0 <= noisy D f v).
  { intros f'. induction f' as [| a f' IH]; intros [| c v']; simpl; try lra. apply Rmult_le_pos; [apply P | apply IH]. }
  revert g v i. induction f as [| a f IH]; intros [| b g] [| c v] i L M I; simpl in *; try lia.
  destruct i as [| i]; cbn [noisy].
  - rewrite noisy_shifted by lia. replace (c - a + b + 2 - b)%Z with (c - a + 2)%Z by ring.
    rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply Q | apply H].
  - replace (c - a + b - b)%Z with (c - a)%Z by ring.
    assert (X := IH g v i ltac:(lia) ltac:(lia) ltac:(lia)).
    apply (Rmult_le_compat_l (D (c - a)%Z)) in X; [lra | apply P].
Qed.

Lemma shifted_at f g v j : length f = length g -> length v = length f -> (j < length f)%nat ->
  nth j (shifted_scores f g v) 0%Z = (nth j v 0 - nth j f 0 + nth j g 0)%Z.
Proof.
  revert g v j. induction f as [| a f IH]; intros [| b g] [| c v] j L M J; simpl in *; try lia.
  destruct j as [| j]; [reflexivity | apply IH; lia].
Qed.

Lemma raised_at f g v i j : length f = length g -> length v = length f -> (i < length f)%nat -> (j < length f)%nat ->
  nth j (raised f g v i) 0%Z = (nth j v 0 - nth j f 0 + nth j g 0 + if Nat.eq_dec j i then 2 else 0)%Z.
Proof.
  revert g v i j. induction f as [| a f IH]; intros [| b g] [| c v] i j L M I J; simpl in *; try lia.
  destruct i as [| i], j as [| j]; cbn [nth].
  - reflexivity.
  - rewrite shifted_at by lia. destruct (Nat.eq_dec _ _); lia.
  - destruct (Nat.eq_dec _ _); lia.
  - rewrite IH by lia. destruct (Nat.eq_dec j i), (Nat.eq_dec (S j) (S i)); lia.
Qed.

Lemma shifted_length f g v : length f = length g -> length v = length f -> length (shifted_scores f g v) = length f.
Proof.
  revert g v. induction f as [| a f IH]; intros [| b g] [| c v] L M; simpl in *; try lia. rewrite IH; lia.
Qed.

Lemma raised_length f g v i : length f = length g -> length v = length f -> (i < length f)%nat ->
  length (raised f g v i) = length f.
Proof.
  revert g v i. induction f as [| a f IH]; intros [| b g] [| c v] i L M I; simpl in *; try lia.
  destruct i as [| i]; simpl; [rewrite shifted_length | rewrite IH]; lia.
Qed.

(** Scores of which none is more than 1 from that of the other data set. *)
Definition one_apart (f g : list Z) : Prop :=
  length f = length g /\ forall j, (j < length f)%nat -> (Z.abs (nth j f 0 - nth j g 0) <= 1)%Z.

Lemma raised_leads f g v i : one_apart f g -> length v = length f -> leads v i -> leads (raised f g v i) i.
Proof.
  intros [L N] M [I H]. assert (R := raised_length f g v i L M ltac:(lia)). split; [lia |].
  intros j J. rewrite !raised_at by lia. specialize (H j ltac:(lia)).
  assert (Ni := N i ltac:(lia)). assert (Nj := N j ltac:(lia)).
  destruct (Nat.eq_dec i i) as [_ | X]; [| congruence]. destruct (Nat.eq_dec j i) as [-> | _]; lia.
Qed.

Definition carried (f g v : list Z) : list Z := raised f g v (first_largest v).

Lemma carried_name f g v : f <> [] -> one_apart f g -> length v = length f ->
  first_largest (carried f g v) = first_largest v.
Proof.
  intros NE H M. assert (V : v <> []) by (destruct v, f; simpl in *; congruence).
  assert (A := raised_leads f g v _ H M (first_largest_leads v V)). apply (leads_unique (carried f g v)); [| exact A].
  apply first_largest_leads. intros E. destruct A as [A _]. fold (carried f g v) in A. rewrite E in A. simpl in A. lia.
Qed.

Lemma carried_once f g v w : f <> [] -> one_apart f g -> length v = length f -> length w = length f ->
  carried f g v = carried f g w -> v = w.
Proof.
  intros NE H Mv Mw E. assert (I : first_largest v = first_largest w).
  { rewrite <- (carried_name f g v NE H Mv), E. apply (carried_name f g w NE H Mw). }
  assert (Vv : (first_largest v < length v)%nat) by (apply first_largest_leads; destruct v, f; simpl in *; congruence).
  destruct H as [L _]. apply (nth_ext v w 0%Z 0%Z); [lia |]. intros j J.
  assert (A := raised_at f g v (first_largest v) j L Mv ltac:(lia) ltac:(lia)).
  assert (B := raised_at f g w (first_largest w) j L Mw ltac:(lia) ltac:(lia)).
  fold (carried f g v) in A. fold (carried f g w) in B. rewrite <- E, A, I in B. lia.
Qed.

Lemma images_once {A B} (h : A -> B) (l : list A) :
  (forall a b, In a l -> In b l -> h a = h b -> a = b) -> NoDup l -> NoDup (map h l).
Proof.
  intros Inj N. induction N as [| a l Ha N IH]; simpl; constructor.
  - intros I. apply in_map_iff in I. destruct I as [b [E I]]. apply Ha.
    rewrite (Inj a b (or_introl eq_refl) (or_intror I) (eq_sym E)). exact I.
  - apply IH. intros b c Ib Ic. apply Inj; right; assumption.
Qed.

Lemma noisy_of_length D f v : length v <> length f -> noisy D f v = 0.
Proof.
  revert v. induction f as [| a f IH]; intros [| c v] H; simpl in *; try reflexivity; [congruence |].
  rewrite IH; [ring | lia].
Qed.

Theorem noisy_maximum_private (D : Z -> R) (f g : list Z) (e : R) :
  f <> [] -> one_apart f g -> (forall z, 0 <= D z) -> 0 <= e -> (forall z, D z <= e * D (z + 1)%Z) ->
  forall (T : nat -> Prop) p q,
  mass_of (noisy D f) (fun v => T (first_largest v)) p -> mass_of (noisy D g) (fun v => T (first_largest v)) q ->
  p <= e ^ 2 * q.
Proof.
  intros NE O P He H T p q [_ Lp] [Uq _]. apply Lp. intros s [l [N [I ->]]].
  set (fits := fun v : list Z => Nat.eqb (length v) (length f)). set (kept := filter fits l).
  assert (K : forall v, In v kept -> In v l /\ length v = length f).
  { intros v J. apply filter_In in J. destruct J as [J F]. split; [exact J |]. apply Nat.eqb_eq, F. }
  assert (H2 : forall z, D z <= e ^ 2 * D (z + 2)%Z).
  { intros z. apply Rle_trans with (e * (e * D (z + 1 + 1)%Z)).
    - eapply Rle_trans; [apply H | apply Rmult_le_compat_l; [exact He | apply H]].
    - right. replace (z + 1 + 1)%Z with (z + 2)%Z by ring. ring. }
  apply Rle_trans with (total kept (noisy D f)).
  { right. unfold kept. rewrite total_filter. apply total_ext. intros v _. unfold fits.
    destruct (Nat.eqb_spec (length v) (length f)) as [_ | F]; [reflexivity | apply noisy_of_length, F]. }
  apply Rle_trans with (e ^ 2 * total (map (carried f g) kept) (noisy D g)).
  - rewrite total_map, <- total_scal. apply total_le. intros v J. destruct (K v J) as [_ M].
    apply (noisy_raised D (e ^ 2) f g v); [exact P | exact H2 | apply O | exact M |].
    assert (V : v <> []) by (destruct v, f; simpl in *; congruence).
    destruct (first_largest_leads v V) as [B _]. lia.
  - apply Rmult_le_compat_l; [apply pow2_ge_0 |]. apply Uq. exists (map (carried f g) kept).
    split; [| split; [| reflexivity]].
    + apply images_once; [| apply NoDup_filter, N]. intros v w Jv Jw.
      apply carried_once; [exact NE | exact O | apply K, Jv | apply K, Jw].
    + intros w J. apply in_map_iff in J. destruct J as [v [<- J]]. destruct (K v J) as [J' M].
      rewrite carried_name by assumption. apply I, J'.
Qed.

(** ** Noises *)

(** The one-sided geometric law of geometric_moments.v on all integers: (1 - a) a^z at z >= 0. *)
Definition one_sided_geometric (a : R) : Z -> R := on_naturals (geometric_mass a).

Lemma geometric_mass_nonneg a t : 0 <= a <= 1 -> 0 <= geometric_mass a t.
Proof. intros H. apply Rmult_le_pos; [lra | apply pow_le; lra]. Qed.

Lemma geometric_mass_law a : 0 <= a < 1 -> law (geometric_mass a).
Proof.
  intros H. apply law_sum_of. split; [intros t; apply geometric_mass_nonneg; lra |].
  apply (sum_of_partial _ _ (fun n => a ^ n)).
  - intros t. apply geometric_mass_nonneg. lra.
  - intros n. induction n as [| n IH]; [simpl; ring |]. rewrite total_seq_S, IH. unfold geometric_mass. simpl. ring.
  - intros n. apply pow_le. lra.
  - intros eta Heta. destruct (pow_lt_1_zero a) with (y := eta) as [n Hn]; [rewrite Rabs_right; lra | exact Heta |].
    exists n. specialize (Hn n (le_n n)). rewrite Rabs_right in Hn; [exact Hn |]. apply Rle_ge, pow_le. lra.
Qed.

Lemma one_sided_geometric_law a : 0 <= a < 1 -> law (one_sided_geometric a).
Proof. intros H. apply law_on_naturals, geometric_mass_law, H. Qed.

Lemma one_sided_ratio a z : 0 < a < 1 -> one_sided_geometric a z <= / a * one_sided_geometric a (z + 1)%Z.
Proof.
  intros H. unfold one_sided_geometric, on_naturals.
  assert (P := fun t => geometric_mass_nonneg a t ltac:(lra)). assert (A : 0 < / a) by (apply Rinv_0_lt_compat; lra).
  destruct (Z.ltb_spec z 0) as [L | L], (Z.ltb_spec (z + 1) 0) as [M | M]; try lia.
  - lra.
  - apply Rmult_le_pos; [lra | apply P].
  - unfold geometric_mass. replace (Z.to_nat (z + 1)) with (S (Z.to_nat z)) by lia. simpl. right. field. lra.
Qed.

Lemma two_sided_ratio a z : 0 < a < 1 -> geometric a z <= / a * geometric a (z + 1)%Z.
Proof. intros H. rewrite <- (pow_1 (/ a)). apply geometric_move; [exact H | lia]. Qed.
