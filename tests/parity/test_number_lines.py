"""Lines of numbers: the kernel writes Python's `repr`, reads like Python's `float`, and declines the rest."""

import math
import struct

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

BITS = st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0])
DECIMALS = st.tuples(st.integers(-(10**17), 10**17), st.integers(0, 22)).map(lambda pair: pair[0] / 10 ** pair[1])
NUMBERS = st.one_of(st.floats(), BITS, DECIMALS, st.integers(-(2**70), 2**70).map(float))


TOKENS = st.one_of(NUMBERS.map(repr), st.sampled_from("1 -2.5 +3 .5 5. 1e5 1e999 1_0 nan x a=1 １ 0x1 1e --1".split()))
LINES = st.tuples(
    st.lists(TOKENS, max_size=4), st.sampled_from([" ", "  ", "\t"]), st.sampled_from(["", " ", "\r", " \r", "\v"])
)


@given(st.lists(LINES, max_size=6), st.booleans())
def test_lines_that_are_read_are_read_as_python_reads_them(kernels, lines, ended):
    """And declined lines are not two ordinary numbers."""
    lines = [blank.join(tokens) + end for tokens, blank, end in lines]
    block = ("\n".join(lines) + "\n" * ended).encode()
    rows = np.full((len(lines) + 2, 2), np.nan)
    fields = kernels.Fields([b"", b""], "none")
    row = start = 0
    for line in block.split(b"\n")[: len(lines)] if block else []:
        before = row
        row, after = fields.read_rows(block, start, rows[: row + 1], row)
        text = line.decode()
        try:
            numbers = list(map(float, text.split()))
        except ValueError:
            numbers = []
        ordinary = len(numbers) == 2 and all(map(math.isfinite, numbers)) and text.isascii() and "_" not in text
        if row > before:
            assert ordinary and rows[before].tolist() == numbers and after == min(start + len(line) + 1, len(block))
        else:
            assert after == start
            assert not ordinary or "\v" in text
        start += len(line) + 1
        if start > len(block):
            break
