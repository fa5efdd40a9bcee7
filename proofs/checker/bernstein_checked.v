(** The sign of a polynomial on a cube, by a program on its integer coefficients.

    [bernstein_list] makes, variable by variable, the list of all Bernstein coefficients of a polynomial, each times the
    same positive integer: for a variable of degree d, from the parts p_k of the polynomial with its k-th power, those
    of j are the sum over k <= j of C(j, k) / C(d, k) p_k, and d! C(j, k) / C(d, k) = j! (d - k)! / (j - k)! is an
    integer. [bernstein_shows] accepts if no coefficient is negative and, for a strict sign, one is positive on each
    face that a choice of closed ends gives. [bernstein_shows_sound]: then the polynomial is >= 0 on the cube, or > 0 at
    all points that belong to it. Any number of variables, any degrees.

    Source: arithmetic/bernstein.v; the function check_bernstein of exactdp/checker/boxes.py. *)

From Coq Require Import ZArith Reals List Lra Lia Bool Arith.
From Exactdp Require Import sums multivariate bernstein.
From ExactdpChecker Require Import keyed_sums z_polynomials.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

Fixpoint factorial (n : nat) : Z :=
  match n with
  | O => 1
  | S m => Z.of_nat n * factorial m
  end.

(** j (j - 1) ... (j - k + 1) *)
Fixpoint falling (j k : nat) : Z :=
  match k with
  | O => 1
  | S k' => Z.of_nat j * falling (pred j) k'
  end.

(** For each j <= d the numbers d! C(j, k) / C(d, k), k <= j. *)
Definition changes (d : nat) : list (list Z) :=
  map (fun j => map (fun k => falling j k * factorial (d - k)) (seq 0 (S j))) (seq 0 (S d)).

Fixpoint add_lists (l m : list Z) : list Z :=
  match l, m with
  | [], _ => m
  | _, [] => l
  | a :: l', b :: m' => a + b :: add_lists l' m'
  end.

Fixpoint linear (weights : list Z) (parts : list (list Z)) : list Z :=
  match weights, parts with
  | w :: weights', part :: parts' => add_lists (map (Z.mul w) part) (linear weights' parts')
  | _, _ => []
  end.

(** The part with the k-th power of the first variable. *)
Definition part (k : nat) (p : z_poly) : z_poly :=
  flat_map (fun ce => match snd ce with i :: e => if Nat.eqb i k then [(fst ce, e)] else [] | [] => [] end) p.

