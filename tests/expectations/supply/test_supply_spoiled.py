"""One row altered behind the stages' back: exactly its check is red, under its rule (section 5 of the contract)."""

from __future__ import annotations

from typing import Any

import pytest

from resources.databases.supply_store.engine import SupplyStore
from tests.expectations.supply.supply_batch import (
    CANCELLED,
    EMPTY,
    FAILED,
    HELD,
    PLANNED,
    batch_frames,
    broken,
    look,
    spoil,
)

ALL = ("complete", "shape", "closure")
GONE = "DELETE FROM supply_task WHERE task_id = '{}'"
COPY = "INSERT INTO supply_{0} (task_id, {1}) SELECT '" + CANCELLED + "', {1} FROM supply_{0} WHERE id = 1"
SNAPSHOT = "UPDATE supply_demand_snapshot SET {} WHERE demand_id = 1"
IN_SNAPSHOT = SNAPSHOT.format("source_payload = {}")
TASK = "UPDATE supply_task SET {} WHERE task_id = '" + PLANNED + "'"
CANDIDATE = "UPDATE supply_candidate_content SET {} WHERE task_id = '" + PLANNED + "' AND title LIKE '%1'"
PROFILE = "UPDATE supply_account_profile SET {} WHERE task_id = '" + PLANNED + "' AND account_id = 'gh_0'"
FEATURE = "UPDATE supply_content_feature SET {} WHERE id = 1"
SCORE = "UPDATE supply_content_score SET {} WHERE id = 1"
PARTS = ("popularity", "quality", "account", "elder_fit")
READ = "candidate_id, risk_reasons, keyword_coverage, raw_detail_payload"
SCORED = (
    "candidate_id, relevance_score, popularity_score, quality_score, account_score, elder_fit_score, total_score, "
    "filter_status, filter_reason, score_version, score_detail"
)
DETAIL = SCORE.format("score_detail = {}")
PLAN = "UPDATE supply_crawler_plan SET {} WHERE task_id = '" + PLANNED + "'"
UNSAID = "UPDATE supply_task SET ext = json_remove(ext, '{}') WHERE task_id = '{}'"
SAID_OF_EMPTY = "UPDATE supply_task_stage SET output_payload = {} WHERE task_id = '" + EMPTY + "' AND stage_name = '{}'"
OUTPUT = (
    "UPDATE supply_task_stage SET output_payload = json_set(output_payload, '$.{}', {}) "
    "WHERE task_id = '" + PLANNED + "' AND stage_name = '{}'"
)


def case(asset: str, check: str, rule: str, statement: str) -> Any:
    return pytest.param(asset, check, rule, statement, id=f"{asset}-{check}-{statement.partition('SET ')[2][:40]}")


