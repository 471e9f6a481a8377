"""Ranks that disagree: planted in a data-parallel training and named, with silence on the healthy ones.

    python bench/ranks.py [--only NAME ...] [--ranks 4]

Each case is bench/ranked/train.py on real processes over gloo, watched by what `weaklink run` puts into the process of
a script. To save the import of torch, the ranks of a case are forked from one process that has imported it.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import os
import runpy
import shutil
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

SCRIPT = Path(__file__).parent / "ranked" / "train.py"

PATIENCE = 120.0
"""Seconds after which a case counts as hung."""


class Case(NamedTuple):
    """What is planted, how the script trains, and the code that must come first; none for healthy ones.

    `said` must stand in a finding's message; `{last}` in it is the last rank, on which most faults are planted.
    """

    plant: str
    style: str = "ddp"
    expected: str = ""
    ranks: int = 2
    steps: int = 24
    said: str = ""
    width: int = 32
    batch: int = 16


PLANTED = (
    Case("wrapper passed by", "ddp", "OPT401", said="went past it"),
    Case("never wrapped", "ddp", "OPT401", said="nothing averages them"),
    Case("not reduced", "hand", "OPT401", said="nothing averages them"),
    Case("no_sync left on", "ddp", "OPT401", said="no_sync"),
    Case("clipped on one rank", "ddp", "OPT401", said="clipped or scaled on this rank alone"),
    Case("initial seed", "hand", "OPT402", said="never broadcast"),
    Case("loaded after wrapping", "ddp", "OPT402", said="never broadcast"),
    Case("learning rate", "ddp", "OPT402", said="learning rate 0.003 on rank {last}"),
    Case("weight decay", "ddp", "OPT402", said="weight_decay 0.1"),
    Case("parameter left out", "ddp", "OPT402", said="hold other parameters"),
    Case("frozen parameter", "hand", "OPT401", said="has no gradient there"),
    Case("optimizer state", "ddp", "OPT403", said="counts"),
    Case("no sampler", "ddp", "DAT401"),
    Case("one rank sleeps", "ddp", "SYS401", said="Rank {last}"),
    Case("no seed of its own", "rl", "EXP401", steps=48),
    Case("same environment seed", "rl", "EXP401", steps=48),
    Case("same random stream", "rl", "EXP401", steps=48),
    Case("reward scaled", "rl", "REW401", steps=96, said="lie at"),
    Case("reward scaled", "rl", "REW401", ranks=4, steps=96, said="rank {last}"),
    Case("stale actor", "rl", "DAT402", steps=96, said="Rank {last}"),
    Case("learning rate", "ddp", "OPT402", ranks=4, said="Rank {last} and rank 0"),
)

HEALTHY = (
    Case("", "ddp"),
    Case("", "ddp", ranks=4),
    Case("", "hand"),
    Case("", "accumulate"),
    Case("", "fsdp"),
    Case("", "zero"),
    Case("", "rl", steps=96),
    Case("", "rl", steps=96, ranks=4),
)


def run_case(
    case: Case,
    folder: Path,
    *,
    watched: bool = True,
    around: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext,
) -> list[Path]:
    """Trains a case with a process for each rank; the files with what each has printed.

    Args:
        case: what is trained.
        folder: where recordings and what is printed go.
        watched: by what `weaklink run` puts into the process of a script.
        around: what each rank does around its training.

    Raises:
        RuntimeError: a rank failed or hung.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    printed = [folder / f"printed-{rank}" for rank in range(case.ranks)]
    children = [_fork(case, folder, rank, port, printed[rank], watched, around) for rank in range(case.ranks)]
    until = time.monotonic() + PATIENCE
    failed = [rank for rank, child in enumerate(children) if _wait(child, until) != 0]
    if failed:
        raise RuntimeError(f"{case} failed on ranks {failed}: {printed[failed[0]].read_text()[-2000:]}")
    return printed


