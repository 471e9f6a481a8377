"""Writes what all rules declare into their index, a rule a line: `make index`, after a decorator was changed."""

from __future__ import annotations

import msgspec

from weaklink.judge.rules._registry import HERE, INDEX, Rule, list_places, read_files


def write_index(rules: list[Rule]) -> str:
    lines = (msgspec.json.encode(rule).decode() for rule in sorted(rules, key=lambda rule: rule.code))
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    (HERE / INDEX).write_text(write_index(read_files(list_places())), encoding="utf-8")
