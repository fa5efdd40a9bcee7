(** A Bernstein form shows the sign of a polynomial on a cube.

    In v variables, with the degrees d_1, ..., d_v, the Bernstein products are, for 0 <= j_i <= d_i, the
    products over i of C(d_i, j_i) t_i^j_i (1 - t_i)^(d_i - j_i). The function [check_bernstein] of the
    checker computes, variable by variable, new coefficients from those of the powers:
    b(j) = sum over k <= j of C(j, k) / C(d, k) a(k). Here, for every v and all degrees (ends of the cube
    as said):

    - the polynomial with the power coefficients a is that with the Bernstein coefficients b
      ([bernstein_form_value]);
    - if no b is negative, the polynomial is >= 0 on [0, 1]^v ([bernstein_nonneg]);
    - let each end of each variable be closed or open. The polynomial is > 0 on the cube without its open
      ends if, in addition, for each choice of one closed end in each variable that has one, some b is
      positive whose j_i is 0 at the chosen low ends and d_i at the chosen high ends
      ([bernstein_positive]).

    Proof. C(j, k) C(d, j) / C(d, k) = C(d - k, j - k), and the sum over j of
    C(d - k, j - k) t^j (1 - t)^(d - j) is t^k (t + 1 - t)^(d - k) = t^k. The Bernstein products are >= 0;
    for a point of the cube choose the ends that it lies on, and any others where it lies inside: the
    products that belong to the choice are > 0 there. Source: Bernstein; this package,
    docs/certificates.md. *)

From Coq Require Import Reals List Bool Lra Lia Arith.
From Exactdp Require Import sums multivariate handelman.
Import ListNotations.
Open Scope R_scope.

(** All exponents up to the degrees. *)
Fixpoint grid (ds : list nat) : list (list nat) :=
  match ds with
  | [] => [[]]
  | d :: ds' => flat_map (fun j => map (cons j) (grid ds')) (seq 0 (S d))
  end.

Fixpoint bernstein_product (ds e : list nat) (t : list R) : R :=
  match ds, e, t with
  | d :: ds', j :: e', x :: t' => C d j * x ^ j * (1 - x) ^ (d - j) * bernstein_product ds' e' t'
  | _, _, _ => 1
  end.

(** The Bernstein coefficients of the polynomial with the power coefficients a. *)
Fixpoint bernstein_form (ds : list nat) (a : list nat -> R) (e : list nat) : R :=
  match ds, e with
  | d :: ds', j :: e' =>
      total (seq 0 (S j)) (fun k => C j k / C d k * bernstein_form ds' (fun r => a (k :: r)) e')
  | _, _ => a []
  end.

Lemma total_grid d ds f :
  total (grid (d :: ds)) f = total (seq 0 (S d)) (fun j => total (grid ds) (fun e => f (j :: e))).
Proof.
  cbn [grid]. rewrite total_flat_map. apply total_ext. intros j _. apply total_map.
Qed.

(** ** One variable *)

Lemma C_positive d j : 0 < C d j.
Proof.
  unfold C. apply Rdiv_lt_0_compat; [apply INR_fact_lt_0 |].
  apply Rmult_lt_0_compat; apply INR_fact_lt_0.
Qed.

Lemma C_quotient d k i :
  (k + i <= d)%nat -> C (k + i) k / C d k * C d (k + i) = C (d - k) i.
Proof.
  intros H. unfold C. replace (k + i - k)%nat with i by lia.
  replace (d - k - i)%nat with (d - (k + i))%nat by lia.
  field. repeat split; apply INR_fact_neq_0.
Qed.

Lemma total_seq_from k n f : total (seq k n) f = total (seq 0 n) (fun i => f (k + i)%nat).
Proof.
  revert k f. induction n as [| n IH]; intros k f; [reflexivity |]. simpl.
  rewrite Nat.add_0_r, (IH (S k)), (IH 1%nat (fun i => f (k + i)%nat)). f_equal.
  apply total_ext. intros i _. f_equal. lia.
Qed.

(** A power of t in Bernstein products. *)
Lemma power_in_bernstein_products d k x :
  (k <= d)%nat ->
  total (seq 0 (S d)) (fun j =>
    if Nat.leb k j then C j k / C d k * (C d j * x ^ j * (1 - x) ^ (d - j)) else 0) = x ^ k.
