"""One limit of memory and one of time for everything that foreign data can make us do."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
import time
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

import tachograph as tg
from tachograph.util import memory
from tachograph.util.cores import threads_available

MB = 10**6


def test_the_limit_is_the_least_of_what_is_said(monkeypatch):
    free = memory.available()
    with tg.limits(memory="100 MB"):
        assert memory.available() == 100 * MB
        with tg.limits(memory=200 * MB):
            assert memory.available() == 100 * MB
        with tg.limits(seconds=5):
            assert memory.available() == 100 * MB
        with tg.limits(memory="7 MB"):
            assert memory.available() == 7 * MB
    assert memory.available() > min(free, 100 * MB) or free < 100 * MB
    monkeypatch.setenv("TACHOGRAPH_MEMORY", "3MB")
    assert memory.available() == 3 * MB
    with pytest.raises(tg.TooLargeError, match="limit is 3.0 MB.*TACHOGRAPH_MEMORY"):
        tg.complete(3000)
    monkeypatch.setenv("TACHOGRAPH_MEMORY", "plenty")
    with pytest.raises(tg.InputError, match="TACHOGRAPH_MEMORY = 'plenty'"):
        tg.complete(3000)


@pytest.mark.parametrize(
    "bad", [{"memory": "much"}, {"memory": -1}, {"seconds": 0}, {"seconds": "x"}]
)
def test_limits_that_are_none(bad):
    with pytest.raises(tg.InputError, match=next(iter(bad))), tg.limits(**bad):
        pass


def pack(raw, kind):
    if kind == "zst":
        import pyarrow as pa

        return pa.compress(raw, "zstd", asbytes=True)
    return {"gz": gzip, "bz2": bz2, "xz": lzma}[kind].compress(raw)


BOMBS = {
    "a.txt": lambda size: b"0" * size,
    "a.graph": lambda size: b"3 2\n2\n" + b"\n" * size,
    "b.graph": lambda size: b"3 2\n" + b"1 " * (size // 2),
    "a.csv": lambda size: b"source,target\n" + b"1,2\n" * (size // 4),
    "a.sg": lambda size: b"\0" * size,
    "a.arrow": lambda size: b"ARROW1\0\0" + b"\0" * size,
}


PACKED = [(name, "gz") for name in BOMBS] + [("a.sg", kind) for kind in ("bz2", "xz", "zst")]


@pytest.mark.parametrize(("name", "kind"), PACKED)
def test_decompression_stops_at_the_limit(name, kind):
    packed = pack(BOMBS[name](60 * MB), kind)
    Path(f"{name}.{kind}").write_bytes(packed)
    assert len(packed) < MB
    formats = {"txt": "edgelist", "graph": "metis"}
    suffix = name.split(".")[1]
    with (
        tg.limits(memory="20 MB"),
        pytest.raises(tg.TooLargeError, match=f"{name}.*limit is 20.0 MB"),
    ):
        tg.read(f"{name}.{kind}", format=formats.get(suffix, suffix))


def test_an_npz_that_unpacks_to_more_than_the_limit():
    np.savez_compressed("a.npz", indptr=np.zeros(10 * MB, np.int64), indices=np.zeros(0, np.int32))
    with tg.limits(memory="20 MB"), pytest.raises(tg.TooLargeError, match="a.npz"):
        tg.read("a.npz")
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<i8", "fortran_order": False, "shape": (10**10,)}
    )
    with zipfile.ZipFile("b.npz", "w") as file:
        file.writestr("indptr.npy", header.getvalue() + b"\0" * 80)
        file.writestr("indices.npy", header.getvalue())
    with pytest.raises(tg.FileFormatError, match="b.npz.*indptr"):
        tg.read("b.npz")


def test_arrays_of_an_npz_that_nobody_needs_are_not_read():
    np.savez_compressed("a.npz", indptr=[0, 1], indices=[0], big=np.zeros(10 * MB))
    with tg.limits(memory="20 MB"):
        assert tg.read("a.npz").m == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
def test_pipes_and_devices_only_if_asked():
    os.mkfifo("pipe")
    for name in ("pipe", "/dev/zero"):
        with pytest.raises(tg.FileFormatError, match="pipe or a device.*pipe=True"):
            tg.read(name)
    begin = time.monotonic()
    with tg.limits(memory="20 MB"), pytest.raises(tg.TooLargeError, match="/dev/zero"):
        tg.read("/dev/zero", pipe=True)
    assert time.monotonic() - begin < 20
    reader, writer = os.pipe()
    os.write(writer, b"0 1\n1 2\n")
    os.close(writer)
    try:
        assert tg.read(f"/dev/fd/{reader}").m == 2
    finally:
        os.close(reader)


def test_pairs_are_refused_before_they_are_counted(monkeypatch):
    from tachograph.algorithms import two_hop

    monkeypatch.setattr(two_hop._Search, "count", lambda self: pytest.fail("counted"))
    star = tg.star(5000)
    with (
        tg.limits(memory="20 MB"),
        pytest.raises(tg.TooLargeError, match="at least 12,492,501 pairs"),
    ):
        tg.jaccard(star, "two_hop")
    with pytest.raises(tg.TooLargeError, match="memory_limit"):
        tg.jaccard(star, "two_hop", memory_limit="20 MB")


def test_fewer_workers_if_memory_is_limited():
    g = tg.uniform(3000, 4, rng=1)
    free = tg.jaccard(g, "two_hop")
    with tg.limits(memory="3 MB"), tg.threads(8):
        assert np.array_equal(tg.jaccard(g, "two_hop").values, free.values)


def test_too_many_threads_are_fewer():
    with pytest.warns(tg.TachographWarning, match=r"threads = 20000: .* are used"):
        result = tg.bfs(tg.kronecker(14, rng=1), 0, threads=20_000)
    assert result.levels[0] == 0


@pytest.mark.parametrize("odd", ["²", "9" * 5000, "-1", "x", ""])
def test_threads_in_the_environment_that_are_no_number(monkeypatch, odd):
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", odd)
    assert 1 <= threads_available() <= os.cpu_count()


def test_too_many_threads_by_the_environment(monkeypatch):
    from tachograph.util import cores

    monkeypatch.setenv("NUMBA_NUM_THREADS", "20000")
    with pytest.warns(tg.TachographWarning, match="NUMBA_NUM_THREADS = 20000"):
        assert cores.threads_available() == cores.most_threads()


def test_seconds_end_a_long_kernel():
    g = tg.kronecker(17, rng=1)
    begin = time.monotonic()

    def forever():
        while True:
            tg.jaccard(g, "two_hop", topk=3)

    with pytest.raises(tg.TimeLimitError, match="0.3 seconds"), tg.limits(seconds=0.3):
        forever()
    assert time.monotonic() - begin < 10
    assert tg.bfs(tg.path(3), 0).levels.tolist() == [0, 1, 2], "the limit ends with the block"


@pytest.mark.parametrize(
    "odd", [10**400, 10**5000, -1, "soon", float("nan")], ids=["400", "5000", "-1", "text", "nan"]
)
def test_odd_limits(odd):
    with pytest.raises(tg.InputError, match="seconds"), tg.limits(seconds=odd):
        pass
    with pytest.raises(tg.InputError, match="memory"), tg.limits(memory=odd):
        pass
    with tg.limits(seconds=1e300):
        assert tg.bfs(tg.path(3), 0).levels.tolist() == [0, 1, 2]


def test_seconds_end_reading():
    Path("a.txt.gz").write_bytes(gzip.compress(b"# comment\n" * 3_000_000))
    with pytest.raises(tg.TimeLimitError), tg.limits(seconds=0.2):
        tg.read("a.txt.gz")


def test_limits_are_those_of_the_thread_that_set_them():
    seen = []
    with tg.limits(memory="5 MB"):
        other = threading.Thread(target=lambda: seen.append(memory.available()))
        other.start()
        other.join()
    assert seen[0] > 5 * MB


def test_nothing_is_said_without_need():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with tg.limits(memory="1 GB", seconds=60), tg.threads(3):
            assert tg.bfs(tg.path(3), 0).levels.tolist() == [0, 1, 2]
