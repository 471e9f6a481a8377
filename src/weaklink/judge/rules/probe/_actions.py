"""Why discrete actions are wrong: what a policy that does not explore, is not updated or sees nothing would do."""

from __future__ import annotations

from statistics import median

from weaklink.base.evidence.outcome import RIGHT, Outcome, Rung, RungTrial
from weaklink.judge.rules.probe._cause import (
    MATCHING,
    BrokenRung,
    Cause,
    Hypothesis,
    explain,
    known,
    measured,
    missed,
)
from weaklink.judge.rules.probe._handover import CHOOSING, CLEARLY, HARDLY, NO_ACCIDENT, SURELY, count_answers
from weaklink.judge.rules.probe._proven import are_weights_right
from weaklink.judge.rules.writing import HIGH, MEDIUM, Link

ONLY_ONE = 0.97
"""One action takes this share of the first steps: a uniform policy over two actions is at about 0.5."""

KNOWS, NEVER = 0.9, 0.1
"""The share of right answers that every rung asks of a trained agent, and that of one which does the opposite."""

LEAST_SPREAD = 0.02
"""Of the range of continuous actions: with less, the first actions are practically one action."""

SMALL = "SmallRewards"
"""The form of reward-scale that pays 0.01."""

UNTOLD = 0.05
"""Action values that differ by less than this share of the right difference are equal."""

STUCK, STILL = 0.12, 0.04
"""A share of right actions that moved by less has not left chance; one that moved by the second did not move."""


def explain_choices(broken: BrokenRung) -> Cause | None:
    """What the share of right actions says."""
    if not broken.missed("action", "behaviour"):
        return None
    update = _UPDATE_WORKS if _is_update_cleared(broken) else _UPDATE_IN_DOUBT
    return explain(broken, _CHOICES) or explain(broken, update)


def explain_same_action(trials: list[RungTrial], otherwise: Cause) -> Cause | None:
    """Right in one state and wrong in another, on rungs where each state has a different right action."""
    by_trial = [[measure.measured for measure in measured([trial], "action")] for trial in trials]
    if otherwise.link not in (Link.DATA, Link.OBSERVATION):
        return None
    if not all(shares and max(shares) >= KNOWS and min(shares) <= NEVER for shares in by_trial):
        return None
    if _values_differ(trials):
        return Cause(
            Link.VALUE,
            "its action values depend on the observation, but do not rank the actions there",
            "which of the action values the loss updates: that of the action taken, not the largest one",
            MEDIUM,
        )
    return Cause(otherwise.link, "it takes the same action whatever it observes", otherwise.look, MEDIUM)


def _values_differ(trials: list[RungTrial]) -> bool:
    """Whether the best action value differs clearly between states, for every seed that acts by such values."""
    values = [[measure.measured for measure in measured([trial], "value")] for trial in trials]
    return bool(measured(trials, "preferred")) and all(max(each) - min(each) > CLEARLY for each in values if each)


def _prefers_right_action(broken: BrokenRung) -> bool:
    """Where it acts wrongly, the action with the largest of its own values is right."""
    preferred = [
        own.measured
        for trial in broken.trials
        for own in measured([trial], "preferred")
        for miss in missed([trial], "action")
        if own.where == miss.where and miss.measured <= HARDLY
    ]
    return bool(preferred) and min(preferred) >= SURELY


def _values_actions_alike(broken: BrokenRung) -> bool:
    """All actions of a state have the same value."""
    apart = broken.measured("apart")
    return bool(apart) and all(measure.measured < UNTOLD * measure.right for measure in apart)


def _never_explores(broken: BrokenRung) -> bool:
    """One action only, from the beginning of even the shortest training."""
    first = known(trial.behaviour.first_choice for trial in broken.rung.trials)
    spread = known(trial.behaviour.spread for trial in broken.rung.trials)
    return (bool(first) and min(first) >= ONLY_ONE) or (bool(spread) and max(spread) < LEAST_SPREAD)


def _collapses_on_small_rewards(broken: BrokenRung) -> bool:
    """With small rewards it draws only the wrong action, where the same task with larger rewards is right."""
    wrong = {(trial.seed, miss.where) for trial in broken.trials for miss in missed([trial], "action")}
    drawn = [
        own.measured
        for trial in broken.trials
        for own in measured([trial], "drawn")
        if (trial.seed, own.where) in wrong
    ]
    small = broken.rung.problem.startswith(SMALL) and _holds_matching(broken.outcome)
    return small and bool(drawn) and max(drawn) <= HARDLY


def _find_flat_share(broken: BrokenRung) -> float | None:
    """The most likely action is right, but training draws it too seldom: how often it does."""
    late = broken.missed("behaviour")
    if not _knows_actions(broken) or _draws_by_chance(broken):
        return None
    return median(measure.measured for measure in late)


def _stays_random(broken: BrokenRung) -> bool:
    """Every seed has the right action as its most likely one in every state, yet draws it as often as any other."""
    answers = count_answers(broken.outcome, lambda share: share >= KNOWS)
    return _knows_actions(broken) and _draws_by_chance(broken) and answers >= NO_ACCIDENT


def _knows_actions(broken: BrokenRung) -> bool:
    shares = [measure.measured for measure in broken.measured("action")]
    return bool(shares) and bool(broken.missed("behaviour")) and min(shares) >= KNOWS


def _draws_by_chance(broken: BrokenRung) -> bool:
    late = broken.missed("behaviour")
    return max(measure.measured - measure.mistakes.get("chance", 0.5) for measure in late) < STUCK


def _is_update_cleared(broken: BrokenRung) -> bool:
    """Whether the policy is updated in the right direction: that was read, or another rung with such actions holds."""
    return are_weights_right(broken.outcome) or any(
        other.verdict == RIGHT and _is_continuous(other) == _is_continuous(broken.rung)
        for other in broken.outcome.rungs
        if other is not broken.rung and measured(other.final, "action", "behaviour", "distance")
    )


