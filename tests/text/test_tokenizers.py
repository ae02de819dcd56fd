"""Tokenisers by name, beside sacreBLEU's."""

import itertools
import re
import sys
import unicodedata
from pathlib import Path
from urllib.error import URLError

import pytest
import sacrebleu
from hypothesis import example, given, strategies as st
from sacrebleu.metrics import bleu
from sacrebleu.tokenizers import tokenizer_none

import command_line
import cybleu
from cybleu.errors import InputFileError, MissingExtraError, NotUtf8Error
from cybleu.report import analyse
from cybleu.sacrebleu_compat import BLEU
from cybleu.significance import Settings
from cybleu.text import categories, tokenizer, tokenizers
from cybleu.text.tokenizers import tokenizer_signature
from marks import long

NAMES = ["13a", "intl", "zh", "char", "none"]
LINES = ["Hello, world!", "  It's 3.5 %, isn't it?  ", "猫が好き。", "«Straße»\u00a0—\tend\n", "", "&quot;a&amp;b&lt;"]
SPACES = [chr(code) for code in range(0x3001) if chr(code).isspace()]  # the last is U+3000
MARKUP = "<skipped>|<skip|ped>|-\n|\n|&quot;|&amp;|&lt;|&gt;|&amp;lt;|&|;|<|5|a.".split("|")

theirs_of = {name: sacrebleu.BLEU(tokenize=name, force=True).tokenizer for name in NAMES}


def uncached(name):
    """sacreBLEU's tokeniser without the lines that it would remember."""
    tokenise = theirs_of[name]
    call = type(tokenise).__call__
    call = getattr(call, "__wrapped__", call)
    return lambda line: call(tokenise, line.rstrip()).split()


def assert_as_sacrebleu(line, names=NAMES):
    for name in names:
        assert tokenizer(name)(line) == uncached(name)(line), (name, line)


@pytest.mark.parametrize(
    "line", [*LINES, "2023.", "in 2023 .", ".5", "-5", "5-", "a..5", "1,000.", "€5", "(5)", "\u3000猫"]
)
def test_tokens_are_those_of_sacrebleu(line):
    assert_as_sacrebleu(line)


@pytest.mark.parametrize(
    ("classes", "length"),
    [long("a5.- (", 6), ("a5.,-' /猫", 4), ("&<a;\n-", 4)],
)
def test_all_short_strings(classes, length):
    tokenisers = [(tokenizer(name), uncached(name)) for name in ("13a", "intl", "zh")]
    for size in range(length + 1):
        for characters in itertools.product(classes, repeat=size):
            line = "".join(characters)
            for ours, theirs in tokenisers:
                assert ours(line) == theirs(line), line


characters = (
    st.characters()
    | st.characters(categories=["Cs", "Cn", "Co"])
    | st.sampled_from([*SPACES, *"a5.,-'/&<>;\u200b\u2009\u20ac\u2026\u0663\u00bd\U00020000，。「"])
)


@given(st.text(characters, max_size=20) | st.lists(st.sampled_from(MARKUP), max_size=9).map("".join))
@example("\ud800\udc00a\udfff. \u07ff \u0800 \uffff \U00010000")
@example("a " * 63 + "5-b")
@example("a" * 63 + " b" * 63 + "." * 65)
@example("x" * 513 + " .,5.5-a" + "ab," * 514 + "猫" * 512)
def test_any_text(line):
    assert_as_sacrebleu(line)


@given(st.text(characters, max_size=12))
def test_lower_case_and_ascii_white_space(line):
    assert tokenizer("13a", lowercase=True)(line) == uncached("13a")(line.lower())
    expected = [token.decode("utf-8", "surrogatepass") for token in line.encode("utf-8", "surrogatepass").split()]
    assert tokenizer("ascii")(line) == expected
    assert tokenizer("space")(line) == [token for token in line.split(" ") if token]  # as Moses does it
    assert tokenizer("unicode")(line) == line.split()


