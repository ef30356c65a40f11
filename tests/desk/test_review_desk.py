"""What a person can do at the desk, what nobody else can, and that a decision is the command's (S-030)."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from desk.app import build_desk
from desk.authentication import COOKIE
from desk.review.tasks import SIZE
from desk.wrong_tries import TRIES_A_MINUTE
from resources.databases.supply_store.articles.candidates import read_candidates
from resources.databases.supply_store.events import EventRow, NewEvent, insert_events, read_events
from resources.databases.supply_store.tasks.ext import set_ext
from resources.foundation.clock import SystemClock
from resources.foundation.errors import SettingsError
from resources.settings.desk import HOSTS, PROXIES, TOKEN, USER_HEADER, read_desk_settings
from supply_assets.review.review import Decision, Reviewer, review_task
from tests.desk.conftest import NAME, SECRET, Desk
from tests.supply_chain import SupplyChain, of_post, request


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


def test_looking_at_the_door_is_no_try(desk: Desk):
    for _ in range(TRIES_A_MINUTE):
        assert desk.client.head("/sign-in").status_code == 200
    assert desk.sign_in() == 200


@pytest.mark.parametrize(
    ("peer", "said", "secure"),
    [("127.0.0.1", "https", True), ("127.0.0.1", "http", False), ("10.0.0.8", "https", False)],
)
def test_behind_a_proxy_with_tls_the_cookie_never_travels_in_the_open(desk: Desk, peer: str, said: str, secure: bool):
    with TestClient(desk.client.app, base_url="http://127.0.0.1", client=(peer, 5), follow_redirects=False) as client:
        form = {"name": NAME, "token": SECRET}
        answer = client.post("/sign-in", data=form, headers={"X-Forwarded-Proto": said})
    cookie = answer.headers["set-cookie"]
    assert answer.status_code == 303
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    assert ("Secure" in cookie) == secure


def test_the_token_is_neither_on_a_page_nor_in_a_log(desk: Desk, capfd: pytest.CaptureFixture[str]):
    said = desk.client.post("/sign-in", data={"name": NAME, "token": SECRET[:-1]}).text
    said += desk.client.post("/sign-in", data={"name": "", "token": SECRET}).text
    desk.sign_in()
    said += desk.decide("hold", "").text + desk.page("/") + desk.page(f"/tasks/{desk.task_id}") + desk.page("/nothing")
    said += "".join(capfd.readouterr())
    assert SECRET[:-1] not in said


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
    assert f'href="/tasks/{desk.task_id}"' in refused.text
    assert 'href="/?lang=zh"' in refused.text, "what a form led to cannot be asked for again"


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
    assert desk.client.get("/?before=x&kind=y").status_code == 200


@pytest.mark.parametrize("number", ["9" * 30, "9" * 5_000], ids=len)
def test_a_number_that_no_database_holds_is_no_fault_of_the_desk(desk: Desk, number: str):
    desk.sign_in()
    assert desk.client.get(f"/?before={number}").status_code == 200
    assert desk.decide("hold", path=f"/candidates/{number}/decide").status_code == 400


@pytest.mark.parametrize("kept", ["altered", {"state": "HELD", "by": "x", "reason": "y", "at": 5}], ids=str)
def test_s030_one_altered_review_hides_no_other_task(desk: Desk, kept: object):
    desk.sign_in()
    desk.chain.ask(request(demand_id=4242, query="另一个任务"))
    desk.chain.alter_json("supply_task", "ext", 1, lambda ext: ext | {"review": kept})
    answer = desk.client.get("/")
    assert (answer.status_code, answer.text.count('class="query"')) == (200, 2)
    assert desk.client.get(f"/tasks/{desk.task_id}").status_code == 200


def test_characters_that_no_text_can_have_are_refused(desk: Desk):
    desk.sign_in()
    head = '--q\r\nContent-Disposition: form-data; name="form_token"\r\n\r\n'
    kind = {"Content-Type": "multipart/form-data; boundary=q; charset=unicode_escape"}
    body = f"{head}\\ud800\r\n--q--\r\n".encode()
    assert desk.client.post(f"/tasks/{desk.task_id}/decide", content=body, headers=kind).status_code == 400


def test_every_answer_lets_nothing_else_in(desk: Desk):
    answers = [desk.client.get(path, follow_redirects=False) for path in ("/", "/sign-in", "/nothing", "/sign-out")]
    answers.append(desk.client.get("/", headers={"Host": "evil.example"}))
    assert [answer.status_code for answer in answers] == [303, 200, 404, 405, 400]
    for answer in answers:
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"


def test_a_fault_of_the_desk_is_a_page_without_its_cause(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    desk.sign_in()
    desk.chain.alter_json("supply_task", "ext", 1, lambda ext: "the cause")
    with TestClient(desk.client.app, "http://127.0.0.1", raise_server_exceptions=False) as client:
        client.post("/sign-in", data={"name": NAME, "token": SECRET})
        answer = client.get(f"/tasks/{desk.task_id}")
    assert (answer.status_code, "the log of the desk says why" in answer.text) == (500, True)
    assert "Traceback" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_s006_the_evidence_stands_on_the_page_and_an_altered_one_is_said(desk: Desk):
    desk.chain.publish(of_post("p1"))
    (task,) = desk.chain.take_in(expected_count=3).tasks
    desk.sign_in()
    page = desk.page(f"/tasks/{task.task_id}")
    for said in ("1001", "/动物/猫咪", "<dd>0.5</dd>", "<code>p1</code>", "581:1001"):
        assert said in page
    desk.chain.alter_json("supply_task", "ext", task.id, lambda ext: ext | {"source_evidence": {"categories": ["x"]}})
    assert "was altered" in desk.page(f"/tasks/{task.task_id}")


def test_d073_a_freeze_stands_in_the_list_however_it_was_kept(desk: Desk):
    desk.sign_in()
    (task_id,) = [row["task_id"] for row in desk.chain.tables()["supply_task"] if row["id"] == 1]
    for kept in ("an old reason", {"rule_id": "D-036", "reason": "posts are gone", "at": "2026-06-01T00:00:00+00:00"}):
        desk.chain.supply.write(lambda connection, kept=kept: set_ext(connection, task_id, "frozen", kept))
        page = desk.page("/?kind=frozen")
        assert page.count('class="query"') == 1
    assert "D-036: posts are gone · 2026-06-01 08:00" in page


def test_s030_what_was_decided_stands_however_much_happened_since(desk: Desk):
    desk.sign_in()
    desk.decide("hold")
    call = NewEvent(task_id=desk.task_id, event_type="TOOL_CALL", created_at=SystemClock().now())
    desk.chain.supply.write(lambda connection: insert_events(connection, [call] * 2_500))
    assert f"{NAME}: hold task: 标题与正文不符" in desk.page(f"/tasks/{desk.task_id}")


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
    app = build_desk(chain.supply, read_desk_settings(), SystemClock(), Path("reports"))
    named = [(b"X-Forwarded-User", NAME.encode())]
    for peer, status in (("10.0.0.7", 200), ("10.0.0.8", 401)):
        with TestClient(app, base_url="http://127.0.0.1", client=(peer, 5)) as client:
            answer = client.get("/", headers=named)
            assert answer.status_code == status
            assert (NAME in answer.text) == (status == 200)
            assert client.get("/").status_code == 401
            assert client.get("/", headers=[*named, (b"X-Forwarded-User", b"admin")]).status_code == 401
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
    monkeypatch.delenv(PROXIES)
    monkeypatch.setenv(HOSTS, "Desk.example.org, *")
    with pytest.raises(SettingsError, match=HOSTS):
        read_desk_settings()
    monkeypatch.setenv(HOSTS, "Desk.example.org, *.example.com")
    assert read_desk_settings().host_names == ["desk.example.org", "*.example.com"]
