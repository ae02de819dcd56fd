"""The lines of each format: Moses's, Joshua's, plain texts with a table of features; valid and malformed lines."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import cybleu
from cybleu.errors import FeatureError, InputFileError
from cybleu.nbest import NBest
from nbest_lists import REFERENCES, line, sparse_of, written

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
    """Draw ids, texts, dense and sparse features by name, and scores; numbers as strings."""
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


FOUR = [["the cat sat down", "a=b = c:"], ["it rains a_b= é"], [""], ["猫 🐈 | || পিরালী", "the the"]]


def check(nbest, names, rows):
    """Compare a list with the rows that its file was written from."""
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
    assert (nbest.stats == cybleu.rows([" ".join(row[1]).split() for row in rows], references)).all()


# ---------------------------------------------------------------------------------------------------------------- Moses


@st.composite
def moses_lines(draw, listed):
    _names, rows = listed
    old = draw(st.booleans())
    lines = []
    for segment, tokens, features, sparse, total in rows:
        words = []
        base = None
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


@given(st.data(), st.booleans())
def test_moses(tmp_path_factory, data, sparse):
    names, rows = data.draw(hypotheses(sparse=sparse))
    path = written(tmp_path_factory.mktemp("lists"), data.draw(moses_lines((names, rows))))
    nbest = NBest.from_files(path, FOUR, "moses")
    check(nbest, names, rows)
    assert nbest.names == tuple(names)


@pytest.mark.parametrize("features", ["F0= -1.5 F1= 2", "F0=-1.5"])
@pytest.mark.parametrize(
    "before", [["0-0 1-1"], ["0.9,0.1 1e-05,0.99999"], ["WordScores= -0.1 -1.4"], ["0-0", "WordScores= -1.5"]]
)
def test_fields_of_marian_before_the_features(tmp_path, features, before):
    marian = "0 ||| the cat ||| {} ||| {} ||| -0.5\n".format(" ||| ".join(before), features)
    found = NBest.from_files(written(tmp_path, marian + line(1, features=features) + marian), REFERENCES)
    assert found.texts == ["the cat"] * 3 and found.model_scores.tolist() == [-0.5, -0.5, -1]
    plain = line(features=features)
    expected = NBest.from_files(written(tmp_path, plain), REFERENCES)
    assert found.names == expected.names
    assert found.features.tolist() == expected.features.tolist() * 3


# --------------------------------------------------------------------------------------------------------------- Joshua


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


# ---------------------------------------------------------------------------------------------------------- plain texts


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


@pytest.mark.parametrize(
    ("table", "error", "reason"),
    [
        ("1 2\n3 4\n", InputFileError, "table: has 2 lines, fewer than .*list"),
        ("1 2\n" * 9, InputFileError, "table: has 9 lines, more than .*list"),
        ("1 2\n3\n5 6\n", InputFileError, "table, line 2: has 1 features, and the lines before have 2"),
        ("1 2\n3 4\n5 nan\n", InputFileError, "table, line 3: a feature is nan"),
        ("1\n3\n5\n", FeatureError, "there are 2 names, but 1 features"),
    ],
)
def test_feature_tables_that_do_not_fit(tmp_path, table, error, reason):
    texts = written(tmp_path, "a\nb\nc\n")
    table = written(tmp_path, table, "table")
    with pytest.raises(error, match=reason):
        NBest.from_files(texts, REFERENCES, size=1, features=table, names=["a", "b"])
