"""Scores of ordinary texts, which all versions of NLTK and sacreBLEU in the session `versions` give."""

import nltk.translate as theirs
import pytest
import sacrebleu
from hypothesis import given, strategies as st

import cybleu.bleu_score
import cybleu.chrf_score
import cybleu.gleu_score
import cybleu.nist_score
from cybleu import sacrebleu_compat

TEXT = st.lists(st.sampled_from("the cat sat on it, 3.5 Ein Ärger 猫 so-so".split()), min_size=6, max_size=12)
SEGMENTS = st.lists(st.tuples(st.lists(TEXT, min_size=2, max_size=2), TEXT), min_size=1, max_size=5)


@pytest.mark.filterwarnings("ignore::UserWarning")  # that an order has no match
@given(SEGMENTS, st.sampled_from([0, 1, 2, 3, 4, 5, 7]))
def test_scores_of_nltk(segments, method):
    references, hypotheses = zip(*segments)
    for ours, module in ((cybleu.bleu_score, theirs.bleu_score), (cybleu.nist_score, theirs.nist_score)):
        options = {}
        if ours is cybleu.bleu_score:
            options["smoothing_function"] = getattr(module.SmoothingFunction(), f"method{method}")
        name = ours.__name__.partition(".")[2].removesuffix("_score")
        for level, texts in (("corpus", (references, hypotheses)), ("sentence", segments[0])):
            function = f"{level}_{name}"
            assert getattr(ours, function)(*texts, **options) == getattr(module, function)(*texts, **options)
    assert cybleu.gleu_score.corpus_gleu(references, hypotheses) == theirs.gleu_score.corpus_gleu(
        references, hypotheses
    )
    firsts = [texts[0] for texts in references]
    assert cybleu.chrf_score.corpus_chrf(firsts, hypotheses) == theirs.chrf_score.corpus_chrf(firsts, hypotheses)


@given(SEGMENTS, st.sampled_from(["13a", "intl", "zh", "char", "none"]))
def test_scores_of_sacrebleu(segments, tokenize):
    hypotheses = [" ".join(text) for _, text in segments]
    streams = [[" ".join(texts[column]) for texts, _ in segments] for column in (0, 1)]
    for function, options in (("corpus_bleu", {"tokenize": tokenize}), ("corpus_chrf", {}), ("corpus_ter", {})):
        ours = getattr(sacrebleu_compat, function)(hypotheses, streams, **options)
        assert vars(ours) == vars(getattr(sacrebleu, function)(hypotheses, streams, **options))
