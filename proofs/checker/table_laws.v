(** The rows of a table are laws, and what is impossible under one of them.

    For a table that is posed: each row is a law with finitely many outcomes ([proper_table]), and an event has the
    probability 0 under it if and only if no outcome of the row lies in it ([impossible_in_row]). Means and
    probabilities under a row are sums over its entries ([mean_row], [Pr_row]).

    Source: docs/certificates.md, "Randomizers". *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums laws.
From ExactdpChecker Require Import claims posed.
Import ListNotations.
Open Scope R_scope.

Lemma entry_in {A} (l : list A) none i : l <> [] -> In (entry l none i) l.
Proof.
  intros H. unfold entry. assert (X : In (last l none) l).
  { induction l as [| a [| b m] IH]; [congruence | left; reflexivity |]. right. apply IH. discriminate. }
  destruct (Nat.lt_ge_cases i (length l)) as [L | G]; [apply nth_In, L |]. rewrite nth_overflow by exact G. exact X.
Qed.

Lemma entry_nth {A} (l : list A) none d i : (i < length l)%nat -> entry l none i = nth i l d.
Proof. intros H. apply nth_indep, H. Qed.

Lemma mean_row row f : mean (row_law row) f = total row (fun o => Q2R (fst o) * f (snd o)).
Proof. unfold mean, row_law. apply total_map. Qed.

Lemma Pr_row row T : Pr (row_law row) T = total row (fun o => Q2R (fst o) * indicator T (snd o)).
Proof. apply mean_row. Qed.

Lemma proper_row messages row : row_posed messages row -> proper (row_law row).
Proof.
  intros [P S]. split.
  - intros wa I. apply in_map_iff in I. destruct I as [o [<- I]]. simpl. destruct (P o I) as [H _].
    apply Qlt_Rlt in H. rewrite RMicromega.Q2R_0 in H. lra.
  - rewrite mean_row. apply Qeq_eqR in S. rewrite real_sum_Q, RMicromega.Q2R_1 in S.
    transitivity (real_sum (map fst row)); [| exact S].
    clear. induction row as [| o row IH]; simpl; [reflexivity |]. rewrite IH. ring.
Qed.

Lemma row_of_table t x : table_posed t -> row_posed (message_types t) (entry (rows t) [] x).
Proof. intros [N H]. apply H, entry_in, N. Qed.

Lemma proper_table t : table_posed t -> forall x, proper (table_law t x).
Proof. intros H x. apply (proper_row (message_types t)), row_of_table, H. Qed.

Lemma impossible_in_row messages row T :
  row_posed messages row -> (Pr (row_law row) T = 0 <-> forall o, In o row -> T (snd o) = false).
Proof.
  intros [P _]. rewrite Pr_row. split.
  - intros Z o I. destruct (T (snd o)) eqn:E; [exfalso | reflexivity].
    destruct (P o I) as [H _]. apply Qlt_Rlt in H. rewrite RMicromega.Q2R_0 in H.
    assert (N : forall o, In o row -> 0 <= Q2R (fst o) * indicator T (snd o)).
    { intros u J. destruct (P u J) as [K _]. apply Qlt_Rlt in K. rewrite RMicromega.Q2R_0 in K.
      apply Rmult_le_pos; [lra |]. unfold indicator. destruct (T (snd u)); lra. }
    apply in_split in I. destruct I as [u [v ->]]. rewrite total_app in Z. simpl in Z.
    assert (0 <= total u (fun o => Q2R (fst o) * indicator T (snd o)))
      by (apply total_nonneg; intros; apply N, in_or_app; left; assumption).
    assert (0 <= total v (fun o => Q2R (fst o) * indicator T (snd o)))
      by (apply total_nonneg; intros; apply N, in_or_app; right; right; assumption).
    unfold indicator in Z at 2. rewrite E in Z. lra.
  - intros H. rewrite (total_ext row _ (fun _ => 0)), total_zero; [reflexivity |]. intros o I. unfold indicator.
    rewrite (H o I). ring.
Qed.
