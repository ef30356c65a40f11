"""The numbers are those of the databases, and a database that is away is a number too."""

from __future__ import annotations

import signal
import sqlite3
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from prometheus_client import generate_latest
from sqlalchemy import update

from lineage.metrics.collector import registry
from lineage.metrics.families import LABEL_SETS, OTHER, gauges
from resources.databases.supply_store.events import NewEvent, insert_events
from resources.databases.supply_store.tables import supply_task
from resources.databases.supply_store.tasks.ext import set_ext
from resources.databases.supply_store.tasks.leases import acquire
from resources.foundation.clock import FixedClock, SystemClock
from supply_assets.review.review import Decision, Reviewer, review_task
from tests.commands.cli_runner import Cli, start_cli
from tests.lineage.metrics.numbers import Numbers
from tests.supply_chain import SupplyChain, request

NOW = datetime(2026, 12, 1, 8, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    return Cli(monkeypatch, capfd)


def numbers_now(now: datetime | None = None) -> Numbers:
    return Numbers(generate_latest(registry(FixedClock(now) if now else SystemClock())).decode())


def test_the_textfile_says_what_the_chain_holds(finished: SupplyChain, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    done = cli("metrics", "--textfile", "out/p2p.prom")
    numbers = Numbers((tmp_path / "out" / "p2p.prom").read_text())
    tables = finished.tables()

    assert (done.code, done.out, done.err) == (0, "", "")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["p2p.prom"]
    assert numbers.up == {"demand": 1, "facts": 1, "supply": 1}
    assert numbers.of("tasks", status="COMPLETED", stage="FINALIZE") == len(tables["supply_task"]) == 4
    assert numbers.of("plans", status="CREATED") == len(tables["supply_crawler_plan"]) == 4
    assert numbers.of("candidates") == len(tables["supply_candidate_content"])
    assert numbers.of("selected_articles") == sum(row["is_selected"] for row in tables["supply_content_score"])
    assert numbers.of("demand_content_rows") == 3
    with sqlite3.connect(".pattern2plan/facts.db") as facts:
        by_status = facts.execute("SELECT status, count(*) FROM pattern_mining_execution GROUP BY status").fetchall()
    assert len(by_status) > 1
    assert {status: numbers.of("executions", status=status) for status, _ in by_status} == dict(by_status)
    assert numbers.of("newest_execution_age_seconds") > 0
    called = Counter(
        (row["tool_name"], row["event_payload"].get("provider", ""))
        for row in tables["supply_task_event"]
        if row["event_type"] in ("TOOL_RESULT", "ERROR") and row["tool_name"]
    )
    assert called["weixin_search", "house"] > 0
    for (tool, provider), number in called.items():
        assert numbers.sum("calls_last_hour", tool=tool, provider=provider) == number
    assert all(family.documentation for family in numbers.families.values())


def test_tasks_that_wait_fail_or_are_stuck_are_counted(any_chain: SupplyChain) -> None:
    tasks = any_chain.ask(*[request(demand_id=number) for number in range(1, 6)]).tasks
    held, frozen, failed, stuck, worked_on = [task.task_id for task in tasks]
    review_task(any_chain.supply, SystemClock(), held, Decision.HOLD, Reviewer("Li", "looks odd"))

    def spoil(connection: Any) -> None:
        set_ext(connection, frozen, "frozen", {"reason": "gone", "rule_id": "D-041", "at": NOW.isoformat()})
        acquire(connection, stuck, "dead", now=NOW - timedelta(seconds=90), ttl_s=30)
        acquire(connection, worked_on, "alive", now=NOW, ttl_s=30)
        connection.execute(update(supply_task).values(created_at=NOW - HOUR))
        of_failed = update(supply_task).where(supply_task.c.task_id == failed)
        connection.execute(of_failed.values(status="FAILED", error_code="plan_unknown", created_at=NOW - 9 * HOUR))

    any_chain.supply.write(spoil)
    numbers = numbers_now(NOW)

    assert numbers.up == {"demand": 1, "facts": 1, "supply": 1}
    assert numbers.of("tasks_held") == 1
    assert numbers.of("tasks_frozen") == 1
    assert numbers.of("tasks_failed", error_code="plan_unknown") == 1
    assert numbers.of("tasks", status="PENDING", stage="INIT") == 4
    assert numbers.of("leases", state="in_use") == 1
    assert numbers.of("leases", state="run_out") == 1
    assert numbers.of("oldest_run_out_lease_age_seconds") == 60
    assert numbers.of("oldest_unfinished_task_age_seconds") == 3600


def test_calls_of_the_last_hour_by_outcome_with_repeats_durations_and_breakers(any_chain: SupplyChain) -> None:
    task_id = any_chain.ask(request()).tasks[0].task_id

    def event(kind: str, minutes: float, tool: str | None = "weixin_search", **payload: Any) -> NewEvent:
        at = NOW - timedelta(minutes=minutes)
        return NewEvent(task_id=task_id, event_type=kind, created_at=at, tool_name=tool, event_payload=payload)

    house = {"provider": "house"}
    events = [
        *[event("TOOL_RESULT", 5, duration_ms=ms, **house) for ms in range(100, 2_100, 100)],
        event("TOOL_RESULT", 5, duration_ms=1, error_code="gone", absent=True, **house),
        event("ERROR", 5, duration_ms=30_000, error_code="blocked", **house),
        event("TOOL_RESULT", 61, duration_ms=99_000, **house),
        event("ERROR", 5, tool=None, code="rank_failed"),
        *[event("RETRY", 5, error_code="rate_limited", **house) for _ in range(3)],
        event("BREAKER", 50, state="open", **house),
        event("BREAKER", 40, state="closed", **house),
        event("BREAKER", 30, state="open", provider="mp"),
        event("BREAKER", 70, state="open", provider="sogou"),
    ]
    any_chain.supply.write(lambda connection: insert_events(connection, events))
    numbers = numbers_now(NOW)

    assert numbers.up == {"demand": 1, "facts": 1, "supply": 1}
    of_house = {"tool": "weixin_search", "provider": "house"}
    assert numbers.of("calls_last_hour", **of_house, outcome="found", error_code="") == 20
    assert numbers.of("calls_last_hour", **of_house, outcome="absent", error_code="gone") == 1
    assert numbers.of("calls_last_hour", **of_house, outcome="unknown", error_code="blocked") == 1
    assert numbers.sum("calls_last_hour") == 22
    assert numbers.of("call_retries_last_hour", **of_house, error_code="rate_limited") == 3
    for quantile, seconds in (("0.5", 1.0), ("0.95", 2.0), ("0.99", 30.0)):
        found = numbers.of("call_duration_last_hour_seconds", tool="weixin_search", quantile=quantile)
        assert found == seconds
    assert numbers.of("breaker_open", **of_house) == 0
    assert numbers.of("breaker_open", tool="weixin_search", provider="mp") == 1
    assert numbers.sum("breaker_open") == 1


def test_a_database_that_is_away_is_up_0_and_the_others_are_read(
    finished: SupplyChain, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUPPLY_STORE_MYSQL_DSN", "mysql://u:s3cr3t-Zq9@127.0.0.1:9/content")
    done = cli("metrics")
    numbers = Numbers(done.out)
    assert done.code == 0
    assert numbers.up == {"demand": 1, "facts": 1, "supply": 0}
    assert numbers.of("demand_content_rows") == 3
    assert "s3cr3t-Zq9" not in done.out + done.err
    assert '"store": "supply"' in done.err


def test_what_was_read_before_a_table_failed_stays(finished: SupplyChain) -> None:
    with sqlite3.connect(".pattern2plan/supply_store.db") as connection:
        connection.execute("ALTER TABLE supply_content_score RENAME TO elsewhere")
    numbers = numbers_now()
    assert numbers.up["supply"] == 0
    assert numbers.sum("tasks") == 4


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("--textfile", "numbers.txt"), ".prom"),
        (("--textfile", "x.prom", "serve"), "--textfile"),
        (("serve", "--port", "70000"), "--port"),
    ],
)
def test_wrong_usage_is_one_line(cli: Cli, arguments: tuple[str, ...], names: str) -> None:
    done = cli("metrics", *arguments)
    assert done.code == 2
    assert names in done.error


