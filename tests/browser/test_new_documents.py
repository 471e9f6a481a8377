"""A new document keeps what the reader chose; several pages are one click apart."""

from __future__ import annotations

import json

import msgspec

from tests.browser.documents import FINDINGS, SECOND, axis, document, line, page
from tests.browser.test_page import drag, ranges
from weaklink.show.document import Chart, Section
from weaklink.show.renderers.html import encode_document


def show(shown, next_document):
    shown.evaluate("text => weaklink.show(JSON.parse(text))", encode_document(next_document))


def grown(points=90):
    sections = tuple(
        msgspec.structs.replace(one, blocks=tuple(longer(block, points) for block in one.blocks))
        for one in page().sections
    )
    axes = {
        "steps": axis(points, last=points * 1000.0),
        "other": axis(30),
        "seconds": axis(points, label="seconds", last=90),
    }
    return document(page(sections=sections, axes=axes, headline="it has grown"))


def longer(block, points):
    if not isinstance(block, Chart) or block.lines[0].axis == "other":
        return block
    return msgspec.structs.replace(block, lines=tuple(line(one.name, points, axis=one.axis) for one in block.lines))


def test_scroll_zoom_open_parts_and_focus_stay(opened):
    shown = opened(document())
    shown.locator("details.section > summary").press("Enter")  # charts above, still being drawn, would move it
    drag(shown, shown.locator("[data-chart='policy.loss'] .plot"), 0.25, 0.5)
    zoomed = ranges(shown)["policy.loss"]
    shown.focus("[data-chart='value.loss'] .plot")
    shown.evaluate("scrollTo(0, 700)")
    show(shown, grown())
    assert shown.evaluate("scrollY") == 700
    assert shown.locator("h1").inner_text() == "it has grown"
    assert shown.locator("details.section").evaluate("section => section.open")
    assert ranges(shown)["policy.loss"] == zoomed
    assert shown.evaluate("document.activeElement.closest('[data-chart]').dataset.chart") == "value.loss"
    shown.get_by_role("button", name="Reset zoom").click()
    assert ranges(shown)["policy.loss"] == [0, 90_000]


def test_a_chosen_link_and_a_folded_card_stay(opened):
    shown = opened(document())
    shown.locator(".finding > summary").first.click()
    show(shown, grown())
    assert not shown.locator(".finding").first.evaluate("card => card.open")
    shown.click("[data-link=exploration]")
    changed = tuple(msgspec.structs.replace(one, message="another message") for one in FINDINGS)
    show(shown, document(page(findings=changed)))
    assert shown.locator(".findings .finding").get_attribute("data-code") == SECOND
    assert shown.locator(".message").inner_text() == "another message"
    assert shown.evaluate("document.activeElement.dataset.link") == "exploration"


def test_several_pages_and_what_they_show_together(opened):
    chart = Chart(
        id="all", title="All returns", lines=(line("seed 0"), line("seed 1", seed=1, axis="other", points=30))
    )
    both = document(
        page(id="a", title="seed 0"),
        page(id="b", title="seed 1", verdict="healthy", headline="nothing is broken", findings=()),
        together=(Section(id="returns", title="Returns", blocks=(chart,)),),
        axes={"steps": axis(), "other": axis(30)},
        title="two seeds",
    )
    shown = opened(both)
    assert shown.locator("h1").inner_text() == "1 broken, 1 healthy"
    assert shown.locator("[data-chart=all] canvas").count() == 1
    shown.locator(".run", has_text="seed 1").click()
    assert shown.locator("h1").inner_text() == "nothing is broken"
    assert shown.locator(".tab[aria-current]").inner_text() == "seed 1"
    show(shown, both)
    assert shown.locator("h1").inner_text() == "nothing is broken"
    shown.get_by_role("button", name="All together").click()
    assert shown.locator(".run").count() == 2


def test_many_pages_are_a_list_to_choose_from(opened):
    shown = opened(document(*(page(id=str(number), title=f"seed {number}") for number in range(9))))
    shown.select_option(".pages select", "7")
    assert shown.locator(".target").inner_text() == "seed 7"


def test_what_is_sent_is_what_stands_in_the_file():
    assert json.loads(encode_document(document()))["pages"][0]["id"] == "run"
