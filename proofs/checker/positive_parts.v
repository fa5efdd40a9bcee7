(** Positive parts of coefficients bound positive parts: two laws whose weights are polynomials, at all points of a cell.

    Of the outcomes o of P the polynomials f_o = d (b P(o) - a Q(o)) are compared with the bounds: [below_shown] decides
    that the sum of the positive coefficients is at most one bound, coefficient by coefficient; or that at most 6 of the
    f_o have coefficients of both signs, and each set of these, with those that have no negative coefficient, is below a
    bound. [below_shown_sound]: at every point with coordinates that are not negative, d (b P - a Q) of any function
    with values from 0 to 1 is at most one of the bounds. [attained_shown]: an event whose f_o add up to a polynomial.

    Source: docs/soundness.md, "for_all"; the class PackedLevel of exactdp/checker/symbolic_claims.py. *)

From Coq Require Import ZArith Reals List Lra Lia Bool.
From Exactdp Require Import sums multivariate.
From ExactdpChecker Require Import keyed_sums z_polynomials.
From ExactdpChecker Require Import laws_of_parameters coefficients.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

(** Each outcome with its polynomial; the terms of an outcome stand together. *)
Definition grouped (L : poly_law) : list (Z * z_poly) :=
  fast_map (fun kp => (fst kp, rev' (snd kp))) (fold_left (fun s a =>
    let '(c, (e, k)) := a in
    match s with
    | (j, p) :: rest => if k =? j then (j, (c, e) :: p) :: rest else (k, [(c, e)]) :: s
    | [] => [(k, [(c, e)])]
    end) L []).

Definition is_in (support : list Z) (k : Z) : bool := existsb (Z.eqb k) support.

(** d (b P - a Q), outcome by outcome of P. *)
Definition excess_law (db da : z_poly) (P Q : poly_law) : poly_law := add_laws [scale_law db P; negated (scale_law da Q)].

Definition excesses (db da : z_poly) (P Q : poly_law) : list z_poly :=
  let support := map fst (grouped P) in
  map snd (filter (fun kp => is_in support (fst kp)) (grouped (excess_law db da P Q))).

Definition no_negative (p : z_poly) : bool := forallb (fun ce => 0 <=? fst ce) p.

Definition some_positive (p : z_poly) : bool := existsb (fun ce => 0 <? fst ce) p.

Definition polys_sum : list z_poly -> z_poly := sum compare_exponents.

Definition at_most_poly (p g : z_poly) : bool := no_negative (polys_sum [g; shift (-1) [] p]).

Definition positive_part (p : z_poly) : z_poly := filter (fun ce => 0 <? fst ce) p.

Fixpoint sublists {A} (l : list A) : list (list A) :=
  match l with
  | [] => [[]]
  | a :: rest => let more := sublists rest in map (cons a) more ++ more
  end.

Definition most_uncertain : nat := 6.

Definition below_shown (fs bounds : list z_poly) : bool :=
  existsb (at_most_poly (polys_sum (map positive_part fs))) bounds ||
  (let uncertain := filter (fun p => negb (no_negative p) && some_positive p) fs in
   let certain := polys_sum (filter no_negative fs) in
   Nat.leb (length uncertain) most_uncertain &&
   forallb (fun S => existsb (at_most_poly (polys_sum (certain :: S))) bounds) (sublists uncertain)).

(** ** Their values *)

Open Scope R_scope.

