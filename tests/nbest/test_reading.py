"""N-best lists: the container, files in every format, merging, the command."""

from __future__ import annotations

import gzip
import io
import itertools
import pickle
import re
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st

from cybleu.cli import cli
from cybleu.errors import (
    ArrayTypeError,
    ArrayValueError,
    EmptyCorpusError,
    FeatureError,
    InputFileError,
    LengthMismatchError,
    MixedTokensError,
    SequenceTypeError,
    StatisticsError,
    UnknownNameError,
)
from cybleu.metrics import score
from cybleu.nbest import NBest, merge, read_segments
from cybleu.stats import References, segment_stats

pytestmark = pytest.mark.usefixtures("backend")

REFERENCES = [["the cat sat down"], ["it rains", "rain falls"], ["so it is"]]
ROW = [2, 4, 1, 0, 2, 1]


def written(folder, text, name="list"):
    path = folder / name
    path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return path


def same(one, other, texts=True):
    """Whether two lists are equal, to the last bit."""
    assert repr(one) == repr(other)
    assert one.names == other.names
    for name in ("offsets", "ids", "index", "features", "stats", "model_scores"):
        left, right = getattr(one, name), getattr(other, name)
        assert (left is None) == (right is None), name
        assert left is None or (left.dtype == right.dtype and left.tobytes() == right.tobytes()), name
    assert (one.sparse is None) == (other.sparse is None)
    if one.sparse is not None:
        assert sparse_of(one) == sparse_of(other)
    assert not texts or one.texts == other.texts
    return True


def sparse_of(nbest):
    """For each hypothesis its sparse features by name."""
    indptr, columns, values, names = nbest.sparse
    places = [range(*pair) for pair in itertools.pairwise(indptr)]
    return [{names[columns[place]]: float(values[place]).hex() for place in row} for row in places]


# ----------------------------------------------------------------------------------------------------------- container


def made(**changes):
    arguments = {"offsets": [0, 2, 2, 3], "features": np.arange(6.0).reshape(3, 2), "stats": [ROW] * 3}
    return NBest(**{**arguments, **changes})


def test_what_is_not_given():
    nbest = made()
    assert (nbest.names, nbest.texts, nbest.score, nbest.sparse) == (("f0", "f1"), None, None, None)
    assert (nbest.ids.tolist(), nbest.index.tolist(), nbest.inputs) == ([0, 1, 2], [0, 1, 2], 3)
    assert len(nbest) == 3
    assert [nbest.segment(number) for number in range(3)] == [slice(0, 2), slice(2, 2), slice(2, 3)]
    assert nbest.stats.dtype == np.int64


def test_the_arrays_cannot_be_written_to():
    nbest = made(sparse=([0, 1, 1, 2], [0, 1], [0.5, 1.0], ["a_b", "a_c"]))
    arrays = [nbest.offsets, nbest.features, nbest.stats, nbest.ids, nbest.index, *nbest.sparse[:3]]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(AttributeError):
        nbest.features = np.zeros((3, 2))
    with pytest.raises(AttributeError, match="cannot be changed"):
        del nbest.features


@pytest.mark.parametrize("inputs", [-1, 2, 2**53 + 1, 2**70, 3.0, "3"])
def test_inputs_that_cannot_be(inputs):
    with pytest.raises(ArrayValueError, match="input"):
        made(inputs=inputs)


def test_large_arrays_are_not_copied_and_their_owner_may_write():
    features, stats = np.zeros((3, 2)), np.array([ROW] * 3)
    nbest = made(features=features, stats=stats)
    assert np.shares_memory(nbest.features, features)
    assert np.shares_memory(nbest.stats, stats)
    features[0, 0] = 5
    offsets = np.array([0, 2, 2, 3])
    nbest = made(offsets=offsets)
    offsets[1] = 99
    assert nbest.offsets.tolist() == [0, 2, 2, 3]


@pytest.mark.parametrize(
    ("stats", "score", "expected"),
    [
        ([0.5, 0.25, 1.0], None, [[0.5], [0.25], [1.0]]),
        ([[0.5, -1], [0, 2], [1, 1]], None, [[0.5, -1], [0, 2], [1, 1]]),
        ([3, 2, 1], sum, [[3], [2], [1]]),
        ([[3, 9, -4]] * 3, sum, [[3, 9, -4]] * 3),
        (np.full((3, 6), 1, dtype=np.uint8), None, [[1] * 6] * 3),
    ],
)
def test_statistics_of_any_metric(stats, score, expected):
    assert made(stats=stats, score=score).stats.tolist() == expected


def test_pickle():
    nbest = made(
        sparse=([0, 1, 1, 2], [0, 1], [0.5, 1.0], ["a_b", "a_c"]),
        texts=["a", "b", "c"],
        ids=[4, 5, 6],
        index=[3, 1, 7],
        inputs=9,
    )
    assert same(nbest, pickle.loads(pickle.dumps(nbest)))
    assert pickle.loads(pickle.dumps(nbest)).inputs == 9


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"features": [[0, 1], [2, float("nan")], [4, 5]]}, FeatureError, "'f1' of hypothesis 1 of segment 0 is nan"),
        ({"features": [[0, 1], [2, 3], [-np.inf, 5]]}, FeatureError, "'f0' of hypothesis 0 of segment 2 is -inf"),
        ({"features": [0, 1, 2]}, ArrayTypeError, "features has 1 dimensions"),
        ({"features": [["a", "b"]] * 3}, ArrayTypeError, "features has dtype"),
        ({"offsets": [0, 2, 4]}, ArrayValueError, "must begin with 0 and end with the number of hypotheses, 3"),
        ({"offsets": [1, 3]}, ArrayValueError, "it is 1 to 3"),
        ({"offsets": []}, ArrayValueError, "it is empty"),
        ({"offsets": [0, 3, 2, 3]}, ArrayValueError, "falls from 3 to 2 at 2"),
        ({"offsets": [0, 1.5, 3]}, ArrayTypeError, "offsets must be whole numbers"),
        ({"stats": [ROW] * 2}, LengthMismatchError, "stats has 2 entries, and there are 3 hypotheses"),
        ({"stats": [ROW, ROW, [2, 4, 3, 0, 2, 1]]}, StatisticsError, "hypothesis 0 of segment 2 cannot be"),
        ({"stats": [ROW, [2, 4, -1, 0, 2, 1], ROW]}, StatisticsError, "hypothesis 1 of segment 0 cannot be"),
        ({"stats": [[1, 2, 3]] * 3}, StatisticsError, "3 columns.*give score="),
        ({"stats": [[0.5], [np.nan], [1]]}, StatisticsError, "statistic of hypothesis 1 of segment 0 is nan"),
        ({"stats": np.full((3, 6), 2**63, dtype=np.uint64)}, StatisticsError, "above"),
        ({"stats": [["a"]] * 3}, ArrayTypeError, "stats has dtype"),
        ({"stats": [[[1]]] * 3, "score": sum}, ArrayTypeError, "3 dimensions"),
        ({"names": ["a"]}, FeatureError, "1 names and 2 features"),
        ({"names": ["a", "a"]}, FeatureError, "'a' is there twice"),
        ({"names": ["a", "b c"]}, FeatureError, "without white space"),
        ({"names": "ab"}, FeatureError, "must be a list"),
        ({"texts": ["a", "b"]}, LengthMismatchError, "2 texts and 3 hypotheses"),
        ({"texts": ["a", ["b"], "c"]}, ArrayTypeError, "hypothesis 1 of segment 0 is a list"),
        ({"ids": [1, 2]}, LengthMismatchError, "ids has 2 entries, and there are 3 segments"),
        ({"ids": [1, 2, -3]}, ArrayValueError, "ids holds -3"),
        ({"index": [0, 1, 7]}, ArrayValueError, "index holds 7"),
        ({"model_scores": [1, 2, np.inf]}, StatisticsError, "model score of hypothesis 0 of segment 2 is inf"),
        ({"sparse": ([0, 1], [0], [1.0], ["a"])}, LengthMismatchError, "of 1 hypotheses, and features of 3"),
        ({"sparse": ([0, 0, 0, 1], [1], [1.0], ["a"])}, ArrayValueError, "holds 1, and there are 1 names"),
        ({"sparse": ([0, 0, 0, 1], [0], [1.0], ["f1"])}, FeatureError, "'f1' is both dense and sparse"),
        ({"sparse": ([0, 2, 2, 2], [0, 0], [1.0, 2.0], ["a"])}, ArrayValueError, "not strictly ascending"),
        ({"sparse": ([0, 0, 1, 1], [0], [np.nan], ["a"])}, FeatureError, "'a' of hypothesis 1 of segment 0 is nan"),
    ],
)
def test_arrays_that_cannot_be(changes, error, message):
    with pytest.raises(error, match=message):
        made(**changes)


