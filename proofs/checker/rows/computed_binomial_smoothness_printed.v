(** The rows of proofs/binomial_smoothness_printed.py that are claims of the proved checker, computed by the kernel.

    Lemma 3's delta of Bin(n, gamma) is e^-(alpha^2 gamma n / 8) + e^-(alpha^2 gamma n / (8 + 2 alpha)). What is
    computed of it is d / 2^64 <= delta <= (d + 1) / 2^64, as a sum of exponentials over a dummy variable, and that the
    law is smooth at that level or is not, by summing over every outcome. Source: Ghazi, Golowich, Kumar, Pagh
    and Velingker 2021, section 4; the instances: this package. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums smooth binomial multivariate handelman box_inequality.
From ExactdpChecker Require Import claims witnesses.
From ExactdpComputed Require Import by_computation.
Import ListNotations.
Open Scope Q_scope.

(** ** The claims *)

(** In units of 2^-64. *)
Definition units (d : Z) : Q := Qred (d # 2 ^ 64).

Section claims.

Variables (n : nat) (gamma alpha : Q).

Definition moment : Q := alpha * alpha * gamma * inject_Z (Z.of_nat n).
Definition first_exponent : Q := Qred (- (moment / 8)).
Definition second_exponent : Q := Qred (- (moment / (8 + 2 * alpha))).
Definition order : Q := Qred ((1 + alpha) / (1 - alpha)).

(** sign e^first + sign e^second - sign d >= 0, for all x in [0, 1]. *)
Definition beside (sign d : Z) : claim :=
  let scaled q := Qred (inject_Z sign * q) in
  BoxInequality [[120%Z]] [{| from := 0; from_closed := true; to := 1; to_closed := true |}]
    [([(scaled 1, [0%nat])], [(first_exponent, [0%nat])]); ([(scaled 1, [0%nat])], [(second_exponent, [0%nat])]);
     ([(scaled (- units d), [0%nat])], [])] false.

Definition smooth_claim (d k : Z) : claim :=
  Smooth (Binomial (Z.of_nat n) (Rational gamma)) k (ExpEps order) (units d).

(** Any x = k is above alpha gamma n / 2. *)
Definition above_reach (k : Z) : claim :=
  let x := (1, [1%nat]) in
  Inequality [[107%Z]] [([(inject_Z (- k), [0%nat]); x], false); ([(inject_Z k, [0%nat]); (-(1), [1%nat])], false)]
    ([(Qred (- (alpha * gamma * inject_Z (Z.of_nat n) / 2)), [0%nat]); x], true).

(** Bits for a window: those of e^(eps k), and 64. *)
Definition bits_for (k : Z) : Z := 64 + k * (1 + Z.log2 (Qnum order / Zpos (Qden order))).

End claims.

Definition leaf : witness := BoxTree (Leaf [false] 4 136).

Definition with_leaf (c : claim) : claim * witness := (c, leaf).

(** ** In the words of the rows *)

Open Scope R_scope.

Definition lemma3_delta (n : nat) (gamma alpha : R) : R :=
  exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha))).

Lemma reduced q : Q2R (Qred q) = Q2R q.
Proof. apply Qeq_eqR, Qred_correct. Qed.

Lemma whole z : Q2R (inject_Z z) = IZR z.
Proof. unfold Q2R, inject_Z. simpl. lra. Qed.

Lemma units_value d : Q2R (units d) = IZR d / 2 ^ 64.
Proof. unfold units. rewrite reduced. unfold Q2R. cbn [Qnum Qden]. rewrite (pow_IZR 2 64). reflexivity. Qed.

Lemma smooth_more D eps delta delta' k : delta <= delta' -> smooth D eps delta k -> smooth D eps delta' k.
Proof. intros L H j J K l N F. eapply Rle_trans; [apply (H j J K l N F) | exact L]. Qed.

Section words.

Variables (n : nat) (gamma alpha : Q).

Let g := Q2R gamma.
Let a := Q2R alpha.

Hypothesis range : 0 < a < 1.

