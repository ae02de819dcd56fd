"""Files of n-best lists: format detection, ids, references, options, and unreadable files."""

import gzip

import numpy as np
import pytest

import cybleu
from cybleu import References
from cybleu.errors import InputFileError, LengthMismatchError, MixedTokensError
from cybleu.nbest import NBest, chunks, read_segments
from nbest_lists import MANY_LINES, REFERENCES, line, same, written


@pytest.mark.thread_unsafe(reason="it writes one file after the other under the same name")
def test_the_format_is_seen(tmp_path):
    for features, names in (
        ("d= 1 2 lm= 3", ("d_0", "d_1", "lm_0")),
        ("d: 1 2 lm: 3", ("d_0", "d_1", "lm_0")),
        ("1 2 3", ("f0", "f1", "f2")),
        ("lm_0=1 a=b=2 glue=3", ("lm_0", "a=b", "glue")),
        ("tm= 1 d= 2 tm= 3", ("tm_0", "d_0", "tm_1")),
    ):
        nbest = NBest.from_files(written(tmp_path, line(features=features)), REFERENCES)
        assert nbest.names == names
        assert sorted(nbest.features[0].tolist()) == [1, 2, 3]
    nothing = line(features="")
    nbest = NBest.from_files(written(tmp_path, nothing + line(features="d=1")), REFERENCES)
    assert nbest.features.tolist() == [[0], [1]]
    with pytest.raises(InputFileError, match=r"line 1: has no features.*use format='moses' or format='joshua'"):
        NBest.from_files(written(tmp_path, nothing), REFERENCES)
    for name in ("moses", "joshua"):
        assert NBest.from_files(written(tmp_path, nothing), REFERENCES, name).features.shape == (1, 0)


def test_many_blocks(tmp_path):
    """Lists longer than a block, new names in late lines, and a segment that continues in the next block."""
    assert len(MANY_LINES) > 2 << 16
    path = written(tmp_path, MANY_LINES)
    nbest = NBest.from_files(path, REFERENCES)
    assert nbest.features[:, 0].tolist() == [*range(7500), 1]
    assert nbest.features[:, 1].tolist() == [0] * 7500 + [2]
    assert nbest.texts[7499] == "the cat 7499"
    assert np.diff(nbest.offsets).tolist() == [2500, 2500, 2501]
    assert same(nbest, NBest.from_files(written(tmp_path, gzip.compress(MANY_LINES.encode())), REFERENCES))


def test_ids_skip_and_interleave(tmp_path):
    path = written(tmp_path, line(2, "so") + line(0, "the") + line(2, "it") + line(2, "is") + line(0, "cat"))
    nbest = NBest.from_files(path, REFERENCES)
    assert nbest.offsets.tolist() == [0, 2, 2, 5]
    assert nbest.texts == ["the", "cat", "so", "it", "is"]
    assert nbest.index.tolist() == [1, 4, 0, 2, 3]
    assert nbest.stats[:, 2].tolist() == [1] * 5


def test_ids_that_start_at_one(tmp_path):
    path = written(tmp_path, line(1) + line(2) + line(3))
    with pytest.raises(InputFileError, match=r"list, line 3: the id is 3, .*3 segments.* 0 to 2; .*use first_id=1"):
        NBest.from_files(path, REFERENCES)
    nbest = NBest.from_files(path, REFERENCES, first_id=1)
    assert (nbest.ids.tolist(), nbest.offsets.tolist()) == ([1, 2, 3], [0, 1, 2, 3])
    with pytest.raises(InputFileError, match=r"line 1: the id is 1, .*from 2 to 4; use first_id="):
        NBest.from_files(path, REFERENCES, first_id=2)
    with pytest.raises(InputFileError, match=r"line 2: the id is 7, .*from 0 to 2; use first_id="):
        NBest.from_files(written(tmp_path, line(0) + line(7)), REFERENCES)


def test_references_from_files(tmp_path):
    first = written(tmp_path, "the cat sat down\nit rains\nso it is\n", "first")
    second = written(tmp_path, gzip.compress(b"a cat\nrain falls\nso\n"), "second")
    lists = [["the cat sat down", "a cat"], ["it rains", "rain falls"], ["so it is", "so"]]
    path = written(tmp_path, line() + line(1, "rain") + line(2, "so"))
    assert same(NBest.from_files(path, [first, str(second)]), NBest.from_files(path, lists))
    assert same(NBest.from_files(path, first), NBest.from_files(path, [texts[:1] for texts in lists]))
    third = written(tmp_path, "a\nb\n", "third")
    with pytest.raises(LengthMismatchError, match=r"first: 3, .*third: 2"):
        NBest.from_files(path, [first, third])
    with pytest.raises(MixedTokensError):
        NBest.from_files(path, References([[[1, 2]]] * 3))


