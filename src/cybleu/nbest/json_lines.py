"""Read n-best lists in JSON lines, the format of model servers.

A line holds one segment: an array of hypotheses, or an object that has one as ``hypotheses``, ``outputs``, ``choices`` or
``nbest``, and optionally an ``id``, a whole number or its digits. The id of other lines, and of those whose ``id`` is another
string, is the number of the line, from 0. In the files of OpenAI's batches, the object is ``response.body``, and ``custom_id``
is the id.

A hypothesis is a string, or an object with its text as ``text``, ``generated_text`` or ``message.content``, optionally a
``score``, ``cumulative_logprob`` or ``sequences_score``, and optionally ``features``, an object of numbers. In one list all
hypotheses have a score or none has, and all have the same features.

Sockeye's objects are accepted, too: ``sentence_id``, which Sockeye counts from 1, with ``translations`` and ``scores``, or
with ``translation`` and ``score`` for a single hypothesis. A score is a number or a list of numbers. They become the features
``score``, ``score_1`` ..., and the first is the score of the hypothesis.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isfinite, nan
from typing import Any, NamedTuple

from .._files.text import Lines, listed, shown
from .._runtime.arrays import np, repeat
from ..errors import InputFileError, _printable
from .container import NBest
from .formats import MOST_DIGITS, Record

LISTS = ("hypotheses", "outputs", "choices", "nbest")
SCORES = ("score", "cumulative_logprob", "sequences_score")


def json_lines(file: Lines) -> Iterator[Record]:
    """Read JSON lines, as a record for the consecutive lines of a block that have the same features."""
    names: tuple[str, ...] | None = None
    for block in file.blocks():
        found: list[_Segment] = []
        for line in file.text(block).split("\n"):
            try:
                segment = _segment(line, file.count, names)
            except InputFileError as error:
                raise InputFileError(f"{file.name}, line {file.count + 1}: {error}") from None
            file.count += 1
            if found and segment.texts and segment.kind != found[0].kind:
                yield _record(found)
                found = []
            found.append(segment)
            names = segment.names if segment.texts else names
        yield _record(found)


class _Segment(NamedTuple):
    """A line. All its hypotheses have a score, or none has."""

    line: int
    id: int
    texts: list[bytes]
    names: tuple[str, ...]
    features: list[list[float]]
    scores: list[float]

    @property
    def kind(self) -> tuple[tuple[str, ...], bool]:
        return self.names, bool(self.scores)


def _record(segments: list[_Segment]) -> Record:
    texts = [text for segment in segments for text in segment.texts]
    stops = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    sizes = [len(segment.texts) for segment in segments]
    names = segments[0].names
    scores = [score for segment in segments for score in segment.scores]
    nbest = NBest._of(
        offsets=np.cumsum([0, *sizes], dtype=np.int64),
        ids=np.array([segment.id for segment in segments], dtype=np.int64),
        features=np.array([row for segment in segments for row in segment.features], dtype=np.float64).reshape(
            len(texts), len(names)
        ),
        names=names,
        model_scores=np.array(scores) if scores else None,
    )
    lines = repeat(np.array([segment.line for segment in segments], dtype=np.int64), sizes)
    return Record(lines, b"".join(texts), stops[:-1], stops[1:], nbest)


def _segment(line: str, number: int, names: tuple[str, ...] | None) -> _Segment:
    """Parse a line.

    :param number: of the line, from 0
    :param names: of the features of the hypotheses before, if there are any
    """
    position = number + 1
    try:
        value = json.loads(line)
    except ValueError as error:
        raise InputFileError(f"is not JSON: {error}") from None
    except RecursionError:
        raise InputFileError("is nested too deeply to be an n-best list") from None
    number, value = _id_and_hypotheses(value, number)
    if type(number) is not int or not 0 <= number < 2**63:
        what = shown(number) if isinstance(number, str) else _printable(str(number), 80)
        raise InputFileError(f"the id is {what}; it must be a whole number from 0 that fits 64 bits")
    if not isinstance(value, list):
        raise InputFileError("must be an array of hypotheses, or an object with one")
    texts, scores, features = [], [], []
    for place, hypothesis in enumerate(value):
        text, score, row = _hypothesis(hypothesis, place)
        texts.append(text)
        scores.append(score)
        if names is None:
            names = tuple(row)
        if set(row) != set(names):
            raise InputFileError(
                f"hypothesis {place} has the features {listed([*row]) or 'none'}, and others have {listed(names) or 'none'}"
            )
        features.append([row[name] for name in names])
    known = [score for score in scores if score is not None]
    if known and len(known) < len(scores):
        raise InputFileError(f"hypothesis {scores.index(None)} has no score, and others have one")
    return _Segment(position, number, [text.encode() for text in texts], names or (), features, known)


def _id_and_hypotheses(value: Any, number: int) -> tuple[Any, Any]:
    """Return the id and the hypotheses of a line.

    :param number: of the line, the id if the line has none
    """
    if not isinstance(value, dict):
        return number, value
    identity = value.get("custom_id", value.get("id", number))
    if isinstance(identity, str):  # servers name responses, such as chatcmpl-1
        identity = int(identity) if identity.isdecimal() and len(identity) <= MOST_DIGITS else number
    response = value.get("response")
    if isinstance(response, dict) and isinstance(response.get("body"), dict):
        value = response["body"]
    keys = [key for key in LISTS if key in value]
    if not keys and "translation" in value:
        return value.get("sentence_id", number), _of_sockeye(value)
    if len(keys) != 1:
        raise InputFileError(f"has {' and '.join(keys) or 'none'} of the names {', '.join(LISTS)}; give one")
    return identity, value[keys[0]]


def _of_sockeye(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Convert Sockeye's hypotheses to the general form."""
    texts: Any = [value["translation"]]
    scores: Any = [value.get("score")]
    if "translations" in value:
        texts, scores = value["translations"], value.get("scores")
    if not isinstance(texts, list) or not isinstance(scores, list) or len(texts) != len(scores):
        raise InputFileError("translations and scores must be arrays of the same length")
    hypotheses = []
    for text, score in zip(texts, scores):
        numbers = score if isinstance(score, list) else [score]
        names = ["score", *(f"score_{place}" for place in range(1, len(numbers)))]
        features = dict(zip(names, numbers))
        hypotheses.append({"text": text, "score": features.get("score"), "features": features})
    return hypotheses


