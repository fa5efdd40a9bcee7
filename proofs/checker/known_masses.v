(** What is known of the pair of a run, and how it is rounded.

    [known_run bits r masses]: the run r is posed, and there are a pair of laws that stands for one of r in a
    composition ([is_pair]) and disjoint events of its answers, such that each entry (p, q) of the list of masses is a
    lower bound of the first law and an upper bound of the second one of one event, in units of 2^-bits. Then what is
    merged of the masses tells of the pair, by any places ([known_run_tells]).

    The rest is for those who show it: events by the values of a function of the answers ([bounds_by_key]), bounds over
    another total that are rounded ([lower_part], [upper_part]), and laws of numbers as laws of answers.

    Source: docs/certificates.md, "Losses may be merged in an event". *)

From Coq Require Import ZArith Reals List Lia Lra Bool.
From Exactdp Require Import sums laws privacy masses hockey_stick product_laws adaptive_composition fixed_point merged.
From ExactdpChecker Require Import claims laws_of_noise composed_checked merged_program merged_sound drawn_pairs
  merged_runs merged_known
  merged_refuted.
Import ListNotations.
Open Scope R_scope.

Definition known_run (bits : nat) (r : run) (masses : list (Z * Z)) : Prop :=
  run_posed r /\ exists P Q label, is_pair (run_mechanism r, (P, Q)) /\ bounds_from bits P Q label 0 masses.

Theorem known_run_tells bits r masses a b : known_run bits r masses ->
  run_posed r /\ exists P Q, tells_runs bits (merged_of a b masses) [(run_mechanism r, (P, Q))].
Proof.
  intros [Posed [P [Q [label [Pair B]]]]]. split; [exact Posed |]. exists P, Q.
  split; [apply (known_sensible bits _ _ _ _ _ B) | split].
  - intros s [<- | []]. exact Pair.
  - apply tells_one, (known_tells bits _ _ label); [apply Pair | exact B].
Qed.

(** ** Events by the value of a function *)

Fixpoint index (t : Z) (ks : list Z) : nat :=
  match ks with
  | [] => O
  | k :: rest => if Z.eqb k t then O else S (index t rest)
  end.

Definition label_of (cell : answer -> option Z) (ks : list Z) (a : answer) : nat :=
  match cell a with
  | Some t => index t ks
  | None => length ks
  end.

Lemma index_nth ks i t u : NoDup ks -> nth_error ks i = Some t -> (index u ks = i <-> u = t).
Proof.
  intros N. revert i. induction N as [| k ks Hk N IH]; intros i E; [destruct i; discriminate |]. simpl.
  destruct i as [| i]; simpl in E.
  - injection E as ->. destruct (Z.eqb_spec t u); split; intros H; congruence.
  - destruct (Z.eqb_spec k u) as [-> | Nu].
    + split; [discriminate |]. intros ->. exfalso. apply Hk, (nth_error_In _ _ E).
    + rewrite <- (IH i E). split; lia.
Qed.

Lemma label_nth cell ks i t a : NoDup ks -> nth_error ks i = Some t -> (label_of cell ks a = i <-> cell a = Some t).
Proof.
  intros N E. assert (L : (i < length ks)%nat) by (apply nth_error_Some; congruence).
  unfold label_of. destruct (cell a) as [u |]; [| split; [lia | discriminate]].
  rewrite (index_nth ks i t u N E). split; congruence.
Qed.

Lemma at_most_ext {A} (D : A -> R) (S T : A -> Prop) x : (forall a, T a -> S a) -> at_most D S x -> at_most D T x.
Proof. intros H B l N I. apply B; auto. Qed.

Lemma at_least_lower {A} (D : A -> R) S x y : y <= x -> at_least D S x -> at_least D S y.
Proof. intros H B c Hc. specialize (B c Hc). lra. Qed.

Lemma at_most_higher {A} (D : A -> R) S x y : x <= y -> at_most D S x -> at_most D S y.
Proof. intros H B l N I. specialize (B l N I). lra. Qed.

Lemma bounds_by_key {B} bits P Q cell (l : list B) (key f g : B -> Z) :
  NoDup (map key l) ->
  (forall e, In e l -> (0 <= f e)%Z /\ (0 <= g e)%Z /\
    at_least P (fun a => cell a = Some (key e)) (IZR (f e) / 2 ^ bits) /\
    at_most Q (fun a => cell a = Some (key e)) (IZR (g e) / 2 ^ bits)) ->
  bounds_from bits P Q (label_of cell (map key l)) 0 (map (fun e => (f e, g e)) l).
Proof.
  intros N H i pq E. rewrite nth_error_map in E. destruct (nth_error l i) as [e |] eqn:K; [| discriminate].
  injection E as <-. destruct (H e (nth_error_In _ _ K)) as [F [G [L M]]]. cbn [fst snd Nat.add].
  assert (Ki : nth_error (map key l) i = Some (key e)) by (rewrite nth_error_map, K; reflexivity).
  split; [exact F | split; [exact G | split]].
  - revert L. apply at_least_ext. intros a. apply (label_nth cell _ i _ a N Ki).
  - revert M. apply at_most_ext. intros a. apply (label_nth cell _ i _ a N Ki).
