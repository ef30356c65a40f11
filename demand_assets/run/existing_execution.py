"""One run over one existing execution, without Dagster: the same steps as the assets, one after the other (D-004)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from demand_assets.decisions.decision_loop import Outcome
from demand_assets.evidence.pack import DemandRow
from demand_assets.outputs.local_json import write_pools
from demand_assets.run.decide import decide, log_rejects
from demand_assets.run.identity import Run, identify
from demand_assets.run.manifest import write_manifest
from demand_assets.run.prepare import prepare, prepare_resumed, require_incomplete, require_mode, store_weight_scores
from demand_assets.run.proposer_choice import ReadModel, make_proposer
from demand_assets.run.publish import publish_to_files, publish_to_table, require_table
from demand_assets.run.request import DemandRequest
from resources.databases.connections import open_facts, open_store
from resources.foundation.clock import Clock, IdSource, RandomIds, SystemClock
from resources.settings.demand import OutputMode, Settings
from resources.settings.model_endpoint import read_model_settings


@dataclass(frozen=True)
class RunEnvironment:
    """What a run takes from outside: settings, the model endpoint, time, ids, and who hears of its progress."""

    settings: Settings
    model: ReadModel = read_model_settings
    clock: Clock = field(default_factory=SystemClock)
    ids: IdSource = field(default_factory=RandomIds)
    on_progress: Callable[[Outcome], None] = lambda _: None


@dataclass(frozen=True)
class RunReport:
    """What a run came to; its files are in the folder of ``run``."""

    run: Run
    outcome: Outcome
    rows: list[DemandRow]
    manifest: dict[str, Any]

    @property
    def exit_code(self) -> int:
        """0 done, 1 fewer accepted than asked."""
        return 0 if len(self.outcome.accepted) >= self.run.request.count else 1


def run_execution(
    mode: OutputMode, request: DemandRequest, around: RunEnvironment, *, resume: bool = False
) -> RunReport:
    """Run into files only (D-061), or into the one table ``demand_content`` (D-063).

    Of files, a run into the table has only the manifest and the intermediates.

    Raises:
        Pattern2PlanError: typed by what went wrong; see ``resources.foundation.errors``.
    """
    require_mode(mode, around.settings.output_mode)
    store = require_table(open_store(around.settings)) if mode == "mysql_demand_content" else None
    identity = identify(request, mode, around.ids.new(), around.clock.now())
    with closing(open_facts(around.settings)) as facts:
        run = (prepare_resumed if resume else prepare)(identity, facts, around.settings, around.model)
        with run.folder.locked():
            require_incomplete(run)
            weights = store_weight_scores(run, facts)
            proposer = make_proposer(run, facts, weights, around.settings, around.model)
            outcome = decide(run, facts, weights, proposer, around.on_progress)
            if store is None:
                written = publish_to_files(run, outcome.accepted, facts, weights, around.clock)
                write_pools(run.folder, written.rows)
            else:
                log_rejects(run, outcome)
                written = publish_to_table(run, outcome.accepted, facts, weights, around.clock, store)
            content = write_manifest(run, around.settings, around.clock)
    return RunReport(run, outcome, written.rows, content)
