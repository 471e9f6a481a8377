"""A Ray cluster lent to a verb: every process that it starts for the user's code runs there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from weaklink.adapters.ray.tasks import RayTasks
from weaklink.base.outside.lending import lend_machines


@contextlib.contextmanager
def lend_cluster(address: str) -> Iterator[None]:
    """Has the processes that are started within run on a cluster; without an address, on this machine.

    Raises:
        UsageError: Ray is not installed, or the cluster cannot be reached.
    """
    if not address:
        yield
        return
    cluster = RayTasks(address)
    try:
        with lend_machines(cluster.machines):
            yield
    finally:
        cluster.close()