def test_there_is_no_such_segment():
    with pytest.raises(ArrayValueError, match="no segment 3"):
        made().segment(3)


# ---------------------------------------------------------------------------------------------------------- from texts


def test_from_texts():
    hypotheses = [["the cat", "a cat sat"], [], ["so it is"]]
    nbest = NBest.from_texts(hypotheses, REFERENCES, [[1.0], [2.0], [3.0]], ["lm"], max_order=2, model_scores=[3, 2, 1])
    tokens = [[text.split() for text in REFERENCES[0]]] * 2 + [[text.split() for text in REFERENCES[2]]]
    assert nbest.stats.tolist() == segment_stats(tokens, [text.split() for text in nbest.texts], 2).tolist()
    assert nbest.offsets.tolist() == [0, 2, 2, 3]
    assert (nbest.names, nbest.model_scores.tolist()) == (("lm",), [3, 2, 1])
    token_lists = [[text.split() for text in texts] for texts in REFERENCES]
    prepared = References(token_lists, 2)
    for references in (token_lists, prepared):
        again = NBest.from_texts(hypotheses, references, max_order=2)
        assert again.stats.tolist() == nbest.stats.tolist()
        assert again.features.shape == (3, 0)


def test_from_texts_tokenises():
    by_name = NBest.from_texts([["It is."]], [["It is."]], tokenize="13a")
    by_function = NBest.from_texts([["a-b"]], [["a-b-c"]], tokenize=lambda text: text.split("-"))
    by_ascii = NBest.from_texts([["a\xa0b c"]], [["a\xa0b c"]], tokenize="ascii")
    assert [nbest.stats[0, 0] for nbest in (by_name, by_function, by_ascii)] == [3, 2, 2]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([["a"]], REFERENCES), LengthMismatchError, "1 segments of hypotheses and 3 of references"),
        ((["a", "b", "c"], REFERENCES), SequenceTypeError, "a list of texts for each segment"),
        (([[["a"]], [], []], REFERENCES), SequenceTypeError, "a list of texts for each segment"),
        (([["a"], [], []], References([[["a"]]] * 3, 2), None, None), ArrayValueError, "max_order=4 does not fit"),
    ],
)
def test_texts_that_cannot_be(arguments, error, message):
    with pytest.raises(error, match=message):
        NBest.from_texts(*arguments, **({"max_order": 4} if len(arguments) == 4 else {}))


def test_an_unknown_tokeniser():
    with pytest.raises(UnknownNameError, match="nosuch"):
        NBest.from_texts([["a"]], [["a"]], tokenize="nosuch")


# -------------------------------------------------------------------------------------------------------------- formats

NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e3, 1e3).map(lambda value: f"{value:g}"),
    st.sampled_from(
        "0 -0 -0.0 +1 1. .5 1e-3 1E5 -2.5e+3 007 9007199254740993 123456789012345678901 1e22 1e23 5e-324".split()
    ),
    st.sampled_from(
        ["0." + "0" * 30 + "1", "1" + "0" * 30, "0.1000000000000000055511151231257827", "1e-400", "1e0000001"]
    ),
    st.from_regex(r"[+-]?[0-9]{1,20}(\.[0-9]{0,20})?([eE][+-]?[0-9]{1,2})?", fullmatch=True),
)
TOKENS = st.one_of(
    st.sampled_from("the cat sat down it rains a=b = c: | || é 猫 পিরালী 🐈 a_b= 0.5".split()),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="|\n\r \t"), min_size=1, max_size=4),
)
BLANKS = st.sampled_from(["", " ", "  ", " \t"])
SOME_BLANKS = st.sampled_from([" ", " ", "  ", "\t"])


@st.composite
def hypotheses(draw, sparse=False, some_features=False):
    """Ids, texts, features by name, sparse features by name, scores; numbers as they are written."""
    bases = draw(st.lists(st.sampled_from(["d", "lm", "tm", "WordPenalty0", "a=b", "x:"]), max_size=4, unique=True))
    sizes = [draw(st.integers(1, 3)) for _ in bases]
    names = [f"{base}_{number}" for base, size in zip(bases, sizes) for number in range(size)]
    rows = []
    for _ in range(draw(st.integers(1, 8))):
        present = [name for name in names if not some_features or draw(st.booleans())]
        others = draw(st.lists(st.sampled_from(["pp_a", "pp_b=c", "s_1"]), max_size=3, unique=True)) if sparse else []
        rows.append(
            (
                draw(st.integers(0, 3)),
                draw(st.lists(TOKENS, max_size=5)),
                {name: draw(NUMBERS) for name in present},
                {name: draw(NUMBERS) for name in others},
                draw(NUMBERS),
            )
        )
    numbers = [number for row in rows for number in [*row[2].values(), *row[3].values(), row[4]]]
    assume(all(np.isfinite(float(number)) for number in numbers))
    return names, rows


@st.composite
def moses_lines(draw, listed):
    _names, rows = listed
    old = draw(st.booleans())
    lines = []
    for segment, tokens, features, sparse, total in rows:
        words, base = [], None
        for name, value in features.items():
            if name.rpartition("_")[0] != base:
                base = name.rpartition("_")[0]
                words.append(base + ("=:"[old]))
            words.append(value)
        for name, value in sparse.items():
            words += [f"{name}{'=:'[old]}", value]
        fields = [
            str(segment),
            draw(SOME_BLANKS).join(tokens),
            draw(SOME_BLANKS).join(words),
            total,
            *draw(st.sampled_from([[], [], ["0-0 1-1"], ["", "x=y | z"]])),
        ]
        line = draw(BLANKS) + "|||".join(field + (draw(BLANKS) or " " * field.endswith("|")) for field in fields)
        lines.append(line.replace("|||", f"|||{draw(BLANKS)}") + draw(st.sampled_from(["", "\r"])))
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"]))


