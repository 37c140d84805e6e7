"""Graphs from and to SciPy, NetworkX and Arrow (pandas, polars, DuckDB)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, Unpack, cast

import numpy as np

from ..util.arrays import native
from ..util.errors import InputError, MissingDependencyError, TachographError
from .foreign import sound_rows
from .names import plain_names, unicode_only

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd  # type: ignore[import-untyped]
    import pyarrow as pa
    from scipy.sparse import csr_array, sparray, spmatrix

    from .build import EdgeOptions
    from .graph import Graph


TABLES = "pass a pandas, polars or pyarrow table"


@contextmanager
def usable() -> Iterator[None]:
    """Turn whatever goes wrong with somebody else's table into an error of ours."""
    try:
        yield
    except (TachographError, MemoryError):
        raise
    except Exception as error:
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"the table cannot be used: {said}") from None


class ArrowStream(Protocol):
    """A table of any library: what it can do is hand over its data as a stream of Arrow."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class Exchange:
    """The base class of :class:`Graph` that knows other libraries."""

    @staticmethod
    def from_scipy(
        matrix: sparray | spmatrix, *, directed: bool = True, copy: bool = True
    ) -> Graph:
        """Return the graph of a square sparse matrix: an entry (i, j) is an arc from i to j.

        A stored zero is an arc of weight 0; a stored False, or a zero that fills a block (BSR), is
        none. ``copy`` is that of :meth:`Graph.from_csr`.
        """
        from .build import from_csr

        rows = sound_rows(matrix)
        weights = None if rows.dtype == bool else rows.data
        return from_csr(rows.indptr, rows.indices, weights, directed=directed, copy=copy)

    def to_scipy(self) -> csr_array:
        """Return a ``scipy.sparse.csr_array`` with the weights (or ones) as entries."""
        from scipy.sparse import csr_array

        graph = cast("Graph", self)
        data = np.ones(graph.arcs, np.int64) if graph.weights is None else graph.weights.copy()
        # copies, because SciPy changes its matrices in place
        rows = data, graph.indices.copy(), graph.indptr.copy()
        return csr_array(rows, shape=(graph.n, graph.n))

    @staticmethod
    def from_networkx(graph: nx.Graph[Any], *, weight: str | None = "weight") -> Graph:
        """Return a NetworkX graph of any class as a :class:`Graph`.

        Its nodes become ``names`` if they are not 0, 1, ... An edge without the attribute ``weight``
        gets 1 if any other edge has it.
        """
        from .graph import Graph

        if isinstance(graph, type) or not hasattr(graph, "adjacency"):
            raise InputError(f"expected a NetworkX graph, not {type(graph).__name__}")
        if not isinstance(weight, Hashable):
            raise InputError(f"weight = {weight!r:.200}: the name of an attribute is needed")
        nodes = list(graph)
        ids = {node: i for i, node in enumerate(nodes)}
        ends = list(graph.edges(data=weight) if weight is not None else graph.edges())
        source = np.fromiter((ids[e[0]] for e in ends), np.int64, len(ends))
        target = np.fromiter((ids[e[1]] for e in ends), np.int64, len(ends))
        values = None
        if weight is not None and any(e[2] is not None for e in ends):
            values = native([1 if e[2] is None else e[2] for e in ends], f"the attribute {weight}")
        made = Graph.from_edges(source, target, values, n=len(nodes), directed=graph.is_directed())
        if nodes == list(range(len(nodes))):
            return made
        whole = all(type(node) is int and abs(node) < 2**63 for node in nodes)
        names = np.empty(len(nodes), np.int64 if whole else object)
        names[:] = nodes
        return made._replace(names=names)

    def to_networkx(self) -> nx.Graph[Any]:
        """Return a NetworkX (Multi)(Di)Graph; weights become the attribute ``weight``."""
        try:
            import networkx as nx
        except ImportError:
            advice = "NetworkX is not installed: pip install 'tachograph[networkx]'"
            raise MissingDependencyError(advice) from None
        graph = cast("Graph", self)
        source, target, weights = graph.to_edges()
        pairs = source.astype(np.int64) * max(graph.n, 1) + target
        kinds = [(nx.Graph, nx.DiGraph), (nx.MultiGraph, nx.MultiDiGraph)]
        made = kinds[np.unique(pairs).size < pairs.size][graph.directed]()
        names = list(range(graph.n)) if graph.names is None else graph.names.tolist()
        made.add_nodes_from(names)
        columns = [[names[v] for v in side.tolist()] for side in (source, target)]
        if weights is None:
            made.add_edges_from(zip(*columns, strict=True))
        else:
            made.add_weighted_edges_from(zip(*columns, weights.tolist(), strict=True))
        return made

    @staticmethod
    def from_arrow(
        table: ArrowStream,
        *,
        source: str | None = None,
        target: str | None = None,
        weight: str | bool | None = True,
        n: int | None = None,
        **options: Unpack[EdgeOptions],
    ) -> Graph:
        """Return the graph of a table of edges: anything with ``__arrow_c_stream__`` (pandas,
        polars, pyarrow, DuckDB).

        Columns are recognised by name (source, src, from, u; target, dst, to, v; weight, w, cost), or
        given; a table whose columns leave a choice is refused. ``weight=None`` leaves weights out.
        Ends that are text are names; whole numbers are, too, with ``relabel=True``.
        ``n`` and ``options`` are those of :meth:`Graph.from_edges`.
        """
        import pyarrow as pa

        from .build import build, options_of
        from .columns import Columns, edge_table

        told = options_of(options, ("source", "target", "weight", "n"))

        if not hasattr(table, "__arrow_c_stream__"):
            lacks = f"{type(table).__name__} has no __arrow_c_stream__"
            how = "call its collect() first" if hasattr(table, "collect") else TABLES
            raise InputError(f"{lacks}: {how}")
        with usable():
            made = table if isinstance(table, pa.Table) else pa.table(table)
            edges = edge_table(made, Columns(source, target, weight), typed=True)
        if n is not None and (told.relabel or edges.named):
            raise InputError("n cannot be given with relabel=True or text: the names decide it")
        edges.n = edges.n if n is None else n
        return build(edges, told)

    @staticmethod
    def from_pandas(
        frame: pd.DataFrame,
        source: str | None = None,
        target: str | None = None,
        weight: str | bool | None = True,
        *,
        n: int | None = None,
        **options: Unpack[EdgeOptions],
    ) -> Graph:
        """Return the graph of a ``pandas.DataFrame`` with a row for each edge.

        Columns are recognised by name, or given, as in :meth:`from_arrow`. Ends that are text are
        names: vertices are numbered in their order, and ``graph.names`` keeps them. Whole numbers are
        ids, unless ``relabel=True`` says that they are names, too. ``n`` and ``options`` are those
        of :meth:`Graph.from_edges`.

        >>> import pandas as pd
        >>> import tachograph as tg
        >>> frame = pd.DataFrame({"package": ["a", "b"], "depends": ["b", "c"]})
        >>> g = tg.Graph.from_pandas(frame, source="package", target="depends")
        >>> g.names.tolist()
        ['a', 'b', 'c']
        """
        import pyarrow as pa

        from .build import options_of
        from .columns import Columns
        from .graph import Graph

        options_of(options, ("source", "target", "weight", "n"))
        if isinstance(frame, type) or not hasattr(frame, "set_axis"):
            found = f"expected a pandas.DataFrame, not {type(frame).__name__}"
            raise InputError(f"{found}: from_arrow takes tables of other libraries")
        names = [str(name) for name in frame.columns]
        numbers = {name: str(name) for name in frame.columns if type(name) is int}
        source, target, weight = (
            cast(Any, numbers.get(name, name) if type(name) is int else name)
            for name in (source, target, weight)
        )
        if len(set(names)) == len(names):  # else from_arrow says which is there twice
            chosen = Columns(source, target, weight).among(names)
            frame = frame.set_axis(names, axis=1)[chosen]
            text = any(frame[name].dtype.kind not in "iuf" for name in chosen[:2])
            options.setdefault("relabel", text)
        with usable():
            table = pa.Table.from_pandas(frame, preserve_index=False)
        table = table.replace_schema_metadata(None)
        try:
            return Graph.from_arrow(
                table, source=source, target=target, weight=weight, n=n, **options
            )
        except InputError as error:
            if options.get("relabel") and "empty cell" in str(error):
                how = "if they were names such as None or NA, read them with keep_default_na=False"
                raise InputError(f"{error}; {how}") from None
            raise

    from_polars = from_arrow

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the edges as a stream of Arrow data, so that ``polars.DataFrame(graph)``,
        ``pyarrow.table(graph)`` and ``duckdb.from_arrow(graph)`` make a table of them.
        """
        stream: object = self.to_arrow().__arrow_c_stream__(requested_schema)
        return stream

    def to_pandas(self) -> pd.DataFrame:
        """Return a ``pandas.DataFrame`` with the columns source, target and, if weighted, weight.

        >>> import tachograph as tg
        >>> tg.Graph.from_edges(["a"], ["b"], [7], relabel=True).to_pandas().values.tolist()
        [['a', 'b', 7]]
        """
        return self.to_arrow().to_pandas()

    def to_arrow(self) -> pa.Table:
        """Return a ``pyarrow.Table`` with the columns source, target and, if weighted, weight."""
        import pyarrow as pa

        graph = cast("Graph", self)
        source, target, weights = graph.to_edges()
        columns = {"source": source, "target": target}
        metadata = {"directed": str(graph.directed), "vertices": str(graph.n)}
        if graph.names is not None:
            names = plain_names(graph.names)
            columns = {name: names[ids] for name, ids in columns.items()}
            metadata = {"directed": str(graph.directed), "named": "True"}
        if weights is not None:
            columns["weight"] = weights
        with unicode_only():
            made = pa.table({name: pa.array(values) for name, values in columns.items()})
        return made.replace_schema_metadata(metadata)
