(** How far the views of two inputs with one sum are apart in split and mix, for all parameters.

    Each of n users splits a number into m shares modulo q, and all nm shares are shuffled; n, m, q >= 1.
    A random graph on n left and n right points with m stubs each, matched uniformly, has [mean_colourings] colourings
    with q colours of its components in the mean: the coefficient of z^n in S(z)^q over that in S, where S(z) is the sum
    of (mk)!/(k!)^2 z^k.
    [excess] is that mean over q, less 1: the mean of q^(C-1) less 1 for C components. Proved:

    - [all_colourings]: so many colourings do agree in the mean over all orders of the users who sent the messages;
    - [components_bound]: for two inputs with one sum modulo q and every event that ignores the order, the probabilities
      differ by at most sqrt((excess of q + excess of 2) / 2).

    Idea: the view is symmetrized over who sent which message, which leaves events that ignore the order alone; its
    second moment is a sum over pairs of colourings (random_graph.v). Only a q-th part of all sequences has the sum, so
    Cauchy and Schwarz give a factor 1/q, and an event less 1/2 is 1/2 in modulus.
    The methods Components.excess and SplitAndMix.prove of exactdp/checker/mixing.py rest on it.
    Source: BalleBellGasconNissim2020 for the protocol; the bound is this package's, docs/soundness.md. *)

From Coq Require Import Reals List Lra Lia ZArith Permutation.
From Exactdp Require Import sums laws privacy shuffler local_histogram words split_and_mix random_graph.
Import ListNotations.
Open Scope R_scope.

Definition stub_weight (m k : nat) : R := INR (fact (m * k)) / INR (fact k) ^ 2.

Definition mean_colourings (m n q : nat) : R := convolved q (fun _ => stub_weight m) n / stub_weight m n.

Definition excess (m n q : nat) : R := mean_colourings m n q / INR q - 1.

(** ** Letters *)

Definition same_letters (q : nat) (a b : list nat) : bool :=
  forallb (fun c => Nat.eqb (occurs a c) (occurs b c)) (seq 0 q).

Lemma one_if_same_letters q a b :
  one_if (same_letters q a b) = product_to q (fun c => if Nat.eqb (occurs a c) (occurs b c) then 1 else 0).
Proof.
  unfold same_letters. induction q as [| q IH]; [reflexivity |].
  rewrite seq_S, forallb_app. cbn [product_to]. rewrite <- IH. simpl. unfold one_if.
  destruct (forallb _ _), (Nat.eqb _ _); simpl; ring.
Qed.

Definition letters_below (q : nat) (a : list nat) : Prop := forall c, In c a -> (c < q)%nat.

Lemma occurs_permutation a b : Permutation a b -> forall c, occurs a c = occurs b c.
Proof. intros P. apply (Permutation_count_occ Nat.eq_dec), P. Qed.

Lemma same_letters_permutation q a b : letters_below q a -> letters_below q b ->
  same_letters q a b = true <-> Permutation a b.
Proof.
  intros A B. unfold same_letters. rewrite forallb_forall, (Permutation_count_occ Nat.eq_dec). split; intros H c.
  - destruct (Nat.lt_ge_cases c q) as [L | L].
    + apply Nat.eqb_eq, H, in_seq. lia.
    + assert (N : forall l, letters_below q l -> count_occ Nat.eq_dec l c = O).
      { intros l Hl. apply count_occ_not_In. intros I. apply Hl in I. lia. }
      rewrite !N by assumption. reflexivity.
  - intros _. apply Nat.eqb_eq, H.
Qed.

Lemma same_letters_ext q a a' b : Permutation a a' -> same_letters q a b = same_letters q a' b.
Proof.
  intros P. unfold same_letters. induction (seq 0 q) as [| c l IH]; [reflexivity |]. simpl.
  rewrite IH, (occurs_permutation a a' P). reflexivity.
Qed.

Lemma forallb_permutation {A} (f : A -> bool) l l' : Permutation l l' -> forallb f l = forallb f l'.
Proof.
  induction 1; simpl; [reflexivity | congruence | destruct (f x), (f y); reflexivity | congruence].
Qed.

Lemma occurs_stubs m k c : occurs (stubs m k) c = (m * occurs k c)%nat.
Proof.
  unfold occurs. induction k as [| a k IH]; [simpl; lia |]. cbn [stubs flat_map]. fold (stubs m k).
  rewrite count_occ_app, IH. simpl. assert (E : count_occ Nat.eq_dec (repeat a m) c = if Nat.eq_dec a c then m else O).
  { clear. induction m as [| m IH]; simpl; [destruct (Nat.eq_dec a c); reflexivity |].
    destruct (Nat.eq_dec a c); rewrite IH; reflexivity. }
  rewrite E. destruct (Nat.eq_dec a c); lia.
Qed.

Lemma occurs_sum q a : letters_below q a -> fold_right Nat.add 0%nat (map (occurs a) (seq 0 q)) = length a.
Proof.
  induction a as [| b a IH]; intros B.
  - induction (seq 0 q) as [| c l IHl]; [reflexivity | exact IHl].
  - cbn [length]. rewrite <- IH by (intros c I; apply B; right; exact I).
    assert (L := B b (or_introl eq_refl)). assert (I : In b (seq 0 q)) by (apply in_seq; lia).
    assert (N := seq_NoDup q 0). clear IH. induction (seq 0 q) as [| c l IHl]; [destruct I |].
      inversion N as [| ? ? Nc Nl]; subst.
    simpl. unfold occurs at 1. simpl. fold (occurs a c). destruct (Nat.eq_dec b c) as [<- | d].
    + simpl. do 2 f_equal. f_equal. apply map_ext_in. intros e J. unfold occurs. simpl.
      destruct (Nat.eq_dec b e) as [<- |]; [contradiction | reflexivity].
    + destruct I as [I | I]; [congruence |]. rewrite IHl by assumption. lia.
Qed.

(** The words with the letters of a. *)
Lemma words_with_letters q a : letters_below q a ->
  total (words q (length a)) (fun w => one_if (same_letters q w a)) =
  INR (fact (length a)) / product_to q (fun c => INR (fact (occurs a c))).
Proof.
  intros B. rewrite <- (words_with_counts q (length a) (occurs a)) by (apply occurs_sum, B).
  apply total_ext. intros w _. apply one_if_same_letters.
Qed.

Lemma words_below q n w : In w (words q n) -> letters_below q w.
Proof. intros I. apply in_words in I. exact (proj2 I). Qed.

Lemma product_of_factorials q (f : nat -> nat) : 0 < product_to q (fun c => INR (fact (f c))).
Proof. apply product_to_positive. intros c. apply lt_0_INR, lt_O_fact. Qed.

Section Bound.

Context (m n : nat).
Hypothesis m_some : (1 <= m)%nat.
Hypothesis n_some : (1 <= n)%nat.

Notation owners := (owners m n).

Lemma owners_length : length owners = (n * m)%nat.
Proof. unfold random_graph.owners. rewrite stubs_length, seq_length. reflexivity. Qed.

Lemma owners_below : letters_below n owners.
Proof. exact (owners_users m n m_some n_some). Qed.

Definition weight (rho : list nat) : R := one_if (same_letters n rho owners).

Lemma weight_ext rho rho' : Permutation rho rho' -> weight rho = weight rho'.
Proof. intros P. unfold weight. rewrite (same_letters_ext n rho rho' owners P). reflexivity. Qed.

Lemma weight_order rho f g : In rho (words n (n * m)) ->
  (Permutation rho owners -> f = g) -> weight rho * f = weight rho * g.
Proof.
  intros I H. unfold weight. destruct (same_letters n rho owners) eqn:E; [| simpl; ring]. f_equal. apply H.
  apply (same_letters_permutation n); [exact (words_below _ _ _ I) | exact (owners_below) | exact E].
Qed.

Definition orders : R := total (words n (n * m)) weight.

Lemma owners_in : In owners (words n (n * m)).
Proof. apply in_words. split; [exact owners_length | exact (owners_below)]. Qed.

Lemma orders_positive : 0 < orders.
Proof.
  apply Rlt_le_trans with (total [owners] weight).
  - simpl. unfold weight. rewrite (proj2 (same_letters_permutation n owners owners (owners_below) (owners_below)))
      by reflexivity. simpl. lra.
  - apply total_incl; [repeat constructor; intros [] | | intros rho _; apply one_if_bounds].
    intros rho [<- | []]. exact owners_in.
Qed.

Section Colours.

Context (q : nat).
Hypothesis q_some : (1 <= q)%nat.

(** In how many orders a word is the colouring k. *)
Definition reached (k w : list nat) : R :=
  total (words n (n * m)) (fun rho => weight rho * one_if (agree (pick rho k) w)).

Lemma pick_length rho k : length (pick rho k) = length rho.
Proof. apply map_length. Qed.

Lemma agree_pairs k rho w : length rho = length w ->
  agree (pick rho k) w = forallb (fun ci => Nat.eqb (nth (snd ci) k O) (fst ci)) (combine w rho).
Proof.
  revert w. induction rho as [| i rho IH]; intros [| c w] L; try discriminate; [reflexivity |]. simpl.
  rewrite <- IH by (simpl in L; lia). unfold agree.
  change (pick (i :: rho) k) with (nth i k O :: pick rho k).
  destruct (Nat.eqb_spec (nth i k O) c) as [<- | d], (list_eq_dec _ (pick rho k) w), (list_eq_dec _ (_ :: _) (_ :: _));
    simpl; congruence.
Qed.

Lemma reached_ext k w w' : length w = (n * m)%nat -> Permutation w w' -> reached k w = reached k w'.
Proof.
  intros L P. assert (X := words_against n w w' weight
    (fun p => one_if (forallb (fun ci => Nat.eqb (nth (snd ci) k O) (fst ci)) p)) P weight_ext).
  rewrite <- (Permutation_length P), L in X. unfold reached.
  assert (L' := Permutation_length P).
  rewrite (total_ext _ _ (fun rho => weight rho * one_if (forallb (fun ci => Nat.eqb (nth (snd ci) k O) (fst ci))
    (combine w rho)))),
    X, (total_ext _ (fun rho => weight rho * one_if (agree (pick rho k) w'))
      (fun rho => weight rho * one_if (forallb (fun ci => Nat.eqb (nth (snd ci) k O) (fst ci)) (combine w' rho)))).
  - reflexivity.
  - intros rho I. apply in_words in I. rewrite agree_pairs; [reflexivity | lia].
  - intros p p' H. rewrite (forallb_permutation _ p p' H). reflexivity.
  - intros rho I. apply in_words in I. rewrite agree_pairs; [reflexivity | lia].
Qed.

Lemma stubs_below k : letters_below q k -> letters_below q (stubs m k).
Proof. intros B c I. apply in_flat_map in I. destruct I as [d [J I]]. apply repeat_spec in I. subst. apply B, J. Qed.

Lemma reached_by_letters k w : In k (words q n) -> In w (words q (n * m)) ->
  reached k w = one_if (same_letters q w (stubs m k)) * reached k (stubs m k).
Proof.
  intros Ik Iw. assert (Bk := words_below _ _ _ Ik). assert (Bw := words_below _ _ _ Iw).
  assert (E := same_letters_permutation q w (stubs m k) Bw (stubs_below k Bk)).
  destruct (same_letters q w (stubs m k)).
  - rewrite (reached_ext k w (stubs m k)); [simpl; ring | apply (in_words q), Iw | apply E; reflexivity].
  - simpl. rewrite Rmult_0_l. unfold reached. rewrite <- (total_zero (words n (n * m))). apply total_ext. intros rho I.
    rewrite (weight_order rho _ 0 I); [ring |]. intros P. destruct (agree (pick rho k) w) eqn:A; [| reflexivity].
    apply agree_true in A. exfalso. assert (false = true); [| discriminate]. apply E. rewrite <- A.
    rewrite <- (pick_owners m n k) by (apply (in_words q), Ik). apply Permutation_map, P.
Qed.

Lemma all_reached k : In k (words q n) -> total (words q (n * m)) (reached k) = orders.
Proof.
  intros I. unfold reached, orders. rewrite total_swap. apply total_ext. intros rho J. rewrite total_scal.
  replace (total _ _) with 1; [ring |]. symmetry.
  rewrite <- (total_single (list_eq_dec Nat.eq_dec) (words q (n * m)) (pick rho k) 1 (words_NoDup q (n * m))).
  - apply total_ext. intros w _. unfold agree. destruct (list_eq_dec _ _ w); reflexivity.
  - apply in_words. rewrite pick_length. split; [apply (in_words n), J |].
    apply (pick_below n q rho k); [exact (words_below _ _ _ J) | exact I].
Qed.

Lemma reached_stubs k : In k (words q n) ->
  reached k (stubs m k) = orders * (product_to q (fun c => INR (fact (m * occurs k c))) / INR (fact (n * m))).
Proof.
  intros I. assert (B := stubs_below k (words_below _ _ _ I)).
  assert (L : length (stubs m k) = (n * m)%nat) by (rewrite stubs_length; f_equal; apply (in_words q), I).
  rewrite <- (all_reached k I).
  rewrite (total_ext _ _ (fun w => one_if (same_letters q w (stubs m k)) * reached k (stubs m k)))
    by (intros w J; apply reached_by_letters; assumption).
  rewrite total_scal_r, <- L, words_with_letters by exact B.
  rewrite (product_to_ext q (fun c => INR (fact (occurs (stubs m k) c))) (fun c => INR (fact (m * occurs k c))))
    by (intros c _; rewrite occurs_stubs; reflexivity).
  assert (P := product_of_factorials q (fun c => m * occurs k c)%nat). cbv beta in P. field.
  split; [apply INR_fact_neq_0 | lra].
Qed.

Lemma same_letters_stubs k k' : same_letters q (stubs m k') (stubs m k) = same_letters q k' k.
Proof.
  unfold same_letters. induction (seq 0 q) as [| c l IH]; [reflexivity |]. simpl. rewrite IH, !occurs_stubs. f_equal.
  destruct (Nat.eqb_spec (m * occurs k' c) (m * occurs k c)), (Nat.eqb_spec (occurs k' c) (occurs k c)); nia.
Qed.

Theorem all_colourings :
  total (words n (n * m)) (fun rho => weight rho * colourings m n q rho) = orders * mean_colourings m n q.
Proof.
  transitivity (total (words q n) (fun k => total (words q n) (fun k' => reached k (stubs m k')))).
  - unfold colourings, reached.
    rewrite (total_ext _ _ (fun rho => total (words q n) (fun k => total (words q n) (fun k' =>
      weight rho * one_if (agree (pick rho k) (pick owners k'))))))
      by (intros rho _; rewrite <- total_scal; apply total_ext; intros k _; symmetry; apply total_scal).
    rewrite total_swap. apply total_ext. intros k _. rewrite total_swap. apply total_ext. intros k' I.
    rewrite pick_owners by (apply (in_words q), I). reflexivity.
  - transitivity (total (words q n) (fun k => orders * (INR (fact n) / INR (fact (n * m)) *
      product_to q (fun c => INR (fact (m * occurs k c)) / INR (fact (occurs k c)))))).
    + apply total_ext. intros k I. assert (Lk := proj1 (proj1 (in_words q n k) I)).
      rewrite (total_ext _ _ (fun k' => one_if (same_letters q k' k) * reached k (stubs m k))).
      * rewrite total_scal_r, <- Lk at 1. rewrite words_with_letters, reached_stubs, Lk
          by (exact I || exact (words_below _ _ _ I)).
        assert (E : product_to q (fun c => / INR (fact (occurs k c))) = / product_to q (fun c => INR (fact
          (occurs k c)))).
        { clear. induction q as [| p IH]; simpl; [field | rewrite IH, Rinv_mult; reflexivity]. }
        unfold Rdiv. rewrite product_to_times, E. ring.
      * intros k' I'. rewrite <- same_letters_stubs. apply reached_by_letters; [exact I |]. apply in_words.
        rewrite stubs_length, (proj1 (proj1 (in_words q n k') I')). split; [reflexivity |].
        apply stubs_below, (words_below _ _ _ I').
    + rewrite !total_scal. rewrite (exponential_formula q n (fun _ j => INR (fact (m * j)) / INR (fact j))).
      unfold mean_colourings. f_equal. rewrite (convolved_ext q _ (fun _ => stub_weight m)).
      * set (V := convolved q (fun _ => stub_weight m) n). unfold stub_weight. rewrite (Nat.mul_comm m n). field.
        split; apply INR_fact_neq_0.
      * intros c j _. unfold stub_weight. field. apply INR_fact_neq_0.
Qed.

End Colours.

(** ** The distance *)

Context (q : nat).
Hypothesis q_some : (1 <= q)%nat.

Notation shown := (shown n q).

Definition spread (xs u : list nat) : R := total (words n (length u)) (fun rho => weight rho * shown rho xs u).

Lemma spread_ext xs u u' : Permutation u u' -> spread xs u = spread xs u'.
Proof. intros P. apply all_orders_symmetric; [exact weight_ext | exact P]. Qed.

(** What does not depend on the order has one mean, whoever sent the messages. *)
Lemma spread_mean xs t : (forall u u', Permutation u u' -> t u = t u') ->
  total (words q (n * m)) (fun u => t u * spread xs u) =
  orders * total (words q (n * m)) (fun u => t u * shown owners xs u).
Proof.
  intros St. transitivity (total (words n (n * m)) (fun rho =>
    weight rho * total (words q (n * m)) (fun u => t u * shown rho xs u))).
  - rewrite (total_ext _ _ (fun u => total (words n (n * m)) (fun rho => weight rho * (t u * shown rho xs u)))).
    + rewrite total_swap. apply total_ext. intros rho _. apply total_scal.
    + intros u I. unfold spread. rewrite (proj1 (proj1 (in_words _ _ _) I)), <- total_scal. apply total_ext.
      intros rho _. ring.
  - unfold orders. rewrite <- total_scal_r. apply total_ext. intros rho I. apply weight_order; [exact I |].
    intros P. apply shown_in_order; assumption.
Qed.

Lemma messages_mean xs F : length xs = n ->
  INR q ^ (n * m) * mean (messages (split q m) xs) F = total (words q (n * m)) (fun u => F u * shown owners xs u).
Proof.
  intros L. assert (X := split_messages q q_some m m_some xs F). rewrite L in X. rewrite X, <- total_scal.
  apply total_ext. intros u I. apply in_words in I.
  assert (Y := fits_by_cosines q q_some m m_some xs u 0 ltac:(lia)). rewrite L, cos_0 in Y.
  transitivity (F u * (INR q ^ n * (one_if (fits q m xs u) * 1))); [ring |]. f_equal. rewrite <- Y. apply total_ext.
  intros k J. rewrite Rplus_0_l, pick_owners by (apply (in_words q), J). reflexivity.
Qed.

Lemma fits_sum xs u : length u = (length xs * m)%nat -> fits q m xs u = true ->
  is_multiple q (sum_of u - sum_of xs) = true.
Proof.
  revert u. induction xs as [| x xs IH]; intros u L H.
  - destruct u; [| discriminate]. apply Z.eqb_eq. simpl. apply Z.mod_0_l. lia.
  - cbn [fits] in H. apply andb_prop in H. destruct H as [H K]. cbn [length Nat.mul] in L.
    apply IH in K; [| rewrite skipn_length; lia]. unfold is_multiple in *.
    apply Z.eqb_eq, Z.mod_divide in H; [| lia]. apply Z.eqb_eq, Z.mod_divide in K; [| lia].
    apply Z.eqb_eq, Z.mod_divide; [lia |]. rewrite <- (firstn_skipn m u), sum_of_app.
    replace (sum_of (x :: xs)) with (Z.of_nat x + sum_of xs)%Z by (unfold sum_of; simpl; lia).
    destruct H as [a A], K as [b B]. exists (a + b)%Z. lia.
Qed.

(** An event less 1/2, among the words with this sum. *)
Definition halved (s : Z) (T : list nat -> bool) (u : list nat) : R :=
  one_if (is_multiple q (sum_of u - s)) * (indicator T u - 1 / 2).

Lemma halved_mean xs s T : length xs = n -> is_multiple q (sum_of xs - s) = true ->
  Pr (messages (split q m) xs) T = mean (messages (split q m) xs) (halved s T) + 1 / 2.
Proof.
  intros L D. assert (P : 0 < INR q ^ (length xs * m)) by (apply pow_lt, lt_0_INR; lia).
  assert (X := mean_const (messages (split q m) xs) (1 / 2)).
  rewrite <- X, <- mean_plus.
  - apply Rmult_eq_reg_l with (INR q ^ (length xs * m)); [| lra]. unfold Pr. rewrite !split_messages by assumption.
    f_equal.
    apply total_ext. intros u I. apply in_words in I. destruct (fits q m xs u) eqn:Fi; [| simpl; ring].
    assert (E : is_multiple q (sum_of u - s) = true).
    { apply fits_sum in Fi; [| lia]. unfold is_multiple in *. apply Z.eqb_eq, Z.mod_divide in Fi; [| lia].
      apply Z.eqb_eq, Z.mod_divide in D; [| lia]. apply Z.eqb_eq, Z.mod_divide; [lia |].
      destruct Fi as [a A], D as [b B]. exists (a + b)%Z. lia. }
    unfold halved. rewrite E. simpl. ring.
  - apply proper_messages. intros x. apply proper_bind; [| intros; apply proper_ret]. apply proper_uniform.
    intros E. assert (I : In (repeat O (m - 1)) (words q (m - 1))).
    { apply in_words. split; [apply repeat_length |]. intros a I. apply repeat_spec in I. lia. }
    rewrite E in I. destruct I.
Qed.

Lemma halved_ext s T : symmetric T -> forall u u', Permutation u u' -> halved s T u = halved s T u'.
Proof.
  intros S u u' P. unfold halved, indicator, sum_of. rewrite (S u u' P), (list_sum_permutation u u' P). reflexivity.
Qed.

Lemma halved_square s T : INR q * total (words q (n * m)) (fun u => 1 * halved s T u ^ 2) = INR q ^ (n * m) / 4.
Proof.
  rewrite (total_ext _ _ (fun u => one_if (is_multiple q (sum_of u - s)) * (1 / 4))).
  2: { intros u _. unfold halved, indicator, one_if. destruct (is_multiple q _), (T u); field. }
  rewrite total_scal_r. replace (n * m)%nat with (S (n * m - 1)) by nia. rewrite total_words_S, total_swap.
  rewrite (total_ext _ _ (fun _ => 1)); [rewrite total_words_const; simpl; field |]. intros w _.
  rewrite <- (one_residue q q_some (s - sum_of w) (fun _ => 1)). apply total_ext. intros a _.
  rewrite Rmult_1_r. do 2 f_equal. unfold sum_of. simpl. lia.
Qed.

Context (xs ys : list nat).
Hypothesis xs_length : length xs = n.
Hypothesis ys_length : length ys = n.
Hypothesis one_sum : is_multiple q (sum_of ys - sum_of xs) = true.

Definition difference (u : list nat) : R := spread xs u - spread ys u.

Lemma opposite z : is_multiple q z = true -> is_multiple q (- z) = true.
Proof.
  unfold is_multiple. rewrite !Z.eqb_eq. intros H. apply Z.mod_divide in H; [| lia]. apply Z.mod_divide; [lia |].
  apply Z.divide_opp_r, H.
Qed.

Lemma difference_square : total (words q (n * m)) (fun u => 1 * difference u ^ 2) <=
  orders ^ 2 * INR q ^ (n * m) * (2 * INR q * (excess m n q + excess m n 2)).
Proof.
  assert (Q : 0 < INR q) by (apply lt_0_INR; lia). assert (O := orders_positive).
  assert (St : forall u u', Permutation u u' -> difference u = difference u')
    by (intros u u' P; unfold difference; rewrite !(spread_ext _ u u' P); reflexivity).
  apply Rle_trans with (orders * (INR q ^ (n * m) * total (words n (n * m)) (fun rho => weight rho *
    (2 * colourings m n q rho - INR q * (4 - colourings m n 2 rho))))).
  - apply Rle_trans with (orders * total (words q (n * m)) (fun u => difference u *
    (shown owners xs u - shown owners ys u))).
    + rewrite (total_ext _ (fun u => difference u * (shown owners xs u - shown owners ys u))
        (fun u => difference u * shown owners xs u - difference u * shown owners ys u)) by (intros; ring).
      rewrite total_minus, Rmult_minus_distr_l, <- !spread_mean, <- total_minus by exact St. right. apply total_ext.
      intros u _. unfold difference. ring.
    + apply Rmult_le_compat_l; [lra |].
      apply Rle_trans with (total (words n (n * m)) (fun rho => weight rho * (INR q ^ (n * m) *
        (overlap m n q rho xs xs - overlap m n q rho xs ys - overlap m n q rho ys xs + overlap m n q rho ys ys)))).
      * right. rewrite (total_ext _ _ (fun u => total (words n (n * m)) (fun rho => weight rho *
          (shown rho xs u * shown owners xs u - shown rho xs u * shown owners ys u -
           shown rho ys u * shown owners xs u + shown rho ys u * shown owners ys u)))).
        -- rewrite total_swap. apply total_ext. intros rho I. apply in_words in I. rewrite total_scal. f_equal.
           rewrite total_plus, !total_minus, !product_of_two by (assumption || exact (proj1 I) || exact (proj2 I)).
             ring.
        -- intros u I. unfold difference, spread. rewrite (proj1 (proj1 (in_words _ _ _) I)), <- total_minus.
           rewrite <- total_scal_r. apply total_ext. intros rho _. ring.
      * rewrite <- total_scal. apply total_le. intros rho I. apply in_words in I.
        rewrite <- (Rmult_assoc (INR q ^ _)), (Rmult_comm (INR q ^ _) (weight rho)), (Rmult_assoc (weight rho)).
        apply Rmult_le_compat_l; [apply one_if_bounds |]. apply Rmult_le_compat_l; [apply pow_le; lra |].
        assert (A : forall a b, length a = n -> length b = n -> is_multiple q (sum_of b - sum_of a) = true ->
          INR q * (4 - colourings m n 2 rho) / 2 <= overlap m n q rho a b <= colourings m n q rho)
          by (intros a b La Lb D; apply product_bounds; assumption || exact (proj1 I) || exact (proj2 I)).
        assert (Z : forall a : list nat, is_multiple q (sum_of a - sum_of a) = true)
          by (intros a; rewrite Z.sub_diag; apply Z.eqb_eq, Z.mod_0_l; lia).
        assert (X1 := A xs xs xs_length xs_length (Z xs)). assert (X2 := A ys ys ys_length ys_length (Z ys)).
        assert (X3 := A xs ys xs_length ys_length one_sum).
        assert (X4 := A ys xs ys_length xs_length
          ltac:(rewrite <- (opposite _ one_sum); f_equal; ring)). lra.
  - right. rewrite (total_ext _ _ (fun rho => 2 * (weight rho * colourings m n q rho) - 4 * INR q * weight rho +
      INR q * (weight rho * colourings m n 2 rho))) by (intros; ring).
    rewrite total_plus, total_minus, !total_scal, !all_colourings by (assumption || lia).
    fold orders. change (total (words n (n * m)) (fun rho => weight rho)) with orders. unfold excess.
    change (INR 2) with 2. field. lra.
Qed.

Theorem components_bound T : symmetric T ->
  Rabs (Pr (messages (split q m) xs) T - Pr (messages (split q m) ys) T) <=
  sqrt ((excess m n q + excess m n 2) / 2).
Proof.
  intros S. rewrite <- sqrt_Rsqr_abs. apply sqrt_le_1_alt. unfold Rsqr.
  assert (O := orders_positive). assert (Q : 0 < INR q) by (apply lt_0_INR; lia).
  assert (P : 0 < INR q ^ (n * m)) by (apply pow_lt; exact Q).
  set (D := Pr (messages (split q m) xs) T - Pr (messages (split q m) ys) T).
  set (h := halved (sum_of xs) T).
  assert (E : orders * INR q ^ (n * m) * D = total (words q (n * m)) (fun u => 1 * (difference u * h u))).
  { unfold D. rewrite (halved_mean xs (sum_of xs) T xs_length), (halved_mean ys (sum_of xs) T ys_length one_sum)
      by (rewrite Z.sub_diag; apply Z.eqb_eq, Z.mod_0_l; lia). fold h.
    transitivity (orders * (INR q ^ (n * m) * mean (messages (split q m) xs) h) -
      orders * (INR q ^ (n * m) * mean (messages (split q m) ys) h)); [ring |].
    rewrite !messages_mean, <- !spread_mean, <- total_minus by (assumption || apply halved_ext, S).
    apply total_ext. intros u _. unfold difference. ring. }
  assert (C := cauchy_schwarz (words q (n * m)) (fun _ => 1) difference h (fun _ _ => Rle_0_1)).
  cbv beta in C. rewrite <- E in C. assert (H := halved_square (sum_of xs) T). fold h in H.
    assert (G := difference_square).
  set (V := total (words q (n * m)) (fun u => 1 * difference u ^ 2)) in *.
  set (W := total (words q (n * m)) (fun u => 1 * h u ^ 2)) in *. set (X := excess m n q + excess m n 2) in *.
  assert (HW : W = INR q ^ (n * m) / 4 / INR q) by (apply Rmult_eq_reg_l with (INR q); [rewrite H; field |]; lra).
  assert (W0 : 0 <= W).
  { rewrite HW. apply Rlt_le, Rdiv_lt_0_compat; [apply Rdiv_lt_0_compat |]; lra. }
  assert (K : (orders * INR q ^ (n * m) * D) ^ 2 <= orders ^ 2 * INR q ^ (n * m) * (2 * INR q * X) * W)
    by (eapply Rle_trans; [exact C | apply Rmult_le_compat_r; assumption]).
  rewrite HW in K. apply Rmult_le_reg_l with ((orders * INR q ^ (n * m)) ^ 2);
    [apply pow_lt, Rmult_lt_0_compat; lra |].
  replace ((orders * INR q ^ (n * m)) ^ 2 * (D * D)) with ((orders * INR q ^ (n * m) * D) ^ 2) by ring.
  eapply Rle_trans; [exact K |]. right. field. lra.
Qed.

End Bound.
