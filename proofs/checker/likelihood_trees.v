(** The lists of likelihood_program.v bound the laws of the root of a tree.

    [under low l L]: the list l of integers >= 0 at the places low, low + 1, ... is a lower bound, in units of 2^-bits,
    of the law L of integers: of the mean of every function that is nowhere negative. [reached_good]: for n >= 1 users
    there is a tree of n leaves of which the three lists of [reached] are lower bounds, if they are for one leaf.

    Idea: a place that moves is a function of the value, which a node may apply to its sum; floors lose. Source: this
    package. *)

From Coq Require Import Reals List ZArith Lra Lia Bool.
From Exactdp Require Import reals sums laws integer_polynomials losses_program mean_excess score_event.
From ExactdpChecker Require kronecker.
From ExactdpChecker Require Import likelihood_program likelihood_sound.
Import ListNotations.
Open Scope R_scope.

(** *** Products *)

Lemma product_value p q : all_nonneg p -> all_nonneg q -> product p q = [] /\ (p = [] \/ q = []) \/
  product p q = z_mul p q.
Proof.
  intros NP NQ. destruct p as [| a p]; [left; auto |]. destruct q as [| b q]; [left; auto |]. right.
  apply kronecker.product_of_value; try assumption; discriminate.
Qed.

Lemma square_product p : square p = product p p.
Proof. destruct p; [reflexivity | apply kronecker.square_of_product]. Qed.

Lemma product_nonneg p q : all_nonneg p -> all_nonneg q -> all_nonneg (product p q).
Proof.
  intros NP NQ. destruct (product_value p q NP NQ) as [[-> _] | ->]; [constructor | apply z_mul_nonneg; assumption].
Qed.

Lemma weighed_product low low' l m f :
  all_nonneg l -> all_nonneg m ->
  weighed (low + low') (product l m) f = weighed low l (fun y => weighed low' m (fun z => f (y + z)%Z)).
Proof.
  intros L M. destruct (product_value l m L M) as [[-> [-> | ->]] | ->]; [reflexivity | | apply weighed_mul].
  rewrite (weighed_ext low l _ (fun _ => 0)) by reflexivity. rewrite weighed_const. simpl. ring.
Qed.

Section trees.

Context {A : Type} (P Q C : dist A) (bits cut : Z) (limit : nat).
Hypothesis bits_nonneg : (0 <= bits)%Z.

Definition positive_law {S} (L : dist S) : Prop := forall f, (forall s, 0 <= f s) -> 0 <= mean L f.

Hypothesis P_positive : positive_law P.
Hypothesis Q_positive : positive_law Q.
Hypothesis C_positive : positive_law C.

Definition unit : Z := (2 ^ bits)%Z.

Lemma unit_positive : (0 < unit)%Z.
Proof. apply Z.pow_pos_nonneg; [lia | exact bits_nonneg]. Qed.

Definition under (low : Z) (l : list Z) (L : dist Z) : Prop :=
  all_nonneg l /\ forall f, (forall z, 0 <= f z) -> weighed low l f <= IZR unit * mean L f.

Lemma others_positive (t : tree A Z) : positive_law (others_law C t).
Proof.
  induction t as [v | l IHl r IHr join]; intros f F; cbn [others_law].
  - rewrite mean_dmap. apply C_positive. intros; apply F.
  - rewrite mean_bind. apply IHl. intros a. rewrite mean_dmap. apply IHr. intros; apply F.
Qed.

Lemma fraction_bounds i j : (1 <= i)%nat -> (1 <= j)%nat -> 0 <= INR i / INR (i + j) <= 1.
Proof.
  intros I J. assert (0 < INR i) by (apply lt_0_INR; lia). assert (0 < INR j) by (apply lt_0_INR; lia).
  rewrite plus_INR. split; [left; apply Rdiv_lt_0_compat; lra |]. apply Rmult_le_reg_r with (INR i + INR j); [lra |].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma differs_positive D (t : tree A Z) : positive_law D -> positive_law (differs_law D C t).
Proof.
  intros HD. induction t as [v | l IHl r IHr join]; intros f F; cbn [differs_law].
  - rewrite mean_dmap. apply HD. intros; apply F.
  - rewrite mean_bind, mean_coin, !mean_bind.
    assert (X := fraction_bounds _ _ (leaves_positive l) (leaves_positive r)).
    apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra.
    + apply IHl. intros a. rewrite mean_dmap. apply others_positive. intros; apply F.
    + apply others_positive. intros a. rewrite mean_dmap. apply IHr. intros; apply F.
Qed.

