"""Columns that are handed over by the Arrow C data interface, made by hand: against the same texts in lists."""

from __future__ import annotations

import ctypes
import struct
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cybleu
from arrow_capsules import AsArray, AsStream, Node, capsule, dictionary, integers, lists, sliced, table, texts
from cybleu import References
from cybleu.errors import (
    ArrowError,
    LengthMismatchError,
    MixedTokensError,
    NoReferencesError,
    NotUtf8Error,
    SequenceTypeError,
    UnknownNameError,
)
from cybleu.pairwise import self_bleu
from cybleu.rerank import mbr
from cybleu.rewards import Reward
from cybleu.sacrebleu_compat import BLEU, CHRF, corpus_bleu

pytestmark = pytest.mark.usefixtures("kernels")

TEXTS = {
    **{layout: lambda values, layout=layout: texts(values, layout) for layout in ("u", "U", "vu", "z", "Z", "vz")},
    **{
        f"dictionary {layout}": lambda values, layout=layout: dictionary(values, texts, layout) for layout in "cCsSiIlL"
    },
    "dictionary of views": lambda values: dictionary(values, lambda inner: texts(inner, "vu")),
}
LISTS = ("+l", "+L")
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


def spread(values, make, cuts):
    """The values in one array or in several, each a slice of a longer one."""
    if not cuts:
        return AsArray(make(values))
    places = [0, *sorted(min(cut, len(values)) for cut in cuts), len(values)]
    filled = [*values[:3], *values, *values[:2]]
    shift = len(values[:3])
    nodes = [sliced(make(filled), shift + begin, shift + end) for begin, end in pairwise(places)]
    return AsStream(nodes, make(values))


@pytest.mark.parametrize("kind", TEXTS)
@given(segments=st.lists(st.tuples(sentences, sentences), max_size=6), cuts=st.lists(st.integers(0, 6), max_size=3))
def test_columns_of_texts(kind, segments, cuts):
    hypotheses, references = [hypothesis for hypothesis, _ in segments], [reference for _, reference in segments]
    wanted = cybleu.rows(hypotheses, [[reference] for reference in references])
    made = [spread(values, TEXTS[kind], cuts) for values in (references, hypotheses)]
    assert cybleu.rows(*made[::-1]).tolist() == wanted.tolist()
    prepared = References(spread(references, TEXTS[kind], cuts))
    assert cybleu.rows(spread(hypotheses, TEXTS[kind], cuts), prepared).tolist() == wanted.tolist()


@pytest.mark.parametrize("layout", LISTS)
@given(
    kind=st.sampled_from(["u", "vu", "dictionary c"]),
    sets=st.lists(st.lists(sentences | st.none(), min_size=1, max_size=3).filter(any), max_size=5),
    cuts=st.lists(st.integers(0, 6), max_size=3),
)
def test_columns_of_sets_of_references(layout, kind, sets, cuts):
    hypotheses = [next(text for text in references if text) for references in sets]
    plain = [[text for text in references if text is not None] for references in sets]
    wanted = cybleu.rows(hypotheses, plain).tolist()
    for arguments in ({}, {"lowercase": False, "threads": 2}):
        column = spread(sets, lambda values: lists(values, TEXTS[kind], layout), cuts)
        assert cybleu.rows(hypotheses, column, **arguments).tolist() == wanted
    column = spread(sets, lambda values: lists(values, TEXTS[kind], layout), cuts)
    assert (
        cybleu.rows(hypotheses, column, tokenize=str.split).tolist()
        == cybleu.rows(hypotheses, plain, tokenize=str.split).tolist()
    )


