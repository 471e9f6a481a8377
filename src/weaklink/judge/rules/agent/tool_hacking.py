from __future__ import annotations

from weaklink.base.evidence.performance import measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._course import FEWEST, find_rise, list_outcomes
from weaklink.judge.rules._draws import FEWEST_ROWS, select_complete
from weaklink.judge.rules._samples import SURE, SampleSplit, find_onset, split
from weaklink.judge.rules._trajectories import defer_to_samples, measure_gain, measure_shift
from weaklink.judge.rules._within import ScoreEffect, measure_effect
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "AGT301",
    link=Link.REWARD,
    level=Level.WARN,
    on=Run,
    needs=("action.tool_calls",),
    leads_to=("AGT303", "AGT305", "LLM302", "LLM309", "REW305"),
    samples=("tool_calls",),
)
def tool_hacking(
    seen: Run | Samples,
    *,
    factor: float = 1.5,
    least: float = 0.5,
    top: float = 0.95,
    repeats: float = 0.2,
    strength: float = 0.3,
) -> Answer:
    """The agent calls its tools more and more without more success.

    ## What it sees
    Tool calls per trajectory rise for good, to 1.5 times their start and by at least half a call, while no measure of
    success rises. Where success is at its ceiling already, it is information.

    In samples the first and the last trajectories are compared in the same way, at equal tasks or difficulties as far
    as they are known; or calls that repeat an earlier one without new information become a fifth of all calls. Where
    rewards are logged, they must correlate with the calls among trajectories of the same task and outcome: calls
    without reward are `cost-drift`. Without training steps, a fifth of the calls must be repeats and their correlation
    with the reward must be 0.3.

    ## Why it is bad
    Calls are easy to make and easy to reward. An agent with a process reward repeats calls that change nothing, and
    every trajectory costs more time and money.

    ## What to do
    1. Read trajectories with many calls: are they repeats of one call with the same arguments?
    2. Reward the final state, not intermediate steps; reward a call only the first time.
    3. Add a small penalty for each call, or a limit.

    ## How to prove it
    Remove the reward for calls in a short run: success must not fall.

    ## When it is wrong
    An agent that first learns to use a tool calls it more often, and success follows later. Polling a tool until its
    answer changes, or a retry after a failure, does not count as repeated; where results are not logged that cannot be
    seen. Rewards for parts of a task rightly correlate with calls: log the parts as `gold`.

    ## References
    Reinforcement Learning Training Debug Guide, on agents; torchforge issue #301.
    """
    if isinstance(seen, Samples):
        return _in_samples(seen, factor=factor, least=least, repeats=repeats, strength=strength)
    return _in_curves(seen, factor=factor, least=least, top=top)


def _in_curves(run: Run, *, factor: float, least: float, top: float) -> Answer:
    calls = run["action.tool_calls"]
    if (made := defer_to_samples(calls)) is not None:
        return made
    if len(calls) < FEWEST:
        return CannotTell((calls.name,), f"fewer than {FEWEST} points")
    rise = find_rise(calls, factor=factor, least=least)
    if rise is None:
        return None
    courses = list_outcomes(run)
    if "evaluation.return" in run and (held_out := measure_course(run["evaluation.return"])) is not None:
        courses.append(held_out)
    if any(course.improved for course in courses):
        return None
    if not courses:
        return CannotTell(("task.success_rate or evaluation.score",), "no success is logged to compare with")
    step = float(calls.steps[rise.onset])
    course = courses[0]
    paid = run.get("reward.mean", "reward.episode_return")
    rewarded = paid is not None and (reward := measure_course(paid)) is not None and reward.improved
    return Finding(
        message=f"The number of tool calls rose from {rise.start:.1f} to {rise.end:.1f} a trajectory from step "
        f"{step:,.0f} on, while {course.metric} went from {course.start:.3g} to {course.final:.3g}.",
        onset=step,
        onset_within=calls.interval,
        level=Level.INFO if top <= course.final <= 1.0 else Level.WARN,
        confidence=HIGH if rewarded or course.declined else MEDIUM,
        evidence=(
            Evidence(metric=calls.name, value=rise.end, limit=factor * rise.start, step=calls.last_step),
            Evidence(metric=course.metric, value=course.final, limit=course.start),
        ),
    )


