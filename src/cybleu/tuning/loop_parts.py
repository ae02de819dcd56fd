"""What a tuning loop is made of: a tuner, a decoder, and a rule of stopping."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isnan
from pathlib import Path
from typing import Any

from .._files.text import shown
from .._runtime.numbers import as_number, check_whole
from .._runtime.system import command_line, split_command
from ..errors import DecoderError, UnknownNameError, WeightsError
from ..nbest import NBest
from ..nbest.weights import check_normalised, normalised, without_sparse_zeros
from .climb import tune
from .mira import kbmira
from .pro import pro
from .results import Iteration

FUNCTIONS: dict[str, Callable[..., Any]] = {"mert": tune, "kbmira": kbmira, "pro": pro}


class Tuner:
    """A tuner with its options, for :func:`mert_loop`.

    :param function: ``mert`` (:func:`tune`), ``kbmira`` or ``pro``; or a function. It is called with the list, the start
        by name, `seed` and the options, and returns an object with `weights` by name. Its module and name identify it when a run continues
    :param seed: iteration i tunes with seed + i
    :param normalise: ``sum`` divides the tuned weights by the sum of their absolute values; ``largest`` divides them by
        the largest absolute value. Weights that are not normalised may grow or shrink from iteration to iteration, but
        the thresholds by which a decoder prunes do not change with them
    :param never_lowers: whether a function returns the start unless other weights score higher, which is known of named
        tuners: only ``pro``, and ``kbmira`` with the rules ``moses``, may lower the score
    :param options: options of the function, such as `metric`
    :raises UnknownNameError: there is no such tuner
    :raises WeightsError: `seed` is not valid, or the options do not allow weights that are normalised

    >>> Tuner("kbmira", passes=30, rules="moses").never_lowers
    False
    """

    def __init__(
        self,
        function: str | Callable[..., Any] = "mert",
        *,
        seed: int = 0,
        normalise: str | None = None,
        never_lowers: bool = False,
        **options: Any,
    ):
        check_whole(seed, "seed", 0, error=WeightsError)
        check_normalised(normalise, options.get("bounds"), options.get("fixed", ()))
        if isinstance(function, str):
            if function not in FUNCTIONS:
                raise UnknownNameError(
                    f"unknown tuner {shown(function)}; use one of {', '.join(FUNCTIONS)}, or a function"
                )
            never_lowers = function != "pro" and options.get("rules") != "moses"
        self._function = FUNCTIONS[function] if isinstance(function, str) else function
        self._seed = seed
        self._normalise = normalise
        self._options = options
        self.never_lowers = never_lowers
        self.metric = options.get("metric")
        # what the weights of a run depend on
        self.settings = {"tuner": function, "seed": seed, "normalise": normalise, **options}
        # these two do not change the result
        self.settings.pop("threads", None)
        self.settings.pop("progress", None)

    def weights(self, nbest: NBest, start: Mapping[str, float], iteration: int) -> dict[str, float]:
        """Tune the weights of the features of a list; those of other features stay, and a sparse 0 is left out.

        :param nbest: the list
        :param start: the weights by name, for every dense feature
        :param iteration: the number of the iteration, from 1
        """
        # a tuner accepts only weights of features of the list
        known = {name: start[name] for name in nbest.all_names if name in start}
        tuned = self._function(nbest, known, seed=self._seed + iteration, **self._options).weights
        weights = {**start, **tuned}  # the decoder has features that are not in any list so far
        return normalised(without_sparse_zeros(weights, nbest.names), self._normalise)


class DecoderCommand:
    """A command that decodes, for :func:`mert_loop`. Its standard output goes to standard error.

    :param command: the program and its arguments, as a list; or a str that is split as a shell does, but on Windows a
        backslash is an ordinary character. ``{weights}`` is replaced by the path of the weights file, and ``{nbest}``
        by the path of the list to write
    :raises DecoderError: the command is empty, or cannot be split

    >>> DecoderCommand("decoder --weights {weights} --n-best {nbest}").words
    ['decoder', '--weights', '{weights}', '--n-best', '{nbest}']
    """

    def __init__(self, command: str | Sequence[str]):
        try:
            self.words = split_command(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise DecoderError(
                f"the command of the decoder cannot be split into words: {error}: {shown(command)}"
            ) from None
        if not self.words:
            raise DecoderError("the command of the decoder is empty; give the program and its arguments")

    def __call__(self, weights: dict[str, float], path: Path) -> None:
        """Run the command.

        :param weights: what the file of weights holds
        :param path: the list to write; the file of weights, ``weights``, is in its folder
        :raises DecoderError: the command cannot be run, or fails
        """
        paths = {"{weights}": str(path.parent / "weights"), "{nbest}": str(path)}
        # in one pass, because the path of the folder may have such a name in braces
        words = [re.sub("{weights}|{nbest}", lambda found: paths[found[0]], word) for word in self.words]
        # standard output is reserved for the results of the calling program
        output = None if sys.__stderr__ is None else 2
        try:
            status = subprocess.run(words, check=False, stdout=output).returncode
        except OSError as error:
            raise DecoderError(f"the decoder cannot be run: {command_line(words)}: {error}") from error
        if status:
            raise DecoderError(f"the decoder ended with status {status}: {command_line(words)}")


@dataclass(frozen=True)
class Stopping:
    """The rule by which :func:`mert_loop` stops.

    It stops when the decoder finds no new hypothesis; when no weight changes by more than `weights_settle`, relative to
    the sum of the absolute values of the weights; when tuning raises the score of the weights that decoded by no more
    than `score_settles`; or after `iterations`.

    :param iterations: the maximum number of iterations
    :param weights_settle: the largest change for which a weight counts as unchanged
    :param score_settles: the largest gain that counts as no gain. By default 0 with a tuner that never lowers the
        score; with other tuners, the score does not stop the loop by default
    :raises WeightsError: a number is not valid

    >>> Stopping(iterations=5)
    Stopping(iterations=5, weights_settle=1e-05, score_settles=None)
    """

    iterations: int = 20
    weights_settle: float = 1e-5
    score_settles: float | None = None

    def __post_init__(self) -> None:
        check_whole(self.iterations, "iterations", 1, error=WeightsError)
        for name in ("weights_settle", "score_settles"):
            limit = getattr(self, name)
            if limit is not None and isnan(as_number(limit)):
                raise WeightsError(f"{name} is {limit!r}; it must be a number")

    def reason(self, iteration: Iteration, never_lowers: bool) -> str | None:
        """Return why the loop stops after an iteration, or None if it goes on.

        :param iteration: the iteration that ended
        :param never_lowers: see :class:`Tuner`
        """
        least_gain = self.score_settles
        if least_gain is None:
            least_gain = 0.0 if never_lowers else -inf
        if iteration.new == 0:
            return "the decoder brought no new hypothesis"
        if _largest_change(iteration.decoded, iteration.weights) <= self.weights_settle:
            return f"no weight changed by more than {self.weights_settle:g}"
        if iteration.score - iteration.start_score <= least_gain:
            return f"the score gained no more than {least_gain:g}"
        if iteration.number >= self.iterations:
            return f"after {self.iterations} iterations"
        return None


def _largest_change(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    before_size = sum(map(abs, before.values())) or 1.0
    after_size = sum(map(abs, after.values())) or 1.0
    names = {*before, *after}
    return max(abs(before.get(name, 0.0) / before_size - after.get(name, 0.0) / after_size) for name in names)
