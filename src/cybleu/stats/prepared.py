"""Prepared references, as far as metrics read them. Needs no NumPy."""

from __future__ import annotations

from ..errors import ArrayValueError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..text.raw import Raw
    from .options import CountOptions

__all__ = ["PreparedSets", "are_prepared"]


class PreparedSets:
    """Base class of :class:`cybleu.References`."""

    __slots__ = ()

    _options: CountOptions
    _raw: Raw | None

    def _check(self, metric: str, counted: Mapping[str, Any], *, ignores: bool = False, **arguments: Any) -> None:
        """Check that the references are counted as a metric counts, and that no option of theirs is given again.

        :param metric: its name
        :param counted: what it requires: values of `max_order`, `reference_length` and `lowercase`
        :param ignores: it can leave out n-grams
        :param arguments: of references
        :raises ArrayValueError: the references do not fit
        """
        for name, value in arguments.items():
            if value is not None and value is not False:
                raise ArrayValueError(f"the references are prepared, so {name} is theirs; give it to References")
        options, raw = self._options, self._raw
        if options.ignored is not None and not ignores:
            raise ArrayValueError(f"the references were prepared with ignore, and {metric} leaves no n-grams out")
        for name, wanted in counted.items():
            found = raw is not None and raw.lowercase if name == "lowercase" else getattr(options, name)
            if found != wanted:
                raise ArrayValueError(
                    f"the references were prepared with {name}={found!r}, and {metric} counts with {wanted!r} here; "
                    f"give References({name}={wanted!r})"
                )


def are_prepared(references: Any) -> bool:
    """Whether these are :class:`cybleu.References`."""
    return isinstance(references, PreparedSets)
