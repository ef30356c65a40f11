"""``pattern2plan demand``: run an execution, re-prove what was published, score the closure."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from commands.demand_worth import worth
from demand_assets.evidence.drift import DriftReport, verify_published
from demand_assets.evidence.pack import pack_json_schema
from demand_assets.run.command import run_demand
from demand_assets.scorecard.report import CANNOT_CATCH, Scorecard, score
from resources.console.options import AsJson
from resources.console.output import err, out, print_json
from resources.databases.connections import open_facts, open_store
from resources.databases.pattern_facts.executions import require_usable
from resources.foundation.ids import MAX_ID
from resources.settings.demand import read_settings

MAX_SHOWN = 50

demand_app = typer.Typer(help="Pattern facts -> proven demands.", no_args_is_help=True)
demand_app.command("run")(run_demand)
demand_app.command("worth")(worth)

ExecutionId = Annotated[int, typer.Option(help="An existing pattern_mining_execution.id with status success.")]
Seed = Annotated[int, typer.Option(help="Decides between itemsets of equal rank.")]


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
        err.print(f"{report.rows} rows proved, {report.drifted_rows} no longer close")

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
