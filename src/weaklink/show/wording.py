"""The sentences about a diagnosis that several subjects share."""

from __future__ import annotations

import math

from weaklink.base.evidence.naming import find_nearest_metric
from weaklink.base.evidence.run import Run
from weaklink.base.finding import Evidence, Finding, Level
from weaklink.base.stats.level import level
from weaklink.judge.diagnosis.diagnosis import Diagnosis, MetricWish, Verdict
from weaklink.judge.diagnosis.engine import ENOUGH_JUDGED
from weaklink.judge.diagnosis.learning import explain_unlearned
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.show.text import count_noun, format_number, format_step

KEYS_SHOWN = 6
HYPER_PARAMETERS = "hyper-parameters"


def describe_onset(finding: Finding, diagnosis: Diagnosis) -> str:
    """When it began; nothing where no training was looked at."""
    if not diagnosis.steps:
        return ""
    if finding.onset is None:
        return "from the start"
    return "throughout" if has_no_onset(finding, diagnosis) else f"from step {format_step(finding.onset)}"


def describe_place(finding: Finding, diagnosis: Diagnosis) -> str:
    """The link and when it began."""
    parts = (finding.link.value if finding.link else "", describe_onset(finding, diagnosis))
    return ", ".join(part for part in parts if part)


def has_no_onset(finding: Finding, diagnosis: Diagnosis) -> bool:
    """Whether the step at which it began is open over most of the run: it has no onset of its own."""
    return finding.onset is not None and finding.onset_within > 0.5 * diagnosis.steps > 0


def format_title(finding: Finding) -> str:
    """`POL301 excessive-clipping`."""
    return f"{finding.code} {finding.name}"


def find_first_finding(diagnosis: Diagnosis) -> Finding | None:
    """The finding that names the first break."""
    broke = diagnosis.first_break
    return None if broke is None else next((one for one in diagnosis.findings if one.code == broke.code), None)


def list_other_breaks(diagnosis: Diagnosis) -> list[Finding]:
    """Breaks that do not follow from the first."""
    first = find_first_finding(diagnosis)
    return [one for one in diagnosis.causes if one.severity >= Level.WARN and one is not first]


def list_breaks(diagnosis: Diagnosis) -> list[Finding]:
    """The first break and those that do not follow from it."""
    first = find_first_finding(diagnosis)
    return [*([] if first is None else [first]), *list_other_breaks(diagnosis)]


def explain_survey_verdict(diagnosis: Diagnosis) -> str:
    """Why an environment without a break is called healthy or unclear."""
    return describe_nothing_broken(diagnosis) + (
        "" if diagnosis.verdict is Verdict.HEALTHY else ": too few to call it healthy"
    )


def describe_nothing_broken(diagnosis: Diagnosis) -> str:
    """How many rules could judge and found no break."""
    return f"nothing is broken in the {diagnosis.judged} of {count_noun(diagnosis.asked, 'rule')} that could judge"


def list_worth_knowing(diagnosis: Diagnosis) -> list[Finding]:
    """What is no alarm and nobody's consequence."""
    return [one for one in diagnosis.causes if one.severity < Level.WARN]


def explain_verdict(diagnosis: Diagnosis, run: Run | None) -> str:
    """Why a run without a break is called healthy or unclear."""
    judged = describe_nothing_broken(diagnosis)
    if diagnosis.judged == 0:
        return f"none of {count_noun(diagnosis.asked, 'rule')} could judge"
    if diagnosis.verdict is Verdict.HEALTHY:
        return judged
    few = len(diagnosis.clean) < ENOUGH_JUDGED
    why = "no return or success rate is logged" if run is None else explain_unlearned(run)
    improved = run is not None and run.performance is not None and run.performance.improved
    if why and not (few and improved):
        return f"{judged}, but {why}"
    if few or run is None:
        return f"{judged}: too few to call it healthy"
    if run.unread:
        return f"{judged}, but what its updates learn could not be read whole"
    return f"{judged}, but a number that is worth knowing lies far from what healthy runs have"


