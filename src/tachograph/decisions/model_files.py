"""Where models are: one of this machine's own, made by ``tacho train``, or the one of the package."""

from __future__ import annotations

import functools
from pathlib import Path

from ..journal import home

__all__ = ["current_model", "own_model", "shipped_model"]


def own_model(name: str) -> Path:
    """Where the model trained on this machine is kept."""
    return home() / "models" / name


def shipped_model(name: str) -> Path:
    """The model that comes with the package."""
    return Path(__file__).parent / "models" / name


def current_model(name: str) -> tuple[Path, int]:
    """The own model if there is one, else the shipped one; when it was changed, to notice a new one."""
    own, shipped = _places(home(), name)
    try:
        return own, own.stat().st_mtime_ns
    except OSError:
        return shipped, shipped.stat().st_mtime_ns


@functools.lru_cache(32)
def _places(kept: Path, name: str) -> tuple[Path, Path]:
    """Where a model may be: every search asks, and paths take long to put together."""
    return kept / "models" / name, shipped_model(name)