Lemma moment_value : Q2R (moment n gamma alpha) = a ^ 2 * g * INR n.
Proof. unfold moment. rewrite !Q2R_mult, whole, <- INR_IZR_INZ. fold a g. ring. Qed.

Lemma not_0 q r : Q2R q = r -> r <> 0 -> ~ (q == 0)%Q.
Proof. intros <- H E. apply H. rewrite (Qeq_eqR _ _ E). apply RMicromega.Q2R_0. Qed.

Lemma plain : Q2R 1 = 1 /\ Q2R 2 = 2 /\ Q2R 8 = 8.
Proof. unfold Q2R. simpl. repeat split; lra. Qed.

Lemma first_value : Q2R (first_exponent n gamma alpha) = - (a ^ 2 * g * INR n / 8).
Proof.
  unfold first_exponent. rewrite reduced, Q2R_opp, Q2R_div, moment_value by discriminate.
  destruct plain as [_ [_ ->]]. reflexivity.
Qed.

Lemma divisor_value : Q2R (8 + 2 * alpha)%Q = 8 + 2 * a.
Proof. rewrite Q2R_plus, Q2R_mult. destruct plain as [_ [-> ->]]. reflexivity. Qed.

Lemma second_value : Q2R (second_exponent n gamma alpha) = - (a ^ 2 * g * INR n / (8 + 2 * a)).
Proof.
  unfold second_exponent. rewrite reduced, Q2R_opp, Q2R_div, moment_value, divisor_value; [reflexivity |].
  apply (not_0 _ _ divisor_value). lra.
Qed.

Lemma order_value : Q2R (order alpha) = (1 + a) / (1 - a).
Proof.
  assert (M : Q2R (1 - alpha)%Q = 1 - a) by (rewrite Q2R_minus; destruct plain as [-> _]; reflexivity).
  unfold order. rewrite reduced, Q2R_div, M, Q2R_plus by (apply (not_0 _ _ M); lra).
  destruct plain as [-> _]. reflexivity.
Qed.

Lemma beside_value sign d : holds (beside n gamma alpha sign d) ->
  0 <= IZR sign * (lemma3_delta n g a - IZR d / 2 ^ 64).
Proof.
  intros H. cbn [holds beside] in H. specialize (H [0]).
  assert (S : forall q, Q2R (Qred (inject_Z sign * q)) = IZR sign * Q2R q).
  { intros q. rewrite reduced, Q2R_mult, whole. reflexivity. }
  assert (B : in_box (map real_interval [{| from := 0; from_closed := true; to := 1; to_closed := true |}]) [0]).
  { constructor; [| constructor]. unfold in_interval. simpl. unfold Q2R. simpl. repeat split; lra. }
  specialize (H B). unfold value_of_terms, eval in H. cbn [map total real_poly fst snd monomial pow] in H.
  rewrite !S, Q2R_opp, first_value, second_value, units_value in H. destruct plain as [P _]. rewrite P in H.
  rewrite ?Rmult_1_r, ?Rplus_0_r, exp_0 in H. unfold lemma3_delta. lra.
Qed.

Lemma enclosed_value d : holds (beside n gamma alpha 1 d) -> holds (beside n gamma alpha (-1) (d + 1)) ->
  IZR d / 2 ^ 64 <= lemma3_delta n g a <= (IZR d + 1) / 2 ^ 64.
Proof.
  intros L H. apply beside_value in L. apply beside_value in H. rewrite plus_IZR in H. lra.
Qed.

Lemma smooth_value d k : holds (smooth_claim n gamma alpha d k) =
  smooth (binomial n g) (ln ((1 + a) / (1 - a))) (IZR d / 2 ^ 64) k.
Proof.
  unfold smooth_claim. cbn [holds noise_mass ratio]. rewrite Nat2Z.id, order_value, units_value. reflexivity.
Qed.

