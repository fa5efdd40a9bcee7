(** Sums over all words of a length over the letters 0, ..., q - 1.

    - [words_against]: a sum over words w of t(w) F(the pairs of u and w) does not depend on the order of u, where t and
      F do not depend on an order;
    - [exponential_formula]: the sum over all words of length n of the product over c < q of phi_c(how often c occurs)
      is n! times the sum over j_0 + ... + j_(q-1) = n of the product of phi_c(j_c) / j_c!; any real phi, all q, n.
    Idea of the second: both sides satisfy one recursion in n, by the first letter, and by Leibniz' rule.
    (Source: folklore.) Auxiliary to components.v. *)

From Coq Require Import Reals List Lra Lia Permutation ZArith.
From Exactdp Require Import sums product_laws.
Import ListNotations.
Open Scope R_scope.

Fixpoint words (q n : nat) : list (list nat) :=
  match n with
  | O => [[]]
  | S n => flat_map (fun a => map (cons a) (words q n)) (seq 0 q)
  end.

Lemma total_words_S q n F :
  total (words q (S n)) F = total (seq 0 q) (fun a => total (words q n) (fun w => F (a :: w))).
Proof. simpl. rewrite total_flat_map. apply total_ext. intros a _. apply total_map. Qed.

Lemma total_words_app q n k F :
  total (words q (n + k)) F = total (words q n) (fun v => total (words q k) (fun w => F (v ++ w))).
Proof.
  revert F. induction n as [| n IH]; intros F; [cbn; rewrite Rplus_0_r; reflexivity |].
    change (S n + k)%nat with (S (n + k)).
  rewrite !total_words_S. apply total_ext. intros a _. apply IH.
Qed.

Lemma in_words q n w : In w (words q n) <-> length w = n /\ forall a, In a w -> (a < q)%nat.
Proof.
  revert w. induction n as [| n IH]; intros w; simpl.
  - split; [intros [<- | []]; split; [reflexivity | intros a []] |]. intros [L _]. destruct w; [auto | discriminate].
  - rewrite in_flat_map. split.
    + intros [a [Ia I]]. apply in_map_iff in I. destruct I as [v [<- I]]. apply IH in I. destruct I as [<- B].
      apply in_seq in Ia. split; [reflexivity |]. intros b [<- | I]; [lia | auto].
    + intros [L B]. destruct w as [| a w]; [discriminate |]. exists a. split.
      * apply in_seq. specialize (B a (or_introl eq_refl)). lia.
      * apply in_map, IH. split; [simpl in L; lia | intros b I; apply B; right; exact I].
Qed.

