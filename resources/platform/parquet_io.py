"""Frames between assets as Parquet on a UPath: the same code on disk and on object stores."""

from __future__ import annotations

import dagster as dg
import pandas as pd
from upath import UPath


class ParquetIOManager(dg.UPathIOManager):
    """One Parquet file an asset partition; on a local disk a file appears whole or not at all."""

    extension = ".parquet"

    def dump_to_path(self, context: dg.OutputContext, obj: pd.DataFrame, path: UPath) -> None:
        """Write the frame aside and rename it into place."""
        aside = path.with_name(f".{path.name}.{context.run_id}.partial")
        with aside.open("wb") as stream:
            obj.to_parquet(stream, index=False)
        aside.rename(path)
        context.add_output_metadata({"rows": len(obj), "file": dg.MetadataValue.path(str(path))})

    def load_from_path(self, context: dg.InputContext, path: UPath) -> pd.DataFrame:
        """Read the frame back; integers beside nulls stay integers."""
        with path.open("rb") as stream:
            return pd.read_parquet(stream, dtype_backend="numpy_nullable")