Lemma above_reach_value k : holds (above_reach n gamma alpha k) -> a * g * INR n / 2 < IZR k.
Proof.
  intros H. cbn [holds above_reach] in H. specialize (H [IZR k] eq_refl).
  unfold satisfied, real_condition in H. cbn [polynomial strict fst snd] in H.
  unfold eval in H. cbn [map total real_poly fst snd monomial pow] in H.
  rewrite reduced, Q2R_opp, Q2R_div, !Q2R_mult, whole, <- INR_IZR_INZ in H by discriminate. fold a g in H.
  destruct plain as [P1 [P2 _]]. rewrite P1, P2 in H.
  assert (X : 0 < - (a * g * INR n / 2) * (1 * 1) + (1 * (IZR k * 1 * 1) + 0)); [| lra]. apply H.
  intros c [<- | [<- | []]]; cbn [polynomial strict fst snd map total real_poly monomial pow];
    rewrite ?Q2R_opp, whole, ?P1, ?opp_IZR; lra.
Qed.

End words.

(** 0 < alpha < 1. *)
Definition in_range (alpha : Q) : bool := negb (Qle_bool alpha 0) && negb (Qle_bool 1 alpha).

Lemma in_range_value alpha : in_range alpha = true -> 0 < Q2R alpha < 1.
Proof.
  unfold in_range. rewrite andb_true_iff, !negb_true_iff. intros [A B]. destruct plain as [P _].
  rewrite <- P, <- RMicromega.Q2R_0. split; apply Qlt_Rlt, Qnot_le_lt; rewrite <- Qle_bool_iff; congruence.
Qed.

(** ** Instances of Lemma 3 *)

Definition instance : Type := nat * Q * Q * Z * list Z.

Definition enclosure_of_delta (i : instance) : list claim :=
  let '(n, gamma, alpha, d, _) := i in [beside n gamma alpha 1 d; beside n gamma alpha (-1) (d + 1)].

Definition smooth_instances (i : instance) : list claim :=
  let '(n, gamma, alpha, d, reaches) := i in map (smooth_claim n gamma alpha d) reaches.

Definition with_bits (i : instance) : list (claim * witness) :=
  let '(n, gamma, alpha, d, reaches) := i in
  map (fun k => (smooth_claim n gamma alpha d k, Simple (Bits (bits_for alpha k)))) reaches.

Definition is_lemma3 (i : instance) : Prop :=
  let '(n, gamma, alpha, d, reaches) := i in
  IZR d / 2 ^ 64 <= lemma3_delta n (Q2R gamma) (Q2R alpha) <= (IZR d + 1) / 2 ^ 64 /\
  each (fun k => smooth (binomial n (Q2R gamma)) (ln ((1 + Q2R alpha) / (1 - Q2R alpha))) (IZR d / 2 ^ 64) k) reaches.

