"""The list of runs on the page of a fleet: worst first, grouped, each with its own page."""

from __future__ import annotations

import msgspec

from tests.cli.logs import call
from tests.fleet.fleets import make_fleet
from tests.fleet.sweeps import make_sweep
from weaklink.show.rendering import build_document, render
from weaklink.show.subjects.triage import choose_drawn, rank_runs

MEGABYTE = 1_000_000


def build(runs: int = 60, **parts):
    done, kept = make_fleet(runs, **parts)
    return done, build_document(done, kept=kept)


def sections_of(document) -> dict:
    return {section.id: section for section in document.together}


def test_the_worst_come_first_and_the_same_diagnosis_is_one_group():
    done, document = build()
    (block,) = sections_of(document)["triage"].blocks
    ill = [one for one in done.summaries if one.diagnosis.first_break is not None]
    first, second, third = block.groups
    assert (first.state, len(first.rows), first.codes[0]) == ("broken", len(ill), "POL301")
    assert "POL301" in first.title
    assert (second.title, [row.title for row in second.rows]) == ("Could not be read", ["lost_0"])
    assert (third.state, len(third.rows)) == ("clean", 60 - len(ill))
    finals = [float(row.final.replace(",", "")) for row in third.rows]
    assert finals == sorted(finals)


def test_each_run_is_one_link_away_with_its_curve_and_its_settings():
    done, document = build()
    (block,) = sections_of(document)["triage"].blocks
    pages = {page.id: page for page in document.pages}
    rows = [row for group in block.groups for row in group.rows if row.page]
    assert len(rows) == len(pages) == 60
    assert block.settings == ("learning_rate", "batch_size", "gamma", "seed")
    by_name = {one.peer.name: one for one in done.summaries}
    for row in rows:
        one = by_name[row.title]
        assert pages[row.page].title == one.peer.name
        assert row.curve == one.curve
        assert row.values[0] == f"{one.settings['learning_rate']:.6g}"
    assert any(section.id == "curves" for page in document.pages for section in page.sections)


def test_the_map_counts_breaks_by_value():
    done, document = build()
    (table,) = sections_of(document)["map"].blocks
    assert table.columns == ("setting", "value", "runs", "policy")
    row = next(row for row in table.rows if row.cells[:2] == ("learning_rate", "0.01"))
    large = [one for one in done.summaries if one.settings["learning_rate"] == 0.01]
    ill = sum(one.diagnosis.first_break is not None for one in large)
    assert row.cells[2:] == (str(len(large)), str(ill))
    assert row.shares == (ill / len(large),)
    counted = {}
    for row in table.rows:
        counted[row.cells[0]] = counted.get(row.cells[0], 0) + int(row.cells[2])
    assert set(counted.values()) == {60}


def test_what_is_drawn_is_one_of_each_group_first():
    done, _ = make_fleet(40)
    groups = rank_runs(done.summaries)
    assert choose_drawn(done.summaries, 3) == [groups[0][0], groups[1][0], groups[0][1]]


def test_few_runs_keep_their_table():
    _, document = build(5, failures=0)
    assert "triage" not in sections_of(document)
    assert "runs" in sections_of(document)


def test_five_hundred_runs_are_a_small_page():
    done, kept = make_fleet(500)
    assert len(render(done, "html", kept=kept).encode()) < 4 * MEGABYTE


def test_texts_among_settings_are_hidden():
    done, kept = make_fleet(20)
    changed = [
        msgspec.structs.replace(one, settings={**one.settings, "dataset": "acmecorp" if place % 2 else "other"})
        for place, one in enumerate(done.summaries)
    ]
    done = msgspec.structs.replace(done, summaries=tuple(changed))
    assert "acmecorp" not in render(done, "html", kept=kept)
    assert "acmecorp" in render(done, "html", kept=kept, show_all=True)


def test_the_command_draws_runs_that_other_processes_judged(tmp_path):
    root, page = make_sweep(tmp_path / "runs", 18), tmp_path / "fleet.html"
    done = call("diagnose", root, "--workers", "2", "-f", "html", "-o", page, "--fail-on", "never")
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert '"kind":"triage"' in text
    assert '"kind":"chart"' in text
