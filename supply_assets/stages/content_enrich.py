"""CONTENT_ENRICH: read the pages of the most promising articles (S-021).

A page that is no article is not content (S-011). A link that only a search gives out is resolved by what the page says
of itself (field report WX4).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from resources.calls.outcomes.answers import Absent, Answer, Code, Found, Unknown
from resources.databases.supply_store.articles.candidates import CandidateRow, read_candidates, update_candidates
from resources.databases.supply_store.articles.features import NewFeature, candidates_read, upsert_features
from resources.databases.supply_store.rows import columns_of
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.links.articles import ArticleUrl, UnreadableUrl, read_url
from resources.tool_gateway.results.models import ArticleDetail, ArticleDetailRequest
from supply_assets.normalisation.times import read_time
from supply_assets.scoring.features.content_features import content_features
from supply_assets.scoring.ranking.relevance import relevance
from supply_assets.stages.as_they_come import keep_rows, keeping, kept_before
from supply_assets.stages.pool import to_pool_article
from supply_assets.stages.stage import Attempt, StageEnd, StageFailed

REFUSED = ("REJECT", "REJECTED")
REVIEWED = ("HELD", "ACCEPTED")
DUPLICATE_LINK = "same_article_under_another_link"


@dataclass(frozen=True)
class Page:
    """What the platform said of a candidate's page."""

    candidate: CandidateRow
    answer: Answer[ArticleDetail]


@dataclass
class _Reading:
    """Pages that are asked for; what they give is kept as it comes.

    ``taken`` holds the identities of the task's candidates, ``states`` counts all answers and ``kept`` those that are
    not asked for again.
    """

    attempt: Attempt
    taken: dict[str, int]
    states: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    unknown: Unknown | None = None

    async def ask(self, candidate: CandidateRow) -> Page:
        request = ArticleDetailRequest(url=candidate.url)
        return Page(candidate, await self.attempt.workshop.gateway.article_detail(self.attempt.scope, request))

    async def keep(self, pages: Sequence[Page]) -> None:
        work = await self.rows_of(pages)
        await keep_rows(self.attempt, self.kept, work)

    async def rows_of(self, pages: Sequence[Page]) -> Callable[[Connection], None]:
        """What writes some answers; their features are computed beside the event loop."""
        return await asyncio.to_thread(self._rows_of, pages)

    def _rows_of(self, pages: Sequence[Page]) -> Callable[[Connection], None]:
        features: list[NewFeature] = []
        updates: list[dict[str, Any]] = []
        for page in pages:
            candidate, answer = page.candidate, page.answer
            state = "found" if isinstance(answer, Found) else str(answer.code)
            self.states[state] += 1
            if isinstance(answer, Unknown) and not _is_unreadable(answer):
                if self.unknown is None or answer.retryable:
                    self.unknown = answer
                continue
            self.kept[state] += 1
            if isinstance(answer, Found):
                features.append(_features(self.attempt, candidate, answer))
                updates.append(_learned(self.attempt, candidate, answer.value, self.taken))
            else:
                updates.append(_refused(candidate, state, is_gone=isinstance(answer, Absent)))

        def work(connection: Connection) -> None:
            upsert_features(connection, features)
            update_candidates(connection, updates)

        return work


async def content_enrich(attempt: Attempt) -> StageEnd:
    """Fetch the pages of the top candidates that have none yet; each is kept as it comes.

    What an attempt kept that did not come to the end counts among the pages of this round. A page that cannot be read
    is its article's trouble: the article is refused, and another one is looked at in the next round.

    Raises:
        StageFailed: not one page of the task could be read: nothing may be planned unseen.
    """
    task_id, policy = attempt.task.task_id, attempt.workshop.policy
    candidates, seen, before = await attempt.workshop.read(
        lambda connection: (
            read_candidates(connection, [task_id]),
            candidates_read(connection, [task_id]),
            kept_before(connection, attempt),
        )
    )
    wanted = max(0, policy.details(attempt.wanted.expected_count) - before.total())
    chosen = _most_promising(attempt, candidates, seen)[:wanted]
    reading = _Reading(attempt, {str(candidate.dedup_hash): candidate.id for candidate in candidates})
    last = await keeping(map(reading.ask, chosen), reading.keep, policy.keep_within_s)
    work = await reading.rows_of(last)
    trouble = reading.unknown
    if trouble is not None and not seen and not reading.kept["found"]:
        raise StageFailed(
            trouble.code, f"no article page could be read: {trouble.message}", retryable=trouble.retryable
        )
    output = {
        "asked": len(chosen) + before.total(),
        "known_before": len(seen) - before["found"],
        "coverage": dict(reading.states + before),
    }
    return StageEnd(TaskStatus.ENRICHED, Stage.RANK, output, work)


def _is_unreadable(answer: Unknown) -> bool:
    """A page that is as heavy when it is asked for again."""
    return answer.code is Code.UNREADABLE and not answer.retryable


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


def _refused(candidate: CandidateRow, reason: str, *, is_gone: bool = True) -> dict[str, Any]:
    """What a person decided of a candidate stays on it; that it is gone is a fact beside that."""
    if candidate.quality_flag in REVIEWED:
        return _change(candidate, is_deleted=is_gone or candidate.is_deleted)
    return _change(candidate, quality_flag="REJECT", reject_reason=reason)


def _change(candidate: CandidateRow, **changes: Any) -> dict[str, Any]:
    """Only what changes: a review that comes meanwhile is not overwritten."""
    changed = {name: value for name, value in changes.items() if value != getattr(candidate, name)}
    return {"id": candidate.id, **changed}
