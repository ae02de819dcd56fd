"""N-best lists are read back unchanged, or an error says which part cannot be written."""

import pytest
from hypothesis import assume, given, strategies as st

from cybleu.errors import ArrayValueError, FeatureError, InputFileError, UnknownNameError
from cybleu.nbest import NBest
from nbest_lists import lists, made, same, same_but_sparse_names


@given(lists(), st.sampled_from(["list", "list.gz"]))
def test_what_is_written_is_read(tmp_path_factory, nbest, name):
    assume(len(nbest.features))
    folder = tmp_path_factory.mktemp("lists")
    references = [["the cat sat", "it"]] * len(nbest)
    nbest.write(folder / name)
    assert (folder / name).read_bytes().startswith(b"\x1f\x8b") == (name == "list.gz")
    assert same_but_sparse_names(nbest, NBest.from_files(folder / name, references, "moses"))
    if nbest.sparse is None and nbest.names:
        nbest.write(folder / name, "joshua")
        assert same_but_sparse_names(nbest, NBest.from_files(folder / name, references, "joshua"))


@pytest.mark.parametrize(
    ("form", "names", "fields"),
    [
        ("moses", ["d_0", "d_1", "lm_0"], "d= 0.5 1.5 lm= -1.0"),
        ("moses", ["d_0", "lm_0", "d_1"], "d= 0.5 lm= 1.5 d= -1.0"),
        ("moses", ["f0", "f1", "f2"], "0.5 1.5 -1.0"),
        ("joshua", ["d", "d_1", "lm"], "d=0.5 d_1=1.5 lm=-1.0"),
    ],
)
def test_values_of_one_label_follow_it(tmp_path, form, names, fields):
    nbest = NBest([0, 1], [[0.5, 1.5, -1.0]], [[1, 1, 1, 1]], names, ["it"], model_scores=[2.0])
    nbest.write(tmp_path / "list", form)
    assert (tmp_path / "list").read_text() == f"0 ||| it ||| {fields} ||| 2.0\n"
    assert same(nbest, NBest.from_files(tmp_path / "list", [["it"]], form, max_order=1))


def test_what_cannot_be_written(tmp_path):
    known = {"texts": ["a", "b", "c"], "model_scores": [1, 2, 3]}
    path = tmp_path / "list"
    for changes, error, message in (
        ({"texts": None}, ArrayValueError, "requires its texts and model_scores"),
        ({"texts": ["a", "b ||| c", "d"]}, ArrayValueError, "a text cannot be written"),
        ({"texts": ["a", "b\nc", "d"]}, ArrayValueError, "a text cannot be written"),
        ({"texts": ["a", "\ud800", "d"]}, InputFileError, "cannot be written as UTF-8"),
        ({"names": ["lm", "tm"]}, FeatureError, "the name 'lm' cannot be written in Moses's format"),
        ({"names": ["a_b_0", "lm_0"]}, FeatureError, "the name 'a_b_0' cannot be written"),
        ({"names": ["a_0", "b_0"], "sparse": ([0, 0, 0, 1], [0], [1.0], ["c"])}, FeatureError, "sparse feature 'c'"),
        ({"names": ["a|||b", "lm"]}, ArrayValueError, "the name of a feature cannot be written"),
    ):
        with pytest.raises(error, match=message):
            made(**{**known, **changes}).write(path)
    with pytest.raises(UnknownNameError, match="use moses or joshua"):
        made(**known).write(path, "plain")
    with pytest.raises(InputFileError, match="cannot be written: "):
        made(**known).write(tmp_path / "nosuch" / "list")
