(** The checker as an OCaml program.

    [nat], [positive] and [Z] become Zarith's integers, and texts lists of characters. Besides the functions that Coq's
    files [ExtrOcamlZBigInt] and [ExtrOcamlNatBigInt] replace by Zarith's, powers, bit lengths, roots, common multiples, digits,
    comparisons of [nat] and changes from one kind of integer to another are replaced here, because their own definitions
    go one step for each bit or each unit. These replacements are trusted, with extraction itself: README.md lists what is. [Integer] is
    Zarith's module Z, under a name of its own (integer.ml). *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlZBigInt ExtrOcamlNatBigInt ExtrOcamlString.
From Coq Require Import ZArith QArith.
From ExactdpChecker Require Import claims claim_text claim_words witnesses shuffle_dp_checked participation_checked.
From ExactdpChecker Require Import absent_product_checked members_of_classes.
From ExactdpChecker Require Import product_checked classes_of_users classes_swap classes_families family_rows checked.
From ExactdpChecker Require Import work_limits json_reader claim_file.
From ExactdpChecker Require Import box_program functions_of_parameters tables_of_parameters monotone_checked.
From ExactdpChecker Require Import for_all_checked.

Extract Constant Z.pow =>
 "(fun b n -> if Integer.sign n < 0 then Integer.zero else Integer.pow b (Integer.to_int n))".
Extract Constant Z.log2 =>
 "(fun n -> if Integer.sign n <= 0 then Integer.zero else Integer.of_int (Integer.numbits n - 1))".
Extract Constant Z.sqrt =>
 "(fun n -> if Integer.sign n <= 0 then Integer.zero else Integer.sqrt n)".
Extract Constant Z.gcd => "Integer.gcd".
Extract Constant Z.lcm =>
 "(fun a b -> if Integer.sign a = 0 || Integer.sign b = 0 then Integer.zero else Integer.lcm a b)".
Extract Constant Z.of_nat => "(fun n -> n)".
Extract Constant Z.to_nat => "(fun n -> if Integer.sign n < 0 then Integer.zero else n)".
Extract Constant Pos.to_nat => "(fun n -> n)".
Extract Constant Nat.leb => "Integer.leq".
Extract Constant Nat.ltb => "Integer.lt".
Extract Constant Nat.even => "Integer.is_even".
Extract Constant Nat.div2 => "(fun n -> Integer.shift_right n 1)".
Extract Constant decimal => "(fun n -> List.of_seq (String.to_seq (Integer.to_string n)))".
Extract Constant hexadecimal => "(fun n -> List.of_seq (String.to_seq (Integer.format ""%#x"" n)))".

Extraction "proved.ml"
  read_json stated_in claim_stated checked_file words_of is_covered too_large_before too_large_after text_of
  as_one_claim as_one_randomizer adds_up plain_at in_rational_box table_of most_of at_level tested_classes
  listed_members plain_classes differing pairs_of_classes rows_told told_inputs inputs_of pairs_of_away
  absent_pairs never_away classes_beside.
