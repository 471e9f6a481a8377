from __future__ import annotations

from collections import Counter

import numpy as np

from weaklink.base.evidence.held import ExchangedAttribute, HeldState, Ints
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.observation._association import measure_association
from weaklink.judge.rules.observation._redrawn import RENEWED, RedrawnSecret, find_redrawn
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_ALIKE = 8  # starts that look the same, enough for a mean of what their ends pay

# of what is at stake at an end, the share by which one action may be the better one on average; over two dozen starts a
# hidden coin leaves less in most cases
LEARNABLE = 0.3

FEWEST_EPISODES = 16  # with fewer beginnings an attribute that is shown at once cannot be told from one that is not

FEWEST_ENDS = 4
DETERMINED = 0.999  # the correlation of a number with the lengths of episodes that it decides

# moments of an episode at which the observation is compared with the attribute: a cue may be shown late and once
MOMENTS = (0, 1, 2, 4, 8, 16)


@rule(
    "OBS114",
    link=Link.OBSERVATION,
    level=Level.WARN,
    on=Survey,
    needs=("observation", ("held", "reached")),
    leads_to=("OBS108", "OBS110", "ENV108", "REW101", "REW107", "TSK101", "TSK102", "TSK103", "TSK106"),
)
def hidden_goal(survey: Survey, *, fewest: int = 3, share: float = 0.25, associated: float = 7.0) -> Answer:
    """What decides the reward is drawn anew for each episode and nothing shows it.

    ## What it sees
    An attribute of the environment that each reset draws and no step changes was given the value of another episode,
    right after the reset, and the same actions were played: random ones and, where a small world was mapped, those that
    lead to a prize. In a quarter of the plays or more, steps before the last
    pay otherwise or the episode terminates elsewhere, and in none of them any observation differs. Nor does the
    attribute go together with the observation at the beginning of episodes. It is info where resets draw something
    larger too, such as a map, in which the goal may be marked and from which it may be seen. Or a small world is mapped
    from several starts that look the same in every state, and of the actions that end an episode the best one is
    another from start to start, and none is on average. Or an attribute that is called a goal, a target or a secret is
    drawn anew at every step, without regard to what it was, and neither this observation nor the next goes together
    with it.

    ## Why it is bad
    The same observations and actions are right in one episode and wrong in the next. A policy can only do what is best
    on average over all goals, and a critic cannot tell a good state from a bad one.

    ## What to do
    1. Add the attribute to the observation, as it is or relative to the agent.
    2. If it is added already, follow it from there: a wrapper may filter it out, a copy may be made before the reset
       draws it, or zeros may stand in its place.
    3. If it is meant to be hidden, show something that depends on it (the last reward, a hint), and use memory.

    ## How to prove it
    Print the attribute and the first observation of ten resets. Then add it to the observation and run
    `weaklink preflight ENV` again.

    ## When it is wrong
    An attribute that decides nothing but the step at which an episode terminates is left out: that is chance, drawn in
    advance. Tasks of pure search, in which the agent has to find by trial what it is paid for and sees no trace of it,
    can be solved with memory only.

    ## References
    Schaul et al., Universal Value Function Approximators, 2015; Kaelbling, Littman and Cassandra, Planning and Acting
    in Partially Observable Stochastic Domains, 1998.
    """
    alike = _judge_alike_starts(survey)
    if alike is not None:
        return alike
    held = survey.held
    if held is not None and (redrawn := find_redrawn(held)) is not None:
        return _describe_redrawn(redrawn)
    if held is None or not survey.exchanged:
        return CannotTell(("exchanged",), "no attribute is drawn anew by each reset, or none could be exchanged")
    if len(held.lengths) < FEWEST_EPISODES or not _moves(held):
        return CannotTell(("held",), "too few episodes, or an observation that never changes within one")
    hidden = [
        one
        for one in survey.exchanged
        if one.tried >= fewest and not one.shown and one.paid >= max(2, share * one.tried)
        if not _is_deadline(held, one.name) and _find_association(held, one.name) < associated
    ]
    return _describe(held, hidden) if hidden else None