Qed.

Lemma bounds_by_cell bits P Q cell ks (f g : Z -> Z) :
  NoDup ks ->
  (forall k, In k ks -> (0 <= f k)%Z /\ (0 <= g k)%Z /\
    at_least P (fun a => cell a = Some k) (IZR (f k) / 2 ^ bits) /\
    at_most Q (fun a => cell a = Some k) (IZR (g k) / 2 ^ bits)) ->
  bounds_from bits P Q (label_of cell ks) 0 (map (fun k => (f k, g k)) ks).
Proof.
  intros N H. rewrite <- (map_id ks) at 1. apply (bounds_by_key bits P Q cell ks (fun k => k));
    [rewrite map_id; exact N | exact H].
Qed.

(** ** Rounding *)

Definition lower_units (bits : nat) (T p : Z) : Z := (p * two bits / T)%Z.
Definition upper_units (bits : nat) (T q : Z) : Z := ceiling_div (q * two bits) T.

Lemma lower_units_nonneg bits T p : (0 < T)%Z -> (0 <= p)%Z -> (0 <= lower_units bits T p)%Z.
Proof. intros HT Hp. assert (X := two_positive bits). apply Z.div_pos; [apply Z.mul_nonneg_nonneg; lia | exact HT]. Qed.

Lemma upper_units_nonneg bits T q : (0 < T)%Z -> (0 <= q)%Z -> (0 <= upper_units bits T q)%Z.
Proof.
  intros HT Hq. assert (X := two_positive bits). unfold upper_units, ceiling_div.
  assert (- (q * two bits) / T <= 0)%Z; [| lia]. apply Z.div_le_upper_bound; [exact HT |].
  assert (0 <= q * two bits)%Z by (apply Z.mul_nonneg_nonneg; lia). lia.
Qed.

Lemma lower_part bits T p x : (0 < T)%Z -> IZR p <= IZR T * x -> IZR (lower_units bits T p) / 2 ^ bits <= x.
Proof.
  intros HT H. assert (P := pow_two_positive bits). assert (T0 := IZR_lt _ _ HT).
  destruct (floor_div_bounds (p * two bits) T HT) as [B _]. rewrite mult_IZR, IZR_two in B.
  fold (lower_units bits T p) in B.
  apply Rmult_le_reg_r with (2 ^ bits); [exact P |].
  replace (IZR (lower_units bits T p) / 2 ^ bits * 2 ^ bits) with (IZR (lower_units bits T p)) by (field; lra).
  eapply Rle_trans; [exact B |]. apply Rmult_le_reg_r with (IZR T); [exact T0 |].
  replace (IZR p * 2 ^ bits / IZR T * IZR T) with (IZR p * 2 ^ bits) by (field; lra).
  replace (x * 2 ^ bits * IZR T) with (IZR T * x * 2 ^ bits) by ring. apply Rmult_le_compat_r; lra.
Qed.

Lemma upper_part bits T q x : (0 < T)%Z -> IZR T * x <= IZR q -> x <= IZR (upper_units bits T q) / 2 ^ bits.
Proof.
  intros HT H. assert (P := pow_two_positive bits). assert (T0 := IZR_lt _ _ HT).
  assert (B := ceiling_div_above (q * two bits) T _ HT (Rle_refl _)). rewrite mult_IZR, IZR_two in B.
  fold (upper_units bits T q) in B. apply Rmult_le_reg_r with (2 ^ bits); [exact P |].
  replace (IZR (upper_units bits T q) / 2 ^ bits * 2 ^ bits) with (IZR (upper_units bits T q)) by (field; lra).
  eapply Rle_trans; [| exact B]. apply Rmult_le_reg_r with (IZR T); [exact T0 |].
  replace (IZR q * 2 ^ bits / IZR T * IZR T) with (IZR q * 2 ^ bits) by (field; lra).
  replace (x * 2 ^ bits * IZR T) with (IZR T * x * 2 ^ bits) by ring. apply Rmult_le_compat_r; lra.
Qed.

(** ** Numbers *)

Definition number_cell (h : Z -> Z) (a : answer) : option Z :=
  match a with
  | Number t => Some (h t)
  | _ => None
  end.

Lemma number_at_least w h k x :
  at_least w (fun t => h t = k) x -> at_least (number_mass w) (fun a => number_cell h a = Some k) x.
Proof.
  intros H c Hc. apply H. intros l N I. specialize (Hc (map Number l)). rewrite total_map in Hc. apply Hc.
  - apply FinFun.Injective_map_NoDup; [intros s t E; injection E; auto | exact N].
  - intros a J. apply in_map_iff in J. destruct J as [t [<- J]]. simpl. f_equal. apply I, J.
Qed.

Lemma number_at_most w h k x :
  at_most w (fun t => h t = k) x -> at_most (number_mass w) (fun a => number_cell h a = Some k) x.
Proof.
  intros H l N I. destruct (pull_back Number l N) as [m [Nm [Im E]]].
  rewrite (E (number_mass w) (number_zero_outside w)). apply H; [exact Nm |].
  intros t It. specialize (I _ (Im t It)). simpl in I. injection I as I. exact I.
