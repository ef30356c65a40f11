"""``pattern2plan report``: what an execution came to, as a page to read, a summary on the terminal, or numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from resources.console.options import AsJson
from resources.console.output import err, out, print_json
from resources.databases.connections import open_facts, open_store, open_supply_store
from resources.foundation.atomic_files import write_atomically
from resources.foundation.clock import SystemClock
from resources.foundation.errors import OutputRefused, UsageError
from resources.foundation.folders import require_parent
from resources.foundation.ids import LIST_EXECUTIONS
from resources.settings.demand import read_settings
from resources.settings.supply import read_supply_settings
from supply_assets.intake.batches import parse_batch_key

if TYPE_CHECKING:
    from lineage.report.label_funnels import Step
    from lineage.report.numbers import Report

SHOWN = 10


def report(
    execution_id: Annotated[int | None, typer.Option(help="An execution.")] = None,
    batch: Annotated[str | None, typer.Option(help="A batch of requests from outside: adhoc-….")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the page here; one file that loads nothing.")] = None,
    json: AsJson = False,
) -> int:
    """Funnel, proof, tasks, scores, calls and chains of an execution.

    Exit code 1: a chain is broken or a published row does not close; 2: nothing is there of it.
    """
    if (execution_id is None) == (batch is None):
        raise UsageError("name what to report on: --execution-id or --batch", f"one of the two; {LIST_EXECUTIONS}")
    key = batch if batch is not None else str(execution_id)
    parse_batch_key(key)
    if html is not None and html.exists() and not html.is_file():
        # Written aside and renamed, the page would take the place of a device or a pipe.
        raise OutputRefused(f"--html {html} is no regular file", "name a file")
    if html is not None:
        require_parent(html)
    found = _gather(key)
    if html is not None:
        from lineage.report.page import render

        write_atomically(html, render(found).encode())
        err.print(f"page: {html}", markup=False)
    if json:
        print_json(found.as_json())
    else:
        _print(found)
    return found.exit_code


def _gather(key: str) -> Report:
    from lineage.report.numbers import Sources, gather_report, require_content
    from lineage.report.records import Records

    settings = read_settings()
    records = Records(settings.home / "frames")
    with closing(open_supply_store(read_supply_settings())) as supply:
        sources = Sources(supply, open_store(settings), lambda: closing(open_facts(settings)), records)
        found = gather_report(key, sources, SystemClock())
    require_content(found)
    return found


def _print(found: Report) -> None:
    out.print(Text(f"{found.batch}: {headline(found)}", style="bold"))
    for steps in (found.demand_steps, found.supply_steps):
        if steps:
            out.print("  " + "  ".join(_step(step) for step in steps), markup=False)
    if len(found.by_label) > 1:
        for label in found.by_label[:SHOWN]:
            out.print(f"  label {label.label}: " + "  ".join(_step(step) for step in label.steps), markup=False)
    for line in _lines(found):
        out.print(f"  {line}", markup=False)
    if found.supply.tools:
        out.print(_tools(found))


def headline(found: Report) -> str:
    """The page's first line in one plain sentence."""
    asked = found.supply.taken_in if found.demand is None else found.demand.rows
    proof = "all chains close"
    if found.chains.broken:
        proof = f"broken: {len(found.chains.broken)} of {found.chains.chains} chains"
    elif found.broken_rows:
        proof = f"not closing any more: {found.broken_rows} of {asked} published rows"
    return f"{asked} demands → {found.chains.plans} plans, {found.chains.articles} articles, {proof}"


def _step(step: Step) -> str:
    return f"{step.name} {'not recorded here' if step.number is None else step.number}"


def _lines(found: Report) -> Iterator[str]:
    """What is worth a line, each bounded; the page has the rest."""
    if found.demand is not None:
        for verdict in found.demand.verdicts:
            if verdict.breaks:
                yield f"{verdict.rule_id}: {verdict.breaks} rows break it, {verdict.holds} hold; {verdict.first[0]}"
        if found.demand.decisions is not None:
            yield from _counted("rejected", found.demand.decisions.rejected_by_code)
    yield from _counted("refused at intake", found.supply.refused_by_rule or {})
    yield from _counted("filtered", found.supply.filtered)
    yield from _counted("tasks", found.supply.batch.by_status)
    yield from _counted("errors", found.supply.errors)
    if found.supply.shortfalls:
        missing = found.supply.batch.shortfall
        yield f"{missing} articles missing in {len(found.supply.shortfalls)} tasks"
    for one in found.supply.stopped[:SHOWN]:
        yield f"{one.state} {one.task_id} by {one.by}: {one.said}"
    for chain in [chain for chain in found.chains.kept if not chain.closed][:SHOWN]:
        yield f"BROKEN {chain.task_id}: {'; '.join(chain.broken)[:300]}"
    for name in found.unreadable[:SHOWN]:
        yield f"could not be read: {name}"


def _counted(what: str, counts: dict[str, int]) -> Iterator[str]:
    if counts:
        shown = ", ".join(f"{name} {number}" for name, number in list(counts.items())[:SHOWN])
        more = f", … {len(counts) - SHOWN} more" if len(counts) > SHOWN else ""
        yield f"{what}: {shown}{more}"


def _tools(found: Report) -> Table:
    table = Table("tool", "calls", "errors", "median ms", "95 % ms", "longest ms", box=None)
    for tool in found.supply.tools:
        numbers = (tool.calls, tool.errors, tool.median_ms, tool.p95_ms, tool.slowest_ms)
        table.add_row(Text(tool.tool), *map(str, numbers))
    return table
