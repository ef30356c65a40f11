"""The job that deletes run folders which have had their time, and its schedule; off until turned on."""

from datetime import timedelta

import dagster as dg
from pydantic import Field

from demand_assets.outputs.old_runs import OldRun, delete_runs, old_partials, old_runs
from resources.foundation.errors import OutputFailed
from resources.platform.configurable import ClockResource, RunFoldersResource

KEPT_DAYS = 90
SHOWN = 50
PARTIALS_KEPT = timedelta(days=1)
ROOT_RUN = "dagster/root_run_id"


class Retention(dg.Config):
    """What a launch may ask for."""

    older_than_days: int = Field(default=KEPT_DAYS, ge=1, description="Nothing in the folder is younger.")
    dry_run: bool = Field(default=False, description="Say what would be deleted, and delete nothing.")


@dg.op(
    description="Deletes old folders of runs under test_output_data/; rows and packs in the databases are not touched."
)
def delete_old_run_folders(
    context: dg.OpExecutionContext, config: Retention, clock: ClockResource, run_folders: RunFoldersResource
) -> None:
    """Count and bytes of what is gone stand in the log and in the output's metadata."""
    root, now = run_folders.root(), clock.clock().now()
    found = old_runs(root, now - timedelta(days=config.older_than_days))
    partials = old_partials(root, now - PARTIALS_KEPT)
    if config.dry_run:
        _tell(context, "would be deleted", found, len(partials), {"old": len(found), "deleted": 0})
        return
    gone: list[OldRun] = []
    try:
        for partial in partials:
            partial.unlink(missing_ok=True)
        for run in delete_runs(found, lambda run_id: _is_unfinished(context.instance, run_id)):
            gone.append(run)
    except (OutputFailed, OSError) as error:
        _tell(context, "deleted", gone, len(partials), {"old": len(found), "deleted": len(gone)})
        raise dg.Failure(str(error), allow_retries=False) from error
    _tell(context, "deleted", gone, len(partials), {"old": len(found), "deleted": len(gone)})


def _tell(context: dg.OpExecutionContext, verb: str, runs: list[OldRun], partials: int, counts: dict[str, int]) -> None:
    names = [run.folder.name for run in runs[:SHOWN]]
    context.log.info(f"{len(runs)} of {counts['old']} old run folders, {partials} half-written files {verb}: {names}")
    context.add_output_metadata({**counts, "half_written": partials, "bytes": sum(run.size for run in runs)})


def _is_unfinished(instance: dg.DagsterInstance, run_id: str) -> bool:
    """The run that made a folder, or a retry of it, which goes on in the same folder."""
    first = instance.get_run_by_id(run_id)
    retries = instance.get_runs(dg.RunsFilter(tags={ROOT_RUN: run_id}))
    return any(not run.is_finished for run in (first, *retries) if run is not None)


@dg.job(
    name="expired_run_files",
    description=f"Deletes run folders older than {KEPT_DAYS} days; look first with dry_run.",
)
def expired_run_files() -> None:
    delete_old_run_folders()


weekly_retention = dg.ScheduleDefinition(
    name="weekly_retention",
    job=expired_run_files,
    cron_schedule="0 4 * * 0",
    execution_timezone="Asia/Shanghai",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Sunday 04:00 Shanghai time; off until it is turned on.",
)
