"""Going on with the tasks that a batch of published demands has already: nothing is taken in, each demand is proved."""

from __future__ import annotations

from resources.databases.demand_store.engine import DemandStore
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.rows import chunks
from resources.databases.supply_store.tasks.snapshots import read_snapshots
from supply_assets.intake.intake import Intake, Refusal, existing_tasks
from supply_assets.standing.standing_demands import recheck_tasks

PAGE = 500


def resume_batch(store: SupplyStore, demands: DemandStore, facts: FactsDatabase, batch: str) -> Intake:
    """The tasks of the batch whose demand still stands; the others are refused with their rule (S-002).

    What the tasks were made with stays: how many articles are wanted, which plans, which label.

    Raises:
        FactsUnreadable: the facts could not be read: no task goes on.
        StoreUnwritable: one of the stores could not be read.
    """
    tasks = {task.id: task for task in existing_tasks(store, batch).tasks}
    refused: dict[int, Refusal] = {}
    for page in chunks(tasks, PAGE):
        with store.reading() as connection:
            snapshots = read_snapshots(connection, [tasks[row_id].demand_snapshot_id for row_id in page])
        of_page = [tasks[row_id] for row_id in page]
        for task, standing in zip(of_page, recheck_tasks(of_page, snapshots, demands, facts), strict=True):
            if standing.breaks:
                del tasks[task.id]
                refused[task.demand_id] = Refusal(task.demand_id, standing.breaks[0].rule_id, standing.breaks[0].reason)
    return Intake(tasks=list(tasks.values()), refusals=list(refused.values()))
