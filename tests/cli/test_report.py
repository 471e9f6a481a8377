"""`--format html` of every command that judges, and `weaklink report`."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.logs import healthy_log, invoke, sick_log


def weaklink(*arguments):
    return invoke(*arguments)


def inside(page: str) -> dict:
    """The document of a page."""
    found = re.search(r'<script type="application/json" id="document">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found.group(1))


def test_a_page_is_written_where_it_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = weaklink("report", sick_log(tmp_path / "run"))
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    assert "weaklink-report.html" in result.stderr
    document = inside((tmp_path / "weaklink-report.html").read_text(encoding="utf-8"))
    assert document["pages"][0]["headline"].startswith("policy, ")
    named = weaklink("report", tmp_path / "run", "-o", tmp_path / "other.html")
    assert "other.html" in named.stderr
    assert (tmp_path / "other.html").stat().st_size < 1_000_000


def test_without_a_file_the_page_of_diagnose_goes_to_standard_output(tmp_path):
    result = weaklink("diagnose", sick_log(tmp_path), "--format", "html")
    assert result.exit_code == 1, "a finding is a finding in every format"
    assert result.stdout.startswith("<!doctype html>")
    assert inside(result.stdout)["pages"][0]["verdict"] == "broken"


def test_several_runs_and_one_that_cannot_be_read(tmp_path):
    sick_log(tmp_path / "a")
    healthy_log(tmp_path / "b")
    result = weaklink("report", tmp_path / "a", tmp_path / "b", tmp_path / "missing", "-o", tmp_path / "r.html")
    assert result.exit_code == 2
    assert "missing" in result.stderr
    document = inside((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert [page["verdict"] for page in document["pages"]] == ["broken", "healthy"]
    assert document["together"][0]["id"] == "runs"


def test_nothing_to_read_writes_nothing(tmp_path):
    result = weaklink("report", tmp_path / "missing", "-o", tmp_path / "r.html")
    assert result.exit_code == 2
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize(("format", "begins"), [("markdown", "## BROKEN"), ("terminal", "BROKEN"), ("json", "{")])
def test_other_formats_of_a_report(tmp_path, format, begins):
    result = weaklink("report", sick_log(tmp_path), "--format", format)
    assert result.exit_code == 0
    assert result.stdout.startswith(begins)


def test_wrong_use_of_a_report(tmp_path):
    for arguments in (
        (),
        (sick_log(tmp_path), "--env", "CartPole-v1"),
        (sick_log(tmp_path), "--open", "--format", "json"),
        (sick_log(tmp_path), "-o", tmp_path / "progress.csv"),
    ):
        result = weaklink("report", *arguments)
        assert result.exit_code == 2, arguments
        assert result.stderr.startswith("weaklink: "), result.stderr


def test_a_symptom_is_on_the_page(tmp_path):
    page = weaklink("diagnose", sick_log(tmp_path), "--format", "html", "--symptom", "reward flat").stdout
    assert "symptom" in [section["id"] for section in inside(page)["pages"][0]["sections"]]


def test_audit_and_compare(tmp_path, monkeypatch):
    rows = [{"prompt": "2+2?", "completion": "4" * place, "reward": place / 30, "gold": 1} for place in range(1, 40)]
    samples = tmp_path / "samples.jsonl"
    samples.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    audited = weaklink("audit", samples, "--format", "html")
    assert inside(audited.stdout)["pages"][0]["command"] == "audit"
    one, two = sick_log(tmp_path / "one").parent, healthy_log(tmp_path / "two").parent
    monkeypatch.chdir(tmp_path)
    compared = weaklink("compare", one, two, "--format", "html")
    assert inside(compared.stdout)["pages"][0]["command"] == "compare"


def test_kernels(tmp_path):
    module = tmp_path / "mine.py"
    module.write_text("def discounted_returns(rewards, gamma):\n    return rewards\n", encoding="utf-8")
    result = weaklink("probe", "--kernels", module, "--format", "html", "-o", tmp_path / "k.html")
    assert result.exit_code in (0, 1), result.stderr
    assert inside((tmp_path / "k.html").read_text(encoding="utf-8"))["pages"][0]["command"] == "probe"


@pytest.mark.parametrize("arguments", [("rules",), ("explain", "POL301"), ("memory", "--parameters", "7b")])
def test_what_judges_nothing_has_no_page(arguments):
    result = weaklink(*arguments, "--format", "html")
    assert result.exit_code == 2
    assert "html" in result.stderr
