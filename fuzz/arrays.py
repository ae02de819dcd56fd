"""Batches of arrays: kernels, mirror and a plain count on arrays of any dtype, layout and form, valid and invalid."""

from __future__ import annotations

import array
import pickle
import warnings
from itertools import pairwise

import nltk.translate.bleu_score as nltk_bleu
import numpy as np
from harness import Input, counted_row, expect_error, on_both, run

import cybleu
from cybleu import (
    Ragged,
    References,
    Reward,
    SmoothingFunction,
    metrics,
    self_bleu,
)
from cybleu.errors import CybleuError

EDGES = [2**31 - 1, -(2**31), 2**31, -(2**31) - 1, 2**63 - 1, -(2**63), 2**63, -1, 127, 128, 255, 2**32]
DTYPES = ["int64", "int32", "uint8", "int8", "int16", "uint16", "uint32", "uint64"]
OTHER_DTYPES = ["float64", "float16", "bool", "object", "complex64", "S2", "U1", "M8[s]", "i4,i4"]
ORDERS = [4, 2, 1, 3, 5, 8, 16, 17, 64, 65, 300, 0, -1, True, 2.0, None, "2", np.int64(3)]
ODD_TEXTS = [None, [], "a b", 3, [2**70], [1.5], ["a"], {1: 2}, b"ab", np.arange(3), [[1]]]
NAMES = [name for name in metrics.VARIANTS if name != "nltk-3.2"]


def an_id(take: Input) -> int:
    return take.choice(EDGES) if take.below(8) == 0 else take.below(5)


def a_text(take: Input) -> list[int]:
    tokens = take.list(7, lambda: an_id(take))
    if tokens and take.below(4) == 0:
        tokens = tokens * take.number(1, 40)
    return tokens


def as_array(take: Input, values, dtype=None):
    """The values as an array of a dtype that fits, or rarely of another kind, in some layout."""
    values = np.array(values, dtype=object)
    if dtype is None:
        dtype = take.choice(DTYPES if take.below(16) else OTHER_DTYPES)
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        if any(not limits.min <= value <= limits.max for value in values.ravel()):
            kind = np.dtype(np.int64)
            values = np.vectorize(lambda value: max(min(value, 2**63 - 1), -(2**63)), otypes=[object])(values)
        result = values.astype(kind)
    elif kind.names or kind.kind == "M":
        result = np.zeros(values.shape, kind)
    else:
        result = (values % 2).astype(kind)
    return laid_out(take, result)


def laid_out(take: Input, plain):
    layout = take.below(11)
    if layout == 1:
        return plain.astype(plain.dtype.newbyteorder())
    if layout == 2:
        wide = np.zeros([2 * size for size in plain.shape], plain.dtype)
        view = wide[tuple(slice(None, None, 2) for _ in plain.shape)]
        view[...] = plain
        return view
    if layout == 3:
        return plain[::-1].copy()[::-1]
    if layout == 4:
        return np.asfortranarray(plain)
    if layout == 5 and not plain.dtype.hasobject:
        return np.frombuffer(b"\0" + plain.tobytes(), plain.dtype, plain.size, 1).reshape(plain.shape)
    if layout == 6:
        plain.flags.writeable = False
    if layout == 7 and plain.dtype.kind in "iu":
        return memoryview(plain)
    if layout == 8 and plain.ndim == 1 and plain.dtype.kind in "iu":
        code = {1: "b", 2: "h", 4: "i", 8: "q"}[plain.itemsize]
        return array.array(code if plain.dtype.kind == "i" else code.upper(), plain.tolist())
    if layout == 9 and len(plain):
        return np.broadcast_to(plain[:1], plain.shape)
    if layout == 10:
        return plain.ravel() if take.flag() else plain[..., np.newaxis]
    return plain


def values_of(thing):
    """The numbers of an array, by NumPy's own conversion."""
    return np.asarray(thing).tolist()


