"""Random choices for the swap bound, and what it is there: every choice has to be valid, those of the product too."""

from dataclasses import replace
from fractions import Fraction

from exactdp import Real
from exactdp.numbers.balls import precision, rational_ball, real_ball
from exactdp.privacy.amplification.swap_bound import AtPlan
from exactdp.privacy.amplification.swap_choices import Plan

F = Fraction
BITS = 192
"""At which bounds are compared with exact worst cases; nodes that hardly matter leave an accuracy of some 80 bits."""


def random_exp_eps(draw):
    return 1 + draw.choice([F(0), F(draw.randint(1, 20), 20), F(draw.randint(1, 30), 10), F(1, draw.randint(2, 200))])


def random_stages(draw, users, own):
    """Rising numbers of users that are given up, each leaving an even number of slots; and whether one is his own."""
    own = (users == 2 or draw.random() < 0.5) if own is None else own
    possible = [lost for lost in range(1, users + own - 1) if (users + own - lost) % 2 == 0]
    return tuple(sorted(draw.sample(possible, draw.randint(1, len(possible))))), own


def largest_value(pair, exp_eps):
    """The largest L under any row."""
    atoms = (atom for row in pair.rows for atom in row.atoms)
    return max(((atom.first - exp_eps * atom.second) / atom.weight for atom in atoms), default=F(0))


def random_plan(draw, pair, users, exp_eps, *, own=None):
    """Any choices: half of them near what is good, the others far from it."""
    tilt = F(10 ** draw.uniform(-0.6, 0.6)) / (largest_value(pair, exp_eps) or 1)
    if draw.random() < 0.5:
        tilt *= F(10 ** draw.uniform(-1, 1))
        step, nodes = tilt * F(10 ** draw.uniform(-1.5, 1)), draw.choice([1, 2, 5, 40])
        return Plan(tilt, F(10 ** draw.uniform(-2, 2)) / tilt, step, nodes, *random_stages(draw, users, own))
    step, scale = F(draw.uniform(0.1, 0.6)), draw.choice([8, 24])
    stages, own = random_stages(draw, users, own)
    return good_plan(tilt, stages, step, scale, own=own)


def good_plan(tilt, stages, step, scale, *, own=False):
    """Nodes as fine and as far as they need to be for few users; step in units of the tilt."""
    return Plan(tilt, 1 / (scale * tilt), step * tilt, 1 + int(4 * scale / step), stages, own)


def at_plan(pair, plan, users, exp_eps):
    """The bound at a plan, as a ball; to be used at the precision that is set."""
    return AtPlan(pair, plan, users, real_ball(Real(exp_eps))).bound()


def enclosed_at(bound, plan, users, exp_eps, bits):
    """The swap bound at a plan that ``choose`` did not make, enclosed as the product does."""
    planted = replace(bound)
    planted._plans[users, Real(exp_eps)] = plan
    return planted.swapped(users, Real(exp_eps), bits)


def check_plans(pair, plans, users, exp_eps, truth, seed):
    """No bound of a pair at some plans is below the truth; return how many times as large the smallest is."""
    with precision(BITS):
        balls = [at_plan(pair, plan, users, exp_eps) for plan in plans]
        assert all(_is_below(truth, ball) for ball in balls), seed
        return min(_share(truth, ball) for ball in balls)


def check_pair(pair, users, exp_eps, truth, seed):
    """Nor is the answer of the pair: the smaller bound, the swap bound where there is one, and their coarse bounds."""
    assert truth <= pair.divergence(users, Real(exp_eps), relative_bits=20).hi, seed
    assert truth <= pair.bound(users, Real(exp_eps)).hi, seed
    if (swapped := pair.swapped(users, Real(exp_eps), 20)) is not None:
        assert truth <= swapped.hi, seed


def _is_below(truth, ball):
    """Whether a rational number is at most the number in a narrow ball, as far as the ball tells."""
    assert ball.rel_accuracy_bits() > 60 or not ball
    return not rational_ball(truth) > ball


def _share(truth, ball):
    return float(ball.mid()) / float(truth) if truth else float("inf")
