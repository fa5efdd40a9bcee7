"""The protocols' pages: what each protocol is, its tables of exact numbers, and the rows of the ledger about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from exactdp.errors import InvalidValueError
from exactdp.report.page import protocol_tables as tables
from exactdp.report.page.cells import NumberTable


@dataclass(frozen=True, slots=True)
class ProtocolPage:
    """A protocol as the report presents it.

    Args:
        key: as :data:`exactdp.report.figures.gallery.FIGURES` names the page.
        name: as a heading.
        description: what users send and what is estimated, in ASCII mathematics; an empty line ends a paragraph.
        sources: as in the ledger.
        topics, rows: which rows of the ledger are about it: whole topics, and single rows by id.
        tables: compute its numbers.
        experiments: their names, and their draws on the page.
    """

    key: str
    name: str
    description: str
    sources: str
    topics: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    tables: tuple[Callable[[], NumberTable], ...] = ()
    experiments: tuple[tuple[str, int], ...] = ()


AMPLIFICATION: Final = (
    "Each of n users runs the same randomizer, and the shuffle hides who sent what. At a delta, eps lies between two "
    "proved ends. At every eps below the lower one the divergence of a pair of neighbouring data sets is above delta: "
    "all other users hold one input, or inputs drawn at random. The upper one is proved for all data sets by "
    "the blanket, what all inputs' laws have in common and hides the user who differs, or, where that is less, by the "
    "swap bound: one of the others, who sent from the blanket, swaps messages with the user who differs. The blanket "
    "alone, which certificates state, is among the published bounds. Where an exact engine reaches, eps itself is "
    "beside them.\n\n"
    "Published bounds for the eps_0 of one user's messages are printed beside the ends, and are no support of them. "
    "One that is below the lower end is refuted by the pair of data sets that attains it. The variation ratio is taken "
    "as secondary sources quote it: the text of its published theorem was not at hand, and may ask for more."
)
"""How the ends are to be read."""

AMPLIFICATION_SOURCES: Final = (
    "BalleBellGasconNissim2019, section 5; FeldmanMcMillanTalwar2021, Theorem 3.1; FeldmanMcMillanTalwar2023, "
    "Theorem 3.2; WangPengLiWenLiYuWangYang2024, section 4"
)
"""Of the ends and of the published bounds."""

PROTOCOLS: Final = (
    ProtocolPage(
        "zsum",
        "zsum",
        "Each of n users with a bit sends a message if the bit is 1 and, with probability 1 - gamma, a dummy that "
        "looks the same. What the shuffler passes on is the number of messages: the true sum plus n - W, where "
        "W ~ Bin(n, gamma) counts the silent users. The analyzer takes off the mean of the dummies, and answers 0 "
        "where at most n messages came, so that a sum of zero is never overstated.\n\n"
        "For neighbouring data sets the view is the same noise shifted by one, so the least delta is two binomial "
        "tails, whatever the data.",
        "BalcerCheu2020, section 3.1",
        topics=("zsum",),
        tables=(tables.zsum_noise, tables.zsum_accuracy, tables.zsum_slack),
        experiments=(("zsum-error", 20_000),),
    ),
    ProtocolPage(
        "histogram",
        "Histogram",
        "Each user runs zsum once for each of d bins, with the bit 1 for its own bin and 0 for the others, and "
        "labels the messages with the bin. A user who moves changes two bins: the theorem composes two runs of "
        "zsum, and the exact delta is that of the two counts together.\n\n"
        "A bin without users is never overstated, so at most n bins can err, however many there are.",
        "BalcerCheu2020, section 3.2",
        topics=("histogram",),
        tables=(tables.histogram_privacy, tables.histogram_accuracy),
        experiments=(("histogram-error", 4_000),),
    ),
    ProtocolPage(
        "flooding",
        "Flooding",
        "Each of n users sends its input, one of d, and beside it a random number of messages that are uniform over "
        "the d inputs. With a Poisson number of mean mu the noise of each input is Poisson with mean n mu/d, "
        "independent of that of the others; the analyzer takes the mean off. Only the noise of all users together "
        "matters, for privacy and for error: with many users hardly anybody sends more than one message.\n\n"
        "The least delta is that of one message which moves between two inputs among the noise of both, the same for "
        "every pair of neighbouring data sets. With a fixed number of uniform messages it is balls into bins, which "
        "sends at least two messages; mixed dummies are one uniform message beside a random answer.",
        "LiLiuFengHuangHuLiuRenQin2020",
        tables=(tables.flooding_comparison,),
    ),
    ProtocolPage(
        "randomized-response",
        "k-ary randomized response",
        "Each user sends its value, or with probability gamma a uniformly random one of the k. Alone it is "
        "eps_0-DP with e^(eps_0) = 1 + k (1 - gamma)/gamma. Shuffled, eps at delta > 0 is much smaller; at "
        "delta = 0 it stays what it was, as for every randomizer that sends one message.",
        "Warner1965, section 2; KairouzBonawitzRamage2016, section 3",
        topics=("single message", "published-bounds", "adding a user"),
        tables=(tables.response_amplification, tables.response_noise),
        experiments=(("randomized-response", 20_000),),
    ),
    ProtocolPage(
        "complement",
        "The pair (x, 1 - x)",
        "Each user sends its bit and the opposite bit. The shuffle of n users is always n zeros and n ones: "
        "nothing is revealed, though one user's messages in order reveal everything.",
        "BalcerCheu2020, section 4",
        topics=("complement",),
        tables=(tables.complement_privacy,),
    ),
    ProtocolPage(
        "gap",
        "R^gap",
        "Each user sends four bits: uniformly random ones on input 0, and on input 1 uniform among the ten words "
        "whose number of ones is not two. One user alone has no finite eps, even with its own messages shuffled; "
        "among n >= 2 users the shuffle has one, which falls with n to a limit that it reaches.",
        "BalcerCheu2020, section 4; weights: this package's reading",
        topics=("gap",),
        tables=(tables.gap_privacy,),
    ),
    ProtocolPage(
        "binary-sums",
        "Binary sums",
        "Of n users with a bit each, lambda on average answer with a fair coin, the others truthfully: randomized "
        "response with gamma = lambda/n. The analyzer takes off the coins and scales up. The worst data set is not "
        "always one where all bits are equal: all are searched.",
        "CheuSmithUllmanZeberZhilyaev2019, section 4",
        topics=("binary sums",),
        tables=(tables.binary_sum_noise,),
    ),
    ProtocolPage(
        "counting",
        "Noise for a count",
        "A count of sensitivity 1 plus a noise law that n users can share: a negative binomial or a Poisson law is "
        "a sum of n equal parts, and every user sends its part as messages. The privacy is that of the law and "
        "its shift, for any number of users.",
        "GhaziKumarManurangsiPagh2020, section 3",
        topics=("one-sided noise", "Laplace noise"),
        rows=("geometric-one-user", "geometric-optimal", "geometric-three-users"),
        tables=(tables.counting_laws, tables.counting_calibration),
        experiments=(("central", 4_000),),
    ),
    ProtocolPage(
        "correlated-counting",
        "Correlated counting",
        "Users send messages +1 and -1. A user with the bit x sends x + z + w times +1 and z' + w times -1, where z "
        "and z' are his shares of two geometric numbers G_1, G_2 of ratio p_1, and w is his share of W ~ NB(r, p_2). "
        "The shuffler shows both counts, the sum plus G_1 + W and G_2 + W; their difference is the sum plus G_1 - G_2, "
        "discrete Laplace noise. W hides the counts and cancels in the difference, and what a user sends beside his "
        "bit tends to nothing as n grows.\n\n"
        "The view is the same noise at every n, so privacy and error are too. The least delta is two tails, at every "
        "eps; the theorem splits eps in two, p_1 = e^(-eps/2) and p_2 = e^(-eps/10), and takes r = 3 (1 + "
        "ln(1/delta)).",
        "GhaziKumarManurangsiPagh2020, section 3",
        rows=("survey-messages",),
        tables=(tables.correlated_counting_noise,),
        experiments=(("correlated-counting", 20_000),),
    ),
    ProtocolPage(
        "split-and-mix",
        "Split and mix",
        "A user splits a number modulo q into m shares: m - 1 uniform ones, and the one that makes their sum right. "
        "The shuffle of all n m shares shows the sum of all users, exactly, and little else: two data sets with the "
        "same sum have views whose statistical distance is small. Security of sigma bits is a distance of at most "
        "2^(-sigma). Noise on the inputs makes the whole differentially private: delta grows by (1 + e^eps) times the "
        "distance to a simulator that knows the sum alone.\n\n"
        "For few users the distance is computed exactly, for bits up to thousands of users; at any n it is bounded by "
        "the components of a random graph. The numbers published for uniform inputs are no bound for all inputs: for "
        "bits in three messages they fail at n = 174 first.",
        "IshaiKushilevitzOstrovskySahai2006; BalleBellGasconNissim2020; GhaziManurangsiPaghVelingker2020",
        topics=("split and mix",),
        tables=(tables.split_and_mix_messages, tables.split_and_mix_distances),
        experiments=(("split-and-mix", 5_000),),
    ),
    ProtocolPage(
        "almost-central",
        "Almost central sums",
        "A user with a number x from 0 to Delta sends x, if it is not 0, and shares of noise: messages +1 and -1, of "
        "which all users together send G_1 and G_2, geometric numbers of ratio p; pairs {1, -1}; and for each i from "
        "2 to Delta three messages that add up to 0, i or -i and its two halves with the other sign. The analyzer "
        "adds all messages. What adds up to 0 hides who sent what and cancels, so the error is G_1 - G_2, discrete "
        "Laplace noise, on every data set. What a user sends beside his number tends to nothing as n grows.\n\n"
        "The view is the same noise at every n, so privacy and error are too. The theorem splits eps: a share g is for "
        "the noise that cancels, the rest for the noise that stays, p = e^(-(1-g) eps/Delta), while a curator adds "
        "noise of ratio e^(-eps/Delta). A larger g needs no more noise that cancels, and errs more. For bits the exact "
        "delta of the view is enclosed to any accuracy; the least noise keeps the theorem's ratios, and takes the "
        "least shape r, from 1 on, that is enough.",
        "GhaziKumarManurangsiPaghSinha2021, section 3",
        topics=("almost central sums",),
        tables=(tables.almost_central_noise, tables.almost_central_bounds),
    ),
    ProtocolPage(
        "sample-and-threshold",
        "Sample and threshold",
        "A user who holds a symbol reports it with probability q, the rate, and else sends nothing. The shuffler "
        "counts the reports, and releases a count if it is at least tau, the threshold, else 0. No noise is added: the "
        "privacy is that of the sampling, and of dropping what few hold. The reports themselves are not private, so "
        "the shuffler is trusted with them. The estimate is the released count over q.\n\n"
        "Over all numbers of holders the release is exactly as private as a count with negative binomial noise, so the "
        "least delta of one count is a closed form. At the rate alpha (1 - e^(-eps)) the published bound is "
        "e^(-tau (ln(1/alpha) - 1/(1 + alpha))). Sample and threshold is no function of randomized response, nor, for "
        "tau >= 2, the other way round.",
        "BharadwajCormode2022, section 3; Warner1965, section 2",
        topics=("sample and threshold",),
        rows=("sampling-equivalence", "sampling-no-simulation"),
        tables=(tables.sampling_thresholds, tables.sampling_at_equal_error),
    ),
    ProtocolPage(
        "stability-histogram",
        "The stability histogram",
        "A curator who is trusted with all records adds discrete Laplace noise of eps/2 to the count of each bin that "
        "is not empty, and releases it where it exceeds 1 + T; all other bins are released as 0. Who is replaced "
        "changes two counts, for which the noise is, and may leave a bin empty, which a release tells: of probability "
        "P[Z > T]. So T is the least number for which that is at most delta, and the exact delta is that probability. "
        "The error does not depend on the number of bins.",
        "BunNissimStemmer2016, histograms by stability",
        rows=("histogram-central-error", "separation", "separation-local-words", "separation-shuffled-words"),
        tables=(tables.central_histograms,),
    ),
    ProtocolPage(
        "aggregate",
        "Sums of bit vectors",
        "Each of n users sends a bit for each of d inputs, one for the own input, each flipped independently (unary "
        "encoding), and secure aggregation shows the d column sums alone. Given the data the columns are independent "
        "counts of two messages. A vector that is replaced by another one moves two of them, and one that is replaced "
        "by zeros, flipped like all others, moves one; the number of columns does not matter.\n\n"
        "The worst data sets of one column are compared at any n. Of two columns the product of both, each beside the "
        "others who are worst for it, bounds delta above, and others who all hold one input bound it below.",
        "ErlingssonPihurKorolova2014, section 2",
        tables=(tables.aggregated_bits,),
    ),
    ProtocolPage(
        "amplification",
        "Any randomizer at any n",
        AMPLIFICATION,
        AMPLIFICATION_SOURCES,
    ),
    ProtocolPage(
        "survey",
        "Local, shuffled, central",
        "The same count, sum or histogram under three kinds of trust: each user adds noise alone, a shuffler hides who "
        "sent what, or a curator adds noise to the result. The figures show some protocols of each kind; the survey of "
        "the command line has all of them.",
        "BalleBellGasconNissim2019, section 1",
        topics=("survey",),
        experiments=(("models", 20_000),),
    ),
)
"""The pages, in the order of the report."""


def protocols_of(row: str, topic: str) -> tuple[str, ...]:
    """Return the keys of the pages that a row of the ledger belongs to.

    >>> protocols_of("zsum-view", "zsum"), protocols_of("geometric-one-user", "survey")
    (('zsum',), ('counting', 'survey'))
    """
    return tuple(page.key for page in PROTOCOLS if topic in page.topics or row in page.rows)


def protocol_table(key: str, index: int) -> NumberTable:
    """Compute one table of a page, by the page's key and its place there; up to ten seconds.

    >>> protocol_table("complement", 0).rows[0][1]
    LogRational(None)
    """
    pages = {page.key: page for page in PROTOCOLS}
    if key not in pages:
        raise InvalidValueError(f"there is no page {key!r}. The pages are {', '.join(pages)}.")
    return pages[key].tables[index]()
