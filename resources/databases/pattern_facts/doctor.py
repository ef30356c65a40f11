"""Compares the live facts database with what this product expects (D-001); looks only, changes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Table, inspect, text
from sqlalchemy.engine import Inspector

from resources.databases.pattern_facts import tables
from resources.databases.pattern_facts.engine import FactsDatabase


@dataclass
class Diagnosis:
    """What is missing and whether the role could write; empty lists and ``False`` are health."""

    backend: str
    missing_tables: list[str] = field(default_factory=list)
    missing_columns: list[str] = field(default_factory=list)
    missing_indexes: list[str] = field(default_factory=list)
    unreadable_tables: list[str] = field(default_factory=list)
    writable_tables: list[str] = field(default_factory=list)
    executions: dict[str, int] = field(default_factory=dict)

    @property
    def usable(self) -> bool:
        """Whether runs can work at all: missing indexes and a role that may write are only warnings."""
        return not (self.missing_tables or self.missing_columns or self.unreadable_tables)


def diagnose(facts: FactsDatabase) -> Diagnosis:
    """Look at schema, indexes, rights and executions.

    Raises:
        FactsUnreadable: the database could not be reached.
    """
    with facts.snapshot() as connection:
        diagnosis = Diagnosis(connection.dialect.name)
        inspector = inspect(connection)
        views = set(inspector.get_view_names())
        present = set(inspector.get_table_names()) | views
        for table in tables.metadata.sorted_tables:
            if table.name not in present:
                diagnosis.missing_tables.append(table.name)
                continue
            _compare_columns(inspector, table, diagnosis)
            if table.name not in views:
                _compare_indexes(inspector, table, diagnosis)
        if connection.dialect.name == "postgresql":
            _check_rights(connection, present, diagnosis)
        if diagnosis.usable:
            rows = connection.execute(text(f"SELECT status, count(*) FROM {tables.execution.name} GROUP BY status"))
            diagnosis.executions = {row[0]: row[1] for row in rows}
    return diagnosis


def _compare_columns(inspector: Inspector, table: Table, diagnosis: Diagnosis) -> None:
    live = {column["name"] for column in inspector.get_columns(table.name)}
    diagnosis.missing_columns.extend(f"{table.name}.{c.name}" for c in table.columns if c.name not in live)


def _compare_indexes(inspector: Inspector, table: Table, diagnosis: Diagnosis) -> None:
    leading: list[list[str]] = [_names(index["column_names"]) for index in inspector.get_indexes(table.name)]
    leading.append(_names(inspector.get_pk_constraint(table.name)["constrained_columns"]))
    wanted = [[c.name for c in index.columns] for index in table.indexes]
    if table.primary_key.columns:
        wanted.append([c.name for c in table.primary_key.columns])
    for columns in wanted:
        if not any(live[: len(columns)] == columns for live in leading):
            diagnosis.missing_indexes.append(f"{table.name}({', '.join(columns)})")


def _names(columns: list[Any]) -> list[str]:
    return [str(name) for name in columns if name]


def _check_rights(connection: Connection, present: set[str], diagnosis: Diagnosis) -> None:
    statement = text(
        "SELECT has_table_privilege(:name, 'SELECT'), has_table_privilege(:name, 'INSERT, UPDATE, DELETE, TRUNCATE')"
    )
    for table in tables.metadata.sorted_tables:
        if table.name in present:
            may_read, may_write = connection.execute(statement, {"name": table.name}).one()
            if not may_read:
                diagnosis.unreadable_tables.append(table.name)
            if may_write:
                diagnosis.writable_tables.append(table.name)
