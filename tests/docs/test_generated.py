"""Pages that are made from the code are those that the code makes now."""

from __future__ import annotations

from tests.docs.sources import ROOT
from weaklink.collect.probes.catalogue import ALL_PROBES
from weaklink.collect.probes.language.catalogue import LANGUAGE_PROBES
from weaklink.judge.diagnosis.symptoms import SYMPTOMS
from weaklink.show import probe_pages, symptom_page


def test_the_pages_of_the_probes_are_current():
    have = {file.name: file.read_text(encoding="utf-8") for file in (ROOT / "docs" / "probes").glob("*.md")}
    wanted = probe_pages.written()
    stale = [name for name in sorted(wanted.keys() | have.keys()) if wanted.get(name) != have.get(name)]
    assert not stale, f"run `make docs`: {stale}"


def test_the_page_of_symptoms_is_current():
    have = (ROOT / "docs" / "symptoms.md").read_text(encoding="utf-8")
    assert have == symptom_page.markdown(), "run `make docs`"


def test_there_is_a_page_for_every_probe_and_a_section_for_every_symptom():
    codes = {name.partition("-")[0] for name in probe_pages.written()}
    assert {probe.code for probe in (*ALL_PROBES, *LANGUAGE_PROBES)} <= codes
    assert all(f"## {symptom.name}\n" in symptom_page.markdown() for symptom in SYMPTOMS)


def test_a_page_tells_the_right_answer_and_what_a_mistake_would_learn():
    page = probe_pages.written()["PRB106-time-limit.md"]
    assert "| any step | 10 |" in page
    assert "| time limit taken for a terminal | 3.077 at" in page
    assert 'gymnasium.make("weaklink.envs:weaklink/TimeLimit-v0")' in page
