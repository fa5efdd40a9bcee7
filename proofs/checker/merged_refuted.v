(** From what is told of the runs to a refutation of their composition.

    [merged_refutes]: each run of a list has a pair of laws that stands for one of its mechanism (drawn_pairs.v), and
    [x] tells of it (merged_sound.v); each is made as often as the list says. If the product over all runs is above
    delta at X / Y, X >= 0, Y > 0, then not all ways of playing the composition are (X / Y, delta)-below. Independent
    runs are the one that shows it.

    Source: docs/certificates.md, "Losses may be merged in an event". *)

From Coq Require Import ZArith QArith Qreals Reals List Lia Lra Bool.
From Exactdp Require Import sums masses hockey_stick product_laws adaptive_composition fixed_point losses_program.
From Exactdp Require Import merged.
From ExactdpChecker Require Import kronecker merged_program merged_sound merged_runs merged_known.
Import ListNotations.
Open Scope R_scope.

Section runs.

Context {A : Type}.
Variable bits : nat.

Definition tells_runs (x : merged) (rs : list (played_pair A)) : Prop :=
  sensible x /\ (forall r, In r rs -> is_pair r) /\ tells bits x (all_first rs) (all_second rs).

Lemma tells_times x y rs ts : tells_runs x rs -> tells_runs y ts -> tells_runs (merged_times bits x y) (rs ++ ts).
Proof.
  intros [Sx [Px Tx]] [Sy [Py Ty]]. split; [apply merged_times_sensible; assumption |]. split.
  - intros r I. apply in_app_or in I. destruct I; auto.
  - destruct (played_independently rs Px) as [L1 [L2 _]]. destruct (played_independently ts Py) as [L3 [L4 _]].
    apply tells_append, merged_times_tells; assumption.
Qed.

Lemma tells_power x r k : tells_runs x [r] -> tells_runs (merged_power bits x k) (repeat r (Pos.to_nat k)).
Proof.
  intros H. induction k as [k IH | k IH |]; simpl merged_power; [| | exact H].
  - replace (Pos.to_nat k~1) with (Pos.to_nat k + Pos.to_nat k + 1)%nat by lia. rewrite !repeat_app.
    apply tells_times; [apply tells_times; exact IH | exact H].
  - replace (Pos.to_nat k~0) with (Pos.to_nat k + Pos.to_nat k)%nat by lia. rewrite repeat_app.
    apply tells_times; exact IH.
Qed.

Lemma tells_none : tells_runs {| lowest := 0; firsts := [two bits]; seconds := [two bits]; endless := 0 |} [].
Proof.
  assert (P := pow_two_positive bits). assert (Z2 := two_positive bits).
  split; [| split; [intros r [] |]].
  - split; [| split; [| split; [reflexivity | discriminate]]]; cbn; (constructor; [lia | constructor]).
  - exists (fun l => match l with [] => At 0 | _ => Left_out end).
    assert (V : forall z, at_place bits [two bits] 0 z = if Z.eqb z 0 then 1 else 0).
    { intros z. unfold at_place, val. destruct (Z.eqb_spec z 0) as [-> | N].
      - simpl. rewrite IZR_two. field. lra.
      - destruct (Z.leb_spec 0 z); [| unfold Rdiv; ring]. rewrite nth_overflow by (simpl; lia). unfold Rdiv. ring. }
    cbn [lowest firsts seconds endless]. split; [apply range_once | split; [| split; [| split; [| split]]]].
    + intros [| a l] H; discriminate.
    + unfold Rdiv. rewrite Rmult_0_l. apply at_least_nothing.
    + intros [| a l] z H; [| discriminate]. injection H as <-. left. reflexivity.
    + intros z. rewrite V. destruct (Z.eqb_spec z 0) as [-> | N]; [| apply at_least_nothing].
      intros c Hc. specialize (Hc [[]] ltac:(constructor; [intros [] | constructor]) ltac:(intros a [<- | []];
        reflexivity)).
      simpl in Hc. unfold all_first in Hc. simpl in Hc. lra.
    + intros z l N I. rewrite V. destruct (Z.eqb_spec z 0) as [-> | NZ].
      * apply law_finite; [apply nothing_law | exact N].
      * destruct l as [| a l]; [simpl; lra |]. exfalso. specialize (I a (or_introl eq_refl)).
        destruct a; [| discriminate].
        injection I as I. congruence.
Qed.

(** A run: what is told, how often it is made, and the pair of its mechanism. *)
Definition told : Type := merged * positive * played_pair A.

Lemma tells_total (entries : list told) : forall x rs,
  tells_runs x rs -> (forall e, In e entries -> tells_runs (fst (fst e)) [snd e]) ->
  tells_runs (fold_left (fun so_far run => merged_times bits so_far (merged_power bits (fst run) (snd run)))
    (map fst entries) x)
    (rs ++ flat_map (fun e => repeat (snd e) (Pos.to_nat (snd (fst e)))) entries).
Proof.
  induction entries as [| e entries IH]; intros x rs H HE; [rewrite app_nil_r; exact H |].
  cbn [map fold_left flat_map]. rewrite app_assoc. apply IH; [| intros f I; apply HE; right; exact I].
  apply tells_times; [exact H |]. apply tells_power, HE. left. reflexivity.
Qed.

Theorem merged_refutes (entries : list told) X Y delta :
  (0 <= X)%Z -> (0 < Y)%Z -> (forall e, In e entries -> tells_runs (fst (fst e)) [snd e]) ->
  merged_above bits X Y delta (merged_total bits (map fst entries)) = true ->
  ~ forall P Q, played (flat_map (fun e => repeat (fst (snd e)) (Pos.to_nat (snd (fst e)))) entries) P Q ->
    (forall answers, 0 <= Q answers) -> mass_below P Q (IZR X / IZR Y) (Q2R delta).
Proof.
  intros HX HY HE H All. destruct (tells_total entries _ [] tells_none HE) as [S [Pairs T]]. cbn [app] in Pairs, T.
  set (rs := flat_map (fun e : told => repeat (snd e) (Pos.to_nat (snd (fst e)))) entries) in *.
  destruct (played_independently rs Pairs) as [_ [L Below]].
  assert (HE' : 0 <= IZR X / IZR Y)
    by (apply Rmult_le_pos; [apply (IZR_le 0), HX | left; apply Rinv_0_lt_compat, (IZR_lt 0), HY]).
  apply (merged_above_refutes bits X Y delta _ _ _ HX HY (proj1 L) S T H). apply (Below _ _ HE').
  assert (Same : map fst rs = flat_map (fun e => repeat (fst (snd e)) (Pos.to_nat (snd (fst e)))) entries).
  { unfold rs. clear. induction entries as [| e entries IH]; [reflexivity |]. cbn [flat_map]. rewrite map_app.
    f_equal; [| exact IH]. assert (R : forall n, map fst (repeat (snd e) n) = repeat (fst (snd e)) n).
    { induction n as [| n IHn]; [reflexivity |]. simpl. rewrite IHn. reflexivity. }
    apply R. }
  rewrite Same. exact All.
Qed.

End runs.
