from __future__ import annotations

import numpy as np

from tachograph.kernels.runtime.launch import count_instructions, instruction_ratio, kernel


def test_vectors_are_told_from_scalars():
    lines = ["vaddpd %ymm0, %ymm1, %ymm2", "vaddsd %xmm0, %xmm1, %xmm2", "vmovdqu (%rax), %ymm3",
             "addq $1, %rax", "add v0.4s, v1.4s, v2.4s", ".cfi_endproc", "# a comment"]  # fmt: skip
    assert count_instructions("\n".join(["f:", *("\t" + line for line in lines)])) == (2, 3)


@kernel
def last(a):
    return a[a.size - 1]


def test_a_kernel_is_counted_once_it_was_used():
    assert instruction_ratio(last) is None
    assert last(np.arange(3)) == 2
    assert instruction_ratio(last) > 0
