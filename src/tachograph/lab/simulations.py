"""Simulations of the lab: their queue, the questions that they answer, and what they have to show."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..plots import charts
from ..plots import numbers as show
from ..plots.axes import Axis
from ..plots.memory import bandwidth
from ..tasks.watch import watching
from .asking import Asked
from .elsewhere import Found, Machine, Place
from .jobs import Jobs, Queued

__all__ = ["Places", "Simulating", "Simulations", "detail"]

KEPT_PLACES = 8
SECTOR_BYTES = 32  # of a GPU's memory


class Places:
    """The last questions."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Place] = OrderedDict()

    def of(self, asked: Asked) -> Place:
        """Return the place of a question; one that was asked before knows what was found."""
        told = {k: v for k, v in asked.arguments.items() if k != "vector"}
        key = f"{asked.opened.source} {asked.task.name} {told}"
        place = self._kept.get(key)
        if place is None or place.question.graph is not asked.opened.graph:
            place = self._kept[key] = Place(asked)
        self._kept.move_to_end(key)
        while len(self._kept) > KEPT_PLACES:
            self._kept.popitem(last=False)
        return place


@dataclass
class Simulating(Queued):
    """Machines that are simulated one after the other."""

    place: Place | None
    machines: Sequence[Machine]
    done: int = 0

    def perform(self) -> None:
        """Simulate those that nobody has simulated yet."""
        assert self.place is not None
        with watching() as self.watch:
            for machine in self.machines:
                if machine not in self.place.found:
                    self.place.simulate(machine)
                self.done += 1

    def let_go(self) -> None:
        """Forget the graph."""
        self.place = None


class Simulations(Jobs[Simulating]):
    """The simulations of a lab."""

    what = "simulation"

    def start(self, place: Place, machines: Sequence[Machine]) -> Simulating:
        """Add simulations; they begin when what was asked for before has ended."""
        return self.add(lambda number: Simulating(place, machines, number=number))

    def of(self, place: Place, machine: Machine) -> int | None:
        """Return the number of the simulation of a machine that is not over; None if there is none."""
        for job in [*self.jobs.values()]:
            if job.place is place and machine in job.machines:
                return job.number
        return None


def detail(found: Found, width: float) -> dict[str, Any]:
    """Return what a simulation has to show: bandwidth over time, phases, row hits."""
    numbers = found.numbers
    if "series" in numbers:
        return _of_accelerator(found, width)
    if "shares" not in numbers:
        return {}  # it was run here
    trace, rounds = found.trace, len(found.trace.get("seconds", ()))
    begins = [sum(trace["seconds"][:k]) for k in range(rounds)]
    speeds, hits = [], []
    for k, begin in enumerate(begins):
        fetched, asked_for = trace["fetched"][k], trace["sectors"][k]
        rate = fetched * SECTOR_BYTES / max(trace["seconds"][k], 1e-12) / 1e9
        speeds.append((begin, rate))
        hits.append((begin, 1 - fetched / max(asked_for, 1)))
    if speeds:  # the last step ends with the run
        end = sum(trace["seconds"])
        speeds.append((end, speeds[-1][1]))
        hits.append((end, hits[-1][1]))
    axes = (
        Axis("simulated time", show.seconds, "exact", 6),
        Axis("GB/s", ticks=4),
        Axis("L2 hits", show.percent),
    )
    over_time = [
        charts.Series("memory GB/s", speeds, "steps"),
        charts.Series("share of L2 hits", hits, "steps", right=True),
    ]  # fmt: skip
    shares = numbers["shares"]
    parts = [(k, max(0.0, shares[k]), "simulated") for k in ("launch", "issue", "l2", "dram")]
    return {
        "facts": [
            ("rounds", show.count(numbers["iterations"])),
            ("copies would add", show.seconds(numbers["copy_seconds"])),
        ],
        "charts": [
            charts.xy("Memory over time, simulated", over_time, axes, width).svg(styled=False),
            charts.bars(parts, "Where the time goes (parts overlap)", width).svg(styled=False),
        ],
    }


def _of_accelerator(found: Found, width: float) -> dict[str, Any]:
    numbers = found.numbers
    phases = [
        (name, float(part["seconds"]), "simulated")
        for name, part in numbers["phases"].items()
        if isinstance(part, dict) and "seconds" in part
    ]
    requests = [(k, float(v), "simulated") for k, v in numbers["requests"].items()]
    made = [bandwidth({numbers["standard"]: numbers["series"]}, width)]
    made.append(charts.bars(phases, "Time of each phase", width))
    made.append(charts.bars(requests, "Requests by kind", width, show.short))
    joules = numbers.get("joules")
    return {
        "facts": [
            ("iterations", show.count(numbers["iterations"])),
            ("mean GB/s", show.count(numbers["gbps"])),
            ("share of the peak", show.percent(numbers["peak_share"])),
            ("row hits", show.percent(numbers["row_hit_rate"])),
            ("requests", show.count(sum(numbers["requests"].values()))),
            ("edges read in a second", show.short(numbers["reps"])),
            *([("energy of the memory", f"{joules:.3g} J")] if joules is not None else []),
        ],
        "charts": [drawn.svg(styled=False) for drawn in made],
    }
