"""Products of randomizers: their classes against tables, and both ends against all data sets, views and events."""

import csv
import json
import pickle
import random
from collections import Counter
from fractions import Fraction as F
from itertools import combinations_with_replacement

import numpy as np
import pytest
from click.testing import CliRunner

from exactdp import LogRational, Neighbors, Randomizer, ShuffleProtocol, optimal_accuracy, randomized_response
from exactdp.cli.main import cli
from exactdp.errors import InvalidDataSetError, InvalidFileError, InvalidValueError, TooLargeError
from exactdp.mechanisms.pair_table import PairTable
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.amplification import Amplification
from exactdp.privacy.amplification.guesses import binary_size
from exactdp.privacy.amplification.input_pairs import FamilyPairs
from exactdp.protocols.accuracy.frequencies import FrequencyEstimate
from exactdp.protocols.naming.targets import read_target
from exactdp.randomizers import (
    BallsIntoBins,
    ClippedDiscreteLaplace,
    HadamardResponse,
    KAryResponse,
    Product,
    Repetition,
    SubsetSelection,
    UnaryEncoding,
    any_randomizer,
    product,
)
from exactdp.sampling import sample, sample_blocks
from exactdp.testing import assert_samples_match
from tests.oracles.data_sets import worst_divergences
from tests.oracles.family_classes import covers_every_pair
from tests.together import together

UNEVEN = Randomizer({0: {(0,): "1/2", (1,): "1/2"}, 1: {(0,): "1/3", (1,): "1/2", (2,): "1/6"}, 2: {(2,): 1}})
BUNDLES = Randomizer({"a": {(): "1/2", ("m",): "1/4", ("m", "m"): "1/4"}, "b": {("m",): "1/2", ("m", "m"): "1/2"}})
THREE = KAryResponse(3, exp_eps0="7/3")
PRODUCTS = [
    Product(THREE),
    Product(THREE, THREE),
    Product(KAryResponse(4, exp_eps0="7/3"), KAryResponse(4, exp_eps0="7/3")),
    Product(*[KAryResponse(2, exp_eps0=3)] * 3),
    Product(THREE, KAryResponse(3, exp_eps0=3)),
    Product(UnaryEncoding(3, exp_eps0=4), HadamardResponse(3, exp_eps0=3)),
    Product(Repetition(THREE, 2), KAryResponse(2, exp_eps0=3)),
    Product(ClippedDiscreteLaplace(2, exp_eps0=9), KAryResponse(2, exp_eps0=3)),
    Product(BallsIntoBins(3, dummies=1), KAryResponse(2, exp_eps0=3)),
    Product(SubsetSelection(4, exp_eps0=3), KAryResponse(4, exp_eps0=2)),
    Product(UNEVEN, THREE),
    Product(UNEVEN, UNEVEN),
    Product(BUNDLES, UNEVEN),
]


@together("made", PRODUCTS, ids=str)
def test_every_pair_has_the_classes_of_the_product(made):
    assert covers_every_pair(made)
    assert pickle.loads(pickle.dumps(made)) == made
    assert made.symbols == len(made.table().alphabet)
    assert list(made.inputs) == [made.inputs[place] for place in range(len(made.inputs))]
    assert all(value in made.inputs for value in made.inputs)
    assert (0,) * 5 not in made.inputs
    assert 0 not in made.inputs


@together("made", PRODUCTS, ids=str)
def test_classes_beside_one_input_are_those_of_all_merged(made):
    for table in made.pair_tables():
        listed = PairTable(table.first, table.second, table.others, table.classes)
        assert (table, hash(table), repr(table)) == (
            listed,
            hash(listed),
            "_Product" + repr(listed).removeprefix("Pair"),
        )
        for place in (None, *range(len(table.others))):
            assert table.beside(place) == PairTable.beside(table, place)


