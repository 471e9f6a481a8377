from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import RANDOM, Play, Survey
from weaklink.judge.rules.reward._plays import list_experts, select_sound_plays
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS, SHORTEST = 500, 5  # steps, and steps of an episode: of one step only a bandit is made
REPEATED = 4  # times that each combination of choices must have been taken on average
EXACT = 1e-6  # of the range of the rewards
WIDEST = 32  # dimensions of the action


@rule(
    "REW129",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=("action", "latency", RANDOM),
    leads_to=("REW103", "TSK101", "TSK102", "OBS108"),
)
def paid_for_action_alone(survey: Survey) -> Answer:
    """The reward is decided by the action alone, whatever the state.

    ## What it sees
    In every step of every policy, a searched one among them, the reward is exactly the same function of the action: the
    same for each combination of choices, or a sum over the numbers of an action, their sizes and their squares. Some
    action pays more than 0, actions do change what is observed, and all episodes are of the same length, so that
    nothing else than the reward could tell a good state from a bad one.

    ## Why it is bad
    The best action is the same everywhere, and what follows from it is never paid for: the state, the observation and
    the task might as well not be there.

    ## What to do
    1. Pay for what came of the action (what was sold, reached, filled), not for what was asked for.
    2. Look for a line that overwrites the reward, or that reads the command where it should read the state.
    3. If part of the reward belongs to the state, check that it is added and not zero throughout.

    ## How to prove it
    Take one action in ten different states and print what each pays. Then run `weaklink preflight ENV` again.

    ## When it is wrong
    A bandit with observations that are meant to be of no use.

    ## References
    Amodei et al., Concrete Problems in AI Safety, 2016, section 4; practice.
    """
    plays = {name: play for name, play in select_sound_plays(survey).items() if not play.returns_only}
    random, latency = plays.get(RANDOM), survey.latency
    if random is None or random.actions is None or random.kept < FEWEST_STEPS or latency is None:
        return CannotTell((RANDOM,), f"fewer than {FEWEST_STEPS} steps with their actions")
    if not list_experts(plays):
        return CannotTell(("search",), "no search for a better policy was run")
    if not np.isfinite(latency.seen).any() or not _are_of_one_length(plays):
        return None
    actions, rewards = _join(plays)
    best = float(rewards.max())
    if survey.action is None or best <= 0.0 or not _decides(survey.action, actions, rewards):
        return None
    chosen = actions[int(np.argmax(rewards))]
    return Finding(
        message=f"In all {len(rewards):,} steps of {len(plays)} policies the action alone decides the reward, whatever "
        f"the state: {np.array2string(chosen, precision=3, separator=', ')} pays {best:.4g} wherever it is taken, and "
        f"others down to {float(rewards.min()):.4g}.",
        confidence=HIGH,
        evidence=(Evidence(metric="reward that the state decides", value=0.0, limit=0.0),),
    )


def _are_of_one_length(plays: dict[str, Play]) -> bool:
    """Whether all whole episodes have the same length, of several steps."""
    lengths = np.concatenate([play.ended_lengths for play in plays.values()])
    return bool(len(lengths) and lengths.min() == lengths.max() >= SHORTEST)


def _join(plays: dict[str, Play]) -> tuple[Array, Array]:
    """The actions and rewards of all steps of which the action is known."""
    known = [(play.actions, play.rewards) for play in plays.values() if play.actions is not None]
    steps = [min(len(actions), len(rewards)) for actions, rewards in known]
    return (
        np.concatenate([actions[:count] for (actions, _), count in zip(known, steps, strict=True)]),
        np.concatenate([rewards[:count] for (_, rewards), count in zip(known, steps, strict=True)]),
    )


def _decides(space: Space, actions: Array, rewards: Array) -> bool:
    """Whether the action alone says what is paid, and not the same for all."""
    reach = float(np.ptp(rewards))
    if reach <= EXACT * float(np.abs(rewards).max()) or actions.shape[1] > WIDEST or not np.isfinite(actions).all():
        return False
    if all(column.kind == "number" for column in space.columns):
        features = np.column_stack([np.ones(len(actions)), actions, np.abs(actions), np.square(actions)])
        left = rewards - features @ np.linalg.lstsq(features, rewards, rcond=None)[0]
        return float(np.abs(left).max()) <= EXACT * reach
    _, group, counts = np.unique(actions, axis=0, return_inverse=True, return_counts=True)
    if len(actions) < REPEATED * len(counts):
        return False
    most, least = np.full(len(counts), -np.inf), np.full(len(counts), np.inf)
    np.maximum.at(most, group.reshape(-1), rewards)
    np.minimum.at(least, group.reshape(-1), rewards)
    return bool(np.all(most - least <= EXACT * reach))
