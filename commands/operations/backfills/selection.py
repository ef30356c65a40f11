"""Which executions a backfill is about, and whether a backfill of a name is known."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from itertools import islice

from pydantic import ValidationError

from commands.operations.backfills.request import ASKED, BACKFILL, Asked, Backfill, Half
from commands.operations.backfills.status import runs_of
from resources.dagster_api.client import DagsterApi
from resources.dagster_api.jobs import PARTITION, require_config
from resources.dagster_api.runs import Run, runs_with, tag_values
from resources.databases.connections import open_facts
from resources.databases.pattern_facts.listing import list_successful_executions
from resources.foundation import strict_json
from resources.foundation.errors import UsageError
from resources.foundation.ids import LIST_EXECUTIONS, execution_key
from resources.settings.demand import read_settings

LISTED = 10_000
CODE_LOCATION = "dagster/code_location"
ASSET_JOB = "__ASSET_JOB"


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
    found = _successful(first, last)
    if not found:
        raise UsageError(f"no execution from {first} to {last} was successful", f"widen the range; {LIST_EXECUTIONS}")
    return found


def _successful(first: int, last: int) -> list[str]:
    with closing(open_facts(read_settings())) as facts, facts.snapshot() as snapshot:
        found = sorted({row[0] for row in list_successful_executions(snapshot) if first <= row[0] <= last})
    return [execution_key(execution_id) for execution_id in found]


def without_success(backfill: Backfill, at_most: int) -> list[int]:
    """The first ids of the range that are no successful execution."""
    keys = set(backfill.keys)
    ids = (number for number in range(backfill.asked.first, backfill.asked.last + 1) if str(number) not in keys)
    return list(islice(ids, at_most))


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
    keys = choose(asked.first, asked.last)
    return Backfill(name, asked, keys, _cancelled_last(api, asked, keys))


def known_backfill(api: DagsterApi, name: str) -> Backfill:
    """A backfill as its runs tell of it, with what the facts have in its range by now.

    Raises:
        UsageError: no run carries the name, or its tags cannot be read.
        FactsUnreadable: the facts could not be read.
    """
    recorded = recorded_backfill(api, name)
    keys = sorted({*recorded.keys, *_successful(recorded.asked.first, recorded.asked.last)}, key=int)
    return Backfill(name, recorded.asked, keys, _cancelled_last(api, recorded.asked, keys))


def recorded_backfill(api: DagsterApi, name: str) -> Backfill:
    """A backfill as its runs alone tell of it: the facts need not be there.

    Raises:
        UsageError: no run carries the name, or its tags cannot be read.
    """
    runs = runs_of(api, name)
    keys = {run.tags.get(PARTITION, "") for run in runs}
    for run in runs:
        try:
            asked = Asked.model_validate(strict_json.loads(run.tags.get(ASKED, "")))
        except (ValidationError, strict_json.JsonRefused):
            continue
        return Backfill(name, asked, sorted((key for key in keys if key.isdecimal()), key=int))
    raise UsageError(f"there is no backfill {name!r}", "pattern2plan backfill list")


def _cancelled_last(api: DagsterApi, asked: Asked, keys: Sequence[str]) -> frozenset[tuple[str, str]]:
    """Halves and keys whose last run was cancelled: to Dagster those have not failed, to a person they have."""
    found: set[tuple[str, str]] = set()
    for half in asked.halves if asked.only == "failed" else ():
        ours = {CODE_LOCATION: half.job.location}
        ended = {
            run.tags.get(PARTITION, "") for run in runs_with(api, ours, statuses=["CANCELED"]) if _writes(half, run)
        }
        for key in ended.intersection(keys):
            last = next((run for run in runs_with(api, {**ours, PARTITION: key}) if _writes(half, run)), None)
            if last is not None and last.status == "CANCELED":
                found.add((half.name, key))
    return frozenset(found)


def _writes(half: Half, run: Run) -> bool:
    """Whether a run was to materialize the half: by its job, or by its assets started alone or by themselves."""
    return run.job in (half.job.name, ASSET_JOB)


def names(api: DagsterApi) -> list[str]:
    """The names of the backfills that have runs."""
    return sorted(tag_values(api, BACKFILL, LISTED))
