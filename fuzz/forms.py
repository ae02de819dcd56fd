"""Other forms of the same texts and numbers, prepared references, rules of other tools.

The oracles: the same call with plain lists and NumPy's own masks; counting by hand; the formulas of mteval-v13a.pl and
multi-bleu.perl, and the tokens of ``bytes.split``, written here from the scripts.
"""

from __future__ import annotations

import math

import numpy as np
import pandas
from harness import Input, counted_row, on_both, run, same_value

import cybleu
from cybleu import (
    References,
    metrics,
    self_bleu,
    sentence_bleu_many,
)
from cybleu.errors import ArrayValueError, CybleuError
from cybleu.nbest import NBest
from cybleu.rerank import mbr, nbest_sorted
from cybleu.text import tokenizer
from inputs import Labelled

NAMES = [name for name in metrics.VARIANTS if name not in ("nltk-3.2", "multi-bleu", "huggingface")]
WORDS = ["a", "b", "c", "é", ""]
CHARACTERS = " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u2003\u3000\ufeff\u200babcé猫\ud800"


def of_objects(values):
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


def series(values):
    return pandas.Series(of_objects(list(values)), index=range(len(values))[::-1], dtype=object)


def part_of_series(values):
    return pandas.Series(of_objects([None, *values]), dtype=object)[1:]


COLUMNS = [list, tuple, Labelled, of_objects, series, part_of_series]
SCALARS = [int, np.int64, np.int16]


def text(take: Input, ids: bool):
    return take.list(7, (lambda: take.below(4)) if ids else lambda: take.choice(WORDS))


def in_form(take: Input, tokens, ids: bool):
    """A text in another form."""
    kind = take.choice(SCALARS) if ids else str
    tokens = [kind(token) for token in tokens]
    return take.choice(COLUMNS)(tokens)


def same_as_plain(take: Input):
    """Labels and forms do not change results."""
    ids = take.flag()
    sets = take.list(4, lambda: [text(take, ids) for _ in range(take.number(1, 3))])
    hypotheses = [text(take, ids) for _ in sets]
    column, of_sets = take.choice(COLUMNS), take.choice(COLUMNS)
    groups = COLUMNS[:-2] if of_sets in (list, tuple) else COLUMNS  # a list of Series is a list of columns
    odd_sets = of_sets([take.choice(groups)([in_form(take, one, ids) for one in group]) for group in sets])
    odd_hypotheses = column([in_form(take, one, ids) for one in hypotheses])
    weights = [1 / take.number(1, 3) for _ in range(take.number(1, 4))]
    odd_weights = take.choice([*COLUMNS[:-1], lambda values: pandas.Series(values, index=range(7, 7 + len(values)))])(
        weights
    )
    owner = list(range(len(sets)))
    odd_owner = take.choice([list, tuple, np.array, series, lambda values: [np.array(value) for value in values]])(
        owner
    )
    name = take.choice(NAMES)

    calls = [
        lambda refs, hyps, *_: cybleu.rows(hyps, refs),
        lambda refs, hyps, w, places: cybleu.rows(hyps, References(refs), owner=places),
        lambda refs, hyps, w, places: cybleu.reward_scores(hyps, refs, places, metric=name),
        lambda refs, hyps, w, _: sentence_bleu_many(refs, hyps, w),
        lambda refs, hyps, *_: cybleu.pairs(hyps, metric=name),
        lambda refs, hyps, w, _: self_bleu(hyps, w),
        lambda refs, hyps, *_: mbr([hyps], metric=name).scores,
    ]
    call = take.choice(calls)
    plain = on_both(call, sets, hypotheses, weights, owner)
    odd = on_both(call, odd_sets, odd_hypotheses, odd_weights, odd_owner)
    if plain.error is None and call is calls[0]:
        rows = [counted_row(group, one, 4) for group, one in zip(sets, hypotheses)]
        assert plain.value.tolist() == rows, (sets, hypotheses)
    if type(plain.error) is not type(odd.error) or not same_value(plain.value, odd.value) or plain.warned != odd.warned:
        raise AssertionError(f"{odd}\nfor plain lists {plain}\nof {odd_sets!r} {odd_hypotheses!r}") from odd.error


def prepared_or_not(take: Input):
    """Prepared references give the same results for any metric, also after others."""
    ids = take.flag()
    sets = [[text(take, ids) for _ in range(take.number(1, 3))] for _ in range(take.number(1, 3))]
    hypotheses = [text(take, ids) for _ in sets]

    def options():
        chosen = {"metric": take.choice([*NAMES, "huggingface", "gleu"])}
        if chosen["metric"] != "gleu" and take.flag():
            chosen["max_order"] = take.number(1, 5)
        if chosen["metric"] != "gleu" and take.flag():
            chosen["reference_length"] = take.choice(["closest", "shortest", "average"])
        return chosen

    prepared = References(sets)
    for choices in (options(), options()):
        for function in (cybleu.rows, cybleu.reward_scores):
            found = on_both(function, hypotheses, prepared, **choices)
            plain = on_both(function, hypotheses, sets, **choices)
            if not same_value(found.value, plain.value) or type(found.error) is not type(plain.error):
                raise AssertionError(f"{found}\nnot prepared {plain}")
    given = take.choice(["pad_id", "eos_id", "unk_id"])
    assert isinstance(on_both(cybleu.reward_scores, hypotheses, prepared, **{given: 1}).error, ArrayValueError)


