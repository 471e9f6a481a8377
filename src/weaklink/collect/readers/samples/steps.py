"""The steps of an agent: what it thought, which tools it called, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weaklink.collect.readers.samples.chat import NotChat, ToldTrajectory, describe_kind, extract_text, take_first
from weaklink.collect.readers.samples.results import read_verdict

DONE = ("tool", "tool_name", "action", "name", "function")
SAID = ("thought", "text", "content", "answer")
STEP_KEYS = frozenset(("action", "tool", "tool_name", "observation", "thought"))
ENDINGS = frozenset(("finish", "final_answer", "terminate", "end_episode", "finish_task", "stop"))
"""Actions that end an episode and do nothing else: the last of them holds the agent's last words."""


def is_steps(value: object) -> bool:
    """Whether this is a list of an agent's steps."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict) and bool(STEP_KEYS & value[0].keys())


def read_steps(steps: object) -> ToldTrajectory:
    """Reads the steps of an agent: `thought`, `tool`, `args`, `result`, `ok`."""
    if not isinstance(steps, list):
        raise NotChat(f"must be a list of steps, not {describe_kind(steps)}")
    told = ToldTrajectory(turns=len(steps))
    for place, step in enumerate(steps, 1):
        if isinstance(step, str):
            told.said.append(step)
            continue
        if not isinstance(step, dict):
            raise NotChat(f"must list steps with thought, tool, args and result, not {describe_kind(step)}")
        if isinstance(step.get("reward"), int | float):
            told.paid.append(float(step["reward"]))
        told.said.extend(extract_text(step[name]) for name in SAID if step.get(name))
        tool = take_first(step, *DONE)
        done = {name: value for name, value in step.items() if name not in SAID}
        if tool is None and STEP_KEYS.isdisjoint(done) and (foreign := name_parts(done)):
            step, tool = foreign, foreign["tool"]
        if isinstance(tool, dict):
            step = {**tool, **step}
            tool = take_first(tool, "name", "tool", "tool_name", "function", "type")
        if tool and place == len(steps) and str(tool).lower() in ENDINGS:
            told.said.append(_read_last_words(step))
        elif tool:
            told.call(
                str(tool), take_first(step, "args", "arguments", "action_input", "tool_input", "input", "parameters")
            )
            result = take_first(step, "result", "observation", "output", "tool_output", "response")
            told.result("" if result is None else extract_text(result), read_verdict(step))
    return told


def name_parts(step: Mapping[str, Any]) -> dict[str, Any]:
    """A step no field of which says what was done: the first text does, by its name, the others say what came of it.

    Nothing where the step has one text or none: that may be what was said.
    """
    texts = {name: value for name, value in step.items() if isinstance(value, str)}
    if len(texts) < 2:
        return {}
    (tool, done), *after = texts.items()
    return {"tool": tool, "args": done, "result": "\n".join(value for _, value in after)}


def _read_last_words(step: Mapping[str, Any]) -> str:
    """What the action that ends an episode hands in."""
    given = take_first(step, "args", "arguments", "action_input", "tool_input", "input", "parameters")
    if isinstance(given, dict):
        given = take_first(given, "answer", "result", "output", "message", "text", "summary", "response")
    return extract_text(given)
