(** Multisets of integers that add up to 0, and how a number is written by them.

    For 2 <= abs(i) the multiset of i is {i, -floor(i/2), -ceil(i/2)} ([multiset]). A vector of counts gives an integer
    to each message, [counts u] that of a list. [coefficient x i] is c_i(x): e_x, the counts of one message x >= 1, are
    a_x - e_(-floor(x/2)) - e_(-ceil(x/2)), a_i the counts of the multiset of i, and so on down to e_1 and e_-1. Proved
    for all x <= Delta:

    - [written]: e_x is c_1(x) e_1 + c_-1(x) e_-1 plus the sum over 2 <= abs(i) <= Delta of c_i(x) a_i, and e_0 = 0;
    - [coefficient_signs]: c_i(x) >= 0 >= c_-i(x) for i > 0, and [coefficient_ones]: c_1(x) - c_-1(x) = x;
    - [spread_is]: the sum over 2 <= i <= Delta of i (c_i(x) - c_-i(x)) is the [spread] of x, s(x) = x + s(floor(x/2)) +
      s(ceil(x/2)) for x >= 2, and 0 below, which is at most x k where x <= 2^k ([spread_bound]).

    Idea: induction, and that the counts of -i are those of i with all signs changed.
    Source: Ghazi, Kumar, Manurangsi, Pagh, Sinha 2021, section 3. *)

From Coq Require Import List Arith ZArith Lia Permutation FunctionalExtensionality Wf_nat.
From Exactdp Require Import sums.
Import ListNotations.

Open Scope Z_scope.

Definition multiset (i : Z) : list Z := [i; - (i / 2); (- i) / 2].

Definition counts (u : list Z) (m : Z) : Z := Z.of_nat (count_occ Z.eq_dec u m).

(** The counts of one message m, and of none for 0. *)
Definition one (x m : Z) : Z := if x =? 0 then 0 else if x =? m then 1 else 0.

Definition own (x : nat) : list Z := match x with O => [] | S _ => [Z.of_nat x] end.

Lemma counts_app u v m : counts (u ++ v) m = counts u m + counts v m.
Proof. unfold counts. rewrite count_occ_app. lia. Qed.

Lemma counts_first x u m : x <> 0 -> counts (x :: u) m = one x m + counts u m.
Proof.
  intros H. unfold counts, one. cbn [count_occ]. apply Z.eqb_neq in H. rewrite H.
  destruct (Z.eq_dec x m), (Z.eqb_spec x m); lia.
Qed.

Lemma counts_own x m : counts (own x) m = one (Z.of_nat x) m.
Proof. destruct x as [| x]; [reflexivity |]. unfold own. rewrite counts_first by lia. apply Z.add_0_r. Qed.

