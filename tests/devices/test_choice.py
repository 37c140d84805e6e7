"""``device=`` means the same to everybody."""

import pytest

import tachograph as tg
from tachograph.devices import choice
from tachograph.devices.calibrate import UNITS
from tachograph.devices.choice import Chosen, calibrated_device, only_host, parse
from tachograph.devices.discovery import discover
from tachograph.devices.host import Host
from tachograph.journal import journal

from .support import any_device, needs_pyopencl


@pytest.mark.parametrize("given", [None, "auto", ["auto"], " auto"])
def test_the_library_decides(given):
    assert parse(given) is None


@pytest.mark.parametrize("given", ["host", ["host"], "host,host", Host(3), [Host(1), "host"]])
def test_the_host(given):
    with tg.threads(2):
        found = parse(given)
    assert found.host.threads == 2
    assert found.opencl is None
    assert not found.both


def test_whether_only_the_host_is_named_is_known_without_opening_anything():
    assert all(only_host(given) for given in (None, "auto", "host", [Host(2)], "host,host"))
    assert not any(only_host(given) for given in ("opencl:99", ["host", "opencl"]))
    with pytest.raises(tg.InputError, match="there is no device 'gpu'"):
        only_host("gpu")


@needs_pyopencl
def test_a_device_by_name_and_by_object():
    device = any_device()
    for given in ("opencl", device.id, [device.id], device, [device], device.found):
        assert parse(given) == Chosen(None, device)
    masked = device.masked("svm")
    assert parse(masked).opencl is masked


@needs_pyopencl
@pytest.mark.parametrize("given", ["host,opencl", "opencl, host", ["host", "opencl"]])
def test_the_host_and_a_device(given):
    any_device()
    assert parse(given).both


@pytest.mark.parametrize("given", ["gpu", "hosts", "", "host,,opencl", ["host", "gpu"]])
def test_unknown_names(given):
    with pytest.raises(tg.InputError, match="there is no device"):
        parse(given)


@pytest.mark.parametrize("given", [7, ["host", None]])
def test_what_is_no_device(given):
    with pytest.raises(tg.InputError, match="device takes names and devices, not (7|None)"):
        parse(given)


@pytest.mark.parametrize("given", [[], "auto,host", "opencl:0,opencl:1"])
def test_impossible_combinations(given):
    with pytest.raises(tg.InputError, match="device = .*give 'auto'"):
        parse(given)


@needs_pyopencl
def test_a_device_that_does_not_exist():
    any_device()
    with pytest.raises(tg.DeviceError, match="there is no device 'opencl:99'"):
        parse("opencl:99")
    with pytest.raises(tg.DeviceError, match="there is no device 'opencl:abacus'"):
        parse(["host", "opencl:abacus"])


def test_only_calibrated_devices_are_known(monkeypatch):
    choice._calibrated.cache_clear()
    assert calibrated_device() is None
    if not any(found.problem is None for found in discover()):
        pytest.skip("no OpenCL device that works")
    device = any_device()
    journal().put("calibration", device.key, dict.fromkeys(UNITS, 1.0))
    assert calibrated_device() is None  # remembered
    choice._calibrated.cache_clear()
    assert calibrated_device() is device
    choice._calibrated.cache_clear()
