"""What the settings say is told in every view, and on a page without what others may not see."""

from __future__ import annotations

import json

from tests.cli.logs import call_here
from tests.fleet.sweeps import make_sweep, options
from weaklink.show.rendering import render
from weaklink.verbs.diagnose import diagnose


def test_the_command_names_the_setting(tmp_path):
    root = make_sweep(tmp_path, 40)
    done = diagnose(options(root))
    told = "10 of 40 runs broke first at policy: 10 of the 10 with learning_rate over 0.001, 0 of the other 30"
    assert told in render(done, "terminal", width=200)
    assert told in render(done, "markdown").replace("\\", "")
    *_, line = map(
        json.loads, call_here("diagnose", root, "-f", "json", "--workers", 1, cwd=tmp_path).stdout.splitlines()
    )
    assert line["runs"] == 40
    (pattern,) = line["patterns"]
    assert pattern["conditions"] == [{"setting": "learning_rate", "relation": "over", "value": 0.001}]
    assert (pattern["link"], pattern["broken"], pattern["runs"]) == ("policy", 10, 10)
    assert (pattern["other_broken"], pattern["other_runs"]) == (0, 30)


def test_a_page_hides_settings_that_are_texts(tmp_path):
    root = make_sweep(tmp_path, 24)
    for number, folder in enumerate(sorted(root.iterdir())):
        client = "acmecorp" if number % 4 == 3 else "other"
        (folder / "config.json").write_text(json.dumps({"algo": "ppo", "seed": number, "dataset": client}))
    done = diagnose(options(root))
    assert "dataset = acmecorp" in render(done, "terminal", width=200)
    assert "acmecorp" not in render(done, "html")
    assert "acmecorp" in render(done, "html", show_all=True)
