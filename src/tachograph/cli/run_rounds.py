"""``tacho run mis`` and ``tacho run maxflow``: what host and device can do together."""

from __future__ import annotations

from typing import Annotated

import typer

from ..graph.graph import Graph
from .run import Outcome, algorithm, names_of, vertex_of

__all__ = ["maxflow", "mis"]

RoundsOn = Annotated[
    str | None, typer.Option("--device", help="host, or an OpenCL device: in rounds of kernels.")
]
Placement = Annotated[
    str, typer.Option(help="auto, host, device, break-point, learned, oracle, or a file of hints.")
]


@algorithm
def mis(
    graph: Graph,
    verify: bool,
    rng: Annotated[int, typer.Option(help="Another seed, another set.")] = 0,
    device: RoundsOn = None,
    placement: Placement = "auto",
    overlap: Annotated[int, typer.Option(help="Percent produced while others consume.")] = 0,
    hot: Annotated[int, typer.Option(help="Percent of high degree produced first.")] = 0,
) -> Outcome:
    """A maximal independent set: no edges inside, and no vertex could be added.

    [bold]Examples[/bold]

    tacho run mis roads.gr --rng 1 --verify

    tacho run mis friends.txt.gz --output set.parquet
    """
    from ..algorithms.independent_set import maximal_independent_set

    result = maximal_independent_set(graph, rng=rng, device=device, placement=placement,
                                     overlap=overlap, hot=hot, verify=verify)  # fmt: skip
    return result, {"size": result.vertices.size}, {"vertex": names_of(graph), "mask": result.mask}


@algorithm
def maxflow(
    graph: Graph,
    verify: bool,
    source: Annotated[str | None, typer.Option(help="Default: as the file says.")] = None,
    sink: Annotated[str | None, typer.Option(help="Default: as the file says.")] = None,
    device: RoundsOn = None,
    placement: Placement = "auto",
) -> Outcome:
    """The most that can flow from source to sink; weights are capacities. Writes a row for each arc.

    [bold]Examples[/bold]

    tacho run maxflow problem.max.gz --verify

    tacho run maxflow pipes.txt --source 0 --sink 9 --output flow.parquet
    """
    import numpy as np

    from ..algorithms.flow import maximum_flow

    ends = (None if given is None else vertex_of(graph, given) for given in (source, sink))
    result = maximum_flow(graph, *ends, device=device, placement=placement, verify=verify)
    facts = {"value": result.value, "status": result.status,
             "source_side": int(result.source_side.sum())}  # fmt: skip
    names = names_of(graph)
    rows = {"source": np.repeat(names, graph.degrees), "target": names[graph.indices]}
    return result, facts, {**rows, "flow": result.flow}
