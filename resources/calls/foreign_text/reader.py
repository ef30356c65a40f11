"""What the reading process does: one call after the other, each within a bound of processor time that nothing escapes.

The bound is the kernel's: a parser that is deep in C code, where no Python signal handler would run, is ended as well.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO

LENGTH_BYTES = 8
MEMORY_BYTES = 2 * 1024**3


@dataclass(frozen=True)
class Returned:
    """What a call gave."""

    value: Any


@dataclass(frozen=True)
class Raised:
    """A call raised: its kind, and the traceback as text."""

    kind: str
    trace: str


def serve(cpu_s: float) -> None:
    """Answer calls from standard input on standard output until there are none."""
    calls, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    while (call := _next(calls)) is not None:
        function, arguments = pickle.loads(call)
        answer = pickle.dumps(_bounded(function, arguments, cpu_s), pickle.HIGHEST_PROTOCOL)
        answers.write(len(answer).to_bytes(LENGTH_BYTES, "big") + answer)
        answers.flush()


def _next(calls: BinaryIO) -> bytes | None:
    length = calls.read(LENGTH_BYTES)
    return calls.read(int.from_bytes(length, "big")) if length else None


def _bounded(function: Callable[..., Any], arguments: tuple[Any, ...], cpu_s: float) -> Returned | Raised:
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    try:
        return Returned(function(*arguments))
    except Exception as error:  # noqa: BLE001 (whatever it is, it is told to the caller)
        return Raised(type(error).__name__, traceback.format_exc(limit=-20))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
