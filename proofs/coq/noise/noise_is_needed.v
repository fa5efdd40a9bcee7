(** A private sum must err by its sensitivity over eps: noise of that order is necessary.

    n users hold records of X, [f] is what a record adds to the sum, and M, whose outputs are of any countable type,
    is (eps, 0)-DP under replacement; an estimate of the sum is any function of the output. Let records x and y differ
    by D = abs(f x - f y).

    - [noise_needed]: for every k <= n some data set of n records has an error of k D/2 or more with probability
      1/(1 + e^(k eps)) or more;
    - [noise_needed_order]: for 0 < eps <= 1 and n >= 1/eps an error of D/(4 eps) or more, with probability 1/4 or more.

    Idea: with k records x, or y in their place, the sums are k D apart. No estimate is near to both, and each outcome is
    at most e^(k eps) times as likely for one as for the other. k is the integer part of 1/eps.
    Source: folklore; this form is this package's. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy masses infinite_sums.
Import ListNotations.
Open Scope R_scope.

Section needed.

Context {X A : Type} (M : list X -> A -> R) (estimate : A -> R) (f : X -> R) (x y : X) (n k : nat) (eps : R).
Hypothesis laws : forall xs, length xs = n -> law (M xs).
Hypothesis M_private : forall xs ys, neighbors xs ys -> length xs = n -> mass_below (M xs) (M ys) (exp eps) 0.
Hypothesis fits : (k <= n)%nat.

Let D := Rabs (f x - f y).
Let data (j : nat) : list X := repeat x j ++ repeat y (n - j).

Lemma data_length j : (j <= n)%nat -> length (data j) = n.
Proof. intros J. unfold data. rewrite app_length, !repeat_length. lia. Qed.

Lemma data_neighbors j : (j < n)%nat -> neighbors (data j) (data (S j)).
Proof.
  intros J. unfold data. replace (n - j)%nat with (S (n - S j)) by lia.
  change (repeat x (S j)) with (x :: repeat x j). rewrite repeat_cons, <- app_assoc. apply replace_one.
Qed.

Lemma steps_apart j a : (j <= n)%nat ->
  M (data 0) a <= exp (INR j * eps) * M (data j) a /\ M (data j) a <= exp (INR j * eps) * M (data 0) a.
Proof.
  intros J. induction j as [| j IH].
  - simpl INR. rewrite Rmult_0_l, exp_0. lra.
  - destruct (IH ltac:(lia)) as [Up Down]. assert (E := exp_pos (INR j * eps)).
    assert (One : forall xs ys, neighbors xs ys -> length xs = n -> M xs a <= exp eps * M ys a).
    { intros xs ys N L. specialize (M_private xs ys N L [a] ltac:(repeat constructor; simpl; tauto)). simpl in M_private. lra. }
    assert (N := data_neighbors j ltac:(lia)).
    assert (A1 := One _ _ N (data_length j ltac:(lia))).
    assert (A2 := One _ _ (neighbors_sym _ _ N) (data_length (S j) J)).
    rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus. split.
    + apply (Rmult_le_compat_l (exp (INR j * eps))) in A1; lra.
    + apply (Rmult_le_compat_l (exp eps)) in Down; [lra | left; apply exp_pos].
Qed.

Let far (j : nat) (a : A) : Prop := INR k * D / 2 <= Rabs (estimate a - total (data j) f).

Lemma far_from_one a : far 0 a \/ far k a.
Proof.
  unfold far. destruct (Rle_dec (INR k * D / 2) (Rabs (estimate a - total (data 0) f))) as [H | H]; [left; exact H | right].
  assert (Sums : Rabs (total (data 0) f - total (data k) f) = INR k * D).
  { assert (S : forall j, (j <= n)%nat -> total (data j) f = INR j * f x + (INR n - INR j) * f y).
    { intros j J. unfold data. rewrite total_app, <- minus_INR by exact J.
      assert (C : forall c m, total (repeat c m) f = INR m * f c).
      { intros c m. induction m as [| m IH]; [simpl; ring |]. rewrite S_INR. simpl. rewrite IH. ring. }
      rewrite !C. reflexivity. }
    rewrite !S by lia. replace (INR 0 * f x + (INR n - INR 0) * f y - (INR k * f x + (INR n - INR k) * f y))
      with (INR k * - (f x - f y)) by (simpl; ring).
    rewrite Rabs_mult, Rabs_Ropp, (Rabs_right (INR k)) by (apply Rle_ge, pos_INR). reflexivity. }
  assert (T := Rabs_triang (total (data 0) f - estimate a) (estimate a - total (data k) f)).
  replace (total (data 0) f - estimate a + (estimate a - total (data k) f)) with
    (total (data 0) f - total (data k) f) in T by ring.
  rewrite Sums, (Rabs_minus_sym (total (data 0) f)) in T. lra.
Qed.

Lemma far_masses p q : mass_of (M (data 0)) (far 0) p -> mass_of (M (data k)) (far k) q -> 1 <= p + exp (INR k * eps) * q.
Proof.
  intros [Up _] [Uq _]. assert (L := laws (data 0) (data_length 0 ltac:(lia))).
  destruct L as [P [_ Least]]. apply Least. intros s [l [N [_ ->]]].
  set (near_0 := fun a => if Rle_dec (INR k * D / 2) (Rabs (estimate a - total (data 0) f)) then true else false).
  assert (A0 : total (filter near_0 l) (M (data 0)) <= p).
  { apply Up. eexists. split; [apply NoDup_filter, N |]. split; [| reflexivity].
    intros a I. apply filter_In in I. destruct I as [_ I]. unfold near_0 in I. unfold far.
    destruct (Rle_dec _ _); [assumption | discriminate]. }
  assert (A1 : total (filter (fun a => negb (near_0 a)) l) (M (data k)) <= q).
  { apply Uq. eexists. split; [apply NoDup_filter, N |]. split; [| reflexivity].
    intros a I. apply filter_In in I. destruct I as [_ I]. unfold near_0 in I.
    destruct (far_from_one a) as [F | F]; [| exact F]. unfold far in F.
    destruct (Rle_dec _ _); [discriminate | contradiction]. }
  apply Rle_trans with (total (filter near_0 l) (M (data 0)) +
    exp (INR k * eps) * total (filter (fun a => negb (near_0 a)) l) (M (data k))).
  - rewrite !total_filter, <- total_scal, <- total_plus. apply total_le. intros a _.
    destruct (steps_apart k a fits) as [B _]. destruct (near_0 a); simpl; lra.
  - apply Rplus_le_compat; [exact A0 |]. apply Rmult_le_compat_l; [left; apply exp_pos | exact A1].
Qed.

Lemma some_data_set : exists xs p, length xs = n /\
  mass_of (M xs) (fun a => INR k * D / 2 <= Rabs (estimate a - total xs f)) p /\ 1 / (1 + exp (INR k * eps)) <= p.
Proof.
  assert (L0 := data_length 0 ltac:(lia)). assert (Lk := data_length k fits).
  destruct (mass_exists (M (data 0)) (far 0) (laws _ L0)) as [p Hp].
  destruct (mass_exists (M (data k)) (far k) (laws _ Lk)) as [q Hq].
  assert (Both := far_masses p q Hp Hq). set (E := exp (INR k * eps)) in *. assert (P : 0 < E) by apply exp_pos.
  destruct (Rle_dec (1 / (1 + E)) p) as [H | H]; [exists (data 0), p; auto |].
  exists (data k), q. split; [exact Lk |]. split; [exact Hq |]. apply Rnot_le_lt in H.
  apply Rmult_le_reg_l with E; [exact P |]. replace (E * (1 / (1 + E))) with (1 - 1 / (1 + E)) by (field; lra). lra.
Qed.

End needed.

Theorem noise_needed {X A} (M : list X -> A -> R) (estimate : A -> R) (f : X -> R) (x y : X) (n k : nat) (eps : R) :
  (forall xs, length xs = n -> law (M xs)) ->
  (forall xs ys, neighbors xs ys -> length xs = n -> mass_below (M xs) (M ys) (exp eps) 0) -> (k <= n)%nat ->
  exists xs p, length xs = n /\
  mass_of (M xs) (fun a => INR k * Rabs (f x - f y) / 2 <= Rabs (estimate a - total xs f)) p /\
  1 / (1 + exp (INR k * eps)) <= p.
Proof. exact (some_data_set M estimate f x y n k eps). Qed.

Theorem noise_needed_order {X A} (M : list X -> A -> R) (estimate : A -> R) (f : X -> R) (x y : X) (n : nat) (eps : R) :
  (forall xs, length xs = n -> law (M xs)) ->
  (forall xs ys, neighbors xs ys -> length xs = n -> mass_below (M xs) (M ys) (exp eps) 0) ->
  0 < eps <= 1 -> 1 / eps <= INR n ->
  exists xs p, length xs = n /\
  mass_of (M xs) (fun a => Rabs (f x - f y) / (4 * eps) <= Rabs (estimate a - total xs f)) p /\ 1 / 4 <= p.
Proof.
  intros L P He Hn. set (k := Z.to_nat (up (1 / eps) - 1)).
  assert (I : 1 <= 1 / eps) by (apply Rmult_le_reg_r with eps; [lra |]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
  destruct (archimed (1 / eps)) as [Above Below].
  assert (U : (1 < up (1 / eps))%Z) by (apply lt_IZR; lra).
  assert (K : INR k = IZR (up (1 / eps)) - 1) by (unfold k; rewrite INR_IZR_INZ, Z2Nat.id, minus_IZR by lia; reflexivity).
  assert (Kn : (k <= n)%nat) by (apply INR_le; lra).
  assert (K1 : 1 <= INR k).
  { rewrite K. assert (Two : 2 <= IZR (up (1 / eps))) by (apply IZR_le; lia). lra. }
  destruct (noise_needed M estimate f x y n k eps L P Kn) as [xs [p [Len [Mass Low]]]].
  assert (Ke : INR k * eps <= 1).
  { apply Rle_trans with (1 / eps * eps); [apply Rmult_le_compat_r; lra | right; field; lra]. }
  assert (E3 : exp (INR k * eps) <= 3) by (apply Rle_trans with (exp 1); [apply exp_le, Ke | apply exp_le_3]).
  assert (Fewer : Rabs (f x - f y) / (4 * eps) <= INR k * Rabs (f x - f y) / 2).
  { replace (Rabs (f x - f y) / (4 * eps)) with (Rabs (f x - f y) * (1 / eps / 2) / 2) by (field; lra).
    assert (0 <= Rabs (f x - f y)) by apply Rabs_pos.
    assert (Rabs (f x - f y) * (1 / eps / 2) <= Rabs (f x - f y) * INR k) by (apply Rmult_le_compat_l; lra). lra. }
  destruct (mass_exists (M xs) (fun a => Rabs (f x - f y) / (4 * eps) <= Rabs (estimate a - total xs f)) (L xs Len))
    as [q Hq].
  exists xs, q. split; [exact Len |]. split; [exact Hq |].
  apply Rle_trans with p.
  - eapply Rle_trans; [| exact Low]. assert (Pos := exp_pos (INR k * eps)).
    apply Rmult_le_reg_r with (1 + exp (INR k * eps)); [lra |]. unfold Rdiv at 2. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - destruct Mass as [_ Least]. apply Least. intros s [l [N [In_far ->]]]. apply Hq. exists l.
    split; [exact N |]. split; [| reflexivity]. intros a Ia. specialize (In_far a Ia). cbv beta in *. lra.
Qed.
