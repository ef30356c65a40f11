"""Creates fact tables and their indexes where a sandbox database has none.

Belongs here: DDL and statistics for ``resources.databases.pattern_facts.tables``. Does not belong here: rows.
"""

from __future__ import annotations

from sqlalchemy import Connection, inspect
from sqlalchemy.schema import CreateTable

from sandbox.facts.fact_base import TABLE_OF_FIELD

COMMITS_DDL = ("mysql", "mariadb")
"""Dialects where a DDL statement ends the transaction: theirs must all run before the first row."""

_MYSQL_OPTIONS = " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
"""Ids and names compare by code point, as they do on PostgreSQL and SQLite."""


def create_missing_tables(connection: Connection) -> None:
    """Create each fact table that is not there; its indexes too where they cannot follow the rows."""
    present = inspect(connection).get_table_names()
    commits = connection.dialect.name in COMMITS_DDL
    for table in TABLE_OF_FIELD.values():
        if table.name not in present:
            statement = str(CreateTable(table).compile(dialect=connection.dialect))
            connection.exec_driver_sql(statement + (_MYSQL_OPTIONS if commits else ""))
    if commits:
        _create_missing_indexes(connection)


def finish_tables(connection: Connection) -> None:
    """Index and analyze tables whose rows are written; both are part of the transaction.

    MySQL and MariaDB have their indexes by now and keep their statistics by themselves.
    """
    if connection.dialect.name not in COMMITS_DDL:
        _create_missing_indexes(connection)
        preparer = connection.dialect.identifier_preparer
        for table in TABLE_OF_FIELD.values():
            connection.exec_driver_sql(f"ANALYZE {preparer.format_table(table)}")


def _create_missing_indexes(connection: Connection) -> None:
    for table in TABLE_OF_FIELD.values():
        for index in table.indexes:
            index.create(connection, checkfirst=True)
