"""The sample: repeatable, believable, closed where it should be and broken where it says so."""

from __future__ import annotations

import pandas as pd
import pytest

from sandbox.sample.facts_sample import Sample, sample_fact_base
from tests.sample_posts import sample_posts
from tests.sandbox.closing_itemsets import closing_itemsets

KINDS = {
    "scope topic_element": "scope_not_topic",
    "scope script": "scope_not_topic",
    "scope paragraph": "scope_not_topic",
    "scope group": "scope_not_topic",
    "config_other_execution": "config_not_closed",
    "config_other_scope": "config_not_closed",
    "category_blank_path": "category_not_closed",
    "category_other_execution": "category_not_closed",
    "item_without_category": "category_not_closed",
    "no_items": "category_not_closed",
    "post_blank": "post_count_mismatch",
    "post_missing": "post_count_mismatch",
    "zero_support": "post_count_mismatch",
    "post_listed_twice": "accepted",
    "element_other_table": "element_not_bound",
}


def test_same_seed_gives_the_same_rows_and_another_seed_others(sample: Sample) -> None:
    again, other = sample_fact_base(), sample_fact_base(seed=2)

    for table, frame in sample.facts.frames().items():
        pd.testing.assert_frame_equal(frame, again.facts.frames()[table])
    assert sample.defects == again.defects
    assert set(sample.facts.element["post_id"]).isdisjoint(other.facts.element["post_id"])


def test_executions_have_the_states_a_fact_base_has(sample: Sample) -> None:
    heads = sample.facts.execution.set_index("id")

    assert heads["status"].to_dict() == {
        101: "success",
        102: "success",
        103: "failed",
        104: "running",
        105: "success",
    }
    assert heads["merge_leve2"].to_dict()[101] == "全局树"
    assert set(sample.facts.itemset["execution_id"]) == {101, 102}


def test_every_itemset_that_is_no_defect_closes(sample: Sample) -> None:
    broken = {defect.itemset_id for defect in sample.defects if defect.expected != "accepted"}

    assert closing_itemsets(sample.facts) == set(sample.facts.itemset["id"]) - broken


@pytest.mark.parametrize("execution_id", [101, 102])
def test_each_kind_of_defect_is_there_with_its_code(sample: Sample, execution_id: int) -> None:
    defects = [defect for defect in sample.defects if defect.execution_id == execution_id]

    assert {defect.defect: defect.expected for defect in defects} == KINDS


def test_whole_tree_offers_many_different_demands(sample: Sample) -> None:
    facts = sample.facts
    whole = facts.itemset.loc[facts.itemset["execution_id"] == 101, "id"]
    items = facts.itemset_item[facts.itemset_item["itemset_id"].isin(closing_itemsets(facts) & set(whole))]
    named = items.dropna(subset=["element_name"])
    demands = {tuple(sorted(names)) for _, names in named.groupby("itemset_id")["element_name"]}

    assert len(demands) >= 60
    assert named["category_id"].nunique() >= 15


@pytest.mark.parametrize("name", ["降价50%", "🫠神兵𠮷", '"免费"领鸡蛋', "妈妈's厨房", "低盐\\少油"])
def test_awkward_names_take_part_in_itemsets(sample: Sample, name: str) -> None:
    assert name in set(sample.facts.itemset_item["element_name"].dropna())


def test_categories_form_a_tree_of_three_levels(sample: Sample) -> None:
    tree = sample.facts.category[sample.facts.category["path"] != ""]
    full_path = tree.set_index("id")["full_path"]
    parents = tree["parent_id"].map(full_path).fillna("")

    assert (parents + tree["path"] == tree["full_path"]).all()
    assert set(tree["level"]) == {1, 2, 3}
    assert set(tree.loc[tree["level"] == 1, "name"]) == {"实质", "形式", "意图"}


def test_posts_are_about_three_hundred_with_hexadecimal_ids() -> None:
    posts = sample_posts()

    assert 280 <= len(posts) <= 320
    assert posts["id"].is_unique
    assert posts["id"].str.fullmatch("[0-9a-f]{32}").all()
