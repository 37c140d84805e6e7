"""What NetworkX asks about the backend when it is imported itself; imports nothing heavy."""

from __future__ import annotations

from .functions import FUNCTIONS

__all__ = ["get_info"]


def get_info() -> dict[str, object]:
    """Return the backend's name, and the notes and additional parameters of each function.

    >>> sorted(get_info()["functions"]["pagerank"]["additional_parameters"])
    ['threads : int, optional']
    """
    return {
        "backend_name": "tachograph",
        "project": "tachograph",
        "package": "tachograph",
        "short_summary": "Compiled, parallel, and only used where it is predicted to pay.",
        "functions": {
            f.name: {"additional_docs": f.notes or None, "additional_parameters": f.parameters}
            for f in FUNCTIONS.values()
        },
    }
