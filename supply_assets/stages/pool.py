"""From stored rows to what ranking takes; RANK and replay read the same rows (S-027)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from resources.databases.supply_store.articles.candidates import CandidateRow, read_candidates
from resources.databases.supply_store.articles.features import FeatureRow, read_features
from resources.databases.supply_store.articles.profiles import ProfileRow, read_profiles_in_short
from resources.databases.supply_store.rows import field_names
from supply_assets.normalisation.counts import Count
from supply_assets.scoring.records import AccountFeatures, ContentFeatures, PoolArticle, Review
from supply_assets.stages.account_enrich import is_gone

REVIEW_OF_FLAG = {"HELD": Review.HELD, "ACCEPTED": Review.ACCEPTED, "REJECTED": Review.REJECTED}
DETAIL_MISSING = "detail_missing"
_STORED_OF_ACCOUNT = tuple(name for name in field_names(AccountFeatures) if name not in ("verified", "risk_tags"))


def read_pool(connection: Connection, task_id: str) -> list[PoolArticle]:
    """The pool of a task, by three statements."""
    return pool_articles(
        read_candidates(connection, [task_id]),
        read_profiles_in_short(connection, [task_id]),
        read_features(connection, [task_id]),
    )


def pool_articles(
    candidates: Sequence[CandidateRow], profiles: Sequence[ProfileRow], features: Sequence[FeatureRow]
) -> list[PoolArticle]:
    """Candidates of one task as ranking takes them; one whose page was not seen cannot be selected."""
    feature_of = {row.candidate_id: row for row in features}
    profile_of = {row.account_id: row for row in profiles}
    return [
        _needing_detail(
            to_pool_article(candidate, profile_of.get(candidate.account_id or ""), feature_of.get(candidate.id))
        )
        for candidate in candidates
    ]


def _needing_detail(article: PoolArticle) -> PoolArticle:
    if article.content is not None or article.unavailable is not None or article.review is Review.REJECTED:
        return article
    return replace(article, unavailable=DETAIL_MISSING)


def to_pool_article(
    candidate: CandidateRow, profile: ProfileRow | None = None, feature: FeatureRow | None = None
) -> PoolArticle:
    """One candidate with what is known of it so far."""
    return PoolArticle(
        candidate_id=candidate.id,
        title=candidate.title,
        url_hash=str(candidate.dedup_hash),
        digest=candidate.digest or "",
        text=None if feature is None else str(_detail(feature).get("text") or ""),
        account_key=candidate.account_id or candidate.account_name,
        account_names=tuple(name for name in (candidate.account_name, candidate.biz_info) if name),
        publish_time=candidate.publish_time,
        views=_count(candidate, "view_count"),
        likes=_count(candidate, "like_count"),
        account=None if profile is None else _account(profile),
        content=None if feature is None else _content(feature),
        link_resolved=bool((candidate.raw_payload or {}).get("link_resolved", True)),
        unavailable=_unavailable(candidate, profile),
        review=REVIEW_OF_FLAG.get(candidate.quality_flag or "", Review.NONE),
    )


def _unavailable(candidate: CandidateRow, profile: ProfileRow | None) -> str | None:
    if candidate.is_deleted or candidate.quality_flag == "REJECT":
        return candidate.reject_reason or "rejected"
    return "account_gone" if profile is not None and is_gone(profile) else None


def _count(candidate: CandidateRow, name: str) -> Count | None:
    value: int | None = getattr(candidate, name)
    if value is None:
        return None
    raw: dict[str, Any] = (candidate.raw_statistics or {}).get(name) or {}
    return Count(value, bool(raw.get("capped")))


def _account(profile: ProfileRow) -> AccountFeatures:
    stored = {name: getattr(profile, name) for name in _STORED_OF_ACCOUNT}
    verified = None if profile.verify_status is None else profile.verify_status > 0
    return AccountFeatures(verified=verified, risk_tags=tuple(profile.risk_tags or ()), **stored)


def _content(feature: FeatureRow) -> ContentFeatures:
    return ContentFeatures(
        content_length=feature.content_length or 0,
        image_count=feature.image_count or 0,
        video_count=feature.video_count or 0,
        has_source_reference=bool(feature.has_source_reference),
        readability_score=feature.readability_score or 0.0,
        information_density_score=feature.information_density_score or 0.0,
        elder_friendly_score=feature.elder_friendly_score or 0.0,
        risk_score=feature.risk_score or 0.0,
        risk_reasons=tuple(feature.risk_reasons or ()),
        keyword_coverage=feature.keyword_coverage or {},
        summary=feature.summary or "",
    )


def _detail(feature: FeatureRow) -> dict[str, Any]:
    payload: dict[str, Any] = feature.raw_detail_payload or {}
    detail: dict[str, Any] = payload.get("detail") or {}
    return detail
