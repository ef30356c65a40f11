"""What ranking is given and what it says; plain data, shared by all of scoring."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from supply_assets.normalisation.counts import Count


class Review(StrEnum):
    """What a person decided of a candidate (S-030)."""

    NONE = "none"
    HELD = "held"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Constraints:
    """Quality constraints of a request."""

    min_view_count: int | None = None
    banned_words: tuple[str, ...] = ()
    blocked_accounts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a demand asks for: its query as terms, its expansion terms, how many articles."""

    terms: tuple[str, ...]
    expansion: tuple[str, ...] = ()
    expected_count: int = 10
    constraints: Constraints = Constraints()


@dataclass(frozen=True, slots=True)
class AccountFeatures:
    """What an account's record and history say; scores are 0 … 100, ``None`` means not known."""

    verified: bool | None = None
    update_frequency: str | None = None  # daily, weekly, irregular
    recent_article_count: int | None = None
    median_view_count: int | None = None
    median_like_count: int | None = None
    vertical_score: float | None = None
    stability_score: float | None = None
    credibility_score: float | None = None
    risk_tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContentFeatures:
    """What an article's page says; scores are 0 … 100, ``None`` means not known."""

    content_length: int
    image_count: int
    video_count: int
    has_source_reference: bool
    readability_score: float
    information_density_score: float
    elder_friendly_score: float
    risk_score: float
    risk_reasons: tuple[str, ...]
    keyword_coverage: dict[str, Any]
    summary: str


@dataclass(frozen=True, slots=True)
class PoolArticle:
    """A candidate as ranking sees it. ``url_hash`` is the identity of its canonical URL."""

    candidate_id: int
    title: str
    url_hash: str
    digest: str = ""
    text: str | None = None
    account_key: str | None = None
    account_names: tuple[str, ...] = ()  # other names that the account goes by: display name, biz
    publish_time: datetime | None = None
    views: Count | None = None
    likes: Count | None = None
    account: AccountFeatures | None = None
    content: ContentFeatures | None = None
    link_resolved: bool = True
    unavailable: str | None = None  # deleted, violation, …: the code that the gateway gave
    review: Review = Review.NONE


@dataclass(frozen=True, slots=True)
class Weights:
    """Shares of the five parts in the total (S-023); they sum to 1."""

    relevance: float = 0.30
    popularity: float = 0.25
    quality: float = 0.25
    account: float = 0.15
    elder: float = 0.05


@dataclass(frozen=True, slots=True)
class RankedArticle:
    """One candidate's verdict; ``detail`` holds the inputs of every part as plain JSON values."""

    candidate_id: int
    relevance: float
    popularity: float
    quality: float
    account: float
    elder: float
    diversity_penalty: float
    total: float
    passed: bool
    filter_reason: str | None
    selected: bool
    rank_no: int | None
    duplicate_of: int | None
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ranking:
    """All candidates in rank order (passed first, by total), and why there are not more."""

    articles: tuple[RankedArticle, ...]
    wanted: int
    selected: int
    shortfall: int
    by_filter: dict[str, int]
    duplicates: int
    over_account_quota: int
    topics: dict[str, int]
    score_version: str
