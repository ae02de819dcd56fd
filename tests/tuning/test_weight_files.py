"""Files of weights, as Moses writes and reads them."""

import string

import pytest
from hypothesis import given, strategies as st

from cybleu.errors import InputFileError, UnknownNameError, WeightsError
from cybleu.tuning import read_weights, write_weights

pytestmark = pytest.mark.thread_unsafe(reason="it writes different contents to one file")

NAMES = ["LM0_0", "TM0_0", "TM0_1"]
EXPECTED = {"LM0_0": 0.5, "TM0_0": 0.1, "TM0_1": -2.0}
INI = """# MERT optimized configuration
[input-factors]
0
[feature]
KENLM name=LM0 factor=0 path=lm.bin order=5
[weight]
LM0= 0.5

TM0= 0.1 -2  # from run 3
[distortion-limit]
6
"""
OLD_INI = """[weight-l]
0.5

[weight-t]
0.1
-2
[weight-file]
[ttable-limit]
20
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "weights"


@pytest.mark.parametrize(
    "text",
    [
        "0.5 0.1 -2\n",
        "0.5 0.1 -2 \n0 0 0\n1 1 1\n",
        "0.5\n0.1\n-2",
        "F0 0.5\nF1 0.1\nF2 -2\n",
        "LM0= 0.5\nTM0= 0.1\nTM0= -2\n",
        INI,
    ],
)
def test_forms_of_moses(path, text):
    path.write_text(text)
    assert read_weights(path, NAMES) == EXPECTED


def test_old_sections(path):
    path.write_text(OLD_INI + "[weight-d]\n1\n[weight-generation]\n2\n[weight-i]\n3\n[weight-w]\n-1\n")
    expected = {"lm_0": 0.5, "tm_0": 0.1, "tm_1": -2.0, "d_0": 1.0, "g_0": 2.0, "I_0": 3.0, "w_0": -1.0}
    assert read_weights(path) == expected


def test_weights_of_kbmira(path):
    path.write_text("F0 0.5\nF1 0.1\nF2 -2\nw_the 0.25\n")
    assert read_weights(path, NAMES) == {**EXPECTED, "w_the": 0.25}
    names = ["F0", "F1", "F2"]
    assert list(read_weights(path, names)) == list(read_weights(path)) == [*names, "w_the"]
    assert list(read_weights(path, ["lm"])) == ["lm", "F1", "F2", "w_the"]
    assert list(read_weights(path, [*NAMES, "w_0"])) == [*names, "w_the"]


def test_names_that_are_numbers(path):
    path.write_text("3 0.5\n4 1\n")
    assert read_weights(path) == read_weights(path, ["3", "4"]) == {"3": 0.5, "4": 1.0}
    assert read_weights(path, ["a", "b", "c", "d"]) == {"a": 3.0, "b": 0.5, "c": 4.0, "d": 1.0}


@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        ("0.5 0.1 -2\n", None, "has numbers without the names"),
        ("0.5 0.1\n", NAMES, "has 2 numbers without names, and there are 3 features: LM0_0, TM0_0, TM0_1"),
        ("0.5 0.1 1e400\n", NAMES, "line 1"),
        ("[weight-l]\n0.5\nx\n", None, "line 3: the weight of 'lm_1' 'x' is not a number"),
        ("[weight]\nLM0 0.5 2\n", None, "line 2: 'LM0 0.5 2' is not a name and its weight"),
        (
            "[weight-l]\n0.5\n[weight-file]\n\nw\n",
            None,
            "line 5: the weights in 'w' would be ignored; append its lines",
        ),
        ("[feature]\nLM0 order=5\n", None, "has no weight"),
        ("LM0= 1\nLM0_0 2\n", None, "line 2: the weight of 'LM0_0' appears twice"),
    ],
)
def test_wrong_files(path, text, names, message):
    path.write_text(text)
    with pytest.raises(InputFileError, match=message) as caught:
        read_weights(path, names)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("names", "LM0_0 0.5\nTM0_0 0.1\nTM0_1 -2.0\n"),
        ("moses", "LM0= 0.5\nTM0= 0.1 -2.0\n"),
        ("dense", "LM0= 0.5\nTM0= 0.1\nTM0= -2.0\n"),
        ("numbers", "0.5 0.1 -2.0\n"),
    ],
)
def test_written_forms(path, form, text):
    write_weights(path, EXPECTED, form)
    assert path.read_text() == text
    assert read_weights(path, NAMES) == EXPECTED
    with pytest.raises(UnknownNameError, match="unknown form 'ini'; use one of names, moses, dense, numbers"):
        write_weights(path, EXPECTED, "ini")
    assert path.read_text() == text


@pytest.mark.parametrize("name", ["a=b", "a#", "a b", "", "a\n", "a\xa0b"])
def test_names_that_cannot_be_written(path, name):
    with pytest.raises(WeightsError, match="cannot be written, because the name"):
        write_weights(path, {"lm_0": 1.0, name: 1.0})


LABELS = st.sampled_from(["lm", "tm", "w_the", "x", "F", "0"])
ANY_NAME = st.builds("{}_{}".format, LABELS, st.integers(0, 3)) | LABELS | st.text(string.ascii_letters, min_size=1)


@given(
    st.dictionaries(ANY_NAME, st.floats(allow_nan=False, allow_infinity=False), min_size=1),
    st.sampled_from(["names", "moses", "dense"]),
)
def test_what_is_written_is_read(tmp_path_factory, weights, form):
    path = tmp_path_factory.mktemp("files") / "weights"
    write_weights(path, weights, form)
    assert read_weights(path) == weights
    assert read_weights(path, list(weights)) == weights


def test_dense_weights_numbers_and_compressed_files(tmp_path):
    weights = {"lm_0": 0.5, "lm_1": 0.25, "lm_2": 0.125}
    write_weights(tmp_path / "weights", weights, "dense")
    assert read_weights(tmp_path / "weights") == weights
    (tmp_path / "weights").write_text("lm \u0661\n", encoding="utf-8")
    with pytest.raises(InputFileError, match="is not a number"):
        read_weights(tmp_path / "weights")
    for name in ("a.gz", "b.gz"):
        write_weights(tmp_path / name, weights)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
