"""From tables of pyarrow, and dicts of lists, to columns of statistics and back."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cybleu
from cybleu import columns, score, scores
from cybleu.columns import tables
from cybleu.errors import (
    ArrowError,
    LengthMismatchError,
    NoReferencesError,
    NotUtf8Error,
    SequenceTypeError,
    StatisticsError,
    UnknownNameError,
)
from cybleu.metrics import Bleu, Mixture, find
from inputs import side_by_side
from refusals import refused

pytestmark = [
    pytest.mark.usefixtures("kernels"),
    pytest.mark.filterwarnings("ignore::cybleu.errors.ShapeWarning"),
]

NAMES = ["hyp_len", "ref_len", *(f"match_{n}" for n in range(1, 5)), *(f"total_{n}" for n in range(1, 5))]
sentences = st.sampled_from(["The cat sat.", "", "a cat sat.", "naïve 猫", "x" * 13])
segments = st.lists(st.tuples(sentences, sentences, sentences | st.none()), max_size=9)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(tables, "BLOCK", 2)


def made(pyarrow, rows):
    return pyarrow.table(
        {
            "hypothesis": pyarrow.array([row[0] for row in rows], pyarrow.string()),
            "reference": pyarrow.array([row[1] for row in rows], pyarrow.string()).cast(pyarrow.string_view()),
            "other": pyarrow.array([row[2] for row in rows], pyarrow.large_string()),
            "both": pyarrow.array([row[1:] for row in rows], pyarrow.list_(pyarrow.string())),
            "tokens": pyarrow.array([row[0].split() for row in rows], pyarrow.list_(pyarrow.string())),
        }
    )


@given(rows=segments, cut=st.integers(0, 9))
def test_rows_are_those_of_the_same_lists(pyarrow, rows, cut):
    cut = min(cut, len(rows))
    hypotheses = [row[0] for row in rows]
    one = [[row[1]] for row in rows]
    both = [[text for text in row[1:] if text is not None] for row in rows]

    def parts():
        batches = [
            batch for part in (made(pyarrow, rows)[:cut], made(pyarrow, rows)[cut:]) for batch in part.to_batches()
        ]
        return pyarrow.RecordBatchReader.from_batches(made(pyarrow, rows).schema, batches)

    wanted = cybleu.rows(hypotheses, one, tokenize="13a")
    found = columns.rows(parts())
    assert list(found) == NAMES
    assert all(column.dtype == np.int64 and column.flags.c_contiguous for column in found.values())
    assert side_by_side(found) == wanted.tolist()
    assert list(columns.total(made(pyarrow, rows)).values()) == wanted.sum(axis=0).tolist()
    wanted = cybleu.rows(hypotheses, both, tokenize="intl", lowercase=True).tolist()
    for names in ("both", ["reference", "other"]):
        found = columns.rows(parts(), references=names, tokenize="intl", lowercase=True, threads=2)
        assert side_by_side(found) == wanted
    wanted = cybleu.rows([row[0].split() for row in rows], [[row[0].split()] for row in rows], max_order=2)
    metric = Bleu(max_order=2)
    found = columns.rows(parts(), "tokens", "tokens", metric)
    assert list(found) == ["hyp_len", "ref_len", "match_1", "match_2", "total_1", "total_2"]
    assert side_by_side(found) == wanted.tolist()


@given(rows=segments)
def test_dicts_of_lists(pyarrow, rows):
    texts = {"hypothesis": [row[0] for row in rows], "reference": [row[1] for row in rows]}
    texts |= {"other": [row[2] for row in rows], "both": [list(row[1:]) for row in rows]}
    for references in ("reference", ["reference", "other"], "both"):
        wanted = columns.rows(made(pyarrow, rows), references=references)
        found = columns.rows(texts, references=references)
        assert side_by_side(found) == side_by_side(wanted)
    tokens = [row[0].split() for row in rows]
    for others in (tokens, [[text, text] for text in tokens]) if any(tokens) else ():
        found = columns.rows({"hypothesis": tokens, "reference": others})
        wanted = cybleu.rows(tokens, [[text] for text in tokens])
        assert side_by_side(found) == wanted.tolist()


def test_a_reader_is_read_as_far_as_blocks_are_asked_for(pyarrow):
    table = made(pyarrow, [("a", "a", None)] * 3)

    def batches():
        yield from table.to_batches()
        raise OSError("the disk is gone")

    reader = pyarrow.RecordBatchReader.from_batches(table.schema, batches())
    blocks = columns.row_blocks(reader)
    assert [len(next(blocks)["hyp_len"]) for _ in range(2)] == [2, 1]
    with pytest.raises(ArrowError, match="the disk is gone"):
        next(blocks)


def test_errors_have_the_row_in_the_whole_table(pyarrow):
    fine = (b"a", b"b")
    for rows, error, match in (
        ([fine, fine, fine, (b"\xff", b"b")], NotUtf8Error, r"hypotheses\[4\]"),
        ([fine, (None, b"b")], SequenceTypeError, r"hypotheses\[2\] is null"),
        ([fine, fine, (b"a", None)], NoReferencesError, r"references\[3\]"),
        ([fine, fine, (b"a", b"\xff")], NotUtf8Error, r"references\[3\]"),
    ):
        parts = [dict(zip(("hypothesis", "reference"), zip(*part))) for part in ([fine], rows)]
        with pytest.raises(error, match=match):
            columns.rows(
                pyarrow.concat_tables([pyarrow.table({k: list(v) for k, v in part.items()}) for part in parts])
            )


NO_TABLES = {
    LengthMismatchError: {
        "0 sets of references": lambda pa: columns.rows({"hypothesis": ["a"], "reference": []}),
    },
    UnknownNameError: {
        "no column 'reference'; it has 'hypothesis'": lambda pa: columns.rows({"hypothesis": ["a"]}),
        "no column 'x'; it has 'hypothesis'": lambda pa: columns.rows(made(pa, []), "x"),
        "several columns": lambda pa: columns.rows(pa.table([["a"], ["a"]], names=["hypothesis"] * 2)),
        "no column of references": lambda pa: columns.rows(made(pa, []), references=np.array([])),
        "no column 1; it has 'a'": lambda pa: columns.rows({"a": ["a"]}, "a", 1),
    },
    ArrowError: {
        "cannot be read": [
            lambda pa: columns.rows(pa.array(["a"])),
            lambda pa: columns.rows(pa.chunked_array([["a"]])),
        ],
        "but it is a list; pass a table": lambda pa: columns.rows([["a", "b"]]),
    },
}


@pytest.mark.parametrize(("error", "advice", "call"), refused(NO_TABLES))
def test_what_is_no_table_of_these_columns(pyarrow, error, advice, call):
    with pytest.raises(error, match=advice):
        call(pyarrow)


def test_a_table_without_rows_has_the_columns(pyarrow):
    empty = columns.rows(made(pyarrow, []))
    assert {name: column.shape for name, column in empty.items()} == dict.fromkeys(NAMES, (0,))
    assert scores(empty).shape == (0,)


def test_scores_of_whatever_has_columns():
    numbers = {"hyp_len": 5, "ref_len": 5, "match_1": 4, "match_2": 2, "match_3": 1, "match_4": 0}
    numbers |= {"total_1": 5, "total_2": 4, "total_3": 3, "total_4": 2}
    wanted = score([*numbers.values()])
    for kind in (int, float, Decimal, np.int32, lambda number: [number], lambda number: np.array([number])):
        given_columns = {"name": "x", **{name: kind(number) for name, number in numbers.items()}}
        assert score(given_columns) == wanted
        assert scores(given_columns).tolist() == [wanted.score]
    for wrong in ({"hyp_len": 5.5}, {"hyp_len": -1}, {"hyp_len": 2**63}, {"hyp_len": None}, {"hyp_len": float("nan")}):
        for function in (score, scores):
            with pytest.raises(StatisticsError):
                function(numbers | wrong)
    for function in (score, scores):
        with pytest.raises(StatisticsError, match="no column 'total_4'"):
            function({name: number for name, number in numbers.items() if name != "total_4"})
        with pytest.raises(StatisticsError, match="different lengths"):
            function(numbers | {"hyp_len": [1, 2]})


@given(rows=segments)
@pytest.mark.parametrize("metric", ["sacrebleu", "nltk:method1", "nltk", "chrf", "gleu", "ter"])
def test_scores_of_segments_are_those_of_sentences(pyarrow, rows, metric):
    found = columns.segment_scores(made(pyarrow, rows), references=["reference", "other"], metric=metric)
    assert found.dtype == np.float64
    chosen = find(metric).of_sentences()
    sets = [[text for text in row[1:] if text is not None] for row in rows]
    expected = [chosen.score(chosen.rows([row[0]], [group])).score for group, row in zip(sets, rows)]
    assert found.tolist() == expected


def test_metrics_of_one_name_in_a_mixture():
    closest = find("sacrebleu")
    shortest = find("sacrebleu", reference_length="shortest")
    inner = Mixture(((closest, 0.25), (shortest, 0.75)))
    mixture = Mixture(((inner, 0.5), (shortest, 0.5), (find("gleu"), 0.5)))
    table = {"hypothesis": ["a b c d e f"], "reference": [["a b c d e g h", "a b"]]}
    rows = mixture.rows(table["hypothesis"], table["reference"])
    assert len({*mixture.columns}) == rows.shape[1] and mixture.columns[-1] == "gleu.ngrams"
    assert side_by_side(columns.rows(table, metric=mixture)) == rows.tolist()
    assert columns.segment_scores(table, metric=mixture).tolist() == mixture.of_sentences().scores(rows).tolist()
    assert columns.score(table, metric=mixture) == score(columns.total(table, metric=mixture), mixture)
    assert columns.score(table, metric=mixture) == score(rows, mixture)


def test_a_short_text_that_equals_its_reference_is_perfect():
    assert columns.segment_scores({"hypothesis": ["It rains."], "reference": ["It rains."]}) == pytest.approx([100])
    assert columns.segment_scores({"hypothesis": [], "reference": []}).tolist() == []


@given(rows=segments.filter(bool))
@pytest.mark.parametrize("metric", ["sacrebleu", "nltk:method1", "nltk", "chrf", "gleu", "ter"])
def test_totals_and_columns_are_scored_as_they_are(pyarrow, rows, metric):
    frame = made(pyarrow, rows)
    chosen = find(metric)
    expected = chosen.score(chosen.rows([row[0] for row in rows], [[row[1]] for row in rows]))
    assert score(columns.total(frame, metric=metric), metric) == expected
    assert score(columns.rows(frame, metric=metric), metric) == columns.score(frame, metric=metric) == expected


@pytest.mark.filterwarnings("error")
def test_words_in_several_columns_are_no_tokens_of_one_reference(pyarrow):
    assert columns.total(made(pyarrow, [("a b", "a", "b")]), references=["reference", "other"])["match_1"] == 2


def test_other_names_of_columns_are_taken_as_they_are():
    frame = {"reference": ["a b c d"], "reference2": ["a b c e"], "hypothesis": ["x"]}
    assert columns.total(frame, "reference", "reference2")["match_1"] == 3
    assert columns.total(frame, "hypothesis", "reference")["match_1"] == 0
