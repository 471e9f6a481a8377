"""Whether `weaklink audit` says the same of the same samples told otherwise.

    python bench/same_samples.py [SET ...] [--share 0.2] [--only TEXT] [--seed 0]

Takes files of the sealed sets (bench/sealed: those are spent, so this says nothing of samples that nobody has seen,
only of what hangs on how they are written) and tells each anew in ways that change nothing about the fault: other
names, another depth, other notations, units, orders, files, words. Of the broken files whose fault is named as they
are, it counts how often the same code comes first again; every alarm on honest files is shown. What a way of telling
may rightly take away stands in `TAKEN_AWAY`. All is done in this process by `weaklink.audit`. Exits with 1 where an
honest file is accused.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from retold.fields import flatten, nest, nest_by_kind, rename_meaninglessly, rename_sensibly
from retold.rows import halve, shuffle
from retold.texts import replace_words, unwrap_messages, wrap_in_messages
from retold.values import (
    count_steps_in_tens,
    multiply_rewards,
    shift_rewards,
    spell_numbers,
    start_late,
    tell_outcomes_by_truth,
    tell_verdicts_by_numbers,
    tell_verdicts_by_words,
)
from weaklink import audit
from weaklink.base.errors import WeaklinkError
from weaklink.base.finding import Level
from weaklink.judge.rules._registry import load_rules

Row = dict[str, Any]
Rows = list[Row]

SEALED = Path(__file__).parent / "sealed"
SETS = ("samples4", "samples5", "samples6", "samples7", "second", "third")

TOLD: dict[str, Callable[[Rows, random.Random], Rows]] = {
    "names: sensible": rename_sensibly,
    "names: none": rename_meaninglessly,
    "one deeper": nest,
    "texts and numbers apart": nest_by_kind,
    "objects flattened": flatten,
    "numbers as texts": spell_numbers,
    "rewards times ten": multiply_rewards,
    "rewards plus five": shift_rewards,
    "verdicts as words": tell_verdicts_by_words,
    "verdicts as 0 and 1": tell_verdicts_by_numbers,
    "outcomes as true": tell_outcomes_by_truth,
    "strings as messages": wrap_in_messages,
    "messages as strings": unwrap_messages,
    "other words": replace_words,
    "rows shuffled": shuffle,
    "half of the draws": halve,
    "steps times ten": count_steps_in_tens,
    "steps from 1000": start_late,
    "one JSON array": lambda rows, rng: rows,
    "Parquet": lambda rows, rng: rows,
}
"""Every way of telling samples otherwise; the last two change the file alone."""

NAMED = frozenset((
    "gold", "outcome", "human_score", "success", "unsafe", "unsafe_prompt", "difficulty", "entropy", "kl", "cost",
    "max_tokens", "policy_version", "truncated", "declared_size", "kind", "trains_on_prompt", "trains_on_results",
    "weighted_reward", "group_relative", "grading_failed", "sampler_gap", "reference_gap", "masked_tail",
    "chosen_quality", "first_won", "id", "reward.",
))  # fmt: skip
"""Columns that nothing but a name tells from other numbers: without names their faults are not there to be seen."""
WORDED = frozenset((
    "refusal", "agrees", "addresses_judge", "dodges_tests", "claims_success", "touches_grading", "edits_tests",
    "defeats_grading", "other_language", "gibberish", "abstains", "unsafe_prompt", "unsafe", "style.",
    "invented_results", "failed_calls", "demands_tools", "illegal_calls", "grading_failed", "kind",
    "leaves_reasoning",
))  # fmt: skip
"""Columns that say what words mean: with words of no meaning there is no such thing."""
ORDERED = frozenset(("group",))
"""Columns of which the order of rows is a part: who stands beside whom."""
TAKEN_AWAY = {"names: none": NAMED, "other words": WORDED, "rows shuffled": ORDERED}
"""For a way of telling, the columns that it may take away; a rule that needs one of them may fall silent."""


class Judged(NamedTuple):
    """What an audit said of one telling: its first break, all alarms and the verdict."""

    first: str
    alarms: tuple[str, ...]
    verdict: str
    said: str


class Original(NamedTuple):
    """A file of a sealed set as it is, and the words of which a right finding holds one; none where it is honest."""

    name: str
    rows: Rows
    words: tuple[str, ...]
    judged: Judged


def list_files(name: str, place: Path, share: float, rng: random.Random) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """A share of the files of a set, made anew, with the words of their faults."""
    folder = place / name
    folder.mkdir()
    for file in ("make_samples.py", "samples.json"):
        (folder / file).write_bytes((SEALED / name / file).read_bytes())
    subprocess.run([sys.executable, "make_samples.py"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    words = {Path(one["name"]).name: one["acceptable"] for one in json.loads((folder / "samples.json").read_text())}
    for file in sorted((folder / "samples").glob("*.jsonl")):
        if rng.random() < share:
            yield file, tuple(words.get(file.name, ()))


def judge(file: Path) -> Judged:
    """What an audit of a file says."""
    try:
        found = audit(str(file)).diagnosis
    except WeaklinkError as error:
        return Judged("", (), "not read", str(error))
    alarms = [one for one in found.findings if one.severity >= Level.WARN]
    first = found.first_break if found.first_break in alarms else alarms[0] if alarms else None
    codes = tuple(one.code for one in alarms)
    verdict = str(found.verdict)
    return Judged(first.code, codes, verdict, f"{first.name} {first.message}") if first else Judged("", (), verdict, "")


def write(rows: Rows, told: str, folder: Path) -> Path:
    """The rows as a file of the kind that a way of telling asks for."""
    if told == "Parquet":
        pq.write_table(pa.Table.from_pylist(rows), folder / "told.parquet")
        return folder / "told.parquet"
    file = folder / ("told.json" if told == "one JSON array" else "told.jsonl")
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    file.write_text("[" + ",\n".join(lines) + "]" if told == "one JSON array" else "\n".join(lines) + "\n")
    return file


def may_be_taken(told: str, code: str) -> bool:
    """Whether a rule needs what a way of telling takes away."""
    taken = TAKEN_AWAY.get(told, frozenset())
    return any(rule.code == code and _list_needed(rule) & taken for rule in load_rules().values())


def _list_needed(rule: Any) -> set[str]:
    needs = (*(rule.samples or ()), *rule.needs)
    return {column for need in needs for column in ((need,) if isinstance(need, str) else need)}


def tell(original: Original, told: str, folder: Path, seed: int) -> Judged | None:
    """What an audit says of a file told otherwise; None where it is the same as before, or cannot be told so."""
    rows = TOLD[told](original.rows, random.Random(seed))
    if rows == original.rows and told not in ("one JSON array", "Parquet"):
        return None
    try:
        return judge(write(rows, told, folder))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):  # no columns of one type: no such file
        return None


def describe(original: Original, told: str, judged: Judged) -> str:
    """What became of a file: `kept`, `other` code first, `lost`, `taken` rightly; honest ones `accused` or `quiet`."""
    if not original.words:
        return "accused" if judged.first else "quiet"
    if judged.first == original.judged.first:
        return "kept"
    if may_be_taken(told, original.judged.first):
        return "taken"
    return "other" if judged.first else "lost"


def show(original: Original, told: str, judged: Judged) -> str:
    """What became of one file, told where it is not as it should be."""
    state = describe(original, told, judged)
    if state in ("other", "lost", "accused"):
        became = f"{original.judged.first} -> {judged.verdict} {judged.first} {judged.said}"
        print(f"{told} [{state}] {original.name}: {became}"[:240], flush=True)
    return state


def report(counts: dict[str, Counter[str]], healthy: Counter[str]) -> None:
    """A line for each way of telling."""
    columns = ("told", "kept", "other", "lost", "taken", "of all", "healthy", "honest", "accused")
    print(f"\n{'':26}" + "".join(f"{column:>9}" for column in columns))
    for told, count in counts.items():
        broken = count["kept"] + count["other"] + count["lost"]
        share = f"{count['kept'] / max(broken, 1):.1%}"
        honest = count["quiet"] + count["accused"]
        states = (count["kept"], count["other"], count["lost"], count["taken"])
        cells = (broken + count["taken"], *states, share, healthy[told], honest, count["accused"])
        print(f"{told:26}" + "".join(f"{cell:>9}" for cell in cells))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS, help="sets of bench/sealed that have samples")
    parser.add_argument("--share", type=float, default=0.2, help="of the files of each set")
    parser.add_argument("--only", default="", help="ways of telling whose names hold this")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    start = time.perf_counter()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    healthy: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        folder, rng = Path(place), random.Random(options.seed)
        for name in options.sets or SETS:
            for file, words in list_files(name, folder, options.share, rng):
                rows = [json.loads(line) for line in file.read_text().splitlines()]
                original = Original(f"{name}/{file.stem}", rows, words, judge(file))
                if bool(words) != any(word in original.judged.said.lower() for word in words):
                    print(f"{original.name}: left out, {original.judged.verdict}: {original.judged.said}"[:200])
                    continue
                for told in (told for told in TOLD if options.only in told):
                    if (judged := tell(original, told, folder, options.seed)) is not None:
                        healthy[told] += bool(words) and judged.verdict == "healthy"
                        counts[told][show(original, told, judged)] += 1
    report(counts, healthy)
    print(f"{time.perf_counter() - start:.0f} s")
    return int(any(count["accused"] for count in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
