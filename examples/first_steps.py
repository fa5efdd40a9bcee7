# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # First steps: what a crowd does for one answer
#
# A sensitive question, yes or no. Everybody tosses a coin: heads, you answer truthfully; tails, you answer with a
# second toss. The answers are shuffled, so nobody knows who said what. How private is that?
#
# This page answers exactly. No number on it is rounded before it is shown: a `Fraction` is the value, an `Interval`
# contains it. Each line that begins with `# ->` is what the cell prints; the tests run the page and
# compare.

# %%
from fractions import Fraction

import exactdp as xdp

coin = xdp.randomized_response(2, gamma="1/2")  # gamma: the probability of answering at random
print(coin.local_epsilon())
# -> ln(3)

# %% [markdown]
# Alone, an answer is ln(3)-private: a "yes" is three times as likely from one who means it. Numbers are given as ints,
# fractions or strings. `gamma=0.1` would be refused, because the float 0.1 is another number than one tenth.
#
# ## Ten people, shuffled

# %%
protocol = xdp.ShuffleProtocol(coin, n=10)
profile = protocol.privacy_profile()
print(repr(profile.delta(exp_eps=2)))
print(profile.delta(eps="1/10"))
# -> Fraction(19683, 1048576)
# -> [0.1141856539, 0.1141856540]

# %% [markdown]
# `delta` is the least delta for which the protocol is (eps, delta)-DP: a maximum over *all* pairs of data sets that
# differ in one person, in both orders, over all events. At a rational e^eps it is a fraction. At eps = 1/10 the number
# e^(1/10) is transcendental, so there is no fraction: you get an interval that provably contains delta.
#
# The question turned round, how large is eps at delta = 1/100, has a rational e^eps again. So the answer is exact, and
# putting it back gives 1/100 on the nose.

# %%
eps = profile.epsilon("1/100")
print(eps, "is in", eps.enclose())
print(profile.delta(exp_eps=eps.argument))
assert profile.delta(exp_eps=eps.argument) == Fraction(1, 100)
# -> ln(1214081/492075) is in [0.9031115470, 0.9031115471]
# -> 1/100

# %% [markdown]
# In a notebook a profile shows itself as a table:

# %%
profile

# %% [markdown]
# ## Who is worst off?
#
# With ten people the hardest pair to hide is what you would guess: all hold a no, or one of them a yes. It is tempting
# to compute that pair and be done. Do not: where answers are nearly always true, the worst crowd is a mixed one.

# %%
print(profile.worst_pair(exp_eps=2).first, profile.worst_pair(exp_eps=2).second)

frank = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/25"), n=200)
worst = frank.privacy_profile().worst_pair(exp_eps="26/25")
print(worst.first, worst.second)
guessed = frank.pair_profile({0: 200}, {0: 199, 1: 1})
print(guessed.delta(exp_eps="26/25", relative_bits=53), "is what the obvious pair says")
print(frank.privacy_profile().delta(exp_eps="26/25", relative_bits=53), "is the truth")
assert guessed.delta(exp_eps="26/25") < worst.delta
# -> {0: 10} {0: 9, 1: 1}
# -> {0: 133, 1: 67} {0: 132, 1: 68}
# -> [0.1797730502, 0.1797730503] is what the obvious pair says
# -> [0.1852642412, 0.1852642413] is the truth

# %% [markdown]
# ## What a larger crowd buys
#
# The same coin, at delta = 10^-6, and larger and larger crowds. The local guarantee never moves, it is ln(3) = 1.0986;
# the shuffled one falls, in the end like 1 / sqrt(n).

# %%
for n in (1, 10, 100, 1000, 10**4):
    eps = xdp.ShuffleProtocol(coin, n).privacy_profile().epsilon("1e-6")
    print(f"n = {n:5}   eps = {float(eps):.4f}   eps sqrt(n) = {float(eps) * n**0.5:.2f}")
