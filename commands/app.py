"""The root of the command line."""

from __future__ import annotations

import typer

from commands.demand import demand_app
from commands.operations.automation import automation_app
from commands.operations.backfill import backfill_app
from commands.operations.database import database_app
from commands.operations.doctor import doctor
from commands.operations.metrics import metrics_app
from commands.report import report
from commands.review import review_app
from commands.review_desk import serve_desk
from commands.supply import supply_app
from commands.trace import trace
from commands.trying.demo import demo
from commands.trying.sandbox_facts import sandbox_app
from commands.trying.sandbox_platform import serve_platform
from resources.console.program import run_program

app = typer.Typer(
    name="pattern2plan",
    help="Mined pattern facts become crawler plans whose every claim was proved in the database.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(demand_app, name="demand")
app.add_typer(sandbox_app, name="sandbox")
app.add_typer(database_app, name="db")
app.add_typer(supply_app, name="supply")
app.add_typer(review_app, name="review")
app.add_typer(backfill_app, name="backfill")
app.add_typer(automation_app, name="automation")
app.add_typer(metrics_app, name="metrics")
sandbox_app.command("serve")(serve_platform)
review_app.command("serve")(serve_desk)
app.command("trace")(trace)
app.command("report")(report)
app.command("doctor")(doctor)
app.command("demo")(demo)


def run_command(arguments: list[str]) -> int:
    """Run the command line on ``arguments``; returns the exit code."""
    return run_program(app, arguments)
