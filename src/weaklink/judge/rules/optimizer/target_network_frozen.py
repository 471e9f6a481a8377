from __future__ import annotations

from weaklink.base.evidence.rollout import Rollout, TargetNetwork
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# so many comparisons without a difference are no coincidence
FEWEST_LOOKS = 3

# updates after which a copy that follows slowly must have moved
FEWEST_UPDATES = 10

# A smaller distance or movement is rounding
NOTHING = 1e-12


@rule(
    "OPT202",
    link=Link.OPTIMIZER,
    level=Level.ERROR,
    on=Rollout,
    needs=("target_networks",),
    leads_to=("RET302", "VAL302", "VAL303", "VAL304", "VAL305", "REW301", "REW302", "REW303", "REW304"),
)
def target_network_frozen(rollout: Rollout, *, intervals: float = 2.0) -> Answer:
    """The target network never moves, or is the online network itself.

    ## What it sees
    Target and online network at several updates: how far apart they are, and how far each moved. Both share memory; or
    the target network has not moved over `intervals` of its update intervals; or both are always equal although the
    target network should lag behind.

    ## Why it is bad
    If the target network never moves, the critic bootstraps from an untrained network for ever. If it is the online
    network, the critic chases its own predictions, which then diverge or oscillate.

    ## What to do
    1. Create the target network with `copy.deepcopy`, and copy weights, not references.
    2. Call its update: after every gradient step with a small rate (tau), or in full after a fixed number of steps.
    3. Check what the update interval counts: environment steps, gradient steps or episodes.

    ## How to prove it
    Print the norm of the difference between both networks after each of a few hundred updates.

    ## When it is wrong
    Algorithms without a target network copy the weights in full after every step; that is only a warning.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning (2015); Lillicrap et al., Continuous control
    with deep reinforcement learning (2016); RLExplorer.
    """
    answers = [_judge(each, intervals) for each in rollout.target_networks or ()]
    found = [each for each in answers if isinstance(each, Finding)]
    if found:
        return found[0]
    unclear = [each for each in answers if isinstance(each, CannotTell)]
    if unclear or not answers:
        return unclear[0] if unclear else CannotTell(("target_networks",), "there are none")
    return None


def _judge(network: TargetNetwork, intervals: float) -> Finding | CannotTell | None:
    if network.shared:
        message = f"The target network of {network.name} shares memory with the online network: it is no copy."
        return _describe(message, HIGH)
    if not any(moved > NOTHING for moved in network.online_moved):
        return CannotTell(("target_networks",), "the online network has not moved")
    still = bool(network.moved) and all(moved <= NOTHING for moved in network.moved)
    soft = network.rate is not None and network.rate < 1.0
    return _judge_still(network, soft, intervals) if still and network.rate != 0.0 else _judge_equal(network, soft)


def _judge_still(network: TargetNetwork, soft: bool, intervals: float) -> Finding | CannotTell:
    """A target network that has not moved at all."""
    wait = intervals * network.interval if network.interval is not None else FEWEST_UPDATES if soft else None
    if wait is None or network.updates < max(wait, FEWEST_UPDATES):
        return CannotTell(("target_networks",), "the target network was not yet due for an update")
    due = f", although its update interval is {network.interval:,}" if network.interval is not None else ""
    return _describe(f"The target network of {network.name} has not moved in {network.updates:,} updates{due}.", HIGH)


def _judge_equal(network: TargetNetwork, soft: bool) -> Finding | CannotTell | None:
    """A target network that never lags behind."""
    looks = [apart for apart, moved in zip(network.distances, network.online_moved, strict=False) if moved > NOTHING]
    if not looks or any(apart > NOTHING for apart in looks):
        return None
    if len(looks) < FEWEST_LOOKS:
        return CannotTell(("target_networks",), "the networks were compared too few times")
    message = f"The target network of {network.name} equals the online network in all {len(looks)} comparisons"
    if soft:
        return _describe(f"{message}, although it should follow at a rate of {network.rate:g}.", HIGH)
    if network.interval == 1:
        return _describe(f"{message}: it is copied in full after every update.", MEDIUM, Level.WARN)
    return CannotTell(("target_networks",), "the comparisons may have come right after each copy")


def _describe(message: str, sure: float, level: Level | None = None) -> Finding:
    evidence = (Evidence(metric="distance or movement of the target network", value=0.0, limit=0.0),)
    return Finding(message=message, confidence=sure, level=level, evidence=evidence)
