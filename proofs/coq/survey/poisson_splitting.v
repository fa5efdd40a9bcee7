(** A Poisson number of uniform letters: how often each letter is drawn are independent Poisson numbers.

    With [poisson] of poisson_noise.v, [copies] of mean_excess.v and [bundles] of bundled_noise.v:
    - [poisson_split]: for T >= 0 and 0 <= q <= 1: draw t from the Poisson law of mean T, and i from Bin(t, q); then i and
      t - i are independent, of the Poisson laws of means q T and (1 - q) T;
    - [poisson_letters]: for every list of k >= 1 letters and mu >= 0, a Poisson number of mean mu of independent uniform
      letters is, to whoever does not look at the order, as many of each letter as k independent Poisson laws of mean
      mu/k draw, one for each place of the list.

    Proof. The masses of t - i = j and i are e^-T T^t/t! C(t,i) q^i (1-q)^j, which is the product of both. The letters:
    by induction over their number k; of t uniform letters a binomial number with share 1/k are the first letter,
    and the rest are uniform over the others. Source: standard. *)

From Coq Require Import Reals List Arith Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy masses infinite_sums hockey_stick shuffler binomial mean_excess.
From Exactdp Require Import countable_programs noise_on_naturals negative_binomial_sums poisson_noise.
From Exactdp Require Import counting_programs bundled_noise.
Import ListNotations.
Open Scope R_scope.

Lemma poisson_split_masses T q t i : (i <= t)%nat ->
  poisson (q * T) i * poisson ((1 - q) * T) (t - i) = poisson T t * binom t q i.
Proof.
  intros I. rewrite binom_inside by exact I. unfold poisson, C.
  replace (- T) with (- (q * T) + - ((1 - q) * T)) by ring. rewrite exp_plus, !Rpow_mult_distr.
  replace (T ^ t) with (T ^ i * T ^ (t - i)) by (rewrite <- pow_add; f_equal; lia).
  assert (F := INR_fact_neq_0 t). assert (G := INR_fact_neq_0 i). assert (H := INR_fact_neq_0 (t - i)).
  field. auto.
Qed.

Theorem poisson_split T q (F : nat -> nat -> R) : 0 <= T -> 0 <= q <= 1 -> (forall i, unit_valued (F i)) ->
  expectation (poisson T) (fun t => mean (flips t q) (fun i => F i (t - i)%nat)) =
  expectation (poisson (q * T)) (fun i => expectation (poisson ((1 - q) * T)) (F i)).
Proof.
  intros HT Hq U. assert (A0 : 0 <= q * T) by (apply Rmult_le_pos; lra).
  assert (B0 : 0 <= (1 - q) * T) by (apply Rmult_le_pos; lra).
  assert (LA := poisson_law _ A0). assert (LB := poisson_law _ B0).
  set (a := poisson (q * T)) in *. set (b := poisson ((1 - q) * T)) in *.
  assert (UI : unit_valued (fun i => expectation b (F i))) by (intros i; apply expectation_bounds; auto).
  assert (Moved : forall i, unit_valued (fun t => F i (t - i)%nat)) by (intros i t; apply U).
  apply expectation_is.
  apply (double_sum (fun i t => a i * (after i b t * F i (t - i)%nat)) (fun i => a i * expectation b (F i))
    (fun t => poisson T t * mean (flips t q) (fun i => F i (t - i)%nat))).
  - intros i t. apply Rmult_le_pos; [apply LA | apply Rmult_le_pos; [apply (law_after i b LB) | apply U]].
  - intros i. apply sum_of_scal; [apply LA |].
    assert (S := expectation_sum (after i b) (law_after i b LB) _ (Moved i)).
    rewrite expectation_after, (expectation_ext b LB _ (F i)) in S; [exact S | | | exact LB | apply Moved].
    + intros t. apply U.
    + intros t. f_equal. lia.
  - intros t. replace (poisson T t * mean (flips t q) (fun i => F i (t - i)%nat)) with
      (total (seq 0 (S t)) (fun i => a i * (after i b t * F i (t - i)%nat))).
    + apply sum_of_finite; [| apply seq_NoDup |].
      * intros i. apply Rmult_le_pos; [apply LA | apply Rmult_le_pos; [apply (law_after i b LB) | apply U]].
      * intros i I. unfold after. rewrite (proj2 (Nat.ltb_lt _ _)); [ring |].
        apply Nat.nle_gt. intros K. apply I, in_seq. lia.
    + rewrite mean_flips, <- total_scal. apply total_ext. intros i I. apply in_seq in I.
      unfold after. rewrite (proj2 (Nat.ltb_ge _ _)) by lia. unfold a, b.
      rewrite <- Rmult_assoc, poisson_split_masses by lia. ring.
  - apply expectation_sum; assumption.