Definition instances_in_range (l : list instance) : bool := forallb (fun '(_, _, alpha, _, _) => in_range alpha) l.

Lemma each_app {A} (P : A -> Prop) (l m : list A) : each P (l ++ m) -> each P l /\ each P m.
Proof. induction l as [| a l IH]; simpl; [auto |]. intros [H T]. destruct (IH T). auto. Qed.

Lemma are_lemma3 (l : list instance) : instances_in_range l = true ->
  each holds (flat_map enclosure_of_delta l) -> each holds (flat_map smooth_instances l) -> each is_lemma3 l.
Proof.
  induction l as [| [[[[n gamma] alpha] d] reaches] l IH]; [trivial |]. simpl. intros R [L [H E]] S.
  apply andb_true_iff in R. destruct R as [R Rs]. apply in_range_value in R. apply each_app in S. destruct S as [S Ss].
  split; [| apply IH; assumption]. split; [apply enclosed_value; assumption |].
  clear -R S. induction reaches as [| k ks IH]; [exact I |]. destruct S as [S Ss].
  split; [rewrite <- smooth_value; assumption | apply IH, Ss].
Qed.

Lemma lemma3_of_claim (l : list instance) : instances_in_range l = true ->
  holds (Conjunction (flat_map enclosure_of_delta l ++ flat_map smooth_instances l) []) -> each is_lemma3 l.
Proof.
  intros R H. destruct (each_app holds (flat_map enclosure_of_delta l) (flat_map smooth_instances l) H) as [B S].
  exact (are_lemma3 l R B S).
Qed.

Definition row_lemma3_instances : Prop :=
  let delta n gamma alpha :=
    exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha))) in
  each (fun '(n, gamma, alpha, d, reaches) =>
    IZR d / 2 ^ 64 <= delta n (Q2R gamma) (Q2R alpha) <= (IZR d + 1) / 2 ^ 64 /\
    each (fun k =>
      smooth (binomial n (Q2R gamma)) (ln ((1 + Q2R alpha) / (1 - Q2R alpha))) (IZR d / 2 ^ 64) k) reaches)
    [(20%nat, 1 # 2, 9 # 10, 14773523377532026117%Z, [1; 4]%Z);
     (100%nat, 1 # 8, 9 # 10, 11767959979939947157%Z, [1; 5]%Z);
     (100%nat, 1 # 3, 1 # 2, 13817174153484346493%Z, [1; 8]%Z);
     (100%nat, 1 # 3, 9 # 10, 1804472451314898611%Z, [1; 15]%Z);
     (100%nat, 1 # 2, 1 # 2, 8466383993240527706%Z, [1; 12]%Z);
     (100%nat, 1 # 2, 9 # 10, 412653331770005198%Z, [1; 22]%Z);
     (400%nat, 1 # 8, 1 # 2, 8466383993240527706%Z, [1; 12]%Z);
     (400%nat, 1 # 8, 9 # 10, 412653331770005198%Z, [1; 22]%Z);
     (400%nat, 1 # 3, 1 # 3, 6233529127570328290%Z, [1; 22]%Z);
     (400%nat, 1 # 3, 1 # 2, 740378166244392039%Z, [1; 33]%Z);
     (400%nat, 1 # 3, 9 # 10, 327157864498842%Z, [1; 60]%Z);
     (400%nat, 1 # 2, 1 # 3, 2567136831386903475%Z, [1; 33]%Z);
     (400%nat, 1 # 2, 1 # 2, 106924232819280987%Z, [1; 50]%Z);
     (400%nat, 1 # 2, 9 # 10, 1250752875184%Z, [1; 90]%Z)]%Q.

Definition claimed_lemma3_instances : claim := ltac:(
  let row := eval cbv beta zeta delta [row_lemma3_instances] in row_lemma3_instances in
  match row with each _ ?l =>
    exact (Conjunction (flat_map enclosure_of_delta l ++ flat_map smooth_instances l) []) end).

Lemma claimed_lemma3_instances_holds : holds claimed_lemma3_instances.
Proof.
  unfold claimed_lemma3_instances. match goal with |- holds (Conjunction (flat_map _ ?l ++ _) _) =>
    apply (each_by (map with_leaf (flat_map enclosure_of_delta l) ++ flat_map with_bits l)) end.
  vm_cast_no_check (eq_refl true).
Qed.

Theorem row_lemma3_instances_holds : row_lemma3_instances.
Proof.
  unfold row_lemma3_instances. match goal with |- each _ ?l =>
    exact (lemma3_of_claim l eq_refl claimed_lemma3_instances_holds) end.
Qed.

(** ** How far it reaches *)

Definition furthest : Type := nat * Q * Q * Z.

Definition furthest_claims (i : furthest) (d : Z) : list claim :=
  let '(n, gamma, alpha, k) := i in
  [above_reach n gamma alpha k; beside n gamma alpha 1 d; beside n gamma alpha (-1) (d + 1);
   smooth_claim n gamma alpha d k; Not (smooth_claim n gamma alpha (d + 1) (k + 1))].

(** The first outcome of each order in which the law is moved. *)
Definition furthest_witnesses (i : furthest) (terms : list (Q * list nat)) (moved : Z) : list witness :=
  let '(n, gamma, alpha, k) := i in
  let bits := bits_for alpha (k + 1) in
  [HandelmanTerms terms; leaf; leaf; Simple (Bits bits); By moved (Bits bits)].

Definition reaches_furthest (i : furthest) : Prop :=
  let '(n, gamma, alpha, k) := i in
  let smooth_to k :=
    smooth (binomial n (Q2R gamma)) (ln ((1 + Q2R alpha) / (1 - Q2R alpha)))
      (lemma3_delta n (Q2R gamma) (Q2R alpha)) k in
  Q2R alpha * Q2R gamma * INR n / 2 < IZR k /\ smooth_to k /\ ~ smooth_to (k + 1)%Z.

Lemma furthest_reached i d :
  (let '(_, _, alpha, _) := i in in_range alpha = true) -> each holds (furthest_claims i d) -> reaches_furthest i.
Proof.
  destruct i as [[[n gamma] alpha] k]. intros R [A [L [H [S [N _]]]]]. apply in_range_value in R.
  destruct (enclosed_value n gamma alpha R d L H) as [B C]. split; [apply above_reach_value, A |].
  rewrite smooth_value in S by exact R. split; [apply (smooth_more _ _ _ _ _ B S) |]. intros T. apply N.
  rewrite smooth_value, plus_IZR by exact R. apply (smooth_more _ _ _ _ _ C T).
Qed.

Definition row_lemma3_furthest_reach : Prop :=
  let delta n gamma alpha :=
    exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha))) in
  each (fun '(n, gamma, alpha, k) =>
    let smooth_to k :=
      smooth (binomial n (Q2R gamma)) (ln ((1 + Q2R alpha) / (1 - Q2R alpha))) (delta n (Q2R gamma) (Q2R alpha)) k in
    Q2R alpha * Q2R gamma * INR n / 2 < IZR k /\ smooth_to k /\ ~ smooth_to (k + 1)%Z)
    [(100%nat, 1 # 2, 1 # 2, 43%Z); (400%nat, 1 # 2, 1 # 2, 139%Z); (400%nat, 1 # 8, 9 # 10, 37%Z)]%Q.

(** The d of each. *)
Definition furthest_deltas : list Z := [8466383993240527706; 106924232819280987; 412653331770005198]%Z.

Definition claimed_lemma3_furthest_reach : claim := ltac:(
  let row := eval cbv beta zeta delta [row_lemma3_furthest_reach] in row_lemma3_furthest_reach in
  match row with each _ ?l =>
    exact (Conjunction (flat_map (fun id => furthest_claims (fst id) (snd id)) (combine l furthest_deltas)) []) end).

Lemma claimed_lemma3_furthest_reach_holds : holds claimed_lemma3_furthest_reach.
Proof.
  unfold claimed_lemma3_furthest_reach.
  match goal with |- holds (Conjunction (flat_map _ (combine [?i; ?j; ?k] _)) _) =>
    apply (each_by (combine (flat_map (fun id => furthest_claims (fst id) (snd id)) (combine [i; j; k] furthest_deltas))
      (furthest_witnesses i [(61 # 2, [0; 0]%nat); (1989 # 4, [1; 0]%nat); (1985 # 4, [0; 1]%nat)]%Q 44 ++
       furthest_witnesses j [(89 # 1, [0; 0]%nat); (468 # 1, [1; 0]%nat); (467 # 1, [0; 1]%nat)]%Q 140 ++
       furthest_witnesses k [(29 # 2, [0; 0]%nat); (2021 # 4, [1; 0]%nat); (2017 # 4, [0; 1]%nat)]%Q (-38)))) end.
  vm_cast_no_check (eq_refl true).
Qed.

Theorem row_lemma3_furthest_reach_holds : row_lemma3_furthest_reach.
Proof.
  assert (H := claimed_lemma3_furthest_reach_holds).
  destruct (each_app holds (furthest_claims _ _) _ H) as [A BC].
  destruct (each_app holds (furthest_claims _ _) _ BC) as [B C].
  destruct (each_app holds (furthest_claims _ _) _ C) as [C' _].
  split; [| split; [| split; [| exact I]]].
  - exact (furthest_reached (100%nat, 1 # 2, 1 # 2, 43%Z)%Q _ eq_refl A).
  - exact (furthest_reached (400%nat, 1 # 2, 1 # 2, 139%Z)%Q _ eq_refl B).
  - exact (furthest_reached (400%nat, 1 # 8, 9 # 10, 37%Z)%Q _ eq_refl C').
Qed.
