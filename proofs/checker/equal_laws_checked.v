(** The claim [equal_laws]: two noise laws are one.

    PROVED is accepted where the two laws are written alike; where their ratios of neighbouring masses are linear and
    agree at two outcomes (linear_laws.v); and where both are listed exactly and their listings, without outcomes of
    weight 0, are the same when the two totals are crossed. Of uniform laws the ends are compared, or the
    outcomes with those of a listing. REFUTED is accepted for an outcome that has different probabilities under two
    laws that are listed exactly, or uniform. [check_equal_laws_sound]: then the claim holds, or does not.

    Source: exactdp/checker/equal_laws.py. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums uniform_ends.
From ExactdpChecker Require Import claims witnesses kinds posed linear_laws.
From ExactdpChecker Require Import exact_program aligned_pairs listed_laws listed_noise.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

Definition real_dec : forall x y : real, {x = y} + {x <> y}.
Proof. repeat decide equality. Defined.

Definition noise_dec : forall nu nu' : noise, {nu = nu'} + {nu <> nu'}.
Proof. repeat first [apply real_dec | apply Z.eq_dec | apply Nat.eq_dec | apply list_eq_dec | decide equality]. Defined.

Definition written_alike (nu nu' : noise) : bool := if noise_dec nu nu' then true else false.

Definition has_weight (tx : Z * Z) : bool := negb (snd tx =? 0).

(** Entry by entry. *)
Fixpoint same_entries (T T' : Z) (l l' : listing) : bool :=
  match l, l' with
  | [], [] => true
  | (t, x) :: m, (u, y) :: m' => (t =? u) && ((x * T' =? y * T) && same_entries T T' m m')
  | _, _ => false
  end.

(** So many outcomes from low on, of weight 1. *)
Fixpoint uniform_listing (low : Z) (outcomes : nat) : listing :=
  match outcomes with
  | O => []
  | S less => (low, 1) :: uniform_listing (low + 1) less
  end.

(** A uniform law with as many outcomes as the listing, listed. *)
Definition same_as_uniform (T : Z) (l : listing) (low high : Z) : bool :=
  (Z.of_nat (length l) =? high - low + 1) && same_entries T (high - low + 1) l (uniform_listing low (length l)).

Definition same_laws (a b : exact_law) : bool :=
  match a, b with
  | Listed l T, Listed l' T' => same_entries T T' (filter has_weight l) (filter has_weight l')
  | Listed l T, Uniform low high | Uniform low high, Listed l T => same_as_uniform T (filter has_weight l) low high
  | Uniform low high, Uniform low' high' => (low =? low') && (high =? high')
  | _, _ => false
  end.

(** The probability of one outcome, as a numerator and a positive denominator. *)
Definition share (a : exact_law) (t : Z) : option (Z * Z) :=
  match a with
  | Listed l T => Some (fold_left (fun s tx => if fst tx =? t then s + snd tx else s) l 0, T)
  | Uniform low high => Some (if (low <=? t) && (t <=? high) then 1 else 0, high - low + 1)
  | _ => None
  end.

Definition different_shares (a b : exact_law) (t : Z) : bool :=
  match share a t, share b t with
  | Some (x, T), Some (y, T') => negb (x * T' =? y * T)
  | _, _ => false
  end.

