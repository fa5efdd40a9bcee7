"""The claim that is typed: what a name stands for is (eps, delta)-DP, in one run or in many.

``certify`` decides it, and ``compose`` writes the certificate of its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import exactdp as xdp
from exactdp.cli.options import typed_classes, typed_target
from exactdp.cli.output import HONEST_USERS, Fact, population, printable, users_facts
from exactdp.cli.subjects import NoisyQuery, classes_facts, refuse_for_classes, refuse_user_class
from exactdp.cli.values import needed, refuse, refuse_given
from exactdp.errors import InvalidValueError
from exactdp.numbers.formats import short
from exactdp.protocols.naming.populations import ABSENCE, with_absence
from exactdp.protocols.naming.targets import ClassesTarget, ProtocolTarget
from exactdp.protocols.naming.typed_noise import NoiseLaw


@dataclass(frozen=True, slots=True)
class TypedClaim:
    """A claim of the command line, and what is said of it."""

    claim: xdp.Claim
    words: str
    """The claim for reading."""
    facts: Sequence[Fact]
    """What is said of it."""
    note: str
    """What the answer says of its meaning."""
    work: str
    """What is shown while it is decided."""
    decided: Callable[[], xdp.Certificate] | None = None
    """Decides it in a way of its own; None where the claim is what is decided."""

    def certificate(self) -> xdp.Certificate:
        """Return what is found of the claim."""
        return xdp.certify(self.claim) if self.decided is None else self.decided()


def _of_noise(noise: NoiseLaw, typed: Mapping[str, Any], level: dict[str, Any], times: int | None) -> TypedClaim:
    """Return the claim about a query that noise hides, or about many such queries."""
    from exactdp.claims.target_claims import noise_claim

    foreign = {f"--{name}": typed[name] for name in ABSENCE}
    refuse(noise, {"--all-n": typed["all_n"] or None, **foreign})
    query = NoisyQuery.read(noise, typed)
    words = f"a query of sensitivity {query.shift} plus {noise.title} is (eps, delta)-DP, both orders"
    claim = noise_claim(noise, int(query.shift), level, times=times)
    facts = [fact.said("") for fact in query.facts]
    return TypedClaim(claim, words, facts, query.note, f"certifying {noise.title}")


def _of_users(target: ProtocolTarget, typed: Mapping[str, Any], level: dict[str, Any], times: int | None) -> TypedClaim:
    """Return the claim about n users of a randomizer, about n users and more, or about many runs."""
    from exactdp.claims.target_claims import bins_claim, certified_by_bins, has_many_bins, protocol_claim, users_claim

    refuse(target, {"--shift": typed["shift"]})
    n, neighbors = typed["users"], typed["neighbors"] or xdp.Neighbors.REPLACE_ONE
    all_n = bool(typed["all_n"])
    if isinstance(n, NoiseLaw):
        raise InvalidValueError(
            f"users={short(n.name)}: n is random, and no certificate speaks of that. Write -n 1000 for one n, or -n "
            "1000 --all-n for every n from there on."
        )
    n = needed(n, target)
    relation = neighbors if target.table is not None else target.build(n).reduction(neighbors)[1]
    if target.table is None and (all_n or relation is not xdp.Neighbors.REPLACE_ONE):
        option = "--all-n" if all_n else f"--neighbors {neighbors.value}"
        refuse_given({option: True}, f"for {target.name}, whose noise belongs to n users")
    target = target.in_fractions()
    if any(typed[name] is not None for name in ABSENCE):
        protocol = with_absence(target.build(n), typed)
        claim = protocol_claim(protocol, level, neighbors=neighbors, all_n=all_n, times=times)
        return claim_of_n(claim, target.name, n, neighbors, all_n=all_n, seen=protocol.absence_words)
    if not all_n and has_many_bins(target, n, neighbors):
        bins: Any = target.build(n)
        typed_claim = claim_of_n(bins_claim(bins, level, times), target.name, n, neighbors, all_n=False)
        return replace(typed_claim, decided=partial(certified_by_bins, bins, level, times))
    claim = users_claim(target, n, level, neighbors=neighbors, all_n=all_n, times=times)
    return claim_of_n(claim, target.name, n, neighbors, all_n=all_n)


def _of_classes(
    target: ClassesTarget, typed: Mapping[str, Any], level: dict[str, Any], times: int | None
) -> TypedClaim:
    """Return the claim about classes of users."""
    refuse_for_classes(target, typed)
    refuse_given({"all_n": typed["all_n"], "times": times}, f"for {target.name}, classes of users")
    neighbors, place = typed["neighbors"] or xdp.Neighbors.REPLACE_ONE, typed["user_class"]
    claim = xdp.Claim.shuffle_dp(target.protocol, **level, neighbors=neighbors, user_class=place)
    who = "whoever differs" if place is None else f"where a user of class {place} differs"
    words = f"{printable(target.name)} is (eps, delta)-DP, {who}, neighbours: {neighbors.value}"
    facts = [
        Fact("randomizer", target.name),
        *classes_facts(target),
        Fact("user_class", place),
        Fact("neighbors", neighbors.value),
    ]
    return TypedClaim(claim, words, facts, HONEST_USERS, f"certifying {target.name}")


def claim_of_n(
    claim: xdp.Claim, name: str, n: int, neighbors: xdp.Neighbors, *, all_n: bool, seen: str = ""
) -> TypedClaim:
    """Return a claim about n users, or n users and more; ``seen`` says who may be away."""
    scope, some_n = ("all n from n", f"every n >= {n}") if all_n else ("this n", f"n = {n}")
    words = f"{printable(name)} is (eps, delta)-DP for {some_n}, neighbours: {neighbors.value}"
    users, n_counts = users_facts(n)
    note = HONEST_USERS
    if seen:
        words, n_counts = f"{words}; {seen}", Fact("n_counts", population(seen))
        note = f"n counts the {population(seen)}; with fewer of them there is less privacy."
    n_counts = replace(n_counts, cells={n_counts.name: n_counts.data})
    facts = [Fact("randomizer", name), users, n_counts, Fact("scope", scope), Fact("neighbors", neighbors.value)]
    return TypedClaim(claim, words, facts, note, f"certifying for n = {n}")


def claim_of_target(typed: Mapping[str, Any], level: dict[str, Any], times: int | None) -> TypedClaim:
    """Return the claim about what RANDOMIZER names; ``times`` is None for one run."""
    target = typed_classes(typed, rational=True) or typed_target(typed)
    if isinstance(target, ClassesTarget):
        return _of_classes(target, typed, level, times)
    refuse_user_class(target, typed)
    asked = typed, level, times
    return _of_noise(target, *asked) if isinstance(target, NoiseLaw) else _of_users(target, *asked)
