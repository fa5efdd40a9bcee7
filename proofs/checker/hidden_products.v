(** The pairs of inputs of several randomizers at once, of users who may be away and then send independent dummies.

    As product_pairs.v, with the kinds of beside_kinds.v, whose classes are mixed once they are multiplied.
    [hidden_product_right]: every pair of inputs and every row is there, with its classes, for all randomizers and
      dummies
    of which a program tells the kinds; [hidden_product_attained]: and nothing else is.

    Source: docs/certificates.md, "Other families". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick events adding_a_user mean_excess hidden_message
  blanket classes least_values swap_vertices.
From Exactdp Require Import shuffler absent_users k_ary_classes unary_classes subset_classes hadamard_classes
  hashing_classes.
From ExactdpChecker Require Import claims witnesses blanket_program matrix_blanket family_blanket described_pairs
  described_beside.
From ExactdpChecker Require Import family_rows laws_of_noise laplace_table product_pairs beside_kinds absence_laws
  away_rows participation_rows.
From ExactdpChecker Require Import opaque_rationals.
From ExactdpChecker Require posed.
Import ListNotations.
Open Scope nat_scope.

(** ** The program *)

Definition hidden_randomizer : Type := (randomizer * absence)%type.

Definition hidden_eq_dec : forall a b : hidden_randomizer, {a = b} + {a <> b}.
Proof.
  decide equality; [| apply randomizer_eq_dec]. decide equality; [apply list_eq_dec, rational_eq_dec | apply Z.eq_dec].
Defined.

Definition same_hidden (a b : hidden_randomizer) : bool := if hidden_eq_dec a b then true else false.

Definition same_hidden_kind (a b : hidden_randomizer * nat) : bool :=
  Nat.eqb (snd a) (snd b) && same_hidden (fst a) (fst b).

Definition kinds_or_none (ra : hidden_randomizer) : list kind_beside :=
  match kinds_beside ra with Some kinds => kinds | None => [] end.

Definition hidden_kinds : Type := list (hidden_randomizer * nat * kind_beside).

Definition hidden_chosen (of : list hidden_randomizer) : list hidden_kinds :=
  filter (fun chosen => negb (forallb (fun c => snd (snd c)) chosen))
    (choices same_hidden None (map (fun ra => (ra, kinds_or_none ra)) of)).

Definition beside_blanket_chosen (chosen : hidden_kinds) : list beside :=
  product_of_beside (map (fun c => fst (fst (snd c))) chosen).

Definition hidden_rows_chosen (chosen : hidden_kinds) : list (list (hidden_randomizer * nat * nat * list beside)) :=
  choices same_hidden_kind None (map (fun c => (fst c, snd (fst (snd c)))) chosen).

Definition hidden_pair_chosen (q : Q) (chosen : hidden_kinds) : input_pair :=
  {| of_blanket := map (mixed_class q) (beside_blanket_chosen chosen);
     of_others := map (fun row => map (mixed_class q) (product_of_beside (map snd row))) (hidden_rows_chosen chosen) |}.

Definition hidden_product_pairs (of : list hidden_randomizer) (q : Q) : list input_pair :=
  map (hidden_pair_chosen q) (hidden_chosen of).

(** Whether the kinds of all are told. *)
Definition all_told (of : list hidden_randomizer) : bool :=
  forallb (fun ra => posed.randomizer_is_posed (listed_randomizer (fst ra)) && match kinds_beside ra with Some _ =>
    true | None => false end) of.

Open Scope R_scope.

(** ** All of them together *)

Local Notation independent := hockey_stick.independent.

Definition hidden_posed (ra : hidden_randomizer) : Prop :=
  randomizer_posed (fst ra) /\ absence_posed (fst ra) (snd ra) /\ hides (snd ra) /\
  beside_right (outcome (fst ra)) (input_count (fst ra)) (dummy (fst ra) (snd ra)) (kinds_or_none ra) (is_full ra).

Definition listed_beside (c : hidden_randomizer * nat * kind_beside) : Prop :=
  nth_error (kinds_or_none (fst (fst c))) (snd (fst c)) = Some (snd c).

Definition dummies (of : list hidden_randomizer) : dist (list answer) := dummy_report (map fst of) (map snd of).

Lemma dummies_first ra of :
  same_law (dmap pushed (independent (dummy (fst ra) (snd ra)) (dummies of))) (dummies (ra :: of)).
Proof.
  intros f. unfold dummies. cbn [map dummy_report]. unfold independent. rewrite mean_dmap, !mean_bind. apply mean_ext.
    intros a.
  rewrite !mean_dmap. reflexivity.
Qed.

Lemma describes_beside_report ra of x y (D : dist answer) (D' D'' : dist (list answer)) a b :
  let r := fst ra in
  same_law (dmap pushed (independent D D')) D'' ->
  describes_beside (outcome r (x mod input_count r)) (outcome r (y mod input_count r)) D (dummy r (snd ra)) a ->
  describes_beside (report (map fst of) (x / input_count r)) (report (map fst of) (y / input_count r)) D' (dummies of)
    b ->
  describes_beside (report (map fst (ra :: of)) x) (report (map fst (ra :: of)) y) D'' (dummies (ra :: of))
    (products_beside a b).
Proof.
  intros r S H H'. eapply describes_beside_same_law; [apply report_first | apply report_first | exact S | apply
    dummies_first |].
  apply describes_beside_renamed; [apply pushed_once | apply describes_product_beside; assumption].
Qed.

Lemma alone_beside (P Q D U : dist (list answer)) : P = ret [] -> Q = ret [] -> D = ret [] -> U = ret [] ->
  describes_beside P Q D U (product_of_beside []).
Proof.
  intros -> -> -> ->. apply (described_beside_on _ _ _ _ _ [[]]).
  - constructor; [intros [] | constructor].
  - intros wa I. rewrite !in_app_iff in I. destruct I as [[<- | []] | [[<- | []] | [[<- | []] | [<- | []]]]]; left;
      reflexivity.
  - assert (One : mass (ret (@nil answer)) [] = 1).
    { unfold mass. rewrite Pr_ret. unfold indicator. destruct (hockey_stick.same [] []) as [_ | N]; [reflexivity |
        congruence]. }
    intros f F. cbn [total map product_of_beside fold_right]. unfold four_masses, masses_at, real_beside, real_class.
      rewrite One.
    unfold under_first, under_second, under_reference. cbn [fst snd]. rewrite Q2R_1. reflexivity.
Qed.

Lemma hidden_report_right of : (forall ra, In ra of -> hidden_posed ra) ->
  exists c, (forall x, lies_below c (report (map fst of) x)) /\
    forall x y, exists ks, map key ks = of /\ Forall listed_beside ks /\
      (Forall (fun k => snd (snd k) = true) ks -> same_law (report (map fst of) x) (report (map fst of) y)) /\
      describes_beside (report (map fst of) x) (report (map fst of) y) c (dummies of) (beside_blanket_chosen ks) /\
      forall v, exists os, Forall2 (fun k o => In o (snd (fst (snd k)))) ks os /\
        describes_beside (report (map fst of) x) (report (map fst of) y) (report (map fst of) v) (dummies of)
          (product_of_beside os).
Proof.
  induction of as [| ra of IH]; intros P.
  - exists (ret []). split; [intros x; split; [exact (proj1 (proper_ret [])) | intros a; apply Rle_refl] |]. intros x
      y. exists [].
    split; [reflexivity |]. split; [constructor |]. split; [intros _ f; reflexivity |].
    split; [apply alone_beside; reflexivity |]. intros v. exists []. split; [constructor | apply alone_beside;
      reflexivity].
  - destruct IH as [c' [Below' Each']]; [intros s I; apply P; right; exact I |].
    destruct (P ra ltac:(left; reflexivity)) as [Pr [_ [_ [[c [Below Each]] _]]]]. set (r := fst ra) in *.
    assert (Dr := input_count_positive r Pr).
    assert (M : forall x, (x mod input_count r < input_count r)%nat) by (intros x; apply Nat.mod_upper_bound; lia).
    assert (Pof : forall s, In s (map fst of) -> randomizer_posed s).
    { intros s I. apply in_map_iff in I. destruct I as [rb [<- I]]. apply (P rb (or_intror I)). }
    exists (dmap pushed (independent c c')). split.
    + intros x. assert (L := below_renamed pushed _ _ pushed_once
        (proj1 (proper_independent _ _ (proper_outcome r (x mod input_count r) Pr) (proper_report (map fst of) (x /
          input_count r) Pof)))
        (product_below _ _ _ _ (Below _ (M x)) (Below' (x / input_count r)%nat))).
      destruct L as [S L]. split; [exact S |]. intros a. cbn [map]. fold r. rewrite <- (same_mass _ _ a (report_first r
        (map fst of) x)). apply L.
    + intros x y. destruct (Each _ _ (M x) (M y)) as [k [K [Same [B O]]]].
      destruct (Each' (x / input_count r)%nat (y / input_count r)%nat) as [ks [Keys [Listed [Same' [B' O']]]]].
      destruct (In_nth_error _ _ K) as [i Hi]. exists ((ra, i, k) :: ks).
      split; [simpl; rewrite Keys; reflexivity |]. split; [constructor; [exact Hi | exact Listed] |]. split; [| split].
      * intros All. inversion_clear All as [| ? ? A1 A2]. intros f. cbn [map]. fold r.
        rewrite <- (report_first r (map fst of) x f), <- (report_first r (map fst of) y f).
        unfold independent. rewrite !mean_dmap, !mean_bind. rewrite (Same A1). apply mean_ext. intros a.
        rewrite !mean_dmap. apply (Same' A2).
      * eapply describes_beside_report; [intros f; reflexivity | exact B | exact B'].
      * intros v. destruct (O _ (M v)) as [o [Io To]]. destruct (O' (v / input_count r)%nat) as [os [Ios Tos]].
        exists (o :: os). split; [constructor; assumption |].
        eapply describes_beside_report; [apply report_first | exact To | exact Tos].
Qed.

Lemma hidden_choice_attained ks : forall os, (forall ra, In ra (map key ks) -> hidden_posed ra /\ is_full ra = true) ->
  Forall listed_beside ks ->
  Forall2 (fun k o => In o (snd (fst (snd k)))) ks os ->
  let of := map fst (map key ks) in
  exists x y v, (x < report_inputs of /\ y < report_inputs of /\ v < report_inputs of)%nat /\
    describes_beside (report of x) (report of y) (report of v) (dummies (map key ks)) (product_of_beside os).
Proof.
  induction ks as [| [[ra i] k] ks IH]; intros os P L H; inversion H as [| ? o ? os' H1 H2]; subst.
  - exists 0%nat, 0%nat, 0%nat. split; [simpl; lia |]. apply alone_beside; reflexivity.
  - inversion L as [| ? ? L1 L2]. subst. cbn [map] in *. change (key (ra, i, k)) with ra in *.
    destruct (IH os' (fun s I => P s (or_intror I)) L2 H2) as [x [y [v [[X [Y V]] D]]]].
    destruct (P ra (or_introl eq_refl)) as [[Pr [_ [_ [_ Attained]]]] Full].
    destruct (Attained Full k o (nth_error_In _ _ L1) H1) as [x0 [y0 [v0 [[X0 [Y0 V0]] D0]]]].
    set (r := fst ra) in *. set (d := input_count r) in *. set (D1 := report_inputs (map fst (map key ks))) in *.
    assert (Digit : forall a b, (a < d)%nat -> ((a + d * b) mod d = a /\ (a + d * b) / d = b)%nat).
    { intros a b A. rewrite (Nat.mul_comm d b), Nat.mod_add, Nat.div_add, Nat.mod_small, Nat.div_small by lia. lia. }
    assert (Less : forall a b, (a < d)%nat -> (b < D1)%nat -> (a + d * b < d * D1)%nat) by (intros; nia).
    exists (x0 + d * x)%nat, (y0 + d * y)%nat, (v0 + d * v)%nat. split; [auto |].
    destruct (Digit x0 x X0) as [Ex1 Ex2], (Digit y0 y Y0) as [Ey1 Ey2], (Digit v0 v V0) as [Ev1 Ev2].
    eapply (describes_beside_report ra (map key ks)); [apply report_first | |]; fold r d; rewrite ?Ex1, ?Ey1, ?Ev1,
      ?Ex2, ?Ey2, ?Ev2; assumption.
Qed.

(** *** In one order *)

Lemma same_hidden_is a b : same_hidden a b = true <-> a = b.
Proof. unfold same_hidden. destruct (hidden_eq_dec a b); split; congruence. Qed.

Lemma same_hidden_kind_is a b : same_hidden_kind a b = true <-> a = b.
Proof.
  unfold same_hidden_kind. rewrite andb_true_iff, Nat.eqb_eq, same_hidden_is. destruct a, b. simpl. split.
  - intros [-> ->]. reflexivity.
  - intros E. injection E as -> ->. auto.
Qed.

Definition rows_beside_kind (ri : hidden_randomizer * nat) : list (list beside) :=
  match nth_error (kinds_or_none (fst ri)) (snd ri) with Some k => snd (fst k) | None => [] end.

Lemma hidden_rows_by_key ks : Forall listed_beside ks ->
  hidden_rows_chosen ks = choices same_hidden_kind None (map (fun ri => (ri, rows_beside_kind ri)) (map fst ks)).
Proof.
  intros L. unfold hidden_rows_chosen. f_equal. rewrite map_map. apply map_ext_in. intros c I. rewrite Forall_forall in
    L.
  unfold rows_beside_kind. rewrite (L c I). reflexivity.
Qed.

Lemma hidden_row_in_order ks ks' os : Permutation ks ks' -> Forall listed_beside ks' ->
  Forall2 (fun k o => In o (snd (fst (snd k)))) ks os ->
  exists row, In row (hidden_rows_chosen ks') /\ Permutation os (map snd row).
Proof.
  intros P L H.
  assert (Ls : exists l, map fst l = ks /\ map snd l = os /\ Forall (fun ko => In (snd ko) (snd (fst (snd (fst ko)))))
    l).
  { clear -H. induction H as [| k o ks os H _ [l [E1 [E2 A]]]]; [exists []; auto |]. exists ((k, o) :: l).
    simpl. rewrite E1, E2. auto. }
  destruct Ls as [l [E1 [E2 A]]]. rewrite <- E1 in P. apply Permutation_sym, Permutation_map_inv in P.
  destruct P as [l' [E P]]. assert (A' : Forall (fun ko => In (snd ko) (snd (fst (snd (fst ko))))) l') by (rewrite <-
    P; exact A).
  assert (Ms : exists m : list (hidden_randomizer * nat * nat * list beside), map key m = map fst ks' /\
    map snd m = map snd l' /\ Forall (listed_there rows_beside_kind) m).
  { rewrite E in L |- *. clear -L A'. induction l' as [| [c o] l IH]; [exists []; auto |].
    inversion L as [| ? ? L1 L2]. inversion A' as [| ? ? A1 A2]. subst. destruct (IH L2 A2) as [m [M1 [M2 M3]]].
    destruct (In_nth_error _ _ A1) as [j J]. exists ((fst c, j, o) :: m). split; [simpl; rewrite M1; reflexivity |].
    split; [simpl; rewrite M2; reflexivity |]. constructor; [| exact M3].
    unfold listed_there, rows_beside_kind, key. cbn [fst snd]. cbn [map fst] in L1. rewrite L1. exact J. }
  destruct Ms as [m [M1 [M2 M3]]]. destruct (in_one_order same_hidden_kind rows_beside_kind same_hidden_kind_is m) as
    [m' [Pm [Qm Om]]].
  exists m'. split.
  - rewrite (hidden_rows_by_key ks' L), <- M1, <- Qm. apply (choices_complete same_hidden_kind rows_beside_kind); [|
      exact Om].
    rewrite <- Pm. exact M3.
  - rewrite <- E2, <- Pm, M2, P. reflexivity.
Qed.

(** *** Mixed *)

Section hidden.

Variables (of : list hidden_randomizer) (q : Q).
Hypothesis all_posed : forall ra, In ra of -> hidden_posed ra.
Hypothesis often : 0 < Q2R q < 1.

Let names := map fst of.

Definition hidden_reports (x : nat) : dist (list (list answer)) := away (Q2R q) (sent (report names x)) (sent (dummies
  of)).

Lemma names_posed r : In r names -> randomizer_posed r.
Proof. intros I. apply in_map_iff in I. destruct I as [ra [<- I]]. apply (all_posed ra I). Qed.

Lemma proper_dummies : proper (dummies of).
Proof.
  apply proper_dummy_report; [exact names_posed |]. clear names. unfold hidden_posed in all_posed.
  induction of as [| ra l IH]; [constructor |]. cbn [map]. constructor; [| apply IH; intros rb I; apply all_posed; right; exact I].
  destruct (all_posed ra (or_introl eq_refl)) as [_ [Ab [Hi _]]]. split; assumption.
Qed.

Lemma mixed_reports (D : dist (list answer)) x y classes :
  describes_beside (report names x) (report names y) D (dummies of) classes ->
  describes (hidden_reports x) (hidden_reports y) (away (Q2R q) (sent D) (sent (dummies of))) (map (mixed_class q)
    classes).
Proof.
  intros H. apply (mixed_describes q (sent (report names x)) (sent (report names y)) (sent D) (sent (dummies of)));
    try (intros f; apply mean_away).
  apply describes_beside_renamed; [apply single_injective | exact H].
Qed.

Theorem hidden_product_right : pairs_right hidden_reports (report_inputs names) (hidden_product_pairs of q).
Proof.
  assert (Pr : forall x, proper (hidden_reports x)).
  { intros x. apply proper_away; [lra | apply proper_sent, proper_report; exact names_posed | apply proper_sent,
      proper_dummies]. }
  split; [intros v _; apply Pr |]. destruct (hidden_report_right of all_posed) as [c [Below Each]]. fold names in
    Below, Each.
  set (reference := away (Q2R q) (sent c) (sent (dummies of))).
  assert (Below' : forall v, lies_below reference (hidden_reports v)).
  { intros v. apply away_below; [lra | apply below_sent, Below | apply proper_sent, proper_dummies]. }
  exists reference. split; [intros v _; apply Below' |]. intros x y _ _. destruct (Each x y) as [ks [K [L [Same [B
    O]]]]].
  destruct (in_one_order same_hidden kinds_or_none same_hidden_is ks) as [ks' [Pm [Keys Ord]]].
  assert (L' : Forall listed_beside ks') by (rewrite <- Pm; exact L).
  assert (I : In ks' (choices same_hidden None (map (fun ra => (ra, kinds_or_none ra)) of))).
  { rewrite <- K, <- Keys. apply (choices_complete same_hidden kinds_or_none); assumption. }
  destruct (forallb (fun c => snd (snd c)) ks') eqn:All.
  { left. assert (S : same_law (report names x) (report names y)).
    { apply Same. rewrite Pm. rewrite forallb_forall in All. apply Forall_forall, All. }
    intros f. unfold hidden_reports, sent. rewrite !mean_away, !mean_dmap, S. reflexivity. }
  right. exists (hidden_pair_chosen q ks').
  assert (B' : describes (hidden_reports x) (hidden_reports y) reference (of_blanket (hidden_pair_chosen q ks'))).
  { apply mixed_reports. apply (alike_describes_beside _ _ _ _ (beside_blanket_chosen ks)); [| exact B].
    apply in_any_order_beside, Permutation_map, Pm. }
  split; [apply in_map, filter_In; rewrite All; auto |]. split; [apply (described_weight _ _ _ _ B') |].
  split; [apply described_tells; [exact (proj1 (Below' x)) | exact B'] |].
  intros v _. destruct (O v) as [os [Qo D]]. destruct (hidden_row_in_order ks ks' os Pm L' Qo) as [row [R Po]].
  exists (map (mixed_class q) (product_of_beside (map snd row))).
  split; [apply (in_map (fun row => map (mixed_class q) (product_of_beside (map snd row)))), R |].
  apply described_tells; [exact (proj1 (Pr v)) |]. apply mixed_reports.
  apply (alike_describes_beside _ _ _ _ (product_of_beside os)); [apply in_any_order_beside, Po | exact D].
Qed.

Theorem hidden_product_attained pair : forallb is_full of = true -> In pair (hidden_product_pairs of q) ->
  others_attained hidden_reports (report_inputs names) pair.
Proof.
  intros Full I classes J. apply in_map_iff in I. destruct I as [ks [<- I]]. cbn [hidden_pair_chosen of_others] in J.
  apply in_map_iff in J. destruct J as [row [<- J]]. apply filter_In in I. destruct I as [I _].
  apply (choices_listed same_hidden kinds_or_none) in I. destruct I as [K L].
  rewrite (hidden_rows_by_key ks L) in J. apply (choices_listed same_hidden_kind rows_beside_kind) in J. destruct J as
    [E V].
  assert (F : Forall2 (fun k o => In o (snd (fst (snd k)))) ks (map snd row)).
  { clear -L V E. revert row V E. induction ks as [| c ks IH]; intros row V E; destruct row as [| m row]; try
      discriminate; [constructor |].
    inversion L as [| ? ? L1 L2]. inversion V as [| ? ? V1 V2]. subst. injection E as E1 E2. constructor; [| apply IH;
      assumption].
    unfold listed_there, rows_beside_kind in V1. rewrite E1, L1 in V1. apply (nth_error_In _ _ V1). }
  assert (P : forall ra, In ra (map key ks) -> hidden_posed ra /\ is_full ra = true).
  { rewrite forallb_forall in Full. rewrite K. intros ra Ir. split; [apply all_posed, Ir | apply Full, Ir]. }
  destruct (hidden_choice_attained ks (map snd row) P L F) as [x [y [v [[X [Y V0]] D]]]]. cbv zeta in X, Y, V0, D.
    rewrite K in X, Y, V0, D. fold names in X, Y, V0, D.
  exists x, y, v. repeat (split; [assumption |]). apply described_tells; [| apply mixed_reports, D].
  assert (Pr : proper (hidden_reports v)); [| exact (proj1 Pr)].
  apply proper_away; [lra | apply proper_sent, proper_report; exact names_posed | apply proper_sent, proper_dummies].
Qed.

End hidden.

Lemma all_told_sound of : (forall ra, In ra of -> randomizer_posed (fst ra) /\ absence_posed (fst ra) (snd ra) /\ hides
  (snd ra)) ->
  all_told of = true -> forall ra, In ra of -> hidden_posed ra.
Proof.
  intros P T ra I. unfold all_told in T. rewrite forallb_forall in T. specialize (T ra I). apply andb_true_iff in T.
  destruct T as [T1 T2]. destruct (P ra I) as [Pr [Ab Hi]]. repeat (split; [assumption |]). destruct ra as [r a].
  unfold kinds_or_none. destruct (kinds_beside (r, a)) as [kinds |] eqn:K; [| discriminate].
  apply kinds_beside_right; try assumption. apply posed.randomizer_is_posed_sound, T1.
Qed.
