(** The claims shift_dp, smooth and tail of laws that are listed exactly: programs.

    Levels are a rational e^eps, or a rational eps with a Taylor sum on the right side of e^eps (levels.v). They are
    ShiftPrivacy and Smooth of exactdp/checker/noise_privacy.py, Privacy of privacy.py and Tail of accuracy.py where a
    witness has no bits. All shifts are looked at, also where the longest one would do.

    Soundness: shift_sound.v, smooth_tail_sound.v. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith List Bool.
From ExactdpChecker Require Import claims witnesses levels posed exact_program.
Import ListNotations.

(** Whether the witness says of the level what it has to say, and nothing else. *)
Definition fits (l : level) (p : precision) : bool :=
  match l, p with
  | ExpEps _, Exactly | Eps _, TaylorTerms _ => true
  | _, _ => false
  end.

Definition at_ratio (r : option (Z * Z)) (f : Z -> Z -> bool) : bool :=
  match r with
  | Some (a, b) => f a b
  | None => false
  end.

Definition with_law (nu : noise) (f : exact_law -> bool) : bool :=
  match exact_law_of nu with
  | Some law => f law
  | None => false
  end.

(** Only of a rational e^eps something is least. *)
Definition least_fits (l : level) (w : least) : bool :=
  match l, w with
  | ExpEps _, _ | _, LeastNothing => true
  | _, _ => false
  end.

(** Whether something is said to be least, and anything is smaller than that. *)
Definition has_smaller (l : level) (delta : Q) (w : least) : bool :=
  match w, l with
  | LeastDelta, _ => less 0 delta
  | LeastExpEps, ExpEps E => less 1 E
  | _, _ => false
  end.

Definition attained (law : exact_law) (j : Z) (forward : bool) (a b : Z) (delta : Q) (w : least) : bool :=
  is_equal (compare_divergence law j forward a b delta) &&
  match w with
  | LeastExpEps => is_shown law j forward a b
  | _ => true
  end.

Definition check_shift_exact (nu : noise) (shift : Z) (l : level) (delta : Q) (w : least) (proved : bool)
    (shown : witness) : bool :=
  level_is_posed l delta && (1 <=? shift)%Z && least_fits l w &&
  match proved, shown with
  | true, Simple p =>
      fits l p && negb (has_smaller l delta w) && with_law nu (fun law =>
        at_ratio (ratio_below l p) (fun a b => private_at law shift a b delta))
  | true, ShiftOrder j forward p =>
      fits l p && has_smaller l delta w && ((1 <=? j) && (j <=? shift))%Z && with_law nu (fun law =>
        at_ratio (ratio_below l p) (fun a b => private_at law shift a b delta && attained law j forward a b delta w))
  | false, ShiftOrder j forward p =>
      fits l p && ((1 <=? j) && (j <=? shift))%Z && with_law nu (fun law =>
        at_ratio (ratio_above l p) (fun a b => negb (is_at_most (compare_divergence law j forward a b delta))))
  | false, Smaller q =>
      match w, l with
      | LeastDelta, ExpEps E =>
          at_most 0 q && less q delta && with_law nu (fun law => private_at law shift (Qnum E) (Zpos (Qden E)) q)
      | LeastExpEps, ExpEps E =>
          at_most 1 q && less q E && with_law nu (fun law => private_at law shift (Qnum q) (Zpos (Qden q)) delta)
      | _, _ => false
      end
  | _, _ => false
  end.

(** e^eps is at least exp_eps^shift; both rational, or eps and the logarithm of exp_eps are. *)
Definition is_pure (nu : noise) (shift : Z) (l : level) : bool :=
  match nu, l with
  | DiscreteLaplace (Rational x), ExpEps E =>
      less 1 x && (Qnum x ^ shift * Zpos (Qden E) <=? Qnum E * Zpos (Qden x) ^ shift)%Z
  | DiscreteLaplace (Exponential (Rational x)), Eps eps => less 0 x && at_most (inject_Z shift * x) eps
  | _, _ => false
  end.

Definition check_shift_pure (nu : noise) (shift : Z) (l : level) (delta : Q) (w : least) (proved : bool)
    (shown : witness) : bool :=
  match proved, w, shown with
  | true, LeastNothing, Pure => level_is_posed l delta && (1 <=? shift)%Z && is_pure nu shift l
  | _, _, _ => false
  end.

Definition check_smooth_exact (nu : noise) (k : Z) (l : level) (delta : Q) (proved : bool) (shown : witness) : bool :=
  level_is_posed l delta && (1 <=? k)%Z &&
  match proved, shown with
  | true, Simple p => fits l p && with_law nu (fun law =>
      at_ratio (ratio_below l p) (fun a b => smooth_at_ratio law k a b delta))
  | false, By j p =>
      fits l p && ((1 <=? Z.abs j) && (Z.abs j <=? k))%Z && with_law nu (fun law =>
        at_ratio (ratio_above l p) (fun a b => negb (is_at_most (compare_far law (Z.abs j) (j <? 0)%Z a b delta))))
  | _, _ => false
  end.

Definition check_tail_exact (nu : noise) (first last : option Z) (below : bool) (q : Q) (proved : bool)
    (shown : witness) : bool :=
  match shown with
  | Simple Exactly => with_law nu (fun law =>
      match interval_share law first last with
      | Some (s, T) =>
          let c := (s * Zpos (Qden q) ?= Qnum q * T)%Z in
          match below, proved with
          | true, true => is_at_most c
          | true, false => negb (is_at_most c)
          | false, true => is_at_most (CompOpp c)
          | false, false => negb (is_at_most (CompOpp c))
          end
      | None => false
      end)
  | _ => false
  end.
