"""The state machine knows the listed moves and no other (S-004)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.databases.supply_store.states import (
    LEGAL_STAGE_MOVES,
    LEGAL_STATUS_MOVES,
    Stage,
    TaskStatus,
    require_legal,
)
from resources.foundation.errors import IllegalMove

STATUS_MOVES = {
    "PENDING": {"RUNNING", "FAILED", "CANCELLED"},
    "RUNNING": {"RUNNING", "RECALL_DONE", "FAILED", "CANCELLED"},
    "RECALL_DONE": {"RECALL_DONE", "ENRICHED", "FAILED", "CANCELLED"},
    "ENRICHED": {"ENRICHED", "RANKED", "RUNNING", "FAILED", "CANCELLED"},
    "RANKED": {"RANKED", "PLAN_CREATED", "COMPLETED", "ENRICHED", "FAILED", "CANCELLED"},
    "PLAN_CREATED": {"PLAN_CREATED", "COMPLETED", "FAILED", "CANCELLED"},
    "COMPLETED": set(),
    "FAILED": {"RUNNING", "RECALL_DONE", "ENRICHED", "RANKED", "PLAN_CREATED", "CANCELLED"},
    "CANCELLED": set(),
}
STAGE_MOVES = {
    "INIT": {"INIT", "RECALL"},
    "RECALL": {"RECALL", "ACCOUNT_ENRICH"},
    "ACCOUNT_ENRICH": {"ACCOUNT_ENRICH", "ACCOUNT_PROFILE"},
    "ACCOUNT_PROFILE": {"ACCOUNT_PROFILE", "CONTENT_ENRICH"},
    "CONTENT_ENRICH": {"CONTENT_ENRICH", "RANK"},
    "RANK": {"RANK", "CREATE_PLAN", "RECALL", "FINALIZE"},
    "CREATE_PLAN": {"CREATE_PLAN", "FINALIZE", "RANK"},
    "FINALIZE": {"FINALIZE", "RANK"},
}
STATUSES = st.sampled_from(TaskStatus)
STAGES = st.sampled_from(Stage)


def test_s004_statuses_and_stages_are_the_sources() -> None:
    assert list(STATUS_MOVES) == [
        "PENDING", "RUNNING", "RECALL_DONE", "ENRICHED", "RANKED", "PLAN_CREATED", "COMPLETED", "FAILED", "CANCELLED",
    ]  # fmt: skip
    assert {str(status) for status in TaskStatus} == set(STATUS_MOVES)
    assert [str(stage) for stage in Stage] == list(STAGE_MOVES)


def test_s004_the_next_stage_is_the_one_after_it() -> None:
    assert [stage.next for stage in Stage] == [*list(Stage)[1:], None]


@pytest.mark.parametrize(("old", "new"), list(itertools.product(TaskStatus, repeat=2)))
def test_s004_every_pair_of_statuses_that_is_not_listed_is_refused(old: TaskStatus, new: TaskStatus) -> None:
    assert (new in LEGAL_STATUS_MOVES[old]) == (new in STATUS_MOVES[old])


@pytest.mark.parametrize(("old", "new"), list(itertools.product(Stage, repeat=2)))
def test_s004_every_pair_of_stages_that_is_not_listed_is_refused(old: Stage, new: Stage) -> None:
    assert (new in LEGAL_STAGE_MOVES[old]) == (new in STAGE_MOVES[old])


@given(STATUSES, STAGES, STATUSES, STAGES)
def test_s004_a_move_is_legal_only_when_status_and_stage_both_are(
    old: TaskStatus, old_stage: Stage, new: TaskStatus, new_stage: Stage
) -> None:
    legal = new in STATUS_MOVES[old] and new_stage in STAGE_MOVES[old_stage]
    if legal:
        require_legal("t1", (old, old_stage), (new, new_stage))
        return
    with pytest.raises(IllegalMove) as refused:
        require_legal("t1", (old, old_stage), (new, new_stage))
    assert f"from {old} at {old_stage} to {new} at {new_stage}" in refused.value.message
