"""Tuners with their options, for the tuning loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .._files.text import shown
from .._runtime.numbers import check_whole
from ..errors import UnknownNameError, WeightsError
from .climb import tune
from .mira import kbmira
from .pro import pro
from .space import check_normalised, normalised

if TYPE_CHECKING:
    from ..nbest import NBest

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
        self.settings.pop("threads", None)
        self.settings.pop("progress", None)

    def weights(self, nbest: NBest, start: Mapping[str, float], iteration: int) -> dict[str, float]:
        """Tune the weights of the features of a list; those of other features stay, and a sparse 0 is left out.

        :param nbest: the list
        :param start: the weights by name, for every dense feature
        :param iteration: the number of the iteration, from 1
        """
        known = {name: start[name] for name in nbest.all_names if name in start}
        tuned = self._function(nbest, known, seed=self._seed + iteration, **self._options).weights
        weights = {**start, **tuned}
        return normalised(
            {name: weight for name, weight in weights.items() if weight or name in nbest.names}, self._normalise
        )
