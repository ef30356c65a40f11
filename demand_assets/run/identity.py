"""Which run it is: what was asked for, in which mode, under which names. Nothing is opened for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from demand_assets.outputs.run_folder import RunFolder, check_run_id, default_run_id
from demand_assets.run.request import DemandRequest
from resources.databases.pattern_facts.records import Execution
from resources.settings.demand import OutputMode

SIMULATED_TASK_ID = 1


@dataclass(frozen=True)
class RunIdentity:
    """A request, the mode that its entry point chose (D-065), and the ids and the time of the run."""

    request: DemandRequest
    mode: OutputMode
    run_id: str
    run_label: str
    trace_id: str
    started_at: datetime

    @property
    def demand_task_id(self) -> int | None:
        """Simulated in files; null in the table mode, where no ``demand_task`` row exists (D-063)."""
        return SIMULATED_TASK_ID if self.mode == "local_json" else None


@dataclass(frozen=True)
class Run:
    """A run that was prepared: its identity, the execution as it was found usable, and the folder it owns."""

    identity: RunIdentity
    execution: Execution
    folder: RunFolder

    @property
    def request(self) -> DemandRequest:
        return self.identity.request

    @property
    def mode(self) -> OutputMode:
        return self.identity.mode

    @property
    def merge_leve2(self) -> str:
        """Business level of the rows: the request's, else the execution's (the column's own spelling, D-060)."""
        return self.request.merge_level2 or self.execution.merge_leve2 or ""


def identify(request: DemandRequest, mode: OutputMode, trace_id: str, started_at: datetime) -> RunIdentity:
    """The identity of a run that begins at ``started_at``.

    Raises:
        OutputRefused: its run id cannot name a folder.
    """
    run_id = check_run_id(request.run_id or default_run_id(request.execution_id, started_at))
    return RunIdentity(request, mode, run_id, request.run_label or run_id, trace_id, started_at)