def test_a_wrong_dsn_is_no_number_but_an_error(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLY_STORE_MYSQL_DSN", "nonsense://")
    done = cli("metrics")
    assert done.code == 2
    assert "supply store" in done.error or "SUPPLY_STORE_MYSQL_DSN" in done.error


def test_labels_are_bounded_in_number_and_length() -> None:
    family = gauges("x", "says.", ["code"], {("c" * 900 + str(number),): number for number in range(200)})
    short = gauges("x", "says.", ["code"], {(f"code{number}",): 1 for number in range(200)})
    assert max(len(sample.labels["code"]) for sample in family.samples) <= 64
    assert len(short.samples) == LABEL_SETS + 1
    assert {sample.labels["code"]: sample.value for sample in short.samples}[OTHER] == 200 - LABEL_SETS
    assert sum(sample.value for sample in family.samples) == sum(range(200))


def test_the_endpoint_is_on_loopback_answers_while_a_store_is_down_and_ends_on_sigterm(
    finished: SupplyChain, tmp_path: Path
) -> None:
    environment = {"PATTERN2PLAN_HOME": ".pattern2plan", "SUPPLY_STORE_MYSQL_DSN": "mysql://u@127.0.0.1:9/content"}
    running = start_cli(tmp_path, ("metrics", "serve", "--port", "0"), environment)
    try:
        address = _first_line(running.out)
        assert address.startswith("http://127.0.0.1:")
        for _ in range(2):
            answer = httpx2.get(address, timeout=30)
            assert answer.status_code == 200
            assert Numbers(answer.text).up == {"demand": 1, "facts": 1, "supply": 0}
        assert _listens_on(int(address.rsplit(":", 1)[1].removesuffix("/metrics"))) == {"0100007F"}
        running.signal(signal.SIGTERM)
        assert running.wait().code == 0
    finally:
        running.kill()


def _first_line(printed: Path, seconds: float = 30) -> str:
    deadline = time.monotonic() + seconds
    while not printed.exists() or "\n" not in printed.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return printed.read_text().splitlines()[0]


def _listens_on(port: int) -> set[str]:
    """The local addresses, as the kernel writes them, of sockets that listen on the port."""
    rows = [line.split() for path in ("tcp", "tcp6") for line in Path(f"/proc/net/{path}").read_text().splitlines()[1:]]
    places = [row[1].split(":") for row in rows if row[3] == "0A"]
    return {address for address, number in places if int(number, 16) == port}
