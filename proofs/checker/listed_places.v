(** Consecutive integers: [listed_from t n] is t, t + 1, ..., n of them.

    Source: docs/certificates.md, "Enclosed weights". *)

From Coq Require Import ZArith List Lia FinFun.
Import ListNotations.

Definition listed_from (t : Z) (n : nat) : list Z := map (fun k => (t + Z.of_nat k)%Z) (seq 0 n).

Lemma listed_cons t n : listed_from t (S n) = t :: listed_from (t + 1) n.
Proof.
  unfold listed_from. cbn [seq map]. f_equal; [lia |]. rewrite <- seq_shift, map_map. apply map_ext. intros. lia.
Qed.

Lemma listed_once t n : NoDup (listed_from t n).
Proof. apply Injective_map_NoDup; [intros x y H; lia | apply seq_NoDup]. Qed.

Lemma in_listed t n s : In s (listed_from t n) <-> (t <= s < t + Z.of_nat n)%Z.
Proof.
  unfold listed_from. rewrite in_map_iff. split.
  - intros [k [<- I]]. apply in_seq in I. lia.
  - intros H. exists (Z.to_nat (s - t)). rewrite in_seq. lia.
Qed.
