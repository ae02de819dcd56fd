"""Columns of installed packages, compared with plain lists."""

import sys
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest

import cybleu
from cybleu import References, columns, score, scores
from cybleu.errors import LengthMismatchError, MissingExtraError, NoReferencesError, SequenceTypeError, UnknownNameError
from inputs import side_by_side

HYPOTHESES = ["The cat sat.", "It rains – a lot, 3.5 % today", "", "é" * 30, "the the the"] * 3
REFERENCES = ["The cat sits.", "It rains a lot, 3.5% today", "x", "é" * 30, "the cat"] * 3
SETS = [[text, *([None] if number % 2 else ["a cat sat."])] for number, text in enumerate(REFERENCES)]
TOKENS = [text.split() for text in HYPOTHESES]
OTHERS = [text.split() for text in REFERENCES]


@pytest.fixture(params=["with pyarrow", "without pyarrow"])
def maybe_pyarrow(request, monkeypatch):
    loaded = {name: import_module(name) for name in ("pyarrow", "pandas") if find_spec(name)}
    with ExitStack() as stack:
        if request.param == "without pyarrow":
            if "pandas" in loaded:  # which stores strings in pyarrow where it is installed
                stack.enter_context(loaded["pandas"].option_context("mode.string_storage", "python"))
            monkeypatch.setitem(sys.modules, "pyarrow", None)
        yield


def wanted():
    return cybleu.rows(HYPOTHESES, REFERENCES, tokenize="13a").tolist()


def check_series(series, dtypes):
    """Compare series of raw text of each type, whole and in part, and series of token lists, with lists."""
    expected = wanted()
    for dtype in dtypes:
        references = series(REFERENCES, dtype=dtype)
        hypotheses = series(HYPOTHESES, dtype=dtype)
        assert cybleu.rows(hypotheses, references, tokenize="13a").tolist() == expected
        assert cybleu.rows(hypotheses[4:], references[4:], tokenize="13a").tolist() == expected[4:]
    assert cybleu.rows(series(TOKENS), series(OTHERS)).tolist() == cybleu.rows(TOKENS, OTHERS).tolist()


def test_series_of_polars(polars, maybe_pyarrow):
    check_series(polars.Series, (polars.String, polars.Categorical, polars.Enum(sorted({*HYPOTHESES, *REFERENCES}))))


def test_texts_that_are_series_of_polars(polars, maybe_pyarrow):
    texts = [polars.Series(text, dtype=polars.String) for text in TOKENS]
    assert cybleu.rows(texts, OTHERS).tolist() == cybleu.rows(TOKENS, OTHERS).tolist()


def test_a_null_among_hypotheses_is_named(polars, maybe_pyarrow):
    with pytest.raises(SequenceTypeError, match=r"hypotheses\[1\]"):
        cybleu.rows(polars.Series(["a", None]), [["a"]] * 2, tokenize="13a")


def test_a_column_is_no_name_of_one(polars, maybe_pyarrow):
    column = polars.Series(["a"])
    frame = polars.DataFrame({"hypothesis": column})
    for given in ([column, column], [frame, "hypothesis", column], [frame, "hypothesis", [column]]):
        with pytest.raises(UnknownNameError, match="is not the name of a column; pass a table, then names"):
            columns.score(*given)


def test_a_column_of_nulls_alone_has_no_references(polars, maybe_pyarrow):
    references = polars.Series(REFERENCES)
    nothing = polars.Series([None] * len(REFERENCES))
    assert nothing.dtype == polars.Null
    for both in ([references, nothing], [nothing, references]):
        assert cybleu.rows(HYPOTHESES, both, tokenize="13a").tolist() == wanted()
    for column in (nothing, nothing[:1], polars.Series([[None]]), polars.Series([[]])):
        with pytest.raises(NoReferencesError, match="has no reference"):
            cybleu.rows(HYPOTHESES[: len(column)], column, tokenize="13a")


