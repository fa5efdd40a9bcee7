(** Sums with noise, split and mixed: how private what the shuffler shows is, for every noise.

    Each of n users has a number x, adds noise z of her own to it, drawn from a finite law, and splits x + z into m
    shares modulo q; all nm shares are shuffled; n, m, q >= 1. The sum of all shares modulo q is the noisy sum of a
    curator, [noisy_sum]: what it shows is what the shuffler shows beside it, which is little.

    - [noisy_split_private]: if the noisy sum modulo q is (eps, delta)-DP, the shuffled shares are
      (eps, delta + (1 + e^eps) tau)-DP, tau = sqrt((excess of q + excess of 2)/2) as in components.v;
      eps and delta real;
    - [noisy_split_exact]: and the sum of the shares modulo q has the law of the noisy sum: whatever is estimated from
      it errs as a curator's estimate does.

    Idea: given the noise, the views of all inputs with one sum modulo q are within tau of the view of the input (that
    sum, 0, ..., 0), which is a function of the noisy sum with coins of its own.
    (Source: IshaiKushilevitzOstrovskySahai2006, BalleBellGasconNissim2020.) *)

From Coq Require Import Reals List Lra Lia ZArith Permutation.
From Exactdp Require Import sums laws privacy hockey_stick shuffler independence words split_and_mix random_graph
  components.
Import ListNotations.
Open Scope R_scope.

Section Noise.

Context (q m : nat) (noise : dist nat).
Hypothesis q_some : (1 <= q)%nat.
Hypothesis m_some : (1 <= m)%nat.
Hypothesis noise_proper : proper noise.

Definition noisy_split (x : nat) : dist (list nat) := bind noise (fun z => split q m (x + z)).

(** What the users split, in the order of the users. *)
Fixpoint noisy (xs : list nat) : dist (list nat) :=
  match xs with
  | [] => ret []
  | x :: rest => bind noise (fun z => bind (noisy rest) (fun others => ret ((x + z)%nat :: others)))
  end.

Definition noisy_sum (xs : list nat) : dist nat := dmap (fun ys => residue q (sum_of ys)) (noisy xs).

Lemma noisy_messages xs F :
  mean (messages noisy_split xs) F = mean (noisy xs) (fun ys => mean (messages (split q m) ys) F).
Proof.
  revert F. induction xs as [| x xs IH]; intros F.
  { cbn [noisy]. rewrite mean_ret. reflexivity. }
  cbn [messages noisy]. unfold noisy_split at 1. rewrite !mean_bind. apply mean_ext. intros z. rewrite mean_bind.
  rewrite (mean_ext (split q m (x + z)) _ (fun mine => mean (noisy xs) (fun ys =>
    mean (messages (split q m) ys) (fun others => F (mine ++ others))))).
  2: { intros mine. rewrite mean_bind, IH. apply mean_ext. intros ys. apply mean_ext. intros others. apply mean_ret. }
  rewrite mean_swap. apply mean_ext. intros ys. rewrite mean_ret. cbn [messages]. rewrite mean_bind.
  apply mean_ext. intros mine. rewrite mean_bind. apply mean_ext. intros others. rewrite mean_ret. reflexivity.
Qed.

Lemma noisy_proper xs : proper (noisy xs).
Proof.
  induction xs as [| x xs IH]; [apply proper_ret |]. apply proper_bind; [exact noise_proper |]. intros z.
  apply proper_bind; [exact IH |]. intros. apply proper_ret.
Qed.

Lemma noisy_length xs wy : In wy (noisy xs) -> length (snd wy) = length xs.
Proof.
  revert wy. induction xs as [| x xs IH]; intros wy I; simpl in I; [destruct I as [<- | []]; reflexivity |].
  unfold bind in I. apply in_flat_map in I. destruct I as [wz [_ I]]. apply in_map_iff in I. destruct I as [v [<- I]].
  apply in_flat_map in I. destruct I as [wo [Io I]]. apply in_map_iff in I. destruct I as [r [<- [<- | []]]]. simpl.
  rewrite (IH wo Io). reflexivity.
Qed.

Lemma split_proper x : proper (split q m x).
Proof.
  apply proper_bind; [| intros; apply proper_ret]. apply proper_uniform. intros E.
  assert (I : In (repeat O (m - 1)) (words q (m - 1))).
  { apply in_words. split; [apply repeat_length |]. intros a I. apply repeat_spec in I. lia. }
  rewrite E in I. destruct I.
Qed.

(** The input with this sum of which all others hold 0. *)
Definition plain (n s : nat) : list nat := s :: repeat O (n - 1).

