"""Partitions that somebody forged, with hashes that match, are refused; no process dies of them."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

import tachograph as tg
from tachograph.graph.files import tgraph
from tachograph.graph.files.streams import Input
from tachograph.graph.graph import Graph
from tachograph.scale import TASKS
from tachograph.scale.manifest import File, digest


def forge(name, directory="parts", **changes):
    """Write a piece anew with other arrays or meta, and a manifest with its hash."""
    path = Path(directory) / name
    graph = tgraph.mapped(Input(path))[0]
    rows = {k: np.array(getattr(graph, k)) for k in ("indptr", "indices")}
    weights = None if graph.weights is None else np.array(graph.weights)
    meta = dict(graph.meta)
    for key, change in changes.items():
        if key in rows:
            rows[key] = change(rows[key])
        elif change is None:
            del meta[key]
        else:
            meta[key] = change(np.array(meta[key]) if key != "part" else meta[key])
    with path.open("wb") as out:
        made = Graph(*rows.values(), weights, directed=True, meta=meta, is_sorted=True, m=graph.m)
        tgraph.write(made, out)
    manifest = Path(directory) / "partition.json"
    content = json.loads(manifest.read_text())
    for files in content["files"]:
        for k, file in enumerate(files):
            if file["name"] == name:
                files[k] = asdict(File(name, path.stat().st_size, digest(path)))
    manifest.write_text(json.dumps(content))


def put(place, value):
    def change(array):
        array[place] = value
        return array

    return change


LARGE = 2**30
FORGED = {
    "an id above": ({"indices": put(0, LARGE)}, "neighbour outside"),
    "an id below": ({"indices": put(0, -5)}, "neighbour outside"),
    "offsets": ({"indptr": put(3, LARGE)}, "indptr"),
    "a ghost above": ({"ghosts": put(-1, LARGE)}, "ghost outside"),
    "a ghost below": ({"ghosts": put(0, -1)}, "ghost outside"),
    "ghosts in another order": ({"ghosts": lambda a: a[::-1].copy()}, "do not ascend"),
    "an own ghost": ({"ghosts": lambda a: np.sort(put(0, 20)(a))}, "is a ghost"),
    "fewer ghosts": ({"ghosts": lambda a: a[1:].copy()}, "its ghosts and their degrees"),
    "no ghosts": ({"ghosts": None}, "lacks its ghosts"),
    "ghosts of another type": ({"ghosts": lambda a: a.astype(np.float64)}, "lacks its ghosts"),
    "degrees": ({"ghost_degrees": put(0, -1)}, "negative degree"),
    "what is sent, above": ({"sends": put(0, LARGE)}, "not its own"),
    "what is sent, below": ({"sends": put(0, -1)}, "not its own"),
    "where sends begin": ({"send_starts": put(1, LARGE)}, "send_starts"),
    "fewer begins": ({"send_starts": lambda a: a[1:].copy()}, "whom to tell"),
    "another part": ({"part": lambda _: 1}, "says that it is part 1"),
}


@pytest.fixture
def parts():
    graph = tg.kronecker(6, rng=1)
    made = tg.scale.partition(graph, parts=3, directory="parts")
    assert made.cuts[1] <= 20 < made.cuts[2] or made.cuts[1] > 20
    return made


@pytest.mark.parametrize("kind", FORGED)
def test_a_forged_piece_is_refused(parts, kind):
    changes, problem = FORGED[kind]
    if kind == "an own ghost":
        changes = {"ghosts": lambda a: np.sort(put(0, parts.cuts[0])(a))}
    forge("part-0000.tgraph", **changes)
    for task in ("bfs", "connected_components"):
        told = [0] if TASKS[task][1] else []
        with pytest.raises(tg.FileFormatError, match=f"part-0000.tgraph.*{problem}"):
            getattr(tg.scale, task)("parts", *told)
    with pytest.raises(tg.FileFormatError, match=problem):
        parts.piece(0)


def test_ghosts_that_their_owner_does_not_know_of(parts):
    """Each piece alone could be one of a graph."""
    sends = parts.piece(0).sends(1)
    others = np.setdiff1d(np.arange(parts.cuts[1]), sends)
    forge("part-0000.tgraph", sends=put(0, parts.piece(0).begin + others[0]))
    with pytest.raises(tg.FileFormatError, match="parts 1 and 0 are not of the same graph"):
        tg.scale.pagerank("parts")


def test_degrees_that_their_owner_does_not_have(parts):
    """Two parts would wait for each other without end."""
    forge("part-0001.tgraph", ghost_degrees=put(0, 10**6))
    with pytest.raises(tg.FileFormatError, match="parts 1 and 0 are not of the same graph"):
        tg.scale.maximal_independent_set("parts")


def test_a_piece_that_changes_after_its_check_is_checked_again(parts):
    assert parts.piece(0).n
    forge("part-0000.tgraph", indices=put(0, LARGE))
    with pytest.raises(tg.FileFormatError, match="neighbour outside"):
        parts.piece(0)


def test_a_piece_that_is_replaced_by_one_of_its_size_and_time_is_checked_again(parts):
    path, other = Path("parts/part-0000.tgraph"), Path("other")
    assert parts.piece(0).n
    before = path.stat()
    forge(path.name, indices=put(0, LARGE))
    shutil.copyfile(path, other)
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)
    assert path.stat().st_size == before.st_size
    with pytest.raises(tg.FileFormatError, match="neighbour outside"):
        parts.piece(0)


@pytest.mark.parametrize(
    "changes",
    [
        {"n": 10**6}, {"n": -1}, {"n": "64"}, {"n": 2**70, "cuts": [0, 1, 2, 2**70]}, {"m": -1},
        {"cuts": [0, 64]}, {"cuts": [0, 40, 30, 64]}, {"cuts": [5, 10, 20, 64]}, {"cuts": []},
        {"cuts": [0, 1.5, 2, 64]}, {"arcs": []}, {"ghosts": [1]}, {"files": []}, {"directed": 1},
        {"weights": "object"}, {"weights": []}, {"mean": "x"}, {"lightest": None}, {"more": 1},
        {"files": [[{"name": "../../etc/passwd", "bytes": 1, "sha256": ""}]] * 3},
        {"files": [[{"name": "part-0000.tgraph", "bytes": 1, "sha256": ""}]] * 3},
    ],
)  # fmt: skip
def test_a_forged_manifest_is_refused(parts, changes):
    path = Path("parts/partition.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    with pytest.raises(tg.FileFormatError, match="partition.json"):
        tg.scale.connected_components("parts")


def test_a_manifest_with_other_counts_than_its_pieces(parts):
    path = Path("parts/partition.json")
    content = json.loads(path.read_text())
    content["arcs"][1] += 1
    path.write_text(json.dumps(content))
    with pytest.raises(tg.FileFormatError, match="does not describe part 1"):
        tg.scale.connected_components("parts")


@pytest.mark.parametrize("claim", ["weights", "lightest", "heaviest", "arcs"])
def test_a_manifest_that_changes_after_its_check_is_checked_again(claim):
    """What a process knows of a partition counts only as long as the manifest says the same."""
    graph = tg.kronecker(6, rng=1, weights=(1, 9))
    exact = tg.sssp(graph, 0).distances
    parts = tg.scale.partition(graph, parts=3, directory="parts")
    assert np.array_equal(tg.scale.sssp(parts, 0).distances, exact)
    path = Path("parts/partition.json")
    content = json.loads(path.read_text())
    changed = {"weights": None, "arcs": [1] * 3, "lightest": 5.0, "heaviest": 5.0}
    path.write_text(json.dumps({**content, claim: changed[claim]}))
    with pytest.raises(tg.FileFormatError, match="partition.json"):
        tg.scale.sssp("parts", 0)
    path.write_text(json.dumps(content))
    assert np.array_equal(tg.scale.sssp("parts", 0).distances, exact)
