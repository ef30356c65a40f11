"""Cuts a page out of a listing, with the faults that pages can have.

Belongs here: which entries a page shows and whether another is claimed. Does not belong here: what an entry looks
like in a dialect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from sandbox.platform.serving.faults import FaultName


class Positions(Protocol):
    """Positions in order: a list, a range, an array."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> Iterable[int]: ...


class Page(NamedTuple):
    """Positions of articles in the order shown, each with whether it is a repetition; is there more, of how many."""

    entries: list[tuple[int, bool]]
    has_more: bool
    total: int


def cut_page(listing: Positions, start: int, count: int, alterations: Mapping[FaultName, float]) -> Page:
    """``count`` entries from ``start`` on.

    ``shifting_pages``: before each page the listing grew by some entries at its head (fell, if negative).
    ``endless_pages``: there is always more, and beyond the end the last page again.
    ``duplicates``: the last two of the page before and the first of this page are shown once more.
    """
    first = start
    if (shift := alterations.get(FaultName.SHIFTING_PAGES)) is not None:
        first = max(0, start - int(shift) * (start // count))
    has_more = first + count < len(listing)
    if FaultName.ENDLESS_PAGES in alterations:
        first = min(first, max(0, (len(listing) - 1) // count * count))
        has_more = True
    entries = [(int(position), False) for position in listing[first : first + count]]
    if FaultName.DUPLICATES in alterations:
        before = [(int(position), True) for position in listing[max(0, first - 2) : first]]
        entries = [*before, *entries, *((position, True) for position, _ in entries[:1])]
    return Page(entries, has_more, len(listing))
