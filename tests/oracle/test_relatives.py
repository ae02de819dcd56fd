"""Compare other BLEU implementations with their formulas on counts."""

import math
import sys
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, example, given, strategies as st

import cybleu
from cybleu import errors, score, scores
from cybleu.metrics import VARIANTS, Bleu, find
from cybleu.significance import compare_systems

ORDER = 4
TEXTS = st.lists(st.sampled_from("abcd"), max_size=9)
SEGMENTS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=6)


def counted(segments, variant):
    references = [list(texts) for _, texts in segments]
    hypotheses = [text for text, _ in segments]
    return cybleu.rows(hypotheses, references, max_order=ORDER, reference_length=find(variant).reference_length)


def parts(row):
    return row[0], row[1], row[2:6], row[6:]


def coco(row, order=ORDER):
    hyp, ref, matches, totals = parts(row)
    bleu = 1.0
    for k in range(order):
        bleu *= float(matches[k] + 1e-15) / (totals[k] + 1e-9)
    bleu = bleu ** (1.0 / order)
    ratio = (hyp + 1e-15) / (ref + 1e-9)
    return bleu * math.exp(1 - 1 / ratio) if ratio < 1 else bleu


def codexglue(row):
    hyp, ref, matches, totals = parts(row)
    logs = 0.0
    for k in range(ORDER):
        add = int(k > 0)
        tiny = sys.float_info.min
        logs += math.log(matches[k] + add + tiny) - math.log(totals[k] + add + tiny)
    logs /= float(ORDER)
    return math.exp(logs + min(0, 1 - float(ref + 1) / (hyp + 1)))


def ignite(row, smooth, single=True):
    hyp, ref, matches, totals = parts(row)
    if matches[0] == 0 or (smooth == "no_smooth" and min(matches) == 0):
        return 0.0
    penalty = math.exp(1 - ref / hyp) if hyp < ref else 1.0
    at_least_one = [max(1, total) for total in totals]
    if smooth == "smooth1":
        precisions = [m / t if m else 0.1 / t for m, t in zip(matches, at_least_one)]
    elif smooth == "no_smooth":
        number = np.float32 if single else np.float64
        precisions = [float(number(1) / number(t) * number(m)) for m, t in zip(matches, at_least_one)]
    else:
        bottoms = at_least_one if smooth == "nltk_smooth2" else totals
        precisions = [(m + 1) / (t + 1) if i else m / t for i, (m, t) in enumerate(zip(matches, bottoms))]
    return penalty * math.exp(math.fsum([0.25 * math.log(p) for p in precisions]))


def torchmetrics(row, smooth):
    hyp, ref, matches, totals = parts(row)
    if min(matches) == 0:
        return 0.0
    precisions = [(m + 1) / (t + 1) if smooth and i else m / t for i, (m, t) in enumerate(zip(matches, totals))]
    penalty = 1.0 if hyp > ref else math.exp(1 - ref / hyp)
    return penalty * math.exp(sum([0.25 * math.log(p) for p in precisions]))


def tensor2tensor(row):
    hyp, ref, matches, totals = parts(row)
    precisions = [0.0] * ORDER
    smooth = 1.0
    for i in range(ORDER):
        if totals[i] > 0:
            if matches[i] > 0:
                precisions[i] = matches[i] / totals[i]
            else:
                smooth *= 2
                precisions[i] = 1.0 / (smooth * totals[i])
    mean = math.exp(sum(math.log(p) for p in precisions if p) / ORDER) if max(precisions) > 0 else 0
    ratio = hyp / ref if ref else 1.0
    return mean * (math.exp(1 - 1.0 / ratio) if 0 < ratio < 1 else float(ratio >= 1))


def huggingface(row, smooth):
    """`compute_bleu` of TensorFlow's nmt, which Hugging Face's `bleu` calls."""
    hyp, ref, matches, totals = parts(row)
    precisions = [(m + 1) / (t + 1) if smooth else m / t if t else 0.0 for m, t in zip(matches, totals)]
    mean = math.exp(sum(1 / ORDER * math.log(p) for p in precisions)) if min(precisions) > 0 else 0
    ratio = float(hyp) / ref
    return mean * (1.0 if ratio > 1 else math.exp(1 - 1 / ratio))


