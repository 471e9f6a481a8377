from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import RANDOM, Flags, Resets, Survey
from weaklink.judge.rules._foreign import mark_foreign
from weaklink.judge.rules.environment._starts import SEEDS_MAKE_NO_DIFFERENCE, rows_vary
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS = 20  # of whole episodes that are the same: less may be over before chance has its say

# episodes of random play, and the share of steps at which chance turns: a random walk does at half of them, and a day
# of 24 hours at a twelfth
FEWEST_EPISODES, RESTLESS = 5, 0.2

FEWEST_STARTS = 3  # different starts inside a wrapper that shows one

FEWEST_UNSEEDED = 6  # where most starts differ, so many are all the same by chance once in a hundred times at the most


@rule(
    "ENV104",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Survey,
    needs=("resets",),
    leads_to=("ENV109", "OBS102", "REW105"),
)
def frozen_reset(survey: Survey, *, fewest: int = 4) -> Answer:
    """Every episode starts the same although the start is meant to be random.

    ## What it sees
    Resets with different seeds all give the same first observation, while something suggests that they should not: the
    environment inside the wrappers does start differently, resets without a seed do, or a random generator is in the
    same state after every reset, whatever the seed, or the reset draws random numbers and whole episodes with the same
    actions are the same, among them a column that goes up and down by itself, as a recorded price does. A fixed start
    without any randomness is fine. Where a wrapper shows one start although what it is given differs, its observations
    are at fault. Or resets with seeds start differently, and resets without one, which is what a training calls, all
    start the same.

    ## Why it is bad
    The agent memorises one trajectory. It looks solved in training and fails from any other start, and parallel workers
    collect the same data.

    ## What to do
    1. Look in `reset` and in every wrapper for a seed left over from debugging: `reset(seed=0)`, `np.random.seed(42)`,
       `default_rng(0)`.
    2. Pass the seed on: `super().reset(seed=seed)`; with None the generator continues where it stopped.
    3. Build the observation after the start has been drawn.

    ## How to prove it
    `weaklink preflight ENV --select ENV104` after the change, or print `env.reset(seed=i)[0]` for a few i.

    ## When it is wrong
    The random part may be hidden on purpose, as the arms of a bandit are, or a single start may be wanted while
    debugging.

    ## References
    Gymnasium documentation, Env.reset: the default seed is None; practice.
    """
    resets = survey.resets
    if resets is None or resets.seeded.ndim != 2 or len(resets.seeded) < fewest or not resets.seeded.shape[1]:
        return CannotTell(("resets",), f"fewer than {fewest} resets could be compared")
    if rows_vary(resets.seeded):
        return _judge_unseeded(resets, _mark_own(survey, resets.seeded.shape[1]))
    sign = _find_sign_of_randomness(survey, resets)
    drawn = bool(resets.draws) and _do_numbers_change(survey)
    if not sign and not drawn:
        return None
    if not sign and survey.same_whatever_seed >= FEWEST_STEPS and _replays_a_course(survey):
        sign = (
            "the reset draws random numbers, and the next "
            f"{survey.same_whatever_seed:,} steps with the same actions are the same as well"
        )
    count = len(resets.seeded)
    level, sure = (Level.WARN, HIGH if count >= 2 * fewest else MEDIUM) if sign else (Level.INFO, LOW)
    hides = next((one for one in survey.layers if one.starts_in >= FEWEST_STARTS and one.starts_out == 1), None)
    if hides is not None:
        sign = f"the wrapper `{hides.name}` is given {hides.starts_in} different ones by what is inside"
    return Finding(
        message=f"Resets with {count} different seeds all give the same first observation, although "
        f"{sign or 'the reset draws random numbers'}.",
        link=None if hides is None else Link.OBSERVATION,
        level=level,
        confidence=sure,
        evidence=(Evidence(metric="different_first_observations", value=1.0, limit=float(count)),),
    )


def _mark_own(survey: Survey, width: int) -> Flags:
    """The columns that are part of the state, as far as random play tells: no noise that every look draws anew."""
    play = survey.plays.get(RANDOM)
    if play is None or play.successors is None or play.successors.shape[1] != width:
        return np.ones(width, dtype=bool)
    return ~mark_foreign(play.successors, play.time[: play.kept])


def _judge_unseeded(resets: Resets, own: Flags) -> Finding | None:
    """The finding, if starts vary with the seed, most of them differ, and those without a seed are all one."""
    count, kinds = len(resets.seeded), len(np.unique(resets.seeded[:, own], axis=0))
    if rows_vary(resets.unseeded[:, own]) or len(resets.unseeded) < FEWEST_UNSEEDED or 2 * kinds < count:
        return None
    return Finding(
        message=f"{len(resets.unseeded)} resets without a seed all give the same first observation, although {count} "
        f"with different seeds give {kinds} different ones: without a seed, every episode starts the same.",
        confidence=HIGH,
        evidence=(Evidence(metric="different_first_observations", value=1.0, limit=float(len(resets.unseeded))),),
    )


def _find_sign_of_randomness(survey: Survey, resets: Resets) -> str:
    """The sign that the start is meant to be random; empty where there is none.

    A reset that draws random numbers is no sign by itself: FrozenLake draws its start from a single cell.
    """
    if resets.inner is not None and rows_vary(resets.inner):
        return "the environment inside the wrappers starts differently each time"
    if rows_vary(resets.unseeded):
        return "resets without a seed start differently"
    if resets.reseeded:
        return f"it uses random numbers: {_join(resets.reseeded)} is in the same state after every reset"
    if any(SEEDS_MAKE_NO_DIFFERENCE in complaint.text for complaint in survey.complaints or ()):
        return "it has a random generator, which is in the same state whatever the seed"
    return ""


def _replays_a_course(survey: Survey) -> bool:
    """Whether a numeric column goes up and down in one and the same way in every episode, whatever is done.

    A clock goes one way, and what actions move goes another way with every episode of random play.
    """
    play = survey.plays.get(RANDOM)
    if play is None or play.observations is None or play.observations.shape[1] != len(survey.column_kinds):
        return False
    times, rows = play.time[: play.kept], play.observations
    firsts = rows[: int(play.lengths[0])]
    shared = times < len(firsts)
    if int(np.count_nonzero(times == 0)) < FEWEST_EPISODES or len(firsts) < FEWEST_STEPS:
        return False
    for column in np.flatnonzero([kind == "number" for kind in survey.column_kinds]).tolist():
        ways = np.sign(np.diff(firsts[:, column]))
        turns = float(np.mean(ways[1:] * ways[:-1] < 0))
        if turns > RESTLESS and bool(np.all(rows[shared, column] == firsts[times[shared], column])):
            return True
    return False


def _join(names: tuple[str, ...]) -> str:
    return " and ".join(f"`{name}`" for name in names[:3])


def _do_numbers_change(survey: Survey) -> bool:
    """Whether any numeric column changes during play: otherwise the random part may be hidden, as in a bandit."""
    numbers = np.array([kind == "number" for kind in survey.column_kinds], dtype=bool)
    seen = [play.observations for play in survey.plays.values() if play.observations is not None]
    return any(rows.shape[1] == len(numbers) and rows_vary(rows[:, numbers]) for rows in seen)
