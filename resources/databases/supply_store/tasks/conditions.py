"""What several statements ask of a task, each said once: is it open, held by a person, frozen by today's facts?"""

from __future__ import annotations

from sqlalchemy import ColumnElement

from resources.databases.supply_store.states import FINAL
from resources.databases.supply_store.tables import supply_task as t

REVIEW, HELD = "review", "HELD"
"""The key of ``ext`` that a review is kept under, and its ``state`` while a person holds the task (S-030)."""
FROZEN = "frozen"
"""The key of ``ext`` that says why today's facts do not stand behind the task; absent where they do (D-073)."""


def is_open() -> ColumnElement[bool]:
    """Neither COMPLETED nor CANCELLED."""
    return t.c.status.not_in([str(status) for status in sorted(FINAL)])


def is_held() -> ColumnElement[bool]:
    """A person holds it; ``NULL`` where nobody ever looked at it."""
    state: ColumnElement[str] = t.c.ext[(REVIEW, "state")].as_string()
    return state == HELD


def is_frozen() -> ColumnElement[bool]:
    """Whatever stands under the key freezes it, as it does for whoever reads the task."""
    kept: ColumnElement[str] = t.c.ext[FROZEN].as_string()
    return kept.is_not(None)
