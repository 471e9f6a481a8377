"""The answer of the emergency procedure: the loop works and can be scaled up, or what to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from weaklink.verbs.debug.minimal.evidence import (
    FAILED,
    LEARNT,
    NOT_LEARNT,
    NOTHING_TO_LEARN,
    SOMETIMES,
    UNCLEAR,
    Looked,
    Minimal,
    Version,
)
from weaklink.verbs.debug.minimal.seeing import BIG, CONSTANT, NOT_FINITE
from weaklink.verbs.debug.target import Target

GOOD = (LEARNT, SOMETIMES)
DULL = 0.5
"""From this share of entries on that say nothing, what is seen is the first suspect."""


def answered(result: Minimal) -> Minimal:
    """The procedure with its answer."""
    works, headline = _headline(result)
    return msgspec.structs.replace(result, works=works, headline=headline, next_steps=tuple(_steps(result, works)))


def easiest(versions: Sequence[Version]) -> Version | None:
    """The version that says most: an easier one that is learnt, else the easiest, else the task as it is."""
    whole = [version for version in versions if not version.task.part]
    return next((version for version in whole if version.state in GOOD), whole[0] if whole else None)


def as_it_is(versions: Sequence[Version]) -> Version | None:
    """The task as it is."""
    return next((one for one in versions if not one.task.part and not one.task.is_easier), None)


def course(version: Version) -> str:
    """What was earned, in words."""
    return f"return {version.random:.4g} at random -> {version.trained:.4g} after {version.steps:,} steps"


def _headline(result: Minimal) -> tuple[bool | None, str]:
    if result.looked.failure:
        return False, f"Not even that: {result.looked.failure}. Nothing can learn before it runs."
    best, whole = easiest(result.versions), as_it_is(result.versions)
    if best is None:
        return None, "Nothing was trained: there is no answer."
    if best.state in GOOD:
        name = "the task as it is" if best is whole else f"the easiest version, {best.task.name}"
        often = "" if best.state == LEARNT else f", {best.why}"
        told = f"A minimal agent learns {name} ({course(best)}{often}): the loop works."
        if whole is not None and whole is not best and whole.state not in (*GOOD, UNCLEAR):
            told += " The task as it is, it does not learn."
        return True, told
    if all(version.state == UNCLEAR for version in result.versions if not version.task.part):
        return None, f"No answer: {best.why}."
    return False, f"Not even {_called(best)} is learnt{_reason(best)}: {_suspect(result)}"


def _called(version: Version) -> str:
    return f"the easiest version, {version.task.name}," if version.task.is_easier else "the task as it is"


def _reason(version: Version) -> str:
    if version.state == NOT_LEARNT:
        return f" ({course(version)})"
    return f" ({version.why})" if version.why else ""


def _suspect(result: Minimal) -> str:
    """What to look at first, by what was seen."""
    best = easiest(result.versions)
    if best is not None and best.state == FAILED:
        return "look at the environment, which fails while it is trained in."
    blind = _blind(result.looked)
    if best is not None and best.state == NOTHING_TO_LEARN and best.task.one_start and _varies(result):
        return "look at what actions do, and whether any reward can be reached from that start."
    if blind:
        return f"look at what is seen: {blind}."
    if best is not None and best.state == NOTHING_TO_LEARN:
        return "look at the reward, which never tells good from bad."
    learnt = [one.task.part for one in result.versions if one.task.part and one.state in GOOD]
    if learnt:
        return f"look at how the reward is put together: {_listed(learnt)} alone can be learnt, the sum cannot."
    return "look at the reward first, then at what actions do, then at the task."


def _varies(result: Minimal) -> bool:
    """Whether episodes of the task as it is earn more or less, by their start or by luck."""
    whole = as_it_is(result.versions)
    return whole is not None and whole.state == NOT_LEARNT


def _blind(looked: Looked) -> str:
    """Why the network can hardly see anything, where that is so."""
    entries = [entry for part in looked.seen for entry in part.entries]
    if any(NOT_FINITE in entry.notes for entry in entries):
        return "some of it is not finite"
    dull = [entry for entry in entries if any(note == CONSTANT or note.startswith("the same") for note in entry.notes)]
    if entries and len(dull) >= DULL * len(entries) and not any(part.pictures for part in looked.seen):
        return f"{len(dull)} of {len(entries)} entries are constant or copies"
    return ""


def _listed(words: Sequence[str]) -> str:
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def _steps(result: Minimal, works: bool | None) -> Iterator[str]:
    """What to do next, in this order."""
    if result.looked.failure:
        yield f"See what the environment does: {_preflight(result.target)}"
        return
    if works is None:
        yield f"Give it more time: weaklink debug {_word(result.target)} --minimal --seconds 600"
        return
    if works:
        yield from _scaling(result)
    else:
        yield from _searching(result)
    for one, other in result.fights:
        yield f"{one} and {other} fight: each is earned at the expense of the other. Weigh them anew, or drop one."


def _scaling(result: Minimal) -> Iterator[str]:
    best, whole = easiest(result.versions), as_it_is(result.versions)
    yield "Scale up one thing at a time, and train after each; the one that stops it from learning is the one."
    if best is not None and best is not whole:
        for told in best.task.told:
            yield f"Take back the easing: {told}."
    settings = result.looked.settings
    if settings.get("network"):
        yield f"Then your own network in place of {settings['network']}."
    if "learning_rate" in settings:
        yield f"Then your own learning rate in place of {settings['learning_rate']:g}."
    if "ent_coef" in settings:
        yield f"Then your own entropy coefficient in place of {settings['ent_coef']}."
    yield "Then your own rollouts, batches and normalisers, one by one, and your own budget last."
    if whole is not None and whole.state == LEARNT:
        yield f"It learns the task as it is, so the fault lies in your set-up: weaklink debug {_word(result.target)}"


def _searching(result: Minimal) -> Iterator[str]:
    large = [entry.label for part in result.looked.seen for entry in part.entries if BIG in entry.notes]
    if large:
        yield f"Large numbers reach the network ({_listed(large[:4])}): scale or normalise what is seen."
    hopeless = [one.task.part for one in result.versions if one.task.part and one.state not in (*GOOD, UNCLEAR)]
    if hopeless:
        yield f"Not learnt even alone: {_listed(hopeless)}. Pay for it more often, or nearer to what causes it."
    yield f"Look at reward, observation and actions with random play: {_preflight(result.target)}"
    yield "Make it easier still: a goal one step away, one action that is right, a reward in every step."


def _preflight(target: Target) -> str:
    return f"weaklink preflight {target.environment_word} --all"


def _word(target: Target) -> str:
    flags = [f"--algo {target.algorithm}"] if target.algorithm else []
    flags += [f"--env {target.environment}"] if target.environment else []
    return " ".join(filter(None, (target.word, *flags)))
