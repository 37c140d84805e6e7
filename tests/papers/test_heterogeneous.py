from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions.generators import layers
from tachograph.decisions.placement.train import Trainer
from tachograph.papers import heterogeneous
from tachograph.papers.reproduce import Settings, reproduce
from tests.devices.support import any_device, needs_pyopencl


@needs_pyopencl
@pytest.mark.parametrize("name", ["mis-overlap", "mis-hot", "mis-switch", "flow-switch"])
def test_tables_have_a_row_for_each_graph(name, monkeypatch):
    any_device()
    small = {
        "grid": lambda: heterogeneous.stencil((9, 9)),
        "power law": lambda: tg.kronecker(7, rng=1),
    }
    flows = {"layers": lambda: layers(4, 20)}
    monkeypatch.setattr(heterogeneous, "graphs", lambda full: small)
    monkeypatch.setattr(heterogeneous, "_flow_problems", lambda full: flows)
    monkeypatch.setattr(heterogeneous, "TURNS", 1)
    monkeypatch.setattr(Trainer, "choose", lambda self: ["kronecker 7 16", "layers 4 30"])
    (table,) = reproduce(name, Settings())
    assert [row[0] for row in table.rows] == list(flows if name.startswith("flow") else small)
    assert all(len(row) == len(table.columns) for row in table.rows)
    if name.endswith("switch"):
        at = table.columns.index("learned, time")
        assert all(row[at] >= 1 for row in table.rows)  # nobody beats the oracle on its own times
    assert any("Published" in note for note in table.notes)


def test_stencils():
    assert heterogeneous.stencil((3, 4)).m == 3 * 3 + 2 * 4
    assert heterogeneous.stencil((3, 4), corners=True).m == 17 + 2 * 2 * 3
    cube = heterogeneous.stencil((5, 5, 5), corners=True)
    assert cube.degrees.max() == 26
    assert heterogeneous.stencil((5, 5), 2).degrees[12] == 8
    assert np.array_equal(heterogeneous.stencil((4, 4), links=5).indices,
                          heterogeneous.stencil((4, 4), links=5).indices)  # fmt: skip
    assert len(heterogeneous.graphs(False)) == 9
