"""Damaged partition directories, whose hashes are made to match: every task refuses them, or is right."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import asdict
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

import tachograph as tg
from tachograph.graph.files import tgraph
from tachograph.graph.files.streams import Input
from tachograph.graph.graph import Graph
from tachograph.scale import TASKS
from tachograph.scale.manifest import File, Partition, digest, open_partition

from . import must

ODD = [0, 1, -1, 2, 7, 2**31 - 1, -(2**31), 2**62, -(2**63), 2**63 - 1]
VALUES = [*ODD, 0.5, None, True, "x", "", [], {}, float("nan"), float("inf"), [0], [1, 2], 2**80]


def damage_arrays(chance: random.Random, path: Path) -> None:
    """Change numbers in the arrays of a piece, or the size or type of an array."""
    graph = tgraph.mapped(Input(path))[0]
    arrays = {"indptr": np.array(graph.indptr), "indices": np.array(graph.indices)}
    if graph.weights is not None:
        arrays["weights"] = np.array(graph.weights)
    meta = {k: np.array(v) if isinstance(v, np.ndarray) else v for k, v in graph.meta.items()}
    for _ in range(chance.randint(1, 2)):
        name = chance.choice([*arrays, *meta])
        home = arrays if name in arrays else meta
        array = home[name]
        if not isinstance(array, np.ndarray):
            home[name] = chance.choice(VALUES)
            continue
        how = chance.random()
        if how < 0.7 and array.size:
            place = chance.randrange(array.size)
            value = chance.choice([*ODD, int(array[place]) + 1, int(array[place]) - 1, array.size])
            with np.errstate(all="ignore"):
                array[place] = np.array(value).astype(array.dtype)
        elif how < 0.8:
            home[name] = array[: chance.randrange(array.size + 1)].copy()
        elif how < 0.9:
            home[name] = np.append(array, array[:1])
        elif how < 0.95:
            home[name] = array.astype(chance.choice([np.int64, np.int32, np.float64, np.uint8]))
        else:
            home[name] = chance.sample(list(array), array.size) if name in meta else array[::-1]
            home[name] = np.array(home[name], array.dtype)
    weights = arrays.get("weights")
    made = Graph(arrays["indptr"], arrays["indices"], weights, directed=True, meta=meta,
                 is_sorted=True, m=graph.m)  # fmt: skip
    with path.open("wb") as out:
        tgraph.write(made, out)


def damage_manifest(chance: random.Random, content: dict) -> None:
    """Change an entry of the manifest, at any depth."""
    place, key = content, chance.choice(list(content))
    while isinstance(place[key], list | dict) and place[key] and chance.random() < 0.7:
        place = place[key]
        key = (
            chance.choice(list(place)) if isinstance(place, dict) else chance.randrange(len(place))
        )
    if chance.random() < 0.2 and isinstance(place, list):
        place.append(place[0])
    else:
        place[key] = chance.choice(VALUES)


def damage_bytes(chance: random.Random, path: Path) -> None:
    """Flip bytes, cut the file or repeat a part of it."""
    content = bytearray(path.read_bytes())
    for _ in range(chance.randint(1, 4)):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    if chance.random() < 0.3:
        del content[chance.randrange(len(content)) :]
    path.write_bytes(content)


def rehash(directory: Path, content: dict) -> None:
    """Make the hashes of the manifest those of the files."""
    for files in content["files"]:
        for k, file in enumerate(files):
            path = directory / file["name"]
            files[k] = asdict(File(file["name"], path.stat().st_size, digest(path)))


def forged(chance: random.Random, original: Path, directory: Path) -> None:
    """Copy a partition and damage it, hashes made to match."""
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(original, directory)
    manifest = directory / "partition.json"
    content = json.loads(manifest.read_text())
    path = chance.choice(sorted(directory.glob("*.tgraph")))
    how = chance.random()
    if how < 0.6:
        damage_arrays(chance, path)
    elif how < 0.7:
        damage_bytes(chance, path)
    rehash(directory, content)
    if how >= 0.7:
        damage_manifest(chance, content)
    manifest.write_text(json.dumps(content))
    if how > 0.95:
        damage_bytes(chance, manifest)


def arcs_of(made: Partition) -> np.ndarray:
    """All arcs of the pieces as a matrix."""
    found = np.zeros((made.n, made.n), bool)
    for index in range(made.parts):
        piece = made.piece(index)
        found[piece.ids[piece.out.arc_sources()], piece.ids[piece.out.indices]] = True
    return found


class Partitions:
    """Directories that were damaged below the hashes."""

    def __init__(self, place: Path) -> None:
        rng = np.random.default_rng(1)
        ends = rng.integers(0, 40, (2, 150))
        graphs = {
            "undirected": tg.kronecker(6, rng=1),
            "directed": tg.Graph.from_edges(*ends, n=40, directed=True),
            "weights": tg.Graph.from_edges(*ends, rng.random(150), n=40, directed=True),
        }
        self.place, self.forged = [place / name for name in graphs], place / "forged"
        for path, graph in zip(self.place, graphs.values(), strict=True):
            tg.scale.partition(graph, parts=3, directory=path)
            shutil.copytree(path, self.forged)
            for task in TASKS:
                must(self.runs(task, 7), "a sound partition was refused")
            shutil.rmtree(self.forged)

    def __call__(self, rng: random.Random) -> bool:
        forged(rng, rng.choice(self.place), self.forged)
        return self.runs(rng.choice(list(TASKS)), rng.randrange(20))

    def runs(self, task: str, source: int) -> bool:
        """Whether the task accepts the directory; what it finds must be right."""
        try:
            found = getattr(tg.scale, task)(self.forged, *([source] if TASKS[task][1] else []))
            made = open_partition(self.forged)
        except tg.TachographError:
            return False
        matrix = sparse.csr_array(arcs_of(made))
        if task == "connected_components":
            count, _ = csgraph.connected_components(matrix, connection="weak")
            must(np.unique(found.labels).size == count, "components")
        elif task == "bfs":
            steps = csgraph.dijkstra(matrix, indices=source, unweighted=True)
            must(np.array_equal(np.where(steps < np.inf, steps, -1), found.levels), "levels")
        return True
