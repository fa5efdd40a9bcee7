(** Enclosed weights of a law on the integers: a window of bounds, and bounds of what lies on either side of it.

    A [window] has integers around the weights of a law at the places [first], first + 1, ..., in some units, and bounds
    of the sums of all weights below and above. [encloses v w c]: so it is for the law w, where 1 is c units. In units
    of w(start) / 2^bits such a window is walked outward from a start with w(start) > 0, upward and downward, by
    enclosed ratios ([walked_window_sound]); the ratios are those of the families of laws (walked_laws.v).

    The program is the function [walked] of exactdp/checker/enclosed_laws.py, with the same integers.
    Source: docs/certificates.md, "Enclosed weights". *)

From Coq Require Import ZArith Reals List Lra Lia Bool FinFun.
From Exactdp Require Import sums masses fixed_point.
From ExactdpChecker Require Import outward.
Import ListNotations.
Open Scope Z_scope.

Record window : Type := { first : Z; cells : list (Z * Z); under : Z; over : Z }.

Definition count {A} (l : list A) : Z := fold_left (fun n _ => n + 1) l 0.

(** In reverse order, without a stack. *)
Definition reversed {A} (l : list A) : list A := rev_append l [].

Definition last_place (v : window) : Z := first v + count (cells v) - 1.

(** The bounds at a place; on either side those of all weights there. *)
Definition bounds_at (v : window) (t : Z) : Z * Z :=
  if t <? first v then (0, under v)
  else match nth_error (cells v) (Z.to_nat (t - first v)) with Some c => c | None => (0, over v) end.

Section program.

Context {S : Type}.
Variables (up down : S -> option (Z * Z * Z)) (next_up next_down : S -> S) (later_x later_y : Z).

Definition walked_window (start : Z) (from_up from_down : S) (bits : nat) : option window :=
  let unit := two bits in
  let cap := two (2 * bits) in
  match outward up next_up cap later_x later_y from_up unit [(unit, unit)] with
  | None => None
  | Some (above, over) =>
      let right := reversed above in
      match outward down next_down cap later_x later_y from_down unit right with
      | None => None
      | Some (all, under) =>
          Some {| first := start - (count all - count right); cells := all; under := under; over := over |}
      end
  end.

End program.

(** ** What a window says *)

Open Scope R_scope.

Definition encloses (v : window) (w : Z -> R) (c : R) : Prop :=
  0 < c /\ law w /\
  (forall t, (first v <= t <= last_place v)%Z -> around (bounds_at v t) (c * w t)) /\
  (0 <= under v)%Z /\ (0 <= over v)%Z /\
  (forall l, NoDup l -> (forall t, In t l -> (t < first v)%Z) -> c * total l w <= IZR (under v)) /\
  (forall l, NoDup l -> (forall t, In t l -> (last_place v < t)%Z) -> c * total l w <= IZR (over v)).

Lemma count_length {A} (l : list A) : count l = Z.of_nat (length l).
Proof.
  unfold count. assert (H : forall n, (fold_left (fun n _ => n + 1) l n = n + Z.of_nat (length l))%Z).
  { induction l as [| a l IH]; intros n; [simpl; lia |]. cbn [fold_left length]. rewrite IH. lia. }
  rewrite H. lia.
Qed.

Lemma reversed_rev {A} (l : list A) : reversed l = rev l.
Proof. unfold reversed. rewrite rev_append_rev, app_nil_r. reflexivity. Qed.

(** Sums over one side, by how far a place lies from the start. *)
Lemma side_sum (w : Z -> R) (place : Z -> nat) (back : nat -> Z) (n : nat) c rest l :
  (forall t, 0 <= w t) -> 0 < c ->
  (forall m, total (seq (1 + n) m) (fun i => c * w (back i)) <= IZR rest) ->
  NoDup l -> (forall t, In t l -> back (place t) = t /\ (n < place t)%nat) -> c * total l w <= IZR rest.
Proof.
  intros Pos Hc H N I. rewrite <- total_scal. set (m := map place l).
  rewrite (total_ext l _ (fun t => c * w (back (place t)))) by (intros t It; rewrite (proj1 (I t It)); reflexivity).
  rewrite <- (total_map place l (fun i => c * w (back i))). eapply Rle_trans; [| apply (H (list_max m))].
  apply total_incl.
  - clear H. induction N as [| t l Nt N IH]; simpl; constructor.
    + intros J. apply in_map_iff in J. destruct J as [s [Es Is]]. apply Nt.
      rewrite <- (proj1 (I t (or_introl eq_refl))), <- Es, (proj1 (I s (or_intror Is))). exact Is.
    + apply IH. intros s Is. apply I. right. exact Is.
  - intros i Ii. apply in_seq. assert (M := proj1 (list_max_le m (list_max m)) (le_n _)). rewrite Forall_forall in M.
    specialize (M i Ii). apply in_map_iff in Ii. destruct Ii as [t [<- It]]. destruct (I t It). lia.
  - intros i _. apply Rmult_le_pos; [lra | apply Pos].
