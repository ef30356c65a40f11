"""One rule for Ctrl-C (SIGINT), however a process was started.

A command that was started with SIGINT ignored, by ``nohup`` or in the background of a script, goes on ignoring it;
SIGTERM ends it. Whatever executes Dagster runs obeys it always: Dagster cancels a run by a SIGINT that the run's
process sends to itself, and lets SIGTERM do what SIGINT does, so an ignored SIGINT would leave it neither.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


def are_ignored() -> bool:
    """Whether this process was told to ignore SIGINT."""
    return signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def obey() -> None:
    """For the entry of a process that executes Dagster runs: an ignored SIGINT is obeyed, also by its children."""
    if are_ignored():
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def end_quietly() -> Iterator[None]:
    """While libraries are imported an interrupt ends the process without a word, unless somebody else listens to it."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
