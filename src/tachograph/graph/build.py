"""Edges to rows: what the constructors of Graph do, and what they refuse."""

from __future__ import annotations

import operator
from collections.abc import Collection
from dataclasses import dataclass, field, fields, replace
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from ..util import memory
from ..util.arguments import single
from ..util.arrays import native
from ..util.errors import InputError
from ..util.memory import enough
from ..util.progress import bar
from ..util.text import did_you_mean
from .foreign import as_ids, as_weights, owned, seal
from .graph import Graph
from .names import meta_of, relabelled

DEDUPE = ("keep", "first", "min", "sum")


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
    meta: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Options:
    """What to make of the edges; see :func:`tachograph.read`. The default keeps them as listed."""

    directed: bool | None = None
    symmetrize: bool | None = None
    dedupe: str = "keep"
    drop_self_loops: bool = False
    relabel: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.dedupe, str) or self.dedupe not in DEDUPE:
            raise InputError(f"dedupe={self.dedupe!r:.200} is not one of {', '.join(DEDUPE)}")
        for each in fields(self):
            value = single(each.name, getattr(self, each.name), str(each.type))
            object.__setattr__(self, each.name, value)


def options_of(given: EdgeOptions, others: Collection[str] = ()) -> Options:
    """Return options that were given by keyword; an unknown one is refused, with a similar one."""
    known = [field.name for field in fields(Options)]
    if unknown := [name for name in given if name not in known]:
        near = did_you_mean(unknown[0], (*known, *others))
        raise TypeError(f"there is no argument {unknown[0]!r}{near}")
    return Options(**given)


class EdgeOptions(TypedDict, total=False):
    """The fields of :class:`Options` as keyword arguments."""

    directed: bool | None
    symmetrize: bool | None
    dedupe: str
    drop_self_loops: bool
    relabel: bool


def index_type(n: int) -> type[np.int32] | type[np.int64]:
    """Return int32 if ``n`` ids fit in it, else int64."""
    return np.int32 if n <= np.iinfo(np.int32).max else np.int64


@enough("building a graph")
def build(table: EdgeTable, options: Options) -> Graph:
    """Return the graph of the edges in ``table``.

    A directed graph of edges that are listed as undirected has both arcs of each.
    """
    source, target, n, names, meta = table.source, table.target, table.n, table.names, table.meta
    if options.relabel or table.named:
        source, target, found = relabelled(source, target)
        meta = meta_of(meta, found, n)
        names = found if names is None else names[found]
        n = found.size
    source, target = as_ids(source, "source"), as_ids(target, "target")
    if source.size != target.size:
        raise InputError(
            f"the lengths of source ({source.size:,}) and target ({target.size:,}) must agree"
        )
    weights = as_weights(table.weight, source.size)
    n = _vertices(source, target, n)
    listed_directed = single("directed", table.directed, "bool | None") is not False
    directed = listed_directed if options.directed is None else options.directed
    symmetrize, undirected = bool(options.symmetrize), not directed
    if options.symmetrize is None and not (listed_directed and directed):
        undirected = True
        symmetrize = table.both is False or not lists_both_directions(source, target, weights)
        if symmetrize and table.both:
            raise InputError("an edge is listed in one direction only, or with two weights")
    elif undirected and not symmetrize and not lists_both_directions(source, target, weights):
        raise InputError(
            "directed=False and symmetrize=False, but some edges lack their reverse with the "
            "same weight: pass symmetrize=True to add reverses, or directed=True"
        )
    combine = options.dedupe != "keep"
    if undirected and not symmetrize and combine:
        once = source <= target  # combine each edge once, so that both arcs get the same weight
        source, target = source[once], target[once]
        weights = None if weights is None else weights[once]
        symmetrize = True
    _require(n, source.size * (2 if symmetrize else 1), weights)

    from ..kernels.rows import build as csr

    loops = options.drop_self_loops
    with bar("building the graph"):
        edges = _plain(source), _plain(target), weights, n, index_type(n)
        rows = csr.build(*edges, symmetrize=symmetrize, drop_loops=loops, sort=combine)
        if combine:
            rows = _combine(*rows, options.dedupe)
    seal(*rows)
    return Graph(*rows, directed=directed, names=names, meta=meta, is_sorted=combine or None)


