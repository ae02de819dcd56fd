"""N-best lists in JSON lines: output of decoders and servers, and invalid lines."""

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
        {"id": 7, "choices": [{"message": {"role": "assistant", "content": "straße"}, "index": 0}]},
        [],
    )
    assert [segment.id for segment in found] == [0, 1, 7, 3]
    assert [segment.texts for segment in found] == [["a b", "c"], ["d"], ["straße"], []]
    assert found[0].model_scores is None
    found = segments(
        tmp_path,
        {"outputs": [{"text": "e", "cumulative_logprob": -1.5}, {"text": "f", "cumulative_logprob": -2}]},
        {"nbest": [{"generated_text": "g", "sequences_score": 1}]},
    )
    assert [segment.texts for segment in found] == [["e", "f"], ["g"]]
    assert [segment.model_scores.tolist() for segment in found] == [[-1.5, -2], [1]]


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


def test_sockeye(tmp_path):
    """Sockeye counts segments from 1. A line has its n best translations, or the best one alone."""
    several = {"sentence_id": 1, "translation": "the cat", "score": 0.5, "translations": ["the cat", "a cat"]}
    first, second = segments(
        tmp_path,
        {**several, "scores": [[0.5], [0.75]]},
        {"sentence_id": 3, "translation": "so it is", "score": 1.5},
    )
    assert (first.id, first.texts, first.names) == (1, ["the cat", "a cat"], ("score",))
    assert (first.features.tolist(), first.model_scores.tolist()) == ([[0.5], [0.75]], [0.5, 0.75])
    assert (second.id, second.texts, second.features.tolist()) == (3, ["so it is"], [[1.5]])


def test_several_scores_of_sockeye_are_features(tmp_path):
    (found,) = segments(tmp_path, {"translations": ["the cat", "a cat"], "scores": [[0.5, -1], [0.75, -2]]})
    assert (found.names, found.features.tolist()) == (("score", "score_1"), [[0.5, -1], [0.75, -2]])
    assert found.model_scores.tolist() == [0.5, 0.75]


def test_lists_of_json_lines(tmp_path):
    """They give the same lists as lines with fields."""
    scored = [[("the cat", 0.5), ("a cat", 0.75)], [("so it is", 1.5)]]
    lines = [
        {"id": number, "nbest": [{"text": text, "score": score, "features": {"score": score}} for text, score in group]}
        for number, group in zip((1, 3), scored)
    ]
    path = written(tmp_path, "".join(json.dumps(line) + "\n" for line in lines))
    found = NBest.from_files(path, REFERENCES, "json", first_id=1)
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


def test_a_model_score_may_be_0(tmp_path):
    path = written(tmp_path, '[{"text": "a", "score": 0}, {"text": "b", "score": -1}]\n')
    assert NBest.from_files(path, [["a"]], "json").model_scores.tolist() == [0.0, -1.0]
