from __future__ import annotations

import math

from tachograph.devices import energy


def test_counters_are_summed_and_may_go_round(tmp_path, monkeypatch):
    monkeypatch.setattr(energy, "POWERCAP", tmp_path)
    assert not energy.Meter().available
    assert math.isnan(energy.Meter().joules())
    for zone, now in (
        ("intel-rapl:0", 9_000_000),
        ("intel-rapl:1", 5_000_000),
        ("intel-rapl:0:0", 1),
    ):
        (tmp_path / zone).mkdir()
        (tmp_path / zone / "energy_uj").write_text(str(now))
        (tmp_path / zone / "max_energy_range_uj").write_text("10000000")
    meter = energy.Meter()
    assert meter.available
    (tmp_path / "intel-rapl:0" / "energy_uj").write_text("1000000")  # 2 J, past the end
    (tmp_path / "intel-rapl:1" / "energy_uj").write_text("5500000")
    assert meter.joules() == 2.5
    assert meter.joules() == 0
