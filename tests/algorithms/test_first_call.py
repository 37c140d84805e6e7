"""The time of a first call has no imports in it: predictions are of what an algorithm itself takes."""

from __future__ import annotations

import json
import subprocess
import sys

SCRIPT = """\
import json, sys
from tachograph.kernels.runtime import launch

real, seen = launch.clock, []

def clock():
    seen.append(set(sys.modules))
    return real()

launch.clock = clock
import tachograph as tg

g = tg.Graph.from_edges([0, 1, 2, 3, 0], [1, 2, 3, 0, 2], [1, 2, 3, 4, 5])
u = g.to_undirected()
late = {}
for name, call in {
    "distances": lambda: tg.distances(g, [1], [2]),
    "sssp": lambda: tg.sssp(g, 0),
    "bfs": lambda: tg.bfs(g, 0),
    "leiden": lambda: tg.leiden(u),
    "clustering": lambda: tg.clustering(u),
    "triangles": lambda: tg.triangles(u, per_vertex=True),
    "betweenness": lambda: tg.betweenness_centrality(u),
    "pagerank": lambda: tg.pagerank(g),
    "connected_components": lambda: tg.connected_components(g),
    "core_number": lambda: tg.core_number(u),
    "maximum_flow": lambda: tg.maximum_flow(g, 0, 2),
    "jaccard": lambda: tg.jaccard(u),
}.items():
    seen.clear()
    call()
    late[name] = sorted(seen[-1] - seen[0])
print(json.dumps(late))
"""


def test_what_a_first_call_imports_is_not_in_its_time():
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    own = {
        task: [name for name in names if name.startswith(("tachograph", "scipy"))]
        for task, names in json.loads(done.stdout).items()
    }
    assert len(own) == 12
    assert not any(own.values()), own
