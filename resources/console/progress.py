"""Progress of long work on standard error: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from resources.console.output import err

Advance = Callable[[int, str], None]
"""Called with how much is done, and with what a terminal shows beside the bar."""


@contextmanager
def bar(label: str, total: int) -> Iterator[Advance]:
    """One bar over ``total``, gone at its end; only for a terminal."""
    columns = (
        TextColumn(label),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda done, beside: progress.update(task, completed=done, description=beside)


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
        tasks: dict[str, TaskID] = {}

        def update(table: str, done: int, total: int) -> None:
            if table not in tasks:
                tasks[table] = progress.add_task(table, total=total)
            progress.update(tasks[table], completed=done)

        yield update
