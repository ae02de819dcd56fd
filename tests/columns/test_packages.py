"""Columns of installed packages, compared with plain lists."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from cybleu import References, columns, score, segment_stats
from cybleu.errors import LengthMismatchError, NoReferencesError, SequenceTypeError

pytestmark = pytest.mark.usefixtures("backend")

HYPOTHESES = ["The cat sat.", "It rains – a lot, 3.5 % today", "", "é" * 30, "the the the"] * 3
REFERENCES = ["The cat sits.", "It rains a lot, 3.5% today", "x", "é" * 30, "the cat"] * 3
SETS = [[text, *([None] if number % 2 else ["a cat sat."])] for number, text in enumerate(REFERENCES)]
TOKENS = [text.split() for text in HYPOTHESES]
OTHERS = [text.split() for text in REFERENCES]


def wanted(references=REFERENCES, hypotheses=HYPOTHESES):
    return segment_stats([[text] for text in references], hypotheses, tokenize="13a").tolist()


@pytest.mark.parametrize("name", ["string", "large_string", "string_view", "binary", "large_binary"])
def test_texts_of_pyarrow(pyarrow, name):
    kind = getattr(pyarrow, name)()
    hypotheses, references = pyarrow.array(HYPOTHESES).cast(kind), pyarrow.array(REFERENCES).cast(kind)
    for start, stop in ((0, 15), (1, 15), (9, 12), (4, 4)):
        part = slice(start, stop)
        expected = wanted(REFERENCES[part], HYPOTHESES[part])
        assert segment_stats(references[part], hypotheses[part], tokenize="13a").tolist() == expected
        chunks = pyarrow.chunked_array([hypotheses[start : start + 1], hypotheses[start + 1 : stop]], type=kind)
        if stop > start:
            assert segment_stats(references[part], chunks, tokenize="13a").tolist() == expected


def test_dictionaries_of_pyarrow(pyarrow):
    encoded = pyarrow.array(HYPOTHESES).dictionary_encode()
    assert (
        segment_stats(pyarrow.array(REFERENCES), encoded[2:7], tokenize="13a", owner=range(2, 7)).tolist()
        == (wanted()[2:7])
    )


@pytest.mark.parametrize("name", ["list_", "large_list"])
def test_lists_of_pyarrow(pyarrow, name):
    def of(kind):
        return getattr(pyarrow, name)(kind)

    sets = pyarrow.array(SETS, type=of(pyarrow.string()))
    expected = segment_stats(
        [[text for text in references if text is not None] for references in SETS], HYPOTHESES, tokenize="13a"
    ).tolist()
    assert segment_stats(sets, HYPOTHESES, tokenize="13a").tolist() == expected
    assert segment_stats(sets[3:9], HYPOTHESES[3:9], tokenize="13a").tolist() == expected[3:9]
    expected = segment_stats([[tokens] for tokens in OTHERS], TOKENS).tolist()
    tokens, others = pyarrow.array(TOKENS, type=of(pyarrow.string_view())), pyarrow.array(OTHERS)
    assert segment_stats(others[1:], tokens[1:]).tolist() == expected[1:]
    numbers = {token: number for number, token in enumerate({token for text in TOKENS + OTHERS for token in text})}
    ids, other_ids = (
        pyarrow.array([[numbers[token] for token in text] for text in texts], type=of(pyarrow.uint16()))
        for texts in (TOKENS, OTHERS)
    )
    assert segment_stats(other_ids[2:], ids[2:]).tolist() == expected[2:]
    with pytest.raises(NoReferencesError, match=r"references\[1\]"):
        segment_stats(pyarrow.array([["a"], None], type=of(pyarrow.string())), ["a", "b"], tokenize="13a")


def test_lists_of_a_fixed_size_of_pyarrow(pyarrow):
    ids = pyarrow.array([[1, 2], [3, 4], [5, 6]], type=pyarrow.list_(pyarrow.int32(), 2))
    assert segment_stats(ids[1:], [[3, 4], [5, 7]])[:, 2].tolist() == [2, 1]


def test_series_of_polars(polars):
    expected = wanted()
    for dtype in (polars.String, polars.Categorical, polars.Enum(sorted(set(HYPOTHESES + REFERENCES)))):
        references, hypotheses = polars.Series(REFERENCES, dtype=dtype), polars.Series(HYPOTHESES, dtype=dtype)
        assert segment_stats(references, hypotheses, tokenize="13a").tolist() == expected
        assert segment_stats(references[4:], hypotheses[4:], tokenize="13a").tolist() == expected[4:]
    assert segment_stats(polars.Series(OTHERS), polars.Series(TOKENS)).tolist() == (
        segment_stats([[text] for text in OTHERS], TOKENS).tolist()
    )
    assert segment_stats(polars.Series(SETS), HYPOTHESES, tokenize="13a").shape == (15, 10)
    with pytest.raises(SequenceTypeError, match=r"hypotheses\[1\] is null"):
        segment_stats([["a"]] * 2, polars.Series(["a", None]), tokenize="13a")


def test_a_column_of_nulls_alone_has_no_references(polars):
    references, nothing = polars.Series(REFERENCES), polars.Series([None] * len(REFERENCES))
    assert nothing.dtype == polars.Null
    for both in ([references, nothing], [nothing, references]):
        assert segment_stats(both, HYPOTHESES, tokenize="13a").tolist() == wanted()
    for column in (nothing, nothing[:1], polars.Series([[None]]), polars.Series([[]])):
        with pytest.raises(NoReferencesError, match=r"references\[0\] has no reference"):
            segment_stats(column, HYPOTHESES[: len(column)], tokenize="13a")


def test_series_of_pandas(pandas):
    expected = wanted()
    for dtype in ("str", "object", "category"):
        references, hypotheses = pandas.Series(REFERENCES, dtype=dtype), pandas.Series(HYPOTHESES, dtype=dtype)
        assert segment_stats(references, hypotheses, tokenize="13a").tolist() == expected
        assert segment_stats(references[4:], hypotheses[4:], tokenize="13a").tolist() == expected[4:]
    assert segment_stats(pandas.Series(OTHERS), pandas.Series(TOKENS)).tolist() == (
        segment_stats([[text] for text in OTHERS], TOKENS).tolist()
    )
    ids = pandas.DataFrame({"first": [1, 2], "second": [3, 4]})  # an array of token ids, as ever
    assert segment_stats(ids, [[1, 3], [2, 5]])[:, 2].tolist() == [2, 1]


def check_columns_of_references(pandas):
    """A frame, or a list of its columns, has the k-th reference in the k-th column."""
    frame = pandas.DataFrame({"first": ["a b", "c"], "second": ["a", None]})
    of_tokens = pandas.DataFrame({"first": [["a", "b"], ["c"]], "second": [["a"], None]})
    for hypotheses in (["a", "c d"], ["a b", "c"]):
        expected = segment_stats([["a b", "a"], ["c"]], hypotheses, tokenize="13a").tolist()
        for references in (frame, [frame["first"], frame["second"]], tuple(frame[name] for name in frame)):
            assert segment_stats(references, hypotheses, tokenize="13a").tolist() == expected
            assert References(references, tokenize="13a").stats(hypotheses).tolist() == expected
        tokens = [text.split() for text in hypotheses]
        for references in (of_tokens, [of_tokens["first"], of_tokens["second"]]):
            assert segment_stats(references, tokens).tolist() == expected
        for wrong in (frame, of_tokens):
            with pytest.raises(
                SequenceTypeError, match="hypotheses is a table of the columns 'first', 'second'; give one"
            ):
                segment_stats([["a"], ["b"]], wrong, tokenize="13a")
    with pytest.raises(NoReferencesError, match=r"references\[1\] has no reference"):
        segment_stats(frame[["second"]], ["a", "c"], tokenize="13a")
    with pytest.raises(LengthMismatchError, match="the columns of references have 2, 1 entries"):
        segment_stats([frame["first"], frame["second"][:1]], ["a", "c"], tokenize="13a")


def test_columns_of_references_of_pandas(pandas, pyarrow):
    check_columns_of_references(pandas)


def test_columns_of_references_of_pandas_without_pyarrow(pandas, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pandas.option_context(
        "mode.string_storage", "python"
    ):  # pandas stores strings in pyarrow where it is installed
        check_columns_of_references(pandas)


def check_entries_of_objects(pandas):
    """An entry is a text, in any container, where no entry of the column is a list of references."""

    def column(*entries):
        return pandas.Series(entries, index=range(len(entries))[::-1], dtype=object)

    hypotheses = [["a", "b"], ["b"]]
    expected = segment_stats([[["a", "c"]], [[]]], hypotheses).tolist()
    for entries in (column(["a", "c"], []), column(("a", "c"), ()), column(column("a", "c"), column())):
        for references in (entries, [entries], (entries,), pandas.DataFrame({"first": entries})):
            assert segment_stats(references, hypotheses).tolist() == expected
            assert References(references).stats(hypotheses).tolist() == expected
    ids = segment_stats([[[1, 3]], [[]]], [[1, 2], [2]]).tolist()
    for entries in (
        column([1, 3], []),
        column(np.array([1, 3]), np.array([], int)),
        column([np.int64(1), np.int8(3)], ()),
    ):
        assert segment_stats(entries, [[1, 2], [2]]).tolist() == segment_stats([entries], [[1, 2], [2]]).tolist() == ids
    with pytest.raises(NoReferencesError, match=r"references\[1\] has no reference"):
        segment_stats(column([["a", "c"]], []), hypotheses)


def test_entries_of_pandas(pandas, pyarrow):
    check_entries_of_objects(pandas)


def test_entries_of_pandas_without_pyarrow(pandas, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    check_entries_of_objects(pandas)


def test_types_of_pyarrow_in_pandas(pandas, pyarrow):
    references, hypotheses = (pandas.Series(texts, dtype="string[pyarrow]") for texts in (REFERENCES, HYPOTHESES))
    assert segment_stats(references, hypotheses, tokenize="13a").tolist() == wanted()
    sets = pandas.Series(SETS, dtype=pandas.ArrowDtype(pyarrow.list_(pyarrow.string())))
    assert segment_stats(sets, hypotheses, tokenize="13a").shape == (15, 10)


def of_polars(polars):
    return polars.DataFrame({"hypothesis": HYPOTHESES, "reference": REFERENCES})


def test_a_frame_of_polars_gets_rows_and_groups_have_scores(polars):
    frame = of_polars(polars).with_columns(group=polars.Series([0, 1, 2] * 5))
    counted = frame.with_columns(**columns.rows(frame))
    assert columns.statistics(counted).tolist() == wanted()
    names = list(columns.total(frame))
    groups = counted.group_by("group", maintain_order=True).agg(polars.col(names).sum())
    rows = np.array(wanted())
    assert columns.statistics(groups).tolist() == [rows[group::3].sum(axis=0).tolist() for group in range(3)]


def test_a_frame_of_pandas_gets_rows(pandas, pyarrow):
    frame = pandas.DataFrame({"hypothesis": HYPOTHESES, "reference": REFERENCES}, index=range(15, 0, -1))
    counted = frame.assign(**columns.rows(frame))
    assert columns.statistics(counted).tolist() == wanted()
    assert score(columns.statistics(counted.sum(numeric_only=True))) == score(np.array(wanted()))


def test_a_table_and_a_reader_of_pyarrow(pyarrow):
    table = pyarrow.table({"hypothesis": HYPOTHESES, "reference": REFERENCES})
    assert columns.statistics(columns.rows(table)).tolist() == wanted()
    assert columns.statistics(columns.rows(table.to_reader(max_chunksize=4))).tolist() == wanted()
    assert columns.statistics(pyarrow.table(columns.rows(table))).tolist() == wanted()
    assert columns.statistics(columns.rows(table.to_batches()[0])).tolist() == wanted()


def test_a_relation_of_duckdb_and_its_sums(duckdb, pyarrow):
    table = pyarrow.table({"hypothesis": HYPOTHESES, "reference": REFERENCES})
    connection = duckdb.connect()
    connection.register("texts", table)
    found = columns.rows(connection.sql("SELECT * FROM texts"))
    assert columns.statistics(found).tolist() == wanted()
    connection.register("counted", pyarrow.table(found))
    sums = connection.sql(f"SELECT {', '.join(f'sum({name}) AS {name}' for name in found)} FROM counted")
    for one in (sums.fetchnumpy(), sums.to_arrow_table()):
        assert columns.statistics(one).tolist() == [np.array(wanted()).sum(axis=0).tolist()]
