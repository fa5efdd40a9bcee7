(** Masses of the pairs of a run of a table, n users each time.

    [view_masses]: of the views of two neighbouring data sets, listed exactly, outcome by outcome. [event_masses]: of
    the sum of scores on two data sets that differ in one user, value by value, from lower bounds of both laws: of the
    second one a value has at most its lower bound and what all values together lack of 1. Both are known of the run
    ([view_masses_known], [event_masses_known]); for every table, the first one for both relations.

    The method masses of Run in exactdp/checker/composed.py and the one of BoundedLaws in exactdp/checker/scores.py are
    these programs. Source: docs/certificates.md, "composed". *)

From Coq Require Import ZArith QArith Qreals Reals List Lia Lra Bool Permutation.
From Exactdp Require Import sums laws privacy hockey_stick shuffler adding_a_user fixed_point integer_polynomials.
From Exactdp Require Import losses_program.
From ExactdpChecker Require Import claims witnesses views compared_views never_dp_checked neighbor_histograms.
From ExactdpChecker Require Import laws_of_noise likelihood_program likelihood_sound likelihood_trees scored_sums.
From ExactdpChecker Require Import event_checked.
From ExactdpChecker Require Import enclosed_divergences drawn_pairs merged_runs known_masses.
From ExactdpChecker Require posed table_laws.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

Definition view_masses (bits : nat) (t : table) (n : Z) (nb : neighboring) (h k : list Z) : option (list (Z * Z)) :=
  if posed.table_is_posed t && (1 <=? n) && neighbor_histograms nb n h k then
    let N := Z.to_nat n in
    let keys := packing t N in
    let P := over_users t keys N (data_set h) in
    let Q := over_users t keys N (data_set k) in
    let T := denominator t ^ n in
    if once P Q then
      Some (map (fun e => (lower_units bits T (fst (snd e)), upper_units bits T (snd (snd e)))) (aligned P Q))
    else None
  else None.

(** The values from z on, with what the lists say of them; the first list is the longer one, or the rest is left out. *)
Fixpoint values_onto (z : Z) (first second : list Z) (seen : list (Z * (Z * Z))) : list (Z * (Z * Z)) :=
  match first with
  | [] => seen
  | p :: first' =>
      match second with
      | [] => values_onto (z + 1) first' [] ((z, (p, 0)) :: seen)
      | q :: second' => values_onto (z + 1) first' second' ((z, (p, q)) :: seen)
      end
  end.

(** A list that begins at the place [low], from the place [start] on. *)
Definition from_place (start low : Z) (l : list Z) : list Z :=
  if low <=? start then skipn (Z.to_nat (start - low)) l else append (repeat 0 (Z.to_nat (low - start))) l.

(** In units of 1 / unit; the second law has [missing] more than its list. *)
Definition value_masses (bits : nat) (unit missing : Z) (values : list (Z * (Z * Z))) : list (Z * Z) :=
  map (fun e => (lower_units bits unit (fst (snd e)), upper_units bits unit (snd (snd e) + missing))) values.

Definition event_masses (bits : nat) (t : table) (n : Z) (test : event) : option (list (Z * Z)) :=
  let b := event_bits test in
  let place x := Z.to_nat x in
  if posed.table_is_posed t && (1 <=? n) && (0 <=? b) && Nat.eqb (length (event_others test)) (length (rows t)) &&
     forallb (Z.leb 0) (event_others test) && (z_sum (event_others test) =? n - 1) then
    let others := with_others b t (scores test) 0 (event_others test) (nobody b) in
    let first := plus b others (one_user b t (scores test) (place (event_first test))) in
    let second := plus b others (one_user b t (scores test) (place (event_second test))) in
    let values := values_onto (score_low first) (score_weights first)
      (from_place (score_low first) (score_low second) (score_weights second)) [] in
    Some (value_masses bits (2 ^ b) (2 ^ b - z_sum (score_weights second)) values)
  else None.

(** ** Sums of keys that the shuffled messages show *)

Open Scope R_scope.

Definition sum_cell (keys : list Z) (a : answer) : option Z :=
  match a with
  | Messages u => Some (sum_of keys u)
  | _ => None
  end.

Definition shown (t : table) (xs : list nat) : dist answer := dmap Messages (bind (messages (table_law t) xs) shuffler).

Lemma shown_sum t keys xs k :
  Pr (shown t xs) (in_cell (sum_cell keys) k) = Pr (messages (table_law t) xs) (fun u => Z.eqb (sum_of keys u) k).
