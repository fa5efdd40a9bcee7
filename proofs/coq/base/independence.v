(** The mean of a product of independent variables is the product of their means.

    - [independent_mean]: for two finite laws and all real functions f of the one and g of the other;
    - [independent_means]: for a list of finite laws, drawn one after the other without regard to what was
      drawn, and one real function for each;
    - [independent_mean_masses]: for two laws with finitely or infinitely many outcomes, and functions with
      values >= 0, whose means are sums of non-negative terms.
    Idea: with the first draw fixed its factor comes out of the mean over the rest. (Standard.) *)

From Coq Require Import Reals List Lra.
From Exactdp Require Import sums laws masses hockey_stick product_laws infinite_sums.
Import ListNotations.
Open Scope R_scope.

Lemma mean_scal_r {A} (d : dist A) c f : mean d (fun a => f a * c) = mean d f * c.
Proof.
  rewrite (mean_ext d _ (fun a => c * f a)) by (intros; ring). rewrite mean_scal. ring.
Qed.

(** Two independent variables f(a) and g(b). *)
Theorem independent_mean {A B} (P : dist A) (Q : dist B) (f : A -> R) (g : B -> R) :
  mean (independent P Q) (fun ab => f (fst ab) * g (snd ab)) = mean P f * mean Q g.
Proof.
  unfold independent. rewrite mean_bind, <- mean_scal_r. apply mean_ext. intros a.
  rewrite mean_dmap. simpl. apply mean_scal.
Qed.

(** One draw from each law of a list, with no regard to the other draws. *)
Fixpoint draws {A} (laws : list (dist A)) : dist (list A) :=
  match laws with
  | [] => ret []
  | d :: rest => bind d (fun a => bind (draws rest) (fun others => ret (a :: others)))
  end.

(** The product of the values of the variables f1, f2, ... at the draws. *)
Fixpoint product {A} (fs : list (A -> R)) (xs : list A) : R :=
  match fs, xs with
  | f :: fs, x :: xs => f x * product fs xs
  | _, _ => 1
  end.

(** The variables f(x), each with the law of its x. *)
Theorem independent_means {A} (variables : list (dist A * (A -> R))) :
  mean (draws (map fst variables)) (product (map snd variables)) =
  fold_right Rmult 1 (map (fun v => mean (fst v) (snd v)) variables).
Proof.
  induction variables as [| [d f] rest IH]; [simpl; rewrite mean_ret; reflexivity |].
  cbn [map fold_right draws fst snd].
  rewrite <- IH, mean_bind, <- mean_scal_r. apply mean_ext. intros a.
  rewrite mean_bind, <- mean_scal. apply mean_ext. intros xs. rewrite mean_ret. reflexivity.
Qed.

(** Laws given by masses: the mean of f >= 0 under P is the sum of all P a * f a. *)
Theorem independent_mean_masses {A B} (P : A -> R) (Q : B -> R) (f : A -> R) (g : B -> R) s t :
  law P -> law Q -> (forall a, 0 <= f a) -> (forall b, 0 <= g b) ->
  sum_of (fun a => P a * f a) s -> sum_of (fun b => Q b * g b) t ->
  sum_of (fun ab => pair_mass P Q ab * (f (fst ab) * g (snd ab))) (s * t).
Proof.
  intros LP LQ Pf Pg Hs Ht.
  apply (sum_of_ext (pair_mass (fun a => P a * f a) (fun b => Q b * g b))).
  - intros ab. unfold pair_mass. ring.
  - apply sum_of_product; try assumption; intros; apply Rmult_le_pos; auto;
      apply (proj1 LP) || apply (proj1 LQ).
Qed.
