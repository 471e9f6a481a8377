from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from weaklink.base.evidence.recovered import RecoveredValues
from weaklink.base.evidence.rollout import Estimates, Rollout
from weaklink.base.reference.advantages import GAE_VARIANTS
from weaklink.base.reference.discounting import RETURN_VARIANTS, Array, discounted_returns
from weaklink.judge.rules._words import tell_apart
from weaklink.judge.rules.returns._agreement import (
    ROWS_OFF,
    TOO_LARGE,
    UNKNOWN,
    ComparedNumbers,
    compare,
    describe_mistakes,
    find_reproducing,
    list_cures,
    read_numbers,
)
from weaklink.judge.rules.returns._one_step import judge_targets
from weaklink.judge.rules.returns._trajectory import Trajectory, read_trajectory
from weaklink.judge.rules.writing import HIGH, LOW, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# tried where lambda is not known: the defaults and tuned values of common libraries
USUAL_LAMBDAS = (0.95, 0.9, 0.97, 0.98, 0.99, 0.8, 0.0)


# the share of rows below which an unknown deviation may be a way of its own to treat some of them
FEW = 0.1

# what a next value may be made of
RIGHT_SOURCES = ("max", "double", "min", "single", "mean")
AVERAGES = "expected "  # how next values begin that are averages under a policy

# mistakes that targets show and that are made elsewhere
LINKS = {
    "advantage not detached in the policy's loss": Link.POLICY,
    "target moves along with the critic": Link.VALUE,
    "target is the old value": Link.VALUE,
    "values cut off below zero": Link.VALUE,
    "no probability at ends": Link.VALUE,
    "all of it given to the lower atom": Link.VALUE,
    "softmax applied twice": Link.VALUE,
    "sign of the reward flipped": Link.REWARD,
    "reward left out": Link.REWARD,
    "result shifted by one": Link.DATA,
    "environment and time axes mixed up in a reshape": Link.DATA,
    "fields of another environment": Link.DATA,
}


OWN_WORDS = {
    "values cut off below zero": "The loss asks nothing of any value below zero at {head}, and something of all "
    "others, although rewards are negative: an activation behind the critic cuts its values off below zero.",
    "no probability at ends": "The loss at {head} asks nothing of any step with which an episode ends, and something "
    "of all others: the target distributions hold no probability there, as where a projection drops what falls on an "
    "atom.",
    "all of it given to the lower atom": "The target distributions at {head} are put back onto the atoms by rounding "
    "down: of what lies between two atoms the lower one gets all, so that every target is too low.",
    "softmax applied twice": "The loss at {head} takes probabilities for logits: a softmax is applied twice, so that "
    "no distribution can become much narrower than an even one.",
}


@rule(
    "RET202",
    link=Link.RETURNS,
    level=Level.ERROR,
    on=Rollout,
    needs=(("estimates", "targets", "recovered"),),
    leads_to=(
        "VAL202", "VAL301", "VAL302", "VAL303", "VAL304", "VAL305", "VAL306", "VAL307", "RET301", "RET302", "OPT301",
        "POL301", "POL302", "EXP301", "EXP303", "REW301", "REW302", "REW303", "REW304",
    ),
)  # fmt: skip
def return_mismatch(rollout: Rollout) -> Answer:
    """The critic is trained on targets that do not follow from the stored rewards.

    ## What it sees
    The critic's targets are recomputed: advantage plus value, or the discounted sum of rewards, or for a replayed batch
    the reward plus the discounted next value. Where none of these gives the targets used, every known mistake is tried.
    The one that reproduces them is named, with one row to check by hand.

    ## Why it is bad
    A critic fits whatever targets it gets. If they ignore episode ends, or use another discount, it converges silently
    to the values of another problem, and the policy follows them.

    ## What to do
    1. With advantages: returns are advantages plus values, before any normalisation.
    2. With replay: the target is reward + gamma x (1 - terminated) x next value, where the next value comes from the
       target network.
    3. Check the function itself: `weaklink probe --kernels my_module.py` compares it with the right answer.

    ## How to prove it
    Compute the row given in the message by hand.

    ## When it is wrong
    Normalised targets are not reported. An estimator that weaklink does not know is reported as a warning of low
    confidence, and as information where it was read off gradients and less than a tenth of the rows is off. Time limits
    treated as terminations are harmless in tasks that rarely reach them.

    ## References
    Sutton and Barto, Reinforcement learning (2018), chapters 6 and 12; Pardo et al., Time limits in reinforcement
    learning (2018); Nikanjam et al., Faults in deep reinforcement learning programs (2022).
    """
    answers: list[Answer] = []
    if rollout.targets is not None:
        answers.append(judge_targets(rollout.targets))
    if rollout.estimates is not None and (rollout.estimates.returns is not None or not answers):
        answers.append(_judge_estimates(rollout.estimates))
    if rollout.recovered is not None and not answers:
        answers += [_judge_source(each) for each in rollout.recovered.values if each.source]
    if not answers:
        return CannotTell(("targets",), "no targets could be read off the update")
    findings = [_doubt_few(each, rollout) for each in answers if isinstance(each, Finding)]
    if findings:
        return findings[0] if len(findings) == 1 else tuple(findings)
    return None if None in answers else answers[0]


