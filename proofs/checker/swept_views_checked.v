(** The claim [shuffle_dp] of a table, by exact views: both verdicts.

    PROVED is accepted where a sweep over all data sets of n users finds every pair of neighbours within delta, at a
    rational that is at most e^eps; what is claimed to be the least is shown besides by two data sets that attain it.
    REFUTED is accepted for two neighbouring data sets with an excess above delta, at a rational that is at least e^eps;
    or where a smaller delta, or a smaller e^eps, passes the sweep. [check_swept_views_sound]: then the claim holds, or
    does not, for tables, any number of users, both relations, and both scopes.

    That e^eps is the least for all numbers of users is vertex_checked.v.

    Idea: adding a user keeps privacy (adding_a_user.v), and one event that attains delta rules out all that is smaller.
    The methods prove, refute and check_attained of Privacy in exactdp/checker/privacy.py are these programs.
    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Permutation Bool.
From Exactdp Require Import sums reals laws privacy adding_a_user moved_bystanders.
From ExactdpChecker Require Import claims witnesses kinds levels posed.
From ExactdpChecker Require Import views compared_views swept_views neighbor_histograms never_dp_checked.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

(** Exact views are compared at a rational that is given, or by a Taylor sum. *)
Definition listed_precision (p : precision) : bool :=
  match p with
  | Bits _ => false
  | _ => true
  end.

(** Every pair of neighbours is within delta. *)
Definition bounded (t : table) (nb : neighboring) (n : Z) (l : level) (delta : Q) (p : precision) : bool :=
  match ratio_below l p with
  | Some (X, Y) =>
      (0 <? Y) && (Y <=? X) && (0 <=? Qnum delta) && swept t nb (Z.to_nat n) X Y (Qnum delta) (Zpos (Qden delta))
  | None => false
  end.

(** What the views of these two data sets compare to; the total is D^n. *)
Definition excess_of_pair (t : table) (nb : neighboring) (n : Z) (h k : list Z) (X Y : Z) : option (Z * Z) :=
  if Nat.eqb (length h) (length (rows t)) && neighbor_histograms nb n h k then
    let N := Z.to_nat n in
    let keys := packing t N in
    let P := over_users t keys N (data_set h) in
    let Q := over_users t keys N (data_set k) in
    if once P Q then Some (compared X Y P Q) else None
  else None.

(** The excess against delta, over one denominator. *)
Definition against (t : table) (n Y : Z) (delta : Q) (positive : Z) : comparison :=
  positive * Zpos (Qden delta) ?= Qnum delta * Y * denominator t ^ n.

Definition exceeded (t : table) (nb : neighboring) (n : Z) (l : level) (delta : Q) (h k : list Z) (p : precision) :
    bool :=
  match ratio_above l p with
  | Some (X, Y) =>
      match excess_of_pair t nb n h k X Y with
      | Some (positive, _) => match against t n Y delta positive with Gt => true | _ => false end
      | None => false
      end
  | None => false
  end.

(** These data sets have a divergence of delta; to show that e^eps is least, they must show the event both ways. *)
Definition attained (t : table) (nb : neighboring) (n : Z) (l : level) (delta : Q) (w : least) (h k : list Z) : bool :=
  match l with
  | ExpEps E =>
      match excess_of_pair t nb n h k (Qnum E) (Zpos (Qden E)) with
      | Some (positive, at_least) =>
          match against t n (Zpos (Qden E)) delta positive, w with
          | Eq, LeastExpEps => 0 <? at_least
          | Eq, _ => true
          | _, _ => false
          end
      | None => false
      end
  | Eps _ => false
  end.

(** Whether anything is smaller than what is claimed to be the least. *)
Definition has_smaller (l : level) (delta : Q) (w : least) : bool :=
  match w, l with
  | LeastNothing, _ => false
  | LeastDelta, _ => negb (at_most delta 0)
  | LeastExpEps, ExpEps E => negb (at_most E 1)
  | LeastExpEps, Eps _ => true
  end.

(** A smaller delta, or e^eps, that will do. *)
Definition smaller_does (t : table) (nb : neighboring) (n : Z) (l : level) (delta : Q) (w : least) (q : Q) : bool :=
  match w, l with
  | LeastDelta, ExpEps _ => at_most 0 q && less q delta && bounded t nb n l q Exactly
  | LeastExpEps, ExpEps E => at_most 1 q && less q E && bounded t nb n (ExpEps q) delta Exactly
  | _, _ => false
  end.

Definition check_swept_table (t : table) (n : Z) (s : scope) (nb : neighboring) (l : level) (delta : Q) (w : least)
    (proved : bool) (shown : witness) : bool :=
  table_is_posed t && (1 <=? n) && level_is_posed l delta &&
  match proved, shown, s with
  | true, Simple p, _ => listed_precision p && negb (has_smaller l delta w) && bounded t nb n l delta p
  | true, TwoDataSets h k p, ThisNumber =>
      listed_precision p && has_smaller l delta w && attained t nb n l delta w h k && bounded t nb n l delta p
  | false, TwoDataSets h k p, _ => listed_precision p && exceeded t nb n l delta h k p
  | false, Smaller q, _ => smaller_does t nb n l delta w q
  | _, _, _ => false
  end.

Definition check_swept_views (r : randomizer) (n : Z) (s : scope) (nb : neighboring) (l : level) (delta : Q) (w : least)
    (proved : bool) (shown : witness) : bool :=
  match r with
  | Table t => check_swept_table t n s nb l delta w proved shown
  | Family _ => false
  end.

(** ** Soundness *)

Open Scope R_scope.

Section table.

Variables (t : table) (nb : neighboring) (n : Z) (l : level) (delta : Q).
Hypothesis posed : table_posed t.
Hypothesis some_user : (1 <= n)%Z.
Hypothesis level_is : level_posed l delta.

Let R := table_law t.
Let N := Z.to_nat n.

Lemma private_at_larger m E F d : (0 < E) -> E <= F -> private R nb m E d -> private R nb m F d.
Proof.
  intros HE L.
  assert (W : forall xs ys, shuffle_below R xs ys E d -> shuffle_below R xs ys F d).
  { intros xs ys B T S. specialize (B T S).
    assert (P : 0 <= Pr (messages R ys) T) by (apply Pr_bounds, proper_messages, row_proper, posed).
    apply (Rmult_le_compat_r _ _ _ P) in L. lra. }
  destruct nb; intros H.
  - intros xs ys NB LX. rewrite exp_ln by lra. apply W. intros T S. specialize (H xs ys NB LX T S).
    rewrite exp_ln in H by exact HE. exact H.
  - intros xs x zs P LX. destruct (H xs x zs P LX). split; apply W; assumption.
Qed.

Lemma private_from E d n' : (N <= n')%nat -> private R nb N E d -> private R nb n' E d.
Proof.
  intros L H. assert (1 <= N)%nat by (unfold N; lia). destruct nb.
  - apply (adding_users N); [lia | apply row_proper, posed | exact H].
  - apply (adding_users_add_or_remove N); [lia | apply row_proper, posed | exact H].
