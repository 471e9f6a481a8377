"""A trainer on the ladder: each rung with what was measured and what is right."""

from __future__ import annotations

from typing import Any

from weaklink.base.evidence.outcome import RIGHT, UNDECIDED, UNSEEN, WRONG, Measure, Outcome, Rung, RungTrial
from weaklink.show.document import HTML, SHORT, WHOLE, Page, Section, Table, TableRow
from weaklink.show.subjects.coverage import show_coverage
from weaklink.show.subjects.judged import build_judged, record_diagnosis
from weaklink.show.text import count_noun, format_number, format_step
from weaklink.verbs.probe import Probed

COMMAND = "probe"
VERDICTS = {
    RIGHT: ("ok", "clean"),
    WRONG: ("BROKEN", "broken"),
    UNDECIDED: ("unsure", "unknown"),
    UNSEEN: ("not seen", "unknown"),
}
"""The word and the state of each verdict."""

MEASURED = ("seed", "steps", "what", "where", "measured", "right", "a right trainer's lies in", "holds")
MOST_MEASURES = 200
FEW = 3
LETTERS = {"value": "V", "q": "Q", "action": "right", "behaviour": "right", "distance": "off target"}
COUNTED = {
    "action": "at least", "behaviour": "at least", "distance": "at most", "guesses": "at most",
    "probability": "at least", "drift": "at most", "KL left": "at most", "gradient share": "at most",
}  # fmt: skip


def build(probed: Probed, *, id: str = "trainer") -> Page:
    """A climb, judged."""
    outcome, diagnosis = probed.outcome, probed.diagnosis
    return build_judged(
        diagnosis,
        id=id,
        title=outcome.trainer or diagnosis.target,
        command=COMMAND,
        reason=_count_right(outcome),
        facts=_list_facts(outcome),
        sections=show_ladder(outcome),
        coverage=show_coverage(diagnosis, remarks=explain_gaps(outcome)),
    )


def record(probed: Probed) -> dict[str, Any]:
    """The diagnosis with every rung and every training, under the keys of the contract."""
    outcome = probed.outcome
    return {
        **record_diagnosis(probed.diagnosis),
        "seconds": outcome.seconds,
        "stopped": outcome.stopped,
        "shows": list(outcome.shows),
        "ladder": [_record_rung(rung) for rung in outcome.rungs],
        "left": dict(outcome.left),
        "read": [
            {"environment": rung.environment, "seed": trial.seed, "updates": len(trial.readings)}
            for rung in outcome.read
            for trial in rung.trials
        ],
    }


def _record_rung(rung: Rung) -> dict[str, Any]:
    named = {name: getattr(rung, name) for name in ("code", "name", "environment", "verdict", "adds")}
    return {**named, "trials": [_record_trial(trial) for trial in rung.trials]}


def _record_trial(trial: RungTrial) -> dict[str, Any]:
    named = {name: getattr(trial, name) for name in ("seed", "steps", "taken", "seconds", "gamma", "holds")}
    return {
        **named,
        "failure": trial.failure or None,
        "measures": [
            {name: getattr(one, name) for name in ("what", "where", "measured", "right", "low", "high")}
            for one in trial.measures
        ],
    }


def _count_right(outcome: Outcome) -> str:
    """How far it got, where nothing is broken."""
    held = sum(rung.verdict == RIGHT for rung in outcome.rungs)
    if not outcome.rungs:
        return "nothing could be trained"
    if held == len(outcome.rungs):
        if held < FEW:
            return f"{count_noun(held, 'rung')} climbed and right, too few for a verdict"
        return f"all {held} rungs hold: no fault of the implementation shows"
    return f"{held} of {count_noun(len(outcome.rungs), 'rung')} right, the others could not be judged or are not sure"


def _list_facts(outcome: Outcome) -> list[tuple[str, str]]:
    """What was trained, how often and how long."""
    trials = [trial for rung in (*outcome.read, *outcome.rungs) for trial in rung.trials]
    read = sum(len(trial.readings) for trial in trials)
    # where environments live in other processes, nobody counts
    steps = sum(trial.taken or (0 if trial.failure else trial.steps) for trial in trials)
    unit = "updates" if outcome.shows == ("tokens",) else "steps"
    gammas = sorted({trial.gamma for trial in trials if not trial.failure})
    discounted = len(gammas) == 1 and gammas[0] < 1.0  # policies over tokens are not discounted
    return [
        ("trainer", outcome.trainer),
        ("trained", count_noun(len(trials), "training")),
        ("length", f"{steps:,} {unit}"),
        ("read", f"{count_noun(read, 'update')} read" if read else ""),
        ("took", f"{outcome.seconds:.0f} s"),
        ("discount", f"gamma {format_number(gammas[0])}" if discounted else ""),
    ]


