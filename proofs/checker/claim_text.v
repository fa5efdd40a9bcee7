(** The canonical text of a claim, from which its id is taken: the claim as JSON, in the words of docs/certificates.md.

    [json_of] says how each claim of claims.v is written: this is the format page, read as a program. [text_of] writes
    that on one line, with sorted keys and no spaces. Integers are decimal up to 256 bits, and hexadecimal above. A sum
    of sums, and a product of products, is written as one, since sums and products are of two in claims.v.

    This file is trusted, as claims.v is: the program compares the text of the claim that it has read with the file, and
    a theorem of each certificate says which text its claim has.

    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith List Ascii String DecimalString HexString.
From ExactdpChecker Require Import claims.
Import ListNotations.
Open Scope string_scope.

(** ** JSON *)

Inductive json : Type :=
  | Text (s : string)
  | Array (entries : list json)
  | Fields (fields : list (string * json)).

Definition field : Type := string * json.

(** In front of the first key that is greater. *)
Fixpoint insert (f : field) (sorted : list field) : list field :=
  match sorted with
  | [] => [f]
  | g :: rest => if String.ltb (fst f) (fst g) then f :: sorted else g :: insert f rest
  end.

Definition object (fields : list field) : json := Fields (fold_right insert [] fields).

Definition quoted (s rest : string) : string := String """" (s ++ String """" rest).

(** Entries with commas between them; each entry is written in front of what follows it. *)
Definition separated {A} (write : A -> string -> string) : list A -> string -> string :=
  fix go l rest :=
    match l with
    | [] => rest
    | [a] => write a rest
    | a :: others => write a (String "," (go others rest))
    end.

Fixpoint written (value : json) (rest : string) : string :=
  match value with
  | Text s => quoted s rest
  | Array entries => String "[" (separated written entries (String "]" rest))
  | Fields fields =>
      String "{" (separated (fun f rest => quoted (fst f) (String ":" (written (snd f) rest))) fields (String "}" rest))
  end.

(** ** Numbers and lists *)

Definition decimal (n : Z) : string := NilZero.string_of_int (Z.to_int n).

Definition hexadecimal : Z -> string := HexString.of_Z.

(** Decimal up to 256 bits, so that every integer has one spelling. *)
Definition integer_text (n : Z) : string := if (Z.log2 (Z.abs n) <? 256)%Z then decimal n else hexadecimal n.

Definition integer_json (n : Z) : json := Text (integer_text n).

Definition natural_json (n : nat) : json := integer_json (Z.of_nat n).

(** An integer where the denominator is 1. *)
Definition rational_json (q : Q) : json :=
  Text match Qden q with
       | xH => integer_text (Qnum q)
       | d => integer_text (Qnum q) ++ String "/" (integer_text (Zpos d))
       end.

Definition array {A} (entry : A -> json) (l : list A) : json := Array (map entry l).

Definition either (yes no : string) (b : bool) : json := Text (if b then yes else no).

Definition or_word {A} (entry : A -> json) (word : string) (a : option A) : json :=
  match a with
  | Some a => entry a
  | None => Text word
  end.

(** An operation on several terms, of which the first may be the same operation. *)
Definition joined (operation : string) (first last : json) : json :=
  let terms :=
    match first with
    | Fields [(name, Array terms)] => if name =? operation then app terms [last] else [first; last]
    | _ => [first; last]
    end in
  Fields [(operation, Array terms)].

Fixpoint real_json (x : real) : json :=
  match x with
  | Rational q => rational_json q
  | Exponential y => Fields [("exp", real_json y)]
  | Logarithm y => Fields [("log", real_json y)]
  | Inverse y => Fields [("inverse", real_json y)]
  | Plus y z => joined "sum" (real_json y) (real_json z)
  | Times y z => joined "product" (real_json y) (real_json z)
  | Power y k => Fields [("power", Array [real_json y; natural_json k])]
  end.

(** ** Randomizers and noise *)

Definition outcome_json (o : Q * list nat) : json :=
  object [("send", array natural_json (snd o)); ("prob", rational_json (fst o))].

Definition table_json (t : table) : json :=
  object [("messages", natural_json (message_types t)); ("rows", array (array outcome_json) (rows t))].

Definition family_json (f : family) : json :=
  let named family parameters := object (("family", Text family) :: parameters) in
  match f with
  | KAry k E0 => named "k-ary" [("inputs", integer_json k); ("exp_eps0", rational_json E0)]
  | UnaryEncoding d p q =>
      named "unary-encoding" [("inputs", integer_json d); ("one", rational_json p); ("other", rational_json q)]
  | SubsetSelection d w E0 =>
      named "subset-selection" [("inputs", integer_json d); ("size", integer_json w); ("exp_eps0", rational_json E0)]
  | Hadamard d E0 => named "hadamard" [("inputs", integer_json d); ("exp_eps0", rational_json E0)]
  | LocalHashing d g E0 =>
      named "local-hashing" [("inputs", integer_json d); ("buckets", integer_json g); ("exp_eps0", rational_json E0)]
  | ClippedLaplace top r => named "clipped-discrete-laplace" [("top", integer_json top); ("ratio", rational_json r)]
  end.

Definition randomizer_json (r : randomizer) : json :=
  match r with
  | Table t => table_json t
  | Family f => family_json f
  end.

Definition any_json (E0 : Q) : json := object [("family", Text "any"); ("exp_eps0", rational_json E0)].

Definition product_json (of : list randomizer) : json :=
  object [("family", Text "product"); ("of", array randomizer_json of)].
Definition dummy_json (a : absence) : json :=
  match a with
  | Counted | Listed => Text "none"
  | HiddenUniformly => Text "uniform"
  | Hidden chances => array rational_json chances
  | HiddenByInput z => Fields [("input", integer_json z)]
  end.

(** Who takes part with this probability runs [of]. *)
Definition sometimes_json (of : json) (q : Q) (how : string) (dummy : list (string * json)) : json :=
  object ([("family", Text "participation"); ("absence", Text how); ("probability", rational_json q); ("of", of)] ++
    dummy)%list.

Definition participation_json (r : randomizer) (q : Q) (a : absence) : json :=
  match a with
  | Counted => sometimes_json (randomizer_json r) q "counted" []
  | Listed => sometimes_json (randomizer_json r) q "listed" []
  | _ => sometimes_json (randomizer_json r) q "hidden" [("dummy", dummy_json a)]
  end.

Definition joint_participation_json (of : list randomizer) (q : Q) (a : joint_absence) : json :=
  match a with
  | AllCounted => sometimes_json (product_json of) q "counted" []
  | AllListed => sometimes_json (product_json of) q "listed" []
  | AllHidden dummies => sometimes_json (product_json of) q "hidden" [("dummy", array dummy_json dummies)]
  end.

Definition member_json (m : member) : json :=
  match m with
  | Always r => randomizer_json r
  | Sometimes r q a => participation_json r q a
  | AlwaysAll of => product_json of
  | SometimesAll of q a => joint_participation_json of q a
  end.

Definition weights_json (weights : list (Z * Q)) : json :=
  array (fun kq => Array [integer_json (fst kq); rational_json (snd kq)]) weights.

Definition noise_json (nu : noise) : json :=
  let named family parameters := object (("family", Text family) :: parameters) in
  match nu with
  | Finite weights => named "finite" [("weights", weights_json weights)]
  | View t histogram weights =>
      named "view" [("randomizer", table_json t); ("dataset", array integer_json histogram);
        ("weights", array integer_json weights)]
  | Binomial n p => named "binomial" [("n", integer_json n); ("p", real_json p)]
  | BinomialSum n1 p1 n2 p2 =>
      named "binomial-sum" [("n1", integer_json n1); ("p1", real_json p1); ("n2", integer_json n2);
        ("p2", real_json p2)]
  | NegativeBinomial r p => named "negative-binomial" [("r", real_json r); ("p", real_json p)]
  | Geometric p => named "geometric" [("p", real_json p)]
  | DiscreteLaplace e => named "discrete-laplace" [("exp_eps", real_json e)]
  | DiscreteGaussian s => named "discrete-gaussian" [("sigma_squared", rational_json s)]
  | Poisson mu => named "poisson" [("mu", real_json mu)]
  | DiscreteUniform low high => named "discrete-uniform" [("low", integer_json low); ("high", integer_json high)]
  end.

(** ** Parts of claims *)

Definition level_fields (l : level) (delta : Q) : list field :=
  [match l with
   | ExpEps E => ("exp_eps", rational_json E)
   | Eps eps => ("eps", rational_json eps)
   end; ("delta", rational_json delta)].

Definition scope_json (s : scope) : json :=
  Text match s with ThisNumber => "this n" | AllFromIt => "all n from n" end.

Definition neighbors_json (nb : neighboring) : json :=
  Text match nb with ReplaceOne => "replace-one" | AddOrRemoveOne => "add-or-remove-one" end.

Definition least_json (w : least) : json :=
  Text match w with LeastNothing => "none" | LeastDelta => "delta" | LeastExpEps => "exp_eps" end.

Definition run_json (r : run * positive) : json :=
  let times := ("times", integer_json (Zpos (snd r))) in
  match fst r with
  | NoiseRun nu shift => object [("law", noise_json nu); ("shift", integer_json shift); times]
  | RandomizerRun r n nb =>
      object [("randomizer", randomizer_json r); ("n", integer_json n); ("neighbors", neighbors_json nb); times]
  | ProductRun of n =>
      object [("randomizer", product_json of); ("n", integer_json n); ("neighbors", neighbors_json ReplaceOne); times]
  | AnyRun E0 n =>
      object [("randomizer", any_json E0); ("n", integer_json n); ("neighbors", neighbors_json ReplaceOne); times]
  | ParticipationRun r q a n => object [("randomizer", participation_json r q a); ("n", integer_json n);
      ("neighbors", neighbors_json ReplaceOne); times]
  | AbsentProductRun of q a n => object [("randomizer", joint_participation_json of q a); ("n", integer_json n);
      ("neighbors", neighbors_json ReplaceOne); times]
  end.

Definition threshold_json : option Q -> json := or_word rational_json "none".

(** Letters, digits and _; what is none of them is written as a backslash, which stands in no certificate. *)
Definition name_text (n : name) : string :=
  let is_plain code :=
    existsb (fun range => (fst range <=? code) && (code <=? snd range))%Z [(48, 57); (65, 90); (95, 95); (97, 122)]%Z in
  string_of_list_ascii (map (fun code => if is_plain code then ascii_of_N (Z.to_N code) else "\"%char) n).

Definition names_json : list name -> json := array (fun n => Text (name_text n)).

Definition poly_json : rational_poly -> json :=
  array (fun ce => Array [rational_json (fst ce); array natural_json (snd ce)]).

Definition condition_json (g : rational_condition) : json :=
  object [("polynomial", poly_json (fst g)); ("strict", either "yes" "no" (snd g))].

Definition interval_json (i : rational_interval) : json :=
  object [("low", rational_json (from i)); ("low_end", either "closed" "open" (from_closed i));
    ("high", rational_json (to i)); ("high_end", either "closed" "open" (to_closed i))].

Definition function_json (f : rational_function) : json :=
  match f with
  | Constant q => rational_json q
  | Polynomial p => poly_json p
  | Quotient top bottom => object [("top", poly_json top); ("bottom", poly_json bottom)]
  end.

Definition functional_table_json (t : functional_table) : json :=
  object [("messages", natural_json (function_messages t));
    ("rows", array (array (fun o => object [("send", array natural_json (snd o)); ("prob", function_json (fst o))]))
      (function_rows t))].

Definition functional_weights_json (weights : list (Z * rational_function)) : json :=
  array (fun kf => Array [integer_json (fst kf); function_json (snd kf)]) weights.

Definition functional_noise_json (nu : functional_noise) : json :=
  let named family parameters := object (("family", Text family) :: parameters) in
  match nu with
  | FunctionalFinite weights => named "finite" [("weights", functional_weights_json weights)]
  | FunctionalView t histogram weights =>
      named "view" [("randomizer", functional_table_json t); ("dataset", array integer_json histogram);
        ("weights", array integer_json weights)]
  | FunctionalBinomial n p => named "binomial" [("n", integer_json n); ("p", function_json p)]
  end.

Definition functional_level_fields (E : rational_function) (deltas : list rational_function) : list field :=
  [("exp_eps", function_json E);
   ("delta", match deltas with [f] => function_json f | _ => Fields [("max", array function_json deltas)] end)].

Definition points_json (c : claim_at_points) : json :=
  let kind name fields := object (("kind", Text name) :: fields) in
  match c with
  | PointShuffle t n s nb E deltas w =>
      kind "shuffle_dp" ([("randomizer", functional_table_json t); ("n", integer_json n); ("scope", scope_json s);
        ("neighbors", neighbors_json nb); ("least", least_json w)] ++ functional_level_fields E deltas)%list
  | PointShift nu shift E deltas w =>
      kind "shift_dp" ([("law", functional_noise_json nu); ("shift", integer_json shift); ("least", least_json w)] ++
        functional_level_fields E deltas)%list
  | PointSmooth nu k E delta =>
      kind "smooth" ([("law", functional_noise_json nu); ("k", integer_json k)] ++ functional_level_fields E [delta])%list
  | PointTail nu first last at_most probability =>
      kind "tail" [("law", functional_noise_json nu); ("from", or_word integer_json "-infinity" first);
        ("to", or_word integer_json "infinity" last); ("bound", either "at most" "at least" at_most);
        ("probability", function_json probability)]
  | PointEqual nu nu' =>
      kind "equal_laws" [("first", functional_noise_json nu); ("second", functional_noise_json nu')]
  end.

Definition assumption_json (a : assumption) : json :=
  Text match a with
       | Markov => "markov"
       | Independence => "independence"
       | UnionBound => "union"
       | PostProcessing => "post-processing"
       | BasicComposition => "composition"
       | Taylor => "taylor"
       | MonotoneConvergence => "monotone-convergence"
       end.

(** ** Claims *)

Fixpoint json_of (c : claim) : json :=
  let kind name fields := object (("kind", Text name) :: fields) in
  match c with
  | ShuffleDP r n s nb l delta w =>
      kind "shuffle_dp" ([("randomizer", randomizer_json r); ("n", integer_json n); ("scope", scope_json s);
        ("neighbors", neighbors_json nb); ("least", least_json w)] ++ level_fields l delta)%list
  | AnyShuffleDP E0 n s l delta =>
      kind "shuffle_dp" ([("randomizer", any_json E0); ("n", integer_json n); ("scope", scope_json s);
        ("neighbors", neighbors_json ReplaceOne); ("least", least_json LeastNothing)] ++ level_fields l delta)%list
  | ParticipationDP r q a n s l delta =>
      kind "shuffle_dp" ([("randomizer", participation_json r q a); ("n", integer_json n); ("scope", scope_json s);
        ("neighbors", neighbors_json ReplaceOne); ("least", least_json LeastNothing)] ++ level_fields l delta)%list
  | ClassesDP classes who l delta =>
      let of_class c := object [("randomizer", randomizer_json (fst c)); ("n", integer_json (snd c))] in
      kind "shuffle_dp" ([("classes", array of_class classes); ("user_class", or_word integer_json "any" who);
        ("neighbors", neighbors_json ReplaceOne); ("least", least_json LeastNothing)] ++ level_fields l delta)%list
  | MembersDP classes who l delta =>
      let of_class c := object [("randomizer", member_json (fst c)); ("n", integer_json (snd c))] in
      kind "shuffle_dp" ([("classes", array of_class classes); ("user_class", or_word integer_json "any" who);
        ("neighbors", neighbors_json ReplaceOne); ("least", least_json LeastNothing)] ++ level_fields l delta)%list
  | ProductDP of n s l delta =>
      kind "shuffle_dp" ([("randomizer", product_json of); ("n", integer_json n); ("scope", scope_json s);
        ("neighbors", neighbors_json ReplaceOne); ("least", least_json LeastNothing)] ++ level_fields l delta)%list
  | AbsentProductDP of q a n s l delta =>
      kind "shuffle_dp" ([("randomizer", joint_participation_json of q a); ("n", integer_json n);
        ("scope", scope_json s); ("neighbors", neighbors_json ReplaceOne); ("least", least_json LeastNothing)] ++
        level_fields l delta)%list
  | TwoMessageDP t n s l delta =>
      kind "two_message_dp" ([("randomizer", table_json t); ("n", integer_json n); ("scope", scope_json s)] ++
        level_fields l delta)%list
  | CountingDP p1 parts l delta =>
      kind "counting_dp" ([("p1", real_json p1);
        ("noise", array (fun rp => noise_json (NegativeBinomial (fst rp) (snd rp))) parts)] ++ level_fields l delta)%list
  | SampleThresholdDP q tau users l delta =>
      kind "sample_threshold_dp" ([("rate", rational_json q); ("threshold", integer_json tau);
        ("users", or_word integer_json "any" users)] ++ level_fields l delta)%list
  | NeverDP t n nb delta_below =>
      kind "never_dp" [("randomizer", table_json t); ("n", integer_json n); ("neighbors", neighbors_json nb);
        ("delta_below", rational_json delta_below)]
  | SplitAndMix n q m distance =>
      kind "split_and_mix" [("n", integer_json n); ("modulus", integer_json q); ("messages", integer_json m);
        ("distance", rational_json distance)]
  | ShiftDP nu shift l delta w =>
      kind "shift_dp" ([("law", noise_json nu); ("shift", integer_json shift); ("least", least_json w)] ++
        level_fields l delta)%list
  | Smooth nu k l delta =>
      kind "smooth" ([("law", noise_json nu); ("k", integer_json k)] ++ level_fields l delta)%list
  | Tail nu first last at_most probability =>
      kind "tail" [("law", noise_json nu); ("from", or_word integer_json "-infinity" first);
        ("to", or_word integer_json "infinity" last); ("bound", either "at most" "at least" at_most);
        ("probability", rational_json probability)]
  | Composed runs l delta => kind "composed" (("runs", array run_json runs) :: level_fields l delta)
  | Accuracy t n histogram a values alpha beta =>
      kind "accuracy" [("randomizer", table_json t); ("n", integer_json n);
        ("dataset", or_word (array integer_json) "worst" histogram); ("weights", array rational_json (weights a));
        ("offset", rational_json (offset a)); ("zero_unless_above", threshold_json (zero_unless_above a));
        ("values", array rational_json values); ("alpha", rational_json alpha); ("beta", rational_json beta)]
  | CountAccuracy nu least_count most_count weight offset threshold alpha beta =>
      kind "accuracy" [("law", noise_json nu); ("least", integer_json least_count); ("most", integer_json most_count);
        ("weight", rational_json weight); ("offset", rational_json offset);
        ("zero_unless_above", threshold_json threshold); ("alpha", rational_json alpha); ("beta", rational_json beta)]
  | EqualLaws nu nu' => kind "equal_laws" [("first", noise_json nu); ("second", noise_json nu')]
  | AdditiveView t base shifts =>
      kind "additive_view" [("randomizer", table_json t); ("base", weights_json base);
        ("shifts", array integer_json shifts)]
  | ZeroEstimate t weights threshold x =>
      kind "zero_estimate" [("randomizer", table_json t); ("weights", array rational_json weights);
        ("zero_unless_above", rational_json threshold); ("input", natural_json x)]
  | Inequality variables hypotheses conclusion =>
      kind "inequality" [("variables", names_json variables); ("hypotheses", array condition_json hypotheses);
        ("conclusion", condition_json conclusion)]
  | BoxInequality variables box terms is_strict =>
      kind "box_inequality" [("variables", names_json variables); ("box", array interval_json box);
        ("terms", array (fun pu => object [("polynomial", poly_json (fst pu)); ("exponent", poly_json (snd pu))]) terms);
        ("strict", either "yes" "no" is_strict)]
  | ForAll parameters box c =>
      kind "for_all" [("parameters", names_json parameters); ("box", array interval_json box); ("claim", points_json c)]
  | Monotone parameters box moved falls t =>
      kind "monotone" [("parameters", names_json parameters); ("box", array interval_json box);
        ("parameter", natural_json moved); ("delta", either "falls" "rises" falls);
        ("randomizer", functional_table_json t)]
  | Conjunction parts assumed =>
      kind "conjunction" (("claims", array json_of parts) ::
        match assumed with [] => [] | _ => [("assuming", array assumption_json assumed)] end)
  | Not inner => kind "not" [("claim", json_of inner)]
  end.

Definition text_of (c : claim) : string := written (json_of c) "".

(** In words of a claim, long tables and laws stand by the first digits of their ids. *)
Definition table_text (t : table) : string := written (table_json t) "".

Definition weights_text (weights : list (Z * Q)) : string := written (weights_json weights) "".

Definition functional_table_text (t : functional_table) : string := written (functional_table_json t) "".

Definition functional_weights_text (weights : list (Z * rational_function)) : string :=
  written (functional_weights_json weights) "".
