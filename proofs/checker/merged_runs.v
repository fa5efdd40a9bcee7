(** Independent runs are one way to play a composition, and what masses of one pair tell of it.

    - [played_independently]: the product laws of pairs that stand for those of mechanisms (drawn_pairs.v), one for each
      run, are laws; and the first is (E, delta)-below the second if this holds however the mechanisms are played
      (adaptive_composition.v);
    - [tells_append]: what is told of the pairs of two lists of answers holds of the lists appended;
    - [tells_one]: what is told of a pair holds of the lists of one answer.

    Source: docs/certificates.md, "Losses may be merged in an event". *)

From Coq Require Import ZArith QArith Reals List Lia Lra Bool Permutation FMapPositive.
From Exactdp Require Import sums masses hockey_stick product_laws adaptive_composition fixed_point losses_program.
From Exactdp Require Import merged.
From ExactdpChecker Require Import kronecker merged_program merged_sound drawn_pairs.
Import ListNotations.
Open Scope R_scope.

(** ** Product laws *)

Lemma nothing_law {A} : law (@nothing A).
Proof.
  apply (law_of_finite_support same (@nothing A) [[]]).
  - intros [| a l]; simpl; lra.
  - constructor; [intros [] | constructor].
  - intros [| a l] H; [exfalso; apply H; left; reflexivity | reflexivity].
  - simpl. ring.
Qed.

Lemma then_all_law {A} (P : A -> R) (K : list A -> R) : law P -> law K -> law (then_all P (fun _ => K)).
Proof.
  intros LP LK. apply (law_on_image (fun x : A * list A => fst x :: snd x)).
  - intros [a u] [b v] E. injection E as -> ->. reflexivity.
  - intros [| a l] H; [reflexivity |]. exfalso. apply (H (a, l)). reflexivity.
  - exact (pair_law P K LP LK).
Qed.

Lemma product_law_law {A} (ds : list (A -> R)) : (forall d, In d ds -> law d) -> law (product_law ds).
Proof.
  induction ds as [| d ds IH]; intros H; [apply nothing_law |]. apply then_all_law; [apply H; left; reflexivity |].
  apply IH. intros e I. apply H. right. exact I.
Qed.

(** One pair for each run. *)
Definition played_pair (A : Type) : Type := mechanism A * ((A -> R) * (A -> R)).

Definition is_pair {A} (r : played_pair A) : Prop :=
  stands_for (fst r) (fst (snd r)) (snd (snd r)) /\ law (fst (snd r)) /\ law (snd (snd r)).

Definition all_first {A} (rs : list (played_pair A)) : list A -> R := product_law (map (fun r => fst (snd r)) rs).
Definition all_second {A} (rs : list (played_pair A)) : list A -> R := product_law (map (fun r => snd (snd r)) rs).

Theorem played_independently {A} (rs : list (played_pair A)) :
  (forall r, In r rs -> is_pair r) ->
  law (all_first rs) /\ law (all_second rs) /\
  forall E delta, 0 <= E ->
    (forall P Q, played (map fst rs) P Q -> (forall answers, 0 <= Q answers) -> mass_below P Q E delta) ->
    mass_below (all_first rs) (all_second rs) E delta.
Proof.
  intros H. split; [| split]; try (apply product_law_law; intros d I; apply in_map_iff in I; destruct I as [r [<- I]];
    apply (H r I)).
  intros E delta HE. apply (standing_below rs E delta HE). intros r I. destruct (H r I) as [S [LP LQ]].
  split; [exact S | split; [apply LP | apply LQ]].
Qed.

(** ** Lists of answers, cut *)

Lemma shown_along {A B} (h : A -> B) (P Q : B -> R) label js inf f s :
  (forall a c, h a = h c -> a = c) -> zero_outside h P -> shown P Q label js inf f s ->
  shown (fun a => P (h a)) (fun a => Q (h a)) (fun a => label (h a)) js inf f s.
Proof.
  intros Inj ZP [N [Z0 [H [R [F S]]]]].
  assert (Least : forall (T : B -> Prop) x, at_least P T x -> at_least (fun a => P (h a)) (fun a => T (h a)) x).
  { intros T x HT c Hc. apply HT. intros l Nl Il. destruct (pull_back h l Nl) as [m [Nm [Im E]]]. rewrite (E P ZP).
    apply Hc; [exact Nm |]. intros a Ia. apply Il, Im, Ia. }
  split; [exact N | split;
    [intros a E; apply Z0, E | split;
    [apply (Least (fun b => label b = Infinite)), H | split; [intros a j E; apply (R (h a) j E) | split]]]].
  - intros j. apply (Least (fun b => label b = At j)), F.
  - intros j l Nl Il. specialize (S j (map h l)). rewrite total_map in S. apply S.
    + apply FinFun.Injective_map_NoDup; [exact Inj | exact Nl].
    + intros b I. apply in_map_iff in I. destruct I as [a [<- I]]. apply Il, I.
Qed.

