from __future__ import annotations

import msgspec
import numpy as np

from tests.worlds import changed, play, with_play, world
from weaklink.base.evidence.survey import Resets
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.observation.non_finite import non_finite


def broken(step=217, column=1, value=np.nan, policy="random"):
    """A number that is none follows an action, as it would be recorded."""
    made = play(policy)
    made.successors[step, column] = value
    if made.time[step + 1]:
        made.observations[step + 1, column] = value
    return with_play(world(), **{policy: made})


def at_reset():
    """A number that is none in what the reset of the third episode gave."""
    made = play("random")
    rows = made.observations.copy()
    rows[100, 2] = np.inf
    return with_play(world(), random=msgspec.structs.replace(made, observations=rows))


def sick():
    first = np.zeros((4, 3))
    first[2, 0] = np.nan
    return [
        broken(),
        broken(value=-np.inf),
        broken(policy="search"),
        at_reset(),
        changed(world(), resets=Resets(seeded=first, unseeded=np.zeros((2, 3)))),
        changed(world(), plays={}, resets=Resets(seeded=first, unseeded=np.zeros((2, 3)))),
    ]


def healthy():
    large = play("random")
    large.observations[:] *= 1e30
    return [world(), with_play(world(), random=large), changed(world(), resets=None)]


def test_names_step_column_and_action():
    survey = broken()
    answer = non_finite.rule.ask(survey)
    action = survey.plays["random"].actions[217, 0]
    steps = sum(each.kept for each in survey.plays.values())
    assert answer.severity is Level.ERROR
    assert answer.message == (
        f"observation[1] is NaN at step 217 of random play, after the action {action:g}; "
        f"2 of {steps:,} steps start or end with such an observation."
    )
    assert answer.evidence[0].step == 217


def test_a_reset_has_no_action_before_it():
    answer = non_finite.rule.ask(at_reset())
    assert "observation[2] is infinite at step 100 of random play, returned by the reset" in answer.message


def test_the_earliest_play_counts():
    survey = with_play(broken(step=300), zero=broken(step=20, policy="zero").plays["zero"])
    assert "step 20 of zero play" in non_finite.rule.ask(survey).message


def test_resets_alone_are_enough():
    answer = non_finite.rule.ask(sick()[-1])
    assert answer.message == "observation[0] is NaN after 1 of 6 resets."


def test_could_not_tell_without_observations():
    blind = play("random", observations=None, successors=None)
    assert isinstance(non_finite.rule.ask(changed(world(), plays={"random": blind}, resets=None)), CannotTell)
