from __future__ import annotations

import numpy as np

from weaklink.base.evidence.acting import ActionSweep
from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STATES = 6  # states from which choices were tried: at a wall, two of four directions do the same

# choices of which this share does the same are no set of choices any more, whatever the first of them does
MOST = 0.6

FEWEST_CHOICES = 4  # of which MOST can be more than a pair

# different effects, each larger than the one before, after which larger choices may do the same: a store that is full
GRADED = 3

# the share of first states in which choices change what no other does, so that they are no waiting, and the others
OWN, FEWEST_OTHERS = 0.8, 2

FEWEST_PAID = 50  # times that the first choice was taken in random play


@rule(
    "ACT111",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("action", "sweeps"),
    leads_to=("ACT110", "TSK102", "TSK103", "TSK106"),
)
def same_choices(survey: Survey) -> Answer:
    """Several choices of a discrete action do exactly the same.

    ## What it sees
    Every choice is taken from several states, each with the same seed and the same actions before it, and held for some
    steps. Two choices or more are followed by exactly the same observations and rewards in all of these states. Choices
    after which nothing changes at all are not counted, nor those that do what the first choice does, which is doing
    nothing in many environments, unless they are most of all choices, or the two change something at once that none of
    two or more other choices does, in four of five first states, or no choice changes what is seen and the first
    one is paid now this and now that, as in a bandit; nor the largest or smallest of choices whose
    effects grow step by step: a store that is full takes no more.

    ## Why it is bad
    What the lost choice should do can never be done: no way to the left, no order between nothing and a whole pallet.
    The policy spends its exploration on differences that are none.

    ## What to do
    1. Print what each choice becomes on its way to the simulator. Look for a table of the wrong type
       (`np.linspace(-1, 1, 7).astype(int)` is mostly zeros), an integer division, a clip, a branch that was copied.
    2. Where two choices are meant to be the same, leave one out.

    ## How to prove it
    Reset twice with the same seed and take the one choice, then the other: the observations must differ.
    `weaklink preflight ENV --select ACT111` does so from several states.

    ## When it is wrong
    Choices that differ only in rare states, or spaces that list every key although the game knows fewer, as the full
    set of Atari does.

    ## References
    Practice; Gymnasium, `ActionWrapper`; the Arcade Learning Environment on minimal and full action sets.
    """
    sweeps = [sweep for sweep in survey.sweeps if not _is_number(survey, sweep)]
    if not sweeps or survey.masks is not None:
        return None
    judged = [sweep for sweep in sweeps if len(sweep.near) >= FEWEST_STATES]
    if not judged:
        return CannotTell(("sweeps",), f"no choice was tried from {FEWEST_STATES} states or more")
    first_counts = _is_paid_choice(survey)
    found = [(sweep, group) for sweep in judged for group in sweep.alike if _is_loss(sweep, group, first_counts)]
    return _describe(*max(found, key=lambda one: len(one[1]) / len(one[0].values))) if found else None


def _is_number(survey: Survey, sweep: ActionSweep) -> bool:
    return survey.action is None or survey.action.columns[sweep.dimension].kind == "number"


def _is_paid_choice(survey: Survey) -> bool:
    """Whether no choice changes what is seen, and the first one is paid differently: so it is one like the others."""
    random = survey.plays.get(RANDOM)
    if not survey.shown_whatever_done or random is None or random.actions is None or survey.action is None:
        return False
    if survey.action.kind != "discrete" or not random.kept:
        return False
    taken = random.actions[: random.kept, 0] == survey.action.first[0]
    paid = random.rewards[: random.kept][taken]
    return len(paid) >= FEWEST_PAID and float(paid.std()) > 0.0


def _is_loss(sweep: ActionSweep, group: tuple[int, ...], first_counts: bool) -> bool:
    """Whether these choices should differ: they do something, and are not the end of a range that is used up."""
    places, count = np.array(group), len(sweep.values)
    if sweep.still[:, places].all() or len(group) == count:
        return False
    if len(group) >= MOST * count and count >= FEWEST_CHOICES:
        return not _is_used_up(sweep, places)
    return (first_counts or 0 not in group or _act(sweep, group)) and not _is_used_up(sweep, places)


def _act(sweep: ActionSweep, group: tuple[int, ...]) -> bool:
    """Whether the choices do something of their own: what happens while one waits happens beside other actions too."""
    place = sweep.alike.index(group)
    own = sweep.own[place] if place < len(sweep.own) else 0.0
    return own >= OWN and len(sweep.values) - len(group) >= FEWEST_OTHERS


def _is_used_up(sweep: ActionSweep, places: np.ndarray[tuple[int], np.dtype[np.int64]]) -> bool:
    """Whether the choices stand together at one end, behind others whose effects grow towards them."""
    count = len(sweep.values)
    if int(places[-1] - places[0]) + 1 != len(places) or (places[0] != 0 and places[-1] != count - 1):
        return False
    effects = np.nan_to_num(sweep.near, posinf=0.0).mean(axis=0)
    others = effects[: places[0]] if places[0] else effects[places[-1] + 1 :]
    return len(others) >= GRADED and bool(np.all(np.diff(others) > 0))


def _describe(sweep: ActionSweep, group: tuple[int, ...]) -> Finding:
    names = [f"{value:g}" for value in sweep.values[list(group)]]
    shown = join_names(names) if len(names) <= 4 else f"{names[0]} to {names[-1]} ({len(names)} of them)"
    return Finding(
        message=f"The choices {shown} of the {len(sweep.values)} of {sweep.label} are followed by exactly the same "
        f"observations and rewards, from each of {len(sweep.near)} states.",
        confidence=HIGH if len(group) > 2 else MEDIUM,
        evidence=(Evidence(metric="action.choices_alike", value=float(len(group)), limit=1.0),),
    )
