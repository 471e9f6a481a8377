"""The bills of materials of `make audit`: what users get, under the names that scanners know, without the tools."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("dependency_audit", ROOT / "bench" / "dependency_audit.py")
assert SPEC is not None
assert SPEC.loader is not None
audit = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(audit)


def test_the_wheel_needs_what_it_asks_for_and_whatever_that_needs():
    components = {one["name"]: one for one in audit.list_wheel_components()}
    required = {name for name, one in components.items() if one["scope"] == "required"}
    assert {"numpy", "msgspec", "typer", "rich", "pygments"} <= required
    assert not {"pytest", "mypy", "ruff"} & set(components), "tools of developers"
    assert "torch" not in required
    for one in components.values():
        assert re.fullmatch(r"pkg:pypi/[\w.-]+@[\w.!-]+", one["purl"])


def test_the_page_holds_what_is_bundled_and_not_what_bundles():
    (plot,) = audit.list_page_components(ROOT / "web" / "package-lock.json")
    assert plot["purl"] == f"pkg:npm/uplot@{plot['version']}"
    bill = audit.make_bill("weaklink-page", [plot])
    assert (bill["bomFormat"], bill["specVersion"], bill["components"]) == ("CycloneDX", "1.5", [plot])


def test_an_auditor_that_was_not_reached_is_told_from_one_that_found_nothing(capsys):
    def ask(code: str) -> int:
        return audit.ask("packages", [sys.executable, "-c", code])

    assert ask("print('No known vulnerabilities found')") == 0
    assert ask("print('numpy 0.1 PYSEC-1'); raise SystemExit(1)") == audit.KNOWN
    assert ask("print('requests.exceptions.ConnectionError: Max retries'); raise SystemExit(1)") == audit.NOT_ASKED
    assert audit.ask("packages", ["/nowhere/to/be/found"]) == audit.NOT_ASKED
    assert "not asked" in capsys.readouterr().out


def test_the_command_is_known():
    said = subprocess.run(["make", "-n", "audit"], cwd=ROOT, capture_output=True, text=True).stdout
    assert "bench/dependency_audit.py" in said