def _doubt_few(finding: Finding, rollout: Rollout) -> Finding:
    """The finding, as information where targets that were read off gradients are off in a few rows for no known reason.

    These may be rows that a right trainer treats in a way of its own; what is handed over is what it is.
    """
    off = next((each.value for each in finding.evidence if each.metric == ROWS_OFF), 1.0)
    if rollout.recovered is None or UNKNOWN not in finding.message or off >= FEW:
        return finding
    return msgspec.structs.replace(finding, level=Level.INFO)


def _judge_source(part: RecoveredValues) -> Answer:
    """Targets whose next value fits an answer of a network that it must not be made of."""
    name = part.source.partition(" (")[0]
    if name in RIGHT_SOURCES or name.startswith(AVERAGES):
        return None
    rate = "" if part.gamma is None else f", with gamma {part.gamma:.4g}"
    told = (
        f"The targets at {part.head} match a known mistake ({name}){rate}; it leaves {part.unexplained or 0.0:.1g} of "
        "the spread of the targets."
    )
    return Finding(
        message=OWN_WORDS[name].format(head=part.head) if name in OWN_WORDS else told,
        link=LINKS.get(name, Link.RETURNS),
        confidence=HIGH,
        fix=list_cures([name]),
        evidence=(Evidence(metric="unexplained", value=part.unexplained or 0.0, limit=0.0),),
    )


def _judge_estimates(estimates: Estimates) -> Answer:
    if estimates.returns is None:
        return CannotTell(("returns",), "no returns were recorded")
    steps = read_trajectory(estimates)
    if isinstance(steps, CannotTell):
        return None if _is_sum_of_parts(estimates) else steps
    used = steps.cut(estimates.returns)
    if used is None or not np.isfinite(used).all() or float(np.abs(used).max()) > TOO_LARGE:
        return CannotTell(("returns",), "they have another shape, or are not finite")
    return _judge_returns(steps, used, estimates)


def _judge_returns(steps: Trajectory, used: Array, estimates: Estimates) -> Answer:
    lam = 1.0 if estimates.lam is None else float(estimates.lam)
    right = steps.advantages(lam) + steps.values
    beside = compare(used, right, steps.counted, steps.magnitude, steps.horizon(lam))
    advantages = None if estimates.advantages is None else steps.cut(estimates.advantages)
    if any(_agrees(beside, made) for made in _list_right_targets(steps, estimates, advantages)):
        return None
    names = _find_mistakes(steps, lam, beside, advantages)
    if names:
        level = Level.WARN if names[0] == "truncation treated as termination" else Level.ERROR
        words = describe_mistakes(names, int(steps.counted.sum()))
        link = LINKS.get(names[0])
        return _describe(words, steps, beside, right, HIGH, level, list_cures(names[:2]), link)
    if estimates.lam is None:
        return CannotTell(("lam",), "no usual lambda gives these returns")
    return _describe(UNKNOWN, steps, beside, right, LOW, Level.WARN, ())


