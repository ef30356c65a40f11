"""What the steps of one Dagster run share: the typed request, the output mode, the run folder, and how errors show.

The mode comes from the job that was started and from nothing else (D-065); an asset materialized outside the two
jobs writes files.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
from pydantic import Field

from demand_assets.outputs.old_runs import OWNER_FILE
from demand_assets.outputs.run_folder import RunFolder, default_run_id, open_shared, resolve_root
from demand_assets.run.existing_execution import require_mode
from demand_assets.run.request import DEFAULT_COUNT, DemandRequest, make_request
from resources.foundation.clock import FixedClock
from resources.foundation.errors import OutputRefused
from resources.foundation.ids import parse_execution_key
from resources.foundation.whole_files import write_whole
from resources.platform.failures import product_errors
from resources.settings.demand import OutputMode, read_settings

LOCAL_JOB = "demand_local_json"
MYSQL_JOB = "demand_mysql_demand_content"
MODE_OF_JOB: dict[str, OutputMode] = {LOCAL_JOB: "local_json", MYSQL_JOB: "mysql_demand_content"}


class DemandRequestResource(dg.ConfigurableResource):  # type: ignore[type-arg]
    """What a launch may ask for; the execution is the partition. See ``DemandRequest`` for the fields."""

    merge_level2: str | None = Field(default=None, description="Business level; default: the execution's.")
    platform_type: str | None = Field(default=None, description="Platform; default: the execution's.")
    count: int = Field(default=DEFAULT_COUNT, description="Accepted demands wanted, 1 … 100,000.")
    proposer: str = Field(default="rules", description="rules, agent or file:PATH.")
    run_id: str | None = Field(default=None, description="Name of the run's folder.")
    run_label: str | None = Field(default=None, description="Idempotency label of the rows; default: the run id.")
    seed: int = Field(default=0, description="Decides between itemsets of equal rank.")
    max_rounds: int = Field(default=200, description="How often the proposer is asked at the most.")

    def of(self, execution_id: int) -> DemandRequest:
        """The request for one execution.

        Raises:
            UsageError: a field is outside what it takes.
        """
        return make_request(
            execution_id=execution_id,
            merge_level2=self.merge_level2,
            platform_type=self.platform_type,
            count=self.count,
            proposer=self.proposer,
            run_id=self.run_id,
            run_label=self.run_label,
            seed=self.seed,
            max_rounds=self.max_rounds,
        )


@dataclass(frozen=True)
class StepRun:
    """The run as one of its steps sees it."""

    execution_id: int
    request: DemandRequest
    mode: OutputMode
    run_id: str
    run_label: str
    trace_id: str
    started_at: datetime
    folder: RunFolder


@contextmanager
def step_run(context: dg.AssetExecutionContext, request: DemandRequestResource) -> Iterator[StepRun]:
    """The step's run; a product error inside becomes a failed step with one line and its fix.

    Raises:
        dg.Failure: any product error.
        dg.RetryRequested: a service could not be reached, and the step was tried less than three times.
    """
    with product_errors(context):
        yield _step_run(context, request)


def mode_of_job(job_name: str) -> OutputMode:
    """The mode of a job, ``local_json`` for anything but the two jobs."""
    return MODE_OF_JOB.get(job_name, "local_json")


def _step_run(context: dg.AssetExecutionContext, resource: DemandRequestResource) -> StepRun:
    execution_id = parse_execution_key(context.partition_key)
    request = resource.of(execution_id)
    mode = mode_of_job(context.run.job_name)
    require_mode(mode, read_settings())
    root_run = context.run.root_run_id or context.run.run_id
    started_at = _started_at(context, root_run)
    run_id = request.run_id or default_run_id(execution_id, FixedClock(started_at))
    folder = open_shared(resolve_root(request.output_root, run_id))
    _require_own(folder, root_run)
    return StepRun(
        execution_id=execution_id,
        request=request,
        mode=mode,
        run_id=run_id,
        run_label=request.run_label or run_id,
        trace_id=root_run,
        started_at=started_at,
        folder=folder,
    )


def _started_at(context: dg.AssetExecutionContext, root_run: str) -> datetime:
    record = context.instance.get_run_record_by_id(root_run) or context.instance.get_run_record_by_id(context.run_id)
    if record is None:
        raise OutputRefused(f"run {root_run} is not in the run storage", "start the run again")
    created: datetime = record.create_timestamp
    return created.astimezone(UTC)


def _require_own(folder: RunFolder, root_run: str) -> None:
    """Steps of one run, and its retries, share a folder; another run is refused (D-061)."""
    owner = folder.path(OWNER_FILE)
    if not owner.is_file() and not any(_made_before(folder)):
        _claim(owner, root_run)
    if not owner.is_file() or owner.read_bytes() != root_run.encode():
        raise OutputRefused(f"run id {folder.root.name!r} exists already", "give another run_id")


def _claim(owner: Path, root_run: str) -> None:
    """Of two runs at once, one makes the link and the other finds it made."""
    aside = owner.with_name(f"{OWNER_FILE}.{root_run}")
    write_whole(aside, root_run.encode())
    try:
        owner.hardlink_to(aside)
    except FileExistsError:
        pass
    finally:
        aside.unlink()


def _made_before(folder: RunFolder) -> Iterator[Path]:
    return (path for path in folder.root.rglob("*") if path.is_file() and not path.name.startswith(OWNER_FILE))
