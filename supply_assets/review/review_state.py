"""What a person decided of a task, as it stands in ``supply_task.ext`` (S-030)."""

from __future__ import annotations

from resources.databases.supply_store.tasks.conditions import HELD, REVIEW
from resources.databases.supply_store.tasks.heads import TaskHead
from resources.databases.supply_store.tasks.tasks import TaskRow

RELEASED, ACCEPTED, REJECTED = "RELEASED", "ACCEPTED", "REJECTED"


def review_of(task: TaskRow | TaskHead) -> dict[str, str]:
    """What was decided last of the task, as far as it can be read: one altered row hides no other."""
    kept = task.ext.get(REVIEW)
    said = kept if isinstance(kept, dict) else {}
    return {name: value for name, value in said.items() if isinstance(value, str)}


def is_held(task: TaskRow) -> bool:
    """A held task creates no plan; nor does one whose review was altered into something else, which raises."""
    return bool((task.ext.get(REVIEW) or {}).get("state") == HELD)
