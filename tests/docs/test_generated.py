"""Pages that are made from the code."""

from __future__ import annotations

import subprocess

from tests.docs.sources import ROOT
from weaklink.collect.probes.catalogue import ALL_PROBES
from weaklink.collect.probes.language.catalogue import LANGUAGE_PROBES
from weaklink.judge.diagnosis.probing import list_rung_codes
from weaklink.judge.diagnosis.symptoms import SYMPTOMS
from weaklink.show import probe_pages, symptom_page
from weaklink.show.topics import write_pages, write_site_pages


def test_none_of_them_is_in_the_repository():
    kept = subprocess.run(["git", "ls-files", "docs"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    assert not {f"docs/{name}" for name in write_site_pages()} & set(kept.splitlines())


def test_writing_takes_stale_pages_away(tmp_path):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "OLD999-gone.md").write_text("gone")
    write_pages(tmp_path)
    written = {file.relative_to(tmp_path).as_posix(): file.read_text("utf-8") for file in tmp_path.rglob("*.md")}
    assert written == write_site_pages()


def test_there_is_a_page_for_every_probe_and_a_section_for_every_symptom():
    codes = {name.partition("-")[0] for name in probe_pages.write_probe_pages()}
    assert {list_rung_codes()[probe.name] for probe in (*ALL_PROBES, *LANGUAGE_PROBES)} <= codes
    assert all(f"## {symptom.name}\n" in symptom_page.write_symptom_page() for symptom in SYMPTOMS)


def test_a_page_tells_the_right_answer_and_what_a_mistake_would_learn():
    page = probe_pages.write_probe_pages()["PRB106-time-limit.md"]
    assert "| any step | 10 |" in page
    assert "| time limit taken for a terminal | 3.077 at" in page
    assert 'gymnasium.make("weaklink.envs:weaklink/TimeLimit-v0")' in page