def _judge_alike_starts(survey: Survey) -> Finding | None:
    """The finding, if small worlds look the same whatever is done, and their ends pay for now this and now that action.

    Only what an end pays may differ: what differs on the way can be found out, and used, before the end. And on average
    no action may be the better one: otherwise it is chance, of which the better one can be learned.
    """
    courses = Counter(one.course for one in survey.reached if one.course)
    course, count = max(courses.items(), key=lambda one: one[1], default=("", 0))
    if count < FEWEST_ALIKE:
        return None
    alike = [one.ends for one in survey.reached if one.course == course]
    for state in {state for state, _ in alike[0]}:
        places = [place for place in alike[0] if place[0] == state]
        paid = np.array([[ends[place] for place in places] for ends in alike])
        at_stake = float(np.ptp(paid, axis=1).mean())
        if len(places) > 1 and at_stake > 0.0 and float(np.ptp(paid.mean(axis=0))) < LEARNABLE * at_stake:
            return _describe_alike(count, len(places), at_stake)
    return None


def _describe_alike(count: int, actions: int, at_stake: float) -> Finding:
    return Finding(
        message=f"{count} starts look the same whatever is done, state by state, and of the {actions} actions that end "
        f"them now this and now that one pays {at_stake:.3g} more, none on average: what decides is drawn by the "
        "reset, and nothing shows it.",
        level=Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="reward that nothing seen decides", value=at_stake, limit=0.0),),
    )


def _describe_redrawn(found: RedrawnSecret) -> Finding:
    return Finding(
        message=f"`{found.name}` is drawn anew within the step, at {found.renewed:.0%} of all steps and not by resets "
        "alone; it does not go together with what it was, nor with the observation before or after: what was found out "
        "about it holds no more.",
        level=Level.WARN,
        confidence=MEDIUM,
        evidence=(Evidence(metric=f"steps that draw {found.name} anew", value=found.renewed, limit=RENEWED),),
    )


def _moves(held: HeldState) -> bool:
    return bool(np.any(held.observations != held.successors))


def _select_drawn(held: HeldState, name: str) -> Ints:
    """The columns of an attribute that were exchanged: of an array some others may move."""
    columns = held.attributes[name]
    return columns[held.drawn[columns]]


def _is_deadline(held: HeldState, name: str) -> bool:
    """Whether the attribute alone says after how many steps an episode terminates."""
    lengths, values = held.lengths[held.terminated].astype(float), held.before[held.firsts][held.terminated]
    if len(lengths) < FEWEST_ENDS or not np.ptp(lengths):
        return False
    varying = [column for column in _select_drawn(held, name).tolist() if np.ptp(values[:, column]) > 0]
    return any(abs(float(np.corrcoef(values[:, column], lengths)[0, 1])) > DETERMINED for column in varying)


def _find_association(held: HeldState, name: str) -> float:
    """How clearly the attribute goes together with what is shown at one of several moments of an episode."""
    strongest = 0.0
    for moment in MOMENTS:
        places = held.firsts[held.lengths > moment] + moment
        if len(places) < FEWEST_EPISODES:
            break
        seen, values = held.observations[places], held.before[places][:, _select_drawn(held, name)]
        moving = [column for column in range(seen.shape[1]) if np.any(seen[:, column] != seen[0, column])]
        chosen = [moving, *([column] for column in moving[:64])] if len(moving) > 1 else [moving]
        if not np.isfinite(seen[:, moving]).all():
            return np.inf  # what is no number cannot be compared
        if moving:
            strongest = max(strongest, *(measure_association(seen[:, columns], values) for columns in chosen))
    return strongest


def _name_drawn(held: HeldState, name: str) -> list[str]:
    """The attribute, or those of its numbers that are drawn where others are not."""
    drawn = _select_drawn(held, name)
    return [name] if len(drawn) == len(held.attributes[name]) else [held.labels[place] for place in drawn.tolist()]


def _describe(held: HeldState, hidden: list[ExchangedAttribute]) -> Finding:
    first, episodes = hidden[0], len(held.lengths)
    names = join_names(f"`{label}`" for one in hidden for label in _name_drawn(held, one.name))
    doubt = f" `{first.beside}`, which is drawn too, may hold it in another form." if first.beside else ""
    return Finding(
        message=f"Each reset draws {names} anew, and nothing shows it: with the value of another episode, rewards or "
        f"ends differ in {first.paid} of {first.tried} plays and observations in none, and over {episodes} episodes it "
        f"does not go together with the first observations.{doubt}",
        level=Level.INFO if doubt else Level.WARN,
        confidence=MEDIUM if doubt else HIGH,
        evidence=(
            Evidence(metric=f"{first.name}: plays paid otherwise", value=float(first.paid), limit=0.0),
            Evidence(metric=f"{first.name}: plays seen otherwise", value=float(first.shown)),
        ),
    )
