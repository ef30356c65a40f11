"""What a person can do at the desk, what nobody else can, and that a decision is the command's (S-030)."""

from __future__ import annotations

import httpx2
import pytest
from starlette.testclient import TestClient

from resources.clock import SystemClock
from resources.desk_settings import PROXIES, TOKEN, USER_HEADER, read_desk_settings
from resources.errors import SettingsError
from resources.supply_store.candidates import read_candidates
from resources.supply_store.events import EventRow, read_events
from supply_assets.review import Decision, Reviewer, review_task
from supply_assets.review_desk.app import build_desk
from supply_assets.review_desk.door import COOKIE, TRIES_A_MINUTE
from supply_assets.review_desk.tasks import SIZE
from tests.supply_assets.review_desk.conftest import NAME, SECRET, Desk
from tests.supply_chain import SupplyChain, request


def decisions(chain: SupplyChain, task_id: str) -> list[EventRow]:
    events = chain.read(lambda connection: read_events(connection, task_id, 10_000))
    return [event for event in events if event.event_type == "MANUAL_INTERVENTION"]


def test_nobody_gets_in_without_a_token(desk: Desk):
    for path in ("/", f"/tasks/{desk.task_id}"):
        answer = desk.client.get(path, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert desk.client.post(f"/tasks/{desk.task_id}/decide", data={"decision": "hold"}).status_code == 401
    assert desk.sign_in(token="not-the-token-at-all") == 401
    assert decisions(desk.chain, desk.task_id) == []
    desk.client.cookies.set(COOKIE, "eyJuYW1lIjoiSSJ9.AAAA")
    assert desk.client.get("/", follow_redirects=False).status_code == 303


def test_wrong_tokens_that_come_too_fast_are_refused_unread(desk: Desk):
    assert [desk.sign_in(token="wrong-token-wrong") for _ in range(TRIES_A_MINUTE)] == [401] * TRIES_A_MINUTE
    assert desk.sign_in() == 429


def test_s030_a_decision_is_the_same_as_the_commands(desk: Desk):
    assert desk.sign_in() == 200
    assert desk.decide("hold").status_code == 200
    review_task(desk.chain.supply, SystemClock(), desk.task_id, Decision.HOLD, Reviewer(NAME, "标题与正文不符"))
    by_desk, by_command = decisions(desk.chain, desk.task_id)
    assert (by_desk.message, by_desk.event_payload, by_desk.stage_name) == (
        by_command.message,
        by_command.event_payload,
        by_command.stage_name,
    )
    assert f"{NAME}: hold task: 标题与正文不符" in desk.page(f"/tasks/{desk.task_id}")
    assert "HELD" in desk.page("/?kind=held")


def test_s030_a_held_task_makes_no_plan_and_a_released_one_makes_one(desk: Desk, cats_of_desk: str):
    desk.sign_in()
    desk.decide("hold")
    task = desk.chain.task(desk.task_id)
    assert desk.chain.run([task]).counts == {"held": 1}
    desk.decide("release")
    assert desk.chain.run([task]).counts == {"completed": 1}
    plans = httpx2.get(f"{cats_of_desk}/admin/plans").json()["plans"]
    assert sum(plan["task_id"] == desk.task_id for plan in plans) == 1
    assert desk.client.get(f"/tasks/{desk.task_id}").text.count("<form") == 1, "only signing out is left"


def test_s030_candidates_are_decided_on_and_a_planned_task_is_out_of_reach(desk: Desk):
    desk.sign_in()
    token = desk.form_token()
    candidate = desk.chain.read(lambda connection: read_candidates(connection, [desk.task_id]))[0]
    assert desk.decide("reject", path=f"/candidates/{candidate.id}/decide").status_code == 200
    assert "REJECTED" in desk.page(f"/tasks/{desk.task_id}")
    desk.chain.run([desk.chain.task(desk.task_id)])
    form = {"form_token": token, "task_id": desk.task_id, "decision": "hold", "reason": "too late"}
    refused = desk.client.post(f"/tasks/{desk.task_id}/decide", data=form)
    assert refused.status_code == 409
    assert "COMPLETED" in refused.text


@pytest.mark.parametrize("fault", ["no token", "another session's", "another site", "another site's origin"])
def test_a_form_that_is_not_of_this_session_changes_nothing(desk: Desk, fault: str):
    desk.sign_in(name="somebody else")
    foreign = desk.form_token()
    desk.sign_in()
    token = {"no token": "", "another session's": foreign}.get(fault) or (desk.form_token() if "site" in fault else "")
    headers = {"another site": {"Sec-Fetch-Site": "cross-site"}, "another site's origin": {"Origin": "http://evil"}}
    form = {"form_token": token, "decision": "reject", "reason": "x"}
    answer = desk.client.post(f"/tasks/{desk.task_id}/decide", data=form, headers=headers.get(fault, {}))
    assert answer.status_code == 403
    assert decisions(desk.chain, desk.task_id) == []


@pytest.mark.parametrize(("decision", "reason"), [("hold", ""), ("hold", "x" * 201), ("delete", "because"), ("", "y")])
def test_a_decision_needs_a_reason_and_to_be_one(desk: Desk, decision: str, reason: str):
    desk.sign_in()
    assert desk.decide(decision, reason).status_code == 400
    assert decisions(desk.chain, desk.task_id) == []


def test_hostile_texts_are_text(desk: Desk):
    desk.sign_in(name="<script>alert(1)</script>")
    desk.decide("hold", "<img src=x onerror=alert(2)>")
    for path in ("/", f"/tasks/{desk.task_id}", "/?find=%22%3E%3Cscript%3E"):
        text = desk.page(path)
        assert "<script" not in text
        assert "<img" not in text
        assert "<b>猫" not in text
    answer = desk.client.get("/")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_what_is_not_there_and_what_is_too_large(desk: Desk):
    desk.sign_in()
    assert desk.client.get("/tasks/nothing").status_code == 404
    assert desk.decide("hold", path="/candidates/999999/decide").status_code == 400
    assert desk.decide("hold", "x" * 20_000).status_code == 400
    assert desk.client.get("/", headers={"Host": "evil.example"}).status_code == 400
    assert desk.client.get("/?before=x&kind=y").status_code == 200


def test_a_store_that_is_away_is_a_page_that_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    desk.sign_in()
    with desk.chain.supply.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE supply_task RENAME TO supply_task_gone")
    answer = desk.client.get("/")
    assert answer.status_code == 503
    assert "db upgrade" in answer.text


def test_tasks_are_found_and_paged(desk: Desk):
    desk.sign_in()
    desk.chain.ask(*(request(demand_id=1000 + number, query=f"第{number}号") for number in range(SIZE + 5)))
    first = desk.page("/")
    assert first.count('class="query"') == SIZE
    older = first.split("before=")[1].split('"')[0]
    assert desk.page(f"/?before={older}").count('class="query"') == 6
    assert desk.page("/?find=第3号").count('class="query"') == 1
    assert desk.page("/?find=%25").count('class="query"') == 0
    assert "审核台" in desk.page("/?lang=zh")
    assert "审核台" in desk.page("/"), "the language is kept"


def test_a_proxy_names_the_person_and_nobody_else_may(chain: SupplyChain, ranked: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(TOKEN, raising=False)
    monkeypatch.setenv(USER_HEADER, "X-Forwarded-User")
    monkeypatch.setenv(PROXIES, "10.0.0.7")
    app = build_desk(chain.supply, read_desk_settings(), SystemClock())
    named = [(b"X-Forwarded-User", NAME.encode())]
    for peer, status in (("10.0.0.7", 200), ("10.0.0.8", 401)):
        with TestClient(app, base_url="http://127.0.0.1", client=(peer, 5)) as client:
            answer = client.get("/", headers=named)
            assert answer.status_code == status
            assert (NAME in answer.text) == (status == 200)
            assert client.get("/").status_code == 401
            assert client.post("/sign-in", data={"name": NAME, "token": SECRET}).status_code == 401


def test_the_desk_stays_closed_where_nobody_could_be_told_from_anybody(monkeypatch: pytest.MonkeyPatch):
    for name in (TOKEN, USER_HEADER, PROXIES):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SettingsError, match=TOKEN):
        read_desk_settings()
    monkeypatch.setenv(TOKEN, "short")
    with pytest.raises(SettingsError, match=TOKEN):
        read_desk_settings()
    monkeypatch.setenv(TOKEN, SECRET)
    monkeypatch.setenv(PROXIES, "not an address")
    with pytest.raises(SettingsError, match=PROXIES):
        read_desk_settings()
