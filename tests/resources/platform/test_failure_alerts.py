"""Failed runs and checks reach the webhook once, in bounded number, and none is lost while it is away."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import dagster as dg
import pytest

from resources.platform.configurable import AlertWebhookResource, ClockResource
from resources.platform.failure_alerts import ALERTS_A_TICK, failure_alerts
from resources.settings.alerts import WEBHOOK

LOCATION = "demand"
TAG = {".dagster/repository": f"__repository__@{LOCATION}"}


@dataclass
class Receiver:
    """A webhook; answers ``status``, keeps what it took, and takes no more than ``takes``."""

    url: str = ""
    status: int = 200
    takes: int = 1_000
    took: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    kept = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status = kept.status if len(kept.took) < kept.takes else 503
            if status == 200:
                kept.took.append(body)
                kept.keys.append(self.headers["Idempotency-Key"])
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    kept.url = f"http://127.0.0.1:{server.server_port}/hook?access_token=hidden-secret"
    monkeypatch.setenv(WEBHOOK, kept.url)
    yield kept
    server.shutdown()


@dataclass
class Watch:
    """The sensor over one instance, its cursor kept between ticks."""

    instance: dg.DagsterInstance
    cursor: str | None = None

    def tick(self) -> str:
        resources = {"alert_webhook": AlertWebhookResource(), "clock": ClockResource()}
        context = dg.build_sensor_context(instance=self.instance, cursor=self.cursor, resources=resources)
        skipped = failure_alerts(LOCATION)(context)
        assert isinstance(skipped, dg.SkipReason)
        self.cursor = context.cursor
        return skipped.skip_message or ""

    def fail(self, partition: str, why: str = "the facts are away", **tags: str) -> None:
        """A run that fails as a product error fails."""

        @dg.op
        def prove() -> None:
            raise dg.Failure(why, metadata={"what_to_do": "start them"}, allow_retries=False)

        @dg.job
        def some_job() -> None:
            prove()

        some_job.execute_in_process(
            instance=self.instance, raise_on_error=False, tags={**TAG, "dagster/partition": partition, **tags}
        )

    def fail_check(self, partition: str) -> None:
        @dg.asset(check_specs=[dg.AssetCheckSpec("closes", asset="rows")])
        def rows():
            numbers = {"rule_ids_failed": "D-034", "rows": 8, "rules_failed": 1}
            bad = dg.AssetCheckResult(passed=False, description="D-034: differs", metadata=numbers)
            return dg.MaterializeResult(check_results=[bad])

        dg.materialize([rows], instance=self.instance, tags={**TAG, "dagster/partition": partition})


@pytest.fixture
def watch() -> Iterator[Watch]:
    with dg.DagsterInstance.ephemeral() as instance:
        watch = Watch(instance)
        yield watch


def test_without_a_webhook_it_says_what_to_set(watch: Watch, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(WEBHOOK, raising=False)
    assert WEBHOOK in watch.tick()
    for address in ("not an address", "http://[/hidden-secret", "ftp://h/hidden-secret"):
        monkeypatch.setenv(WEBHOOK, address)
        said = watch.tick()
        assert WEBHOOK in said
        assert "hidden-secret" not in said


def test_what_failed_before_it_was_turned_on_is_not_told(watch: Watch, receiver: Receiver):
    watch.fail("580")
    assert "from now on" in watch.tick()
    watch.fail("581")
    watch.tick()
    assert [alert["partition"] for alert in receiver.took] == ["581"]


def test_a_failed_run_and_a_failed_check_are_told_once(watch: Watch, receiver: Receiver):
    watch.tick()
    watch.fail("581")
    watch.fail_check("582")
    assert "2 alerts told of 2 runs" in watch.tick()
    run, check = receiver.took
    assert run["kind"] == "run_failed"
    assert (run["job"], run["partition"]) == ("some_job", "581")
    assert run["error"] == "prove: the facts are away"
    assert run["what_to_do"] == "start them"
    assert (check["kind"], check["asset"], check["check"]) == ("check_failed", "rows", "closes")
    assert (check["rule_ids"], check["severity"]) == ("D-034", "ERROR")
    assert check["counts"] == {"rows": 8, "rules_failed": 1}
    assert "0 alerts told of 0 runs" in watch.tick()
    watch.fail("581")
    assert "1 repeat" in watch.tick()
    assert len(receiver.took) == 2


def test_another_trouble_of_the_same_partition_is_told(watch: Watch, receiver: Receiver):
    watch.tick()
    watch.fail("581")
    watch.tick()
    watch.fail("581", "the store is full")
    watch.tick()
    assert [alert["error"] for alert in receiver.took] == ["prove: the facts are away", "prove: the store is full"]


def test_nothing_is_lost_while_the_webhook_is_away(watch: Watch, receiver: Receiver):
    watch.tick()
    watch.fail("581")
    receiver.status = 503
    said = watch.tick()
    assert "0 of 1 alerts were told" in said
    assert "hidden-secret" not in said
    assert receiver.took == []
    receiver.status = 200
    watch.tick()
    assert [alert["partition"] for alert in receiver.took] == ["581"]


def test_what_was_taken_before_the_webhook_went_away_is_not_told_again(watch: Watch, receiver: Receiver):
    watch.tick()
    for partition in ("581", "582", "583"):
        watch.fail(partition)
    receiver.takes = 1
    assert "1 of 3 alerts were told" in watch.tick()
    receiver.takes = 9
    watch.tick()
    assert [alert["partition"] for alert in receiver.took] == ["581", "582", "583"]
    assert "0 alerts told of 0 runs" in watch.tick()


def test_dg8_a_tick_that_has_had_its_time_leaves_the_rest_to_the_next(
    watch: Watch, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
):
    watch.tick()
    watch.fail("581")
    with monkeypatch.context() as short:
        short.setattr("resources.platform.failure_alerts.BUDGET_S", -1)
        watch.tick()
    assert receiver.took == []
    watch.tick()
    assert [alert["partition"] for alert in receiver.took] == ["581"]


def test_many_failures_are_bounded_and_the_rest_is_counted(watch: Watch, receiver: Receiver):
    watch.tick()
    for number in range(ALERTS_A_TICK + 5):
        watch.fail(str(600 + number))
    watch.tick()
    assert len(receiver.took) == ALERTS_A_TICK
    assert receiver.took[-1]["kind"] == "more"
    assert receiver.took[-1]["text"].startswith("6 more")
    assert len(set(receiver.keys)) == ALERTS_A_TICK


def test_runs_of_another_location_and_runs_that_are_launched_anew_are_left_alone(watch: Watch, receiver: Receiver):
    watch.tick()
    watch.fail("581", **{"dagster/will_retry": "true"})
    watch.fail("582", **{".dagster/repository": "__repository__@supply"})
    watch.tick()
    assert receiver.took == []


def test_ck4_the_last_verdict_of_a_check_outlives_a_materialization_without_checks(watch: Watch):
    watch.fail_check("581")

    @dg.asset
    def rows() -> None:
        return None

    dg.materialize([rows], instance=watch.instance)
    key = dg.AssetCheckKey(dg.AssetKey("rows"), "closes")
    (last,) = watch.instance.event_log_storage.get_asset_check_execution_history(key, limit=1)
    assert last.run_id
    assert last.event is not None
    assert last.event.timestamp > 0
    assert last.status.value == "FAILED"
