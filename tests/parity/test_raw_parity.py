"""Lines of raw text on both backends: where they end, their tokens, and invalid UTF-8."""

import pytest
from hypothesis import example, given, strategies as st

from cybleu import _mirror
from cybleu.errors import NotUtf8Error
from cybleu.text import tokenizer
from inputs import called, on_both_backends


def test_full_stops(kernels):
    lines = ["", ".", "a.", "a .", " .", "猫 .", "猫.", "\U0001f600 .", "é.", "..", "a . "]
    for backend in (kernels, _mirror):
        assert backend.RawTexts(lines).full_stops() == (4, 4)
        assert backend.RawTexts.of_block("\r\n".join(lines).encode()).full_stops() == (4, 4)


@pytest.mark.thread_unsafe(reason="one process has the mirror")
@pytest.mark.parametrize("name", ["13a", "intl", "zh", "char", "none", "unicode", "ascii", "space", "tensor2tensor"])
def test_every_tokeniser(kernels, name):
    line = "  It's 3.5 %, isn't\u3000it?\t猫が 1,000.-5 «a»&lt;-\xa0\x1c.U.S.\u20ac "
    on_both_backends(lambda: tokenizer(name)(line))


blocks = st.binary(max_size=12) | st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\r\n", b"\xc3", b"\xa9"])).map(
    b"".join
)


def read(backend, make, data):
    """The tokens of each text, or where the first byte is that is not UTF-8."""
    texts, error, _ = called(make, data)
    if error is None:
        return [backend.Tokenizer("none").tokens(line) for line in texts.lists()]
    assert type(error) is NotUtf8Error
    return error.line, error.position, error.byte


@given(blocks)
@example(b"a\xed\xa0\x80")
@example(b"\xf4\x90\x80\x80")
@example(b"\xe0\x80\x80b\n\xff")
@example(b"12345678\n\x80")
def test_blocks_of_bytes(kernels, block):
    try:
        expected = [line.removesuffix("\r").split() for line in block.decode().split("\n")]
    except UnicodeDecodeError as error:
        lines = block[: error.start].split(b"\n")
        expected = len(lines) - 1, len(lines[-1]), block[error.start]
    for backend in (kernels, _mirror):
        assert read(backend, backend.RawTexts.of_block, block) == expected


@given(blocks)
def test_lists_of_bytes(kernels, text):
    try:
        expected = [["a"], text.decode().split()]
    except UnicodeDecodeError as error:
        expected = 1, error.start, text[error.start]
    for backend in (kernels, _mirror):
        assert read(backend, backend.RawTexts, [b"a", text]) == expected
