from __future__ import annotations

from weaklink.base.evidence.rollout import Rollout, TargetNetwork
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule

FEWEST_LOOKS = 3
FEWEST_UPDATES = 10
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
    """A target network never moves, or is the online network itself.

    ## What it sees
    The slow copy beside the network that learns, at several updates: how far apart they are, and how far each moved.
    Both use the same memory; or the copy has not moved over `intervals` of the intervals after which it is renewed; or
    it equals the other at every look although it should follow slowly.

    ## Why it is bad
    A copy that never moves makes the critic learn the values of a network that knows nothing, for ever. A copy that is
    the same network makes it chase its own predictions, which then grow or swing.

    ## What to do
    1. Make the copy with `copy.deepcopy`, and copy weights, not references.
    2. Call the update of the copy: after every gradient step with a small rate, or after so many steps as a whole.
    3. Check the counter that the interval is compared with: environment steps, gradient steps or episodes.

    ## How to prove it
    Print the norm of the difference of both networks after each of a few hundred updates.

    ## When it is wrong
    Algorithms that do without a slow copy have a rate of 1 after every step; that is told as a warning only.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning (2015); Lillicrap et al., Continuous control
    with deep reinforcement learning (2016); RLExplorer.
    """
    answers = [_judged(each, intervals) for each in rollout.target_networks or ()]
    found = [each for each in answers if isinstance(each, Finding)]
    if found:
        return found[0]
    unclear = [each for each in answers if isinstance(each, CannotTell)]
    if unclear or not answers:
        return unclear[0] if unclear else CannotTell(("target_networks",), "there are none")
    return None


def _judged(network: TargetNetwork, intervals: float) -> Finding | CannotTell | None:
    if network.shared:
        told = f"The target network of {network.name} uses the memory of the online network: it is no copy."
        return _finding(told, 0.0, HIGH)
    if not any(moved > NOTHING for moved in network.online_moved):
        return CannotTell(("target_networks",), "the online network has not moved")
    soft = network.rate is not None and network.rate < 1.0
    wait = intervals * network.interval if network.interval is not None else FEWEST_UPDATES if soft else None
    still = bool(network.moved) and all(moved <= NOTHING for moved in network.moved)
    if still and network.rate != 0.0:
        if wait is None or network.updates < max(wait, FEWEST_UPDATES):
            return CannotTell(("target_networks",), "the time to renew the copy has not come yet")
        told = f"The target network of {network.name} has not moved in {network.updates:,} updates"
        due = f", although it is renewed every {network.interval:,}" if network.interval is not None else ""
        return _finding(f"{told}{due}.", 0.0, HIGH)
    return _same(network, soft)


def _same(network: TargetNetwork, soft: bool) -> Finding | CannotTell | None:
    """A copy that is never behind."""
    looks = [apart for apart, moved in zip(network.distances, network.online_moved, strict=False) if moved > NOTHING]
    if not looks or any(apart > NOTHING for apart in looks):
        return None
    if len(looks) < FEWEST_LOOKS:
        return CannotTell(("target_networks",), "too few looks")
    told = f"The target network of {network.name} equals the online one at each of {len(looks)} looks"
    if soft:
        return _finding(f"{told}, although it should follow at a rate of {network.rate:g}.", 0.0, HIGH)
    if network.interval == 1:
        return _finding(f"{told}: it is copied as a whole after every update.", 0.0, MEDIUM, Level.WARN)
    return CannotTell(("target_networks",), "the looks may have come right after each copy")


def _finding(message: str, value: float, sure: float, level: Level | None = None) -> Finding:
    evidence = (Evidence(metric="distance or movement of the target network", value=value, limit=0.0),)
    return Finding(message=message, confidence=sure, level=level, evidence=evidence)
