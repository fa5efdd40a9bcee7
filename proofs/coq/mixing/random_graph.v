(** A random graph of split and mix: how its colourings give the second moment of the view.

    Let rho list the users who sent the messages, each of n users m times ([owners] in the order of the users, and rho
    in any order). [agrees rho k k'] says that a colouring k of the users, looked up in the order rho, is the colouring
    k' looked up in the order of [owners]: k and k' colour the left and right points of a graph with nm edges such that
    no edge joins two colours. [colourings q rho] counts them, for q colours. [shown rho xs u] is q^n if the residues u,
    sent by rho, have the sums xs modulo q, and else 0, as a sum of cosines. Proved:

    - [product_of_two]: the sum over all words u of shown rho xs u times shown owners ys u is q^(nm) times the sum over
      all agreeing k, k' of cos((2 pi/q)(k' . ys - k . xs));
    - [product_bounds]: that sum is between q (4 - colourings 2 rho)/2 and colourings q rho, where xs and ys have one
      sum modulo q for the first; all n, m, q >= 1.
    Idea of the lower bound: the sum is never negative. If every agreeing pair is one colour throughout, it is q. Else
    there are four agreeing pairs of two colours. (Source: this package, docs/soundness.md, with colourings in place of
    components.) Auxiliary to components.v. *)

From Coq Require Import Reals List Lra Lia ZArith Permutation Classical.
From Exactdp Require Import sums laws words split_and_mix.
Import ListNotations.
Open Scope R_scope.

Definition pick (rho k : list nat) : list nat := map (fun i => nth i k O) rho.

Definition agree (u v : list nat) : bool := if list_eq_dec Nat.eq_dec u v then true else false.

Lemma list_sum_cons a l : list_sum (a :: l) = (a + list_sum l)%nat.
Proof. reflexivity. Qed.

Lemma dot_pairs k rho u : dot (pick rho k) (whole u) =
  Z.of_nat (list_sum (map (fun iu => nth (fst iu) k O * snd iu)%nat (combine rho u))).
Proof.
  revert u. induction rho as [| i rho IH]; intros [| a u]; try reflexivity. cbn [pick map whole dot combine fst snd].
  fold (pick rho k). fold (whole u). rewrite IH.
  rewrite list_sum_cons, Nat2Z.inj_add, Nat2Z.inj_mul. reflexivity.
Qed.

Lemma dot_pairs' k rho u : dot (pick rho k) (whole u) =
  Z.of_nat (list_sum (map (fun ui => nth (snd ui) k O * fst ui)%nat (combine u rho))).
Proof.
  rewrite dot_pairs. f_equal. f_equal. revert u. induction rho as [| i rho IH]; intros [| a u]; try reflexivity.
  simpl. rewrite IH. reflexivity.
Qed.

Lemma list_sum_permutation l l' : Permutation l l' -> list_sum l = list_sum l'.
Proof. induction 1; simpl in *; lia. Qed.

Fixpoint bump (i : nat) (z : Z) (l : list Z) : list Z :=
  match l, i with
  | [], _ => []
  | y :: l, O => (y + z)%Z :: l
  | y :: l, S i => y :: bump i z l
  end.

Lemma dot_bump i z l k : (i < length l)%nat -> length k = length l ->
  length (bump i z l) = length l /\ dot k (bump i z l) = (Z.of_nat (nth i k O) * z + dot k l)%Z.
Proof.
  revert i k. induction l as [| y l IH]; intros i k I L; [simpl in I; lia |].
  destruct k as [| a k]; [discriminate |]. destruct i as [| i]; simpl in *; [split; [reflexivity | ring] |].
  destruct (IH i k ltac:(lia) ltac:(lia)) as [-> ->]. split; [reflexivity | ring].
Qed.

Definition less (a b : list Z) : list Z := map (fun p => (fst p - snd p)%Z) (combine a b).

Lemma dot_less k a b : length a = length b -> dot k (less a b) = (dot k a - dot k b)%Z.
Proof.
  revert k b. induction a as [| x a IH]; intros [| c k] [| y b] L; try discriminate; try reflexivity.
  change (less (x :: a) (y :: b)) with ((x - y)%Z :: less a b). cbn [dot]. rewrite IH by (simpl in L; lia). ring.
