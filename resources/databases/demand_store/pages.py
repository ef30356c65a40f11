"""All rows of ``demand_content``, or those of one execution, page after page, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from resources.databases.demand_store.engine import DemandStore
from resources.databases.demand_store.statements import read_page


def published_pages(store: DemandStore, execution_id: int | None, size: int) -> Iterator[list[dict[str, Any]]]:
    """Pages of at most ``size`` rows by id; none where there is no row. ``execution_id`` ``None``: all rows.

    A transaction a page: none stays open while facts are read or tasks are written.

    Raises:
        StoreUnwritable: the rows could not be read.
    """
    after = 0
    while True:
        with store.reading() as connection:
            page = read_page(connection, execution_id, after, size)
        if not page:
            return
        yield page
        after = page[-1]["id"]
