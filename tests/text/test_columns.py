"""Columns of pyarrow in every layout, against the same texts in lists."""

import ctypes
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cybleu
from cybleu import References
from cybleu.errors import (
    ArrowError,
    LengthMismatchError,
    MixedTokensError,
    NoReferencesError,
    NotUtf8Error,
    SequenceTypeError,
)
from cybleu.rerank import mbr
from cybleu.rewards import Reward
from cybleu.sacrebleu_compat import BLEU, CHRF, corpus_bleu
from refusals import refused

TEXTS = ["string", "large_string", "string_view", "binary", "large_binary", "binary_view"]
ENCODED = ["dictionary", "dictionary of views", "run ends"]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
LISTS = ["list", "large_list", "list_view", "large_list_view"]
SENTENCES = [
    "The cat sat.",
    "",
    "a",
    "It costs 3.5 %, or &quot;less&quot; – naïve 猫",
    "x" * 12,
    "x" * 13,
    "the the the " * 30,
]
sentences = st.sampled_from(SENTENCES)
cuts = st.lists(st.integers(0, 6), max_size=3)


def leaf(pa, values, kind):
    if kind in TEXTS or kind in INTEGERS:
        array = pa.array(values, pa.string() if kind in TEXTS else pa.int64())
        return array.cast(getattr(pa, kind)())
    array = pa.array(values, pa.string())
    if kind == "run ends":
        return pa.compute.run_end_encode(array)
    encoded = array.dictionary_encode()
    if kind == "dictionary":
        return encoded
    return pa.DictionaryArray.from_arrays(encoded.indices, encoded.dictionary.cast(pa.string_view()))


def nested(pa, values, layout, kind):
    """A column of lists, of which null ones are lists without a place in the offsets."""
    sizes = [len(value or ()) for value in values]
    inner = leaf(pa, [entry for value in values for entry in value or ()], kind)
    ends = np.cumsum([0, *sizes])
    mask = pa.array([value is None for value in values], pa.bool_())
    if "view" in layout:
        of = pa.LargeListViewArray if layout.startswith("large") else pa.ListViewArray
        width = pa.int64() if layout.startswith("large") else pa.int32()
        return of.from_arrays(pa.array(ends[:-1], width), pa.array(sizes, width), inner, mask=mask)
    of = pa.LargeListArray if layout == "large_list" else pa.ListArray
    width = pa.int64() if layout == "large_list" else pa.int32()
    return of.from_arrays(pa.array(ends, width), inner, mask=mask)


def spread(pa, values, make, cuts):
    """The values in one array or in several, each a slice of a longer one."""
    if not cuts:
        return make(values)
    places = [0, *sorted(min(cut, len(values)) for cut in cuts), len(values)]
    shift = len(values[:3])
    whole = make([*values[:3], *values, *values[:2]])
    return pa.chunked_array([whole.slice(shift + begin, end - begin) for begin, end in pairwise(places)])


@pytest.mark.parametrize("kind", TEXTS + ENCODED)
@given(segments=st.lists(st.tuples(sentences, sentences), max_size=6), cuts=cuts)
def test_columns_of_texts(pyarrow, kind, segments, cuts):
    hypotheses = [hypothesis for hypothesis, _ in segments]
    references = [reference for _, reference in segments]
    wanted = cybleu.rows(hypotheses, [[reference] for reference in references]).tolist()
    first, second = (
        spread(pyarrow, values, lambda values: leaf(pyarrow, values, kind), cuts) for values in (hypotheses, references)
    )
    assert cybleu.rows(first, second).tolist() == cybleu.rows(first, References(second)).tolist() == wanted


@pytest.mark.parametrize("layout", LISTS)
@given(
    kind=st.sampled_from([*TEXTS, *ENCODED[:2]]),
    sets=st.lists(st.lists(sentences | st.none(), min_size=1, max_size=3).filter(any), max_size=5),
    cuts=cuts,
)
def test_columns_of_sets_of_references(pyarrow, layout, kind, sets, cuts):
    hypotheses = [next(text for text in references if text) for references in sets]
    plain = [[text for text in references if text is not None] for references in sets]
    column = spread(pyarrow, sets, lambda values: nested(pyarrow, values, layout, kind), cuts)
    for arguments in ({}, {"threads": 2}, {"tokenize": str.split}):
        wanted = cybleu.rows(hypotheses, plain, **arguments).tolist()
        assert cybleu.rows(hypotheses, column, **arguments).tolist() == wanted