Qed.

Section sound.

Context {S : Type}.
Variables (up down : S -> option (Z * Z * Z)) (next_up next_down : S -> S) (later_x later_y : Z).
Variables (w : Z -> R) (start : Z) (from_up from_down : S) (bits : nat).
Hypothesis is_law : law w.
Hypothesis positive : 0 < w start.
Hypothesis later : (0 <= later_x < later_y)%Z.

Definition above (i : nat) : R := w (start + Z.of_nat i)%Z.
Definition below (i : nat) : R := w (start - Z.of_nat i)%Z.

(** What [outward_sound] asks for, to one side. *)
Definition walkable (ratio : S -> option (Z * Z * Z)) (next : S -> S) (from : S) (D : nat -> R) : Prop :=
  (forall i a b d, ratio (state next from i) = Some (a, b, d) ->
     IZR a * D i <= IZR d * D (1 + i)%nat <= IZR b * D i) /\
  (forall i, ratio (state next from i) = None -> forall t, (i < t)%nat -> D t = 0) /\
  (forall i rho, 0 <= rho -> D (1 + i)%nat <= rho * D i ->
     forall t, (i <= t)%nat -> D (1 + t)%nat <= Rmax rho (IZR later_x / IZR later_y) * D t).

Hypothesis walkable_up : walkable up next_up from_up above.
Hypothesis walkable_down : walkable down next_down from_down below.

Theorem walked_window_sound v :
  walked_window up down next_up next_down later_x later_y start from_up from_down bits = Some v ->
  encloses v w (2 ^ bits / w start).
