"""The page in a real browser: the loop, the findings, the charts, by mouse, by key and on a phone."""

from __future__ import annotations

import re

import pytest

from tests.browser.documents import CURVES, FIRST, SECOND, document, page
from weaklink.show.document import Section

NO_SIDEWAYS = "document.documentElement.scrollWidth <= innerWidth"


def ranges(shown):
    """The part of its axis that each drawn chart shows."""
    return {one["chart"]: one["range"] for one in shown.evaluate("weaklink.ranges()")}


def drag(shown, plot, start, end):
    plot.scroll_into_view_if_needed()
    box = plot.locator(".u-over").bounding_box()
    height = box["y"] + box["height"] / 2
    shown.mouse.move(box["x"] + box["width"] * start, height)
    shown.mouse.down()
    shown.mouse.move(box["x"] + box["width"] * (start + end) / 2, height)
    shown.mouse.move(box["x"] + box["width"] * end, height)
    shown.mouse.up()


def test_verdict_headline_and_first_break_are_on_the_first_screen(opened):
    shown = opened(document())
    assert shown.title() == "runs/seven · weaklink"
    assert shown.locator(".verdict").inner_text() == "Broken"
    assert shown.locator("h1").inner_text() == "policy broke first, from step 20,000"
    first = shown.locator(".pill.first")
    assert first.inner_text().split() == ["policy", "broke", "first"]
    assert first.bounding_box()["y"] < 860
    assert shown.locator(".pill").count() == 13
    card = shown.locator(".findings .finding").first
    assert card.get_attribute("data-code") == FIRST
    assert card.evaluate("card => card.open")
    assert card.locator(".followed .finding").get_attribute("data-code") == SECOND


def test_a_click_on_a_link_shows_its_findings_and_charts(opened):
    shown = opened(document())
    shown.click("[data-link=exploration]")
    assert [card.get_attribute("data-code") for card in shown.locator(".findings .finding").all()] == [SECOND]
    assert "what is known of exploration" in shown.locator(".about-link").inner_text()
    shown.click("[data-link=reward]")
    assert shown.locator(".findings .finding").count() == 0
    assert shown.locator(".findings [data-chart='reward.episode_return'] canvas").count() == 1
    assert shown.locator("[data-link=reward]").get_attribute("aria-pressed") == "true"
    shown.get_by_role("button", name="Show all findings").click()
    assert shown.locator(".about-link").count() == 0


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_loop_and_a_chart_by_key_alone(opened, key):
    shown = opened(document())
    for _ in range(40):
        shown.keyboard.press("Tab")
        if shown.evaluate("document.activeElement.dataset.link"):
            break
    assert shown.evaluate("document.activeElement.dataset.link") == "environment"
    shown.keyboard.press("ArrowRight")
    assert shown.evaluate("document.activeElement.dataset.link") == "observation"
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert shown.evaluate(outline) == "solid"
    shown.focus("[data-link=policy]")
    shown.keyboard.press(key)
    assert shown.locator(".findings .finding").get_attribute("data-code") == FIRST
    shown.focus(".findings .plot >> nth=0")
    shown.keyboard.press("ArrowRight")
    assert re.match(r"step \d", shown.locator(".findings .where").first.inner_text())
    shown.keyboard.press("+")
    low, high = ranges(shown)["policy.kl"]
    assert high - low < 60_000
    shown.keyboard.press("Escape")
    assert ranges(shown)["policy.kl"] == [0, 60_000]


def test_zooming_one_chart_zooms_all_over_the_same_axis(opened):
    shown = opened(document(), height=2400)
    shown.wait_for_function("() => weaklink.ranges().length === 5")
    drag(shown, shown.locator("[data-chart='policy.loss'] .plot"), 0.25, 0.5)
    after = ranges(shown)
    assert after["policy.loss"] == pytest.approx([15_000, 30_000], abs=600)
    for name in ("policy.kl", "reward.episode_return", "value.loss"):
        assert after[name] == after["policy.loss"]
    assert after["seconds.kept"] == [0, 90]
    shown.get_by_role("button", name="Reset zoom").click()
    assert ranges(shown)["value.loss"] == [0, 60_000]
    drag(shown, shown.locator("[data-chart='value.loss'] .plot"), 0.5, 0.9)
    assert ranges(shown)["policy.kl"][0] > 25_000
    shown.locator("[data-chart='policy.loss'] .u-over").dblclick()
    assert ranges(shown)["policy.kl"] == [0, 60_000]


def test_cursors_are_linked_and_the_legend_tells_the_value_below(opened):
    shown = opened(document(), height=2400)
    shown.wait_for_function("() => weaklink.ranges().length === 5")
    shown.locator("[data-chart='policy.loss'] .u-over").hover()
    for name in ("policy.loss", "policy.kl", "reward.episode_return"):
        assert shown.locator(f"[data-chart='{name}'] .where").inner_text() == "step 29,492"
    assert shown.locator("[data-chart='seconds.kept'] .where").inner_text() == "last"
    assert len(shown.locator("[data-chart='reward.episode_return'] .value").all_inner_texts()) == 2


