"""The root of the command line: which commands there are, and where each stands.

Importing it imports no command. A line is the first of the command's own help.
"""

from __future__ import annotations

from typer.core import TyperGroup

from commands.deferred import DeferredCommand
from resources.console.program import run_program

COMMANDS = (
    (
        "trace",
        "commands.trace:trace",
        "Walk the whole chain and prove it; exit code 1 where a chain does not close or none goes through.",
    ),
    ("report", "commands.report:report", "Funnel, proof, tasks, scores, calls and chains of an execution."),
    (
        "executions",
        "commands.operations.executions:executions",
        "Executions of the facts, the newest first: status, size, published demands and the tasks of their batch.",
    ),
    (
        "status",
        "commands.operations.status:status",
        "What is left to do in each batch, by a worker, a person or a command; an empty list is good news.",
    ),
    (
        "doctor",
        "commands.operations.doctor:doctor",
        "Compare the live databases with what this product expects, and probe the platform; change nothing.",
    ),
    (
        "demo",
        "commands.sandbox.demo:demo",
        "The whole chain for one execution of the sample facts, without any server.",
    ),
    ("demand", "commands.demand:demand_app", "Pattern facts -> proven demands."),
    ("sandbox", "commands.sandbox.facts:sandbox_app", "Facts to try the product on."),
    ("db", "commands.operations.database:database_app", "Set up the stores."),
    ("supply", "commands.supply:supply_app", "Demands -> candidate pool -> scores -> crawler plans."),
    ("review", "commands.review:review_app", "Hold, release, accept or reject tasks and candidates."),
    ("backfill", "commands.operations.backfill:backfill_app", "Many executions, through the Dagster webserver."),
    ("automation", "commands.operations.automation:automation_app", "Sensors and schedules of both locations."),
    ("metrics", "commands.operations.metrics:metrics_app", "Numbers for Prometheus."),
)

app = TyperGroup(
    name="pattern2plan",
    help="Mined pattern facts become crawler plans whose every claim was proved in the database.",
    no_args_is_help=True,
    commands={name: DeferredCommand(name, place, line) for name, place, line in COMMANDS},
)


def run_command(arguments: list[str]) -> int:
    """Run the command line on ``arguments``; returns the exit code."""
    return run_program(app, arguments)