def test_series_of_pandas(pandas, maybe_pyarrow):
    check_series(pandas.Series, ("str", "object", "category"))


def test_a_frame_of_pandas(pandas, maybe_pyarrow):
    frame = pandas.DataFrame({"hypothesis": HYPOTHESES, "reference": REFERENCES})
    assert side_by_side(columns.rows(frame)) == wanted()


def test_a_frame_of_pandas_is_an_array_of_token_ids(pandas, maybe_pyarrow):
    ids = pandas.DataFrame({"first": [1, 2], "second": [3, 4]})
    assert cybleu.rows([[1, 3], [2, 5]], ids)[:, 2].tolist() == [2, 1]


@pytest.mark.parametrize("metric", ["sacrebleu", "nltk:method1", "chrf++", "gleu", "nist", "ter"])
def test_every_metric_reads_columns(polars, maybe_pyarrow, metric):
    found = cybleu.metrics.find(metric)
    plain = [[text for text in references if text is not None] for references in SETS]
    expected = found.rows(HYPOTHESES, plain).tolist()
    hypotheses = polars.Series(HYPOTHESES)
    sets = polars.Series(SETS)
    several = [polars.Series([references[k] for references in SETS]) for k in range(2)]
    for references in (sets, several, polars.DataFrame({"a": several[0], "b": several[1]})):
        assert found.rows(hypotheses, references).tolist() == expected
        assert found.rows(hypotheses, References(references)).tolist() == expected


def test_columns_of_references_of_pandas(pandas, maybe_pyarrow):
    """A frame, or a list of its columns, has the k-th reference in the k-th column."""
    frame = pandas.DataFrame({"first": ["a b", "c"], "second": ["a", None]})
    of_tokens = pandas.DataFrame({"first": [["a", "b"], ["c"]], "second": [["a"], None]})
    for hypotheses in (["a", "c d"], ["a b", "c"]):
        expected = cybleu.rows(hypotheses, [["a b", "a"], ["c"]], tokenize="13a").tolist()
        for references in (frame, [frame["first"], frame["second"]], tuple(frame[name] for name in frame)):
            assert cybleu.rows(hypotheses, references, tokenize="13a").tolist() == expected
            assert cybleu.rows(hypotheses, References(references)).tolist() == expected
        tokens = [text.split() for text in hypotheses]
        for references in (of_tokens, [of_tokens["first"], of_tokens["second"]]):
            assert cybleu.rows(tokens, references).tolist() == expected
    with pytest.raises(SequenceTypeError, match="a table of the columns 'first', 'second'; give one"):
        cybleu.rows(frame, [["a"], ["b"]])
    with pytest.raises(LengthMismatchError, match="the columns of references have 2, 1 entries"):
        cybleu.rows(["a", "c"], [frame["first"], frame["second"][:1]], tokenize="13a")


def test_entries_of_pandas(pandas, maybe_pyarrow):
    """An entry is a text, in any container, where no entry of the column is a list of references."""

    def column(*entries):
        return pandas.Series(entries, index=range(len(entries))[::-1], dtype=object)

    hypotheses = [["a", "b"], ["b"]]
    expected = cybleu.rows(hypotheses, [[["a", "c"]], [[]]]).tolist()
    for entries in (column(["a", "c"], []), column(("a", "c"), ()), column(column("a", "c"), column())):
        for references in (entries, [entries], pandas.DataFrame({"first": entries})):
            assert cybleu.rows(hypotheses, references).tolist() == expected
    for sets in (column([["a", "c"]], [[]]), column(column(["a", "c"]), column([]))):
        assert cybleu.rows(hypotheses, References(sets)).tolist() == expected
    ids = cybleu.rows([[1, 2], [2]], [[[1, 3]], [[]]]).tolist()
    for entries in (column([1, 3], []), column(np.array([1, 3]), np.array([], int))):
        assert cybleu.rows([[1, 2], [2]], entries).tolist() == cybleu.rows([[1, 2], [2]], [entries]).tolist() == ids
    with pytest.raises(NoReferencesError, match=r"references\[1\] has no reference"):
        cybleu.rows(hypotheses, column([["a", "c"]], []))


