"""The read tools (D-013): trimmed answers that say what was left out, and error texts for wrong ids (LM6)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from demand_assets.proposers.agent.tools import (
    FREQUENT_ITEMSETS,
    ITEMSET_DETAIL,
    SCORE_BY_NAME,
    SCORE_TOPN,
    FactTools,
    tool_names,
)
from tests.demand_assets.proposers.agent_facts import (
    FESTIVAL,
    FOOD,
    INJECTION,
    ITEMSETS,
    OTHER_ITEMSET,
    PARAGRAPH_ITEMSET,
    posts_of,
)
from tests.demand_assets.proposers.conftest import Desk


def ask(tools: FactTools, tool: str, **arguments: Any) -> dict[str, Any]:
    return tools.answer(tool, json.dumps(arguments))


def ids(answer: dict[str, Any]) -> list[int]:
    return [itemset["itemset_id"] for itemset in answer["itemsets"]]


def test_d013_four_tools_and_six_in_local_mode() -> None:
    four = ("get_frequent_itemsets", "get_itemset_detail", "create_demand_item", "create_demand_items")
    assert tool_names("mysql_demand_content") == four
    assert tool_names("local_json") == (*four, "get_weight_score_topn", "get_weight_score_by_name")


def test_d013_topic_itemsets_of_the_execution_page_by_page(desk: Desk) -> None:
    tools = desk.tools(max_itemsets=2)

    first = ask(tools, FREQUENT_ITEMSETS)
    assert ids(first) == [101, 102]
    assert (first["total"], first["left_out"], first["next_offset"]) == (5, 3, 2)
    assert first["itemsets"][0]["items"][0]["category_path"] == "/内容/食物"

    last = ask(tools, FREQUENT_ITEMSETS, offset="4")
    assert ids(last) == [105]
    assert (last["left_out"], last["next_offset"]) == (0, None)
    assert ids(ask(tools, FREQUENT_ITEMSETS, offset=99)) == []


@pytest.mark.parametrize(
    ("category", "found"), [(FOOD, 5), (str(FESTIVAL), 5), ("内容", 5), (" 节日 ", 5), ("地点", 0), ("", 5)]
)
def test_d013_category_filter(desk: Desk, category: object, found: int) -> None:
    assert ask(desk.tools(), FREQUENT_ITEMSETS, category=category)["total"] == found


def test_d013_detail_is_trimmed_and_says_so(desk: Desk) -> None:
    answer = ask(desk.tools(max_itemsets=2, max_posts=3), ITEMSET_DETAIL, itemset_ids=[*ITEMSETS, 101])

    assert ids(answer) == [101, 102]
    assert (answer["left_out"], answer["left_out_itemset_ids"]) == (3, [103, 104, 105])
    detail = answer["itemsets"][0]
    assert [post["post_id"] for post in detail["posts"]] == posts_of(101)[:3]
    assert detail["posts_left_out"] == 3
    assert detail["posts"][0]["usable_as_source"] is True
    assert detail["posts"][0]["bound_element_names"] == {"1010": ["饺子"], "1011": ["春节"]}
    assert (detail["support"], detail["absolute_support"]) == (0.6, 6)


def test_lm6_ids_in_every_form_are_answered_not_raised(desk: Desk) -> None:
    given = ["101", 102, 12.0, "ITEMSET-12", " 101", True, None, "０１", {"id": 1}, 10**30, -1]
    answer = ask(desk.tools(), ITEMSET_DETAIL, itemset_ids=given)

    assert ids(answer) == [101, 102]
    assert len(answer["refused"]) == len(given) - 2
    assert ids(ask(desk.tools(), ITEMSET_DETAIL, itemset_ids="101")) == [101]
    for nothing in ({}, {"itemset_ids": None}, {"itemset_ids": []}):
        assert ids(ask(desk.tools(), ITEMSET_DETAIL, **nothing)) == []


def test_lm15_what_was_encoded_twice_is_read(desk: Desk) -> None:
    assert ids(ask(desk.tools(), ITEMSET_DETAIL, itemset_ids="[101, 102]")) == [101, 102]
    twice = json.dumps(json.dumps({"itemset_ids": [101]}))
    assert ids(desk.tools().answer(ITEMSET_DETAIL, twice)) == [101]


def test_lm7_ids_of_other_executions_and_scopes_are_not_shown(desk: Desk) -> None:
    answer = ask(desk.tools(), ITEMSET_DETAIL, itemset_ids=[OTHER_ITEMSET, PARAGRAPH_ITEMSET, 999, 101])

    assert ids(answer) == [101]
    assert [refusal["itemset_id"] for refusal in answer["refused"]] == [OTHER_ITEMSET, PARAGRAPH_ITEMSET, 999]


@pytest.mark.parametrize(
    "arguments",
    ["[1]", "{", '{"offset": 1, "offset": 2}', '{"offset": true}', '{"offset": -1}', '{"category": []}'],
)
def test_d013_wrong_arguments_get_an_error_text(desk: Desk, arguments: str) -> None:
    assert list(desk.tools().answer(FREQUENT_ITEMSETS, arguments)) == ["error"]


def test_d020_weight_scores_of_elements_and_categories(desk: Desk) -> None:
    top = ask(desk.tools(), SCORE_TOPN, kind="element", n=2)
    assert top["scores"][0] == {"name": "饺子", "score": 1.0}
    assert top["left_out"] == 4

    named = ask(desk.tools(), SCORE_BY_NAME, kind="category", names=["食物", FESTIVAL, "没有"])
    assert [row["category_id"] for row in named["scores"]] == [FOOD, FESTIVAL]
    assert named["unknown"] == ["没有"]
    assert ask(desk.tools(), SCORE_BY_NAME, kind="element", names="春节")["scores"][0]["name"] == "春节"
    assert "error" in ask(desk.tools(), SCORE_TOPN, kind="post")
    assert "error" in ask(desk.tools(), SCORE_BY_NAME, kind="element", names={"a": 1})


def test_lm9_stored_text_comes_as_json_data(desk: Desk) -> None:
    detail = ask(desk.tools(), ITEMSET_DETAIL, itemset_ids=[104])["itemsets"][0]
    assert detail["items"][1]["element_name"] == INJECTION
    assert detail["posts"][0]["bound_element_names"]["1041"] == [INJECTION]
