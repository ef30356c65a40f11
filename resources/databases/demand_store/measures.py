"""What the demand store holds, in numbers."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from resources.databases.demand_store.tables import demand_content


def published_count(connection: Connection) -> int:
    """Rows of ``demand_content``."""
    return int(connection.execute(select(func.count()).select_from(demand_content)).scalar_one())
