"""Files of n-best lists that cannot be read: the message names the file, the line and the reason, and stays short."""

import gzip

import pytest

from cybleu.errors import InputFileError
from cybleu.nbest import NBest, read_segments
from nbest_lists import REFERENCES, line, written


def read(form=None, **how):
    return lambda path: NBest.from_files(path, REFERENCES, form, **how)


# How a file is read, its valid lines, and what an invalid one after them is said to be.
LINES = {
    "moses": (read("moses"), line()),
    "any": (read(), line()),
    "joshua": (read("joshua"), line(features="lm=1")),
    "json": (read("json"), '["a"]\n'),
    "segments": (lambda path: list(read_segments(path, "json")), '["a"]\n'),
    "fairseq": (read("fairseq"), "S-0\ta\n"),
}
INVALID = {
    "moses": [
        ("", "is empty, where there must be id"),
        ("0 ||| the cat ||| d= 1 2 lm= 3", r"has 3 of the fields id \|\|\| tokens"),
        ("the cat ||| sat ||| d= 1 2 lm= 3 ||| -1", "the id is 'the cat'; it must be a whole number"),
        (line("-1"), "the id is '-1'"),
        (line("1" * 1_000_000), "the id is '111.*must be a whole number"),
        (line(3), "the id is 3, .*3 segments.* 0 to 2"),
        (line(total="x"), "the score 'x' is not a number"),
        (line(total="1" * 1_000_000), "the score is 111.*it must be a finite number"),
        (line(features="d= 1 nan lm= 3"), "a value of 'd' is nan; it must be a finite number"),
        (line(features="d= 1 1e999 lm= 3"), "a value of 'd' is 1e999"),
        (line(features="d= 1 x lm= 3"), "a value of 'd' 'x' is not a number"),
        (line(features=f"d= {'x' * 1_000_000} 1 lm= 3"), "'xxx.*is not a number"),
        (line(features="d= 1 2 lm="), "'lm=' has no value"),
        (line(features="d= 1 2 lm= 3 p_a="), "'p_a=' has no value"),
        (line(features="1 d= 2 lm= 3"), "'1' is before the first name"),
        (line(features="d= 1 2 lm= 3 p_a= 1 2"), "'p_a' has 2 values; a name with '_' has one"),
        (line(features="d= 1 2 lm= 3 p_a= 1 p_a= 1"), "'p_a' appears twice"),
        (line(text="a ||| b"), "the score is 'd= 1 2 lm= 3'; it must be one number"),
    ],
    "any": [
        (line(features="d= 1 2"), "the feature 'lm_0' of the previous lines is missing"),
        (line(features="d= 1 2 3 lm= 3"), "the feature 'd_2' is not in the previous lines"),
        (b"0 ||| a\xff ||| d= 1 ||| 1\n", "not UTF-8 text: byte 0xff"),
    ],
    "joshua": [
        (line(features="lm=1 glue"), "'glue' is not a feature such as lm=-3.5"),
        (line(features="lm=1 lm=2"), "the feature 'lm' appears twice"),
        (line(features="lm=1 glue=inf"), "the value of 'glue' is inf"),
        (line(features=" ".join(f"a{n}=1" for n in range(70_000))), "more than 65536 features"),
    ],
    "json": [
        ('[{"text": "b", "score": 1}]', "hypothesis 0 has a score, but others have none"),
    ],
    "segments": [
        ("{", "is not JSON"),
        ("[" * 500_000, "nested too deeply|is not JSON"),
        (f'[{{"text": "a", "score": 1{"0" * 400}}}]', "the score of hypothesis 0 is '1000"),
        (f'[{{"text": "a", "score": {"1" * 5000}}}]', "has an integer of thousands of digits; ids must fit"),
        ('"a"', "must be an array of hypotheses"),
        ('{"text": "a"}', "must have one of the names .*, but has none"),
        ('[{"text": "a", "features": [1]}]', "the features of hypothesis 0 must be an object of numbers"),
        ('["\\ud83d"]', "the text of hypothesis 0 has half of a surrogate pair"),
        ('{"id": 7.5, "outputs": []}', "the id is 7.5"),
        (f'{{"id": {2**63}, "nbest": []}}', "the id is 9223372036854775808; it must be"),
        ('{"translations": ["b"], "scores": []}', "translations and scores must be arrays of the same length"),
        ('{"translations": ["b"]}', "translations and scores must be arrays of the same length"),
        ('{"translations": ["b"], "scores": [["x"]]}', "the score of hypothesis 0 is 'x'"),
        ('{"sentence_id": 1.5, "translation": "b", "score": 1}', "the id is 1.5"),
        ("[1]", "hypothesis 0 is neither a string nor an object"),
        ('[{"score": 1}]', "hypothesis 0 must have one text"),
        ('["a", {"text": "a", "score": 1}]', "hypothesis 1 has a score, but others have none"),
        ('[{"text": "a", "score": NaN}]', "the score of hypothesis 0 is 'nan'"),
        ('[{"text": "a", "features": {"lm": "1"}}]', "the feature 'lm' of hypothesis 0 is '1'"),
        ('["a", {"text": "a", "features": {"lm": 1}}]', "hypothesis 1 has the features lm, but others have none"),
    ],
    "fairseq": [
        ("H-0\t-1", "'H-0.t-1' is not H-, a whole number, a tab, a score, a tab and tokens"),
        ("H-0\tNone\tb", "the score 'None' is not a number"),
        ("H-9\t0\tb", "the id is 9, but the references have 3 segments"),
    ],
}