Qed.

Lemma in_scope_from s n' : in_scope s N n' -> (N <= n')%nat.
Proof. destruct s; simpl; lia. Qed.

Lemma in_scope_itself s : in_scope s N N.
Proof. destruct s; simpl; lia. Qed.

Lemma bounded_sound l' d p : bounded t nb n l' d p = true -> private R nb N (ratio l') (Q2R d).
Proof.
  unfold bounded. destruct (ratio_below l' p) as [[X Y] |] eqn:B; [| discriminate]. intros H.
  destruct (ratio_below_sound l' p X Y B) as [_ L].
  apply andb_true_iff in H. destruct H as [H S]. apply andb_true_iff in H. destruct H as [H D].
  apply andb_true_iff in H. destruct H as [HY HX]. apply Z.ltb_lt in HY. apply Z.leb_le in HX, D.
  assert (U : (1 <= N)%nat) by (unfold N; lia).
  assert (S' := swept_private t N posed U X Y (Qnum d) (Zpos (Qden d)) (conj HY HX) D eq_refl nb S).
  apply (private_at_larger N (IZR X / IZR Y)); [| exact L | exact S'].
  apply IZR_lt in HY. apply IZR_le in HX. apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat, HY].
Qed.

(** An event of this pair has the excess that the program finds. *)
Lemma excess_of_pair_sound h k X Y positive at_least :
  (0 < Y)%Z -> excess_of_pair t nb n h k X Y = Some (positive, at_least) ->
  exists T, symmetric T /\
    (Pr (messages R (data_set h)) T - IZR X / IZR Y * Pr (messages R (data_set k)) T) *
    (IZR Y * IZR (denominator t ^ n)) = IZR positive /\
    Pr (messages R (data_set k)) T * IZR (denominator t ^ n) = IZR at_least /\
    forall E d, 0 < E -> private R nb N E d -> Pr (messages R (data_set h)) T <= E * Pr (messages R (data_set k)) T + d.
Proof.
  intros HY. unfold excess_of_pair. destruct (_ && _) eqn:G; [| discriminate]. apply andb_true_iff in G.
  destruct G as [_ NH]. fold N. destruct (once _ _) eqn:O; [| discriminate]. intros H. injection H as H.
  assert (S := NH). apply neighbor_histograms_sound in S. destruct S as [zs [LZ S]].
  assert (X0 : (length (data_set h) <= N)%nat /\ (length (data_set k) <= N)%nat).
  { unfold N. destruct nb; [destruct S as [x [y [A B]]] | destruct S as [x [[A B] | [A B]]]];
      apply Permutation_length in A, B; simpl in A, B; lia. }
  assert (D : (0 < denominator t ^ n)%Z) by (apply Z.pow_pos_nonneg; [apply denominator_positive | lia]).
  assert (P := over_users_listed t (packing t N) N _ (proj1 X0)).
  assert (Q := over_users_listed t (packing t N) N _ (proj2 X0)).
  unfold N in P at 2. unfold N in Q at 2. rewrite Z2Nat.id in P, Q by lia.
  destruct (compared_event _ (denominator t ^ n)%Z X Y _ _ _ _ HY P Q O) as [T [Sym [A B]]].
  rewrite H in A, B. exists T. split; [exact Sym | split; [exact A | split; [exact B |]]].
  intros E d HE HP. apply (neighbors_private R nb n h k E d NH some_user HE HP T Sym).
Qed.

(** p - E q as a multiple of Y D^n, against delta. *)
Lemma against_delta Y e positive :
  (0 < Y)%Z -> e * (IZR Y * IZR (denominator t ^ n)) = IZR positive ->
  match against t n Y delta positive with
  | Lt => e < Q2R delta
  | Eq => e = Q2R delta
  | Gt => Q2R delta < e
  end.
Proof.
  intros HY H. assert (D : (0 < denominator t ^ n)%Z) by (apply Z.pow_pos_nonneg; [apply denominator_positive | lia]).
  apply IZR_lt in D, HY. assert (P : 0 < IZR Y * IZR (denominator t ^ n)) by (apply Rmult_lt_0_compat; assumption).
  set (w := IZR Y * IZR (denominator t ^ n)) in *.
  assert (Z2 : 0 < IZR (Zpos (Qden delta))) by (apply IZR_lt; lia).
  assert (PZ : 0 < w * IZR (Zpos (Qden delta))) by (apply Rmult_lt_0_compat; assumption).
  assert (L : e * (w * IZR (Zpos (Qden delta))) = IZR (positive * Zpos (Qden delta))) by (rewrite mult_IZR, <- H; ring).
  assert (M : Q2R delta * (w * IZR (Zpos (Qden delta))) = IZR (Qnum delta * Y * denominator t ^ n)).
  { rewrite !mult_IZR. unfold Q2R, w. field. lra. }
  unfold against.
  destruct (Z.compare_spec (positive * Z.pos (Qden delta)) (Qnum delta * Y * denominator t ^ n)) as [C | C | C].
  - apply (f_equal IZR) in C. rewrite <- L, <- M in C. apply Rmult_eq_reg_r in C; lra.
  - apply IZR_lt in C. rewrite <- L, <- M in C. apply Rmult_lt_reg_r in C; assumption.
  - apply IZR_lt in C. rewrite <- L, <- M in C. apply Rmult_lt_reg_r in C; assumption.
Qed.

Lemma ratio_positive : 0 < ratio l.
Proof. destruct level_is as [H _]. lra. Qed.

Lemma exceeded_sound h k p : exceeded t nb n l delta h k p = true -> ~ private R nb N (ratio l) (Q2R delta).
Proof.
  unfold exceeded. destruct (ratio_above l p) as [[X Y] |] eqn:B; [| discriminate].
  destruct (ratio_above_sound l p X Y B) as [HY L]. apply lt_IZR in HY.
  destruct (excess_of_pair t nb n h k X Y) as [[positive at_least] |] eqn:E; [| discriminate].
  destruct (excess_of_pair_sound h k X Y _ _ HY E) as [T [Sym [A [_ H]]]]. assert (C := against_delta Y _ _ HY A).
  destruct (against _ _ _ _ _); try discriminate. intros _ Private.
  specialize (H (ratio l) (Q2R delta) ratio_positive Private).
  assert (Q : 0 <= Pr (messages R (data_set k)) T) by (apply Pr_bounds, proper_messages, row_proper, posed).
  apply (Rmult_le_compat_r _ _ _ Q) in L. lra.
Qed.

Lemma attained_sound w h k :
  attained t nb n l delta w h k = true ->
  nothing_smaller w (fun F d => exists n', in_scope ThisNumber N n' /\ private R nb n' F d) (ratio l) (Q2R delta).
Proof.
  unfold attained. destruct l as [E | eps]; [| discriminate].
  destruct (excess_of_pair t nb n h k (Qnum E) (Zpos (Qden E))) as [[positive at_least] |] eqn:EP; [| discriminate].
  destruct (excess_of_pair_sound h k _ (Zpos (Qden E)) _ _ ltac:(reflexivity) EP) as [T [Sym [A [AL H]]]].
  assert (C := against_delta (Zpos (Qden E)) _ _ ltac:(reflexivity) A).
  fold (Q2R E) in C. change (IZR (Qnum E) / IZR (Zpos (Qden E))) with (Q2R E) in C.
  destruct (against _ _ _ _ _); try discriminate. destruct level_is as [E1 _]. simpl in E1.
  destruct w; simpl nothing_smaller; intros G; [exact I | |].
  - intros d Hd [n' [-> Private]]. assert (E0 : 0 < Q2R E) by lra. specialize (H (Q2R E) d E0 Private). lra.
  - intros F HF [n' [-> Private]]. assert (F0 : 0 < F) by lra. specialize (H F (Q2R delta) F0 Private).
    apply Z.ltb_lt, IZR_lt in G. rewrite <- AL in G.
    assert (D : (0 < denominator t ^ n)%Z) by (apply Z.pow_pos_nonneg; [apply denominator_positive | lia]).
    apply IZR_lt in D. set (q := Pr (messages R (data_set k)) T) in *.
    assert (Q0 : 0 < q) by (apply Rmult_lt_reg_r with (IZR (denominator t ^ n)); [exact D | lra]).
    assert (F * q < Q2R E * q) by (apply Rmult_lt_compat_r; lra). lra.
Qed.

Lemma nothing_is_smaller w at_level : has_smaller l delta w = false -> nothing_smaller w at_level (ratio l) (Q2R delta).
Proof.
  unfold has_smaller. destruct w; [intros _; exact I | |]; intros H.
  - apply negb_false_iff, at_most_sound in H. rewrite RMicromega.Q2R_0 in H. intros d Hd. lra.
  - destruct l as [E | eps]; [| discriminate]. apply negb_false_iff, at_most_sound in H.
    rewrite RMicromega.Q2R_1 in H. intros F HF. simpl in HF. lra.
Qed.

Lemma smaller_does_sound w q s :
  smaller_does t nb n l delta w q = true -> ~ shuffle_dp_holds R nb N s w (ratio l) (Q2R delta).
Proof.
  intros H [_ Least]. unfold smaller_does in H. destruct w, l as [E | eps]; try discriminate;
    apply andb_true_iff in H; destruct H as [H B]; apply andb_true_iff in H; destruct H as [H0 H1];
    apply at_most_sound in H0; apply less_sound in H1; apply bounded_sound in B; simpl in B, Least.
  - rewrite RMicromega.Q2R_0 in H0. apply (Least (Q2R q)); [lra |]. exists N. split; [apply in_scope_itself | exact B].
  - rewrite RMicromega.Q2R_1 in H0. apply (Least (Q2R q)); [lra |]. exists N. split; [apply in_scope_itself | exact B].
Qed.

End table.

Theorem check_swept_views_sound r n s nb l delta w proved shown :
  check_swept_views r n s nb l delta w proved shown = true -> sound (ShuffleDP r n s nb l delta w) proved.
Proof.
  destruct r as [t | f]; [| discriminate]. unfold check_swept_views, check_swept_table, sound. intros H.
  apply andb_true_iff in H. destruct H as [H C]. apply andb_true_iff in H. destruct H as [H L].
  apply andb_true_iff in H. destruct H as [T N]. apply table_is_posed_sound in T. apply Z.leb_le in N.
  apply level_is_posed_sound in L. split; [simpl; auto |]. simpl.
  assert (All : forall p, bounded t nb n l delta p = true ->
    forall n', in_scope s (Z.to_nat n) n' -> private (table_law t) nb n' (ratio l) (Q2R delta)).
  { intros p B n' HS. apply (private_from t nb n T N); [eapply in_scope_from; eassumption |].
    apply (bounded_sound t nb n T N l delta p B). }
  destruct proved, shown; try discriminate; destruct s; try discriminate;
    repeat match goal with H : _ && _ = true |- _ => apply andb_true_iff in H; destruct H end.
  - split; [apply (All p); assumption |]. apply nothing_is_smaller; [exact L | apply negb_true_iff; assumption].
  - split; [apply (All p); assumption |]. apply nothing_is_smaller; [exact L | apply negb_true_iff; assumption].
  - split; [apply (All p); assumption |]. eapply attained_sound; eassumption.
  - intros [A _]. eapply exceeded_sound; try eassumption. apply A. reflexivity.
  - intros [A _]. eapply exceeded_sound; try eassumption. apply A. simpl. lia.
  - eapply smaller_does_sound; eassumption.
  - eapply smaller_does_sound; eassumption.
Qed.
