"""Settings that a program prints before it trains: `args: lr=0.1 gamma=0.97`, `Namespace(lr=0.1)`, `config: {...}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from weaklink.collect.readers._console_lines import LONGEST, parse_dict

FEWEST = 3
"""Pairs of a name and a value: fewer may stand in any sentence."""

_HEAD = re.compile(
    r"\b(?:args|arguments|config|configuration|settings|hyper-?parameters|hyperparams|hparams|params|parameters|options"
    r"|Namespace)\s?[:=(]\s?"
)
_BEFORE = 80  # characters of a time, a level and a logger
_PAIR = re.compile(r"(?<![\w.-])([A-Za-z_][\w.-]{0,60}) ?= ?(\[[^\[\]]{0,200}\]|[^\s,()\[\]{}]{1,200})")


def parse_settings(line: str) -> dict[str, Any]:
    """The settings by name of a line that says that it holds settings; nothing for any other line."""
    head = _HEAD.search(line[:_BEFORE]) if len(line) <= LONGEST else None
    if head is None:
        return {}
    rest = line[head.end() :]
    whole = parse_dict(rest) if rest.startswith("{") else None
    if isinstance(whole, Mapping):
        return {str(name): value for name, value in whole.items()}
    pairs = {match[1]: match[2].strip("'\"") for match in _PAIR.finditer(rest)}
    return pairs if len(pairs) >= FEWEST else {}
