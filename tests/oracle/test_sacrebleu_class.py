"""Compare the classes BLEU and CHRF, and the installation, with sacreBLEU's."""

import inspect

import numpy as np
import pytest
import sacrebleu
from hypothesis import example, given, strategies as st
from sacrebleu.significance import PairedTest

from command_line import python
from cybleu import install_as_sacrebleu, sacrebleu_compat
from cybleu.sacrebleu_compat import BLEU, CHRF, TER
from inputs import CATCHES_WARNINGS, assert_class_is_as_sacrebleu_s, assert_same_as_sacrebleu, called
from marks import long

pytestmark = CATCHES_WARNINGS

Theirs = sacrebleu.metrics.BLEU
lines = st.lists(st.sampled_from(["a", "b", "A.", "猫", "5.", "&amp;", "\ud800", "c,"]), max_size=8).map(" ".join)
arguments = st.fixed_dictionaries(
    {},
    optional={
        "lowercase": st.booleans(),
        "force": st.booleans(),
        "tokenize": st.sampled_from([None, "13a", "intl", "zh", "char", "none"]),
        "smooth_method": st.sampled_from(["exp", "floor", "add-k", "none"]),
        "smooth_value": st.sampled_from([None, 0.5, 2]),
        "max_ngram_order": st.sampled_from([1, 2, 4, 6]),
        "effective_order": st.booleans(),
        "trg_lang": st.sampled_from(["", "zh"]),
    },
)


@st.composite
def corpora(draw):
    hypotheses = draw(st.lists(lines, min_size=1, max_size=4))
    size = st.just(len(hypotheses)) | st.integers(1, 5)
    document = size.flatmap(lambda count: st.lists(lines | st.none(), min_size=count, max_size=count))
    return hypotheses, draw(st.lists(document, min_size=1, max_size=3))


@given(arguments, corpora())
@example({}, (["a"], [["a"]]))
@example({"smooth_method": "floor", "smooth_value": 0.5, "effective_order": True}, (["a b c d"], [["a c"]]))
@example({"smooth_method": "floor", "smooth_value": np.float32(0.5), "effective_order": True}, (["a b c d"], [["a c"]]))
def test_scores_and_signature(kwargs, corpus):
    assert_class_is_as_sacrebleu_s(BLEU, Theirs, corpus, kwargs)


CLASSES = [(BLEU, Theirs), (CHRF, sacrebleu.metrics.CHRF), (TER, sacrebleu.metrics.TER)]
both = pytest.mark.parametrize(("cls", "theirs"), CLASSES)


@both
@pytest.mark.parametrize("wrong", ["a b", [], [None], [1], ["a", None], "", None, [["a"]]])
def test_mistakes(cls, theirs, wrong):
    for given_ in ((wrong, [["a"]]), (["a"], wrong), (["a"], [wrong])):
        found, expected = (called(kind().corpus_score, *given_) for kind in (cls, theirs))
        assert_same_as_sacrebleu(found, expected, words=False)


@both
def test_bootstrap_and_paired_test(cls, theirs):
    rng = np.random.default_rng(3)
    reference = [" ".join(rng.choice(list("abcdef."), 12)) for _ in range(15)]
    systems = [[" ".join(rng.choice(list("abcdef."), 12)) for _ in range(15)] for _ in range(2)]
    results = []
    for kind in (cls, theirs):
        metric = kind(references=[reference])
        score = metric.corpus_score(systems[0], None, n_bootstrap=50)
        named = [(f"s{number}", system) for number, system in enumerate(systems)]
        test = PairedTest(named, {"it": kind(references=[reference])}, None, test_type="bs", n_samples=50)
        signatures, outcome = test()
        results.append((vars(score), str(metric.get_signature()), str(signatures), str(outcome)))
    assert results[0] == results[1]


FOR_USERS = ("corpus_score", "sentence_score", "get_signature")
NAMES = {
    theirs: [
        name
        for name in dir(theirs)
        if callable(getattr(theirs, name)) and not name.startswith("__") and name not in (*FOR_USERS, "_SIGNATURE_TYPE")
    ]
    for _, theirs in CLASSES
}
HYPOTHESES = ["The cat sat on (the) mat .", "It rains a lot, so it is", "a B c D"]
REFERENCES = [["the cat sat on the mat.", "It rains, so it is.", "a b c d"], ["A cat sat.", None, "a b C d e"]]


