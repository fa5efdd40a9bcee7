(** Rows without the messages that all their outcomes have: users with such rows need not be told apart as bystanders.

    [base_table t] is the table t with the messages that every outcome of a row has taken out of that row. Each row of t
    is this row and besides, always, the same messages ([base_row_with]). So two inputs whose rows in [base_table t] are
    listed alike are rows that are equal up to fixed messages ([moved_if_listed_alike]), which may stand for each other
    as users who hold the same input in both data sets. For every table that is posed, and keys that tell apart what one
    user can send.

    Idea: moved_bystanders.v. What is taken out is compared with every outcome, so that nothing has to be proved of how
    it was found. The function at_zero of exactdp/checker/finite_laws.py does this with vectors of counts. Source:
    docs/certificates.md, "moving both views leaves their divergence". *)

From Coq Require Import ZArith QArith Reals List Lra Lia Permutation.
From Exactdp Require Import sums laws privacy adding_a_user equal_rows moved_bystanders.
From ExactdpChecker Require Import claims views compared_views.
From ExactdpChecker Require Import blanket_program matrix_blanket.
Import ListNotations.

(** ** The programs, on messages in order *)

(** What two lists have in common. *)
Fixpoint common (u : list nat) : list nat -> list nat :=
  match u with
  | [] => fun _ => []
  | a :: u' =>
      fix go v :=
        match v with
        | [] => []
        | b :: v' => if Nat.eqb a b then a :: common u' v' else if Nat.ltb a b then common u' v else go v'
        end
  end.

(** The rest of u without m, if m is found in it. *)
Fixpoint taken_out (m u : list nat) : option (list nat) :=
  match u with
  | [] => match m with [] => Some [] | _ => None end
  | b :: u' =>
      match m with
      | [] => Some u
      | a :: m' => if Nat.eqb a b then taken_out m' u' else option_map (cons b) (taken_out m u')
      end
  end.

Definition common_messages (row : list (Q * list nat)) : list nat :=
  match row with
  | [] => []
  | o :: rest => fold_left (fun m p => common m (in_order (snd p))) rest (in_order (snd o))
  end.

Fixpoint row_without (m : list nat) (row : list (Q * list nat)) : option (list (Q * list nat)) :=
  match row with
  | [] => Some []
  | (q, u) :: rest =>
      match taken_out m (in_order u), row_without m rest with
      | Some v, Some r => Some ((q, v) :: r)
      | _, _ => None
      end
  end.

Definition base_row (row : list (Q * list nat)) : list (Q * list nat) :=
  match row_without (common_messages row) row with
  | Some r => r
  | None => row
  end.

Definition base_table (t : table) : table := {| message_types := message_types t; rows := map base_row (rows t) |}.

(** ** What is taken out *)

Lemma taken_out_rest m u v : taken_out m u = Some v -> Permutation u (m ++ v).
Proof.
  revert m v. induction u as [| b u IH]; intros m v H; cbn [taken_out] in H.
  - destruct m; [injection H as <-; reflexivity | discriminate].
  - destruct m as [| a m]; [injection H as <-; reflexivity |].
    destruct (Nat.eqb_spec a b) as [-> | _]; [apply perm_skip, IH, H |].
    destruct (taken_out (a :: m) u) as [w |] eqn:E; [| discriminate]. injection H as <-.
    rewrite (IH _ _ E). apply Permutation_middle.
Qed.

(** Each outcome is one that is left, and m. *)
Lemma row_without_outcomes m row r :
  row_without m row = Some r -> Forall2 (fun o p => fst o = fst p /\ Permutation (snd o) (m ++ snd p)) row r.
