from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, RungTrial
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.probe._cause import Cause
from weaklink.judge.rules.probe._tokens import best_mistake, no_numbers
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB206", link=Link.RETURNS, level=Level.ERROR, on=Outcome, needs=("group-advantage",))
def group_advantage(outcome: Outcome) -> Answer:
    """Completions are not weighted by their group-relative advantage.

    ## What it sees
    Four prompts pay at very different levels and spreads. The gradient of the first update gives the weight of each
    completion; it must agree with the reward minus the mean over the same prompt's completions, divided or not by the
    group's standard deviation (a correlation of at least 0.97). It is also compared with what known mistakes would
    give: the wrong sign, a baseline over the whole batch, no baseline, the rewards of another row or prompt, groups
    across prompts.

    ## Why it is bad
    An advantage that belongs to another completion is noise, and one relative to other prompts rewards easy prompts
    instead of good answers. Losses and rewards look as usual; nothing is learned, or the wrong thing.

    ## What to do
    1. Follow one reward from the reward function to the loss: sorting, shuffling, padding and gathering over processes
       must move completions, rewards and prompts together.
    2. Group by the prompt's id, or by `reshape(-1, group)` only while completions of one prompt are adjacent.
    3. Take mean and standard deviation over the group's axis.
    4. For a wrong sign: the loss is minimised, so it is minus the advantage times the ratio.

    ## How to prove it
    `weaklink probe TRAINER --only group-advantage` after the change: a correlation of 1.

    ## When it is wrong
    Algorithms with a baseline over the batch on purpose (REINFORCE++ and others) are not GRPO and fail here. Per-token
    advantages, rank-based ones and filters that drop part of a group differ too.

    ## References
    Shao et al., "DeepSeekMath" (GRPO), 2024; Ahmadian et al., "Back to Basics" (RLOO), 2024; practice (reshaping a
    shuffled batch).
    """
    return broken(
        outcome,
        "group-advantage",
        Link.RETURNS,
        "the weights of completions match no known advantage",
        "the path of rewards from the reward function to the loss: order, groups, baseline, sign",
        _because,
    )


def _because(trials: list[RungTrial]) -> Cause | None:
    return no_numbers(trials) or best_mistake(trials, "agreement", _KNOWN)


_ORDER = "where rewards, prompts and completions are sorted, shuffled or gathered: they must move together"
_GROUPS = "where groups are formed: mean and standard deviation are taken over the completions of one prompt"
_KNOWN = {
    "the sign": (
        Link.POLICY,
        "the sign is flipped: completions with a higher reward become less likely",
        "the sign of the loss, of the advantage and of the reward",
    ),
    "the whole batch's baseline": (Link.RETURNS, "the baseline includes other prompts", _GROUPS),
    "groups across prompts": (Link.RETURNS, "groups are formed across prompts", _GROUPS),
    "no baseline": (Link.RETURNS, "rewards are used without the group-mean baseline", _GROUPS),
    "another completion's": (Link.RETURNS, "completions get the advantage of the neighbouring one", _ORDER),
    "another prompt's": (Link.RETURNS, "completions get the advantages of another prompt", _ORDER),
}
