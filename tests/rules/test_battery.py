"""Every rule against what logs really hold: its fault, its healthy twin, and every kind of degenerate evidence."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from typing import Any

import msgspec
import numpy as np
import pytest

from tests.counting import count_lines
from tests.looping import loop_over
from tests.sharing import share
from tests.worlds import changed as survey_with
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.model import ModelCheck
from weaklink.base.evidence.outcome import AgentBehaviour, Outcome, RungTrial
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Series
from weaklink.base.evidence.survey import Play, Survey
from weaklink.base.finding import CannotTell, Finding
from weaklink.judge.rules._registry import Rule, load_rules

RULES = list(load_rules().values())
RUN_RULES = [rule for rule in RULES if rule.on is Run]
SURVEY_RULES = [rule for rule in RULES if rule.on is Survey]
OUTCOME_RULES = [rule for rule in RULES if rule.on is Outcome]
SAMPLES_RULES = [rule for rule in RULES if Samples in rule.reads]


@lru_cache(maxsize=8)  # a loop has one rule at a time
def cases(rule: Rule, kind: str) -> list[Any]:
    """The evidence on which a rule must fire, or be silent; what is trained for it is trained once for all.

    Where many have to be trained, `make test-whole` tries `more_sick` and `more_healthy` as well.
    """
    make = train_cases if rule.on is Rollout else make_cases
    return make(rule.judge.__module__.split(".")[-2], rule.judge.__name__, kind)


def make_cases(family: str, name: str, kind: str) -> list[Any]:
    made = getattr(import_module(f"tests.rules.{family}.test_{name}"), kind, list)()
    return made if isinstance(made, list) else [made]


train_cases = share(make_cases)


def runs(rule: Rule, *kinds: str) -> list[Run]:
    return [case for kind in kinds for case in cases(rule, kind) if isinstance(case, Run)]


@pytest.mark.parametrize("kind", ["sick", pytest.param("more_sick", marks=pytest.mark.whole)])
@loop_over(rule=RULES)
def test_fires_on_its_fault(rule: Rule, kind: str):
    for number, evidence in enumerate(cases(rule, kind)):
        answer = rule.ask(evidence)
        findings = answer if isinstance(answer, tuple) else (answer,)
        assert findings
        for finding in findings:
            assert isinstance(finding, Finding), f"sick case {number} gave {answer}"
            assert finding.message.endswith("."), finding.message
            assert "\n" not in finding.message
            assert finding.fix, "what to do must be a list"
            assert finding.verify, "how to prove it must not be empty"
            assert finding.code == rule.code


@pytest.mark.parametrize("kind", ["healthy", pytest.param("more_healthy", marks=pytest.mark.whole)])
@loop_over(rule=RULES)
def test_is_silent_on_its_healthy_twin(rule: Rule, kind: str):
    for number, evidence in enumerate(cases(rule, kind)):
        answer = rule.ask(evidence)
        assert not isinstance(answer, Finding | tuple), f"healthy case {number} gave {answer}"


@loop_over(rule=RULES)
def test_cannot_tell_without_evidence(rule: Rule):
    if Samples in rule.reads:
        assert isinstance(rule.ask(Samples(name="empty")), CannotTell)
    if rule.on is Run:
        assert isinstance(rule.ask(Run(name="empty")), CannotTell)
    elif rule.on is Config:
        assert not isinstance(rule.ask(Config()), Finding)
    elif rule.on is Survey:
        assert isinstance(rule.ask(Survey(name="empty")), CannotTell)
    elif rule.on is ModelCheck:
        assert not isinstance(rule.ask(ModelCheck()), Finding | tuple)
    elif rule.on is Outcome and rule.needs:
        assert isinstance(rule.ask(Outcome(trainer="empty")), CannotTell)
    elif rule.on is Outcome:
        assert not isinstance(rule.ask(Outcome(trainer="empty")), Finding | tuple)


def changed(run: Run, change: Any) -> Run:
    return replace(run, series={name: change(series) for name, series in run.series.items()})


def with_values(change: Any) -> Any:
    def apply(series: Series) -> Series:
        values = change(series.values.copy())
        return Series.of(series.name, series.steps[: len(values)], values, provenance=series.provenance)

    return apply


def sprinkled(value: float) -> Any:
    def apply(values: np.ndarray) -> np.ndarray:
        values[::7] = value
        return values

    return apply


DEGENERATE = {
    "nan here and there": with_values(sprinkled(np.nan)),
    "inf here and there": with_values(sprinkled(np.inf)),
    "all nan": with_values(lambda values: np.full_like(values, np.nan)),
    "one point": with_values(lambda values: values[:1]),
    "two points": with_values(lambda values: values[:2]),
    "constant": with_values(lambda values: np.full_like(values, 0.5)),
    "zero": with_values(np.zeros_like),
    "huge": with_values(lambda values: values * 1e300),
    "tiny": with_values(lambda values: values * 1e-300),
    "permuted": with_values(lambda values: np.random.default_rng(0).permutation(values)),
    "reversed": with_values(lambda values: values[::-1].copy()),
    "empty": with_values(lambda values: values[:0]),
}


some_cases = pytest.mark.parametrize(
    "some", [slice(1), pytest.param(slice(1, None), marks=pytest.mark.whole)], ids=["the first", "the rest"]
)
"""One of each kind goes the ways through a rule that degenerate numbers take; `make test-whole` tries the rest."""


@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value encountered")
@some_cases
@loop_over(rule=RUN_RULES, how=DEGENERATE)
def test_never_raises_on_degenerate_evidence(rule: Rule, how: str, some: slice):
    for run in runs(rule, "sick")[some] + runs(rule, "healthy")[some]:
        answer = rule.ask(changed(run, DEGENERATE[how]))
        assert answer is None or isinstance(answer, Finding | CannotTell)


@loop_over(rule=RUN_RULES)
def test_one_metric_missing_after_the_other(rule: Rule):
    for run in runs(rule, "sick"):
        for missing in run.series:
            rest = {name: series for name, series in run.series.items() if name != missing}
            answer = rule.ask(replace(run, series=rest))
            assert answer is None or isinstance(answer, Finding | CannotTell)


@pytest.fixture(scope="module")
def ten_million() -> Series:
    rng = np.random.default_rng(0)
    return Series.of("long", np.arange(10_000_000), rng.normal(1.0, 0.3, 10_000_000))


@loop_over(rule=RUN_RULES)
def test_ten_million_points_cost_no_more_than_a_blink(rule: Rule, ten_million: Series):
    run = runs(rule, "sick")[0]
    long = changed(run, lambda series: replace(ten_million, name=series.name, provenance=series.provenance))
    # a hundredth of the points: a series is bounded, and rules go through it a few times at most
    assert count_lines(lambda: rule.ask(long)) < 100_000


def each_play(change: Any) -> Any:
    def apply(survey: Survey) -> Survey:
        return survey_with(survey, plays={name: change(play) for name, play in survey.plays.items()})

    return apply


def arrays(change: Any) -> Any:
    """Every array over steps changed: rewards, observations, successors, actions, components and metrics."""

    def apply(play: Play) -> Play:
        fields: dict[str, Any] = {"rewards": change(play.rewards.copy())}
        for name in ("observations", "successors", "actions", "raw_rewards"):
            value = getattr(play, name)
            fields[name] = None if value is None else change(value.copy())
        fields["components"] = {key: change(value.copy()) for key, value in play.components.items()}
        fields["metrics"] = {key: change(value.copy()) for key, value in play.metrics.items()}
        return msgspec.structs.replace(play, **fields)

    return each_play(apply)


def shortened(episodes: int) -> Any:
    def apply(play: Play) -> Play:
        steps = int(play.lengths[:episodes].sum())
        fields = {name: getattr(play, name)[:episodes] for name in ("lengths", "ends")}
        for name in ("rewards", "observations", "successors", "actions", "raw_rewards"):
            value = getattr(play, name)
            fields[name] = None if value is None else value[:steps]
        for name in ("components", "metrics"):
            fields[name] = {key: value[:steps] for key, value in getattr(play, name).items()}
        return msgspec.structs.replace(play, **fields)

    return each_play(apply)


DEGENERATE_WORLDS = {
    "nan here and there": arrays(sprinkled(np.nan)),
    "inf here and there": arrays(sprinkled(np.inf)),
    "all nan": arrays(lambda values: np.full_like(values, np.nan)),
    "constant": arrays(lambda values: np.full_like(values, 0.5)),
    "zero": arrays(np.zeros_like),
    "huge": arrays(lambda values: values * 1e300),
    "tiny": arrays(lambda values: values * 1e-300),
    "one episode": shortened(1),
    "two episodes": shortened(2),
    "no episode": shortened(0),
    "no observation": each_play(
        lambda play: msgspec.structs.replace(play, observations=None, successors=None, actions=None)
    ),
    "nothing ended": each_play(lambda play: msgspec.structs.replace(play, ends=np.zeros_like(play.ends))),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value encountered")
@some_cases
@loop_over(rule=SURVEY_RULES, how=DEGENERATE_WORLDS)
def test_never_raises_on_degenerate_worlds(rule: Rule, how: str, some: slice):
    for survey in cases(rule, "sick")[some] + cases(rule, "healthy")[some]:
        answer = rule.ask(DEGENERATE_WORLDS[how](survey))
        assert answer is None or isinstance(answer, Finding | CannotTell | tuple)


class NotedSurvey(Survey):
    """A survey that notes which of its parts are looked at."""

    def __getattribute__(self, name: str) -> Any:
        LOOKED_AT.add(name)
        return super().__getattribute__(name)


LOOKED_AT: set[str] = set()


def list_looked_at(rule: Rule, survey: Survey) -> list[str]:
    """The parts that a rule looks at: without one of the others it does exactly the same."""
    noted = NotedSurvey(**{field: getattr(survey, field) for field in Survey.__struct_fields__})
    LOOKED_AT.clear()
    rule.ask(noted)
    return [field for field in Survey.__struct_fields__[1:] if field in LOOKED_AT]


@pytest.mark.slow
@loop_over(rule=SURVEY_RULES)
def test_one_part_of_a_survey_missing_after_the_other(rule: Rule):
    empty, survey = Survey(name="empty"), cases(rule, "sick")[0]
    for field in list_looked_at(rule, survey):
        held, nothing = getattr(survey, field), getattr(empty, field)
        if held is nothing or (isinstance(held, tuple | dict | str) and not held and not nothing):
            continue  # it is missing as it is
        answer = rule.ask(survey_with(survey, **{field: nothing}))
        assert answer is None or isinstance(answer, Finding | CannotTell | tuple)
    for play in survey.plays:
        rest = {name: one for name, one in survey.plays.items() if name != play}
        answer = rule.ask(survey_with(survey, plays=rest))
        assert answer is None or isinstance(answer, Finding | CannotTell | tuple)


def each_trial(change: Any) -> Any:
    def apply(outcome: Outcome) -> Outcome:
        rungs = tuple(msgspec.structs.replace(rung, trials=tuple(map(change, rung.trials))) for rung in outcome.rungs)
        return msgspec.structs.replace(outcome, rungs=rungs)

    return apply


def measuring(value: float) -> Any:
    def apply(trial: RungTrial) -> RungTrial:
        measures = tuple(msgspec.structs.replace(measure, measured=value) for measure in trial.measures)
        return msgspec.structs.replace(trial, measures=measures)

    return each_trial(apply)


def trials_with(**fields: Any) -> Any:
    return each_trial(lambda trial: msgspec.structs.replace(trial, **fields))


def without_trials(outcome: Outcome) -> Outcome:
    rungs = tuple(msgspec.structs.replace(rung, trials=()) for rung in outcome.rungs)
    return msgspec.structs.replace(outcome, rungs=rungs)


DEGENERATE_OUTCOMES = {
    "nan": measuring(np.nan),
    "inf": measuring(np.inf),
    "minus inf": measuring(-np.inf),
    "huge": measuring(1e300),
    "zero": measuring(0.0),
    "nothing measured": trials_with(measures=()),
    "failures only": trials_with(failure="ValueError: no", kind="raised"),
    "failures that measured nothing": trials_with(failure="ValueError: no", kind="raised", measures=()),
    "nothing known of what was done": trials_with(behaviour=AgentBehaviour()),
    "no trials": without_trials,
    "no rungs": lambda outcome: msgspec.structs.replace(outcome, rungs=()),
}


@pytest.mark.slow
@loop_over(rule=OUTCOME_RULES, how=DEGENERATE_OUTCOMES)
def test_never_raises_on_degenerate_outcomes(rule: Rule, how: str):
    for outcome in cases(rule, "sick") + cases(rule, "healthy"):
        answer = rule.ask(DEGENERATE_OUTCOMES[how](outcome))
        assert answer is None or isinstance(answer, Finding | CannotTell | tuple)


LADDER = [rule for rule in OUTCOME_RULES if rule.code <= "PRB119"]


@loop_over(rule=LADDER, value=[np.nan, np.inf])
def test_an_answer_that_is_no_number_is_wrong(rule: Rule, value: float):
    finding = rule.ask(measuring(value)(cases(rule, "healthy")[0]))
    assert isinstance(finding, Finding)
    assert "no finite number" in finding.message


MANY_ROWS = 300_000


def sets(rule: Rule, *kinds: str) -> list[Samples]:
    return [case for kind in kinds for case in cases(rule, kind) if isinstance(case, Samples)]


def columns_of(samples: Samples, change: Any) -> Samples:
    """Every column of numbers changed, of the set and of its baseline."""
    numbers = {name: change(column.copy()) for name, column in samples.numbers.items()}
    baseline = None if samples.baseline is None else columns_of(samples.baseline, change)
    return replace(samples, numbers=numbers, baseline=baseline)


def rows_of(samples: Samples, rows: slice) -> Samples:
    baseline = None if samples.baseline is None else rows_of(samples.baseline, rows)
    return replace(samples.where(np.arange(len(samples))[rows]), baseline=baseline)


def coded(samples: Samples, number: int) -> Samples:
    codes = {name: np.full_like(column, number) for name, column in samples.codes.items()}
    baseline = None if samples.baseline is None else coded(samples.baseline, number)
    return replace(samples, codes=codes, baseline=baseline)


EMPTY_SAMPLES = {
    "no row": lambda samples: rows_of(samples, slice(0)),
    "one row": lambda samples: rows_of(samples, slice(1)),
    "three rows": lambda samples: rows_of(samples, slice(3)),
    "all nan": lambda samples: columns_of(samples, lambda column: np.full_like(column, np.nan)),
    "all inf": lambda samples: columns_of(samples, lambda column: np.full_like(column, np.inf)),
}
DEGENERATE_SAMPLES = {
    "constant": lambda samples: columns_of(samples, lambda column: np.full_like(column, 0.5)),
    "zero": lambda samples: columns_of(samples, np.zeros_like),
    "nan here and there": lambda samples: columns_of(samples, sprinkled(np.nan)),
    "inf here and there": lambda samples: columns_of(samples, sprinkled(np.inf)),
    "minus inf here and there": lambda samples: columns_of(samples, sprinkled(-np.inf)),
    "a million times": lambda samples: columns_of(samples, lambda column: column * 1e6),
    "a millionth": lambda samples: columns_of(samples, lambda column: column * 1e-6),
    "negative": lambda samples: columns_of(samples, np.negative),
    "permuted": lambda samples: columns_of(samples, np.random.default_rng(0).permutation),
    "one group": lambda samples: coded(samples, 0),
    "no code known": lambda samples: coded(samples, -1),
}


@loop_over(rule=SAMPLES_RULES, how=EMPTY_SAMPLES)
def test_says_nothing_of_samples_that_say_nothing(rule: Rule, how: str):
    for samples in sets(rule, "sick", "healthy"):
        answer = rule.ask(EMPTY_SAMPLES[how](samples))
        assert answer is None or isinstance(answer, CannotTell)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value encountered")
@some_cases
@loop_over(rule=SAMPLES_RULES, how=DEGENERATE_SAMPLES)
def test_never_raises_on_degenerate_samples(rule: Rule, how: str, some: slice):
    for samples in sets(rule, "sick")[some] + sets(rule, "healthy")[some]:
        answer = rule.ask(DEGENERATE_SAMPLES[how](samples))
        assert answer is None or isinstance(answer, Finding | CannotTell | tuple)


@loop_over(rule=SAMPLES_RULES)
def test_one_column_missing_after_the_other(rule: Rule):
    for samples in sets(rule, "sick"):
        for missing in (*samples.numbers, *samples.codes):
            numbers = {name: column for name, column in samples.numbers.items() if name != missing}
            codes = {name: column for name, column in samples.codes.items() if name != missing}
            answer = rule.ask(replace(samples, numbers=numbers, codes=codes))
            assert answer is None or isinstance(answer, Finding | CannotTell | tuple)


@pytest.mark.slow
@loop_over(rule=SAMPLES_RULES)
def test_many_rows_are_judged_at_once(rule: Rule):
    samples = next(iter(sets(rule, "sick")))
    times = MANY_ROWS // len(samples)
    apart = np.repeat(np.arange(times), len(samples)) * 10_000_000
    long = replace(
        samples,
        numbers={name: np.tile(column, times) for name, column in samples.numbers.items()},
        codes={name: np.tile(column, times) + apart for name, column in samples.codes.items()},
    )
    # rows are judged as arrays; agents' episodes, of several rows each, may be gone through one by one
    assert count_lines(lambda: rule.ask(long)) < MANY_ROWS // 4