Proof.
  revert r. induction row as [| [q u] row IH]; intros r H; cbn [row_without] in H; [injection H as <-; constructor |].
  destruct (taken_out m (in_order u)) as [v |] eqn:E; [| discriminate].
  destruct (row_without m row) as [r' |]; [| discriminate]. injection H as <-. constructor; [| apply IH; reflexivity].
  split; [reflexivity |]. cbn [snd]. rewrite <- (taken_out_rest m _ _ E). apply in_order_permutation.
Qed.

Lemma base_row_outcomes row :
  exists m, Forall2 (fun o p => fst o = fst p /\ Permutation (snd o) (m ++ snd p)) row (base_row row).
Proof.
  unfold base_row. destruct (row_without (common_messages row) row) as [r |] eqn:E.
  - exists (common_messages row). apply row_without_outcomes, E.
  - exists []. clear E. induction row as [| o row IH]; constructor; [split; reflexivity | exact IH].
Qed.

Lemma base_of_row t x : table_law (base_table t) x = row_law (base_row (entry (rows t) [] x)).
Proof. unfold table_law, base_table. cbn [rows]. change [] with (base_row []) at 1. rewrite entry_map. reflexivity. Qed.

Open Scope R_scope.

Theorem base_row_with t x : exists m, row_with (table_law t x) (table_law (base_table t) x) m.
Proof.
  rewrite base_of_row. unfold table_law. set (row := entry _ _ _). destruct (base_row_outcomes row) as [m H].
  exists m. intros f F. rewrite mean_dmap. unfold mean, row_law. rewrite !total_map. cbn [fst snd].
  induction H as [| o p row r [W P] H IH]; [reflexivity |]. simpl. rewrite IH, W, (F _ _ P). reflexivity.
Qed.

(** ** Rows that are listed alike *)

Section table.

Variables (t : table) (n : nat).
Hypothesis posed : table_posed t.
Hypothesis some_user : (1 <= n)%nat.

Lemma base_sendable x wu : In wu (table_law (base_table t) x) -> sendable t n (snd wu).
Proof.
  rewrite base_of_row. set (row := entry (rows t) [] x). intros I. apply in_map_iff in I. destruct I as [p [<- I]].
  destruct (base_row_outcomes row) as [m H]. assert (X : exists o, In o row /\ Permutation (snd o) (m ++ snd p)).
  { clear -H I. induction H as [| o q row r [_ P] H IH]; [destruct I |]. destruct I as [-> | I].
    - exists o. split; [left; reflexivity | exact P].
    - destruct (IH I) as [o' [J K]]. exists o'. split; [right; exact J | exact K]. }
  destruct X as [o [J P]]. apply (sendable_more t 1); [exact some_user |].
  assert (S : sendable t 1 (snd (Q2R (fst o), snd o))).
  { apply (row_sendable t x _ posed). unfold table_law, row_law. apply in_map_iff. exists o.
    split; [reflexivity | exact J]. }
  destruct S as [M L]. cbn [snd] in *. split.
  - intros k K. apply M, (Permutation_in k (Permutation_sym P)), in_or_app. right. exact K.
  - apply Permutation_length in P. rewrite app_length in P. lia.
Qed.

Lemma base_rows_told x y : tells (packing t n) (table_law (base_table t) x) (table_law (base_table t) y).
Proof.
  intros u v IU IV. apply packing_tells; rewrite map_app in *; apply in_app_or in IU, IV.
  - destruct IU as [I | I]; apply in_map_iff in I; destruct I as [wu [<- I]]; eapply base_sendable, I.
  - destruct IV as [I | I]; apply in_map_iff in I; destruct I as [wu [<- I]]; eapply base_sendable, I.
Qed.

Theorem moved_if_listed_alike x y :
  entry (listings (base_table t) (packing t n)) [] x = entry (listings (base_table t) (packing t n)) [] y ->
  moved_row (table_law t x) (table_law t y).
Proof.
  intros E. destruct (base_row_with t x) as [m HX]. destruct (base_row_with t y) as [m' HY].
  exists (table_law (base_table t) y), m, m'. split; [| exact HY]. intros f F. rewrite (HX f F), !mean_dmap.
  apply (same_listing_same_row (packing t n) (IZR (denominator (base_table t)))
    (entry (listings (base_table t) (packing t n)) [] y)).
  - apply IZR_lt, denominator_positive.
  - rewrite <- E. apply table_listed.
  - apply table_listed.
  - apply base_rows_told.
  - intros u v P. apply F, Permutation_app_head, P.
Qed.

End table.