# -> n =     1   eps = 1.0986   eps sqrt(n) = 1.10
# -> n =    10   eps = 1.0986   eps sqrt(n) = 3.47
# -> n =   100   eps = 0.5501   eps sqrt(n) = 5.50
# -> n =  1000   eps = 0.1421   eps sqrt(n) = 4.49
# -> n = 10000   eps = 0.0399   eps sqrt(n) = 3.99

# %% [markdown]
# `float()` is for the eye. Behind the last line stands a fraction of 6020 digits over 6020 digits. A million people are
# no harder, and a delta may be as small as it likes:

# %%
million = xdp.ShuffleProtocol(coin, n=10**6).privacy_profile()
print(million.delta(eps="1/50"))
# -> [8.122233903e-71, 8.122233904e-71]

# %% [markdown]
# ## A randomizer of your own
#
# It is a table: for each input, the messages that are sent, in order, and with which probability. A user may send
# several messages, or none. Here is one that tells everything about its user, whose shuffled crowd tells nothing: 0 is
# sent as "0, 1" and 1 as "1, 0".

# %%
both = xdp.Randomizer({0: {("0", "1"): 1}, 1: {("1", "0"): 1}})
shuffled = xdp.ShuffleProtocol(both, n=1).privacy_profile().epsilon(0)
print("before the shuffle: eps =", both.local_epsilon())
print("after it: e^eps =", shuffled.argument)
# -> before the shuffle: eps = infinity
# -> after it: e^eps = 1

# %% [markdown]
# That one is of no use to anybody. The next one is: each user sends four bits, and from two users on the shuffled crowd
# is pure differentially private, though no user alone has any finite eps, shuffled or not. So no theorem that starts
# from the local eps can say a word about it.

# %%
for n in (1, 2, 3, 10):
    gap = xdp.protocols.gap(n)
    print(f"n = {n}: alone {gap.randomizer.local_epsilon()}, shuffled {gap.privacy_profile().epsilon(0)}")
# -> n = 1: alone infinity, shuffled infinity
# -> n = 2: alone infinity, shuffled ln(5/2)
# -> n = 3: alone infinity, shuffled ln(125/64)
# -> n = 10: alone infinity, shuffled ln(8/5)

# %% [markdown]
# ## Noise of any size
#
# Many protocols publish a count plus noise. Their profile needs no table: here a billion coins, each heads with
# probability 1/1000.

# %%
noise = xdp.Binomial(10**9, "1/1000")
print(xdp.shift_profile(noise).epsilon("1e-6"))
print(noise.sf(1_300_000))  # the chance that the noise exceeds its mean of 10^6 by 30 percent
# -> [0.002722472095, 0.002722472096]
# -> [3.078416790e-17861, 3.078416791e-17861]

# %% [markdown]
# ## Do not trust this page
#
# A certificate carries a claim and what is needed to see it. The checker is one file of standard-library Python that
# shares no code with the engine: it rebuilds the protocol from the claim and does its own sums.

# %%
claim = xdp.Claim.shuffle_dp(protocol, eps=1, delta="1/100")
certificate = xdp.certify(claim)
print(certificate.verdict.value, "by", certificate.level)
print(xdp.verify(certificate).value, "says the checker")
assert certificate.verdict is xdp.Verdict.PROVED
# -> PROVED by certificate
# -> PROVED says the checker

# %% [markdown]
# A claim that asks too much is refuted, with the pair of data sets that refutes it:

# %%
refuted = xdp.certify(xdp.Claim.shuffle_dp(protocol, exp_eps=2, delta="1/100"))
print(refuted.verdict.value)
print(refuted.reason)
assert xdp.verify(refuted) is xdp.Verdict.REFUTED
# -> REFUTED
# -> the pair [10, 0] against [9, 1] has delta 19683/1048576.

# %%
refuted

# %% [markdown]
# `refuted.save("claim.json")` writes it down; anybody can then check the file with
# `python exactdp/certificates/verify.py claim.json`, without installing anything.
#
# **Go on** with `choosing_the_least_noise.py`, where a theorem asks for twenty times the noise that is needed, and
# `refuting_a_published_bound.py`, where a published bound turns out to be none.
