(** Split and mix, as a program, and its law by cosines.

    A user with a number x splits it into m shares modulo q: m - 1 uniform residues, and the residue that makes their
    sum x modulo q ([split]). The messages of all users are shuffled. Proved, q, m >= 1:

    - [split_messages]: the mean of F over the messages of users with xs = x_1, ..., x_n is q^n/q^(nm) times the sum of
      F over all words u of nm residues with the sums of shares x_1, ..., x_n ([fits]); F any real function;
    - [fits_by_cosines]: the sum over all words k of n residues of cos(phi + (2 pi/q) (k_1 d_1 + ... + k_n d_n)) is
      q^n cos(phi) if u has these sums, and else 0, where d_i is the i-th sum of shares of u less x_i; all real phi.
    (Source: IshaiKushilevitzOstrovskySahai2006 for the program; characters of Z/q.) Auxiliary to components.v. *)

From Coq Require Import Reals List Lra Lia ZArith.
From Exactdp Require Import sums laws privacy shuffler lattice_waves words.
Import ListNotations.
Open Scope R_scope.

Definition sum_of (u : list nat) : Z := Z.of_nat (list_sum u).

Definition residue (q : nat) (z : Z) : nat := Z.to_nat (z mod Z.of_nat q).

Definition split (q m x : nat) : dist (list nat) :=
  bind (uniform (words q (m - 1))) (fun u => ret (u ++ [residue q (Z.of_nat x - sum_of u)])).

Definition is_multiple (q : nat) (z : Z) : bool := Z.eqb (z mod Z.of_nat q) 0.

(** The sums of each m shares are these numbers modulo q. *)
Fixpoint fits (q m : nat) (xs u : list nat) : bool :=
  match xs with
  | [] => true
  | x :: rest => (is_multiple q (sum_of (firstn m u) - Z.of_nat x) && fits q m rest (skipn m u))%bool
  end.

Definition one_if (b : bool) : R := if b then 1 else 0.

Section Residues.

Context (q : nat).
Hypothesis q_some : (1 <= q)%nat.

Let q_positive : 0 < INR q.
Proof. apply lt_0_INR. lia. Qed.

Lemma sum_of_app u v : sum_of (u ++ v) = (sum_of u + sum_of v)%Z.
Proof. unfold sum_of. rewrite list_sum_app. apply Nat2Z.inj_add. Qed.

Lemma residue_below z : (residue q z < q)%nat.
Proof. assert (B := Z.mod_pos_bound z (Z.of_nat q) ltac:(lia)). unfold residue. apply Nat2Z.inj_lt.
  rewrite Z2Nat.id; apply B. Qed.

(** One residue makes a sum right. *)
Lemma one_residue z f : total (seq 0 q) (fun a => one_if (is_multiple q (Z.of_nat a - z)) * f a) = f (residue q z).
Proof.
  rewrite <- (total_single Nat.eq_dec (seq 0 q) (residue q z) (f (residue q z))).
  - apply total_ext. intros a I. apply in_seq in I. unfold is_multiple, one_if.
    assert (B := Z.mod_pos_bound z (Z.of_nat q) ltac:(lia)).
    assert (E := Z.div_mod z (Z.of_nat q) ltac:(lia)).
    assert (C := Z.mod_pos_bound (Z.of_nat a - z) (Z.of_nat q) ltac:(lia)).
    assert (D := Z.div_mod (Z.of_nat a - z) (Z.of_nat q) ltac:(lia)).
    destruct (Z.eqb_spec ((Z.of_nat a - z) mod Z.of_nat q) 0) as [e | e],
      (Nat.eq_dec (residue q z) a) as [<- | d]; try ring; exfalso; unfold residue in *.
    + rewrite e in D. apply d. set (k := ((Z.of_nat a - z) / Z.of_nat q)%Z) in *. set (l := (z / Z.of_nat q)%Z) in *.
      set (r := (z mod Z.of_nat q)%Z) in *. assert (W : Z.of_nat a = r); [| rewrite <- W, Nat2Z.id; reflexivity].
      assert (K : (Z.of_nat a - r = Z.of_nat q * (k + l))%Z) by lia. assert (k + l = 0)%Z by nia. nia.
    + apply e. rewrite Z2Nat.id by lia.
      replace (z mod Z.of_nat q - z)%Z with (- (z / Z.of_nat q) * Z.of_nat q)%Z by nia.
      apply Z_mod_mult.
  - apply seq_NoDup.
  - apply in_seq. assert (B := residue_below z). lia.
Qed.

(** ** Cosines *)

Definition turn (z : Z) : R := 2 * PI * IZR z / INR q.

Lemma turn_plus a b : turn (a + b) = turn a + turn b.
Proof. unfold turn. rewrite plus_IZR. field. lra. Qed.

Lemma turn_0 : turn 0 = 0.
Proof. unfold turn. field. lra. Qed.

