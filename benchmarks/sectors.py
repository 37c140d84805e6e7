"""What a multiprocessor of a GPU would see of the kernels on devices, counted while they run.

    python benchmarks/sectors.py

The real kernels are built with every access to an array in global memory noted (which work-item, which
place), and run in the shape that a GPU gets, whatever the device is. Accesses of the 32 work-items of a
warp that belong together are one access of the warp: the same place in the program, the same step of a
loop since the last barrier. Counted are the sectors of 32 bytes that it touches, the work-items that
take part, and atomic operations on global memory. Arcs are reads of targets. A row that begins inside
a sector cannot be read in fewer sectors than it touches, so the fewest are the sectors of the arcs
that are read of each row, each as often as they are read. If all rows of a launch were read in the
order of memory, neighbours could share sectors: the fewest of a launch are the sectors of all arcs that
it reads. Work-items run one after the other here, so what groups append to a queue is in another order
than on a GPU. Nothing is timed, so the numbers hardly depend on the machine.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from harness import Table, main, rounded

import tachograph as tg
from tachograph.algorithms.on_device import kernels_of
from tachograph.devices import opencl
from tachograph.devices.opencl import OpenCL, open_device

WARP, WORDS_OF_SECTOR, GROUP = 32, 8, 256  # a word has four bytes
MOST_NOTES = 1 << 24
MOST_ITEMS = 1 << 20
MOST_SITES = 1 << 10
HEAD = (
    2 + MOST_SITES + MOST_ITEMS
)  # how many notes; where the array of each site begins; notes of items
#: Arrays with a place for each arc, or each vertex, in any of the programs.
ARCS = ("indices", "target")
ARRAYS = (
    *ARCS, "weights", "room", "back", "sent", "ptr", "indptr", "begins", "tree", "parent", "front",
    "after", "queue", "distance", "stamp", "waiting", "label", "share", "scores", "fresh", "word",
    "chosen", "work", "kept", "degree", "height", "next_height", "excess", "mark", "out", "counts",
    "far", "later", "starts", "owners", "level", "at", "near_queue",
)  # fmt: skip
COUNTERS = ("state", "tally", "book", "sum", "sums", "bounds")  # that are changed by atomics
POINTERS = ("tail", "counter", "count", "place")  # to counters
NOTES = """
long noted_(__global uint *seen_, uint site, ulong base, size_t bytes, long index)
{
    uint local_ = get_local_id(0) + get_local_id(1) * get_local_size(0);
    uint group_ = get_group_id(0) + get_group_id(1) * get_num_groups(0);
    uint item = group_ * (get_local_size(0) * get_local_size(1)) + local_;
    uint order = seen_[2 + MOST_SITES + item]++, at = atomic_inc(&seen_[0]);
    seen_[2 + site] = (uint)(base >> 2);
    if (at < MOST_NOTES && item < MOST_ITEMS) {
        __global uint *note = seen_ + HEAD + 4 * (size_t)at;
        note[0] = item; note[1] = order; note[2] = site; note[3] = (uint)((base + bytes * index) >> 2);
    }
    return index;
}
"""
for _name in ("MOST_NOTES", "MOST_ITEMS", "MOST_SITES", "HEAD"):
    NOTES = NOTES.replace(_name, str(globals()[_name]))
BARRIER = 0  # its site


class Site(NamedTuple):
    """Which array a place in a program accesses, whether by an atomic, and how many words at once."""

    array: str
    atomic: bool
    words: int = 1


class Noting:
    """Rewrites programs so that they note their accesses. ``sites`` says what each number means."""

    def __init__(self) -> None:
        self.sites = [Site("barrier", False)]

    def site(self, *about: Any) -> int:
        self.sites.append(Site(*about))
        return len(self.sites) - 1

    def rewritten(self, text: str) -> str:
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        heads = re.findall(
            r"^(?!#)(?:inline |static )*\w+ \*?(\w+)\([^;{]*?\)\s*\{", text, re.MULTILINE
        )
        own = [name for name in heads if f"__kernel void {name}(" not in text]
        own += re.findall(r"^DEFINE_SUMS\((\w+)", text, re.MULTILINE)
        text = self._accesses(text)
        text = re.sub(r"\bbarrier\(", f"noted_(seen_, {BARRIER}, 0, 0, 0), barrier(", text)
        text = re.sub(rf"\b({'|'.join(own)})\(", r"\1(seen_, ", text)
        # definitions take what calls give
        text = re.sub(
            r"^((?:inline |static )*\w+ \*?\w+\()seen_, ",
            r"\1__global uint *seen_, ",
            text,
            flags=re.MULTILINE,
        )
        text = text.replace("*name(number mine", "*name(__global uint *seen_, number mine")
        text = re.sub(r"(__kernel void \w+\([^{]*?)\)(\s*\{)", r"\1, __global uint *seen_)\2", text)
        return NOTES + text

    def _accesses(self, text: str) -> str:
        names = "|".join((*ARRAYS, *COUNTERS))
        found = re.compile(
            rf"(atomic_\w+\(&|atom_\w+\(&|&)?\b((?:\w+(?:\.|->))?({names}))\[|\b(atomic_(?!inc\(counter)\w+\()({'|'.join(POINTERS)})\b"
        )
        made, at = [], 0
        while (match := found.search(text, at)) is not None:
            made.append(text[at : match.start()])
            if match[4]:
                given = f"{self.site('counter', True)}, (ulong)({match[5]}), 0, 0"
                made.append(f"{match[4]}({match[5]} + noted_(seen_, {given}))")
                at = match.end()
                continue
            end = _closing(text, match.end())
            index, base = self._accesses(text[match.end() : end]), match[2]
            before = match[1] or ""
            counts = match[3] in COUNTERS
            declared = re.search(r"\b(int|uint|long|uchar|ID|number) $", text[: match.start()])
            local = declared or base.startswith(("desk", "far_desk"))
            if local or (counts and not before.startswith("atom")):
                made.append(f"{before}{base}[{index}]")  # one block that all read
            else:
                eight = text[: match.start()].endswith("vload8(0, ")
                site = self.site(match[3], bool(before) and not eight, 8 if eight else 1)
                given = f"{site}, (ulong)({base}), sizeof(*({base})), {index}"
                made.append(f"{before}{base}[noted_(seen_, {given})]")
            at = end + 1
        return "".join([*made, text[at:]])


def _closing(text: str, at: int) -> int:
    """Return where the bracket that was opened before ``at`` is closed."""
    deep = 1
    while deep:
        deep += {"[": 1, "]": -1}.get(text[at], 0)
        at += 1
    return at - 1


class Counter:
    """A device whose kernels note what they access; ``seen`` has a row for each kernel and array."""

    def __init__(self, device: OpenCL, graph: tg.Graph) -> None:
        self.indptr = graph.indptr
        self.device = device.masked("shares_memory", "svm", kind="gpu", group=GROUP)
        self.noting, self.rows = Noting(), list[dict[str, Any]]()
        self.device._programs, self.device._kernels = {}, threading.local()
        self.notes = self.device.scratch(HEAD + 4 * MOST_NOTES, np.uint32)
        self.real_launch, self.real_build = self.device.launch, self.device._built
        self.device.launch, self.device._built = self.launch, self.built  # type: ignore[method-assign]

    def built(self, program: str, options: tuple[str, ...], written: str) -> Any:
        real, text = opencl.source_of, self.noting.rewritten(opencl.source_of(program))
        opencl.source_of = lambda name: text
        try:
            return self.real_build(program, options, written)
        finally:
            opencl.source_of = real

    def launch(self, kernel: Any, size: Any, *arguments: object, group: Any = opencl.GROUP) -> Any:
        device = self.device
        device.fill(self.notes, np.uint32(0), HEAD)
        event = self.real_launch(kernel, size, *arguments, self.notes, group=group)
        if event is not None:
            name, indptr = kernel.function_name, self.indptr
            if name in kernels_of("flow"):  # a network has rows of its own
                names = opencl.arguments_of("flow", name)
                if "begins" in names:
                    indptr = arguments[names.index("begins")].array  # type: ignore[attr-defined]
            self._take(name, indptr)
        return event

    def _take(self, kernel: str, indptr: np.ndarray) -> None:
        head = np.empty(2 + MOST_SITES, np.uint32)
        self.device.copy_back(self.notes, head, 0)
        count = int(head[0])
        if count > MOST_NOTES:
            raise SystemExit(f"{kernel} has noted {count:,} accesses, more than there is room for")
        notes = np.empty((count, 4), np.uint32)
        if count:
            self.device.copy_back(self.notes, notes.reshape(-1), 4 * HEAD)
        frame = pd.DataFrame(notes, columns=["item", "order", "site", "place"])
        frame["begin"] = head[2:][frame["site"]]
        self.rows.append({"kernel": kernel, **_of_warps(frame, self.noting.sites, indptr)})


def _of_warps(notes: pd.DataFrame, sites: list[Site], indptr: np.ndarray) -> dict[str, float]:
    """Return what warps access, and how, of the notes of their work-items."""
    notes = notes.sort_values(["item", "order"])
    notes["sector"] = notes["place"] // WORDS_OF_SECTOR
    notes["part"] = (notes["site"] == BARRIER).groupby(notes["item"]).cumsum()
    notes = notes[notes["site"] != BARRIER]
    notes["time"] = notes.groupby(["item", "part", "site"]).cumcount()
    notes["time"] = notes.groupby(["item", "part"])["time"].cummax()
    notes["warp"] = notes["item"] // WARP
    atomic = np.array([site.atomic for site in sites])[notes["site"]]
    arcs = np.array([site.array in ARCS for site in sites])[notes["site"]]
    together = ["warp", "part", "time", "site"]
    found: dict[str, float] = {"atomics": int(atomic.sum())}
    for name, some in (("", notes[~atomic]), ("arc_", notes[arcs & ~atomic])):
        access = some.groupby(together)
        found |= {f"{name}accesses": access.ngroups, f"{name}lanes": len(some)}
        found[f"{name}sectors"] = len(some.drop_duplicates([*together, "sector"]))
    found |= {"arc_fewest": 0.0, "arc_fewest_of_launch": 0.0}
    read = notes[arcs & ~atomic].drop_duplicates([*together, "place"])
    for site, some in read.groupby("site"):
        again = len(some) / some["place"].nunique()  # how often an arc is read
        found["arc_fewest_of_launch"] += some["sector"].nunique() * again
        rows = np.searchsorted(indptr, some["place"] - some["begin"], "right")
        if sites[site].words > 1:  # the arcs of several rows: each work-item reads for one of them
            rows, again = some["item"].to_numpy(), 1.0
        held = np.unique(np.stack([rows, some["sector"]]), axis=1).shape[1]
        found["arc_fewest"] += held * again
    return found


GRAPHS: dict[str, Callable[[], tg.Graph]] = {
    "star": lambda: tg.star(1 << 12),
    "kron": lambda: tg.kronecker(10, rng=1),
    "road": lambda: tg.road(48, 48, rng=1, weights=None),
}


def _weighted(g: tg.Graph) -> tg.Graph:
    source, target = g.to_edges()[:2]
    lengths = (np.arange(source.size) % 9 + 1).astype(np.int32)
    return tg.Graph.from_edges(source, target, lengths, n=g.n, directed=g.directed)


def _far(g: tg.Graph) -> int:
    return int(tg.bfs(g, 0).levels.argmax())


TASKS: dict[str, Callable[[tg.Graph, Any], object]] = {
    "bfs": lambda g, d: [tg.bfs(g, 0, device=d, direction=w) for w in ("push", "pull")],
    "sssp": lambda g, d: tg.sssp(_weighted(g), 0, device=d),
    "components": lambda g, d: tg.connected_components(g, device=d),
    "pagerank": lambda g, d: tg.pagerank(g, device=d, max_iter=2, tol=1e-9),
    "set": lambda g, d: tg.maximal_independent_set(g, rng=1, device=d, placement="device"),
    "flow": lambda g, d: tg.maximum_flow(_weighted(g), 0, _far(g), device=d, placement="device"),
    "jaccard": lambda g, d: tg.jaccard(g, device=d),
}


def _alike(there: Any, here: Any) -> bool:
    """Whether a device with notes computes what it does without."""
    if isinstance(there, list):
        return all(map(_alike, there, here))
    names = ("levels", "distances", "labels", "scores", "mask", "value", "values")
    field = next(name for name in names if hasattr(there, name))
    return bool(np.allclose(getattr(there, field), getattr(here, field), atol=1e-5))


def measure() -> Iterator[Table]:
    from tachograph.algorithms import bfs_on_device, sssp_on_device

    bfs_on_device.ALONE_UP_TO_ARCS = sssp_on_device.ALONE_UP_TO_ARCS = 32  # graphs here are small
    rows, wrong = [], list[str]()
    for name, make in GRAPHS.items():
        graph = make()
        for task, run in TASKS.items():
            counter = Counter(open_device(), graph)
            plain = open_device().masked("shares_memory", "svm", kind="gpu", group=GROUP)
            if not _alike(run(graph, counter.device), run(graph, plain)):
                wrong.append(f"{task} on {name}")  # notes lead PoCL 3.0 to lose a condition
                continue
            kernels = pd.DataFrame(counter.rows).groupby("kernel", sort=False).sum()
            for kernel, seen in kernels[kernels["accesses"] > 0].iterrows():
                numbers = [seen["sectors"] / seen["accesses"], seen["lanes"] / seen["accesses"]]
                numbers += [seen["atomics"] / graph.n]
                numbers += [seen["arc_sectors"] / max(seen["arc_lanes"], 1)]
                numbers += [seen["arc_sectors"] / max(seen["arc_fewest"], 1)]
                numbers += [seen["arc_sectors"] / max(seen["arc_fewest_of_launch"], 1)]
                rows.append([name, task, kernel, *rounded(numbers)])
    columns = ["graph", "task", "kernel", "sectors of an access", "work-items of an access"]
    columns += ["atomics of a vertex", "sectors of an arc", "times the fewest"]
    columns += ["times those of a launch"]
    notes = [f"not counted, because the driver computes wrong with notes: {', '.join(wrong)}"]
    yield Table("What a multiprocessor sees", columns, rows, notes * bool(wrong))


if __name__ == "__main__":
    main(measure)
