"""N-best lists in JSON lines: output of decoders and servers."""

import pytest

from cybleu.nbest import NBest, read_segments
from nbest_lists import REFERENCES, line, same, written


def segments(folder, *lines):
    return list(read_segments(written(folder, "\n".join(lines) + "\n"), "json"))


def test_lists_under_all_names(tmp_path):
    found = segments(
        tmp_path,
        '["a b", "c"]',
        '{"hypotheses": ["d"]}',
        '{"id": 7, "choices": [{"message": {"role": "assistant", "content": "stra\\u00dfe"}, "index": 0}]}',
        "[]",
    )
    assert [segment.id for segment in found] == [0, 1, 7, 3]
    assert [segment.texts for segment in found] == [["a b", "c"], ["d"], ["straße"], []]
    assert found[0].model_scores is None


@pytest.mark.parametrize(
    "text",
    [
        '{"outputs": [{"text": "e", "cumulative_logprob": -1.5}, {"text": "f", "cumulative_logprob": -2}]}',
        '{"nbest": [{"generated_text": "e", "sequences_score": -1.5}, {"generated_text": "f", "sequences_score": -2}]}',
    ],
    ids=["vLLM", "transformers"],
)
def test_model_scores_under_all_names(tmp_path, text):
    (found,) = segments(tmp_path, text)
    assert (found.texts, found.model_scores.tolist()) == (["e", "f"], [-1.5, -2])


RESPONSE = (
    '{"id": "ID", "object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", '
    '"content": "a b"}}, {"index": 1, "message": {"content": "c"}}]}'
)
BATCH = (
    '{"id": "batch_req_1", "response": {"status_code": 200, "request_id": "r", "body": RESPONSE}, "error": null, '
    '"custom_id": "ID"}'
)


@pytest.mark.parametrize("form", [RESPONSE, BATCH.replace("RESPONSE", RESPONSE)], ids=["responses", "batches"])
def test_responses_of_servers(tmp_path, form):
    """Their ids are numbers of segments only if they are numbers."""
    found = segments(tmp_path, *(form.replace("ID", name) for name in ("chatcmpl-1", "chatcmpl-²", "7")))
    assert [(segment.id, segment.texts) for segment in found] == [(number, ["a b", "c"]) for number in (0, 1, 7)]


def test_features_in_any_order(tmp_path):
    text = '{"nbest": [{"text": "a", "features": {"lm": 1, "n": 2}}, {"text": "b", "features": {"n": 1, "lm": 3.5}}]}'
    (found,) = segments(tmp_path, text)
    assert (found.names, found.features.tolist()) == (("lm", "n"), [[1, 2], [3.5, 1]])


def test_sockeye(tmp_path):
    """Sockeye counts segments from 1. A line has its n best translations, or the best one alone."""
    first, second = segments(
        tmp_path,
        '{"sentence_id": 1, "translation": "the cat", "score": 0.5, "translations": ["the cat", "a cat"], '
        '"scores": [[0.5], [0.75]]}',
        '{"sentence_id": 3, "translation": "so it is", "score": 1.5}',
    )
    assert (first.id, first.texts, first.names) == (1, ["the cat", "a cat"], ("score",))
    assert (first.features.tolist(), first.model_scores.tolist()) == ([[0.5], [0.75]], [0.5, 0.75])
    assert (second.id, second.texts, second.features.tolist()) == (3, ["so it is"], [[1.5]])


def test_several_scores_of_sockeye_are_features(tmp_path):
    (found,) = segments(tmp_path, '{"translations": ["the cat", "a cat"], "scores": [[0.5, -1], [0.75, -2]]}')
    assert (found.names, found.features.tolist()) == (("score", "score_1"), [[0.5, -1], [0.75, -2]])
    assert found.model_scores.tolist() == [0.5, 0.75]


def test_lists_of_json_lines_are_those_of_lines_with_fields(tmp_path):
    json = written(
        tmp_path,
        '{"id": 1, "nbest": [{"text": "the cat", "score": 0.5, "features": {"score": 0.5}}, '
        '{"text": "a cat", "score": 0.75, "features": {"score": 0.75}}]}\n'
        '{"id": 3, "nbest": [{"text": "so it is", "score": 1.5, "features": {"score": 1.5}}]}\n',
        "json",
    )
    fields = line(1, "the cat", "score=0.5", 0.5) + line(1, "a cat", "score=0.75", 0.75)
    fields = written(tmp_path, fields + line(3, "so it is", "score=1.5", 1.5))
    found = NBest.from_files(json, REFERENCES, "json", first_id=1)
    assert same(found, NBest.from_files(fields, REFERENCES, "joshua", first_id=1))


def test_texts_with_line_breaks(tmp_path):
    found = NBest.from_files(written(tmp_path, '[]\n["it\\nrains", {"text": "é"}]\n'), REFERENCES, "json")
    assert found.texts == ["it\nrains", "é"] and found.offsets.tolist() == [0, 0, 2, 2]
    assert found.model_scores is None and found.stats[:, 0].tolist() == [2, 1]


def test_the_id_of_a_segment_without_hypotheses_does_not_matter(tmp_path):
    found = NBest.from_files(written(tmp_path, '["so it is"]\n{"id": 7, "nbest": []}\n'), REFERENCES, "json")
    assert found.texts == ["so it is"] and found.offsets.tolist() == [0, 1, 1, 1]


def test_a_model_score_may_be_0(tmp_path):
    path = written(tmp_path, '[{"text": "a", "score": 0}, {"text": "b", "score": -1}]\n')
    assert NBest.from_files(path, [["a"]], "json").model_scores.tolist() == [0.0, -1.0]
