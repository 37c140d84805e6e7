from __future__ import annotations

import json

import numpy as np
import pytest

from tachograph.simulation.dram import Memory, write_trace
from tachograph.simulation.dram.compare import compare
from tachograph.simulation.dram.statistics import MemoryResult
from tachograph.util.errors import InputError, MissingFileError


def memories(*names, **settings):
    return [Memory(name, **settings) for name in names or ("ddr3-1600k", "hbm")]


@pytest.fixture
def trace():
    random = np.random.default_rng(1)
    write_trace("a.npz", random.integers(0, 1 << 20, 3000) * 64, random.random(3000) < 0.3)
    return "a.npz"


def test_the_same_as_one_after_the_other_and_kept(trace, monkeypatch):
    found = compare(trace, memories(rows="closed"))
    for name, result in found.items():
        alone = Memory(name, rows="closed").run(trace)
        assert result.to_dict() == json.loads(json.dumps(alone.to_dict()))
        for column, values in alone.series.items():
            assert np.array_equal(result.series[column], values, equal_nan=True)
    monkeypatch.setattr(Memory, "run", None)  # nothing is simulated again
    again = compare(trace, memories(rows="closed"))
    assert list(again) == ["DDR3-1600K", "HBM-1000"]
    assert again["HBM-1000"].cycles == found["HBM-1000"].cycles


def test_another_trace_in_the_same_file_is_another_trace(trace):
    before = compare(trace, memories("ddr3-1600k"))["DDR3-1600K"]
    write_trace(trace, np.arange(3000) * 64, np.zeros(3000, bool))
    assert compare(trace, memories("ddr3-1600k"))["DDR3-1600K"].row_hits > before.row_hits


def test_records_are_whole(trace):
    result = Memory("HBM").run(trace)
    again = MemoryResult.from_record(json.loads(json.dumps(result.to_record())))
    assert again.banks.keys() == result.banks.keys()
    assert all(np.array_equal(again.banks[k], result.banks[k]) for k in result.banks)


def test_mistakes_come_before_work(trace):
    with pytest.raises(MissingFileError, match="no such file"):
        compare("b.npz", memories())
    with pytest.raises(InputError, match="unknown ports 'two'"):
        compare(trace, memories(), ports="two")


def test_one_memory_with_several_settings(trace):
    """Both are there, each with its own result."""
    both = [Memory("ddr3-1600k"), Memory("ddr3-1600k", channels=2)]
    found = compare(trace, both)
    assert list(found) == ["DDR3-1600K", "DDR3-1600K (channels=2)"]
    assert [r.cycles for r in found.values()] == [m.run(trace).cycles for m in both]