def _hypothesis(value: Any, place: int) -> tuple[str, float | None, dict[str, float]]:
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, dict):
        raise InputFileError(f"hypothesis {place} is neither a string nor an object")
    message = value.get("message")
    found = [value[key] for key in ("text", "generated_text") if key in value]
    found += [message["content"]] if isinstance(message, dict) and "content" in message else []
    if len(found) != 1 or not isinstance(found[0], str):
        raise InputFileError(f"hypothesis {place} must have one text, as text, generated_text or message.content")
    if not _is_text(found[0]):
        raise InputFileError(f"the text of hypothesis {place} has half of a surrogate pair, which is no character")
    features = value.get("features", {})
    if not isinstance(features, dict):
        raise InputFileError(f"the features of hypothesis {place} must be an object of numbers")
    given = [key for key in SCORES if value.get(key) is not None]
    score = _number(value[given[0]], f"the {given[0]} of hypothesis {place}") if given else None
    row = {
        name: _number(number, f"the feature {shown(name)} of hypothesis {place}") for name, number in features.items()
    }
    return found[0], score, row


def _number(value: Any, what: str) -> float:
    try:
        number = float(value) if type(value) in (int, float) else nan
    except OverflowError:
        number = nan
    if not isfinite(number):
        raise InputFileError(f"{what} is {shown(str(value))}; it must be a finite number")
    return number


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
