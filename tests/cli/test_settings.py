from __future__ import annotations

import pytest

from weaklink.base.errors import UsageError
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.cli.options import FailOn
from weaklink.cli.settings import gather_settings, read_settings

TABLE = """
[tool.weaklink]
select = ["POL", "EXP301"]
ignore = ["POL302"]
fail-on = "error"

[tool.weaklink.POL301]
lasting = 0.4
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "runs" / "deep"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return tmp_path / "pyproject.toml"


def test_the_nearest_file_is_found(project):
    project.write_text(TABLE)
    (project.parent / "runs" / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    settings, fail_on = gather_settings((), (), (), None)
    asked = {rule.code for rule in settings.rules((Run, Config))}
    assert {"POL301", "EXP301"} <= asked
    assert not {"POL302", "EXP302"} & asked
    assert settings.thresholds == {"POL301": {"lasting": 0.4}}
    assert fail_on is FailOn.ERROR


def test_the_command_line_wins(project):
    project.write_text(TABLE)
    settings, fail_on = gather_settings(
        ["VAL301,POL302"], ["POL302"], ["POL301.alert=0.7", "pol301.lasting=0.2"], FailOn.NEVER
    )
    assert {rule.code for rule in settings.rules((Run, Config))} == {"VAL301"}
    assert settings.thresholds == {"POL301": {"lasting": 0.2, "alert": 0.7}}
    assert fail_on is FailOn.NEVER


def test_without_a_file_the_defaults_hold(project):
    settings, fail_on = gather_settings((), (), (), None)
    assert settings.thresholds == {}
    assert fail_on is FailOn.WARN


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('[tool.weaklink]\nselct = ["POL"]\n', "selct"),
        ("[tool.weaklink]\nselect = 3\n", "select"),
        ('[tool.weaklink]\nfail-on = "often"\n', "fail-on"),
        ('[tool.weaklink]\nignore = ["POLX"]\n', "POLX"),
        ("[tool.weaklink.POL999]\nlasting = 1\n", "POL999"),
        ("[tool.weaklink.POL301]\nwrong = 1\n", "wrong"),
        ('[tool.weaklink.POL301]\nlasting = "much"\n', "POL301.lasting"),
        ("[tool.weaklink.POL301]\nlasting = true\n", "POL301.lasting"),
        ("[tool.weaklink.POL301]\nlasting = inf\n", "POL301.lasting"),
        ("tool.weaklink = 5\n", "tool.weaklink"),
        ("[tool.weaklink\n", "TOML"),
    ],
)
def test_a_wrong_file_is_named_with_its_key(project, table, told):
    project.write_text(table)
    with pytest.raises(UsageError) as raised:
        read_settings(project.parent)
    assert str(project) in str(raised.value)
    assert told in str(raised.value)
