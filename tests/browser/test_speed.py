"""Hundreds of charts open at once and stay light."""

from __future__ import annotations

import pytest

from tests.browser.documents import many_charts
from weaklink.show.renderers.html import write_document

MEGABYTE = 1_000_000
MOST_SECONDS = 2.0


def seconds_to_open(shown) -> float:
    """What opening costs the page's own thread: as long as it takes where nothing else is running."""
    session = shown.context.new_cdp_session(shown)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    shown.reload()
    shown.wait_for_function("() => document.querySelectorAll('.chart canvas').length > 0")
    measured = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return measured["TaskDuration"]


@pytest.mark.whole
def test_two_hundred_charts_open_in_two_seconds_and_weigh_less_than_a_megabyte(opened):
    made = many_charts()
    assert len(write_document(made).encode()) < MEGABYTE
    shown = opened(made)
    assert 0.01 < seconds_to_open(shown) < MOST_SECONDS
    assert shown.locator(".chart").count() == 200
    assert shown.locator(".chart canvas").count() < 60
    shown.locator("[data-chart='metric.199']").scroll_into_view_if_needed()
    shown.wait_for_function("() => document.querySelector('[data-chart=\"metric.199\"] canvas')")
    shown.wait_for_function("() => document.querySelectorAll('.chart canvas').length < 60")
