"""The process in which runs are judged, one job after the other: a log that ends it takes nothing else down."""

from __future__ import annotations

import os

from weaklink.base.outside.messages import ParentChannel
from weaklink.verbs.fleet.work import FleetJob, FleetReply, FleetStart, do_job


def main() -> None:
    """Judges until nothing more is asked for."""
    parent = ParentChannel()
    start = parent.hear(FleetStart)
    parent.say(FleetReply(ready=True))
    for job in parent.hear_all(FleetJob):
        parent.say(do_job(job, start))


if __name__ == "__main__":
    main()
    os._exit(0)
