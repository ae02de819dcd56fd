"""Columns on the two backends: what is in them, level by level, and where there is nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrow_capsules import AsArray, dictionary, integers, lists, runs, sliced, table, texts
from cybleu import _mirror
from cybleu.errors import ArrowError

words = st.sampled_from(["", "a", "é" * 9, "x" * 12, "x" * 13]) | st.none()
LEAVES = {
    "u": texts,
    "vu": lambda values: texts(values, "vu"),
    "dictionary": lambda values: dictionary(values, texts, "S"),
    "runs": lambda values: runs(values, texts, "l"),
    "whole numbers": lambda values: integers([None if value is None else len(value) - 2 for value in values], "s"),
}
LAYOUTS = ["+l", "+L", "+vl", "+vL"]


def read(backend, node, dropped):
    column = backend.ArrowColumn(*AsArray(node).__arrow_c_array__())
    if column.names is not None:
        column = column.field(0)
    values = backend.ArrowValues([column], dropped)
    return (
        (len(values), values.depth, values.kind, values.texts(), values.numbers(), column.format, column.of_numbers),
        [values.ends_of(level) for level in range(values.depth)],
        [values.nulls_of(level) for level in range(values.depth + 1)],
    )


@given(
    entries=st.lists(st.lists(st.lists(words, max_size=3) | st.none(), max_size=3) | st.none(), max_size=4),
    leaf=st.sampled_from(sorted(LEAVES)),
    layouts=st.tuples(st.sampled_from(LAYOUTS), st.sampled_from(LAYOUTS)),
    start=st.integers(0, 2),
    dropped=st.sampled_from([-1, 1]),
    in_table=st.booleans(),
)
def test_both_read_the_same(kernels, entries, leaf, layouts, start, dropped, in_table):
    def made():
        node = lists(entries, lambda some: lists(some, LEAVES[leaf], layouts[1]), layouts[0])
        node = sliced(node, min(start, len(entries)), len(entries))
        if in_table:
            node.offset, node.length = 0, len(entries)
            node = sliced(table(column=node), min(start, len(entries)), len(entries))
        return node

    assert read(kernels, made(), dropped) == read(_mirror, made(), dropped)


@pytest.mark.parametrize("capsules", [(None, None), ("arrow_schema", b"arrow_array"), (1, 2)])
def test_both_refuse_what_is_no_capsule(kernels, capsules):
    for backend in (kernels, _mirror):
        with pytest.raises(ArrowError):
            backend.ArrowColumn(*capsules)
        with pytest.raises(ArrowError):
            backend.ArrowStream(capsules[0])
