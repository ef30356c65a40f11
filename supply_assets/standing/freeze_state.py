"""Whether today's facts stand behind a task, as the last look at them left it in ``supply_task.ext`` (D-073)."""

from __future__ import annotations

from typing import Any, NamedTuple

from resources.databases.supply_store.states import FINAL
from resources.databases.supply_store.tasks.conditions import FROZEN
from resources.databases.supply_store.tasks.heads import TaskHead
from resources.databases.supply_store.tasks.tasks import TaskRow


class Freeze(NamedTuple):
    """Why no plan is made for a task, the rule that is broken, and since when (ISO 8601)."""

    rule_id: str
    reason: str
    at: str

    def __str__(self) -> str:
        return f"{self.rule_id}: {self.reason}"


def freeze_of(task: TaskRow | TaskHead) -> Freeze | None:
    """The freeze that an open task is under; ``None`` where its demand closed at the last look, or it has ended."""
    kept: Any = task.ext.get(FROZEN)
    if kept is None or task.status in FINAL:
        return None
    said = kept if isinstance(kept, dict) else {"reason": kept}
    rule_id, reason, at = (said.get(name) for name in Freeze._fields)
    return Freeze(str(rule_id or "D-073"), str(reason or "no reason is kept"), str(at))
