"""The commands of every run of these tests are checked, asked for or not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tachograph.simulation.dram import Memory, check

_run = Memory.run


@pytest.fixture(autouse=True)
def _every_run_is_checked(monkeypatch):
    def run(self, *arguments, commands=False, **options):
        result = _run(self, *arguments, commands=True, **options)
        assert check(self.standard, result.commands, version=self.controller.version) == []
        return result if commands else replace(result, commands=None)

    monkeypatch.setattr(Memory, "run", run)
