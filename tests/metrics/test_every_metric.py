"""Metrics in every function that accepts a metric, against what the metric counts and evaluates one by one."""

import copy
import pickle
from dataclasses import dataclass
from functools import partial
from threading import get_ident

import numpy as np
import pytest

import cybleu
from cybleu import References, Reward, columns, errors, metrics, score, scores
from cybleu._catalogue import CATALOGUE
from cybleu.metrics import Chrf, Metric, Mixture, Nist, NistInformation, Ter, find
from cybleu.metrics.combined import Accuracy
from cybleu.metrics.operations import with_options
from cybleu.nbest import NBest
from cybleu.nbest.reading import split_on_blanks
from cybleu.rerank import antioracle, mbr, oracle, perceptron
from cybleu.significance import Settings, bootstrap, compare_systems, paired_test
from cybleu.tuning import kbmira, line_search, pro, tune

LISTS = [
    ["the cat sat on the mat", "The mat sat on a cat", "x y z"],
    ["It rains a lot", "a lot it rains", ""],
    ["we go home now", "home we go", "q " * 9],
]
REFERENCES = [["The cat sat on the mat today"], ["it rains a lot", "It rained a lot, today"], ["we go home now"]]
TEXTS = [text for texts in LISTS for text in texts]
OWNER = [0, 0, 0, 1, 1, 1, 2, 2, 2]
FEATURES = [[1.0, 0.5], [2.0, 0.0], [3.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 0.5]]
START = {"rank": 1.0, "other": 0.0}


@dataclass(frozen=True)
class WordF(Metric):
    """F-score of distinct words, against the reference that shares most."""

    beta: float = 1

    name = "word-f"
    scale = 1
    columns = ("shared", "hypothesis_words", "reference_words")

    def count(self, hypothesis, references):
        words = {*hypothesis}
        shared, _, of_reference = max((len(words & {*text}), -len({*text}), len({*text})) for text in references)
        return [shared, len(words), of_reference]

    def evaluate(self, row):
        shared, of_hypothesis, of_reference = row
        both = self.beta**2 * of_reference + of_hypothesis
        return (1 + self.beta**2) * shared / both if both else 0.0


@dataclass(frozen=True)
class CharacterF(WordF):
    """The same of characters."""

    name = "character-f"
    reads = "text"


@dataclass(frozen=True)
class WordErrors(Metric):
    """An error rate of tokens: the share of positions at which two texts differ."""

    name = "word errors"
    columns = ("errors", "reference_words")
    higher_is_better = False

    def count(self, hypothesis, references):
        alike = sum(one == other for one, other in zip(references[0], hypothesis))
        return [max(len(references[0]), len(hypothesis)) - alike, len(references[0])]

    def evaluate(self, row):
        return row[0] / row[1] if row[1] else float(row[0] > 0)


# Of each class the last name. BLEU scores sentences in another way than a corpus, and NIST needs weights.
NAMED = {call[0]: name for _, calls, _ in CATALOGUE.values() for name, call in calls.items()}
del NAMED["Bleu"], NAMED["Nist"]
METRICS = {
    **{name: partial(find, name) for name in NAMED.values()},
    "rouge2": lambda: find("rouge2", tokenize=str.split),
    "rougeL": lambda: find("rougeL", tokenize=str.split),
    "chrf": lambda: find("chrf", beta=np.int64(2)),
    "chrf++, lowercase": lambda: find("chrf++", lowercase=True),
    "gleu, options": lambda: find("gleu", max_len=np.int64(4)),
    "ter, case-sensitive": lambda: find("ter", case_sensitive=True, lowercase=True, no_punct=True),
    "nist": lambda: Nist(information=NistInformation(REFERENCES)),
    "own": lambda: WordF(beta=2, tokenize="13a"),
    "own of characters": lambda: CharacterF(beta=2, lowercase=True),
    "own error rate": lambda: WordErrors(tokenize=str.split, lowercase=True),
    "mixture": lambda: Mixture({"chrf": 0.1, "ter": 0.2, "gleu": 0.3}),
}
OF_ONE_SCALE = [name for name in METRICS if name != "nist"]