def show_ladder(outcome: Outcome) -> list[Section]:
    """The ladder as a table, then the measures of each rung and what it was trained with."""
    details = tuple(_show_measures(rung) for rung in outcome.rungs if any(trial.measures for trial in rung.trials))
    settings = tuple(TableRow(cells=(name, value)) for name, value in outcome.settings.items())
    trained_with = (Table(title="Trained with", columns=("name", "value"), rows=settings),) if settings else ()
    ladder = (_show_rungs(outcome),) if outcome.rungs else ()
    broken = any(rung.verdict == WRONG for rung in outcome.rungs)
    sections = (
        Section(id="ladder", title="The ladder", blocks=ladder, view=WHOLE if broken else ""),
        Section(id="climbed", title="", note=_count_rungs(outcome), blocks=(), folded=True, leads=True, view=SHORT),
        Section(id="measures", title="Measured, and what is right", blocks=details, folded=True, where=(HTML,)),
        Section(id="climb", title="How it was climbed", blocks=trained_with, folded=True, where=(HTML,)),
    )
    return [section for section in sections if section.blocks or (broken and section.note)]


def _count_rungs(outcome: Outcome) -> str:
    """How far up the ladder it got, in a line."""
    held = sum(rung.verdict == RIGHT for rung in outcome.rungs)
    wrong = ", ".join(f"{rung.code} {rung.problem}" for rung in outcome.rungs if rung.verdict == WRONG)
    return f"{held} of {count_noun(len(outcome.rungs), 'rung')} hold · broken: {wrong}"


def _show_rungs(outcome: Outcome) -> Table:
    rows = []
    for rung in outcome.rungs:
        held = sum(trial.holds is True for trial in rung.final)
        name, seeds = f"{rung.code} {rung.problem}", f"{held}/{len(rung.final)}"
        word, state = VERDICTS[rung.verdict]
        rows.append(TableRow(cells=(name, rung.environment, word, summarise_rung(rung), seeds), state=state))
    columns = ("rung", "environment", "", "measured, and what is right", "seeds")
    return Table(title="The ladder", columns=columns, rows=tuple(rows), names=(1,), narrow=(2, 0, 3, 4))


def summarise_rung(rung: Rung) -> str:
    """The measure that says most about a rung: the worst of those that missed, else the last."""
    failures = [trial.failure for trial in rung.final if trial.failure]
    if failures:
        return failures[0]
    missed = [measure for trial in rung.failed for measure in trial.missed]
    shown = missed or [measure for trial in rung.final for measure in trial.measures]
    return describe_measure(max(shown, key=_measure_gap)) if shown else "nothing to see"


def _measure_gap(measure: Measure) -> float:
    """How far from right, in units of the band; what is no number is furthest."""
    gap = abs(measure.measured - measure.right) / max(measure.high - measure.low, 1e-9)
    return gap if gap == gap else float("inf")


def describe_measure(measure: Measure) -> str:
    """A measure in a few words."""
    name = LETTERS.get(measure.what, measure.what)
    if measure.what in COUNTED:
        limit = measure.low if COUNTED[measure.what] == "at least" else measure.high
        bound = f"{COUNTED[measure.what]} {format_number(limit)}"
        return f"{name} {format_number(measure.measured)}, {bound} ({measure.where})"
    return f"{name} {format_number(measure.measured)}, right {format_number(measure.right)} ({measure.where})"


def explain_gaps(outcome: Outcome) -> list[str]:
    """Why updates were not read and rungs not climbed, those with one reason in one line."""
    by_reason: dict[str, list[str]] = {}
    unread = [trial for rung in outcome.read for trial in rung.trials]
    for title, reason in outcome.left.items():
        by_reason.setdefault(reason, []).append(title)
    climbed = [f"Not climbed: {', '.join(titles)}: {reason}." for reason, titles in by_reason.items()]
    if not unread or any(trial.readings for trial in unread):
        return climbed
    why = unread[0].failure or "no optimizer of torch made a step on rows that the environments gave"
    return [f"No update was read ({why}), so that causes are inferred from what was learned.", *climbed]


def _show_measures(rung: Rung) -> Table:
    rows = [row for trial in rung.trials for row in _show_trial(trial)]
    more = f"{len(rows) - MOST_MEASURES} more not shown" if len(rows) > MOST_MEASURES else ""
    title = f"{rung.code} {rung.name}, {rung.environment}"
    return Table(title=title, columns=MEASURED, rows=tuple(rows[:MOST_MEASURES]), note=more, numeric=(0, 1, 4, 5))


def _show_trial(trial: RungTrial) -> list[TableRow]:
    return [
        TableRow(
            cells=(
                str(trial.seed),
                format_step(trial.steps),
                one.what,
                one.where,
                format_number(one.measured),
                format_number(one.right),
                f"{format_number(one.low)} to {format_number(one.high)}",
                "yes" if one.holds else "no",
            ),
            state="" if one.holds else "broken",
        )
        for one in trial.measures
    ]
