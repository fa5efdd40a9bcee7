(** Likelihood ratios that are rarely large give differential privacy.

    Let P and Q be laws on any type, eps and delta real. If the outcomes a with P a >= e^eps Q a have at
    most the probability delta under P, then P(T) <= e^eps Q(T) + delta for every event T, finite or not.
    In words: bad outcomes have the mass b <= delta, and the others, in T, the mass g <= e^eps Q(T). It is
    enough to count the outcomes with P a > e^eps Q a as bad ([dp_from_ratio]). Hence a law D on the
    integers that is (eps, delta, k)-smooth is close to its own shifts by up to k. The converse is false: the
    ledger has the least binomial law for which it fails (row smooth-converse-printed).
    (Source: Ghazi, Golowich, Kumar, Pagh, Velingker 2021, Definition 4.1.) *)

From Coq Require Import Reals List ZArith Lra Lia FinFun.
From Exactdp Require Import reals sums masses smooth.
Import ListNotations.
Open Scope R_scope.

(** The likelihood ratio of P to Q is E or more at a; a denominator 0 counts as an infinite ratio. *)
Definition large_ratio {A} (P Q : A -> R) (E : R) (a : A) : Prop := E * Q a <= P a.

(** A finite event consists of its outcomes with a ratio above E and the others. *)
Lemma ratios_above_mass_below {A} (P Q : A -> R) E delta :
  0 <= E -> (forall a, 0 <= Q a) ->
  (forall l, NoDup l -> (forall a, In a l -> E * Q a < P a) -> total l P <= delta) ->
  mass_below P Q E delta.
Proof.
  intros HE HQ H l N. set (above := fun a => Rltb (E * Q a) (P a)).
  assert (Bad : total (filter above l) P <= delta).
  { apply H; [apply NoDup_filter, N |]. intros a I. apply filter_In in I. apply Rltb_true, I. }
  assert (Good : total l (fun a => if above a then 0 else P a) <= total l (fun a => E * Q a)).
  { apply total_le. intros a _. unfold above, Rltb. destruct (Rlt_dec (E * Q a) (P a)).
    - apply Rmult_le_pos; [exact HE | apply HQ].
    - lra. }
  assert (Split : total l P = total (filter above l) P + total l (fun a => if above a then 0 else P a)).
  { rewrite total_filter, <- total_plus. apply total_ext. intros a _. destruct (above a); ring. }
  rewrite total_scal in Good. lra.
Qed.

Lemma large_ratios_mass_below {A} (P Q : A -> R) E delta :
  0 <= E -> (forall a, 0 <= Q a) ->
  (forall l, NoDup l -> (forall a, In a l -> large_ratio P Q E a) -> total l P <= delta) ->
  mass_below P Q E delta.
Proof.
  intros HE HQ H. apply ratios_above_mass_below; [exact HE | exact HQ |].
  intros l N I. apply H; [exact N |]. intros a Ha. left. apply I, Ha.
Qed.

(** Ledger row dp-from-ratio: only the outcomes with a ratio above e^eps count as bad. *)
Theorem dp_from_ratio {A} (P Q : A -> R) eps delta r :
  law P -> law Q -> mass_of P (fun a => exp eps * Q a < P a) r -> r <= delta ->
  forall T p q, mass_of P T p -> mass_of Q T q -> p <= exp eps * q + delta.
Proof.
  intros _ LQ [U _] Hr. apply mass_below_all_events; [left; apply exp_pos |].
  apply ratios_above_mass_below; [left; apply exp_pos | apply (proj1 LQ) |].
  intros l N I. eapply Rle_trans; [apply U | exact Hr]. exists l. auto.
Qed.

(** Ledger row smooth-is-private. *)
Theorem smooth_is_private {A} (P Q : A -> R) eps delta r :
  law P -> law Q -> mass_of P (large_ratio P Q (exp eps)) r -> r <= delta ->
  forall T p q, mass_of P T p -> mass_of Q T q -> p <= exp eps * q + delta.
Proof.
  intros _ LQ [U _] Hr. apply mass_below_all_events; [left; apply exp_pos |].
  apply large_ratios_mass_below; [left; apply exp_pos | apply (proj1 LQ) |].
  intros l N I. eapply Rle_trans; [apply U | exact Hr]. exists l. auto.
Qed.

(** ** Shifts of a smooth law *)

Lemma total_shift (D : Z -> R) (a : Z) l :
  total l (fun b => D (b - a)%Z) = total (map (fun b => (b - a)%Z) l) D.
Proof. symmetry. apply total_map. Qed.

(** The laws of a + noise and c + noise, for a and c that are at most k apart. *)
Lemma smooth_shifts (D : Z -> R) eps delta k a c :
  law D -> smooth D eps delta k -> a <> c -> (Z.abs (a - c) <= k)%Z ->
  mass_below (fun b => D (b - a)%Z) (fun b => D (b - c)%Z) (exp (IZR (Z.abs (a - c)) * eps)) delta.
Proof.
  intros L S N K. apply large_ratios_mass_below; [left; apply exp_pos | intros; apply (proj1 L) |].
  intros l Nl I. rewrite total_shift. apply (S (a - c)%Z); [lia | exact K | |].
  - apply Injective_map_NoDup; [intros x y; lia | exact Nl].
  - intros y J. apply in_map_iff in J. destruct J as [b [<- J]].
    replace (b - a + (a - c))%Z with (b - c)%Z by ring. exact (I b J).
Qed.
