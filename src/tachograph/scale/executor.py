"""Where tasks run: one after the other in this process, or as futures on a Dask cluster."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..util.errors import TachographError

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["Each", "executor"]

#: calls a function with every tuple of arguments; their results
Each = Callable[[Callable[..., Any], list[tuple[Any, ...]]], list[Any]]


@contextmanager
def executor(cluster: str | None, workers: int | None, parts: int) -> Iterator[Each]:
    """A way to run tasks. Without a cluster, or a Dask client in use, that is this process."""
    if cluster is None and workers is None and not _dask_in_use():
        yield lambda function, calls: [function(*call) for call in calls]
        return
    from .cluster import connect

    logger = logging.getLogger("distributed.client")  # tells of a lost scheduler at length
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with connect(cluster, None if workers is None else min(workers, parts)) as client:
            yield _Spread(client)
    finally:
        logger.setLevel(before)


def _dask_in_use() -> bool:
    """Whether the program has a Dask client, or Dask is configured for a cluster."""
    if "DASK_SCHEDULER_ADDRESS" in os.environ:
        return True
    if "distributed" not in sys.modules:
        return False
    from distributed import Client

    try:
        Client.current()
    except ValueError:
        return False
    return True


class _Spread:
    """Tasks as futures."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.before: list[Future] = []

    def __call__(self, function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> list[Any]:
        from distributed import KilledWorker

        try:
            # not bound to workers: one that comes later could not take over what the last one left
            futures = self.client.map(function, *zip(*calls, strict=True), pure=False)
            # a client sends every 10 ms only: had it just told to forget these, the new would wait
            self.before = futures
            results: list[Any] = self.client.gather(futures)
        except TachographError:
            raise
        except KilledWorker as error:
            raise TachographError(
                f"workers died again and again ({error}): if they lack memory, use more parts"
            ) from None
        except BaseException as error:
            if not _is_loss(error):
                raise
            raise TachographError(
                f"the cluster was lost ({type(error).__name__}): the same call goes on from the last "
                "checkpoint, on another cluster or without one"
            ) from None
        return results


def _is_loss(error: BaseException) -> bool:
    """Whether this is how Dask tells that a scheduler is gone."""
    from asyncio import CancelledError
    from concurrent.futures import CancelledError as FutureCancelled

    return isinstance(error, OSError | TimeoutError | CancelledError | FutureCancelled)
