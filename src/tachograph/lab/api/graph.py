"""The panel Graph: which graphs there are, what is known of one, and files that are dropped."""

from __future__ import annotations

import re
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ...graph.graph import Graph
from ...plots import numbers as show
from ...plots.network import degrees, network
from ...util import memory
from ...util.errors import InputError, TooLargeError
from ...util.memory import human
from ...util.text import number_in, plain
from ..sources import data_sets, sliders, vertex_of
from . import Endpoint

if TYPE_CHECKING:
    from ..server import Lab

__all__ = ["ENDPOINTS"]

WHOLE_VERTICES = 120  # a graph with more is shown by a neighbourhood
DRAWN_VERTICES = 80  # of a neighbourhood
NEIGHBOURS = 9  # of a vertex that a neighbourhood goes on to
DRAWN_LINES = 1500
SAFE_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def start(lab: Lab) -> dict[str, Any]:
    """Return what can be opened."""
    return {
        "open": lab.sources.known(),
        "data_sets": data_sets(),
        "generators": sliders(),
        "room": memory.available(),
    }


def describe(lab: Lab, source: str, width: float = 640) -> dict[str, Any]:
    """Return what is known of a graph: its sizes, features and degrees, and a picture."""
    opened = lab.sources.open(source)
    graph = opened.graph
    words = "directed" if graph.directed else "undirected"
    words += ", weighted" if graph.weighted else ", unweighted"
    return {
        "source": source,
        "name": plain(opened.name),
        "n": graph.n,
        "m": graph.m,
        "facts": [
            ["vertices", show.count(graph.n)],
            ["edges", show.count(graph.m)],
            ["kind", words + (", named" if graph.named else "")],
            ["memory", human(graph.nbytes)],
        ],
        "features": _features(graph),
        "degrees": degrees(graph.features.degree_counts, width).svg(styled=False),
        "picture": _picture(graph, None, width),
        "python": opened.code("print(g.features)"),
        "command": opened.command("info {graph}"),
    }


def picture(lab: Lab, source: str, vertex: str, width: float = 640) -> dict[str, Any]:
    """Return a picture of what is around a vertex."""
    opened = lab.sources.open(source)
    centre = vertex_of(opened, vertex)
    return {"picture": _picture(opened.graph, centre, width)}


def _features(graph: Graph) -> list[list[str]]:
    """Return the features as words, in their order."""
    made = []
    for name, value in graph.features.to_dict().items():
        if name in ("n", "m") or value is None:
            continue
        if isinstance(value, dict):
            text = ", ".join(f"{k} {show.count(round(v, 6))}" for k, v in value.items())
        else:
            text = show.count(round(value)) if abs(value) >= 1000 else f"{value:.4g}"
        made.append([name.replace("_", " "), text])
    return made


def _picture(graph: Graph, centre: int | None, width: float) -> str:
    """Draw all of a small graph, or what is around a vertex, by default that of highest degree."""
    if not graph.n:
        return ""
    if graph.n <= WHOLE_VERTICES:
        chosen = np.arange(graph.n)
        title = "The whole graph"
    else:
        first = int(graph.degrees.argmax()) if centre is None else centre
        chosen = _around(graph, first)
        title = f"Around vertex {_name(graph, first)}"
        centre = first
    place = {int(v): k for k, v in enumerate(chosen)}
    pairs = set()
    for v, k in place.items():
        row = graph.row(v)
        for u in row[np.isin(row, chosen)].tolist():
            if u != v:
                pairs.add((min(k, place[u]), max(k, place[u])))
    ends = np.array(sorted(pairs)[:DRAWN_LINES], np.int64).reshape(-1, 2)
    sizes = [int(graph.degrees[v]) for v in chosen]
    names = [
        f"vertex {_name(graph, int(v))}\n{show.count(d)} arcs"
        for v, d in zip(chosen, sizes, strict=True)
    ]
    marked = None if centre is None else place.get(centre)
    return network(names, ends, sizes, title, marked, width).svg(styled=False)


def _name(graph: Graph, vertex: int) -> str:
    return plain(vertex if graph.names is None else graph.names[vertex])


def _around(graph: Graph, first: int) -> np.ndarray:
    """Return vertices around one: of each, only some neighbours, spread over its row."""
    found, at = [first], 0
    seen = {first}
    while at < len(found) and len(found) < DRAWN_VERTICES:
        row = graph.row(found[at])
        places = np.linspace(0, max(row.size - 1, 0), min(NEIGHBOURS, row.size)).astype(np.int64)
        for u in row[places].tolist():
            if u not in seen and len(found) < DRAWN_VERTICES:
                seen.add(u)
                found.append(u)
        at += 1
    return np.array(found)


async def upload(lab: Lab, request: Request) -> Response:
    """Keep a file that was dropped, and return its source; it is read when it is described."""
    name = Path(request.query_params.get("name", "")).name
    if not name:
        raise InputError("a dropped file needs a name")
    room = memory.available()
    promised = request.headers.get("content-length", "0")
    _must_fit(name, number_in(promised, 0), room)
    size = 0
    kept = ExitStack()  # what is removed unless the whole file comes
    with kept:
        try:
            folder = Path(tempfile.mkdtemp(dir=lab.directory))
            kept.callback(shutil.rmtree, folder, ignore_errors=True)
            path = (
                folder / f"graph-{SAFE_NAME.sub('_', name)[-80:]}"
            )  # its suffix may tell the format
            with path.open("wb") as out:
                async for part in request.stream():
                    size += len(part)
                    _must_fit(name, size, room)
                    out.write(part)
        except OSError as error:
            raise InputError(f"cannot keep {plain(name)}: {error.strerror or error}") from error
        kept.pop_all()
    source = lab.sources.add_file(name, path)
    return JSONResponse({"source": source, "bytes": size, "name": plain(name)})


def _must_fit(name: str, size: int, room: int | None) -> None:
    if room is not None and size > room:
        raise TooLargeError(
            f"{plain(name)} is larger than the {human(room)} that may be used: take a smaller file, "
            "or allow more memory"
        )


ENDPOINTS = (
    Endpoint("start", start),
    Endpoint("describe", describe, "POST"),
    Endpoint("picture", picture, "POST"),
    Endpoint("upload", upload, "POST", streams=True),
)