Qed.

(** The counts c and d, whose answers are put into cells. *)
Theorem known_noise bits nu shift c d h ks (f g : Z -> Z) :
  run_posed (NoiseRun nu shift) -> (Z.abs (c - d) <= shift)%Z -> NoDup ks ->
  (forall k, In k ks -> (0 <= f k)%Z /\ (0 <= g k)%Z /\
    at_least (shifts.shifted (noise_mass nu) c) (fun t => h t = k) (IZR (f k) / 2 ^ bits) /\
    at_most (shifts.shifted (noise_mass nu) d) (fun t => h t = k) (IZR (g k) / 2 ^ bits)) ->
  known_run bits (NoiseRun nu shift) (map (fun k => (f k, g k)) ks).
Proof.
  intros Posed Hcd N H. assert (L := noise_law nu (proj1 Posed)). split; [exact Posed |].
  exists (number_mass (shifts.shifted (noise_mass nu) c)), (number_mass (shifts.shifted (noise_mass nu) d)),
    (label_of (number_cell h) ks). split.
  - assert (Shifted : forall e, law (number_mass (shifts.shifted (noise_mass nu) e)))
      by (intros e; apply number_law, smooth_noise_privacy.shifted_law, L).
    split; [| split; apply Shifted]. apply drawn_itself; [exists c, d; auto | apply Shifted | apply Shifted].
  - apply bounds_by_cell; [exact N |]. intros k I. destruct (H k I) as [F [G [A B]]].
    split; [exact F | split; [exact G | split]]; [apply number_at_least, A | apply number_at_most, B].
Qed.

(** ** Laws with finitely many outcomes *)

Lemma event_of_dist {A} (d : dist A) (T : A -> bool) : proper d -> mass_of (mass d) (fun a => T a = true) (Pr d T).
Proof.
  intros Pd. replace (Pr d T) with (total (filter T (outcomes d d)) (mass d)).
  - apply (mass_of_finite_support same); [intros a; apply mass_nonneg, Pd | apply outcomes_NoDup |].
    intros a N. unfold mass, Pr, mean. rewrite (total_ext d _ (fun _ => 0)), total_zero; [reflexivity |].
    intros wa I. unfold indicator. destruct (same (snd wa) a) as [E | _]; [| ring]. exfalso. apply N. rewrite <- E.
    apply (outcomes_cover d d), I.
  - unfold Pr. rewrite (mean_masses d (outcomes d d)).
    + rewrite total_filter. apply total_ext. intros a _. unfold indicator. destruct (T a); ring.
    + apply outcomes_NoDup.
    + apply outcomes_cover.
Qed.

Definition in_cell (cell : answer -> option Z) (k : Z) (a : answer) : bool :=
  match cell a with
  | Some z => Z.eqb z k
  | None => false
  end.

Lemma in_cell_iff cell k a : in_cell cell k a = true <-> cell a = Some k.
Proof.
  unfold in_cell. destruct (cell a) as [z |]; [| split; discriminate].
  rewrite Z.eqb_eq. split; [intros -> | intros E; injection E as E]; auto.
Qed.

Theorem known_dists {B} bits r (D1 D2 : dist answer) cell (l : list B) (key f g : B -> Z) :
  run_posed r -> is_pair (run_mechanism r, (mass D1, mass D2)) -> proper D1 -> proper D2 -> NoDup (map key l) ->
  (forall e, In e l -> (0 <= f e)%Z /\ IZR (f e) / 2 ^ bits <= Pr D1 (in_cell cell (key e)) /\
    Pr D2 (in_cell cell (key e)) <= IZR (g e) / 2 ^ bits) ->
  known_run bits r (map (fun e => (f e, g e)) l).
Proof.
  intros Posed Pair P1 P2 N H. split; [exact Posed |]. exists (mass D1), (mass D2), (label_of cell (map key l)).
  split; [exact Pair |]. apply bounds_by_key; [exact N |]. intros e I. destruct (H e I) as [F [L M]].
  assert (Q0 : 0 <= Pr D2 (in_cell cell (key e))) by apply Pr_bounds, P2. assert (U := pow_two_positive bits).
  split; [exact F | split; [| split]].
  - apply le_IZR. apply Rmult_le_reg_r with (/ 2 ^ bits); [apply Rinv_0_lt_compat, U |]. unfold Rdiv in M. lra.
  - apply (at_least_lower _ _ _ _ L). apply (at_least_ext _ (fun a => in_cell cell (key e) a = true));
      [apply in_cell_iff |].
    intros c Hc. destruct (event_of_dist D1 (in_cell cell (key e)) P1) as [_ Least]. apply Least.
    intros s [m [Nm [Im ->]]]. apply Hc; assumption.
  - apply (at_most_higher _ _ _ _ M). intros m Nm Im. destruct (event_of_dist D2 (in_cell cell (key e)) P2) as [Up _].
    apply Up. exists m. split; [exact Nm | split; [| reflexivity]]. intros a Ia. apply in_cell_iff, Im, Ia.
Qed.
