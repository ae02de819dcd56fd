"""Arrays of any dtype and layout, columns of any kind, damaged files: both backends give what is right, or one of cybleu's errors."""

import gzip
import pickle
from array import array
from itertools import chain, count, pairwise, product

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

import cybleu
from cybleu import Ragged, References, metrics
from cybleu._files.text import Lines
from cybleu.errors import CybleuError, InputFileError
from cybleu.nbest import NBest, merge, read_segments
from cybleu.rerank import linear, oracle
from cybleu.tuning import kbmira, line_search, read_weights, tune
from inputs import called, counted_row, on_both_backends, unaligned
from nbest_lists import parts_of, sparse_parts
from on_mirror import on_mirror

pytestmark = pytest.mark.thread_unsafe(reason="one process has the mirror")

EDGES = [2**31 - 1, -(2**31), 2**31, -(2**31) - 1, 2**63 - 1, -(2**63), 2**63, -1, 127, 128, 255, 2**32]
DTYPES = ["int64", "int32", "uint8", "int8", "int16", "uint16", "uint32", "uint64"]
OTHER_DTYPES = ["float64", "float16", "bool", "object", "complex64", "S2", "U1", "M8[s]", "i4,i4"]
WRONG_ORDERS = [65, 300, 0, -1, True, 2.0, None, "2"]
VARIANTS = sorted(metrics.VARIANTS)


# ---------------------------------------------------------------------------------------------------------------- arrays


def every_second(plain):
    wide = np.zeros([2 * size for size in plain.shape], plain.dtype)
    view = wide[tuple(slice(None, None, 2) for _ in plain.shape)]
    view[...] = plain
    return view


def read_only(plain):
    plain.flags.writeable = False
    return plain


def buffer(plain):
    """An array of the standard library, where there is one of this type."""
    if plain.ndim > 1 or plain.dtype.kind not in "iu":
        return plain
    code = {1: "b", 2: "h", 4: "i", 8: "q"}[plain.itemsize]
    return array(code if plain.dtype.kind == "i" else code.upper(), plain.tolist())


LAYOUTS = [
    lambda plain: plain,
    lambda plain: plain.astype(plain.dtype.newbyteorder()),
    every_second,
    lambda plain: plain[::-1].copy()[::-1],
    np.asfortranarray,
    lambda plain: unaligned(plain) if plain.dtype.alignment > 1 and plain.size and not plain.dtype.hasobject else plain,
    read_only,
    buffer,
    lambda plain: np.broadcast_to(plain[:1], plain.shape) if len(plain) else plain,
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(0,), (3,), (2, 3), (0, 4)])
def test_the_other_process_has_the_same_arrays(kernels, layout, shape):
    def described():
        view = np.asarray(given)
        flags = view.flags.aligned, view.flags.writeable, view.flags.c_contiguous
        return type(given), view.dtype, view.strides, flags, view.tolist()

    given = layout(np.arange(np.prod(shape), dtype=np.int32).reshape(shape))
    assert on_mirror(described) == described()


SHAPES = [np.ravel, lambda plain: plain[..., np.newaxis]]


@st.composite
def arrays(draw, values):
    """Numbers as an array of a dtype that holds them, or seldom of another kind or shape."""
    odd = draw(st.integers(0, 15)) == 15
    values = np.array(values, dtype=object)
    kind = np.dtype(draw(st.sampled_from(OTHER_DTYPES if odd else DTYPES)))
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        if any(not limits.min <= value <= limits.max for value in values.ravel()):
            kind = np.dtype(np.int64)
            values = np.vectorize(lambda value: max(min(value, 2**63 - 1), -(2**63)), otypes=[object])(values)
        plain = values.astype(kind)
    elif kind.names or kind.kind == "M":
        plain = np.zeros(values.shape, kind)
    else:
        plain = (values % 2).astype(kind)
    return draw(st.sampled_from(LAYOUTS + SHAPES if odd else LAYOUTS))(plain)


def values_of(given):
    """The numbers of an array, as NumPy reads them."""
    return np.asarray(given).tolist()


