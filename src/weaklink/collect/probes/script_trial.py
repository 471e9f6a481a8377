"""One training by a script: how it ended, what it did, what it logged."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import NamedTuple

from weaklink.base.errors import UsageError
from weaklink.base.evidence.outcome import RungTrial
from weaklink.collect.probes.catalogue import find_probe
from weaklink.collect.probes.ladder import ProbeJob
from weaklink.collect.probes.probe import Probe
from weaklink.collect.probes.reading_probe import find_reading_probe
from weaklink.collect.probes.recording import count_steps, read_steps, summarise_behaviour
from weaklink.collect.probes.registration import MADE
from weaklink.collect.probes.script_logs import LogPlaces, ScriptLogs, find_logs
from weaklink.collect.probes.script_measures import STILL_RANDOM, compute_random_share, list_measures, wants_values
from weaklink.collect.probes.script_reading import read_readings
from weaklink.collect.probes.trial import ASSUMED_GAMMA

CRASHED, HUNG, IGNORED, SHORT = "crashed", "hung", "ignored", "short"
LEAST_STEPS, MOST_STEPS = 0.5, 2.0
SHOWN_CHARACTERS, SHOWN_LINES = 3000, 40
BEHAVIOUR, LOG, RESETS = "behaviour", "log", "reset"
"""What a script shows: what it did, what it logged, and, where it is known to be recurrent, that it forgets."""

UNSEEN = "value rungs could not be judged: log the value loss, or expose `value` by module:train"
_ERROR = re.compile(r"(?m)^(?:\w+\.)*(\w*(?:Error|Exception|Interrupt|NotFound|Exit)\b.*)$")
_REFUSED = re.compile(r"(?im)^.*(?:error: |unrecognized (?:arguments|options)|no such option|can't open file).*$")
_UNKNOWN_HERE = re.compile(r"(?:Namespace weaklink not found|`weaklink/\S+` (?:doesn't exist|not found))")


class EndedTraining(NamedTuple):
    """A training that is over. `code` is None where its time was up; `told` says which places the command had."""

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
    found = ScriptLogs() if kind else find_logs(ended.where)
    gamma = _pick_gamma(ended.gamma, found)
    return RungTrial(
        seed=job.seed,
        steps=job.steps,
        taken=done.steps,
        seconds=ended.seconds,
        gamma=gamma,
        measures=() if kind else list_measures(probe, rows, done, found, gamma),
        behaviour=done,
        shows=_list_shown(found, remembers=ended.remembers),
        failure=failure,
        kind=kind,
        printed=read_last_words(ended.printed) if kind else "",
        notes=() if kind else tuple(_list_notes(ended, probe, done.steps, found)),
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
    if ended.code is None and ("steps" in ended.told or taken == 0):
        return HUNG, f"no end within {ended.limit:g} seconds; {taken:,} of {steps:,} steps were made"
    if ended.code:
        return CRASHED, _describe_cause(ended.code, ended.printed)
    if not (ended.rows / f"{probe.title}{MADE}").exists():
        return IGNORED, f"it ended without ever making {probe.id}"
    if taken == 0 or ("steps" in ended.told and taken < LEAST_STEPS * steps):
        return SHORT, f"{taken:,} of {steps:,} steps were made"
    return "", ""


def _describe_cause(code: int, printed: str) -> str:
    """How it ended, and the last exception that it printed."""
    ending = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    raised = _ERROR.findall(printed[-SHOWN_CHARACTERS * 2 :])
    return f"{ending}: {' '.join(raised[-1].split())[:300]}" if raised else ending


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
    return (BEHAVIOUR, *((LOG,) if found.tell_of_values else ()), *((RESETS,) if remembers else ()))


def _list_notes(ended: EndedTraining, probe: Probe, taken: int, found: ScriptLogs) -> list[str]:
    notes = [found.note] if found.note else []
    if wants_values(probe) and not found.tell_of_values:
        notes.append(UNSEEN)
    if "steps" not in ended.told:
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
