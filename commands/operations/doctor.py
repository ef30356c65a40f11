"""``pattern2plan doctor``: can the facts be read, is the schema right, may the role do too much, who answers?

Each line that finds something says what to do. The exit code is 0 where runs of both halves can work, 3 where a service
could not be reached, else 1.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from typing import Any, NamedTuple

import typer

from resources.calls.outcomes.answers import Code, Tool
from resources.console.options import AsJson
from resources.console.output import out, print_json
from resources.databases.connections import open_facts, open_store, open_supply_store
from resources.databases.pattern_facts.doctor import Diagnosis, diagnose
from resources.foundation.clock import RandomIds, SystemClock
from resources.foundation.errors import FactsUnreadable, ServiceUnreachable, SettingsError, StoreUnwritable
from resources.settings.demand import read_settings
from resources.settings.supply import read_supply_settings
from resources.tool_gateway.configured import open_gateway
from resources.tool_gateway.gateway import ProbeResult
from supply_assets.tasks.event_buffer import EventBuffer

GOOD, NOT_USABLE, NOT_REACHED = 0, 1, ServiceUnreachable.exit_code
_AWAY = (Code.CONNECTION, Code.TIMEOUT, Code.SERVER_ERROR)
_FACTS_FIXES = (
    ("missing table", "missing_tables", "name the database that has it in DEMAND_PATTERN_PG_DSN"),
    ("missing column", "missing_columns", "name a database with the source's schema in DEMAND_PATTERN_PG_DSN"),
    ("may not be read", "unreadable_tables", "GRANT SELECT on it to the role"),
    ("missing index (slow)", "missing_indexes", "create it"),
    ("the role could write", "writable_tables", "grant SELECT only"),
)


class State(NamedTuple):
    """How something stands: in words, with what to do where there is something to do, and as an exit code."""

    said: str
    code: int = GOOD


class FactsState(NamedTuple):
    """The same for the facts, with the fields of the JSON answer."""

    said: str
    code: int
    fields: dict[str, Any]


class PlatformLine(NamedTuple):
    """One provider of one tool."""

    tool: str
    provider: str
    state: str


def doctor(json: AsJson = False) -> None:
    """Compare the live databases with what this product expects, and probe the platform; change nothing."""
    facts, store, supply = _facts_state(), _store_state(), _supply_state()
    platform, platform_code = _platform_state()
    if json:
        lines = [line._asdict() for line in platform]
        print_json({"facts": facts.fields, "store": store.said, "supply_store": supply.said, "platform": lines})
    else:
        out.print(facts.said)
        out.print(f"demand store: {store.said}")
        out.print(f"supply store: {supply.said}")
        for entry in platform:
            out.print(f"platform, {entry.tool} by {entry.provider}: {entry.state}")
    code = max(facts.code, store.code, supply.code, platform_code)
    if code:
        raise typer.Exit(code)


def _facts_state() -> FactsState:
    try:
        with closing(open_facts(read_settings())) as facts:
            diagnosis = diagnose(facts)
    except FactsUnreadable as error:
        return FactsState(f"facts: NOT reached: {error}", NOT_REACHED, {"usable": False, "error": str(error)})
    said = "\n".join(_facts_lines(diagnosis))
    code = GOOD if diagnosis.usable else NOT_USABLE
    return FactsState(said, code, asdict(diagnosis) | {"usable": diagnosis.usable})


def _store_state() -> State:
    try:
        if open_store(read_settings()).has_table():
            return State("ready")
    except StoreUnwritable as error:
        return State(str(error), NOT_REACHED)
    return State("no table demand_content -> run `pattern2plan db upgrade --store demand`", NOT_USABLE)


def _supply_state() -> State:
    try:
        with closing(open_supply_store(read_supply_settings())) as store:
            if store.has_tables():
                return State("ready")
    except StoreUnwritable as error:
        return State(str(error), NOT_REACHED)
    return State("the supply tables are not all there -> run `pattern2plan db upgrade --store supply`", NOT_USABLE)


def _platform_state() -> tuple[list[PlatformLine], int]:
    """Each provider of each tool, and whether every tool has one that answers."""
    try:
        found = asyncio.run(_probe())
    except SettingsError as error:
        return [PlatformLine("all", "none", str(error))], NOT_USABLE
    lines, codes = [], []
    for tool in Tool:
        probes = [probe for probe in found if probe.tool == tool]
        lines += [PlatformLine(str(tool), probe.provider, _said(probe)) for probe in probes]
        if not probes:
            fix = "name one in SUPPLY_PROVIDERS_FILE"
            lines.append(PlatformLine(str(tool), "none", f"no provider is configured -> {fix}"))
        codes.append(_code(probes))
    return lines, max(codes)


def _code(probes: Sequence[ProbeResult]) -> int:
    if any(probe.code is None for probe in probes):
        return GOOD
    return NOT_REACHED if probes and all(probe.code in _AWAY for probe in probes) else NOT_USABLE


def _said(probe: ProbeResult) -> str:
    if probe.code is None:
        return "answers"
    if probe.code in _AWAY:
        fix = "start it, or correct its address in SUPPLY_PLATFORM_URL or SUPPLY_PROVIDERS_FILE"
    elif probe.code is Code.NOT_PERMITTED:
        fix = "check its token: SUPPLY_PLATFORM_TOKEN, or token_env in SUPPLY_PROVIDERS_FILE"
    else:
        fix = "ask again later, or look at its address and what it says"
    return f"{probe.code}: {probe.message} -> {fix}"


async def _probe() -> list[ProbeResult]:
    async with open_gateway(read_supply_settings(), EventBuffer(), SystemClock(), RandomIds()) as gateway:
        return await gateway.probe()


def _facts_lines(diagnosis: Diagnosis) -> Iterator[str]:
    yield f"facts ({diagnosis.backend}): {'usable' if diagnosis.usable else 'NOT usable'}"
    for label, field, fix in _FACTS_FIXES:
        for name in getattr(diagnosis, field):
            yield f"  {label}: {name} -> {fix}"
    for status, number in sorted(diagnosis.executions.items()):
        yield f"  executions with status {status}: {number}"
