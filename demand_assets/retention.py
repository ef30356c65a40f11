"""The job that deletes run folders which have had their time, and its schedule; off until turned on."""

from datetime import timedelta
from pathlib import Path

import dagster as dg
from pydantic import Field

from demand_assets.outputs.old_runs import delete_runs, old_runs
from demand_assets.outputs.run_folder import OUTPUT_ROOT
from resources.configurable import ClockResource

KEPT_DAYS = 90
SHOWN = 50


class Retention(dg.Config):
    """What a launch may ask for."""

    older_than_days: int = Field(default=KEPT_DAYS, ge=1, description="Nothing in the folder is younger.")
    dry_run: bool = Field(default=False, description="Say what would be deleted, and delete nothing.")


@dg.op(
    description="Deletes old folders of runs under test_output_data/; rows and packs in the databases are not touched."
)
def delete_old_run_folders(context: dg.OpExecutionContext, config: Retention, clock: ClockResource) -> None:
    """Count and bytes of what is gone stand in the log and in the output's metadata."""
    before = clock.clock().now() - timedelta(days=config.older_than_days)
    found = old_runs(Path(OUTPUT_ROOT).resolve(), before)
    gone = (
        found if config.dry_run else list(delete_runs(found, lambda run_id: _is_unfinished(context.instance, run_id)))
    )
    verb = "would be deleted" if config.dry_run else "deleted"
    context.log.info(f"{len(gone)} of {len(found)} old run folders {verb}: {[run.folder.name for run in gone[:SHOWN]]}")
    context.add_output_metadata(
        {"old": len(found), "deleted": 0 if config.dry_run else len(gone), "bytes": sum(run.size for run in gone)}
    )


def _is_unfinished(instance: dg.DagsterInstance, run_id: str) -> bool:
    run = instance.get_run_by_id(run_id)
    return run is not None and not run.is_finished


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
