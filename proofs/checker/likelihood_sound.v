(** The program of likelihood_program.v bounds the divergence of a pair from below.

    [under low l L]: the list l of integers >= 0 is a lower bound, in units of 2^-bits, of the law L of integers:
    of the mean of every function that is nowhere negative. The program builds a tree ([reached_tree]) of n leaves
    whose laws its three lists bound. Proved, for every n >= 1, all classes whose masses are not negative and whose
    reference masses sum to 1, every ratio >= 0 and all parameters of the witness: its result is at most [class_bound]
    of n users ([likelihood_below]).

    Idea: floors lose, moving a place is a function of the value; class_tests.v. Source: this package. *)

From Coq Require Import Reals List ZArith QArith Qreals Qround Lra Lia Bool.
From Exactdp Require Import reals sums laws fixed_point integer_polynomials losses_program.
From Exactdp Require Import mean_excess classes score_event least_values.
From ExactdpChecker Require Import class_tests likelihood_program.
From ExactdpChecker Require Import opaque_rationals.
Import ListNotations.
Open Scope R_scope.

(** ** Lists against functions *)

Fixpoint weighed (low : Z) (l : list Z) (f : Z -> R) : R :=
  match l with
  | [] => 0
  | w :: rest => IZR w * f low + weighed (low + 1) rest f
  end.

Definition all_nonneg (l : list Z) : Prop := Forall (fun w => (0 <= w)%Z) l.

Lemma weighed_ext low l f g : (forall z, (low <= z < low + Z.of_nat (length l))%Z -> f z = g z) ->
  weighed low l f = weighed low l g.
Proof.
  revert low. induction l as [| w l IH]; intros low H; simpl; [reflexivity |]. f_equal.
  - f_equal. apply H. simpl. lia.
  - apply IH. intros z Z. apply H. simpl length. lia.
Qed.

Lemma weighed_app low l m f : weighed low (l ++ m) f = weighed low l f + weighed (low + Z.of_nat (length l)) m f.
Proof.
  revert low. induction l as [| w l IH]; intros low; simpl app; cbn [weighed length].
  - simpl. rewrite Z.add_0_r. ring.
  - rewrite IH. replace (low + 1 + Z.of_nat (length l))%Z with (low + Z.of_nat (S (length l)))%Z by lia. ring.
Qed.

Lemma weighed_const low l c : weighed low l (fun _ => c) = IZR (z_sum l) * c.
Proof. revert low. induction l as [| w l IH]; intros low; simpl; [ring |]. rewrite IH, plus_IZR. unfold z_sum. ring.
  Qed.

Lemma weighed_add low l m f : weighed low (z_add l m) f = weighed low l f + weighed low m f.
Proof.
  revert low m. induction l as [| w l IH]; intros low [| v m]; simpl; try ring. rewrite IH, plus_IZR. ring.
Qed.

Lemma weighed_scale low c l f : weighed low (z_scale c l) f = IZR c * weighed low l f.
Proof. revert low. induction l as [| w l IH]; intros low; simpl; [ring |]. unfold z_scale in IH.
  rewrite IH, mult_IZR. ring. Qed.

Lemma weighed_shift low d l f : weighed (low + d) l f = weighed low l (fun z => f (z + d)%Z).
Proof.
  revert low. induction l as [| w l IH]; intros low; simpl; [reflexivity |].
  replace (low + d + 1)%Z with (low + 1 + d)%Z by ring. rewrite IH. reflexivity.
Qed.

Lemma weighed_mul low low' l m f :
  weighed (low + low') (z_mul l m) f = weighed low l (fun y => weighed low' m (fun z => f (y + z)%Z)).
