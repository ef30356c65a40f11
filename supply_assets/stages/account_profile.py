"""ACCOUNT_PROFILE: the latest articles of promising accounts become scores of the account (S-021)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from resources.calls.outcomes.answers import Absent, Answer, Found, Unknown
from resources.databases.supply_store.articles.candidates import CandidateHead, candidate_heads, update_candidates
from resources.databases.supply_store.articles.profiles import (
    NewProfile,
    ProfileRow,
    read_profiles_in_short,
    upsert_profiles,
)
from resources.databases.supply_store.rows import columns_of, field_names
from resources.databases.supply_store.states import Stage, TaskStatus
from resources.tool_gateway.results.models import AccountInfo, ArticleList, ArticleListRequest, SearchItem
from supply_assets.normalisation import texts
from supply_assets.normalisation.counts import read_count
from supply_assets.normalisation.times import read_time
from supply_assets.scoring.features.account_features import HistoryArticle, account_features
from supply_assets.scoring.ranking.relevance import relevance
from supply_assets.scoring.records import PoolArticle
from supply_assets.stages.account_enrich import GONE, refusal, state_of
from supply_assets.stages.as_they_come import keep_rows, keeping, kept_before
from supply_assets.stages.stage import Attempt, StageEnd


@dataclass(frozen=True)
class History:
    """What the platform said of an account's latest articles."""

    profile: ProfileRow
    answer: Answer[ArticleList]


@dataclass
class _Asking:
    """Histories that are asked for; what came of it is kept as it comes, ``states`` counts it."""

    attempt: Attempt
    candidates: list[CandidateHead]
    kept: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)

    async def ask(self, profile: ProfileRow) -> History:
        request = ArticleListRequest(
            account_id=profile.account_id if profile.account_id.startswith("gh_") else None,
            biz=profile.biz_info,
            count=self.attempt.workshop.policy.history_articles,
        )
        return History(profile, await self.attempt.workshop.gateway.article_list(self.attempt.scope, request))

    async def keep(self, histories: Sequence[History]) -> None:
        await keep_rows(self.attempt, self.kept, self.rows_of(histories))

    def rows_of(self, histories: Sequence[History]) -> Callable[[Connection], None]:
        """What writes some answers."""
        for history in histories:
            state = "found" if isinstance(history.answer, Found) else str(history.answer.code)
            self.states[state] += 1
            if not isinstance(history.answer, Unknown):
                self.kept[state] += 1
        rows = [_with_features(self.attempt, history) for history in histories]
        refused = _refusals(histories, self.candidates)

        def work(connection: Connection) -> None:
            upsert_profiles(connection, rows)
            update_candidates(connection, refused)

        return work


async def account_profile(attempt: Attempt) -> StageEnd:
    """Ask for the history of the accounts whose best candidate is the most relevant; others keep unknown scores.

    Each is kept as it comes; what an attempt kept that did not come to the end counts among those of this round.
    """
    task_id, policy = attempt.task.task_id, attempt.workshop.policy
    candidates, profiles, before = await attempt.workshop.read(
        lambda connection: (
            candidate_heads(connection, task_id),
            read_profiles_in_short(connection, [task_id]),
            kept_before(connection, attempt),
        )
    )
    best = await asyncio.to_thread(_best_relevance, attempt, candidates)
    open_profiles = [profile for profile in profiles if profile.raw_history_payload is None and _can_be_asked(profile)]
    promising = sorted(open_profiles, key=lambda profile: (-best.get(profile.account_id, 0.0), profile.account_id))
    promising = promising[: max(0, policy.promising_accounts - before.total())]
    asking = _Asking(attempt, candidates)
    last = await keeping(map(asking.ask, promising), asking.keep, policy.keep_within_s)
    output: dict[str, Any] = {
        "promising": len(promising) + before.total(),
        "not_asked": len(open_profiles) - len(promising),
    }
    work = asking.rows_of(last)
    output["coverage"] = dict(asking.states + before)
    return StageEnd(TaskStatus.ENRICHED, Stage.CONTENT_ENRICH, output, work)


def _refusals(histories: Sequence[History], candidates: list[CandidateHead]) -> list[dict[str, Any]]:
    """An account that was closed since it was asked for takes its articles with it (field report WX12)."""
    gone = {
        history.profile.account_id: refusal(history.answer)
        for history in histories
        if isinstance(history.answer, Absent) and history.answer.code in GONE
    }
    return [
        {"id": candidate.id} | gone[candidate.account_id] for candidate in candidates if candidate.account_id in gone
    ]


def _best_relevance(attempt: Attempt, candidates: list[CandidateHead]) -> dict[str, float]:
    wanted, best = attempt.wanted, dict[str, float]()
    for candidate in candidates:
        if candidate.account_id:
            seen = PoolArticle(candidate.id, candidate.title, url_hash="", digest=candidate.digest or "")
            score = relevance(wanted, seen).score
            best[candidate.account_id] = max(score, best.get(candidate.account_id, 0.0))
    return best


def _can_be_asked(profile: ProfileRow) -> bool:
    return state_of(profile) == "found" and bool(profile.biz_info or profile.account_id.startswith("gh_"))


def _with_features(attempt: Attempt, history: History) -> NewProfile:
    profile, answer = history.profile, history.answer
    row = NewProfile(**{name: getattr(profile, name) for name in field_names(NewProfile)})
    if isinstance(answer, Unknown):
        # Left open: the next round of this task asks again.
        return row
    if isinstance(answer, Absent):
        payload = {"state": "absent", "code": answer.code, "provider": answer.provider, "request_id": answer.request_id}
        return replace(row, raw_history_payload=payload)
    now = attempt.workshop.clock.now()
    articles = [_history_article(item, now) for item in answer.value.items]
    account = AccountInfo.model_validate((profile.raw_profile_payload or {}).get("account") or {})
    features = account_features(account, articles, attempt.wanted, now)
    computed = columns_of(features) | {"risk_tags": list(features.risk_tags)}
    del computed["verified"]
    return replace(
        row,
        **computed,
        raw_history_payload={
            "state": "found",
            "provider": answer.provider,
            "request_id": answer.request_id,
            "total": answer.value.total,
            "asked_at": now.isoformat(),
            "articles": [_summary(article) for article in articles],
        },
    )


def _history_article(item: SearchItem, now: datetime) -> HistoryArticle:
    return HistoryArticle(
        title=texts.display(item.title),
        publish_time=read_time(item.publish_time, now=now).instant,
        views=read_count(item.statistics.view_count),
        likes=read_count(item.statistics.like_count),
    )


def _summary(article: HistoryArticle) -> dict[str, Any]:
    """One article of the history, enough to compute the features again (S-027)."""
    return {
        "title": article.title,
        "publish_time": None if article.publish_time is None else article.publish_time.isoformat(),
        "views": None if article.views is None else [article.views.value, article.views.capped],
        "likes": None if article.likes is None else [article.likes.value, article.likes.capped],
    }
