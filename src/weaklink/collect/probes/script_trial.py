"""One training by a script: how it ended, what it did, what it logged."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import NamedTuple

from weaklink.base.errors import UsageError
from weaklink.base.evidence.outcome import AgentBehaviour, Measure, RungTrial
from weaklink.collect.probes.catalogue import find_probe
from weaklink.collect.probes.ladder import NUMBERS, ProbeJob
from weaklink.collect.probes.plan import SOFT
from weaklink.collect.probes.probe import Probe
from weaklink.collect.probes.reading_probe import find_reading_probe
from weaklink.collect.probes.recording import count_steps, read_steps, summarise_behaviour
from weaklink.collect.probes.registration import MADE
from weaklink.collect.probes.script_logs import LogPlaces, ScriptLogs, find_logs
from weaklink.collect.probes.script_measures import (
    STILL_RANDOM,
    VALUE_LOSS,
    compute_random_share,
    list_measures,
    still_falls,
    wants_values,
)
from weaklink.collect.probes.script_reading import read_readings
from weaklink.collect.probes.trial import ASSUMED_GAMMA

CRASHED, HUNG, IGNORED, SHORT = "crashed", "hung", "ignored", "short"
LEAST_STEPS, MOST_STEPS = 0.5, 2.0
IDLE = 0.25
"""The part of its time without a step after which a training whose time is up is hung: one that makes steps is slow."""

WHOLE = 0.875
"""The part of the steps asked for that is made at the least where eight rollouts or more make up a training."""

MOST_MEMBERS = 64
"""Members of a vector: the first reset of each is no step of it."""

SHOWN_CHARACTERS, SHOWN_LINES = 3000, 40
BEHAVIOUR, LOG, RESETS = "behaviour", "log", "reset"
"""What a script shows: what it did, what it logged about values, and, where it is known to be recurrent, that it
forgets."""

OF_OTHER_VERSIONS = {
    "KeyError: 'final_observation'": (
        "written for Gymnasium 0.29: since 1.0 a vector gives no final_observation, and resets in the step after the "
        "end unless it is made with autoreset_mode=AutoresetMode.SAME_STEP, which calls it final_obs"
    ),
    "TransformObservation.__init__() missing": (
        "written for Gymnasium 0.29: since 1.0 TransformObservation also takes the new observation_space"
    ),
    "NormalizeObservation.__init__() got": "written for another version of Gymnasium than the one that is installed",
    "values to unpack (expected 4": "written for gym before 0.26, where a step gave four results",
    "values to unpack (expected 5": "written for Gymnasium, where a step gives five results",
}
"""What a script raises that was written for another version of Gymnasium or gym, and what changed."""

GROWN = 0.1
"""By how much the share of right actions must have grown during a training to show that it learns: four standard
deviations of a share of some hundreds of actions."""

IMPROVES = (
    "right actions became more frequent, or the value loss smaller, until the end of the largest budget, so that "
    "nothing is said against them: give --steps more, or let exploration end sooner"
)
ENDS_EARLY = (
    "the script ends by itself after {:,} of the {:,} steps that a rung may take: what it has not learned by then is "
    "no fault; have it train for longer"
)
UNSEEN = "value rungs could not be judged: log the value loss, or expose `value` by module:train"
_ERROR = re.compile(r"(?m)^(?:\w+\.)*(\w*(?:Error|Exception|Interrupt|NotFound|Exit)\b.*)$")
_REFUSED = re.compile(r"(?im)^.*(?:error: |unrecognized (?:arguments|options)|no such option|can't open file).*$")
_UNKNOWN_HERE = re.compile(r"(?:Namespace weaklink not found|`weaklink/\S+` (?:doesn't exist|not found))")


class EndedTraining(NamedTuple):
    """A training that is over. `code` is None where its time was up; `told` says which places the command had.

    `spent` says that it was ended because it had made its steps, `resets` how many episodes began, `idle` for how many
    seconds it had made no step, and `last` that no larger budget follows. `answered` says that it was ended because
    what was asked of its actions was seen.
    """

    job: ProbeJob
    code: int | None
    printed: str
    rows: Path
    where: LogPlaces
    seconds: float
    limit: float
    told: tuple[str, ...]
    gamma: float | None
    remembers: bool
    spent: bool = False
    resets: int = 0
    idle: float = 0.0
    last: bool = False
    answered: bool = False


def acts_right(title: str, rows: Path) -> bool:
    """Whether what was done so far is right already, where nothing else is asked; what was logged does not matter."""
    probe = find_reading_probe(title) is None and find_probe(title)
    if not probe or wants_values(probe) or not {"action", "distance"} & set(probe.world.asked):
        return False
    done = read_steps(rows)
    measures = list_measures(probe, done, summarise_behaviour(done, probe), ScriptLogs(), ASSUMED_GAMMA)
    return bool(measures) and all(measure.holds for measure in measures)


def judge_training(ended: EndedTraining) -> RungTrial:
    """The trial that it was.

    Raises:
        UsageError: the command itself is at fault and no training began.
    """
    if find_reading_probe(ended.job.title) is not None:
        return _collect_readings(ended)
    job, probe = ended.job, find_probe(ended.job.title)
    rows = read_steps(ended.rows)
    done = summarise_behaviour(rows, probe, count_steps(ended.rows))
    kind, failure = _find_fault(ended, probe, done.steps)
    if kind == CRASHED and done.steps == 0:
        _refuse(ended)
    slow = not kind and _is_slow(ended, done.steps)
    found = ScriptLogs() if kind or slow else find_logs(ended.where)
    gamma = _pick_gamma(ended.gamma, found)
    measures = (
        ()
        if kind or slow
        else list_measures(
            probe,
            rows,
            done,
            ScriptLogs() if ended.answered else found,
            gamma,
            resets_stored=_counts_resets(ended, done.steps),
        )
    )
    doubt = _find_doubt(ended, done, measures, found)
    return RungTrial(
        seed=job.seed,
        steps=job.steps,
        taken=done.steps,
        seconds=ended.seconds,
        gamma=gamma,
        measures=() if doubt else measures,
        behaviour=done,
        shows=_list_shown(found, remembers=ended.remembers),
        failure=failure,
        kind=kind,
        printed=read_last_words(ended.printed) if kind else "",
        notes=() if kind else (*_list_notes(ended, probe, done.steps, found), *((doubt,) if doubt else ())),
    )


def _collect_readings(ended: EndedTraining) -> RungTrial:
    """A training whose updates were read; that it was ended once enough was read is no fault of its."""
    readings, taken = read_readings(ended.rows)
    if ended.code and not taken:
        _refuse(ended)
    failure = "" if readings or not ended.code else _describe_cause(ended.code, ended.printed)
    return RungTrial(
        seed=ended.job.seed,
        steps=ended.job.steps,
        taken=taken,
        seconds=ended.seconds,
        gamma=ASSUMED_GAMMA if ended.gamma is None else ended.gamma,
        failure=failure,
        kind=CRASHED if failure else "",
        readings=readings,
    )


def _find_fault(ended: EndedTraining, probe: Probe, taken: int) -> tuple[str, str]:
    """Of which kind it is and what to say; both empty where the training came to its end."""
    steps = ended.job.steps
    if ended.spent:
        return "", ""
    late = ended.code is None
    if late and (taken == 0 or (_lacks_steps(ended, taken) and ended.idle > IDLE * ended.limit)):
        return HUNG, f"no end within {ended.limit:g} seconds; {taken:,} of {steps:,} steps were made"
    if ended.code:
        return CRASHED, _describe_cause(ended.code, ended.printed)
    if not (ended.rows / f"{probe.title}{MADE}").exists():
        return IGNORED, f"it ended without ever making {probe.id}"
    if not late and (taken == 0 or _lacks_steps(ended, taken, LEAST_STEPS)):
        return SHORT, f"{taken:,} of {steps:,} steps were made"
    return "", ""


def _find_doubt(ended: EndedTraining, done: AgentBehaviour, measures: tuple[Measure, ...], logs: ScriptLogs) -> str:
    """Why a miss proves nothing; empty where it does, or where there is none."""
    if all(measure.holds for measure in measures):
        return ""
    if "steps" not in ended.told and not ended.spent and ended.code == 0 and done.steps < ended.job.steps:
        return ENDS_EARLY.format(done.steps, ended.job.steps)
    return IMPROVES if ended.last and _still_improves(done, measures, logs) else ""


def _still_improves(done: AgentBehaviour, measures: tuple[Measure, ...], logs: ScriptLogs) -> bool:
    """Whether all that missed is still on its way: slow or exploring, not broken."""
    grown = done.early is not None and done.late is not None and done.late - done.early >= GROWN
    improving = {"behaviour": grown, VALUE_LOSS: still_falls(logs)}
    missed = [measure.what for measure in measures if not measure.holds]
    return bool(missed) and all(improving.get(what, False) for what in missed)


def _counts_resets(ended: EndedTraining, taken: int) -> bool:
    """Whether steps and resets together make up the budget: the script counted the resets of its vector as steps."""
    counted = taken + ended.resets
    asked = ended.job.steps
    whole = not ended.spent and LEAST_STEPS * asked <= counted <= asked + MOST_MEMBERS
    return "steps" in ended.told and taken < WHOLE * asked and whole


def _lacks_steps(ended: EndedTraining, taken: int, part: float = 1.0) -> bool:
    """Whether fewer steps were made than this part of those that were asked for; resets count where a vector steps."""
    return "steps" in ended.told and taken + ended.resets < part * ended.job.steps


def _is_slow(ended: EndedTraining, taken: int) -> bool:
    """Whether its time was up while it went on making steps: that proves nothing about what it learns."""
    return ended.code is None and not ended.spent and _lacks_steps(ended, taken)


def _describe_cause(code: int, printed: str) -> str:
    """How it ended, and the last exception that it printed."""
    ending = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    raised = _ERROR.findall(printed[-SHOWN_CHARACTERS * 2 :])
    return f"{ending}: {explain_version(' '.join(raised[-1].split())[:300])}" if raised else ending


def explain_version(error: str) -> str:
    """An exception, with a word on the version of Gymnasium where it is that of a script written for another."""
    cause = next((cause for known, cause in OF_OTHER_VERSIONS.items() if known in error), "")
    return f"{error} ({cause})" if cause else error


def read_last_words(printed: str) -> str:
    """The last lines that were printed."""
    lines = [line.rstrip() for line in printed.splitlines() if line.strip()]
    return "\n".join(lines[-SHOWN_LINES:])[-SHOWN_CHARACTERS:]


def _refuse(ended: EndedTraining) -> None:
    """Raises where the command was wrong, or where its Python does not know the environments."""
    tail = ended.printed[-SHOWN_CHARACTERS * 2 :]
    if _UNKNOWN_HERE.search(tail):
        raise UsageError(
            f"The command's Python does not know weaklink/{ended.where.mark}: weaklink is not installed in it, or it "
            "ignores PYTHONPATH. Install it there (pip install weaklink), start the command with one that has it, "
            "or write weaklink.envs:{env} for {env}."
        )
    refusal = _REFUSED.findall(tail)
    if ended.code == 2 and refusal:  # what argparse, click, tyro and Python itself end with
        raise UsageError(f"The command refuses what it is given: {refusal[-1].strip()[:300]}. Change the command.")


def _pick_gamma(told: float | None, found: ScriptLogs) -> float:
    """The discount: what was asked for or said, else what was logged."""
    logged = found.number("gamma")
    if told is not None:
        return told
    return logged if logged is not None and 0.0 < logged < 1.0 else ASSUMED_GAMMA


def _list_shown(found: ScriptLogs, *, remembers: bool) -> tuple[str, ...]:
    logged = (LOG,) if found.tell_of_values else (NUMBERS,) if found.has_course else ()
    return (BEHAVIOUR, *logged, *((SOFT,) if found.are_soft else ()), *((RESETS,) if remembers else ()))


def _list_notes(ended: EndedTraining, probe: Probe, taken: int, found: ScriptLogs) -> list[str]:
    notes = [found.note] if found.note else []
    if wants_values(probe) and not found.tell_of_values and not _is_slow(ended, taken):
        notes.append(UNSEEN)
    steps = ended.job.steps
    if _is_slow(ended, taken):
        notes.append(
            f"{taken:,} of {steps:,} steps were made within {ended.limit:g} seconds: too slow to be judged, not hung; "
            "give --timeout more"
        )
    elif _counts_resets(ended, taken):
        notes.append(
            f"of the {steps:,} steps that the script counted, {ended.resets:,} were resets: its vector resets in a "
            "step of its own (next-step autoreset), and unless such rows are masked they are stored as transitions"
        )
    if "steps" not in ended.told and not ended.spent:
        ending = f"was ended after {ended.limit:g} seconds" if ended.code is None else "went on to its own end"
        notes.append(f"the command holds no {{steps}}, so the training {ending}, after {taken:,} steps")
    elif taken > MOST_STEPS * ended.job.steps:
        notes.append(f"{taken:,} steps were made where {ended.job.steps:,} were asked for")
    if "seed" not in ended.told:
        notes.append("the command holds no {seed}: a script with a fixed seed trains the same way each time")
    if "action" in probe.world.asked and compute_random_share(found) > STILL_RANDOM:
        share = f"{100 * compute_random_share(found):.0f} %"
        notes.append(f"{share} of the actions were still random at the end: let exploration end within {{steps}}")
    return notes
