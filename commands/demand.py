"""``pattern2plan demand``: run an execution, re-prove what was published, score the closure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from commands.console import decision_progress, err, out, print_json
from demand_assets.drift import DriftReport, verify_published
from demand_assets.evidence.pack import pack_json_schema
from demand_assets.evidence.refs import MAX_ID
from demand_assets.existing_execution import (
    RunReport,
    Surroundings,
    require_usable,
    run_local_json,
    run_mysql_demand_content,
)
from demand_assets.request import DEFAULT_COUNT, DemandRequest, make_request
from demand_assets.scorecard.report import CANNOT_CATCH, Scorecard, score
from resources.connections import open_facts, open_store
from resources.errors import UsageError
from resources.settings import read_settings

MAX_SHOWN = 50
RUNNERS = {"local_json": run_local_json, "mysql_demand_content": run_mysql_demand_content}

demand_app = typer.Typer(help="Pattern facts -> proven demands.", no_args_is_help=True)

ExecutionId = Annotated[int, typer.Option(help="An existing pattern_mining_execution.id with status success.")]
MergeLevel2 = Annotated[str | None, typer.Option(help="Business level of the rows; default: the execution's.")]
PlatformType = Annotated[str | None, typer.Option(help="Platform; default: the execution's.")]
Count = Annotated[int, typer.Option(help="Accepted demands wanted.")]
RunId = Annotated[str | None, typer.Option(help="Name of the run's folder.")]
RunLabel = Annotated[str | None, typer.Option(help="Idempotency label of the rows; default: the run id.")]
OutputRoot = Annotated[Path | None, typer.Option(help="The run's folder; must be inside test_output_data/.")]
ProposerName = Annotated[str, typer.Option(help="rules, agent or file:PATH (JSON lines).")]
Seed = Annotated[int, typer.Option(help="Decides between itemsets of equal rank.")]
MaxRounds = Annotated[int, typer.Option(help="How often the proposer is asked at the most.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with a run that was cut off.")]
AsJson = Annotated[bool, typer.Option("--json", help="Answer as JSON.")]


@demand_app.command("run")
def run_demand(
    execution_id: ExecutionId,
    output: Annotated[str, typer.Option(help="local_json or mysql_demand_content.")],
    merge_level2: MergeLevel2 = None,
    platform_type: PlatformType = None,
    count: Count = DEFAULT_COUNT,
    run_id: RunId = None,
    run_label: RunLabel = None,
    output_root: OutputRoot = None,
    proposer: ProposerName = "rules",
    seed: Seed = 0,
    max_rounds: MaxRounds = 200,
    resume: Resume = False,
    json: AsJson = False,
) -> None:
    """Run one execution into files or into demand_content."""
    if output not in RUNNERS:
        raise UsageError(f"--output: {output!r} is none of {', '.join(RUNNERS)}")
    request = make_request(
        execution_id=execution_id,
        merge_level2=merge_level2,
        platform_type=platform_type,
        count=count,
        run_id=run_id,
        run_label=run_label,
        output_root=output_root,
        proposer=proposer,
        seed=seed,
        max_rounds=max_rounds,
    )
    report_run(output, request, resume, json)


@demand_app.command("verify")
def verify(
    execution_id: Annotated[
        int | None, typer.Option(min=1, max=MAX_ID, help="Only rows of this execution; default: all rows.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Prove published rows against today's facts; touch nothing. Exit code 1: one does not close, or none is there."""
    settings = read_settings()

    def on_page(report: DriftReport) -> None:
        err.print(f"{report.rows} rows proved, {report.drifted_rows} drifted")

    report = verify_published(open_store(settings), open_facts(settings), execution_id, on_page)
    drifts = [drift._asdict() for drift in report.drifts]
    if json:
        counted = {"rows": report.rows, "drifted_rows": report.drifted_rows, "by_code": report.by_code}
        print_json({**counted, "drifts": drifts, "drifts_left_out": report.left_out})
    else:
        out.print(f"{report.rows} rows proved, {report.drifted_rows} no longer close")
        for drift in report.drifts[:MAX_SHOWN]:
            out.print(f"  {drift.key}: {drift.rule_id} {drift.code}: {drift.message}")
        hidden = report.by_code.total() - MAX_SHOWN
        if hidden > 0:
            out.print(f"  … {hidden} more; --json lists {len(report.drifts)}")
    if report.drifts or (execution_id is not None and not report.rows):
        raise typer.Exit(1)


@demand_app.command("schema")
def schema() -> None:
    """The JSON Schema of the evidence pack, for the neighbours."""
    print_json(pack_json_schema())


@demand_app.command("scorecard")
def scorecard(
    execution_id: ExecutionId,
    cases: Annotated[int, typer.Option(min=1, max=100_000, help="Faults to inject, evenly over the classes.")] = 1000,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Inject faults of known kinds; none may be admitted. Exit code 1 where one is, or a code is wrong."""
    settings = read_settings()
    facts = open_facts(settings)
    require_usable(facts, execution_id)
    card = score(facts, execution_id, cases, seed, lambda line: err.print(f"{line.kind}: {line.fault}: {line.cases}"))
    if json:
        print_json(card.as_dict())
    else:
        _print_scorecard(card)
    if not card.clean:
        raise typer.Exit(1)


def _print_scorecard(card: Scorecard) -> None:
    table = Table(box=None)
    for heading in ("fault", "kind", "must be", "cases", "admitted", "right code", "other code"):
        table.add_column(heading, no_wrap=True)
    for line in card.lines:
        numbers = (line.cases, line.admitted, line.right_code, line.other_code)
        table.add_row(line.fault, line.kind, line.expected, *map(str, numbers))
    out.print(table)
    out.print(f"{card.cases} faults in {len(card.lines)} classes: {card.admitted} admitted")
    if card.untested:
        out.print(f"without a case: {', '.join(card.untested)}")
    out.print(f"{card.untouched} untouched candidates that are right: {card.false_rejects} rejected")
    out.print(CANNOT_CATCH)


def report_run(output: str, request: DemandRequest, resume: bool, as_json: bool) -> None:
    """Run, show what came of it, and leave with the run's exit code."""
    with decision_progress(request.count) as on_progress:
        around = Surroundings(read_settings(), on_progress=on_progress)
        report = RUNNERS[output](request, around, resume=resume)
    if as_json:
        print_json(_summary(report))
    else:
        _print(report)
    raise typer.Exit(report.exit_code)


def _summary(report: RunReport) -> dict[str, Any]:
    keys = ("run_id", "run_label", "output_mode", "counts", "published", "stop_reason", "failure")
    return {key: report.manifest[key] for key in keys} | {"folder": str(report.folder.root)}


def _print(report: RunReport) -> None:
    outcome = report.outcome
    out.print(f"run {report.run.run_id}: stopped because {outcome.stop_reason}")
    out.print(
        f"  proposed {len(outcome.proposed)}, accepted {len(outcome.accepted)} of {report.run.request.count}, "
        f"rejected {len(outcome.rejects)}, duplicates {len(outcome.duplicates)}"
    )
    for code, number in outcome.rejects_by_code().items():
        out.print(f"    {code}: {number}")
    if outcome.failure:
        out.print(f"  the proposer failed: {outcome.failure}")
    out.print(f"  rows: {report.published['inserted']} inserted, {report.published['skipped']} stood already")
    out.print(f"  files: {report.folder.root}")
