"""From a search item to a row of the candidate pool: one form of link, title, time and counts (S-020, S-022)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from resources.databases.supply_store.articles.candidates import NewCandidate
from resources.foundation import strict_json
from resources.links.articles import ArticleUrl, UnreadableUrl, read_url
from resources.links.secrets import text_without_secrets
from resources.tool_gateway.results.models import RawCount, SearchItem
from supply_assets.intake.request import PLATFORM
from supply_assets.normalisation import texts
from supply_assets.normalisation.accounts import storable_id
from supply_assets.normalisation.counts import Count, read_count
from supply_assets.normalisation.temporary_links import temporary_identity
from supply_assets.normalisation.times import ReadTime, read_time

TITLE, DIGEST, COVER, ACCOUNT_NAME, BIZ = 512, 1000, 1024, 255, 128
DELETED = "deleted_by_publisher"
COUNTS = ("view_count", "like_count", "comment_count", "favorite_count", "share_count")


@dataclass(frozen=True)
class Found:
    """Where an item was found: the search, its round and page, who answered."""

    task_id: str
    keyword: str
    round_no: int
    page: int
    provider: str
    request_id: str


@dataclass
class PageRows:
    """Rows of one page, and what was left out by reason."""

    rows: list[NewCandidate] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def identities(self) -> list[str]:
        return [row.dedup_hash for row in self.rows]


def page_rows(items: Iterable[SearchItem], found: Found, now: datetime) -> PageRows:
    """One row an identity; an item without readable link or title is counted, not kept."""
    page = PageRows()
    seen: set[str] = set()
    for item in items:
        title = texts.cut(texts.display(item.title), TITLE)
        if not texts.key(title):
            page.left_out["blank_title"] += 1
            continue
        try:
            link = read_url(item.url)
        except UnreadableUrl:
            page.left_out["unreadable_link"] += 1
            continue
        row = _row(item, title, link, found, now)
        if row.dedup_hash in seen:
            page.left_out["repeated_on_page"] += 1
            continue
        seen.add(row.dedup_hash)
        page.rows.append(row)
    return page


def _row(item: SearchItem, title: str, link: ArticleUrl, found: Found, now: datetime) -> NewCandidate:
    published = read_time(item.publish_time, now=now)
    account_name = _short(texts.display(item.account_name), ACCOUNT_NAME)
    counts = {name: read_count(getattr(item.statistics, name)) for name in COUNTS}
    identity = link.identity_hash if link.resolved else temporary_identity(title, account_name, published.instant)
    deleted = item.is_deleted
    return NewCandidate(
        task_id=found.task_id,
        source_keyword=texts.cut(found.keyword, 255),
        recall_round=found.round_no,
        recall_page=found.page,
        platform=PLATFORM,
        content_id=link.content_id,
        title=title,
        url=link.canonical,
        digest=_short(texts.display(item.digest), DIGEST),
        cover_url=_cover(item.cover_url),
        publish_time=published.instant,
        account_id=storable_id(item.account_id),
        account_name=account_name,
        biz_info=_short(link.biz or item.biz, BIZ),
        **{name: count.value if count else None for name, count in counts.items()},
        raw_statistics=_raw_statistics(item, counts, published),
        raw_payload={
            "provider": found.provider,
            "request_id": found.request_id,
            "item": strict_json.with_texts(item.raw, _without_secrets),
            "link_resolved": link.resolved,
        },
        dedup_hash=identity,
        quality_flag="REJECT" if deleted else "UNKNOWN",
        reject_reason=DELETED if deleted else None,
        is_deleted=deleted,
    )


def _raw_statistics(item: SearchItem, counts: dict[str, Count | None], published: ReadTime) -> dict[str, Any]:
    """What came, beside what was read from it: a capped count and a time without zone stay recognisable."""
    statistics: dict[str, Any] = {}
    for name, count in counts.items():
        raw: RawCount = getattr(item.statistics, name)
        if raw is not None:
            statistics[name] = {"raw": str(raw)[:64], "capped": bool(count and count.capped)}
    statistics["publish_time"] = {
        "raw": None if item.publish_time is None else str(item.publish_time)[:64],
        "zone_known": published.zone_known,
        "reason": published.reason,
    }
    return statistics


def _short(text: str | None, limit: int) -> str | None:
    return texts.cut(text, limit) or None if text else None


def _cover(url: str | None) -> str | None:
    """A longer address is no address any more when it is cut; what came stays in the payload."""
    kept = _without_secrets(url or "")
    return kept if kept and len(kept) <= COVER else None


def _without_secrets(text: str) -> str:
    return text_without_secrets(text).replace("\x00", "")
