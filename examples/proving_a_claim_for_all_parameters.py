# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # A paper's small-n claim for all parameters, proved in a minute
#
# Papers on shuffle privacy like to say: "for two users a short calculation gives delta(gamma) = ..., so for every gamma
# ...". The calculation is short for one pair of data sets and one event. That no other pair is worse, for no gamma, is
# what one would rather not do by hand. Here the claim is made for the whole interval at once, and comes back with a
# certificate that a checker verifies from the table of the protocol, not by trying values of gamma.
#
# Each line that begins with `# ->` is what the cell prints; the tests run the page and compare.

# %%
import exactdp as xdp
from exactdp import Claim, OpenClaim, ShuffleProtocol, certify, symbolic

# %% [markdown]
# ## From the protocol to the formula
#
# Binary randomized response: with probability gamma a user sends a coin, else the bit. Take three users and
# e^eps = 3/2. What is the least delta, as a function of gamma?

# %%
bits = symbolic.randomized_response(2, gamma=(0, 1))
three = ShuffleProtocol(bits, 3)
delta = symbolic.profile(three).delta(exp_eps="3/2")
for piece, formula in zip(delta.pieces, delta.formulas, strict=True):
    print(piece, "has", formula)
# -> DeltaPiece(from 0 to 4/5, {0: 3} and {0: 2, 1: 1}) has -(gamma - 2)**2*(5*gamma - 4)/16
# -> DeltaPiece(from 4/5 to 1, {0: 3} and {0: 2, 1: 1}) has 0

# %% [markdown]
# ## From the formula to a proof
#
# As a paper would write it. `least="delta"` claims both halves: the protocol is (eps, delta)-DP for every gamma
# in [0, 1], and no smaller delta will do for any.

# %%
paper = ["(2 - gamma)^2*(4 - 5*gamma)/16", "0"]
claim = Claim.for_all({"gamma": (0, 1)}, OpenClaim.shuffle_dp(three, exp_eps="3/2", delta=paper, least="delta"))
proof = certify(claim)
print(proof.verdict.value, "-", proof.reason)
print("the checker says:", xdp.verify(proof).value)
assert proof.verdict is xdp.Verdict.PROVED
proof
# -> PROVED - It is shown on each of 4 cells.
# -> the checker says: PROVED

# %% [markdown]
# A formula that is less by a billionth of gamma is refuted by a point.

# %%
misprint = ["(2 - gamma)^2*(4 - 5*gamma)/16 - gamma/10^9", "0"]
wrong = certify(Claim.for_all({"gamma": (0, 1)}, OpenClaim.shuffle_dp(three, exp_eps="3/2", delta=misprint)))
print(wrong.verdict.value, "-", wrong.reason)
assert wrong.verdict is xdp.Verdict.REFUTED
# -> REFUTED - It fails at gamma = 1/16. the pair [3, 0] against [2, 1] has delta 56699/65536.

# %% [markdown]
# ## Where the worst pair changes
#
# "The worst case is that all hold the same bit" is true up to five users. With six it is not: for gamma between 2/5 and
# 1/2 the worst pair is one in which somebody else holds a 1 already.

# %%
six = symbolic.profile(ShuffleProtocol(bits, 6)).delta(exp_eps="3/2")
for piece in six.pieces:
    print(piece)
assert dict(six.pieces[0].first) != dict(six.pieces[1].first)
# -> DeltaPiece(from 0 to 2/5, {0: 6} and {0: 5, 1: 1})
# -> DeltaPiece(from 2/5 to 1/2, {0: 5, 1: 1} and {0: 4, 1: 2})
# -> DeltaPiece(from 1/2 to 4/5, {0: 6} and {0: 5, 1: 1})
# -> DeltaPiece(from 4/5 to 1, {0: 6} and {0: 5, 1: 1})

# %% [markdown]
# ## For every eps as well
#
# Two parameters: e^eps itself is one of them. Where delta and 0 meet along a curve, choose the coordinates so that the
# curve is straight: with gamma = 2 t/(E + 1) it is the line t = 1.

# %%
table = {x: {(y,): "1 - t/(E + 1)" if x == y else "t/(E + 1)" for y in (0, 1)} for x in (0, 1)}
box = {"t": (0, 1), "E": (1, 1000)}
two = ShuffleProtocol(symbolic.SymbolicRandomizer(table, box), 2)
inner = OpenClaim.shuffle_dp(two, exp_eps="E", delta="(1 - t)*(1 - t/(E + 1))", least="delta")
both = certify(Claim.for_all(box, inner))
print(both.verdict.value, "-", len(both.to_json()), "bytes")
assert both.verdict is xdp.Verdict.PROVED
# -> PROVED - 1308 bytes

# %% [markdown]
# ## Against a published bound
#
# In p = e^eps0, for 3-ary response and two users, the variation-ratio reduction as secondary sources print it gives the
# largest of 0, (2p - 3) and (2p^2 - p - 4), over 2 (p + 2)^2. The exact delta has p (2p - 3) in the middle, which is
# more wherever it counts: for 3/2 < p < 2.

# %%
for number in ("0", "2*p - 3", "2*p^2 - p - 4"):
    print(certify(Claim.inequality(f"p*(2*p - 3) > {number}", where="3/2 < p < 2")).verdict.value)
# -> PROVED
# -> PROVED
# -> PROVED

# %% [markdown]
# The ledger has fourteen such statements, from zsum of five users to the weights of R^gap: `exactdp prove small-zsum`
# proves one again. [docs/boxes.md](../docs/boxes.md) says how boxes are decided, and when they are not.