@pytest.mark.parametrize("layout", LISTS)
@given(
    kind=st.sampled_from(["u", "vu", "dictionary c", *"csilCSIL"]),
    segments=st.lists(st.tuples(*[st.lists(st.integers(0, 5), max_size=6)] * 3), max_size=5),
    cuts=st.lists(st.integers(0, 6), max_size=3),
)
def test_columns_of_token_lists_and_of_ids(layout, kind, segments, cuts):
    inner = TEXTS[kind] if kind in TEXTS else lambda values: integers(values, kind)
    if kind in TEXTS:
        segments = [[[f"token {token}" for token in text] for text in segment] for segment in segments]
    hypotheses = [hypothesis for hypothesis, _, _ in segments]
    wanted = cybleu.rows(hypotheses, [[first] for _, first, _ in segments])

    def column(values):
        return spread(values, lambda values: lists(values, inner, layout), cuts)

    assert cybleu.rows(column(hypotheses), column([first for _, first, _ in segments])).tolist() == wanted.tolist()
    sets = [[first, second] for _, first, second in segments]
    wanted = cybleu.rows(hypotheses, sets)
    nested = spread(sets, lambda values: lists(values, lambda some: lists(some, inner, layout), layout), cuts)
    assert cybleu.rows(column(hypotheses), nested).tolist() == wanted.tolist()
    if segments:
        several = [column([segment[number] for segment in segments]) for number in (1, 2)]
        assert cybleu.rows(hypotheses, several).tolist() == wanted.tolist()


def test_lists_of_a_fixed_size():
    ids = [[1, 2], [3, 4], [5, 6]]
    column = sliced(lists(ids, integers, "+w:2"), 1, 3)
    assert (
        cybleu.rows([[3, 4], [5, 7]], AsArray(column)).tolist()
        == cybleu.rows([[3, 4], [5, 7]], [[[3, 4]], [[5, 6]]]).tolist()
    )
    assert cybleu.rows([[], [1]], AsArray(lists([[], []], integers, "+w:0")))[:, :2].tolist() == [[0, 0], [1, 0]]


def test_several_columns_tables_and_nulls_among_references():
    hypotheses = ["a b c", "d e f", "g"]
    first, second = ["a b", "d e f", "x"], ["c", None, "g h"]
    wanted = cybleu.rows(hypotheses, [["a b", "c"], ["d e f"], ["x", "g h"]]).tolist()
    columns = [AsArray(texts(first)), AsStream([texts(second, "vu")])]
    assert cybleu.rows(hypotheses, columns).tolist() == wanted
    both = table(first=texts(first), second=texts(second, "U"))
    assert cybleu.rows(hypotheses, AsArray(both)).tolist() == wanted
    assert cybleu.rows(hypotheses[1:], AsStream([sliced(both, 1, 3)])).tolist() == wanted[1:]
    full = [AsArray(texts(first)), AsArray(texts(first[::-1]))]
    wanted = cybleu.rows(hypotheses, list(zip(first, first[::-1])))
    assert cybleu.rows(hypotheses, full).tolist() == wanted.tolist()


def test_a_table_of_one_column_with_missing_rows():
    node = table(text=texts(["a", "b", "c"]))
    node.buffers[0] = bytes([0b101])
    with pytest.raises(SequenceTypeError, match=r"hypotheses\[1\] is null"):
        cybleu.rows(AsArray(node), [["a"], ["b"], ["c"]])


def test_empty_columns():
    for empty in (texts([]), Node("u", 0, [None, None, None]), Node("n", 0, [])):
        for column in (lambda node: AsStream([], node), AsArray):
            assert cybleu.rows([], column(empty)).shape == (0, 10)
            assert cybleu.rows(column(empty), []).shape == (0, 10)
    assert cybleu.rows(AsArray(lists([], texts)), AsArray(lists([], integers))).shape == (0, 10)


def test_other_functions():
    lines = ["The cat sat on it.", "A dog ran to me.", "The cat sat on me."]
    column = AsArray(texts(lines))
    assert (
        self_bleu(column, (0.5, 0.5), tokenize="13a").tolist() == self_bleu(lines, (0.5, 0.5), tokenize="13a").tolist()
    )
    wanted = cybleu.pairs(lines[:2], lines).tolist()
    assert cybleu.pairs(AsArray(texts(lines[:2])), column).tolist() == wanted
    tokens = [line.split() for line in lines]
    assert self_bleu(AsArray(lists(tokens, texts)), (1.0,)).tolist() == self_bleu(tokens, (1.0,)).tolist()
    documents = lines[::-1], [None, lines[1], lines[0]]
    for corpus_score in (corpus_bleu, BLEU().corpus_score, CHRF().corpus_score):
        found = corpus_score(column, [AsArray(texts(document)) for document in documents])
        assert str(found) == str(corpus_score(lines, documents))
    candidates = AsArray(lists([lines, lines[:2]], texts))
    assert mbr(candidates, tokenize=str.split).texts == mbr([lines, lines[:2]], tokenize=str.split).texts
    reward = Reward(column="r")
    assert reward(completions=column, r=AsArray(lists([[line] for line in lines], texts))) == [1.0] * 3
    assert cybleu.rows([lines[0]], AsArray(lists([lines], texts)))[0, 0] == 6