def test_types_of_pyarrow_in_pandas(pandas, pyarrow):
    references, hypotheses = (pandas.Series(texts, dtype="string[pyarrow]") for texts in (REFERENCES, HYPOTHESES))
    assert cybleu.rows(hypotheses, references, tokenize="13a").tolist() == wanted()
    sets = pandas.Series(SETS, dtype=pandas.ArrowDtype(pyarrow.list_(pyarrow.string())))
    assert cybleu.rows(hypotheses, sets, tokenize="13a").shape == (15, 10)


def test_a_frame_of_polars_gets_rows_and_groups_have_scores(polars, maybe_pyarrow):
    frame = polars.DataFrame({"hypothesis": HYPOTHESES, "reference": REFERENCES, "group": [0, 1, 2] * 5})
    counted = frame.with_columns(**columns.rows(frame))
    names = list(columns.total(frame))
    assert counted.select(names).rows() == [tuple(row) for row in wanted()]
    groups = counted.group_by("group", maintain_order=True).agg(polars.col(names).sum())
    rows = np.array(wanted())
    assert scores(groups.to_dict()).tolist() == [score(rows[group::3]).score for group in range(3)]


@pytest.mark.parametrize(("metric", "row"), [("ter", [1, 4]), ("bleu", [5, 4, 3, 5])])
def test_a_frame_of_polars_with_as_many_columns_as_rows(polars, metric, row):
    rows = np.array([row] * len(row))
    frame = polars.DataFrame(rows)
    assert score(frame, metric) == score(rows, metric)


def test_a_frame_of_pandas_gets_rows(pandas, pyarrow):
    frame = pandas.DataFrame({"hypothesis": HYPOTHESES, "reference": REFERENCES}, index=range(15, 0, -1))
    counted = frame.assign(**columns.rows(frame))
    assert counted[list(columns.total(frame))].to_numpy().tolist() == wanted()
    assert score(dict(counted)) == score(dict(counted.sum(numeric_only=True))) == score(np.array(wanted()))


def test_a_relation_of_duckdb_and_its_sums(duckdb, pyarrow):
    table = pyarrow.table({"hypothesis": HYPOTHESES, "reference": REFERENCES})
    connection = duckdb.connect()
    connection.register("texts", table)
    found = columns.rows(connection.sql("SELECT * FROM texts"))
    assert side_by_side(found) == wanted()
    connection.register("counted", pyarrow.table(found))
    sums = connection.sql(f"SELECT {', '.join(f'sum({name}) AS {name}' for name in found)} FROM counted")
    for one in (sums.fetchnumpy(), sums.to_arrow_table().to_pydict()):
        assert score(one) == score(wanted())


def test_columns_of_datasets(datasets, pyarrow):
    dataset = datasets.Dataset.from_dict({"hypothesis": HYPOTHESES, "reference": REFERENCES})
    assert cybleu.rows(dataset["hypothesis"], dataset["reference"]).tolist() == wanted()
    arrow = dataset.with_format("arrow")
    assert side_by_side(columns.rows(arrow[:])) == wanted()
    mapped = arrow.map(lambda table: pyarrow.table(columns.rows(table)), batched=True, batch_size=4)
    assert side_by_side(mapped.with_format("numpy").select_columns(list(columns.total(arrow[:])))[:]) == wanted()


def test_without_pyarrow_a_relation_says_what_is_missing(duckdb, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    relation = duckdb.connect().sql("SELECT 'a' AS hypothesis, 'a' AS reference")
    for function in (columns.rows, lambda table: cybleu.rows(table, ["a"])):
        with pytest.raises(MissingExtraError, match=r'pip install "cybleu\[arrow\]"'):
            function(relation)
