"""What the process of a script is told: where its trainings are recorded, and how they are watched."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import msgspec

REQUEST = "WEAKLINK_RUN"
"""The environment variable that holds it."""


class ScriptRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Recordings go below `folder`, and what a survey of the environment finds into the file `survey`, where one is
    asked for. All else is what a monitor takes."""

    folder: str
    on_error: str
    budget: float
    survey: str = ""
    select: tuple[str, ...] = ()
    thresholds: dict[str, dict[str, Any]] = {}


def write_request(request: ScriptRequest) -> str:
    """The request as the value of its variable."""
    return msgspec.json.encode(request).decode()


def read_request(environment: Mapping[str, str] = os.environ) -> ScriptRequest:
    """The request that this process was started with."""
    return msgspec.json.decode(environment[REQUEST], type=ScriptRequest)
