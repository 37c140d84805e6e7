from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tachograph.simulation.dram import Memory
from tests.cli.command import tacho


def test_generate_run_and_compare():
    made = tacho("dram", "generate", "random", "a.trace", "--requests", "2000", "--writes", "0.3")
    assert made.returncode == 0, made.stderr
    assert len(Path("a.trace").read_text().splitlines()) == 2000
    done = tacho("dram", "run", "a.trace", "--memory", "ddr4-2400r", "--channels", "2", "--json",
                 "--commands", "c.parquet")  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    result = Memory("DDR4-2400R", channels=2).run("a.trace", commands=True)
    assert said == json.loads(json.dumps(result.to_dict()))
    assert pq.read_table("c.parquet").num_rows == len(result.commands)
    people = tacho("dram", "run", "a.trace", "--memory", "ddr3-1600k", "--rows", "closed")
    assert "DDR3-1600K, 8Gb x16, 1 channel" in people.stdout
    assert "W (modelled)" in people.stdout
    people = tacho("dram", "run", "a.trace", "--memory", "hbm")
    assert "no currents are declared" in people.stdout
    both = tacho("dram", "compare", "a.trace", "--memory", "ddr3-1600k,hbm", "--json")
    assert list(json.loads(both.stdout)) == ["DDR3-1600K", "HBM-1000"]
    table = tacho("dram", "compare", "a.trace", "--memory", "ddr3-1600k,hbm")
    assert "HBM-1000" in table.stdout


def test_plots():
    pytest.importorskip("matplotlib")
    tacho("dram", "generate", "sequential", "a.npz", "--requests", "1000")
    one = tacho("dram", "run", "a.npz", "--memory", "hbm", "--plot", "one.png")
    two = tacho("dram", "compare", "a.npz", "--memory", "hbm,hbm2", "--plot", "two.svg")
    assert (one.returncode, two.returncode) == (0, 0), one.stderr + two.stderr
    assert Path("one.png").stat().st_size > 1000
    assert "HBM2-2000" in Path("two.svg").read_text() or Path("two.svg").stat().st_size > 1000


def test_list():
    listed = json.loads(tacho("dram", "list", "--json").stdout)
    assert {"DDR3-1600K", "DDR4-2400R", "HBM-1000"} <= {m["name"] for m in listed}
    assert all(m["source"] for m in listed)
    assert "GDDR5-7000" in tacho("dram", "list").stdout


@pytest.mark.parametrize(("arguments", "message"), [
    (["run", "no.trace", "--memory", "hbm"], "no.trace: there is no such file"),
    (["run", "bad.trace", "--memory", "hbm"], "bad.trace, line 2: expected an address"),
    (["run", "bad.trace", "--memory", "ddr7"], "unknown memory 'ddr7'; known: DDR3,"),
    (["run", "bad.trace", "--memory", "hbm", "--channels", "3"], "needs a power of two"),
    (["generate", "zigzag", "a.trace"], "unknown pattern 'zigzag'"),
    (["generate", "random", "a.trace", "--writes", "2"], "--writes 0 to 1"),
])  # fmt: skip
def test_mistakes_are_explained(arguments, message):
    Path("bad.trace").write_text("0x40 R\nnonsense\n")
    done = tacho("dram", *arguments)
    assert done.returncode == 1
    assert message in done.stderr


def test_a_busy_port_is_told_wherever_bandwidth_is():
    tacho("dram", "generate", "random", "busy.trace", "--requests", "5000")
    shared = tacho("dram", "run", "busy.trace", "--memory", "hbm").stdout
    apart = tacho("dram", "run", "busy.trace", "--memory", "hbm", "--ports", "channel").stdout
    assert "bound by the port" in " ".join(shared.split())
    assert "port" not in apart
    compared = tacho("dram", "compare", "busy.trace", "--memory", "hbm")
    assert "(port)" in compared.stdout
    assert "port: bound by a port that takes a request in a cycle" in compared.stderr
    assert "ACT2" not in shared  # a command that HBM does not have
