"""A supply store and a platform sandbox for whole task runs: how batches are run, and what must always hold."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

import httpx2
from sqlalchemy import Connection, select
from sqlalchemy.engine import URL

from resources.databases.supply_store.articles.candidates import CandidateRow, read_candidates
from resources.databases.supply_store.articles.plans import PlanRow, plans_of_tasks
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import ENDED, Stage, StageStatus, TaskStatus
from resources.databases.supply_store.tables import metadata
from resources.databases.supply_store.tasks.stage_rows import StageRow, stage_history
from resources.databases.supply_store.tasks.tasks import TaskRow, read_task, read_tasks
from resources.foundation import strict_json
from resources.foundation.clock import Clock, RandomIds, SystemClock
from resources.settings.supply import read_supply_settings
from supply_assets.intake.intake import IntakeContext, take_in_requests
from supply_assets.intake.request import SupplyRequest, make_options
from supply_assets.stages.policy import SupplyPolicy
from supply_assets.tasks.batch_context import open_batch_context
from supply_assets.tasks.batch_run import BatchOutcome, advance_batch
from tests.supply_assets.tasks.interposed import Instead, Interposed

Result = TypeVar("Result")
LONGEST_RUN_S = 120
_NEVER_ASKED = itertools.count(1_000)
VERIFY_MARKS = ("环境异常", "去验证")
QUERIES = (
    "泡脚 艾草",
    "高血压 降压药",
    "糖尿病 血糖",
    "养老金 调整",
    "广场舞 舞步",
    "早起 温开水",
    "医保 报销",
    "反诈 转账",
    "太极拳 站桩",
    "智能手机 微信",
)
TINY = SupplyPolicy(
    pool_min=3,
    pool_max=4,
    page_size=4,
    max_pages=1,
    expansion_keywords=0,
    scene_keywords=0,
    promising_accounts=1,
    history_articles=2,
    top_k=3,
    max_cycles=1,
    plan_backoff_s=0.01,
    plan_pause_cap_s=0.02,
    keep_within_s=3_600,
)
"""Bounds under which every stage writes what it must and no more, however slow the machine is."""
SMALL = SupplyPolicy(
    pool_min=8,
    pool_max=12,
    page_size=4,
    max_pages=3,
    expansion_keywords=2,
    scene_keywords=2,
    promising_accounts=3,
    history_articles=4,
    top_k=5,
    max_cycles=2,
    plan_backoff_s=0.01,
    plan_pause_cap_s=0.02,
    breaker_waits=1,
    breaker_pause_s=0.01,
)
"""Bounds under which a task is a matter of a second."""


@dataclass(frozen=True)
class LaterClock:
    """The machine's clock, some seconds ahead: leases of the past have run out."""

    ahead_s: float = 7_200

    def now(self) -> datetime:
        return SystemClock().now() + timedelta(seconds=self.ahead_s)


@dataclass(frozen=True)
class FastClock:
    """A thousand seconds of this clock are one of the machine's: a breaker cools down at once."""

    started: datetime = field(default_factory=lambda: SystemClock().now())

    def now(self) -> datetime:
        return self.started + (SystemClock().now() - self.started) * 1_000


@dataclass(frozen=True)
class Platform:
    """A sandbox on loopback, seen through its ``/admin``."""

    client: httpx2.Client
    interposed: Interposed

    @property
    def url(self) -> str:
        return str(self.client.base_url).rstrip("/")

    def reset(self) -> None:
        self.client.post("/admin/reset").raise_for_status()
        self.instead(None)
        self.interposed.asked.clear()

    def instead(self, answer: Instead | None) -> None:
        """Answer some requests otherwise."""
        self.interposed.instead = answer

    def asked(self, path: str) -> list[dict[str, str]]:
        """Queries of the requests for a path, in their order."""
        return [request.query for request in self.interposed.asked if request.path == path]

    def faults(self, *rules: dict[str, Any], seed: int = 3) -> None:
        """These faults from now on; none where none is given."""
        self.client.put("/admin/faults", json={"seed": seed, "rules": list(rules)}).raise_for_status()

    def plans(self, task_id: str | None = None) -> list[dict[str, Any]]:
        plans: list[dict[str, Any]] = self.client.get("/admin/plans").json()["plans"]
        return [plan for plan in plans if task_id in (None, plan["task_id"])]

    def calls(self) -> dict[str, Any]:
        calls: dict[str, Any] = self.client.get("/admin/calls").json()
        return calls