Proof.
  unfold Pr, shown. rewrite mean_dmap, mean_bind. apply mean_ext. intros u.
  apply (symmetric_event_shuffled (fun u => Z.eqb (sum_of keys u) k) u).
  intros v w H. rewrite (sum_of_permutation keys v w H). reflexivity.
Qed.

Lemma proper_shown t xs : table_posed t -> proper (shown t xs).
Proof.
  intros H. apply proper_dmap, proper_bind; [| intros; apply proper_shuffler].
  apply proper_messages, table_laws.proper_table, H.
Qed.

Theorem known_sums {B} bits t n nb keys xs ys (l : list B) (key f g : B -> Z) :
  table_posed t -> (1 <= n)%Z -> neighbors_of nb (Z.to_nat n) xs ys -> NoDup (map key l) ->
  (forall e, In e l -> (0 <= f e)%Z /\
    IZR (f e) / 2 ^ bits <= Pr (messages (table_law t) xs) (fun u => Z.eqb (sum_of keys u) (key e)) /\
    Pr (messages (table_law t) ys) (fun u => Z.eqb (sum_of keys u) (key e)) <= IZR (g e) / 2 ^ bits) ->
  known_run bits (RandomizerRun (Table t) n nb) (map (fun e => (f e, g e)) l).
Proof.
  intros Posed Hn Nb N H. assert (P1 := proper_shown t xs Posed). assert (P2 := proper_shown t ys Posed).
  apply (known_dists bits _ (shown t xs) (shown t ys) (sum_cell keys) l key); try assumption.
  - split; assumption.
  - split; [| split; apply mass_law; assumption].
    apply drawn_itself; [exists xs, ys; auto | apply (mass_law _ P1) | apply (mass_law _ P2)].
  - intros e I. rewrite !shown_sum. apply H, I.
Qed.

(** ** Views *)

Lemma one_key {B} (c : B -> R) (l : list (Z * B)) e :
  NoDup (map fst l) -> In e l -> weighs c l (fun k => if Z.eqb k (fst e) then 1 else 0) = c (snd e).
Proof.
  intros N I. unfold weighs. induction l as [| a l IH]; [destruct I |]. inversion N as [| ? ? Ha Nl]. subst.
  cbn [total].
  destruct I as [-> | I].
  - rewrite Z.eqb_refl, (total_ext l _ (fun _ => 0)), total_zero; [ring |]. intros b J.
    destruct (Z.eqb_spec (fst b) (fst e)) as [E | _]; [| ring]. exfalso. apply Ha. rewrite <- E. apply in_map, J.
  - rewrite (IH Nl I). destruct (Z.eqb_spec (fst a) (fst e)) as [E | _]; [| ring]. exfalso. apply Ha. rewrite E.
    apply in_map, I.
Qed.

Lemma aligned_weight t n keys P Q xs ys e : let T := (denominator t ^ n)%Z in (0 < T)%Z ->
  lists keys (IZR T) P (messages (table_law t) xs) -> lists keys (IZR T) Q (messages (table_law t) ys) ->
  NoDup (map fst (aligned P Q)) -> In e (aligned P Q) ->
  IZR (fst (snd e)) = IZR T * Pr (messages (table_law t) xs) (fun u => Z.eqb (sum_of keys u) (fst e)) /\
  IZR (snd (snd e)) = IZR T * Pr (messages (table_law t) ys) (fun u => Z.eqb (sum_of keys u) (fst e)).
Proof.
  intros T HT LP LQ N I. set (h := fun k => if Z.eqb k (fst e) then 1 else 0).
  assert (A := one_key (fun pq => IZR (fst pq)) _ e N I). assert (B := one_key (fun pq => IZR (snd pq)) _ e N I).
  fold h in A, B. rewrite aligned_first, LP in A. rewrite aligned_second, LQ in B. split; [rewrite <- A | rewrite <- B];
    reflexivity.
Qed.

Lemma neighbors_of_histograms nb n h k : neighbor_histograms nb n h k = true -> (1 <= n)%Z ->
  exists xs ys, neighbors_of nb (Z.to_nat n) xs ys /\ Permutation (data_set h) xs /\ Permutation (data_set k) ys /\
    (length xs <= Z.to_nat n)%nat /\ (length ys <= Z.to_nat n)%nat.
