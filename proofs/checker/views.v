(** The law of what the shuffled messages of many users show, listed exactly by a program on integers.

    Each message has an integer key, and a list of messages shows the sum of its keys: [sum_of keys u]. A listing is a
    list of (sum, weight), both integers. [lists keys s law P] says that it lists s times the law of this sum under P,
    for the means of all functions of it. Proved, for every table whose probabilities are rationals, all keys, any
    number of messages per user, and every list of users:

    - [table_listed]: the listing of a row, over the common denominator D of the table, is D times the law of one user;
    - [view_listed]: the convolution of the rows of all users, [view_of], is D^n times the law of the shuffled messages
      of the data set, n its number of users;
    - [convolve_listed]: one user more is one more convolution.

    Listings ascend in practice, so that equal sums are added up by merging; no proof rests on it. What needs each sum
    to stand once tests that by [ascending].

    The functions convolve, law_of_users and sum_rows of exactdp/checker/finite_laws.py are these programs.
    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia.
From Exactdp Require Import sums reals laws privacy hockey_stick adding_a_user.
From ExactdpChecker Require Import claims posed.
Import ListNotations.
Open Scope Z_scope.

Definition listing : Type := list (Z * Z).

(** ** The programs *)

(** Each entry in front of [acc], in the opposite order. *)
Fixpoint onto {A C} (g : A -> C) (l : list (Z * A)) (acc : list (Z * C)) : list (Z * C) :=
  match l with
  | [] => acc
  | (k, a) :: rest => onto g rest ((k, g a) :: acc)
  end.

Section merging.

Context {A B C : Type} (left : A -> C) (right : B -> C) (both : A -> B -> C).

Fixpoint merge_onto (l : list (Z * A)) : list (Z * B) -> list (Z * C) -> list (Z * C) :=
  match l with
  | [] => onto right
  | (k, a) :: l' =>
      fix go m acc :=
        match m with
        | [] => onto left l' ((k, left a) :: acc)
        | (j, b) :: m' =>
            match k ?= j with
            | Lt => merge_onto l' m ((k, left a) :: acc)
            | Eq => merge_onto l' m' ((k, both a b) :: acc)
            | Gt => go m' ((j, right b) :: acc)
            end
        end
  end.

(** Two ascending lists, as one. *)
Definition merge (l : list (Z * A)) (m : list (Z * B)) : list (Z * C) := rev_append (merge_onto l m []) [].

End merging.

Definition sum : listing -> listing -> listing := merge (fun p => p) (fun q => q) Z.add.

Fixpoint sum_pairs (ls : list listing) : list listing :=
  match ls with
  | l :: m :: rest => sum l m :: sum_pairs rest
  | _ => ls
  end.

Fixpoint sum_rounds (rounds : nat) (ls : list listing) : listing :=
  match rounds, ls with
  | _, [] => []
  | _, [l] => l
  | O, _ => concat ls
  | S less, _ => sum_rounds less (sum_pairs ls)
  end.

Definition sum_all (ls : list listing) : listing := sum_rounds (length ls) ls.

Fixpoint moved_onto (k w : Z) (law acc : listing) : listing :=
  match law with
  | [] => acc
  | (a, p) :: rest => moved_onto k w rest ((a + k, p * w) :: acc)
  end.

Definition moved (law : listing) (kw : Z * Z) : listing := rev_append (moved_onto (fst kw) (snd kw) law []) [].

(** The sum of two independent outcomes. *)
Definition convolve (law row : listing) : listing := sum_all (map (moved law) row).

(** As in the law of a view on the page. *)
Definition sum_of (keys : list Z) (u : list nat) : Z := fold_right (fun m => Z.add (nth m keys 0)) 0 u.

Definition row_listing (D : Z) (keys : list Z) (row : list (Q * list nat)) : listing :=
  sum_all (map (fun o => [(sum_of keys (snd o), over D (fst o))]) row).

Definition denominator (t : table) : Z := common_denominator (flat_map (map fst) (rows t)).

Definition listings (t : table) (keys : list Z) : list listing := map (row_listing (denominator t) keys) (rows t).

Definition no_user : listing := [(0, 1)].

Definition view_of (ls : list listing) (xs : list nat) : listing :=
  fold_right (fun x law => convolve law (entry ls [] x)) no_user xs.

(** ** What they compute *)

Open Scope R_scope.

(** The sum of the weights times a function of the sums; a weight is read by c. *)
Definition weighs {A} (c : A -> R) (l : list (Z * A)) (f : Z -> R) : R := total l (fun ka => c (snd ka) * f (fst ka)).

Lemma weighs_rev {A} (c : A -> R) l f : weighs c (rev_append l []) f = weighs c l f.
Proof.
  rewrite rev_append_rev, app_nil_r. apply total_permutation. symmetry. apply Permutation.Permutation_rev.
Qed.

Lemma onto_weighs {A C} (g : A -> C) (c : C -> R) l acc f :
  weighs c (onto g l acc) f = weighs (fun a => c (g a)) l f + weighs c acc f.
Proof.
  revert acc. induction l as [| [k a] l IH]; intros acc; simpl; [unfold weighs; simpl; ring |].
  rewrite IH. unfold weighs. simpl. ring.
Qed.

Lemma merge_weighs {A B C} (left : A -> C) (right : B -> C) (both : A -> B -> C)
    (c : C -> R) (a : A -> R) (b : B -> R) l m f :
  (forall x, c (left x) = a x) -> (forall y, c (right y) = b y) -> (forall x y, c (both x y) = a x + b y) ->
  weighs c (merge left right both l m) f = weighs a l f + weighs b m f.
Proof.
  intros HA HB HC.
  assert (EA : forall l, weighs (fun x => c (left x)) l f = weighs a l f)
    by (intros; apply total_ext; intros; rewrite HA; reflexivity).
  assert (EB : forall l, weighs (fun x => c (right x)) l f = weighs b l f)
    by (intros; apply total_ext; intros; rewrite HB; reflexivity).
  assert (X : forall l m acc, weighs c (merge_onto left right both l m acc) f =
    weighs a l f + weighs b m f + weighs c acc f).
  { clear l m. induction l as [| [k x] l IH]; intros m acc; cbn [merge_onto].
    - rewrite onto_weighs, EB. change (weighs a [] f) with 0. ring.
    - revert acc. induction m as [| [j y] m IHm]; intros acc.
      + rewrite onto_weighs, EA. unfold weighs. simpl. rewrite HA. ring.
      + destruct (Z.compare_spec k j) as [<- | L | L].
        * rewrite IH. unfold weighs. simpl. rewrite HC. ring.
        * rewrite IH. unfold weighs. simpl. rewrite HA. ring.
        * rewrite IHm. unfold weighs. simpl. rewrite HB. ring. }
  unfold merge. rewrite weighs_rev, X. unfold weighs. simpl. ring.
Qed.

Lemma sum_weighs l m f : weighs IZR (sum l m) f = weighs IZR l f + weighs IZR m f.
Proof. apply merge_weighs; try reflexivity. apply plus_IZR. Qed.

Lemma sum_pairs_weighs ls f :
  total (sum_pairs ls) (fun l => weighs IZR l f) = total ls (fun l => weighs IZR l f).
Proof.
  assert (X : forall n ls, (length ls <= n)%nat ->
    total (sum_pairs ls) (fun l => weighs IZR l f) = total ls (fun l => weighs IZR l f)); [| apply (X _ ls (le_n _))].
  clear ls. induction n as [| n IH]; intros [| l [| m ls]] L; try reflexivity; simpl in L; [lia |].
  simpl. rewrite sum_weighs, IH by lia. ring.
Qed.

Lemma concat_weighs ls f : weighs IZR (concat ls) f = total ls (fun l => weighs IZR l f).
Proof.
  induction ls as [| l ls IH]; [reflexivity |]. simpl. rewrite <- IH. apply total_app.
Qed.

Lemma sum_rounds_weighs n ls f : weighs IZR (sum_rounds n ls) f = total ls (fun l => weighs IZR l f).
Proof.
  revert ls. induction n as [| n IH]; intros [| l [| m ls]]; cbn [sum_rounds]; try reflexivity;
    try (simpl; ring); [apply concat_weighs |]. rewrite IH. apply sum_pairs_weighs.
Qed.

Lemma moved_weighs law kw f : weighs IZR (moved law kw) f = IZR (snd kw) * weighs IZR law (fun a => f (a + fst kw)%Z).
Proof.
  destruct kw as [k w]. unfold moved. simpl fst. simpl snd. rewrite weighs_rev.
  assert (X : forall acc, weighs IZR (moved_onto k w law acc) f =
    IZR w * weighs IZR law (fun a => f (a + k)%Z) + weighs IZR acc f).
  { induction law as [| [a p] law IH]; intros acc; simpl; [unfold weighs; simpl; ring |].
    rewrite IH. unfold weighs. simpl. rewrite mult_IZR. ring. }
  rewrite X. unfold weighs. simpl. ring.
Qed.

Lemma convolve_weighs law row f :
  weighs IZR (convolve law row) f = weighs IZR row (fun k => weighs IZR law (fun a => f (a + k)%Z)).
Proof.
  unfold convolve, sum_all. rewrite sum_rounds_weighs, total_map. apply total_ext. intros kw _. apply moved_weighs.
Qed.

Lemma sum_of_app keys u v : sum_of keys (u ++ v) = (sum_of keys u + sum_of keys v)%Z.
Proof. induction u as [| m u IH]; [reflexivity |]. simpl. rewrite IH. ring. Qed.

Lemma weighs_ext {A} (c : A -> R) l f g : (forall k, f k = g k) -> weighs c l f = weighs c l g.
Proof. intros H. apply total_ext. intros ka _. rewrite H. reflexivity. Qed.

(** The listing is s times the law of the sum. *)
Definition lists (keys : list Z) (s : R) (law : listing) (P : dist (list nat)) : Prop :=
  forall f, weighs IZR law f = s * mean P (fun u => f (sum_of keys u)).

Theorem convolve_listed keys s t law row (R : nat -> dist (list nat)) x us :
  lists keys s law (messages R us) -> lists keys t row (R x) ->
  lists keys (t * s) (convolve law row) (messages R (x :: us)).
Proof.
  intros HL HR f. rewrite convolve_weighs, mean_messages_first.
  rewrite (weighs_ext IZR row _ (fun k => s * mean (messages R us) (fun v => f (sum_of keys v + k)%Z)))
    by (intros k; apply HL).
  rewrite HR, mean_scal, Rmult_assoc. f_equal. f_equal. apply mean_ext. intros mine. apply mean_ext. intros others.
  rewrite sum_of_app. f_equal. ring.
Qed.

Lemma no_user_listed keys (R : nat -> dist (list nat)) : lists keys 1 no_user (messages R []).
Proof. intros f. unfold weighs, no_user. simpl. rewrite mean_ret. simpl. ring. Qed.

Lemma entry_map {A B} (g : A -> B) l none x : entry (map g l) (g none) x = g (entry l none x).
Proof.
  unfold entry. rewrite <- (map_nth g). assert (L : last (map g l) (g none) = g (last l none));
    [| rewrite L; reflexivity].
  induction l as [| a l IH]; [reflexivity |]. destruct l as [| b l]; [reflexivity | exact IH].
Qed.

Lemma row_listed keys D row :
  (0 < D)%Z -> (forall o, In o row -> (Zpos (Qden (fst o)) | D)%Z) ->
  lists keys (IZR D) (row_listing D keys row) (row_law row).
Proof.
  intros HD H f. unfold row_listing, sum_all. rewrite sum_rounds_weighs, total_map. unfold mean, row_law.
  rewrite total_map, <- total_scal. apply total_ext. intros o I. unfold weighs. simpl.
  rewrite over_value by auto. ring.
Qed.

Lemma entry_in {A} (l : list A) none x : entry l none x = none \/ In (entry l none x) l.
Proof.
  unfold entry. destruct (nth_in_or_default x l (last l none)) as [I | ->]; [right; exact I |].
  destruct l as [| a l]; [left; reflexivity | right]. clear x. revert a.
  induction l as [| b l IH]; intros a; [left; reflexivity | right; apply IH].
Qed.

Lemma denominator_positive t : (0 < denominator t)%Z.
Proof. apply common_denominator_positive. Qed.

Theorem table_listed t keys x :
  lists keys (IZR (denominator t)) (entry (listings t keys) [] x) (table_law t x).
Proof.
  unfold listings, table_law. change [] with (row_listing (denominator t) keys []) at 1. rewrite entry_map.
  apply row_listed; [apply denominator_positive |]. intros o I. apply common_denominator_divides.
  destruct (entry_in (rows t) [] x) as [E | J]; [rewrite E in I; destruct I |].
  apply in_flat_map. eexists. split; [exact J | apply in_map, I].
Qed.

Theorem view_listed t keys xs :
  lists keys (IZR (denominator t) ^ length xs) (view_of (listings t keys) xs) (messages (table_law t) xs).
Proof.
  induction xs as [| x xs IH]; [apply no_user_listed |].
  simpl pow. apply convolve_listed; [exact IH | apply table_listed].
Qed.
