"""What a person decided of a task, as it stands in ``supply_task.ext`` (S-030)."""

from __future__ import annotations

from resources.databases.supply_store.tasks.conditions import HELD, REVIEW
from resources.databases.supply_store.tasks.tasks import TaskRow

RELEASED, ACCEPTED, REJECTED = "RELEASED", "ACCEPTED", "REJECTED"


def review_state(task: TaskRow) -> str | None:
    """HELD, RELEASED, ACCEPTED or REJECTED; ``None`` where nobody has looked at the task."""
    review = task.ext.get(REVIEW) or {}
    state: str | None = review.get("state")
    return state


def is_held(task: TaskRow) -> bool:
    """A held task creates no plan."""
    return review_state(task) == HELD