Proof.
  intros H Hn. apply neighbor_histograms_sound in H. destruct H as [zs [L H]]. destruct nb.
  - destruct H as [x [y [A B]]]. exists (x :: zs), (y :: zs). cbn [length neighbors_of].
    split; [split; [apply (replace_one [] x y zs) | simpl; lia] | split; [exact A | split; [exact B | lia]]].
  - destruct H as [x [[A B] | [A B]]].
    + exists (x :: zs), zs. cbn [length].
      split; [exists x; left; simpl; split; [reflexivity | lia] | split; [exact A | split; [exact B | lia]]].
    + exists zs, (x :: zs). cbn [length].
      split; [exists x; right; simpl; split; [reflexivity | lia] | split; [exact A | split; [exact B | lia]]].
Qed.

Lemma lists_permuted t keys s law xs ys : Permutation xs ys ->
  lists keys s law (messages (table_law t) xs) -> lists keys s law (messages (table_law t) ys).
Proof.
  intros H L f. rewrite (L f). f_equal. apply messages_permutation; [exact H |].
  intros u v K. rewrite (sum_of_permutation keys u v K). reflexivity.
Qed.

Theorem view_masses_known bits t n nb h k masses :
  view_masses bits t n nb h k = Some masses -> known_run bits (RandomizerRun (Table t) n nb) masses.
Proof.
  unfold view_masses. destruct (_ && _) eqn:G; [| discriminate]. apply andb_true_iff in G. destruct G as [G NH].
  apply andb_true_iff in G. destruct G as [Posed Hn]. apply posed.table_is_posed_sound in Posed. apply Z.leb_le in Hn.
  set (N := Z.to_nat n). set (keys := packing t N). destruct (once _ _) eqn:O; [| discriminate]. intros H.
  injection H as <-.
  destruct (neighbors_of_histograms nb n h k NH Hn) as [xs [ys [Nb [PX [PY [LX LY]]]]]].
  apply posed.ascending_once in O.
  assert (HT : (0 < denominator t ^ n)%Z) by (apply Z.pow_pos_nonneg; [apply denominator_positive | lia]).
  rewrite <- (Permutation_length PX) in LX. rewrite <- (Permutation_length PY) in LY.
  assert (LP := over_users_listed t keys N _ LX). assert (LQ := over_users_listed t keys N _ LY).
  replace (Z.of_nat N) with n in LP, LQ by (unfold N; lia).
  apply (lists_permuted t keys _ _ _ _ PX) in LP. apply (lists_permuted t keys _ _ _ _ PY) in LQ.
  apply (known_sums bits t n nb keys xs ys _ fst
    (fun e => lower_units bits (denominator t ^ n) (fst (snd e))) (fun e =>
      upper_units bits (denominator t ^ n) (snd (snd e))));
    try assumption.
  intros e I. destruct (aligned_weight t n keys _ _ _ _ e HT LP LQ O I) as [A B].
  assert (T0 := IZR_lt _ _ HT). split; [| split].
  - apply lower_units_nonneg; [exact HT |]. apply le_IZR. rewrite A.
    apply Rmult_le_pos; [lra | apply Pr_bounds, proper_messages, table_laws.proper_table, Posed].
  - apply lower_part; [exact HT |]. rewrite A. apply Rle_refl.
  - apply upper_part; [exact HT |]. rewrite B. apply Rle_refl.
Qed.

(** ** Values *)

Lemma values_onto_list first : forall z second seen, values_onto z first second seen =
  rev (map (fun i => (z + Z.of_nat i, (nth i first 0, nth i second 0))%Z) (seq 0 (length first))) ++ seen.
Proof.
  induction first as [| p first IH]; intros z second seen; [reflexivity |]. cbn [values_onto length].
  assert (X : forall q rest,
    rev (map (fun i => (z + 1 + Z.of_nat i, (nth i first 0, nth i rest 0))%Z) (seq 0 (length first))) ++
      (z, (p, q)) :: seen =
    rev (map (fun i => (z + Z.of_nat i, (nth i (p :: first) 0, nth i (q :: rest) 0))%Z) (seq 0 (S (length first)))) ++
      seen).
  { intros q rest. rewrite <- cons_seq, <- seq_shift. cbn [map rev]. rewrite map_map, <- app_assoc. f_equal.
    - f_equal. apply map_ext. intros i. cbn [nth]. f_equal. lia.
    - cbn [app nth]. repeat f_equal. lia. }
  destruct second as [| q second]; rewrite IH, X; [| reflexivity].
  f_equal. f_equal. apply map_ext. intros [| i]; [reflexivity |]. cbn [nth]. destruct i; reflexivity.