def are_whole(given):
    return np.asarray(given).dtype.kind in "iu"


an_id = st.integers(0, 4) | st.integers(0, 4) | st.integers(0, 4) | st.sampled_from(EDGES)
some_ids = st.lists(an_id, max_size=7)
texts_of_ids = some_ids | some_ids | st.tuples(some_ids, st.integers(2, 40)).map(lambda drawn: drawn[0] * drawn[1])


@st.composite
def batches(draw, texts, forms=("lists", "arrays", "ragged", "table", "lengths")):
    """Texts in a form of a batch: the batch, the ids that it holds or None if it is not valid, and `lengths`."""
    form = draw(st.sampled_from(forms))
    wrong = draw(st.integers(0, 7)) == 7
    if form == "lists":
        return texts, texts, None
    if form == "arrays":
        batch = [draw(arrays(text)) for text in texts]
        right = all(np.asarray(part).ndim == 1 for part in batch)
        return batch, [*map(values_of, batch)] if right else None, None
    if form == "ragged":
        offsets = np.cumsum([0, *map(len, texts)])
        if wrong:
            offsets[draw(st.integers(0, len(texts)))] = draw(st.sampled_from([-1, 0, 3, 2**40]))
        ids = draw(arrays([token for text in texts for token in text]))
        ends = draw(arrays(offsets))
        tokens = values_of(ids)
        said = values_of(ends)
        right = np.asarray(ids).ndim == 1 == np.asarray(ends).ndim and are_whole(ids) and are_whole(ends)
        right = right and said[0] == 0 and said[-1] == len(tokens) and said == sorted(said)
        return Ragged(ids, ends), [tokens[a:b] for a, b in pairwise(said)] if right else None, None
    width = max(map(len, texts), default=0) + draw(st.integers(0, 2))
    rows = [[*text, *[0] * (width - len(text))] for text in texts]
    table = draw(arrays(np.array(rows, dtype=object).reshape(len(texts), width)))
    if np.asarray(table).ndim != 2:
        return table, None, None
    rows = values_of(table)
    if form == "table":
        return table, rows, None
    lengths = [len(text) for text in texts]
    if lengths and wrong:
        lengths[draw(st.integers(0, len(texts) - 1))] = draw(st.sampled_from([-1, 0, 100, 2**40, 2**63]))
    lengths = draw(st.just(lengths) | arrays(lengths))
    said = values_of(lengths)
    right = are_whole(table) and are_whole(lengths) and np.asarray(lengths).ndim == 1
    right = right and all(0 <= size <= width for size in said)
    return table, [row[:size] for row, size in zip(rows, said)] if right else None, lengths


def trimmed(tokens, pad, eos):
    tokens = list(tokens)
    while pad is not None and tokens and tokens[0] == pad:
        del tokens[0]
    if eos is not None and eos in tokens:
        del tokens[tokens.index(eos) :]
    while pad is not None and tokens and tokens[-1] == pad:
        del tokens[-1]
    return tokens


@pytest.mark.parametrize(("pad", "eos"), [(0, 9), (0, None), (None, 9)], ids=str)
def test_padding_and_the_end_in_every_order(kernels, pad, eos):
    """Each of five tokens is padding, the end, or a token of its own."""
    texts = np.array(list(product(*[(0, 9, 10 + place) for place in range(5)])))
    reference = [10, 11, 12, 13, 14]
    expected = [counted_row([reference], trimmed(text, pad, eos), 4) for text in texts.tolist()]
    options = {"pad_id": pad, "eos_id": eos, "owner": [0] * len(texts)}
    assert on_both_backends(lambda: cybleu.rows(texts, [reference], **options)).tolist() == expected


def are_ids(texts):
    return all(type(token) is int and -(2**63) <= token < 2**63 for text in texts for token in text)


def is_order(order):
    return type(order) is int and 0 < order <= 64


def are_special(*ids):
    return all(number is None or -(2**63) < number < 2**63 for number in ids)


special_id = st.none() | st.none() | an_id


