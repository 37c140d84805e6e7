from __future__ import annotations

import numpy as np

from tachograph.kernels.runtime.instructions import count_instructions, instruction_ratio
from tachograph.kernels.runtime.launch import kernel

LISTING = """define i32 @f(i8* %p) {
entry:
  %a = load i32, i32* %p, align 4
  %b = add nsw i32 %a, 1
  store i32 %b, i32* %p, align 4
  %c = icmp slt i32 %b, 9
  br i1 %c, label %entry, label %end

end:                                              ; preds = %entry
  %d = phi i32 [ %b, %entry ]
  %e = tail call i32 @g(i32 %d)
  ret i32 %e
}
"""


def test_control_is_scalar_and_data_is_vector():
    # the branch as three, call, ret; load, add, store, icmp
    assert count_instructions(LISTING) == (5, 4)


@kernel
def last(stop, values):
    found = 0
    for i in range(values.size):
        found = values[i] if values[i] > 0 else found
    return found


def test_a_kernel_is_counted_once_it_was_used():
    assert instruction_ratio(last) is None
    last(np.zeros(1, np.int64), np.arange(5))
    assert 0.05 < instruction_ratio(last) < 20