@pytest.fixture(params=METRICS)
def metric(request):
    return METRICS[request.param]()


def one_by_one(metric, text, references):
    """The row of a text, counted without the others."""
    return metric.rows([text], [references])[0].tolist()


def value(metric, text, references):
    return metric.evaluate(one_by_one(metric, text, references))


def utility(metric, found):
    """What is as large as possible."""
    return np.array(found) if metric.higher_is_better else metric.scale - np.array(found)


def expected_rows(metric):
    return [one_by_one(metric, text, REFERENCES[owner]) for text, owner in zip(TEXTS, OWNER)]


def in_bytes(lines):
    return [line.encode() for line in lines]


FORMS = {
    "threads": lambda metric: metric.rows(TEXTS, REFERENCES, owner=OWNER, threads=np.int64(2)),
    "bytes": lambda metric: metric.rows(in_bytes(TEXTS), [*map(in_bytes, REFERENCES)], owner=OWNER),
    "prepared": lambda metric: metric.rows(TEXTS, References(REFERENCES), owner=OWNER),
    "pickled": lambda metric: metric.rows(TEXTS, pickle.loads(pickle.dumps(References(REFERENCES))), owner=OWNER),
    "other sets": lambda metric: metric.rows(TEXTS, [["x"], *REFERENCES], owner=[owner + 1 for owner in OWNER]),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_rows(metric, form):
    rows = form(metric)
    assert rows.tolist() == expected_rows(metric) and (rows.shape[1], rows.dtype) == (len(metric.columns), metric.dtype)


def test_rows_of_nothing(metric):
    assert metric.rows([], []).shape == (0, len(metric.columns))


def test_scores(metric):
    rows = expected_rows(metric)
    assert scores(np.array(rows, metric.dtype), metric).tolist() == [metric.evaluate(row) for row in rows]


def test_the_score_of_a_corpus(metric):
    rows = metric.rows(TEXTS, REFERENCES, owner=OWNER)
    found = score(rows, metric)
    assert found == score(rows.tolist(), metric) and found.score == metric.evaluate(metric.total(rows))
    assert metric.total(rows) == pytest.approx(rows.sum(axis=0).tolist())
    assert str(found).startswith(f"{metric.signature} = ")


COPIES = {
    "copy": copy.deepcopy,
    "options": lambda metric: with_options(metric, lowercase=metric.lowercase),
    "sentences": lambda metric: metric.of_sentences(),
}


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_copies_are_equal_and_count_the_same(metric, make):
    copied = make(metric)
    assert (copied, hash(copied), copied.signature) == (metric, hash(metric), metric.signature)
    assert copied.rows(TEXTS, REFERENCES, owner=OWNER).tolist() == expected_rows(metric)


def test_columns(metric):
    table = {"hypothesis": [texts[0] for texts in LISTS], "reference": REFERENCES}
    expected = metric.rows(table["hypothesis"], REFERENCES)
    found = columns.rows(table, metric=metric)
    assert list(found) == list(metric.columns) and np.stack([*found.values()], axis=1).tolist() == expected.tolist()
    assert score(columns.total(table, metric=metric), metric).score == pytest.approx(score(expected, metric).score)
    assert columns.score(table, metric=metric).score == pytest.approx(score(expected, metric).score)


def test_pairs(metric):
    expected = [[value(metric, text, [other]) for other in TEXTS] for text in TEXTS]
    assert cybleu.pairs(TEXTS, metric=metric).tolist() == expected
    assert cybleu.pairs(TEXTS[:2], TEXTS, metric=metric, threads=2).tolist() == expected[:2]


@pytest.mark.parametrize("name", OF_ONE_SCALE)
def test_rewards(name):
    metric = METRICS[name]()
    of_each = utility(metric, [value(metric, text, REFERENCES[owner]) for text, owner in zip(TEXTS, OWNER)])
    expected = np.float32(np.maximum(of_each, 0) / metric.scale).tolist()
    for references in (REFERENCES, References(REFERENCES)):
        assert cybleu.reward_scores(TEXTS, references, OWNER, metric=metric).tolist() == pytest.approx(expected)
    rewards = Reward(metric, "column")(completions=TEXTS, column=[REFERENCES[owner] for owner in OWNER])
    assert rewards == pytest.approx(expected)


def test_a_score_without_an_upper_limit_is_no_reward():
    for metric in (METRICS["nist"](), "nist", {"nist": 0.5, "bleu": 0.5}):
        for call in (lambda metric: cybleu.reward_scores(TEXTS, REFERENCES, OWNER, metric=metric), Reward):
            with pytest.raises(errors.UnknownNameError, match="nist has no upper limit"):
                call(metric)


def test_minimum_bayes_risk(metric):
    best = mbr(LISTS, metric=metric)
    for segment, texts in enumerate(LISTS):
        means = [np.mean(utility(metric, [value(metric, text, [other]) for other in texts])) for text in texts]
        filled = [place for place, text in enumerate(texts) if text]
        assert best.scores[[3 * segment + place for place in filled]] == pytest.approx(
            [means[place] for place in filled]
        )
        assert best.positions[segment] == max(filled, key=means.__getitem__)


@pytest.fixture
def nbest(metric):
    rows = metric.rows(TEXTS, REFERENCES, owner=OWNER)
    return NBest(range(0, 10, 3), FEATURES, rows, [*START], TEXTS, score=metric)


def test_oracles(metric, nbest):
    of_each = metric.scores(nbest.stats)
    best = utility(metric, of_each).reshape(3, 3)
    best[1, 2] = best[1].min() - 1  # a text without tokens is never the best
    assert oracle(nbest).scores.tolist() == of_each.tolist()
    assert oracle(nbest).positions.tolist() == best.argmax(axis=1).tolist()
    every = [
        metric.score(nbest.stats[[one, 3 + other, 6 + third]]).score
        for one in range(3)
        for other in range(3)
        for third in range(3)
    ]
    most, least = (max, min) if metric.higher_is_better else (min, max)
    assert oracle(nbest, "corpus").score == most(every)
    assert antioracle(nbest, "corpus").score == least(every)
    made = NBest.from_texts(LISTS, REFERENCES, FEATURES, [*START], tokenize=str.split)
    assert made.with_metric(metric, REFERENCES).stats.tolist() == nbest.stats.tolist()


def test_tuning(metric, nbest):
    """What is tuned is the scale minus an error rate, so that higher is better everywhere."""
    best = utility(metric, oracle(nbest, "corpus").score)
    tuned = tune(nbest, START, restarts=2)
    assert tuned.start_score < tuned.score <= best
    assert tuned.score == utility(metric, metric.score(nbest.stats[tuned.chosen]).score)
    found = line_search(nbest, {"rank": -1.0, "other": 0.0}, "other")
    assert found.score >= utility(metric, metric.score(nbest.stats[[0, 3, 6]]).score)
    assert kbmira(nbest, START).start_score == pro(nbest, START, minimum=0.0).start_score == tuned.start_score
    trained = perceptron(nbest, folds=2)
    assert trained.score == utility(metric, trained.held_out.corpus_score().score) and trained.weights["rank"] < 0


def test_significance(metric):
    rows = {
        name: metric.rows([texts[place] for texts in LISTS] * 9, REFERENCES * 9)
        for place, name in ((0, "good"), (2, "bad"))
    }
    found = compare_systems(rows, metric, settings=Settings(samples=50, resamples=40))
    assert [system.name for system in found.systems] == ["good", "bad"]
    corpus_scores = [score(table, metric).score for table in rows.values()]
    if metric.name.startswith("rouge"):  # a comparison rounds sums of fractions once, and a total at each segment
        corpus_scores = pytest.approx(corpus_scores, rel=1e-15)
    assert [system.score for system in found.systems] == corpus_scores
    (pair,) = found.differences
    assert pair.first == "good" and (pair.difference > 0) == metric.higher_is_better
    assert bootstrap(rows["good"], metric, samples=20).score == found.systems[0].score
    assert paired_test(*rows.values(), metric, samples=50).p < 0.05


# ------------------------------------------------------------------------------------------------- what each has alone


@pytest.mark.parametrize(("row", "expected"), [([0, 0], 0.0), ([1, 0], 100.0), ([3, 2.5], 120.0)])
def test_ter_of_texts_without_words(row, expected):
    assert Ter().evaluate(row) == scores([row], "ter")[0] == expected


def test_signatures():
    options = find("ter", normalized=True, no_punct=True, asian_support=True, case_sensitive=True)
    assert options.signature == "metric:ter|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes"
    assert find("chrf++").signature == "metric:chrf++|nc:6|nw:2|beta:2|eff:yes|space:no|case:mixed"
    assert find("nist", lowercase=True).signature == "metric:nist|ngrams:5|case:lc|tok:13a|info:references"


@pytest.mark.parametrize(
    ("references", "hypothesis", "expected"),
    [(["", ""], "a", 0), (["a"], "", 0), (["a b"], "c", 0), (["a b"], "a b", 1)],
)
def test_nist_of_short_texts(references, hypothesis, expected):
    row = Nist().count(hypothesis, references)
    assert Nist().evaluate(row) == scores([row], Nist())[0] == Nist().score(row).score == expected


def test_weights_of_nist_come_from_all_references_of_the_call():
    fixed = Nist(information=NistInformation(REFERENCES))
    found = find("nist").rows(TEXTS, REFERENCES, owner=OWNER).tolist()
    assert found == fixed.rows(TEXTS, REFERENCES, owner=OWNER).tolist()
    assert found[:1] != find("nist").rows(TEXTS[:1], REFERENCES[:1]).tolist()


def test_weights_of_nist_of_prepared_references_are_those_of_the_same_texts():
    assert NistInformation(References(REFERENCES)) == NistInformation(REFERENCES)


@pytest.mark.parametrize("ngram", ["parrot", "", "x " * 12, "The cat"])
def test_an_ngram_that_no_reference_has_has_no_weight(ngram):
    assert NistInformation(REFERENCES).weight(ngram) == 0


@pytest.mark.parametrize(("ngram", "lowercase"), [("the", False), ("the cat", True)])
def test_an_ngram_of_the_references_has_a_weight(ngram, lowercase):
    assert NistInformation(REFERENCES).weight(ngram, lowercase=lowercase) > 0


def test_a_mixture_takes_weights_for_nist():
    found = Mixture([(find("nist"), 0.5), (find("chrf"), 0.5)]).with_weights_of(REFERENCES)
    assert found == Mixture([(Nist(information=NistInformation(REFERENCES)), 0.5), (find("chrf"), 0.5)])


def test_a_mixture_with_nist_has_no_sum_of_parts_of_a_table():
    mixture = Mixture([(find("nist"), 0.5), (find("chrf"), 0.5)])
    with pytest.raises(errors.StatisticsError, match="in parts"):
        columns.total({"hypothesis": TEXTS[:3], "reference": REFERENCES}, metric=mixture)


def test_lower_case_of_nist_is_that_of_the_script_with_prepared_references():
    """Only letters of ASCII have a lower case, and weights are those of the corpus in lower case."""
    references = [["The É cat &QUOT; SAT", "a É"], ["it RAINS"]]
    texts = ['the É CAT " sat', "It rains é"]
    expected = {lowercase: Nist(lowercase=lowercase).rows(texts, references).tolist() for lowercase in (False, True)}
    assert expected[True] != expected[False]
    prepared = References(references)
    information = NistInformation(references)
    for lowercase in (False, True):
        for weights in (None, information):
            one = Nist(lowercase=lowercase, information=weights)
            for given in (prepared, references, pickle.loads(pickle.dumps(prepared))):
                assert one.rows(texts, given).tolist() == expected[lowercase]


@pytest.mark.parametrize(
    "metric", [Mixture({"bleu": 2, "chrf": 1}), Mixture([("bleu", 1), ("chrf", 0.5)]), find({"bleu": 2, "chrf": 1})]
)
def test_mixtures_are_weighted_means(metric):
    bleu, chrf = (score(find(name).rows(TEXTS[:3], REFERENCES), name).score / 100 for name in ("bleu", "chrf"))
    assert metric.score(metric.rows(TEXTS[:3], REFERENCES)).score == pytest.approx(2 / 3 * bleu + 1 / 3 * chrf)


def test_a_score_below_0_counts_as_0_in_a_mixture():
    assert Mixture([("gleu", 1), (WordF(), 1)]).score([1, 1, -1, 1, 1]).score == 0


def test_a_metric_in_python_is_called_by_one_thread_also_in_a_mixture():
    callers = set()

    class Own(WordF):
        def count(self, *texts):
            callers.add(get_ident())
            return super().count(*texts)

    ids = np.ones((9, 9_000), int)
    Mixture([(Own(), 1), ("wer", 1)]).rows(ids, ids, threads=4)
    assert callers == {get_ident()}


def test_mixtures_of_ids():
    ids = np.array([[1, 2, 3, 4], [4, 3, 0, 0]])
    sets = [[[1, 2, 3, 4, 5]], [[3, 4]]]
    found = cybleu.reward_scores(ids, sets, metric={"bleu": 1, "nltk": 2}, pad_id=0)
    bleu, nltk = (cybleu.reward_scores(ids, sets, metric=name, pad_id=0) for name in ("bleu", "nltk"))
    assert found == pytest.approx(bleu / 3 + nltk * 2 / 3, abs=1e-6)


@pytest.mark.parametrize(
    "parts", [(), None, [(3, 1)], [(find("chrf"), "x")], [(find("chrf"), 0)], {"bleu": 1, "chrf": -0.1}]
)
def test_parts_that_are_no_mixture(parts):
    with pytest.raises(errors.CybleuError, match="a mixture requires"):
        Mixture(parts)


def test_a_mixture_with_a_mean_of_segments_has_no_score_of_a_sum():
    mean = Mixture([("gleu", 1), (find("bleu", level="mean"), 2), ("gleu", 1)])
    rows = mean.rows(TEXTS, REFERENCES, owner=OWNER)
    table = {"hypothesis": TEXTS, "reference": [REFERENCES[owner] for owner in OWNER]}
    bleu, gleu = (columns.segment_scores(table, metric=name) for name in ("bleu", "gleu"))
    assert columns.segment_scores(table, metric=mean) == pytest.approx(bleu / 200 + gleu / 2)
    nbest = NBest(range(0, 10, 3), FEATURES, rows, [*START], score=mean)
    for use in (
        lambda: score(rows, mean),
        lambda: columns.score(table, metric=mean),
        lambda: compare_systems({"a": rows, "b": rows}, mean),
        lambda: tune(nbest, restarts=1),
    ):
        with pytest.raises(errors.StatisticsError, match="is the mean of the scores of segments"):
            use()


@pytest.mark.parametrize("options", [{"tokenize": "zh"}, {"lowercase": True}, {"smoothing": "none"}])
def test_options_belong_to_the_metrics_of_a_mixture(options):
    for metric in ({"bleu": 1, "gleu": 1}, Mixture({"bleu": 1, "chrf": 1})):
        for use in (cybleu.rows, cybleu.reward_scores):
            with pytest.raises(errors.UnknownNameError, match="option of the metrics of a mixture; give it there"):
                use(["a b"], ["a b"], metric=metric, **options)


def test_options_are_no_arguments_of_a_mixture():
    with pytest.raises(errors.UnknownNameError, match="tokenize and lowercase are options of the metrics of a mixture"):
        Mixture({"bleu": 1}, tokenize="zh")


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, -1.0, 0.5, 99.0, 1e30])
def test_rows_that_mixtures_refuse(number):
    metric = find({"bleu": 1, "gleu": 1})
    rows = metric.rows(TEXTS, REFERENCES, owner=OWNER)
    rows[1, 3] = number
    for use in (metric.scores, metric.score, lambda rows: metric.score(metric.total(rows.tolist()))):
        with pytest.raises(errors.StatisticsError, match=r"finite|fractions|more matches"):
            use(rows)