Qed.

Lemma dot_commutes a b : dot a (whole b) = dot b (whole a).
Proof. revert b. induction a as [| x a IH]; intros [| y b]; try reflexivity.
  cbn [whole map dot]. fold (whole a). fold (whole b). rewrite IH. ring. Qed.

Lemma dot_zeros k l : dot k (repeat 0%Z l) = 0%Z.
Proof. revert l. induction k as [| a k IH]; intros [| l]; simpl; try reflexivity. rewrite IH. ring. Qed.

Lemma one_if_bounds b : 0 <= one_if b <= 1.
Proof. destruct b; simpl; lra. Qed.

Section Graph.

Context (m n : nat).
Hypothesis m_some : (1 <= m)%nat.
Hypothesis n_some : (1 <= n)%nat.

Definition owners : list nat := stubs m (seq 0 n).

Definition users (rho : list nat) : Prop := forall i, In i rho -> (i < n)%nat.

Lemma owners_users : users owners.
Proof. intros i I. apply in_flat_map in I. destruct I as [j [J I]]. apply repeat_spec in I. apply in_seq in J. lia. Qed.

Lemma stubs_length {A} (l : list A) : length (stubs m l) = (length l * m)%nat.
Proof. induction l as [| a l IH]; simpl; [| rewrite app_length, repeat_length, IH]; reflexivity. Qed.

Lemma stubs_map {A B} (f : A -> B) l : map f (stubs m l) = stubs m (map f l).
Proof.
  induction l as [| a l IH]; simpl; [reflexivity |]. rewrite map_app, IH. f_equal.
  clear. induction m as [| k IH]; simpl; [| rewrite IH]; reflexivity.
Qed.

Lemma pick_owners k : length k = n -> pick owners k = stubs m k.
Proof.
  intros L. unfold pick, owners. rewrite stubs_map, <- L. f_equal. clear. induction k as [| a k IH]; [reflexivity |].
  simpl. f_equal. rewrite <- seq_shift, map_map. exact IH.
Qed.

Lemma pick_map g rho k : users rho -> length k = n -> pick rho (map g k) = map g (pick rho k).
Proof.
  intros U L. unfold pick. rewrite map_map. apply map_ext_in. intros i I.
  rewrite (nth_indep _ O (g O)) by (rewrite map_length, L; apply U, I). apply map_nth.
Qed.

Lemma pick_repeat c rho : users rho -> pick rho (repeat c n) = repeat c (length rho).
Proof.
  intros U. unfold pick. replace (repeat c (length rho)) with (map (fun _ : nat => c) rho).
  - apply map_ext_in. intros i I. assert (H := U i I). rewrite (nth_indep _ O c) by (rewrite repeat_length; exact H).
    apply nth_repeat.
  - clear. induction rho as [| i rho IH]; simpl; [| rewrite IH]; reflexivity.
Qed.

Lemma loads rho us : users rho ->
  exists l, length l = n /\ forall k, length k = n -> dot (pick rho k) us = dot k l.
Proof.
  revert us. induction rho as [| i rho IH]; intros us U.
  - exists (repeat 0%Z n). split; [apply repeat_length |]. intros k _. rewrite dot_zeros. reflexivity.
  - destruct us as [| z us].
    + exists (repeat 0%Z n). split; [apply repeat_length |]. intros k _. rewrite dot_zeros. reflexivity.
    + destruct (IH us (fun j J => U j (or_intror J))) as [l [L E]]. assert (I := U i (or_introl eq_refl)).
      exists (bump i z l). split.
      * rewrite <- L. apply (dot_bump i z l (repeat O n)); rewrite ?repeat_length; lia.
      * intros k K. rewrite (proj2 (dot_bump i z l k ltac:(lia) ltac:(lia))). simpl. fold (pick rho k).
        rewrite E by exact K. reflexivity.
Qed.

Section Residues.

Context (q : nat).
Hypothesis q_some : (1 <= q)%nat.

Definition shown (rho xs u : list nat) : R :=
  total (words q n) (fun k => cos (turn q (dot (pick rho k) (whole u) - dot k (whole xs)))).

