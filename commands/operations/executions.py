"""``pattern2plan executions``: the ids that other commands ask for, and what became of each execution."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from lineage.executions import ExecutionLine, read_executions, with_zone
from resources.console.options import AsJson
from resources.console.output import err, out, print_json
from resources.databases.connections import open_facts, open_store, open_supply_store
from resources.settings.demand import read_settings
from resources.settings.supply import read_supply_settings

COLUMNS = ("id", "status", "created", "itemsets", "posts", "published", "batch (tasks)")


def executions(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="The newest ones, at most so many.")] = 20,
    json: AsJson = False,
) -> None:
    """Executions of the facts, the newest first: status, size, published demands and the tasks of their batch."""
    settings = read_settings()
    with closing(open_facts(settings)) as facts, closing(open_supply_store(read_supply_settings())) as supply:
        found = read_executions(facts, open_store(settings), supply, limit)
    for trouble in found.troubles:
        err.print(trouble, markup=False)
    if json:
        print_json([line.as_json() for line in found.lines])
    elif not found.lines:
        out.print("the facts have no execution yet: mine some, or `pattern2plan sandbox load`", markup=False)
    else:
        table = Table(*COLUMNS)
        for line in found.lines:
            table.add_row(*(Text(cell) for cell in _cells(line)))
        out.print(table)


def _cells(line: ExecutionLine) -> tuple[str, ...]:
    one = line.execution
    created, published = with_zone(one.created_at) or "", "?" if line.published is None else str(line.published)
    return (str(one.id), one.status, created, str(one.itemsets), str(one.posts), published, _batch(line))


def _batch(line: ExecutionLine) -> str:
    if line.tasks is None:
        return "?"
    if not line.tasks:
        return "none"
    by_status = ", ".join(f"{number} {status}" for status, number in sorted(line.tasks.items()))
    return f"{line.execution.id} ({by_status})"
