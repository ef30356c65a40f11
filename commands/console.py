"""What a person or a script sees: JSON on standard output when asked for, progress and errors on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from stamina.instrumentation import RetryDetails

from demand_assets.decision_loop import Outcome
from resources import strict_json
from resources.errors import Pattern2PlanError

if TYPE_CHECKING:
    from supply_assets.batch_run import BatchOutcome

# Wide where nobody looks, so that no table is cut in a log.
out = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 160)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(value: object) -> None:
    """Strict JSON on standard output, nothing else beside it."""
    sys.stdout.write(strict_json.dumps(value, indent=2) + "\n")


def say_error(error: Pattern2PlanError) -> None:
    """One line on standard error; with ``--json`` among the arguments, a JSON object instead."""
    if "--json" in sys.argv:
        fields = {"error": type(error).__name__, "message": error.message, "fix": error.fix}
        sys.stderr.write(json.dumps(fields, ensure_ascii=False) + "\n")
        return
    sys.stderr.write(f"{type(error).__name__}: {error}\n")


def say_retry(details: RetryDetails) -> None:
    """One line on standard error for each repeated call; the cause by its kind, never by its text."""
    cause = type(details.caused_by).__name__
    err.print(f"{cause}: trying again in {details.wait_for:.1f} s (attempt {details.retry_num + 1})")


@contextmanager
def decision_progress(wanted: int) -> Iterator[Callable[[Outcome], None]]:
    """A bar on a terminal, one plain line a round elsewhere; yields what is to be called with the outcome so far."""
    if not err.is_terminal:
        yield lambda outcome: err.print(_round_line(outcome, wanted))
        return
    columns = (
        TextColumn("accepted"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task("", total=wanted)
        yield lambda outcome: progress.update(
            task, completed=len(outcome.accepted), description=f"rejected {len(outcome.rejects)}"
        )


def _round_line(outcome: Outcome, wanted: int) -> str:
    return f"round {outcome.rounds}: accepted {len(outcome.accepted)}/{wanted}, rejected {len(outcome.rejects)}"


@contextmanager
def rows_progress() -> Iterator[Callable[[str, int, int], None]]:
    """Progress over the rows of tables: a bar a table on a terminal, a plain line a finished table elsewhere."""
    if not err.is_terminal:

        def plain(table: str, done: int, total: int) -> None:
            if done == total:
                err.print(f"{table}: {done} rows")

        yield plain
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err) as progress:
        tasks: dict[str, Any] = {}

        def bar(table: str, done: int, total: int) -> None:
            if table not in tasks:
                tasks[table] = progress.add_task(table, total=total)
            progress.update(tasks[table], completed=done)

        yield bar


@contextmanager
def tasks_progress(wanted: int) -> Iterator[Callable[[BatchOutcome], None]]:
    """Progress over the tasks of a batch: a bar on a terminal, a plain line every tenth elsewhere."""
    if not err.is_terminal:
        step = max(1, wanted // 10)

        def plain(outcome: BatchOutcome) -> None:
            done = len(outcome.standing)
            if done % step == 0 or done == wanted:
                err.print(f"tasks {done}/{wanted}: " + ", ".join(f"{n} {name}" for name, n in outcome.counts.items()))

        yield plain
        return
    columns = (TextColumn("tasks"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task("", total=wanted)
        yield lambda outcome: progress.update(task, completed=len(outcome.standing))
