"""NumPy ``.npz``: our arrays by name, or what ``scipy.sparse.save_npz`` wrote. Never pickled."""

from __future__ import annotations

import io
from typing import IO, Any

import numpy as np

from ...util import memory
from ...util.errors import FileFormatError, InputError
from ..build import from_csr
from ..graph import Graph
from .streams import Input


def read(source: Input, weight: str | bool | None) -> Graph:
    """Read the graph from the arrays indptr, indices, weights (or data) and directed."""
    memory.require(2 * source.size, f"{source.path}", "use a machine with more memory")
    try:
        with np.load(io.BytesIO(source.content()), allow_pickle=False) as file:
            loaded = {k: file[k] for k in file.files}
        found = {k: a for k, a in loaded.items() if isinstance(a, np.ndarray)}
    except Exception as error:  # a damaged archive makes zipfile and NumPy raise all kinds
        raise FileFormatError(source.path, f"damaged or not an npz file ({error})") from None
    missing = {"indptr", "indices"} - set(found)
    if missing:
        raise FileFormatError(source.path, f"there is no array {', '.join(sorted(missing))}")
    try:
        kind = found["format"].item() if "format" in found else "csr"
        if kind not in ("csr", b"csr"):
            raise InputError(f"holds a {kind} matrix: save it as csr")
        directed = bool(found["directed"].item()) if "directed" in found else True
        weights = found.get("weights", found.get("data"))
        if weights is not None and (weights.dtype == bool or weight is False):
            weights = None
        made = from_csr(found["indptr"], found["indices"], weights, directed=directed)
        shape = tuple(found["shape"].tolist()) if "shape" in found else (made.n, made.n)
        if shape != (made.n, made.n):
            raise InputError(f"a graph needs a square matrix, not {shape}")
    except (InputError, ValueError, TypeError) as error:
        raise FileFormatError(source.path, str(error)) from None
    return made


def write(graph: Graph, out: IO[bytes]) -> None:
    """Write the arrays."""
    arrays: dict[str, Any] = {
        "indptr": graph.indptr,
        "indices": graph.indices,
        "directed": np.array(graph.directed),
    }
    if graph.weights is not None:
        arrays["weights"] = graph.weights
    np.savez(out, **arrays)
