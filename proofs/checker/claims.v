(** What a certificate claims: the one file to read before the theorem [check_sound] of checked.v is believed.

    [claim] is the abstract syntax of the claims of docs/certificates.md, one constructor for each kind, and
    [holds : claim -> Prop] says what each of them means, in the words of the development: randomizers are programs
    of type [nat -> dist (list M)], with the shuffler; noise laws are mass functions on the integers; privacy is for
    all events and for all neighbouring data sets. [well_posed] says that what a claim speaks of exists: that each
    table has probabilities that sum to 1, each parameter lies in its domain, and the shifts and counts that are spoken
    of are some. Nothing else in this folder is trusted to say what has been proved, but claim_text.v, how a claim is
    written in a file: programs, witnesses and their soundness are read by Coq's kernel.

    Numbers are integers [Z] and rationals [Q] of any size. Inputs of a randomizer are numbered from 0; a number
    beyond the last input stands for the last one, so that every list of numbers is a data set. For tables, messages
    are numbered from 0 as well.

    Source: docs/certificates.md, whose statements these are. *)

From Coq Require Import ZArith QArith Qreals Reals List Permutation.
From Coquelicot Require Import Series.
From Exactdp Require Import sums reals laws privacy masses hockey_stick shuffler adding_a_user.
From Exactdp Require Import shifts smooth binomial geometric_noise noise_on_naturals log_concave_laws uniform_ends.
From Exactdp Require Import moved_bystanders absent_users supports.
From Exactdp Require Import multivariate handelman box_inequality one_count adaptive_composition.
From Exactdp Require Import bits countable_programs negative_binomial_law negative_binomial_sums correlated_counting.
From Exactdp Require Import sample_and_threshold.
From Exactdp Require Import k_ary_classes unary_classes subset_classes hadamard_classes hashing_classes.
From Exactdp Require split_and_mix.
Import ListNotations.
Open Scope R_scope.

(** ** Real parameters *)

Inductive real : Type :=
  | Rational (q : Q)
  | Exponential (x : real)
  | Logarithm (x : real)
  | Inverse (x : real)
  | Plus (x y : real)
  | Times (x y : real)
  | Power (x : real) (k : nat).

Fixpoint value (x : real) : R :=
  match x with
  | Rational q => Q2R q
  | Exponential y => exp (value y)
  | Logarithm y => ln (value y)
  | Inverse y => / value y
  | Plus y z => value y + value z
  | Times y z => value y * value z
  | Power y k => value y ^ k
  end.

(** Logarithms are of positive numbers, inverses of numbers that are not 0. *)
Fixpoint is_number (x : real) : Prop :=
  match x with
  | Rational _ => True
  | Exponential y => is_number y
  | Logarithm y => is_number y /\ 0 < value y
  | Inverse y => is_number y /\ value y <> 0
  | Plus y z | Times y z => is_number y /\ is_number z
  | Power y _ => is_number y
  end.

(** ** Lists of numbers *)

(** The entry in this place, the last one beyond the end. *)
Definition entry {A} (l : list A) (none : A) (place : nat) : A := nth place l (last l none).

(** The data set in which as many users hold each input as the list says. *)
Fixpoint data_set_from (first : nat) (histogram : list Z) : list nat :=
  match histogram with
  | [] => []
  | count :: rest => repeat first (Z.to_nat count) ++ data_set_from (S first) rest
  end.

Definition data_set (histogram : list Z) : list nat := data_set_from 0 histogram.

(** ** Randomizers *)

(** One row for each input; an outcome is its probability and the messages that are sent. *)
Record table : Type := { message_types : nat; rows : list (list (Q * list nat)) }.

Definition row_law (row : list (Q * list nat)) : dist (list nat) := map (fun o => (Q2R (fst o), snd o)) row.

Definition table_law (t : table) (x : nat) : dist (list nat) := row_law (entry (rows t) [] x).

Definition row_posed (messages : nat) (row : list (Q * list nat)) : Prop :=
  (forall o, In o row -> (0 < fst o)%Q /\ forall m, In m (snd o) -> (m < messages)%nat) /\
  (fold_right Qplus 0 (map fst row) == 1)%Q.

Definition table_posed (t : table) : Prop := rows t <> [] /\ forall row, In row (rows t) ->
  row_posed (message_types t) row.

(** The families, with their parameters; E0 is a rational e^eps0. *)
Inductive family : Type :=
  | KAry (inputs : Z) (E0 : Q)
  | UnaryEncoding (inputs : Z) (one other : Q)
  | SubsetSelection (inputs size : Z) (E0 : Q)
  | Hadamard (inputs : Z) (E0 : Q)
  | LocalHashing (inputs buckets : Z) (E0 : Q)
  | ClippedLaplace (top : Z) (ratio : Q).

Definition family_posed (f : family) : Prop :=
  match f with
  | KAry k E0 => (2 <= k)%Z /\ 1 < Q2R E0
  | UnaryEncoding d p q => (2 <= d)%Z /\ 0 < Q2R q < Q2R p /\ Q2R p < 1
  | SubsetSelection d w E0 => (1 <= w < d)%Z /\ 1 < Q2R E0
  | Hadamard d E0 => (2 <= d)%Z /\ 1 < Q2R E0
  | LocalHashing d g E0 => (2 <= d)%Z /\ (2 <= g)%Z /\ 1 < Q2R E0
  | ClippedLaplace top r => (1 <= top)%Z /\ 0 < Q2R r < 1
  end.

(** x and y from 0 to top: what lies beyond the ends falls on them. *)
Definition clipped_laplace (top : nat) (r : R) (x : nat) : dist nat :=
  map (fun y =>
    let distance := Z.abs_nat (Z.of_nat x - Z.of_nat y) in
    (if (Nat.eqb y 0 || Nat.eqb y top)%bool then r ^ distance / (1 + r) else r ^ distance * (1 - r) / (1 + r), y))
    (seq 0 (S top)).

(** How many inputs a family has. *)
Definition inputs_of (f : family) : Z :=
  match f with
  | KAry d _ | UnaryEncoding d _ _ | SubsetSelection d _ _ | Hadamard d _ | LocalHashing d _ _ => d
  | ClippedLaplace top _ => top + 1
  end.

(** What all runs show to an observer, in one type; a report lists what several randomizers send at once. *)
Inductive answer : Type :=
  | Number (t : Z)
  | Messages (u : list nat)
  | Patterns (u : list (list bool))
  | Hashes (u : list (list nat * nat))
  | Reports (u : list (list answer))
  | Named (names : list nat) (a : answer).

Inductive randomizer : Type :=
  | Table (t : table)
  | Family (f : family).

Definition randomizer_posed (r : randomizer) : Prop :=
  match r with
  | Table t => table_posed t
  | Family f => family_posed f
  end.

