"""Every probe environment, in the order of the ladder."""

from __future__ import annotations

from weaklink.collect.probes.probe import CONTINUOUS, DICT, DISCRETE, IMAGE, MASKED, SEVERAL, Probe
from weaklink.collect.probes.worlds.constant_reward import ConstantReward
from weaklink.collect.probes.worlds.continuous_target import ContinuousTarget
from weaklink.collect.probes.worlds.delayed_reward import DelayedReward
from weaklink.collect.probes.worlds.entropy_temperature import EntropyTemperature
from weaklink.collect.probes.worlds.exploration import Exploration
from weaklink.collect.probes.worlds.long_credit import LongCredit
from weaklink.collect.probes.worlds.matching_action import MatchingAction
from weaklink.collect.probes.worlds.memory import Memory
from weaklink.collect.probes.worlds.memory_reset import MemoryReset
from weaklink.collect.probes.worlds.observed_reward import ObservedReward
from weaklink.collect.probes.worlds.q_values import QValues
from weaklink.collect.probes.worlds.reward_scale import LargeRewards, SmallRewards
from weaklink.collect.probes.worlds.shifted_pairing import ShiftedPairing
from weaklink.collect.probes.worlds.spaces import MaskedAction, MatchingForm, MatchingPair
from weaklink.collect.probes.worlds.terminal import Terminal
from weaklink.collect.probes.worlds.time_limit import LastObservation, TimeLimit
from weaklink.collect.probes.worlds.two_actions import TwoActions
from weaklink.collect.probes.worlds.vector_pairing import VectorPairing
from weaklink.collect.probes.worlds.wide_action import VeryWideAction, WideAction

__all__ = ["ALL_PROBES", "Probe", "find_probe"]

_IN_BOTH_FORMS = (
    ConstantReward,
    ObservedReward,
    DelayedReward,
    TwoActions,
    MatchingAction,
    TimeLimit,
    LastObservation,
    Terminal,
    VectorPairing,
    ShiftedPairing,
)

ALL_PROBES: tuple[Probe, ...] = (
    *(
        Probe(world(), acts=acts, title=world.__name__ + ("" if acts == DISCRETE else "Continuous"))
        for world in _IN_BOTH_FORMS
        for acts in (DISCRETE, CONTINUOUS)
    ),
    Probe(ContinuousTarget(), acts=CONTINUOUS),
    Probe(WideAction(), acts=CONTINUOUS),
    Probe(VeryWideAction(), acts=CONTINUOUS),
    Probe(Memory()),
    Probe(MemoryReset()),
    Probe(Exploration()),
    Probe(LongCredit()),
    Probe(LongCredit(), acts=CONTINUOUS, title="LongCreditContinuous"),
    Probe(LargeRewards()),
    Probe(LargeRewards(), acts=CONTINUOUS, title="LargeRewardsContinuous"),
    Probe(SmallRewards()),
    Probe(SmallRewards(), acts=CONTINUOUS, title="SmallRewardsContinuous"),
    Probe(QValues()),
    Probe(QValues(), acts=CONTINUOUS, title="QValuesContinuous"),
    Probe(EntropyTemperature(), acts=CONTINUOUS),
    Probe(MatchingForm(), seen=IMAGE, title="MatchingActionImage"),
    Probe(MatchingForm(), seen=DICT, title="MatchingActionDict"),
    Probe(MatchingForm(), seen=IMAGE, acts=CONTINUOUS, title="MatchingActionImageContinuous"),
    Probe(MatchingForm(), seen=DICT, acts=CONTINUOUS, title="MatchingActionDictContinuous"),
    Probe(MatchingPair(), acts=SEVERAL, title="MatchingActionMultiDiscrete"),
    Probe(MaskedAction(), acts=MASKED, title="MatchingActionMasked"),
)
"""Every probe environment, in the order of the ladder."""

_BY_TITLE = {probe.title: probe for probe in ALL_PROBES}


def find_probe(title: str) -> Probe:
    """The probe with this title, as it stands in its Gymnasium id."""
    return _BY_TITLE[title]
