"""Rows of a vendor's list as search items; one unreadable row fails the list and is named (S-013)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from resources.calls.foreign_text.text_bounds import check_lines
from resources.calls.outcomes.verdicts import WrongShape
from resources.calls.provider import present, validated
from resources.tool_gateway.results.models import SearchItem

Reader = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def read_items(rows: Any, place: str, reader: Reader = dict) -> list[SearchItem]:
    """Items from rows; ``reader`` gives a row's fields under the names of :class:`SearchItem`.

    Raises:
        WrongShape: ``rows`` is no list, or a row's field is missing or of another type, by ``place`` and number.
    """
    if not isinstance(rows, list):
        raise WrongShape(place, "a list was due")
    return [_item(row, f"{place}.{number}", reader) for number, row in enumerate(rows)]


def _item(row: Any, place: str, reader: Reader) -> SearchItem:
    if not isinstance(row, dict):
        raise WrongShape(place, "an object was due")
    fields = present(reader(row))
    check_lines(fields, place)
    return validated(SearchItem, {**fields, "raw": row}, place)
