"""What to do stands above the loop, the parts of the page are one click away, and minor curves are small."""

from __future__ import annotations

import pytest

from tests.browser.documents import CURVES, axis, chart, document, line, page
from tests.browser.test_page import NO_SIDEWAYS
from weaklink.show.document import ChartLimit, ChartMark, Section

SCREENS = {
    "desktop": {"width": 1280},
    "phone": {"width": 390},
    "desktop in the dark": {"width": 1280, "color_scheme": "dark"},
    "phone in the dark": {"width": 390, "color_scheme": "dark"},
}
ON_EVERY_SCREEN = pytest.mark.parametrize("screen", SCREENS.values(), ids=SCREENS.keys())
MINOR = tuple(
    chart(f"minor.{number}", minor=True, lines=(line(f"minor.{number}", seed=number),)) for number in range(9)
)
LIMITS = tuple(ChartLimit(at=at, label=f"limit {at} (POL30{at})") for at in range(6))
MARKS = tuple(ChartMark(at=20_000 + 500 * at, label=f"POL30{at} a-name-of-some-length", code="") for at in range(6))


def with_minor():
    curves = Section(id="curves", title="Curves", blocks=(*CURVES, *MINOR))
    return document(page(says="The policy leaves its trust region.", sections=(curves, *page().sections[1:])))


def top_of(shown, name: str) -> float:
    return shown.locator(name).first.bounding_box()["y"]


@ON_EVERY_SCREEN
def test_the_answer_and_what_to_do_stand_above_the_loop(opened, screen):
    shown = opened(with_minor(), **screen)
    assert shown.locator(".says").inner_text() == "The policy leaves its trust region."
    assert shown.locator(".todo ol > li").all_inner_texts() == ["Lower the learning rate.", "Stop the update early."]
    assert shown.locator(".todo .command code").inner_text() == "weaklink confirm POL303"
    tops = [top_of(shown, name) for name in ("h1", ".says", ".todo", ".loop", ".findings")]
    assert tops == sorted(tops)
    box = shown.locator(".todo").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= screen["width"]
    assert shown.evaluate(NO_SIDEWAYS)


def test_where_nothing_broke_the_advice_and_the_next_command_stand_there(opened):
    healthy = page(findings=(), verdict="healthy", advice=("Try another seed.",), next="weaklink probe sb3:PPO")
    shown = opened(document(healthy))
    assert shown.locator(".todo ol > li").all_inner_texts() == ["Try another seed."]
    assert shown.locator(".todo .command code").inner_text() == "weaklink probe sb3:PPO"
    assert shown.locator(".advice").count() == 0


@ON_EVERY_SCREEN
def test_the_contents_lead_to_every_part_by_key(opened, screen):
    shown = opened(with_minor(), **screen, reduced_motion="reduce")
    entries = shown.locator(".contents button")
    assert entries.all_inner_texts() == ["Answer", "The loop", "What broke", "Curves", "All else"]
    entries.nth(4).focus()
    shown.keyboard.press("Enter")
    assert shown.locator("details.section").evaluate("section => section.open")
    entries.nth(3).focus()
    shown.keyboard.press("Enter")
    shown.wait_for_function("() => document.querySelector('.contents [aria-current]').textContent === 'Curves'")
    bar = shown.locator(".bar").bounding_box()
    heading = shown.locator(".section > h2").first.bounding_box()
    assert bar["height"] - 1 <= heading["y"] < 860 / 2
    assert shown.evaluate(NO_SIDEWAYS)


@ON_EVERY_SCREEN
def test_minor_curves_are_small_and_full_when_asked_for(opened, screen):
    shown = opened(with_minor(), **screen)
    assert shown.locator(".small").count() == len(MINOR)
    assert shown.locator(".small .curve").count() == len(MINOR)
    boxes = [one.bounding_box() for one in shown.locator(".small").all()]
    assert all(box["height"] < 90 and box["x"] + box["width"] <= screen["width"] for box in boxes)
    assert boxes[0]["y"] == boxes[1]["y"]
    shown.locator("[data-small='minor.3']").click()
    shown.locator("[data-chart='minor.3'] canvas").first.wait_for()
    assert shown.locator("[data-chart='minor.3'] canvas").count() == 1
    assert shown.evaluate("document.activeElement.closest('[data-chart]').dataset.chart") == "minor.3"
    assert shown.evaluate(NO_SIDEWAYS)
    shown.get_by_role("button", name="Draw it small again").click()
    assert shown.locator(".small").count() == len(MINOR)
    shown.fill("input[type=search]", "minor.4")
    assert [one.get_attribute("data-chart") for one in shown.locator(".section .chart").all()] == ["minor.4"]


@ON_EVERY_SCREEN
def test_labels_of_limits_and_onsets_never_overlap(opened, screen):
    crowded = chart("crowded", lines=(line("crowded", 30, axis="other"),), limits=LIMITS, marks=MARKS)
    shown = opened(
        document(
            page(findings=(), sections=(Section(id="c", title="Curves", blocks=(crowded,)),), axes={"other": axis(30)})
        ),
        **screen,
    )
    shown.wait_for_selector("canvas")
    labels = shown.evaluate("weaklink.labels()")
    assert len(labels) >= 4
    for place, one in enumerate(labels):
        for other in labels[place + 1 :]:
            beside = one["left"] + one["width"] <= other["left"] or other["left"] + other["width"] <= one["left"]
            above = one["top"] + one["height"] <= other["top"] or other["top"] + other["height"] <= one["top"]
            assert beside or above, (one, other)
    assert shown.locator("[data-chart=crowded] .known li").count() == len(LIMITS) + len(MARKS)
