"""When two terms are the same word (D-041): NFKC, without invisible characters, trimmed, case folded."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache


@lru_cache(maxsize=65536)
def normal_form(term: str) -> str:
    """The form in which terms are compared; an all-invisible term becomes empty.

    Format characters (category Cf: zero-width, joiners, direction marks) go before and after NFKC, which may
    produce some; case folding may de-compose, so NFKC is applied last again.
    """
    folded = unicodedata.normalize("NFKC", _visible(term)).casefold()
    return _visible(unicodedata.normalize("NFKC", folded)).strip()


def uncovered(terms: Iterable[str], words: frozenset[str]) -> list[str]:
    """The terms, as given, whose normal form is empty or not among the normal forms ``words``."""
    return [term for term in terms if not (form := normal_form(term)) or form not in words]


def _visible(text: str) -> str:
    return "".join(character for character in text if unicodedata.category(character) != "Cf")


def covered_segments(name: str, words: frozenset[str]) -> list[str] | None:
    """Split a comma-joined name into terms that are all among ``words``; ``None`` where no split is.

    A term may itself hold commas, so each split point is optional; the shortest terms are preferred.
    """
    parts = name.split(",")
    reached: dict[int, list[str]] = {0: []}
    for end in range(1, len(parts) + 1):
        for start in range(end - 1, -1, -1):
            term = ",".join(parts[start:end])
            if start in reached and not uncovered([term], words):
                reached[end] = [*reached[start], term]
                break
    return reached.get(len(parts))
