"""One key an execution, and one gate that every key passes (field report DG1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.foundation.errors import UsageError
from resources.foundation.ids import MAX_ID, execution_key, parse_execution_key


@pytest.mark.parametrize(
    "key",
    ["", " ", "ex,1", '{"run":1}', "a|b", "581 ", "58\n1", "581\n", "58\u200b1", "0581", "+581", "-1", "0", "５８１",
     "5.0", "1" * 20, str(MAX_ID + 1), "adhoc-x"],
)  # fmt: skip
def test_dg1_only_the_decimal_form_of_an_id_is_a_key(key: str):
    with pytest.raises(UsageError, match="is not an execution id"):
        parse_execution_key(key)


@pytest.mark.parametrize("execution_id", [1, 581, 2**53 + 1, MAX_ID])
def test_dg1_every_id_has_one_key(execution_id: int):
    assert parse_execution_key(execution_key(execution_id)) == execution_id


@pytest.mark.parametrize("execution_id", [0, -5, MAX_ID + 1])
def test_dg1_a_number_that_is_no_id_has_no_key(execution_id: int):
    with pytest.raises(UsageError, match="cannot be a partition key"):
        execution_key(execution_id)


@given(st.text(max_size=80))
def test_dg1_a_key_is_the_one_of_its_execution_or_refused(key: str):
    try:
        execution_id = parse_execution_key(key)
    except UsageError:
        return
    assert execution_key(execution_id) == key
