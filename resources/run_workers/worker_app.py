"""The Celery application of a run worker: one task, which executes one Dagster run in a process of the pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from celery import Celery, Task
from dagster._utils.interrupts import capture_interrupts
from dagster_celery.defaults import task_default_queue
from dagster_celery.make_app import make_app
from dagster_celery.tasks import create_execute_job_task, create_resume_job_task

RUNS_A_PROCESS = 50
RESULT_S = 86_400


class RunTask(Task):  # type: ignore[misc]
    """A run that takes a signal as a request to stop: between two steps it is kept, inside a step it is raised."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Execute the run."""
        with capture_interrupts():
            return super().__call__(*args, **kwargs)


def worker_settings(broker: str, backend: str) -> Mapping[str, Any]:
    """What the launcher and the workers must agree on.

    A worker takes a message only when a process of its pool is free; such a process ends after 50 runs. Messages are
    acknowledged when they are taken: a run whose worker is lost is noticed by the launcher and launched anew by
    Dagster, never executed twice.
    """
    return {
        "broker": broker,
        "backend": backend,
        "config_source": {
            "broker_connection_retry_on_startup": True,
            "result_expires": RESULT_S,
            "task_default_queue": task_default_queue,
            "worker_disable_prefetch": True,
            "worker_hijack_root_logger": False,
            "worker_max_tasks_per_child": RUNS_A_PROCESS,
            "worker_prefetch_multiplier": 1,
            "worker_redirect_stdouts": False,
        },
    }


def make_worker_app(broker: str, backend: str) -> Celery:
    """The application with its tasks, for the worker's own process."""
    app: Celery = make_app(app_args=dict(worker_settings(broker, backend)))  # type: ignore[no-untyped-call]
    create_execute_job_task(app, base=RunTask)  # type: ignore[arg-type]
    create_resume_job_task(app, base=RunTask)  # type: ignore[arg-type]
    return app
