(** The listings of the noise laws of exact_program.v are those of the laws.

    [law_of_listed]: if the parameters of a law are in their domains and [law_of] lists it, then the weight of every t
    is the total times the probability of t: for finite laws, for the sum of the weights of all messages of a data set,
    for n trials of rational probability, the sum of two such numbers, and for Poisson and negative binomial laws that
    are 0 with probability 1. [exact_law_listed]: then [exact_law_of] gives a listing in the sense of listed_laws.v.

    Idea: the exact division of [binomial_from] is the ratio of neighbouring binomial masses; the view of one more user
    is a convolution.

    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums laws privacy masses binomial binomial_row noise_on_naturals.
From ExactdpChecker Require Import claims posed exact_program aligned_pairs listed_laws.
Import ListNotations.
Open Scope R_scope.

(** A sum over the entries. *)
Definition summed_over (l : listing) (h : Z -> R) : R := total l (fun tx => IZR (snd tx) * h (fst tx)).

Definition at_outcome (t u : Z) : R := if Z.eqb u t then 1 else 0.

Lemma weight_at_sum l t : IZR (weight_at l t) = summed_over l (at_outcome t).
Proof.
  unfold summed_over. induction l as [| [u x] l IH]; [reflexivity |]. cbn [weight_at total fst snd].
  rewrite plus_IZR, IH. unfold at_outcome at 2. destruct (Z.eqb u t); ring.
Qed.

(** ** Finite laws *)

Lemma finite_weight d weights t :
  (0 < d)%Z -> (forall q, In q (map snd weights) -> (Zpos (Qden q) | d)%Z) ->
  IZR (weight_at (listing_over d weights) t) = IZR d * noise_mass (Finite weights) t.
Proof.
  intros Hd D. induction weights as [| [u q] weights IH]; [simpl; ring |].
  simpl in *. rewrite plus_IZR, IH by (intros r I; apply D; auto).
  destruct (Z.eqb u t); [rewrite over_value by auto |]; ring.
Qed.

(** ** Trials *)

Section trials.

Variables (N : nat) (p : Q).
Hypothesis p_chance : 0 <= Q2R p <= 1.

Let a := Qnum p.
Let b := (Zpos (Qden p) - Qnum p)%Z.

Lemma chance_parts : (0 <= a)%Z /\ (0 <= b)%Z /\ (a + b = Zpos (Qden p))%Z /\ Q2R p = IZR a / IZR (a + b).
Proof.
  unfold a, b. replace (Qnum p + (Zpos (Qden p) - Qnum p))%Z with (Zpos (Qden p)) by ring.
  assert (D : 0 < IZR (Zpos (Qden p))) by (apply (IZR_lt 0); lia). unfold Q2R in p_chance.
  assert (X : IZR (Qnum p) = IZR (Qnum p) * / IZR (Zpos (Qden p)) * IZR (Zpos (Qden p))) by (field; lra).
  split; [| split; [| split; reflexivity]].
  - apply le_IZR. rewrite X. apply Rmult_le_pos; lra.
  - enough (Qnum p <= Zpos (Qden p))%Z by lia. apply le_IZR.
    assert (Y := Rmult_le_compat_r _ _ _ (Rlt_le _ _ D) (proj2 p_chance)). lra.
Qed.

Notation coefficient i := (nth i (row a b N) 0%Z).

Lemma coefficient_value i : IZR (coefficient i) = IZR (Zpos (Qden p)) ^ N * binom N (Q2R p) i.
Proof.
  destruct chance_parts as [_ [_ [D ->]]]. rewrite row_entry by lia. rewrite D. reflexivity.
Qed.

Lemma coefficient_next i : (0 < b)%Z -> (i < N)%nat ->
  (coefficient i * ((Z.of_nat N - Z.of_nat i) * a) / ((Z.of_nat i + 1) * b) = coefficient (S i))%Z.
Proof.
  intros Hb Hi. assert (Hd : ((Z.of_nat i + 1) * b <> 0)%Z) by nia.
  symmetry. apply Z.div_unique_exact; [exact Hd |]. apply eq_IZR.
  rewrite !mult_IZR, minus_IZR, plus_IZR, !coefficient_value, <- !INR_IZR_INZ.
  destruct chance_parts as [_ [_ [D E]]]. destruct (row_weights a b ltac:(lia)) as [A B]. rewrite <- E, D in A, B.
  assert (R := binom_ratio N (Q2R p) i). rewrite S_INR in R.
  set (s := IZR (Zpos (Qden p))) in *. set (x := binom N (Q2R p) i) in *. set (y := binom N (Q2R p) (S i)) in *.
  rewrite <- A at 1. rewrite <- B at 1.
  transitivity (s ^ N * s * (x * (INR N - INR i) * Q2R p)); [ring |]. rewrite <- R. ring.
Qed.

Lemma coefficients_from left i : (0 < b)%Z -> (i + left = N)%nat ->
  binomial_from left (Z.of_nat N) a b (Z.of_nat i) (coefficient i) =
  map (fun k => (Z.of_nat k, coefficient k)) (seq i (S left)).
Proof.
  intros Hb. revert i. induction left as [| left IH]; intros i H; [reflexivity |].
  cbn [binomial_from]. rewrite coefficient_next by (try assumption; lia).
  replace (Z.of_nat i + 1)%Z with (Z.of_nat (S i)) by lia. rewrite IH by lia. reflexivity.
Qed.

Lemma coefficient_0 : coefficient 0 = (b ^ Z.of_nat N)%Z.
Proof.
  apply eq_IZR. destruct chance_parts as [_ [_ [D E]]]. rewrite row_entry by lia.
  rewrite binom_inside, choose_0 by lia. rewrite <- pow_IZR, Nat.sub_0_r.
  destruct (row_weights a b ltac:(lia)) as [_ B]. rewrite <- B, Rpow_mult_distr. simpl. ring.
Qed.

Lemma trials_sum h :
  summed_over (trials (Z.of_nat N) p) h =
  IZR (trials_total (Z.of_nat N) p) * total (seq 0 (S N)) (fun i => binom N (Q2R p) i * h (Z.of_nat i)).
Proof.
  unfold trials, trials_total, binomial_listing, summed_over. fold b a. rewrite <- pow_IZR.
  destruct chance_parts as [A [B [D E]]]. destruct (Z.eqb_spec b 0) as [Z | NZ].
  - assert (P : Q2R p = 1).
    { rewrite E, Z, Z.add_0_r. apply Rinv_r, not_0_IZR. lia. }
    rewrite total_seq_S, (total_ext (seq 0 N) _ (fun _ => 0)), total_zero.
    + rewrite binom_inside, choose_n, Nat.sub_diag, P, pow1 by lia. cbn [total fst snd]. rewrite <- pow_IZR.
      replace (IZR a) with (IZR (Zpos (Qden p))) by (f_equal; lia). simpl. ring.
    + intros i I. apply in_seq in I. rewrite binom_inside, P by lia. replace (N - i)%nat with (S (N - i - 1)) by lia.
      simpl. ring.
  - rewrite Nat2Z.id, <- coefficient_0. change 0%Z with (Z.of_nat 0) at 1. rewrite coefficients_from by lia.
    rewrite total_map, <- total_scal. apply total_ext. intros i _. simpl fst. simpl snd. rewrite coefficient_value.
    ring.
Qed.

Lemma trials_weight t :
  IZR (weight_at (trials (Z.of_nat N) p) t) = IZR (trials_total (Z.of_nat N) p) * binomial N (Q2R p) t.
Proof.
  rewrite weight_at_sum, trials_sum. f_equal. unfold at_outcome.
  destruct (Z_lt_le_dec t 0) as [L | L].
  - rewrite binomial_negative by exact L. transitivity (total (seq 0 (S N)) (fun _ => 0)); [| apply total_zero].
    apply total_ext. intros i _.
    destruct (Z.eqb_spec (Z.of_nat i) t); [lia | ring].
  - replace (binomial N (Q2R p) t) with (binom N (Q2R p) (Z.to_nat t))
      by (rewrite <- binomial_of_nat, Z2Nat.id by exact L; reflexivity). set (k := Z.to_nat t).
    rewrite (total_ext _ _ (fun i => if Nat.eq_dec k i then binom N (Q2R p) k else 0)).
    + destruct (le_lt_dec k N) as [K | K].
      * apply (total_single Nat.eq_dec); [apply seq_NoDup | apply in_seq; lia].
      * rewrite binom_outside by exact K. transitivity (total (seq 0 (S N)) (fun _ => 0)); [| apply total_zero].
        apply total_ext. intros i _.
        destruct (Nat.eq_dec k i); reflexivity.
    + intros i _. destruct (Z.eqb_spec (Z.of_nat i) t) as [X | X], (Nat.eq_dec k i) as [Y | Y]; try ring.
      * rewrite Y. ring.
      * exfalso. unfold k in Y. lia.
      * exfalso. unfold k in Y. lia.
Qed.

End trials.

(** ** The view of a data set *)

Definition message_sum (weights : list Z) (u : list nat) : Z := fold_right (fun m => Z.add (nth m weights 0%Z)) 0%Z u.

Lemma message_sum_app weights u v : message_sum weights (u ++ v) = (message_sum weights u + message_sum weights v)%Z.
Proof. induction u as [| m u IH]; simpl; [reflexivity |]. rewrite IH. ring. Qed.

Lemma row_sum d weights row h :
  (0 < d)%Z -> (forall q, In q (map fst row) -> (Zpos (Qden q) | d)%Z) ->
  summed_over (row_listing d weights row) h = IZR d * mean (row_law row) (fun u => h (message_sum weights u)).
Proof.
  intros Hd D. unfold summed_over, row_listing, mean, row_law. rewrite !total_map, <- total_scal. apply total_ext.
  intros [q u] I. simpl. rewrite over_value; [fold (message_sum weights u); ring | exact Hd |].
  apply D. change q with (fst (q, u)). apply in_map, I.
Qed.

Lemma entry_map {A B} (f : A -> B) l none none' x : f none = none' -> entry (map f l) none' x = f (entry l none x).
Proof.
  intros E. unfold entry. assert (L : last (map f l) none' = f (last l none)).
  { clear x. induction l as [| a [| b l] IH]; [symmetry; exact E | reflexivity |]. exact IH. }
  rewrite L. apply map_nth.
Qed.

Lemma entry_in {A} (l : list A) none x : l <> [] -> In (entry l none x) l.
Proof.
  intros N. unfold entry. destruct (le_lt_dec (length l) x) as [L | L]; [| apply nth_In, L].
  rewrite nth_overflow by exact L. destruct (exists_last N) as [m [a ->]]. rewrite last_last.
  apply in_or_app. right. left. reflexivity.
Qed.

Lemma view_weight d tab weights users t :
  (0 < d)%Z -> rows tab <> [] -> (forall q, In q (map fst (concat (rows tab))) -> (Zpos (Qden q) | d)%Z) ->
  IZR (weight_at (users_listing (map (row_listing d weights) (rows tab)) users) t) =
  IZR (d ^ Z.of_nat (length users)) *
  Pr (messages (table_law tab) users) (fun u => Z.eqb (message_sum weights u) t).
Proof.
  intros Hd NE D. rewrite <- pow_IZR. revert t. induction users as [| x users IH]; intros t.
  - simpl. unfold Pr. rewrite mean_ret. unfold indicator. destruct t; simpl; ring.
  - cbn [users_listing length pow]. rewrite convolve_at, (entry_map (row_listing d weights) (rows tab) [] [])
      by reflexivity.
    fold (summed_over (row_listing d weights (entry (rows tab) [] x)) (fun k =>
      IZR (weight_at (users_listing (map (row_listing d weights) (rows tab)) users) (t - k)))).
    rewrite row_sum; [| exact Hd |].
    + rewrite Rmult_assoc. f_equal. unfold Pr. cbn [messages]. rewrite mean_bind.
      rewrite <- mean_scal. apply mean_ext. intros mine. rewrite IH. f_equal.
      rewrite mean_bind. unfold Pr. apply mean_ext. intros others. rewrite mean_ret. unfold indicator.
      rewrite message_sum_app.
      destruct (Z.eqb_spec (message_sum weights others) (t - message_sum weights mine)),
        (Z.eqb_spec (message_sum weights mine + message_sum weights others) t); try reflexivity; lia.
    + intros q I. apply D. apply in_map_iff in I. destruct I as [o [<- I]]. apply in_map, in_concat.
      exists (entry (rows tab) [] x). split; [apply entry_in, NE | exact I].
Qed.

(** ** All of them *)

Lemma point_weight (w : Z -> R) : w 0%Z = 1 -> (forall t, t <> 0%Z -> w t = 0) ->
  forall t, IZR (weight_at point t) = IZR 1 * w t.
Proof.
  intros H0 H t. simpl. destruct t as [| q | q]; simpl; [rewrite H0; ring | |]; rewrite H by discriminate; ring.
Qed.

Lemma zero_numerator p : Qnum p = 0%Z -> Q2R p = 0.
Proof. intros H. unfold Q2R. rewrite H. ring. Qed.

Theorem law_of_listed nu l T :
  noise_posed nu -> law_of nu = Some (Listed l T) -> forall t, IZR (weight_at l t) = IZR T * noise_mass nu t.
Proof.
  intros H E. destruct nu as [weights | tab histogram weights | n p | n1 p1 n2 p2 | r p | p | e | s | mu | low high];
    simpl in H, E; try discriminate.
  - injection E as <- <-. intros t. apply finite_weight; [apply common_denominator_positive |].
    intros q I. apply common_denominator_divides, I.
  - injection E as <- <-. destruct H as [[NE _] _]. intros t.
    apply view_weight; [apply common_denominator_positive | exact NE |].
    intros q I. apply common_denominator_divides, I.
  - destruct p as [p | | | | | |]; try discriminate. injection E as <- <-. destruct H as [Hn [_ Hp]]. intros t.
    cbn [noise_mass value]. rewrite <- (Z2Nat.id n Hn), Nat2Z.id. apply trials_weight, Hp.
  - destruct p1 as [p1 | | | | | |], p2 as [p2 | | | | | |]; try discriminate. injection E as <- <-.
    destruct H as [[H1 [_ P1]] [H2 [_ P2]]]. intros t.
    rewrite <- (Z2Nat.id n1 H1), <- (Z2Nat.id n2 H2). rewrite convolve_at.
    fold (summed_over (trials (Z.of_nat (Z.to_nat n1)) p1) (fun k =>
      IZR (weight_at (trials (Z.of_nat (Z.to_nat n2)) p2) (t - k)))).
    rewrite trials_sum by exact P1. rewrite mult_IZR, Rmult_assoc. f_equal. cbn [noise_mass value].
    rewrite !Nat2Z.id, <- total_scal. apply total_ext. intros i _. rewrite trials_weight by exact P2. ring.
  - destruct p as [p | | | | | |]; try discriminate. destruct (Z.eqb_spec (Qnum p) 0) as [Z | _]; [| discriminate].
    injection E as <- <-. apply zero_numerator in Z. apply point_weight; cbn [noise_mass value]; unfold on_naturals;
      rewrite Z.
    + simpl. unfold Rpower. rewrite Rminus_0_r, ln_1, Rmult_0_r, exp_0. field.
    + intros t N. destruct (Z.ltb_spec t 0); [reflexivity |].
      replace (Z.to_nat t) with (S (Z.to_nat t - 1)) by lia. rewrite pow_i by lia. ring.
  - destruct p as [p | | | | | |]; try discriminate. destruct (Z.eqb_spec (Qnum p) 0) as [Z | _]; [| discriminate].
    injection E as <- <-. apply zero_numerator in Z. apply point_weight; cbn [noise_mass value]; unfold on_naturals;
      rewrite Z.
    + simpl. ring.
    + intros t N. destruct (Z.ltb_spec t 0); [reflexivity |].
      replace (Z.to_nat t) with (S (Z.to_nat t - 1)) by lia. rewrite pow_i by lia. ring.
  - destruct e; discriminate.
  - destruct mu as [mu | | | | | |]; try discriminate. destruct (Z.eqb_spec (Qnum mu) 0) as [Z | _]; [| discriminate].
    injection E as <- <-. apply zero_numerator in Z. apply point_weight; cbn [noise_mass value]; unfold on_naturals;
      rewrite Z.
    + simpl. rewrite Ropp_0, exp_0. field.
    + intros t N. destruct (Z.ltb_spec t 0); [reflexivity |].
      replace (Z.to_nat t) with (S (Z.to_nat t - 1)) by lia. rewrite pow_i by lia. unfold Rdiv. ring.
Qed.

Theorem exact_law_listed nu l T :
  exact_law_of nu = Some (Listed l T) -> noise_posed nu /\ lists l T (noise_mass nu).
Proof.
  unfold exact_law_of. destruct (noise_is_posed nu) eqn:P; [| discriminate]. apply noise_is_posed_sound in P.
  destruct (law_of nu) as [[m U | | |] |] eqn:L; try discriminate.
  destruct (ascends m && Z.ltb 0 U)%bool eqn:A; [| discriminate]. intros E. injection E as <- <-.
  apply andb_true_iff in A. destruct A as [A B]. apply Z.ltb_lt in B. split; [exact P |].
  split; [exact A | split; [exact B | apply law_of_listed; assumption]].
Qed.
