"""`compare`: from paths to parties, to what may be compared, to scores; and each look at a split counted."""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.contrast import Contrast, EvaluationEntry, EvaluationParty
from weaklink.base.evidence.ledger import (
    LedgerLook,
    SplitLooks,
    add_looks,
    count_looks,
    find_ledger,
    format_now,
    look_at,
    read_looks,
)
from weaklink.base.evidence.manifest import ITEM
from weaklink.base.evidence.overlap import Overlap
from weaklink.base.evidence.performance import MEASURES
from weaklink.base.evidence.scores import ContrastScores, score_contrast
from weaklink.base.viewing import ViewedResult
from weaklink.collect.samples.overlap import measure_overlap
from weaklink.judge.diagnosis.contrasting import are_comparable, check_protocols, judge_contrast
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.engine import RuleAnswers
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.party_reading import read_parties

MEASURE = "measure"
UNLIKE_BUDGETS = 0.2
MOST_NAMED = 4


@dataclass(frozen=True, eq=False)
class Compared(ViewedResult):
    """A comparison, judged. `scores` are None where they may not stand side by side; `comparable` says whether."""

    diagnosis: Diagnosis
    contrast: Contrast | None = None
    scores: ContrastScores | None = None
    overlap: Overlap | None = None
    comparable: bool = True


class CompareOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be compared and how.

    `paths` are evaluations, runs, folders of them or patterns, the first being what the others are compared with;
    `train` and `evaluation` are training data and the items to look for in it.
    `anyway` shows scores that may not be compared; `keep` is the party that is chosen by this comparison; `ledger` the
    file in which looks are counted, by itself the nearest one; `metric` the measure by which runs are scored, by itself
    the first that all have; `target` a score to stay below or reach; `ray` the address of a cluster that reads them.
    """

    paths: tuple[str, ...] = ()
    train: str = ""
    evaluation: str = ""
    metric: str = ""
    target: float | None = None
    anyway: bool = False
    ledger: str = ""
    keep: str = ""
    seed: int = 0
    ray: str = ""
    settings: RuleSettings = RuleSettings()


def compare(want: CompareOptions, report: Callable[[str, int], None] | None = None) -> Compared:
    """Compares evaluations, runs or groups of seeds, and looks for evaluation items in training data.

    Raises:
        UsageError: there is nothing to compare.
        ReadError: something cannot be read.
    """
    words, rules = list(want.paths), want.settings
    _check(words, want)
    found = measure_overlap(want.train, want.evaluation, report=report) if want.train else None
    if not words:
        answers = RuleAnswers()
        notes = found.notes if found else ()
        return Compared(judge_contrast(want.evaluation, answers, found, rules, notes=notes), overlap=found)
    contrast = _build_contrast(words, want)
    answers = check_protocols(contrast, rules)
    fair = are_comparable(answers) and contrast.whole
    shown = score_contrast(contrast, seed=want.seed) if fair or want.anyway else None
    looks, remarks = _count_looks(contrast, want, shows=shown is not None)
    contrast = replace(contrast, looks=looks, notes=(*contrast.notes, *remarks))
    if looks:
        found = replace(found or Overlap(), looks=looks)
    name = " and ".join(each.name for each in contrast.parties)
    notes = (*contrast.notes, *(found.notes if found else ()), *(shown.notes if shown else ()))
    stated = contrast.whole and any(all(row.values) for row in contrast.protocol)
    diagnosis = judge_contrast(name, answers, found, rules, stated=stated, notes=notes)
    return Compared(diagnosis, contrast, shown, found, fair)


def _check(words: list[str], want: CompareOptions) -> None:
    if bool(want.train) != bool(want.evaluation):
        raise UsageError(
            "--train and --evaluation belong together: the training data, and the items to look for in it."
        )
    if len(words) == 1 or (not words and not want.train):
        raise UsageError(
            "Give at least two evaluations, runs or groups of seeds to compare, such as 'runs/ppo_*' 'runs/sac_*', or "
            "--train and --evaluation."
        )
    if len(set(words)) < len(words):
        raise UsageError("The same path is given twice. Name two different things to compare.")
    if want.target is not None and not (isinstance(want.target, int | float) and math.isfinite(want.target)):
        raise UsageError(f"--target must be a finite number, not {want.target}.")


def _build_contrast(words: list[str], want: CompareOptions) -> Contrast:
    parties = _shorten_names(read_parties(words, want.ray))
    if want.keep and want.keep not in {each.name for each in parties}:
        names = ", ".join(each.name for each in parties)
        raise UsageError(f"--keep must name one of what is compared ({names}), not '{want.keep}'.")
    _refuse_items_beside_runs(parties)
    parties, measure = _score_parties(_fill_tasks(parties), want)
    contrast = _check_items(Contrast(tuple(parties), measure, want.target))
    if not contrast.tasks:
        told = "; ".join(f"{each.name} has {', '.join(each.tasks[:MOST_NAMED])}" for each in parties)
        raise UsageError(f"There is no task that all were evaluated on: {told}. Compare evaluations of the same task.")
    return replace(contrast, notes=tuple(_list_notes(contrast)))


def _shorten_names(parties: list[EvaluationParty]) -> list[EvaluationParty]:
    """Each by the last part of its path where these differ."""
    short = [os.path.basename(each.name) or each.name for each in parties]
    return [replace(each, name=name) for each, name in zip(parties, short, strict=True)] if _differ(short) else parties


def _differ(names: list[str]) -> bool:
    return len(set(names)) == len(names)


def _fill_tasks(parties: list[EvaluationParty]) -> list[EvaluationParty]:
    """One that does not name its task is taken to be of the only one that is named."""
    named = {task for each in parties for task in each.tasks if task}
    if len(named) != 1:
        return parties
    only = next(iter(named))
    return [replace(each, entries=tuple(_set_task(entry, only) for entry in each.entries)) for each in parties]


def _set_task(entry: EvaluationEntry, task: str) -> EvaluationEntry:
    if entry.manifest.task:
        return entry
    return replace(entry, manifest=msgspec.structs.replace(entry.manifest, task=task))


def _refuse_items_beside_runs(parties: list[EvaluationParty]) -> None:
    items, runs = _has(parties, runs=False), _has(parties, runs=True)
    if items and runs:
        raise UsageError(
            f"{items} has scores of items and {runs} a training run with a measure of its own: the two are never "
            "alike. Give evaluations by item on every side, or runs on every side; weaklink.evaluation writes "
            "down how the model of a run scored on each item."
        )


def _has(parties: list[EvaluationParty], *, runs: bool) -> str:
    """The first that holds runs, or else scores of items."""
    for each in parties:
        for entry in each.entries:
            if entry.is_run if runs else not entry.is_run and entry.manifest.per == ITEM:
                return each.name
    return ""


def _score_parties(parties: list[EvaluationParty], want: CompareOptions) -> tuple[list[EvaluationParty], str]:
    """Scores runs by one measure that all have, or else each by its own, which the protocol then tells."""
    runs = [entry for each in parties for entry in each.entries if entry.is_run]
    if not runs:
        return parties, ""
    order = sorted(MEASURES, key=lambda name: not name.startswith("evaluation."))
    known = [name for name in order if any(name in entry.finals for entry in runs)]
    shared = [name for name in known if all(name in entry.finals or name in entry.lost for entry in runs)]
    if want.metric and want.metric not in shared:
        told = ", ".join(shared) or "none"
        raise UsageError(f"--metric must be a measure that every run holds ({told}), not '{want.metric}'.")
    chosen = want.metric or (shared[0] if shared else "")
    return [_score_party(each, chosen, order, anyway=want.anyway) for each in parties], chosen


def _score_party(each: EvaluationParty, chosen: str, order: list[str], *, anyway: bool) -> EvaluationParty:
    """With each run scored; one without a level at its end is left out only where that is asked for, and told."""
    kept: list[EvaluationEntry] = []
    ended: list[tuple[str, str]] = []
    for entry in each.entries:
        name = chosen or next((one for one in order if one in entry.finals or one in entry.lost), "")
        if name in entry.lost:
            ended.append((entry.manifest.model, f"{name} is {entry.lost[name]}"))
        else:
            kept.append(_score_entry(entry, name))
    if ended and not (anyway and kept):
        who, what = ended[0]
        more = f" (and {len(ended) - 1} more of {each.name} like it)" if len(ended) > 1 else ""
        cure = "--anyway shows the others" if kept else "Compare by another measure with --metric"
        raise UsageError(
            f"{who} has no level at its end: {what}{more}. A run that diverged is a result too, so it is not left out "
            f"of a comparison in silence. {cure}."
        )
    return replace(each, entries=tuple(kept), ended=tuple(f"{who} was left out: {what}" for who, what in ended))


def _score_entry(entry: EvaluationEntry, name: str) -> EvaluationEntry:
    if not entry.is_run:
        return entry
    manifest = entry.manifest
    seed = manifest.seeds[0] if manifest.seeds else manifest.model
    stated = {**manifest.settings, MEASURE: name}
    scores = {seed: (entry.finals[name],)}
    return replace(entry, manifest=msgspec.structs.replace(manifest, settings=stated, scores=scores))


def _check_items(contrast: Contrast) -> Contrast:
    """Where items are hardly the same, says so in the protocol: then these are two evaluations, not one twice."""
    if not contrast.by_item:
        return contrast
    for task in contrast.tasks:
        sets = [{item for entry in each.on(task) for item in entry.manifest.scores} for each in contrast.parties]
        if 2 * len(set.intersection(*sets)) < max(map(len, sets)):
            parties = tuple(replace(each, entries=tuple(map(_state_items, each.entries))) for each in contrast.parties)
            return replace(contrast, parties=parties)
    return contrast


def _state_items(entry: EvaluationEntry) -> EvaluationEntry:
    items = sorted(entry.manifest.scores)
    told = f"{len(items)}, from {items[0]} to {items[-1]} #{zlib.crc32(repr(items).encode()):08x}"
    stated = {**entry.manifest.settings, "items": told}
    return replace(entry, manifest=msgspec.structs.replace(entry.manifest, settings=stated))


def _list_notes(contrast: Contrast) -> Iterable[str]:
    for each in contrast.parties:
        yield from each.notes
        yield from each.ended
        extra = [task for task in each.tasks if task not in contrast.tasks]
        if extra:
            yield f"{each.name}: not compared on {', '.join(extra[:MOST_NAMED])}, which not all were evaluated on"
    steps = {each.name: _count_steps(each) for each in contrast.parties}
    known = [value for value in steps.values() if value]
    if len(known) > 1 and min(known) < (1.0 - UNLIKE_BUDGETS) * max(known):
        told = ", ".join(f"{name} {value:,.0f}" for name, value in steps.items())
        yield f"they were trained for unlike numbers of steps ({told}) and are compared as they ended"


def _count_steps(each: EvaluationParty) -> float:
    return max((entry.peer.steps for entry in each.entries if entry.peer is not None), default=0.0)


def _count_looks(
    contrast: Contrast, want: CompareOptions, *, shows: bool
) -> tuple[tuple[SplitLooks, ...], tuple[str, ...]]:
    """All looks at the splits compared, this one among them; scores that are not shown were not looked at."""
    seen: dict[Path, list[EvaluationEntry]] = {}
    for each in contrast.parties:
        for entry in each.entries:
            if entry.manifest.split:
                place = Path(want.ledger) if want.ledger else find_ledger(Path(entry.manifest.source).parent)
                seen.setdefault(place, []).append(entry)
    remarks: list[str] = []
    looks: list[LedgerLook] = []
    time = format_now()
    for place, entries in seen.items():
        manifests = [entry.manifest for entry in entries]
        if shows:
            try:
                add_looks(place, look_at(manifests, "compare", want.keep, time))
            except UsageError as error:
                if want.ledger:
                    raise
                remarks.append(str(error))
        known, damaged = read_looks(place)
        if damaged:
            remarks.append(f"{damaged} lines of {place} are no looks and were passed over")
        splits = {(one.task, one.split) for one in manifests}
        looks += [look for look in known if (look.task, look.split) in splits]
    return count_looks(sorted(looks, key=lambda look: look.time)), tuple(remarks)
