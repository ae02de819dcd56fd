"""sacreBLEU's two tests: equal in every number, including those in its documentation and in papers."""

import statistics

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest, _bootstrap_resample

import cybleu
from cybleu.errors import CybleuError
from cybleu.metrics import Bleu, Chrf, Ter
from cybleu.significance import bootstrap, confidence, paired_ar, paired_bs, paired_test
from marks import long
from statistics_rows import rows_of


class OfRows(BLEU):
    """sacreBLEU's metric on rows that are already counted."""

    def _extract_corpus_statistics(self, hypotheses, references):
        return [list(row) for row in self.rows[hypotheses[0]]]


def theirs(monkeypatch, kind, systems, samples, confidence=-1, seed=12345, **settings):
    monkeypatch.setenv("SACREBLEU_SEED", str(seed))
    metric = OfRows(tokenize="none", **settings)
    metric.num_refs = 1
    metric.rows = {name: np.asarray(rows).tolist() for name, rows in systems.items()}
    named = [(name, [name] * len(rows)) for name, rows in systems.items()]
    _, scores = PairedTest(named, {"BLEU": metric}, [["a"]], kind, samples, confidence)()
    return {
        name: (result.score, result.p_value, result.mean, result.ci)
        for name, result in zip(scores["System"], scores["BLEU"])
    }


def ours(results):
    return {name: (found.score, found.p_value, found.mean, found.ci) for name, found in results.items()}


SETTINGS = [
    ({}, {}),
    long({"smooth_method": "none"}, {"smoothing": "none"}),
    ({"smooth_method": "floor", "smooth_value": 0.3}, {"smoothing": "floor", "smoothing_value": 0.3}),
    long({"smooth_method": "add-k"}, {"smoothing": "add-k"}),
    ({"smooth_method": "add-k", "smooth_value": 1.5}, {"smoothing": "add-k", "smoothing_value": 1.5}),
    ({"effective_order": True}, {"effective_order": True}),
    ({"max_ngram_order": 2}, {"max_order": 2}),
]


@pytest.mark.thread_unsafe(reason="the seed is in the environment of the process")
@pytest.mark.parametrize(("of_theirs", "choices"), SETTINGS, ids=str)
@given(segments=st.integers(1, 20), seed=st.integers(1, 2**32))
def test_equal_to_sacrebleu(of_theirs, choices, segments, seed):
    generator = np.random.default_rng(seed)
    order = choices.get("max_order", 4)
    systems = {name: rows_of(generator, segments, order=order) for name in ("base", "a", "b")}
    systems["c"] = systems["base"].copy()  # differs in one segment
    systems["c"][0] = systems["a"][0]
    systems["the same"] = systems["base"]
    with pytest.MonkeyPatch.context() as patch:
        expected = theirs(patch, "bs", systems, 40, seed=seed, **of_theirs)
        assert ours(paired_bs(systems, samples=40, seed=seed, **choices)) == expected
        expected = theirs(patch, "ar", systems, 10, seed=seed, **of_theirs)
        assert ours(paired_ar(systems, samples=10, seed=seed, **choices)) == expected
        expected = theirs(patch, "ar", systems, 10, 41, seed=seed, **of_theirs)
        assert ours(paired_ar(systems, samples=10, confidence_samples=41, seed=seed, **choices)) == expected


OF_INTERVALS = [
    long(BLEU, Bleu, {}, {}),
    (BLEU, Bleu, {"smooth_method": "add-k", "effective_order": True}, {"smoothing": "add-k", "effective_order": True}),
    long(CHRF, Chrf, {}, {}),
    (
        CHRF,
        Chrf,
        {"word_order": 2, "beta": 1, "eps_smoothing": True},
        {"word_order": 2, "beta": 1, "eps_smoothing": True},
    ),
    long(TER, Ter, {}, {}),
    (TER, Ter, {"normalized": True}, {"normalized": True}),
]
lines = st.lists(st.sampled_from(["a", "b", "the", "cat.", "5,"]), max_size=6).map(" ".join)


