"""Whatever a log holds is shown as text: nothing runs, nothing loads, nothing breaks out."""

from __future__ import annotations

import json

import pytest

from tests.browser.documents import Planted, document, page
from weaklink.show.document import QuotedText, Section, TextColumn, TextColumns
from weaklink.show.renderers.html import encode_document, write_document

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "end of script": "</script><script>alert(2)</script><!--<script>",
    "image": '"><img src=x onerror=alert(3)><svg onload=alert(4)>',
    "address": "javascript:alert(5) https://example.invalid/x.png {{7*7}} ${alert(6)}",
    "right to left": "\u202egnp.exe\u2066\u200f ‮",
    "nothing printable": "\x00\x1b[31m\u2028\u2029\ufeff",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_inert_wherever_it_stands(opened, text):
    shown = opened(Planted(text).document())
    shown.click("[data-link=policy]")
    shown.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    shown.wait_for_timeout(50)
    assert shown.locator("script").count() == 2
    assert shown.locator("#page :is(img, script, iframe, object, embed, style, link)").count() == 0
    assert shown.evaluate("document.querySelector('h1').textContent").endswith(text)
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_megabyte_in_one_line_is_shown_in_parts(opened):
    body = "<b>x" * 262_144
    sides = TextColumns(
        title="Samples", sides=(TextColumn(title="Longest", texts=(QuotedText(title="y" * 5000, body=body),)),)
    )
    shown = opened(
        document(page(title="z" * 20_000, sections=(Section(id="samples", title="Samples", blocks=(sides,)),))),
        width=360,
    )
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert shown.evaluate("document.querySelector('.written pre').textContent.length") == 4000
    shown.get_by_role("button", name="Show more").click()
    assert shown.evaluate("document.querySelector('.written pre').textContent.length") == 104_000


def test_a_script_that_slips_in_does_not_run(browser, tmp_path):
    path = tmp_path / "tampered.html"
    taken = write_document(document()).replace("</body>", "<script>document.title = 'taken'</script></body>")
    path.write_text(taken, encoding="utf-8")
    shown = browser.new_page()
    refused = []
    shown.on("console", lambda message: refused.append(message.text))
    shown.goto(path.as_uri())
    assert shown.title() == "runs/seven · weaklink"
    assert "Content Security Policy" in refused[0]
    with pytest.raises(Exception, match="TrustedHTML"):
        shown.evaluate("document.body.innerHTML = '<b>markup</b>'")
    shown.close()


def test_half_a_character_survives():
    sides = TextColumns(title="\ud83d half", sides=())
    made = document(page(sections=(Section(id="samples", title="a\x00b", blocks=(sides,)),)))
    text = encode_document(made)
    assert text.isascii()
    held = json.loads(text)["pages"][0]["sections"][0]
    assert held["title"] == "a\x00b"
    assert held["blocks"][0]["title"] == "\ud83d half"


def test_nothing_in_the_data_can_end_its_element():
    text = encode_document(Planted("</script>&<!--\u2028").document())
    assert not set("<>&\u2028\u2029\n") & set(text)
    assert json.loads(text)["pages"][0]["headline"].endswith("</script>&<!--\u2028")