@pytest.mark.parametrize("layout", LISTS)
@given(
    kind=st.sampled_from([*TEXTS, *ENCODED[:2], *INTEGERS]),
    segments=st.lists(st.tuples(*[st.lists(st.integers(0, 5), max_size=6)] * 3), max_size=5),
    cuts=cuts,
)
def test_columns_of_token_lists_and_of_ids(pyarrow, layout, kind, segments, cuts):
    if kind not in INTEGERS:
        segments = [[[f"token {token}" for token in text] for text in segment] for segment in segments]
    hypotheses = [hypothesis for hypothesis, _, _ in segments]

    def column(values):
        return spread(pyarrow, values, lambda values: nested(pyarrow, values, layout, kind), cuts)

    columns = [column([segment[number] for segment in segments]) for number in range(3)]
    wanted = cybleu.rows(hypotheses, [[first] for _, first, _ in segments]).tolist()
    assert cybleu.rows(columns[0], columns[1]).tolist() == wanted
    sets = [[first, second] for _, first, second in segments]
    wanted = cybleu.rows(hypotheses, sets).tolist()
    if segments:
        assert cybleu.rows(hypotheses, columns[1:]).tolist() == wanted
    if kind in ("string", "int64"):
        inner = getattr(pyarrow, kind)()
        deeper = pyarrow.array(sets, pyarrow.list_(pyarrow.large_list(inner)))
        assert cybleu.rows(columns[0], deeper).tolist() == wanted
        if len(sets) > 1:
            assert cybleu.rows(hypotheses[1:], deeper[1:]).tolist() == wanted[1:]


def test_arrays_of_pyarrow_in_lists(pyarrow):
    tokens = [["a", "b"], ["c"]]
    wanted = cybleu.rows(tokens, tokens).tolist()
    for make in (pyarrow.array, lambda text: pyarrow.chunked_array([text])):
        arrays = list(map(make, tokens))
        assert (
            cybleu.rows(arrays, tokens).tolist()
            == cybleu.rows(tokens, [[array] for array in arrays]).tolist()
            == wanted
        )
    ids = [[1, 2], [3]]
    assert cybleu.rows(list(map(pyarrow.array, ids)), ids).tolist() == wanted


def test_lists_of_a_fixed_size(pyarrow):
    column = pyarrow.array([[1, 2], [3, 4], [5, 6]], pyarrow.list_(pyarrow.int32(), 2))[1:]
    wanted = cybleu.rows([[3, 4], [5, 7]], [[[3, 4]], [[5, 6]]]).tolist()
    assert cybleu.rows([[3, 4], [5, 7]], column).tolist() == wanted


def test_several_columns_tables_and_nulls_among_references(pyarrow):
    hypotheses = ["a b c", "d e f", "g"]
    first = ["a b", "d e f", "x"]
    second = ["c", None, "g h"]
    wanted = cybleu.rows(hypotheses, [["a b", "c"], ["d e f"], ["x", "g h"]]).tolist()
    columns = [pyarrow.array(first), pyarrow.chunked_array([pyarrow.array(second, pyarrow.string_view())])]
    both = pyarrow.table({"first": first, "second": pyarrow.array(second, pyarrow.large_string())})
    for references in (columns, tuple(columns), both, both.to_batches()[0], both.to_reader()):
        assert cybleu.rows(hypotheses, references).tolist() == wanted
    assert cybleu.rows(hypotheses[1:], both.slice(1)).tolist() == wanted[1:]
    several = pyarrow.array([["c"], None, ["g h", None]])
    assert cybleu.rows(hypotheses, [columns[0], several]).tolist() == wanted
    for references in ([pyarrow.nulls(3), columns[0]], [columns[0], pyarrow.nulls(3)]):
        assert cybleu.rows(hypotheses, references).tolist() == cybleu.rows(hypotheses, first).tolist()


def test_empty_columns(pyarrow):
    for empty in (pyarrow.array([], pyarrow.string()), pyarrow.nulls(0), pyarrow.chunked_array([], pyarrow.string())):
        assert cybleu.rows([], empty).shape == cybleu.rows(empty, []).shape == (0, 10)
        assert cybleu.rows(empty, empty).shape == (0, 10)
    lists = [pyarrow.array([], pyarrow.list_(kind)) for kind in (pyarrow.string(), pyarrow.int64())]
    assert cybleu.rows(*lists).shape == (0, 10)
    assert cybleu.rows(pyarrow.array(["", ""]), pyarrow.array(["", ""]))[:, :2].tolist() == [[0, 0]] * 2


