"""The test sets of sacreBLEU, by its own module, cache and checksums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os.path import basename, join
from typing import Any

import click

from .._files.text import Lines
from .._runtime.extras import extra
from ..errors import InputFileError, LengthMismatchError, MissingExtraError
from .common import with_parameters


def _read_pair(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value == "c":  # -lc of sacreBLEU, which is -l c here
        raise click.BadParameter("'c' is not a language pair such as en-de. Did you mean '--lowercase'?")
    return value


TEST_SETS = with_parameters(
    click.option(
        "-t",
        "--test-set",
        metavar="NAME[,NAME]...",
        help="Score against a test set of sacreBLEU, or several joined, instead of files of references.",
    ),
    click.option(
        "-l",
        "--language-pair",
        callback=_read_pair,
        metavar="SOURCE-TARGET",
        help="The languages of the test set, such as en-de. For zh, ja and ko the sacrebleu metric uses their tokeniser.",
    ),
    click.option(
        "--origlang",
        metavar="LANGUAGE",
        help="Score only documents written in this language, or not in it: non-LANGUAGE.",
    ),
    click.option("--subset", metavar="REGEX", help="Score only documents whose annotation, such as a domain, matches."),
    click.option(
        "--echo",
        metavar="FIELD",
        multiple=True,
        help="Print a field of the test set, such as src or ref, or all; and exit.",
    ),
    click.option(
        "--list", "list_sets", is_flag=True, help="Print the names of the test sets, or the fields of one; and exit."
    ),
)
_TOKENIZERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}


@dataclass(frozen=True, kw_only=True)
class TestSetOptions:
    """The options for test sets."""

    __test__ = False  # for pytest

    test_set: str | None = None
    language_pair: str | None = None
    origlang: str | None = None
    subset: str | None = None
    echo: tuple[str, ...] = ()
    list_sets: bool = False

    @property
    def tokenizer_of_language(self) -> str | None:
        """The tokeniser that sacreBLEU's BLEU has for the target language; None if it has none of its own."""
        return _TOKENIZERS.get((self.language_pair or "").partition("-")[2])

    def of_test_set(self) -> str:
        """Describe the test set, for signatures."""
        named = {"test": self.test_set, "lang": self.language_pair, "origlang": self.origlang, "subset": self.subset}
        return "".join(f"|{name}:{value}" for name, value in named.items() if value) if self.test_set else ""

    def prints(self) -> bool:
        """Print what --list or --echo asks for; return whether one of them was given."""
        if self.list_sets:
            with _sacrebleu() as utils:
                for line in self._listed(utils):
                    click.echo(line)
        elif self.echo:
            for test_set in self._sets():
                with _sacrebleu(self) as utils:
                    utils.print_test_set(test_set, self.language_pair, [*self.echo], self.origlang, self.subset)
        return self.list_sets or bool(self.echo)

    def files_of_set(self, references: Sequence[str], hypotheses: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
        """The files of references, and those of hypotheses, with the segments that are scored.

        :param references: files given by the user, which are returned if no test set is given
        """
        if self.test_set is None:
            if self.origlang or self.subset:
                raise click.UsageError("--origlang and --subset are for a test set; name it with --test-set")
            return tuple(references), [*hypotheses]
        if references:
            raise click.UsageError("give either files of references or --test-set")
        found = []
        for test_set in self._sets():
            with _sacrebleu(self) as utils:
                found.append(utils.get_reference_files(test_set, self.language_pair))
        if len(found) == 1 and not self.origlang and not self.subset:
            return tuple(found[0]), [*hypotheses]
        if len({len(paths) for paths in found}) > 1:
            raise InputFileError(
                f"the test sets {self.test_set} have different numbers of references; score them one by one"
            )
        texts = [[line for path in paths for line in _lines(path)] for paths in zip(*found)]
        outputs = [_lines(path) for path in hypotheses]
        counts = {"the test set": len(texts[0]), **{path: len(lines) for path, lines in zip(hypotheses, outputs)}}
        if len(set(counts.values())) > 1:
            listed = ", ".join(f"{name}: {count}" for name, count in counts.items())
            raise LengthMismatchError(f"the files have different numbers of lines, and a line is a segment: {listed}")
        with _sacrebleu(self) as utils:
            segments = range(len(texts[0]))
            (kept,) = utils.filter_subset([segments], self.test_set, self.language_pair, self.origlang, self.subset)
        if not kept:
            raise InputFileError(f"the test set {self.test_set} has no segment of this --origlang and --subset")
        from tempfile import TemporaryDirectory  # here, because it takes as long to import as scoring takes

        folder = click.get_current_context().with_resource(TemporaryDirectory(prefix="cybleu-"))
        names = [f"reference-{number}" for number in range(len(texts))]
        names += [f"{number}-{basename(path)}" for number, path in enumerate(hypotheses)]
        written = [_write(join(folder, name), lines, kept) for name, lines in zip(names, [*texts, *outputs])]
        return tuple(written[: len(texts)]), written[len(texts) :]

    def _sets(self) -> list[str]:
        """The names of the test sets, which exist and have the language pair."""
        with _sacrebleu() as utils:
            for test_set in (self.test_set or "").split(","):
                pairs = _pairs(utils, test_set)
                if self.language_pair not in pairs:
                    raise click.UsageError(
                        f"the test set {test_set} has no --language-pair {self.language_pair}; it has {', '.join(pairs)}"
                    )
        return (self.test_set or "").split(",")

    def _listed(self, utils: Any) -> Iterator[str]:
        if self.test_set is not None:
            pairs = _pairs(utils, self.test_set)
            for pair in [self.language_pair] if self.language_pair else pairs:
                yield f"{pair}: {', '.join(utils.DATASETS[self.test_set].fieldnames(pair))}"
            return
        names = utils.get_available_testsets()
        if self.language_pair:
            names = utils.get_available_testsets_for_langpair(self.language_pair)
        for name in sorted(names):
            yield f"{name:<30}: {utils.DATASETS[name].description.strip()}"


def _pairs(utils: Any, test_set: str) -> list[str]:
    pairs: list[str] = utils.get_langpairs_for_testset(test_set)
    if not pairs:
        raise click.UsageError(f"there is no test set {test_set!r}; --list prints their names")
    return pairs


def _lines(path: str) -> list[str]:
    with Lines(path, keep_mark=True) as file:
        return list(file)


def _write(path: str, lines: Sequence[str], kept: Sequence[int]) -> str:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{lines[place]}\n" for place in kept)
    return path


@contextmanager
def _sacrebleu(given: TestSetOptions | None = None) -> Iterator[Any]:
    """sacreBLEU's functions for test sets; its errors become errors of the input.

    :param given: what is read, if files are
    """
    with extra("sacrebleu", "test sets require sacreBLEU", "cybleu[sacrebleu]"):
        from sacrebleu import utils
    from io import StringIO
    from logging import ERROR, StreamHandler

    logger, errors = utils.sacrelogger, StringIO()
    propagates, logger.propagate = logger.propagate, False
    handler = StreamHandler(errors)
    handler.setLevel(ERROR)
    logger.addHandler(handler)
    try:
        yield utils
    except (click.ClickException, MissingExtraError):
        raise
    except OSError as error:
        what = f"{given.test_set} ({given.language_pair})" if given else ""
        raise InputFileError(
            f"the test set {what} is not in sacreBLEU's cache, {utils.SACREBLEU_DIR}, and cannot be downloaded: {error}; run the "
            "command once with a connection to the network, or set SACREBLEU to a folder that has it"
        ) from None
    except SystemExit:
        raise InputFileError("; ".join(map(str.strip, errors.getvalue().splitlines()))) from None
    except Exception as error:  # which sacreBLEU raises as it is
        raise InputFileError(f"sacreBLEU cannot read the test set: {error}") from None
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagates
