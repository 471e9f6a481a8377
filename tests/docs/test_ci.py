"""What projects take over into their own CI: the hook knows configurations by their names, and every command exists."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.cli.logs import call
from tests.docs.sources import ROOT
from tests.docs.test_commands import COMMANDS
from weaklink.collect.readers.hyperparameters import handles

HOOK = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
WORKFLOW = (ROOT / "examples" / "ci" / "training.yml").read_text(encoding="utf-8")
FILES = re.compile(re.search(r"^  files: (.*)$", HOOK, re.MULTILINE).group(1))


def test_the_hook_takes_what_is_read_as_a_configuration(tmp_path):
    for name in (
        "config.yaml",
        "Params.json",
        "args.yml",
        "hparams.yaml",
        "training_args.json",
        "experiment_config.yml",
    ):
        (tmp_path / name).write_text("{}", encoding="utf-8")
        assert FILES.search(f"runs/a/{name}"), name
        assert handles(tmp_path / name), name
    for name in ("package.json", "myconfig.yaml", "config.toml", "config.yaml.bak"):
        assert not FILES.search(name), name


def test_the_entry_of_the_hook_judges_a_configuration(tmp_path):
    entry = re.search(r"^  entry: weaklink (.*)$", HOOK, re.MULTILINE).group(1)
    (tmp_path / "config.yaml").write_text("algo: ppo\nlearning_rate: 0.5\ngamma: 1.4\n", encoding="utf-8")
    done = call(*shlex.split(entry), "config.yaml", cwd=tmp_path)
    assert done.returncode == 1
    assert "RET101" in done.stdout
    (tmp_path / "config.yaml").write_text("algo: ppo\nlearning_rate: 0.0003\ngamma: 0.99\n", encoding="utf-8")
    assert call(*shlex.split(entry), "config.yaml", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("line", re.findall(r"run: weaklink (.*)$", WORKFLOW, re.MULTILINE))
def test_every_command_of_the_workflow_exists(line):
    words = shlex.split(line.partition(" >>")[0])
    known = {
        option for parameter in COMMANDS[words[0]].params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    script = words.index("train.py") if "train.py" in words else len(words)  # what follows is the script's own
    assert {word for word in words[1:script] if word.startswith("-")} <= known