@pytest.mark.parametrize("corpus_score", [corpus_bleu, BLEU().corpus_score, CHRF().corpus_score])
def test_functions_of_sacrebleu(pyarrow, corpus_score):
    lines = ["The cat sat on it.", "A dog ran to me.", "The cat sat on me."]
    documents = lines[::-1], [None, lines[1], lines[0]]
    found = corpus_score(pyarrow.array(lines), [*map(pyarrow.array, documents)])
    assert str(found) == str(corpus_score(lines, documents))


def test_rewards(pyarrow):
    lines = ["The cat sat on it.", "A dog ran to me."]
    column = pyarrow.array([[line] for line in lines])
    assert Reward(column="r")(completions=lines, r=column) == [1.0] * 2


def test_references_outlive_their_columns(pyarrow):
    prepared = References(pyarrow.array(["a b c d e"] * 3))
    assert cybleu.rows(pyarrow.array(["a b c d e"] * 3), prepared)[:, 2].tolist() == [5, 5, 5]


# -------------------------------------------------------------------------------------------------------------- errors


TOKENS = [["a"], ["b"], ["c"]]
WITHOUT = r"references\[1\] has no reference"
NULLS = {
    SequenceTypeError: {
        r"hypotheses\[1\] is null; drop": lambda pa: cybleu.rows(pa.array(["a", None, "b"]), TOKENS),
        r"hypotheses\[2\] is null": lambda pa: cybleu.rows(pa.array([["a"], [], None]), [TOKENS[:1]] * 3),
        r"hypotheses\[2\] holds a null": [
            lambda pa: cybleu.rows(pa.array([["a"], [], ["b", None]]), TOKENS),
            lambda pa: cybleu.rows(pa.array([[1], [], [2, None]]), [[1]] * 3),
        ],
        r"references\[2\] holds a null": [
            lambda pa: cybleu.rows(TOKENS, pa.array([["a"], [], ["b", None]])),
            lambda pa: cybleu.rows([[1]] * 3, pa.array([[1], [], [2, None]])),
            lambda pa: cybleu.rows(TOKENS, pa.array([[["a"], ["b"]], [["c"]], [["d", None]]])),
        ],
    },
    NoReferencesError: {
        WITHOUT: [
            *(
                lambda pa, group=group: cybleu.rows(["a"] * 3, pa.array([["a"], group, ["c"]]))
                for group in (None, [], [None])
            ),
            *(
                lambda pa, group=group: cybleu.rows(TOKENS, pa.array([[["a"]], group, [["c"]]]))
                for group in (None, [], [None])
            ),
            lambda pa: cybleu.rows(["a"] * 3, pa.array(["a", None, "b"])),
            lambda pa: cybleu.rows(["a"] * 3, pa.array(["a", None, "b"]).dictionary_encode()),
            lambda pa: cybleu.rows(["a"] * 2, [pa.array(["a", None]), pa.array(["b", None])]),
        ],
        r"references\[0\] has no reference": lambda pa: cybleu.rows(["a"] * 2, pa.nulls(2)),
    },
}
ONE_RAW = r"references.* the hypotheses are raw text|the hypotheses are raw text, and references"
NO_FIT = {
    LengthMismatchError: {
        r"pass \[references\]": lambda pa: cybleu.rows(["a"], pa.array(["a", "b"])),
        "have 2, 1 entries": lambda pa: cybleu.rows(["a", "b"], [pa.array(["a", "b"]), pa.array(["a"])]),
    },
    MixedTokensError: {
        ONE_RAW: [
            lambda pa: cybleu.rows(pa.array(["a", "b"]), pa.array([[["a"]], [["b"]]])),
            lambda pa: cybleu.rows(pa.array(["a", "b"]), pa.array([[1], [2]])),
            lambda pa: cybleu.rows(pa.array(["a", "b"]), [[["a"]], [["b"]]]),
        ],
        "references holds whole numbers": lambda pa: cybleu.rows([[1]], pa.array([1])),
    },
    SequenceTypeError: {
        "'a', 'b'; give one of them": lambda pa: cybleu.rows(pa.table({"a": ["a"], "b": ["b"]}), [["a"]]),
        "hypotheses is a column of whole numbers": lambda pa: cybleu.rows(pa.array([1]), [[[1]]]),
        "lists of lists": [
            lambda pa, nested=nested: cybleu.rows(pa.array(nested), [["a"]])
            for nested in ([[["a"]]], [[[["a"]]]], [[[1]]])
        ],
    },
    ArrowError: {
        "cannot be read": [
            *(
                lambda pa, values=values: cybleu.rows(pa.array(values), ["a"])
                for values in ([1.5], [[1.5]], [{"a": 1.5}], [True])
            ),
            lambda pa: cybleu.rows(pa.array([[2**64 - 1]], pa.list_(pa.uint64())), ["a"]),
        ],
    },
}