Definition cut {A} (n : nat) (l : list A) : list A * list A := (firstn n l, skipn n l).

Lemma product_law_cut {A} (ds es : list (A -> R)) : forall l,
  product_law (ds ++ es) l = pair_mass (product_law ds) (product_law es) (cut (length ds) l).
Proof.
  induction ds as [| d ds IH]; intros l.
  - unfold pair_mass, cut. simpl. ring.
  - destruct l as [| a l]; unfold pair_mass, cut; simpl; [ring |]. rewrite IH. unfold pair_mass, cut. simpl. ring.
Qed.

Lemma product_law_length {A} (ds : list (A -> R)) : forall l, length l <> length ds -> product_law ds l = 0.
Proof.
  induction ds as [| d ds IH]; intros [| a l] H; simpl in *; try reflexivity; [congruence |]. rewrite IH by lia. ring.
Qed.

Lemma shown_ext {A} (P Q P' Q' : A -> R) label js inf f s :
  (forall a, P a = P' a) -> (forall a, Q a = Q' a) -> shown P Q label js inf f s -> shown P' Q' label js inf f s.
Proof.
  intros EP EQ [N [Z0 [H [R [F S]]]]].
  assert (Least : forall T x, at_least P T x -> at_least P' T x).
  { intros T x HT c Hc. apply HT. intros l Nl Il. rewrite (total_ext l P P') by auto. apply Hc; assumption. }
  split; [exact N | split;
    [intros a E; rewrite <- EQ; apply Z0, E | split; [apply Least, H | split; [exact R | split]]]].
  - intros j. apply Least, F.
  - intros j l Nl Il. rewrite <- (total_ext l Q Q') by auto. apply S; assumption.
Qed.

Theorem tells_append {A} bits x (rs ts : list (played_pair A)) :
  tells bits x (pair_mass (all_first rs) (all_first ts)) (pair_mass (all_second rs) (all_second ts)) ->
  tells bits x (all_first (rs ++ ts)) (all_second (rs ++ ts)).
Proof.
  intros [label H]. exists (fun l => label (cut (length rs) l)).
  assert (Inj : forall u v : list A, cut (length rs) u = cut (length rs) v -> u = v).
  { intros u v E. injection E as E1 E2. rewrite <- (firstn_skipn (length rs) u), E1, E2. apply firstn_skipn. }
  apply (shown_along (cut (length rs))) in H; [| exact Inj |].
  - revert H. apply shown_ext; intros l; unfold all_first, all_second; rewrite map_app, product_law_cut, map_length;
      reflexivity.
  - intros [u v] No. unfold pair_mass. simpl. destruct (Nat.eq_dec (length u) (length rs)) as [E | E].
    + exfalso. apply (No (u ++ v)). unfold cut. rewrite <- E, firstn_app, firstn_all, Nat.sub_diag, app_nil_r.
      rewrite skipn_app, skipn_all, Nat.sub_diag. reflexivity.
    + unfold all_first at 1. rewrite product_law_length by (rewrite map_length; exact E). ring.
Qed.

(** One answer. *)
Theorem tells_one {A} bits x (M : mechanism A) P Q :
  tells bits x P Q -> tells bits x (all_first [(M, (P, Q))]) (all_second [(M, (P, Q))]).
Proof.
  intros [label [N [Z0 [H [R [F S]]]]]].
  exists (fun l => match l with [a] => label a | _ => Left_out end).
  assert (Least : forall (T : place) x, T <> Left_out -> at_least P (fun a => label a = T) x ->
    at_least (all_first [(M, (P, Q))]) (fun l => match l with [a] => label a | _ => Left_out end = T) x).
  { intros T y NT HT c Hc. apply HT. intros l Nl Il. specialize (Hc (map (fun a => [a]) l)). rewrite total_map in Hc.
    rewrite (total_ext l P (fun a => all_first [(M, (P, Q))] [a])).
    - apply Hc; [apply FinFun.Injective_map_NoDup; [intros a b E; injection E; auto | exact Nl] |].
      intros b I. apply in_map_iff in I. destruct I as [a [<- I]]. apply Il, I.
    - intros a _. unfold all_first. simpl. ring. }
  split; [exact N | split; [| split; [apply Least; [discriminate | exact H] | split; [| split]]]].
  - intros [| a [| b l]] E; try discriminate. unfold all_second. simpl. rewrite (Z0 a E). ring.
  - intros [| a [| b l]] j E; try discriminate. apply (R a j E).
  - intros j. apply Least; [discriminate | apply F].
  - intros j l Nl Il. destruct (pull_back (fun a : A => [a]) l Nl) as [m [Nm [Im E]]].
    rewrite (E (all_second [(M, (P, Q))])).
    + rewrite (total_ext m _ Q) by (intros a _; unfold all_second; simpl; ring). apply (S j); [exact Nm |].
      intros a Ia. apply (Il [a]), Im, Ia.
    + intros [| a [| b t]] No; unfold all_second; simpl; try ring. exfalso. apply (No a). reflexivity.
Qed.
