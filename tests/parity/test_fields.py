"""Lines of n-best lists: the kernel reads the same as the general reader, and declines malformed lines."""

import math

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from cybleu.nbest import NBest
from nbest_lists import altered, read_on_both_backends, written

REFERENCES = [["the cat sat", "a=b"], ["é 猫"]]
LINES = [
    "0 ||| the cat ||| d= 1 -2.5 lm= 3 ||| -1.5 ||| 0-0",
    "1||| é  猫\xa0a |||d= 0.1 1e-5 lm= 12345678901234567890 |||0",
    "0 ||| a=b | || ||| d= 1 2 lm= 3 p_a= 4 ||| 1\r",
    "1 ||||||d: 1 2 lm: 3|||1",
    "0 ||| the ||| d_0=1 d_1=2 lm_0=3 ||| 4",
    "0 ||| the ||| d_0=1 d_1=2 ||| 4",
    "1 ||| the ||| 1 2 3 ||| 4",
    "0 ||| the ||| d= 1 2 lm= 3 q_b: -1e-3 p_a= 4 q_c== 1 ||| 4",
    "1 ||| cat ||| p_a= 1 q_b= 2 ||| 4",
]
FRAGMENTS = ["9" * 19, "nan", *"| \t\r=e-+.0_:\xa0\x00１\n", "|||"]
FRAGMENTS += ["d=", "x", " p_a= 2", " q_b= 1_0", " é_a= 1", " p_a=b_c= 2", " new_= 3", "\v", "\x1c"]


ALIKE = st.sampled_from(LINES).flatmap(
    lambda first: st.lists(st.sampled_from([first, first, *LINES]), max_size=4).map(lambda others: [first, *others])
)
TEXTS = st.tuples(altered(ALIKE, FRAGMENTS, 3), st.sampled_from(["", "\n", "\n\n"])).map("".join)


@pytest.mark.thread_unsafe(reason="one process has the mirror")
@given(TEXTS, st.sampled_from(["moses", "joshua", None]))
@example("0 ||| a ||| d= 1e999 ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 ||| 1\n0 ||| a ||| d= 1e999 ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 ||| 1\n0 ||| a ||| d= 1 ||| 1||||\n", "moses")
@example("0 ||| a ||| d= 1 ||| 1\n0 ||| a ||| d= 1|| ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 ||| 1\n0 ||| a |||| d= 1 ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 ||| 1\n0 ||| a ||| d= 1 ||| 1 x\n", "moses")
@example("0 ||| a ||| d= 1 ||| 1\n0 ||| a |||", "moses")
@example("0 ||| a ||| d= 1 ||| 1\n0 ||| a ||| d=\n", "moses")
@example("0 ||| a ||| d= 1 ||| 1\n0 ||| a ||| d=1 ||| 1\n", "moses")
@example("0 ||| a ||| d=1 ||| 1\n0 ||| a ||| d= 1 ||| 1\n", "joshua")
@example("0 ||| a ||| d=1 ||| 1\n0 ||| a ||| d=1=1 ||| 1\n", "joshua")
@example("0 ||| a ||| d=1 ||| 1\n" + "1" * 18 + " ||| a ||| d=1 ||| 1\n", "joshua")
@example("0 ||| a ||| ||| 1\n0 |||  ||| ||| 1\n", "joshua")
@example("0 ||| a ||| d= 1 p_a= 1 ||| 1\n0 ||| a ||| d= 1 p_a= 1 p_a: 2 ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 p_a= 1 ||| 1\n0 ||| a ||| d= 1 p_a= 1_0 ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 p_a= 1 ||| 1\n0 ||| a ||| d= 1 p_a= inf ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 p_a= 1 ||| 1\n0 ||| a ||| d= 1 p_a= \uff11 ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 p_a= 1 ||| 1\n0 ||| a ||| d= 1 p_a= 1 2 ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 p_a= 1 ||| 1\n0 ||| a ||| d= 1 2 p_a= 1 ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 p_a= 1 ||| 1\n0 ||| a ||| d= 1 p_a=||| 1\n", "moses")
@example("0 ||| a ||| 1 ||| 1\n0 ||| a ||| 1 p_a= 1 ||| 1\n", "moses")
@example("0 ||| a ||| p_a= 1 ||| 1\n0 ||| a ||| p_b= 2 p_a= 3 ||| 1\n1 ||| a ||| ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 p_é= 1 ||| 1\n0 ||| a ||| d= 1 p_é= 1 p_猫= 2 p_é= 1 ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 p_é= 1 ||| 1\n0 ||| a ||| d= 1 p_\x0bb= 2 p_\u2003c= 1 ||| 1\n", "moses")
@example("0 ||| a ||| d= 1 p_b= 1 ||| 1\n0 ||| a ||| d= 1 p_c= 2 p_b= 1 ||| x\n", "moses")
def test_any_text(kernels, tmp_path_factory, text, name):
    path = written(tmp_path_factory.getbasetemp(), text)
    read_on_both_backends(lambda: NBest.from_files(path, REFERENCES, name))


@given(st.lists(st.from_regex(r"[+-]?[0-9]{0,22}(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,5})?", fullmatch=True), min_size=1))
@example(["9007199254740992", "9007199254740993", "1e22", "1e23", "9007199254740992e22", "4.35", "0.000001e-22"])
def test_numbers(kernels, numbers):
    """The kernel parses numbers like Python, and declines invalid and infinite ones."""
    lines = kernels.Fields([b"d="], "none")
    table = kernels.Fields([b""], "none")
    for number in numbers:
        features = np.zeros((1, 1))
        scores = np.zeros(1)
        row = np.zeros((1, 1))
        sparse = np.zeros(2, dtype=np.int64), np.zeros(1, dtype=np.int64), np.zeros(1)
        line = f"0 ||| a ||| d= {number} ||| {number}".encode()
        rows, _ = lines.read(line, 0, 0, features, *sparse, np.zeros((3, 1), dtype=np.int64), scores)
        assert table.read(number.encode(), 0, 0, row, *sparse)[0] == rows
        try:
            expected = float(number)
        except ValueError:
            expected = math.nan
        if math.isfinite(expected):
            assert rows == 1 or len(number) > 5
            assert rows == 0 or features[0, 0].hex() == scores[0].hex() == row[0, 0].hex() == expected.hex()
        else:
            assert rows == 0


ROWS = st.tuples(
    st.lists(
        st.floats().map(repr) | st.sampled_from("1 -2.5 +3 .5 5. 1e999 1_0 x a=1 １ 0x1 1e --1".split()), max_size=4
    ),
    st.sampled_from([" ", "  ", "\t"]),
    st.sampled_from(["", " ", "\r", " \r", "\v"]),
).map(lambda drawn: drawn[1].join(drawn[0]) + drawn[2])


@pytest.mark.thread_unsafe(reason="one process has the mirror")
@given(st.lists(ROWS, max_size=6), st.sampled_from(["", "\n"]))
def test_any_table(kernels, tmp_path_factory, lines, end):
    folder = tmp_path_factory.getbasetemp()
    texts = written(folder, "a\n" * len(lines), "texts")
    table = written(folder, "\n".join(lines) + end, "table")
    read_on_both_backends(lambda: NBest.from_files(texts, [["a"]] * len(lines), "plain", size=1, features=table))