def check(nbest, names, rows):
    """The list against the rows that its file was made from."""
    order = sorted(range(len(rows)), key=lambda number: rows[number][0])
    assert nbest.index.tolist() == order
    assert np.diff(nbest.offsets).tolist() == [sum(row[0] == number for row in rows) for number in range(4)]
    rows = [rows[number] for number in order]
    assert nbest.model_scores.tolist() == [float(row[4]) for row in rows]
    assert [text.split() for text in nbest.texts] == [" ".join(row[1]).split() for row in rows]
    for name in nbest.names:
        column = nbest.features[:, nbest.names.index(name)].tolist()
        expected = [float(row[2].get(name, "0")) for row in rows]
        assert list(map(float.hex, column)) == list(map(float.hex, expected))
    assert set(nbest.names) == {name for row in rows for name in row[2]}
    found = [{}] * len(rows) if nbest.sparse is None else sparse_of(nbest)
    assert found == [{name: float(value).hex() for name, value in row[3].items()} for row in rows]
    references = [[text.split() for text in FOUR[row[0]]] for row in rows]
    assert (nbest.stats == segment_stats(references, [" ".join(row[1]).split() for row in rows])).all()


FOUR = [["the cat sat down", "a=b = c:"], ["it rains a_b= é"], [""], ["猫 🐈 | || পিরালী", "the the"]]


@given(st.data(), st.booleans())
def test_moses(tmp_path_factory, data, sparse):
    names, rows = data.draw(hypotheses(sparse=sparse))
    path = written(tmp_path_factory.mktemp("lists"), data.draw(moses_lines((names, rows))))
    nbest = NBest.from_files(path, FOUR, "moses")
    check(nbest, names, rows)
    assert nbest.names == tuple(names)


@given(hypotheses(some_features=True), st.data())
def test_joshua(tmp_path_factory, listed, data):
    names, rows = listed
    lines = []
    for segment, tokens, features, _, total in rows:
        pairs = " ".join(f"{name}={value}" for name, value in features.items())
        blanks = [data.draw(BLANKS) for _ in range(6)]
        if tokens and tokens[-1].endswith("|"):
            blanks[2] = " "
        line = f"{segment}{blanks[0]}|||{blanks[1]}{' '.join(tokens)}{blanks[2]}|||{blanks[3]}{pairs}{blanks[4]}|||"
        lines.append(f"{line}{blanks[5]}{total}\n")
    nbest = NBest.from_files(written(tmp_path_factory.mktemp("lists"), "".join(lines)), FOUR, "joshua")
    check(nbest, names, rows)


