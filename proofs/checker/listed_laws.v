(** Listings: aligned with themselves moved, and summed.

    [weight_at l t] is the weight of t in the listing l, the sum of all its entries at t. [lists l T w]: the entries
    ascend, none is negative, T > 0, and the weight of every t is T w t. Then

    - [listed_measured], [listed_located]: the pairs of [align j l l] are those of Y and Y + j, in both orders, for
      every integer j;
    - [convolve_at]: the weight of t in [convolve l m] is the sum over the entries (k, x) of l of x times the weight of
      t - k in m, for any two lists.

    Source: docs/certificates.md. *)

From Coq Require Import ZArith Reals List Lra Lia Bool.
From Exactdp Require Import sums masses hockey_stick shifts.
From ExactdpChecker Require Import exact_program aligned_pairs.
Import ListNotations.
Open Scope Z_scope.

Fixpoint weight_at (l : listing) (t : Z) : Z :=
  match l with
  | [] => 0
  | (u, x) :: rest => (if u =? t then x else 0) + weight_at rest t
  end.

(** All entries lie above k, ascending, none negative. *)
Lemma ascends_from_in k l : ascends_from k l = true -> forall t, In t (map fst l) -> k < t.
Proof.
  revert k. induction l as [| [u x] l IH]; intros k H t I; [destruct I |]. simpl in H.
  apply andb_true_iff in H. destruct H as [H A]. apply andb_true_iff in H. destruct H as [L _]. apply Z.ltb_lt in L.
  simpl in I. destruct I as [<- | I]; [exact L |]. specialize (IH u A t I). lia.
Qed.

Lemma weight_outside l t : ~ In t (map fst l) -> weight_at l t = 0.
Proof.
  induction l as [| [u x] l IH]; intros H; simpl in *; [reflexivity |].
  destruct (Z.eqb_spec u t); [tauto |]. rewrite IH by tauto. reflexivity.
Qed.

Lemma weight_at_nonneg l t : ascends l = true -> 0 <= weight_at l t.
Proof.
  assert (F : forall l k, ascends_from k l = true -> 0 <= weight_at l t).
  { clear l. induction l as [| [u x] l IH]; intros k H; simpl in *; [lia |].
    apply andb_true_iff in H. destruct H as [H A]. apply andb_true_iff in H. destruct H as [_ X]. apply Z.leb_le in X.
    specialize (IH u A). destruct (u =? t); lia. }
  destruct l as [| [u x] l]; simpl; intros H; [lia |]. apply andb_true_iff in H. destruct H as [X A].
  apply Z.leb_le in X. specialize (F l u A). destruct (u =? t); lia.
Qed.

Lemma ascends_tail u x l : ascends ((u, x) :: l) = true -> ascends l = true /\ forall t, In t (map fst l) -> u < t.
Proof.
  simpl. intros H. apply andb_true_iff in H. destruct H as [_ H]. split; [| apply ascends_from_in, H].
  destruct l as [| [v y] l]; [reflexivity |]. simpl in *. apply andb_true_iff in H. destruct H as [H A].
  apply andb_true_iff in H. destruct H as [_ Y]. rewrite Y. exact A.
Qed.

Lemma weight_first u x l : ascends ((u, x) :: l) = true -> weight_at ((u, x) :: l) u = x.
Proof.
  intros H. destruct (ascends_tail u x l H) as [_ L]. simpl. rewrite Z.eqb_refl, weight_outside; [lia |].
  intros I. specialize (L u I). lia.
Qed.

Lemma weight_later u x l t : t <> u -> weight_at ((u, x) :: l) t = weight_at l t.
Proof. intros N. simpl. destruct (Z.eqb_spec u t); [congruence | reflexivity]. Qed.

(** ** Aligned *)

Definition aligned (j : Z) (l m : listing) (seen result : list (Z * Z)) : Prop :=
  exists ks, NoDup ks /\ result = map (fun t => (weight_at l t, weight_at m (t - j))) ks ++ seen /\
    forall t, In t ks <-> In t (map fst l) \/ In (t - j) (map fst m).