Lemma shown_phase rho xs u : users rho -> length xs = n ->
  0 <= shown rho xs u /\ forall phi,
  total (words q n) (fun k => cos (phi + turn q (dot (pick rho k) (whole u) - dot k (whole xs)))) =
  cos phi * shown rho xs u.
Proof.
  intros U L. destruct (loads rho (whole u) U) as [l [Ll E]].
  assert (A : forall phi,
    total (words q n) (fun k => cos (phi + turn q (dot (pick rho k) (whole u) - dot k (whole xs)))) =
    INR q ^ n * (one_if (forallb (is_multiple q) (less l (whole xs))) * cos phi)).
  { intros phi. assert (Lx : length (less l (whole xs)) = n).
    { unfold less. rewrite map_length, combine_length. unfold whole. rewrite map_length. lia. }
    rewrite <- Lx at 2. rewrite <- all_words by exact q_some. rewrite Lx. apply total_ext. intros k I.
    apply in_words in I. rewrite dot_less by (unfold whole; rewrite map_length; lia). rewrite E by apply I.
      reflexivity. }
  assert (S : shown rho xs u = INR q ^ n * one_if (forallb (is_multiple q) (less l (whole xs)))).
  { transitivity (INR q ^ n * (one_if (forallb (is_multiple q) (less l (whole xs))) * cos 0));
      [| rewrite cos_0; ring].
    rewrite <- A. apply total_ext. intros k _. rewrite Rplus_0_l. reflexivity. }
  split.
  - rewrite S. apply Rmult_le_pos; [apply pow_le, pos_INR | apply one_if_bounds].
  - intros phi. rewrite A, S. ring.
Qed.

