"""Outcomes of probes for the tests of rules about trainings that fail."""

from __future__ import annotations

from weaklink.base.evidence.outcome import AgentBehaviour, Measure, Outcome, Rung, RungTrial

RIGHT = Measure(what="value", where="the only state", measured=1.02, right=1.0, low=0.9, high=1.1)


def learned(seed: int = 0, taken: int = 3000) -> RungTrial:
    return RungTrial(seed=seed, steps=3000, taken=taken, measures=(RIGHT,), behaviour=AgentBehaviour(steps=taken))


def lost(kind: str, failure: str, seed: int = 0, taken: int = 0, printed: str = "") -> RungTrial:
    return RungTrial(seed=seed, steps=3000, taken=taken, kind=kind, failure=failure, printed=printed)


def rung(
    *trials: RungTrial, problem: str = "ConstantReward", code: str = "PRB101", name: str = "constant-reward"
) -> Rung:
    return Rung(code=code, name=name, problem=problem, environment=f"weaklink/{problem}-v0", trials=trials)


def climb(*rungs: Rung) -> Outcome:
    return Outcome(trainer="train.py:train", rungs=rungs)


def every_other_failure(kind: str) -> list[Outcome]:
    """What is somebody else's illness, and what is none."""
    kinds = ["raised", "crashed", "died", "hung", "ignored", "short"]
    own = {"raised", "crashed", "died"} if kind in ("raised", "crashed", "died") else {kind}
    return [
        climb(rung(learned(0), learned(1), learned(2))),
        climb(rung(learned(taken=9000)), rung(learned(), problem="TwoActions", code="PRB104", name="two-actions")),
        climb(rung(RungTrial(seed=0, steps=3000, taken=40, notes=("the command holds no {steps}",)))),
        climb(*(rung(lost(other, "something else")) for other in kinds if other not in own)),
        climb(),
    ]
