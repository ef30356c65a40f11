"""The gateway as the settings describe it (S-013a)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from resources.calls.configured import call_policy
from resources.calls.outcomes.answers import Found, Tool
from resources.foundation.clock import RandomIds, SystemClock
from resources.foundation.errors import SettingsError
from resources.settings.supply import read_supply_settings
from resources.tool_gateway.configured import configured_providers, open_gateway
from resources.tool_gateway.results.models import SearchRequest
from tests.resources.tool_gateway.scripted import SCOPE, SEARCH_PATH, ScriptedPlatform, Sink, Step, search_page


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SUPPLY_PLATFORM_URL", "SUPPLY_PLATFORM_TOKEN", "SUPPLY_PROVIDERS_FILE", "SUPPLY_PLAN_SERVICE_URL"):
        monkeypatch.delenv(name, raising=False)


def file_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: Any) -> None:
    path = tmp_path / "providers.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    monkeypatch.setenv("SUPPLY_PROVIDERS_FILE", str(path))


def test_s013a_one_address_gives_the_default_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLY_PLATFORM_URL", "http://127.0.0.1:8800/")

    providers = configured_providers(read_supply_settings())

    assert {tool: [one.name for one in line] for tool, line in providers.items()} == {
        Tool.SEARCH: ["house", "whosecard"],
        Tool.ACCOUNT: ["house", "mp"],
        Tool.ARTICLE_LIST: ["house", "mp"],
        Tool.ARTICLE_DETAIL: ["house", "article_page"],
    }
    assert {one.base_url for line in providers.values() for one in line} == {"http://127.0.0.1:8800"}


def test_s010_the_policy_is_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("TOOL_TIMEOUT_S", "3"),
        ("BACKOFF_S", "0.5"),
        ("RETRY_AFTER_CAP_S", "7"),
        ("TOOL_CONCURRENCY", "2"),
    ):
        monkeypatch.setenv(f"SUPPLY_{name}", value)
    policy = call_policy(read_supply_settings())

    assert (policy.timeout_s, policy.backoff_s, policy.retry_after_cap_s, policy.concurrency) == (3, 0.5, 7, 2)


def test_s013a_without_an_address_the_fix_is_named() -> None:
    with pytest.raises(SettingsError, match=r"pattern2plan sandbox serve.*SUPPLY_PLATFORM_URL"):
        configured_providers(read_supply_settings())


def test_s013a_a_file_gives_order_names_tokens_and_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: ScriptedPlatform
) -> None:
    monkeypatch.setenv("VENDOR_TOKEN", "tok-1")
    entries = [
        {"dialect": "sogou", "base_url": platform.url, "per_second": 2, "per_day": 0},
        {"dialect": "house", "base_url": platform.url, "name": "vendor", "token_env": "VENDOR_TOKEN", "money": 5},
    ]
    file_of(tmp_path, monkeypatch, {"weixin_search": entries})
    platform.on(SEARCH_PATH, search_page(1))

    async def run() -> Any:
        async with open_gateway(read_supply_settings(), Sink(), SystemClock(), RandomIds()) as gateway:
            return await gateway.search(SCOPE, SearchRequest(keyword="x"))

    answer = asyncio.run(run())

    assert isinstance(answer, Found)
    assert answer.provider == "vendor"
    assert [(seen.path, seen.headers["authorization"]) for seen in platform.seen] == [(SEARCH_PATH, "Bearer tok-1")]


def test_s013a_a_token_may_be_a_mounted_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "VENDOR_TOKEN").write_text("tok-1\n")
    monkeypatch.setenv("PATTERN2PLAN_SECRETS_DIR", str(tmp_path))
    file_of(
        tmp_path, monkeypatch, {"weixin_search": [{"dialect": "house", "base_url": LOCAL, "token_env": "VENDOR_TOKEN"}]}
    )

    (provider,) = configured_providers(read_supply_settings())[Tool.SEARCH]

    assert provider.token is not None
    assert provider.token.get_secret_value() == "tok-1"


def test_d003_a_platform_that_says_the_token_back_brings_it_nowhere(
    monkeypatch: pytest.MonkeyPatch, platform: ScriptedPlatform
) -> None:
    monkeypatch.setenv("SUPPLY_PLATFORM_URL", platform.url)
    monkeypatch.setenv("SUPPLY_PLATFORM_TOKEN", "token-Zq9")
    refusal = {"code": 40001, "message": "token-Zq9 is no token", "data": None}
    platform.on(SEARCH_PATH, Step(200, json.dumps(refusal).encode()))
    sink = Sink()

    async def run() -> Any:
        async with open_gateway(read_supply_settings(), sink, SystemClock(), RandomIds()) as gateway:
            return await gateway.search(SCOPE, SearchRequest(keyword="x"))

    answer = asyncio.run(run())

    assert answer.raw["message"] == "*** is no token"
    assert "Zq9" not in repr(answer) + repr(sink.events)


LOCAL = "http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("{", "not strict JSON"),
        ({"weixin_serch": []}, "weixin_serch"),
        ({"weixin_search": [{"dialect": "house"}]}, "weixin_search.0.base_url"),
        ({"weixin_search": [{"dialect": "nobody", "base_url": LOCAL}]}, "weixin_search.0.dialect"),
        ({"weixin_search": [{"dialect": "mp", "base_url": LOCAL}]}, "weixin_search.0.dialect: mp does not speak"),
        ({"weixin_search": [{"dialect": "house", "base_url": LOCAL, "per_second": 0}]}, "weixin_search.0.per_second"),
        ({"weixin_search": [{"dialect": "house", "base_url": "ftp://x"}]}, "weixin_search.0.base_url"),
        ({"weixin_search": [{"dialect": "house", "base_url": "http://u:s3cr@h"}]}, "weixin_search.0.base_url"),
        ({"weixin_search": [{"dialect": "house", "base_url": LOCAL, "token_env": "NOT_SET"}]}, "names NOT_SET"),
        ({"weixin_search": [{"dialect": "house", "base_url": LOCAL, "token_env": "../secret"}]}, "token_env"),
        ({"weixin_search": [{"dialect": "house", "base_url": LOCAL}] * 2}, "two providers of one name"),
    ],
)
def test_s013a_a_wrong_file_names_the_field(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: Any, named: str
) -> None:
    file_of(tmp_path, monkeypatch, content)

    with pytest.raises(SettingsError) as caught:
        configured_providers(read_supply_settings())

    assert named in str(caught.value)
    assert "s3cr" not in str(caught.value)


def test_s013a_a_missing_file_is_a_settings_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPLY_PROVIDERS_FILE", "/nowhere/providers.json")

    with pytest.raises(SettingsError, match="cannot be read"):
        configured_providers(read_supply_settings())


@pytest.mark.parametrize(
    ("token", "url", "taken"), [("t", "http://h", False), ("t", "https://h", True), ("", "http://h", True)]
)
def test_s013a_a_token_never_travels_in_the_clear(
    monkeypatch: pytest.MonkeyPatch, token: str, url: str, taken: bool
) -> None:
    monkeypatch.setenv("SUPPLY_PLATFORM_URL", url)
    monkeypatch.setenv("SUPPLY_PLATFORM_TOKEN", token)

    if taken:
        assert configured_providers(read_supply_settings())
        return
    with pytest.raises(SettingsError, match="plain http"):
        configured_providers(read_supply_settings())
