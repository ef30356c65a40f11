"""A text that hangs its reader takes a process with it and nobody else: the next text is read by another one."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from resources.calls.foreign_text.reading_process import ReadingProcess
from resources.calls.foreign_text.unreadable import Unreadable

ENDLESS = "sum(1 for _ in iter(int, 1))"
SIGNALLED = "__import__('os').kill(__import__('os').getpid(), {})"


@asynccontextmanager
async def reading_within(cpu_s: float = 3, wall_s: float = 60) -> AsyncIterator[ReadingProcess]:
    reading = ReadingProcess(cpu_s, wall_s)
    try:
        yield reading
    finally:
        await reading.close()


async def taken_down(expression: str) -> Unreadable:
    """What is said of a text that its reader does not survive; afterwards another process reads."""
    async with reading_within(cpu_s=0.2) as reading:
        before = await reading.call(os.getpid)
        assert await reading.call(os.getpid) == before
        with pytest.raises(Unreadable) as told:
            await reading.call(eval, expression)
        assert await reading.call(os.getpid) != before
    return told.value


@pytest.mark.parametrize(
    ("expression", "said", "passing"),
    [
        (ENDLESS, "processor time", False),
        (SIGNALLED.format(11), "ended with -11", False),
        (SIGNALLED.format(9), "ended with -9", True),
    ],
    ids=["endless", "crash", "killed"],
)
def test_a_reader_that_does_not_end_or_breaks_is_replaced(expression: str, said: str, passing: bool) -> None:
    told = asyncio.run(taken_down(expression))
    assert said in told.message
    assert told.passing is passing


def test_what_waits_too_long_may_pass_and_what_raises_says_so() -> None:
    async def failing(wall_s: float, function: Callable[..., Any], *arguments: float) -> Unreadable:
        async with reading_within(wall_s=wall_s) as reading:
            with pytest.raises(Unreadable) as told:
                await reading.call(function, *arguments)
        return told.value

    raised, late = asyncio.run(failing(60, divmod, 1, 0)), asyncio.run(failing(0.3, time.sleep, 60))
    assert ("ZeroDivisionError" in raised.message, raised.passing) == (True, False)
    assert ("not read within" in late.message, late.passing) == (True, True)


def test_a_call_that_is_cancelled_ends_its_process_at_once() -> None:
    async def cancelled() -> int:
        async with reading_within() as reading:
            process = await reading.call(os.getpid)
            waiting = asyncio.create_task(reading.call(time.sleep, 60))
            await asyncio.sleep(0.05)
            waiting.cancel()
            with suppress(asyncio.CancelledError):
                await waiting
            return process

    with pytest.raises(ProcessLookupError):
        os.kill(asyncio.run(cancelled()), 0)