def batch(take: Input, texts):
    """Texts in one of the forms of a batch; their ids, or None if it is invalid; `lengths`."""
    form = take.below(5)
    if form == 0:
        return [list(text) for text in texts], texts, None
    if form == 1:
        arrays = [as_array(take, text) for text in texts]
        return arrays, None if any(np.asarray(part).ndim != 1 for part in arrays) else [*map(values_of, arrays)], None
    if form == 2:
        offsets = np.cumsum([0, *map(len, texts)])
        if take.below(8) == 0:
            offsets[take.below(len(offsets))] = take.choice([-1, 0, 3, 2**40])
        ids = as_array(take, [token for text in texts for token in text])
        ends = as_array(take, offsets)
        said = values_of(ends)
        ragged = np.asarray(ids).ndim == 1 == np.asarray(ends).ndim and all(type(end) is int for end in said)
        right = ragged and said and said[0] == 0 and said[-1] == len(ids) and said == sorted(said)
        tokens = values_of(ids)
        return Ragged(ids, ends), [tokens[a:b] for a, b in pairwise(said)] if right else None, None
    width = max(map(len, texts), default=0) + take.below(3)
    table = as_array(take, [[*text, *[0] * (width - len(text))] for text in texts] or np.zeros((0, width), int))
    if np.asarray(table).ndim != 2:
        return table, None, None
    rows = values_of(table)
    if form == 3:
        return table, rows, None
    lengths = [len(text) for text in texts]
    if lengths and take.below(8) == 0:
        lengths[take.below(len(lengths))] = take.choice([-1, 0, 100, 2**40, 2**63])
    given = lengths if take.flag() else as_array(take, lengths)
    said = values_of(given)
    right = np.asarray(given).ndim == 1 and all(type(size) is int and 0 <= size <= width for size in said)
    return table, [row[:size] for row, size in zip(rows, said)] if right and len(said) == len(rows) else None, given


def trimmed(tokens, pad, eos):
    tokens = list(tokens)
    while pad is not None and tokens and tokens[0] == pad:
        del tokens[0]
    if eos is not None and eos in tokens:
        del tokens[tokens.index(eos) :]
    while pad is not None and tokens and tokens[-1] == pad:
        del tokens[-1]
    return tokens


def are_ids(texts) -> bool:
    return all(type(token) is int and -(2**63) <= token < 2**63 for text in texts for token in text)


def expect(found, value, arguments):
    """Compare with a plain count if the input is valid; expect one of cybleu's exceptions if not."""
    if found.error is not None:
        raise AssertionError(f"an error for what is right: {arguments}") from found.error
    if not np.array_equal(found.value, value, equal_nan=True):
        raise AssertionError(f"{found.value}\nby hand {value}\nfor {arguments}")


def statistics(take: Input):
    order = take.choice(ORDERS[: 18 if take.below(8) == 0 else 6])
    pad, eos, unk = (an_id(take) if take.below(3) == 0 else None for _ in range(3))
    references, said, lengths = batch(take, take.list(5, lambda: a_text(take)))
    one_each = isinstance(references, (np.ndarray, memoryview, tuple, array.array))
    if one_each or said is None:
        sets = said and [[text] for text in said]
    else:
        cuts = sorted({0, len(references), *take.list(3, lambda: take.number(0, len(references)))})
        references = [references[a:b] for a, b in pairwise(cuts)]
        sets = [said[a:b] for a, b in pairwise(cuts)]
    count = len(sets or [])
    texts = take.list(6, lambda: a_text(take)) if take.flag() else [a_text(take) for _ in range(count)]
    hypotheses, said, hypothesis_lengths = batch(take, texts)
    owner = None
    owners = list(range(len(said or [])))
    if take.flag():
        owners = [take.below(count or 1) if take.below(16) else take.choice([-1, count, 2**40]) for _ in texts]
        owner = owners if take.flag() else as_array(take, owners)
        owners = values_of(owner)
    arguments = references, hypotheses, order, owner, pad, eos, unk
    settings = {"lengths": hypothesis_lengths, "owner": owner}
    kind = take.below(4)
    if kind == 0:
        kwargs = {"reference_lengths": lengths, "pad_id": pad, "eos_id": eos, "unk_id": unk}
        found = on_both(cybleu.rows, hypotheses, references, max_order=order, **settings, **kwargs)
    elif kind == 1:
        kwargs = {"reference_lengths": lengths, "pad_id": pad, "eos_id": eos, "unk_id": unk}
        found = on_both(cybleu.reward_scores, hypotheses, references, **settings, **kwargs)
        order = 4
    else:

        def prepared():
            made = References(references, lengths=lengths, pad_id=pad, eos_id=eos, unk_id=unk)
            if kind == 3:
                made = pickle.loads(pickle.dumps(made))
            return cybleu.rows(hypotheses, made, max_order=order, **settings, threads=take_threads)

        take_threads = take.choice([None, 1, 2])
        found = on_both(prepared)
    expect_error(found, CybleuError)
    if found.error is not None or sets is None or said is None:
        return
    if not (are_ids(said) and all(map(are_ids, sets)) and type(order) is int and order > 0):
        return
    rows = []
    for tokens, place in zip(said, owners):
        fresh = iter(range(2**64, 2**64 + 10000))
        tokens = [next(fresh) if token == unk else token for token in trimmed(tokens, pad, eos)]
        rows.append(counted_row([trimmed(text, pad, eos) for text in sets[place]], tokens, order))
    if kind == 1:
        rows = [metrics.score(row, effective_order=True).score / 100 for row in rows]
        expect(found, np.array(rows).astype(np.float32), arguments)
    else:
        expect(found, np.array(rows, dtype=np.int64).reshape(len(rows), 2 + 2 * order), arguments)


