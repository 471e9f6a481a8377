"""What a run should be remembered with: versions, commit, command line, machine, seeds, how it is evaluated.

`quick` costs next to nothing; `slow` asks git and belongs in the background. Neither loads a framework nor raises.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from weaklink._version import __version__
from weaklink.base.outside.versions import PACKAGES, find_version
from weaklink.base.privacy import hide_in_arguments

GIT_SECONDS = 1.0
DEEPEST = 4
MOST_SEEDS = 20

VARIABLES = (
    "CUDA_VISIBLE_DEVICES", "CUBLAS_WORKSPACE_CONFIG", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONHASHSEED",
    "MUJOCO_GL", "RANK", "LOCAL_RANK", "WORLD_SIZE", "SLURM_JOB_ID",
)  # fmt: skip


def experiment_context(
    config: Mapping[str, Any] | None = None,
    evaluation: Mapping[str, Any] | None = None,
    accelerator: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Everything at once: the quick part and the slow one."""
    return {**describe_quickly(config, evaluation, accelerator), **describe_slowly()}


def describe_quickly(
    config: Mapping[str, Any] | None = None,
    evaluation: Mapping[str, Any] | None = None,
    accelerator: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What can be told in a millisecond.

    Args:
        config: hyper-parameters; the seeds among them are told again, so that they are found under one name.
        evaluation: how the policy is evaluated.
        accelerator: what an adapter knows of the device, such as its name and memory.
    """
    parts: dict[str, Callable[[], Any]] = {
        "started": time.time,
        "command": lambda: hide_in_arguments(sys.argv),
        "folder": lambda: Path.cwd().name,
        "host": platform.node,
        "pid": os.getpid,
        "platform": lambda: f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpus": _count_cpus,
        "memory_bytes": lambda: os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "accelerator": lambda: dict(accelerator or {}),
        "seeds": lambda: dict(list(_find_seeds(config or {}))[:MOST_SEEDS]),
        "variables": lambda: {name: os.environ[name] for name in VARIABLES if name in os.environ},
        "evaluation": lambda: dict(evaluation or {}),
    }
    return {name: found for name, find in parts.items() if (found := _try_to_find(find)) not in (None, {}, [])}


def describe_slowly() -> dict[str, Any]:
    """What takes its time, a second and a half at most: the versions of what is loaded by now, and what git says."""
    return {"versions": _try_to_find(_read_versions) or {}, "git": _try_to_find(_read_git)}


def _try_to_find(find: Callable[[], Any]) -> Any:
    with suppress(Exception):
        return find()
    return None


def _count_cpus() -> int | None:
    """The processors that this process may use, which on a shared machine are not all there are."""
    allowed: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count()


def _find_seeds(config: Mapping[str, Any], path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    for key, value in config.items():
        name = f"{path}{key}"
        if isinstance(value, Mapping) and depth < DEEPEST:
            yield from _find_seeds(value, f"{name}.", depth + 1)
        elif "seed" in str(key).lower().replace("-", "_").split("_") and isinstance(value, int | list | tuple):
            yield name, value


def _read_versions() -> dict[str, str]:
    """Of Python, weaklink, and the known packages that the program has loaded itself."""
    found = {"python": platform.python_version(), "weaklink": __version__}
    for module, installed_as in PACKAGES.items():
        loaded = sys.modules.get(module)
        if loaded is None:
            continue
        said = vars(loaded).get("__version__")  # asked in this way, a lazy module loads nothing
        version = said if isinstance(said, str) else next(filter(None, map(find_version, installed_as)), None)
        if version:
            found[module] = version
    return found


def _read_git() -> dict[str, Any] | None:
    """Commit, branch and whether anything known to git was changed; None outside of a repository."""
    command = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", "status"]
    done = subprocess.run(
        [*command, "--porcelain=v2", "--branch", "--untracked-files=no"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=GIT_SECONDS, check=True,
    )  # fmt: skip
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    said = dict(line[2:].split(" ", 1) for line in lines if line.startswith("# branch.") and line.count(" ") > 1)
    commit = said.get("branch.oid")
    return {
        "commit": None if commit == "(initial)" else commit,
        "branch": said.get("branch.head"),
        "dirty": any(not line.startswith("#") for line in lines),
    }
