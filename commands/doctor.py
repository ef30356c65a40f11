"""``pattern2plan doctor``: can the facts be read, is the schema right, may the role do too much?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from commands.console import out, print_json
from resources.connections import open_facts, open_store
from resources.errors import StoreUnwritable
from resources.pattern_facts.doctor import Diagnosis, diagnose
from resources.settings import read_settings

NOT_USABLE = 1


def doctor(json: Annotated[bool, typer.Option("--json", help="Answer as JSON.")] = False) -> None:
    """Compare the live databases with what this product expects; change nothing."""
    settings = read_settings()
    diagnosis = diagnose(open_facts(settings))
    store = _store_state()
    if json:
        print_json({"facts": asdict(diagnosis) | {"usable": diagnosis.usable}, "store": store})
    else:
        _print(diagnosis, store)
    if not diagnosis.usable:
        raise typer.Exit(NOT_USABLE)


def _store_state() -> str:
    try:
        return (
            "ready" if open_store(read_settings()).has_table() else "no table demand_content: `pattern2plan db upgrade`"
        )
    except StoreUnwritable as error:
        return str(error)


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
