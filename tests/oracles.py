"""Slow, obviously right versions of what the library does fast. Tests compare with these."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from math import inf, log

Edge = tuple[int, int] | tuple[int, int, float]


def rows(
    edges: list[Edge],
    n: int,
    *,
    symmetrize: bool = False,
    dedupe: str = "keep",
    drop_self_loops: bool = False,
) -> list[list[tuple[int, float | None]]]:
    """For each vertex the (target, weight) pairs of its arcs, in the order of the list."""
    made: list[list[tuple[int, float | None]]] = [[] for _ in range(n)]
    for edge in edges:
        u, v = edge[0], edge[1]
        w = edge[2] if len(edge) > 2 else None
        if u == v and drop_self_loops:
            continue
        made[u].append((v, w))
        if symmetrize and u != v:
            made[v].append((u, w))
    if dedupe == "keep":
        return made
    return [combined(row, dedupe) for row in made]


def combined(row: list[tuple[int, float | None]], how: str) -> list[tuple[int, float | None]]:
    """One entry for each target, sorted."""
    groups: dict[int, list[float | None]] = defaultdict(list)
    for target, weight in row:
        groups[target].append(weight)
    pick = {"first": lambda ws: ws[0], "min": min, "sum": sum}[how]
    return [(t, None if groups[t][0] is None else pick(groups[t])) for t in sorted(groups)]


def is_symmetric(edges: list[Edge]) -> bool:
    ahead = Counter(tuple(e) for e in edges if e[0] != e[1])
    back = Counter((e[1], e[0], *e[2:]) for e in edges if e[0] != e[1])
    return ahead == back


def gini(degrees: list[int]) -> float:
    """Mean absolute difference of all pairs over twice the mean."""
    if not degrees or not sum(degrees):
        return 0.0
    n, mean = len(degrees), sum(degrees) / len(degrees)
    return sum(abs(a - b) for a in degrees for b in degrees) / (2 * n * n * mean)


def reciprocity(edges: list[Edge]) -> float:
    arcs = [(e[0], e[1]) for e in edges if e[0] != e[1]]
    present = set(arcs)
    return sum((v, u) in present for u, v in arcs) / len(arcs) if arcs else 0.0


def distances(neighbours: list[list[int]], start: int) -> dict[int, int]:
    """Hops from ``start`` to everything it reaches."""
    found, queue = {start: 0}, deque([start])
    while queue:
        v = queue.popleft()
        for t in neighbours[v]:
            if t not in found:
                found[t] = found[v] + 1
                queue.append(t)
    return found


def shortest(rows: list[list[tuple[int, float | None]]], sources: list[int]) -> list[float] | None:
    """Distances by relaxing every arc as often as there are vertices; None if that does not settle."""
    distance = [inf] * len(rows)
    for s in sources:
        distance[s] = 0
    for _ in range(len(rows) + 1):
        settled = True
        for u, row in enumerate(rows):
            for v, w in row:
                if distance[u] + w < distance[v]:
                    distance[v] = distance[u] + w
                    settled = False
        if settled:
            return distance
    return None


def limited(
    rows: list[list[tuple[int, float]]], sources: list[int], rounds: int, least: int, most: float
) -> list[float]:
    """Distances by paths of at most ``rounds`` arcs that go on only from the sources and from vertices
    with ``least`` to ``most`` arcs.
    """
    distance = [0 if v in sources else inf for v in range(len(rows))]
    for _ in range(min(rounds, len(rows))):
        after = list(distance)
        for u, row in enumerate(rows):
            if u in sources or least <= len(row) <= most:
                for v, w in row:
                    after[v] = min(after[v], distance[u] + w)
        distance = after
    return distance


def diameter(neighbours: list[list[int]]) -> int:
    """The greatest distance between two vertices that reach each other."""
    return max((max(distances(neighbours, v).values()) for v in range(len(neighbours))), default=0)


def similarity(task: str, a: dict[int, float], b: dict[int, float]) -> float:
    """Of two vertices, from their neighbours' weights: as the definitions say, one at a time."""
    everyone = a.keys() | b.keys()
    if task == "cosine":
        dot = sum(a.get(x, 0) * b.get(x, 0) for x in everyone)
        norms = [sum(w * w for w in side.values()) ** 0.5 for side in (a, b)]
        return dot / (norms[0] * norms[1]) if norms[0] * norms[1] else 0.0
    if task in ("adamic_adar", "resource_allocation"):  # weights are how many have a neighbour
        both = [a[x] for x in a.keys() & b.keys()]
        if task == "adamic_adar":
            return sum(1 / log(w) for w in both if w > 1)
        return sum(1 / w for w in both)
    shared = sum(min(a.get(x, 0), b.get(x, 0)) for x in everyone)
    divisor = {
        "jaccard": sum(max(a.get(x, 0), b.get(x, 0)) for x in everyone),
        "overlap": min(sum(a.values()), sum(b.values())),
        "sorensen": (sum(a.values()) + sum(b.values())) / 2,
    }[task]
    return shared / divisor if divisor else 0.0


def draw(key: int, counter: int) -> int:
    """Number ``counter`` of the stream ``key`` of SplitMix64."""
    word = 2**64 - 1
    x = (key + (counter + 1) * 0x9E3779B97F4A7C15) & word
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & word
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & word
    return x ^ (x >> 31)


def independent_set(rows: list[list[int]], key: int) -> list[int]:
    """Greedily: first those with few neighbours, those of one class of degrees at random."""

    def place(v: int) -> tuple[int, int]:
        # classes of degree + 1: 1, 2, 3, 4-5, 6-7, 8-11, 12-15, 16-23, ...: two for each doubling
        bounds = [1, 2, 3] + [b * 2**k for k in range(14) for b in (4, 6)]
        at = max(i for i, bound in enumerate(bounds) if len(rows[v]) + 1 >= bound)
        return at, -draw(key, v)

    chosen: set[int] = set()
    for v in sorted(range(len(rows)), key=place):
        if not any(u in chosen for u in rows[v] if u != v):
            chosen.add(v)
    return sorted(chosen)


def maximum_flow(edges: list[Edge], n: int, source: int, sink: int, directed: bool) -> float:
    """The value, by paths of fewest arcs on which something can still be sent."""
    room = [[0.0] * n for _ in range(n)]
    for u, v, w in edges:
        room[u][v] += w
        if not directed and u != v:
            room[v][u] += w
    value = 0.0
    while True:
        before = {source: source}
        queue = deque([source])
        while queue:
            u = queue.popleft()
            for v in range(n):
                if room[u][v] > 0 and v not in before:
                    before[v] = u
                    queue.append(v)
        if sink not in before:
            return value
        path = [sink]
        while path[-1] != source:
            path.append(before[path[-1]])
        steps = list(zip(path[1:], path[:-1], strict=True))
        least = min(room[u][v] for u, v in steps)
        for u, v in steps:
            room[u][v] -= least
            room[v][u] += least
        value += least