# ------------------------------------------------------------------------------------------------------------- nothing


def test_nulls_name_the_row():
    three = [["a"], ["b"], ["c"]]
    with pytest.raises(SequenceTypeError, match=r"hypotheses\[1\] is null; drop"):
        cybleu.rows(AsArray(texts(["a", None, "b"])), three)
    with pytest.raises(SequenceTypeError, match=r"hypotheses\[2\] is null"):
        cybleu.rows(AsArray(lists([["a"], [], None], texts)), [[three[0]]] * 3)
    with pytest.raises(SequenceTypeError, match=r"hypotheses\[2\] holds a null"):
        cybleu.rows(AsArray(lists([["a"], [], ["b", None]], texts)), [[three[0]]] * 3)
    with pytest.raises(SequenceTypeError, match=r"references\[2\] holds a null"):
        cybleu.rows(three, AsArray(lists([["a"], [], ["b", None]], texts)))
    empty = [["a"], None, ["c"]], [["a"], [], ["c"]], [["a"], [None], ["c"]]
    for sets in empty:
        with pytest.raises(NoReferencesError, match=r"references\[1\] has no reference"):
            cybleu.rows(["a"] * 3, AsArray(lists(sets, texts)))
        with pytest.raises(NoReferencesError, match=r"references\[1\] has no reference"):
            cybleu.rows(["a"] * 3, AsArray(lists(sets, texts)), tokenize=str.split)
        deeper = [sets[0], None if sets[1] is None else [each and ["b"] for each in sets[1]], [["c"]]]
        deeper[0] = [["a"]]
        with pytest.raises(NoReferencesError, match=r"references\[1\] has no reference"):
            cybleu.rows(three, AsArray(lists(deeper, lambda values: lists(values, texts))))
    for column in (texts(["a", None, "b"]), dictionary(["a", None, "b"], texts)):
        with pytest.raises(NoReferencesError, match=r"references\[1\] has no reference"):
            cybleu.rows(["a"] * 3, AsArray(column))
    with pytest.raises(NoReferencesError, match=r"references\[1\] has no reference"):
        cybleu.rows(["a"] * 2, [AsArray(texts(["a", None])), AsArray(texts(["b", None]))])


def test_columns_of_tokens_beside_raw_references():
    tokens = [["a", "b", "."], ["b"]]
    for hypotheses in (tokens, AsArray(lists(tokens, texts))):
        for references in ([["a b."], ["c"]], AsArray(lists([["a b."], ["c"]], texts))):
            with pytest.raises(MixedTokensError, match=r"references\[0\] holds raw text, and hypotheses\[0\] tokens"):
                cybleu.rows(hypotheses, references)


def test_columns_that_do_not_fit():
    column = AsArray(texts(["a", "b"]))
    with pytest.raises(LengthMismatchError):
        cybleu.rows(["a"], column)
    with pytest.raises(LengthMismatchError, match="have 2, 1 entries"):
        cybleu.rows(["a", "b"], [column, AsArray(texts(["a"]))])
    with pytest.raises(MixedTokensError, match=r"the hypotheses are raw text, and references\[0\] holds tokens"):
        cybleu.rows(column, [[["a"]], [["b"]]])
    with pytest.raises(SequenceTypeError, match="'a', 'b'; give one of them"):
        cybleu.rows(AsArray(table(a=texts(["a", "b"]), b=texts(["a", "b"]))), [["a"], ["b"]])
    with pytest.raises(UnknownNameError, match="tokenize is for raw text, and the hypotheses are tokens"):
        cybleu.pairs(AsArray(lists([["a"], ["b"]], texts)), tokenize="13a")
    with pytest.raises(SequenceTypeError, match="whole numbers"):
        cybleu.rows(AsArray(integers([1])), [[[1]]])
    with pytest.raises(SequenceTypeError, match="whole numbers"):
        cybleu.rows([[1]], AsArray(integers([1])))
    with pytest.raises(ArrowError, match="more than two deep"):
        one = lists([[["a"]]], lambda values: lists(values, lambda some: lists(some, texts)))
        cybleu.rows([["a"]], AsArray(lists([[[["a"]]]], lambda values: lists(values, lambda some: lists(some, texts)))))
        cybleu.rows([["a"]], AsArray(one))