DEMANDS = [
    ("shape", "S-001", SNAPSHOT.format("platform = 'x'")),
    ("shape", "S-041", SNAPSHOT.format("quality_constraints = '[]'")),
    ("shape", "S-041", SNAPSHOT.format("created_at = '2999-01-01 00:00:00'")),
    ("closure", "S-001", SNAPSHOT.format("query = '狗'")),
    ("closure", "S-001", SNAPSHOT.format("query_expansion = '[]'")),
    ("closure", "S-001", SNAPSHOT.format("expected_count = 3")),
    ("closure", "S-003", SNAPSHOT.format("version = 2")),
    ("closure", "S-003", SNAPSHOT.format("demand_id = 77")),
    ("closure", "S-003", TASK.format("demand_snapshot_id = 2")),
    ("closure", "S-006", IN_SNAPSHOT.format("json_set(source_payload, '$.source_evidence.source_post_id', 'p2')")),
    ("closure", "S-006", TASK.format("ext = json_set(ext, '$.source_evidence.mining_config_id', 9)")),
    ("closure", "S-006", IN_SNAPSHOT.format("json_remove(source_payload, '$.source_evidence.categories')")),
]  # fmt: skip
TASKS = [
    ("complete", "S-005", TASK.format("status = 'FAILED'")),
    ("complete", "S-005", f"UPDATE supply_task SET error_message = NULL WHERE task_id = '{FAILED}'"),
    ("complete", "S-005", UNSAID.format("$.review.by", CANCELLED)),
    ("complete", "S-005", f"DELETE FROM supply_task_stage WHERE task_id = '{HELD}'"),
    ("shape", "S-004", TASK.format("current_stage = 'RANK'")),
    ("shape", "S-004", TASK.format("finished_at = NULL")),
    ("shape", "S-005", TASK.format("retry_count = -1")),
    ("shape", "S-005", TASK.format("duration_ms = -1")),
    ("shape", "S-041", TASK.format("started_at = '2999-01-01 00:00:00'")),
    ("shape", "S-028", TASK.format("ext = json_set(ext, '$.options.plan_type', 'BY_MAGIC')")),
    ("shape", "S-025", TASK.format("ext = json_set(ext, '$.cycle', 0)")),
    ("closure", "S-003", TASK.format("trace_id = 'another'")),
    ("closure", "S-003", TASK.format("demand_snapshot_id = 2")),
    ("closure", "S-003", TASK.format("idempotency_key = replace(idempotency_key, 'v1', 'v2')")),
    ("closure", "S-003", TASK.format("demand_id = 2")),
    ("closure", "S-006", TASK.format("ext = json_set(ext, '$.source_evidence.demand_id', 2)")),
]  # fmt: skip
CANDIDATES = [
    ("complete", "S-042", OUTPUT.format("candidates", "5", "RECALL")),
    ("complete", "S-005", f"UPDATE supply_task SET error_code = NULL WHERE task_id = '{FAILED}'"),
    ("shape", "S-020", CANDIDATE.format("title = ' '")),
    ("shape", "S-040", CANDIDATE.format("platform = 'x'")),
    ("shape", "S-030", CANDIDATE.format("quality_flag = 'GOOD'")),
    ("shape", "S-011", CANDIDATE.format("is_deleted = 1")),
    ("shape", "S-020", CANDIDATE.format("recall_round = 0")),
    ("shape", "S-020", CANDIDATE.format("recall_page = 0")),
    ("shape", "S-022", CANDIDATE.format("view_count = -1")),
    *(("shape", "S-022", CANDIDATE.format(f"{name}_count = -1")) for name in ("like", "comment", "favorite", "share")),
    ("shape", "S-022", CANDIDATE.format("publish_time = '2999-01-01 00:00:00'")),
    ("shape", "S-041", CANDIDATE.format("created_at = '2999-01-01 00:00:00'")),
    ("shape", "S-041", CANDIDATE.format("raw_statistics = '[]'")),
    ("closure", "S-020", CANDIDATE.format("url = url || '2'")),
    ("closure", "S-020", CANDIDATE.format(f"dedup_hash = '{'a' * 64}'")),
    ("closure", "S-013a", CANDIDATE.format("raw_payload = json_remove(raw_payload, '$.provider')")),
    ("closure", "S-030", CANDIDATE.format("quality_flag = 'REJECTED'")),
    ("closure", "S-005", COPY.format("candidate_content", "title, url, dedup_hash, raw_payload, raw_statistics")),
    ("complete", "S-020", SAID_OF_EMPTY.format("json_set(output_payload, '$.exhausted', json('false'))", "RECALL")),
]  # fmt: skip
PROFILES = [
    ("complete", "S-021", CANDIDATE.format("account_id = 'gh_9'")),
    ("complete", "S-013a", OUTPUT.format("promising", "3", "ACCOUNT_PROFILE")),
    ("shape", "S-021", PROFILE.format("credibility_score = 100.01")),
    ("shape", "S-021", PROFILE.format("vertical_score = -0.01")),
    ("shape", "S-021", PROFILE.format("stability_score = 101")),
    ("shape", "S-041", PROFILE.format("created_at = '2999-01-01 00:00:00'")),
    ("shape", "S-022", PROFILE.format("median_view_count = -1")),
    ("shape", "S-022", PROFILE.format("median_like_count = -1")),
    ("shape", "S-022", PROFILE.format("recent_article_count = -1")),
    ("shape", "S-021", PROFILE.format("update_frequency = 'hourly'")),
    ("shape", "S-021", PROFILE.format("verify_status = -1")),
    ("shape", "S-013a", PROFILE.format("raw_profile_payload = json_set(raw_profile_payload, '$.state', 'gone')")),
    ("shape", "S-041", PROFILE.format("risk_tags = '{}'")),
    ("shape", "S-041", PROFILE.format("raw_history_payload = '[]'")),
    ("closure", "S-021", f"INSERT INTO supply_account_profile (task_id, account_id, raw_profile_payload) "
                         f"VALUES ('{PLANNED}', 'gh_7', '{{\"state\": \"found\", \"key\": \"id:gh_7\"}}')"),
]  # fmt: skip
FEATURES = [
    ("complete", "S-042", "DELETE FROM supply_content_feature WHERE id = 1"),
    ("complete", "S-013a", OUTPUT.format("asked", "4", "CONTENT_ENRICH")),
    ("shape", "S-021", FEATURE.format("readability_score = 100.01")),
    ("shape", "S-021", FEATURE.format("risk_score = NULL")),
    ("shape", "S-021", FEATURE.format("information_density_score = -1")),
    ("shape", "S-021", FEATURE.format("elder_friendly_score = 101")),
    *(("shape", "S-021", FEATURE.format(f"{name} = -1")) for name in ("content_length", "image_count", "video_count")),
    ("shape", "S-041", FEATURE.format("created_at = '2999-01-01 00:00:00'")),
    ("shape", "S-041", FEATURE.format("sentiment_score = 101")),
    ("shape", "S-041", FEATURE.format("risk_reasons = '{}'")),
    ("shape", "S-041", FEATURE.format("keyword_coverage = NULL")),
    ("closure", "S-021", COPY.format("content_feature", READ)),
    ("closure", "S-027", FEATURE.format("raw_detail_payload = json_remove(raw_detail_payload, '$.detail')")),
]  # fmt: skip
SCORES = [
    ("complete", "S-023", "DELETE FROM supply_content_score WHERE id = 4"),
    ("complete", "S-042", OUTPUT.format("pool", "5", "RANK")),
    ("complete", "S-042", OUTPUT.format("selected", "3", "RANK")),
    ("complete", "S-025", OUTPUT.format("shortfall", "1", "RANK")),
    ("shape", "S-024", SCORE.format("rank_no = 3")),
    ("shape", "S-024", "UPDATE supply_content_score SET rank_no = 3 - rank_no WHERE id < 3"),
    ("shape", "S-023", SCORE.format("relevance_score = 100.01")),
    *(("shape", "S-023", SCORE.format(f"{part}_score = -1")) for part in PARTS),
    ("shape", "S-023", SCORE.format("total_score = total_score + 0.03")),
    ("shape", "S-023", SCORE.format("diversity_penalty = 0.5")),
    ("shape", "S-023", SCORE.format("diversity_penalty = -0.01, total_score = total_score + 0.01")),
    ("shape", "S-023", SCORE.format("score_detail = json_set(score_detail, '$.weights.elder', 0.06)")),
    ("shape", "S-023", SCORE.format("score_detail = json_remove(score_detail, '$.weights')")),
    ("shape", "S-023", SCORE.format("score_detail = json_remove(score_detail, '$.parts.quality')")),
    ("shape", "S-023", "UPDATE supply_content_score SET filter_status = 'PENDING' WHERE id = 4"),
    ("shape", "S-023", "UPDATE supply_content_score SET filter_reason = NULL WHERE id = 4"),
    ("shape", "S-023", "UPDATE supply_content_score SET rank_no = 3 WHERE id = 3"),
    ("shape", "S-023", SCORE.format("score_version = 'v2'")),
    ("shape", "S-025", SNAPSHOT.format("expected_count = 1")),
    ("shape", "S-041", "UPDATE supply_content_score SET created_at = '2999-01-01 00:00:00' WHERE id = 3"),
    ("closure", "S-023", COPY.format("content_score", SCORED).replace("id = 1", "id = 4")),
    ("closure", "S-023", SCORE.format("filter_status = 'REJECT', filter_reason = 'risk'")),
    ("closure", "S-030", CANDIDATE.format("quality_flag = 'HELD'")),
    ("closure", "S-030", CANDIDATE.format("quality_flag = 'REJECT'")),
    ("closure", "S-030", CANDIDATE.format("is_deleted = 1")),
    ("closure", "S-021", "DELETE FROM supply_content_feature WHERE id = 1"),
    ("closure", "S-020", CANDIDATE.format("raw_payload = json_set(raw_payload, '$.link_resolved', json('false'))")),
    ("closure", "S-006", DETAIL.format("json_set(score_detail, '$.source_evidence.matched_post_ids[0]', 'p9')")),
    ("closure", "S-006", SCORE.format("score_detail = json_remove(score_detail, '$.source_evidence')")),
]  # fmt: skip
PLANS = [
    ("complete", "S-005", UNSAID.format("$.review", HELD)),
    ("shape", "S-028", PLAN.format("plan_status = 'SENT'")),
    ("shape", "S-028", PLAN.format("produce_bind_status = 'MAYBE'")),
    ("shape", "S-028", PLAN.format("input_count = 3")),
    ("shape", "S-028", PLAN.format("crawler_plan_name = NULL")),
    ("shape", "S-040", PLAN.format("platform = 'x'")),
    ("shape", "S-041", PLAN.format("response_payload = '[]'")),
    ("closure", "S-028", "INSERT INTO supply_crawler_plan (task_id, plan_type, input_count, crawler_plan_id, "
                         "crawler_plan_name, request_payload, plan_status) SELECT task_id, plan_type, input_count, "
                         "'cp-2', crawler_plan_name, request_payload, plan_status FROM supply_crawler_plan"),
    ("shape", "S-041", PLAN.format("created_at = '2999-01-01 00:00:00'")),
    ("closure", "S-028", "DELETE FROM supply_crawler_plan"),
    ("closure", "S-006", PLAN.format("request_payload = json_set(request_payload, '$.source_evidence.demand_id', 2)")),
    ("closure", "S-006", PLAN.format("request_payload = json_remove(request_payload, '$.source_evidence')")),
    ("closure", "S-028", PLAN.format("request_payload = json_set(request_payload, '$.task_id', 'x')")),
    ("closure", "S-006", PLAN.format("request_payload = json_set(request_payload, '$.contents[0].url', 'https://h/9')")),
    ("closure", "S-006", "UPDATE supply_content_score SET is_selected = 1 WHERE id = 3"),
    ("closure", "S-006", "UPDATE supply_content_score SET is_selected = 0 WHERE id = 2"),
]  # fmt: skip
RESULTS = [
    ("complete", "S-029", f"UPDATE supply_task SET error_code = '' WHERE task_id = '{FAILED}'"),
    ("shape", "S-025", SAID_OF_EMPTY.format("json_remove(output_payload, '$.shortfall_explained')", "FINALIZE")),
    ("shape", "S-041", TASK.format("finished_at = '2999-01-01 00:00:00'")),
    ("closure", "S-012", "INSERT INTO supply_task_stage (task_id, stage_name, stage_status) VALUES ('x', 'INIT', 'x')"),
    ("closure", "S-029", OUTPUT.format("crawler_plan_id", "'cp-9'", "FINALIZE")),
    ("closure", "S-029", OUTPUT.format("trace_id", "'x'", "FINALIZE")),
    ("closure", "S-029", OUTPUT.format("task_id", "'x'", "FINALIZE")),
    ("closure", "S-029", OUTPUT.format("selected[0].total_score", "1", "FINALIZE")),
    ("closure", "S-029", OUTPUT.format("selected[1].candidate_id", "1", "FINALIZE")),
    ("closure", "S-012", "UPDATE supply_task_event SET task_id = 'gone', created_at = '2999-01-01' WHERE id = 1"),
]  # fmt: skip
CASES = [
    case(asset, *one)
    for asset, cases in {
        "demand_snapshots": DEMANDS,
        "supply_tasks": TASKS,
        "candidate_pool": CANDIDATES,
        "account_profiles": PROFILES,
        "content_features": FEATURES,
        "content_scores": SCORES,
        "crawler_plans": PLANS,
        "supply_results": RESULTS,
    }.items()
    for one in cases
]


