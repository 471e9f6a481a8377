"""The live page in a real browser, beside a real `weaklink watch --serve` and a run that grows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.conftest import Watch
from tests.cli.logs import healthy_log, sick_log
from tests.growing import PROVEN
from tests.served import PATIENCE, growing, served

HOSTILE = "<img src=x onerror=alert(1)>\u202e<script>alert(2)<"
FIRST_SEEN = """code => {
  window.seen = {};
  const look = () => {
    for (const [what, wanted] of [["toast", ".toast"], ["card", `[data-code="${code}"]`]])
      if (!seen[what] && document.querySelector(wanted)) seen[what] = Date.now() / 1000;
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true });
}"""


@pytest.fixture
def visited(browser: Any) -> Iterator[Any]:
    """Visits an address; at the end the page must have asked only its own server, and been silent."""
    visits: list[tuple[Any, Watch, str]] = []

    def visit(url: str, **options: Any) -> Any:
        context = browser.new_context(**options)
        page = context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        visits.append((context, Watch(page), url.partition("?")[0]))
        page.goto(url)
        return page

    yield visit
    for context, watch, origin in visits:
        context.close()
        lost = [problem for problem in watch.problems if "Failed to load resource" not in problem]
        assert lost == []
        assert [url for url in watch.requests if not url.startswith((origin, "data:,"))] == []


def status(page: Any, words: str) -> None:
    page.get_by_role("status").filter(has_text=words).first.wait_for()


def test_an_alert_arrives_while_the_run_grows(visited, tmp_path):
    healthy_log(tmp_path / "other")
    with served(tmp_path) as watch:
        page = visited(watch.url)
        status(page, "connected")
        page.evaluate(FIRST_SEEN, PROVEN)
        with growing("recording", tmp_path / HOSTILE, "--every", 0.06, "--finding-after", 40) as written:
            page.locator(".tab").filter(has_text="<img src=x").click()
            page.locator(".growing").wait_for()
            page.locator(".toast").hover()  # so that it stays
            page.locator(f".findings [data-code={PROVEN}]").wait_for()
        seen = page.evaluate("seen")
        assert {what: at > written for what, at in seen.items()} == {"toast": True, "card": True}, seen
        assert HOSTILE in page.locator(".toast").text_content()
        page.get_by_role("button", name="All together").click()
        page.locator(".toast").get_by_role("button", name="Show").click()
        assert page.locator(".findings .finding").first.get_attribute("data-code") == PROVEN
        assert page.locator(".target").text_content().startswith("<img src=x")
        assert page.locator("#page :is(img, script)").count() == 0


def test_a_server_that_was_killed_and_started_again_is_found_again(visited, tmp_path):
    sick_log(tmp_path / "first")
    with served(tmp_path, "--token", "a-token-that-stays-the-same") as watch:
        page = visited(watch.url)
        page.get_by_role("heading", level=1).wait_for()
        page.locator("[data-link=policy]").click()
        watch.kill()
        status(page, "connection lost, trying again")
        healthy_log(tmp_path / "second")
        with served(tmp_path, "--token", "a-token-that-stays-the-same", serve=str(watch.port)) as again:
            status(page, "connected again")
            page.locator(".tab").filter(has_text="second").wait_for()
            assert page.locator(".tab[aria-current]").inner_text() == "first"
            assert page.locator("[data-link=policy]").get_attribute("aria-pressed") == "true"
            again.interrupted()
            status(page, "weaklink watch has ended")


def test_where_a_token_is_needed_the_printed_address_lets_in_and_no_other(visited, tmp_path):
    healthy_log(tmp_path / "run")
    with served(tmp_path, "--token", "a-token-of-this-test") as watch:
        address = watch.url.partition("?")[0]
        assert "A token is needed" in visited(address).content()
        page = visited(watch.url)
        status(page, "connected")
        assert page.url == address
        assert page.evaluate("document.cookie") == ""
        page.locator(".verdict").first.wait_for()