(** The value of the root goes through h. *)
Definition post (h : Z -> Z) (t : tree A Z) : tree A Z :=
  match t with
  | leaf v => leaf (fun a => h (v a))
  | node l r join => node l r (fun a b => h (join a b))
  end.

Lemma leaves_post h t : leaves (post h t) = leaves t.
Proof. destruct t; reflexivity. Qed.

Lemma others_post h t f : mean (others_law C (post h t)) f = mean (others_law C t) (fun z => f (h z)).
Proof.
  destruct t as [v | l r join]; cbn [post others_law]; [rewrite !mean_dmap; reflexivity |].
  rewrite !mean_bind. apply mean_ext. intros a. rewrite !mean_dmap. reflexivity.
Qed.

Lemma differs_post D h t f : mean (differs_law D C (post h t)) f = mean (differs_law D C t) (fun z => f (h z)).
Proof.
  destruct t as [v | l r join]; cbn [post differs_law]; [rewrite !mean_dmap; reflexivity |].
  rewrite !mean_bind, !mean_coin, !mean_bind.
    f_equal; f_equal; apply mean_ext; intros a; rewrite !mean_dmap; reflexivity.
Qed.

Definition good (s : sums) (t : tree A Z) : Prop :=
  under (s_low s) (s_first s) (differs_law P C t) /\ under (s_low s) (s_second s) (differs_law Q C t) /\
  under (s_low s) (s_others s) (others_law C t).

(** *** Places that move *)

