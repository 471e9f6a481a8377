"""Who speaks in a conversation: the one that asks, the one that answers, and tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

ROLES = ("role", "from", "speaker", "sender", "author")
ASSISTANT, USER, INSTRUCTIONS = "assistant", "user", "system"
SPEAKERS = {
    "human": USER,
    "gpt": ASSISTANT,
    "bot": ASSISTANT,
    "model": ASSISTANT,
    "ai": ASSISTANT,
    "agent": ASSISTANT,
}
TOOL_ROLES = frozenset(("tool", "function", "ipython", "environment", "observation"))
OUTSIDE = frozenset((USER, "developer", *TOOL_ROLES))
"""Roles that never answer."""


def read_role(message: Mapping[str, Any]) -> str:
    """The role of who wrote a message, by the name that we give it; empty where it does not say."""
    role = next((str(message[name]).lower() for name in ROLES if message.get(name) is not None), "")
    return SPEAKERS.get(role, role)


def name_speakers(messages: Iterable[Any]) -> list[str]:
    """The role of each message. In a conversation without an assistant, who speaks after another one is the assistant.

    So the `system` of a booking, or the clerk of a shop, is: a policy that never said a word would be in no file.
    """
    roles = [read_role(message) if isinstance(message, dict) else "" for message in messages]
    if ASSISTANT in roles:
        return roles
    parties = [role for role in dict.fromkeys(roles) if role and role not in TOOL_ROLES]
    if len(parties) > 2 and parties[0] == INSTRUCTIONS:
        del parties[0]
    second = parties[1] if len(parties) > 1 and parties[1] not in OUTSIDE else None
    return [ASSISTANT if role == second else role for role in roles]
