(** Laws whose weights are polynomials: what the messages of users show, for all parameters at once.

    A law lists integers, each with a polynomial: terms with a coefficient, exponents and the integer ([poly_law]).
    [shows u keys s L P]: at the point u it lists s times the law of the sum of the keys of the messages under P, for
    the means of all functions of that sum. The programs add up, multiply and move such laws: [times_laws] is one user
    more, [row_law_of] a row of a table over one bottom.

    Source: exactdp/checker/symbolic_laws.py; views.v, which has the same for integer weights. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool Permutation.
From Exactdp Require Import sums laws privacy adding_a_user multivariate.
From ExactdpChecker Require Import claims posed views compared_views keyed_sums z_polynomials inequality_program.
From ExactdpChecker Require Import inequality_sound box_leaves.
From ExactdpChecker Require Import functions_of_parameters.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

Definition poly_law : Type := weighted (list nat * Z).

Definition compare_keys (a b : list nat * Z) : comparison :=
  match snd a ?= snd b with
  | Eq => compare_exponents (fst a) (fst b)
  | c => c
  end.

Definition add_laws : list poly_law -> poly_law := keyed_sums.sum compare_keys.

Definition times_laws (L M : poly_law) : poly_law :=
  add_laws (fast_map (fun a => fast_map
    (fun b => (fst a * fst b, (add_exponents (fst (snd a)) (fst (snd b)), snd (snd a) + snd (snd b)))) M) L).

(** The integer k with this weight. *)
Definition at_key (k : Z) (p : z_poly) : poly_law := fast_map (fun ce => (fst ce, (snd ce, k))) p.

Definition scale_law (p : z_poly) (L : poly_law) : poly_law := times_laws (at_key 0 p) L.

Definition negated (L : poly_law) : poly_law := fast_map (fun a => (- fst a, snd a)) L.

(** Each outcome with the top of its probability. *)
Definition row_law_of (keys : list Z) (row : list (list nat * z_poly)) : poly_law :=
  add_laws (map (fun o => at_key (sum_of keys (fst o)) (snd o)) row).

(** ** What they compute *)

Open Scope R_scope.

Definition law_mean (u : list R) (L : poly_law) (f : Z -> R) : R := weight L (fun ek => monomial (fst ek) u * f (snd ek)).

Lemma compare_keys_eq a b : compare_keys a b = Eq -> a = b.
Proof.
  destruct a as [e k], b as [f j]. unfold compare_keys. cbn [fst snd]. destruct (Z.compare_spec k j) as [-> | |];
    try discriminate. intros H. rewrite (compare_exponents_eq e f H). reflexivity.
Qed.

Lemma add_laws_mean u Ls f : law_mean u (add_laws Ls) f = total Ls (fun L => law_mean u L f).
Proof. apply weight_sum, compare_keys_eq. Qed.

Lemma law_mean_ext u L f g : (forall k, f k = g k) -> law_mean u L f = law_mean u L g.
Proof. intros H. apply total_ext. intros a _. rewrite H. reflexivity. Qed.

Lemma times_laws_mean u L M f :
  law_mean u (times_laws L M) f = law_mean u L (fun a => law_mean u M (fun b => f (a + b)%Z)).
Proof.
  unfold times_laws. rewrite add_laws_mean, fast_map_map, total_map. unfold law_mean at 2, weight. apply total_ext.
  intros a _. rewrite fast_map_map. unfold law_mean, weight. rewrite total_map.
  rewrite <- Rmult_assoc, <- total_scal. apply total_ext. intros b _. cbn [fst snd].
  rewrite mult_IZR, monomial_add. ring.
Qed.

Lemma at_key_mean u k p f : law_mean u (at_key k p) f = z_eval p u * f k.
Proof.
  unfold at_key, law_mean, weight. rewrite fast_map_map, total_map, z_eval_total, <- total_scal_r. apply total_ext.
  intros a _. cbn [fst snd]. ring.
Qed.

Lemma scale_law_mean u p L f : law_mean u (scale_law p L) f = z_eval p u * law_mean u L f.
Proof.
  unfold scale_law. rewrite times_laws_mean, at_key_mean. reflexivity.
Qed.

Lemma negated_mean u L f : law_mean u (negated L) f = - law_mean u L f.
Proof.
  unfold negated, law_mean, weight. rewrite fast_map_map, total_map.
  replace (- total L (fun ce => IZR (fst ce) * (monomial (fst (snd ce)) u * f (snd (snd ce)))))
    with (-1 * total L (fun ce => IZR (fst ce) * (monomial (fst (snd ce)) u * f (snd (snd ce))))) by ring.
  rewrite <- total_scal. apply total_ext. intros a _. cbn [fst snd]. rewrite opp_IZR. ring.
Qed.

Lemma law_mean_scal u L c f : law_mean u L (fun k => c * f k) = c * law_mean u L f.
Proof. unfold law_mean, weight. rewrite <- total_scal. apply total_ext. intros. ring. Qed.

Lemma no_weight u L f : is_zero L = true -> law_mean u L f = 0.
Proof. apply is_zero_sound. Qed.

Definition shows (u : list R) (keys : list Z) (s : R) (L : poly_law) (P : dist (list nat)) : Prop :=
  forall f, law_mean u L f = s * mean P (fun m => f (sum_of keys m)).

Theorem times_laws_show u keys s t L row (R : nat -> dist (list nat)) x us :
  shows u keys s L (messages R us) -> shows u keys t row (R x) ->
  shows u keys (t * s) (times_laws L row) (messages R (x :: us)).
Proof.
  intros HL HR f. rewrite times_laws_mean, HL, mean_messages_first.
  rewrite (mean_ext (messages R us) _ (fun v => t * mean (R x) (fun mine => f (sum_of keys (mine ++ v))))).
  - rewrite mean_scal, mean_swap. ring.
  - intros v. rewrite HR. f_equal. apply mean_ext. intros mine. f_equal. rewrite sum_of_app. ring.
Qed.

Lemma row_law_shows u keys s row (P : dist (list nat)) :
  Forall2 (fun o wu => z_eval (snd o) u = s * fst wu /\ fst o = snd wu) row P -> shows u keys s (row_law_of keys row) P.
Proof.
  intros H f. unfold row_law_of, mean. rewrite add_laws_mean, total_map, <- total_scal.
  induction H as [| o wu row P [A B] _ IH]; [reflexivity |]. cbn [total]. rewrite IH, at_key_mean, A, B. ring.
Qed.

(** Equal laws of the sum are equal rows, where the sum tells what was sent. *)
Lemma same_shown_same_row u keys s t L M (P Q : dist (list nat)) :
  0 < s -> 0 < t -> (forall f, t * law_mean u L f = s * law_mean u M f) -> shows u keys s L P -> shows u keys t M Q ->
  tells keys P Q -> equal_rows.same_row P Q.
Proof.
  intros S T E HP HQ Tells f F. destruct (seen_as_sum keys P Q f F Tells) as [g [_ [-> ->]]].
  specialize (E g). rewrite HP, HQ in E. apply Rmult_eq_reg_l with (t * s); [rewrite Rmult_assoc, E; ring |].
  apply Rgt_not_eq, Rmult_lt_0_compat; assumption.
Qed.

(** The digits of a sum tell what was sent, if the messages are some of k and at most [most]. *)
Definition digits (k most : nat) : list Z := powers (Z.of_nat most + 1) 1 k.

Definition sends_of (k most : nat) (P : dist (list nat)) : Prop :=
  forall wu, In wu P -> (forall m, In m (snd wu) -> (m < k)%nat) /\ (length (snd wu) <= most)%nat.

Lemma digits_tell k most P Q : sends_of k most P -> sends_of k most Q -> tells (digits k most) P Q.
Proof.
  intros HP HQ. assert (X : forall u, In u (map snd (P ++ Q)) ->
    (forall m, In m u -> (m < k)%nat) /\ (length u <= most)%nat).
  { intros u I. apply in_map_iff in I. destruct I as [wu [<- I]]. apply in_app_or in I. destruct I; auto. }
  intros u v IU IV E. destruct (X u IU) as [Mu Lu], (X v IV) as [Mv Lv].
  apply (same_digits (Z.of_nat most + 1) k); try assumption; lia.
Qed.
