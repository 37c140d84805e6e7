"""Figure 1 of the paper on hybrid Jaccard similarity: time against the host's share of the edges; and
its future work: whether two devices beat one, and how to split the edges.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..algorithms.similarity import jaccard
from ..decisions.split.train import calibrated, undirected
from ..devices.opencl import open_device
from ..graph import generate
from ..graph.graph import Graph
from ..plots import numbers as show
from ..plots.axes import Axis
from ..plots.charts import Series, xy
from ..plots.drawing import NARROW, Drawing, stacked
from ..util.cores import threads_available
from .published import published
from .reproduce import GRAPH_COLUMNS, Cell, Record, Settings, Table, measure, origin

__all__ = ["figure_1"]

SHARES = [k / 20 for k in range(21)]
ROUNDS, FULL_ROUNDS = 3, 5  # of every way, in turns, after one that warms up
LONG_SECONDS = 0.25  # a way whose first run takes longer runs once: what warms up is little of that
NOTHING_AT_STAKE = 0.02  # a smaller gain or loss is no case for or against two devices
PAPERS = "merge-or-search"  # the algorithm of the paper's kernels
HERE = (
    "Here: {device}, and the host with the threads that the table says. A device that computes on the "
    "host's own cores adds cores only where the host does not use them all."
)
OFTEN = (
    f"Medians of {ROUNDS} runs ({FULL_ROUNDS} in full) in turns; what takes longer than "
    f"{LONG_SECONDS:g} s runs once."
)
GAIN = (
    "The gain is that of the best of 21 shares over the device alone (as in the paper) and over the "
    "better of the two. A fixed share pays for the order by degree; auto may do without. The paper's "
    "kernels look at each edge alone, through masks over the list of edges."
)
WHETHER = (
    "Two devices are right if the best of 21 shares, or both from the two ends of one queue, take less "
    "time than the better one alone. Where that differs by less than "
    f"{100 * NOTHING_AT_STAKE:.0f} %, nothing is at stake, and the row counts in neither sum."
)
HOW = "Regret: the time of auto over that of the best of 21 shares, and over the better one alone."


def _graphs(full: bool) -> dict[str, Callable[[], Graph]]:
    """Return two graphs of low and two of high Gini index, as in the paper, and two small ones."""
    scale, side = (18, 1500) if full else (14, 700)
    n = side * side
    return {
        "road (low)": lambda: generate.road(side, side, rng=1),
        "uniform (low)": lambda: generate.uniform(n // 4, 8, rng=1),
        "power law (high)": lambda: generate.power_law(n // 8, exponent=2.2, least=4, rng=1),
        "kronecker (high)": lambda: generate.kronecker(scale, rng=1),
        "small road": lambda: generate.road(40, 40, rng=1),
        "small kronecker": lambda: generate.kronecker(10, rng=1),
    }


def time_shares(
    name: str, full: bool, shares: list[float], rounds: int, device: str, count: int
) -> Record:
    """Return median seconds of every share and of either device alone: a task of a campaign."""
    usual = _graphs(full)
    graph = usual[name]() if name in usual else undirected(name)
    both = ["host", open_device(device)]
    ways: dict[str, dict[str, Any]] = {str(s): {"device": both, "split": s} for s in shares}
    ways |= {f"{PAPERS} {s}": {**way, "algorithm": PAPERS} for s, way in ways.items()}
    ways |= {"device": {"device": both[1:]}, "host": {"device": "host"}}
    ways |= {"both": {"device": both}, "auto": {"device": "auto"}}
    said = ""

    def seconds(way: str) -> float:
        nonlocal said
        found = jaccard(graph, threads=count, **ways[way])
        said = str(found.run.device) if way == "auto" else said
        return float(found.seconds)

    median = _medians(list(ways), seconds, rounds)
    gini = float(graph.features.gini)
    return {"graph": name, "gini": gini, "count": count, "seconds": median, "said": said}


def _medians(ways: list[str], seconds: Callable[[str], float], rounds: int) -> dict[str, float]:
    """Return the median of every way's runs, which are made in turns; a long one runs once."""
    times: dict[str, list[float]] = {way: [seconds(way)] for way in reversed(ways)}
    short = [way for way in ways if times[way][0] <= LONG_SECONDS]
    for turn in range(rounds):
        for way in short[:: -1 if turn % 2 else 1]:
            times[way].append(seconds(way))
    return {way: statistics.median(times[way][1:] or times[way]) for way in ways}


