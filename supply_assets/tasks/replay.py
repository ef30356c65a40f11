"""Replay: a past task ranked again from its stored payloads, without a network call (S-027).

Features are computed anew from what the platform answered then, so changed formulas show as well as changed weights.
Nothing is written: the stored ranking is what the plan was made of.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from resources.databases.supply_store.articles.candidates import CandidateRow, read_candidates
from resources.databases.supply_store.articles.features import read_features
from resources.databases.supply_store.articles.profiles import ProfileRow, read_profiles
from resources.databases.supply_store.articles.scores import ScoreRow, read_scores
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.tasks.snapshots import read_snapshots
from resources.databases.supply_store.tasks.tasks import read_task
from resources.tool_gateway.results.models import AccountInfo, ArticleDetail
from supply_assets.normalisation.counts import Count
from supply_assets.scoring.features.account_features import HistoryArticle, account_features
from supply_assets.scoring.features.content_features import content_features
from supply_assets.scoring.ranking.rank import SCORE_VERSION, rank_pool
from supply_assets.scoring.records import PoolArticle, RankedArticle, Ranking, Wanted, Weights
from supply_assets.stages.pool import pool_articles
from supply_assets.stages.stage import wanted_of

DEFAULT_WEIGHTS = Weights()


class Compared(NamedTuple):
    """One candidate in the stored and in the new ranking; ranks count from 1, ``None`` where it has none."""

    candidate_id: int
    title: str
    url: str
    stored_rank: int | None
    new_rank: int | None
    stored_total: float | None
    new_total: float
    stored_selected: bool
    new_selected: bool
    new_filter_reason: str | None


@dataclass(frozen=True)
class Replay:
    """The two rankings side by side, in the order of the new one."""

    task_id: str
    stored_version: str | None
    new_version: str
    rows: tuple[Compared, ...]
    ranking: Ranking

    @property
    def moved(self) -> int:
        """Candidates whose rank or selection changed."""
        return sum(row.stored_rank != row.new_rank or row.stored_selected != row.new_selected for row in self.rows)


def replay(
    store: SupplyStore, task_id: str, weights: Weights = DEFAULT_WEIGHTS, score_version: str = SCORE_VERSION
) -> Replay:
    """Rank the stored pool of a task again.

    Raises:
        NoSuchTask: there is no such task.
        StoreUnwritable: the store could not be read.
    """
    with store.reading() as connection:
        task = read_task(connection, task_id)
        wanted = wanted_of(read_snapshots(connection, [task.demand_snapshot_id])[task.demand_snapshot_id])
        candidates = read_candidates(connection, [task_id])
        features = read_features(connection, [task_id])
        profiles = read_profiles(connection, [task_id])
        stored = {row.candidate_id: row for row in read_scores(connection, [task_id])}
    details = {row.candidate_id: _detail(row.raw_detail_payload) for row in features}
    by_account = {profile.account_id: profile for profile in profiles}
    pool = [
        _as_answered_then(article, details.get(article.candidate_id), by_account.get(article.account_key or ""), wanted)
        for article in pool_articles(candidates, profiles, features)
    ]
    ranking = rank_pool(wanted, pool, weights, score_version)
    by_id = {candidate.id: candidate for candidate in candidates}
    versions = {row.score_version for row in stored.values()}
    return Replay(
        task_id=task_id,
        stored_version=", ".join(sorted(str(version) for version in versions)) or None,
        new_version=score_version,
        rows=tuple(_compare(one, stored.get(one.candidate_id), by_id[one.candidate_id]) for one in ranking.articles),
        ranking=ranking,
    )


def _detail(payload: dict[str, Any] | None) -> ArticleDetail:
    return ArticleDetail.model_validate((payload or {}).get("detail"))


def _as_answered_then(
    article: PoolArticle, detail: ArticleDetail | None, profile: ProfileRow | None, wanted: Wanted
) -> PoolArticle:
    content = None if detail is None else content_features(detail, wanted)
    history = {} if profile is None else profile.raw_history_payload or {}
    if profile is None or history.get("state") != "found":
        return replace(article, content=content)
    account = AccountInfo.model_validate((profile.raw_profile_payload or {}).get("account") or {})
    articles = [_history_article(entry) for entry in history["articles"]]
    features = account_features(account, articles, wanted, datetime.fromisoformat(history["asked_at"]))
    return replace(article, content=content, account=features)


def _history_article(entry: dict[str, Any]) -> HistoryArticle:
    published, views, likes = entry["publish_time"], entry["views"], entry["likes"]
    return HistoryArticle(
        title=entry["title"],
        publish_time=None if published is None else datetime.fromisoformat(published),
        views=None if views is None else Count(*views),
        likes=None if likes is None else Count(*likes),
    )


def _compare(article: RankedArticle, before: ScoreRow | None, candidate: CandidateRow) -> Compared:
    return Compared(
        candidate_id=article.candidate_id,
        title=candidate.title,
        url=candidate.url,
        stored_rank=None if before is None else before.rank_no,
        new_rank=article.rank_no,
        stored_total=None if before is None else float(before.total_score),
        new_total=article.total,
        stored_selected=bool(before is not None and before.is_selected),
        new_selected=article.selected,
        new_filter_reason=article.filter_reason,
    )