Lemma turn_multiple z phi : is_multiple q z = true -> cos (phi + turn z) = cos phi.
Proof.
  intros H. apply Z.eqb_eq, Z.mod_divide in H; [| lia]. destruct H as [d ->]. unfold turn.
  rewrite mult_IZR, <- INR_IZR_INZ. replace (2 * PI * (IZR d * INR q) / INR q) with (2 * PI * IZR d) by (field; lra).
  apply whole_turns.
Qed.

(** The sum over all residues. *)
Lemma all_residues z phi :
  total (seq 0 q) (fun a => cos (phi + turn (Z.of_nat a * z))) = INR q * (one_if (is_multiple q z) * cos phi).
Proof.
  unfold one_if. destruct (is_multiple q z) eqn:D.
  - rewrite (total_ext _ _ (fun _ => cos phi)); [rewrite total_const, seq_length; ring |].
    intros a _. apply turn_multiple. unfold is_multiple in *. apply Z.eqb_eq in D. apply Z.eqb_eq.
    rewrite Z.mul_mod, D, Z.mul_0_r by lia. apply Z.mod_0_l. lia.
  - set (al := turn z). assert (A : forall n, 2 * sin (al / 2) * total (seq 0 n) (fun a => cos (phi + INR a * al)) =
      sin (phi + (INR n - 1 / 2) * al) - sin (phi - al / 2)).
    { induction n as [| n IH].
      - simpl. replace (phi + (0 - 1 / 2) * al) with (phi - al / 2) by field. ring.
      - rewrite total_seq_S, Rmult_plus_distr_l, IH, S_INR.
        replace (phi + (INR n + 1 - 1 / 2) * al) with (phi + INR n * al + al / 2) by field.
        replace (phi + (INR n - 1 / 2) * al) with (phi + INR n * al - al / 2) by field.
        rewrite (sin_plus (phi + INR n * al)), (sin_minus (phi + INR n * al)). ring. }
    assert (N : sin (al / 2) <> 0).
    { intros Z0. destruct (sin_eq_0_0 _ Z0) as [d Hd]. unfold al, turn in Hd.
      assert (E : IZR z = IZR d * INR q).
      { apply Rmult_eq_reg_l with PI; [| apply PI_neq0].
        replace (PI * (IZR d * INR q)) with (IZR d * PI * INR q) by ring.
        rewrite <- Hd. field. lra. }
      rewrite INR_IZR_INZ, <- mult_IZR in E. apply eq_IZR in E. unfold is_multiple in D. rewrite E, Z_mod_mult in D.
      discriminate. }
    rewrite Rmult_0_l, Rmult_0_r. apply Rmult_eq_reg_l with (2 * sin (al / 2)); [| lra]. rewrite Rmult_0_r.
    rewrite (total_ext _ _ (fun a => cos (phi + INR a * al))).
    2: { intros a _. f_equal. f_equal. unfold al, turn. rewrite mult_IZR, <- INR_IZR_INZ. field. lra. }
    rewrite A. replace (phi + (INR q - 1 / 2) * al) with (phi - al / 2 + 2 * PI * IZR z) by (unfold al, turn; field;
      lra).
    rewrite (proj2 (whole_turns _ z)). ring.
Qed.

Fixpoint dot (k : list nat) (d : list Z) : Z :=
  match k, d with
  | a :: k, z :: d => (Z.of_nat a * z + dot k d)%Z
  | _, _ => 0%Z
  end.

(** The sum over all words. *)
Lemma all_words d phi :
  total (words q (length d)) (fun k => cos (phi + turn (dot k d))) =
  INR q ^ length d * (one_if (forallb (is_multiple q) d) * cos phi).
Proof.
  revert phi. induction d as [| z d IH]; intros phi.
  - unfold one_if. simpl. rewrite turn_0, !Rplus_0_r. ring.
  - cbn [length]. rewrite total_words_S.
    rewrite (total_ext _ _ (fun a => INR q ^ length d * (one_if (forallb (is_multiple q) d) *
      cos (phi + turn (Z.of_nat a * z))))).
    + rewrite !total_scal, all_residues. simpl. unfold one_if.
      destruct (is_multiple q z), (forallb _ d); simpl; ring.
    + intros a _. rewrite <- IH. apply total_ext. intros k _. cbn [dot]. rewrite turn_plus. f_equal. ring.
Qed.

(** ** The law of the messages *)

Context (m : nat).
Hypothesis m_some : (1 <= m)%nat.

Lemma mean_split x F :
  INR q ^ m * mean (split q m x) F =
  INR q * total (words q m) (fun u => one_if (is_multiple q (sum_of u - Z.of_nat x)) * F u).