Lemma under_moved low low' h (g : list Z -> list Z) l L L' :
  (forall f, (forall z, 0 <= f z) -> weighed low' (g l) f <= weighed low l (fun z => f (h z))) ->
  (all_nonneg l -> all_nonneg (g l)) -> (forall f, mean L' f = mean L (fun z => f (h z))) ->
  under low l L -> under low' (g l) L'.
Proof.
  intros H N E [NL U]. split; [apply N, NL |]. intros f F. rewrite E.
  eapply Rle_trans; [apply H, F |]. apply U. intros; apply F.
Qed.

Lemma good_merged s t : good s t -> good (merged s) (post (fun z => z / 2)%Z t).
Proof.
  intros [G1 [G2 G3]]. split; [| split]; cbn [merged s_low s_first s_second s_others].
  - refine (under_moved (s_low s) _ (fun z => z / 2)%Z (merged_law (s_low s)) _ _ _ _ _ _ G1);
      [intros f F; apply Req_le, merged_law_weighed | apply merged_law_nonneg | apply differs_post].
  - refine (under_moved (s_low s) _ (fun z => z / 2)%Z (merged_law (s_low s)) _ _ _ _ _ _ G2);
      [intros f F; apply Req_le, merged_law_weighed | apply merged_law_nonneg | apply differs_post].
  - refine (under_moved (s_low s) _ (fun z => z / 2)%Z (merged_law (s_low s)) _ _ _ _ _ _ G3);
      [intros f F; apply Req_le, merged_law_weighed | apply merged_law_nonneg | apply others_post].
Qed.

Lemma good_clamped s t : good s t -> exists h, good (clamped cut s) (post h t).
Proof.
  intros [G1 [G2 G3]]. unfold clamped.
  set (start := rare cut _). set (many := (_ - start)%nat). exists (into (s_low s + Z.of_nat start) many).
  destruct G1 as [N1 U1], G2 as [N2 U2], G3 as [N3 U3].
  split; [| split]; cbn [s_low s_first s_second s_others].
  - refine (under_moved (s_low s) _ _ (clamped_law start many) _ _ _ _ _ _ (conj N1 U1));
      [intros f F; apply clamped_law_below; assumption | apply clamped_law_nonneg | apply differs_post].
  - refine (under_moved (s_low s) _ _ (clamped_law start many) _ _ _ _ _ _ (conj N2 U2));
      [intros f F; apply clamped_law_below; assumption | apply clamped_law_nonneg | apply differs_post].
  - refine (under_moved (s_low s) _ _ (clamped_law start many) _ _ _ _ _ _ (conj N3 U3));
      [intros f F; apply clamped_law_below; assumption | apply clamped_law_nonneg | apply others_post].
Qed.

(** *** Sums *)

Lemma under_product low l L low' l' L' f :
  under low l L -> under low' l' L' -> positive_law L' -> (forall z, 0 <= f z) ->
  weighed (low + low') (product l l') f <= IZR unit * (IZR unit * mean L (fun a => mean L' (fun b => f (a + b)%Z))).
Proof.
  intros [N U] [N' U'] Pos F. rewrite weighed_product by assumption.
  apply Rle_trans with (weighed low l (fun y => IZR unit * mean L' (fun b => f (y + b)%Z))).
  - apply weighed_le; [exact N |]. intros y. apply U'. intros; apply F.
  - rewrite weighed_scal. apply Rmult_le_compat_l; [apply IZR_le; assert (X := unit_positive); lia |]. apply U.
    intros a. apply Pos. intros; apply F.
Qed.

Lemma lowered_value l : lowered bits l = map (fun w => w / unit)%Z l.
Proof. apply map_ext. intros w. apply Z.shiftr_div_pow2, bits_nonneg. Qed.

Lemma under_lowered low l L low' l' L' M :
  under low l L -> under low' l' L' -> positive_law L' ->
  (forall f, mean M f = mean L (fun a => mean L' (fun b => f (a + b)%Z))) ->
  under (low + low') (lowered bits (product l l')) M.
Proof.
  intros G G' Pos E. rewrite lowered_value.
  split; [apply divided_nonneg; [apply unit_positive | apply product_nonneg; [apply G | apply G']] |].
  intros f F. rewrite E. assert (X := under_product _ _ _ _ _ _ f G G' Pos F).
  assert (D := weighed_divided (low + low') (product l l') unit f unit_positive F).
  apply Rmult_le_reg_l with (IZR unit); [apply IZR_lt, unit_positive |]. lra.
Qed.

Lemma differs_two D t f :
  mean (differs_law D C (node t t Z.add)) f =
  mean (others_law C t) (fun a => mean (differs_law D C t) (fun b => f (a + b)%Z)).
Proof.
  cbn [differs_law]. rewrite mean_bind, mean_coin, !mean_bind.
  rewrite (mean_ext (others_law C t) _ (fun a => mean (differs_law D C t) (fun b => f (a + b)%Z))) by (intros;
    apply mean_dmap).
  rewrite (mean_ext (differs_law D C t) _ (fun a => mean (others_law C t) (fun b => f (b + a)%Z))).
  - rewrite (mean_swap (differs_law D C t)). ring.
  - intros a. rewrite mean_dmap. apply mean_ext. intros b. f_equal. ring.
Qed.

Lemma others_two l r f :
  mean (others_law C (node l r Z.add)) f = mean (others_law C l) (fun a => mean (others_law C r) (fun b => f (a +
    b)%Z)).
Proof. cbn [others_law]. rewrite mean_bind. apply mean_ext. intros a. apply mean_dmap. Qed.

Lemma good_doubled s t : good s t -> exists h, good (doubled bits cut s) (post h (node t t Z.add)).
Proof.
  intros [G1 [G2 G3]]. apply good_clamped. split; [| split]; cbn [s_low s_first s_second s_others];
    replace (2 * s_low s)%Z with (s_low s + s_low s)%Z by ring.
  - apply (under_lowered _ _ _ _ _ _ _ G3 G1 (differs_positive P t P_positive)). apply differs_two.
  - apply (under_lowered _ _ _ _ _ _ _ G3 G2 (differs_positive Q t Q_positive)). apply differs_two.
  - rewrite square_product. apply (under_lowered _ _ _ _ _ _ _ G3 G3 (others_positive t)). apply others_two.
Qed.

Lemma under_joined D users low differs others low' differs' others' (t u : tree A Z) :
  positive_law D -> leaves t = Z.to_nat users -> leaves u = 1%nat -> (1 <= users)%Z ->
  under low differs (differs_law D C t) -> under low others (others_law C t) ->
  under low' differs' (differs_law D C u) -> under low' others' (others_law C u) ->
  under (low + low') (joined_law bits users differs others differs' others') (differs_law D C (node t u Z.add)).
Proof.
  intros HD Lt Lu U G1 G2 G3 G4. unfold joined_law. cbv zeta. fold unit. assert (B := unit_positive).
  assert (W : (0 < (users + 1) * unit)%Z) by lia. split.
  - apply divided_nonneg; [exact W |]. apply add_nonneg; [apply scale_nonneg; [lia |] |]; apply product_nonneg;
      (apply G1 || apply G2 || apply G3 || apply G4).
  - intros f F. set (l := z_add _ _). assert (X := weighed_divided (low + low') l _ f W F).
    assert (L1 := under_product _ _ _ _ _ _ f G1 G4 (others_positive u) F).
    assert (L2 := under_product _ _ _ _ _ _ f G2 G3 (differs_positive D u HD) F).
    assert (S : weighed (low + low') l f = IZR users * weighed (low + low') (product differs others') f +
      weighed (low + low') (product others differs') f) by (unfold l; rewrite weighed_add, weighed_scale; reflexivity).
    cbn [differs_law]. rewrite mean_bind, mean_coin, !mean_bind.
    rewrite (mean_ext (others_law C t) _ (fun a => mean (differs_law D C u) (fun b => f (a + b)%Z))) by (intros;
      apply mean_dmap).
    rewrite (mean_ext (differs_law D C t) _ (fun a => mean (others_law C u) (fun b => f (a + b)%Z))) by (intros;
      apply mean_dmap).
    set (m1 := mean (differs_law D C t) _) in *. set (m2 := mean (others_law C t) _) in *.
    rewrite Lt, Lu, plus_INR, INR_IZR_INZ, Z2Nat.id by lia. change (INR 1) with 1.
    rewrite mult_IZR, plus_IZR in X. apply IZR_lt in B. apply IZR_le in U.
    apply Rmult_le_reg_l with ((IZR users + 1) * IZR unit); [apply Rmult_lt_0_compat; lra |].
    eapply Rle_trans; [exact X |]. rewrite S.
    replace ((IZR users + 1) * IZR unit * (IZR unit * (IZR users / (IZR users + 1) * m1 + (1 - IZR users / (IZR users
      + 1)) * m2)))
      with (IZR users * (IZR unit * (IZR unit * m1)) + IZR unit * (IZR unit * m2)) by (field; lra).
    apply Rplus_le_compat; [apply Rmult_le_compat_l; lra | lra].
Qed.

Lemma good_joined users s t l u :
  leaves t = Z.to_nat users -> leaves u = 1%nat -> (1 <= users)%Z -> good s t -> good l u ->
  exists h, good (joined bits cut users s l) (post h (node t u Z.add)).
Proof.
  intros Lt Lu U [G1 [G2 G3]] [H1 [H2 H3]]. apply good_clamped. split; [| split]; cbn [s_low s_first s_second s_others].
  - apply under_joined; assumption.
  - apply under_joined; assumption.
  - apply (under_lowered _ _ _ _ _ _ _ G3 H3 (others_positive u)). apply others_two.
Qed.

(** *** Along the digits *)

Definition good_pair (n : nat) (sl : sums * sums) : Prop :=
  (exists t, leaves t = n /\ good (fst sl) t) /\ (exists u, leaves u = 1%nat /\ good (snd sl) u).

Lemma good_shortened n s l : good_pair n (s, l) -> good_pair n (shortened limit s l).
Proof.
  unfold shortened. generalize (length (s_others s)). intros steps. revert s l.
  induction steps as [| steps IH]; intros s l G; [exact G |]. cbn [shortened_in].
    destruct (Nat.leb _ limit); [exact G |].
  apply IH. destruct G as [[t [Lt Gt]] [u [Lu Gu]]]. split; eexists; (split; [| apply good_merged; eassumption]);
    rewrite leaves_post; assumption.
Qed.

Theorem reached_good start u n :
  leaves u = 1%nat -> good start u -> good_pair (Pos.to_nat n) (reached bits cut limit start n).
Proof.
  intros Lu Gu. assert (Start : good_pair 1 (shortened limit start start)) by (apply good_shortened; split; exists u;
    auto).
  assert (Double : forall k s l, good_pair k (s, l) -> good_pair (k + k) (shortened limit (doubled bits cut s) l)).
  { intros k s l [[t [Lt Gt]] H]. apply good_shortened. split; [| exact H]. cbn [fst] in *.
    destruct (good_doubled s t Gt) as [h G]. exists (post h (node t t Z.add)). rewrite leaves_post. simpl. auto. }
  induction n as [k IH | k IH |]; cbn [reached]; [| | exact Start].
  - destruct (reached bits cut limit start k) as [s l]. specialize (Double _ _ _ IH).
    destruct (shortened limit (doubled bits cut s) l) as [s' l']. apply good_shortened.
    destruct Double as [[t [Lt Gt]] [v [Lv Gv]]]. cbn [fst snd] in *.
    destruct (good_joined (2 * Zpos k) s' t l' v) as [h G]; try assumption; try lia.
    split; [exists (post h (node t v Z.add)); rewrite leaves_post; simpl; split; [lia | exact G] | exists v; auto].
  - destruct (reached bits cut limit start k) as [s l]. specialize (Double _ _ _ IH).
    replace (Pos.to_nat (xO k)) with (Pos.to_nat k + Pos.to_nat k)%nat by lia. exact Double.
Qed.

End trees.