Qed.

Lemma nth_after {A} (l : list A) none : forall n i, nth i (skipn n l) none = nth (n + i) l none.
Proof.
  induction l as [| a l IH]; intros n i; [rewrite skipn_nil; rewrite !nth_overflow by (simpl; lia); reflexivity |].
  destruct n as [| n]; [reflexivity | apply IH].
Qed.

Lemma nth_from_place start low l i :
  nth i (from_place start low l) 0%Z =
  if Z.leb low (start + Z.of_nat i) then nth (Z.to_nat (start + Z.of_nat i - low)) l 0%Z else 0%Z.
Proof.
  unfold from_place. destruct (Z.leb_spec low start) as [L | L].
  - rewrite (proj2 (Z.leb_le _ _)) by lia. rewrite nth_after. f_equal. lia.
  - rewrite append_app. destruct (Z.leb_spec low (start + Z.of_nat i)) as [K | K].
    + rewrite app_nth2; rewrite repeat_length; [f_equal; lia | lia].
    + rewrite app_nth1 by (rewrite repeat_length; lia). apply nth_repeat.
Qed.

Lemma weighed_one low l z :
  weighed low l (fun y => if Z.eqb y z then 1 else 0) =
    IZR (if Z.leb low z then nth (Z.to_nat (z - low)) l 0%Z else 0%Z).
Proof.
  revert low. induction l as [| w l IH]; intros low.
  - simpl. destruct (Z.leb low z); [destruct (Z.to_nat _) |]; reflexivity.
  - cbn [weighed]. rewrite IH. destruct (Z.eqb_spec low z) as [-> | N].
    + rewrite Z.leb_refl, Z.sub_diag. destruct (Z.leb_spec (z + 1) z); [lia |]. cbn [Z.to_nat nth]. ring.
    + destruct (Z.leb_spec (low + 1) z), (Z.leb_spec low z); try lia; [| ring].
      replace (Z.to_nat (z - low)) with (S (Z.to_nat (z - (low + 1)))) by lia. cbn [nth]. ring.
Qed.

(** Lower bounds of a law of integers, value by value, and upper bounds by what is missing. *)
Lemma under_value bits low l L z : under bits low l L ->
  IZR (if Z.leb low z then nth (Z.to_nat (z - low)) l 0%Z else 0%Z) <= IZR (2 ^ bits) * Pr L (fun y => Z.eqb y z).
Proof.
  intros [_ U]. rewrite <- weighed_one. eapply Rle_trans; [apply U; intros y; destruct (Z.eqb y z); lra |].
  apply Req_le. f_equal.
Qed.

Lemma under_missing bits low l L z total_units : under bits low l L -> IZR (2 ^ bits) * mean L (fun _ => 1) <=
  IZR total_units ->
  IZR (2 ^ bits) * Pr L (fun y => Z.eqb y z) <=
  IZR ((if Z.leb low z then nth (Z.to_nat (z - low)) l 0%Z else 0%Z) + (total_units - z_sum l)).
Proof.
  intros [_ U] H. specialize (U (fun y => 1 - (if Z.eqb y z then 1 else 0)) ltac:(intros y; cbv beta;
    destruct (Z.eqb y z); lra)).
  unfold likelihood_trees.unit in U. rewrite mean_minus in U. fold (indicator (fun y => Z.eqb y z)) in U.
  rewrite plus_IZR, minus_IZR, <- weighed_one.
  assert (X : weighed low l (fun y => 1 - (if Z.eqb y z then 1 else 0)) =
    IZR (z_sum l) - weighed low l (fun y => if Z.eqb y z then 1 else 0)).
  { clear. revert low. induction l as [| w l IH]; intros low; simpl; [ring |]. rewrite IH, plus_IZR. unfold z_sum.
    ring. }
  rewrite X in U. unfold Pr, indicator in *. lra.
Qed.

Lemma nth_nonneg l i : all_nonneg l -> (0 <= nth i l 0)%Z.
Proof.
  intros N. destruct (nth_in_or_default i l 0%Z) as [J | ->]; [| lia].
  unfold all_nonneg in N. rewrite Forall_forall in N. apply N, J.
Qed.

Lemma values_once z first second : NoDup (map fst (values_onto z first second [])).
Proof.
  rewrite values_onto_list, app_nil_r, map_rev, map_map. apply NoDup_rev, FinFun.Injective_map_NoDup, seq_NoDup.
  intros i j H. simpl in H. lia.
