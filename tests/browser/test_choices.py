"""Hidden curves, smoothing, scales and a link that holds them, whatever its fragment says."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.documents import chart, document, page
from tests.browser.test_answer import ON_EVERY_SCREEN, with_minor
from tests.browser.test_page import ranges
from weaklink.show.document import ChartLine, Section

BLUE = """chart => {
  const canvas = document.querySelector(`[data-chart="${chart}"] canvas`);
  const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const columns = new Array(20).fill(0);
  for (let place = 0; place < data.length; place += 4)
    if (data[place + 3] > 60 && data[place + 2] - data[place] > 60)
      columns[Math.floor((20 * ((place / 4) % width)) / width)] += 1;
  return columns;
}"""
FRAGMENTS = (
    "#zoom=1,2&zoom=nan,3,step&zoom=9,1,step&zoom=1e99,1e100,step&smooth=7&smooth=x",
    "#page=../../x&link=<img src=x onerror=alert(1)>&hide=%E0%A4%A&full=__proto__&open=constructor",
    "#" + "hide=a&" * 5000,
    "#main",
    "#=&&==&%",
)


def returns(shown):
    return shown.locator("[data-chart='reward.episode_return']")


def fragment(shown, words: str) -> str:
    shown.wait_for_function("words => decodeURIComponent(location.hash).includes(words)", arg=words)
    return shown.evaluate("location.hash")


@ON_EVERY_SCREEN
def test_a_curve_is_hidden_and_shown_by_its_name(opened, screen):
    shown = opened(document(), **screen)
    buttons = returns(shown).locator(".lines button")
    assert [one.get_attribute("aria-pressed") for one in buttons.all()] == ["true", "true"]
    returns(shown).scroll_into_view_if_needed()
    returns(shown).locator("canvas").wait_for()
    before = sum(shown.evaluate(BLUE, "reward.episode_return"))
    buttons.first.click()
    assert [one.get_attribute("aria-pressed") for one in buttons.all()] == ["false", "true"]
    assert sum(shown.evaluate(BLUE, "reward.episode_return")) < before / 4
    buttons.first.press("Enter")
    assert sum(shown.evaluate(BLUE, "reward.episode_return")) == pytest.approx(before, rel=0.1)


@ON_EVERY_SCREEN
def test_smoothing_is_off_until_chosen_and_keeps_the_raw_value(opened, screen):
    shown = opened(document(), **screen)
    value = returns(shown).locator(".value").first
    returns(shown).scroll_into_view_if_needed()
    returns(shown).locator("canvas").wait_for()
    raw = value.inner_text()
    assert "smoothed" not in raw
    shown.select_option(".smooth", "0.85")
    assert value.inner_text().startswith(f"{raw} (smoothed ")
    shown.select_option(".smooth", "0")
    assert value.inner_text() == raw


def test_gaps_are_drawn_as_gaps(opened):
    values = np.sin(np.arange(60) / 3).astype("<f4")
    values[20:40] = np.nan
    broken = chart("gap", lines=(ChartLine(name="gap", axis="steps", values=values.tobytes()),))
    shown = opened(document(page(findings=(), sections=(Section(id="c", title="Curves", blocks=(broken,)),))))
    shown.wait_for_selector("canvas")
    columns = shown.evaluate(BLUE, "gap")
    assert sum(columns[9:12]) == 0
    assert min(columns[3:6]) > 0
    assert min(columns[14:18]) > 0


def test_a_link_holds_what_was_chosen(opened):
    shown = opened(with_minor(), height=2400)
    shown.locator("details.section > summary").press("Enter")  # charts above, still being drawn, would move it
    shown.locator("[data-small='minor.3']").click()
    returns(shown).locator(".lines button").first.click()
    shown.select_option(".smooth", "0.6")
    shown.locator("[data-chart='value.loss']").get_by_role("button", name="Logarithmic scale").click()
    shown.focus("[data-chart='policy.loss'] .plot")
    shown.keyboard.press("+")
    zoomed = ranges(shown)["policy.loss"]
    fragment(shown, "zoom=")
    shown.reload()
    shown.wait_for_selector("canvas")
    assert ranges(shown)["policy.loss"] == pytest.approx(zoomed)
    assert shown.locator(".smooth").input_value() == "0.6"
    assert shown.locator("details.section").evaluate("section => section.open")
    assert shown.locator("[data-chart='minor.3']").count() == 1
    assert returns(shown).locator(".lines button").first.get_attribute("aria-pressed") == "false"
    scale = shown.locator("[data-chart='value.loss']").get_by_role("button", name="Logarithmic scale")
    assert scale.get_attribute("aria-pressed") == "false"


def test_the_link_is_copied(opened):
    shown = opened(document(), permissions=["clipboard-read", "clipboard-write"])
    shown.select_option(".smooth", "0.95")
    shown.get_by_role("button", name="Copy a link to what you see").click()
    shown.get_by_text("Copied").wait_for()
    assert "smooth=0.95" in shown.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize("words", FRAGMENTS, ids=range(len(FRAGMENTS)))
def test_a_fragment_made_by_hand_does_no_harm(opened, words):
    shown = opened(document(), fragment=words)
    assert shown.locator(".pill").count() == 13
    shown.wait_for_selector("canvas")
    assert ranges(shown)["policy.kl"] == [0, 60_000]
    assert shown.locator(".smooth").input_value() == "0"
    assert shown.locator("#page :is(img, script)").count() == 0


def test_values_that_a_logarithmic_scale_cannot_show_are_counted(opened):
    some = ChartLine(name="some", axis="steps", values=np.arange(60, dtype="<f4").tobytes())
    shown = opened(
        document(page(findings=(), sections=(Section(id="c", title="C", blocks=(chart("some", lines=(some,)),)),)))
    )
    known = shown.locator("[data-chart=some] .known")
    assert known.inner_text() == ""
    shown.get_by_role("button", name="Logarithmic scale").click()
    assert known.inner_text() == "1 value of 0 or less not drawn"
