"""What `weaklink diagnose` answers: one run in full, several as a fleet."""

from __future__ import annotations

from typing import Any

from weaklink.show.document import Document, bind_pages
from weaklink.show.subjects import run as of_run
from weaklink.verbs.diagnose import Diagnosed


def build(diagnosed: Diagnosed, **options: Any) -> Document:
    """One run in full, with the options of its subject; of several what theirs says."""
    if diagnosed.alone is None:
        from weaklink.show.subjects import fleet

        return fleet.build(diagnosed, **options)
    given = {name: options[name] for name in ("symptom", "paged") if name in options}
    return bind_pages([of_run.build(diagnosed.alone.diagnosis, diagnosed.alone.run, **given)])