def rebuilt(graph: Graph, options: Options) -> Graph:
    """Return a graph of the same edges with other options, or the graph itself if none differ."""
    if options.directed == graph.directed:
        options = replace(options, directed=None)
    if options == Options():
        return graph
    table = EdgeTable(*graph.to_edges(), n=graph.n, directed=graph.directed, names=graph.names)
    table.both, table.meta = None if graph.directed else False, dict(graph.meta)
    return build(table, options)


def _plain(ids: np.ndarray) -> np.ndarray:
    """Contiguous int32 or int64, the types the build is compiled for."""
    return np.ascontiguousarray(ids, ids.dtype if ids.dtype in (np.int32, np.int64) else np.int64)


def _vertices(source: np.ndarray, target: np.ndarray, n: int | None) -> int:
    """The number of vertices; checks that all ids lie in 0..n-1."""
    if n is not None and not isinstance(n, int | np.integer):
        raise InputError(f"n = {n!r} is not a whole number")
    highest = -1
    for what, ids in (("source", source), ("target", target)):
        if ids.size:
            low, high = int(ids.min()), int(ids.max())
            if low < 0:
                raise InputError(f"{what}[{int(ids.argmin())}] is {low}: ids cannot be negative")
            if high >= np.iinfo(np.int64).max:
                raise InputError(f"{what}[{int(ids.argmax())}] is {high}: too large for an id")
            if n is not None and high >= n:
                raise InputError(f"{what}[{int(ids.argmax())}] is {high}, not below n = {n}")
            highest = max(highest, high)
    if n is None:
        return highest + 1
    if n < 0:
        raise InputError(f"n = {n}: the number of vertices cannot be negative")
    return operator.index(n)


def _require(n: int, arcs: int, weights: np.ndarray | None) -> None:
    """Refuse what cannot fit: the rows, and the buckets they are sorted in."""
    width = np.dtype(index_type(n)).itemsize + (0 if weights is None else weights.itemsize)
    what = f"a graph of {n:,} vertices and {arcs:,} arcs"
    advice = "use relabel=True if most ids are unused, or a machine with more memory"
    memory.require(n * 8 + arcs * (2 * width + 2), what, advice)


