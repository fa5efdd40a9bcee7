(** Bounds of the mean number of colourings of split and mix, by a program on integers.

    [components m n length bits] has what the coefficients give for n users with m shares; [excess_above] is an integer
    that is at least 2^bits times the excess of so many colours: exactly for n <= 2 length + 1, rounded up once, and
    else by the first [length] coefficients, every quotient rounded up. Proved, for all m >= 3, n >= 1, colours >= 2:

    - [excess_above_sound]: where it gives a number v, components.excess is at most v / 2^bits.

    That quotients which are integers are integers is tested, not proved. The class Components of
    exactdp/checker/mixing.py is this program, with the same integers. Source: docs/certificates.md. *)

From Coq Require Import ZArith Reals List Lra Lia Bool.
From Exactdp Require Import sums fixed_point words components most_points.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

Definition exactly (a b : Z) : option Z := let c := a / b in if c * b =? a then Some c else None.

Fixpoint factors (x : Z) (k : nat) : Z :=
  match k with
  | O => 1
  | S j => factors x j * (x + Z.of_nat k)
  end.

(** (k + 1) s_(k+1) / s_k *)
Definition up (m k : Z) : Z := m * factors (m * k) (Z.to_nat (m - 1)).

(** s_k, ..., s_0 *)
Fixpoint weights_down (m : Z) (k : nat) : option (list Z) :=
  match k with
  | O => Some [1]
  | S j =>
      match weights_down m j with
      | Some (s :: rest) =>
          match exactly (s * up m (Z.of_nat j)) (Z.of_nat k) with
          | Some t => Some (t :: s :: rest)
          | None => None
          end
      | _ => None
      end
  end.

Fixpoint newton (e j k : Z) (weights powers : list Z) : Z :=
  match weights, powers with
  | s :: weights, p :: powers => (k * (e + 1) - j) * (s * p) + newton e j (k + 1) weights powers
  | _, _ => 0
  end.

(** The coefficients k, ..., 0 of the e-th power; [weights] from s_1 on. *)
Fixpoint powers_down (e : Z) (weights : list Z) (k : nat) : option (list Z) :=
  match k with
  | O => Some [1]
  | S j =>
      match powers_down e weights j with
      | Some l =>
          match exactly (newton e (Z.of_nat k) 1 weights l) (Z.of_nat k) with
          | Some p => Some (p :: l)
          | None => None
          end
      | None => None
      end
  end.

Definition at_ (l : list Z) (k : nat) : Z := nth k l 0.

Definition added (f : nat -> Z) (l : list nat) : Z := fold_right (fun r s => f r + s) 0 l.

Section program.

Variables (m n : Z) (length : nat) (bits : Z) (weights : list Z).

Definition unit : Z := 2 ^ bits.

(** split l 0, ..., split l k, the last one first. *)
Fixpoint splits_down (l : Z) (k : nat) : list Z :=
  match k with
  | O => [unit]
  | S j =>
      match splits_down l j with
      | r :: rest =>
          ceiling_div (r * (up m (Z.of_nat j) * (l - Z.of_nat j))) (Z.of_nat k * up m (l - 1 - Z.of_nat j)) :: r :: rest
      | [] => []
      end
  end.

Definition splits (l : Z) (k : nat) : list Z := rev_append (splits_down l k) [].

Definition coefficients (e : Z) (k : nat) : option (list Z) := option_map (fun l => rev_append l []) (powers_down e
  (tl weights) k).

Definition middle : nat := Nat.div (length - 1) 2.

(** What the colourings of few points give, and what the others are weighed with. *)
Definition recursion (l : Z) (fewer : list Z) : Z * Z :=
  let rho := splits l (S middle) in
  (added (fun r => ceiling_div (at_ rho r * at_ fewer r) (at_ weights r)) (seq 0 (S middle)),
   added (fun r => ceiling_div (Z.of_nat r * at_ rho r) l) (seq 1 middle) + l * at_ rho (S middle)).

