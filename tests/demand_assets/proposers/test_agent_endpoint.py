"""What the endpoint may do wrong: every failure has a name, a fix and an end, and none repeats the key (D-003)."""

from __future__ import annotations

import json
import socket
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from demand_assets.proposers.proposer import Proposals, StopReason
from resources.foundation.errors import ModelUnreachable, SettingsError
from resources.model.completion import complete
from resources.model.endpoint import ModelEndpoint
from resources.settings.model_endpoint import ModelSettings
from tests.demand_assets.proposers.agent_facts import candidate
from tests.demand_assets.proposers.conftest import KEY, QUICK, Desk
from tests.scripted_model import Scripted, ScriptedModel, calls, drops, fails, html, raw, says

Start = Callable[..., ScriptedModel]
GOOD = calls(("create_demand_item", candidate()))


def failure(desk: Desk, model: ScriptedModel | str, transcript: int = 1) -> ModelUnreachable:
    """The error of a first call, one line with a fix, without the key, and with a transcript."""
    with pytest.raises(ModelUnreachable) as caught:
        desk.proposer(model).propose(1, [])
    error = caught.value
    assert error.exit_code == 3
    assert error.fix
    assert "\n" not in str(error)
    assert KEY not in "".join(traceback.format_exception(error))
    assert desk.transcript(transcript)["stop"] == "proposer_failed"
    assert KEY not in desk.everything_saved()
    return error


def test_d003_endpoint_down(desk: Desk) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        error = failure(desk, f"http://127.0.0.1:{free.getsockname()[1]}/v1")
    assert "could not be reached" in error.message
    assert "DEMAND_LLM_BASE_URL" in error.fix


def test_d003_endpoint_slow(desk: Desk, scripted: Start) -> None:
    model = scripted(GOOD.after(2))
    assert "did not answer within 0.4 s" in failure(desk, model).message
    assert len(model.requests) == 1


@pytest.mark.parametrize("fault", [fails(429), fails(429, retry_after="0"), fails(500), fails(503), drops()])
def test_gw4_a_passing_fault_is_tried_again(desk: Desk, scripted: Start, fault: Scripted) -> None:
    model = scripted(fault, fault, GOOD)
    assert desk.proposer(model).propose(1, []) == Proposals([candidate()])
    assert len(model.requests) == 3


def test_gw4_retry_after_is_honoured_up_to_the_cap(desk: Desk, scripted: Start) -> None:
    patient = replace(QUICK, max_retry_wait_s=0.3)
    began = time.monotonic()
    desk.proposer(scripted(fails(429, retry_after="3600"), GOOD), endpoint=patient).propose(1, [])
    assert time.monotonic() - began >= 0.3


@pytest.mark.parametrize(
    "asked",
    ["3600", "Wed, 21 Oct 2099 07:28:00 GMT", "Wed, 21 Oct 2015 07:28:00 GMT", "-5", "soon", "nan", "inf"],
)
def test_gw4_no_retry_after_hangs_or_breaks(desk: Desk, scripted: Start, asked: str) -> None:
    model = scripted(then=fails(429, retry_after=asked))
    assert "HTTP 429" in failure(desk, model).message
    assert len(model.requests) == 3


@pytest.mark.parametrize("fault", [fails(500), fails(502), drops()])
def test_gw4_a_lasting_fault_ends(desk: Desk, scripted: Start, fault: Scripted) -> None:
    model = scripted(then=fault)
    failure(desk, model)
    assert len(model.requests) == 3


@pytest.mark.parametrize("status", [401, 403])
def test_d003_a_refused_key_is_said_and_not_shown(desk: Desk, scripted: Start, status: int) -> None:
    model = scripted(then=fails(status, message=f"Incorrect API key provided: {KEY}"))
    error = failure(desk, model)
    assert "refused the key" in error.message
    assert "DEMAND_LLM_API_KEY" in error.fix
    assert len(model.requests) == 1


