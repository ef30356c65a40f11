"""``pattern2plan automation``: what runs by itself, whether it does, and when it last did (DG9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from resources.console.options import AsJson
from resources.console.output import out, print_json
from resources.dagster_api.client import DagsterApi
from resources.dagster_api.configured import open_dagster_api
from resources.dagster_api.instigators import Instigator, Tick, instigators_of, turn_off, turn_on
from resources.foundation.clock import SystemClock
from resources.foundation.errors import UsageError

LOCATIONS = ("demand", "supply")

automation_app = typer.Typer(help="Sensors and schedules of both locations.", no_args_is_help=True)

Names = Annotated[list[str] | None, typer.Option("--name", help="Only this one; may be repeated.")]


@automation_app.command("status")
def status(json: AsJson = False) -> int:
    """Which run, when each last ticked well, and what it said; exit code 1 where the last tick of one failed."""
    with open_dagster_api() as api:
        found = _all(api)
    if json:
        print_json([_plain(instigator) for instigator in found])
    else:
        _print(found)
    return 1 if any(one.is_running and one.last and one.last.status == "FAILURE" for one in found) else 0


@automation_app.command("on")
def on(name: Names = None, json: AsJson = False) -> None:
    """Start them: all, or those named."""
    _change(turn_on, name, json)


@automation_app.command("off")
def off(name: Names = None, json: AsJson = False) -> None:
    """Stop them: all, or those named; runs in work go on."""
    _change(turn_off, name, json)


def _all(api: DagsterApi) -> list[Instigator]:
    return [instigator for location in LOCATIONS for instigator in instigators_of(api, location)]


def _named(api: DagsterApi, names: list[str] | None) -> list[Instigator]:
    found = _all(api)
    if not names:
        return found
    unknown = sorted(set(names) - {instigator.name for instigator in found})
    if unknown:
        known = ", ".join(sorted({instigator.name for instigator in found}))
        raise UsageError(f"--name {unknown[0]} is no sensor or schedule", f"one of {known}")
    return [instigator for instigator in found if instigator.name in names]


def _change(change: Callable[[DagsterApi, Instigator], None], names: list[str] | None, json: bool) -> None:
    with open_dagster_api() as api:
        for instigator in _named(api, names):
            change(api, instigator)
        found = _all(api)
    if json:
        print_json([_plain(instigator) for instigator in found])
        return
    for instigator in found:
        state = "on" if instigator.is_running else "off"
        out.print(f"{state:3} {instigator.location} {instigator.name}", markup=False)


def _plain(instigator: Instigator) -> dict[str, Any]:
    return {
        "location": instigator.location,
        "kind": instigator.kind,
        "name": instigator.name,
        "running": instigator.is_running,
        "for": instigator.description,
        "last": _tick(instigator.last),
        "last_good_age_s": _age(instigator.last_good),
    }


def _tick(tick: Tick | None) -> dict[str, Any] | None:
    return None if tick is None else {"status": tick.status, "age_s": _age(tick), "said": tick.said}


def _age(tick: Tick | None) -> int | None:
    return None if tick is None else round(SystemClock().now().timestamp() - tick.at)


def _print(found: list[Instigator]) -> None:
    table = Table("location", "name", "state", "last good tick", "last tick", "said")
    for one in found:
        good = _age(one.last_good)
        table.add_row(
            one.location,
            one.name,
            "on" if one.is_running else "off",
            "never" if good is None else f"{good} s ago",
            one.last.status if one.last else "",
            Text(one.last.said if one.last else one.description),
        )
    out.print(table)
