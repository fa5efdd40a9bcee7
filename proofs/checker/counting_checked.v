(** counting_dp, both verdicts: the programs and their soundness.

    Of the parameter p of the geometric laws and of the sum of negative binomial laws, [blurred_window] encloses the law
    of the sum and of a geometric one of p^2, by products of windows; [check_counting] bounds its divergence from itself
    moved by 1, at E p, and the other way round at E / p, and puts both together. For all reals and up to any number of
    laws: what it accepts is [sound] ([check_counting_sound]), for every number of users and all shares of the noise.

    The programs are the class Counting of exactdp/checker/counting.py, with the same integers. It rests on
    correlated_exactly.correlated_exactly and enclosed_divergences.v. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums masses shifts fixed_point noise_on_naturals countable_programs counting_programs.
From Exactdp Require Import negative_binomial_law negative_binomial_sums correlated_counting correlated_exactly.
From ExactdpChecker Require Import claims witnesses kinds levels posed enclosed_reals outward windows walked_naturals.
From ExactdpChecker Require Import negative_binomial_window binomial_sum_window enclosed_divergences.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

Fixpoint sum_windows (bits : nat) (v : window) (parts : list (real * real)) : option window :=
  match parts with
  | [] => Some v
  | (r, p) :: rest =>
      match negative_binomial_window bits r p with
      | Some v' => match sum_window v v' with Some s => sum_windows bits s rest | None => None end
      | None => None
      end
  end.

(** The geometric law of p^2, of p between l / d and h / d. *)
Definition squared_window (bits : nat) (l h d : Z) : option window :=
  if (0 <? l) && (h <? d) then walked_naturals (fun _ => (l * l, h * h, d * d)) None (h * h) (d * d) 0 bits else None.

Definition blurred_window (bits : nat) (l h d : Z) (parts : list (real * real)) : option window :=
  match parts with
  | [] => None
  | (r, p) :: rest =>
      match negative_binomial_window bits r p with
      | Some v =>
          match sum_windows bits v rest, squared_window bits l h d with
          | Some s, Some g => sum_window s g
          | _, _ => None
          end
      | None => None
      end
  end.

(** Of the law against itself moved by 1, or the other way round. *)
Definition divergence (is_above forward : bool) (c : Q) (v : window) : option Q :=
  let '(f, g, t) := divergences is_above (Qnum c) (Zpos (Qden c)) v 1 in
  if 0 <? t then Some ((if forward then f else g) # Z.to_pos (Zpos (Qden c) * t)) else None.

Definition check_counting (p1 : real) (parts : list (real * real)) (l : level) (delta : Q) (proved : bool) (w : witness) : bool :=
  level_is_posed l delta &&
  match w with
  | Simple (Bits b) =>
      let bits := Z.to_nat b in
      match parameter bits p1, (if proved then ratio_below l (Bits b) else ratio_above l (Bits b)) with
      | Some (low, high, whole), Some (x, y) =>
          match blurred_window bits low high whole parts with
          | Some v =>
              let E := x # Z.to_pos y in
              let near := (if proved then low else high) # Z.to_pos whole in
              let far := (if proved then high else low) # Z.to_pos whole in
              let c := (E * near)%Q in
              match divergence proved true c v, divergence proved false (E * / far)%Q v with
              | Some f, Some g =>
                  let most := (delta * (1 + near))%Q in
                  let back := ((if Qle_bool c 1 then 1 - c else 0) + far * g)%Q in
                  (0 <=? x) && (0 <=? Qnum g) && eqb proved (Qle_bool f most && Qle_bool back most)
              | _, _ => false
              end
          | None => false
          end
      | _, _ => false
      end
  | _ => false
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma total_naturals (D : nat -> R) l :
  total l (on_naturals D) = total (map Z.to_nat (filter (fun z => 0 <=? z)%Z l)) D.
Proof.
  rewrite total_map, total_filter. apply total_ext. intros z _. unfold on_naturals.
  destruct (Z.ltb_spec z 0), (Z.leb_spec 0 z); lia || reflexivity.
Qed.

Lemma below_naturals P Q E delta : mass_below P Q E delta <-> mass_below (on_naturals P) (on_naturals Q) E delta.
Proof.
  split; intros B l N.
  - rewrite !total_naturals. apply B. apply (NoDup_map_inv Z.of_nat). rewrite map_map.
    rewrite (map_ext_in _ (fun z => z)), map_id; [apply NoDup_filter, N |].
    intros z I. apply filter_In in I. destruct I as [_ I]. apply Z.leb_le in I. lia.
  - specialize (B (map Z.of_nat l) ltac:(apply FinFun.Injective_map_NoDup; [exact Nat2Z.inj | exact N])).
    rewrite !total_map in B.
    rewrite !(total_ext l (fun a => on_naturals _ (Z.of_nat a)) _ (fun a _ => on_naturals_of_nat _ a)) in B. exact B.
Qed.

Lemma moved_naturals D z : shifted (on_naturals D) 1 z = on_naturals (after 1 D) z.
Proof.
  unfold shifted, on_naturals, after. destruct (Z.ltb_spec (z - 1) 0), (Z.ltb_spec z 0); try lia; try reflexivity.
  - destruct (Nat.ltb_spec (Z.to_nat z) 1); [reflexivity | lia].
  - destruct (Nat.ltb_spec (Z.to_nat z) 1); [lia |]. f_equal. lia.
Qed.

(** The sum of two laws on 0, 1, 2, ... is a sum over places up to the last one that is asked for. *)
Lemma naturals_sum u v l : exists support, NoDup support /\ forall t, In t l ->
  on_naturals (convolved_masses u v) t = total support (fun x => on_naturals u x * on_naturals v (t - x)%Z) /\
  forall x, ~ In x support -> on_naturals u x * on_naturals v (t - x)%Z = 0.
Proof.
  set (top := list_max (map Z.to_nat l)). exists (map Z.of_nat (seq 0 (S top))).
  split; [apply FinFun.Injective_map_NoDup, seq_NoDup; exact Nat2Z.inj |]. intros t It.
  assert (T : (Z.to_nat t <= top)%nat).
  { assert (M := proj1 (list_max_le (map Z.to_nat l) top) (le_n _)). rewrite Forall_forall in M. apply M, in_map, It. }
  split.
  - rewrite total_map. destruct (Z.ltb_spec t 0) as [N | N].
    + rewrite (total_ext _ _ (fun _ => 0)), total_zero; [unfold on_naturals; rewrite (proj2 (Z.ltb_lt _ _) N); reflexivity |].
      intros i _. unfold on_naturals at 2. rewrite (proj2 (Z.ltb_lt _ _)) by lia. ring.
    + replace t with (Z.of_nat (Z.to_nat t)) by lia. set (m := Z.to_nat t) in *. rewrite on_naturals_of_nat.
      replace (S top) with (S m + (top - m))%nat by lia. rewrite seq_app, total_app.
      rewrite (total_ext (seq (0 + S m) _) _ (fun _ => 0)), total_zero, Rplus_0_r.
      * apply total_ext. intros i I. apply in_seq in I. rewrite on_naturals_of_nat.
        replace (Z.of_nat m - Z.of_nat i)%Z with (Z.of_nat (m - i)) by lia. rewrite on_naturals_of_nat. reflexivity.
      * intros i I. apply in_seq in I. unfold on_naturals at 2. rewrite (proj2 (Z.ltb_lt _ _)) by lia. ring.
  - intros x O. destruct (Z.ltb_spec x 0) as [N | N].
    + unfold on_naturals at 1. rewrite (proj2 (Z.ltb_lt _ _) N). ring.
    + assert (X : (Z.of_nat top < x)%Z).
      { destruct (Z_lt_le_dec (Z.of_nat top) x) as [L | L]; [exact L |]. exfalso. apply O, in_map_iff.
        exists (Z.to_nat x). rewrite in_seq. lia. }
      unfold on_naturals at 2. rewrite (proj2 (Z.ltb_lt _ _)) by lia. ring.
Qed.

Lemma naturals_sum_window u v c c' w1 w2 s : law u -> law v ->
  encloses w1 (on_naturals u) c -> encloses w2 (on_naturals v) c' -> sum_window w1 w2 = Some s ->
  encloses s (on_naturals (convolved_masses u v)) (c * c').
Proof.
  intros Lu Lv E1 E2 H. apply (sum_window_sound w1 w2 (on_naturals u) (on_naturals v)); try assumption.
  - apply naturals_sum.
  - apply law_on_naturals, convolved_law; assumption.
Qed.

Lemma negative_binomial_masses r p t : noise_mass (NegativeBinomial r p) t = on_naturals (negative_binomial (value r) (value p)) t.
Proof.
  cbn [noise_mass]. unfold on_naturals. destruct (Z.ltb t 0); [reflexivity |]. unfold negative_binomial, Rpower.
  set (n := Z.to_nat t). replace (rising_factorial (value r) n / INR (fact n)) with (rising_weight (value r) n); [ring |].
  induction n as [| n IH]; [simpl; field |].
  assert (X := coefficient_next (value r) n). unfold coefficient in X. assert (N : INR (S n) <> 0) by (apply not_0_INR; lia).
  apply Rmult_eq_reg_r with (INR (S n)); [| exact N]. rewrite X, <- IH. cbn [rising_weight]. rewrite S_INR in *. field. exact N.
Qed.

Lemma part_window bits r p v : negative_binomial_window bits r p = Some v ->
  noise_posed (NegativeBinomial r p) /\ law (negative_binomial (value r) (value p)) /\
  exists c, encloses v (on_naturals (negative_binomial (value r) (value p))) c.
Proof.
  intros H. destruct (negative_binomial_window_sound _ _ _ _ H) as [N [c E]]. split; [exact N |]. split.
  - destruct N as [[_ R] [_ P]]. apply negative_binomial_exists; assumption.
  - exists c. revert E. apply encloses_ext. apply negative_binomial_masses.
Qed.

Lemma sum_windows_sound bits parts : forall v u c s, law u -> encloses v (on_naturals u) c -> sum_windows bits v parts = Some s ->
  let W := fold_left (fun w rp => convolved_masses w (negative_binomial (value (fst rp)) (value (snd rp)))) parts u in
  law W /\ (forall rp, In rp parts -> noise_posed (NegativeBinomial (fst rp) (snd rp))) /\
  exists c', encloses s (on_naturals W) c'.
Proof.
  induction parts as [| [r p] parts IH]; intros v u c s Lu E H; cbn [sum_windows] in H.
  - injection H as <-. cbn [fold_left]. split; [exact Lu |]. split; [intros rp []| exists c; exact E].
  - destruct (negative_binomial_window bits r p) as [v' |] eqn:V; [| discriminate].
    destruct (sum_window v v') as [s' |] eqn:S'; [| discriminate].
    destruct (part_window _ _ _ _ V) as [N [L [c' E']]]. cbn [fold_left fst snd].
    destruct (IH s' (convolved_masses u (negative_binomial (value r) (value p))) (c * c') s) as [LW [NP X]];
      [apply convolved_law; assumption | apply (naturals_sum_window u _ c c' v v' s'); assumption | exact H |].
    split; [exact LW |]. split; [| exact X]. intros rp [<- | I]; [exact N | apply NP, I].
Qed.

Lemma no_noise_convolved u t : convolved_masses no_noise u t = u t.
Proof.
  unfold convolved_masses. rewrite total_seq_shift, Nat.sub_0_r. rewrite (total_ext _ _ (fun _ => 0)), total_zero.
  - simpl. ring.
  - intros i _. simpl. ring.
Qed.

Section squared.

Variables (bits : nat) (l h d : Z) (p : R).
Hypotheses (D0 : (0 < d)%Z) (around_p : IZR l <= IZR d * p <= IZR h).

Lemma squared_window_sound v : squared_window bits l h d = Some v ->
  0 < p < 1 /\ (0 < l <= h)%Z /\ exists c, encloses v (on_naturals (smaller p)) c.
Proof.
  unfold squared_window. destruct (_ && _) eqn:G; [| discriminate]. apply andb_true_iff in G. destruct G as [G1 G2].
  apply Z.ltb_lt in G1, G2. intros H. assert (D := IZR_lt _ _ D0). assert (L := IZR_lt _ _ G1). assert (Hd := IZR_lt _ _ G2).
  assert (P : 0 < p < 1) by (split; apply Rmult_lt_reg_l with (IZR d); lra).
  assert (LH : (l <= h)%Z) by (apply le_IZR; lra).
  split; [exact P |]. split; [lia |].
  set (w := on_naturals (smaller p)).
  assert (Step : forall t, (0 <= t)%Z -> w (t + 1)%Z = p * p * w t).
  { intros t Ht. unfold w. replace t with (Z.of_nat (Z.to_nat t)) by lia. set (n := Z.to_nat t).
    replace (Z.of_nat n + 1)%Z with (Z.of_nat (S n)) by lia. rewrite !on_naturals_of_nat, !smaller_mass by exact P. simpl. ring. }
  assert (Below : forall t, (t < 0)%Z -> w t = 0).
  { intros t Ht. unfold w, on_naturals. rewrite (proj2 (Z.ltb_lt _ _) Ht). reflexivity. }
  assert (Lw : law w) by (apply law_on_naturals, smaller_law, P).
  assert (W0 : 0 < w 0%Z).
  { change 0%Z with (Z.of_nat 0). unfold w. rewrite on_naturals_of_nat, smaller_mass by exact P. simpl. nra. }
  assert (Sq : IZR l * IZR l <= IZR d * IZR d * (p * p) <= IZR h * IZR h) by (split; nra).
  exists (2 ^ bits / w 0%Z).
  apply (walked_naturals_sound w (fun _ => (l * l, h * h, d * d)%Z) None (h * h) (d * d) 0 Below) with (bits := bits); try assumption.
  - discriminate.
  - intros t a b e Ht _ E. injection E as <- <- <-. split; [nia |]. split; [nia |]. rewrite !mult_IZR, (Step t Ht).
    replace (IZR d * IZR d * (p * p * w t)) with (IZR d * IZR d * (p * p) * w t) by ring.
    split; apply Rmult_le_compat_r; try apply (proj1 Lw t); lra.
  - split; [lia | discriminate].
  - intros i rho Hr Hi t Ht. unfold above. replace (0 + Z.of_nat (1 + t))%Z with (0 + Z.of_nat t + 1)%Z by lia.
    rewrite Step by lia. apply Rmult_le_compat_r; [apply Lw |]. eapply Rle_trans; [| apply Rmax_r].
    rewrite !mult_IZR. apply Rmult_le_reg_l with (IZR d * IZR d); [nra |].
    replace (IZR d * IZR d * (IZR h * IZR h / (IZR d * IZR d))) with (IZR h * IZR h) by (field; lra). lra.
  - intros i rho Hr Hi t Ht. unfold below. rewrite (Below (0 - Z.of_nat (1 + t))%Z) by lia.
    apply Rmult_le_pos; [| apply Lw]. eapply Rle_trans; [exact Hr | apply Rmax_l].
  - nia.
Qed.

Lemma blurred_window_sound parts v : blurred_window bits l h d parts = Some v ->
  0 < p < 1 /\ (0 < l <= h)%Z /\ parts <> [] /\ (forall rp, In rp parts -> noise_posed (NegativeBinomial (fst rp) (snd rp))) /\
  law (negative_binomial_sum parts) /\
  exists c, encloses v (on_naturals (convolved_masses (negative_binomial_sum parts) (smaller p))) c.
Proof.
  unfold blurred_window. destruct parts as [| [r q] parts]; [discriminate |].
  destruct (negative_binomial_window bits r q) as [v1 |] eqn:V; [| discriminate].
  destruct (sum_windows bits v1 parts) as [s |] eqn:S; [| discriminate].
  destruct (squared_window bits l h d) as [g |] eqn:Sq; [| discriminate]. intros H.
  destruct (part_window _ _ _ _ V) as [N [L [c E]]]. destruct (squared_window_sound g Sq) as [P [LH [c2 E2]]].
  assert (L' : law (convolved_masses no_noise (negative_binomial (value r) (value q))))
    by (apply convolved_law; [apply law_no_noise | exact L]).
  assert (E' : encloses v1 (on_naturals (convolved_masses no_noise (negative_binomial (value r) (value q)))) c).
  { revert E. apply encloses_ext. intros t. unfold on_naturals. destruct (Z.ltb t 0); [reflexivity |].
    rewrite no_noise_convolved. reflexivity. }
  destruct (sum_windows_sound bits parts v1 _ c s L' E' S) as [LW [NP [c1 E1]]].
  split; [exact P |]. split; [exact LH |]. split; [discriminate |]. split.
  - intros rp [<- | I]; [exact N | apply NP, I].
  - split; [exact LW |]. exists (c1 * c2). apply (naturals_sum_window _ _ c1 c2 s g); try assumption.
    apply smaller_law, P.
Qed.

End squared.

Lemma quotient_value x y : (0 < y)%Z -> Q2R (x # Z.to_pos y) = IZR x / IZR y.
Proof. intros H. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by exact H. reflexivity. Qed.

Lemma Qle_bool_spec x y : Qle_bool x y = true <-> Q2R x <= Q2R y.
Proof.
  rewrite Qle_bool_iff. split; [apply Qle_Rle | apply Rle_Qle].
Qed.

Section enclosed.

Variables (v : window) (Y : nat -> R) (u : R).
Hypothesis enclosed : encloses v (on_naturals Y) u.

Lemma orders E delta :
  (mass_below (on_naturals Y) (shifted (on_naturals Y) (Z.of_nat 1)) E delta <-> mass_below Y (after 1 Y) E delta) /\
  (mass_below (shifted (on_naturals Y) (Z.of_nat 1)) (on_naturals Y) E delta <-> mass_below (after 1 Y) Y E delta).
Proof.
  rewrite !below_naturals. change (Z.of_nat 1) with 1%Z.
  split; split; intros B l N; specialize (B l N); rewrite !(total_ext l _ _ (fun z _ => moved_naturals Y z)) in *; exact B.
Qed.

Lemma divergence_above c E x forward : divergence true forward c v = Some x -> (0 <= Qnum c)%Z -> Q2R c <= E ->
  if forward then mass_below Y (after 1 Y) E (Q2R x)
  else mass_below (after 1 Y) Y E (Q2R x).
Proof.
  unfold divergence. destruct (divergences true _ _ v 1) as [[f g] t] eqn:D. destruct (Z.ltb_spec 0 t) as [T | T]; [| discriminate].
  intros H C0 C. injection H as <-.
  destruct (divergences_above v (on_naturals Y) u 1 enclosed _ _ E f g t D C0 ltac:(lia) C T) as [A B].
  apply (proj1 (orders _ _)) in A. apply (proj2 (orders _ _)) in B.
  destruct forward; rewrite (quotient_value _ _ (Z.mul_pos_pos (Zpos (Qden c)) t ltac:(lia) T)), mult_IZR; assumption.
Qed.

Lemma divergence_below c E x forward delta : divergence false forward c v = Some x -> 0 <= E <= Q2R c ->
  (if forward then mass_below Y (after 1 Y) E delta
   else mass_below (after 1 Y) Y E delta) -> Q2R x <= delta.
Proof.
  unfold divergence. destruct (divergences false _ _ v 1) as [[f g] t] eqn:D. destruct (Z.ltb_spec 0 t) as [T | T]; [| discriminate].
  intros H C. injection H as <-.
  destruct (divergences_below v (on_naturals Y) u 1 enclosed _ _ E f g t delta D ltac:(lia) C) as [A B].
  rewrite (quotient_value _ _ (Z.mul_pos_pos (Zpos (Qden c)) t ltac:(lia) T)), mult_IZR. intros M.
  destruct forward; [apply A, (proj1 (orders _ _)), M | apply B, (proj2 (orders _ _)), M].
Qed.

End enclosed.

Lemma hidden_counts_ext p W W' E delta : (forall t, W t = W' t) -> hidden_counts p W E delta -> hidden_counts p W' E delta.
Proof.
  intros S [A B]. set (Y := convolved_masses W (smaller p)) in *. set (Y' := convolved_masses W' (smaller p)).
  assert (X : forall t, Y t = Y' t) by (intros t; apply total_ext; intros i _; rewrite S; reflexivity).
  assert (X1 : forall t, after 1 Y t = after 1 Y' t) by (intros t; unfold after; destruct (Nat.ltb t 1); auto).
  unfold hidden_counts. fold Y'.
  split; intros l N; [specialize (A l N) | specialize (B l N)];
    rewrite (total_ext l _ _ (fun t _ => X t)), (total_ext l _ _ (fun t _ => X1 t)) in *; assumption.
Qed.

Lemma one_share D t : shares D 1 t = D t.
Proof.
  cbn [shares]. unfold convolved_masses. rewrite total_seq_S, Nat.sub_diag. simpl no_noise at 2.
  rewrite (total_ext _ _ (fun _ => 0)), total_zero; [ring |].
  intros i I. apply in_seq in I. replace (t - i)%nat with (S (t - i - 1)) by lia. simpl. ring.
Qed.

Theorem check_counting_sound p1 parts l delta proved w :
  check_counting p1 parts l delta proved w = true -> sound (CountingDP p1 parts l delta) proved.
Proof.
  unfold check_counting. intros H. apply andb_true_iff in H. destruct H as [Hl H]. apply level_is_posed_sound in Hl.
  destruct w as [[| | b] | | | | | | | | | | | | | | | | | | | | | |]; try discriminate H.
  destruct (parameter (Z.to_nat b) p1) as [[[low high] whole] |] eqn:EP; [| discriminate H].
  destruct (parameter_sound _ _ _ _ _ EP) as [NP [DP [BP _]]]. clear EP.
  destruct (if proved then ratio_below l (Bits b) else ratio_above l (Bits b)) as [[x y] |] eqn:R; [| discriminate H].
  destruct (blurred_window _ _ _ _ _) as [v |] eqn:V; [| discriminate H].
  destruct (blurred_window_sound _ _ _ _ _ DP BP _ _ V) as [P [LH [Some_ [Parts [LW [u EV]]]]]]. clear V.
  set (p := value p1) in *. set (W := negative_binomial_sum parts) in *. set (Y := convolved_masses W (smaller p)) in *.
  assert (Posed : well_posed (CountingDP p1 parts l delta)) by (split; [auto |]; split; [exact Some_ |]; split; [exact Hl | exact Parts]).
  split; [exact Posed |]. destruct Hl as [E1 [D0 D1]].
  assert (Dw := IZR_lt _ _ DP). assert (Lw : 0 < IZR low) by (apply (IZR_lt 0); lia).
  assert (Hw : 0 < IZR high) by (apply (IZR_lt 0); lia).
  set (E := x # Z.to_pos y) in *. set (near := (if proved then low else high) # Z.to_pos whole) in *.
  set (far := (if proved then high else low) # Z.to_pos whole) in *.
  destruct (divergence proved true (E * near) v) as [f |] eqn:F; [| discriminate H].
  destruct (divergence proved false (E * / far) v) as [g |] eqn:G; [| discriminate H].
  rewrite !andb_true_iff in H. destruct H as [[Hx Hg] H]. apply Z.leb_le in Hx, Hg. apply eqb_prop in H.
  assert (Vl : IZR low / IZR whole <= p) by (apply Rmult_le_reg_l with (IZR whole); [exact Dw |];
    replace (IZR whole * (IZR low / IZR whole)) with (IZR low) by (field; lra); lra).
  assert (Vh : p <= IZR high / IZR whole) by (apply Rmult_le_reg_l with (IZR whole); [exact Dw |];
    replace (IZR whole * (IZR high / IZR whole)) with (IZR high) by (field; lra); lra).
  assert (Ll : 0 < IZR low / IZR whole) by (apply Rdiv_lt_0_compat; assumption).
  assert (Near : Q2R near = (if proved then IZR low else IZR high) / IZR whole)
    by (unfold near; rewrite quotient_value by exact DP; destruct proved; reflexivity).
  assert (Far : Q2R far = (if proved then IZR high else IZR low) / IZR whole)
    by (unfold far; rewrite quotient_value by exact DP; destruct proved; reflexivity).
  assert (N0 : 0 < Q2R near) by (rewrite Near; destruct proved; lra).
  assert (F0 : 0 < Q2R far) by (rewrite Far; destruct proved; lra).
  assert (Q1 : Q2R 1 = 1) by (unfold Q2R; simpl; field).
  assert (Q0 : Q2R 0 = 0) by (unfold Q2R; simpl; ring).
  assert (Inv : Q2R (E * / far)%Q = Q2R E / Q2R far).
  { rewrite Q2R_mult, Q2R_inv; [reflexivity |]. intros Z0. apply Qeq_eqR in Z0. lra. }
  assert (Most : Q2R (delta * (1 + near))%Q = (1 + Q2R near) * Q2R delta) by (rewrite Q2R_mult, Q2R_plus, Q1; ring).
  set (c := (E * near)%Q) in *. assert (C : Q2R c = Q2R E * Q2R near) by (unfold c; apply Q2R_mult).
  assert (Back : Q2R ((if Qle_bool c 1 then 1 - c else 0) + far * g)%Q = Rmax 0 (1 - Q2R c) + Q2R far * Q2R g).
  { rewrite Q2R_plus, Q2R_mult. f_equal. destruct (Qle_bool c 1) eqn:B.
    - apply Qle_bool_spec in B. rewrite Q2R_minus, Q1 in *. rewrite Rmax_right by lra. reflexivity.
    - rewrite Q0, Rmax_left; [reflexivity |]. apply Rnot_lt_le. intros K.
      assert (Qle_bool c 1 = true) by (apply Qle_bool_spec; lra). congruence. }
  assert (G0 : 0 <= Q2R g).
  { unfold Q2R. apply Rmult_le_pos; [apply (IZR_le 0), Hg | left; apply Rinv_0_lt_compat, (IZR_lt 0); lia]. }
  assert (M2 := Rmax_l 0 (1 - ratio l * p)). assert (M3 := Rmax_r 0 (1 - ratio l * p)).
  destruct proved.
  - destruct (ratio_below_sound _ _ _ _ R) as [Y0 RB]. apply lt_IZR in Y0.
    assert (EV0 : Q2R E = IZR x / IZR y) by (apply quotient_value, Y0).
    assert (Ex : 0 <= Q2R E) by (rewrite EV0; apply Rle_mult_inv_pos; [apply (IZR_le 0), Hx | apply (IZR_lt 0), Y0]).
    assert (Cx : 0 <= Q2R c) by (rewrite C; apply Rmult_le_pos; lra).
    assert (Cq : (0 <= Qnum c)%Z).
    { unfold c. cbn [Qmult Qnum E near]. apply Z.mul_nonneg_nonneg; lia. }
    assert (Dq : (0 <= Qnum (E * / far))%Z).
    { assert (0 <= Q2R (E * / far)) by (rewrite Inv; apply Rle_mult_inv_pos; assumption).
      apply Z.nlt_ge. intros K. apply IZR_lt in K. unfold Q2R in H0.
      assert (0 < / IZR (Zpos (Qden (E * / far)))) by (apply Rinv_0_lt_compat, (IZR_lt 0); lia). nra. }
    assert (E2 : Q2R E <= ratio l) by (rewrite EV0; exact RB).
    assert (Cl : Q2R c <= ratio l * p) by (rewrite C, Near; apply Rmult_le_compat; lra).
    assert (Dl : Q2R (E * / far) <= ratio l / p).
    { rewrite Inv, Far. unfold Rdiv at 1 3. apply Rmult_le_compat; [exact Ex | | exact E2 |].
      - left. apply Rinv_0_lt_compat. lra.
      - apply Rinv_le_contravar; lra. }
    assert (A := divergence_above v Y u EV c (ratio l * p) f true F Cq Cl).
    assert (B := divergence_above v Y u EV _ (ratio l / p) g false G Dq Dl). cbv iota in A, B.
    symmetry in H. apply andb_true_iff in H. destruct H as [H1 H2]. apply Qle_bool_spec in H1, H2.
    rewrite Most in H1, H2. rewrite Back in H2. rewrite Near in H1, H2. rewrite Far in H2.
    assert (LY : law Y) by (apply convolved_law; [exact LW | apply smaller_law, P]).
    assert (Hidden : hidden_counts p W (ratio l) (Q2R delta)).
    { split.
      - revert A. apply mass_below_weaken; [intros t; apply (law_after 1 Y LY) | lra |]. nra.
      - revert B. apply mass_below_weaken; [intros t; apply LY | lra |].
        apply Rmult_le_reg_l with p; [lra |].
        replace (p * (((1 + p) * Q2R delta - Rmax 0 (1 - ratio l * p)) / p)) with ((1 + p) * Q2R delta - Rmax 0 (1 - ratio l * p))
          by (field; lra).
        assert (Rmax 0 (1 - ratio l * p) <= Rmax 0 (1 - Q2R c)) by (apply Rle_max_compat_l; lra). nra. }
    cbn [holds]. intros n D D' L1 L2 S1 S2. destruct n as [| n].
    { intros xs ys Nb Len. exfalso. destruct xs; [| discriminate Len]. inversion Nb as [before a a' after' Z1 Z2].
      destruct before; discriminate Z1. }
    apply (correlated_exactly (S n) p (ratio l) (Q2R delta) D D'); try assumption; [lia |].
    revert Hidden. apply hidden_counts_ext. intros t. symmetry. apply S2.
  - destruct (ratio_above_sound _ _ _ _ R) as [Y0 RA]. apply lt_IZR in Y0.
    assert (EV0 : Q2R E = IZR x / IZR y) by (apply quotient_value, Y0).
    assert (E2 : ratio l <= Q2R E) by (rewrite EV0; exact RA).
    cbn [holds]. intros Holds.
    assert (LG : law (negative_binomial 1 p)) by (apply negative_binomial_exists; lra).
    specialize (Holds 1%nat _ _ LG LW (one_share _) (one_share _)).
    apply (correlated_exactly 1 p (ratio l) (Q2R delta) _ _) in Holds; try assumption; [| lia | exact (one_share _)].
    apply (hidden_counts_ext p _ W) in Holds; [| apply one_share]. destruct Holds as [A B].
    assert (Cl : 0 <= ratio l * p <= Q2R c).
    { split; [apply Rmult_le_pos; lra |]. rewrite C, Near. apply Rmult_le_compat; lra. }
    assert (Dl : 0 <= ratio l / p <= Q2R (E * / far)).
    { split; [apply Rle_mult_inv_pos; lra |]. rewrite Inv, Far. unfold Rdiv at 1 2. apply Rmult_le_compat; [lra | | exact E2 |].
      - left. apply Rinv_0_lt_compat. lra.
      - apply Rinv_le_contravar; lra. }
    assert (Af := divergence_below v Y u EV c (ratio l * p) f true _ F Cl A).
    assert (Bg := divergence_below v Y u EV _ (ratio l / p) g false _ G Dl B).
    apply (Rmult_le_compat_l p) in Bg; [| lra].
    replace (p * (((1 + p) * Q2R delta - Rmax 0 (1 - ratio l * p)) / p)) with ((1 + p) * Q2R delta - Rmax 0 (1 - ratio l * p))
      in Bg by (field; lra).
    assert (Small : (1 + p) * Q2R delta <= (1 + Q2R near) * Q2R delta).
    { rewrite Near. apply Rmult_le_compat_r; lra. }
    assert (Less : Rmax 0 (1 - Q2R c) <= Rmax 0 (1 - ratio l * p)) by (apply Rle_max_compat_l; lra).
    assert (Fg : Q2R far * Q2R g <= p * Q2R g) by (rewrite Far; apply Rmult_le_compat_r; lra).
    assert (X1 : Qle_bool f (delta * (1 + near)) = true) by (apply Qle_bool_spec; rewrite Most; lra).
    assert (X2 : Qle_bool ((if Qle_bool c 1 then 1 - c else 0) + far * g) (delta * (1 + near)) = true)
      by (apply Qle_bool_spec; rewrite Most, Back; lra).
    rewrite X1, X2 in H. discriminate H.
Qed.
