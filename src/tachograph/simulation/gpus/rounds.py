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
from ...kernels.independent_set.greedy import IN, before
from ...kernels.independent_set.rounds import ACTIVE
from ...kernels.runtime.launch import kernel, read_only, run
from ...kernels.runtime.random import key_of
from .chip import Array, Chip, Ranges, Touch, ranges

__all__ = ["independent", "preflow"]

Work = Callable[[], object]


@kernel
def looked_at(stop, items, rows, key, state, word, ends):
    """Write where each item of Select stops: behind the first undecided neighbour before it."""
    indptr, indices = rows
    for i in range(items.size):
        v = items[i]
        ends[v] = indptr[v + 1]
        for k in range(indptr[v], indptr[v + 1]):
            u = indices[k]
            if u != v and state[u] == ACTIVE and before(key, word[u], u, word[v], v):
                ends[v] = k + 1
                break


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


def independent(chip: Chip, rng: int) -> dict[str, Any]:
    """Return the set; the trace has a row for each of three kernels of each round."""
    graph = chip.graph
    listed, degree = chip.place(graph.n, 4), chip.place(graph.n, 8)
    word, chosen, state = chip.place(graph.n, 4), chip.place(graph.n, 1), chip.place(graph.n, 1)
    key = key_of(rng, "independent set")
    whole, nothing = ranges(graph.indptr, graph.indices), _no_rows(graph.n)

    def watch(call: Call, rounds: Any) -> None:
        (work,) = rounds.arrays.host("work")
        items = np.array(work[: call.vertices])
        if call.kernel == "randomize":
            touches = [Touch(listed, "order"), Touch(degree, "item"), Touch(word, "item written")]
            chip.launch("randomize", call.iteration, items, touches, balance="vertex", rows=nothing)
            return
        states, words, chose = rounds.arrays.host("state", "word", "chosen")
        ends = np.array(whole.begins)
        touches = [Touch(listed, "order"), Touch(chip.offsets, "item"), Touch(chip.columns, "arc")]
        if call.kernel == "select":
            rows = read_only(graph.indptr), read_only(graph.indices)
            run(looked_at, [(items, rows, key, states, words, ends)])
            touches += [Touch(state, "neighbour"), Touch(word, "neighbour")]
            touches += [Touch(word, "item"), Touch(chosen, "item written")]
        else:
            picked = items[chose[items] == IN]
            ends[picked] = whole.ends[picked]
            touches += [Touch(chosen, "item"), Touch(state, "neighbour written")]
        walked = whole._replace(ends=ends)
        chip.launch(call.kernel, call.iteration, items, touches, balance="vertex", rows=walked)
        if call.kernel == "deactivate":  # and compact
            chip.stream(listed, items.size)
            chip.stream(state, items.size)

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
    n = chip.graph.n
    listed, height, excess = chip.place(n, 4), chip.place(n, 4), chip.place(n, 8)
    mark, outgoing = chip.place(n, 4), chip.place(n, 4)
    placed: dict[str, Array] = {}

    def watch(call: Call, rounds: Any) -> None:
        begins, target, back, work = rounds.arrays.host("begins", "target", "back", "work")
        if not placed:  # the network has more arcs than the graph
            names = {"begins": 8, "target": 4, "back": 8, "room": 8, "sent": 8}
            sizes = {"begins": n + 1}
            placed.update({k: chip.place(sizes.get(k, target.size), w) for k, w in names.items()})
        items = np.array(work[: call.vertices])
        own = [Touch(listed, "order"), Touch(placed["begins"], "item")]
        if call.kernel == "preflow":
            touches = [
                *own,
                Touch(excess, "item"),
                Touch(height, "item"),
                Touch(placed["room"], "arc"),
            ]
            touches += [Touch(placed["target"], "arc"), Touch(height, "neighbour")]
            touches += [Touch(mark, "neighbour"), Touch(excess, "item written")]
            rows = ranges(begins, target)
        elif call.kernel == "push-adjust":
            touches = [*own, Touch(excess, "item"), Touch(placed["back"], "arc")]
            touches += [Touch(placed["sent"], "neighbour"), Touch(height, "item written")]
            rows = ranges(begins, back)
        else:
            items = np.arange(n, dtype=np.int32)
            touches = [*own, Touch(placed["target"], "arc"), Touch(height, "neighbour")]
            touches += [Touch(placed["back"], "arc"), Touch(outgoing, "item written")]
            rows = ranges(begins, target)
        chip.launch(call.kernel, call.iteration, items, touches, balance="vertex", rows=rows)

    watched = Watched("maximum_flow", watch)
    value, side, _, _ = solve(problem, False, watched, wanted=False)
    watched.times(chip)
    return {"value": value, "source_side": side}
