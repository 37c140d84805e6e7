"""Tasks that run in rounds of kernels on a simulated GPU: independent sets and preflow-push.

The host runs the rounds as always, so values are exact. Before a kernel runs, its work list is
read; the launch then walks the rows that the device's kernel would walk, in the order of the list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...algorithms.flow import _problem as flow_problem
from ...algorithms.flow_solve import solve
from ...algorithms.independent_overlap import Overlap, in_rounds
from ...algorithms.placed import Placed, Rounds
from ...decisions.placement.state import Call
from ...devices.choice import Chosen
from ...devices.host import Host
from ...devices.opencl import GROUP_OF_MANY_THREADS
from ...graph.graph import Graph
from ...kernels.independent_set.greedy import IN, before
from ...kernels.independent_set.rounds import ACTIVE
from ...kernels.runtime.launch import kernel, read_only, run
from ...kernels.runtime.random import key_of
from .chip import Array, Chip, Ranges, Touch, ranges
from .warps import COUNTERS

__all__ = ["independent", "preflow"]

Work = Callable[[], object]


@kernel
def looked_at(stop, items, rows, key, state, word, group, ends):
    """Write where each item of Select stops, behind the first undecided neighbour before it.

    Work-items that share the arcs of ``group`` items look at that many arcs before they see it.
    """
    indptr, indices = rows
    before_it = np.int64(0)  # arcs of earlier items of the group
    for i in range(items.size):
        v = items[i]
        if i % group == 0:
            before_it = np.int64(0)
        ends[v] = indptr[v + 1]
        for k in range(indptr[v], indptr[v + 1]):
            u = indices[k]
            if u != v and state[u] == ACTIVE and before(key, word[u], u, word[v], v):
                seen = before_it + k - indptr[v]
                later = seen if group == 1 else seen // group * group + group - 1
                ends[v] = min(ends[v], k + 1 + later - seen)
                break
        before_it += indptr[v + 1] - indptr[v]


@kernel
def pushed(stop, items, network, heights, excess, sends, stays):
    """Mark the arcs along which items push, to lower neighbours; and items that have excess left."""
    begins, target, room = network
    for i in range(items.size):
        v = items[i]
        have = excess[v]
        for k in range(begins[v], begins[v + 1]):
            if room[k] > 0 and have > 0 and heights[target[k]] == heights[v] - 1:
                have -= min(room[k], have)
                sends[k] = 1
        stays[i] = have > 0


@kernel
def waits_for(stop, items, rows, ends, state, position, latest, walked):
    """Write for each part of the list the last place that its items wait for, and its share of work."""
    indptr, indices = rows
    for i in range(items.size):
        v, part = items[i], i * latest.size // items.size
        latest[part] = max(latest[part], i)
        walked[part] += 1 + ends[v] - indptr[v]
        for k in range(indptr[v], ends[v]):
            u = indices[k]
            if state[u] == ACTIVE and position[u] > latest[part]:
                latest[part] = position[u]


class Watched(Placed):
    """Runs every kernel on the host, and tells a watcher of each before it runs."""

    def __init__(self, task: str, watcher: Callable[[Call, Any], None]) -> None:
        super().__init__(Chosen(Host(1), None), "host", task)
        self.watcher = watcher

    def step(self, call: Call, host: Work, there: Work, undo: Work | None = None) -> None:
        """Let the watcher look, and run the kernel on the host."""
        rounds: Rounds = self.ready.__self__  # type: ignore[attr-defined]  # it gave this method
        self.watcher(call, rounds)
        super().step(call, host, there, undo)

    def times(self, chip: Chip) -> None:
        """Add what each kernel took on the host, measured, to the launches of the chip."""
        for launch, row in zip(chip.rows, self.rows, strict=True):
            launch["host_seconds"] = row["seconds"]


def _no_rows(n: int) -> Ranges:
    nothing = np.zeros(n, np.int64)
    return Ranges(nothing, nothing, np.zeros(0, np.int32))


def _neighbours(rows: Ranges, items: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the arcs of items, row after row, and where they lead."""
    size = (rows.ends[items] - rows.begins[items]).astype(np.int64)
    behind = np.cumsum(size)
    arcs = np.arange(size.sum()) + np.repeat(rows.begins[items] - behind + size, size)
    return arcs, rows.indices[arcs]