Definition short_excess (colours : Z) : option Z :=
  match coefficients colours (Z.to_nat n) with
  | Some l =>
      let whole := colours * at_ weights (Z.to_nat n) in
      Some (ceiling_div ((at_ l (Z.to_nat n) - whole) * unit) whole)
  | None => None
  end.

Definition long_excess_above (colours : Z) : option Z :=
  let others := colours - 1 in
  match coefficients others length, coefficients (others - 1) length with
  | Some first_ones, Some fewer =>
      let rho := splits n (S length) in
      let near := added (fun r => ceiling_div ((n - Z.of_nat r) * at_ rho r * at_ first_ones r) (n * at_ weights r))
        (seq 1 length) in
      let far := added (fun r => ceiling_div (Z.of_nat r * at_ rho r) n) (seq 1 length) in
      let (first, slope) := recursion (Z.of_nat (S length)) fewer in
      let rest := unit - (others - 1) * slope in
      if rest <=? 0 then None else
      let bound := fold_right (fun r b => Z.max b (ceiling_div (at_ first_ones r * unit) (others * at_ weights r)))
        (ceiling_div (first * unit) rest) (seq (S middle) (length - middle)) in
      let (first, slope) := recursion (n - Z.of_nat length) fewer in
      let at_the_end := first + ceiling_div ((others - 1) * bound * slope) unit in
      Some (near + ceiling_div (others * (far * at_the_end + n * at_ rho (S length) * bound)) unit)
  | _, _ => None
  end.

End program.

Definition excess_above (m n : Z) (length : nat) (bits : Z) (colours : Z) : option Z :=
  let long := 2 * Z.of_nat length + 1 <? n in
  match weights_down m (if long then S length else Z.to_nat n) with
  | Some down =>
      let weights := rev_append down [] in
      if long then long_excess_above m n length bits weights colours else short_excess n bits weights colours
  | None => None
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma exactly_sound a b c : (0 < b)%Z -> exactly a b = Some c -> IZR c = IZR a / IZR b.
Proof.
  unfold exactly. intros P. destruct (Z.eqb_spec (a / b * b) a) as [E |]; [| discriminate]. intros H. injection H as <-.
  rewrite <- E at 2. rewrite mult_IZR. assert (B := IZR_lt _ _ P). field. lra.
Qed.

Lemma ceiling_up a b x : (0 < b)%Z -> x * IZR b <= IZR a -> x <= IZR (ceiling_div a b).
Proof.
  intros P H. apply ceiling_div_above; [exact P |]. assert (B := IZR_lt _ _ P).
  apply Rmult_le_reg_r with (IZR b); [exact B |]. replace (IZR a / IZR b * IZR b) with (IZR a) by (field; lra). exact H.
Qed.

Lemma IZR_added f l : IZR (added f l) = total l (fun r => IZR (f r)).
Proof. unfold added. induction l as [| r l IH]; [reflexivity |]. simpl. rewrite plus_IZR, IH. reflexivity. Qed.

Lemma rev_at l k : (k < Datatypes.length l)%nat -> at_ (rev_append l []) k = nth (Datatypes.length l - S k) l 0%Z.
Proof. intros H. unfold at_. rewrite rev_append_rev, app_nil_r. apply rev_nth, H. Qed.

Section sound.

Variables (m n : nat) (length : nat) (bits : Z).
Hypothesis m_three : (3 <= m)%nat.
Hypothesis n_some : (1 <= n)%nat.
Hypothesis bits_some : (0 <= bits)%Z.

Notation U := (IZR (unit bits)).

Lemma unit_positive : (0 < unit bits)%Z.
Proof. unfold unit. apply Z.pow_pos_nonneg; lia. Qed.

Lemma factors_rising x k : IZR (factors x k) = rising (IZR x) k.
Proof.
  induction k as [| k IH]; [reflexivity |]. cbn [factors rising]. rewrite mult_IZR, IH, plus_IZR, <- INR_IZR_INZ.
    reflexivity.
Qed.