Definition check_equal_laws (nu nu' : noise) (proved : bool) (w : witness) : bool :=
  match proved, w with
  | true, Simple Exactly =>
      if written_alike nu nu' then noise_is_posed nu
      else if same_lines nu nu' then noise_is_posed nu && noise_is_posed nu'
      else match exact_law_of nu, exact_law_of nu' with
           | Some a, Some b => same_laws a b
           | _, _ => false
           end
  | false, Outcome t Exactly =>
      match exact_law_of nu, exact_law_of nu' with
      | Some a, Some b => different_shares a b t
      | _, _ => false
      end
  | _, _ => false
  end.

(** ** Soundness *)

Lemma weight_at_filter l t : weight_at (filter has_weight l) t = weight_at l t.
Proof.
  induction l as [| [u x] l IH]; [reflexivity |]. simpl. unfold has_weight at 1. simpl.
  destruct (Z.eqb_spec x 0) as [-> | N]; simpl; rewrite IH; [destruct (u =? t) |]; reflexivity.
Qed.

Lemma same_entries_weight T T' l l' t :
  same_entries T T' l l' = true -> weight_at l t * T' = weight_at l' t * T.
Proof.
  revert l'. induction l as [| [u x] l IH]; intros [| [v y] l'] H; simpl in H; try discriminate; [reflexivity |].
  apply andb_true_iff in H. destruct H as [E H]. apply andb_true_iff in H. destruct H as [X H].
  apply Z.eqb_eq in E, X. subst v. specialize (IH l' H). simpl. destruct (u =? t); lia.
Qed.

Lemma uniform_listing_weight low n t :
  weight_at (uniform_listing low n) t = if (low <=? t) && (t <? low + Z.of_nat n) then 1 else 0.
Proof.
  revert low. induction n as [| n IH]; intros low; cbn [uniform_listing weight_at].
  - destruct (Z.leb_spec low t), (Z.ltb_spec t (low + Z.of_nat 0)); simpl; lia.
  - rewrite IH. destruct (Z.eqb_spec low t), (Z.leb_spec (low + 1) t), (Z.leb_spec low t),
      (Z.ltb_spec t (low + 1 + Z.of_nat n)), (Z.ltb_spec t (low + Z.of_nat (S n))); simpl; lia.
Qed.

(** The weight of each outcome over a total. *)
Definition measured (w : Z -> R) (at_t : Z -> Z) (T : Z) : Prop :=
  0 < T /\ forall t, IZR (at_t t) = (IZR T * w t)%R.

Definition inside (low high t : Z) : Z := if (low <=? t) && (t <=? high) then 1 else 0.

Lemma exact_law_measured nu a : exact_law_of nu = Some a ->
  noise_posed nu /\
  match a with
  | Listed l T => measured (noise_mass nu) (weight_at l) T
  | Uniform low high => measured (noise_mass nu) (inside low high) (high - low + 1)
  | _ => True
  end.
Proof.
  intros E. destruct a as [l T | | | low high].
  - apply exact_law_listed in E. destruct E as [P [_ [H W]]]. split; [exact P | split; assumption].
  - unfold exact_law_of in E. destruct (noise_is_posed nu) eqn:P; [| discriminate].
    split; [apply noise_is_posed_sound, P | trivial].
  - unfold exact_law_of in E. destruct (noise_is_posed nu) eqn:P; [| discriminate].
    split; [apply noise_is_posed_sound, P | trivial].
  - unfold exact_law_of in E. destruct (noise_is_posed nu) eqn:P; [| discriminate].
    apply noise_is_posed_sound in P. split; [exact P |].
    assert (X : nu = DiscreteUniform low high).
    { assert (L : law_of nu = Some (Uniform low high)).
      { destruct (law_of nu) as [[m U | | |] |]; try (exact E); try discriminate.
        destruct (ascends m && (0 <? U)); discriminate. }
      clear - L. destruct nu as [| | n p | n1 p1 n2 p2 | r p | p | e | s | mu | a b]; simpl in L; try discriminate.
      - destruct p; discriminate.
      - destruct p1, p2; discriminate.
      - destruct p as [p | | | | | |]; try discriminate. destruct (Qnum p =? 0); discriminate.
      - destruct p as [p | | | | | |]; try discriminate. destruct (Qnum p =? 0); discriminate.
      - destruct e; discriminate.
      - destruct mu as [mu | | | | | |]; try discriminate. destruct (Qnum mu =? 0); discriminate.
      - injection L as -> ->. reflexivity. }
    subst nu. simpl in P. split; [lia |]. intros t. cbn [noise_mass]. unfold inside, uniform_on, breadth.
    assert (N : IZR (high - low + 1) <> 0%R) by (apply not_0_IZR; lia).
    destruct ((low <=? t) && (t <=? high)); [field; exact N | ring].
Qed.

(** Weights that agree when the totals are crossed. *)
Lemma measured_same w f T w' f' T' t :
  measured w f T -> measured w' f' T' -> (f t * T' = f' t * T <-> w t = w' t).