def independent(chip: Chip, rng: int, parts: int = 0) -> dict[str, Any]:
    """Return the set; the trace has a row for each of three kernels of each round.

    Groups share the arcs of their rows, as on devices with many threads; Compact belongs to Deactivate.
    With ``parts``, Select is the kernel that runs beside its producer, which has a work-item for each
    vertex, and the chip's rows of Select also have ``waits``: for each part of the work list, the
    share of the list that must have been produced before it ends, and its share of the work.
    """
    graph, columns = chip.graph, chip.columns
    both = graph
    if graph.directed:  # vertices are apart if no arc joins them in either direction
        both = Graph.from_edges(*graph.to_edges()[:2], n=graph.n, directed=False)
        columns = chip.place(both.arcs, both.indices.itemsize)
    listed, degree = chip.place(graph.n, 4), chip.place(graph.n, 8)
    word, chosen, state = chip.place(graph.n, 4), chip.place(graph.n, 1), chip.place(graph.n, 1)
    kept = chip.place(graph.n, 4)
    key = key_of(rng, "independent set")
    whole, nothing = ranges(both.indptr, both.indices), _no_rows(graph.n)

    def select(call: Call, items: np.ndarray, rounds: Any) -> None:
        states, words = rounds.arrays.host("state", "word")
        ends, rows = np.array(whole.begins), (read_only(both.indptr), read_only(both.indices))
        group = 1 if parts else GROUP_OF_MANY_THREADS
        run(looked_at, [(items, rows, key, states, words, group, ends)])
        touches = [Touch(listed, "order"), Touch(word, "item"), Touch(chip.offsets, "item")]
        touches += [Touch(columns, "arc"), Touch(word, "neighbour"), Touch(chosen, "item written")]
        if parts:
            touches.append(Touch(state, "neighbour"))
        walked, balance = whole._replace(ends=ends), "vertex" if parts else "balanced"
        chip.launch("select", call.iteration, items, touches, balance=balance, rows=walked)
        if parts:
            position = np.zeros(graph.n, np.int64)
            position[items] = np.arange(items.size)
            latest, work = np.zeros((2, parts), np.int64)
            run(waits_for, [(items, rows, ends, states, position, latest, work)])
            produced = (latest + 1) / items.size
            chip.rows[-1]["waits"] = produced, work / work.sum()

    def deactivate(call: Call, items: np.ndarray, rounds: Any) -> None:
        (chose,) = rounds.arrays.host("chosen")
        picked = items[chose[items] == IN]
        touches = [Touch(columns, "arc"), Touch(state, "neighbour written")]
        chip.launch("deactivate", call.iteration, picked, touches, balance="balanced", rows=whole)
        chip.stream(listed, items.size)
        chip.pick(chosen, items)
        chip.pick(chip.offsets, picked)
        chip.pick(state, picked, write=True)
        gone = np.zeros(graph.n, bool)  # then Compact
        gone[picked] = gone[_neighbours(whole, picked)[1]] = True
        stays = items[~gone[items]]
        chip.stream(listed, items.size)
        chip.pick(state, items)
        chip.pick(degree, stays)
        chip.stream(kept, stays.size, write=True)
        chip.rows[-1] |= {"items": items.size, "queued": 1}

    def watch(call: Call, rounds: Any) -> None:
        (work,) = rounds.arrays.host("work")
        items = np.array(work[: call.vertices])
        if call.kernel == "randomize":
            touches = [Touch(listed, "order"), Touch(degree, "item"), Touch(word, "item written")]
            chip.launch("randomize", call.iteration, items, touches, balance="vertex", rows=nothing)
        else:
            (select if call.kernel == "select" else deactivate)(call, items, rounds)

    watched = Watched("maximal_independent_set", watch)
    made, _ = in_rounds(graph, key, watched, Overlap())
    watched.times(chip)
    mask = made.view(np.bool_)
    return {"vertices": np.flatnonzero(mask).astype(graph.indices.dtype), "mask": mask}


def preflow(chip: Chip, source: int | None, sink: int | None) -> dict[str, Any]:
    """Return the value of a maximum flow; the trace has the three kernels of each round."""
    problem = flow_problem(chip.graph, source, sink, None)
    if problem.endless.size:
        return {"value": np.inf}
    network = _Network(chip)
    watched = Watched("maximum_flow", network.watch)
    value, side, _, _ = solve(problem, False, watched, wanted=False)
    watched.times(chip)
    return {"value": value, "source_side": side}


