"""Read n-best lists in JSON lines, the format of model servers and of Sockeye.

A line is one segment: an array of hypotheses, or an object that has this array as ``hypotheses``, ``outputs``,
``choices`` or ``nbest``. The object may also have an ``id``, a whole number or a string of digits. If there is no such
``id``, the id of the segment is the line number, from 0. In files of OpenAI's batch API, the object is
``response.body``, and the id is ``custom_id``.

A hypothesis is a string, or an object with the text as ``text``, ``generated_text`` or ``message.content``. The object
may have a ``score``, ``cumulative_logprob`` or ``sequences_score``, and ``features``, an object of numbers. Either all
hypotheses of a list have a score or none has, and all have the same features.

Sockeye's objects have a ``sentence_id``, which Sockeye counts from 1, with ``translations`` and ``scores``, or for a
single hypothesis ``translation`` and ``score``. A score is a number or an array of numbers. The numbers become the
features ``score``, ``score_1`` ..., and the first is also the score of the hypothesis.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isfinite, nan
from typing import Any

from .._files.text import Lines, listed, shown
from .._runtime.arrays import np, repeat
from .._runtime.numbers import as_number
from ..errors import InputFileError, _printable
from .formats import MOST_DIGITS, Record, blocks_of, on_line
from .parts import Part

LISTS = ("hypotheses", "outputs", "choices", "nbest")
SOCKEYE = ("translations", "translation")
SCORES = ("score", "cumulative_logprob", "sequences_score")


def json_lines(file: Lines) -> Iterator[Record]:
    """Read JSON lines."""
    names: tuple[str, ...] | None = None
    scored: bool | None = None
    for block, _ in blocks_of(file):
        ids = []
        sizes = []
        texts = []
        features = []
        scores = []
        for number, line in enumerate(block.decode().split("\n"), file.count):
            with on_line(file, number + 1):
                identity, hypotheses = _parse_segment(line, number)
                for place, value in enumerate(hypotheses):
                    text, score, row = _hypothesis(value, f"hypothesis {place}")
                    if scored not in (None, score is not None):
                        has, before = ("no score", "one") if scored else ("a score", "none")
                        raise InputFileError(f"hypothesis {place} has {has}, but others have {before}")
                    # the first hypothesis of the file decides which features there are, and in which order
                    names = tuple(row) if names is None else names
                    if row.keys() != {*names}:
                        raise InputFileError(
                            f"hypothesis {place} has the features {listed([*row]) or 'none'}, but others have "
                            f"{listed(names) or 'none'}"
                        )
                    scored = score is not None
                    texts.append(text)
                    scores.append(score)
                    features.append([row[name] for name in names])
            ids.append(identity)
            sizes.append(len(hypotheses))
        # the texts of a block are one buffer, as those of a file in another format
        stops = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        part = Part(
            offsets=np.cumsum([0, *sizes], dtype=np.int64),
            ids=np.array(ids, dtype=np.int64),
            features=np.array(features, dtype=np.float64).reshape(len(texts), len(names or ())),
            names=names or (),
            model_scores=np.array(scores, dtype=np.float64) if scored else None,
        )
        lines = repeat(np.arange(file.count + 1, file.count + len(ids) + 1, dtype=np.int64), sizes)
        yield Record(lines, b"".join(texts), stops[:-1], stops[1:], part)


def _parse_segment(line: str, number: int) -> tuple[int, list[Any]]:
    """Parse a line into its id and its hypotheses.

    :param number: of the line, from 0, the id if the line has none
    """
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputFileError(f"is not JSON: {error}") from None
    except ValueError:  # `int` refuses thousands of digits
        raise InputFileError(
            "has an integer of thousands of digits; ids must fit 64 bits, and scores and features the range of a float"
        ) from None
    except RecursionError:
        raise InputFileError("is nested too deeply to be an n-best list") from None
    identity: Any = number
    if isinstance(value, dict):
        # Sockeye's objects are converted to those of other servers
        if any(key in value for key in SOCKEYE) and not any(key in value for key in LISTS):
            value = {"id": value.get("sentence_id", number), "hypotheses": _of_sockeye(value)}
        identity = value.get("custom_id", value.get("id", number))
        if isinstance(identity, str):  # servers name responses, such as chatcmpl-1
            identity = int(identity) if identity.isdecimal() and len(identity) <= MOST_DIGITS else number
        # a line of OpenAI's batch API has what a server returned in an envelope
        response = value.get("response")
        if isinstance(response, dict) and isinstance(response.get("body"), dict):
            value = response["body"]
        # with two of them, it would be unclear which one is the list
        keys = [key for key in LISTS if key in value]
        if len(keys) != 1:
            raise InputFileError(
                f"must have one of the names {', '.join(LISTS)}, but has {' and '.join(keys) or 'none'}"
            )
        value = value[keys[0]]
    if type(identity) is not int or not 0 <= identity < 2**63:
        raise InputFileError(
            f"the id is {_printable(str(identity), 80)}; it must be a whole number from 0 that fits 64 bits"
        )
    if not isinstance(value, list):
        raise InputFileError("must be an array of hypotheses, or an object with one")
    return identity, value


def _of_sockeye(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Convert Sockeye's hypotheses to objects with `text`, `score` and `features`."""
    if "translations" in value:
        texts = value["translations"]
        scores = value.get("scores")
    else:
        texts = [value["translation"]]
        scores = [value.get("score")]
    if not isinstance(texts, list) or not isinstance(scores, list) or len(texts) != len(scores):
        raise InputFileError("translations and scores must be arrays of the same length")
    hypotheses = []
    for text, score in zip(texts, scores):
        numbers = score if isinstance(score, list) else [score]
        names = ["score", *(f"score_{place}" for place in range(1, len(numbers)))]
        features = dict(zip(names, numbers))
        hypotheses.append({"text": text, "score": features.get("score"), "features": features})
    return hypotheses


def _hypothesis(value: Any, place: str) -> tuple[bytes, float | None, dict[str, float]]:
    """Return the text, the score and the features of a hypothesis."""
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, dict):
        raise InputFileError(f"{place} is neither a string nor an object")
    message = value.get("message")
    found = [value[key] for key in ("text", "generated_text") if key in value]
    found += [message["content"]] if isinstance(message, dict) and "content" in message else []
    if len(found) != 1 or not isinstance(found[0], str):
        raise InputFileError(f"{place} must have one text, as text, generated_text or message.content")
    try:
        text = found[0].encode()
    except UnicodeEncodeError:
        raise InputFileError(f"the text of {place} has half of a surrogate pair, which is not a character") from None
    features = value.get("features", {})
    if not isinstance(features, dict):
        raise InputFileError(f"the features of {place} must be an object of numbers")
    given = [key for key in SCORES if value.get(key) is not None]
    score = _finite_number(value[given[0]], f"the {given[0]} of {place}") if given else None
    row = {name: _finite_number(number, f"the feature {shown(name)} of {place}") for name, number in features.items()}
    return text, score, row


def _finite_number(value: Any, what: str) -> float:
    number = as_number(value) if type(value) in (int, float) else nan
    if not isfinite(number):
        raise InputFileError(f"{what} is {shown(str(value))}; it must be a finite number")
    return number