@given(hypotheses(), st.integers(1, 3))
def test_plain(tmp_path_factory, listed, size):
    names, rows = listed
    rows = (rows * 12)[: 4 * size]
    folder = tmp_path_factory.mktemp("lists")
    texts = written(folder, "".join(" ".join(row[1]) + "\n" for row in rows))
    table = written(folder, "".join(" ".join(row[2].values()) + "\n" for row in rows), "table")
    nbest = NBest.from_files(texts, FOUR, size=size, features=table, names=names)
    rows = [(number // size, *row[1:]) for number, row in enumerate(rows)]
    assert nbest.model_scores is None
    with_scores = NBest(
        nbest.offsets,
        nbest.features,
        nbest.stats,
        nbest.names,
        nbest.texts,
        model_scores=[float(row[4]) for row in rows],
    )
    check(with_scores, names, rows)
    alone = NBest.from_files(texts, FOUR, "plain", size=size)
    assert (alone.features.shape, alone.texts) == ((4 * size, 0), nbest.texts)


def line(number=0, text="the cat", features="d= 1 2 lm= 3", total="-1"):
    return f"{number} ||| {text} ||| {features} ||| {total}\n"


def test_the_format_is_seen(tmp_path):
    for features, names in (
        ("d= 1 2 lm= 3", ("d_0", "d_1", "lm_0")),
        ("d: 1 2 lm: 3", ("d_0", "d_1", "lm_0")),
        ("1 2 3", ("f0", "f1", "f2")),
        ("lm_0=1 a=b=2 glue=3", ("lm_0", "a=b", "glue")),
        ("tm= 1 d= 2 tm= 3", ("tm_0", "d_0", "tm_1")),
    ):
        nbest = NBest.from_files(written(tmp_path, line(features=features)), REFERENCES)
        assert nbest.names == names
        assert sorted(nbest.features[0].tolist()) == [1, 2, 3]
    nothing = line(features="")
    nbest = NBest.from_files(written(tmp_path, nothing + line(features="d=1")), REFERENCES)
    assert nbest.features.tolist() == [[0], [1]]
    with pytest.raises(InputFileError, match=r"line 1: has no features.*give format='moses' or format='joshua'"):
        NBest.from_files(written(tmp_path, nothing), REFERENCES)
    for name in ("moses", "joshua"):
        assert NBest.from_files(written(tmp_path, nothing), REFERENCES, name).features.shape == (1, 0)


def test_the_order_of_labels_may_change(tmp_path):
    text = line(features="d= 1 2 lm= 3") + line(features="lm= 6 d= 4 5") + line(features="d= 7 8 lm= 9")
    assert NBest.from_files(written(tmp_path, text), REFERENCES).features.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


def test_a_line_that_was_begun_and_declined_leaves_nothing(tmp_path):
    text = line(features="a=1 b=2 c=3") + line(features="a=4 b=5") + line(features="a=6 b=7 c=8 d=9")
    nbest = NBest.from_files(written(tmp_path, text), REFERENCES)
    assert nbest.features.tolist() == [[1, 2, 3, 0], [4, 5, 0, 0], [6, 7, 8, 9]]


def test_many_blocks(tmp_path):
    """Lists longer than what is read at once, names that come late, a segment that goes on in the next block."""
    text = "".join(line(number // 2500, f"the cat {number}", f"a={number}") for number in range(7500)) + line(
        2, "", "a=1 b=2"
    )
    path = written(tmp_path, text)
    assert len(text) > 2 << 16
    nbest = NBest.from_files(path, REFERENCES)
    assert nbest.features[:, 0].tolist() == [*range(7500), 1]
    assert nbest.features[:, 1].tolist() == [0] * 7500 + [2]
    assert nbest.texts[7499] == "the cat 7499"
    assert np.diff(nbest.offsets).tolist() == [2500, 2500, 2501]
    segments = list(read_segments(path))
    assert [(segment.id, len(segment.texts)) for segment in segments] == [(0, 2500), (1, 2500), (2, 2501)]
    assert np.concatenate([segment.features[:, 0] for segment in segments]).tolist() == [*range(7500), 1]
    assert same(nbest, NBest.from_files(written(tmp_path, gzip.compress(text.encode())), REFERENCES))


def test_standard_input(tmp_path, monkeypatch):
    text = line() + line(1)
    expected = NBest.from_files(written(tmp_path, text), REFERENCES)
    for data in (text.encode(), gzip.compress(text.encode())):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert same(expected, NBest.from_files("-", REFERENCES))


def test_ids_skip_and_interleave(tmp_path):
    path = written(tmp_path, line(2, "so") + line(0, "the") + line(2, "it") + line(2, "is") + line(0, "cat"))
    nbest = NBest.from_files(path, REFERENCES)
    assert nbest.offsets.tolist() == [0, 2, 2, 5]
    assert nbest.texts == ["the", "cat", "so", "it", "is"]
    assert nbest.index.tolist() == [1, 4, 0, 2, 3]
    assert nbest.stats[:, 2].tolist() == [1] * 5
    segments = list(read_segments(path))
    assert [(segment.id, segment.texts) for segment in segments] == [
        (2, ["so"]),
        (0, ["the"]),
        (2, ["it", "is"]),
        (0, ["cat"]),
    ]


def test_segments_of_a_stream(tmp_path):
    path = written(
        tmp_path, line(5, "a b", "d= 1 p_x= 7", "-2") + line(5, "", "d= 2 p_y= 3 p_x= 4", "-3") + line(9, "c", "d= 3")
    )
    first, second = read_segments(path)
    assert (first.id, first.texts, first.names, first.features.tolist()) == (5, ["a b", ""], ("d_0",), [[1], [2]])
    assert first.model_scores.tolist() == [-2, -3]
    assert [array.tolist() for array in first.sparse[:3]] == [[0, 1, 3], [0, 0, 1], [7, 4, 3]]
    assert first.sparse.names == ("p_x", "p_y")
    assert second.sparse.indptr.tolist() == [0, 0]
    plain = written(tmp_path, "a b\nc\nd\ne\n")
    assert [(segment.id, segment.texts, segment.model_scores) for segment in read_segments(plain, size=2)] == [
        (0, ["a b", "c"], None),
        (1, ["d", "e"], None),
    ]


def test_ids_that_start_at_one(tmp_path):
    path = written(tmp_path, line(1) + line(2) + line(3))
    with pytest.raises(InputFileError, match=r"list, line 3: the id is 3, .*3 segments.* 0 to 2; .*give first_id=1"):
        NBest.from_files(path, REFERENCES)
    nbest = NBest.from_files(path, REFERENCES, first_id=1)
    assert (nbest.ids.tolist(), nbest.offsets.tolist()) == ([1, 2, 3], [0, 1, 2, 3])
    with pytest.raises(InputFileError, match=r"line 1: the id is 1, .*go from 2 to 4; give first_id="):
        NBest.from_files(path, REFERENCES, first_id=2)
    with pytest.raises(InputFileError, match=r"line 2: the id is 7, .*go from 0 to 2; give first_id="):
        NBest.from_files(written(tmp_path, line(0) + line(7)), REFERENCES)


def test_references_from_files(tmp_path):
    first = written(tmp_path, "the cat sat down\nit rains\nso it is\n", "first")
    second = written(tmp_path, gzip.compress(b"a cat\nrain falls\nso\n"), "second")
    lists = [["the cat sat down", "a cat"], ["it rains", "rain falls"], ["so it is", "so"]]
    path = written(tmp_path, line() + line(1, "rain") + line(2, "so"))
    assert same(NBest.from_files(path, [first, str(second)]), NBest.from_files(path, lists))
    assert same(NBest.from_files(path, first), NBest.from_files(path, [texts[:1] for texts in lists]))
    third = written(tmp_path, "a\nb\n", "third")
    with pytest.raises(LengthMismatchError, match=r"first: 3, .*third: 2"):
        NBest.from_files(path, [first, third])
    with pytest.raises(MixedTokensError):
        NBest.from_files(path, References([[[1, 2]]] * 3))


def test_options_of_reading(tmp_path):
    path = written(tmp_path, line(1, "rain\xa0falls. down"))
    nbest = NBest.from_files(path, REFERENCES, tokenize="ascii", max_order=2, reference_length="shortest", texts=False)
    assert nbest.texts is None
    assert nbest.stats.tolist() == [[2, 2, 0, 0, 2, 1]]
    assert NBest.from_files(path, REFERENCES).stats[0].tolist() == [3, 2, 1, 0, 0, 0, 3, 2, 1, 0]
    assert NBest.from_files(path, REFERENCES, tokenize="13a").stats[0, [0, 2, 3]].tolist() == [4, 2, 1]


def test_a_progress_bar(tmp_path):
    path = written(tmp_path, line())
    assert same(NBest.from_files(path, REFERENCES, progress=True), NBest.from_files(path, REFERENCES))


@pytest.mark.parametrize("before", ["", line()])
@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("\n", "is empty, where there must be id"),
        ("0 ||| the cat ||| d= 1 2 lm= 3\n", r"has 3 of the fields id \|\|\| tokens"),
        ("the cat ||| sat ||| d= 1 2 lm= 3 ||| -1\n", "the id is 'the cat'; it must be a whole number"),
        (line("-1"), "the id is '-1'"),
        (line("1_0"), "the id is '1_0'"),
        (line("9" * 30), "the id is"),
        (line(total=""), "the score is ''; it must be one number"),
        (line(total="-1 2"), "the score is '-1 2'; it must be one number"),
        (line(total="x"), "the score 'x' is not a number"),
        (line(total="nan"), "the score is nan; it must be a finite number"),
        (line(features="d= 1 nan lm= 3"), "a value of 'd' is nan; it must be a finite number"),
        (line(features="d= 1 -inf lm= 3"), "a value of 'd' is -inf"),
        (line(features="d= 1 1e999 lm= 3"), "a value of 'd' is 1e999"),
        (line(features="d= 1 x lm= 3"), "a value of 'd' 'x' is not a number"),
        (line(features="d= 1 2_0 lm= 3"), "'2_0' is not a number"),
        (line(features="d= 1 ２ lm= 3"), "'２' is not a number"),
        (line(features="d= 1 0x2 lm= 3"), "'0x2' is not a number"),
        (line(features="d= 1 1e lm= 3"), "'1e' is not a number"),
        (line(features="d= 1 . lm= 3"), "'.' is not a number"),
        (line(features="d= 1 2 lm="), "'lm=' has no value"),
        (line(features="d= 1 2 = 3"), "'=' has no name"),
        (line(features="1 d= 2 lm= 3"), "'1' stands before the first name"),
        (line(features="d= 1 2 lm= 3 p_a= 1 2"), "'p_a' has 2 values; a name with '_' has one"),
        (line(features="d= 1 2 lm= 3 p_a= 1 p_a= 1"), "'p_a' is there twice"),
        (line(text="a ||| b"), "the score is 'd= 1 2 lm= 3'; it must be one number"),
    ],
)
def test_malformed_lines(tmp_path, before, bad, reason):
    with pytest.raises(InputFileError, match=reason) as caught:
        NBest.from_files(written(tmp_path, before + bad + line()), REFERENCES, "moses")
    assert f"list, line {2 if before else 1}: " in str(caught.value)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (line(features="d= 1 2"), "the feature 'lm_0' of the lines before is missing"),
        (line(features="d= 1 2 3 lm= 3"), "the feature 'd_2' is not in the lines before"),
        (line(features="d= 1 2 tm= 3"), "the feature 'tm_0' is not in the lines before"),
        (line(features="1 2 3"), "the feature 'f0' is not in the lines before"),
    ],
)
def test_features_that_change(tmp_path, bad, reason):
    with pytest.raises(InputFileError, match=f"list, line 2: {reason}"):
        NBest.from_files(written(tmp_path, line() + bad), REFERENCES)


