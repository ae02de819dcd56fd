"""N-best lists as JSON lines: what decoders and servers write, and what is none."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from cybleu.errors import InputFileError
from cybleu.nbest import read_segments
from nbest_lists import written


def segments(folder, *lines):
    return list(read_segments(written(folder, "".join(json.dumps(line) + "\n" for line in lines)), "json"))


def test_lists_under_all_names(tmp_path):
    found = segments(
        tmp_path,
        ["a b", "c"],
        {"hypotheses": ["d"]},
        {"outputs": [{"text": "e", "cumulative_logprob": -1.5}, {"text": "f", "cumulative_logprob": -2}]},
        {"id": 7, "choices": [{"message": {"role": "assistant", "content": "straße"}, "index": 0}]},
        {"nbest": [{"generated_text": "g", "sequences_score": 1}]},
        [],
    )
    assert [segment.id for segment in found] == [0, 1, 2, 7, 4, 5]
    assert [segment.texts for segment in found] == [["a b", "c"], ["d"], ["e", "f"], ["straße"], ["g"], []]
    scores = [None if segment.model_scores is None else segment.model_scores.tolist() for segment in found]
    assert scores[:5] == [None, None, [-1.5, -2], None, [1]]


def test_features_in_any_order(tmp_path):
    (found,) = segments(
        tmp_path,
        {"nbest": [{"text": "a", "features": {"lm": 1, "n": 2}}, {"text": "b", "features": {"n": 1, "lm": 3.5}}]},
    )
    assert (found.names, found.features.tolist()) == (("lm", "n"), [[1, 2], [3.5, 1]])


def test_gzip_is_recognised(tmp_path):
    (found,) = read_segments(written(tmp_path, gzip.compress(b'["a"]')), "json")
    assert found.texts == ["a"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('[{"text": "a", "score": 1%s}]' % ("0" * 400), "the score of hypothesis 0 is '1000"),
        ('"a"', "must be an array of hypotheses"),
        ('{"texts": []}', "has none of the names"),
        ('{"outputs": [], "choices": []}', "has outputs and choices of the names"),
        ('{"id": "7", "outputs": []}', "the id is '7'"),
        ("[1]", "hypothesis 0 is neither a string nor an object"),
        ('[{"score": 1}]', "hypothesis 0 must have one text"),
        ('[{"text": "a", "score": 1}, "b"]', "hypothesis 1 has no score, and others have one"),
        ('[{"text": "a", "score": NaN}]', "the score of hypothesis 0 is 'nan'"),
        ('[{"text": "a", "features": 1}]', "features of hypothesis 0 must be an object"),
        ('[{"text": "a", "features": {"lm": "1"}}]', "the feature 'lm' of hypothesis 0 is '1'"),
        ('["a", {"text": "a", "features": {"lm": 1}}]', "hypothesis 1 has the features lm, and others have none"),
    ],
)
def test_lines_that_are_none(tmp_path, line, message):
    path = written(tmp_path, '["a"]\n' + line + "\n")
    with pytest.raises(InputFileError, match=f"list, line 2: .*{re.escape(message)}"):
        list(read_segments(path, "json"))
