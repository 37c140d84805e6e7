"""Measures speedup and inaccuracy of approximate searches, into the journal; records as arrays.

Times are those of the paper: of the search alone, the mean of several runs without the shortest and the
longest. A run counts the processor time of the process divided by its workers, or its wall time if that
is less: on a quiet machine the two agree, on a busy one the first is what it would have taken. Exact
searches take turns with approximate ones, a block of them at a time: a task of the campaign. What the
journal has is not measured again.
"""

from __future__ import annotations

import csv
import math
import time
import warnings
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import chain, zip_longest
from pathlib import Path
from typing import NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ...journal import journal
from ...journal.campaign import Record, measured_code
from ...util.cores import threads_available
from ...util.errors import TachographWarning
from ..graphs import family, graph_named, hash_of, registry, weighted
from ..trainer import Measured, Run, run_named
from .rules import METHODS, Approximation, Inaccuracy, inaccuracy
from .state import ALGORITHMS, FEATURES, NO_LIMIT, Configuration, State

__all__ = ["CSV_COLUMNS", "KIND", "PLAIN", "Data", "Search", "configurations", "exact_records"]
__all__ += ["group_of"]
__all__ += ["measure", "measure_block", "parameters", "records", "signals", "tasks", "write_csv"]

KIND = "approximation-4"  # of records; a new one when what is measured changes
BLOCK_CONFIGURATIONS = 12  # that take turns with the exact searches
RUNS, FEWER_RUNS, LONG_SECONDS = 15, 6, 0.005  # searches that take longer are run less often
SEEDS = 3  # random choices that errors and times are averaged over; runs are multiples of it
STARTS = 3  # of each graph: the vertex of highest degree, as in the paper, and random ones
FRACTIONS = (0.75, 0.5, 0.25, 0.9, 0.1)
STEEP_FRACTIONS = (0.99, 0.97, 0.9, 0.75)  # on roads, what is left out is lost for all behind it
#: Configurations of each graph of a kind that the paper has, and of the others, by algorithm.
SIZES = {
    "delta-stepping": (90, 60), "bellman-ford": (240, 24), "dijkstra": (24, 0), "hybrid": (24, 0),
}  # fmt: skip
TWO_ALGORITHMS_ARCS = 1 << 20  # from which on only the two fastest algorithms are measured
LARGE_ROAD_ARCS = 1 << 19  # of a road network from which on Bellman-Ford is measured less often
PLAIN = {f"kronecker-{scale}" for scale in range(14, 19)}  # the paper's graphs, smaller
#: Section 3.3.1 of the paper, in its order; then which graph, algorithm and errors in detail.
CSV_COLUMNS = (
    "vertices", "edges", "maxEdgeDegree", "iterationNum", "minProcessEdge", "maxProcessEdge",
    "percentage", "sOriginalDistance", "sReduceExecution", "sMinEdgeToProcess", "sMaxEdgeToProcess",
    "sPartialGraphProcess", "sAtomicBlock", "inaccuracy", "time", "exactTime", "fastestExactTime",
    "speedup", "gain", "graph", "family", "algorithm", "fromHub", "wrong", "lost", "median", "p95",
    "maximum",
)  # fmt: skip


#: The features of a choice that leaves nothing out.
NOTHING_LEFT_OUT = {
    "log_iterations": math.log2(NO_LIMIT), "iterations_per_hop": 4.0, "vertices_below": 0.0,
    "arcs_below": 0.0, "vertices_above": 0.0, "arcs_above": 0.0, "arcs_left": 1.0, "reach": 1.0,
    "fraction": 1.0, "atomic": 1.0, "covered": 64.0,
}  # fmt: skip


def group_of(name: str) -> str:
    """The family that is left out together: as :func:`family`, with fewer kinds of data sets."""
    known = family(name)
    if name in registry() and registry()[name].is_data and known == "road":
        return "roads"
    return "social" if known in ("citation", "internet") else known


def in_paper(name: str) -> bool:
    """Whether the paper has such a graph."""
    return name in PLAIN or group_of(name) == "roads"


