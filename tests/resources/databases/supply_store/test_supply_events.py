"""Events are bounded, ordered, counted, and never fail for what they say (S-012)."""

from __future__ import annotations

from typing import Any

import pytest

from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.events import EventRow, NewEvent, insert_events, read_events
from resources.foundation import strict_json
from tests.resources.databases.supply_store.supply_rows import NOW, read, statements_of


def put(store: SupplyStore, *rows: NewEvent) -> None:
    store.write(lambda connection: insert_events(connection, rows))


def event(event_type: str = "TOOL_CALL", task_id: str = "t1", **columns: Any) -> NewEvent:
    return NewEvent(task_id=task_id, event_type=event_type, created_at=NOW, **columns)


def latest(store: SupplyStore, limit: int = 10) -> list[EventRow]:
    return read(store, lambda connection: read_events(connection, "t1", limit))


def test_s012_an_event_comes_back_as_it_went(supply: SupplyStore) -> None:
    row = event(
        stage_name="RECALL", tool_name="weixin_search", request_id="r1", event_payload={"ms": 3}, message="神🫠"
    )
    put(supply, row)
    [found] = latest(supply)
    names = set(NewEvent.__dataclass_fields__) - {"created_at"}
    assert {n: getattr(found, n) for n in names} == {n: getattr(row, n) for n in names}
    assert found.created_at == NOW.replace(microsecond=0)


def test_s012_the_latest_events_come_in_their_order(supply: SupplyStore) -> None:
    put(supply, *(event(message=str(number)) for number in range(5)))
    assert [row.message for row in latest(supply, 3)] == ["2", "3", "4"]


def test_s012_a_long_message_is_cut_and_a_large_payload_is_bounded(supply: SupplyStore) -> None:
    put(supply, event(message="𠮷" * 1500, event_payload={"body": "中" * 3000}), event(event_payload={"b": "x" * 4000}))
    cut, whole = latest(supply)
    assert cut.message == "𠮷" * 1000
    assert (cut.event_payload["cut"], cut.event_payload["bytes"]) == (True, 9012)
    assert len(strict_json.dumps(cut.event_payload).encode()) <= 4096
    assert whole.event_payload == {"b": "x" * 4000}


@pytest.mark.parametrize("payload", [{"lift": float("nan")}, {"text": "a\ud83d"}, {"at": NOW}])
def test_my6_a_payload_that_is_no_json_says_so_and_stops_nothing(supply: SupplyStore, payload: dict[str, Any]) -> None:
    put(supply, event(event_payload=payload, message="half \ud83d"), event())
    refused, plain = latest(supply)
    assert "no strict JSON form" in refused.event_payload["not_stored"]
    assert refused.message == "half ?"
    assert plain.event_payload is None


def test_s041_many_events_are_one_statement(supply: SupplyStore) -> None:
    with statements_of(supply) as statements:
        put(supply, *(event() for _ in range(500)))
    assert len([statement for statement in statements if "INSERT" in statement]) == 1
    put(supply)