@pytest.mark.slow
def test_the_lower_end_is_that_of_the_best_of_all_homogeneous_data_sets():
    """Of four questions there are 65 kinds, of which floats leave a few to be enclosed."""
    pairs = FamilyPairs(Product(*[KAryResponse(20, exp_eps0="exp(2)")] * 4))
    for users, exp_eps in ((10**5, Real(F(6, 5))), (10**5, Real(F(1001, 1000))), (200, Real(F(2)))):
        engine = Amplification(pairs, users)
        best = max(one.mixture.divergence(users, exp_eps, relative_bits=10).lower for one in pairs._homogeneous)
        assert engine.lower_end(exp_eps, 10)[0].upper >= best
        asked = pairs.nearest(pairs.candidates(users, binary_size(exp_eps)), users, exp_eps)
        assert len(asked) <= 24 < len(pairs._homogeneous)
        leading = pairs.leading_bound(users, exp_eps).divergence(users, exp_eps, relative_bits=10)
        assert all(one.divergence(users, exp_eps, relative_bits=10).lower <= leading.upper for one in pairs.bounds)


def random_question(draw):
    """A random table of two inputs and two or three messages, zeros among its probabilities."""
    messages = draw.randint(2, 3)
    rows = [[draw.choice([0, 1, 2, 5]) for _ in range(messages - 1)] + [draw.randint(1, 3)] for _ in range(2)]
    return Randomizer({x: {(m,): F(w, sum(row)) for m, w in enumerate(row)} for x, row in enumerate(rows)})


@together("seed", range(8))
def test_both_ends_are_around_the_worst_of_all_data_sets(seed):
    draw = random.Random(seed)
    made = Product(random_question(draw), random_question(draw))
    users, exp_eps = draw.randint(1, 4), draw.choice([F(1), F(5, 4), F(2), F(5)])
    table = {value: {sent: p for sent, p in row.items() if p} for value, row in made.table().table().items()}
    truth = max(worst_divergences(table, users, exp_eps).values())
    exact = ShuffleProtocol(made.table(), users).privacy_profile().delta(exp_eps=exp_eps)
    assert exact == truth
    if made.local_epsilon() != LogRational(1):
        engine = Amplification(FamilyPairs(made), users)
        bracket = engine.bracket(Real(exp_eps), 20)
        assert bracket.lower.lo <= truth <= bracket.upper.hi


def test_a_product_of_one_is_the_randomizer():
    for one, n in ((randomized_response(2, exp_eps0=3), 50), (UnaryEncoding(100, exp_eps0=4), 10**4)):
        alone, alike = (ShuffleProtocol(each, n).privacy_profile() for each in (one, product(one)))
        assert alike.delta(exp_eps="11/10") == alone.delta(exp_eps="11/10")
        assert alike.epsilon("1e-6") == alone.epsilon("1e-6")


def test_eps0_adds_and_the_order_of_questions_changes_nothing():
    factors = [randomized_response(2, exp_eps0=3), UnaryEncoding(30, exp_eps0=4)]
    made, turned = product(*factors), product(*factors[::-1])
    assert made.local_epsilon() == turned.local_epsilon() == LogRational(12)
    assert str(product(THREE, KAryResponse(5, exp_eps0="exp(1/2)")).local_epsilon()) == "(ln(7/3) + 1/2)"
    first, second, alone = (
        ShuffleProtocol(each, 1000).privacy_profile().bracket(exp_eps="11/10").delta
        for each in (made, turned, factors[1])
    )
    assert (first.lo, first.hi) == (second.lo, second.hi)
    assert first.lo > alone.hi  # who answers more tells more


def test_five_questions_of_twenty_choices_need_no_table():
    made = product(*[KAryResponse(20, exp_eps0="exp(1/2)")] * 5)
    assert isinstance(made, Product)
    assert [len(table.classes) for table in made.at_least().pair_tables()] == [1024, 768, 576, 432, 324]
    with pytest.raises(InvalidValueError, match="irrational"):
        made.pair_tables()
    with pytest.raises(InvalidValueError, match="Draw the answers to each question by themselves"):
        made.drawn(None)


