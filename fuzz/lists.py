"""N-best lists: containers, line searches, tuning and reranking against brute force on tiny lists."""

from __future__ import annotations

import math
import pickle

import numpy as np
from harness import Input, expect_error, on_both, run, same_value

from brute_force import chosen, score_of, tried
from cybleu import _backend, metrics
from cybleu.errors import CybleuError
from cybleu.nbest import NBest, merge
from cybleu.rerank import antioracle, diverse, linear, mbr, nbest_sorted, oracle, perceptron
from cybleu.tuning import kbmira, line_search, tune

SCALES = [1.0, 0.125, 2.0**-60, 2.0**60, 2.0**-1040, 2.0**1000]
METRICS = ["moses", "sacrebleu", "nltk"]
NAMES = [name for name in metrics.VARIANTS if name not in ("nltk-3.2", "multi-bleu", "huggingface")]
WORDS = ["a", "b", "a b", "the cat sat on", "é", ""]


def whole(take: Input, size: int):
    return take.list(size, lambda: take.number(-1, 6))


def any_list(take: Input):
    """The arguments of a list, mostly valid."""
    sizes = take.list(4, lambda: take.below(5))
    count = sum(sizes)
    columns = take.below(4)
    exact = take.flag()
    number = (
        (lambda: float(take.number(-4, 4)))
        if exact
        else (lambda: take.float() if take.below(8) == 0 else take.number(-99, 99) / 7)
    )
    features = np.array([[number() for _ in range(columns)] for _ in range(count)]).reshape(count, columns)
    scale = take.choice(SCALES[:4] if take.below(8) else SCALES)
    with np.errstate(all="ignore"):
        features = features * scale
    order = take.number(1, 3)
    rows = []
    for _ in range(count):
        length = take.below(7)
        totals = [max(0, length - n) for n in range(order)]
        matches = [take.number(0, total) for total in totals]
        rows.append([length, take.below(7), *matches, *totals])
    stats = np.array(rows, dtype=np.int64).reshape(count, 2 + 2 * order)
    offsets = np.cumsum([0, *sizes])
    more = {}
    odd = take.below(24)
    if odd == 0:
        offsets = np.array(whole(take, 5))
    elif odd == 1 and count:
        stats[take.below(count), take.below(2 + order)] = take.choice([-1, 2**62, 2**63 - 1, 99])
    elif odd == 9 and count:
        stats *= take.choice([2**60 + 1, 2**61 + 5, 2**53 + 1])  # each fits int64, but their sum may not
    elif odd == 2:
        stats = stats.astype(take.choice(["float64", "int32", "uint64", "bool", "object", "float16"]))
    elif odd == 3:
        stats = stats[:, :1] / 2
    elif odd == 4:
        more["names"] = take.list(4, lambda: take.choice(["a", "b", "", "a b", 3]))
    elif odd == 5:
        more["index"] = whole(take, 5)
    elif odd == 6:
        more["sparse"] = (
            np.array(whole(take, 5)),
            np.array(whole(take, 5)),
            np.array(whole(take, 5), float),
            ("x", "y"),
        )
    elif odd == 7:
        more["inputs"] = take.choice([0, 5, 2**70, -1])
    elif odd == 8:
        more["ids"] = whole(take, 4)
    else:
        more["model_scores"] = [take.number(-3, 3) for _ in range(count)] if take.flag() else None
        more["texts"] = [take.choice(WORDS) for _ in range(count)] if take.flag() else None
        if take.flag() and count:
            some = [sorted(set(take.list(2, lambda: take.below(2)))) for _ in range(count)]
            flat = [column for one in some for column in one]
            more["sparse"] = (
                np.cumsum([0, *map(len, some)]),
                flat,
                np.array(take.list(len(flat), number) + [1.0] * len(flat))[: len(flat)],
                ("x", "y"),
            )
    return (offsets, features, stats), more, exact and abs(math.log2(scale)) < 100


def values_of(found):
    """A result as plain values, without its lists."""
    if isinstance(found, NBest):
        return found._arguments()
    if hasattr(found, "__dataclass_fields__"):
        fields = [name for name in found.__dataclass_fields__ if name not in ("hypotheses", "nbest")]
        return [values_of(getattr(found, name)) for name in fields]
    if isinstance(found, tuple):
        return tuple(map(values_of, found))
    return found


