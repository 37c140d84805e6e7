"""A simulated machine: hardware known by its off-chip requests, with declared parameters.

Every parameter says what it means and where its default comes from. An accelerator is a machine
(:mod:`tachograph.simulation.accelerators`); a GPU can be one, too.
"""

from __future__ import annotations

from typing import Generic, TypeVar, cast, overload

from ..util.errors import InputError

__all__ = ["Machine", "Parameter"]

T = TypeVar("T")
WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class Parameter(Generic[T]):
    """A declared parameter: its default, what it means, and where the default comes from.

    ``source`` names the table of the paper, or says ``inferred`` and why. ``low`` is the smallest
    value, ``choices`` are all values; a parameter whose default is None needs ``kind``.
    """

    def __init__(
        self,
        default: T,
        about: str,
        source: str,
        *,
        kind: type | None = None,
        low: float | None = None,
        choices: tuple[T, ...] | None = None,
    ) -> None:
        self.default, self.about, self.source = default, about, source
        self.kind = kind or type(default)
        self.low, self.choices = low, choices
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Parameter[T]: ...
    @overload
    def __get__(self, instance: Machine, owner: type) -> T: ...
    def __get__(self, instance: Machine | None, owner: type) -> Parameter[T] | T:
        return self if instance is None else cast(T, instance.settings[self.name])

    def __set__(self, instance: Machine, value: T) -> None:
        raise AttributeError(
            f"{instance!r} cannot be changed: make another with {self.name}={value}"
        )

    def checked(self, value: object) -> T:
        """Return a value that was given as itself or as text.

        Raises
        ------
        InputError
            If the parameter cannot have this value.
        """
        if value is None or (isinstance(value, str) and value.lower() == "none"):
            if self.default is not None:
                raise InputError(f"{self.name} needs a value: {self.about}")
            return self.default
        if isinstance(value, str) and self.kind is not str:
            value = self._read(value)
        if self.kind is float and isinstance(value, int):
            value = float(value)
        problem = None
        if not isinstance(value, self.kind) or (self.kind is int and isinstance(value, bool)):
            problem = f"must be written as {self.kind.__name__}"
        elif self.low is not None and not cast(float, value) >= self.low:
            problem = f"must be at least {self.low}"
        elif self.choices is not None and value not in self.choices:
            problem = f"must be one of {', '.join(map(str, self.choices))}"
        if problem is not None:
            raise InputError(f"{self.name} = {value!r} {problem}: {self.about}")
        return cast(T, value)

    def _read(self, text: str) -> object:
        if self.kind is bool:
            return WORDS.get(text.lower(), text)
        try:
            made: object = self.kind(text.replace("_", ""))
        except ValueError:
            return text
        return made


class Machine:
    """Hardware that is simulated by its off-chip memory requests.

    A subclass declares :class:`Parameter` objects. They are given as keywords; the error for an unknown
    one lists the known ones. ``settings`` has the value of every parameter, ``given`` those that the
    caller chose.

    >>> from tachograph.simulation.accelerators import AccuGraph
    >>> AccuGraph(edge_pipelines=8), AccuGraph(edge_pipelines=8).given
    (AccuGraph(edge_pipelines=8), {'edge_pipelines': 8})
    """

    def __init__(self, **settings: object) -> None:
        known = self.declared()
        for name in settings:
            if name not in known:
                raise InputError(
                    f"{type(self).__name__} has no parameter {name!r}; known: {', '.join(known)}"
                )
        self.given: dict[str, object] = {
            name: known[name].checked(value) for name, value in settings.items()
        }
        self.settings: dict[str, object] = {
            name: p.default for name, p in known.items()
        } | self.given

    @classmethod
    def declared(cls) -> dict[str, Parameter[object]]:
        """Return all parameters by name, those of the subclass first."""
        found: dict[str, Parameter[object]] = {}
        for owner in cls.__mro__:
            for name, value in vars(owner).items():
                if isinstance(value, Parameter):
                    found.setdefault(name, value)
        return found

    @classmethod
    def path(cls) -> str:
        """Return where the class is, as ``package.module:Class``."""
        return f"{cls.__module__}:{cls.__qualname__}"

    def __repr__(self) -> str:
        changed = [f"{name}={self.settings[name]!r}" for name, p in self.declared().items()
                   if self.settings[name] != p.default]  # fmt: skip
        return f"{type(self).__name__}({', '.join(changed)})"