@pytest.mark.parametrize(
    ("features", "reason"),
    [
        ("lm=1 glue", "'glue' is not a feature such as lm=-3.5"),
        ("lm=1 =2", "'=2' is not a feature"),
        ("lm=1 lm=2", "the feature 'lm' is there twice"),
        ("lm=1 glue=", "the value of 'glue' '' is not a number"),
        ("lm=1 glue=inf", "the value of 'glue' is inf"),
    ],
)
def test_malformed_pairs(tmp_path, features, reason):
    with pytest.raises(InputFileError, match=f"list, line 2: {reason}"):
        NBest.from_files(written(tmp_path, line(features="lm=1") + line(features=features)), REFERENCES)


@pytest.mark.parametrize(
    ("text", "arguments", "error", "reason"),
    [
        ("", {}, InputFileError, "there is no line in it"),
        ("the cat\n", {}, InputFileError, "list, line 1: has no '|||'.*give that number as size="),
        (line(features="d= 1 lm=3"), {}, InputFileError, "label 'd='.*pair 'lm=3'.*give format='moses' or"),
        ("FEATURES_TXT_BEGIN_0 0 1 1 d\n", {}, InputFileError, "read it with NBest.from_moses"),
        (line(), {"format": "mosis"}, UnknownNameError, "unknown format 'mosis'; use one of moses, joshua, plain"),
        (line(), {"format": "plain"}, ArrayValueError, "size is None; the plain format needs"),
        (line(), {"size": 0}, ArrayValueError, "size is 0"),
        (line(), {"format": "moses", "size": 2}, ArrayValueError, "for the plain format"),
        (line(), {"features": "table"}, ArrayValueError, "for the plain format"),
        ("a\nb\nc\n", {"size": 2}, InputFileError, "list: has 3 lines, which is not a multiple of 2"),
        ("a\n" * 8, {"size": 2}, InputFileError, "list, line 7: the id is 3"),
        (b"0 ||| a\xff ||| d= 1 ||| 1\n", {}, InputFileError, "list, line 1: not UTF-8 text: byte 0xff"),
        (gzip.compress(line().encode(), mtime=0)[:-9], {}, InputFileError, "gzip data is damaged or cut off"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, text, arguments, error, reason):
    with pytest.raises(error, match=reason):
        NBest.from_files(written(tmp_path, text), REFERENCES, **arguments)


def test_a_missing_file(tmp_path):
    with pytest.raises(InputFileError, match="nosuch: cannot be read"):
        NBest.from_files(tmp_path / "nosuch", REFERENCES)
    with pytest.raises(InputFileError, match="nosuch: cannot be read"):
        NBest.from_files(written(tmp_path, "a\n"), REFERENCES, size=1, features=tmp_path / "nosuch")


@pytest.mark.parametrize(
    ("table", "error", "reason"),
    [
        ("1 2\n3 4\n", InputFileError, "table: has 2 lines, fewer than .*list"),
        ("1 2\n3 4\n5 6\n7 8\n", InputFileError, "table: has more lines than .*list, which has 3"),
        ("1 2\n3\n5 6\n", InputFileError, "table, line 2: has 1 features, and the lines before have 2"),
        ("1 2\n3 x\n5 6\n", InputFileError, "table, line 2: a feature 'x' is not a number"),
        ("1 2\n3 4\n5 nan\n", InputFileError, "table, line 3: a feature is nan"),
        ("1\n3\n5\n", FeatureError, "there are 2 names and 1 features"),
    ],
)
def test_feature_tables_that_do_not_fit(tmp_path, table, error, reason):
    texts = written(tmp_path, "a\nb\nc\n")
    table = written(tmp_path, table, "table")
    with pytest.raises(error, match=reason):
        NBest.from_files(texts, REFERENCES, size=1, features=table, names=["a", "b"])


# -------------------------------------------------------------------------------------------------------------- writing

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def lists(draw, names=None, sparse=True, segments=None, few=False):
    """A list of BLEU statistics."""
    sizes = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4)) if segments is None else segments
    if segments is not None:
        sizes = [draw(st.integers(0, 4)) for _ in range(segments)]
    count = sum(sizes)
    if names is None:
        names = draw(st.sampled_from([["d_0", "d_1", "lm_0"], ["f0", "f1"], ["a=b_0", "d_0", "a=b_1"], []]))
    values = st.sampled_from([0.0, -0.0, 1.0]) if few else FINITE
    features = np.array([[draw(values) for _ in names] for _ in range(count)]).reshape(count, len(names))
    words = st.lists(st.sampled_from("the cat sat it".split()), max_size=1 if few else 6)
    texts = [draw(words) for _ in range(count)]
    pairs = None
    if sparse and names != ["f0", "f1"]:
        possible = draw(st.permutations(["p_a", "p_b=c", "p_b="]))
        rows = [sorted(draw(st.sets(st.integers(0, 2), max_size=2))) for _ in range(count)]
        columns = [column for row in rows for column in row]
        indptr = np.cumsum([0, *map(len, rows)])
        pairs = (indptr, columns, [draw(values) for _ in columns], possible)
    references = [[["the", "cat", "sat"], ["it"]]] * len(sizes)
    stats = References(references).stats(texts, np.repeat(np.arange(len(sizes)), sizes))
    scores = [draw(FINITE) for _ in range(count)]
    offsets = np.cumsum([0, *sizes])
    return NBest(offsets, features, stats, names, list(map("  ".join, texts)), None, pairs, model_scores=scores)


def as_read(nbest):
    """Without the sparse names that no hypothesis has, which no file can hold."""
    sparse = nbest.sparse if nbest.sparse is not None and len(nbest.sparse.values) else None
    return NBest(
        nbest.offsets,
        nbest.features,
        nbest.stats,
        nbest.names,
        nbest.texts,
        None,
        sparse,
        model_scores=nbest.model_scores,
    )


def same_but_sparse_names(one, other, texts=True):
    one, other = as_read(one), as_read(other)
    if one.sparse is not None:
        used = {name for row in sparse_of(one) for name in row}
        assert set(other.sparse.names) == used
        assert sparse_of(one) == sparse_of(other)
    without = [
        NBest(list_.offsets, list_.features, list_.stats, list_.names, list_.texts, model_scores=list_.model_scores)
        for list_ in (one, other)
    ]
    return same(*without, texts=texts)


@given(lists(), st.sampled_from(["list", "list.gz"]))
def test_what_is_written_is_read(tmp_path_factory, nbest, name):
    assume(len(nbest.features))
    folder = tmp_path_factory.mktemp("lists")
    references = [["the cat sat", "it"]] * len(nbest)
    nbest.write(folder / name)
    assert (folder / name).read_bytes().startswith(b"\x1f\x8b") == (name == "list.gz")
    assert same_but_sparse_names(nbest, NBest.from_files(folder / name, references, "moses"))
    if nbest.sparse is None and nbest.names:
        nbest.write(folder / name, "joshua")
        assert same_but_sparse_names(nbest, NBest.from_files(folder / name, references, "joshua"))