Proof.
  intros [P H] [P' H']. specialize (H t). specialize (H' t). apply IZR_lt in P, P'. split; intros E.
  - apply (f_equal IZR) in E. rewrite !mult_IZR, H, H' in E.
    apply (Rmult_eq_reg_l (IZR T * IZR T')); [| apply Rmult_integral_contrapositive; lra].
    transitivity (IZR T * w t * IZR T')%R; [ring |]. rewrite E. ring.
  - apply eq_IZR. rewrite !mult_IZR, H, H', E. ring.
Qed.

Lemma same_as_uniform_weight T l low high t :
  same_as_uniform T l low high = true -> weight_at l t * (high - low + 1) = inside low high t * T.
Proof.
  unfold same_as_uniform. intros H. apply andb_true_iff in H. destruct H as [N H]. apply Z.eqb_eq in N.
  rewrite (same_entries_weight _ _ _ _ t H), uniform_listing_weight. unfold inside. f_equal.
  destruct (Z.leb_spec low t), (Z.ltb_spec t (low + Z.of_nat (length l))), (Z.leb_spec t high); simpl; lia.
Qed.

Lemma same_laws_sound nu nu' a b :
  exact_law_of nu = Some a -> exact_law_of nu' = Some b -> same_laws a b = true ->
  forall t, noise_mass nu t = noise_mass nu' t.
Proof.
  intros A B H t. apply exact_law_measured in A, B. destruct A as [_ A], B as [_ B].
  destruct a as [l T | | | low high], b as [l' T' | | | low' high']; try discriminate; simpl in H.
  - apply (measured_same _ _ _ _ _ _ t A B). rewrite <- (weight_at_filter l), <- (weight_at_filter l').
    apply same_entries_weight, H.
  - apply (measured_same _ _ _ _ _ _ t A B). rewrite <- (weight_at_filter l). apply same_as_uniform_weight, H.
  - symmetry. apply (measured_same _ _ _ _ _ _ t B A). rewrite <- (weight_at_filter l').
    apply same_as_uniform_weight, H.
  - apply andb_true_iff in H. destruct H as [L H]. apply Z.eqb_eq in L, H. subst low' high'.
    apply (measured_same _ _ _ _ _ _ t A B). reflexivity.
Qed.

Lemma share_of_listing l t : fold_left (fun s tx => if fst tx =? t then s + snd tx else s) l 0 = weight_at l t.
Proof.
  assert (X : forall s, fold_left (fun s tx => if fst tx =? t then s + snd tx else s) l s = s + weight_at l t).
  { induction l as [| [u x] l IH]; intros s; simpl; [lia |]. rewrite IH. destruct (u =? t); lia. }
  apply X.
Qed.

Lemma share_sound nu a t x T : exact_law_of nu = Some a -> share a t = Some (x, T) ->
  exists f, measured (noise_mass nu) f T /\ f t = x.
Proof.
  intros A S. apply exact_law_measured in A. destruct A as [_ A]. destruct a as [l U | | | low high]; try discriminate;
    simpl in S; injection S as <- <-; eexists; (split; [exact A |]); [symmetry; apply share_of_listing | reflexivity].
Qed.

Lemma different_shares_sound nu nu' a b t :
  exact_law_of nu = Some a -> exact_law_of nu' = Some b -> different_shares a b t = true ->
  noise_mass nu t <> noise_mass nu' t.
Proof.
  unfold different_shares. intros A B H E. destruct (share a t) as [[x T] |] eqn:S; [| discriminate].
  destruct (share b t) as [[y T'] |] eqn:S'; [| discriminate].
  destruct (share_sound _ _ _ _ _ A S) as [f [M F]]. destruct (share_sound _ _ _ _ _ B S') as [g [N G]].
  apply (measured_same _ _ _ _ _ _ t M N) in E. rewrite F, G in E. rewrite E, Z.eqb_refl in H. discriminate.
Qed.

Theorem check_equal_laws_sound nu nu' proved w :
  check_equal_laws nu nu' proved w = true -> sound (EqualLaws nu nu') proved.
Proof.
  unfold check_equal_laws, sound. intros H.
  destruct proved, w as [[| |] | | | | | | | | | | | | t [| |] | | | | | | | | | |]; try discriminate.
  - unfold written_alike in H. destruct (noise_dec nu nu') as [<- | _].
    + apply noise_is_posed_sound in H. split; [split; assumption | intros t; reflexivity].
    + destruct (same_lines nu nu') eqn:L.
      * apply andb_true_iff in H. destruct H as [P P']. apply noise_is_posed_sound in P, P'.
        split; [split; assumption |]. intros t. apply same_lines_sound; assumption.
      * destruct (exact_law_of nu) as [a |] eqn:A; [| discriminate].
        destruct (exact_law_of nu') as [b |] eqn:B; [| discriminate]. split.
        -- split; [apply (exact_law_measured nu a A) | apply (exact_law_measured nu' b B)].
        -- intros t. apply (same_laws_sound nu nu' a b A B H).
  - destruct (exact_law_of nu) as [a |] eqn:A; [| discriminate].
    destruct (exact_law_of nu') as [b |] eqn:B; [| discriminate]. split.
    + split; [apply (exact_law_measured nu a A) | apply (exact_law_measured nu' b B)].
    + intros E. apply (different_shares_sound nu nu' a b t A B H), E.
Qed.
