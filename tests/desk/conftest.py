"""The desk over HTTP, with a task that was ranked and has no plan yet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from desk.app import build_desk
from resources.databases.supply_store.states import Stage
from resources.foundation.clock import SystemClock
from resources.settings.desk import TOKEN, USER_HEADER, read_desk_settings
from tests.cat_corpus import cat_platform
from tests.supply_chain import HURRIED, SupplyChain, request

SECRET = "a-token-of-many-characters"
NAME = "李编辑"


@dataclass
class Desk:
    """A browser before the desk; ``task_id`` waits for a decision."""

    client: TestClient
    chain: SupplyChain
    task_id: str

    def sign_in(self, name: str = NAME, token: str = SECRET) -> int:
        return int(self.client.post("/sign-in", data={"name": name, "token": token}).status_code)

    def page(self, path: str) -> str:
        return str(self.client.get(path).text)

    def form_token(self) -> str:
        found = re.search(r'name="form_token" value="([^"]+)"', self.page(f"/tasks/{self.task_id}"))
        assert found
        return found.group(1)

    def decide(self, decision: str, reason: str = "标题与正文不符", path: str | None = None, **fields: str):
        form = {"form_token": self.form_token(), "task_id": self.task_id, "decision": decision, "reason": reason}
        return self.client.post(path or f"/tasks/{self.task_id}/decide", data=form | fields)


@pytest.fixture(scope="session")
def cats_of_desk() -> Iterator[str]:
    with cat_platform() as url:
        yield url


@pytest.fixture
def ranked(chain: SupplyChain, cats_of_desk: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A ranked task without a plan."""
    for name, value in {**HURRIED, "SUPPLY_PLATFORM_URL": cats_of_desk}.items():
        monkeypatch.setenv(name, value)
    (task,) = chain.ask(request(query="<b>猫</b> 治愈")).tasks
    chain.run([task], through=Stage.RANK)
    return task.task_id


@pytest.fixture
def desk(chain: SupplyChain, ranked: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """The desk with a token."""
    monkeypatch.setenv(TOKEN, SECRET)
    monkeypatch.delenv(USER_HEADER, raising=False)
    app = build_desk(chain.supply, read_desk_settings(), SystemClock(), Path("reports"))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield Desk(client, chain, ranked)