@given(st.data())
def test_rows_and_rewards_of_arrays(kernels, data):
    draw = data.draw
    order = draw(st.sampled_from([4, 2, 1, 3, 5, 8, 16, 17, 64] * 2 + WRONG_ORDERS))
    how = {name: draw(special_id) for name in ("pad_id", "eos_id", "unk_id")}
    pad, eos, unk = how.values()
    references, said, lengths = draw(batches(draw(st.lists(texts_of_ids, max_size=5))))
    sets = said and [[text] for text in said]
    if isinstance(references, list) and said is not None:
        cuts = sorted({0, len(said), *draw(st.lists(st.integers(0, len(said)), max_size=3))})
        references, sets = ([part[a:b] for a, b in pairwise(cuts)] for part in (references, said))
    size = len(sets or [])
    texts = draw(st.lists(texts_of_ids, max_size=6) | st.lists(texts_of_ids, min_size=size, max_size=size))
    hypotheses, said, hypothesis_lengths = draw(batches(texts))
    owner = None
    places = [*range(len(texts))]
    if draw(st.booleans()):
        place = st.integers(0, max(size - 1, 0)) | st.integers(0, max(size - 1, 0)) | st.sampled_from([-1, size, 2**40])
        owner = draw(
            st.lists(place, min_size=len(texts), max_size=len(texts)).flatmap(lambda o: st.just(o) | arrays(o))
        )
        places = values_of(owner)
    settings = {"lengths": hypothesis_lengths, "owner": owner}
    kind = draw(st.sampled_from(["rows", "rewards", "prepared", "pickled"]))
    threads = draw(st.sampled_from([None, 1, 2]))
    rule = draw(st.sampled_from(["closest", "closest-first", "shortest", "average"]))

    def call():
        if kind == "rows":
            return cybleu.rows(
                hypotheses,
                references,
                max_order=order,
                reference_length=rule,
                reference_lengths=lengths,
                **how,
                **settings,
            )
        if kind == "rewards":
            return cybleu.reward_scores(hypotheses, references, reference_lengths=lengths, **how, **settings)
        prepared = References(references, lengths=lengths, **how)
        prepared = pickle.loads(pickle.dumps(prepared)) if kind == "pickled" else prepared
        return cybleu.rows(hypotheses, prepared, max_order=order, reference_length=rule, threads=threads, **settings)

    found = on_both_backends(call)
    wrong = sets is None or said is None or not (are_ids(said) and all(map(are_ids, sets)))
    if found is None:
        owned = all(type(place) is int and 0 <= place < size for place in places) and len(places) == len(said or ())
        owned = owned and (owner is None or are_whole(owner))
        owned = owned and (owner is not None or size == len(places)) and all(sets or ())
        # the id that an unknown one of the references becomes
        reserved = unk is not None and any(-(2**63) in text for text in chain(said or (), *(sets or ())))
        assert wrong or not owned or reserved or not are_special(pad, eos, unk) or not is_order(order)
    if found is None or wrong:
        return
    order = 4 if kind == "rewards" or order is None else order
    rows = []
    for tokens, place in zip(said, places):
        fresh = count(2**64)
        tokens = [next(fresh) if token == unk else token for token in trimmed(tokens, pad, eos)]
        counted_by = "closest" if kind == "rewards" else rule
        rows.append(counted_row([trimmed(text, pad, eos) for text in sets[place]], tokens, order, counted_by))
    if kind == "rewards":
        rewards = [metrics.score(row, effective_order=True).score / 100 for row in rows]
        assert found.tolist() == np.array(rewards, dtype=np.float32).tolist()
    else:
        assert found.tolist() == rows


of_pairs = st.lists(texts_of_ids, max_size=6).flatmap(
    lambda texts: batches(texts, ["lists", "arrays", "ragged", "table"])
)


