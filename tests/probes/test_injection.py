"""What a child process gets so that Gymnasium knows the probes there, and what it must not notice of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from weaklink.base.outside.injection import AFTER_IMPORT, INJECTED
from weaklink.collect.probes.injection import inject_registration

pytest.importorskip("gymnasium")

SOURCES = Path(__file__).parents[2] / "src"
MAKES = "import gymnasium; print(gymnasium.make('weaklink/ConstantReward-v0').reset(seed=0)[0].tolist())"


def run_injected(code, *options, path=(SOURCES,)):
    """Runs a script that does not import weaklink as `weaklink probe --cmd` would."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    command = [sys.executable, *options, "-c", textwrap.dedent(code)]
    injected = inject_registration(environment)
    done = subprocess.run(command, capture_output=True, text=True, env=injected, check=False)
    assert not done.stderr or done.returncode, done.stderr
    return done


def test_the_variables_given_are_left_alone_and_the_path_goes_on():
    given = {"PYTHONPATH": "mine", "OTHER": "1"}
    injected = inject_registration(given)
    call = "gymnasium=weaklink.collect.probes.registration:register"
    assert injected == {"PYTHONPATH": f"{INJECTED}{os.pathsep}mine", "OTHER": "1", AFTER_IMPORT: call}
    assert given["PYTHONPATH"] == "mine"
    assert inject_registration({})["PYTHONPATH"] == str(INJECTED)


def test_a_script_needs_no_import():
    assert run_injected(MAKES).stdout == "[0.0]\n"


def test_nor_does_what_a_script_starts():
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {MAKES!r}], check=True)"
    assert run_injected(code).stdout == "[0.0]\n"


def test_nor_do_environments_in_processes_of_their_own(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(
        "import gymnasium\n"
        "if __name__ == '__main__':\n"
        "    makers = [lambda: gymnasium.make('weaklink/MatchingAction-v0')] * 2\n"
        "    vector = gymnasium.vector.AsyncVectorEnv(makers, context='spawn')\n"
        "    print(vector.reset(seed=0)[0].shape)\n"
        "    vector.close()\n"
    )
    assert run_injected(f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')").stdout == "(2, 1)\n"


def test_looking_for_gymnasium_is_not_importing_it():
    code = f"import importlib.util; importlib.util.find_spec('gymnasium')\n{MAKES}"
    assert run_injected(code).stdout == "[0.0]\n"


def test_a_process_without_it_knows_nothing():
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    code = "import gymnasium; print([id for id in gymnasium.registry if 'weaklink' in id])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == "[]\n"


def test_nothing_is_left_behind_and_nothing_heavy_is_loaded():
    done = run_injected(
        f"""
        import sys
        before = set(sys.modules)
        import gymnasium, json
        ours = sorted(name for name in sys.modules if name.startswith("weaklink"))
        print(json.dumps({{
            "at start": [name for name in before if name.startswith("weaklink")],
            "at import": ours,
            "heavy": sorted({{"msgspec", "rich", "typer"}} & set(sys.modules)),
            "loader": type(gymnasium.__spec__.loader).__name__,
            "kept": "exec_module" in vars(gymnasium.__spec__.loader),
            "finders": [type(finder).__name__ for finder in sys.meta_path],
            "on the path": {str(INJECTED)!r} in sys.path,
            "reloaded": __import__("importlib").reload(gymnasium).__name__,
        }}))
        """
    )
    told = json.loads(done.stdout)
    assert told["at start"] == []
    assert told["at import"] == [
        "weaklink",
        "weaklink._version",
        "weaklink.base",
        "weaklink.base.viewing",
        "weaklink.collect",
        "weaklink.collect.probes",
        "weaklink.collect.probes.registration",
    ]
    assert told["heavy"] == []
    assert told["loader"] == "SourceFileLoader"
    assert not told["kept"]
    assert not told["on the path"]
    assert "AfterImportFinder" not in told["finders"]


def test_the_sitecustomize_that_was_there_still_runs(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import builtins\nbuiltins.customised = __name__\n")
    done = run_injected(
        f"import sys; print(customised, sys.modules['sitecustomize'].__file__)\n{MAKES}", path=(tmp_path, SOURCES)
    )
    assert done.stdout == f"sitecustomize {tmp_path / 'sitecustomize.py'}\n[0.0]\n"


def test_a_sitecustomize_that_fails_fails_as_it_would_without(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("raise RuntimeError('its own fault')\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    told = [
        subprocess.run([sys.executable, "-c", "pass"], capture_output=True, text=True, env=env, check=False)
        for env in (environment, inject_registration(environment))
    ]
    assert "its own fault" in told[0].stderr
    assert [done.stderr for done in told] == [told[0].stderr] * 2
    assert [done.returncode for done in told] == [told[0].returncode] * 2


def test_a_broken_gymnasium_fails_as_it_would_without(tmp_path):
    (tmp_path / "gymnasium.py").write_text("raise ImportError('broken in its own way')\n")
    done = run_injected("import gymnasium", path=(tmp_path, SOURCES))
    assert done.stderr.strip().endswith("ImportError: broken in its own way")


@pytest.mark.parametrize("path", [(SOURCES,), ()], ids=["with weaklink", "without"])
def test_a_package_of_that_name_that_knows_no_registration_is_left_alone(path, tmp_path):
    (tmp_path / "gymnasium.py").write_text("answer = 42\n")
    assert run_injected("import gymnasium; print(gymnasium.answer)", path=(tmp_path, *path)).stdout == "42\n"