Qed.

Lemma value_in e z first second : In e (values_onto z first second []) ->
  exists i, e = (z + Z.of_nat i, (nth i first 0, nth i second 0))%Z.
Proof.
  rewrite values_onto_list, app_nil_r. intros I. apply in_rev, in_map_iff in I. destruct I as [i [<- _]]. exists i.
  reflexivity.
Qed.

Theorem event_masses_known bits t n test masses :
  event_masses bits t n test = Some masses -> known_run bits (RandomizerRun (Table t) n ReplaceOne) masses.
Proof.
  unfold event_masses. cbv zeta. set (b := event_bits test). set (others := with_others _ _ _ _ _ _).
  destruct (_ && _) eqn:G; [| discriminate]. intros H. injection H as <-.
  repeat (apply andb_true_iff in G; destruct G as [G ?]).
  repeat match goal with K : (_ <=? _)%Z = true |- _ => apply Z.leb_le in K end.
  match goal with K : (_ =? _)%Z = true |- _ => apply Z.eqb_eq in K; rename K into Count end.
  match goal with K : forallb (Z.leb 0) _ = true |- _ => rename K into Nonneg end.
  apply posed.table_is_posed_sound in G. rename G into Posed.
  assert (Bits : (0 <= b)%Z) by assumption. assert (P := table_laws.proper_table t Posed).
  set (us := data_set_from 0 (event_others test)).
  assert (Len : length us = Z.to_nat (n - 1)) by (apply Nat2Z.inj; unfold us; rewrite data_set_length by exact Nonneg;
    lia).
  assert (Go : scored b t (scores test) others us)
    by (apply (scored_others b t (scores test) Bits P (event_others test) 0 (nobody b) []); apply scored_nobody;
      exact Bits).
  set (first := plus b others (one_user b t (scores test) (Z.to_nat (event_first test)))).
  set (second := plus b others (one_user b t (scores test) (Z.to_nat (event_second test)))).
  set (x := Z.to_nat (event_first test)) in *. set (y := Z.to_nat (event_second test)) in *.
  assert (G1 : scored b t (scores test) first (us ++ [x]))
    by (apply scored_plus; [exact Bits | exact P | exact Go | apply scored_one; assumption]).
  assert (G2 : scored b t (scores test) second (us ++ [y]))
    by (apply scored_plus; [exact Bits | exact P | exact Go | apply scored_one; assumption]).
  assert (U : (0 < 2 ^ b)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (Law : forall zs k, Pr (summed_law t (scores test) zs) (fun z => Z.eqb z k) =
    Pr (messages (table_law t) zs) (fun u => Z.eqb (sum_of (scores test) u) k)).
  { intros zs k. unfold Pr. rewrite mean_summed. reflexivity. }
  assert (All : forall zs, mean (summed_law t (scores test) zs) (fun _ => 1) = 1).
  { intros zs. rewrite mean_summed. apply (proper_messages _ zs P). }
  unfold value_masses.
  apply (known_sums bits t n ReplaceOne (scores test) (us ++ [x]) (us ++ [y]) _ fst
    (fun e => lower_units bits (2 ^ b) (fst (snd e)))
    (fun e => upper_units bits (2 ^ b) (snd (snd e) + (2 ^ b - z_sum (score_weights second))))); try assumption.
  - split; [apply (replace_one us x y []) | rewrite app_length, Len; simpl; lia].
  - apply values_once.
  - intros e I. apply value_in in I. destruct I as [i ->]. cbn [fst snd]. rewrite nth_from_place, <- !Law.
    assert (V1 := under_value b _ _ _ (score_low first + Z.of_nat i) G1).
    rewrite (proj2 (Z.leb_le _ _)) in V1 by lia. replace (Z.to_nat (score_low first + Z.of_nat i - score_low first))
      with i in V1 by lia.
    assert (V2 := under_missing b _ _ _ (score_low first + Z.of_nat i) (2 ^ b) G2).
    change (sum_law (table_law t) (sum_of (scores test))) with (summed_law t (scores test)) in V2. rewrite All, Rmult_1_r in V2. specialize (V2 (Rle_refl _)). split; [| split].
    + apply lower_units_nonneg; [exact U |]. apply nth_nonneg, G1.
    + apply lower_part; [exact U | exact V1].
    + apply upper_part; [exact U | exact V2].
Qed.
