"""File readers: any bytes give a list or one of cybleu's exceptions, the same on both backends, and lists survive writing and reading."""

from __future__ import annotations

import gzip
import os
import pickle
import tempfile
from pathlib import Path

import numpy as np
from harness import Input, counted_row, expect_error, on_both, outcome, run, same_value

from cybleu import nbest
from cybleu._files.text import Lines
from cybleu.errors import CybleuError
from cybleu.nbest import NBest, merge
from cybleu.tuning import read_weights, write_weights

FOLDER = Path(tempfile.mkdtemp(prefix="cybleu-fuzz-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
FIRST, SECOND, WRITTEN, ALSO = (str(FOLDER / name) for name in ("first", "second", "written", "also.gz"))
REFERENCES = [["a b c", "the cat"], ["é a", ""], ["猫 the cat sat"]]

PIECES = [
    *(
        "0 1 2 3 17 -1 007 1e5 -0.0 1e309 1e-400 nan inf 0x1 1_0 ٣ +1 .5 5. 1e 00 999999999999999999 9999999999999999999 "
        "18446744073709551616 ||| || | = : lm= d= d: pp_a= pp_b= a=1 a=2 lm=-0.5 =1 a= _= f0 f1=1 the cat é 猫 a b c "
        "FEATURES_TXT_BEGIN_0 FEATURES_TXT_END_0 SCORES_TXT_BEGIN_0 SCORES_TXT_END_0 BLEU "
        '{"hypotheses": "outputs": "choices": "nbest": "id": "text": "generated_text": "message": "content": "score": '
        '"features": [ ] { } , "a" "b" : null true 1e400 NaN Infinity [[[[[[[[ "\\ud800" " \\'
    )
    .encode()
    .split(),
    *[b" ", b"  ", b"\t", b"\n", b"\n", b"\r\n", b"\r", b"\x0b", b"\x00", b"\xc2\xa0", b"\xe2\x80\xa8", b"\xff"],
    *[b"\x1c", b"\x1d", b"\x1e", b"\x1f", b"\xc2\x85", b"\xef\xbb\xbf"],
    *[b"\xe7\x8c", b"\xf0\x9f\x90"],
]
NUMBERS = PIECES[:24]
SEPARATORS = [b"", b" ", b" ", b" ||| ", b"\n"]


def moses_line(take: Input) -> bytes:
    """A nearly valid line, which reaches the fast reader."""

    def number():
        return take.choice([b"0", b"1", b"-0.5", b"1e5", b"-12.345", b"1e-400", b"0.1", b"123456789012345678", b"x"])

    words = b" ".join(
        take.list(
            4,
            lambda: take.choice([b"a", b"the", b"cat", b"\xc3\xa9", b"\xc2\xa0", b"a\x1cb", b"\x1f", b"=", b"|", b""]),
        )
    )
    if take.flag():
        features = b"lm= " + number() + b" d= " + number() + b" " + number()
        if take.below(4) == 0:
            features += b" pp_x= " + number()
    else:
        features = b" ".join(take.choice([b"lm=", b"wp=", b"o_1="]) + number() for _ in range(take.number(0, 3)))
    line = b" ||| ".join([take.choice([b"0", b"1", b"2", b"3"]), words, features, number()])
    return line + take.choice([b"\n", b"\n", b"\n", b" ||| 0-0\n", b"\r\n", b"", b" \n"])


def contents(take: Input) -> bytes:
    kind = take.below(4)
    if kind == 0:
        data = take.bytes(take.left())
    elif kind == 1:
        data = b"".join(take.list(40, lambda: take.choice(PIECES) + take.choice(SEPARATORS)))
    elif kind == 2:
        data = b"".join(take.list(12, lambda: moses_line(take)))
    else:
        data = moses_line(take) * take.number(1, 200) + moses_line(take)
    if take.below(8) == 0:
        data = gzip.compress(data, 1, mtime=0)
        if take.flag():
            place = take.below(len(data))
            data = data[:place] + take.choice([b"", b"\0", data[place + 1 :], data]) + data[place + 1 + take.below(3) :]
    return data


def arrays_of(found):
    """An NBest or a Segment as plain values, for comparison."""
    if isinstance(found, NBest):
        return found._arguments()
    return tuple(found)


def segments(read, *args, **kwargs):
    return [arrays_of(segment) for segment in read(*args, **kwargs)]


def nbest_of(*args, **kwargs):
    return arrays_of(NBest.from_files(*args, **kwargs))


def read_back(nbest: NBest, take: Input, first_id: int) -> None:
    """Write and read a list, which must be equal, or raise an exception if it cannot be written."""
    name = take.choice(["moses", "joshua"])
    path = WRITTEN if take.flag() else ALSO
    wrote = outcome(nbest.write, path, name)
    expect_error(wrote, CybleuError)
    if wrote.error is None and len(nbest.features):
        again = NBest.from_files(path, REFERENCES, name, first_id=first_id)
        order = list(map(again.names.index, nbest.names))
        for one, other in (
            (nbest.offsets, again.offsets),
            (nbest.features, again.features[:, order]),
            (nbest.model_scores, again.model_scores),
            (nbest.stats, again.stats),
        ):
            if not np.array_equal(one, other):
                raise AssertionError(f"written {one}, read {other}")
        assert nbest.texts == again.texts
    wrote = outcome(nbest.to_moses, WRITTEN, ALSO)
    expect_error(wrote, CybleuError)
    if wrote.error is None and len(nbest.features):
        again = NBest.from_moses(WRITTEN, ALSO, len(nbest), first_id=first_id)
        values = (again.offsets, again.features, again.stats, again.names)
        if not same_value(values, (nbest.offsets, nbest.features, nbest.stats, nbest.names)):
            raise AssertionError(f"written {arrays_of(nbest)}, read {arrays_of(again)}")
    assert same_value(arrays_of(pickle.loads(pickle.dumps(nbest))), arrays_of(nbest))
    assert len(merge(nbest, nbest).features) == len(merge(nbest).features)


def target(take: Input):
    kind = take.choice(["fields", "segments", "plain", "extractor", "json", "lines", "weights", "references"])
    Path(FIRST).write_bytes(contents(take))
    format = take.choice([None, "moses", "joshua"])  # noqa: A001
    if kind == "fields":
        tokenize = take.choice(["unicode", "ascii"])
        first_id = take.below(2)
        found = on_both(nbest_of, FIRST, REFERENCES, format, tokenize=tokenize, first_id=first_id)
        expect_error(found, CybleuError)
        if found.error is None:
            split = bytes.split if tokenize == "ascii" else lambda line: line.decode().split()
            owners = np.repeat(np.arange(len(REFERENCES)), np.diff(found.value["offsets"])).tolist()
            for owner, text, row in zip(owners, found.value["texts"], found.value["stats"].tolist()):
                sets = [split(reference.encode()) for reference in REFERENCES[owner]]
                assert row == counted_row(sets, split(text.encode()), 4), text
        if found.error is None and tokenize == "unicode":
            read_back(NBest(**found.value), take, first_id)
    elif kind == "segments":
        expect_error(on_both(segments, nbest.read_segments, FIRST, format), CybleuError)
    elif kind == "plain":
        Path(SECOND).write_bytes(contents(take))
        features = SECOND if take.flag() else None
        expect_error(
            on_both(nbest_of, FIRST, REFERENCES, "plain", size=take.number(0, 3), features=features), CybleuError
        )
    elif kind == "extractor":
        Path(SECOND).write_bytes(contents(take))
        if take.flag():
            count, width = take.number(0, 3), take.number(0, 3)
            number = lambda: take.choice(NUMBERS)  # noqa: E731
            for path, head, columns, names in ((FIRST, "FEATURES", width, b""), (SECOND, "SCORES", 3, b" BLEU")):
                lines = [
                    f"{head}_TXT_BEGIN_0 ".encode()
                    + b" ".join([number() if take.below(8) == 0 else b"0", b"%d" % count, b"%d" % columns])
                    + names
                ]
                lines += [b" ".join(take.choice([b"1", b"0", number()]) for _ in range(columns)) for _ in range(count)]
                Path(path).write_bytes(b"\n".join([*lines, f"{head}_TXT_END_0\n".encode()]))
        wanted = take.choice([None, 1, 3])
        expect_error(on_both(lambda: arrays_of(NBest.from_moses(FIRST, SECOND, wanted))), CybleuError)
    elif kind == "json":
        expect_error(on_both(segments, nbest.read_segments, FIRST, "json"), CybleuError)
        for other in ("json", "fairseq"):
            expect_error(on_both(nbest_of, FIRST, REFERENCES, other), CybleuError)
    elif kind == "lines":

        def lines():
            with Lines(FIRST) as file:
                return list(file)

        found = outcome(lines)
        expect_error(found, CybleuError)
    elif kind == "weights":
        found = outcome(read_weights, FIRST)
        expect_error(found, CybleuError)
        if found.error is None:
            write_weights(SECOND, found.value)
            assert same_value(read_weights(SECOND), found.value)
    else:
        expect_error(on_both(nbest_of, FIRST, [FIRST], "plain", size=1), CybleuError)


run(target)