Lemma grouped_mean u L g : law_mean u L g = total (grouped L) (fun kp => z_eval (snd kp) u * g (fst kp)).
Proof.
  unfold grouped. rewrite fast_map_map, total_map. cbn [fst snd].
  assert (Rev : forall p, z_eval (rev' p) u = z_eval p u).
  { intros p. unfold rev'. rewrite rev_append_rev, app_nil_r, !z_eval_total. apply total_permutation, Permutation.Permutation_sym,
      Permutation.Permutation_rev. }
  rewrite (total_ext _ _ (fun kp => z_eval (snd kp) u * g (fst kp))) by (intros; rewrite Rev; reflexivity).
  assert (X : forall s, total (fold_left (fun s (a : Z * (list nat * Z)) =>
    let '(c, (e, k)) := a in
    match s with
    | (j, p) :: rest => if (k =? j)%Z then (j, (c, e) :: p) :: rest else (k, [(c, e)]) :: s
    | [] => [(k, [(c, e)])]
    end) L s) (fun kp => z_eval (snd kp) u * g (fst kp)) =
    total s (fun kp => z_eval (snd kp) u * g (fst kp)) + law_mean u L g).
  { induction L as [| [c [e k]] L IH]; intros s; [unfold law_mean, weight; simpl; ring |].
    cbn [fold_left]. rewrite IH. unfold law_mean at 2. rewrite weight_cons. cbn [fst snd]. fold (law_mean u L g).
    destruct s as [| [j p] rest]; cbn [total fst snd].
    - rewrite z_eval_cons. change (z_eval [] u) with 0. ring.
    - destruct (Z.eqb_spec k j) as [-> | N]; cbn [total fst snd]; rewrite z_eval_cons; [ring |].
      change (z_eval [] u) with 0. ring. }
  rewrite X. simpl. ring.
Qed.

Lemma no_negative_value u p : nonneg u -> no_negative p = true -> 0 <= z_eval p u.
Proof.
  intros U H. unfold no_negative in H. rewrite forallb_forall in H. rewrite z_eval_total. apply total_nonneg.
  intros ce I. specialize (H ce I). apply Z.leb_le, IZR_le in H. apply Rmult_le_pos; [exact H | apply U].
Qed.

Lemma at_most_poly_sound u p g : nonneg u -> at_most_poly p g = true -> z_eval p u <= z_eval g u.
Proof.
  intros U H. apply (no_negative_value u _ U) in H. unfold polys_sum in H. rewrite eval_sum in H. cbn [total] in H.
  rewrite eval_shift in H. simpl monomial in H. lra.
Qed.

Lemma positive_part_value u p : nonneg u -> Rmax 0 (z_eval p u) <= z_eval (positive_part p) u.
Proof.
  intros U. unfold positive_part. rewrite !z_eval_total, total_filter. apply Rmax_lub.
  - apply total_nonneg. intros ce _. destruct (Z.ltb_spec 0 (fst ce)) as [P | P]; [| lra]. apply IZR_lt in P.
    apply Rmult_le_pos; [lra | apply U].
  - apply total_le. intros ce _. destruct (Z.ltb_spec 0 (fst ce)) as [P | P]; [lra |]. apply IZR_le in P.
    rewrite <- (Rmult_0_l (monomial (snd ce) u)). apply Rmult_le_compat_r; [apply U | exact P].
Qed.

Lemma no_positive_value u p : nonneg u -> some_positive p = false -> z_eval p u <= 0.
Proof.
  intros U H. assert (X := positive_part_value u p U). assert (E : positive_part p = []).
  { unfold positive_part, some_positive in *. induction p as [| ce p IH]; [reflexivity |]. cbn [existsb filter] in *.
    apply orb_false_iff in H. destruct H as [H1 H2]. rewrite H1. apply IH; [exact H2 |]. apply positive_part_value, U. }
  rewrite E in X. change (z_eval [] u) with 0 in X. assert (Y := Rmax_r 0 (z_eval p u)). lra.
Qed.

Lemma filter_in_sublists {A} (f : A -> bool) (l : list A) : In (filter f l) (sublists l).
Proof.
  induction l as [| a l IH]; [left; reflexivity |]. cbn [filter sublists]. apply in_or_app.
  destruct (f a); [left; apply in_map, IH | right; exact IH].
Qed.

Theorem below_shown_sound u fs bounds : nonneg u -> below_shown fs bounds = true ->
  exists g, In g bounds /\ total fs (fun p => Rmax 0 (z_eval p u)) <= z_eval g u.
Proof.
  intros U H. unfold below_shown in H. apply orb_true_iff in H. destruct H as [H | H].
  - apply existsb_exists in H. destruct H as [g [I H]]. exists g. split; [exact I |].
    apply (at_most_poly_sound u _ _ U) in H. unfold polys_sum in H. rewrite eval_sum, total_map in H.
    eapply Rle_trans; [| exact H]. apply total_le. intros p _. apply positive_part_value, U.
  - apply andb_true_iff in H. destruct H as [_ H]. rewrite forallb_forall in H.
    set (uncertain := filter _ fs) in H. pose (above := fun p => if Rlt_dec 0 (z_eval p u) then true else false).
    specialize (H _ (filter_in_sublists above uncertain)). apply existsb_exists in H. destruct H as [g [I H]]. exists g.
    split; [exact I |]. apply (at_most_poly_sound u _ _ U) in H. unfold polys_sum in H. rewrite !eval_sum in H.
    cbn [total] in H. rewrite eval_sum in H. eapply Rle_trans; [| exact H]. unfold uncertain.
    rewrite !total_filter, <- total_plus. apply total_le. intros p _. unfold above.
    destruct (no_negative p) eqn:N; cbn [negb andb].
    + assert (Z := no_negative_value u p U N). rewrite Rmax_right by exact Z. lra.
    + destruct (some_positive p) eqn:S.
      * unfold Rmax. destruct (Rle_dec 0 (z_eval p u)), (Rlt_dec 0 (z_eval p u)); lra.
      * rewrite Rmax_left by (apply (no_positive_value u p U S)). lra.
Qed.

Lemma excess_law_mean u db da P Q g :
  law_mean u (excess_law db da P Q) g = z_eval db u * law_mean u P g - z_eval da u * law_mean u Q g.
Proof. unfold excess_law. rewrite add_laws_mean. cbn [total]. rewrite negated_mean, !scale_law_mean. ring. Qed.

(** What is impossible under P adds nothing. *)
Theorem excesses_above u db da P Q g :
  0 <= z_eval da u -> (forall h, (forall k, 0 <= h k) -> 0 <= law_mean u Q h) -> (forall k, 0 <= g k <= 1) ->
  z_eval db u * law_mean u P g - z_eval da u * law_mean u Q g <=
  total (excesses db da P Q) (fun p => Rmax 0 (z_eval p u)).
Proof.
  intros A N G. unfold excesses. set (support := map fst (grouped P)). rewrite total_map, total_filter.
  pose (inside := fun k => if is_in support k then g k else 0).
  pose (outside := fun k => if is_in support k then 0 else g k).
  assert (PZ : law_mean u P outside = 0).
  { rewrite grouped_mean. rewrite (total_ext (grouped P) _ (fun _ => 0)), total_zero; [reflexivity |].
    intros kp I. unfold outside. replace (is_in support (fst kp)) with true; [ring |]. symmetry. apply existsb_exists.
    exists (fst kp). split; [apply in_map, I | apply Z.eqb_refl]. }
  assert (Split : forall L, law_mean u L g = law_mean u L inside + law_mean u L outside).
  { intros L. unfold law_mean, weight. rewrite <- total_plus. apply total_ext. intros a _. unfold inside, outside.
    destruct (is_in support (snd (snd a))); ring. }
  assert (Q0 : 0 <= law_mean u Q outside).
  { apply N. intros k. unfold outside. destruct (is_in support k); [lra | apply G]. }
  assert (M := excess_law_mean u db da P Q inside). rewrite grouped_mean in M. rewrite !Split, PZ.
  assert (0 <= z_eval da u * law_mean u Q outside) by (apply Rmult_le_pos; assumption).
  apply Rle_trans with (z_eval db u * law_mean u P inside - z_eval da u * law_mean u Q inside); [lra |].
  rewrite <- M. apply total_le. intros kp _. unfold inside. destruct (is_in support (fst kp)); [| lra].
  specialize (G (fst kp)). apply Rle_trans with (Rmax 0 (z_eval (snd kp) u) * g (fst kp)).
  - apply Rmult_le_compat_r; [lra | apply Rmax_r].
  - rewrite <- (Rmult_1_r (Rmax 0 (z_eval (snd kp) u))) at 2. apply Rmult_le_compat_l; [apply Rmax_l | lra].
Qed.
