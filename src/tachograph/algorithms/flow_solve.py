"""Maximum flow by push-relabel on one thread, or in rounds of three kernels on host and device.

``kernels/flow/push_relabel.py`` and ``rounds.py`` explain the kernels. Here is what is around them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..decisions.placement.state import Call
from ..devices.memory import check_countable
from ..devices.opencl import OpenCL, check_count
from ..graph.graph import Graph
from ..kernels.flow import rounds as kernels
from ..kernels.flow.augmenting import LOOKED, PATHS
from ..kernels.flow.network import Residual, flow_of_arcs, network
from ..kernels.flow.push_relabel import Solver
from ..kernels.rows import build as csr
from ..kernels.runtime.launch import clock, run
from ..kernels.runtime.nouns import Rows
from ..util.errors import DeviceError
from .placed import Placed, Rounds
from .result import Run, Trace

if TYPE_CHECKING:
    import pyopencl as cl

    from .flow import Problem

__all__ = ["solve"]

SERIAL_BELOW_VERTICES = 1 << 14  # of a kernel; with fewer, the host uses one thread
SEARCH_AFTER_ROUNDS = 32  # or when as many arcs were looked at as there are
LAUNCHED_AT_FIRST = 8  # rounds, or levels of a search, before the host looks at the counters
ROUNDS_ON_CORES = 3  # likewise where a look costs no more than a launch for nothing
# groups for each unit of a device, for kernels that find out by themselves how much there is to do:
# where units are cores of the host, and elsewhere
GROUPS_PER_CORE, GROUPS_PER_UNIT = 4, 32
SEARCHES_ALIKE = 3  # in a row, after which pushing is taken not to get anywhere
ROWS = ("begins", "target", "back")
ROUND = ("preflow", "push-adjust")  # its kernels
#: The arrays that each kernel writes.
WRITES = {
    "preflow": ("room", "excess", "sent", "next_height", "mark", "out"),
    "push-adjust": ("room", "height", "excess", "sent", "mark", "out"),
    "bfs": ("height", "next_height", "queue", "mark", "out"),
}
#: The kernels of the device that make one of the host's, if their names differ.
LAUNCHES = {"push-adjust": ("adjust",), "bfs": ("clear", "expand", "unmark")}
#: Where a device counts (``flow.cl``): four numbers for each of so many rounds, then what is named.
RING = 2 * SEARCH_AFTER_ROUNDS
END, FOUND, START, LEVELS, CHECKSUM, BOOK = (4 * RING + x for x in (4, 8, 12, 13, 14, 15))
#: What the oracle puts back before it runs a kernel again.
CHANGED = ("room", "excess", "height", "next_height", "sent", "mark", "work")


def solve(
    problem: Problem, traced: bool, placed: Placed | None = None, wanted: bool = True
) -> tuple[Any, np.ndarray, np.ndarray, Run]:
    """Return value, source's side, flow if ``wanted`` (else nothing), and the run.

    Push-relabel runs on one thread, or where kernels are ``placed`` in rounds.
    """
    graph = problem.graph
    times = [clock()]
    rows, capacity, order = _rows(graph, problem.capacity)
    turned = _turned(problem)
    made = network(rows, capacity, graph.directed, turned)
    fresh = partial(Solver, made, problem.source, problem.sink, turned)
    times.append(clock())
    if placed is None:
        solver = fresh()
        done = solver.fill_paths()
        times.append(clock())
        if not done:
            solver.begin()
            solver.drain()
    else:
        solver = placed.attempt(partial(_in_rounds, fresh, placed))
    value, side = solver.value, solver.cut()
    times.append(clock())
    flow = made.room[:0]
    if wanted:
        flow = flow_of_arcs(made, solver.give_back(), rows, graph.directed, turned)
        if order is not None:  # back into the order of the graph's arcs
            flow[order] = flow.copy()
        times.append(clock())
    seconds = times[-1] - times[0]
    if placed is None:
        run = Run(seconds, _phases(graph, np.diff(times), solver))
    else:
        where = "host" if placed.device is None else placed.device.id
        run = Run(seconds - placed.preparing, placed.trace, device=where)
    if not traced:
        run = replace(run, trace=Trace({}))
    return value.item(), side, flow, run


def _in_rounds(fresh: Callable[[], Solver], placed: Placed, device: OpenCL | None) -> Solver:
    solver = fresh()
    solver.begin()
    return FlowRounds(solver, placed, device).run()


def _turned(problem: Problem) -> bool:
    """Return whether less can enter the sink than leave the source: then begin at the sink."""
    graph = problem.graph
    out = problem.capacity[graph.indptr[problem.source] : graph.indptr[problem.source + 1]].sum()
    return bool(problem.capacity[graph.indices == problem.sink].sum() < out)


def _phases(graph: Graph, seconds: np.ndarray, solver: Solver) -> Trace:
    """Return the trace of the sequential method: single paths, then push-relabel."""
    searches, pushes, lifts = (int(x) for x in solver.counts)
    paths, looked = (int(solver.paths[x]) for x in (PATHS, LOOKED))
    columns: dict[str, list[object]] = {
        "kernel": ["network", "paths", "push-relabel", "return"],
        "iteration": [0] * 4,
        "device": ["host"] * 4,
        "work": [graph.arcs, looked, pushes + lifts, graph.n],
        "searches": [0, paths, searches, 0],
    }
    return Trace({k: v[: seconds.size] for k, v in columns.items()} | {"seconds": seconds})


def _rows(graph: Graph, capacity: np.ndarray) -> tuple[Rows, np.ndarray, np.ndarray | None]:
    """Return rows and capacities as the network needs them, and, if arcs moved, where from."""
    if graph.directed or graph.is_sorted:
        return graph.rows, capacity, None
    tails = graph.arc_sources()
    places = np.arange(graph.arcs, dtype=np.float64)  # travels with the arcs, as weights do
    indptr, indices, moved = csr.build(
        tails, graph.indices, places, graph.n, tails.dtype, sort=True
    )
    assert moved is not None
    order = moved.astype(np.int64)
    return Rows(indptr, indices), capacity[order], order


class FlowRounds(Rounds):
    """The state of one run: fills the sink of ``solver``, whose source was emptied."""

    program = "flow"

    def __init__(self, solver: Solver, placed: Placed, device: OpenCL | None) -> None:
        made = solver.made
        n, self.ids = made.begins.size - 1, made.target.dtype
        self.n, self.solver = n, solver
        arrays = {name: getattr(made, name) for name in ROWS}
        arrays |= {"room": solver.room, "excess": solver.excess, "sent": np.zeros_like(made.room)}
        lists = ("height", "next_height", "work", "out", "queue")
        arrays |= {name: np.zeros(n, self.ids) for name in lists}
        arrays |= {"mark": np.zeros(n, np.int32)}
        super().__init__(placed, device, arrays)
        self.seen, self.searches_alike = 0, 0
        self.listed, self.looked = 0, 0  # by the last kernel: entries, arcs
        held = np.count_nonzero(solver.excess) - sum(solver.excess[v] != 0 for v in solver.ends)
        self.active = self.most_active = int(held)  # vertices with excess: now, and the most so far
        # levels of the last search, rounds behind it: the next will have about as many
        self.levels = self.rounds = LAUNCHED_AT_FIRST

    def build(self, device: OpenCL) -> None:
        """Build the kernels for the types of this network, and launch each once for nothing."""
        check_countable(device, self.n)
        real = self.solver.room.dtype.kind == "f"
        if real and not device.capabilities.double:
            raise DeviceError(
                f"{device.name} has no double precision: use the host, or whole capacities"
            )
        names = {np.dtype(np.int32): "int", np.dtype(np.int64): "long"}
        kinds = {"ID": names[self.ids], "PLACE": names[self.solver.made.back.dtype]}
        kinds |= {"NUM": "double" if real else "long", "RING": str(RING)}
        options = [f"-D{name}={kind}" for name, kind in kinds.items()]
        kernels = ("preflow", "adjust", "clear", "expand", "unmark", "checksum")

        def build() -> dict[str, cl.Kernel]:
            shape = ("-DREAL", device.shape[0]) if real else device.shape
            return {name: device.kernel("flow", name, *options, *shape) for name in kernels}

        self.fit(device, build)
        self.book = device.output(np.zeros(BOOK, np.int32), "counters")
        self.looked_at = device.output(np.zeros(4, np.int64), "counters")
        groups = GROUPS_PER_CORE if device.found.shares_cores else GROUPS_PER_UNIT
        self.most = device.units * groups * self.group
        for name in ("preflow", "adjust", "expand", "unmark"):
            self._launch(name, 1)

    # -- the kernels, here and there --------------------------------------------------------------

    def host(self, name: str, count: int) -> None:
        """Run a kernel on ``count`` entries of the work list."""
        a, ends = self.arrays, self.solver.ends[::-1]
        tally = np.zeros(2, np.int32)
        net = Residual(*a.host(*ROWS, "room"))
        vertices = kernels.Vertices(*a.host("height", "next_height", "excess"))
        if name == "bfs":
            queue, out = a.host("queue", "out")
            lists = kernels.Lists(queue, out, tally)
            run(kernels.bfs, [(net, vertices, lists, ends)], brief=True)
        else:
            sent = kernels.Sent(*a.host("sent", "mark"))
            work, out = a.host("work", "out")
            given = net, vertices, sent, kernels.Lists(work, out, tally)
            workers = 1 if count < SERIAL_BELOW_VERTICES else self.threads
            if name == "preflow":
                self.on_host(kernels.preflow, 0, count, workers, *given)
            else:
                self.on_host(kernels.adjust, 0, count, workers, *given, ends)
        a.wrote("host", *WRITES[name])
        self.listed, self.looked = int(tally[0]), int(np.uint32(tally[1]))

    def there(self, name: str, count: int) -> None:
        """Run a kernel on the device, and wait for it."""
        assert self.device is not None
        if name == "bfs":
            self._search()
            return
        self.device.fill(self.book, np.int32(0), 2)
        self._launch(name.removeprefix("push-"), count, before=np.int32(-1))
        self.arrays.wrote("device", *WRITES[name])
        self.listed, self.looked = (int(np.uint32(x)) for x in self.book.fetch(0, 2))

    def _launch(self, kernel: str, size: int, **given: object) -> None:
        """Launch a kernel on ``size`` vertices, or entries of a list."""
        self._bound(kernel, size)(**given)

    def _bound(self, kernel: str, size: int) -> Callable[..., None]:
        """Return what launches a kernel, with numbers that are right for a single launch."""
        ends = {"other": self.solver.ends[0], "root": self.solver.ends[1], "n": self.n}
        every: dict[str, object] = {name: self.ids.type(x) for name, x in ends.items()}
        every |= {"count": np.int64(size), "arcs": np.int64(self.solver.room.size)}
        every |= {name: np.int32(0) for name in ("before", "here", "turn", "level")}
        every |= {"rounds": np.int64(SEARCH_AFTER_ROUNDS)}
        every |= {"book": self.book, "looked_at": self.looked_at}
        most = size if kernel == "clear" else min(size, self.most)
        return self.bound(kernel, most, **every)

    def _search(self) -> None:
        """Search level by level. The host looks when the device has expanded as many levels as in the
        last search, and then now and then.
        """
        self._launch("clear", self.n)
        level, more, expand = 0, self.levels + 1, self._bound("expand", self.n)
        while True:
            for deep in range(level, level + more):
                expand(level=np.int32(deep))
            level += more
            self._launch("unmark", self.n, level=np.int32(level))  # who have their heights now
            book = self.book.fetch()
            end, found = (int(book[x + level % 4]) for x in (END, FOUND))
            check_count(self.device, end, self.n)
            check_count(self.device, found, self.n - end)
            if not found:
                break
            check_count(self.device, end, self.n, least=level)
            more = max(LAUNCHED_AT_FIRST, level // 4)
        self.levels = int(book[LEVELS])
        check_count(self.device, self.levels, level, least=1)
        self.arrays.wrote("device", *WRITES["bfs"])
        self.listed, self.looked = int(book[START]), 0

    # -- the loop ---------------------------------------------------------------------------------

    def run(self) -> Solver:
        """Push until no excess can reach the sink; heights are exact at the end."""
        arcs = int(self.solver.room.size)
        iteration, looked = 0, 0.0
        self._step("bfs", iteration, self.n, arcs)
        while self.listed:
            if self.placed.only_device:
                iteration = self._launch_rounds(iteration, arcs)
                looked = float(arcs)
            else:
                for name in ROUND:
                    self._step(name, iteration, self.listed, self._arcs_of(self.listed))
                    looked += self.looked
                iteration += 1
                looked += arcs / SEARCH_AFTER_ROUNDS
            if looked >= arcs or not self.listed:
                looked = 0.0
                self._step("bfs", iteration, self.n, arcs)
                self._changed()
        for name in ("room", "excess", "height"):
            getattr(self.solver, name)[:] = self.arrays.host(name)[0]
        return self.solver

    def _arcs_of(self, vertices: int) -> int:
        """Return about how many arcs so many vertices have."""
        return vertices * int(self.solver.room.size) // max(self.n, 1)

    def _launch_rounds(self, iteration: int, arcs: int) -> int:
        """Run rounds on the device until a search is worth it, which it finds out by itself; return the
        number of the next round. The host only looks now and then.
        """
        device, count = self.device, self.listed
        assert device is not None
        on_cores = device.found.shares_cores
        ahead = ROUNDS_ON_CORES if on_cores else LAUNCHED_AT_FIRST
        turn, more, looked = 0, ahead if on_cores else self.rounds, 0
        preflow = self._bound("preflow", self.n)
        self.arrays.swap("work", "out")
        adjust = self._bound("adjust", self.n)
        self.arrays.swap("work", "out")
        while count and looked < SEARCH_AFTER_ROUNDS * arcs:
            with device.timed() as seconds:
                for here in range(turn, turn + more):
                    preflow(**_places(here)[0])
                    adjust(**_places(here)[1])
            book = self.book.fetch()
            for here in range(more):
                if not count or looked >= SEARCH_AFTER_ROUNDS * arcs:
                    break
                counted = book[4 * ((turn + here) % RING) :][:4].tolist()
                for k, (name, listed) in enumerate(zip(ROUND, counted[::2], strict=True)):
                    call = self._call(name, iteration, count, self._arcs_of(count))
                    self.placed.note(call, "device", sum(seconds[2 * here + k :][:1]))
                    check_count(device, listed, self.n)
                    count = listed
                seen = sum(int(np.uint32(x)) for x in counted[1::2])
                looked += SEARCH_AFTER_ROUNDS * seen + arcs
                iteration += 1
                self.rounds = turn + here + 1
            turn, more = turn + more, min(ahead, SEARCH_AFTER_ROUNDS - turn - more)
        self.arrays.wrote("device", *WRITES["preflow"], *WRITES["push-adjust"], "work")
        self.listed = count
        return iteration

    def _changed(self) -> None:
        """Check that pushing since the last search has changed something; without, it never would.

        Raises
        ------
        DeviceError
            If excess and heights are as they were, several times in a row.
        """
        if self.placed.only_device:
            self._launch("checksum", self.n)
            now = int(self.book.fetch(CHECKSUM, CHECKSUM + 1)[0])
        else:
            excess, height = self.arrays.host("excess", "height")
            now = hash((excess.tobytes(), height.tobytes()))
        self.searches_alike = self.searches_alike + 1 if now == self.seen else 0
        self.seen = now
        self.advances(SEARCHES_ALIKE - self.searches_alike, SEARCHES_ALIKE)

    def _step(self, name: str, iteration: int, count: int, arcs: int) -> None:
        """Run a kernel, whose list becomes the next one's work; ``listed`` says how long that is."""
        call = self._call(name, iteration, count, arcs)
        call = call._replace(moves=self.moves(*LAUNCHES.get(name, (name,))))
        undo = self._saved() if self.placed.oracle else None
        self.placed.step(
            call, lambda: self.host(name, count), lambda: self.there(name, count), undo
        )
        self.arrays.swap("work", "out")
        check_count(self.device, self.listed, self.n)

    def _call(self, name: str, iteration: int, count: int, arcs: int) -> Call:
        """Return what a policy looks at. The available parallelism is that of the vertices with excess;
        for a search, of those that pushing has left.
        """
        if name != "bfs":
            self.active = count
            self.most_active = max(self.most_active, count)
        return Call(name, iteration, count, arcs, self.n, self.active / max(self.most_active, 1))

    def _saved(self) -> Callable[[], None]:
        """Return what puts everything back as it is now: a kernel of the oracle runs several times."""
        before = {name: self.arrays.host(name)[0].copy() for name in CHANGED}

        def restore() -> None:
            for name, array in before.items():
                self.arrays.host(name)[0][:] = array
                self.arrays.wrote("host", name)
                self.arrays.there(name)  # copies, if any, are not the kernel's

        return restore


@functools.cache
def _places(turn: int) -> tuple[dict[str, np.int32], dict[str, np.int32]]:
    """Return where both kernels of a round find the lengths of their lists, and where they count."""
    here = 4 * (turn % RING)
    first = START if turn == 0 else 4 * ((turn - 1) % RING) + 2
    made = ({"before": first, "here": here}, {"before": here, "here": here + 2})
    one, two = ({k: np.int32(v) for k, v in (x | {"turn": turn}).items()} for x in made)
    return one, two
