"""What campaigns cost: 1,000 tasks of 10 ms on two workers, in processes and on Dask."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator

from harness import Table, main, rounded

from tachograph.journal.campaign import Campaign, Executor
from tachograph.scale.cluster import connect
from tachograph.scale.executor import Dask
from tachograph.util.executor import Local


def wait(number: int, seconds: float) -> dict[str, int]:
    """A task that leaves the core to others, as on a machine with a core to spare."""
    time.sleep(seconds)
    return {"number": number}


def timed(kind: str, executor: Executor, count: int, seconds: float) -> float:
    """Return the seconds of a campaign whose results are right."""
    tasks = [{"number": i, "seconds": seconds} for i in range(count)]
    begin = time.perf_counter()
    found = Campaign(kind, "campaign:wait", tasks).records(executor)
    taken = time.perf_counter() - begin
    assert found == [{"number": i} for i in range(count)]
    return taken


def measure(tasks: int = 1000, seconds: float = 0.01) -> Iterator[Table]:
    os.environ["TACHOGRAPH_HOME"] = tempfile.mkdtemp()
    rows = [["at least", *rounded([tasks * seconds / 2])]]
    rows.append(["processes", *rounded([timed("processes", Local(2), tasks, seconds)])])
    begin = time.perf_counter()
    with connect(workers=2) as client:
        rows.append(["Dask", *rounded([timed("dask", Dask(client), tasks, seconds)])])
    rows.append(["Dask, with the cluster", *rounded([time.perf_counter() - begin])])
    title = f"{tasks:,} tasks of {seconds * 1e3:.0f} ms on two workers"
    yield Table(title, ["", "s"], rows)


if __name__ == "__main__":
    main(measure)
