"""Requests to the lab with odd arguments, as another program could send them."""

from __future__ import annotations

import inspect
import json
import random
from pathlib import Path
from typing import Any

from starlette.responses import JSONResponse

import tachograph as tg
from tachograph.journal import Run, journal
from tachograph.lab.api import PANELS, arguments, endpoints
from tachograph.lab.server import Lab

from .damage import ODD, WORDS, one_value

#: Arguments that a request takes which has such a one.
USUAL: dict[str, Any] = {
    "source": "path?n=9",
    "task": "bfs",
    "run": 1,
    "job": 1,
    "vertex": "0",
    "width": 640,
}
USUAL |= {"machine": "hitgraph", "memories": [""], "chosen": {"memory": ""}, "choice": 0}
#: What is told, by the endpoint.
TOLD: dict[str, dict[str, Any]] = {
    "runs": {"task": "bfs", "way": ""},
    "replay": {"start": "0", "policy": "surf", "changes": {}, "level": 0},
    "cell": {}, "row": {},
}  # fmt: skip
SOURCES = ("path?n=9", "kronecker?scale=4&rng=1", "road?rows=3&columns=3&deleted=0.1", "data:x", "file:a.txt?directed=true",
           "tree?n=9&branching=2", "star?n=4&weights=true")  # fmt: skip
TASKS = ("bfs", "sssp", "pagerank", "jaccard", "maximum_flow", "leiden", "spmv", "distances")
STARTS_WORK = {"start", "simulate"}  # on other threads, which nobody waits for


class Asked:
    """Requests of all panels but those that start something."""

    def __init__(self, place: Path) -> None:
        self.lab = Lab()
        self.every = [
            e
            for panel in PANELS
            for e in endpoints(panel)
            if not e.streams and not (e.method == "POST" and e.name in STARTS_WORK)
        ]
        journal().record(
            Run("bfs", {"name": "a", "n": 9}, 1.0, {"source": 0}, trace={"seconds": [1.0]})
        )

    def __call__(self, rng: random.Random) -> bool:
        endpoint = rng.choice(self.every)
        takes = list(inspect.signature(endpoint.function).parameters)[1:]
        told = {name: USUAL[name] for name in takes if name in USUAL}
        if endpoint.name == "run":
            told["run"] = "1"
        if "told" in takes:
            told["told"] = TOLD.get(endpoint.name, {"source": "0", "threads": 1})
        if rng.random() < 0.5:
            told |= {
                k: rng.choice(v) for k, v in (("source", SOURCES), ("task", TASKS)) if k in told
            }
        for _ in range(rng.choice((1, 1, 2))):
            told = one_value(rng, told) if rng.random() < 0.7 else self.text(rng, told)
        if not isinstance(told, dict):
            return False
        try:
            sent = json.loads(json.dumps(told))
            with tg.limits(memory="100 MB", seconds=2):
                JSONResponse(endpoint.function(self.lab, **arguments(endpoint.function, sent)))
        except tg.TachographError:
            return False
        return True

    @staticmethod
    def text(rng: random.Random, told: Any) -> Any:
        """Change a few letters of one text."""
        names = [k for k, v in told.items() if isinstance(v, str)] if isinstance(told, dict) else []
        if not names:
            return one_value(rng, told) if told else rng.choice(ODD)
        name = rng.choice(names)
        at, word = rng.randrange(len(told[name]) + 1), rng.choice(WORDS).decode("latin-1")
        return {**told, name: told[name][:at] + word + told[name][at + rng.randrange(2) :]}