@given(st.data())
def test_pairs_of_arrays(kernels, data):
    draw = data.draw
    references, said, _ = draw(of_pairs)
    hypotheses = references
    hyps = said
    if draw(st.booleans()):
        hypotheses, hyps, _ = draw(of_pairs)
    pad = draw(special_id)
    eos = draw(special_id)
    order = draw(st.sampled_from([4, 2, 1, 3, 5, 8, 16, 17] * 2 + WRONG_ORDERS))
    name = draw(st.sampled_from(VARIANTS))
    smoothing = draw(st.sampled_from([kind for kind, _, _ in metrics.VARIANTS[name].smoothings]))
    how = {"metric": name, "smoothing": smoothing, "max_order": order, "pad_id": pad, "eos_id": eos}
    texts = (hypotheses,) if hypotheses is references else (hypotheses, references)
    found = on_both_backends(lambda: cybleu.pairs(*texts, threads=2, **how))
    wrong = said is None or hyps is None or not (are_ids(said) and are_ids(hyps))
    assert found is not None or wrong or not are_special(pad, eos) or not is_order(order)
    if found is None or wrong:
        return
    metric = metrics.find(name, smoothing=smoothing, level="sentence", max_order=order or 4)
    said, hyps = ([trimmed(text, pad, eos) for text in texts] for texts in (said, hyps))
    assert found.tolist() == [
        [metric.evaluate(counted_row([reference], hypothesis, order or 4)) for reference in said] for hypothesis in hyps
    ]


# ----------------------------------------------------------------------------------------------------------------- files

LINES = st.sampled_from(
    [
        b"0 ||| a cat ||| lm= 1 d= 0.5 ||| -1\n",
        b"1 ||| \xc3\xa9 ||| lm= 2 d= 1e5 ||| 0\r\n",
        b'["a b", "c"]\n',
        b'{"id": 0, "hypotheses": ["a"]}\n',
        b"lm_0 0.5\n",
        *(b"\n", b"a", b"\xff\n", b"\xef\xbb\xbfa\n", b"\xe7\x8c", b"a\rb\0\n"),
    ]
)
contents = st.lists(LINES, max_size=12).map(b"".join) | st.binary(max_size=40)


@st.composite
def damaged(draw):
    """A compressed file with a part left out, changed, repeated or added, or two files one after the other."""
    data = gzip.compress(draw(contents), draw(st.integers(0, 9)), mtime=0)
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(data)))
        part = draw(st.sampled_from([b"", b"\0", b"\0" * 9, data, data[place:]]) | st.binary(max_size=3))
        data = data[:place] + part + data[place + draw(st.integers(0, 3)) :]
    return data


@given(damaged() | contents)
@example(gzip.compress(b"a\n") + b"\0\0")
@example(gzip.compress(b"a\n") + gzip.compress(b"b"))
@example(gzip.compress(b"a\n") + b"b")
@example(gzip.compress(b"a\n")[:-1])
@example(gzip.compress(b"a\n")[:12])
def test_files_of_any_bytes(kernels, tmp_path_factory, data):
    """The lines are those that Python's own modules give, or the error is cybleu's; readers agree on both backends."""
    path = tmp_path_factory.getbasetemp() / "of any bytes"
    path.write_bytes(data)
    try:
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError, gzip.zlib.error):
        with pytest.raises(InputFileError), Lines(path) as file:
            list(file)
    else:
        lines = text.removesuffix("\n").split("\n") if text else []
        with Lines(path) as file:
            assert list(file) == [line.removesuffix("\r") for line in lines]
    references = [["a cat"], ["b"]]
    for kind in ("moses", "joshua", "json", None):
        on_both_backends(lambda kind=kind: [*read_segments(path, kind)])
        on_both_backends(lambda kind=kind: parts_of(NBest.from_files(path, references, kind)))
    _, error, _ = called(read_weights, path)
    assert error is None or isinstance(error, CybleuError)


# --------------------------------------------------------------------------------------------------------- n-best lists

