"""A batch is an execution or a named set of requests; one gate for every key (contract, section 5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.foundation.errors import UsageError
from resources.foundation.ids import MAX_ID
from supply_assets.intake.batches import adhoc_key, parse_batch_key
from supply_assets.intake.request import SupplyRequest

ONE = SupplyRequest(demand_id=7, query="猫 治愈")
OTHER = SupplyRequest(demand_id=8, query="狗")


@pytest.mark.parametrize("execution_id", [1, 581, MAX_ID])
def test_a_batch_of_digits_is_an_execution(execution_id: int) -> None:
    assert parse_batch_key(str(execution_id)) == execution_id


@pytest.mark.parametrize("key", ["adhoc-x", "adhoc-2026_06-01", "adhoc-" + "a" * 58])
def test_a_batch_of_requests_is_no_execution(key: str) -> None:
    assert parse_batch_key(key) is None


@pytest.mark.parametrize(
    "key",
    ["", "0", "-1", "01", "581 ", "５８１", "+5", "5.0", str(MAX_ID + 1), "9" * 40, "adhoc", "adhoc-", "adhoc--x",
     "adhoc-X", "adhoc-猫", "adhoc-a b", "adhoc-a\n", "adhoc-" + "a" * 59, "ADHOC-x", "../1", "a,b", "1...2"],
)  # fmt: skip
def test_any_other_key_is_refused_and_shown(key: str) -> None:
    with pytest.raises(UsageError, match="neither an execution id nor adhoc") as refused:
        parse_batch_key(key)
    assert len(str(refused.value)) < 300


@given(st.text(max_size=80))
def test_a_key_is_an_execution_or_adhoc_or_refused(key: str) -> None:
    try:
        execution_id = parse_batch_key(key)
    except UsageError:
        return
    assert key == str(execution_id) if execution_id is not None else key.startswith("adhoc-")


def test_s003_the_same_requests_are_the_same_batch_and_others_are_another() -> None:
    assert adhoc_key([ONE, OTHER]) == adhoc_key([ONE, OTHER.model_copy()])
    changed = (ONE.model_copy(update={"expected_count": 3}), ONE.model_copy(update={"query": "猫"}), OTHER)
    assert len({adhoc_key([request]) for request in (ONE, *changed)}) == 4


def test_a_key_of_requests_passes_the_gate() -> None:
    assert parse_batch_key(adhoc_key([ONE])) is None