Proof.
  intros H. replace (S d) with (k + S (d - k))%nat by lia. rewrite seq_app, total_app.
  rewrite (total_ext (seq 0 k) _ (fun _ => 0)), total_zero, Rplus_0_l.
  2: { intros j I. apply in_seq in I. destruct (Nat.leb_spec k j); [lia | reflexivity]. }
  simpl (0 + k)%nat. rewrite total_seq_from.
  rewrite (total_ext _ _ (fun i => x ^ k * (C (d - k) i * x ^ i * (1 - x) ^ (d - k - i)))).
  - rewrite total_scal, total_sum_f_R0, <- binomial. replace (x + (1 - x)) with 1 by ring.
    rewrite pow1. ring.
  - intros i I. apply in_seq in I. destruct (Nat.leb_spec k (k + i)); [| lia].
    rewrite <- C_quotient by lia. rewrite pow_add. replace (d - (k + i))%nat with (d - k - i)%nat by lia.
    ring.
Qed.

(** The change of coefficients in one variable. *)
Lemma bernstein_one_variable d x (V : nat -> R) :
  total (seq 0 (S d)) (fun k => x ^ k * V k) =
  total (seq 0 (S d)) (fun j =>
    C d j * x ^ j * (1 - x) ^ (d - j) * total (seq 0 (S j)) (fun k => C j k / C d k * V k)).
Proof.
  rewrite (total_ext (seq 0 (S d)) (fun j => _ * total _ _) (fun j => total (seq 0 (S d)) (fun k =>
    (if Nat.leb k j then C j k / C d k * (C d j * x ^ j * (1 - x) ^ (d - j)) else 0) * V k))).
  - rewrite total_swap. apply total_ext. intros k I. apply in_seq in I.
    rewrite total_scal_r, power_in_bernstein_products by lia. reflexivity.
  - intros j I. apply in_seq in I. replace (S d) with (S j + (d - j))%nat by lia.
    rewrite (seq_app (S j) (d - j)), total_app.
    rewrite (total_ext (seq (0 + S j) (d - j)) _ (fun _ => 0)), total_zero, Rplus_0_r.
    + rewrite <- total_scal. apply total_ext. intros k J. apply in_seq in J.
      destruct (Nat.leb_spec k j); [ring | lia].
    + intros k J. apply in_seq in J. destruct (Nat.leb_spec k j); [lia | ring].
Qed.

(** ** Any number of variables *)

Lemma bernstein_form_value ds a t :
  length t = length ds ->
  total (grid ds) (fun e => a e * monomial e t) =
  total (grid ds) (fun e => bernstein_form ds a e * bernstein_product ds e t).
Proof.
  revert a t. induction ds as [| d ds IH]; intros a [| x t] L; try discriminate L.
  - reflexivity.
  - injection L as L. rewrite !total_grid. cbn [monomial bernstein_product bernstein_form].
    set (V := fun k => total (grid ds) (fun e =>
      bernstein_form ds (fun r => a (k :: r)) e * bernstein_product ds e t)).
    transitivity (total (seq 0 (S d)) (fun k => x ^ k * V k)).
    + apply total_ext. intros k _. unfold V. rewrite <- IH by exact L.
      rewrite <- total_scal. apply total_ext. intros e _. ring.
    + rewrite bernstein_one_variable. apply total_ext. intros j _.
      unfold V. rewrite (total_ext (seq 0 (S j)) _ (fun k => total (grid ds) (fun e =>
        C j k / C d k * bernstein_form ds (fun r => a (k :: r)) e * bernstein_product ds e t))).
      * rewrite total_swap, <- total_scal. apply total_ext. intros e _. rewrite total_scal_r. ring.
      * intros k _. rewrite <- total_scal. apply total_ext. intros e _. ring.
Qed.

(** ** The sign on the cube *)

Definition in_unit (x : R) : Prop := 0 <= x <= 1.

Lemma bernstein_product_nonneg ds e t : Forall in_unit t -> 0 <= bernstein_product ds e t.
Proof.
  revert e t. induction ds as [| d ds IH]; intros [| j e] [| x t] H; simpl; try lra.
  inversion_clear H as [| ? ? Hx Ht]. unfold in_unit in Hx.
  apply Rmult_le_pos; [| apply IH, Ht].
  apply Rmult_le_pos; [apply Rmult_le_pos; [left; apply C_positive |] |]; apply pow_le; lra.
