(** Two views are compared by a program on integers: which pairs of data sets it finds private, and which not.

    The messages of a table get the keys 1, b, b^2, ..., with b above the number of messages of all users
    ([packing]). Let P and Q be listings of two data sets with these keys, both of [whole] times the law. [compared]
    gives the sum of max(0, Y p - X q) over all outcomes, and the sum of the q where Y p >= X q. Proved for all tables,
    data sets of at most n users, integers X, Y > 0 and real delta:

    - [compared_below]: if the first is at most delta Y whole, the first data set is (X/Y, delta)-below the other, for
      all events that the order of the messages does not change;
    - [compared_event]: if every outcome stands once, one such event T has this excess, Y P(T) - X Q(T) times whole,
      and Q(T) is the second sum.

    Idea: the sum of the keys of messages gives the number of each, as digits. Nothing has to ascend for the first.

    The functions pack and compare_divergence of exactdp/checker/ are these programs. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Permutation Bool.
From Exactdp Require Import sums reals laws privacy hockey_stick adding_a_user shuffler.
From ExactdpChecker Require Import claims posed views.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

Fixpoint powers (base first : Z) (k : nat) : list Z :=
  match k with
  | O => []
  | S less => first :: powers base (first * base) less
  end.

(** Of all outcomes of a table. *)
Definition most_sent (t : table) : nat := fold_right (fun o => Nat.max (length (snd o))) 0%nat (concat (rows t)).

Definition packing (t : table) (n : nat) : list Z :=
  powers (Z.of_nat n * Z.of_nat (most_sent t) + 1) 1 (message_types t).

Definition aligned : listing -> listing -> list (Z * (Z * Z)) := merge (fun p => (p, 0)) (fun q => (0, q)) pair.

Fixpoint excesses (X Y : Z) (l : list (Z * (Z * Z))) (positive at_least : Z) : Z * Z :=
  match l with
  | [] => (positive, at_least)
  | (_, (p, q)) :: rest =>
      let excess := Y * p - X * q in
      if 0 <=? excess then excesses X Y rest (positive + excess) (at_least + q) else excesses X Y rest positive at_least
  end.

Definition compared (X Y : Z) (P Q : listing) : Z * Z := excesses X Y (aligned P Q) 0 0.

Definition once (P Q : listing) : bool := ascending (map fst (aligned P Q)).

(** ** Digits *)

(** The messages 0, and the others, counted down by one. *)
Fixpoint zeros (u : list nat) : nat :=
  match u with
  | [] => O
  | O :: rest => S (zeros rest)
  | S _ :: rest => zeros rest
  end.

Fixpoint others (u : list nat) : list nat :=
  match u with
  | [] => []
  | O :: rest => others rest
  | S m :: rest => m :: others rest
  end.

Lemma zeros_and_others u : Permutation u (repeat O (zeros u) ++ map S (others u)).
Proof.
  induction u as [| [| m] u IH]; simpl; [reflexivity | apply perm_skip, IH |].
  rewrite <- Permutation_middle. apply perm_skip, IH.
Qed.

Lemma zeros_length u : (zeros u + length (others u) = length u)%nat.
Proof. induction u as [| [| m] u IH]; simpl; lia. Qed.

Lemma sum_of_cons keys m u : sum_of keys (m :: u) = nth m keys 0 + sum_of keys u.
Proof. reflexivity. Qed.

Lemma sum_of_first p keys u : sum_of (p :: keys) u = p * Z.of_nat (zeros u) + sum_of keys (others u).
Proof.
  induction u as [| [| m] u IH]; [simpl; ring | |]; rewrite sum_of_cons, IH; cbn [zeros others nth].
  - rewrite Nat2Z.inj_succ. ring.
  - rewrite sum_of_cons. ring.
Qed.

Lemma powers_scaled base c p k u : sum_of (powers base (c * p) k) u = c * sum_of (powers base p k) u.
Proof.
  revert p u. induction k as [| k IH]; intros p u; simpl powers.
  - induction u as [| [| m] u IHu]; simpl in *; [ring | lia | lia].
  - rewrite !sum_of_first. replace (c * p * base) with (c * (p * base)) by ring. rewrite IH. ring.
Qed.

Lemma same_digits base k : forall u v,
  (forall m, In m u -> (m < k)%nat) -> (forall m, In m v -> (m < k)%nat) ->
  Z.of_nat (length u) < base -> Z.of_nat (length v) < base ->
  sum_of (powers base 1 k) u = sum_of (powers base 1 k) v -> Permutation u v.
Proof.
  induction k as [| k IH]; intros u v Hu Hv Lu Lv E.
  - destruct u as [| m u]; [| specialize (Hu m (or_introl eq_refl)); lia].
    destruct v as [| m v]; [reflexivity | specialize (Hv m (or_introl eq_refl)); lia].
  - change (powers base 1 (S k)) with (1 :: powers base (1 * base) k) in E. rewrite !sum_of_first in E.
    rewrite (Z.mul_comm 1 base) in E.
    rewrite !powers_scaled in E. assert (ZU := zeros_length u). assert (ZV := zeros_length v).
    assert (D : Z.of_nat (zeros u) = Z.of_nat (zeros v) /\
      sum_of (powers base 1 k) (others u) = sum_of (powers base 1 k) (others v)).
    { set (a := sum_of _ (others u)) in *. set (b := sum_of _ (others v)) in *. clearbody a b.
      assert (a = b) by nia. subst. lia. }
    destruct D as [D1 D2]. apply Nat2Z.inj in D1.
    assert (O : forall w, (forall m, In m w -> (m < S k)%nat) -> forall m, In m (others w) -> (m < k)%nat).
    { intros w Hw m I. apply Nat.succ_lt_mono, Hw.
      apply (Permutation_in _ (Permutation_sym (zeros_and_others w))), in_or_app. right. apply in_map, I. }
    rewrite (zeros_and_others u), (zeros_and_others v), D1. apply Permutation_app_head, Permutation_map.
    apply IH; [apply O, Hu | apply O, Hv | lia | lia | exact D2].
Qed.

Lemma sum_of_permutation keys u v : Permutation u v -> sum_of keys u = sum_of keys v.
Proof. induction 1; simpl in *; lia. Qed.

(** ** What a table may send *)

Definition sendable (t : table) (n : nat) (u : list nat) : Prop :=
  (forall m, In m u -> (m < message_types t)%nat) /\ (length u <= n * most_sent t)%nat.

Lemma row_sendable t x wu : table_posed t -> In wu (table_law t x) -> sendable t 1 (snd wu).
Proof.
  intros [_ H] I. unfold table_law, row_law in I. apply in_map_iff in I. destruct I as [o [<- I]]. simpl.
  destruct (entry_in (rows t) [] x) as [E | J]; [rewrite E in I; destruct I |].
  destruct (H _ J) as [HM _]. destruct (HM o I) as [_ M]. split; [exact M |]. rewrite Nat.mul_1_l. unfold most_sent.
  assert (K : In o (concat (rows t))) by (apply in_concat; eauto). clear -K.
  induction (concat (rows t)) as [| a l IH]; [destruct K |]. destruct K as [-> | K]; simpl; [lia |].
  specialize (IH K). lia.
Qed.

Lemma messages_sendable t xs wu : table_posed t -> In wu (messages (table_law t) xs) -> sendable t (length xs) (snd wu).
Proof.
  intros H. revert wu. induction xs as [| x xs IH]; intros wu I.
  - destruct I as [<- | []]. split; [intros m [] | simpl; lia].
  - simpl in I. unfold bind in I. apply in_flat_map in I. destruct I as [[a mine] [Ix I]].
    apply in_map_iff in I. destruct I as [[c u] [<- I]]. apply in_flat_map in I.
    destruct I as [[b others] [Io [E | []]]]. injection E as _ E2. simpl in *. subst u.
    destruct (row_sendable t x _ H Ix) as [M1 L1]. destruct (IH _ Io) as [M2 L2]. simpl in *. split.
    + intros m J. apply in_app_or in J. destruct J; auto.
    + rewrite app_length. lia.
Qed.

Lemma packing_tells t n u v :
  sendable t n u -> sendable t n v -> sum_of (packing t n) u = sum_of (packing t n) v -> Permutation u v.
Proof.
  intros [MU LU] [MV LV]. unfold packing. apply same_digits; try assumption; rewrite <- Nat2Z.inj_mul; lia.
Qed.

Lemma sendable_more t n n' u : (n <= n')%nat -> sendable t n u -> sendable t n' u.
Proof. intros H [M L]. split; [exact M |]. assert (n * most_sent t <= n' * most_sent t)%nat by nia. lia. Qed.

(** ** Functions of the messages as functions of the sum *)

Open Scope R_scope.

Section seen.

Variables (keys : list Z) (P Q : dist (list nat)).

Definition tells : Prop := forall u v, In u (map snd (P ++ Q)) -> In v (map snd (P ++ Q)) ->
  sum_of keys u = sum_of keys v -> Permutation u v.

Lemma seen_as_sum (f : list nat -> R) :
  orderless f -> tells ->
  exists g, (forall k, (exists u, g k = f u) \/ g k = 0) /\
    mean P f = mean P (fun u => g (sum_of keys u)) /\ mean Q f = mean Q (fun u => g (sum_of keys u)).
Proof.
  intros F H. pose (all := map snd (P ++ Q)).
  exists (fun k => match find (fun u => Z.eqb (sum_of keys u) k) all with Some u => f u | None => 0 end).
  assert (X : forall u, In u all ->
    f u = match find (fun v => Z.eqb (sum_of keys v) (sum_of keys u)) all with Some v => f v | None => 0 end).
  { intros u I. destruct (find _ all) as [v |] eqn:E.
    - apply find_some in E. destruct E as [J E]. apply Z.eqb_eq in E. apply F, H; auto.
    - apply (find_none _ _ E) in I. rewrite Z.eqb_refl in I. discriminate. }
  split; [| split; apply mean_ext_in; intros wu I; apply X; apply in_map, in_or_app; auto].
  intros k. destruct (find _ all) as [v |]; [left; exists v; reflexivity | right; reflexivity].
Qed.

End seen.

Lemma tells_of_data_sets t n xs ys :
  table_posed t -> (length xs <= n)%nat -> (length ys <= n)%nat ->
  tells (packing t n) (messages (table_law t) xs) (messages (table_law t) ys).
Proof.
  intros H LX LY.
  assert (S : forall u, In u (map snd (messages (table_law t) xs ++ messages (table_law t) ys)) -> sendable t n u).
  { intros u I. apply in_map_iff in I. destruct I as [wu [<- I]]. apply in_app_or in I.
    destruct I as [I | I]; (eapply sendable_more; [| apply messages_sendable; eassumption]); assumption. }
  intros u v IU IV. apply packing_tells; auto.
Qed.

(** Equal listings are equal rows. *)
Lemma same_listing_same_row keys s law (P Q : dist (list nat)) f :
  0 < s -> lists keys s law P -> lists keys s law Q -> tells keys P Q -> orderless f -> mean P f = mean Q f.
Proof.
  intros HS LP LQ T F. destruct (seen_as_sum keys P Q f F T) as [g [_ [-> ->]]].
  apply Rmult_eq_reg_l with s; [| lra]. rewrite <- (LP g), <- (LQ g). reflexivity.
Qed.

(** ** The comparison *)

Lemma weighs_nothing {A} (l : list (Z * A)) f : weighs (fun _ => 0) l f = 0.
Proof.
  unfold weighs. rewrite (total_ext l _ (fun _ => 0)), total_zero; [reflexivity |]. intros a _. apply Rmult_0_l.
Qed.

Lemma aligned_first P Q f : weighs (fun pq => IZR (fst pq)) (aligned P Q) f = weighs IZR P f.
Proof.
  unfold aligned. rewrite (merge_weighs _ _ _ _ IZR (fun _ => 0)); try (intros; simpl; ring).
  rewrite weighs_nothing. ring.
Qed.

Lemma aligned_second P Q f : weighs (fun pq => IZR (snd pq)) (aligned P Q) f = weighs IZR Q f.
Proof.
  unfold aligned. rewrite (merge_weighs _ _ _ _ (fun _ => 0) IZR); try (intros; simpl; ring).
  rewrite weighs_nothing. ring.
Qed.

Section comparison.

Variables (X Y : Z).

Definition excess (e : Z * (Z * Z)) : Z := (Y * fst (snd e) - X * snd (snd e))%Z.

Definition counted (e : Z * (Z * Z)) : bool := (0 <=? excess e)%Z.

Lemma excesses_sum l a b :
  IZR (fst (excesses X Y l a b)) = IZR a + total l (fun e => if counted e then IZR (excess e) else 0) /\
  IZR (snd (excesses X Y l a b)) = IZR b + total l (fun e => if counted e then IZR (snd (snd e)) else 0).
Proof.
  revert a b. induction l as [| e l IH]; intros a b; [simpl; split; ring |]. cbn [total].
  replace (excesses X Y (e :: l) a b)
    with (if counted e then excesses X Y l (a + excess e) (b + snd (snd e)) else excesses X Y l a b)
    by (destruct e as [k [p q]]; reflexivity).
  destruct (counted e).
  - destruct (IH (a + excess e)%Z (b + snd (snd e))%Z) as [-> ->]. rewrite !plus_IZR. split; ring.
  - destruct (IH a b) as [-> ->]. split; ring.
Qed.

Lemma excess_of f l :
  IZR Y * weighs (fun pq => IZR (fst pq)) l f - IZR X * weighs (fun pq => IZR (snd pq)) l f =
  total l (fun e => IZR (excess e) * f (fst e)).
Proof.
  unfold weighs. rewrite <- !total_scal, <- total_minus. apply total_ext. intros e _. unfold excess.
  rewrite minus_IZR, !mult_IZR. ring.
Qed.

Lemma compared_above P Q f :
  (forall k, 0 <= f k <= 1) ->
  IZR Y * weighs IZR P f - IZR X * weighs IZR Q f <= IZR (fst (compared X Y P Q)).
Proof.
  intros F. rewrite <- (aligned_first P Q), <- (aligned_second P Q), excess_of.
  unfold compared. destruct (excesses_sum (aligned P Q) 0 0) as [-> _]. rewrite Rplus_0_l. apply total_le. intros e _.
  specialize (F (fst e)). unfold counted. destruct (Z.leb_spec 0 (excess e)) as [L | L].
  - apply IZR_le in L. rewrite <- (Rmult_1_r (IZR (excess e))) at 2. apply Rmult_le_compat_l; lra.
  - apply IZR_lt in L. rewrite <- (Rmult_0_l (f (fst e))). apply Rmult_le_compat_r; lra.
Qed.

Lemma compared_attained P Q :
  once P Q = true ->
  exists T, IZR Y * weighs IZR P (indicator T) - IZR X * weighs IZR Q (indicator T) = IZR (fst (compared X Y P Q)) /\
    weighs IZR Q (indicator T) = IZR (snd (compared X Y P Q)).
Proof.
  intros H. apply ascending_once in H. set (l := aligned P Q) in *.
  exists (fun k => existsb (fun e => Z.eqb (fst e) k && counted e) l).
  assert (S : forall e, In e l -> existsb (fun e' => Z.eqb (fst e') (fst e) && counted e') l = counted e).
  { intros e I. destruct (counted e) eqn:C.
    - apply existsb_exists. exists e. rewrite Z.eqb_refl. auto.
    - apply not_true_iff_false. intros B. apply existsb_exists in B. destruct B as [e' [J B]].
      apply andb_true_iff in B. destruct B as [K C']. apply Z.eqb_eq in K. assert (e' = e); [| congruence]. clear C C'.
      clearbody l. induction l as [| a l IH]; [destruct I |]. simpl in H. inversion H as [| ? ? N H']. subst.
      destruct I as [<- | I], J as [<- | J]; auto.
      + destruct N. rewrite <- K. apply in_map, J.
      + destruct N. rewrite K. apply in_map, I. }
  rewrite <- (aligned_first P Q), <- (aligned_second P Q), excess_of. fold l. unfold compared. fold l.
  destruct (excesses_sum l 0 0) as [-> ->]. rewrite !Rplus_0_l. unfold weighs.
  split; apply total_ext; intros e I; unfold indicator; rewrite (S e I); destruct (counted e); ring.
Qed.

End comparison.

(** ** Laws of messages *)

Section laws.

Variables (keys : list Z) (whole X Y : Z) (P Q : listing) (mu nu : dist (list nat)).
Hypothesis whole_positive : (0 < whole)%Z.
Hypothesis Y_positive : (0 < Y)%Z.
Hypothesis P_listed : lists keys (IZR whole) P mu.
Hypothesis Q_listed : lists keys (IZR whole) Q nu.

Theorem compared_below delta :
  tells keys mu nu -> IZR (fst (compared X Y P Q)) <= delta * IZR Y * IZR whole ->
  forall T, symmetric T -> Pr mu T <= IZR X / IZR Y * Pr nu T + delta.
Proof.
  intros H L T S. assert (W := IZR_lt _ _ whole_positive). assert (Y0 := IZR_lt _ _ Y_positive). unfold Pr.
  destruct (seen_as_sum keys mu nu _ (orderless_indicator T S) H) as [g [G [-> ->]]].
  assert (B : forall k, 0 <= g k <= 1).
  { intros k. destruct (G k) as [[u ->] | ->]; [apply indicator_bounds | lra]. }
  assert (C := compared_above X Y P Q g B). rewrite P_listed, Q_listed in C.
  set (p := mean mu _) in *. set (q := mean nu _) in *. apply Rmult_le_reg_l with (IZR Y * IZR whole).
  - apply Rmult_lt_0_compat; lra.
  - replace (IZR Y * IZR whole * (IZR X / IZR Y * q + delta)) with (IZR X * (IZR whole * q) + delta * IZR Y * IZR whole)
      by (field; lra). lra.
Qed.

Theorem compared_event :
  once P Q = true ->
  exists T, symmetric T /\
    (Pr mu T - IZR X / IZR Y * Pr nu T) * (IZR Y * IZR whole) = IZR (fst (compared X Y P Q)) /\
    Pr nu T * IZR whole = IZR (snd (compared X Y P Q)).
Proof.
  intros H. assert (Y0 := IZR_lt _ _ Y_positive). destruct (compared_attained X Y P Q H) as [T [A B]].
  rewrite P_listed, Q_listed in A. rewrite Q_listed in B. exists (fun u => T (sum_of keys u)).
  split; [intros u v E; rewrite (sum_of_permutation keys u v E); reflexivity |].
  rewrite <- A, <- B. unfold Pr, indicator. split; [field; lra | ring].
Qed.

End laws.
