"""Documents to look at, made of blocks by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from weaklink.base.loop import Link
from weaklink.show.document import (
    Box,
    Boxes,
    Chart,
    ChartAxis,
    ChartBand,
    ChartLimit,
    ChartLine,
    ChartMark,
    Checklist,
    Document,
    Histogram,
    HistogramBin,
    Page,
    Prose,
    QuotedText,
    Section,
    ShownFinding,
    ShownItem,
    ShownLink,
    ShownProof,
    Strip,
    Strips,
    Table,
    TableRow,
    TextColumn,
    TextColumns,
)
from weaklink.show.triage import Triage, TriageGroup, TriageRow

FIRST, SECOND = "POL303", "EXP301"


def axis(points: int = 60, *, label: str = "step", last: float = 60_000) -> ChartAxis:
    return ChartAxis(label=label, values=np.linspace(0, last, points).astype("<f8").tobytes())


def line(
    name: str, points: int = 60, *, axis: str = "steps", seed: int = 0, spread: bool = False, **kind: Any
) -> ChartLine:
    values = np.cumsum(np.random.default_rng(seed).normal(size=points)).astype("<f4")
    ends = {"lows": (values - 1).tobytes(), "highs": (values + 1).tobytes()} if spread else {}
    return ChartLine(name=name, axis=axis, values=values.tobytes(), **ends, **kind)


def chart(name: str, **parts: Any) -> Chart:
    return Chart(**({"id": name, "title": name, "lines": (line(name),)} | parts))


def finding(code: str, link: Link, role: str, **parts: Any) -> ShownFinding:
    return ShownFinding(
        **(
            {
                "code": code,
                "name": "kl-spike" if code == FIRST else "entropy-collapse",
                "link": link.value,
                "level": "warn",
                "message": f"{code} was seen in `{link.value}`.",
                "since": "from step 20,000",
                "confidence": "high",
                "proofs": (
                    ShownProof(metric=f"{link.value}.kl", measured="7.8, limit 0.05", chart=f"{link.value}.kl"),
                ),
                "fix": ("Lower the learning rate.", "Stop the update early."),
                "verify": "Repeat a short run.",
                "command": f"weaklink confirm {code}",
                "about": "The policy leaves its trust region.",
                "role": role,
            }
            | parts
        )
    )


FINDINGS = (
    finding(FIRST, Link.POLICY, "first"),
    finding(SECOND, Link.EXPLORATION, "consequence", consequence_of=FIRST, proofs=()),
    finding("OPT101", Link.OPTIMIZER, "info", level="info", since="", proofs=()),
)

CURVES = (
    chart(
        "policy.kl",
        lines=(line("policy.kl", spread=True),),
        link="policy",
        codes=(FIRST,),
        proves=True,
        marks=(ChartMark(at=20_000, label=f"{FIRST} kl-spike", code=FIRST, within=2_000),),
        limits=(ChartLimit(at=0.05, label="limit 0.05"),),
        band=ChartBand(low=0, high=0.02, label="healthy: 0 to 0.02"),
    ),
    chart("policy.loss", link="policy"),
    chart("reward.episode_return", lines=(line("seed 0"), line("seed 1", seed=1, dashed=True)), link="reward"),
    chart("value.loss", lines=(line("value.loss", 30, axis="other"),), link="value", logarithmic=True),
    chart("seconds.kept", lines=(line("kept", axis="seconds"),)),
)

BINS = (
    HistogramBin(low=-1, high=0, count=4),
    HistogramBin(low=0, high=0, count=9),
    HistogramBin(low=0, high=2, count=3),
)
BASELINES = tuple(
    Box(
        label=label,
        low=low,
        quarter=low + 1,
        middle=low + 2,
        three_quarters=low + 3,
        high=low + 9,
        mean=low + 2.5,
        mean_low=low + 2,
        mean_high=low + 3,
    )
    for label, low in (("doing nothing", 0), ("random", 4))
)
TRACES = (Strip(label="position", values=(0.0, 1.0, float("nan"), 0.5)), Strip(label="flat", values=(1.0, 1.0)))
RULES = (TableRow(cells=(FIRST, "7.8"), state="broken", code=FIRST), TableRow(cells=("VAL301", "0.1"), state="clean"))
SAMPLE = QuotedText(title="row 1", body="2 + 2 = 4", facts=(("reward", "1"),), cut=12)
QUESTIONS = (
    ShownItem(name="reward", question="Is the reward seen?", state="done", told="REW101 clean"),
    ShownItem(name="seed", question="Is it seeded?", state="failed"),
    ShownItem(name="probe", question="Does it learn a probe?", state="open", command="weaklink probe sb3:PPO"),
)
TRIAGE = Triage(
    title="Runs",
    settings=("learning_rate", "seed"),
    groups=(
        TriageGroup(
            title=f"Policy broke first: {FIRST} kl-spike",
            state="broken",
            codes=(FIRST, SECOND),
            rows=(
                TriageRow(
                    title="sweep/1",
                    page="run",
                    curve=(0.0, 1.0, 0.5),
                    final="0.5",
                    since="from step 9",
                    values=("0.1", "0"),
                ),
                TriageRow(title="sweep/2", curve=(1.0,), values=("", "1")),
            ),
        ),
        TriageGroup(title="Healthy", state="clean", rows=(TriageRow(title="sweep/3", values=("0.001", "0")),)),
    ),
)
BLOCKS = (
    Histogram(title="Rewards", bins=BINS),
    Boxes(title="Baselines", rows=BASELINES),
    Strips(title="An episode", rows=TRACES),
    Table(title="Rules", columns=("rule", "value"), rows=RULES, numeric=(1,)),
    TextColumns(title="Samples", sides=(TextColumn(title="Best paid", texts=(SAMPLE,)),)),
    Prose(title="Paste this", paragraphs=("Call `weaklink` so:",), code="weaklink.attach(model)"),
    Checklist(title="Before training", items=QUESTIONS),
    TRIAGE,
)


def links(first: Link = Link.POLICY) -> tuple[ShownLink, ...]:
    states = {first: "broken", Link.EXPLORATION: "consequence", Link.VALUE: "clean", Link.DATA: "clean"}
    codes = {first: (FIRST,), Link.EXPLORATION: (SECOND,)}
    return tuple(
        ShownLink(
            link=one.value,
            state=states.get(one, "unknown"),
            says=f"what is known of {one.value}",
            first=one is first,
            codes=codes.get(one, ()),
            clean=2,
            blind=3,
        )
        for one in Link
    )


def page(**parts: Any) -> Page:
    return Page(
        **(
            {
                "id": "run",
                "title": "runs/seven",
                "command": "diagnose",
                "verdict": "broken",
                "headline": "policy broke first, from step 20,000",
                "facts": (("framework", "sb3"), ("steps", "60,000")),
                "loop": links(),
                "findings": FINDINGS,
                "sections": (
                    Section(id="curves", title="Curves", blocks=CURVES),
                    Section(id="more", title="All else", blocks=BLOCKS, folded=True),
                ),
                "axes": {"steps": axis(), "other": axis(30), "seconds": axis(label="seconds", last=90)},
            }
            | parts
        )
    )


def document(*pages: Page, **parts: Any) -> Document:
    shown = pages or (page(),)
    return Document(
        **({"weaklink": "0", "schema": 1, "made": "today", "title": shown[0].title, "pages": shown} | parts)
    )


def many_charts(count: int = 200, points: int = 400) -> Document:
    charts = tuple(
        chart(f"metric.{number}", lines=(line(f"metric.{number}", points, seed=number),)) for number in range(count)
    )
    return document(
        page(findings=(), sections=(Section(id="curves", title="Curves", blocks=charts),), axes={"steps": axis(points)})
    )


@dataclass(frozen=True)
class Planted:
    """Hostile text in every place of a document that holds text."""

    text: str

    def document(self) -> Document:
        return msgspec.convert(self._planted(msgspec.to_builtins(document()), ""), Document)

    def _planted(self, value: Any, name: str) -> Any:
        kept = (
            "kind",
            "axis",
            "values",
            "lows",
            "highs",
            "link",
            "state",
            "role",
            "verdict",
            "code",
            "codes",
            "consequence_of",
        )
        if isinstance(value, dict):
            return {key: self._planted(one, key) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._planted(one, name) for one in value]
        return f"{value}{self.text}" if isinstance(value, str) and name not in kept else value
