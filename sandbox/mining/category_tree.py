"""Category rows of a set of category paths such as ``/实质/健康/养生``.

Belongs here: what a path may be, and the rows of the tree above it. Does not belong here: which post or word
has which path.
"""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from resources.foundation.errors import UsageError

DIMENSIONS = ("实质", "形式", "意图")
ANY_OTHER = DIMENSIONS[0]
"""The dimension of a path that begins with none: what a post is about."""
MAX_SEGMENT = 255
MAX_PATH = 1024


class CategoryPathInvalid(UsageError):
    """A text is no path to a category."""


def normal_path(text: str) -> str:
    """The path with single leading slash, no trailing one, and trimmed segments, below a dimension.

    A path whose first level is no dimension stands below 实质, as the substance of a post.

    Raises:
        CategoryPathInvalid: it is blank or too long, or has a blank segment.
    """
    segments = [segment.strip() for segment in text.strip().strip("/").split("/")]
    if not all(segments):
        raise CategoryPathInvalid(f"category path {text[:80]!r} is blank or has a blank part", _FIX)
    if segments[0] not in DIMENSIONS:
        segments.insert(0, ANY_OTHER)
    path = "/" + "/".join(segments)
    if len(path) > MAX_PATH or max(map(len, segments)) > MAX_SEGMENT:
        raise CategoryPathInvalid(f"category path {text[:80]!r} is too long", _FIX)
    return path


def dimension_of(path: str) -> str:
    """The dimension of a path: its first segment."""
    return path.split("/")[1]


def category_rows(paths: Iterable[str], *, execution_id: int, first_id: int) -> pd.DataFrame:
    """One row for each path and each of its ancestors, in the order of paths, ids without a gap.

    ``full_path`` runs from the root, ``path`` is the own segment with its slash, a dimension has ``level`` 1.
    """
    known = {ancestor for path in paths for ancestor in _lineage(path)}
    ordered = sorted(known, key=lambda path: path.split("/"))
    ids = {path: first_id + place for place, path in enumerate(ordered)}
    rows = [
        {
            "id": ids[path],
            "execution_id": execution_id,
            "name": path.rpartition("/")[2],
            "path": "/" + path.rpartition("/")[2],
            "full_path": path,
            "parent_id": ids.get(path.rpartition("/")[0]),
            "level": path.count("/"),
            "dimension": dimension_of(path),
        }
        for path in ordered
    ]
    frame = pd.DataFrame(rows, dtype=object)
    return frame.astype({"id": "Int64", "parent_id": "Int64", "level": "Int64"}) if rows else frame


_FIX = "write it like /实质/健康/养生"


def _lineage(path: str) -> list[str]:
    segments = path.split("/")
    return ["/".join(segments[: depth + 1]) for depth in range(1, len(segments))]
