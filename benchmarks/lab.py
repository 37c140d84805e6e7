"""How quick the lab is: python benchmarks/lab.py; needs Chromium and the extra dev

- The first paint of the page, in a browser that has seen nothing of it.
- A move of a slider of the panel Ask, on a graph with a million edges: from the event to the ways that
  are ranked anew.
- Watching a run: runs that a page follows and runs that nobody looks at, in turns. Medians of pairs,
  with intervals that hold 95 times of 100. Times of cores have less noise than times: what those who
  watch take of one core is lost to a run whose threads wait for each other and have no core to spare.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from harness import Table, in_turns, main, rounded
from playwright.sync_api import Browser, Page, sync_playwright

from tachograph.lab.runs import Runs
from tachograph.lab.server import Lab, listen

MILLION = "kronecker?scale=16&edge_factor=18&rng=1&weights=true"
ROADS = "road?rows=4000&columns=4000&rng=1&weights=true"
LARGE = "kronecker?scale=20&rng=1"
SMALLER = "kronecker?scale=13&rng=1"
SETTLED_SECONDS = 0.7  # in which a page shows what the last run came to
ANSWER_SECONDS = 120.0  # a lab or a page that takes longer than this for anything does not work
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
#: Moves a slider; returns the milliseconds until the candidates are new.
MOVED = """async ([label, value, longest]) => {
    const named = [...document.querySelectorAll("label")].find((l) => l.textContent === label);
    const range = document.getElementById(named.htmlFor);
    const shown = document.querySelector(".two > .stack");
    const begin = performance.now();
    const done = new Promise((heard, failed) => {
        new MutationObserver(heard).observe(shown, {childList: true});
        setTimeout(() => failed(new Error(`no new candidates in ${longest} ms`)), longest);
    });
    range.value = value;
    range.dispatchEvent(new Event("input", {bubbles: true}));
    await done;
    return performance.now() - begin;
}"""


def waited(what: str, has: Callable[[], bool]) -> None:
    """Wait until something has happened; if that takes too long, ``what`` says what is wrong."""
    latest = time.monotonic() + ANSWER_SECONDS
    while not has():
        if time.monotonic() > latest:
            raise TimeoutError(f"in {ANSWER_SECONDS:g} seconds, {what}")
        time.sleep(0.001)


def paints(browser: Browser, url: str, rounds: int) -> list[float]:
    """Milliseconds to the first paint, each in a context of its own."""
    found = []
    for _ in range(rounds):
        context = browser.new_context()
        page = context.new_page()
        page.goto(url)
        page.wait_for_function(PAINTED)
        found.append(page.evaluate(PAINTED))
        context.close()
    return found


def moves(page: Page, url: str, rounds: int) -> Iterator[tuple[str, list[float]]]:
    """Milliseconds of moves of two sliders."""
    for task, label, values, more in (
        ("bfs", "Threads", (1, 2), ""),
        ("sssp", "Error that is allowed", [0.005 * k for k in range(2, 60)], ""),
        ("bfs", "Threads", (1, 2), "&device=rtx3080,v100"),
        (
            "sssp",
            "Error that is allowed",
            [0.005 * k for k in range(2, 60)],
            "&device=rtx3080,v100",
        ),
    ):
        page.goto("about:blank")
        page.goto(f"{url}#/ask?task={task}&graph={quote(MILLION, safe='')}{more}")
        page.get_by_role("region", name="Ways to run it").wait_for(timeout=1000 * ANSWER_SECONDS)
        taken = [
            page.evaluate(MOVED, [label, values[k % len(values)], 1000 * ANSWER_SECONDS])
            for k in range(rounds + 2)
        ]
        name = f"{task}: {label}" + ", two GPUs ticked" * bool(more)
        yield name, taken[2:]  # the first ones compute features


class Cores:
    """Seconds of the cores that were spent since the last reading: by runs, and by who watches.

    Runs are the lab's thread for them and the workers of kernels. Who watches is everybody else in
    this process, which serves, and all processes below it: those of the browser. The clocks are chosen
    before, so that reading them takes microseconds.
    """

    RUNS = ("lab-jobs", "tachograph-")

    def __init__(self) -> None:
        threads = [t for t in threading.enumerate() if t.name.startswith(self.RUNS)]
        self._runs = [time.pthread_getcpuclockid(t.ident or 0) for t in threads]
        self._processes = [~process << 3 | 2 for process in _below(os.getpid())]  # as Linux has it
        self._before = self._now()

    def spent(self) -> tuple[float, float]:
        """Return the seconds of runs and of who watches, and begin anew."""
        before, self._before = self._before, self._now()
        return self._before[0] - before[0], self._before[1] - before[1]

    def _now(self) -> tuple[float, float]:
        runs = sum(map(time.clock_gettime, self._runs))
        return runs, sum(map(time.clock_gettime, self._processes)) - runs


def _below(process: int) -> Iterator[int]:
    """Yield a process and those that it has started, and so on."""
    yield process
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            for child in children.read_text().split():
                yield from _below(int(child))


class Watched(NamedTuple):
    """What was measured of pairs of runs: who is watched over who is not."""

    alone: list[float]  # seconds
    wall: list[float]  # ratios
    cores: list[float]  # of the time of cores that the run itself took
    watching: list[float]  # seconds of cores by who watches, over the seconds of the run


def watched(
    lab: Lab, page: Page, url: str, source: str, task: str, told: dict[str, str], rounds: int
) -> Watched:
    """Run in turns, followed by a page and by nobody; the page is open all the time."""
    runs, question = lab.queue(Runs), {"source": source, "task": task, "told": told}
    page.goto("about:blank")
    page.goto(f"{url}#/run?{urlencode({'task': task, 'graph': source, **told})}")
    page.get_by_role("heading", name="Candidates").wait_for(timeout=1000 * ANSWER_SECONDS)
    rest: dict[str, list[tuple[float, float]]] = {"alone": [], "watched": []}

    def taken(name: str, start: Callable[[], object]) -> float:
        time.sleep(SETTLED_SECONDS)  # the page has shown what the last run came to
        before, cores = set(runs.jobs), Cores()
        start()
        waited("no run was asked for", lambda: bool(set(runs.jobs) - before))
        job = runs.job(*set(runs.jobs) - before)
        # it is planned, and waits until the page has drawn itself
        waited("a run did not begin", lambda: job.watch is not None or job.over)
        cores.spent()
        if not job.ended.wait(ANSWER_SECONDS):  # Playwright would look at the page in every frame
            raise TimeoutError(f"in {ANSWER_SECONDS:g} seconds, a run did not end")
        rest[name].append(cores.spent())
        assert job.outcome is not None, job.error
        return job.outcome.seconds

    def post() -> None:
        asked = Request(f"{url}api/run/start", json.dumps(question).encode(), method="POST")
        urlopen(asked, timeout=ANSWER_SECONDS).read()

    def click() -> None:
        page.get_by_role("button", name="Run", exact=True).click()

    turns = {"alone": lambda: taken("alone", post), "watched": lambda: taken("watched", click)}
    times = in_turns(turns, rounds)
    alone, followed = (rest[name][-rounds:] for name in turns)
    pairs = list(zip(times["alone"], times["watched"], alone, followed, strict=True))
    return Watched(
        times["alone"],
        [w / a for a, w, _, _ in pairs],
        [f[0] / o[0] for _, _, o, f in pairs],
        [(f[1] - o[1]) / w for _, w, o, f in pairs],
    )


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the median, and bounds that hold that of all such pairs 95 times of 100.

    A value is below the true median as often as a coin shows heads, whatever the noise looks like.
    """
    ordered, many = sorted(values), len(values)
    out, chance = 0, 0.0
    while out < many // 2 - 1 and (chance := chance + math.comb(many, out) / 2**many) <= 0.025:
        out += 1
    out = max(out - 1, 0)
    return statistics.median(values), ordered[out], ordered[-1 - out]


