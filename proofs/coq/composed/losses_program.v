(** Losses of the checker as programs on integers.

    [losses] are masses in units of 2^-bits at the losses ln rho^low, ln rho^(low+1), ..., and one at
    infinity. [losses_times] is the function Losses.times of the checker: the product of two polynomials,
    each coefficient rounded up; what has at most 16 bits at either end is moved up, at the upper end to
    infinity, at the lower end to the first place that is kept ([trimmed]). [losses_power] is its function
    power, by squaring. Here are the programs and what is needed of them on integers: trimming keeps one
    place at least, and no mass gets negative ([losses_times_nonneg]). What they mean: lattice_losses.v.

    The class Losses and the functions self_composed and trimmed of exactdp/checker/composed.py. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums fixed_point polynomials integer_polynomials.
Import ListNotations.
Open Scope R_scope.

Record losses : Type := { low : Z; masses : list Z; at_infinity : Z }.

Definition z_sum (l : list Z) : Z := fold_right Z.add 0%Z l.

(** Of at most 16 bits. *)
Definition is_small (weight : Z) : bool := Z.eqb (weight / 65536) 0.

(** The place after the last weight that is not small; and the first place, before [last]. One place is
    kept at least. *)
Fixpoint last_place (weights : list Z) (last : nat) : nat :=
  match last with
  | S (S _ as m) => if is_small (nth m weights 0%Z) then last_place weights m else last
  | _ => last
  end.

Fixpoint first_place (weights : list Z) (first steps : nat) : nat :=
  match steps with
  | O => first
  | S s => if is_small (nth first weights 0%Z) then first_place weights (S first) s else first
  end.

Definition trimmed (weights : list Z) : nat * nat :=
  let last := last_place weights (length weights) in (first_place weights 0 (pred last), last).

Definition raise_first (more : Z) (l : list Z) : list Z :=
  match l with
  | [] => [more]
  | m :: rest => (m + more)%Z :: rest
  end.

Definition losses_times (bits : nat) (a b : losses) : losses :=
  let products := map (fun x => ceiling_div x (two bits)) (z_mul (masses a) (masses b)) in
  let inf := (at_infinity a * (z_sum (masses b) + at_infinity b) + z_sum (masses a) * at_infinity b)%Z in
  let (first, last) := trimmed products in
  {| low := low a + low b + Z.of_nat first;
     masses := raise_first (z_sum (firstn first products)) (firstn (last - first) (skipn first products));
     at_infinity := ceiling_div inf (two bits) + z_sum (skipn last products) |}.

(** By squaring, along the binary digits of the exponent. *)
Fixpoint losses_power (bits : nat) (base : losses) (exponent : positive) : losses :=
  match exponent with
  | xH => base
  | xO e => let half := losses_power bits base e in losses_times bits half half
  | xI e => let half := losses_power bits base e in losses_times bits (losses_times bits half half) base
  end.

Definition losses_nonneg (a : losses) : Prop := Forall (fun m => (0 <= m)%Z) (masses a) /\ (0 <=
  at_infinity a)%Z.

(** Trimming keeps one place at least, and all places are there. *)
Lemma trimmed_places weights :
  let (first, last) := trimmed weights in
  (first <= last <= length weights)%nat /\ (weights <> [] -> first < last)%nat.
Proof.
  unfold trimmed. assert (L : forall n, (last_place weights n <= n)%nat /\ (n <> 0 ->
    last_place weights n <> 0)%nat).
  { induction n as [| n [IH1 IH2]]; [simpl; lia |]. destruct n as [| n]; [simpl; lia |].
    change (last_place weights (S (S n))) with
      (if is_small (nth (S n) weights 0%Z) then last_place weights (S n) else S (S n)).
    destruct (is_small _); lia. }
  assert (F : forall s n, (first_place weights n s <= n + s)%nat).
  { induction s as [| s IH]; intros n; simpl; [lia |]. destruct (is_small _); [specialize (IH (S n)); lia |
      lia]. }
  specialize (F (pred (last_place weights (length weights))) O).
  destruct (L (length weights)) as [L1 L2]. split; [lia |]. intros N.
  assert (length weights <> 0)%nat by (destruct weights; simpl; [congruence | lia]). lia.
Qed.

Lemma skipn_twice {A} x y (l : list A) : skipn x (skipn y l) = skipn (x + y) l.
Proof.
  revert l. induction y as [| y IH]; intros l; [rewrite Nat.add_0_r; reflexivity |].
  rewrite Nat.add_succ_r. destruct l as [| a l]; [apply skipn_nil | simpl; apply IH].
Qed.

Lemma against_app p q f : against (p ++ q) f = against p f + against q (fun i => f (length p + i)%nat).
Proof.
  revert f. induction p as [| a p IH]; intros f; simpl; [rewrite Rplus_0_l; reflexivity |].
  rewrite IH. simpl. ring.
Qed.

Lemma z_mul_nonneg p q :
  Forall (fun m => (0 <= m)%Z) p -> Forall (fun m => (0 <= m)%Z) q -> Forall (fun m => (0 <=
    m)%Z) (z_mul p q).
Proof.
  assert (Add : forall u v, Forall (fun m => (0 <= m)%Z) u -> Forall (fun m => (0 <= m)%Z) v ->
    Forall (fun m => (0 <= m)%Z) (z_add u v)).
  { intros u v HU. revert v. induction HU as [| x u Hx HU IH]; intros v HV; simpl; [exact HV |].
    destruct HV as [| y v Hy HV]; [constructor; assumption |]. constructor; [lia | apply IH, HV]. }
  intros HP HQ. induction HP as [| x p Hx _ IH]; simpl; [constructor |]. apply Add.
  - apply Forall_map. revert HQ. apply Forall_impl. intros y Hy. apply Z.mul_nonneg_nonneg; assumption.
  - constructor; [lia | exact IH].
Qed.

Lemma ceiling_nonneg bits x : (0 <= x)%Z -> (0 <= ceiling_div x (two bits))%Z.
Proof.
  intros Hx. unfold ceiling_div. assert (Q := two_positive bits).
  assert (X : (- x / two bits <= 0)%Z); [apply Z.div_le_upper_bound; lia | lia].
Qed.

Lemma z_sum_nonneg l : Forall (fun m => (0 <= m)%Z) l -> (0 <= z_sum l)%Z.
Proof. induction 1 as [| m l Hm _ IH]; simpl; lia. Qed.

Lemma firstn_nonneg n l : Forall (fun m => (0 <= m)%Z) l -> Forall (fun m => (0 <= m)%Z) (firstn n l).
Proof. intros H. rewrite <- (firstn_skipn n l) in H. apply Forall_app in H. apply H. Qed.

Lemma skipn_nonneg n l : Forall (fun m => (0 <= m)%Z) l -> Forall (fun m => (0 <= m)%Z) (skipn n l).
Proof. intros H. rewrite <- (firstn_skipn n l) in H. apply Forall_app in H. apply H. Qed.

Lemma products_nonneg bits p q :
  Forall (fun m => (0 <= m)%Z) p -> Forall (fun m => (0 <= m)%Z) q ->
  Forall (fun m => (0 <= m)%Z) (map (fun x => ceiling_div x (two bits)) (z_mul p q)).
Proof.
  intros HP HQ. apply Forall_map. generalize (z_mul_nonneg p q HP HQ). apply Forall_impl.
  apply ceiling_nonneg.
Qed.

Lemma losses_times_nonneg bits a b :
  losses_nonneg a -> losses_nonneg b -> losses_nonneg (losses_times bits a b).
Proof.
  intros [PA IA] [PB IB]. unfold losses_times.
  assert (PL := products_nonneg bits (masses a) (masses b) PA PB). set (l := map _ _) in *.
  destruct (trimmed l) as [first last]. split; cbn [masses at_infinity].
  - assert (S := z_sum_nonneg _ (firstn_nonneg first l PL)).
    assert (K := firstn_nonneg (last - first) _ (skipn_nonneg first l PL)).
    destruct (firstn (last - first) (skipn first l)) as [| m k]; simpl.
    + constructor; [exact S | constructor].
    + inversion K; subst. constructor; [lia | assumption].
  - assert (S := z_sum_nonneg _ (skipn_nonneg last l PL)).
    assert (A := z_sum_nonneg _ PA). assert (B := z_sum_nonneg _ PB).
    apply Z.add_nonneg_nonneg; [apply ceiling_nonneg | exact S].
    apply Z.add_nonneg_nonneg; apply Z.mul_nonneg_nonneg; lia.
Qed.
