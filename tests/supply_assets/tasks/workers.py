"""Workers in processes of their own: killed or stopped at a chosen moment, two at once.

One process loads everything once and forks a worker for each job, so that a kill costs no start.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from resources.databases.supply_store.articles.plans import PlanRow
from resources.databases.supply_store.engine import SupplyStore
from resources.plan_service.client import PlanService
from resources.settings.supply import read_supply_settings
from supply_assets.scoring.ranking.relevance import relevance
from supply_assets.scoring.records import PoolArticle, Wanted
from supply_assets.stages.policy import SupplyPolicy
from supply_assets.tasks.batch_context import open_batch_context
from supply_assets.tasks.batch_run import advance_batch

KILLED = -signal.SIGKILL
ENDED, FAILED = 0, 1
PATIENCE_S = 120
Moment = Callable[[], None]


@dataclass(frozen=True)
class Job:
    """A batch for one worker; ``moment`` is called in it before it begins, ``since`` is when its run was created."""

    task_ids: Sequence[str]
    policy: SupplyPolicy
    moment: Moment | None = None
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))
    since: datetime | None = None


@dataclass(frozen=True)
class Ending:
    """How a worker ended: its exit code (a signal as a negative number), how its tasks stood, what it raised."""

    code: int
    said: str


class Workers:
    """Context manager over the process that forks."""

    def __enter__(self) -> Workers:
        context = multiprocessing.get_context("spawn")
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_fork_for_jobs, args=(theirs,), daemon=True)
        self._process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._line.send(None)
        self._process.join(PATIENCE_S)

    def run(self, *jobs: Job) -> list[Ending]:
        """Run the jobs at once, each in a worker of its own, until all have ended."""
        self._line.send(("run", jobs))
        return list(self._answer())

    def stop(self, *jobs: Job) -> None:
        """Start the jobs one after another, each until its moment has stopped its worker."""
        self._line.send(("stop", jobs))
        assert all(self._answer()), "a worker ended before its moment"

    def go_on(self) -> list[Ending]:
        """Let the stopped workers go on, until all have ended."""
        self._line.send(("go on", ()))
        return list(self._answer())

    def _answer(self) -> Any:
        assert self._line.poll(PATIENCE_S), "a worker waits for ever"
        return self._line.recv()


def _fork_for_jobs(line: Connection) -> None:
    relevance(Wanted(("泡脚",), (), 1), PoolArticle(1, "泡脚", "0"))  # reads the dictionary once for all workers
    stopped: list[tuple[int, int]] = []
    while (order := line.recv()) is not None:
        what, jobs = order
        if what == "run":
            line.send([_ending(*worker) for worker in [_forked(job) for job in jobs]])
        elif what == "stop":
            stopped, seen = [], []
            for job in jobs:
                stopped.append(_forked(job))
                seen.append(os.WIFSTOPPED(os.waitpid(stopped[-1][0], os.WUNTRACED)[1]))
            line.send(seen)
        else:
            for pid, _ in stopped:
                os.kill(pid, signal.SIGCONT)
            line.send([_ending(*worker) for worker in stopped])
            stopped = []
    for pid, _ in stopped:
        os.kill(pid, signal.SIGKILL)


def _forked(job: Job) -> tuple[int, int]:
    """The worker's process id, and where it says how its tasks stand."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    os.close(reading)
    code = FAILED
    try:
        os.environ.update(job.environment)
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
        if job.moment is not None:
            job.moment()
        with open_batch_context(read_supply_settings()) as around:
            outcome = advance_batch(replace(around, policy=job.policy, since=job.since), job.task_ids)
        os.write(writing, repr(outcome.counts).encode())
        code = ENDED
    finally:
        os.write(writing, traceback.format_exc().encode() if code == FAILED else b"")
        os._exit(code)


def _ending(pid: int, reading: int) -> Ending:
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read().decode()
    _, status = os.waitpid(pid, 0)
    return Ending(os.waitstatus_to_exitcode(status), text)


def kill() -> None:
    """The end, at once."""
    os.kill(os.getpid(), signal.SIGKILL)


def pause() -> None:
    """Stand still until somebody says go on."""
    os.kill(os.getpid(), signal.SIGSTOP)


def after_write(number: int, then: Moment) -> Moment:
    """``then`` right after the worker's ``number``-th write has been committed, counted from 1."""
    return partial(_wrap_write, number, then, inside=False)


def inside_write(number: int, then: Moment) -> Moment:
    """``then`` at the end of the ``number``-th write, before it is committed."""
    return partial(_wrap_write, number, then, inside=True)


def after_reserving(then: Moment) -> Moment:
    """``then`` right after the first intent of a plan has been committed, before anything is sent."""
    return partial(_wrap_reserving, then)


def around_create(then: Moment, *, before: bool) -> Moment:
    """``then`` right before the plan is sent, or right after the platform's answer came."""
    return partial(_wrap_create, then, before)


def _wrap_write(number: int, then: Moment, *, inside: bool) -> None:
    original, lock, written = SupplyStore.write, threading.Lock(), 0

    def write(store: SupplyStore, work: Callable[[Any], Any]) -> Any:
        nonlocal written
        with lock:
            written += 1
            mine = written

        def work_and_then(connection: Any) -> Any:
            result = work(connection)
            if inside and mine == number:
                then()
            return result

        result = original(store, work_and_then)
        if not inside and mine == number:
            then()
        return result

    SupplyStore.write = write  # type: ignore[method-assign, assignment]


def _wrap_reserving(then: Moment) -> None:
    original, reserved = SupplyStore.write, 0

    def write(store: SupplyStore, work: Callable[[Any], Any]) -> Any:
        nonlocal reserved
        result = original(store, work)
        if isinstance(result, tuple) and isinstance(result[0], PlanRow):
            reserved += 1
            if reserved == 1:
                then()
        return result

    SupplyStore.write = write  # type: ignore[method-assign, assignment]


def _wrap_create(then: Moment, before: bool) -> None:
    original = PlanService.create

    async def create(service: PlanService, *arguments: Any) -> Any:
        if before:
            then()
        created = await original(service, *arguments)
        if not before:
            then()
        return created

    PlanService.create = create  # type: ignore[method-assign]
