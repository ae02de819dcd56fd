"""Files of features and statistics in the format of Moses's extractor."""

import pytest
from hypothesis import assume, given, strategies as st

from cybleu.errors import InputFileError
from cybleu.nbest import NBest
from nbest_lists import lists, same_but_sparse_names, sparse_of, written

FEATURES_FILE = """FEATURES_TXT_BEGIN_0 0 2 3 d_0 d_1 lm_0
0 -7.66174 1
0.5 1e-05 2 pp_a=0.25 pp_b==1
FEATURES_TXT_END_0
FEATURES_TXT_BEGIN_0 2 1 3 d_0 d_1 lm_0
1 2 3
FEATURES_TXT_END_0
"""
SCORES_FILE = """SCORES_TXT_BEGIN_0 0 2 9 BLEU
6 8 2 7 1 6 0 5 9
3 3 2 2 1 1 0 0 9
SCORES_TXT_END_0
SCORES_TXT_BEGIN_0 2 1 9 BLEU
0 0 0 0 0 0 0 0 4
SCORES_TXT_END_0
"""
WITHOUT_LENGTHS = SCORES_FILE.replace("9 BLEU", "8 BLEU").replace(" 9\n", "\n").replace(" 4\n", "\n")


def from_moses(folder, features=FEATURES_FILE, scores=SCORES_FILE, *arguments, **keywords):
    return NBest.from_moses(written(folder, features, "F"), written(folder, scores, "S"), *arguments, **keywords)


def test_files_of_the_extractor(tmp_path):
    nbest = from_moses(tmp_path)
    assert nbest.names == ("d_0", "d_1", "lm_0")
    assert nbest.features.tolist() == [[0, -7.66174, 1], [0.5, 1e-05, 2], [1, 2, 3]]
    assert nbest.offsets.tolist() == [0, 2, 2, 3]
    assert nbest.stats.tolist() == [
        [8, 9, 6, 2, 1, 0, 8, 7, 6, 5],
        [3, 9, 3, 2, 1, 0, 3, 2, 1, 0],
        [0, 4, 0, 0, 0, 0, 0, 0, 0, 0],
    ]
    assert sparse_of(nbest) == [{}, {"pp_a": (0.25).hex(), "pp_b=": (1.0).hex()}, {}]
    assert len(from_moses(tmp_path, FEATURES_FILE, SCORES_FILE, 7)) == 7
    unnamed = from_moses(tmp_path, FEATURES_FILE.replace("d_0 d_1 lm_0", ""))
    assert unnamed.names == ("f0", "f1", "f2")
    one_based = [text.replace("_0 0 ", "_0 1 ") for text in (FEATURES_FILE, SCORES_FILE)]
    assert from_moses(tmp_path, *one_based, first_id=1).ids.tolist() == [1, 2]


@given(lists(), st.sampled_from(["", ".gz"]))
def test_moses_files_are_read_as_they_were_written(tmp_path_factory, nbest, ending):
    assume(len(nbest.features))
    folder = tmp_path_factory.mktemp("lists")
    paths = folder / f"features{ending}", folder / f"scores{ending}"
    nbest.to_moses(*paths)
    read = NBest.from_moses(*paths, len(nbest))
    assert (read.texts, read.model_scores) == (None, None)
    expected = NBest(nbest.offsets, nbest.features, nbest.stats, nbest.names, sparse=nbest.sparse)
    assert same_but_sparse_names(expected, read)
    before = [path.read_bytes() for path in paths]
    read.to_moses(*paths)
    if nbest.sparse is None:
        assert [path.read_bytes() for path in paths] == before


@pytest.mark.parametrize("segments", [None, 2, 5])
def test_files_of_the_extractor_without_hypotheses(tmp_path, segments):
    features = "FEATURES_TXT_BEGIN_0 0 0 2 a b\nFEATURES_TXT_END_0\n"
    scores = "SCORES_TXT_BEGIN_0 0 0 9 BLEU\nSCORES_TXT_END_0\n"
    features, scores = (text + text.replace("_0 0 0", "_0 1 0") for text in (features, scores))
    nbest = from_moses(tmp_path, features, scores, segments)
    assert nbest.offsets.tolist() == [0] * ((segments or 2) + 1)
    assert nbest.names == ("a", "b") and nbest.features.shape == (0, 2) and nbest.stats.shape == (0, 10)


