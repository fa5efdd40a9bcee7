(** A certificate as a theorem: its proof is what the checker of exactdp computes, here in Coq's virtual machine. *)

From Coq Require Import ZArith QArith List.
From ExactdpChecker Require Import claims witnesses checked.
Import ListNotations.

Definition stated : claim :=
  (ParticipationDP {| message_types := 2%nat; rows := [[((Qmake (3)%Z 4%positive), [0%nat]); ((Qmake (1)%Z 4%positive), [1%nat])]; [((Qmake (1)%Z 4%positive), [0%nat]); ((Qmake (3)%Z 4%positive), [1%nat])]] |} (Qmake (1)%Z 2%positive) Counted (12)%Z ThisNumber (ExpEps (Qmake (3)%Z 2%positive)) (Qmake (53671143)%Z 5000000000%positive)).

Definition by_witness : witness :=
  (ForAllDataSets (BySwap (96)%Z [(Build_swap_plan (Qmake (1)%Z 1%positive) (Qmake (1)%Z 8%positive) (Qmake (1)%Z 2%positive) (40)%Z [(2)%Z; (4)%Z])] [(0)%Z; (0)%Z]) Exactly).

Theorem certified : holds stated.
Proof.
  apply (check_sound {| claimed := stated; verdict := true; shown := by_witness |}).
  vm_cast_no_check (eq_refl true).
Qed.

Print Assumptions certified.

(** The verdict and the claim as they stand in the certificate, by the reader of another program. *)

From Coq Require Import String.
From ExactdpChecker Require claim_text.

Check certified : claims.holds stated.

Theorem written : claim_text.text_of stated = "{""delta"":""53671143/5000000000"",""exp_eps"":""3/2"",""kind"":""shuffle_dp"",""least"":""none"",""n"":""12"",""neighbors"":""replace-one"",""randomizer"":{""absence"":""counted"",""family"":""participation"",""of"":{""messages"":""2"",""rows"":[[{""prob"":""3/4"",""send"":[""0""]},{""prob"":""1/4"",""send"":[""1""]}],[{""prob"":""1/4"",""send"":[""0""]},{""prob"":""3/4"",""send"":[""1""]}]]},""probability"":""1/2""},""scope"":""this n""}"%string.
Proof.
  vm_cast_no_check (eq_refl (claim_text.text_of stated)).
Qed.

Print Assumptions written.
