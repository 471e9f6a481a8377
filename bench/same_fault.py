"""Whether `weaklink preflight` says the same of an environment in disguise: the same fault in other clothes.

    python bench/same_fault.py FOLDER... [--known FILE] [--only TEXT] [--disguise NAME] [--each 3] [--seconds 8]

A folder is one of `bench/sealed_sets.py` that has an `environments.py` with factories `healthy_*` and `broken_*`. Each
is wrapped by disguises (`bench/disguises.py`) that change nothing about the fault: another unit of reward, order,
scale or type of what is seen, more columns, other names and ranges of actions. Told is how often the same code and the
right link come first where the fault was found without a disguise, and every alarm on a healthy environment.

Where a disguise takes a fault away, or is what the fault is about, the pair is left out: by the code that was found
(`spares` of each disguise), never by the case. `--known` has what was said without a disguise, one JSON object a line
with `set`, `case` and `answer` (an `--output` of this bench, or answers of `weaklink preflight --format json`); what it
does not have is asked first. `--each` is how many disguises every environment gets, in turn; 0 for all. A busy machine
plays less in the same time: what differs is asked again without the disguise, and counts only where that is still said.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from disguises import DISGUISES, Inapplicable, make_disguised
from sealed_sets import list_environments
from weaklink.base.evidence.survey import Survey
from weaklink.base.finding import Level
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.verbs.preflight import PreflightOptions, run_preflight

MAKER = f"{Path(__file__).with_name('disguises.py')}:make_disguised"
PLAIN = ""


class Told(NamedTuple):
    """What was said first of an environment: nothing where no alarm was raised."""

    verdict: str
    code: str = ""
    link: str = ""
    message: str = ""


class Pair(NamedTuple):
    """An environment and a disguise, and what ought to be said: of a healthy one nothing."""

    folder: Path
    name: str
    links: tuple[str, ...]
    disguise: str = PLAIN

    @property
    def file(self) -> Path:
        return self.folder / "environments.py"


def read_known(file: Path | None) -> dict[tuple[str, str], Told]:
    """What was said of each environment without a disguise."""
    rows = [json.loads(line) for line in file.read_text().splitlines()] if file else []
    found = {}
    for row in rows:
        answer = row["answer"][0] if isinstance(row["answer"], list) else row["answer"]
        if not row.get("disguise"):
            found[row["set"], row["case"]] = read_answer(answer)
    return found


def read_answer(answer: dict[str, Any]) -> Told:
    alarms = [one for one in answer["findings"] if one["level"] in ("warn", "error")]
    code = (answer["first_break"] or {}).get("code")
    first = next((one for one in alarms if one["code"] == code), alarms[0] if alarms else None)
    return Told(answer["verdict"], *((first["code"], first["link"], first["message"]) if first else ()))


def read_diagnosis(diagnosis: Diagnosis) -> Told:
    alarms = [one for one in diagnosis.findings if one.severity >= Level.WARN]
    broke = diagnosis.first_break
    first = next((one for one in alarms if broke is not None and one.code == broke.code), alarms[0] if alarms else None)
    if first is None or first.link is None:
        return Told(diagnosis.verdict.value)
    return Told(diagnosis.verdict.value, first.code, first.link.value, first.message)


def survey(pair: Pair, seconds: float) -> tuple[Told, Survey]:
    """What `weaklink preflight` says of the pair."""
    given = {"file": str(pair.file), "factory": pair.name, "disguise": pair.disguise}
    seen = run_preflight(PreflightOptions(environment=MAKER, plan=SurveyPlan(seconds=seconds, arguments=given)))
    return read_diagnosis(seen.diagnosis), seen.survey


def list_pairs(folder: Path, known: dict[tuple[str, str], Told], options: argparse.Namespace) -> Iterator[Pair]:
    """Every pair to look at; those of one environment begin with the plain one where nothing is known of it."""
    names = tuple(options.disguise or DISGUISES)
    for place, case in enumerate(list_environments(folder, options.seconds)):
        if not any(text in case.name for text in options.only or [""]):
            continue
        said = known.get((folder.name, case.name))
        if said is None:
            yield Pair(folder, case.name, case.links)
        elif case.links and said.link not in case.links:
            continue
        fit = [name for name in names if applies(folder, case.name, name, said)]
        turned = fit[place % max(len(fit), 1) :] + fit[: place % max(len(fit), 1)]
        yield from (Pair(folder, case.name, case.links, name) for name in turned[: options.each or len(turned)])


def applies(folder: Path, name: str, disguise: str, said: Told | None) -> bool:
    """Whether the disguise fits the spaces, and leaves what was found as it is."""
    if said is not None and said.code in DISGUISES[disguise].spares:
        return False
    try:
        make_disguised(str(folder / "environments.py"), name, disguise).close()
    except Inapplicable:
        return False
    return True


def report(answers: dict[Pair, Told], known: dict[tuple[str, str], Told]) -> None:
    """A row for each disguise, and below all that was said otherwise."""
    same: dict[str, list[bool]] = defaultdict(list)
    rightly: dict[str, list[bool]] = defaultdict(list)
    quiet: dict[str, list[bool]] = defaultdict(list)
    for pair, told in answers.items():
        plain = known[pair.folder.name, pair.name]
        if pair.links and plain.link in pair.links and plain.code not in DISGUISES[pair.disguise].spares:
            same[pair.disguise].append(told.code == plain.code)
            rightly[pair.disguise].append(told.link in pair.links)
        elif not pair.links and not plain.code:
            quiet[pair.disguise].append(not told.code)
    print(f"\n{'disguise':26} {'the same code':>16} {'the right link':>16} {'healthy, no alarm':>19}")
    for name in DISGUISES:
        columns = (f"{sum(each[name])} of {len(each[name])}" for each in (same, rightly, quiet))
        print("{:26} {:>16} {:>16} {:>19}".format(name, *columns))
    for pair, told in answers.items():
        plain = known[pair.folder.name, pair.name]
        if told.code != plain.code:
            said = f"{told.code} ({told.link}): {told.message}" if told.code else told.verdict
            print(f"{pair.folder.name} {pair.name}, {pair.disguise}: {plain.code or 'nothing'} became {said}"[:230])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--known", type=Path, help="what was said without a disguise, one JSON object a line")
    parser.add_argument("--only", action="append", help="factories whose name holds this text")
    parser.add_argument("--disguise", action="append", choices=tuple(DISGUISES))
    parser.add_argument("--each", type=int, default=3, help="disguises for each environment, in turn; 0 for all")
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--output", type=Path, help="every answer, one JSON object a line, added as it comes")
    options = parser.parse_args()
    known, answers = read_known(options.known), dict[Pair, Told]()
    pairs = [pair for folder in options.folders for pair in list_pairs(folder.resolve(), known, options)]
    plain = [pair for pair in pairs if not pair.disguise]
    disguised = [pair for pair in pairs if pair.disguise]
    random.Random(0).shuffle(disguised)  # one that is stopped early has seen some of everything
    asked = {(pair.folder.name, pair.name) for pair in plain}
    for pair in (*plain, *disguised):
        told, _ = survey(pair, options.seconds)
        key = pair.folder.name, pair.name
        if pair.disguise and told.code != known[key].code and key not in asked:
            asked.add(key)
            known[key], _ = survey(pair._replace(disguise=PLAIN), options.seconds)
        if pair.disguise:
            answers[pair] = told
        else:
            known[key] = told
        print(f"{pair.name} [{pair.disguise}] {told.verdict}: {told.code} {told.message}"[:200], flush=True)
        if options.output:
            keep(pair, told, options.output)
    report(answers, known)


def keep(pair: Pair, told: Told, file: Path) -> None:
    finding = {"code": told.code, "link": told.link, "message": told.message, "level": "warn"}
    answer = {
        "verdict": told.verdict,
        "first_break": {"code": told.code} if told.code else None,
        "findings": [finding] if told.code else [],
    }
    row = {"set": pair.folder.name, "case": pair.name, "disguise": pair.disguise, "answer": answer}
    with file.open("a") as lines:
        lines.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