@pytest.mark.parametrize("status", [400, 404, 422])
def test_gw6_other_refusals_are_not_tried_again(desk: Desk, scripted: Start, status: int) -> None:
    model = scripted(then=fails(status, message=f"no such model for {KEY}"))
    assert f"HTTP {status}): no such model for [key]" in failure(desk, model).message
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    "garbage",
    [
        html(),
        raw(b"busy", content_type="text/plain"),
        raw(says("x").body[:-40]),
        raw(b""),
        raw(b"null"),
        raw(b"[]"),
        raw(b"\xff\xfe"),
        raw(b'{"choices": []}'),
        raw(b'{"choices": null}'),
        raw(b'{"choices": [{"message": null}]}'),
        Scripted(301, b"", {"Location": "http://127.0.0.1:9/"}),
    ],
)
def test_d003_an_answer_that_is_not_the_protocol(desk: Desk, scripted: Start, garbage: Scripted) -> None:
    assert "did not answer with the chat completions protocol" in failure(desk, scripted(then=garbage)).message


@pytest.mark.parametrize("fault", [fails(500), fails(401), html(), drops(), GOOD.after(2)])
def test_d014_what_was_recorded_lives_when_the_endpoint_fails_later(
    desk: Desk, scripted: Start, fault: Scripted
) -> None:
    batch = desk.proposer(scripted(GOOD, then=fault)).propose(2, [])
    assert (batch.candidates, batch.stop) == ([candidate()], StopReason.PROPOSER_FAILED)
    assert "model endpoint" in batch.failure
    assert KEY not in batch.failure


@pytest.mark.parametrize(
    "reason", ["error", "network_error", "insufficient_system_resource", "abort", "something_new", 7]
)
def test_lm10_an_answer_that_broke_off_is_tried_again_within_bounds(desk: Desk, scripted: Start, reason: Any) -> None:
    broken = says("half", finish=reason)
    model = scripted(broken, broken, GOOD)
    assert desk.proposer(model).propose(1, []) == Proposals([candidate()])
    assert len(model.requests) == 3

    model = scripted(then=broken)
    assert f"finish_reason {reason!r}" in failure(desk, model, 2).message
    assert len(model.requests) == 3


@pytest.mark.parametrize("reason", ["eos", "end_turn", "STOP", "", None])
def test_lm10_other_words_for_the_end_are_the_end(desk: Desk, scripted: Start, reason: Any) -> None:
    text = json.dumps([candidate()])
    assert desk.proposer(scripted(says(text, finish=reason))).propose(1, []) == Proposals([candidate()])


@pytest.mark.parametrize("reason", ["sensitive", "content_filter"])
@pytest.mark.parametrize("text", ["", "half a sen"])
def test_lm10_a_filter_of_contents_has_its_name(desk: Desk, scripted: Start, reason: str, text: str) -> None:
    model = scripted(GOOD, then=says(text, finish=reason))
    batch = desk.proposer(model).propose(2, [])
    assert (batch.candidates, batch.stop) == ([candidate()], StopReason.PROPOSER_FAILED)
    assert "filter of contents" in batch.failure
    assert repr(reason) in batch.failure
    assert len(model.requests) == 2


@pytest.mark.parametrize(
    ("status", "said", "named", "to_do"),
    [
        (502, {"message": "Bad Gateway"}, "failed (HTTP 502): Bad Gateway", "try again later"),
        (429, {"message": "slow down"}, "asked more than the key may", "wait"),
        (402, {"message": "no money"}, "no credit", "top up"),
        (404, {"message": "gone"}, "no such model", "DEMAND_LLM_BASE_URL"),
        (400, {"message": "no", "code": "content_filter"}, "filter of contents", "DEMAND_LLM_MODEL"),
        (
            400,
            {"message": "inappropriate input", "code": "data_inspection_failed"},
            "filter",
            "",
        ),
        (400, {"message": "context too long"}, "refused the request (HTTP 400): context too long", "do what it says"),
    ],
)
def test_a_failure_has_its_own_name(
    desk: Desk, scripted: Start, status: int, said: dict[str, str], named: str, to_do: str
) -> None:
    error = failure(desk, scripted(then=raw(json.dumps({"error": said}).encode(), status=status)))
    assert named in error.message
    assert to_do in error.fix
    assert status == 404 or "BASE_URL" not in error.fix


BODIES = [
    {"error": "it is busy"},
    {"error": {"message": "it is busy", "code": 1302}},
    {"code": 1302, "msg": "it is busy"},
    {"detail": "it is busy"},
    {"detail": [{"loc": ["body"], "msg": "it is busy"}]},
    {"errors": [{"message": "it is busy"}]},
    {"base_resp": {"status_code": 1002, "status_msg": "it is busy"}},
    {"message": "it is busy"},
]


