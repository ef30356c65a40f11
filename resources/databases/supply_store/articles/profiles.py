"""``supply_account_profile``: what is known of the accounts of a task's candidates (S-021)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from resources.databases.supply_store.rows import columns_of, field_names, keep_known, read_by, select_in, upsert
from resources.databases.supply_store.tables import supply_account_profile as p


@dataclass(frozen=True, slots=True, kw_only=True)
class NewProfile:
    """An account of a task; scores are 0 … 100, ``None`` means not known, never 0."""

    task_id: str
    account_id: str
    account_name: str | None = None
    biz_info: str | None = None
    intro: str | None = None
    verify_status: int | None = None
    category: str | None = None
    update_frequency: str | None = None
    recent_article_count: int | None = None
    median_view_count: int | None = None
    median_like_count: int | None = None
    vertical_score: float | None = None
    stability_score: float | None = None
    credibility_score: float | None = None
    risk_tags: list[str] | None = None
    raw_profile_payload: Any = None
    raw_history_payload: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileRow(NewProfile):
    """A profile that stands."""

    id: int


def upsert_profiles(connection: Connection, rows: Sequence[NewProfile]) -> None:
    """Insert profiles, or add to those of the same task and account; what is known is never replaced by ``None``.

    Raises:
        ScoreOutOfRange: a score is no number from 0 to 100.
    """
    upsert(connection, p, ("task_id", "account_id"), [columns_of(row) for row in rows], keep_known)


def read_profiles_in_short(connection: Connection, task_ids: Iterable[str]) -> list[ProfileRow]:
    """As :func:`read_profiles`, but of a history only what came of asking for it: ``state`` and ``code``."""
    names = [name for name in field_names(ProfileRow) if name != "raw_history_payload"]
    said = [p.c.raw_history_payload[name].as_string() for name in ("state", "code")]
    found: list[ProfileRow] = []
    statement = select(*(p.c[name] for name in names), *said)
    for *columns, state, code in select_in(connection, statement, p.c.task_id, task_ids):
        history = None if state is None else {"state": state, "code": code}
        found.append(ProfileRow(**dict(zip(names, columns, strict=True)), raw_history_payload=history))
    return sorted(found, key=lambda row: row.id)


def read_profiles(connection: Connection, task_ids: Iterable[str]) -> list[ProfileRow]:
    """All profiles of the tasks, by id."""
    return read_by(connection, p, p.c.task_id, task_ids, ProfileRow)