@given(lists(), st.sampled_from(["", ".gz"]))
def test_moses_files_are_read_as_they_were_written(tmp_path_factory, nbest, ending):
    assume(len(nbest.features))
    folder = tmp_path_factory.mktemp("lists")
    paths = folder / f"features{ending}", folder / f"scores{ending}"
    nbest.to_moses(*paths)
    read = NBest.from_moses(*paths, len(nbest))
    assert (read.texts, read.model_scores) == (None, None)
    expected = NBest(nbest.offsets, nbest.features, nbest.stats, nbest.names, sparse=nbest.sparse)
    assert same_but_sparse_names(expected, read)
    before = [path.read_bytes() for path in paths]
    read.to_moses(*paths)
    if nbest.sparse is None:
        assert [path.read_bytes() for path in paths] == before


FEATURES_FILE = """FEATURES_TXT_BEGIN_0 0 2 3 d_0 d_1 lm_0
0 -7.66174 1
0.5 1e-05 2 pp_a=0.25 pp_b==1
FEATURES_TXT_END_0
FEATURES_TXT_BEGIN_0 2 1 3 d_0 d_1 lm_0
1 2 3
FEATURES_TXT_END_0
"""
SCORES_FILE = """SCORES_TXT_BEGIN_0 0 2 9 BLEU
6 8 2 7 1 6 0 5 9
3 3 2 2 1 1 0 0 9
SCORES_TXT_END_0
SCORES_TXT_BEGIN_0 2 1 9 BLEU
0 0 0 0 0 0 0 0 4
SCORES_TXT_END_0
"""


def from_moses(folder, features=FEATURES_FILE, scores=SCORES_FILE, *arguments, **keywords):
    return NBest.from_moses(written(folder, features, "F"), written(folder, scores, "S"), *arguments, **keywords)


def test_files_of_the_extractor(tmp_path):
    nbest = from_moses(tmp_path)
    assert nbest.names == ("d_0", "d_1", "lm_0")
    assert nbest.features.tolist() == [[0, -7.66174, 1], [0.5, 1e-05, 2], [1, 2, 3]]
    assert nbest.offsets.tolist() == [0, 2, 2, 3]
    assert nbest.stats.tolist() == [
        [8, 9, 6, 2, 1, 0, 8, 7, 6, 5],
        [3, 9, 3, 2, 1, 0, 3, 2, 1, 0],
        [0, 4, 0, 0, 0, 0, 0, 0, 0, 0],
    ]
    assert sparse_of(nbest) == [{}, {"pp_a": (0.25).hex(), "pp_b=": (1.0).hex()}, {}]
    assert len(from_moses(tmp_path, FEATURES_FILE, SCORES_FILE, 7)) == 7
    unnamed = from_moses(tmp_path, FEATURES_FILE.replace("d_0 d_1 lm_0", ""))
    assert unnamed.names == ("f0", "f1", "f2")
    one_based = [text.replace("_0 0 ", "_0 1 ") for text in (FEATURES_FILE, SCORES_FILE)]
    assert from_moses(tmp_path, *one_based, first_id=1).ids.tolist() == [1, 2]


@pytest.mark.parametrize("segments", [None, 2, 5])
def test_files_of_the_extractor_without_hypotheses(tmp_path, segments):
    features = "FEATURES_TXT_BEGIN_0 0 0 2 a b\nFEATURES_TXT_END_0\n"
    scores = "SCORES_TXT_BEGIN_0 0 0 9 BLEU\nSCORES_TXT_END_0\n"
    features, scores = (text + text.replace("_0 0 0", "_0 1 0") for text in (features, scores))
    nbest = from_moses(tmp_path, features, scores, segments)
    assert nbest.offsets.tolist() == [0] * ((segments or 2) + 1)
    assert nbest.names == ("a", "b") and nbest.features.shape == (0, 2) and nbest.stats.shape == (0, 10)


def test_the_last_segment_of_the_extractor_may_be_empty(tmp_path):
    features = FEATURES_FILE + "FEATURES_TXT_BEGIN_0 4 0 3 d_0 d_1 lm_0\nFEATURES_TXT_END_0\n"
    scores = SCORES_FILE + "SCORES_TXT_BEGIN_0 4 0 9 BLEU\nSCORES_TXT_END_0\n"
    assert from_moses(tmp_path, features, scores).offsets.tolist() == [0, 2, 2, 3, 3, 3]


@pytest.mark.parametrize(
    ("features", "scores", "reason"),
    [
        (("1 2 3\n", "1 2\n"), None, "F, line 6: has 2 numbers, and 3 were announced"),
        (("1 2 3\n", "1 2 nan\n"), None, "F, line 6: the value is nan"),
        (("1 2 3\n", "1 2 x\n"), None, "F, line 6: the value 'x' is not a number"),
        (("pp_a=0.25", "pp_a=x"), None, "F, line 3: the value 'x' is not a number"),
        (("pp_b==", "pp_a="), None, "F, line 3: the feature 'pp_a' is there twice"),
        (("pp_b==", "="), None, "F, line 3: '=1' has no name"),
        (("1 2 3\n", ""), None, "F, line 5: there are 0 rows, and 1 were announced"),
        (("1 2 3\n", "1 2 3\n4 5 6\n"), None, "F, line 7: FEATURES_TXT_END_0 is missing after the 1 rows"),
        (("3\nFEATURES_TXT_END_0\n", "3\n"), None, "F, line 5: FEATURES_TXT_END_0 is missing after the 1 rows"),
        (
            ("FEATURES_TXT_BEGIN_0 2 1 3 d_0 d_1 lm_0", "FEATURES_TXT_BEGIN_0 2 1 3 d_0 lm_0 d_1"),
            None,
            "line 5: .*before",
        ),
        (("_0 0 2 3 d_0", "_0 0 2 3"), None, "F, line 1: there are 2 names and 3 features"),
        (("_0 0 2 3 d_0", "_0 0 two 3 d_0"), None, "F, line 1: the heading must have"),
        (("FEATURES_TXT_BEGIN_0 0", "FEATURES_BIN_BEGIN_0 0"), None, "F, line 1: this file is binary"),
        (("FEATURES_TXT_BEGIN_0 0", "SCORES 0"), None, "F, line 1: begins with 'SCORES'"),
        (("_0 2 1 3", "_0 1 1 3"), None, "do not go together: 1 hypotheses of segment 1 .* 1 hypotheses of segment 2"),
        (("_0 0 2 3", "_0 9 2 3"), ("_0 0 2 9", "_0 9 2 9"), "F, line 1: the id is 9, .*give first_id="),
        (None, ("6 8 2 7", "9 8 2 7"), "S, line 2: these are no statistics of BLEU"),
        (None, ("6 8 2 7", "6.5 8 2 7"), "S, line 2: these are no statistics of BLEU"),
        (None, ("6 8 2 7", "-6 8 2 7"), "S, line 2: these are no statistics of BLEU"),
        (None, ("6 8 2 7", "6 1e300 2 7"), "S, line 2: these are no statistics of BLEU"),
        (None, ("6 8 2 7", "6 9007199254740993 2 7"), "S, line 2: these are no statistics of BLEU"),
        (("_0 0 2 3", f"_0 {'9' * 19} 2 3"), None, "F, line 1: the heading must have"),
        (("_0 0 2 3 d_0 d_1 lm_0", "_0 0 2 9999999999"), None, "F, line 1: announces 9999999999 columns"),
        (None, ("_0 2 1 9 BLEU\n0 0 0 0", "_0 2 1 7 BLEU\n0 0"), "S, line 5: there are 7 statistics, and 9 in the"),
        (None, ("9 BLEU", "9 PER"), "S, line 1: the statistics are 9 of PER; only those of BLEU"),
        (
            None,
            (SCORES_FILE[SCORES_FILE.index("SCORES_TXT_BEGIN_0 2") :], ""),
            "1 hypotheses of segment 2 in the one and the end",
        ),
        ((FEATURES_FILE, ""), (SCORES_FILE, ""), "there is no segment in it"),
    ],
)
def test_files_of_the_extractor_that_cannot_be(tmp_path, features, scores, reason):
    for text, change in ((FEATURES_FILE, features), (SCORES_FILE, scores)):
        assert change is None or change[0] in text
    with pytest.raises(InputFileError, match=reason):
        from_moses(
            tmp_path,
            FEATURES_FILE.replace(*features) if features else FEATURES_FILE,
            SCORES_FILE.replace(*scores) if scores else SCORES_FILE,
            3,
        )


