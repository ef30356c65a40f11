"""One alert over real HTTP: repeated where that may help, under one key, without a secret in it or in its errors."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from resources.alerts.message import LONGEST_LINE, Alert, line
from resources.alerts.webhook import TRIES, AlertNotTaken, AlertWebhook
from resources.settings.alerts import WEBHOOK

SECRET = "hidden-secret"


class Receiver:
    """Answers with the next status of ``answers``, then with 200, and keeps what it was sent."""

    def __init__(self) -> None:
        self.answers: list[int] = []
        self.keys: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                receiver.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                receiver.keys.append(self.headers["Idempotency-Key"])
                self.send_response(receiver.answers.pop(0) if receiver.answers else 200)
                self.send_header("Location", f"http://127.0.0.1:1/{SECRET}")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/hook?key={SECRET}"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.server.shutdown()


def alert(error: str = "事实库不可达") -> Alert:
    return Alert(kind="run_failed", text=line(error), location="demand", run_id="run-1", error=line(error))


def send(address: str, what: Alert | None = None) -> None:
    with AlertWebhook(SecretStr(address)) as webhook:
        webhook.send(what or alert())


def test_what_may_pass_is_sent_again_under_one_key(receiver: Receiver):
    receiver.answers = [503, 429]
    send(receiver.address)
    assert len(receiver.keys) == TRIES
    assert len(set(receiver.keys)) == 1
    assert receiver.bodies[-1]["error"] == "事实库不可达"


@pytest.mark.parametrize(("status", "sent"), [(503, TRIES), (400, 1), (404, 1), (302, 1)])
def test_an_alert_that_is_not_taken_says_the_status_and_no_address(receiver: Receiver, status: int, sent: int):
    receiver.answers = [status] * TRIES
    with pytest.raises(AlertNotTaken, match=f"answered {status}") as refused:
        send(receiver.address)
    assert len(receiver.keys) == sent
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/", "http://h\x01/"])
def test_nobody_there_or_no_address_is_one_typed_error_without_it(address: str):
    with pytest.raises(AlertNotTaken) as refused:
        send(address + SECRET)
    assert SECRET not in str(refused.value)
    assert refused.value.__suppress_context__, "the cause names the address"


def test_what_may_be_a_secret_leaves_as_stars(receiver: Receiver, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(WEBHOOK, receiver.address)
    monkeypatch.setenv("SUPPLY_PLATFORM_TOKEN", "platform-token-1")
    send(receiver.address, alert("mysql://u:pw-of-u@h/db refused platform-token-1"))
    (body,) = receiver.bodies
    assert "pw-of-u" not in str(body)
    assert "platform-token-1" not in str(body)


def test_an_alert_is_bounded():
    assert len(line("长" * 9_000)) == LONGEST_LINE
    with pytest.raises(ValidationError):
        Alert(kind="more", text="长" * (LONGEST_LINE + 1), location="demand", run_id="r")