def _in_samples(samples: Samples, *, factor: float, least: float, repeats: float, strength: float) -> Answer:
    rows = select_complete(samples, "tool_calls")
    if len(rows) < 2 * FEWEST_ROWS:
        return CannotTell(("tool_calls",), f"fewer than {2 * FEWEST_ROWS} trajectories")
    if rows.outcome is None:
        return CannotTell(("gold or success or expected_state",), "no outcome says whether more calls helped")
    parts = split(rows, "tool_calls")
    answers = [
        _more_calls(rows, parts, name, strength)
        for name in ("repeated_calls", "tool_calls")
        if parts is not None and _risen(parts, name, factor=factor, least=least, repeats=repeats)
    ]
    answers.append(_paid_repeats(rows, repeats=repeats, strength=strength))
    found = next((answer for answer in answers if isinstance(answer, Finding)), None)
    return found or next((answer for answer in answers if answer is not None), None)


def _risen(parts: SampleSplit, name: str, *, factor: float, least: float, repeats: float) -> bool:
    shift = measure_shift(parts, name) if name in parts.before else None
    if shift is None or not shift.rose or shift.after < factor * shift.before or shift.change < least:
        return False
    calls = measure_shift(parts, "tool_calls")
    return name == "tool_calls" or (calls is not None and shift.after >= repeats * calls.after)


def _more_calls(rows: Samples, parts: SampleSplit, name: str, strength: float) -> Answer:
    """Calls clearly rose: are they rewarded, and did they help?"""
    gain, shift = measure_gain(parts), measure_shift(parts, name)
    payment = measure_effect(rows, "reward", rows[name], rows.outcome) if "reward" in rows else None
    bought = payment is not None and payment.bought(strength, SURE)
    if gain is None or shift is None or gain.never or (gain.better is None and not bought):
        return CannotTell((rows.outcome or "gold",), "too few trajectories say whether more calls helped")
    if gain.better or (payment is not None and (payment.strength <= 0 or payment.z < SURE)):
        return None
    word = "The number of tool calls" if name == "tool_calls" else "Calls that repeat an earlier one"
    return Finding(
        message=f"{word} rose from {shift.before:.1f} a trajectory {parts.where} to {shift.after:.1f}, while "
        f"{gain.told}{_describe_payment(payment)}.",
        onset=find_onset(rows, name, shift),
        level=Level.INFO if gain.at_top else Level.WARN,
        confidence=HIGH if payment is not None or gain.declined else MEDIUM,
        evidence=(
            Evidence(metric=name, value=shift.after, limit=shift.before),
            Evidence(metric=gain.name, value=gain.shift.after, limit=gain.shift.before),
        ),
    )


def _describe_payment(payment: ScoreEffect | None) -> str:
    return (
        ""
        if payment is None
        else f", and the reward correlates with them at equal outcome (r = {payment.strength:.2f})"
    )


def _paid_repeats(rows: Samples, *, repeats: float, strength: float) -> Answer:
    """Whether repeats are rewarded, at equal outcome and number of other calls."""
    if "repeated_calls" not in rows or "reward" not in rows:
        return None
    again, calls = rows["repeated_calls"], rows["tool_calls"]
    share = float(again.sum() / max(calls.sum(), 1.0))
    if not share >= repeats:
        return None
    payment = measure_effect(rows, "reward", again, rows.outcome, (calls - again,))
    if payment is None or payment.strength < strength or payment.z < SURE:
        return None
    return Finding(
        message=f"{share:.0%} of the tool calls repeat an earlier one without new information (limit {repeats:.0%})"
        f"{_describe_payment(payment)}.",
        confidence=HIGH,
        evidence=(
            Evidence(metric="repeated_calls", value=share, limit=repeats),
            Evidence(metric="reward", value=payment.strength, limit=strength),
        ),
    )
