"""What a reader hands over: edges as a file lists them, before they become a graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["EdgeTable"]


@dataclass
class EdgeTable:
    """Edges in file order, with what the file says about them.

    ``source`` and ``target`` hold ids, or names if they are strings. ``n`` is None if the file does
    not say how many vertices there are, ``directed`` is None if it does not say that. An undirected
    file may list each edge once, in both directions (``both``), or leave it open (None). ``names``
    are those of the ids; ``named`` says that source and target hold names themselves.
    """

    source: np.ndarray
    target: np.ndarray
    weight: np.ndarray | None = None
    n: int | None = None
    directed: bool | None = None
    both: bool | None = None
    names: np.ndarray | None = None
    named: bool = False
    meta: dict[str, Any] = field(default_factory=dict)