Qed.

(** ** Letters *)

Section Letters.
  Context {M : Type}.

  Lemma orderless_after (f : list M -> R) u : orderless f -> orderless (fun v => f (u ++ v)).
  Proof. intros O v w P. apply O, Permutation_app_head, P. Qed.

  (** Of j uniform letters a binomial number is the first one; the rest are uniform over the others. *)
  Lemma uniform_letters_split v (rest : list M) j f : rest <> [] -> orderless f ->
    mean (copies (uniform (v :: rest)) j) f =
    mean (flips j (/ INR (S (length rest)))) (fun i =>
      mean (copies (uniform rest) (j - i)) (fun u => f (times i [v] ++ u))).
  Proof.
    intros NE. set (q := / INR (S (length rest))). revert f. induction j as [| j IH]; intros f O.
    - rewrite mean_flips_0, !mean_copies_none. reflexivity.
    - assert (K : 0 < INR (length rest)) by (apply lt_0_INR; destruct rest; [congruence | simpl; lia]).
      rewrite mean_copies_first, mean_uniform, mean_flips_S. change (length (v :: rest)) with (S (length rest)). fold q.
      cbn [total]. rewrite Rmult_plus_distr_l. f_equal.
      + f_equal. apply (IH (fun u => f (v :: u))). apply (orderless_after f [v] O).
      + set (g := fun b => mean (copies (uniform (v :: rest)) j) (fun u => f (b :: u))).
        replace (q * total rest g) with ((1 - q) * mean (uniform rest) g).
        2:{ rewrite mean_uniform. unfold q. rewrite S_INR. field. lra. }
        f_equal. rewrite (mean_ext _ g (fun b => mean (flips j q) (fun i =>
          mean (copies (uniform rest) (j - i)) (fun u => f (b :: times i [v] ++ u))))).
        2:{ intros b. apply (IH (fun u => f (b :: u))). apply (orderless_after f [b] O). }
        rewrite mean_swap, !mean_flips. apply total_ext. intros i I. apply in_seq in I. f_equal.
        replace (S j - i)%nat with (S (j - i)) by lia. rewrite mean_copies_first. apply mean_ext. intros b.
        apply mean_ext. intros u. apply O. apply Permutation_middle.
  Qed.

  Lemma one_letter v j (f : list M -> R) : mean (copies (uniform [v]) j) f = f (times j [v]).
  Proof.
    revert f. induction j as [| j IH]; intros f; [apply mean_copies_none |].
    rewrite mean_copies_first, mean_uniform. cbn [total length]. rewrite IH.
    change (times (S j) [v]) with (v :: times j [v]). simpl INR. field.
  Qed.

  Definition letters (lambda : R) (bins : list M) : list (noise_part M) := map (fun v => (poisson lambda, [v])) bins.

  Lemma letters_laws lambda bins : 0 <= lambda -> part_laws (letters lambda bins).
  Proof.
    intros H. apply Forall_forall. intros p I. apply in_map_iff in I. destruct I as [v [<- _]]. apply poisson_law, H.
  Qed.

  Lemma letters_of_mean lambda bins f : bins <> [] -> 0 <= lambda -> unit_valued f -> orderless f ->
    expectation (poisson (INR (length bins) * lambda)) (fun j => mean (copies (uniform bins) j) f) =
    expectation (bundles (letters lambda bins)) f.
  Proof.
    intros NE H. revert f. induction bins as [| v rest IH]; [congruence |]. clear NE. intros f U O.
    assert (L := poisson_law lambda H). assert (LR := letters_laws lambda rest H).
    assert (MB : forall (d : dist (list M)) g, proper d -> unit_valued g -> 0 <= mean d g <= 1).
    { intros d g P G. split; [apply mean_nonneg; [exact P | intros; apply G] |].
      rewrite <- (mean_const d 1 P). apply mean_le; [exact P | intros; apply G]. }
    change (letters lambda (v :: rest)) with ((poisson lambda, [v]) :: letters lambda rest).
    rewrite bundles_cons by assumption. destruct rest as [| w rest'] eqn:E.
    - change (INR (length [v])) with 1. rewrite Rmult_1_l.
      apply expectation_ext; [exact L | |].
      + intros j. apply MB; [apply proper_copies, proper_uniform; discriminate | exact U].
      + intros j. rewrite one_letter. cbn [letters map bundles].
        rewrite expectation_point, app_nil_r by apply U. reflexivity.
    - rewrite <- E in *. assert (NE : rest <> []) by (rewrite E; discriminate). clear E.
      set (k := length rest). set (q := / INR (S k)). set (T := INR (S k) * lambda).
      assert (K : 0 < INR (S k)) by (apply lt_0_INR; lia).
      assert (Q : 0 <= q <= 1).
      { split; [left; apply Rinv_0_lt_compat, K |]. apply Rmult_le_reg_l with (INR (S k)); [exact K |]. unfold q.
        rewrite Rinv_r, S_INR by lra. assert (P := pos_INR k). lra. }
      assert (PC : forall j, proper (copies (uniform rest) j)) by (intros; apply proper_copies, proper_uniform, NE).
      set (F := fun i j => mean (copies (uniform rest) j) (fun u => f (times i [v] ++ u))).
      assert (FU : forall i, unit_valued (F i)) by (intros i j; apply MB; [apply PC | intros u; apply U]).
      transitivity (expectation (poisson T) (fun t => mean (flips t q) (fun i => F i (t - i)%nat))).
      + apply expectation_ext; [apply poisson_law; unfold T; apply Rmult_le_pos; lra | |].
        * intros t. apply MB; [apply proper_copies, proper_uniform; discriminate | exact U].
        * intros t. apply uniform_letters_split; assumption.
      + rewrite poisson_split; [| unfold T; apply Rmult_le_pos; lra | exact Q | exact FU].
        replace (q * T) with lambda by (unfold q, T; field; lra).
        replace ((1 - q) * T) with (INR k * lambda) by (unfold q, T; rewrite S_INR in *; field; lra).
        apply expectation_ext; [exact L | |].
        * intros i. apply expectation_bounds; [apply poisson_law, Rmult_le_pos; [apply pos_INR | exact H] | apply FU].
        * intros i. apply (IH NE (fun u => f (times i [v] ++ u))); [intros u; apply U | apply orderless_after, O].
  Qed.
End Letters.

Theorem poisson_letters {M} mu (bins : list M) f : bins <> [] -> 0 <= mu -> unit_valued f -> orderless f ->
  expectation (poisson mu) (fun j => mean (copies (uniform bins) j) f) =
  expectation (bundles (letters (mu / INR (length bins)) bins)) f.
Proof.
  intros NE H U O. assert (K : 0 < INR (length bins)) by (apply lt_0_INR; destruct bins; [congruence | simpl; lia]).
  rewrite <- letters_of_mean; [| exact NE | apply Rle_mult_inv_pos; assumption | exact U | exact O].
  replace (INR (length bins) * (mu / INR (length bins))) with mu by (field; lra). reflexivity.
Qed.
