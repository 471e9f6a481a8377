"""What is said of an audit in words: samples, components, groups, partings, and a verifier that was tried."""

from __future__ import annotations

from collections.abc import Iterable

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import STYLE, TrajectoryParting
from weaklink.base.evidence.verifier import ATTACK, FORM, VerifierCheck
from weaklink.collect.samples.groups import SampleGroups
from weaklink.collect.samples.tables import AttemptSummary, RewardComponent, RewardLeaning
from weaklink.collect.samples.trends import OutcomePeak
from weaklink.judge.diagnosis.diagnosis import Verdict
from weaklink.judge.diagnosis.engine import ENOUGH_JUDGED
from weaklink.show import wording
from weaklink.show.text import count_noun, format_number, format_step, shorten
from weaklink.verbs.audit import Audited

MOST_FAULTS = 5
MOST_FIELDS = 8

FAMILIES = {ATTACK: "answers that should not be paid", FORM: "right answers in other forms"}


def explain_verdict(audited: Audited) -> str:
    """Why an audit without a break is called healthy or unclear."""
    diagnosis, samples = audited.diagnosis, audited.samples
    if diagnosis.judged == 0:
        return f"none of {count_noun(diagnosis.asked, 'rule')} could judge"
    judged = wording.describe_nothing_broken(diagnosis)
    if diagnosis.verdict is Verdict.HEALTHY:
        return judged
    if audited.stopped:
        return f"{judged}, but it was stopped before all was read"
    if samples is None and diagnosis.findings:
        return f"{judged}; what was found is worth knowing"
    if samples is not None and samples.outcome is None:
        return f"{judged}, but no row says what is really good (gold, human_score or success)"
    course = None if samples is None or samples.run is None else samples.run.performance
    if course is not None and not course.improved and len(diagnosis.clean) >= ENOUGH_JUDGED:
        return f"{judged}, yet {course.metric} does not clearly improve"
    return f"{judged}: too few to call it healthy"


def pick_curves(audited: Audited) -> Run | None:
    """The curves to draw beside the evidence of the first break; none where a verifier is what broke."""
    first = wording.find_first_finding(audited.diagnosis)
    of_verifier = first is not None and any(one.metric.startswith("verifier.") for one in first.evidence)
    return None if audited.samples is None or of_verifier else audited.samples.run


def list_facts(audited: Audited) -> list[str]:
    """What was looked at: the file, its rows, the steps they span, what stands beside them, and the verifier."""
    samples = audited.samples
    parts = [audited.diagnosis.target]
    if samples is not None:
        used = f"{len(samples):,} of them used" if len(samples) < samples.rows else ""
        trends = audited.tables.trends if audited.tables else ()
        span = f"steps {format_step(trends[0].steps[0])} to {format_step(trends[0].steps[-1])}" if trends else ""
        beside = samples.baseline
        baseline = "" if beside is None else f"beside {count_noun(beside.rows, 'row')} of {beside.name}"
        verifier = "" if audited.verifier is None else f"verifier {audited.verifier.name}"
        parts += [count_noun(samples.rows, "row"), used, span, baseline, verifier]
    return [part for part in parts if part]


def make_component_cells(component: RewardComponent) -> tuple[str, ...]:
    """One row of the table of components."""
    share = "" if component.share is None else f"{100 * component.share:.0f} %"
    numbers = (
        format_number(component.mean),
        format_number(component.spread),
        share,
        format_correlation(component.with_outcome),
    )
    return (component.name, *numbers)


def make_leaning_cells(leaning: RewardLeaning) -> tuple[str, ...]:
    """One row of the table of what the reward follows."""
    name = leaning.feature.removeprefix(STYLE).replace("_", " ")
    return (name, format_correlation(leaning.raw), format_correlation(leaning.at_equal_outcome))


def format_correlation(value: float | None) -> str:
    """A correlation in two digits; nothing where there is none."""
    return "" if value is None else f"{value:+.2f}"


def describe_groups(groups: SampleGroups) -> list[str]:
    """Size, spread and order of the groups."""
    reach = "" if groups.smallest == groups.largest else f", {groups.smallest:,} to {groups.largest:,}"
    alone = f"; {count_noun(groups.alone, 'more group')} of one row" if groups.alone else ""
    lines = [f"{count_noun(groups.count, 'group')} of {groups.usual:,} rows{reach}{alone}"]
    if groups.spread is not None and groups.between is not None:
        lines.append(
            f"spread of the reward {format_number(groups.spread)} within a group, "
            f"{format_number(groups.between)} between"
        )
    if groups.no_spread is not None and groups.all_right is not None and groups.all_wrong is not None:
        mixed = groups.no_spread - groups.all_right - groups.all_wrong
        kinds = [f"{_format_percent(groups.all_right)} all right", f"{_format_percent(groups.all_wrong)} all wrong"]
        kinds += [f"{_format_percent(mixed)} right and wrong alike"] if mixed > 0.005 else []
        lines.append(f"no spread in {_format_percent(groups.no_spread)} of groups: {', '.join(kinds)}")
    lines.append(f"order: {', '.join(_describe_order(groups))}")
    return lines


