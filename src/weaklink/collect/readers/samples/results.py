"""What results of tools say of themselves: that a call went well, or failed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

_FAILED = re.compile(
    r"\s*(?:(?:tool |runtime |execution |command |http |api |server )?(?:error|exception|failure)\b"
    r"|[a-z_.]{1,60}(?:error|exception):"
    r"|traceback \(most recent call last\)|(?:invalid|missing|unexpected|unknown) (?:required )?"
    r"(?:argument|parameter|tool|function|input|json|request|keyword)|(?:permission|access) denied|request timed out"
    r"|timed? ?out\b|(?:tool|function|command) not found|(?:http )?[45]\d\d (?:client|server|not|bad|internal|forbidden"
    r"|unauthori|too|service|gateway)|\{\s*[\"']error[\"']\s*:(?!\s*(?:null|none|false|\"\"|'')))",
    re.IGNORECASE,
)
_LONGEST_VERDICT = 20_000
"""Characters of a result that is looked into for what it says of itself: a longer one is data."""


def read_verdict(message: Mapping[str, Any]) -> bool | None:
    """Whether a result says of itself that it went well or failed."""
    for name in ("ok", "success", "succeeded"):
        if isinstance(message.get(name), bool | int | float):
            return bool(message[name])
    if isinstance(message.get("is_error"), bool):
        return not message["is_error"]
    if message.get("error"):
        return False
    status = next((message[name] for name in ("status", "status_code") if message.get(name) is not None), None)
    if isinstance(status, str):
        return {"error": False, "failed": False, "failure": False, "success": True, "ok": True}.get(status.lower())
    if type(status) is int and 200 <= status < 600:  # as HTTP counts them
        return status < 400
    return None


def judge_result(content: str) -> bool | None:
    """Whether the text of a result says that the call failed, or went well; None where it says neither."""
    if _FAILED.match(content):
        return False
    if content[:1] != "{" or len(content) > _LONGEST_VERDICT:
        return None
    try:
        told = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError):
        return None
    return read_verdict(told) if isinstance(told, dict) else None
