(** Sums of bits that local protocols cannot tell apart: the two-point method with many points.

    n users hold a bit each and answer in turns as in local_randomized_response.v, each by an (eps, 0)-DP randomizer,
    eps > 0; any program estimates the number of ones from the list of all messages. [answers_sum E n k] is the law of
    the number of ones among the answers of randomized response where k of the n users hold 1. Take the sums
    k_j = first + j D, j = 0, ..., m, with first + m D <= n and D >= 1, and numbers o_j for j < m with
    P[answers_sum k_j in T] <= P[answers_sum k_(j+1) in T] + 1 - o_j for every set T: that is, 1 - o_j is at least
    the total variation distance of neighbouring laws. Then, whatever the protocol and the estimate, some data set of
    n bits whose sum is one of the k_j has an error of D/2 or more with probability (o_0 + ... + o_(m-1))/(m + 1) at
    least ([local_overlap]). All n, m and D, real eps > 0.

    Proof. Let the k_j users who hold 1 be drawn at random. Users may be put into a random order before they answer
    randomized response, or their answers afterwards ([order_of_users]): so the estimate may as well be made from the
    number of ones. It is nearer than D/2 to at most one k_j, so that the chances h_j(S) of that sum to 1 at most. And
    E_j[h_0 + ... + h_j] <= E_(j+1)[h_0 + ... + h_j] + 1 - o_j, so E_0[h_0] + ... + E_m[h_m] is at most
    1 + the sum of the 1 - o_j. Source: this package; two points are Le Cam's method. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick bits shuffler single_message bit_messages.
From Exactdp Require Import local_simulation local_randomized_response local_error.
Import ListNotations.
Open Scope R_scope.

(** ** Users in a random order *)

Lemma total_mean {A B} (l : list A) (d : dist B) f :
  total l (fun a => mean d (f a)) = mean d (fun b => total l (fun a => f a b)).
Proof. unfold mean. rewrite total_swap. apply total_ext. intros wb _. rewrite total_scal. reflexivity. Qed.

Lemma inserted_user {X A} (R : X -> dist A) x xs f :
  total (insertions x xs) (fun t => mean (reports R t) f) =
  mean (R x) (fun a => mean (reports R xs) (fun ys => total (insertions a ys) f)).
Proof.
  revert f. induction xs as [| b xs IH]; intros f.
  - simpl insertions. cbn [total]. rewrite mean_reports_first, Rplus_0_r. apply mean_ext. intros a.
    rewrite !mean_reports_none. simpl. ring.
  - cbn [insertions total]. rewrite total_map.
    rewrite (total_ext _ (fun t => mean (reports R (b :: t)) f)
      (fun t => mean (R b) (fun c => mean (reports R t) (fun ys => f (c :: ys)))))
      by (intros t _; apply mean_reports_first).
    rewrite total_mean.
    rewrite (mean_ext (R b) _ (fun c => mean (R x) (fun a => mean (reports R xs) (fun ys =>
      total (insertions a ys) (fun t => f (c :: t)))))) by (intros c; apply (IH (fun ys => f (c :: ys)))).
    rewrite mean_swap, mean_reports_first, <- mean_plus. apply mean_ext. intros a.
    rewrite !mean_reports_first, <- mean_plus. apply mean_ext. intros c. rewrite <- mean_plus.
    apply mean_ext. intros ys. cbn [insertions total]. rewrite total_map. reflexivity.
Qed.

Lemma order_of_users {X A} (R : X -> dist A) xs :
  same_law (bind (shuffler xs) (reports R)) (bind (reports R xs) shuffler).
Proof.
  intros f. rewrite !mean_bind. revert f. induction xs as [| x xs IH]; intros f.
  - simpl. rewrite mean_ret, !mean_reports_none. simpl. rewrite mean_ret. reflexivity.
  - cbn [shuffler]. rewrite mean_bind, mean_reports_first.
    rewrite (mean_ext_in (shuffler xs) _ (fun s => / INR (S (length xs)) *
      mean (reports R s) (fun ys => mean (R x) (fun a => total (insertions a ys) f)))).
    + rewrite mean_scal, (IH (fun ys => mean (R x) (fun a => total (insertions a ys) f))).
      rewrite (mean_ext (R x) _ (fun a => / INR (S (length xs)) *
        mean (reports R xs) (fun ys => mean (shuffler ys) (fun t => total (insertions a t) f)))).
      * rewrite mean_scal. f_equal. rewrite mean_swap. apply mean_ext. intros ys. apply mean_swap.
      * intros a. rewrite <- mean_scal. unfold reports. apply mean_messages_length. intros ys L.
        cbn [shuffler]. rewrite mean_bind, <- mean_scal. apply mean_ext_in. intros wt I.
        rewrite mean_uniform, insertions_length. rewrite <- (Permutation_length (shuffler_permutation ys wt I)), L.
        reflexivity.
    + intros ws I. rewrite mean_uniform, insertions_length.
      rewrite <- (Permutation_length (shuffler_permutation xs ws I)), inserted_user, mean_swap. reflexivity.
Qed.

(** ** One step from neighbouring sums *)

(** The number of ones among the answers, where k of n users hold 1. *)
Definition answers_sum (E : R) (n k : nat) : dist nat :=
  dmap ones (reports (randomized_response E) (sorted_bits n k)).

Lemma sorted_bits_length n k : (k <= n)%nat -> length (sorted_bits n k) = n.
Proof. intros H. unfold sorted_bits. rewrite app_length, !repeat_length. lia. Qed.

Lemma ones_sorted_bits n k : ones (sorted_bits n k) = k.
Proof.
  unfold sorted_bits. rewrite ones_app. replace (ones (repeat false (n - k))) with 0%nat.
  - rewrite Nat.add_0_r. induction k as [| k IH]; simpl; [reflexivity | f_equal; exact IH].
  - induction (n - k)%nat as [| i IH]; [reflexivity | exact IH].
Qed.

(** What does not depend on the order of the answers depends on their sum. *)
Lemma mean_of_sum E n k h : (k <= n)%nat -> (forall u v, Permutation u v -> h u = h v) ->
  mean (reports (randomized_response E) (sorted_bits n k)) h =
  mean (answers_sum E n k) (fun c => h (sorted_bits n c)).
Proof.
  intros K S. unfold answers_sum. rewrite mean_dmap. unfold reports. apply mean_messages_length. intros ys L.
  rewrite sorted_bits_length in L by exact K. rewrite <- L. apply S, permutation_sorted_bits.
Qed.

Lemma neighbouring_sums E n k k' delta h : (k <= n)%nat -> (k' <= n)%nat ->
  (forall u v, Permutation u v -> h u = h v) -> (forall u, 0 <= h u <= 1) ->
  below (answers_sum E n k) (answers_sum E n k') 1 delta ->
  mean (reports (randomized_response E) (sorted_bits n k)) h <=
  mean (reports (randomized_response E) (sorted_bits n k')) h + delta.
Proof.
  intros K K' S B H. rewrite !mean_of_sum by assumption.
  rewrite <- (Rmult_1_l (mean (answers_sum E n k') _)). apply below_mean; [exact H | intros c; apply B].
Qed.

(** ** The theorem *)

(** Some outcome that can be drawn is at least the mean. *)
Lemma some_outcome_above {A} (d : dist A) f c : proper d -> c <= mean d f -> exists wa, In wa d /\ c <= f (snd wa).
Proof.
  intros [W One] H. apply Classical_Prop.NNPP. intros No.
  assert (B : forall wa, In wa d -> 0 <= fst wa /\ f (snd wa) < c).
  { intros wa I. split; [apply W, I |]. apply Rnot_le_lt. intros G. apply No. exists wa. auto. }
  assert (L : mean d f <= c * mean d (fun _ => 1) /\ (mean d f = c * mean d (fun _ => 1) -> mean d (fun _ => 1) = 0)).
  { clear W One H No. unfold mean. induction d as [| [w a] d IH]; simpl; [split; [lra | reflexivity] |].
    destruct IH as [IH1 IH2]; [intros wa I; apply B; right; exact I |].
    destruct (B (w, a) (or_introl eq_refl)) as [Hw Hf]. simpl in Hw, Hf.
    assert (P : w * f a <= w * c) by (apply Rmult_le_compat_l; lra).
    split; [lra |]. intros E. assert (W0 : w * (c - f a) = 0) by lra.
    apply Rmult_integral in W0. destruct W0 as [-> | W0]; [| lra]. rewrite IH2 by lra. ring. }
  rewrite One in L. destruct L as [L1 L2]. assert (E : mean d f = c * 1) by lra. specialize (L2 E). lra.
Qed.

Section overlap.

Context {M : Type} (R : list M -> bool -> dist M) (estimate : list M -> dist Rdefinitions.R).
Variables (eps : Rdefinitions.R) (n first D m : nat) (overlap : nat -> Rdefinitions.R).
Hypothesis R_proper : forall said x, proper (R said x).
Hypothesis estimate_proper : forall said, proper (estimate said).
Hypothesis eps_positive : 0 < eps.
Hypothesis R_private : forall said, local_dp (R said) eps 0.
Hypothesis spacing_positive : (1 <= D)%nat.
Hypothesis all_fit : (first + m * D <= n)%nat.

Let sum_at (j : nat) : nat := (first + j * D)%nat.
Hypothesis overlaps : forall j, (j < m)%nat ->
  below (answers_sum (exp eps) n (sum_at j)) (answers_sum (exp eps) n (sum_at (S j))) 1 (1 - overlap j).

(** The estimate a is nearer than D/2 to the sum k. *)
Definition near (k : nat) (a : Rdefinitions.R) : Rdefinitions.R :=
  if Rltb (Rabs (a - INR k)) (INR D / 2) then 1 else 0.

Lemma near_range k a : 0 <= near k a <= 1.
Proof. unfold near. destruct (Rltb _ _); lra. Qed.

(** Near to one sum at most. *)
Lemma near_one a l : NoDup l -> total l (fun j => near (sum_at j) a) <= 1.
Proof.
  induction 1 as [| i l Hi N IH]; simpl; [lra |]. unfold near at 1.
  destruct (Rltb (Rabs (a - INR (sum_at i))) (INR D / 2)) eqn:B; [| lra].
  rewrite (total_ext l _ (fun _ => 0)), total_zero; [lra |]. intros j J. unfold near.
  destruct (Rltb (Rabs (a - INR (sum_at j))) (INR D / 2)) eqn:C; [| reflexivity]. exfalso.
  apply Rltb_true in B, C. apply Rabs_def2 in B, C.
  assert (Far : (sum_at i + D <= sum_at j \/ sum_at j + D <= sum_at i)%nat).
  { destruct (Nat.lt_trichotomy i j) as [K | [-> | K]]; [left | contradiction | right]; unfold sum_at; nia. }
  destruct Far as [K | K]; apply le_INR in K; rewrite plus_INR in K; lra.
Qed.

Lemma some_far :
  exists xs, length xs = n /\ (exists j, (j <= m)%nat /\ ones xs = sum_at j) /\
  total (seq 0 m) overlap / INR (S m) <=
  Pr (bind (in_turns R [] xs) estimate) (fun a => Rleb (INR D / 2) (Rabs (a - INR (ones xs)))).
Proof.
  destruct (local_protocols_simulated R eps R_proper eps_positive R_private) as [K [PK Sim]].
  set (E := exp eps) in *. set (answers := reports (randomized_response E)).
  set (out := fun ys => bind (K ys) estimate).
  assert (PO : forall ys, proper (out ys)) by (intros ys; apply proper_bind; [apply PK | apply estimate_proper]).
  set (h := fun j ys => mean (shuffler ys) (fun t => mean (out t) (near (sum_at j)))).
  assert (H01 : forall l ys, NoDup l -> 0 <= total l (fun j => h j ys) <= 1).
  { intros l ys N. split.
    - apply total_nonneg. intros j _. apply mean_nonneg; [apply proper_shuffler |]. intros t.
      apply mean_nonneg; [apply PO | intros a; apply near_range].
    - unfold h. rewrite total_mean. rewrite <- (mean_const (shuffler ys) 1) by apply proper_shuffler.
      apply mean_le; [apply proper_shuffler |]. intros t. rewrite total_mean.
      rewrite <- (mean_const (out t) 1) by apply PO. apply mean_le; [apply PO |]. intros a. apply near_one, N. }
  assert (Sym : forall l u v, Permutation u v -> total l (fun j => h j u) = total l (fun j => h j v)).
  { intros l u v P. apply total_ext. intros j _. apply (shuffled_permutation u v P). }
  assert (PA : forall xs, proper (answers xs)).
  { intros xs. apply proper_messages. intros x. apply proper_dmap, proper_randomized_response, exp_pos. }
  assert (Fit : forall j, (j <= m)%nat -> (sum_at j <= n)%nat) by (intros j J; unfold sum_at; nia).
  (* the chances of being near, all together *)
  assert (Chain : forall i, (i <= m)%nat ->
    total (seq 0 (S i)) (fun j => mean (answers (sorted_bits n (sum_at j))) (h j)) <=
    mean (answers (sorted_bits n (sum_at i))) (fun ys => total (seq 0 (S i)) (fun j => h j ys)) +
    total (seq 0 i) (fun j => 1 - overlap j)).
  { induction i as [| i IH]; intros I.
    - right. simpl. rewrite !Rplus_0_r. apply mean_ext. intros ys. ring.
    - specialize (IH ltac:(lia)). rewrite (total_seq_S (S i)), (total_seq_S i (fun j => 1 - overlap j)).
      rewrite (mean_ext _ (fun ys => total (seq 0 (S (S i))) (fun j => h j ys))
        (fun ys => total (seq 0 (S i)) (fun j => h j ys) + h (S i) ys)) by (intros ys; apply total_seq_S).
      rewrite mean_plus.
      assert (Step := neighbouring_sums E n (sum_at i) (sum_at (S i)) (1 - overlap i)
        (fun ys => total (seq 0 (S i)) (fun j => h j ys)) (Fit i ltac:(lia)) (Fit (S i) I) (Sym (seq 0 (S i)))
        (fun ys => H01 (seq 0 (S i)) ys (seq_NoDup _ _)) (overlaps i I)).
      fold answers in Step. lra. }
  specialize (Chain m (le_n m)).
  assert (Top : mean (answers (sorted_bits n (sum_at m))) (fun ys => total (seq 0 (S m)) (fun j => h j ys)) <= 1).
  { rewrite <- (mean_const (answers (sorted_bits n (sum_at m))) 1) by apply PA.
    apply mean_le; [apply PA |]. intros ys. apply H01, seq_NoDup. }
  (* one of the sums, then one of the orders *)
  set (far := fun xs j => mean (bind (in_turns R [] xs) estimate) (fun a => 1 - near (sum_at j) a)).
  assert (PI : forall xs, proper (bind (in_turns R [] xs) estimate)).
  { intros xs. apply proper_bind; [apply proper_in_turns, R_proper | apply estimate_proper]. }
  assert (Swap : forall j, mean (shuffler (sorted_bits n (sum_at j))) (fun xs => far xs j) =
    1 - mean (answers (sorted_bits n (sum_at j))) (h j)).
  { intros j. unfold far.
    rewrite (mean_ext _ _ (fun xs => 1 - mean (answers xs) (fun ys => mean (out ys) (near (sum_at j))))).
    - rewrite mean_minus, mean_const by apply proper_shuffler. f_equal.
      assert (O := order_of_users (randomized_response E) (sorted_bits n (sum_at j))
        (fun ys => mean (out ys) (near (sum_at j)))). rewrite !mean_bind in O. exact O.
    - intros xs. rewrite mean_minus, mean_const by apply PI. f_equal. rewrite mean_bind, (Sim xs), mean_bind.
      apply mean_ext. intros ys. unfold out. rewrite mean_bind. reflexivity. }
  destruct (some_term_above (seq 0 (S m)) (fun j => mean (shuffler (sorted_bits n (sum_at j))) (fun xs => far xs j))
    (total (seq 0 m) overlap / INR (S m))) as [j [J L]].
  { discriminate. }
  { rewrite seq_length. assert (P : 0 < INR (S m)) by (apply lt_0_INR; lia).
    replace (INR (S m) * (total (seq 0 m) overlap / INR (S m))) with (total (seq 0 m) overlap) by (field; lra).
    rewrite (total_ext (seq 0 (S m)) _ (fun j => 1 - mean (answers (sorted_bits n (sum_at j))) (h j)))
      by (intros j _; apply Swap).
    rewrite total_minus, total_const, seq_length. rewrite total_minus, total_const, seq_length in Chain.
    rewrite S_INR in *. lra. }
  apply in_seq in J.
  destruct (some_outcome_above _ _ _ (proper_shuffler _) L) as [wxs [I G]].
  apply shuffler_permutation in I. set (xs := snd wxs) in *.
  assert (Ones : ones xs = sum_at j) by (rewrite <- (ones_permutation _ _ I); apply ones_sorted_bits).
  exists xs. split; [rewrite <- (Permutation_length I); apply sorted_bits_length, Fit; lia |].
  split; [exists j; split; [lia | exact Ones] |]. eapply Rle_trans; [exact G |]. unfold far. rewrite <- Ones.
  right. apply mean_ext. intros a. unfold near, indicator, Rltb, Rleb.
  destruct (Rlt_dec _ _), (Rle_dec _ _); lra.
Qed.

End overlap.

Theorem local_overlap {M} (R : list M -> bool -> dist M) (estimate : list M -> dist Rdefinitions.R) eps
    (n first D m : nat) (overlap : nat -> Rdefinitions.R) :
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> 0 < eps ->
  (forall said, local_dp (R said) eps 0) -> (1 <= D)%nat -> (first + m * D <= n)%nat ->
  (forall j, (j < m)%nat ->
    below (answers_sum (exp eps) n (first + j * D)) (answers_sum (exp eps) n (first + S j * D)) 1 (1 - overlap j)) ->
  exists xs, length xs = n /\ (exists j, (j <= m)%nat /\ ones xs = (first + j * D)%nat) /\
  total (seq 0 m) overlap / INR (S m) <=
  Pr (bind (in_turns R [] xs) estimate) (fun a => Rleb (INR D / 2) (Rabs (a - INR (ones xs)))).
Proof. intros HR HE He P HD Fit O. apply (some_far R estimate eps n first D m overlap); assumption. Qed.
