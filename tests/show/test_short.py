"""The short view of a terminal: what to do now, in a screenful, whatever was found."""

from __future__ import annotations

from tests.looping import loop_over
from tests.show.made import broken, broken_run, finding, healthy, healthy_run, hostile
from tests.show.test_survey_views import CHECKLIST, dead_wheel
from tests.worlds import world
from weaklink.base.finding import Evidence
from weaklink.judge.diagnosis.diagnosis import FirstBreak
from weaklink.judge.rules._registry import load_rules
from weaklink.show.document import SHORT
from weaklink.show.layout import TerminalSheet
from weaklink.show.renderers.short import MOST_LINES
from weaklink.show.rendering import lay_out
from weaklink.verbs.preflight import Preflight

LONG = (
    "The measure stays at 7.8 from step 4,096 on, beyond the limit of 0.05 that healthy runs of this kind keep to. "
    "The curves bear it out: the policy moves further than it should, while the return goes from 34.73 to 14.29. "
    "Everything that was seen before that step is as it should be."
)
PROOFS = tuple(Evidence(metric=f"policy.measure_{place}", value=7.8, limit=0.05, step=61440.0) for place in range(5))


def short(result, **how) -> str:
    return lay_out(result, TerminalSheet(80), view=SHORT, **how).plain()


def test_the_first_line_is_what_a_person_would_say_and_the_code_stands_behind_it():
    lines = short(broken(), run=broken_run()).splitlines()
    assert " ".join(" ".join(lines[:2]).split()) == (
        "BROKEN Clipping discards most of each update: the policy became deterministic before it learned anything good."
    )
    assert lines[2] == "POL301 excessive-clipping · policy · from step 61,440 · high confidence"


def test_it_says_why_what_to_do_how_to_prove_it_and_what_comes_next():
    text = short(broken(), run=broken_run())
    for part in (
        "  The clip fraction holds at 0.80 from step 61,440 on (limit 0.3).",
        "policy.clip_fraction  0.8 from step 61,440 on, limit 0.3",
        "▲ step 61,440",
        "- Lower the learning rate",
        "What followed: EXP301 entropy-collapse",
        "Also broken: REW302 one-term-dominates (reward, from the start)",
        "\nNext  weaklink diagnose runs/half_lr\n",
        "Judged 6 of 9 rules",
        "-v shows\n1 fact worth knowing, what could be judged.",
    ):
        assert part in text
    for left_out in ("EVA304", "data.staleness", "custom/a"):
        assert left_out not in text


@loop_over(code=list(load_rules()))
def test_whatever_broke_it_fits_a_screen(code):
    """With the rule's own advice and proof, a long message, much evidence, and more that broke."""
    rule = load_rules()[code]
    first = finding(
        code,
        name=rule.name,
        link=rule.link,
        message=LONG,
        evidence=PROOFS,
        fix=rule.fix,
        verify=rule.page["How to prove it"],
    )
    followed = [finding("SYS301", consequence_of=code), finding("EXP303", consequence_of=code)]
    others = [finding("REW302"), finding("TSK101"), finding("DAT301"), finding("VAL303")]
    found = broken(findings=(first, *followed, *others), first_break=FirstBreak(rule.link, code, 61440.0))
    lines = short(found, run=broken_run()).splitlines()
    assert len(lines) <= MOST_LINES
    assert any(line.startswith("Next  weaklink ") for line in lines)
    assert max(len(line) for line in lines if not line.startswith("Next")) <= 80


def test_where_nothing_broke_it_says_what_to_log():
    assert short(healthy(), run=healthy_run()).startswith("HEALTHY  nothing is broken in the 6 of 6 rules")
    unclear = broken(findings=(), first_break=None)
    assert "data.staleness  lets 1 more rule judge" in short(unclear, run=broken_run())


def test_checklists_come_when_they_are_asked_for():
    result = Preflight(world(), dead_wheel(), CHECKLIST, None)
    text = short(result)
    assert len(text.splitlines()) <= MOST_LINES
    assert "[x]" not in text
    assert "--checklist: " in text
    assert "[x]" in short(result, checklists=True)


def test_nothing_of_a_log_reaches_the_terminal_raw():
    assert "\x1b" not in short(hostile(), run=broken_run())