# ----------------------------------------------------------------------------------------------- metrics of the user's


def test_metrics_of_the_user_by_name(monkeypatch):
    monkeypatch.setitem(metrics.METRICS, "word-f", WordF())
    rows = cybleu.rows([text.split() for text in TEXTS], [[["a", "cat"]]] * 9, "word-f")
    assert scores(rows, "word-f").tolist() == [WordF().evaluate(row) for row in rows.tolist()]
    assert split_on_blanks(Accuracy(WordErrors())).of_sentences().rows(["a b"], ["a c"]).tolist() == [[1, 2]]
    assert score(rows[0].tolist(), "word-f", beta=2).score == WordF(2).evaluate(rows[0].tolist())
    with pytest.raises(errors.UnknownNameError, match="no 'smoothing'; it has tokenize, lowercase, beta"):
        scores(rows, "word-f", smoothing="exp")
    with pytest.raises(errors.StatisticsError, match="a row of word-f has 3 entries"):
        score([1, 2], "word-f")


def test_a_subclass_has_the_name_that_it_gives_itself():
    assert type("Own", (Chrf,), {"name": "own"})().name == "own"


def test_a_metric_without_what_it_needs_is_refused_when_it_is_made():
    class Unfinished(Metric):
        name = "unfinished"

        def count(self, hypothesis, references):
            return [0]

    with pytest.raises(TypeError, match=r"abstract .*evaluate"):
        Unfinished()


