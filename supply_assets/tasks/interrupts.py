"""Stopping a batch at a clean point: an interrupt cancels the tasks in work instead of striking any one of them.

An interrupt that is raised by a signal handler may surface inside a callback of the event loop, which keeps it as that
callback's result; the batch would go on. Dagster terminates a run by such a handler.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

Result = TypeVar("Result")
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run_until_interrupted(work: Coroutine[Any, Any, Result]) -> Result:
    """Run ``work`` to its end; SIGINT or SIGTERM cancels it, waits for it, and is then delivered to whoever asked.

    Raises:
        KeyboardInterrupt: nobody but Python itself listens to SIGINT.
    """
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(work)
    received: list[signal.Signals] = []

    async def guarded() -> Result:
        with _cancelling(received):
            return await work

    try:
        return asyncio.run(guarded())
    finally:
        for number in received[:1]:
            signal.raise_signal(number)


@contextmanager
def _cancelling(received: list[signal.Signals]) -> Iterator[None]:
    """While open, a signal cancels the current task; afterwards the handlers are those that were there before."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None, "a coroutine runs in a task"

    def cancel(number: signal.Signals) -> None:
        received.append(number)
        task.cancel()

    before = {number: signal.getsignal(number) for number in SIGNALS}
    listened = [number for number in SIGNALS if before[number] not in (signal.SIG_IGN, None)]
    for number in listened:
        loop.add_signal_handler(number, cancel, number)
    try:
        yield
    finally:
        for number in listened:
            loop.remove_signal_handler(number)
            signal.signal(number, before[number])
