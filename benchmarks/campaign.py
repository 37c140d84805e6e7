"""What campaigns cost: 1,000 tasks of 10 ms on two workers, in processes and on Dask."""

from __future__ import annotations

import os
import tempfile
import time

from tachograph.journal.campaign import Campaign, Executor
from tachograph.journal.processes import Local
from tachograph.scale.campaign import Dask
from tachograph.scale.cluster import connect

TASKS, SECONDS = 1000, 0.01


def wait(number: int, seconds: float) -> dict[str, int]:
    """A task that leaves the core to others, as on a machine with a core to spare."""
    time.sleep(seconds)
    return {"number": number}


def timed(kind: str, executor: Executor) -> float:
    """Seconds of a campaign whose results are right."""
    tasks = [{"number": i, "seconds": SECONDS} for i in range(TASKS)]
    begin = time.perf_counter()
    found = Campaign(kind, "campaign:wait", tasks).records(executor)
    seconds = time.perf_counter() - begin
    assert found == [{"number": i} for i in range(TASKS)]
    return seconds


def main() -> None:
    os.environ["TACHOGRAPH_HOME"] = tempfile.mkdtemp()
    ideal = TASKS * SECONDS / 2
    print(f"{TASKS} tasks of {SECONDS * 1e3:.0f} ms on two workers; at least {ideal:.1f} s")
    print(f"processes, their start included: {timed('processes', Local(2)):.2f} s")
    begin = time.perf_counter()
    with connect(workers=2) as client:
        taken = timed("dask", Dask(client))
    whole = time.perf_counter() - begin
    print(f"Dask: {taken:.2f} s, with start and end of the cluster {whole:.2f} s")


if __name__ == "__main__":
    main()
