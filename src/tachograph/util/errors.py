"""What can go wrong, said so that a person knows what to do next."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from pathlib import Path


class TachographError(Exception):
    """Base of every error that Tachograph raises on purpose."""


class InputError(TachographError, ValueError):
    """An argument that cannot be used; the message names it."""


class NegativeCycleError(InputError):
    """A cycle of negative weight can be reached, so paths get shorter without end.

    ``cycle`` lists its vertices in the direction of the arcs, ``weight`` is its weight.
    """

    def __init__(self, cycle: list[int], weight: float) -> None:
        self.cycle = cycle
        self.weight = weight
        super().__init__(cycle, weight)

    def __str__(self) -> str:
        shown = " -> ".join(map(str, self.cycle[:8] + ["..."] * (len(self.cycle) > 8)))
        return (
            f"there are no shortest paths: the cycle {shown} -> {self.cycle[0]} has the negative "
            f"weight {self.weight:g}"
        )


class MissingFileError(TachographError, FileNotFoundError):
    """A file or data set that is not there."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class FileFormatError(TachographError, ValueError):
    """A file whose content is not what its format promises; names the file and, if known, the line."""

    def __init__(self, path: str | os.PathLike[str], problem: str, line: int | None = None) -> None:
        self.path: str = os.fspath(path)
        self.problem = problem
        self.line = line
        super().__init__(self.path, problem, line)

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}, line {self.line}"
        return f"{where}: {self.problem}"


class TooLargeError(TachographError, MemoryError):
    """Work that needs more memory or threads than there are; if foreseen, raised before it begins."""


class TimeLimitError(TachographError, TimeoutError):
    """Work that took longer than :func:`tachograph.limits` or the deadline of a plan allows."""


class MissingDependencyError(TachographError, ImportError):
    """An optional package that this feature needs; the message says how to install it."""


class DeviceError(TachographError):
    """A device that is not there, cannot do what was asked, or failed at it."""


class VerificationError(TachographError):
    """A result that does not have the properties that define it: a defect of the library."""


class TachographWarning(UserWarning):
    """Something that the caller should know; the call goes on."""


def warn(text: str) -> None:
    """Warn of something, at the line outside the package that called it."""
    within = f"{Path(__file__).parent.parent}{os.sep}"
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_code.co_filename.startswith((within, contextlib.__file__)):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, TachographWarning, stacklevel=level)
