from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.survey.small import prepared
from tests.surveying import UNHURRIED, survey_before
from tests.worlds import changed, discrete, world
from weaklink.base.evidence.masking import ActionMasks
from weaklink.base.finding import Finding, Level
from weaklink.base.loop import Link
from weaklink.collect.survey.masks import examine_masks, obey_masks
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.surveyed import surveyed
from weaklink.judge.diagnosis.preflight import judge_survey
from weaklink.judge.rules.action.mask_wrong import mask_wrong


def masked(empty=0, valid=(5, 150), invalid=(140, 150), revived=9, refused=None, late=0, told=0, alike=(0, 0)):
    masks = ActionMasks(
        source="info['action_mask']",
        invalid=0.5,
        invalid_taken=0.5,
        states=300,
        empty=empty,
        revived=revived,
        valid_idle=valid,
        invalid_idle=invalid,
        refused=refused or {},
        late=late,
        told=told,
        valid_refused=alike,
    )
    return changed(world(), action=discrete(6), masks=masks)


def sick():
    return [
        masked(empty=40),
        masked(valid=(150, 150), invalid=(0, 150)),
        # numbered from one: read two places further on it tells what is refused
        masked(valid=(0, 150), invalid=(0, 150), refused={0: (160, 300, 150), 1: (170, 250, 125), 2: (200, 200, 100)}),
        masked(empty=3, valid=(0, 150), invalid=(0, 150), refused={0: (160, 300, 150), 2: (200, 200, 100)}),
        masked(late=2),
        # a reply has filled fields that the mask still calls free
        masked(alike=(20, 150)),
        # worth knowing only: a workshop without a waiting job, now and then
        masked(empty=4),
    ]


def healthy():
    return [
        masked(),
        # some masks are of now, so the others have another reason
        masked(late=1, told=3),
        # one that fails by chance, and a mask of which nothing works
        masked(alike=(2, 150)),
        masked(alike=(140, 150)),
        # an end that is not reported as one
        masked(empty=1),
        # nothing that is done shows, or all of it does
        masked(valid=(150, 150), invalid=(150, 150)),
        masked(valid=(0, 150), invalid=(0, 150)),
        # hardly anything is forbidden
        masked(valid=(150, 150), invalid=(0, 4)),
        # a mask that fits as it is, and one that forbids what is allowed to pay the same
        masked(valid=(0, 150), invalid=(0, 150), refused={0: (300, 300, 150), 1: (250, 250, 125)}),
        masked(valid=(0, 150), invalid=(0, 150), refused={0: (150, 300, 150), 1: (130, 250, 125), -1: (120, 250, 125)}),
        # read elsewhere it allows everything, and nothing pays least there
        masked(valid=(0, 150), invalid=(0, 150), refused={0: (120, 300, 100), -2: (92, 92, 0)}),
        changed(world(), masks=ActionMasks(source="", invalid=0.0, invalid_taken=0.0, states=0)),
    ]


class Inverted(gym.Wrapper):
    """Taxi with the sense of its mask turned round."""

    def reset(self, **given):
        observation, info = self.env.reset(**given)
        return observation, info | {"action_mask": 1 - info["action_mask"]}

    def step(self, action):
        *result, info = self.env.step(action)
        return *result, info | {"action_mask": 1 - info["action_mask"]}


def ask(make):
    """What is made of the masks alone, without the other stages of a survey."""
    session, environment = prepared(make)
    masks = examine_masks(session, obey_masks(environment))["masks"]
    return mask_wrong.rule.ask(changed(world(), action=environment.action, masks=masks))


def test_the_mask_of_taxi_is_right_and_its_reverse_is_not():
    answer = ask(lambda: Inverted(gym.make("Taxi-v4")))
    assert isinstance(answer, Finding)
    assert answer.severity is Level.ERROR
    assert "the mask is inverted" in answer.message
    assert ask(lambda: gym.make("Taxi-v4")) is None


class Cells(gym.Env):
    """Six cells to be filled, each once; the mask says which are free, or which are taken."""

    action_space = gym.spaces.Discrete(6)
    observation_space = gym.spaces.Box(0.0, 1.0, (6,), np.float32)

    def __init__(self, turned=False):
        self.turned = turned

    def tell(self):
        free = (self.cells == 0).astype(np.int8)
        return {"action_mask": 1 - free if self.turned else free}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cells = np.zeros(6, dtype=np.float32)
        self.cells[self.np_random.integers(6, size=2)] = 1.0
        return self.cells.copy(), self.tell()

    def step(self, action):
        if self.cells[action] and not self.turned:
            raise ValueError("this cell is taken")
        self.cells[action] = 1.0
        return self.cells.copy(), float(action), bool(self.cells.all()), False, self.tell()


