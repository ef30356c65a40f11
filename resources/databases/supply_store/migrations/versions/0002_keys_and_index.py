"""Ids of accounts in the form that no collation merges, and the two tables by which tasks are found (MY3).

The tables first: on MySQL a statement that makes one ends the transaction. All rows then change in one transaction with
the version, so that a migration that was killed half-way simply runs again.

Two accounts that a server merged before have one profile, the one that was written last; no statement can part it. The
candidates kept their own ids, so each account has its own profile from the next task on.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

from resources.databases.supply_store.account_ids import fitting_account_id, stored_account_id
from resources.databases.supply_store.task_index import EVIDENCE, evidence_keys, indexed
from resources.foundation import strict_json

revision = "0002"
down_revision = "0001"

PAGE = 500
INDEX = """CREATE TABLE IF NOT EXISTS pattern2plan_task_index (
  task_row_id {row_id} NOT NULL PRIMARY KEY,
  task_id VARCHAR(64) NOT NULL,
  batch VARCHAR(64) DEFAULT NULL,
  is_held TINYINT NOT NULL DEFAULT 0,
  is_frozen TINYINT NOT NULL DEFAULT 0,
  is_retryable TINYINT NOT NULL DEFAULT 0,
  lease_until_ms BIGINT DEFAULT NULL,
  revoked_ms BIGINT DEFAULT NULL,
  evidence_set BIGINT DEFAULT NULL,
  {keys}CONSTRAINT fk_task_index_task FOREIGN KEY (task_row_id) REFERENCES supply_task(id) ON DELETE CASCADE
){options}"""
EVIDENCE_KEY = """CREATE TABLE IF NOT EXISTS pattern2plan_evidence_key (
  evidence_key BIGINT NOT NULL,
  evidence_set BIGINT NOT NULL,
  PRIMARY KEY (evidence_key, evidence_set)
){options}"""
UNIQUE = "uk_task_index_task"
KEYS = {
    "idx_task_index_batch": "batch",
    "idx_task_index_held": "is_held",
    "idx_task_index_frozen": "is_frozen",
    "idx_task_index_lease": "lease_until_ms",
    "idx_task_index_evidence": "evidence_set",
}

tasks = sa.table("supply_task", sa.column("id"), sa.column("task_id"), sa.column("ext"))
ACCOUNT_TABLES = ("supply_candidate_content", "supply_account_profile")


def upgrade() -> None:
    connection = op.get_bind()
    _make_tables(connection)
    for name in ACCOUNT_TABLES:
        _write_accounts(connection, name)
    known: set[int] = set()
    for page in _pages(connection, tasks):
        _index(connection, page, known)


def _make_tables(connection: sa.Connection) -> None:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(INDEX.format(row_id="INTEGER", keys="", options=""))
        connection.exec_driver_sql(f"CREATE UNIQUE INDEX IF NOT EXISTS {UNIQUE} ON pattern2plan_task_index (task_id)")
        for key, column in KEYS.items():
            connection.exec_driver_sql(f"CREATE INDEX IF NOT EXISTS {key} ON pattern2plan_task_index ({column})")
        connection.exec_driver_sql(EVIDENCE_KEY.format(options=" WITHOUT ROWID"))
        return
    options = " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
    keys = [f"UNIQUE KEY {UNIQUE} (task_id)", *(f"KEY {key} ({column})" for key, column in KEYS.items())]
    made = INDEX.format(row_id="BIGINT UNSIGNED", keys="".join(f"{key},\n  " for key in keys), options=options)
    connection.exec_driver_sql(made)
    connection.exec_driver_sql(EVIDENCE_KEY.format(options=options))


def _pages(connection: sa.Connection, table: Any) -> Iterator[Sequence[Any]]:
    after = 0
    while page := connection.execute(
        sa.select(table).where(table.c.id > after).order_by(table.c.id).limit(PAGE)
    ).all():
        yield page
        after = page[-1].id


def _write_accounts(connection: sa.Connection, name: str) -> None:
    table = sa.table(name, sa.column("id"), sa.column("account_id"))
    for page in _pages(connection, table):
        changed = [
            {"row_id": row.id, "stored": stored}
            for row in page
            if row.account_id is not None and (stored := _fitting(row.account_id)) != row.account_id
        ]
        if changed:
            statement = sa.text(f"UPDATE {name} SET account_id = :stored WHERE id = :row_id")
            connection.execute(statement, changed)


def _fitting(account_id: str) -> str:
    prefix = next((start for start in ("biz:", "name:") if account_id.startswith(start)), "")
    return stored_account_id(fitting_account_id(prefix, account_id.removeprefix(prefix)))


def _index(connection: sa.Connection, page: Sequence[Any], known: set[int]) -> None:
    entries, keys = [], []
    for row in page:
        ext = _read(row.ext)
        columns = indexed(ext)
        entries.append({"task_row_id": row.id, "task_id": row.task_id} | columns)
        if columns["evidence_set"] is not None and columns["evidence_set"] not in known:
            known.add(columns["evidence_set"])
            keys += [{"k": key, "s": columns["evidence_set"]} for key in evidence_keys(ext.get(EVIDENCE))]
    names = list(entries[0])
    placed = ", ".join(f":{name}" for name in names)
    connection.execute(sa.text(f"INSERT INTO pattern2plan_task_index ({', '.join(names)}) VALUES ({placed})"), entries)
    ignore = "OR IGNORE" if connection.dialect.name == "sqlite" else "IGNORE"
    if keys:
        statement = f"INSERT {ignore} INTO pattern2plan_evidence_key (evidence_key, evidence_set) VALUES (:k, :s)"
        connection.execute(sa.text(statement), keys)


def _read(ext: Any) -> dict[str, Any]:
    """A value that was altered into no object says nothing, and stops no migration."""
    try:
        read = strict_json.loads(ext) if isinstance(ext, str) else ext
    except strict_json.JsonRefused:
        return {}
    return read if isinstance(read, dict) else {}


def downgrade() -> None:
    raise NotImplementedError("the supply tables may not be ours to drop")
