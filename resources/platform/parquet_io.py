"""Frames between assets as Parquet on a UPath, and pages beside them: the same code on disk and on object stores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

import dagster as dg
import pandas as pd
from upath import UPath

from resources.platform.columns import COLUMN_LINEAGE, COLUMN_SCHEMA
from resources.settings.desk import DeskAddress


class ParquetIOManager(dg.UPathIOManager):
    """One Parquet file an asset partition; on a local disk a file appears whole or not at all.

    Args:
        frames: where the files of each asset are.
        reports: where pages that people open are.
        desk: where a browser finds these pages; ``None`` where no desk serves them.
    """

    extension = ".parquet"

    def __init__(self, frames: UPath, reports: UPath, desk: DeskAddress | None = None) -> None:
        super().__init__(base_path=frames)
        self.frames = frames
        self.reports = reports
        self.desk = desk or DeskAddress.model_construct(url=None)

    def dump_to_path(self, context: dg.OutputContext, obj: pd.DataFrame, path: UPath) -> None:
        """Write the frame aside and rename it into place."""
        with _aside(path, context.run_id) as stream:
            obj.to_parquet(stream, index=False)
        declared = context.definition_metadata or {}
        columns = {name: declared[name] for name in (COLUMN_SCHEMA, COLUMN_LINEAGE) if name in declared}
        context.add_output_metadata({"rows": len(obj), "file": dg.MetadataValue.path(str(path)), **columns})

    def load_from_path(self, context: dg.InputContext, path: UPath) -> pd.DataFrame:
        """Read the frame back; integers beside nulls stay integers."""
        with path.open("rb") as stream:
            return pd.read_parquet(stream, dtype_backend="numpy_nullable")

    def write_report(self, name: str, content: bytes, run_id: str) -> UPath:
        """Put a page of a run in its place, as frames are; where it stands."""
        path = self.reports / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with _aside(path, run_id) as stream:
            stream.write(content)
        return path


@contextmanager
def _aside(path: UPath, run_id: str) -> Iterator[IO[bytes]]:
    """A file beside ``path`` that takes its place when it is whole; what was cut off is left nowhere."""
    aside = path.with_name(f".{path.name}.{run_id}.partial")
    try:
        with aside.open("wb") as stream:
            yield stream
        aside.rename(path)
    except BaseException:
        with suppress(OSError):
            aside.unlink()
        raise