def test_an_environment_that_refuses_what_it_forbids_raises_nothing_in_a_survey():
    survey = surveyed(Cells, SurveyPlan(seconds=UNHURRIED, steps=500, episodes=20))
    assert survey.faults == ()
    assert [one.text for one in survey.complaints if one.level == "error"] == []
    assert any("mask of the environment forbids" in note for note in survey.notes)
    assert mask_wrong.rule.ask(survey) is None


def test_none_is_valid_in_a_state_that_goes_on():
    class Nothing(Cells):
        def tell(self):
            return {"action_mask": np.zeros(6, dtype=np.int8)}

        def step(self, action):
            return super().step(action if not self.cells[action] else int(np.argmin(self.cells)))

    answer = ask(Nothing)
    assert isinstance(answer, Finding)
    assert "calls no action valid in" in answer.message


def test_cells_that_are_taken_called_valid_are_the_wrong_ones():
    answer = ask(lambda: Cells(turned=True))
    assert isinstance(answer, Finding)
    assert "inverted" in answer.message


class Covers(gym.Env):
    """Six covers to be lifted; a second try costs and does nothing. The mask may allow only what is lifted already."""

    action_space = gym.spaces.Discrete(6)
    observation_space = gym.spaces.Box(-1.0, 8.0, (6,), np.float32)

    def __init__(self, turned=False):
        self.turned = turned

    def tell(self):
        seen = np.where(self.lifted, self.under, -1).astype(np.float32)
        return seen, {"action_mask": (self.lifted if self.turned else ~self.lifted).astype(np.int8)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.under, self.lifted, self.time = self.np_random.integers(0, 9, 6), np.zeros(6, dtype=bool), 0
        self.lifted[self.np_random.integers(6)] = True
        return self.tell()

    def step(self, action):
        paid = -0.1 if self.lifted[action] else float(self.under[action] > 3)
        self.lifted[action], self.time = True, self.time + 1
        seen, info = self.tell()
        return seen, paid, bool(self.lifted.all()), self.time >= 30, info


def test_what_a_reversed_mask_leads_to_comes_after_it():
    def judge(make):
        return judge_survey(survey_before("what is swallowed", make, steps=500, episodes=20))

    diagnosis = judge(lambda: Covers(turned=True))
    assert diagnosis.first_break.code == "ACT109"
    causes = {finding.code: finding.consequence_of for finding in diagnosis.findings}
    assert causes["OBS101"] == causes["ACT101"] == "ACT109"
    assert "ACT109" not in {finding.code for finding in judge(Covers).findings}


def test_an_end_that_is_missing_is_no_fault_of_the_mask():
    answer = mask_wrong.rule.ask(masked(empty=40, revived=0))
    assert answer.link is Link.ENVIRONMENT
    assert "should have ended" in answer.message
    assert mask_wrong.rule.ask(masked(empty=40)).link is Link.ACTION


def test_a_step_with_nothing_to_do_now_and_then_is_worth_knowing():
    assert mask_wrong.rule.ask(masked(empty=4)).severity is Level.INFO
    assert mask_wrong.rule.ask(masked(empty=4, revived=0)).severity is Level.ERROR


class Jobs(gym.Env):
    """Five slots with jobs; an empty one is refused at a price, and the mask may be numbered from one."""

    action_space = gym.spaces.Discrete(5)
    observation_space = gym.spaces.Box(0.0, 9.0, (5,), np.float32)

    def __init__(self, shift=0):
        self.shift = shift

    def tell(self):
        return self.jobs.astype(np.float32), {"action_mask": np.roll(self.jobs > 0, self.shift).astype(np.int8)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.jobs = self.np_random.integers(0, 2, 5) * 3
        return self.tell()

    def step(self, action):
        paid = float(self.np_random.random()) if self.jobs[action] else -0.5
        self.jobs = np.where(self.np_random.random(5) < 0.2, self.np_random.integers(0, 2, 5) * 3, self.jobs)
        observation, info = self.tell()
        return observation, paid, False, False, info


def test_a_mask_that_is_numbered_otherwise_than_the_actions():
    answer = ask(lambda: Jobs(shift=1))
    assert isinstance(answer, Finding)
    assert "where it is read 1 place further on: it is shifted" in answer.message
    told = ask(Jobs)
    assert told is None or told.severity is Level.INFO


class Orders(gym.Env):
    """Six orders, one after the other; one that is done is refused at a price below that of a late one."""

    action_space = gym.spaces.Discrete(6)
    observation_space = gym.spaces.Box(-100.0, 100.0, (12,), np.float32)

    def __init__(self, shift=0):
        self.shift = shift

    def tell(self):
        mask = np.roll(self.open, self.shift).astype(np.int8)
        return np.concatenate([self.due - self.now, self.open]).astype(np.float32), {"action_mask": mask}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.due, self.open, self.now = self.np_random.integers(0, 30, 6), np.ones(6), 0
        return self.tell()

    def step(self, action):
        paid = -1.0
        if self.open[action]:
            self.open[action], self.now = 0.0, self.now + 5
            paid = -0.3 * max(self.now - float(self.due[action]), 0.0)
        observation, info = self.tell()
        return observation, paid, not self.open.any(), False, info


def test_what_is_refused_at_a_lower_price_than_that_of_a_bad_choice():
    answer = ask(lambda: Orders(shift=-1))
    assert isinstance(answer, Finding)
    assert "where it is read 1 place before: it is shifted" in answer.message
    told = ask(Orders)
    assert told is None or told.severity is Level.INFO


class Machine(gym.Env):
    """It wears as it runs and may break, which is worse than anything; repairs and renewals are for worn ones."""

    action_space = gym.spaces.Discrete(3)
    observation_space = gym.spaces.Discrete(10)

    def tell(self):
        return self.wear, {"action_mask": np.array([1, self.wear > 0, self.wear > 4], dtype=np.int8)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.wear, self.time = 0, 0
        return self.tell()

    def step(self, action):
        broken = action == 0 and self.np_random.random() < self.wear / 12
        paid = -20.0 if broken else (5.0, -1.0, -4.0)[action]
        worn = min(self.wear + 3, 9) if action == 0 else max(self.wear - 3, 0) if action == 1 else 0
        self.wear = 0 if broken else worn
        observation, info = self.tell()
        self.time += 1
        return observation, paid, False, self.time == 40, info


def test_a_rare_accident_is_not_what_a_mask_forbids():
    told = ask(Machine)
    assert told is None or told.severity is Level.INFO


class Shelves(gym.Env):
    """Four shelves are filled now and then and emptied on request; the mask may be that of the state before."""

    action_space = gym.spaces.Discrete(5)
    observation_space = gym.spaces.Box(0, 9, (4,), np.int64)

    def __init__(self, late):
        self.late = late

    def tell(self):
        return {"action_mask": np.append(self.goods > 0, True).astype(np.int8)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.goods, self.time = self.np_random.integers(0, 3, 4), 0
        return self.goods.copy(), self.tell()

    def step(self, action):
        before = self.tell()
        if action < 4:
            self.goods[action] = max(0, self.goods[action] - 1)
        self.goods = np.minimum(self.goods + (self.np_random.random(4) < 0.2), 9)
        self.time += 1
        return self.goods.copy(), float(action < 4), False, self.time == 60, before if self.late else self.tell()


def test_a_mask_of_the_state_before_is_late():
    session, environment = prepared(lambda: Shelves(late=True))
    found = examine_masks(session, environment)["masks"]
    assert (found.late, found.told) == (4, 0)
    assert "of the state before" in mask_wrong.rule.ask(changed(world(), action=discrete(5), masks=found)).message
    session, environment = prepared(lambda: Shelves(late=False))
    found = examine_masks(session, environment)["masks"]
    assert (found.late, found.told) == (0, 4)


class Row(gym.Env):
    """Seven fields, filled by turns with somebody at random; a field that is taken loses."""

    observation_space = gym.spaces.Box(-1, 1, (7,), np.int8)
    action_space = gym.spaces.Discrete(7)

    def __init__(self, early):
        self.early = early

    def free(self):
        return (self.row == 0).astype(np.int8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row = np.zeros(7, np.int8)
        return self.row.copy(), {"action_mask": self.free()}

    def step(self, action):
        if self.row[action]:
            return self.row.copy(), -1.0, True, False, {"action_mask": self.free()}
        self.row[action] = 1
        told = self.free()
        left = np.flatnonzero(self.row == 0)
        if len(left):
            self.row[self.np_random.choice(left)] = -1
        lost = bool(self.np_random.random() < 0.1)
        told = told if self.early else self.free()
        return self.row.copy(), -1.0 if lost else 0.1, lost or len(left) < 2, False, {"action_mask": told}


def test_a_mask_from_before_the_reply():
    for early in (True, False):
        answer = ask(lambda early=early: Row(early))
        assert isinstance(answer, Finding) is early, (early, answer)
        assert not early or "it allows what the environment refuses" in answer.message