SCALES = [1.0, 1.0, 0.125, 2.0**-60, 2.0**60, 2.0**-1040, 2.0**1000]
ODD = {
    "offsets": st.lists(st.integers(-1, 6), max_size=5),
    "index": st.lists(st.integers(-1, 6), max_size=5),
    "ids": st.lists(st.integers(-1, 6), max_size=4),
    "names": st.lists(st.sampled_from(["a", "b", "", "a b", 3]), max_size=4),
    "inputs": st.sampled_from([0, 5, 2**70, -1]),
    "sparse": st.tuples(*[st.lists(st.integers(-1, 6), max_size=5).map(np.array)] * 3, st.just(("x", "y"))),
}


@st.composite
def arguments_of_lists(draw):
    """The arguments of an n-best list, and whether they are valid."""
    sizes = draw(st.lists(st.integers(0, 4), max_size=4))
    size = sum(sizes)
    columns = draw(st.integers(0, 3))
    order = draw(st.integers(1, 3))
    number = draw(
        st.sampled_from([st.integers(-4, 4).map(float), st.integers(-99, 99).map(lambda n: n / 7), st.floats()])
    )
    features = np.array([[draw(number) for _ in range(columns)] for _ in range(size)]).reshape(size, columns)
    with np.errstate(all="ignore"):
        features = features * draw(st.sampled_from(SCALES))
    lengths = [draw(st.integers(0, 6)) for _ in range(size)]
    rows = [[length, draw(st.integers(0, 6)), *[max(0, length - n) for n in range(order)] * 2] for length in lengths]
    stats = np.array(rows, dtype=np.int64).reshape(size, 2 + 2 * order)
    stats[:, 2 : 2 + order] //= draw(st.integers(1, 3))
    made = {"offsets": np.cumsum([0, *sizes]), "features": features, "stats": stats}
    right = False
    if draw(st.integers(0, 7)) == 7:
        name = draw(st.sampled_from(sorted(ODD)))
        made[name] = draw(ODD[name])
    elif size and draw(st.integers(0, 7)) == 7:
        stats[draw(st.integers(0, size - 1)), draw(st.integers(0, 1 + order))] = draw(st.sampled_from([-1, 2**62, 99]))
    elif draw(st.booleans()):
        made["sparse"] = sparse_parts(draw, size, number, ["x", "y", "z"])
        right = bool(np.isfinite(features).all() and np.isfinite(made["sparse"][2]).all())
    elif draw(st.integers(0, 7)) == 7:
        made["stats"] = draw(
            st.sampled_from([lambda: stats.astype(float) / 2, lambda: stats[:, :1], lambda: stats * 2**61])
        )()
    else:
        right = bool(np.isfinite(features).all())
    return made, right


@given(arguments_of_lists(), st.data())
def test_lists_of_any_numbers(kernels, drawn, data):
    made, right = drawn
    if on_both_backends(lambda: NBest(**made).features) is None:
        assert not right
        return
    size = len(NBest(**made).names) + len(made["sparse"][3] if "sparse" in made else ())
    numbers = st.lists(st.integers(-3, 3) | st.floats(), min_size=size, max_size=size)
    weights = data.draw(numbers)
    direction = data.draw(numbers)
    metric = data.draw(st.sampled_from(["moses", "sacrebleu", "nltk"]))
    how = {name: data.draw(st.booleans()) for name in ("safe_hope", "model_background", "shuffle", "return_best_dev")}
    how |= {"step": data.draw(st.sampled_from([0.01, 1e3])), "decay": data.draw(st.sampled_from([0.0, 0.999, 1.0]))}
    how["rules"] = data.draw(st.sampled_from(["best", "paper", "moses"]))
    calls = [
        lambda nbest: linear(nbest, weights).scores,
        lambda nbest: linear(nbest, weights).best_first().index,
        lambda nbest: oracle(nbest, "sentence", metric).scores,
        lambda nbest: line_search(nbest, weights, direction, metric=metric),
        lambda nbest: tune(nbest, weights, metric=metric, restarts=1),
        lambda nbest: kbmira(nbest, weights, 2, metric=metric, **how),
        lambda nbest: merge(nbest, pickle.loads(pickle.dumps(nbest))).features,
    ]
    for call in calls:
        on_both_backends(lambda call=call: call(NBest(**made)))