def test_what_is_not_utf8_is_named():
    wrong = texts(["é", b"ab\xff", "c"])
    for hypotheses in (wrong, dictionary(["é", b"ab\xff", "c"], texts)):
        with pytest.raises(NotUtf8Error, match=r"hypotheses\[1\] is not UTF-8: byte 0xff at position 2"):
            cybleu.rows(AsArray(hypotheses), [["a"]] * 3)
    with pytest.raises(NotUtf8Error, match=r"references\[1\]"):
        cybleu.rows(["a"] * 2, AsArray(lists([["é"], ["x", b"ab\xff"]], texts)))
    with pytest.raises(NotUtf8Error, match=r"hypotheses\[1\]"):
        cybleu.rows(AsArray(lists([["é"], ["x", b"ab\xff"]], texts)), [[["a"]]] * 2)


# --------------------------------------------------------------------------------------------------------- wrong structs


def spoiled(make, **changes):
    node = make()
    for name, value in changes.items():
        setattr(node, name, value)
    return node


def with_buffer(make, number, buffer):
    node = make()
    node.buffers[number] = buffer
    return node


def one_child(make, spoil):
    node = make()
    spoil(node.children[0])
    return node


def set_length(length):
    return lambda node: setattr(node, "length", length)


def views():
    return texts(["a text that is longer", "b text that is longer"], "vu")


def view(size, buffer, begin):
    return struct.pack("=i4sii", size, b"....", buffer, begin) * 2


def two():
    return texts(["a", "b"])


def sets():
    return lists([["a"], ["b", "c"]], texts)


