"""N-best lists in JSON lines: output of decoders and servers, and invalid lines."""

from __future__ import annotations

import gzip
import json

from cybleu.nbest import NBest, read_segments
from nbest_lists import REFERENCES, line, same, written


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


def test_responses_of_servers(tmp_path):
    choices = [
        {"index": 0, "message": {"role": "assistant", "content": "a b"}},
        {"index": 1, "message": {"content": "c"}},
    ]
    response = {"id": "chatcmpl-1", "object": "chat.completion", "choices": choices}
    found = segments(tmp_path, response, {**response, "id": "chatcmpl-²"}, {**response, "id": "7"})
    assert [(segment.id, segment.texts) for segment in found] == [(number, ["a b", "c"]) for number in (0, 1, 7)]
    batch = {"id": "batch_req_1", "response": {"status_code": 200, "request_id": "r", "body": response}, "error": None}
    found = segments(tmp_path, {**batch, "custom_id": "request-9"}, {**batch, "custom_id": "4"})
    assert [(segment.id, segment.texts) for segment in found] == [(0, ["a b", "c"]), (4, ["a b", "c"])]


def test_features_in_any_order(tmp_path):
    (found,) = segments(
        tmp_path,
        {"nbest": [{"text": "a", "features": {"lm": 1, "n": 2}}, {"text": "b", "features": {"n": 1, "lm": 3.5}}]},
    )
    assert (found.names, found.features.tolist()) == (("lm", "n"), [[1, 2], [3.5, 1]])


def test_gzip_is_recognised(tmp_path):
    (found,) = read_segments(written(tmp_path, gzip.compress(b'["a"]')), "json")
    assert found.texts == ["a"]


SOCKEYE = """{"sentence_id": 1, "translation": "the cat", "score": 0.5, "translations": ["the cat", "a cat"], "scores": [[0.5], [0.75]]}
{"sentence_id": 3, "translation": "so it is", "score": 1.5}
"""


def test_sockeye(tmp_path):
    path = written(tmp_path, SOCKEYE)
    first, second = read_segments(path, "json")
    assert (first.id, first.texts, first.names, first.features.tolist()) == (
        1,
        ["the cat", "a cat"],
        ("score",),
        [[0.5], [0.75]],
    )
    assert first.model_scores.tolist() == [0.5, 0.75]
    assert (second.id, second.texts, second.features.tolist()) == (3, ["so it is"], [[1.5]])
    several = SOCKEYE.replace("[0.5], [0.75]", "[0.5, -1], [0.75, -2]").splitlines()[0]
    (segment,) = read_segments(written(tmp_path, several), "json")
    assert segment.names == ("score", "score_1") and segment.features.tolist() == [[0.5, -1], [0.75, -2]]


def test_lists_of_json_lines(tmp_path):
    """They give the same lists as lines with fields."""
    found = NBest.from_files(written(tmp_path, SOCKEYE), REFERENCES, "json", first_id=1)
    fields = (
        line(1, "the cat", "score=0.5", 0.5)
        + line(1, "a cat", "score=0.75", 0.75)
        + line(3, "so it is", "score=1.5", 1.5)
    )
    assert same(found, NBest.from_files(written(tmp_path, fields), REFERENCES, "joshua", first_id=1))
    path = written(tmp_path, '[]\n["it\\nrains", {"text": "é"}]\n')
    plain = NBest.from_files(path, REFERENCES, "json")
    assert plain.texts == ["it\nrains", "é"] and plain.offsets.tolist() == [0, 0, 2, 2]
    assert plain.model_scores is None and plain.stats[:, 0].tolist() == [2, 1]
    beyond = NBest.from_files(written(tmp_path, '["so it is"]\n{"id": 7, "nbest": []}\n'), REFERENCES, "json")
    assert beyond.texts == ["so it is"] and beyond.offsets.tolist() == [0, 1, 1, 1]
