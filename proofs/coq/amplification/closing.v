(** When both ends of k-ary randomized response are equal.

    k >= 3, real E = e^eps0 >= 1 and e = e^eps >= 1, n users, three different inputs x, y and z. With
    t(a, b) = a (E - e) - b (e E - 1): if no integers a, b >= 0 with a + b <= n have

      0 < t(a, b) < (e - 1) (n - a - b),

    the bound of the blanket for the pair (x, y) equals that of the row of z, which is the divergence where all others
    hold z ([k_ary_closes]). So no data set of the other users is worse than that one.

    Proof. Draw n letters: x and y have the weight q each under both references, and the values E - e and 1 - e E;
    every other letter has the value (1 - e) s with a number 0 <= s <= 1. Given the numbers a and b of x and y, the
    sum of the values is t(a, b) - (e - 1) S, where S is the sum of the other letters' s, between 0 and n - a - b. By
    the hypothesis its sign does not depend on S, so its positive part is 0 or t(a, b) - (e - 1) S: affine in S, with
    coefficients that depend on the places of x and y alone. The mean of s is the same under both references, hence
    so is that of the positive part ([affine_means_agree]). Source: this package. *)

From Coq Require Import Reals List Lra Lia Bool PeanoNat Psatz.
From Exactdp Require Import reals sums laws hockey_stick shuffler independence mean_excess classes supports
  k_ary_classes drawn_again atom_counts k_ary_ends.
Import ListNotations.
Open Scope R_scope.

(** ** Copies of letters *)

(** Two laws of letters (kind, s) with the same masses of the kinds, and the same means of s on each, give the same
    means to what is affine in the sum of all s, with coefficients that depend on the kinds. *)
Lemma affine_means_agree {K} (D1 D2 : dist (K * R)) :
  (forall c s : K -> R,
   mean D1 (fun l => c (fst l) + s (fst l) * snd l) = mean D2 (fun l => c (fst l) + s (fst l) * snd l)) ->
  forall n (c s : list K -> R),
  mean (copies D1 n) (fun l => c (map fst l) + s (map fst l) * total l snd) =
  mean (copies D2 n) (fun l => c (map fst l) + s (map fst l) * total l snd).
