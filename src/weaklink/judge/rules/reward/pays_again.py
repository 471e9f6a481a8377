from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import RANDOM, Flags, Ints, Play, Survey
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS = 2000
FEWEST_LOOKS = 20  # different observations: a bandit shows one
SELDOM = 0.25  # of the steps are events, at the most: those that pay more than all the others do
HALF = 0.5  # of what these usually pay

FEWEST_REPEATS = 20  # times that the action was repeated where an event had changed nothing
AGAIN = 0.99  # of these pay again
USUAL = 0.2  # of all events change nothing: a single one may be a coincidence
MOVING = 0.5  # of the steps with other actions from there change what is seen: in a bandit none does
OTHERWISE = 0.05  # of the steps with other actions from there, or into there, are events


@rule(
    "REW124",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=("observation", RANDOM),
    leads_to=("REW103", "TSK101", "TSK106"),
)
def pays_again(survey: Survey) -> Answer:
    """What is paid for an event is paid again each time that the action is repeated.

    ## What it sees
    Rewards are events: less than a quarter of the steps of random play pay far more than all the others. Where such a
    step leaves the whole observation as it was, the same action pays again in the next step, 99 times of 100.
    Neither do other actions there pay, nor those that lead there: it is the action that pays, not the place.

    ## Why it is bad
    The best policy brings about the event once and repeats the action for the rest of the episode. The return rises far
    beyond what the task allows, and nothing is done any more.

    ## What to do
    1. Take away what was paid for: the guest who was delivered, the item that was sold, the flag that was raised.
    2. Show that it was taken.

    ## How to prove it
    Repeat the action ten times from such a state and print the rewards. `weaklink preflight ENV --select REW124` counts
    again.

    ## When it is wrong
    A source that never runs dry, as a well that may be drawn from at every step. Where the state is seen in part only,
    an event may change what is not seen.

    ## References
    Amodei et al., Concrete Problems in AI Safety, 2016, section 4; Krakovna et al., Specification gaming, 2020.
    """
    play = survey.plays[RANDOM]
    if play.observations is None or play.actions is None or play.kept < FEWEST_STEPS:
        return CannotTell((RANDOM,), f"fewer than {FEWEST_STEPS:,} steps with observations and actions")
    paid = play.rewards[: play.kept]
    above = paid[paid > max(float(np.quantile(paid, 1.0 - SELDOM)), 0.0)] if np.isfinite(paid).all() else paid[:0]
    if not len(above):
        return None
    usual = HALF * float(np.median(above))
    events = np.asarray(paid >= usual)
    if float(events.mean()) >= SELDOM:
        return None
    _, looks = np.unique(np.asarray(play.observations), axis=0, return_inverse=True)
    looks = np.asarray(looks).reshape(-1)
    unchanged = events & np.all(np.asarray(play.successors) == play.observations, axis=1)
    if looks.max() + 1 < FEWEST_LOOKS or unchanged.sum() < USUAL * events.sum():
        return None
    repeated = _find_repeats(play, unchanged)
    if len(repeated) < FEWEST_REPEATS or float(events[repeated + 1].mean()) < AGAIN:
        return None
    if _pays_the_place(play, events, unchanged, looks):
        return None
    return Finding(
        message=f"{int(unchanged.sum()):,} of {int(events.sum()):,} steps that pay {usual:.3g} or more change "
        f"nothing that is seen, and the same action paid again in {int(events[repeated + 1].sum())} of "
        f"{len(repeated)} steps after them: an event is paid each time that the action is repeated.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="events paid again", value=float(events[repeated + 1].mean()), limit=AGAIN),),
    )


def _find_repeats(play: Play, unchanged: Flags) -> Ints:
    """The events that changed nothing after which the same action was taken in the same episode."""
    actions = np.asarray(play.actions)[: play.kept]
    same = np.all(actions[1:] == actions[:-1], axis=1) & (np.diff(play.episode_of[: play.kept]) == 0)
    return np.flatnonzero(unchanged[:-1] & same)


def _pays_the_place(play: Play, events: Flags, unchanged: Flags, looks: Ints) -> bool:
    """Whether other actions from where an event changed nothing pay as well, or change nothing either, or the step that
    led there paid."""
    rows = [row.tobytes() for row in np.asarray(play.actions)[: play.kept]]
    places = np.flatnonzero(unchanged)
    doers = {(int(looks[place]), rows[place]) for place in places}
    there = np.isin(looks, looks[places])
    other = there & ~np.array([one in doers for one in zip(looks.tolist(), rows, strict=True)])
    came = np.zeros(len(there), dtype=bool)
    came[:-1] = there[1:] & ~there[:-1] & (np.diff(play.episode_of[: play.kept]) == 0)
    came[:-1] &= ~np.array([one in doers for one in zip(looks[1:].tolist(), rows[:-1], strict=True)])
    moving = np.any(np.asarray(play.successors) != play.observations, axis=1)
    if not other.any() or float(moving[other].mean()) < MOVING:
        return True
    return float(events[other | came].mean()) > OTHERWISE