WRONG = {
    "negative length": spoiled(two, length=-1),
    "enormous length": spoiled(two, length=2**62),
    "negative offset": spoiled(two, offset=-1),
    "enormous offset": spoiled(two, offset=2**63 - 1),
    "more nulls than entries": spoiled(two, null_count=3),
    "fewer nulls than none": spoiled(two, null_count=-2),
    "no layout": spoiled(two, layout=None),
    "empty layout": spoiled(two, layout=""),
    "unknown layout": spoiled(two, layout="t%"),
    "floats": spoiled(two, layout="g"),
    "longer layout": spoiled(two, layout="uu"),
    "one buffer": spoiled(two, n_buffers=1),
    "a negative number of buffers": spoiled(two, n_buffers=-3),
    "children of texts": spoiled(two, children=[two()]),
    "children that are not there": spoiled(sets, n_children=0),
    "children of the schema that are not there": spoiled(sets, schema_children=0),
    "a negative number of children": spoiled(sets, n_children=-1, schema_children=-1),
    "no offsets": with_buffer(two, 1, None),
    "no bytes": with_buffer(two, 2, None),
    "offsets that descend": with_buffer(two, 1, struct.pack("=3i", 0, 2, 1)),
    "negative offsets": with_buffer(two, 1, struct.pack("=3i", -1, 0, 1)),
    "negative ends": with_buffer(two, 1, struct.pack("=3i", 0, -5, -5)),
    "lists that descend": with_buffer(sets, 1, struct.pack("=3i", 0, 3, 1)),
    "lists past the child": with_buffer(sets, 1, struct.pack("=3i", 0, 1, 9)),
    "negative lists": with_buffer(sets, 1, struct.pack("=3i", -1, 1, 2)),
    "a child of a negative length": one_child(sets, set_length(-3)),
    "a child that is too short": one_child(sets, set_length(2)),
    "no child": spoiled(sets, children=[]),
    "lists of a size that does not fit": spoiled(lambda: lists([["a"], ["b"]], texts, "+w:1"), layout="+w:2"),
    "lists of an enormous size": spoiled(lambda: lists([["a"], ["b"]], texts, "+w:1"), layout="+w:999999999999999"),
    "lists of a negative size": spoiled(lambda: lists([["a"], ["b"]], texts, "+w:1"), layout="+w:-1"),
    "lists of no size": spoiled(lambda: lists([["a"], ["b"]], texts, "+w:1"), layout="+w:"),
    "lists of more digits than there are": spoiled(lambda: lists([["a"]], texts, "+w:1"), layout="+w:" + "9" * 40),
    "a view of a negative size": with_buffer(views, 1, view(-1, 0, 0)),
    "a view past its buffer": with_buffer(views, 1, view(20, 0, 5)),
    "a view from a negative place": with_buffer(views, 1, view(20, 0, -1)),
    "a view of another buffer": with_buffer(views, 1, view(20, 2, 0)),
    "a view of a negative buffer": with_buffer(views, 1, view(20, -1, 0)),
    "views without the sizes": with_buffer(views, 4, None),
    "views of buffers that are not there": with_buffer(views, 2, None),
    "views with negative sizes": with_buffer(views, 4, struct.pack("=2q", -1, -1)),
    "views with few buffers": spoiled(views, n_buffers=2),
    "an index past the dictionary": with_buffer(lambda: dictionary(["a", "b"], texts), 1, bytes([0, 2])),
    "a negative index": with_buffer(lambda: dictionary(["a", "b"], texts), 1, bytes([0, 255])),
    "a dictionary of texts with an index of texts": spoiled(two, dictionary=two()),
    "a dictionary of a negative length": spoiled(
        lambda: dictionary(["a", "b"], texts), dictionary=spoiled(two, length=-1)
    ),
    "run-end-encoded": Node("+r", 1, [], [integers([1], "i"), texts(["a"])]),
    "list views": lists([["a"], ["b"]], texts, "+vl"),
    "large list views": lists([["a"], ["b"]], texts, "+vL"),
    "a field that is too short": spoiled(lambda: table(a=two()), length=3),
    "a table in a table": table(a=table(b=two())),
}


@pytest.mark.parametrize("node", WRONG.values(), ids=WRONG)
def test_wrong_structs_are_errors(node):
    for column in (AsArray(node), AsStream([node])):
        with pytest.raises(ArrowError) as caught:
            cybleu.rows(["a", "b"], column)
        assert str(caught.value)


def test_list_views_are_to_be_cast():
    with pytest.raises(ArrowError, match=r"cast\(.*list_\("):
        cybleu.rows(["a"], AsArray(WRONG["list views"]))


def test_a_dictionary_in_itself():
    node = dictionary(["a"], texts)
    for _ in range(9):
        node = spoiled(lambda: integers([0]), dictionary=node)
    with pytest.raises(ArrowError, match="nested too deeply"):
        cybleu.rows(["a"], AsArray(node))


def test_numbers_that_do_not_fit():
    ids = lists([[1, 2**63]], lambda values: integers(values, "L"))
    with pytest.raises(ArrowError, match="9223372036854775808"):
        cybleu.rows([[1]], AsArray(ids))


class Handing:
    def __init__(self, value):
        self.value = value

    def __arrow_c_array__(self, requested_schema=None):
        return self.value


class Frame:
    """A column of Python objects whose export fails."""

    dtype = "object"

    def __init__(self, values, error):
        self.values, self.error = values, error

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter(self.values)

    def __arrow_c_stream__(self, requested_schema=None):
        raise self.error


def test_a_frame_that_cannot_be_exported_is_read_by_position(kernels):
    for error in (
        TypeError("mixed"),
        ValueError("mixed"),
        ImportError("no pyarrow"),
        NotImplementedError(),
        OverflowError(),
    ):
        assert cybleu.rows(Frame([["a"]], error), [[["a"]]])[:, 2].tolist() == [1]


@pytest.mark.parametrize("error", [MemoryError, TimeoutError])
def test_other_errors_of_a_frame_are_passed_on(kernels, error):
    with pytest.raises(error):
        cybleu.rows(Frame([["a"]], error()), [[["a"]]])


