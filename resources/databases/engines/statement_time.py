"""How long a MySQL or MariaDB server may work on a read statement, said to it once a session."""

from __future__ import annotations

from typing import Any


def limit_mysql_reads(cursor: Any, timeout_ms: int) -> None:
    """The server ends a SELECT of this session that takes longer."""
    cursor.execute("SELECT VERSION()")
    # MariaDB counts seconds where MySQL counts milliseconds.
    if "mariadb" in str(cursor.fetchone()[0]).lower():
        cursor.execute(f"SET SESSION max_statement_time = {timeout_ms / 1000}")
    else:
        cursor.execute(f"SET SESSION max_execution_time = {timeout_ms}")
