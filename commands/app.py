"""The root of the command line and how errors leave it: one line, no traceback, the exit code of the error."""

from __future__ import annotations

import sys
import warnings

import typer

from commands.console import say_error
from commands.database import database_app
from commands.demand import demand_app
from commands.demo import demo
from commands.doctor import doctor
from commands.sandbox_facts import sandbox_app
from resources.errors import Pattern2PlanError

app = typer.Typer(
    name="pattern2plan",
    help="Mined pattern facts become demands whose every claim was proved in the database.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(demand_app, name="demand")
app.add_typer(sandbox_app, name="sandbox")
app.add_typer(database_app, name="db")
app.command("doctor")(doctor)
app.command("demo")(demo)

INTERRUPTED = 130


def main() -> None:
    """Entry point of ``pattern2plan``; exit codes: 0 done, 1 fell short, 2 wrong usage, 3 service unreachable."""
    # Libraries deprecate among themselves; a user of the command cannot act on it.
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    sys.exit(exit_code_of(app))


def exit_code_of(application: typer.Typer) -> int:
    """Run an application and translate what it raises."""
    try:
        application(standalone_mode=True)
    except Pattern2PlanError as error:
        say_error(error)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 1
    return 0