def test_a_logarithmic_scale_is_one_click_away(opened):
    shown = opened(document())
    button = shown.locator("[data-chart='value.loss']").get_by_role("button", name="Logarithmic scale")
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    assert button.get_attribute("aria-pressed") == "false"


def test_a_proof_leads_to_its_chart_and_a_mark_to_its_finding(opened):
    shown = opened(document())
    shown.get_by_role("button", name="Show the chart of policy.kl").click()
    assert shown.evaluate("document.activeElement.closest('[data-chart]').dataset.chart") == "policy.kl"
    shown.locator("[data-chart='policy.kl'] .known button").click()
    assert shown.evaluate("document.activeElement.closest('[data-code]').dataset.code") == FIRST
    shown.locator("details.section > summary").press("Enter")  # charts above, still being drawn, would move it
    shown.locator("table .link").click()
    assert shown.evaluate("document.activeElement.closest('[data-code]').dataset.code") == FIRST


def test_the_command_is_copied(opened):
    shown = opened(document(), permissions=["clipboard-read", "clipboard-write"])
    shown.get_by_role("button", name="Copy the command").first.click()
    shown.get_by_text("Copied").wait_for()
    assert shown.evaluate("navigator.clipboard.readText()") == f"weaklink confirm {FIRST}"


def test_charts_are_found_by_a_word(opened):
    shown = opened(document())
    shown.keyboard.press("/")
    shown.keyboard.type("LOSS")
    assert [one.get_attribute("data-chart") for one in shown.locator(".chart").all()] == ["policy.loss", "value.loss"]
    assert shown.locator(".found").inner_text() == "2 of 5 charts"
    shown.keyboard.type("es of another kind")
    assert shown.locator(".nothing").count() == 1
    shown.keyboard.press("Escape")
    assert shown.locator(".pill").count() == 13


def test_every_kind_of_block_is_drawn(opened):
    shown = opened(document())
    shown.locator("details.section > summary").press("Enter")  # charts above, still being drawn, would move it
    assert shown.locator(".histogram .bin").count() == 3
    assert shown.locator(".boxes .mean").count() == 2
    assert shown.locator(".strips .curve").count() == 2
    assert shown.locator(".checklist .word").all_inner_texts() == ["done", "failed", "open"]
    assert shown.locator(".written pre").inner_text() == "2 + 2 = 4"
    assert "12 characters left out" in shown.locator(".written").inner_text()
    assert shown.locator(".listing pre").inner_text() == "weaklink.attach(model)"


@pytest.mark.parametrize("width", [360, 390, 768, 1000])
def test_nothing_is_wider_than_the_screen(opened, width):
    shown = opened(document(), width=width)
    assert shown.evaluate(NO_SIDEWAYS)
    shown.click("[data-link=reward]")
    shown.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    shown.wait_for_timeout(100)
    assert shown.evaluate(NO_SIDEWAYS)


def test_a_finger_zooms(opened):
    shown = opened(
        document(page(findings=(), sections=(Section(id="curves", title="Curves", blocks=CURVES[1:]),))),
        width=390,
        has_touch=True,
    )
    shown.locator("[data-chart='policy.loss'] .u-over").scroll_into_view_if_needed()
    box = shown.locator("[data-chart='policy.loss'] .u-over").bounding_box()
    touch = shown.context.new_cdp_session(shown)
    places = [{"x": box["x"] + box["width"] * share, "y": box["y"] + 40} for share in (0.2, 0.4, 0.6)]
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": places[:1]})
    for place in places[1:]:
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [place]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    shown.wait_for_function("() => weaklink.ranges().some(one => one.range[0] > 0)")
    assert ranges(shown)["policy.loss"] == pytest.approx([12_000, 36_000], abs=2500)


def test_dark_and_light(opened):
    ground = "getComputedStyle(document.body).backgroundColor"
    shown = opened(document(), color_scheme="dark")
    assert shown.evaluate(ground) == "rgb(18, 20, 23)"
    shown.get_by_role("button", name="Switch to the light look").click()
    assert shown.evaluate(ground) == "rgb(248, 247, 244)"


def test_print_opens_everything_and_is_never_dark(opened):
    shown = opened(document(), color_scheme="dark")
    shown.emulate_media(media="print")
    shown.wait_for_function("() => document.querySelectorAll('details:not([open])').length === 0")
    assert shown.locator(".chart canvas").count() == shown.locator(".chart").count() > 4
    assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not shown.locator(".bar").is_visible()
    assert len(shown.pdf()) > 20_000
    shown.emulate_media(media="screen")
    shown.wait_for_function("() => !document.querySelector('details.section').open")
