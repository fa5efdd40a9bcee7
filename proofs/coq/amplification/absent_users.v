(** Users who may be away: measures below their rows, and lists of those who take part.

    Each user takes part with probability q, and then sends a message of his row d; else one of the law D: nothing,
    where the number of messages is seen, or a dummy. Proved, 0 <= q <= 1:

    - [proper_away], [away_below]: q d + (1 - q) D is a law, and if c lies below d, q c + (1 - q) D lies below it;
    - [listed_below]: where a list of those who take part is seen besides, of any law W, and given the list l the views
      are (E, delta_l)-below each other, list and view together are so with the mean of delta_l under W; if the
      hockey-sticks given the lists are the delta_l, it is no less ([listed_exactly]).

    Source: this package (docs/soundness.md, "Who is away adds a message, a dummy or a name on a list"). *)

From Coq Require Import Reals List Lra.
From Exactdp Require Import reals sums laws privacy hockey_stick.
From Exactdp Require Import mean_excess hidden_message blanket generic_blanket.
Import ListNotations.
Open Scope R_scope.

Definition away {A} (q : R) (d D : dist A) : dist A := part_of d q ++ part_of D (1 - q).

Lemma mean_away {A} q (d D : dist A) f : mean (away q d D) f = q * mean d f + (1 - q) * mean D f.
Proof. unfold away. rewrite <- !mean_part_of. apply total_app. Qed.

Lemma away_weights {A} q (d D : dist A) : 0 <= q <= 1 -> sub_law d -> sub_law D -> sub_law (away q d D).
Proof.
  intros H Hd HD wa I. apply in_app_or in I.
  destruct I as [I | I]; apply in_map_iff in I; destruct I as [wb [<- I]]; simpl; apply Rmult_le_pos;
    try lra; [apply Hd, I | apply HD, I].
Qed.

Theorem proper_away {A} q (d D : dist A) : 0 <= q <= 1 -> proper d -> proper D -> proper (away q d D).
Proof.
  intros H [Pd Md] [PD MD]. split; [exact (away_weights q d D H Pd PD) |]. rewrite mean_away, Md, MD. ring.
Qed.

Theorem away_below {A} q (c d D : dist A) :
  0 <= q <= 1 -> lies_below c d -> proper D -> lies_below (away q c D) (away q d D).
Proof.
  intros H [Sc B] [PD _]. split; [exact (away_weights q c D H Sc PD) |]. intros a. specialize (B a).
  unfold mass, Pr in *. rewrite !mean_away. apply Rplus_le_compat_r, Rmult_le_compat_l; lra.
Qed.

Lemma Pr_listed {L A} (W : dist L) (V : L -> dist A) T :
  Pr (bind W (fun l => dmap (pair l) (V l))) T = mean W (fun l => Pr (V l) (fun a => T (l, a))).
Proof. unfold Pr. rewrite mean_bind. apply mean_ext. intros l. rewrite mean_dmap. reflexivity. Qed.

Theorem listed_below {L A} (W : dist L) (V V' : L -> dist A) E delta :
  proper W -> (forall l, below (V l) (V' l) E (delta l)) ->
  below (bind W (fun l => dmap (pair l) (V l))) (bind W (fun l => dmap (pair l) (V' l))) E (mean W delta).
Proof.
  intros HW H T. rewrite !Pr_listed, <- mean_scal, <- mean_plus. apply mean_le; [exact HW |]. intros l. apply H.
Qed.

Theorem listed_exactly {L A} (W : dist L) (V V' : L -> dist A) E delta :
  below (bind W (fun l => dmap (pair l) (V l))) (bind W (fun l => dmap (pair l) (V' l))) E delta ->
  mean W (fun l => hockey_stick (V l) (V' l) E) <= delta.
Proof.
  intros H. specialize (H (fun la => best_event (V (fst la)) (V' (fst la)) E (snd la))). rewrite !Pr_listed in H.
  rewrite (mean_ext W _ (fun l => Pr (V l) (best_event (V l) (V' l) E) - E * Pr (V' l) (best_event (V l) (V' l) E)))
    by (intros; symmetry; apply hockey_stick_best).
  change (mean W (fun l => Pr (V l) (best_event (V l) (V' l) E)) <=
    E * mean W (fun l => Pr (V' l) (best_event (V l) (V' l) E)) + delta) in H.
  rewrite mean_minus, mean_scal. lra.
Qed.
