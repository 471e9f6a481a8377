"""What healthy environments look like, in the numbers that rules grade: makes judge/rules/healthy.json.

    python bench/healthy_levels.py [--only TEXT] [--seconds N] [--keep FOLDER] [--output FILE]

Every environment of tests/quality/worlds/healthy.json that can be made here is surveyed, each statistic is measured by
the function that its rule uses, and the values are written sorted, with the name of the environment. With --keep
surveys are stored in a folder and taken from there the next time.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator
from math import isfinite
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from weaklink.base.errors import WeaklinkError  # noqa: E402
from weaklink.base.evidence.survey import Survey  # noqa: E402
from weaklink.collect.survey.plan import SurveyPlan  # noqa: E402
from weaklink.collect.survey.surveyed import surveyed  # noqa: E402
from weaklink.judge.rules._healthy import HIGH_IS_WORSE, LOW_IS_WORSE  # noqa: E402
from weaklink.judge.rules.observation.dead_dimension import measure_dead_share  # noqa: E402
from weaklink.judge.rules.observation.scale_mismatch import find_spread  # noqa: E402
from weaklink.judge.rules.reward.flat_return import measure_return_spread  # noqa: E402
from weaklink.judge.rules.reward.return_scale import measure_return_sizes  # noqa: E402

HEALTHY = ROOT / "tests" / "quality" / "worlds" / "healthy.json"
FILE = ROOT / "src" / "weaklink" / "judge" / "rules" / "healthy.json"
STEPS, EPISODES = 4000, 40
DIGITS = 4


class Statistic(NamedTuple):
    """A number that rules grade: its name in a message, on which side the trouble lies, and how it is measured."""

    what: str
    worse: str
    measure: Callable[[Survey], float | None]


def measure_spread_ratio(survey: Survey) -> float | None:
    """The largest standard deviation of a column over the smallest."""
    spread = find_spread(survey)
    return None if spread is None else spread.ratio


def measure_largest_column(survey: Survey) -> float | None:
    """The standard deviation of the column that varies most."""
    spread = find_spread(survey)
    return None if spread is None else spread.most


def measure_return_size(survey: Survey) -> float | None:
    """The size of the largest discounted returns of a baseline."""
    return max(measure_return_sizes(survey).values(), default=None)


STATISTICS = {
    "observation.spread_ratio": Statistic("ratio of the spreads", HIGH_IS_WORSE, measure_spread_ratio),
    "observation.largest_std": Statistic("spread of the widest column", HIGH_IS_WORSE, measure_largest_column),
    "observation.dead_per_live": Statistic("constant columns for each that changes", HIGH_IS_WORSE, measure_dead_share),
    "reward.discounted_return": Statistic("size of discounted returns", HIGH_IS_WORSE, measure_return_size),
    "reward.return_spread": Statistic("spread of the returns", LOW_IS_WORSE, measure_return_spread),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], help="environments whose name holds this text")
    parser.add_argument("--seconds", type=float, default=60.0, help="the most time that each survey is given")
    parser.add_argument("--keep", type=Path, help="a folder in which surveys are stored and looked for")
    parser.add_argument("--output", type=Path, default=FILE)
    options = parser.parse_args()
    every: dict[str, dict[str, str]] = json.loads(HEALTHY.read_text(encoding="utf-8"))
    names = [name for name in every if not options.only or any(text in name for text in options.only)]
    values: dict[str, dict[str, float]] = {statistic: {} for statistic in STATISTICS}
    for name, survey in survey_all(names, options.seconds, options.keep):
        for statistic, about in STATISTICS.items():
            value = about.measure(survey)
            if value is not None and isfinite(value) and (value > 0.0 or about.worse == HIGH_IS_WORSE):
                values[statistic][name] = float(f"{value:.{DIGITS}g}")
    content = {
        statistic: {
            "what": about.what,
            "worse": about.worse,
            "values": dict(sorted(values[statistic].items(), key=lambda item: item[1])),
        }
        for statistic, about in STATISTICS.items()
    }
    options.output.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    for statistic, about in content.items():
        ends = list(about["values"].items())
        print(f"{statistic}: {len(ends)} environments, from {ends[:2]} to {ends[-3:]}")
    return 0


def survey_all(names: list[str], seconds: float, keep: Path | None) -> Iterator[tuple[str, Survey]]:
    """Each environment with its survey; what cannot be made here is said and left out."""
    plan = SurveyPlan(seconds=seconds, steps=STEPS, episodes=EPISODES)
    for name in names:
        file = None if keep is None else keep / f"{name.replace('/', '_')}.pkl"
        if file is not None and file.exists():
            yield name, pickle.loads(file.read_bytes())
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                survey = surveyed(name, plan)
        except WeaklinkError as error:
            print(f"left out: {name}: {error}", file=sys.stderr)
            continue
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(pickle.dumps(survey))
        yield name, survey


if __name__ == "__main__":
    sys.exit(main())
