from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.stats import level
from weaklink.judge.rules._allowance import USUAL_GAMMA
from weaklink.judge.rules._course import FEWEST
from weaklink.judge.rules._hyperparameters import is_table, read_positive
from weaklink.judge.rules._suspicions import BEARS_OUT
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

RETURN, LENGTH, TARGETS, VALUES = (
    "reward.episode_return",
    "task.episode_length",
    ("returns.target_mean",),
    ("value.q_mean", "value.mean"),
)

# of the reward of a step: rewards that are all alike differ by no more; of the sum over a rollout; and of the rows
ALIKE, NEAR, NEARLY_ALL = 0.01, 0.1, 0.9

# of a task that pays the same for each step, how many rollouts an episode lasts, and times what a rollout alone pays
LONGER, MORE = 3.0, 2.0


@rule(
    "RET305",
    link=Link.RETURNS,
    level=Level.WARN,
    needs=(RETURN, LENGTH, (*TARGETS, *VALUES)),
    leads_to=(*BEARS_OUT, "VAL304"),
)
def targets_without_future(run: Run) -> Answer:
    """Value targets are the rewards of one rollout and nothing of what comes after it.

    ## What it sees
    The task pays the same for every step: return and length of episodes have one ratio, to a hundredth, in all rows.
    Episodes last three rollouts and more. And through the second half of the run the mean of the value targets is that
    of sums that end with the rollout (`n_steps` of the configuration), to a tenth, half or less of what the rest of an
    episode pays. For learners from single steps the mean Q value is compared with the reward of one step; where
    they have a network, the value is blamed, since a target network that is never updated adds next to nothing.

    ## Why it is bad
    A target is the rewards of a few steps plus the discounted value of the state after them. Without the latter, what
    comes more than a few steps later has no influence on any action.

    ## What to do
    1. Add `gamma ** n * value(next state)` at the end of each rollout, except where the episode ended there.
    2. Check the mask of ends: inverted, it drops the value everywhere but at ends.
    3. Check that the target network is ever copied: an untrained one adds a constant of about 0.

    ## How to prove it
    Double the length of the rollout: the targets must not double with it.

    ## When it is wrong
    A discount so small that little follows is configured on purpose: it is reckoned with. Rewards that are normalised
    inside the trainer do not fit to a tenth by chance.

    ## References
    Mnih et al., Asynchronous Methods for Deep Reinforcement Learning, 2016; Schulman et al., GAE, 2015.
    """
    returns, lengths = run[RETURN], run[LENGTH]
    single = run.family == "off-policy"
    series = run.get(*VALUES) if single else run.get(*TARGETS)
    steps = 1.0 if single else run.config.number("rollout_steps")
    if (
        series is None
        or steps is None
        or steps < 1
        or steps > LONGEST
        or min(map(len, (returns, lengths, series))) < FEWEST
    ):
        return CannotTell(("rollout_steps",), "how many steps a target sums, or the targets, are not known")
    longest = np.interp(returns.steps, lengths.steps, lengths.values)
    paid = returns.values / np.maximum(longest, 1.0)
    each = level(paid)
    if each == 0 or float(np.max(np.abs(paid - each))) > ALIKE * abs(each):
        return None
    gamma = read_positive(run.config, "gamma") or USUAL_GAMMA
    half = series.steps >= (series.first_step + series.last_step) / 2
    lasting = np.interp(series.steps[half], lengths.steps, lengths.values)
    alone, whole = each * _sum_alone(steps, gamma), each * _sum_whole(lasting, gamma)
    near = np.abs(series.values[half] - alone) <= NEAR * abs(alone)
    short = (np.abs(whole) >= MORE * abs(alone)) & (lasting >= LONGER * steps)
    if float(np.mean(near & short)) < NEARLY_ALL:
        return None
    held = level(series.values[half])
    network = single and not is_table(run.settings)
    why = ", as if the target network were never updated" if network else ""
    return Finding(
        message=f"{series.name} stays at {held:.3g}, the sum over {steps:.0f} {'step' if steps == 1 else 'steps'} of a "
        f"reward of {each:.3g} each, although episodes last {level(lasting):,.3g} steps and the rest of one is worth "
        f"about {level(whole):.3g}: nothing of the value of the following state is added{why}.",
        link=Link.VALUE if network else Link.RETURNS,
        onset=series.first_step,
        onset_within=series.interval,
        confidence=HIGH,
        evidence=(Evidence(metric=series.name, value=held, limit=level(whole), step=series.last_step),),
    )


# steps of a rollout whose sums are worked out one by one
LONGEST = 10_000


def _sum_alone(steps: float, gamma: float) -> float:
    """The mean discounted sum, over the rows of a rollout, of rewards of 1 up to its end."""
    left = np.arange(1, int(steps) + 1)
    return float(np.mean(_discount(left.astype(np.float64), gamma)))


def _sum_whole(lasting: Array, gamma: float) -> Array:
    """The same up to the end of an episode, from its middle on."""
    return _discount(np.asarray(lasting) / 2, gamma)


def _discount(left: Array, gamma: float) -> Array:
    return left if gamma >= 1 else (1.0 - gamma**left) / (1.0 - gamma)
