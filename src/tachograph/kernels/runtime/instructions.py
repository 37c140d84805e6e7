"""Count the scalar and the vector instructions of compiled kernels."""

from __future__ import annotations

import re
from typing import Any

import numba

# Packed arithmetic, moves and comparisons of x86; on other machines, registers of vectors.
PACKED = re.compile(r"v?p[a-z]+|v?[a-z]+p[sd]|v?mov[au]p[sd]|v?movdq[au]\d*")
WIDE = re.compile(r"%[xyz]mm\d|\bv\d+\.(?:16b|8h|4s|2d)")


def count(assembly: str) -> tuple[int, int]:
    """How many scalar and how many vector instructions a listing has.

    >>> tab, end = chr(9), chr(10)
    >>> count(end.join(tab + x for x in [".p2align 4", "movq %rax, %rbx", "vpaddq %ymm0, %ymm1"]))
    (1, 1)
    """
    lines = [line.strip() for line in assembly.splitlines() if line.startswith("\t")]
    words = [line for line in lines if not line.startswith((".", "#"))]
    wide = sum(
        bool(WIDE.search(line)) and ("mm" not in line or bool(PACKED.fullmatch(line.split()[0])))
        for line in words
    )
    return len(words) - wide, wide


def instruction_ratio(kernel: Any) -> float | None:
    """How many scalar instructions a kernel has for each vector instruction, as compiled here.

    Compiles it again, because what is kept on disk cannot be listed. None if it was not used yet.
    """
    if not kernel.signatures:
        return None
    again = numba.njit(kernel.py_func, nogil=True, error_model="numpy")
    again.compile(kernel.signatures[0])
    scalar, vector = count("\n".join(again.inspect_asm().values()))
    return scalar / max(vector, 1)