def _is_continuous(rung: Rung) -> bool:
    return any(trial.behaviour.spread is not None for trial in rung.final)


def _holds_matching(outcome: Outcome) -> bool:
    return any(rung.verdict == RIGHT for rung in outcome.of(MATCHING))


def _commits_too_soon(broken: BrokenRung) -> bool:
    """Every seed is certain of the wrong one of two actions, though matching-action, which needs more, holds."""
    late = known(trial.behaviour.late for trial in broken.rung.final)
    wrong = broken.rung.name == CHOOSING and bool(late) and max(late) <= HARDLY
    return wrong and _holds_matching(broken.outcome)


def _list_final(broken: BrokenRung) -> list[RungTrial]:
    return [trial for trial in broken.rung.final if not trial.failure]


def _learns_the_worst(broken: BrokenRung) -> bool:
    """Every seed takes the wrong action nearly always."""
    trials = _list_final(broken)
    late = known(trial.behaviour.late for trial in trials)
    shares = [measure.measured for measure in measured(trials, "action")]
    wrong = max(shares, default=0.0) <= NEVER and max(late, default=0.0) <= 2 * HARDLY
    return wrong and bool(shares or late)


def _find_late(broken: BrokenRung) -> list[float]:
    """Shares of right actions late in training, where those at its beginning are known as well."""
    late, early = (known(getattr(trial.behaviour, part) for trial in _list_final(broken)) for part in ("late", "early"))
    return late if len(early) == len(late) else []


def _moves_less_than(broken: BrokenRung, limit: float) -> bool:
    """The shares of right actions hardly change during training, and no seed has decided for an action."""
    late = _find_late(broken)
    if not late or not (min(late) > HARDLY and max(late) < SURELY):
        return False
    early = known(trial.behaviour.early for trial in _list_final(broken))
    return max(abs(after - before) for after, before in zip(late, early, strict=True)) < limit


def _settles_by_seed(broken: BrokenRung) -> bool:
    """Some seeds settle on the right action and some on the wrong one."""
    late = _find_late(broken)
    return bool(late) and min(late) <= HARDLY and max(late) >= SURELY


_CHOICES: tuple[Hypothesis[BrokenRung], ...] = (
    Hypothesis(
        _prefers_right_action,
        Link.ACTION,
        "its own action values prefer the right action, and it takes another",
        "how an action is chosen from the values: argmax and not max, along the axis of the actions, and the mapping "
        "from that index to what the environment takes",
        HIGH,
    ),
    Hypothesis(
        _values_actions_alike,
        Link.VALUE,
        "the values of all actions are the same",
        "which of the action values the loss updates: only that of the action taken, gathered by its index; and the "
        "axis of the gather",
        HIGH,
    ),
    Hypothesis(
        _never_explores,
        Link.EXPLORATION,
        "from the first steps on it tries hardly more than one action",
        "how actions are chosen while collecting: sampled from a policy with some spread, or with an epsilon that "
        "starts near 1",
        HIGH,
    ),
    Hypothesis(
        _collapses_on_small_rewards,
        Link.EXPLORATION,
        "the policy becomes deterministic before it has learned which action pays, which larger rewards hide",
        "the sign and the coefficient of the entropy bonus, and any other term besides the reward that sharpens the "
        "policy",
        MEDIUM,
    ),
    Hypothesis(
        _find_flat_share,
        Link.POLICY,
        "its most likely action is the right one, but it takes it in only {:.0%} of the steps",
        "what the distribution is built from: probabilities passed as logits flatten it; too large an entropy bonus",
        MEDIUM,
    ),
    Hypothesis(
        _stays_random,
        Link.EXPLORATION,
        "its most likely action is the right one, but it keeps sampling at random",
        "the coefficient and the sign of the entropy bonus, and an epsilon or noise that does not decay",
        MEDIUM,
    ),
)
_UPDATE_WORKS: tuple[Hypothesis[BrokenRung], ...] = (
    Hypothesis(
        _commits_too_soon,
        Link.OPTIMIZER,
        f"it commits to the wrong action before it has tried the right one often enough, while {MATCHING}, which needs "
        f"more, holds: its first updates are too large",
        "the learning rate, the number of epochs on the same rollout, the clip range of the ratio, and an entropy "
        "bonus that is missing or has the wrong sign",
        MEDIUM,
    ),
)
_UPDATE_IN_DOUBT: tuple[Hypothesis[BrokenRung], ...] = (
    Hypothesis(
        _learns_the_worst,
        Link.POLICY,
        "it reliably learns the worst action",
        "the sign of the policy loss, of the advantage, or of the reward on its way to them",
        HIGH,
    ),
    Hypothesis(
        lambda broken: _moves_less_than(broken, STILL),
        Link.OPTIMIZER,
        "the policy stays as it was initialised",
        "which parameters the policy's optimizer holds, whether a gradient reaches them, and the learning rate",
        MEDIUM,
    ),
    Hypothesis(
        lambda broken: _moves_less_than(broken, 2 * STUCK),
        Link.POLICY,
        "the policy changes, but not in the direction of the rewards of its actions",
        "which log-probability the loss uses (that of the stored action), the advantage in it, and whether each "
        "action stays paired with its advantage up to the minibatch",
        MEDIUM,
    ),
    Hypothesis(
        _settles_by_seed,
        Link.POLICY,
        "it settles on one action, but on a different one with each seed: the rewards of its actions do not move it",
        "the advantage in the policy loss, and whether each action stays paired with its advantage up to the minibatch "
        "(one index for a whole row)",
        MEDIUM,
    ),
)
