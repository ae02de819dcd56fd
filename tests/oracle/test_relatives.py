"""Compare other BLEU implementations with their formulas on counts."""

import math
import sys

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

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
    return cybleu.rows(hypotheses, references, max_order=ORDER, reference_length=VARIANTS[variant].reference_length)


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


@given(SEGMENTS)
@example([([], [["a"]]), (["a"], [["a"], ["a", "b", "c"]])])
def test_scores_of_sentences_and_corpora(segments):
    for name, formula in (("coco", coco), ("codexglue", lambda row: 100 * codexglue(row))):
        rows = counted(segments, name)
        assert scores(rows, name, level="sentence").tolist() == [formula(row) for row in rows.tolist()]
        assert score(rows, name, level="corpus").score == formula(rows.sum(axis=0).tolist())
    rows = counted(segments, "coco")
    for order in (1, 2, 3):
        assert score(rows[:, [0, 1, *range(2, 2 + order), *range(6, 6 + order)]], "coco").score == coco(
            rows.sum(axis=0).tolist(), order
        )
    for smooth, _, _ in VARIANTS["ignite"].smoothings:
        choices = {"metric": "ignite", "smoothing": smooth}
        assert scores(rows, level="sentence", **choices).tolist() == [ignite(row, smooth) for row in rows.tolist()]
        total = rows.sum(axis=0).tolist()
        assert score(rows, level="corpus", **choices).score == ignite(total, smooth, single=False)
    for name, smooth in (("torchmetrics", False), ("torchmetrics:smooth", True), ("torchtext", False)):
        expected = torchmetrics(rows.sum(axis=0).tolist(), smooth)
        assert score(rows, name).score == pytest.approx(expected, rel=1e-14)
    expected = tensor2tensor(rows.sum(axis=0).tolist())
    assert score(rows, "tensor2tensor").score == pytest.approx(expected, rel=1e-14)
    rows = counted(segments, "huggingface")
    assert rows[:, 1].tolist() == [min(map(len, references)) for _, references in segments]
    for smooth in (False, True) if rows[:, 0].any() and rows[:, 1].any() else ():
        found = score(rows, "huggingface", smoothing="smooth" if smooth else "none").score
        assert found == huggingface(rows.sum(axis=0).tolist(), smooth)


@given(SEGMENTS)
def test_the_mean_of_segments(segments):
    rows = counted(segments, "codexglue")
    total = 0.0
    for row in rows.tolist():
        total += codexglue(row)
    found = score(rows, "codexglue")
    assert found.score == total * 100.0 / len(rows)
    assert "|level:mean" in found.signature
    rows = counted(segments, "ignite")
    for smooth, _, _ in VARIANTS["ignite"].smoothings:
        total = 0.0
        for row in rows.tolist():
            total += ignite(row, smooth)
        assert score(rows, f"ignite:{smooth}").score == total / len(rows)
    for name in ("nltk:method1", "sacrebleu", "multi-bleu", "moses:add"):
        of_segments = scores(rows, find(name).of_sentences()).tolist()
        try:
            found = score(rows, name, level="mean")
        except errors.EmptyHypothesisError:
            assert name == "multi-bleu" and not rows[:, 0].all()
            continue
        assert found.score == pytest.approx(sum(of_segments) / len(rows), rel=1e-14)
        assert "|level:mean" in found.signature
        assert score(rows.tolist(), name, level="mean") == found


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