def masked(take: Input):
    """A mask without entries does not change results; any entry is an error."""
    row = [5, 5, 4, 2, 1, 0, 5, 4, 3, 2]
    ids = np.arange(6).reshape(2, 3)
    calls = [
        (ids, lambda given: cybleu.rows(given, [[[1, 2]], [[3]]])),
        (ids, lambda given: cybleu.rows(ids, given)),
        (ids, lambda given: cybleu.rows(list(given), [[[1, 2]], [[3]]], owner=[0, 1])),
        (ids, lambda given: cybleu.pairs(given)),
        (np.array([0, 1]), lambda given: cybleu.rows(ids, References([[[1]], [[2]]]), owner=given)),
        (np.array([1, 2]), lambda given: cybleu.rows(ids, References(ids), lengths=given)),
        (np.array([row, row]), metrics.scores),
        (np.array([row, row]), lambda given: metrics.score(list(given)).score),
        (np.array([row, row]), lambda given: NBest([0, 2], np.zeros((2, 1)), given).stats),
        (np.array([[1.0], [2.0]]), lambda given: NBest([0, 2], given, [row, row]).features),
        (np.array([1.0, 2.0]), lambda given: NBest([0, 2], [[0.0]] * 2, [row] * 2, model_scores=given).model_scores),
        (np.array([1.0, 2.0]), lambda given: mbr([[["a", "b"], ["a"]]], given).scores),
        (np.array([1.0, 2.0]), lambda given: nbest_sorted(NBest([0, 2], [[0.0]] * 2, [row] * 2), scores=given).index),
        (np.array([0.5, 0.5]), lambda given: metrics.score([*row[:3], 0, *row[6:7], 3], weights=given).score),
    ]
    plain, call = take.choice(calls)
    mask = np.array([take.below(4) == 0 for _ in range(plain.size)]).reshape(plain.shape)
    found = on_both(call, np.ma.array(plain, mask=mask))
    if mask.any():
        assert isinstance(found.error, ArrayValueError) and "masked" in str(found.error), found
    else:
        expected = on_both(call, plain)
        assert expected.error is None and same_value(found.value, expected.value), (found, expected)


def penalty(row) -> float:
    return math.exp(min(0.0, 1 - row[1] / row[0])) if row[0] else 0.0


def of_mteval(row, smooth: bool) -> float:
    """bleu_score and bleu_score_nosmoothing of mteval-v13a.pl."""
    total, factor = 0.0, 1
    for matched, count in zip(row[2:6], row[6:]):
        if not smooth and not matched:
            return 0.0
        if count and not matched:
            factor *= 2
            total += math.log(1 / (factor * count))
        elif count:
            total += math.log(matched / count)
    return math.exp(total / 4) * penalty(row)


def of_multi_bleu(row) -> float | None:
    """multi-bleu.perl; None if it dies."""
    if not row[0]:
        return None if row[1] else 0.0
    if not all(row[2:6]):
        return 0.0
    total = sum(math.log(matched / count) for matched, count in zip(row[2:6], row[6:]))
    return 100 * (math.exp(1 - row[1] / row[0]) if row[0] < row[1] else 1.0) * math.exp(total / 4)


def rules_of_tools(take: Input):
    alphabet = take.number(1, 4)
    segments = [
        ([take.list(8, lambda: take.below(alphabet)) for _ in range(take.number(1, 3))],) * 2
        for _ in range(take.number(1, 4))
    ]
    segments = [
        (sets, take.choice(sets) if take.below(3) == 0 else take.list(8, lambda: take.below(alphabet)))
        for sets, _ in segments
    ]
    rows = [counted_row(sets, hypothesis, 4) for sets, hypothesis in segments]
    total = [sum(column) for column in zip(*rows)]
    for row in (total, rows[0]):
        smooth = take.flag()
        found = on_both(metrics.score, row, "mteval-v13a", smoothing="exp" if smooth else "none")
        if smooth and not (
            row[1] and penalty(row)
        ):  # the script divides by the one and takes the logarithm of the other
            assert isinstance(found.error, CybleuError) and isinstance(found.error, ZeroDivisionError), (found, row)
        else:
            assert math.isclose(found.value.score, of_mteval(row, smooth), rel_tol=1e-12, abs_tol=0), (found, row)
            kernel = on_both(metrics.scores, np.array([row]), "mteval-v13a", smoothing="exp" if smooth else "none")
            assert kernel.value.tolist() == [found.value.score], (kernel, row)
        found, expected = on_both(metrics.score, row, "multi-bleu"), of_multi_bleu(row)
        if expected is None:
            assert isinstance(found.error, CybleuError) and isinstance(found.error, ZeroDivisionError), (found, row)
        else:
            assert math.isclose(found.value.score, expected, rel_tol=1e-12, abs_tol=0), (found, row)
            if row[2:6] == row[6:] and row[0] >= row[1] and all(row[2:6]):
                assert found.value.score == 100, (found, row)


def tokens_of_perl(take: Input):
    """ASCII white space is that of bytes, in strings and in files."""
    line = "".join(take.list(30, lambda: take.choice(CHARACTERS)))
    expected = [token.decode("utf-8", "surrogatepass") for token in line.encode("utf-8", "surrogatepass").split()]
    assert tokenizer("ascii")(line) == expected, line
    assert tokenizer("unicode")(line) == line.split(), line
    reference = "".join(take.list(20, lambda: take.choice(CHARACTERS)))
    found = on_both(lambda: NBest.from_texts([[line]], [[reference]], tokenize="ascii").stats)
    if found.error is not None:
        raise found.error
    row = counted_row([tokenizer("ascii")(reference)], expected, 4)
    assert found.value.tolist() == [row], (line, reference)


run(
    lambda take: take.choice([same_as_plain, same_as_plain, prepared_or_not, masked, rules_of_tools, tokens_of_perl])(
        take
    )
)