Lemma up_step k : IZR (up (Z.of_nat m) (Z.of_nat k)) = step m k * INR (S k).
Proof.
  unfold up, step. rewrite mult_IZR, factors_rising, mult_IZR, <- !INR_IZR_INZ, <- mult_INR.
  replace (Z.to_nat (Z.of_nat m - 1)) with (m - 1)%nat by lia. field. apply not_0_INR. lia.
Qed.

Lemma up_positive k : (0 < up (Z.of_nat m) (Z.of_nat k))%Z.
Proof.
  apply lt_IZR. rewrite up_step. apply Rmult_lt_0_compat; [apply step_positive, m_three | apply lt_0_INR; lia].
Qed.

(** A list of values f k, ..., f 0. *)
Definition values_down (f : nat -> R) (k : nat) (l : list Z) : Prop :=
  Datatypes.length l = S k /\ forall j, (j <= k)%nat -> IZR (nth (k - j) l 0%Z) = f j.

Lemma values_at f k l : values_down f k l -> forall j, (j <= k)%nat -> IZR (at_ (rev_append l []) j) = f j.
Proof. intros [L H] j J. rewrite rev_at, L by lia. replace (S k - S j)%nat with (k - j)%nat by lia. apply H, J. Qed.

Lemma values_cons f k l x : values_down f k l -> IZR x = f (S k) -> values_down f (S k) (x :: l).
Proof.
  intros [L H] E. split; [simpl; lia |]. intros j J. destruct (Nat.eq_dec j (S k)) as [-> | N].
  - rewrite Nat.sub_diag. exact E.
  - replace (S k - j)%nat with (S (k - j)) by lia. apply H. lia.
Qed.

Lemma weights_sound k l : weights_down (Z.of_nat m) k = Some l -> values_down (stub_weight m) k l.
Proof.
  revert l. induction k as [| k IH]; intros l H.
  - injection H as <-. split; [reflexivity |]. intros j J. replace j with O by lia. rewrite (s_0 m). reflexivity.
  - cbn [weights_down] in H. destruct (weights_down (Z.of_nat m) k) as [[| s rest] |]; try discriminate.
    destruct (exactly _ _) as [t |] eqn:E; [| discriminate]. injection H as <-. specialize (IH _ eq_refl).
    apply values_cons; [exact IH |]. apply exactly_sound in E; [| lia]. rewrite E, mult_IZR, up_step, <- INR_IZR_INZ.
    assert (X := proj2 IH k (le_n k)). rewrite Nat.sub_diag in X. cbn [nth] in X. rewrite X, (s_step m m_three). field.
    apply not_0_INR. lia.
Qed.

Lemma newton_sound e j k weights l :
  IZR (newton e j k weights l) = total (seq 0 (Datatypes.length l)) (fun i =>
    ((IZR k + INR i) * (IZR e + 1) - IZR j) * (IZR (nth i weights 0%Z) * IZR (nth i l 0%Z))).
Proof.
  revert k weights. induction l as [| p l IH]; intros k weights; [destruct weights; reflexivity |].
  cbn [Datatypes.length]. rewrite total_seq_shift. destruct weights as [| s weights].
  - simpl. rewrite (total_ext _ _ (fun _ => 0)), total_zero; [ring |]. intros i _. destruct i; simpl; ring.
  - cbn [newton nth]. rewrite plus_IZR, IH, !mult_IZR, minus_IZR, mult_IZR, !plus_IZR. f_equal; [simpl; ring |].
    apply total_ext. intros i _. rewrite S_INR. ring.
Qed.

Lemma powers_sound (e : nat) ws K : (forall i, (i < K)%nat -> IZR (nth i ws 0%Z) = stub_weight m (S i)) ->
  forall k l, (k <= K)%nat -> powers_down (Z.of_nat e) ws k = Some l -> values_down (power (stub_weight m) e) k l.
