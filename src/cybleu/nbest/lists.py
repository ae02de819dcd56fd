"""`NBest`, the public n-best list: the container with its readers and writers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from .._runtime.arrays import np, repeat
from ..errors import ArrayValueError, InputFileError, LengthMismatchError
from ..metrics import find
from ..metrics.references import References
from ..metrics.tokens import tokens_of
from ..text.batches import Place
from ..text.raw import Raw
from ..text.reading import read_groups, read_lines, token_lists
from ..text.tokenizers import tokenizer
from . import extractor, reading, writing
from .container import Hypotheses, whole_number
from .references import lines_of_files, prepare_references, split_on_blanks

if TYPE_CHECKING:
    from os import PathLike

    from ..metrics import Metric, Variant

__all__ = ["NBest"]


class NBest(Hypotheses):
    __doc__ = Hypotheses.__doc__
    __slots__ = ()

    @classmethod
    def from_texts(
        cls,
        hypotheses: Sequence[Sequence[Any]],
        references: Any,
        features: Any = None,
        names: Sequence[str] | None = None,
        *,
        tokenize: str | Callable[[str], list[str]] | None = None,
        lowercase: bool = False,
        max_order: int | None = None,
        reference_length: str | None = None,
        threads: int | None = None,
        **more: Any,
    ) -> NBest:
        """Create a list from the texts of the hypotheses, with their BLEU statistics.

        :param hypotheses: for each segment a list of texts, str or token lists. The `texts` of the new list are the str, or the
            tokens joined by blanks. They are not known if a joined text would be split into other tokens
        :param references: one or several references for each segment, likewise; or :class:`cybleu.References`; or paths of
            text files with one segment on each line
        :param features: of all hypotheses, segment after segment, `(N, F)`; None means that there are none
        :param names: of the features, by default ``f0``, ``f1`` ...
        :param tokenize: how to split a str into tokens, by default on white space: a function such as ``str.split``; or a
            name that :func:`cybleu.text.tokenizer` knows
        :param lowercase: put the strings in lower case first; the `texts` of the list are not changed
        :param max_order: the largest n-gram order; by default 4, or that of the `References`
        :param reference_length: ``closest`` (the default), ``closest-first``, ``shortest`` or ``average``
        :param threads: how many threads count at the same time
        :param more: `sparse`, `ids` or `model_scores`, as for the class

        >>> texts = [["the cat sat", "a cat"]]
        >>> NBest.from_texts(texts, [["the cat sat down"]], [[1.0], [2.0]], max_order=2).stats
        array([[3, 4, 3, 2, 3, 2],
               [2, 4, 1, 0, 2, 1]])
        """
        texts, bounds = read_groups(hypotheses, "hypotheses")
        try:
            prepared = prepare_references(references, tokenize, max_order, reference_length, lowercase)
        except InputFileError as error:
            if not isinstance(error.__cause__, OSError):
                raise
            raise InputFileError(
                f"{error}; a str in the list of references is the path of a file; pass texts as a list for each "
                "segment: [[text] for text in references] if each has one"
            ) from error
        segments = len(bounds) - 1
        if len(prepared) != segments:
            raise LengthMismatchError(f"there are {segments} segments of hypotheses and {len(prepared)} of references")
        split = tokenizer(tokenize or "unicode", lowercase)
        tokens = token_lists(
            [split(text) if isinstance(text, str) else text for text in texts], Place("hypotheses", bounds)
        )
        stats = prepared.rows(tokens, repeat(np.arange(segments, dtype=np.int64), np.diff(bounds)), threads)
        if features is None:
            features = np.zeros((len(texts), 0))
        joined = [text if isinstance(text, str) else _joined(found) for text, found in zip(texts, tokens.lists())]
        known = [text for text in joined if text is not None]
        return cls(
            np.array(bounds, dtype=np.int64),
            features,
            stats,
            names,
            known if len(known) == len(texts) else None,
            **more,
        )

    @classmethod
    def from_files(
        cls,
        path: str | PathLike[str],
        references: Any,
        format: str | None = None,  # noqa: A002
        *,
        first_id: int = 0,
        size: int | None = None,
        features: str | PathLike[str] | None = None,
        names: Sequence[str] | None = None,
        tokenize: str | Callable[[str], list[str]] = "unicode",
        lowercase: bool = False,
        max_order: int | None = None,
        reference_length: str | None = None,
        texts: bool = True,
        progress: bool = False,
    ) -> NBest:
        """Create a list from a file in one of the formats of :mod:`cybleu.nbest`, with its BLEU statistics.

        A segment of the references for which the file has no line gets no hypotheses. The other parameters are those of
        :meth:`cybleu.nbest.NBest.from_texts`, but by default `tokenize` splits on white space, for the lines of the
        file and for references that are strings.

        :param path: of the file, which may be compressed by gzip; ``-`` is standard input
        :param references: paths of text files with one segment on each line; or as for :meth:`from_texts`
        :param format: ``moses``, ``joshua``, ``plain``, ``fairseq`` or ``json``; by default one of the
            first two, detected from the first lines
        :param first_id: the id of the first segment of the references
        :param size: in the ``plain`` format: how many lines each segment has
        :param features: in the ``plain`` format: the file with the features
        :param names: of these features, by default ``f0``, ``f1`` ...
        :param tokenize: as above. ``space`` counts as Moses does: tabs at the ends of a hypothesis with fields, and a CR at
            the end of a line of a file of references, belong to tokens
        :param texts: whether to keep the texts of the hypotheses, as they are in the file
        :param lowercase: put the hypotheses, and references that are texts or files, in lower case with `str.lower`.
            References that are token lists or `References` are not changed
        :param progress: show a progress bar (requires tqdm)
        :raises InputFileError: a file cannot be read, or a line is wrong; the message names file, line and reason
        """
        first_id = whole_number(first_id, "first_id")
        raw = Raw("unicode" if tokenize is str.split else tokenize, lowercase)
        prepared = prepare_references(references, tokenize, max_order, reference_length, lowercase)
        with reading.open_reader(path, format, size, features, names) as reader:
            arguments = reading.read(reader, prepared, raw, first_id, texts, progress)
        return cls(**arguments)

    @classmethod
    def from_moses(
        cls,
        features: str | PathLike[str],
        scores: str | PathLike[str],
        segments: int | None = None,
        *,
        first_id: int = 0,
    ) -> NBest:
        """Create a list from the two text files of Moses's extractor, or of :meth:`to_moses`.

        The statistics become rows as :func:`cybleu.rows` returns them. They must be those of BLEU.

        :param features: the path of the file of features, which may be compressed by gzip
        :param scores: the path of the file of statistics
        :param segments: how many segments there are; by default as many as the last id in the files implies
        :param first_id: the id of the first segment
        :raises InputFileError: a file cannot be read, or a line is wrong; the message names file, line and reason
        """
        first_id = whole_number(first_id, "first_id")
        segments = None if segments is None else whole_number(segments, "segments")
        return cls(**extractor.read(features, scores, segments, first_id))

    def with_metric(
        self,
        metric: str | Metric | Variant,
        references: Any,
        *,
        tokenize: str | Callable[[str], Sequence[Hashable]] | None = None,
        lowercase: bool = False,
        threads: int | None = None,
        **choices: Any,
    ) -> NBest:
        """Return the list with the rows of another metric, which oracles and tuners then use.

        :param metric: as for :func:`cybleu.metrics.find`
        :param references: for each segment a list of texts, str or bytes; or prepared :class:`cybleu.References`; or paths
            of text files with one segment on each line
        :param tokenize: how to split the texts into tokens, by default on white space. Metrics of raw text, such as
            ``chrf``, take none, and prepared references of raw text have their own
        :param lowercase: put the texts in lower case first
        :param threads: how many threads count at the same time
        :param choices: as for :func:`cybleu.metrics.find`
        :raises ArrayValueError: the texts of the hypotheses are not known
        :raises LengthMismatchError: there are not as many lists of references as segments

        >>> nbest = NBest.from_texts([["the cat sat", "a cat"]], [["a cat sat"]], [[1.0], [2.0]], tokenize=str.split)
        >>> by_characters = nbest.with_metric("chrf", [["a cat sat"]])
        >>> by_characters.score.evaluate(by_characters.stats[0].tolist())
        67.23...
        """
        if self.texts is None:
            raise ArrayValueError("the texts of the hypotheses are not known, so another metric cannot count them")
        found = split_on_blanks(find(metric, tokenize=tokenize, lowercase=lowercase or None, **choices))
        if not isinstance(references, References):
            lines = lines_of_files(references, tokenize)
            references = References(references if lines is None else lines)
        texts: Sequence[Any] = self.texts
        if references.kind != "raw text" and found.reads == "tokens":
            raw = found.raw("raw text")
            assert raw is not None
            texts = tokens_of(read_lines(texts), raw, Place("hypotheses")).lists()
            found = found.with_choices(tokenize=None, lowercase=False)
        owner = repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets))
        if len(references) != len(self):
            raise LengthMismatchError(
                f"there are {len(self)} segments of hypotheses and {len(references)} of references"
            )
        rows = found.rows(texts, references, owner=owner, threads=threads)
        return NBest(**{**self._arguments(), "stats": rows, "score": found})

    def to_moses(self, features: str | PathLike[str], scores: str | PathLike[str]) -> None:
        """Write the two text files of Moses's extractor, with numbers in full precision.

        Files with names that end in ``.gz`` are compressed. The files cannot hold segments without hypotheses, or
        texts.

        :param features: the path of the file of features
        :param scores: the path of the file of statistics
        :raises StatisticsError: the statistics are not those of BLEU
        :raises InputFileError: a file cannot be written
        """
        extractor.write(self, features, scores)

    def write(self, path: str | PathLike[str], format: str = "moses") -> None:  # noqa: A002
        """Write an n-best list, with numbers in full precision.

        :param path: of the file, which is compressed if its name ends in ``.gz``
        :param format: ``moses`` or ``joshua``
        :raises CybleuError: texts or model scores are not known; a name or a text cannot be written in the format
        """
        writing.write(self, path, format)


def _joined(tokens: Any) -> str | None:
    """Join tokens with blanks; None if the text would be split into other tokens."""
    if not all(isinstance(token, str) for token in tokens):
        return None
    text = " ".join(tokens)
    return text if text.split() == list(tokens) else None
