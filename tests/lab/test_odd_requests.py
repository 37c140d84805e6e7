"""Any value for any argument of any request is used, or refused by our errors: never a traceback."""

from __future__ import annotations

import inspect
import json
from contextlib import suppress
from typing import Any

import pytest

import tachograph as tg
from tachograph.lab.api import PANELS, Endpoint, arguments, endpoints
from tachograph.lab.server import Lab

starlette = pytest.importorskip("starlette.responses")

#: Arguments that every request takes which needs them.
USUAL: dict[str, Any] = {"source": "path?n=9", "task": "bfs", "told": {}, "machine": "hitgraph"}
USUAL |= {"memories": ["HBM"], "run": 1, "job": 1, "vertex": "0"}
ODD: list[Any] = [
    None, True, -1, 2**63, 10**400, 1.5, float("nan"), float("inf"), 1e308, "", "x", "-1", "9" * 5000, "²",
    "\ud800", "a\0b", [], [None], {}, {"source": None}, {"source": [1]}, {"source": "9" * 5000},
    {"threads": 10**9}, {"memory": [1]}, {"parameter": "x", "value": []}, {"device": [None]}, {"level": 10**30},
    "path?n=0", "path?n=1e400", "path?n=-5", "path?n=1.5", "road?rows=2&columns=2&deleted=nan", "file:%00",
    "kronecker?scale=1e9", "tree?n=10&branching=0", "data:../x",
]  # fmt: skip
ASKED = [(panel, e) for panel in PANELS for e in endpoints(panel) if not e.streams]


@pytest.mark.filterwarnings("ignore::tachograph.TachographWarning")
@pytest.mark.parametrize(("panel", "endpoint"), ASKED, ids=[f"{p}/{e.name}" for p, e in ASKED])
def test_any_value_is_used_or_refused(panel: str, endpoint: Endpoint) -> None:
    tg.bfs(tg.path(9), 0)
    lab = Lab()
    takes = list(inspect.signature(endpoint.function).parameters)[1:]
    usual = {name: USUAL[name] for name in takes if name in USUAL}
    for name in takes:
        for odd in ODD:
            told = json.loads(json.dumps({**usual, name: odd}))
            with suppress(tg.TachographError):
                given = arguments(endpoint.function, told)
                starlette.JSONResponse(endpoint.function(lab, **given))
    lab.close()
