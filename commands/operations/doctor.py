"""``pattern2plan doctor``: can the facts be read, is the schema right, may the role do too much?"""

from __future__ import annotations

import asyncio
from contextlib import closing
from dataclasses import asdict

import typer

from resources.console.options import AsJson
from resources.console.output import out, print_json
from resources.databases.connections import open_facts, open_store, open_supply_store
from resources.databases.pattern_facts.doctor import Diagnosis, diagnose
from resources.foundation.clock import RandomIds, SystemClock
from resources.foundation.errors import SettingsError, StoreUnwritable
from resources.settings.demand import read_settings
from resources.settings.supply import read_supply_settings
from resources.tool_gateway.configured import open_gateway
from supply_assets.tasks.event_buffer import EventBuffer

NOT_USABLE = 1


def doctor(json: AsJson = False) -> None:
    """Compare the live databases with what this product expects, and probe the platform; change nothing."""
    settings = read_settings()
    diagnosis = diagnose(open_facts(settings))
    store, supply = _store_state(), _supply_state()
    if json:
        facts = asdict(diagnosis) | {"usable": diagnosis.usable}
        print_json({"facts": facts, "store": store, "supply_store": supply, "platform": _platform_state()})
    else:
        _print(diagnosis, store)
        out.print(f"supply store: {supply}")
        for entry in _platform_state():
            out.print(f"platform, {entry['tool']} by {entry['provider']}: {entry['state']}")
    if not diagnosis.usable:
        raise typer.Exit(NOT_USABLE)


def _store_state() -> str:
    try:
        return (
            "ready" if open_store(read_settings()).has_table() else "no table demand_content: `pattern2plan db upgrade`"
        )
    except StoreUnwritable as error:
        return str(error)


def _supply_state() -> str:
    try:
        with closing(open_supply_store(read_supply_settings())) as store:
            return "ready" if store.has_tables() else "the supply tables are not all there: `pattern2plan db upgrade`"
    except StoreUnwritable as error:
        return str(error)


def _platform_state() -> list[dict[str, str]]:
    """Each provider of each tool, and whether it is there."""
    try:
        return asyncio.run(_probe())
    except SettingsError as error:
        return [{"tool": "all", "provider": "none", "state": str(error)}]


async def _probe() -> list[dict[str, str]]:
    async with open_gateway(read_supply_settings(), EventBuffer(), SystemClock(), RandomIds()) as gateway:
        return [
            {"tool": str(found.tool), "provider": found.provider, "state": found.message if found.code else "answers"}
            for found in await gateway.probe()
        ]


def _print(diagnosis: Diagnosis, store: str) -> None:
    out.print(f"facts ({diagnosis.backend}): {'usable' if diagnosis.usable else 'NOT usable'}")
    for label, names in (
        ("missing table", diagnosis.missing_tables),
        ("missing column", diagnosis.missing_columns),
        ("may not be read", diagnosis.unreadable_tables),
        ("missing index (slow)", diagnosis.missing_indexes),
        ("the role could write (grant SELECT only)", diagnosis.writable_tables),
    ):
        for name in names:
            out.print(f"  {label}: {name}")
    for status, number in sorted(diagnosis.executions.items()):
        out.print(f"  executions with status {status}: {number}")
    out.print(f"demand store: {store}")
