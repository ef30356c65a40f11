"""How an asset presents itself in the UI; each location keeps one table of entries."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

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


def present(entry: Entry, tags: dict[str, str]) -> Presentation:
    """Arguments that present an asset."""
    return {
        "group_name": entry.group,
        "kinds": set(entry.kinds),
        "owners": OWNERS,
        "description": entry.description,
        "tags": tags,
    }