def test_wrong_capsules():
    node = two()
    schema, array = node.structs()
    names = b"arrow_schema", b"arrow_array"
    for capsules in (
        (capsule(schema, names[1]), capsule(array, names[0])),
        (capsule(schema, b"arrow_scheme"), capsule(array, names[1])),
        (None, None),
        (capsule(schema, names[0]),),
        None,
    ):
        with pytest.raises(ArrowError):
            cybleu.rows(Handing(capsules), [["a"]])
    assert node.released == [0, 0]


def test_what_was_consumed_is_an_error_and_all_is_released_once():
    node = two()
    schema, array = node.structs()
    handing = Handing((capsule(schema, b"arrow_schema"), capsule(array, b"arrow_array")))
    cybleu.rows(handing, [["a"], ["b"]])
    assert node.released == [1, 1]
    with pytest.raises(ArrowError, match="consumed"):
        cybleu.rows(handing, [["a"], ["b"]])
    assert node.released == [1, 1]
    stream = AsStream([two(), texts(["c"])])
    cybleu.rows(stream, [["a"], ["b"], ["c"]])
    assert stream.released == 1
    assert [node.released[1] for node in stream.nodes] == [1, 1]
    with pytest.raises(ArrowError, match="consumed"):
        cybleu.rows(stream, [["a"], ["b"], ["c"]])


def test_a_stream_that_fails_says_why():
    with pytest.raises(ArrowError, match="the disk is gone"):
        cybleu.rows(AsStream([two()], error="the disk is gone"), [["a"], ["b"]])


def test_lines_live_as_long_as_they_are_read():
    references = References(AsArray(texts(["a b c d e"] * 3)))
    assert cybleu.rows(AsArray(texts(["a b c d e"] * 3)), references)[:, 2].tolist() == [5, 5, 5]
    assert np.array_equal(cybleu.rows(["a"] * 3, references)[:, 0], [1, 1, 1])


NOT_ALIGNED = {
    **{f"offsets {layout}": texts(["a", "b"], layout) for layout in ("u", "U", "vu", "z", "Z")},
    **{f"numbers {layout}": integers([1, 2], layout) for layout in "sSiIlL"},
    **{f"indices {layout}": dictionary(["a", "b"], texts, layout) for layout in "sSiIlL"},
    **{f"lists {layout}": lists([["a"], []], texts, layout) for layout in ("+l", "+L")},
}


@pytest.mark.parametrize("name", NOT_ALIGNED)
def test_buffers_that_are_not_aligned(kernels, name):
    node = NOT_ALIGNED[name]
    node.shift = 1
    with pytest.raises(ArrowError, match=r"buffer 1 .* not aligned .* copy the column"):
        kernels.ArrowValues(list(kernels.arrow_arrays(AsArray(node))[1]))


def views_of_one_buffer(data, sizes):
    views = b"".join(struct.pack("=i4sii", size, data[:4], 0, 0) for size in sizes)
    return [Node("vu", len(sizes), [None, views, data, struct.pack("=q", len(data))])]


def texts_of_one_buffer(data, sizes):
    return [Node("u", 1, [None, struct.pack("=2i", 0, size), data]) for size in sizes]


@pytest.mark.memory
@pytest.mark.parametrize("make", [views_of_one_buffer, texts_of_one_buffer])
def test_texts_that_begin_in_the_same_buffer_are_copied_once(kernels, make):
    """The bytes before a line are read, so that the start of a buffer is copied: once, however many texts begin there."""
    data = b"a b " * 65536
    shared = ctypes.create_string_buffer(data, len(data))
    columns = []
    for node in make(data, range(20, len(data), 251)):
        schema, array = node.structs()
        array.buffers[2] = ctypes.addressof(shared)
        handed = Handing((capsule(schema, b"arrow_schema"), capsule(array, b"arrow_array")))
        columns += kernels.arrow_arrays(handed)[1]
    tracemalloc.start()
    try:
        assert len(kernels.ArrowValues(columns)) == len(range(20, len(data), 251))
        assert tracemalloc.get_traced_memory()[1] < 8 * len(data)
    finally:
        tracemalloc.stop()