@pytest.mark.parametrize("number", [-1, 2**53, 10**30, 1.0, "1", True])
def test_numbers_that_cannot_be(tmp_path, number):
    path = written(tmp_path, "0 ||| a ||| 1 ||| 1\n", "list")
    with pytest.raises(ArrayValueError, match="first_id is"):
        NBest.from_files(path, [[["a"]]], first_id=number)
    for name in ("first_id", "segments"):
        with pytest.raises(ArrayValueError, match=f"{name} is"):
            from_moses(tmp_path, **{name: number})


def test_an_id_far_beyond_the_others(tmp_path):
    """It would ask for room for all segments before it."""
    files = [text.replace("_0 2 1 ", f"_0 {10**18 - 1} 1 ") for text in (FEATURES_FILE, SCORES_FILE)]
    with pytest.raises(InputFileError, match=r"F: the last id is 9{18}, .* give the number of segments="):
        from_moses(tmp_path, *files)


def test_what_cannot_be_written(tmp_path):
    known = {"texts": ["a", "b", "c"], "model_scores": [1, 2, 3]}
    path = tmp_path / "list"
    for changes, error, message in (
        ({"texts": None}, ArrayValueError, "texts and model_scores must be known"),
        ({"model_scores": None}, ArrayValueError, "texts and model_scores must be known"),
        ({"texts": ["a", "b ||| c", "d"]}, ArrayValueError, "a text cannot be written"),
        ({"texts": ["a", "b\nc", "d"]}, ArrayValueError, "a text cannot be written"),
        ({"texts": ["a", "b ", "d"]}, ArrayValueError, "a text cannot be written"),
        ({"texts": ["a", "\ud800", "d"]}, InputFileError, "cannot be written as UTF-8"),
        ({"names": ["lm", "tm"]}, FeatureError, "the name 'lm' cannot be written in Moses's format"),
        ({"names": ["lm_0", "lm_2"]}, FeatureError, "the name 'lm_2' cannot be written"),
        ({"names": ["a_b_0", "lm_0"]}, FeatureError, "the name 'a_b_0' cannot be written"),
        ({"names": ["a_0", "b_0"], "sparse": ([0, 0, 0, 1], [0], [1.0], ["c"])}, FeatureError, "sparse feature 'c'"),
        ({"sparse": ([0, 0, 0, 1], [0], [1.0], ["c_d"])}, FeatureError, "the name 'f0' cannot be written"),
        ({"names": ["a|||b", "lm"]}, ArrayValueError, "the name of a feature cannot be written"),
    ):
        with pytest.raises(error, match=message):
            made(**{**known, **changes}).write(path)
    with pytest.raises(UnknownNameError, match="use moses or joshua"):
        made(**known).write(path, "plain")
    with pytest.raises(InputFileError, match="cannot be written: "):
        made(**known).write(tmp_path / "nosuch" / "list")
    for changes, error, message in (
        ({"stats": [0.5, 1.0, 2.0]}, StatisticsError, "only BLEU's"),
        ({"score": sum}, StatisticsError, "only BLEU's"),
        ({"stats": [[3, 4, 1, 0, 2, 1]] * 3}, StatisticsError, "more tokens than unigrams"),
    ):
        with pytest.raises(error, match=message):
            made(**changes).to_moses(tmp_path / "F", tmp_path / "S")


# -------------------------------------------------------------------------------------------------------------- merging


def merged_by_hand(*nbests):
    """For each segment the places (list, hypothesis) that stay, found by comparing each pair."""
    names = nbests[0].names
    kept = []
    for segment in range(len(nbests[0])):
        found = []
        for number, nbest in enumerate(nbests):
            for row in range(nbest.offsets[segment], nbest.offsets[segment + 1]):
                bits = tuple(float(nbest.features[row, nbest.names.index(name)]).hex() for name in names)
                others = {} if nbest.sparse is None else sparse_of(nbest)[row]
                what = bits, others, nbest.stats[row].tolist()
                if what not in [other for other, _, _ in found]:
                    found.append((what, number, row))
        kept.append([(number, row) for _, number, row in found])
    return kept


@given(
    st.integers(1, 3).flatmap(
        lambda count: st.lists(lists(["a", "b"], segments=count, few=True), min_size=1, max_size=3)
    )
)
def test_merge(nbests):
    last = nbests[-1]
    nbests[-1] = NBest(
        last.offsets,
        last.features[:, ::-1],
        last.stats,
        ["b", "a"],
        last.texts,
        None,
        last.sparse,
        model_scores=last.model_scores,
    )
    merged = merge(*nbests)
    by_hand = merged_by_hand(*nbests)
    assert np.diff(merged.offsets).tolist() == list(map(len, by_hand))
    places = [place for segment in by_hand for place in segment]
    bases = np.cumsum([0, *(len(nbest.features) for nbest in nbests)]).tolist()
    assert merged.index.tolist() == [bases[number] + row for number, row in places]
    assert merged.inputs == bases[-1]
    assert merged.texts == [nbests[number].texts[row] for number, row in places]
    assert merged.model_scores.tolist() == [nbests[number].model_scores[row] for number, row in places]
    assert merged.stats.tolist() == [nbests[number].stats[row].tolist() for number, row in places]
    assert sparse_of(merged) == [sparse_of(nbests[number])[row] for number, row in places]
    for name in merged.names:
        column = [nbests[number].features[row, nbests[number].names.index(name)] for number, row in places]
        assert list(map(float.hex, merged.features[:, merged.names.index(name)].tolist())) == list(
            map(float.hex, column)
        )
    assert same(merge(merged), merged)
    if len(nbests) == 3:
        assert same(merge(merge(*nbests[:2]), nbests[2]), merged)