def scores_of(metric):
    """The scores with cached references, if there are any, and with references as arguments; and all statistics."""
    documents = [None, REFERENCES] if metric._ref_cache else [REFERENCES]
    scores = [vars(metric.corpus_score(HYPOTHESES, references)) for references in documents]
    one = vars(metric.sentence_score(HYPOTHESES[0], [document[0] for document in REFERENCES]))
    return scores, one, [metric._extract_corpus_statistics(HYPOTHESES, references) for references in documents]


@pytest.mark.parametrize(
    ("cls", "theirs", "name"), [(cls, theirs, name) for cls, theirs in CLASSES for name in NAMES[theirs]]
)
@pytest.mark.parametrize("place", ["subclass", "object", long("mixin"), long("class")])
def test_an_override_is_called_as_often_as_by_sacrebleu(cls, theirs, name, place, monkeypatch):
    def found(base):
        calls = []
        method = getattr(base, name)
        if isinstance(inspect.getattr_static(base, name), staticmethod):
            method = lambda self, *args, method=method, **named: method(*args, **named)  # noqa: E731

        def overridden(self, *args, **named):
            calls.append(name)
            return method(self, *args, **named)

        if place == "class":
            monkeypatch.setattr(base, name, overridden)
        kind = type("Other", (base,), {name: overridden} if place == "subclass" else {})
        if place == "mixin":
            kind = type("Other", (type("Mixin", (), {name: overridden}), base), {})
        metrics = kind(), kind(references=REFERENCES)
        if place == "object":
            for metric in metrics:
                setattr(metric, name, overridden.__get__(metric))
        return [(scores_of(metric), metric.num_refs) for metric in metrics], len(calls)

    expected = found(theirs)
    monkeypatch.undo()
    assert found(cls) == expected


OVERRIDES = [
    (BLEU, Theirs, "_get_closest_ref_len", lambda self, length, lengths: max(lengths)),
    (BLEU, Theirs, "_aggregate_and_compute", lambda self, rows: self._compute_score_from_stats(rows[0])),
    (BLEU, Theirs, "_extract_corpus_statistics", lambda self, *texts: [[9, 9, 8, 7, 6, 5, 9, 8, 7, 6]] * 3),
    (TER, sacrebleu.TER, "_compute_segment_statistics", lambda self, *texts: [0.5, 2.0]),
    (CHRF, sacrebleu.CHRF, "_get_match_statistics", lambda self, *texts: [3, 2, 1]),
    (CHRF, sacrebleu.CHRF, "_PUNCTS", set("t")),
    *((cls, theirs, "_preprocess_segment", lambda self, line: "the same") for cls, theirs in CLASSES),
]


@pytest.mark.parametrize(("cls", "theirs", "name", "value"), OVERRIDES)
def test_an_override_changes_the_score_as_with_sacrebleu(cls, theirs, name, value):
    options = {"word_order": 2} if cls is CHRF else {}
    kinds = [type("Other", (base,), {name: value}) for base in (cls, theirs)]
    ours, other = ([scores_of(kind(references=cached, **options)) for cached in (None, REFERENCES)] for kind in kinds)
    assert ours == other
    assert ours[0] != scores_of(theirs(**options))


@pytest.mark.parametrize(
    ("cls", "theirs", "changes"),
    [
        (BLEU, Theirs, {"tokenizer": Theirs(tokenize="char").tokenizer}),
        (BLEU, Theirs, {"tokenizer": str.upper}),
        (BLEU, Theirs, {"tokenizer_signature": "char"}),
        (BLEU, Theirs, {"lowercase": True}),
        (BLEU, Theirs, {"max_ngram_order": 6}),
        (BLEU, Theirs, {"smooth_method": "floor", "smooth_value": 0.5, "effective_order": True}),
        (CHRF, sacrebleu.CHRF, {"word_order": 2}),
        (CHRF, sacrebleu.CHRF, {"char_order": 2, "order": 2}),
        (CHRF, sacrebleu.CHRF, {"lowercase": True, "whitespace": True}),
        (CHRF, sacrebleu.CHRF, {"_preprocess_segment": str.upper}),
        (CHRF, sacrebleu.CHRF, {"beta": 1, "eps_smoothing": True}),
        (TER, sacrebleu.TER, {"tokenizer": sacrebleu.TER(normalized=True, case_sensitive=True).tokenizer}),
        (TER, sacrebleu.TER, {"normalized": True, "case_sensitive": True}),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, dict) else value.__module__.partition(".")[0],
)
def test_changes_of_an_object(cls, theirs, changes):
    """sacreBLEU reads its attributes for each hypothesis; references that it cached stay as they are."""
    results = []
    for kind in (cls, theirs):
        metrics = kind(), kind(references=REFERENCES)
        before = list(map(scores_of, metrics))
        for metric in metrics:
            vars(metric).update(changes)
        changed = list(map(scores_of, metrics)), [str(metric.get_signature()) for metric in metrics]
        metrics[1]._ref_cache = metrics[1]._cache_references(REFERENCES)
        results.append((before, changed, scores_of(metrics[1])))
    assert results[0] == results[1]


