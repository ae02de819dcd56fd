"""Raw text: tokens, statistics, columns, chrF and TER.

The oracles: sacreBLEU's own tokenisers and its chrF, counting by hand on its tokens, and the same texts as str, bytes
and columns in every layout.
"""

from __future__ import annotations

import sacrebleu
from harness import Input, counted_row, on_both, run, same_value

import cybleu
from arrow_capsules import AsArray, AsStream, dictionary, lists, sliced, texts
from cybleu import score, scores
from cybleu.errors import CybleuError
from cybleu.metrics import Chrf, Ter
from cybleu.text import tokenize_lines

TOKENISERS = ["13a", "intl", "zh", "char", "none"]
PIECES = [*"abcX,.;!?-'\"&$%5 0\t\n\r\v\f\x1c\x1f\x85\xa0\u2003\u3000\ufeff\u200b猫é«İß\u0301𝒳€\U0010ffff"]
PIECES += ["<skipped>", "-\n", "&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "3.5", "don't", "the", "  ", "\u2028"]
LAYOUTS = ["u", "U", "vu", "z", "Z", "vz"]


def line(take: Input, surrogates: bool = True) -> str:
    text = "".join(take.list(12, lambda: take.choice(PIECES)))
    if take.below(8) == 0:
        code = take.number(0, 0x10FFFF)
        text += chr(code) if surrogates or not 0xD800 <= code < 0xE000 else ""
    return text * 40 if take.below(30) == 0 else text


def theirs_of(name: str):
    """sacreBLEU's tokeniser without its cache."""
    tokenise = sacrebleu.BLEU(tokenize=name, force=True).tokenizer
    return lambda text: type(tokenise).__call__.__wrapped__(tokenise, text.rstrip()).split()


def plain(text: str) -> list[str]:
    return text.rstrip().split()


TOKENS_OF = {name: plain if name == "none" else theirs_of(name) for name in TOKENISERS}


def tokens(take: Input):
    name, lowercase = take.choice(TOKENISERS), take.flag()
    given = take.list(4, lambda: line(take))
    found = on_both(tokenize_lines, given, name, lowercase)
    expected = [TOKENS_OF[name](text.lower() if lowercase else text) for text in given]
    assert found.error is None and found.value == expected, (name, lowercase, given, found, expected)


def column_of(take: Input, values: list[str]):
    """A function that makes a column of the texts with others before and after them; a stream can be read only once."""
    layout = take.choice(LAYOUTS)
    before, after = take.list(2, lambda: "é before"), take.list(2, lambda: "after")
    if take.flag():
        node = texts([*before, *values, *after], layout)
    else:
        node = dictionary([*before, *values, *after], lambda entries: texts(entries, layout))
    node = sliced(node, len(before), len(before) + len(values))
    if take.flag() or not values:
        return lambda: AsArray(node)
    middle = take.number(0, len(values))
    return lambda: AsStream([texts(values[:middle], layout), texts(values[middle:], layout)])


def statistics(take: Input):
    name, lowercase, order = take.choice(TOKENISERS), take.flag(), take.number(1, 5)
    hypotheses = take.list(4, lambda: line(take, surrogates=False))
    sets = [[line(take, surrogates=False) for _ in range(take.number(1, 3))] for _ in hypotheses]
    if take.flag():  # so that something matches
        sets = [[*group, text] for group, text in zip(sets, hypotheses)]

    def split(text):
        return TOKENS_OF[name](text.lower() if lowercase else text)

    expected = [
        counted_row([split(text) for text in group], split(hypothesis), order)
        for group, hypothesis in zip(sets, hypotheses)
    ]
    column = column_of(take, hypotheses)
    of_lists = AsArray(lists(sets, lambda entries: texts(entries, "u"), take.choice(["+l", "+L"])))
    forms = [
        lambda: (hypotheses, sets),
        lambda: (tuple(text.encode() for text in hypotheses), [[text.encode() for text in group] for group in sets]),
        lambda: (column(), sets),
        lambda: (hypotheses, of_lists),
    ]
    arguments = {"max_order": order, "tokenize": name, "lowercase": lowercase, "threads": take.number(1, 3)}
    for form in forms:
        found = on_both(lambda form=form: cybleu.rows(*form(), **arguments))
        assert found.error is None and found.value.tolist() == expected, (arguments, sets, hypotheses, found, expected)


def bytes_that_are_no_text(take: Input):
    """One of cybleu's exceptions that names the byte, or the rows of the decoded text."""
    given = [take.bytes(take.number(0, 8)) for _ in range(take.number(1, 3))]
    found = on_both(cybleu.rows, given, [[b"a"]] * len(given), tokenize="13a")
    try:
        expected = [text.decode() for text in given]
    except UnicodeDecodeError as error:
        assert isinstance(found.error, CybleuError) and f"0x{error.object[error.start]:02x}" in str(found.error).lower()
        return
    assert same_value(found.value, cybleu.rows(expected, [["a"]] * len(given), tokenize="13a"))


def characters(take: Input):
    options = {
        "char_order": take.number(0, 8),
        "word_order": take.number(0, 3),
        "lowercase": take.flag(),
        "whitespace": take.flag(),
        "beta": take.number(1, 3),
    }
    if options["char_order"] + options["word_order"] == 0:
        options["char_order"] = 6
    options["eps_smoothing"] = take.flag()
    metric, theirs = Chrf(**options), sacrebleu.CHRF(**options)
    hypotheses = [line(take) for _ in range(take.number(1, 4))]
    sets = [[line(take) for _ in range(take.number(1, 3))] for _ in hypotheses]
    found = on_both(metric.rows, hypotheses, sets)
    assert found.error is None, (options, found)
    expected = [theirs.sentence_score(text, group).score for text, group in zip(hypotheses, sets)]
    assert scores(found.value, metric).tolist() == expected, (options, sets, hypotheses, expected)
    if len({len(group) for group in sets}) == 1:
        whole = theirs.corpus_score(hypotheses, [list(column) for column in zip(*sets)]).score
        assert score(found.value, metric).score == whole, (options, sets, hypotheses, whole)
    others = [text for group in sets for text in group]
    pairs = on_both(cybleu.pairs, hypotheses, others, metric=metric)
    assert pairs.error is None and pairs.value.tolist() == [
        [theirs.sentence_score(text, [other]).score for other in others] for text in hypotheses
    ]


def edits(take: Input):
    options = {name: take.flag() for name in ("normalized", "no_punct", "asian_support", "case_sensitive")}
    metric, theirs = Ter(**options), sacrebleu.TER(**options)
    words = [line(take).strip() or "a" for _ in range(take.number(1, 4))]
    texts = [" ".join(take.choice(words) for _ in range(take.number(0, 30))) for _ in range(take.number(2, 5))]
    hypothesis, *references = texts
    found = on_both(metric.rows, [hypothesis], [references])
    expected = theirs._extract_corpus_statistics([hypothesis], [[text] for text in references])
    assert found.error is None and found.value.tolist() == expected, (options, texts, found, expected)
    pairs = on_both(cybleu.pairs, texts, metric=metric)
    assert pairs.error is None and pairs.value.tolist() == [
        [theirs.sentence_score(text, [other]).score for other in texts] for text in texts
    ]


run(lambda take: take.choice([tokens, statistics, bytes_that_are_no_text, characters, edits])(take))
