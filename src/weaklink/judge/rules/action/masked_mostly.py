from __future__ import annotations

import numpy as np

from weaklink.base.evidence.acting import ActionSweep
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules._wrappers import find_replaced_actions
from weaklink.judge.rules.action._effects import FEWEST_STATES
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_ACTIONS = 3  # of two actions at most half can be ignored where the other has an effect


FEWEST_MASKS, FEWEST_TAKEN = 3, 20  # a single state, or a single action taken there, may be of any kind


@rule(
    "ACT106",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("action", ("masks", "sweeps", "layers")),
    leads_to=("REW102", "TSK103", "TSK106", "EXP303"),
)
def masked_mostly(survey: Survey, *, most: float = 0.8, replaced: float = 0.5) -> Answer:
    """Most actions are invalid or silently ignored.

    ## What it sees
    The environment's mask marks over 80 % of the actions invalid, on average over states, or over 80 % of those that
    random play took. Without a mask: over 80 % of the actions of a discrete space leave the observation unchanged and
    earn the same reward, in states where some other action does change it. Or: a wrapper passes on another action than
    the one that it is given, whatever that is, in more than half of the steps.

    ## Why it is bad
    Random play, and with it an untrained policy, wastes most of its steps on actions that do nothing, so it explores
    little of the task. The gradient of the few useful actions is lost among the rest.

    ## What to do
    1. Use an algorithm that supports masks, such as `MaskablePPO`, and pass it the mask.
    2. Make the action space smaller: number the valid actions only, or split one large choice into two small ones.
    3. Where neither is possible, penalise an ignored action slightly, so that it differs from waiting.

    ## How to prove it
    Count in random play how many steps leave the state unchanged, with and without the mask. `weaklink preflight ENV`
    shows the share.

    ## When it is wrong
    Board games have thousands of moves of which a few are legal; with a masking algorithm that is fine, and with one
    configured the rule does not fire. An action may change something that is not observed.

    ## References
    Huang and Ontanon, A Closer Look at Invalid Action Masking in Policy Gradient Algorithms, 2020.
    """
    swapped = max(find_replaced_actions(survey), key=lambda change: change.share, default=None)
    if swapped is not None and swapped.share > replaced:
        return Finding(
            message=f"The wrapper `{swapped.layer.name}` replaces {swapped.share:.0%} of the actions (limit "
            f"{replaced:.0%}, {swapped.layer.steps:,} steps): what is done does not depend on what was chosen.",
            confidence=HIGH,
            evidence=(Evidence(metric="action.replaced_share", value=swapped.share, limit=replaced),),
        )
    if survey.masks is not None:
        return _judge_mask(survey, most)
    if survey.action is None or survey.action.kind == "box":
        return None
    if survey.action.kind != "discrete":
        return CannotTell(("masks",), "without a mask only a discrete space can be judged")
    if not survey.sweeps:
        return CannotTell(("sweeps",), "no action was tried from the same state as another")
    sweep = survey.sweeps[0]
    if len(sweep.positions) < FEWEST_ACTIONS:
        return None
    shares = _measure_ignored(sweep)
    if len(shares) < FEWEST_STATES:
        return CannotTell(("sweeps",), "too few states in which any action changes the observation")
    share = float(np.mean(shares))
    if share <= most:
        return None
    return Finding(
        message=f"{share:.0%} of {len(sweep.positions)} actions leave the observation unchanged and earn the same "
        f"reward, on average over {len(shares)} states in which another action changes it (limit {most:.0%}).",
        confidence=MEDIUM,
        evidence=(Evidence(metric="action.ignored_share", value=share, limit=most),),
    )


def _judge_mask(survey: Survey, most: float) -> Answer:
    masks = survey.masks
    if masks is None or masks.states < FEWEST_MASKS:
        return CannotTell(("masks",), "no mask was recorded, or too few")
    worst, told = (
        (masks.invalid, "of the actions are invalid")
        if masks.invalid >= masks.invalid_taken
        else (masks.invalid_taken, "of the actions that random play took are invalid")
    )
    if masks.states < FEWEST_TAKEN and masks.invalid < masks.invalid_taken:
        return CannotTell(("masks",), "too few actions were taken beside a mask")
    if not worst > most or "mask" in survey.config.algorithm:
        return None
    return Finding(
        message=f"{worst:.0%} {told} by the mask of the environment ({masks.source}), over {masks.states:,} states "
        f"(limit {most:.0%}).",
        confidence=HIGH,
        evidence=(
            Evidence(metric="action.invalid_share", value=masks.invalid, limit=most),
            Evidence(metric="action.invalid_taken_share", value=masks.invalid_taken, limit=most),
        ),
    )


def _measure_ignored(sweep: ActionSweep) -> list[float]:
    """The share of actions that change nothing and earn the same, for each state that some action does change."""
    shares = []
    for still, rewards in zip(sweep.still, sweep.near_reward, strict=False):
        if still.all():
            continue
        paid = np.sort(np.round(rewards[still], 9))
        largest = max((int(np.count_nonzero(paid == value)) for value in paid), default=0)
        shares.append(largest / len(still))
    return shares