def _waiting(browser: Browser, page: Page, url: str, rounds: int) -> Table:
    waits = {"first paint": paints(browser, url, rounds), **dict(moves(page, url, rounds))}
    rows = [[n, *rounded([statistics.median(t), max(t)])] for n, t in waits.items()]
    return Table("What a person waits for", ["", "median ms", "longest"], rows)


def _watching(lab: Lab, page: Page, url: str, rounds: int) -> Table:
    rows = []
    exact = {"tol": "1e-14"}  # so that a run takes a second
    for name, source, task, told in (
        ("roads", ROADS, "sssp", {}),
        ("Kronecker", LARGE, "pagerank", exact),
        ("Kronecker", SMALLER, "betweenness_centrality", {}),
    ):
        found = watched(lab, page, url, source, task, told, rounds)
        cells: list[str | float] = [f"{task}, {name}", *rounded([statistics.median(found.alone)])]
        for ratios in found[1:]:
            middle, low, high = interval(ratios)
            cells += [*rounded([middle]), f"{low:.3f} to {high:.3f}"]
        rows.append(cells)
    columns = [
        "",
        "seconds alone",
        "watched / alone",
        "95 % between",
        "its cores' time, watched / alone",
    ]
    columns += ["95 % between", "cores of who watches, of its time", "95 % between"]
    return Table("Watching a run", columns, rows)


def measure(rounds: int = 9, pairs: int = 12, only: str = "") -> Iterator[Table]:
    """Serve in a thread, and drive a browser; ``only`` is waiting or watching."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    listening = listen(Lab())
    threading.Thread(target=listening.run, daemon=True).start()
    url = listening.url
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        if only != "watching":
            yield _waiting(browser, page, url, rounds)
        if only != "waiting":
            yield _watching(listening.lab, page, url, pairs)
        browser.close()
    listening.stop()


if __name__ == "__main__":
    main(measure)
