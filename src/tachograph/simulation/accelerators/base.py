"""What an accelerator is: declared parameters, and phases of request streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Generic, TypeVar, overload

from ...util.errors import InputError
from ..dram import Memory
from ..streams import Phase
from .layout import Layout
from .problem import Problem

__all__ = ["Accelerator", "Parameter"]

T = TypeVar("T")


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
        self.default = default
        self.about = about
        self.source = source
        self.kind = kind or type(default)
        self.low = low
        self.choices = choices
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Parameter[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Parameter[T] | T:
        if instance is None:
            return self
        value: T = instance.__dict__[self.name]
        return value

    def __set__(self, instance: object, value: T) -> None:
        raise AttributeError(f"an accelerator cannot be changed: make one with {self.name}={value}")

    def checked(self, value: Any) -> T:
        """The value, given as itself or as text; refuses what cannot be used."""
        if value is None or (isinstance(value, str) and value.lower() == "none"):
            if self.default is not None:
                raise InputError(f"{self.name} needs a value: {self.about}")
            return self.default
        if isinstance(value, str) and self.kind is not str:
            value = self._read(value)
        if self.kind is float and isinstance(value, int):
            value = float(value)
        fits: bool = isinstance(value, self.kind)
        if not fits or (self.kind is int and isinstance(value, bool)):
            raise InputError(
                f"{self.name} = {value!r}: {self.about} is written as {self.kind.__name__}"
            )
        if self.low is not None and not float(value) >= self.low:
            raise InputError(f"{self.name} = {value}: {self.about} is at least {self.low}")
        if self.choices is not None and value not in self.choices:
            known = ", ".join(map(str, self.choices))
            raise InputError(f"{self.name} = {value!r}: {self.about} is one of {known}")
        made: T = value
        return made

    def _read(self, text: str) -> Any:
        words = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
        if self.kind is bool:
            return words.get(text.lower(), text)
        try:
            return self.kind(text.replace("_", ""))
        except ValueError:
            return text


class Accelerator:
    """A machine simulated by its off-chip memory requests.

    A subclass declares :class:`Parameter` objects and writes :meth:`phases`: see the guide.
    Parameters are keywords; an unknown one is an error that lists the known ones.

    >>> from tachograph.simulation.accelerators import AccuGraph
    >>> AccuGraph(edge_pipelines=8)
    AccuGraph(edge_pipelines=8)
    """

    algorithms: ClassVar[tuple[str, ...]] = ()
    weights: ClassVar[bool] = True  # whether edges can have weights

    clock_mhz = Parameter(
        200.0, "clock of the accelerator in MHz",
        "inferred: not given in the text; chosen on slashdot, where 200 MHz agrees best with the "
        "paper's simulation", low=1.0,
    )  # fmt: skip
    inject = Parameter(
        None, "requests that a port sends in a cycle (None: as many as the memory takes)",
        "inferred: producers make requests in bulk, only edge and update reading is rate limited",
        kind=int, low=1,
    )  # fmt: skip
    bram_bytes = Parameter(
        10_000_000, "on-chip memory for vertex values in bytes",
        "inferred: 2,394,385 values of 32 bits (wiki-talk) fit, 3,072,627 (orkut) do not", low=1,
    )  # fmt: skip
    value_bits = Parameter(
        None, "width of a vertex value in bits (None: as in Table 3)", "Table 3", kind=int, low=1
    )
    vertex_bits = Parameter(32, "width of a vertex id in bits", "Table 3", low=8)
    permute_ids = Parameter(
        None, "seed of a permutation of the vertex ids (None: as they are)",
        "inferred: the text speaks of none", kind=int, low=0,
    )  # fmt: skip

    def __init__(self, **settings: Any) -> None:
        known = self.declared()
        for name in settings:
            if name not in known:
                raise InputError(
                    f"{type(self).__name__} has no parameter {name!r}; known: {', '.join(known)}"
                )
        for name, parameter in known.items():
            given = parameter.default
            if name in settings:
                given = parameter.checked(settings[name])
            self.__dict__[name] = given
        for name in ("value_bits", "vertex_bits"):
            if (bits := self.__dict__[name]) is not None and bits not in (8, 16, 32, 64):
                raise InputError(f"{name} = {bits}: 8, 16, 32 or 64")

    @classmethod
    def declared(cls) -> dict[str, Parameter[Any]]:
        """All parameters by name, those of the subclass first."""
        found: dict[str, Parameter[Any]] = {}
        for owner in cls.__mro__:
            for name, value in vars(owner).items():
                if isinstance(value, Parameter):
                    found.setdefault(name, value)
        return found

    @property
    def settings(self) -> dict[str, Any]:
        """The value of every parameter."""
        return {name: self.__dict__[name] for name in self.declared()}

    def __repr__(self) -> str:
        given = [
            f"{name}={self.__dict__[name]!r}"
            for name, p in self.declared().items()
            if self.__dict__[name] != p.default
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    def width(self, algorithm: str) -> int:
        """Bytes of a vertex value."""
        return (self.value_bits or 32) // 8

    def memory(self) -> Memory:
        """The memory that is used if none is given."""
        return Memory("DDR4-2400R")

    @property
    def banks(self) -> int:
        """Banks of on-chip memory that items of a line wait for."""
        return 1

    def phases(self, problem: Problem, layout: Layout) -> Iterator[Phase]:
        """The phases of a run. Values are computed between them, so that a phase can depend on them."""
        raise NotImplementedError

    def fits(self, values: int, width: int, what: str) -> None:
        """Refuse what the on-chip memory cannot hold."""
        if values * width > self.bram_bytes:
            most = self.bram_bytes // width
            raise InputError(
                f"{what}: {values:,} values of {width} bytes need {values * width:,} bytes of on-chip "
                f"memory, but bram_bytes = {self.bram_bytes:,} holds {most:,}: set partition_size to "
                f"at most {most:,}, or bram_bytes"
            )