@pytest.mark.parametrize(("asset", "check", "rule", "statement"), CASES)
def test_section_5_an_altered_row_is_red_in_its_check_alone(
    batch_store: SupplyStore, asset: str, check: str, rule: str, statement: str
):
    tasks, demands = batch_frames(batch_store)
    spoil(batch_store, statement)
    red = broken(look(batch_store, asset, tasks, demands))
    red.pop("shortfall", None)
    assert set(red) == {check}
    assert rule in red[check]


@pytest.mark.parametrize(
    ("asset", "statement", "expected"),
    [
        ("supply_tasks", TASK.format("status = 'DOING'"), {"complete": "S-005", "shape": "S-004"}),
        ("supply_tasks", TASK.format("current_stage = 'THINK'"), {"shape": "S-004"}),
        ("supply_tasks", TASK.format("idempotency_key = '1:x:weixin:v1'"), {"shape": "S-003", "closure": "S-003"}),
        (
            "supply_tasks",
            TASK.format("ext = json_remove(ext, '$.source_evidence')"),
            {"shape": "S-006", "closure": "S-006"},
        ),
        ("supply_tasks", GONE.format(HELD), {"complete": "S-005", "closure": "S-003"}),
        ("demand_snapshots", GONE.format(HELD), {"complete": "S-002"}),
        (
            "demand_snapshots",
            SNAPSHOT.format("source_payload = NULL"),
            {"shape": "S-006", "closure": "S-006"},
        ),
        ("demand_snapshots", SNAPSHOT.format("expected_count = 201"), {"shape": "S-001", "closure": "S-001"}),
        ("demand_snapshots", SNAPSHOT.format("query = ' '"), {"shape": "S-001", "closure": "S-001"}),
        ("demand_snapshots", SNAPSHOT.format("version = 0"), {"shape": "S-003", "closure": "S-003"}),
        ("demand_snapshots", SNAPSHOT.format("demand_id = 0"), {"shape": "S-001", "closure": "S-003"}),
        ("demand_snapshots", SNAPSHOT.format("query_expansion = '{}'"), {"shape": "S-041", "closure": "S-001"}),
        ("candidate_pool", CANDIDATE.format("dedup_hash = NULL"), {"shape": "S-020", "closure": "S-020"}),
        ("candidate_pool", CANDIDATE.format("raw_payload = NULL"), {"shape": "S-041", "closure": "S-013a"}),
        (
            "candidate_pool",
            CANDIDATE.format("url = replace(url, 'https', 'http')"),
            {"shape": "S-020", "closure": "S-020"},
        ),
        ("account_profiles", PROFILE.format("raw_profile_payload = NULL"), {"shape": "S-013a"}),
        ("account_profiles", PROFILE.format("account_id = ' '"), dict.fromkeys(ALL, "S-021")),
        ("account_profiles", GONE.format(PLANNED), {"complete": "S-005", "closure": "S-021"}),
        ("content_features", GONE.format(PLANNED), {"complete": "S-005", "closure": "S-021"}),
        ("content_scores", GONE.format(PLANNED), {"complete": "S-005", "closure": "S-006"}),
        ("crawler_plans", GONE.format(PLANNED), {"complete": "S-005", "closure": "S-006"}),
        ("content_features", FEATURE.format("raw_detail_payload = '[]'"), {"shape": "S-041", "closure": "S-027"}),
        ("content_scores", SCORE.format("score_detail = NULL"), {"shape": "S-041", "closure": "S-006"}),
        ("content_scores", SCORE.format("total_score = 100.01"), {"shape": "S-023"}),
        ("content_scores", "UPDATE supply_content_score SET score_version = NULL WHERE id < 5", {"shape": "S-023"}),
        ("crawler_plans", PLAN.format("crawler_plan_id = NULL"), {"shape": "S-028", "closure": "S-028"}),
        ("crawler_plans", PLAN.format("plan_type = 'BY_MAGIC'"), {"shape": "S-028"}),
        (
            "crawler_plans",
            PLAN.format("input_count = 0, request_payload = json_set(request_payload, '$.contents', json('[]'))"),
            {"shape": "S-028", "closure": "S-006"},
        ),
        ("crawler_plans", PLAN.format("request_payload = '[]'"), {"shape": "S-041", "closure": "S-028"}),
        ("supply_results", OUTPUT.format("selected", "'x'", "FINALIZE"), {"shape": "S-029", "closure": "S-029"}),
        ("supply_results", OUTPUT.format("shortfall", "-1", "FINALIZE"), {"shape": "S-025", "closure": "S-025"}),
        ("crawler_plans", "DELETE FROM supply_task_stage WHERE stage_name = 'CREATE_PLAN'", {"complete": "S-005"}),
        ("candidate_pool", GONE.format(PLANNED), {"complete": "S-005", "closure": "S-005"}),
    ],
)  # fmt: skip
def test_section_5_what_breaks_two_checks_is_red_in_both(
    batch_store: SupplyStore, asset: str, statement: str, expected: dict[str, str]
):
    tasks, demands = batch_frames(batch_store)
    spoil(batch_store, statement)
    red = broken(look(batch_store, asset, tasks, demands))
    red.pop("shortfall", None)
    assert set(red) == set(expected)
    assert all(rule in red[check] for check, rule in expected.items())
