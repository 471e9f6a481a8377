from __future__ import annotations

import msgspec
import numpy as np

from tests.worlds import box, changed, discrete, sweep, world
from weaklink.base.evidence.masking import ActionMasks
from weaklink.base.evidence.spaces import Space
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.action.masked_mostly import masked_mostly


def chosen(still, rewards=None):
    """A sweep over the choices of one discrete action, with what stands still."""
    still = np.asarray(still, dtype=bool)
    places = np.arange(still.shape[1]).astype(float)
    zero = np.zeros(still.shape)
    return msgspec.structs.replace(
        sweep(),
        values=places,
        positions=places,
        near=1.0 - still,
        far=1.0 - still,
        near_reward=zero if rewards is None else np.asarray(rewards, dtype=float),
        far_reward=zero,
        still=still,
        motion=np.ones(len(still)),
    )


def idle(actions=20, useful=2, states=8, **given):
    still = np.ones((states, actions), dtype=bool)
    for state in range(states):
        still[state, (3 * state + np.arange(useful)) % actions] = False
    return game(chosen(still, **given))


def game(one):
    return changed(world(), action=discrete(len(one.positions)), sweeps=(one,))


def masked(invalid, taken, config=None, states=300):
    masks = ActionMasks(source="info['action_mask']", invalid=invalid, invalid_taken=taken, states=states)
    return changed(world(config), action=discrete(30), masks=masks, sweeps=())


def sick():
    return [idle(), masked(0.95, 0.94), masked(0.5, 0.9), masked(0.97, 0.97, {"algo": "PPO"})]


def healthy():
    always = chosen(np.ones((8, 6)))
    return [
        world(),
        masked(0.5, 0.52),  # Taxi
        # a survey that had time for one state
        masked(0.5, 1.0, states=1),
        masked(0.95, 0.95, states=1),
        masked(0.95, 0.95, {"algo": "MaskablePPO"}),
        idle(actions=7, useful=3),  # MiniGrid: 57 %
        idle(actions=4, useful=1),
        # a bandit shows nothing, whatever is done
        game(always),
        # bets are seen in the reward alone
        idle(rewards=np.tile(np.arange(20.0), (8, 1))),
        # two actions, of which one waits
        game(chosen(np.tile([True, False], (8, 1)))),
        changed(world(), action=box(3, -1.0, 1.0)),
    ]


def test_gives_the_share():
    answer = masked_mostly.rule.ask(idle())
    assert answer.severity is Level.WARN
    assert answer.message.startswith("90% of 20 actions leave the observation unchanged")


def test_says_which_share_the_mask_gave():
    assert "94% of the actions are invalid" in masked_mostly.rule.ask(masked(0.94, 0.9)).message
    assert "90% of the actions that random play took are invalid" in masked_mostly.rule.ask(masked(0.5, 0.9)).message


def test_a_mask_comes_before_what_stands_still():
    mask = masked(0.1, 0.1).masks
    assert masked_mostly.rule.ask(changed(idle(), masks=mask)) is None


def test_states_that_nothing_changes_do_not_count():
    still = np.ones((8, 20), dtype=bool)
    still[0, 3] = False
    assert isinstance(masked_mostly.rule.ask(game(chosen(still))), CannotTell)


def test_several_choices_at_once_are_not_judged_without_a_mask():
    space = Space(kind="multi_discrete", shape=(2,), choices=(3, 5), first=(0, 0))
    assert isinstance(masked_mostly.rule.ask(changed(world(), action=space)), CannotTell)