Lemma plain_sum n ys : is_multiple q (sum_of ys - sum_of (plain n (residue q (sum_of ys)))) = true.
Proof.
  assert (E : sum_of (plain n (residue q (sum_of ys))) = (sum_of ys mod Z.of_nat q)%Z).
  { unfold plain, sum_of. simpl. assert (Z0 : list_sum (repeat O (n - 1)) = O).
    { induction (n - 1)%nat as [| k IH]; [reflexivity | exact IH]. }
    rewrite Z0, Nat.add_0_r. unfold residue. apply Z2Nat.id, Z.mod_pos_bound. lia. }
  rewrite E. unfold is_multiple. apply Z.eqb_eq. rewrite Zminus_mod_idemp_r, Z.sub_diag. apply Z.mod_0_l. lia.
Qed.

Definition security (n : nat) : R := sqrt ((excess m n q + excess m n 2) / 2).

Lemma between x y : Rabs x <= y -> - y <= x <= y.
Proof. unfold Rabs. destruct (Rcase_abs x); lra. Qed.

(** The view is within tau of a function of the noisy sum. *)
Lemma near_plain n xs T : (1 <= n)%nat -> length xs = n -> symmetric T ->
  Rabs (Pr (messages noisy_split xs) T - mean (noisy_sum xs) (fun s => Pr (messages (split q m) (plain n s)) T)) <=
  security n.
Proof.
  intros N L S. unfold Pr at 1. rewrite noisy_messages. unfold noisy_sum. rewrite mean_dmap, <- mean_minus.
  apply Rabs_le. split.
  - rewrite <- (mean_const (noisy xs) (- security n) (noisy_proper xs)). apply total_le. intros wy I.
    apply Rmult_le_compat_l; [apply (proj1 (noisy_proper xs)), I |].
    assert (X := components_bound m n m_some N q q_some (plain n (residue q (sum_of (snd wy)))) (snd wy)
      ltac:(simpl; rewrite repeat_length; lia) ltac:(rewrite <- L; apply noisy_length, I) (plain_sum n (snd wy)) T S).
    rewrite Rabs_minus_sym in X. apply between in X. exact (proj1 X).
  - rewrite <- (mean_const (noisy xs) (security n) (noisy_proper xs)). apply total_le. intros wy I.
    apply Rmult_le_compat_l; [apply (proj1 (noisy_proper xs)), I |].
    assert (X := components_bound m n m_some N q q_some (plain n (residue q (sum_of (snd wy)))) (snd wy)
      ltac:(simpl; rewrite repeat_length; lia) ltac:(rewrite <- L; apply noisy_length, I) (plain_sum n (snd wy)) T S).
    rewrite Rabs_minus_sym in X. apply between in X. exact (proj2 X).
Qed.

Theorem noisy_split_private n eps delta : (1 <= n)%nat -> dp n noisy_sum eps delta ->
  shuffle_dp n noisy_split eps (delta + (1 + exp eps) * security n).
Proof.
  intros N D xs ys H L T S. assert (Ly : length ys = n) by (rewrite <- L; symmetry; apply neighbors_length, H).
  assert (X := near_plain n xs T N L S). assert (Y := near_plain n ys T N Ly S).
  assert (B := below_mean _ _ _ _ (fun s => Pr (messages (split q m) (plain n s)) T) (D xs ys H L)
    ltac:(intros s; apply Pr_bounds, proper_messages, split_proper)).
  apply between in X, Y. assert (E := exp_pos eps).
  set (p := Pr (messages noisy_split xs) T) in *. set (p' := Pr (messages noisy_split ys) T) in *.
  set (c := mean (noisy_sum xs) _) in *. set (c' := mean (noisy_sum ys) _) in *. nra.
Qed.

Theorem noisy_split_exact n xs F : (1 <= n)%nat -> length xs = n ->
  mean (messages noisy_split xs) (fun u => F (residue q (sum_of u))) = mean (noisy_sum xs) F.
Proof.
  intros N L. rewrite noisy_messages. unfold noisy_sum. rewrite mean_dmap. apply mean_ext. intros ys.
  assert (P : 0 < INR q ^ (length ys * m)) by (apply pow_lt, lt_0_INR; lia).
  rewrite <- (mean_const (messages (split q m) ys) (F (residue q (sum_of ys))))
    by (apply proper_messages, split_proper).
  apply Rmult_eq_reg_l with (INR q ^ (length ys * m)); [| lra]. rewrite !split_messages by assumption. f_equal.
  apply total_ext. intros u I. apply in_words in I. destruct (fits q m ys u) eqn:Fi; [| simpl; ring].
  apply (fits_sum m n) in Fi; try assumption; [| lia]. do 2 f_equal. unfold residue, is_multiple in *. f_equal.
  apply Z.eqb_eq, Z.mod_divide in Fi; [| lia]. destruct Fi as [d E].
    replace (sum_of u) with (sum_of ys + d * Z.of_nat q)%Z by lia.
  apply Z_mod_plus_full.
Qed.

End Noise.
