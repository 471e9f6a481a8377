from __future__ import annotations

import msgspec
import numpy as np

from tests.worlds import box, changed, held, world
from weaklink.base.evidence.held import ExchangedAttribute
from weaklink.base.finding import Level
from weaklink.judge.rules.observation.hidden_goal import hidden_goal


def exchanged(**given):
    return (ExchangedAttribute(**({"name": "goal", "tried": 8, "shown": 0, "paid": 5, "reordered": 0} | given)),)


def walk(rng, step, before):
    return rng.normal(0, 1, 2) if before is None else before + rng.normal(0, 0.1, 2)


def drawn(rng, step, before):
    return rng.uniform(-1, 1, 2) if before is None else before


def survey(show, **given):
    size = len(show({"agent": np.zeros(2), "goal": np.ones(2)}, None, None))
    play = held({"agent": walk, "goal": drawn}, show, episodes=40)
    return changed(world(), observation=box(size), held=play, exchanged=exchanged(**given))


def see_agent(now, before, ended):
    return now["agent"]


def see_goal_once(now, before, ended):
    return [*now["agent"], *(now["goal"] if before is None else np.zeros(2))]


def ending_by_a_draw():
    """Episodes that terminate after as many steps as their reset has drawn."""
    rng = np.random.default_rng(3)
    lengths = rng.integers(3, 12, 40)
    play = held({"agent": walk, "goal": drawn}, see_agent, episodes=int(lengths.sum()), length=1)
    values = np.repeat(lengths, lengths).astype(float)
    rows = {key: np.column_stack([getattr(play, key)[:, :2], values]) for key in ("before", "after")}
    names = ("agent", "agent", "goal")
    ended = {"lengths": lengths, "terminated": np.ones(40, dtype=bool)}
    play = msgspec.structs.replace(play, names=names, **rows, **ended)
    return changed(world(), observation=box(2), held=play, exchanged=exchanged())


def guessing(renew, show, name="secret"):
    """Numbers that are guessed, of which a reset draws two and a step may draw them again."""

    def keep(rng, step, before):
        return rng.integers(0, 6, 2) if before is None else renew(rng, before)

    def pay(before, after):
        return float(after[name][0] > 2)

    play = held({"tries": lambda rng, step, before: step, name: keep}, show, pay=pay, episodes=40)
    size = play.observations.shape[1]
    return changed(world(), observation=box(size), held=play, exchanged=())


def redraw(rng, before):
    return rng.integers(0, 6, 2)


def see_tries(now, before, ended):
    return [float(now["tries"][0]), 1.0]


def sick():
    return [
        guessing(redraw, see_tries),
        survey(see_agent),
        survey(see_agent, paid=8),
        survey(see_agent, tried=3, paid=2),
    ]


def healthy():
    return [
        # kept, wandering, shown, and an event that is called otherwise
        guessing(lambda rng, before: before, see_tries),
        guessing(lambda rng, before: before + rng.integers(-1, 2, 2), see_tries, "target"),
        guessing(redraw, lambda now, before, ended: [*now["target"], float(now["tries"][0])], "target"),
        guessing(redraw, see_tries, "dice"),
        # the goal is shown
        survey(lambda now, before, ended: [*now["agent"], *now["goal"]], shown=8),
        # a sensor meets it now and then
        survey(see_agent, shown=1),
        # a cue at the beginning: exchanging comes too late for it
        survey(see_goal_once),
        # it decides nothing, or the pay of the last step only, as a hidden card does
        survey(see_agent, paid=0),
        survey(see_agent, paid=1),
        survey(see_agent, tried=1, paid=1),
        # chance, drawn in advance
        ending_by_a_draw(),
        # a bandit: there is nothing to see
        survey(lambda now, before, ended: np.zeros(2)),
    ]


def test_a_goal_that_may_be_marked_on_a_map_is_worth_knowing_only():
    assert hidden_goal(survey(see_agent, beside="grid")).level is Level.INFO
    assert hidden_goal(survey(see_agent)).level is Level.WARN
