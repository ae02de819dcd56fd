"""Lines of n-best lists: the kernel reads the same as the general reader, and declines malformed lines."""

import math

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


finite = st.from_regex(
    r"[+-]?([0-9]{1,22}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True
).filter(lambda number: math.isfinite(float(number)))


@pytest.mark.thread_unsafe(reason="each example writes the same file")
@given(st.lists(finite, min_size=1, max_size=9))
@example(["9007199254740992", "9007199254740993", "1e22", "1e23", "9007199254740992e22", "4.35", "0.000001e-22", "-0"])
def test_numbers_are_those_of_python(tmp_path_factory, numbers):
    path = written(tmp_path_factory.getbasetemp(), "".join(f"0 ||| a ||| d= {number} ||| -1\n" for number in numbers))
    features = NBest.from_files(path, REFERENCES[:1], "moses").features
    assert [*map(float.hex, features[:, 0].tolist())] == [float(number).hex() for number in numbers]


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
