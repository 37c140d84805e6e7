"""Whatever bytes a file has: a graph that is well formed, or one of our errors."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.graph.files import FORMATS


def seeds(name: str) -> bytes:
    """A small valid file of a format, to be damaged."""
    g = tg.Graph.from_edges([0, 1, 1], [1, 2, 1], [3, 4, 5], directed=False)
    path = Path(f"seed{FORMATS[name].suffixes[0]}")
    tg.write(g.with_meta(source=0, sink=1), path)
    return path.read_bytes()


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_any_damage_is_an_error_or_a_graph(tmp_path_factory, name, data):
    """Flip, cut, insert and repeat bytes: a graph that is well formed, or one of our errors."""
    os.chdir(tmp_path_factory.mktemp("fuzz"))
    raw = bytearray(seeds(name))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, max(len(raw) - 1, 0)))
        kind = data.draw(st.sampled_from(["flip", "cut", "insert", "repeat"]))
        if kind == "flip" and raw:
            raw[at] = data.draw(st.integers(0, 255))
        elif kind == "cut":
            del raw[at : at + data.draw(st.integers(1, 40))]
        elif kind == "insert":
            words = st.sampled_from(
                [b"\n", b" ", b"-1", b"999999999999", b"nan", b"\0", b"#", b"1e400"]
            )
            raw[at:at] = data.draw(words)
        else:
            raw[at:at] = raw[at : at + 20]
    Path("fuzzed").write_bytes(bytes(raw))
    check_read("fuzzed", name)


@pytest.mark.parametrize("name", FORMATS)
@given(
    raw=st.one_of(
        st.binary(max_size=200),
        st.text("0123456789 \n\t-.,#%acepn<>~;", max_size=120).map(str.encode),
    )
)
@settings(max_examples=60, deadline=None)
def test_any_bytes_are_an_error_or_a_graph(tmp_path_factory, name, raw):
    os.chdir(tmp_path_factory.mktemp("fuzz"))
    Path("fuzzed").write_bytes(raw)
    check_read("fuzzed", name)
    check_read("fuzzed", None)
    check_read("fuzzed", name, relabel=True, directed=False)


@pytest.mark.filterwarnings("ignore::tachograph.util.errors.TachographWarning")
def check_read(path, name, **options):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TachographWarning)
        try:
            g = tg.read(path, format=name, **options)
        except tg.TachographError:
            return
    assert g.indptr[0] == 0
    assert g.indptr[-1] == g.arcs
    assert g.indices.min(initial=0) >= 0
    assert g.indices.max(initial=-1) < g.n
    assert g.weights is None or np.isfinite(g.weights).all()