def test_only_some_lists_have_texts_and_sparse_features():
    first = made(texts=["a", "b", "c"], model_scores=[1, 2, 3])
    second = made(sparse=([0, 1, 1, 2], [0, 1], [0.5, 0.0], ["a_b", "a_c"]), ids=[0, 1, 2])
    merged = merge(first, second)
    assert (merged.texts, merged.model_scores) == (None, None)
    # a feature that is 0 is not the same as none; hypothesis 1 of segment 0 has none in both lists
    assert merged.index.tolist() == [0, 1, 3, 2, 5]
    assert [len(row) for row in sparse_of(merged)] == [0, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"names": ["f0", "g"]}, FeatureError, "list 1 of those to merge has no feature 'f1'"),
        ({"features": np.zeros((3, 3))}, FeatureError, "list 0 of those to merge has no feature 'f2'"),
        (
            {"features": np.zeros((3, 1)), "sparse": ([0, 0, 0, 1], [0], [1.0], ["f1"])},
            FeatureError,
            "list 1 of those to merge has no feature 'f1'",
        ),
        ({"offsets": [0, 3]}, LengthMismatchError, "has 1 segments, and list 0 has 3"),
        ({"ids": [1, 2, 3]}, LengthMismatchError, "or their ids differ"),
        ({"stats": [[0.5]] * 3}, StatisticsError, "has 1 statistics of float64, and list 0 has 6 of int64"),
        ({"score": sum}, StatisticsError, "another score function"),
    ],
)
def test_lists_that_do_not_fit(changes, error, message):
    with pytest.raises(error, match=message):
        merge(made(), made(**changes))


def test_nothing_to_merge():
    with pytest.raises(EmptyCorpusError, match="no list to merge"):
        merge()


# -------------------------------------------------------------------------------------------------------------- command


def extract(*arguments, stdin=None):
    result = CliRunner().invoke(cli, ["extract", *map(str, arguments)], input=stdin, prog_name="cybleu")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "the cat sat down\nit rains\nso it is\n", "ref1")
    written(tmp_path, "a cat\nrain falls.\nso\n", "ref2")
    return tmp_path


FILES = ("--features-file", "F", "--scores-file", "S")


def test_extract(folder):
    text = line(1, "the cat") + line(3, "so\xa0it", "d= 4 5 lm= 6 p_x= 7")
    expected = NBest.from_files(written(folder, text), ["ref1", "ref2"], first_id=1, max_order=2, texts=False)
    assert extract("list", "ref1", "ref2", *FILES, "--first-id", 1, "--max-order", 2).exit_code == 0
    assert (folder / "F").read_text() == (
        "FEATURES_TXT_BEGIN_0 1 1 3 d_0 d_1 lm_0 \n1.0 2.0 3.0 \nFEATURES_TXT_END_0\n"
        "FEATURES_TXT_BEGIN_0 3 1 3 d_0 d_1 lm_0 \n4.0 5.0 6.0 p_x=7.0 \nFEATURES_TXT_END_0\n"
    )
    assert (folder / "S").read_text() == (
        "SCORES_TXT_BEGIN_0 1 1 5 BLEU\n2 2 1 1 2 \nSCORES_TXT_END_0\nSCORES_TXT_BEGIN_0 3 1 5 BLEU\n2 2 1 1 1 \nSCORES_TXT_END_0\n"
    )
    read = NBest.from_moses("F", "S", 3, first_id=1)
    assert (read.stats == expected.stats).all()
    assert (
        extract("-", "ref1", *FILES, "--first-id", 1, "--split", "ascii", stdin=gzip.compress(text.encode())).exit_code
        == 0
    )
    assert NBest.from_moses("F", "S", 3, first_id=1).stats[1, 0] == 1


def test_extract_plain(folder):
    written(folder, "it rains.\nrain\n" * 3, "plain")
    written(folder, "1 2\n3 4\n" * 3, "table")
    arguments = ("plain", "ref2", *FILES, "--size", 2, "--feature-table", "table", "--tokenize", "13a")
    assert extract(*arguments, "--reference-length", "shortest").exit_code == 0
    read = NBest.from_moses("F", "S")
    assert read.features.tolist() == [[1, 2], [3, 4]] * 3
    assert read.stats[:, 0].tolist() == [3, 1] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("list", "nosuch", *FILES), "nosuch: cannot be read"),
        (
            ("list", "ref1", *FILES, "--format", "joshua"),
            "list, line 1: 'd=' is not a feature|list, line 1: the value of 'd'",
        ),
        (("list", "ref1", *FILES, "--tokenize", "nosuch"), "unknown tokeniser 'nosuch'"),
        (("list", "ref1", "--features-file", "no/F", "--scores-file", "S"), "no/F: cannot be written"),
        (("list", "ref1", *FILES, "--format", "plain"), "size is None"),
    ],
)
def test_extract_says_what_is_wrong(folder, arguments, message):
    written(folder, line())
    result = extract(*arguments)
    assert result.exit_code == 2
    assert re.search(f"^cybleu: error: .*({message})", result.stderr)
    assert len(result.stderr.splitlines()) == 1


def test_extract_reads_standard_input_once(folder):
    result = extract("-", "-", *FILES, stdin=b"")
    assert result.exit_code == 2
    assert "only one of the files can be standard input" in result.stderr


# ------------------------------------------------------------------------------------------------------------ real data


def best(nbest, scores):
    """The statistics of the hypotheses with the highest score, the first of equal ones."""
    places = [start + int(np.argmax(scores[start:stop])) for start, stop in zip(nbest.offsets, nbest.offsets[1:])]
    return score(nbest.stats[places].sum(axis=0), "moses").score


MOSES_WEIGHTS = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0.3, 0.2, 0.3, 0.2, 0.1, 1]


@pytest.mark.real_data
def test_moses100(data, tmp_path):
    folder = data / "moses100"
    nbest = NBest.from_files(folder / "nbest.gz", folder / "reference")
    assert repr(nbest) == "<NBest of 100 segments, 10000 hypotheses, 15 features>"
    assert nbest.names == tuple("d_0 d_1 d_2 d_3 d_4 d_5 d_6 lm_0 lm_1 tm_0 tm_1 tm_2 tm_3 tm_4 w_0".split())
    assert same(nbest, NBest.from_files(folder / "nbest.old-format.gz", folder / "reference"))
    assert f"{best(nbest, nbest.features @ MOSES_WEIGHTS):.7f}" == "0.0626472"
    files = tmp_path / "F.gz", tmp_path / "S.gz"
    assert (
        extract(
            folder / "nbest.gz", folder / "reference", "--features-file", files[0], "--scores-file", files[1]
        ).exit_code
        == 0
    )
    read = NBest.from_moses(*files)
    assert read.features.tobytes() == nbest.features.tobytes()
    assert read.stats.tobytes() == nbest.stats.tobytes()
    segments = list(read_segments(folder / "nbest.gz"))
    assert [segment.id for segment in segments] == list(range(100))
    assert np.concatenate([segment.features for segment in segments]).tobytes() == nbest.features.tobytes()


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "count", "expected"), [("hiero", 805, ".24166"), ("packed", 862, ".26621")])
def test_four_references(data, name, count, expected):
    folder = data / "bn-en"
    nbest = NBest.from_files(folder / f"{name}.nbest.gz", [folder / f"reference.en.{number}" for number in range(4)])
    assert len(nbest.features) == count
    assert f"{best(nbest, nbest.model_scores):.5f}" == f"0{expected}"
    assert nbest.names[0] == "lm_0"
