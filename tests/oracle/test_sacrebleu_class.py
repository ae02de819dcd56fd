"""Compare the classes BLEU and CHRF, and the installation, with sacreBLEU's."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.significance import PairedTest

from cybleu import install_as_sacrebleu
from cybleu.sacrebleu_compat import BLEU, CHRF
from inputs import CATCHES_WARNINGS, assert_class_is_as_sacrebleu_s, assert_same_as_sacrebleu, called

pytestmark = [pytest.mark.usefixtures("backend"), *CATCHES_WARNINGS]

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
def test_scores_and_signature(kwargs, corpus):
    assert_class_is_as_sacrebleu_s(BLEU, Theirs, corpus, kwargs)


both = pytest.mark.parametrize(("cls", "theirs"), [(BLEU, Theirs), (CHRF, sacrebleu.metrics.CHRF)])


@both
@pytest.mark.parametrize("wrong", ["a b", [], [None], [1], ["a", None], "", None, [["a"]]])
def test_mistakes(cls, theirs, wrong):
    for given_ in ((wrong, [["a"]]), (["a"], wrong), (["a"], [wrong])):
        found, expected = (called(kind().corpus_score, *given_) for kind in (cls, theirs))
        assert_same_as_sacrebleu(found, expected, words=False)


@both
def test_bootstrap_and_paired_test(cls, theirs):
    rng = np.random.default_rng(3)
    reference = [" ".join(rng.choice(list("abcdef."), 12)) for _ in range(40)]
    systems = [[" ".join(rng.choice(list("abcdef."), 12)) for _ in range(40)] for _ in range(2)]
    results = []
    for kind in (cls, theirs):
        metric = kind(references=[reference])
        score = metric.corpus_score(systems[0], None, n_bootstrap=50)
        named = [(f"s{number}", system) for number, system in enumerate(systems)]
        test = PairedTest(named, {"it": kind(references=[reference])}, None, test_type="bs", n_samples=50)
        signatures, outcome = test()
        results.append((vars(score), str(metric.get_signature()), str(signatures), str(outcome)))
    assert results[0] == results[1]


@both
def test_another_way_to_make_tokens_is_left_alone(cls, theirs):
    def the_same(self, sent):
        return "the same"

    ours, other = (type("Other", (base,), {"_preprocess_segment": the_same})() for base in (cls, theirs))
    assert isinstance(ours, theirs)
    assert vars(ours.corpus_score(["a b c d"], [["x y"]])) == vars(other.corpus_score(["a b c d"], [["x y"]]))


def test_it_warns_of_tokenised_text(caplog):
    texts = ["a ."] * 100
    BLEU(references=[texts]).corpus_score(texts, None)
    assert [record.message[:10] for record in caplog.records] == ["That's 100", "It looks l", "If you ins"]
    caplog.clear()
    BLEU(force=True).corpus_score(texts, [texts])
    assert not caplog.records


def test_installation():
    theirs = sacrebleu.BLEU
    with install_as_sacrebleu():
        for place in (sacrebleu, sacrebleu.metrics, sacrebleu.metrics.bleu, sacrebleu.compat):
            assert place.BLEU is BLEU
        assert sacrebleu.metrics.METRICS["BLEU"] is BLEU
        inner = install_as_sacrebleu()
        inner.undo()
        inner.undo()
        assert sacrebleu.BLEU is BLEU
        assert vars(sacrebleu.corpus_bleu(["a b."], [["a b."]])) == vars(theirs().corpus_score(["a b."], [["a b."]]))
    assert sacrebleu.BLEU is sacrebleu.metrics.METRICS["BLEU"] is theirs


def test_a_script_runs_with_it(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nimport sacrebleu\nprint(sacrebleu.BLEU.__module__, sys.argv[1:])\n"
        "print(sacrebleu.corpus_bleu(['The cat sat on it.'], [['The cat sat on it.']]).score)\n"
    )
    run = [sys.executable, "-m", "cybleu", "run-as-sacrebleu"]
    done = subprocess.run([*run, str(script), "x"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("cybleu.sacrebleu_compat.metric ['x']\n100.0")
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 2 and "run-as-sacrebleu (SCRIPT" in done.stderr
