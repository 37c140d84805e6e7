"""Rehearse the tour on a small graph, in a process for each core, so that all is compiled before it.

The small graph has the same types as the one to come, so that exactly the loops are compiled that will
be used.
"""

from __future__ import annotations

import os
from contextlib import suppress

import numpy as np
import typer

from ... import __version__
from ...graph.generate import kronecker
from ...graph.graph import Graph
from ...journal import content_key, journal
from ...util.errors import TachographError
from ..warm import quiet, spread
from .setting import Setting, Skip
from .steps import STEPS

__all__ = ["prepare"]

REHEARSAL = "rehearsal"  # the kind of the journal's records
REHEARSAL_SCALE = 13  # just large enough for teams of workers


def prepare(directed: bool, weights: str | None) -> bool:
    """Compile the loops for such a graph; return whether that had to be done."""
    from ...kernels.runtime.launch import KERNELS

    if not KERNELS:  # nowhere to keep what is compiled
        return False
    where = os.environ.get("NUMBA_CACHE_DIR", "")
    key = content_key(__version__, __file__, where, directed, weights)
    if journal().get(REHEARSAL, key) is not None:
        return False
    typer.echo("compiling what the tour uses, once per machine ...", err=True)
    kind = {"directed": directed, "weights": weights}
    spread(_rehearse, [[{"name": name, **kind} for name in reversed(STEPS)]])
    journal().put(REHEARSAL, key, {})
    return True


def _rehearse(name: str, directed: bool, weights: str | None) -> None:
    quiet()
    os.environ["TACHOGRAPH_JOURNAL"] = "off"  # what is measured here is not worth keeping
    setting = Setting(small(directed, weights), "rehearsal")
    with suppress(Skip, TachographError):
        STEPS["The graph"](setting)
        STEPS[name](setting)


def small(directed: bool, weights: str | None) -> Graph:
    """Return a small graph of that kind."""
    graph = kronecker(REHEARSAL_SCALE, rng=1, weights=True)
    if weights == "int32" and not directed:
        return graph
    source, target, values = graph.to_edges()
    assert values is not None
    kept = None if weights is None else values.astype(np.dtype(weights))
    return Graph.from_edges(source, target, kept, n=graph.n, directed=directed)
