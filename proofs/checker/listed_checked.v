(** The kind shuffle_dp of users of whom it is published who takes part: [check_listed_users] accepts only what holds, or
    does not ([check_listed_users_sound]).

    A swap or a blanket of the classes of listed_users.v proves it, and a likelihood test refutes it, where all others hold
    one input. For every table and family, one number of users or all from it, any level, delta and witness.

    Idea: a list tells more, so that more users are as private ([listed_more]); a test of how many are away tells as much
    as one of their names, where they all hold one input ([published_of_one_input]). Source: docs/certificates.md, "By the
    swap bound". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation.
From Exactdp Require Import reals sums laws hockey_stick events independence privacy shuffler single_message adding_a_user.
From Exactdp Require Import mean_excess hidden_message blanket generic_blanket classes least_values absent_users homogeneous supports pair_bound.
From ExactdpChecker Require Import claims witnesses kinds levels blanket_program blanket_sound matrix_blanket family_blanket family_rows.
From ExactdpChecker Require Import likelihood_checked at_most_one_message mixed_others_checked blanket_checked swap_checked laplace_table.
From ExactdpChecker Require Import absence_laws away_rows participation_rows listed_users.
From ExactdpChecker Require Import opaque_rationals.
From ExactdpChecker Require posed table_laws.
Import ListNotations.
Open Scope R_scope.

(** ** More users *)

Definition one_name_more {M} (m : nat + M) : nat + M := match m with inl k => inl (S k) | inr m => inr m end.

Lemma mean_all_first {X M} (S : X -> dist (list M)) user others f :
  mean (messages S (user :: others)) f = mean (S user) (fun u => mean (messages S others) (fun v => f (u ++ v))).
Proof.
  cbn [messages]. rewrite mean_bind. apply mean_ext. intros u. rewrite mean_bind. apply mean_ext. intros v.
  apply mean_ret.
Qed.

Section more.

Context {M : Type} (q : Q) (R : nat -> dist (list M)) (E delta : Rdefinitions.R).
Hypothesis often : 0 < Q2R q < 1.
Hypothesis rows_proper : forall x, proper (R x).

Let V (xs : list nat) : dist (list (nat + M)) := messages (with_name q R) (numbered xs).

Lemma proper_with_name user : proper (with_name q R user).
Proof. apply proper_away; [lra | apply proper_dmap, rows_proper | apply proper_ret]. Qed.

Lemma below_with_user user (us vs : list (nat * nat)) T : symmetric T ->
  (forall T', symmetric T' -> Pr (messages (with_name q R) us) T' <= E * Pr (messages (with_name q R) vs) T' + delta) ->
  Pr (messages (with_name q R) (user :: us)) T <= E * Pr (messages (with_name q R) (user :: vs)) T + delta.
Proof.
  intros S H. unfold Pr. rewrite !mean_all_first, <- mean_scal, <- (mean_const _ delta (proper_with_name user)), <- mean_plus.
  apply mean_le; [apply proper_with_name |]. intros u. apply (H (fun v => T (u ++ v))).
  intros v w P. apply S, Permutation_app_head, P.
Qed.

Lemma renamed us f : mean (messages (with_name q R) (map (fun kx => (S (fst kx), snd kx)) us)) f =
  mean (messages (with_name q R) us) (fun v => f (map one_name_more v)).
Proof.
  revert f. induction us as [| [k x] us IH]; intros f; [cbn [map messages]; rewrite !mean_ret; reflexivity |].
  cbn [map]. rewrite !mean_all_first. unfold with_name at 1 3. cbn [fst snd]. rewrite !mean_away, !mean_dmap, !mean_ret.
  f_equal; f_equal; [apply mean_ext; intros u |]; rewrite IH; apply mean_ext; intros v; rewrite map_app; [| reflexivity].
  cbn [map one_name_more]. rewrite map_map. reflexivity.
Qed.

Lemma numbered_last xs z : numbered (xs ++ [z]) = numbered xs ++ [(length xs, z)].
Proof.
  unfold numbered. rewrite app_length, seq_app. cbn [length seq Nat.add].
  assert (App : forall (a : list nat) (c : list nat) b e, length a = length c -> combine (a ++ b) (c ++ e) = combine a c ++ combine b e).
  { induction a as [| a0 a IH]; intros [| c0 c] b e Q; try discriminate; [reflexivity |]. simpl. f_equal. apply IH.
    injection Q. auto. }
  rewrite App by apply seq_length. reflexivity.
Qed.

Lemma numbered_first z xs : numbered (z :: xs) = (0%nat, z) :: map (fun kx => (S (fst kx), snd kx)) (numbered xs).
Proof.
  unfold numbered. cbn [length seq combine]. f_equal. rewrite <- seq_shift. generalize (seq 0 (length xs)). intros l.
  revert l. induction xs as [| x xs IH]; intros [| k l]; try reflexivity. simpl. f_equal. apply IH.
Qed.

Theorem listed_more n : (1 <= n)%nat -> published_dp V n E delta -> published_dp V (S n) E delta.
Proof.
  intros N D xs ys Nb L T Sy. destruct Nb as [before x y after].
  destruct (rev after) as [| z rest] eqn:Rev.
  - assert (after = []) by (apply (f_equal (@rev nat)) in Rev; rewrite rev_involutive in Rev; exact Rev). subst after.
    destruct before as [| z before]; [simpl in L; lia |]. cbn [app] in *. unfold V. rewrite !numbered_first.
    apply below_with_user; [exact Sy |]. intros T' S'. unfold Pr. rewrite !renamed.
    apply (D (before ++ [x]) (before ++ [y]) (replace_one before x y []) ltac:(injection L; auto) (fun v => T' (map one_name_more v))).
    intros v w P. apply S', Permutation_map, P.
  - assert (A : after = rev rest ++ [z]).
    { apply (f_equal (@rev nat)) in Rev. rewrite rev_involutive in Rev. exact Rev. }
    rewrite A in *. clear A Rev.
    assert (Move : forall w, Pr (V (before ++ w :: rev rest ++ [z])) T =
      Pr (messages (with_name q R) ((n, z) :: numbered (before ++ w :: rev rest))) T).
    { intros w. unfold V, Pr. replace (before ++ w :: rev rest ++ [z]) with ((before ++ w :: rev rest) ++ [z])
        by (rewrite <- app_assoc; reflexivity).
      rewrite numbered_last. apply messages_permutation; [| apply orderless_indicator, Sy].
      replace (length (before ++ w :: rev rest)) with n; [symmetry; apply Permutation_cons_append |].
      rewrite app_length in *. simpl in *. rewrite app_length in L. simpl in L. lia. }
    rewrite !Move. apply below_with_user; [exact Sy |]. intros T' S'.
    apply (D (before ++ x :: rev rest) (before ++ y :: rev rest) (replace_one before x y (rev rest))); [| exact S'].
    rewrite app_length in *. simpl in *. rewrite app_length in L. simpl in L. lia.
Qed.

Lemma listed_from n m : (1 <= n <= m)%nat -> published_dp V n E delta -> published_dp V m E delta.
Proof.
  intros [N L] D. induction L as [| m L IH]; [exact D |]. apply listed_more; [lia | exact IH].
Qed.

End more.

(** ** Of the order of a user's own messages nothing is seen *)

Definition alike {M} (d e : dist (list M)) : Prop := forall f, orderless f -> mean d f = mean e f.

Lemma messages_alike {X M} (S S' : X -> dist (list M)) us : (forall x, alike (S x) (S' x)) ->
  alike (messages S us) (messages S' us).
Proof.
  intros H. induction us as [| x us IH]; intros f O; [reflexivity |]. rewrite !mean_all_first.
  rewrite (mean_ext (S x) _ (fun u => mean (messages S' us) (fun v => f (u ++ v)))) by (intros u; apply IH, orderless_app, O).
  apply H. intros u w P. apply mean_ext. intros v. apply O, Permutation_app_tail, P.
Qed.

Lemma with_name_alike {M} q (R R' : nat -> dist (list M)) user : (forall x, alike (R x) (R' x)) ->
  alike (with_name q R user) (with_name q R' user).
Proof.
  intros H f O. unfold with_name. rewrite !mean_away, !mean_dmap. do 2 f_equal. apply H. intros u v P.
  apply O, perm_skip, Permutation_map, P.
Qed.

Lemma names_alike {M} q (R R' : nat -> dist (list M)) us T : (forall x, alike (R x) (R' x)) -> symmetric T ->
  Pr (messages (with_name q R) us) T = Pr (messages (with_name q R') us) T.
Proof.
  intros H S. apply messages_alike; [intros user; apply with_name_alike, H | apply orderless_indicator, S].
Qed.

Lemma published_alike {M} q (R R' : nat -> dist (list M)) n E delta : (forall x, alike (R x) (R' x)) ->
  published_dp (fun xs => messages (with_name q R) (numbered xs)) n E delta ->
  published_dp (fun xs => messages (with_name q R') (numbered xs)) n E delta.
Proof.
  intros H D xs ys Nb L T S. specialize (D xs ys Nb L T S). cbv beta in D. rewrite !(names_alike q R R' _ T H S) in D. exact D.
Qed.

(** ** A test that counts who is away *)

Section counted.

Context {M : Type} (R : nat -> dist (list M)) (q : Q).
Hypothesis often : 0 < Q2R q < 1.

(** What so many users have drawn, if this is published, and all names were 0. *)
Definition unnamed_draws (users : nat) (w : list (nat + M)) : list (list M + nat) :=
  map (fun m => inl [m]) (unnamed w) ++ repeat (inl []) (length (names w) - length (unnamed w)) ++
  repeat (inr 0%nat) (users - length (names w)).

Lemma names_app (v w : list (nat + M)) : names (v ++ w) = names v ++ names w.
Proof. apply flat_map_app. Qed.

Lemma unnamed_app (v w : list (nat + M)) : unnamed (v ++ w) = unnamed v ++ unnamed w.
Proof. apply flat_map_app. Qed.

Lemma names_sent (u : list M) : names (map inr u) = [].
Proof. induction u as [| m u IH]; [reflexivity | exact IH]. Qed.

Lemma unnamed_sent (u : list M) : unnamed (map (@inr nat M) u) = u.
Proof. induction u as [| m u IH]; [reflexivity | simpl; f_equal; exact IH]. Qed.

Lemma unnamed_draws_permuted users v w : Permutation v w -> Permutation (unnamed_draws users v) (unnamed_draws users w).
Proof.
  intros P. assert (N : Permutation (names v) (names w)) by apply Permutation_flat_map, P.
  assert (U : Permutation (unnamed v) (unnamed w)) by apply Permutation_flat_map, P.
  unfold unnamed_draws. rewrite (Permutation_length N), (Permutation_length U). apply Permutation_app_tail, Permutation_map, U.
Qed.

Lemma published_of_one_input v j : at_most_one (R v) -> forall ks T m w acc, length ks = j -> symmetric T ->
  Permutation (unnamed_draws m w) acc -> (length (unnamed w) <= length (names w) <= m)%nat ->
  mean (messages (with_name q R) (map (fun k => (k, v)) ks)) (fun u => indicator T (unnamed_draws (m + j) (w ++ u))) =
  mean (draws (repeat (named_row R q (0%nat, v)) j)) (fun l => indicator T (acc ++ l)).
Proof.
  intros One. induction j as [| j IH]; intros ks T m w acc Lk S P L.
  - destruct ks; [| discriminate]. cbn [map messages repeat draws]. rewrite !mean_ret, !app_nil_r, Nat.add_0_r.
    apply orderless_indicator; assumption.
  - destruct ks as [| k ks]; [discriminate |]. injection Lk as Lk. cbn [map repeat]. rewrite mean_all_first, mean_with_name, mean_draws_first, mean_named_row.
    replace (m + Datatypes.S j)%nat with (Datatypes.S m + j)%nat by lia. f_equal; f_equal.
    + apply mean_ext_in. intros wu I. set (u := snd wu). assert (Lu : (length u <= 1)%nat) by apply (One wu I).
      rewrite (mean_ext _ _ (fun t => indicator T (unnamed_draws (Datatypes.S m + j) ((w ++ inl k :: map inr u) ++ t))))
        by (intros t; rewrite <- app_assoc; reflexivity).
      rewrite (mean_ext (draws _) _ (fun l => indicator T ((acc ++ [inl u]) ++ l))) by (intros l; rewrite <- app_assoc; reflexivity).
      assert (Names : names (w ++ inl k :: map inr u) = names w ++ [k])
        by (rewrite names_app; simpl; fold (names (map (@inr nat M) u)); rewrite names_sent; reflexivity).
      assert (Unn : unnamed (w ++ inl k :: map inr u) = unnamed w ++ u)
        by (rewrite unnamed_app; simpl; fold (unnamed (map (@inr nat M) u)); rewrite unnamed_sent; reflexivity).
      apply IH; [exact Lk | exact S | | rewrite Names, Unn, !app_length; simpl; lia].
      unfold unnamed_draws. rewrite Names, Unn, !app_length, map_app. cbn [length].
      assert (Goal : Permutation (map (fun m0 => inl [m0]) (unnamed w) ++ map (fun m0 => inl [m0]) u ++
        repeat (inl []) (length (names w) + 1 - (length (unnamed w) + length u)) ++ repeat (inr 0%nat) (m - length (names w)))
        (acc ++ [inl u])); [| rewrite <- app_assoc; replace (Datatypes.S m - (length (names w) + 1))%nat with (m - length (names w))%nat by lia; exact Goal].
      rewrite <- P. unfold unnamed_draws. rewrite <- !app_assoc. apply Permutation_app_head.
      destruct u as [| m0 [| m1 u]]; [| | simpl in Lu; lia]; cbn [map length app].
      * replace (length (names w) + 1 - (length (unnamed w) + 0))%nat with (Datatypes.S (length (names w) - length (unnamed w))) by lia.
        cbn [repeat app]. rewrite app_assoc. apply Permutation_cons_append.
      * replace (length (names w) + 1 - (length (unnamed w) + 1))%nat with (length (names w) - length (unnamed w))%nat by lia.
        rewrite app_assoc. apply Permutation_cons_append.
    + rewrite (mean_ext (draws _) _ (fun l => indicator T ((acc ++ [inr 0%nat]) ++ l))) by (intros l; rewrite <- app_assoc; reflexivity).
      cbn [app]. apply IH; [exact Lk | exact S | | lia]. rewrite <- P. unfold unnamed_draws.
      replace (Datatypes.S m - length (names w))%nat with (Datatypes.S (m - length (names w))) by lia. rewrite <- !app_assoc.
      do 2 apply Permutation_app_head. cbn [repeat]. apply Permutation_cons_append.
Qed.

Lemma names_in_messages us wl k : In wl (messages (with_name q R) us) -> In k (names (snd wl)) -> In k (map fst us).
Proof.
  revert wl. induction us as [| [j x] us IH]; intros wl I K; [destruct I as [<- | []]; destruct K |].
  cbn [messages] in I. apply in_flat_map in I. destruct I as [wa [Ia I]]. apply in_map_iff in I. destruct I as [wb [<- I]].
  apply in_flat_map in I. destruct I as [wc [Ic I]]. apply in_map_iff in I. destruct I as [wd [<- [<- | []]]]. cbn [snd] in K.
  rewrite names_app in K. apply in_app_or in K. destruct K as [K | K]; [left | right; apply (IH wc Ic K)].
  unfold with_name in Ia. cbn [fst snd] in *. apply in_app_or in Ia.
  destruct Ia as [Ia | Ia]; apply in_map_iff in Ia; destruct Ia as [we [<- Ia]]; cbn [snd] in K.
  - rewrite each_renamed in Ia. apply in_map_iff in Ia. destruct Ia as [wf [<- _]]. cbn [snd] in K. simpl in K.
    fold (names (map (@inr nat M) (snd wf))) in K. rewrite names_sent in K. destruct K as [K | []]. exact K.
  - destruct Ia as [<- | []]. destruct K.
Qed.

Lemma numbered_alike (v : nat) j from : combine (seq from j) (repeat v j) = map (fun k => (k, v)) (seq from j).
Proof. revert from. induction j as [| j IH]; intros from; [reflexivity |]. simpl. f_equal. apply IH. Qed.

Lemma class_bound_apart n E classes a b :
  class_bound n E (classes ++ [(a, b, 0)]) = class_bound n E classes + Rmax 0 (a - E * b).
Proof.
  unfold class_bound.
  assert (U : class_uncovered E (classes ++ [(a, b, 0)]) = class_uncovered E classes + Rmax 0 (a - E * b)).
  { unfold class_uncovered. rewrite total_app. cbn [total reference_mass first_mass second_mass fst snd].
    destruct (Req_EM_T 0 0) as [_ | N]; [ring | congruence]. }
  rewrite U, (mean_excess_same_law n (class_values E (classes ++ [(a, b, 0)])) (class_values E classes)); [ring |].
  intros f. unfold class_values, mean. cbn [total fst snd]. rewrite total_app, map_app, total_app.
  cbn [map total reference_mass fst snd]. rewrite Rmult_0_l, !Rplus_0_r. reflexivity.
Qed.

(** With what is seen where the user who differs is away. *)
Definition and_away (listed : list rational_class) : list rational_class := listed ++ [(Qred (1 - q), Qred (1 - q), 0%Q)].

Lemma and_away_bound n E classes :
  class_bound n E (map real_class (and_away classes)) =
  class_bound n E (map real_class classes) + Rmax 0 ((1 - Q2R q) - E * (1 - Q2R q)).
Proof.
  unfold and_away. rewrite map_app. cbn [map]. unfold real_class at 2, under_first, under_second, under_reference.
  cbn [fst snd]. rewrite Q2R_0, rest_value. apply class_bound_apart.
Qed.

(** Of two data sets whatever bounds all events bounds the classes of the two inputs. *)
Theorem listed_refuted x y v j E delta classes : proper (R v) -> (forall z, at_most_one (R z)) ->
  tells (R x) (R y) (R v) classes ->
  (forall T, symmetric T -> Pr (messages (with_name q R) (numbered (x :: repeat v j))) T <=
    E * Pr (messages (with_name q R) (numbered (y :: repeat v j))) T + delta) ->
  class_bound (S j) E (map real_class (and_away (scaled q classes ++ [(0%Q, 0%Q, Qred (1 - q))]))) <= delta.
Proof.
  intros Pv One T D. set (D0 := named_row R q (0%nat, v)). rewrite and_away_bound.
  rewrite <- (tells_bounds _ _ _ _ (listed_told R q often (R x) (R y) 0 v classes T) (S j) E). fold D0.
  assert (P0 : proper D0) by (apply proper_named; [exact often | exact Pv]).
  rewrite <- (best_attains (shown_part q (R x)) (shown_part q (R y)) D0 E P0 j).
  set (best := shows_more (shown_part q (R x)) (shown_part q (R y)) D0 E).
  assert (Sb : symmetric best) by apply shows_more_symmetric.
  set (away_too := if Rle_dec E 1 then true else false).
  set (test := fun w => if existsb (Nat.eqb 0) (names w) then best (unnamed_draws (S j) w) else away_too).
  assert (St : symmetric test).
  { intros u w P. unfold test. rewrite (Sb _ _ (unnamed_draws_permuted (S j) u w P)).
    assert (N : Permutation (names u) (names w)) by apply Permutation_flat_map, P.
    replace (existsb (Nat.eqb 0) (names w)) with (existsb (Nat.eqb 0) (names u)); [reflexivity |].
    apply eq_true_iff_eq. rewrite !existsb_exists. split; intros [k [I K]]; exists k; (split; [| exact K]);
      [apply (Permutation_in k N I) | apply (Permutation_in k (Permutation_sym N) I)]. }
  assert (Others : forall z, numbered (z :: repeat v j) = (0%nat, z) :: map (fun k => (k, v)) (seq 1 j)).
  { intros z. unfold numbered. simpl. f_equal. rewrite repeat_length. apply numbered_alike. }
  assert (Proper : forall ks, proper (messages (with_name q R) (map (fun k => (k, v)) ks))).
  { induction ks as [| k ks IH]; [apply proper_ret |]. cbn [map messages].
    apply proper_bind; [apply proper_away; [lra | apply proper_dmap, Pv | apply proper_ret] |].
    intros w. apply proper_bind; [exact IH | intros; apply proper_ret]. }
  assert (Drawn : forall z, Pr (messages (with_name q R) (numbered (z :: repeat v j))) test =
    Pr (draws (shown_part q (R z) :: repeat D0 j)) best + (1 - Q2R q) * (if away_too then 1 else 0)).
  { intros z. rewrite Others. unfold Pr. rewrite mean_all_first, mean_with_name, mean_draws_first. unfold shown_part.
    rewrite mean_part_of, mean_dmap.
    assert (Away : mean (messages (with_name q R) (map (fun k => (k, v)) (seq 1 j))) (fun w => indicator test ([] ++ w)) =
      if away_too then 1 else 0).
    { rewrite (mean_ext_in _ _ (fun _ => (if away_too then 1 else 0) * 1)), mean_scal, (proj2 (Proper _)); [ring |].
      intros wl I. unfold indicator, test. cbn [app].
      destruct (existsb (Nat.eqb 0) (names (snd wl))) eqn:B; [exfalso | rewrite Rmult_1_r; reflexivity].
      apply existsb_exists in B. destruct B as [k [K Z]]. apply Nat.eqb_eq in Z. subst k. apply (names_in_messages _ wl 0 I) in K.
      rewrite map_map in K. apply in_map_iff in K. destruct K as [k [Z K]]. cbn [fst] in Z. apply in_seq in K. lia. }
    rewrite Away. f_equal. f_equal. apply mean_ext_in. intros wu I. set (u := snd wu).
    assert (Lu : (length u <= 1)%nat) by apply (One z wu I).
    rewrite (mean_ext _ _ (fun w => indicator best (unnamed_draws (1 + j) ((inl 0%nat :: map inr u) ++ w)))) by reflexivity.
    rewrite (published_of_one_input v j (One v) (seq 1 j) best 1 (inl 0%nat :: map inr u) [inl u]); try assumption.
    - reflexivity.
    - apply seq_length.
    - unfold unnamed_draws. simpl. fold (unnamed (map (@inr nat M) u)) (names (map (@inr nat M) u)).
      rewrite names_sent, unnamed_sent. destruct u as [| m0 [| m1 u]]; [| | simpl in Lu; lia]; simpl; reflexivity.
    - simpl. fold (unnamed (map (@inr nat M) u)) (names (map (@inr nat M) u)). rewrite names_sent, unnamed_sent. simpl. lia. }
  specialize (D test St). rewrite !Drawn in D. unfold away_too in D.
  destruct (Rle_dec E 1); [rewrite Rmax_right by nra | rewrite Rmax_left by nra]; lra.
Qed.

End counted.

(** ** Rows of every randomizer *)

Lemma tells_sent {M} (P Q D : dist M) classes : tells P Q D classes -> tells (sent P) (sent Q) (sent D) classes.
Proof.
  intros T. assert (Mix : forall d : dist M, mixes (fun m => [m]) [] 1 (sent d) d 0)
    by (intros d f; unfold sent; rewrite mean_dmap; ring).
  apply (tells_mixed (fun m : M => [m]) [] 1 single_injective single_is_some Rlt_0_1 _ _ _ P Q D 0 0 classes); try apply Mix;
    [exact T |]. right. split; [| split; reflexivity]. rewrite <- (map_id (map real_class classes)) at 1. apply map_ext.
  intros [[a b] c]. unfold scaled_class, first_mass, second_mass, reference_mass. cbn [fst snd]. rewrite !Rmult_1_l. reflexivity.
Qed.

Lemma one_of_sent {M} (d : dist M) : at_most_one (sent d).
Proof. intros wu I. unfold sent in I. rewrite each_renamed in I. apply in_map_iff in I. destruct I as [wm [<- _]]. simpl. lia. Qed.

Lemma sent_right {M} (row : nat -> dist M) d pairs : pairs_right row d pairs -> pairs_right (fun x => sent (row x)) d pairs.
Proof.
  intros [Pr [c [Below Each]]]. split; [intros v V; apply proper_sent, Pr, V |]. exists (sent c).
  split; [intros v V; apply below_sent, Below, V |]. intros x y X Y.
  destruct (Each x y X Y) as [Same | [pair [I [W [B Others]]]]]; [left; intros f; unfold sent; rewrite !mean_dmap; apply Same | right].
  exists pair. split; [exact I |]. split; [unfold weight in *; unfold sent; rewrite mean_dmap; exact W |].
  split; [apply tells_sent, B |]. intros v V. destruct (Others v V) as [classes [J T]]. exists classes.
  split; [exact J | apply tells_sent, T].
Qed.

Definition rows_beside {M} (R : nat -> dist (list M)) (pairs : list input_pair) (one : Prop) : Prop :=
  exists (row : nat -> dist (list M)) d, (0 < d)%nat /\ (forall x, alike (row (Nat.min x (d - 1))) (R x)) /\
    pairs_right row d pairs /\ (forall pair, In pair pairs -> others_attained row d pair) /\
    (one -> forall x, at_most_one (row (Nat.min x (d - 1)))).

(** Whether each user sends one message or none, of a table. *)
Definition send_at_most_one (r : randomizer) : bool :=
  match listed_randomizer r with Table t => sends_at_most_one (ordered_table t) | Family _ => true end.

Theorem all_rows_beside r pairs : randomizer_posed r -> randomizer_posed (listed_randomizer r) -> pairs_of (listed_randomizer r) = Some pairs ->
  for_program r (fun _ _ R => rows_beside R pairs (send_at_most_one r = true)).
Proof.
  intros Posed Listed H.
  assert (OfTable : forall t, table_posed t -> pairs_of_matrix (matrix_of_table (ordered_table t)) = pairs ->
    rows_beside (table_law t) pairs (sends_at_most_one (ordered_table t) = true)).
  { intros t P <-. assert (P' := ordered_posed t P). set (o := ordered_table t) in *.
    assert (Once : NoDup (outcomes_of o)) by apply NoDup_nodup.
    assert (Covered : forall x, (x < length (rows o))%nat -> covers (outcomes_of o) (row_in o x)).
    { intros x Hx wa I. apply in_map_iff in I. destruct I as [a [<- I]]. apply nodup_In.
      change (In (snd a) (map snd (concat (rows o)))). apply in_map, in_concat.
      exists (nth x (rows o) []). split; [apply nth_In, Hx | exact I]. }
    exists (row_in o), (length (rows o)). split; [apply table_inputs, P' |].
    unfold matrix_of_table. rewrite (rows_by_place _ (rows o) []). split; [| split; [| split]].
    - intros x f O. rewrite <- table_law_place by exact P'.
      assert (X := ordered_messages t [x] f O). fold o in X. rewrite !mean_all_first in X. cbn [messages] in X.
      rewrite (mean_ext (table_law o x) _ f), (mean_ext (table_law t x) _ f) in X
        by (intros u; rewrite mean_ret, app_nil_r; reflexivity). exact X.
    - apply matrix_right; try assumption; [apply table_inputs, P' | intros x Hx; apply proper_row_in; assumption |].
      intros x a _ _. apply mass_row.
    - intros pair I. apply (matrix_attained (row_in o) (length (rows o)) (outcomes_of o)
        (fun x => probability (nth x (rows o) []))); try assumption;
        [apply table_inputs, P' | intros x Hx; apply proper_row_in; assumption |]. intros x a _ _. apply mass_row.
    - intros One x. rewrite <- table_law_place by exact P'. apply table_at_most_one, One. }
  destruct r as [t | f].
  - injection H as H. apply (OfTable t Posed H).
  - assert (Fam : forall s, supports_of f = Some s -> [family_pair f s] = pairs ->
      for_program (Family f) (fun _ _ R => rows_beside R pairs True)).
    { intros s S <-. assert (Rows := family_rows f s Posed S).
      assert (D : (0 < Z.to_nat (inputs_of f))%nat) by (destruct f; cbn [randomizer_posed family_posed inputs_of] in *; lia).
      pose (d := Z.to_nat (inputs_of f)).
      destruct f; cbn [for_program] in *; destruct Rows as [row [-> [Right Att]]]; exists (fun x => sent (row x)), d;
        (split; [exact D |]; split; [intros x f O; reflexivity |]; split; [apply sent_right, Right |]; split;
          [intros pair [<- | []] classes I; destruct (Att classes I) as [x [y [v [X [Y [V T]]]]]]; exists x, y, v;
            repeat (split; [assumption |]); apply tells_sent, T |
           intros _ x wu I; unfold sent in I; rewrite each_renamed in I; apply in_map_iff in I; destruct I as [wm [<- _]]; simpl; lia]). }
    destruct f as [| | | | | top c]; try (cbn [listed_randomizer pairs_of supports_of option_map] in H; injection H as H;
      assert (F := Fam _ eq_refl H); revert F; cbn [for_program]; intros [row [d [D [A [Right [Att One]]]]]];
      exists row, d; repeat (split; [assumption |]); intros _; apply One, I).
    cbn [listed_randomizer pairs_of] in H. injection H as H.
    cbn [for_program]. rewrite <- laplace_table_law by exact Posed. exact (OfTable _ Listed H).
Qed.
