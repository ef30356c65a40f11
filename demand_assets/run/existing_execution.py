"""One run over one existing execution, without Dagster: check, propose, decide, publish, account for it (D-004)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import structlog

from demand_assets.decisions.decision_loop import Outcome
from demand_assets.evidence.closure import Provenance
from demand_assets.evidence.pack import DemandRow
from demand_assets.evidence.weights import read_weight_scores
from demand_assets.outputs.demand_content import publish
from demand_assets.outputs.ledger import item_rows, ledger_rows
from demand_assets.outputs.local_json import (
    DEMAND_ITEMS,
    DEMAND_TASK,
    REJECTED_ITEMS,
    local_rows,
    write_demand_content,
    write_pools,
)
from demand_assets.outputs.outcome_file import outcome_summary
from demand_assets.outputs.rows import RowContext
from demand_assets.outputs.run_folder import (
    RunFolder,
    check_run_id,
    default_run_id,
    open_new,
    open_resumed,
    resolve_root,
)
from demand_assets.outputs.weight_files import write_weight_files
from demand_assets.run.deciding import Deciding, propose_and_decide, require_all_proven
from demand_assets.run.manifest import SIMULATED_TASK_ID, RunFacts, manifest, simulated_task, write_manifest
from demand_assets.run.proposer_choice import make_proposer
from demand_assets.run.request import DemandRequest
from resources.databases.connections import open_facts, open_store
from resources.databases.pattern_facts.closure_facts import read_execution
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.pattern_facts.records import Execution
from resources.databases.pattern_facts.tables import SUCCESS
from resources.foundation import strict_json
from resources.foundation.clock import Clock, IdSource, RandomIds, SystemClock, shanghai_dt
from resources.foundation.errors import ExecutionNotUsable, OutputRefused, SettingsError, StoreUnwritable
from resources.settings.demand import OutputMode, Settings

REQUEST = "intermediate/result/request.json"


@dataclass(frozen=True)
class Surroundings:
    """What a run takes from outside: settings, time, ids, and who hears of its progress."""

    settings: Settings
    clock: Clock = field(default_factory=SystemClock)
    ids: IdSource = field(default_factory=RandomIds)
    on_progress: Callable[[Outcome], None] = lambda _: None


@dataclass(frozen=True)
class RunReport:
    """What a run came to and where its files are."""

    run: RunFacts
    outcome: Outcome
    rows: list[DemandRow]
    published: dict[str, int]
    folder: RunFolder
    manifest: dict[str, Any]

    @property
    def exit_code(self) -> int:
        """0 done, 1 fewer accepted than asked."""
        return 0 if len(self.outcome.accepted) >= self.run.request.count else 1


def require_mode(mode: OutputMode, settings: Settings) -> None:
    """D-065: the entry point chooses the mode; a variable that says otherwise is refused.

    Raises:
        SettingsError: ``DEMAND_OUTPUT_MODE`` names another mode than the entry point.
    """
    if settings.output_mode not in (None, mode):
        raise SettingsError(
            f"DEMAND_OUTPUT_MODE is {settings.output_mode} but this entry point writes {mode}",
            "unset it, or start the entry point of that mode",
        )


def require_usable(facts: FactsDatabase, execution_id: int) -> Execution:
    """The execution's row (D-004).

    Raises:
        ExecutionNotUsable: unknown, or its status is not success.
        FactsUnreadable: the facts could not be read.
    """
    with facts.snapshot() as snapshot:
        execution = read_execution(snapshot, execution_id)
    if execution is None:
        raise ExecutionNotUsable(f"execution {execution_id} does not exist", "list them with `pattern2plan doctor`")
    if execution.status != SUCCESS:
        raise ExecutionNotUsable(
            f"execution {execution_id} has status {execution.status!r}, not 'success'",
            "choose a successful one",
        )
    return execution


def run_local_json(request: DemandRequest, around: Surroundings, *, resume: bool = False) -> RunReport:
    """Run into files only (D-061).

    Raises:
        Pattern2PlanError: typed by what went wrong; see ``resources.foundation.errors``.
    """
    require_mode("local_json", around.settings)
    return _run(request, around, "local_json", _publish_locally, resume)


def run_mysql_demand_content(request: DemandRequest, around: Surroundings, *, resume: bool = False) -> RunReport:
    """Run into the one table ``demand_content`` (D-063); of files only the manifest and the intermediates.

    Raises:
        Pattern2PlanError: typed by what went wrong; see ``resources.foundation.errors``.
    """
    require_mode("mysql_demand_content", around.settings)
    store = open_store(around.settings)
    if not store.has_table():
        raise StoreUnwritable("there is no table demand_content", "run `pattern2plan db upgrade`")

    def publish_to_table(run: RunFacts, outcome: Outcome, folder: RunFolder, context: RowContext) -> Written:
        _log_rejects(run, outcome)
        done = publish(store, outcome.accepted, context)
        return Written(done.rows, {"inserted": done.inserted, "skipped": done.skipped})

    return _run(request, around, "mysql_demand_content", publish_to_table, resume)


@dataclass(frozen=True)
class Written:
    """Rows as they stand after publishing, and how many were inserted and skipped."""

    rows: list[DemandRow]
    numbers: dict[str, int]


Publisher = Callable[[RunFacts, Outcome, RunFolder, RowContext], Written]


def _run(
    request: DemandRequest, around: Surroundings, mode: OutputMode, publisher: Publisher, resume: bool
) -> RunReport:
    facts = open_facts(around.settings)
    try:
        execution = require_usable(facts, request.execution_id)
        run = _run_facts(request, around, mode, execution)
        root = resolve_root(request.output_root, run.run_id)
        with facts.snapshot() as snapshot:
            weights = read_weight_scores(snapshot, request.execution_id)
        # A proposer that cannot start leaves no folder behind.
        proposer = make_proposer(request, facts, weights, around.settings, mode, root / ".trace")
        folder = open_resumed(root) if resume else open_new(root)
        with folder.locked():
            _require_same_request(folder, run, resume)
            write_weight_files(folder, weights)
            task_id = SIMULATED_TASK_ID if mode == "local_json" else None
            deciding = Deciding(facts, folder, request, weights, Provenance(run.trace_id, task_id), around.on_progress)
            outcome = propose_and_decide(deciding, proposer)
            require_all_proven(facts, outcome.accepted, request.execution_id, weights)
            context = RowContext(run.merge_leve2, run.run_label, shanghai_dt(around.clock))
            written = publisher(run, outcome, folder, context)
            finished = around.clock.now().isoformat()
            summary = outcome_summary(outcome, request.count)
            content = manifest(run, summary, around.settings, written.numbers, finished)
            write_manifest(folder, content)
    finally:
        facts.close()
    return RunReport(run, outcome, written.rows, written.numbers, folder, content)


def _run_facts(request: DemandRequest, around: Surroundings, mode: OutputMode, execution: Execution) -> RunFacts:
    run_id = check_run_id(request.run_id or default_run_id(request.execution_id, around.clock))
    return RunFacts(
        run_id=run_id,
        run_label=request.run_label or run_id,
        mode=mode,
        request=request,
        execution=execution,
        trace_id=around.ids.new(),
        merge_leve2=request.merge_level2 or execution.merge_leve2 or "",
        started_at=around.clock.now().isoformat(),
    )


def _require_same_request(folder: RunFolder, run: RunFacts, resume: bool) -> None:
    """A run is resumed as it was asked for: anything else would mix two runs in one folder.

    Raises:
        OutputRefused: the run is complete, or was started with other arguments.
    """
    asked = run.request.model_dump(mode="json", exclude={"count", "max_rounds", "run_id", "output_root"})
    asked |= {"output_mode": run.mode}
    path = folder.path(REQUEST)
    if not resume:
        folder.write_json(REQUEST, asked)
    elif folder.is_complete():
        raise OutputRefused(f"run {folder.root.name!r} is complete", "nothing is left to resume")
    elif path.is_file() and strict_json.loads(path.read_bytes()) != asked:
        raise OutputRefused(f"run {folder.root.name!r} was started with other arguments", "resume it with the same")


def _log_rejects(run: RunFacts, outcome: Outcome) -> None:
    """In this mode rejects go to the log (D-043)."""
    log = structlog.get_logger().bind(run_id=run.run_id, execution_id=run.request.execution_id)
    for entry in outcome.rejects:
        reject = entry.reject
        log.warning("candidate rejected", seq=entry.seq, code=str(reject.reject_code), reason=reject.reject_reason)


def _publish_locally(run: RunFacts, outcome: Outcome, folder: RunFolder, context: RowContext) -> Written:
    rows = local_rows(outcome.accepted, context)
    folder.write_json(DEMAND_TASK, simulated_task(run))
    folder.write_json(DEMAND_ITEMS, item_rows(outcome))
    folder.write_json(REJECTED_ITEMS, ledger_rows(outcome))
    write_demand_content(folder, rows)
    write_pools(folder, rows)
    return Written(rows, {"inserted": len(rows), "skipped": len(outcome.accepted) - len(rows)})
