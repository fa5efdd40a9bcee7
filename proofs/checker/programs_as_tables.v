(** Programs of the development whose laws are tables of functions of their parameters.

    Each [_same] lemma says that a protocol is private as its table is, at the same n, eps and delta: zsum, one of k
    symbols that is sent with a likely and a rare probability (k-ary response with e^eps0 = p, or with a uniform symbol
    in some cases), R^gap with other weights, the complement of a flipped bit. By [table_renamed]; for all parameters.
    [weighted_gap_uniform]: with q = 3/8 and s = 1/5 these weights are those of gap_local.v. Only rows/ needs them. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia PeanoNat Permutation.
From Exactdp Require Import sums laws privacy single_message adding_a_user bits variation_ratio zsum gap_local.
From Exactdp Require Import complement.
From ExactdpChecker Require Import claims least_of_functions.
Import ListNotations.
Open Scope Q_scope.

(** ** Tables *)

Definition one_less : rational_function := of_powers [1; -1 # 1].
Definition parameter : rational_function := of_powers [0; 1].

Definition zsum_table : functional_table :=
  {| function_messages := 1; function_rows :=
    [[(parameter, []); (one_less, [0])]; [(parameter, [0]); (one_less, [0; 0])]] |}%nat.

(** Inputs and messages 0, ..., k - 1, one of which is sent. *)
Definition symbols_table (k : nat) (likely rare : rational_function) : functional_table :=
  {| function_messages := k; function_rows := map (fun x =>
    map (fun y => (if Nat.eqb y x then likely else rare, [y])) (seq 0 k)) (seq 0 k) |}.

Definition gap_table (a b c d two : rational_function) : functional_table :=
  {| function_messages := 2; function_rows := [
    [(a, [0; 0; 0; 0]); (b, [0; 0; 0; 1]); (b, [0; 1; 1; 1]); (a, [1; 1; 1; 1]); (two, [0; 0; 1; 1])];
    [(c, [0; 0; 0; 0]); (d, [0; 0; 0; 1]); (d, [0; 1; 1; 1]); (c, [1; 1; 1; 1])]] |}%nat.

(** Of the parameters q and s, and of others on which nothing depends. *)
Definition of_q_s (others : list nat) (terms : list (Q * (nat * nat))) : rational_function :=
  Polynomial (map (fun term => (fst term, fst (snd term) :: snd (snd term) :: others)) terms).

Definition gap_of_q_s (others : list nat) : functional_table :=
  let f := of_q_s others in
  gap_table (f [(1 # 2, (0, 1)%nat); (-1 # 2, (1, 1)%nat)])
    (f [(1 # 2, (0, 0)%nat); (-1 # 2, (0, 1)%nat); (-1 # 2, (1, 0)%nat); (1 # 2, (1, 1)%nat)])
    (f [(1 # 2, (0, 1)%nat)]) (f [(1 # 2, (0, 0)%nat); (-1 # 2, (0, 1)%nat)]) (f [(1, (1, 0)%nat)]).

Definition gap_of_q : functional_table :=
  gap_table (of_powers [1 # 10; -1 # 10]) (of_powers [2 # 5; -2 # 5]) (Constant (1 # 10)) (Constant (2 # 5)) parameter.

Definition ratio_table (k : nat) : functional_table :=
  let others := [inject_Z (Z.of_nat (k - 1)); 1] in symbols_table k (over others [0; 1]) (over others [1]).

(** In the parameters E = e^eps and v = p - E. *)
Definition E_plus_v_plus (c : Q) : rational_poly := [(c, [0; 0]%nat); (1, [0; 1]%nat); (1, [1; 0]%nat)].

Definition beyond_table (k : nat) : functional_table :=
  let others := E_plus_v_plus (inject_Z (Z.of_nat (k - 1))) in
  symbols_table k (Quotient (tl (E_plus_v_plus 0)) others) (Quotient [(1, [0; 0]%nat)] others).

Definition whatever_is_held (row : list (rational_function * list nat)) : claim :=
  ForAll [[112]%Z] (closed_box [(0, 1)]) (PointShuffle {| function_messages := 2; function_rows := [row; row] |} 1
    AllFromIt ReplaceOne (Constant 1) [Constant 0] LeastNothing).

(** ** Programs, and that the tables are their laws *)

Open Scope R_scope.

Lemma bits_back (b : bool) : Nat.ltb 0 (Nat.b2n b) = b.
Proof. destruct b; reflexivity. Qed.

Lemma bits_place {M} (R : bool -> dist (list M)) b : (Nat.b2n b < 2)%nat /\ same_law (R (Nat.ltb 0 (Nat.b2n b))) (R b).
Proof. rewrite bits_back. split; [destruct b; simpl; lia | intros F; reflexivity]. Qed.

Lemma zsum_same gamma n eps delta :
  shuffle_dp n (table_at zsum_table [gamma]) eps delta <-> shuffle_dp n (zsum_randomizer gamma) eps delta.
Proof.
  apply (table_renamed zsum_table [gamma] _ (Nat.ltb 0) Nat.b2n (fun _ => 0%nat) (fun _ => tt)).
  - intros []. reflexivity.
  - apply bits_place.
  - intros [| [| i]] F H _; [| | simpl in H; lia]; unfold zsum_randomizer, table_at, entry, mean at 1;
      rewrite mean_dmap, mean_coin; cbn -[Rplus Rmult function_at of_powers]; unfold parameter, one_less; values; field.
Qed.

Lemma symbols_same k likely rare x (send : nat -> dist nat) : (0 < k)%nat ->
  (forall i, send (i mod k)%nat = send i) ->
  (forall i F, (i < k)%nat -> mean (send i) F =
    total (seq 0 k) (fun y => function_at x (if Nat.eqb y i then likely else rare) * F y)) ->
  forall n eps delta,
  shuffle_dp n (table_at (symbols_table k likely rare) x) eps delta <-> shuffle_dp n (one_message send) eps delta.
Proof.
  intros K Mod Law. assert (Rows : length (function_rows (symbols_table k likely rare)) = k)
    by (simpl; rewrite map_length, seq_length; reflexivity).
  apply (table_renamed _ x (one_message send) (fun i => i) (fun y => y mod k)%nat (fun m => m) (fun m => m)).
  - reflexivity.
  - rewrite Rows. intros y. split; [apply Nat.mod_upper_bound; lia |]. intros F. unfold one_message. rewrite Mod.
    reflexivity.
  - rewrite Rows. intros i F I _. unfold one_message. rewrite mean_dmap, Law by exact I.
    unfold table_at, symbols_table, entry. cbn [function_rows].
    rewrite (nth_indep _ _ ((fun x => map (fun y => (if Nat.eqb y x then likely else rare, [y])) (seq 0 k)) 0%nat))
      by (rewrite map_length, seq_length; exact I).
    rewrite (map_nth (fun x => map (fun y => (if Nat.eqb y x then likely else rare, [y])) (seq 0 k))), seq_nth
      by exact I.
    unfold mean. rewrite map_map, total_map. apply total_ext. intros y _. reflexivity.
Qed.

Lemma k_ary_same k p (likely rare : rational_function) x : (0 < k)%nat ->
  function_at x likely = p / (p + INR k - 1) -> function_at x rare = 1 / (p + INR k - 1) ->
  forall n eps delta,
  shuffle_dp n (table_at (symbols_table k likely rare) x) eps delta <->
  shuffle_dp n (one_message (k_ary k p)) eps delta.
Proof.
  intros K L S. apply symbols_same; [exact K | |].
  - intros i. unfold k_ary. rewrite Nat.mod_mod by lia. reflexivity.
  - intros i F I. unfold k_ary, mean. rewrite total_map, Nat.mod_small by exact I. apply total_ext. intros y _.
    cbn [fst snd]. destruct (Nat.eqb y i); rewrite ?L, ?S; reflexivity.
Qed.

(** A uniform symbol with probability gamma, else the one that is held. *)
Definition sometimes_uniform (k : nat) (gamma : R) (x : nat) : dist nat :=
  bind (coin gamma) (fun toss : bool => if toss then uniform (seq 0 k) else ret (x mod k)%nat).

Lemma uniform_same k gamma likely rare x : (0 < k)%nat ->
  function_at x likely = 1 - gamma + gamma / INR k -> function_at x rare = gamma / INR k ->
  forall n eps delta,
  shuffle_dp n (table_at (symbols_table k likely rare) x) eps delta <->
  shuffle_dp n (one_message (sometimes_uniform k gamma)) eps delta.
Proof.
  intros K L S. apply symbols_same; [exact K | |].
  - intros i. unfold sometimes_uniform. rewrite Nat.mod_mod by lia. reflexivity.
  - intros i F I. unfold sometimes_uniform. rewrite mean_bind, mean_coin, mean_uniform, mean_ret, seq_length.
    rewrite Nat.mod_small by exact I.
    rewrite (total_ext _ (fun y => function_at x _ * _) (fun y => gamma / INR k * F y +
      (if Nat.eq_dec i y then (1 - gamma) * F i else 0))).
    + rewrite total_plus, total_scal, total_single; [unfold Rdiv; ring | apply seq_NoDup | apply in_seq; lia].
    + intros y _. destruct (Nat.eqb_spec y i) as [-> | N], (Nat.eq_dec i _); try congruence; rewrite ?L, ?S; ring.
Qed.

(** R^gap with other weights: the input 1 (true) sends 0 or 4 ones with probability s/2 each, and 1 or 3 ones with
    (1 - s)/2 each; the input 0 two ones with probability q, and else what 1 sends. The ones come first. *)
Definition weighted_gap (q s : R) (x : bool) : dist (list bool) :=
  let others := bind (coin s) (fun ends : bool => dmap (fun more : bool =>
    sorted_bits 4 (if ends then if more then 4 else 0 else if more then 3 else 1)%nat) (coin (1 / 2))) in
  if x then others else bind (coin q) (fun two : bool => if two then ret (sorted_bits 4 2) else others).

Lemma gap_same a b c d two x q s :
  function_at x c = s / 2 -> function_at x d = (1 - s) / 2 -> function_at x two = q ->
  function_at x a = (1 - q) * (s / 2) -> function_at x b = (1 - q) * ((1 - s) / 2) ->
  forall n eps delta,
  shuffle_dp n (table_at (gap_table a b c d two) x) eps delta <-> shuffle_dp n (weighted_gap q s) eps delta.
Proof.
  intros HC HD HT HA HB. apply (table_renamed _ x _ (Nat.ltb 0) Nat.b2n Nat.b2n (Nat.ltb 0)).
  - apply bits_back.
  - apply bits_place.
  - assert (Rev : forall (F : list nat -> R) u, orderless F -> F u = F (rev u)) by (intros F u O;
      apply O, Permutation_rev).
    intros [| [| i]] F I O; [| | simpl in I; lia]; unfold weighted_gap; cbn [Nat.ltb Nat.leb]; cbv zeta;
      rewrite ?mean_bind, ?mean_coin, ?mean_ret, ?mean_bind, ?mean_coin, !mean_dmap, !mean_coin;
      unfold table_at, gap_table, entry, mean; cbn -[Rplus Rmult Rdiv Rminus function_at of_powers];
      rewrite ?HA, ?HB, ?HC, ?HD, ?HT, (Rev F [1; 0; 0; 0]%nat O), (Rev F [1; 1; 1; 0]%nat O),
        ?(Rev F [1; 1; 0; 0]%nat O); cbn [rev app]; field.
Qed.

(** Uniform weights. *)
Lemma weighted_gap_uniform n eps delta :
  shuffle_dp n (weighted_gap (3 / 8) (1 / 5)) eps delta <-> shuffle_dp n gap_randomizer eps delta.
Proof.
  assert (Same : forall x (F : list bool -> R), orderless F ->
    mean (weighted_gap (3 / 8) (1 / 5) x) F = mean (gap_randomizer x) F).
  { intros x F O. assert (Sorted : forall u, F u = F (sorted_bits (length u) (bits.ones u)))
      by (intros u; apply O, permutation_sorted_bits).
    destruct x; [rewrite gap_mean_1 | rewrite gap_mean_0]; unfold weighted_gap; cbv zeta;
      rewrite ?mean_bind, ?mean_coin, ?mean_ret, ?mean_bind, ?mean_coin, !mean_dmap, !mean_coin;
      unfold unbalanced; cbn -[Rplus Rmult Rdiv Rminus];
      rewrite ?(Sorted [_; _; _; _]); cbn -[Rplus Rmult Rdiv Rminus]; field. }
  split; apply (dp_of_views n _ _ (fun x => x) (fun m => m)); intros x F O;
    (rewrite (mean_ext _ (fun u => F (map _ u)) F) by (intros; rewrite map_id; reflexivity)); [symmetry |];
    apply Same, O.
Qed.

(** The two messages of a flipped bit, and two bits each of which is flipped by itself. *)
Definition flipped_pair (p : R) (x : bool) : dist (list bool) :=
  bind (coin p) (fun flip : bool => complement_randomizer (xorb flip x)).

Definition each_flipped (p : R) (x : bool) : dist (list bool) :=
  bind (coin p) (fun first : bool => dmap (fun second : bool => [xorb first x; xorb second (negb x)]) (coin p)).

(** A table of which all rows are equal. *)
Lemma whatever_private {X M} p row (R : X -> dist (list M)) (input : nat -> X) (place : X -> nat) (number : M -> nat)
    (message : nat -> M) n :
  holds (whatever_is_held row) -> 0 <= p <= 1 -> (1 <= n)%nat -> (forall m, message (number m) = m) ->
  (forall y, (place y < 2)%nat /\ same_law (R (input (place y))) (R y)) ->
  (forall i F, orderless F ->
    total row (fun o => function_at [p] (fst o) * F (snd o)) = mean (R (input i)) (fun u => F (map number u))) ->
  shuffle_dp n R 0 0.
Proof.
  intros H P N Back Place Law. destruct (H [p]) as [_ [_ [D _]]].
  - apply in_ends_box. inside_ends.
  - specialize (D n N). unfold private in D. replace (ln _) with 0 in D by (simpl; unfold Q2R; simpl; rewrite Rinv_1,
      Rmult_1_r, ln_1; reflexivity).
    replace (largest_at _ _) with 0 in D by (simpl; unfold Q2R; simpl; lra).
    refine (proj1 (table_renamed {| function_messages := 2; function_rows := [row; row] |} _ R input place number
      message Back Place _ n 0 0) D).
    intros [| [| i]] F I O; [| | simpl in I; lia]; rewrite <- Law by exact O; unfold table_at, mean; cbn [function_rows
      entry nth]; rewrite total_map; reflexivity.
Qed.

(** One user who sends one message is as private as the randomizer. *)
Lemma one_user_alone {X A} (R : X -> dist A) eps delta : (forall x, proper (R x)) ->
  (local_dp R eps delta <-> shuffle_dp 1 (one_message R) eps delta).
Proof.
  intros Pr. split; intros H.
  - apply shuffle_dp_of_local_dp; [intros x; apply proper_dmap, Pr |]. intros x y. apply below_dmap, H.
  - intros x y T. specialize (H [x] [y] (replace_one [] x y []) eq_refl (forallb T) (forallb_symmetric T)).
    rewrite !all_messages_in in H. cbn [fold_right] in H. lra.
Qed.

(** The complement says nothing more. *)
Lemma flipped_alone p eps delta : 0 <= p <= 1 ->
  (local_dp (flipped_pair p) eps delta <->
   shuffle_dp 1 (table_at (symbols_table 2 one_less parameter) [p]) eps delta).
Proof.
  intros P. set (bit := fun x => dmap (fun flip => xorb flip x) (coin p)).
  transitivity (local_dp bit eps delta).
  - split; intros H x y T.
    + specialize (H x y (fun u => T (hd false u))). unfold flipped_pair, bit, complement_randomizer in *.
      rewrite !Pr_bind, !mean_coin, !Pr_ret in H. rewrite !Pr_dmap, !Pr_coin. exact H.
    + specialize (H x y (fun b => T [b; negb b])). unfold flipped_pair, bit, complement_randomizer in *.
      rewrite !Pr_bind, !mean_coin, !Pr_ret. rewrite !Pr_dmap, !Pr_coin in H. exact H.
  - rewrite one_user_alone by (intros; apply proper_dmap, proper_coin, P). symmetry.
    apply (table_renamed (symbols_table 2 one_less parameter) _ (one_message bit) (Nat.ltb 0) Nat.b2n Nat.b2n
      (Nat.ltb 0) bits_back (bits_place _)).
    intros [| [| i]] F I O; [| | simpl in I; lia]; unfold one_message, bit; rewrite !mean_dmap, mean_coin;
      unfold table_at, entry, mean; cbn -[Rplus Rmult function_at of_powers]; unfold parameter, one_less; values; field.
Qed.

Lemma ratio_same k p : (0 < k)%nat -> 0 < p -> forall n eps delta,
  shuffle_dp n (table_at (ratio_table k) [p]) eps delta <-> shuffle_dp n (one_message (k_ary k p)) eps delta.
Proof.
  intros K P. assert (B : power_sum [inject_Z (Z.of_nat (k - 1)); 1%Q] p = p + INR k - 1).
  { cbn [power_sum]. unfold Q2R, inject_Z. cbn [Qnum Qden]. rewrite <- INR_IZR_INZ, minus_INR by exact K.
    simpl. field. }
  assert (0 < INR k) by (apply lt_0_INR, K). assert (1 <= INR k) by (apply (le_INR 1), K).
  apply k_ary_same; [exact K | |]; rewrite at_over, B; cbn [power_sum]; unfold Q2R; cbn [Qnum Qden]; field; lra.
Qed.

Lemma beyond_same k E v : (0 < k)%nat -> 1 <= E -> 0 <= v -> forall n eps delta,
  shuffle_dp n (table_at (beyond_table k) [E; v]) eps delta <-> shuffle_dp n (one_message (k_ary k (E + v))) eps delta.
Proof.
  intros K HE V. assert (B : multivariate.eval (real_poly (E_plus_v_plus (inject_Z (Z.of_nat (k - 1))))) [E; v] =
    E + v + INR k - 1).
  { unfold E_plus_v_plus. values. unfold inject_Z. cbn [Qnum Qden]. rewrite <- INR_IZR_INZ, minus_INR by exact K.
    simpl. field. }
  assert (1 <= INR k) by (apply (le_INR 1), K).
  apply k_ary_same; [exact K | |]; unfold function_at; rewrite B; unfold E_plus_v_plus; cbn [tl]; values; field; lra.
Qed.
