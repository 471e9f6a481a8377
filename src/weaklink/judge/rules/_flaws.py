"""Flaws that were read off an update, turned into findings: the words for each kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import HIGH, Answer, CannotTell, Evidence, Finding, Level, answer_with
from weaklink.base.loop import Link


class FlawWords(NamedTuple):
    """How a kind of flaw is reported; head, count, of, number and other stand in the message for those of the flaw.

    What was `always` so began with the run, however late it is plain.
    """

    message: str
    fix: str
    link: Link
    level: Level = Level.ERROR
    always: bool = False


def judge_flaws(rollout: Rollout, words: Mapping[str, FlawWords]) -> Answer:
    """The findings for flaws of some kinds; none where all of them would have shown."""
    part = rollout.recovered
    if part is None:
        return CannotTell(("recovered",))
    kinds: dict[str, list[RecoveredFlaw]] = {}
    for flaw in part.flaws:
        if flaw.kind in words:
            kinds.setdefault(flaw.kind, []).append(flaw)
    found = [_describe(flaws, words[kind]) for kind, flaws in kinds.items()]
    if not found and not part.looked & set(words):
        return CannotTell(("recovered",), "the update does not tell")
    return answer_with(found)


def _describe(flaws: Sequence[RecoveredFlaw], words: FlawWords) -> Finding:
    flaw, heads = flaws[0], " and ".join(dict.fromkeys(each.head for each in flaws))
    numbers = {"head": heads, "count": flaw.count, "of": flaw.of, "number": flaw.number, "other": flaw.other}
    return Finding(
        message=words.message.format(**numbers, steps=_name_steps(flaw.number)),
        link=words.link,
        level=words.level,
        onset=0.0 if words.always else None,
        confidence=HIGH,
        fix=(words.fix,),
        evidence=(Evidence(metric=flaw.kind, value=float(flaw.count), limit=0.0),),
    )


def _name_steps(lag: float) -> str:
    """Which step a lag leads to, in words."""
    names = {-1: "the step before", 1: "the step after", -2: "two steps before", 2: "two steps after"}
    return names.get(int(lag), "another step")
