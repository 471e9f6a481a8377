"""The page of the example that `weaklink debug` brings, as a newcomer sees it: it can be read in one go."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.browser.test_answer import SCREENS
from tests.browser.test_page import NO_SIDEWAYS
from tests.patience import PATIENCE

pytest.importorskip("stable_baselines3")

MOST_PIXELS = {1280: 6_000, 390: 14_000}


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The page of the case as the command makes it by itself."""
    folder = tmp_path_factory.mktemp("demo")
    command = ["debug", "--case", str(folder / "case"), "--fail-on", "never"]
    written = ["-f", "html", "-o", str(folder / "page.html")]
    subprocess.run([sys.executable, "-m", "weaklink", *command, *written], check=True, timeout=10 * PATIENCE)
    return folder / "page.html"


@pytest.mark.whole
def test_the_page_of_the_demo_is_short_and_says_first_what_to_do(opened, demo):
    for screen in SCREENS.values():
        shown = opened(demo, **screen)
        assert shown.evaluate("document.documentElement.scrollHeight") <= MOST_PIXELS[screen["width"]]
        assert shown.locator(".todo ol > li").count() >= 1
        assert shown.locator(".todo .command code").inner_text().startswith("weaklink confirm OPT101 ")
        assert shown.locator(".small").count() > 40
        assert "trained policy" in shown.locator(".boxes .label").all_inner_texts()[-1]
        assert shown.evaluate(NO_SIDEWAYS)