(** The inputs 0, ..., d - 1, and one message for each user. *)
Definition on_inputs {M} (d : Z) (R : nat -> dist M) (x : nat) : dist (list M) :=
  one_message R (Nat.min x (Z.to_nat d - 1)).

(** A statement about a randomizer as a program, whatever the type of its messages, or what else is made of it; [show]
    makes them an [answer]. *)
Definition for_program {S : Type} (r : randomizer)
    (statement : forall M, (list M -> answer) -> (nat -> dist (list M)) -> S) : S :=
  match r with
  | Table t => statement nat Messages (table_law t)
  | Family (KAry k E0) => statement nat Messages (on_inputs k (k_ary_response (Z.to_nat k) (Q2R E0)))
  | Family (UnaryEncoding d p q) =>
      statement (list bool) Patterns (on_inputs d (unary_encoding (Z.to_nat d) (Q2R p) (Q2R q)))
  | Family (SubsetSelection d w E0) =>
      statement (list bool) Patterns (on_inputs d (subset_selection (Z.to_nat d) (Z.to_nat w) (Q2R E0)))
  | Family (Hadamard d E0) => statement (list bool) Patterns (on_inputs d (hadamard_response (Z.to_nat d) (Q2R E0)))
  | Family (LocalHashing d g E0) =>
      statement (list nat * nat)%type Hashes (on_inputs d (local_hashing (Z.to_nat d) (Z.to_nat g) (Q2R E0)))
  | Family (ClippedLaplace top r) =>
      statement nat Messages (on_inputs (top + 1) (clipped_laplace (Z.to_nat top) (Q2R r)))
  end.

(** *** Several randomizers at once *)

(** The messages in ascending order: the order in which one user sends them is not seen. *)
Fixpoint put_message (m : nat) (u : list nat) : list nat :=
  match u with
  | [] => [m]
  | o :: rest => if Nat.leb m o then m :: u else o :: put_message m rest
  end.

Definition in_order (u : list nat) : list nat := fold_right put_message [] u.

(** What is seen of the messages of one user. *)
Definition seen (a : answer) : answer := match a with Messages v => Messages (in_order v) | _ => a end.

