"""How an asset presents itself in the UI; each location keeps one table of entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

import dagster as dg

from resources.platform.columns import Column, table_metadata

OWNERS = ["team:content-data"]


class Entry(NamedTuple):
    """Group, kinds, store and description of an asset."""

    group: str
    kinds: frozenset[str]
    description: str


class Presentation(TypedDict):
    """Keyword arguments of ``AssetSpec`` and ``@asset``."""

    group_name: str
    kinds: set[str]
    owners: list[str]
    description: str
    tags: dict[str, str]
    metadata: Mapping[str, Any]
    freshness_policy: dg.FreshnessPolicy | None


def present(
    entry: Entry, tags: dict[str, str], columns: Sequence[Column] = (), fresh: dg.FreshnessPolicy | None = None
) -> Presentation:
    """Arguments that present an asset; ``columns`` of one that is a table, ``fresh`` where age means something."""
    return {
        "group_name": entry.group,
        "kinds": set(entry.kinds),
        "owners": OWNERS,
        "description": entry.description,
        "tags": tags,
        "metadata": table_metadata(columns) if columns else {},
        "freshness_policy": fresh,
    }
