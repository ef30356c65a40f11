"""A fact base as the folder of Parquet files that ``sandbox load --facts`` takes."""

from __future__ import annotations

from pathlib import Path

from sandbox.facts.fact_base import FactBase


def write_fact_base(facts: FactBase, folder: Path) -> None:
    """``<folder>/<table>.parquet`` for each table."""
    for table, frame in facts.frames().items():
        frame.to_parquet(folder / f"{table.name}.parquet", index=False)
