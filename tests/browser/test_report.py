"""The report that the command line writes, opened as a user would."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.patience import PATIENCE

EXAMPLE = Path(__file__).parents[2] / "examples" / "broken_run"


def test_the_report_of_the_bundled_run_names_the_first_break_and_shows_its_curve(opened, tmp_path):
    report = tmp_path / "report.html"
    command = ["diagnose", str(EXAMPLE), "--format", "html", "-o", str(report), "--fail-on", "never"]
    subprocess.run([sys.executable, "-m", "weaklink", *command], check=True, timeout=PATIENCE)
    shown = opened(report)
    assert shown.locator(".verdict").inner_text() == "Broken"
    assert shown.locator(".pill.first").get_attribute("data-link") == "optimizer"
    shown.click("[data-link=optimizer]")
    card = shown.locator(".findings .finding").first
    assert card.get_attribute("data-code") == "OPT101"
    card.locator("canvas").first.wait_for()
    assert card.locator(".value").first.inner_text() != ""
    assert card.locator(".part ol > li").count() == 3