def _combine(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray | None, how: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Make one of parallel arcs, in rows that are sorted."""
    from ..kernels.rows import passes as rows

    lengths = np.empty(indptr.size - 1, np.int64)
    values = np.empty(0, np.int32) if weights is None else weights
    call = (indptr, indices, values, weights is not None, rows.COMBINE[how], lengths)
    over = max(rows.over_rows(rows.combine, *call))
    if over >= 0:
        raise InputError(
            f"the sum of parallel weights at vertex {over} leaves the range of {values.dtype}: "
            "pass the weights as float64"
        )
    shorter = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    if shorter[-1] == indices.size:
        return indptr, indices, weights

    def squeezed(array: np.ndarray) -> np.ndarray:
        out = np.empty(shorter[-1], array.dtype)
        rows.over_rows(rows.squeeze, indptr, array, shorter, out)
        return out

    return shorter, squeezed(indices), None if weights is None else squeezed(weights)


def lists_both_directions(
    source: np.ndarray, target: np.ndarray, weights: np.ndarray | None
) -> bool:
    """Whether the reverse of every edge is listed, too, as often and with the same weight.

    Sums of random numbers tell, which are wrong with a chance of 2**-64.
    """
    from ..kernels.rows import build as csr
    from ..kernels.rows import passes as rows
    from ..kernels.runtime.launch import over_parts, read_only

    ends = read_only(source), read_only(target)
    parts = over_parts(rows.asymmetry_of_edges, source.size, *ends, *csr.as_bits(weights))
    return sum(int(p) for p in parts) % 2**64 == 0


@enough("a graph of rows")
def from_csr(
    indptr: npt.ArrayLike,
    indices: npt.ArrayLike,
    weights: npt.ArrayLike | None,
    *,
    directed: bool,
    copy: bool = True,
) -> Graph:
    """See :meth:`Graph.from_csr`."""
    directed, copy = single("directed", directed, "bool"), single("copy", copy, "bool")
    given = native(indptr, "indptr"), native(indices, "indices")
    offsets = np.ascontiguousarray(as_ids(given[0], "indptr"), np.int64)
    if offsets.size == 0:
        raise InputError("indptr is empty: it has one entry more than there are vertices")
    n = offsets.size - 1
    wide = as_ids(given[1], "indices")
    if wide.size and wide.dtype != index_type(n):  # before it is narrowed
        for found in (int(wide.min()), int(wide.max())):
            if not 0 <= found < n:
                raise InputError(f"indices has {found}, a neighbour outside 0..{n - 1}")
    targets = np.ascontiguousarray(wide, index_type(n))
    foreign = None if weights is None else native(weights, "weight")
    values = as_weights(foreign, targets.size)
    if copy:
        offsets, targets = owned(offsets, given[0]), owned(targets, given[1])
        values = values if values is None or foreign is None else owned(values, foreign)
    check_rows(offsets, targets)
    if not directed:
        check_symmetry(offsets, targets, values)
    return Graph(offsets, targets, values, directed=directed)


def check_rows(indptr: np.ndarray, indices: np.ndarray) -> None:
    """Raise :class:`InputError` unless offsets ascend from 0 to the end and all ids exist."""
    from ..kernels.rows import passes as rows
    from ..kernels.runtime.launch import read_only

    if indptr[0] != 0 or indptr[-1] != indices.size:
        found = f"indptr goes from {indptr[0]} to {indptr[-1]}"
        raise InputError(f"{found}, but must go from 0 to {indices.size}, the number of indices")
    falls = np.flatnonzero(indptr[1:] < indptr[:-1])  # not np.diff, which can overflow
    if falls.size:
        v = int(falls[0])
        raise InputError(f"indptr must not decrease, but indptr[{v + 1}] < indptr[{v}]")
    bad = [v for v in rows.over_rows(rows.bad_row, read_only(indptr), read_only(indices)) if v >= 0]
    if bad:
        raise InputError(f"vertex {bad[0]} has a neighbour outside 0..{indptr.size - 2}")


def check_symmetry(indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray | None) -> None:
    """Raise :class:`InputError` unless every arc has its reverse; see lists_both_directions."""
    from ..kernels.rows import build as csr
    from ..kernels.rows import passes as rows
    from ..kernels.runtime.launch import read_only

    arcs = read_only(indptr), read_only(indices)
    parts = rows.over_rows(rows.asymmetry, *arcs, *csr.as_bits(weights))
    if sum(int(p) for p in parts) % 2**64 != 0:
        raise InputError(
            "directed=False, but some arcs lack their reverse with the same weight: say "
            "directed=True, or add the reverses with from_edges"
        )


def transpose(graph: Graph) -> Graph:
    """Every arc turned round; rows come out sorted because arcs are visited in order of source."""
    rows = _rows(graph, graph.indices, graph.arc_sources())
    return Graph(*rows, directed=True, names=graph.names, is_sorted=True, m=graph.m)


def sort_rows(graph: Graph) -> Graph:
    """Neighbours of each vertex in ascending order, parallel arcs in the order they had."""
    indptr, indices, weights = _rows(graph, graph.arc_sources(), graph.indices, sort=True)
    return graph._replace(indptr=indptr, indices=indices, weights=weights, is_sorted=True)


@enough("sorting the arcs of a graph")
def _rows(
    graph: Graph, source: np.ndarray, target: np.ndarray, sort: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return sealed rows of a graph's arcs from ``source`` to ``target``."""
    from ..kernels.rows import build as csr

    _require(graph.n, graph.arcs, graph.weights)
    rows = csr.build(source, target, graph.weights, graph.n, graph.indices.dtype, sort=sort)
    seal(*rows)
    return rows
