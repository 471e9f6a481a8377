"""What is installed on this machine, read from the metadata of packages: nothing of it is loaded.

Loading a framework to ask for its version takes seconds, and one that is broken could not be asked at all.
"""

from __future__ import annotations

import getpass
import os
import platform
import re
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from weaklink._version import __version__

DISTRIBUTIONS = {
    "stable_baselines3": ("stable-baselines3",), "sb3_contrib": ("sb3-contrib",), "sbx": ("sbx-rl",),
    "rsl_rl": ("rsl-rl-lib",), "ale_py": ("ale-py",), "mlflow": ("mlflow", "mlflow-skinny"), "hydra": ("hydra-core",),
}  # fmt: skip
"""What pip calls a module, where the two differ."""

MODULES = (
    "numpy", "torch", "jax", "jaxlib", "flax", "tensorflow", "gymnasium", "gym", "stable_baselines3", "sb3_contrib",
    "sbx", "torchrl", "tensordict", "trl", "transformers", "accelerate", "peft", "datasets", "deepspeed", "vllm",
    "verl", "ray", "tianshou", "skrl", "rsl_rl", "cleanrl", "pettingzoo", "mujoco", "ale_py", "minigrid", "envpool",
    "brax", "shimmy", "supersuit", "wandb", "mlflow", "tensorboard", "trackio", "optuna", "hydra",
)  # fmt: skip
"""What maintainers ask about, in the order in which to show it."""

PACKAGES = {module: DISTRIBUTIONS.get(module, (module,)) for module in MODULES}
"""By the name of the module, the names that pip may have installed it under."""

SECONDS = 3.0
_SAID_IN_TORCH = re.compile(r"^(cuda|hip|xpu)\b[^=]*=\s*'([^']+)'", re.MULTILINE)


def read_versions() -> dict[str, str]:
    """System, Python, weaklink, and what is installed of the packages that maintainers ask about."""
    found = {"system": describe_system(), "Python": f"{platform.python_version()} ({platform.python_implementation()})"}
    found["weaklink"] = __version__
    found |= {name: version for names in PACKAGES.values() for name in names if (version := find_version(name))}
    return found


def find_version(name: str) -> str:
    """The version of a package, or nothing where it is not installed."""
    with suppress(metadata.PackageNotFoundError, KeyError, ValueError):
        return metadata.version(name) or ""
    return ""


def describe_system() -> str:
    """The operating system and the kind of processor; of the kernel its number alone, for machines are named in it."""
    said: dict[str, str] = {}
    with suppress(OSError):
        said = platform.freedesktop_os_release()
    name = said.get("PRETTY_NAME") or platform.mac_ver()[0]
    kernel = re.match(r"[\d.]*\d", platform.release())
    parts = (platform.system(), kernel[0] if kernel else "", platform.machine(), name)
    return " ".join(part for part in parts if part)


def describe_accelerators() -> dict[str, str]:
    """What torch was built for, cuDNN, and the accelerators that the driver knows."""
    found = dict(_read_torch_build())
    cudnn = next((each for each in map(find_version, _list_cudnn_names()) if each), "")
    if cudnn:
        found["cuDNN"] = cudnn
    devices = list(_list_devices())
    if devices:
        found["devices"] = "; ".join(devices)
    elif find_version("torch"):
        found["devices"] = "none that a driver tells of"
    return found


def _read_torch_build() -> Iterator[tuple[str, str]]:
    """What torch says of itself in its file `version.py`, which is read and not run."""
    with suppress(metadata.PackageNotFoundError, OSError):
        file = metadata.distribution("torch").locate_file("torch/version.py")
        for kind, version in _SAID_IN_TORCH.findall(Path(str(file)).read_text(encoding="utf-8", errors="replace")):
            yield {"cuda": "CUDA of torch", "hip": "ROCm of torch", "xpu": "XPU of torch"}[kind], version


def _list_cudnn_names() -> tuple[str, ...]:
    return tuple(f"nvidia-cudnn-cu{major}" for major in (13, 12, 11))


def _list_devices() -> Iterator[str]:
    """The accelerators and the driver, by the driver's own tool."""
    query = ["nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"]
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            query, capture_output=True, text=True, timeout=SECONDS, check=True, stdin=subprocess.DEVNULL
        )
        for line in done.stdout.splitlines():
            name, memory, driver = ([*(part.strip() for part in line.split(",")), "", ""])[:3]
            yield f"{name} ({memory}, driver {driver})"


def list_own_names() -> tuple[str, ...]:
    """The names of the user and of the machine, which a text for strangers must not hold."""
    found: list[str] = []
    with suppress(Exception):
        found.append(getpass.getuser())
    with suppress(Exception):
        found.append(Path.home().name)
    with suppress(Exception):
        found += [platform.node(), platform.node().partition(".")[0]]
    found += [os.environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME", "HOSTNAME", "COMPUTERNAME")]
    found += [
        os.environ.get(name, "") for name in ("WANDB_ENTITY", "WANDB_USERNAME", "SLURM_JOB_USER", "SLURM_JOB_ACCOUNT")
    ]
    return tuple(dict.fromkeys(name for name in found if name))