def _fork(case: Case, folder: Path, rank: int, port: int, printed: Path, watched: bool, around) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        handle = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        with around():
            _train(case, folder, rank, port, watched=watched)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(code)


def _train(case: Case, folder: Path, rank: int, port: int, *, watched: bool) -> None:
    """In the process of a rank: the script, as `weaklink run` has it run."""
    import gymnasium
    import torch

    from weaklink.base.outside.injection import FIRST_PROCESS
    from weaklink.verbs.run.request import REQUEST, ScriptRequest, write_request
    from weaklink.verbs.run.script import hear

    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(case.ranks)}
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    if watched:
        request = ScriptRequest(folder=str(folder / "out"), on_error="continue", budget=0.01)
        os.environ |= {REQUEST: write_request(request), FIRST_PROCESS: str(os.getpid())}
        for module in (torch, gymnasium):
            hear(module)
    log = folder / "log"
    if watched and case.plant == "stale actor":
        import torch.utils.tensorboard.writer

        hear(torch.utils.tensorboard.writer)
    sys.argv = [str(SCRIPT), "--plant", case.plant, "--style", case.style, "--steps", str(case.steps)]
    sys.argv += ["--width", str(case.width), "--batch", str(case.batch)]
    sys.argv += ["--log", str(log)] if case.plant == "stale actor" else []
    runpy.run_path(str(SCRIPT), run_name="__main__")


def _wait(child: int, until: float) -> int:
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return -9


def import_once() -> None:
    """Imports what every rank needs before it forks; no thread may run by then."""
    import gymnasium
    import torch
    import torch.distributed.fsdp
    import torch.nn.parallel
    import torch.utils.data
    import torch.utils.tensorboard.writer

    import weaklink.adapters.torch.rank_looks
    import weaklink.verbs.attach
    import weaklink.verbs.run.script  # noqa: F401

    gymnasium.make("CartPole-v1").close()
    torch.set_num_threads(1)


def judge_case(case: Case, folder: Path) -> tuple[bool, str]:
    """Whether a case was told right, and what was said of it."""
    import weaklink

    diagnosis = weaklink.diagnose(folder / "out" / "loop")
    told = [finding for finding in diagnosis.findings if finding.code[3:4] == "4"]
    first = diagnosis.first_break.code if diagnosis.first_break is not None else ""
    said = f"{first or 'nothing'}: {told[0].message if told else ''}"
    if not case.expected:
        return not told, said
    words = case.said.format(last=case.ranks - 1)
    named = any(words in finding.message for finding in told if finding.code == case.expected)
    return first == case.expected and named, said


def run_and_tell(case: Case, folder: Path) -> bool:
    """Runs a case, prints a line, and gives whether it was told right."""
    run_case(case, folder)
    right, said = judge_case(case, folder)
    mark = "ok   " if right else "WRONG"
    print(f"{mark} {case.plant or 'healthy':22} {case.style:10} x{case.ranks}  {said}", flush=True)
    return right


def read_weights(printed: Path) -> str:
    """The digest of the weights that a rank printed at its end."""
    return next(line for line in printed.read_text().splitlines() if line.startswith("rank "))


def main() -> int:
    """Runs the cases and prints one line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], help="plants or styles to run")
    parser.add_argument("--ranks", type=int, default=0, help="processes of every training, if not each case's own")
    options = parser.parse_args()
    import_once()
    only = set(options.only)
    chosen = [case for case in (*PLANTED, *HEALTHY) if not only or {case.plant or "healthy", case.style} & only]
    if options.ranks:
        chosen = list(dict.fromkeys(case._replace(ranks=options.ranks) for case in chosen))
    kept = Path(tempfile.mkdtemp())  # a TemporaryDirectory would be removed at the end of every rank
    try:
        wrong = sum(not run_and_tell(case, kept / str(number)) for number, case in enumerate(chosen))
    finally:
        shutil.rmtree(kept, ignore_errors=True)
    print(f"{len(chosen) - wrong} of {len(chosen)} right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
