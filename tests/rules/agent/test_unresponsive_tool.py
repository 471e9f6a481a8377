from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.evidence.samples import Sample, Samples, ToolCall
from weaklink.collect.samples.trajectories import hash_lookup


def agents(t: Training, asked: np.ndarray, told: np.ndarray, task: np.ndarray) -> Samples:
    return t.samples(lookup=asked, lookup_result=told, task=task, tool_calls=np.ones(t.rows))


def sick():
    t = Training()
    asked = t.rng.integers(0, 500, t.rows)
    return [
        agents(t, asked, np.ones(t.rows), t.group),
        agents(t, asked, np.where(t.chance(0.7) == 1, 1, 2 + asked), t.group),
    ]


def healthy():
    t = Training()
    asked, same = t.rng.integers(0, 500, t.rows), np.ones(t.rows)
    return [
        agents(t, asked, asked, t.group),
        # every trajectory asks for the same page
        agents(t, same, same, t.group),
        # one task, in many words
        agents(t, asked, same, same),
        # a page of nothing found now and then
        agents(t, asked, np.where(t.chance(0.3) == 1, 1, 2 + asked), t.group),
        # a few kinds of questions, and an answer to each
        agents(t, asked % 8, asked % 8, t.group),
    ]


PAGE = "The bridge was opened in the year 1870, and it is known in the whole region for its lamps."


def look(tool: str = "search", arguments: str = "{}", result: str = PAGE, ok: bool | None = None) -> dict[str, int]:
    return hash_lookup(Sample(calls=(ToolCall(tool=tool, arguments=arguments, result=result, ok=ok),)))


def test_what_counts_as_looking_something_up():
    assert look("web_search")["lookup_result"] == look("search", "[]")["lookup_result"]
    assert look("search")["lookup"] != look("search", "[]")["lookup"]
    assert not look("book_room")
    assert not look(result="nothing found")
    assert not look(ok=False)
    assert not look("forget")
