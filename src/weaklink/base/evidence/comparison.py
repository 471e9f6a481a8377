"""A trainer beside a reference: both trained on one environment with the same budget and the same seeds.

Plain numbers only, so that it can travel between processes. Every agent is evaluated in a fresh environment and asked
about the same observations, which random play has visited.
"""

from __future__ import annotations

import msgspec

RAISED, DIED, HUNG = "raised", "died", "hung"


class AgentEvaluation(msgspec.Struct, frozen=True, kw_only=True):
    """Episodes that the trained agent played by `act`, one entry each.

    `promised` is its value of the first observation and `discounted` what then followed, by its own discount; both
    are empty where it shows no values, and leave out episodes that were cut before the rest stopped to matter.
    """

    returns: tuple[float, ...] = ()
    lengths: tuple[int, ...] = ()
    promised: tuple[float, ...] = ()
    discounted: tuple[float, ...] = ()
    cut: int = 0


class AgentAnswers(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent says to each observation; empty for what it does not show.

    `actions` are flattened; `values` come from `value`, else from `q`; `log_probs` are of its own action; `entropies`
    are those of its samples.
    """

    actions: tuple[tuple[float, ...], ...] = ()
    values: tuple[float, ...] = ()
    q: tuple[tuple[float, ...], ...] = ()
    log_probs: tuple[float, ...] = ()
    entropies: tuple[float, ...] = ()


class ContestantTraining(msgspec.Struct, frozen=True, kw_only=True):
    """One training. `ends` has the steps, over all member environments, at which episodes ended, in their order.

    `failure` is what it raised or why nothing came back, `kind` one of raised, died and hung.
    """

    seed: int
    steps: int
    taken: int = 0
    seconds: float = 0.0
    gamma: float | None = None
    ends: tuple[int, ...] = ()
    returns: tuple[float, ...] = ()
    lengths: tuple[int, ...] = ()
    evaluation: AgentEvaluation = AgentEvaluation()
    answers: AgentAnswers = AgentAnswers()
    shows: tuple[str, ...] = ()
    failure: str = ""
    kind: str = ""
    printed: str = ""
    notes: tuple[str, ...] = ()


class Contestant(msgspec.Struct, frozen=True, kw_only=True):
    """One side: its trainings, and the settings that it was given; whatever else it uses is its own default."""

    name: str
    trainings: tuple[ContestantTraining, ...] = ()
    settings: dict[str, str] = {}
    notes: tuple[str, ...] = ()

    @property
    def whole(self) -> tuple[ContestantTraining, ...]:
        """The trainings that came to their end and whose agent could be evaluated."""
        return tuple(each for each in self.trainings if not each.failure and each.evaluation.returns)

    @property
    def failed(self) -> tuple[ContestantTraining, ...]:
        """The trainings that did not."""
        return tuple(each for each in self.trainings if each.failure)


class ActionLayout(msgspec.Struct, frozen=True, kw_only=True):
    """The flattened actions: whether they are choices, and the width of each number's range; 0 where it has no end."""

    discrete: bool = True
    widths: tuple[float, ...] = ()


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Both sides. `random` holds the returns of random play, `observations` how many things the agents were asked."""

    trainer: Contestant
    reference: Contestant
    environment: str
    steps: int
    random: tuple[float, ...] = ()
    observations: int = 0
    actions: ActionLayout = ActionLayout()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    stopped: bool = False
