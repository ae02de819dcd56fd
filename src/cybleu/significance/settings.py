"""How systems are compared: the test, the samples, and what is significant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._runtime.numbers import as_number, check_samples, is_one_of
from ..errors import SampleError, UnknownNameError

RESAMPLES = 1_000
SEED = 12345
CONFIDENCE = 0.95
CAPTION = "Scores of the systems."  # of tables in LaTeX
LABEL = "scores"  # of these, after tab:
#: The names of the tests, each with its default number of samples.
TESTS = {"randomization": 10_000, "shifted-bootstrap": RESAMPLES, "win-ratio": RESAMPLES}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How systems are compared by :func:`compare_systems` and :func:`cybleu.report.analyse`.

    :param test: see :func:`paired_test`. The samples of a bootstrap test also give the intervals
    :param samples: see :func:`paired_test`
    :param resamples: the number of bootstrap samples of the intervals
    :param seed: the seed of all samples
    :param confidence: the confidence of the intervals
    :param alpha: the level of significance: the largest p of a significant difference
    :param correction: ``holm`` corrects p for the number of tests (Holm 1979), ``none`` does not; significance and
        ranks are based on the result
    :param ranking: a new rank begins with a system that is significantly worse than ``every`` system, or than ``any``
        system, of the rank above
    :param threads: the number of threads, by default one; it does not affect the result
    :param progress: show progress bars (requires tqdm)
    :raises UnknownNameError: there is no such test, correction or ranking
    :raises SampleError: a number of samples, the confidence or the level of significance is not valid

    >>> Settings(test="win-ratio", seed=1).samples
    1000
    """

    test: str = "randomization"
    samples: int | None = None
    resamples: int = RESAMPLES
    seed: int = SEED
    confidence: float = CONFIDENCE
    alpha: float = 0.05
    correction: str = "holm"
    ranking: str = "every"
    threads: int | None = None
    progress: bool = False

    def __post_init__(self) -> None:
        known = {"test": (*TESTS,), "correction": ("holm", "none"), "ranking": ("every", "any")}
        for name, names in known.items():
            value = getattr(self, name)
            if not is_one_of(value, names):
                raise UnknownNameError(f"unknown {name} {value!r}; use one of {', '.join(names)}")
        samples = TESTS[self.test] if self.samples is None else self.samples
        check_samples(samples, self.seed)
        check_samples(self.resamples, self.seed)
        for name in ("confidence", "alpha"):
            share = getattr(self, name)
            if not 0 < as_number(share) < 1:
                example = 0.95 if name == "confidence" else 0.05
                raise SampleError(f"{name} is {share!r}; it must be a number between 0 and 1, such as {example}")
            object.__setattr__(self, name, float(share))  # the class is frozen
        # the samples of other tests are those of the intervals
        resamples = self.resamples if self.test == "randomization" else samples
        for name, number in {"samples": samples, "resamples": resamples, "seed": self.seed}.items():
            object.__setattr__(self, name, int(number))


def refuse_settings(choices: Mapping[str, Any]) -> None:
    """Refuse settings among the options of a metric."""
    for name in choices:
        if name in Settings.__dataclass_fields__:
            raise UnknownNameError(f"{name} is one of the settings; pass settings=Settings({name}=...)")
