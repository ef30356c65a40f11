"""A signal ends a batch at a clean point and then reaches whoever listened for it (DG11)."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator

import pytest

from supply_assets.tasks.interrupts import run_until_interrupted


class Interrupted(BaseException):
    """What Dagster's handler raises is no ``Exception`` either."""


@pytest.fixture
def listening() -> Iterator[None]:
    """A handler that raises, as while a step of a run is executed."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def strike(number: int, frame: object) -> None:
        raise Interrupted

    for number in before:
        signal.signal(number, strike)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_dg11_an_interrupt_cancels_every_task_and_is_delivered_afterwards(number: signal.Signals):
    ended: list[str] = []

    async def task(name: str) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            ended.append(name)

    async def busy() -> None:
        """Always inside a callback: an exception that is raised here stays here."""
        while True:
            await asyncio.sleep(0)

    async def batch() -> None:
        aside = asyncio.create_task(busy())
        try:
            async with asyncio.TaskGroup() as group:
                for name in ("a", "b"):
                    group.create_task(task(name))
        finally:
            aside.cancel()

    threading.Timer(0.2, lambda: os.kill(os.getpid(), number)).start()
    with pytest.raises(Interrupted):
        run_until_interrupted(batch())
    assert sorted(ended) == ["a", "b"]


@pytest.mark.usefixtures("listening")
def test_without_an_interrupt_the_handlers_are_those_from_before():
    before = signal.getsignal(signal.SIGINT)

    async def work() -> int:
        return 7

    assert run_until_interrupted(work()) == 7
    assert signal.getsignal(signal.SIGINT) is before


def test_outside_the_main_thread_it_simply_runs():
    got: list[int] = []

    async def work() -> int:
        return 7

    thread = threading.Thread(target=lambda: got.append(run_until_interrupted(work())))
    thread.start()
    thread.join()
    assert got == [7]