Qed.

Lemma bernstein_nonneg ds a t :
  length t = length ds -> Forall in_unit t ->
  (forall e, In e (grid ds) -> 0 <= bernstein_form ds a e) ->
  0 <= total (grid ds) (fun e => a e * monomial e t).
Proof.
  intros L H N. rewrite bernstein_form_value by exact L. apply total_nonneg. intros e I.
  apply Rmult_le_pos; [apply N, I | apply bernstein_product_nonneg, H].
Qed.

(** Whether the low and the high end of a variable belong to the cube, and the points that do. *)
Definition in_ends (closed : bool * bool) (x : R) : Prop :=
  0 <= x <= 1 /\ (x = 0 -> fst closed = true) /\ (x = 1 -> snd closed = true).

(** The sets of exponents of one variable among which a choice is made: one for each closed end, or all
    exponents where both ends are open. *)
Definition choices (d : nat) (closed : bool * bool) : list (list nat) :=
  match closed with
  | (true, true) => [[0%nat]; [d]]
  | (true, false) => [[0%nat]]
  | (false, true) => [[d]]
  | (false, false) => [seq 0 (S d)]
  end.

(** A choice in every variable. *)
Fixpoint is_face (ds : list nat) (closed : list (bool * bool)) (face : list (list nat)) : Prop :=
  match ds, closed, face with
  | [], [], [] => True
  | d :: ds', ends :: closed', F :: face' => In F (choices d ends) /\ is_face ds' closed' face'
  | _, _, _ => False
  end.

Lemma in_ends_length closed t : Forall2 in_ends closed t -> length t = length closed.
Proof. induction 1 as [| ? ? ? ? _ _ IH]; simpl; [| rewrite IH]; reflexivity. Qed.

Lemma in_ends_unit closed t : Forall2 in_ends closed t -> Forall in_unit t.
Proof. induction 1 as [| ? ? ? ? [Hx _] _ IH]; constructor; assumption. Qed.

(** Inside, all products of one variable are positive; at an end, the one of this end. *)
Lemma positive_choice d ends x :
  in_ends ends x ->
  exists F, In F (choices d ends) /\
    forall j, In j F -> In j (seq 0 (S d)) /\ 0 < C d j * x ^ j * (1 - x) ^ (d - j).
Proof.
  intros [B [Hlow Hhigh]].
  assert (Inside : forall j, 0 < x < 1 -> 0 < C d j * x ^ j * (1 - x) ^ (d - j)).
  { intros j H. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [apply C_positive |] |];
      apply pow_lt; lra. }
  destruct (Req_dec x 0) as [E | N0]; [| destruct (Req_dec x 1) as [E | N1]].
  - exists [0%nat]. split.
    + destruct ends as [low high]. simpl in Hlow. rewrite (Hlow E). destruct high; left; reflexivity.
    + intros j [<- | []]. split; [apply in_seq; lia |].
      rewrite E, Rminus_0_r, pow1. assert (H := C_positive d 0). simpl. lra.
  - exists [d]. split.
    + destruct ends as [low high]. simpl in Hhigh. rewrite (Hhigh E).
      destruct low; simpl; auto.
    + intros j [<- | []]. split; [apply in_seq; lia |].
      rewrite E, pow1, Nat.sub_diag. assert (H := C_positive d d). simpl. lra.
  - assert (H : 0 < x < 1) by lra. destruct ends as [[|] [|]].
    1, 2: exists [0%nat]; split; [left; reflexivity |]; intros j [<- | []];
      (split; [apply in_seq; lia | apply Inside, H]).
    + exists [d]. split; [left; reflexivity |]. intros j [<- | []].
      split; [apply in_seq; lia | apply Inside, H].
    + exists (seq 0 (S d)). split; [left; reflexivity |]. intros j I.
      split; [exact I | apply Inside, H].
Qed.

(** At every point of the cube all products of some face are positive. *)
Lemma positive_face ds closed t :
  length closed = length ds -> Forall2 in_ends closed t ->
  exists face, is_face ds closed face /\
    forall e, Forall2 (@In nat) e face -> In e (grid ds) /\ 0 < bernstein_product ds e t.
