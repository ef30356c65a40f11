"""Which of a demand's terms an article uses, and how often (S-021)."""

from __future__ import annotations

from typing import Any

from supply_assets.normalisation.texts import fold
from supply_assets.scoring.records import Wanted


def keyword_coverage(folded: str, wanted: Wanted) -> dict[str, Any]:
    """``{"terms": {term: occurrences}, "covered": share}`` over ``folded`` title and text.

    ``terms`` holds query and expansion terms, absent ones with 0; ``covered`` is the share of distinct query terms
    that occur, 0 … 1 (0 where there are none).
    """
    counts = {term: folded.count(fold(term)) for term in (*wanted.terms, *wanted.expansion) if fold(term)}
    asked = [term for term in dict.fromkeys(wanted.terms) if term in counts]
    covered = sum(counts[term] > 0 for term in asked) / len(asked) if asked else 0.0
    return {"terms": counts, "covered": round(covered, 4)}
