(** A sweep over all data sets of a table, by a program: what it finds of every pair of neighbours, all of them have.

    The sweep goes through every multiset of users, one user at a time, and keeps the listing of what they show
    ([all_users]). Of inputs with equal rows one is taken ([distinct]); and of users who hold the same input in both
    data sets, one of those whose rows are equal up to fixed messages ([bystanders]). Proved for every table, n >= 1,
    and integers X >= Y > 0, d1 >= 0, d2 > 0:

    - [all_users_visited]: for every data set of these inputs a permutation of it is visited, with its law;
    - [swept_replace], [swept_add_or_remove]: if the program answers true, then all neighbouring data sets of n users,
      under replacement or with one user added or removed, are (X/Y, d1/d2)-below each other.

    Idea: moved_bystanders.v and equal_rows.v say what has to be swept over. The functions distinct, bystander_laws and
    View.pairs of exactdp/checker/ are these programs. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Permutation Bool.
From Exactdp Require Import sums reals laws privacy hockey_stick adding_a_user equal_rows moved_bystanders.
From ExactdpChecker Require Import claims posed views compared_views moved_rows.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

Section visits.

Variable visit : list nat -> listing -> bool.

(** Every multiset of this many more users of these inputs, with its law. *)
Fixpoint all_users (inputs : list (nat * listing)) : nat -> list nat -> listing -> bool :=
  match inputs with
  | [] => fun users us law =>
      match users with
      | O => visit us law
      | S _ => true
      end
  | (x, row) :: rest =>
      fix more users us law :=
        if all_users rest users us law then
          match users with
          | O => true
          | S less => more less (x :: us) (convolve law row)
          end
        else false
  end.

End visits.

Fixpoint same_listing (l m : listing) : bool :=
  match l, m with
  | [], [] => true
  | (a, p) :: l', (b, q) :: m' => (a =? b) && (p =? q) && same_listing l' m'
  | _, _ => false
  end.

(** The rows from the number x on, with their numbers, each that was not there before. *)
Fixpoint distinct_from (x : nat) (ls : list listing) (kept : list (nat * listing)) : list (nat * listing) :=
  match ls with
  | [] => kept
  | l :: rest =>
      distinct_from (S x) rest (if existsb (fun e => same_listing l (snd e)) kept then kept else (x, l) :: kept)
  end.

Definition distinct (ls : list listing) : list (nat * listing) := distinct_from 0 ls [].

(** Any two entries, in both orders. *)
Fixpoint any_two {A} (test : A -> A -> bool) (l : list A) : bool :=
  match l with
  | [] => true
  | a :: rest => if forallb (fun b => test a b && test b a) rest then any_two test rest else false
  end.

(** The excess is at most delta = d1/d2. *)
Definition within (X Y d1 d2 whole : Z) (P Q : listing) : bool := fst (compared X Y P Q) * d2 <=? d1 * Y * whole.

Definition replaced_within (X Y d1 d2 whole : Z) (ends : list (nat * listing)) (law : listing) : bool :=
  any_two (within X Y d1 d2 whole) (map (fun e => convolve law (snd e)) ends).

Definition added_within (X Y d1 d2 D whole : Z) (ends : list (nat * listing)) (law : listing) : bool :=
  let without := convolve law [(0, D)] in
  forallb (fun e => let P := convolve law (snd e) in
    within X Y d1 d2 whole P without && within X Y d1 d2 whole without P) ends.

(** Whether the steps of a sweep over multisets of users stay below [most]: of m users there are [sets] with one more,
    and each view of m users has at least 1 + m (shared - 1) outcomes. *)
Fixpoint within_steps (left : nat) (m inputs shared least sets total most : Z) : bool :=
  if most <? total then false
  else match left with
  | O => true
  | S rest =>
      within_steps rest (m + 1) inputs shared least (sets * (m + inputs + 1) / (m + 2))
        (total + sets * (1 + m * (shared - 1)) * least) most
  end.

(** No proof rests on it: what the checker in Python refuses as too large, by its estimate, is not begun. *)
Definition few_views (D : Z) (n : nat) (inputs : list listing) (users : nat) : bool :=
  match inputs with
  | [] => true
  | first :: rest =>
      let shared := filter (fun kw => forallb (fun l => existsb (fun jv => fst jv =? fst kw) l) rest) first in
      let least := fold_left (fun v l => Z.min v (Z.of_nat (length l))) rest (Z.of_nat (length first)) in
      let c := Z.of_nat (length inputs) in
      within_steps users 0 c (Z.max 1 (Z.of_nat (length shared))) least c 0
        (2 * 10 ^ 8 / (1 + Z.of_nat n * (Z.log2 D + 1) * 576 / 2 ^ 19))
  end.

(** One input of each class of rows that are equal up to fixed messages, with the class and with its own row. *)
Definition classes (t : table) (n : nat) : list (nat * listing) := distinct (listings (base_table t) (packing t n)).

Definition bystanders (t : table) (n : nat) : list (nat * listing) :=
  let rows := listings t (packing t n) in map (fun e => (fst e, entry rows [] (fst e))) (classes t n).

Definition swept (t : table) (nb : neighboring) (n : nat) (X Y d1 d2 : Z) : bool :=
  let D := denominator t in
  let whole := D ^ Z.of_nat n in
  let ends := distinct (listings t (packing t n)) in
  match nb, ends with
  | ReplaceOne, [_] => true
  | _, _ =>
      if few_views D n (map snd (classes t n)) (pred n) then
        let others := bystanders t n in
        match nb with
        | ReplaceOne => all_users (fun _ => replaced_within X Y d1 d2 whole ends) others (pred n) [] no_user
        | AddOrRemoveOne => all_users (fun _ => added_within X Y d1 d2 D whole ends) others (pred n) [] no_user
        end
      else false
  end.

(** ** Visits *)

Section visited.

Variables (keys : list Z) (s : R) (R : nat -> dist (list nat)) (visit : list nat -> listing -> bool).

Theorem all_users_visited inputs : (forall e, In e inputs -> lists keys s (snd e) (R (fst e))) ->
  forall users us law, all_users visit inputs users us law = true ->
  lists keys (s ^ length us) law (messages R us) ->
  forall zs, incl zs (map fst inputs) -> length zs = users ->
  exists vs law', Permutation (zs ++ us) vs /\ visit vs law' = true /\
    lists keys (s ^ length vs) law' (messages R vs).
Proof.
  induction inputs as [| [x row] rest IH]; intros Rows users us law H L zs I E.
  - destruct zs as [| z zs]; [| destruct (I z (or_introl eq_refl))]. simpl in E. subst users.
    exists us, law. auto.
  - assert (Rest : forall e, In e rest -> lists keys s (snd e) (R (fst e))) by (intros e J; apply Rows; right; exact J).
    specialize (IH Rest). revert us law H L zs I E. induction users as [| users IHu]; intros us law H L zs I E.
    + simpl in H. destruct (all_users visit rest 0 us law) eqn:H1; [| discriminate].
      apply (IH O us law H1 L zs); [| exact E]. destruct zs; [intros z [] | discriminate].
    + cbn [all_users] in H. destruct (all_users visit rest (S users) us law) eqn:H1; [| discriminate].
      destruct (in_dec Nat.eq_dec x zs) as [J | J].
      * apply in_split in J. destruct J as [a [b ->]].
        assert (P : Permutation (a ++ x :: b) (x :: a ++ b)) by (symmetry; apply Permutation_middle).
        destruct (IHu (x :: us) (convolve law row)) with (zs := a ++ b) as [vs [law' [P2 [V LV]]]].
        -- exact H.
        -- simpl pow. apply convolve_listed; [exact L | apply (Rows (x, row)); left; reflexivity].
        -- intros z K. apply I. apply in_app_or in K. apply in_or_app. simpl. tauto.
        -- apply Permutation_length in P. simpl in P. lia.
        -- exists vs, law'. split; [| auto]. rewrite <- P2, P. simpl. apply Permutation_middle.
      * apply (IH (S users) us law H1 L zs); [| exact E]. intros z K.
        destruct (I z K) as [<- | K']; [destruct (J K) | exact K'].
Qed.

End visited.

(** ** Rows *)

Lemma same_listing_equal l m : same_listing l m = true -> l = m.
Proof.
  revert m. induction l as [| [a p] l IH]; intros [| [b q] m]; simpl; try discriminate; [reflexivity |].
  intros H. apply andb_true_iff in H. destruct H as [H1 H2]. apply andb_true_iff in H1. destruct H1 as [H0 H1].
  apply Z.eqb_eq in H0, H1. rewrite H0, H1, (IH m H2). reflexivity.
Qed.

Lemma distinct_from_rows x ls kept :
  (forall e, In e (distinct_from x ls kept) ->
    In e kept \/ exists i, nth_error ls i = Some (snd e) /\ fst e = (x + i)%nat) /\
  (forall e, In e kept -> In e (distinct_from x ls kept)) /\
  (forall l, In l ls -> exists e, In e (distinct_from x ls kept) /\ snd e = l).
Proof.
  revert x kept. induction ls as [| l ls IH]; intros x kept; cbn [distinct_from].
  - split; [auto | split; [auto | intros l []]].
  - destruct (existsb _ kept) eqn:B.
    + destruct (IH (S x) kept) as [A1 [A2 A3]]. split; [| split; [exact A2 |]].
      * intros e I. destruct (A1 e I) as [J | [i [N F]]]; [auto | right]. exists (S i). split; [exact N | lia].
      * intros m [<- | I]; [| apply A3, I]. apply existsb_exists in B. destruct B as [e [J B]].
        apply same_listing_equal in B. exists e. auto.
    + destruct (IH (S x) ((x, l) :: kept)) as [A1 [A2 A3]]. split; [| split].
      * intros e I. destruct (A1 e I) as [[<- | J] | [i [N F]]]; [right | auto | right].
        -- exists 0%nat. split; [reflexivity | simpl; lia].
        -- exists (S i). split; [exact N | lia].
      * intros e I. apply A2. right. exact I.
      * intros m [<- | I]; [| apply A3, I]. exists (x, l). split; [apply A2; left; reflexivity | reflexivity].
Qed.

Lemma distinct_has ls x :
  ls <> [] -> exists e, In e (distinct ls) /\ snd e = entry ls [] x /\ entry ls [] (fst e) = snd e.
Proof.
  intros N. destruct (distinct_from_rows 0 ls []) as [A [_ B]].
  destruct (B (entry ls [] x)) as [e [I E]].
  - unfold entry. destruct (nth_in_or_default x ls (last ls [])) as [J | ->]; [exact J |].
    destruct ls as [| a l]; [congruence |]. clear. revert a.
    induction l as [| b l IH]; intros a; [left; reflexivity | right; apply IH].
  - exists e. split; [exact I | split; [exact E |]]. destruct (A e I) as [[] | [i [M F]]]. simpl in F. rewrite F.
    unfold entry. apply nth_error_nth, M.
Qed.

Section table.

Variables (t : table) (n : nat).
Hypothesis posed : table_posed t.
Hypothesis some_user : (1 <= n)%nat.

Let keys := packing t n.
Let D := denominator t.
Let R := table_law t.
Let ends := distinct (listings t keys).

Lemma ends_listed e : In e ends -> lists keys (IZR D) (snd e) (R (fst e)).
Proof.
  intros I. destruct (distinct_from_rows 0 (listings t keys) []) as [A _].
  destruct (A e I) as [[] | [i [N F]]]. simpl in F. rewrite F.
  assert (X := table_listed t keys i). unfold entry in X. rewrite (nth_error_nth _ _ _ N) in X. exact X.
Qed.

Lemma tells_of_rows x y : tells keys (R x) (R y).
Proof.
  assert (S : forall u, In u (map snd (R x ++ R y)) -> sendable t n u).
  { intros u I. apply in_map_iff in I. destruct I as [wu [<- I]]. apply in_app_or in I.
    apply (sendable_more t 1); [exact some_user |].
    destruct I as [I | I]; apply row_sendable in I; assumption. }
  intros u v IU IV. apply packing_tells; auto.
Qed.

Lemma D_positive_real : (0 < IZR D)%R.
Proof. apply IZR_lt, denominator_positive. Qed.

Lemma ends_have_all_rows : has_all_rows R (map fst ends).
Proof.
  intros x. destruct (distinct_has (listings t keys) x) as [e [I [E _]]].
  - destruct posed as [N _]. unfold listings. destruct (rows t); [congruence | discriminate].
  - exists (fst e). split; [apply in_map, I |]. intros f F.
    apply (same_listing_same_row keys (IZR D) (snd e)); try apply tells_of_rows; try exact F.
    + apply D_positive_real.
    + rewrite E. apply table_listed.
    + apply ends_listed, I.
Qed.

Lemma bystanders_listed e : In e (bystanders t n) -> lists keys (IZR D) (snd e) (R (fst e)).
Proof. intros I. apply in_map_iff in I. destruct I as [c [<- _]]. apply table_listed. Qed.

Lemma bystanders_have_all_classes : has_all_classes R (map fst (bystanders t n)).
Proof.
  intros x. destruct (distinct_has (listings (base_table t) keys) x) as [e [I [E F]]].
  - destruct posed as [N _]. unfold listings, base_table. destruct (rows t); [congruence | discriminate].
  - exists (fst e). split.
    + unfold bystanders. rewrite map_map. apply (in_map fst), I.
    + apply (moved_if_listed_alike t n posed some_user). fold keys. congruence.
Qed.

Lemma row_proper x : proper (R x).
Proof.
  destruct posed as [N H]. destruct (entry_in (rows t) [] x) as [E | J].
  - exfalso. unfold entry in E. destruct (rows t) as [| row rest] eqn:ER; [congruence |]. rewrite <- ER in *.
    assert (K : In [] (rows t)).
    { rewrite <- E. destruct (nth_in_or_default x (rows t) (last (rows t) [])) as [J | ->]; [exact J |].
      rewrite ER. clear. revert row. induction rest as [| b l IH]; intros a; [left; reflexivity | right; apply IH]. }
    destruct (H [] K) as [_ S]. discriminate S.
  - destruct (H _ J) as [P S]. unfold R, table_law. set (row := entry (rows t) [] x) in *. clearbody row. split.
    + intros wa I. apply in_map_iff in I. destruct I as [o [<- I]]. simpl. destruct (P o I) as [Q _].
      apply Qlt_Rlt in Q. rewrite RMicromega.Q2R_0 in Q. lra.
    + apply Qeq_eqR in S. rewrite RMicromega.Q2R_1 in S. apply eq_trans with (2 := S). clear. unfold mean, row_law.
      rewrite total_map. induction row as [| o row IH]; simpl in *; [rewrite RMicromega.Q2R_0; reflexivity |].
      rewrite Q2R_plus, <- IH. ring.
Qed.

Variables (X Y d1 d2 : Z).
Hypothesis ratio : (0 < Y <= X)%Z.
Hypothesis d1_nonneg : (0 <= d1)%Z.
Hypothesis d2_positive : (0 < d2)%Z.

Let E := (IZR X / IZR Y)%R.
Let delta := (IZR d1 / IZR d2)%R.
Let whole := D ^ Z.of_nat n.

Lemma whole_real : IZR whole = (IZR D ^ n)%R.
Proof. unfold whole. rewrite <- pow_IZR. reflexivity. Qed.

Lemma whole_positive : 0 < whole.
Proof. apply Z.pow_pos_nonneg; [apply denominator_positive | lia]. Qed.

Lemma within_below P Q xs ys :
  within X Y d1 d2 whole P Q = true -> (length xs <= n)%nat -> (length ys <= n)%nat ->
  lists keys (IZR D ^ n) P (messages R xs) -> lists keys (IZR D ^ n) Q (messages R ys) ->
  shuffle_below R xs ys E delta.
Proof.
  intros H LX LY LP LQ. unfold within in H. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H.
  assert (P2 := IZR_lt _ _ d2_positive). rewrite <- whole_real in LP, LQ.
  refine (compared_below keys whole X Y P Q _ _ whole_positive (proj1 ratio) LP LQ delta _ _);
    [apply tells_of_data_sets; assumption |].
  unfold delta. apply Rmult_le_reg_r with (IZR d2); [exact P2 |].
  replace (IZR d1 / IZR d2 * IZR Y * IZR whole * IZR d2)%R with (IZR d1 * IZR Y * IZR whole)%R by (field; lra). exact H.
Qed.

(** The bystanders that the program visits. *)
Definition visited (visit : listing -> bool) (us : list nat) : Prop :=
  length us = pred n /\ exists law, lists keys (IZR D ^ pred n) law (messages R us) /\ visit law = true.

Lemma sweep_of visit :
  all_users (fun _ => visit) (bystanders t n) (pred n) [] no_user = true ->
  sweeps (pred n) (map fst (bystanders t n)) (visited visit).
Proof.
  intros H zs I L.
  destruct (all_users_visited keys (IZR D) R _ _ bystanders_listed _ _ _ H (no_user_listed keys R) zs I L)
    as [vs [law [P [V LV]]]].
  rewrite app_nil_r in P. exists vs. split; [| exact P].
  assert (LL : length vs = pred n) by (rewrite <- (Permutation_length P); exact L).
  split; [exact LL |]. exists law. rewrite <- LL. auto.
Qed.

Lemma classes_of_rows rows : has_all_rows R rows -> has_all_classes R rows.
Proof. intros H x. destruct (H x) as [y [I S]]. exists y. split; [exact I | apply moved_row_of_same, S]. Qed.

Lemma ratio_at_least_1 : (1 <= E)%R.
Proof.
  destruct ratio as [HY HX]. apply IZR_lt in HY. apply IZR_le in HX. unfold E.
  apply Rmult_le_reg_r with (IZR Y); [exact HY |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma delta_at_least_0 : (0 <= delta)%R.
Proof.
  apply IZR_le in d1_nonneg. apply IZR_lt in d2_positive. unfold delta.
  apply Rmult_le_pos; [exact d1_nonneg | left; apply Rinv_0_lt_compat, d2_positive].
Qed.

Lemma one_more law us e :
  length us = pred n -> lists keys (IZR D ^ pred n) law (messages R us) -> In e ends ->
  lists keys (IZR D ^ n) (convolve law (snd e)) (messages R (fst e :: us)).
Proof.
  intros L HL I. replace n with (S (pred n)) at 1 by lia. simpl pow.
  apply convolve_listed; [exact HL | apply ends_listed, I].
Qed.

Lemma any_two_test {A} (test : A -> A -> bool) l a b :
  any_two test l = true -> In a l -> In b l -> a <> b -> test a b = true.
Proof.
  induction l as [| c l IH]; intros H IA IB N; [destruct IA |]. simpl in H.
  destruct (forallb _ l) eqn:F; [| discriminate]. rewrite forallb_forall in F.
  destruct IA as [<- | IA], IB as [<- | IB].
  - congruence.
  - apply F, andb_true_iff in IB. apply IB.
  - apply F, andb_true_iff in IA. apply IA.
  - auto.
Qed.

(** ** Sweeps *)

Lemma any_two_map {A B} (g : A -> B) test l : any_two test (map g l) = any_two (fun a b => test (g a) (g b)) l.
Proof.
  induction l as [| a l IH]; [reflexivity |]. simpl. rewrite IH.
  assert (F : forall m, forallb (fun b => test (g a) b && test b (g a)) (map g m) =
    forallb (fun b => test (g a) (g b) && test (g b) (g a)) m).
  { induction m as [| b m IHm]; [reflexivity |]. simpl. rewrite IHm. reflexivity. }
  rewrite F. reflexivity.
Qed.

Lemma one_end :
  match ends with [_] => True | _ => False end -> forall x y, In x (map fst ends) -> In y (map fst ends) -> x = y.
Proof.
  destruct ends as [| e [| e' rest]]; try contradiction. intros _ x y [<- | []] [<- | []]. reflexivity.
Qed.

Theorem swept_replace :
  swept t ReplaceOne n X Y d1 d2 = true ->
  forall xs ys, neighbors xs ys -> length xs = n -> shuffle_below R xs ys E delta.
Proof.
  intros H. unfold swept in H. fold keys D in H. fold ends whole in H.
  assert (H' : match ends with [_] => True | _ => False end \/
    all_users (fun _ => replaced_within X Y d1 d2 whole ends) (bystanders t n) (pred n) [] no_user = true).
  { destruct ends as [| e [| e' rest]]; [| auto |]; (destruct (few_views _ _ _ _); [auto | discriminate]). }
  clear H. destruct H' as [One | H].
  - apply (sweep R (map fst ends) (map fst ends) (fun us => length us = pred n) n).
    + exact row_proper.
    + exact ends_have_all_rows.
    + apply classes_of_rows, ends_have_all_rows.
    + intros zs _ L. exists zs. auto.
    + exact ratio_at_least_1.
    + exact delta_at_least_0.
    + intros us x y _ IX IY N. destruct N. apply one_end; assumption.
  - apply (sweep R (map fst ends) (map fst (bystanders t n)) (visited (replaced_within X Y d1 d2 whole ends)) n).
    + exact row_proper.
    + exact ends_have_all_rows.
    + apply bystanders_have_all_classes.
    + apply sweep_of, H.
    + exact ratio_at_least_1.
    + exact delta_at_least_0.
    + intros us x y [L [law [LL V]]] IX IY N. apply in_map_iff in IX, IY.
      destruct IX as [e [<- IX]]. destruct IY as [f [<- IY]].
      apply (within_below (convolve law (snd e)) (convolve law (snd f)));
        try (simpl; lia); try (apply one_more; assumption).
      pose (test := fun e f : nat * listing => within X Y d1 d2 whole (convolve law (snd e)) (convolve law (snd f))).
      apply (any_two_test test ends); try assumption.
      * unfold replaced_within in V. rewrite any_two_map in V. exact V.
      * intros <-. apply N. reflexivity.
Qed.

Lemma same_users law us :
  length us = pred n -> lists keys (IZR D ^ pred n) law (messages R us) ->
  lists keys (IZR D ^ n) (convolve law [(0, D)]) (messages R us).
Proof.
  intros L HL f. rewrite convolve_weighs. unfold weighs at 1. cbn [total fst snd]. rewrite HL.
  rewrite (mean_ext _ _ (fun u => f (sum_of keys u))) by (intros u; rewrite Z.add_0_r; reflexivity).
  replace n with (S (pred n)) at 2 by lia. simpl pow. ring.
Qed.

Theorem swept_add_or_remove : swept t AddOrRemoveOne n X Y d1 d2 = true -> add_or_remove_below n R E delta.
Proof.
  intros H. unfold swept in H. fold keys D in H. fold ends whole in H.
  apply (sweep_add_or_remove R (map fst ends) (map fst (bystanders t n)) (visited (added_within X Y d1 d2 D whole ends))
    n).
  - exact ends_have_all_rows.
  - apply bystanders_have_all_classes.
  - apply sweep_of. destruct (few_views _ _ _ _); [exact H | discriminate].
  - intros us x [L [law [LL V]]] IX. apply in_map_iff in IX. destruct IX as [e [<- IX]].
    unfold added_within in V. rewrite forallb_forall in V. destruct (proj1 (andb_true_iff _ _) (V e IX)) as [B1 B2].
    assert (L1 := one_more law us e L LL IX). assert (L2 := same_users law us L LL).
    split; [apply (within_below _ _ _ _ B1) | apply (within_below _ _ _ _ B2)]; try assumption; simpl; lia.
Qed.

(** In the words of claims.v. *)
Theorem swept_private nb : swept t nb n X Y d1 d2 = true -> private R nb n E delta.
Proof.
  destruct nb; intros H; [| apply swept_add_or_remove, H]. intros xs ys NB L.
  rewrite exp_ln by (assert (X1 := ratio_at_least_1); lra). apply swept_replace; assumption.
Qed.

End table.
