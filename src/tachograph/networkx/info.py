"""What NetworkX wants to know about the backend when it is imported itself; imports nothing heavy."""

from __future__ import annotations

from typing import Any

from .functions import FUNCTIONS

__all__ = ["get_info"]


def get_info() -> dict[str, Any]:
    """The backend's name, and for each function its notes and additional parameters.

    >>> sorted(get_info()["functions"]["pagerank"]["additional_parameters"])
    ['threads : int, optional']
    """
    return {
        "backend_name": "tachograph",
        "project": "tachograph",
        "package": "tachograph",
        "short_summary": "Compiled, parallel, and only used where it is predicted to pay.",
        "functions": {
            name: {
                "additional_docs": function.notes or None,
                "additional_parameters": function.parameters,
            }
            for name, function in FUNCTIONS.items()
        },
    }
