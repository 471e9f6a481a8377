"""The process of a script: started as Python would start it, handed every signal, waited for to its end."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

LOOK_EVERY = 0.25
"""Seconds between two looks at what is done beside."""

PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
"""Signals that are meant for the script."""

END_WITH_PARENT = 1
"""`PR_SET_PDEATHSIG` of Linux's prctl."""


def run_to_end(words: Sequence[str], environment: Mapping[str, str], look: Callable[[], None]) -> int:
    """Runs a command in our own place, with our own input and output; its exit code, or minus the signal it died of.

    A signal that somebody sends us is sent on. One that a terminal sends, the command has got too: it is of our group.

    Args:
        words: the command.
        environment: its variables.
        look: called a few times a second until it is over.

    Raises:
        OSError: it cannot be started.
    """
    if sys.platform == "win32":
        return subprocess.run(words, env=environment, check=False).returncode
    with _hold_signals() as (held, before):
        # this thread's mask would be inherited; if weaklink is killed, so is the script
        prepare = functools.partial(_prepare, before, _find_prctl())
        child = subprocess.Popen(words, env=environment, preexec_fn=prepare)
        while (code := child.poll()) is None:
            told = signal.sigtimedwait((*held, signal.SIGCHLD), LOOK_EVERY)
            # where we were stopped and go on, CPython gives memory that nobody wrote: any number may stand there
            if told is not None and told.si_signo in held and told.si_code <= 0:
                child.send_signal(told.si_signo)
            look()
        return code


@contextlib.contextmanager
def _hold_signals() -> Iterator[tuple[tuple[signal.Signals, ...], set[int]]]:
    """Has signals wait until they are asked for; one that was ignored before stays ignored, as nohup wants it."""
    named = [getattr(signal, name) for name in PASSED_ON]
    held = tuple(each for each in named if signal.getsignal(each) is not signal.SIG_IGN)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (*held, signal.SIGCHLD))
    try:
        yield held, set(before)
    finally:
        while signal.sigtimedwait((*held, signal.SIGCHLD), 0) is not None:
            pass  # sent to a script that is over
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _find_prctl() -> Callable[[int, int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    with contextlib.suppress(OSError, AttributeError):
        found: Callable[[int, int], int] = ctypes.CDLL(None).prctl
        return found
    return None


def _prepare(mask: set[int], prctl: Callable[[int, int], int] | None) -> None:
    """In the child, before it becomes the command."""
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if prctl is not None:
        prctl(END_WITH_PARENT, signal.SIGKILL)


def end_like(code: int) -> int:
    """Ends this process by the signal that a command died of; the exit code where it died of none."""
    if code >= 0:
        return code
    with contextlib.suppress(OSError, ValueError, ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    sys.stdout.flush()
    sys.stderr.flush()
    with contextlib.suppress(OSError, ValueError):
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
    return 128 - code
