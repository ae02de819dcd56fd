"""Import optional dependencies where they are used, with an error message of one sentence if they are missing."""

from __future__ import annotations

from contextlib import contextmanager
from importlib.util import find_spec

from ..errors import MissingExtraError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def extra(package: str, requirement: str, install: str) -> Iterator[None]:
    """Context manager for the import of an optional dependency.

    Only a package that cannot be found is reported as missing. If it is found but fails to load, for example because
    memory is exhausted, its own error is raised.

    :param package: the import name
    :param requirement: the beginning of the message, such as ``plots require Matplotlib``
    :param install: the argument for ``pip install``
    :raises MissingExtraError: the package is not installed
    """
    try:
        yield
    except ImportError as error:
        if find_spec(package) is None:
            command = install if "[" not in install else f'"{install}"'
            raise MissingExtraError(
                f"{requirement}, which is not installed; install it with: pip install {command}"
            ) from None
        raise MissingExtraError(f"{requirement}, which is installed but does not load: {error}") from error
