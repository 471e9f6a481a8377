"""The page of a run: the numbers on it are those of the evidence."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.curves import noisy, run_of
from tests.show.made import HOSTILE, broken, broken_run, healthy, healthy_run, hostile
from tests.show.pages.reading import blocks, charts, curve, read_back, steps
from weaklink.base.evidence.metrics import METRICS
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.finding import Evidence
from weaklink.base.loop import Link
from weaklink.collect.readers import read
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.show.document import ChartBand, bind_pages
from weaklink.show.hiding import hide_in_document
from weaklink.show.renderers.html import encode_document, write_document
from weaklink.show.subjects.curves import PointBudget, find_healthy_band
from weaklink.show.subjects.findings import make_chart_id
from weaklink.show.subjects.run import build
from weaklink.show.thinning import thin_run, thin_series

QUALITY = Path(__file__).parents[2] / "quality"
SICK = QUALITY / "sick" / "runs" / "learning-rate-cartpole"
RECORDED = QUALITY / "healthy_live" / "runs" / "ppo-cartpole"


def shown(run: Run, diagnosis=None, **how) -> dict:
    return read_back(build(diagnosis or diagnose(run), run, **how))["pages"][0]


@pytest.fixture(scope="module")
def sick() -> tuple[Run, dict]:
    run = read(SICK)
    return run, shown(run)


def test_every_series_has_a_chart_with_its_own_numbers(sick):
    run, page = sick
    drawn = charts(page)
    for series in (*run.series.values(), *run.unknown.values()):
        line = drawn[make_chart_id(series.name)]["lines"][0]
        assert np.allclose(curve(line), series.values, rtol=1e-6)
        assert np.array_equal(steps(line, page), series.steps)


def test_the_loop_says_what_the_diagnosis_says(sick):
    run, page = sick
    diagnosis = diagnose(run)
    loop = {link["link"]: link for link in page["loop"]}
    assert list(loop) == [link.value for link in Link]
    first = [link for link in page["loop"] if link["first"]]
    assert [link["link"] for link in first] == [diagnosis.first_break.link.value]
    assert first[0]["state"] == "broken"
    assert page["headline"].startswith(f"{first[0]['link']}, {diagnosis.first_break.code} ")
    judged = sum(link["clean"] for link in page["loop"])
    assert judged == len(diagnosis.clean)
    assert sum(link["blind"] for link in page["loop"]) == len(diagnosis.blind)


def test_findings_point_at_their_charts():
    page = shown(broken_run(), broken())
    first, followed = page["findings"][:2]
    assert (first["code"], first["role"], first["confidence"]) == ("POL301", "first", "high")
    assert (followed["role"], followed["consequence_of"]) == ("consequence", "POL301")
    chart = charts(page)[first["proofs"][0]["chart"]]
    assert chart["title"].startswith("policy.clip_fraction")
    assert chart["proves"]
    assert chart["codes"][0] == "POL301"
    assert chart["limits"][0] == {"at": 0.3, "label": "limit 0.3 (POL301, EVA304)"}
    assert (chart["marks"][0]["at"], chart["marks"][0]["code"]) == (61440.0, "POL301")
    assert chart["band"] == {"low": 0.01, "high": 0.3, "label": "healthy: 0.01 to 0.3"}
    assert first["command"] == "weaklink diagnose runs/half_lr"
    assert first["about"]


def test_the_onset_of_the_first_break_is_marked_on_every_chart():
    page = shown(broken_run(), broken())
    marks = {chart["id"]: [mark["code"] for mark in chart.get("marks", [])] for chart in blocks(page, "chart")}
    assert all("POL301" in codes for codes in marks.values())
    assert "EXP301" in marks["exploration-entropy"]
    assert "EXP301" not in marks["reward-episode-return"]


def test_links_that_nobody_could_judge_are_unknown():
    page = shown(broken_run(), broken())
    loop = {link["link"]: link for link in page["loop"]}
    assert loop["policy"]["state"] == "broken"
    assert loop["reward"]["state"] == "broken"
    assert not loop["reward"]["first"]
    assert loop["exploration"]["state"] == "consequence"
    assert loop["value"]["state"] == "clean"
    assert (loop["data"]["state"], loop["data"]["says"]) == ("unknown", "1 rule could not tell without data.staleness")
    assert loop["environment"]["says"] == "no rule was asked about this link"
    assert loop["evaluation"]["state"] == "clean", "what is worth knowing breaks nothing"


def test_a_healthy_run_has_no_broken_link():
    page = shown(healthy_run(), healthy())
    assert page["verdict"] == "healthy"
    assert {link["state"] for link in page["loop"]} <= {"clean", "unknown"}
    assert not page["findings"]


def test_extremes_survive_thinning_and_means_are_kept():
    values = noisy(0.0, 1.0, points=8000)
    values[1234], values[6543] = 50.0, -60.0
    series = Series.of("x", np.arange(8000.0), values)
    for points in (37, 720, 7999):
        short = thin_series(series, points)
        assert len(short.values) == points
        assert (short.highs.max(), short.lows.min()) == (50.0, -60.0)
        assert short.steps[-1] == 7999
        assert np.all(short.lows <= short.values + 1e-12)
        assert np.all(short.values <= short.highs + 1e-12)
    whole = thin_series(series, 8000)
    assert whole.lows is None
    assert whole.values is series.values


def test_a_condensed_run_keeps_its_extremes():
    values = noisy(0.0, 1.0, points=5000)
    values[77] = 99.0
    run = thin_run(run_of({"policy.kl": values}), 100)
    assert len(run["policy.kl"]) == 100
    assert run["policy.kl"].highs.max() == 99.0


def test_two_hundred_metrics_stay_small_and_proofs_stay_sharp():
    rng = np.random.default_rng(0)
    grid = np.arange(20_000.0)
    many = {f"custom/{at}": Series.of(f"custom/{at}", grid, rng.normal(size=20_000)) for at in range(200)}
    run = run_of({"policy.clip_fraction": noisy(0.5, 0.1, points=6000), "policy.kl": noisy(0.5, 0.1, points=6000)})
    run = Run(name="big", series=run.series, unknown=many)
    page = shown(run, broken())
    drawn = charts(page)
    assert len(drawn) == 202
    assert len(curve(drawn["policy-clip-fraction"]["lines"][0])) == 720
    assert 100 < len(curve(drawn["policy-kl"]["lines"][0])) < 200
    assert len(write_document(bind_pages([build(broken(), run)]))) < 1_000_000
    assert len(page["axes"]) < 5, "lines over the same steps share an axis"


def test_thousands_of_keys_are_counted_and_not_all_drawn():
    many = {f"k{at}": Series.of(f"k{at}", [1, 2, 3], [1.0, 2.0, 3.0]) for at in range(1500)}
    page = shown(Run(name="keys", unknown=many), healthy())
    assert len(charts(page)) == 400
    other = next(section for section in page["sections"] if section["id"] == "other-curves")
    assert "1,100 more keys" in other["note"]
    assert len(encode_document(bind_pages([build(healthy(), Run(name="keys", unknown=many))]))) < 500_000


def test_points_that_are_no_numbers_are_told():
    values = np.append(noisy(1.0, 0.1, points=50), [np.nan, np.inf, np.nan])
    run = Run(name="lost", series={"value.loss": Series.of("value.loss", np.arange(53.0), values)})
    chart = charts(shown(run))["value-loss"]
    assert "3 of 53 points are NaN and inf, from step 50 to the end" in chart["note"]
    assert np.isfinite(curve(chart["lines"][0])).all()


def test_numbers_beyond_single_precision_do_not_break_the_page():
    run = run_of({"value.loss": np.geomspace(1e-3, 1e300, 50)})
    chart = charts(shown(run))["value-loss"]
    assert np.isfinite(curve(chart["lines"][0])).all()
    assert chart["logarithmic"]


def test_hostile_names_and_numbers_make_valid_json():
    run = Run(
        name=HOSTILE,
        unknown={HOSTILE: Series.of(HOSTILE, [1, 2], [1.0, 2.0])},
        context={"command": [HOSTILE], "api_key": "sk-very-secret", "nested": {"deep": HOSTILE}},
    )
    page = shown(run, hostile())
    assert page["title"] == HOSTILE
    assert page["findings"][0]["proofs"][0]["chart"] in charts(page)
    document = bind_pages([build(hostile(), run)])
    assert "<b>" not in write_document(document)
    assert "sk-very-secret" not in write_document(hide_in_document(document))


def test_evidence_without_a_number_has_no_limit():
    nothing = (Evidence(metric="policy.clip_fraction", value=np.nan, limit=np.inf),)
    odd = broken(findings=(msgspec.structs.replace(broken().findings[0], evidence=nothing),))
    assert not charts(shown(broken_run(), odd))["policy-clip-fraction"].get("limits")


def test_distributions_over_time_of_a_recording():
    run = read(RECORDED)
    page = shown(run)
    drawn = charts(page)
    for fan in ("fan-reward", "fan-value", "fan-returns-advantage", "values-beside-targets"):
        assert fan in drawn, fan
    line = drawn["fan-value"]["lines"][0]
    assert np.allclose(curve(line), run["value.median"].values, rtol=1e-6)
    assert np.allclose(curve(line, "lows"), run["value.q05"].values, rtol=1e-6)
    assert np.allclose(curve(line, "highs"), run["value.q95"].values, rtol=1e-6)


@pytest.mark.parametrize(
    ("metric", "band"),
    [
        ("policy.clip_fraction", (0.01, 0.3)),
        ("reward.std", (0.0, None)),
        ("task.truncated_fraction", (None, 0.2)),
        ("evaluation.win_rate", (0.05, 0.95)),
        ("returns.target_mean", (-10.0, 10.0)),
        ("optimizer.parameter_change", (1e-5, 1e-2)),
        ("policy.kl_reference", (0.0, 10.0)),
        ("reward.mean", None),
        ("value.explained_variance", None),
        ("no.such", None),
    ],
)
def test_healthy_bands_are_those_of_the_vocabulary(metric, band):
    found = find_healthy_band(metric)
    assert (None if found is None else (found.low, found.high)) == band


def test_every_range_in_numbers_is_a_band():
    told = [metric for metric in METRICS.values() if metric.healthy[:1].isdigit() or metric.healthy.startswith("-")]
    assert len(told) > 5
    assert all(isinstance(find_healthy_band(metric.name), ChartBand) for metric in told)


def test_coverage_lists_every_rule_that_was_asked(sick):
    run, page = sick
    diagnosis = diagnose(run)
    coverage = next(section for section in page["sections"] if section["id"] == "coverage")
    rules = next(block for block in coverage["blocks"] if block["title"] == "Rules")
    assert len(rules["rows"]) == diagnosis.asked
    assert {row["code"] for row in rules["rows"]} >= set(diagnosis.blind)


def test_more_pages_have_fewer_points():
    alone, shared = PointBudget(), PointBudget(pages=20)
    assert alone.points(30, 2) > shared.points(30, 2)
    assert shared.points(30, 2)[1] >= 32
    assert alone.points(5, 0)[1] == 360


def test_names_of_charts_are_stable_and_apart():
    assert make_chart_id("policy.kl") == "policy-kl"
    assert make_chart_id("train/loss") != make_chart_id("train.loss")
    assert make_chart_id("train/loss") == make_chart_id("train/loss")
    assert make_chart_id("<b>").isascii()
    assert make_chart_id("é" * 500) != make_chart_id("é" * 501)
    assert len({make_chart_id(metric) for metric in METRICS}) == len(METRICS)


def test_wide_positive_values_are_drawn_by_their_size():
    assert charts(shown(run_of({"value.loss": np.geomspace(1e-4, 1e4, 80)})))["value-loss"]["logarithmic"]
    assert not charts(shown(run_of({"value.loss": np.linspace(1, 50, 80)})))["value-loss"].get("logarithmic")
