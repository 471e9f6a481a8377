"""The same log in another guise: what `weaklink diagnose` says must not change where the training did not.

    python bench/same_log.py [FOLDER ...] [--only CHANGE ...] [--verbose]

Each FOLDER is a set as `sealed_sets.py` knows it, `logs/*` with `logs.json`; all of bench/sealed if none is given.
A log is read once and judged; then it is judged again after every change of `CHANGES`: rows missing or averaged, other
units, noise, an end that is cut off, columns left out, other usual names of the same metrics, and the same table
written as another format. The training is the same one, so the same link must be named first.

What a change may take away with good reason stands beside it and is told apart (`excused`):

- a curve of few rows has none to spare: changes of rows are excused where the curve of the finding has fewer than
  `SPARE` of them, and where the finding is one of single rows;
- what began in the part that was cut off was not yet there;
- rewards in other units say nothing of the limits of a known task, and a shifted return contradicts values and rewards;
- what is told by the very digits, by words or by steps that went back is not in a table of numbers with noise;
- a finding on a column that was left out;
- steps that are known to count something else cannot be called steps of environments, nor updates.

Printed are, for each change, how often the link stays first among the logs with an alarm, how often such a log is
called healthy, and every alarm on a healthy log; with --verbose also every log whose first break moved. Exits with 1
where a healthy log that was quiet got an alarm.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import same_log_changes as changes
from same_log_changes import Columns
from weaklink.base.errors import WeaklinkError
from weaklink.base.evidence.run import Run
from weaklink.base.finding import Level
from weaklink.collect.readers import read
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.judge.diagnosis.engine import diagnose

SEALED = Path(__file__).parent / "sealed"
SPARE = 40
"""Rows of a curve from which on half of them make a curve too: many rules ask for twenty to thirty."""
ROW_BY_ROW = ("VAL307", "SYS", "OPT304", "DAT304")
"""Rules that judge what happens from one row to the next, or how rows follow one another."""
BESIDE = ("SYS303", "SYS308")
"""Rules on what stands beside the numbers of a log: a training begun anew, and the exception that ended it."""
KNOWN_TASK = ("TSK", "REW121", "REW307", "REW308", "ENV302", "EVA", "VAL310", "VAL311")
"""Rules whose limits are those of a task or of a range that the settings name."""
DIGITS = ("SYS305", "LLM308", "LLM312")
"""Rules on numbers that are equal to the last digit."""

Excuse = Callable[[Run, Diagnosis], bool]


class LogChange(NamedTuple):
    """One change: of the run, or of the file that it is written to; and when it may take a fault away."""

    name: str
    change: Callable[[Run], Run] | None = None
    write: Callable[[Run, Path], None] | None = None
    excuse: Excuse = lambda _run, _diagnosis: False


def has_few_rows(run: Run, diagnosis: Diagnosis) -> bool:
    """Whether the curve of the finding has no rows to spare, or the finding is one of single rows."""
    first = diagnosis.first_break
    finding = next((one for one in diagnosis.findings if first and one.code == first.code), None)
    named = [run.series[one.metric] for one in (finding.evidence if finding else ()) if one.metric in run.series]
    return any(len(one) < SPARE for one in named) or bool(first and first.code.startswith(ROW_BY_ROW))


def began_late(run: Run, diagnosis: Diagnosis) -> bool:
    """Whether it began where the log is cut off, or so late that little of it is left."""
    first = diagnosis.first_break
    late = changes.KEPT - (1 - changes.KEPT)
    return bool(first and first.step is not None and first.step > late * run.last_step) or has_few_rows(run, diagnosis)


def needs_task(_: Run, diagnosis: Diagnosis) -> bool:
    """Whether it rests on what a known task pays."""
    return bool(diagnosis.first_break and diagnosis.first_break.code.startswith(KNOWN_TASK))


def needs_zero(_: Run, diagnosis: Diagnosis) -> bool:
    """Whether it compares returns with values, rewards or lengths, which a shift of returns alone contradicts."""
    first = diagnosis.first_break
    return bool(first and (str(first.link) in ("reward", "value", "returns", "task") or needs_task(_, diagnosis)))


def needs_digits(_: Run, diagnosis: Diagnosis) -> bool:
    """Whether it is told by numbers that are equal to the last digit."""
    return bool(diagnosis.first_break and diagnosis.first_break.code in DIGITS)


def needs_idle(_: Run, diagnosis: Diagnosis) -> bool:
    """Whether it is told by a clock or a counter."""
    return bool(diagnosis.first_break and diagnosis.first_break.code.startswith("SYS"))


def counts_otherwise(run: Run, diagnosis: Diagnosis) -> bool:
    """Whether its steps count something else for certain, so that to call them by another name would be false."""
    axes = {one.provenance.axis for one in run.series.values()}
    return not axes <= {"env_steps", "step"} or stood_beside(run, diagnosis)


def stood_beside(_: Run, diagnosis: Diagnosis) -> bool:
    """Whether it is told by words or by steps that went back, which a table of numbers does not hold."""
    return bool(diagnosis.first_break and diagnosis.first_break.code in BESIDE)


def written(
    save: Callable[..., None], *, style: int | None = None, counted: str = "", rows_apart: int = 0
) -> Callable[[Run, Path], None]:
    """How a run is written to a folder: in a format, under its own or other names, its steps counted so."""

    def write(run: Run, folder: Path) -> None:
        timed = changes.count_in(run, rows_apart) if rows_apart else run
        columns: Columns = changes.keep_names(timed) if style is None else changes.spell(timed, style)
        save(columns, folder, *([counted] if counted else []))
        changes.write_settings(run, folder)

    return write


CHANGES = (
    LogChange("every second row", changes.drop_every_second, excuse=has_few_rows),
    LogChange("rows averaged in pairs", changes.average_pairs, excuse=has_few_rows),
    LogChange("a fifth of the rows missing", changes.lose_rows, excuse=has_few_rows),
    LogChange("the last 15 % cut off", changes.cut_end, excuse=began_late),
    LogChange("noise of 2 %", changes.add_noise, excuse=needs_digits),
    LogChange("rewards times 0.01", changes.scale_rewards(0.01), excuse=needs_task),
    LogChange("rewards times 10", changes.scale_rewards(10.0), excuse=needs_task),
    LogChange("returns shifted", changes.shift_returns, excuse=needs_zero),
    LogChange("idle columns left out", changes.drop_idle_columns, excuse=needs_idle),
    LogChange("as CSV", write=written(changes.write_csv), excuse=stood_beside),
    LogChange("as JSON Lines", write=written(changes.write_json_lines), excuse=stood_beside),
    LogChange("as printed lines", write=written(changes.write_console), excuse=stood_beside),
    LogChange("as TensorBoard", write=written(changes.write_tensorboard), excuse=stood_beside),
    LogChange("steps of environments", write=written(changes.write_csv, counted="env_steps"), excuse=counts_otherwise),
    LogChange(
        "steps in updates", write=written(changes.write_csv, counted="update", rows_apart=1), excuse=counts_otherwise
    ),
    LogChange(
        "steps in episodes",
        write=written(changes.write_json_lines, counted="episode", rows_apart=10),
        excuse=counts_otherwise,
    ),
    *(
        LogChange(f"names {word}", write=written(save, style=style), excuse=stood_beside)
        for style, (word, save) in enumerate(
            zip(
                changes.STYLES,
                (changes.write_csv, changes.write_json_lines, changes.write_console, changes.write_tensorboard),
                strict=True,
            )
        )
    ),
)


class KnownLog(NamedTuple):
    """One log of a set with what it says unchanged."""

    place: str
    run: Run
    healthy: bool
    before: Diagnosis


class Guise(NamedTuple):
    """What became of one log under one change."""

    log: KnownLog
    after: Diagnosis | None
    excused: bool
    why: str = ""

    @property
    def stays(self) -> bool:
        """Whether the same link comes first."""
        return self.after is not None and link_of(self.after) == link_of(self.log.before)


def link_of(diagnosis: Diagnosis) -> str:
    """The link that broke first, or nothing."""
    return str(diagnosis.first_break.link) if diagnosis.first_break else ""


def list_logs(folder: Path) -> Iterator[KnownLog]:
    """The logs of a set that can be read, each judged as it is."""
    for one in json.loads((folder / "logs.json").read_text()):
        run = read(folder / "logs" / one["name"])
        yield KnownLog(f"{folder.name}/{one['name']}", run, one["healthy"], diagnose(run))


def try_change(log: KnownLog, change: LogChange) -> Guise:
    """Judges the log in this guise."""
    excused = change.excuse(log.run, log.before)
    try:
        if change.change is not None:
            return Guise(log, diagnose(change.change(log.run)), excused)
        with tempfile.TemporaryDirectory() as place:
            if change.write is not None:
                change.write(log.run, Path(place))
            return Guise(log, diagnose(read(place)), excused)
    except WeaklinkError as error:
        return Guise(log, None, excused, str(error))


def report(change: LogChange, guises: list[Guise], verbose: bool) -> int:
    """One line for the change, and what it took or added; gives the number of alarms that it added."""
    broken = [one for one in guises if not one.log.healthy and one.log.before.verdict is Verdict.BROKEN]
    asked = [one for one in broken if not one.excused]
    alarmed = [one for one in asked if one.after is not None and one.after.verdict is Verdict.BROKEN]
    calm = [one for one in asked if one.after is not None and one.after.verdict is Verdict.HEALTHY]
    quiet = [one for one in guises if one.log.healthy and one.log.before.verdict is not Verdict.BROKEN]
    accused = [one for one in quiet if one.after is not None and one.after.verdict is Verdict.BROKEN]
    certified = sum(one.after is not None and one.after.verdict is Verdict.HEALTHY for one in quiet)
    stays, kept = (sum(one.stays for one in among) for among in (asked, [one for one in broken if one.excused]))
    print(
        f"{change.name:28} same link {stays:3} of {len(asked):3} ({stays / max(len(asked), 1):6.1%}), "
        f"alarm {len(alarmed):3}, "
        f"called healthy {len(calm):2}; excused {len(broken) - len(asked):3} (of these the same {kept}); "
        f"false alarms {len(accused)} of {len(quiet)}, healthy {certified}",
        flush=True,
    )
    for one in accused:
        print(f"    FALSE ALARM {describe(one)}")
    for one in [*(one for one in asked if not one.stays)] if verbose else []:
        print(f"    {describe(one)}")
    return len(accused)


def describe(one: Guise) -> str:
    """What was said before and after."""
    before, after = one.log.before, one.after
    first = before.first_break.code if before.first_break else before.verdict.value
    if after is None:
        return f"{one.log.place}: {first} -> not read: {one.why}"[:220]
    alarms = [f"{each.code} {each.message}" for each in after.findings if each.severity >= Level.WARN]
    return f"{one.log.place}: {first} -> {after.verdict.value} {alarms[0] if alarms else ''}"[:220]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--only", nargs="+", metavar="CHANGE", help="changes whose name holds one of these words")
    parser.add_argument("--verbose", action="store_true", help="print every log whose first break moved")
    options = parser.parse_args()
    folders = options.folders or sorted(path.parent for path in SEALED.glob("*/logs.json"))
    logs = [log for folder in folders for log in list_logs(folder)]
    chosen = [one for one in CHANGES if not options.only or any(word in one.name for word in options.only)]
    added = sum(report(change, [try_change(log, change) for log in logs], options.verbose) for change in chosen)
    return 1 if added else 0


if __name__ == "__main__":
    sys.exit(main())