def _describe_order(groups: SampleGroups) -> Iterable[str]:
    yield f"rows stand together in {_format_percent(groups.adjacent)} of groups"
    if groups.one_prompt is not None:
        yield f"share one prompt in {_format_percent(groups.one_prompt)}"
    if groups.steps_back is not None:
        yield (
            f"the training step goes back {count_noun(groups.steps_back, 'time')}"
            if groups.steps_back
            else "steps in order"
        )


def _format_percent(share: float) -> str:
    """A share in whole percent; what is not quite all or nothing is not called so."""
    if 0 < share < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 < share < 1 else f"{100 * share:.0f} %"


def describe_peak(found: OutcomePeak) -> str:
    """Where what is paid parted from what is good, in one sentence."""
    there = f"{found.outcome} is best at step {format_step(found.step)}: {format_number(found.outcome_there)}"
    end = f"at the end {found.outcome} is {format_number(found.outcome_at_end)}"
    paid = f"at a reward of {format_number(found.reward_at_end)}"
    return f"{there}, at a reward of {format_number(found.reward_there)}; {end}, {paid}."


def describe_parting(found: TrajectoryParting) -> str:
    """Where the trajectories of one task part, in one sentence."""
    shared = " → ".join(found.shared) if found.shared else ""
    after = f"after {shared}, " if shared else "at once, "
    good = f"{found.successes:,} that succeed go on with {found.successful}"
    bad = f"{found.failures:,} that fail with {found.failed}"
    return f"{after}{good}, {bad}"


def describe_task(found: TrajectoryParting) -> str:
    """What the trajectories that part are about, in a few words."""
    return shorten(" ".join(found.task.split()), 60)


def describe_trial(check: VerifierCheck) -> str:
    """How a verifier was tried, in one sentence."""
    kinds = f" ({', '.join(check.domains)})" if check.domains else ""
    told = f"tells right from wrong in {check.apart:,} of {count_noun(check.asked, 'case')}{kinds}"
    steady = f", {count_noun(len(check.unsteady), 'answer')} with two scores" if check.unsteady else ""
    ended = "; the time was up before all was tried" if check.stopped else ""
    return f"{told}; {count_noun(check.calls, 'call')} in {check.seconds:.0f} s, called as {check.style}{steady}{ended}"


def list_notable(family: str, kinds: Iterable[AttemptSummary]) -> tuple[list[AttemptSummary], str]:
    """The kinds of answers that were not paid as they should be, and a sentence on the others."""
    of_family = [one for one in kinds if one.family == family]
    odd = [one for one in of_family if one.failed or not _is_paid_right(one)]
    rest = len(of_family) - len(odd)
    got = "paid in full" if family == FORM else "not paid"
    kinds_left = count_noun(rest, "other kind" if odd else "kind")
    return odd, f"{kinds_left}: {got}" if rest else ""


def _is_paid_right(one: AttemptSummary) -> bool:
    if one.lowest is None or one.highest is None:
        return False
    return one.lowest >= 0.995 if one.family == FORM else one.highest < 0.005


def make_trial_cells(one: AttemptSummary) -> tuple[str, ...]:
    """One row of what a verifier paid: a plain wrong answer gets 0 %, the plain right one 100 %."""
    ends = ("" if share is None else f"{100 * share:.0f} %" for share in (one.lowest, one.highest))
    return (one.kind, f"{one.attempts:,}", *ends, f"{one.failed:,}" if one.failed else "")


def list_remarks(audited: Audited) -> list[str]:
    """What could not be read, and what was not used."""
    samples = audited.samples
    if samples is None:
        return []
    lines = []
    if samples.faults:
        count = max(audited.faulty, len(samples.faults))
        whole = samples.rows + audited.faulty
        named = samples.faults[:MOST_FAULTS]
        left = f" (the first {len(named)})" if count > len(named) else ""
        lines.append(f"{count_noun(count, 'fault')} in {count_noun(whole, 'row')}{left}: {'; '.join(named)}.")
    if samples.unknown:
        more = f" and {len(samples.unknown) - MOST_FIELDS} more" if len(samples.unknown) > MOST_FIELDS else ""
        lines.append(f"fields not used: {', '.join(samples.unknown[:MOST_FIELDS])}{more}.")
    return lines
