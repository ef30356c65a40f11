"""A title as it would be without its clickbait: what relevance, filters and duplicates compare (S-026)."""

from __future__ import annotations

from functools import lru_cache

from supply_assets.scoring.terms.lexicon import CLICKBAIT, erased


@lru_cache(maxsize=4096)
def bare(title: str) -> str:
    """The folded title after clickbait words are erased: putting one more into it changes nothing."""
    return erased(title, CLICKBAIT)
