"""The ids from which new fact rows are numbered."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FirstIds:
    """For each table the first id that new rows take; rows are numbered upwards without a gap."""

    execution: int = 1
    config: int = 1
    category: int = 1
    element: int = 1
    itemset: int = 1
    itemset_item: int = 1