@dataclass(frozen=True)
class World:
    """A platform, an empty store with its tables, and a worker's surroundings."""

    platform: Platform
    store: SupplyStore
    url: URL
    policy: SupplyPolicy = SMALL
    clock: Clock = field(default_factory=SystemClock)

    def take_in(self, count: int = 1, *, expected: int = 3, anew: bool = False, **options: Any) -> list[str]:
        """Tasks of so many requests, each of a demand of its own; ``anew`` of demands that were never asked for."""
        ids = [next(_NEVER_ASKED) if anew else number + 1 for number in range(count)]
        requests = [
            SupplyRequest(demand_id=demand_id, query=QUERIES[number % len(QUERIES)], expected_count=expected)
            for number, demand_id in enumerate(ids)
        ]
        taking = IntakeContext(self.store, self.clock, RandomIds(), "adhoc-test", make_options(**options))
        return [task.task_id for task in take_in_requests(taking, requests).tasks]

    def free_leases(self, task_ids: Sequence[str]) -> bool:
        """Whether no worker holds any of the tasks."""
        return all(self.task(task_id).ext["lease"]["owner"] is None for task_id in task_ids)

    def run(
        self,
        task_ids: Sequence[str],
        through: Stage = Stage.FINALIZE,
        *,
        clock: Clock | None = None,
        timeout_s: float | None = None,
    ) -> BatchOutcome:
        """One batch by a worker with a store of its own, ended for certain within two minutes."""
        settings = read_supply_settings()
        if timeout_s is not None:
            settings = settings.model_copy(update={"tool_timeout_s": timeout_s})
        with open_batch_context(settings) as around:
            changed = replace(around, clock=clock or self.clock, policy=self.policy)
            return bounded(lambda: advance_batch(changed, task_ids, through))

    def task(self, task_id: str) -> TaskRow:
        return self.read(lambda connection: read_task(connection, task_id))

    def stages(self, task_id: str, stage: Stage | None = None) -> list[StageRow]:
        rows = self.read(lambda connection: stage_history(connection, [task_id]))
        return [row for row in rows if stage in (None, row.stage_name)]

    def pool(self, task_id: str) -> list[CandidateRow]:
        return self.read(lambda connection: read_candidates(connection, [task_id]))

    def plan_rows(self, task_id: str) -> list[PlanRow]:
        return self.read(lambda connection: plans_of_tasks(connection, [task_id]))

    def counts(self) -> dict[str, int]:
        """Rows of every table but the stages' and the events'."""
        return {name: len(rows) for name, rows in self.rows().items() if name not in _JOURNALS}

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """All rows of all tables."""

        def work(connection: Connection) -> dict[str, list[dict[str, Any]]]:
            return {
                table.name: [dict(row) for row in connection.execute(select(table)).mappings()]
                for table in metadata.sorted_tables
            }

        return self.read(work)

    def read(self, work: Callable[[Connection], Result]) -> Result:
        with self.store.reading() as connection:
            return work(connection)

    def assert_sound(self, task_ids: Sequence[str]) -> None:
        """What holds after any run, whatever went wrong in it."""
        tasks, rows = self.read(lambda connection: read_tasks(connection, task_ids)), self.rows()
        on_platform = Counter(plan["task_id"] for plan in self.platform.plans())
        for task in tasks.values():
            assert task.status in ENDED, (task.status, task.current_stage)
            if task.status is TaskStatus.FAILED:
                assert task.error_code, "a failure has a code"
                assert task.error_message, "a failure has a message"
            assert on_platform[task.task_id] <= 1, "no task owns two plans"
        self._assert_plans_recorded(tasks)
        assert_stages_sound(rows["supply_task_stage"])
        for table, key in _KEYS.items():
            keys = [tuple(row[name] for name in key) for row in rows[table]]
            assert len(keys) == len(set(keys)), f"no doubled row in {table}"
        assert not stored_verify_pages(rows)

    def assert_completed(self, task_ids: Sequence[str]) -> None:
        """Sound, and every task completed with exactly one plan."""
        self.assert_sound(task_ids)
        for task_id in task_ids:
            task = self.task(task_id)
            assert task.status is TaskStatus.COMPLETED, (task.error_code, task.error_message)
            assert len(self.platform.plans(task_id)) == 1

    def _assert_plans_recorded(self, tasks: dict[str, TaskRow]) -> None:
        for task_id, task in tasks.items():
            recorded = self.plan_rows(task_id)
            assert len(recorded) <= 1
            if task.status is TaskStatus.COMPLETED:
                assert [row.crawler_plan_id for row in recorded] == [
                    plan["crawler_plan_id"] for plan in self.platform.plans(task_id)
                ]


_JOURNALS = ("supply_task_stage", "supply_task_event")
_KEYS = {
    "supply_candidate_content": ("task_id", "dedup_hash"),
    "supply_account_profile": ("task_id", "account_id"),
    "supply_content_feature": ("task_id", "candidate_id"),
    "supply_content_score": ("task_id", "candidate_id"),
    "supply_crawler_plan": ("task_id",),
    "supply_task_stage": ("task_id", "stage_name", "attempt_no"),
}


def assert_stages_sound(rows: Sequence[dict[str, Any]]) -> None:
    """No attempt left open, none repeated after a success in the same round of recall."""
    assert not [row for row in rows if row["stage_status"] == StageStatus.RUNNING]
    closed: set[tuple[str, str, int]] = set()
    for row in sorted(rows, key=lambda row: row["id"]):
        place = (row["task_id"], row["stage_name"], row["input_payload"]["cycle"])
        assert place not in closed, f"{place} had succeeded and ran again"
        if row["stage_status"] == StageStatus.SUCCESS:
            closed.add(place)
        if row["stage_status"] == StageStatus.FAILED:
            assert row["error_code"], "a failed attempt has a code"
        assert row["started_at"]
        assert row["finished_at"]


def stored_verify_pages(rows: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Tables of content that hold the text of a verification page."""
    content = {name: table for name, table in rows.items() if name not in _JOURNALS and name != "supply_task"}
    return [
        name
        for name, table in content.items()
        if any(mark in strict_json.dumps(_plain(row)) for row in table for mark in VERIFY_MARKS)
    ]


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value if isinstance(value, (dict, list, str, int)) else str(value) for name, value in row.items()}


def bounded(work: Callable[[], Result]) -> Result:
    """What ``work`` gives; a test fails where it waits for ever."""
    results: Future[Result] = Future()

    def inner() -> None:
        try:
            results.set_result(work())
        except Exception as error:  # noqa: BLE001 (raised again by whoever waits)
            results.set_exception(error)

    threading.Thread(target=inner, daemon=True).start()
    return results.result(timeout=LONGEST_RUN_S)
