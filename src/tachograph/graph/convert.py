"""Graphs of other libraries, handed to a function of ours."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from ..util.errors import InputError

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["as_graph"]


def as_graph(given: Any, where: str) -> Graph:
    """Return a graph as it is, or a graph of another library converted.

    NetworkX graphs, SciPy matrices and tables of edges (pandas, polars, pyarrow) are converted each
    time; whoever calls more than one function should convert them once. ``where`` is for messages.

    >>> from scipy.sparse import csr_array
    >>> as_graph(csr_array([[0, 1], [0, 0]]), "bfs").m
    1
    """
    from .columns import asked_otherwise
    from .graph import Graph

    if isinstance(given, Graph):
        return given
    if isinstance(given, str | os.PathLike):
        raise InputError(f"{where}: {str(given)!r} is not a graph: read the file, tg.read(path)")
    if hasattr(given, "run") and hasattr(given, "facts"):
        raise InputError(
            f"{where}: a {type(given).__name__} is not a graph; its table is result.to_pandas(), "
            "and .to_pandas().to_csv(path) or .to_parquet(path) writes that"
        )
    if hasattr(given, "adjacency") and hasattr(given, "is_directed"):
        return Graph.from_networkx(given)
    if hasattr(given, "tocsr"):
        return Graph.from_scipy(given)
    if hasattr(given, "collect") and hasattr(given, "lazy"):
        raise InputError(f"{where}: a {type(given).__name__} has no rows yet: pass its collect()")
    pandas = sys.modules.get("pandas")
    try:
        if pandas is not None and isinstance(given, pandas.DataFrame):
            return Graph.from_pandas(given)
        if hasattr(given, "__arrow_c_stream__"):
            return Graph.from_arrow(given, relabel=True)
    except InputError as error:
        text = asked_otherwise(str(error), "name them in tg.Graph.from_pandas or from_arrow")
        raise InputError(f"{where}: {text} (source=, target=, weight=)") from None
    how = "make one with tg.Graph.from_edges, from_pandas, from_scipy, from_networkx or tg.read"
    if hasattr(given, "__array__"):
        how = (
            "a matrix with scipy.sparse.csr_array(array), two columns with "
            "tg.Graph.from_edges(array[:, 0], array[:, 1])"
        )
    raise InputError(f"{where}: {type(given).__name__!r} is not a graph: {how}")