@pytest.mark.thread_unsafe(reason="the seed is in the environment of the process")
@pytest.mark.parametrize(("cls", "kind", "of_theirs", "choices"), OF_INTERVALS, ids=str)
@given(data=st.data(), samples=st.integers(2, 90), seed=st.integers(1, 2**32))
def test_intervals_are_equal_to_sacrebleu_s(cls, kind, of_theirs, choices, data, samples, seed):
    size = data.draw(st.sampled_from([1, 12]))
    documents = data.draw(st.lists(st.lists(lines, min_size=size, max_size=size), min_size=2, max_size=4))
    hypotheses, *references = documents
    metric = cls(**of_theirs)
    ours = kind(**choices)
    rows = np.array(metric._extract_corpus_statistics(hypotheses, references))
    found = confidence(rows, ours, samples=samples, seed=seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACREBLEU_SEED", str(seed))
        try:
            expected = metric.corpus_score(hypotheses, references, samples)
        except TypeError:  # where some samples have no match
            return
    assert (found.score, found.mean, found.ci) == (expected.score, float(expected._mean), float(expected._ci))
    if size == 1:
        assert found.ci == 0
        return
    exact = bootstrap(rows, ours, samples=samples, seed=seed)
    assert (exact.mean, exact.ci) == pytest.approx((found.mean, found.ci), abs=1e-3)


@pytest.mark.parametrize(("cls", "name"), [(CHRF, "chrf"), (TER, "ter")])
def test_the_interval_where_sacrebleu_fails_is_of_its_samples(cls, name):
    """Its mean fails for samples of two types. Those without a reference word or a match are of another type."""
    hypotheses = ["a", "b c"]
    references = ["", "b d"]
    metric = cls()
    with pytest.raises(TypeError, match="coerce"):
        metric.corpus_score(hypotheses, [references], 200)
    rows = metric._extract_corpus_statistics(hypotheses, [references])
    _, samples = _bootstrap_resample(rows, metric, 200)
    scores = sorted(float(sample.score) for sample in samples)
    found = confidence(cybleu.rows(hypotheses, references, name), name, samples=200)
    assert (found.mean, found.ci) == (statistics.mean(scores), 0.5 * (scores[194] - scores[5]))


@pytest.mark.parametrize("metric", ["nltk", "gleu", "mteval-v13a", Bleu(weights=(0.5, 0.5))])
def test_intervals_of_other_metrics(metric):
    rows = cybleu.rows(["a b", "c"], ["a c", "c"], metric)
    with pytest.raises(CybleuError, match="use bootstrap"):
        confidence(rows, metric, samples=10)


def test_equal_where_float32_rounds(monkeypatch):
    generator = np.random.default_rng(1)
    systems = {name: rows_of(generator, 40) * 123_457 for name in ("base", "a")}
    assert ours(paired_bs(systems, samples=30)) == theirs(monkeypatch, "bs", systems, 30)


# --------------------------------------------------------------------------------------------------------------- real data


#: What sacreBLEU 2.6.0 says with LIUM-NMT.4900 as baseline: --paired-bs with 1,000 samples, --paired-ar with 10,000.
PRINTED = {
    "FBK.4870": (0.097902, 0.188681),
    "KIT.4950": (0.011988, 0.019298),
    "LMU-nmt-reranked.4934": (0.004995, 0.008199),
    "LMU-nmt-single.4893": (0.326673, 0.860214),
    "RWTH-nmt-ensemble.4921": (0.005994, 0.006599),
    "SYSTRAN.4847": (0.211788, 0.630537),
    "online-B.0": (0.307692, 0.806619),
    "xmu.4910": (0.236763, 0.680732),
}


@pytest.mark.real_data
def test_the_table_of_wmt17(data):
    """The baseline of sacreBLEU's README comes first."""
    paths = sorted((data / "wmt17-en-de").glob("*.txt"), key=lambda path: (path.stem != "LIUM-NMT.4900", path))
    texts = {path.stem: path.read_text(encoding="utf-8").split("\n")[:-1] for path in paths}
    references = texts.pop("ref")
    systems = {name: cybleu.rows(lines, references) for name, lines in texts.items()}
    by_bootstrap = paired_bs(systems)
    by_randomization = paired_ar(systems)
    for name in systems:
        if name == "LIUM-NMT.4900":
            assert by_bootstrap[name].p_value is by_randomization[name].p_value is None
            assert str(by_bootstrap[name]) == "26.6 (26.6 ± 0.6)"
            continue
        expected = PRINTED.get(name, (1 / 1001, 1 / 10001))
        assert (by_bootstrap[name].p_value, by_randomization[name].p_value) == pytest.approx(expected, abs=6e-7)
        # no shuffle of so many different segments differs exactly as much, so that both rules agree
        assert paired_test(systems["LIUM-NMT.4900"], systems[name]).p == by_randomization[name].p_value
    assert str(by_bootstrap["online-B.0"]) == "26.7 (26.6 ± 0.7) (p = 0.3077)"
