"""Base classes that validate their state when a pickle or a copy is loaded."""

from __future__ import annotations

from ..errors import CybleuError, StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable
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
        import ast
        import sys
        from dataclasses import fields

        check_names(state, _field_names(type(self)))
        for field in fields(self):  # type: ignore[arg-type]
            if field.name in state:
                kind = ast.parse(str(field.type), mode="eval").body
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


def _fits(value: Any, kind: ast.expr, names: dict[str, Any]) -> bool:
    """Return whether a value matches an annotation. A name that is not a class at run time matches any value."""
    import ast

    if isinstance(kind, ast.BinOp):
        return _fits(value, kind.left, names) or _fits(value, kind.right, names)
    if isinstance(kind, ast.Constant):
        return value is kind.value
    if isinstance(kind, ast.Subscript):
        inner = kind.slice.elts if isinstance(kind.slice, ast.Tuple) else [kind.slice]
        if not _fits(value, kind.value, names):
            return False
        if isinstance(value, tuple) and not isinstance(inner[-1], ast.Constant):
            return len(value) == len(inner) and all(_fits(one, of, names) for one, of in zip(value, inner))
        if isinstance(value, (tuple, list)):
            return all(_fits(one, inner[0], names) for one in value)
        if isinstance(value, dict):
            return all(_fits(key, inner[0], names) and _fits(one, inner[1], names) for key, one in value.items())
        dtype = getattr(value, "dtype", None)
        return dtype is None or not isinstance(inner[0], ast.Attribute) or dtype.name == inner[0].attr.rstrip("_")
    name = kind.id if isinstance(kind, ast.Name) else ""
    if name == "float":
        return isinstance(value, (float, int))
    if name == "NDArray":
        return hasattr(value, "__array__") and hasattr(value, "dtype")
    builtins = {"int": int, "str": str, "bool": bool, "tuple": tuple, "list": list, "dict": dict}
    found = builtins.get(name, names.get(name))
    return name == "Any" or not isinstance(found, type) or isinstance(value, found)
