"""Calls that the NetworkX backend takes over: is any of them slower here?

    python benchmarks/networkx_choice.py [--nodes 60,300,1500] [--rounds 9] [--only NAME]
        [--kind KIND]

Every call of the contract tests, on graphs that are uniform, skewed (both with 12 arcs per node), grids
whose nodes are pairs of numbers, sparse with many components, and directed. Which calls does
``should_run`` take, with the graph converted already (warm) and not yet (cold), and how do they
compare with NetworkX's own? Both are called as users do: with and without the backend's priority. They
take turns, and the least time of each counts. A call that looks slower is measured again, for twice as
many rounds in all.
"""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import networkx as nx
from harness import Table, main, rounded

from tachograph.networkx.decide import can_run, cost_of, should_run

ROOT = Path(__file__).parent.parent
SLOWER = 0.9  # of NetworkX's speed: what counts as slower
LONG_SECONDS = 0.5  # calls from which on one round is enough
#: Up to which all pairs are asked for: NetworkX takes minutes on larger graphs.
ALL_PAIRS_NODES = 300
Call = tuple[str, str, tuple[Any, ...], dict[str, Any]]


def graphs(n: int) -> Iterator[tuple[str, Any]]:
    side = round(n**0.5)
    for name, graph in (
        ("uniform", nx.gnm_random_graph(n, 6 * n, seed=7)),
        ("skewed", nx.barabasi_albert_graph(n, 6, seed=7)),
        ("grid", nx.grid_2d_graph(side, side)),
        ("sparse", nx.gnm_random_graph(n, n, seed=7)),
        ("directed", nx.gnm_random_graph(n, 6 * n, seed=7, directed=True)),
    ):
        dice = random.Random(3)
        for _, _, data in graph.edges(data=True):
            data["weight"] = data["capacity"] = dice.random()
        yield name, graph


def calls(graph: Any) -> Iterator[Call]:
    """Every call of the contract tests, with a name for it."""
    from tests.networkx.contract import calls as contract

    for name, cases in contract(graph).items():
        for k, (args, kwargs, _) in enumerate(cases):
            yield name, f"{name} {k}", args, kwargs


def once(function: Callable[..., Any], graph: Any, call: Call, cold: bool) -> float:
    if cold:
        graph.__networkx_cache__.clear()
    begin = time.perf_counter()
    try:
        result = function(graph, *call[2], **call[3])
        if isinstance(result, Iterator):
            list(result)
    except (nx.NetworkXException, ArithmeticError, LookupError, TypeError, ValueError):
        return 0.0  # there is nothing to compare
    return time.perf_counter() - begin


def speedup(graph: Any, call: Call, cold: bool, rounds: int) -> float:
    """How many times as fast this backend is as NetworkX; 0 if the call raises an error."""
    function = getattr(nx, call[0], None) or getattr(nx.community, call[0])
    least = {"ours": float("inf"), "theirs": float("inf")}
    if not once(function, graph, call, cold=False):
        return 0.0
    for again in range(2):
        done = 0
        while done < rounds and (done < 1 or least["theirs"] < LONG_SECONDS):
            for who in ("ours", "theirs") if done % 2 else ("theirs", "ours"):
                nx.config.backend_priority.algos = ["tachograph"] if who == "ours" else []
                if who == "ours" and not cold:  # NetworkX may have changed the graph meanwhile
                    nx.pagerank(graph, backend="tachograph")
                least[who] = min(least[who], once(function, graph, call, cold))
            done += 1
        if again or least["theirs"] / least["ours"] >= SLOWER:
            break
    nx.config.backend_priority.algos = []
    return least["theirs"] / least["ours"]


def measure(
    nodes: str = "60,300,1500", rounds: int = 9, only: str = "", kind: str = ""
) -> Iterator[Table]:
    nx.config.warnings_to_ignore.add("cache")
    warnings.simplefilter("ignore")
    rows, slow = [], []
    for n in map(int, nodes.split(",")):
        for called, graph in graphs(n):
            if kind not in called:
                continue
            for cold in (True, False):
                ratios, asked = {}, 0
                for call in calls(graph):
                    if only not in call[0] or call[0] == "leiden_communities":
                        continue  # NetworkX has no Leiden
                    asked += 1
                    graph.__networkx_cache__.clear()
                    if not cold:
                        nx.pagerank(graph, backend="tachograph")
                    given = (graph, *call[2])
                    if can_run(call[0], given, call[3]) is not True:
                        continue
                    if n > ALL_PAIRS_NODES and cost_of(call[0], given, call[3]).startswith("all "):
                        continue
                    if should_run(call[0], given, call[3]) is True:
                        ratios[call[1]] = speedup(graph, call, cold, rounds)
                ratios = {k: v for k, v in ratios.items() if v}
                state = "cold" if cold else "warm"
                least = min(ratios, key=lambda k: ratios[k], default="")
                worse = {k: v for k, v in ratios.items() if v < SLOWER}
                slow += [[f"{n:,}, {called}, {state}", k, *rounded([v])] for k, v in worse.items()]
                row = [f"{n:,}, {called}, {state}", asked, len(ratios), len(worse)]
                rows.append([*row, *rounded([ratios.get(least, 0.0)]), least])
                print(*rows[-1], *slow[len(slow) - len(worse) :], sep=" | ", flush=True)
    columns = ["nodes", "calls", "taken", "slower by 10 %", "least speed-up", "of"]
    yield Table("Calls that should_run takes", columns, rows)
    yield Table("Those that are slower", ["nodes", "call", "times as fast"], slow)


if __name__ == "__main__":
    import sys

    sys.path.insert(0, str(ROOT))  # for the calls of the tests
    main(measure)
