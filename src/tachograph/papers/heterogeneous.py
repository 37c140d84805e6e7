"""Overlapping kernels on host and device: C. Eryilmaz, "Fine-Grain Acceleration of Graph Algorithms
on a Heterogeneous Chip" (2017), figures 12 to 14. ``switching.py`` has the others.

The nine graphs are the paper's where they are on this machine (DIMACS-10 names). Otherwise they are
generated in the style of its Table 1: meshes, circuits, a power-law graph; ecology1 is a grid of 1000
times 1000 points and is the same graph.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..algorithms.independent_set import maximal_independent_set
from ..decisions.graphs import exists, graph_named
from ..decisions.placement.state import Call
from ..devices.host import Host, Meter
from ..devices.opencl import OpenCL, open_device
from ..graph import generate
from ..graph.graph import Graph
from ..kernels.runtime.launch import threads
from ..plots.axes import Axis
from ..plots.charts import Series, bars, xy
from ..plots.drawing import NARROW, Drawing, stacked
from ..util.cores import threads_available
from .published import published
from .reproduce import GRAPH_COLUMNS, Cell, Record, Settings, Table, measure, origin

__all__ = ["about", "both", "graph_of", "graphs", "mis_hot", "mis_overlap", "mis_power", "notes"]
__all__ += ["stencil"]

TURNS = 12  # runs of each variant; each comes at every place in turn
REPEAT_SECONDS, MOST_TURNS = 0.25, 100  # short runs are repeated until either is reached
PLACES = {"randomize": "host", "select": "device", "deactivate": "device"}  # as in the paper
OVERLAPS = (20, 30, 40, 50, 60, 70, 80, 95, 99)  # percent, as in the paper
HOT = (0, 2, 10, 20)  # percent of the vertices
AS_GOOD = 1.02  # a sweet spot is the least overlap that takes so many times the shortest time
MACHINE = "the paper's chip has 4 CPU cores and an integrated GPU of 512 threads (AMD A10-7850K)"
DIMACS = {"audikw_1": "audikw1", "g3_circuit": "G3_circuit"}  # names that differ from the paper's
ECOLOGY_SIDE = 1000
# Of the model of power: watts of a package that rests, and of a core that works or polls. Inferred from
# the 95 W and the four cores of the paper's chip; only differences between variants say something.
REST_WATTS, CORE_WATTS = 30.0, 16.0
NEAR = f"{100 * (AS_GOOD - 1):.0f} %"
SWEET = (
    f"The sweet spot is the least overlap within {NEAR} of the best. In the paper it is 80 %, because "
    "a consumer that begins earlier only polls. It depends on how long the producer takes beside the "
    "consumer: here Randomize is a small part of a round, so that little can be hidden."
)
POLLED = "polls: how often a consumer found a word empty, in one run"
BITS = (
    "unlike in the paper, a value carries its round instead of a full/empty bit, and a consumer that "
    "has looked in vain for long leaves its vertex for later"
)
_PAPERS = published("heterogeneous", "table-1")
Variants = dict[str, dict[str, Any]]  #: options of the algorithm, by the name of the variant


def stencil(shape: tuple[int, ...], reach: int = 1, corners: bool = False, links: int = 0) -> Graph:
    """Return a grid: vertices up to ``reach`` steps apart are joined, and ``links`` random pairs."""
    ids = np.arange(int(np.prod(shape))).reshape(shape)
    offsets = [
        o
        for o in itertools.product(range(-reach, reach + 1), repeat=len(shape))
        if o > (0,) * len(shape) and (corners or sum(x != 0 for x in o) == 1)
    ]
    source, target = [], []
    for offset in offsets:
        here = tuple(slice(max(0, -o), s - max(0, o)) for o, s in zip(offset, shape, strict=True))
        there = tuple(slice(max(0, o), s - max(0, -o)) for o, s in zip(offset, shape, strict=True))
        source.append(ids[here].ravel())
        target.append(ids[there].ravel())
    far = np.random.default_rng(1).integers(0, ids.size, (2, links))
    ends = np.concatenate([*source, far[0]]), np.concatenate([*target, far[1]])
    return Graph.from_edges(*ends, n=ids.size, directed=False, dedupe="first", drop_self_loops=True)


def graphs(full: bool) -> dict[str, Callable[[], Graph]]:
    """Return nine graphs, each by the name of the graph in the paper that it is, or resembles."""
    side, edge = (1000, 80) if full else (250, 32)
    n = side * side
    return {
        "af_shell9": lambda: stencil((side // 2, side // 2), 2, corners=True),
        "audikw_1": lambda: stencil((edge,) * 3, 1, corners=True, links=n // 10),
        "cage15": lambda: generate.uniform(n // 2, 18, rng=1),
        "ecology1": lambda: stencil((ECOLOGY_SIDE, ECOLOGY_SIDE)),
        "g3_circuit": lambda: stencil((side, side), links=n // 10),
        "kkt_power": lambda: generate.preferential_attachment(n, 3, rng=1),
        "ldoor": lambda: stencil((edge, edge, edge // 2), 1, corners=True),
        "nlpkkt120": lambda: stencil((edge,) * 3, 2),
        "thermal2": lambda: stencil((side, side), 1, corners=True),
    }


def _is_here(name: str) -> bool:
    """Return whether a graph of the paper is on this machine."""
    return bool(_PAPERS.row(name)) and exists(DIMACS.get(name, name))


def graph_of(name: str, usual: dict[str, Callable[[], Graph]]) -> Graph:
    """Return a graph that was asked for; flows without ends go between vertices of high degree."""
    if name in usual and not _is_here(name):
        return usual[name]()
    made = graph_named(DIMACS.get(name, name))
    first, *_, last = np.argsort(-made.degrees, kind="stable")[:10].tolist()
    return made.with_meta(**{"source": first, "sink": last, **made.meta})


def about(name: str) -> list[Cell]:
    """Return a graph's name, whether it is one of the paper's, and what was chosen on it."""
    kind, seen = origin(name, "placement")
    if _PAPERS.row(name):
        kind = "same" if name == "ecology1" or _is_here(name) else "generated alike"
    return [name, kind, seen]


def both() -> tuple[OpenCL, Host]:
    """Open the device; the host has all its threads, or those that a device on its cores leaves it."""
    device = open_device("opencl")
    return device, Host(device.host_threads(threads_available()))


def notes(table: str, device: OpenCL, host: Host) -> list[str]:
    """Return what was published, and on what, and what is here."""
    cores = device.threads or "its own"
    here = f"here: {host} beside {device.name} with {cores} cores; times relative"
    return [published("heterogeneous", table).note, MACHINE, here]


def _placed(call: Call) -> str:
    return PLACES[call.kernel]


def time_variants(name: str, full: bool, variants: Variants, rounds: int, count: int) -> Record:
    """Return medians of each variant on a graph, in turns: a task of a campaign.

    Seconds, seconds of all cores together, joules if a meter counts them, and polls.
    """
    device, _ = both()
    graph = graph_of(name, graphs(full))
    taken: dict[str, list[list[float]]] = {v: [] for v in variants}
    order, meter = list(variants), Meter()
    with threads(count):
        turn = 0
        while turn <= rounds or (
            sum(row[0] for row in taken[order[0]]) < REPEAT_SECONDS and turn <= MOST_TURNS
        ):
            at = turn % len(order)  # no variant always comes after the same one
            for v in order[at:] + order[:at]:
                meter.joules()
                begin, busy = time.perf_counter(), time.process_time()
                r = maximal_independent_set(graph, device=device, placement=_placed, **variants[v])
                passed, busy = time.perf_counter() - begin, time.process_time() - busy
                polls = float(r.trace["polls"].sum())
                if turn:  # the first round warms up
                    taken[v].append([r.seconds, busy / passed, meter.joules() / passed, polls])
            turn += 1
    names = ("seconds", "cores", "watts", "polls")
    middle = {v: [statistics.median(column) for column in zip(*rows, strict=True)]
              for v, rows in taken.items()}  # fmt: skip
    medians = {key: {v: middle[v][k] for v in variants} for k, key in enumerate(names)}
    return {"name": name, "n": graph.n, "m": graph.m, **medians}


def _measured(settings: Settings, variants: Variants) -> tuple[list[Record], OpenCL, Host]:
    device, host = both()
    how = {"full": settings.full, "variants": variants, "rounds": TURNS, "count": host.threads}
    tasks = [{"name": name, **how} for name in settings.graphs or graphs(settings.full)]
    return measure(settings, "heterogeneous:time_variants", tasks, device.key), device, host


def _relative(found: Record, variants: Variants) -> list[float]:
    """Return the seconds of all variants but the first relative to it."""
    first, *others = variants
    return [found["seconds"][other] / found["seconds"][first] for other in others]


def _start(found: Record, first: str) -> list[Cell]:
    return [*about(found["name"]), found["n"], found["m"], round(found["seconds"][first] * 1e3, 2)]


def mis_overlap(settings: Settings) -> Iterator[Table]:
    """Figure 12: Randomize on the host overlaps Select on the device, without and with help."""
    rows: dict[str, list[list[Cell]]] = {}
    curves: dict[str, list[Series]] = {}
    for helping, how in ((False, "no help, as in the paper"), (True, "the producer helps")):
        variants: Variants = {"no overlap": {"overlap": 0}}
        variants |= {f"{o} %": {"overlap": o, "helping": helping} for o in OVERLAPS}
        records, device, host = _measured(settings, variants)
        rows[how] = []
        for found in records:
            ratios = _relative(found, variants)
            least = min(1.0, *ratios)
            sweet = next(o for o, r in zip((0, *OVERLAPS), (1.0, *ratios), strict=True)
                         if r <= AS_GOOD * least)  # fmt: skip
            row = [*_start(found, "no overlap"), *(round(r, 3) for r in ratios)]
            polls = [int(found["polls"][v]) for v in ("80 %", "99 %")]
            rows[how].append([*row, round(1 / min(ratios), 2), sweet, *polls])
            points = list(zip((0, *OVERLAPS), (1.0, *ratios), strict=True))
            curves.setdefault(found["name"], []).append(Series(how, points))
    columns = [*GRAPH_COLUMNS, "vertices", "edges", "no overlap, ms", *(f"{o} %" for o in OVERLAPS)]
    columns += ["best speedup", "sweet spot, %", "polls, 80 %", "polls, 99 %"]
    said = [SWEET, POLLED, BITS, *notes("figure-12", device, host)]
    for how, found_rows in rows.items():
        title = f"Overlapping threads, {how}: time relative to no overlap (figure 12)"
        yield Table(title, columns, found_rows, said)
    axes = Axis("overlap, %"), Axis("time, relative")
    _save(settings, "figure-12", [xy(n, own, axes, NARROW) for n, own in curves.items()])


def mis_power(settings: Settings) -> Iterator[Table]:
    """Figure 13: the power that 99 and 80 % of overlap take."""
    variants: Variants = {f"{o} %": {"overlap": o, "helping": False} for o in (99, 80)}
    records, device, host = _measured(settings, variants)
    metered = all(w == w for found in records for w in found["watts"].values())
    rows, drawn = [], []
    for found in records:
        watts = [
            found["watts"][v] if metered else REST_WATTS + CORE_WATTS * found["cores"][v]
            for v in variants
        ]
        energy = [w * found["seconds"][v] * 1e3 for w, v in zip(watts, variants, strict=True)]
        polls = [int(found["polls"][v]) for v in variants]
        rows.append([*about(found["name"]), *(round(w, 1) for w in watts),
                     *(round(e, 2) for e in energy), *polls])  # fmt: skip
        drawn += [(f"{found['name']}, {v}", w, v) for v, w in zip(variants, watts, strict=True)]
    columns = [*GRAPH_COLUMNS, *(f"{v}, {u}" for u in ("W", "mJ", "polls") for v in variants)]
    kind = (
        "measured by the package's counters"
        if metered
        else (
            f"modelled, since no counters can be read: {REST_WATTS:g} W and {CORE_WATTS:g} W for "
            "each core that works or polls, from the processor time that was used"
        )
    )
    less = sum(row[4] < row[3] for row in rows)
    here = f"Less with 80 % than with 99 % in {less} of {len(rows)}. Power is {kind}."
    title = "Overlapping threads: average power (figure 13)"
    provenance = "measured" if metered else "modelled"
    yield Table(title, columns, rows, [here, *notes("figure-13", device, host)], provenance)
    _save(settings, "figure-13", [bars(drawn, "Average power", shown=lambda w: f"{w:.0f} W")])


def mis_hot(settings: Settings) -> Iterator[Table]:
    """Figure 14: vertices of high degree first, which the device finds; that is counted."""
    variants: Variants = {"no overlap": {"overlap": 0}}
    for h in HOT:
        variants[f"{h} % hot"] = {"overlap": 99, "hot": h, "helping": False}
    records, device, host = _measured(settings, variants)
    rows, drawn = [], []
    for found in records:
        ratios = _relative(found, variants)
        polls = [int(found["polls"][v]) for v in list(variants)[1:]]
        row = [*_start(found, "no overlap"), *(round(r, 3) for r in ratios)]
        rows.append([*row, round(1 / min(ratios), 2), *polls])
        points = list(zip(HOT, ratios, strict=True))
        axes = Axis("hot vertices, %"), Axis("time, relative")
        drawn.append(xy(found["name"], [Series("99 % overlap", points)], axes, NARROW))
    columns = [*GRAPH_COLUMNS, "vertices", "edges", "no overlap, ms", *list(variants)[1:]]
    columns += ["best speedup", *(f"polls, {h} %" for h in HOT)]
    title = "Hot vertices with 99 % overlap: time relative to no overlap (figure 14)"
    yield Table(title, columns, rows, [POLLED, *notes("figure-14", device, host)])
    _save(settings, "figure-14", drawn)


def _save(settings: Settings, figure: str, parts: list[Drawing]) -> None:
    """Write the charts of a figure into the directory that was asked for, if one was."""
    if settings.output is not None:
        title = f"{published('heterogeneous', figure).where}, here"
        drawing = stacked(parts, columns=1 if len(parts) == 1 else 2, title=title)
        drawing.save(settings.output / f"fine-grain-{figure}.svg")
