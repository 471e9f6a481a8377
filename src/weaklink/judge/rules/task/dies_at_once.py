from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import BOTH, CUT, EXPERTS, RANDOM, TERMINATED, Play, Survey
from weaklink.base.stats import level as middle
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.task._standing import compare_returns, read_returns, select_recorded
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# a course of actions that lasts this many times the limit shows that actions decide how long episodes are
LASTS = 2

FEWEST_STARTS = 3  # one or two starts may be the easy ones

DOOMED = 1 / 3  # the share of starts from which the first step ends every course, where others last

# a declared time limit this many times as long as any episode shows that episodes were meant to be longer
FAR_BEYOND = 20

# steps that every episode takes, whatever is done, where that is the design: jobs to assign, cards to play
BY_DESIGN = 5


@rule(
    "TSK105",
    link=Link.TASK,
    level=Level.WARN,
    on=Survey,
    needs=(RANDOM,),
    leads_to=("REW101", "REW105", "REW107", "TSK101", "TSK102", "TSK103", "TSK301", "REW301"),
    marks=("excused by learning",),
)
def dies_at_once(survey: Survey, *, steps: int = 10, episodes: int = 20) -> Answer:
    """Episodes end before anything can be learned from them.

    ## What it sees
    The median episode of every baseline is shorter than 10 steps and terminates. It is not a warning where one baseline
    does significantly better than random play, where an episode can end well (its last step pays more than any step
    before), where some course of actions, found by changing the end of one again and again, lasts 20 steps from most
    starts, or where the time limit itself is that short and returns differ all the same. It is a warning all the same
    where from a third of the starts every course ends with its first step, and from others some last 20 steps, or some
    episodes 10 steps: such starts are over before anything is done.

    ## Why it is bad
    If every policy fails within a few steps, the data contain one situation over and over, the one just after the
    reset. Nothing shows what would have been better. Often the start itself is broken: a body that falls through the
    floor, a limit that the first observation already violates.

    ## What to do
    1. Look at the first ten steps of one episode and at what ended it.
    2. Check the reset: is the first state inside every limit that ends an episode?
    3. Relax the failure condition, or start in a state that is easier to hold.
    4. Check the scale of actions and the length of a time step: one large action may be enough to fail.

    ## How to prove it
    Widen the condition that ends the episode by a factor of ten. If episodes get longer and baselines begin to differ,
    that condition was the cause.

    ## When it is wrong
    Games of a few moves (card games, bandits, quizzes) are short by design; it is info where every episode takes
    exactly as many, whatever is done. Where no baseline plays them better than random, the rule cannot know. An
    environment that is not deterministic cannot be asked for a longer course. Where the declared time limit is twenty
    times as long as any episode, they were not meant to be short, and it still warns.

    ## References
    Practice; the first check of every guide to custom environments.
    """
    plays = {name: play for name, play in select_recorded(survey).items() if len(_list_lengths(play, steps))}
    if RANDOM not in plays or plays[RANDOM].episodes < episodes:
        return CannotTell((RANDOM,), f"fewer than {episodes} whole episodes")
    medians = {name: middle(_list_lengths(play, steps)) for name, play in plays.items()}
    if max(medians.values()) >= steps:
        return None
    doomed = _count_doomed(survey, plays, steps)
    why = "" if doomed else _find_excuse(survey, plays, steps)
    if not doomed and not why and len(plays) == 1 and len(survey.lasting) < FEWEST_STARTS:
        return CannotTell(
            ("search", "lasting"), "no other policy, nor other courses of actions, were seen to end as soon"
        )
    told = (
        f"from {doomed} of {len(survey.lasting)} starts the first step ends every course of actions" if doomed else why
    )
    longest = max(medians, key=lambda name: medians[name])
    return Finding(
        message=f"Half of the episodes end by step {medians[RANDOM]:g} with random actions and by step "
        f"{medians[longest]:g} with the longest-lived of {join_names(plays)}{told and f'; {told}'}.",
        level=Level.INFO if why else Level.WARN,
        confidence=LOW if why else HIGH if len(plays) > 2 else MEDIUM,
        evidence=(Evidence(metric="task.episode_length", value=medians[longest], limit=float(steps)),),
    )


def _list_lengths(play: Play, steps: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The lengths of the episodes that ended, and of unfinished ones that were long enough."""
    return np.asarray(play.lengths[(play.ends != CUT) | (play.lengths >= steps)])


def _count_doomed(survey: Survey, plays: dict[str, Play], steps: int) -> int:
    """The starts from which the first step ends every course; 0 where they are few, none lasts, or such ends pay."""
    doomed = sum(lasts <= 1 for lasts in survey.lasting)
    lasting = sum(lasts >= LASTS * steps for lasts in survey.lasting)
    episodes = sum(int(np.count_nonzero(play.lengths >= steps)) for play in plays.values())
    if doomed < max(DOOMED * len(survey.lasting), 2) or max(lasting, episodes) < 2:
        return 0
    return 0 if _ends_well(*plays.values()) else doomed


def _find_excuse(survey: Survey, plays: dict[str, Play], steps: int) -> str:
    """Why such short episodes may be intended; empty where nothing shows it."""
    ended = np.concatenate([play.ends[play.ends != CUT] for play in plays.values()])
    if np.mean((ended == TERMINATED) | (ended == BOTH)) < 0.5:
        return "" if _pay_alike(plays) else "the time limit is that short"
    few = len(survey.lasting) < FEWEST_STARTS  # then all of those that there was time for must last
    lasting = min(survey.lasting, default=0.0) if few else middle(np.array(survey.lasting, dtype=float))
    if lasting >= LASTS * steps:
        return f"from most starts some course of actions lasts {lasting:g} steps and more"
    longest = max(float(play.lengths.max(initial=0)) for play in plays.values())
    if (survey.facts.get("max_episode_steps") or 0) >= FAR_BEYOND * longest:
        return ""
    lengths = np.concatenate([play.lengths[play.ends != CUT] for play in plays.values()])
    if lengths.min() == lengths.max() >= BY_DESIGN and not _pay_alike(plays):
        return "every episode takes exactly as many, whatever is done"
    untrained = read_returns(plays[RANDOM])
    for name, play in plays.items():
        held = compare_returns(read_returns(play), untrained) if name != RANDOM else None
        if held is not None and held.better:
            return f"{name} still does better than random play"
    return "some of them end well" if any(map(_ends_well, plays.values())) else ""


def _pay_alike(plays: dict[str, Play]) -> bool:
    """Whether several policies were played, one of them searched for, and every episode of all returned the same."""
    returns = np.concatenate([read_returns(play) for play in plays.values()])
    return any(name in EXPERTS for name in plays) and len(returns) > 0 and bool(np.all(returns == returns[0]))


def _ends_well(*plays: Play) -> bool:
    """Whether a last step pays more than every other step or, where all are last, whether their rewards differ."""
    parts = []
    for play in plays:
        last = np.zeros(len(play.rewards), dtype=bool)
        last[(play.starts + play.lengths - 1)[(play.ends != CUT) & (play.lengths > 0)]] = True
        parts.append((play.rewards[last], play.rewards[~last]))
    final, others = (np.concatenate(each) for each in zip(*parts, strict=True))
    final, others = final[np.isfinite(final)], others[np.isfinite(others)]
    if not len(final):
        return False
    return bool(final.max() > (others.max() if len(others) else final.min()))
