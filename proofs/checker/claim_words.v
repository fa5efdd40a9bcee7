(** A claim in words: what the line that is printed says of a certificate's claim.

    [words_of digest c] says it as the Python checker does. Short numbers, tables and laws are written out; a long
    number stands by seven of its digits and its length, and a long table or law by the first characters of the digest
    of its text. The digest is SHA-256, which is not computed here. [assumed c] is what the conjunctions in a claim are
    said to assume, in the order of the words.

    This file is trusted, as claims.v is: that these words mean what [holds] does is for a reader to judge. Proved is
    only that no assumption is left out ([all_assumed]).

    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith List Ascii String.
From ExactdpChecker Require Import claims claim_text.
Import ListNotations.
Open Scope string_scope.

Definition words_between {A} (separator : string) (words : A -> string) (l : list A) : string :=
  String.concat separator (map words l).

(** ** Numbers *)

Definition natural_words (n : nat) : string := decimal (Z.of_nat n).

(** Bits of the magnitude. *)
Definition bit_count (n : Z) : Z := if (n =? 0)%Z then 0%Z else (Z.log2 (Z.abs n) + 1)%Z.

(** The least exponent, of so many from this one on, that leaves at most seven digits. *)
Fixpoint seven_digits (digits : Z -> Z) (tries : nat) (exponent : Z) : Z :=
  match tries with
  | O => exponent
  | S rest => if (digits exponent <? 10 ^ 7)%Z then exponent else seven_digits digits rest (exponent + 1)
  end.

(** Seven digits, cut, and the exponent of the first one. The lengths tell it up to three, by log10 2 = 0.30103. *)
Definition scientific (top bottom : Z) : string :=
  let digits exponent := (Z.abs top * 10 ^ Z.max (6 - exponent) 0 / (bottom * 10 ^ Z.max (exponent - 6) 0))%Z in
  let exponent := seven_digits digits 9 ((bit_count top - bit_count bottom) * 30103 / 100000 - 2) in
  let digit := (digits exponent / 10 ^ 6)%Z in
  let others := (digits exponent mod 10 ^ 6)%Z in
  (if (top <? 0)%Z then "-" else "") ++ decimal digit ++ "." ++ substring 1 6 (decimal (10 ^ 6 + others)) ++ "e" ++
  decimal exponent.

(** The number itself up to 64 bits. *)
Definition fraction_words (top bottom : Z) : string :=
  let whole := (bottom =? 1)%Z in
  let over number := if whole then "" else "/" ++ decimal number in
  if (Z.max (bit_count top) (bit_count bottom) <=? 64)%Z then decimal top ++ over bottom
  else scientific top bottom ++ " (" ++ decimal (bit_count top) ++ over (bit_count bottom) ++ " bits)".

Definition integer_words (n : Z) : string := fraction_words n 1.

Definition rational_words (q : Q) : string := fraction_words (Qnum q) (Zpos (Qden q)).

Definition vector_words (l : list Z) : string := "[" ++ words_between ", " integer_words l ++ "]".

Definition rationals_words (l : list Q) : string := "[" ++ words_between ", " rational_words l ++ "]".

(** The first of the terms of an operation may be the same operation, and is then written without parentheses. *)
Fixpoint real_within (outer : string) (x : real) : string :=
  let terms operation first last :=
    let words := first ++ operation ++ last in
    if outer =? operation then words else "(" ++ words ++ ")" in
  match x with
  | Rational q => rational_words q
  | Exponential y => "e^(" ++ real_within "" y ++ ")"
  | Logarithm y => "ln(" ++ real_within "" y ++ ")"
  | Inverse y => "(1 / " ++ real_within "" y ++ ")"
  | Plus y z => terms " + " (real_within " + " y) (real_within "" z)
  | Times y z => terms " * " (real_within " * " y) (real_within "" z)
  | Power y k => real_within "" y ++ "^" ++ natural_words k
  end.

Definition real_words : real -> string := real_within "".

(** ** Polynomials and boxes *)

(** The first twelve terms. *)
Definition poly_words (names : list string) (p : rational_poly) : string :=
  let factor ne :=
    match snd ne with
    | O => []
    | S O => [fst ne]
    | e => [fst ne ++ "^" ++ natural_words e]
    end in
  let term ce := String.concat "*" (rational_words (fst ce) :: flat_map factor (combine names (snd ce))) in
  match p with
  | [] => "0"
  | _ => words_between " + " term (firstn 12 p) ++
      if Nat.ltb 12 (List.length p) then " + ... (" ++ natural_words (List.length p) ++ " terms)" else ""
  end.

Definition sign_words (is_strict : bool) : string := if is_strict then ">" else ">=".

Definition condition_words (names : list string) (g : rational_condition) : string :=
  poly_words names (fst g) ++ " " ++ sign_words (snd g) ++ " 0".

Definition box_words (names : list string) (box : list rational_interval) : string :=
  let interval ni :=
    let i := snd ni in
    fst ni ++ " in " ++ (if from_closed i then "[" else "(") ++ rational_words (from i) ++ ", " ++
    rational_words (to i) ++ if to_closed i then "]" else ")" in
  "for all " ++ words_between ", " interval (combine names box).

Definition is_one (p : rational_poly) : bool :=
  match p with
  | [(c, exponents)] => (Qnum c =? 1)%Z && (Zpos (Qden c) =? 1)%Z && forallb (Nat.eqb 0) exponents
  | _ => false
  end.

Definition function_words (names : list string) (f : rational_function) : string :=
  match f with
  | Constant q => rational_words q
  | Polynomial p => poly_words names p
  | Quotient top bottom =>
      if is_one bottom then poly_words names top
      else "(" ++ poly_words names top ++ ")/(" ++ poly_words names bottom ++ ")"
  end.

(** ** Levels and protocols *)

Definition parameter_words (l : level) : string :=
  match l with
  | ExpEps E => "e^eps = " ++ rational_words E
  | Eps eps => "eps = " ++ rational_words eps
  end.

Definition level_words (l : level) (delta : Q) (w : least) : string :=
  "(" ++ parameter_words l ++ ", delta = " ++ rational_words delta ++ ")-DP, both orders" ++
  match w with LeastNothing => "" | LeastDelta => ", no smaller delta" | LeastExpEps => ", no smaller e^eps" end.

(** A shuffled protocol, of the randomizer in these words. *)
Definition protocol_words (randomizer : string) (n : Z) (s : scope) (nb : neighboring) : string :=
  "shuffled " ++ randomizer ++ (match s with ThisNumber => ", n = " | AllFromIt => ", every n >= " end) ++ decimal n ++
  match nb with ReplaceOne => ", replace one" | AddOrRemoveOne => ", add or remove one" end.

Definition count_words (noise : string) (shift : Z) : string :=
  "count + " ++ noise ++ if (shift =? 1)%Z then ", shift 1" else ", shifts 1 to " ++ decimal shift.

Definition tail_words (noise : string) (first last : option Z) (at_most : bool) (probability : string) : string :=
  "Y = " ++ noise ++ ": P[" ++ (match first with None => "" | Some a => integer_words a ++ " <= " end) ++ "Y" ++
  (match last with None => "" | Some b => " <= " ++ integer_words b end) ++ "] " ++ (if at_most then "<=" else ">=") ++
  " " ++ probability.

Definition same_words (first second : string) : string := first ++ " and " ++ second ++ " are the same law".

Definition unless_words (threshold : option Q) : string :=
  match threshold with
  | None => ""
  | Some tau => " (0 unless above " ++ rational_words tau ++ " before the offset)"
  end.

Definition any_words (E0 : Q) : string :=
  "randomizers whose rows all lie within the factor " ++ rational_words E0 ++ " of each other".

Definition family_words (f : family) : string :=
  match f with
  | KAry k E0 => "k-ary, inputs = " ++ integer_words k ++ ", e^eps0 = " ++ rational_words E0
  | UnaryEncoding d p q =>
      "unary-encoding, inputs = " ++ integer_words d ++ ", one = " ++ rational_words p ++ ", other = " ++
      rational_words q
  | SubsetSelection d w E0 =>
      "subset-selection, inputs = " ++ integer_words d ++ ", size = " ++ integer_words w ++ ", e^eps0 = " ++
      rational_words E0
  | Hadamard d E0 => "hadamard, inputs = " ++ integer_words d ++ ", e^eps0 = " ++ rational_words E0
  | LocalHashing d g E0 =>
      "local-hashing, inputs = " ++ integer_words d ++ ", buckets = " ++ integer_words g ++ ", e^eps0 = " ++
      rational_words E0
  | ClippedLaplace top r => "clipped-discrete-laplace, top = " ++ integer_words top ++ ", ratio = " ++ rational_words r
  end.

Definition in_braces (what inside : string) : string := what ++ " {" ++ inside ++ "}".

Section Digest.

Variable digest : string -> string.

Definition short_id (text : string) : string := substring 0 12 (digest text).

(** ** Randomizers and noise *)

Definition table_or_id {A} (number : A -> string) (text : string) (is_short : nat -> nat -> bool)
    (rows : list (list (A * list nat))) : string :=
  let outcomes := list_sum (map (@List.length _) rows) in
  let sent := list_sum (map (fun row => list_sum (map (fun o => List.length (snd o)) row)) rows) in
  let outcome o := "(" ++ words_between " " natural_words (snd o) ++ ") " ++ number (fst o) in
  let row xr := natural_words (fst xr) ++ ": " ++ words_between ", " outcome (snd xr) in
  if is_short outcomes sent then words_between "; " row (combine (seq 0 (List.length rows)) rows)
  else "table " ++ short_id text ++ ", inputs: " ++ natural_words (List.length rows) ++ ", outcomes: " ++
    natural_words outcomes.

Definition weights_or_id {A} (number : A -> string) (text : string) (weights : list (Z * A)) : string :=
  in_braces "law"
    (if Nat.leb (List.length weights) 8 then
       words_between ", " (fun kp => integer_words (fst kp) ++ ": " ++ number (snd kp)) weights
     else "table " ++ short_id text ++ ", outcomes: " ++ natural_words (List.length weights)).

Definition randomizer_inside (r : randomizer) : string :=
  match r with
  | Table t =>
      table_or_id rational_words (table_text t) (fun outcomes sent => Nat.leb (sent + outcomes) 16) (rows t)
  | Family f => family_words f
  end.

Definition randomizer_words (r : randomizer) : string := in_braces "randomizer" (randomizer_inside r).

Definition table_words (t : table) : string := randomizer_words (Table t).

Definition product_words (of : list randomizer) : string :=
  in_braces "randomizer" ("product of " ++ words_between "; " randomizer_inside of).

Definition dummy_words (a : absence) : string :=
  match a with
  | Counted | Listed => ""
  | HiddenUniformly => ", uniform"
  | Hidden chances => " with the probabilities " ++ words_between ", " rational_words chances
  | HiddenByInput z => " of the input " ++ decimal z
  end.

Definition sometimes_words (randomizer : string) (q : Q) (away : string) : string :=
  randomizer ++ ", taking part with probability " ++ rational_words q ++ away.

Definition nothing_words : string := " or sending nothing".

Definition listed_words : string := ", beside a list of who does".

Definition participation_words (r : randomizer) (q : Q) (a : absence) : string :=
  sometimes_words (randomizer_words r) q
    match a with
    | Counted => nothing_words
    | Listed => listed_words
    | _ => " and else a dummy" ++ dummy_words a
    end.

Definition joint_participation_words (of : list randomizer) (q : Q) (a : joint_absence) : string :=
  sometimes_words (product_words of) q
    match a with
    | AllCounted => nothing_words
    | AllListed => listed_words
    | AllHidden dummies => " and else a dummy" ++ words_between ";" dummy_words dummies
    end.

Definition member_words (m : member) : string :=
  match m with
  | Always r => randomizer_words r
  | Sometimes r q a => participation_words r q a
  | AlwaysAll of => product_words of
  | SometimesAll of q a => joint_participation_words of q a
  end.

Definition classes_words (classes : list (string * Z)) (who : option Z) : string :=
  let of_class wn := decimal (snd wn) ++ " of " ++ fst wn in
  let one :=
    match who, classes with
    | Some j, _ :: _ :: _ => " in class " ++ decimal j
    | _, _ => ""
    end in
  "shuffled classes of users {" ++ words_between "; " of_class classes ++ "}, replace one" ++ one.

(** The sum of what the messages of a view weigh. *)
Definition summed_words (weights : list Z) (randomizer : string) (histogram : list Z) : string :=
  "law of the message weights " ++ vector_words weights ++ " summed, " ++ randomizer ++ ", data set " ++
  vector_words histogram.

Definition binomial_words (n : Z) (p : string) : string := "Bin(" ++ decimal n ++ ", " ++ p ++ ")".

Definition finite_words (weights : list (Z * Q)) : string :=
  weights_or_id rational_words (weights_text weights) weights.

Definition noise_words (nu : noise) : string :=
  match nu with
  | Finite weights => finite_words weights
  | View t histogram weights => summed_words weights (table_words t) histogram
  | Binomial n p => binomial_words n (real_words p)
  | BinomialSum n1 p1 n2 p2 => binomial_words n1 (real_words p1) ++ " + " ++ binomial_words n2 (real_words p2)
  | NegativeBinomial r p => "NB(" ++ real_words r ++ ", " ++ real_words p ++ ")"
  | Geometric p => "Geometric(" ++ real_words p ++ ")"
  | DiscreteLaplace e => "DiscreteLaplace(" ++ real_words e ++ ")"
  | DiscreteGaussian s => "DiscreteGaussian(" ++ rational_words s ++ ")"
  | Poisson mu => "Poisson(" ++ real_words mu ++ ")"
  | DiscreteUniform low high => "DiscreteUniform(" ++ integer_words low ++ ", " ++ integer_words high ++ ")"
  end.

Definition run_words (r : run * positive) : string :=
  let mechanism :=
    match fst r with
    | NoiseRun nu shift => count_words (noise_words nu) shift
    | RandomizerRun r n nb => protocol_words (randomizer_words r) n ThisNumber nb
    | ProductRun of n => protocol_words (product_words of) n ThisNumber ReplaceOne
    | AnyRun E0 n => protocol_words (any_words E0) n ThisNumber ReplaceOne
    | ParticipationRun r q a n => protocol_words (participation_words r q a) n ThisNumber ReplaceOne
    | AbsentProductRun of q a n => protocol_words (joint_participation_words of q a) n ThisNumber ReplaceOne
    end in
  decimal (Zpos (snd r)) ++ " x (" ++ mechanism ++ ")".

(** ** With functions of parameters *)

Definition functional_table_words (names : list string) (t : functional_table) : string :=
  in_braces "randomizer"
    (table_or_id (function_words names) (functional_table_text t)
       (fun outcomes sent => Nat.leb outcomes 8 && Nat.leb sent 8) (function_rows t)).

Definition functional_noise_words (names : list string) (nu : functional_noise) : string :=
  match nu with
  | FunctionalFinite weights => weights_or_id (function_words names) (functional_weights_text weights) weights
  | FunctionalView t histogram weights => summed_words weights (functional_table_words names t) histogram
  | FunctionalBinomial n p => binomial_words n (function_words names p)
  end.

Definition functional_level_words (names : list string) (E : rational_function) (deltas : list rational_function)
    (w : least) : string :=
  "e^eps = " ++ function_words names E ++ ", delta = " ++
  (match deltas with
   | [delta] => function_words names delta
   | _ => "max(" ++ words_between ", " (function_words names) deltas ++ ")"
   end) ++
  match w with LeastDelta => ", the least" | _ => "" end.

Definition points_words (names : list string) (c : claim_at_points) : string :=
  match c with
  | PointShuffle t n s nb E deltas w =>
      protocol_words (functional_table_words names t) n s nb ++ ": (" ++ functional_level_words names E deltas w ++
      ")-DP, both orders"
  | PointShift nu shift E deltas w =>
      count_words (functional_noise_words names nu) shift ++ ": (" ++ functional_level_words names E deltas w ++
      ")-DP, both orders"
  | PointSmooth nu k E delta =>
      functional_noise_words names nu ++ " is (" ++ functional_level_words names E [delta] LeastNothing ++ ", k = " ++
      decimal k ++ ")-smooth"
  | PointTail nu first last at_most probability =>
      tail_words (functional_noise_words names nu) first last at_most (function_words names probability)
  | PointEqual nu nu' => same_words (functional_noise_words names nu) (functional_noise_words names nu')
  end.

