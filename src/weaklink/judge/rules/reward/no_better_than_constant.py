from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import BOTH, LIMITED, RANDOM, TERMINATED, TRUNCATED, Play, Survey
from weaklink.base.stats import level
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.reward._plays import differ, list_experts, select_sound_baselines
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

AWAY = 30.0  # times as far from the beginnings as these lie apart, in most episodes: what was upright has fallen

LASTING = (
    ", although the state goes far from where all episodes begin: only lasting is paid, and nothing ends an episode"
)


@rule(
    "REW107",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("REW105", "ENV108", "OBS108", "TSK101", "TSK102", "TSK103", "REW301"),
    checks={"reward histogram": "fails"},
    marks=("excused by learning",),
)
def no_better_than_constant(survey: Survey, *, share: float = 0.99, same: float = 1e-3, episodes: int = 20) -> Answer:
    """The reward is constant, and all episodes have the same length.

    ## What it sees
    At least 99 % of all rewards are the same number (to a thousandth), every episode of every baseline has the same
    length, and no baseline returns more than another, including the search for a better policy. Where lasting is paid,
    nothing terminates, and random play goes thirty times as far from where all episodes begin as their beginnings lie
    apart, it is the environment that is blamed: the end is missing that such a reward counts on.

    ## Why it is bad
    A constant reward can still teach through the length of episodes: survive, or finish fast. Here the length never
    changes either, so no action makes any difference.

    ## What to do
    1. Check that the reward is computed from the state, not left at its default.
    2. If a bonus for each step outweighs the task by orders of magnitude, lower the bonus or raise the weight of the
       task.
    3. If episodes should end on success or failure, check that `terminated` is ever true.

    ## How to prove it
    `weaklink preflight ENV --automaton module:policy` with a policy that should do better: with a constant reward its
    returns equal those of random play.

    ## When it is wrong
    A cost of, say, -1 for every step until a goal that nobody reached looks the same. The rule leaves that to
    never-positive (TSK103) and answers that it could not tell.

    ## References
    Practice.
    """
    plays = select_sound_baselines(survey)
    if RANDOM not in plays or plays[RANDOM].episodes < episodes:
        return CannotTell((RANDOM,), f"fewer than {episodes} whole episodes")
    rewards, lengths, ends = (
        np.concatenate([getattr(play, name) for play in plays.values()])
        for name in ("rewards", "ended_lengths", "ends")
    )
    middle = level(rewards)
    alike = float(np.mean(np.abs(rewards - middle) <= same * abs(middle)))
    if middle == 0.0 or alike < share or lengths.min() != lengths.max():
        return None
    if not list_experts(plays):
        return CannotTell(("search",), "no search for a better policy was run")
    if alike < 1.0 and differ({name: play.returns for name, play in plays.items()}):
        return None
    if middle < 0 and bool(np.all((ends == TRUNCATED) | (ends == LIMITED))):
        return CannotTell(("a policy that reaches the goal",), "a cost per step until a goal would look the same")
    lost = middle > 0 and not np.any((ends == TERMINATED) | (ends == BOTH)) and _runs_away(plays[RANDOM])
    return Finding(
        link=Link.ENVIRONMENT if lost else None,
        message=f"{alike:.1%} of the {len(rewards):,} rewards of {join_names(plays)} are {middle:.4g}, and every "
        f"episode is {int(lengths[0])} steps long{LASTING if lost else ''}.",
        confidence=HIGH if alike == 1.0 else MEDIUM,
        evidence=(
            Evidence(metric="reward.same_fraction", value=alike, limit=share),
            Evidence(metric="task.episode_length", value=float(lengths[0])),
        ),
    )


def _runs_away(play: Play) -> bool:
    """Whether a column goes far out in most episodes, all of which begin close to each other."""
    rows = play.successors
    starts = play.starts[play.starts < play.kept]
    if rows is None or play.observations is None or len(starts) < 2 or not np.isfinite(rows).all():
        return False
    first = play.observations[starts]
    apart = np.abs(first - first.mean(axis=0)).max(axis=0)
    furthest = np.maximum.reduceat(np.abs(rows - first.mean(axis=0)), starts, axis=0)
    return bool(np.any((apart > 0.0) & (np.median(furthest, axis=0) >= AWAY * apart)))