def pairs(take: Input):
    references, said, lengths = batch(take, take.list(6, lambda: a_text(take)))
    hypotheses, hyps = None, said
    if take.flag():
        hypotheses, hyps, other = batch(take, take.list(6, lambda: a_text(take)))
        lengths = other if lengths is None else lengths
    pad, eos = (an_id(take) if take.below(3) == 0 else None for _ in range(2))
    order = take.choice(ORDERS[: 18 if take.below(8) == 0 else 7])
    name = take.choice(NAMES)
    smoothing = take.choice([kind for kind, _, _ in metrics.VARIANTS[name].smoothings])
    threads = take.choice([None, 2])
    given = (references,) if hypotheses is None else (hypotheses, references)
    found = on_both(
        cybleu.pairs,
        *given,
        metric=name,
        smoothing=smoothing,
        max_order=order,
        pad_id=pad,
        eos_id=eos,
        threads=threads,
    )
    expect_error(found, CybleuError)
    if found.error is not None or said is None or hyps is None or lengths is not None:
        return
    if not (are_ids(said) and are_ids(hyps) and type(order) is int):
        return
    metric = metrics.find(name, smoothing=smoothing, level="sentence")
    expected = [
        [
            metric.score(counted_row([trimmed(reference, pad, eos)], trimmed(hypothesis, pad, eos), order)).score
            for reference in said
        ]
        for hypothesis in hyps
    ]
    expect(found, np.array(expected).reshape(len(hyps), len(said)), (references, hypotheses, name, smoothing, order))


def each_other(take: Input):
    texts, said, lengths = batch(take, take.list(6, lambda: a_text(take)))
    pad, eos = (an_id(take) if take.below(3) == 0 else None for _ in range(2))
    weights = (1 / take.number(1, 6),) * take.number(1, 6)
    method = f"method{take.below(5)}"
    found = on_both(self_bleu, texts, weights, getattr(SmoothingFunction(), method), pad_id=pad, eos_id=eos)
    if found.error is not None:
        expect_error(found._replace(warned=[]), CybleuError)
        return
    if said is None or lengths is not None or not are_ids(said):
        return
    said = [trimmed(text, pad, eos) for text in said]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [
            nltk_bleu.sentence_bleu(
                said[:place] + said[place + 1 :], text, weights, getattr(nltk_bleu.SmoothingFunction(), method)
            )
            for place, text in enumerate(said)
        ]
    expect(found, np.array(expected, dtype=float), (texts, weights, method))


def column(take: Input):
    """Call the reward function as a trainer does."""
    sets = take.list(4, lambda: take.list(3, lambda: a_text(take)))
    completions = [a_text(take) if take.below(8) else take.choice(ODD_TEXTS) for _ in sets]
    if sets and take.below(4) == 0:
        sets[take.below(len(sets))] = take.choice([*ODD_TEXTS, *([text] for text in ODD_TEXTS)])
    eos_id = an_id(take) if take.flag() else None

    def reward():
        with warnings.catch_warnings():  # about rows without references
            warnings.simplefilter("ignore")
            return Reward(column="r", eos_id=eos_id)(completion_ids=completions, r=sets)

    expect_error(on_both(reward), CybleuError)


run(lambda take: (statistics, pairs, each_other, column)[take.below(4)](take))
