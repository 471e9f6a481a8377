"""Several runs on one document: a page for each, their curves overlaid, and seeds as mean and interval."""

from __future__ import annotations

import numpy as np
import pytest

from tests.curves import rising, run_of
from tests.show.made import HOSTILE, broken, healthy
from tests.show.pages.reading import charts, curve, of_document, steps
from weaklink.base.evidence.fleet import Fleet
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.judge.diagnosis.engine import diagnose, diagnose_fleet
from weaklink.show.document import Document
from weaklink.show.renderers.html import write_document
from weaklink.show.subjects.diagnosed import build
from weaklink.show.subjects.fleet import KeptRuns
from weaklink.verbs.diagnose import Diagnosed
from weaklink.verbs.targets import Failure, JudgedRun


def seed(number: int, points: int = 300) -> Run:
    config = {"algo": "ppo", "env_id": "CartPole-v1", "seed": number, "learning_rate": 3e-4}
    values = {"reward.episode_return": rising(20, 300 + 20 * number, points=points, seed=number)}
    run = run_of(values, config=config)
    return Run(name=f"seed_{number}", series=run.series, config=run.config, source=f"/runs/seed_{number}")


def made_of(kept: KeptRuns, *failed: Failure, together=None) -> Document:
    results = (*(one.diagnosis for one in kept), *failed)
    return build(Diagnosed(results=results, together=together, runs=len(kept)), kept=kept)


def built(kept: KeptRuns, *failed: Failure, together=None) -> dict:
    return of_document(made_of(kept, *failed, together=together))


@pytest.fixture(scope="module")
def shown() -> dict:
    kept = KeptRuns()
    for number in range(3):
        kept.keep(seed(number), diagnose(seed(number)))
    fleet = Fleet.of(seed(number) for number in range(3))
    torn = Failure("/runs/torn", "Cannot read /runs/torn: it is empty.")
    return built(kept, torn, together=diagnose_fleet(fleet, "3 runs"))


def section(document: dict, name: str) -> dict:
    return next(one for one in document["together"] if one["id"] == name)


def test_every_run_has_a_page_and_a_row(shown):
    assert [page["title"] for page in shown["pages"]] == ["seed_0", "seed_1", "seed_2"]
    assert len({page["id"] for page in shown["pages"]}) == 3
    rows = section(shown, "runs")["blocks"][0]["rows"]
    assert [row["cells"][0] for row in rows] == ["seed_0", "seed_1", "seed_2", "torn"]
    assert "Cannot read /runs/torn" in str(section(shown, "runs"))


def test_curves_of_all_runs_lie_over_each_other(shown):
    chart = section(shown, "overlaid")["blocks"][0]
    assert [line["name"] for line in chart["lines"]] == ["seed_0", "seed_1", "seed_2"]
    for number, line in enumerate(chart["lines"]):
        series = seed(number)["reward.episode_return"]
        assert curve(line).mean() == pytest.approx(series.values.mean(), rel=5e-3)
        assert steps(line, shown)[-1] == series.last_step


def test_seeds_are_a_mean_with_its_interval(shown):
    chart = section(shown, "seeds")["blocks"][0]
    line = chart["lines"][0]
    assert line["name"] == "ppo on CartPole, 3 seeds"
    mean, low, high = curve(line), curve(line, "lows"), curve(line, "highs")
    assert np.all(low <= mean + 1e-4)
    assert np.all(mean <= high + 1e-4)
    finals = [seed(number)["reward.episode_return"].values[-6:].mean() for number in range(3)]
    assert mean[-1] == pytest.approx(np.mean(finals), rel=0.05)
    assert low[-1] < mean[-1] < high[-1]


def test_one_run_alone_has_nothing_together():
    alone = JudgedRun(seed(1, points=3000), diagnose(seed(1)))
    document = of_document(build(Diagnosed(results=(alone.diagnosis,), alone=alone, runs=1)))
    assert not document["together"]
    assert document["title"] == "seed_1"
    assert len(curve(charts(document["pages"][0])["reward-episode-return"]["lines"][0])) == 360


def test_a_hundred_runs_stay_small_and_broken_ones_come_with_pages():
    many = KeptRuns()
    for number in range(100):
        run = run_of(
            {name: rising(0, 1, points=900, seed=number) for name in ("policy.kl", "value.loss", "reward.mean")}
        )
        run = Run(name=f"run_{number}", series=run.series)
        target = f"/runs/run_{number}"
        many.keep(run, broken(target=target) if number >= 90 else healthy(target=target))
    document = built(many)
    assert len(document["pages"]) == 24
    assert sum(page["verdict"] == "broken" for page in document["pages"]) == 10
    assert len(section(document, "runs")["blocks"][0]["rows"]) == 100
    assert len(write_document(made_of(many))) < 1_000_000


def test_runs_that_never_overlap_have_no_mean():
    made = KeptRuns()
    for number in range(2):
        run = seed(number)
        series = run["reward.episode_return"]
        moved = Series.of(series.name, series.steps + 1e9 * number, series.values)
        run = Run(name=run.name, series={series.name: moved}, config=run.config)
        made.keep(run, diagnose(run))
    assert not [one for one in built(made)["together"] if one["id"] == "seeds"]


def test_hostile_names_of_runs():
    made = KeptRuns()
    for _ in range(2):
        run = Run(name=HOSTILE, series=seed(0).series, config=seed(0).config, source=HOSTILE)
        made.keep(run, broken(target=HOSTILE))
    document = built(made)
    names = [line["name"] for line in section(document, "overlaid")["blocks"][0]["lines"]]
    assert names == [f"{HOSTILE} (1)", f"{HOSTILE} (2)"]
