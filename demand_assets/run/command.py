"""``demand run``: the command over one run, for the command line and for the two entry modules (D-065)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from demand_assets.decisions.decision_loop import Outcome
from demand_assets.run.existing_execution import (
    RunReport,
    Surroundings,
    run_local_json,
    run_mysql_demand_content,
)
from demand_assets.run.request import DEFAULT_COUNT, DemandRequest, make_request
from resources.console.output import err, out, print_json
from resources.console.program import run_program, say_error
from resources.console.progress import bar
from resources.foundation.errors import UsageError
from resources.settings.demand import OutputMode, read_settings

RUNNERS = {"local_json": run_local_json, "mysql_demand_content": run_mysql_demand_content}

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


@contextmanager
def decision_progress(wanted: int) -> Iterator[Callable[[Outcome], None]]:
    """A bar on a terminal, one plain line a round elsewhere; yields what is to be called with the outcome so far."""
    if err.is_terminal:
        with bar("accepted", wanted) as advance:
            yield lambda outcome: advance(len(outcome.accepted), f"rejected {len(outcome.rejects)}")
        return
    yield lambda outcome: err.print(
        f"round {outcome.rounds}: accepted {len(outcome.accepted)}/{wanted}, rejected {len(outcome.rejects)}"
    )


def run_existing_execution(mode: OutputMode) -> int:
    """The command in a fixed mode with this process's arguments; returns the exit code."""
    given = sys.argv[1:]
    if any(argument == "--output" or argument.startswith("--output=") for argument in given):
        error = UsageError(f"--output: this entry point always writes {mode}", "leave it away")
        say_error(error)
        return error.exit_code
    app = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    app.command()(run_demand)
    return run_program(app, [*given, "--output", mode])
