"""Whoever has the token gets in, whatever others send; wrong tokens are slowed where they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from desk import authentication
from desk.app import build_desk
from desk.wrong_tries import MOST_ADDRESSES, TRIES_A_MINUTE, WrongTries, address_of
from resources.databases.connections import open_supply_store
from resources.settings.desk import TOKEN, read_desk_settings
from resources.settings.supply import read_supply_settings
from tests.desk.conftest import SECRET

WRONG = "wrong-token-wrong"
STRANGER, EDITOR, PROXY = "203.0.113.9", "198.51.100.4", "127.0.0.1"
Visitor = Callable[..., int]


class Watch:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 2, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def visit(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> Iterator[Visitor]:
    """Signs in from an address and says the status."""
    monkeypatch.setenv(TOKEN, SECRET)
    monkeypatch.setattr(authentication, "PAUSE_S", 0)
    store = open_supply_store(read_supply_settings())
    app = build_desk(store, read_desk_settings(), watch, Path())
    with ExitStack() as clients:

        def visit(peer: str, token: str = WRONG, forwarded: str | None = None) -> int:
            client = TestClient(app, base_url="http://127.0.0.1", client=(peer, 5), follow_redirects=False)
            headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
            form = {"name": "李编辑", "token": token}
            return int(clients.enter_context(client).post("/sign-in", data=form, headers=headers).status_code)

        yield visit
    store.close()


def test_the_right_token_gets_in_while_anybody_sends_wrong_ones(visit: Visitor) -> None:
    assert [visit(STRANGER) for _ in range(TRIES_A_MINUTE + 2)] == [401] * TRIES_A_MINUTE + [429] * 2
    assert visit(EDITOR, SECRET) == 303
    assert visit(STRANGER, SECRET) == 303, "also from the address that the wrong ones come from"
    assert visit(EDITOR) == 401, "another address is not slowed"


def test_after_a_minute_a_wrong_token_is_only_wrong(visit: Visitor, watch: Watch) -> None:
    assert [visit(STRANGER) for _ in range(TRIES_A_MINUTE + 1)][-1] == 429
    watch.time += timedelta(seconds=61)
    assert visit(STRANGER) == 401


def test_behind_a_trusted_proxy_visitors_are_told_apart_and_cannot_pass_for_others(visit: Visitor) -> None:
    tries = [visit(PROXY, forwarded=f"192.0.2.{n}, {STRANGER}") for n in range(TRIES_A_MINUTE + 1)]
    assert tries == [401] * TRIES_A_MINUTE + [429]
    assert visit(PROXY, forwarded=EDITOR) == 401


def test_what_a_stranger_says_of_himself_is_not_believed(visit: Visitor) -> None:
    assert [visit(STRANGER, forwarded=f"192.0.2.{n}") for n in range(TRIES_A_MINUTE + 1)][-1] == 429


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        (PROXY, "198.51.100.4:5511", EDITOR),
        (PROXY, "[2001:db8::7]:443", "2001:db8::/64"),
        ("2001:db8::99", "", "2001:db8::/64"),
        ("::ffff:198.51.100.4", "", EDITOR),
        (PROXY, "198.51.100.4, ::1", EDITOR),
        (PROXY, "198.51.100.4, unknown", PROXY),
        (PROXY, "", PROXY),
    ],
)
def test_an_address_is_read_from_the_end_of_the_header(peer: str, forwarded: str, address: str) -> None:
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    request = Request({"type": "http", "headers": headers, "client": (peer, 5)})
    assert address_of(request, {PROXY, "::1"}) == address


def test_a_flood_from_everywhere_does_not_fill_the_memory() -> None:
    wrong = WrongTries()
    for number in range(2 * MOST_ADDRESSES):
        for _ in range(2):
            wrong.are_too_many(f"10.0.{number // 256}.{number % 256}", float(number))
    assert len(wrong) == MOST_ADDRESSES
