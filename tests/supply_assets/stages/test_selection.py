"""What keeps a selected article out of a plan, whoever selected it (S-006, S-011, S-030)."""

from __future__ import annotations

from typing import Any

import pytest

from resources.databases.supply_store.articles.candidates import CandidateRow
from resources.databases.supply_store.articles.scores import ScoreRow
from supply_assets.stages.selection import SelectedArticle, open_ends

READ = {7}


def selected(score: dict[str, Any] | None = None, **candidate: Any) -> list[SelectedArticle]:
    """One article that may be planned, but for what is changed."""
    row = {"id": 7, "task_id": "t", "dedup_hash": "h", "title": "泡脚", "url": "https://mp.weixin.qq.com/s/a"}
    scored = {"id": 1, "task_id": "t", "candidate_id": 7, "filter_status": "PASS", "is_selected": True}
    return [SelectedArticle(CandidateRow(**{**row, **candidate}), ScoreRow(**{**scored, **(score or {})}))]


def test_s006_an_article_that_passed_and_was_read_is_planned() -> None:
    assert open_ends(selected(), READ) == []


def test_s006_an_article_that_was_never_read_is_not_planned() -> None:
    assert open_ends(selected(), set()) == ["candidate 7 was never read"]


@pytest.mark.parametrize(
    ("candidate", "why"),
    [
        ({"is_deleted": True}, "is UNKNOWN"),
        ({"quality_flag": "REJECT", "reject_reason": "deleted_by_publisher"}, "is REJECT: deleted_by_publisher"),
        ({"quality_flag": "REJECTED", "reject_reason": "no (Li)"}, "is REJECTED: no"),
        ({"quality_flag": "HELD"}, "is HELD"),
        ({"raw_payload": {"link_resolved": False}}, "has only a link that expires"),
    ],
)
def test_s006_s030_what_is_gone_held_or_rejected_is_not_planned(candidate: dict[str, Any], why: str) -> None:
    (reason,) = open_ends(selected(**candidate), READ)
    assert why in reason


def test_s006_what_did_not_pass_the_filters_is_not_planned() -> None:
    (reason,) = open_ends(selected({"filter_status": "REJECT", "filter_reason": "risk"}), READ)
    assert reason == "candidate 7 is selected and filtered: risk"
