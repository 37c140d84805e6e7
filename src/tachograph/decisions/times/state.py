"""What predictions of times look at: sizes, degrees, and how a graph opens up around a vertex."""

from __future__ import annotations

import math

import numpy as np

from ...graph.graph import Graph

__all__ = ["SHAPE_FEATURES", "shape"]

NEARBY_VERTICES = 1 << 14  # around the source that are looked at
SHAPE_FEATURES = (
    "log_n", "log_arcs", "log_degree", "log_max_degree", "gini", "log_early", "log_levels",
    "closing", "bits", "small", "back_small", "directed", "spread", "log_source_degree", "log_seen",
    "log_source_levels",
)  # fmt: skip


def shape(graph: Graph, source: int | None = None) -> dict[str, float]:
    """The numbers a prediction looks at, of a graph and of the vertex a search begins at.

    They cost a pass over the vertices and about a millisecond of small searches, once for a graph.
    """
    from ...graph.features import summary_of_balls
    from ...kernels.features import balls

    f = graph.features
    opening = f.opening
    back = opening["small"]
    if graph.directed:
        back = summary_of_balls(*graph.transpose.rows)["small"]
    weights = f.weights
    spread = weights["std"] / weights["mean"] if weights and weights["mean"] else 0.0
    around = (f.max_degree, float(NEARBY_VERTICES), opening["levels"])
    if source is not None and graph.arcs:
        row = balls(graph.indptr, graph.indices, np.array([source]), NEARBY_VERTICES)[0]
        around = (int(graph.degrees[source]), row[0], row[3])
    values = (
        math.log(graph.n + 1), math.log(graph.arcs + 1), math.log(f.mean_degree + 0.1),
        math.log(f.max_degree + 1), f.gini, math.log(opening["early"] + 0.5),
        math.log(opening["levels"] + 0.5), opening["closing"], opening["bits"], opening["small"],
        back, float(graph.directed), min(spread, 4.0), *(math.log(x + 1.0) for x in around),
    )  # fmt: skip
    return dict(zip(SHAPE_FEATURES, values, strict=True))
