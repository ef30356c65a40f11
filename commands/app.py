"""The root of the command line and how errors leave it: one line, no traceback, the exit code of the error."""

from __future__ import annotations

import warnings

import stamina
import typer
from typer.exceptions import TyperException

from commands.automation import automation_app
from commands.backfill import backfill_app
from commands.console import say_error, say_retry
from commands.database import database_app
from commands.demand import demand_app
from commands.demo import demo
from commands.doctor import doctor
from commands.metrics import metrics_app
from commands.report import report
from commands.review import review_app
from commands.review_desk import serve_desk
from commands.sandbox_facts import sandbox_app
from commands.sandbox_platform import serve_platform
from commands.supply import supply_app
from commands.trace import trace
from resources.errors import OutputFailed, Pattern2PlanError, UsageError, one_line
from resources.logs import configure_logs

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

INTERRUPTED = 130


def run_command(arguments: list[str]) -> int:
    """Run the command line on ``arguments`` and translate what it raises into an exit code."""
    # Libraries deprecate among themselves; a user of the command cannot act on it.
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    stamina.instrumentation.set_on_retry_hooks([say_retry])
    try:
        configure_logs()
        code = app(args=arguments, prog_name="pattern2plan", standalone_mode=False)
    except Pattern2PlanError as error:
        say_error(error)
        return error.exit_code
    except TyperException as error:
        return _refuse(error)
    except OSError as error:
        failure = OutputFailed(one_line(error), "check rights and space")
        say_error(failure)
        return failure.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def _refuse(error: TyperException) -> int:
    """What the argument parser found wrong, as one line like every other error."""
    message = getattr(error, "format_message", lambda: str(error))()
    refusal = UsageError(message.replace("\n", " "), "see --help")
    if message.strip():
        say_error(refusal)
    return refusal.exit_code
