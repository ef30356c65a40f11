"""What the steps of one Dagster run share: the typed request, the output mode, the run, and how errors show.

The mode comes from the job that was started and from nothing else (D-065); an asset materialized outside the two
jobs writes files. Each step takes the run up again: its ids and its time are the root run's, so that retries go on in
the same folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import NamedTuple

import dagster as dg

from demand_assets.run.identity import Run, RunIdentity, identify
from demand_assets.run.prepare import prepare, require_mode
from demand_assets.run.request import DemandRequest, make_request
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.foundation.errors import OutputRefused
from resources.foundation.ids import parse_execution_key
from resources.platform.configurable import DemandSettingsResource, PatternFactsResource, RunFoldersResource
from resources.platform.failures import product_errors
from resources.platform.launch_fields import config_values, takes_config_of
from resources.settings.demand import OutputMode

LOCAL_JOB = "demand_local_json"
MYSQL_JOB = "demand_mysql_demand_content"
MODE_OF_JOB: dict[str, OutputMode] = {LOCAL_JOB: "local_json", MYSQL_JOB: "mysql_demand_content"}
ANSWERED_BY_THE_STEP = ("execution_id", "output_root")
"""The partition is the execution, and the folder is always the run's own."""


@takes_config_of(DemandRequest, *ANSWERED_BY_THE_STEP)
class DemandRequestResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """What a launch may ask for; the execution is the partition. The fields are those of ``DemandRequest``."""

    def of(self, execution_id: int) -> DemandRequest:
        """The request for one execution.

        Raises:
            UsageError: a field is outside what it takes.
        """
        return make_request(execution_id=execution_id, **config_values(self, DemandRequest, *ANSWERED_BY_THE_STEP))


class Step(NamedTuple):
    """A step's run, and the facts it reads."""

    run: Run
    facts: FactsDatabase


@contextmanager
def step_run(
    context: dg.AssetExecutionContext,
    request: DemandRequestResource,
    facts: PatternFactsResource,
    run_folders: RunFoldersResource,
    demand_settings: DemandSettingsResource,
) -> Iterator[Step]:
    """The step's run; a product error inside becomes a failed step with one line and its fix.

    Raises:
        dg.Failure: any product error.
        dg.RetryRequested: a service could not be reached, and the step was tried less than three times.
    """
    with product_errors(context), facts.open() as database:
        identity = step_identity(context, request, demand_settings)
        run = prepare(identity, database, demand_settings.settings(), demand_settings.model, run_folders.root())
        with run.folder.locked():
            yield Step(run, database)


def step_identity(
    context: dg.AssetExecutionContext, resource: DemandRequestResource, demand_settings: DemandSettingsResource
) -> RunIdentity:
    """Which run the step belongs to.

    Raises:
        UsageError: a field of the request is outside what it takes, or the partition is no execution.
        SettingsError: a variable contradicts the job (D-065).
        OutputRefused: Dagster does not know the run.
    """
    request = resource.of(parse_execution_key(context.partition_key))
    mode = mode_of_job(context.run.job_name)
    require_mode(mode, demand_settings.settings().output_mode)
    root_run = context.run.root_run_id or context.run.run_id
    return identify(request, mode, root_run, _started_at(context, root_run))


def mode_of_job(job_name: str) -> OutputMode:
    """The mode of a job, ``local_json`` for anything but the two jobs."""
    return MODE_OF_JOB.get(job_name, "local_json")


def _started_at(context: dg.AssetExecutionContext, root_run: str) -> datetime:
    record = context.instance.get_run_record_by_id(root_run) or context.instance.get_run_record_by_id(context.run_id)
    if record is None:
        raise OutputRefused(f"run {root_run} is not in the run storage", "start the run again")
    created: datetime = record.create_timestamp
    return created.astimezone(UTC)