(** One more outcome before all others. *)
Lemma aligned_more j l m l' m' t x y seen result :
  aligned j l' m' ((x, y) :: seen) result ->
  (forall k, In k (map fst l') \/ In (k - j) (map fst m') -> t < k) ->
  (forall k, k <> t -> weight_at l k = weight_at l' k /\ weight_at m (k - j) = weight_at m' (k - j)) ->
  weight_at l t = x -> weight_at m (t - j) = y ->
  (forall k, In k (map fst l) \/ In (k - j) (map fst m) <-> k = t \/ In k (map fst l') \/ In (k - j) (map fst m')) ->
  aligned j l m seen result.
Proof.
  intros [ks [N [E I]]] Above Same X Y Keys. exists (ks ++ [t]). split; [| split].
  - apply NoDup_rev in N. rewrite <- (rev_involutive (ks ++ [t])). apply NoDup_rev. rewrite rev_app_distr. simpl.
    constructor; [| exact N]. intros J. apply in_rev, I, Above in J. lia.
  - rewrite E, map_app. simpl. rewrite <- app_assoc, X, Y. simpl. f_equal. apply map_ext_in. intros k J.
    apply I, Above in J. destruct (Same k ltac:(lia)) as [-> ->]. reflexivity.
  - intros k. rewrite in_app_iff, I, Keys. simpl. intuition congruence.
Qed.