def call(function, *args, **kwargs):
    found = on_both(lambda: values_of(function(*args, **kwargs)))
    expect_error(found, CybleuError)
    _backend.choose("cython")
    return None if found.error is not None else function(*args, **kwargs)


def weights(take: Input, nbest: NBest, exact: bool):
    number = (lambda: float(take.number(-3, 3))) if exact or take.below(8) else take.float
    return [number() for _ in nbest.names]


def search(take: Input, nbest: NBest, exact: bool):
    start, direction = weights(take, nbest, exact), weights(take, nbest, exact)
    metric = take.choice(METRICS[:2] if take.below(4) else METRICS)
    lower, upper = (
        (float(take.number(-3, 0)), float(take.number(0, 3))) if take.below(4) == 0 else (-math.inf, math.inf)
    )
    found = call(line_search, nbest, start, direction, lower, upper, metric=metric, surface=take.flag())
    if found is None or not exact or metric == "nltk":
        return
    assert found.score == score_of(nbest, found.weights.values(), metric)
    if lower <= 0 <= upper:
        assert found.start_score == score_of(nbest, start, metric)
    if lower < upper and any(start):
        best = max(tried(nbest, start, direction, lower, upper, metric))
        if found.score < best:
            raise AssertionError(f"{found}, and {best} is on {values_of(nbest)} from {start} to {direction}")


def tuned(take: Input, nbest: NBest, exact: bool):
    settings = {"restarts": take.choice([0, 1, 2, 15]), "seed": take.below(9)}
    if take.below(4) == 0 and nbest.names:
        settings["bounds"] = {
            take.choice(nbest.names): (take.choice([-1.0, 0.0, -math.inf]), take.choice([1.0, 2.0, math.inf]))
        }
    if take.below(4) == 0 and nbest.names:
        settings["fixed"] = [take.choice(nbest.names)]
    metric = take.choice(METRICS[:2])
    found = call(tune, nbest, weights(take, nbest, exact), metric=metric, **settings)
    if found is None:
        return
    assert found.score >= found.start_score
    assert found.score == score_of(nbest, found.weights.values(), metric)
    rows = chosen(nbest, found.weights.values())
    assert [row for row in found.chosen.tolist() if row >= 0] == nbest.index[rows].tolist()


def reranked(take: Input, nbest: NBest, exact: bool):
    name = take.choice(NAMES)
    kind = take.below(6)
    if kind == 0:
        given = weights(take, nbest, exact) + ([1.0, -1.0] if nbest.sparse is not None else [])
        found = call(linear, nbest, given)
        if found is not None and nbest.sparse is None:
            assert [row for row in found.rows.tolist() if row >= 0] == chosen(nbest, given)
        call(nbest_sorted, nbest, given)
    elif kind == 1:
        level = take.choice(["sentence", "corpus"])
        best, worst = call(oracle, nbest, level, name), call(antioracle, nbest, level, name)
        if best is not None and worst is not None and level == "sentence":
            for place in range(len(nbest)):
                here = best.scores[nbest.segment(place)]
                if len(here):
                    assert best.scores[best.rows[place]] == here.max() and worst.scores[worst.rows[place]] == here.min()
    elif kind == 2:
        call(kbmira, nbest, iterations=take.number(1, 4), metric=take.choice(METRICS), seed=take.below(4))
    elif kind == 3:
        call(perceptron, nbest, epochs=take.number(1, 3))
    else:
        texts = [take.list(5, lambda: take.choice(WORDS)) for _ in range(take.below(4))]
        if kind == 4:
            call(diverse, texts, take.number(0, 3))
            return
        found = call(
            mbr,
            texts,
            metric=name,
            threads=take.choice([None, 2]),
        )
        if found is not None:
            assert len(found) == len(texts)


def joined(take: Input, nbest: NBest, exact: bool):
    arguments, more, _ = any_list(take)
    try:
        other = NBest(*arguments, **more)
    except CybleuError:
        other = nbest
    found = call(merge, nbest, other, nbest)
    if found is not None:
        same = merge(merge(nbest, other), nbest)
        assert same_value(values_of(same), values_of(found))


def target(take: Input):
    arguments, more, exact = any_list(take)
    nbest = call(NBest, *arguments, **more)
    if nbest is None:
        return
    assert same_value(values_of(pickle.loads(pickle.dumps(nbest))), values_of(nbest))
    exact = exact and nbest.stats.dtype == np.int64
    take.choice([search, search, tuned, reranked, joined])(take, nbest, exact)


run(target)
