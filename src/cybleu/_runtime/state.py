"""Base classes that validate their state when a pickle or a copy is loaded."""

from __future__ import annotations

from ..errors import CybleuError, StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["ArgumentState", "CheckedState", "RecordState", "check_names", "restored"]


def restored(kind: type, build: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call `build` and convert its errors about invalid state.

    :raises StateError: the arguments have other types, or another number, than `build` accepts
    :raises CybleuError: `build` rejects an argument
    """
    try:
        return build(*arguments, **named)
    except CybleuError:
        raise
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise StateError(f"the state is not that of a {kind.__name__}: {error}; make a new pickle") from error


class CheckedState:
    """Base class that validates the state in `_restore` when a pickle is loaded or a copy is made."""

    __slots__ = ()

    _restore: Callable[[Any], None]

    def __setstate__(self, state: Any) -> None:
        restored(type(self), self._restore, state)


class ArgumentState(CheckedState):
    """Base class whose state is its constructor's arguments, which are validated when a pickle is loaded, too.

    Each argument is an attribute of the same name; in a dataclass, these are its fields.
    """

    __slots__ = ()

    def _argument_names(self) -> tuple[str, ...]:
        return _field_names(type(self))

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._argument_names()}

    def _restore(self, state: Any) -> None:
        check_names(state, self._argument_names())
        self.__init__(**state)  # type: ignore[misc]
        if type(self).__hash__ is not None:
            hash(self)  # raises TypeError early: metrics are used as dict keys


class RecordState(CheckedState):
    """Base class of result dataclasses, whose state has a value of the annotated type for each field."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _field_names(type(self))}

    def _restore(self, state: Any) -> None:
        import re
        import sys
        from dataclasses import fields

        check_names(state, _field_names(type(self)))
        for field in fields(self):  # type: ignore[arg-type]
            if field.name in state:
                kind, _ = _alternatives(iter(re.findall(r"[\w.]+|[][,|]", str(field.type))))
                owner = next(base for base in type(self).__mro__ if field.name in vars(base).get("__annotations__", ()))
                if not _fits(state[field.name], kind, vars(sys.modules[owner.__module__])):
                    raise TypeError(f"{field.name} is a {type(state[field.name]).__name__}, not a {field.type}")
        vars(self).update(state)
        if hasattr(self, "__post_init__"):
            self.__post_init__()


def _field_names(kind: Any) -> tuple[str, ...]:
    from dataclasses import fields

    return tuple(field.name for field in fields(kind) if field.init)


def check_names(state: Any, names: tuple[str, ...]) -> None:
    if type(state) is not dict or set(state) != set(names):
        raise TypeError(f"a dict with {', '.join(names)} is required")


def _alternatives(words: Iterator[str]) -> tuple[list[tuple[str, list[Any]]], str]:
    """Parse an annotation up to a comma or a closing bracket, which is also returned.

    This does not use :mod:`ast`: up to CPython 3.12, two threads that make syntax trees at the same time can get a
    SystemError.

    :return: for each part of a union its name, and its arguments in the same form
    """
    found: list[tuple[str, list[Any]]] = []
    for word in words:
        if word == "[":
            end = ","
            while end == ",":
                argument, end = _alternatives(words)
                found[-1][1].append(argument)
        elif word in ",]":
            return found, word
        elif word != "|":
            found.append((word, []))
    return found, ""


def _fits(value: Any, alternatives: list[tuple[str, list[Any]]], names: dict[str, Any]) -> bool:
    """Return whether a value matches an annotation. A name that is not a class at run time matches any value."""
    return any(_is_of(value, name, names) and _holds(value, inner, names) for name, inner in alternatives)


def _is_of(value: Any, name: str, names: dict[str, Any]) -> bool:
    if name == "None":
        return value is None
    if name == "float":
        return isinstance(value, (float, int))
    if name == "NDArray":
        return hasattr(value, "__array__") and hasattr(value, "dtype")
    builtins = {"int": int, "str": str, "bool": bool, "tuple": tuple, "list": list, "dict": dict}
    found = builtins.get(name, names.get(name))
    return name == "Any" or not isinstance(found, type) or isinstance(value, found)


def _holds(value: Any, inner: list[list[tuple[str, list[Any]]]], names: dict[str, Any]) -> bool:
    """Return whether the items of a container, or the type of an array's numbers, match."""
    if not inner:
        return True
    if isinstance(value, tuple) and inner[-1] != [("...", [])]:
        return len(value) == len(inner) and all(_fits(one, of, names) for one, of in zip(value, inner))
    if isinstance(value, (tuple, list)):
        return all(_fits(one, inner[0], names) for one in value)
    if isinstance(value, dict):
        return all(_fits(key, inner[0], names) and _fits(one, inner[1], names) for key, one in value.items())
    dtype = getattr(value, "dtype", None)
    module, _, number = inner[0][0][0].rpartition(".")
    return dtype is None or not module or dtype.name == number.rstrip("_")
