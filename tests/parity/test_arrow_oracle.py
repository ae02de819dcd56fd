"""The kernel that reads Arrow arrays against pyarrow: what is in them, level by level, and where there is nothing."""

from __future__ import annotations

from array import array
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrow_capsules import AsArray, dictionary, integers, lists, sliced, table, texts
from cybleu.errors import ArrowError

words = st.sampled_from(["", "a", "é" * 9, "x" * 12, "x" * 13]) | st.none()
LEAVES = {
    "u": texts,
    "vu": lambda values: texts(values, "vu"),
    "dictionary": lambda values: dictionary(values, texts, "S"),
    "integers": lambda values: integers([None if value is None else len(value) - 2 for value in values], "s"),
}
LAYOUTS = ["+l", "+L"]


def read(kernels, node):
    """What a column of lists of lists holds, as lists."""
    (column,) = kernels.arrow_arrays(AsArray(node))[1]
    if column.names is not None:
        column = column.field(0)
    values = kernels.ArrowValues([column])
    entries = values.texts() if values.kind != "integers" else array("q", values.numbers()).tolist()
    if values.kind == "nothing":
        entries = [None] * len(values.nulls_of(values.depth))
    for level in reversed(range(values.depth + 1)):
        for place in values.nulls_of(level):
            entries[place] = None
        if level:
            ends = array("q", values.ends_of(level - 1))
            entries = [entries[begin:end] for begin, end in zip(chain([0], ends), ends)]
    return entries


@given(
    entries=st.lists(st.lists(st.lists(words, max_size=3) | st.none(), max_size=3) | st.none(), max_size=4),
    leaf=st.sampled_from(sorted(LEAVES)),
    layouts=st.tuples(st.sampled_from(LAYOUTS), st.sampled_from(LAYOUTS)),
    start=st.integers(0, 2),
    in_table=st.booleans(),
)
def test_the_kernel_reads_what_pyarrow_reads(kernels, pyarrow, entries, leaf, layouts, start, in_table):
    def made():
        node = lists(entries, lambda some: lists(some, LEAVES[leaf], layouts[1]), layouts[0])
        node = sliced(node, min(start, len(entries)), len(entries))
        if in_table:
            node.offset, node.length = 0, len(entries)
            node = sliced(table(column=node), min(start, len(entries)), len(entries))
        return node

    expected = pyarrow.array(AsArray(made()))
    expected.validate(full=True)
    if in_table:
        expected = expected.flatten()[0]
    assert read(kernels, made()) == expected.to_pylist()


@pytest.mark.parametrize("capsules", [(None, None), ("arrow_schema", b"arrow_array"), (1, 2)])
def test_other_objects_than_capsules_are_refused(kernels, capsules):
    for method, value in (("__arrow_c_array__", capsules), ("__arrow_c_stream__", capsules[0])):
        producer = type("Producer", (), {method: lambda self, value=value: value})()
        with pytest.raises(ArrowError):
            kernels.arrow_arrays(producer)