def describe_measured(evidence: Evidence, onset: float | None, run: Run | None = None) -> str:
    """One number of the evidence, without the name of its metric."""
    limit = "" if evidence.limit is None else f", limit {format_number(evidence.limit)}"
    place = "" if evidence.step is None else f" at step {format_step(evidence.step)}"
    if is_level(evidence, onset, run):
        place = f" from{place.removeprefix(' at')} on"
    return f"{format_number(evidence.value)}{place}{limit}"


def is_level(evidence: Evidence, onset: float | None, run: Run | None = None) -> bool:
    """Whether the value is what the metric holds from the onset on, rather than what it was for once at that step."""
    if evidence.step is None or evidence.step != onset or not math.isfinite(evidence.value):
        return False
    series = None if run is None else run.get(evidence.metric)
    if series is None or not len(series) or evidence.step > series.last_step:
        return True
    after = series.values[series.steps >= evidence.step]
    return bool(after[0] != evidence.value or level(after) == evidence.value)


def find_own_key(metric: str, run: Run | None) -> str:
    """The name that the user's own log has for a metric, where it is another one."""
    series = None if run is None else run.get(metric)
    return "" if series is None or series.provenance.key == metric else series.provenance.key


def describe_coverage(diagnosis: Diagnosis) -> str:
    """How many rules could judge, how many of them found nothing, and how many lacked the hyper-parameters."""
    clean = f", {len(diagnosis.clean)} of them clean" if diagnosis.judged else ""
    bare = sum(missing == (HYPER_PARAMETERS,) for missing in diagnosis.blind.values())
    without = f" {count_noun(bare, 'rule')} found no hyper-parameters." if bare else ""
    return f"Judged {diagnosis.judged} of {count_noun(diagnosis.asked, 'rule')}{clean}.{without}"


def pick_wished_metric(one: MetricWish) -> str:
    """The metric to log: of several that would do, the first."""
    return one.metric.partition(" or ")[0]


def describe_wish(one: MetricWish) -> str:
    """What logging a metric would bring, without its name."""
    return f"lets {count_noun(len(one.unlocks), 'more rule')} judge: {one.how}"


def describe_unknown_keys(diagnosis: Diagnosis) -> str:
    """The keys of the log that no dialect knows, the first few by name."""
    keys = diagnosis.unknown_keys
    if not keys:
        return ""
    named = ", ".join(_describe_key(key) for key in keys[:KEYS_SHOWN])
    rest = f" and {len(keys) - KEYS_SHOWN} more" if len(keys) > KEYS_SHOWN else ""
    verb = "is" if len(keys) == 1 else "are"
    return f"{count_noun(len(keys), 'key')} of the log {verb} not known: {named}{rest}. --map KEY=METRIC names one."


def _describe_key(key: str) -> str:
    """An unknown key with the metric that it may be."""
    nearest = find_nearest_metric(key)
    return f"{key} ({nearest}?)" if nearest else key


def list_unable(diagnosis: Diagnosis) -> list[str]:
    """The rules that failed themselves."""
    return [f"{code} failed itself, a fault of weaklink: {fault}" for code, fault in diagnosis.unable.items()]


def walk_symptom(symptom: Symptom, diagnosis: Diagnosis) -> list[tuple[str, str, str]]:
    """Code, name and what became of each rule that explains the symptom, in the order to look in."""
    fired = {finding.code: finding for finding in diagnosis.findings}
    names = symptom.rule_names()
    walk: list[tuple[str, str, str]] = []
    for code in symptom.codes:
        if code in fired:
            walk.append((code, fired[code].name, describe_onset(fired[code], diagnosis)))
        elif code in diagnosis.clean:
            walk.append((code, names[code], "clean"))
        elif code in diagnosis.blind:
            walk.append((code, names[code], f"could not tell without {', '.join(diagnosis.blind[code])}"))
    return walk
