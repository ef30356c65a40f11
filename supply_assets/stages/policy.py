"""The bounds of a task: pool sizes, pages, rounds, how many are looked at closely (S-020, S-021, S-025)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SupplyPolicy:
    """Counts of candidates, pages, accounts, articles and rounds; pauses in seconds."""

    pool_min: int = 40
    pool_max: int = 60
    page_size: int = 20
    max_pages: int = 5
    expansion_keywords: int = 8
    scene_keywords: int = 6
    promising_accounts: int = 20
    history_articles: int = 20
    top_k: int = 30
    top_k_per_wanted: int = 2
    max_cycles: int = 3
    plan_backoff_s: float = 2
    plan_pause_cap_s: float = 30
    keep_within_s: float = 2
    breaker_waits: int = 4
    breaker_pause_s: float = 30

    def pool_target(self, cycle: int, expected_count: int) -> int:
        """Distinct candidates at which recall of this cycle stops; more are wanted where more are expected."""
        return max(self.pool_min, 2 * expected_count) * cycle

    def pool_limit(self, cycle: int, expected_count: int) -> int:
        """Distinct candidates that are kept at the most up to this cycle."""
        return max(self.pool_max, 3 * expected_count) * cycle

    def details(self, expected_count: int) -> int:
        """Articles whose page is read in one cycle."""
        return max(self.top_k, self.top_k_per_wanted * expected_count)
