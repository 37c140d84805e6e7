"""Damaged settings that users write: TOML of GPUs, memories and hints, and lists of data sets.

The sound ones are in ``corpus``, a directory for each kind.
"""

from __future__ import annotations

import csv
import io
import math
import os
import random
import re
from pathlib import Path
from typing import Any

import numpy as np

import tachograph as tg
from tachograph.decisions.placement.rules import hinted
from tachograph.decisions.placement.state import KERNELS, Call
from tachograph.graph.datasets import dataset, datasets
from tachograph.simulation.dram import Memory

from . import must
from .damage import few_places
from .readers import MEMORY

CORPUS = Path(__file__).with_name("corpus")
VALUES = ("0", "-1", "1", "7", "64", "true", "1.5", "1e308", "1e-320", "nan", "inf", "-inf", '""', '"x"',
          '"\\ud800"', '"host"', "[]", "{}", "[1, 2]", "[[1]]", "{ a = 1 }", "1979-05-27", "9223372036854775807",
          "99999999999999999999", "0x7fffffff", "'\u001b[31m'", "[" * 2000, "9" * 5000)  # fmt: skip
VALUE = re.compile(rb"= *(.+)|(\d+)")


def odd_settings(rng: random.Random, raw: bytes) -> bytes:
    """Exchange values for odd ones, lines for others, or bytes."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        how = rng.random()
        if how < 0.6 and (places := list(VALUE.finditer(raw))):
            place = rng.choice(places)
            lo, hi = place.span(1 if place[1] is not None else 2)
            raw = raw[:lo] + rng.choice(VALUES).encode(errors="surrogatepass") + raw[hi:]
        elif how < 0.75:
            lines = raw.split(b"\n")
            one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
            if rng.random() < 0.5:
                lines[one], lines[other] = lines[other], lines[one]
            else:
                del lines[one]
            raw = b"\n".join(lines)
        else:
            raw = few_places(rng, raw)
    return raw


class Settings:
    """Files of one kind, whose damaged copies lie under ``name``."""

    kind, name = "", "damaged.toml"

    def __init__(self, place: Path) -> None:
        self.path = place / self.name
        self.seeds = [p.read_bytes() for p in sorted((CORPUS / self.kind).iterdir())]
        self.prepare(place)
        for raw in self.seeds:
            self.path.write_bytes(raw)
            self.use(random.Random(1), raw)

    def prepare(self, place: Path) -> None: ...

    def __call__(self, rng: random.Random) -> bool:
        raw = odd_settings(rng, rng.choice(self.seeds))
        self.path.write_bytes(raw)
        try:
            with tg.limits(memory=MEMORY):
                self.use(rng, raw)
        except tg.TachographError:
            return False
        return True

    def use(self, rng: random.Random, raw: bytes) -> Any: ...


class GPUs(Settings):
    """A search on a simulated GPU of the user's."""

    kind = "gpu"

    def use(self, rng: random.Random, raw: bytes) -> None:
        g = tg.star(40)
        found = tg.simulate("bfs", g, str(self.path), source=0)
        must(0 < found.seconds < math.inf, found)
        must(np.array_equal(found.values["levels"], tg.bfs(g, 0).levels), "levels")


class Memories(Settings):
    """A few requests to a memory of the user's."""

    kind = "memory"

    def use(self, rng: random.Random, raw: bytes) -> None:
        memory = Memory(str(self.path), jedec=b"[jedec]" in raw and rng.random() < 0.5)
        addresses = np.array([rng.randrange(1 << 34) for _ in range(40)])
        found = memory.run(addresses, [rng.random() < 0.3 for _ in addresses], completion=True)
        must(found.reads + found.writes == 40, found)
        must(found.cycles >= max(found.completion) >= memory.standard.timings["BL"], found)
        must(0 < found.seconds < math.inf, found)


class Hints(Settings):
    """Break points of the user's."""

    kind = "hints"

    def use(self, rng: random.Random, raw: bytes) -> None:
        task = rng.choice([name for name in KERNELS if "select" in KERNELS[name]])
        rule = hinted(self.path, task)
        for kernel in KERNELS[task]:
            must(rule(Call(kernel, 0, 5, 5, 10)) in ("host", "device"), rule)


class Lists(Settings):
    """``MANIFEST.csv``, which names data sets."""

    kind, name = "list", "MANIFEST.csv"

    def prepare(self, place: Path) -> None:
        os.environ["TACHOGRAPH_DATA"] = str(place)
        tg.write(tg.path(5), place / "line.el")
        tg.write(tg.road(3, 3, deleted=0), place / "corner.gr")

    def use(self, rng: random.Random, raw: bytes) -> None:
        listed = csv.DictReader(io.StringIO(raw.decode(errors="replace"), newline=""))
        names = {str(row.get("name")) for row in listed}
        found = {name: d for name, d in datasets().items() if d.file is not None}
        must(found.keys() <= names, f"{found.keys()} of {names}")
        for name, about in found.items():
            g = dataset(name)
            must(about.vertices in (None, g.n) and about.edges in (None, g.m, g.arcs), name)
