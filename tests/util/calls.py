"""Functions for the tests of executors."""

from __future__ import annotations

import os
import signal
import threading
import time


class Odd(Exception):
    """An exception that cannot be read from another process."""

    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


def pid(number, seconds=0.0):
    time.sleep(seconds)
    return number, os.getpid()


def fails(number):
    raise KeyError(number)


def fails_oddly(number):
    raise Odd(number, "is odd")


def returns_a_lock(number):
    return threading.Lock()


def dies(number):
    os.kill(os.getpid(), signal.SIGKILL)


def shared(all_of_it, number):
    return all_of_it[number]
