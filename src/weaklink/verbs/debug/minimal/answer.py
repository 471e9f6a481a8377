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
    Minimal,
    MinimalLook,
    VersionResult,
)
from weaklink.verbs.debug.minimal.seeing import BIG, CONSTANT, NOT_FINITE
from weaklink.verbs.debug.target import CaseTarget

GOOD = (LEARNT, SOMETIMES)
DULL = 0.5
"""From this share of entries on that say nothing, what is seen is the first suspect."""


def answer_minimal(result: Minimal) -> Minimal:
    """The procedure with its answer."""
    works, headline = _write_headline(result)
    return msgspec.structs.replace(result, works=works, headline=headline, next_steps=tuple(_list_steps(result, works)))


def pick_easiest(versions: Sequence[VersionResult]) -> VersionResult | None:
    """The version that says most: an easier one that is learnt, else the easiest, else the task as it is."""
    whole = [version for version in versions if not version.task.part]
    return next((version for version in whole if version.state in GOOD), whole[0] if whole else None)


def pick_original(versions: Sequence[VersionResult]) -> VersionResult | None:
    """The task as it is."""
    return next((one for one in versions if not one.task.part and not one.task.is_easier), None)


def describe_course(version: VersionResult) -> str:
    """What was earned, in words."""
    return f"return {version.random:.4g} at random -> {version.trained:.4g} after {version.steps:,} steps"


def _write_headline(result: Minimal) -> tuple[bool | None, str]:
    if result.looked.failure:
        return False, f"Not even that: {result.looked.failure}. Nothing can learn before it runs."
    best, whole = pick_easiest(result.versions), pick_original(result.versions)
    if best is None:
        return None, "Nothing was trained: there is no answer."
    if best.state in GOOD:
        name = "the task as it is" if best is whole else f"the easiest version, {best.task.name}"
        often = "" if best.state == LEARNT else f", {best.why}"
        told = f"A minimal agent learns {name} ({describe_course(best)}{often}): the loop works."
        if whole is not None and whole is not best and whole.state not in (*GOOD, UNCLEAR):
            told += " The task as it is, it does not learn."
        return True, told
    if all(version.state == UNCLEAR for version in result.versions if not version.task.part):
        return None, f"No answer: {best.why}."
    return False, f"Not even {_name_version(best)} is learnt{_explain_version(best)}: {_name_suspect(result)}"


def _name_version(version: VersionResult) -> str:
    return f"the easiest version, {version.task.name}," if version.task.is_easier else "the task as it is"


def _explain_version(version: VersionResult) -> str:
    if version.state == NOT_LEARNT:
        return f" ({describe_course(version)})"
    return f" ({version.why})" if version.why else ""


def _name_suspect(result: Minimal) -> str:
    """What to look at first, by what was seen."""
    best = pick_easiest(result.versions)
    if best is not None and best.state == FAILED:
        return "look at the environment, which fails while it is trained in."
    blind = _explain_blindness(result.looked)
    if best is not None and best.state == NOTHING_TO_LEARN and best.task.one_start and _varies(result):
        return "look at what actions do, and whether any reward can be reached from that start."
    if blind:
        return f"look at what is seen: {blind}."
    if best is not None and best.state == NOTHING_TO_LEARN:
        return "look at the reward, which never tells good from bad."
    learnt = [one.task.part for one in result.versions if one.task.part and one.state in GOOD]
    if learnt:
        return f"look at how the reward is put together: {_join_words(learnt)} alone can be learnt, the sum cannot."
    return "look at the reward first, then at what actions do, then at the task."


def _varies(result: Minimal) -> bool:
    """Whether episodes of the task as it is earn more or less, by their start or by luck."""
    whole = pick_original(result.versions)
    return whole is not None and whole.state == NOT_LEARNT


def _explain_blindness(looked: MinimalLook) -> str:
    """Why the network can hardly see anything, where that is so."""
    entries = [entry for part in looked.seen for entry in part.entries]
    if any(NOT_FINITE in entry.notes for entry in entries):
        return "some of it is not finite"
    dull = [entry for entry in entries if any(note == CONSTANT or note.startswith("the same") for note in entry.notes)]
    if entries and len(dull) >= DULL * len(entries) and not any(part.pictures for part in looked.seen):
        return f"{len(dull)} of {len(entries)} entries are constant or copies"
    return ""


def _join_words(words: Sequence[str]) -> str:
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def _list_steps(result: Minimal, works: bool | None) -> Iterator[str]:
    """What to do next, in this order."""
    if result.looked.failure:
        yield f"See what the environment does: {_write_preflight_command(result.target)}"
        return
    if works is None:
        yield f"Give it more time: weaklink debug {_write_target(result.target)} --minimal --seconds 600"
        return
    if works:
        yield from _list_scaling_steps(result)
    else:
        yield from _list_search_steps(result)
    for one, other in result.fights:
        yield f"{one} and {other} fight: each is earned at the expense of the other. Weigh them anew, or drop one."


def _list_scaling_steps(result: Minimal) -> Iterator[str]:
    best, whole = pick_easiest(result.versions), pick_original(result.versions)
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
        command = f"weaklink debug {_write_target(result.target)}"
        yield f"It learns the task as it is, so the fault lies in your set-up: {command}"


def _list_search_steps(result: Minimal) -> Iterator[str]:
    large = [entry.label for part in result.looked.seen for entry in part.entries if BIG in entry.notes]
    if large:
        yield f"Large numbers reach the network ({_join_words(large[:4])}): scale or normalise what is seen."
    hopeless = [one.task.part for one in result.versions if one.task.part and one.state not in (*GOOD, UNCLEAR)]
    if hopeless:
        yield f"Not learnt even alone: {_join_words(hopeless)}. Pay for it more often, or nearer to what causes it."
    yield f"Look at reward, observation and actions with random play: {_write_preflight_command(result.target)}"
    yield "Make it easier still: a goal one step away, one action that is right, a reward in every step."


def _write_preflight_command(target: CaseTarget) -> str:
    return f"weaklink preflight {target.environment_word} --all"


def _write_target(target: CaseTarget) -> str:
    flags = [f"--algo {target.algorithm}"] if target.algorithm else []
    flags += [f"--env {target.environment}"] if target.environment else []
    return " ".join(filter(None, (target.word, *flags)))
