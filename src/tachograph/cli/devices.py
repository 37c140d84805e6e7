"""``tacho devices``: the devices that kernels can run on, and what they would be used for."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from .options import Json, flat, option, out, print_json, say

if TYPE_CHECKING:
    from ..devices.discovery import Found

__all__ = ["devices"]

#: The columns of the table, and where their texts are.
SHOWN = {"id": "id", "name": "name", "type": "type", "memory": "memory_text"}
SHOWN |= {"capabilities": "capabilities_text", "used for": "use"}


@flat
def devices(
    calibrate: bool = option(False, "Measure every device that works.", "--calibrate"),
    again: bool = option(False, "Ask the drivers again, even if nothing has changed.", "--again"),
    self_test: bool = option(
        False, "Compare all kernels with the host, at most a minute a device.", "--self-test"
    ),
    json: Json = False,
) -> None:
    """List the devices: memory, capabilities, what they would be used for, and why not for more.

    [bold]Examples[/bold]

    tacho devices

    tacho devices --calibrate --json

    tacho devices --self-test
    """
    from ..devices.discovery import INSTALL, discover
    from ..util.errors import DeviceError

    if self_test:
        _test_all(discover(again), json)
        return
    rows, problem = [_host(calibrate)], f"no OpenCL device: install a driver, or {INSTALL}"
    try:
        rows += [_device(found, calibrate) for found in discover(again)]
    except DeviceError as error:
        problem = str(error)
    if json:
        print_json(rows)
    else:
        _print(rows)
    if len(rows) == 1:
        say(problem)


def _test_all(found: list[Found], json: bool) -> None:
    """Test each device, print a verdict that can be sent to us, and fail if one computes wrong."""
    from ..tasks.self_test import self_test
    from ..util.errors import DeviceError

    rows = []
    for one in found:
        checks = [] if one.problem else self_test(one)
        wrong = [{"check": c.name, "problem": c.problem} for c in checks if c.problem]
        wrong += [{"check": "finding it", "problem": one.problem}] if one.problem else []
        skipped = sorted({c.skipped for c in checks if c.skipped})
        counts = {"checks": len(checks), "skipped": sum(bool(c.skipped) for c in checks)}
        seconds = sum(c.seconds for c in checks)
        rows.append({**asdict(one), **counts, "seconds": seconds, "wrong": wrong, "lacks": skipped})
    if json:
        print_json(rows)
    else:
        for row in rows:
            _print_verdict(row)
    if not rows:
        say("no OpenCL device to test")
    if any(row["wrong"] for row in rows):
        raise DeviceError("a device failed its self-test: please report what was printed above")


def _print_verdict(row: dict[str, Any]) -> None:
    console, wrong = out(), row["wrong"]
    passed = row["checks"] - row["skipped"] - len(wrong)
    console.print(f"{row['id']}: {'FAILED' if wrong else 'PASSED'}", style="bold")
    console.print(f"  {row['name']}, {row['kind']}; {row['platform']}, {row['driver']}")
    console.print(
        f"  {passed} checks passed, {row['skipped']} not possible, {len(wrong)} failed, "
        f"{row['seconds']:.1f} s"
    )
    for text in row["lacks"]:
        console.print(f"  not possible: {text}")
    for one in wrong:
        console.print(f"  failed: {one['check']}: {one['problem']}")


def _print(rows: list[dict[str, Any]]) -> None:
    """Print a table, and below it what was measured."""
    from rich.table import Table

    from ..devices.calibrate import UNITS

    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in SHOWN:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(row[key] for key in SHOWN.values()))
    console = out()
    console.print(table)
    for row in rows:
        if row["calibration"]:
            console.print(f"{row['id']}:", style="bold")
            for name, unit in UNITS.items():
                value = row["calibration"][name]
                text = "nothing is copied" if value is None else f"{value:,.4g} {unit}"
                console.print(f"  {name:10} {text}")


def _host(calibrate: bool) -> dict[str, Any]:
    import platform

    from ..devices import calibrate as measured
    from ..devices.host import Host
    from ..journal import machine
    from ..kernels.runtime.launch import threads_available
    from ..util.memory import available, human

    host = Host(threads_available())
    free = available()
    name = machine()[1]["processor"] or platform.machine()
    return {
        "id": "host",
        "name": f"{name}, {host.threads} threads",
        "type": "host",
        "memory": free,
        "memory_text": "" if free is None else f"{human(free)} free",
        "capabilities": {},
        "capabilities_text": "",
        "use": "everything",
        "problem": None,
        "calibration": (measured.calibrate if calibrate else measured.calibration)(host),
    }


def _device(found: Found, calibrate: bool) -> dict[str, Any]:
    from ..devices import calibrate as measured
    from ..devices.opencl import open_device
    from ..util.memory import human

    numbers, units = None, found.units
    if found.problem is None:
        device = open_device(found)
        units = device.units
        numbers = (measured.calibrate if calibrate else measured.calibration)(device)
    able = found.capabilities
    shown = [f"{'no' if able.svm == 'none' else able.svm} shared virtual memory"]
    shown += ["with atomics"] * able.svm_atomics
    shown += ["64-bit atomics"] * able.int64_atomics + ["double"] * able.double
    shown += ["host's memory"] * able.shares_memory
    return {
        **asdict(found),
        "type": found.kind,
        "memory_text": f"{human(found.memory)}, buffers to {human(found.largest)}",
        "capabilities_text": ", ".join(shown),
        "use": _use(found, units, numbers is not None),
        "calibration": numbers,
    }


def _use(found: Found, units: int, calibrated: bool) -> str:
    """Say what a device would be used for, and why not for more."""
    if found.problem is not None:
        return f"nothing: {found.problem}"
    from ..tasks.table import TASKS

    places = {task.name: {way.where for way in task.ways} for task in TASKS.values()}
    shared = [name for name, where in places.items() if where == {"host", "device", "both"}]
    asked = [name for name, where in places.items() if where != {"host"} and name not in shared]
    use = f"{', '.join(shared)}, alone or beside the host"
    if found.shares_cores:
        use += f", on {units} of the host's cores"
    if not calibrated:
        use += " (only when asked for, until it is calibrated: tacho devices --calibrate)"
    narrow = "" if found.capabilities.int64_atomics else " (sssp: lengths below 2**31)"
    if found.turns is not None:
        narrow += f"; small graphs only: its driver ends loops after {found.turns:,} turns"
    return f"{use}; when asked for: {', '.join(asked)}{narrow}"