@pytest.mark.parametrize(("error", "advice", "call"), refused(NULLS) + refused(NO_FIT))
def test_what_is_refused_of_columns(pyarrow, error, advice, call):
    with pytest.raises(error, match=advice):
        call(pyarrow)


def test_columns_of_tokens_beside_raw_references(pyarrow):
    tokens = [["a", "b", "."], ["b"]]
    for hypotheses in (tokens, pyarrow.array(tokens)):
        for references in ([["a b."], ["c"]], pyarrow.array([["a b."], ["c"]])):
            with pytest.raises(MixedTokensError, match=r"references\[0\] holds raw text, and hypotheses\[0\] tokens"):
                cybleu.rows(hypotheses, references)


def of_bytes(pyarrow, texts, kind="string"):
    """A column of texts, which pyarrow does not look at."""
    data = pyarrow.array(texts, pyarrow.large_binary() if kind.startswith("large") else pyarrow.binary())
    return pyarrow.Array.from_buffers(getattr(pyarrow, kind)(), len(data), data.buffers())


@pytest.mark.parametrize("kind", ["string", "large_string", "binary", "large_binary"])
def test_texts_that_are_not_utf8_are_named(pyarrow, kind):
    wrong = of_bytes(pyarrow, ["é".encode(), b"ab\xff", b"c"], kind)
    match = r"\[1\] is not UTF-8: byte 0xff at position 2"
    for column in (wrong, wrong.dictionary_encode(), pyarrow.chunked_array([wrong[:1], wrong[1:]])):
        with pytest.raises(NotUtf8Error, match=f"hypotheses{match}"):
            cybleu.rows(column, ["a"] * 3)
        with pytest.raises(NotUtf8Error, match=f"references{match}"):
            cybleu.rows(["a"] * 3, column)
    lists = pyarrow.ListArray.from_arrays([0, 1, 3], wrong)
    with pytest.raises(NotUtf8Error, match=f"references{match}"):
        cybleu.rows(["a"] * 2, lists)
    with pytest.raises(NotUtf8Error, match=f"hypotheses{match}"):
        cybleu.rows(lists, [["a"]] * 2)
    if kind == "string":
        with pytest.raises(NotUtf8Error, match=r"\[1\] is not UTF-8"):
            mbr(lists, tokenize=str.split)


def test_a_reader_that_was_consumed(pyarrow):
    reader = pyarrow.table({"text": ["a", "b"]}).to_reader()
    assert len(cybleu.rows(reader, ["a", "b"])) == 2
    with pytest.raises((ArrowError, LengthMismatchError)):
        cybleu.rows(reader, ["a", "b"])


# ------------------------------------------------------------------------------------------------------ spans of a buffer


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview, lambda data: (ctypes.c_ubyte * len(data))(*data)])
def test_spans_of_any_buffer(kernels, make):
    data = b"The cat sat. a b A dog, on the mat."
    begins = np.array([0, 3, 3, 13, 16, 17, 35], dtype=np.int64)
    ends = np.array([12, 3, 16, 16, 16, 35, 35], dtype=np.int64)
    texts = kernels.RawTexts.of_spans(make(data), begins, ends)
    expected = [data[begin:end].decode() for begin, end in zip(begins, ends)]
    assert texts.lists() == expected
    for metric in ("sacrebleu", "chrf"):  # these read some bytes before each line
        rows = cybleu.rows(expected, expected, metric).tolist()
        assert cybleu.rows(texts, expected, metric).tolist() == rows
    assert kernels.RawTexts.of_spans(make(b""), begins[:1], begins[:1]).lists() == [""]
    for begin, end in ((-1, 2), (3, 2), (0, 36), (36, 36)):
        with pytest.raises(ValueError, match="out of range"):
            kernels.RawTexts.of_spans(make(data), np.array([begin], np.int64), np.array([end], np.int64))


def test_references_in_several_columns_keep_their_order(pyarrow):
    columns = [pyarrow.array([f"{name}{row}" for row in range(20)]) for name in "ab"]
    assert References(columns).lists() == [[f"a{row}", f"b{row}"] for row in range(20)]
