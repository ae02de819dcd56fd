"""Lines of raw text on both backends: where they end, and invalid UTF-8."""

from hypothesis import example, given, strategies as st

from cybleu import _mirror
from cybleu.errors import NotUtf8Error
from inputs import called


def test_full_stops(kernels):
    lines = ["", ".", "a.", "a .", " .", "猫 .", "猫.", "\U0001f600 .", "é.", "..", "a . "]
    for backend in (kernels, _mirror):
        assert backend.RawTexts(lines).full_stops() == (4, 4)
        assert backend.RawTexts.of_block("\r\n".join(lines).encode()).full_stops() == (4, 4)


@given(
    st.binary(max_size=12) | st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\r\n", b"\xc3", b"\xa9"])).map(b"".join)
)
@example(b"a\xed\xa0\x80")
@example(b"\xf4\x90\x80\x80")
@example(b"\xe0\x80\x80b\n\xff")
@example(b"12345678\n\x80")
def test_blocks_of_bytes(kernels, block):
    results = []
    for backend in (kernels, _mirror):
        value, error, _ = called(backend.RawTexts.of_block, block)
        assert error is None or type(error) is NotUtf8Error
        results.append(("error", error.line, error.position, error.byte) if error else tokens_of(backend, value))
        one, error, _ = called(backend.RawTexts, [b"a", block])
        results[-1] = (results[-1], ("error", error.line, error.position) if error else tokens_of(backend, one))
    assert results[0] == results[1]
    try:
        text = block.decode()
    except UnicodeDecodeError as error:
        assert results[0][1] == ("error", 1, error.start)
    else:
        assert results[0][0] == [line.removesuffix("\r").split() for line in text.split("\n")]


def tokens_of(backend, texts):
    """The tokens of each text."""
    tokenizer = backend.Tokenizer("none")
    return [tokenizer.tokens(line) for line in texts.strings()]
