"""Scalar and vector instructions of compiled loops, for the break-point equation."""

from __future__ import annotations

import re
from typing import Any

import numba

__all__ = ["count_instructions", "instruction_ratio"]

OPERATION = re.compile(
    r"^  (?:%\S+ = )?(?:tail |musttail )?([a-z]\w*) ?(.*)", re.MULTILINE
)  # of LLVM
CONTROL = {"br", "switch", "call", "ret", "unreachable", "invoke"}
#: Instructions of a branch on a condition: keep the mask, branch if it is empty, restore it.
MASK_INSTRUCTIONS = 3
NO_INSTRUCTION = {"phi", "bitcast", "alloca", "extractvalue", "insertvalue"}  # names of values


def count_instructions(listing: str) -> tuple[int, int]:
    """How many scalar and how many vector instructions a loop takes on a GPU with units for both.

    ``listing`` is LLVM's. As on AMD's GCN, what a work-item loads, stores, computes and compares takes
    vector instructions, and control is scalar: a branch on a condition keeps, changes and restores the
    mask of the work-items that take part.

    >>> lines = ["%1 = load i32, i32* %p", "%2 = icmp eq i32 %1, 0", "br i1 %2, label %a, label %b"]
    >>> count_instructions("".join(f"  {line}{chr(10)}" for line in lines))
    (3, 2)
    """
    scalar = vector = 0
    for found in OPERATION.finditer(listing):
        word, rest = found.groups()
        if word == "br" and rest.startswith("i1"):
            scalar += MASK_INSTRUCTIONS
        elif word in CONTROL:
            scalar += 1
        elif word not in NO_INSTRUCTION:
            vector += 1
    return scalar, vector


def instruction_ratio(kernel: Any) -> float | None:
    """How many scalar instructions a kernel has for each vector instruction, as compiled here.

    Compiles it again, because what is kept on disk cannot be listed. None if it was not used yet.
    """
    if not kernel.signatures:
        return None
    # without what converts arguments
    only: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    again = numba.njit(kernel.py_func, nogil=True, error_model="numpy", **only)
    again.compile(kernel.signatures[0])
    scalar, vector = count_instructions("\n".join(again.inspect_llvm().values()))
    return scalar / max(vector, 1)