@pytest.mark.long_in_mirror
@pytest.mark.parametrize(
    ("name", "first", "end"),
    [
        ("zh", 0x2000, 0x3240),  # every end of a block
        ("zh", 0x4D80, 0x4E40),
        ("zh", 0x9F80, 0x9FC0),
        ("zh", 0xF8C0, 0x10000),
        ("intl", 0, 0x3400),
        ("intl", 0x10000, 0x1FC00),
        long("zh", 0, 0x10100),
        long("intl", 0x3400, 0x110000),
    ],
)
def test_every_code_point(name, first, end):
    ours = tokenizer(name)
    theirs = uncached(name)
    for start in range(first, end, 64):
        line = "".join(f"a{character}5.{character} " for character in map(chr, range(start, start + 64)))
        assert ours(line) == theirs(line), hex(start)


@pytest.fixture
def pieces(sentencepiece, tmp_path, monkeypatch):
    """sacreBLEU's tokeniser of this name, which reads a model trained here in place of the one that it would fetch."""
    from sacrebleu.tokenizers import tokenizer_spm

    (tmp_path / "text").write_text("\n".join(LINES * 20 + TEXTS), encoding="utf-8")
    (tmp_path / "models").mkdir()
    model = tmp_path / "models" / "sacrebleu_tokenizer_spm"
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "text"), model_prefix=str(model), vocab_size=150, hard_vocab_limit=False, minloglevel=2
    )
    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(tmp_path))
    yield sacrebleu.BLEU(tokenize="flores101").tokenizer
    tokenizers._of_sacrebleu.cache_clear()  # which keeps the model


TEXTS = [
    "The cat sat on the mat, didn't it?",
    "the CAT  sat ",
    "",
    " \u3000",
    "Ein Satz ohne Bekanntes: 猫 ☃ 𝒳",
    "\ta\n",
]


def test_pieces(pieces):
    expected = [pieces(line.rstrip()).split() for line in TEXTS]
    assert [tokenizer("flores101")(line) for line in TEXTS] == expected
    sets = [[TEXTS[0], TEXTS[1]], [TEXTS[4]], [TEXTS[0], TEXTS[2], TEXTS[5]]]
    lists = [[pieces(line.rstrip()).split() for line in texts] for texts in sets]
    hypotheses = [TEXTS[1], TEXTS[0], TEXTS[4]]
    rows = cybleu.rows(hypotheses, sets, tokenize="flores101")
    assert (rows == cybleu.rows([expected[1], expected[0], expected[4]], lists)).all()
    of_bytes = [[text.encode() for text in texts] for texts in sets]
    for texts in (hypotheses, [text.encode() for text in hypotheses]):
        assert (rows == cybleu.rows(texts, of_bytes, tokenize="flores101")).all()
    with pytest.raises(NotUtf8Error, match=r"references\[1\]\[0\]"):
        cybleu.rows(hypotheses[:2], [of_bytes[0], [b"a \xff"]], tokenize="flores101")


def test_a_model_is_loaded_once(pieces, monkeypatch):
    expected = cybleu.bleu(["the cat"], ["the cat"], tokenize="flores101")
    monkeypatch.setattr("sacrebleu.tokenizers.tokenizer_spm.SACREBLEU_DIR", "nowhere")
    assert cybleu.bleu(["the cat"], ["the cat"], tokenize="flores101") == expected


