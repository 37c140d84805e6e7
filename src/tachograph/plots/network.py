"""Pictures of graphs: how many vertices have which degree, and vertices joined by lines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import numbers as show
from .axes import Axis, panels
from .drawing import WIDE, Drawing

__all__ = ["degrees", "layout", "network"]

STEPS = 120  # of the layout
PULL, FIRST_MOVE = 0.5, 0.06  # to the middle; the longest step, as parts of the picture
MARGIN_PIXELS = 14.0
EDGE_OPACITY = {100: 0.7, 400: 0.45}  # up to this number of lines; more are fainter
FAINTEST = 0.25
RADIUS_PIXELS = (2.5, 8.0)  # of the vertex with fewest and with most arcs


def degrees(counts: np.ndarray, width: float = WIDE, height: float = 170) -> Drawing:
    """Draw how many vertices have which degree; bars hold degrees up to twice as large each.

    ``counts[d]`` is the number of vertices of degree ``d``.

    >>> print(degrees(np.array([1, 0, 2])).about)
    Vertices by degree: 0 1; 2–3 2
    """
    made = Drawing("Vertices by degree", width)
    (frame,) = panels(made, (height,), {}, (46, 8))
    cells = [
        range(1),
        *(range(1 << k, 2 << k) for k in range(max(len(counts) - 1, 1).bit_length())),
    ]
    sums = [int(counts[cell.start : cell.stop].sum()) for cell in cells]
    upright = frame.y([1, *(s for s in sums if s)], Axis("vertices", show.short, "log", 4))
    frame.floor()
    wide = (frame.right - frame.left) / len(cells)
    every = max(1, round(44 / wide))  # of a bar whose degree is written below it
    said = []
    for k, (cell, many) in enumerate(zip(cells, sums, strict=True)):
        name = f"{cell[0]}" if len(cell) == 1 else f"{cell[0]}–{cell[-1]}"
        x = frame.left + k * wide
        if many:
            box = (x + 1, upright(many), wide - 2, frame.bottom - upright(many))
            made.rect(box, "s1", tip=f"degree {name}\n{show.count(many)} vertices")
            said.append(f"{name} {show.count(many)}")
        if k % every == 0:
            text = show.short(cell[0])
            made.text(x + wide / 2, frame.bottom + 16, text, "soft", anchor="middle", size=11)
    middle = (frame.left + frame.right) / 2
    made.text(middle, frame.bottom + 33, "degree", "soft", anchor="middle", size=11)
    made.about = f"{made.title}: {'; '.join(said)}"
    return made


def layout(n: int, ends: np.ndarray) -> np.ndarray:
    """Place ``n`` vertices between 0 and 1 so that joined ones are near each other.

    ``ends`` has a row of two vertices for each line. The start is two eigenvectors of each component's
    Laplacian; then vertices repel each other and lines pull their ends together (Fruchterman and
    Reingold). The same graph always looks the same.
    """
    if n <= 1:
        return np.full((n, 2), 0.5)
    joined = np.zeros((n, n))
    joined[ends[:, 0], ends[:, 1]] = joined[ends[:, 1], ends[:, 0]] = 1.0
    at = _smooth(joined)
    near = 0.8 / np.sqrt(n)
    for step in range(STEPS):
        apart = at[:, None] - at[None]
        distance = np.sqrt((apart**2).sum(axis=2)) + 1e-9
        force = near**2 / distance**2 - joined * distance / near
        push = (apart * force[:, :, None]).sum(axis=1) - (at - 0.5) * PULL
        length = np.sqrt((push**2).sum(axis=1, keepdims=True)) + 1e-12
        at += push / length * np.minimum(length, FIRST_MOVE * (1 - step / STEPS) ** 1.5)
    low, high = at.min(axis=0), at.max(axis=0)
    return np.asarray((at - low) / np.maximum(high - low, 1e-9))


def _smooth(joined: np.ndarray) -> np.ndarray:
    """Place each component by its Laplacian's eigenvectors; the largest one is in the middle."""
    n = len(joined)
    part = np.arange(n)
    for _ in range(n):  # the least vertex of each component
        before = part
        part = np.minimum(part, np.where(joined > 0, part[None], n).min(axis=1))
        if (part == before).all():
            break
    sizes = np.bincount(part, minlength=n)
    at = np.zeros((n, 2))
    for rank, least in enumerate(np.argsort(-sizes, kind="stable")[: (sizes > 0).sum()]):
        own = np.flatnonzero(part == least)
        inner = joined[np.ix_(own, own)]
        vectors = np.linalg.eigh(np.diag(inner.sum(axis=1)) - inner)[1][:, 1:3]
        spread = np.zeros((own.size, 2))
        spread[:, : vectors.shape[1]] = vectors / (np.abs(vectors).max(axis=0) + 1e-9)
        spread[:, 1] += 1e-3 * np.arange(own.size)  # paths and stars have vertices in one place
        turn, far = rank * 2.4, 0.0 if rank == 0 else 0.45 + 0.002 * rank  # nearly the golden angle
        middle = 0.5 + far * np.array([np.cos(turn), np.sin(turn)])
        at[own] = middle + spread * np.sqrt(own.size / n) / 2
    return at


def network(
    names: Sequence[str],
    ends: np.ndarray,
    weights: Sequence[float],
    title: str,
    marked: int | None = None,
    width: float = WIDE,
) -> Drawing:
    """Draw vertices and the lines between them.

    ``weights`` give the sizes of the dots (such as degrees), ``marked`` has another colour. The tips
    are the names.

    >>> ends = np.array([[0, 1], [1, 2]])
    >>> print(network(["a", "b", "c"], ends, [1, 2, 1], "A path").about)
    A path: 3 vertices, 2 lines
    """
    made = Drawing(title, width, round(width * 0.72))
    places = layout(len(names), ends)
    inner = np.array([made.width, made.height]) - 2 * MARGIN_PIXELS
    at = (places * inner + MARGIN_PIXELS).tolist()
    faint = next((v for k, v in EDGE_OPACITY.items() if len(ends) <= k), FAINTEST)
    for a, b in ends.tolist():
        made.line([tuple(at[a]), tuple(at[b])], "axis", size=1.2, opacity=faint)
    most, least = max([1.0, *weights]), min([1.0, *weights])
    low, high = RADIUS_PIXELS
    high = max(low + 1, min(high, high * (most / max(least, 1.0)) / 4))  # alike ones are small
    for k, (name, weight) in enumerate(zip(names, weights, strict=True)):
        radius = low + (high - low) * (weight / most) ** 0.5
        role = "s2" if k == marked else "s1"
        x, y = at[k]
        made.dot(x, y, round(radius, 1), role, tip=name, opacity=1.0 if k == marked else 0.9)
    made.about = f"{title}: {len(names)} vertices, {len(ends)} lines"
    return made
