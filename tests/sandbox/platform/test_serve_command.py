"""``sandbox serve`` as a process: its address, its token, its end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from resources.foundation.errors import AddressNotUsable
from sandbox.platform.app import build_app
from sandbox.platform.serving.serve import serve
from tests.sandbox.platform.conftest import small_corpus

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = (
    "import sys, typer; from commands.sandbox.platform import serve_platform;"
    "app = typer.Typer(); app.command()(serve_platform); app(standalone_mode=False)"
)


@contextmanager
def process(*arguments: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "--articles", "50", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
    )
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


def address(running: subprocess.Popen[str]) -> str:
    assert running.stdout is not None
    text = ""
    while not text.rstrip().endswith("}"):
        text += running.stdout.readline()
    url: str = json.loads(text)["url"]
    return url


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_s014_a_signal_ends_it_in_order_even_under_a_hanging_call(number: signal.Signals) -> None:
    with process("--json") as running:
        url = address(running)
        assert url.startswith("http://127.0.0.1:")
        with pytest.raises(httpx2.ReadTimeout):
            httpx2.get(f"{url}/tools/weixin_search", params={"keyword": "a", "fault": "hang"}, timeout=0.2)
        running.send_signal(number)
        assert running.wait(20) == 0


def test_s014_the_variable_to_set_is_printed() -> None:
    with process() as running:
        assert running.stdout is not None
        lines = [running.stdout.readline() for _ in range(2)]

    assert lines[0].startswith("50 articles of 200 accounts")
    assert lines[1].startswith("SUPPLY_PLATFORM_URL=http://127.0.0.1:")


def test_s014_a_token_comes_from_the_environment_and_is_asked_for() -> None:
    with process("--json", SUPPLY_PLATFORM_TOKEN="hush") as running:
        url = address(running)
        statuses = [
            httpx2.get(f"{url}{path}", headers=headers).status_code
            for path, headers in [
                ("/admin/plans", {}),
                ("/admin/plans", {"Authorization": "Bearer wrong"}),
                ("/admin/plans", {"Authorization": "Bearer hush"}),
                ("/healthz", {}),
                ("/s/abc", {}),
            ]
        ]

    assert statuses == [401, 401, 200, 200, 200]


def test_s014_faults_and_latency_come_from_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "faults.json"
    file.write_text('{"rules": [{"fault": "server_error", "target": "plan_find"}]}')
    with process("--json", "--faults", str(file), "--latency-ms", "3") as running:
        rules = httpx2.get(f"{address(running)}/admin/faults").json()["rules"]

    assert [(rule["target"], rule["fault"], rule["value"]) for rule in rules] == [
        ("plan_find", "server_error", None),
        ("*", "latency", 3.0),
    ]


def test_s014_an_address_that_is_taken_is_named() -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        with pytest.raises(AddressNotUsable, match=str(port)), serve(build_app(small_corpus()), port=port):
            pass


def test_s014_an_end_frees_the_port() -> None:
    with serve(build_app(small_corpus())) as first:
        port = first.port
    with serve(build_app(small_corpus()), port=port) as second:
        assert httpx2.get(f"{second.url}/healthz").json() == {"ok": True}
