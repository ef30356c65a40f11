"""``demand run``: the command over one run, for the command line and for the two entry modules (D-065)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, get_args

import typer

from demand_assets.decisions.decision_loop import Outcome
from demand_assets.run.existing_execution import RunEnvironment, RunReport, run_execution
from demand_assets.run.request import DemandRequest, make_request
from resources.console.options import AsJson, takes_options_of
from resources.console.output import err, out, print_json
from resources.console.program import print_error, run_program
from resources.console.progress import bar
from resources.foundation.errors import UsageError
from resources.settings.demand import OutputMode, read_settings

MODES: dict[str, OutputMode] = {mode: mode for mode in get_args(OutputMode)}
SHOWN_OF_MANIFEST = ("run_id", "run_label", "output_mode", "counts", "published", "stop_reason", "failure")


@takes_options_of(DemandRequest)
def run_demand(
    output: Annotated[str, typer.Option(help="local_json or mysql_demand_content.")],
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was cut off.")] = False,
    json: AsJson = False,
    **asked: object,
) -> None:
    """Run one execution into files or into demand_content."""
    if output not in MODES:
        raise UsageError(f"--output: {output!r} is none of {', '.join(MODES)}")
    request = make_request(**asked)
    with decision_progress(request.count) as on_progress:
        around = RunEnvironment(read_settings(), on_progress=on_progress)
        report = run_execution(MODES[output], request, around, resume=resume)
    if json:
        shown = {key: report.manifest[key] for key in SHOWN_OF_MANIFEST}
        print_json(shown | {"folder": str(report.run.folder.root)})
    else:
        _print(report)
    raise typer.Exit(report.exit_code)


def _print(report: RunReport) -> None:
    outcome = report.outcome
    out.print(f"run {report.run.identity.run_id}: stopped because {outcome.stop_reason}")
    out.print(
        f"  proposed {len(outcome.proposed)}, accepted {len(outcome.accepted)} of {report.run.request.count}, "
        f"rejected {len(outcome.rejects)}, duplicates {len(outcome.duplicates)}"
    )
    for code, number in outcome.rejects_by_code().items():
        out.print(f"    {code}: {number}")
    if outcome.failure:
        out.print(f"  the proposer failed: {outcome.failure}")
    published = report.manifest["published"]
    out.print(f"  rows: {published['inserted']} inserted, {published['skipped']} stood already")
    out.print(f"  files: {report.run.folder.root}")


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
        print_error(error)
        return error.exit_code
    app = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    app.command()(run_demand)
    return run_program(app, [*given, "--output", mode])