def _is_sum_of_parts(estimates: Estimates) -> bool:
    """Whether returns are advantages plus values, which needs neither done flags nor a discount."""
    given = (estimates.returns, estimates.advantages, estimates.values)
    parts = [part.ravel() for part in map(read_numbers, given) if part is not None]
    if len(parts) < len(given) or estimates.normalised or len({part.size for part in parts}) > 1:
        return False
    returns, advantages, values = parts
    fine = bool(returns.size) and all(bool(np.isfinite(part).all()) for part in parts)
    return fine and bool(np.allclose(returns, advantages + values, rtol=1e-4, atol=1e-6))


def _agrees(beside: ComparedNumbers, expected: Array) -> bool:
    """Whether the returns are as expected, or were normalised on purpose: the same up to a positive scale."""
    if beside.matches(expected):
        return True
    line = beside.fit_line(expected)
    return line is not None and line[0] > 0.0


def _list_right_targets(steps: Trajectory, estimates: Estimates, advantages: Array | None) -> Iterator[Array]:
    """All the targets that are right for a critic."""
    if advantages is not None and not estimates.normalised and np.isfinite(advantages).all():
        yield advantages + steps.values
    lambdas = USUAL_LAMBDAS if estimates.lam is None else (float(estimates.lam),)
    for each in steps.list_readings():
        for lam in (*lambdas, 1.0):
            yield each.advantages(lam) + each.values
        yield _sum_rewards(each)


def _are_standardised(used: Array) -> bool:
    """Whether returns were given a mean of 0 and a spread of 1, so that mistakes show up to a scale and an offset."""
    return bool(used.size) and abs(float(used.mean())) < 0.01 and abs(float(used.std()) - 1.0) < 0.01


def _sum_rewards(steps: Trajectory) -> Array:
    rest = () if steps.final_values is None else (steps.final_values,)
    return discounted_returns(steps.rewards, steps.terminated, steps.truncated, steps.last_value, steps.gamma, *rest)


def _find_mistakes(steps: Trajectory, lam: float, beside: ComparedNumbers, advantages: Array | None) -> list[str]:
    if advantages is not None and beside.matches(advantages):
        return ["value target = advantage"]
    if beside.matches(steps.values):
        return ["target is the old value"]

    standardised = _are_standardised(beside.used[beside.counted])

    def fits(made: Array) -> bool:
        if beside.matches(np.where(np.isfinite(made), made, np.inf)):
            return True
        line = beside.fit_line(made) if standardised and np.isfinite(made).all() else None
        return line is not None and line[0] > 0.0

    inputs = (steps.rewards, steps.terminated, steps.truncated, steps.last_value, steps.gamma)
    names = find_reproducing(RETURN_VARIANTS, inputs, fits)
    but = ("result shifted by one", "value not subtracted")
    return names or find_reproducing(GAE_VARIANTS, steps.inputs(lam), lambda made: fits(made + steps.values), but=but)


def _describe(
    words: str,
    steps: Trajectory,
    beside: ComparedNumbers,
    right: Array,
    sure: float,
    level: Level,
    fix: tuple[str, ...],
    link: Link | None = None,
) -> Finding:
    gaps = np.where(steps.counted, np.abs(beside.used - right), -1.0)
    place = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
    share = float(beside.find_off(right).sum()) / max(1, int(steps.counted.sum()))
    made, wanted = tell_apart(float(beside.used[place]), float(right[place]))
    return Finding(
        message=f"The returns {words}: at {steps.name_place(place)} (reward {steps.rewards[place]:.4g}, value "
        f"{steps.values[place]:.4g}) the trainer used {made}, but gamma {steps.gamma:g} gives {wanted}.",
        link=link,
        level=level,
        confidence=sure,
        fix=fix,
        evidence=(
            Evidence(metric="return", value=float(beside.used[place]), limit=float(right[place])),
            Evidence(metric=ROWS_OFF, value=share, limit=0.0),
        ),
    )
