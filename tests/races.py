"""Every algorithm by more threads than a machine has cores, on small graphs and beside other programs.

    python -m tests.races 60     # seconds

A worker can then be stopped at any place for as long as others take for several rounds. If what it reads
afterwards is no longer valid, a value is wrong, or the run never ends: then all threads are shown, and the
exit status is 1.
"""

from __future__ import annotations

import faulthandler
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator

from tests.differential import CHECKS, Ways, always_several, differ
from tests.peer_answers import Case

CASES = 20  # graphs, so that each shape is there twice
ROUNDS: list[Ways] = [[{"threads": t} for t in (1, more, more + 1)] for more in range(2, 6)]
PATIENCE = 300.0  # seconds that the checks of a graph may take, compiling included


def check_all(cases: list[Case], ways: Ways) -> Iterator[str]:
    """Run every algorithm on every graph; what was wrong."""
    for name in CHECKS:
        for case in cases:
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            yield from differ(case, name, ways)
    faulthandler.cancel_dump_traceback_later()


def main() -> int:
    os.environ["TACHOGRAPH_JOURNAL"] = "off"
    warnings.simplefilter("ignore")
    always_several(setattr)
    cases = [Case(seed) for seed in range(CASES)]
    wrong = list(check_all(cases, ROUNDS[0]))  # compiles
    busy = f"import os\nwhile os.getppid() == {os.getpid()}: pass"
    others = [subprocess.Popen([sys.executable, "-c", busy]) for _ in range(os.cpu_count() or 1)]
    rounds, end = 1, time.monotonic() + float(sys.argv[1])
    while time.monotonic() < end:
        wrong += check_all(cases, ROUNDS[rounds % len(ROUNDS)])
        rounds += 1
    for other in others:
        other.kill()
    print(*wrong, f"{rounds * len(CHECKS) * CASES:,} checks, {len(wrong)} wrong", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