def figure_1(settings: Settings) -> Iterator[Table]:
    """Seconds of every share, what the best of them gains, and how well auto decides."""
    rounds = FULL_ROUNDS if settings.full else ROUNDS
    device = open_device()
    every = threads_available()
    beside = device.host_threads(every)
    calibrated(device, beside)
    how = {"full": settings.full, "shares": SHARES, "rounds": rounds, "device": device.found.id}
    tasks = [
        {"name": name, **how, "count": count}
        for count in dict.fromkeys((beside, every))
        for name in settings.graphs or _graphs(settings.full)
    ]
    records = measure(settings, "jaccard:time_shares", tasks, device.key)
    notes = [published("jaccard", "figure-1").note, HERE.format(device=device.name)]
    yield _summary(records, [*notes, GAIN, OFTEN])
    curves = {
        _title(found): [found["seconds"][str(share)] for share in SHARES]
        for found in records
        if found["count"] == beside
    }
    points = [[share, *(curve[i] for curve in curves.values())] for i, share in enumerate(SHARES)]
    yield Table("Seconds by share", ["share", *curves], points)
    yield _whether(records, [WHETHER, *notes])
    yield _how(records, [HOW, *notes])
    if settings.output is not None:
        _draw(records, beside).save(settings.output / "jaccard-figure-1.svg")


def _title(found: Record) -> str:
    return str(found["graph"])


def _about(found: Record) -> list[Cell]:
    return [found["graph"], *origin(found["graph"], "split"), found["count"]]


def _best(found: Record, algorithm: str = "") -> tuple[float, float]:
    """Return the best of the fixed shares, and its seconds."""
    seconds = found["seconds"]
    ways = {share: seconds[f"{algorithm} {share}".strip()] for share in SHARES}
    best = min(ways, key=lambda share: ways[share])
    return best, ways[best]


def _one(found: Record) -> float:
    return float(min(found["seconds"]["host"], found["seconds"]["device"]))


def _summary(records: Sequence[Record], notes: list[str]) -> Table:
    columns = [*GRAPH_COLUMNS, "threads", "Gini", "device, s", "host, s", "best share", "at it, s"]
    columns += ["both, s", "auto, s", "gain over device", "gain over one"]
    columns += ["paper's kernels: best share", "paper's kernels: at it, s"]
    rows: list[list[Cell]] = []
    for found in records:
        median = found["seconds"]
        best, least = _best(found)
        gains = 1 - least / median["device"], 1 - least / _one(found)
        taken = (median["device"], median["host"], best, least, median["both"], median["auto"])
        rows.append([*_about(found), found["gini"], *taken, *gains, *_best(found, PAPERS)])
    return Table("Time against the host's share of the edges", columns, rows, notes)


def _whether(records: Sequence[Record], notes: list[str]) -> Table:
    """Return whether two devices were right, and whether auto took them; precision and recall."""
    rows: list[list[Cell]] = []
    judged: list[tuple[bool, bool]] = []
    for found in records:
        least = min(_best(found)[1], found["seconds"]["both"])
        gain, said = 1 - least / _one(found), "," in found["said"]
        at_stake = abs(gain) >= NOTHING_AT_STAKE
        if at_stake:
            judged.append((gain > 0, said))
        truth = ("both" if gain > 0 else "one") if at_stake else "no matter"
        rows.append([*_about(found), gain, truth, "both" if said else "one"])
    right = sum(true and said for true, said in judged)
    sums = []
    for measure_name, every in (
        ("precision", [said for _, said in judged]),
        ("recall", [true for true, _ in judged]),
    ):
        value = f"{100 * right / sum(every):.0f} %" if sum(every) else "no case"
        sums.append(f"{measure_name} {value} ({right} of {sum(every)})")
    negative = sum(not true for true, _ in judged)
    counted = f"{len(judged)} cases, {negative} of which are better on one; {'; '.join(sums)}."
    columns = [*GRAPH_COLUMNS, "threads", "gain of two", "right is", "auto took"]
    return Table("Whether: do two devices beat one?", columns, rows, [counted, *notes])


def _how(records: Sequence[Record], notes: list[str]) -> Table:
    """Return what auto lost against the best of the fixed shares."""
    rows: list[list[Cell]] = []
    for found in records:
        auto = found["seconds"]["auto"]
        best, least = _best(found)
        rows.append([*_about(found), best, auto / least, auto / _one(found)])
    worst = [max(float(str(row[k])) for row in rows) for k in (-2, -1)]
    said = f"At most {worst[0]:.3f} and {worst[1]:.3f}."
    columns = [*GRAPH_COLUMNS, "threads", "best share", "auto over it, time", "auto over one, time"]
    return Table("How: regret of the split", columns, rows, [said, *notes])


def _draw(records: Sequence[Record], count: int) -> Drawing:
    axes = Axis("share of the edges on the host", show.percent), Axis("time", show.seconds)
    parts = []
    for found in (r for r in records if r["count"] == count):
        seconds = found["seconds"]
        ours = [(share, seconds[str(share)]) for share in SHARES]
        theirs = [(share, seconds[f"{PAPERS} {share}"]) for share in SHARES]
        lines = [Series("ours", ours), Series("the paper's kernels", theirs)]
        parts.append(xy(_title(found), lines, axes, NARROW))
    return stacked(parts, columns=2, title="Time against the host's share of the edges")