Lemma counts_multiset i m : 2 <= Z.abs i -> counts (multiset i) m = one i m + one (- (i / 2)) m + one ((- i) / 2) m.
Proof.
  intros H. assert (A : i = 2 * (i / 2) + i mod 2) by (apply Z.div_mod; lia).
  assert (B := Z.mod_pos_bound i 2 ltac:(lia)).
  assert (A' : - i = 2 * ((- i) / 2) + (- i) mod 2) by (apply Z.div_mod; lia).
  assert (B' := Z.mod_pos_bound (- i) 2 ltac:(lia)).
  unfold multiset. rewrite !counts_first by lia. change (counts [] m) with 0. ring.
Qed.

Lemma multiset_adds_to_0 i : fold_right Z.add 0 (multiset i) = 0.
Proof.
  unfold multiset. cbn [fold_right]. assert (A : i = 2 * (i / 2) + i mod 2) by (apply Z.div_mod; lia).
  assert (B := Z.mod_pos_bound i 2 ltac:(lia)).
  assert (A' : - i = 2 * ((- i) / 2) + (- i) mod 2) by (apply Z.div_mod; lia).
  assert (B' := Z.mod_pos_bound (- i) 2 ltac:(lia)). lia.
Qed.

(** ** Sums of integers *)

Definition sum_to (Delta : nat) (f : Z -> Z) : Z :=
  fold_right (fun i s => f (Z.of_nat i) + s) 0 (seq 2 (Delta - 1)).

Lemma fold_ext (l : list nat) f g : (forall i, In i l -> f (Z.of_nat i) = g (Z.of_nat i)) ->
  fold_right (fun i s => f (Z.of_nat i) + s) 0 l = fold_right (fun i s => g (Z.of_nat i) + s) 0 l.
Proof.
  intros H. induction l as [| i l IH]; simpl; [reflexivity |]. rewrite H by (left; reflexivity).
  rewrite IH; [reflexivity |]. intros j J. apply H. right. exact J.
Qed.

Lemma sum_to_ext Delta f g : (forall i, 2 <= i <= Z.of_nat Delta -> f i = g i) -> sum_to Delta f = sum_to Delta g.
Proof. intros H. apply fold_ext. intros i I. apply in_seq in I. apply H. lia. Qed.

Lemma sum_to_plus Delta f g : sum_to Delta (fun i => f i + g i) = sum_to Delta f + sum_to Delta g.
Proof. unfold sum_to. induction (seq 2 (Delta - 1)) as [| i l IH]; simpl; [reflexivity | rewrite IH; ring]. Qed.

Lemma sum_to_minus Delta f g : sum_to Delta (fun i => f i - g i) = sum_to Delta f - sum_to Delta g.
Proof. unfold sum_to. induction (seq 2 (Delta - 1)) as [| i l IH]; simpl; [reflexivity | rewrite IH; ring]. Qed.

Lemma sum_to_0 Delta : sum_to Delta (fun _ => 0) = 0.
Proof. unfold sum_to. induction (seq 2 (Delta - 1)) as [| i l IH]; simpl; [reflexivity | exact IH]. Qed.

Lemma fold_single (l : list nat) x f : NoDup l ->
  fold_right (fun i s => (if Z.of_nat i =? Z.of_nat x then f (Z.of_nat i) else 0) + s) 0 l =
  if in_dec Nat.eq_dec x l then f (Z.of_nat x) else 0.
Proof.
  induction 1 as [| i l Hi N IH]; [reflexivity |]. cbn [fold_right]. rewrite IH. clear IH.
  destruct (Z.eqb_spec (Z.of_nat i) (Z.of_nat x)) as [E | E], (in_dec Nat.eq_dec x l) as [I | I],
    (in_dec Nat.eq_dec x (i :: l)) as [J | J]; simpl in J.
  - exfalso. apply Hi. replace i with x by lia. exact I.
  - exfalso. apply J. left. lia.
  - rewrite E. ring.
  - exfalso. apply J. left. lia.
  - ring.
  - exfalso. apply J. right. exact I.
  - exfalso. destruct J as [-> | J]; [apply E; reflexivity | apply I, J].
  - reflexivity.
Qed.

Lemma sum_to_single Delta x f : (2 <= x <= Delta)%nat ->
  sum_to Delta (fun i => if i =? Z.of_nat x then f i else 0) = f (Z.of_nat x).
Proof.
  intros H. unfold sum_to. rewrite (fold_single _ x f) by apply seq_NoDup.
  destruct (in_dec Nat.eq_dec x (seq 2 (Delta - 1))) as [I | I]; [reflexivity |].
  exfalso. apply I, in_seq. lia.
Qed.

(** ** The coefficients *)

Fixpoint coefficient_within (fuel x : nat) (i : Z) : Z :=
  match fuel with
  | O => 0
  | S fuel =>
    if (x <=? 1)%nat then one (Z.of_nat x) i
    else one (Z.of_nat x) i - coefficient_within fuel (x / 2) (- i) - coefficient_within fuel (x - x / 2) (- i)
  end.

Definition coefficient (x : nat) : Z -> Z := coefficient_within x x.

Fixpoint spread_within (fuel x : nat) : Z :=
  match fuel with
  | O => 0
  | S fuel => if (x <=? 1)%nat then 0 else Z.of_nat x + spread_within fuel (x / 2) + spread_within fuel (x - x / 2)
  end.

Definition spread (x : nat) : Z := spread_within x x.

Lemma halves x : (2 <= x)%nat -> (1 <= x / 2 < x /\ 1 <= x - x / 2 < x)%nat.
Proof.
  intros H. assert (A : (x = 2 * (x / 2) + x mod 2)%nat) by (apply Nat.div_mod; lia).
  assert (B := Nat.mod_upper_bound x 2 ltac:(lia)). lia.
Qed.

Lemma coefficient_fuel f : forall x, (x <= f)%nat -> coefficient_within f x = coefficient x.
Proof.
  assert (H : forall f g x, (x <= f)%nat -> (x <= g)%nat -> coefficient_within f x = coefficient_within g x).
  { clear f. induction f as [| f IH]; intros [| g] x F G; extensionality i.
    - reflexivity.
    - replace x with O by lia. reflexivity.
    - replace x with O by lia. reflexivity.
    - cbn [coefficient_within]. destruct (Nat.leb_spec x 1) as [L | L]; [reflexivity |].
      destruct (halves x) as [A B]; [lia |]. rewrite (IH g (x / 2)%nat), (IH g (x - x / 2)%nat) by lia. reflexivity. }
  intros x Hx. apply H; lia.
Qed.

Lemma coefficient_step x i : (2 <= x)%nat ->
  coefficient x i = one (Z.of_nat x) i - coefficient (x / 2) (- i) - coefficient (x - x / 2) (- i).
Proof.
  intros H. destruct (halves x H) as [A B]. unfold coefficient at 1. destruct x as [| x]; [lia |].
  cbn [coefficient_within]. destruct (Nat.leb_spec (S x) 1) as [L | L]; [lia |].
  rewrite !coefficient_fuel by lia. reflexivity.
Qed.

Lemma coefficient_small x i : (x <= 1)%nat -> coefficient x i = one (Z.of_nat x) i.
Proof. intros H. destruct x as [| [| x]]; [reflexivity | reflexivity | lia]. Qed.

Lemma spread_fuel f : forall x, (x <= f)%nat -> spread_within f x = spread x.
Proof.
  assert (H : forall f g x, (x <= f)%nat -> (x <= g)%nat -> spread_within f x = spread_within g x).
  { clear f. induction f as [| f IH]; intros [| g] x F G.
    - reflexivity.
    - replace x with O by lia. reflexivity.
    - replace x with O by lia. reflexivity.
    - cbn [spread_within]. destruct (Nat.leb_spec x 1) as [L | L]; [reflexivity |].
      destruct (halves x) as [A B]; [lia |]. rewrite (IH g (x / 2)%nat), (IH g (x - x / 2)%nat) by lia. reflexivity. }
  intros x Hx. apply H; lia.
Qed.

Lemma spread_step x : (2 <= x)%nat -> spread x = Z.of_nat x + spread (x / 2) + spread (x - x / 2).
Proof.
  intros H. destruct (halves x H) as [A B]. unfold spread at 1. destruct x as [| x]; [lia |].
  cbn [spread_within]. destruct (Nat.leb_spec (S x) 1) as [L | L]; [lia |].
  rewrite !spread_fuel by lia. reflexivity.
Qed.

Lemma spread_small x : (x <= 1)%nat -> spread x = 0.
Proof. intros H. destruct x as [| [| x]]; [reflexivity | reflexivity | lia]. Qed.

(** Induction along the halves. *)
Lemma by_halves (P : nat -> Prop) : (forall x, (x <= 1)%nat -> P x) ->
  (forall x, (2 <= x)%nat -> P (x / 2)%nat -> P (x - x / 2)%nat -> P x) -> forall x, P x.
Proof.
  intros Small Step x. induction x as [x IH] using (well_founded_induction lt_wf).
  destruct (le_lt_dec x 1) as [L | L]; [apply Small, L |].
  destruct (halves x) as [A B]; [lia |]. apply Step; [lia | |]; apply IH; lia.
Qed.

Lemma coefficient_signs x : forall i, 0 < i -> coefficient x (- i) <= 0 <= coefficient x i.
Proof.
  induction x as [x H | x H A B] using by_halves; intros i Hi.
  - rewrite !coefficient_small by exact H. unfold one.
    destruct (Z.eqb_spec (Z.of_nat x) 0), (Z.eqb_spec (Z.of_nat x) i), (Z.eqb_spec (Z.of_nat x) (- i)); lia.
  - rewrite (coefficient_step x i), (coefficient_step x (- i)), Z.opp_involutive by exact H. specialize (A i Hi).
    specialize (B i Hi). unfold one.
    destruct (Z.eqb_spec (Z.of_nat x) 0), (Z.eqb_spec (Z.of_nat x) i), (Z.eqb_spec (Z.of_nat x) (- i)); lia.
Qed.

Lemma coefficient_ones x : coefficient x 1 - coefficient x (-1) = Z.of_nat x.
Proof.
  induction x as [x H | x H A B] using by_halves.
  - rewrite !coefficient_small by exact H. destruct x as [| [| x]]; [reflexivity | reflexivity | lia].
  - destruct (halves x H). rewrite (coefficient_step x 1), (coefficient_step x (-1)) by exact H.
    change (- (-1)) with 1. change (- (1)) with (-1). unfold one.
    destruct (Z.eqb_spec (Z.of_nat x) 0), (Z.eqb_spec (Z.of_nat x) 1), (Z.eqb_spec (Z.of_nat x) (-1)); lia.
Qed.

(** ** What they write *)

(** The counts of so many multisets. *)
Definition combined (Delta : nat) (c : Z -> Z) (m : Z) : Z :=
  c 1 * one 1 m + c (-1) * one (-1) m +
  sum_to Delta (fun i => c i * counts (multiset i) m + c (- i) * counts (multiset (- i)) m).

Lemma combined_minus Delta c d m : combined Delta (fun i => c i - d i) m = combined Delta c m - combined Delta d m.
Proof.
  unfold combined. rewrite (sum_to_ext Delta _ (fun i =>
    (c i * counts (multiset i) m + c (- i) * counts (multiset (- i)) m) -
    (d i * counts (multiset i) m + d (- i) * counts (multiset (- i)) m))) by (intros; ring).
  rewrite sum_to_minus. ring.
Qed.

Lemma one_opp x m : one (- x) (- m) = one x m.
Proof.
  unfold one. destruct (Z.eqb_spec (- x) 0), (Z.eqb_spec (- x) (- m)), (Z.eqb_spec x 0), (Z.eqb_spec x m); lia.
Qed.

Lemma counts_multiset_opp i m : 2 <= i -> counts (multiset (- i)) (- m) = counts (multiset i) m.
Proof.
  intros H. rewrite !counts_multiset by lia. rewrite one_opp, Z.opp_involutive.
  rewrite (one_opp ((- i) / 2) m). rewrite <- (one_opp (- (i / 2)) m), Z.opp_involutive. ring.
Qed.

Lemma combined_opp Delta c m : combined Delta (fun i => c (- i)) m = combined Delta c (- m).
Proof.
  unfold combined. change (- (-1)) with 1. change (- (1)) with (-1).
  rewrite (sum_to_ext Delta (fun i => c i * counts (multiset i) (- m) + c (- i) * counts (multiset (- i)) (- m))
    (fun i => c (- i) * counts (multiset i) m + c (- - i) * counts (multiset (- i)) m)).
  - rewrite <- (one_opp 1 (- m)), <- (one_opp (-1) (- m)), !Z.opp_involutive. change (- (-1)) with 1.
    change (- (1)) with (-1). ring.
  - intros i H. rewrite counts_multiset_opp by lia. rewrite <- (counts_multiset_opp i (- m)),
      !Z.opp_involutive by lia. ring.
Qed.

Lemma combined_one Delta x m : (2 <= x <= Delta)%nat -> combined Delta (one (Z.of_nat x)) m =
  counts (multiset (Z.of_nat x)) m.
Proof.
  intros H. unfold combined. rewrite <- (sum_to_single Delta x (fun i => counts (multiset i) m) H).
  rewrite (sum_to_ext Delta _ (fun i => if i =? Z.of_nat x then counts (multiset i) m else 0)).
  - unfold one. destruct (Z.eqb_spec (Z.of_nat x) 0), (Z.eqb_spec (Z.of_nat x) 1), (Z.eqb_spec (Z.of_nat x) (-1)); lia.
  - intros i I. unfold one at 1 2.
    destruct (Z.eqb_spec (Z.of_nat x) 0), (Z.eqb_spec (Z.of_nat x) i), (Z.eqb_spec (Z.of_nat x) (- i)),
      (Z.eqb_spec i (Z.of_nat x)); lia.
Qed.

Lemma halves_in_Z x : (2 <= x)%nat ->
  Z.of_nat x / 2 = Z.of_nat (x / 2) /\ (- Z.of_nat x) / 2 = - Z.of_nat (x - x / 2).
Proof.
  intros H. destruct (halves x H) as [A B]. assert (E : Z.of_nat (x / 2) = Z.of_nat x / 2) by apply (Nat2Z.inj_div x 2).
  split; [symmetry; exact E |]. rewrite Nat2Z.inj_sub, E by lia. set (z := Z.of_nat x).
  assert (D : z = 2 * (z / 2) + z mod 2) by (apply Z.div_mod; lia). assert (M := Z.mod_pos_bound z 2 ltac:(lia)).
  assert (D' : - z = 2 * ((- z) / 2) + (- z) mod 2) by (apply Z.div_mod; lia).
  assert (M' := Z.mod_pos_bound (- z) 2 ltac:(lia)). lia.
Qed.

Theorem written Delta x m : (x <= Delta)%nat -> combined Delta (coefficient x) m = counts (own x) m.
Proof.
  rewrite counts_own. revert m. induction x as [x H | x H A B] using by_halves; intros m Hx.
  - unfold combined. rewrite (sum_to_ext Delta _ (fun _ => 0)), sum_to_0.
    + rewrite !coefficient_small by exact H. destruct x as [| [| x]]; [| | lia]; unfold one; simpl;
        destruct m as [| [] | []]; reflexivity.
    + intros i Hi. rewrite !coefficient_small by exact H. unfold one at 1 2.
      destruct (Z.eqb_spec (Z.of_nat x) 0), (Z.eqb_spec (Z.of_nat x) i), (Z.eqb_spec (Z.of_nat x) (- i)); lia.
  - destruct (halves x H) as [Hf Hc]. destruct (halves_in_Z x H) as [Ef Ec].
    assert (E : coefficient x = fun i => one (Z.of_nat x) i - coefficient (x / 2) (- i) - coefficient (x - x / 2) (- i))
      by (extensionality i; apply coefficient_step, H).
    rewrite E, (combined_minus Delta (fun i => one (Z.of_nat x) i - coefficient (x / 2) (- i))
      (fun i => coefficient (x - x / 2) (- i))).
    rewrite (combined_minus Delta (one (Z.of_nat x)) (fun i => coefficient (x / 2) (- i))).
    rewrite !combined_opp, combined_one, A, B by lia. rewrite counts_multiset, Ef, Ec by lia.
    rewrite <- (one_opp (Z.of_nat (x / 2)) (- m)), <- (one_opp (Z.of_nat (x - x / 2)) (- m)), !Z.opp_involutive. ring.
Qed.

Lemma spread_is Delta x : (x <= Delta)%nat -> sum_to Delta (fun i => i * (coefficient x i - coefficient x (- i)))
  = spread x.
Proof.
  induction x as [x H | x H A B] using by_halves; intros Hx.
  - rewrite spread_small by exact H. rewrite <- (sum_to_0 Delta). apply sum_to_ext. intros i Hi.
    rewrite !coefficient_small by exact H. unfold one.
    destruct (Z.eqb_spec (Z.of_nat x) 0), (Z.eqb_spec (Z.of_nat x) i), (Z.eqb_spec (Z.of_nat x) (- i)); lia.
  - destruct (halves x H) as [Hf Hc]. rewrite spread_step, <- A, <- B by lia.
    rewrite <- (sum_to_single Delta x (fun i => i)) by lia. rewrite <- !sum_to_plus. apply sum_to_ext. intros i Hi.
    rewrite (coefficient_step x i), (coefficient_step x (- i)), Z.opp_involutive by exact H. unfold one.
    destruct (Z.eqb_spec (Z.of_nat x) 0), (Z.eqb_spec (Z.of_nat x) i), (Z.eqb_spec (Z.of_nat x) (- i)),
      (Z.eqb_spec i (Z.of_nat x)); lia.
Qed.

Lemma spread_bound k : forall x, (x <= 2 ^ k)%nat -> spread x <= Z.of_nat (x * k).
Proof.
  induction k as [| k IH]; intros x Hx.
  - rewrite spread_small by (simpl in Hx; lia). lia.
  - destruct (le_lt_dec x 1) as [L | L]; [rewrite spread_small by exact L; lia |].
    rewrite spread_step by lia. rewrite Nat.pow_succ_r' in Hx. destruct (halves x) as [A B]; [lia |].
    assert (E : (x = 2 * (x / 2) + x mod 2)%nat) by (apply Nat.div_mod; lia).
    assert (M := Nat.mod_upper_bound x 2 ltac:(lia)).
    assert (F := IH (x / 2)%nat ltac:(lia)). assert (G := IH (x - x / 2)%nat ltac:(lia)).
    replace (x * S k)%nat with (x + (x / 2) * k + (x - x / 2) * k)%nat; [lia |].
    rewrite <- Nat.add_assoc, <- Nat.mul_add_distr_r. replace (x / 2 + (x - x / 2))%nat with x by lia. lia.
Qed.

Lemma spread_nonneg x : 0 <= spread x.
Proof.
  induction x as [x H | x H A B] using by_halves; [rewrite spread_small by exact H;
    lia | rewrite spread_step by exact H; lia].
Qed.

(** ** The same counts *)

Lemma counts_permutation u v : counts u = counts v -> Permutation u v.
Proof.
  intros E. apply (Permutation_count_occ Z.eq_dec). intros m. assert (H := f_equal (fun f => f m) E).
  unfold counts in H. lia.
Qed.