(** ** Claims *)

Fixpoint words_of (c : claim) : string :=
  match c with
  | ShuffleDP r n s nb l delta w => protocol_words (randomizer_words r) n s nb ++ ": " ++ level_words l delta w
  | AnyShuffleDP E0 n s l delta =>
      protocol_words (any_words E0) n s ReplaceOne ++ ": " ++ level_words l delta LeastNothing
  | ParticipationDP r q a n s l delta =>
      protocol_words (participation_words r q a) n s ReplaceOne ++ ": " ++ level_words l delta LeastNothing
  | ClassesDP classes who l delta =>
      classes_words (map (fun c => (randomizer_words (fst c), snd c)) classes) who ++ ": " ++
      level_words l delta LeastNothing
  | MembersDP classes who l delta =>
      classes_words (map (fun c => (member_words (fst c), snd c)) classes) who ++ ": " ++
      level_words l delta LeastNothing
  | ProductDP of n s l delta =>
      protocol_words (product_words of) n s ReplaceOne ++ ": " ++ level_words l delta LeastNothing
  | AbsentProductDP of q a n s l delta =>
      protocol_words (joint_participation_words of q a) n s ReplaceOne ++ ": " ++ level_words l delta LeastNothing
  | TwoMessageDP t n s l delta =>
      protocol_words (table_words t) n s ReplaceOne ++ ": " ++ level_words l delta LeastNothing
  | CountingDP p1 parts l delta =>
      let own := noise_words (Geometric p1) in
      let common := words_between " + " (fun rp => noise_words (NegativeBinomial (fst rp) (snd rp))) parts in
      "sum of bits + " ++ own ++ " + W messages +1 and " ++ own ++ " + W messages -1, W ~ " ++ common ++
      ", any number of users, replace one: " ++ level_words l delta LeastNothing
  | SampleThresholdDP q tau users l delta =>
      let most :=
        match users with
        | None => "any number of holders"
        | Some u => "at most " ++ integer_words u ++ " holders"
        end in
      "number of holders of an item, sampled with probability " ++ rational_words q ++ ", dropped below " ++
      decimal tau ++ ", " ++ most ++ ", one more or fewer: " ++ level_words l delta LeastNothing
  | NeverDP t n nb delta_below =>
      protocol_words (table_words t) n ThisNumber nb ++ ": not (eps, delta)-DP for any finite eps and any delta < " ++
      rational_words delta_below
  | SplitAndMix n q m distance =>
      "split and mix of n = " ++ decimal n ++ " users, " ++ decimal m ++ " shares of integers modulo " ++
      integer_words q ++ ": the views of two inputs with one sum are within a distance of " ++ rational_words distance
  | ShiftDP nu shift l delta w => count_words (noise_words nu) shift ++ ": " ++ level_words l delta w
  | Smooth nu k l delta =>
      noise_words nu ++ " is (" ++ parameter_words l ++ ", delta = " ++ rational_words delta ++ ", k = " ++ decimal k ++
      ")-smooth"
  | Tail nu first last at_most probability =>
      tail_words (noise_words nu) first last at_most (rational_words probability)
  | Composed runs l delta =>
      words_between " and " run_words runs ++ ", composed adaptively: " ++ level_words l delta LeastNothing
  | Accuracy t n histogram a values alpha beta =>
      let users := match histogram with None => "every data set" | Some h => "data set " ++ vector_words h end in
      "shuffled " ++ table_words t ++ ", n = " ++ decimal n ++ ", " ++ users ++ ", estimate of the summed values " ++
      rationals_words values ++ " from the message weights " ++ rationals_words (weights a) ++ " + " ++
      rational_words (offset a) ++ unless_words (zero_unless_above a) ++ ": P[error > " ++ rational_words alpha ++
      "] <= " ++ rational_words beta
  | CountAccuracy nu least_count most_count weight offset threshold alpha beta =>
      let counts :=
        if (least_count =? most_count)%Z then integer_words least_count
        else "every c from " ++ integer_words least_count ++ " to " ++ integer_words most_count in
      "c = " ++ counts ++ ", Y = " ++ noise_words nu ++ ", estimate " ++ rational_words weight ++ " (c + Y) + " ++
      rational_words offset ++ unless_words threshold ++ ": P[|estimate - " ++ rational_words weight ++ " c| > " ++
      rational_words alpha ++ "] <= " ++ rational_words beta
  | EqualLaws nu nu' => same_words (noise_words nu) (noise_words nu')
  | AdditiveView t base shifts =>
      "shuffled " ++ table_words t ++ ", every n >= 1, every data set: the view is the sum of the shifts " ++
      vector_words shifts ++ " plus n independent copies of " ++ finite_words base
  | ZeroEstimate t weights threshold x =>
      "shuffled " ++ table_words t ++ ", every n >= 1: if all users hold " ++ natural_words x ++
      ", the mean over users of the message weights " ++ rationals_words weights ++ " is at most " ++
      rational_words threshold ++ ", certainly"
  | Inequality variables hypotheses conclusion =>
      let names := map name_text variables in
      let condition := condition_words names in
      (match names with [] => "" | _ => "for all real " ++ String.concat ", " names ++ ": " end) ++
      (match hypotheses with [] => "" | _ => "if " ++ words_between " and " condition hypotheses ++ " then " end) ++
      condition conclusion
  | BoxInequality variables box terms is_strict =>
      let names := map name_text variables in
      let term pu :=
        "(" ++ poly_words names (fst pu) ++ ")" ++
        match snd pu with [] => "" | exponent => " e^(" ++ poly_words names exponent ++ ")" end in
      box_words names box ++ ": " ++ (match terms with [] => "0" | _ => words_between " + " term terms end) ++ " " ++
      sign_words is_strict ++ " 0"
  | ForAll parameters box c =>
      let names := map name_text parameters in
      box_words names box ++ ": " ++ points_words names c
  | Monotone parameters box moved falls t =>
      let names := map name_text parameters in
      box_words names box ++ ": shuffled " ++ functional_table_words names t ++
      ", every n >= 1, both relations: the worst delta at every e^eps never " ++ (if falls then "rises" else "falls") ++
      " as " ++ nth moved names "" ++ " rises"
  | Conjunction parts _ => words_between " AND " (fun part => "(" ++ words_of part ++ ")") parts
  | Not inner => "NOT (" ++ words_of inner ++ ")"
  end.

End Digest.

(** ** What is assumed besides *)

Definition assumption_words (a : assumption) : string :=
  match a with
  | Markov => "Markov's inequality"
  | Taylor => "Taylor's theorem with Lagrange's remainder"
  | UnionBound => "a union bound"
  | BasicComposition => "basic composition"
  | MonotoneConvergence => "limits of increasing sequences pass into sums of non-negative terms"
  | PostProcessing => "post-processing does not raise a divergence"
  | Independence => "the mean of a product of independent variables is the product of their means"
  end.

Fixpoint assumes (a : assumption) (c : claim) : bool :=
  match c with
  | Conjunction parts facts =>
      existsb (fun fact => assumption_words fact =? assumption_words a) facts || existsb (assumes a) parts
  | Not inner => assumes a inner
  | _ => false
  end.

(** Each once, in the order of their words. *)
Definition assumed (c : claim) : list assumption :=
  filter (fun a => assumes a c)
    [Markov; Taylor; UnionBound; BasicComposition; MonotoneConvergence; PostProcessing; Independence].

Lemma all_assumed a c : In a (assumed c) <-> assumes a c = true.
Proof. unfold assumed. rewrite filter_In. split; [tauto |]. intros H. split; [destruct a; simpl; tauto | exact H]. Qed.
