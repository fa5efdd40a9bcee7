(** The answers of the survey, counted: an affine function of a sum of independent bits.

    n users answer truthfully with probability 1/2 + g, 0 < g < 1/2 (randomized_response.v). Proved for every
    data set xs, of any length:
    - [survey_count]: the number K of ones among the answers is the sum of a Bin(s, 1/2 + g) and an
      independent Bin(n - s, 1/2 - g) variable, where s is the number of ones in xs;
    - [survey_affine]: the estimate is K/(2g) - (1/2 - g) n/(2g), so one answer 1 more moves it by 1/(2g).

    Idea: user by user; the bits of those who hold 1 are thrown first.

    Source: Warner 1965, section 2. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums laws privacy bits bit_messages binomial randomized_response.
Import ListNotations.
Open Scope R_scope.

(** The sum of two independent binomial variables, as a program. *)
Definition two_binomials (s : nat) (p : R) (t : nat) (q : R) : dist nat :=
  bind (flips s p) (fun i => bind (flips t q) (fun j => ret (i + j)%nat)).

Lemma mean_two_binomials s p t q f :
  mean (two_binomials s p t q) f = mean (flips s p) (fun i => mean (flips t q) (fun j => f (i + j)%nat)).
Proof.
  unfold two_binomials. rewrite mean_bind. apply mean_ext. intros i. rewrite mean_bind.
  apply mean_ext. intros j. apply mean_ret.
Qed.

Lemma mean_survey_randomizer g x f :
  mean (survey_randomizer g x) f = (1 / 2 + g) * f x + (1 / 2 - g) * f (negb x).
Proof. unfold survey_randomizer. rewrite mean_dmap, mean_coin. field. Qed.

Theorem survey_count (g : R) (xs : list bool) :
  same_law (dmap ones (messages (one_message (survey_randomizer g)) xs))
           (two_binomials (ones xs) (1 / 2 + g) (length xs - ones xs) (1 / 2 - g)).
Proof.
  induction xs as [| x xs IH]; intros f.
  - rewrite mean_dmap, mean_messages_nil, mean_two_binomials. cbn [ones length Nat.sub].
    rewrite !mean_flips_0. reflexivity.
  - assert (IH' := fun h => eq_trans (eq_sym (mean_dmap ones _ h)) (IH h)).
    assert (L := ones_le_length xs).
    rewrite mean_dmap, mean_messages_cons, mean_survey_randomizer, mean_two_binomials.
    destruct x; cbn [ones length negb].
    + rewrite (IH' (fun k => f (S k))), (IH' f), !mean_two_binomials, mean_flips_S.
      replace (S (length xs) - S (ones xs))%nat with (length xs - ones xs)%nat by lia.
      cbn [Nat.add]. lra.
    + rewrite (IH' f), (IH' (fun k => f (S k))), !mean_two_binomials.
      replace (S (length xs) - ones xs)%nat with (S (length xs - ones xs)) by lia.
      rewrite <- !mean_scal, <- mean_plus. apply mean_ext. intros i. rewrite mean_flips_S.
      rewrite (mean_ext (flips (length xs - ones xs) (1 / 2 - g)) (fun j => f (i + S j)%nat) (fun j => f (S (i + j))))
        by (intros j; f_equal; lia). lra.
Qed.

Theorem survey_affine (g : R) (n : nat) (y : list bool) :
  0 < g < 1 / 2 ->
  survey_estimate g n y = / (2 * g) * INR (ones y) - (1 / 2 - g) * INR n / (2 * g) /\
  (forall z, ones z = S (ones y) -> survey_estimate g n z - survey_estimate g n y = 1 / (2 * g)).
Proof.
  intros Hg. unfold survey_estimate. split; [field; lra |]. intros z ->. rewrite S_INR. field. lra.
Qed.
