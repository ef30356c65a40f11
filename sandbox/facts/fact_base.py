"""A fact base in memory and as a folder of Parquet files: the seven tables of Pattern V2.

Belongs here: the record, its integrity, reading the folder. Does not belong here: where facts
come from (``facts_sample``, ``mining``) and where they go (``facts_load``).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from sqlalchemy import Table

from resources.databases.pattern_facts import tables as t
from sandbox.facts.fact_columns import FactBaseInvalid, conform
from sandbox.facts.table_bounds import check_parquet

TABLE_OF_FIELD: dict[str, Table] = {
    "execution": t.execution,
    "config": t.config,
    "category": t.category,
    "element": t.element,
    "itemset": t.itemset,
    "itemset_item": t.itemset_item,
    "itemset_post": t.itemset_post,
}
_PANDAS_TYPES: dict[Any, Any] = {
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
    pa.uint64(): pd.UInt64Dtype(),
    pa.string(): pd.StringDtype("pyarrow"),
    pa.large_string(): pd.StringDtype("pyarrow"),
}


@dataclass(frozen=True, eq=False)
class FactBase:
    """The rows of whole executions, one frame a table; ids and counts are ``Int64``, text is ``string``.

    Raises:
        FactBaseInvalid: a column is missing or holds what cannot be stored, an id occurs twice, or a row
            belongs to an execution or itemset that is not part of this fact base.
    """

    execution: pd.DataFrame
    config: pd.DataFrame
    category: pd.DataFrame
    element: pd.DataFrame
    itemset: pd.DataFrame
    itemset_item: pd.DataFrame
    itemset_post: pd.DataFrame

    def __post_init__(self) -> None:
        for name, table in TABLE_OF_FIELD.items():
            object.__setattr__(self, name, conform(table, getattr(self, name)))
        for name in ("config", "category", "element", "itemset"):
            _check_owner(TABLE_OF_FIELD[name], getattr(self, name), "execution_id", self.execution)
        for name in ("itemset_item", "itemset_post"):
            _check_owner(TABLE_OF_FIELD[name], getattr(self, name), "itemset_id", self.itemset)

    def execution_ids(self) -> tuple[int, ...]:
        """Ids of the executions, ascending."""
        return tuple(sorted(int(value) for value in self.execution["id"]))

    def frames(self) -> dict[Table, pd.DataFrame]:
        """Every table with its frame, owners before what they own."""
        return {table: getattr(self, name) for name, table in TABLE_OF_FIELD.items()}


def join_fact_bases(*parts: FactBase) -> FactBase:
    """One fact base of several that share no execution and no id.

    Raises:
        FactBaseInvalid: an id occurs in two of them.
    """
    names = [field.name for field in fields(FactBase)]
    frames = {name: pd.concat([getattr(part, name) for part in parts], ignore_index=True) for name in names}
    return FactBase(**frames)


def read_fact_base(folder: Path) -> FactBase:
    """The fact base of ``<folder>/<table>.parquet``; columns that no table has are ignored.

    Raises:
        FactBaseInvalid: a file is missing or not Parquet, or see :class:`FactBase`.
    """
    missing = [table.name for table in TABLE_OF_FIELD.values() if not _file(folder, table).is_file()]
    if missing:
        raise FactBaseInvalid(
            f"folder {folder} has no {', '.join(f'{name}.parquet' for name in missing)}",
            "a fact base is seven Parquet files, named for their tables",
        )
    return FactBase(**{name: _read_table(folder, table) for name, table in TABLE_OF_FIELD.items()})


def empty_frames() -> dict[str, pd.DataFrame]:
    """A frame without rows for each field of :class:`FactBase`."""
    return {name: pd.DataFrame(columns=list(table.columns.keys())) for name, table in TABLE_OF_FIELD.items()}


def _check_owner(table: Table, frame: pd.DataFrame, key: str, owners: pd.DataFrame) -> None:
    orphans = ~frame[key].isin(owners["id"])
    if orphans.any():
        stray = frame[key][orphans].iloc[0]
        raise FactBaseInvalid(f"a row of {table.name} has {key} {stray}, which is not in this fact base")


def _file(folder: Path, table: Table) -> Path:
    return folder / f"{table.name}.parquet"


def _read_table(folder: Path, table: Table) -> pd.DataFrame:
    path = _file(folder, table)
    try:
        file = pq.ParquetFile(path)
        check_parquet(file, path)
        present = [column.key for column in table.columns if column.key in file.schema_arrow.names]
        frame: pd.DataFrame = file.read(columns=present).to_pandas(types_mapper=_PANDAS_TYPES.get)
    except (pa.ArrowException, OSError) as error:
        raise FactBaseInvalid(f"{path} is not a readable Parquet file: {error}") from error
    return frame
