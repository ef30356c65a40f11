"""Which executions a backfill is about, and whether a backfill of a name is known."""

from __future__ import annotations

from pydantic import ValidationError

from commands.backfills.request import ASKED, BACKFILL, Asked, Backfill
from commands.backfills.standing import runs_of
from demand_assets.partitions import execution_key
from resources import strict_json
from resources.connections import open_facts
from resources.dagster_api.client import DagsterApi
from resources.dagster_api.jobs import require_config
from resources.dagster_api.runs import tag_values
from resources.errors import UsageError
from resources.pattern_facts.listing import list_successful_executions
from resources.settings import read_settings

LISTED = 200


def choose(first: int, last: int) -> list[str]:
    """The successful executions of the facts in the range, by id.

    Raises:
        UsageError: the range is empty, or holds no successful execution.
        FactsUnreadable: the facts could not be read.
    """
    execution_key(first)
    execution_key(last)
    if first > last:
        raise UsageError(f"--from {first} is after --to {last}", "give the smaller id first")
    facts = open_facts(read_settings())
    try:
        with facts.snapshot() as snapshot:
            found = sorted({row[0] for row in list_successful_executions(snapshot) if first <= row[0] <= last})
    finally:
        facts.close()
    if not found:
        raise UsageError(f"no execution from {first} to {last} was successful", "look at the facts, or widen the range")
    return [execution_key(execution_id) for execution_id in found]


def new_backfill(api: DagsterApi, name: str, asked: Asked, source: str) -> Backfill:
    """A backfill that nobody has begun.

    Raises:
        UsageError: the name is taken, nothing is in the range, or a job does not take the config.
    """
    if runs_of(api, name):
        raise UsageError(
            f"there is a backfill {name} already", f"pattern2plan backfill resume {name}, or another --name"
        )
    for half in asked.halves:
        require_config(api, half.job, getattr(asked.config, half.name), source)
    return Backfill(name, asked, choose(asked.first, asked.last))


def known_backfill(api: DagsterApi, name: str) -> Backfill:
    """A backfill as its runs tell of it.

    Raises:
        UsageError: no run carries the name, or its tags cannot be read.
    """
    for run in runs_of(api, name):
        try:
            asked = Asked.model_validate(strict_json.loads(run.tags.get(ASKED, "")))
        except (ValidationError, strict_json.JsonRefused):
            continue
        return Backfill(name, asked, choose(asked.first, asked.last))
    raise UsageError(f"there is no backfill {name!r}", "pattern2plan backfill list")


def names(api: DagsterApi) -> list[str]:
    """The names of the backfills that have runs."""
    return sorted(tag_values(api, BACKFILL, LISTED))
