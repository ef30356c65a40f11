"""How large a table of a user's file may be; looked at before it is read, since a small file can hold a very large one.

The bounds are far beyond any export that was met; what is larger was not meant for this command.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from resources.foundation.errors import UsageError

MOST_ROWS = 20_000_000
MOST_COLUMNS = 1_000
MOST_EXPANDED_BYTES = 4 * 1024**3
MOST_TEXT_BYTES = 1024**3


class TableTooLarge(UsageError):
    """A file holds more than is read; the message says what and how much."""


def check_parquet(file: pq.ParquetFile, path: Path) -> None:
    """Whether an opened Parquet file may be read.

    Raises:
        TableTooLarge: it has too many rows or columns, or expands to too many bytes.
    """
    said = file.metadata
    expanded = sum(said.row_group(place).total_byte_size for place in range(said.num_row_groups))
    _require(said.num_rows, MOST_ROWS, "rows", path)
    _require(said.num_columns, MOST_COLUMNS, "columns", path)
    _require(expanded, MOST_EXPANDED_BYTES, "bytes when it is expanded", path)


def check_text_file(path: Path) -> None:
    """Whether a file of text may be read.

    Raises:
        TableTooLarge: it has too many bytes.
    """
    _require(path.stat().st_size, MOST_TEXT_BYTES, "bytes", path)


def _require(found: int, most: int, what: str, path: Path) -> None:
    if found > most:
        raise TableTooLarge(f"{path} has {found} {what}, more than {most}", "give a part of it")
