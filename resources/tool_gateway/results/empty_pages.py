"""Success without a row that contradicts itself or what was seen before: nobody knows, so it is no absence (WX8)."""

from __future__ import annotations

from typing import Any

from resources.calls.outcomes.answers import Code
from resources.calls.outcomes.verdicts import Reading, Verdict
from resources.tool_gateway.results.models import SearchPage, SearchRequest


class SeenHits:
    """Which searches had hits while this gateway was open."""

    def __init__(self) -> None:
        self._keywords: set[str] = set()

    def believed(self, reading: Reading[Any], request: Any) -> Reading[Any]:
        """The reading, or a suspicion where a page is empty although there is more, or there were hits before."""
        page = reading.outcome
        if not (isinstance(page, SearchPage) and isinstance(request, SearchRequest)):
            return reading
        if page.items:
            self._keywords.add(request.keyword)
            return reading
        had_hits = request.page == 1 and request.keyword in self._keywords
        if had_hits or page.has_more or (request.page == 1 and (page.total or 0) > 0):
            why = f"no row on page {request.page}, total {page.total}, has_more {page.has_more}, hits before {had_hits}"
            return Reading(Verdict(Code.SUSPICIOUS_EMPTY, why), reading.raw)
        return reading
