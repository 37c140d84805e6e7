"""Where models are: one of this machine's own, made by ``tacho train``, or the one of the package."""

from __future__ import annotations

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
    path = own_model(name)
    path = path if path.exists() else shipped_model(name)
    return path, path.stat().st_mtime_ns
