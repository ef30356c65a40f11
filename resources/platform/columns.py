"""What the UI says of an asset that is a table: its columns in the reader's words, and where each comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import dagster as dg

COLUMN_SCHEMA, COLUMN_LINEAGE = "dagster/column_schema", "dagster/column_lineage"


class Column(NamedTuple):
    """A column: its type, what it holds, and the columns ``asset.column`` that it is made of."""

    name: str
    type: str
    says: str
    made_of: tuple[str, ...] = ()


def table_metadata(columns: Sequence[Column]) -> Mapping[str, Any]:
    """Metadata of an asset and of each materialization: the schema of its columns, and their lineage."""
    schema = dg.TableSchema(columns=[dg.TableColumn(one.name, one.type, description=one.says) for one in columns])
    lineage = {one.name: [_dependency(source) for source in one.made_of] for one in columns if one.made_of}
    return {COLUMN_SCHEMA: schema} | ({COLUMN_LINEAGE: dg.TableColumnLineage(lineage)} if lineage else {})


def _dependency(source: str) -> dg.TableColumnDep:
    asset, _, column = source.partition(".")
    return dg.TableColumnDep(asset_key=asset, column_name=column)
