from __future__ import annotations

from dataclasses import replace
from itertools import count

import gymnasium
import msgspec
import numpy as np

from tests.curves import noisy, run_of
from tests.worlds import box, play, with_play, world
from weaklink.base.evidence.survey import CUT, LIMITED, TERMINATED, TRUNCATED, Survey
from weaklink.base.evidence.surveyed import SurveyedEnvironment
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.judge.diagnosis.preflight import judge_survey
from weaklink.judge.rules._registry import find_rule


def endless(**given) -> Survey:
    one = play("random", lengths=[10_000, 1000, 500], ends=[LIMITED, LIMITED, CUT], **given)
    return world(plays={"random": one})


def sick():
    return [endless(), world(plays={"random": play("random", lengths=[3000], ends=CUT)}), lucky()]


def lucky(ends=TERMINATED, lengths=(1500, 3200, 900, 2700), **given) -> Survey:
    """Random play stumbles over the end now and then, and nothing else ends an episode."""
    return world(plays={"random": play("random", lengths=list(lengths), ends=ends)}, **({"facts": {}} | given))


def healthy():
    some_end = with_play(endless(), search=play("search"))
    limited = lucky(facts={"max_episode_steps": 5000})
    own_limit = lucky([TERMINATED, TRUNCATED, TERMINATED, TERMINATED])
    counted = lucky(lengths=(2500, 2500, 2500, 2500))
    short = lucky(lengths=(100, 2100, 300, 400))
    return [world(), some_end, limited, own_limit, counted, short]


def test_a_task_that_goes_on_is_information_and_one_that_is_over_or_was_to_be_cut_off_a_warning():
    rule = find_rule("TSK108")
    free = msgspec.structs.replace(endless(), facts={})
    assert rule.ask(free).severity is Level.INFO
    over = np.ones(11_500)  # it fell at once, and is paid the same ever since
    over[:20] = 0.0
    assert rule.ask(msgspec.structs.replace(endless(rewards=over), facts={})).severity is Level.WARN
    assert rule.ask(endless()).severity is Level.WARN
    assert "although a limit of 200 is declared" in rule.ask(endless()).message


def test_an_end_by_luck_alone_is_no_time_limit():
    """Acrobot without the time limit that it is registered with."""
    env, lengths = gymnasium.make("Acrobot-v1").unwrapped, []
    rng = np.random.default_rng(0)
    for seed in range(5):
        env.reset(seed=seed)
        lengths.append(next(step for step in count(1) if env.step(int(rng.integers(3)))[2]))
    answer = find_rule("TSK108").ask(lucky(lengths=lengths))
    assert "No time limit ends an episode" in answer.message
    assert answer.level == Level.INFO


def test_too_short_a_look_cannot_tell():
    short = world(plays={"random": play("random", lengths=[300], ends=CUT)})
    assert isinstance(find_rule("TSK108").ask(short), CannotTell)


def test_beside_a_training_it_is_information_and_nothing_is_called_healthy():
    """A differential actor-critic over a queue has no end to wait for."""
    found = find_rule("TSK108").ask(endless())
    run = replace(run_of({"optimizer.gradient_norm": noisy(1.0, 0.1)}), surveyed=SurveyedEnvironment("Queue", (found,)))
    whole = diagnose(run)
    assert [finding.level for finding in whole.findings if finding.code == "TSK108"] == [Level.INFO]
    assert whole.verdict == "unclear"


def test_what_grows_because_nothing_ends_comes_after_it():
    """A crop that grows by a share of itself for ever, since the day of the harvest is passed over."""
    rows = np.geomspace(1.0, 1e30, 3001)[:, None]
    endless_growth = play("random", lengths=[3000], ends=LIMITED, observations=rows[:-1], successors=rows[1:])
    found = judge_survey(world(plays={"random": endless_growth}, observation=box(1)))
    assert found.first_break.code == "TSK108"
    leads = find_rule("TSK108").leads_to
    assert {"OBS103", "OBS104", "REW101"} <= set(leads)
    ending = play("random", lengths=[300] * 10, observations=rows[:-1], successors=rows[1:])
    assert find_rule("TSK108").ask(world(plays={"random": ending}, observation=box(1))) is None
