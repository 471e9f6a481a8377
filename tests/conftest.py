"""What holds for every test."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest

from tests import sharing

with contextlib.suppress(ImportError):
    from hypothesis import HealthCheck, settings

    # a machine that stands still makes neither an example slow nor the drawing of one
    settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("unhurried")

# tests fill every core by themselves: the threads of a matrix product would only wait for one another, spinning
for threads in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

# without byte code that is kept, every process of the tests rewrites their modules, and every process that a test
# starts compiles the package anew
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


# what tests leave behind is collected after each module: searching for it between two steps takes a twentieth of all
gc.set_threshold(100_000, 50, 100)


def pytest_configure() -> None:
    """Lets Ctrl-C be heard: a suite that is started in the background ignores it, and so would its children."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


LONGEST = ("test_fires_on_its_fault", "test_is_silent_on_its_healthy_twin")
"""Tests that take minutes: begun last, they would run on alone while every other process has none left."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the longest tests first, and leaves all others in their order."""
    items.sort(key=lambda item: getattr(item, "originalname", "") not in LONGEST)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """What the modules load stays until the end: it is not searched for garbage, now, which costs a fifth, or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        _set_aside()
        gc.enable()


MANY = 50_000
"""Objects: a framework that was loaded, or cases that are kept, and not what a test leaves behind."""


def _set_aside() -> None:
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def _set_aside_what_stays() -> Iterator[None]:
    """What has come to stay since is not searched either: a monitor looks at every object there is, again and again."""
    yield
    if len(gc.get_objects()) > MANY:
        _set_aside()


@pytest.fixture(scope="session", autouse=True)
def _share_what_takes_long(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Gives the processes of these tests a folder of their own: what one has made, the others take from there."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = tmp_path_factory.getbasetemp().parent / "shared"
        folder.mkdir(exist_ok=True)
        sharing.FOLDER.append(folder)


@pytest.fixture(autouse=True)
def _forget_what_was_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Updates are not read where torch has compiled anything; what another test compiled is no reason."""
    frames = sys.modules.get("torch._dynamo.convert_frame")
    if frames is not None:
        monkeypatch.setattr(frames, "FRAME_COUNTER", 0)
