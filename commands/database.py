"""``pattern2plan db``: the schema of the stores."""

from __future__ import annotations

from typing import Annotated

import typer

from commands.console import out, print_json
from resources.demand_store.engine import DemandStore
from resources.demand_store.migrate import upgrade
from resources.settings import parse_dsn, read_settings

database_app = typer.Typer(help="Set up the stores.", no_args_is_help=True)


@database_app.callback()
def _group() -> None:
    """Set up the stores."""


@database_app.command("upgrade")
def upgrade_store(
    dsn: Annotated[
        str | None, typer.Option(help="Account that may create tables; default: the writer's own settings.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Answer as JSON.")] = False,
) -> None:
    """Create demand_content where there is none; an existing table is left as it is."""
    settings = read_settings()
    url = settings.store_url() if dsn is None else parse_dsn(dsn, "--dsn")
    store = DemandStore(url, connect_timeout_s=settings.connect_timeout_s)
    upgrade(store)
    if json:
        print_json({"store": store.backend, "upgraded": True})
    else:
        out.print(f"the demand store ({store.backend}) is up to date")
