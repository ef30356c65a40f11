"""The nine tables as statements see them (S-040); their DDL is in ``migrations``, by which alone they are made."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, MetaData, SmallInteger, Table, func

from resources.databases.supply_store.account_ids import AccountId
from resources.databases.supply_store.column_types import Flag, LongText, Score, StrictJson, UtcDateTime, Varchar

metadata = MetaData()


def _text(name: str, length: int, **how: Any) -> Column[str]:
    return Column(name, Varchar(name, length), **how)


def _long_text(name: str) -> Column[str]:
    return Column(name, LongText(name))


def _json(name: str, **how: Any) -> Column[Any]:
    return Column(name, StrictJson(name), **how)


def _time(name: str, **how: Any) -> Column[datetime]:
    return Column(name, UtcDateTime(name), **how)


def _score(name: str, low: float, high: float, digits: int = 5, **how: Any) -> Column[float]:
    return Column(name, Score(name, digits, low, high), **how)


def _share(name: str, **how: Any) -> Column[float]:
    """A score of 0 to 100."""
    return _score(name, 0, 100, **how)


def _table(name: str, *columns: Column[Any], is_append_only: bool = False) -> Table:
    """A table with its own id before the columns, and after them when a row was made and when it was last changed."""
    now = func.current_timestamp()
    row_id = Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True)
    times = [_time("created_at", nullable=False, server_default=now)]
    if not is_append_only:
        times.append(_time("updated_at", nullable=False, server_default=now, onupdate=now))
    return Table(name, metadata, row_id, *columns, *times)


supply_demand_snapshot = _table(
    "supply_demand_snapshot",
    Column("demand_id", BigInteger, nullable=False),
    _text("demand_code", 64),
    _text("query", 255, nullable=False),
    _json("query_expansion"),
    _text("platform", 32, nullable=False),
    Column("expected_count", Integer, nullable=False),
    _json("audience_profile"),
    _json("quality_constraints"),
    _json("source_payload"),
    Column("version", Integer, nullable=False),
)

supply_task = _table(
    "supply_task",
    _text("task_id", 64, nullable=False),
    Column("demand_snapshot_id", BigInteger, ForeignKey("supply_demand_snapshot.id"), nullable=False),
    Column("demand_id", BigInteger, nullable=False),
    _text("trace_id", 64),
    _text("status", 32, nullable=False),
    _text("current_stage", 32),
    Column("priority", SmallInteger, nullable=False),
    Column("retry_count", Integer, nullable=False),
    Column("max_retry", Integer, nullable=False),
    Column("is_idempotent", Flag, nullable=False),
    _text("idempotency_key", 128),
    _time("started_at"),
    _time("finished_at"),
    Column("duration_ms", BigInteger),
    _text("error_code", 64),
    _long_text("error_message"),
    _text("operator", 64),
    _json("ext"),
)

supply_task_stage = _table(
    "supply_task_stage",
    _text("task_id", 64, nullable=False),
    _text("stage_name", 32, nullable=False),
    _text("stage_status", 32, nullable=False),
    Column("attempt_no", Integer, nullable=False),
    _json("input_payload"),
    _json("output_payload"),
    _time("started_at"),
    _time("finished_at"),
    Column("duration_ms", BigInteger),
    _text("error_code", 64),
    _long_text("error_message"),
)

supply_candidate_content = _table(
    "supply_candidate_content",
    _text("task_id", 64, nullable=False),
    _text("source_keyword", 255),
    Column("recall_round", Integer, nullable=False),
    Column("recall_page", Integer),
    _text("platform", 32, nullable=False),
    _text("content_id", 128),
    _text("title", 512, nullable=False),
    _text("url", 1024, nullable=False),
    _text("digest", 1000),
    _text("cover_url", 1024),
    _time("publish_time"),
    Column("account_id", AccountId("account_id")),
    _text("account_name", 255),
    _text("biz_info", 128),
    Column("view_count", BigInteger),
    Column("like_count", BigInteger),
    Column("comment_count", BigInteger),
    Column("favorite_count", BigInteger),
    Column("share_count", BigInteger),
    _json("raw_statistics"),
    _json("raw_payload"),
    _text("dedup_hash", 64),
    _text("quality_flag", 32),
    _text("reject_reason", 255),
    Column("is_deleted", Flag, nullable=False),
)

supply_account_profile = _table(
    "supply_account_profile",
    _text("task_id", 64, nullable=False),
    Column("account_id", AccountId("account_id"), nullable=False),
    _text("account_name", 255),
    _text("biz_info", 128),
    _long_text("intro"),
    Column("verify_status", SmallInteger),
    _text("category", 64),
    _text("update_frequency", 32),
    Column("recent_article_count", Integer),
    Column("median_view_count", BigInteger),
    Column("median_like_count", BigInteger),
    _share("vertical_score"),
    _share("stability_score"),
    _share("credibility_score"),
    _json("risk_tags"),
    _json("raw_profile_payload"),
    _json("raw_history_payload"),
)

supply_content_feature = _table(
    "supply_content_feature",
    _text("task_id", 64, nullable=False),
    Column("candidate_id", BigInteger, ForeignKey("supply_candidate_content.id"), nullable=False),
    Column("content_length", Integer),
    Column("image_count", Integer),
    Column("video_count", Integer),
    Column("has_source_reference", Flag),
    _share("readability_score"),
    _share("information_density_score"),
    _share("elder_friendly_score"),
    _score("sentiment_score", -999.99, 999.99),
    _share("risk_score"),
    _json("risk_reasons"),
    _json("keyword_coverage"),
    _long_text("summary"),
    _json("raw_detail_payload"),
)

supply_content_score = _table(
    "supply_content_score",
    _text("task_id", 64, nullable=False),
    Column("candidate_id", BigInteger, ForeignKey("supply_candidate_content.id"), nullable=False),
    _share("relevance_score", nullable=False),
    _share("popularity_score", nullable=False),
    _share("quality_score", nullable=False),
    _share("account_score", nullable=False),
    _share("elder_fit_score", nullable=False),
    _score("diversity_penalty", -999.99, 999.99, nullable=False),
    _score("total_score", -9999.99, 9999.99, digits=6, nullable=False),
    _text("filter_status", 32, nullable=False),
    _text("filter_reason", 255),
    Column("is_selected", Flag, nullable=False),
    Column("rank_no", Integer),
    _text("score_version", 32),
    _json("score_detail"),
)

supply_crawler_plan = _table(
    "supply_crawler_plan",
    _text("task_id", 64, nullable=False),
    _text("platform", 32, nullable=False),
    _text("plan_type", 32, nullable=False),
    Column("input_count", Integer, nullable=False),
    _text("crawler_plan_id", 128),
    _text("crawler_plan_name", 255),
    _text("produce_plan_id", 128),
    _text("produce_bind_status", 32),
    _json("request_payload", nullable=False),
    _json("response_payload"),
    _text("plan_status", 32, nullable=False),
    _text("error_code", 64),
    _long_text("error_message"),
)

supply_task_event = _table(
    "supply_task_event",
    _text("task_id", 64, nullable=False),
    _text("stage_name", 32),
    _text("event_type", 64, nullable=False),
    _text("event_level", 16, nullable=False),
    _text("tool_name", 64),
    _text("request_id", 64),
    _json("event_payload"),
    _text("message", 1000),
    is_append_only=True,
)

TABLES = frozenset(metadata.tables)