# few lines, and so many that they are tokenised in one call
@pytest.mark.parametrize(("times", "lowercase"), [(1, True), (20, False)])
def test_cybleu_counts_pieces_for_sacrebleu(pieces, monkeypatch, lowercase, times):
    options = {"tokenize": "flores101", "lowercase": lowercase, "effective_order": True}
    hypotheses = [f"{text} {number}" for number in range(times) for text in TEXTS]
    documents = [hypotheses[::-1], [None, *hypotheses[1:]]]

    def scores(kind):
        cached = kind(references=documents, **options)
        found = [cached.corpus_score(texts, None) for texts in (hypotheses, hypotheses[1:] + hypotheses[:1])]
        found.append(kind(**options).corpus_score(hypotheses, documents))
        found.append(cached.sentence_score(hypotheses[0], hypotheses[1:3]))
        return list(map(vars, found))

    expected = scores(sacrebleu.BLEU)
    monkeypatch.delattr("sacrebleu.metrics.bleu.extract_all_word_ngrams")
    assert scores(BLEU) == expected


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("flores200", "https://tinyurl.com/flores200sacrebleuspm"),
        ("flores101", "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model"),
    ],
)
def test_a_model_that_cannot_be_downloaded(sentencepiece, tmp_path, monkeypatch, name, address):
    from sacrebleu.tokenizers import tokenizer_spm

    def download(*arguments):
        raise URLError("Name or service not known")

    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(tmp_path))
    monkeypatch.setattr(tokenizer_spm, "download_file", download)
    file = tmp_path / "models" / address.rpartition("/")[2]
    advice = f"download it from {address}, as sacreBLEU does, and save it as {file}"
    with pytest.raises(InputFileError, match=f"the model of .*{name}.* service not known.*; {re.escape(advice)}$"):
        cybleu.bleu(["a b"], ["a b"], tokenize=name)


def test_a_damaged_model_is_replaced_by_the_user(sentencepiece, tmp_path, monkeypatch):
    from sacrebleu.tokenizers import tokenizer_spm

    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(tmp_path))
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "flores200sacrebleuspm").write_bytes(b"x")
    with pytest.raises(InputFileError, match=r"cannot be loaded: .*; download it from .*flores200sacrebleuspm$"):
        tokenizer("flores200")


def test_without_sacrebleu(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu.tokenizers.tokenizer_spm", None)
    with pytest.raises(MissingExtraError, match=r"the tokeniser 'flores200' does not load: .*tokenizer_spm"):
        tokenizer("flores200")
    for name in ("sacrebleu", "sacrebleu.metrics.bleu"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r'pip install "cybleu\[sacrebleu\]"'):
        tokenizer("flores200")
    assert tokenizer("13a")("a.") == ["a", "."]


@pytest.mark.long
def test_the_table_where_regex_is_not_installed(monkeypatch):
    of_regex = categories.categories.__wrapped__()
    assert categories.unicode_version().startswith("regex 2")
    monkeypatch.setitem(sys.modules, "regex", None)
    of_table = categories.categories.__wrapped__()
    assert re.fullmatch(r"Unicode \d+\.0\.0", categories.unicode_version())
    wanted = {"P": 1, "S": 2, "N": 3}
    for code in range(0x110000):
        # what this Python knows has the category that it had, but for the few that Unicode has moved since
        category = unicodedata.category(chr(code))
        if category != "Cn" and of_table[code] != wanted.get(category[0], 0):
            assert of_table[code] == of_regex[code], hex(code)


class _WithVersion(tokenizer_none.NoneTokenizer):
    """A tokeniser whose signature states a version, as those of MeCab do."""

    def signature(self):
        return "ja-mecab-0.996-IPA"


@pytest.mark.parametrize("name", ["13a", "intl", "zh", "char", "none", "ja-mecab", "spm"])
def test_signatures_are_those_of_sacrebleu(name, monkeypatch, tmp_path):
    monkeypatch.setattr(tokenizer_none, "WithVersion", _WithVersion, raising=False)
    for other in ("ja-mecab", "spm"):
        monkeypatch.setitem(bleu._TOKENIZERS, other, "tokenizer_none.WithVersion")
    signature = sacrebleu.BLEU(tokenize=name).tokenizer.signature()
    assert tokenizer_signature(name) == signature
    options = [str(tmp_path / "text"), str(tmp_path / "other")]
    for path in options:
        Path(path).write_text("a b c d\ne f\n")
    command = ["--tokenize", name]
    for arguments in (["score", *options], ["compare", *options, "-r", options[0]]):
        assert f"|tok:{signature}|" in command_line.run(*arguments, *command).stdout
    report = analyse({"one": ["a b", "d"]}, ["a b c", "d e"], tokenize=name, settings=Settings(resamples=9))
    assert f"|tok:{signature}|" in report.metrics[0].comparison.signature