Proof.
  unfold walked_window. destruct (outward up _ _ _ _ _ _ _) as [[right over] |] eqn:U; [| discriminate].
  destruct (outward down _ _ _ _ _ _ _) as [[all under] |] eqn:L; [| discriminate]. intros H. injection H as <-.
  assert (Pos := proj1 is_law).
  assert (S0 : above 0 = w start) by (unfold above; f_equal; lia).
  assert (S1 : below 0 = w start) by (unfold below; f_equal; lia).
  destruct walkable_up as [R1 [E1 F1]]. destruct walkable_down as [R2 [E2 F2]].
  destruct (outward_sound up next_up (two (2 * bits)) later_x later_y above from_up bits _
    (fun t => Pos _) ltac:(rewrite S0; exact positive) later R1 E1 F1 _ _ U) as [us [-> [Cu [Ou Su]]]].
  destruct (outward_sound down next_down (two (2 * bits)) later_x later_y below from_down bits _
    (fun t => Pos _) ltac:(rewrite S1; exact positive) later R2 E2 F2 _ _ L) as [ds [-> [Cd [Od Sd]]]].
  unfold enclose_from_1 in Cu, Cd. rewrite S0 in Cu, Su. rewrite S1 in Cd, Sd. set (c := 2 ^ bits / w start) in *.
  assert (C0 : 0 < c) by (apply Rdiv_lt_0_compat; [apply pow_two_positive | exact positive]).
  rewrite !reversed_rev, rev_app_distr, rev_involutive. cbn [rev app].
  set (cs := rev ds ++ (two bits, two bits) :: us).
  assert (Fd : (start - (count cs - count ((two bits, two bits) :: us)) = start - Z.of_nat (length ds))%Z).
  { unfold cs. rewrite !count_length, app_length, rev_length. lia. }
  unfold encloses, last_place, bounds_at. cbn [first cells outward.around windows.under windows.over]. rewrite Fd.
  assert (Len : count cs = (Z.of_nat (length ds) + 1 + Z.of_nat (length us))%Z).
  { unfold cs. rewrite count_length, app_length, rev_length. simpl length. lia. }
  rewrite Len. split; [exact C0 |]. split; [exact is_law |]. split; [| split; [exact Od | split; [exact Ou | split]]].
  - intros t Ht. rewrite (proj2 (Z.ltb_ge _ _)) by lia. unfold cs.
    destruct (Z.lt_trichotomy t start) as [Lt | [-> | Gt]].
    + set (k := Z.to_nat (start - t - 1)). assert (K : (k < length ds)%nat) by (unfold k; lia).
      replace (Z.to_nat (t - (start - Z.of_nat (length ds)))) with (length ds - Datatypes.S k)%nat by (unfold k; lia).
      rewrite nth_error_app1 by (rewrite rev_length; lia).
      destruct (nth_error ds k) as [b |] eqn:E; [| apply nth_error_None in E; lia].
      assert (E' : nth_error (rev ds) (length ds - Datatypes.S k) = Some b).
      { rewrite (nth_error_nth' (rev ds) (0, 0)%Z) by (rewrite rev_length; lia).
        rewrite rev_nth by lia. replace (length ds - Datatypes.S (length ds - Datatypes.S k))%nat with k by lia.
        rewrite <- E. symmetry. apply nth_error_nth'. exact K. }
      rewrite E'. replace (w t) with (below (1 + k)); [apply (Cd k b E) |]. unfold below, k. f_equal. lia.
    + replace (Z.to_nat (start - (start - Z.of_nat (length ds)))) with (length (rev ds)) by (rewrite rev_length; lia).
      rewrite nth_error_app2, Nat.sub_diag by lia. cbn [nth_error]. unfold around. cbn [fst snd]. rewrite IZR_two.
      assert (P := pow_two_positive bits). unfold c. replace (2 ^ bits / w start * w start) with (2 ^ bits)
        by (field; lra).
      lra.
    + set (k := Z.to_nat (t - start - 1)).
      replace (Z.to_nat (t - (start - Z.of_nat (length ds)))) with (length (rev ds) + Datatypes.S k)%nat
        by (rewrite rev_length; unfold k; lia).
      rewrite nth_error_app2 by lia. replace (length (rev ds) + Datatypes.S k - length (rev ds))%nat
        with (Datatypes.S k) by lia.
      cbn [nth_error]. destruct (nth_error us k) as [b |] eqn:E.
      * replace (w t) with (above (1 + k)); [apply (Cu k b E) |]. unfold above, k. f_equal. lia.
      * apply nth_error_None in E. unfold k in E. lia.
  - intros l N I. apply (side_sum w (fun t => Z.to_nat (start - t)) (fun i => start - Z.of_nat i)%Z (length ds)); auto.
    intros t It. specialize (I t It). lia.
  - intros l N I. apply (side_sum w (fun t => Z.to_nat (t - start)) (fun i => start + Z.of_nat i)%Z (length us)); auto.
    intros t It. specialize (I t It). lia.
Qed.

End sound.

(** ** What follows for every place *)

Section enclosed.

Variables (v : window) (w : Z -> R) (c : R).
Hypothesis enclosed : encloses v w c.

Lemma unit_positive : 0 < c.
Proof. apply enclosed. Qed.

Lemma law_enclosed : law w.
Proof. apply enclosed. Qed.

Lemma weights_nonneg t : 0 <= w t.
Proof. apply law_enclosed. Qed.

Lemma bounds_below t : (t < first v)%Z -> bounds_at v t = (0%Z, under v).
Proof. intros H. unfold bounds_at. rewrite (proj2 (Z.ltb_lt _ _) H). reflexivity. Qed.

Lemma bounds_above t : (last_place v < t)%Z -> (first v <= t)%Z -> bounds_at v t = (0%Z, over v).
Proof.
  intros H F. unfold bounds_at. rewrite (proj2 (Z.ltb_ge _ _)) by exact F.
  unfold last_place in H. rewrite count_length in H.
  rewrite (proj2 (nth_error_None _ _)) by lia. reflexivity.
Qed.

Lemma first_after_last : (first v <= last_place v + 1)%Z.
Proof. unfold last_place. rewrite count_length. lia. Qed.

Lemma bounds_everywhere t : around (bounds_at v t) (c * w t).
Proof.
  destruct enclosed as [C [L [B [U [O [SU SO]]]]]].
  destruct (Z_lt_le_dec t (first v)) as [H | H]; [| destruct (Z_le_gt_dec t (last_place v)) as [K | K]].
  - rewrite (bounds_below t H). specialize (SU [t]). simpl in SU. rewrite Rplus_0_r in SU.
    assert (P := proj1 L t). split; cbn [fst snd].
    + split; [lra | apply Rmult_le_pos; lra].
    + apply SU; [constructor; [easy | constructor] |]. intros s [<- | []]. exact H.
  - apply B. lia.
  - rewrite bounds_above by lia. specialize (SO [t]). simpl in SO. rewrite Rplus_0_r in SO.
    assert (P := proj1 L t). split; cbn [fst snd].
    + split; [lra | apply Rmult_le_pos; lra].
    + apply SO; [constructor; [easy | constructor] |]. intros s [<- | []]. lia.
Qed.

Lemma sum_below l : NoDup l -> (forall t, In t l -> (t < first v)%Z) -> c * total l w <= IZR (under v).
Proof. apply enclosed. Qed.

Lemma sum_above l : NoDup l -> (forall t, In t l -> (last_place v < t)%Z) -> c * total l w <= IZR (over v).
Proof. apply enclosed. Qed.

End enclosed.
