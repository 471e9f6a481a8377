"""Messages answered by a function on a Ray cluster, or by a Ray that is started here and ended afterwards."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from weaklink.base.backports import SAFE_PATH
from weaklink.base.errors import UsageError
from weaklink.base.outside.lending import LentMachines

LOCAL = "local"
AHEAD = 4
"""Tasks that wait for each core: enough that none is idle, few enough that a stop has little to take back."""
POLL = 1.0


def answer(function: str, message: bytes) -> bytes:
    """Calls a function by its `module:name`; this runs in the processes of Ray."""
    module, _, name = function.partition(":")
    found: bytes = getattr(import_module(module), name)(message)
    return found


class RayTasks:
    """A connection to Ray.

    Args:
        address: where the cluster is (`auto`, `ray://host:10001`), or `local` for one of our own.

    Raises:
        UsageError: Ray is not installed, or the cluster cannot be reached.
    """

    def __init__(self, address: str) -> None:
        if find_spec("ray") is None:
            raise UsageError("--ray needs Ray, which is not installed: pip install 'weaklink[ray]'.")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent anywhere unasked
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        import ray

        self._ray: Any = ray
        self._address = address
        quiet = {"log_to_driver": False, "configure_logging": False}
        try:
            if address == LOCAL:
                ray.init(include_dashboard=False, **quiet)
            else:
                ray.init(address=address, **quiet)
        except (ConnectionError, ValueError, RuntimeError, OSError) as error:
            raise UsageError(
                f"--ray takes the address of a cluster that runs, or `local`: {address} could not be reached "
                f"({str(error)[:200]}). Start one with `ray start --head`, or use --ray local."
            ) from None

    @property
    def machines(self) -> LentMachines:
        """The cluster as a place to run commands: its cores, and the relay that takes a command there."""
        address = self._address if self._address.startswith("ray://") else self._find_address()
        relay = (sys.executable, "-u", *SAFE_PATH, "weaklink.adapters.ray.relay", address)
        return LentMachines(relay, max(1, int(self._ray.cluster_resources().get("CPU", 1))))

    def _find_address(self) -> str:
        return str(self._ray.get_runtime_context().gcs_address)

    def answer_all(self, function: str, messages: Mapping[int, bytes], tries: int) -> Iterator[tuple[int, bytes | str]]:
        """The answers as they come, each with its number; words on its end where every process died that tried.

        Args:
            function: the `module:name` of what answers.
            messages: what is asked, by number.
            tries: how often one is asked before it is given up.
        """
        ray = self._ray
        call = ray.remote(max_retries=tries - 1)(answer)
        waiting = list(messages)
        open_tasks: dict[Any, int] = {}
        most = max(AHEAD * int(ray.cluster_resources().get("CPU", 1)), AHEAD)
        while waiting or open_tasks:
            while waiting and len(open_tasks) < most:
                number = waiting.pop(0)
                open_tasks[call.remote(function, messages[number])] = number
            done, _ = ray.wait(list(open_tasks), num_returns=1, timeout=POLL)
            for task in done:
                number = open_tasks.pop(task)
                try:
                    yield number, ray.get(task)
                except ray.exceptions.RayError as error:
                    yield number, str(error).strip().splitlines()[0][:200]

    def close(self) -> None:
        """Leaves the cluster, or ends the one that was started."""
        self._ray.shutdown()