Lemma align_first_empty j m : ascends m = true -> forall seen, aligned j [] m seen (align j [] m seen).
Proof.
  induction m as [| [u y] m IH]; intros Am seen.
  - exists []. split; [constructor | split; [reflexivity | simpl; tauto]].
  - destruct (ascends_tail u y m Am) as [Am' Lm].
    change (align j [] ((u, y) :: m) seen) with (align j [] m ((0, y) :: seen)).
    apply (aligned_more j _ _ [] m (u + j) 0 y); [apply IH, Am' | | | reflexivity | |].
    + intros k [[] | I]. apply Lm in I. lia.
    + intros k N. split; [reflexivity | apply weight_later; lia].
    + replace (u + j - j) with u by lia. apply weight_first, Am.
    + intros k. simpl. split; [intros [[] | [E | I]] | intros [E | [[] | I]]]; auto; [left | right; left]; lia.
Qed.

Lemma align_aligned j l : ascends l = true -> forall m, ascends m = true -> forall seen,
  aligned j l m seen (align j l m seen).
Proof.
  induction l as [| [t x] l IHl]; intros Al; [intros m Am; apply align_first_empty, Am |].
  destruct (ascends_tail t x l Al) as [Al' Ll].
  induction m as [| [u y] m IHm]; intros Am seen.
  - change (align j ((t, x) :: l) [] seen) with (align j l [] ((x, 0) :: seen)).
    apply (aligned_more j _ _ l [] t x 0);
      [apply IHl; [exact Al' | reflexivity] | | | apply weight_first, Al | reflexivity |].
    + intros k [I | []]. apply Ll, I.
    + intros k N. split; [apply weight_later, N | reflexivity].
    + intros k. simpl. intuition congruence.
  - destruct (ascends_tail u y m Am) as [Am' Lm].
    change (align j ((t, x) :: l) ((u, y) :: m) seen) with
      (match t ?= u + j with
       | Lt => align j l ((u, y) :: m) ((x, 0) :: seen)
       | Gt => align j ((t, x) :: l) m ((0, y) :: seen)
       | Eq => align j l m ((x, y) :: seen)
       end).
    assert (Below : forall k, In k (map fst m) -> u < k) by exact Lm.
    destruct (Z.compare_spec t (u + j)) as [C | C | C].
    + apply (aligned_more j _ _ l m t x y); [apply IHl; assumption | | | apply weight_first, Al | |].
      * intros k [I | I]; [apply Ll, I | apply Lm in I; lia].
      * intros k N. split; apply weight_later; lia.
      * replace (t - j) with u by lia. apply weight_first, Am.
      * intros k. simpl. assert (k = t <-> u = k - j) by lia. assert (t = k <-> k = t) by lia. tauto.
    + apply (aligned_more j _ _ l ((u, y) :: m) t x 0); [apply IHl; assumption | | | apply weight_first, Al | |].
      * intros k [I | [I | I]]; [apply Ll, I | simpl in I; lia | apply Lm in I; lia].
      * intros k N. split; [apply weight_later, N | reflexivity].
      * apply weight_outside. simpl. intros [I | I]; [lia | apply Lm in I; lia].
      * intros k. simpl. assert (t = k <-> k = t) by lia. tauto.
    + apply (aligned_more j _ _ ((t, x) :: l) m (u + j) 0 y); [apply IHm; assumption | | | | |].
      * intros k [[I | I] | I]; [simpl in I; lia | apply Ll in I; lia | apply Lm in I; lia].
      * intros k N. split; [reflexivity | apply weight_later; lia].
      * apply weight_outside. simpl. intros [I | I]; [lia | apply Ll in I; lia].
      * replace (u + j - j) with u by lia. apply weight_first, Am.
      * intros k. simpl. assert (u = k - j <-> k = u + j) by lia. tauto.
Qed.

(** ** The law against itself moved *)

Definition lists (l : listing) (T : Z) (w : Z -> R) : Prop :=
  ascends l = true /\ 0 < T /\ forall t, IZR (weight_at l t) = (IZR T * w t)%R.

Section listed.

Variables (l : listing) (T : Z) (w : Z -> R).
Hypothesis listed : lists l T w.

Lemma listed_T : (0 < IZR T)%R.
Proof. apply (IZR_lt 0), listed. Qed.

Lemma listed_nonneg t : (0 <= w t)%R.
Proof.
  destruct listed as [A [_ W]]. assert (H := listed_T). specialize (W t).
  assert (X := IZR_le _ _ (weight_at_nonneg l t A)). rewrite W in X.
  apply Rmult_le_reg_l with (IZR T); [exact H |]. lra.
Qed.

Lemma listed_zero t : ~ In t (map fst l) -> w t = 0%R.
Proof.
  destruct listed as [_ [_ W]]. intros I. specialize (W t). rewrite weight_outside in W by exact I.
  assert (H := listed_T). symmetry in W. apply Rmult_integral in W. destruct W; [lra | assumption].
Qed.

(** The outcomes of the pairs. *)
Lemma listed_pairs j : exists ks, NoDup ks /\
  align j l l [] = map (fun t => (weight_at l t, weight_at l (t - j))) ks /\
  (forall t, ~ In t ks -> w t = 0%R /\ shifted w j t = 0%R).
Proof.
  destruct listed as [A _]. destruct (align_aligned j l A l A []) as [ks [N [E I]]]. exists ks.
  split; [exact N |]. split; [rewrite E, app_nil_r; reflexivity |]. intros t O.
  split; apply listed_zero; intros J; apply O, I; auto.
Qed.

Lemma listed_measured j forward :
  measured (ordered forward (align j l l [])) T
    (if forward then w else shifted w j) (if forward then shifted w j else w) /\
  located (ordered forward (align j l l [])) T
    (if forward then w else shifted w j) (if forward then shifted w j else w).
Proof.
  destruct (listed_pairs j) as [ks [N [-> Out]]]. destruct listed as [_ [HT W]].
  assert (P := listed_nonneg). assert (P' : forall t, (0 <= shifted w j t)%R) by (intros t; apply P).
  assert (Z : forall t, ~ In t ks -> w t = 0%R) by (intros t I; apply Out, I).
  assert (Z' : forall t, ~ In t ks -> shifted w j t = 0%R) by (intros t I; apply Out, I).
  assert (W' : forall t, IZR (weight_at l (t - j)) = (IZR T * shifted w j t)%R) by (intros t; apply W).
  unfold ordered. destruct forward.
  - split; [apply (measured_on Z.eq_dec) | apply (located_on Z.eq_dec)]; auto.
  - rewrite swap_map. split; [apply (measured_on Z.eq_dec) | apply (located_on Z.eq_dec)]; auto.
Qed.

(** ** Probabilities *)

Lemma sum_inside_real D (L : listing) sum :
  IZR (sum_inside D L sum) = (IZR sum + total L (fun tx => if D (fst tx) then IZR (snd tx) else 0))%R.
Proof.
  revert sum. induction L as [| [t x] L IH]; intros sum; simpl; [ring |]. rewrite IH.
  destruct (D t); simpl; [rewrite plus_IZR |]; ring.
Qed.

Lemma listed_once : NoDup (map fst l) /\ forall tx, In tx l -> IZR (snd tx) = (IZR T * w (fst tx))%R.
Proof.
  destruct listed as [A [_ W]].
  assert (X : NoDup (map fst l) /\ forall tx, In tx l -> snd tx = weight_at l (fst tx)).
  { clear W listed. induction l as [| [t x] m IH]; [split; [constructor | intros tx []] |].
    destruct (ascends_tail t x m A) as [A' L]. destruct (IH A') as [N E]. split.
    - simpl. constructor; [intros I; specialize (L t I); lia | exact N].
    - intros tx [<- | I]; [symmetry; apply weight_first, A |].
      rewrite weight_later; [apply E, I |]. assert (J := in_map fst m tx I). specialize (L _ J). lia. }
  destruct X as [N E]. split; [exact N |]. intros tx I. rewrite (E tx I). apply W.
Qed.

(** The probability of an event is its share of the weights. *)
Lemma listed_share D : mass_of w (fun t => D t = true) (IZR (sum_inside D l 0) / IZR T).
Proof.
  destruct listed_once as [N E]. assert (H := listed_T).
  replace (IZR (sum_inside D l 0) / IZR T)%R with (total (filter D (map fst l)) w).
  - apply (mass_of_finite_support Z.eq_dec); [exact listed_nonneg | exact N | exact listed_zero].
  - rewrite sum_inside_real, total_filter, total_map. apply Rmult_eq_reg_l with (IZR T); [| lra].
    transitivity (total l (fun tx => if D (fst tx) then IZR (snd tx) else 0))%R; [| field; lra].
    rewrite <- total_scal. apply total_ext. intros tx I. rewrite (E tx I). destruct (D (fst tx)); ring.
Qed.

End listed.

(** ** Sums of independent outcomes *)

Lemma add_moved_at j f l m t : weight_at (add_moved j f l m) t = weight_at l t + f * weight_at m (t - j).
Proof.
  revert m. induction l as [| [u x] l IHl]; intros m.
  - induction m as [| [v y] m IHm]; [simpl; lia |].
    change (add_moved j f [] ((v, y) :: m)) with ((v + j, f * y) :: add_moved j f [] m). cbn [weight_at]. rewrite IHm.
    destruct (Z.eqb_spec (v + j) t), (Z.eqb_spec v (t - j)); simpl; lia.
  - induction m as [| [v y] m IHm]; [simpl; lia |].
    change (add_moved j f ((u, x) :: l) ((v, y) :: m)) with
      (match u ?= v + j with
       | Lt => (u, x) :: add_moved j f l ((v, y) :: m)
       | Gt => (v + j, f * y) :: add_moved j f ((u, x) :: l) m
       | Eq => (u, x + f * y) :: add_moved j f l m
       end).
    destruct (Z.compare_spec u (v + j)) as [C | C | C]; cbn [weight_at].
    + rewrite IHl. destruct (Z.eqb_spec u t), (Z.eqb_spec v (t - j)); lia.
    + rewrite IHl. cbn [weight_at]. lia.
    + rewrite IHm. cbn [weight_at]. destruct (Z.eqb_spec (v + j) t), (Z.eqb_spec v (t - j)); lia.
Qed.

Lemma convolve_onto_at l m sums t :
  IZR (weight_at (convolve_onto l m sums) t) =
  (IZR (weight_at sums t) + total l (fun kx => IZR (snd kx) * IZR (weight_at m (t - fst kx))))%R.
Proof.
  revert sums. induction l as [| [k x] l IH]; intros sums; simpl; [ring |].
  rewrite IH, add_moved_at, plus_IZR, mult_IZR. ring.
Qed.

Lemma convolve_at l m t :
  IZR (weight_at (convolve l m) t) = total l (fun kx => IZR (snd kx) * IZR (weight_at m (t - fst kx)))%R.
Proof. unfold convolve. rewrite convolve_onto_at. simpl. ring. Qed.
