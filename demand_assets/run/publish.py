"""Third step of a run: prove every demand once more, then write rows into files or into the one table."""

from __future__ import annotations

from collections.abc import Sequence

from demand_assets.decisions.decision_loop import AcceptedDemand
from demand_assets.evidence.reproof import Published, require_proven
from demand_assets.evidence.weights import WeightScores
from demand_assets.outputs.demand_content import PublishResult, publish
from demand_assets.outputs.effects_file import write_effects
from demand_assets.outputs.local_json import DEMAND_TASK, local_rows, write_demand_content, write_pools
from demand_assets.outputs.outcome_file import write_published
from demand_assets.outputs.rows import RowContext
from demand_assets.run.identity import Run
from demand_assets.run.manifest import simulated_task, write_manifest
from resources.databases.demand_store.engine import DemandStore
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.foundation.clock import Clock, shanghai_dt
from resources.foundation.errors import PackRefused, StoreUnwritable
from resources.settings.demand import Settings

DECIDE_AGAIN = "propose and decide this execution again"


def publish_to_files(
    run: Run, demands: Sequence[AcceptedDemand], facts: FactsDatabase, weights: WeightScores, clock: Clock
) -> PublishResult:
    """The rows as ``demand_content.json``, ids simulated (D-061).

    Raises:
        PackRefused: a demand is not proven today; nothing is written.
    """
    require_all_proven(facts, demands, run.request.execution_id, weights)
    rows = local_rows(demands, _context(run, clock))
    run.folder.write_json(DEMAND_TASK, simulated_task(run))
    write_demand_content(run.folder, rows)
    write_published(run.folder, len(rows), len(demands) - len(rows))
    return PublishResult(rows, inserted=len(rows), skipped=len(demands) - len(rows))


def publish_to_table(
    run: Run,
    demands: Sequence[AcceptedDemand],
    facts: FactsDatabase,
    weights: WeightScores,
    clock: Clock,
    store: DemandStore,
) -> PublishResult:
    """INSERT and UPDATE on ``demand_content``, nothing else (D-063).

    Raises:
        PackRefused: a demand is not proven today; nothing is written.
        StoreUnwritable: the table could not be written.
    """
    require_all_proven(facts, demands, run.request.execution_id, weights)
    done = publish(store, list(demands), _context(run, clock))
    write_effects(run.folder, store.effects)
    write_published(run.folder, done.inserted, done.skipped)
    return done


def finish_without_facts(
    run: Run, facts: FactsDatabase, weights: WeightScores, settings: Settings, clock: Clock, store: DemandStore
) -> None:
    """End the run of an execution without any itemset: the files of a whole run, and no row.

    Raises:
        StoreUnwritable: the table could not be read.
    """
    if run.mode == "local_json":
        publish_to_files(run, [], facts, weights, clock)
        write_pools(run.folder, [])
    else:
        publish_to_table(run, [], facts, weights, clock, store)
    write_manifest(run, settings, clock)


def require_table(store: DemandStore) -> DemandStore:
    """The store, when it can take rows.

    Raises:
        StoreUnwritable: it has no table ``demand_content``.
    """
    if not store.has_table():
        raise StoreUnwritable("there is no table demand_content", "run `pattern2plan db upgrade`")
    return store


def require_all_proven(
    facts: FactsDatabase, demands: Sequence[AcceptedDemand], execution_id: int, weights: WeightScores
) -> None:
    """Prove every demand once more, just before it is published: pack, execution and score (D-066, D-070).

    Raises:
        PackRefused: nothing may be published.
    """
    for demand in demands:
        if demand.pack.pattern_execution_id != execution_id:
            own = demand.pack.pattern_execution_id
            raise PackRefused(f"seq {demand.seq} is of execution {own}, not {execution_id}", DECIDE_AGAIN)
        if demand.score != weights.of_pack(demand.pack):
            raise PackRefused(f"seq {demand.seq}: D-021 score {demand.score} is not the weight score", DECIDE_AGAIN)
    published = [Published(f"seq {demand.seq}", demand.candidate.name, demand.pack) for demand in demands]
    with facts.snapshot() as snapshot:
        require_proven(snapshot, published, "before publishing")


def _context(run: Run, clock: Clock) -> RowContext:
    return RowContext(run.merge_leve2, run.identity.run_label, shanghai_dt(clock))
