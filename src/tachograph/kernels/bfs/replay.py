"""What a direction policy would have chosen in measured searches, and what that would have cost.

A search is a stretch of rows: the state before each level (``STATE``) and the measured times
of both directions and of the frontier's change of form. ``first`` marks where a search begins.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import ask
from ..runtime.launch import kernel
from .state import M_F, PREVIOUS, PULL, PULLED, PUSH, N

__all__ = ["best", "choices", "spent"]


@kernel
def choices(stop, policy, parameters, certain, states, first, chosen):
    """Ask the policy at every level; frontiers of at most n / ``certain`` arcs are pushed (0: none)."""
    previous, pulled = PUSH, 0
    state = np.empty(states.shape[1])
    for i in range(states.shape[0]):
        if first[i]:
            previous, pulled = PUSH, 0
        for k in range(state.size):
            state[k] = states[i, k]
        state[PREVIOUS] = previous
        state[PULLED] = pulled
        previous = PUSH
        if certain == 0 or state[M_F] > state[N] // certain:
            previous = ask(policy, state, parameters)
        pulled += previous == PULL
        chosen[i] = previous


@kernel
def best(stop, first, push, pull, to_bitmap, to_queue, chosen):
    """The cheapest directions of every search, changes of form included (a shortest path in time)."""
    rows = first.size
    came_from = np.zeros((rows, 2), np.int8)
    end = rows
    ahead = back = 0.0
    for i in range(rows):
        if first[i]:
            ahead, back = push[i], to_bitmap[i] + pull[i]
        else:
            stay_ahead, turn_ahead = ahead, back + to_queue[i]
            stay_back, turn_back = back, ahead + to_bitmap[i]
            came_from[i, PUSH] = PUSH if stay_ahead <= turn_ahead else PULL
            came_from[i, PULL] = PULL if stay_back <= turn_back else PUSH
            ahead = min(stay_ahead, turn_ahead) + push[i]
            back = min(stay_back, turn_back) + pull[i]
        end = i + 1
        if end == rows or first[end]:  # the search is over: walk back
            direction = PUSH if ahead <= back else PULL
            for k in range(i, -1, -1):
                chosen[k] = direction
                if first[k]:
                    break
                direction = came_from[k, direction]


@kernel
def spent(stop, first, push, pull, to_bitmap, to_queue, chosen, times):
    """What each level takes with these directions, the change of form before it included."""
    previous = PUSH
    for i in range(first.size):
        if first[i]:
            previous = PUSH
        if chosen[i] == PUSH:
            times[i] = push[i] + (to_queue[i] if previous == PULL else 0.0)
        else:
            times[i] = pull[i] + (to_bitmap[i] if previous == PUSH else 0.0)
        previous = chosen[i]