(** Who sent a message does not matter to what does not depend on the order. *)
Lemma shown_in_order rho xs t : Permutation rho owners ->
  (forall u u', Permutation u u' -> t u = t u') ->
  total (words q (n * m)) (fun u => t u * shown rho xs u) = total (words q (n * m)) (fun u => t u * shown owners xs u).
Proof.
  intros P St.
  assert (X := words_against q rho owners t (fun p => total (words q n) (fun k =>
    cos (turn q (Z.of_nat (list_sum (map (fun iu => nth (fst iu) k O * snd iu)%nat p)) - dot k (whole xs))))) P St).
  assert (N : length owners = (n * m)%nat) by (unfold owners; rewrite stubs_length, seq_length; reflexivity).
  rewrite (Permutation_length P), N in X.
  assert (Y : forall rho, total (words q (n * m)) (fun u => t u * shown rho xs u) =
    total (words q (n * m)) (fun u => t u * total (words q n) (fun k => cos (turn q (Z.of_nat (list_sum
      (map (fun iu => nth (fst iu) k O * snd iu)%nat (combine rho u))) - dot k (whole xs)))))).
  { intros r. apply total_ext. intros u _. f_equal. apply total_ext. intros k _. rewrite dot_pairs. reflexivity. }
  rewrite !Y. apply X. intros p p' H. apply total_ext. intros k _.
  rewrite (list_sum_permutation _ _ (Permutation_map _ H)). reflexivity.
Qed.

(** The mean over all orders rho does not depend on the order of u. *)
Lemma all_orders_symmetric t xs u u' :
  (forall w w', Permutation w w' -> t w = t w') -> Permutation u u' ->
  total (words n (length u)) (fun rho => t rho * shown rho xs u) =
  total (words n (length u')) (fun rho => t rho * shown rho xs u').
Proof.
  intros St P.
  assert (X := words_against n u u' t (fun p => total (words q n) (fun k =>
    cos (turn q (Z.of_nat (list_sum (map (fun ui => nth (snd ui) k O * fst ui)%nat p)) - dot k (whole xs))))) P St).
  assert (Y : forall v, total (words n (length v)) (fun rho => t rho * shown rho xs v) =
    total (words n (length v)) (fun rho => t rho * total (words q n) (fun k => cos (turn q (Z.of_nat (list_sum
      (map (fun ui => nth (snd ui) k O * fst ui)%nat (combine v rho))) - dot k (whole xs)))))).
  { intros v. apply total_ext. intros r _. f_equal. apply total_ext. intros k _. rewrite dot_pairs'. reflexivity. }
  rewrite !Y. apply X. intros p p' H. apply total_ext. intros k _.
  rewrite (list_sum_permutation _ _ (Permutation_map _ H)). reflexivity.
Qed.

(** ** Two orders *)

Lemma multiples_agree a b : length a = length b ->
  (forall c, In c a -> (c < q)%nat) -> (forall c, In c b -> (c < q)%nat) ->
  forallb (is_multiple q) (less (whole a) (whole b)) = agree a b.
Proof.
  revert b. induction a as [| x a IH]; intros [| y b] L A B; try discriminate; [reflexivity |].
  change (less (whole (x :: a)) (whole (y :: b))) with ((Z.of_nat x - Z.of_nat y)%Z :: less (whole a) (whole b)).
  cbn [forallb]. rewrite IH; [| simpl in L; lia | intros; apply A; right; assumption | intros; apply B; right;
    assumption].
  assert (X := A x (or_introl eq_refl)). assert (Y := B y (or_introl eq_refl)).
  unfold is_multiple, agree. destruct (Z.eqb_spec ((Z.of_nat x - Z.of_nat y) mod Z.of_nat q) 0) as [E | E].
  - apply Z.mod_divide in E; [| lia]. destruct E as [d E]. assert (d = 0)%Z by nia. assert (x = y) as <- by nia.
    destruct (list_eq_dec _ a b), (list_eq_dec _ (x :: a) (x :: b)); simpl; congruence.
  - destruct (list_eq_dec _ (x :: a) (y :: b)) as [F | F]; [| reflexivity]. injection F as -> _. exfalso. apply E.
    rewrite Z.sub_diag. apply Z.mod_0_l. lia.
Qed.

Definition overlap (rho xs ys : list nat) : R :=
  total (words q n) (fun k => total (words q n) (fun k' =>
    one_if (agree (pick rho k) (pick owners k')) * cos (turn q (dot k' (whole ys) - dot k (whole xs))))).

Lemma pick_below rho k : users rho -> In k (words q n) -> forall c, In c (pick rho k) -> (c < q)%nat.
Proof.
  intros U I c J. apply in_words in I. apply in_map_iff in J. destruct J as [i [<- J]]. apply I, nth_In.
  rewrite (proj1 I). apply U, J.
Qed.

Lemma turn_opp z : cos (turn q z) = cos (turn q (- z)).
Proof. unfold turn. rewrite opp_IZR, <- cos_neg. f_equal. unfold Rdiv. ring. Qed.

Theorem product_of_two rho xs ys : users rho -> length rho = (n * m)%nat -> length xs = n -> length ys = n ->
  total (words q (n * m)) (fun u => shown rho xs u * shown owners ys u) = INR q ^ (n * m) * overlap rho xs ys.
Proof.
  intros U Lr Lx Ly.
  transitivity (total (words q (n * m)) (fun u => total (words q n) (fun k' => total (words q n) (fun k =>
    cos (turn q (dot k' (whole ys) - dot k (whole xs)) +
      turn q (dot u (less (whole (pick rho k)) (whole (pick owners k'))))))))).
  - apply total_ext. intros u _. unfold shown at 2. rewrite Rmult_comm, <- total_scal_r. apply total_ext. intros k' _.
    rewrite turn_opp, <- (proj2 (shown_phase rho xs u U Lx)). apply total_ext. intros k _.
    rewrite dot_less, !(dot_commutes u), <- !turn_plus by (try exact q_some; unfold whole, pick, owners;
      rewrite ?map_length, ?stubs_length, ?seq_length; lia). do 2 f_equal. ring.
  - rewrite total_swap. unfold overlap. rewrite (total_swap (words q n) (words q n)), <- total_scal. apply total_ext.
    intros k' I'. rewrite total_swap, <- total_scal. apply total_ext. intros k I.
    assert (Lo : length owners = (n * m)%nat) by (unfold owners; rewrite stubs_length, seq_length; reflexivity).
    assert (L : length (less (whole (pick rho k)) (whole (pick owners k'))) = (n * m)%nat).
    { unfold less, whole, pick. rewrite map_length, combine_length, !map_length. lia. }
    rewrite <- L at 1. rewrite all_words, L, multiples_agree; [reflexivity | | | | exact q_some].
    + unfold pick. rewrite !map_length. lia.
    + apply pick_below; assumption.
    + apply pick_below; [exact owners_users | assumption].
Qed.

End Residues.

Definition colourings (q : nat) (rho : list nat) : R :=
  total (words q n) (fun k => total (words q n) (fun k' => one_if (agree (pick rho k) (pick owners k')))).

Lemma overlap_nonneg q rho xs ys : (1 <= q)%nat -> users rho -> length rho = (n * m)%nat -> length xs = n ->
  length ys = n -> 0 <= overlap q rho xs ys.
Proof.
  intros Q U Lr Lx Ly. assert (P : 0 < INR q ^ (n * m)) by (apply pow_lt, lt_0_INR; lia).
  apply Rmult_le_reg_l with (INR q ^ (n * m)); [exact P |].
  rewrite Rmult_0_r, <- product_of_two by assumption. apply total_nonneg. intros u _.
  apply Rmult_le_pos; [apply (shown_phase q Q rho xs u) | apply (shown_phase q Q owners ys u owners_users)]; assumption.
Qed.

Lemma overlap_le q rho xs ys : overlap q rho xs ys <= colourings q rho.
Proof.
  apply total_le. intros k _. apply total_le. intros k' _.
  assert (C := COS_bound (turn q (dot k' (whole ys) - dot k (whole xs)))).
    assert (O := one_if_bounds (agree (pick rho k) (pick owners k'))).
  nra.
Qed.

Lemma agree_true u v : agree u v = true <-> u = v.
Proof. unfold agree. destruct (list_eq_dec _ u v); split; congruence. Qed.

(** At least as many as a list of agreeing pairs of colourings, each once. *)
Lemma colourings_at_least q rho l : NoDup l ->
  (forall kk, In kk l -> (In (fst kk) (words q n) /\ In (snd kk) (words q n)) /\ pick rho (fst kk) = pick owners
    (snd kk)) ->
  INR (length l) <= colourings q rho.
Proof.
  intros N H. unfold colourings.
  assert (X := total_prod (words q n) (words q n) (fun kk => one_if (agree (pick rho (fst kk)) (pick owners
    (snd kk))))).
  cbn [fst snd] in X. rewrite <- X. clear X.
  apply Rle_trans with (total l (fun kk => one_if (agree (pick rho (fst kk)) (pick owners (snd kk))))).
  - rewrite (total_ext l _ (fun _ => 1)); [rewrite total_const; lra |]. intros kk I.
    rewrite (proj2 (agree_true _ _) (proj2 (H kk I))). reflexivity.
  - apply total_incl; [exact N | | intros; apply one_if_bounds]. intros [k k'] I. apply in_prod; apply (H _ I).
Qed.

Lemma one_colour c q : (c < q)%nat -> In (repeat c n) (words q n).
Proof. intros L. apply in_words. split; [apply repeat_length | intros a I; apply repeat_spec in I; lia]. Qed.

Lemma repeat_differs (c d : nat) : c <> d -> repeat c n <> repeat d n.
Proof. intros D E. destruct n; [lia | simpl in E; congruence]. Qed.

Lemma two_colours rho : users rho -> length rho = (n * m)%nat -> 2 <= colourings 2 rho.
Proof.
  intros U L. apply (colourings_at_least 2 rho [(repeat 0 n, repeat 0 n); (repeat 1 n, repeat 1 n)]%nat).
  - repeat constructor; simpl; intros H; try tauto. destruct H as [H | []]. injection H as H _.
    exact (repeat_differs 1 0 ltac:(lia) H).
  - assert (Lo : length owners = (n * m)%nat) by (unfold owners; rewrite stubs_length, seq_length; reflexivity).
    intros kk [<- | [<- | []]]; cbn [fst snd]; (split; [split; apply one_colour; lia |]);
      rewrite !pick_repeat, L, Lo by (exact U || exact owners_users); reflexivity.
Qed.

Lemma all_equal (c : nat) k : length k = n -> (forall a, In a k -> a = c) -> k = repeat c n.
Proof. intros <- H. apply Forall_eq_repeat, Forall_forall. intros a I. symmetry. apply H, I. Qed.

(** An agreeing pair that is not of one colour gives four of two colours. *)
Lemma four_colourings q rho k k' : users rho -> length rho = (n * m)%nat ->
  In k (words q n) -> In k' (words q n) -> pick rho k = pick owners k' ->
  ~ (exists c, k = repeat c n /\ k' = repeat c n) -> 4 <= colourings 2 rho.
Proof.
  intros U L I I' E N. apply in_words in I, I'. destruct I as [Lk _], I' as [Lk' _].
  assert (Lo : length owners = (n * m)%nat) by (unfold owners; rewrite stubs_length, seq_length; reflexivity).
  assert (NC : forall c, k <> repeat c n).
  { intros c ->. apply N. exists c. split; [reflexivity |]. apply all_equal; [exact Lk' |]. intros a J.
    rewrite pick_repeat in E by exact U. apply (repeat_spec (length rho)). rewrite E, pick_owners by exact Lk'.
    apply in_flat_map. exists a. split; [exact J |]. destruct m; [lia | left; reflexivity]. }
  set (c0 := hd O k).
  set (g := fun c => if Nat.eqb c c0 then 1%nat else 0%nat). set (h := fun c => if Nat.eqb c c0 then 0%nat else 1%nat).
  assert (Hd : exists t, k = c0 :: t) by (unfold c0; destruct k; [simpl in Lk; lia | eexists; reflexivity]).
  assert (G0 : map g k <> repeat 0%nat n).
  { destruct Hd as [t Et]. rewrite Et. intros F. destruct n; [lia |]. simpl in F. unfold g in F.
    rewrite Nat.eqb_refl in F. congruence. }
  assert (H1 : map h k <> repeat 1%nat n).
  { destruct Hd as [t Et]. rewrite Et. intros F. destruct n; [lia |]. simpl in F. unfold h in F.
    rewrite Nat.eqb_refl in F. congruence. }
  assert (C : forall a (f : nat -> nat), (forall c, f c = a -> c = c0) -> map f k <> repeat a n).
  { intros a f Hf F. apply (NC c0), all_equal; [exact Lk |]. intros b J. apply Hf.
    apply (repeat_spec n). rewrite <- F. apply in_map, J. }
  assert (G1 : map g k <> repeat 1%nat n).
  { apply C. intros c. unfold g. destruct (Nat.eqb_spec c c0); [auto | discriminate]. }
  assert (H0 : map h k <> repeat 0%nat n).
  { apply C. intros c. unfold h. destruct (Nat.eqb_spec c c0); [auto | discriminate]. }
  assert (GH : map g k <> map h k).
  { destruct Hd as [t Et]. rewrite Et. simpl. unfold g, h. rewrite Nat.eqb_refl. congruence. }
  assert (B : forall f, f = g \/ f = h -> forall l, length l = n -> In (map f l) (words 2 n)).
  { intros f F l Ll. apply in_words. split; [rewrite map_length; exact Ll |]. intros a J. apply in_map_iff in J.
    destruct J as [c [<- _]]. destruct F as [-> | ->]; unfold g, h; destruct (Nat.eqb c c0); lia. }
  replace 4 with (INR (length [(repeat 0 n, repeat 0 n); (repeat 1 n, repeat 1 n);
    (map g k, map g k'); (map h k, map h k')]%nat)) by (simpl; lra).
  apply colourings_at_least.
  - repeat constructor; simpl; intros H; repeat (destruct H as [H | H]); try exact H; injection H as H J;
      try (exact (repeat_differs 1 0 ltac:(lia) H)); try congruence.
  - intros kk [<- | [<- | [<- | [<- | []]]]]; cbn [fst snd].
    1, 2: (split; [split; apply one_colour; lia |]);
      rewrite !pick_repeat, L, Lo by (exact U || exact owners_users); reflexivity.
    all: split; [split; apply B; auto |]; rewrite !pick_map, E by (assumption || exact owners_users); reflexivity.
Qed.

Lemma dot_repeat c k l : length l = k -> dot (repeat c k) l = (Z.of_nat c * fold_right Z.add 0 l)%Z.
Proof. intros <-. induction l as [| z l IH]; simpl; [| rewrite IH]; ring. Qed.

Lemma sum_of_whole xs : fold_right Z.add 0%Z (whole xs) = sum_of xs.
Proof. induction xs as [| x xs IH]; [reflexivity |]. simpl. unfold sum_of in *. simpl. rewrite IH. lia. Qed.

Theorem product_bounds q rho xs ys : (1 <= q)%nat -> users rho -> length rho = (n * m)%nat ->
  length xs = n -> length ys = n -> is_multiple q (sum_of ys - sum_of xs) = true ->
  INR q * (4 - colourings 2 rho) / 2 <= overlap q rho xs ys <= colourings q rho.
Proof.
  intros Q U L Lx Ly D. split; [| apply overlap_le]. assert (P : 0 < INR q) by (apply lt_0_INR; lia).
  destruct (classic (forall k k', In k (words q n) -> In k' (words q n) -> pick rho k = pick owners k' ->
    exists c, k = repeat c n /\ k' = repeat c n)) as [T | T].
  - apply Rle_trans with (INR q); [assert (X := two_colours rho U L); nra |].
    unfold overlap. set (F := fun k k' => one_if (agree (pick rho k) (pick owners k')) * cos (turn q (dot k'
      (whole ys) - dot k (whole xs)))).
    change (INR q <= total (words q n) (fun k => total (words q n) (fun k' => F k k'))).
    assert (C : forall c, cos (turn q (dot (repeat c n) (whole ys) - dot (repeat c n) (whole xs))) = 1).
    { intros c. rewrite !dot_repeat, !sum_of_whole by (unfold whole; rewrite map_length; assumption).
      rewrite <- (Rplus_0_l (turn q _)), turn_multiple; [apply cos_0 | exact Q |].
      rewrite <- Z.mul_sub_distr_l. unfold is_multiple in *. apply Z.eqb_eq in D. apply Z.eqb_eq.
      rewrite Z.mul_mod, D, Z.mul_0_r by lia. apply Z.mod_0_l. lia. }
    assert (X := total_prod (words q n) (words q n) (fun kk => F (fst kk) (snd kk))). cbn [fst snd] in X.
    rewrite <- X. clear X.
    apply Rle_trans with (total (map (fun c => (repeat c n, repeat c n)) (seq 0 q)) (fun kk => F (fst kk) (snd kk))).
    + rewrite total_map, (total_ext _ _ (fun _ => 1)); [rewrite total_const, seq_length; lra |]. intros c _.
      unfold F. cbn [fst snd]. rewrite C.
      assert (Lo : length owners = (n * m)%nat) by (unfold owners; rewrite stubs_length, seq_length; reflexivity).
      rewrite !pick_repeat, L, Lo by (exact U || exact owners_users). rewrite (proj2 (agree_true _ _) eq_refl).
      simpl. ring.
    + apply total_incl.
      * apply FinFun.Injective_map_NoDup; [| apply seq_NoDup]. intros a b H.
        destruct (Nat.eq_dec a b) as [| d]; [assumption |].
        injection H as H _. exfalso. exact (repeat_differs a b d H).
      * intros kk I. apply in_map_iff in I. destruct I as [c [<- I]]. apply in_seq in I.
        apply in_prod; apply one_colour; lia.
      * intros [k k'] I. apply in_prod_iff in I. unfold F. cbn [fst snd].
        destruct (agree (pick rho k) (pick owners k')) eqn:A; [| simpl; lra]. apply agree_true in A.
        destruct (T k k' (proj1 I) (proj2 I) A) as [c [-> ->]]. rewrite C. simpl. lra.
  - assert (X : 4 <= colourings 2 rho).
    { apply not_all_ex_not in T. destruct T as [k T]. apply not_all_ex_not in T. destruct T as [k' T].
      apply imply_to_and in T. destruct T as [I T]. apply imply_to_and in T. destruct T as [I' T].
      apply imply_to_and in T. destruct T as [E T]. apply (four_colourings q rho k k'); assumption. }
    assert (Y := overlap_nonneg q rho xs ys Q U L Lx Ly). nra.
Qed.

End Graph.