SMOOTHINGS_OF_IGNITE = [name for name, _, _ in VARIANTS["ignite"].smoothings]
OF_SENTENCES = {"coco": coco, "codexglue": codexglue} | {
    f"ignite:{smooth}": partial(ignite, smooth=smooth) for smooth in SMOOTHINGS_OF_IGNITE
}
OF_CORPORA = {
    **OF_SENTENCES,
    "ignite:no_smooth": partial(ignite, smooth="no_smooth", single=False),
    "huggingface": partial(huggingface, smooth=False),
    "huggingface:smooth": partial(huggingface, smooth=True),
}
# Tools that sum logarithms in single precision, or in another order.
NEARLY = {
    "torchmetrics": partial(torchmetrics, smooth=False),
    "torchmetrics:smooth": partial(torchmetrics, smooth=True),
    "torchtext": partial(torchmetrics, smooth=False),
    "tensor2tensor": tensor2tensor,
}


@pytest.mark.parametrize("name", OF_SENTENCES)
@given(SEGMENTS)
@example([([], [["a"]]), (["a"], [["a"], ["a", "b", "c"]])])
def test_scores_of_sentences(name, segments):
    rows = counted(segments, name)
    expected = [find(name).scale * OF_SENTENCES[name](row) for row in rows.tolist()]
    assert scores(rows, name, level="sentence").tolist() == expected


@pytest.mark.parametrize("name", OF_CORPORA)
@given(SEGMENTS)
@example([([], [["a"]]), (["a"], [["a"], ["a", "b", "c"]])])
def test_scores_of_corpora(name, segments):
    rows = counted(segments, name)
    assume("huggingface" not in name or rows[:, :2].any(axis=0).all())  # it divides by both lengths
    total = rows.sum(axis=0).tolist()
    assert score(rows, name, level="corpus").score == find(name).scale * OF_CORPORA[name](total)


def test_huggingface_compares_with_the_shortest_reference():
    assert find("huggingface").rows([["a"] * 3], [[["a"] * 4, ["a"]]])[0, 1] == 1


@pytest.mark.parametrize("name", NEARLY)
@given(SEGMENTS)
@example([([], [["a"]]), (["a"], [["a"], ["a", "b", "c"]])])
def test_scores_of_corpora_to_the_last_digits(name, segments):
    rows = counted(segments, name)
    assert score(rows, name).score == pytest.approx(NEARLY[name](rows.sum(axis=0).tolist()), rel=1e-14)


@pytest.mark.parametrize("order", [1, 2, 3])
@given(SEGMENTS)
def test_coco_of_fewer_orders(order, segments):
    rows = counted(segments, "coco")
    fewer = rows[:, [0, 1, *range(2, 2 + order), *range(6, 6 + order)]]
    assert score(fewer, "coco").score == coco(rows.sum(axis=0).tolist(), order)


@pytest.mark.parametrize("name", ["codexglue", *(f"ignite:{smooth}" for smooth in SMOOTHINGS_OF_IGNITE)])
@given(SEGMENTS)
def test_scores_that_are_means_of_segments(name, segments):
    rows = counted(segments, name)
    total = 0.0
    for row in rows.tolist():
        total += OF_SENTENCES[name](row)
    assert score(rows, name).score == total * find(name).scale / len(rows)


@pytest.mark.parametrize("name", ["nltk:method1", "sacrebleu", "multi-bleu", "moses:add"])
@given(SEGMENTS)
def test_the_mean_of_the_scores_of_sentences(name, segments):
    rows = counted(segments, "codexglue")
    assume(name != "multi-bleu" or rows[:, 0].all())  # it fails without a token
    found = score(rows, name, level="mean")
    assert found.score == pytest.approx(scores(rows, find(name).of_sentences()).mean(), rel=1e-14)
    assert "|level:mean" in found.signature


def test_a_mean_is_of_rows():
    row = [5, 5, 4, 2, 1, 0, 5, 4, 3, 2]
    assert score(row, "codexglue").score == scores(np.array([row]), "codexglue")[0]
    assert Bleu("codexglue").level == "mean" and Bleu("coco").level == "corpus"
    rows = np.array([row, row, row])
    with pytest.raises(errors.StatisticsError, match="no sum of their rows has"):
        compare_systems({"one": rows, "two": rows}, "codexglue")
    for name in ("coco", "codexglue"):
        with pytest.raises(errors.StatisticsError, match="equal weights"):
            score(row, name, weights=(0.4, 0.3, 0.2, 0.1), level="corpus")
