"""``pattern2plan supply``: a batch of demands into crawler plans, and a past task ranked again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from commands.supply_bind import offer_again
from resources.console.options import AsJson, takes_options_of
from resources.console.output import err, out, print_json
from resources.console.progress import bar
from resources.console.repeated_lines import first_lines_alone
from resources.databases.connections import open_facts, open_store, open_supply_store
from resources.databases.supply_store.tasks.tasks import TaskRow
from resources.foundation.clock import RandomIds, SystemClock
from resources.foundation.errors import UsageError
from resources.foundation.ids import LIST_EXECUTIONS
from resources.settings.demand import read_settings
from resources.settings.log_level import read_log_level
from resources.settings.supply import SupplySettings, read_supply_settings
from supply_assets.intake.batches import adhoc_key, parse_batch_key
from supply_assets.intake.intake import Intake, IntakeContext, take_in_execution, take_in_requests
from supply_assets.intake.request import DEFAULT_EXPECTED, SupplyOptions, SupplyRequest, make_options, read_request_file
from supply_assets.scoring.ranking.rank import SCORE_VERSION
from supply_assets.scoring.ranking.weights import read_weights
from supply_assets.scoring.records import Weights
from supply_assets.tasks.batch_context import open_batch_context
from supply_assets.tasks.batch_report import BatchReport, report_batch
from supply_assets.tasks.batch_run import BatchOutcome, advance_batch
from supply_assets.tasks.beforehand import done_without_platform
from supply_assets.tasks.replay import Replay, replay

SHOWN = 30

supply_app = typer.Typer(help="Demands -> candidate pool -> scores -> crawler plans.", no_args_is_help=True)
supply_app.command("bind")(offer_again)


@supply_app.command("run")
@takes_options_of(SupplyOptions)
def run_supply(
    execution_id: Annotated[int | None, typer.Option(help="Demands published of this execution.")] = None,
    request: Annotated[Path | None, typer.Option(help="JSON file: one request or a list of them.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Prove and take in; call nothing, plan nothing.")] = False,
    json: AsJson = False,
    **asked: object,
) -> int:
    """One batch: take demands in, search, rank, create plans. Running it again goes on where it stopped."""
    options = make_options(**asked)
    settings = read_supply_settings()
    if (execution_id is None) == (request is None):
        raise UsageError("name what is wanted: --execution-id or --request", f"one of the two; {LIST_EXECUTIONS}")
    if request is not None and (options.run_label is not None or options.expected_count != DEFAULT_EXPECTED):
        raise UsageError("--run-label and --expected-count are for --execution-id", "a request says it itself")
    requests = read_request_file(request) if request else []
    batch = adhoc_key(requests) if requests else str(execution_id)
    parse_batch_key(batch)
    done = [] if dry_run else _done(batch, options, settings)
    if done:
        err.print(f"all {len(done)} tasks of the batch are done; no platform is named, so no new demand was taken in")
        intake = Intake(tasks=done)
    elif requests:
        intake = _from_requests(requests, options, settings)
        err.print(f"batch {batch}")
    else:
        intake = _from_table(execution_id or 0, options, settings)
    _print_refusals(intake)
    _print_kept_options(intake)
    if not intake.tasks and not intake.refusals:
        err.print("there is no demand to take in: none is published of this execution and label")
    if dry_run:
        return _report_intake(intake, json)
    task_ids = [task.task_id for task in intake.tasks]
    to_do = [] if done else task_ids
    with open_batch_context(settings) as batch_context, tasks_progress(len(to_do)) as on_progress, few_lines():
        advance_batch(batch_context, to_do, on_progress=on_progress)
    with closing(open_supply_store(settings)) as store:
        report = report_batch(store, task_ids, len(intake.refusals))
    if json:
        print_json(report.as_json() | {"refused": report.refused, "refusals": _plain(intake)})
    else:
        _print_report(report)
    if report.unreached:
        raise report.unreachable()
    return report.exit_code


@contextmanager
def few_lines() -> Iterator[None]:
    """One log line a cause, and at the end how many more there were; with ``DEBUG`` all of them."""
    if read_log_level() == "DEBUG":
        yield
        return
    with first_lines_alone() as repeated:
        try:
            yield
        finally:
            for line in repeated.summary():
                err.print(line)


@contextmanager
def tasks_progress(wanted: int) -> Iterator[Callable[[BatchOutcome], None]]:
    """Progress over the tasks of a batch: a bar on a terminal, a plain line every tenth elsewhere."""
    if err.is_terminal:
        with bar("tasks", wanted) as advance:
            yield lambda outcome: advance(len(outcome.standing), "")
        return
    step = max(1, wanted // 10)

    def plain(outcome: BatchOutcome) -> None:
        done = len(outcome.standing)
        if done % step == 0 or done == wanted:
            err.print(f"tasks {done}/{wanted}: " + ", ".join(f"{n} {name}" for name, n in outcome.counts.items()))

    yield plain


def _done(batch: str, options: SupplyOptions, settings: SupplySettings) -> list[TaskRow]:
    with closing(open_supply_store(settings)) as store:
        return done_without_platform(settings, store, batch, options.force)


def _from_table(execution_id: int, options: SupplyOptions, settings: SupplySettings) -> Intake:
    demand_settings = read_settings()
    with closing(open_supply_store(settings)) as store, closing(open_facts(demand_settings)) as facts:
        taking = IntakeContext(store, SystemClock(), RandomIds(), str(execution_id), options)
        return take_in_execution(taking, open_store(demand_settings), facts, execution_id)


def _from_requests(requests: list[SupplyRequest], options: SupplyOptions, settings: SupplySettings) -> Intake:
    with closing(open_supply_store(settings)) as store:
        return take_in_requests(
            IntakeContext(store, SystemClock(), RandomIds(), adhoc_key(requests), options), requests
        )


def _print_refusals(intake: Intake) -> None:
    for refusal in intake.refusals[:SHOWN]:
        err.print(f"refused demand_content {refusal.demand_id}: {refusal.rule_id} {refusal.reason}", markup=False)
    if len(intake.refusals) > SHOWN:
        err.print(f"{len(intake.refusals) - SHOWN} more are refused; --json lists them all")


def _print_kept_options(intake: Intake) -> None:
    if intake.other_options:
        err.print(
            f"{intake.other_options} known tasks keep the plan options they were made with; --force makes new ones"
        )


def _report_intake(intake: Intake, json: bool) -> int:
    counts = {"tasks": len(intake.tasks), "new": intake.new, "refused": len(intake.refusals)}
    if json:
        print_json(counts | {"refusals": _plain(intake)})
    else:
        out.print(f"{counts['tasks']} tasks, {counts['new']} of them new; {counts['refused']} demands refused")
    return 0 if intake.tasks and not intake.refusals else 1


def _plain(intake: Intake) -> list[dict[str, Any]]:
    return [refusal._asdict() for refusal in intake.refusals]


def _print_report(report: BatchReport) -> None:
    table = Table("task", "query", "status", "pool", "selected", "shortfall", "plan", "error")
    for row in report.tasks[:SHOWN]:
        table.add_row(
            row.task_id,
            Text(row.query),
            row.status,
            str(row.pool),
            f"{row.selected}/{row.wanted}",
            str(row.shortfall),
            Text(row.crawler_plan_id or ""),
            row.error_code or "",
        )
    out.print(table)
    if len(report.tasks) > SHOWN:
        out.print(f"… {len(report.tasks) - SHOWN} more tasks; --json lists them all")
    out.print("  ".join(f"{name} {count}" for name, count in report.funnel.items()))


@supply_app.command("replay")
def replay_task(
    task_id: Annotated[str, typer.Option(help="A task that was ranked.")],
    score_version: Annotated[str, typer.Option(help="Name of the new ranking.")] = SCORE_VERSION,
    weights: Annotated[
        str | None, typer.Option(help='JSON, e.g. {"relevance": 0.5, "popularity": 0.1, …}; must sum to 1.')
    ] = None,
    json: AsJson = False,
) -> None:
    """Rank the stored pool of a task again, without a network call; nothing is written."""
    chosen = Weights() if weights is None else read_weights(weights)
    with closing(open_supply_store(read_supply_settings())) as store:
        replayed = replay(store, task_id, chosen, score_version)
    if json:
        print_json(_replay_json(replayed))
    else:
        _print_replay(replayed)


def _replay_json(replayed: Replay) -> dict[str, Any]:
    return {
        "task_id": replayed.task_id,
        "stored_version": replayed.stored_version,
        "new_version": replayed.new_version,
        "moved": replayed.moved,
        "rows": [row._asdict() for row in replayed.rows],
    }


def _print_replay(replayed: Replay) -> None:
    table = Table("stored", "new", "stored total", "new total", "", "title")
    for row in replayed.rows[:SHOWN]:
        table.add_row(
            "" if row.stored_rank is None else str(row.stored_rank),
            "" if row.new_rank is None else str(row.new_rank),
            "" if row.stored_total is None else f"{row.stored_total:.2f}",
            f"{row.new_total:.2f}",
            ("*" if row.stored_selected else " ") + ("*" if row.new_selected else " "),
            Text(row.title),
        )
    out.print(table)
    out.print(
        f"{replayed.stored_version} beside {replayed.new_version}: {replayed.moved} of {len(replayed.rows)} "
        "candidates moved (* selected)",
        markup=False,
    )
