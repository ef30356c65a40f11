"""``pattern2plan backfill``: a range of executions through Dagster's GraphQL, resumable and cancellable."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from commands.operations.backfills.cancel import cancel
from commands.operations.backfills.progress import AGAIN, Watcher, follow, launch_first
from commands.operations.backfills.request import Asked, Backfill, check_name, read_changed_config
from commands.operations.backfills.selection import (
    known_backfill,
    names,
    new_backfill,
    recorded_backfill,
    without_success,
)
from commands.operations.backfills.status import BackfillStatus, PartitionState, runs_of, standing_of
from resources.console.options import AsJson
from resources.console.output import err, out, print_json
from resources.dagster_api.client import DagsterApi
from resources.dagster_api.configured import open_dagster_api
from resources.dagster_api.runs import why_failed
from resources.foundation.clock import SystemClock
from resources.foundation.errors import UsageError
from resources.foundation.ids import LIST_EXECUTIONS

backfill_app = typer.Typer(help="Many executions, through the Dagster webserver.", invoke_without_command=True)

Name = Annotated[str, typer.Argument(help="Name of the backfill.")]
NoWait = Annotated[bool, typer.Option("--no-wait", help="Launch what may run now, and do not stay with it.")]
SHOWN = 20


@backfill_app.callback()
def start(
    context: typer.Context,
    first: Annotated[int | None, typer.Option("--from", help="First execution.")] = None,
    last: Annotated[int | None, typer.Option("--to", help="Last execution.")] = None,
    only: Annotated[Literal["missing", "failed", "all"], typer.Option(help="Which partitions run.")] = "missing",
    half: Annotated[Literal["demand", "supply", "both"], typer.Option(help="Which half of the chain.")] = "both",
    changed_config: Annotated[
        Path | None, typer.Option(help='JSON file: {"demand": {run config}, "supply": {run config}}.')
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name to ask for it by; default: the time.")] = None,
    no_wait: NoWait = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would run.")] = False,
    json: AsJson = False,
) -> int:
    """Run executions --from … --to …; each demand half that is published is followed by its supply half."""
    if context.invoked_subcommand is not None:
        return 0
    if first is None or last is None:
        raise UsageError("name the executions: --from and --to", LIST_EXECUTIONS)
    asked = Asked(first=first, last=last, only=only, half=half, config=read_changed_config(changed_config))
    chosen = check_name(name or f"backfill-{SystemClock().now():%Y%m%dT%H%M%S}")
    with open_dagster_api() as api:
        backfill = new_backfill(api, chosen, asked, "--changed-config")
        if dry_run:
            _show(api, backfill, standing_of(api, backfill, []), json)
            return 0
        err.print(f"backfill {chosen}: {len(backfill.keys)} executions", markup=False)
        return _run(api, backfill, (), no_wait, json)


@backfill_app.command("resume")
def resume(name: Name, no_wait: NoWait = False, json: AsJson = False) -> int:
    """Launch again what failed, was cancelled or is missing, and stay with it."""
    with open_dagster_api() as api:
        return _run(api, known_backfill(api, name), AGAIN, no_wait, json)


@backfill_app.command("status")
def status(name: Name, json: AsJson = False) -> int:
    """How each partition stands; exit code 1 where it is over and something is missing."""
    with open_dagster_api() as api:
        backfill = known_backfill(api, name)
        standing = standing_of(api, backfill, runs_of(api, name))
        shown = _show(api, backfill, standing, json)
        return shown if standing.is_over else 0


@backfill_app.command("cancel")
def cancel_backfill(name: Name, json: AsJson = False) -> int:
    """End its runs; when this returns, no further plan is created for it."""
    with open_dagster_api() as api:
        backfill = recorded_backfill(api, name)
        runs, tasks = cancel(api, name)
        standing = standing_of(api, backfill, runs_of(api, name))
    counts = standing.counts()
    if json:
        print_json({"name": name, "ended_runs": runs, "revoked_tasks": tasks, "halves": counts})
    else:
        out.print(f"{runs} runs ended, {tasks} unfinished tasks taken away from them")
        if not runs:
            out.print("nothing was in work: stop any command that still follows this backfill elsewhere")
        out.print(f"go on with: pattern2plan backfill resume {name}", markup=False)
    return 0


@backfill_app.command("list")
def list_backfills(json: AsJson = False) -> None:
    """Names of the backfills that have runs."""
    with open_dagster_api() as api:
        found = names(api)
    if json:
        print_json(found)
    else:
        for name in found:
            out.print(name, markup=False)
        if not found:
            out.print("no backfill has a run yet")


def _run(api: DagsterApi, backfill: Backfill, again: tuple[PartitionState, ...], no_wait: bool, json: bool) -> int:
    last: list[str] = [""]

    def progress(standing: BackfillStatus) -> None:
        line = "; ".join(
            f"{half}: " + ", ".join(f"{count} {state}" for state, count in counts.items())
            for half, counts in standing.counts().items()
        )
        if line != last[0]:
            last[0] = line
            err.print(line, markup=False)

    watcher = Watcher(progress, lambda trouble: err.print(trouble, markup=False))
    try:
        before = launch_first(api, backfill, watcher, again)
        if no_wait:
            standing = standing_of(api, backfill, runs_of(api, backfill.name))
            _show(api, backfill, standing, json)
            err.print(f"stay with it: pattern2plan backfill resume {backfill.name}", markup=False)
            return 0
        standing = follow(api, backfill, watcher, before)
    except KeyboardInterrupt:
        err.print(f"the runs go on; stay with them: pattern2plan backfill resume {backfill.name}", markup=False)
        raise
    return _show(api, backfill, standing, json)


def _show(api: DagsterApi, backfill: Backfill, standing: BackfillStatus, json: bool) -> int:
    troubles = _troubles(api, standing)
    not_successful = backfill.asked.last - backfill.asked.first + 1 - len(backfill.keys)
    if json:
        asked = backfill.asked.model_dump(mode="json")
        print_json(
            {
                "name": backfill.name,
                "asked": asked,
                "executions": len(backfill.keys),
                "ids_without_a_successful_execution": not_successful,
                "the_first_of_them": without_success(backfill, SHOWN),
                "halves": standing.counts(),
                "troubles": troubles,
            }
        )
    else:
        _print(backfill, standing, troubles, not_successful)
    return 0 if standing.is_done else 1


def _troubles(api: DagsterApi, standing: BackfillStatus) -> list[dict[str, Any]]:
    """What failed, was cancelled or is removed, by name; why, for the first of them."""
    found: list[dict[str, Any]] = []
    for half, states in standing.states.items():
        for key, state in states.items():
            if state not in (PartitionState.FAILED, PartitionState.CANCELLED, PartitionState.REMOVED):
                continue
            run = standing.newest.get((half, key))
            why = why_failed(api, run.run_id) if run and state is PartitionState.FAILED and len(found) < SHOWN else ""
            run_id = run.run_id if run else None
            found.append({"half": half, "key": key, "state": str(state), "run_id": run_id, "why": why})
    return found


def _print(backfill: Backfill, standing: BackfillStatus, troubles: list[dict[str, Any]], not_successful: int) -> None:
    counts = standing.counts()
    states = [str(state) for state in PartitionState if any(str(state) in of_half for of_half in counts.values())]
    table = Table("half", *states)
    for half, of_half in counts.items():
        table.add_row(half, *(str(of_half.get(state, 0)) for state in states))
    out.print(Text(f"backfill {backfill.name}: {len(backfill.keys)} executions"))
    out.print(table)
    if not_successful:
        named = ", ".join(map(str, without_success(backfill, SHOWN)))
        out.print(f"{not_successful} ids of the range have no successful execution: {named}", markup=False)
    for trouble in troubles[:SHOWN]:
        out.print(Text(f"{trouble['half']} {trouble['key']} {trouble['state']} {trouble['why']}".rstrip()))
    if len(troubles) > SHOWN:
        out.print(f"… {len(troubles) - SHOWN} more; --json lists them all")
