"""The nine tables as statements see them (S-040); their DDL is in ``migrations``, by which alone they are made."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, MetaData, SmallInteger, Table, func

from resources.databases.supply_store.column_types import Flag, LongText, Score, StrictJson, UtcDateTime, Varchar

metadata = MetaData()


def _id() -> Column[int]:
    return Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True)


def _created() -> Column[datetime]:
    return Column("created_at", UtcDateTime("created_at"), nullable=False, server_default=func.current_timestamp())


def _updated() -> Column[datetime]:
    now = func.current_timestamp()
    return Column("updated_at", UtcDateTime("updated_at"), nullable=False, server_default=now, onupdate=now)


def _share(field: str) -> Score:
    """A score of 0 to 100."""
    return Score(field, 5, 0, 100)


supply_demand_snapshot = Table(
    "supply_demand_snapshot",
    metadata,
    _id(),
    Column("demand_id", BigInteger, nullable=False),
    Column("demand_code", Varchar("demand_code", 64)),
    Column("query", Varchar("query", 255), nullable=False),
    Column("query_expansion", StrictJson("query_expansion")),
    Column("platform", Varchar("platform", 32), nullable=False),
    Column("expected_count", Integer, nullable=False),
    Column("audience_profile", StrictJson("audience_profile")),
    Column("quality_constraints", StrictJson("quality_constraints")),
    Column("source_payload", StrictJson("source_payload")),
    Column("version", Integer, nullable=False),
    _created(),
    _updated(),
)

supply_task = Table(
    "supply_task",
    metadata,
    _id(),
    Column("task_id", Varchar("task_id", 64), nullable=False),
    Column("demand_snapshot_id", BigInteger, ForeignKey("supply_demand_snapshot.id"), nullable=False),
    Column("demand_id", BigInteger, nullable=False),
    Column("trace_id", Varchar("trace_id", 64)),
    Column("status", Varchar("status", 32), nullable=False),
    Column("current_stage", Varchar("current_stage", 32)),
    Column("priority", SmallInteger, nullable=False),
    Column("retry_count", Integer, nullable=False),
    Column("max_retry", Integer, nullable=False),
    Column("is_idempotent", Flag, nullable=False),
    Column("idempotency_key", Varchar("idempotency_key", 128)),
    Column("started_at", UtcDateTime("started_at")),
    Column("finished_at", UtcDateTime("finished_at")),
    Column("duration_ms", BigInteger),
    Column("error_code", Varchar("error_code", 64)),
    Column("error_message", LongText("error_message")),
    Column("operator", Varchar("operator", 64)),
    Column("ext", StrictJson("ext")),
    _created(),
    _updated(),
)

supply_task_stage = Table(
    "supply_task_stage",
    metadata,
    _id(),
    Column("task_id", Varchar("task_id", 64), nullable=False),
    Column("stage_name", Varchar("stage_name", 32), nullable=False),
    Column("stage_status", Varchar("stage_status", 32), nullable=False),
    Column("attempt_no", Integer, nullable=False),
    Column("input_payload", StrictJson("input_payload")),
    Column("output_payload", StrictJson("output_payload")),
    Column("started_at", UtcDateTime("started_at")),
    Column("finished_at", UtcDateTime("finished_at")),
    Column("duration_ms", BigInteger),
    Column("error_code", Varchar("error_code", 64)),
    Column("error_message", LongText("error_message")),
    _created(),
    _updated(),
)

supply_candidate_content = Table(
    "supply_candidate_content",
    metadata,
    _id(),
    Column("task_id", Varchar("task_id", 64), nullable=False),
    Column("source_keyword", Varchar("source_keyword", 255)),
    Column("recall_round", Integer, nullable=False),
    Column("recall_page", Integer),
    Column("platform", Varchar("platform", 32), nullable=False),
    Column("content_id", Varchar("content_id", 128)),
    Column("title", Varchar("title", 512), nullable=False),
    Column("url", Varchar("url", 1024), nullable=False),
    Column("digest", Varchar("digest", 1000)),
    Column("cover_url", Varchar("cover_url", 1024)),
    Column("publish_time", UtcDateTime("publish_time")),
    Column("account_id", Varchar("account_id", 128)),
    Column("account_name", Varchar("account_name", 255)),
    Column("biz_info", Varchar("biz_info", 128)),
    Column("view_count", BigInteger),
    Column("like_count", BigInteger),
    Column("comment_count", BigInteger),
    Column("favorite_count", BigInteger),
    Column("share_count", BigInteger),
    Column("raw_statistics", StrictJson("raw_statistics")),
    Column("raw_payload", StrictJson("raw_payload")),
    Column("dedup_hash", Varchar("dedup_hash", 64)),
    Column("quality_flag", Varchar("quality_flag", 32)),
    Column("reject_reason", Varchar("reject_reason", 255)),
    Column("is_deleted", Flag, nullable=False),
    _created(),
    _updated(),
)

supply_account_profile = Table(
    "supply_account_profile",
    metadata,
    _id(),
    Column("task_id", Varchar("task_id", 64), nullable=False),
    Column("account_id", Varchar("account_id", 128), nullable=False),
    Column("account_name", Varchar("account_name", 255)),
    Column("biz_info", Varchar("biz_info", 128)),
    Column("intro", LongText("intro")),
    Column("verify_status", SmallInteger),
    Column("category", Varchar("category", 64)),
    Column("update_frequency", Varchar("update_frequency", 32)),
    Column("recent_article_count", Integer),
    Column("median_view_count", BigInteger),
    Column("median_like_count", BigInteger),
    Column("vertical_score", _share("vertical_score")),
    Column("stability_score", _share("stability_score")),
    Column("credibility_score", _share("credibility_score")),
    Column("risk_tags", StrictJson("risk_tags")),
    Column("raw_profile_payload", StrictJson("raw_profile_payload")),
    Column("raw_history_payload", StrictJson("raw_history_payload")),
    _created(),
    _updated(),
)

supply_content_feature = Table(
    "supply_content_feature",
    metadata,
    _id(),
    Column("task_id", Varchar("task_id", 64), nullable=False),
    Column("candidate_id", BigInteger, ForeignKey("supply_candidate_content.id"), nullable=False),
    Column("content_length", Integer),
    Column("image_count", Integer),
    Column("video_count", Integer),
    Column("has_source_reference", Flag),
    Column("readability_score", _share("readability_score")),
    Column("information_density_score", _share("information_density_score")),
    Column("elder_friendly_score", _share("elder_friendly_score")),
    Column("sentiment_score", Score("sentiment_score", 5, -999.99, 999.99)),
    Column("risk_score", _share("risk_score")),
    Column("risk_reasons", StrictJson("risk_reasons")),
    Column("keyword_coverage", StrictJson("keyword_coverage")),
    Column("summary", LongText("summary")),
    Column("raw_detail_payload", StrictJson("raw_detail_payload")),
    _created(),
    _updated(),
)

supply_content_score = Table(
    "supply_content_score",
    metadata,
    _id(),
    Column("task_id", Varchar("task_id", 64), nullable=False),
    Column("candidate_id", BigInteger, ForeignKey("supply_candidate_content.id"), nullable=False),
    Column("relevance_score", _share("relevance_score"), nullable=False),
    Column("popularity_score", _share("popularity_score"), nullable=False),
    Column("quality_score", _share("quality_score"), nullable=False),
    Column("account_score", _share("account_score"), nullable=False),
    Column("elder_fit_score", _share("elder_fit_score"), nullable=False),
    Column("diversity_penalty", Score("diversity_penalty", 5, -999.99, 999.99), nullable=False),
    Column("total_score", Score("total_score", 6, -9999.99, 9999.99), nullable=False),
    Column("filter_status", Varchar("filter_status", 32), nullable=False),
    Column("filter_reason", Varchar("filter_reason", 255)),
    Column("is_selected", Flag, nullable=False),
    Column("rank_no", Integer),
    Column("score_version", Varchar("score_version", 32)),
    Column("score_detail", StrictJson("score_detail")),
    _created(),
    _updated(),
)

supply_crawler_plan = Table(
    "supply_crawler_plan",
    metadata,
    _id(),
    Column("task_id", Varchar("task_id", 64), nullable=False),
    Column("platform", Varchar("platform", 32), nullable=False),
    Column("plan_type", Varchar("plan_type", 32), nullable=False),
    Column("input_count", Integer, nullable=False),
    Column("crawler_plan_id", Varchar("crawler_plan_id", 128)),
    Column("crawler_plan_name", Varchar("crawler_plan_name", 255)),
    Column("produce_plan_id", Varchar("produce_plan_id", 128)),
    Column("produce_bind_status", Varchar("produce_bind_status", 32)),
    Column("request_payload", StrictJson("request_payload"), nullable=False),
    Column("response_payload", StrictJson("response_payload")),
    Column("plan_status", Varchar("plan_status", 32), nullable=False),
    Column("error_code", Varchar("error_code", 64)),
    Column("error_message", LongText("error_message")),
    _created(),
    _updated(),
)

supply_task_event = Table(
    "supply_task_event",
    metadata,
    _id(),
    Column("task_id", Varchar("task_id", 64), nullable=False),
    Column("stage_name", Varchar("stage_name", 32)),
    Column("event_type", Varchar("event_type", 64), nullable=False),
    Column("event_level", Varchar("event_level", 16), nullable=False),
    Column("tool_name", Varchar("tool_name", 64)),
    Column("request_id", Varchar("request_id", 64)),
    Column("event_payload", StrictJson("event_payload")),
    Column("message", Varchar("message", 1000)),
    _created(),
)

TABLES = frozenset(metadata.tables)