Proof.
  intros W k. induction k as [| k IH]; intros l Hk H.
  - injection H as <-. split; [reflexivity |]. intros j J. replace j with O by lia.
    rewrite (power_at_0 _ (s_0 m)). reflexivity.
  - cbn [powers_down] in H. destruct (powers_down _ ws k) as [l' |]; [| discriminate].
    destruct (exactly _ _) as [p |] eqn:E; [| discriminate]. injection H as <-. specialize (IH l' ltac:(lia) eq_refl).
    apply values_cons; [exact IH |]. apply exactly_sound in E; [| lia]. destruct IH as [L V].
    rewrite E, newton_sound, L, <- !INR_IZR_INZ.
    assert (X := power_recursion (stub_weight m) (s_0 m) e (S k)).
    rewrite <- seq_shift, total_map in X.
    apply Rmult_eq_reg_l with (INR (S k)); [| apply not_0_INR; lia]. rewrite X.
    assert (D : forall x, INR (S k) * (x / INR (S k)) = x) by (intros x; field; apply not_0_INR; lia). rewrite D.
    apply total_ext. intros i I. apply in_seq in I. rewrite W by lia.
    assert (Y := V (k - i)%nat ltac:(lia)). replace (k - (k - i))%nat with i in Y by lia. rewrite Y.
    replace (S k - S i)%nat with (k - i)%nat by lia. rewrite !S_INR. ring.
Qed.

(** ** The rounded numbers *)

Lemma split_step l r : (r < l)%nat -> most_points.split m l (S r) * (step m
  (l - S r)) = most_points.split m l r * step m r.
Proof.
  intros H. unfold most_points.split. replace (stub_weight m (l - r)) with (stub_weight m (l - S r) * step m (l - S r))
    by (rewrite <- s_step by exact m_three; f_equal; lia). rewrite (s_step m m_three r).
  assert (P := s_positive m l). field. lra.
Qed.

Lemma splits_down_sound l k : (k <= l)%nat ->
  Datatypes.length (splits_down (Z.of_nat m) bits (Z.of_nat l) k) = S k /\
  forall j, (j <= k)%nat -> most_points.split m l j * U <= IZR (nth (k - j) (splits_down (Z.of_nat m) bits
    (Z.of_nat l) k) 0%Z).
Proof.
  induction k as [| k IH]; intros H.
  - split; [reflexivity |]. intros j J. replace j with O by lia. rewrite split_0 by exact m_three. simpl. lra.
  - destruct (IH ltac:(lia)) as [L V]. cbn [splits_down].
    destruct (splits_down (Z.of_nat m) bits (Z.of_nat l) k) as [| r rest]; [discriminate |].
    split; [simpl in *; lia |]. intros j J. destruct (Nat.eq_dec j (S k)) as [-> | N].
    + rewrite Nat.sub_diag. cbn [nth].
      replace (Z.of_nat l - 1 - Z.of_nat k)%Z with (Z.of_nat (l - S k)) by lia.
      replace (Z.of_nat l - Z.of_nat k)%Z with (Z.of_nat (S (l - S k))) by lia.
      apply ceiling_up; [apply Z.mul_pos_pos; [lia | apply up_positive] |].
      assert (X := V k (le_n k)). rewrite Nat.sub_diag in X. cbn [nth] in X.
      assert (E := split_step l k ltac:(lia)). rewrite !mult_IZR, !up_step, <- !INR_IZR_INZ.
      assert (P := step_positive m m_three k). assert (A : 0 < INR (S k)) by (apply lt_0_INR; lia).
      assert (B : 0 < INR (S (l - S k))) by (apply lt_0_INR; lia).
      replace (most_points.split m l (S k) * U * (INR (S k) * (step m (l - S k) * INR (S (l - S k))))) with
        (most_points.split m l (S k) * step m (l - S k) * U * (INR (S k) * INR (S (l - S k)))) by ring.
      rewrite E. replace (most_points.split m l k * step m k * U * (INR (S k) * INR (S (l - S k)))) with
        (most_points.split m l k * U * (step m k * INR (S k) * INR (S (l - S k)))) by ring.
      apply Rmult_le_compat_r; [apply Rmult_le_pos; [apply Rmult_le_pos |]; lra | exact X].
    + replace (S k - j)%nat with (S (k - j)) by lia. apply V. lia.
Qed.

Lemma splits_sound l k j : (k <= l)%nat -> (j <= k)%nat ->
  most_points.split m l j * U <= IZR (at_ (splits (Z.of_nat m) bits (Z.of_nat l) k) j).
Proof.
  intros H J. destruct (splits_down_sound l k H) as [L V]. unfold splits. rewrite rev_at, L by lia.
  replace (S k - S j)%nat with (k - j)%nat by lia. apply V, J.
Qed.

Section weights.

Variables (K : nat) (down : list Z).
Hypothesis down_weights : weights_down (Z.of_nat m) K = Some down.

Notation weights := (rev_append down []).

Lemma weight_at k : (k <= K)%nat -> IZR (at_ weights k) = stub_weight m k.
Proof. apply values_at, weights_sound, down_weights. Qed.

Lemma weight_positive k : (k <= K)%nat -> (0 < at_ weights k)%Z.
Proof. intros H. apply lt_IZR. rewrite weight_at by exact H. apply s_positive. Qed.

Lemma tail_at i : nth i (tl weights) 0%Z = at_ weights (S i).
Proof. unfold at_. destruct weights; [destruct i; reflexivity | reflexivity]. Qed.

Lemma coefficients_at (e : nat) k l : (k <= K)%nat -> coefficients weights (Z.of_nat e) k = Some l ->
  forall j, (j <= k)%nat -> IZR (at_ l j) = power (stub_weight m) e j.
Proof.
  intros Hk H. unfold coefficients in H. destruct (powers_down _ _ k) as [d |] eqn:E; [| discriminate].
  injection H as <-. apply values_at. apply (powers_sound e (tl weights) K) in E; [exact E | | exact Hk].
  intros i I. rewrite tail_at. apply weight_at. lia.
Qed.

(** h_q(r) *)
Lemma colourings_at (e : nat) k l j : (k <= K)%nat -> coefficients weights (Z.of_nat e) k = Some l -> (j <= k)%nat ->
  mean_colourings m j e * IZR (at_ weights j) = IZR (at_ l j).
Proof.
  intros Hk H J. rewrite (coefficients_at e k l Hk H j J), weight_at by lia. unfold mean_colourings, power.
  assert (P := s_positive m j). field. lra.
Qed.

Lemma short_sound (q : nat) v : (2 <= q)%nat -> n = K ->
  short_excess (Z.of_nat n) bits weights (Z.of_nat q) = Some v -> excess m n q * U <= IZR v.
Proof.
  intros Q E H. unfold short_excess in H. rewrite Nat2Z.id in H.
  destruct (coefficients weights (Z.of_nat q) n) as [l |] eqn:C; [| discriminate]. injection H as <-.
  assert (W := weight_positive n ltac:(lia)). assert (Cn := colourings_at q n l n ltac:(lia) C (le_n n)).
  apply ceiling_up; [apply Z.mul_pos_pos; lia |]. rewrite !mult_IZR, minus_IZR, !mult_IZR, <- INR_IZR_INZ, <- Cn.
  unfold excess. assert (0 < INR q) by (apply lt_0_INR; lia). right. field. lra.
Qed.

Section long.

Variable p : nat.
Variables first_ones fewer : list Z.
Hypothesis K_length : K = S length.
Hypothesis length_some : (1 <= length)%nat.
Hypothesis first_ones_are : coefficients weights (Z.of_nat (S p)) length = Some first_ones.
Hypothesis fewer_are : coefficients weights (Z.of_nat p) length = Some fewer.

Lemma middle_small : (2 * middle length + 1 <= length)%nat.
Proof. unfold middle. assert (X := Nat.div_mod (length - 1) 2 ltac:(lia)). lia. Qed.

Lemma recursion_sound l : (length < l)%nat ->
  few m (middle length) p l * U <= IZR (fst (recursion (Z.of_nat m) length bits weights (Z.of_nat l) fewer)) /\
  weighed m (middle length) l * U <= IZR (snd (recursion (Z.of_nat m) length bits weights (Z.of_nat l) fewer)).
Proof.
  intros H. assert (M := middle_small). unfold recursion. cbn [fst snd]. split.
  - rewrite IZR_added. unfold few. rewrite <- total_scal_r. apply total_le. intros r I. apply in_seq in I.
    apply ceiling_up; [apply weight_positive; lia |].
      rewrite mult_IZR, <- (colourings_at p length fewer r) by (assumption || lia).
    replace (most_points.split m l r * mean_colourings m r p * U * IZR (at_ weights r)) with
      (most_points.split m l r * U * (mean_colourings m r p * IZR (at_ weights r))) by ring.
    apply Rmult_le_compat_r; [| apply splits_sound; lia].
    apply Rmult_le_pos; [apply h_nonneg | apply IZR_le, Z.lt_le_incl, weight_positive; lia].
  - rewrite plus_IZR, IZR_added, mult_IZR, <- INR_IZR_INZ. unfold weighed. rewrite Rmult_plus_distr_r, <- total_scal_r.
    assert (L : 0 < INR l) by (apply lt_0_INR; lia). apply Rplus_le_compat.
    + apply total_le. intros r I. apply in_seq in I. apply ceiling_up; [lia |]. rewrite mult_IZR, <- !INR_IZR_INZ.
      replace (INR r / INR l * most_points.split m l r * U * INR l) with
        (INR r * (most_points.split m l r * U)) by (field; lra).
      apply Rmult_le_compat_l; [apply pos_INR | apply splits_sound; lia].
    + rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra | apply splits_sound; lia].
Qed.

Lemma largest_sound (f : nat -> Z) b l : IZR b <= IZR (fold_right (fun r s => Z.max s (f r)) b l) /\
  forall r, In r l -> IZR (f r) <= IZR (fold_right (fun r s => Z.max s (f r)) b l).
Proof.
  induction l as [| a l [B IH]]; simpl; [split; [lra | intros r []] |]. split.
  - eapply Rle_trans; [exact B |]. apply IZR_le. lia.
  - intros r [<- | I]; [apply IZR_le; lia |]. eapply Rle_trans; [apply IH, I |]. apply IZR_le. lia.
Qed.

Lemma long_sound v : (2 * length + 2 <= n)%nat ->
  long_excess_above (Z.of_nat m) (Z.of_nat n) length bits weights (Z.of_nat (S (S p))) = Some v ->
  excess m n (S (S p)) * U <= IZR v.
Proof.
  intros Hn. unfold long_excess_above.
  replace (Z.of_nat (S (S p)) - 1)%Z with (Z.of_nat (S p)) by lia.
  replace (Z.of_nat (S p) - 1)%Z with (Z.of_nat p) by lia. rewrite first_ones_are, fewer_are.
  assert (M := middle_small). assert (U0 := IZR_lt _ _ unit_positive).
  set (rho := splits (Z.of_nat m) bits (Z.of_nat n) (S length)). set (near := added _ (seq 1 length)).
  set (far := added _ (seq 1 length)).
  replace (Z.of_nat n - Z.of_nat length)%Z with (Z.of_nat (n - length)) by lia.
  assert (R1 := recursion_sound (S length) ltac:(lia)). assert (R2 := recursion_sound (n - length)%nat ltac:(lia)).
  destruct (recursion (Z.of_nat m) length bits weights (Z.of_nat (S length)) fewer) as [first slope].
  destruct (recursion (Z.of_nat m) length bits weights (Z.of_nat (n - length)) fewer) as [first' slope'].
  cbn [fst snd] in R1, R2. destruct R1 as [A1 W1], R2 as [A2 W2].
  set (rest := (unit bits - Z.of_nat p * slope)%Z). destruct (Z.leb_spec rest 0) as [Z0 | Z0]; [discriminate |].
  set (bound := fold_right _ _ _). set (at_the_end := (first' + _)%Z). intros H. injection H as <-.
  assert (Z1 := IZR_lt _ _ Z0).
  assert (N : 0 < INR n) by (apply lt_0_INR; lia). assert (P := pos_INR p).
    assert (Q : 0 < INR (S p)) by (apply lt_0_INR; lia).
  assert (RU : IZR rest = U - INR p * IZR slope) by (unfold rest; rewrite minus_IZR, mult_IZR, <- INR_IZR_INZ;
    reflexivity).
  assert (First : 0 <= IZR first).
  { eapply Rle_trans; [| exact A1]. apply Rmult_le_pos; [apply few_nonneg | lra]. }
  destruct (largest_sound (fun r => ceiling_div (at_ first_ones r * unit bits) (Z.of_nat (S p) * at_ weights r))
    (ceiling_div (first * unit bits) rest) (seq (S (middle length)) (length - middle length))) as [B1 B2].
  fold bound in B1, B2.
  assert (B3 : IZR first * U / IZR rest <= IZR bound).
  { eapply Rle_trans; [| exact B1]. apply ceiling_up; [exact Z0 |]. rewrite mult_IZR. right. field. lra. }
  assert (Bound0 : 0 <= IZR bound).
  { eapply Rle_trans; [| exact B3].
    apply Rmult_le_pos; [apply Rmult_le_pos; lra | apply Rlt_le, Rinv_0_lt_compat; lra]. }
  assert (B4 : IZR first * U <= IZR bound * IZR rest).
  { apply (Rmult_le_compat_r (IZR rest)) in B3; [| lra].
    replace (IZR first * U / IZR rest * IZR rest) with (IZR first * U) in B3 by (field; lra). exact B3. }
  assert (End : IZR first' + INR p * IZR bound * IZR slope' / U <= IZR at_the_end).
  { unfold at_the_end. rewrite plus_IZR. apply Rplus_le_compat_l. apply ceiling_up; [exact unit_positive |].
    rewrite !mult_IZR, <- INR_IZR_INZ. right. field. lra. }
  assert (X := long_excess m m_three n length (middle length) p (IZR near / U) (IZR far / U)
    (IZR (at_ rho (S length)) / U) (IZR first / U) (IZR slope / U)
    (IZR at_the_end / U - INR p * (IZR bound / U) * (IZR slope' / U)) (IZR slope' / U) (IZR bound / U) M Hn).
  assert (Div : forall x y, x * U <= y -> x <= y / U).
  { intros x y E. apply Rmult_le_reg_r with U; [exact U0 |]. replace (y / U * U) with y by (field; lra). exact E. }
  apply Rle_trans with ((IZR near / U + INR (S p) * (IZR far / U * (IZR at_the_end / U - INR p * (IZR bound / U) *
    (IZR slope' / U) + INR p * (IZR bound / U) * (IZR slope' / U)) + INR n * (IZR (at_ rho (S length)) / U) *
    (IZR bound / U))) * U).
  - apply Rmult_le_compat_r; [lra |]. apply X; clear X.
    + apply Rmult_le_pos; [exact Bound0 | apply Rlt_le, Rinv_0_lt_compat, U0].
    + apply Div. unfold near. rewrite IZR_added, <- total_scal_r. apply total_le. intros r I. apply in_seq in I.
      apply ceiling_up; [apply Z.mul_pos_pos; [lia | apply weight_positive; lia] |].
      replace (Z.of_nat n - Z.of_nat r)%Z with (Z.of_nat (n - r)) by lia.
      rewrite !mult_IZR, <- (colourings_at (S p) length first_ones r), <- !INR_IZR_INZ by (assumption || lia).
      replace (INR (n - r) / INR n * (most_points.split m n r * mean_colourings m r (S p)) * U * (INR n * IZR
        (at_ weights r))) with
        (INR (n - r) * (most_points.split m n r * U) * (mean_colourings m r (S p) * IZR (at_ weights r))) by (field;
          lra).
      apply Rmult_le_compat_r.
      * apply Rmult_le_pos; [apply h_nonneg | apply IZR_le, Z.lt_le_incl, weight_positive; lia].
      * apply Rmult_le_compat_l; [apply pos_INR | apply splits_sound; lia].
    + apply Div. unfold far. rewrite IZR_added, <- total_scal_r. apply total_le. intros r I. apply in_seq in I.
      apply ceiling_up; [lia |]. rewrite mult_IZR, <- !INR_IZR_INZ.
      replace (INR r / INR n * most_points.split m n r * U * INR n) with
        (INR r * (most_points.split m n r * U)) by (field; lra).
      apply Rmult_le_compat_l; [apply pos_INR | apply splits_sound; lia].
    + apply Div, splits_sound; lia.
    + apply Div, A1.
    + apply Div, W1.
    + apply Rmult_le_reg_r with (U * U); [apply Rmult_lt_0_compat; exact U0 |].
      replace ((IZR first / U + INR p * (IZR bound / U) * (IZR slope / U)) * (U * U)) with
        (IZR first * U + INR p * IZR bound * IZR slope) by (field; lra).
      replace (IZR bound / U * (U * U)) with (IZR bound * U) by (field; lra). rewrite RU in B4. lra.
    + intros r Hr. apply Div. eapply Rle_trans; [| apply (B2 r), in_seq; lia].
      apply ceiling_up; [apply Z.mul_pos_pos; [lia | apply weight_positive; lia] |].
      rewrite !mult_IZR, <- (colourings_at (S p) length first_ones r), <- INR_IZR_INZ by (assumption || lia). right.
        field. lra.
    + apply Rle_trans with (IZR first' / U); [apply Div, A2 |]. apply Rmult_le_reg_r with U; [exact U0 |].
      replace (IZR first' / U * U) with (IZR first') by (field; lra).
      replace ((IZR at_the_end / U - INR p * (IZR bound / U) * (IZR slope' / U)) * U) with
        (IZR at_the_end - INR p * IZR bound * IZR slope' / U) by (field; lra). lra.
    + apply Div, W2.
  - rewrite plus_IZR. assert (C : INR (S p) * (IZR far * IZR at_the_end + INR n * IZR (at_ rho
    (S length)) * IZR bound) / U <=
      IZR (ceiling_div (Z.of_nat (S p) * (far * at_the_end + Z.of_nat n * at_ rho (S length) * bound)) (unit bits))).
    { apply ceiling_up; [exact unit_positive |]. rewrite mult_IZR, plus_IZR, !mult_IZR, <- !INR_IZR_INZ. right.
      field. lra. }
    eapply Rle_trans; [| apply Rplus_le_compat_l, C]. right. field. lra.
Qed.

End long.
End weights.

Theorem excess_above_sound (q : nat) v : (2 <= q)%nat -> (1 <= length)%nat ->
  excess_above (Z.of_nat m) (Z.of_nat n) length bits (Z.of_nat q) = Some v -> excess m n q <= IZR v / U.
Proof.
  intros Q L H. assert (U0 := IZR_lt _ _ unit_positive). apply Rmult_le_reg_r with U; [exact U0 |].
  replace (IZR v / U * U) with (IZR v) by (field; lra). unfold excess_above in H. rewrite Nat2Z.id in H.
  destruct (Z.ltb_spec (2 * Z.of_nat length + 1) (Z.of_nat n)) as [I | I].
  - destruct (weights_down _ _) as [down |] eqn:W; [| discriminate].
    destruct q as [| [| p]]; [lia | lia |]. assert (H' := H). unfold long_excess_above in H.
    replace (Z.of_nat (S (S p)) - 1)%Z with (Z.of_nat (S p)) in H by lia.
    replace (Z.of_nat (S p) - 1)%Z with (Z.of_nat p) in H by lia.
    destruct (coefficients _ (Z.of_nat (S p)) length) as [first_ones |] eqn:E1; [| discriminate].
    destruct (coefficients _ (Z.of_nat p) length) as [fewer |] eqn:E2; [| discriminate].
    apply (long_sound (S length) down W p first_ones fewer); try assumption; try reflexivity. lia.
  - destruct (weights_down _ _) as [down |] eqn:W; [| discriminate].
    apply (short_sound n down W q v Q eq_refl H).
Qed.

End sound.