def test_a_name_says_it_and_files_are_questions(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(
        '[[row]]\ninput = "yes"\nmessages = [{send = ["y"], prob = "3/4"}, {send = ["n"], prob = "1/4"}]\n'
        '[[row]]\ninput = "no"\nmessages = [{send = ["y"], prob = "1/4"}, {send = ["n"], prob = "3/4"}]\n'
    )
    target = read_target(f"@product:of=(krr:inputs=3,exp-eps0=2; {file})")
    table = target.randomizer()
    assert table.inputs[:2] == ((0, "yes"), (0, "no"))
    assert table == product(KAryResponse(3, exp_eps0=2), Randomizer.from_file(file))
    assert target.family == Product(KAryResponse(3, exp_eps0=2), Randomizer.from_file(file))
    assert target.name == f"@product:of=(randomized-response:inputs=3,exp-eps0=2; {file})"


YES_NO = """
[[row]]
input = "yes"
messages = [{send = ["y"], prob = "3/4"}, {send = ["n"], prob = "1/4"}]
[[row]]
input = "no"
messages = [{send = ["y"], prob = "1/4"}, {send = [], prob = "3/4"}]
"""


def test_a_file_holds_a_product_of_names_and_of_files_beside_it(tmp_path, monkeypatch):
    """What it stands for is what brute force over all data sets says of the product that Python makes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "own.toml").write_text(YES_NO)
    (tmp_path / "inner" / "both.json").write_text('{"product": [{"of": ["own.toml", "krr:inputs=2,exp-eps0=3"]}]}')
    (tmp_path / "all.toml").write_text(
        'name = "all"\n[[product]]\nof = ["inner/both.json", "repeat:times=1,of=(inner/own.toml)"]\n'
    )
    own = Randomizer.from_file("inner/own.toml")
    both = Product(own, KAryResponse(2, exp_eps0=3))
    assert read_target("inner/both.json").family == both
    made = read_target("all.toml")
    assert made.family == Product(both, own)
    assert made.name == "all.toml"
    assert made.table() == product(both, own)
    table = {value: {sent: p for sent, p in row.items() if p} for value, row in both.table().table().items()}
    for users in (1, 2, 3):
        profile = read_target("inner/both.json").build(users).privacy_profile()
        assert profile.delta(exp_eps=2) == max(worst_divergences(table, users, F(2)).values())


def test_a_product_of_questions_with_an_eps0_is_rounded_where_it_must_be_rational(tmp_path):
    file = tmp_path / "two.toml"
    file.write_text('[[product]]\nof = ["krr:inputs=2,eps0=1", "krr:inputs=3,exp-eps0=2"]\n')
    below = F(24484106059472293, 2**53)
    for text in (str(file), "@product:of=(krr:inputs=2,eps0=1; krr:inputs=3,exp-eps0=2)"):
        target = read_target(text)
        assert not target.family.is_rational
        rounded = target.in_fractions().family
        assert rounded == Product(KAryResponse(2, exp_eps0=below), KAryResponse(3, exp_eps0=2))
        assert below <= F(27182818284590452354, 10**19) < below + F(1, 2**53)
    shown = CliRunner().invoke(cli, ["law", text, "--dataset", '{"(0, 0)": 1}'])
    assert f"exp-eps0={below}" in shown.stdout


WRONG_FILES = [
    ("[[product]]\nof = []", "product: of must be a list of at least one question. Repair: write of = ["),
    ('[[product]]\nof = "gap"', "product: of must be a list of at least one question"),
    ("[[product]]\nof = [3]", "product: of entry 1 3 is not a string. Repair: write it in quotes"),
    ('[[product]]\noff = ["gap"]', "product has the unknown key 'off'. Repair: did you mean of."),
    ("[[product]]", "product lacks the key 'of'. Repair: add of = ...."),
    ('[product]\nof = ["gap"]', "product must be a list of one table. Repair: write [[product]] once"),
    ('[[product]]\nof = ["gap"]\n[[product]]\nof = ["gap"]', "product must be a list of one table"),
    ('seed = 1\n[[product]]\nof = ["gap"]', "the file has the unknown key 'seed'"),
    ('[[product]]\nof = ["gap"]\n' + YES_NO, "the file has row beside product. Repair: write the rows into a file"),
    ('[[produkt]]\nof = ["gap"]', "the file has the unknown key 'produkt'. Repair: did you mean product."),
    ('[[product]]\nof = ["krr:inputs=2,eps0=1", "no.toml"]', "product: of entry 2: {}no.toml cannot be read: No such"),
    (
        '[[product]]\nof = ["wrong.toml"]',
        "product: of entry 1: wrong.toml is a file that names this one, and would hold",
    ),
    ('[[product]]\nof = ["back.toml"]', "product: of entry 1: {}back.toml: product: of entry 1: wrong.toml is a file"),
    ('[[product]]\nof = ["@poisson:mu=3"]', "product: of entry 1: of=(@poisson:mu=3) is no randomizer of one user."),
    (
        '[[product]]\nof = ["rapor:inputs=3"]',
        "product: of entry 1: 'rapor' is no file and no name. Did you mean @rappor",
    ),
    ('[[product]]\nof = ["krr:inputs=1,eps0=1"]', "product: of entry 1: inputs=1 is below 2."),
    ('[[product]]\nof = ["any-randomizer:eps0=1"]', "product: factor 0, AnyRandomizer("),
]


@together(("text", "said"), WRONG_FILES)
def test_a_wrong_file_of_a_product_is_refused_with_its_place(text, said, tmp_path):
    folder, path = f"{tmp_path}/", tmp_path / "wrong.toml"
    path.write_text(text)
    (tmp_path / "back.toml").write_text('[[product]]\nof = ["wrong.toml"]')
    with pytest.raises(InvalidFileError) as raised:
        read_target(str(path))
    assert str(raised.value).startswith(f"{path}: {said.format(folder)}")


def test_files_that_name_each_other_in_a_long_row_are_refused(tmp_path):
    for number in range(20):
        (tmp_path / f"{number}.toml").write_text(f'[[product]]\nof = ["{number + 1}.toml"]')
    with pytest.raises(InvalidFileError, match="named by more than 15 files in turn"):
        read_target(str(tmp_path / "0.toml"))


def test_what_reads_tables_says_how_a_product_is_written(tmp_path):
    (tmp_path / "two.toml").write_text('[[product]]\nof = ["krr:inputs=3,eps0=1"]')
    with pytest.raises(InvalidFileError, match=r"in Python as exactdp\.randomizers\.product"):
        Randomizer.from_file(tmp_path / "two.toml")


DRAWN = [
    (Product(KAryResponse(2, exp_eps0=3), THREE), {(0, 1): 2, (1, 2): 1}),
    (Product(UNEVEN, KAryResponse(2, exp_eps0=3)), {(0, 1): 1, (2, 0): 2}),
    (Product(BUNDLES, THREE), [("a", 0), ("b", 0), ("b", 2)]),
    (Product(Product(BUNDLES, KAryResponse(2, exp_eps0=3)), THREE), [(("a", 1), 2), (("b", 0), 2)]),
]


@together(("made", "dataset"), DRAWN)
def test_what_is_drawn_of_each_question_has_the_law_of_the_shuffled_tuples(made, dataset):
    """The law of all views of the table, of which the answers to each question are counted."""

    def leaves(one):
        return [leaf for part in one.parts for leaf in leaves(part)] if getattr(one, "parts", ()) else [one]

    def flat(part, answer):
        inner = getattr(part, "parts", ())
        return [a for one, given in zip(inner, answer, strict=True) for a in flat(one, given)] if inner else [answer]

    labels = [list(leaf.inputs) if leaf.family else list(leaf.alphabet) for leaf in leaves(made)]
    table = made.table()
    answers = [flat(made, answer) for answer in table.alphabet]

    def counts(view):
        seen = [Counter() for _ in labels]
        for times, answer in zip(view, answers, strict=True):
            for one, part in zip(seen, answer, strict=True):
                one[part] += times
        return tuple(one[label] for one, named in zip(seen, labels, strict=True) for label in named)

    users = sum(dataset.values()) if isinstance(dataset, dict) else len(dataset)
    law, protocol = ShuffleProtocol(table, users).law(dataset).map(counts), ShuffleProtocol(made, users)
    assert_samples_match(lambda size, rng: sample(protocol, dataset, size=size, rng=rng), law, size=20_000, seed=1)


def test_many_tuples_are_drawn_as_those_that_are_held():
    five = product(*[KAryResponse(20, exp_eps0=7)] * 5)
    protocol, held = ShuffleProtocol(five, 10**9), {(0,) * 5: 9 * 10**8, (1, 2, 3, 4, 5): 10**8}
    drawn = sample(protocol, held, size=3, rng=np.random.default_rng(1))
    assert drawn.shape == (3, 100)
    assert (drawn.reshape(3, 5, 20).sum(axis=2) == 10**9).all()
    blocks = sample_blocks(protocol, held, size=3, rng=np.random.default_rng(1), block=2)
    assert (np.concatenate(list(blocks)) == drawn).all()
    two = Product(KAryResponse(2, exp_eps0=3), THREE)
    as_array, as_mapping = (
        sample(ShuffleProtocol(two, 5), held, size=4, rng=np.random.default_rng(2))
        for held in (np.array([0, 2, 0, 0, 0, 3]), {(0, 1): 2, (1, 2): 3})
    )
    assert (as_array == as_mapping).all()
    for held, said in (({(0, 3): 5}, "unknown input"), ({(0, 1): 4}, "4 users, but the protocol has n=5")):
        with pytest.raises(InvalidDataSetError, match=said):
            sample(ShuffleProtocol(two, 5), held, size=1, rng=np.random.default_rng(2))


@together(("exp_eps0", "beta"), [(3, "1/20"), (F(3, 2), "1/3"), (9, "9/10")])
def test_the_error_of_each_question_is_that_of_the_worst_of_all_data_sets(exp_eps0, beta):
    """Two users and every multiset of their tuples: of views of tuples one answer to one question is counted."""
    made, users = Product(KAryResponse(2, exp_eps0=exp_eps0), KAryResponse(3, exp_eps0=3)), 2
    protocol, table = ShuffleProtocol(made, users), ShuffleProtocol(made.table(), users)
    worst = [F(0), F(0)]
    for held in combinations_with_replacement(made.inputs, users):
        law = table.law(held)
        for question, part in enumerate(made.parts):
            for value in part.inputs:
                estimate, truth = FrequencyEstimate(part, users), sum(one[question] == value for one in held)
                errors = law.map(
                    lambda view, question=question, value=value, estimate=estimate, truth=truth: abs(
                        estimate.estimate(
                            sum(n for n, m in zip(view, table.alphabet, strict=True) if m[question] == value)
                        )
                        - truth
                    )
                )
                least = next(e for e in sorted(errors) if sum(p for f, p in errors.items() if f > e) <= F(beta))
                worst[question] = max(worst[question], least)
    assert [optimal_accuracy(part, beta=beta) for part in protocol.parts] == worst
    assert optimal_accuracy(protocol, beta=beta) == max(worst)


def test_errors_between_two_ends_are_compared_by_both():
    made = Product(KAryResponse(2, exp_eps0=3), BallsIntoBins(5, dummies=1), KAryResponse(20, exp_eps0=3))
    protocol = ShuffleProtocol(made, 10**5)
    each = [optimal_accuracy(part, beta="1/20") for part in protocol.parts]
    largest = optimal_accuracy(protocol, beta="1/20")
    assert isinstance(each[1], F)
    assert largest.lo <= max(each[0].lo, each[1], each[2].lo) <= max(each[0].hi, each[1], each[2].hi) <= largest.hi
    assert largest.hi - each[2].hi < F(1, 10**6)
    assert ShuffleProtocol(KAryResponse(2, exp_eps0=3), 9).parts == ()
    with pytest.raises(InvalidValueError, match="question 2: the messages do not tell"):
        optimal_accuracy(ShuffleProtocol(Product(THREE, Randomizer({0: {(0,): 1}, 1: {(0,): 1}})), 9), beta="1/20")


@pytest.mark.slow
def test_a_product_beyond_a_table_is_checked_and_drawn_and_certified(tmp_path):
    (tmp_path / "own.toml").write_text(YES_NO)
    many = f"@product:of=(krr:inputs=40,exp-eps0=3; krr:inputs=900,eps0=2; {tmp_path}/own.toml)"
    checked = CliRunner().invoke(cli, ["check", many, "-n", "1000"])
    assert "more than 1000: (0, 0, 'yes'), (0, 0, 'no'), (0, 1, 'yes'), ..." in checked.stdout
    assert "sample" in checked.stdout
    held = """{"(0, 5, 'no')": "3", "(7, 899, 'yes')": 2}"""
    drawn = CliRunner().invoke(
        cli, ["sample", many, "--dataset", held, "--size", "4", "--seed", "1", "--format", "csv"]
    )
    head, *rows = csv.reader(drawn.stdout.splitlines())
    assert (len(head), head[:2], head[-2:]) == (
        943,
        ["question 1: 0", "question 1: 1"],
        ["question 3: ('n',)", "question 3: ()"],
    )
    assert [(sum(map(int, row[:40])), sum(map(int, row[40:940])), sum(map(int, row[940:]))) for row in rows] == [
        (5, 5, 5)
    ] * 4
    for asked, said in (
        (["sample", many, "--dataset", '{"(40, 0, \'no\')": "3"}', "--size", "1"], "unknown input \"(40, 0, 'no')\""),
        (
            ["sample", many, "--dataset", '{"((((": "3"}', "--size", "1"],
            "unknown input '(((('. The inputs are (0, 0, 'yes')",
        ),
        (["law", many, "--dataset", held], "more than the limit of 65536 entries"),
        (["accuracy", many, "-n", "50", "--beta", "2"], "is outside [0, 1]"),
    ):
        answer = CliRunner().invoke(cli, asked)
        assert answer.exit_code == 2
        assert said in answer.stderr
    certified = CliRunner().invoke(cli, ["certify", many, "-n", "1000", "--eps", "2", "--delta", "9/10"])
    assert certified.exit_code == 0
    assert "certificate: verified" in certified.stdout


def test_the_errors_of_all_questions_are_listed():
    asked = ["accuracy", "@product:of=(krr:inputs=2,exp-eps0=3; krr:inputs=3,exp-eps0=3)", "-n", "20", "--beta", "1/20"]
    said = json.loads(CliRunner().invoke(cli, [*asked, "--format", "json"]).stdout)
    protocol = ShuffleProtocol(Product(KAryResponse(2, exp_eps0=3), KAryResponse(3, exp_eps0=3)), 20)
    assert (said["protocol"], said["of"]) == (
        "product",
        "(randomized-response:inputs=2,exp-eps0=3; randomized-response:inputs=3,exp-eps0=3)",
    )
    assert said["alpha"]["exact"] == str(optimal_accuracy(protocol, beta="1/20"))
    assert [row["alpha"]["exact"] for row in said["rows"]] == [
        str(optimal_accuracy(part, beta="1/20")) for part in protocol.parts
    ]
    assert "of the worst question" in CliRunner().invoke(cli, asked).stdout


@pytest.mark.parametrize(
    ("make", "kind", "said"),
    [
        (product, InvalidValueError, "a product of 0 randomizers"),
        (lambda: product(THREE, 3), InvalidValueError, "factor 1 has the type int"),
        (lambda: product(any_randomizer(exp_eps0=3)), InvalidValueError, "stands for many randomizers"),
        (lambda: product(Randomizer({0: {(0,): 1}})), InvalidValueError, "has one input"),
        (lambda: product(*[THREE] * 65), InvalidValueError, "a product of 65 randomizers"),
        (lambda: product(*[KAryResponse(1001, exp_eps0=3)] * 4), TooLargeError, "inputs, more than the limit"),
        (lambda: Product(*[UNEVEN] * 5).pair_tables(), TooLargeError, "kinds of pairs"),
        (lambda: Product(*[KAryResponse(4, exp_eps0=3)] * 9).pair_tables(), TooLargeError, "classes of messages"),
        (lambda: Product(*[UNEVEN] * 3, *[THREE] * 3).pair_tables(), TooLargeError, "of them in all"),
        (lambda: read_target("@product:of=gap"), InvalidValueError, "not in parentheses"),
        (lambda: read_target("@product:of=(poisson:mu=3; gap)"), InvalidValueError, "is no randomizer of one user"),
        (lambda: read_target("@product:of=()"), InvalidValueError, "names no randomizer"),
        (lambda: read_target("@product"), InvalidValueError, "needs of"),
    ],
)
def test_what_is_no_product_is_refused(make, kind, said):
    with pytest.raises(kind, match=said):
        make()


def test_someone_who_may_be_away_gives_himself_away():
    profile = ShuffleProtocol(product(THREE, THREE), 3).privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE)
    assert profile.delta(exp_eps=2) == 1
