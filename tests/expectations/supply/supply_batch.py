"""A sound batch built by the store's own functions: a task that planned, and tasks that ended in every other way."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pandas as pd
from sqlalchemy import Connection, text

from expectations.engine.validation import SuiteResult, Verdict, merge, run_suites
from expectations.supply.frames import supply_frames
from expectations.supply.suites import SUPPLY_SUITES
from resources.databases.supply_store.articles.candidates import NewCandidate, read_candidates, upsert_candidates
from resources.databases.supply_store.articles.features import NewFeature, upsert_features
from resources.databases.supply_store.articles.plans import NewPlan, record_plan, reserve_plan
from resources.databases.supply_store.articles.profiles import NewProfile, upsert_profiles
from resources.databases.supply_store.articles.scores import NewScore, replace_scores
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.events import NewEvent, insert_events
from resources.databases.supply_store.states import Stage, StageStatus, TaskStatus
from resources.databases.supply_store.tasks.ext import set_ext
from resources.databases.supply_store.tasks.leases import acquire, release
from resources.databases.supply_store.tasks.snapshots import NewSnapshot, insert_snapshots
from resources.databases.supply_store.tasks.stage_rows import begin_stage, end_stage
from resources.databases.supply_store.tasks.tasks import NewTask, insert_tasks, move, read_task, read_tasks

AT = datetime(2024, 3, 1, 8, 0, tzinfo=UTC)
WEIGHTS = {"relevance": 0.3, "popularity": 0.25, "quality": 0.25, "account": 0.15, "elder": 0.05}
PLANNED, EMPTY, FAILED, HELD, CANCELLED = "planned", "empty", "failed", "held", "cancelled"
TASKS = (PLANNED, EMPTY, FAILED, HELD, CANCELLED)
ROAD = (
    (Stage.INIT, TaskStatus.RUNNING),
    (Stage.RECALL, TaskStatus.RECALL_DONE),
    (Stage.ACCOUNT_ENRICH, TaskStatus.ENRICHED),
    (Stage.ACCOUNT_PROFILE, TaskStatus.ENRICHED),
    (Stage.CONTENT_ENRICH, TaskStatus.ENRICHED),
    (Stage.RANK, TaskStatus.RANKED),
    (Stage.CREATE_PLAN, TaskStatus.PLAN_CREATED),
    (Stage.FINALIZE, TaskStatus.COMPLETED),
)
RECALLED = {"candidates": 4, "exhausted": False, "ended": {}}
NOT_RECALLED = {"candidates": 0, "exhausted": True, "ended": {"q": "no_more"}}
OUTPUTS: dict[Stage, dict[str, Any]] = {
    Stage.RECALL: RECALLED,
    Stage.ACCOUNT_PROFILE: {"promising": 2, "coverage": {"found": 1, "rate_limited": 1}},
    Stage.CONTENT_ENRICH: {"asked": 3, "known_before": 0, "coverage": {"found": 3}},
    Stage.RANK: {"pool": 4, "selected": 2, "shortfall": 0},
}
NOTHING_OUT: dict[Stage, dict[str, Any]] = {
    Stage.RECALL: NOT_RECALLED,
    Stage.ACCOUNT_PROFILE: {"promising": 0, "coverage": {}},
    Stage.CONTENT_ENRICH: {"asked": 0, "known_before": 0, "coverage": {}},
    Stage.RANK: {"pool": 0, "selected": 0, "shortfall": 2},
}


def evidence(demand_id: int) -> dict[str, Any]:
    return {
        "origin": "demand_content",
        "demand_id": demand_id,
        "demand_content_id": demand_id,
        "pattern_execution_id": 581,
        "mining_config_id": 2081,
        "itemset_ids": [1001],
        "source_post_id": "p1",
        "categories": [{"id": 11, "name": "猫", "path": "/猫"}],
        "matched_post_ids": ["p1", "p2"],
        "pattern_trace_id": "trace",
    }


def fill(store: SupplyStore) -> None:
    """All tasks of the batch, each driven to its end."""
    store.write(_take_in)
    for name, end in ((PLANNED, Stage.FINALIZE), (EMPTY, Stage.FINALIZE), (HELD, Stage.RANK)):
        store.write(lambda connection, name=name, end=end: _drive(connection, name, end))
    store.write(_stop_the_others)


def top_up(store: SupplyStore) -> None:
    """The failed task tries again and goes through two rounds of recall to a plan."""

    def work(connection: Connection) -> None:
        task = read_task(connection, FAILED)
        move(connection, task, status=TaskStatus.RUNNING, stage=Stage.RECALL, owner=None, at=AT)
        _run(connection, FAILED, ROAD[1:5], OUTPUTS)
        output = OUTPUTS[Stage.RANK] | {"selected": 1, "shortfall": 1, "next_cycle": 2}
        _stage(connection, FAILED, Stage.RANK, output)
        task = read_task(connection, FAILED)
        move(connection, task, status=TaskStatus.RUNNING, stage=Stage.RECALL, owner=None, at=AT)
        set_ext(connection, FAILED, "cycle", 2)
        again = {Stage.CONTENT_ENRICH: {"asked": 0, "known_before": 3, "coverage": {}}}
        again[Stage.ACCOUNT_PROFILE] = {"promising": 1, "coverage": {"found": 1}}
        _run(connection, FAILED, ROAD[1:], OUTPUTS | again)

    store.write(work)


def _take_in(connection: Connection) -> None:
    snapshots = [
        NewSnapshot(
            demand_id=number,
            query=f"猫 {number}",
            query_expansion=["治愈"],
            expected_count=2,
            source_payload={"source_evidence": evidence(number), "demand": {}},
        )
        for number in range(1, len(TASKS) + 1)
    ]
    ids = insert_snapshots(connection, snapshots)
    insert_tasks(
        connection,
        [
            NewTask(
                task_id=name,
                trace_id=f"trace of {name}",
                demand_snapshot_id=ids[(number, 1)],
                demand_id=number,
                idempotency_key=f"{number}:{sha256(name.encode()).hexdigest()[:32]}:weixin:v1",
                ext={
                    "batch": "581",
                    "cycle": 1,
                    "source_evidence": evidence(number),
                    "options": {"plan_type": "BY_CONTENT", "produce_plan_id": None},
                },
            )
            for number, name in enumerate(TASKS, start=1)
        ],
    )


def _drive(connection: Connection, name: str, end: Stage) -> None:
    stop = [stage for stage, _ in ROAD].index(end) + 1
    road = [step for step in ROAD[:stop] if name != EMPTY or step[0] is not Stage.CREATE_PLAN]
    _run(connection, name, road, NOTHING_OUT if name == EMPTY else OUTPUTS)


def _run(
    connection: Connection, name: str, road: Iterable[tuple[Stage, TaskStatus]], outputs: dict[Stage, dict[str, Any]]
) -> None:
    for stage, status in road:
        output = outputs.get(stage, {})
        if name != EMPTY:
            ROWS.get(stage, lambda *_: None)(connection, name)
        if stage is Stage.FINALIZE:
            output = _result(connection, name)
        _stage(connection, name, stage, output)
        following = stage.next or Stage.FINALIZE
        if name == EMPTY and stage is Stage.RANK:
            following = Stage.FINALIZE
        move(connection, read_task(connection, name), status=status, stage=following, owner=None, at=AT)


def _stage(connection: Connection, name: str, stage: Stage, output: dict[str, Any]) -> None:
    row = begin_stage(connection, name, stage, at=AT, input_payload=None)
    end_stage(connection, row, status=StageStatus.SUCCESS, at=AT, output_payload=output)


def url(name: str, number: int) -> str:
    return f"https://mp.weixin.qq.com/s/{name}{number}"


def _candidates(connection: Connection, name: str) -> None:
    rows = [
        NewCandidate(
            task_id=name,
            dedup_hash=sha256(url(name, number).encode()).hexdigest(),
            title=f"猫的治愈 {number}",
            url=url(name, number),
            source_keyword="猫",
            recall_page=1,
            publish_time=AT,
            account_id=f"gh_{number % 2}",
            view_count=None if number == 1 else 100,
            raw_statistics={},
            raw_payload={"provider": "house", "request_id": "r", "link_resolved": True},
            quality_flag="REJECT" if number == 4 else "UNKNOWN",
            reject_reason="deleted_by_publisher" if number == 4 else None,
            is_deleted=number == 4,
        )
        for number in range(1, 5)
    ]
    upsert_candidates(connection, rows)


def _profiles(connection: Connection, name: str) -> None:
    rows = [
        NewProfile(
            task_id=name,
            account_id=f"gh_{number}",
            vertical_score=None if number else 50,
            risk_tags=[],
            raw_profile_payload={"state": "found", "key": f"id:gh_{number}", "provider": "house"},
        )
        for number in range(2)
    ]
    asked = NewProfile(task_id=name, account_id="id:gh_1", raw_profile_payload={"state": "unknown", "key": "id:gh_1"})
    upsert_profiles(connection, [*rows, asked])


def ids_of(connection: Connection, name: str) -> list[int]:
    return [row.id for row in read_candidates(connection, [name])]


def _features(connection: Connection, name: str) -> None:
    rows = [
        NewFeature(
            task_id=name,
            candidate_id=candidate_id,
            content_length=900,
            image_count=2,
            video_count=0,
            readability_score=80,
            information_density_score=70,
            elder_friendly_score=60,
            risk_score=0,
            risk_reasons=[],
            keyword_coverage={},
            raw_detail_payload={"provider": "house", "detail": {"text": "…"}},
        )
        for candidate_id in ids_of(connection, name)[:3]
    ]
    upsert_features(connection, rows)


def _scores(connection: Connection, name: str) -> None:
    proof = (read_task(connection, name).ext)["source_evidence"]
    detail = {"weights": WEIGHTS, "parts": {part: {} for part in WEIGHTS}}
    rows = [
        NewScore(
            task_id=name,
            candidate_id=candidate_id,
            relevance_score=90 - place,
            popularity_score=60,
            quality_score=70,
            account_score=50,
            elder_fit_score=40,
            diversity_penalty=1 if place == 1 else 0,
            total_score=round(0.3 * (90 - place) + 42 - (place == 1), 2),
            filter_status="PASS" if place < 3 else "REJECT",
            filter_reason=None if place < 3 else "unavailable:deleted_by_publisher",
            is_selected=place < 2,
            rank_no=place + 1 if place < 2 else None,
            score_detail=detail | ({"source_evidence": proof} if place < 2 else {}),
        )
        for place, candidate_id in enumerate(ids_of(connection, name))
    ]
    replace_scores(connection, name, rows)


def _plan(connection: Connection, name: str) -> None:
    task = read_task(connection, name)
    acquire(connection, name, "worker", now=AT, ttl_s=60)
    contents = [{"url": url(name, number), "title": "猫"} for number in (1, 2)]
    request = {"task_id": name, "contents": contents, "accounts": [], "source_evidence": task.ext["source_evidence"]}
    new = NewPlan(
        task_id=name,
        plan_type="BY_CONTENT",
        request_payload=request,
        plan_status="INTENDED",
        input_count=2,
        crawler_plan_name=f"p2p {name}",
        produce_bind_status="NOT_REQUIRED",
    )
    row = reserve_plan(connection, task, new, "worker").row
    record_plan(connection, row.id, plan_status="CREATED", crawler_plan_id=f"cp-{name}", response_payload={})
    release(connection, name, "worker")


ROWS = {
    Stage.RECALL: _candidates,
    Stage.ACCOUNT_ENRICH: _profiles,
    Stage.CONTENT_ENRICH: _features,
    Stage.RANK: _scores,
    Stage.CREATE_PLAN: _plan,
}


def _result(connection: Connection, name: str) -> dict[str, Any]:
    selected = [] if name == EMPTY else list(enumerate(ids_of(connection, name)[:2]))
    return {
        "task_id": name,
        "trace_id": f"trace of {name}",
        "crawler_plan_id": None if name == EMPTY else f"cp-{name}",
        "selected": [
            {
                "rank_no": place + 1,
                "candidate_id": candidate_id,
                "url": url(name, place + 1),
                "total_score": round(0.3 * (90 - place) + 42 - (place == 1), 2),
            }
            for place, candidate_id in selected
        ],
        "shortfall": 2 if name == EMPTY else 0,
        "shortfall_explained": {"ended_searches": {"q": "no_more"}},
    }


def _stop_the_others(connection: Connection) -> None:
    error = ("rate_limited", "the platform did not answer")
    _run(connection, FAILED, ROAD[:1], {})
    failing = begin_stage(connection, FAILED, Stage.RECALL, at=AT, input_payload=None)
    end_stage(connection, failing, status=StageStatus.FAILED, at=AT, output_payload=None, error=error)
    task = read_task(connection, FAILED)
    move(connection, task, status=TaskStatus.FAILED, stage=Stage.RECALL, owner=None, at=AT, error=error)
    review = {"by": "a person", "reason": "to be looked at", "at": AT.isoformat()}
    set_ext(connection, HELD, "review", review | {"state": "HELD"})
    set_ext(connection, CANCELLED, "review", review | {"state": "REJECTED"})
    task = read_task(connection, CANCELLED)
    move(connection, task, status=TaskStatus.CANCELLED, stage=Stage.INIT, owner=None, at=AT)
    events = [NewEvent(task_id=name, event_type="STATE_CHANGE", created_at=AT) for name in TASKS]
    insert_events(connection, events)


def batch_frames(store: SupplyStore) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What the assets ``supply_tasks`` and ``demand_snapshots`` hold of the batch."""
    with store.reading() as connection:
        found = read_tasks(connection, TASKS)
    tasks = pd.DataFrame(
        {
            "task_id": task.task_id,
            "demand_id": task.demand_id,
            "trace_id": task.trace_id,
            "snapshot_id": task.demand_snapshot_id,
            "idempotency_key": task.idempotency_key,
            "batch": "581",
        }
        for task in found.values()
    )
    taken = [
        {
            "demand_id": task.demand_id,
            "state": "taken",
            "task_id": task.task_id,
            "snapshot_id": task.demand_snapshot_id,
            "version": 1,
            "query": f"猫 {task.demand_id}",
            "query_expansion": '["治愈"]',
            "expected_count": 2,
            "origin": "demand_content",
            "pattern_execution_id": 581,
            "itemset_id": 1001,
            "source_post_id": "p1",
        }
        for task in found.values()
    ]
    refused = {"demand_id": 99, "state": "refused", "rule_id": "D-036", "reason": "posts differ"}
    whole = ["demand_id", "snapshot_id", "version", "expected_count", "pattern_execution_id", "itemset_id"]
    demands = pd.DataFrame([*taken, refused], dtype=object).astype(dict.fromkeys(whole, "Int64"))
    return tasks, demands


def spoil(store: SupplyStore, *statements: str) -> None:
    """Alter what stands, behind the back of the stages."""

    def work(connection: Connection) -> None:
        for statement in statements:
            assert connection.execute(text(statement)).rowcount > 0, statement

    store.write(work)


def look(store: SupplyStore, asset: str, tasks: pd.DataFrame, demands: pd.DataFrame) -> dict[str, SuiteResult]:
    """The results of an asset's checks by name."""
    with store.reading() as connection:
        frames = supply_frames(connection, asset, tasks, demands)
    suites = SUPPLY_SUITES[asset]
    results = iter(run_suites([suite for group in suites.values() for suite in group], frames))
    return {name: merge(group, [next(results) for _ in group]) for name, group in suites.items()}


def broken(results: dict[str, SuiteResult]) -> dict[str, set[str]]:
    """Rule ids by check, of every rule that did not pass."""
    return {
        name: rules
        for name, result in results.items()
        if (rules := {rule.rule_id for rule in result.rules if rule.verdict is not Verdict.PASSED})
    }