Proof.
  intros H n. induction n as [| n IH]; intros c s; [rewrite !mean_copies_none; reflexivity |].
  rewrite !mean_copies_first.
  set (c' := fun k => mean (copies D2 n) (fun l => c (k :: map fst l) + s (k :: map fst l) * total l snd)).
  set (s' := fun k => mean (copies D2 n) (fun l => s (k :: map fst l))).
  assert (Rest : forall a : K * R,
    mean (copies D2 n) (fun rest => c (map fst (a :: rest)) + s (map fst (a :: rest)) * total (a :: rest) snd) =
    c' (fst a) + s' (fst a) * snd a).
  { intros [k v]. unfold c', s'. simpl. rewrite Rmult_comm, <- mean_scal, <- mean_plus.
    apply mean_ext. intros l. ring. }
  rewrite (mean_ext D2 _ _ Rest), <- H. apply mean_ext. intros [k v]. rewrite <- Rest. simpl.
  transitivity (mean (copies D1 n) (fun l =>
    (c (k :: map fst l) + s (k :: map fst l) * v) + s (k :: map fst l) * total l snd));
    [apply mean_ext; intros; ring |].
  rewrite (IH (fun ks => c (k :: ks) + s (k :: ks) * v) (fun ks => s (k :: ks))). apply mean_ext. intros. ring.
Qed.

Lemma copies_of_values {A} (D : dist A) (h : A -> R) n f :
  mean (copies (map (fun wa => (fst wa, h (snd wa))) D) n) (fun l => f (sum_of_draws l)) =
  mean (copies D n) (fun l => f (total l h)).
Proof.
  revert f. induction n as [| n IH]; intros f; [rewrite !mean_copies_none; reflexivity |].
  rewrite !mean_copies_first. unfold mean at 1 3. rewrite total_map. apply total_ext. intros wa _. cbn [fst snd].
  f_equal.
  apply (IH (fun s => f (h (snd wa) + s))).
Qed.

(** ** The theorem *)

(** The letters: the two inputs of the pair, and any other one. *)
Inductive letter := First | Second | Other.

Definition letter_eq (a b : letter) : {a = b} + {a <> b}.
Proof. decide equality. Defined.

Definition no_pair_between (n : nat) (E e : R) : Prop :=
  forall a b, (a + b <= n)%nat ->
  ~ (0 < INR a * (E - e) - INR b * (e * E - 1) < (e - 1) * INR (n - a - b)).

Section Closing.

  Context (n : nat) (E e : R).
  Hypothesis e_1 : 1 <= e.
  Hypothesis closed : no_pair_between n E e.

  Definition letter_value (l : letter * R) : R :=
    match fst l with
    | First => E - e
    | Second => 1 - e * E
    | Other => (1 - e) * snd l
    end.

  (** The s of x and y are 0. *)
  Definition good_letter (l : letter * R) : Prop :=
    match fst l with Other => 0 <= snd l <= 1 | _ => snd l = 0 end.

  Definition how_many (a : letter) (l : list letter) : nat := count_occ letter_eq l a.

  Lemma how_many_cons a k l : how_many a (k :: l) = ((if letter_eq k a then 1 else 0) + how_many a l)%nat.
  Proof. unfold how_many. simpl. destruct (letter_eq k a); reflexivity. Qed.

  Definition t_of (kinds : list letter) : R :=
    INR (how_many First kinds) * (E - e) - INR (how_many Second kinds) * (e * E - 1).

  Lemma sum_of_letters l :
    (forall a, In a l -> good_letter a) ->
    total l letter_value = t_of (map fst l) - (e - 1) * total l snd /\
    (how_many First (map fst l) + how_many Second (map fst l) <= length l)%nat /\
    0 <= total l snd <= INR (length l - how_many First (map fst l) - how_many Second (map fst l)).
  Proof.
    intros G. induction l as [| [k s] l IH].
    - unfold t_of. simpl. split; [lra | split; [lia | lra]].
    - destruct IH as [V [B T]]; [intros a I; apply G; right; exact I |].
      assert (Gs := G _ (or_introl eq_refl)). unfold t_of, good_letter in *.
      cbn [total map fst snd length]. rewrite !how_many_cons, V.
      set (a := how_many First (map fst l)) in *. set (b := how_many Second (map fst l)) in *.
      destruct k; simpl (if letter_eq _ _ then _ else _); unfold letter_value; cbn [fst snd Nat.add] in *.
      + rewrite S_INR, Gs. split; [ring | split; [lia |]].
        replace (S (length l) - S a - b)%nat with (length l - a - b)%nat by lia. lra.
      + rewrite S_INR, Gs. split; [ring | split; [lia |]].
        replace (S (length l) - a - S b)%nat with (length l - a - b)%nat by lia. lra.
      + split; [ring | split; [lia |]]. replace (S (length l) - a - b)%nat with (S (length l - a - b)) by lia.
        rewrite S_INR. lra.
  Qed.

  Definition counts_in (kinds : list letter) : R := if Rlt_dec 0 (t_of kinds) then 1 else 0.

  (** The positive part is affine in the sum of the s. *)
  Lemma positive_part_affine l :
    length l = n -> (forall a, In a l -> good_letter a) ->
    Rmax 0 (total l letter_value) =
    counts_in (map fst l) * t_of (map fst l) + - counts_in (map fst l) * (e - 1) * total l snd.
  Proof.
    intros L G. destruct (sum_of_letters l G) as [-> [B [S0 S1]]]. rewrite L in *.
    unfold counts_in. destruct (Rlt_dec 0 (t_of (map fst l))) as [P | P].
    - assert (C := closed _ _ B). fold (t_of (map fst l)) in C.
      assert ((e - 1) * INR (n - how_many First (map fst l) - how_many Second (map fst l)) <= t_of (map fst l)) by lra.
      rewrite Rmax_right; [ring |]. nra.
    - rewrite Rmax_left; [ring |]. nra.
  Qed.

  Lemma letters_agree (D1 D2 : dist (letter * R)) :
    (forall a, In a (map snd D1) -> good_letter a) -> (forall a, In a (map snd D2) -> good_letter a) ->
    (forall c s : letter -> R,
      mean D1 (fun l => c (fst l) + s (fst l) * snd l) = mean D2 (fun l => c (fst l) + s (fst l) * snd l)) ->
    mean (copies D1 n) (fun l => Rmax 0 (total l letter_value)) =
    mean (copies D2 n) (fun l => Rmax 0 (total l letter_value)).
  Proof.
    intros G1 G2 H.
    assert (A : forall D, (forall a, In a (map snd D) -> good_letter a) ->
      mean (copies D n) (fun l => Rmax 0 (total l letter_value)) =
      mean (copies D n) (fun l => counts_in (map fst l) * t_of (map fst l) +
        - counts_in (map fst l) * (e - 1) * total l snd)).
    { intros D G. apply mean_ext_in. intros wl I. apply positive_part_affine.
      - apply (copies_length D n wl I).
      - intros a J. apply G, (copies_entries D n wl a I J). }
    rewrite (A D1 G1), (A D2 G2).
    apply (affine_means_agree D1 D2 H n (fun ks => counts_in ks * t_of ks) (fun ks => - counts_in ks * (e - 1))).
  Qed.

End Closing.

Theorem k_ary_closes k E e n x y z :
  1 <= E -> 1 <= e -> (x < k)%nat -> (y < k)%nat -> (z < k)%nat -> x <> y -> z <> x -> z <> y ->
  no_pair_between n E e ->
  reference_bound n (k_ary_response k E x) (k_ary_response k E y) e (k_ary_reference k E) =
  reference_bound n (k_ary_response k E x) (k_ary_response k E y) e (k_ary_response k E z).
Proof.
  intros HE He X Y Z N1 N2 N3 Closed. assert (K : (3 <= k)%nat) by lia.
  rewrite k_ary_upper_values, (k_ary_lower_values k E HE n e x y z) by (assumption || lia).
  set (q := response_low k E).
  set (upper := [(q, (First, 0)); (q, (Second, 0)); (INR (k - 2) * q, (Other, 1)); (1 - INR k * q, (Other, 0))]).
  set (lower := [(q, (First, 0)); (q, (Second, 0)); (E * q, (Other, / E)); (INR (k - 3) * q, (Other, 1))]).
  assert (I : 0 < / E <= 1).
  { split; [apply Rinv_0_lt_compat; lra |]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  unfold mean_excess. f_equal.
  transitivity (mean (copies upper n) (fun l => Rmax 0 (total l (letter_value E e)))).
  { rewrite <- (copies_of_values upper (letter_value E e) n (Rmax 0)).
    unfold upper, letter_value, k_ary_upper_law. simpl. fold q. rewrite Rmult_1_r, Rmult_0_r. reflexivity. }
  transitivity (mean (copies lower n) (fun l => Rmax 0 (total l (letter_value E e)))).
  2: { rewrite <- (copies_of_values lower (letter_value E e) n (Rmax 0)).
    unfold lower, letter_value, k_ary_lower_law. simpl. fold q. rewrite Rmult_1_r. reflexivity. }
  apply (letters_agree n E e He Closed).
  - intros a J. simpl in J. unfold good_letter. destruct J as [<- | [<- | [<- | [<- | []]]]]; simpl; lra.
  - intros a J. simpl in J. unfold good_letter. destruct J as [<- | [<- | [<- | [<- | []]]]]; simpl; lra.
  - intros c s. unfold mean. simpl. rewrite !minus_INR by lia. simpl.
    assert (M : (E + INR k - 1) * q = 1).
    { unfold q, response_low. apply Rinv_r. assert (A := le_INR 3 k K). simpl in A. lra. }
    assert (Mi : E * q * (c Other + s Other * / E) = E * q * c Other + q * s Other) by (field; lra).
    rewrite Mi. replace (1 - INR k * q) with (E * q - q) by lra. ring.
Qed.
