from __future__ import annotations

import re

from tests.show.made import HOSTILE, broken, broken_run, healthy, healthy_run, hostile
from weaklink.judge.diagnosis.symptoms import find_symptom
from weaklink.show.rendering import render
from weaklink.verbs.diagnose import Diagnosed
from weaklink.verbs.targets import Failure


def report(diagnosis, run, **options) -> str:
    return render(diagnosis, "markdown", run=run, **options)


def summary(results) -> str:
    return render(Diagnosed(results=tuple(results), runs=2), "markdown")


def test_the_answer_is_the_heading():
    assert report(broken(), broken_run()).startswith("## BROKEN: policy, POL301 excessive-clipping, from step 61,440\n")
    assert report(healthy(), healthy_run()).startswith("## HEALTHY: nothing is broken")


def test_everything_a_person_needs_is_there():
    text = report(broken(), broken_run(), symptom=find_symptom("entropy"))
    for part in (
        "### POL301 excessive-clipping (warn, high confidence)",
        "| `policy.clip_fraction` | 0.8 from step 61,440 on, limit 0.3 |",
        "1. Lower the learning rate",
        "2. Use fewer epochs; see `target_kl`.",
        "`weaklink diagnose runs/half_lr`",
        "- EXP301 entropy-collapse, exploration, from step 71,680",
        "### REW302",
        "- **EVA304 no-evaluation**",
        "**You see: entropy collapsed**",
        "| EXP301 entropy-collapse | from step 71,680 |",
        "Judged 6 of 9 rules",
        "| `data.staleness` | lets 1 more rule judge",
    ):
        assert part in text


def test_a_fleet_is_a_table_and_the_breaks():
    text = summary([broken(), healthy(), Failure("runs/bad", "runs/bad is empty.")])
    assert text.startswith("## weaklink: 3 runs: 1 broken, 1 healthy, 1 unreadable")
    assert "| `ppo_1` | broken | policy POL301 @ 61,440 | error | 6/9 |" in text
    assert "**Could not be read**\n\nruns/bad is empty." in text
    assert text.count("### BROKEN") == 1


def test_nothing_of_a_log_is_read_as_markdown():
    for text in (report(hostile(), broken_run()), summary([hostile(), Failure(HOSTILE, HOSTILE)])):
        outside = re.sub(r"(`+).*?(?<!`)\1(?!`)", "", text)
        assert "<b>" not in outside
        assert not re.search(r"(?<!\\)\[link", outside)
        for row in (row for row in text.splitlines() if row.startswith("| ")):
            assert len(re.findall(r"(?<!\\)\|", row)) in (3, 4, 6)
        text.encode()
