"""Lines of n-best lists: what the kernel reads is what the general reader reads, and it declines all that is malformed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cybleu import _backend, _mirror
from cybleu.errors import CybleuError
from cybleu.nbest import NBest

REFERENCES = [["the cat sat", "a=b"], ["é 猫"]]
LINES = [
    "0 ||| the cat ||| d= 1 -2.5 lm= 3 ||| -1.5 ||| 0-0",
    "1||| é  猫\xa0a |||d= 0.1 1e-5 lm= 12345678901234567890 |||0",
    "0 ||| a=b | || ||| d= 1 2 lm= 3 p_a= 4 ||| 1\r",
    "1 ||||||d: 1 2 lm: 3|||1",
    "0 ||| the ||| d_0=1 d_1=2 lm_0=3 ||| 4",
    "0 ||| the ||| d_0=1 d_1=2 ||| 4",
    "1 ||| the ||| 1 2 3 ||| 4",
]
FRAGMENTS = [
    "|||",
    "|",
    " ",
    "\t",
    "\r",
    "=",
    "e",
    "-",
    "+",
    ".",
    "0",
    "9" * 19,
    "nan",
    "_",
    ":",
    "\xa0",
    "\x00",
    "１",
    "\n",
    "d=",
    "x",
]


@st.composite
def altered(draw):
    """Lines with a few small changes."""
    first = draw(st.sampled_from(LINES))
    text = "\n".join([first, *draw(st.lists(st.sampled_from([first, first, *LINES]), max_size=4))])
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(st.sampled_from(["", *FRAGMENTS])) + text[place + draw(st.integers(0, 3)) :]
    return text + draw(st.sampled_from(["", "\n", "\n\n"]))


def read_with(module, monkeypatch, path, name):
    with monkeypatch.context() as patch:
        patch.setattr(_backend, "chosen", module)
        try:
            nbest = NBest.from_files(path, REFERENCES, name)
        except CybleuError as error:
            return type(error), str(error)
    sparse = nbest.sparse and (*(array.tobytes() for array in nbest.sparse[:3]), nbest.sparse.names)
    arrays = nbest.offsets, nbest.features, nbest.stats, nbest.index, nbest.model_scores
    return nbest.names, nbest.texts, sparse, [array.tobytes() for array in arrays]


@given(altered(), st.sampled_from(["moses", "joshua", None]))
@example("0 ||| a ||| d= 1e999 ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 ||| 1\n0 ||| a ||| d= 1e999 ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 ||| 1\n0 ||| a ||| d= 1 ||| 1||||\n", "moses")
@example("0 ||| a ||| d= 1 ||| 1\n0 ||| a ||| d= 1|| ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 ||| 1\n0 ||| a |||| d= 1 ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 ||| 1\n0 ||| a |||", "moses")
@example("0 ||| a ||| d= 1 ||| 1\n0 ||| a ||| d=\n", "moses")
@example("0 ||| a ||| d= 1 ||| 1\n0 ||| a ||| d=1 ||| 1\n", "moses")
@example("0 ||| a ||| d=1 ||| 1\n0 ||| a ||| d= 1 ||| 1\n", "joshua")
@example("0 ||| a ||| d=1 ||| 1\n0 ||| a ||| d=1=1 ||| 1\n", "joshua")
@example("0 ||| a ||| d=1 ||| 1\n" + "1" * 18 + " ||| a ||| d=1 ||| 1\n", "joshua")
@example("0 ||| a ||| ||| 1\n0 |||  ||| ||| 1\n", "joshua")
def test_any_text(kernels, monkeypatch, tmp_path_factory, text, name):
    path = tmp_path_factory.getbasetemp() / "list"
    path.write_bytes(text.encode())
    assert read_with(kernels, monkeypatch, path, name) == read_with(_mirror, monkeypatch, path, name)


@given(st.lists(st.from_regex(r"[+-]?[0-9]{0,22}(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,5})?", fullmatch=True), min_size=1))
@example(["9007199254740992", "9007199254740993", "1e22", "1e23", "9007199254740992e22", "4.35", "0.000001e-22"])
def test_numbers(kernels, numbers):
    """What the kernel reads of a number is what Python does; it declines what Python does not take, or takes as infinite."""
    lines = kernels.NBestLines((b"d=",), (0,), False)
    for number in numbers:
        features, scores = np.zeros((1, 1)), np.zeros(1)
        spans = [np.zeros(1, dtype=np.int64) for _ in range(3)]
        rows, _ = lines.read(f"0 ||| a ||| d= {number} ||| {number}".encode(), 0, 0, *spans, features, scores)
        try:
            expected = float(number)
        except ValueError:
            assert rows == 0
            continue
        if np.isfinite(expected):
            assert rows == 1 or len(number) > 5
            assert rows == 0 or features[0, 0].hex() == scores[0].hex() == expected.hex()
        else:
            assert rows == 0


SPACES = [chr(code) for code in range(0x110000) if chr(code).isspace()]
NEAR = [chr(ord(space) + step) for space in SPACES for step in (-1, 1)]


@given(
    st.lists(
        st.lists(st.sampled_from([*SPACES, *NEAR, "a", "b", "é", "猫", "🐈", "a longer token"]), max_size=12),
        max_size=5,
    ),
    st.booleans(),
)
@example([SPACES, NEAR, [], [" "]], True)
@example([SPACES, NEAR, [], [" "]], False)
def test_words(kernels, texts, unicode):
    numbers = {
        token: number for number, token in enumerate(["a", "b", "é", "猫", "aa", "", "\ud800", "a longer token", "🐈a"])
    }
    encoded = ["".join(text).encode() for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    begins = ends - np.array([len(text) for text in encoded], dtype=np.int64)
    results = []
    for module in (kernels, _mirror):
        spans = begins.copy(), ends.copy()
        ids = np.full(sum((len(text) + 1) // 2 for text in encoded), -9, dtype=np.int32)
        module.Words(numbers).look_up(b"".join(encoded), *spans, unicode, ids)
        results.append((ids.tolist(), *(array.tolist() for array in spans)))
    assert results[0] == results[1]


def test_what_does_not_fit_is_an_error(kernels):
    """The kernel checks what it is given: nothing is read or written beyond the arrays."""
    words = kernels.Words({"a": 1})
    one = np.zeros(1, dtype=np.int64)
    for begins, ends, places in ((one, one + 9, 9), (one + 2, one + 1, 9), (one - 1, one, 9), (one, one + 3, 1)):
        with pytest.raises(ValueError, match=r"out of range|enough places"):
            words.look_up(b"a a", begins.copy(), ends.copy(), True, np.zeros(places, dtype=np.int32))
    with pytest.raises(ValueError, match="out of range"):
        words.look_up(b"a a", one.copy(), np.zeros(0, dtype=np.int64), True, np.zeros(9, dtype=np.int32))
    lines = kernels.NBestLines((b"a=", b""), (0, 3), False)
    for start, row, width in ((-1, 0, 4), (4, 0, 4), (0, -1, 4), (0, 0, 3)):
        with pytest.raises(ValueError, match="do not fit"):
            lines.read(b"abc", start, row, one, one, one, np.zeros((1, width)), np.zeros(1))
    for arguments in (((b"a",), (), False), ((b"a",), (-1,), False)):
        with pytest.raises(ValueError, match=r"columns|below 0"):
            kernels.NBestLines(*arguments)


def test_words_that_were_not_made_are_an_error(kernels):
    with pytest.raises(TypeError, match="argument"):
        kernels.Words.__new__(kernels.Words)


def parts(kernels, texts, unicode):
    """How many tokens each text has."""
    ends = np.cumsum([len(text) for text in texts])
    begins = ends - [len(text) for text in texts]
    ids = np.empty(int((ends - begins + 1).sum()), dtype=np.int32)
    kernels.Words({}).look_up(b"".join(texts), begins, ends, unicode, ids)
    return ends - begins


def test_every_character_splits_as_in_python(kernels):
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    found = parts(kernels, [f"a{character}b".encode() for character in characters], True)
    assert (found == np.array([1 + character.isspace() for character in characters])).all()


def test_every_byte_splits_as_in_python(kernels):
    texts = [b"a%cb" % byte for byte in range(256)]
    assert parts(kernels, texts, False).tolist() == [len(text.split()) for text in texts]
