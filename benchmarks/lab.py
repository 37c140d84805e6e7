"""How quick the lab is: python benchmarks/lab.py [--rounds 9]; needs Chromium and the extra dev

- The first paint of the page, in a browser that has seen nothing of it.
- A move of a slider of the panel Ask, on a graph with a million edges: from the event to the ways that
  are ranked anew.
- Watching a run: the time of runs that a page follows and of runs that nobody looks at, in turns.
"""

from __future__ import annotations

import json
import shutil
import statistics
import threading
import time
from collections.abc import Iterator
from urllib.parse import quote
from urllib.request import Request, urlopen

from harness import Table, in_turns, main, rounded
from playwright.sync_api import Browser, Page, sync_playwright

from tachograph.lab.runs import Runs
from tachograph.lab.server import Lab, listen

MILLION = "kronecker?scale=16&edge_factor=18&rng=1&weights=true"
ROADS = "road?rows=3000&columns=3000&rng=1"
LARGE = "kronecker?scale=20&rng=1"
SMALLER = "kronecker?scale=13&rng=1"
SETTLED_SECONDS = 1.0  # after a page was loaded, before somebody presses its button
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
#: Moves a slider; returns the milliseconds until the candidates are new.
MOVED = """async ([label, value]) => {
    const named = [...document.querySelectorAll("label")].find((l) => l.textContent === label);
    const range = document.getElementById(named.htmlFor);
    const shown = document.querySelector(".two > .stack");
    const begin = performance.now();
    const done = new Promise((heard) => new MutationObserver(heard).observe(shown, {childList: true}));
    range.value = value;
    range.dispatchEvent(new Event("input", {bubbles: true}));
    await done;
    return performance.now() - begin;
}"""


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
        page.get_by_role("region", name="Ways to run it").wait_for(timeout=120_000)
        taken = [page.evaluate(MOVED, [label, values[k % len(values)]]) for k in range(rounds + 2)]
        name = f"{task}: {label}" + ", two GPUs ticked" * bool(more)
        yield name, taken[2:]  # the first ones compute features


def watched(
    lab: Lab, page: Page, url: str, source: str, task: str, rounds: int
) -> dict[str, list[float]]:
    """Seconds of runs, followed by a page and by nobody."""

    def post(path: str, told: dict[str, object]) -> dict[str, object]:
        asked = Request(f"{url}api/run/{path}", json.dumps(told).encode(), method="POST")
        return json.load(urlopen(asked))

    def result(number: object) -> float:
        job = lab.queue(Runs).job(int(str(number)))
        job.ended.wait()
        assert job.outcome is not None, job.error
        time.sleep(0.5)  # the page shows what it came to
        return job.outcome.seconds

    question = {"source": source, "task": task, "told": {}}

    def alone() -> float:
        time.sleep(SETTLED_SECONDS)
        return result(post("start", question)["run"])

    def followed() -> float:
        page.goto("about:blank")
        page.goto(f"{url}#/run?task={task}&graph={quote(source, safe='')}")
        page.get_by_role("heading", name="Candidates").wait_for(timeout=120_000)
        time.sleep(SETTLED_SECONDS)
        before = set(lab.queue(Runs).jobs)
        page.get_by_role("button", name="Run it").click()
        while not (new := set(lab.queue(Runs).jobs) - before):
            time.sleep(0.02)
        return result(*new)  # Playwright would look at the page in every frame

    return in_turns({"alone": alone, "watched": followed}, rounds)


def _waiting(browser: Browser, page: Page, url: str, rounds: int) -> Table:
    waits = {"first paint": paints(browser, url, rounds), **dict(moves(page, url, rounds))}
    rows = [[n, *rounded([statistics.median(t), max(t)])] for n, t in waits.items()]
    return Table("What a person waits for", ["", "median ms", "longest"], rows)


def _watching(lab: Lab, page: Page, url: str, rounds: int) -> Table:
    rows = []
    for name, source, task in (
        ("roads", ROADS, "sssp"),
        ("Kronecker", LARGE, "pagerank"),
        ("Kronecker", SMALLER, "betweenness_centrality"),
    ):
        times = watched(lab, page, url, source, task, rounds)
        least = {k: min(v) for k, v in times.items()}
        middle = {k: statistics.median(v) for k, v in times.items()}
        ratios = [times_["watched"] / times_["alone"] for times_ in (least, middle)]
        rows.append([f"{task}, {name}", *rounded([least["alone"], *ratios])])
    columns = ["", "least seconds alone", "watched / alone, least", "median"]
    return Table("Watching a run", columns, rows)


def measure(rounds: int = 9, only: str = "") -> Iterator[Table]:
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
            yield _watching(listening.lab, page, url, rounds)
        browser.close()
    listening.stop()


if __name__ == "__main__":
    main(measure)