Lemma words_NoDup q n : NoDup (words q n).
Proof.
  induction n as [| n IH]; simpl; [constructor; [intros [] | constructor] |].
  assert (A : forall l, NoDup l -> NoDup (flat_map (fun a => map (cons a) (words q n)) l)); [| apply A, seq_NoDup].
  intros l. induction 1 as [| a l I N J]; simpl; [constructor |].
  apply disjoint_append; [apply FinFun.Injective_map_NoDup; [intros x y E; congruence | exact IH] | exact J |].
  intros w H K. apply in_map_iff in H. destruct H as [v [<- _]]. apply in_flat_map in K. destruct K as [b [Ib K]].
  apply in_map_iff in K. destruct K as [v' [E _]]. apply I. congruence.
Qed.

Lemma total_words_const q n c : total (words q n) (fun _ => c) = INR q ^ n * c.
Proof.
  induction n as [| n IH]; [simpl; ring |]. rewrite total_words_S.
  rewrite (total_ext _ _ (fun _ => INR q ^ n * c)) by (intros a _; exact IH).
  rewrite total_const, seq_length. simpl. ring.
Qed.

(** ** The order does not matter *)

Lemma words_against {A} q (u v : list A) t F :
  Permutation u v ->
  (forall w w', Permutation w w' -> t w = t w') -> (forall p p', Permutation p p' -> F p = F p') ->
  total (words q (length u)) (fun w => t w * F (combine u w)) =
  total (words q (length v)) (fun w => t w * F (combine v w)).
Proof.
  intros P. revert t F. induction P as [| a u v P IH | a b u | u v w P IHP P' IHP']; intros t F St SF.
  - reflexivity.
  - cbn [length]. rewrite !total_words_S. apply total_ext. intros b _. cbn [combine].
    apply (IH (fun w => t (b :: w)) (fun p => F ((a, b) :: p))).
    + intros w w' H. apply St, perm_skip, H.
    + intros p p' H. apply SF, perm_skip, H.
  - cbn [length]. rewrite !total_words_S.
    rewrite (total_ext (seq 0 q) _ (fun c => total (seq 0 q) (fun d => total (words q (length u))
      (fun w => t (c :: d :: w) * F (combine (b :: a :: u) (c :: d :: w))))))
      by (intros c _; apply total_words_S).
    rewrite total_swap. apply total_ext. intros c _. rewrite total_words_S. apply total_ext. intros d _.
    apply total_ext. intros w _. cbn [combine]. rewrite (St (d :: c :: w) (c :: d :: w)) by apply perm_swap.
    f_equal. apply SF, perm_swap.
  - rewrite (IHP t F St SF). apply IHP'; assumption.
Qed.

(** ** How often each letter occurs *)

Definition occurs (w : list nat) (c : nat) : nat := count_occ Nat.eq_dec w c.

Fixpoint product_to (q : nat) (f : nat -> R) : R :=
  match q with
  | O => 1
  | S p => f p * product_to p f
  end.

Lemma product_to_ext q f g : (forall c, (c < q)%nat -> f c = g c) -> product_to q f = product_to q g.
Proof. induction q as [| q IH]; intros H; simpl; [| rewrite IH, H by auto]; reflexivity. Qed.

Lemma product_to_times q f g : product_to q (fun c => f c * g c) = product_to q f * product_to q g.
Proof. induction q as [| q IH]; simpl; [| rewrite IH]; ring. Qed.

Lemma product_to_positive q f : (forall c, 0 < f c) -> 0 < product_to q f.
Proof. intros H. induction q as [| q IH]; simpl; [lra | apply Rmult_lt_0_compat; auto]. Qed.

(** The coefficient of z^n in the product over c < q of the series of f_c. *)
Fixpoint convolved (q : nat) (f : nat -> nat -> R) (n : nat) : R :=
  match q with
  | O => if Nat.eqb n 0 then 1 else 0
  | S p => total (seq 0 (S n)) (fun j => f p j * convolved p f (n - j))
  end.

Lemma convolved_ext q f g n :
  (forall c j, (c < q)%nat -> f c j = g c j) -> convolved q f n = convolved q g n.
Proof.
  revert n. induction q as [| q IH]; intros n H; [reflexivity |]. cbn [convolved].
  apply total_ext. intros j _. rewrite H, (IH (n - j)%nat) by auto. reflexivity.
Qed.

(** f_a(j) becomes (j + 1) f_a(j + 1), for one a. *)
Definition derived (a : nat) (f : nat -> nat -> R) (c j : nat) : R :=
  if Nat.eqb c a then INR (S j) * f c (S j) else f c j.

Lemma leibniz q f n :
  INR (S n) * convolved q f (S n) = total (seq 0 q) (fun a => convolved q (derived a f) n).
Proof.
  revert n. induction q as [| q IH]; intros n; [simpl; ring |].
  rewrite total_seq_S.
  rewrite (total_ext (seq 0 q) _ (fun a => total (seq 0 (S n)) (fun j => f q j * convolved q (derived a f) (n - j)))).
  2: { intros a I. apply in_seq in I. cbn [convolved]. apply total_ext. intros j _. f_equal. unfold derived.
       destruct (Nat.eqb_spec q a); [lia | reflexivity]. }
  rewrite total_swap.
  rewrite (total_ext (seq 0 (S n)) _ (fun j => f q j * (INR (S (n - j)) * convolved q f (S (n - j)))))
    by (intros j _; rewrite IH; apply total_scal).
  replace (convolved (S q) (derived q f) n) with
    (total (seq 0 (S n)) (fun j => INR (S j) * f q (S j) * convolved q f (n - j))).
  2: { cbn [convolved]. apply total_ext. intros j _. f_equal.
       - unfold derived. rewrite Nat.eqb_refl. reflexivity.
       - apply convolved_ext. intros c i L. unfold derived. destruct (Nat.eqb_spec c q); [lia | reflexivity]. }
  cbn [convolved]. rewrite <- total_scal.
  rewrite (total_ext (seq 0 (S (S n))) _ (fun j => INR j * f q j * convolved q f (S n - j) +
    f q j * (INR (S n - j) * convolved q f (S n - j)))).
  2: { intros j I. apply in_seq in I. rewrite minus_INR by lia. ring. }
  rewrite total_plus, Rplus_comm. f_equal.
  - rewrite total_seq_S, Nat.sub_diag. change (INR 0) with 0. rewrite !Rmult_0_l, Rmult_0_r, Rplus_0_r.
    apply total_ext. intros j I. apply in_seq in I. replace (S n - j)%nat with (S (n - j)) by lia. reflexivity.
  - rewrite total_seq_shift. change (INR 0) with 0. rewrite !Rmult_0_l, Rplus_0_l. apply total_ext. reflexivity.
Qed.

Theorem exponential_formula q n (phi : nat -> nat -> R) :
  total (words q n) (fun w => product_to q (fun c => phi c (occurs w c))) =
  INR (fact n) * convolved q (fun c j => phi c j / INR (fact j)) n.
Proof.
  revert phi. induction n as [| n IH]; intros phi.
  - simpl total. rewrite Rplus_0_r, Rmult_1_l. induction q as [| q IHq]; simpl; [reflexivity |].
    rewrite IHq. simpl. field.
  - rewrite total_words_S. change (fact (S n)) with (S n * fact n)%nat. rewrite mult_INR.
    rewrite (Rmult_comm (INR (S n))), Rmult_assoc, leibniz, <- total_scal. apply total_ext. intros a I.
    rewrite (total_ext _ _ (fun w => product_to q (fun c =>
      (if Nat.eqb c a then phi c (S (occurs w c)) else phi c (occurs w c))))).
    2: { intros w _. apply product_to_ext. intros c _. unfold occurs. simpl.
         destruct (Nat.eqb_spec c a) as [-> | N]; [destruct (Nat.eq_dec a a) | destruct (Nat.eq_dec a c)];
           congruence. }
    rewrite (IH (fun c j => if Nat.eqb c a then phi c (S j) else phi c j)). f_equal. apply convolved_ext. intros c j _.
    unfold derived. destruct (Nat.eqb c a); [| reflexivity].
    change (fact (S j)) with (S j * fact j)%nat. rewrite mult_INR. field.
    split; [apply INR_fact_neq_0 | apply not_0_INR; lia].
Qed.

(** The words with given numbers of each letter. *)
Lemma words_with_counts q n (counts : nat -> nat) :
  fold_right Nat.add 0%nat (map counts (seq 0 q)) = n ->
  total (words q n) (fun w => product_to q (fun c => if Nat.eqb (occurs w c) (counts c) then 1 else 0)) =
  INR (fact n) / product_to q (fun c => INR (fact (counts c))).
Proof.
  intros E. rewrite (exponential_formula q n (fun c j => if Nat.eqb j (counts c) then 1 else 0)). unfold Rdiv. f_equal.
  revert n E. induction q as [| q IH]; intros n E; [simpl in *; rewrite <- E; simpl; lra |].
  rewrite seq_S, map_app, fold_right_app in E. simpl in E. rewrite Nat.add_0_r in E.
  assert (A : forall l b, fold_right Nat.add b l = (fold_right Nat.add 0 l + b)%nat)
    by (induction l as [| x l IHl]; intros b; simpl; [reflexivity | rewrite IHl; lia]).
  rewrite A in E. cbn [convolved product_to].
  rewrite (total_ext _ _ (fun j => if Nat.eq_dec (counts q) j then
    / INR (fact (counts q)) * / product_to q (fun c => INR (fact (counts c))) else 0)).
  - rewrite total_single; [| apply seq_NoDup | apply in_seq; lia]. rewrite Rinv_mult. reflexivity.
  - intros j I. apply in_seq in I. destruct (Nat.eq_dec (counts q) j) as [<- | N].
    + rewrite Nat.eqb_refl, IH by lia. rewrite Rmult_1_l. reflexivity.
    + destruct (Nat.eqb_spec j (counts q)); [congruence | ring].
Qed.