def configurations(state: State, algorithm: str, size: int, seed: int) -> list[Configuration]:
    """Methods alone with all their parameters in turns with combinations: at most ``size``."""
    least, most = state.thresholds
    roads = state.owned and state.facts["log_diameter"] > 4
    fractions = STEEP_FRACTIONS if roads else FRACTIONS
    alone = [Approximation(iterations=i) for i in state.iteration_caps]
    alone += [Approximation(min_degree=d) for d in least]
    alone += [Approximation(max_degree=d) for d in most]
    alone += [Approximation(fraction=f) for f in fractions]
    if algorithm != "delta-stepping":
        alone.append(Approximation(atomic=False))
    # the advisor chooses among searches by delta-stepping that take the whole queue
    shares = (1.0,) if algorithm == ALGORITHMS[0] else (1.0, *fractions[:3])
    combined = [
        Approximation(cap, *pair, share)
        for cap in (None, *state.iteration_caps)
        for pair in state.pairs(6)
        for share in shares
    ]
    random = np.random.default_rng(seed)
    random.shuffle(alone)
    random.shuffle(combined)
    alone = alone[: size // 2]
    several = [c for c in combined if len(c.methods) > 1][: size - len(alone)]
    turns = chain.from_iterable(zip_longest(alone, several))
    return [Configuration(algorithm, choice) for choice in turns if choice is not None]


def _start(name: str, graph: Graph, source: int) -> NDArray[np.int64]:
    """Source 0: the vertex of highest degree, as in the paper. Others: random ones that have arcs."""
    if source == 0:
        return np.array([graph.degrees.argmax()])
    some = np.flatnonzero(graph.degrees)
    return some[[zlib.crc32(f"{name} {source}".encode()) % some.size]]


class Paths(Measured, Protocol):
    """What is needed of a search's result."""

    @property
    def distances(self) -> NDArray[np.float64]: ...


class Search(NamedTuple):
    """What one search found, and took."""

    distances: NDArray[np.float64]
    seconds: float
    iterations: int


def measure(
    run: Run, graph: Graph, sources: NDArray[np.integer], configuration: Configuration
) -> Search:
    """Run one search and time it."""
    begin = time.process_time()
    found = cast(Paths, run(
        "sssp", graph, source=sources, algorithm=configuration.algorithm,
        approximation=configuration.approximation,
    ))  # fmt: skip
    rounds = len(found.trace)
    workers = int(found.trace["threads"][0]) if rounds else 1
    busy = (time.process_time() - begin) / workers
    return Search(found.distances, min(found.seconds, busy), rounds)


def trimmed(times: Sequence[float]) -> float:
    """The mean without the shortest and the longest."""
    return float(np.mean(sorted(times)[1:-1] if len(times) > 2 else times))


def _block(
    run: Run, graph: Graph, sources: NDArray[np.int64], block: Sequence[Configuration]
) -> Iterator[tuple[Configuration, Record]]:
    """Measure some configurations of one algorithm in turns with the exact searches."""
    own, fastest = Configuration(block[0].algorithm), Configuration(ALGORITHMS[0])
    exact, _, iterations = measure(run, graph, sources, own)
    first = measure(run, graph, sources, own).seconds
    times: dict[Configuration, list[float]] = {c: [] for c in (own, fastest, *block)}
    errors: dict[Configuration, list[Inaccuracy]] = {c: [] for c in block}
    rounds: dict[Configuration, int] = {}
    for number in range(RUNS if first < LONG_SECONDS else FEWER_RUNS):
        for place, configuration in enumerate(block):
            if place % (BLOCK_CONFIGURATIONS // 3) == 0:
                for reference in {own, fastest}:
                    times[reference].append(measure(run, graph, sources, reference).seconds)
            seeded = replace(configuration.approximation, seed=number % SEEDS)
            found = measure(run, graph, sources, Configuration(own.algorithm, seeded))
            rounds[configuration] = found.iterations
            times[configuration].append(found.seconds)
            if number < SEEDS:
                errors[configuration].append(inaccuracy(exact, found.distances, sources))
    exactly = {"exact_times": times[own], "fastest_times": times[fastest]}
    for configuration in block:
        columns = [asdict(found) for found in errors[configuration]]
        mean = {name: float(np.mean([c[name] for c in columns])) for name in columns[0]}
        yield configuration, {
            "inaccuracy": mean, "times": times[configuration], **exactly,
            "iterations": rounds[configuration], "exact_iterations": iterations,
        }  # fmt: skip


@lru_cache(1)
def _loaded(name: str, source: int, threads: int) -> tuple[str, State]:
    """A graph's hash and its state: tasks of one graph come after each other, so one is kept."""
    graph = weighted(graph_named(name))
    return hash_of(graph), State(graph, _start(name, graph, source), threads)


def _count(name: str, source: int, algorithm: str) -> int:
    """How many configurations are measured, if the graph is not too large."""
    count = SIZES[algorithm][not in_paper(name)]
    return count if source == 0 else 2 * count // 5


def measure_block(graph: str, source: int, algorithm: str, block: int, run: str) -> Record:
    """The records of so many configurations: a task of the campaign."""
    mark, state = _loaded(graph, source, threads_available())
    made = state.graph
    count = _count(graph, source, algorithm)
    if algorithm in ALGORITHMS[2:] and made.arcs >= TWO_ALGORITHMS_ARCS:
        count = 0
    roads = group_of(graph) == "roads"
    if algorithm == "bellman-ford" and roads and made.arcs >= LARGE_ROAD_ARCS:
        count //= 6
    seed = zlib.crc32(f"{graph} {algorithm} {source}".encode())
    begin = block * BLOCK_CONFIGURATIONS
    chosen = configurations(state, algorithm, count, seed)[begin : begin + BLOCK_CONFIGURATIONS]
    if not chosen:
        return {"records": []}
    row = registry().get(graph)
    about = {
        "graph": graph, "hash": mark, "family": group_of(graph),
        "real": row is not None and row.is_data,
        "held_out": row is not None and row.parts.get("approximation") in ("tune", "test"),
        "hub": source == 0, "source": source, "n": made.n, "m": made.m,
        "largest_degree": made.features.max_degree, "algorithm": algorithm,
    }  # fmt: skip
    found = []
    measured = _block(run_named(run), made, state.sources, chosen)
    for numbers, (configuration, times) in zip(state.rows(chosen), measured, strict=True):
        features = dict(zip(FEATURES, numbers.tolist(), strict=True))
        choice = configuration.approximation.to_dict()
        found.append({**about, "approximation": choice, "features": features, **times})
    return {"records": found}


def tasks(names: Sequence[str], size: float, run: str) -> Iterator[Record]:
    """What is most useful first: delta-stepping on all graphs, then the other algorithms."""
    jobs = [(name, source, ALGORITHMS[0]) for name in names for source in range(STARTS)]
    jobs += [(name, 0, other) for other in ALGORITHMS[1:] for name in names]
    for name, source, algorithm in jobs:
        blocks = math.ceil(_count(name, source, algorithm) * size / BLOCK_CONFIGURATIONS)
        about = {"graph": name, "source": source, "algorithm": algorithm, "run": run}
        yield from ({**about, "block": block} for block in range(blocks))


def times_as_long(reference: Sequence[float], times: Sequence[float]) -> float:
    """How many times as long the reference takes as a search: the median over the runs of both.

    It is timed several times in each run, of which the median counts. A machine changes its speed by
    more than many a speedup, so only times that were taken one after the other are compared.
    """
    beside = np.median(np.reshape(reference, (len(times), -1)), axis=1)
    return float(np.median(beside / np.asarray(times)))


def records() -> list[Record]:
    """All that this code has measured and the journal has: a record for each configuration.

    What other code has measured is left out, with a warning.

    ``seconds`` and the like are the paper's times. ``speedup`` is against the same algorithm, exact,
    and ``gain`` against the fastest exact one.
    """
    found, code = [], measured_code()
    every = list(journal().records(KIND).values())
    blocks = [block for block in every if block.get("code") == code]
    if len(blocks) < len(every):
        warnings.warn(
            f"{len(every) - len(blocks)} of {len(every)} blocks of measurements were made by other "
            "code than this and are left out: tacho train approximation measures them again",
            TachographWarning,
            stacklevel=2,
        )
    for record in chain.from_iterable(block["records"] for block in blocks):
        record["code"] = code
        for name in ("", "exact_", "fastest_"):
            record[f"{name}seconds"] = trimmed(record[f"{name}times"])
        record["speedup"] = times_as_long(record["exact_times"], record["times"])
        record["gain"] = times_as_long(record["fastest_times"], record["times"])
        record["error"] = record["inaccuracy"]["mean"]
        found.append(record)
    return found


@dataclass(frozen=True)
class Data:
    """Records, and their columns as arrays."""

    records: list[Record]

    def only(self, **conditions: object) -> Data:
        """The records whose fields have these values, or one of a set of values."""

        def fits(r: Record) -> bool:
            return all(
                r[k] in v if isinstance(v, set) else r[k] == v for k, v in conditions.items()
            )

        return Data([r for r in self.records if fits(r)])

    def __len__(self) -> int:
        return len(self.records)

    def column(self, name: str) -> np.ndarray:
        """One field of all records."""
        return np.array([r[name] for r in self.records])

    @property
    def ours(self) -> NDArray[np.float64]:
        """Rows of ``FEATURES``."""
        return np.array([[r["features"][f] for f in FEATURES] for r in self.records])


def signals(record: Record) -> dict[str, int]:
    """Which methods a record uses, by the names of ``METHODS``."""
    used = Approximation(**record["approximation"]).methods
    return {name: int(name in used) for name in METHODS}


def parameters(record: Record) -> tuple[float, ...]:
    """Iterations, least and greatest degree, percentage; as they are if nothing is left out."""
    a = record["approximation"]
    return (
        a["iterations"] or record["exact_iterations"],
        a["min_degree"],
        a["max_degree"] or record["largest_degree"],
        100 * a["fraction"],
    )


def exact_records(found: Sequence[Record]) -> list[Record]:
    """Return a record for the exact searches that others were compared with, one for each kind.

    The paper's data have such rows, too (``sOriginalDistance``).
    """
    made: dict[tuple[object, ...], Record] = {}
    for r in found:
        kind = (r["graph"], r["source"], r["algorithm"])
        if kind not in made:
            nothing = dict.fromkeys(r["inaccuracy"], 0.0)
            as_it_is = {"approximation": Approximation().to_dict(), "inaccuracy": nothing}
            times = {"times": r.get("exact_times"), "seconds": r["exact_seconds"], "speedup": 1.0}
            gain = r["gain"] / r["speedup"]
            whole = {**r["features"], **NOTHING_LEFT_OUT}
            others = {"error": 0.0, "gain": gain, "iterations": r["exact_iterations"]}
            made[kind] = {**r, **as_it_is, **times, **others, "features": whole}
    return list(made.values())


def write_csv(found: Sequence[Record], path: Path) -> None:
    """Write all records with the paper's columns."""
    from ...util.files import aside

    with aside(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as out:
        table = csv.writer(out)
        table.writerow(CSV_COLUMNS)
        for r in (*found, *exact_records(found)):
            errors, used = r["inaccuracy"], signals(r)
            original = int(not any(used.values()))
            table.writerow([
                r["n"], r["m"], r["largest_degree"], *parameters(r), original, *used.values(),
                errors["mean"], r["seconds"], r["exact_seconds"], r["fastest_seconds"],
                r["speedup"], r["gain"], r["graph"], r["family"], r["algorithm"], int(r["hub"]),
                *(errors[k] for k in ("wrong", "lost", "median", "p95", "maximum")),
            ])  # fmt: skip