@pytest.mark.parametrize("metric", [find("gleu"), Chrf(char_order=1), Chrf(1, 1)], ids=lambda metric: metric.signature)
def test_rows_that_metrics_refuse(metric):
    width = len(metric.columns)
    wrong = [[], [1] * (width - 1), [1] * (width + 1), ["a"] * width, [-1] * width, [1.5] * width, [None] * width, 5]
    for row in wrong:
        for found in (metric.evaluate, metric.score):
            with pytest.raises(errors.StatisticsError, match=r"whole numbers|entries"):
                found(row)
    ones = [1] * width
    assert metric.evaluate(ones) == metric.evaluate(tuple(ones)) == metric.evaluate(np.array(ones)) == metric.scale


@pytest.mark.parametrize("result", [float("nan"), None, "x", 1j, [0.5, 0.5]])
def test_scores_that_are_no_numbers(result):
    @dataclass(frozen=True)
    class Odd(WordF):
        def evaluate(self, row):
            return result

    rows = WordF().rows([text.split() for text in TEXTS], [[["a", "cat"]]] * 9)
    nbest = NBest([0, 9], FEATURES, rows, score=Odd())
    for use in (
        lambda: score(rows, Odd()),
        lambda: scores(rows, Odd()),
        lambda: cybleu.pairs([["a"]], metric=Odd()),
        lambda: mbr([[["a"], ["b"]]], metric=Odd()),
        lambda: oracle(nbest),
        lambda: tune(nbest, restarts=1),
        lambda: paired_test(rows, rows[::-1], metric=Odd(), samples=10),
    ):
        with pytest.raises(errors.StatisticsError, match=r"gives .* for the row .*must give a number"):
            use()


def test_counts_beyond_64_bits():
    @dataclass(frozen=True)
    class Large(WordF):
        def count(self, hypothesis, references):
            return [0, 2**63, 1]

    with pytest.raises(errors.StatisticsError, match="word-f are beyond 64 bits"):
        Large().rows([["a"]], [[["a"]]])
    assert score([[2**62] * 4] * 3).totals == (3 * 2**62,)
