"""The probe, whose trials may fail one by one."""

from __future__ import annotations

import numpy as np
import pytest

from tachograph.devices import probe
from tests.devices.support import any_device, needs_pyopencl

pytestmark = needs_pyopencl


def test_shared_memory_that_cannot_be_had_is_a_capability_that_lacks(monkeypatch):
    import pyopencl as cl

    device = any_device()
    if device.capabilities.svm != "fine":
        pytest.skip("no fine-grained shared memory")
    kernel = cl.Kernel(cl.Program(device.context, probe.TRIAL_PROGRAM).build(), "increment")
    assert probe._svm(device.queue, kernel)["svm"] == "fine"

    def refused(*given):
        raise cl.MemoryError(cl._cl._ErrorRecord("made up", -4, "clSVMAlloc"))

    monkeypatch.setattr(cl, "svm_empty", refused)
    assert probe._svm(device.queue, kernel)["svm"] == "none"
    monkeypatch.setattr(cl, "svm_empty", lambda *given: np.zeros(probe.ITEMS, np.int32))
    assert probe._svm(device.queue, lambda *given: None) == {"svm": "coarse", "svm_atomics": False}


def test_the_build_log_of_a_driver_that_builds_nothing_is_shown(monkeypatch, capsys):
    """PoCL does not know young processors, and says so in the log only."""
    device = any_device().context.devices[0]
    monkeypatch.setattr(probe, "TRIAL_PROGRAM", '#error "made up"')
    with pytest.raises(Exception, match="BUILD_PROGRAM_FAILURE") as refused:
        probe.test(device)
    assert '"step": "building a kernel"' in capsys.readouterr().out.splitlines()[-1]
    said = probe.sentence(refused.value)
    assert "error:" in said
    assert "made up" in said
    assert "\n" not in said