@pytest.mark.parametrize(
    ("features", "scores", "reason"),
    [
        (("1 2 3\nFEATURES_TXT_END_0\n", "1 2 3\n"), None, "F, line 7: FEATURES_TXT_END_0 is missing after the 1 rows"),
        (("_0 2 1 3", "_0 2 one 3"), None, "F, line 5: the heading must have the numbers of the segment"),
        (None, ("BLEU", "PER"), "S, line 1: the statistics are of 'PER', but only BLEU is supported"),
        (None, (SCORES_FILE, WITHOUT_LENGTHS), "S, line 1: there are 8 statistics; BLEU has two for each order, and"),
        (("1 2 3\n", "1 2\n"), None, "F, line 6: has 2 numbers, but the heading announces 3"),
        (("1 2 3\n", "1 2 x\n"), None, "F, line 6: the value 'x' is not a number"),
        (("pp_b==", "pp_a="), None, "F, line 3: the feature 'pp_a' appears twice"),
        (("1 2 3\n", "1 2 3\n4 5 6\n"), None, "F, line 7: FEATURES_TXT_END_0 is missing after the 1 rows"),
        (("TXT_BEGIN_0 2 1 3 d_0 d_1 lm_0", "TXT_BEGIN_0 2 1 3 d_0 lm_0 d_1"), None, "line 5: .*previous"),
        (("_0 0 2 3 d_0", "_0 0 2 3"), None, "F, line 1: there are 2 names, but 3 features"),
        (("FEATURES_TXT_BEGIN_0 0", "FEATURES_BIN_BEGIN_0 0"), None, "F, line 1: begins with 'FEATURES_BIN_BEGIN_0'"),
        (("_0 2 1 3", "_0 1 1 3"), None, "do not match: 1 hypotheses of segment 1 .* 1 hypotheses of segment 2"),
        (("_0 0 2 3", "_0 999 2 3"), ("_0 0 2 9", "_0 999 2 9"), "F, line 1: the id is 999, .*use first_id="),
        (None, ("6 8 2 7", "9 8 2 7"), "S, line 2: these are not BLEU statistics"),
        (None, ("6 8 2 7", "6 9007199254740993 2 7"), "S, line 2: these are not BLEU statistics"),
        (None, ("6 8 2 7", "6 9007199254740991 2 7"), "S, line 2: these .*, or larger than 7686143364045646: 6 900"),
        (("_0 0 2 3 d_0 d_1 lm_0", "_0 0 2 9999999999"), None, "F, line 1: announces 9999999999 columns"),
        (None, ("_0 2 1 9 BLEU\n0 0 0 0", "_0 2 1 7 BLEU\n0 0"), "S, line 5: there are 7 statistics, but 9 in the"),
        (None, ("_0 2 1 9 BLEU", "_0 2 1 9 PER"), "S, line 5: the statistics differ from those of the previous"),
    ],
)
def test_files_of_the_extractor_that_cannot_be(tmp_path, features, scores, reason):
    for text, change in ((FEATURES_FILE, features), (SCORES_FILE, scores)):
        assert change is None or change[0] in text
    with pytest.raises(InputFileError, match=reason):
        from_moses(
            tmp_path,
            FEATURES_FILE.replace(*features) if features else FEATURES_FILE,
            SCORES_FILE.replace(*scores) if scores else SCORES_FILE,
            600,
        )


@pytest.mark.parametrize("last", [10_000_002, 10**18 - 1])
def test_ids_that_skip_more_than_ten_million_segments(tmp_path, last):
    """It would allocate memory for all of them."""
    files = [text.replace("_0 2 1 ", f"_0 {last} 1 ") for text in (FEATURES_FILE, SCORES_FILE)]
    with pytest.raises(InputFileError, match=f"F: the last id is {last}, but {last - 1} segments .* use segments="):
        from_moses(tmp_path, *files)