@both
@pytest.mark.parametrize("of_references", [iter, lambda lines: (line for line in lines), dict.fromkeys, np.array])
def test_a_later_document_may_be_read_once(cls, theirs, of_references):
    def documents():
        return [REFERENCES[0], of_references(REFERENCES[1])]

    def results(kind):
        cached = kind(references=documents())
        scores = [
            kind().corpus_score(HYPOTHESES, documents()),
            kind().corpus_score(HYPOTHESES, documents(), n_bootstrap=10),
            cached.corpus_score(HYPOTHESES, None),
            cached.corpus_score(HYPOTHESES, None),
        ]
        return list(map(vars, scores)), kind()._extract_corpus_statistics(HYPOTHESES, documents()), cached.num_refs

    assert results(cls) == results(theirs)


def test_it_warns_of_tokenised_text(caplog):
    texts = ["a ."] * 100
    BLEU(references=[texts]).corpus_score(texts, None)
    assert [record.message[:10] for record in caplog.records] == ["That's 100", "It looks l", "If you ins"]
    caplog.clear()
    BLEU(force=True).corpus_score(texts, [texts])
    assert not caplog.records
    with install_as_sacrebleu():
        sacrebleu.corpus_bleu(texts, [texts])
    assert len(caplog.records) == 3


OPTIONS = {
    "BLEU": {"tokenize": "char", "smooth_method": "floor", "lowercase": True},
    "CHRF": {"char_order": 4, "word_order": 1, "beta": 3, "remove_whitespace": False, "eps_smoothing": True},
    "TER": {"normalized": True, "no_punct": True, "asian_support": True, "case_sensitive": True},
}


@both
def test_functions_and_installation(cls, theirs):
    name = cls.__name__
    corpus = (["the cat.", "b 中"], [["a cat.", "b"], ["the hat", None]])
    one = ("the cat.", ["a cat.", "the hat."])
    calls = (f"corpus_{name.lower()}", corpus), (f"sentence_{name.lower()}", one)
    for kwargs in ({}, OPTIONS[name]):
        found, expected = (
            [vars(getattr(module, function)(*texts, **kwargs)) for function, texts in calls]
            for module in (sacrebleu_compat, sacrebleu)
        )
        assert found == expected
    with install_as_sacrebleu():
        for place in (sacrebleu, sacrebleu.metrics, getattr(sacrebleu.metrics, name.lower()), sacrebleu.compat):
            assert getattr(place, name) is cls
        assert sacrebleu.metrics.METRICS[name] is cls
        for function, _ in calls:
            assert getattr(sacrebleu, function) is getattr(sacrebleu_compat, function)
        assert vars(getattr(sacrebleu, calls[0][0])(*corpus, **kwargs)) == expected[0]
    assert getattr(sacrebleu, name) is sacrebleu.metrics.METRICS[name] is theirs


@pytest.mark.long
def test_the_first_score_imports_no_metrics_of_cybleu():
    code = (
        "import sys, sacrebleu, cybleu\ncybleu.install_as_sacrebleu()\n"
        "print(sacrebleu.corpus_bleu(['a b'] * 2, [['a b'] * 2]).counts, 'cybleu.metrics' in sys.modules)"
    )
    assert python("-c", code, check=True).stdout == "[4, 2, 0, 0] False\n"


def test_a_script_runs_with_it(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nimport sacrebleu\nprint(sacrebleu.BLEU.__module__, sys.argv[1:])\n"
        "print(sacrebleu.corpus_bleu(['The cat sat on it.'], [['The cat sat on it.']]).score)\n"
    )
    done = python("-m", "cybleu", "run-as-sacrebleu", script, "x", check=True)
    assert done.stdout.startswith("cybleu.sacrebleu_compat.classes ['x']\n100.0")
