"""``pattern2plan db``: the schema of the stores."""

from __future__ import annotations

from contextlib import closing
from enum import StrEnum
from typing import Annotated

import typer
from sqlalchemy.engine import URL

from resources.console.options import AsJson
from resources.console.output import out, print_json
from resources.databases.demand_store import migrate as demand_schema
from resources.databases.demand_store.engine import DemandStore
from resources.databases.supply_store import migrate as supply_schema
from resources.databases.supply_store.engine import SupplyStore
from resources.settings.database_urls import parse_dsn
from resources.settings.demand import read_settings
from resources.settings.supply import read_supply_settings

database_app = typer.Typer(help="Set up the stores.", no_args_is_help=True)


class StoreChoice(StrEnum):
    """Which stores a command is about."""

    DEMAND = "demand"
    SUPPLY = "supply"
    ALL = "all"


@database_app.callback()
def _group() -> None:
    """Set up the stores."""


@database_app.command("upgrade")
def upgrade_stores(
    store: Annotated[StoreChoice, typer.Option(help="Which store.")] = StoreChoice.ALL,
    dsn: Annotated[
        str | None,
        typer.Option(help="Account that may create tables, for each chosen store; default: the stores' own settings."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Create the tables of the stores where they are not; existing tables are left as they are."""
    url = None if dsn is None else parse_dsn(dsn, "--dsn")
    upgrades = {StoreChoice.DEMAND: _upgrade_demand, StoreChoice.SUPPLY: _upgrade_supply}
    chosen = [name for name in upgrades if store in (name, StoreChoice.ALL)]
    done = {str(name): upgrades[name](url) for name in chosen}
    if json:
        print_json(
            {"stores": [{"store": name, "backend": backend, "upgraded": True} for name, backend in done.items()]}
        )
        return
    for name, backend in done.items():
        out.print(f"the {name} store ({backend}) is up to date")


def _upgrade_demand(url: URL | None) -> str:
    settings = read_settings()
    store = DemandStore(url or settings.store_url(), connect_timeout_s=settings.connect_timeout_s)
    demand_schema.upgrade(store)
    return store.backend


def _upgrade_supply(url: URL | None) -> str:
    settings = read_supply_settings()
    with closing(SupplyStore(url or settings.store_url(), connect_timeout_s=settings.connect_timeout_s)) as store:
        supply_schema.upgrade(store)
        return store.backend