(** What a user's randomizer shows of the input x. *)
Definition outcome (r : randomizer) (x : nat) : dist answer :=
  for_program r (fun _ show R => dmap (fun u => seen (show u)) (R x)).

Definition input_count (r : randomizer) : nat :=
  match r with
  | Table t => length (rows t)
  | Family f => Z.to_nat (inputs_of f)
  end.

(** An input is a list of inputs, one for each: the digits of x; the outcomes are independent. *)
Fixpoint report (of : list randomizer) (x : nat) : dist (list answer) :=
  match of with
  | [] => ret []
  | r :: rest => bind (outcome r (x mod input_count r))
      (fun a => dmap (cons a) (report rest (x / input_count r)))
  end.

Definition report_inputs (of : list randomizer) : nat := fold_right (fun r d => input_count r * d)%nat 1%nat of.

(** One message of each user: his report. *)
Definition together (of : list randomizer) : nat -> dist (list (list answer)) :=
  on_inputs (Z.of_nat (report_inputs of)) (report of).

Definition together_posed (of : list randomizer) : Prop := of <> [] /\ forall r, In r of -> randomizer_posed r.

(** ** Users who may be away *)

(** Who does not take part sends nothing; or nothing, and a list of those who do is published; or a dummy: a uniform
    message, one with these probabilities, or what a user with this input sends. *)
Inductive absence : Type := Counted | Listed | HiddenUniformly | Hidden (chances : list Q) | HiddenByInput (z : Z).

Definition absence_posed (r : randomizer) (a : absence) : Prop :=
  match a, r with
  | HiddenUniformly, Table t => (1 <= message_types t)%nat
  | Hidden chances, Table t => (forall c, In c chances -> 0 <= c)%Q /\ (fold_right Qplus 0 chances == 1)%Q
  | Hidden chances, Family (ClippedLaplace _ _) => (forall c, In c chances -> 0 <= c)%Q /\ (fold_right Qplus 0 chances
      == 1)%Q
  | Hidden _, _ => False
  | HiddenByInput z, _ => (0 <= z)%Z
  | _, _ => True
  end.

Definition sent {M} (d : dist M) : dist (list M) := dmap (fun m => [m]) d.

Definition by_chances (chances : list Q) : dist (list nat) :=
  sent (combine (map Q2R chances) (seq 0 (length chances))).

(** Users are numbered from 0; who takes part adds his number to what is published. *)
Definition with_name {M} (q : Q) (R : nat -> dist (list M)) (user : nat * nat) : dist (list (nat + M)) :=
  away (Q2R q) (dmap (fun u => inl (fst user) :: map inr u) (R (snd user))) (ret []).

Definition numbered (xs : list nat) : list (nat * nat) := combine (seq 0 (length xs)) xs.

Definition names {M} (u : list (nat + M)) : list nat := flat_map (fun m => match m with inl k => [k] | inr _ => [] end)
  u.

Definition unnamed {M} (u : list (nat + M)) : list M := flat_map (fun m => match m with inl _ => [] | inr m => [m] end)
  u.

(** A statement about what all users of a data set send, before it is shuffled, where each takes part with the
    probability q ([away] is of absent_users.v). *)
Definition for_absence (r : randomizer) (q : Q) (a : absence)
    (statement : forall M, (list M -> answer) -> (list nat -> dist (list M)) -> Prop) : Prop :=
  let or_else M show R D := statement M show (messages (fun x => away (Q2R q) (R x) D)) in
  let hidden M show R (all : dist M) := or_else M show R (sent all) in
  match a, r with
  | Counted, _ => for_program r (fun M show R => or_else M show R (ret []))
  | Listed, _ => for_program r (fun M show R => statement (nat + M)%type
      (fun u => Named (names u) (show (unnamed u))) (fun xs => messages (with_name q R) (numbered xs)))
  | HiddenByInput z, _ => for_program r (fun M show R => or_else M show R (R (Z.to_nat z)))
  | Hidden chances, Table t => or_else nat Messages (table_law t) (by_chances chances)
  | Hidden chances, Family (ClippedLaplace top c) =>
      or_else nat Messages (on_inputs (top + 1) (clipped_laplace (Z.to_nat top) (Q2R c))) (by_chances chances)
  | Hidden _, Family _ => False
  | HiddenUniformly, Table t => hidden nat Messages (table_law t) (shuffler.uniform (seq 0 (message_types t)))
  | HiddenUniformly, Family (KAry k E0) =>
      hidden nat Messages (on_inputs k (k_ary_response (Z.to_nat k) (Q2R E0))) (shuffler.uniform (seq 0 (Z.to_nat k)))
  | HiddenUniformly, Family (UnaryEncoding d p c) =>
      hidden (list bool) Patterns (on_inputs d (unary_encoding (Z.to_nat d) (Q2R p) (Q2R c)))
        (shuffler.uniform (bit_patterns (Z.to_nat d)))
  | HiddenUniformly, Family (SubsetSelection d w E0) =>
      hidden (list bool) Patterns (on_inputs d (subset_selection (Z.to_nat d) (Z.to_nat w) (Q2R E0)))
        (shuffler.uniform (subsets (Z.to_nat d) (Z.to_nat w)))
  | HiddenUniformly, Family (Hadamard d E0) =>
      hidden (list bool) Patterns (on_inputs d (hadamard_response (Z.to_nat d) (Q2R E0)))
        (shuffler.uniform (bit_patterns (hadamard_digits (Z.to_nat d))))
  | HiddenUniformly, Family (LocalHashing d g E0) =>
      hidden (list nat * nat)%type Hashes (on_inputs d (local_hashing (Z.to_nat d) (Z.to_nat g) (Q2R E0)))
        (bind (hash_function (Z.to_nat d) (Z.to_nat g)) (fun h => dmap (pair h) (shuffler.uniform (seq 0 (Z.to_nat
          g)))))
  | HiddenUniformly, Family (ClippedLaplace top c) =>
      hidden nat Messages (on_inputs (top + 1) (clipped_laplace (Z.to_nat top) (Q2R c)))
        (shuffler.uniform (seq 0 (S (Z.to_nat top))))
  end.

(** *** Several randomizers at once, of users who may be away *)

(** One message of those that there are. *)
Definition uniform_message (r : randomizer) : dist answer :=
  match r with
  | Table t => dmap (fun m => Messages [m]) (shuffler.uniform (seq 0 (message_types t)))
  | Family (KAry k _) => dmap (fun m => Messages [m]) (shuffler.uniform (seq 0 (Z.to_nat k)))
  | Family (UnaryEncoding d _ _) => dmap (fun m => Patterns [m]) (shuffler.uniform (bit_patterns (Z.to_nat d)))
  | Family (SubsetSelection d w _) =>
      dmap (fun m => Patterns [m]) (shuffler.uniform (subsets (Z.to_nat d) (Z.to_nat w)))
  | Family (Hadamard d _) =>
      dmap (fun m => Patterns [m]) (shuffler.uniform (bit_patterns (hadamard_digits (Z.to_nat d))))
  | Family (LocalHashing d g _) =>
      bind (hash_function (Z.to_nat d) (Z.to_nat g)) (fun h =>
        dmap (fun b => Hashes [(h, b)]) (shuffler.uniform (seq 0 (Z.to_nat g))))
  | Family (ClippedLaplace top _) => dmap (fun m => Messages [m]) (shuffler.uniform (seq 0 (S (Z.to_nat top))))
  end.

(** What is seen of the dummy of one randomizer. *)
Definition dummy (r : randomizer) (a : absence) : dist answer :=
  match a with
  | HiddenUniformly => uniform_message r
  | Hidden chances => dmap Messages (by_chances chances)
  | HiddenByInput z => outcome r (Z.to_nat z)
  | Counted | Listed => ret (Messages [])
  end.

(** Who does not take part sends nothing; or nothing, and a list of those who do is published; or independent dummies,
    one for each randomizer. *)
Inductive joint_absence : Type := AllCounted | AllListed | AllHidden (dummies : list absence).

Fixpoint dummy_report (of : list randomizer) (dummies : list absence) : dist (list answer) :=
  match of, dummies with
  | r :: of', a :: dummies' => bind (dummy r a) (fun u => dmap (cons u) (dummy_report of' dummies'))
  | _, _ => ret []
  end.

Definition hides (a : absence) : Prop := match a with Counted | Listed => False | _ => True end.

Definition joint_absence_posed (of : list randomizer) (a : joint_absence) : Prop :=
  match a with
  | AllCounted | AllListed => True
  | AllHidden dummies => Forall2 (fun r d => hides d /\ absence_posed r d) of dummies
  end.

(** As [for_absence], of several randomizers. *)
Definition for_joint_absence (of : list randomizer) (q : Q) (a : joint_absence)
    (statement : forall M, (list M -> answer) -> (list nat -> dist (list M)) -> Prop) : Prop :=
  let or_else D := statement (list answer) Reports (messages (fun x => away (Q2R q) (together of x) D)) in
  match a with
  | AllCounted => or_else (ret [])
  | AllListed => statement (nat + list answer)%type (fun u => Named (names u) (Reports (unnamed u)))
      (fun xs => messages (with_name q (together of)) (numbered xs))
  | AllHidden dummies => or_else (sent (dummy_report of dummies))
  end.

(** ** Noise laws *)

Inductive noise : Type :=
  | Finite (weights : list (Z * Q))
  | View (t : table) (histogram weights : list Z)
  | Binomial (n : Z) (p : real)
  | BinomialSum (n1 : Z) (p1 : real) (n2 : Z) (p2 : real)
  | NegativeBinomial (r p : real)
  | Geometric (p : real)
  | DiscreteLaplace (exp_eps : real)
  | DiscreteGaussian (sigma_squared : Q)
  | Poisson (mu : real)
  | DiscreteUniform (low high : Z).

(** r (r+1) ... (r+t-1) *)
Fixpoint rising_factorial (r : R) (t : nat) : R :=
  match t with
  | O => 1
  | S s => rising_factorial r s * (r + INR s)
  end.

Definition gaussian_weight (s : R) (t : Z) : R := exp (- (IZR t ^ 2) / (2 * s)).

Definition noise_mass (nu : noise) : Z -> R :=
  match nu with
  | Finite weights => fun t => total weights (fun kq => if Z.eqb (fst kq) t then Q2R (snd kq) else 0)
  | View tab histogram weights => fun t =>
      Pr (messages (table_law tab) (data_set histogram))
         (fun u => Z.eqb (fold_right (fun m => Z.add (nth m weights 0%Z)) 0%Z u) t)
  | Binomial n p => binomial (Z.to_nat n) (value p)
  | BinomialSum n1 p1 n2 p2 => fun t =>
      total (seq 0 (S (Z.to_nat n1)))
        (fun i => binom (Z.to_nat n1) (value p1) i * binomial (Z.to_nat n2) (value p2) (t - Z.of_nat i))
  | NegativeBinomial r p => on_naturals (fun t =>
      rising_factorial (value r) t / INR (fact t) * value p ^ t * Rpower (1 - value p) (value r))
  | Geometric p => on_naturals (fun t => (1 - value p) * value p ^ t)
  | DiscreteLaplace e => geometric_noise.geometric (/ value e)
  | DiscreteGaussian s => fun t =>
      gaussian_weight (Q2R s) t / (1 + 2 * Series (fun k => gaussian_weight (Q2R s) (Z.of_nat (S k))))
  | Poisson mu => on_naturals (fun t => exp (- value mu) * value mu ^ t / INR (fact t))
  | DiscreteUniform low high => uniform_on low high
  end.

Definition finite_posed (weights : list (Z * Q)) : Prop :=
  NoDup (map fst weights) /\ (forall kq, In kq weights -> (0 < snd kq)%Q) /\
  (fold_right Qplus 0 (map snd weights) == 1)%Q.

Definition noise_posed (nu : noise) : Prop :=
  match nu with
  | Finite weights => finite_posed weights
  | View t histogram weights =>
      table_posed t /\ length histogram = length (rows t) /\ length weights = message_types t /\
      forall c, In c histogram -> (0 <= c)%Z
  | Binomial n p => (0 <= n)%Z /\ is_number p /\ 0 <= value p <= 1
  | BinomialSum n1 p1 n2 p2 =>
      ((0 <= n1)%Z /\ is_number p1 /\ 0 <= value p1 <= 1) /\ ((0 <= n2)%Z /\ is_number p2 /\ 0 <= value p2 <= 1)
  | NegativeBinomial r p => (is_number r /\ 0 < value r) /\ (is_number p /\ 0 <= value p < 1)
  | Geometric p => is_number p /\ 0 <= value p < 1
  | DiscreteLaplace e => is_number e /\ 1 < value e
  | DiscreteGaussian s => 0 < Q2R s
  | Poisson mu => is_number mu /\ 0 <= value mu
  | DiscreteUniform low high => (low <= high)%Z
  end.

(** The sum of independent negative binomial laws, each given by r and p, on 0, 1, 2, ... *)
Definition negative_binomial_sum (parts : list (real * real)) : nat -> R :=
  fold_left (fun w rp => convolved_masses w (negative_binomial (value (fst rp)) (value (snd rp)))) parts no_noise.

(** ** Privacy *)

Inductive level : Type :=
  | ExpEps (E : Q)
  | Eps (eps : Q).

(** e^eps, and eps. *)
Definition ratio (l : level) : R :=
  match l with
  | ExpEps E => Q2R E
  | Eps eps => exp (Q2R eps)
  end.

Definition level_posed (l : level) (delta : Q) : Prop := 1 <= ratio l /\ 0 <= Q2R delta <= 1.

Inductive scope : Type := ThisNumber | AllFromIt.

Definition in_scope (s : scope) (n n' : nat) : Prop :=
  match s with
  | ThisNumber => n' = n
  | AllFromIt => (n <= n')%nat
  end.

Inductive neighboring : Type := ReplaceOne | AddOrRemoveOne.

Inductive least : Type := LeastNothing | LeastDelta | LeastExpEps.

(** The shuffled protocol of n users is (ln E, delta)-DP. *)
Definition private {M} (R : nat -> dist (list M)) (nb : neighboring) (n : nat) (E delta : Rdefinitions.R) : Prop :=
  match nb with
  | ReplaceOne => shuffle_dp n R (ln E) delta
  | AddOrRemoveOne => add_or_remove_below n R E delta
  end.

(** *** Classes of users, each with a randomizer of its own and a number of users *)

(** What a user sends, of a class in this place, in one type for all: a message of a table, or of the clipped Laplace
    family, is its number, and one of another family says besides which class it is of, in the classes that [named]
      says. *)
Definition class_name (named : nat -> bool) (place : nat) (r : randomizer) : option nat :=
  match r with
  | Table _ | Family (ClippedLaplace _ _) => None
  | Family _ => if named place then Some place else None
  end.

Definition sent_by (named : nat -> bool) (place : nat) (r : randomizer) (x : nat) : dist (list (option nat * answer)) :=
  for_program r (fun _ show R => dmap (map (fun m => (class_name named place r, show [m]))) (R x)).

Definition class_law (named : nat -> bool) (classes : list (randomizer * Z)) (user : nat * nat) :
    dist (list (option nat * answer)) :=
  match nth_error classes (fst user) with
  | Some (r, _) => sent_by named (fst user) r (snd user)
  | None => ret []
  end.

(** A data set is the class and the input of every user, class by class; one user, of the class [who] or of any, has
    another input. That holds whatever is told of the classes of messages. *)
Definition users_private (sent : (nat -> bool) -> nat * nat -> dist (list (option nat * answer))) (counts : list Z)
    (who : option Z) (E delta : R) : Prop :=
  forall named before place x y after,
  map fst (before ++ (place, x) :: after) = data_set counts ->
  (forall j, who = Some j -> Z.of_nat place = j) ->
  shuffle_below (sent named) (before ++ (place, x) :: after) (before ++ (place, y) :: after) E delta.

Definition classes_private (classes : list (randomizer * Z)) (who : option Z) (E delta : R) : Prop :=
  users_private (fun named => class_law named classes) (map snd classes) who E delta.

(** *** Classes whose users may be away, or run several randomizers at once *)

Inductive member : Type :=
  | Always (r : randomizer)
  | Sometimes (r : randomizer) (q : Q) (a : absence)
  | AlwaysAll (of : list randomizer)
  | SometimesAll (of : list randomizer) (q : Q) (a : joint_absence).

(** What is sent in the place of a message, of a class in this place. *)
Definition sent_instead_of (named : nat -> bool) (place : nat) (r : randomizer) (a : absence) :
    dist (list (option nat * answer)) :=
  match a with
  | Counted | Listed => ret []
  | _ => dmap (fun u => [(class_name named place r, u)]) (dummy r a)
  end.

(** Reports say which class they are of as messages of a family do. *)
Definition reports_sent (named : nat -> bool) (place : nat) (sent : dist (list (list answer))) :
    dist (list (option nat * answer)) :=
  dmap (map (fun m => (if named place then Some place else None, Reports [m]))) sent.

Definition reports_instead (of : list randomizer) (a : joint_absence) : dist (list (list answer)) :=
  match a with
  | AllCounted | AllListed => ret []
  | AllHidden dummies => sent (dummy_report of dummies)
  end.

Definition member_law (named : nat -> bool) (classes : list (member * Z)) (user : nat * nat) :
    dist (list (option nat * answer)) :=
  let '(place, x) := user in
  match nth_error classes place with
  | Some (Always r, _) => sent_by named place r x
  | Some (Sometimes r q a, _) => away (Q2R q) (sent_by named place r x) (sent_instead_of named place r a)
  | Some (AlwaysAll of, _) => reports_sent named place (together of x)
  | Some (SometimesAll of q a, _) => reports_sent named place (away (Q2R q) (together of x) (reports_instead of a))
  | None => ret []
  end.

Definition members_private (classes : list (member * Z)) (who : option Z) (E delta : R) : Prop :=
  users_private (fun named => member_law named classes) (map snd classes) who E delta.

(** Nobody in a class is listed. *)
Definition member_posed (m : member) : Prop :=
  match m with
  | Always r => randomizer_posed r
  | Sometimes r q a => randomizer_posed r /\ absence_posed r a /\ a <> Listed /\ 0 < Q2R q < 1
  | AlwaysAll of => together_posed of
  | SometimesAll of q a => together_posed of /\ joint_absence_posed of a /\ a <> AllListed /\ 0 < Q2R q < 1
  end.

(** The same of what all users send, as one law for each data set. *)
Definition published_dp {M} (V : list nat -> dist (list M)) (n : nat) (E delta : Rdefinitions.R) : Prop :=
  forall xs ys, neighbors xs ys -> length xs = n -> forall T, symmetric T -> Pr (V xs) T <= E * Pr (V ys) T + delta.

(** A count plus the noise w, where one record moves the count by at most [shift]. *)
Definition shift_private (w : Z -> R) (shift : Z) (E delta : R) : Prop :=
  forall j, (1 <= j <= shift)%Z -> mass_below w (shifted w j) E delta /\ mass_below (shifted w j) w E delta.

(** Nothing smaller will do: [at_level E delta] says that the mechanism is private there, for some n in scope. *)
Definition nothing_smaller (w : least) (at_level : R -> R -> Prop) (E delta : R) : Prop :=
  match w with
  | LeastNothing => True
  | LeastDelta => forall d, 0 <= d < delta -> ~ at_level E d
  | LeastExpEps => forall F, 1 <= F < E -> ~ at_level F delta
  end.

Definition shuffle_dp_holds {M} (R : nat -> dist (list M)) nb (n : nat) s w (E delta : Rdefinitions.R) : Prop :=
  (forall n', in_scope s n n' -> private R nb n' E delta) /\
  nothing_smaller w (fun F d => exists n', in_scope s n n' /\ private R nb n' F d) E delta.

(** ** Runs of a composition: for each the pairs of laws of an answer among which the observer may choose *)

Inductive run : Type :=
  | NoiseRun (nu : noise) (shift : Z)
  | RandomizerRun (r : randomizer) (n : Z) (nb : neighboring)
  | ProductRun (of : list randomizer) (n : Z)
  | AnyRun (E0 : Q) (n : Z)
  | ParticipationRun (r : randomizer) (q : Q) (a : absence) (n : Z)
  | AbsentProductRun (of : list randomizer) (q : Q) (a : joint_absence) (n : Z).

Definition number_mass (w : Z -> R) (a : answer) : R :=
  match a with
  | Number t => w t
  | _ => 0
  end.

Definition neighbors_of (nb : neighboring) (n : nat) (xs ys : list nat) : Prop :=
  match nb with
  | ReplaceOne => neighbors xs ys /\ length xs = n
  | AddOrRemoveOne => exists x, (Permutation xs (x :: ys) /\ length xs = n) \/
      (Permutation ys (x :: xs) /\ length ys = n)
  end.

(** What two neighbouring data sets show, with a shuffler. *)
Definition shown_views {M} nb (show : list M -> answer) (V : list nat -> dist (list M)) (n : Z) (P Q : answer ->
  Rdefinitions.R) :=
  exists xs ys, neighbors_of nb (Z.to_nat n) xs ys /\
    P = mass (dmap show (bind (V xs) shuffler)) /\ Q = mass (dmap show (bind (V ys) shuffler)).

Definition run_mechanism (r : run) : mechanism answer := fun P Q =>
  match r with
  | NoiseRun nu shift => exists c d, (Z.abs (c - d) <= shift)%Z /\
      P = number_mass (shifted (noise_mass nu) c) /\ Q = number_mass (shifted (noise_mass nu) d)
  | RandomizerRun r n nb => for_program r (fun M show R => shown_views nb show (messages R) n P Q)
  | ProductRun of n => shown_views ReplaceOne Reports (messages (together of)) n P Q
  | AnyRun E0 n =>  (* of any messages, which are numbered *)
      exists R, (forall x, proper (R x)) /\ local_dp R (ln (Q2R E0)) 0 /\
        shown_views ReplaceOne Messages (messages R) n P Q
  | ParticipationRun r q a n => for_absence r q a (fun M show V => shown_views ReplaceOne show V n P Q)
  | AbsentProductRun of q a n => for_joint_absence of q a (fun M show V => shown_views ReplaceOne show V n P Q)
  end.

Definition run_posed (r : run) : Prop :=
  match r with
  | NoiseRun nu shift => noise_posed nu /\ (1 <= shift)%Z
  | RandomizerRun r n _ => randomizer_posed r /\ (1 <= n)%Z
  | ProductRun of n => together_posed of /\ (1 <= n)%Z
  | AnyRun E0 n => 1 < Q2R E0 /\ (1 <= n)%Z
  | ParticipationRun r q a n => (randomizer_posed r /\ absence_posed r a /\ 0 < Q2R q < 1) /\ (1 <= n)%Z
  | AbsentProductRun of q a n => (together_posed of /\ joint_absence_posed of a /\ 0 < Q2R q < 1) /\ (1 <= n)%Z
  end.

(** ** Estimates *)

(** Every message has a weight; the estimate is the sum plus an offset, or 0 unless the sum exceeds a threshold. *)
Record analyzer : Type := { weights : list Q; offset : Q; zero_unless_above : option Q }.

Definition summed (weights : list Q) (u : list nat) : R := total u (fun m => Q2R (nth m weights 0%Q)).

Definition estimate (a : analyzer) (u : list nat) : R :=
  let s := summed (weights a) u + Q2R (offset a) in
  match zero_unless_above a with
  | None => s
  | Some tau => if Rltb (Q2R tau) (summed (weights a) u) then s else 0
  end.

Definition truth (values : list Q) (xs : list nat) : R := total xs (fun x => Q2R (entry values 0%Q x)).

(** ** Polynomials *)

Definition rational_poly : Type := list (Q * list nat).

Definition real_poly (p : rational_poly) : poly := map (fun ce => (Q2R (fst ce), snd ce)) p.

Definition rational_condition : Type := rational_poly * bool.

Definition real_condition (g : rational_condition) : condition :=
  {| polynomial := real_poly (fst g); strict := snd g |}.

Record rational_interval : Type := { from : Q; from_closed : bool; to : Q; to_closed : bool }.

Definition real_interval (i : rational_interval) : interval :=
  {| low := Q2R (from i); low_closed := from_closed i; high := Q2R (to i); high_closed := to_closed i |}.

(** ** Functions of parameters *)

Inductive rational_function : Type :=
  | Constant (q : Q)
  | Polynomial (p : rational_poly)
  | Quotient (top bottom : rational_poly).

Definition function_at (x : list R) (f : rational_function) : R :=
  match f with
  | Constant q => Q2R q
  | Polynomial p => eval (real_poly p) x
  | Quotient top bottom => eval (real_poly top) x / eval (real_poly bottom) x
  end.

Definition bottom_at (x : list R) (f : rational_function) : R :=
  match f with
  | Quotient _ bottom => eval (real_poly bottom) x
  | _ => 1
  end.

(** The largest of several, of which there is one. *)
Definition largest_at (x : list R) (fs : list rational_function) : R :=
  match fs with
  | [] => 0
  | f :: rest => fold_left (fun s g => Rmax s (function_at x g)) rest (function_at x f)
  end.

Definition has_value (x : list R) (f : rational_function) : Prop := 0 < bottom_at x f.

Definition is_chance (x : list R) (f : rational_function) : Prop := has_value x f /\ 0 <= function_at x f.

Record functional_table : Type :=
  { function_messages : nat; function_rows : list (list (rational_function * list nat)) }.

Definition functions_of (t : functional_table) : list rational_function := flat_map (map fst) (function_rows t).

Definition table_at (t : functional_table) (x : list R) (input : nat) : dist (list nat) :=
  map (fun o => (function_at x (fst o), snd o)) (entry (function_rows t) [] input).

(** As functions: wherever all of them have a value. *)
Definition add_up_to_1 (fs : list rational_function) : Prop :=
  forall x, (forall f, In f fs -> bottom_at x f <> 0) -> total fs (function_at x) = 1.

Definition functional_table_posed (t : functional_table) : Prop :=
  function_rows t <> [] /\ forall row, In row (function_rows t) ->
  (forall o m, In o row -> In m (snd o) -> (m < function_messages t)%nat) /\ add_up_to_1 (map fst row).

Inductive functional_noise : Type :=
  | FunctionalFinite (weights : list (Z * rational_function))
  | FunctionalView (t : functional_table) (histogram weights : list Z)
  | FunctionalBinomial (n : Z) (p : rational_function).

Definition noise_mass_at (nu : functional_noise) (x : list R) : Z -> R :=
  match nu with
  | FunctionalFinite weights => fun t => total weights (fun kf => if Z.eqb (fst kf) t then function_at x (snd kf) else
      0)
  | FunctionalView tab histogram weights => fun t =>
      Pr (messages (table_at tab x) (data_set histogram))
         (fun u => Z.eqb (fold_right (fun m => Z.add (nth m weights 0%Z)) 0%Z u) t)
  | FunctionalBinomial n p => binomial (Z.to_nat n) (function_at x p)
  end.

(** Its probabilities are some at this point. *)
Definition noise_chances (nu : functional_noise) (x : list R) : Prop :=
  match nu with
  | FunctionalFinite weights => forall f, In f (map snd weights) -> is_chance x f
  | FunctionalView t _ _ => forall f, In f (functions_of t) -> is_chance x f
  | FunctionalBinomial _ p => is_chance x p /\ function_at x p <= 1
  end.

Definition functional_noise_posed (nu : functional_noise) : Prop :=
  match nu with
  | FunctionalFinite weights => NoDup (map fst weights) /\ add_up_to_1 (map snd weights)
  | FunctionalView t histogram weights =>
      functional_table_posed t /\ length histogram = length (function_rows t) /\
      length weights = function_messages t /\ forall c, In c histogram -> (0 <= c)%Z
  | FunctionalBinomial n _ => (0 <= n)%Z
  end.

(** Claims at a point. *)
Inductive claim_at_points : Type :=
  | PointShuffle (t : functional_table) (n : Z) (s : scope) (nb : neighboring) (exp_eps : rational_function)
      (deltas : list rational_function) (w : least)
  | PointShift (nu : functional_noise) (shift : Z) (exp_eps : rational_function) (deltas : list rational_function) (w :
      least)
  | PointSmooth (nu : functional_noise) (k : Z) (exp_eps delta : rational_function)
  | PointTail (nu : functional_noise) (first last : option Z) (at_most : bool) (probability : rational_function)
  | PointEqual (nu nu' : functional_noise).

Definition level_at (x : list R) (exp_eps : rational_function) (deltas : list rational_function) : Prop :=
  has_value x exp_eps /\ 1 <= function_at x exp_eps /\ (forall f, In f deltas -> has_value x f) /\
  0 <= largest_at x deltas.

Definition holds_at (x : list R) (c : claim_at_points) : Prop :=
  match c with
  | PointShuffle t n s nb E deltas w =>
      (forall f, In f (functions_of t) -> is_chance x f) /\ level_at x E deltas /\
      shuffle_dp_holds (table_at t x) nb (Z.to_nat n) s w (function_at x E) (largest_at x deltas)
  | PointShift nu shift E deltas w =>
      noise_chances nu x /\ level_at x E deltas /\
      shift_private (noise_mass_at nu x) shift (function_at x E) (largest_at x deltas) /\
      nothing_smaller w (shift_private (noise_mass_at nu x) shift) (function_at x E) (largest_at x deltas)
  | PointSmooth nu k E delta =>
      noise_chances nu x /\ level_at x E [delta] /\
      smooth (noise_mass_at nu x) (ln (function_at x E)) (function_at x delta) k
  | PointTail nu first last at_most probability =>
      noise_chances nu x /\ has_value x probability /\
      exists p, mass_of (noise_mass_at nu x)
          (fun y => (forall a, first = Some a -> (a <= y)%Z) /\ (forall b, last = Some b -> (y <= b)%Z)) p /\
        if at_most then p <= function_at x probability else function_at x probability <= p
  | PointEqual nu nu' =>
      noise_chances nu x /\ noise_chances nu' x /\ forall t, noise_mass_at nu x t = noise_mass_at nu' x t
  end.

Definition posed_at_points (c : claim_at_points) : Prop :=
  match c with
  | PointShuffle t n _ _ _ deltas _ => functional_table_posed t /\ (1 <= n)%Z /\ deltas <> []
  | PointShift nu reach _ deltas _ => functional_noise_posed nu /\ (1 <= reach)%Z /\ deltas <> []
  | PointSmooth nu reach _ _ => functional_noise_posed nu /\ (1 <= reach)%Z
  | PointTail nu _ _ _ _ => functional_noise_posed nu
  | PointEqual nu nu' => functional_noise_posed nu /\ functional_noise_posed nu'
  end.

(** At every point of the box. *)
Definition for_all_holds (box : list rational_interval) (c : claim_at_points) : Prop :=
  forall x, in_box (map real_interval box) x -> holds_at x c.

(** Wherever one protocol is private, for any number of users, relation, e^eps and delta, the other one is. *)
Definition as_private {M} (R S : nat -> dist (list M)) : Prop :=
  forall nb n E delta, (1 <= n)%nat -> 1 <= E -> private R nb n E delta -> private S nb n E delta.

Definition monotone_holds (box : list rational_interval) (moved : nat) (falls : bool) (t : functional_table) : Prop :=
  (forall x f, in_box (map real_interval box) x -> In f (functions_of t) -> is_chance x f) /\
  forall x y, in_box (map real_interval box) x -> in_box (map real_interval box) y ->
  (forall i, i <> moved -> nth i x 0 = nth i y 0) -> nth moved x 0 <= nth moved y 0 ->
  if falls then as_private (table_at t x) (table_at t y) else as_private (table_at t y) (table_at t x).

(** ** Claims *)

(** What a conjunction is said to assume besides, in the words of the page: it adds nothing to what is claimed. *)
Inductive assumption : Type :=
  Markov | Independence | UnionBound | PostProcessing | BasicComposition | Taylor | MonotoneConvergence.

(** The name of a variable: ASCII codes. *)
Definition name : Type := list Z.

Inductive claim : Type :=
  | ShuffleDP (r : randomizer) (n : Z) (s : scope) (nb : neighboring) (l : level) (delta : Q) (w : least)
  | AnyShuffleDP (E0 : Q) (n : Z) (s : scope) (l : level) (delta : Q)
  | ParticipationDP (r : randomizer) (q : Q) (a : absence) (n : Z) (s : scope) (l : level) (delta : Q)
  | ClassesDP (classes : list (randomizer * Z)) (who : option Z) (l : level) (delta : Q)
  | MembersDP (classes : list (member * Z)) (who : option Z) (l : level) (delta : Q)
  | ProductDP (of : list randomizer) (n : Z) (s : scope) (l : level) (delta : Q)
  | AbsentProductDP (of : list randomizer) (q : Q) (a : joint_absence) (n : Z) (s : scope) (l : level) (delta : Q)
  | TwoMessageDP (t : table) (n : Z) (s : scope) (l : level) (delta : Q)
  | CountingDP (p1 : real) (parts : list (real * real)) (l : level) (delta : Q)
  | SampleThresholdDP (rate : Q) (threshold : Z) (users : option Z) (l : level) (delta : Q)
  | NeverDP (t : table) (n : Z) (nb : neighboring) (delta_below : Q)
  | SplitAndMix (n modulus shares : Z) (distance : Q)
  | ShiftDP (nu : noise) (shift : Z) (l : level) (delta : Q) (w : least)
  | Smooth (nu : noise) (k : Z) (l : level) (delta : Q)
  | Tail (nu : noise) (first last : option Z) (at_most : bool) (probability : Q)
  | Composed (runs : list (run * positive)) (l : level) (delta : Q)
  | Accuracy (t : table) (n : Z) (histogram : option (list Z)) (a : analyzer) (values : list Q) (alpha beta : Q)
  | CountAccuracy (nu : noise) (least_count most_count : Z) (weight offset : Q) (threshold : option Q) (alpha beta : Q)
  | EqualLaws (nu nu' : noise)
  | AdditiveView (t : table) (base : list (Z * Q)) (shifts : list Z)
  | ZeroEstimate (t : table) (weights : list Q) (threshold : Q) (x : nat)
  | Inequality (variables : list name) (hypotheses : list rational_condition) (conclusion : rational_condition)
  | BoxInequality (variables : list name) (box : list rational_interval) (terms : list (rational_poly * rational_poly))
      (is_strict : bool)
  | ForAll (parameters : list name) (box : list rational_interval) (c : claim_at_points)
  | Monotone (parameters : list name) (box : list rational_interval) (moved : nat) (falls : bool)
      (t : functional_table)
  | Conjunction (parts : list claim) (assumed : list assumption)
  | Not (c : claim).

(** All of a list, one after the other. *)
Definition each {A} (P : A -> Prop) : list A -> Prop :=
  fix go l := match l with [] => True | a :: rest => P a /\ go rest end.

Fixpoint holds (c : claim) : Prop :=
  match c with
  | ShuffleDP r n s nb l delta w =>
      for_program r (fun _ _ R => shuffle_dp_holds R nb (Z.to_nat n) s w (ratio l) (Q2R delta))
  | AnyShuffleDP E0 n s l delta =>  (* all rows of all users lie within the factor E0 of each other *)
      forall M (R : nat -> dist (list M)), (forall x, proper (R x)) -> local_dp R (ln (Q2R E0)) 0 ->
      shuffle_dp_holds R ReplaceOne (Z.to_nat n) s LeastNothing (ratio l) (Q2R delta)
  | ParticipationDP r q a n s l delta => for_absence r q a (fun _ _ V =>
      forall n', in_scope s (Z.to_nat n) n' -> published_dp V n' (ratio l) (Q2R delta))
  | ClassesDP classes who l delta => classes_private classes who (ratio l) (Q2R delta)
  | MembersDP classes who l delta => members_private classes who (ratio l) (Q2R delta)
  | ProductDP of n s l delta =>
      shuffle_dp_holds (together of) ReplaceOne (Z.to_nat n) s LeastNothing (ratio l) (Q2R delta)
  | AbsentProductDP of q a n s l delta => for_joint_absence of q a (fun _ _ V =>
      forall n', in_scope s (Z.to_nat n) n' -> published_dp V n' (ratio l) (Q2R delta))
  | TwoMessageDP t n s l delta =>
      shuffle_dp_holds (table_law t) ReplaceOne (Z.to_nat n) s LeastNothing (ratio l) (Q2R delta)
  | CountingDP p1 parts l delta =>  (* n users, whose shares D1 and D2 make up the noise *)
      forall n D1 D2, law D1 -> law D2 ->
      (forall t, shares D1 n t = negative_binomial 1 (value p1) t) ->
      (forall t, shares D2 n t = negative_binomial_sum parts t) ->
      countable_dp n (correlated D1 D2) (ln (ratio l)) (Q2R delta)
  | SampleThresholdDP q tau users l delta =>  (* the users' bits, one holder more and one fewer *)
      forall xs ys, ones xs = S (ones ys) -> (forall u, users = Some u -> (Z.of_nat (ones xs) <= u)%Z) ->
      let released := sample_and_threshold (Q2R q) (Z.to_nat tau) in
      below (released xs) (released ys) (ratio l) (Q2R delta) /\ below (released ys) (released xs) (ratio l) (Q2R delta)
  | NeverDP t n nb delta_below =>
      forall E delta, 1 <= E -> delta < Q2R delta_below -> ~ private (table_law t) nb (Z.to_nat n) E delta
  | SplitAndMix n q m distance =>  (* what the shuffled shares show of two inputs with one sum *)
      forall xs ys, length xs = Z.to_nat n -> length ys = Z.to_nat n ->
      (Z.of_nat (list_sum xs) mod q = Z.of_nat (list_sum ys) mod q)%Z -> forall T, symmetric T ->
      let chance data := Pr (messages (split_and_mix.split (Z.to_nat q) (Z.to_nat m)) data) T in
      Rabs (chance xs - chance ys) <= Q2R distance
  | ShiftDP nu shift l delta w =>
      shift_private (noise_mass nu) shift (ratio l) (Q2R delta) /\
      nothing_smaller w (shift_private (noise_mass nu) shift) (ratio l) (Q2R delta)
  | Smooth nu k l delta => smooth (noise_mass nu) (ln (ratio l)) (Q2R delta) k
  | Tail nu first last at_most probability =>
      exists p, mass_of (noise_mass nu)
          (fun y => (forall a, first = Some a -> (a <= y)%Z) /\ (forall b, last = Some b -> (y <= b)%Z)) p /\
        if at_most then p <= Q2R probability else Q2R probability <= p
  | Composed runs l delta =>
      forall P Q, played (flat_map (fun r => repeat (run_mechanism (fst r)) (Pos.to_nat (snd r))) runs) P Q ->
      mass_below P Q (ratio l) (Q2R delta)
  | Accuracy t n histogram a values alpha beta =>
      forall xs, match histogram with None => length xs = Z.to_nat n | Some h => xs = data_set h end ->
      Pr (messages (table_law t) xs) (fun u => Rltb (Q2R alpha) (Rabs (estimate a u - truth values xs))) <= Q2R beta
  | CountAccuracy nu least_count most_count weight offset threshold alpha beta =>
      forall c, (least_count <= c <= most_count)%Z ->
      exists p, mass_of (noise_mass nu)
          (wrong (Q2R weight) (Q2R offset) (Q2R alpha) (option_map Q2R threshold) c) p /\ p <= Q2R beta
  | EqualLaws nu nu' => forall t, noise_mass nu t = noise_mass nu' t
  | AdditiveView t base shifts =>
      forall xs, xs <> [] ->
      same_law (dmap number (messages (table_law t) xs))
        (dmap (Z.add (shift_sum (entry shifts 0%Z) xs))
          (shifts.copies (length xs) (map (fun kq => (Q2R (snd kq), fst kq)) base)))
  | ZeroEstimate t weights threshold x =>
      forall n, (1 <= n)%nat ->
      Pr (messages (table_law t) (repeat x n)) (fun u => Rltb (Q2R threshold) (summed weights u / INR n)) = 0
  | Inequality variables hypotheses conclusion =>
      forall x, length x = length variables ->
      (forall g, In g hypotheses -> satisfied (real_condition g) x) ->
        satisfied (real_condition conclusion) x
  | BoxInequality variables box terms is_strict =>
      box_inequality (map real_interval box) (map (fun pu => (real_poly (fst pu), real_poly (snd pu))) terms) is_strict
  | ForAll _ box c => for_all_holds box c
  | Monotone _ box moved falls t => monotone_holds box moved falls t
  | Conjunction parts _ => each holds parts
  | Not c => ~ holds c
  end.

(** What the claim speaks of exists. *)
Fixpoint well_posed (c : claim) : Prop :=
  match c with
  | ShuffleDP r n _ _ l delta _ => randomizer_posed r /\ (1 <= n)%Z /\ level_posed l delta
  | AnyShuffleDP E0 n _ l delta => 1 < Q2R E0 /\ (1 <= n)%Z /\ level_posed l delta
  | ParticipationDP r q a n _ l delta => run_posed (ParticipationRun r q a n) /\ level_posed l delta
  | ClassesDP classes who l delta =>
      (classes <> [] /\ (forall c, In c classes -> randomizer_posed (fst c) /\ (1 <= snd c)%Z) /\
       forall j, who = Some j -> (0 <= j < Z.of_nat (length classes))%Z) /\ level_posed l delta
  | MembersDP classes who l delta =>
      (classes <> [] /\ (forall c, In c classes -> member_posed (fst c) /\ (1 <= snd c)%Z) /\
       forall j, who = Some j -> (0 <= j < Z.of_nat (length classes))%Z) /\ level_posed l delta
  | ProductDP of n _ l delta => together_posed of /\ (1 <= n)%Z /\ level_posed l delta
  | AbsentProductDP of q a n _ l delta => run_posed (AbsentProductRun of q a n) /\ level_posed l delta
  | TwoMessageDP t n _ l delta => table_posed t /\ (1 <= n)%Z /\ level_posed l delta
  | CountingDP p1 parts l delta =>
      (is_number p1 /\ 0 < value p1 < 1) /\ parts <> [] /\ level_posed l delta /\
      forall rp, In rp parts -> noise_posed (NegativeBinomial (fst rp) (snd rp))
  | SampleThresholdDP q tau users l delta =>
      0 < Q2R q < 1 /\ (1 <= tau)%Z /\ (forall u, users = Some u -> (1 <= u)%Z) /\ level_posed l delta
  | NeverDP t n _ delta_below => table_posed t /\ (1 <= n)%Z /\ 0 < Q2R delta_below <= 1
  | SplitAndMix n q m distance => (1 <= n)%Z /\ (2 <= q)%Z /\ (3 <= m)%Z /\ 0 <= Q2R distance <= 1
  | ShiftDP nu reach l delta _ | Smooth nu reach l delta => noise_posed nu /\ (1 <= reach)%Z /\ level_posed l delta
  | Tail nu _ _ _ _ => noise_posed nu
  | Composed runs l delta => each (fun r => run_posed (fst r)) runs /\ level_posed l delta
  | Accuracy t n histogram a values alpha _ =>
      table_posed t /\ (1 <= n)%Z /\ length (weights a) = message_types t /\ length values = length (rows t) /\ 0 <=
        Q2R alpha /\
      forall h, histogram = Some h ->
        length h = length (rows t) /\ (forall c, In c h -> (0 <= c)%Z) /\ fold_right Z.add 0%Z h = n
  | CountAccuracy nu least_count most_count weight _ _ alpha _ =>
      noise_posed nu /\ (0 <= least_count <= most_count)%Z /\ 0 < Q2R weight /\ 0 <= Q2R alpha
  | EqualLaws nu nu' => noise_posed nu /\ noise_posed nu'
  | AdditiveView t base shifts => table_posed t /\ finite_posed base /\ length shifts = length (rows t)
  | ZeroEstimate t weights _ x => table_posed t /\ length weights = message_types t /\ (x < length (rows t))%nat
  | Inequality _ _ _ => True
  | BoxInequality variables box _ _ => length box = length variables /\ Forall not_empty (map real_interval box)
  | ForAll parameters box c =>
      length box = length parameters /\ Forall not_empty (map real_interval box) /\ posed_at_points c
  | Monotone parameters box moved _ t =>
      length box = length parameters /\ Forall not_empty (map real_interval box) /\ (moved < length box)%nat /\
      functional_table_posed t
  | Conjunction parts _ => each well_posed parts
  | Not c => well_posed c
  end.
