"""Named values: the kernel reads and writes the same as the mirror and the general reader."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cybleu import _mirror
from cybleu.nbest import NBest
from nbest_lists import altered, same_on_both_backends

NAMES = st.one_of(st.sampled_from(["p_a", "p_b", "", "é_猫", "p_a=b"]), st.integers(0, 3000).map("w_{}".format))
ROWS = st.lists(st.dictionaries(NAMES, st.floats(allow_nan=False), max_size=8).map(lambda row: list(row.items())))


@given(ROWS, ROWS)
@example([], [[]])
@example([[(f"w_{number}", 1.0) for number in range(5000)]], [[(f"w_{number}", 1.0) for number in range(5999, 0, -1)]])
@example([[(f"{'w' * number}_", 1.0)] for number in range(300)], [])
def test_rows(kernels, early, late):
    values, expected = kernels.Fields([], "spaced"), _mirror.Fields([], "spaced")
    for part in (early, late):
        for row in part:
            values.add(row)
            expected.add(row)
        assert values.take() == expected.take()
        for first in (0, 1, len(expected.sparse_names(0))):
            assert values.sparse_names(first) == expected.sparse_names(first)


HEADS = {"features": "FEATURES_TXT_BEGIN_0 0 {} 2 a b\n", "scores": "SCORES_TXT_BEGIN_0 0 {} 3 BLEU\n"}
TAILS = {"features": "FEATURES_TXT_END_0\n", "scores": "SCORES_TXT_END_0\n"}
LINES = ["1 -2.5", "0 1 p_a=1", "2 3 p_b=-0.5 p_a=1e-3\r", "2 3 \t q=1=2  é=3 "]
FRAGMENTS = (
    "| ,\t,\r,=,==,e,-,.,0,nan,_,:,\xa0,\x00,\v,\x1c,１,\n,x, p_a=2, q=1_0, é=1, p_é=1,\v=1, 猫\u2003=1, =1, p=".split(
        ","
    )
)


# how many lines there are by the heading, and the lines
PARTS = st.integers(1, 5).flatmap(
    lambda count: st.tuples(
        st.just(count),
        altered(st.lists(st.sampled_from(LINES), min_size=count, max_size=count), FRAGMENTS).map("{}\n".format),
    )
)


@pytest.mark.thread_unsafe(reason="the backend is that of the process")
@given(PARTS, st.none() | PARTS)
@example((2, "1 2 p=1 p=2\n1 2\n"), None)
@example((2, "1 2 p=1 3\n1 2 3 p=1\n"), None)
@example((2, "p=1 1 2\n1 p=1 2\n"), None)
@example((1, "1 2 " + " ".join(f"w{number % 70}{'x' * (number // 70)}=1" for number in range(140)) + "\n"), None)
@example((1, "1 2 " + " ".join(f"w{number}=1" for number in (*range(120), 7)) + "\n"), None)
@example((2, "1 2\n1 2\n"), (2, "1 1 1\n1 1 1 p=1\n"))
def test_any_file_of_the_extractor(kernels, tmp_path_factory, features, scores):
    folder = tmp_path_factory.getbasetemp()
    count = features[0]
    scores = scores or (count, "1 1 1\n" * count)
    paths = [folder / name for name in HEADS]
    for path, (size, text) in zip(paths, (features, scores)):
        path.write_bytes((HEADS[path.name].format(size) + text + TAILS[path.name]).encode())
    same_on_both_backends(lambda: NBest.from_moses(*paths))