def check_refusal(folder, name, before, bad, reason):
    """Read a line after a valid one, or as the first one, and before a valid one."""
    how, valid = LINES[name]
    bad = bad.encode() if isinstance(bad, str) else bad
    path = written(folder, before.encode() + bad.removesuffix(b"\n") + b"\n" + valid.encode())
    place = 2 if before else 1
    with pytest.raises(InputFileError, match=f"(?s)list, line {place}: .*({reason})") as caught:
        how(path)
    assert str(caught.value).startswith(str(path)) and len(str(caught.value)) < 400 + len(str(path))


def shortened(value):
    return value[:30] if isinstance(value, str) else ""


@pytest.mark.parametrize(
    ("name", "bad", "reason"), [(name, *row) for name, rows in INVALID.items() for row in rows], ids=shortened
)
def test_an_invalid_line_after_a_valid_one(tmp_path, name, bad, reason):
    check_refusal(tmp_path, name, LINES[name][1], bad, reason)


@pytest.mark.parametrize(("bad", "reason"), INVALID["moses"], ids=shortened)
def test_an_invalid_first_line(tmp_path, bad, reason):
    """Of Moses's fields the first line is read in another way than later ones."""
    check_refusal(tmp_path, "moses", "", bad, reason)


FILES = {
    "moses": [("", "the file is empty")],
    "json": [("", "the file is empty")],
    "fairseq": [("S-0\tH-0\n", "no line begins with H-"), ("", "the file is empty")],
    "any": [
        ("the cat\n", "list, line 1: has no '|||'.*give the number of lines of each segment as size="),
        (line(features="d= 1 lm=3"), "label 'd='.*pair 'lm=3'.*give format='moses' or"),
        (line(features="d: 1 lm=3"), "label 'd:'.*pair 'lm=3'.*give format='moses' or"),
        ("FEATURES_TXT_BEGIN_0 0 1 1 d\n", "read it with NBest.from_moses"),
        ("S-2\tso\nT-2\tit\nH-2\t-0.25\tso\n", "for fairseq's output .* use format="),
        (gzip.compress(line().encode(), mtime=0)[:-9], "gzip data is damaged or cut off"),
    ],
    "plain": [("a\nb\nc\n", "list: has 3 lines, which is not a multiple of 2")],
}


@pytest.mark.parametrize(("name", "text", "reason"), [(name, *row) for name, rows in FILES.items() for row in rows])
def test_files_that_are_none(tmp_path, name, text, reason):
    how = read("plain", size=2) if name == "plain" else LINES[name][0]
    with pytest.raises(InputFileError, match=reason):
        how(written(tmp_path, text))