@pytest.mark.parametrize("body", BODIES)
def test_an_error_body_of_any_shape_is_named(desk: Desk, scripted: Start, body: dict[str, Any]) -> None:
    text = json.dumps(body).encode()
    assert "it is busy" in failure(desk, scripted(then=raw(text, status=500))).message

    model = scripted(then=raw(text))
    error = failure(desk, model, 2)
    assert "answered with an error: it is busy" in error.message
    assert "BASE_URL" not in error.fix
    assert len(model.requests) == 3


def test_a_page_instead_of_an_error_is_named_without_its_tags(desk: Desk, scripted: Start) -> None:
    page = raw(b"<html><h1>502 Bad <b>Gateway</b></h1></html>", content_type="text/html", status=502)
    assert "failed (HTTP 502): 502 Bad Gateway, again and again" in failure(desk, scripted(then=page)).message


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": "TEXT"}],
        [{"type": "thinking", "thinking": [{"type": "text", "text": "[{"}]}, {"type": "text", "text": "TEXT"}],
        [{"type": "reasoning", "text": "[{"}, {"text": "TEXT"}, 7, None],
        ["TEXT"],
        {"type": "text", "text": "TEXT"},
    ],
)
def test_lm12_text_parts_are_joined_and_others_passed_over(desk: Desk, scripted: Start, content: Any) -> None:
    text = json.dumps([candidate()], ensure_ascii=False)
    given = json.loads(json.dumps(content).replace('"TEXT"', json.dumps(text)))
    assert desk.proposer(scripted(says(given))).propose(1, []) == Proposals([candidate()])


def test_lm12_a_text_in_two_parts_is_one_text(desk: Desk, scripted: Start) -> None:
    text = json.dumps([candidate()])
    halves: Any = [{"type": "text", "text": text[:20]}, {"type": "text", "text": text[20:]}]
    assert desk.proposer(scripted(says(halves))).propose(1, []) == Proposals([candidate()])


def test_d013_nearly_the_protocol_is_enough(desk: Desk, scripted: Start) -> None:
    call = {"function": {"name": "create_demand_item", "arguments": candidate()}}
    bare = raw(json.dumps({"choices": [{"message": {"tool_calls": [call]}}], "usage": {"prompt_tokens": -1}}).encode())
    proposer = desk.proposer(scripted(bare))
    assert proposer.propose(1, []) == Proposals([candidate()])
    assert proposer.usage.tokens == 0


def test_d014_a_lone_surrogate_becomes_the_escape_that_stands_for_it() -> None:
    call = {"function": {"name": "create_demand_item", "arguments": '{"element_names": ["\ud800"]}'}}
    [choice] = complete({"choices": [{"message": {"tool_calls": [call]}}]}, "m")["choices"]
    assert choice["message"]["tool_calls"][0]["function"]["arguments"] == r'{"element_names": ["\ud800"]}'


def settings(**changes: Any) -> ModelSettings:
    given = {
        "name": "m",
        "base_url": "http://h/v1",
        "api_key": SecretStr(KEY),
        "source": "ARK_MODEL",
        **changes,
    }
    return ModelSettings.model_validate(given)


@pytest.mark.parametrize("key", ["sk bad secret", "sk-\n-secret", "密钥secret"])
def test_d003_a_key_that_cannot_be_sent(key: str) -> None:
    with pytest.raises(SettingsError, match="ARK_API_KEY") as caught:
        ModelEndpoint(settings(api_key=SecretStr(key)))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["", "localhost:80", "ftp://h", "http://", "http://[", "http://h:x"])
def test_d003_an_address_that_is_none(url: str) -> None:
    with pytest.raises(SettingsError, match="ARK_BASE_URL"):
        ModelEndpoint(settings(base_url=url))


def test_d003_what_the_address_holds_beside_host_and_path_is_hidden() -> None:
    endpoint = ModelEndpoint(settings(base_url="https://me:pass@host:8443/v1?token=abc"))
    assert endpoint.address == "https://host:8443/v1"
    assert endpoint.hide(f"https://me:pass@host?token=abc {KEY}") == "https://host [key]"


def test_d003_accounts_of_the_environment_are_not_sent(
    desk: Desk, scripted: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "of-somebody-else")
    model = scripted(GOOD)
    desk.proposer(model).propose(1, [])
    assert "of-somebody-else" not in str(model.headers)
    assert model.headers[0]["authorization"] == f"Bearer {KEY}"
