"""The ladder of probes as test cases: one check for each rung that a trainer can take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

import msgspec

from weaklink.base.evidence.outcome import RIGHT, UNSEEN, Outcome, Rung
from weaklink.base.evidence.traits import CONTINUOUS, DISCRETE, Traits
from weaklink.base.finding import Finding, Level
from weaklink.collect.probes.inline import InlineRunner
from weaklink.collect.probes.ladder import ProbeRunner
from weaklink.collect.probes.language.problem import LanguageProbe
from weaklink.collect.probes.plan import AnyProbe, ProbePlan, explain_unanswerable, plan_ladder
from weaklink.collect.probes.pool import ProbePool
from weaklink.collect.probes.probe import CONTINUOUS as BOX
from weaklink.collect.probes.trainers import find_trainer, read_traits
from weaklink.judge.diagnosis.probing import judge_outcome
from weaklink.verbs.probe import climb, resolve_rung_names


class BrokenRung(AssertionError):
    """A rung that the trainer does not climb; `findings` say what is wrong, `rung` holds what was measured."""

    def __init__(self, findings: tuple[Finding, ...], rung: Rung) -> None:
        super().__init__("\n".join(_format_finding(findings[0], rung)))
        self.findings = findings
        self.rung = rung


class Check:
    """One rung as a test: call it, and it trains; it passes, fails or skips."""

    weaklink_probe = True

    def __init__(self, ladder: _SharedLadder, probe: AnyProbe) -> None:
        self._ladder = ladder
        self._probe = probe
        self.title = probe.title

    def __call__(self) -> None:
        """Trains on this rung.

        Raises:
            BrokenRung: the trainer does not learn the right answer; the message says what is wrong and what to do.
            pytest.skip.Exception: the trainer does not take this rung, or its agent does not show what it asks for.
        """
        __tracebackhide__ = True
        self._ladder.climb(self._probe)

    def __repr__(self) -> str:
        return f"Check({self.title})"


def parametrize_with_probes(
    trainer: Any,
    *,
    only: Iterable[str] = (),
    seeds: int = 2,
    actions: str = "auto",
    steps: int = 0,
    levels: int = 2,
    gamma: float | None = None,
    settings: Mapping[str, Any] | None = None,
    isolate: bool = False,
    timeout: float = 300.0,
) -> Callable[[Callable[..., Any]], Any]:
    """Gives a test function a parameter `check`, once for each rung that the trainer can take.

    Args:
        trainer: a function `train(make_env, steps, seed)`, or a word such as `module:train` or `sb3:PPO`.
        only: names, codes or titles of rungs; all of them if left out.
        seeds: how many trainings each rung gets at first; where they disagree there are two more.
        actions: discrete, continuous, both, or auto, which takes the first kind that the trainer says it takes.
        steps: of a training on the easiest rung; 0 leaves it to what the trainer says of itself.
        levels: how many budgets are tried, each four times the last, before a miss counts.
        gamma: the discount of a trainer that neither takes one nor tells its own.
        settings: hyper-parameters of a trainer given by name.
        isolate: trains a word in processes of its own, which are ended after `timeout` seconds.
        timeout: of one training, where it is isolated.
    """
    import pytest

    plan = ProbePlan(
        seeds=seeds, actions=actions, only=tuple(only), steps=steps, levels=levels, gamma=gamma, timeout=timeout
    )
    checks = checks_for(trainer, plan, settings=settings, isolate=isolate)
    return pytest.mark.parametrize("check", [pytest.param(check, id=check.title) for check in checks])


def checks_for(
    trainer: Any, plan: ProbePlan, *, settings: Mapping[str, Any] | None = None, isolate: bool = False
) -> list[Check]:
    """The checks of a trainer, in the order of the ladder."""
    plan = resolve_rung_names(plan)
    climbs = _SharedLadder(trainer, plan, settings, isolate=isolate)
    return [Check(climbs, probe) for probe in plan_ladder(plan, climbs.traits)[0]]


class _SharedLadder:
    """What the checks of one trainer share: which rungs have held so far, and what its agents show."""

    def __init__(self, trainer: Any, plan: ProbePlan, settings: Mapping[str, Any] | None, *, isolate: bool) -> None:
        train = find_trainer(trainer, settings)
        self._trainer, self._train, self._settings = trainer, train, settings
        self._isolate = isolate and isinstance(trainer, str)
        self._plan = plan
        self.traits = read_traits(train)
        self._name = trainer if isinstance(trainer, str) else getattr(trainer, "__name__", type(trainer).__name__)
        self._held: list[Rung] = []
        self._shows: tuple[str, ...] | None = None

    def climb(self, probe: AnyProbe) -> None:
        __tracebackhide__ = True
        if self._shows is not None and explain_unanswerable(probe, self._shows):
            _skip(probe, explain_unanswerable(probe, self._shows))
        rung = self._climbed(probe)
        if rung.verdict == UNSEEN:
            reason = explain_unanswerable(probe, self._shows or ())
            _skip(probe, reason or f"nothing that the agent shows answers {probe.name}")
        outcome = Outcome(trainer=self._name, rungs=(*self._held, rung), shows=self._shows or ())
        alarms = [finding for finding in judge_outcome(outcome).findings if finding.severity >= Level.WARN]
        if alarms:
            raise BrokenRung(tuple(alarms), rung)
        if rung.verdict == RIGHT:
            self._held.append(rung)

    def _climbed(self, probe: AnyProbe) -> Rung:
        """One rung and no other; one that the trainer refuses is skipped."""
        __tracebackhide__ = True
        plan = msgspec.structs.replace(self._plan, only=(probe.title,))
        outcome = climb(self._name, self._traits_for(probe), plan, self._runner(plan))
        if outcome.stopped:
            raise KeyboardInterrupt
        if not outcome.rungs:
            _skip(probe, outcome.left[probe.title])
        rung = outcome.rungs[0]
        if any(not trial.failure for trial in rung.trials):
            self._shows = next(trial.shows for trial in rung.trials if not trial.failure)
        return rung

    def _traits_for(self, probe: AnyProbe) -> Traits:
        """Those of the trainer, with the actions of the rung alone: its title may also be the name of other forms."""
        if isinstance(probe, LanguageProbe):
            return self.traits
        kind = CONTINUOUS if probe.acts == BOX else DISCRETE
        return msgspec.structs.replace(self.traits, actions=(kind,))

    def _runner(self, plan: ProbePlan) -> ProbeRunner:
        if self._isolate:
            return ProbePool(self._trainer, plan, self._settings)
        return InlineRunner(self._train, plan.gamma)


def _skip(probe: AnyProbe, reason: str) -> NoReturn:
    import pytest

    __tracebackhide__ = True
    pytest.skip(f"{probe.title}: {reason}")


def _format_finding(finding: Finding, rung: Rung) -> list[str]:
    """The finding as it would be shown at a terminal, in plain lines."""
    lines = [f"{finding.code} {finding.name}: {finding.message}"]
    lines += [
        f"  {one.metric} = {one.value:.4g}" + ("" if one.limit is None else f", limit {one.limit:.4g}")
        for one in finding.evidence
    ]
    if finding.fix:
        lines += ["What to do:", *(f"  {count}. {item}" for count, item in enumerate(finding.fix, 1))]
    if finding.verify:
        lines += [f"How to prove it: {finding.verify}"]
    printed = next((trial.printed for trial in rung.failed if trial.printed), "")
    return [*lines, *(["The trainer said:", printed.rstrip()] if printed else [])]
