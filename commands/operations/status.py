"""``pattern2plan status``: what is left to do, and the command that does it."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from lineage.executions import read_executions
from lineage.outstanding import WORDS, outstanding_lines, read_outstanding
from resources.console.options import AsJson
from resources.console.output import err, out, print_json
from resources.databases.connections import open_facts, open_store, open_supply_store
from resources.settings.demand import read_settings
from resources.settings.supply import read_supply_settings


def status(
    executions: Annotated[
        int, typer.Option(min=1, max=10_000, help="Look for published demands without a task in so many executions.")
    ] = 200,
    json: AsJson = False,
) -> None:
    """What is left to do in each batch, by a worker, a person or a command; an empty list is good news."""
    settings = read_settings()
    with closing(open_facts(settings)) as facts, closing(open_supply_store(read_supply_settings())) as supply:
        batches = read_outstanding(supply)
        known = read_executions(facts, open_store(settings), supply, executions)
    for trouble in known.troubles:
        err.print(trouble, markup=False)
    lines = outstanding_lines(batches, known.lines)
    if json:
        print_json([line._asdict() for line in lines])
        return
    if lines:
        table = Table("batch", "left to do", "how many", "command")
        for line in lines:
            table.add_row(*map(Text, (line.batch, WORDS[line.kind], str(line.number), line.command)))
        out.print(table)
    out.print(f"{len(lines)} things are left to do" if lines else "nothing is left to do", markup=False)
