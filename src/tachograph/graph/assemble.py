"""From edges as a file or table lists them to a graph as the user wants it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..util.errors import InputError
from .build import as_ids, as_weights, check_dedupe, lists_both_directions
from .edge_table import EdgeTable
from .graph import Graph
from .relabel import relabelled

__all__ = ["assemble", "rebuilt"]


def assemble(
    table: EdgeTable,
    *,
    directed: bool | None = None,
    symmetrize: bool | None = None,
    dedupe: str = "keep",
    drop_self_loops: bool = False,
    relabel: bool = False,
) -> Graph:
    """The graph of ``table``; options as in :func:`tachograph.read`.

    A directed graph of undirected edges has both arcs of each.
    """
    check_dedupe(dedupe)
    source, target, n, names, meta = table.source, table.target, table.n, table.names, table.meta
    if relabel or table.named:
        source, target, found = relabelled(source, target)
        meta = _kept(meta, found, n)
        names = found if names is None else names[found]
        n = found.size
    weight = as_weights(table.weight, len(source))
    listed_directed = table.directed is not False
    wanted = listed_directed if directed is None else directed
    if symmetrize is None and not (listed_directed and wanted):
        symmetrize = True
        if table.both is not False:
            source, target = as_ids(source, "source"), as_ids(target, "target")
            symmetrize = not lists_both_directions(source, target, weight)
            if symmetrize and table.both:
                raise InputError("an edge is listed in one direction only, or with two weights")
        as_undirected = True
    else:
        as_undirected = not wanted
    made = Graph.from_edges(
        source,
        target,
        weight,
        n=n,
        directed=not as_undirected,
        symmetrize=symmetrize,
        dedupe=dedupe,
        drop_self_loops=drop_self_loops,
    )
    changes: dict[str, Any] = {"directed": True, "m": None} if as_undirected and wanted else {}
    return made._replace(meta=meta, names=names, **changes)


def _kept(meta: dict[str, Any], found: np.ndarray, n: int | None) -> dict[str, Any]:
    """What a file says of vertices, under their new ids; ``found`` are the old ones."""
    kept: dict[str, Any] = {}
    for key, value in meta.items():
        if key in ("source", "sink"):
            at = int(np.searchsorted(found, value))
            if at < found.size and found[at] == value:
                kept[key] = at
        elif isinstance(value, np.ndarray) and n is not None and len(value) == n:
            kept[key] = value[found]
        else:
            kept[key] = value
    return kept


def rebuilt(graph: Graph, **options: Any) -> Graph:
    """The same edges with other options (as in :func:`assemble`); the graph itself if none differ."""
    defaults = {"directed": None, "symmetrize": None, "dedupe": "keep", "drop_self_loops": False,
                "relabel": False}  # fmt: skip
    check_dedupe(options.get("dedupe", "keep"))
    if options.get("directed") == graph.directed:
        options["directed"] = None
    if all(options.get(k, v) == v for k, v in defaults.items()):
        return graph
    table = EdgeTable(
        *graph.to_edges(),
        n=graph.n,
        directed=graph.directed,
        both=None if graph.directed else False,
        names=graph.names,
        meta=dict(graph.meta),
    )
    return assemble(table, **options)
