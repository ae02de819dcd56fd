"""Files of the extractor: the kernel reads the same as the general reader."""

import pytest
from hypothesis import example, given, strategies as st

from cybleu.nbest import NBest
from nbest_lists import altered, read_on_both_backends

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


@pytest.mark.thread_unsafe(reason="one process has the mirror")
@given(PARTS, st.none() | PARTS)
@example((2, "1 2 p=1 p=2\n1 2\n"), None)
@example((2, "1 2 p=1 3\n1 2 3 p=1\n"), None)
@example((2, "p=1 1 2\n1 p=1 2\n"), None)
@example((1, "1 2 " + " ".join(f"w{number % 70}{'x' * (number // 70)}=1" for number in range(140)) + "\n"), None)
@example((1, "1 2 " + " ".join(f"w{number}=1" for number in (*range(120), 7)) + "\n"), None)
@example(
    (2, "".join("1 2 " + " ".join(f"w_{n}=1" for n in range(first, first + 3000)) + "\n" for first in (0, 999))), None
)
@example((2, "1 2\n1 2\n"), (2, "1 1 1\n1 1 1 p=1\n"))
def test_any_file_of_the_extractor(kernels, tmp_path_factory, features, scores):
    folder = tmp_path_factory.getbasetemp()
    count = features[0]
    scores = scores or (count, "1 1 1\n" * count)
    paths = [folder / name for name in HEADS]
    for path, (size, text) in zip(paths, (features, scores)):
        path.write_bytes((HEADS[path.name].format(size) + text + TAILS[path.name]).encode())
    read_on_both_backends(lambda: NBest.from_moses(*paths))
