"""The page of an environment: what preflight saw of it."""

from __future__ import annotations

from weaklink.base.evidence.survey import Survey
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.figures import Contestants, Pictures, Rewards, Share, Sweeps, Traces, pictures
from weaklink.show.page.blocks import (
    Bin,
    Block,
    Box,
    Boxes,
    Histogram,
    Page,
    Row,
    Section,
    Strip,
    Strips,
    Table,
)
from weaklink.show.page.coverage import checklist, context, coverage
from weaklink.show.page.findings import findings, headline
from weaklink.show.page.loop import links
from weaklink.show.text import number, several
from weaklink.verbs.preflight import Preflight

BEFORE = "Before training"


def survey_page(preflight: Preflight, *, everything: bool = False, id: str = "environment") -> Page:
    """An environment before training; without `everything`, findings up to the first break."""
    diagnosis = preflight.diagnosis if everything else preflight.shown
    survey = preflight.survey
    sections = (
        *seen(survey),
        checklist(BEFORE, preflight.checklist),
        coverage(diagnosis),
        context(survey.config),
    )
    return Page(
        id=id,
        title=survey.name or diagnosis.target,
        command="preflight",
        verdict=diagnosis.verdict.value,
        headline=headline(diagnosis, wording.survey_reason(diagnosis)),
        facts=_facts(survey, diagnosis),
        loop=links(diagnosis),
        findings=findings(diagnosis),
        sections=tuple(section for section in sections if section is not None),
        advice=diagnosis.advice,
    )


def seen(survey: Survey) -> list[Section]:
    """What was seen, drawn."""
    drawn: Pictures = pictures(survey)
    reward: list[Block] = []
    if drawn.baselines is not None:
        reward.append(_baselines(drawn.baselines))
        if drawn.baselines.duels:
            reward.append(_duels(drawn.baselines))
    if drawn.rewards is not None:
        reward.append(_rewards(drawn.rewards))
    if drawn.shares is not None:
        reward.append(_shares(drawn.shares))
    world: list[Block] = []
    if drawn.traces is not None:
        world.append(_traces(drawn.traces))
    if drawn.sweeps is not None:
        world += _sweeps(drawn.sweeps)
    parts = (("rewards", "Rewards and baselines", reward), ("seen", "What is seen, and what actions do", world))
    return [Section(id=name, title=title, blocks=tuple(blocks)) for name, title, blocks in parts if blocks]


def _facts(survey: Survey, diagnosis: Diagnosis) -> tuple[tuple[str, str], ...]:
    episodes = sum(play.episodes for play in survey.plays.values())
    facts = (
        ("environment", survey.name or diagnosis.target),
        ("played", several(episodes, "episode") if episodes else ""),
        ("policies", ", ".join(survey.plays)),
        ("judged", f"{diagnosis.judged} of {several(diagnosis.asked, 'rule')}"),
    )
    return tuple((name, value) for name, value in facts if value)


def _baselines(found: Contestants) -> Boxes:
    rows = tuple(
        Box(
            label=play.policy,
            low=play.low,
            quarter=play.quarter,
            middle=play.middle,
            three_quarters=play.three_quarters,
            high=play.high,
            mean=play.mean,
            mean_low=play.mean_low,
            mean_high=play.mean_high,
            note=", ".join(part for part in (play.told, several(play.episodes, "episode")) if part),
        )
        for play in found.plays
    )
    return Boxes(title="Returns of the baselines", rows=rows, note="The mean with its interval (95 %, by resampling).")


def _duels(found: Contestants) -> Table:
    rows = tuple(
        Row(
            cells=(
                f"{duel.first} less {duel.second}",
                _figure(duel.difference),
                f"{_figure(duel.low)} to {_figure(duel.high)}",
                f"{duel.better} is better" if duel.better else "cannot be told apart",
            )
        )
        for duel in found.duels
    )
    columns = ("baselines", "difference", "interval (99 %)", "")
    return Table(title="Baselines compared", columns=columns, rows=rows, numeric=(1, 2))


def _rewards(found: Rewards) -> Histogram:
    bins = [Bin(low=bar.low, high=bar.high, count=bar.count) for bar in found.bars if bar.count]
    if found.zeros:
        bins.append(Bin(low=0.0, high=0.0, count=found.zeros))
    odd = f", {found.not_finite:,} of them no finite number" if found.not_finite else ""
    ordered = tuple(sorted(bins, key=lambda each: (each.low, each.high)))
    return Histogram(title="Rewards", bins=ordered, note=f"{several(found.steps, 'step')} of all baselines{odd}")


def _shares(shares: tuple[Share, ...]) -> Table:
    rows = tuple(Row(cells=(one.policy, one.component, number(one.mean), f"{100 * one.share:.0f} %")) for one in shares)
    columns = ("policy", "part", "mean a step", "share of the variance")
    return Table(title="Parts of the reward", columns=columns, rows=rows, numeric=(2, 3))


def _traces(found: Traces) -> Strips:
    rows = []
    for trace in found.traces:
        constant = "always the same" if trace.lows and trace.low == trace.high else ""
        odd = f"{several(trace.not_finite, 'value')} not finite" if trace.not_finite else ""
        reach = f"{number(trace.low)} to {number(trace.high)}" if trace.lows and not constant else constant
        middle = tuple(low / 2 + high / 2 for low, high in zip(trace.lows, trace.highs, strict=True))
        note = ", ".join(part for part in (reach, odd) if part)
        rows.append(Strip(label=trace.label, values=middle, lows=trace.lows, highs=trace.highs, note=note))
    more = f"; {several(found.left_out, 'more column')} not shown" if found.left_out else ""
    note = f"one episode of {found.policy}, {several(found.steps, 'step')}{more}"
    return Strips(title="What is seen", rows=tuple(rows), note=note)


def _sweeps(found: Sweeps) -> list[Block]:
    more = f"; {several(found.left_out, 'more dimension')} not shown" if found.left_out else ""
    near = tuple(Strip(label=each.label, values=each.near, note=_most(each.near)) for each in found.dimensions)
    far = tuple(Strip(label=each.label, values=each.far, note=_most(each.far)) for each in found.dimensions)
    note = f"the size of the change of what is seen, from the lowest position of the action to the highest{more}"
    return [
        Strips(title="What actions do at once", rows=near, note=note),
        Strips(title=f"What actions do after {several(found.horizon, 'step')}", rows=far, note=note),
    ]


def _most(effects: tuple[float, ...]) -> str:
    return f"at most {_figure(max(effects))}" if effects else ""


def _figure(value: float) -> str:
    """A number in four digits, whatever its size."""
    return number(float(f"{value:.4g}"))