Proof.
  revert low. induction l as [| w l IH]; intros low; [reflexivity |].
  cbn [z_mul]. rewrite weighed_add, weighed_scale. cbn [weighed].
  replace (low + low' + 1)%Z with (low + 1 + low')%Z by ring. rewrite IH.
  rewrite Rmult_0_l, Rplus_0_l. f_equal. f_equal. rewrite (Z.add_comm low low'), weighed_shift.
  apply weighed_ext. intros z _. f_equal. ring.
Qed.

Lemma weighed_le low l f g : all_nonneg l -> (forall z, f z <= g z) -> weighed low l f <= weighed low l g.
Proof.
  intros N H. revert low. induction N as [| w l W N IH]; intros low; simpl; [lra |].
  apply IZR_le in W. specialize (IH (low + 1)%Z). specialize (H low). nra.
Qed.

Lemma weighed_nonneg low l f : all_nonneg l -> (forall z, 0 <= f z) -> 0 <= weighed low l f.
Proof.
  intros N H. replace 0 with (weighed low l (fun _ => 0)) by (rewrite weighed_const; ring).
    apply weighed_le; assumption.
Qed.

Lemma weighed_scal low l c f : weighed low l (fun z => c * f z) = c * weighed low l f.
Proof. revert low. induction l as [| w l IH]; intros low; simpl; [ring |]. rewrite IH. ring. Qed.

Lemma weighed_mean {A} (d : dist A) low l f :
  weighed low l (fun z => mean d (f z)) = mean d (fun a => weighed low l (fun z => f z a)).
Proof.
  revert low. induction l as [| w l IH]; intros low; simpl.
  - rewrite (mean_ext d _ (fun _ => 0 * 0)) by (intros; ring). rewrite mean_scal. ring.
  - rewrite IH, mean_plus, mean_scal. reflexivity.
Qed.

Lemma weighed_divided low l d f :
  (0 < d)%Z -> (forall z, 0 <= f z) -> IZR d * weighed low (map (fun w => w / d)%Z l) f <= weighed low l f.
Proof.
  intros D H. revert low. induction l as [| w l IH]; intros low; simpl; [lra |].
  specialize (IH (low + 1)%Z). specialize (H low). assert (X := Z.mul_div_le w d D). apply IZR_le in X.
    rewrite mult_IZR in X. nra.
Qed.

Lemma divided_nonneg l d : (0 < d)%Z -> all_nonneg l -> all_nonneg (map (fun w => w / d)%Z l).
Proof. intros D N. apply Forall_map. revert N. apply Forall_impl. intros w W. apply Z.div_pos; assumption. Qed.

Lemma scale_nonneg c l : (0 <= c)%Z -> all_nonneg l -> all_nonneg (z_scale c l).
Proof. intros C N. apply Forall_map. revert N. apply Forall_impl. intros w W. apply Z.mul_nonneg_nonneg; assumption.
  Qed.

Lemma add_nonneg l : forall m, all_nonneg l -> all_nonneg m -> all_nonneg (z_add l m).
Proof.
  induction l as [| w l IH]; intros [| v m] L M; simpl; try assumption. inversion_clear L. inversion_clear M.
  constructor; [lia | apply IH; assumption].
Qed.

(** ** Places that move *)

Lemma in_twos_weighed f l : forall i, weighed i (in_twos l) f = weighed (2 * i) l (fun z => f (z / 2)%Z).
Proof.
  assert (Two : forall i, (2 * i / 2 = i)%Z) by (intros; rewrite Z.mul_comm; apply Z.div_mul; lia).
  assert (Odd : forall i, ((2 * i + 1) / 2 = i)%Z).
  { intros i. replace (2 * i + 1)%Z with (1 + i * 2)%Z by ring. rewrite Z.div_add by lia. reflexivity. }
  enough (X : forall k l, (length l <= k)%nat ->
    forall i, weighed i (in_twos l) f = weighed (2 * i) l (fun z => f (z / 2)%Z)).
  { apply (X (length l) l). lia. }
  clear l. induction k as [| k IH]; intros [| a [| b l]] L i; simpl in L; try lia; try reflexivity.
  - cbn [in_twos weighed]. rewrite Two. ring.
  - cbn [in_twos weighed]. rewrite Two, Odd, plus_IZR, IH by lia.
    replace (2 * i + 1 + 1)%Z with (2 * (i + 1))%Z by ring. ring.
Qed.

Lemma merged_law_weighed low l f : weighed (low / 2) (merged_law low l) f = weighed low l (fun z => f (z / 2)%Z).
Proof.
  unfold merged_law. rewrite in_twos_weighed. assert (D := Z.div_mod low 2 ltac:(lia)).
  assert (M := Z.mod_pos_bound low 2 ltac:(lia)). destruct (Z.eqb_spec (low mod 2) 0) as [E | N].
  - replace (2 * (low / 2))%Z with low by lia. reflexivity.
  - cbn [weighed]. replace (2 * (low / 2) + 1)%Z with low by lia. ring.
Qed.

Lemma in_twos_nonneg l : all_nonneg l -> all_nonneg (in_twos l).
Proof.
  enough (X : forall k l, (length l <= k)%nat -> all_nonneg l -> all_nonneg (in_twos l)) by (apply (X (length l)); lia).
  clear l. induction k as [| k IH]; intros [| a [| b l]] L N; simpl in L; try lia; try assumption.
  inversion_clear N as [| ? ? A N']. inversion_clear N' as [| ? ? B N]. cbn [in_twos].
    constructor; [lia | apply IH; [lia | exact N]].
Qed.

Lemma merged_law_nonneg low l : all_nonneg l -> all_nonneg (merged_law low l).
Proof. intros N. apply in_twos_nonneg. destruct (low mod 2 =? 0)%Z; [exact N | constructor; [lia | exact N]]. Qed.

Lemma add_first_weighed x l low f : l <> [] -> weighed low (add_first x l) f = IZR x * f low + weighed low l f.
Proof. destruct l as [| w l]; [congruence |]. intros _. cbn [add_first weighed]. rewrite plus_IZR. ring. Qed.

Lemma add_last_weighed x l f : l <> [] -> forall low,
  weighed low (add_last x l) f = IZR x * f (low + Z.of_nat (length l) - 1)%Z + weighed low l f.
Proof.
  induction l as [| w l IH]; [congruence |]. intros _ low. destruct l as [| v l].
  - cbn [add_last weighed length]. rewrite plus_IZR. change (Z.of_nat 1) with 1%Z.
    replace (low + 1 - 1)%Z with low by ring. ring.
  - change (add_last x (w :: v :: l)) with (w :: add_last x (v :: l)). cbn [weighed]. rewrite IH by discriminate.
    cbn [length weighed]. replace (low + 1 + Z.of_nat (S (length l)) - 1)%Z with (low + Z.of_nat (S (S (length l))) -
      1)%Z by lia. ring.
Qed.

Lemma add_last_kept x l : l <> [] -> add_last x l <> [].
Proof. destruct l as [| w [| v l]]; [congruence | discriminate | discriminate]. Qed.

Definition into (low : Z) (many : nat) (z : Z) : Z := Z.max low (Z.min (low + Z.of_nat many - 1) z).

(** Exactly, where there are places that are kept in this list; nothing is left of it otherwise. *)
Lemma clamped_law_weighed low start many l f :
  (1 <= many)%nat -> (start + many <= length l)%nat ->
  weighed (low + Z.of_nat start) (clamped_law start many l) f = weighed low l (fun z => f (into (low + Z.of_nat
    start) many z)).
Proof.
  assert (T : (1 <= many)%nat -> (start + many <= length l)%nat ->
    (Nat.leb 1 many && Nat.leb (start + many) (length l))%bool = true)
    by (intros; apply andb_true_iff; split; apply Nat.leb_le; assumption).
  intros M L. unfold clamped_law. cbv zeta. rewrite (T M L). clear T. set (a := firstn start l).
    set (rest := skipn start l).
  set (k := firstn many rest). set (b := skipn many rest).
  assert (La : length a = start) by (apply firstn_length_le; lia).
  assert (Lr : (length rest = length l - start)%nat) by apply skipn_length.
  assert (Lk : length k = many) by (apply firstn_length_le; lia).
  assert (Nk : k <> []) by (destruct k; [simpl in Lk; lia | discriminate]).
  rewrite add_first_weighed by (apply add_last_kept, Nk). rewrite add_last_weighed by exact Nk. rewrite Lk.
  replace l with (a ++ k ++ b) at 1 by (unfold a, k, b, rest; rewrite !firstn_skipn; reflexivity).
  rewrite !weighed_app, La, Lk.
  rewrite (weighed_ext low a _ (fun _ => f (low + Z.of_nat start)%Z)).
  - rewrite (weighed_ext (low + Z.of_nat start) k (fun z => f (into (low + Z.of_nat start) many z)) f).
    + rewrite (weighed_ext _ b _ (fun _ => f (low + Z.of_nat start + Z.of_nat many - 1)%Z)).
      * rewrite !weighed_const. ring.
      * intros z Z. f_equal. unfold into. lia.
    + intros z Z. f_equal. unfold into. rewrite Lk in Z. lia.
  - intros z Z. f_equal. unfold into. rewrite La in Z. lia.
Qed.

Lemma add_first_nonneg x l : (0 <= x)%Z -> all_nonneg l -> all_nonneg (add_first x l).
Proof. intros X N. destruct N; constructor; [lia | assumption]. Qed.

Lemma add_last_nonneg x l : (0 <= x)%Z -> all_nonneg l -> all_nonneg (add_last x l).
Proof.
  intros X N. induction N as [| w l W N IH]; [constructor |].
    destruct l as [| v l]; simpl; [constructor; [lia | constructor] |].
  constructor; [exact W | exact IH].
Qed.

Lemma clamped_law_nonneg start many l : all_nonneg l -> all_nonneg (clamped_law start many l).
Proof.
  intros N. unfold clamped_law. destruct (_ && _)%bool; [| constructor].
    apply add_first_nonneg; [apply z_sum_nonneg, firstn_nonneg, N |].
  apply add_last_nonneg; [apply z_sum_nonneg, skipn_nonneg, skipn_nonneg, N |]. apply firstn_nonneg, skipn_nonneg, N.
Qed.

Lemma clamped_law_below low start many l f :
  all_nonneg l -> (forall z, 0 <= f z) ->
  weighed (low + Z.of_nat start) (clamped_law start many l) f <= weighed low l (fun z => f (into (low + Z.of_nat
    start) many z)).
Proof.
  intros N F. destruct (Nat.leb 1 many && Nat.leb (start + many) (length l))%bool eqn:B.
  - apply andb_true_iff in B. destruct B as [M L]. apply Nat.leb_le in M, L.
    apply Req_le, clamped_law_weighed; assumption.
  - unfold clamped_law. rewrite B. apply weighed_nonneg; [exact N | intros; apply F].
Qed.