Fixpoint bernstein_list (ds : list (nat * list (list Z))) (p : z_poly) : list Z :=
  match ds with
  | [] => [fold_left (fun s ce => match snd ce with [] => s + fst ce | _ => s end) p 0]
  | (d, change) :: ds' =>
      let parts := map (fun k => bernstein_list ds' (part k p)) (seq 0 (S d)) in
      flat_map (fun weights => linear weights parts) change
  end.

(** The largest exponent of each variable. *)
Definition degrees (v : nat) (p : z_poly) : list nat :=
  fold_left (fun ds ce => map (fun de => Nat.max (fst de) (snd de)) (combine ds (snd ce))) p (repeat 0%nat v).

Fixpoint within (e ds : list nat) : bool :=
  match e, ds with
  | [], [] => true
  | i :: e', d :: ds' => Nat.leb i d && within e' ds'
  | _, _ => false
  end.

Fixpoint faces (ds : list nat) (closed : list (bool * bool)) : list (list (list nat)) :=
  match ds, closed with
  | d :: ds', ends :: closed' => flat_map (fun F => map (cons F) (faces ds' closed')) (choices d ends)
  | _, _ => [[]]
  end.

Fixpoint on_face (e : list nat) (face : list (list nat)) : bool :=
  match e, face with
  | [], [] => true
  | j :: e', F :: face' => existsb (Nat.eqb j) F && on_face e' face'
  | _, _ => false
  end.

(** No more than the Python checker computes. *)
Definition most_coefficients : Z := 20000.

Definition form_size (ds : list nat) : Z := fold_left (fun s d => s * (Z.of_nat d + 1)) ds 1.

Definition bernstein_shows (closed : list (bool * bool)) (is_strict : bool) (p : z_poly) : bool :=
  let ds := degrees (length closed) p in
  (form_size ds <=? most_coefficients) &&
  (let form := bernstein_list (map (fun d => (d, changes d)) ds) p in
   Nat.eqb (length closed) (length ds) && forallb (fun ce => within (snd ce) ds) p && forallb (Z.leb 0) form &&
   (negb is_strict ||
    let places := combine (grid ds) form in
    forallb (fun face => existsb (fun ec => (0 <? snd ec) && on_face (fst ec) face) places) (faces ds closed))).

(** ** Soundness *)

Open Scope R_scope.

Lemma factorial_value n : IZR (factorial n) = INR (fact n).
Proof.
  induction n as [| n IH]; [reflexivity |]. cbn [factorial]. change (fact (S n)) with (S n * fact n)%nat.
  rewrite mult_IZR, mult_INR, IH, <- INR_IZR_INZ. reflexivity.
Qed.

Lemma falling_value j k : (k <= j)%nat -> IZR (falling j k) * INR (fact (j - k)) = INR (fact j).
Proof.
  revert j. induction k as [| k IH]; intros j H; [simpl; rewrite Nat.sub_0_r; ring |].
  destruct j as [| j]; [lia |]. cbn [falling pred]. rewrite mult_IZR, <- INR_IZR_INZ, Rmult_assoc.
  change (S j - S k)%nat with (j - k)%nat. rewrite IH by lia. change (fact (S j)) with (S j * fact j)%nat.
  rewrite mult_INR. reflexivity.
Qed.

Lemma change_value d j k : (k <= j <= d)%nat ->
  IZR (falling j k * factorial (d - k)) = INR (fact d) * (C j k / C d k).
Proof.
  intros H. rewrite mult_IZR, factorial_value. unfold C. assert (X := falling_value j k ltac:(lia)).
  rewrite <- X. field. repeat split; apply INR_fact_neq_0.
Qed.

Lemma add_lists_map {A} (f g : A -> Z) (l : list A) :
  add_lists (map f l) (map g l) = map (fun a => (f a + g a)%Z) l.
Proof. induction l as [| a l IH]; [reflexivity |]. simpl. rewrite IH. reflexivity. Qed.

(** A sum of lists of values. *)
Lemma linear_map {A B} (w : B -> Z) (f : B -> A -> Z) (l : list A) (bs more : list B) (b : B) :
  linear (map w (b :: bs)) (map (fun b => map (f b) l) ((b :: bs) ++ more)) =
  map (fun a => fold_right (fun b s => (w b * f b a + s)%Z) 0%Z (b :: bs)) l.
Proof.
  revert b. induction bs as [| c bs IH]; intros b.
  - simpl. rewrite map_map. destruct l as [| a l]; [reflexivity |]. simpl. rewrite Z.add_0_r. f_equal.
    apply map_ext. intros x. ring.
  - transitivity (add_lists (map (Z.mul (w b)) (map (f b) l))
      (linear (map w (c :: bs)) (map (fun b => map (f b) l) ((c :: bs) ++ more)))); [reflexivity |].
    rewrite IH, map_map, add_lists_map. reflexivity.
Qed.

Lemma coefficient_part k p e : coefficient (of_z (part k p)) e = coefficient (of_z p) (k :: e).
Proof.
  unfold coefficient, of_z, part. rewrite !total_map, total_flat_map. apply total_ext. intros [c l] _.
  cbn [fst snd]. destruct l as [| i l]; cbn [total fst snd].
  - destruct (exponents_dec [] (k :: e)); [discriminate | reflexivity].
  - destruct (Nat.eqb_spec i k) as [-> | N]; cbn [total fst snd].
    + destruct (exponents_dec l e), (exponents_dec (k :: l) (k :: e)); try congruence; ring.
    + destruct (exponents_dec (i :: l) (k :: e)); [congruence | reflexivity].
Qed.

Definition scaling (ds : list nat) : R := fold_right (fun d s => INR (fact d) * s) 1 ds.

Lemma scaling_positive ds : 0 < scaling ds.
Proof. induction ds as [| d ds IH]; simpl; [lra |]. apply Rmult_lt_0_compat; [apply INR_fact_lt_0 | exact IH]. Qed.

Lemma map_flat_map {A B D} (f : B -> D) (g : A -> list B) l : map f (flat_map g l) = flat_map (fun a => map f (g a)) l.
Proof. induction l as [| a l IH]; simpl; [reflexivity |]. rewrite map_app, IH. reflexivity. Qed.

Definition constant_term (p : z_poly) : Z :=
  fold_left (fun s ce => match snd ce with [] => (s + fst ce)%Z | _ => s end) p 0%Z.

(** The entry of the list that belongs to the exponents e. *)
Fixpoint form_at (ds : list nat) (p : z_poly) (e : list nat) : Z :=
  match ds, e with
  | d :: ds', j :: e' => fold_right (fun k s => (falling j k * factorial (d - k) * form_at ds' (part k p) e' + s)%Z) 0%Z
      (seq 0 (S j))
  | _, _ => constant_term p
  end.

Lemma bernstein_list_entries ds : forall p,
  bernstein_list (map (fun d => (d, changes d)) ds) p = map (form_at ds p) (grid ds).
Proof.
  induction ds as [| d ds IH]; intros p; [reflexivity |].
  cbn [map bernstein_list grid]. unfold changes.
  rewrite flat_map_concat_map, map_map, map_flat_map, flat_map_concat_map.
  f_equal. apply map_ext_in. intros j J. apply in_seq in J.
  rewrite (map_ext _ (fun k => map (form_at ds (part k p)) (grid ds))) by (intros k; apply IH).
  replace (seq 0 (S d)) with ((0%nat :: seq 1 j) ++ seq (S j) (d - j)).
  - change (seq 0 (S j)) with (0%nat :: seq 1 j). rewrite linear_map, map_map. reflexivity.
  - change (0%nat :: seq 1 j) with (seq 0 (S j)). rewrite <- seq_app. f_equal. lia.
Qed.

Lemma constant_term_value p : IZR (constant_term p) = coefficient (of_z p) [].
Proof.
  unfold coefficient, of_z, constant_term. rewrite total_map.
  assert (X : forall s, IZR (fold_left (fun s ce => match snd ce with [] => (s + fst ce)%Z | _ => s end) p s) =
    IZR s + total p (fun ce => if exponents_dec (snd (IZR (fst ce), snd ce)) [] then fst (IZR (fst ce), snd ce) else
      0)).
  { induction p as [| [c e] p IHp]; intros s; [simpl; ring |]. cbn [fold_left total fst snd]. rewrite IHp.
    destruct e as [| i f]; [rewrite plus_IZR |]; destruct (exponents_dec _ []); try congruence; cbn [fst snd]; ring. }
  rewrite X. ring.
Qed.

Lemma fold_right_total {A} (l : list A) (f : A -> Z) : IZR (fold_right (fun a s => (f a + s)%Z) 0%Z l) =
  total l (fun a => IZR (f a)).
Proof. induction l as [| a l IH]; [reflexivity |]. simpl. rewrite plus_IZR, IH. reflexivity. Qed.

Lemma form_at_value ds : forall p e, In e (grid ds) ->
  IZR (form_at ds p e) = scaling ds * bernstein_form ds (coefficient (of_z p)) e.
Proof.
  induction ds as [| d ds IH]; intros p e I.
  - destruct I as [<- | []]. simpl. rewrite constant_term_value. ring.
  - cbn [grid] in I. apply in_flat_map in I. destruct I as [j [J I]]. apply in_map_iff in I. destruct I as [f [<- I]].
    apply in_seq in J. cbn [form_at bernstein_form scaling fold_right]. fold (scaling ds).
    rewrite fold_right_total, <- total_scal. apply total_ext. intros k K. apply in_seq in K.
    rewrite mult_IZR, change_value by lia. rewrite IH by exact I.
    replace (bernstein_form ds (coefficient (of_z (part k p))) f)
      with (bernstein_form ds (fun r => coefficient (of_z p) (k :: r)) f); [ring |].
    assert (X : forall ds a b f, (forall r, a r = b r) -> bernstein_form ds a f = bernstein_form ds b f).
    { clear. induction ds as [| d ds IH]; intros a b f H; [apply H |]. destruct f as [| j f]; [apply H |].
      cbn [bernstein_form]. apply total_ext. intros k _. f_equal. apply IH. intros r. apply H. }
    apply X. intros r. symmetry. apply coefficient_part.
Qed.

Lemma within_grid ds e : within e ds = true -> In e (grid ds).
Proof.
  revert e. induction ds as [| d ds IH]; intros [| i e] H; try discriminate; [left; reflexivity |].
  cbn [within] in H. apply andb_true_iff in H. destruct H as [L H]. apply Nat.leb_le in L.
  cbn [grid]. apply in_flat_map. exists i. split; [apply in_seq; lia | apply in_map, IH, H].
Qed.

Lemma is_face_listed ds : forall closed face, is_face ds closed face -> In face (faces ds closed).
Proof.
  induction ds as [| d ds IH]; intros [| ends closed] [| F face] H; try destruct H; [left; reflexivity |].
  cbn [faces]. apply in_flat_map. exists F. split; [assumption | apply in_map, IH; assumption].
Qed.

Lemma on_face_in e face : on_face e face = true -> Forall2 (@In nat) e face.
Proof.
  revert face. induction e as [| j e IH]; intros [| F face] H; try discriminate; constructor;
    cbn [on_face] in H; apply andb_true_iff in H; destruct H as [X H].
  - apply existsb_exists in X. destruct X as [i [I E]]. apply Nat.eqb_eq in E. subst i. exact I.
  - apply IH, H.
Qed.

Lemma combine_map {A B} (f : A -> B) l a b : In (a, b) (combine l (map f l)) -> In a l /\ b = f a.
Proof.
  induction l as [| c l IH]; intros H; [destruct H |]. destruct H as [E | H].
  - injection E as <- <-. split; [left |]; reflexivity.
  - destruct (IH H). split; [right |]; assumption.
Qed.

Theorem bernstein_shows_sound closed is_strict p t :
  bernstein_shows closed is_strict p = true -> Forall2 in_ends closed t ->
  0 <= z_eval p t /\ (is_strict = true -> 0 < z_eval p t).
Proof.
  unfold bernstein_shows. set (ds := degrees (length closed) p). intros H T.
  apply andb_true_iff in H. destruct H as [_ H]. apply andb_true_iff in H. destruct H as [H S].
  apply andb_true_iff in H. destruct H as [H N]. apply andb_true_iff in H. destruct H as [L W]. apply Nat.eqb_eq in L.
  rewrite forallb_forall in N, W.
  rewrite bernstein_list_entries in N, S. assert (P := scaling_positive ds).
  apply (bernstein_sound ds closed); [| exact T]. split; [exact L |]. split; [| split].
  - intros ce I. apply in_map_iff in I. destruct I as [cf [<- I]]. apply within_grid, (W cf I).
  - intros e I. specialize (N _ (in_map (form_at ds p) _ _ I)). apply Z.leb_le, IZR_le in N.
    rewrite form_at_value in N by exact I. apply (Rmult_le_reg_l (scaling ds)); [exact P | lra].
  - intros -> face F. simpl in S. rewrite forallb_forall in S. specialize (S face (is_face_listed _ _ _ F)).
    apply existsb_exists in S. destruct S as [[e c] [I X]]. apply andb_true_iff in X. destruct X as [C O].
    apply combine_map in I. destruct I as [I E]. simpl in C, O. exists e. split; [apply on_face_in, O |].
    apply Z.ltb_lt, IZR_lt in C. rewrite E, form_at_value in C by exact I.
    apply (Rmult_lt_reg_l (scaling ds)); [exact P | lra].
Qed.
