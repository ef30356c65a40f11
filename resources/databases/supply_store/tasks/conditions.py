"""What several statements ask of a task, each said once: is it open, held by a person, frozen by today's facts?"""

from __future__ import annotations

from sqlalchemy import ColumnElement

from resources.databases.supply_store.states import FINAL, TaskStatus
from resources.databases.supply_store.tables import supply_task as t
from resources.databases.supply_store.task_index import task_index as x

REVIEW, HELD = "review", "HELD"
"""The key of ``ext`` that a review is kept under, and its ``state`` while a person holds the task (S-030)."""
FROZEN = "frozen"
"""The key of ``ext`` that says why today's facts do not stand behind the task; absent where they do (D-073)."""


def is_open() -> ColumnElement[bool]:
    """Neither COMPLETED nor CANCELLED."""
    return t.c.status.in_([str(status) for status in TaskStatus if status not in FINAL])


def is_held() -> ColumnElement[bool]:
    """A person holds it, as its row of the index says."""
    return x.c.is_held == 1


def is_frozen() -> ColumnElement[bool]:
    """Whatever stands under the key freezes it, as it does for whoever reads the task; as the index says."""
    return x.c.is_frozen == 1
