"""Why actions are wrong: what a policy that is not explored, not updated or not looked at would do."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import mean, median

from weaklink.base.evidence.outcome import RIGHT, WRONG, Outcome, Rung, Trial
from weaklink.base.finding import HIGH, MEDIUM
from weaklink.base.loop import Link
from weaklink.judge.rules.probe._cause import MATCHING, NEAR, Cause, known, measured, missed, typical

ONLY_ONE, SURELY, HARDLY = 0.97, 0.85, 0.15
CLEARLY = 0.4
LEAST_SPREAD = 0.02
CHOOSING, SMALL, UNTOLD = "two-actions", "SmallRewards", 0.05
STUCK, STILL = 0.12, 0.04
NO_ACCIDENT = 6
"""So many answers that all agree are none, where each could as well have been another."""


def handed_over(outcome: Outcome, trials: list[Trial]) -> Cause | None:
    """It did right in training, but the agent that was handed over clearly does not."""
    shares, distances = missed(trials, "action"), missed(trials, "distance")
    wrong = [1.0 - measure.measured for measure in shares] + [measure.measured for measure in distances]
    late = known(trial.behaviour.late for trial in trials)
    if not wrong or max(wrong) < CLEARLY or not late or min(late) < SURELY:
        return None
    drawn = [measure.measured for measure in measured(trials, "drawn")]
    surely = bool(drawn) and max(drawn) <= HARDLY
    if surely and _answers(outcome, lambda share: share <= HARDLY) >= NO_ACCIDENT:
        return Cause(
            Link.ACTION,
            "right actions arrive in the environment, but the agent always names another one",
            "what happens to an action between the policy and `step`: an index shifted, a sign, a wrong table",
            MEDIUM,
        )
    return _another_agent(min(late))


def never_handed_over(outcome: Outcome) -> Cause | None:
    """Where two actions were told apart in training, the agent that was handed over draws them like one that was not.

    Its values say the same: they stay where they began.
    """
    trials = [trial for rung in outcome.of(CHOOSING) for trial in rung.final if not trial.failure]
    late = known(trial.behaviour.late for trial in trials)
    shares = measured(trials, "drawn") or measured(trials, "action")
    if not late or not shares or min(late) < SURELY:
        return None
    if mean(measure.measured for measure in shares) > min(late) - CLEARLY / 2:
        return None
    return _another_agent(min(late))


def _another_agent(late: float) -> Cause:
    return Cause(
        Link.EVALUATION,
        f"{late:.0%} of its actions in training were right, but the agent that was handed over does others",
        "what differs between collecting and evaluating: weights that were not copied, a normaliser without its "
        "statistics, another mode, a wrong deterministic branch",
        HIGH,
    )


def _answers(outcome: Outcome, agrees: Callable[[float], bool]) -> int:
    """How many answers there are about actions on rungs that fail; none where one of them does not agree."""
    failed = [trial for rung in outcome.rungs if rung.verdict == WRONG for trial in rung.failed]
    shares = [measure.measured for measure in measured(failed, "action")]
    return len(shares) if all(map(agrees, shares)) else 0


def wrong_choices(outcome: Outcome, rung: Rung, trials: list[Trial]) -> Cause | None:
    """What the share of right actions says."""
    if not missed(trials, "action", "behaviour"):
        return None
    return (
        _not_its_best(trials)
        or _all_alike(trials)
        or _untried(rung)
        or _sure_too_soon(outcome, rung, trials)
        or _flattened(outcome, trials)
        or (_too_soon(outcome, rung) if _cleared(outcome, rung) else _broken_update(rung, trials))
    )


def _not_its_best(trials: list[Trial]) -> Cause | None:
    """Where it acts wrongly, the action that its own values prefer is right."""
    preferred = [
        own.measured
        for trial in trials
        for own in measured([trial], "preferred")
        for miss in missed([trial], "action")
        if own.where == miss.where and miss.measured <= HARDLY
    ]
    if not preferred or min(preferred) < SURELY:
        return None
    return Cause(
        Link.ACTION,
        "its own action values prefer the right action, and it takes another",
        "how an action is made of the values: the place of the largest and not the largest itself, along the axis of "
        "the actions, and the table from that place to what the environment takes",
        HIGH,
    )


def _all_alike(trials: list[Trial]) -> Cause | None:
    """Its values do not tell one action from another."""
    apart = measured(trials, "apart")
    if not apart or any(measure.measured >= UNTOLD * measure.right for measure in apart):
        return None
    return Cause(
        Link.VALUE,
        "the values of all actions are the same",
        "which of the action values the loss moves: that of the action that was taken, picked by its index, and no "
        "other; and along which axis it is picked",
        HIGH,
    )


def _untried(rung: Rung) -> Cause | None:
    """One action only, from the beginning of even the shortest training."""
    first = known(trial.behaviour.first_choice for trial in rung.trials)
    spread = known(trial.behaviour.spread for trial in rung.trials)
    if not (first and min(first) >= ONLY_ONE) and not (spread and max(spread) < LEAST_SPREAD):
        return None
    return Cause(
        Link.EXPLORATION,
        "from its first steps on it tries hardly anything but one action",
        "how actions are drawn while collecting: a sample of the policy with some spread, or an epsilon that starts "
        "near 1",
        HIGH,
    )


def _sure_too_soon(outcome: Outcome, rung: Rung, trials: list[Trial]) -> Cause | None:
    """With small rewards it draws the wrong action and no other, where the same task with larger ones is right."""
    wrong = {(trial.seed, miss.where) for trial in trials for miss in missed([trial], "action")}
    drawn = [own.measured for trial in trials for own in measured([trial], "drawn") if (trial.seed, own.where) in wrong]
    larger = any(other.verdict == RIGHT for other in outcome.of(MATCHING))
    if not rung.problem.startswith(SMALL) or not larger or not drawn or max(drawn) > HARDLY:
        return None
    return Cause(
        Link.EXPLORATION,
        "it is sure of an action before it has learned which one pays, which larger rewards hide",
        "the sign and the weight of the entropy bonus, and whatever else draws the policy together beside the rewards",
        MEDIUM,
    )


def _flattened(outcome: Outcome, trials: list[Trial]) -> Cause | None:
    """The most likely action is right, but it is drawn too seldom."""
    shares = [measure.measured for measure in measured(trials, "action")]
    late = missed(trials, "behaviour")
    if not shares or not late or min(shares) < 0.9:
        return None
    if max(measure.measured - measure.mistakes.get("chance", 0.5) for measure in late) < STUCK:
        return _undecided(outcome)
    return Cause(
        Link.POLICY,
        f"it knows the right action but takes it in only {median(m.measured for m in late):.0%} of the steps",
        "what goes into the distribution: probabilities where logits belong flatten it; too large an entropy bonus",
        MEDIUM,
    )


def _undecided(outcome: Outcome) -> Cause | None:
    """Every seed knows the right action in every state, which is no accident, and still it is drawn like any other."""
    if _answers(outcome, lambda share: share >= 0.9) < NO_ACCIDENT:
        return None
    return Cause(
        Link.EXPLORATION,
        "it knows the right action but goes on drawing at random",
        "the weight and the sign of the entropy bonus, and an epsilon or noise that does not fall",
        MEDIUM,
    )


def _cleared(outcome: Outcome, rung: Rung) -> bool:
    """Whether another rung with the same kind of actions holds, so that the policy is updated, and the right way."""
    return any(
        other.verdict == RIGHT and _continuous(other) == _continuous(rung)
        for other in outcome.rungs
        if other is not rung and measured(other.final, "action", "behaviour", "distance")
    )


def _too_soon(outcome: Outcome, rung: Rung) -> Cause | None:
    """Every seed is sure of the wrong one of two actions, though matching them holds, which needs all of that."""
    late = known(trial.behaviour.late for trial in rung.final)
    matching = [other for other in outcome.of(MATCHING) if other.verdict == RIGHT]
    if rung.name != CHOOSING or not late or max(late) > HARDLY or not matching:
        return None
    return Cause(
        Link.OPTIMIZER,
        f"it is sure of the wrong action before it has tried the right one often enough, while {MATCHING}, which needs "
        f"more, holds: its first updates are too large",
        "the learning rate, the number of updates on the same rows, the clip of the ratio, and an entropy bonus that "
        "is missing or has the wrong sign",
        MEDIUM,
    )


def _continuous(rung: Rung) -> bool:
    return any(trial.behaviour.spread is not None for trial in rung.final)


def _broken_update(rung: Rung, trials: list[Trial]) -> Cause | None:
    """Nothing yet shows that the policy is updated at all: is it turned round, at rest, or moved by chance?"""
    every = [trial for trial in rung.final if not trial.failure]
    late, early = (known(getattr(trial.behaviour, part) for trial in every) for part in ("late", "early"))
    shares = [measure.measured for measure in measured(every, "action")]
    if max(shares, default=0.0) <= 0.1 and max(late, default=0.0) <= 2 * HARDLY and (shares or late):
        return Cause(
            Link.POLICY,
            "it learns to do the worst thing, and surely",
            "the sign of the policy loss, of the advantage, or of the reward on its way to them",
            HIGH,
        )
    if not late or len(early) != len(late):
        return None
    moved = max(abs(after - before) for after, before in zip(late, early, strict=True))
    if moved < STILL and _in_between(late):
        return Cause(
            Link.OPTIMIZER,
            "the policy stays as it was drawn",
            "which parameters the policy's optimizer holds, whether a gradient reaches them, and the learning rate",
            MEDIUM,
        )
    if moved < 2 * STUCK and _in_between(late):
        return Cause(
            Link.POLICY,
            "the policy moves, but not by what its actions earn",
            "which log-probability the loss uses (that of the stored action), the advantage in it, and whether each "
            "action keeps its own on its way into a batch",
            MEDIUM,
        )
    if min(late) <= HARDLY and max(late) >= SURELY:
        return Cause(
            Link.POLICY,
            "it settles on one action, but on another with each seed: it is not moved by what its actions earn",
            "the advantage in the policy's loss, and whether each action keeps its own on its way into a batch (one "
            "index for all of a row)",
            MEDIUM,
        )
    return None


def _in_between(shares: list[float]) -> bool:
    return min(shares) > HARDLY and max(shares) < SURELY


def same_everywhere(trials: list[Trial], otherwise: Cause) -> Cause | None:
    """Right in one state and wrong in another, on rungs where each state has a right action of its own."""
    by_trial = [[measure.measured for measure in measured([trial], "action")] for trial in trials]
    if otherwise.link not in (Link.DATA, Link.OBSERVATION):
        return None
    if not all(shares and max(shares) >= 0.9 and min(shares) <= 0.1 for shares in by_trial):
        return None
    if _sees(trials):
        return Cause(
            Link.VALUE,
            "its action values tell apart what is seen, but not which action pays there",
            "which of the action values the loss moves: that of the action that was taken, not the largest one",
            MEDIUM,
        )
    return Cause(otherwise.link, "it does the same whatever it sees", otherwise.look, MEDIUM)


def _sees(trials: list[Trial]) -> bool:
    """Whether the best action value differs clearly from state to state, with every seed that acts by such values."""
    values = [[measure.measured for measure in measured([trial], "value")] for trial in trials]
    return bool(measured(trials, "preferred")) and all(max(each) - min(each) > CLEARLY for each in values if each)


def wrong_distances(trials: list[Trial]) -> Cause | None:
    """Continuous actions: what they would be without scaling, without looking, or with a sign turned."""
    if not missed(trials, "distance"):
        return None
    spread = known(trial.behaviour.spread for trial in trials)
    if spread and max(spread) < LEAST_SPREAD:
        return Cause(
            Link.EXPLORATION,
            "it hardly varies its actions while it is trained",
            "whether actions are drawn while collecting, and how wide",
            HIGH,
        )
    measures = typical(measured(trials, "distance"))
    for name, (link, told, look) in _CONTINUOUS.items():
        if all(abs(measure.measured - measure.mistakes.get(name, math.inf)) <= NEAR for measure in measures):
            return Cause(link, told, look, MEDIUM)
    if min(trial.behaviour.beyond for trial in trials) > 0.8:
        return Cause(
            Link.ACTION,
            "almost every action lies on or beyond the bounds",
            "the log-probability of actions that were clipped or squashed, the sign of the actor's loss, and the scale",
            MEDIUM,
        )
    return None


_CONTINUOUS = {
    "not scaled": (
        Link.ACTION,
        "its actions stay within -1 and 1 whatever the bounds are",
        "where the actor's output is brought to the bounds of the action space",
    ),
    "the middle": (
        Link.POLICY,
        "it takes the middle of the range whatever it sees",
        "the gradient of the actor's loss, and the log-probability that it is made of",
    ),
    "the opposite": (
        Link.POLICY,
        "it goes away from the target",
        "the sign of the actor's loss or of the advantage",
    ),
}
