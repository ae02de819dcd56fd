"""Exceptions, one class for each kind of mistake.

Each is a subclass of :class:`CybleuError`, and of the type that NLTK raises in the same situation, so code written for
NLTK catches it as well. The message says what is wrong, where it is, and how to fix it.

>>> import cybleu
>>> try:
...     cybleu.corpus_bleu([], [])
... except ZeroDivisionError as error:  # as for NLTK's function
...     print(type(error).__name__, error, sep=": ")
EmptyCorpusError: there is no segment to score; give at least one hypothesis with its references
"""

from __future__ import annotations


def _printable(text: str, most: int = 2000) -> str:
    """Escape control characters in a message, except for line breaks, and shorten it if it is long."""
    if len(text) > most:
        half = most // 2 - 20
        text = f"{text[:half]} ... ({len(text)} characters) ... {text[-half:]}"
    if text.isprintable():
        return text
    return "".join(one if one == "\n" or one.isprintable() else repr(one)[1:-1] for one in text)


class CybleuError(Exception):
    """The base class of all errors that cybleu itself raises."""

    def __str__(self) -> str:
        # some of these classes are KeyErrors, which would quote the message
        return _printable(str(self.args[0]) if len(self.args) == 1 else super().__str__())


class ShapeWarning(UserWarning):
    """Arguments have the wrong shape, but are scored because the tool that cybleu reproduces also scores them."""


class LengthMismatchError(CybleuError, ValueError, AssertionError):
    """The numbers of hypotheses and references, or of lines in files, differ, or a list shrinks while it is read."""


class EmptyCorpusError(CybleuError, ValueError, ZeroDivisionError):
    """There is no segment to score."""


class NoReferencesError(CybleuError, ValueError, KeyError):
    """A hypothesis has no reference."""


class OneShotReferencesError(NoReferencesError):
    """The references are an iterator, which can be read only once."""


class SequenceTypeError(CybleuError, TypeError):
    """An argument is not a list of tokens, or not a list of such lists, as required."""


class UnhashableTokenError(CybleuError, TypeError):
    """A token cannot be hashed, so it cannot be counted."""


class OrderError(CybleuError, ValueError, TypeError, IndexError):
    """An n-gram order is not a whole number from 0, or a smoothing method requires more orders than there are."""


class WeightsError(CybleuError, ValueError, TypeError):
    """Weights are not finite numbers, are all 0, or do not fit the orders, the features or their bounds."""


class ZeroPrecisionError(CybleuError, ValueError, AssertionError):
    """A precision is 0, and the smoothing method requires it to be above 0."""


class SmoothingTypeError(CybleuError, TypeError):
    """A smoothing function is not callable, is an unbound method, or was called instead of passed."""


class SmoothingParameterError(CybleuError, ValueError, ZeroDivisionError):
    """A parameter of a smoothing method is invalid, or causes a division by zero."""


class TokensError(CybleuError, ValueError):
    """Tokens can be counted but are certainly a mistake, such as None, or a reference has no tokens."""


class StatisticsError(CybleuError, ValueError):
    """Statistics are invalid, or a metric cannot use them."""


class UnknownNameError(CybleuError, ValueError, KeyError):
    """The name of a metric, variant, tokeniser or column is unknown, or an option does not accept a value."""


class EmptyHypothesisError(CybleuError, ValueError, ZeroDivisionError):
    """The hypotheses have no tokens, and the metric divides by the number of tokens."""


class ShortTextsError(CybleuError, ValueError, ZeroDivisionError):
    """No text has an n-gram of some order, and the metric divides by the number of n-grams."""


class ArrayValueError(CybleuError, ValueError, TypeError, IndexError):
    """An array has the wrong dtype or shape, or lengths, offsets, owners or ids are out of range or inconsistent."""


class ArrowError(CybleuError, ValueError):
    """A value is not a table, or pyarrow cannot read a column, such as one that was consumed or has no texts."""


class MixedTokensError(CybleuError, TypeError):
    """References and hypotheses have different kinds of tokens, such as ids and strings, so no token can match."""


class SampleError(CybleuError, ValueError):
    """A number of samples, a seed or a share is invalid, or there is nothing to sample from."""


class FeatureError(CybleuError, ValueError):
    """The features of an n-best list are not finite numbers, have no names, or do not match those of another list."""


class MissingExtraError(CybleuError, ImportError):
    """A feature requires a package that is not installed."""


class NotUtf8Error(CybleuError, ValueError):
    """Bytes of text are not valid UTF-8.

    :ivar line: the number of the line, from 0
    :ivar position: the position of the first invalid byte in its line
    :ivar byte: the value of this byte
    """

    def __init__(self, line: int, position: int, byte: int, where: str | None = None) -> None:
        super().__init__(
            f"{where or f'line {line + 1}'} is not UTF-8: byte 0x{byte:02x} at position {position}; "
            "decode it with its actual encoding"
        )
        self.line = line
        self.position = position
        self.byte = byte
        self.where = where

    def __reduce__(self) -> tuple[object, tuple[int, int, int, str | None]]:
        return NotUtf8Error, (self.line, self.position, self.byte, self.where)


class InputFileError(CybleuError, ValueError):
    """A file cannot be read or written, or does not have the required format."""


class DecoderError(CybleuError, RuntimeError):
    """A decoder fails, or does not write an n-best list."""
