"""A small file that holds a very large table is told before it is read."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sandbox.facts.table_bounds import TableTooLarge
from sandbox.mining.posts import COLUMNS, read_posts


def test_a_parquet_file_of_too_many_rows_or_columns_is_not_expanded(tmp_path: Path) -> None:
    long, wide = tmp_path / "long.parquet", tmp_path / "wide.parquet"
    nothing = pa.nulls(20_000_001, pa.string())
    pq.write_table(pa.table(dict.fromkeys(COLUMNS, nothing)), long)
    pq.write_table(pa.table({**{f"c{number}": ["x"] for number in range(1_000)}, "id": ["1"]}), wide)

    assert long.stat().st_size < 1_000_000
    with pytest.raises(TableTooLarge, match="20000001 rows"):
        read_posts(long)
    with pytest.raises(TableTooLarge, match="1001 columns"):
        read_posts(wide)


def test_a_text_file_of_too_many_bytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "posts.csv"
    with path.open("wb") as file:
        file.truncate(1024**3 + 1)

    with pytest.raises(TableTooLarge, match="1073741825 bytes"):
        read_posts(path)
