"""Output of fairseq as an n-best list."""

import pytest
from hypothesis import given, strategies as st

from cybleu._files import text
from cybleu.nbest import NBest, read_segments
from nbest_lists import REFERENCES, line, same, written

PRINTED = """2024-01-01 | INFO | fairseq_cli.generate | loading model
S-2\tso ist es
T-2\tso it is
H-2\t-0.25\tso it is
D-2\t-0.25\tso it is.
P-2\t-0.1 -0.2 -0.3
H-2\t-1.5\tit is
S-0\tdie Katze
H-0\t-3e-05\tthe cat  é\r
H-0\t-7\t
Generate test with beam=5: BLEU4 = 12.0
"""


def test_what_fairseq_prints(tmp_path):
    path = written(tmp_path, PRINTED)
    nbest = NBest.from_files(path, REFERENCES, "fairseq")
    assert nbest.names == ("score",) and nbest.texts == ["the cat  é", "", "so it is", "it is"]
    assert nbest.features.ravel().tolist() == nbest.model_scores.tolist() == [-3e-05, -7, -0.25, -1.5]
    assert nbest.offsets.tolist() == [0, 2, 2, 4] and nbest.index.tolist() == [2, 3, 0, 1]
    segments = list(read_segments(path, "fairseq"))
    assert [(segment.id, segment.texts, segment.names) for segment in segments] == [
        (2, ["so it is", "it is"], ("score",)),
        (0, ["the cat  é", ""], ("score",)),
    ]


HYPOTHESES = st.lists(
    st.tuples(st.integers(0, 2), st.floats(-9, 0), st.text(st.characters(codec="utf-8", exclude_characters="\r\n|"))),
    min_size=1,
    max_size=8,
)


@pytest.mark.thread_unsafe(reason="the size of a block is changed for the whole process")
@given(HYPOTHESES, st.integers(1, 40))
def test_equal_to_the_same_list_in_fields(tmp_path_factory, hypotheses, at_once):
    folder = tmp_path_factory.mktemp("fairseq")
    printed = "".join(f"S-{number}\tH-1\nH-{number}\t{score}\t{words}\n" for number, score, words in hypotheses)
    fields = "".join(line(number, words, f"score={score}", score) for number, score, words in hypotheses)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "BLOCK", at_once)
        found = NBest.from_files(written(folder, printed), REFERENCES, "fairseq")
    assert same(found, NBest.from_files(written(folder, fields, "fields"), REFERENCES, "joshua"))
