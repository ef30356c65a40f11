"""The run launcher of the Celery variant: as the vendor's, and it stops runs cleanly and notices a lost worker.

The vendor's launcher leaves a terminated run as started, and calls a run healthy for as long as its last known state
says so: a worker host that is gone would keep its runs, their partitions and their pool slots for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from dagster import StringSource
from dagster._core.launcher import CheckRunHealthResult, WorkerStatus
from dagster._core.storage.dagster_run import DagsterRun
from dagster._serdes import ConfigurableClassData
from dagster_celery.defaults import task_default_queue
from dagster_celery.launcher import CeleryRunLauncher
from dagster_celery.tags import DAGSTER_CELERY_TASK_ID_TAG
from typing_extensions import override

from resources.run_workers.liveness import Liveness, RunLiveness
from resources.run_workers.worker_app import worker_settings

if TYPE_CHECKING:
    from dagster._config import UserConfigSchema

GONE = "the worker that had the run does not answer any more, or does not know it"


class AttentiveCeleryRunLauncher(CeleryRunLauncher):
    """Launches runs as Celery tasks on the workers of ``resources.run_workers``."""

    def __init__(self, broker: str, backend: str, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(default_queue=task_default_queue, inst_data=inst_data, **worker_settings(broker, backend))
        self._liveness = RunLiveness(self.celery)

    @override
    def terminate(self, run_id: str) -> bool:
        """Ask the worker to stop the run at once, or the queue to forget it."""
        run = self._instance.get_run_by_id(run_id)
        if run is None or run.is_finished:
            return False
        task_id = run.tags.get(DAGSTER_CELERY_TASK_ID_TAG)
        self._instance.report_run_canceling(run)
        if task_id is None:
            return False
        begun = self._liveness.has_begun(task_id)
        self.celery.control.revoke(task_id, terminate=True, signal="SIGTERM")
        if not begun:
            self._instance.report_run_canceled(run, "the run was still waiting for a worker")
        return True

    @override
    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        """Whether the worker still has the run; asked by Dagster's run monitoring."""
        task_id = run.tags.get(DAGSTER_CELERY_TASK_ID_TAG)
        if task_id is None:
            return CheckRunHealthResult(WorkerStatus.RUNNING)
        found = self._liveness.of(task_id)
        if found is Liveness.GONE:
            return CheckRunHealthResult(WorkerStatus.FAILED, GONE)
        return CheckRunHealthResult(WorkerStatus.SUCCESS if found is Liveness.ENDED else WorkerStatus.RUNNING)

    @classmethod
    @override
    def config_type(cls) -> UserConfigSchema:
        """``broker`` and ``backend``: addresses of the queue and of the results."""
        return {"broker": StringSource, "backend": StringSource}

    @classmethod
    @override
    def from_config_value(cls, inst_data: ConfigurableClassData, config_value: Mapping[str, Any]) -> Self:
        return cls(inst_data=inst_data, **config_value)
