(** The checker as an OCaml program.

    [nat], [positive] and [Z] become Zarith's integers. Besides the functions that Coq's files [ExtrOcamlZBigInt] and
    [ExtrOcamlNatBigInt] replace by Zarith's, powers, bit lengths, common multiples, comparisons of [nat] and
    changes from one kind of integer to another are replaced here, because their own definitions go one step for each
    bit or each unit. These replacements are trusted, with extraction itself: README.md lists what is. [Integer] is
    Zarith's module Z, under a name of its own (integer.ml). *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlZBigInt ExtrOcamlNatBigInt.
From Coq Require Import ZArith QArith.
From ExactdpChecker Require Import claims witnesses checked work_limits.

Extract Constant Z.pow =>
 "(fun b n -> if Integer.sign n < 0 then Integer.zero else Integer.pow b (Integer.to_int n))".
Extract Constant Z.log2 =>
 "(fun n -> if Integer.sign n <= 0 then Integer.zero else Integer.of_int (Integer.numbits n - 1))".
Extract Constant Z.gcd => "Integer.gcd".
Extract Constant Z.lcm =>
 "(fun a b -> if Integer.sign a = 0 || Integer.sign b = 0 then Integer.zero else Integer.lcm a b)".
Extract Constant Z.of_nat => "(fun n -> n)".
Extract Constant Z.to_nat => "(fun n -> if Integer.sign n < 0 then Integer.zero else n)".
Extract Constant Pos.to_nat => "(fun n -> n)".
Extract Constant Nat.leb => "Integer.leq".
Extract Constant Nat.ltb => "Integer.lt".

Extraction "proved.ml" check_claim is_covered too_large_before too_large_after.
