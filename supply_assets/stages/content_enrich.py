"""CONTENT_ENRICH: read the pages of the most promising articles (S-021).

A page that is no article is not content (S-011). A link that only a search gives out is resolved by what the page says
of itself (field report WX4).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from resources.calls.outcomes.answers import Absent, Answer, Found, Unknown
from resources.databases.supply_store.articles.candidates import CandidateRow, read_candidates, update_candidates
from resources.databases.supply_store.articles.features import NewFeature, candidates_read, upsert_features
from resources.databases.supply_store.rows import columns_of
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.links.articles import ArticleUrl, UnreadableUrl, read_url
from resources.tool_gateway.results.models import ArticleDetail, ArticleDetailRequest
from supply_assets.normalisation.times import read_time
from supply_assets.scoring.features.content_features import content_features
from supply_assets.scoring.ranking.relevance import relevance
from supply_assets.stages.pool import to_pool_article
from supply_assets.stages.stage import Attempt, StageEnd, StageFailed

REFUSED = ("REJECT", "REJECTED")
REVIEWED = ("HELD", "ACCEPTED")
DUPLICATE_LINK = "same_article_under_another_link"


@dataclass
class Enriched:
    """What the pages gave: rows of features, changes of candidates, and how many of which state."""

    features: list[NewFeature] = field(default_factory=list)
    updates: list[dict[str, Any]] = field(default_factory=list)
    states: Counter[str] = field(default_factory=Counter)
    unknown: Unknown | None = None


async def content_enrich(attempt: Attempt) -> StageEnd:
    """Fetch the pages of the top candidates that have none yet.

    Raises:
        StageFailed: not one page of the task could be read: nothing may be planned unseen.
    """
    task_id, policy = attempt.task.task_id, attempt.workshop.policy
    candidates, seen = await attempt.workshop.read(
        lambda connection: (read_candidates(connection, [task_id]), candidates_read(connection, [task_id]))
    )
    chosen = _most_promising(attempt, candidates, seen)[: policy.details(attempt.wanted.expected_count)]
    answers = await asyncio.gather(
        *(
            attempt.workshop.gateway.article_detail(attempt.scope, ArticleDetailRequest(url=candidate.url))
            for candidate in chosen
        )
    )
    enriched = await asyncio.to_thread(_read_answers, attempt, candidates, chosen, answers)
    trouble = enriched.unknown
    if trouble is not None and not seen and not enriched.features:
        raise StageFailed(
            trouble.code, f"no article page could be read: {trouble.message}", retryable=trouble.retryable
        )

    def work(connection: Connection) -> None:
        upsert_features(connection, enriched.features)
        update_candidates(connection, enriched.updates)

    output = {"asked": len(chosen), "known_before": len(seen), "coverage": dict(enriched.states)}
    return StageEnd(TaskStatus.ENRICHED, Stage.RANK, output, work)


def _most_promising(attempt: Attempt, candidates: list[CandidateRow], seen: set[int]) -> list[CandidateRow]:
    """By relevance of title and digest, then by what the platform listed first."""
    living = [
        candidate
        for candidate in candidates
        if candidate.id not in seen and candidate.quality_flag not in REFUSED and not candidate.is_deleted
    ]
    wanted = attempt.wanted
    scores = {candidate.id: relevance(wanted, to_pool_article(candidate)).score for candidate in living}
    return sorted(living, key=lambda candidate: (-scores[candidate.id], candidate.id))


def _read_answers(
    attempt: Attempt,
    candidates: list[CandidateRow],
    chosen: list[CandidateRow],
    answers: list[Answer[ArticleDetail]],
) -> Enriched:
    enriched = Enriched()
    taken = {str(candidate.dedup_hash): candidate.id for candidate in candidates}
    for candidate, answer in zip(chosen, answers, strict=True):
        if isinstance(answer, Unknown):
            enriched.states[answer.code] += 1
            if enriched.unknown is None or answer.retryable:
                enriched.unknown = answer
        elif isinstance(answer, Absent):
            enriched.states[answer.code] += 1
            enriched.updates.append(_refused(candidate, str(answer.code)))
        else:
            enriched.states["found"] += 1
            enriched.features.append(_features(attempt, candidate, answer))
            enriched.updates.append(_learned(attempt, candidate, answer.value, taken))
    return enriched


def _features(attempt: Attempt, candidate: CandidateRow, answer: Found[ArticleDetail]) -> NewFeature:
    features = content_features(answer.value, attempt.wanted)
    return NewFeature(
        task_id=attempt.task.task_id,
        candidate_id=candidate.id,
        **columns_of(features) | {"risk_reasons": list(features.risk_reasons)},
        raw_detail_payload={
            "provider": answer.provider,
            "request_id": answer.request_id,
            "detail": answer.value.model_dump(mode="json"),
        },
    )


def _learned(attempt: Attempt, candidate: CandidateRow, detail: ArticleDetail, taken: dict[str, int]) -> dict[str, Any]:
    """What the page adds: a publish time where there was none, and the lasting link of a temporary one."""
    published = candidate.publish_time or read_time(detail.publish_time, now=attempt.workshop.clock.now()).instant
    payload = dict(candidate.raw_payload or {})
    if payload.get("link_resolved", True):
        return _change(candidate, publish_time=published)
    link = _lasting_link(detail)
    if link is None:
        return _change(candidate, publish_time=published)
    if link.identity_hash in taken:
        return _refused(candidate, DUPLICATE_LINK)
    taken[link.identity_hash] = candidate.id
    return _change(
        candidate,
        publish_time=published,
        url=link.canonical,
        content_id=link.content_id,
        biz_info=candidate.biz_info or link.biz,
        dedup_hash=link.identity_hash,
        raw_payload=payload | {"link_resolved": True},
    )


def _lasting_link(detail: ArticleDetail) -> ArticleUrl | None:
    if detail.canonical_url is None:
        return None
    try:
        link = read_url(detail.canonical_url)
    except UnreadableUrl:
        return None
    return link if link.resolved else None


def _refused(candidate: CandidateRow, reason: str) -> dict[str, Any]:
    """What a person decided of a candidate stays on it; that it is gone is a fact beside that."""
    if candidate.quality_flag in REVIEWED:
        return _change(candidate, is_deleted=True)
    return _change(candidate, quality_flag="REJECT", reject_reason=reason)


def _change(candidate: CandidateRow, **changes: Any) -> dict[str, Any]:
    """Only what changes: a review that comes meanwhile is not overwritten."""
    changed = {name: value for name, value in changes.items() if value != getattr(candidate, name)}
    return {"id": candidate.id, **changed}
