"""Both pools are pure mappings of rows and never carry evidence (D-062)."""

from __future__ import annotations

import copy
import json
from typing import Any

from demand_assets.outputs.pools import feature_point_rows, multi_demand_pool_rows
from demand_assets.outputs.rows import demand_row
from tests.demand_assets.outputs.accepted import TODAY, accept
from tests.small_facts import FactWorld, good_candidate

POOL_FIELDS = {"strategy", "demand_id", "demand_name", "merge_leve2", "weight", "type", "dt"}
POINT_FIELDS = {"特征点", "总分发曝光pv", "质bn_rovn", "dt"}
EVIDENCE_WORDS = ("evidence", "itemset", "post", "category", "support", "case_ids", "video_ids", "trace", "p1", "p2")


def rows(world: FactWorld, **changes: Any) -> list[dict[str, Any]]:
    demand = accept(world, good_candidate())[0]
    return [demand_row(demand, TODAY, 7) | changes]


def test_d062_a_demand_is_in_the_pool_once_as_a_whole_and_once_a_term(sqlite_world: FactWorld) -> None:
    pool = multi_demand_pool_rows(rows(sqlite_world))
    assert [(row["strategy"], row["demand_name"]) for row in pool] == [
        ("当下供需gap", "猫,治愈"),
        ("当下供需gap-分词", "猫"),
        ("当下供需gap-分词", "治愈"),
    ]
    assert all(set(row) == POOL_FIELDS and row["demand_id"] == 7 and row["dt"] == "20260601" for row in pool)


def test_d062_d089_a_row_of_the_pool_weighs_what_its_demand_scores(sqlite_world: FactWorld) -> None:
    scored = [*rows(sqlite_world, score=0.25), *rows(sqlite_world, score=0.5)]
    assert [row["weight"] for row in multi_demand_pool_rows(scored)] == [0.25] * 3 + [0.5] * 3


def test_d062_a_repeated_or_blank_term_makes_no_row_of_its_own(sqlite_world: FactWorld) -> None:
    pool = multi_demand_pool_rows(rows(sqlite_world, name="猫,猫, ,治愈"))
    assert [row["demand_name"] for row in pool[1:]] == ["猫", "治愈"]


def test_d062_feature_points_are_the_terms_of_the_global_tree(sqlite_world: FactWorld) -> None:
    points = feature_point_rows(rows(sqlite_world) + rows(sqlite_world, name="治愈,降价50%"))
    assert [point["特征点"] for point in points] == ["猫", "治愈", "降价50%"]
    assert all(set(point) == POINT_FIELDS and point["dt"] == "20260601" for point in points)


def test_d062_no_other_level_has_feature_points(sqlite_world: FactWorld) -> None:
    for level in ("民生", "", "全局树 ", "全局", "全局樹"):
        assert feature_point_rows(rows(sqlite_world, merge_leve2=level)) == []


def test_d062_neither_pool_carries_evidence(sqlite_world: FactWorld) -> None:
    given = rows(sqlite_world)
    text = json.dumps([multi_demand_pool_rows(given), feature_point_rows(given)], ensure_ascii=False)
    assert [word for word in EVIDENCE_WORDS if word in text] == []


def test_d062_the_mappings_are_pure(sqlite_world: FactWorld) -> None:
    given = rows(sqlite_world)
    before = copy.deepcopy(given)
    first = (multi_demand_pool_rows(given), feature_point_rows(given))
    assert (multi_demand_pool_rows(given), feature_point_rows(given)) == first
    assert given == before


def test_d062_no_rows_give_empty_pools() -> None:
    assert multi_demand_pool_rows([]) == feature_point_rows([]) == []