def test_options_of_reading(tmp_path):
    path = written(tmp_path, line(1, "rain\xa0falls. down"))
    nbest = NBest.from_files(path, REFERENCES, tokenize="ascii", max_order=2, reference_length="shortest", texts=False)
    assert nbest.texts is None
    assert nbest.stats.tolist() == [[2, 2, 0, 0, 2, 1]]
    assert NBest.from_files(path, REFERENCES).stats[0].tolist() == [3, 2, 1, 0, 0, 0, 3, 2, 1, 0]
    assert NBest.from_files(path, REFERENCES, tokenize="13a").stats[0, [0, 2, 3]].tolist() == [4, 2, 1]


@pytest.mark.parametrize("text", ["a b", "\ta b\t", " \t a \tb  \t", "a\tb", "\t", "", "\u00a0a\t"])
@pytest.mark.parametrize("around", [" ", "", "  "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tokens_between_spaces(tmp_path, text, around, end):
    """White space around a text is no part of it; other white space than spaces is part of a token."""
    lines = [f"0 |||{around}{one}{around}||| lm= 1 ||| 1{end}" for one in (text, "a b", text)]
    references = written(tmp_path, f"a b\ta c{end}", "ref")
    found = NBest.from_files(written(tmp_path, "".join(lines)), references, tokenize="space")
    assert found.texts == [one.strip(" \t") for one in (text, "a b", text)]
    tokens = [[token for token in one.split(" ") if token] for one in found.texts]
    assert (found.stats == cybleu.rows(tokens, [["a", "b\ta", "c"]] * 3)).all()


@pytest.mark.parametrize("tokenize", ["unicode", "ascii", "space", "13a", str.split])
@pytest.mark.parametrize("text", ["The CAT sat.", "ÉTÉ ΣΑΣ İstanbul The cat", ""])
def test_in_lower_case(tmp_path, tokenize, text):
    """Same result as for texts that were lower-cased before, but the stored texts are those of the file."""
    other = "the cat sat été"
    references = ["the cat SAT.", "été σας İstanbul the CAT"]
    for name, change in (("plain", str), ("lower", str.lower)):
        written(tmp_path, "".join(line(number, change(one)) for number in (0, 1) for one in (text, other)), name)
        written(tmp_path, "".join(f"{change(one)}\n" for one in references), f"{name}.ref")
    expected = NBest.from_files(tmp_path / "lower", tmp_path / "lower.ref", tokenize=tokenize)
    found = NBest.from_files(tmp_path / "plain", tmp_path / "plain.ref", tokenize=tokenize, lowercase=True)
    assert (found.stats == expected.stats).all()
    assert found.texts == [text, other] * 2
    lists = NBest.from_files(tmp_path / "plain", [[one] for one in references], tokenize=tokenize, lowercase=True)
    assert (lists.stats == expected.stats).all()


# ------------------------------------------------------------------------------------------------- streams of segments


def test_segments_of_a_stream(tmp_path):
    path = written(
        tmp_path, line(5, "a b", "d= 1 p_x= 7", "-2") + line(5, "", "d= 2 p_y= 3 p_x= 4", "-3") + line(9, "c", "d= 3")
    )
    first, second = read_segments(path)
    assert (first.id, first.texts, first.names, first.features.tolist()) == (5, ["a b", ""], ("d_0",), [[1], [2]])
    assert first.model_scores.tolist() == [-2, -3]
    assert [array.tolist() for array in first.sparse[:3]] == [[0, 1, 3], [0, 0, 1], [7, 4, 3]]
    assert first.sparse.names == ("p_x", "p_y")
    assert second.sparse.indptr.tolist() == [0, 0]
    plain = written(tmp_path, "a b\nc\nd\ne\n")
    segments = read_segments(plain, size=np.int64(2))
    assert [(segment.id, segment.texts, segment.model_scores) for segment in segments] == [
        (0, ["a b", "c"], None),
        (1, ["d", "e"], None),
    ]


def test_a_segment_that_goes_on_in_the_next_block(tmp_path):
    path = written(tmp_path, MANY_LINES)
    segments = list(read_segments(path))
    assert [(segment.id, len(segment.texts)) for segment in segments] == [(0, 2500), (1, 2500), (2, 2501)]
    assert np.concatenate([segment.features[:, 0] for segment in segments]).tolist() == [*range(7500), 1]


def test_each_run_of_an_id_is_a_segment(tmp_path):
    path = written(tmp_path, line(2, "so") + line(0, "the") + line(2, "it") + line(2, "is") + line(0, "cat"))
    segments = list(read_segments(path))
    assert [(segment.id, segment.texts) for segment in segments] == [
        (2, ["so"]),
        (0, ["the"]),
        (2, ["it", "is"]),
        (0, ["cat"]),
    ]


def test_chunks_of_large_segments(tmp_path):
    path = written(tmp_path, "".join(f"{n} ||| {'a ' * 150_000} ||| lm= 1 ||| 1\n" for n in range(4)))
    assert [len(chunk) for chunk in chunks(path)] == [1, 1, 1, 1]
