(** Pure privacy for all n by a check at one n: the coefficientwise argument.

    Each user sends L bits, so that the analyzer sees the number of ones among n L bits. [bit_rows] says
    that the polynomial [row x] has the law of the number of ones of one user with input x as its
    coefficients, times a constant D. Then the number of ones of all users has the coefficients of the
    product of their rows ([generating_function]), and so has every event that a shuffler leaves
    ([symmetric_event]): an event on strings of n L bits that ignores the order is one about the number.

    Data sets that differ in one user have products A G and B G, where A = row x and B = row y are the rows
    of that user, and G is the product of the rows of the others. "No outcome is more than c times as
    likely" says that (c B - A) G has no negative coefficient. This survives multiplication by any H
    without negative coefficients ([coefficientwise]), so if it holds for all A and B and all products G of
    k rows, it holds for all products of k or more: the protocol is eps-DP with e^eps = c for every
    n >= k + 1 ([coefficientwise_privacy]; every c > 0, k = 0 included). The other direction is one
    coefficient: if c is attained for n users, no smaller e^eps will do ([coefficientwise_attained]).

    Source: this package. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import sums laws privacy bits polynomials.
Import ListNotations.
Open Scope R_scope.

(** ** Polynomials *)

Theorem coefficientwise : forall (c : R) (A B G H : polynomial),
  nonneg (mul (excess c B A) G) -> nonneg H -> nonneg (mul (mul (excess c B A) G) H).
Proof. intros c A B G H HG HH. apply nonneg_mul; assumption. Qed.

(** The same with expectations of f >= 0 in place of coefficients. *)
Lemma coefficientwise_against c A B G H f :
  nonneg (mul (excess c B A) G) -> nonneg H -> (forall i, 0 <= f i) ->
  against (mul A (mul G H)) f <= c * against (mul B (mul G H)) f.
Proof.
  intros HG HH Hf. assert (P := nonneg_against _ f (coefficientwise c A B G H HG HH) Hf).
  rewrite !against_mul, against_excess in P. rewrite !against_mul.
  assert (E : forall i, against (mul G H) (fun j => f (i + j)%nat)
                        = against G (fun j => against H (fun k => f (i + j + k)%nat))).
  { intros i. rewrite against_mul. apply against_ext. intros j. apply against_ext. intros k.
    f_equal. lia. }
  rewrite !(against_ext _ _ _ E). lra.
Qed.

(** ** Protocols whose users send L bits each *)

Definition bit_rows {X} (send : X -> dist (list bool)) (L : nat) (D : R) (row : X -> polynomial) : Prop :=
  0 < D /\
  (forall x wa, In wa (send x) -> length (snd wa) = L) /\
  (forall x, nonneg (row x)) /\
  (forall x f, D * mean (send x) (fun u => f (ones u)) = against (row x) f).

(** Every protocol of L bits per user has such rows: the probabilities of 0, 1, ..., L ones, and D = 1. *)
Definition count_row {X} (send : X -> dist (list bool)) (L : nat) (x : X) : polynomial :=
  map (fun i => Pr (send x) (fun u => Nat.eqb (ones u) i)) (seq 0 (S L)).

Lemma against_map_seq (g f : nat -> R) m :
  against (map g (seq 0 m)) f = total (seq 0 m) (fun i => g i * f i).
Proof.
  revert g f. induction m as [| m IH]; intros g f; [reflexivity |].
  rewrite total_seq_shift, <- (IH (fun i => g (S i))). simpl.
  rewrite <- seq_shift, map_map. ring.
Qed.

Lemma count_rows : forall X (send : X -> dist (list bool)) (L : nat),
  (forall x, proper (send x)) -> (forall x wa, In wa (send x) -> length (snd wa) = L) ->
  bit_rows send L 1 (count_row send L).
Proof.
  intros X send L P HL. split; [lra |]. split; [exact HL |]. split.
  - intros x. apply Forall_forall. intros a I. apply in_map_iff in I. destruct I as [i [<- _]].
    apply Pr_bounds, P.
  - intros x f. unfold count_row. rewrite against_map_seq, Rmult_1_l. unfold Pr, mean.
    rewrite (total_ext (seq 0 (S L)) _ (fun i => total (send x) (fun wa =>
               fst wa * (if Nat.eq_dec (ones (snd wa)) i then f (ones (snd wa)) else 0)))).
    + rewrite total_swap. apply total_ext. intros wa I. rewrite total_scal, total_single.
      * reflexivity.
      * apply seq_NoDup.
      * apply in_seq. assert (B := ones_le_length (snd wa)). rewrite (HL x wa I) in B. lia.
    + intros i _. rewrite <- total_scal_r. apply total_ext. intros wa _. unfold indicator.
      destruct (Nat.eq_dec (ones (snd wa)) i) as [<- | N].
      * rewrite Nat.eqb_refl. ring.
      * apply Nat.eqb_neq in N. rewrite N. ring.
Qed.

(** Functions that agree on the outcomes in the list have one expectation. *)
Lemma mean_ext_in {A} (d : dist A) f g :
  (forall wa, In wa d -> f (snd wa) = g (snd wa)) -> mean d f = mean d g.
Proof. intros H. apply total_ext. intros wa I. rewrite (H wa I). reflexivity. Qed.

Lemma mean_messages_cons {X M} (send : X -> dist (list M)) x xs f :
  mean (messages send (x :: xs)) f
  = mean (send x) (fun mine => mean (messages send xs) (fun others => f (mine ++ others))).
Proof.
  cbn [messages]. rewrite mean_bind. apply mean_ext. intros mine.
  rewrite mean_bind. apply mean_ext. intros others. apply mean_ret.
Qed.

Section bit_protocols.

Context {X : Type} (send : X -> dist (list bool)) (L : nat) (D : R) (row : X -> polynomial).
Hypothesis rows : bit_rows send L D row.

(** n users send n L bits. *)
Lemma messages_length xs wa : In wa (messages send xs) -> length (snd wa) = (length xs * L)%nat.
Proof.
  destruct rows as [_ [HL _]]. revert wa. induction xs as [| x xs IH]; intros wa I.
  - destruct I as [<- | []]. reflexivity.
  - cbn [messages] in I. apply in_flat_map in I. destruct I as [va [Ia I]].
    apply in_map_iff in I. destruct I as [vb [<- I]].
    apply in_flat_map in I. destruct I as [vc [Ic I]]. cbn [ret map] in I.
    destruct I as [<- | []]. simpl. rewrite app_length, (HL x va Ia), (IH vc Ic). reflexivity.
Qed.

(** By induction on the users: counts of independent users add, so their polynomials multiply. *)
Lemma generating_function : forall xs f,
  D ^ length xs * mean (messages send xs) (fun u => f (ones u)) = against (product (map row xs)) f.
Proof.
  destruct rows as [_ [_ [_ HD]]]. induction xs as [| x xs IH]; intros f.
  - simpl. rewrite mean_ret. simpl. ring.
  - cbn [map]. rewrite against_product_cons, <- HD, mean_messages_cons. simpl pow.
    rewrite Rmult_assoc, <- mean_scal. f_equal. apply mean_ext. intros mine.
    rewrite <- (IH (fun j => f (ones mine + j)%nat)). f_equal. apply mean_ext. intros others.
    rewrite ones_app. reflexivity.
Qed.

(** In particular the generating function of the number of ones is the product of those of the users. *)
Lemma product_generating_function : forall xs z,
  D ^ length xs * mean (messages send xs) (fun u => z ^ ones u)
  = fold_right (fun x v => value (row x) z * v) 1 xs.
Proof.
  intros xs z. rewrite (generating_function xs (fun i => z ^ i)).
  change (value (product (map row xs)) z = fold_right (fun x v => value (row x) z * v) 1 xs).
  induction xs as [| x xs IH]; simpl.
  - unfold value. simpl. ring.
  - rewrite value_mul, IH. reflexivity.
Qed.

(** The probability of an event that a shuffler leaves. *)
Lemma symmetric_event : forall xs T, symmetric T ->
  D ^ length xs * Pr (messages send xs) T
  = against (product (map row xs)) (indicator (fun c => T (sorted_bits (length xs * L) c))).
Proof.
  intros xs T HT. rewrite <- generating_function. f_equal. apply mean_ext_in. intros wa I.
  unfold indicator. rewrite (symmetric_counts T (snd wa) HT), (messages_length xs wa I). reflexivity.
Qed.

(** The probability of i ones. *)
Lemma count_probability xs i :
  D ^ length xs * Pr (messages send xs) (fun u => Nat.eqb (ones u) i)
  = coefficient (product (map row xs)) i.
Proof. rewrite coefficient_against. rewrite <- generating_function. reflexivity. Qed.

Lemma rows_nonneg xs : nonneg (product (map row xs)).
Proof.
  apply nonneg_product. intros p I. apply in_map_iff in I. destruct I as [x [<- _]]. apply rows.
Qed.

(** A check of all products of k rows settles every n >= k + 1. *)
Theorem coefficientwise_privacy : forall (c : R) (k : nat),
  0 < c ->
  (forall x y zs, length zs = k -> nonneg (mul (excess c (row y) (row x)) (product (map row zs)))) ->
  forall n, (k < n)%nat -> shuffle_dp n send (ln c) 0.
Proof.
  intros c k Hc check n Hn xs ys N E T HT. rewrite exp_ln, Rplus_0_r by exact Hc.
  assert (E' := neighbors_length _ _ N).
  assert (PD : 0 < D ^ n) by (apply pow_lt, rows).
  apply Rmult_le_reg_l with (D ^ n); [exact PD |].
  replace (D ^ n * (c * Pr (messages send ys) T)) with (c * (D ^ n * Pr (messages send ys) T)) by ring.
  rewrite <- E at 1. replace n with (length ys) by congruence.
  rewrite !symmetric_event, <- E' by exact HT.
  set (f := indicator _). assert (Hf : forall i, 0 <= f i).
  { intros i. unfold f, indicator. destruct (T _); lra. }
  clearbody f. destruct N as [before x y after].
  assert (user : forall z, against (product (map row (before ++ z :: after))) f
                           = against (mul (row z) (mul (product (map row (firstn k (before ++ after))))
                                                       (product (map row (skipn k (before ++ after)))))) f).
  { intros z.
    rewrite (against_product_permutation _ (map row (z :: before ++ after)))
      by (apply Permutation_map, Permutation_sym, Permutation_middle).
    rewrite <- (firstn_skipn k (before ++ after)) at 1. cbn [map].
    rewrite map_app, against_product_cons, against_mul. apply against_ext. intros i.
    apply against_product_app. }
  rewrite !user. apply coefficientwise_against.
  - apply check, firstn_length_le. rewrite app_length in *. simpl in E. lia.
  - apply rows_nonneg.
  - exact Hf.
Qed.

(** What privacy says about the coefficients. *)
Lemma coefficientwise_needed : forall n eps delta, shuffle_dp n send eps delta ->
  forall xs ys i, neighbors xs ys -> length xs = n ->
  coefficient (product (map row xs)) i
  <= exp eps * coefficient (product (map row ys)) i + D ^ n * delta.
Proof.
  intros n eps delta H xs ys i N E. assert (E' := neighbors_length _ _ N).
  rewrite <- !count_probability, <- E', E.
  specialize (H xs ys N E _ (counts_symmetric (fun c => Nat.eqb c i))).
  assert (PD : 0 < D ^ n) by (apply pow_lt, rows).
  apply (Rmult_le_compat_l (D ^ n)) in H; [| lra]. cbv beta in H. lra.
Qed.

Lemma coefficientwise_attained : forall n c xs ys i,
  0 < c -> neighbors xs ys -> length xs = n ->
  0 < coefficient (product (map row ys)) i ->
  c * coefficient (product (map row ys)) i <= coefficient (product (map row xs)) i ->
  forall eps, eps < ln c -> ~ shuffle_dp n send eps 0.
Proof.
  intros n c xs ys i Hc N E P A eps Heps H.
  assert (U := coefficientwise_needed n eps 0 H xs ys i N E).
  apply exp_increasing in Heps. rewrite exp_ln in Heps by exact Hc.
  apply (Rmult_lt_compat_r _ _ _ P) in Heps. lra.
Qed.

End bit_protocols.

(** e is the least eps for which n users who run send are eps-DP behind a shuffler. *)
Definition exact_epsilon {X M} (n : nat) (send : X -> dist (list M)) (e : R) : Prop :=
  shuffle_dp n send e 0 /\ forall eps, eps < e -> ~ shuffle_dp n send eps 0.
