"""The outcome of probing a trainer: what it learned on problems whose right answers are known.

Plain numbers only, so that an outcome can travel between processes. A rung is trained with several seeds; each
training is a trial, and in each trial the agent is asked about every state of the problem.
"""

from __future__ import annotations

import msgspec

from weaklink.base.finding import Finding

RIGHT, WRONG, UNDECIDED, UNSEEN = "right", "wrong", "undecided", "unseen"
"""What can be said of a rung. Unseen: nothing that the agent shows answers its questions."""

OUT_OF_TIME = "the time was up"
"""Why a rung was not climbed that would have told something."""


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """One number that was measured and the band in which a right trainer's lies.

    `what` is `value`, `q`, `action` (the distance of the trained action from the right one, or the share of right
    ones), `behaviour` (the share of right actions late in training), or another word of the rung's own. `mistakes`
    holds what each known mistake would have given.
    """

    what: str
    where: str
    measured: float
    right: float
    low: float
    high: float
    mistakes: dict[str, float] = {}

    @property
    def holds(self) -> bool:
        """Whether it lies in the band."""
        return self.low <= self.measured <= self.high


class AgentBehaviour(msgspec.Struct, frozen=True, kw_only=True):
    """What the agent did in the environments while it was trained.

    `early` and `late` are the shares of right actions in the first and last part, None where no action is better;
    `first_choice` is the share of the most frequent action in the first part, in the state where it is smallest;
    `spread` how far apart continuous actions lay there, relative to their range; `beyond` the share of actions on or
    beyond the bounds; `invalid` counts actions that the mask forbade.
    """

    steps: int = 0
    episodes: int = 0
    early: float | None = None
    late: float | None = None
    first_choice: float | None = None
    spread: float | None = None
    beyond: float = 0.0
    invalid: int = 0


class RungTrial(msgspec.Struct, frozen=True, kw_only=True):
    """One training on one rung. `failure` is what it raised, or why nothing came of it.

    `readings` holds what was read of its updates, a rollout each (`evidence/rollout_packing.py`).
    """

    seed: int
    steps: int
    taken: int = 0
    seconds: float = 0.0
    gamma: float = 0.99
    measures: tuple[Measure, ...] = ()
    behaviour: AgentBehaviour = AgentBehaviour()
    shows: tuple[str, ...] = ()
    failure: str = ""
    kind: str = ""
    printed: str = ""
    notes: tuple[str, ...] = ()
    readings: tuple[bytes, ...] = ()

    @property
    def holds(self) -> bool | None:
        """Whether every measure lies in its band; None where nothing could be measured."""
        if self.failure:
            return False
        if not self.measures:
            return None
        return all(measure.holds for measure in self.measures)

    @property
    def missed(self) -> tuple[Measure, ...]:
        """The measures out of their band."""
        return tuple(measure for measure in self.measures if not measure.holds)


class RungContrast(msgspec.Struct, frozen=True):
    """A rung that fails as configured and holds with the ladder's own settings.

    `cures` are the single settings that make it hold: name, as it was given, as the ladder has it.
    """

    cures: tuple[tuple[str, str, str], ...] = ()


class Rung(msgspec.Struct, frozen=True, kw_only=True):
    """One rung: the problem and its trials, those with a larger budget after the others.

    `code` is that of the rule with the name of the rung; rungs have it once they have been judged. `stands_alone` says
    that no rung above needs what this one adds.
    """

    name: str
    problem: str
    environment: str
    trials: tuple[RungTrial, ...] = ()
    adds: str = ""
    contrast: RungContrast | None = None
    code: str = ""
    stands_alone: bool = False

    @property
    def final(self) -> tuple[RungTrial, ...]:
        """Of each seed the trial with the largest budget."""
        last: dict[int, RungTrial] = {}
        for trial in self.trials:
            if trial.seed not in last or trial.steps >= last[trial.seed].steps:
                last[trial.seed] = trial
        return tuple(last.values())

    @property
    def verdict(self) -> str:
        """Right where almost every seed is, wrong where misses cannot be chance, undecided between the two."""
        said = [trial.holds for trial in self.final if trial.holds is not None]
        if not said:
            return UNSEEN
        wrong = said.count(False)
        if wrong == 0:
            return RIGHT
        if wrong >= 2 and wrong / len(said) >= 0.4:
            return WRONG
        return WRONG if len(said) == 1 else UNDECIDED

    @property
    def failed(self) -> tuple[RungTrial, ...]:
        """The final trials that missed."""
        return tuple(trial for trial in self.final if trial.holds is False)


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """All rungs that a trainer was put on, in their order; `left` names those that were not climbed, and why.

    `options` are those of the command line, apart from the choice of rungs, with which all was trained like this.
    `read` are the trainings whose updates were read. `proven` and `checked` say what that showed, once it was judged:
    the faults, and the codes of the rules that found none.
    """

    trainer: str
    options: tuple[str, ...] = ()
    rungs: tuple[Rung, ...] = ()
    left: dict[str, str] = {}
    shows: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    settings: dict[str, str] = {}
    seconds: float = 0.0
    stopped: bool = False
    read: tuple[Rung, ...] = ()
    proven: tuple[Finding, ...] = ()
    checked: tuple[str, ...] = ()

    def __contains__(self, name: object) -> bool:
        """Whether some form of this rung was climbed and showed anything."""
        return any(rung.name == name and rung.verdict != UNSEEN for rung in self.rungs)

    @property
    def untried(self) -> tuple[str, ...]:
        """The rungs that the time did not suffice for."""
        return tuple(title for title, why in self.left.items() if why == OUT_OF_TIME)

    def again(self, rung: Rung) -> str:
        """The command that climbs one rung once more, in the same way."""
        trainer, dashes, arguments = self.trainer.partition(" -- ")
        own = ("--", arguments) if dashes else ()
        return " ".join(("weaklink probe", trainer, *self.options, "--only", rung.problem, *own))

    def of(self, name: str) -> tuple[Rung, ...]:
        """The forms of one rung."""
        return tuple(rung for rung in self.rungs if rung.name == name)