class _Network:
    """The arrays of a flow on the GPU, and its kernels; groups share the arcs of their rows."""

    def __init__(self, chip: Chip) -> None:
        self.chip, n = chip, chip.graph.n
        self.listed, self.out, self.queue = (chip.place(n, 4) for _ in range(3))
        self.height, self.next_height, self.mark = (chip.place(n, 4) for _ in range(3))
        self.excess = chip.place(n, 8)
        self.placed: dict[str, Array] = {}

    def watch(self, call: Call, rounds: Any) -> None:
        """Launch what the device would launch for a call of the host."""
        target, work = rounds.arrays.host("target", "work")
        if not self.placed:  # the network has more arcs than the graph
            names = {"begins": 8, "target": 4, "back": 8, "room": 8, "sent": 8}
            sizes = {"begins": self.chip.graph.n + 1}
            self.placed = {
                k: self.chip.place(sizes.get(k, target.size), w) for k, w in names.items()
            }
        kernels = {"preflow": self.push, "push-adjust": self.adjust, "bfs": self.search}
        first = len(self.chip.rows)
        kernels[call.kernel](call, np.array(work[: call.vertices]), rounds)
        _one_row(self.chip, first)

    def push(self, call: Call, items: np.ndarray, rounds: Any) -> None:
        """Preflow: look at all arcs, and send what there is along some of them."""
        chip, at = self.chip, self.placed
        names = ("begins", "target", "room", "height", "excess")
        begins, target, room, height, excess = rounds.arrays.host(*names)
        sends, stays = np.zeros(target.size, np.uint8), np.zeros(items.size, np.uint8)
        run(pushed, [(items, (begins, target, room), height, excess, sends, stays)])
        touches = [
            Touch(self.listed, "order"),
            Touch(at["begins"], "item"),
            Touch(self.excess, "item"),
        ]
        touches += [
            Touch(self.height, "item"),
            Touch(at["room"], "arc"),
            Touch(at["target"], "arc"),
        ]
        touches += [Touch(self.height, "neighbour"), Touch(self.excess, "item written")]
        self._over_rows("preflow", call, items, touches, ranges(begins, target))
        arcs = np.flatnonzero(sends)
        for name in ("room", "sent"):
            chip.pick(at[name], arcs, write=True)
        left = items[stays.view(bool)]
        chip.pick(self.next_height, left, write=True)
        self._enter(np.unique(np.append(target[arcs], left)), self.out)

    def adjust(self, call: Call, items: np.ndarray, rounds: Any) -> None:
        """Push-Adjust: collect what neighbours have sent."""
        chip, at = self.chip, self.placed
        begins, back, sent = rounds.arrays.host("begins", "back", "sent")
        touches = [
            Touch(self.listed, "order"),
            Touch(at["begins"], "item"),
            Touch(self.excess, "item"),
        ]
        touches += [Touch(self.next_height, "item"), Touch(at["back"], "arc")]
        touches += [Touch(at["sent"], "neighbour"), Touch(self.mark, "item written")]
        touches += [Touch(self.excess, "item written"), Touch(self.height, "item written")]
        self._over_rows("push-adjust", call, items, touches, ranges(begins, back))
        came = np.flatnonzero(sent)
        chip.pick(at["sent"], came, write=True)
        chip.pick(at["room"], back[came], write=True)
        chip.stream(self.out, items.size, write=True)

    def search(self, call: Call, items: np.ndarray, rounds: Any) -> None:
        """BFS: clear, expand level by level, unmark; nobody waits between levels."""
        chip, at, n = self.chip, self.placed, self.chip.graph.n
        begins, target, back, room = rounds.arrays.host("begins", "target", "back", "room")
        rows = ranges(begins, target)
        other, root = rounds.solver.ends
        unseen = np.ones(n, bool)
        unseen[root] = unseen[other] = False
        front, first = np.array([root], np.int32), True
        touches = [
            Touch(self.queue, "order"),
            Touch(at["begins"], "item"),
            Touch(at["target"], "arc"),
        ]
        touches.append(Touch(self.height, "neighbour"))
        while front.size:
            self._over_rows("bfs", call, front, touches, rows)
            if first:
                for array in (self.height, self.next_height):
                    chip.stream(array, n, write=True)
                first = False
            arcs, ends = _neighbours(rows, front)
            arcs, ends = arcs[unseen[ends]], ends[unseen[ends]]
            chip.pick(at["back"], arcs)
            chip.pick(at["room"], back[arcs])
            front = np.unique(ends[room[back[arcs]] > 0]).astype(np.int32)
            unseen[front] = False
            for array in (self.height, self.next_height):
                chip.pick(array, front, write=True)
            self._enter(front, self.queue)
            chip.pick(self.excess, front)
        chip.stream(self.queue, n)
        chip.pick(self.mark, np.flatnonzero(~unseen), write=True)
        chip.rows[-1]["queued"] = 2  # clear and unmark

    def _over_rows(
        self, kernel: str, call: Call, items: np.ndarray, touches: list[Touch], rows: Ranges
    ) -> None:
        self.chip.launch(kernel, call.iteration, items, touches, balance="balanced", rows=rows)

    def _enter(self, vertices: np.ndarray, into: Array) -> None:
        """Mark vertices and put them into a list."""
        self.chip.pick(self.mark, vertices, write=True)
        self.chip.stream(into, vertices.size, write=True)
        self.chip.rows[-1]["atomics"] += vertices.size


def _one_row(chip: Chip, first: int) -> None:
    """Make one row of the launches from ``first`` on: all but one were queued behind another."""
    row, *others = chip.rows[first:]
    row["queued"] = row.get("queued", 0) + len(others)
    for other in others:
        for name in ("items", *COUNTERS, "written_back", "queued"):
            row[name] += other.get(name, 0)
    del chip.rows[first + 1 :]
