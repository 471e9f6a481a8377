"""An environment before training: what preflight saw of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec

from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.document import (
    HTML,
    TERMINAL,
    WHOLE,
    Block,
    Box,
    Boxes,
    Histogram,
    HistogramBin,
    Page,
    Prose,
    Section,
    Strip,
    Strips,
    Table,
    TableRow,
)
from weaklink.show.figures import (
    PlayFigure,
    ReturnFigure,
    RewardFigure,
    RewardShare,
    SurveyFigures,
    SweepFigure,
    TraceFigure,
    make_figures,
)
from weaklink.show.subjects.coverage import show_checklist, show_context
from weaklink.show.subjects.judged import build_judged, record_diagnosis
from weaklink.show.text import count_noun, format_number
from weaklink.verbs.preflight import Preflight

COMMAND = "preflight"
DRAWN = (TERMINAL, HTML)
CHANGE = "how far the observation changes, from the lowest action to the highest"


def build(preflight: Preflight, *, everything: bool = False, id: str = "environment") -> Page:
    """An environment before training; without `everything`, findings up to the first break."""
    diagnosis, survey = _pick_diagnosis(preflight, everything=everything), preflight.survey
    return build_judged(
        diagnosis,
        id=id,
        title=survey.name or diagnosis.target,
        command=COMMAND,
        reason=wording.explain_survey_verdict(diagnosis),
        facts=_list_facts(survey, diagnosis),
        brief=5,
        sections=[
            *show_survey(survey),
            *show_checklist("Before training", preflight.checklist),
            *show_context(survey.config),
        ],
    )


def record(preflight: Preflight, *, everything: bool = False) -> dict[str, Any]:
    """The diagnosis, the checklist, and what the pictures are drawn from, under the keys of the contract."""
    survey = preflight.survey
    spaces = {"observation": survey.observation, "action": survey.action}
    told = {name: None if space is None else _record_space(space) for name, space in spaces.items()}
    timing = None if survey.timing is None else msgspec.to_builtins(survey.timing)
    return {
        **record_diagnosis(_pick_diagnosis(preflight, everything=everything)),
        "seconds": survey.seconds,
        "environment": {**told, "facts": dict(survey.facts), "timing": timing},
        "checklist": [msgspec.to_builtins(item) for item in preflight.checklist],
        "pictures": msgspec.to_builtins(make_figures(survey)),
    }


def _pick_diagnosis(preflight: Preflight, *, everything: bool) -> Diagnosis:
    return preflight.diagnosis if everything else preflight.shown


def _record_space(space: Space) -> dict[str, Any]:
    body: dict[str, Any] = {"kind": space.kind, "size": space.size}
    if space.shape:
        body["shape"] = list(space.shape)
    if space.choices:
        body["choices"] = list(space.choices)
    if space.parts:
        body["parts"] = {key: _record_space(part) for key, part in space.parts.items()}
    return body


def _list_facts(survey: Survey, diagnosis: Diagnosis) -> list[tuple[str, str]]:
    """What was surveyed: its spaces, how fast it is and how long it was looked at."""
    episodes = sum(play.episodes for play in survey.plays.values())
    sees, does = (
        "" if space is None else f"{verb} {describe_space(space)}"
        for verb, space in (("sees", survey.observation), ("does", survey.action))
    )
    return [
        ("environment", survey.name or diagnosis.target),
        ("observation", sees),
        ("action", does),
        ("speed", "" if survey.timing is None else f"{format_number(round(survey.timing.steps_per_second))} steps/s"),
        ("took", f"surveyed in {survey.seconds:.0f} s"),
        ("played", count_noun(episodes, "episode") if episodes else ""),
        ("policies", ", ".join(survey.plays)),
        ("judged", f"{diagnosis.judged} of {count_noun(diagnosis.asked, 'rule')}"),
    ]


def describe_space(space: Space) -> str:
    """A space in a few words."""
    if space.parts:
        return f"{space.kind} of {', '.join(space.parts)}"
    known = {
        "discrete": lambda: f"1 of {space.choices[0]}",
        "multi_discrete": lambda: count_noun(len(space.choices), "choice"),
        "multi_binary": lambda: f"{space.size} switches",
        "box": lambda: (
            f"an image {'x'.join(map(str, space.shape))}" if space.is_image else count_noun(space.size, "number")
        ),
    }
    return known.get(space.kind, lambda: "something that is no array of numbers")()


def show_survey(survey: Survey, trained: Box | None = None) -> list[Section]:
    """What was seen, drawn; the returns of a `trained` policy stand among those of the baselines."""
    return draw_pictures(make_figures(survey), trained)


def draw_pictures(drawn: SurveyFigures, trained: Box | None = None) -> list[Section]:
    """What the pictures of a survey show."""
    return [*_show_rewards(drawn, trained), *_show_world(drawn)]


def _show_rewards(drawn: SurveyFigures, trained: Box | None) -> list[Section]:
    blocks: list[Block] = []
    if drawn.baselines is not None:
        blocks += _draw_baselines(drawn.baselines, trained)
    if drawn.rewards is not None:
        blocks.append(_draw_rewards(drawn.rewards))
    if drawn.shares is not None:
        blocks.append(_draw_shares(drawn.shares, drawn.baselines))
    shown = [Section(id="rewards", title="Rewards and baselines", blocks=tuple(blocks), view=WHOLE)] if blocks else []
    return [*shown, *_compare_baselines(drawn.baselines)]


def _show_world(drawn: SurveyFigures) -> list[Section]:
    blocks: list[Block] = [] if drawn.traces is None else [_draw_traces(drawn.traces)]
    if drawn.sweeps is not None:
        blocks += _draw_sweeps(drawn.sweeps)
    section = Section(
        id="seen", title="What is seen, and what actions do", blocks=tuple(blocks), where=DRAWN, view=WHOLE
    )
    return [section] if blocks else []


def _draw_baselines(found: PlayFigure, trained: Box | None) -> list[Block]:
    rows = [
        draw_returns(play, ", ".join(part for part in (count_noun(play.episodes, "episode"), play.told) if part))
        for play in found.plays
    ]
    title = "Returns of the baselines"
    if trained is not None:
        rows, title = [*rows, trained], f"{title} and of the trained policy"
    note = "the mean with its interval (95 %, by resampling)"
    blocks: list[Block] = [Boxes(title=title, rows=tuple(rows), note=note)]
    if len(found.plays) > 1:
        blocks.append(Prose(title="", paragraphs=(_rank_baselines(found),)))
    return blocks


def draw_returns(play: ReturnFigure, note: str) -> Box:
    """The returns of one policy as a row among others."""
    numbers = {name: getattr(play, name) for name in Box.__struct_fields__ if name not in ("label", "note")}
    return Box(label=play.policy, note=note, **numbers)


def _rank_baselines(found: PlayFigure) -> str:
    """The baselines from best to worst, with a sign between neighbours."""
    ordered = sorted(found.plays, key=lambda play: -play.mean)
    better = {frozenset((duel.first, duel.second)): bool(duel.better) for duel in found.duels}
    signs = [
        ">" if better.get(frozenset((before.policy, after.policy))) else "≈" for before, after in pairwise(ordered)
    ]
    told = ordered[0].policy + "".join(f" {sign} {play.policy}" for sign, play in zip(signs, ordered[1:], strict=True))
    return told + ("  (≈ no difference beyond chance)" if "≈" in signs else "")


def _compare_baselines(found: PlayFigure | None) -> list[Section]:
    """Every two of them, for whoever asks."""
    if found is None or not found.duels:
        return []
    rows = tuple(
        TableRow(
            cells=(
                f"{duel.first} less {duel.second}",
                _format_number(duel.difference),
                f"{_format_number(duel.low)} to {_format_number(duel.high)}",
                f"{duel.better} is better" if duel.better else "no difference beyond chance",
            )
        )
        for duel in found.duels
    )
    columns = ("baselines", "difference", "interval (99 %)", "")
    table = Table(title="", columns=columns, rows=rows, numeric=(1, 2))
    return [Section(id="compared", title="Baselines compared", blocks=(table,), closed=True, where=(HTML,))]


def _draw_rewards(found: RewardFigure) -> Histogram:
    bins = [HistogramBin(low=bar.low, high=bar.high, count=bar.count) for bar in found.bars if bar.count]
    if found.zeros:
        bins.append(HistogramBin(low=0.0, high=0.0, count=found.zeros))
    odd = f", {found.not_finite:,} of them no finite number" if found.not_finite else ""
    ordered = tuple(sorted(bins, key=lambda each: (each.low, each.high)))
    return Histogram(title="Rewards", bins=ordered, note=f"{count_noun(found.steps, 'step')}{odd}", where=DRAWN)


def _draw_shares(shares: Sequence[RewardShare], baselines: PlayFigure | None) -> Table:
    """The parts of the reward, of random play and of the best first: where there is little room, only of these."""
    means = {play.policy: play.mean for play in baselines.plays} if baselines else {}
    best = max(means, key=lambda name: means[name], default="")
    first = [share for name in dict.fromkeys((RANDOM, best)) for share in shares if share.policy == name]
    rest = [share for share in shares if share not in first]
    rows = tuple(
        TableRow(cells=(one.policy, one.component, f"{100 * one.share:.0f} %", format_number(one.mean)))
        for one in (*first, *rest)
    )
    return Table(
        title="Parts of the reward",
        columns=("policy", "part", "share", "mean"),
        rows=rows,
        note="share of the variance, mean a step",
        numeric=(2, 3),
        names=(0, 1),
        short=len(first),
    )


def _draw_traces(found: TraceFigure) -> Strips:
    rows = []
    for trace in found.traces:
        reach = f"{format_number(trace.low)} to {format_number(trace.high)}" if trace.lows else "no number"
        odd = f"{reach}, {count_noun(trace.not_finite, 'value')} not finite" if trace.not_finite and trace.lows else ""
        middle = tuple(low / 2 + high / 2 for low, high in zip(trace.lows, trace.highs, strict=True))
        rows.append(Strip(label=trace.label, values=middle, lows=trace.lows, highs=trace.highs, note=odd))
    more = f", {count_noun(found.left_out, 'more column')} not shown" if found.left_out else ""
    note = f"one episode of {found.policy}, {count_noun(found.steps, 'step')}{more}"
    return Strips(title="What is seen", rows=tuple(rows), note=note)


def _draw_sweeps(found: SweepFigure) -> list[Block]:
    """What each dimension of the action does at once, and later."""
    more = f", {count_noun(found.left_out, 'more dimension')} not shown" if found.left_out else ""
    notes = ("at once", f"after {count_noun(found.horizon, 'step')}: {CHANGE}{more}")
    return [
        Strips(
            title="What actions do",
            rows=tuple(
                Strip(label=each.label, values=values, note=_format_largest(values)) for each, values in effects
            ),
            note=note,
            shared=True,
        )
        for note, effects in zip(
            notes,
            ([(each, each.near) for each in found.dimensions], [(each, each.far) for each in found.dimensions]),
            strict=True,
        )
    ]


def _format_largest(effects: Sequence[float]) -> str:
    return f"max {_format_number(max(effects))}" if effects else ""


def _format_number(value: float) -> str:
    """A number in four digits, whatever its size."""
    return format_number(float(f"{value:.4g}"))
