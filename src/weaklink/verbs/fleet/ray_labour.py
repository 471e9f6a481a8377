"""Ray does the work: the same function on the same jobs, on as many machines as the cluster has."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import msgspec

from weaklink.adapters.ray.tasks import RayTasks
from weaklink.verbs.fleet.labour import MOST_TRIES, make_lost_reply
from weaklink.verbs.fleet.work import FleetJob, FleetReply, FleetStart, do_job

FUNCTION = f"{__name__}:do_message"


class RayMessage(msgspec.Struct, frozen=True):
    """A job with all that it needs; `folder` is the one that its paths are meant from."""

    start: FleetStart
    job: FleetJob
    folder: str


def do_message(message: bytes) -> bytes:
    """Does the job of a message; this runs in the processes of Ray."""
    asked = msgspec.msgpack.decode(message, type=RayMessage)
    if os.path.isdir(asked.folder):
        os.chdir(asked.folder)
    return msgspec.msgpack.encode(do_job(asked.job, asked.start))


class RayLabour:
    """The processes of a Ray cluster, which must see the logs under the same paths.

    Raises:
        UsageError: Ray is not installed, or the cluster cannot be reached.
    """

    def __init__(self, start: FleetStart, address: str) -> None:
        self._start, self.tasks = start, RayTasks(address)

    def judge(self, jobs: Sequence[FleetJob]) -> Iterator[FleetReply]:
        """The replies as they come; Ray gives the job of a process that died to another one."""
        known, folder = {job.number: job for job in jobs}, os.getcwd()
        messages = {job.number: msgspec.msgpack.encode(RayMessage(self._start, job, folder)) for job in jobs}
        for number, answer in self.tasks.answer_all(FUNCTION, messages, MOST_TRIES):
            if isinstance(answer, str):
                yield make_lost_reply(known[number], answer)
            else:
                yield msgspec.msgpack.decode(answer, type=FleetReply)

    def close(self) -> None:
        """Leaves the cluster."""
        self.tasks.close()