Proof.
  unfold split. rewrite mean_bind, mean_uniform.
  assert (L : INR (length (words q (m - 1))) = INR q ^ (m - 1)).
  { rewrite <- (Rmult_1_r (INR (length _))), <- (total_const (words q (m - 1)) 1), total_words_const. ring. }
  rewrite L. replace (words q m) with (words q (m - 1 + 1)) by (f_equal; lia). rewrite total_words_app.
  replace (INR q ^ m) with (INR q * INR q ^ (m - 1)) by (rewrite tech_pow_Rmult; f_equal; lia).
  transitivity (INR q * total (words q (m - 1)) (fun u => F (u ++ [residue q (Z.of_nat x - sum_of u)]))).
  - rewrite (total_ext _ _ _ (fun u _ => mean_ret _ F)). field. apply pow_nonzero. lra.
  - f_equal. apply total_ext. intros u _.
    rewrite <- (one_residue (Z.of_nat x - sum_of u) (fun a => F (u ++ [a]))), total_words_S.
    apply total_ext. intros a _. simpl. rewrite Rplus_0_r. do 3 f_equal. rewrite sum_of_app.
    unfold sum_of. simpl. rewrite Nat.add_0_r. ring.
Qed.

Lemma firstn_skipn_app (u v : list nat) : length u = m -> firstn m (u ++ v) = u /\ skipn m (u ++ v) = v.
Proof.
  intros L. split.
  - rewrite firstn_app, L, Nat.sub_diag, <- L, firstn_all. simpl. apply app_nil_r.
  - rewrite skipn_app, L, Nat.sub_diag, <- L, skipn_all. reflexivity.
Qed.

Theorem split_messages xs F :
  INR q ^ (length xs * m) * mean (messages (split q m) xs) F =
  INR q ^ length xs * total (words q (length xs * m)) (fun u => one_if (fits q m xs u) * F u).
Proof.
  revert F. induction xs as [| x xs IH]; intros F; [simpl; rewrite mean_ret; ring |].
  cbn [length messages fits Nat.mul]. rewrite total_words_app, pow_add, mean_bind, Rmult_comm, <- Rmult_assoc.
  rewrite (Rmult_comm (mean _ _)), mean_split.
  transitivity (INR q * total (words q m) (fun u => one_if (is_multiple q (sum_of u - Z.of_nat x)) *
    (INR q ^ length xs * total (words q (length xs * m)) (fun w => one_if (fits q m xs w) * F (u ++ w))))).
  - rewrite Rmult_assoc. f_equal. rewrite <- total_scal_r. apply total_ext. intros u _. rewrite Rmult_assoc. f_equal.
    rewrite <- IH, mean_bind, Rmult_comm. f_equal. apply mean_ext. intros w. apply mean_ret.
  - simpl pow. rewrite Rmult_assoc. f_equal. rewrite <- total_scal. apply total_ext. intros u I.
    apply in_words in I. rewrite <- Rmult_assoc, (Rmult_comm (one_if _)), Rmult_assoc. f_equal.
    rewrite <- total_scal. apply total_ext. intros w _. destruct (firstn_skipn_app u w (proj1 I)) as [-> ->].
    unfold one_if. destruct (is_multiple _ _), (fits q m xs w); simpl; ring.
Qed.

(** Each entry m times. *)
Definition stubs {A} (l : list A) : list A := flat_map (fun a => repeat a m) l.

Definition whole (u : list nat) : list Z := map Z.of_nat u.

Lemma dot_stubs a k u v :
  dot (repeat a (length u) ++ k) (whole (u ++ v)) = (Z.of_nat a * sum_of u + dot k (whole v))%Z.
Proof.
  induction u as [| b u IH]; [unfold sum_of; simpl; lia |].
  cbn [length repeat app whole map dot]. fold (whole (u ++ v)). rewrite IH.
  change (sum_of (b :: u)) with (Z.of_nat (b + list_sum u)). unfold sum_of. lia.
Qed.

Theorem fits_by_cosines xs u phi :
  length u = (length xs * m)%nat ->
  total (words q (length xs)) (fun k => cos (phi + turn (dot (stubs k) (whole u) - dot k (whole xs)))) =
  INR q ^ length xs * (one_if (fits q m xs u) * cos phi).
Proof.
  revert u phi. induction xs as [| x xs IH]; intros u phi L.
  - destruct u; [| discriminate]. unfold one_if. simpl. rewrite turn_0, !Rplus_0_r. ring.
  - cbn [length Nat.mul] in *. rewrite total_words_S. rewrite <- (firstn_skipn m u) in *.
    set (v := firstn m u) in *. set (w := skipn m u) in *.
    assert (Lv : length v = m) by (unfold v in *; apply firstn_length_le; rewrite firstn_skipn in L; lia).
    rewrite app_length in L.
    rewrite (total_ext _ _ (fun a => INR q ^ length xs * (one_if (fits q m xs w) *
      cos (phi + turn (Z.of_nat a * (sum_of v - Z.of_nat x)))))).
    + rewrite !total_scal, all_residues. cbn [fits]. destruct (firstn_skipn_app v w Lv) as [-> ->]. unfold one_if.
      destruct (is_multiple _ _), (fits q m xs w); simpl; ring.
    + intros a _. rewrite <- IH by lia. apply total_ext. intros k _.
      cbn [stubs flat_map]. fold (stubs k).
      replace (repeat a m) with (repeat a (length v)) by (rewrite Lv; reflexivity). rewrite dot_stubs.
        cbn [whole map dot]. fold (whole xs).
      rewrite Rplus_assoc, <- turn_plus. do 3 f_equal. ring.
Qed.

End Residues.