Proof.
  intros L H. revert ds L. induction H as [| ends x closed t Hx _ IH]; intros [| d ds] L; try discriminate L.
  - exists []. split; [exact I |]. intros e He. inversion_clear He. simpl. split; [auto | lra].
  - injection L as L. destruct (IH ds L) as [face [A B]].
    destruct (positive_choice d ends x Hx) as [F [IF P]].
    exists (F :: face). split; [split; assumption |]. intros e He.
    inversion_clear He as [| j ? e' ? Ij He']. destruct (B e' He') as [G Q]. destruct (P j Ij) as [S Pj].
    split.
    + cbn [grid]. apply in_flat_map. exists j. split; [exact S | apply in_map, G].
    + cbn [bernstein_product]. apply Rmult_lt_0_compat; assumption.
Qed.

Lemma bernstein_positive ds closed a t :
  length closed = length ds -> Forall2 in_ends closed t ->
  (forall e, In e (grid ds) -> 0 <= bernstein_form ds a e) ->
  (forall face, is_face ds closed face ->
    exists e, Forall2 (@In nat) e face /\ 0 < bernstein_form ds a e) ->
  0 < total (grid ds) (fun e => a e * monomial e t).
Proof.
  intros L H N P.
  assert (U := in_ends_unit _ _ H).
  rewrite bernstein_form_value by (rewrite <- L; apply in_ends_length, H).
  destruct (positive_face ds closed t L H) as [face [F Q]]. destruct (P face F) as [e [I B]].
  destruct (Q e I) as [G S]. apply (total_positive _ _ e); [| exact G | apply Rmult_lt_0_compat; assumption].
  intros f J. apply Rmult_le_pos; [apply N, J | apply bernstein_product_nonneg, U].
Qed.

(** ** For polynomials as lists of terms *)

Lemma NoDup_app_both {A} (l m : list A) :
  NoDup l -> NoDup m -> (forall a, In a l -> ~ In a m) -> NoDup (l ++ m).
Proof.
  intros Hl Hm D. induction Hl as [| a l Ha _ IH]; simpl; [exact Hm |]. constructor.
  - intros I. apply in_app_or in I. destruct I as [I | I]; [contradiction |].
    apply (D a); [left; reflexivity | exact I].
  - apply IH. intros b I. apply D. right. exact I.
Qed.

Lemma grid_nodup ds : NoDup (grid ds).
Proof.
  induction ds as [| d ds IH]; [repeat constructor; intros [] |]. cbn [grid].
  generalize (seq_NoDup (S d) 0). generalize (seq 0 (S d)). intros js.
  induction 1 as [| j js Hj _ IHjs]; simpl; [constructor |].
  apply NoDup_app_both; [| exact IHjs |].
  - apply FinFun.Injective_map_NoDup; [intros e f E; injection E; auto | exact IH].
  - intros e I J. apply in_map_iff in I. destruct I as [r [<- _]].
    apply in_flat_map in J. destruct J as [i [Ii J]]. apply in_map_iff in J.
    destruct J as [s [E _]]. injection E as -> _. contradiction.
Qed.

Lemma eval_on_grid p ds t :
  (forall ce, In ce p -> In (snd ce) (grid ds)) ->
  eval p t = total (grid ds) (fun e => coefficient p e * monomial e t).
Proof. apply eval_by_coefficients, grid_nodup. Qed.

(** What [check_bernstein] accepts: no negative coefficient and, if strict, a positive one for each face. *)
Definition bernstein_accepts (ds : list nat) (closed : list (bool * bool)) (is_strict : bool) (p : poly) :
  Prop :=
  length closed = length ds /\
  (forall ce, In ce p -> In (snd ce) (grid ds)) /\
  (forall e, In e (grid ds) -> 0 <= bernstein_form ds (coefficient p) e) /\
  (is_strict = true -> forall face, is_face ds closed face ->
    exists e, Forall2 (@In nat) e face /\ 0 < bernstein_form ds (coefficient p) e).

Theorem bernstein_sound ds closed is_strict p t :
  bernstein_accepts ds closed is_strict p -> Forall2 in_ends closed t ->
  0 <= eval p t /\ (is_strict = true -> 0 < eval p t).
Proof.
  intros [L [I [N P]]] H. rewrite (eval_on_grid p ds t I). split.
  - apply bernstein_nonneg; [| | exact N].
    + rewrite <- L. apply in_ends_length, H.
    + apply (in_ends_unit closed), H.
  - intros S. apply (bernstein_positive ds closed); auto.
Qed.
